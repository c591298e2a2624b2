/* The product of two matrices: C += A B. Loops count from 0. */
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
#pragma GCC optimize("no-version-loops-for-strides")    /* half the code */
#endif

#if !defined(__GNUC__) || defined(WATCHED) || !defined(__OPTIMIZE__)
#define UNROLL
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__GNUC__) && !defined(WATCHED)
#define INLINE inline __attribute__((always_inline))
#define FETCH(place, cache) __builtin_prefetch(place, 0, cache)
#define REGISTER(x) __asm__("" : "+r"(x))
#else
#define INLINE inline
#define FETCH(place, cache) (void)(place)
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
    HIGHEST = 256,                  /* bytes of a column of a strip      */
    TALL = 4096,                    /* rows of a column at a time        */
    ABREAST = 8,                    /* columns that are added to it      */
    RUNS = 16,                      /* inner products side by side       */
    HEAD_ROWS = 64,                 /* rows of W_q, W_k and W_v: often   */
    PANEL = 1024 / sizeof(real),    /* rows that are packed together     */
    UNPACKED = 2 * DEPTH,           /* columns that are read unpacked    */
    STRIDE = 8,                     /* of p, from one fetch to the next  */
    L2 = 2, L1 = 3,                 /* caches, as the compiler counts    */
};

/* A B, to be added to C. */
struct Strip {
    View C, A, B;
    real *to;                       /* room to pack A; NULL: that is done */
    View soon;                      /* what is needed next; at NULL: all
                                       is in a cache                     */
    int i, j;                       /* of the entry to fetch next        */
};

static INLINE int least(int a, int b)
{
    return a < b ? a : b;
}

/* The rows x cols part of V that begins at (i, j), or what is left of it. */
static INLINE View part(View V, int i, int j, int rows, int cols)
{
    return (View){ V.at + i * V.row + j * V.column, least(rows, V.rows - i),
                   least(cols, V.cols - j), V.row, V.column };
}

/* The place to fetch next, down the columns one after the other. */
static INLINE const real *look_ahead(struct Strip *s, int height)
{
    const real *place = s->soon.at + s->i;
    if (s->i < s->soon.rows) {
        place += s->j * s->soon.column;
        s->i += height;
        if (s->i >= s->soon.rows && ++s->j < s->soon.cols)
            s->i = 0;
    }
    return place;
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

#ifndef NO_AVX512
#define NAMED(f) f##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define BYTES 64
#define HIGH 4
#include "library/product_strip.h"
#endif
#endif

static void multiply_block(const Kernel *kernel, View C, View A, View B)
{
    _Alignas(64) real to[HIGHEST / sizeof(real) * DEPTH];
    const bool large = A.column > UNPACKED;
    for (int i = 0, rows; i < C.rows; i += rows) {
        rows = kernel->high * kernel->lanes;
        if (rows > C.rows - i)
            rows = least(2 * kernel->lanes, C.rows - i);
        struct Strip s = { .C = part(C, i, 0, rows, C.cols), .B = B,
                           .A = part(A, i, 0, rows, A.cols), .to = to };
        if (large) {
            View V = part(A.cols < C.cols ? C : A, i + rows, 0, rows, WIDTH);
            s.soon = V.row == 1 ? V : transpose(V);
        }
        kernel->strip(&s);
    }
}

static void multiply_packed(const Kernel *kernel, View C, View A, View B)
{
    _Alignas(64) real to[(WIDTH + CACHE_LINE) * (DEPTH + CACHE_LINE)];
    const bool by_rows = B.column == 1;
    if (by_rows)
        B = transpose(B);
    kernel->pack(B, to, B.rows + CACHE_LINE);
    B = (View){ to, B.rows, B.cols, 1, B.rows + CACHE_LINE };
    multiply_block(kernel, C, A, by_rows ? transpose(B) : B);
}

static void multiply_vector(const Kernel *kernel, View C, View A, View B)
{
    const int rows = A.row == 1 ? TALL : RUNS, k = A.cols;
    for (int i = 0; i < C.rows; i += rows) {
        struct Strip s = { .C = part(C, i, 0, rows, 1), .B = B,
                           .A = part(A, i, 0, rows, k) };
        if (A.row != 1 && s.C.rows == RUNS)
            kernel->inner(&s);
        else
            for (int p = 0; p < k; p += DEPTH) {
                s.A = part(A, i, p, rows, DEPTH);
                s.B = part(B, p, 0, DEPTH, 1);
                if (A.row == 1)
                    kernel->column(&s);
                else
                    multiply_block(kernel, s.C, s.A, s.B);
            }
    }
}

static void multiply(const Kernel *kernel, View C, View A, View B)
{
    const bool high = C.rows > PANEL / 2;
    const bool far = B.row > (high ? 4 * CACHE_LINE : DEPTH);
    const bool pack_B = far || (high && C.cols > WIDTH);
    for (int j = 0; j < C.cols; j += WIDTH)
        for (int p = 0; p < A.cols; p += DEPTH)
            (pack_B ? multiply_packed : multiply_block)
                (kernel, part(C, 0, j, C.rows, WIDTH),
                 part(A, 0, p, A.rows, DEPTH), part(B, p, j, DEPTH, WIDTH));
}

static bool better_across(View A, View B)
{
    const int m = A.rows, k = A.cols, n = B.cols;
    const double packed = (double)m * ((k + DEPTH - 1) / DEPTH)
                        + (B.row == 1 ? k : 0);
    return A.row != 1 && (n < 16 ? 16 : n) * packed < (double)m * k;
}

void product_by(const Kernel *kernel, View C, View A, View B)
{
    if (C.row != 1)
        product_by(kernel, transpose(C), transpose(B), transpose(A));
    else if (C.cols == 1)
        multiply_vector(kernel, C, A, B);
    else if (better_across(A, B))
        multiply(kernel, transpose(C), transpose(B), transpose(A));
    else
        multiply(kernel, C, A, B);
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
    View C, A, B;
    int rows;                   /* of a part */
} Product;

static void multiply_part(void *to, int k)
{
    const Product *p = to;
    const View C = part(p->C, k * p->rows, 0, p->rows, p->C.cols);
    const Kernel *kernel = &kernels[fastest()];
    if (kernel->high == 4
        && (C.row == 1 ? C.rows : C.cols) <= kernel->lanes / 2)
        kernel++;
    product_by(kernel, C, part(p->A, k * p->rows, 0, p->rows, p->A.cols),
               p->B);
}

enum { STEP = 64, WORTH = 1 << 19, COLUMN_WORTH = 1 << 15 };

void product(View C, View A, View B)
{
    const double work = (double)C.rows * C.cols * A.cols;
    const int threads = work < (C.cols == 1 ? COLUMN_WORTH : WORTH)
                      ? 1 : available_threads();
    if (threads == 1)
        multiply_part(&(Product){ C, A, B, C.rows }, 0);
    else if (C.rows < C.cols)       /* its columns are shared */
        product(transpose(C), transpose(B), transpose(A));
    else {
        const int steps = (C.rows + STEP - 1) / STEP;
        Product p = { C, A, B, (steps + threads - 1) / threads * STEP };
        parallel_for((C.rows + p.rows - 1) / p.rows, multiply_part, &p);
    }
}
