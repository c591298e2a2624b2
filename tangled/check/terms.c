/* One entry of a step, term by term.

   Main type: Terms. Entry points: terms_text, find_cell_slips. In go a claim
   and the number of an entry; out come a sentence, or slips in a term. */
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

#define SHIFTED "x - shift * sum(pick(largest(x), x, 0))"
#define ROOT "sqrt(variance + epsilon)"
#define NORMS (ROLE(NORMALISED) | ROLE(ATTENTION_NORM) | ROLE(MLP_NORM) \
               | ROLE(LAST_NORM))

enum { OPERANDS = 5 };
static const struct TermsRow {
    uint64_t roles;
    int when;                   /* only where these conditions hold       */
    const char *operand[OPERANDS];
    const char *text;           /* NULL: a product                        */
} table[] = {
    { ROLE(QUERY), 0, { "W_q'", "query_input" }, NULL },
    { ROLE(KEY), 0, { "W_k'", "key_input" }, NULL },
    { ROLE(VALUES), 0, { "W_v'", "key_input" }, NULL },
    { ROLE(SCORES) | ROLE(MASKED), 0, { "key", "query" }, NULL },
    { ROLE(MIXED), 0, { "values'", "weights" }, NULL },
    { ROLE(PROJECTED) | ROLE(ATTENDED), 0, { "W_o'", "heads" }, NULL },
    { ROLE(HIDDEN), 0, { "W_mlp1'", "mlp_input" }, NULL },
    { ROLE(MLP) | ROLE(FED), 0, { "W_mlp2'", "active" }, NULL },
    { ROLE(LOGITS), 0, { "W_u'", "input" }, NULL },
    { ROLE(LOGITS), 0, { "W_e", "input" }, NULL },
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
    { ROLE(SCALED), 0, { "scores", "scaling" }, "A / B" },
    { ROLE(POWERS), 0, { SHIFTED }, "e^A" },
    { ROLE(SUM), 0, { SHIFTED }, "<e^A>" },
    { ROLE(WEIGHTS) | ROLE(PROBABILITIES) | ROLE(PREDICTED), 0,
      { "x", "exp(x)", "sum(exp(x))", "1 / sum(exp(x))" },
      "e^A / (<e^A>) = !B / !C" },
    { ROLE(TEMPERED), 0, { "logits", "tau", "1 / tau" },
      "e^(A/B) / (<e^(A/B)>)" },
    { ROLE(TEMPERED), 0, { "p", "tau", "1 / tau" },
      "A^(1/B) / (<A^(1/B)>)" },
    { ROLE(LOSS), 0, { "chosen", "1 / chosen" }, "-(<ln(A)>)" },
    { ROLE(POSITION) | ROLE(TABLE), 0, { "place", "base", "i" },
      "sin(A / B^C)|cos(A / B^C)" },
};

enum { MOST_SHOWN = 8, ROOM = 600 };

typedef struct {
    const Claim *claim;
    int entry;                  /* of the claim, counted from 0           */
    int i, j, k;                /* its place for the paper; its term      */
    const struct TermsRow *row; /* how it comes about                     */
    int n;                      /* how many terms                         */
    Mat operand[OPERANDS];
    char *text;                 /* how it comes about, in words           */
    bool written;
    double size, largest;       /* of its numbers; of those so far        */
    int found;                  /* slips in a term                        */
    CellSlip *cell;
} Terms;

static bool has_operands(Terms *t, SlipRun *s, Mat M)
{
    const struct TermsRow *row = t->row;
    if ((row->roles >> s->here->role & 1) == 0
        || !condition_holds(s, row->when))
        return false;
    for (int k = 0; k < OPERANDS && row->operand[k] != NULL; k++) {
        Mat X = t->operand[k] = evaluate_formula(s, row->operand[k], M);
        if (X == NULL)
            return false;
        int rows = t->operand[0]->rows,
            cols = row->text == NULL && k == 0 ? M->rows : M->cols;
        bool fits = row->text == NULL ? X->rows == rows && X->cols == cols
                  : (X->cols == 1 || X->cols == cols)
                 && (X->rows == 1 || X->rows == M->rows || X->rows == rows);
        if (!fits)
            return false;
    }
    t->n = t->operand[0]->rows;
    return row->text == NULL || M->rows == 1 || t->n == 1
        || t->n == M->rows;
}

static bool find_row(Terms *t, SlipRun *s, Mat M)
{
    for (t->row = table; t->row < table + COUNT(table); t->row++)
        if (has_operands(t, s, M))
            return true;
    return false;
}

static Terms terms_of(const Claim *claim, int entry)
{
    Terms t = { .claim = claim, .entry = entry };
    Mat M = claim->step->M;
    int at = (int)(claimed_entry(claim->item, M, entry) - M->at);
    int row = at % M->rows + 1, column = at / M->rows + 1;
    t.i = claim->step->transposed ? column : row;
    t.j = claim->step->transposed ? row : column;
    return t;
}

/* The number that a letter stands for; k = 0: outside of the terms. A
   product has L and R, in the order of the sheet. */
static double number_of(const Terms *t, char letter)
{
    bool left = (letter == 'L') != t->claim->step->transposed;
    if (letter == 'L' || letter == 'R')
        return left ? AT(t->operand[0], t->k, t->i)
                    : AT(t->operand[1], t->k, t->j);
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
    append(t->text, ROOM, x < 0 && !bare ? "(%.*g)" : "%.*g",
           whole ? 6 : 4, x);
}

static void append_text(Terms *t, const char *from, const char *to);

static void append_terms(Terms *t, const char *from, const char *to)
{
    for (t->k = 1; t->k <= t->n && t->k <= MOST_SHOWN; t->k++) {
        append(t->text, ROOM, t->k > 1 ? " + " : "");
        append_text(t, from, to);
    }
    t->k = 0;
    if (t->n > MOST_SHOWN)
        append(t->text, ROOM, " + %d more", t->n - MOST_SHOWN);
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
            append(t->text, ROOM, "%c", *p);
    }
}

/* What is left beside the products is the bias. */
static void append_rest(Terms *t, double here)
{
    double sum = 0;
    for (t->k = 1; t->k <= t->n; t->k++)
        sum += number_of(t, 'L') * number_of(t, 'R');
    if (!same_number(here, sum)) {
        append(t->text, ROOM, " + ");
        append_number(t, here - sum, ' ');
    }
}

static void write_terms(void *to, SlipRun *s, Mat M)
{
    Terms *t = to;
    double here = AT(M, t->i, t->j);
    if (!isfinite(here) || !find_row(t, s, M))
        return;
    const char *text = t->row->text == NULL ? "<L·R>" : t->row->text,
               *other = strchr(text, '|');
    text = other != NULL && t->i % 2 == 0 ? other + 1 : text;
    size_t start = strlen(t->text);
    for (int times = 0; times < 2; times++) {
        t->text[start] = '\0';
        t->size = t->largest;
        append(t->text, ROOM, " is ");
        append_text(t, text, text + strcspn(text, "|"));
        if (t->row->text == NULL)
            append_rest(t, here);
    }
    append(t->text, ROOM, " = %.6g",
           clear_noise(here, step_size(t->claim->step)));
    t->written = true;
}

const char *terms_text(const Run *run, const Claim *claim, int k,
                       Arena *arena, Tape *tape)
{
    if (claim->step->aspect != VALUE)
        return NULL;
    Terms t = terms_of(claim, k);
    t.text = arena_alloc(arena, ROOM);
    if (*entry_place(t.text, claim->item, k) == '\0')
        strcpy(t.text, "it");
    look_at_step(run->bound, (Explanation){ .n = 0 },
                 &(Visit){ claim->step, write_terms, &t }, arena, tape);
    return t.written ? t.text : NULL;
}

static bool is_telling(const Entry *entry, double change)
{
    double size = fabs(change);
    bool whole = same_number(size, round(size));
    bool exact = entry->decimals == EXACT
              && !same_number(entry->value, round(entry->value));
    double unit = entry->decimals == EXACT ? 1 : unit_of(entry->decimals);
    return whole ? size >= 1.5 : exact || size >= 10 * unit;
}

static bool is_found(const Terms *t, const CellSlip *cell)
{
    bool found = false;
    for (const CellSlip *c = t->cell; c < t->cell + t->found; c++)
        found |= c->left == cell->left && c->right == cell->right
              && c->change == cell->change;
    return found;
}

static void search_terms(void *to, SlipRun *s, Mat M)
{
    Terms *t = to;
    const Item *item = t->claim->item;
    const Entry *entry = &item->entry[t->entry];
    char place[40];
    if (!find_row(t, s, M) || t->row->text != NULL)
        return;
    entry_place(place, item, t->entry);
    for (t->k = 1; t->k <= t->n; t->k++)
        for (int times = 1; times <= 2 && t->found <= MOST_CELLS; times++) {
            CellSlip cell = { .wrong_sign = times == 2, .i = t->i, .j = t->j,
                .left = number_of(t, 'L'), .right = number_of(t, 'R') };
            cell.change = -times * cell.left * cell.right;
            if (*place != '\0')
                snprintf(cell.in, sizeof cell.in, "in %s ", place);
            if (is_telling(entry, cell.change) && !is_found(t, &cell)
                && verdict_on(entry, AT(M, t->i, t->j) + cell.change)
                   == RIGHT)
                t->cell[t->found++] = cell;
        }
}

int find_cell_slips(const Bound *bound, Explanation why, const Claim *claim,
                    int k, CellSlip cell[MOST_CELLS + 1], Arena *arena,
                    Tape *tape)
{
    Terms t = terms_of(claim, k);
    t.cell = cell;
    look_at_step(bound, why, &(Visit){ claim->step, search_terms, &t }, arena,
                 tape);
    return t.found;
}

const char *cell_sentence(char *to, size_t size, const CellSlip *cell)
{
    double most = fmax(fabs(cell->left), fabs(cell->right));
    double left = clear_noise(cell->left, most),
           right = clear_noise(cell->right, most);
    snprintf(to, size, right < 0 ? "%sthe term %.6g·(%.6g) %s"
                                 : "%sthe term %.6g·%.6g %s", cell->in, left,
             right, cell->wrong_sign ? "has the wrong sign" : "is left out");
    return to;
}
