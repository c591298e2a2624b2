/* Relative positions: the heads of Transformer-XL, and of Gopher. */
#include "practice/relative.h"
#include "library/operation.h"
#include "library/tape.h"
#include <string.h>

/* Returns which entry of D is entry k of Y; -1: none, it is 0. */
static int distance_entry(Mat Y, int k)
{
    const int i = k % Y->rows, j = k / Y->rows;
    const int distance = Y->rows - Y->cols + j - i;
    return distance < 0 ? -1 : k - i + distance;
}

static void by_token_backward(Mat Y)
{
    for (int k = 0; k < Y->rows * Y->cols; k++) {
        const int d = distance_entry(Y, k);
        if (Y->of[0]->grad != NULL && d >= 0)
            Y->of[0]->grad[d] += Y->grad[k];
    }
}

static void by_token_forward(struct Matrix *Y)
{
    for (int k = 0; k < Y->rows * Y->cols; k++) {
        const int d = distance_entry(Y, k);
        Y->at[k] = d < 0 ? 0 : Y->of[0]->at[d];
    }
}

static const Operation
    by_token_operation = { "by_token", by_token_forward, by_token_backward };

Mat by_token_(Where where, Mat D)
{
    if (D->rows < D->cols)
        refuse(where, "%d distances for %d queries; there must be one for "
               "each.", D->rows, D->cols);
    return node_compute(node_new(where, D->rows, D->cols,
                                 &by_token_operation, 1, &D));
}

static Mat distance_table(Tape *tape, const Theta *theta, int ell)
{
    struct Matrix *R = arena_alloc(tape_arena(tape), sizeof *R);
    *R = *theta->R;
    R->cols = ell;
    R->tape = tape;
    return R;
}

static Mat distance_scores(Mat W_r, Mat R, Mat Q)
{
    if (Q->cols > 1)
        return mul_tn(mul(W_r, R), Q);
    Mat W_r_T = transpose_of(tape_arena(Q->tape), W_r);
    return mul_tn(R, mul(W_r_T, Q));
}

typedef struct {
    const Theta *theta;
    int l, h;
    Mat Q_v;                    /* Q + v 1^T of this head */
} Distances;

static Mat add_distance_scores(void *to, const char *line, const char *name,
                               Mat M, int index)
{
    Distances *d = to;
    (void)name;
    if (strcmp(line, "10.4") == 0)
        d->l = index;
    if (strcmp(line, "5.1") == 0)
        d->h = index;
    if (strcmp(line, "4.1") == 0) {
        d->Q_v = add_bias(M, d->theta->v[d->h]);
        return add_bias(M, d->theta->u[d->h]);
    }
    if (strcmp(line, "4.4") != 0)
        return M;
    Mat W_r = d->theta->layer[d->l].W_r[d->h];
    Mat R = distance_table(M->tape, d->theta, M->rows);
    return add(M, by_token(distance_scores(W_r, R, d->Q_v)));
}

void observe_relative_positions(Arena *arena, Tape *tape, const Theta *theta)
{
    Distances *d = arena_alloc(arena, sizeof *d);
    *d = (Distances){ .theta = theta };
    observe(tape, add_distance_scores, d);
}
