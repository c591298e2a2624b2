/* Arithmetic by recursive descent. An entry of a sheet is a formula without
   names, over numbers in place of matrices. Main types: Parser, Operand.
   Entry points: parse_entry, formula_evaluate. Text flows in, a number or a
   matrix flows out. */
#include "sheet/formula.h"
#include "library/tape.h"
#include "practice/practice.h"
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

typedef struct {
    Token token;                /* what comes next                        */
    char last;                  /* the kind of what was accepted last ... */
    const char *end;            /* ... and where that ended               */
    const Scope *scope;         /* of a formula; NULL: it is an entry     */
    const char *formula;        /* the whole of it                        */
    int depth, parentheses;     /* of the recursion; open at the time     */
    bool infinite;              /* infinity was asked for by name         */
    const char *error, *place;  /* what is wrong, or NULL, and where      */
    jmp_buf stopped;            /* then it goes on here                   */
} Parser;

typedef struct {
    Mat M;                      /* of a formula; NULL: of an entry, ...   */
    double x;                   /* ... whose value this is                */
    int decimals;               /* as it was typed                        */
    double ten;                 /* k, if it was typed as 10^k; or NaN     */
} Operand;

/* How closely operators bind. */
enum { SUMS = 1, PRODUCTS, POWERS };

static Operand parse_level(Parser *p, int level);
static Operand parse_factor(Parser *p);

/* Ends the parsing of a formula that has no value. */
_Noreturn static void lose_value(Parser *p)
{
    longjmp(p->stopped, 1);
}

/* Ends the parsing with what is wrong at that place. */
_Noreturn static void stop_at(Parser *p, const char *place, const char *error)
{
    if (p->scope != NULL)
        refuse(HERE("formula_evaluate"), "%s in \"%s\", before \"%s\".",
               error, p->formula, place);
    p->error = error;
    p->place = place;
    lose_value(p);
}

static bool is_sign(char kind)
{
    return kind == '-' || kind == '+';
}

/* Takes the next token, whatever it is. Behind the first of an entry, `blank`
   then says whether the entry ends before it. */
static void advance(Parser *p)
{
    Token *t = &p->token;
    p->last = t->kind;
    p->end = t->end;
    *t = p->scope != NULL ? read_plain_token(p->end) : read_token(p->end);
    bool even = t->blank == (*t->end == ' ');
    if (p->scope == NULL)
        t->blank = p->parentheses > 0 ? t->blank && !even && is_sign(t->kind)
                 : t->kind == '*' ? !even && *t->start != '\\'
                 : t->blank && p->last != '*';
}

/* Functions of up to three numbers; an operator is its sign, or BESIDE. */
typedef enum { NO_FUNCTION, EXP, LN, SQRT, SIN, COS, TANH, COPY, TRANSPOSE,
               ROUND, FINITE, PICK, BESIDE, PLUS = '+', MINUS = '-',
               TIMES = '*', OVER = '/', POWER = '^' } Function;

/* Returns f(x[0], x[1], x[2]), and its derivatives in slope. A number that
   was rounded has the slope of the number before. */
static double function_value(Function f, const double x[], double slope[])
{
    double a = x[0], b = x[1], unit = f == ROUND ? pow(10, -b) : 1;
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
    case MINUS:  slope[1] = -1;                      return a - b;
    case BESIDE:
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

/* Where the entry k of Y has its operand in M: a row is read as if it stood
   in each row of Y, a column in each column. */
static int operand_index(Mat Y, int k, Mat M)
{
    int i = k % Y->rows, j = k / Y->rows;
    bool transposed = (Function)Y->c == TRANSPOSE;
    int row = (transposed ? j : i) % M->rows,
        col = (transposed ? i : j) % M->cols;
    return M->transposed ? row * M->cols + col : col * M->rows + row;
}

/* Computes each entry, or takes its gradient back to its operands. */
static void visit_entries(Mat Y, bool back)
{
    int at[3];
    double x[] = { 0, 0, 0 }, slope[3];
    for (int k = 0; k < Y->rows * Y->cols; k++) {
        for (int m = 0; m < Y->n; m++) {
            at[m] = operand_index(Y, k, Y->of[m]);
            x[m] = Y->of[m]->at[at[m]];
        }
        double value = function_value((Function)Y->c, x, slope);
        if (!back)
            Y->at[k] = (real)value;
        for (int m = 0; back && Y->grad[k] != 0 && m < Y->n; m++)
            if (Y->of[m]->grad != NULL && slope[m] != 0)
                Y->of[m]->grad[at[m]] += (real)slope[m] * Y->grad[k];
    }
}

static void each_forward(struct Matrix *Y) { visit_entries(Y, false); }
static void each_backward(Mat Y) { visit_entries(Y, true); }

OPERATION(each, OWN_PLACE);

/* Returns f of n matrices, entry by entry, on the tape. */
static Mat each_entry(Parser *p, Function f, int n, const Mat of[])
{
    int rows = 1, cols = 1;
    for (int k = 0; k < n; k++) {
        int r = of[k]->rows, c = of[k]->cols;
        if ((r != rows && r != 1 && rows != 1)
            || (c != cols && c != 1 && cols != 1))
            lose_value(p);
        rows = rows == 1 ? r : rows;
        cols = cols == 1 ? c : cols;
    }
    bool transposed = f == TRANSPOSE;
    struct Matrix *Y = node_new(HERE("formula"), p->scope->tape,
                               transposed ? cols : rows, transposed ? rows
                               : cols, &each_operation, n, of);
    Y->c = f;
    return node_compute(Y);
}

static Operand of_matrix(Mat M)
{
    return (Operand){ M, NAN, EXACT, NAN };
}

/* Returns a matrix on no tape, all of whose entries are x. */
static Mat filled_matrix(const Parser *p, int rows, int cols, double x)
{
    Mat M = constant(tape_arena(p->scope->tape), rows, cols);
    for (int k = 0; k < rows * cols; k++)
        M->at[k] = (real)x;
    return M;
}

/* Returns a number: a matrix as well if it is in a formula. */
static Operand of_number(const Parser *p, double x, int decimals)
{
    Mat M = p->scope != NULL ? filled_matrix(p, 1, 1, x) : NULL;
    return (Operand){ M, x, decimals, NAN };
}

/* As which an operation of the library takes it. */
static Mat put_on_tape(Parser *p, Mat M)
{
    return M->tape != NULL && !M->transposed ? M : each_entry(p, COPY, 1, &M);
}

static bool is_number(Mat M)
{
    return M->rows * M->cols == 1;
}

/* Returns f of n values: entry by entry, or the product of two matrices. */
static Operand apply(Parser *p, Function f, int n, const Operand a[])
{
    double x[] = { 0, 0, 0 }, slope[3];
    Mat of[3];
    for (int k = 0; k < n; k++) {
        x[k] = a[k].x;
        of[k] = a[k].M;
    }
    if (p->scope == NULL)
        return of_number(p, function_value(f, x, slope), EXACT);
    if (f != BESIDE || is_number(of[0]) || is_number(of[1]))
        return of_matrix(each_entry(p, f, n, of));
    if (of[0]->cols != of[1]->rows)
        lose_value(p);
    return of_matrix(mul(put_on_tape(p, of[0]), put_on_tape(p, of[1])));
}

static Mat column_sums(Parser *p, const Mat a[])
{
    return mul(filled_matrix(p, 1, a[0]->rows, 1), a[0]);
}

static Mat count_rows(Parser *p, const Mat a[])
{
    return filled_matrix(p, 1, 1, a[0]->rows);
}

/* A column of 1, 2, ..., as high as the matrix. */
static Mat row_numbers(Parser *p, const Mat a[])
{
    Mat Y = filled_matrix(p, a[0]->rows, 1, 0);
    for (int i = 1; i <= Y->rows; i++)
        AT(Y, i, 1) = (real)i;
    return Y;
}

/* 1 at the first of the largest entries of each column, 0 elsewhere. */
static Mat mark_largest(Parser *p, const Mat a[])
{
    Mat M = a[0], Y = filled_matrix(p, M->rows, M->cols, 0);
    for (int j = 1; j <= M->cols; j++) {
        int best = 1;
        for (int i = 2; i <= M->rows; i++)
            best = AT(M, i, j) > AT(M, best, j) ? i : best;
        AT(Y, best, j) = 1;
    }
    return Y;
}

/* A column of a[1] entries for each token of a[0]. */
static Mat one_hot_of(Parser *p, const Mat a[])
{
    int n = a[0]->rows * a[0]->cols;
    if (!is_number(a[1]))
        lose_value(p);
    Mat Y = filled_matrix(p, (int)a[1]->at[0], n, 0);
    for (int k = 0; k < n; k++) {
        double id = (double)a[0]->at[k];
        if (id != floor(id) || id < 1 || id > Y->rows)
            lose_value(p);
        AT(Y, (int)id, k + 1) = 1;
    }
    return Y;
}

/* ln of the entry of each column of a[1] that a token of a[0] names. */
static Mat logs_of(Parser *p, const Mat a[])
{
    Mat P = a[1], rows = count_rows(p, &P),
        which = one_hot_of(p, (Mat[]){ a[0], rows });
    int n = P->cols;
    if (which->cols != n)
        lose_value(p);
    Mat chosen = each_entry(p, TIMES, 2, (Mat[]){ which, P }),
        sums = column_sums(p, &chosen);
    int *token = arena_alloc(tape_arena(P->tape), sizeof *token * (size_t)n);
    bool vanishes = false;
    for (int j = 0; j < n; j++) {
        token[j] = (int)a[0]->at[j];
        vanishes |= sums->at[j] == 0;
    }
    return !vanishes || P->logits == NULL ? each_entry(p, LN, 1, &sums)
         : log_prob(P, ((Tokens){ n, token }), span(P->tape, 1, n));
}

/* What top_k and top_p keep of a column of probabilities. They leave nothing
   on the tape; a sum with 0 of the column tells what it is computed from. */
static Mat keep_of(Parser *p, const Mat a[])
{
    if (a[0]->cols != 1)
        lose_value(p);
    Mat kept = restrict_top_p(restrict_top_k(a[0], (int)a[1]->at[0]),
                              (double)a[2]->at[0]);
    return add(kept, scale(a[0], 0));
}

/* A function of numbers, an operation of the library, or one of those above;
   or a constant, x. */
enum { OF_ENTRIES = 12, MOST_ARGUMENTS = 3 };
typedef struct {
    const char *name;
    int arguments;
    Function each;
    Mat (*operation)(Where where, Mat M);
    Mat (*value)(Parser *p, const Mat a[]);
    double x;
} Row;
static const Row functions[] = {
    { "e",           0, .x = 2.71828182845904523536 },
    { "pi",          0, .x = 3.14159265358979323846 },
    { "inf",         0, .x = INFINITY },
    { "true",        0, .x = 1 },         { "false", 0, .x = 0 },
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
    { "sum",         1, .value = column_sums },
    { "largest",     1, .value = mark_largest },
    { "rows",        1, .value = count_rows },
    { "index",       1, .value = row_numbers },
    { "one_hot",     2, .value = one_hot_of },
    { "keep",        3, .value = keep_of },
    { "logs",        2, .value = logs_of },
};

/* The row of the name that the token is; NULL: an entry, or a formula, has no
   such function. */
static const Row *find_function(const Parser *p, const Token *t)
{
    int n = p->scope == NULL ? OF_ENTRIES
          : (int)(sizeof functions / sizeof *functions);
    for (const Row *f = functions; f < functions + n; f++)
        if (strncmp(f->name, t->word, (size_t)t->length) == 0
            && f->name[t->length] == '\0')
            return f;
    return NULL;
}

/* Returns f of as many values as it wants. */
static Operand call_function(Parser *p, const Row *f, const Operand a[])
{
    Mat of[MOST_ARGUMENTS];
    p->infinite |= isinf(f->x) != 0;
    if (f->arguments == 0)
        return of_number(p, f->x, EXACT);
    if (f->each != NO_FUNCTION)
        return apply(p, f->each, f->arguments, a);
    for (int k = 0; k < f->arguments; k++)
        of[k] = put_on_tape(p, a[k].M);
    return of_matrix(f->value != NULL ? f->value(p, of)
                     : f->operation(HERE("formula"), of[0]));
}

static const char no_number[] =
    "expected a number, such as 1, -0.5, 1/2 or sqrt(2)";

/* Parses ( sum, ... ) or { sum, ... } into at most so many values, and
   returns how many. */
static int parse_list(Parser *p, int most, Operand a[])
{
    int n = 0;
    char close = p->token.kind == '(' ? ')' : '}';
    p->parentheses++;
    do {
        advance(p);
        a[n++] = parse_level(p, SUMS);
    } while (p->token.kind == ',' && n < most);
    if (p->token.kind != close)
        stop_at(p, p->token.start, close == ')' ? "expected a )"
                                                : "expected a }");
    p->parentheses--;
    advance(p);
    return n;
}

/* What a command such as \sqrt takes, which needs no parentheses; \frac12
   takes one digit for each. */
static Operand parse_braced(Parser *p, const Row *command)
{
    Token *t = &p->token;
    t->blank = false;
    if (t->kind == TOKEN_NUMBER && command->arguments == 2) {
        t->value = *t->start - '0';
        t->end = t->start + 1;
    } else if (t->kind != '(' && t->kind != '{')
        return parse_level(p, POWERS);
    return parse_factor(p);
}

/* Parses what a name stands for, or a function and what it is called with. */
static Operand parse_name(Parser *p)
{
    const Token t = p->token;
    const Row *f = find_function(p, &t);
    Operand a[MOST_ARGUMENTS];
    int n = 0;
    advance(p);
    bool command = f != NULL && f->arguments > 0
                && !isalpha((unsigned char)*t.start),
         called = command || (p->token.kind == '(' && !p->token.blank);
    Mat M = called || p->scope == NULL ? NULL
          : p->scope->find_value(p->scope->data, t.word, t.length);
    if (M != NULL)
        return of_matrix(M);
    if (called && !command)
        n = parse_list(p, MOST_ARGUMENTS, a);
    while (command && n < f->arguments)
        a[n++] = parse_braced(p, f);
    if (f != NULL && f->arguments == n)
        return call_function(p, f, a);
    if (!called && p->scope != NULL)
        lose_value(p);
    stop_at(p, t.start, called ? "there is no such function; type its value"
                               : no_number);
}

/* Parses what an operator can stand beside; - 1 may be a bullet, --1 a dash,
   and +-1 an error. */
static Operand parse_factor(Parser *p)
{
    const Token t = p->token;
    Operand value;
    bool ended = t.blank && p->parentheses == 0, loose = is_sign(p->last);
    if (is_sign(t.kind) && !loose) {
        advance(p);
        value = parse_level(p, POWERS);
        value.x = t.kind == '-' ? -value.x : value.x;
        if (t.kind == '-' && value.M != NULL)
            value.M = scale(put_on_tape(p, value.M), -1);
    } else if (!ended && (t.kind == '(' || t.kind == '{'))
        parse_list(p, 1, &value);
    else if (!ended && t.kind == TOKEN_NAME)
        value = parse_name(p);
    else if (!ended && t.kind == TOKEN_NUMBER) {
        advance(p);
        value = of_number(p, t.value, t.decimals);
    } else
        stop_at(p, loose ? p->end - 1 : t.start,
                loose ? "a sign stands directly before its number"
                : t.kind == TOKEN_ERROR ? t.word : no_number);
    for (; p->scope != NULL && p->token.kind == '\''; advance(p))
        value = apply(p, TRANSPOSE, 1, &value);
    return value;
}

/* How closely the operator binds that comes next; 0: there is none. */
static int find_level(const Parser *p)
{
    bool formula = p->scope != NULL;
    switch (formula || !p->token.blank ? p->token.kind : '\0') {
    case '+': case '-': return SUMS;
    case '*': case '/': return PRODUCTS;
    case '^':           return POWERS;
    case TOKEN_NAME: case TOKEN_NUMBER: case '(':
        return formula ? PRODUCTS : 0;
    default:            return 0;
    }
}

/* Parses factors, and the operators between them that bind so closely. */
static Operand parse_level(Parser *p, int level)
{
    enum { DEEPEST = 100 };
    const char *start = p->token.start;
    if (++p->depth > DEEPEST)
        stop_at(p, start, "parentheses and signs are nested more than 100 "
                "deep");
    Operand two[2];
    two[0] = parse_factor(p);
    for (int binds; (binds = find_level(p)) >= level; ) {
        bool has_sign = strchr("+-*/^", p->token.kind) != NULL;
        Function f = has_sign ? (Function)p->token.kind : BESIDE;
        if (has_sign)
            advance(p);
        const char *right = p->token.start;
        if (f == TIMES && p->scope == NULL && begins(right, "10")
            && strchr("+-123456789", right[2]) != NULL && right[2] != '\0')
            stop_at(p, start, "a power of ten may have lost its ^ here; type "
                    "2.5e-1 or 2.5*10^-1");
        two[1] = parse_level(p, binds + (f != POWER));
        Operand value = apply(p, f, 2, two);
        if (f == POWER && two[0].x == 10 && two[0].decimals == 0)
            value.ten = two[1].x;
        if (f == TIMES)
            value.decimals = shift_decimals(two[0].decimals, two[1].ten);
        two[0] = value;
    }
    p->depth--;
    return two[0];
}

/* Returns whether there is a value. */
static bool parse(Parser *p, Operand *value)
{
    if (setjmp(p->stopped) != 0)
        return false;
    *value = parse_level(p, SUMS);
    if (p->scope != NULL && p->token.kind != '\0')
        stop_at(p, p->token.start, "expected the end");
    if (p->scope == NULL && (isnan(value->x)
                             || (isinf(value->x) && !p->infinite)))
        stop_at(p, p->formula, "this has no finite value");
    return true;
}

const char *parse_entry(const char **text, Entry *entry)
{
    Parser p = { .formula = *text, .token = read_token(*text) };
    Operand v = { .x = NAN, .decimals = EXACT };
    p.token.blank = false;      /* it may stand before an entry */
    if (p.token.kind == '?')
        advance(&p);
    else if (!parse(&p, &v)) {
        *text = p.place;
        return p.error;
    }
    if (p.token.kind == '%') {
        v.x *= 0.01;
        v.decimals = shift_decimals(v.decimals, -2);
        advance(&p);
    }
    *entry = (Entry){ .value = v.x, .decimals = v.decimals };
    *text = p.end;
    return NULL;
}

Mat formula_evaluate(const Scope *scope, const char *formula)
{
    Parser p = { .token = read_plain_token(formula), .formula = formula,
                 .scope = scope, .parentheses = 1 };
    Operand v;
    if (!parse(&p, &v))
        return NULL;
    Mat M = put_on_tape(&p, v.M);
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!(M->at[k] < INFINITY))
            return NULL;
    return M;
}
