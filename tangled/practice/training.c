/* A step of training: workers, threads, the order of the data. */
#include "practice/practice.h"
#include "library/threads.h"
#include <math.h>
#include <string.h>

const char *training_error(const Training *how)
{
    const struct { double x; const char *sentence; } below_1[] = {
        { how->p_mask, "p_mask must be in (0, 1)." },
        { how->beta_1, "beta_1 must be in [0, 1)." },
        { how->beta_2, "beta_2 must be in [0, 1)." },
        { how->dropout, "dropout must be in [0, 1)." },
        { how->smoothing, "smoothing must be in [0, 1)." },
    };
    for (size_t k = 0; k < sizeof below_1 / sizeof *below_1; k++)
        if (!(0 <= below_1[k].x && below_1[k].x < 1))
            return below_1[k].sentence;
    return 0 <= how->eta_last && how->eta_last <= how->eta ? NULL
         : "eta_last must be in [0, eta].";
}

static Training fill_defaults(const Training *how)
{
    Training h = *how;
    h.batch = h.batch == 0 ? 1 : h.batch;
    h.threads = h.threads == 0 ? 1 : h.threads;
    h.epsilon = h.epsilon == 0 ? 1e-8 : h.epsilon;
    h.beta_1 = h.beta_1 == 0 ? 0.9 : h.beta_1;
    if (h.beta_2 == 0)
        h.beta_2 = h.method == RMSPROP ? 0.9 : 0.999;
    if (h.schedule == VASWANI && h.warm_up == 0)
        h.warm_up = 4000;
    return h;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void worker_new(Trainer *trainer, Worker *worker, bool learns)
{
    const Training *how = &trainer->how;
    Arena *arena = trainer->arena;
    *worker = (Worker){ .tape = tape_new(learns), .theta = trainer->theta,
                        .how = how };
    tape_allow_nonfinite(worker->tape, NULL, NULL);
    prepare_tape(arena, worker->tape, trainer->theta);
    if (learns) {
        settings(worker->tape)->smoothing = how->smoothing;
        settings(worker->tape)->in_place = true;
        tape_dropout(arena, worker->tape, how->dropout, &worker->drops);
    } else
        tape_discard_layers(arena, worker->tape);
}

Trainer *trainer_new(Arena *arena, Theta *theta, const Training *how)
{
    const char *wrong = training_error(how);
    REQUIRE(wrong == NULL, "%s", wrong);
    Trainer *trainer = arena_alloc(arena, sizeof *trainer);
    *trainer = (Trainer){ .theta = theta, .how = fill_defaults(how),
                          .arena = arena };
    Method method = trainer->how.method;
    if (method == MOMENTUM || method == ADAM || method == ADAMW)
        trainer->m = theta_zeros(arena, theta);
    if (method != SGD && method != MOMENTUM)
        trainer->v = theta_zeros(arena, theta);
    worker_new(trainer, &trainer->worker[0], true);
    return trainer;
}

void trainer_free(Trainer *trainer)
{
    set_threads(1);
    for (int k = 0; k < 2 * MAX_WORKERS; k++)
        if (trainer->worker[k].tape != NULL)
            tape_free(trainer->worker[k].tape);
}

/* A way through the sequences of a data set, with gradients or without. */
typedef struct {
    Trainer *trainer;
    Loss *loss;
    const Data *data;
    bool learns;
    int epoch;
    Random random;          /* of the epoch                               */
    int *order;             /* of the data in it; NULL: as it is          */
    int first;              /* the place of the first worker's sequence   */
    Worker *worker;         /* so many of them work at the same time      */
    int workers;
} Work;

/* Returns whether a recorded tape serves all sequences of one length. */
static bool can_replay(const Work *work)
{
    return work->learns && (work->loss == loss_11 || work->loss == loss_13)
        && work->trainer->how.dropout == 0;
}

/* Returns the loss of sequence n, recorded or replayed. */
static Mat loss_of(const Work *work, Worker *worker, int n)
{
    const bool replays = can_replay(work);
    const Data *data = work->data;
    const Tokens x = replays ? data->x[n] : no_tokens;
    const Tokens z = replays && data->z != NULL ? data->z[n] : x;
    const bool again = worker->recorded != NULL
        && worker->z.length == z.length && worker->x.length == x.length;
    if (!again) {
        tape_clear(worker->tape);
        worker->tokens = 0;
        worker->z = span(worker->tape, 1, z.length);
        worker->x = span(worker->tape, 1, x.length);
    }
    if (!replays)
        return work->loss(worker, data, n);
    memcpy((int *)worker->z.id, z.id, (size_t)z.length * sizeof *z.id);
    memcpy((int *)worker->x.id, x.id, (size_t)x.length * sizeof *x.id);
    if (again)
        tape_replay(worker->tape);
    else
        worker->recorded = work->loss(worker, &(Data){ .z = &worker->z,
                                                       .x = &worker->x }, 0);
    return worker->recorded;
}

static void run_sequence(void *to, int k)
{
    const Work *work = to;
    Worker *worker = &work->worker[k];
    int n = work->first + k;
    n = work->order == NULL ? n : work->order[n - 1];
    worker->random = random_branch(work->random, (uint64_t)n);
    worker->drops = random_branch(worker->random, 0);
    Mat loss = loss_of(work, worker, n);
    worker->loss = (double)AT(loss, 1, 1);
    if (work->learns)
        backward(loss);
}

static void reduce_parameter(void *to, int k)
{
    const Work *work = to;
    Mat M = *work->trainer->theta->parameter[k + 1].place;
    for (int l = 0; l < work->workers; l++)
        reduce_gradient(work->worker[l].tape, M);
}

/* Returns the number of workers for so many sequences, which are there. */
static int prepare_workers(Work *work, int sequences)
{
    Trainer *trainer = work->trainer;
    int n = smaller(smaller(trainer->how.threads, sequences), MAX_WORKERS);
    work->worker = trainer->worker + (work->learns ? 0 : MAX_WORKERS);
    for (int k = 0; k < n; k++) {
        if (work->worker[k].tape == NULL)
            worker_new(trainer, &work->worker[k], work->learns);
        settings(work->worker[k].tape)->defers = work->learns && n > 1;
    }
    set_threads(trainer->how.threads);
    return n;
}

/* Goes on with so many sequences, or as many as are left. */
static Score run_sequences(Work *work, int sequences)
{
    const Trainer *trainer = work->trainer;
    const int workers = prepare_workers(work, sequences);
    int left = smaller(sequences, work->data->N_data - work->first + 1);
    Score score = { 0, 0 };
    for (; left > 0; left -= workers, work->first += workers) {
        work->workers = smaller(workers, left);
        parallel_for(work->workers, run_sequence, work);
        if (work->learns && workers > 1)
            parallel_for(trainer->theta->n, reduce_parameter, work);
        for (int k = 0; k < work->workers; k++) {
            score.loss += work->worker[k].loss;
            score.tokens += work->worker[k].tokens;
        }
    }
    return score;
}

/* Sets the random numbers of an epoch and, if there is room for an order,
   shuffles the data. */
static void begin_epoch(Work *work, int epoch)
{
    int *order = work->order;
    work->epoch = epoch;
    work->random = random_branch(random_new(work->trainer->how.seed),
                                 (uint64_t)epoch);
    if (order == NULL)
        return;
    Random random = random_branch(work->random, 0);
    for (int n = 1; n <= work->data->N_data; n++)
        order[n - 1] = n;
    for (int n = work->data->N_data; n > 1; n--) {
        int k = below(&random, n), last = order[n - 1];
        order[n - 1] = order[k];
        order[k] = last;
    }
}

const Theta *trainer_run(Trainer *trainer, Loss *loss, const Data *data)
{
    const Training *how = &trainer->how;
    const long long N_data = data->N_data;
    const long long steps = (N_data + how->batch - 1) / how->batch;
    const long long last = how->N_epochs * steps;
    Work work = { .trainer = trainer, .loss = loss, .data = data,
                  .learns = true };
    REQUIRE(N_data >= 1, "there is no data to learn from.");
    if (how->shuffle)
        work.order = arena_alloc(trainer->arena,
                                 (size_t)N_data * sizeof *work.order);
    for (int k = 0; k < MAX_WORKERS; k++)
        trainer->worker[k].recorded = NULL;
    theta_clear_gradient(trainer->theta);
    trainer->diverged = false;
    bool wanted = true;
    while (wanted && !trainer->diverged && trainer->step < last) {
        const int epoch = (int)(trainer->step / steps) + 1;
        const int n = (int)(trainer->step % steps) * how->batch + 1;
        const long long step = trainer->step + 1;
        if (epoch != work.epoch)
            begin_epoch(&work, epoch);
        work.first = n;
        const Score score = run_sequences(&work, how->batch);
        trainer->now = (Progress){
            .step = step, .epoch = epoch, .n = n, .loss = score.loss,
            .tokens = score.tokens,
            .eta = learning_rate(how, step, last, trainer->theta->hyper.d_e)
        };
        trainer_update(trainer);
        trainer->step = step;
        trainer->diverged |= !isfinite(score.loss);
        wanted = trainer->on_step == NULL
              || trainer->on_step(trainer->to, &trainer->now);
    }
    return trainer->theta;
}

Score evaluate(Trainer *trainer, Loss *loss, const Data *data)
{
    Work work = { .trainer = trainer, .loss = loss, .data = data,
                  .first = 1 };
    begin_epoch(&work, 0);
    return run_sequences(&work, data->N_data);
}
