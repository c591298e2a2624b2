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
    bool comma;                 /* it may stand for a decimal point    */
    int decimals;               /* of what was read last, or EXACT     */
    double ten;                 /* its exponent, if a power of ten     */
    int depth, parentheses;     /* of the recursion; open at the time  */
    bool infinite;              /* infinity was asked for by name      */
} Reading;

static double wrong(Reading *r, const char *place, const char *fault)
{
    if (r->fault == NULL) {
        r->fault = fault;
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
    for (size_t n; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (strncmp(p, words, n) == 0)
            return n;
    }
    return 0;
}

static bool took(Reading *r, const char *token)
{
    const char *p = r->p + (r->parentheses > 0 ? strspn(r->p, " ") : 0);
    if (r->fault != NULL || !begins(p, token))
        return false;
    r->p = p + strlen(token);
    return true;
}

static double sum_of_terms(Reading *r);
static double factor(Reading *r);


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
    enum { MOST = 400 };
    double places = decimals - exponent;
    return decimals == EXACT || places != round(places) ? EXACT
         : places < 0 ? 0 : places > MOST ? MOST : (int)places;
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


static double in_parentheses(Reading *r, const char *close)
{
    r->parentheses++;
    bool quoted = took(r, "'") || took(r, "\"");
    double value = sum_of_terms(r);
    if (quoted && !took(r, "'"))
        took(r, "\"");
    if (!took(r, close))
        wrong(r, r->p + strspn(r->p, " "),
              close[0] == ')' ? "expected a )" : "expected a }");
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
        return wrong(r, r->p, "expected a ( after the function's name");
    if (one_digit && isdigit((unsigned char)*r->p))
        return *r->p++ - '0';
    return factor(r);
}

static double square_root(double x) { return sqrt(x); }
static double as_typed(double x) { return x; }

static const struct {
    const char *names;          /* where one begins another, it is behind */
    double value;
    double (*function)(double x);
} words[] = {
    { "e", 2.71828182845904523536, NULL },  { "pi", PI, NULL },
    { "infinity infty inf Infinity Inf oo", INFINITY, NULL },
    { "True true TRUE", 1, NULL },
    { "False false FALSE", 0, NULL },
    { "sqrt", NAN, square_root },           { "ln", NAN, log },
    { "exp",  NAN, exp },                   { "sin", NAN, sin },
    { "cos",  NAN, cos },                   { "tanh", NAN, tanh },
    { "float int mathbf mathrm textbf text boxed num", NAN, as_typed },
};

static double value_of_word(Reading *r, size_t k, bool latex)
{
    double (*function)(double x) = words[k].function;
    if (function == NULL) {
        r->decimals = EXACT;
        r->infinite |= isinf(words[k].value) != 0;
        return words[k].value;
    }
    if (function == as_typed && !latex)
        r->p += strspn(r->p, DIGITS);           /* float64 */
    double value = function(argument(r, latex, function == square_root));
    if (function != as_typed)
        r->decimals = EXACT;
    return value;
}

static double word(Reading *r, bool latex)
{
    const char *start = r->p;
    size_t n = 0;
    if (!latex)
        r->p += begin_of(start, "np. numpy. math. torch. jnp.");
    while (isalpha((unsigned char)r->p[n]))
        n++;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (n > 0 && begin_of(r->p, words[k].names) == n) {
            r->p += n;
            return value_of_word(r, k, latex);
        }
    if (n == 3 && begins(r->p, "log"))
        return wrong(r, start, "log has several meanings; write ln(...)");
    n += strspn(r->p + n, DIGITS);
    if (n > 0 && r->p[n] != '\0' && strchr("([", r->p[n]) != NULL)
        return wrong(r, start, "a sheet does not know this function; type "
                               "its value");
    return wrong(r, start, no_number);
}

static double latex_command(Reading *r)
{
    if (took(r, "\\frac") || took(r, "\\dfrac")
        || took(r, "\\tfrac")) {
        double above = argument(r, true, true);
        double value = above / argument(r, true, true);
        r->decimals = EXACT;
        return value;
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
    if (r->parentheses > 0)
        r->p += strspn(r->p, " ");
    if (*r->p == '\\')
        return latex_command(r);
    if (isalpha((unsigned char)*r->p))
        return word(r, false);
    bool root = took(r, "√"), infinite = took(r, "∞");
    if (!root && !infinite && !took(r, "π"))
        return read_number(r);
    double value = root ? sqrt(argument(r, true, false)) : PI;
    r->decimals = EXACT;
    r->infinite |= infinite;
    return infinite ? INFINITY : value;
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

static double power(Reading *r)
{
    double base = primary(r), exponent = 1;
    bool ten = base == 10 && r->decimals == 0;
    if (took(r, "^") || took(r, "**"))
        exponent = factor(r);
    else if (!took_raised(r, &exponent)) {
        r->ten = NAN;
        return base;
    }
    r->decimals = EXACT;
    r->ten = ten ? exponent : NAN;
    return pow(base, exponent);
}

/* --1 may be a dash, and +-1 an error. */
static void refuse_second_sign(Reading *r)
{
    if ((*r->p == '-' || *r->p == '+') && !strchr(" ];,\n", r->p[1]))
        wrong(r, r->p, "two signs stand before this number; type one, or "
                       "parentheses");
}

static double factor(Reading *r)
{
    double value;
    if (++r->depth > DEEPEST)
        return wrong(r, r->p, "parentheses and signs are nested more than "
                              "100 deep");
    bool minus = took(r, "-"), sign = minus || took(r, "+");
    if (sign && *r->p == ' ' && r->parentheses == 0)
        return wrong(r, r->p - 1, "a sign stands directly before its "
                                  "number");
    if (sign)
        refuse_second_sign(r);
    value = sign ? factor(r) : power(r);
    r->depth--;
    return minus ? -value : value;
}

const char *after_times(const char *p)
{
    return p + begin_of(p, "* · × \\cdot \\times");
}

static bool took_times(Reading *r)
{
    const char *sign = r->p + strspn(r->p, " "), *end = after_times(sign);
    const char *next = end + strspn(end, " ");
    bool even = (sign > r->p) == (next > end) || *sign == '\\'
             || r->parentheses > 0;
    if (r->fault != NULL || end == sign || !even || *next == '\0'
        || begin_of(next, "[ # \n \\begin \\left \\big \\pmatrix") > 0)
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

static double term(Reading *r)
{
    const char *start = r->p;
    double value = factor(r);
    for (;;) {
        const char *sign = r->p + strspn(r->p, " ");
        int decimals = r->decimals;
        if (took_times(r)) {
            const char *right = r->p;
            value *= factor(r);
            refuse_product(r, start, decimals == 0 && begins(sign, "·"),
                           right);
            r->decimals = times_ten(decimals, r->ten);
        } else if (took(r, "/")) {
            value /= factor(r);
            r->decimals = EXACT;
        } else
            return value;
    }
}

static bool took_sign(Reading *r, const char *sign)
{
    const char *start = r->p;
    if (!took(r, sign))
        return false;
    bool entry = *start == ' ' && *r->p != ' ';
    if (entry)
        r->p = start;
    else
        refuse_second_sign(r);
    return !entry;
}

static double sum_of_terms(Reading *r)
{
    double value = term(r);
    for (;; r->decimals = EXACT)
        if (took_sign(r, "+"))
            value += term(r);
        else if (took_sign(r, "-"))
            value -= term(r);
        else
            return value;
}


static bool took_percent(Reading *r)
{
    const char *start = r->p;
    if (r->fault == NULL)
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
        entry->value = sum_of_terms(&r);
        if (isnan(entry->value)
            || (isinf(entry->value) && !r.infinite))
            wrong(&r, *text, "this has no finite value");
    }
    entry->decimals = r.decimals;
    if (r.fault == NULL && took_percent(&r))
        scale_entry(entry, 0.01);
    *text = r.p;
    return r.fault;
}

