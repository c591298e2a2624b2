/* Arithmetic over two kinds of values, numbers and matrices, by recursive
   descent: a function for each level of precedence. An entry of a sheet is
   a formula without names. Main types: Parser, Operand. Entry points:
   parse_entry, formula_evaluate. */
#include "sheet/formula.h"
#include "library/tape.h"
#include "practice/practice.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
    Token token;                /* what comes next                        */
    const char *end;            /* of what was accepted last              */
    const Scope *scope;         /* of a formula; NULL: it is an entry     */
    const char *formula;        /* the whole of it                        */
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

/* Notes the first error. From then on nothing is accepted. */
static Operand stop_at(Parser *p, const char *place, const char *error)
{
    if (p->error == NULL) {
        p->error = error;
        p->place = place;
    }
    p->token.kind = '\0';
    return exact_number(NAN);
}

static Operand lose_value(Parser *p)
{
    return stop_at(p, p->end, "this has no value");
}

static Operand note_error(Parser *p, const char *place, const char *error)
{
    if (p->scope != NULL && p->error == NULL)
        refuse(HERE("formula_evaluate"), "%s in \"%s\", before \"%s\".",
               error, p->formula, place);
    return stop_at(p, place, error);
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

/* Functions of up to three numbers. */
typedef enum { NO_FUNCTION, EXP, LN, SQRT, SIN, COS, TANH, PLUS, TIMES, OVER,
               POWER, COPY, TRANSPOSE, ROUND, FINITE, PICK } Function;

/* Returns f(x[0], x[1], x[2]), and its derivatives in slope. A number that
   was rounded has the slope of the number before. */
static double function_value(Function f, const double x[], double slope[])
{
    double a = x[0], b = x[1], unit = pow(10, -b);
    slope[0] = 1;
    slope[1] = slope[2] = 0;
    switch (f) {
    case EXP:    return slope[0] = exp(a);
    case LN:     slope[0] = 1 / a;                   return log(a);
    case SQRT:   slope[0] = 0.5 / sqrt(a);           return sqrt(a);
    case SIN:    slope[0] = cos(a);                  return sin(a);
    case COS:    slope[0] = -sin(a);                 return cos(a);
    case TANH:   slope[0] = 1 - tanh(a) * tanh(a);   return tanh(a);
    case PLUS:   slope[1] = 1;                       return a + b;
    case TIMES:  slope[0] = b; slope[1] = a;         return a * b;
    case OVER:   slope[0] = 1 / b; slope[1] = -a / (b * b); return a / b;
    case POWER:  slope[0] = b == 0 ? 0 : b * pow(a, b - 1);
                 slope[1] = pow(a, b) * log(a);      return pow(a, b);
    case ROUND:  return isinf(a) ? a : round(a / unit) * unit;
    case FINITE: slope[0] = 0;                       return isfinite(a) != 0;
    case PICK:   slope[0] = 0; slope[a != 0 ? 1 : 2] = 1;
                 return x[a != 0 ? 1 : 2];
    case COPY: case TRANSPOSE: case NO_FUNCTION: break;
    }
    return a;
}

/* Where the operand k of entry (i, j) of Y stands: a row is read as if it
   stood in each row of Y, a column in each column. */
static int operand_index(Mat Y, int k, int i, int j)
{
    Mat M = Y->of[k];
    bool transposed = (Function)Y->c == TRANSPOSE;
    int row = transposed ? j : i, col = transposed ? i : j;
    return (int)(&AT(M, M->rows == 1 ? 1 : row, M->cols == 1 ? 1 : col)
                 - M->at);
}

static double value_at(Mat Y, int i, int j, double slope[])
{
    double x[] = { 0, 0, 0 };
    for (int k = 0; k < Y->n; k++)
        x[k] = Y->of[k]->at[operand_index(Y, k, i, j)];
    return function_value((Function)Y->c, x, slope);
}

static void each_forward(struct Matrix *Y)
{
    double slope[3];
    for (int j = 1; j <= Y->cols; j++)
        for (int i = 1; i <= Y->rows; i++)
            AT(Y, i, j) = (real)value_at(Y, i, j, slope);
}

static void each_back(Mat Y)
{
    double slope[3];
    for (int j = 1; j <= Y->cols; j++)
        for (int i = 1; i <= Y->rows; i++) {
            real dY = Y->grad[&AT(Y, i, j) - Y->at];
            value_at(Y, i, j, slope);
            for (int k = 0; k < Y->n && dY != 0; k++)
                if (Y->of[k]->grad != NULL && slope[k] != 0)
                    Y->of[k]->grad[operand_index(Y, k, i, j)]
                        += (real)slope[k] * dY;
        }
}

static const Operation each = { "each", each_forward, each_back };

static Operand each_entry(Parser *p, Function f, int rows, int cols, int n,
                          const Mat of[])
{
    struct Matrix *Y = node_on(HERE("formula"), p->scope->tape, rows, cols,
                               &each, n, of);
    Y->c = f;
    return matrix_operand(node_compute(Y));
}

/* Returns f of n operands, entry by entry. */
static Operand apply(Parser *p, Function f, int n, const Operand a[])
{
    double x[] = { 0, 0, 0 }, slope[3];
    Mat of[3];
    int rows = 0, cols = 0;
    for (int k = 0; k < n; k++) {
        x[k] = a[k].x;
        if (a[k].M != NULL && a[k].M->rows > rows)
            rows = a[k].M->rows;
        if (a[k].M != NULL && a[k].M->cols > cols)
            cols = a[k].M->cols;
    }
    if (rows == 0)
        return exact_number(function_value(f, x, slope));
    for (int k = 0; k < n; k++) {
        of[k] = a[k].M != NULL ? a[k].M : filled_matrix(p, 1, 1, a[k].x);
        if ((of[k]->rows != rows && of[k]->rows != 1)
            || (of[k]->cols != cols && of[k]->cols != 1))
            return lose_value(p);
    }
    return each_entry(p, f, rows, cols, n, of);
}

static Operand apply_to_two(Parser *p, Function f, Operand a, Operand b)
{
    const Operand two[2] = { a, b };
    return apply(p, f, 2, two);
}

static Operand negated(Parser *p, Operand v)
{
    v.x = -v.x;
    return v.M == NULL ? v : apply_to_two(p, TIMES, v, exact_number(-1));
}

static Operand multiply_matrices(Parser *p, Operand a, Operand b)
{
    return a.M == NULL || b.M == NULL ? apply_to_two(p, TIMES, a, b)
         : a.M->cols != b.M->rows ? lose_value(p)
         : matrix_operand(mul(a.M, b.M));
}

/* A parameter is on no tape; its gradient comes back to it. */
static Mat put_on_tape(Parser *p, Mat M)
{
    Operand a = matrix_operand(M);
    return M->tape != NULL && !M->transposed ? M : apply(p, COPY, 1, &a).M;
}

static Mat as_matrix(Parser *p, Operand v)
{
    return v.M != NULL ? v.M : put_on_tape(p, filled_matrix(p, 1, 1, v.x));
}

/* A matrix of one entry on no tape is a number; NULL has no value. */
static Operand operand_of(Parser *p, Mat M)
{
    return M == NULL ? lose_value(p)
         : M->tape == NULL && M->grad == NULL && M->rows * M->cols == 1
             ? exact_number(M->at[0]) : matrix_operand(put_on_tape(p, M));
}

static Operand transposed(Parser *p, Operand v)
{
    return v.M == NULL ? v : each_entry(p, TRANSPOSE, v.M->cols, v.M->rows,
                                        1, &v.M);
}

static Mat standardise_of(Parser *p, const Operand a[])
{
    Mat m = mean(a->M);
    (void)p;
    return standardise(a->M, m, variance(a->M, m));
}

static Mat column_sums(Parser *p, const Operand a[])
{
    return mul(filled_matrix(p, 1, a->M->rows, 1), a->M);
}

static Mat count_rows(Parser *p, const Operand a[])
{
    return filled_matrix(p, 1, 1, a->M->rows);
}

/* A column of 1, 2, ..., as high as M. */
static Mat row_numbers(Parser *p, const Operand a[])
{
    Mat Y = filled_matrix(p, a->M->rows, 1, 0);
    for (int i = 1; i <= Y->rows; i++)
        AT(Y, i, 1) = (real)i;
    return put_on_tape(p, Y);
}

/* 1 at the first of the largest entries of each column, 0 elsewhere. */
static Mat mark_largest(Parser *p, const Operand a[])
{
    Mat M = a->M, Y = filled_matrix(p, M->rows, M->cols, 0);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(Y, best, j) = 1;
    }
    return put_on_tape(p, Y);
}

/* A column of a[1] entries for each token of a[0]. */
static Mat one_hot_of(Parser *p, const Operand a[])
{
    Mat v = a->M;
    if (a[1].M != NULL || !(1 <= a[1].x && a[1].x <= 1e6))
        return NULL;
    int n = v->rows * v->cols, rows = (int)a[1].x;
    Mat Y = filled_matrix(p, rows, n, 0);
    for (int k = 0; k < n; k++) {
        double id = (double)v->at[k];
        if (id != floor(id) || id < 1 || id > rows)
            return NULL;
        AT(Y, (int)id, k + 1) = 1;
    }
    return put_on_tape(p, Y);
}

/* The logarithm of the entry of each column of a[1] that a token of a[0]
   names. Where a probability has underflowed it comes from the logits. */
static Mat logs_of(Parser *p, const Operand a[])
{
    Mat P = a[1].M;
    const Operand ids[2] = { *a, exact_number(P == NULL ? 0 : P->rows) };
    Mat which = one_hot_of(p, ids);
    if (which == NULL || which->cols != P->cols)
        return NULL;
    size_t bytes = (size_t)P->cols * sizeof(int);
    int *row = arena_alloc(tape_arena(P->tape), bytes);
    int *column = arena_alloc(tape_arena(P->tape), bytes);
    Operand chosen = apply_to_two(p, TIMES, matrix_operand(which), a[1]);
    chosen.M = column_sums(p, &chosen);
    bool vanishes = false;
    for (int j = 1; j <= P->cols; j++) {
        row[j - 1] = (int)a->M->at[j - 1];
        column[j - 1] = j;
        vanishes |= AT(chosen.M, 1, j) == 0;
    }
    return !vanishes || P->logits == NULL ? apply(p, LN, 1, &chosen).M
         : log_prob(P, (Tokens){ P->cols, row }, (Tokens){ P->cols, column });
}

static Mat column_of(Parser *p, const Operand a[])
{
    Mat M = a->M;
    double j = a[1].x;
    (void)p;
    return a[1].M != NULL || j != floor(j) || j < 1 || j > M->cols ? NULL
         : gather(M->tape, M, 1, (int[]){ (int)j });
}

/* What top_k and top_p keep of a column of probabilities. */
static Mat keep_of(Parser *p, const Operand a[])
{
    (void)p;
    return a->M->cols != 1 || a[1].M != NULL || a[2].M != NULL ? NULL
         : restrict_top_p(restrict_top_k(a->M, (int)a[1].x), a[2].x);
}

/* A function of numbers, an operation of the library, or one of those above.
   The first seven are also those of entries. */
enum { OF_ENTRIES = 7, MOST_ARGUMENTS = 3 };
static const struct {
    const char *name;
    int arguments;
    Function each;
    Mat (*operation)(Where where, Mat M);
    Mat (*value)(Parser *p, const Operand a[]);
} functions[] = {
    { "sqrt",        1, .each = SQRT },   { "ln",    1, .each = LN },
    { "exp",         1, .each = EXP },    { "sin",   1, .each = SIN },
    { "cos",         1, .each = COS },    { "tanh",  1, .each = TANH },
    { "frac",        2, .each = OVER },   { "round", 2, .each = ROUND },
    { "finite",      1, .each = FINITE }, { "pick",  3, .each = PICK },
    { "mean",        1, .operation = mean_ },
    { "relu",        1, .operation = relu_ },
    { "gelu",        1, .operation = gelu_ },
    { "gelu_tanh",   1, .operation = gelu_tanh_ },
    { "softmax",     1, .operation = softmax_ },
    { "total",       1, .operation = sum_ },
    { "standardise", 1, .value = standardise_of },
    { "sum",         1, .value = column_sums },
    { "largest",     1, .value = mark_largest },
    { "rows",        1, .value = count_rows },
    { "index",       1, .value = row_numbers },
    { "column",      2, .value = column_of },
    { "one_hot",     2, .value = one_hot_of },
    { "keep",        3, .value = keep_of },
    { "logs",        2, .value = logs_of },
};
static const struct {
    const char *name;
    double value;
    bool minus;                 /* not every compiler folds -INFINITY     */
} constants[] = {
    { "e",   2.71828182845904523536, false },   { "true",      1, false },
    { "pi",  3.14159265358979323846, false },   { "false",     0, false },
    { "inf", INFINITY, false },         { "minus_inf", INFINITY, true },
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
    while (k < FUNCTIONS && !is_named(t, functions[k].name))
        k++;
    return p->scope == NULL && k >= OF_ENTRIES ? FUNCTIONS : k;
}

static int find_constant(const Token *t)    /* CONSTANTS: there is none */
{
    int k = 0;
    while (k < CONSTANTS && !is_named(t, constants[k].name))
        k++;
    return k;
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

/* What a command such as \sqrt takes, which needs no parentheses; \frac12
   takes one digit for each. */
static Operand parse_braced(Parser *p, const Token *command)
{
    p->token.blank = false;
    if (p->token.kind == '(' || p->token.kind == '{')
        return parse_group(p);
    if (!is_named(command, "frac") || p->token.kind != TOKEN_NUMBER)
        return parse_factor(p);
    p->token.end = p->token.start + 1;
    advance(p);
    return exact_number(p->end[-1] - '0');
}

static Operand parse_name(Parser *p, const Token *t)
{
    const Scope *scope = p->scope;
    Mat M = scope == NULL ? NULL
          : scope->find_value(scope->data, t->word, t->length);
    int c = find_constant(t);
    if (M != NULL || (scope != NULL && c == CONSTANTS))
        return operand_of(p, M);
    if (c == CONSTANTS)
        return note_error(p, t->start, no_number);
    p->infinite |= isinf(constants[c].value) != 0;
    return exact_number(constants[c].minus ? -constants[c].value
                                           : constants[c].value);
}

static Operand parse_name_or_call(Parser *p)
{
    Token t = p->token;
    Operand a[MOST_ARGUMENTS];
    int n = 0, f = find_function(p, &t);
    bool command = f < FUNCTIONS && !isalpha((unsigned char)*t.start);
    advance(p);
    bool call = p->token.kind == '(' && !p->token.blank;
    if (!call && !command)
        return parse_name(p, &t);
    if (!call || command)
        while (n < functions[f].arguments)
            a[n++] = parse_braced(p, &t);
    else {
        p->parentheses++;
        do {
            advance(p);
            a[n++] = parse_sum(p);
        } while (p->token.kind == ',' && n < MOST_ARGUMENTS);
        if (f == FUNCTIONS || functions[f].arguments != n)
            note_error(p, t.start, "there is no such function; type its "
                       "value");
        if (!accept_token(p, ')'))
            note_error(p, p->token.start, "expected a )");
        p->parentheses--;
    }
    if (p->error != NULL)
        return *a;
    if (functions[f].each != NO_FUNCTION)
        return apply(p, functions[f].each, n, a);
    a->M = as_matrix(p, *a);
    return operand_of(p, functions[f].value != NULL
                      ? functions[f].value(p, a)
                      : functions[f].operation(HERE("formula"), a->M));
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
        return parse_name_or_call(p);
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
        base = transposed(p, base);
    bool ten = base.x == 10 && base.decimals == 0;
    if (!accept_token(p, '^'))
        return base;
    Operand exponent = parse_factor(p),
            power = apply_to_two(p, POWER, base, exponent);
    power.ten = ten ? exponent.x : NAN;
    return power;
}

static bool is_sign(const Token *t)
{
    return t->kind == '-' || t->kind == '+';
}

/* - 1 may be a bullet, --1 a dash, and +-1 an error. */
static void refuse_loose_sign(Parser *p)
{
    if (p->scope == NULL && (is_sign(&p->token)
                             || (p->token.blank && p->parentheses == 0)))
        note_error(p, p->end - 1, "a sign stands directly before its number");
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
    refuse_loose_sign(p);
    Operand value = parse_factor(p);
    p->depth--;
    return sign.kind == '-' ? negated(p, value) : value;
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

/* What was 10^-3 may have become 10-3, and 10^3 103. */
static void refuse_lost_power(Parser *p, const char *start,
                              const char *right)
{
    bool digit = p->end == right + 3 && right[2] > '0' && right[2] <= '9';
    bool sign = p->end == right + 2 && is_sign(&p->token)
             && isdigit((unsigned char)*p->token.end);
    if (begins(right, "10") && (digit || sign))
        note_error(p, start, "a power of ten may have lost its ^ here; type "
                   "2.5e-1 or 2.5*10^-1");
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
            value = apply_to_two(p, TIMES, a, b);
            value.decimals = shift_decimals(a.decimals, b.ten);
            refuse_lost_power(p, start, right);
        } else if (accept_token(p, '/'))
            value = apply_to_two(p, OVER, value, parse_factor(p));
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
    bool accepts = !next_entry && accept_token(p, kind);
    if (accepts && is_sign(&p->token))
        refuse_loose_sign(p);
    return accepts;
}

static Operand parse_sum(Parser *p)
{
    Operand value = parse_term(p);
    for (;;)
        if (accept_sign(p, '+'))
            value = apply_to_two(p, PLUS, value, parse_term(p));
        else if (accept_sign(p, '-'))
            value = apply_to_two(p, PLUS, value, negated(p, parse_term(p)));
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
    if (p.error != NULL)
        return NULL;
    Mat M = as_matrix(&p, v);
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!(M->at[k] < INFINITY))
            return NULL;
    return M;
}
