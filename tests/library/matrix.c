/* Every operation: its value on an example done by hand, its derivative for
   each operand against differences, and each sentence of refusal. */
#include "law.h"
#include "derivatives.h"
#include "models.h"
#include <limits.h>

/* ------------------------------------------------------ value, by hand */

LAW(an_entry_is_found_by_row_and_column_from_1)
{
    Mat M = given(2, 3, ROWS(1, 2, 3,
                             4, 5, 6));
    assert_that(AT(M, 1, 1) == 1 && AT(M, 1, 3) == 3 && AT(M, 2, 1) == 4);
    assert_that(M->at[0] == 1 && M->at[1] == 4 && M->at[2] == 2);
    AT(M, 2, 3) = 7;
    assert_that(M->at[5] == 7);
}

LAW(a_new_matrix_is_zero)
{
    for (int round = 1; round <= 2; round++) {
        Mat M[] = { input(tape, 2, 3), parameter(arena, 2, 3),
                    constant(arena, 2, 3) };
        for (int k = 0; k < 3; k++) {
            assert_rows(M[k], 2, 3, 0, 0, 0, 0, 0, 0, 0);
            randomise(M[k]);        /* so that the second round finds litter */
        }
        assert_that(M[0]->grad != NULL && M[0]->tape == tape);
        assert_that(M[1]->grad != NULL && M[1]->tape == NULL);
        assert_that(M[2]->grad == NULL && M[2]->tape == NULL);
        for (size_t e = 0; e < 6; e++)
            assert_that(M[1]->grad[e] == 0);
        for (size_t e = 0; e < 6; e++)
            M[1]->grad[e] = 1;
        tape_clear(tape);
        arena_clear(arena);
    }
}

LAW(products_by_hand)
{
    Mat A = given(2, 3, ROWS(1, 2, 3,
                             4, 5, 6));
    Mat At = given(3, 2, ROWS(1, 4,
                              2, 5,
                              3, 6));
    Mat B = given(3, 2, ROWS( 1, 0,
                              2, 1,
                             -1, 3));
    Mat b = given(2, 1, ROWS(10, 20));
    assert_rows(mul(A, B), 2, 2, 0, 2, 11, 8, 23);
    assert_rows(mul_tn(At, B), 2, 2, 0, 2, 11, 8, 23);
    assert_rows(affine(A, B, b), 2, 2, 0, 12, 21, 28, 43);
    assert_rows(affine(A, B, NULL), 2, 2, 0, 2, 11, 8, 23);
}

LAW(sums_and_multiples_by_hand)
{
    Mat A = given(2, 3, ROWS(1, 2, 3,
                             4, 5, 6));
    Mat B = given(2, 3, ROWS(1, 0, -3,
                             2, 2,  2));
    Mat b = given(2, 1, ROWS(10, -1));
    assert_rows(add(A, B), 2, 3, 0, 2, 2, 0, 6, 7, 8);
    assert_rows(add_bias(A, b), 2, 3, 0, 11, 12, 13, 3, 4, 5);
    assert_rows(scale(A, -0.5), 2, 3, 0, -0.5, -1, -1.5, -2, -2.5, -3);
    assert_rows(scale_rows(b, A), 2, 3, 0, 10, 20, 30, -4, -5, -6);
    assert_rows(hadamard(A, B), 2, 3, 0, 1, 0, -9, 8, 10, 12);
    assert_rows(sum(A), 1, 1, 0, 21);
}

LAW(the_softmax_is_finite_where_exponentials_are_not)
{
    Mat M = given(3, 2, ROWS( 1e4, -1e4,
                              1e4, -1e4,
                             -1e4,  0));
    assert_rows(softmax(M), 3, 2, 0, .5, 0, .5, 0, 0, 1);
    M = given(3, 1, ROWS((double)-INFINITY, log(3), log(1)));
    assert_rows(softmax(M), 3, 1, TIGHT, 0, .75, .25);
    assert_that(softmax(M)->at[0] == 0);
}

LAW(mean_variance_and_standard_form_by_hand)
{
    Mat M = given(4, 2, ROWS( 0, 1,
                              6, 1,
                              8, 5,
                             14, 5));
    Mat m = mean(M), v = variance(M, m);
    assert_rows(m, 1, 2, 0, 7, 3);
    assert_rows(v, 1, 2, 0, 25, 4);
    assert_rows(standardise(M, m, v), 4, 2, TIGHT,
                -1.4, -1,
                -0.2, -1,
                 0.2,  1,
                 1.4,  1);
    settings(tape)->epsilon = 11;
    assert_rows(standardise(M, m, v), 4, 2, TIGHT,
                -7. / 6, -2 / sqrt(15),
                -1. / 6, -2 / sqrt(15),
                 1. / 6,  2 / sqrt(15),
                 7. / 6,  2 / sqrt(15));
    /* The variance is about the m that is given, whatever that is. */
    assert_rows(variance(M, given(1, 2, ROWS(0, 0))), 1, 2, TIGHT, 74, 13);
}

LAW(an_activation_does_not_hide_what_is_no_number)
{
    Mat M = given(1, 1, ROWS((double)NAN));
    Mat Y[] = { relu(M), gelu(M), gelu_tanh(M) };
    for (int k = 0; k < 3; k++)
        assert_that(isnan(Y[k]->at[0]));
}

LAW(gather_chooses_columns_and_stack_puts_the_first_on_top)
{
    Mat W = learned(2, 3, ROWS(1, 2, 3,
                               4, 5, 6));
    assert_rows(gather(tape, W, 4, ((int[]){ 3, 1, 3, 2 })), 2, 4, 0,
                3, 1, 3, 2,
                6, 4, 6, 5);
    Mat parts[] = { NULL, given(1, 2, ROWS(1, 2)), given(2, 2, ROWS(3, 4, 5, 6)),
                    given(1, 2, ROWS(7, 8)) };
    assert_rows(stack(3, parts), 4, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    assert_rows(stack(1, parts), 1, 2, 0, 1, 2);
}

LAW(log_prob_is_the_logarithm_of_the_softmax)
{
    Tokens i = TOKENS(4, 1, 2, 2), j = TOKENS(1, 3, 2, 3);
    Mat P = softmax(random_input(4, 3)), y = log_prob(P, i, j);
    assert_shape(y, 1, 4);
    for (int k = 1; k <= 4; k++)
        assert_near(AT(y, 1, k), log(AT(P, TOKEN(i, k), TOKEN(j, k))), TIGHT);
}

/* E16: there the softmax itself is 0, and its logarithm -infinity. */
LAW(log_prob_is_finite_where_the_softmax_vanishes)
{
    Mat M = given(2, 1, ROWS(-1e4, 1e4));
    Mat y = log_prob(softmax(M), TOKENS(1, 2), TOKENS(1, 1));
    assert_rows(y, 1, 2, TIGHT, -2e4, 0);
    backward(sum(y));
    assert_near(M->grad[0], 1, TIGHT);
    assert_near(M->grad[1], -1, TIGHT);
}

/* (1 - s) ln p[i] + s times the mean of ln p, by the definition. */
LAW(a_smoothed_log_prob_gives_every_row_a_share)
{
    Mat P = softmax(random_input(4, 2));
    double all = 0;
    for (int u = 1; u <= 4; u++)
        all += log(AT(P, u, 2));
    settings(tape)->smoothing = 0.2;
    assert_near(AT(log_prob(P, TOKENS(3), TOKENS(2)), 1, 1),
                0.8 * log(AT(P, 3, 2)) + 0.2 * all / 4, TIGHT);
}

/* A loss over no tokens is 0, and so is its gradient. */
LAW(a_sum_of_no_log_probs_is_0)
{
    Mat M = random_input(4, 3);
    Mat y = log_prob(softmax(M), no_tokens, no_tokens), loss = scale(sum(y), -1);
    assert_shape(y, 1, 0);
    assert_that(AT(loss, 1, 1) == 0);
    backward(loss);
    for (size_t e = 0; e < entries_in(M); e++)
        assert_that(M->grad[e] == 0);
}

LAW(a_transposed_view_has_the_same_numbers_and_gradient)
{
    Mat M = random_parameter(2, 3), T = transpose_of(arena, M);
    assert_shape(T, 3, 2);
    for (int i = 1; i <= 2; i++)
        for (int j = 1; j <= 3; j++)
            assert_that(&AT(T, j, i) == &AT(M, i, j));
    assert_that(T->grad == M->grad);
    Mat X = random_input(2, 4), Y = random_input(4, 2);
    assert_same(mul(T, X), mul_tn(M, X), 0);
    assert_same(mul(Y, M), mul(Y, transpose_of(arena, T)), 0);
    assert_same(affine(T, X, NULL), mul(T, X), 0);
    assert_refuses(softmax(T), "a transposed matrix can only be multiplied.");
    assert_refuses(add(X, T), "the first is 2 x 4 and the second 3 x 2");
}

LAW(the_indices_are_the_operations_own)
{
    Mat M = random_input(3, 2);
    int i[] = { 2 }, j[] = { 1 };
    Mat y = log_prob(softmax(M), ((Tokens){ 1, i }), ((Tokens){ 1, j }));
    Mat Y = gather(tape, M, 1, j);
    Mat loss = add(y, sum(Y));
    double p = AT(softmax(M), 2, 1);
    i[0] = 3, j[0] = 2;             /* too late to matter */
    backward(loss);
    assert_near(M->grad[1], 2 - p, TIGHT);
    assert_near(M->grad[4], 0, 0);
}

static bool look_at_evens(int t_z, int t_x, const void *data)
{
    const int *offset = data;
    return (t_z + t_x + *offset) % 2 == 0;
}

LAW(a_mask_writes_minus_infinity)
{
    const double no = (double)-INFINITY;
    Mat S = given(3, 3, ROWS(1, 2, 3,
                             4, 5, 6,
                             7, 8, 9));
    Mat zeros_and_ones = given(3, 3, ROWS(0, 0, 1,
                                          1, 1, 0,
                                          0, 1, 0));
    const int offset = 1;
    assert_same(masked(S, bidirectional), S, 0);
    assert_rows(masked(S, unidirectional), 3, 3, 0,  1,  2, 3,
                                                    no,  5, 6,
                                                    no, no, 9);
    assert_rows(masked(S, mask_of(zeros_and_ones)), 3, 3, 0, no, no,  3,
                                                              4,  5, no,
                                                             no,  8, no);
    assert_rows(masked(S, ((Mask){ look_at_evens, &offset })), 3, 3, 0,
                no,  2, no,
                 4, no,  6,
                no,  8, no);
}

LAW(operands_keep_their_entries)
{
    Mat M = random_input(3, 3), kept = identity(3);
    memcpy(kept->at, M->at, 9 * sizeof *M->at);
    softmax(masked(scale(add(M, M), 2), unidirectional));
    relu(M), gelu(M), gelu_tanh(M), mul(M, M), mul_tn(M, M);
    settings(tape)->epsilon = 1;
    standardise(M, mean(M), variance(M, mean(M)));
    assert_same(M, kept, 0);
}

/* ------------------------------------------------------------ derivatives */

static Mat d_mul(const Mat of[])       { return mul(of[0], of[1]); }
static Mat d_mul_tn(const Mat of[])    { return mul_tn(of[0], of[1]); }
static Mat d_affine(const Mat of[])    { return affine(of[0], of[1], of[2]); }
static Mat d_linear(const Mat of[])    { return affine(of[0], of[1], NULL); }
static Mat d_add(const Mat of[])       { return add(of[0], of[1]); }
static Mat d_add_bias(const Mat of[])  { return add_bias(of[0], of[1]); }
static Mat d_scale(const Mat of[])     { return scale(of[0], -1.7); }
static Mat d_scale_rows(const Mat of[]) { return scale_rows(of[0], of[1]); }
static Mat d_hadamard(const Mat of[])  { return hadamard(of[0], of[1]); }
static Mat d_sum(const Mat of[])       { return sum(of[0]); }
static Mat d_softmax(const Mat of[])   { return softmax(of[0]); }
static Mat d_mean(const Mat of[])      { return mean(of[0]); }
static Mat d_variance(const Mat of[])  { return variance(of[0], of[1]); }
static Mat d_masked(const Mat of[])    { return masked(of[0], unidirectional); }
static Mat d_relu(const Mat of[])      { return relu(of[0]); }
static Mat d_gelu(const Mat of[])      { return gelu(of[0]); }
static Mat d_gelu_tanh(const Mat of[]) { return gelu_tanh(of[0]); }
static Mat d_stack(const Mat of[])
{
    return stack(3, ((Mat[]){ NULL, of[0], of[1], of[2] }));
}

static Mat d_turned(const Mat of[])
{
    return mul(transpose_of(arena, of[0]), of[1]);
}

static Mat d_by_turned(const Mat of[])
{
    return mul(of[0], transpose_of(arena, of[1]));
}

static Mat d_standardise(const Mat of[])
{
    settings(tape)->epsilon = 0.25;
    return standardise(of[0], of[1], of[2]);
}

static const Tokens at_rows = { 4, (const int[]){ 1, 3, 2, 2 } };
static const Tokens at_columns = { 4, (const int[]){ 2, 1, 2, 3 } };

static Mat d_gather(const Mat of[])
{
    return gather(tape, of[0], 4, ((int[]){ 3, 1, 3, 2 }));
}

static Mat d_log_prob_smoothed(const Mat of[])
{
    settings(tape)->smoothing = 0.3;
    return log_prob(softmax(of[0]), at_rows, at_columns);
}

static Mat d_log_prob(const Mat of[])
{
    return log_prob(softmax(of[0]), at_rows, at_columns);
}

/* One matrix in two places: both contribute. */
static Mat d_mul_self(const Mat of[])  { return mul(of[0], of[0]); }
static Mat d_add_self(const Mat of[])  { return add(of[0], of[0]); }
static Mat d_stack_self(const Mat of[])
{
    return stack(2, ((Mat[]){ NULL, of[0], of[0] }));
}

typedef struct {
    const char *of_what;
    Formula *formula;
    struct { int rows, cols; } of[3];
} Derivative;

static const Derivative derivatives[] = {
    { "mul", d_mul, { { 2, 3 }, { 3, 4 } } },
    { "mul_tn", d_mul_tn, { { 3, 2 }, { 3, 4 } } },
    { "mul by a transposed view", d_turned, { { 3, 2 }, { 3, 4 } } },
    { "mul of a transposed view", d_by_turned, { { 2, 3 }, { 4, 3 } } },
    { "affine", d_affine, { { 2, 3 }, { 3, 4 }, { 2, 1 } } },
    { "affine without b", d_linear, { { 2, 3 }, { 3, 4 } } },
    { "add", d_add, { { 2, 3 }, { 2, 3 } } },
    { "add_bias", d_add_bias, { { 2, 3 }, { 2, 1 } } },
    { "scale", d_scale, { { 2, 3 } } },
    { "scale_rows", d_scale_rows, { { 2, 1 }, { 2, 3 } } },
    { "hadamard", d_hadamard, { { 2, 3 }, { 2, 3 } } },
    { "sum", d_sum, { { 2, 3 } } },
    { "softmax", d_softmax, { { 4, 3 } } },
    { "mean", d_mean, { { 4, 3 } } },
    { "variance", d_variance, { { 4, 3 }, { 1, 3 } } },
    { "standardise", d_standardise, { { 4, 3 }, { 1, 3 }, { 1, 3 } } },
    { "masked", d_masked, { { 4, 3 } } },
    { "relu", d_relu, { { 4, 3 } } },
    { "gelu", d_gelu, { { 4, 3 } } },
    { "gelu_tanh", d_gelu_tanh, { { 4, 3 } } },
    { "gather", d_gather, { { 2, 3 } } },
    { "stack", d_stack, { { 1, 3 }, { 3, 3 }, { 2, 3 } } },
    { "log_prob", d_log_prob, { { 4, 3 } } },
    { "log_prob, smoothed", d_log_prob_smoothed, { { 4, 3 } } },
    { "softmax of a tall column", d_softmax, { { 37, 3 } } },
    { "variance of a tall column", d_variance, { { 37, 3 }, { 1, 3 } } },
    { "standardise of a tall column", d_standardise,
      { { 37, 3 }, { 1, 3 }, { 1, 3 } } },
    { "log_prob of a tall column", d_log_prob_smoothed, { { 37, 3 } } },
    { "mul of one matrix twice", d_mul_self, { { 3, 3 } } },
    { "add of one matrix twice", d_add_self, { { 2, 3 } } },
    { "stack of one matrix twice", d_stack_self, { { 2, 3 } } },
};
enum { DERIVATIVES = sizeof derivatives / sizeof *derivatives };

/* Each operand in turn is the one on the tape; then all of them are. */
LAW(every_derivative_agrees_with_differences)
{
    for (int k = 0; k < DERIVATIVES; k++) {
        const Derivative *d = &derivatives[k];
        Where where = HERE(d->of_what);
        Mat of[3];
        int n = 0;
        for (; n < 3 && d->of[n].rows > 0; n++)
            of[n] = randomise(constant(arena, d->of[n].rows, d->of[n].cols));
        if (d->formula == d_standardise)    /* a variance is positive */
            for (int j = 0; j < 3; j++)
                of[2]->at[j] = (real)fabs(of[2]->at[j]);
        for (int j = 0; j < n; j++)
            derivatives_at(where, d->formula, n, of, 1u << j);
        derivatives_at(where, d->formula, n, of, (1u << n) - 1);
        run_as_printed(tape), run_as_printed(quiet);
    }
}

/* What stands in memory behind the entries of M, as far as it is M's. */
static size_t behind(Mat M, real *at, unsigned char **first)
{
    *first = (unsigned char *)(at + M->rows * M->cols);
    return (64 - (size_t)((uintptr_t)*first % 64)) % 64;
}

static void is_untouched(Where where, Mat M, real *at, int litter)
{
    unsigned char *first;
    for (size_t n = behind(M, at, &first), k = 0; k < n; k++)
        if (first[k] != litter)
            fail_at(where, "byte %zu behind a matrix is written", k);
}

/* Litter is put everywhere before; other litter behind the operands, so that
   it is noticed when it is copied. */
LAW(no_operation_writes_behind_a_matrix)
{
    enum { LITTER = 0x55, OTHER = 0xAA, ROOM = 1 << 16 };
    for (int d = 0; d < DERIVATIVES; d++) {
        Mat of[3];
        int n = 0;
        memset(arena_alloc(tape_arena(tape), ROOM), LITTER, ROOM);
        tape_clear(tape);
        for (; n < 3 && derivatives[d].of[n].rows > 0; n++) {
            unsigned char *first;
            of[n] = input(tape, derivatives[d].of[n].rows,
                          derivatives[d].of[n].cols);
            for (int e = 0; e < of[n]->rows * of[n]->cols; e++)
                of[n]->at[e] = 1;
            size_t bytes = behind(of[n], of[n]->at, &first);
            memset(first, OTHER, bytes);
        }
        Mat Y = derivatives[d].formula(of);
        is_untouched(HERE(derivatives[d].of_what), Y, Y->at, LITTER);
        backward(sum(Y));
        for (int k = 0; k < n; k++) {
            is_untouched(HERE(derivatives[d].of_what), of[k], of[k]->at, OTHER);
            is_untouched(HERE(derivatives[d].of_what), of[k], of[k]->grad, LITTER);
        }
        tape_clear(tape);
    }
}

LAW(the_relu_has_derivative_0_at_0)
{
    Mat x = given(1, 3, ROWS(-1, 0, 1));
    backward(sum(relu(x)));
    assert_that(x->grad[0] == 0 && x->grad[1] == 0 && x->grad[2] == 1);
}

/* x Phi(x) and Phi(x) + x phi(x), compared by their digits, not by what is
   left of them beside 1. */
LAW(the_gelu_and_its_derivative_keep_their_digits_in_the_tails)
{
    double most = IS_DOUBLE ? 1e-13 : 1e-6;
    for (int k = -48; k <= 48; k++) {
        double x = k / 4.0, Phi = erfc(-x / sqrt(2)) / 2;
        double phi = exp(-x * x / 2) * 0.39894228040143267794;
        Mat X = given(1, 1, ROWS(x)), Y = gelu(X);
        backward(sum(Y));
        double off = Y->at[0] - x * Phi, slope = X->grad[0] - (Phi + x * phi);
        if (!(fabs(off) <= most * fabs(x) * Phi)
            || !(fabs(slope) <= most * (Phi + fabs(x) * phi)))
            fail_at(HERE("gelu"), "at %g: %.17g with derivative %.17g, but "
                    "expected %.17g and %.17g", x, Y->at[0], X->grad[0],
                    x * Phi, Phi + x * phi);
    }
}

/* x / (1 + e^-2u) and its derivative; u = sqrt(2 / pi) (x + 0.044715 x^3). */
LAW(the_tanh_form_of_the_gelu_has_its_derivative_everywhere)
{
    for (int k = -48; k <= 48; k++) {
        double x = k / 4.0, c = 0.79788456080286535588;
        double s = 1 / (1 + exp(-2 * c * (x + 0.044715 * x * x * x)));
        double du = c * (1 + 3 * 0.044715 * x * x);
        Mat X = given(1, 1, ROWS(x)), Y = gelu_tanh(X);
        backward(sum(Y));
        assert_near(Y->at[0], x * s, IS_DOUBLE ? 1e-14 : 1e-6);
        assert_near(X->grad[0], s + 2 * x * s * (1 - s) * du,
                    IS_DOUBLE ? 1e-13 : 1e-6);
    }
}

LAW(far_from_0_the_tanh_form_is_0_or_x)
{
    const double far[] = { 1e2, 1e7, 1e15, 2e19, 1e38 };
    for (int k = 0; k < 5; k++) {
        Mat X = given(1, 2, ROWS(-far[k], far[k])), Y = gelu_tanh(X);
        backward(sum(Y));
        assert_near(Y->at[0], 0, TIGHT);
        assert_that(Y->at[1] == X->at[1]);
        assert_near(X->grad[0], 0, TIGHT);
        assert_near(X->grad[1], 1, TIGHT);
    }
}

/* Whatever gradient arrives: what a mask hides has none, what it lets
   through has all of it. */
LAW(no_gradient_passes_a_mask)
{
    Mat zeros_and_ones = given(3, 2, ROWS(0, 1,
                                          1, 0,
                                          0, 1));
    Mat S = random_input(3, 2), Y = masked(S, mask_of(zeros_and_ones));
    backward(add(sum(Y), sum(scale(S, 3))));
    for (int k = 0; k < 6; k++)
        assert_near(S->grad[k], 3 + zeros_and_ones->at[k], TIGHT);
    S = random_input(3, 3), Y = masked(S, unidirectional);
    backward(sum(Y));
    for (int k = 0; k < 9; k++)
        assert_near(S->grad[k], k % 3 <= k / 3, 0);
}

/* Every number of rows, so that every rest of the lanes is met. */
LAW(a_tall_column_has_its_softmax_mean_and_variance)
{
    for (int n = 1; n <= 70; n++) {
        Mat M = random_input(n, 2), P = softmax(M), m = mean(M);
        Mat v = variance(M, m);
        for (int j = 1; j <= 2; j++) {
            double total = 0, sum = 0, squares = 0;
            for (int i = 1; i <= n; i++) {
                total += exp(AT(M, i, j));
                sum += AT(M, i, j);
            }
            for (int i = 1; i <= n; i++) {
                squares += pow(AT(M, i, j) - sum / n, 2);
                assert_near(AT(P, i, j), exp(AT(M, i, j)) / total, TIGHT);
            }
            assert_near(AT(m, 1, j), sum / n, TIGHT);
            assert_near(AT(v, 1, j), squares / n, TIGHT);
        }
    }
}

/* --------------------------------------------------------------- refusals */

LAW(an_index_outside_is_refused)
{
    Mat M = random_input(2, 3);
    assert_refuses(AT(M, 0, 1), "there is no entry [0, 1] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 3, 1), "there is no entry [3, 1] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 1, 0), "there is no entry [1, 0] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 1, 4), "there is no entry [1, 4] in a matrix of 2 x 3.");
    assert_refuses(masked(M, mask_of(random_input(2, 2))), "no entry [1, 3]");
}

LAW(an_empty_or_endless_matrix_is_refused)
{
    static const int wrong[][2] = { { 0, 3 }, { 3, 0 }, { -1, 1 }, { 1, -1 } };
    for (int k = 0; k < 4; k++) {
        int rows = wrong[k][0], cols = wrong[k][1];
        char words[60];
        snprintf(words, sizeof words, "a matrix of %d x %d; it needs a row "
                 "and a column.", rows, cols);
        assert_refuses(input(tape, rows, cols), words);
        assert_refuses(parameter(arena, rows, cols), words);
        assert_refuses(constant(arena, rows, cols), words);
    }
    assert_refuses(constant(arena, INT_MAX, INT_MAX),
                   "a matrix of 2147483647 x 2147483647 is too large.");
    int most = IS_DOUBLE ? 536870912 : 1073741824;  /* SIZE_MAX / 2 bytes */
    assert_refuses(constant(arena, INT_MAX, most + 10), "is too large.");
    assert_no_memory(constant(arena, INT_MAX, most), "9223372032559808512");
}

LAW(shapes_that_do_not_fit_are_refused)
{
    Mat A = random_input(2, 3), B = random_input(4, 5), W = random_input(5, 4);
    assert_refuses(mul(A, B), "the first is 2 x 3 and the second 4 x 5; the "
                   "first must have as many columns as the second has rows.");
    assert_refuses(mul_tn(A, B), "the first is 2 x 3 and the second 4 x 5; they "
                   "must have as many rows, since the first is transposed.");
    assert_refuses(affine(A, B, W), "W is 2 x 3 and X is 4 x 5; W must have as "
                   "many columns as X has rows.");
    assert_refuses(affine(W, B, random_input(4, 1)),
                   "b is 4 x 1; for a matrix of 5 x 4 it must be 5 x 1.");
    assert_refuses(affine(W, B, random_input(5, 2)), "b is 5 x 2");
    assert_refuses(add(A, random_input(2, 4)), "the first is 2 x 3 and the "
                   "second 2 x 4; they must have one shape.");
    assert_refuses(add(A, random_input(3, 3)), "the second 3 x 3");
    assert_refuses(hadamard(A, random_input(2, 2)), "the second 2 x 2");
    assert_refuses(add_bias(A, random_input(3, 1)),
                   "b is 3 x 1; for a matrix of 2 x 3 it must be 2 x 1.");
    assert_refuses(scale_rows(random_input(3, 1), A),
                   "g is 3 x 1; for a matrix of 2 x 3 it must be 2 x 1.");
    Mat m = mean(A), v = variance(A, m), tall = random_input(2, 3);
    assert_refuses(variance(A, random_input(1, 2)),
                   "m is 1 x 2; for a matrix of 2 x 3 it must be 1 x 3.");
    assert_refuses(standardise(A, tall, v),
                   "m is 2 x 3; for a matrix of 2 x 3 it must be 1 x 3.");
    assert_refuses(standardise(A, m, tall),
                   "v is 2 x 3; for a matrix of 2 x 3 it must be 1 x 3.");
    Mat parts[] = { NULL, A, random_input(1, 3), random_input(2, 4) };
    assert_refuses(stack(3, parts), "part 1 has 3 columns and part 3 has 4");
    assert_refuses(stack(0, parts), "there is nothing to stack.");
}

LAW(a_column_without_a_softmax_is_refused)
{
    const double inf = (double)INFINITY, nan_ = (double)NAN;
    const double columns[][2] = { { 1, nan_ }, { nan_, 1 }, { nan_, -inf },
                                  { 1, inf } };
    for (int k = 0; k < 4; k++)
        assert_refuses(softmax(given(2, 1, columns[k])), "column 1 has an entry "
                       "that is not a number or infinite.");
    Mat all_masked = given(2, 2, ROWS(1, -inf,
                                      2, -inf));
    assert_refuses(softmax(all_masked), "every entry of column 2 is -infinity");
}

LAW(a_root_that_is_not_positive_is_refused)
{
    Mat M = random_input(3, 2), m = mean(M), v = given(1, 2, ROWS(1, 0));
    Mat negative = given(1, 2, ROWS(-2, 1));
    assert_refuses(standardise(M, m, v),
                   "in column 2 the variance is 0 and epsilon 0");
    AT(v, 1, 2) = (real)(IS_DOUBLE ? 1e-320 : 1e-42);
    assert_refuses(standardise(M, m, v), "must be positive, and not subnormal.");
    AT(v, 1, 2) = (real)(IS_DOUBLE ? 1e-300 : 1e-37);       /* least, but normal */
    standardise(M, m, v);
    AT(v, 1, 2) = 0;
    settings(tape)->epsilon = 0.5;
    assert_refuses(standardise(M, m, negative),
                   "in column 1 the variance is -2 and epsilon 0.5");
    settings(tape)->epsilon = -1;
    assert_refuses(standardise(M, m, v), "epsilon is -1");
    settings(tape)->epsilon = INFINITY;
    assert_refuses(standardise(M, m, v), "epsilon is inf");
}

LAW(choices_that_are_not_there_are_refused)
{
    Mat W = random_input(2, 3), P = softmax(W);
    Mat Q = softmax(masked(random_input(2, 2), unidirectional));
    Tokens one = TOKENS(1), two = TOKENS(2), four = TOKENS(1, 4);
    assert_refuses(gather(tape, W, 1, TOKENS(0).id),
                   "there is no column 0 in a matrix of 2 x 3.");
    assert_refuses(gather(tape, W, 2, four.id), "there is no column 4");
    assert_refuses(gather(tape, W, 0, one.id), "a matrix of 2 x 0");
    assert_refuses(log_prob(P, TOKENS(0), one), "there is no entry [0, 1]");
    assert_refuses(log_prob(P, TOKENS(1, 1), four), "there is no entry [1, 4]");
    assert_refuses(log_prob(Q, two, one), "entry [2, 1] is not finite");
    assert_refuses(log_prob(W, one, one), "the first is not a softmax.");
    assert_refuses(log_prob(P, one, four),
                   "1 rows and 2 columns; the lists must be equally long.");
}
