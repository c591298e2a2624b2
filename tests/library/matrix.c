/* Every operation: its value on an example done by hand, its derivative for
   each operand against differences, and each sentence of refusal. */
#include "derivatives.h"
#include <limits.h>

/* ------------------------------------------------------ value, by hand */

static void an_entry_is_found_by_row_and_column_from_1(void **state)
{
    (void)state;
    Mat M = given(2, 3, ROWS(1, 2, 3,
                             4, 5, 6));
    assert_that(AT(M, 1, 1) == 1 && AT(M, 1, 3) == 3 && AT(M, 2, 1) == 4);
    assert_that(M->at[0] == 1 && M->at[1] == 4 && M->at[2] == 2);
    AT(M, 2, 3) = 7;
    assert_that(M->at[5] == 7);
}

static void a_new_matrix_is_zero(void **state)
{
    (void)state;
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

static void products_by_hand(void **state)
{
    (void)state;
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
}

static void a_product_with_zero_is_zero_to_the_last_bit(void **state)
{
    (void)state;
    Mat zeros = input(tape, 2, 2), M = random_input(2, 2);
    assert_rows(mul(zeros, M), 2, 2, 0, 0, 0, 0, 0);
    assert_rows(mul_tn(zeros, M), 2, 2, 0, 0, 0, 0, 0);
    assert_rows(affine(zeros, M, NULL), 2, 2, 0, 0, 0, 0, 0);
}

static void sums_and_multiples_by_hand(void **state)
{
    (void)state;
    Mat A = given(2, 3, ROWS(1, 2, 3,
                             4, 5, 6));
    Mat B = given(2, 3, ROWS(1, 0, -3,
                             2, 2,  2));
    Mat b = given(2, 1, ROWS(10, -1));
    assert_rows(add(A, B), 2, 3, 0, 2, 2, 0, 6, 7, 8);
    assert_rows(add_bias(A, b), 2, 3, 0, 11, 12, 13, 3, 4, 5);
    assert_rows(scale(A, -0.5), 2, 3, 0, -0.5, -1, -1.5, -2, -2.5, -3);
    assert_rows(scale_rows(b, A), 2, 3, 0, 10, 20, 30, -4, -5, -6);
    assert_rows(sum(A), 1, 1, 0, 21);
}

static void the_softmax_of_logarithms_is_their_share(void **state)
{
    (void)state;
    Mat M = given(3, 2, ROWS(log(1), log(5),
                             log(2), log(4),
                             log(3), log(1)));
    assert_rows(softmax(M), 3, 2, TIGHT, 1. / 6, 5. / 10,
                                         2. / 6, 4. / 10,
                                         3. / 6, 1. / 10);
}

/* The numbers of the slides, recomputed to six decimals. */
static void the_softmax_has_the_published_values(void **state)
{
    (void)state;
    Mat M = given(5, 1, ROWS(.1, -.2, .3, -.2, .5));
    assert_rows(softmax(M), 5, 1, SIX,
                .192498, .142606, .235117, .142606, .287173);
    assert_rows(softmax(scale(M, 8)), 5, 1, SIX,
                .032608, .002958, .161510, .002958, .799965);
}

static void the_softmax_forgets_a_shift_of_its_column(void **state)
{
    (void)state;
    Mat M = random_input(4, 3);
    Mat shift = given(1, 3, ROWS(2, -4, 8)), ones = given(4, 1, ROWS(1, 1, 1, 1));
    assert_same(softmax(M), softmax(add(M, mul(ones, shift))), TIGHT);
}

static void the_softmax_is_finite_where_exponentials_are_not(void **state)
{
    (void)state;
    Mat M = given(3, 2, ROWS( 1e4, -1e4,
                              1e4, -1e4,
                             -1e4,  0));
    assert_rows(softmax(M), 3, 2, 0, .5, 0, .5, 0, 0, 1);
}

static void what_is_minus_infinity_has_probability_0(void **state)
{
    (void)state;
    Mat M = given(3, 1, ROWS((double)-INFINITY, log(3), log(1)));
    assert_rows(softmax(M), 3, 1, TIGHT, 0, .75, .25);
    assert_that(softmax(M)->at[0] == 0);
}

static void mean_variance_and_standard_form_by_hand(void **state)
{
    (void)state;
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

static void activations_entry_by_entry(void **state)
{
    (void)state;
    Mat M = given(2, 2, ROWS(-2, 3,
                              0, -0.5));
    assert_rows(relu(M), 2, 2, 0, 0, 3, 0, 0);
}

static void an_activation_does_not_hide_what_is_no_number(void **state)
{
    (void)state;
    Mat M = given(1, 1, ROWS((double)NAN));
    Mat Y[] = { relu(M), gelu(M), gelu_tanh(M) };
    for (int k = 0; k < 3; k++)
        assert_that(isnan(Y[k]->at[0]));
}

/* Equation (5); spec section 4.5. */
static void the_gelu_has_nine_known_values(void **state)
{
    (void)state;
    Mat x = given(1, 9, ROWS(-3, -2, -1, -.5, 0, .5, 1, 2, 3));
    assert_rows(gelu(x), 1, 9, NINE, -0.004049694, -0.045500264, -0.158655254,
                -0.154268769, 0, 0.345731231, 0.841344746, 1.954499736,
                2.995950306);
}

static void the_tanh_form_of_the_gelu_is_told_apart(void **state)
{
    (void)state;
    Mat x = given(1, 2, ROWS(1, 3));
    Mat exact = gelu(x), approximate = gelu_tanh(x);
    assert_rows(approximate, 1, 2, NINE, 0.841191991, 2.996362608);
    for (int j = 1; j <= 2; j++)
        assert_that(fabs(AT(exact, 1, j) - AT(approximate, 1, j)) > 1e-4);
}

static void gelu_of_x_minus_gelu_of_minus_x_is_x(void **state)
{
    (void)state;
    Mat x = scale(random_input(3, 3), 4);
    assert_same(add(gelu(x), scale(gelu(scale(x, -1)), -1)), x, TIGHT);
    assert_same(add(gelu_tanh(x), scale(gelu_tanh(scale(x, -1)), -1)), x,
                TIGHT);
}

static void gather_chooses_columns(void **state)
{
    (void)state;
    Mat W = learned(2, 3, ROWS(1, 2, 3,
                               4, 5, 6));
    assert_rows(gather(tape, W, 4, ((int[]){ 3, 1, 3, 2 })), 2, 4, 0,
                3, 1, 3, 2,
                6, 4, 6, 5);
}

static void stack_puts_the_first_on_top(void **state)
{
    (void)state;
    Mat parts[] = { NULL, given(1, 2, ROWS(1, 2)), given(2, 2, ROWS(3, 4, 5, 6)),
                    given(1, 2, ROWS(7, 8)) };
    assert_rows(stack(3, parts), 4, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    assert_rows(stack(1, parts), 1, 2, 0, 1, 2);
}

static void hadamard_multiplies_entry_by_entry(void **state)
{
    (void)state;
    Mat A = given(2, 2, ROWS(1, 2, 3, 4)), B = given(2, 2, ROWS(5, 6, 7, 8));
    assert_rows(hadamard(A, B), 2, 2, 0, 5, 12, 21, 32);
    assert_refuses(hadamard(A, random_input(2, 3)),
                   "the first is 2 x 2 and the second 2 x 3; they must have "
                   "one shape.");
}

static void affine_without_b_is_the_product(void **state)
{
    (void)state;
    Mat W = random_parameter(3, 2), X = random_input(2, 4);
    Mat Y = affine(W, X, NULL), G = random_input(3, 4);
    assert_same(Y, mul(W, X), 0);
    backward(against(Y, G));
    Mat dW = constant(arena, 3, 2);
    memcpy(dW->at, W->grad, 6 * sizeof(real));
    clear_gradient(W);
    backward(against(mul(W, X), G));
    for (int e = 0; e < 6; e++)
        assert_near(W->grad[e], dW->at[e], 0);
}

static void log_prob_is_the_logarithm_of_the_softmax(void **state)
{
    (void)state;
    Mat M = random_input(4, 3);
    const int i[] = { 4, 1, 2, 2 }, j[] = { 1, 3, 2, 3 };
    Mat P = softmax(M), y = log_prob(P, ((Tokens){ 4, i }), ((Tokens){ 4, j }));
    assert_shape(y, 1, 4);
    for (int k = 1; k <= 4; k++)
        assert_near(AT(y, 1, k), log(AT(P, i[k - 1], j[k - 1])), TIGHT);
}

/* E16: there the softmax itself is 0, and its logarithm -infinity. */
static void log_prob_is_finite_where_the_softmax_vanishes(void **state)
{
    (void)state;
    Mat M = given(2, 1, ROWS(-1e4, 1e4));
    const int i[] = { 1, 2 }, j[] = { 1, 1 };
    Mat y = log_prob(softmax(M), ((Tokens){ 2, i }), ((Tokens){ 2, j }));
    assert_rows(y, 1, 2, TIGHT, -2e4, 0);
    backward(sum(y));
    assert_near(M->grad[0], 1, TIGHT);
    assert_near(M->grad[1], -1, TIGHT);
}

/* (1 - s) ln p[i] + s times the mean of ln p, by the definition. */
static void a_smoothed_log_prob_gives_every_row_a_share(void **state)
{
    (void)state;
    Mat P = softmax(random_input(4, 2));
    const int i[] = { 3 }, j[] = { 2 };
    double all = 0;
    for (int u = 1; u <= 4; u++)
        all += log(AT(P, u, 2));
    settings(tape)->smoothing = 0.2;
    assert_near(AT(log_prob(P, ((Tokens){ 1, i }), ((Tokens){ 1, j })), 1, 1),
                0.8 * log(AT(P, 3, 2)) + 0.2 * all / 4, TIGHT);
}

static void only_a_softmax_has_log_probs(void **state)
{
    (void)state;
    Mat M = random_input(4, 3);
    Tokens one = span(tape, 1, 1), two = span(tape, 1, 2);
    assert_refuses(log_prob(M, one, one), "the first is not a softmax.");
    assert_refuses(log_prob(softmax(M), one, two),
                   "1 rows and 2 columns; the lists must be equally long.");
}

/* A loss over no tokens is 0, and so is its gradient. */
static void a_sum_of_no_log_probs_is_0(void **state)
{
    (void)state;
    Mat M = random_input(4, 3);
    Mat y = log_prob(softmax(M), no_tokens, no_tokens), loss = scale(sum(y), -1);
    assert_shape(y, 1, 0);
    assert_that(AT(loss, 1, 1) == 0);
    backward(loss);
    for (size_t e = 0; e < entries_in(M); e++)
        assert_that(M->grad[e] == 0);
}

static void a_transposed_view_has_the_same_numbers_and_gradient(void **state)
{
    (void)state;
    Mat M = random_parameter(2, 3), T = transpose_of(arena, M);
    assert_shape(T, 3, 2);
    for (int i = 1; i <= 2; i++)
        for (int j = 1; j <= 3; j++)
            assert_that(&AT(T, j, i) == &AT(M, i, j));
    assert_that(T->grad == M->grad);
    Mat X = random_input(2, 4), Y = random_input(4, 2);
    assert_same(mul(T, X), mul_tn(M, X), 0);
    assert_same(mul(Y, M), mul(Y, transpose_of(arena, T)), 0);
    assert_refuses(softmax(T), "a transposed matrix can only be multiplied.");
    assert_refuses(add(X, T), "the first is 2 x 4 and the second 3 x 2; they "
                   "must have one shape.");
}

static void the_indices_are_the_operations_own(void **state)
{
    (void)state;
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

static void a_mask_writes_minus_infinity(void **state)
{
    (void)state;
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

static void operands_keep_their_entries(void **state)
{
    (void)state;
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
static Mat d_stack(const Mat of[])     { return stack(3, ((Mat[]){ NULL, of[0], of[1], of[2] })); }

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

static const Tokens rows = { 4, (const int[]){ 1, 3, 2, 2 } };
static const Tokens columns = { 4, (const int[]){ 2, 1, 2, 3 } };

static Mat d_gather(const Mat of[])
{
    return gather(tape, of[0], 4, ((int[]){ 3, 1, 3, 2 }));
}

static Mat d_log_prob_smoothed(const Mat of[])
{
    settings(tape)->smoothing = 0.3;
    return log_prob(softmax(of[0]), rows, columns);
}

static Mat d_log_prob(const Mat of[])
{
    return log_prob(softmax(of[0]), rows, columns);
}

/* One matrix in two places: both contribute. */
static Mat d_mul_self(const Mat of[])  { return mul(of[0], of[0]); }
static Mat d_add_self(const Mat of[])  { return add(of[0], of[0]); }
static Mat d_stack_self(const Mat of[])
{
    return stack(2, ((Mat[]){ NULL, of[0], of[0] }));
}

typedef struct {
    const char *law;
    Formula *formula;
    struct { int rows, cols; } of[3];
} Derivative;

static Derivative derivatives[] = {
    { "the derivative of mul", d_mul,
      { { 2, 3 }, { 3, 4 } } },
    { "the derivative of mul_tn", d_mul_tn,
      { { 3, 2 }, { 3, 4 } } },
    { "the derivative of mul by a transposed view", d_turned,
      { { 3, 2 }, { 3, 4 } } },
    { "the derivative of mul of a transposed view", d_by_turned,
      { { 2, 3 }, { 4, 3 } } },
    { "the derivative of affine", d_affine,
      { { 2, 3 }, { 3, 4 }, { 2, 1 } } },
    { "the derivative of add", d_add,
      { { 2, 3 }, { 2, 3 } } },
    { "the derivative of add_bias", d_add_bias,
      { { 2, 3 }, { 2, 1 } } },
    { "the derivative of scale", d_scale,
      { { 2, 3 } } },
    { "the derivative of scale_rows", d_scale_rows,
      { { 2, 1 }, { 2, 3 } } },
    { "the derivative of sum", d_sum,
      { { 2, 3 } } },
    { "the derivative of softmax", d_softmax,
      { { 4, 3 } } },
    { "the derivative of mean", d_mean,
      { { 4, 3 } } },
    { "the derivative of variance", d_variance,
      { { 4, 3 }, { 1, 3 } } },
    { "the derivative of standardise", d_standardise,
      { { 4, 3 }, { 1, 3 }, { 1, 3 } } },
    { "the derivative of masked", d_masked,
      { { 4, 3 } } },
    { "the derivative of relu", d_relu,
      { { 4, 3 } } },
    { "the derivative of gelu", d_gelu,
      { { 4, 3 } } },
    { "the derivative of gelu_tanh", d_gelu_tanh,
      { { 4, 3 } } },
    { "the derivative of gather", d_gather,
      { { 2, 3 } } },
    { "the derivative of stack", d_stack,
      { { 1, 3 }, { 3, 3 }, { 2, 3 } } },
    { "the derivative of log_prob_smoothed", d_log_prob_smoothed,
      { { 4, 3 } } },
    { "the derivative of hadamard", d_hadamard,
      { { 2, 3 }, { 2, 3 } } },
    { "the derivative of log_prob", d_log_prob,
      { { 4, 3 } } },
    { "the derivative of softmax of a tall column", d_softmax,
      { { 37, 3 } } },
    { "the derivative of variance of a tall column", d_variance,
      { { 37, 3 }, { 1, 3 } } },
    { "the derivative of standardise of a tall column", d_standardise,
      { { 37, 3 }, { 1, 3 }, { 1, 3 } } },
    { "the derivative of log_prob of a tall column", d_log_prob_smoothed,
      { { 37, 3 } } },
    { "the derivative of mul of one matrix twice", d_mul_self,
      { { 3, 3 } } },
    { "the derivative of add of one matrix twice", d_add_self,
      { { 2, 3 } } },
    { "the derivative of stack of one matrix twice", d_stack_self,
      { { 2, 3 } } },
};

/* Each operand in turn is the one on the tape; then all of them are. */
static void the_derivative_agrees_with_differences(void **state)
{
    const Derivative *d = *state;
    Mat of[3];
    int n = 0;
    set_up(NULL);
    for (; n < 3 && d->of[n].rows > 0; n++)
        of[n] = randomise(constant(arena, d->of[n].rows, d->of[n].cols));
    if (d->formula == d_standardise)        /* a variance is positive */
        for (int j = 0; j < 3; j++)
            of[2]->at[j] = (real)fabs(of[2]->at[j]);
    for (int k = 0; k < n; k++) {
        assert_derivatives(d->formula, n, of, 1u << k);
        assert_gradients_apart(d->formula, n, of, 1u << k);
    }
    assert_derivatives(d->formula, n, of, (1u << n) - 1);
    tear_down(NULL);
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
static void no_operation_writes_behind_a_matrix(void **state)
{
    (void)state;
    enum { LITTER = 0x55, OTHER = 0xAA, ROOM = 1 << 16 };
    for (size_t d = 0; d < sizeof derivatives / sizeof *derivatives; d++) {
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
        is_untouched(HERE(derivatives[d].law), Y, Y->at, LITTER);
        backward(sum(Y));
        for (int k = 0; k < n; k++) {
            is_untouched(HERE(derivatives[d].law), of[k], of[k]->at, OTHER);
            is_untouched(HERE(derivatives[d].law), of[k], of[k]->grad, LITTER);
        }
        tape_clear(tape);
    }
}

static void the_relu_has_derivative_0_at_0(void **state)
{
    (void)state;
    Mat x = given(1, 3, ROWS(-1, 0, 1));
    backward(sum(relu(x)));
    assert_that(x->grad[0] == 0 && x->grad[1] == 0 && x->grad[2] == 1);
}

static void activations_pass_far_on_the_right_and_stop_on_the_left(void **state)
{
    (void)state;
    Mat x = given(1, 2, ROWS(-40, 40));
    Mat Y[] = { gelu(x), gelu_tanh(x), relu(x) };
    for (int k = 0; k < 3; k++) {
        assert_rows(Y[k], 1, 2, TIGHT, 0, 40);
        backward(sum(Y[k]));
        assert_near(x->grad[0], 0, TIGHT);
        assert_near(x->grad[1], 1, TIGHT);
    }
}

/* x Phi(x) and Phi(x) + x phi(x), compared by their digits, not by what is
   left of them beside 1. */
static void the_gelu_and_its_derivative_keep_their_digits_in_the_tails(
    void **state)
{
    (void)state;
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
static void the_tanh_form_of_the_gelu_has_its_derivative_everywhere(
    void **state)
{
    (void)state;
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

static void far_from_0_the_tanh_form_is_0_or_x(void **state)
{
    (void)state;
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
static void no_gradient_passes_a_mask(void **state)
{
    (void)state;
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
static void a_tall_column_has_its_softmax_mean_and_variance(void **state)
{
    (void)state;
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

static void an_index_outside_is_refused(void **state)
{
    (void)state;
    Mat M = random_input(2, 3);
    assert_refuses(AT(M, 0, 1), "there is no entry [0, 1] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 3, 1), "there is no entry [3, 1] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 1, 0), "there is no entry [1, 0] in a matrix of 2 x 3.");
    assert_refuses(AT(M, 1, 4), "there is no entry [1, 4] in a matrix of 2 x 3.");
}

static void an_empty_or_endless_matrix_is_refused(void **state)
{
    (void)state;
    assert_refuses(input(tape, 0, 3),
                   "a matrix of 0 x 3; it needs a row and a column.");
    assert_refuses(input(tape, 3, 0),
                   "a matrix of 3 x 0; it needs a row and a column.");
    assert_refuses(parameter(arena, 0, 3),
                   "a matrix of 0 x 3; it needs a row and a column.");
    assert_refuses(parameter(arena, 3, 0),
                   "a matrix of 3 x 0; it needs a row and a column.");
    assert_refuses(constant(arena, 3, 0),
                   "a matrix of 3 x 0; it needs a row and a column.");
    assert_refuses(constant(arena, -1, 1),
                   "a matrix of -1 x 1; it needs a row and a column.");
    assert_refuses(constant(arena, INT_MAX, INT_MAX),
                   "a matrix of 2147483647 x 2147483647 is too large.");
    int most = IS_DOUBLE ? 536870912 : 1073741824;  /* SIZE_MAX / 2 bytes */
    char sentence[100];
    snprintf(sentence, sizeof sentence, "a matrix of 2147483647 x %d is too "
             "large.", most + 10);
    assert_refuses(constant(arena, INT_MAX, most + 10), sentence);
    assert_no_memory(constant(arena, INT_MAX, most), "9223372032559808512");
}

static void products_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Mat A = random_input(2, 3), B = random_input(4, 5);
    Mat W = random_input(5, 4), b = random_input(4, 1), c = random_input(5, 2);
    assert_refuses(mul(A, B), "the first is 2 x 3 and the second 4 x 5; the "
                   "first must have as many columns as the second has rows.");
    assert_refuses(mul_tn(A, B), "the first is 2 x 3 and the second 4 x 5; they "
                   "must have as many rows, since the first is transposed.");
    assert_refuses(affine(A, B, b), "W is 2 x 3 and X is 4 x 5; W must have as "
                   "many columns as X has rows.");
    assert_refuses(affine(W, B, b),
                   "b is 4 x 1; for a matrix of 5 x 4 it must be 5 x 1.");
    assert_refuses(affine(W, B, c),
                   "b is 5 x 2; for a matrix of 5 x 4 it must be 5 x 1.");
}

static void sums_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Mat A = random_input(2, 3), B = random_input(2, 4), C = random_input(3, 3);
    Mat b = random_input(3, 1);
    assert_refuses(add(A, B), "the first is 2 x 3 and the second 2 x 4; they "
                   "must have one shape.");
    assert_refuses(add(A, C), "the first is 2 x 3 and the second 3 x 3; they "
                   "must have one shape.");
    assert_refuses(add_bias(A, b),
                   "b is 3 x 1; for a matrix of 2 x 3 it must be 2 x 1.");
    assert_refuses(scale_rows(b, A),
                   "g is 3 x 1; for a matrix of 2 x 3 it must be 2 x 1.");
}

static void a_column_without_a_softmax_is_refused(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    Mat all_masked = given(2, 2, ROWS(1, -inf,
                                      2, -inf));
    Mat no_number = given(2, 1, ROWS(1, (double)NAN));
    Mat nor_this = given(2, 1, ROWS((double)NAN, 1));
    Mat nor_before_minus_infinity = given(2, 1, ROWS((double)NAN, -inf));
    Mat infinite = given(2, 1, ROWS(1, inf));
    assert_refuses(softmax(nor_before_minus_infinity), "column 1 has an entry "
                   "that is not a number or infinite.");
    assert_refuses(softmax(all_masked), "every entry of column 2 is -infinity: "
                   "this token may look at nothing.");
    assert_refuses(softmax(no_number), "column 1 has an entry that is not a "
                   "number or infinite.");
    assert_refuses(softmax(nor_this), "column 1 has an entry that is not a "
                   "number or infinite.");
    assert_refuses(softmax(infinite), "column 1 has an entry that is not a "
                   "number or infinite.");
}

static void statistics_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Mat M = random_input(3, 2), m = mean(M), v = variance(M, m);
    Mat tall = random_input(2, 2), wide = random_input(1, 3);
    assert_refuses(variance(M, wide),
                   "m is 1 x 3; for a matrix of 3 x 2 it must be 1 x 2.");
    assert_refuses(standardise(M, tall, v),
                   "m is 2 x 2; for a matrix of 3 x 2 it must be 1 x 2.");
    assert_refuses(standardise(M, m, wide),
                   "v is 1 x 3; for a matrix of 3 x 2 it must be 1 x 2.");
}

static void a_root_that_is_not_positive_is_refused(void **state)
{
    (void)state;
    Mat M = random_input(3, 2), m = mean(M), v = given(1, 2, ROWS(1, 0));
    Mat negative = given(1, 2, ROWS(-2, 1));
    assert_refuses(standardise(M, m, v), "in column 2 the variance is 0 and "
                   "epsilon 0; their sum must be positive, and not subnormal.");
    AT(v, 1, 2) = (real)(IS_DOUBLE ? 1e-320 : 1e-42);
    assert_refuses(standardise(M, m, v), IS_DOUBLE
                   ? "in column 2 the variance is 9.99989e-321 and epsilon 0; "
                     "their sum must be positive, and not subnormal."
                   : "in column 2 the variance is 1.00053e-42 and epsilon 0; "
                     "their sum must be positive, and not subnormal.");
    settings(tape)->epsilon = 0.5;
    assert_refuses(standardise(M, m, negative), "in column 1 the variance "
                   "is -2 and epsilon 0.5; their sum must be positive, and not subnormal.");
    settings(tape)->epsilon = -1;
    assert_refuses(standardise(M, m, v),
                   "epsilon is -1; it must be 0 or a positive number.");
    settings(tape)->epsilon = INFINITY;
    assert_refuses(standardise(M, m, v),
                   "epsilon is inf; it must be 0 or a positive number.");
}

static void choices_that_are_not_there_are_refused(void **state)
{
    (void)state;
    Mat W = random_input(2, 3), masked_out = masked(random_input(2, 2),
                                                    unidirectional);
    const int none[] = { 0 }, four[] = { 1, 4 }, one[] = { 1, 1 }, two[] = { 2 };
    assert_refuses(gather(tape, W, 1, none),
                   "there is no column 0 in a matrix of 2 x 3.");
    assert_refuses(gather(tape, W, 2, four),
                   "there is no column 4 in a matrix of 2 x 3.");
    assert_refuses(gather(tape, W, 0, none),
                   "a matrix of 2 x 0; it needs a row and a column.");
    assert_refuses(log_prob(softmax(W), ((Tokens){ 1, none }),
                            ((Tokens){ 1, one })),
                   "there is no entry [0, 1] in a matrix of 2 x 3.");
    assert_refuses(log_prob(softmax(W), ((Tokens){ 2, one }),
                            ((Tokens){ 2, four })),
                   "there is no entry [1, 4] in a matrix of 2 x 3.");
    assert_refuses(log_prob(softmax(masked_out), ((Tokens){ 1, two }),
                            ((Tokens){ 1, one })),
                   "entry [2, 1] is not finite: its token cannot occur.");
}

static void stacks_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Mat parts[] = { NULL, random_input(2, 3), random_input(1, 3),
                    random_input(2, 4) };
    assert_refuses(stack(3, parts), "part 1 has 3 columns and part 3 has 4; all "
                   "parts need as many.");
    assert_refuses(stack(0, parts), "there is nothing to stack.");
}

static void a_mask_that_is_too_small_is_refused(void **state)
{
    (void)state;
    Mat S = random_input(3, 2), M = random_input(3, 1);
    assert_refuses_in(masked(S, mask_of(M)), "equations.c",
                      "AT(M, t_z, t_x)",
                      "there is no entry [1, 2] in a matrix of 3 x 1.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(an_entry_is_found_by_row_and_column_from_1),
        TEST(a_new_matrix_is_zero),
        TEST(products_by_hand),
        TEST(a_product_with_zero_is_zero_to_the_last_bit),
        TEST(sums_and_multiples_by_hand),
        TEST(the_softmax_of_logarithms_is_their_share),
        TEST(the_softmax_has_the_published_values),
        TEST(the_softmax_forgets_a_shift_of_its_column),
        TEST(the_softmax_is_finite_where_exponentials_are_not),
        TEST(what_is_minus_infinity_has_probability_0),
        TEST(mean_variance_and_standard_form_by_hand),
        TEST(activations_entry_by_entry),
        TEST(an_activation_does_not_hide_what_is_no_number),
        TEST(the_gelu_has_nine_known_values),
        TEST(the_tanh_form_of_the_gelu_is_told_apart),
        TEST(gelu_of_x_minus_gelu_of_minus_x_is_x),
        TEST(gather_chooses_columns),
        TEST(stack_puts_the_first_on_top),
        TEST(hadamard_multiplies_entry_by_entry),
        TEST(affine_without_b_is_the_product),
        TEST(log_prob_is_the_logarithm_of_the_softmax),
        TEST(log_prob_is_finite_where_the_softmax_vanishes),
        TEST(a_smoothed_log_prob_gives_every_row_a_share),
        TEST(only_a_softmax_has_log_probs),
        TEST(a_sum_of_no_log_probs_is_0),
        TEST(a_transposed_view_has_the_same_numbers_and_gradient),
        TEST(the_indices_are_the_operations_own),
        TEST(a_mask_writes_minus_infinity),
        TEST(operands_keep_their_entries),
        TEST(no_operation_writes_behind_a_matrix),
        TEST(the_relu_has_derivative_0_at_0),
        TEST(activations_pass_far_on_the_right_and_stop_on_the_left),
        TEST(the_gelu_and_its_derivative_keep_their_digits_in_the_tails),
        TEST(the_tanh_form_of_the_gelu_has_its_derivative_everywhere),
        TEST(far_from_0_the_tanh_form_is_0_or_x),
        TEST(no_gradient_passes_a_mask),
        TEST(a_tall_column_has_its_softmax_mean_and_variance),
        TEST(an_index_outside_is_refused),
        TEST(an_empty_or_endless_matrix_is_refused),
        TEST(products_that_do_not_fit_are_refused),
        TEST(sums_that_do_not_fit_are_refused),
        TEST(a_column_without_a_softmax_is_refused),
        TEST(statistics_that_do_not_fit_are_refused),
        TEST(a_root_that_is_not_positive_is_refused),
        TEST(choices_that_are_not_there_are_refused),
        TEST(stacks_that_do_not_fit_are_refused),
        TEST(a_mask_that_is_too_small_is_refused),
    };
    enum { N = sizeof derivatives / sizeof *derivatives };
    struct CMUnitTest agree[N];
    for (int k = 0; k < N; k++)
        agree[k] = (struct CMUnitTest){
            derivatives[k].law, the_derivative_agrees_with_differences,
            NULL, NULL, &derivatives[k]
        };
    return RUN(laws) + cmocka_run_group_tests_name("derivatives", agree, NULL,
                                                   NULL);
}
