/* A run in which slips are made.

   Main type: SlipRun. Entry points: look_at_step, evaluate_formula. In go an
   explanation and the values of a run; out come other values for them. */
#ifndef FTX_SLIP_RUN_H
#define FTX_SLIP_RUN_H
#include "check/slip.h"
#include "sheet/collect.h"

enum {
    IF_DIVIDED = 1,             /* scores are divided by √d_attn          */
    IF_UNDIVIDED = 1 << 1,      /* scores are not divided                 */
    IF_LAYER_NORM = 1 << 2,
    IF_RMS = 1 << 3,
    IF_PRE_NORM = 1 << 4,       /* Algorithm 10 and its kin               */
    IF_RELU = 1 << 6,           /* Algorithm 8 and its kin                */
    IF_GELU = 1 << 7,
    IF_BLANKS = 1 << 8,         /* masked tokens are predicted            */
    IF_PAPER = 1 << 9,          /* positions are computed so ...          */
    IF_VASWANI = 1 << 10,       /* ... or so                              */
    IF_CROSS = 1 << 11,         /* here is the cross-attention            */
    UNWRITTEN = 1 << 12,        /* no condition: a claim has the value
                                   before the edit, later lines use that
                                   behind it                              */
    SLIGHT = 1 << 13            /* no condition: see is_slight            */
};

#define SINES(angle) "sin(" angle " + phase)"
#define COUNT(table) ((int)(sizeof table / sizeof *table))
#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */

typedef struct SlipRun {
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Bound *bound;
    Variation variation;        /* has the run as far as it has come      */
    Arena *arena;
    Tape *tape;
    int holds;                  /* the conditions that hold in this run   */
    const Step *here;           /* where the slip is made ...             */
    Mat it;                     /* ... and what stands there              */
    Mat mask;                   /* the scores behind it, without a slip   */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
    const struct Visit *visit;  /* of a step; NULL: none                  */
} SlipRun;

/* Ends the run: the slip asks for what cannot be. */
_Noreturn void refuse_slip(SlipRun *s);

/* Returns the IF_ bits that a sheet decides, whatever the step or slip. */
int conditions_of(const Bound *bound);

/* Returns whether the run and the place are as the conditions want it. */
bool condition_holds(const SlipRun *s, int when);

/* Returns the value of a formula where M stands; NULL: it has none, since a
   name is unknown or shapes do not fit. */
Mat evaluate_formula(SlipRun *s, const char *formula, Mat M);

/* Returns a matrix of zeros in the arena. One that is too large for the
   computer ends the run. */
Mat zeros_of(SlipRun *s, int rows, int cols);

/* What look_at_step shows: M, the value of a step in the paper's layout. */
typedef struct Visit {
    const Step *step;
    void (*look)(void *to, SlipRun *s, Mat M);
    void *to;
} Visit;

/* Runs a sheet without a slip until visit->step is computed, calls
   visit->look with its value, and ends the run there. */
void look_at_step(const Bound *bound, const Visit *visit, Arena *arena,
                  Tape *tape);
#endif
