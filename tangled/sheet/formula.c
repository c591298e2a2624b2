/* Arithmetic over two kinds of values, numbers and matrices, by recursive
   descent: a function for each level of precedence. An entry of a sheet is
   a formula without names. Main types: Parser, Operand. Entry points:
   parse_entry, formula_evaluate. */
#include "sheet/formula.h"
#include "library/tape.h"
#include "practice/practice.h"
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    Token token;                /* what comes next                        */
    const char *end;            /* of what was accepted last              */
    const Scope *scope;         /* of a formula; NULL: it is an entry     */
    const char *formula;        /* the whole of it                        */
    bool lost;                  /* a formula that has no value            */
    const char *error, *place;  /* the first error, or NULL, and where    */
    int depth, parentheses;     /* of the recursion; open at the time     */
    bool infinite;              /* infinity was asked for by name         */
} Parser;

typedef struct {
    double x;                   /* the value, if M is NULL                */
    Mat M;
    int decimals;               /* of a number, as it was typed           */
    double ten;                 /* k, if it was typed as 10^k; or NaN     */
} Operand;

static Operand parse_sum(Parser *p);
static Operand parse_factor(Parser *p);

static Operand typed_number(double x, int decimals)
{
    return (Operand){ x, NULL, decimals, NAN };
}

static Operand exact_number(double x)
{
    return typed_number(x, EXACT);
}

static Operand matrix_operand(Mat M)
{
    return (Operand){ NAN, M, EXACT, NAN };
}

/* A formula has no value, but is read on: its spelling must be right. */
static Operand lose_value(Parser *p)
{
    p->lost = true;
    return exact_number(NAN);
}

/* Notes the first error of an entry. From then on nothing is accepted. */
static Operand note_error(Parser *p, const char *place, const char *error)
{
    if (p->scope != NULL)
        refuse(HERE("formula_evaluate"), "%s in \"%s\", before \"%s\".",
               error, p->formula, place);
    if (p->error == NULL) {
        p->error = error;
        p->place = place;
    }
    p->token.kind = '\0';
    return exact_number(NAN);
}

static void advance(Parser *p)
{
    p->end = p->token.end;
    p->token = read_token(p->end);
}

/* Outside parentheses blanks end an entry. */
static bool accept_token(Parser *p, char kind)
{
    bool accepts = p->token.kind == kind
                && (p->parentheses > 0 || !p->token.blank);
    if (accepts)
        advance(p);
    return accepts;
}

static Mat filled_matrix(const Parser *p, int rows, int cols, double x)
{
    Mat M = constant(tape_arena(p->scope->tape), rows, cols);
    for (int k = 0; k < rows * cols; k++)
        M->at[k] = (real)x;
    return M;
}

static void write_entries(Mat M, real *to, bool transposed)
{
    for (int j = 0; j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            to[transposed ? j + i * M->cols : i + j * M->rows]
                = AT(M, i + 1, j + 1);
}

static void add_gradient(Mat Y, bool transposed)
{
    Mat M = Y->of[0];
    for (int j = 0; M->grad != NULL && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            M->grad[&AT(M, i + 1, j + 1) - M->at]
                += Y->grad[transposed ? j + i * M->cols : i + j * M->rows];
}

static void copy_forward(struct Matrix *Y)
{
    write_entries(*Y->of, Y->at, false);
}

static void transpose_forward(struct Matrix *Y)
{
    write_entries(*Y->of, Y->at, true);
}

static void copy_back(Mat Y)            { add_gradient(Y, false); }
static void transpose_back(Mat Y)       { add_gradient(Y, true); }

static const Operation copying = { "copy", copy_forward, copy_back },
    transposing = { "transpose", transpose_forward, transpose_back };

static Mat copy_matrix(const Parser *p, Mat M, bool transposed)
{
    return node_compute(node_on(HERE("copy_matrix"), p->scope->tape,
                                transposed ? M->cols : M->rows,
                                transposed ? M->rows : M->cols,
                                transposed ? &transposing : &copying,
                                1, &M));
}

/* A parameter is on no tape; its gradient comes back to it. */
static Mat put_on_tape(const Parser *p, Mat M)
{
    return M->tape != NULL && !M->transposed ? M : copy_matrix(p, M, false);
}

static Mat as_matrix(const Parser *p, Operand v)
{
    return v.M != NULL ? v.M : put_on_tape(p, filled_matrix(p, 1, 1, v.x));
}

static double round_to(double x, double decimals)
{
    double unit = pow(10, -decimals);
    return isinf(x) ? x : round(x / unit) * unit;
}

/* Functions of a number x; c is the exponent, the summand or the decimals.
   A number that was rounded has the slope of the number before. */
typedef enum { NO_SUCH, EXP, LN, SQRT, SIN, COS, TANH, POWER, PLUS, ROUND,
               FINITE } OfNumber;

static double apply(OfNumber f, double x, double c, double *slope)
{
    *slope = 1;
    switch (f) {
    case EXP:    return *slope = exp(x);
    case LN:     *slope = 1 / x;                return log(x);
    case SQRT:   *slope = 0.5 / sqrt(x);        return sqrt(x);
    case SIN:    *slope = cos(x);               return sin(x);
    case COS:    *slope = -sin(x);              return cos(x);
    case TANH:   *slope = 1 - tanh(x) * tanh(x); return tanh(x);
    case POWER:  *slope = c == 0 ? 0 : c * pow(x, c - 1);
                 return pow(x, c);
    case PLUS:   return x + c;
    case ROUND:  return round_to(x, c);
    case FINITE: *slope = 0;                    return isfinite(x) != 0;
    case NO_SUCH: break;
    }
    return x;
}

static void apply_back(Mat Y)
{
    Mat M = Y->of[0];
    for (int k = 0; M->grad != NULL && k < M->rows * M->cols; k++)
        if (Y->grad[k] != 0)            /* the slope may be infinite */
            M->grad[k] += Y->slope[k] * Y->grad[k];
}

static const Operation applying = { "apply", NULL, apply_back };

static Operand apply_each(OfNumber f, Operand v, double c)
{
    double slope;
    if (v.M == NULL)
        return exact_number(apply(f, v.x, c, &slope));
    int n = v.M->rows * v.M->cols;
    struct Matrix *Y = node_new(HERE("apply_each"), v.M->rows, v.M->cols,
                                &applying, 1, &v.M);
    if (wants_gradients(Y->tape))
        Y->slope = arena_alloc(tape_arena(Y->tape),
                               (size_t)n * sizeof *Y->slope);
    for (int k = 0; k < n; k++) {
        Y->at[k] = (real)apply(f, v.M->at[k], c, &slope);
        if (Y->slope != NULL)
            Y->slope[k] = (real)slope;
    }
    return matrix_operand(Y);
}

/* A row, a column or a single entry as a matrix of that shape: the product
   with ones. NULL: it has another shape. */
static Mat spread(const Parser *p, Mat M, int rows, int cols)
{
    if ((M->rows != rows && M->rows != 1)
        || (M->cols != cols && M->cols != 1))
        return NULL;
    if (M->rows < rows)
        M = mul(filled_matrix(p, rows, 1, 1), M);
    return M->cols < cols ? mul(M, filled_matrix(p, 1, cols, 1)) : M;
}

static int largest_size(int a, int b)
{
    return a > b ? a : b;
}

static Operand combine(Parser *p, Operand a, Operand b,
                       Mat (*operation)(Where where, Mat A, Mat B))
{
    int rows = largest_size(a.M->rows, b.M->rows);
    int cols = largest_size(a.M->cols, b.M->cols);
    Mat A = spread(p, a.M, rows, cols), B = spread(p, b.M, rows, cols);
    return A == NULL || B == NULL ? lose_value(p)
         : matrix_operand(operation(HERE("combine"), A, B));
}

static Operand scaled_by(Operand v, double c)
{
    return v.M == NULL ? exact_number(c * v.x)
                       : matrix_operand(scale(v.M, c));
}

static Operand negated(Operand v)
{
    v.x = -v.x;
    return v.M == NULL ? v : scaled_by(v, -1);
}

static Operand add_operands(Parser *p, Operand a, Operand b)
{
    return a.M == NULL ? apply_each(PLUS, b, a.x)
         : b.M == NULL ? apply_each(PLUS, a, b.x)
         : combine(p, a, b, add_);
}

static Operand multiply_entries(Parser *p, Operand a, Operand b)
{
    return a.M == NULL ? scaled_by(b, a.x)
         : b.M == NULL ? scaled_by(a, b.x)
         : combine(p, a, b, hadamard_);
}

static Operand divide(Parser *p, Operand a, Operand b)
{
    return a.M == NULL && b.M == NULL ? exact_number(a.x / b.x)
         : b.M == NULL ? scaled_by(a, 1 / b.x)
         : multiply_entries(p, a, apply_each(POWER, b, -1));
}

static Operand multiply_matrices(Parser *p, Operand a, Operand b)
{
    if (a.M == NULL || b.M == NULL)
        return multiply_entries(p, a, b);
    return a.M->cols != b.M->rows ? lose_value(p)
         : matrix_operand(mul(a.M, b.M));
}

/* x^M is e^(M ln x). */
static Operand raise(Parser *p, Operand a, Operand b)
{
    return b.M == NULL ? apply_each(POWER, a, b.x)
         : apply_each(EXP, multiply_entries(p, b, apply_each(LN, a, 0)), 0);
}

static bool has_softmax(Mat M)
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

static Operand softmax_of(Parser *p, const Operand a[])
{
    return has_softmax(a->M) ? matrix_operand(softmax(a->M))
                             : lose_value(p);
}

double least_root(double m)
{
    bool single = sizeof(real) == sizeof(float);
    return fmax((single ? 1e-6 : 1e-14) * fabs(m),
                sqrt(single ? FLT_MIN : DBL_MIN));
}

static Operand standardise_of(Parser *p, const Operand a[])
{
    Mat m = mean(a->M), v = variance(a->M, m);
    double epsilon = settings(m->tape)->epsilon;
    for (int j = 1; j <= v->cols; j++)
        if (!((real)sqrt(AT(v, 1, j) + epsilon) > least_root(AT(m, 1, j))))
            return lose_value(p);
    return matrix_operand(standardise(a->M, m, v));
}

static Operand column_sums(Parser *p, const Operand a[])
{
    return matrix_operand(mul(filled_matrix(p, 1, a->M->rows, 1), a->M));
}

static Operand count_rows(Parser *p, const Operand a[])
{
    return (void)p, exact_number(a->M->rows);
}

static Operand count_cols(Parser *p, const Operand a[])
{
    return (void)p, exact_number(a->M->cols);
}

static Operand finite_of(Parser *p, const Operand a[])
{
    return (void)p, apply_each(FINITE, *a, 0);
}

static Operand round_of(Parser *p, const Operand a[])
{
    return a[1].M == NULL ? apply_each(ROUND, *a, a[1].x) : lose_value(p);
}

/* 1 at the first of the largest entries of each column, 0 elsewhere. */
static Operand mark_largest(Parser *p, const Operand a[])
{
    Mat M = a->M, Y = filled_matrix(p, M->rows, M->cols, 0);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(Y, best, j) = 1;
    }
    return matrix_operand(put_on_tape(p, Y));
}

/* A column of a[1] entries for each token of a[0]. */
static Operand one_hot_of(Parser *p, const Operand a[])
{
    Mat v = a->M;
    if (a[1].M != NULL || !(1 <= a[1].x && a[1].x <= 1e6))
        return lose_value(p);
    int n = v->rows * v->cols, rows = (int)a[1].x;
    Mat Y = filled_matrix(p, rows, n, 0);
    for (int k = 0; k < n; k++) {
        double id = (double)v->at[k];
        if (id != floor(id) || id < 1 || id > rows)
            return lose_value(p);
        AT(Y, (int)id, k + 1) = 1;
    }
    return matrix_operand(put_on_tape(p, Y));
}

/* The logarithm of the entry of each column of a[1] where a[0] is 1. Where
   a probability has underflowed it comes from the logits. */
static Operand logs_of(Parser *p, const Operand a[])
{
    const bool single = sizeof(real) == sizeof(float);
    Mat which = a->M, P = a[1].M;
    if (P == NULL || P->rows != which->rows || P->cols != which->cols)
        return lose_value(p);
    size_t bytes = (size_t)P->cols * sizeof(int);
    int *row = arena_alloc(tape_arena(P->tape), bytes);
    int *column = arena_alloc(tape_arena(P->tape), bytes);
    bool vanishes = false;
    for (int j = 1; j <= P->cols; j++)
        for (int i = 1; i <= P->rows; i++)
            if (AT(which, i, j) != 0) {
                row[j - 1] = i;
                column[j - 1] = j;
                vanishes |= AT(P, i, j) < (single ? FLT_MIN : DBL_MIN);
            }
    if (vanishes && P->logits != NULL)
        return matrix_operand(log_prob(P, (Tokens){ P->cols, row },
                                       (Tokens){ P->cols, column }));
    Operand chosen = matrix_operand(hadamard(which, P));
    return apply_each(LN, column_sums(p, &chosen), 0);
}

static Operand column_of(Parser *p, const Operand a[])
{
    Mat M = a->M;
    double j = a[1].x;
    if (a[1].M != NULL || j != floor(j) || j < 1 || j > M->cols)
        return lose_value(p);
    return matrix_operand(gather(M->tape, M, 1, (int[]){ (int)j }));
}

/* What top_k and top_p keep of a column of probabilities. */
static Operand keep_of(Parser *p, const Operand a[])
{
    bool numbers = a[1].M == NULL && a[2].M == NULL;
    return a->M->cols != 1 || !numbers ? lose_value(p)
         : matrix_operand(restrict_top_p(restrict_top_k(a->M, (int)a[1].x),
                                         a[2].x));
}

static void pick(struct Matrix *Y)
{
    for (int k = 0; k < Y->rows * Y->cols; k++)
        Y->at[k] = Y->of[Y->of[0]->at[k] != 0 ? 1 : 2]->at[k];
}

static void pick_back(Mat Y)
{
    for (int k = 0; k < Y->rows * Y->cols; k++) {
        Mat from = Y->of[Y->of[0]->at[k] != 0 ? 1 : 2];
        if (from->grad != NULL)
            from->grad[k] += Y->grad[k];
    }
}

static const Operation picking = { "pick", pick, pick_back };

/* a[1] where a[0] is not 0, and a[2] elsewhere: what is not picked may be
   no number. */
static Operand pick_of(Parser *p, const Operand a[])
{
    Mat of[3];
    int rows = 1, cols = 1;
    for (int k = 0; k < 3; k++) {
        of[k] = as_matrix(p, a[k]);
        rows = largest_size(rows, of[k]->rows);
        cols = largest_size(cols, of[k]->cols);
    }
    for (int k = 0; k < 3; k++)
        if ((of[k] = spread(p, of[k], rows, cols)) == NULL)
            return lose_value(p);
    return matrix_operand(node_compute(node_new(HERE("pick"), rows, cols,
                                                &picking, 3, of)));
}

/* A function of each number, an operation of the library, or one of those
   above. The first are also those of entries. */
enum { MOST_ARGUMENTS = 3 };
static const struct {
    const char *name;
    int arguments;
    OfNumber each;
    Mat (*operation)(Where where, Mat M);
    Operand (*value)(Parser *p, const Operand a[]);
} functions[] = {
    { "sqrt", 1, .each = SQRT },        { "ln",   1, .each = LN },
    { "exp",  1, .each = EXP },         { "sin",  1, .each = SIN },
    { "cos",  1, .each = COS },         { "tanh", 1, .each = TANH },
    { "mean", 1, .operation = mean_ },  { "relu", 1, .operation = relu_ },
    { "total", 1, .operation = sum_ },  { "gelu", 1, .operation = gelu_ },
    { "gelu_tanh",   1, .operation = gelu_tanh_ },
    { "softmax",     1, .value = softmax_of },
    { "standardise", 1, .value = standardise_of },
    { "sum",         1, .value = column_sums },
    { "largest",     1, .value = mark_largest },
    { "rows",        1, .value = count_rows },
    { "cols",        1, .value = count_cols },
    { "finite",      1, .value = finite_of },
    { "round",       2, .value = round_of },
    { "column",      2, .value = column_of },
    { "one_hot",     2, .value = one_hot_of },
    { "pick",        3, .value = pick_of },
    { "keep",        3, .value = keep_of },
    { "logs",        2, .value = logs_of },
};
static const struct {
    const char *name;
    double value;
    bool minus;                 /* not every compiler folds -INFINITY     */
} constants[] = {
    { "e",    2.71828182845904523536, false },
    { "pi",   3.14159265358979323846, false },
    { "inf",  INFINITY, false },        { "minus_inf", INFINITY, true },
    { "true", 1, false },               { "false", 0, false },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions,
       CONSTANTS = sizeof constants / sizeof *constants };

static bool is_named(const Token *t, const char *name)
{
    size_t n = (size_t)t->length;
    return strlen(name) == n && memcmp(t->word, name, n) == 0;
}

/* FUNCTIONS: there is none. */
static int find_function(const Parser *p, const Token *t)
{
    int k = 0;
    while (k < FUNCTIONS && (!is_named(t, functions[k].name)
           || (p->scope == NULL && functions[k].each == NO_SUCH)))
        k++;
    return k;
}

static int find_constant(const Token *t)    /* CONSTANTS: there is none */
{
    int k = 0;
    while (k < CONSTANTS && !is_named(t, constants[k].name))
        k++;
    return k;
}

static Operand constant_number(int c)
{
    return exact_number(constants[c].minus ? -constants[c].value
                                           : constants[c].value);
}

static const char no_number[] =
    "expected a number, such as 1, -0.5, 1/2 or sqrt(2)";

static Operand parse_group(Parser *p)
{
    char close = p->token.kind == '(' ? ')' : '}';
    advance(p);
    p->parentheses++;
    Operand value = parse_sum(p);
    if (!accept_token(p, close))
        note_error(p, p->token.start, close == ')' ? "expected a )"
                                                   : "expected a }");
    p->parentheses--;
    return value;
}

/* A function of LaTeX is content with braces or with what follows; and
   \frac12 takes one digit for each. */
static Operand parse_argument(Parser *p, const Token *name)
{
    bool latex = !isalpha((unsigned char)*name->start);
    bool digit = begins(name->start, "\\sqrt") || is_named(name, "frac");
    p->token.blank &= !latex;
    if ((p->token.kind == '(' && !p->token.blank)
        || (latex && p->token.kind == '{'))
        return parse_group(p);
    if (!latex)
        return note_error(p, p->token.start,
                          "expected a ( after the function's name");
    if (!digit || p->token.kind != TOKEN_NUMBER)
        return parse_factor(p);
    p->token.end = p->token.start + 1;
    Operand value = exact_number(*p->token.start - '0');
    advance(p);
    return value;
}

static Operand parse_entry_word(Parser *p)
{
    Token t = p->token;
    int f = find_function(p, &t), c = find_constant(&t);
    advance(p);
    if (c < CONSTANTS) {
        p->infinite |= isinf(constants[c].value) != 0;
        return constant_number(c);
    }
    if (f < FUNCTIONS)
        return apply_each(functions[f].each, parse_argument(p, &t), 0);
    if (is_named(&t, "frac")) {
        Operand above = parse_argument(p, &t);
        return divide(p, above, parse_argument(p, &t));
    }
    bool call = *t.end != '\0' && strchr("([", *t.end) != NULL;
    return note_error(p, t.start, call ? "a sheet does not know this "
                      "function; type its value" : no_number);
}

static Operand find_operand(Parser *p, const Token *t)
{
    const Scope *scope = p->scope;
    Mat M = scope->find_value(scope->data, t->word, t->length);
    int c = find_constant(t);
    if (M == NULL)
        return c < CONSTANTS ? constant_number(c) : lose_value(p);
    bool plain = M->tape == NULL && M->grad == NULL;
    return plain && M->rows * M->cols == 1 ? exact_number(M->at[0])
         : matrix_operand(put_on_tape(p, M));
}

static Operand parse_name_or_call(Parser *p)
{
    Token t = p->token;
    Operand a[MOST_ARGUMENTS];
    int n = 0;
    advance(p);
    if (p->token.kind != '(' || p->token.blank)
        return find_operand(p, &t);
    do {
        advance(p);
        a[n++] = parse_sum(p);
    } while (p->token.kind == ',' && n < MOST_ARGUMENTS);
    int f = find_function(p, &t);
    if (f == FUNCTIONS || functions[f].arguments != n)
        note_error(p, t.start, "no such function");
    if (!accept_token(p, ')'))
        note_error(p, p->token.start, "expected a )");
    if (p->lost)
        return *a;
    if (functions[f].each != NO_SUCH)
        return apply_each(functions[f].each, *a, 0);
    a->M = as_matrix(p, *a);
    return functions[f].value != NULL ? functions[f].value(p, a)
         : matrix_operand(functions[f].operation(HERE("formula"), a->M));
}

static Operand parse_primary(Parser *p)
{
    Token t = p->token;
    if (t.blank && p->parentheses == 0)
        return note_error(p, p->end, no_number);
    switch (t.kind) {
    case '(':
    case '{':
        return parse_group(p);
    case TOKEN_NAME:
        return p->scope != NULL ? parse_name_or_call(p) : parse_entry_word(p);
    case TOKEN_NUMBER:
        advance(p);
        return typed_number(t.value, t.decimals);
    case TOKEN_ERROR:
        return note_error(p, t.start, t.word);
    default:
        return note_error(p, t.start, p->scope != NULL ? "expected a value"
                                                       : no_number);
    }
}

static Operand parse_power(Parser *p)
{
    Operand base = parse_primary(p);
    while (p->scope != NULL && accept_token(p, '\''))
        base = base.M == NULL ? base
             : matrix_operand(copy_matrix(p, base.M, true));
    bool ten = base.x == 10 && base.decimals == 0;
    if (!accept_token(p, '^'))
        return base;
    Operand exponent = parse_factor(p), power = raise(p, base, exponent);
    power.ten = ten ? exponent.x : NAN;
    return power;
}

static bool is_sign(const Token *t)
{
    return t->kind == '-' || t->kind == '+';
}

/* --1 may be a dash, and +-1 an error. */
static void refuse_second_sign(Parser *p)
{
    if (p->scope == NULL && is_sign(&p->token) && !p->token.blank)
        note_error(p, p->token.start, "two signs stand before this number; "
                   "type one, or parentheses");
}

/* Every recursion passes through here. */
static Operand parse_factor(Parser *p)
{
    enum { DEEPEST = 100 };
    Token sign = p->token;
    if (++p->depth > DEEPEST)
        return note_error(p, sign.start, "parentheses and signs are nested "
                          "more than 100 deep");
    if (!is_sign(&sign) || !accept_token(p, sign.kind)) {
        Operand power = parse_power(p);
        p->depth--;
        return power;
    }
    if (p->token.blank && p->parentheses == 0)
        return note_error(p, sign.start, "a sign stands directly before its "
                          "number");
    refuse_second_sign(p);
    Operand value = parse_factor(p);
    p->depth--;
    return sign.kind == '-' ? negated(value) : value;
}

/* A sign of multiplication has blanks on both sides or on none. */
static bool accept_times(Parser *p)
{
    Token t = p->token;
    bool even = t.blank == (*t.end == ' ') || *t.start == '\\';
    if (t.kind != '*' || (!even && p->parentheses == 0))
        return false;
    advance(p);
    p->token.blank = false;
    return true;
}

/* What was 10^-3 may have become 10-3; the dot of 1·5 may be a point. */
static void refuse_product(Parser *p, const char *start, const Token *sign,
                           const char *right, Operand a, Operand b)
{
    bool digit = p->end == right + 3 && right[2] > '0' && right[2] <= '9';
    bool signed_power = p->end == right + 2 && is_sign(&p->token)
                     && isdigit((unsigned char)*p->token.end);
    if (begins(right, "10") && (digit || signed_power))
        note_error(p, start, "a power of ten may have lost its ^ here; type "
                   "2.5e-1 or 2.5*10^-1");
    else if (begins(sign->start, "·") && a.decimals == 0 && b.decimals == 0)
        note_error(p, start, "the dot between two whole numbers may be a "
                   "product or a decimal point; type 1*5 or 1.5");
}

static Operand parse_term(Parser *p)
{
    const char *start = p->token.start;
    Operand value = parse_factor(p);
    for (;;) {
        Token sign = p->token;
        bool beside = p->scope != NULL
                   && (sign.kind == TOKEN_NAME || sign.kind == TOKEN_NUMBER
                       || sign.kind == '(');
        if (accept_times(p)) {
            const char *right = p->token.start;
            Operand a = value, b = parse_factor(p);
            value = multiply_entries(p, a, b);
            value.decimals = shift_decimals(a.decimals, b.ten);
            refuse_product(p, start, &sign, right, a, b);
        } else if (accept_token(p, '/'))
            value = divide(p, value, parse_factor(p));
        else if (beside)
            value = multiply_matrices(p, value, parse_power(p));
        else
            return value;
    }
}

/* (1 -2) are two entries of a row. */
static bool accept_sign(Parser *p, char kind)
{
    bool next_entry = p->scope == NULL && p->token.blank
                   && *p->token.end != ' ';
    if (next_entry || !accept_token(p, kind))
        return false;
    refuse_second_sign(p);
    return true;
}

static Operand parse_sum(Parser *p)
{
    Operand value = parse_term(p);
    for (;;)
        if (accept_sign(p, '+'))
            value = add_operands(p, value, parse_term(p));
        else if (accept_sign(p, '-'))
            value = add_operands(p, value, negated(parse_term(p)));
        else
            return value;
}

const char *parse_entry(const char **text, Entry *entry)
{
    Parser p = { .end = *text, .token = read_token(*text) };
    Operand v = exact_number(NAN);
    p.token.blank = false;
    if (!accept_token(&p, '?')) {
        v = parse_sum(&p);
        if (isnan(v.x) || (isinf(v.x) && !p.infinite))
            note_error(&p, *text, "this has no finite value");
    }
    if (p.token.kind == '%') {
        v.x *= 0.01;
        v.decimals = shift_decimals(v.decimals, -2);
        advance(&p);
    }
    entry->value = v.x;
    entry->decimals = v.decimals;
    entry->single = false;
    *text = p.error != NULL ? p.place : p.end;
    return p.error;
}

Mat formula_evaluate(const Scope *scope, const char *formula)
{
    Parser p = { .end = formula, .token = read_token(formula),
                 .formula = formula, .scope = scope, .parentheses = 1 };
    Operand v = parse_sum(&p);
    if (p.token.kind != '\0')
        note_error(&p, p.token.start, "expected the end");
    if (p.lost)
        return NULL;
    Mat M = as_matrix(&p, v);
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!(M->at[k] < INFINITY))
            return NULL;
    return M;
}
