/* Training and writing, with random weights; peer.py does the same:

       model steps d_e L H d_mlp ell N_V threads seconds

   trains Algorithm 10 that long, one sequence a step, plain SGD, and prints
   steps in a second (with one thread of the processor's time), and the tape's
   MB. At GPT-2's sizes, tied,

       model train METHOD threads steps   batches of 4 x 64 tokens
       model read threads                 theta's bytes are read once
       model token threads tokens         with kept keys and values
       model prompt threads times         LONG tokens at once

   prints milliseconds, the clock's and the processor's, a line for each step,
   reading, token or prompt, and then the most memory held, in MB. With "limit"
   before steps, train or prompt: what these would be if the processor did
   their products at its peak and nothing else (of a prompt, behind the last
   attention, its last column's); with "anew" before steps: without replay. */
#include "bench.h"
#include "library/functions.h"
#include "practice/practice.h"
#include <stdio.h>
#include <sys/resource.h>

enum { BATCH = 4, ELL = 64, PROMPT = 16, LONG = 512, READS = 15,
       SEQUENCES = 16, WARM = 3 };

static const Hyperparameters gpt2 = {
    .architecture = D_TRANSFORMER, .d_e = 768, .L = 12, .H = 12,
    .d_mlp = 3072, .ell_max = 1024, .N_V = 50257, .tied = true,
    .tanh_gelu = true, .epsilon = 1e-5
};

typedef struct {
    double last, busy;          /* busy: the processor's */
    int left;
} Clock;

static Clock clock_new(int left)
{
    return (Clock){ clock_says(CLOCK_MONOTONIC),
                    clock_says(CLOCK_PROCESS_CPUTIME_ID), left };
}

static bool told(Clock *clock)
{
    const Clock now = clock_new(clock->left - 1);
    printf("%.2f %.2f\n", 1e3 * (now.last - clock->last),
           1e3 * (now.busy - clock->busy));
    *clock = now;
    return clock->left > 0;
}

static bool follow(void *to, const Progress *step)
{
    (void)step;
    return told(to);
}

/* Until the seconds are over, which begin behind the first steps. */
static bool follow_quietly(void *to, const Progress *step)
{
    Clock *clock = to;
    if (step->step == WARM)
        *clock = clock_new(clock->left);
    return step->step <= WARM
        || clock_says(CLOCK_MONOTONIC) - clock->last < clock->left;
}

static bool heard(void *to, int y)
{
    (void)y;
    return told(to);
}

static Mat loss_anew(Worker *worker, const Data *data, int n)
{
    return loss_13(worker, data, n);
}

static void train_on(Arena *arena, Theta *theta, Training how, int sequences,
                     int ell, int left, Loss *loss,
                     bool (*observer)(void *, const Progress *))
{
    how.N_epochs = 1000000000;
    Clock clock = clock_new(left);
    Trainer *trainer = trainer_new(arena, theta, &how);
    trainer->on_step = observer;
    trainer->to = &clock;
    trainer_run(trainer, loss, &(Data){ .N_data = sequences,
        .x = random_texts(arena, sequences, ell, theta->hyper.N_V) });
    if (observer == follow_quietly)
        printf("%.3f %.2f\n", (double)(trainer->step - WARM)
               / (how.threads > 1 ? clock_says(CLOCK_MONOTONIC) - clock.last
                  : clock_says(CLOCK_PROCESS_CPUTIME_ID) - clock.busy),
               1e-6 * (double)arena_used(tape_arena(trainer->worker->tape)));
    trainer_free(trainer);
}

static Tape *tape_for(Arena *arena, const Theta *theta)
{
    Tape *tape = tape_new(false);
    prepare_tape(arena, tape, theta);
    tape_discard_layers(arena, tape);
    return tape;
}

static void token(Arena *arena, const Theta *theta, int tokens)
{
    Tape *tape = tape_for(arena, theta);
    Clock clock = clock_new(tokens);
    Random random = random_new(3);
    const Inference how = {
        .ell_gen = tokens, .tau = 1, .random = &random, .on_token = heard,
        .to = &clock, .kv_cache = kv_cache_new(arena, tape, theta)
    };
    inference_14(tape, arena, random_texts(arena, 1, PROMPT, gpt2.N_V)[1], theta,
                 &how);
    tape_free(tape);
}

static void prompt(Arena *arena, const Theta *theta, int times)
{
    Tape *tape = tape_for(arena, theta);
    Clock clock = clock_new(times);
    const Inference how = { .ell_gen = 1,
                            .kv_cache = kv_cache_new(arena, tape, theta) };
    do
        inference_14(tape, arena, random_texts(arena, 1, LONG, gpt2.N_V)[1],
                     theta, &how);
    while (told(&clock));
    tape_free(tape);
}

/* Billions of operations in the products of ell tokens, without gradients. */
static double gflop(const Theta *theta, int ell)
{
    double weights = 2.0 * theta->hyper.L * theta->hyper.d_e * ell;
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        if (*p->symbol == 'W' && strcmp(p->symbol, "W_p") != 0
            && (theta->hyper.tied || strcmp(p->symbol, "W_e") != 0))
            weights += (double)p->rows * p->cols;
    }
    return 2e-9 * ell * weights;
}

/* Each thread adds up its part of theta. */
static const Theta *read_theta;
static int readers;
static real sums[64];

FAST static void add_up(void *to, int part)
{
    (void)to;
    for (int k = 1; k <= read_theta->n; k++) {
        Mat M = *read_theta->parameter[k].place;
        const int all = M->rows * M->cols, each = all / readers;
        sums[part] += total(each, M->at + part * each);
    }
}

static void read_once(const Theta *theta, int threads)
{
    read_theta = theta;
    readers = threads;
    Clock clock = clock_new(READS);
    do
        parallel_for(threads, add_up, NULL);
    while (told(&clock));
}

int main(int argc, char *argv[])
{
    if (argc < 3)
        return 2;
    const bool limit = strcmp(argv[1], "limit") == 0,
               anew = strcmp(argv[1], "anew") == 0;
    argc -= limit || anew;
    argv += limit || anew;
    const char *what = argv[1];
    const bool small = strcmp(what, "steps") == 0 && argc == 10;
    int threads = atoi(argv[argc < 4 ? 2 : argc - 2]);
    Arena *arena = arena_new();
    Random random = random_new(1);
    Hyperparameters sizes = gpt2;
    if (small)
        sizes = (Hyperparameters){ .architecture = D_TRANSFORMER,
            .d_e = atoi(argv[2]), .L = atoi(argv[3]), .H = atoi(argv[4]),
            .d_mlp = atoi(argv[5]), .ell_max = atoi(argv[6]),
            .N_V = atoi(argv[7]), .epsilon = 1e-5 };
    const int left = atoi(argv[argc - 1]);
    Theta *theta = theta_new(arena, &sizes);
    if (limit) {
        const double peak = peak_gflops() * (small ? 1 : threads);
        printf("%.3f\n", small ? peak / 3 / gflop(theta, sizes.ell_max)
               : strcmp(what, "train") == 0
               ? 3e3 * BATCH * gflop(theta, ELL) / peak
               : 1e3 * (gflop(theta, LONG) - 2e-9 * (LONG - 1) * gpt2.d_e
                        * (gpt2.N_V + 2 * gpt2.d_mlp)) / peak);
        return 0;
    }
    real *numbers = small || strcmp(what, "train") == 0 ? NULL
        : arena_alloc(arena, sizeof(real) * (size_t)theta_count(theta));
    theta_allocate(theta, arena, numbers);      /* NULL: with gradients */
    theta_initialise(theta, XAVIER, &random);
    if (small) {
        train_on(arena, theta, (Training){ .eta = 1e-4, .threads = threads },
                 SEQUENCES, sizes.ell_max, left, anew ? loss_anew : loss_13,
                 follow_quietly);
        return 0;
    }
    if (strcmp(what, "train") == 0)
        train_on(arena, theta, (Training){
            .eta = 1e-5, .batch = BATCH, .mean = true, .threads = threads,
            .method = strcmp(argv[2], "sgd") == 0 ? SGD : ADAMW
        }, BATCH, ELL, left, loss_13, follow);
    else
        set_threads(threads);
    if (strcmp(what, "token") == 0)
        token(arena, theta, left);
    else if (strcmp(what, "prompt") == 0)
        prompt(arena, theta, left);
    else if (strcmp(what, "read") == 0)
        read_once(theta, threads);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("MB %ld\n", usage.ru_maxrss / 1000);
    return 0;
}
