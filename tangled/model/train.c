/* model/train.c: ftx train, which runs Algorithms 11 to 13 and classification
   on a file.

   Main type: Session. Entry point: train. Options and a file of text flow in;
   a model file flows out, again and again while it is trained. */
#include "model/corpus.h"
#include "library/functions.h"
#include "library/threads.h"
#include <math.h>
#include <signal.h>
#include <string.h>

/* One run. 28 fields: what is typed for it alone, and stands in no model
   file; its input, its state, and the times of its events. The model has the
   plan and theta that are trained; plan and hyper are what was typed, until
   there is a model. */
typedef struct {
    Command *command;
    Error *error;
    const char *name, *from;    /* of the model; of another, or NULL      */
    bool resume, replace, as_printed;
    int threads;
    double save, every;         /* seconds between saves, and lines       */
    Task task;
    Plan plan;
    Hyperparameters hyper;
    const char *file;           /* the data                               */
    char *const *option;        /* those that were typed, then NULL       */
    Corpus corpus;
    Model *model;
    Trainer *trainer;
    int epoch, last;            /* steps in an epoch; the last step       */
    int first, saved;           /* steps when this run began; in the file */
    double begun, printed, kept;        /* when: in seconds               */
    double tokens;              /* of this run                            */
    double loss, predicted;     /* nats and tokens since a line was
                                   printed                                */
} Session;

#define PLACE(member) offsetof(Session, member)
static const Option run_options[] = {
    { "model", TEXT, PLACE(name), NO_BOUNDS, "FILE", "where it is saved" },
    { "from", TEXT, PLACE(from), NO_BOUNDS, "MODEL", "fine-tune this model" },
    { "resume", FLAG, PLACE(resume), NO_BOUNDS, NULL,
      "continue the training of this model" },
    { "replace", FLAG, PLACE(replace), NO_BOUNDS, NULL,
      "overwrite the file if it exists" },
    { "as-printed", FLAG, PLACE(as_printed), NO_BOUNDS, NULL,
      "the paper's gradient descent and epsilon" },
    { "threads", WHOLE, PLACE(threads), 1, MAX_WORKERS, NULL,
      "number of threads; the result is the same" },
    { "save", DECIMAL, PLACE(save), 0, 1e6, NULL, "seconds between saves" },
    { "every", DECIMAL, PLACE(every), 0, 1e6, NULL,
      "seconds between lines of progress" },
    { .name = NULL },
};
static _Atomic int caught;              /* 0, or the signal             */

static void catch(int signal)
{
    caught = signal;
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

/* Prints a line that says how far the training is, if it is time. */
static void print_progress(Session *s)
{
    const int step = s->model->state.step;
    double now = seconds();
    if (now - s->printed < s->every)
        return;
    s->printed = now;
    double bits = s->predicted > 0 ? s->loss / s->predicted / log(2) : 0;
    double spent = now - s->begun;
    double left = spent * (s->last - step) / (step - s->first);
    fprintf(s->command->out, "step %d of %d: %.4f bits, eta %.1e, %.0f "
            "tokens/s, %.1f min left\n", step, s->last, bits,
            s->trainer->now.eta, s->tokens / spent, left / 60);
    fflush(s->command->out);
    s->loss = s->predicted = 0;
}

/* Saves the model, unless a step has spoiled it: then the trainer has
   diverged. */
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
    model_save(s->model, s->name, s->error);
    s->kept = seconds();
    s->saved = state->step;
}

/* After an epoch: prints the loss of the held-out part. */
static void finish_epoch(Session *s)
{
    const int step = s->model->state.step;
    if (step % s->epoch != 0)
        return;
    double nats = mean_loss(s, &s->corpus.held_out);
    if (!s->trainer->diverged && !isnan(nats))
        fprintf(s->command->out, "step %d, epoch %d: %.4f bits held out\n",
                step, step / s->epoch, nats / log(2));
}

/* What is done after each step; false ends the training. */
static bool on_step(void *to, const Progress *step)
{
    Session *s = to;
    if (s->trainer->diverged)
        return false;
    s->model->state.step = (int)step->step;
    s->loss += step->loss;
    s->predicted += (double)step->tokens;
    s->tokens += (double)step->tokens;
    print_progress(s);
    finish_epoch(s);
    if (seconds() - s->kept >= s->save)
        save(s);
    return caught == 0 && !s->trainer->diverged && step->step < s->last;
}

/* Refuses to write over a file that is there, or over data; and keeps others
   from the model. */
static void check_names(Session *s)
{
    if (is_same_file(s->file, s->name))
        fail_with(s->error, "%s cannot be both data and what is written.",
                  s->file);
    acquire_lock(&s->command->lock, s->name, s->error);
    set_subject(s->error, "ftx train", NULL);
    if (!s->replace && !s->resume && is_name_taken(s->name))
        fail_with(s->error, "%s is there already; --resume goes on with it, "
                  "--replace begins anew.", s->name);
}

/* Copies the numbers of what has the same name and size. */
static void copy_parameters(const Theta *to, const Theta *from)
{
    for (int k = 1; k <= to->n; k++)
        for (int i = 1; i <= from->n; i++) {
            Mat M = *to->parameter[k].place, N = *from->parameter[i].place;
            if (strcmp(to->parameter[k].name, from->parameter[i].name) == 0
                && entries(M) == entries(N))
                memcpy(M->at, N->at, entries(M) * sizeof(real));
        }
}

/* Returns a new model of what was typed, with random numbers, or as far as
   they fit those of another model. */
static Model *begin_model(Session *s, const Model *from)
{
    Arena *arena = s->command->arena;
    const Corpus *c = &s->corpus;
    Model *m = arena_alloc(arena, sizeof *m);
    s->hyper.architecture = hyper_default(s->task).architecture;
    s->hyper.N_V = c->tokenizer->N_V;
    s->hyper.N_C = c->N_C;
    hyper_check(s->error, &s->hyper);
    *m = (Model){ .task = s->task, .theta = theta_new(arena, &s->hyper),
                  .tokenizer = c->tokenizer, .class_name = c->class_name,
                  .state = { .bytes = c->bytes, .sum = c->sum } };
    if (theta_count(m->theta) > 1000000000)
        fail_with(s->error, "the model has %lld numbers to learn; ftx trains "
                  "at most 1000000000.", theta_count(m->theta));
    theta_allocate(m->theta, arena, NULL);
    Random random = random_new(s->plan.how.seed);
    theta_initialise(m->theta, s->plan.initialise, &random);
    if (from != NULL)
        copy_parameters(m->theta, from->theta);
    return m;
}

static const char usage[] =
    "Usage: ftx train d|e|ed|class [options] FILE\n"
    "\n"
    "Trains a model on a text and saves it.\n"
    "  d      Algorithm 13: what follows in a text\n"
    "  e      Algorithm 12: what is masked in a text\n"
    "  ed     Algorithm 11: pairs, z TAB x on each line of FILE\n"
    "  class  classification, label TAB text on each line of FILE\n"
    "Ctrl-C saves the model and ends; --resume goes on.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n";

/* Sets what was typed, over the values that are there. */
static void parse_train_options(Session *s)
{
    Command command = *s->command;
    const Options options[] = {
        { "This run:", run_options, s },
        { "Training:", plan_options, &s->plan },
        { "Hyperparameters:", hyper_options + OF_DATA, &s->hyper },
        { .table = NULL },
    };
    size_t bytes = ((size_t)command.n + 1) * sizeof(char *);
    char **argument = memcpy(arena_alloc(command.arena, bytes),
                             command.argument, bytes);
    command.argument = argument;
    int others = parse_command(s->error, &command, usage, options);
    if (others != 2 || !task_of(argument[0], &s->task))
        fail_with(s->error, "expected d, e, ed or class, and one file; see "
                  "'ftx train --help'.");
    s->file = argument[1];
    s->option = argument + others;
}

/* Refuses a change of what a model began with, but for its length. */
static void refuse_change(Session *s, const char *name, const Option *table,
                          const void *a, const void *b)
{
    for (const Option *o = table; o->name != NULL; o++)
        if (strcmp(o->name, "epochs") != 0 && strcmp(o->name, "steps") != 0
            && option_number(o, a) != option_number(o, b))
            fail_with(s->error, "--%s cannot be changed in %s, whose "
                      "training goes on.", o->name, name);
}

/* Loads the model that a training begins with or goes on with, and parses
   the options again, over its values. */
static Model *load_earlier(Session *s)
{
    const char *name = s->resume ? s->name : s->from;
    Model *m = model_load(s->command->arena, name,
                          s->resume ? TO_TRAIN : TO_USE, s->error);
    if (s->resume || m->task != TRAIN_E || s->task != TRAIN_CLASS)
        check_task(m, name, s->task, s->error);
    if (s->resume)
        s->plan = m->plan;
    s->hyper = m->theta->hyper;
    if (has_option("epochs", s->option))
        s->plan.steps = 0;
    parse_train_options(s);
    hyper_check(s->error, &s->hyper);
    s->hyper = theta_new(s->command->arena, &s->hyper)->hyper;
    refuse_change(s, name, hyper_options, &s->hyper, &m->theta->hyper);
    if (s->resume)
        refuse_change(s, name, plan_options, &s->plan, &m->plan);
    return m;
}

/* Finds the first and the last step, and the steps of an epoch. */
static void count_steps(Session *s)
{
    Model *m = s->model;
    Training *how = &m->plan.how;
    double batches = ceil((double)s->corpus.train.N_data / how->batch);
    double last = m->plan.steps > 0 ? m->plan.steps
                                    : batches * how->N_epochs;
    if (m->plan.steps > 0)
        how->N_epochs = (int)ceil(last / batches);
    if (last > 2e9 || last < m->state.step)
        fail_with(s->error, "a training has at most 2000000000 steps, and "
                  "no fewer than the %d that %s has; this one would have "
                  "%.0f.", m->state.step, s->name, last);
    s->epoch = (int)batches;
    s->last = (int)last;
    s->first = s->saved = m->state.step;
}

/* Makes the trainer, at the step and with the memory that the model has. */
static void prepare_trainer(Session *s)
{
    Model *m = s->model;
    State *state = &m->state;
    Training *how = &m->plan.how;
    Trainer *t = trainer_new(s->command->arena, m->theta, how);
    s->command->trainer = s->trainer = t;
    t->how.threads = s->threads;
    t->on_step = on_step;
    t->to = s;
    t->step = state->step;
    t->updates = state->updates;
    if (s->resume && (strcmp(state->sum, s->corpus.sum) != 0
                      || state->bytes != s->corpus.bytes
                      || !m->m != !t->m || !m->v != !t->v))
        fail_with(s->error, "%s was trained with other data or another "
                  "optimiser; it can go on only with the same.", s->name);
    t->m = m->m = s->resume ? m->m : t->m;
    t->v = m->v = s->resume ? m->v : t->v;
    state->has_m = m->m != NULL;
    state->has_v = m->v != NULL;
}

/* Trains and saves, and says where the model is; fails where it was stopped
   or has diverged. */
static void run_session(Session *s)
{
    State *state = &s->model->state;
    FILE *out = s->command->out;
    s->begun = s->printed = seconds();
    save(s);
    if (caught == 0 && state->step < s->last)
        trainer_run(s->trainer, loss_of_task[s->task], &s->corpus.train);
    save(s);
    if (s->trainer->diverged)
        fail_with(s->error, "after step %d the loss is not a finite "
                  "number any more; %sa smaller --eta may help. %s is kept "
                  "as it was after step %d.", state->step,
                  s->model->theta->hyper.epsilon > 0 ? ""
                  : "an --epsilon above 0 or ", s->name, s->saved);
    fprintf(out, "%s: step %d of %d, saved\n", s->name, state->step,
            s->last);
    if (caught != 0) {
        s->command->status = 128 + (int)caught;
        fail_with(s->error, "stopped by signal %d after step %d; %s is "
                  "saved, --resume goes on.", (int)caught, state->step,
                  s->name);
    }
    fprintf(out, "this run: steps: %d; tokens: %.0f; minutes: %.1f\n",
            state->step - s->first, s->tokens, (seconds() - s->begun) / 60);
}

/* Prints the loss of what was held out, and its perplexity. */
static void print_evaluation(Session *s)
{
    static const char *const units[] = { "token", "masked token", "token",
                                         "text" };
    FILE *out = s->command->out;
    double nats = mean_loss(s, &s->corpus.held_out);
    if (s->trainer->diverged)
        fail_with(s->error, "the loss of %s is not finite.", s->name);
    if (isnan(nats))
        fprintf(out, "held out: nothing to predict\n");
    else
        fprintf(out, "held out: %.4f nats, %.4f bits a %s, perplexity "
                "%.5g\n", nats, nats / log(2), units[s->task], exp(nats));
}

void train(Error *f, Command *c)
{
    Session *s = arena_alloc(c->arena, sizeof *s);
    *s = (Session){ .command = c, .error = f, .name = "model.ftx",
                    .threads = 1, .save = 60, .every = 5,
                    .plan = plan_default(false),
                    .hyper = hyper_default(TRAIN_D) };
    parse_train_options(s);
    if (s->resume + s->replace > 1
        || s->resume + s->as_printed + (s->from != NULL) > 1)
        fail_with(f, "--resume continues a training, --replace, --from and "
                  "--as-printed start one; leave one of them out.");
    check_names(s);
    if (s->as_printed) {
        s->plan = plan_default(true);
        s->hyper.epsilon = 0;
        parse_train_options(s);
    }
    Model *earlier = s->resume || s->from != NULL ? load_earlier(s) : NULL;
    plan_check(f, s->task, &s->plan);
    refuse_unused_hyper(f, s->task, s->option);
    s->corpus = read_corpus(c->arena, s->task, &s->plan, s->hyper.ell_max,
                            earlier, s->file, f);
    set_subject(f, "ftx train", NULL);
    s->model = s->resume ? earlier : begin_model(s, earlier);
    s->model->plan = s->plan;
    count_steps(s);
    prepare_trainer(s);
    caught = 0;
    set_stop_handler(catch);
    run_session(s);
    set_stop_handler(SIG_DFL);
    print_evaluation(s);
}
