/* A formula: its derivatives against differences, its value as recorded. */
#ifndef DERIVATIVES_H
#define DERIVATIVES_H
#include "check.h"

/* A formula computes a matrix from operands. Its derivative is checked for
   the loss that adds all entries of the result and of the operands, each
   with a weight of its own. The weights matter: the plain sum of a softmax
   is constant. The operands are in the loss themselves so that a formula
   that overwrites a gradient, instead of adding to it, is caught. */
typedef Mat Formula(const Mat of[]);
enum { MOST = 24 };             /* operands */

static inline double weight(int operand, size_t entry)
{
    return folded(((uint64_t)operand * 1000003u + entry + 1) * 7919u);
}

static inline double weighted_sum(int n, const Mat of[])
{
    double total = 0;
    for (int k = 0; k < n; k++)
        for (size_t e = 0; e < entries_in(of[k]); e++)
            if (isfinite(of[k]->at[e]))         /* what is masked is not in */
                total += weight(k, e) * of[k]->at[e];
    return total;
}

static inline void weighted_forward(struct Matrix *y)
{
    y->at[0] = (real)weighted_sum(y->n, y->of);
}

static inline void weighted_backward(Mat y)
{
    for (int k = 0; k < y->n; k++)
        for (size_t e = 0; e < entries_in(y->of[k]); e++)
            if (y->of[k]->grad != NULL && isfinite(y->of[k]->at[e]))
                y->of[k]->grad[e] += (real)weight(k, e) * y->grad[0];
}

/* Copies of the operands: on the tape if their bit is set, else parameters.
   One of them, if any, has no gradient: a constant, or cut off the tape. */
static inline void place_operands(Mat placed[], int n, const Mat of[],
                                  unsigned on_tape, int without)
{
    for (int k = 0; k < n; k++) {
        int rows = of[k]->rows, cols = of[k]->cols;
        Mat M = on_tape >> k & 1 ? input(tape, rows, cols)
                                 : parameter(tape_arena(tape), rows, cols);
        memcpy(M->at, of[k]->at, entries_in(M) * sizeof(real));
        if (k == without) {
            struct Matrix *cut = arena_alloc(tape_arena(tape), sizeof *cut);
            *cut = *M;
            cut->grad = NULL;
            M = cut;
        }
        placed[k] = M;
    }
}

/* placed[0 ... n-1]: the operands after the walk back. */
static inline double walked(Mat placed[], Formula *formula, int n,
                            const Mat of[], unsigned on_tape, int without)
{
    Mat all[MOST + 1];
    place_operands(placed, n, of, on_tape, without);
    all[0] = formula(placed);
    memcpy(all + 1, placed, (size_t)n * sizeof *placed);
    OPERATION(weighted, OWN_PLACE);
    Mat loss = node_compute(node_new(HERE("loss"), NULL, 1, 1, &weighted_operation,
                                     n + 1, all));
    backward(loss);
    return weighted_sum(n + 1, all);
}

typedef struct {
    Formula *formula;
    int n;
    const Mat *of;
    unsigned on_tape;
} Call;

/* The loss alone, on the tape that keeps no gradients. */
static inline double loss_of(void *with)
{
    const Call *call = with;
    Mat all[MOST + 1];
    Tape *wanting = tape;
    tape = quiet;
    place_operands(all + 1, call->n, call->of, call->on_tape, -1);
    all[0] = call->formula(all + 1);
    double loss = weighted_sum(call->n + 1, all);
    if (all[0]->grad != NULL)
        fail_at(HERE("formula"), "has a gradient that nobody wants");
    tape_clear(quiet);
    tape = wanting;
    return loss;
}

/* In double the relative error is at most 1e-7; the rounding of the
   difference itself leaves up to 1e-9 in an entry that should be 0. */
static inline bool derivatives_agree(double a, double b)
{
    double relative = IS_DOUBLE ? 1e-7 : 1e-2;
    double rounding = IS_DOUBLE ? 1e-9 : 1e-3;
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + rounding;
}

/* Where one operand wants no gradient, the others get the same as ever. */
static inline void gradients_apart_at(Where where, Formula *formula, int n,
                                      const Mat of[], unsigned on_tape)
{
    Mat placed[MOST] = { NULL }, all[MOST] = { NULL };
    walked(placed, formula, n, of, on_tape, -1);
    for (int k = 0; k < n; k++) {
        all[k] = constant(arena, of[k]->rows, of[k]->cols);
        memcpy(all[k]->at, placed[k]->grad, entries_in(of[k]) * sizeof(real));
    }
    for (int cut = 0; cut < n; cut++) {
        walked(placed, formula, n, of, on_tape, cut);
        for (int k = 0; k < n; k++)
            for (size_t e = 0; k != cut && e < entries_in(of[k]); e++)
                near_at(where, placed[k]->grad[e], all[k]->at[e], TIGHT);
    }
}

/* The derivative by each operand agrees with differences, and does not
   depend on whether the others want one.
   on_tape: bit k says that operand k is an input on the tape. */
#define assert_derivatives(formula, n, of, on_tape) \
    derivatives_at(HERE(#formula), formula, n, of, on_tape)
static inline void derivatives_at(Where where, Formula *formula, int n,
                                  const Mat of[], unsigned on_tape)
{
    Mat placed[MOST] = { NULL };
    Call call = { formula, n, of, on_tape };
    double loss = walked(placed, formula, n, of, on_tape, -1);
    near_at(where, loss_of(&call), loss, 0);
    for (int k = 0; k < n; k++)
        for (size_t e = 0; e < entries_in(of[k]); e++) {
            double a = placed[k]->grad[e];
            double b = difference(loss_of, &call, &of[k]->at[e]);
            if (!derivatives_agree(a, b))
                fail_at(where, "operand %d, entry %zu (from 0): derivative "
                        "%.17g, difference %.17g", k + 1, e, a, b);
        }
    gradients_apart_at(where, formula, n, of, on_tape);
    tape_clear(tape);
}

/* What another program computed, row after row: operands, one behind the
   other, and the result. */
typedef struct {
    const double *of, *result;
} Record;

/* of: operands of the right shapes, which get the recorded numbers. */
#define assert_recorded_formula(formula, n, of, on_tape, record) \
    recorded_formula_at(HERE(#record), formula, n, of, on_tape, &record)
static inline void recorded_formula_at(Where where, Formula *formula, int n,
                                       const Mat of[], unsigned on_tape,
                                       const Record *record)
{
    Mat placed[MOST] = { NULL };
    const double *at = record->of;
    for (int k = 0; k < n; at += entries_in(of[k++]))
        fill(of[k], at);
    place_operands(placed, n, of, on_tape, -1);
    Mat Y = formula(placed);
    rows_at(where, Y, Y->rows, Y->cols, record->result, RECORDED);
}
#endif
