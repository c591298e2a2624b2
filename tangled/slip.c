/* Known slips: small variations of the algorithms. */
#include "program.h"
#include <math.h>
#include <string.h>

typedef struct { const char *line, *name; } Place;

static const struct { const char *line, *name; Place as; } aliases[] = {
        { "3.1",  "q",       { "4.1",  "Q" } },
        { "3.2",  "k_t",     { "4.2",  "K" } },
        { "3.3",  "v_t",     { "4.3",  "V" } },
        { "3.4",  "scores",  { "4.4",  "S" } },
        { "3.4",  "alpha_t", { "4.6",  "A" } },
        { "3.5",  "v_tilde", { "4.6",  "Vt" } },
        { "8.3",  "Z",       { "10.3", "X" } },
        { "8.5",  "Z",       { "9.5",  "X" } },
        { "8.6",  "Z",       { "9.6",  "X" } },
        { "8.7",  "Z",       { "9.7",  "X" } },
        { "8.8",  "Z",       { "9.8",  "X" } },
        { "8.12", "X",       { "10.3", "X" } },
        { "8.14", "X",       { "9.5",  "X" } },
        { "8.15", "X",       { "9.6",  "X" } },
        { "8.16", "X",       { "9.5",  "X" } },
        { "8.17", "X",       { "9.6",  "X" } },
        { "8.18", "X",       { "9.7",  "X" } },
        { "8.19", "X",       { "9.8",  "X" } },
        { "9.3",  "X",       { "10.3", "X" } },
        { "9.11", "X",       { "10.10", "X" } },
        { "11.5", "loss",    { "13.5", "loss" } },
        { "12.9", "loss",    { "13.5", "loss" } },
        { "15.5", "p",       { "14.4", "p" } },
        { "15.6", "q",       { "14.5", "q" } },
        { "15.6", "y",       { "14.5", "y" } },
};

static Place place_of(const Step *step, char line[30])
{
    if (step->aspect != VALUE)
        return (Place){ "13.6", step->aspect == NEW ? "new" : "gradient" };
    snprintf(line, 30, "%d.%d", step->algorithm, step->line);
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        if (strcmp(line, aliases[k].line) == 0
            && strcmp(step->name, aliases[k].name) == 0)
            return aliases[k].as;
    return (Place){ step->line == 0 ? "" : line, step->name };
}
typedef struct Seen {
    const char *name;
    Step place;
    Mat M;
    const struct Seen *before;
} Seen;

struct Slipping {
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Sheet *sheet;
    Variation variation;
    Arena *arena;
    Tape *tape;
    const Seen *last;           /* the latest value                       */
    const Step *here;           /* where the slip is made                 */
};

static bool is_known(const Step *place, const Step *here)
{
    bool of_head = place->head == 0 || place->head == here->head;
    bool of_layer = place->part == NOWHERE || (place->part == here->part
                    && place->layer == here->layer);
    return place->line > 0 || (of_head && of_layer);
}

_Noreturn static void cannot_be(Slipping *s)
{
    fault(s->variation.fault, 0, "such a slip cannot be made.");
}

static Mat value_of(Slipping *s, const char *name)
{
    for (const Seen *v = s->last; v != NULL; v = v->before)
        if (strcmp(v->name, name) == 0 && is_known(&v->place, s->here))
            return v->M;
    cannot_be(s);
}

/* What the next line works on: in a model X, also where it is called Z. */
static Mat stream(Slipping *s)
{
    return value_of(s, s->variation.run->algorithm >= 8 ? "X" : "e");
}

static void remember(Slipping *s, const char *name, const Step *place,
                     Mat M)
{
    Seen *seen = arena_alloc(s->arena, sizeof *seen);
    *seen = (Seen){ name, *place, M, s->last };
    s->last = seen;
}

static Mat zeros_beside(Slipping *s, Mat M, int rows, int cols)
{
    return input(M->tape != NULL ? M->tape : s->tape, rows, cols);
}

static Mat each(Slipping *s, Mat M, double (*f)(double x, double number))
{
    Mat Y = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = (real)f(AT(M, i, j), s->slip->number);
    return Y;
}

static Mat transposed(Slipping *s, Mat M)
{
    Mat T = zeros_beside(s, M, M->cols, M->rows);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(T, j, i) = AT(M, i, j);
    return T;
}

static double round_to(double x, double decimals)
{
    double unit = pow(10, -decimals);
    return isinf(x) ? x : round(x / unit) * unit;
}

static double nothing(double x, double number)
{
    (void)x, (void)number;
    return 0;
}

static Mat rounded(Slipping *s, Mat M) { return each(s, M, round_to); }
static Mat zeros(Slipping *s, Mat M)   { return each(s, M, nothing); }

static Mat scores(Slipping *s)              /* behind the mask */
{
    return value_of(s, "S");
}

static double d_attn(Slipping *s) { return value_of(s, "Q")->rows; }

static Mat unscaled(Slipping *s, Mat M)
{
    return (void)M, scores(s);
}

static Mat over_d_attn(Slipping *s, Mat M)
{
    return (void)M, scale(scores(s), 1 / d_attn(s));
}

static Mat over_root_d_x(Slipping *s, Mat M)
{
    double d_x = value_of(s, "W_q")->cols;
    return (void)M, scale(scores(s), 1 / sqrt(d_x));
}

static Mat times_root(Slipping *s, Mat M)
{
    return (void)M, scale(scores(s), sqrt(d_attn(s)));
}
static Mat shares(Slipping *s, Mat E, bool of_rows)     /* NULL: none */
{
    Mat T = of_rows ? transposed(s, E) : E;
    Mat A = zeros_beside(s, T, T->rows, T->cols);
    for (int j = 1; j <= T->cols; j++) {
        double total = 0;
        for (int i = 1; i <= T->rows; i++)
            total += AT(T, i, j);
        if (total == 0 || !isfinite(total))
            return NULL;
        for (int i = 1; i <= T->rows; i++)
            AT(A, i, j) = (real)(AT(T, i, j) / total);
    }
    return of_rows ? transposed(s, A) : A;
}

static double raised(double x, double base) { return pow(base, x); }
static double itself(double x, double base) { return (void)base, x; }
static double e_rounded(double x, double decimals)
{
    return round_to(exp(x), decimals);
}

static Mat over_rows(Slipping *s, Mat M)
{
    double (*const f)(double, double) = raised;
    (void)M;
    return shares(s, each(s, value_of(s, "S_scaled"), f), true);
}

static Mat other_base(Slipping *s, Mat M)
{
    (void)M;
    return shares(s, each(s, value_of(s, "S_scaled"), raised), false);
}

static Mat by_the_sum(Slipping *s, Mat M)
{
    (void)M;
    return shares(s, each(s, value_of(s, "S_scaled"), itself), false);
}

static Mat rounded_powers(Slipping *s, Mat M)
{
    (void)M;
    return shares(s, each(s, value_of(s, "S_scaled"), e_rounded), false);
}

static Mat hard_maximum(Slipping *s, Mat M)
{
    Mat A = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(A, best, j) = 1;
    }
    return A;
}
static bool hides(Mat M, int i, int j)
{
    return i <= M->rows && j <= M->cols && AT(M, i, j) == -INFINITY;
}

static bool any_hidden(Mat M)
{
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (hides(M, i, j))
                return true;
    return false;
}

static Mat masked_where(Slipping *s, Mat M,
                        bool (*hidden)(Mat M, int i, int j), double hide)
{
    Mat S = value_of(s, "S"),
        Y = zeros_beside(s, M, M->rows, M->cols);
    if (!any_hidden(M))
        return M;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = hidden(M, i, j) ? (real)hide : AT(S, i, j);
    return Y;
}

static bool not_hidden(Mat M, int i, int j) { return !hides(M, i, j); }
static bool turned(Mat M, int i, int j)     { return hides(M, j, i); }
static bool or_itself(Mat M, int i, int j)
{
    return i == j || hides(M, i, j);
}

static Mat without_mask(Slipping *s, Mat M)
{
    return any_hidden(M) ? value_of(s, "S") : M;
}
static Mat mask_inverted(Slipping *s, Mat M)
{
    return masked_where(s, M, not_hidden, -INFINITY);
}
static Mat mask_transposed(Slipping *s, Mat M)
{
    return M->rows == M->cols ? masked_where(s, M, turned, -INFINITY) : M;
}
static Mat mask_strict(Slipping *s, Mat M)
{
    return masked_where(s, M, or_itself, -INFINITY);
}
static Mat zero_where_masked(Slipping *s, Mat M)
{
    return masked_where(s, M, hides, 0);
}
static Mat weights_masked(Slipping *s, Mat M)
{
    Mat hidden = value_of(s, "mask"),
        A = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(A, i, j) = hides(hidden, i, j) ? 0 : AT(M, i, j);
    return A;
}

static double epsilon(const Slipping *s)
{
    for (int k = 0; k < s->sheet->n; k++)
        if (strcmp(s->sheet->item[k].name, "epsilon") == 0)
            return s->sheet->item[k].entry->value;
    return 0;
}

static Mat over_n_minus_1(Slipping *s, Mat M)
{
    Mat e = stream(s);
    return e->rows == 1 ? NULL
         : scale(M, e->rows / (e->rows - 1.0));
}

static Mat squared(Slipping *s, Mat M)          /* so that its root is v */
{
    Mat v = zeros_beside(s, M, 1, M->cols);
    for (int j = 1; j <= M->cols; j++)
        AT(v, 1, j) = (real)(pow(AT(M, 1, j) + epsilon(s), 2) - epsilon(s));
    return v;
}

#define E 2.71828182845904523536
const Slip slips[] = {
    { "no-scale", "the 1/√d_attn is left out", 0,
      { { "4.6", "S_scaled", unscaled, false } }, false },
    { "scale-d", "the scores are divided by d_attn, not by its root", 0,
      { { "4.6", "S_scaled", over_d_attn, false } }, false },
    { "scale-d_x", "the scores are divided by √d_x, not by √d_attn", 0,
      { { "4.6", "S_scaled", over_root_d_x, false } }, false },
    { "scale-times", "the scores are multiplied by √d_attn", 0,
      { { "4.6", "S_scaled", times_root, false } }, false },
    { "axis", "the softmax is taken over the queries, not over the keys", E,
      { { "4.6", "A", over_rows, false } }, false },
    { "base-2", "2^x stands for e^x", 2,
      { { "4.6", "A", other_base, false } }, false },
    { "base-3", "3^x stands for e^x", 3,
      { { "4.6", "A", other_base, false } }, false },
    { "base-10", "10^x stands for e^x", 10,
      { { "4.6", "A", other_base, false } }, false },
    { "by-sum", "the scores are divided by their sum, without e^x", 0,
      { { "4.6", "A", by_the_sum, false } }, false },
    { "hard-max", "the largest score gets all the weight", 0,
      { { "4.6", "A", hard_maximum, false } }, false },
    { "no-mask", "the mask is left out", 0,
      { { "4.5", "S", without_mask, false } }, false },
    { "mask-inverted", "the mask is inverted", 0,
      { { "4.5", "S", mask_inverted, false } }, false },
    { "mask-transposed", "the mask is transposed", 0,
      { { "4.5", "S", mask_transposed, false } }, false },
    { "mask-strict", "no token may look at itself", 0,
      { { "4.5", "S", mask_strict, false } }, false },
    { "mask-zero", "masked scores are 0, not -inf", 0,
      { { "4.5", "S", zero_where_masked, false } }, false },
    { "mask-late", "the mask comes after the softmax", 0,
      { { "4.5", "S", without_mask, false },
        { "4.6", "A", weights_masked, false } }, false },
    { "exchange", "X and Z are exchanged", 0,
      { { NULL, NULL, NULL, false } }, true },
    { "W_q-transposed", "W_q is transposed", 0,
      { { "", "W_q", transposed, false } }, false },
    { "W_k-transposed", "W_k is transposed", 0,
      { { "", "W_k", transposed, false } }, false },
    { "W_v-transposed", "W_v is transposed", 0,
      { { "", "W_v", transposed, false } }, false },
    { "S-transposed", "S is transposed", 0,
      { { "4.4", "S", transposed, false } }, false },
    { "A-transposed", "A is transposed", 0,
      { { "4.6", "A", transposed, false } }, false },
    { "no-b_q", "b_q is left out", 0,
      { { "", "b_q", zeros, false } }, false },
    { "no-b_k", "b_k is left out", 0,
      { { "", "b_k", zeros, false } }, false },
    { "no-b_v", "b_v is left out", 0,
      { { "", "b_v", zeros, false } }, false },
    { "S-rounded-1", "S is rounded to 1 decimal before it is used", 1,
      { { "4.5", "S", rounded, true } }, false },
    { "e-rounded-1", "the e^x are rounded to 1 decimal", 1,
      { { "4.6", "A", rounded_powers, false } }, false },
    { "n-1", "the variance is divided by n - 1, not by n", 0,
      { { "6.2", "v", over_n_minus_1, false } }, false },
    { "no-root", "the square root is left out", 0,
      { { "6.2", "v", squared, true } }, false },
};
const int slips_n = sizeof slips / sizeof *slips;

bool shape_fits(const Item *claim, Mat M)
{
    bool vector = M->rows == 1 || M->cols == 1;
    return (claim->rows == M->rows && claim->cols == M->cols)
        || (vector && claim->rows == M->cols && claim->cols == M->rows);
}

real *claimed_entry(const Item *claim, Mat M, int k)
{
    int i = k / claim->cols + 1, j = k % claim->cols + 1;
    return claim->rows == M->rows && claim->cols == M->cols
         ? &AT(M, i, j) : &AT(M, j, i);
}


static bool is_made(const Slipping *s, const Step *here)
{
    const Step *only = s->why->only;
    return only == NULL || (only->part == here->part
           && only->layer == here->layer && only->turn == here->turn
           && (only->head == here->head || here->head == 0));
}

/* Training and inference read the logarithms of P, not P. */
static bool is_read_by_logarithm(const Slipping *s, Place place, Mat M)
{
    return s->variation.run->algorithm >= 11 && M->logits != NULL
        && (strcmp(place.name, "p") == 0 || strcmp(place.name, "P") == 0);
}

static void set_logarithms(Slipping *s, Mat P)
{
    Mat logits = zeros_beside(s, P, P->rows, P->cols);
    for (int j = 1; j <= P->cols; j++)
        for (int i = 1; i <= P->rows; i++) {
            if (!(AT(P, i, j) > 0))
                cannot_be(s);
            AT(logits, i, j) = (real)log(AT(P, i, j));
        }
    ((struct Matrix *)P)->logits = logits;      /* a slip has made it */
}

static Mat slipped(Slipping *s, Place place, bool unwritten, Mat M)
{
    Mat Y = M;
    for (int k = 0; k < 2 && s->why->slip[k] != NULL; k++) {
        s->slip = s->why->slip[k];
        for (int i = 0; i < 6 && s->slip->at[i].line != NULL; i++)
            if (strcmp(s->slip->at[i].line, place.line) == 0
                && strcmp(s->slip->at[i].name, place.name) == 0
                && s->slip->at[i].unwritten == unwritten
                && is_made(s, s->here)) {
                Mat other = s->slip->at[i].instead(s, Y);
                s->why->made[k] |= other != Y;
                Y = other;
            }
        if (Y == NULL || Y->rows != M->rows || Y->cols != M->cols)
            cannot_be(s);
    }
    if (is_read_by_logarithm(s, place, M) && Y->logits == NULL)
        set_logarithms(s, Y);
    return Y;
}

static Mat weights_3(Slipping *s, Mat M)
{
    Mat exact = M;
    M = s->variation.run->scaled ? scale(scores(s), 1 / sqrt(d_attn(s)))
                                 : scores(s);
    Mat S = slipped(s, (Place){ "4.6", "S_scaled" }, false, M);
    remember(s, "S_scaled", s->here, S);
    return S == M ? exact : softmax(S);
}

static Mat compute(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    char line[30];
    Place place = place_of(step, line);
    s->here = step;
    if (strcmp(step->name, "alpha_t") == 0)
        M = weights_3(s, M);
    if (strcmp(line, "4.5") == 0)
        remember(s, "mask", step, M);
    M = slipped(s, place, false, M);
    if (step->aspect == VALUE)
        remember(s, place.name, step, M);
    return M;
}

static Mat give(void *to, const Step *place, Mat M)
{
    Slipping *s = to;
    s->here = place;
    remember(s, place->name, place, M);     /* it will be overwritten */
    return slipped(s, (Place){ "", place->name }, false, M);
}

static const Claim *claim_on(const Slipping *s, const Step *step)
{
    const Explanation *g = s->why;
    for (int k = 0; k < g->n; k++)
        if (same_place(g->claim[k].step, step))
            return &g->claim[k];
    return NULL;
}

static bool can_go_on(const Step *step, double x)
{
    bool variance = step->algorithm == 6 && step->line == 2;
    bool probability = strchr("pPq", step->name[0]) != NULL
                    && step->name[1] == '\0' && step->algorithm != 3;
    return isfinite(x) && (!variance || x > 0) && (!probability || x > 0);
}

/* What is written, in the paper's layout. */
static Mat written(Slipping *s, const Step *step, const Item *claim, Mat M)
{
    Mat Y = constant(s->arena, step->M->rows, step->M->cols);
    memcpy(Y->at, step->M->at,
           (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
    for (int k = 0; k < claim->rows * claim->cols; k++)
        if (can_go_on(step, claim->entry[k].value))
            *claimed_entry(claim, Y, k) = (real)claim->entry[k].value;
    return step->turned ? transposed(s, Y) : Y;
}

/* M with other numbers; what is behind M on the tape stays there. */
static Mat with_numbers(Slipping *s, Mat M, Mat numbers, bool as_softmax)
{
    Mat from = as_softmax ? M->logits : M;
    Mat change = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            double x = AT(numbers, i, j);
            x = as_softmax ? log(x) : x;
            AT(change, i, j) = isfinite(x) ? (real)(x - AT(from, i, j)) : 0;
        }
    M = add(from, change);
    return as_softmax ? softmax(M) : M;
}

static Mat carry(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    char line[30];
    Place place = place_of(step, line);
    const Claim *claim = claim_on(s, step);
    Mat Y = M;
    s->here = step;
    if (claim != NULL && shape_fits(claim->item, step->M)) {
        Y = written(s, step, claim->item, M);
        if (step->aspect == VALUE)
            Y = with_numbers(s, M, Y, M->logits != NULL
                                      && step->algorithm >= 8);
    }
    Y = slipped(s, place, true, Y);
    if (Y != M && step->aspect == VALUE)
        remember(s, place.name, step, Y);
    return Y;
}

static void run_it(Fault *f, void *data)
{
    Slipping *s = data;
    run_varied(s->sheet, &s->variation, s->arena, s->tape, f);
}

const Run *run_explained(const Sheet *sheet, Explanation *why, Arena *arena,
                         Tape *tape)
{
    Slipping *s = arena_alloc(arena, sizeof *s);
    Fault f = { .sheet = sheet->name, .text = NULL };
    *s = (Slipping){ .why = why, .sheet = sheet, .arena = arena,
        .tape = tape, .variation = { s, give, compute, carry,
                                     .run = NULL } };
    for (int k = 0; k < 2; k++)
        if (why->slip[k] != NULL && why->slip[k]->exchanged)
            s->variation.exchanged = why->made[k] = true;
    attempt(&f, run_it, s);
    return s->variation.run;
}

