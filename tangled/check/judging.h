/* What the files share that judge a sheet.

   Main type: Judging, a judgement in progress. Entry point: judge_sheet of
   check.h. In go the claims of a run; out come verdicts and reasons. */
#ifndef FTX_JUDGING_H
#define FTX_JUDGING_H
#include "check/check.h"

/* How the numbers of a sheet may have come about. EXACTLY: with all digits,
   and no error. AFTER_ERRORS: with all digits, but after the errors that
   were found: their slips, and as written what has no reason. AS_WRITTEN:
   after those slips, and each claim is carried on as it is written. */
typedef enum { EXACTLY, AS_WRITTEN, AFTER_ERRORS, PREMISES } Premise;

typedef struct {
    Arena *arena, *scratch;     /* the scratch is cleared after a trial   */
    Tape *tape;
    const Run *run[PREMISES];   /* without another slip; NULL: not yet    */
    int n;
    Claim *claim;               /* in the order of the steps              */
    Judged *judged;
    Explanation *slips;         /* that were found so far; or NULL        */
    Claim *unexplained;         /* of the wrong claims without a reason,  */
    int unexplained_n;          /* the wrong entries                      */
    int best;                   /* later entries that its reasons make
                                   right                                  */
    double work;                /* done so far                            */
} Judging;

/* Makes the run of a premise anew, after what was found so far. */
void run_premise(Judging *j, Premise h);

/* Returns whether no entry of a claim has a worse verdict in a run. */
bool is_at_worst(const Claim *c, const Run *run, Verdict worst);

/* Returns whether two steps have the same numbers, but for the computer's
   own rounding; NULL is the same as nothing. */
bool has_same_numbers(const Step *a, const Step *b);

/* Finds the slips that explain claim w, which is judged but for them. Those
   of a wrong claim may be any; else they only change last digits, and are no
   rounding where digits are cut off. If there are none, judged[w].within may
   be set. The wrong entries stand behind the unexplained claims then. */
void find_reasons(Judging *j, int w);

/* Returns whether the step of claim w changes if claim k is carried on as
   written, too, where so are the claims before it that are right; or, if
   `all`, where all are, and the numbers of claim k are others. */
bool is_changed_by(Judging *j, int w, int k, bool all);

/* Returns whether carrying the claim on as written changes a number. */
bool is_rounded(const Judged *judged);

/* Returns whether entry k is wrong or off by its last digit. */
bool is_off(const Judged *judged, int k);
#endif
