/* What released models and practice do differently, on a tape.

   Entry points: prepare_tape, tape_dropout, classify. In goes a theta; out
   come observers and settings of its tape. */
#ifndef FTX_VARIANTS_H
#define FTX_VARIANTS_H
#include "library/operation.h"
#include "library/parameters.h"
#include "library/random.h"
#include "library/tape.h"
#include "library/tokens.h"

/* Returns whether a line is one of lines, such as " 8.3 10.3 ". */
bool is_line_in(const char *lines, const char *line);

/* Sets the tape to run as printed, and then to what theta's hyperparameters
   ask for beyond the paper. What the observers need is in the arena. */
void prepare_tape(Arena *arena, Tape *tape, const Theta *theta);

/* Makes the tape, which wants no gradients, keep only X of a layer: the rest
   is released at the end of the layer. */
void tape_discard_layers(Arena *arena, Tape *tape);

/* Lines 1 to 9 of Algorithm 8. Returns Z, d_e x length(z). */
Mat encode(Tape *tape, Tokens z, const Theta *theta);

/* Lines 10 to 21 of Algorithm 8. Returns P, N_V x length(x). */
Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta);

/* Lines 1 to 9 of Algorithm 9. Returns X, d_e x length(x). */
Mat layers_9(Tape *tape, Tokens x, const Theta *theta);

/* Lines 1 to 11 of Algorithm 9. Returns X, d_f x length(x). */
Mat represent(Tape *tape, Tokens x, const Theta *theta);

/* Returns the end of the tape as it is now, a mark for tape_release. */
size_t tape_mark(Tape *tape);

/* Forgets what the tape has computed since the mark, and returns a copy of M,
   without logits; earlier pointers to M are no longer valid. M may be NULL.
   Where gradients are wanted nothing is forgotten, and M is returned. */
Mat tape_release(Tape *tape, size_t mark, Mat M);

/* Returns a matrix of zeros for each parameter k, in [1] ... [n]. */
Mat *theta_zeros(Arena *arena, const Theta *theta);

/* A model that is known by its name: the number of parameters that was
   published, in words, and why ours is another. */
typedef struct {
    const char *name, *published, *why;
    Hyperparameters hyper;
} KnownModel;
extern const KnownModel known_models[];     /* the last has no name       */

/* Makes the tape, which wants gradients, set each entry of the embedding and
   of what a sub-layer adds to 0 with probability p in [0, 1), and divide the
   others by 1 - p. p = 0 changes nothing. */
void tape_dropout(Arena *arena, Tape *tape, double p, Random *random);

/* Returns P(c | x), a column of N_C probabilities, of a theta with a class
   head. */
Mat classify(Tape *tape, Tokens x, const Theta *theta);

/* Returns the probabilities of the classes, N_C x 1, from the first column
   after line 9.11 or, with a pooler, after line 9.9. */
Mat classify_state(Mat first, const Theta *theta);

#endif
