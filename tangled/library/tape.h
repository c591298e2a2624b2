/* What only operations and practice ask of a tape. */
#ifndef TAPE_H
#define TAPE_H
#include "ftx.h"
#include <setjmp.h>

/* A refusal that does not end the program. After
       Refusal refusal;
       catch_refusal(&refusal);
       if (setjmp(refusal.out) == 0)
   the first call that this thread has refused is noted and jumps there. It
   is the only one: the next one ends the program, if it is not caught
   again. With NULL so does the first. A part of what is shared is not left
   so. */
typedef struct {
    jmp_buf out;
    Where where;
    char sentence[400];
} Refusal;
void catch_refusal(Refusal *refusal);

/* The arena forgets what it has given since arena_used was used. The most
   bytes that it has ever held. */
void arena_back(Arena *arena, size_t used);
size_t arena_peak(const Arena *arena);
/* Memory from elsewhere, such as a file that is mapped, lives as long as
   what the arena gives: leave(bytes, n) is called when it is cleared or
   freed. */
void arena_attach(Arena *arena, void *bytes, size_t n,
                void (*leave)(void *bytes, size_t n));

/* Are gradients wanted on this tape? */
bool wants_gradients(const Tape *tape);

/* An operation: its name; forward computes the entries of Y from those of
   its operands Y->of and what Y keeps beside them; back adds to the
   gradients of the operands that have one. Both read Y alone, so that they
   can be called again. */
typedef struct Operation {
    const char *name;
    void (*forward)(struct Matrix *Y);
    void (*back)(Mat Y);
} Operation;

/* Is M, on a tape that wants gradients, the result of the operation with
   this name, such as "softmax"? */
bool is_result_of(Mat M, const char *operation);

/* Returns the tape that the n operands are on. Operands on two tapes, or on
   none, are refused. */
Tape *tape_of(Where where, int n, const Mat of[]);

/* Returns a rows x cols matrix on the tape of its n operands, to be the
   result of the operation; its entries are not set yet. The caller sets
   what it keeps beside the operands (c, i, j, slope, mask) and calls
   node_compute in the same block. Transposed views are refused. */
struct Matrix *node_new(Where where, int rows, int cols,
                        const Operation *operation, int n, const Mat of[]);

/* As node_new, on a tape that is known, and with any operands. Without an
   operation it is an input. */
struct Matrix *node_on(Where where, Tape *tape, int rows, int cols,
                       const Operation *operation, int n, const Mat of[]);

/* Computes a new node for the first time, and returns it. On a tape without
   gradients it forgets its operands, and is an input from then on. */
Mat node_compute(struct Matrix *Y);

/* Lists the matrices on a tape that wants gradients in the order of their
   computation: (*node)[0] ... (*node)[n - 1], in the arena of the tape. An
   input has no operation. Returns n. A parameter, or a view of one, is on
   no tape: it is found as an operand. Operands are the very matrices that
   the operation was called with, unless the tape defers gradients. */
int tape_nodes(Tape *tape, Mat *node[]);

/* Computes the entries of a node again from its operands as they are now;
   an input stays as it is. What was refused is refused again, in the name
   of the first call. Masks, numbers and indices are those of the first
   time. */
void recompute(Mat Y);

/* Gives a gather or a log_prob other indices, as many as it has: columns j,
   and for a log_prob rows i. Those outside the operand are refused. */
void set_indices(Mat Y, const int i[], const int j[]);

/* From now on, if defers, backward leaves the gradients of matrices on no
   tape alone, and reduce_gradient adds to that of M what the tape has for
   it. Several threads may reduce at once, for different M; those that are
   operands of one operation (W and b of affine) are reduced together with
   the first of them. */
void tape_defer_gradients(Tape *tape, bool defers);
void reduce_gradient(Tape *tape, Mat M);

/* Returns a matrix on no tape, its entries not set yet; cols may be 0. */
struct Matrix *matrix_new(Where where, Arena *arena, int rows, int cols,
                          bool gradient);

/* From now on what is not a number, or infinite, is not refused on this
   tape. on_nonfinite(to) is called first, unless it is NULL; where it
   returns the value is let through, and whoever reads a result must look. */
void tape_allow_nonfinite(Tape *tape, void (*on_nonfinite)(void *to),
                          void *to);

/* An operation that has such a value asks whether to let it through. */
bool is_nonfinite_allowed(const Tape *tape);

#endif
