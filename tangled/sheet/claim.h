/* Claims of a sheet beside the steps of a run, and what is right. Main type:
   Claim. Entry points: claims_of, verdict_on. A run flows in, verdicts flow
   out. */
#ifndef FTX_CLAIM_H
#define FTX_CLAIM_H
#include "sheet/run.h"

/* A claim of a sheet, as it is judged, and the step of a run that it is
   about. Its entries have as many decimals as are judged: EXACT means all. */
typedef struct {
    const Item *item;
    const Step *step;
} Claim;

/* Returns the claims of the sheet of a run, in the order of their steps, and
   in *n how many they are. They belong to the arena. A claim without a line
   is about the first of its namesakes with which it agrees most; a claim
   about no step is refused. */
Claim *claims_of(const Run *run, Arena *arena, int *n, Error *f);

/* Returns the entry of M, in the sheet's layout, that entry k of a claim of
   that shape, counted from 0 row after row, is about. */
real *claimed_entry(Mat M, int k);

/* Writes the place of an entry of a claim, such as (1,2), in a vector (2),
   of a single entry "", and returns it. */
const char *entry_place(char to[40], const Item *claim, int k);

/* Writes the number x that an entry should be: whole, as a fraction, or with
   as many digits as tell it from what was claimed. */
void right_number(char to[60], const Entry *entry, double x);

/* What a claimed entry is. OPEN: nobody claims it. LAST_DIGIT: its last
   digit is off by one. CUT: its digits are cut off, not rounded. EARLY:
   right had nothing been rounded that was carried on. FOLLOWS: wrong, but
   right after what went wrong before. */
typedef enum { OPEN, RIGHT, LAST_DIGIT, CUT, EARLY, FOLLOWS, WRONG,
               VERDICTS } Verdict;

/* Judges an entry of a claim by the number x that it should be: it is open,
   right, off by its last digit, or wrong. This alone says what is right. */
Verdict verdict_on(const Entry *entry, double x);

/* Returns whether a typed score is -inf, or a number such as -1e9, which
   programs write for it. */
bool is_minus_infinity(double typed);

/* Returns whether an entry is what is left of x when digits are cut off. */
bool is_cut_from(const Entry *entry, double x);

/* Returns the unit of the last of so many decimals, such as 0.01. */
double unit_of(int decimals);

/* Returns whether two numbers are the same but for the computer's own
   rounding. */
bool same_number(double a, double b);

/* Returns whether a step has the shape of the claim, where one row and one
   column are the same; NULL has none. */
bool is_comparable(const Item *claim, const Step *step);

/* Returns how many entries of a claim are right in a run. */
int count_right(const Claim *claim, const Run *run);

/* Returns for how many entries of a claim, open ones too, is(entry, x) holds,
   where x is the number there in a run; 0: the run has no such step. */
int count_in(const Claim *claim, const Run *run,
             bool (*is)(const Entry *entry, double x));

/* Returns the most decimals of an entry. */
int most_decimals(const Item *claim);

/* Returns how many claimed entries are right in a layout; below 0: claims
   have another shape there, or the sheet cannot be computed. */
int fit_in(const Layout *layout, const Sheet *sheet);
#endif
