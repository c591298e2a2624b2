/* From probabilities to a token. */
#include "ftx.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct Matrix *view(Mat M, int t)
{
    struct Matrix *m = arena_alloc(tape_arena(M->tape), sizeof *m);
    *m = (struct Matrix){ .rows = M->rows, .cols = 1, .tape = M->tape };
    m->at = M->at + (size_t)M->rows * (size_t)(t - 1);
    return m;
}

Mat column_at(Mat P, int t)
{
    REQUIRE(1 <= t && t <= P->cols, "t = %d; P has %d columns.",
            t, P->cols);
    struct Matrix *p = view(P, t);
    if (P->logits != NULL)
        p->logits = view(P->logits, t);
    return p;
}

/* log p[v], but for a constant that is the same for all v. */
static double log_of(Mat p, int v)
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
        if (u < total)
            return v;
        if (AT(q, v, 1) > 0)
            last = v;
    }
    REQUIRE(last != 0, "q has no probability above 0.");
    return last;
}

typedef struct { double weight; int token; } Rank;

static int by_weight(const void *a, const void *b)
{
    const Rank *r = a, *s = b;
    if (r->weight != s->weight)
        return r->weight > s->weight ? -1 : 1;
    return r->token - s->token;
}

void ranked(Mat p, int n, int y[])
{
    REQUIRE(1 <= n && n <= p->rows, "n = %d; there are %d tokens.",
            n, p->rows);
    Rank *rank = arena_alloc(tape_arena(p->tape),
                             (size_t)p->rows * sizeof *rank);
    for (int v = 1; v <= p->rows; v++)
        rank[v - 1] = (Rank){ log_of(p, v), v };
    qsort(rank, (size_t)p->rows, sizeof *rank, by_weight);
    for (int k = 0; k < n; k++)
        y[k] = rank[k].token;
}

/* softmax(log p), but 0 for the tokens that are not kept. */
static Mat restricted(Mat p, const bool kept[])
{
    Mat M = input(p->tape, p->rows, 1);
    for (int v = 1; v <= p->rows; v++)
        AT(M, v, 1) = kept[v - 1] ? (real)log_of(p, v) : -(real)INFINITY;
    return softmax(M);
}

Mat without_special(Mat p, bool eos_ends)
{
    int N_V = p->rows;
    bool *kept = arena_alloc(tape_arena(p->tape), (size_t)N_V);
    for (int v = 1; v <= N_V; v++)
        kept[v - 1] = v != mask_token(N_V) && v != bos_token(N_V)
                   && (eos_ends || v != eos_token(N_V));
    return restricted(p, kept);
}

/* q with only the first n tokens of the ranking y. */
static Mat first_of(Mat q, int n, const int y[])
{
    bool *kept = arena_alloc(tape_arena(q->tape), (size_t)q->rows);
    memset(kept, 0, (size_t)q->rows);
    for (int k = 0; k < n; k++)
        kept[y[k] - 1] = true;
    return restricted(q, kept);
}

Mat top_k_of(Mat q, int k)
{
    REQUIRE(k >= 0, "k = %d; it must not be negative.", k);
    if (k == 0 || k >= q->rows)
        return q;
    int *y = arena_alloc(tape_arena(q->tape), (size_t)k * sizeof *y);
    ranked(q, k, y);
    return first_of(q, k, y);
}

Mat top_p_of(Mat q, double top_p)
{
    REQUIRE(0 <= top_p && top_p <= 1, "top_p = %g; it must be in [0, 1].",
            top_p);
    if (top_p == 0 || top_p == 1)
        return q;
    size_t size = (size_t)q->rows * sizeof(int);
    int *y = arena_alloc(tape_arena(q->tape), size), n = 0;
    ranked(q, q->rows, y);
    for (double total = 0; n < q->rows && total < top_p; n++)
        total += AT(q, y[n], 1);
    return first_of(q, n, y);
}
