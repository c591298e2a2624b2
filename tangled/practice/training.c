/* A step of training: workers, threads, the order of the data. */
#include "practice/practice.h"
#include "library/threads.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

const char *training_error(const Training *how)
{
    const double below_1 = 1 - DBL_EPSILON / 2, most = 1e300;
    const struct { double least, x, most; const char *sentence; } rule[] = {
        { 1, how->N_epochs, INT_MAX, "N_epochs must be at least 1." },
        { DBL_MIN, how->eta, DBL_MAX, "eta must be a positive number." },
        { 0, how->p_mask, below_1, "p_mask must be in (0, 1)." },
        { 0, how->batch, 1e6, "batch must be in 0 ... 1000000." },
        { 0, how->threads, 1e6, "threads must be in 0 ... 1000000." },
        { 0, how->warm_up, INT_MAX, "warm_up must be at least 0." },
        { 0, how->beta_1, below_1, "beta_1 must be in [0, 1)." },
        { 0, how->beta_2, below_1, "beta_2 must be in [0, 1)." },
        { 0, how->epsilon, 1, "epsilon must be in [0, 1]." },
        { 0, how->eta_last, how->eta, "eta_last must be in [0, eta]." },
        { 0, how->clip, most, "clip must be 0 or a positive number." },
        { 0, how->decay, most, "decay must be 0 or a positive number." },
        { 0, how->dropout, below_1, "dropout must be in [0, 1)." },
        { 0, how->smoothing, below_1, "smoothing must be in [0, 1)." },
    };
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
        if (!(rule[k].least <= rule[k].x && rule[k].x <= rule[k].most))
            return rule[k].sentence;
    return NULL;
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

/* The number of workers for so many sequences; they are there. */
static int workers_for(Trainer *trainer, int sequences, bool learns)
{
    Worker *worker = learns ? trainer->worker : trainer->evaluator;
    int n = smaller(smaller(trainer->how.threads, sequences), MAX_WORKERS);
    for (int k = 0; k < n; k++) {
        if (worker[k].tape == NULL)
            worker_new(trainer, &worker[k], learns);
        settings(worker[k].tape)->defers = learns && n > 1;
    }
    return n;
}

void trainer_free(Trainer *trainer)
{
    set_threads(1);
    for (int k = 0; k < MAX_WORKERS; k++) {
        if (trainer->worker[k].tape != NULL)
            tape_free(trainer->worker[k].tape);
        if (trainer->evaluator[k].tape != NULL)
            tape_free(trainer->evaluator[k].tape);
    }
}

/* Some sequences, n in first ... first + size - 1, and their workers. */
typedef struct {
    Trainer *trainer;
    Worker *worker;
    int workers;
    Loss *loss;
    const Data *data;
    const int *order;       /* of the data; NULL: as it is */
    Random random;          /* of the epoch */
    int first, size;
    bool learn, replays;    /* replays: a tape serves all of one length */
} Work;

/* Returns the loss of sequence n. Where the lengths decide alone what stands
   on the tape, it reads the worker's tokens, and can be replayed. */
static Mat loss_of(const Work *work, Worker *worker, int n)
{
    const Data *data = work->data;
    const Tokens x = work->replays ? data->x[n] : no_tokens;
    const Tokens z = work->replays && data->z != NULL ? data->z[n] : x;
    const bool again = worker->recorded != NULL
        && worker->z.length == z.length && worker->x.length == x.length;
    if (!again) {
        tape_clear(worker->tape);
        worker->tokens = 0;
        worker->z = span(worker->tape, 1, z.length);
        worker->x = span(worker->tape, 1, x.length);
    }
    if (!work->replays)
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
    if (work->learn)
        backward(loss);
}

static void reduce_parameter(void *to, int k)
{
    const Work *work = to;
    Mat M = *work->trainer->theta->parameter[k + 1].place;
    for (int l = 0; l < work->workers; l++)
        reduce_gradient(work->worker[l].tape, M);
}

static Score run_sequences(Work work)
{
    const Theta *theta = work.trainer->theta;
    const int last = work.first + work.size - 1, workers = work.workers;
    Score score = { 0, 0 };
    set_threads(work.trainer->how.threads);
    for (; work.first <= last; work.first += workers) {
        work.workers = smaller(workers, last - work.first + 1);
        parallel_for(work.workers, run_sequence, &work);
        if (work.learn && workers > 1)
            parallel_for(theta->n, reduce_parameter, &work);
        for (int k = 0; k < work.workers; k++) {
            score.loss += work.worker[k].loss;
            score.tokens += work.worker[k].tokens;
        }
    }
    return score;
}

static Random epoch_random(const Trainer *trainer, int epoch)
{
    return random_branch(random_new(trainer->how.seed), (uint64_t)epoch);
}

static void shuffle_data(Trainer *trainer, int epoch)
{
    int *order = trainer->order, N_data = trainer->data->N_data;
    if (order == NULL || trainer->ordered == epoch)
        return;
    Random random = random_branch(epoch_random(trainer, epoch), 0);
    for (int n = 1; n <= N_data; n++)
        order[n - 1] = n;
    for (int n = N_data; n > 1; n--) {
        int k = below(&random, n), last = order[n - 1];
        order[n - 1] = order[k];
        order[k] = last;
    }
    trainer->ordered = epoch;
}

static void compute_gradient(Trainer *trainer, int epoch, int n)
{
    const Training *how = &trainer->how;
    const Data *data = trainer->data;
    shuffle_data(trainer, epoch);
    Score score = run_sequences((Work){
        trainer, trainer->worker, workers_for(trainer, how->batch, true),
        trainer->loss, data, trainer->order, epoch_random(trainer, epoch),
        n, smaller(how->batch, data->N_data - n + 1), true,
        (trainer->loss == loss_11 || trainer->loss == loss_13)
            && how->dropout == 0 && trainer->theta->W_t == NULL
    });
    trainer->now = (Progress){
        .step = trainer->step + 1, .epoch = epoch, .n = n,
        .loss = score.loss, .tokens = score.tokens,
        .last = trainer->now.last,
        .eta = learning_rate(how, trainer->step + 1, trainer->now.last,
                             trainer->theta->hyper.d_e)
    };
}

const Theta *trainer_run(Trainer *trainer, Loss *loss, const Data *data)
{
    const Training *how = &trainer->how;
    REQUIRE(data->N_data >= 1, "there is no data to learn from.");
    trainer->loss = loss;
    trainer->data = data;
    trainer->ordered = 0;
    trainer->diverged = false;
    trainer->order = !how->shuffle ? NULL
        : arena_alloc(trainer->arena, (size_t)data->N_data * sizeof(int));
    for (int k = 0; k < MAX_WORKERS; k++)
        trainer->worker[k].recorded = NULL;
    const long long steps = ((long long)data->N_data + how->batch - 1)
                          / how->batch, last = how->N_epochs * steps;
    bool wanted = true;
    trainer->now.last = last;
    theta_clear_gradient(trainer->theta);
    while (wanted && !trainer->diverged && trainer->step < last) {
        int epoch = (int)(trainer->step / steps) + 1;
        int n = (int)(trainer->step % steps) * how->batch + 1;
        compute_gradient(trainer, epoch, n);
        trainer_update(trainer);
        trainer->step++;
        trainer->diverged |= !isfinite(trainer->now.loss);
        wanted = trainer->on_step == NULL
              || trainer->on_step(trainer->to, &trainer->now);
    }
    return trainer->theta;
}

Score evaluate(Trainer *trainer, Loss *loss, const Data *data)
{
    return run_sequences((Work){ trainer, trainer->evaluator,
                          workers_for(trainer, data->N_data, false), loss,
                          data, NULL, epoch_random(trainer, 0), 1,
                          data->N_data, false, false });
}
