/* Fewer tokens to draw from. */
#include "practice/practice.h"
#include <math.h>
#include <stdlib.h>

typedef struct { double weight; int token; } Rank;

static int compare_ranks(const void *a, const void *b)
{
    const Rank *r = a, *s = b;
    if (r->weight != s->weight)
        return r->weight > s->weight ? -1 : 1;
    return r->token - s->token;
}

void rank_tokens(Mat p, int n, int y[])
{
    REQUIRE(1 <= n && n <= p->rows, "n = %d; there are %d tokens.",
            n, p->rows);
    Rank *rank = arena_alloc(tape_arena(p->tape),
                             (size_t)p->rows * sizeof *rank);
    for (int v = 1; v <= p->rows; v++)
        rank[v - 1] = (Rank){ log_of(p, v), v };
    qsort(rank, (size_t)p->rows, sizeof *rank, compare_ranks);
    for (int k = 0; k < n; k++)
        y[k] = rank[k].token;
}

/* Returns softmax(log p), but 0 for all but the n tokens of y. */
static Mat restrict_tokens(Mat p, int n, const int y[])
{
    Mat M = input(p->tape, p->rows, 1);
    for (int v = 1; v <= p->rows; v++)
        AT(M, v, 1) = -(real)INFINITY;
    for (int k = 0; k < n; k++)
        AT(M, y[k], 1) = (real)log_of(p, y[k]);
    return softmax(M);
}

static int *token_array(Mat p, int n)
{
    return arena_alloc(tape_arena(p->tape), (size_t)n * sizeof(int));
}

Mat exclude_special(Mat p, bool eos_ends)
{
    int N_V = p->rows, n = 0, *y = token_array(p, N_V);
    for (int v = 1; v <= N_V; v++)
        if (v != mask_token(N_V) && v != bos_token(N_V)
            && (eos_ends || v != eos_token(N_V)))
            y[n++] = v;
    return restrict_tokens(p, n, y);
}

Mat restrict_top_k(Mat q, int k)
{
    REQUIRE(k >= 0, "k = %d; it must not be negative.", k);
    if (k == 0 || k >= q->rows)
        return q;
    int *y = token_array(q, k);
    rank_tokens(q, k, y);
    return restrict_tokens(q, k, y);
}

Mat restrict_top_p(Mat q, double top_p)
{
    REQUIRE(0 <= top_p && top_p <= 1, "top_p = %g; it must be in [0, 1].",
            top_p);
    if (top_p == 0 || top_p == 1)
        return q;
    int n = 0, *y = token_array(q, q->rows);
    rank_tokens(q, q->rows, y);
    const double enough = top_p * (1 - ROUNDING);
    for (double total = 0; n < q->rows && total < enough; n++)
        total += AT(q, y[n], 1);
    return restrict_tokens(q, n, y);
}
