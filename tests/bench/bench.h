/* What the benchmarks share. */
#ifndef BENCH_H
#define BENCH_H
#include "library/arena.h"
#include "library/random.h"
#include <stdlib.h>
#include <time.h>

/* CLOCK_MONOTONIC; or CLOCK_PROCESS_CPUTIME_ID, in which other programs do
   not count. */
static inline double clock_says(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(int n, double x[])
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

/* x[1 ... n], each of ell random tokens. */
static inline Tokens *random_texts(Arena *arena, int n, int ell, int N_V)
{
    Random random = random_new(2);
    Tokens *x = arena_alloc(arena, (size_t)(n + 1) * sizeof *x);
    for (int k = 1; k <= n; k++) {
        int *id = arena_alloc(arena, (size_t)ell * sizeof *id);
        for (int t = 0; t < ell; t++)
            id[t] = 1 + below(&random, N_V);
        x[k] = (Tokens){ ell, id };
    }
    return x;
}
#endif
