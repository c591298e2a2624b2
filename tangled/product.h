/* The product of two matrices, which matrix.c stands on. */
#ifndef PRODUCT_H
#define PRODUCT_H
#include "ftx.h"
#include <string.h>

/* product adds op(A) op(B) to C: m x n += (m x k)(k x n). op transposes
   where the flag is set. Entries lie column by column; lda, ldb and ldc are
   the distances between the columns of A, B and C, as they are stored.
   C overlaps neither A nor B.
   The bytes of an entry of C depend on its own row of op(A), its own column
   of op(B) and itself, not on m, n or its neighbours; so threads share. */
void product(bool transpose_A, bool transpose_B, int m, int n, int k,
             const real *A, int lda, const real *B, int ldb,
             real *C, int ldc);
/* The same for one column b, c += op(A) b, where A is of numbers in 16
   bits: the upper half of a single precision number, bfloat16. half_of
   rounds to one, to nearest and from the middle to even; whole_of is what
   it stands for. */
void product_of_halves(bool transpose_A, int m, int k, const uint16_t *A,
                       int lda, const real *b, real *c);
static inline real whole_of(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (real)x;
}

static inline uint16_t half_of(real x)
{
    const float single = (float)x;
    uint32_t bits, up;
    memcpy(&bits, &single, sizeof bits);
    up = bits >> 16 & 1;
    if ((bits & 0xFFFF) == 0x8000 && (real)single != x)
        up = (x > (real)single) == (x > 0);
    return (uint16_t)((bits + 0x7FFF + up) >> 16);
}

/* A kernel is the innermost part of product for one instruction set.
   product_kernel gives "avx512", "avx2" or "plain"; with NULL, the fastest.
   It returns NULL if the processor, or the program, does not have it.
   product_by is product with a kernel of the caller's choice. */
struct Strip;
typedef struct Kernel {
    const char *name;
    int lanes;                              /* reals in a vector */
    int high;                               /* vectors in a strip */
    void (*strip)(const struct Strip *strip);
    void (*column)(const struct Strip *strip);
    void (*inner)(const struct Strip *strip);
    void (*pack)(const struct Strip *strip, real *to, int height);
} Kernel;
const Kernel *product_kernel(const char *name);
void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc);
#endif
