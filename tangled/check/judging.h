/* What the files share that judge. */
#ifndef FTX_JUDGING_H
#define FTX_JUDGING_H
#include "check/check.h"

/* The ways in which the numbers of a sheet may have come about. EXACTLY:
   with all digits, and no error. WRITTEN: each claim is carried on as it is
   written. AFTER: with all digits, but after the errors that were found:
   their slips, and as written what has no reason. BOTH: after those slips,
   and as written. TYPED: whatever was wrong by itself as written, and all
   else with all digits. */
enum { EXACTLY, WRITTEN, AFTER, BOTH, TYPED, WAYS };

typedef struct {
    Arena *arena, *scratch;     /* the scratch is cleared after a try     */
    Tape *tape;
    const Run *way[WAYS];       /* without another slip; NULL: not yet    */
    int n;
    Claim *claim;               /* in the order of the steps              */
    Judged *judged;
    const Run **alone;          /* of each claim that went wrong by itself:
                                   what it alone has changed              */
    Explanation *before;        /* the slips that were found; or NULL     */
    int parts, unexplained;     /* of the wrong claims, the wrong entries */
    Claim *part, *no_reason;    /* ... and of those without a reason      */
    int found;                  /* explanations                           */
    Explanation *why;           /* room for MOST_FOUND                    */
    int best;                   /* entries that these make right later    */
    bool open[WAYS];            /* came the numbers about like that?      */
    const Step *from[WAYS];     /* what comes before does not matter      */
    double work;                /* done so far                            */
} Judging;

enum { MOST_FOUND = 200 };

/* Entry k of a claim, beside a run: its verdict. Are all that are claimed
   right there? Have two steps the same numbers, but for the computer's
   rounding; or the same bits? */
Verdict verdict_in(const Claim *c, int k, const Run *run);
bool explains(const Run *run, const Claim *c);
bool has_same_numbers(const Step *a, const Step *b);
bool has_same_bytes(Mat A, Mat B);

/* in_way is an explanation in a way; run_again runs it, and counts the
   work; run_ways finds the ways from ... to; open_ways, those in which the
   numbers of claim w can have come about. leaves_alone: are they the same
   as in that way? clear forgets what a try has left. */
Explanation in_way(const Judging *j, Explanation why, int way);
const Run *run_again(Judging *j, Explanation *why, Arena *arena);
bool is_too_much(const Judging *j);
void run_ways(Judging *j, int from, int to);
void open_ways(Judging *j, int w);
bool leaves_alone(Judging *j, int w, Explanation why, int way);
void clear(Judging *j);

/* Looks for the slips of a kind that explain claim w: any; where it is off
   by last digits only, those that may change no more than these; where its
   digits seem to be cut off, those of them that are no rounding. right_later:
   so many entries of later claims are right in one of the runs. */
enum { ANY_SLIP, SLIGHT_SLIP, SLIGHT_BUT_NO_ROUNDING };
void look_for_reasons(Judging *j, int w, int kind);

/* Is entry k wrong or off by its last digit? */
bool is_off(const Judged *judged, int k);

/* By how much entries of claim w may be off in a way, because what is given,
   or else what is carried on, was rounded to the digits typed; NULL: it
   would be too much work. */
const double *slack_of(Judging *j, int w, int way, bool given);

/* Is entry k of claim w as near as that? */
bool is_within(const Judging *j, int w, int way, const double *slack, int k);

/* Sets `within` of claim w, if all of it that is off is within the slack of
   what is carried on as written, or of what is given. */
void find_rounding(Judging *j, int w);
int right_later(const Judging *j, int w, const Run *const *run);
#endif
