/* How one entry of a step comes about, term by term. */
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

#define ROOT "sqrt(variance + epsilon)"
#define NORMS (ROLE(NORMALISED) | ROLE(ATTENTION_NORM) | ROLE(MLP_NORM) \
               | ROLE(LAST_NORM))

enum { OPERANDS = 7 };
static const struct TermsRow {
    uint64_t roles;
    unsigned when;              /* only where these conditions hold       */
    const char *operand[OPERANDS];
    const char *text;
} table[] = {
    { ROLE(MEAN), IF_LAYER_NORM, { "input" }, "(<A>) / N" },
    { ROLE(VARIANCE), 0, { "input", "mean" }, "(<(A - B)²>) / N" },
    { ROLE(ROOT), 0, { "variance", "epsilon" }, "√(A + B)" },
    { ROLE(STANDARDISED), 0, { "input", "mean", ROOT }, "(A - B) / C" },
    { NORMS, IF_LAYER_NORM, { "input", "mean", ROOT, "gamma", "beta" },
      "D·(A - B) / C + E" },
    { NORMS, IF_RMS, { "input", ROOT, "gamma" }, "C·A / B" },
    { NORMS, IF_LAYER_NORM, { "standardised", "gamma", "beta" },
      "A·B + C" },
    { ROLE(SCALED), IF_DIVIDED, { "masked", "d_attn" }, "A / √B" },
    { ROLE(SCALED), IF_DIVIDED, { "scores", "d_attn" }, "A / √B" },
    { ROLE(SCALED), 0, { "scores", "divisor" }, "A / B" },
    { ROLE(POWERS), 0, { "x" }, "e^A" },
    { ROLE(SUM), 0, { "x" }, "<e^A>" },
    { ROLE(WEIGHTS) | ROLE(PROBABILITIES) | ROLE(PREDICTED), 0,
      { "x", "exp(x)", "sum(exp(x))", "1 / sum(exp(x))" },
      "e^A / (<e^A>) = !B / !C" },
    { ROLE(TEMPERED), IF_UNEMBEDDED, { "logits", "tau", "1 / tau" },
      "e^(A/B) / (<e^(A/B)>)" },
    { ROLE(TEMPERED), 0, { "p", "tau", "1 / tau" },
      "A^(1/B) / (<A^(1/B)>)" },
    { ROLE(LOSS), 0, { "chosen", "1 / chosen" }, "-(<ln(A)>)" },
    { ROLE(POSITION) | ROLE(TABLE), IF_SINES, { "place", "base", "i" },
      "sin(A / B^C)|cos(A / B^C)" },
};

enum { MOST_TERMS = 8, ROOM = 600 };

typedef struct {
    char *to;
    const Step *step;
    bool written;
    int i, j, k;                /* the entry; its term                    */
    int n;                      /* how many terms                         */
    double size, largest;       /* of the numbers; of those so far        */
    Mat operand[OPERANDS], factors[2];
} Terms;

static void find_place(Terms *t, const real *entry)
{
    Mat M = t->step->M;
    int at = (int)(entry - M->at);
    int row = at % M->rows + 1, column = at / M->rows + 1;
    t->i = t->step->transposed ? column : row;
    t->j = t->step->transposed ? row : column;
}

/* The number that a letter stands for; k = 0: outside of the terms. */
static double number_of(const Terms *t, char letter)
{
    if (letter == 'L' || letter == 'R')
        return letter == 'L' ? AT(t->factors[0], t->k, t->i)
                             : AT(t->factors[1], t->k, t->j);
    if (letter == 'N')
        return t->n;
    Mat M = t->operand[letter - 'A'];
    return AT(M, M->rows == 1 ? 1 : t->k > 0 ? t->k : t->i,
              M->cols == 1 ? 1 : t->j);
}

static void append_number(Terms *t, double x, char before)
{
    if (isfinite(x))
        t->largest = fmax(t->largest, fabs(x));
    if (before != '!')
        x = clear_noise(x, t->size);
    bool whole = x == round(x) && fabs(x) < 1e6, bare = before == '^';
    append(t->to, ROOM, x < 0 && !bare ? "(%.*g)" : "%.*g", whole ? 6 : 4,
           x);
}

static void append_text(Terms *t, const char *from, const char *to);

static void append_terms(Terms *t, const char *from, const char *to)
{
    for (t->k = 1; t->k <= t->n && t->k <= MOST_TERMS; t->k++) {
        append(t->to, ROOM, t->k > 1 ? " + " : "");
        append_text(t, from, to);
    }
    t->k = 0;
    if (t->n > MOST_TERMS)
        append(t->to, ROOM, " + %d more", t->n - MOST_TERMS);
}

static void append_text(Terms *t, const char *from, const char *to)
{
    for (const char *p = from; p < to; p++) {
        const char *end = strchr(p, '>');
        if ('A' <= *p && *p <= 'Z')
            append_number(t, number_of(t, *p), p > from ? p[-1] : ' ');
        else if (*p == '<') {
            append_terms(t, p + 1, end);
            p = end;
        } else if (*p != '!')
            append(t->to, ROOM, "%c", *p);
    }
}

/* What is left beside the products is the bias. */
static void append_rest(Terms *t, double here)
{
    double sum = 0;
    for (t->k = 1; t->k <= t->n; t->k++)
        sum += number_of(t, 'L') * number_of(t, 'R');
    if (!same_number(here, sum)) {
        append(t->to, ROOM, " + ");
        append_number(t, here - sum, ' ');
    }
}

/* First without its sizes, which are found by that. */
static void write_text(Terms *t, const char *text, double here)
{
    const char *other = strchr(text, '|');
    text = other != NULL && t->i % 2 == 0 ? other + 1 : text;
    size_t start = strlen(t->to), n = strcspn(text, "|");
    for (int times = 0; times < 2; times++) {
        t->to[start] = '\0';
        t->size = t->largest;
        append(t->to, ROOM, " is ");
        append_text(t, text, text + n);
        if (t->factors[0] != NULL)
            append_rest(t, here);
    }
    append(t->to, ROOM, " = %.6g", clear_noise(here, step_size(t->step)));
    t->written = true;
}

/* Can the operands of a row be made here? */
static bool has_operands(Terms *t, SlipRun *s, const struct TermsRow *row,
                         Mat M)
{
    if ((row->roles & (uint64_t)1 << t->step->role) == 0
        || !condition_holds(s, row->when))
        return false;
    for (int k = 0; k < OPERANDS && row->operand[k] != NULL; k++) {
        Mat X = t->operand[k] = evaluate_formula(s, row->operand[k], M);
        bool fits = X != NULL && (X->cols == 1 || X->cols == M->cols)
                 && (X->rows == 1 || X->rows == M->rows
                     || X->rows == t->operand[0]->rows);
        if (!fits)
            return false;
    }
    t->n = t->operand[0]->rows;
    return M->rows == 1 || t->n == 1 || t->n == M->rows;
}

static void write_terms(void *to, SlipRun *s, Mat M)
{
    Terms *t = to;
    double here = AT(M, t->i, t->j);
    if (!isfinite(here))
        return;
    if (find_factors(s, t->step, M, t->factors)) {
        t->n = t->factors[0]->rows;
        write_text(t, t->step->transposed ? "<R·L>" : "<L·R>", here);
        return;
    }
    t->factors[0] = NULL;
    for (int k = 0; k < COUNT(table); k++)
        if (has_operands(t, s, &table[k], M)) {
            write_text(t, table[k].text, here);
            return;
        }
}

const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape)
{
    Terms terms = { .step = claim->step };
    const Item *item = claim->item;
    if (claim->step->aspect != VALUE)
        return NULL;
    terms.to = arena_alloc(arena, ROOM);
    if (*entry_place(terms.to, item, k) == '\0')
        strcpy(terms.to, "it");
    find_place(&terms, claimed_entry(item, claim->step->M, k));
    visit_step(run->bound, (Explanation){ .n = 0 },
               &(Visit){ claim->step, write_terms, &terms }, arena,
               tape);
    return terms.written ? terms.to : NULL;
}
