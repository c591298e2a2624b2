/* A run of a sheet: its steps, and how it may be varied.

   Main types: Run, Step, Variation, Bound. Entry points: run_sheet, or
   bind_sheet and run_bound. In goes a sheet; out come its steps. */
#ifndef FTX_RUN_H
#define FTX_RUN_H
#include "sheet/step.h"

typedef struct Bound Bound;
typedef struct {
    const Sheet *sheet;
    const Bound *bound;         /* what it is a run of                    */
    int algorithm;
    const Layout *layout;
    int decimals;               /* that numbers are shown with            */
    Hyperparameters hyper;      /* of a model; H, rms, tied, epsilon of all */
    char assumed[4000];         /* such as "Z = X, b_q = 0", or ""        */
    char entered[400];          /* "from Q, K, V to V_tilde", or ""        */
    bool shifted;               /* its e^x are divided by the largest     */
    char guessed[200];          /* what the sheet leaves open, in words   */
    bool named;                 /* the sheet names its layout             */
    double divisor;             /* of the scores; 0: √d_attn              */
    int n;
    Step *step;
    Mat result;                 /* what the algorithm returned, in the
                                   paper's layout; of training, how all of
                                   theta has changed, in one column; NULL:
                                   it did not return                      */
} Run;

/* A variation of a run is shown every matrix that the sheet gives for an
   argument, every value when it has been computed, and again when it has
   become a step and is carried on. It answers with M, or with another matrix
   of its shape on its tape that shall take its place. All are in the paper's
   layout. */
typedef enum { IS_GIVEN, IS_COMPUTED, IS_CARRIED } Moment;
typedef struct {
    void *to;
    Mat (*visit)(void *to, Moment moment, const Step *step, Mat M);
    Bound *job;                 /* the run as far as it has come          */
} Variation;

/* Reads off a sheet all that its algorithm takes, in a layout; NULL: in the
   one that it names, or that is likeliest. It lives in the arena. A sheet
   that does not hold what its algorithm needs is refused. */
const Bound *bind_sheet(const Sheet *sheet, const Layout *layout,
                        Arena *arena, Error *f);

/* Runs a bound sheet, as often as wanted, and collects the steps. variation
   may be NULL. The run lives in the arena; the tape is for what a variation
   computes and is cleared after it; without one it may be NULL. An error is
   thrown; if f is NULL, it ends the run. */
const Run *run_bound(const Bound *bound, Variation *variation, Arena *arena,
                     Tape *tape, Error *f);

/* Binds a sheet and runs it once, without a variation. */
const Run *run_sheet(const Sheet *sheet, Arena *arena, Error *f);

/* The matrix that is given at a place: its name, part, layer and head;
   NULL: none is. */
Mat matrix_given(const Bound *bound, const Step *place);
#endif
