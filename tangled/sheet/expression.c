/* Arithmetic: exact entries, and formulas over matrices. */
#include "sheet/formula.h"
#include "sheet/run.h"
#include "library/tape.h"
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };         /* parentheses and signs, nested */
#define DIGITS "0123456789"
#define PI 3.14159265358979323846

static const char no_number[] =
    "expected a number, such as 1, -0.5, 1/2 or sqrt(2)";

typedef struct { double x; Mat M; } Operand;      /* M NULL: the number x */

typedef struct {
    const char *p;              /* what comes next                     */
    const Names *names;         /* of a formula; NULL: it is an entry  */
    const char *formula;        /* the whole of it                     */
    bool lost;                  /* a formula that cannot be made       */
    const char *error;          /* the first error, or NULL            */
    bool comma;                 /* it may stand for a decimal point    */
    int decimals;               /* of what was read last, or EXACT     */
    double ten;                 /* its exponent, if a power of ten     */
    int depth, parentheses;     /* of the recursion; open at the time  */
    bool infinite;              /* infinity was asked for by name      */
} Reading;

static double wrong(Reading *r, const char *place, const char *error)
{
    if (r->names != NULL)
        refuse(HERE("formula_value"), "%s in \"%s\", before \"%s\".", error,
               r->formula, place);
    if (r->error == NULL) {
        r->error = error;
        r->p = place;
    }
    return NAN;
}

bool begins(const char *p, const char *with)
{
    return strncmp(p, with, strlen(with)) == 0;
}

size_t begin_of(const char *p, const char *words)
{
    while (*words != '\0') {
        size_t n = 0;
        while (!ends_word(words[n]) && p[n] == words[n])
            n++;
        if (ends_word(words[n]))
            return n;
        words = after_word(words + n);
    }
    return 0;
}

static bool took(Reading *r, const char *token)
{
    const char *p = r->p + (r->parentheses > 0 ? strspn(r->p, " ") : 0);
    if (r->error != NULL || !begins(p, token))
        return false;
    r->p = p + strlen(token);
    return true;
}

static Operand sum_of_terms(Reading *r);
static Operand factor(Reading *r);



static Operand number(double x) { return (Operand){ x, NULL }; }
static Operand matrix(Mat M)    { return (Operand){ NAN, M }; }

static Operand lose(Reading *r)
{
    r->lost = true;
    return number(NAN);
}

static Mat filled(const Reading *r, int rows, int cols, double x)
{
    Mat M = constant(tape_arena(r->names->tape), rows, cols);
    for (int k = 0; k < rows * cols; k++)
        M->at[k] = (real)x;
    return M;
}

static void copy_backward(Mat Y)
{
    Mat M = Y->of[0];
    for (int j = 1; M->grad != NULL && j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            M->grad[&AT(M, i, j) - M->at]
                += Y->grad[i - 1 + (j - 1) * M->rows];
}

static const Operation copying = { "copy", NULL, copy_backward };

static Mat on_the_tape(const Reading *r, Mat M)
{
    if (M->tape != NULL && !M->transposed)
        return M;
    Mat Y = node_on(HERE("on_the_tape"), r->names->tape, M->rows, M->cols,
                    &copying, 1, &M);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = AT(M, i, j);
    return Y;
}


typedef double OfEntry(double x, double c);
typedef struct { OfEntry *value, *slope; } Entrywise;
#define OF_ENTRY(name, result) \
    static double name(double x, double c) \
    { return (void)x, (void)c, result; }
OF_ENTRY(exp_of_entry,  exp(x))
OF_ENTRY(ln_of,         log(x))
OF_ENTRY(ln_slope,      1 / x)
OF_ENTRY(sqrt_of,       sqrt(x))
OF_ENTRY(sqrt_slope,    0.5 / sqrt(x))
OF_ENTRY(sin_of,        sin(x))
OF_ENTRY(cos_of,        cos(x))
OF_ENTRY(cos_slope,     -sin(x))
OF_ENTRY(tanh_of_entry, tanh(x))
OF_ENTRY(tanh_slope,    1 - tanh(x) * tanh(x))
OF_ENTRY(power_of,      pow(x, c))
OF_ENTRY(power_slope,   c == 0 ? 0 : c * pow(x, c - 1))
OF_ENTRY(more_by,       x + c)
OF_ENTRY(one_of,        1)
OF_ENTRY(finiteness_of, isfinite(x) != 0)
OF_ENTRY(naught,        0)
OF_ENTRY(as_typed,      x)

static double rounded_to(double x, double decimals)
{
    double unit = pow(10, -decimals);
    return isinf(x) ? x : round(x / unit) * unit;
}

static const Entrywise
    exponential  = { exp_of_entry, exp_of_entry },
    logarithm    = { ln_of, ln_slope },
    to_the_power = { power_of, power_slope },
    plus_number  = { more_by, one_of },
    rounding     = { rounded_to, one_of },
    finiteness   = { finiteness_of, naught };

static void each_backward(Mat Y)
{
    Mat M = Y->of[0];
    for (int k = 0; M->grad != NULL && k < M->rows * M->cols; k++)
        if (Y->grad[k] != 0)            /* the slope may be infinite */
            M->grad[k] += Y->slope[k] * Y->grad[k];
}

static const Operation each_entry = { "entrywise", NULL, each_backward };

static Operand entrywise(Operand v, const Entrywise *f, double c)
{
    if (v.M == NULL)
        return number(f->value(v.x, c));
    int n = v.M->rows * v.M->cols;
    Arena *arena = tape_arena(v.M->tape);
    struct Matrix *Y = node_new(HERE("entrywise"), v.M->rows, v.M->cols,
                                &each_entry, 1, &v.M);
    if (wants_gradients(v.M->tape))
        Y->slope = arena_alloc(arena, (size_t)n * sizeof *Y->slope);
    for (int k = 0; k < n; k++) {
        Y->at[k] = (real)f->value(v.M->at[k], c);
        if (Y->slope != NULL)
            Y->slope[k] = (real)f->slope(v.M->at[k], c);
    }
    return matrix(Y);
}


static Operand times_number(Operand v, double c)
{
    return v.M == NULL ? number(c * v.x) : matrix(scale(v.M, c));
}

static Mat spread(const Reading *r, Mat M, Mat beside)
{
    if (M->rows < beside->rows)
        M = mul(filled(r, beside->rows, 1, 1), M);
    if (M->cols < beside->cols)
        M = mul(M, filled(r, 1, beside->cols, 1));
    return M;
}

static bool meets(int a, int b) { return a == b || a == 1 || b == 1; }

static Operand entry_by_entry(Reading *r, Operand a, Operand b,
                            Mat (*operation)(Mat A, Mat B))
{
    if (r->lost || !meets(a.M->rows, b.M->rows)
        || !meets(a.M->cols, b.M->cols))
        return lose(r);
    Mat A = spread(r, a.M, b.M), B = spread(r, b.M, A);
    return matrix(operation(A, B));
}

static Mat sum_of_two(Mat A, Mat B)     { return add(A, B); }
static Mat product_of_two(Mat A, Mat B) { return hadamard(A, B); }

static Operand plus(Reading *r, Operand a, Operand b)
{
    return a.M == NULL ? entrywise(b, &plus_number, a.x)
         : b.M == NULL ? entrywise(a, &plus_number, b.x)
         : entry_by_entry(r, a, b, sum_of_two);
}

static Operand times(Reading *r, Operand a, Operand b)
{
    return a.M == NULL ? times_number(b, a.x)
         : b.M == NULL ? times_number(a, b.x)
         : entry_by_entry(r, a, b, product_of_two);
}

static Operand over(Reading *r, Operand a, Operand b)
{
    return a.M == NULL && b.M == NULL ? number(a.x / b.x)
         : b.M == NULL ? times_number(a, 1 / b.x)
         : times(r, a, entrywise(b, &to_the_power, -1));
}

static Operand product_with(Reading *r, Operand a, Operand b)
{
    bool spreads = a.M == NULL || b.M == NULL;
    if (spreads || r->lost)
        return times(r, a, b);
    if (a.M->cols != b.M->rows)
        return lose(r);
    return matrix(mul(a.M, b.M));
}

static Operand raised_to(Reading *r, Operand a, Operand b)
{
    if (b.M == NULL)
        return entrywise(a, &to_the_power, b.x);
    Operand exponent = times(r, b, entrywise(a, &logarithm, 0));
    return entrywise(exponent, &exponential, 0);
}

static void turned_backward(Mat T)
{
    Mat M = T->of[0];
    for (int k = 0; M->grad != NULL && k < M->rows * M->cols; k++)
        M->grad[k] += T->grad[k % M->rows * M->cols + k / M->rows];
}

static const Operation turning = { "turned_over", NULL, turned_backward };

static Operand turned_over(Operand v)
{
    if (v.M == NULL)
        return v;
    Mat M = v.M, T = node_new(HERE("turned_over"), M->cols, M->rows,
                              &turning, 1, &M);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(T, j, i) = AT(M, i, j);
    return matrix(T);
}


static bool has_a_softmax(Mat M)
{
    bool has = true;
    for (int j = 1; j <= M->cols; j++) {
        int finite = 0, hidden = 0;
        for (int i = 1; i <= M->rows; i++) {
            finite += isfinite(AT(M, i, j)) != 0;
            hidden += AT(M, i, j) == -INFINITY;
        }
        has &= finite > 0 && finite + hidden == M->rows;
    }
    return has;
}

static Operand softmaxed(Reading *r, const Operand a[])
{
    return has_a_softmax(a->M) ? matrix(softmax(a->M)) : lose(r);
}

double least_root(double m)
{
    bool single = sizeof(real) == sizeof(float);
    return fmax((single ? 1e-6 : 1e-14) * fabs(m),
                sqrt(single ? FLT_MIN : DBL_MIN));
}

static Operand standardised(Reading *r, const Operand a[])
{
    Mat m = mean(a->M), v = variance(a->M, m);
    double epsilon = settings(m->tape)->epsilon;
    for (int j = 1; j <= v->cols; j++)
        if (!((real)sqrt(AT(v, 1, j) + epsilon) > least_root(AT(m, 1, j))))
            return lose(r);
    return matrix(standardise(a->M, m, v));
}

static Operand column_sums(Reading *r, const Operand a[])
{
    return matrix(mul(filled(r, 1, a->M->rows, 1), a->M));
}

static Operand rows_of(Reading *r, const Operand a[])
{
    return (void)r, number(a->M->rows);
}

static Operand cols_of(Reading *r, const Operand a[])
{
    return (void)r, number(a->M->cols);
}

static Operand rounded_of(Reading *r, const Operand a[])
{
    return a[1].M == NULL ? entrywise(*a, &rounding, a[1].x) : lose(r);
}

static Operand finite_of(Reading *r, const Operand a[])
{
    return (void)r, entrywise(*a, &finiteness, 0);
}

static Operand largest_entries(Reading *r, const Operand a[])
{
    Mat M = a->M, Y = filled(r, M->rows, M->cols, 0);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(Y, best, j) = 1;
    }
    return matrix(on_the_tape(r, Y));
}

static Operand one_hot_of(Reading *r, const Operand a[])
{
    Mat v = a->M;
    if (a[1].M != NULL || !(1 <= a[1].x && a[1].x <= 1e6))
        return lose(r);
    int n = v->rows * v->cols, rows = (int)a[1].x;
    Mat Y = filled(r, rows, n, 0);
    for (int k = 0; k < n; k++) {
        double id = (double)v->at[k];
        if (id != floor(id) || id < 1 || id > rows)
            return lose(r);
        AT(Y, (int)id, k + 1) = 1;
    }
    return matrix(on_the_tape(r, Y));
}

/* The logarithms of one entry a column of probabilities: those that are 1
   in a[0]. Where one has underflowed, or 1 / p would overflow, it comes from
   the logits. */
static Operand logs_read(Reading *r, const Operand a[])
{
    enum { ROW, COLUMN };
    const bool single = sizeof(real) == sizeof(float);
    Mat which = a->M, P = a[1].M;
    if (P == NULL || P->rows != which->rows || P->cols != which->cols)
        return lose(r);
    size_t n = (size_t)P->cols;
    int *at[] = { arena_alloc(tape_arena(P->tape), n * sizeof(int)),
                  arena_alloc(tape_arena(P->tape), n * sizeof(int)) };
    bool vanish = false;
    for (int j = 1; j <= P->cols; j++)
        for (int i = 1; i <= P->rows; i++)
            if (AT(which, i, j) != 0) {
                at[ROW][j - 1] = i;
                at[COLUMN][j - 1] = j;
                vanish |= AT(P, i, j) < (single ? FLT_MIN : DBL_MIN);
            }
    if (vanish && P->logits != NULL)
        return matrix(log_prob(P, (Tokens){ P->cols, at[ROW] },
                               (Tokens){ P->cols, at[COLUMN] }));
    Operand p = matrix(mul(filled(r, 1, P->rows, 1), hadamard(which, P)));
    return entrywise(p, &logarithm, 0);
}

static Operand taken_column(Reading *r, const Operand a[])
{
    Mat M = a->M;
    double j = a[1].x;
    if (a[1].M != NULL || j != floor(j) || j < 1 || j > M->cols)
        return lose(r);
    return matrix(gather(M->tape, M, 1, (int[]){ (int)j }));
}

/* What top_k and top_p keep of a column of probabilities. */
static Operand kept_of(Reading *r, const Operand a[])
{
    bool numbers = a[1].M == NULL && a[2].M == NULL;
    return a->M->cols != 1 || !numbers ? lose(r)
         : matrix(restrict_top_p(restrict_top_k(a->M, (int)a[1].x), a[2].x));
}

static real *entry_or_spread(Mat M, real *at, int i, int j)
{
    return &at[(M->rows == 1 ? 0 : i) + (M->cols == 1 ? 0 : j) * M->rows];
}

static void pick_backward(Mat Y)
{
    Mat m = Y->of[0];
    for (int j = 0; j < Y->cols; j++)
        for (int i = 0; i < Y->rows; i++) {
            Mat from = Y->of[*entry_or_spread(m, m->at, i, j) != 0 ? 1 : 2];
            if (from->grad != NULL)
                *entry_or_spread(from, from->grad, i, j)
                    += Y->grad[i + j * Y->rows];
        }
}

static const Operation picking = { "picked", NULL, pick_backward };

static Operand picked(Reading *r, const Operand a[])
{
    Mat of[3], Y;
    int rows = 1, cols = 1;
    for (int k = 0; k < 3; k++) {
        of[k] = a[k].M != NULL ? a[k].M : filled(r, 1, 1, a[k].x);
        rows = of[k]->rows > rows ? of[k]->rows : rows;
        cols = of[k]->cols > cols ? of[k]->cols : cols;
    }
    for (int k = 0; k < 3; k++)
        if (!(of[k]->rows == rows || of[k]->rows == 1)
            || !(of[k]->cols == cols || of[k]->cols == 1))
            return lose(r);
    Y = node_on(HERE("picked"), r->names->tape, rows, cols, &picking, 3,
                of);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            Mat M = of[*entry_or_spread(*of, (*of)->at, i, j) != 0 ? 1 : 2];
            Y->at[i + j * rows] = *entry_or_spread(M, M->at, i, j);
        }
    return matrix(Y);
}


static const struct {
    const char *name;
    Mat (*operation)(Where where, Mat M);
} of_library[] = {
    { "mean", mean_ }, { "total", sum_ },
    { "relu", relu_ }, { "gelu",  gelu_ }, { "gelu_tanh", gelu_tanh_ },
};

static const struct {
    const char *name;
    int arguments;
    Operand (*value)(Reading *r, const Operand a[]);
} of_matrices[] = {
    { "softmax", 1, softmaxed },    { "standardise", 1, standardised },
    { "sum",     1, column_sums },  { "largest",     1, largest_entries },
    { "rows",    1, rows_of },      { "cols",        1, cols_of },
    { "finite",  1, finite_of },    { "round",       2, rounded_of },
    { "column",  2, taken_column }, { "one_hot",     2, one_hot_of },
    { "pick",    3, picked },       { "keep",        3, kept_of },
    { "logs",    2, logs_read },
};
enum { ARGUMENTS_MOST = 3 };
#define EACH_OF(table, k) \
    size_t k = 0; k < sizeof table / sizeof *table; k++

static size_t point_bytes(const Reading *r, const char *p)
{
    bool comma = r->comma && *p == ',' && isdigit((unsigned char)p[1]);
    return begins(p, "{,}") ? 3 : comma || *p == '.';
}

static const char *after_exponent(const char *p, long *exponent)
{
    const char *q = p + (begins(p, "*^") ? 2 : *p == 'e' || *p == 'E');
    const char *digits = q + (*q == '+' || *q == '-');
    if (q == p || !isdigit((unsigned char)*digits))
        return p;
    *exponent = strtol(q, NULL, 10);
    return digits + strspn(digits, DIGITS);
}

static int times_ten(int decimals, double exponent)
{
    const int most = 400;
    double places = decimals - exponent;
    return decimals == EXACT || places != round(places) ? EXACT
         : places < 0 ? 0 : places > most ? most : (int)places;
}

static double read_number(Reading *r)
{
    enum { LONGEST = 400 };
    char plain[2 * LONGEST];
    long exponent = 0;
    size_t whole = strspn(r->p, DIGITS);
    const char *behind = r->p + whole + point_bytes(r, r->p + whole);
    size_t fraction = strspn(behind, DIGITS);
    const char *end = after_exponent(behind + fraction, &exponent);
    if (whole + fraction == 0)
        return wrong(r, r->p, no_number);
    if (whole > 1 && *r->p == '0')
        return wrong(r, r->p, "a number has no 0 in front; 1 000 is typed "
                              "1000");
    if (end - r->p > LONGEST)
        return wrong(r, r->p, "a number of more than 400 characters");
    snprintf(plain, sizeof plain, "%.*s.%.*se%ld", (int)whole, r->p,
             (int)fraction, behind, exponent);
    r->decimals = times_ten((int)fraction, (double)exponent);
    r->p = end;
    return strtod(plain, NULL);
}


static Operand in_parentheses(Reading *r, const char *close)
{
    r->parentheses++;
    bool quoted = took(r, "'") || took(r, "\"");
    Operand value = sum_of_terms(r);
    if (quoted && !took(r, "'") && !took(r, "\""))
        wrong(r, r->p, "expected the quote that ends this number");
    if (!took(r, close))
        wrong(r, r->p + strspn(r->p, " "),
              close[0] == ')' ? "expected a )" : "expected a }");
    r->parentheses--;
    return value;
}

static Operand argument(Reading *r, bool latex, bool one_digit)
{
    if (r->error != NULL)
        return number(NAN);
    if (latex)
        r->p += strspn(r->p, " ");
    if (took(r, "("))
        return in_parentheses(r, ")");
    if (latex && took(r, "{"))
        return in_parentheses(r, "}");
    if (!latex)
        return number(wrong(r, r->p,
                            "expected a ( after the function's name"));
    if (one_digit && isdigit((unsigned char)*r->p))
        return number(*r->p++ - '0');
    return factor(r);
}

#define NO_FUNCTION { NULL, NULL }
static const struct {
    const char *names;          /* where one begins another, it is behind */
    double value;
    Entrywise f;                /* of a function                          */
} words[] = {
    { "e", 2.71828182845904523536, NO_FUNCTION },
    { "pi", PI, NO_FUNCTION },
    { "infinity infty inf Infinity Inf oo", INFINITY, NO_FUNCTION },
    { "True true TRUE", 1, NO_FUNCTION },
    { "False false FALSE", 0, NO_FUNCTION },
    { "sqrt", NAN, { sqrt_of, sqrt_slope } },
    { "ln",   NAN, { ln_of, ln_slope } },
    { "exp",  NAN, { exp_of_entry, exp_of_entry } },
    { "sin",  NAN, { sin_of, cos_of } },
    { "cos",  NAN, { cos_of, cos_slope } },
    { "tanh", NAN, { tanh_of_entry, tanh_slope } },
    { "int", NAN, { as_typed, one_of } },
    { "float mathbf mathrm textbf text boxed num", NAN,
      { as_typed, one_of } },
};

static Operand value_of_word(Reading *r, size_t k, bool latex)
{
    const Entrywise *f = &words[k].f;
    if (f->value == NULL) {
        r->decimals = EXACT;
        r->infinite |= isinf(words[k].value) != 0;
        return number(words[k].value);
    }
    if (f->value == as_typed && !latex)
        r->p += strspn(r->p, DIGITS);           /* float64 */
    const char *start = r->p;
    Operand value = argument(r, latex, f->value == sqrt_of);
    if (*words[k].names == 'i' && !(value.x == round(value.x)))
        wrong(r, start, "int cuts the decimals off; type what is left");
    if (f->value != as_typed)
        r->decimals = EXACT;
    return entrywise(value, f, 0);
}

static Operand word(Reading *r, bool latex)
{
    const char *start = r->p;
    size_t n = 0;
    if (!latex)
        r->p += begin_of(start, "np. numpy. math. torch. jnp.");
    while (isalpha((unsigned char)r->p[n]))
        n++;
    for (EACH_OF(words, k))
        if (n > 0 && begin_of(r->p, words[k].names) == n) {
            r->p += n;
            return value_of_word(r, k, latex);
        }
    if (n == 3 && begins(r->p, "log"))
        return number(wrong(r, start,
                            "log has several meanings; write ln(...)"));
    n += strspn(r->p + n, DIGITS);
    if (n > 0 && r->p[n] != '\0' && strchr("([", r->p[n]) != NULL)
        return number(wrong(r, start, "a sheet does not know this "
                            "function; type its value"));
    return number(wrong(r, start, no_number));
}

static Operand latex_command(Reading *r)
{
    if (took(r, "\\frac") || took(r, "\\dfrac")
        || took(r, "\\tfrac")) {
        Operand above = argument(r, true, true);
        Operand value = over(r, above, argument(r, true, true));
        r->decimals = EXACT;
        return value;
    }
    const char *start = r->p++;
    Operand value = word(r, true);
    if (r->error != NULL && r->p == start + 1)
        r->p = start;
    return value;
}


static bool is_word(const char *word, const char *p, size_t n)
{
    return strlen(word) == n && memcmp(word, p, n) == 0;
}

static Operand operand_named(Reading *r, const char *name, size_t n)
{
    Mat M = r->names->value(r->names->to, name, (int)n);
    for (EACH_OF(words, k))
        if (M == NULL && words[k].f.value == NULL
            && word_in(words[k].names, name, n))
            return number(words[k].value);
    if (M == NULL)
        return lose(r);
    bool plain = M->tape == NULL && M->grad == NULL;
    return plain && M->rows * M->cols == 1 ? number(M->at[0])
                                           : matrix(on_the_tape(r, M));
}

static int arguments_in(Reading *r, Operand a[])
{
    int n = 0;
    do {
        REQUIRE(n < ARGUMENTS_MOST, "too many arguments: %s", r->formula);
        a[n++] = sum_of_terms(r);
    } while (took(r, ","));
    if (!took(r, ")"))
        wrong(r, r->p, "expected a )");
    return n;
}

static Operand call(Reading *r, const char *name, size_t length)
{
    Operand a[ARGUMENTS_MOST];
    int n = arguments_in(r, a);
    for (EACH_OF(words, k))
        if (is_word(words[k].names, name, length) && n == 1)
            return r->lost ? *a : entrywise(*a, &words[k].f, 0);
    if (a->M == NULL && !r->lost)
        *a = matrix(on_the_tape(r, filled(r, 1, 1, a->x)));
    for (EACH_OF(of_library, k))
        if (is_word(of_library[k].name, name, length) && n == 1)
            return r->lost ? *a
                 : matrix(of_library[k].operation(HERE("formula"), a->M));
    for (EACH_OF(of_matrices, k))
        if (is_word(of_matrices[k].name, name, length)
            && n == of_matrices[k].arguments)
            return r->lost ? *a : of_matrices[k].value(r, a);
    refuse(HERE("formula_value"), "no function of %d is %.*s: \"%s\".", n,
           (int)length, name, r->formula);
}

static Operand name_or_call(Reading *r)
{
    const char *name = r->p;
    while (isalnum((unsigned char)*r->p) || *r->p == '_')
        r->p++;
    size_t length = (size_t)(r->p - name);
    if (*r->p != '(')
        return operand_named(r, name, length);
    r->p++;
    return call(r, name, length);
}


static Operand primary(Reading *r)
{
    if (took(r, "("))
        return in_parentheses(r, ")");
    if (took(r, "{"))
        return in_parentheses(r, "}");
    if (r->parentheses > 0)
        r->p += strspn(r->p, " ");
    if (*r->p == '\\')
        return latex_command(r);
    if (isalpha((unsigned char)*r->p))
        return r->names != NULL ? name_or_call(r) : word(r, false);
    if (r->names != NULL && !isdigit((unsigned char)*r->p))
        wrong(r, r->p, "expected a value");
    bool root = took(r, "√"), infinite = took(r, "∞");
    if (!root && !infinite && !took(r, "π"))
        return number(read_number(r));
    Operand value = root ? argument(r, true, false) : number(PI);
    r->decimals = EXACT;
    r->infinite |= infinite;
    return infinite ? number(INFINITY)
         : root ? number(sqrt(value.x)) : value;
}

static bool took_raised(Reading *r, double *exponent)
{
    static const char *const raised[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    bool minus = took(r, "⁻"), any = false;
    *exponent = 0;
    for (int k = 0; k < 10; k++)
        if (took(r, raised[k])) {
            *exponent = 10 * *exponent + k;
            any = true;
            k = -1;
        }
    if (minus)
        *exponent = any ? -*exponent : wrong(r, r->p, no_number);
    return any || minus;
}

static Operand power(Reading *r)
{
    Operand base = primary(r), exponent = number(1);
    bool ten = base.x == 10 && r->decimals == 0;
    for (; r->names != NULL && *r->p == '\''; r->p++)
        base = turned_over(base);
    if (took(r, "^") || took(r, "**"))
        exponent = factor(r);
    else if (!took_raised(r, &exponent.x)) {
        r->ten = NAN;
        return base;
    }
    r->decimals = EXACT;
    r->ten = ten ? exponent.x : NAN;
    return raised_to(r, base, exponent);
}

/* --1 may be a dash, and +-1 an error. */
static void refuse_second_sign(Reading *r)
{
    if ((*r->p == '-' || *r->p == '+') && !strchr(" ];,\n", r->p[1]))
        wrong(r, r->p, "two signs stand before this number; type one, or "
                       "parentheses");
}

static Operand factor(Reading *r)
{
    if (++r->depth > DEEPEST)
        return number(wrong(r, r->p, "parentheses and signs are nested "
                            "more than 100 deep"));
    bool minus = took(r, "-"), sign = minus || took(r, "+");
    if (sign && *r->p == ' ' && r->parentheses == 0)
        return number(wrong(r, r->p - 1, "a sign stands directly before "
                            "its number"));
    if (sign)
        refuse_second_sign(r);
    Operand value = sign ? factor(r) : power(r);
    r->depth--;
    return minus ? times_number(value, -1) : value;
}

const char *after_times(const char *p)
{
    const char *end = p + begin_of(p, "* · × \\cdot \\times");
    return *p == '\\' && isalpha((unsigned char)*end) ? p : end;
}

/* (1 2 ; 3 4) is no arithmetic. */
static bool opens_matrix(const Reading *r, const char *p)
{
    Reading inside = *r;
    inside.p = p;
    if (r->parentheses > 0 || (*p != '(' && *p != '{'))
        return false;
    primary(&inside);
    return inside.error != NULL;
}

static bool took_times(Reading *r)
{
    const char *sign = r->p + strspn(r->p, " "), *end = after_times(sign);
    const char *next = end + strspn(end, " ");
    bool even = (sign > r->p) == (next > end) || *sign == '\\'
             || r->parentheses > 0;
    if (r->error != NULL || end == sign || !even || *next == '\0'
        || begin_of(next, "[ # \n \\begin \\left \\big \\pmatrix") > 0
        || opens_matrix(r, next))
        return false;
    r->p = next;
    return true;
}

static void refuse_product(Reading *r, const char *start, bool dot,
                           const char *right)
{
    const char *p = r->p + strspn(r->p, " ");
    bool digit = r->p == right + 3 && right[2] > '0' && right[2] <= '9';
    bool sign = r->p == right + 2 && (*p == '-' || *p == '+')
             && isdigit((unsigned char)p[1]);
    if (begins(right, "10") && (digit || sign))
        wrong(r, start, "a power of ten may have lost its ^ here; type "
                        "2.5e-1 or 2.5*10^-1");
    else if (dot && r->decimals == 0)
        wrong(r, start,
              "the dot between two whole numbers may be a product "
                        "or a decimal point; type 1*5 or 1.5");
}

static Operand term(Reading *r)
{
    const char *start = r->p;
    Operand value = factor(r);
    for (;;) {
        const char *sign = r->p + strspn(r->p, " ");
        int decimals = r->decimals;
        bool beside = r->names != NULL
                   && (isalnum((unsigned char)*sign) || *sign == '(');
        if (took_times(r)) {
            const char *right = r->p;
            value = times(r, value, factor(r));
            refuse_product(r, start, decimals == 0 && begins(sign, "·"),
                           right);
            r->decimals = times_ten(decimals, r->ten);
        } else if (took(r, "/")) {
            value = over(r, value, factor(r));
            r->decimals = EXACT;
        } else if (beside)
            value = product_with(r, value, power(r));
        else
            return value;
    }
}

static bool took_sign(Reading *r, const char *sign)
{
    const char *start = r->p;
    if (!took(r, sign))
        return false;
    bool entry = r->names == NULL && *start == ' ' && *r->p != ' ';
    if (entry)
        r->p = start;
    else
        refuse_second_sign(r);
    return !entry;
}

static Operand sum_of_terms(Reading *r)
{
    Operand value = term(r);
    for (;; r->decimals = EXACT)
        if (took_sign(r, "+"))
            value = plus(r, value, term(r));
        else if (took_sign(r, "-"))
            value = plus(r, value, times_number(term(r), -1));
        else
            return value;
}


static bool took_percent(Reading *r)
{
    const char *start = r->p;
    if (r->error == NULL)
        r->p += strspn(r->p, " ");
    took(r, "\\,");
    if (took(r, "%") || took(r, "\\%"))
        return true;
    r->p = start;
    return false;
}

void scale_entry(Entry *entry, double by)
{
    double digits = log10(fabs(by)), shift = ceil(digits - 1e-9);
    bool power = shift - digits < 1e-9;
    entry->value *= by;
    entry->decimals = entry->decimals == 0 && !power ? EXACT
                    : times_ten(entry->decimals, shift);
}

const char *read_entry(const char **text, bool comma, Entry *entry)
{
    Reading r = { .p = *text, .comma = comma, .decimals = EXACT };
    entry->value = NAN;
    if (!took(&r, "?")) {
        entry->value = sum_of_terms(&r).x;
        if (isnan(entry->value)
            || (isinf(entry->value) && !r.infinite))
            wrong(&r, *text, "this has no finite value");
    }
    entry->decimals = r.decimals;
    entry->single = false;
    if (r.error == NULL && took_percent(&r))
        scale_entry(entry, 0.01);
    *text = r.p;
    return r.error;
}

Mat formula_value(const Names *names, const char *formula)
{
    Reading r = { .p = formula, .formula = formula, .names = names,
                  .parentheses = 1 };
    Operand v = sum_of_terms(&r);
    if (*r.p != '\0')
        refuse(HERE("formula_value"), "\"%s\" ends before \"%s\".",
               formula, r.p);
    if (r.lost)
        return NULL;
    Mat M = v.M != NULL ? v.M : on_the_tape(&r, filled(&r, 1, 1, v.x));
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!(M->at[k] < INFINITY))
            return NULL;
    return M;
}

