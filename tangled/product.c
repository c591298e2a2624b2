/* The product of two matrices: C += op(A) op(B). Loops count from 0. */
#include "product.h"
#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT ON                     /* a * b + c rounds once */
#define UNROLL _Pragma("clang loop unroll(full)")
#define FOUR_TIMES _Pragma("clang loop unroll_count(4)")
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")        /* a * b + c rounds once */
#define UNROLL _Pragma("GCC unroll 16")
#define FOUR_TIMES _Pragma("GCC unroll 4")
#else
#define UNROLL
#define FOUR_TIMES
#endif

#ifdef __GNUC__
#define INLINE inline __attribute__((always_inline))
#define VECTOR(bytes) __attribute__((vector_size(bytes), \
                                     aligned(sizeof(real)), may_alias))
#else
#define INLINE inline
#define VECTOR(bytes)
#endif
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define MIX __builtin_shufflevector
#endif

enum {
    COLUMNS = 6,                    /* of a tile                         */
    SUMS = 4 * COLUMNS,             /* vectors in a tile, at most        */
    APART = 16,                     /* keeps packed runs out of step      */
    TALL = 8,                       /* vectors in a tile of one column   */
    DEPTH = 1024 / sizeof(real),    /* of a block of k: 1024 bytes       */
    WIDTH = 256,                    /* of a block of n                   */
};

/* rows x k of op(A) times k x n of op(B), to be added to C. An entry (i, p)
   of op(A) is A[i * a_row + p * a_column], and so on. */
struct Strip {
    int rows, n, k;
    bool pack;
    const real *A, *B;
    real *C;
    ptrdiff_t a_row, a_column, b_row, b_column, ldc;
};

#define NAMED(f) f##_plain
#define TARGET
#define BYTES 16
#define HIGH 2
#include "product_strip.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define NAMED(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define HIGH 2
#include "product_strip.h"

#define NAMED(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define HIGH 4
#include "product_strip.h"
#endif

static void multiply_block(const Kernel *kernel, int m, struct Strip s)
{
    for (int i = 0, rows; i < m; i += rows) {
        rows = kernel->high * kernel->lanes;
        if (rows > m - i)
            rows = 2 * kernel->lanes;
        if (s.n == 1 && !s.pack && m - i >= TALL * kernel->lanes)
            rows = TALL * kernel->lanes;
        if (rows > m - i)
            rows = m - i;
        s.rows = rows;
        kernel->strip(&s);
        s.A += rows * s.a_row;
        s.C += rows;
    }
}

static void multiply_packed(const Kernel *kernel, int m, struct Strip s)
{
    real to[WIDTH * (DEPTH + APART)];
    const struct Strip block = {
        .rows = s.k, .k = s.n, .A = s.B,
        .a_row = s.b_row, .a_column = s.b_column
    };
    kernel->pack(&block, to, s.k + APART);
    s.B = to;
    s.b_row = 1;
    s.b_column = s.k + APART;
    multiply_block(kernel, m, s);
}

void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc)
{
    const bool across = transpose_B && ldb > DEPTH && m > 2 * kernel->lanes;
    const bool pack_B = n > WIDTH || across;
    struct Strip s = {
        .pack = transpose_A || (n > 4 * COLUMNS && lda > 2 * DEPTH),
        .ldc = ldc,
        .a_row = transpose_A ? lda : 1, .a_column = transpose_A ? 1 : lda,
        .b_row = transpose_B ? ldb : 1, .b_column = transpose_B ? 1 : ldb
    };

    for (int j = 0; j < n; j += WIDTH)
        for (int p = 0; p < k; p += DEPTH) {
            s.n = n - j < WIDTH ? n - j : WIDTH;
            s.k = k - p < DEPTH ? k - p : DEPTH;
            s.A = A + p * s.a_column;
            s.B = B + p * s.b_row + j * s.b_column;
            s.C = C + j * s.ldc;
            (pack_B ? multiply_packed : multiply_block)(kernel, m, s);
        }
}

static const Kernel kernels[] = {           /* the widest vectors first */
#if defined(__GNUC__) && defined(__x86_64__)
    { "avx512", LANES_avx512, 4, strip_avx512, pack_avx512 },
    { "avx2",   LANES_avx2,   2, strip_avx2,   pack_avx2 },
#endif
    { "plain",  LANES_plain,  2, strip_plain,  pack_plain }
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int fastest(void)
{
#if defined(__GNUC__) && defined(__x86_64__)
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

void product(bool transpose_A, bool transpose_B, int m, int n, int k,
             const real *A, int lda, const real *B, int ldb,
             real *C, int ldc)
{
    int i = fastest();
    if (i == 0 && KERNELS > 1 && m <= kernels[0].lanes / 2)
        i = 1;
    product_by(&kernels[i], transpose_A, transpose_B, m, n, k,
               A, lda, B, ldb, C, ldc);
}
