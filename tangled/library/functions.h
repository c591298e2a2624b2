/* What the loops of matrix.c share: FAST, sums, and the functions that are
   applied to every entry. Loops count from 0. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H
#include "ftx.h"
#include <math.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__                     /* as GCC says it */
#endif
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF                    /* a * b + c rounds twice */
#endif
#if defined(FAST)                               /* said by the builder */
#elif defined(__GLIBC__) && defined(__x86_64__) \
    && !defined(__SANITIZE_THREAD__) \
    && (!defined(__clang__) || __clang_major__ >= 18)
#ifdef NO_AVX512
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define FAST
#endif
#ifdef __GNUC__
#define WITHIN static inline __attribute__((always_inline, unused))
#else
#define WITHIN static inline
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define ONE_VECTOR _Pragma("GCC unroll 1")      /* not 16 single numbers */
#define UNROLLED _Pragma("GCC unroll 4")        /* each turn of its own  */
#define IN_ANY_ORDER _Pragma("GCC ivdep")       /* no turn needs another */
#else
#define ONE_VECTOR
#define UNROLLED
#define IN_ANY_ORDER
#endif
#define EACH_ENTRY(k, n) \
    IN_ANY_ORDER for (size_t k = 0, k##_end = (size_t)(n); k < k##_end; k++)

WITHIN size_t entries(Mat M)
{
    return (size_t)M->rows * (size_t)M->cols;
}

enum { LANES = 64 / sizeof(real) };
#define EACH_LANE ONE_VECTOR for (int l = 0; l < LANES; l++)
#define EACH_HALF UNROLLED for (int half = LANES / 2; half > 0; half /= 2)

WITHIN real sum_of_lanes(real lane[LANES])
{
    EACH_HALF
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

WITHIN real total(int n, const real *a)         /* sum of a[i] */
{
    real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        EACH_LANE lane[l] += a[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] += a[i + l];
    return sum_of_lanes(lane);
}

/* The sum of (a[i] - m) (b[i] - m). */
WITHIN real inner_about(int n, const real *a, const real *b, real m)
{
    real lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        EACH_LANE lane[l] += (a[i + l] - m) * (b[i + l] - m);
    for (int l = 0; i + l < n; l++)
        lane[l] += (a[i + l] - m) * (b[i + l] - m);
    return sum_of_lanes(lane);
}

WITHIN real inner(int n, const real *a, const real *b)
{
    return inner_about(n, a, b, 0);
}

WITHIN real larger(real a, real b)
{
    return a > b ? a : b;
}

WITHIN real largest(int n, const real *a)       /* of numbers, not NaN */
{
    real lane[LANES];
    EACH_LANE lane[l] = a[0];
    for (int i = 0; i + LANES <= n; i += LANES)
        EACH_LANE lane[l] = larger(a[i + l], lane[l]);
    if (n > LANES)              /* the last ones, some a second time */
        EACH_LANE lane[l] = larger(a[n - LANES + l], lane[l]);
    for (int l = 0; n < LANES && l < n; l++)
        lane[l] = larger(a[l], lane[l]);
    EACH_HALF
        for (int l = 0; l < half; l++)
            lane[l] = larger(lane[l + half], lane[l]);
    return lane[0];
}

/* Returns a or b by their bits: a loop with a branch is not vectorised. */
WITHIN float either(bool first, float a, float b)
{
    const int32_t mask = -first;
    int32_t bits, other;
    memcpy(&bits, &a, sizeof a);
    memcpy(&other, &b, sizeof b);
    bits = (bits & mask) | (other & ~mask);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* The larger of the two; a NaN stays one. */
WITHIN real at_least(real x, real least)
{
    return sizeof x == sizeof(float)
         ? (real)either(x < least, (float)least, (float)x)
         : x < least ? least : x;
}

WITHIN float power_of_2(int32_t n)                 /* 0 for n = -127 */
{
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

WITHIN float exp_single(float x, float rest)    /* e^(x + rest) */
{
    x = (float)-at_least(-at_least((real)x, -176), -89);
    const float shifted = x * 0x1.715476p0f + 0x1.8p23f;    /* 1 / ln 2 */
    const float n = shifted - 0x1.8p23f;
    const float r = x - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f + rest;
    float q = 0x1.6a2434p-10f;
    q = q * r + 0x1.1239e2p-7f;
    q = q * r + 0x1.5558f2p-5f;
    q = q * r + 0x1.555492p-3f;
    q = q * r + 0x1.fffffcp-2f;
    int32_t k;
    memcpy(&k, &shifted, sizeof k);
    k -= 0x4b400000;                            /* the bits of 1.5 2^23 */
    return (1 + (r + r * r * q)) * power_of_2(k >> 1)
                                 * power_of_2(k - (k >> 1));
}

WITHIN real exp_of(real x)
{
    return sizeof x == sizeof(float) ? (real)exp_single((float)x, 0)
                                     : (real)exp(x);
}

WITHIN float Phi_single(float x, float *phi)
{
    const float a = (float)-at_least(-(real)fabsf(x), -15);
    int32_t bits;
    float head;
    memcpy(&bits, &a, sizeof bits);
    bits &= ~0xfff;
    memcpy(&head, &bits, sizeof head);
    const float e = exp_single(-.5f * head * head,
                               -.5f * (a - head) * (a + head));
    float N = 0x1.0dc414p-8f,   D = 0x1.5218f8p-7f;
    N = N * a + 0x1.4cddf2p-5f, D = D * a + 0x1.a1369ap-4f;
    N = N * a + 0x1.7743e8p-3f, D = D * a + 0x1.e0bccep-2f;
    N = N * a + 0x1.c0d056p-2f, D = D * a + 0x1.33d734p0f;
    N = N * a + .5f,            D = D * a + 0x1.acaa5cp0f;
    D = D * a + 1;
    *phi = 0x1.988454p-2f * e;                  /* 1 / sqrt(2 pi) */
    const float tail = e * (N / D), rest = 1 - tail;
    return either(x > 0, rest, tail);
}

WITHIN double Phi_double(double x, double *phi)
{
    static const double c[] = {
        0x1.1d864303d4c84p-1, -0x1.41d8de9621f77p-4,
        0x1.402b0e1739711p-7, 0x1.0c13034c1601dp-5,
        -0x1.705abcacd1020p-5, 0x1.2b35cdd20cb42p-5,
        -0x1.5b84cd88e65b8p-6, 0x1.1ea0ee8af1662p-7,
        -0x1.19cd4b767d7e2p-9, -0x1.8fcb5e017d386p-16,
        0x1.fda8dd027aa2ep-13, -0x1.1a11801f07418p-14,
        -0x1.d6d3f2a6d6dc3p-17, 0x1.86b453caa86fcp-17,
        0x1.63475b6b36a45p-24, -0x1.c7d2079b585f5p-20,
        0x1.250d816b56ed6p-23, 0x1.15237eb02d096p-22,
        -0x1.a7910c675039bp-26, -0x1.622c94dbf0e25p-25,
        0x1.62b9869e653d8p-35, 0x1.5de76ee8ba469p-28,
        0x1.0e5130828ecc3p-30,
    };
    const double a = fabs(x) > 39 ? 39 : fabs(x), t = (a - 5) / (a + 5);
    int64_t bits;
    double head, q = 0;
    memcpy(&bits, &a, sizeof a);
    bits &= ~INT64_C(0x7ffffff);
    memcpy(&head, &bits, sizeof head);
    const double e = exp(-.5 * head * head)
                   * exp(-.5 * (a - head) * (a + head));
    for (int k = sizeof c / sizeof *c; k-- > 0; )
        q = q * t + c[k];
    *phi = 0.39894228040143267794 * e;          /* 1 / sqrt(2 pi) */
    const double tail = e * (q / (1 + 1.25 * a));
    return x > 0 ? 1 - tail : tail;
}

WITHIN real Phi(real x, real *phi)
{
    if (sizeof x == sizeof(float)) {
        float density, p = Phi_single((float)x, &density);
        *phi = (real)density;
        return (real)p;
    }
    double density, P = Phi_double((double)x, &density);
    *phi = (real)density;
    return (real)P;
}
#endif
