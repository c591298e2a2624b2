/* Exact entries: arithmetic such as e^(2*sqrt(2))/(1+e^2). */
#include "sheet/sheet.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };         /* parentheses and signs, nested */
#define DIGITS "0123456789"
#define PI 3.14159265358979323846

static const char no_number[] =
    "expected a number, such as 1, -0.5, 1/2 or sqrt(2)";

typedef struct {
    const char *p;              /* what comes next                     */
    const char *fault;          /* the first fault, or NULL            */
    int depth, parentheses;     /* of the recursion; open at the time  */
    bool infinite;              /* infinity was asked for by name      */
} Reading;

static double wrong(Reading *r, const char *fault)
{
    if (r->fault == NULL)
        r->fault = fault;
    return NAN;
}

static bool took(Reading *r, const char *token)
{
    if (r->fault != NULL)
        return false;
    if (r->parentheses > 0)
        r->p += strspn(r->p, " ");
    if (strncmp(r->p, token, strlen(token)) != 0)
        return false;
    r->p += strlen(token);
    return true;
}

static bool accept_minus(Reading *r)
{
    return took(r, "-") || took(r, "−") || took(r, "–");
}

static bool accept_times(Reading *r)
{
    return took(r, "*") || took(r, "\\cdot") || took(r, "\\times")
        || took(r, "·") || took(r, "×");
}

static double sum_of_terms(Reading *r);
static double factor(Reading *r);

static const char *after_number(const char *p, int *decimals)
{
    size_t whole = strspn(p, DIGITS), fraction = 0;
    long exponent = 0;
    p += whole;
    if (*p == '.') {
        fraction = strspn(p + 1, DIGITS);
        p += 1 + fraction;
    }
    if ((*p == 'e' || *p == 'E') && whole + fraction > 0) {
        const char *q = p + 1 + (p[1] == '+' || p[1] == '-');
        if (isdigit((unsigned char)*q)) {
            exponent = strtol(p + 1, NULL, 10);
            p = q + strspn(q, DIGITS);
        }
    }
    if (exponent > 400 || exponent < -400)
        exponent = exponent > 0 ? 400 : -400;
    long places = (long)(fraction < 400 ? fraction : 400) - exponent;
    *decimals = places > 0 ? (int)places : 0;
    return p;
}

static double read_number(Reading *r)
{
    enum { LONGEST = 400 };
    int decimals;
    const char *end = after_number(r->p, &decimals);
    if (end == r->p + (*r->p == '.'))
        return wrong(r, no_number);
    if (end - r->p > LONGEST)
        return wrong(r, "a number of more than 400 characters");
    double value = strtod(r->p, NULL);
    r->p = end;
    return value;
}

static double in_parentheses(Reading *r, const char *close)
{
    r->parentheses++;
    double value = sum_of_terms(r);
    if (!took(r, close))
        wrong(r, close[0] == ')' ? "expected a )" : "expected a }");
    r->parentheses--;
    return value;
}

static double argument(Reading *r, bool latex, bool one_digit)
{
    if (r->fault != NULL)
        return NAN;
    if (latex)
        r->p += strspn(r->p, " ");
    if (took(r, "("))
        return in_parentheses(r, ")");
    if (latex && took(r, "{"))
        return in_parentheses(r, "}");
    if (!latex)
        return wrong(r, "expected a ( after the function's name");
    if (one_digit && isdigit((unsigned char)*r->p))
        return *r->p++ - '0';
    return factor(r);
}

static double square_root(double x) { return sqrt(x); }

static const struct {
    const char *name;
    double value;
    double (*function)(double x);
} words[] = {
    { "e",    2.71828182845904523536, NULL },
    { "pi",   PI, NULL },
    { "inf",      INFINITY, NULL },    { "Inf",   INFINITY, NULL },
    { "infinity", INFINITY, NULL },    { "infty", INFINITY, NULL },
    { "sqrt", 0, square_root },        { "ln",    0, log },
    { "exp",  0, exp },                { "sin",   0, sin },
    { "cos",  0, cos },                { "tanh",  0, tanh },
};
static double word(Reading *r, bool latex)
{
    size_t n = 0;
    while (isalpha((unsigned char)r->p[n]))
        n++;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strlen(words[k].name) != n
            || strncmp(r->p, words[k].name, n) != 0)
            continue;
        r->p += n;
        if (words[k].function == NULL) {
            r->infinite |= isinf(words[k].value) != 0;
            return words[k].value;
        }
        bool root = words[k].function == square_root;
        return words[k].function(argument(r, latex, root));
    }
    if (n == 3 && strncmp(r->p, "log", n) == 0)
        return wrong(r, "log has several meanings; write ln(...)");
    return wrong(r, no_number);
}

static double latex_command(Reading *r)
{
    if (took(r, "\\frac") || took(r, "\\dfrac")
        || took(r, "\\tfrac")) {
        double above = argument(r, true, true);
        return above / argument(r, true, true);
    }
    const char *start = r->p++;
    double value = word(r, true);
    if (r->fault != NULL && r->p == start + 1)
        r->p = start;
    return value;
}

static double primary(Reading *r)
{
    if (took(r, "("))
        return in_parentheses(r, ")");
    if (took(r, "{"))
        return in_parentheses(r, "}");
    if (took(r, "√"))
        return sqrt(argument(r, true, false));
    if (took(r, "π"))
        return PI;
    if (took(r, "∞"))
        return r->infinite = true, INFINITY;
    if (*r->p == '\\')
        return latex_command(r);
    return isalpha((unsigned char)*r->p) ? word(r, false) : read_number(r);
}

static double power(Reading *r)
{
    double base = primary(r);
    if (took(r, "^") || took(r, "**"))
        return pow(base, factor(r));
    return base;
}

static double factor(Reading *r)
{
    double value;
    if (r->fault != NULL)
        return NAN;
    if (++r->depth > DEEPEST)
        return wrong(r, "parentheses and signs are nested more than 100 "
                        "deep");
    if (accept_minus(r))
        value = -factor(r);
    else if (took(r, "+"))
        value = factor(r);
    else
        value = power(r);
    r->depth--;
    return value;
}

static double term(Reading *r)
{
    double value = factor(r);
    for (;;)
        if (accept_times(r))
            value *= factor(r);
        else if (took(r, "/"))
            value /= factor(r);
        else
            return value;
}

static double sum_of_terms(Reading *r)
{
    double value = term(r);
    for (;;)
        if (took(r, "+"))
            value += term(r);
        else if (accept_minus(r))
            value -= term(r);
        else
            return value;
}

static int decimals_of(const char *text, const char *end)
{
    Reading r = { .p = text };
    int decimals;
    if (!accept_minus(&r))
        took(&r, "+");
    return after_number(r.p, &decimals) == end ? decimals : EXACT;
}

const char *read_entry(const char **text, Entry *entry)
{
    const char *start = *text;
    Reading r = { .p = start };
    entry->value = NAN;
    if (!took(&r, "?")) {
        entry->value = sum_of_terms(&r);
        if (r.fault == NULL && (isnan(entry->value)
                                || (isinf(entry->value) && !r.infinite))) {
            wrong(&r, "this has no finite value");
            r.p = start;
        }
    }
    entry->decimals = decimals_of(start, r.p);
    *text = r.p;
    return r.fault;
}

