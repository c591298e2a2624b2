/* check/: what is claimed on a sheet is judged, and explained by slips. */
#ifndef FTX_CHECK_H
#define FTX_CHECK_H
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"

/* A slip strikes values: those of some roles, a bit each, or those that the
   sheet gives under some names; and a formula says what stands for them. */
typedef struct Slipping Slipping;
typedef struct {
    uint64_t roles;
    const char *by;             /* such as "softmax(x * ln(k))"           */
    unsigned when;              /* only where these conditions hold       */
    const char *given;          /* such as "W_q W_k"; or NULL             */
    Mat (*instead)(Slipping *s, Mat M);     /* where no formula says it   */
} Strike;
enum { STRIKES = 6 };
typedef struct {
    const char *name;           /* such as "no-scale"                     */
    const char *what;           /* the rest of "the entries match if ...",
                                   in the paper's layout                  */
    double number;              /* a base, or how many decimals           */
    Strike at[STRIKES];
} Slip;
extern const Slip slips[];
extern const int slips_n;

/* What a slip is, in the words of a layout, in to. Is it one of rounding
   too early? */
enum { SLIP_BYTES = 200 };
const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout);
bool is_rounding(const Slip *slip);

/* Do programs make the slip, which may change no more than last digits? */
bool is_slight(const Slip *slip);

/* A slip in one entry of a product such as S = K^T Q, a sum of terms: one
   of them is left out, or has the wrong sign, or two have exchanged a
   factor. cell_sentence says so: "in (2,1) the term 2·3 is left out". */
typedef struct {
    enum { LEFT_OUT, WRONG_SIGN, CROSSED } kind;
    int entry;                  /* of the claim, counted from 0           */
    char in[44];                /* such as "in (1,2) "; a single one: ""  */
    int i, j;                   /* its place in the paper's layout        */
    double left[2], right[2];   /* the factors of the term, or of both    */
    double change;              /* of the sum                             */
} CellSlip;
const char *cell_sentence(char *to, size_t size, const CellSlip *cell);

/* An explanation of how the numbers of a sheet came about. */
typedef struct Explanation Explanation;
struct Explanation {
    const Slip *slip;           /* this was made; NULL: none              */
    const CellSlip *cell;       /* or cell[0] ... cell[cells - 1] ...     */
    int cells;                  /* ... in the step `only`                 */
    const Step *only;           /* only in its layer, head and turn; NULL:
                                   wherever they can be made              */
    const Step *until;          /* the run ends behind it; NULL: complete */
    int shaken;                 /* so many values are others, at first    */
    const Claim *claim;         /* carried on as written are claim[0] ... */
    int n;                      /* ... claim[n - 1]                       */
    bool made;                  /* did a run meet a place of the slip?    */
    bool of_given;              /* nudged is a number that is given, else
                                   one that is carried on                 */
    int nudged, numbers;        /* by half a unit of its last digit; of so
                                   many. 0: none is                       */
    Explanation *before;        /* what was made besides; or NULL         */
};

/* Runs a sheet by an explanation; it ends early where the algorithm cannot
   go on with such numbers. */
const Run *run_explained(const Bound *bound, Explanation *why,
                         Arena *arena, Tape *tape);

/* Whether the slip can be made in one of the steps of a run, those with
   among[k], or in any if among is NULL; and inside or outside of where a
   slip is made that is made only at a step. */
bool has_place(const Run *run, const Slip *slip, const bool *among,
               const Step *only, bool inside);

/* Finds the slips that explain single entries of a claim, entry after entry,
   and returns how many they are; what stands before the claim came about as
   `why` has it. */
int cell_slips(const Bound *bound, Explanation why, const Claim *claim,
               Arena *arena, Tape *tape, const CellSlip **cell);

/* How entry k of a claimed step comes about, term by term, in the layout of
   the sheet: "(2,1) is 1·2 + 2·3 = 8"; NULL: nothing is known of it. */
const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape);

/* A claim with the verdict on each of its entries. A claim in which
   something went wrong first has explanations, if there is one. Its
   entries have as many decimals as are judged: EXACT means all. */
typedef struct {
    Claim claim;
    bool fits;                  /* it has the shape of the step           */
    bool turned;                /* wrong, but its transpose is right      */
    bool cut_short;             /* not all slips were tried: too much     */
    const char *terms;          /* how its first wrong entry comes about,
                                   where nothing explains it; or NULL     */
    Verdict *verdict;           /* of entry[0], entry[1] ...              */
    int count[VERDICTS];        /* how many there are of each             */
    bool begins;                /* went wrong by itself                   */
    bool is_right;              /* all of it                              */
    enum { NOT_WITHIN, WITHIN_CLAIMS, WITHIN_GIVEN } within;
                                /* as near as the digits of these allow   */
    int n;                      /* what explains all its entries:         */
    const Explanation *why;     /* why[0] ... why[n - 1]                  */
    int sources;                /* it follows from, or carries on rounded */
    const int *source;          /* ... the claims of these numbers        */
} Judged;

typedef struct {
    const Run *run;
    int n;
    const Judged *judged;       /* in the order of the steps              */
    const Layout *other;        /* in which all claims would be right; or
                                   NULL                                   */
} Judgement;

/* judge_sheet runs a sheet and judges its claims. What is wrong with the
   numbers that are given ends the attempt. How many entries of a claim, and
   of all claims, are claimed; are all that are claimed right? */
const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Error *f);
int claimed_entries(const Judged *judged);
int all_claimed(const Judgement *judgement);
bool all_right(const Judgement *judgement);

/* Whether something is off, but by no more than rounding. */
bool is_only_rounded(const Judgement *judgement);

/* A judgement as text and as JSON; what went wrong first, and why, in one
   sentence; its claims as the steps of a run, with marks. */
void check_text(FILE *out, const Judgement *judgement);
void check_json(FILE *out, const Judgement *judgement);
void first_sentence(char to[1000], const Judgement *judgement);
const Run *marked_run(const Judgement *judgement, Arena *arena);

/* What is odd about the entries of a claim, each in a few words. */
typedef struct {
    int n;
    char text[5][200];
} Remarks;
void remarks_on(const Judgement *judgement, const Judged *judged,
                Remarks *to);

/* What a slip does to a sheet. */
typedef struct {
    const Slip *slip;
    const Step *right, *wrong;  /* the first step that it changes, as it
                                   is and as it becomes; NULL: it changes
                                   none                                   */
    int i, j;                   /* the first entry                        */
    uint64_t sum;               /* of all numbers that are asked for      */
} Effect;

/* effects_of finds the effects of the n slips that can be made on the sheet
   of a run. Asked for are the steps that are claimed, or all if none is, to
   so many decimals. *sum is that of the run itself. effect_of finds the
   effect of one slip; false if it cannot be made. sum_of_answers is the sum
   of those numbers of another run that this one is asked for. */
Effect *effects_of(const Run *run, int decimals, Arena *arena, Tape *tape,
                   int *n, uint64_t *sum);
bool effect_of(const Run *run, const Slip *slip, int decimals, Arena *arena,
               Tape *tape, Effect *effect);
uint64_t sum_of_answers(const Run *run, const Run *other, int decimals);

CommandMain check, slips_known; /* of `ftx check` and `ftx slips`         */
#endif
