/* One entry of a step, term by term.

   Main type: Terms. Entry point: terms_text. In go a claim and the number of
   an entry; out comes a sentence. */
#include "check/slip.h"
#include "sheet/names.h"
#include <math.h>
#include <string.h>

#define SHIFTED "x - shift * sum(pick(largest(x), x, 0))"
#define ROOT "sqrt(variance + epsilon)"
#define NORMS (ROLE(NORMALISED) | ROLE(ATTENTION_NORM) | ROLE(MLP_NORM) \
               | ROLE(LAST_NORM))

static const struct TermsRow {
    uint64_t roles;
    int when;                   /* only where these conditions hold       */
    const char *text;
} table[] = {
    { ROLE(QUERY), 0, "W_q·query_input" },
    { ROLE(KEY), 0, "W_k·key_input" },
    { ROLE(VALUES), 0, "W_v·key_input" },
    { ROLE(SCORES) | ROLE(MASKED), 0, "key'·query" },
    { ROLE(MIXED), 0, "values·weights" },
    { ROLE(PROJECTED) | ROLE(ATTENDED), 0, "W_o·heads" },
    { ROLE(HIDDEN), 0, "W_mlp1·mlp_input" },
    { ROLE(MLP) | ROLE(FED), 0, "W_mlp2·active" },
    { ROLE(LOGITS), 0, "unembedding·input" },
    { ROLE(MEAN), IF_LAYER_NORM, "(<{input}>) / N" },
    { ROLE(VARIANCE), 0, "(<({input} - {mean})²>) / N" },
    { ROLE(ROOT), 0, "√({variance} + {epsilon})" },
    { ROLE(STANDARDISED), 0, "({input} - {mean}) / {" ROOT "}" },
    { NORMS, IF_LAYER_NORM,
      "{gamma}·({input} - {mean}) / {" ROOT "} + {beta}" },
    { NORMS, IF_RMS, "{gamma}·{input} / {" ROOT "}" },
    { NORMS, IF_LAYER_NORM, "{standardised}·{gamma} + {beta}" },
    { ROLE(SCALED), IF_DIVIDED, "{masked} / √{d_attn}" },
    { ROLE(SCALED), 0, "{masked} / {scaling}" },
    { ROLE(POWERS), 0, "e^{" SHIFTED "}" },
    { ROLE(SUM), 0, "<e^{" SHIFTED "}>" },
    { ROLE(WEIGHTS) | ROLE(PROBABILITIES) | ROLE(PREDICTED), 0,
      "e^{x} / (<e^{x}>) = {!exp(x)} / {!sum(exp(x))}" },
    { ROLE(TEMPERED), 0, "e^({logits}/{tau}) / (<e^({logits}/{tau})>)" },
    { ROLE(TEMPERED), 0, "{!p}^(1/{tau}) / (<{!p}^(1/{tau})>)" },
    { ROLE(LOSS), 0, "-(<ln({!chosen})>)" },
    { ROLE(POSITION) | ROLE(TABLE), 0,
      "sin({place} / {base}^{i})|cos({place} / {base}^{i})" },
};

enum { MOST_SHOWN = 8, ROOM = 600 };

typedef struct {
    const Claim *claim;
    const Entry *entry;         /* of the claim ...                       */
    int i, j;                   /* ... and its place for the paper        */
    Variation variation;        /* it runs the sheet once more ...        */
    Lookup at;                  /* ... as far as it has come              */
    Mat M;                      /* the step                               */
    int n, k;                   /* how many terms; 0, or the one at hand  */
    char text[ROOM];            /* how the entry comes about, in words    */
    bool fits;                  /* all formulas so far                    */
    Mat left, right;            /* the factors of a product; else NULL    */
} Terms;

/* Returns the value of a formula that ends before `to`, or NULL. */
static Mat value_of(Terms *t, const char *from, const char *to)
{
    char formula[80];
    from += *from == '!';
    snprintf(formula, sizeof formula, "%.*s", (int)(to - from), from);
    return evaluate_formula(&t->at, formula, t->M);
}

/* Returns whether a row is for the step and has a value there: finds its
   factors, if it is a product, and how many terms there are. */
static bool begin_row(Terms *t, const struct TermsRow *row)
{
    const char *brace = strchr(row->text, '{'), *dot = strstr(row->text, "·");
    if ((row->roles >> t->at.here->role & 1) == 0
        || !condition_holds(&t->at, row->when))
        return false;
    t->right = NULL;
    if (brace != NULL) {
        Mat first = value_of(t, brace + 1, strchr(brace, '}'));
        t->n = first == NULL ? 0 : first->rows;
        return first != NULL;
    }
    t->left = value_of(t, row->text, dot);
    t->right = evaluate_formula(&t->at, dot + strlen("·"), t->M);
    t->n = t->left == NULL ? 0 : t->left->cols;
    return t->left != NULL && t->right != NULL
        && t->left->rows == t->M->rows && t->right->rows == t->n
        && t->right->cols == t->M->cols;
}

/* Returns the first factor of term k, or the second, in the order of the
   sheet. */
static double factor(const Terms *t, int k, bool first)
{
    return first != t->claim->step->transposed ? AT(t->left, t->i, k)
                                               : AT(t->right, k, t->j);
}

static void append_number(Terms *t, double x, double size, bool bare)
{
    x = clear_noise(x, size);
    bool whole = x == round(x) && fabs(x) < 1e6;
    append(t->text, ROOM, x < 0 && !bare ? "(%.*g)" : "%.*g",
           whole ? 6 : 4, x);
}

/* Appends the number of a formula at the entry, in the term at hand. */
static void append_value(Terms *t, const char *from, const char *to,
                         bool power)
{
    Mat X = value_of(t, from, to);
    double size = *from == '!' ? 0 : 1;
    int i = X == NULL || X->rows == 1 ? 1 : t->k > 0 ? t->k : t->i;
    t->fits = X != NULL && i <= X->rows
           && (X->rows == 1 || X->rows == t->n || X->rows == t->M->rows)
           && (X->cols == 1 || X->cols == t->M->cols);
    for (int k = 0; t->fits && size > 0 && k < X->rows * X->cols; k++)
        size = isfinite(X->at[k]) ? fmax(size, fabs(X->at[k])) : size;
    if (t->fits)
        append_number(t, AT(X, i, X->cols == 1 ? 1 : t->j), size, power);
}

/* Appends the text of a row up to `to`, with its numbers and terms. */
static void append_text(Terms *t, const char *from, const char *to)
{
    for (const char *p = from; p < to && t->fits; p++) {
        const char *end = strchr(p, *p == '{' ? '}' : '>');
        if (*p == '{')
            append_value(t, p + 1, end, p > from && p[-1] == '^');
        else if (*p == 'L' || *p == 'R')
            append_number(t, factor(t, t->k, *p == 'L'), 1, false);
        else if (*p == 'N')
            append(t->text, ROOM, "%d", t->n);
        else if (*p != '<')
            append(t->text, ROOM, "%c", *p);
        for (int k = 1; *p == '<' && k <= t->n && k <= MOST_SHOWN; k++) {
            append(t->text, ROOM, k > 1 ? " + " : "");
            t->k = k;
            append_text(t, p + 1, end);
        }
        if (*p == '<' && t->n > MOST_SHOWN)
            append(t->text, ROOM, " + %d more", t->n - MOST_SHOWN);
        t->k = *p == '<' ? 0 : t->k;
        p = *p == '{' || *p == '<' ? end : p;
    }
}

/* Appends the bias, which is what is left beside the products. */
static void append_rest(Terms *t, double here)
{
    double sum = 0, size = 1;
    for (int k = 1; k <= t->n; k++) {
        double product = factor(t, k, true) * factor(t, k, false);
        sum += product;
        size = fmax(size, fabs(product));
    }
    if (!same_number(here, sum)) {
        append(t->text, ROOM, " + ");
        append_number(t, here - sum, size, false);
    }
}

/* Appends which product makes the entry as claimed, left out or with the
   wrong sign, if only one does and it changes the entry by ten units of the
   last digit, or by more than 1 where that is whole. */
static void append_guess(Terms *t, double here)
{
    int found = 0, decimals = t->entry->decimals;
    double least = decimals > 0 ? 9.5 * unit_of(decimals) : 1.5;
    const char product[] = "L·R", *guess = "";
    for (int k = 1; k <= t->n; k++)
        for (int times = 1; times <= 2; times++) {
            double change = times * factor(t, k, true) * factor(t, k, false);
            if (fabs(change) <= least
                || verdict_on(t->entry, here - change) != RIGHT)
                continue;
            found++;
            t->k = k;
            guess = times == 1 ? " is left out" : " has the wrong sign";
        }
    if (found != 1)
        return;
    append(t->text, ROOM, "; it is yours if ");
    append_text(t, product, product + strlen(product));
    append(t->text, ROOM, "%s", guess);
}

static void write_terms(Terms *t)
{
    size_t start = strlen(t->text);
    double here = AT(t->M, t->i, t->j);
    for (int r = 0; r < COUNT(table) && !t->fits && isfinite(here); r++) {
        if (!begin_row(t, &table[r]))
            continue;
        const char *text = t->right != NULL ? "<L·R>" : table[r].text,
                   *other = strchr(text, '|');
        text = other != NULL && t->i % 2 == 0 ? other + 1 : text;
        t->fits = true;
        snprintf(t->text + start, ROOM - start, " is ");
        append_text(t, text, text + strcspn(text, "|"));
        if (t->right != NULL)
            append_rest(t, here);
    }
    append(t->text, ROOM, " = %.6g",
           clear_noise(here, step_size(t->claim->step)));
    if (t->fits && t->right != NULL)
        append_guess(t, here);
}

/* Writes the terms where the run has computed the claimed step. */
static Mat visit_step(void *to, Moment moment, const Step *step, Mat M)
{
    Terms *t = to;
    if (moment != IS_COMPUTED || !same_place(step, t->claim->step))
        return M;
    t->at = (Lookup){ .job = t->variation.job, .here = step,
                      .log_P = find_log_probabilities(M) };
    t->M = M;
    write_terms(t);
    return M;
}

const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape)
{
    const Step *step = claim->step;
    Terms *t = arena_alloc(arena, sizeof *t);
    int at = (int)(claimed_entry(step->M, k) - step->M->at),
        row = at % step->M->rows + 1, column = at / step->M->rows + 1;
    *t = (Terms){ .claim = claim, .entry = &claim->item->entry[k],
                  .variation = { .to = t, .visit = visit_step },
                  .i = step->transposed ? column : row,
                  .j = step->transposed ? row : column };
    if (*entry_place(t->text, claim->item, k) == '\0')
        strcpy(t->text, "it");
    if (step->aspect == VALUE)
        run_bound(run->bound, &t->variation, arena, tape, NULL);
    return t->fits ? t->text : NULL;
}
