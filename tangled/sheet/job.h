/* What binding a sheet and running it share.

   Main types: Job, which is a Bound while it runs, and GivenMatrix. In go
   the items of a sheet; out come matrices in the paper's layout, and then
   the steps of a run. */
#ifndef FTX_JOB_H
#define FTX_JOB_H
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"
#include "practice/practice.h"
#include "library/tape.h"
#include <string.h>

typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct { int n; Dimension dimension[24]; } Dimensions;

typedef struct {
    const Item *item;           /* does not fit, because ...              */
    const Argument *argument;
    const Dimension *letter;    /* ... this was fixed before; NULL: it    */
    int is;                     /* is no vector                           */
} Misfit;

typedef struct {                /* what the algorithm takes               */
    Step place;                 /* W_q of layer 2, head 1                 */
    bool shape;                 /* nothing is given but that              */
    Mat M;                      /* in the paper's layout                  */
} GivenMatrix;

typedef struct {                /* a step that the sheet gives            */
    const StepRow *row, *also;  /* it is both; NULL: not another          */
    Aspect aspect;              /* GRADIENT: only that is given           */
    Part part;
    int layer, head, turn;
    Argument shape;
    Mat M;                      /* in the paper's layout                  */
} Entered;

typedef struct Seen {           /* a step that the run has come by        */
    Step step;
    bool known;                 /* else its numbers are NaN               */
    int item;                   /* of the sheet that gives it; -1: none   */
    Mat M;                      /* NULL: a formula tells it               */
    const struct Seen *before;
} Seen;

typedef struct Bound {
    Run run;                    /* what comes out                         */
    Error *f;
    Arena *arena;
    Tape *tape;
    const Item *start;          /* the item `algorithm`                   */
    const Argument **argument;  /* what each item is; NULL: a claim, ...  */
    Entered *entered;           /* ... or, where row is not NULL, a step  */
    bool late;                  /* a step is given: not all is known      */
    bool stops;                 /* or a model ends before W_u             */
    bool *used;                 /* each item of a late sheet              */
    bool counts;                /* this run is one of find_used           */
    int known;                  /* values that are, or could be computed  */
    const Seen *seen;           /* the latest                             */
    bool identity;              /* all W are left out                     */
    const StepRow *first, *last;        /* that a late run computes       */
    bool *wanted, derives;      /* which rows are derived; is any?        */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    Mat end;                    /* that step                              */
    bool rederive;              /* does a line follow from such a step?   */
    const Step *deriving;       /* the step that a formula is for         */
    bool misses;                /* what it is made of is unknown          */
    Mask mask;
    Mat positions;              /* as they were computed; NULL: given     */
    double tau;
    int H;                      /* the heads                              */
    Dimensions size;
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    double entries;             /* of all steps so far                    */
    char assumed[4000];
    double epsilon;
    Variation *variation;       /* NULL: none                             */
    GivenMatrix *given;         /* the matrices that were bound ...       */
    int givens;                 /* ... how many                           */
    Theta *model, *running;     /* theta as it is given; as it runs       */
    Mat S;                      /* the scores before they are scaled      */
    Hyperparameters hyper;      /* of a model                             */
    Place at;                   /* the part, layer, head that is running  */
    int turn;                   /* of a loop                              */
    Theta *theta;               /* to train                               */
    Training how;
    const double *u;            /* uniform numbers, for each token        */
    int data_n, epoch;          /* how many sequences it has; which epoch */
    int *row, in_row;           /* indices seen in a loop                 */
    const char *row_line;       /* ... and where                          */
    int ell_gen;                /* tokens to be drawn                     */
    const Data *data;           /* to train with ...                      */
    int sequence, drawn;        /* ... its sequence; numbers for that     */
    NumberList *chances;        /* uniform numbers for them               */
    Mat kept;                   /* of the latest q; NULL: nothing is      */
} Job;
#endif
