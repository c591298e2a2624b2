/* Arithmetic: entries have their value and decimals; formulas over matrices
   have theirs, and a way back. */
#include "derivatives.h"
#include "sheet/formula.h"
#include "law.h"

/* ---------------------------------------------------------------- entries */

static Entry entry_in(const char *text)
{
    const char *rest = text, *wrong;
    Entry entry;
    if ((wrong = parse_entry(&rest, &entry)) != NULL || *rest != '\0')
        fail_at(HERE("entry"), "%s is not read: %s", text,
                wrong != NULL ? wrong : rest);
    return entry;
}

static void entry_at(const char *text, double value, int decimals)
{
    const Entry entry = entry_in(text);
    if (!is_near(entry.value, value, 1e-15) || entry.decimals != decimals)
        fail_at(HERE("entry"), "%s is %.17g with %d decimals, but expected "
                "%.17g with %d", text, entry.value, entry.decimals, value,
                decimals);
}

static const struct { const char *text; double value; int decimals; } exact[] = {
    { "0", 0, 0 },              { "1.50", 1.5, 2 },
    { "-0.25", -0.25, 2 },      { "+3", 3, 0 },
    { "1.", 1, 0 },             { ".5", 0.5, 1 },
    { "9.0e-04", 9e-4, 5 },     { "12e3", 12000, 0 },
    { "1.25E+1", 12.5, 1 },
    { "1/2", 0.5, EXACT },      { "-1/2", -0.5, EXACT },
    { "2*3-4/8", 5.5, EXACT },  { "8/2/2", 2, EXACT },
    { "1-2-3", -4, EXACT },     { "-2^2", -4, EXACT },
    { "2^3^2", 512, EXACT },    { "2^-1", 0.5, EXACT },
    { "2**3", 8, EXACT },       { "-(-1)", 1, 0 },
    { "(1+2)*3", 9, EXACT },    { "( 1 + 2 )/3", 1, EXACT },
    { "sqrt(2)", 1.4142135623730951, EXACT },
    { "ln(3)", 1.0986122886681098, EXACT },
    { "exp(1)", 2.718281828459045, EXACT },
    { "e^2", 7.38905609893065, EXACT },
    { "sin(pi/6)", 0.5, EXACT }, { "cos(0)", 1, EXACT },
    { "tanh(0)", 0, EXACT },
    { "e^(2*sqrt(2))/(1+e^2)", 2.0167738156757036, EXACT },
    { "-inf", -INFINITY, EXACT }, { "infinity", INFINITY, EXACT },
    { "Inf", INFINITY, EXACT },
    { "+(-3)", -3, 0 },     { "-(+3)", -3, 0 },
    { "(0.25)", 0.25, 2 }, { "-(0.25)", -0.25, 2 }, { "{1.5}", 1.5, 1 },
    { "2\xC3\x97" "3", 6, EXACT }, { "2.0\xC2\xB7" "3", 6, EXACT },
    { "2.50*10^-1", 0.25, 3 }, { "2.5·10^1", 25, 0 },
    { "2.5×10^(2-3)", 0.25, 2 },
    { "2.5*10^0.5", 7.905694150420949, EXACT }, { "10^-3", 1e-3, EXACT },
    { "2.5*100", 250, EXACT }, { "2.5*1e2", 250, EXACT },
    { "10^2*2.5", 250, EXACT },
    { "2.5*10**-3", 2.5e-3, 4 }, { "2.5*9^2", 202.5, EXACT },
    { "2.5*10.0^2", 250, EXACT },
    { "8.4%", 0.084, 3 }, { "8.4 %", 0.084, 3 }, { "8.4\\%", 0.084, 3 },
    { "8 \\,\\%", 0.08, 2 }, { "1/2%", 0.005, EXACT }, { "50%", 0.5, 2 },
    { "np.float64(1.50)", 1.5, 2 }, { "float('-inf')", -INFINITY, EXACT },
    { "float(\"1.5\")", 1.5, 1 }, { "np.pi", 3.141592653589793, EXACT },
    { "numpy.sqrt(4)", 2, EXACT }, { "math.e", 2.718281828459045, EXACT },
    { "torch.inf", INFINITY, EXACT }, { "jnp.exp(0)", 1, EXACT },
    { "\\mathbf{1.50}", 1.5, 2 },
    { "2·pi", 6.283185307179586, EXACT }, { "2·sqrt(4)", 4, EXACT },
    { "2·√4", 4, EXACT }, { "2·\\frac12", 1, EXACT },
    { "1e-400", 0, 400 }, { "1e-399", 0, 399 },
    { "1.5e-399", 0, 400 }, { "0.0e400", 0, 0 }, { "1.25e1", 12.5, 1 },
    { "1.5*10^-400", 0, 400 }, { "1.5*10^-398", 0, 399 },
    { "1.5*10^-1e9", 0, 400 }, { "0*10^300", 0, 0 },
    { "True", 1, EXACT }, { "FALSE", 0, EXACT },
    { "\xE2\x88\x9A" "4", 2, EXACT },           /* a root sign */
    { "\xCF\x80", 3.141592653589793, EXACT },
    { "-\xE2\x88\x9E", -INFINITY, EXACT },
    { "\\frac{1}{2}", 0.5, EXACT }, { "\\dfrac{1}{4}", 0.25, EXACT },
    { "\\tfrac12", 0.5, EXACT },  { "-\\frac 3 4", -0.75, EXACT },
    { "\\sqrt{9}", 3, EXACT },    { "\\sqrt 9", 3, EXACT },
    { "\\sqrt9", 3, EXACT },      { "\\ln 2", 0.6931471805599453, EXACT },
    { "\\ln(2)", 0.6931471805599453, EXACT },
    { "\\exp{0}", 1, EXACT },     { "2\\cdot3", 6, EXACT },
    { "2\\times3", 6, EXACT },    { "\\pi", 3.141592653589793, EXACT },
    { "-\\infty", -INFINITY, EXACT }, { "e^{2}", 7.38905609893065, EXACT },
};

static const struct { const char *text; double value; } worth[] = {
    { "sqrt(3)", 1.7320508075688772 }, { "ln(2)", 0.6931471805599453 },
    { "exp(2)", 7.38905609893065 }, { "exp(-1/2)", 0.6065306597126334 },
    { "sin(1)", 0.8414709848078965 }, { "sin(-2)", -0.9092974268256817 },
    { "cos(1)", 0.5403023058681398 }, { "cos(2)", -0.4161468365471424 },
    { "tanh(1)", 0.7615941559557649 }, { "tanh(-2)", -0.9640275800758169 },
    { "tanh(ln(2))", 0.6 }, { "ln(exp(2))", 2 }, { "exp(ln(3))", 3 },
    { "cos(sin(0))", 1 }, { "sqrt(sqrt(16))", 2 },
    { "sqrt(sqrt(sqrt(256)))", 2 }, { "√16", 4 }, { "√√16", 2 },
    { "√(√16)", 2 }, { "√sqrt(16)", 2 }, { "sqrt(√16)", 2 },
    { "√\\sqrt{16}", 2 }, { "\\sqrt{\\sqrt{16}}", 2 },
    { "\\sqrt\\sqrt{16}", 2 }, { "\\sqrt{2+7}", 3 }, { "√{2+7}", 3 },
    { "√4+5", 7 }, { "√4*5", 10 }, { "√4^3", 8 }, { "sqrt(4)^3", 8 },
    { "2*√9", 6 }, { "√+9", 3 }, { "\\ln 10", 2.302585092994046 },
    { "\\exp 10", 22026.465794806718 }, { "\\tanh{1}", 0.7615941559557649 },
    { "\\sin 1", 0.8414709848078965 }, { "\\cos(1)", 0.5403023058681398 },
    { "\\ln 2*3", 2.0794415416798357 }, { "\\ln 2^2", 1.3862943611198906 },
    { "\\frac{2}{3}^2", 0.4444444444444444 },
    { "\\ln{2}^2", 0.4804530139182014 }, { "\\ln(2)^2", 0.4804530139182014 },
    { "\\frac{1+1}{2+2}", 0.5 }, { "\\frac{1}{-2}", -0.5 },
    { "\\frac{-1}{2}", -0.5 }, { "\\frac{1}{2}^2", 0.25 },
    { "\\frac{\\sqrt2}{\\sqrt8}", 0.5 }, { "\\frac{1}{\\frac{1}{4}}", 4 },
    { "\\frac{1}{2}*\\frac{1}{2}", 0.25 }, { "1+2*3", 7 }, { "2*3+1", 7 },
    { "1-2*3", -5 }, { "1-2+3", 2 }, { "1-(2+3)", -4 }, { "6/2*3", 9 },
    { "6/(2*3)", 1 }, { "1/2/4*8", 1 }, { "8/2-1", 3 }, { "2*3^2", 18 },
    { "2^2*3", 12 }, { "4/2^2", 1 }, { "2^(1+1)", 4 }, { "2^1+1", 3 },
    { "(-2)^2", 4 }, { "-1/2^2", -0.25 }, { "2*-3", -6 }, { "2/-4", -0.5 },
    { "2^-2", 0.25 }, { "-2^-2", -0.25 }, { "3-(-2)", 5 }, { "3+(-2)", 1 },
    { "3-(+2)", 1 }, { "{1+2}*3", 9 }, { "2*{3-1}", 4 }, { "e^{1-1}", 1 },
    { "4**(1/2)", 2 }, { "2**3**0", 2 }, { "(2 ** 3)", 8 }, { "2e1+1", 21 },
    { "1e-1*10", 1 }, { "e*pi", 8.539734222673566 },
    { "e^-1", 0.36787944117144233 }, { "π/2", 1.5707963267948966 },
    { "\\pi^2", 9.869604401089358 }, { "(1 - 2)", -1 },
    { "2×3.0·4\\cdot5\\times6*7", 5040 }, { "2 * 3", 6 },
    { "2 × 3 \\cdot 4", 24 }, { "2\\cdot 3", 6 }, { "2 \\times3", 6 },
    { "(1 + 2 - 4)", -1 },
};

LAW(entries_have_their_value_and_decimals)
{
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
        entry_at(exact[k].text, exact[k].value, exact[k].decimals);
    for (size_t k = 0; k < sizeof worth / sizeof *worth; k++)
        entry_at(worth[k].text, worth[k].value, EXACT);
}

/* n parentheses around a 1; then a sum of n terms, which is not nested. */
LAW(only_what_is_nested_is_deep)
{
    for (int n = 1; n <= 300; n++) {
        size_t deep = (size_t)n;
        char nested[602], sum[601];
        const char *text = nested;
        Entry entry;
        memset(nested, '(', deep);
        nested[n] = '1';
        memset(nested + n + 1, ')', deep);
        nested[2 * n + 1] = '\0';
        assert_that((parse_entry(&text, &entry) == NULL) == (n < 100));
        for (int k = 0; k < n; k++)
            memcpy(sum + 2 * k, "+1", 3);
        text = sum;
        assert_that(parse_entry(&text, &entry) == NULL && *text == '\0');
        assert_near(entry.value, n, 0);
    }
}

LAW(an_entry_ends_where_arithmetic_ends)
{
    static const char *const texts[] = { "1 -2", "1 - 2", "2e", "2pi",
        "(1+2) -3", "\\frac123", "sqrt(4)5", "{1} +2",
        "(1) - 2", "2*3 *4", "2 *3", "2* 3", "2 * 3 4", "(1) * 2 -1",
        "2√9" };
    static const int ends[] = { 1, 1, 1, 1, 5, 7, 7, 3,
                                3, 3, 1, 1, 5, 7, 1 };
    for (int k = 0; k < 15; k++) {
        const char *p = texts[k];
        Entry entry;
        assert_that(parse_entry(&p, &entry) == NULL);
        assert_that(p - texts[k] == ends[k]);
    }
}

LAW(an_open_entry_has_no_value)
{
    const Entry entry = entry_in("?");
    assert_that(isnan(entry.value) && entry.decimals == EXACT);
}

LAW(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "", "x", ".", "-", "1+", "2*x", "sqrt (4)", "1+ 2", "2^ 3", "2/ 3", "(1", "1- 2", "−1", "2.5*10-3", "007", "00",
        "- 1", "+ 1", "1*- 2", "foo(1)", "Sqrt[2]", "np.foo", "np.",
        "float(1", "float('1'", "sqrt(3 -2)", "(1", "()", "sqrt", "sqrt(",
        "sqrt2", "log(2)", "nan", "0/0", "1/0", "ln(0)", "ln(-1)", "inf-inf",
        "1e999", "\\foo", "\\frac{1}", "\\frac{1}{", "\\sqrt{", "1^", "e^",
        "{1", "infinite", "9^9^9^9", "\\frac x2", "sqrt(x", "e^x", "sqrt(-1)",
        "\\sqrt{-4}", "√-1", "(-8)^(1/3)", "ln(-2)", "sqrt{4}", "exp 1",
        "tanh1", "0^-1", "\\frac{1}{0}", "tan(1)", "sin", "PI", "E" };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *p = texts[k];
        Entry entry;
        if (parse_entry(&p, &entry) == NULL)
            fail_at(HERE(texts[k]), "%s is read as %g", texts[k], entry.value);
        assert_that(texts[k] <= p && p <= texts[k] + strlen(texts[k]));
    }
}

/* --------------------------------------------------------------- formulas */

/* A and B are 2 x 2, c is a column, r a row, s has one entry, k is a number
   and D has a masked score. */
enum { OPERANDS = 6 };
static const char letters[] = "ABcrsD";

static Mat of_a_letter(void *to, const char *name, int length)
{
    const Mat *of = to;
    const char *at = strchr(letters, *name);
    Mat k = constant(arena, 1, 1);
    AT(k, 1, 1) = 2;
    return length != 1 ? NULL : *name == 'k' ? k
         : at == NULL ? NULL : of[at - letters];
}

static const char *formula;     /* the one that is tried */

static Mat tried(const Mat of[])
{
    Scope scope = { (void *)of, of_a_letter, tape };
    return formula_evaluate(&scope, formula);
}

static void make_operands(Mat of[])
{
    tape_allow_nonfinite(tape, NULL, NULL);
    of[0] = given(2, 2, ROWS(1, 2, 3, 4));
    of[1] = given(2, 2, ROWS(0.5, -1, 2, 0.25));
    of[2] = given(2, 1, ROWS(10, 20));
    of[3] = given(1, 2, ROWS(3, 5));
    of[4] = given(1, 1, ROWS(7));
    of[5] = given(2, 2, ROWS(0.5, 1, -INFINITY, 2));
}

/* ----------------------------------------------------------------- values */

#define e_ 2.718281828459045
static const struct {
    const char *formula;
    int rows, cols;
    double entry[6];            /* row after row */
} formulas[] = {
    { "A", 2, 2, { 1, 2, 3, 4 } },
    { "A + B", 2, 2, { 1.5, 1, 5, 4.25 } },
    { "A - B", 2, 2, { 0.5, 3, 1, 3.75 } },
    { "A * B", 2, 2, { 0.5, -2, 6, 1 } },
    { "A / B", 2, 2, { 2, -2, 1.5, 16 } },
    { "A B", 2, 2, { 4.5, -0.5, 9.5, -2 } },
    { "A'", 2, 2, { 1, 3, 2, 4 } },
    { "A''", 2, 2, { 1, 2, 3, 4 } },
    { "c'", 1, 2, { 10, 20 } },
    { "A' B", 2, 2, { 6.5, -0.25, 9, -1 } },
    { "A B'", 2, 2, { -1.5, 2.5, -2.5, 7 } },
    { "(A B)'", 2, 2, { 4.5, 9.5, -0.5, -2 } },
    { "A^2", 2, 2, { 1, 4, 9, 16 } },
    { "A^-1", 2, 2, { 1, 0.5, 1 / 3.0, 0.25 } },
    { "2^A", 2, 2, { 2, 4, 8, 16 } },
    { "A^B", 2, 2, { 1, 0.5, 9, 1.4142135623730951 } },
    { "-A^2", 2, 2, { -1, -4, -9, -16 } },
    { "+A - (-A)", 2, 2, { 2, 4, 6, 8 } },
    { "1 - A - 1", 2, 2, { -1, -2, -3, -4 } },
    { "8 / A / 2", 2, 2, { 4, 2, 4 / 3.0, 1 } },
    { "A / 2 B", 2, 2, { 2.25, -0.25, 4.75, -1 } },
    { "A + c", 2, 2, { 11, 12, 23, 24 } },
    { "r + A", 2, 2, { 4, 7, 6, 9 } },
    { "c + r", 2, 2, { 13, 15, 23, 25 } },
    { "A * s", 2, 2, { 7, 14, 21, 28 } },
    { "c * A", 2, 2, { 10, 20, 60, 80 } },
    { "A / r", 2, 2, { 1 / 3.0, 0.4, 1, 0.8 } },
    { "r c", 1, 1, { 130 } },
    { "c r", 2, 2, { 30, 50, 60, 100 } },
    { "2 A", 2, 2, { 2, 4, 6, 8 } },
    { "k A", 2, 2, { 2, 4, 6, 8 } },
    { "A k + k", 2, 2, { 4, 6, 8, 10 } },
    { "A (B + 1)", 2, 2, { 7.5, 2.5, 16.5, 5 } },
    { "2 * 3 - 4 / 8", 1, 1, { 5.5 } },
    { "2^3^2", 1, 1, { 512 } },
    { "exp(A)", 2, 2, { e_, e_ * e_, e_ * e_ * e_, e_ * e_ * e_ * e_ } },
    { "e^A", 2, 2, { e_, e_ * e_, e_ * e_ * e_, e_ * e_ * e_ * e_ } },
    { "ln(r)", 1, 2, { 1.0986122886681098, 1.6094379124341003 } },
    { "sqrt(A)", 2, 2, { 1, 1.4142135623730951, 1.7320508075688772, 2 } },
    { "sin(pi / 6 * A)", 2, 2, { 0.5, 0.8660254037844386, 1,
                                 0.8660254037844386 } },
    { "cos(r)", 1, 2, { -0.9899924966004454, 0.28366218546322625 } },
    { "tanh(B)", 2, 2, { 0.46211715726000973, -0.7615941559557649,
                         0.9640275800758169, 0.24491866240370913 } },
    { "sqrt(k * 8)", 1, 1, { 4 } },
    { "sum(A)", 1, 2, { 4, 6 } },
    { "mean(A)", 1, 2, { 2, 3 } },
    { "total(A)", 1, 1, { 10 } },
    { "sum(A')'", 2, 1, { 3, 7 } },
    { "rows(c)", 1, 1, { 2 } },
    { "relu(B)", 2, 2, { 0.5, 0, 2, 0.25 } },
    { "gelu(r - 2)", 1, 2, { 0.8413447460685429, 2.99595030590511 } },
    { "gelu_tanh(1)", 1, 1, { 0.8411919906082768 } },
    { "round(A / 3, 2)", 2, 2, { 0.33, 0.67, 1, 1.33 } },
    { "round(D, 0)", 2, 2, { 1, 1, -INFINITY, 2 } },
    { "softmax(ln(A))", 2, 2, { 0.25, 1 / 3.0, 0.75, 2 / 3.0 } },
    { "softmax(D)", 2, 2, { 1, 1 / (1 + e_), 0, e_ / (1 + e_) } },
    { "finite(D)", 2, 2, { 1, 1, 0, 1 } },
    { "pick(finite(D), D, 0)", 2, 2, { 0.5, 1, 0, 2 } },
    { "pick(finite(D), c, -inf)", 2, 2, { 10, 10, -INFINITY, 20 } },
    { "pick(B - 2, 1, r)", 2, 2, { 1, 1, 3, 1 } },
    { "largest(B)", 2, 2, { 0, 0, 1, 1 } },
    { "largest(0 * A)", 2, 2, { 1, 1, 0, 0 } },
    { "softmax(ln(A)) one_hot(k, 2)", 2, 1, { 1 / 3.0, 2 / 3.0 } },
    { "one_hot(k, 3)", 3, 1, { 0, 1, 0 } },
    { "one_hot(r - 2, 3)", 3, 2, { 1, 0, 0, 0, 0, 1 } },
};

LAW(every_operation_gives_its_value)
{
    Mat of[OPERANDS];
    make_operands(of);
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        formula = formulas[k].formula;
        Mat M = tried(of);
        if (M == NULL)
            fail_at(HERE(formulas[k].formula), "cannot be made");
        rows_at(HERE(formulas[k].formula), M, formulas[k].rows, formulas[k].cols,
                formulas[k].entry, TIGHT);
    }
}

LAW(what_cannot_be_made_is_null)
{
    static const char *const none[] = {
        "C", "A + C", "C + A", "softmax(C)", "pick(C, 1, 2)", "AB",
        "c c", "A r", "A r'  c", "(c r) (c' + r)  c'",
        "A + one_hot(k, 3)", "pick(A, one_hot(k, 3), 0)",
        "1 / 0", "A / 0", "0 * A / 0", "ln(-A)", "A * D * 0", "inf",
        "softmax(-D)", "softmax(D - inf)",
        "one_hot(k, 1)", "one_hot(1/2, 3)", "one_hot(k, c)",
        "-(A + C) B / (1 - C)^C'" };
    Mat of[OPERANDS];
    make_operands(of);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        formula = none[k];
        if (tried(of) != NULL)
            fail_at(HERE(none[k]), "has a value");
    }
}

LAW(a_wrong_spelling_is_refused)
{
    Mat of[OPERANDS];
    make_operands(of);
    static const char *const wrong[][2] = {
        { "(A", "expected a ) in \"(A\", before \"\"." },
        { "A)", "expected the end in \"A)\", before \")\"." },
        { "A +", "a sign stands directly before its number in \"A +\"" },
        { "root(A)", "no such function; type its value in \"root(A)\"" },
        { "sum(A, B)", "no such function; type its value in \"sum(A, B)\"" } };
    for (int k = 0; k < 5; k++) {
        formula = wrong[k][0];
        assert_refuses(tried(of), wrong[k][1]);
    }
}

/* ------------------------------------------------------------ the way back */

LAW(derivatives_go_through_every_operation)
{
    static const char *const of_two[] = {
        "A", "A + B", "A - B", "A * B", "A / (2 + B)", "A B", "A' B",
        "(A B')'", "A^2", "(2 + A)^-1", "(2 + A)^B", "2^A", "3 - A / 2",
        "exp(A)", "ln(2 + A)", "sqrt(2 + A)", "sin(A)", "cos(A)",
        "tanh(A)", "sum(A) * B", "mean(A) + B", "total(A) * B", "relu(A)",
        "gelu(A)", "gelu_tanh(A)", "softmax(A)",
        "pick(finite(A), A, B)", "pick(0, A, sum(B))", "pick(1, sum(A)', B)",
        "A one_hot(1, 3) * B", "softmax(A B) one_hot(2, 3)", "largest(A) * B",
        "A^0 + B", "exp(softmax(A / sqrt(2)) (A B)') / sum(exp(A))",
        "finite(A) * B", "pick(A, B, 0)" };
    for (size_t k = 0; k < sizeof of_two / sizeof *of_two; k++) {
        Mat of[] = { random_parameter(3, 3), random_parameter(3, 3) };
        formula = of_two[k];
        for (unsigned on_tape = 0; on_tape < 4; on_tape++)
            derivatives_at(HERE(of_two[k]), tried, 2, of, on_tape);
    }
}

/* Who rounds, or is given numbers, carries on as if they were the value. */
LAW(the_way_back_through_rounding_is_straight)
{
    Mat of[OPERANDS];
    make_operands(of);
    formula = "total(round(A / 3, 1) * B)";
    backward(tried(of));
    assert_near(of[0]->grad[0], 0.5 / 3, TIGHT);
    assert_near(of[1]->grad[0], 0.3, TIGHT);
}
