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
    bool open[PREMISES];        /* may the claim have come about so?      */
    uint64_t here, elsewhere;   /* roles up to the claim, see roles_up_to */
    int found;                  /* explanations ...                       */
    Explanation *why;           /* ... of a claim: room for MOST_FOUND    */
    int best;                   /* entries that these make right later    */
    double work;                /* done so far                            */
} Judging;

enum { MOST_FOUND = 200 };

/* Returns why, its claim, n and before set to those of premise h: which
   claims before are carried on, and which slips were made in them. */
Explanation under_premise(const Judging *j, Explanation why, Premise h);

/* Runs the sheet by an explanation and counts the work. The run lives in the
   arena. */
const Run *run_by_explanation(Judging *j, Explanation *why, Arena *arena);

/* Clears the scratch and the tape after a trial. */
void clear_trial(Judging *j);

/* Returns whether more work was done than a reader would wait for. */
bool is_too_much(const Judging *j);

/* Returns whether all claimed entries are right in a run. */
bool is_right_in(const Claim *c, const Run *run);

/* Returns whether two steps have the same numbers, but for the computer's
   own rounding; NULL is the same as nothing. */
bool has_same_numbers(const Step *a, const Step *b);

/* Returns a claim with entries of its own, which are *entry and may be
   changed. It lives in the arena. */
Claim copy_claim(Arena *arena, const Claim *claim, Entry **entry);

/* Counts the entries of the claims behind claim w that are right in one of
   the runs, run[EXACTLY] ...; a run may be NULL. */
int count_right_later(const Judging *j, int w, const Run *const *run);

/* Finds the slips that explain claim w: any; SLIGHT_SLIP: only those that
   change last digits; SLIGHT_BUT_NO_ROUNDING: of these, no early rounding.
   They are j->why[0] ... j->why[j->found - 1]; if there are none, the first
   two kinds may set j->judged[w].within. */
enum { ANY_SLIP, SLIGHT_SLIP, SLIGHT_BUT_NO_ROUNDING };
void find_reasons(Judging *j, int w, int kind);

/* Returns whether the step of claim w changes if claim k is carried on as
   written, too, where so are the claims before it that are right; or, if
   `all`, where all are, and the numbers of claim k are others. */
bool is_changed_by(Judging *j, int w, int k, bool all);

/* Returns whether a claim went wrong by itself. */
bool went_wrong(const Judged *judged);

/* Returns whether entry k is wrong or off by its last digit. */
bool is_off(const Judged *judged, int k);
#endif
