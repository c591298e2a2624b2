/* Steps a second of Algorithm 13, one sequence a step, plain SGD:

       bench_train d_e L H d_mlp ell N_V seconds

   trains Algorithm 10 that long on sequences of random tokens and prints one
   number. bench_train.py does the same with PyTorch. */
#include "practice.h"
#include <stdlib.h>
#include <time.h>

enum { SEQUENCES = 16, WARM = 20, LOOK = 8 };   /* steps between two looks */

typedef struct {
    double seconds, start, last;
    long long steps;
} Clock;

static double now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool tick(void *to, const Progress *step)
{
    Clock *clock = to;
    clock->steps = step->step - WARM;
    if (clock->steps == 0)
        clock->start = now();
    if (clock->steps <= 0 || clock->steps % LOOK != 0)
        return true;
    clock->last = now();
    return clock->last - clock->start < clock->seconds;
}

static Tokens random_tokens(Arena *arena, int ell, int N_V, Random *random)
{
    int *id = arena_alloc(arena, (size_t)ell * sizeof *id);
    for (int t = 0; t < ell; t++)
        id[t] = 1 + below(random, N_V);
    return (Tokens){ ell, id };
}

int main(int argc, char *argv[])
{
    if (argc != 8) {
        fprintf(stderr, "usage: %s d_e L H d_mlp ell N_V seconds\n", argv[0]);
        return 2;
    }
    const Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .d_e = atoi(argv[1]),
        .L = atoi(argv[2]), .H = atoi(argv[3]), .d_mlp = atoi(argv[4]),
        .ell_max = atoi(argv[5]), .N_V = atoi(argv[6]), .epsilon = 1e-5
    };
    const Training how = { .N_epochs = 1000000000, .eta = 1e-4 };
    Random random = random_new(1);
    Arena *arena = arena_new();
    Theta *theta = theta_new(arena, &hyper);
    theta_allocate(theta, arena);
    theta_initialise(theta, XAVIER, &random);
    Tokens x[SEQUENCES + 1];
    for (int n = 1; n <= SEQUENCES; n++)
        x[n] = random_tokens(arena, hyper.ell_max, hyper.N_V, &random);

    Clock clock = { .seconds = atof(argv[7]) };
    Trainer *trainer = trainer_new(arena, theta, &how);
    trainer->follow = tick;
    trainer->to = &clock;
    trainer_run(trainer, loss_13, &(Data){ .N_data = SEQUENCES, .x = x });
    printf("%.1f\n", (double)clock.steps / (clock.last - clock.start));
    trainer_free(trainer);
    arena_free(arena);
    return 0;
}
