/* A run in which slips are made.

   Main type: SlipRun. Entry points: visit_step, evaluate_formula. In go an
   explanation and the values of a run; out come other values for them. */
#ifndef FTX_SLIP_RUN_H
#define FTX_SLIP_RUN_H
#include "check/explanation.h"
#include "library/tape.h"

enum { ROLES = 64 };            /* at most: a bit each */

typedef struct GivenCopy {      /* a matrix that the sheet gives          */
    Step place;
    Mat M;
    const struct GivenCopy *before;
} GivenCopy;

typedef struct Rounded {        /* numbers that were rounded when typed   */
    Mat M, half;                /* half a unit of the last digit of each  */
    bool given;                 /* by the sheet, not carried on           */
    const struct Rounded *before;
} Rounded;

struct SlipRun {                /* 21 fields: the names of formulas need
                                   what was computed so far               */
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Bound *bound;
    Variation variation;
    Arena *arena;
    Tape *tape;
    const Step *here;           /* where the slip is made ...             */
    Mat it;                     /* ... and what stands there              */
    const GivenCopy *kept;
    const Rounded *rounded;     /* of a visit that wants them             */
    Mat latest[ROLES];          /* of this turn                           */
    int turn;
    Mat input, context;         /* the latest X or Z of a model, Z        */
    const StepRow *from;        /* the row of input                       */
    Mat mask;                   /* the scores behind it, without a slip   */
    bool hides;                 /* it does one of them                    */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
    unsigned truths;            /* of the run; 0: not yet asked           */
    const struct Visit *visit;  /* of a step; NULL: none                  */
};

/* Ends the run: the slip asks for what cannot be. */
_Noreturn void refuse_slip(SlipRun *s);

/* Forgets the values of another turn of a loop. */
void begin_turn(SlipRun *s, const Step *step);

/* Remembers a value under its role. */
void remember_value(SlipRun *s, const Step *step, Mat M);

/* Whether the run and the place are as the conditions want it. */
bool condition_holds(SlipRun *s, unsigned when);

/* The value of a formula where M stands; NULL: it cannot be made. */
Mat evaluate_formula(SlipRun *s, const char *formula, Mat M);

/* A matrix of zeros in the arena; whether an entry of M is -infinity. */
Mat zeros_of(SlipRun *s, int rows, int cols);
bool is_any_hidden(Mat M);

/* The logarithms of the probabilities that a loss reads; NULL: none. */
Mat find_log_probabilities(Mat loss);

/* Runs a sheet as `why` has it, up to a step, and shows look what stands
   there: M, in the paper's layout. */
typedef struct Visit {
    const Step *step;
    void (*look)(void *to, SlipRun *s, Mat M);
    void *to;
    bool wants_rounding;        /* look calls rounding_reach              */
} Visit;
void visit_step(const Bound *bound, Explanation why, const Visit *visit,
                Arena *arena, Tape *tape);

/* How far the rounding of what the sheet gives, or else of the claims that
   are carried on, reaches in entry (i, j) of the step's value M. */
double rounding_reach(SlipRun *s, Mat M, int i, int j, bool given);

/* Whether the value at that step is a product, and a bias at most. Then it
   is left^T right, which are factors[0] and factors[1]. */
bool find_factors(SlipRun *s, const Step *step, Mat M, Mat factors[2]);
#endif
