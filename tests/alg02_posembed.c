/* Algorithm 2: positional embedding. Equation (1). The sinusoids. */
#include "derivatives.h"
#include "example.h"
#include "oracle/components.h"

static void the_worked_sheet_comes_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg02.sheet", 1);
}

static void a_position_is_embedded_by_its_column(void **state)
{
    (void)state;
    Mat W_p = random_parameter(3, 4);
    for (int t = 1; t <= 4; t++)
        assert_same(posembed(tape, W_p, t), column_of(W_p, t), 0);
}

static Mat third_position(const Mat of[])
{
    return posembed(tape, of[0], 3);
}

static void its_derivative_agrees_with_differences(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(3, 4) };
    assert_derivatives(third_position, 1, of, 0);
}

static void the_step_can_be_seen(void **state)
{
    (void)state;
    Seen seen = { 0 };
    observe(tape, note, &seen);
    Mat e_p = posembed(tape, random_parameter(2, 3), 1);
    assert_seen(&seen, "2.1 e_p");
    assert_that(value_of(&seen, "e_p") == e_p);
}

static void a_position_that_has_no_embedding_is_refused(void **state)
{
    (void)state;
    Mat W_p = random_parameter(2, 3);
    assert_refuses_in(posembed(tape, W_p, 0), "alg02_posembed.c", "posembed",
                      "position 0 is not in [ell_max] = 1 ... 3.");
    assert_refuses_in(posembed(tape, W_p, 4), "alg02_posembed.c", "posembed",
                      "position 4 is not in [ell_max] = 1 ... 3.");
}

/* ----------------------------------------------------------- equation (1) */

static const int x[] = { 4, 2, 4, 1 };      /* token 4 stands in two places */

/* Equation (1) by the parameters that it needs. */
static Mat embedded(Mat W_e, Mat W_p, int length, const int *id)
{
    Theta theta = { .hyper = { .d_e = W_e->rows, .ell_max = W_p == NULL
                               ? length : W_p->cols,
                               .scaled_embedding
                               = settings(tape)->scaled_embedding },
                    .W_e = W_e, .W_p = W_p };
    return embeddings(tape, (Tokens){ length, id }, &theta);
}

static void equation_1_is_algorithm_1_plus_algorithm_2(void **state)
{
    (void)state;
    Mat W_e = random_parameter(3, 5), W_p = random_parameter(3, 6);
    Mat X = embedded(W_e, W_p, 4, x);
    assert_shape(X, 3, 4);
    for (int t = 1; t <= 4; t++)
        assert_same(column_of(X, t), add(embed(tape, W_e, x[t - 1]),
                                         posembed(tape, W_p, t)), 0);
}

static void what_was_seen_before_is_left_out(void **state)
{
    (void)state;
    Mat W_e = random_parameter(3, 5), W_p = random_parameter(3, 6);
    Mat all = embedded(W_e, W_p, 4, x);
    settings(tape)->past = 3;
    Mat new = embedded(W_e, W_p, 1, x + 3);
    assert_shape(new, 3, 1);
    assert_same(new, column_of(all, 4), 0);
}

static void a_factor_multiplies_the_token_and_not_the_position(void **state)
{
    (void)state;
    Mat W_e = random_parameter(4, 5), W_p = random_parameter(4, 6);
    Mat e = embedded(W_e, NULL, 4, x), plain = embedded(W_e, W_p, 4, x);
    settings(tape)->scaled_embedding = true;    /* the root of d_e is 2 */
    Mat X = embedded(W_e, W_p, 4, x);
    assert_same(X, add(plain, e), TIGHT);
}

static Mat whole_sequence(const Mat of[])
{
    return embedded(of[0], of[1], 4, x);
}

static void the_derivative_of_equation_1_agrees_with_differences(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(3, 5), random_parameter(3, 6) };
    assert_derivatives(whole_sequence, 2, of, 0);
    assert_gradients_apart(whole_sequence, 2, of, 0);
}

static void fixed_positions_are_not_learned(void **state)
{
    (void)state;
    Mat W_e = random_parameter(4, 5);
    Mat W_p = sinusoids(arena, 4, 4, SINUSOIDS_PAPER, 100, 1);
    backward(sum(embedded(W_e, W_p, 4, x)));
    assert_that(W_p->grad == NULL && W_p->tape == NULL);
    const real times[] = { 1, 1, 0, 2, 0 };  /* that v stands in x */
    for (int v = 1; v <= 5; v++)
        assert_that(W_e->grad[4 * (v - 1)] == times[v - 1]);
}

static void another_program_agrees_on_equation_1(void **state)
{
    (void)state;
    const int tokens[] = { ALG01_X };
    Mat W_e = learned(4, 6, alg02_W_e), W_p = learned(4, 7, alg02_W_p);
    Mat X = embedded(W_e, W_p, 5, tokens);
    assert_recorded(X, 4, 5, alg02_X);
    backward(against(X, given(4, 5, alg02_G)));
    assert_gradient(W_e, RECORDED, alg02_d_W_e);
    assert_gradient(W_p, RECORDED, alg02_d_W_p);
}

static void a_sequence_outside_equation_1_is_refused(void **state)
{
    (void)state;
    Mat W_e = random_parameter(2, 3), W_p = random_parameter(2, 4);
    const int low[] = { 1, 0 }, one[] = { 1 };
    const char *file = "equations.c", *call = "embeddings";
    Theta norm = { .hyper = { .ell_max = 4, .epsilon = .5 }, .W_e = W_e };
    assert_refuses_in(embedded(W_e, W_p, 0, x), file, call, "a sequence of 0 "
                      "tokens: the length must be in [ell_max] = 1 ... 4.");
    assert_refuses_in(embedded(W_e, W_p, 5, x), file, call, "a sequence of 5 "
                      "tokens: the length must be in [ell_max] = 1 ... 4.");
    assert_refuses_in(embedded(W_e, W_p, 4, x), file, call,
                      "x[1] = 4: a token ID is in [N_V] = 1 ... 3.");
    assert_refuses_in(embedded(W_e, W_p, 2, low), file, call,
                      "x[2] = 0: a token ID is in [N_V] = 1 ... 3.");
    assert_refuses_in(embedded(W_e, random_parameter(3, 4), 1, one), file,
                      "add(e, gather(tape, theta->W_p, x.length, t.id))",
                      "the first is 2 x 1 and the second 3 x 1; they must "
                      "have one shape.");
    assert_refuses_in(embeddings(tape, (Tokens){ 1, one }, &norm), file, call,
                      "the tape is not prepared for this theta; see "
                      "prepare_tape.");
    settings(tape)->past = 4;
    assert_refuses_in(embedded(W_e, W_p, 1, one), file, call, "a sequence of "
                      "5 tokens: the length must be in [ell_max] = 1 ... 4.");
}

/* -------------------------------------------------------------- sinusoids */

static void the_papers_table_has_its_values(void **state)
{
    (void)state;
    assert_rows(sinusoids(arena, 4, 3, SINUSOIDS_PAPER, 100, 1), 4, 3, SIX,
                0.099833, 0.198669, 0.295520,
                0.995004, 0.980067, 0.955336,
                0.010000, 0.019999, 0.029996,
                0.999950, 0.999800, 0.999550);
}

static void vaswanis_table_has_its_values(void **state)
{
    (void)state;
    assert_rows(sinusoids(arena, 4, 4, SINUSOIDS_VASWANI, 10000, 0), 4, 4, SIX,
                0, .841471,  .909297,  .141120,
                1, .540302, -.416147, -.989992,
                0, .010000,  .019999,  .029996,
                1, .999950,  .999800,  .999550);
    Mat W_p = sinusoids(arena, 4, 3, SINUSOIDS_VASWANI, 100, 1);
    const int j[] = { 1, 2 };
    assert_rows(columns_of(W_p, 2, j), 4, 2, SIX,
                .841471,  .909297,
                .540302, -.416147,
                .099833,  .198669,
                .995004,  .980067);
}

/* E26: with one base, pair i of the paper is pair i + 1 of Vaswani et al. */
static void the_papers_pairs_are_vaswanis_moved_by_one(void **state)
{
    (void)state;
    Mat paper = sinusoids(arena, 8, 5, SINUSOIDS_PAPER, 50, 1);
    Mat vaswani = sinusoids(arena, 8, 5, SINUSOIDS_VASWANI, 50, 1);
    for (int i = 1; i <= 6; i++)
        for (int t = 1; t <= 5; t++)
            assert_near(AT(paper, i, t), AT(vaswani, i + 2, t), TIGHT);
}

static void the_first_position_moves_the_table(void **state)
{
    (void)state;
    Mat from_0 = sinusoids(arena, 4, 5, SINUSOIDS_PAPER, 100, 0);
    Mat from_2 = sinusoids(arena, 4, 3, SINUSOIDS_PAPER, 100, 2);
    for (int i = 1; i <= 4; i++)
        for (int t = 1; t <= 3; t++)
            assert_near(AT(from_2, i, t), AT(from_0, i, t + 2), TIGHT);
}

/* The turn by k positions is the same wherever it starts. */
static void a_shift_is_a_rotation(void **state)
{
    (void)state;
    enum { K = 3 };
    Mat W_p = sinusoids(arena, 6, 9, SINUSOIDS_VASWANI, 20, 1);
    for (int i = 1; i <= 3; i++) {
        double turn = K / pow(20, 2.0 * (i - 1) / 6);
        for (int t = 1; t + K <= 9; t++) {
            double s = AT(W_p, 2 * i - 1, t), c = AT(W_p, 2 * i, t);
            assert_near(AT(W_p, 2 * i - 1, t + K),
                        s * cos(turn) + c * sin(turn), TIGHT);
            assert_near(AT(W_p, 2 * i, t + K),
                        c * cos(turn) - s * sin(turn), TIGHT);
        }
    }
}

static void a_table_that_cannot_be_is_refused(void **state)
{
    (void)state;
    const char *file = "equations.c", *call = "sinusoids";
    assert_refuses_in(sinusoids(arena, 3, 4, SINUSOIDS_PAPER, 100, 1), file, call,
                      "d_e = 3 is odd: each pair of rows is a sine and a cosine.");
    assert_refuses_in(sinusoids(arena, 4, 4, SINUSOIDS_PAPER, 0, 1), file, call,
                      "base 0, first position 1: the base must be positive and "
                      "both finite.");
    assert_refuses_in(sinusoids(arena, 4, 4, SINUSOIDS_PAPER, INFINITY, 1), file,
                      call, "base inf, first position 1: the base must be "
                      "positive and both finite.");
    assert_refuses_in(sinusoids(arena, 4, 4, SINUSOIDS_PAPER, 5, INFINITY), file,
                      call, "base 5, first position inf: the base must be "
                      "positive and both finite.");
    assert_refuses_in(sinusoids(arena, 4, 0, SINUSOIDS_PAPER, 100, 1), file,
                      "constant(arena, d_e, ell_max)",
                      "a matrix of 4 x 0; it needs a row and a column.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheet_comes_out),
        TEST(a_position_is_embedded_by_its_column),
        TEST(its_derivative_agrees_with_differences),
        TEST(the_step_can_be_seen),
        TEST(a_position_that_has_no_embedding_is_refused),
        TEST(equation_1_is_algorithm_1_plus_algorithm_2),
        TEST(what_was_seen_before_is_left_out),
        TEST(a_factor_multiplies_the_token_and_not_the_position),
        TEST(the_derivative_of_equation_1_agrees_with_differences),
        TEST(fixed_positions_are_not_learned),
        TEST(another_program_agrees_on_equation_1),
        TEST(a_sequence_outside_equation_1_is_refused),
        TEST(the_papers_table_has_its_values),
        TEST(vaswanis_table_has_its_values),
        TEST(the_papers_pairs_are_vaswanis_moved_by_one),
        TEST(the_first_position_moves_the_table),
        TEST(a_shift_is_a_rotation),
        TEST(a_table_that_cannot_be_is_refused),
    };
    return RUN(laws);
}
