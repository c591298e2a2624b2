/* The product of two matrices: C += op(A) op(B). Loops count from 0. */
#include "library/product.h"
#include "library/threads.h"
#include <float.h>
#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED         /* unrolled code would take a sanitizer an hour  */
#endif
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT ON                     /* a * b + c rounds once */
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")        /* a * b + c rounds once */
#if __GNUC__ >= 9           /* one loop for all strides: half of the code */
#pragma GCC optimize("no-version-loops-for-strides")
#endif
#endif

#if defined(WATCHED) || !defined(__OPTIMIZE__)
#define UNROLL
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif

#ifdef __GNUC__
#ifdef WATCHED
#define INLINE inline
#else
#define INLINE inline __attribute__((always_inline))
#endif
#define FETCH(place, cache) __builtin_prefetch(place, 0, cache)
#else
#define INLINE inline
#define FETCH(place, cache) (void)(place)
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define REGISTER(x) __asm__("" : "+r"(x))
#else
#define REGISTER(x) (void)(x)
#endif
#if defined(__GNUC__) && FLT_EVAL_METHOD == 0
#define VECTOR(bytes) __attribute__((vector_size(bytes), \
                                     aligned(sizeof(real)), may_alias))
#if defined(__clang__) || __GNUC__ >= 12
#define MIX __builtin_shufflevector
#endif
#else
#define VECTOR(bytes)
#endif

enum {
    COLUMNS = 6,                    /* of a tile                         */
    SUMS = 4 * COLUMNS,             /* vectors in a tile, at most        */
    CACHE_LINE = 64 / sizeof(real), /* also between packed runs          */
    DEPTH = 1024 / sizeof(real),    /* of a block of k: 1024 bytes       */
    WIDTH = 256,                    /* of a block of n                   */
    TALL = 4096,                    /* rows of a column at a time        */
    ABREAST = 8,                    /* columns that are added to it      */
    RUNS = 16,                      /* inner products side by side       */
    HEAD_ROWS = 64,                 /* rows of W_q, W_k and W_v: often   */
    PANEL = 1024 / sizeof(real),    /* rows that are packed together     */
    UNPACKED = 2 * DEPTH,           /* columns that are read unpacked    */
    STRIDE = 8,                     /* of p, from one fetch to the next  */
    L2 = 2, L1 = 3,                 /* caches, as the compiler counts    */
};

/* What will be needed soon, some columns, and where the next fetch is. */
struct Ahead {
    const real *at;
    ptrdiff_t next;                 /* from a column to the next one     */
    int rows, columns, row, column;
};

/* rows x k of op(A) times k x n of op(B), to be added to C. An entry (i, p)
   of op(A) is A[i * a_row + p * a_column], and so on. */
struct Strip {
    int rows, n, k;
    const real *A, *B;
    real *C;
    ptrdiff_t a_row, a_column, b_row, b_column, c_row, c_column;
    real *to;                       /* the first tile packs A there      */
    struct Ahead *ahead;            /* NULL: all is in a cache           */
};

static INLINE int least(int a, int b)
{
    return a < b ? a : b;
}

static struct Ahead columns_ahead(const real *at, ptrdiff_t row,
                                  ptrdiff_t column, int rows, int columns)
{
    return row == 1 ? (struct Ahead){ at, column, rows, columns, 0, 0 }
                    : (struct Ahead){ at, row, columns, rows, 0, 0 };
}

/* The place to fetch next: the columns one after the other at one height,
   then those at the next. */
static INLINE const real *look_ahead(struct Ahead *ahead, int height)
{
    const real *soon = ahead->at + ahead->row;
    if (ahead->row < ahead->rows) {
        soon += ahead->column * ahead->next;
        ahead->row += height;
        if (ahead->row >= ahead->rows && ++ahead->column < ahead->columns)
            ahead->row = 0;
    }
    return soon;
}

#define NAMED(f) f##_plain
#define TARGET
#define BYTES 16
#define HIGH 2
#include "library/product_strip.h"

#if defined(__GNUC__) && defined(__x86_64__) && !defined(NO_AVX2)
#define HAS_AVX2
#define NAMED(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define HIGH 2
#include "library/product_strip.h"

#define NAMED(f) f##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define BYTES 64
#define HIGH 4
#include "library/product_strip.h"
#endif

static void multiply_block(const Kernel *kernel, int m, struct Strip s)
{
    struct Ahead ahead;
    const bool large = s.a_column > UNPACKED;
    for (int i = 0; i < m; i += s.rows) {
        s.rows = kernel->high * kernel->lanes;
        if (s.rows > m - i)
            s.rows = 2 * kernel->lanes;
        if (s.rows > m - i)
            s.rows = m - i;
        const real *A = s.A + s.rows * s.a_row;
        real *C = s.C + s.rows * s.c_row;
        if (large) {
            ahead = s.k < s.n
                ? columns_ahead(C, s.c_row, s.c_column, s.rows, s.n)
                : columns_ahead(A, s.a_row, s.a_column, s.rows, s.k);
            s.ahead = &ahead;
        }
        kernel->strip(&s);
        s.A = A;
        s.C = C;
    }
}

static void multiply_packed(const Kernel *kernel, int m,
                            const struct Strip *block)
{
    _Alignas(64) real to[(WIDTH + CACHE_LINE) * (DEPTH + CACHE_LINE)];
    struct Strip s = *block;
    const bool by_rows = s.b_column == 1;
    const int run = by_rows ? s.n : s.k;
    const struct Strip B = {
        .rows = run, .k = by_rows ? s.k : s.n, .A = s.B,
        .a_row = by_rows ? 1 : s.b_row,
        .a_column = by_rows ? s.b_row : s.b_column
    };
    kernel->pack(&B, to, run + CACHE_LINE);
    s.B = to;
    s.b_row = by_rows ? run + CACHE_LINE : 1;
    s.b_column = by_rows ? 1 : run + CACHE_LINE;
    multiply_block(kernel, m, s);
}

static void multiply_vector(const Kernel *kernel, int m,
                            const struct Strip *all)
{
    const int rows = all->a_row == 1 ? TALL : RUNS, k = all->k;
    for (int i = 0; i < m; i += rows) {
        struct Strip s = *all;
        s.rows = least(m - i, rows);
        s.A += i * s.a_row;
        s.C += i;
        if (s.a_row != 1 && s.rows == RUNS)
            kernel->inner(&s);
        else
            for (int p = 0; p < k; p += DEPTH) {
                s.k = least(k - p, DEPTH);
                if (s.a_row == 1)
                    kernel->column(&s);
                else
                    multiply_block(kernel, s.rows, s);
                s.A += DEPTH * s.a_column;
                s.B += DEPTH * s.b_row;
            }
    }
}

static void multiply(const Kernel *kernel, int m, int n, int k,
                     const struct Strip *all)
{
    const bool high = m > PANEL / 2;
    const bool far = all->b_row > (high ? 4 * CACHE_LINE : DEPTH);
    const bool pack_B = far || (high && n > WIDTH);
    struct Strip s = *all;
    for (int j = 0; j < n; j += WIDTH)
        for (int p = 0; p < k; p += DEPTH) {
            s.n = least(n - j, WIDTH);
            s.k = least(k - p, DEPTH);
            s.A = all->A + p * s.a_column;
            s.B = all->B + p * s.b_row + j * s.b_column;
            s.C = all->C + j * s.c_column;
            if (pack_B)
                multiply_packed(kernel, m, &s);
            else
                multiply_block(kernel, m, s);
        }
}

static bool better_across(const struct Strip *s, int m, int n, int k)
{
    const double packed = (double)m * ((k + DEPTH - 1) / DEPTH)
                        + (s->b_row == 1 ? k : 0);
    return s->a_row != 1
        && (n < 16 ? 16 : n) * packed < (double)m * k;
}

/* C^T += op(B)^T op(A)^T. */
static struct Strip transpose_strip(const struct Strip *s)
{
    return (struct Strip){
        .A = s->B, .a_row = s->b_column, .a_column = s->b_row,
        .B = s->A, .b_row = s->a_column, .b_column = s->a_row,
        .C = s->C, .c_row = s->c_column, .c_column = s->c_row
    };
}

void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc)
{
    struct Strip all = {
        .n = n, .k = k, .A = A, .B = B, .C = C, .c_row = 1, .c_column = ldc,
        .a_row = transpose_A ? lda : 1, .a_column = transpose_A ? 1 : lda,
        .b_row = transpose_B ? ldb : 1, .b_column = transpose_B ? 1 : ldb
    };
    const bool across = n > 1 && better_across(&all, m, n, k);
    if (across)
        all = transpose_strip(&all);
    if (n == 1)
        multiply_vector(kernel, m, &all);
    else
        multiply(kernel, across ? n : m, across ? m : n, k, &all);
}

static const Kernel kernels[] = {           /* the widest vectors first */
#ifdef HAS_AVX2
#ifndef NO_AVX512
    { "avx512", LANES_avx512, 4,
      strip_avx512, column_avx512, inner_avx512, pack_avx512 },
#endif
    { "avx2", LANES_avx2, 2,
      strip_avx2, column_avx2, inner_avx2, pack_avx2 },
#endif
    { "plain", LANES_plain, 2,
      strip_plain, column_plain, inner_plain, pack_plain }
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int fastest(void)
{
#ifdef HAS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_supports("avx512f") ? 0 : KERNELS - 2;
#endif
    return KERNELS - 1;
}

const Kernel *product_kernel(const char *name)
{
    for (int i = fastest(); i < KERNELS; i++)
        if (name == NULL || strcmp(name, kernels[i].name) == 0)
            return &kernels[i];
    return NULL;
}

typedef struct {
    bool transpose_A, transpose_B;
    int m, n, k;
    const real *A, *B;
    real *C;
    int lda, ldb, ldc;
    int rows, columns;          /* of a part: all of one of the two */
} Product;

static void multiply_part(void *to, int part)
{
    const Product *p = to;
    const int i = p->rows < p->m ? part * p->rows : 0;
    const int j = p->rows < p->m ? 0 : part * p->columns;
    const int m = least(p->rows, p->m - i);
    const Kernel *kernel = &kernels[fastest()];
    if (kernel->high == 4 && m <= kernel->lanes / 2)
        kernel++;
    product_by(kernel, p->transpose_A, p->transpose_B,
               m, least(p->columns, p->n - j), p->k,
               p->A + (p->transpose_A ? (ptrdiff_t)i * p->lda : i), p->lda,
               p->B + (p->transpose_B ? j : (ptrdiff_t)j * p->ldb), p->ldb,
               p->C + i + (ptrdiff_t)j * p->ldc, p->ldc);
}

enum { STEP = 64, WORTH = 1 << 19, COLUMN_WORTH = 1 << 15 };

void product(bool transpose_A, bool transpose_B, int m, int n, int k,
             const real *A, int lda, const real *B, int ldb,
             real *C, int ldc)
{
    Product p = { transpose_A, transpose_B, m, n, k, A, B, C, lda, ldb, ldc,
                  m, n };
    const double entries = (double)m * n * k;
    const int threads = entries < (n == 1 ? COLUMN_WORTH : WORTH)
                      ? 1 : available_threads();
    if (threads == 1) {
        multiply_part(&p, 0);
        return;
    }
    const bool by_rows = m >= n;
    const int steps = ((by_rows ? m : n) + STEP - 1) / STEP;
    const int share_of = (steps + threads - 1) / threads * STEP;
    if (by_rows)
        p.rows = least(share_of, m);
    else
        p.columns = least(share_of, n);
    parallel_for((m + p.rows - 1) / p.rows
          * ((n + p.columns - 1) / p.columns), multiply_part, &p);
}
