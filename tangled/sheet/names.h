/* The observer of a run, and what the names in a formula stand for. Main
   types: Lookup, Seen. Entry points: collect_step, evaluate_formula. In go a
   formula and a run as far as it has come; out comes a matrix. */
#ifndef FTX_NAMES_H
#define FTX_NAMES_H
#include "sheet/bind.h"

typedef struct Seen {           /* a step that the run has come by        */
    Step step;
    Mat M;                      /* on the tape; NULL: it is not known     */
    const struct Seen *before;
} Seen;

/* Conditions of a run, of a name or of a slip, a bit each. */
enum {
    IF_CROSS = 1,               /* here is the cross-attention            */
    IF_UNDIVIDED = 1 << 1,      /* scores are not divided by √d_attn, ... */
    IF_LAYER_NORM = 1 << 2,
    IF_RMS = 1 << 3,
    IF_PRE_NORM = 1 << 4,       /* Algorithm 10 and its kin               */
    IF_RELU = 1 << 5,           /* Algorithm 8 and its kin                */
    IF_GELU = 1 << 6,
    IF_BLANKS = 1 << 7,         /* masked tokens are predicted            */
    IF_PAPER = 1 << 8,          /* positions are computed so ...          */
    IF_VASWANI = 1 << 9,        /* ... or so                              */
    IF_DIVIDED = 1 << 10,       /* ... are divided by √d_attn             */
    IF_TABLE = 1 << 11          /* here are all positions, not a few      */
};

#define SINES(angle) "sin(" angle " + phase)"
#define COUNT(table) ((int)(sizeof table / sizeof *table))

/* Where a formula stands. */
typedef struct {
    Job *job;                   /* the run as far as it has come          */
    const Step *here;           /* the step that it is for ...            */
    Mat it;                     /* ... and its value; NULL: none so far   */
    double number;              /* k, of a slip                           */
    Mat mask;                   /* the scores behind it, without a slip   */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
} Lookup;

/* Returns whether the run and the place are as the conditions want it. */
bool condition_holds(const Lookup *at, int when);

/* Returns the value of a formula, where `it` is the value of the step; NULL:
   it has none, since a name is unknown or shapes do not fit. */
Mat evaluate_formula(Lookup *at, const char *formula, Mat it);

/* The latest step of such a role in this turn of the loop: in Algorithm 4 of
   the same head, and an embedding, a position or a part of an MLP of the same
   line and layer. The latest X or Z of a model, for a context Z only. What is
   given as `name` for a step's head and layer. NULL: there is none. */
const Seen *latest_seen(const Job *job, const Step *here, uint64_t roles);
const Seen *latest_flow(const Job *job, bool context);
Given *find_beside(const Job *job, const Step *step, const char *name);

/* Returns what the scores are divided by; NaN: nothing tells it. In a model
   without W_q there are no scores but 0. */
double scaling(const Job *job);

/* Returns whether a number of M is not known: NaN. */
bool is_unknown(Mat M);

/* Returns n integers as a row. */
Mat integers_constant(const Job *job, int n, const int *number);

/* Returns whether the tokens that the line of a step embeds are not known: a
   sheet that starts late has none, or one was drawn from what is unknown. */
bool lacks_tokens(const Job *job, const Step *step);

/* The observer of a run: makes a step of each value, and answers with what
   the sheet gives for it or a variation makes of it. M is NULL where a line
   names an index. Of updated parameters it only takes note. */
Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index);

/* Notes that a step was seen which is a row of n integers, and adds it to the
   run; if they are not known it is only noted. Returns the row. */
Mat add_integers(Job *job, Step step, int n, const int *number, bool known);

/* Runs backward from the step where gradients begin, and adds them. */
void collect_gradients(Job *job);
#endif
