/* The tape: computed matrices in the order of their computation.
   A Tape is made by tape_new, filled by the operations of ftx.h, and walked
   back by backward. What is on it is gone when it is cleared. */
#ifndef TAPE_H
#define TAPE_H
#include "library/arena.h"
#include "library/observe.h"

/* Returns an empty tape. Where gradients are wanted, backward can walk it
   from its end to its start; else no operand is remembered. */
Tape *tape_new(bool gradients);

/* Returns the arena of what stands on the tape. */
Arena *tape_arena(Tape *tape);

/* Returns whether gradients are wanted. */
bool wants_gradients(const Tape *tape);

/* Puts d loss / d entry into the grad of every input on the tape of loss,
   which is 1 x 1, and adds it to that of every parameter that was used.
   Other gradients are not kept. Another shape, and a tape that wants no
   gradients, are refused. */
#define backward(...)    CALL(backward, #__VA_ARGS__, __VA_ARGS__)
void backward_(Where where, Mat loss);

/* Sets the gradient of M to 0, if it has one. */
void clear_gradient(Mat M);

/* Forgets every matrix on the tape. */
void tape_clear(Tape *tape);

/* Computes every result on the tape again, from what parameters, inputs and
   lists of indices on the tape hold now; no observer is called. backward was
   called before, and from now on is for that loss. Refused otherwise. */
void tape_replay(Tape *tape);

/* Frees the tape and every matrix on it. */
void tape_free(Tape *tape);

/* Adds the gradients that the tape deferred for M, a parameter. An operation
   of several (W and b of affine) adds all in the call for the first. It is
   called once for each parameter; threads may call it at the same time if no
   operation is of parameters of both. */
void reduce_gradient(Tape *tape, Mat M);

/* From now on this tape lets NaN and infinities through, and whoever reads a
   result must look. on_nonfinite(to), unless NULL, is called at each; it may
   leave by longjmp instead of returning. */
void tape_allow_nonfinite(Tape *tape, void (*on_nonfinite)(void *to),
                          void *to);

/* To be called where a result is NaN or infinite: calls on_nonfinite, which
   may not return; then returns whether the tape lets such results through. */
bool is_nonfinite_allowed(const Tape *tape);

#endif
