/* Algorithm 3: basic single-query attention. */
#include "derivatives.h"
#include "example.h"
#include "models.h"
#include "oracle/components.h"

enum { D_IN = 3, D_ATTN = 2, D_OUT = 4, T = 5 };

static void the_worked_sheet_comes_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg03.sheet", 5);
}

static void the_weights_are_positive_and_sum_to_1(void **state)
{
    (void)state;
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

static void the_result_lies_between_the_values(void **state)
{
    (void)state;
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat v = attention1(random_input(D_IN, 1), random_input(D_IN, T), &w);
    Mat v_t = value_of(&seen, "v_t");
    for (int i = 1; i <= D_OUT; i++) {
        double least = AT(v_t, i, 1), most = least;
        for (int t = 2; t <= T; t++) {
            least = fmin(least, AT(v_t, i, t));
            most = fmax(most, AT(v_t, i, t));
        }
        assert_that(least < AT(v, i, 1) && AT(v, i, 1) < most);
    }
}

static void the_order_of_the_context_does_not_matter(void **state)
{
    (void)state;
    const int order[] = { 3, 5, 1, 4, 2 };
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat e = random_input(D_IN, 1), e_t = random_input(D_IN, T);
    assert_same(attention1(e, columns_of(e_t, T, order), &w),
                attention1(e, e_t, &w), TIGHT);
}

static void a_context_of_one_token_answers_with_its_value(void **state)
{
    (void)state;
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat e_1 = random_input(D_IN, 1);
    assert_same(attention1(random_input(D_IN, 1), e_1, &w),
                affine(w.W_v, e_1, w.b_v), TIGHT);
}

static void a_query_of_zero_averages(void **state)
{
    (void)state;
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    w.W_q = constant(arena, D_ATTN, D_IN), w.b_q = constant(arena, D_ATTN, 1);
    Mat e_t = random_input(D_IN, T), equal = given(T, 1, ROWS(.2, .2, .2, .2, .2));
    assert_same(attention1(random_input(D_IN, 1), e_t, &w),
                mul(affine(w.W_v, e_t, w.b_v), equal), TIGHT);
}

/* The same number is added to every score. */
static void the_bias_of_the_keys_does_not_matter(void **state)
{
    (void)state;
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT), other = w;
    other.b_k = random_parameter(D_ATTN, 1);
    Mat e = random_input(D_IN, 1), e_t = random_input(D_IN, T);
    assert_same(attention1(e, e_t, &w), attention1(e, e_t, &other), TIGHT);
}

static Mat from_operands(const Mat of[])
{
    W_qkv w = { of[2], of[3], of[4], of[5], of[6], of[7] };
    return attention1(of[0], of[1], &w);
}

static void its_derivatives_agree_with_differences(void **state)
{
    (void)state;
    W_qkv w = random_head(D_IN, D_IN, D_ATTN, D_OUT);
    Mat of[] = { random_parameter(D_IN, 1), random_parameter(D_IN, T),
                 w.W_q, w.b_q, w.W_k, w.b_k, w.W_v, w.b_v };
    assert_derivatives(from_operands, 8, of, 1 | 2);
    assert_gradients_apart(from_operands, 8, of, 1 | 2);
}

static void another_program_agrees(void **state)
{
    (void)state;
    W_qkv w = {
        learned(3, 4, alg03_W_q), learned(3, 1, alg03_b_q),
        learned(3, 4, alg03_W_k), learned(3, 1, alg03_b_k),
        learned(5, 4, alg03_W_v), learned(5, 1, alg03_b_v),
    };
    Mat e = given(4, 1, alg03_e), e_t = given(4, 6, alg03_e_t);
    Mat v_tilde = attention1(e, e_t, &w);
    assert_recorded(v_tilde, 5, 1, alg03_v_tilde);
    backward(against(v_tilde, given(5, 1, alg03_G)));
    assert_gradient(e, RECORDED, alg03_d_e);
    assert_gradient(e_t, RECORDED, alg03_d_e_t);
    assert_gradient(w.W_q, RECORDED, alg03_d_W_q);
    assert_gradient(w.b_q, RECORDED, alg03_d_b_q);
    assert_gradient(w.W_k, RECORDED, alg03_d_W_k);
    assert_gradient(w.b_k, RECORDED, alg03_d_b_k);
    assert_gradient(w.W_v, RECORDED, alg03_d_W_v);
    assert_gradient(w.b_v, RECORDED, alg03_d_b_v);
}

static void every_step_can_be_seen(void **state)
{
    (void)state;
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

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const char *file = "alg03_attention1.c";
    W_qkv w = random_head(3, 3, 2, 4), other = w;
    Mat e = random_input(3, 1), e_t = random_input(3, 5), two = random_input(3, 2);
    Mat tall = random_input(4, 1);
    assert_refuses_in(attention1(two, e_t, &w), file, "attention1",
                      "e is 3 x 2; it must be one token, one column.");
    assert_refuses_in(attention1(tall, e_t, &w), file, "affine(w->W_q, e, w->b_q)",
                      "W is 2 x 3 and X is 4 x 1; W must have as many columns as "
                      "X has rows.");
    assert_refuses_in(attention1(e, tall, &w), file, "affine(w->W_k, e_t, w->b_k)",
                      "W is 2 x 3 and X is 4 x 1; W must have as many columns as "
                      "X has rows.");
    other.W_v = random_parameter(4, 2);
    assert_refuses_in(attention1(e, e_t, &other), file,
                      "affine(w->W_v, e_t, w->b_v)",
                      "W is 4 x 2 and X is 3 x 5; W must have as many columns as "
                      "X has rows.");
    other.W_k = random_parameter(3, 3), other.b_k = random_parameter(3, 1);
    other.W_v = w.W_v;
    assert_refuses_in(attention1(e, e_t, &other), file, "mul_tn(k_t, q)",
                      "the first is 3 x 5 and the second 2 x 1; they must have "
                      "as many rows, since the first is transposed.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheet_comes_out),
        TEST(the_weights_are_positive_and_sum_to_1),
        TEST(the_result_lies_between_the_values),
        TEST(the_order_of_the_context_does_not_matter),
        TEST(a_context_of_one_token_answers_with_its_value),
        TEST(a_query_of_zero_averages),
        TEST(the_bias_of_the_keys_does_not_matter),
        TEST(its_derivatives_agree_with_differences),
        TEST(another_program_agrees),
        TEST(every_step_can_be_seen),
        TEST(shapes_that_do_not_fit_are_refused),
    };
    return RUN(laws);
}
