/* Explanations of how numbers came about, and runs by them.

   Main type: Explanation. Entry point: run_explained. In go a
   bound sheet and an explanation; out comes a run. */
#ifndef FTX_EXPLANATION_H
#define FTX_EXPLANATION_H
#include "check/slip.h"

/* An explanation of how the numbers of a sheet came about. */
typedef struct Explanation Explanation;
struct Explanation {
    const Slip *slip;           /* this was made; NULL: none              */
    const Step *only;           /* only in its layer, head and turn; NULL:
                                   wherever they can be made              */
    const Step *until;          /* the run ends behind it; NULL: complete */
    const Claim *claim;         /* carried on as written are claim[0] ... */
    int n;                      /* ... claim[n - 1]                       */
    bool applied;               /* did a run meet a place of the slip?    */
    Explanation *before;        /* what was made besides; or NULL         */
};

/* Runs a sheet by an explanation; it ends early where the algorithm cannot
   go on with such numbers. */
const Run *run_explained(const Bound *bound, Explanation *why,
                         Arena *arena, Tape *tape);

/* Returns the roles of the steps of a run up to `last`, or of all if that is
   NULL, as a set of bits: of those in the layer, head and turn of `only`, or,
   unless inside, of the others. NULL is everywhere. */
uint64_t roles_in(const Run *run, const Step *last, const Step *only,
                  bool inside);

/* Returns whether a slip edits values of these roles, or what the sheet
   gives, and the conditions for it hold in a run. */
bool can_apply(const Run *run, const Slip *slip, uint64_t roles);

/* Returns how entry k of a claimed step comes about, term by term, in the
   layout of the sheet: "(2,1) is 1·2 + 2·3 = 8"; and which one of several
   products makes it as claimed, left out or with the wrong sign. NULL:
   nothing is known of it. */
const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape);
#endif
