/* model/train.c: ftx train, which runs Algorithms 11 to 13 and classification
   on a file.

   Main type: Session. Entry point: train. Options and a file of text flow in;
   a model file flows out, again and again while it is trained. */
#include "model/model.h"
#include "library/functions.h"
#include "library/threads.h"
#include <math.h>
#include <signal.h>
#include <string.h>

/* What is typed for this run alone, and stands in no model file. */
typedef struct {
    const char *model, *from;
    bool resume, replace, as_printed;
    int threads;
    double save, every;
} RunOptions;

#define PLACE(member) offsetof(RunOptions, member)
static const Option run_options[] = {
    { "model", TEXT, PLACE(model), NO_BOUNDS, "FILE", "where it is saved" },
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

/* One run. 22 fields: its input, its state, and the times of its events.
   The model has the plan and theta that are trained; plan and hyper are what
   was typed, until there is a model. */
typedef struct {
    Command *command;
    Error *error;
    RunOptions run;
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

static _Atomic int caught;              /* 0, or the signal             */

static void catch(int signal)
{
    caught = signal;
}

/* Tells the evaluation after an epoch to stop. */
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

/* Prints a line that says how far the training is, if it is time. */
static void print_progress(Session *s)
{
    const int step = s->model->state.step;
    double now = seconds();
    if (now - s->printed < s->run.every)
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
    model_save(s->model, s->run.model, s->error);
    s->kept = seconds();
    s->saved = state->step;
}

/* After an epoch: prints the loss of the held-out part, unless a signal stops
   its evaluation. */
static void finish_epoch(Session *s)
{
    const int step = s->model->state.step;
    if (step % s->epoch != 0 || s->corpus.held_out.N_data == 0)
        return;
    s->trainer->stop = stopped;
    double nats = mean_loss(s, &s->corpus.held_out);
    s->trainer->stop = NULL;
    if (caught == 0 && !s->trainer->diverged && !isnan(nats))
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
    if (seconds() - s->kept >= s->run.save)
        save(s);
    return caught == 0 && !s->trainer->diverged && step->step < s->last;
}

/* Refuses to write over a file that is there, or over data; and keeps others
   from the model. */
static void check_names(Session *s)
{
    const RunOptions *run = &s->run;
    if (is_same_file(s->file, run->model))
        fail_with(s->error, "%s cannot be both data and what is written.",
                  s->file);
    acquire_lock(&s->command->lock, run->model, s->error);
    set_subject(s->error, "ftx train", NULL);
    if (!run->replace && !run->resume && is_name_taken(run->model))
        fail_with(s->error, "%s is there already; --resume goes on with it, "
                  "--replace begins anew.", run->model);
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
    *m = (Model){ .task = s->task, .plan = s->plan,
                  .theta = theta_new(arena, &s->hyper),
                  .tokenizer = c->tokenizer, .class_name = c->class_name,
                  .state = { .bytes = c->bytes, .sum = c->sum } };
    if (theta_count(m->theta) > 1000000000)
        fail_with(s->error, "the model has %lld numbers to learn; ftx trains "
                  "at most 1000000000.", theta_count(m->theta));
    theta_allocate(m->theta, arena);
    Random random = random_new(m->plan.how.seed);
    theta_initialise(m->theta, m->plan.initialise, &random);
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
        { "This run:", run_options, &s->run },
        { "Training:", plan_options, &s->plan },
        { "Hyperparameters:", hyper_options + OF_DATA, &s->hyper },
        { .table = NULL },
    };
    size_t bytes = ((size_t)command.n + 1) * sizeof(char *);
    char **argument = memcpy(arena_alloc(command.arena, bytes),
                             command.argument, bytes);
    command.argument = argument;
    int others = parse_command(s->error, &command, usage, options);
    if (others == 0 || !task_of(argument[0], &s->task))
        fail_with(s->error, "expected d, e, ed or class first; see 'ftx "
                  "train --help'.");
    if (others != 2)
        fail_with(s->error, "expected one file, not %d; 'cat' makes one of "
                  "several.", others - 1);
    s->file = argument[1];
    s->option = argument + others;
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
static Model *load_earlier(Session *s, const char *name, Purpose purpose)
{
    Model *m = model_load(s->command->arena, name, purpose, s->error);
    if (purpose == TO_TRAIN || m->task != TRAIN_E || s->task != TRAIN_CLASS)
        check_task(m, name, s->task, s->error);
    if (purpose == TO_TRAIN)
        s->plan = m->plan;
    s->hyper = m->theta->hyper;
    if (has_option("epochs", s->option))
        s->plan.steps = 0;
    parse_train_options(s);
    hyper_check(s->error, &s->hyper);
    s->hyper = theta_new(s->command->arena, &s->hyper)->hyper;
    refuse_change(s, name, hyper_options, &s->hyper, &m->theta->hyper);
    return m;
}

/* Prepares to go on with the model, which must be the same training. */
static void go_on(Session *s)
{
    const State *state = &s->model->state;
    refuse_change(s, s->run.model, plan_options, &s->plan, &s->model->plan);
    if (strcmp(state->sum, s->corpus.sum) != 0
        || state->bytes != s->corpus.bytes)
        fail_with(s->error, "%s was trained with other data; it can go on "
                  "only with the same.", s->run.model);
    s->model->plan = s->plan;
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
    if (last > 2e9)
        fail_with(s->error, "%.0f steps are too many; 2000000000 may "
                  "be.", last);
    if (m->state.step > last)
        fail_with(s->error, "%s has been trained for %d steps already, "
                  "and %.0f are less; it is left as it is.", s->run.model,
                  m->state.step, last);
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

/* Trains and saves, and says where the model is; fails where it was stopped
   or has diverged. */
static void run_session(Session *s)
{
    State *state = &s->model->state;
    FILE *out = s->command->out;
    s->begun = s->printed = seconds();
    save(s);
    if (s->trainer->diverged)
        fail_with(s->error, "the loss of %s is not finite.", s->run.model);
    if (caught == 0 && state->step < s->last)
        trainer_run(s->trainer, loss_of_task[s->task], &s->corpus.train);
    save(s);
    if (s->trainer->diverged)
        fail_with(s->error, "after step %d the loss is not a finite "
                  "number any more; %sa smaller --eta may help. %s is kept "
                  "as it was after step %d.", state->step,
                  s->model->theta->hyper.epsilon > 0 ? ""
                  : "an --epsilon above 0 or ", s->run.model, s->saved);
    fprintf(out, "%s: step %d of %d, saved\n", s->run.model, state->step,
            s->last);
    if (caught != 0) {
        s->command->status = 128 + (int)caught;
        fail_with(s->error, "stopped by signal %d after step %d; %s is "
                  "saved, --resume goes on.", (int)caught, state->step,
                  s->run.model);
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
    const Data *data = &s->corpus.held_out;
    double nats = mean_loss(s, data);
    if (s->trainer->diverged)
        fail_with(s->error, "the loss of %s is not finite.", s->run.model);
    if (data->N_data == 0)
        fprintf(out, "nothing was held out\n");
    else if (isnan(nats))
        fprintf(out, "held out: no token to predict\n");
    else
        fprintf(out, "held out: %.4f nats, %.4f bits a %s, perplexity "
                "%.5g\n", nats, nats / log(2), units[s->task], exp(nats));
}

void train(Error *f, Command *c)
{
    Session *s = arena_alloc(c->arena, sizeof *s);
    RunOptions *run = &s->run;
    *s = (Session){ .command = c, .error = f };
    *run = (RunOptions){ .model = "model.ftx", .threads = 1, .save = 60,
                         .every = 5 };
    s->plan = plan_default(false);
    s->hyper = hyper_default(TRAIN_D);
    Model *from = NULL;
    parse_train_options(s);
    if (run->resume + run->replace > 1
        || run->resume + run->as_printed + (run->from != NULL) > 1)
        fail_with(f, "--resume continues a training, --replace, --from and "
                  "--as-printed start one; leave one of them out.");
    check_names(s);
    if (run->as_printed) {
        s->plan = plan_default(true);
        s->hyper.epsilon = 0;
        parse_train_options(s);
    }
    if (run->resume)
        s->model = load_earlier(s, run->model, TO_TRAIN);
    else if (run->from != NULL)
        from = load_earlier(s, run->from, TO_USE);
    plan_check(f, s->task, &s->plan);
    refuse_unused_hyper(f, s->task, s->option);
    s->corpus = read_corpus(c->arena, s->task, &s->plan, s->hyper.ell_max,
                            from != NULL ? from : s->model, s->file, f);
    set_subject(f, "ftx train", NULL);
    if (run->resume)
        go_on(s);
    else
        s->model = begin_model(s, from);
    count_steps(s);
    prepare_trainer(s);
    caught = 0;
    set_stop_handler(catch);
    run_session(s);
    set_stop_handler(SIG_DFL);
    print_evaluation(s);
}
