/* Algorithm 1: token embedding. */
#include "derivatives.h"
#include "example.h"
#include "oracle/components.h"

static void the_worked_sheet_comes_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg01.sheet", 1);
}

static void the_embedding_is_the_product_with_a_one_hot_vector(void **state)
{
    (void)state;
    Mat W_e = random_parameter(3, 5);
    for (int v = 1; v <= 5; v++) {
        Mat one_hot = input(tape, 5, 1);
        AT(one_hot, v, 1) = 1;
        assert_same(embed(tape, W_e, v), mul(W_e, one_hot), 0);
    }
}

static void the_gradient_reaches_one_column_only(void **state)
{
    (void)state;
    Mat W_e = random_parameter(2, 4), weights = given(1, 2, ROWS(10, 20));
    backward(mul(weights, embed(tape, W_e, 3)));
    for (int j = 1; j <= 4; j++) {
        assert_that(W_e->grad[2 * (j - 1)] == (j == 3 ? 10 : 0));
        assert_that(W_e->grad[2 * (j - 1) + 1] == (j == 3 ? 20 : 0));
    }
}

static Mat second_token(const Mat of[])
{
    return embed(tape, of[0], 2);
}

static void its_derivative_agrees_with_differences(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(3, 4) };
    assert_derivatives(second_token, 1, of, 0);
}

/* A table that is computed is embedded from in the same way. */
static void a_computed_table_gets_its_gradient_too(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(3, 4) };
    assert_derivatives(second_token, 1, of, 1);
}

static void another_program_agrees(void **state)
{
    (void)state;
    Mat W_e = learned(4, 6, alg02_W_e), e = given(4, 5, alg01_e);
    const int x[] = { ALG01_X };
    for (int t = 1; t <= 5; t++)
        assert_same(embed(tape, W_e, x[t - 1]), column_of(e, t), 0);
}

static void the_step_can_be_seen(void **state)
{
    (void)state;
    Seen seen = { 0 };
    observe(tape, note, &seen);
    Mat e = embed(tape, random_parameter(2, 3), 1);
    assert_seen(&seen, "1.1 e");
    assert_that(value_of(&seen, "e") == e);
}

static void a_token_outside_the_vocabulary_is_refused(void **state)
{
    (void)state;
    Mat W_e = random_parameter(2, 5);
    assert_refuses_in(embed(tape, W_e, 0), "alg01_embed.c", "embed",
                      "token ID 0 is not in [N_V] = 1 ... 5.");
    assert_refuses_in(embed(tape, W_e, 6), "alg01_embed.c", "embed",
                      "token ID 6 is not in [N_V] = 1 ... 5.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheet_comes_out),
        TEST(the_embedding_is_the_product_with_a_one_hot_vector),
        TEST(the_gradient_reaches_one_column_only),
        TEST(its_derivative_agrees_with_differences),
        TEST(a_computed_table_gets_its_gradient_too),
        TEST(another_program_agrees),
        TEST(the_step_can_be_seen),
        TEST(a_token_outside_the_vocabulary_is_refused),
    };
    return RUN(laws);
}
