/* model/train.c: ftx train, which runs Algorithms 11 to 13 and classification
   on files.
   Main type Session; entry point train. Options and files of text flow in; a
   model file flows out, again and again while it is trained. */
#include "model/model.h"
#include "library/threads.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>

typedef struct {
    const char *model, *from;
    bool resume, replace, evaluate, as_printed;
    int threads;
    double minutes, save, every;
} RunOptions;

#define PLACE(member) offsetof(RunOptions, member)
static const Option run_options[] = {
    { "model", TEXT, PLACE(model), 0, 0, "FILE",
      "where the model is saved" },
    { "from", TEXT, PLACE(from), 0, 0, "MODEL",
      "start from this model: fine-tuning" },
    { "resume", FLAG, PLACE(resume), 0, 0, NULL,
      "continue the training of this model" },
    { "replace", FLAG, PLACE(replace), 0, 0, NULL,
      "overwrite the file if it exists" },
    { "evaluate", FLAG, PLACE(evaluate), 0, 0, NULL,
      "do not train; print the loss of the model on FILE" },
    { "as-printed", FLAG, PLACE(as_printed), 0, 0, NULL,
      "the paper's gradient descent and epsilon" },
    { "threads", WHOLE, PLACE(threads), 1, MAX_WORKERS, NULL,
      "number of threads; the result is the same" },
    { "minutes", DECIMAL, PLACE(minutes), 0, 1e6, NULL,
      "stop after this time; 0: no limit" },
    { "save", DECIMAL, PLACE(save), 0, 1e6, NULL,
      "seconds between saves" },
    { "every", DECIMAL, PLACE(every), 0, 1e6, NULL,
      "seconds between lines; on a terminal at most 0.2" },
    { .name = NULL },
};

/* One run. 20 fields: its input, its state, and the times of its events. */
typedef struct {
    Command *command;
    Error *error;
    const char *name;           /* of the command, for errors             */
    RunOptions run;
    Task task;
    char *const *file;          /* the names of the data ...              */
    int files;                  /* ... and how many                       */
    char *const *option;        /* those that were typed, then NULL       */
    int options;
    Corpus corpus;
    Model *model;
    Trainer *trainer;
    int room;                   /* for points                             */
    int epoch, last;            /* steps in an epoch; the last step       */
    int first, saved;           /* steps when this run began; in the file */
    double begun, printed, kept;        /* when: in seconds               */
    double tokens;              /* of this run                            */
    bool by_time;               /* the schedule follows --minutes         */
} Session;

/* Makes errors be about the command again, no more about a file. */
static void leave_file(Session *s)
{
    s->error->sheet = s->name;
    s->error->text = NULL;
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

static Loss *const loss_of_task[] = { loss_11, loss_12, loss_13,
                                      loss_class };

/* Returns the mean loss a token, or a text with a class, in nats; NaN if no
   token was predicted. */
static double mean_loss(Session *s, const Data *data)
{
    Score score = evaluate(s->trainer, loss_of_task[s->task], data);
    if (!isfinite(score.loss))
        s->trainer->diverged = true;
    return score.tokens == 0 ? (double)NAN
                             : score.loss / (double)score.tokens;
}

/* Prints how far the training is, if it is time: on a terminal in one row
   that is written over and over, elsewhere in a few lines. */
static void print_progress(Session *s)
{
    const State *state = &s->model->state;
    FILE *out = s->command->out;
    bool terminal = is_terminal(out);
    double now = seconds(), every = s->run.every;
    if (now - s->printed < (terminal ? fmin(0.2, every) : every))
        return;
    s->printed = now;
    double nats = state->tokens > 0 ? state->loss / state->tokens
                : state->points > 0
                ? s->model->point[state->points - 1].loss : 0;
    double spent = now - s->begun, limit = 60 * s->run.minutes;
    double left = spent * (s->last - state->step) / (state->step - s->first);
    char line[800];
    snprintf(line, sizeof line, "step %d of %d: %.4f bits, eta %.1e, %.0f "
             "tokens/s, %.1f min left", state->step, s->last,
             nats / log(2), s->trainer->now.eta, s->tokens / spent,
             fmax(0, fmin(left, limit > 0 ? limit - spent : left)) / 60);
    fprintf(out, terminal ? "\r\033[K%.79s" : "%s\n", line);
    fflush(out);
}

static void save(Session *s)
{
    State *state = &s->model->state;
    Data one = s->corpus.train;
    one.N_data = 1;
    if (state->step > s->first)
        mean_loss(s, &one);
    if (s->trainer->diverged)
        return;
    state->updates = (int)s->trainer->updates;
    model_save(s->model, s->run.model, s->error);
    s->kept = seconds();
    s->saved = state->step;
}

static void try_save(Error *f, void *data)
{
    Session *s = data;
    s->error = f;
    save(s);
}

/* Saves amidst the training. If the file cannot be written now but may be
   later, prints a warning. */
static void save_on_the_way(Session *s)
{
    Error *f = s->error, inner = *f;
    FILE *out = s->command->out;
    bool saved = try_work(&inner, try_save, s);
    s->error = f;
    if (saved)
        return;
    if (!inner.is_temporary)
        rethrow(f, &inner);
    s->kept = seconds();
    fprintf(out, "%swarning: %s The next save tries again.\n",
            is_terminal(out) ? "\n" : "", inner.sentence);
}

enum { MOST_POINTS = 400 };     /* with one interval                      */

static void add_point(Session *s, double held_out)
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
    state->loss = state->tokens = 0;
}

static bool is_point_due(const Session *s)
{
    const State *state = &s->model->state;
    return state->step > 0 && state->tokens > 0
        && (state->step % s->epoch == 0
            || state->step % state->interval == 0);
}

/* Adds a point if one is due; at the end of an epoch it has the loss of the
   held-out part. If a signal stops that evaluation there is no point; a run
   that goes on begins with it. */
static void finish_step(Session *s)
{
    double held_out = (double)NAN;
    if (!is_point_due(s))
        return;
    if (s->model->state.step % s->epoch == 0
        && s->corpus.held_out.N_data > 0) {
        s->trainer->stop = stopped;
        held_out = mean_loss(s, &s->corpus.held_out);
        s->trainer->stop = NULL;
        if (caught != 0)
            return;
    }
    if (!s->trainer->diverged)
        add_point(s, held_out);
}

/* Ends the schedule with the time, at the pace of this run so far. */
static void follow_time(Session *s)
{
    double spent = seconds() - s->begun, limit = 60 * s->run.minutes;
    double last = s->model->state.step * limit / spent;
    s->trainer->now.last = last < s->last ? (long long)last : s->last;
}

static bool on_step(void *to, const Progress *step)
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
    if (s->by_time)
        follow_time(s);
    finish_step(s);
    if (!s->trainer->diverged)
        print_progress(s);
    if (!s->trainer->diverged && seconds() - s->kept >= s->run.save)
        save_on_the_way(s);
    return caught == 0 && !s->trainer->diverged && state->step < s->last
        && (s->run.minutes == 0
            || seconds() - s->begun < 60 * s->run.minutes);
}

/* Refuses a model that does not fit into the memory with its gradients and
   two moments. */
static void check_memory(Session *s, const Theta *theta)
{
    double needed = 4.0 * sizeof(real) * (double)theta_count(theta);
    double there = physical_memory();
    if (there > 0 && needed > there)
        fail_with(s->error, "training this model takes %.0f MB of memory at "
                  "least; there are %.0f.", needed / 1e6, there / 1e6);
}

/* Refuses to write over a file that is there, or over data; and keeps others
   from the model. */
static void check_names(Session *s)
{
    const RunOptions *run = &s->run;
    for (int k = 0; k < s->files; k++)
        if (is_same_file(s->file[k], run->model))
            fail_with(s->error, "%s cannot be both data and what is "
                      "written.", s->file[k]);
    acquire_lock(&s->command->lock, run->model, s->error);
    leave_file(s);
    if (!run->replace && !run->resume && is_name_taken(run->model))
        fail_with(s->error, "%s is there already; --resume goes on with it, "
                  "--replace begins anew.", run->model);
}

/* Copies the numbers of what has the same name and shape. */
static void copy_parameters(const Theta *to, const Theta *from)
{
    for (int k = 1; k <= to->n; k++)
        for (int i = 1; i <= from->n; i++) {
            const Parameter *p = &to->parameter[k];
            const Parameter *q = &from->parameter[i];
            size_t bytes = (size_t)p->rows * (size_t)p->cols * sizeof(real);
            if (strcmp(p->name, q->name) == 0 && p->rows == q->rows
                && p->cols == q->cols)
                memcpy((*p->place)->at, (*q->place)->at, bytes);
        }
}

static Model *begin_model(Session *s, const Plan *plan,
                          Hyperparameters *hyper, const Model *from)
{
    Arena *arena = s->command->arena;
    const Corpus *c = &s->corpus;
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .task = s->task, .plan = *plan };
    hyper->architecture = hyper_default(s->task).architecture;
    hyper->N_V = tokenizer_size(c->tokenizer);
    hyper->N_C = c->N_C;
    hyper_check(s->error, hyper);
    m->theta = theta_new(arena, hyper);
    check_memory(s, m->theta);
    theta_allocate(m->theta, arena);
    Random random = random_new(m->plan.how.seed);
    theta_initialise(m->theta, m->plan.initialise, &random);
    if (from != NULL)
        copy_parameters(m->theta, from->theta);
    m->tokenizer = c->tokenizer;
    m->class_name = c->class_name;
    m->state = (State){ .interval = 1, .bytes = c->bytes, .sum = c->sum };
    return m;
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
    "belongs to it. With --minutes and neither --steps nor --epochs the\n"
    "schedule ends with the time.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n";

/* Sets what was typed, over the values that are there. */
static void parse_train_options(Session *s, Plan *plan,
                                Hyperparameters *hyper)
{
    Command command = *s->command;
    const Options options[] = {
        { "This run:", run_options, &s->run },
        { "Training:", plan_options, plan },
        { "Hyperparameters:", hyper_options + OF_DATA, hyper },
        { .table = NULL },
    };
    size_t bytes = (size_t)command.n * sizeof(char *);
    char **argument = memcpy(arena_alloc(command.arena, bytes + 1),
                             command.argument, bytes);
    command.argument = argument;
    int others = parse_command(s->error, &command, usage, options);
    if (others == 0 || !task_of(argument[0], &s->task))
        fail_with(s->error, "expected d, e, ed or class first; see 'ftx "
                  "train --help'.");
    s->file = argument + 1;
    s->files = others - 1;
    s->option = argument + others;
    s->options = command.n - others;
}

/* Refuses a change of what a model began with, but for its length. */
static void refuse_change(Session *s, const char *name, const Option *table,
                          const void *a, const void *b)
{
    for (const Option *o = table; o->name != NULL; o++)
        if (strcmp(o->name, "epochs") != 0 && strcmp(o->name, "steps") != 0
            && !option_equals(o, a, b))
            fail_with(s->error, "--%s cannot be changed in %s, whose "
                      "training goes on.", o->name, name);
}

/* Loads the model that a training begins with or goes on with, and parses
   the options again, over its values. */
static Model *load_earlier(Session *s, const char *name, Purpose purpose,
                           Plan *plan, Hyperparameters *hyper)
{
    Arena *arena = s->command->arena;
    Model *m = model_load(arena, name, purpose, s->error);
    if (m->task != s->task && (purpose == TO_TRAIN || m->task != TRAIN_E
                               || s->task != TRAIN_CLASS))
        fail_with(s->error, "%s is a model of 'ftx train %s'; expected one "
                  "of 'ftx train %s'.", name, task_name(m->task),
                  task_name(s->task));
    if (purpose == TO_TRAIN)
        *plan = m->plan;
    *hyper = m->theta->hyper;
    Plan was = *plan;
    plan->steps = plan->how.N_epochs = UNSAID;
    parse_train_options(s, plan, hyper);
    if (plan->steps == UNSAID)
        plan->steps = plan->how.N_epochs == UNSAID ? was.steps : 0;
    if (plan->how.N_epochs == UNSAID)
        plan->how.N_epochs = was.how.N_epochs;
    hyper_check(s->error, hyper);
    *hyper = theta_new(arena, hyper)->hyper;
    refuse_change(s, name, hyper_options, hyper, &m->theta->hyper);
    return m;
}

static void go_on(Session *s, const Plan *plan)
{
    const State *state = &s->model->state;
    refuse_change(s, s->run.model, plan_options, plan, &s->model->plan);
    if (strcmp(state->sum, s->corpus.sum) != 0
        || state->bytes != s->corpus.bytes)
        fail_with(s->error, "%s was trained with other data; it can go on "
                  "only with the same.", s->run.model);
    check_memory(s, s->model->theta);
    s->model->plan = *plan;
}

/* Was one of these options typed? */
static bool is_typed(const Session *s, const char *a, const char *b)
{
    bool typed = false;
    for (int k = 0; k < s->options && s->option[k] != NULL; k++)
        typed |= strncmp(s->option[k], a, strlen(a)) == 0
              || strncmp(s->option[k], b, strlen(b)) == 0;
    return typed;
}

/* Prepares the trainer and the number of steps. */
static void prepare_training(Session *s)
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
        fail_with(s->error, "%.0f steps are too many; 2000000000 may "
                  "be.", last);
    if (state->step > last)
        fail_with(s->error, "%s has been trained for %d steps already, "
                  "and %.0f are less; it is left as it is.", s->run.model,
                  state->step, last);
    s->epoch = (int)batches;
    s->last = (int)last;
    s->first = s->saved = state->step;
    s->room = state->points;
    s->by_time = s->run.minutes > 0 && !s->run.resume
              && !is_typed(s, "--steps", "--epochs");
    Trainer *t = trainer_new(s->command->arena, m->theta, how);
    s->command->trainer = s->trainer = t;
    t->how.threads = s->run.threads;
    t->on_step = on_step;
    t->to = s;
    t->step = state->step;
    t->updates = state->updates;
    if (s->run.resume && (!m->m != !t->m || !m->v != !t->v))
        fail_with(s->error, "%s has not what its optimiser needs.",
                  s->run.model);
    t->m = m->m = s->run.resume ? m->m : t->m;
    t->v = m->v = s->run.resume ? m->v : t->v;
    state->has_m = m->m != NULL;
    state->has_v = m->v != NULL;
}

static void run_session(Session *s)
{
    State *state = &s->model->state;
    FILE *out = s->command->out;
    s->begun = s->printed = seconds();
    save(s);
    finish_step(s);
    if (s->trainer->diverged)
        fail_not_finite(s->error, s->run.model);
    if (caught == 0 && state->step < s->last)
        trainer_run(s->trainer, loss_of_task[s->task], &s->corpus.train);
    if (is_terminal(out))
        fputc('\n', out);
    if (!s->trainer->diverged)
        save(s);
    if (s->trainer->diverged)
        fail_with(s->error, "after step %d the loss is not a finite "
                  "number any more; %sa smaller --eta may help. %s is kept "
                  "as it was after step %d.", state->step,
                  s->model->theta->hyper.epsilon > 0 ? ""
                  : "an --epsilon above 0 or ", s->run.model, s->saved);
    fprintf(out, "%s: step %d of %d, saved\n", s->run.model, state->step,
            s->last);
    s->command->status = caught == 0 ? 0 : 128 + (int)caught;
    if (caught != 0)
        fail_with(s->error, "stopped by signal %d after step %d; %s is "
                  "saved, --resume goes on.", (int)caught, state->step,
                  s->run.model);
    const int steps = state->step - s->first;
    fprintf(out, "this run: %d step%s, %.0f tokens, in %.1f minutes\n",
            steps, steps == 1 ? "" : "s", s->tokens,
            (seconds() - s->begun) / 60);
}

/* Returns how many pairs are translated exactly, or labels found. */
static int count_right(Session *s, const Data *data)
{
    Tape *tape = s->command->tape;
    const Theta *theta = s->model->theta;
    bool ed = s->task == TRAIN_ED;
    KVCache *cache = ed ? kv_cache_new(s->command->arena, tape, theta) : NULL;
    Inference how = { .tau = 0, .no_special = true, .kv_cache = cache };
    int right = 0;
    for (int n = 1; n <= data->N_data; n++) {
        Tokens y, x = data->x[n];
        int best;
        Arena *arena = arena_new();
        tape_clear(tape);
        if (ed) {
            y = inference_15(tape, arena, data->z[n], theta, &how, NULL);
            right += y.length == x.length
                && memcmp(y.id, x.id, (size_t)x.length * sizeof *x.id) == 0;
        } else {
            rank_tokens(classify(tape, x, theta), 1, &best);
            right += best == data->c[n];
        }
        arena_free(arena);
    }
    return right;
}

/* Prints the loss of the data, and for texts the perplexity, for pairs how
   many are translated exactly, for labels how many are right. */
static void print_evaluation(Session *s, const char *name, const Data *data)
{
    static const char *const units[] = { "token", "masked token", "token",
                                         "text" };
    Command *c = s->command;
    const int all = data->N_data;
    require_finite(c, s->run.model, s->error);
    prepare_tape(c->arena, c->tape, s->model->theta);
    tape_discard_layers(c->arena, c->tape);
    double nats = mean_loss(s, data);
    if (s->trainer->diverged)
        fail_not_finite(s->error, s->run.model);
    if (isnan(nats)) {
        fprintf(c->out, all == 0 ? "nothing was held out\n"
                                 : "%s: no token to predict\n", name);
        return;
    }
    fprintf(c->out, "%s: %.4f nats, %.4f bits a %s, perplexity %.5g\n",
            name, nats, nats / log(2), units[s->task], exp(nats));
    if (s->task == TRAIN_ED || s->task == TRAIN_CLASS) {
        int right = count_right(s, data);
        fprintf(c->out, "%s, %s: %d of %d, %.2f %%\n", name,
                s->task == TRAIN_ED ? "translated exactly" : "right", right,
                all, 100.0 * right / all);
    }
}

static void read_data(Session *s, const Plan *plan, int ell_max,
                      const Model *earlier)
{
    s->corpus = read_corpus(s->command->arena, s->task, plan, ell_max,
                            earlier, s->files, s->file, s->error);
    leave_file(s);
}

/* With --evaluate: all of the data are evaluated, and nothing is trained. */
static void evaluate_only(Session *s)
{
    Command *c = s->command;
    s->model = load_for_task(c, s->run.model, s->task, s->error);
    Plan plan = s->model->plan;
    plan.held_out = 0;
    plan.how.method = SGD;      /* which needs no memory                  */
    read_data(s, &plan, s->model->theta->hyper.ell_max, s->model);
    c->trainer = s->trainer = trainer_new(c->arena, s->model->theta,
                                          &plan.how);
    s->trainer->how.threads = s->run.threads;
    print_evaluation(s, s->files == 1 ? s->file[0] : "all files",
                     &s->corpus.train);
}

void train(Error *f, Command *c)
{
    Session *s = arena_alloc(c->arena, sizeof *s);
    RunOptions *run = &s->run;
    caught = 0;
    *s = (Session){ .command = c, .error = f, .name = f->sheet };
    *run = (RunOptions){ .model = "model.ftx", .threads = 1, .save = 60,
                         .every = 10 };
    Plan plan = plan_default(false);
    Hyperparameters hyper = hyper_default(TRAIN_D);
    Model *from = NULL;
    parse_train_options(s, &plan, &hyper);
    if (run->resume + run->replace + run->evaluate > 1
        || run->resume + run->as_printed + (run->from != NULL) > 1)
        fail_with(f, "--resume continues a training, --replace, --from and "
                  "--as-printed start one, and --evaluate does not train; "
                  "leave one of them out.");
    if (run->evaluate) {
        evaluate_only(s);
        return;
    }
    check_names(s);
    if (run->as_printed) {
        plan = plan_default(true);
        hyper.epsilon = 0;
        parse_train_options(s, &plan, &hyper);
    }
    if (run->resume)
        s->model = load_earlier(s, run->model, TO_TRAIN, &plan, &hyper);
    else if (run->from != NULL)
        from = load_earlier(s, run->from, TO_USE, &plan, &hyper);
    plan_check(f, s->task, &plan);
    refuse_unused_hyper(f, s->task, s->options, s->option);
    read_data(s, &plan, hyper.ell_max, from != NULL ? from : s->model);
    if (run->resume)
        go_on(s, &plan);
    else
        s->model = begin_model(s, &plan, &hyper, from);
    prepare_training(s);
    set_stop_handler(catch);
    run_session(s);
    set_stop_handler(SIG_DFL);
    print_evaluation(s, "held out", &s->corpus.held_out);
}
