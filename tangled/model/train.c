/* ftx train: Algorithms 11 to 13, and classification, on files. */
#include "model/model.h"
#include "library/threads.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *from;
    bool resume, replace, as_printed;
    int threads;
    double minutes, save, every;
} Running;

static const Option run_options[] = {
    { "model", TEXT, UNBOUNDED(Running, model), "FILE",
      "where the model is saved" },
    { "from", TEXT, UNBOUNDED(Running, from), "MODEL",
      "begin with its numbers, tokens and sizes: fine-tuning" },
    { "resume", FLAG, UNBOUNDED(Running, resume), NULL,
      "go on with this model" },
    { "replace", FLAG, UNBOUNDED(Running, replace), NULL,
      "begin anew, though there is such a file" },
    { "as-printed", FLAG, UNBOUNDED(Running, as_printed), NULL,
      "begin with the paper's algorithm and epsilon" },
    { "threads", WHOLE, offsetof(Running, threads), 1, 8, NULL,
      "at once; the result is the same" },
    { "minutes", DECIMAL, offsetof(Running, minutes), 0, 1e6, NULL,
      "stop after this time; 0: do not" },
    { "save", DECIMAL, offsetof(Running, save), 0, 1e6, NULL,
      "seconds from save to save" },
    { "every", DECIMAL, offsetof(Running, every), 0, 1e6, NULL,
      "seconds from line to line; on a terminal 0.2 at most" },
    { .name = NULL },
};

/* Everything that one run works with. */
typedef struct {
    Command *command;
    Error *error;
    const char *name;           /* for errors                             */
    Running run;
    Task task;
    char *const *file;          /* the names of the data                  */
    char *const *option;        /* those that were typed                  */
    int options;                /* at most so many                        */
    Corpus corpus;
    const Model *from;          /* what it begins with; or NULL           */
    Model *model;
    Trainer *trainer;
    int room;                   /* for points                             */
    int epoch, last;            /* steps in an epoch; the last step       */
    int first, saved;           /* steps when this run began; in the file */
    int made;                   /* of FILES, by the save that goes on     */
    double begun, told, kept;   /* when it began, told, saved: seconds    */
    double tokens;              /* of this run                            */
    double held_out;            /* the loss after the last step; or NaN   */
    bool waits;                 /* patience has not run out               */
} Session;

/* Errors are about the command again, no more about a file. */
static Error *own_error(Session *s)
{
    s->error->sheet = s->name;
    s->error->text = NULL;
    return s->error;
}

static SHARED_ATOMIC int caught;

static void catch(int signal)
{
    caught = signal;
}

static bool stopped(void *to)
{
    (void)to;
    return caught != 0;
}

static const char *time_text(double s, char to[40])
{
    long long n = s < 0 || s > 1e12 ? 0 : (long long)(s + 0.5);
    if (n >= 3600)
        snprintf(to, 40, "%lld:%02lld:%02lld", n / 3600, n / 60 % 60,
                 n % 60);
    else
        snprintf(to, 40, "%lld:%02lld", n / 60, n % 60);
    return to;
}

static double time_left(const Session *s, double now)
{
    double spent = now - s->begun, limit = 60 * s->run.minutes;
    int step = s->model->state.step;
    double left = spent * (s->last - step) / (step - s->first);
    return limit > 0 && limit - spent < left ? limit - spent : left;
}

/* nats to bits */
static double bits(double nats)
{
    return nats / log(2);
}

static void tell_progress(Session *s, double now, bool terminal)
{
    const State *state = &s->model->state;
    FILE *out = s->command->out;
    double nats = state->tokens > 0 ? state->loss / state->tokens
                : state->points > 0
                ? s->model->point[state->points - 1].loss : 0;
    double rate = s->tokens / (now - s->begun);
    char left[40], line[800];
    time_text(time_left(s, now), left);
    snprintf(line, sizeof line, "step %d/%d: %.4f bits/token, %.0f "
             "tokens/s, %s left", state->step, s->last, bits(nats), rate,
             left);
    if (terminal)
        fprintf(out, "\r\033[K%.79s", line);
    else
        fprintf(out, "step %d of %d, epoch %d: loss %.4f nats, %.4f bits a "
                "token; %.0f tokens/s; %s left\n", state->step, s->last,
                (state->step - 1) / s->epoch + 1, nats, bits(nats), rate,
                left);
    fflush(out);
}

static void tell_in_time(Session *s)
{
    Telling telling = { s->command->out, s->run.every };
    if (is_time_to_tell(&telling, &s->told))
        tell_progress(s, s->told, is_terminal(telling.to));
}

enum { FILES = 2 };             /* the model and its loss curve           */
static const char *const ends[FILES] = { "", ".tsv" };

/* The model's name, and something behind it. */
static char *beside(Session *s, const char *end)
{
    size_t size = strlen(s->run.model) + strlen(end) + 1;
    char *to = arena_alloc(s->command->arena, size);
    snprintf(to, size, "%s%s", s->run.model, end);
    return to;
}

static Loss *const loss_of[] = { loss_11, loss_12, loss_13, loss_class };

/* Whether the loss is still finite, as far as one sequence tells. */
static bool still_finite(Session *s)
{
    Data one = s->corpus.train;
    one.N_data = 1;
    return isfinite(evaluate(s->trainer, loss_of[s->task], &one).loss);
}

static void save(Session *s)
{
    State *state = &s->model->state;
    if (state->step > s->first && !still_finite(s)) {
        s->trainer->diverged = true;
        return;
    }
    state->updates = (int)s->trainer->updates;
    s->made = 0;
    model_save(s->model, s->run.model, &s->command->lock, s->error);
    s->made++;
    replace_file(beside(s, ends[1]), NULL, s->error, s->model, curve_tsv);
    own_error(s);
    s->kept = seconds();
    s->saved = state->step;
}

static void save_it(Error *f, void *data)
{
    Session *s = data;
    s->error = f;
    save(s);
}

static void save_first(Session *s)
{
    Error *f = s->error, inner = *f;
    bool saved = try_work(&inner, save_it, s);
    s->error = f;
    if (saved)
        return;
    for (int e = 0; e < s->made && !s->run.resume && !s->run.replace; e++)
        remove_file(beside(s, ends[e]));
    rethrow(f, &inner);
}

/* A save that fails before the end is tried again by the next one. */
static void save_on_the_way(Session *s)
{
    Error *f = s->error, inner = *f;
    FILE *out = s->command->out;
    bool saved = try_work(&inner, save_it, s);
    s->error = f;
    if (saved)
        return;
    if (!inner.is_temporary)
        rethrow(f, &inner);
    s->kept = seconds();
    fprintf(out, "%swarning: %s The next save tries again.\n",
            is_terminal(out) ? "\n" : "", inner.sentence);
}

/* The mean loss a token of the held-out part; NaN where there is none.
   false: a signal has ended the evaluation. */
static bool held_out_loss(Session *s, bool may_stop, double *loss)
{
    const Data *data = &s->corpus.held_out;
    *loss = (double)NAN;
    if (data->N_data == 0)
        return true;
    s->trainer->stop = may_stop ? stopped : NULL;
    Score score = evaluate(s->trainer, loss_of[s->task], data);
    s->trainer->stop = NULL;
    if (may_stop && caught != 0)
        return false;
    if (!isfinite(score.loss))
        s->trainer->diverged = true;
    if (score.tokens > 0)
        *loss = score.loss / (double)score.tokens;
    return true;
}

/* A provisional point leaves the sums as they are. */
static void add_point(Session *s, double held_out, bool provisional)
{
    State *state = &s->model->state;
    if (state->tokens == 0)
        return;
    if (state->points >= s->room) {
        s->room = 2 * state->points + 100;
        Point *more = arena_alloc(s->command->arena,
                                  (size_t)s->room * sizeof *more);
        for (int k = 0; k < state->points; k++)
            more[k] = s->model->point[k];
        s->model->point = more;
    }
    s->model->point[state->points++] = (Point){
        state->step, state->loss / state->tokens, held_out
    };
    if (!provisional)
        state->loss = state->tokens = 0;
}

static void take_back_provisional_point(State *state, const Point *point)
{
    if (state->tokens > 0 && state->points > 0
        && point[state->points - 1].step == state->step)
        state->points--;
}

static void compare(Session *s, double held_out)
{
    Model *m = s->model;
    Patience *patience = &m->state.patience;
    if (isnan(held_out))
        return;
    s->waits = update_patience(patience, held_out, m->plan.patience)
            || m->plan.patience == 0;
    if (m->plan.patience > 0 && patience->waited == 0)
        model_keep_best(m, s->command->arena);
}

static bool ends_epoch(const Session *s)
{
    return s->model->state.step % s->epoch == 0;
}

static bool at_end(const Session *s)
{
    return ends_epoch(s) || s->model->state.step == s->last;
}

static bool is_due(const Session *s)
{
    const State *state = &s->model->state;
    return at_end(s) || state->step % state->interval == 0;
}

/* Evaluates and sets a point, where that is due. */
static void finish_step(Session *s)
{
    bool may_stop = s->model->state.tokens > 0;
    s->held_out = (double)NAN;
    if (at_end(s) && !held_out_loss(s, may_stop, &s->held_out))
        return;
    if (s->trainer->diverged)
        return;
    if (is_due(s))
        add_point(s, s->held_out, at_end(s) && !ends_epoch(s));
    if (ends_epoch(s))
        compare(s, s->held_out);
}

static bool is_unfinished(const Session *s)
{
    const State *state = &s->model->state;
    return state->step > 0 && state->tokens > 0 && is_due(s);
}

enum { MOST_POINTS = 400 };     /* with one interval                      */

static bool follow(void *to, const Progress *step)
{
    Session *s = to;
    State *state = &s->model->state;
    if (!isfinite(step->loss) || s->trainer->diverged)
        return false;
    state->step = (int)step->step;
    if (state->step > MOST_POINTS * state->interval)
        state->interval *= 2;
    state->loss += step->loss;
    state->tokens += (double)step->tokens;
    s->tokens += (double)step->tokens;
    if (state->step == s->last)
        save_on_the_way(s);
    if (!s->trainer->diverged)
        finish_step(s);
    if (s->trainer->diverged)
        return false;
    tell_in_time(s);
    if (seconds() - s->kept >= s->run.save)
        save_on_the_way(s);
    bool in_time = s->run.minutes == 0
                || seconds() - s->begun < 60 * s->run.minutes;
    return caught == 0 && in_time && state->step < s->last
        && s->waits;
}

static void give_up_if_stopped(Session *s)
{
    if (caught != 0)
        fail_with(own_error(s), "stopped by signal %d while the held-out "
                  "part was judged; %s is saved, --resume judges it again.",
                  (int)caught, s->run.model);
}

static int characters_in(Piece piece)       /* of UTF-8 */
{
    int n = 0;
    for (int k = 0; k < piece.n; k++)
        n += ((unsigned char)piece.at[k] & 0xC0) != 0x80;
    return n;
}

/* first is 2 where the first token of a chunk is given, as it is to
   Algorithm 13, and otherwise 1. */
static double unigram_loss(Arena *arena, const Corpus *c, int first,
                           long long *tokens, long long *characters)
{
    int N_V = tokenizer_size(c->tokenizer);
    double loss = 0, total = N_V;
    double *often = arena_alloc(arena, ((size_t)N_V + 1) * sizeof *often);
    for (int v = 1; v <= N_V; v++)
        often[v] = 1;
    for (int n = 1; n <= c->train.N_data; n++)
        for (int t = 1; t <= c->train.x[n].length; t++, total++)
            often[TOKEN(c->train.x[n], t)]++;
    *tokens = *characters = 0;
    for (int n = 1; n <= c->held_out.N_data; n++)
        for (int t = first; t <= c->held_out.x[n].length; t++) {
            int v = TOKEN(c->held_out.x[n], t);
            loss -= log(often[v] / total);
            ++*tokens;
            *characters += characters_in(token_piece(c->tokenizer, v));
        }
    return loss / (double)*tokens;
}

static void judge_text(Session *s, double nats)
{
    FILE *out = s->command->out;
    long long tokens, characters;
    double unigram = unigram_loss(s->command->arena, &s->corpus,
                                  s->task == TRAIN_D ? 2 : 1, &tokens,
                                  &characters);
    double each = (double)characters / (double)tokens;
    bool told = s->task == TRAIN_D && characters > 0
             && tokenizer_kind(s->corpus.tokenizer) != TOKEN_NUMBERS;
    fprintf(out, "held out: %.4f nats, %.4f bits a %stoken", nats,
            bits(nats), s->task == TRAIN_E ? "masked " : "");
    if (told)
        fprintf(out, ", %.4f bits a character", bits(nats) / each);
    fprintf(out, "\nwithout a model, by how often each token occurs: %.4f "
            "bits a token", bits(unigram));
    if (told)
        fprintf(out, ", %.4f bits a character", bits(unigram) / each);
    fputc('\n', out);
}

static bool translates(Session *s, KVCache *cache, int n)
{
    Tape *tape = s->command->tape;
    Inference how = { .tau = 0, .no_special = true, .kv_cache = cache };
    Tokens x = s->corpus.held_out.x[n];
    Arena *arena = arena_new();
    tape_clear(tape);
    Tokens y = inference_15(tape, arena, s->corpus.held_out.z[n],
                            s->model->theta, &how, NULL);
    bool same = y.length == x.length
             && memcmp(y.id, x.id, (size_t)x.length * sizeof *x.id) == 0;
    arena_free(arena);
    return same;
}

static void judge_pairs(Session *s, double nats)
{
    int right = 0, all = s->corpus.held_out.N_data;
    KVCache *cache = kv_cache_new(s->command->arena, s->command->tape,
                                s->model->theta);
    for (int n = 1; n <= all; n++) {
        right += translates(s, cache, n);
        give_up_if_stopped(s);
    }
    FILE *out = s->command->out;
    fprintf(out, "held out: %.4f nats, %.4f bits a token\n", nats,
            bits(nats));
    fprintf(out, "held out, translated exactly: %d of %d, %.2f %%\n",
            right, all, 100.0 * right / all);
}

static int most_frequent_class(const int *class, int N_data, int N_C,
                               int *times)
{
    int best = 1;
    for (int c = 1; c <= N_C; c++)
        times[c] = 0;
    for (int n = 1; n <= N_data; n++)
        times[class[n]]++;
    for (int c = 2; c <= N_C; c++)
        if (times[c] > times[best])
            best = c;
    return best;
}

static int class_given_by(Tape *tape, const Theta *theta, Tokens x)
{
    int best;
    tape_clear(tape);
    rank_tokens(classify(tape, x, theta), 1, &best);
    return best;
}

static void judge_classes(Session *s, double nats)
{
    const Corpus *c = &s->corpus;
    int times[MOST_CLASSES + 1], right = 0, all = c->held_out.N_data;
    int usual = most_frequent_class(c->train.c, c->train.N_data, c->N_C,
                                    times);
    most_frequent_class(c->held_out.c, all, c->N_C, times);
    for (int n = 1; n <= all; n++) {
        right += c->held_out.c[n]
              == class_given_by(s->command->tape, s->model->theta,
                                c->held_out.x[n]);
        give_up_if_stopped(s);
    }
    FILE *out = s->command->out;
    fprintf(out, "held out: %.4f nats, %.4f bits a text; right: %d of %d, "
            "%.2f %%\n", nats, bits(nats), right, all, 100.0 * right / all);
    fprintf(out, "without a model, always '%s': %d of %d, %.2f %%\n",
            c->class_name[usual], times[usual], all,
            100.0 * times[usual] / all);
}

static const char *nothing_to_judge(const Session *s)
{
    if (s->corpus.held_out.N_data == 0)
        return "nothing was held out";
    return s->task == TRAIN_E
           ? "held out: by chance no token was masked"
           : "held out: no token that follows on another";
}

static void refuse_idleness(Session *s)
{
    const State *state = &s->model->state;
    if (state->step == 0 || state->points > 0 || state->tokens > 0)
        return;
    fail_with(own_error(s), "in %d steps %s; %s has learned nothing.",
              state->step, s->task == TRAIN_E
              ? "by chance no token was masked; a larger --p_mask masks more"
              : "no token followed on another", s->run.model);
}

static void judge_session(Session *s)
{
    static void (*const how[])(Session *s, double nats) = {
        judge_pairs, judge_text, judge_text, judge_classes
    };
    refuse_overflow(s->command, s->run.model, s->error);
    const Model *m = s->model;
    prepare_tape(s->command->arena, s->command->tape, m->theta);
    tape_discard_layers(s->command->arena, s->command->tape);
    double nats = s->held_out;
    if (isnan(nats) || (m->best != NULL && m->state.patience.best < nats))
        held_out_loss(s, true, &nats);
    give_up_if_stopped(s);
    if (s->trainer->diverged)
        refuse_model(s->error, s->run.model);
    if (isnan(nats))
        fprintf(s->command->out, "%s\n", nothing_to_judge(s));
    else
        how[s->task](s, nats);
}

/* How many numbers a sequence of length ell puts on its tape, at least. */
static double on_tape(const Hyperparameters *h, double ell)
{
    double layer = 10.0 * h->d_e + 2.0 * h->d_mlp + 4.0 * h->H * ell;
    double unembedding = h->N_C > 0 ? 0 : 4.0 * h->N_V;
    return ell * (((double)h->L + h->L_dec) * layer + unembedding);
}

static double on_tapes(const Hyperparameters *h, const Data *data,
                       double lanes)
{
    double most = 0, all = 0;
    for (int n = 1; n <= data->N_data; n++) {
        most = fmax(most, data->x[n].length);
        all += data->x[n].length;
    }
    return on_tape(h, most) + (lanes - 1) * on_tape(h, all / data->N_data);
}

/* Refuses what takes more memory than there is. Where the work is long, says
   first what it is. */
static void check_size(Session *s, const Theta *theta)
{
    const long long many = 2000000;
    char parameters[40];
    FILE *out = s->command->out;
    const Training *how = &s->model->plan.how;
    const Data *data = &s->corpus.train;
    double copies = 2                   /* the numbers, their gradients   */
                  + 2 + 1;              /* their moments; the best ones   */
    double lanes = fmin(s->run.threads, fmin(how->batch, data->N_data));
    double tapes = on_tapes(&theta->hyper, data, lanes);
    double needed = sizeof(real) * (copies * (double)theta_count(theta)
                                    + tapes);
    double there = physical_memory();
    if (there > 0 && needed > there)
        fail_with(s->error, "training this model takes %.0f MB of memory; "
                  "there are %.0f.", needed / 1e6, there / 1e6);
    if (theta_count(theta) < many)
        return;
    fprintf(out, "%s: %s parameters; training takes %.0f MB of memory\n",
            s->run.model, format_grouped(theta_count(theta), parameters),
            needed / 1e6);
    fflush(out);
}

/* Refuses to write over a file that is there, or where none can be. */
static void refuse_existing(Session *s, const char *name, bool is_model)
{
    FileInfo there;
    if (get_file_info(name, &there) && !there.is_file) {
        s->error->sheet = name;
        fail_with(s->error, "cannot be written: it is not a file.");
    }
    require_folder(name, s->error);
    own_error(s);
    if (s->run.replace || s->run.resume || !is_name_taken(name))
        return;
    if (is_model)
        fail_with(s->error, "%s is there already; --resume goes on with it, "
                  "--replace begins anew.", name);
    fail_with(s->error, "%s is there already, and the loss curve goes "
              "there; --replace writes over it.", name);
}

/* The same for all that is written; nor may it be one of the n files of
   data. */
static void check_names(Session *s, int n)
{
    for (int e = 0; e < FILES; e++) {
        const char *name = beside(s, ends[e]);
        for (int k = 0; k < n; k++)
            if (is_same_file(s->file[k], name))
                fail_with(s->error, "%s cannot be both data and what is "
                          "written.", s->file[k]);
        refuse_existing(s, name, e == 0);
    }
}

/* theta gets the numbers of what has the same name and shape. */
static void take_over(const Theta *theta, const Theta *from)
{
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k], *q = from->parameter;
        const Parameter *end = q + from->n;
        size_t bytes = (size_t)p->rows * (size_t)p->cols * sizeof(real);
        for (q++; q <= end; q++)
            if (strcmp(p->name, q->name) == 0 && p->rows == q->rows
                && p->cols == q->cols)
                memcpy((*p->place)->at, (*q->place)->at, bytes);
    }
}

static void begin_model(Session *s, const Plan *plan,
                        Hyperparameters *hyper)
{
    Arena *arena = s->command->arena;
    const Corpus *c = &s->corpus;
    Model *m = s->model = arena_alloc(arena, sizeof *m);
    *m = (Model){ .task = s->task, .plan = *plan };
    own_error(s);
    hyper->architecture = hyper_default(s->task).architecture;
    hyper->N_V = tokenizer_size(c->tokenizer);
    hyper->N_C = c->N_C;
    hyper_check(s->error, hyper);
    m->theta = theta_new(arena, hyper);
    check_size(s, m->theta);
    theta_allocate(m->theta, arena);
    Random random = random_new(m->plan.how.seed);
    theta_initialise(m->theta, m->plan.initialise, &random);
    if (s->from != NULL)
        take_over(m->theta, s->from->theta);
    m->tokenizer = c->tokenizer;
    m->class_name = c->class_name;
    m->state = (State){ .interval = 1, .bytes = c->bytes, .sum = c->sum };
}

static void refuse_change(Session *s, const char *of, const Option *table,
                          const void *a, const void *b)
{
    for (const Option *o = table; o->name != NULL; o++)
        if (strcmp(o->name, "epochs") != 0 && strcmp(o->name, "steps") != 0
            && strcmp(o->name, "patience") != 0 && !option_equals(o, a, b))
            fail_with(s->error, "--%s cannot be changed in %s, whose "
                      "training goes on.", o->name, of);
}

static void refuse_other_data(Session *s)
{
    const State *state = &s->model->state;
    own_error(s);
    if (strcmp(state->sum, s->corpus.sum) != 0
        || state->bytes != s->corpus.bytes)
        fail_with(s->error, "%s was trained with other data; it can go on "
                  "only with the same.", s->run.model);
}

static void prepare_session(Session *s)
{
    Model *m = s->model;
    State *state = &m->state;
    Training *how = &m->plan.how;
    double batches = ceil((double)s->corpus.train.N_data / how->batch);
    if (m->plan.steps > 0)
        how->N_epochs = (int)ceil(m->plan.steps / batches);
    double last = m->plan.steps > 0 ? m->plan.steps
                                    : batches * how->N_epochs;
    if (last > 2e9)
        fail_with(own_error(s), "%.0f steps are too many; 2000000000 may "
                  "be.", last);
    if (state->step > last)
        fail_with(own_error(s), "%s has been trained for %d steps already, "
                  "and %.0f are less; it is left as it is.", s->run.model,
                  state->step, last);
    s->epoch = (int)batches;
    s->last = (int)last;
    s->first = s->saved = state->step;
    s->waits = m->plan.patience == 0
            || state->patience.waited < m->plan.patience;
    if (m->plan.patience == 0)
        m->best = NULL;
    s->room = state->points;
    take_back_provisional_point(state, m->point);
}

static void lead(Session *s)
{
    Model *m = s->model;
    Arena *arena = s->command->arena;
    Trainer *trainer = trainer_new(arena, m->theta, &m->plan.how);
    s->command->trainer = trainer;
    s->trainer = trainer;
    trainer->how.threads = s->run.threads;
    trainer->follow = follow;
    trainer->to = s;
    trainer->step = m->state.step;
    trainer->updates = m->state.updates;
    if (s->run.resume) {
        if (!m->m != !trainer->m || !m->v != !trainer->v)
            fail_with(s->error, "%s has not what its optimiser needs.",
                      s->run.model);
        trainer->m = m->m;
        trainer->v = m->v;
    }
    m->m = trainer->m;
    m->v = trainer->v;
    m->state.has_m = m->m != NULL;
    m->state.has_v = m->v != NULL;
}

static void run_session(Session *s)
{
    s->begun = s->told = s->kept = seconds();
    s->held_out = (double)NAN;
    if (is_unfinished(s))
        finish_step(s);
    if (s->trainer->diverged)
        refuse_model(s->error, s->run.model);
    if (caught == 0 && !s->trainer->diverged && s->waits
        && s->model->state.step < s->last)
        trainer_run(s->trainer, loss_of[s->task], &s->corpus.train);
    if (is_terminal(s->command->out))
        fputc('\n', s->command->out);
    if (!s->trainer->diverged)
        save(s);
    if (s->trainer->diverged)
        fail_with(own_error(s), "after step %d the loss is not a finite "
                  "number any more; %sa smaller --eta may help. %s is kept "
                  "as "
                  "it was after step %d.", s->model->state.step,
                  s->model->theta->hyper.epsilon > 0 ? ""
                  : "an --epsilon above 0 or ", s->run.model, s->saved);
}

static void report(Session *s)
{
    FILE *out = s->command->out;
    int step = s->model->state.step;
    if (caught == 0)
        refuse_idleness(s);
    fprintf(out, "%s: step %d of %d, saved\n", s->run.model, step, s->last);
    if (caught != 0)
        fail_with(own_error(s), "stopped by signal %d after step %d; %s is "
                  "saved, --resume goes on.", (int)caught, step,
                  s->run.model);
    char took[40];
    const int steps = step - s->first, patience = s->model->plan.patience;
    fprintf(out, "this run: %d step%s, %.0f tokens, in %s\n", steps,
            steps == 1 ? "" : "s", s->tokens,
            time_text(seconds() - s->begun, took));
    if (patience > 0 && !s->waits && step < s->last)
        fprintf(out, "stopped early: %d epoch%s brought nothing\n",
                patience, patience == 1 ? "" : "s");
    if (s->model->best != NULL)
        fprintf(out, "what is used is the best: held out %.4f nats\n",
                fmin(s->model->state.patience.best,
                     model_last_held_out(s->model)));
    model_use_best(s->model);
    judge_session(s);
}

static const char usage[] =
    "Usage: ftx train d|e|ed|class [options] FILE...\n"
    "\n"
    "Trains a model on texts and saves it.\n"
    "  d      Algorithm 13: what follows in a text\n"
    "  e      Algorithm 12: what is masked in a text\n"
    "  ed     Algorithm 11: pairs, z TAB x on each line of FILE\n"
    "  class  classification, label TAB text on each line of FILE\n"
    "A text is taken byte for byte. A line ends with LF or CR LF, and\n"
    "before the first there may be the UTF-8 mark EF BB BF; neither\n"
    "belongs to it.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n";

static void refuse_contradiction(Session *s)
{
    const Running *run = &s->run;
    if (run->resume && run->replace)
        fail_with(s->error, "--resume goes on with %s, --replace begins "
                  "anew; give one of them.", run->model);
    if (run->from != NULL && (run->resume || run->as_printed))
        fail_with(s->error, "--from begins anew with the numbers of %s; it "
                  "does not go with --%s.", run->from,
                  run->resume ? "resume" : "as-printed");
    if (run->resume && run->as_printed)
        fail_with(s->error, "--as-printed is how a model begins; %s goes on "
                  "as it began.", run->model);
}

static int parse_train_options(Session *s, Plan *plan, Hyperparameters *hyper)
{
    const Command *command = s->command;
    const Options options[] = {
        { "This run:", run_options, &s->run },
        { "Training:", plan_options, plan },
        { "Hyperparameters:", hyper_options, hyper },
        { .table = NULL },
    };
    size_t n = (size_t)command->n;
    size_t bytes = n * sizeof(char *);
    char **argument = memcpy(arena_alloc(command->arena, bytes + 1),
                             command->argument, bytes);
    if (asks_help(command->n, argument)) {
        fputs(usage, command->out);
        print_options(command->out, options);
        return -1;
    }
    int others = parse_options(s->error, options, command->n, argument);
    if (others == 0 || !task_of(argument[0], &s->task))
        fail_with(s->error, "expected d, e, ed or class first; see 'ftx "
                  "train --help'.");
    s->file = argument + 1;
    s->option = argument + others;
    s->options = command->n - others;
    return others - 1;
}

static void choose_length(Plan *plan, const Plan *was)
{
    bool unsaid = plan->how.N_epochs == UNSAID;
    if (plan->steps == UNSAID)
        plan->steps = unsaid ? was->steps : 0;
    if (unsaid)
        plan->how.N_epochs = was->steps == 0 ? was->how.N_epochs
                           : plan_default(false).how.N_epochs;
}

_Noreturn static void refuse_task(Session *s, const char *name, Task task)
{
    fail_with(s->error,
              "%s is a model of 'ftx train %s'; expected one of 'ftx "
              "train %s'.", name, task_name(task), task_name(s->task));
}

static int go_on(Session *s, Plan *plan, Hyperparameters *hyper)
{
    Model *m = model_load(s->command->arena, s->run.model, TO_TRAIN,
                          s->error);
    own_error(s);
    if (m->task != s->task)
        refuse_task(s, s->run.model, m->task);
    *plan = m->plan;
    plan->steps = plan->how.N_epochs = UNSAID;
    *hyper = m->theta->hyper;
    int n = parse_train_options(s, plan, hyper);
    choose_length(plan, &m->plan);
    hyper_check(s->error, hyper);
    *hyper = theta_new(s->command->arena, hyper)->hyper;
    refuse_change(s, s->run.model, plan_options, plan, &m->plan);
    refuse_change(s, s->run.model, hyper_options, hyper, &m->theta->hyper);
    s->model = m;
    return n;
}

static int begin_from(Session *s, Plan *plan, Hyperparameters *hyper)
{
    Model *m = model_load(s->command->arena, s->run.from, TO_USE, s->error);
    own_error(s);
    bool classes = s->task == TRAIN_CLASS && m->task == TRAIN_E;
    if (m->task != s->task && !classes)
        refuse_task(s, s->run.from, m->task);
    *hyper = m->theta->hyper;
    int n = parse_train_options(s, plan, hyper);
    const OptionEffect acting[] = {
        { "tokens", false, "without --from" },
        { "merges", false, "without --from" },
        { .name = NULL },
    };
    refuse_unused_options(s->error, acting, s->options, s->option);
    refuse_change(s, s->run.from, hyper_options, hyper, &m->theta->hyper);
    s->from = m;
    return n;
}

static void train_it(Error *f, void *data)
{
    Session *s = arena_alloc(((Command *)data)->arena, sizeof *s);
    *s = (Session){ .command = data, .error = f, .name = f->sheet };
    s->run = (Running){ .model = "model.ftx", .threads = 1, .save = 60,
                     .every = 10 };
    Plan plan = plan_default(false);
    Hyperparameters hyper = hyper_default(TRAIN_D);
    int n = parse_train_options(s, &plan, &hyper);
    if (n < 0)
        return;
    refuse_contradiction(s);
    check_names(s, n);
    if (s->run.resume || s->run.replace)
        acquire_lock(&s->command->lock, s->run.model, f);
    own_error(s);
    if (s->run.as_printed) {
        plan = plan_default(true);
        hyper.epsilon = 0;
        n = parse_train_options(s, &plan, &hyper);
    }
    if (s->run.resume)
        n = go_on(s, &plan, &hyper);
    if (s->run.from != NULL)
        n = begin_from(s, &plan, &hyper);
    plan_check(f, s->task, &plan);
    refuse_idle_hyper(f, s->task, s->options, s->option);
    refuse_idle_plan(f, s->task, &plan, s->options, s->option);
    Telling telling = { s->command->out, s->run.every };
    s->corpus = read_corpus(s->command->arena, s->task, &plan, hyper.ell_max,
                            s->from != NULL ? s->from : s->model, &telling, n,
                            s->file, f);
    if (s->run.resume) {
        refuse_other_data(s);
        check_size(s, s->model->theta);
    } else {
        begin_model(s, &plan, &hyper);
    }
    s->model->plan = plan;
    prepare_session(s);
    lead(s);
    set_stop_handler(catch);
    save_first(s);
    run_session(s);
    report(s);
}

int train(FILE *out, FILE *err, int n, char *argument[])
{
    caught = 0;
    int status = run_command("ftx train", train_it, out, err, n, argument);
    set_stop_handler(SIG_DFL);
    return caught != 0 ? 128 + (int)caught : status;
}
