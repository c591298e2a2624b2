/* Operations: what a new one needs.
   An Operation is a constant record; a function such as mul_ checks shapes,
   makes a node with node_new, and computes it with node_compute. What the
   node keeps is in struct Matrix. */
#ifndef OPERATION_H
#define OPERATION_H
#include "ftx.h"

/* Where a result Y and the gradient of its operand M are stored.
   OWN_PLACE: in memory of their own. back adds to M->grad.
   GRADIENT_IN_PLACE: M->grad may be Y->grad. Then back must set each entry,
     and may read dY only there, or in a column before it sets the column.
   ALL_IN_PLACE: also, with the setting in_place, Y->at is M->at, and back
     does not read M->at. */
typedef enum { OWN_PLACE, GRADIENT_IN_PLACE, ALL_IN_PLACE } InPlace;

/* An operation: its name; forward computes the entries of Y from those of
   its operands Y->of and what Y keeps beside them; back adds to the
   gradients of the operands that have one, or sets them (see InPlace). */
typedef struct Operation {
    const char *name;
    void (*forward)(struct Matrix *Y);
    void (*back)(Mat Y);
    InPlace in_place;
} Operation;

/* Defines f_operation, of f_forward and f_backward. */
#define OPERATION(f, in_place) static const Operation f##_operation = \
    { #f, f##_forward, f##_backward, in_place }

/* Returns log p[v] of a column of probabilities, but for a constant that is
   the same for all v. */
double log_of(Mat p, int v);

/* Returns the tape that the n operands are on. Operands on two tapes, or on
   none, are refused. */
Tape *tape_of(Where where, int n, const Mat of[]);

/* Returns a rows x cols matrix, to be the result of the operation on its n
   operands; its entries are not set yet. The caller sets what it keeps
   beside them (c, i, j, slope, mask) and calls node_compute in the same
   block. Without an operation it is an input. With NULL it is on the tape of
   its operands, and transposed views are refused. */
struct Matrix *node_new(Where where, Tape *tape, int rows, int cols,
                        const Operation *operation, int n, const Mat of[]);

/* Computes a new node for the first time, and returns it. On a tape without
   gradients it forgets its operands, and is an input from then on. */
Mat node_compute(struct Matrix *Y);

/* Returns a matrix on no tape, its entries not set yet; cols may be 0. */
struct Matrix *matrix_new(Where where, Arena *arena, int rows, int cols,
                          bool gradient);

/* Two operations that are in no algorithm as printed. */
#define hadamard(...)    CALL(hadamard, #__VA_ARGS__, __VA_ARGS__)
#define gelu_tanh(...)   CALL(gelu_tanh, #__VA_ARGS__, __VA_ARGS__)

/* Returns A[i,j] B[i,j]; A and B have one shape. */
Mat hadamard_(Where where, Mat A, Mat B);

/* Returns x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) of each entry x:
   the tanh form, which GPT-2 used (E29). */
Mat gelu_tanh_(Where where, Mat M);

/* Returns whether t_z <= t_x; it is the look of unidirectional. */
bool look_back(int t_z, int t_x, const void *data);

/* Returns M transposed, for products: a view of the same numbers, not a
   copy. What is learned about it is learned about M. Other operations
   refuse it. */
Mat transpose_of(Arena *arena, Mat M);

#endif
