/* Beam search for Algorithm 15.

   Main type: Beam. Entry point: beam_search. A text flows in, and the best
   translations that are found flow out. */
#ifndef FTX_BEAM_H
#define FTX_BEAM_H
#include "practice/inference.h"

/* A translation; the logarithm of its probability; whether it has ended. */
typedef struct { Tokens x; double log_p; bool ended; } Hypothesis;

/* The hyperparameters of beam search. */
typedef struct {
    int B;                  /* the width, at least 1 */
    double alpha;           /* the exponent of the length; 0: none */
    int ell_gen;            /* at most so many tokens; 0: ell_max */
    bool no_special;        /* mask_token and bos_token never occur */
} Beam;

/* Writes the translations of z that beam search finds to best, which has room
   for B, the best first, and returns how many there are. Of equal scores the
   one with the better beginning comes first, and of one beginning the lower
   token. A B below 1 is refused. */
int beam_search(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                const Beam *how, Hypothesis best[]);

#endif
