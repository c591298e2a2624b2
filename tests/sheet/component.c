/* Formulas over matrices: what every operation gives, what cannot be made,
   and the way back through each. */
#include "derivatives.h"
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"

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
    Names names = { (void *)of, of_a_letter, tape };
    return formula_value(&names, formula);
}

static void make_operands(Mat of[])
{
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
} worth[] = {
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
    { "+A - -A", 2, 2, { 2, 4, 6, 8 } },
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
    { "rows(c) + cols(c)", 1, 1, { 3 } },
    { "relu(B)", 2, 2, { 0.5, 0, 2, 0.25 } },
    { "gelu(r - 2)", 1, 2, { 0.8413447460685429, 2.99595030590511 } },
    { "gelu_tanh(1)", 1, 1, { 0.8411919906082768 } },
    { "round(A / 3, 2)", 2, 2, { 0.33, 0.67, 1, 1.33 } },
    { "round(D, 0)", 2, 2, { 1, 1, -INFINITY, 2 } },
    { "softmax(ln(A))", 2, 2, { 0.25, 1 / 3.0, 0.75, 2 / 3.0 } },
    { "softmax(D)", 2, 2, { 1, 1 / (1 + e_), 0, e_ / (1 + e_) } },
    { "standardise(A)", 2, 2, { -1, -1, 1, 1 } },
    { "finite(D)", 2, 2, { 1, 1, 0, 1 } },
    { "pick(finite(D), D, 0)", 2, 2, { 0.5, 1, 0, 2 } },
    { "pick(finite(D), c, -inf)", 2, 2, { 10, 10, -INFINITY, 20 } },
    { "pick(B - 2, 1, r)", 2, 2, { 1, 1, 3, 1 } },
    { "largest(B)", 2, 2, { 0, 0, 1, 1 } },
    { "largest(0 * A)", 2, 2, { 1, 1, 0, 0 } },
    { "column(B, 2)", 2, 1, { -1, 0.25 } },
    { "column(softmax(ln(A)), k)", 2, 1, { 1 / 3.0, 2 / 3.0 } },
    { "one_hot(k, 3)", 3, 1, { 0, 1, 0 } },
    { "one_hot(r - 2, 3)", 3, 2, { 1, 0, 0, 0, 0, 1 } },
};

static void every_operation_gives_its_value(void **state)
{
    (void)state;
    Mat of[OPERANDS];
    make_operands(of);
    for (size_t k = 0; k < sizeof worth / sizeof *worth; k++) {
        formula = worth[k].formula;
        Mat M = tried(of);
        if (M == NULL)
            fail_at(HERE(worth[k].formula), "cannot be made");
        rows_at(HERE(worth[k].formula), M, worth[k].rows, worth[k].cols,
                worth[k].entry, TIGHT);
    }
}

static void what_cannot_be_made_is_null(void **state)
{
    static const char *const none[] = {
        "C", "A + C", "C + A", "softmax(C)", "pick(C, 1, 2)", "AB",
        "c c", "A r", "A r'  c", "(c r) (c' + r)  c'",
        "A + one_hot(k, 3)", "pick(A, one_hot(k, 3), 0)",
        "1 / 0", "A / 0", "0 * A / 0", "ln(-A)", "A * D * 0", "inf",
        "softmax(-D)", "softmax(D - inf)", "standardise(0 * A)",
        "column(A, 3)", "column(A, 0)", "column(A, 1/2)", "column(A, s)",
        "one_hot(k, 1)", "one_hot(1/2, 3)", "one_hot(k, s)",
        "round(A, s)", "-(A + C) B / (1 - C)^C'" };
    (void)state;
    Mat of[OPERANDS];
    make_operands(of);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        formula = none[k];
        if (tried(of) != NULL)
            fail_at(HERE(none[k]), "has a value");
    }
}

static void a_wrong_spelling_is_refused(void **state)
{
    (void)state;
    Mat of[OPERANDS];
    make_operands(of);
#define REFUSES(text, call, sentence) \
    formula = text; \
    assert_refuses(tried(of), sentence)
    REFUSES("(A", "formula_value",
            "expected a ) in \"(A\", before \"\".");
    REFUSES("A +", "formula_value",
            "expected a value in \"A +\", before \"\".");
    REFUSES("A)", "formula_value", "\"A)\" ends before \")\".");
    REFUSES("root(A)", "formula_value",
            "no function of 1 is root: \"root(A)\".");
    REFUSES("C root(C)", "formula_value",
            "no function of 1 is root: \"C root(C)\".");
    REFUSES("sum(A, B)", "formula_value",
            "no function of 2 is sum: \"sum(A, B)\".");
}

/* ------------------------------------------------------------ the way back */

static void derivatives_go_through_every_operation(void **state)
{
    static const char *const of_two[] = {
        "A", "A + B", "A - B", "A * B", "A / (2 + B)", "A B", "A' B",
        "(A B')'", "A^2", "(2 + A)^-1", "(2 + A)^B", "2^A", "3 - A / 2",
        "exp(A)", "ln(2 + A)", "sqrt(2 + A)", "sin(A)", "cos(A)",
        "tanh(A)", "sum(A) * B", "mean(A) + B", "total(A) * B", "relu(A)",
        "gelu(A)", "gelu_tanh(A)", "softmax(A)", "standardise(A) * B",
        "pick(finite(A), A, B)", "pick(0, A, sum(B))", "pick(1, sum(A)', B)",
        "column(A, 1) * B", "column(softmax(A B), 2)", "largest(A) * B",
        "A^0 + B", "exp(softmax(A / sqrt(2)) (A B)') / sum(exp(A))" };
    (void)state;
    for (size_t k = 0; k < sizeof of_two / sizeof *of_two; k++) {
        Mat of[] = { random_parameter(3, 3), random_parameter(3, 3) };
        formula = of_two[k];
        for (unsigned on_tape = 0; on_tape < 4; on_tape++)
            derivatives_at(HERE(of_two[k]), tried, 2, of, on_tape);
    }
}

/* Who rounds, or is given numbers, carries on as if they were the value. */
static void the_way_back_through_rounding_is_straight(void **state)
{
    (void)state;
    Mat of[OPERANDS];
    make_operands(of);
    formula = "total(round(A / 3, 1) * B)";
    backward(tried(of));
    assert_near(of[0]->grad[0], 0.5 / 3, TIGHT);
    assert_near(of[1]->grad[0], 0.3, TIGHT);
}

/* The weights of attention by a formula, and by the library. */
static void a_formula_is_the_library(void **state)
{
    (void)state;
    Mat of[] = { random_input(4, 3), random_input(4, 3),
                 random_input(4, 1) };
    formula = "softmax((A + c)' B / sqrt(rows(A)))";
    assert_same(tried(of),
                softmax(scale(mul_tn(add_bias(of[0], of[2]), of[1]), 0.5)),
                TIGHT);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(every_operation_gives_its_value),
        TEST(what_cannot_be_made_is_null),
        TEST(a_wrong_spelling_is_refused),
        TEST(derivatives_go_through_every_operation),
        TEST(the_way_back_through_rounding_is_straight),
        TEST(a_formula_is_the_library),
    };
    return RUN(laws);
}
