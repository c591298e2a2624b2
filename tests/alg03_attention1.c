/* Algorithm 3: basic single-query attention. */
#include "law.h"
#include "derivatives.h"
#include "models.h"

enum { D_IN = 3, D_ATTN = 2, D_OUT = 3, T = 4 };

LAW(the_weights_are_positive_and_sum_to_1)
{
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    attention1(random_input(D_IN, 1), random_input(D_IN, T), &w);
    Mat alpha_t = value_of(&seen, "alpha_t");
    assert_shape(alpha_t, T, 1);
    assert_columns_sum_to_1(alpha_t);
    for (int t = 1; t <= T; t++)
        assert_that(AT(alpha_t, t, 1) > 0);
}

LAW(the_order_of_the_context_does_not_matter)
{
    const int order[] = { 3, 1, 4, 2 };
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat e = random_input(D_IN, 1), e_t = random_input(D_IN, T);
    assert_same(attention1(e, columns_of(e_t, T, order), &w),
                attention1(e, e_t, &w), TIGHT);
}

/* The same number is added to every score. */
LAW(the_bias_of_the_keys_does_not_matter)
{
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT), other = w;
    other.b_k = random_parameter(D_ATTN, 1);
    Mat e = random_input(D_IN, 1), e_t = random_input(D_IN, T);
    assert_same(attention1(e, e_t, &w), attention1(e, e_t, &other), TIGHT);
}

static Mat from_operands(const Mat of[])
{
    W_qkv w = head_in(of + 2);
    return attention1(of[0], of[1], &w);
}

LAW(its_derivatives_agree_with_differences)
{
    Mat of[8] = { random_parameter(D_IN, 1), random_parameter(D_IN, T) };
    put_head(of + 2, random_head(D_IN, D_IN, D_ATTN, D_OUT));
    assert_derivatives(from_operands, 8, of, 1 | 2);
}

LAW(every_step_can_be_seen)
{
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat v = attention1(random_input(D_IN, 1), random_input(D_IN, T), &w);
    assert_seen(&seen, "3.1 q, 3.2 k_t, 3.3 v_t, 3.4 scores, 3.4 alpha_t, "
                "3.5 v_tilde");
    assert_that(value_of(&seen, "v_tilde") == v);
    assert_shape(value_of(&seen, "q"), D_ATTN, 1);
    assert_shape(value_of(&seen, "k_t"), D_ATTN, T);
    assert_shape(value_of(&seen, "scores"), T, 1);
}

LAW(shapes_that_do_not_fit_are_refused)
{
    W_qkv w = random_head(3, 3, 2, 4), other = w;
    Mat e = random_input(3, 1), e_t = random_input(3, 5), two = random_input(3, 2);
    Mat tall = random_input(4, 1);
    assert_refuses(attention1(two, e_t, &w), "e is 3 x 2; it must be one token");
    assert_refuses(attention1(tall, e_t, &w), "W is 2 x 3 and X is 4 x 1");
    assert_refuses(attention1(e, tall, &w), "W is 2 x 3 and X is 4 x 1");
    other.W_v = random_parameter(4, 2);
    assert_refuses(attention1(e, e_t, &other), "W is 4 x 2 and X is 3 x 5");
    other.W_k = random_parameter(3, 3), other.b_k = random_parameter(3, 1);
    other.W_v = w.W_v;
    assert_refuses(attention1(e, e_t, &other),
                   "the first is 3 x 5 and the second 2 x 1");
}
