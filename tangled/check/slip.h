/* Known slips: a table of small variations of the algorithms; explanations of
   how numbers came about, and runs by them.

   Main types: Slip, Explanation. Entry points: the table slips,
   run_explained. In go a bound sheet and an explanation; out comes a run. */
#ifndef FTX_SLIP_H
#define FTX_SLIP_H
#include "sheet/claim.h"
#include "sheet/label.h"

/* A slip edits values: those of some roles, a bit each, or those that the
   sheet gives under some names; and a formula says what stands for them. */
typedef struct {
    uint64_t roles;
    const char *by;             /* such as "softmax(x * ln(k))"           */
    int when;                   /* only where these conditions hold       */
    const char *given;          /* such as "W_q W_k"; or NULL             */
} Edit;
enum {                          /* no conditions, but said among these:   */
    UNWRITTEN = 1 << 12,        /* a claim has the value before the edit,
                                   later lines use that behind it         */
    SLIGHT = 1 << 13            /* see is_slight                          */
};
#define NEW_VALUES ((uint64_t)1 << NO_ROLE)     /* parameters, after a step */
enum { EDITS = 4 };
typedef struct {
    const char *name;           /* such as "no-scale"                     */
    const char *what;           /* the rest of "the entries match if ...",
                                   in the paper's layout                  */
    double number;              /* a base, or how many decimals           */
    Edit at[EDITS];
} Slip;
extern const Slip slips[];
extern const int slips_n;

/* Writes what a slip is, in the words of a layout, and returns it. */
enum { SLIP_BYTES = 200 };
const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout);

/* Returns whether a slip is to round too early. */
bool is_rounding(const Slip *slip);

/* Returns whether a slip is something that programs do, such as an epsilon
   of their own, and may change no more than last digits. */
bool is_slight(const Slip *slip);

/* An explanation of how the numbers of a sheet came about. */
typedef struct Explanation Explanation;
struct Explanation {
    const Slip *slip;           /* this was made; NULL: none              */
    const Step *only;           /* only in its layer, head and turn; NULL:
                                   wherever they can be made              */
    const Step *until;          /* the run ends behind it; NULL: complete */
    const Claim *claim;         /* carried on as written are claim[0] ... */
    int n;                      /* ... claim[n - 1]                       */
    bool applied;               /* did a run meet a place of the slip?    */
    Explanation *before;        /* what was made besides; or NULL         */
};

/* Returns the logarithms of the probabilities that a loss reads; NULL: it
   reads none. */
Mat find_log_probabilities(Mat loss);

/* Runs a sheet by an explanation; it ends early where the algorithm cannot
   go on with such numbers. */
const Run *run_explained(const Bound *bound, Explanation *why,
                         Arena *arena, Tape *tape);

/* Returns the roles of the steps of a run up to one of them, a bit each: of
   the steps in its layer, head and turn; or, if `elsewhere`, of all others.
   Where there are such steps, what a run derives for a slip is among them. */
uint64_t roles_up_to(const Step *from, const Step *until, bool elsewhere);

/* Returns whether a slip edits steps that have these roles, or what the sheet
   gives, and the conditions for it hold. */
bool can_apply(const Bound *bound, const Slip *slip, uint64_t roles);

/* Returns how entry k of a claimed step comes about, term by term, in the
   layout of the sheet: "(2,1) is 1·2 + 2·3 = 8"; and which one of several
   products makes it as claimed, left out or with the wrong sign. NULL:
   nothing is known of it. */
const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape);
#endif
