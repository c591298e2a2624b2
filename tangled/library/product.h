/* The product of two matrices, which matrix.c stands on. */
#ifndef PRODUCT_H
#define PRODUCT_H
#include "ftx.h"

/* product adds op(A) op(B) to C: m x n += (m x k)(k x n). op transposes
   where the flag is set. Entries lie column by column; lda, ldb and ldc are
   the distances between the columns of A, B and C, as they are stored.
   C overlaps neither A nor B.
   The bytes of an entry of C depend on its own row of op(A), its own column
   of op(B) and itself, not on m, n or its neighbours; so threads share. */
void product(bool transpose_A, bool transpose_B, int m, int n, int k,
             const real *A, int lda, const real *B, int ldb,
             real *C, int ldc);

/* The innermost part of product for one instruction set. */
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

/* Returns the kernel "avx512", "avx2" or "plain"; for NULL the fastest one.
   Returns NULL if the processor, or the program, does not have it. */
const Kernel *product_kernel(const char *name);

/* Does the same as product, with this kernel and in one thread. */
void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc);
#endif
