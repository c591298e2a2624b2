/* Nanoseconds an entry of each function beside the product, one thread:

       bench_functions [names]      a line each: the number, or the name

   bench.sh compiles it for each kind of vectors that this machine has. */
#include "bench.h"
#include "library/functions.h"
#include "practice/practice.h"
#include <stdio.h>

void of_exp(void), of_sums(void);
enum { ROWS = 256, COLS = 64, N = ROWS * COLS, RUNS = 15 };
real x[N], y[N];                 /* not static: they must be computed */

FAST void of_exp(void)
{
    for (int k = 0; k < N; k++)
        y[k] = exp_of(x[k]);
}

FAST void of_sums(void)
{
    y[0] = total(N, x);
    y[1] = inner(N, x, x);
    y[2] = squares(N, x, 1);
    y[3] = largest(N, x);
}

static Tape *tape;
static Mat gamma_, beta_;

static Mat given(void)
{
    tape_clear(tape);
    Mat M = input(tape, ROWS, COLS);
    memcpy(M->at, x, sizeof x);
    return M;
}

static Mat of_softmax(void) { return softmax(given()); }
static Mat of_gelu(void)    { return gelu(given()); }
static Mat of_tanh(void)    { return gelu_tanh(given()); }
static Mat of_relu(void)    { return relu(given()); }
static Mat of_norm(void)    { return layer_norm(given(), gamma_, beta_); }
static Mat of_mask(void)    { return masked(given(), unidirectional); }

static Trainer *trainer;
static void of_update(void) { trainer_update(trainer); }

/* One of both: a loop, or an operation, forward only or there and back. */
static double once(void (*loop)(void), Mat (*operation)(void), bool back)
{
    double start = clock_says(CLOCK_MONOTONIC);
    if (loop != NULL)
        loop();
    else if (back)
        backward(sum(operation()));
    else
        operation();
    return clock_says(CLOCK_MONOTONIC) - start;
}

static bool names;

static void measure(const char *name, void (*loop)(void),
                    Mat (*operation)(void), bool back, double entries)
{
    double run[RUNS];
    for (int r = -3; r < RUNS; r++)
        run[r < 0 ? 0 : r] = once(loop, operation, back);
    if (names)
        puts(name);
    else
        printf("%.2f\n", 1e9 * median(RUNS, run) / entries);
}

static void measure_update(const char *name, Method method)
{
    const Hyperparameters h = { .architecture = D_TRANSFORMER, .d_e = 64,
                                .L = 1, .H = 1, .d_mlp = 256, .ell_max = 8,
                                .N_V = 8 };
    Arena *arena = arena_new();
    Theta *theta = initial_theta(arena, &h);
    const Training how = { .N_epochs = 1, .eta = 1e-6, .method = method };
    trainer = trainer_new(arena, theta, &how);
    trainer->now.tokens = 1;
    measure(name, of_update, NULL, false, (double)theta_count(theta));
    trainer_free(trainer);
    arena_free(arena);
}

int main(int argc, char *argv[])
{
    names = argc > 1 && argv[1] != NULL;
    Arena *arena = arena_new();
    for (int k = 0; k < N; k++)
        x[k] = (real)(rand() % 2001 - 1000) / 250;
    tape = tape_new(true);
    gamma_ = constant(arena, ROWS, 1);
    beta_ = constant(arena, ROWS, 1);
    measure("exp", of_exp, NULL, false, N);
    measure("four sums", of_sums, NULL, false, N);
    const struct { const char *name, *back; Mat (*of)(void); } all[] = {
        { "mask", "mask, there and back", of_mask },
        { "softmax", "softmax, there and back", of_softmax },
        { "ReLU", "ReLU, there and back", of_relu },
        { "GELU", "GELU, there and back", of_gelu },
        { "GELU by tanh", "GELU by tanh, there and back", of_tanh },
        { "layer norm", "layer norm, there and back", of_norm },
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        measure(all[k].name, NULL, all[k].of, false, N);
        measure(all[k].back, NULL, all[k].of, true, N);
    }
    const char *const methods[] = { "SGD", "momentum", "RMSprop", "AdaGrad",
                                    "Adam", "AdamW" };
    for (Method method = SGD; method <= ADAMW; method++)
        measure_update(methods[method], method);
    tape_free(tape);
    arena_free(arena);
    return 0;
}
