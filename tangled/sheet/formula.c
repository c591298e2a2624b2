/* Formulas: the arithmetic of exact entries, over matrices. */
#include "sheet/sheet.h"
#include "tape.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double x; Mat M; } Operand;      /* M NULL: the number x */

typedef struct {
    const Names *names;
    const char *formula, *p;    /* p: what comes next                  */
    bool lost;                  /* it cannot be made                   */
} Working;

static Operand number(double x) { return (Operand){ x, NULL }; }
static Operand matrix(Mat M)    { return (Operand){ NAN, M }; }

static Operand lose(Working *w)
{
    w->lost = true;
    return number(NAN);
}

static Mat filled(const Working *w, int rows, int cols, double x)
{
    Mat M = constant(tape_arena(w->names->tape), rows, cols);
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

static Mat on_the_tape(const Working *w, Mat M)
{
    if (M->tape != NULL && !M->turned)
        return M;
    Mat Y = computed_on(HERE("on_the_tape"), w->names->tape, M->rows,
                        M->cols, copy_backward, 1, &M);
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

static Operand entrywise(Operand v, const Entrywise *f, double c)
{
    if (v.M == NULL)
        return number(f->value(v.x, c));
    int n = v.M->rows * v.M->cols;
    Arena *arena = tape_arena(v.M->tape);
    struct Matrix *Y = computed(HERE("entrywise"), v.M->rows, v.M->cols,
                                each_backward, 1, &v.M);
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

static Mat spread(const Working *w, Mat M, Mat beside)
{
    if (M->rows < beside->rows)
        M = mul(filled(w, beside->rows, 1, 1), M);
    if (M->cols < beside->cols)
        M = mul(M, filled(w, 1, beside->cols, 1));
    return M;
}

static bool meets(int a, int b) { return a == b || a == 1 || b == 1; }

static Operand entry_by_entry(Working *w, Operand a, Operand b,
                            Mat (*operation)(Mat A, Mat B))
{
    if (w->lost || !meets(a.M->rows, b.M->rows)
        || !meets(a.M->cols, b.M->cols))
        return lose(w);
    Mat A = spread(w, a.M, b.M), B = spread(w, b.M, A);
    return matrix(operation(A, B));
}

static Mat sum_of_two(Mat A, Mat B)     { return add(A, B); }
static Mat product_of_two(Mat A, Mat B) { return hadamard(A, B); }

static Operand plus(Working *w, Operand a, Operand b)
{
    return a.M == NULL ? entrywise(b, &plus_number, a.x)
         : b.M == NULL ? entrywise(a, &plus_number, b.x)
         : entry_by_entry(w, a, b, sum_of_two);
}

static Operand times(Working *w, Operand a, Operand b)
{
    return a.M == NULL ? times_number(b, a.x)
         : b.M == NULL ? times_number(a, b.x)
         : entry_by_entry(w, a, b, product_of_two);
}

static Operand over(Working *w, Operand a, Operand b)
{
    return a.M == NULL && b.M == NULL ? number(a.x / b.x)
         : b.M == NULL ? times_number(a, 1 / b.x)
         : times(w, a, entrywise(b, &to_the_power, -1));
}

static Operand product_with(Working *w, Operand a, Operand b)
{
    bool spreads = a.M == NULL || b.M == NULL;
    if (spreads || w->lost)
        return times(w, a, b);
    if (a.M->cols != b.M->rows)
        return lose(w);
    return matrix(mul(a.M, b.M));
}

static Operand raised_to(Working *w, Operand a, Operand b)
{
    if (b.M == NULL)
        return entrywise(a, &to_the_power, b.x);
    Operand exponent = times(w, b, entrywise(a, &logarithm, 0));
    return entrywise(exponent, &exponential, 0);
}

static void turned_backward(Mat T)
{
    Mat M = T->of[0];
    for (int k = 0; M->grad != NULL && k < M->rows * M->cols; k++)
        M->grad[k] += T->grad[k % M->rows * M->cols + k / M->rows];
}

static Operand turned_over(Operand v)
{
    if (v.M == NULL)
        return v;
    Mat M = v.M, T = computed(HERE("turned_over"), M->cols, M->rows,
                              turned_backward, 1, &M);
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

static Operand softmaxed(Working *w, const Operand a[])
{
    return has_a_softmax(a->M) ? matrix(softmax(a->M)) : lose(w);
}

double least_root(double m)
{
    return (sizeof(real) == sizeof(float) ? 1e-6 : 1e-14) * fabs(m);
}

static Operand standardised(Working *w, const Operand a[])
{
    Mat m = mean(a->M), v = variance(a->M, m);
    double epsilon = settings(m->tape)->epsilon;
    for (int j = 1; j <= v->cols; j++)
        if (!((real)sqrt(AT(v, 1, j) + epsilon) > least_root(AT(m, 1, j))))
            return lose(w);
    return matrix(standardise(a->M, m, v));
}

static Operand column_sums(Working *w, const Operand a[])
{
    return matrix(mul(filled(w, 1, a->M->rows, 1), a->M));
}

static Operand rows_of(Working *w, const Operand a[])
{
    return (void)w, number(a->M->rows);
}

static Operand cols_of(Working *w, const Operand a[])
{
    return (void)w, number(a->M->cols);
}

static Operand rounded_of(Working *w, const Operand a[])
{
    return a[1].M == NULL ? entrywise(*a, &rounding, a[1].x) : lose(w);
}

static Operand finite_of(Working *w, const Operand a[])
{
    return (void)w, entrywise(*a, &finiteness, 0);
}

static Operand largest_entries(Working *w, const Operand a[])
{
    Mat M = a->M, Y = filled(w, M->rows, M->cols, 0);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(Y, best, j) = 1;
    }
    return matrix(on_the_tape(w, Y));
}

static Operand one_hot_of(Working *w, const Operand a[])
{
    Mat v = a->M;
    if (a[1].M != NULL || !(1 <= a[1].x && a[1].x <= 1e6))
        return lose(w);
    int n = v->rows * v->cols, rows = (int)a[1].x;
    Mat Y = filled(w, rows, n, 0);
    for (int k = 0; k < n; k++) {
        double id = (double)v->at[k];
        if (id != floor(id) || id < 1 || id > rows)
            return lose(w);
        AT(Y, (int)id, k + 1) = 1;
    }
    return matrix(on_the_tape(w, Y));
}

static Operand taken_column(Working *w, const Operand a[])
{
    Mat M = a->M;
    double j = a[1].x;
    if (a[1].M != NULL || j != floor(j) || j < 1 || j > M->cols)
        return lose(w);
    return matrix(gather(M->tape, M, 1, (int[]){ (int)j }));
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

static Operand picked(Working *w, const Operand a[])
{
    Mat of[3], Y;
    int rows = 1, cols = 1;
    for (int k = 0; k < 3; k++) {
        of[k] = a[k].M != NULL ? a[k].M : filled(w, 1, 1, a[k].x);
        rows = of[k]->rows > rows ? of[k]->rows : rows;
        cols = of[k]->cols > cols ? of[k]->cols : cols;
    }
    for (int k = 0; k < 3; k++)
        if (!(of[k]->rows == rows || of[k]->rows == 1)
            || !(of[k]->cols == cols || of[k]->cols == 1))
            return lose(w);
    Y = computed_on(HERE("picked"), w->names->tape, rows, cols,
                    pick_backward, 3, of);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            Mat M = of[*entry_or_spread(*of, (*of)->at, i, j) != 0 ? 1 : 2];
            Y->at[i + j * rows] = *entry_or_spread(M, M->at, i, j);
        }
    return matrix(Y);
}


static const struct { const char *name; Entrywise f; } of_entries[] = {
    { "exp",  { exp_of_entry, exp_of_entry } },
    { "ln",   { ln_of, ln_slope } },
    { "sqrt", { sqrt_of, sqrt_slope } },
    { "sin",  { sin_of, cos_of } },
    { "tanh", { tanh_of_entry, tanh_slope } },
    { "cos",  { cos_of, cos_slope } },
};

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
    Operand (*value)(Working *w, const Operand a[]);
} of_matrices[] = {
    { "softmax", 1, softmaxed },    { "standardise", 1, standardised },
    { "sum",     1, column_sums },  { "largest",     1, largest_entries },
    { "rows",    1, rows_of },      { "cols",        1, cols_of },
    { "finite",  1, finite_of },    { "round",       2, rounded_of },
    { "column",  2, taken_column }, { "one_hot",     2, one_hot_of },
    { "pick",    3, picked },
};
enum { ARGUMENTS_MOST = 3 };
#define EACH_OF(table, k) \
    size_t k = 0; k < sizeof table / sizeof *table; k++

static bool is_word(const char *word, const char *p, size_t n)
{
    return strlen(word) == n && memcmp(word, p, n) == 0;
}


static Operand operand_named(Working *w, const char *name, size_t n)
{
    static const struct { const char *name; double x; } numbers[] = {
        { "e", 2.71828182845904523536 }, { "pi", 3.14159265358979323846 },
        { "inf", INFINITY } };
    Mat M = w->names->value(w->names->to, name, (int)n);
    for (size_t k = 0; M == NULL && k < 3; k++)
        if (is_word(numbers[k].name, name, n))
            return number(numbers[k].x);
    if (M == NULL)
        return lose(w);
    bool plain = M->tape == NULL && M->grad == NULL;
    return plain && M->rows * M->cols == 1 ? number(M->at[0])
                                           : matrix(on_the_tape(w, M));
}


static Operand sum_in(Working *w);
static Operand factor_in(Working *w);

static bool next_is(Working *w, char c)         /* and is taken */
{
    w->p += strspn(w->p, " ");
    bool is = *w->p == c;
    w->p += is;
    return is;
}

static void expect(Working *w, char c)
{
    if (!next_is(w, c))
        refuse(HERE("formula_value"), "expected a %c in \"%s\", before "
               "\"%s\".", c, w->formula, w->p);
}

static int arguments_in(Working *w, Operand a[])
{
    int n = 0;
    do {
        REQUIRE(n < ARGUMENTS_MOST, "too many arguments: %s", w->formula);
        a[n++] = sum_in(w);
    } while (next_is(w, ','));
    expect(w, ')');
    return n;
}

static Operand function_in(Working *w, const char *name, size_t length)
{
    Operand a[ARGUMENTS_MOST];
    int n = arguments_in(w, a);
    for (EACH_OF(of_entries, k))
        if (is_word(of_entries[k].name, name, length) && n == 1)
            return w->lost ? *a : entrywise(*a, &of_entries[k].f, 0);
    if (a->M == NULL && !w->lost)
        *a = matrix(on_the_tape(w, filled(w, 1, 1, a->x)));
    for (EACH_OF(of_library, k))
        if (is_word(of_library[k].name, name, length) && n == 1)
            return w->lost ? *a
                 : matrix(of_library[k].operation(HERE("formula"), a->M));
    for (EACH_OF(of_matrices, k))
        if (is_word(of_matrices[k].name, name, length)
            && n == of_matrices[k].arguments)
            return w->lost ? *a : of_matrices[k].value(w, a);
    refuse(HERE("formula_value"), "no function of %d is %.*s: \"%s\".", n,
           (int)length, name, w->formula);
}

static Operand primary_in(Working *w)
{
    if (next_is(w, '(')) {
        Operand v = sum_in(w);
        expect(w, ')');
        return v;
    }
    const char *start = w->p;
    if (isdigit((unsigned char)*start)) {
        char *end;
        double x = strtod(start, &end);
        w->p = end;
        return number(x);
    }
    while (isalnum((unsigned char)*w->p) || *w->p == '_')
        w->p++;
    size_t n = (size_t)(w->p - start);
    if (n == 0)
        refuse(HERE("formula_value"), "expected a value in \"%s\", before "
               "\"%s\".", w->formula, start);
    if (*w->p != '(')
        return operand_named(w, start, n);
    w->p++;
    return function_in(w, start, n);
}

static Operand power_in(Working *w)
{
    Operand v = primary_in(w);
    while (*w->p == '\'') {
        v = turned_over(v);
        w->p++;
    }
    return next_is(w, '^') ? raised_to(w, v, factor_in(w)) : v;
}

static Operand factor_in(Working *w)
{
    if (next_is(w, '-'))
        return times_number(factor_in(w), -1);
    return next_is(w, '+') ? factor_in(w) : power_in(w);
}

static Operand term_in(Working *w)
{
    Operand v = factor_in(w);
    for (;;)
        if (next_is(w, '*'))
            v = times(w, v, factor_in(w));
        else if (next_is(w, '/'))
            v = over(w, v, factor_in(w));
        else if (isalnum((unsigned char)*w->p) || *w->p == '(')
            v = product_with(w, v, power_in(w));
        else
            return v;
}

static Operand sum_in(Working *w)
{
    Operand v = term_in(w);
    for (;;)
        if (next_is(w, '+'))
            v = plus(w, v, term_in(w));
        else if (next_is(w, '-'))
            v = plus(w, v, times_number(term_in(w), -1));
        else
            return v;
}


Mat formula_value(const Names *names, const char *formula)
{
    Working w = { names, formula, formula, false };
    Operand v = sum_in(&w);
    if (*w.p != '\0')
        refuse(HERE("formula_value"), "\"%s\" ends before \"%s\".",
               formula, w.p);
    if (w.lost)
        return NULL;
    Mat M = v.M != NULL ? v.M : on_the_tape(&w, filled(&w, 1, 1, v.x));
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!(M->at[k] < INFINITY))
            return NULL;
    return M;
}


