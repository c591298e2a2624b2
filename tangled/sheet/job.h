/* What binding a sheet and running it share. Main types: Job, which is a
   Bound while it runs, and Given. In go items; out come matrices in
   the paper's layout, and then steps. */
#ifndef FTX_JOB_H
#define FTX_JOB_H
#include "sheet/claim.h"
#include "sheet/label.h"
#include "practice/practice.h"
#include "library/tape.h"

typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct {
    int algorithm;
    int H;                      /* the heads, which share the rows of Y   */
    int n;
    Dimension dimension[24];
    const Item *item;           /* the latest, or what does not fit, ...  */
    const Argument *argument;   /* ... since in this shape ...            */
    const char *symbol;         /* ... this (NULL: it is no vector) ...   */
    int is;                     /* ... is that, but was another size ...  */
    const Item *by;             /* ... by this                            */
} Dimensions;

typedef struct Given {          /* what is given, or stands in for that   */
    const Item *item;           /* of the sheet; NULL: it is assumed      */
    const Argument *shape;      /* its kind, and the letters of its shape */
    Step place;                 /* such as W_q of layer 2, head 1; or,
                                   where it has a row, a step             */
    const StepRow *user;        /* the first step computed from it        */
    Mat M;                      /* in the paper's layout; NULL: no matrix */
    Mat *to;                    /* where theta has it; NULL: in none      */
} Given;

typedef struct {                /* how far a run has come                 */
    double entries;             /* of all steps so far                    */
    Place at;                   /* the part, layer, head that is running  */
    const struct Seen *seen;    /* the latest                             */
    Mat S;                      /* the scores; NULL once they are scaled  */
    bool rederive;              /* does a line follow from a derived step? */
    bool misses;                /* what it is made of is unknown          */
} RunState;

typedef struct {                /* of Algorithms 11 to 15                 */
    int turn, turns;            /* these are known of a training          */
    int *row, in_row;           /* indices, or tokens embedded, seen ...  */
    const char *row_line;       /* ... and where                          */
    int ell_gen;                /* tokens to be drawn                     */
    NumberList chances;         /* uniform numbers for all that is drawn  */
    bool undrawn;               /* a token is not known                   */
} LoopState;

typedef struct Bound {          /* 18 fields: all that a sheet says       */
    Run run;                    /* what comes out                         */
    Error *f;
    Arena *arena;
    Tape *tape;
    Variation *variation;       /* NULL: none                             */
    const Item *start;          /* the item `algorithm`                   */
    Given *given;               /* of each item but claims; then what is
                                   assumed; then one without a shape      */
    int givens;
    bool late;                  /* a step is given: not all is known      */
    int conditions;             /* see names.h                            */
    bool identity;              /* all W are left out                     */
    uint64_t on_demand;         /* roles to derive for claims and slips   */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    double tau;
    Dimensions size;
    Theta *running;             /* as it is now; in Algorithm 2 W_p alone */
    RunState now;
    LoopState loop;
} Job;
#endif
