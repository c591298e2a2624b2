/* A run in which slips are made, from within.

   Main type: Visit. Entry point: look_at_step. In goes a step; out comes its
   value while the run is on its way. */
#ifndef FTX_SLIP_RUN_H
#define FTX_SLIP_RUN_H
#include "check/slip.h"
#include "sheet/names.h"

enum {
    UNWRITTEN = 1 << 12,        /* no condition: a claim has the value
                                   before the edit, later lines use that
                                   behind it                              */
    SLIGHT = 1 << 13            /* no condition: see is_slight            */
};

#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */

/* What look_at_step shows: M, the value of a step in the paper's layout. */
typedef struct {
    const Step *step;
    void (*look)(void *to, Lookup *at, Mat M);
    void *to;
} Visit;

/* Runs a sheet without a slip until visit->step is computed, calls
   visit->look with its value, and ends the run there. */
void look_at_step(const Bound *bound, const Visit *visit, Arena *arena,
                  Tape *tape);
#endif
