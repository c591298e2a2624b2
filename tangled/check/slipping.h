/* What the files share that make slips. */
#ifndef FTX_SLIPPING_H
#define FTX_SLIPPING_H
#include "check/check.h"
#include "library/tape.h"

enum {
    IF_DIVIDED = 1,             /* the scores are, by √d_attn ...         */
    IF_UNDIVIDED = 1 << 1,      /* ... or not                             */
    IF_MASKED = 1 << 2,         /* some score is hidden                   */
    IF_UNMASKED = 1 << 3,
    IF_LAYER_NORM = 1 << 4,
    IF_RMS = 1 << 5,
    IF_SINES = 1 << 6,          /* the positions are computed             */
    IF_GIVEN_W_p = 1 << 7,
    IF_PLACED = 1 << 8,         /* a model has positions                  */
    IF_PRE_NORM = 1 << 9,       /* Algorithm 10 and its kin               */
    IF_POST_NORM = 1 << 10,     /* Algorithms 8 and 9 and theirs          */
    IF_RELU = 1 << 11,          /* Algorithm 8                            */
    IF_GELU = 1 << 12,
    IF_CROSS = 1 << 13,         /* in the cross-attention                 */
    IF_NOT_CROSS = 1 << 14,
    IF_UNTIED = 1 << 15,
    IF_NEXT = 1 << 16,          /* the next token is predicted            */
    IF_BLANKS = 1 << 17,        /* tokens that are masked are             */
    IF_TEMPERED = 1 << 18,      /* tau is not 1 ...                       */
    IF_DIVIDING = 1 << 25,      /* ... and neither 0 nor infinite         */
    IF_ONE_QUERY = 1 << 19,     /* Algorithm 3                            */
    IF_UNEMBEDDED = 1 << 20,    /* Algorithm 7                            */
    IF_SEVERAL = 1 << 21,       /* tokens are in the loss                 */
    UNWRITTEN = 1 << 22,        /* it is written, the other carried on    */
    STRAIGHT = 1 << 23,         /* the gradient does not hear of it       */
    EXCHANGED = 1 << 24,        /* X and Z are                            */
    SLIGHT = 1 << 26            /* programs do it, and it may change no
                                   more than last digits                  */
};

#define COUNT(table) ((int)(sizeof table / sizeof *table))
#define ROLE(role)  ((uint64_t)1 << ROLE_##role)
#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */

enum { ROLES = 64 };            /* at most: a bit each */

typedef struct Kept {           /* a matrix that the sheet gives          */
    Step place;
    Mat M;
    const struct Kept *before;
} Kept;

struct Slipping {
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Bound *bound;
    Variation variation;
    Arena *arena;
    Tape *tape;
    const Step *here;           /* where the slip is made ...             */
    Mat it;                     /* ... and what stands there              */
    const Kept *kept;
    Mat latest[ROLES];          /* of this turn                           */
    int turn;
    Mat input, context;         /* the latest X or Z of a model, Z        */
    const StepRow *from;        /* the row of input                       */
    Mat mask;                   /* the scores behind it, without a slip   */
    bool hides;                 /* it does one of them                    */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
    int H;                      /* heads so far                           */
    unsigned truths;            /* of the run; 0: not yet asked           */
    const struct Visit *visit;  /* of a step; NULL: none                  */
};

/* Ends the run: the slip asks for what cannot be. */
_Noreturn void cannot_be(Slipping *s);

/* begin_turn forgets the values of another turn; note remembers one under
   its role; holds: is the run, and the place, as the conditions want it?
   truths_of_run are those that hold in all of it, ONLY_HERE those that each
   place has for itself. made_by is the value of a formula where M stands;
   NULL: it cannot be made. */
void begin_turn(Slipping *s, const Step *step);
void note(Slipping *s, const Step *step, Mat M);
enum {
    NO_CONDITION = UNWRITTEN | STRAIGHT | SLIGHT,
    ONLY_HERE = IF_MASKED | IF_UNMASKED | IF_RELU | IF_GELU | IF_CROSS
              | IF_NOT_CROSS | IF_SEVERAL | NO_CONDITION
};
unsigned truths_of_run(const Run *run);
bool holds(Slipping *s, unsigned when);
Mat made_by(Slipping *s, const char *formula, Mat M);
Mat zeros_of(Slipping *s, int rows, int cols);
bool any_hidden(Mat M);
Mat log_probabilities(Mat loss);        /* that it reads; or NULL         */

/* The token that is drawn by these slips. */
Mat not_summed(Slipping *s, Mat M);
Mat in_order_of_size(Slipping *s, Mat M);
Mat drawn_from_p(Slipping *s, Mat M);

/* Runs a sheet as `why` has it, up to a step, and shows look what stands
   there: M, in the paper's layout. */
typedef struct Visit {
    const Step *step;
    void (*look)(void *to, Slipping *s, Mat M);
    void *to;
} Visit;
void visit_step(const Bound *bound, Explanation why, const Visit *visit,
                Arena *arena, Tape *tape);

/* Is the value at that step a product, and a bias at most? Then it is
   left^T right. */
bool factors_of(Slipping *s, const Step *step, Mat M, Mat factors[2]);


#endif
