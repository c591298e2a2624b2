/* What released models and practice do differently, on a tape.

   Entry points: prepare_tape, tape_dropout, classify. In goes a theta; out
   come observers and settings of its tape. */
#ifndef FTX_VARIANTS_H
#define FTX_VARIANTS_H
#include "library/operation.h"
#include "library/parameters.h"
#include "library/random.h"
#include "library/refusal.h"
#include "library/sampling.h"
#include "library/tape.h"
#include "library/tokens.h"

/* The tape as printed, and then what theta's hyperparameters ask for beyond
   the paper. What the observers need is in the arena. */
void prepare_tape(Arena *arena, Tape *tape, const Theta *theta);

/* From now on the tape, which wants no gradients, keeps of a layer only its
   X: the rest is let go when the layer is done. */
void tape_discard_layers(Arena *arena, Tape *tape);

/* Lines 1 to 9 of Algorithm 8. Returns Z, d_e x length(z). */
Mat encode(Tape *tape, Tokens z, const Theta *theta);

/* Lines 10 to 21 of Algorithm 8. Returns P, N_V x length(x). */
Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta);

/* Lines 1 to 9 of Algorithm 9. Returns X, d_e x length(x). */
Mat layers_9(Tape *tape, Tokens x, const Theta *theta);

/* Lines 1 to 11 of Algorithm 9. Returns X, d_f x length(x). */
Mat represent(Tape *tape, Tokens x, const Theta *theta);

/* A place on a tape, to which it can go back. */
typedef struct {
    Tape *tape;
    size_t used;
} Mark;
Mark tape_mark(Tape *tape);

/* Forgets what the tape has computed since the mark, except M, and returns
   M; M may be NULL. Where gradients are wanted nothing is forgotten. */
Mat tape_release(Mark mark, Mat M);

/* Returns a matrix of zeros for each parameter k, in [1] ... [n]. */
Mat *theta_zeros(Arena *arena, const Theta *theta);
/* A model that is known by its name: the number of parameters that was
   published, in words, and why ours is another. */
typedef struct {
    const char *name, *published, *why;
    Hyperparameters hyper;
} KnownModel;
extern const KnownModel known_models[];     /* the last has no name       */

/* Returns the model of that name, or NULL. */
const KnownModel *find_known_model(const char *name);
/* From now on this tape, which wants gradients, sets each entry of the
   embedding and of what a sub-layer adds to 0 with probability p in [0, 1),
   and divides the others by 1 - p. p = 0 asks for nothing. */
void tape_dropout(Arena *arena, Tape *tape, double p, Random *random);
/* Returns P(c | x), a column of N_C probabilities, of a theta with a class
   head. */
Mat classify(Tape *tape, Tokens x, const Theta *theta);

/* Returns what the head makes of the column of bos: behind line 9.11, or,
   with a pooler, behind 9.9. */
Mat classify_state(Mat first, const Theta *theta);

#endif
