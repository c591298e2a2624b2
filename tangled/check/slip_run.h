/* A run in which slips are made.

   Main type: SlipRun. Entry points: look_at_step, evaluate_formula. In go an
   explanation and the values of a run; out come other values for them. */
#ifndef FTX_SLIP_RUN_H
#define FTX_SLIP_RUN_H
#include "check/explanation.h"
#include "sheet/collect.h"

struct SlipRun {
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Bound *bound;
    Variation variation;        /* has the run as far as it has come      */
    Arena *arena;
    Tape *tape;
    const Step *here;           /* where the slip is made ...             */
    Mat it;                     /* ... and what stands there              */
    Mat mask;                   /* the scores behind it, without a slip   */
    bool hides;                 /* it does one of them                    */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
    unsigned truths;            /* of the run; 0: not yet asked           */
    const struct Visit *visit;  /* of a step; NULL: none                  */
};

/* Ends the run: the slip asks for what cannot be. */
_Noreturn void refuse_slip(SlipRun *s);

/* Whether the run and the place are as the conditions want it. */
bool condition_holds(SlipRun *s, unsigned when);

/* The value of a formula where M stands; NULL: it cannot be made. */
Mat evaluate_formula(SlipRun *s, const char *formula, Mat M);

/* A matrix of zeros in the arena. */
Mat zeros_of(SlipRun *s, int rows, int cols);

/* The logarithms of the probabilities that a loss reads; NULL: none. */
Mat find_log_probabilities(Mat loss);

/* What look_at_step shows: M, the value of a step in the paper's layout. */
typedef struct Visit {
    const Step *step;
    void (*look)(void *to, SlipRun *s, Mat M);
    void *to;
} Visit;

/* Runs a sheet with what `why` explains until visit->step is computed, calls
   visit->look with its value, and ends the run there. */
void look_at_step(const Bound *bound, Explanation why, const Visit *visit,
                  Arena *arena, Tape *tape);
#endif
