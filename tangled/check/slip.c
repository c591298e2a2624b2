/* Known slips: small variations of the algorithms. */
#include "check/check.h"
#include "practice.h"
#include <math.h>
#include <string.h>

typedef struct { const char *line, *name; } Place;

static const struct {
    int algorithm, line;
    const char *name;
    Place as;
} aliases[] = {
        {  3,  1, "q",       { "4.1",   "Q"    } },
        {  3,  2, "k_t",     { "4.2",   "K"    } },
        {  3,  3, "v_t",     { "4.3",   "V"    } },
        {  3,  4, "scores",  { "4.4",   "S"    } },
        {  3,  4, "alpha_t", { "4.6",   "A"    } },
        {  3,  5, "v_tilde", { "4.6",   "Vt"   } },
        {  8,  3, "Z",       { "10.3",  "X"    } },
        {  8,  5, "Z",       { "9.5",   "X"    } },
        {  8,  6, "Z",       { "9.6",   "X"    } },
        {  8,  7, "Z",       { "9.7",   "X"    } },
        {  8,  8, "Z",       { "9.8",   "X"    } },
        {  8, 12, "X",       { "10.3",  "X"    } },
        {  8, 14, "X",       { "9.5",   "X"    } },
        {  8, 15, "X",       { "9.6",   "X"    } },
        {  8, 16, "X",       { "9.5",   "X"    } },
        {  8, 17, "X",       { "9.6",   "X"    } },
        {  8, 18, "X",       { "9.7",   "X"    } },
        {  8, 19, "X",       { "9.8",   "X"    } },
        {  9,  3, "X",       { "10.3",  "X"    } },
        {  9, 11, "X",       { "10.10", "X"    } },
        { 11,  5, "loss",    { "13.5",  "loss" } },
        { 12,  9, "loss",    { "13.5",  "loss" } },
        { 15,  5, "p",       { "14.4",  "p"    } },
        { 15,  6, "q",       { "14.5",  "q"    } },
        { 15,  6, "y",       { "14.5",  "y"    } },
};

static char *add_digits(char *to, int n)
{
    if (n >= 10)
        to = add_digits(to, n / 10);
    *to = (char)('0' + n % 10);
    return to + 1;
}

static Place slip_place(const Step *step, char line[30])
{
    if (step->aspect != VALUE)
        return (Place){ "13.6", step->aspect == NEW ? "new" : "gradient" };
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        if (step->algorithm == aliases[k].algorithm
            && step->line == aliases[k].line
            && strcmp(step->name, aliases[k].name) == 0)
            return aliases[k].as;
    if (step->line == 0)
        return (Place){ "", step->name };
    char *end = add_digits(line, step->algorithm);
    *end++ = '.';
    *add_digits(end, step->line) = '\0';
    return (Place){ line, step->name };
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
    const Claim *sought;        /* whose entries slips are sought for     */
    CellSlip *cell;             /* those found                            */
    int cells;
    Mat gradient;               /* the latest                             */
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

static Mat value_in_line(Slipping *s, const char *name, int line)
{
    for (const Seen *v = s->last; v != NULL; v = v->before)
        if (strcmp(v->name, name) == 0 && is_known(&v->place, s->here)
            && (line == 0 || v->place.line == line))
            return v->M;
    cannot_be(s);
}

static Mat value_of(Slipping *s, const char *name)
{
    return value_in_line(s, name, 0);
}

/* What the sheet gives under a name; NULL: nothing. */
static const Item *given_as(const Slipping *s, const char *name)
{
    for (int k = 0; k < s->sheet->n; k++)
        if (!s->sheet->item[k].claim
            && strcmp(s->sheet->item[k].name, name) == 0)
            return &s->sheet->item[k];
    return NULL;
}

static void keep_value(Slipping *s, const char *name, const Step *place,
                       Mat M)
{
    Seen *seen = arena_alloc(s->arena, sizeof *seen);
    *seen = (Seen){ name, *place, M, s->last };
    s->last = seen;
}

static void note(Slipping *s, Place place, const Step *step, Mat M)
{
    keep_value(s, place.name, step, M);
    if (strcmp(place.name, "X") == 0)
        keep_value(s, "e", step, M);
}

static Mat stream(Slipping *s) { return value_of(s, "e"); }

static Mat zeros_beside(Slipping *s, Mat M, int rows, int cols)
{
    enum { MOST = 10000000 };
    if ((double)rows * cols > MOST)
        cannot_be(s);
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

static int finite_in(Mat M, int j)          /* entries of column j */
{
    int n = 0;
    for (int i = 1; i <= M->rows; i++)
        n += isfinite(AT(M, i, j)) != 0;
    return n;
}

static int hidden_in(Mat M, int j)
{
    int n = 0;
    for (int i = 1; i <= M->rows; i++)
        n += AT(M, i, j) == -INFINITY;
    return n;
}

static bool has_softmax(Mat M, int j)
{
    int n = finite_in(M, j);
    return n > 0 && n + hidden_in(M, j) == M->rows;
}

static Mat softmax_of(Slipping *s, Mat M)
{
    for (int j = 1; j <= M->cols; j++)
        if (!has_softmax(M, j))
            cannot_be(s);
    return softmax(M);
}

static void transposed_backward(Mat T)
{
    Mat M = T->of[0];
    for (int k = 0; M->grad != NULL && k < M->rows * M->cols; k++)
        M->grad[k] += T->grad[k % M->rows * M->cols + k / M->rows];
}

static Mat transposed(Slipping *s, Mat M)
{
    Mat T = computed_on(HERE("transposed"), M->tape != NULL ? M->tape
                        : s->tape, M->cols, M->rows, transposed_backward,
                        1, &M);
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
static Mat rounded_3(Slipping *s, Mat M)    /* in Algorithm 3 only */
{
    return s->here->algorithm == 3 ? rounded(s, M) : M;
}

static Mat zeros(Slipping *s, Mat M)   { return each(s, M, nothing); }

static Mat scores(Slipping *s)              /* behind the mask */
{
    return value_of(s, "S");
}

static double d_attn(Slipping *s) { return value_of(s, "Q")->rows; }

static bool is_scaled(const Slipping *s)
{
    return s->variation.run->scaled;
}

static Mat scores_times(Slipping *s, double c)
{
    return is_scaled(s) && c > 0 ? scale(scores(s), c) : NULL;
}

static Mat unscaled(Slipping *s, Mat M)
{
    return (void)M, scores_times(s, 1);
}

static Mat scaled_anyway(Slipping *s, Mat M)
{
    return is_scaled(s) ? NULL : scale(M, 1 / sqrt(d_attn(s)));
}

static Mat over_d_attn(Slipping *s, Mat M)
{
    return (void)M, scores_times(s, 1 / d_attn(s));
}

static Mat over_root_d_x(Slipping *s, Mat M)
{
    double d_x = value_of(s, "W_q")->cols;
    return (void)M, scores_times(s, 1 / sqrt(d_x));
}

static Mat times_root(Slipping *s, Mat M)
{
    return (void)M, scores_times(s, sqrt(d_attn(s)));
}

static Mat over_root_of_root(Slipping *s, Mat M)
{
    return (void)M, scores_times(s, 1 / sqrt(sqrt(d_attn(s))));
}

static Mat over_rounded_root(Slipping *s, Mat M)
{
    double root = round_to(sqrt(d_attn(s)), s->slip->number);
    return (void)M, scores_times(s, 1 / root);
}

static Mat times_rounded_root(Slipping *s, Mat M)
{
    double factor = round_to(1 / sqrt(d_attn(s)), s->slip->number);
    return (void)M, scores_times(s, factor);
}

static Mat powers(Slipping *s, Mat P, double (*f)(double x, double number))
{
    return P->logits == NULL ? NULL : each(s, P->logits, f);
}

static double raised(double x, double base) { return pow(base, x); }
static double itself(double x, double base)
{
    return (void)base, x == -INFINITY ? 0 : x;
}

static double e_rounded(double x, double decimals)
{
    return round_to(exp(x), decimals);
}

static Mat shares(Slipping *s, Mat E)       /* NULL: there are none */
{
    Mat A = E == NULL ? NULL : zeros_beside(s, E, E->rows, E->cols);
    for (int j = 1; A != NULL && j <= E->cols; j++) {
        double total = 0;
        for (int i = 1; i <= E->rows; i++)
            total += AT(E, i, j);
        if (total == 0 || !isfinite(total))
            return NULL;
        for (int i = 1; i <= E->rows; i++)
            AT(A, i, j) = (real)(AT(E, i, j) / total);
    }
    return A;
}

static Mat over_rows(Slipping *s, Mat M)
{
    Mat E = powers(s, M, raised);
    Mat A = E == NULL ? NULL : shares(s, transposed(s, E));
    return A == NULL ? NULL : transposed(s, A);
}

static Mat over_everything(Slipping *s, Mat M)
{
    double total = 0;
    Mat E = powers(s, M, raised);
    for (int j = 1; E != NULL && j <= E->cols; j++)
        for (int i = 1; i <= E->rows; i++)
            total += AT(E, i, j);
    return total == 0 || isinf(total) ? NULL : scale(E, 1 / total);
}

static Mat other_base(Slipping *s, Mat M)
{
    double c = log(s->slip->number);
    return M->logits == NULL ? NULL
         : c > 0 ? softmax_of(s, scale(M->logits, c))
         : shares(s, powers(s, M, raised));
}

static Mat by_the_sum(Slipping *s, Mat M)
{
    return shares(s, powers(s, M, itself));
}

static Mat rounded_powers(Slipping *s, Mat M)
{
    return shares(s, powers(s, M, e_rounded));
}

static Mat only_powers(Slipping *s, Mat M) { return powers(s, M, raised); }
static Mat no_softmax(Slipping *s, Mat M)  { return (void)s, M->logits; }

static int largest_in(Mat M, int j)         /* its row */
{
    int best = 1;
    for (int i = 2; i <= M->rows; i++)
        best = AT(M, i, j) > AT(M, best, j) ? i : best;
    return best;
}

static Mat hard_maximum(Slipping *s, Mat M)
{
    Mat A = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        AT(A, largest_in(M, j), j) = 1;
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

typedef struct { Mat M; bool (*hidden)(Mat M, int i, int j); } Hiding;

static bool look_past(int i, int j, const void *data)
{
    const Hiding *hiding = data;
    return !hiding->hidden(hiding->M, i, j);
}

static Mat masked_where(Slipping *s, Mat M,
                        bool (*hidden)(Mat M, int i, int j))
{
    Hiding *hiding = arena_alloc(s->arena, sizeof *hiding);
    *hiding = (Hiding){ M, hidden };
    Mask mask = { look_past, hiding };
    return masked(value_in_line(s, "S", 4), mask);
}

/* M with 0 where a value was hidden. */
static Mat zero_where(Slipping *s, Mat M, Mat hidden)
{
    Mat seen = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(seen, i, j) = hides(hidden, i, j) ? 0 : 1;
    return hadamard(M, seen);
}

static bool not_hidden(Mat M, int i, int j) { return !hides(M, i, j); }
static bool turned(Mat M, int i, int j)     { return hides(M, j, i); }
static bool later_key(Mat M, int i, int j)  { return (void)M, i > j; }
static bool alone(Mat M, int t)
{
    bool alone = true;
    for (int i = 1; i <= M->rows; i++)
        alone &= i == t || hides(M, i, t);
    return alone;
}

static bool or_itself(Mat M, int i, int j)
{
    return hides(M, i, j) || (i == j && !alone(M, j));
}

static bool blind(Mat M, int t)
{
    return alone(M, t) && (t > M->rows || hides(M, t, t));
}

static bool but_not_blind(Mat M, int i, int j)
{
    return hides(M, i, j) && !blind(M, j);
}

static Mat seeing(Slipping *s, Mat M)
{
    bool any = false;
    for (int j = 1; j <= M->cols; j++)
        any |= blind(M, j);
    return any ? masked_where(s, M, but_not_blind) : M;
}

static Mat without_mask(Slipping *s, Mat M)
{
    return any_hidden(M) ? value_in_line(s, "S", 4) : NULL;
}

static Mat mask_inverted(Slipping *s, Mat M)
{
    return any_hidden(M) ? masked_where(s, M, not_hidden) : NULL;
}

static Mat mask_transposed(Slipping *s, Mat M)
{
    return any_hidden(M) && M->rows == M->cols
         ? masked_where(s, M, turned) : NULL;
}

static Mat mask_strict(Slipping *s, Mat M)
{
    return any_hidden(M) ? masked_where(s, M, or_itself) : NULL;
}

static Mat zero_where_masked(Slipping *s, Mat M)
{
    return any_hidden(M) ? zero_where(s, value_in_line(s, "S", 4), M)
                         : NULL;
}

static Mat causal_anyway(Slipping *s, Mat M)
{
    return any_hidden(M) ? NULL : masked_where(s, M, later_key);
}

static Mat weights_masked(Slipping *s, Mat M)
{
    Mat hidden = value_of(s, "mask");
    return any_hidden(hidden) ? zero_where(s, M, hidden) : NULL;
}

static Mat identity(Slipping *s, Mat M)
{
    Mat I = zeros_beside(s, M, M->rows, M->cols);
    for (int i = 1; i <= M->rows && i <= M->cols; i++)
        AT(I, i, i) = 1;
    return M->rows == M->cols ? I : NULL;
}

static void copy(Mat to, Mat from)
{
    memmove(to->at, from->at,
            (size_t)to->rows * (size_t)to->cols * sizeof *to->at);
}

static Mat for_other(Slipping *s, Mat M, const char *name)
{
    Mat other = value_of(s, name),
        Y = zeros_beside(s, M, M->rows, M->cols);
    if (other->rows != M->rows || other->cols != M->cols)
        return NULL;
    copy(Y, other);
    copy(other, M);
    return Y;
}

static Mat tied(Slipping *s, Mat W_e)       /* in Algorithm 7: W_u^T */
{
    return s->variation.run->algorithm == 7 ? transposed(s, W_e) : W_e;
}

static Mat for_W_q(Slipping *s, Mat M) { return for_other(s, M, "W_q"); }
static Mat for_W_k(Slipping *s, Mat M) { return for_other(s, M, "W_k"); }
static Mat for_b_q(Slipping *s, Mat M) { return for_other(s, M, "b_q"); }
static Mat for_b_k(Slipping *s, Mat M) { return for_other(s, M, "b_k"); }
static Mat keys(Slipping *s, Mat M)    { return (void)M, value_of(s, "K"); }

static int heads_seen(Slipping *s)
{
    for (const Seen *v = s->last; v != NULL; v = v->before)
        if (v->place.line > 0 && v->place.head > 0)
            return v->place.head;
    cannot_be(s);
}

/* Row i of the answer is row from(i, ...) of Y; -1: of zeros. */
typedef int Order(int i, int H, int d_mid);
static Mat rows_from(Slipping *s, Mat Y, Order from)
{
    Mat chosen = zeros_beside(s, Y, Y->rows, Y->rows);
    int H = heads_seen(s), d_mid = Y->rows / H;
    for (int i = 0; i < Y->rows; i++)
        if (from(i, H, d_mid) >= 0)
            AT(chosen, i + 1, from(i, H, d_mid) + 1) = 1;
    return mul(chosen, Y);
}

static int backwards(int i, int H, int d_mid)
{
    return (H - 1 - i / d_mid) * d_mid + i % d_mid;
}

static int in_turn(int i, int H, int d_mid)
{
    return i % H * d_mid + i / H;
}

static int again(int i, int H, int d_mid) { return (void)H, i % d_mid; }
static int first(int i, int H, int d_mid)
{
    return (void)H, i < d_mid ? i : -1;
}

static Mat heads_backwards(Slipping *s, Mat Y)
{
    return rows_from(s, Y, backwards);
}

static Mat heads_in_turn(Slipping *s, Mat Y)
{
    return rows_from(s, Y, in_turn);
}

static Mat head_again(Slipping *s, Mat Y) { return rows_from(s, Y, again); }
static Mat first_head(Slipping *s, Mat Y) { return rows_from(s, Y, first); }

/* Multiplied by number; 0: by one over the number of heads. */
static Mat heads_added(Slipping *s, Mat Vt)
{
    Mat Y = value_of(s, "Y");
    int H = heads_seen(s), d_mid = Y->rows / H;
    double c = s->slip->number > 0 ? s->slip->number : 1.0 / H;
    Mat added = zeros_beside(s, Vt, d_mid, Y->rows);
    for (int i = 0; i < Y->rows; i++)
        AT(added, i % d_mid + 1, i + 1) = (real)c;
    return mul(added, Y);
}

static Mat parameter_of(Slipping *s, Part part, const char *name)
{
    Part of = part == ED ? DEC : part;
    for (const Seen *v = s->last; v != NULL; v = v->before)
        if (v->place.line == 0 && strcmp(v->name, name) == 0
            && v->place.part == of && v->place.layer == s->here->layer)
            return v->M;
    cannot_be(s);
}

static const char *norm_behind(int algorithm, int line, bool in_layer)
{
    static const char *const behind[][20] = {
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1", [12] = "_3",
          [14] = "_3", "_4", "_4", "_5", "_5", "_3" },  /* Algorithm 8 */
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1" },
        { [3] = "_1", [6] = "_2", [8] = "_1" } };
    const char *number = behind[algorithm - 8][line];
    return number == NULL || !in_layer ? "" : number;
}

/* gamma or beta of the layer norm that comes next. */
static Mat of_norm(Slipping *s, const char *name)
{
    char full[20];
    const Seen *v = s->last;
    while (v != NULL && strcmp(v->name, "X") != 0)
        v = v->before;
    if (v == NULL || s->variation.run->algorithm < 8)
        return value_of(s, name);
    snprintf(full, sizeof full, "%s%s", name, norm_behind(
             v->place.algorithm, v->place.line, s->here->layer > 0));
    return parameter_of(s, s->here->part, full);
}

static double number_given(const Slipping *s, const char *name,
                           double instead)
{
    const Item *item = given_as(s, name);
    return item != NULL && item->word == NULL ? item->entry->value
                                              : instead;
}

static double epsilon(const Slipping *s)
{
    return number_given(s, "epsilon", 0);
}

/* The variance whose root, with epsilon, is f(v, epsilon). */
static Mat with_root(Slipping *s, Mat v, double (*f)(double v, double eps))
{
    Mat other = zeros_beside(s, v, 1, v->cols);
    double eps = epsilon(s);
    for (int j = 1; j <= v->cols; j++)
        AT(other, 1, j) = (real)(pow(f(AT(v, 1, j), eps), 2) - eps);
    return other;
}

static double outside(double v, double eps) { return sqrt(v) + eps; }
static double without(double v, double eps) { return (void)eps, sqrt(v); }
static double twice(double v, double eps)   { return sqrt(v + 2 * eps); }
static Mat no_root(Slipping *s, Mat v)
{
    Mat eps = zeros_beside(s, v, 1, v->cols);
    for (int j = 1; j <= v->cols; j++)
        AT(eps, 1, j) = (real)epsilon(s);
    v = add(v, eps);
    return add(hadamard(v, v), scale(eps, -1));
}

static Mat eps_outside(Slipping *s, Mat v)
{
    return with_root(s, v, outside);
}

static Mat no_eps(Slipping *s, Mat v)
{
    return with_root(s, v, without);
}

static Mat eps_twice(Slipping *s, Mat v)
{
    return with_root(s, v, twice);
}

static double root_of(double x, double n)   { return (void)n, sqrt(x); }
static double square_of(double x, double n) { return (void)n, x * x; }
static double one(double x, double n)       { return (void)x, (void)n, 1; }
static Mat roots(Slipping *s, Mat M)   { return each(s, M, root_of); }
static Mat squared(Slipping *s, Mat M) { return each(s, M, square_of); }
static Mat unit(Slipping *s, Mat M)    { return each(s, M, one); }

static Mat over_n_minus_1(Slipping *s, Mat M)
{
    double n = stream(s)->rows;
    return n == 1 ? NULL : scale(M, n / (n - 1));
}

static Mat not_over_n(Slipping *s, Mat M)
{
    return scale(M, stream(s)->rows);
}

static Mat mean_anyway(Slipping *s, Mat M)
{
    return s->variation.run->rms ? mean(stream(s)) : M;
}

static Mat square_mean(Slipping *s, Mat v)      /* of e, not of e - m */
{
    Mat m = zeros_beside(s, v, 1, v->cols);
    return variance(stream(s), m);
}

static Mat mean_left_in(Slipping *s, Mat M)
{
    Mat m = value_of(s, "m"), v = value_of(s, "v"),
        gamma = of_norm(s, "gamma"),
        Y = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = AT(M, i, j) + (real)(AT(gamma, i, 1) * AT(m, 1, j)
                                          / sqrt(AT(v, 1, j) + epsilon(s)));
    return Y;
}

static bool has_roots(Mat v, double epsilon)
{
    bool positive = true;
    for (int j = 1; j <= v->cols; j++)
        positive &= isfinite(AT(v, 1, j))
                 && (real)sqrt(AT(v, 1, j) + epsilon) > 0;
    return positive;
}

static Mat over_tokens(Slipping *s, Mat M)
{
    Mat e = transposed(s, stream(s)), m = mean(e);
    Mat v = variance(e, m);
    (void)M;
    if (!has_roots(v, epsilon(s)) || s->variation.run->rms)
        return NULL;
    Mat Y = transposed(s, standardise(e, m, v));
    return add_bias(scale_rows(of_norm(s, "gamma"), Y),
                    of_norm(s, "beta"));
}

static Mat for_gamma(Slipping *s, Mat M)
{
    char gamma[20];
    const char *beta = s->here->name;
    snprintf(gamma, sizeof gamma, "gamma%s", beta + strlen("beta"));
    return for_other(s, M, gamma);
}

static Mat column_of(Slipping *s, Mat M, const char *W, const char *index)
{
    Mat from = value_of(s, W);
    int j = (int)(number_given(s, index, 1) + s->slip->number);
    return 1 <= j && j <= from->cols ? gather(M->tape, from, 1, &j) : NULL;
}

static Mat other_token(Slipping *s, Mat M)
{
    return column_of(s, M, "W_e", "v");
}

static Mat row_at(Slipping *s, Mat M, const char *W, const char *index)
{
    Mat from = value_of(s, W);
    int i = (int)number_given(s, index, 1);
    return i <= from->rows ? gather(M->tape, transposed(s, from), 1, &i)
                           : NULL;
}

static Mat row_of_W_e(Slipping *s, Mat M)
{
    return row_at(s, M, "W_e", "v");
}

static Mat row_of_W_p(Slipping *s, Mat M)
{
    return row_at(s, M, "W_p", "t");
}

typedef struct { Sinusoids variant; double base, position; } Sines;

static bool sines_of(const Slipping *s, Sines *sines)
{
    const Item *positions = given_as(s, "positions");
    const char *word = positions == NULL ? NULL : positions->word;
    bool paper = word != NULL && strcmp(word, "paper") == 0;
    sines->variant = paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI;
    sines->base = number_given(s, "base", paper
                ? number_given(s, "ell_max", 1) : 10000);
    sines->position = number_given(s, "t", 1) - 1
                    + number_given(s, "first", paper ? 1 : 0);
    return word != NULL;
}

static Mat sines(Slipping *s, Mat M, Sines how)
{
    Mat Y = zeros_beside(s, M, M->rows, 1);
    copy(Y, sinusoids(s->arena, M->rows, 1, how.variant, how.base,
                      how.position));
    return Y;
}

static Mat other_position(Slipping *s, Mat M)
{
    Sines how;
    if (!sines_of(s, &how))
        return column_of(s, M, "W_p", "t");
    how.position += s->slip->number;
    return sines(s, M, how);
}

static Mat base_of_sines(Slipping *s, Mat M)    /* number 0: ell_max */
{
    Sines how;
    bool computed = sines_of(s, &how);
    how.base = s->slip->number > 0 ? s->slip->number
             : number_given(s, "ell_max", 0);
    return computed && how.base > 0 ? sines(s, M, how) : NULL;
}

static Mat power_of_base(Slipping *s, Mat M)
{
    Sines how;
    bool computed = sines_of(s, &how);
    how.base = pow(how.base, s->slip->number);
    return computed && how.base > 0 && isfinite(how.base)
         ? sines(s, M, how) : NULL;
}

static Mat other_exponent(Slipping *s, Mat M)
{
    Sines how;
    bool computed = sines_of(s, &how);
    how.variant = how.variant == SINUSOIDS_PAPER ? SINUSOIDS_VASWANI
                                                 : SINUSOIDS_PAPER;
    return computed ? sines(s, M, how) : NULL;
}

static Mat in_degrees(Slipping *s, Mat M)
{
    Sines how;
    bool computed = sines_of(s, &how);
    how.position *= acos(-1) / 180;
    return computed ? sines(s, M, how) : NULL;
}

static Mat cosine_first(Slipping *s, Mat M)
{
    Sines how;
    Mat Y = zeros_beside(s, M, M->rows, 1);
    for (int i = 1; i < M->rows; i += 2) {
        AT(Y, i, 1) = AT(M, i + 1, 1);
        AT(Y, i + 1, 1) = AT(M, i, 1);
    }
    return sines_of(s, &how) ? Y : NULL;
}

static Mat all_sines_first(Slipping *s, Mat M)
{
    Sines how;
    Mat Y = zeros_beside(s, M, M->rows, 1);
    for (int i = 1; i < M->rows; i += 2) {
        AT(Y, (i + 1) / 2, 1) = AT(M, i, 1);
        AT(Y, M->rows / 2 + (i + 1) / 2, 1) = AT(M, i + 1, 1);
    }
    return sines_of(s, &how) ? Y : NULL;
}

static Mat less(Mat A, Mat B) { return add(A, scale(B, -1)); }

static Mat only_attention(Slipping *s, Mat M)
{
    return (void)M, value_of(s, "Vt");
}

static Mat only_added(Slipping *s, Mat M) { return less(M, stream(s)); }

static Mat to_the_normalised(Slipping *s, Mat M)
{
    return add(only_added(s, M), value_of(s, "Xt"));
}

static Mat not_normalised(Slipping *s, Mat M) { return (void)M, stream(s); }
static bool is_post_norm(const Slipping *s)
{
    int a = s->variation.run->algorithm;
    return a == 8 || a == 9 || a == 11 || a == 12 || a == 15;
}

static Mat slip_normalised(Slipping *s, Mat X)
{
    Mat m = mean(X), v = variance(X, m);
    for (int j = 1; j <= v->cols; j++)
        if (!((real)sqrt(AT(v, 1, j) + epsilon(s))
              > least_root(AT(m, 1, j))))
            cannot_be(s);
    Mat Y = standardise(X, m, v);
    return add_bias(scale_rows(of_norm(s, "gamma"), Y),
                    of_norm(s, "beta"));
}

typedef Mat Activation(Mat M);
static Mat with_gelu(Mat M) { return gelu(M); }
static Mat with_tanh(Mat M) { return gelu_tanh(M); }
static Mat with_relu(Mat M) { return relu(M); }
static Mat unchanged(Mat M) { return M; }

static Activation *own_activation(const Slipping *s)
{
    return s->here->algorithm == 8 ? with_relu : with_gelu;
}

static Mat mlp(Slipping *s, Mat X, Activation *activation)
{
    Part part = s->here->part;
    bool decodes = part == DEC;
    Mat W_1 = parameter_of(s, part, decodes ? "W_mlp3" : "W_mlp1"),
        b_1 = parameter_of(s, part, decodes ? "b_mlp3" : "b_mlp1"),
        W_2 = parameter_of(s, part, decodes ? "W_mlp4" : "W_mlp2"),
        b_2 = parameter_of(s, part, decodes ? "b_mlp4" : "b_mlp2");
    return affine(W_2, activation(affine(W_1, X, b_1)), b_2);
}

static Mat norm_of_sum(Slipping *s, Mat M) { return slip_normalised(s, M); }

static Mat mlp_of_normalised(Slipping *s, Mat M)
{
    (void)M;
    Mat X = stream(s);
    return add(X, mlp(s, slip_normalised(s, X), own_activation(s)));
}

static Mat mlp_of_stream(Slipping *s, Mat M)
{
    (void)M;
    return add(stream(s), mlp(s, stream(s), own_activation(s)));
}

static Mat projected(Slipping *s, Mat X, const char *W, const char *b)
{
    return affine(value_of(s, W), X, value_of(s, b));
}

static Mat query_of_normalised(Slipping *s, Mat M)
{
    return !is_post_norm(s) ? M
         : projected(s, slip_normalised(s, stream(s)), "W_q", "b_q");
}

static Mat of_normalised(Slipping *s, Mat M, const char *W, const char *b)
{
    return !is_post_norm(s) || s->here->part == ED ? M
         : projected(s, slip_normalised(s, stream(s)), W, b);
}

static Mat key_of_normalised(Slipping *s, Mat M)
{
    return of_normalised(s, M, "W_k", "b_k");
}

static Mat value_of_normalised(Slipping *s, Mat M)
{
    return of_normalised(s, M, "W_v", "b_v");
}

static Mat context(Slipping *s)
{
    for (const Seen *v = s->last; v != NULL; v = v->before)
        if (v->place.line > 0 && strcmp(v->place.name, "Z") == 0)
            return v->M;
    cannot_be(s);
}

static Mat crossed(Slipping *s, Mat M, Mat X, const char *W, const char *b)
{
    return s->here->part == ED ? projected(s, X, W, b) : M;
}

static Mat query_of_context(Slipping *s, Mat M)
{
    return s->here->part == ED ? crossed(s, M, context(s), "W_q", "b_q")
                               : M;
}

static Mat key_of_stream(Slipping *s, Mat M)
{
    return s->here->part == ED ? crossed(s, M, stream(s), "W_k", "b_k") : M;
}

static Mat value_of_stream(Slipping *s, Mat M)
{
    return s->here->part == ED ? crossed(s, M, stream(s), "W_v", "b_v") : M;
}

static Mat activated(Slipping *s, Activation *activation)
{
    const Step *here = s->here;
    if (here->algorithm == 9 && here->line == 10)
        return activation(projected(s, stream(s), "W_f", "b_f"));
    Mat X = here->algorithm == 10 ? value_of(s, "Xt") : stream(s);
    return add(stream(s), mlp(s, X, activation));
}

static Mat other_activation(Slipping *s, Mat M)
{
    (void)M;
    return activated(s, own_activation(s) == with_relu ? with_gelu
                                                       : with_relu);
}

static Mat tanh_activation(Slipping *s, Mat M)
{
    return own_activation(s) == with_relu ? M : activated(s, with_tanh);
}

static Mat no_activation(Slipping *s, Mat M)
{
    return (void)M, activated(s, unchanged);
}

static Mat positions(Slipping *s, Mat M)
{
    int *t = arena_alloc(s->arena, (size_t)M->cols * sizeof *t);
    for (int k = 0; k < M->cols; k++)
        t[k] = k + 1;
    return gather(M->tape, value_of(s, "W_p"), M->cols, t);
}

static Mat unplaced(Slipping *s, Mat M)
{
    return s->variation.run->unplaced ? M : less(M, positions(s, M));
}

static Mat scaled_embedding(Slipping *s, Mat M)
{
    Mat E = unplaced(s, M);
    return add(M, scale(E, sqrt(M->rows) - 1));
}

/* Position t has the column of t + number. */
static Mat moved_positions(Slipping *s, Mat M)
{
    Sines how;
    Mat W_p = value_of(s, "W_p");
    int by = (int)s->slip->number, n = M->cols;
    bool computed = sines_of(s, &how);
    int *t = arena_alloc(s->arena, (size_t)n * sizeof *t);
    for (int k = 0; k < n; k++)
        t[k] = k + 1 + (computed ? 0 : by);
    if (t[0] < 1 || t[n - 1] > W_p->cols)
        return NULL;
    if (computed)
        W_p = sinusoids(s->arena, W_p->rows, W_p->cols, how.variant,
                        how.base, how.position + by);
    return add(unplaced(s, M), gather(M->tape, W_p, n, t));
}

static Mat with_W_e(Slipping *s, Mat M)
{
    Mat W_e = value_of(s, "W_e"), X = stream(s);
    return W_e->rows != X->rows || s->variation.run->tied ? M
         : mul_tn(W_e, X);
}

static Mat log_probabilities(Slipping *s, Mat loss)
{
    while (loss->i == NULL) {
        if (loss->n == 0)
            cannot_be(s);
        loss = loss->of[0];
    }
    return loss;
}

static int predictions(Slipping *s, Mat loss)
{
    return log_probabilities(s, loss)->cols;
}

static Mat other_logarithm(Slipping *s, Mat M)
{
    return scale(M, 1 / log(s->slip->number));
}

static Mat mean_loss(Slipping *s, Mat M)
{
    int n = predictions(s, M);
    return n == 1 ? M : scale(M, 1.0 / n);
}

static Mat no_sign(Slipping *s, Mat M) { return (void)s, scale(M, -1); }
typedef struct { int n, *i, *j; } Read;

static Read to_read(Slipping *s, int n)
{
    size_t bytes = (size_t)n * sizeof(int);
    return (Read){ n, arena_alloc(s->arena, bytes),
                   arena_alloc(s->arena, bytes) };
}

static Mat loss_of(Mat P, Read read)
{
    return scale(sum(log_prob(P, ((Tokens){ read.n, read.i }),
                                   ((Tokens){ read.n, read.j }))), -1);
}

static const Item *sequence(const Slipping *s)
{
    int turn = s->here->turn;
    for (int k = 0; k < s->sheet->n; k++) {
        const Item *item = &s->sheet->item[k];
        if (!item->claim && strcmp(item->name, "x") == 0
            && (item->head == turn || (item->head <= 1 && turn <= 1)))
            return item;
    }
    return NULL;
}

/* Token t of the first n is itself what is predicted in column t. */
static Mat loss_of_itself(Slipping *s, Mat M, int n)
{
    const Item *x = sequence(s);
    Mat P = log_probabilities(s, M)->of[0];
    Read read = to_read(s, n);
    for (int t = 1; t <= n; t++) {
        read.i[t - 1] = (int)x->entry[t - 1].value;
        read.j[t - 1] = t;
    }
    return loss_of(P, read);
}

static bool predicts_next(const Slipping *s)
{
    return s->variation.run->algorithm != 12;
}

static Mat not_the_next(Slipping *s, Mat M)
{
    return predicts_next(s) ? loss_of_itself(s, M, predictions(s, M)) : M;
}

static Mat every_token(Slipping *s, Mat M)
{
    Mat P = log_probabilities(s, M)->of[0];
    return loss_of_itself(s, M, P->cols);
}

static Read as_read(Slipping *s, Mat log_P)
{
    Read read = to_read(s, log_P->cols);
    for (int k = 0; k < read.n; k++) {
        read.i[k] = log_P->i[k];
        read.j[k] = log_P->j[k];
    }
    return read;
}

static Mat next_column(Slipping *s, Mat M)
{
    Mat log_P = log_probabilities(s, M), P = log_P->of[0];
    Read read = as_read(s, log_P);
    for (int k = 0; k < read.n; k++)
        if (++read.j[k] > P->cols)
            return M;
    return predicts_next(s) ? loss_of(P, read) : M;
}

static Mat most_probable_token(Slipping *s, Mat M)
{
    Mat log_P = log_probabilities(s, M), P = log_P->of[0];
    Read read = as_read(s, log_P);
    for (int k = 0; k < read.n; k++)
        read.i[k] = largest_in(P, read.j[k]);
    return loss_of(P, read);
}

static Mat of_mask_token(Slipping *s, Mat M)
{
    Mat log_P = log_probabilities(s, M), P = log_P->of[0];
    Read read = as_read(s, log_P);
    for (int k = 0; k < read.n; k++)
        read.i[k] = mask_token(P->rows);
    return predicts_next(s) ? M : loss_of(P, read);
}

static Mat sum_of_each(Slipping *s, Mat M, double (*f)(double p))
{
    Mat log_P = log_probabilities(s, M), P = log_P->of[0],
        change = zeros_beside(s, M, 1, 1);
    double loss = 0;
    for (int k = 0; k < log_P->cols; k++)
        loss -= f(AT(P, log_P->i[k], log_P->j[k]));
    AT(change, 1, 1) = (real)(loss - AT(M, 1, 1));
    return isfinite(loss) ? add(M, change) : M;
}

static double log_of_rest(double p) { return log(1 - p); }
static double p_itself(double p)    { return p; }

static Mat one_minus_P(Slipping *s, Mat M)
{
    return sum_of_each(s, M, log_of_rest);
}

static Mat without_logarithm(Slipping *s, Mat M)
{
    return sum_of_each(s, M, p_itself);
}

static Mat without_one_hot(Slipping *s, Mat M)
{
    Mat log_P = log_probabilities(s, M), logits = log_P->of[1],
        one_hot = zeros_beside(s, M, logits->rows, logits->cols);
    for (int k = 0; k < log_P->cols; k++)
        AT(one_hot, log_P->i[k], log_P->j[k]) = 1;
    return add(M, sum(hadamard(logits, one_hot)));
}

static double eta(const Slipping *s) { return number_given(s, "eta", 1); }

static Mat plus_gradient(Slipping *s, Mat M, double c)
{
    Mat Y = zeros_beside(s, M, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = AT(M, i, j) + (real)(c * AT(s->gradient, i, j));
    return Y;
}

static Mat uphill(Slipping *s, Mat M)
{
    return plus_gradient(s, M, 2 * eta(s));
}

static Mat eta_left_out(Slipping *s, Mat M)
{
    return plus_gradient(s, M, eta(s) - 1);
}

static Mat eta_twice(Slipping *s, Mat M)
{
    return plus_gradient(s, M, eta(s) - eta(s) * eta(s));
}

static Mat by_mean_gradient(Slipping *s, Mat M)
{
    double n = value_of(s, "log P")->cols;
    return plus_gradient(s, M, eta(s) * (1 - 1 / n));
}

static Mat first_column(Slipping *s, Mat M)
{
    return (void)M, column_at(value_of(s, "P"), 1);
}

static Mat column_before(Slipping *s, Mat M)
{
    Mat P = value_of(s, "P");
    return P->cols == 1 ? M : column_at(P, P->cols - 1);
}

static Mat last_row(Slipping *s, Mat M)
{
    Mat P = value_of(s, "P"), p = zeros_beside(s, M, M->rows, 1);
    if (P->rows != P->cols)
        return M;
    for (int v = 1; v <= P->cols; v++)
        AT(p, v, 1) = AT(P, P->rows, v);
    return p;
}

static double tau(const Slipping *s) { return number_given(s, "tau", 1); }

static bool is_tempered(const Slipping *s)
{
    return tau(s) > 0 && tau(s) != 1 && isfinite(tau(s));
}

static Mat power_tau(Slipping *s, Mat M)
{
    return is_tempered(s) ? tempered(value_of(s, "p"), 1 / tau(s)) : M;
}

static Mat no_temperature(Slipping *s, Mat M)
{
    return is_tempered(s) ? value_of(s, "p") : M;
}

static Mat softmax_of_p(Slipping *s, Mat M)
{
    return is_tempered(s)
         ? softmax_of(s, scale(value_of(s, "p"), 1 / tau(s)))
         : M;
}

static Mat not_divided(Slipping *s, Mat M)
{
    Mat p = value_of(s, "p"), q = zeros_beside(s, M, M->rows, 1);
    double total = 0;
    for (int v = 1; v <= M->rows; v++)
        total += AT(q, v, 1) = (real)pow(AT(p, v, 1), 1 / tau(s));
    return is_tempered(s) && total > 0 ? q : M;
}

static Mat token(Slipping *s, int y)
{
    Mat M = zeros_beside(s, value_of(s, "q"), 1, 1);
    AT(M, 1, 1) = (real)y;
    return M;
}

static double chance(const Slipping *s)
{
    const Item *u = given_as(s, "u");
    return u == NULL ? 0 : u->entry[s->here->turn - 1].value;
}

static Mat slip_most_probable(Slipping *s, Mat M)
{
    int best;
    (void)M;
    ranked(value_of(s, "q"), 1, &best);
    return token(s, best);
}

static Mat not_summed(Slipping *s, Mat M)
{
    Mat q = value_of(s, "q");
    for (int v = 1; v <= q->rows; v++)
        if (chance(s) < AT(q, v, 1))
            return token(s, v);
    return M;
}

static Mat in_order_of_size(Slipping *s, Mat M)
{
    Mat q = value_of(s, "q");
    int *y = arena_alloc(s->arena, (size_t)q->rows * sizeof *y);
    double total = 0;
    ranked(q, q->rows, y);
    for (int k = 0; k < q->rows; k++) {
        total += AT(q, y[k], 1);
        if (chance(s) < total)
            return token(s, y[k]);
    }
    return M;
}

static Mat drawn_from_p(Slipping *s, Mat M)
{
    return is_tempered(s) ? token(s, sample(value_of(s, "p"), chance(s)))
                          : M;
}

#define E 2.71828182845904523536
#define TO_DECIMALS(k, to, NAME, WHAT, ...) \
    { NAME "-rounded-" #k, WHAT " rounded to " to, k, \
      { __VA_ARGS__ }, false }
#define ROUNDED_1_TO_3(...) \
    TO_DECIMALS(1, "1 decimal", __VA_ARGS__), \
    TO_DECIMALS(2, "2 decimals", __VA_ARGS__), \
    TO_DECIMALS(3, "3 decimals", __VA_ARGS__)
#define ROUNDED(...) \
    TO_DECIMALS(0, "integers", __VA_ARGS__), \
    ROUNDED_1_TO_3(__VA_ARGS__), \
    TO_DECIMALS(4, "4 decimals", __VA_ARGS__)

const Slip slips[] = {
    { "no-scale", "the 1/√d_attn is left out", 0,
      { { "4.6", "S_scaled", unscaled, false } }, false },
    { "scale-d", "the scores are divided by d_attn, not by its root", 0,
      { { "4.6", "S_scaled", over_d_attn, false } }, false },
    { "scale-d_x", "the scores are divided by √d_x, not by √d_attn", 0,
      { { "4.6", "S_scaled", over_root_d_x, false } }, false },
    { "scale-times", "the scores are multiplied by √d_attn", 0,
      { { "4.6", "S_scaled", times_root, false } }, false },
    { "scale-root-root", "the root of d_attn is taken twice", 0,
      { { "4.6", "S_scaled", over_root_of_root, false } }, false },
    { "scale-anyway", "the scores are divided by √d_attn", 0,
      { { "4.6", "S_scaled", scaled_anyway, false } }, false },
    { "axis", "the softmax is taken over the queries, not over the keys", E,
      { { "4.6", "A", over_rows, false } }, false },
    { "axis-tokens",
      "the softmax is taken over the tokens, not over the vocabulary", E,
      { { "7.1", "p", over_rows, false } }, false },
    { "one-sum", "one sum of all e^x stands for that of each softmax", E,
      { { "4.6", "A", over_everything, false },
        { "7.1", "p", over_everything, false } }, false },
    { "base-2", "2^x stands for e^x", 2,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    { "base-3", "3^x stands for e^x", 3,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    { "base-10", "10^x stands for e^x", 10,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    { "base-1/e", "e^(-x) stands for e^x", 1 / E,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    { "by-sum", "numbers are divided by their sum, without e^x", 0,
      { { "4.6", "A", by_the_sum, false },
        { "7.1", "p", by_the_sum, false } }, false },
    { "no-sum", "the e^x are not divided by their sum", E,
      { { "4.6", "A", only_powers, false },
        { "7.1", "p", only_powers, false } }, false },
    { "no-softmax", "the softmax is left out", 0,
      { { "4.6", "A", no_softmax, false },
        { "7.1", "p", no_softmax, false } }, false },
    { "hard-max", "the largest number gets all the weight", 0,
      { { "4.6", "A", hard_maximum, false },
        { "7.1", "p", hard_maximum, false } }, false },
    { "A-transposed", "A is transposed", 0,
      { { "4.6", "A", transposed, false } }, false },
    { "V-times-A-transposed", "V is multiplied by Aᵀ, not by A", 0,
      { { "4.6", "A", transposed, true } }, false },
    { "no-weights", "the values are added up without the weights", 0,
      { { "4.6", "A", unit, true } }, false },
    { "no-mask", "the mask is left out", 0,
      { { "4.5", "S", without_mask, false } }, false },
    { "mask-inverted", "the mask is inverted", 0,
      { { "4.5", "S", mask_inverted, false },
        { "4.5", "S", seeing, true } }, false },
    { "mask-transposed", "the mask is transposed", 0,
      { { "4.5", "S", mask_transposed, false } }, false },
    { "mask-strict", "no token may look at itself", 0,
      { { "4.5", "S", mask_strict, false } }, false },
    { "mask-zero", "masked scores are 0, not -inf", 0,
      { { "4.5", "S", zero_where_masked, false } }, false },
    { "mask-late", "the mask comes after the softmax", 0,
      { { "4.5", "S", without_mask, false },
        { "4.6", "A", weights_masked, false } }, false },
    { "mask-anyway", "later tokens are masked, though they need not be", 0,
      { { "4.5", "S", causal_anyway, false } }, false },
    { "exchange", "X and Z are exchanged", 0,
      { { NULL, NULL, NULL, false } }, true },
    { "W_q-transposed", "W_q is transposed", 0,
      { { "", "W_q", transposed, false } }, false },
    { "W_k-transposed", "W_k is transposed", 0,
      { { "", "W_k", transposed, false } }, false },
    { "W_v-transposed", "W_v is transposed", 0,
      { { "", "W_v", transposed, false } }, false },
    { "W-transposed",
      "W_q, W_k and W_v are transposed, as in another layout", 0,
      { { "", "W_q", transposed, false }, { "", "W_k", transposed, false },
        { "", "W_v", transposed, false } }, false },
    { "no-W_q", "W_q is left out, Q = X", 0,
      { { "", "W_q", identity, false }, { "", "b_q", zeros, false } },
      false },
    { "no-W_k", "W_k is left out, K = Z", 0,
      { { "", "W_k", identity, false }, { "", "b_k", zeros, false } },
      false },
    { "no-W_v", "W_v is left out, V = Z", 0,
      { { "", "W_v", identity, false }, { "", "b_v", zeros, false } },
      false },
    { "W_q-W_k", "W_q and W_k are exchanged", 0,
      { { "", "W_k", for_W_q, false } }, false },
    { "Q-K", "W_q, b_q and W_k, b_k are exchanged", 0,
      { { "", "W_k", for_W_q, false }, { "", "b_k", for_b_q, false } },
      false },
    { "K-V", "W_k, b_k and W_v, b_v are exchanged", 0,
      { { "", "W_v", for_W_k, false }, { "", "b_v", for_b_k, false } },
      false },
    { "K-for-V", "W_k and b_k stand for W_v and b_v", 0,
      { { "4.3", "V", keys, false } }, false },
    { "K-times-A", "K is multiplied by A, not V", 0,
      { { "4.3", "V", keys, true } }, false },
    { "S-transposed", "S is transposed", 0,
      { { "4.4", "S", transposed, false } }, false },
    { "no-b_q", "b_q is left out", 0,
      { { "", "b_q", zeros, false } }, false },
    { "no-b_k", "b_k is left out", 0,
      { { "", "b_k", zeros, false } }, false },
    { "no-b_v", "b_v is left out", 0,
      { { "", "b_v", zeros, false } }, false },
    { "no-b_o", "b_o is left out", 0,
      { { "", "b_o", zeros, false } }, false },
    { "no-bias", "all biases are left out", 0,
      { { "", "b_q", zeros, false }, { "", "b_k", zeros, false },
        { "", "b_v", zeros, false }, { "", "b_o", zeros, false } }, false },
    { "W_u-transposed", "W_u is transposed", 0,
      { { "", "W_u", transposed, false }, { "", "W_e", tied, false } },
      false },
    { "W_o-transposed", "W_o is transposed", 0,
      { { "", "W_o", transposed, false } }, false },
    { "no-W_o", "W_o and b_o are left out", 0,
      { { "", "W_o", identity, false }, { "", "b_o", zeros, false } },
      false },
    { "heads-order", "the heads stand in the opposite order", 0,
      { { "5.3", "Y", heads_backwards, false } }, false },
    { "heads-in-turn", "rows of the heads take turns in Y", 0,
      { { "5.3", "Y", heads_in_turn, false } }, false },
    { "first-head", "only the first head is used", 0,
      { { "5.3", "Y", first_head, false } }, false },
    { "first-head-again", "the first head stands for every head", 0,
      { { "5.3", "Y", head_again, false } }, false },
    { "heads-added", "the heads are added, without W_o and b_o", 1,
      { { "5.4", "Vt", heads_added, false } }, false },
    { "heads-averaged", "the heads are averaged, without W_o and b_o", 0,
      { { "5.4", "Vt", heads_added, false } }, false },
    { "n-1", "the variance is divided by n - 1, not by n", 0,
      { { "6.2", "v", over_n_minus_1, false } }, false },
    { "v-sum", "the variance is not divided by n", 0,
      { { "6.2", "v", not_over_n, false } }, false },
    { "m-sum", "the sum stands for the mean", 0,
      { { "6.1", "m", not_over_n, false } }, false },
    { "v-without-m", "the mean is left out of the variance", 0,
      { { "6.2", "v", square_mean, false } }, false },
    { "no-root", "the square root is left out", 0,
      { { "6.2", "v", no_root, true } }, false },
    { "v-root", "the root of the variance stands for the variance", 0,
      { { "6.2", "v", roots, false }, { "6.2", "v", squared, true } },
      false },
    { "root-twice", "the square root is taken twice", 0,
      { { "6.2", "v", roots, false } }, false },
    { "no-epsilon", "epsilon is left out", 0,
      { { "6.2", "v", no_eps, true } }, false },
    { "epsilon-outside", "epsilon is added to the root, not under it", 0,
      { { "6.2", "v", eps_outside, true } }, false },
    { "epsilon-twice", "epsilon is added twice", 0,
      { { "6.2", "v", eps_twice, true } }, false },
    { "no-mean", "the mean is left out, as in RMSnorm", 0,
      { { "6.1", "m", zeros, false } }, false },
    { "mean-left-in", "the mean is not subtracted in line 3", 0,
      { { "6.3", "e_hat", mean_left_in, false } }, false },
    { "mean-anyway", "the mean is subtracted, which RMSnorm does not do", 0,
      { { "6.1", "m", mean_anyway, false } }, false },
    { "axis-norm", "each entry is normalised over the tokens", 0,
      { { "6.3", "e_hat", over_tokens, false } }, false },
    { "no-gamma", "gamma is left out", 0,
      { { "", "gamma", unit, false }, { "", "gamma_1", unit, false },
        { "", "gamma_2", unit, false }, { "", "gamma_3", unit, false },
        { "", "gamma_4", unit, false }, { "", "gamma_5", unit, false } },
      false },
    { "no-beta", "beta is left out", 0,
      { { "", "beta", zeros, false }, { "", "beta_1", zeros, false },
        { "", "beta_2", zeros, false }, { "", "beta_3", zeros, false },
        { "", "beta_4", zeros, false }, { "", "beta_5", zeros, false } },
      false },
    { "gamma-beta", "gamma and beta are exchanged", 0,
      { { "", "beta", for_gamma, false },
        { "", "beta_1", for_gamma, false },
        { "", "beta_2", for_gamma, false },
        { "", "beta_3", for_gamma, false },
        { "", "beta_4", for_gamma, false },
        { "", "beta_5", for_gamma, false } }, false },
    { "token-before", "the token before stands for token v", -1,
      { { "1.1", "e", other_token, false } }, false },
    { "token-after", "the token behind stands for token v", 1,
      { { "1.1", "e", other_token, false } }, false },
    { "W_e-transposed", "row v of W_e is taken, not column v", 0,
      { { "1.1", "e", row_of_W_e, false } }, false },
    { "position-before", "positions are counted from one less", -1,
      { { "2.1", "e_p", other_position, false },
        { "10.3", "X", moved_positions, false } }, false },
    { "position-after", "positions are counted from one more", 1,
      { { "2.1", "e_p", other_position, false },
        { "10.3", "X", moved_positions, false } }, false },
    { "W_p-transposed", "row t of W_p is taken, not column t", 0,
      { { "2.1", "e_p", row_of_W_p, false } }, false },
    { "sine-cosine", "sine and cosine are exchanged", 0,
      { { "2.1", "e_p", cosine_first, false } }, false },
    { "sines-first", "all sines come first, then all cosines", 0,
      { { "2.1", "e_p", all_sines_first, false } }, false },
    { "exponent", "i and i - 1 are mixed up in the exponent 2i/d_e", 0,
      { { "2.1", "e_p", other_exponent, false } }, false },
    { "exponent-half", "the exponent is i/d_e, not 2i/d_e", 0.5,
      { { "2.1", "e_p", power_of_base, false } }, false },
    { "exponent-minus", "the position is multiplied, not divided", -1,
      { { "2.1", "e_p", power_of_base, false } }, false },
    { "degrees", "the angles are taken as degrees", 0,
      { { "2.1", "e_p", in_degrees, false } }, false },
    { "sine-base-10000", "the base is 10000", 10000,
      { { "2.1", "e_p", base_of_sines, false } }, false },
    { "sine-base-1000", "the base is 1000", 1000,
      { { "2.1", "e_p", base_of_sines, false } }, false },
    { "sine-base-100", "the base is 100", 100,
      { { "2.1", "e_p", base_of_sines, false } }, false },
    { "sine-base-ell", "the base is ell_max", 0,
      { { "2.1", "e_p", base_of_sines, false } }, false },
    { "no-residual-attn", "X is not added to what the attention gives", 0,
      { { "9.5", "X", only_attention, false },
        { "10.6", "X", only_attention, false } }, false },
    { "no-residual-mlp", "X is not added to what the MLP gives", 0,
      { { "9.7", "X", only_added, false },
        { "10.8", "X", only_added, false } }, false },
    { "no-residual", "X is never added to what comes out of it", 0,
      { { "9.5", "X", only_attention, false },
        { "9.7", "X", only_added, false },
        { "10.6", "X", only_attention, false },
        { "10.8", "X", only_added, false } }, false },
    { "normed-attn", "the attention is added to the normalised X", 0,
      { { "10.6", "X", to_the_normalised, false } }, false },
    { "normed-mlp", "the MLP is added to the normalised X", 0,
      { { "10.8", "X", to_the_normalised, false } }, false },
    { "normed", "X itself is normalised", 0,
      { { "10.6", "X", to_the_normalised, false },
        { "10.8", "X", to_the_normalised, false } }, false },
    { "no-norm-attn", "the layer_norm of the attention is left out", 0,
      { { "9.6", "X", not_normalised, false },
        { "10.5", "Xt", not_normalised, false } }, false },
    { "no-norm-mlp", "the layer_norm of the MLP is left out", 0,
      { { "9.8", "X", not_normalised, false },
        { "10.7", "Xt", not_normalised, false } }, false },
    { "no-norm-last", "the last layer_norm is left out", 0,
      { { "10.10", "X", not_normalised, false } }, false },
    { "no-norm", "every layer_norm is left out", 0,
      { { "9.6", "X", not_normalised, false },
        { "9.8", "X", not_normalised, false },
        { "10.5", "Xt", not_normalised, false },
        { "10.7", "Xt", not_normalised, false },
        { "10.10", "X", not_normalised, false } }, false },
    { "post-norm", "the sums are normalised, not what goes into them", 0,
      { { "10.5", "Xt", not_normalised, false },
        { "10.6", "X", norm_of_sum, false },
        { "10.7", "Xt", not_normalised, false },
        { "10.8", "X", norm_of_sum, false } }, false },
    { "pre-norm", "what goes into the sums is normalised, not they", 0,
      { { "4.1", "Q", query_of_normalised, false },
        { "4.2", "K", key_of_normalised, false },
        { "4.3", "V", value_of_normalised, false },
        { "9.6", "X", not_normalised, false },
        { "9.7", "X", mlp_of_normalised, false },
        { "9.8", "X", not_normalised, false } }, false },
    { "mlp-not-normed", "the MLP is given X before the layer_norm", 0,
      { { "10.8", "X", mlp_of_stream, false } }, false },
    { "activation", "ReLU and GELU are exchanged", 0,
      { { "9.7", "X", other_activation, false },
        { "9.10", "X", other_activation, false },
        { "10.8", "X", other_activation, false } }, false },
    { "tanh-gelu", "the tanh form stands for GELU", 0,
      { { "9.7", "X", tanh_activation, false },
        { "9.10", "X", tanh_activation, false },
        { "10.8", "X", tanh_activation, false } }, false },
    { "no-activation", "the MLP has no activation", 0,
      { { "9.7", "X", no_activation, false },
        { "9.10", "X", no_activation, false },
        { "10.8", "X", no_activation, false } }, false },
    { "no-b_mlp1", "the first bias of the MLP is left out", 0,
      { { "", "b_mlp1", zeros, false },
        { "", "b_mlp3", zeros, false } }, false },
    { "no-b_mlp2", "the second bias of the MLP is left out", 0,
      { { "", "b_mlp2", zeros, false },
        { "", "b_mlp4", zeros, false } }, false },
    { "no-b_f", "b_f is left out", 0,
      { { "", "b_f", zeros, false } }, false },
    { "cross-exchange", "in the cross-attention X and Z are exchanged", 0,
      { { "4.1", "Q", query_of_context, false },
        { "4.2", "K", key_of_stream, false },
        { "4.3", "V", value_of_stream, false } }, false },
    { "cross-self", "the cross-attention looks at X, not at Z", 0,
      { { "4.2", "K", key_of_stream, false },
        { "4.3", "V", value_of_stream, false } }, false },
    { "no-positions", "the positions are left out", 0,
      { { "10.3", "X", unplaced, false } }, false },
    { "scaled-embedding", "W_e is multiplied by √d_e", 0,
      { { "10.3", "X", scaled_embedding, false } }, false },
    { "W_e-for-W_u", "W_eᵀ stands for W_u", 0,
      { { "7.1", "logits", with_W_e, false } }, false },
    { "loss-log2", "the logarithm has base 2", 2,
      { { "13.5", "loss", other_logarithm, false } }, false },
    { "loss-log10", "the logarithm has base 10", 10,
      { { "13.5", "loss", other_logarithm, false } }, false },
    { "loss-mean", "the mean is taken, not the sum", 0,
      { { "13.5", "loss", mean_loss, false } }, false },
    { "loss-sign", "the minus sign is left out", 0,
      { { "13.5", "loss", no_sign, false } }, false },
    { "loss-not-next", "x[t] stands for x[t+1]", 0,
      { { "13.5", "loss", not_the_next, false } }, false },
    { "loss-all", "each column is read at its own token, none left out", 0,
      { { "13.5", "loss", every_token, false } }, false },
    { "loss-P-after", "column t+1 of P stands for column t", 0,
      { { "13.5", "loss", next_column, false } }, false },
    { "loss-largest", "the largest probability of each column is read", 0,
      { { "13.5", "loss", most_probable_token, false } }, false },
    { "loss-mask_token", "the probability of mask_token is read", 0,
      { { "13.5", "loss", of_mask_token, false } }, false },
    { "loss-1-P", "1 - P stands for P", 0,
      { { "13.5", "loss", one_minus_P, false } }, false },
    { "loss-no-log", "the logarithm is left out", 0,
      { { "13.5", "loss", without_logarithm, false } }, false },
    { "gradient-mean", "the gradient is that of the mean", 0,
      { { "13.5", "loss", mean_loss, true } }, false },
    { "gradient-sign", "the gradient has the opposite sign", 0,
      { { "13.5", "loss", no_sign, true } }, false },
    { "no-one-hot", "the one-hot vector is not taken from P", 0,
      { { "13.5", "loss", without_one_hot, true } }, false },
    { "uphill", "η times the gradient is added", 0,
      { { "13.6", "new", uphill, false } }, false },
    { "no-eta", "η is left out", 0,
      { { "13.6", "new", eta_left_out, false } }, false },
    { "eta-twice", "η is multiplied twice", 0,
      { { "13.6", "new", eta_twice, false } }, false },
    { "step-mean", "the step is that of the mean", 0,
      { { "13.6", "new", by_mean_gradient, false } }, false },
    { "p-first", "p is the first column of P, not the last", 0,
      { { "14.4", "p", first_column, false } }, false },
    { "p-before", "p is the column before the last", 0,
      { { "14.4", "p", column_before, false } }, false },
    { "P-transposed", "p is the last row of P, not the last column", 0,
      { { "14.4", "p", last_row, false } }, false },
    { "tau-times", "q is p^τ, not p^(1/τ)", 0,
      { { "14.5", "q", power_tau, false } }, false },
    { "no-tau", "the temperature is left out", 0,
      { { "14.5", "q", no_temperature, false } }, false },
    { "tau-of-p", "q is the softmax of p/τ", 0,
      { { "14.5", "q", softmax_of_p, false } }, false },
    { "tau-no-sum", "p^(1/τ) is not divided by its sum", 0,
      { { "14.5", "q", not_divided, false } }, false },
    { "argmax", "the most probable token is taken, not one drawn", 0,
      { { "14.5", "y", slip_most_probable, false } }, false },
    { "not-summed", "u is compared with q, not with its running sum", 0,
      { { "14.5", "y", not_summed, false } }, false },
    { "largest-first", "the running sum begins with the largest q", 0,
      { { "14.5", "y", in_order_of_size, false } }, false },
    { "drawn-from-p", "y is drawn from p, not from q", 0,
      { { "14.5", "y", drawn_from_p, false } }, false },
    ROUNDED("Q", "Q is", { "4.1", "Q", rounded, true }),
    ROUNDED("K", "K is", { "4.2", "K", rounded, true }),
    ROUNDED("V", "V is", { "4.3", "V", rounded, true }),
    ROUNDED("S", "S is", { "4.4", "S", rounded_3, true },
                         { "4.5", "S", rounded, true }),
    ROUNDED("S_scaled", "S/√d_attn is",
            { "4.6", "S_scaled", rounded, true }),
    ROUNDED_1_TO_3("root", "√d_attn is",
                   { "4.6", "S_scaled", over_rounded_root, false }),
    ROUNDED_1_TO_3("factor", "1/√d_attn is",
                   { "4.6", "S_scaled", times_rounded_root, false }),
    ROUNDED("power", "the e^x are", { "4.6", "A", rounded_powers, false },
                                    { "7.1", "p", rounded_powers, false }),
    { "e-rounded-1", "e is rounded to 2.7", 2.7,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    { "e-rounded-2", "e is rounded to 2.72", 2.72,
      { { "4.6", "A", other_base, false },
        { "7.1", "p", other_base, false } }, false },
    ROUNDED("A", "A is", { "4.6", "A", rounded, true }),
    ROUNDED("m", "m is", { "6.1", "m", rounded, true }),
    ROUNDED("v", "v is", { "6.2", "v", rounded, true }),
    ROUNDED("logits", "the logits are", { "7.1", "logits", rounded, true }),
};
const int slips_n = sizeof slips / sizeof *slips;

bool is_rounding(const Slip *slip)
{
    return strstr(slip->name, "-rounded-") != NULL;
}

typedef struct { const char *paper, *here; } Word;

static Word word_at(const char *p, const Layout *layout)
{
    bool rows = layout->rows;
    const Word words[] = { { "row", rows ? "column" : "row" },
                           { "column", rows ? "row" : "column" },
                           { "W_eᵀ", as_W_u(layout) } };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncmp(p, words[k].paper, strlen(words[k].paper)) == 0)
            return words[k];
    return (Word){ NULL, NULL };
}

const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout)
{
    char *end = to;
    for (const char *p = slip->what; *p != '\0'; ) {
        Word word = word_at(p, layout);
        if (word.paper == NULL) {
            *end++ = *p++;
            continue;
        }
        end += sprintf(end, "%s", word.here);
        p += strlen(word.paper);
    }
    *end = '\0';
    return to;
}

static const struct Product {
    Place place;
    const char *left, *right;
    bool turned;                /* it is left^T right                     */
} products[] = {
    { { "4.1", "Q" },      "W_q", "X", false },
    { { "4.2", "K" },      "W_k", "Z", false },
    { { "4.3", "V" },      "W_v", "Z", false },
    { { "4.4", "S" },      "K",   "Q", true },
    { { "4.5", "S" },      "K",   "Q", true },
    { { "4.6", "Vt" },     "V",   "A", false },
    { { "5.4", "Vt" },     "W_o", "Y", false },
    { { "7.1", "logits" }, "W_u", "e", false },
};

static const struct Product *product_at(Place place)        /* or NULL */
{
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        if (strcmp(products[k].place.line, place.line) == 0
            && strcmp(products[k].place.name, place.name) == 0)
            return &products[k];
    return NULL;
}

static Mat factor_named(Slipping *s, const char *name)
{
    int algorithm = s->variation.run->algorithm;
    bool of_layer = strchr("XZ", name[0]) != NULL;
    if (algorithm >= 8 && (of_layer || strcmp(name, "e") == 0))
        cannot_be(s);           /* what comes in has another name */
    if (algorithm == 3 && of_layer)
        return value_of(s, name[0] == 'X' ? "e" : "e_t");
    if (algorithm == 7 && s->variation.run->tied && name[0] == 'W')
        return transposed(s, value_of(s, "W_e"));
    bool self = strcmp(name, "Z") == 0 && given_as(s, "Z") == NULL;
    return value_of(s, self ? "X" : name);
}

static bool tells(const Entry *entry, double change)
{
    double size = fabs(change);
    bool whole = same_number(size, round(size));
    bool exact = entry->decimals == EXACT
              && !same_number(entry->value, round(entry->value));
    double unit = entry->decimals == EXACT ? 1 : pow(10, -entry->decimals);
    return whole ? size >= 1.5 : exact || size >= 10 * unit;
}

enum { MOST_CELLS = 300 };

static void note_cell(Slipping *s, CellSlip cell, double x)
{
    const Item *claim = s->sought->item;
    const Entry *entry = &claim->entry[cell.entry];
    if (s->cells < MOST_CELLS && tells(entry, cell.change)
        && verdict_on(entry, x + cell.change) == RIGHT)
        s->cell[s->cells++] = cell;
}

static void seek_cell(Slipping *s, const Mat factors[2], CellSlip cell,
                      double x)
{
    Mat L = factors[0], R = factors[1];
    for (int k = 1; k <= L->rows; k++) {
        double l = cell.left[0] = AT(L, k, cell.i),
               r = cell.right[0] = AT(R, k, cell.j);
        cell.kind = LEFT_OUT, cell.change = -l * r;
        note_cell(s, cell, x);
        cell.kind = WRONG_SIGN, cell.change = -2 * l * r;
        note_cell(s, cell, x);
        cell.kind = CROSSED;
        for (int u = k + 1; u <= L->rows; u++) {
            cell.left[1] = AT(L, u, cell.i);
            cell.right[1] = AT(R, u, cell.j);
            cell.change = (cell.left[1] - l) * (r - cell.right[1]);
            note_cell(s, cell, x);
        }
    }
}

static void exchange_factors(CellSlip *cell)
{
    for (int k = 0; k < 2; k++) {
        double left = cell->left[k];
        cell->left[k] = cell->right[k];
        cell->right[k] = left;
    }
}

static CellSlip cell_at(const Item *claim, int k, int i, int j)
{
    CellSlip cell = { .entry = k, .i = i, .j = j };
    char place[40];
    if (*entry_place(place, claim, k) != '\0')
        snprintf(cell.in, sizeof cell.in, "in %s ", place);
    return cell;
}

static void seek_cells(Slipping *s, Mat M)
{
    enum { MOST_TERMS = 100 };
    char line[30];
    const Item *item = s->sought->item;
    const Step *step = s->sought->step;
    const struct Product *p = product_at(slip_place(step, line));
    if (p == NULL || !shape_fits(item, step->M))
        return;
    Mat L = factor_named(s, p->left), R = factor_named(s, p->right);
    if (R->rows > MOST_TERMS)
        return;
    Mat factors[] = { p->turned ? L : transposed(s, L), R };
    s->cell = arena_alloc(s->arena, MOST_CELLS * sizeof *s->cell);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            int k = step->turned ? entry_at(item, step->M, j, i)
                                 : entry_at(item, step->M, i, j);
            if (verdict_on(&item->entry[k], AT(M, i, j)) > RIGHT)
                seek_cell(s, factors, cell_at(item, k, i, j),
                          AT(M, i, j));
        }
    for (int k = 0; k < s->cells && step->turned; k++)
        exchange_factors(&s->cell[k]);
}

static const char *term_of(char to[60], double left, double right)
{
    snprintf(to, 60, right < 0 ? "%.6g·(%.6g)" : "%.6g·%.6g", left, right);
    return to;
}

const char *cell_sentence(char *to, size_t size, const CellSlip *cell)
{
    char is[2][60], was[2][60];
    const double *l = cell->left, *r = cell->right;
    if (cell->kind == CROSSED)
        snprintf(to, size, "%s%s and %s stand for %s and %s", cell->in,
                 term_of(was[0], l[0], r[1]), term_of(was[1], l[1], r[0]),
                 term_of(is[0], l[0], r[0]), term_of(is[1], l[1], r[1]));
    else
        snprintf(to, size, "%sthe term %s %s", cell->in,
                 term_of(is[0], l[0], r[0]),
                 cell->kind == LEFT_OUT ? "is left out"
                                        : "has the wrong sign");
    return to;
}

static bool is_made(const Explanation *why, const Step *here)
{
    const Step *only = why->only;
    return only == NULL || (only->part == here->part
           && only->layer == here->layer && only->turn == here->turn
           && (only->head == here->head || here->head == 0));
}

static Mat with_numbers(Slipping *s, Mat M, Mat numbers)
{
    Mat Y = add(M, zeros_beside(s, M, M->rows, M->cols));
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = AT(numbers, i, j);
    return Y;
}

static bool is_read_by_logarithm(const Slipping *s, Place place, Mat M)
{
    return s->variation.run->algorithm >= 11 && M->logits != NULL
        && (strcmp(place.name, "p") == 0 || strcmp(place.name, "P") == 0);
}

static double log_sum_of_column(Mat P, int j)
{
    int i = largest_in(P, j);
    return AT(P->logits, i, j) - log(AT(P, i, j));
}

static void set_logarithms(Slipping *s, Mat P, Mat M)
{
    Mat logits = zeros_beside(s, P, P->rows, P->cols);
    for (int j = 1; j <= P->cols; j++)
        for (int i = 1; i <= P->rows; i++) {
            bool same = AT(P, i, j) == AT(M, i, j);
            if (!same && !(AT(P, i, j) > 0))
                cannot_be(s);
            AT(logits, i, j) = (real)(same
                ? AT(M->logits, i, j) - log_sum_of_column(M, j)
                : log(AT(P, i, j)));
        }
    ((struct Matrix *)P)->logits = with_numbers(s, M->logits, logits);
}

static bool is_learning(const Slipping *s)
{
    int algorithm = s->variation.run->algorithm;
    return 11 <= algorithm && algorithm <= 13;
}

static bool reaches_a_parameter(Mat Y)
{
    for (int k = 0; Y->back != NULL && k < Y->n; k++)
        if (reaches_a_parameter(Y->of[k]))
            return true;
    return Y->tape == NULL && Y->grad != NULL;
}

static Mat replaced(Slipping *s, Place place, int i, Mat M)
{
    Mat Y = s->slip->at[i].instead(s, M);
    bool fits = Y != NULL && Y->rows == M->rows && Y->cols == M->cols;
    if (fits && is_learning(s) && M->tape != NULL
        && !reaches_a_parameter(Y))
        return with_numbers(s, M, Y);
    if (!fits && (s->variation.run->algorithm < 8 || *place.line == '\0'))
        cannot_be(s);
    return fits ? Y : M;
}

static Mat slipped_by(Slipping *s, Explanation *why, Place place,
                      bool unwritten, Mat M)
{
    Mat Y = why->before == NULL ? M
          : slipped_by(s, why->before, place, unwritten, M);
    for (int k = 0; k < 2 && why->slip[k] != NULL; k++) {
        Mat before = Y;
        s->slip = why->slip[k];
        for (int i = 0; i < PLACES && s->slip->at[i].line != NULL; i++)
            if (strcmp(s->slip->at[i].line, place.line) == 0
                && strcmp(s->slip->at[i].name, place.name) == 0
                && s->slip->at[i].unwritten == unwritten
                && is_made(why, s->here))
                Y = replaced(s, place, i, Y);
        why->made[k] |= Y != before;
    }
    return Y;
}

static Mat slipped(Slipping *s, Place place, bool unwritten, Mat M)
{
    Mat Y = slipped_by(s, s->why, place, unwritten, M);
    if (is_read_by_logarithm(s, place, M) && Y->logits == NULL)
        set_logarithms(s, Y, M);
    return Y;
}

static bool is_of(const Slip *slip, const Step *step)
{
    char line[30];
    Place place = slip_place(step, line);
    for (int i = 0; i < PLACES && slip->at[i].line != NULL; i++) {
        const char *name = slip->at[i].name;
        bool of_3 = step->algorithm == 3 && strcmp(name, "S_scaled") == 0;
        if (strcmp(slip->at[i].line, place.line) == 0
            && strcmp(of_3 ? "A" : name, place.name) == 0)
            return true;
    }
    return false;
}

bool has_place(const Run *run, const Slip *slip, const Step *until)
{
    bool found = slip->exchanged;
    for (int i = 0; i < PLACES && slip->at[i].line != NULL; i++)
        found |= *slip->at[i].line == '\0';
    for (const Step *s = run->step; !found && s <= until; s++)
        found = is_of(slip, s);
    return found;
}

static Mat with_cells(Slipping *s, const Step *step, Mat M)
{
    if (s->sought != NULL && same_place(step, s->sought->step))
        seek_cells(s, M);
    for (const Explanation *e = s->why; e != NULL; e = e->before) {
        if (e->cells == 0 || !same_place(step, e->only))
            continue;
        Mat change = zeros_beside(s, M, M->rows, M->cols);
        for (int k = 0; k < e->cells; k++)
            AT(change, e->cell[k].i, e->cell[k].j)
                = (real)e->cell[k].change;
        M = add(M, change);
    }
    return M;
}

static Mat weights_3(Slipping *s, Mat M)
{
    Mat exact = M;
    M = s->variation.run->scaled ? scale(scores(s), 1 / sqrt(d_attn(s)))
                                 : scores(s);
    Mat S = slipped(s, (Place){ "4.6", "S_scaled" }, false, M);
    S = slipped(s, (Place){ "4.6", "S_scaled" }, true, S);
    keep_value(s, "S_scaled", s->here, S);
    return S == M ? exact : softmax_of(s, S);
}

static Mat compute(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    char line[30];
    Place place = slip_place(step, line);
    s->here = step;
    if (strcmp(step->name, "alpha_t") == 0)
        M = weights_3(s, M);
    if (strcmp(place.line, "4.5") == 0)
        keep_value(s, "mask", step, M);
    if (strcmp(step->name, "loss") == 0)
        keep_value(s, "log P", step, log_probabilities(s, M));
    M = with_cells(s, step, slipped(s, place, false, M));
    if (step->aspect == VALUE)
        note(s, place, step, M);
    return M;
}

static Mat give_slipped(void *to, const Step *place, Mat M)
{
    Slipping *s = to;
    s->here = place;
    keep_value(s, place->name, place, M);     /* it will be overwritten */
    return slipped(s, (Place){ "", place->name }, false, M);
}

static const Claim *claim_carried(const Slipping *s, const Step *step)
{
    const Explanation *g = s->why;
    for (int k = 0; k < g->n; k++)
        if (same_place(g->claim[k].step, step))
            return &g->claim[k];
    return NULL;
}

static bool is_score(const Step *step)
{
    return strchr("sS", step->name[0]) != NULL;
}

static bool can_go_on(const Slipping *s, const Step *step, real x)
{
    bool variance = step->algorithm == 6 && step->line == 2;
    bool probability = strchr("pPq", step->name[0]) != NULL
                    && step->name[1] == '\0' && step->algorithm != 3;
    return (isfinite(x) || (x == -INFINITY && is_score(step)))
        && (!variance || x + epsilon(s) > 0) && (!probability || x > 0);
}

static void check_carried(Slipping *s, const Step *step, Mat M)
{
    for (int j = 1; j <= M->cols; j++) {
        bool fine = is_score(step) ? has_softmax(M, j)
                                   : finite_in(M, j) == M->rows;
        if (!fine)
            cannot_be(s);
    }
    if (step->algorithm == 6 && step->line == 2
        && !has_roots(M, epsilon(s)))
        cannot_be(s);
}

/* What is written, in the paper's layout. */
static Mat written_down(Slipping *s, const Step *step, const Item *claim,
                        Mat M)
{
    Mat Y = constant(s->arena, step->M->rows, step->M->cols);
    memcpy(Y->at, step->M->at,
           (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
    for (int k = 0; k < claim->rows * claim->cols; k++)
        if (can_go_on(s, step, (real)claim->entry[k].value))
            *claimed_entry(claim, Y, k) = (real)claim->entry[k].value;
    return step->turned ? transposed(s, Y) : Y;
}

static Mat carry(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    char line[30];
    Place place = slip_place(step, line);
    const Claim *claim = claim_carried(s, step);
    Mat Y = M;
    s->here = step;
    if (s->why->until != NULL && same_place(step, s->why->until))
        cannot_be(s);
    if (claim != NULL && shape_fits(claim->item, step->M)) {
        Y = written_down(s, step, claim->item, M);
        if (step->aspect == VALUE) {
            Y = with_numbers(s, M, Y);
            if (is_read_by_logarithm(s, place, M))
                set_logarithms(s, Y, M);
        }
    }
    Y = slipped(s, place, true, Y);
    if (Y != M) {
        check_carried(s, step, Y);
        if (step->aspect == VALUE)
            note(s, place, step, Y);
    }
    if (step->aspect == GRADIENT)
        s->gradient = Y;
    return Y;
}

static void run_it(Fault *f, void *data)
{
    Slipping *s = data;
    run_varied(s->sheet, &s->variation, s->arena, s->tape, f);
}

static Slipping *run_for(const Claim *sought, const Sheet *sheet,
                         Explanation *why, Arena *arena, Tape *tape)
{
    Slipping *s = arena_alloc(arena, sizeof *s);
    Fault f = { .sheet = sheet->name, .text = NULL };
    *s = (Slipping){ .why = why, .sheet = sheet, .arena = arena,
        .tape = tape, .sought = sought,
        .variation = { s, give_slipped, compute, carry, .run = NULL } };
    for (Explanation *e = why; e != NULL; e = e->before)
        for (int k = 0; k < 2; k++)
            if (e->slip[k] != NULL && e->slip[k]->exchanged)
                s->variation.exchanged = e->made[k] = true;
    attempt(&f, run_it, s);
    return s;
}

const Run *run_explained(const Sheet *sheet, Explanation *why, Arena *arena,
                         Tape *tape)
{
    return run_for(NULL, sheet, why, arena, tape)->variation.run;
}

int cell_slips(const Sheet *sheet, Explanation why, const Claim *claim,
               Arena *arena, Tape *tape, const CellSlip **cell)
{
    why.until = claim->step;
    const Slipping *s = run_for(claim, sheet, &why, arena, tape);
    *cell = s->cell;
    return s->cells;
}

