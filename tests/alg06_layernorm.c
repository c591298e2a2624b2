/* Algorithm 6: layer normalisation; and RMSnorm, which observes it. */
#include "derivatives.h"
#include "example.h"
#include "oracle/components.h"

enum { D_E = 5, ELL = 3 };

/* Layer normalisation with this epsilon, on the tape of e. */
static Mat norm(Mat e, Mat gamma, Mat beta, double epsilon)
{
    const Theta theta = { .hyper.epsilon = epsilon };
    prepare_tape(arena, tape, &theta);
    return layer_norm(e, gamma, beta);
}

static Mat rms_norm(Mat e, Mat gamma, double epsilon)
{
    const Theta theta = { .hyper.epsilon = epsilon, .hyper.rms = true };
    prepare_tape(arena, tape, &theta);
    return layer_norm(e, gamma, NULL);
}

static Mat ones(int n)
{
    Mat gamma = parameter(arena, n, 1);
    for (int i = 1; i <= n; i++)
        AT(gamma, i, 1) = 1;
    return gamma;
}

static Mat plain(Mat e, double epsilon)         /* gamma = 1, beta = 0 */
{
    return norm(e, ones(e->rows), parameter(arena, e->rows, 1), epsilon);
}

static void the_worked_sheets_come_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg06.sheet", 3);
    assert_worked("tests/data/worked/alg06-rms.sheet", 2);
}

static void the_result_has_mean_0_and_variance_1(void **state)
{
    (void)state;
    Mat e_hat = plain(scale(random_input(D_E, ELL), 20), 0);
    Mat m = mean(e_hat), v = variance(e_hat, m);
    assert_rows(m, 1, ELL, TIGHT, 0, 0, 0);
    assert_rows(v, 1, ELL, TIGHT, 1, 1, 1);
}

/* Spec 4.5; the n - 1 variance would give 1.161895004 and 0.387298335. */
static void the_values_of_1_2_3_4(void **state)
{
    (void)state;
    Mat e = given(4, 1, ROWS(1, 2, 3, 4));
    assert_rows(plain(e, 0), 4, 1, NINE,
                -1.341640786, -0.447213595, 0.447213595, 1.341640786);
    assert_rows(plain(e, 1e-5), 4, 1, NINE,
                -1.341635420, -0.447211807, 0.447211807, 1.341635420);
    assert_that(!is_near(AT(plain(e, 0), 4, 1), 1.161895004, 1e-3));
    assert_rows(rms_norm(e, ones(4), 0), 4, 1, NINE,
                0.365148372, 0.730296743, 1.095445115, 1.460593487);
}

static void every_coordinate_has_its_own_scale_and_offset(void **state)
{
    (void)state;
    Mat e = given(2, 1, ROWS(-1, 1));           /* normal as it stands */
    Mat gamma = learned(2, 1, ROWS(3, 5)), beta = learned(2, 1, ROWS(10, 20));
    assert_rows(norm(e, gamma, beta, 0), 2, 1, 0, 7, 25);
    assert_rows(rms_norm(e, gamma, 0), 2, 1, 0, -3, 5);
    assert_rows(norm(e, gamma, beta, 3), 2, 1, TIGHT, 8.5, 22.5);
    assert_rows(rms_norm(e, gamma, 3), 2, 1, TIGHT, -1.5, 2.5);
}

static void a_shift_of_the_token_changes_nothing(void **state)
{
    (void)state;
    Mat e = random_input(D_E, ELL), shift = given(1, ELL, ROWS(1, -2, 8));
    Mat moved = add(e, mul(ones(D_E), shift));
    assert_same(plain(moved, 0.1), plain(e, 0.1), TIGHT);
    assert_that(!is_near(AT(rms_norm(moved, ones(D_E), 0.1), 1, 1),
                         AT(rms_norm(e, ones(D_E), 0.1), 1, 1), 1e-3));
}

static void a_positive_factor_changes_nothing(void **state)
{
    (void)state;
    Mat e = random_input(D_E, ELL), larger = scale(e, 7);
    assert_same(plain(larger, 0), plain(e, 0), TIGHT);
    assert_same(rms_norm(larger, ones(D_E), 0), rms_norm(e, ones(D_E), 0), TIGHT);
}

static void every_token_is_normalised_by_itself(void **state)
{
    (void)state;
    Mat e = random_input(D_E, ELL);
    Mat gamma = random_parameter(D_E, 1), beta = random_parameter(D_E, 1);
    Mat e_hat = norm(e, gamma, beta, 0), rms = rms_norm(e, gamma, 0);
    for (int t = 1; t <= ELL; t++) {
        Mat token = column_of(e, t);
        assert_same(column_of(e_hat, t), norm(token, gamma, beta, 0), 0);
        assert_same(column_of(rms, t), rms_norm(token, gamma, 0), 0);
    }
}

static void both_agree_where_the_mean_is_0(void **state)
{
    (void)state;
    Mat e = given(3, 1, ROWS(-4, 1, 3));
    assert_same(plain(e, 0.5), rms_norm(e, ones(3), 0.5), TIGHT);
}

static Mat layer_norm_0(const Mat of[])
{
    return norm(of[0], of[1], of[2], 0);
}

static Mat layer_norm_epsilon(const Mat of[])
{
    return norm(of[0], of[1], of[2], 0.3);
}

static Mat rms_norm_0(const Mat of[])       { return rms_norm(of[0], of[1], 0); }
static Mat rms_norm_epsilon(const Mat of[]) { return rms_norm(of[0], of[1], 0.3); }

static void the_derivatives_agree_with_differences(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(D_E, ELL), random_parameter(D_E, 1),
                 random_parameter(D_E, 1) };
    assert_derivatives(layer_norm_0, 3, of, 1);
    assert_derivatives(layer_norm_epsilon, 3, of, 1);
    assert_derivatives(rms_norm_0, 2, of, 1);
    assert_derivatives(rms_norm_epsilon, 2, of, 1);
    assert_gradients_apart(layer_norm_epsilon, 3, of, 1);
    assert_gradients_apart(rms_norm_epsilon, 2, of, 1);
}

static void agrees(const double *entries, const double *by_gamma,
                   const double *by_beta, double epsilon, const double *recorded,
                   const double *G, const double *d_e, const double *d_gamma,
                   const double *d_beta)
{
    Mat e = given(5, 3, entries), gamma = learned(5, 1, by_gamma);
    Mat beta = by_beta == NULL ? NULL : learned(5, 1, by_beta);
    Mat e_hat = beta == NULL ? rms_norm(e, gamma, epsilon)
                             : norm(e, gamma, beta, epsilon);
    assert_recorded(e_hat, 5, 3, recorded);
    backward(against(e_hat, given(5, 3, G)));
    assert_gradient(e, RECORDED, d_e);
    assert_gradient(gamma, RECORDED, d_gamma);
    if (beta != NULL)
        assert_gradient(beta, RECORDED, d_beta);
}

static void another_program_agrees(void **state)
{
    (void)state;
    agrees(alg06_e, alg06_gamma, alg06_beta, 0, alg06_e_hat, alg06_G,
           alg06_d_e, alg06_d_gamma, alg06_d_beta);
    agrees(alg06_epsilon_e, alg06_epsilon_gamma, alg06_epsilon_beta, 1e-5,
           alg06_epsilon_e_hat, alg06_epsilon_G, alg06_epsilon_d_e,
           alg06_epsilon_d_gamma, alg06_epsilon_d_beta);
    agrees(alg06_rms_e, alg06_rms_gamma, NULL, 1e-5, alg06_rms_e_hat,
           alg06_rms_G, alg06_rms_d_e, alg06_rms_d_gamma, NULL);
}

static void every_step_can_be_seen(void **state)
{
    (void)state;
    Seen seen = { 0 }, rms = { 0 };
    Mat e = random_input(D_E, ELL);
    const Theta with = { .hyper.rms = true };
    Mat gamma = ones(D_E), beta = parameter(arena, D_E, 1);
    observe(tape, note, &seen);
    Mat e_hat = layer_norm(e, gamma, beta);
    assert_seen(&seen, "6.1 m, 6.2 v, 6.3 e_hat");
    assert_that(value_of(&seen, "e_hat") == e_hat);
    assert_shape(value_of(&seen, "m"), 1, ELL);
    assert_shape(value_of(&seen, "v"), 1, ELL);
    prepare_tape(arena, tape, &with);
    observe(tape, note, &rms);
    e_hat = layer_norm(e, gamma, NULL);
    assert_seen(&rms, "6.1 m, 6.2 v, 6.3 e_hat");
    assert_that(value_of(&rms, "e_hat") == e_hat);
    assert_rows(value_of(&rms, "m"), 1, ELL, 0, 0, 0, 0);
}

#define REFUSES(call, inner_call, sentence) \
    assert_refuses_in(call, "alg06_layernorm.c", inner_call, sentence)

/* E3: as printed, line 3 would be 0/0. */
static void a_token_of_equal_entries_is_refused_without_epsilon(void **state)
{
    (void)state;
    Mat e = given(2, 2, ROWS(1, 4,
                             2, 4)), one = given(1, 1, ROWS(3));
    Mat beta = parameter(arena, 2, 1), nothing = input(tape, 2, 1);
    const char *sentence = "in column 2 the variance is 0 and epsilon 0; their "
                           "sum must be positive, and not subnormal.";
    REFUSES(norm(e, ones(2), beta, 0), "standardise(e, m, v)",
            sentence);
    REFUSES(norm(one, ones(1), parameter(arena, 1, 1), 0),
            "standardise(e, m, v)", "in column 1 the variance is 0 and "
            "epsilon 0; their sum must be positive, and not subnormal.");
    REFUSES(rms_norm(nothing, ones(2), 0), "standardise(e, m, v)",
            "in column 1 the variance is 0 and epsilon 0; their sum must be "
            "positive, and not subnormal.");
    assert_rows(norm(e, ones(2), beta, 0.75), 2, 2, TIGHT, -.5, 0, .5, 0);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Mat e = random_input(3, 2), gamma = random_parameter(3, 1);
    Mat beta = random_parameter(3, 1), wrong = random_parameter(2, 1);
    REFUSES(norm(e, wrong, beta, 0),
            "scale_rows(gamma, e_hat)",
            "g is 2 x 1; for a matrix of 3 x 2 it must be 3 x 1.");
    REFUSES(norm(e, gamma, wrong, 0),
            "add_bias(scale_rows(gamma, e_hat), beta)",
            "b is 2 x 1; for a matrix of 3 x 2 it must be 3 x 1.");
    REFUSES(norm(e, gamma, beta, -1), "standardise(e, m, v)",
            "epsilon is -1; it must be 0 or a positive number.");
    REFUSES(rms_norm(e, wrong, 0),
            "scale_rows(gamma, e_hat)",
            "g is 2 x 1; for a matrix of 3 x 2 it must be 3 x 1.");
    REFUSES(rms_norm(gamma, gamma, 0), "mean(e)",
            "no operand is on a tape; give one of them as an input(tape, rows, "
            "cols).");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheets_come_out),
        TEST(the_result_has_mean_0_and_variance_1),
        TEST(the_values_of_1_2_3_4),
        TEST(every_coordinate_has_its_own_scale_and_offset),
        TEST(a_shift_of_the_token_changes_nothing),
        TEST(a_positive_factor_changes_nothing),
        TEST(every_token_is_normalised_by_itself),
        TEST(both_agree_where_the_mean_is_0),
        TEST(the_derivatives_agree_with_differences),
        TEST(another_program_agrees),
        TEST(every_step_can_be_seen),
        TEST(a_token_of_equal_entries_is_refused_without_epsilon),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
