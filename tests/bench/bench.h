/* What the benchmarks share. */
#ifndef BENCH_H
#define BENCH_H
#include "library/arena.h"
#include "library/product.h"
#include "library/random.h"
#include "library/threads.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
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

/* The processor's seconds of one thread, or the clock's of several. */
static inline double seconds(void)
{
    return clock_says(available_threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID
                                               : CLOCK_MONOTONIC);
}

/* GFLOP/s of sums that stay in registers and wait for nothing. */
#define PEAK(bytes, instructions) \
__attribute__((target(instructions), optimize("fp-contract=fast"))) \
static inline double peak_##bytes(void) \
{ \
    typedef real Vector __attribute__((vector_size(bytes))); \
    enum { SUMS = 12, TURNS = 1000000, LANES = bytes / sizeof(real) }; \
    Vector sum[SUMS]; \
    const real a = (real)0.999 + (real)1e-9 * (real)rand(); \
    for (int k = 0; k < SUMS; k++)      /* two alike would be made one */ \
        sum[k] = (Vector){ 0 } + (real)k; \
    const double start = seconds(); \
    for (int turn = 0; turn < TURNS; turn++) \
        _Pragma("GCC unroll 12") for (int k = 0; k < SUMS; k++) \
            sum[k] = sum[k] * a + a; \
    volatile real kept = 0; \
    for (int k = 0; k < SUMS; k++) \
        kept = kept + sum[k][0]; \
    return 2e-9 * SUMS * TURNS * LANES / (seconds() - start); \
}

#ifdef __x86_64__
PEAK(32, "avx2,fma")
PEAK(64, "avx512f")
#endif

/* The limit of all threads, with the kernel's vectors; NaN: not known. */
static inline double peak_gflops(void)
{
#ifdef __x86_64__
    const char *kernel = product_kernel(NULL)->name;
    if (strcmp(kernel, "avx512") == 0)
        return peak_64() * available_threads();
    if (strcmp(kernel, "avx2") == 0)
        return peak_32() * available_threads();
#endif
    return NAN;
}
#endif
