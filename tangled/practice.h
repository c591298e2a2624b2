/* What the paper does not have: settings and observers that answer, and
   parts of the algorithms by themselves. */
#ifndef PRACTICE_H
#define PRACTICE_H
#include "tape.h"

/* The tape as printed, and then what theta's hyperparameters ask for beyond
   the paper. What the observers need is in the arena. */
void prepare_tape(Arena *arena, Tape *tape, const Theta *theta);

/* From now on the tape, which wants no gradients, keeps of a layer only its
   X: the rest is let go when the layer is done. */
void tape_thrifty(Arena *arena, Tape *tape);

/* From now on this tape, which wants gradients, sets each entry of the
   embedding and of what a sub-layer adds to 0 with probability p in [0, 1),
   and divides the others by 1 - p. p = 0 asks for nothing. */
void tape_dropout(Arena *arena, Tape *tape, double p, Random *random);

/* Lines 1 to 9 of Algorithm 8: z to Z, d_e x length(z); lines 10 to 21: Z
   and x to P; lines 1 to 11 of Algorithm 9: x to X, d_f x length(x). */
Mat encode(Tape *tape, Tokens z, const Theta *theta);
Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta);
Mat represent(Tape *tape, Tokens x, const Theta *theta);
#endif
