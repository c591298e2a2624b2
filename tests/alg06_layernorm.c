/* Algorithm 6: layer normalisation; and RMSnorm, which observes it. */
#include "law.h"
#include "derivatives.h"
#include "oracle/algorithms.h"

enum { D_E = 4, ELL = 3 };

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

LAW(the_result_has_mean_0_and_variance_1)
{
    Mat e_hat = plain(scale(random_input(D_E, ELL), 20), 0);
    Mat m = mean(e_hat), v = variance(e_hat, m);
    assert_rows(m, 1, ELL, TIGHT, 0, 0, 0);
    assert_rows(v, 1, ELL, TIGHT, 1, 1, 1);
}

LAW(every_coordinate_has_its_own_scale_and_offset)
{
    Mat e = given(2, 1, ROWS(-1, 1));           /* normal as it stands */
    Mat gamma = learned(2, 1, ROWS(3, 5)), beta = learned(2, 1, ROWS(10, 20));
    assert_rows(norm(e, gamma, beta, 0), 2, 1, 0, 7, 25);
    assert_rows(rms_norm(e, gamma, 0), 2, 1, 0, -3, 5);
    assert_rows(norm(e, gamma, beta, 3), 2, 1, TIGHT, 8.5, 22.5);
    assert_rows(rms_norm(e, gamma, 3), 2, 1, TIGHT, -1.5, 2.5);
}

LAW(a_shift_of_the_token_changes_nothing)
{
    Mat e = random_input(D_E, ELL), shift = given(1, ELL, ROWS(1, -2, 8));
    Mat moved = add(e, mul(ones(D_E), shift));
    assert_same(plain(moved, 0.1), plain(e, 0.1), TIGHT);
    assert_that(!is_near(AT(rms_norm(moved, ones(D_E), 0.1), 1, 1),
                         AT(rms_norm(e, ones(D_E), 0.1), 1, 1), 1e-3));
}

LAW(every_token_is_normalised_by_itself)
{
    Mat e = random_input(D_E, ELL);
    Mat gamma = random_parameter(D_E, 1), beta = random_parameter(D_E, 1);
    Mat e_hat = norm(e, gamma, beta, 0), rms = rms_norm(e, gamma, 0);
    for (int t = 1; t <= ELL; t++) {
        Mat token = column_of(e, t);
        assert_same(column_of(e_hat, t), norm(token, gamma, beta, 0), 0);
        assert_same(column_of(rms, t), rms_norm(token, gamma, 0), 0);
    }
}

static double epsilon_of_formula;
static Mat layer_norm_of(const Mat of[])
{
    return norm(of[0], of[1], of[2], epsilon_of_formula);
}

static Mat rms_norm_of(const Mat of[])
{
    return rms_norm(of[0], of[1], epsilon_of_formula);
}

LAW(the_derivatives_agree_with_differences_and_another_program)
{
    Mat of[] = { random_parameter(D_E, ELL), random_parameter(D_E, 1),
                 random_parameter(D_E, 1) };
    for (int k = 0; k < 2; k++) {
        epsilon_of_formula = k * .3;
        assert_derivatives(layer_norm_of, 3, of, 1);
        assert_derivatives(rms_norm_of, 2, of, 1);
    }
    epsilon_of_formula = 1e-2;
    assert_recorded_formula(layer_norm_of, 3, of, 1, alg06);
    assert_recorded_formula(rms_norm_of, 2, of, 1, alg06_rms);
}

LAW(every_step_can_be_seen)
{
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

/* E3: as printed, line 3 would be 0/0. */
LAW(a_token_of_equal_entries_is_refused_without_epsilon)
{
    Mat e = given(2, 2, ROWS(1, 4,
                             2, 4)), one = given(1, 1, ROWS(3));
    Mat beta = parameter(arena, 2, 1), nothing = input(tape, 2, 1);
    assert_refuses(norm(e, ones(2), beta, 0),
                   "in column 2 the variance is 0 and epsilon 0");
    assert_refuses(norm(one, ones(1), parameter(arena, 1, 1), 0), "in column 1");
    assert_refuses(rms_norm(nothing, ones(2), 0), "in column 1");
    assert_rows(norm(e, ones(2), beta, 0.75), 2, 2, TIGHT, -.5, 0, .5, 0);
}

LAW(wrong_calls_are_refused)
{
    Mat e = random_input(3, 2), gamma = random_parameter(3, 1);
    Mat beta = random_parameter(3, 1), wrong = random_parameter(2, 1);
    assert_refuses(norm(e, wrong, beta, 0), "g is 2 x 1");
    assert_refuses(norm(e, gamma, wrong, 0), "b is 2 x 1");
    assert_refuses(norm(e, gamma, beta, -1), "epsilon is -1");
    assert_refuses(rms_norm(e, wrong, 0), "g is 2 x 1");
    assert_refuses(rms_norm(gamma, gamma, 0), "no operand is on a tape");
}
