/* From probabilities to a token. */
#include "library/operation.h"
#include "library/tape.h"
#include <math.h>

Mat column_at(Mat P, int t)
{
    REQUIRE(1 <= t && t <= P->cols, "t = %d; P has %d columns.",
            t, P->cols);
    struct Matrix *p = arena_alloc(tape_arena(P->tape), sizeof *p);
    *p = (struct Matrix){ .rows = P->rows, .cols = 1, .tape = P->tape,
                          .at = P->at + (size_t)P->rows * (size_t)(t - 1) };
    p->logits = P->logits == NULL ? NULL : column_at(P->logits, t);
    return p;
}

double log_of(Mat p, int v)
{
    return p->logits != NULL ? (double)AT(p->logits, v, 1)
                             : log((double)AT(p, v, 1));
}

static int most_probable(Mat p)
{
    int best = 1;
    for (int v = 2; v <= p->rows; v++)
        if (log_of(p, v) > log_of(p, best))
            best = v;
    return best;
}

Mat tempered(Mat p, double tau)
{
    REQUIRE(p->cols == 1, "p is %d x %d; it must be one column.",
            p->rows, p->cols);
    REQUIRE(tau >= 0, "tau = %g; it must be from 0 to infinity.", tau);
    if (tau == 1)
        return p;
    int best = most_probable(p);
    Mat M = input(p->tape, p->rows, 1);
    for (int v = 1; v <= p->rows; v++) {
        double below = log_of(p, v) - log_of(p, best);
        bool never = tau == 0 ? v != best : below == -(double)INFINITY;
        AT(M, v, 1) = never    ? -(real)INFINITY
                    : tau == 0 ? 0 : (real)(below / tau);
    }
    return softmax(M);
}

int sample(Mat q, double u)
{
    REQUIRE(q->cols == 1, "q is %d x %d; it must be one column.",
            q->rows, q->cols);
    REQUIRE(0 <= u && u < 1, "u = %g; it must be in [0, 1).", u);
    double total = 0;
    int last = 0;
    for (int v = 1; v <= q->rows; v++) {
        total += AT(q, v, 1);
        if (u < total * (1 - ROUNDING))
            return v;
        if (AT(q, v, 1) > 0)
            last = v;
    }
    REQUIRE(last != 0, "q has no probability above 0.");
    return last;
}

