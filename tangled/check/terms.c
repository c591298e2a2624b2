/* How one entry of a step comes about, term by term. */
#include "check/check.h"
#include <math.h>
#include <string.h>

enum { MOST_TERMS = 8, ROOM = 600 };

static void tell_number(char *to, double x)
{
    append(to, ROOM, x < 0 ? "(%.4g)" : "%.4g", x + 0.0);
}

static void tell_products(char *to, Mat L, Mat R, int i, int j,
                         bool turned, double here)
{
    double rest = here;
    append(to, ROOM, " is ");
    for (int k = 1; k <= L->rows; k++) {
        double l = AT(L, k, i), r = AT(R, k, j);
        rest -= l * r;
        if (k <= MOST_TERMS) {
            append(to, ROOM, k > 1 ? " + " : "");
            tell_number(to, turned ? r : l);
            append(to, ROOM, "·");
            tell_number(to, turned ? l : r);
        }
    }
    if (L->rows > MOST_TERMS)
        append(to, ROOM, " + %d more", L->rows - MOST_TERMS);
    if (!same_number(rest, 0)) {
        append(to, ROOM, " + ");
        tell_number(to, rest);
    }
    append(to, ROOM, " = %.6g", here);
}

const Step *step_before(const Run *run, const Step *step, Role role)
{
    for (const Step *s = step; s-- > run->step; )
        if (s->role == role && s->part == step->part
            && s->layer == step->layer && s->head == step->head
            && s->turn == step->turn)
            return s;
    return NULL;
}

/* The numbers of which a step is the softmax; NULL: it is none. */
static const Step *exponents(const Run *run, const Step *step,
                             double *factor)
{
    const Step *q = step_before(run, step, ROLE_QUERY);
    const Step *scaled = step_before(run, step, ROLE_SCALED);
    *factor = 1;
    if (step->role == ROLE_PROBABILITIES)
        return step_before(run, step, ROLE_LOGITS);
    if (step->role != ROLE_WEIGHTS || scaled != NULL || q == NULL)
        return step->role == ROLE_WEIGHTS ? scaled : NULL;
    if (run->scaled)
        *factor = 1 / sqrt(q->M->rows * q->M->cols);
    return step_before(run, step, ROLE_SCORES);
}

static double exponent(const Step *step, int i, int j)
{
    return step->turned ? AT(step->M, j, i) : AT(step->M, i, j);
}

static bool tell_powers(char *to, const Run *run, const Step *step,
                        int i, int j, double here)
{
    double factor, sum = 0;
    const Step *from = exponents(run, step, &factor);
    if (from == NULL)
        return false;
    int n = from->turned ? from->M->cols : from->M->rows;
    double x = factor * exponent(from, i, j);
    append(to, ROOM, " is e^%.4g / (", x);
    for (int k = 1; k <= n; k++) {
        double other = factor * exponent(from, k, j);
        sum += exp(other);
        if (k <= MOST_TERMS)
            append(to, ROOM, "%se^%.4g", k > 1 ? " + " : "", other);
    }
    if (n > MOST_TERMS)
        append(to, ROOM, " + %d more", n - MOST_TERMS);
    append(to, ROOM, ") = %.5g / %.6g = %.5g", exp(x), sum, here);
    return n > 1 && isfinite(sum) && sum > 0;
}

/* The place of an entry of the step, in the paper's layout. */
static void find_place(const Claim *claim, int k, int *i, int *j)
{
    const Step *step = claim->step;
    Mat M = step->M;
    int at = (int)(claimed_entry(claim->item, M, k) - M->at);
    int row = at % M->rows + 1, column = at / M->rows + 1;
    *i = step->turned ? column : row;
    *j = step->turned ? row : column;
}

const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape)
{
    int i, j;
    Mat factors[2];
    char *to = arena_alloc(arena, ROOM);
    double here = *claimed_entry(claim->item, claim->step->M, k);
    find_place(claim, k, &i, &j);
    if (*entry_place(to, claim->item, k) == '\0')
        strcpy(to, "it");
    if (!isfinite(here))
        return NULL;
    if (find_factors(run->bound, claim, arena, tape, factors)) {
        tell_products(to, factors[0], factors[1], i, j, claim->step->turned,
                     here);
        return to;
    }
    return tell_powers(to, run, claim->step, i, j, here) ? to : NULL;
}
