/* check/: what is claimed on a sheet is judged, and explained by slips.

   Main types: Judged, and Judgement, the report that text and JSON walk.
   Entry points: judge_sheet, check_text; check and list_slips are commands.
   In goes a sheet; out come verdicts and what explains them. */
#ifndef FTX_CHECK_H
#define FTX_CHECK_H
#include "check/slip.h"

CommandMain check, list_slips;  /* of `ftx check` and `ftx slips`         */

/* A claim may be as near as the digits allow of the claims before it, or of
   what the sheet gives. */
typedef enum { NOT_WITHIN, WITHIN_CLAIMS, WITHIN_GIVEN } Within;

/* A claim with the verdict on each of its entries. A claim in which
   something went wrong first has explanations, if there is one. */
typedef struct {
    Claim claim;
    bool fits;                  /* it has the shape of the step           */
    bool transposed;            /* wrong, but its transpose is right      */
    bool cut_short;             /* not all slips were tried: too much     */
    const char *terms;          /* how its first wrong entry comes about,
                                   where nothing explains it; or NULL     */
    Verdict *verdict;           /* of entry[0], entry[1] ...              */
    int count[VERDICTS];        /* how many there are of each             */
    bool begins;                /* went wrong by itself                   */
    int claimed;                /* how many there are but for OPEN        */
    Within within;
    int n;                      /* what explains all its entries:         */
    Explanation *why;           /* why[0] ... why[n - 1]                  */
    int sources;                /* it follows from, or carries on rounded */
    const int *source;          /* ... the claims of these numbers        */
} Judged;

typedef struct {
    const Run *run;
    int n;
    const Judged *judged;       /* in the order of the steps              */
    int claimed;                /* entries of all claims                  */
    const Layout *other;        /* in which all claims would be right; or
                                   NULL                                   */
    int explained;              /* entries of claims in which none is wrong,
                                   or all of which a slip explains        */
} Judgement;

/* Runs a sheet and judges its claims. The judgement lives in the arena, what
   is computed on the tape. A sheet that cannot be run is an error. */
const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Error *f);

/* Returns how many entries a claim has, open ones too. */
int entries_of(const Claim *claim);

/* Returns the first claim that is wrong and does not just follow from one
   before; if none is, the first that is rounded otherwise; NULL: all that is
   claimed is right. */
const Judged *first_wrong(const Judgement *judgement);

/* Prints a judgement as text. */
void check_text(FILE *out, const Judgement *judgement);

/* Prints a judgement as one JSON object on a line. */
void check_json(FILE *out, const Judgement *judgement);
#endif
