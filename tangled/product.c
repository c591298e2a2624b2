/* The product of two matrices: C += op(A) op(B). Loops count from 0. */
#include "product.h"
#include "threads.h"
#include <float.h>
#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT ON                     /* a * b + c rounds once */
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")        /* a * b + c rounds once */
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif

#ifdef __GNUC__
#define INLINE inline __attribute__((always_inline))
#define FETCH(place) __builtin_prefetch(place)
#else
#define INLINE inline
#define FETCH(place) (void)(place)
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
    APART = 64 / sizeof(real),      /* keeps packed runs out of step     */
    DEPTH = 1024 / sizeof(real),    /* of a block of k: 1024 bytes       */
    WIDTH = 256,                    /* of a block of n                   */
    PANEL = 1024 / sizeof(real),    /* rows that are packed together     */
    TALL = 4096,                    /* rows of a column at a time        */
    ABREAST = 8,                    /* columns that are added to it      */
    RUNS = 16,                      /* inner products side by side       */
    HEAD = 64,                      /* rows of W_q, W_k and W_v: often   */
};

/* rows x k of op(A) times k x n of op(B), to be added to C. An entry (i, p)
   of op(A) is A[i * a_row + p * a_column], and so on. */
struct Strip {
    int rows, n, k;
    const real *A, *B;
    real *C;
    ptrdiff_t a_row, a_column, b_row, b_column, ldc;
};

#define NAMED(f) f##_plain
#define TARGET
#define BYTES 16
#define HIGH 2
#include "product_strip.h"

#if defined(__GNUC__) && defined(__x86_64__) && !defined(NO_AVX2)
#define HAS_AVX2
#define NAMED(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define HIGH 2
#include "product_strip.h"

#define NAMED(f) f##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define BYTES 64
#define HIGH 4
#include "product_strip.h"
#endif

static void multiply_block(const Kernel *kernel, int m, struct Strip s)
{
    for (int i = 0; i < m; i += s.rows) {
        s.rows = kernel->high * kernel->lanes;
        if (s.rows > m - i)
            s.rows = 2 * kernel->lanes;
        if (s.rows > m - i)
            s.rows = m - i;
        struct Strip strip = s;
        strip.A += i * s.a_row;
        strip.C += i;
        kernel->strip(&strip);
    }
}

static void multiply_panels(const Kernel *kernel, int m, struct Strip s)
{
    _Alignas(64) real to[(PANEL + APART) * DEPTH];
    for (int i = 0; i < m; i += PANEL) {
        struct Strip panel = s;
        panel.rows = m - i < PANEL ? m - i : PANEL;
        panel.A += i * s.a_row;
        kernel->pack(&panel, to, PANEL + APART);
        panel.A = to;
        panel.C += i;
        panel.a_row = 1;
        panel.a_column = PANEL + APART;
        multiply_block(kernel, panel.rows, panel);
    }
}

typedef void Multiply(const Kernel *kernel, int m, struct Strip s);

static void multiply_packed(const Kernel *kernel, int m, struct Strip s,
                            Multiply *multiply)
{
    _Alignas(64) real to[WIDTH * (DEPTH + APART)];
    const struct Strip block = {
        .rows = s.k, .k = s.n, .A = s.B,
        .a_row = s.b_row, .a_column = s.b_column
    };
    kernel->pack(&block, to, s.k + APART);
    s.B = to;
    s.b_row = 1;
    s.b_column = s.k + APART;
    multiply(kernel, m, s);
}

static void multiply_column(const Kernel *kernel, int m, struct Strip s)
{
    for (int i = 0; i < m; i += TALL) {
        struct Strip part = s;
        part.rows = m - i < TALL ? m - i : TALL;
        part.A += i;
        part.C += i;
        kernel->column(&part);
    }
}

static void multiply_inner(const Kernel *kernel, int m, struct Strip s)
{
    int i = 0;
    for (; i + RUNS <= m; i += RUNS) {
        kernel->inner(&s);
        s.A += RUNS * s.a_row;
        s.C += RUNS;
    }
    if (i < m)
        multiply_panels(kernel, m - i, s);
}

void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc)
{
    const bool far = n > 4 * COLUMNS && lda > 2 * DEPTH;
    const bool high = m > PANEL / 2;
    const bool across = transpose_B && ldb > (high ? 4 * APART : DEPTH);
    const bool pack_B = across || (high && n > WIDTH);
    Multiply *multiply = n == 1 && transpose_A ? multiply_inner
                       : n == 1 ? multiply_column
                       : transpose_A || far ? multiply_panels
                       : multiply_block;
    struct Strip s = {
        .ldc = ldc,
        .a_row = transpose_A ? lda : 1, .a_column = transpose_A ? 1 : lda,
        .b_row = transpose_B ? ldb : 1, .b_column = transpose_B ? 1 : ldb
    };

    for (int i = 0; n == 1 && transpose_A && k > DEPTH && i < m; i += RUNS)
        for (int p = 0; p < k; p += DEPTH)
            product_by(kernel, true, transpose_B,
                       m - i < RUNS ? m - i : RUNS, 1,
                       k - p < DEPTH ? k - p : DEPTH,
                       A + i * s.a_row + p, lda, B + p * s.b_row, ldb,
                       C + i, ldc);
    if (n == 1 && transpose_A && k > DEPTH)
        return;
    for (int j = 0; j < n; j += WIDTH)
        for (int p = 0; p < k; p += DEPTH) {
            s.n = n - j < WIDTH ? n - j : WIDTH;
            s.k = k - p < DEPTH ? k - p : DEPTH;
            s.A = A + p * s.a_column;
            s.B = B + p * s.b_row + j * s.b_column;
            s.C = C + j * s.ldc;
            if (pack_B && n > 1)
                multiply_packed(kernel, m, s, multiply);
            else
                multiply(kernel, m, s);
        }
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
        return __builtin_cpu_supports("avx512f") ? 0 : 1;
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

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void one_part(void *to, int part)
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
    Product p = { transpose_A, transpose_B, m, n, k, A, B, C,
                  lda, ldb, ldc, m, n };
    const double entries = (double)m * n * k;
    const int threads = entries < (n == 1 ? COLUMN_WORTH : WORTH)
                      ? 1 : threads_here();
    const bool by_rows = m >= n;
    const int steps = ((by_rows ? m : n) + STEP - 1) / STEP;
    const int share_of = (steps + threads - 1) / threads * STEP;
    if (threads > 1 && by_rows)
        p.rows = least(share_of, m);
    else if (threads > 1)
        p.columns = least(share_of, n);
    share((m + p.rows - 1) / p.rows * ((n + p.columns - 1) / p.columns),
          one_part, &p);
}
