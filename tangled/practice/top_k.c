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

Tokens rank_tokens(Mat p, int n)
{
    REQUIRE(1 <= n && n <= p->rows, "n = %d; there are %d tokens.",
            n, p->rows);
    Arena *arena = tape_arena(p->tape);
    Rank *rank = arena_alloc(arena, (size_t)p->rows * sizeof *rank);
    int *y = arena_alloc(arena, (size_t)n * sizeof *y);
    for (int v = 1; v <= p->rows; v++)
        rank[v - 1] = (Rank){ log_of(p, v), v };
    qsort(rank, (size_t)p->rows, sizeof *rank, compare_ranks);
    for (int k = 0; k < n; k++)
        y[k] = rank[k].token;
    return (Tokens){ n, y };
}

/* Returns softmax(log p), but 0 for all tokens that are not in y. */
static Mat restrict_tokens(Mat p, Tokens y)
{
    Mat M = input(p->tape, p->rows, 1);
    for (int v = 1; v <= p->rows; v++)
        AT(M, v, 1) = -(real)INFINITY;
    for (int k = 1; k <= y.length; k++)
        AT(M, TOKEN(y, k), 1) = (real)log_of(p, TOKEN(y, k));
    return softmax(M);
}

Mat exclude_special(Mat p, bool eos_ends)
{
    Tokens y = span(p->tape, 1, mask_token(p->rows) - 1);
    if (eos_ends)
        y = appended(p->tape, y, eos_token(p->rows));
    return restrict_tokens(p, y);
}

Mat restrict_top_k(Mat q, int k)
{
    REQUIRE(k >= 0, "k = %d; it must not be negative.", k);
    if (k == 0 || k >= q->rows)
        return q;
    return restrict_tokens(q, rank_tokens(q, k));
}

Mat restrict_top_p(Mat q, double top_p)
{
    REQUIRE(0 <= top_p && top_p <= 1, "top_p = %g; it must be in [0, 1].",
            top_p);
    if (top_p == 0 || top_p == 1)
        return q;
    const double enough = top_p * (1 - ROUNDING);
    Tokens y = rank_tokens(q, q->rows);
    int n = 0;
    for (double total = 0; n < q->rows && total < enough; n++)
        total += AT(q, TOKEN(y, n + 1), 1);
    return restrict_tokens(q, slice(y, 1, n));
}
