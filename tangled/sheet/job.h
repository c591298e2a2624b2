/* What binding a sheet and running it share. Main types: Job, which is a
   Bound while it runs, and GivenMatrix. In go items; out come matrices in
   the paper's layout, and then steps. */
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

typedef struct {                /* what the algorithm takes               */
    Step place;                 /* W_q of layer 2, head 1                 */
    bool shape;                 /* nothing is given but that              */
    Mat M;                      /* in the paper's layout                  */
} GivenMatrix;

typedef struct {                /* a step that the sheet gives            */
    const StepRow *row;         /* NULL: the item gives none              */
    Aspect aspect;              /* GRADIENT: only that is given           */
    Part part;
    int layer, head, turn;
    Argument shape;
    Mat M;                      /* in the paper's layout                  */
} Entered;

typedef struct {                /* how far a run has come                 */
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    double entries;             /* of all steps so far                    */
    Place at;                   /* the part, layer, head that is running  */
    const struct Seen *seen;    /* the latest                             */
    Mat S;                      /* the scores before they are scaled      */
    Mat end;                    /* the step where gradients begin         */
    const StepRow *first, *last;        /* that a late run computes       */
    bool rederive;              /* does a line follow from a derived step? */
    const Step *deriving;       /* the step that a formula is for         */
    bool misses;                /* what it is made of is unknown          */
    bool counts;                /* this run is one of find_used           */
    int known;                  /* values that are, or could be computed  */
} RunState;

typedef struct {                /* of Algorithms 11 to 15                 */
    int turn, epoch;
    Theta *theta;               /* to train ...                           */
    Training how;
    const Data *data;           /* ... with this ...                      */
    int data_n;                 /* ... of so many sequences               */
    int sequence, drawn;        /* the sequence; numbers drawn for it     */
    const double *u;            /* uniform numbers, for each token        */
    int *row, in_row;           /* indices seen in a loop ...             */
    const char *row_line;       /* ... and where                          */
    int ell_gen;                /* tokens to be drawn                     */
    NumberList *chances;        /* uniform numbers for them               */
    Mat kept;                   /* of the latest q; NULL: nothing is      */
} LoopState;

typedef struct Bound {          /* 29 fields: all that a sheet says       */
    Run run;                    /* what comes out                         */
    Error *f;
    Arena *arena;
    Tape *tape;
    Variation *variation;       /* NULL: none                             */
    const Item *start;          /* the item `algorithm`                   */
    const Argument **argument;  /* what each item is; NULL: a claim, ...  */
    Entered *entered;           /* ... or, where row is not NULL, a step  */
    bool late;                  /* a step is given: not all is known      */
    bool *used;                 /* each item of a late sheet              */
    bool identity;              /* all W are left out                     */
    bool *wanted, derives;      /* which rows are derived; is any?        */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    Mask mask;
    Mat positions;              /* as they were computed; NULL: given     */
    double tau, epsilon;
    int H;                      /* the heads                              */
    Dimensions size;
    char assumed[4000];
    GivenMatrix *given;         /* the matrices that were bound ...       */
    int givens;                 /* ... how many                           */
    Hyperparameters hyper;      /* of a model                             */
    Theta *model, *running;     /* theta as it is given; as it runs       */
    RunState now;
    LoopState loop;
} Job;
#endif
