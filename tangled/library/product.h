/* The product of two matrices, which matrix.c stands on. */
#ifndef PRODUCT_H
#define PRODUCT_H
#include "ftx.h"

/* A matrix as the product sees it. Entry (i, j), counted from 0, is
   at[i * row + j * column]; one of the two distances is 1. */
typedef struct {
    real *at;
    int rows, cols;
    ptrdiff_t row, column;
} View;

static inline View transpose(View V)
{
    return (View){ V.at, V.cols, V.rows, V.column, V.row };
}

/* Adds A B to C, which overlaps neither A nor B. The bytes of an entry of C
   depend on its own row of A, its own column of B and itself, not on the
   size of C or its neighbours; so threads share. */
void product(View C, View A, View B);

/* The innermost part of product for one instruction set. */
struct Strip;
typedef struct Kernel {
    const char *name;
    int lanes;                              /* reals in a vector */
    int high;                               /* vectors in a strip */
    void (*strip)(struct Strip *strip);     /* changes it */
    void (*column)(struct Strip *strip);
    void (*inner)(const struct Strip *strip);
    void (*pack)(View A, real *to, int height);
} Kernel;

/* Returns the kernel "avx512", "avx2" or "plain"; for NULL the fastest one.
   Returns NULL if the processor, or the program, does not have it. */
const Kernel *product_kernel(const char *name);

/* Does the same as product, with this kernel and in one thread. */
void product_by(const Kernel *kernel, View C, View A, View B);
#endif
