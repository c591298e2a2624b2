/* Steps a second of Algorithm 13, one sequence a step, plain SGD:

       train d_e L H d_mlp ell N_V seconds

   trains Algorithm 10 that long on sequences of random tokens and prints one
   number: steps in a second of the processor's time, in which other programs
   do not count. */
#include "bench.h"
#include "practice/practice.h"

enum { SEQUENCES = 16, WARM = 3 };

typedef struct {
    double seconds, start;
    double busy;                            /* the processor's */
    long long steps;
} Clock;

static bool tick(void *to, const Progress *step)
{
    Clock *clock = to;
    const double time = clock_says(CLOCK_MONOTONIC);
    clock->steps = step->step - WARM;
    if (clock->steps == 0) {
        clock->start = time;
        clock->busy = -clock_says(CLOCK_PROCESS_CPUTIME_ID);
    }
    if (clock->steps <= 0 || time - clock->start < clock->seconds)
        return true;
    clock->busy += clock_says(CLOCK_PROCESS_CPUTIME_ID);
    return false;
}

int main(int argc, char *argv[])
{
    if (argc != 8) {
        fprintf(stderr, "usage: %s d_e L H d_mlp ell N_V seconds\n",
                argv[0]);
        return 2;
    }
    const Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .d_e = atoi(argv[1]),
        .L = atoi(argv[2]), .H = atoi(argv[3]), .d_mlp = atoi(argv[4]),
        .ell_max = atoi(argv[5]), .N_V = atoi(argv[6]), .epsilon = 1e-5
    };
    const Training how = { .N_epochs = 1000000000, .eta = 1e-4,
                           .threads = 1 };
    Arena *arena = arena_new();
    Theta *theta = initial_theta(arena, &hyper);
    Tokens *x = random_texts(arena, SEQUENCES, hyper.ell_max, hyper.N_V);
    Clock clock = { .seconds = atof(argv[7]) };
    Trainer *trainer = trainer_new(arena, theta, &how);
    trainer->on_step = tick;
    trainer->to = &clock;
    trainer_run(trainer, loss_13, &(Data){ .N_data = SEQUENCES, .x = x });
    printf("%.3f\n", (double)clock.steps / clock.busy);
    trainer_free(trainer);
    arena_free(arena);
    return 0;
}
