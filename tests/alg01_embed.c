/* Algorithm 1: token embedding. */
#include "law.h"
#include "derivatives.h"

LAW(the_embedding_is_the_product_with_a_one_hot_vector)
{
    Mat W_e = random_parameter(3, 5);
    for (int v = 1; v <= 5; v++) {
        Mat one_hot = input(tape, 5, 1);
        AT(one_hot, v, 1) = 1;
        assert_same(embed(tape, W_e, v), mul(W_e, one_hot), 0);
    }
}

static Mat second_token(const Mat of[])
{
    return embed(tape, of[0], 2);
}

/* The table is a parameter, or it is computed. */
LAW(its_derivative_agrees_with_differences)
{
    Mat of[] = { random_parameter(3, 4) };
    assert_derivatives(second_token, 1, of, 0);
    assert_derivatives(second_token, 1, of, 1);
}

LAW(the_step_can_be_seen)
{
    Seen seen = { 0 };
    observe(tape, note, &seen);
    Mat e = embed(tape, random_parameter(2, 3), 1);
    assert_seen(&seen, "1.1 e");
    assert_that(value_of(&seen, "e") == e);
}

LAW(a_token_outside_the_vocabulary_is_refused)
{
    Mat W_e = random_parameter(2, 5);
    assert_refuses(embed(tape, W_e, 0),
                   "token ID 0 is not in [N_V] = 1 ... 5.");
    assert_refuses(embed(tape, W_e, 6), "token ID 6 is not in");
}
