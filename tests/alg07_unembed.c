/* Algorithm 7: unembedding. And the activations, equation (5). */
#include "derivatives.h"
#include "example.h"
#include "oracle/components.h"

enum { D_E = 3, N_V = 5, ELL = 4 };

static Mat transposed(Mat M)                    /* a parameter */
{
    Mat Mt = parameter(arena, M->cols, M->rows);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(Mt, j, i) = AT(M, i, j);
    return Mt;
}

static Mat unembed_tied(Mat e, Mat W_e)
{
    return unembed(e, transpose_of(arena, W_e));
}

static void the_worked_sheet_comes_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg07.sheet", 1);
}

static void the_probabilities_of_each_token_sum_to_1(void **state)
{
    (void)state;
    Mat p = unembed(random_input(D_E, ELL), random_parameter(N_V, D_E));
    assert_shape(p, N_V, ELL);
    assert_columns_sum_to_1(p);
    for (int v = 1; v <= N_V; v++)
        for (int t = 1; t <= ELL; t++)
            assert_that(AT(p, v, t) > 0);
}

static void each_token_is_unembedded_by_itself(void **state)
{
    (void)state;
    Mat e = random_input(D_E, ELL), W_u = random_parameter(N_V, D_E);
    Mat p = unembed(e, W_u);
    for (int t = 1; t <= ELL; t++)
        assert_same(column_of(p, t), unembed(column_of(e, t), W_u), TIGHT);
}

static void logits_of_ten_thousand_do_no_harm(void **state)
{
    (void)state;
    Mat e = given(1, 2, ROWS(1, -1));
    Mat W_u = learned(3, 1, ROWS(1e4, -1e4, 1e4));
    assert_rows(unembed(e, W_u), 3, 2, 0, .5, 0, 0, 1, .5, 0);
    assert_rows(unembed_tied(e, transposed(W_u)), 3, 2, 0, .5, 0, 0, 1, .5, 0);
}

/* One row, added to every row of W_u, adds one number to all logits. */
static void a_number_added_to_all_logits_changes_nothing(void **state)
{
    (void)state;
    Mat W_u = random_parameter(N_V, D_E), moved = parameter(arena, N_V, D_E);
    Mat row = random_parameter(1, D_E), e = random_input(D_E, ELL);
    for (int i = 1; i <= N_V; i++)
        for (int j = 1; j <= D_E; j++)
            AT(moved, i, j) = AT(W_u, i, j) + AT(row, 1, j);
    assert_same(unembed(e, moved), unembed(e, W_u), TIGHT);
}

static void tokens_with_equal_rows_are_equally_probable(void **state)
{
    (void)state;
    Mat W_u = random_parameter(N_V, D_E);
    for (int j = 1; j <= D_E; j++)
        AT(W_u, 2, j) = AT(W_u, 4, j);
    Mat p = unembed(random_input(D_E, ELL), W_u);
    for (int t = 1; t <= ELL; t++)
        assert_near(AT(p, 2, t), AT(p, 4, t), 0);
}

static void the_tied_form_is_the_untied_one_with_W_e_transposed(void **state)
{
    (void)state;
    Mat W_e = random_parameter(D_E, N_V), W_u = transposed(W_e);
    Mat e = random_input(D_E, ELL), G = random_input(N_V, ELL);
    Mat tied = unembed_tied(e, W_e), untied = unembed(e, W_u);
    assert_same(tied, untied, TIGHT);
    backward(against(tied, G));
    Mat by_tied = constant(arena, D_E, ELL);
    memcpy(by_tied->at, e->grad, entries_in(e) * sizeof(real));
    backward(against(untied, G));
    for (int i = 0; i < D_E; i++) {
        for (int v = 0; v < N_V; v++)
            assert_near(W_e->grad[v * D_E + i], W_u->grad[i * N_V + v], TIGHT);
        for (int t = 0; t < ELL; t++)
            assert_near(by_tied->at[t * D_E + i], e->grad[t * D_E + i], TIGHT);
    }
}

static Mat by_unembed(const Mat of[])      { return unembed(of[0], of[1]); }
static Mat by_unembed_tied(const Mat of[]) { return unembed_tied(of[0], of[1]); }

static void the_derivatives_agree_with_differences(void **state)
{
    (void)state;
    Mat of[] = { random_parameter(D_E, ELL), random_parameter(N_V, D_E) };
    Mat tied[] = { of[0], random_parameter(D_E, N_V) };
    assert_derivatives(by_unembed, 2, of, 1);
    assert_derivatives(by_unembed_tied, 2, tied, 1);
    assert_gradients_apart(by_unembed, 2, of, 1);
    assert_gradients_apart(by_unembed_tied, 2, tied, 1);
}

static void another_program_agrees(void **state)
{
    (void)state;
    Mat e = given(4, 3, alg07_e), W_u = learned(6, 4, alg07_W_u);
    Mat p = unembed(e, W_u);
    assert_recorded(p, 6, 3, alg07_p);
    backward(against(p, given(6, 3, alg07_G)));
    assert_gradient(e, RECORDED, alg07_d_e);
    assert_gradient(W_u, RECORDED, alg07_d_W_u);
}

static void another_program_agrees_on_the_logarithms(void **state)
{
    (void)state;
    const int tokens[] = { ALG07_TOKENS };
    Mat e = given(4, 3, alg07_log_e), W_u = learned(6, 4, alg07_log_W_u);
    Mat y = log_prob(unembed(e, W_u), ((Tokens){ 3, tokens }),
                     span(tape, 1, 3));
    assert_recorded(y, 1, 3, alg07_log_y);
    backward(against(y, given(1, 3, alg07_log_G)));
    assert_gradient(e, RECORDED, alg07_log_d_e);
    assert_gradient(W_u, RECORDED, alg07_log_d_W_u);
}

static void another_program_agrees_on_the_activations(void **state)
{
    (void)state;
    Mat x = given(3, 4, relu_M), y = relu(x);
    assert_recorded(y, 3, 4, relu_y);
    backward(against(y, given(3, 4, relu_G)));
    assert_gradient(x, RECORDED, relu_d_M);

    x = given(3, 4, gelu_M), y = gelu(x);
    assert_recorded(y, 3, 4, gelu_y);
    backward(against(y, given(3, 4, gelu_G)));
    assert_gradient(x, RECORDED, gelu_d_M);

    x = given(3, 4, gelu_tanh_M), y = gelu_tanh(x);
    assert_recorded(y, 3, 4, gelu_tanh_y);
    backward(against(y, given(3, 4, gelu_tanh_G)));
    assert_gradient(x, RECORDED, gelu_tanh_d_M);
}

static void every_step_can_be_seen(void **state)
{
    (void)state;
    Seen untied = { 0 }, tied = { 0 };
    Mat e = random_input(D_E, ELL);
    observe(tape, note, &untied);
    Mat p = unembed(e, random_parameter(N_V, D_E));
    assert_seen(&untied, "7.1 logits, 7.1 p");
    assert_that(value_of(&untied, "p") == p);
    unobserve(tape);
    observe(tape, note, &tied);
    p = unembed_tied(e, random_parameter(D_E, N_V));
    assert_seen(&tied, "7.1 logits, 7.1 p");
    assert_that(value_of(&tied, "p") == p);
}

#define REFUSES(call, inner_call, sentence) \
    assert_refuses_in(call, "alg07_unembed.c", inner_call, sentence)

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Mat e = random_input(3, 2), W = random_parameter(4, 5);
    Mat infinite = learned(1, 3, ROWS((double)INFINITY, 0, 0));
    AT(e, 1, 1) = 1;
    REFUSES(unembed(e, W), "mul(W_u, e)",
            "the first is 4 x 5 and the second 3 x 2; the first must have as "
            "many columns as the second has rows.");
    REFUSES(unembed_tied(e, W), "mul(W_u, e)",
            "the first is 5 x 4 and the second 3 x 2; the first must have as "
            "many columns as the second has rows.");
    REFUSES(unembed(e, infinite), "softmax(logits)",
            "column 1 has an entry that is not a number or infinite.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheet_comes_out),
        TEST(the_probabilities_of_each_token_sum_to_1),
        TEST(each_token_is_unembedded_by_itself),
        TEST(logits_of_ten_thousand_do_no_harm),
        TEST(a_number_added_to_all_logits_changes_nothing),
        TEST(tokens_with_equal_rows_are_equally_probable),
        TEST(the_tied_form_is_the_untied_one_with_W_e_transposed),
        TEST(the_derivatives_agree_with_differences),
        TEST(another_program_agrees),
        TEST(another_program_agrees_on_the_logarithms),
        TEST(another_program_agrees_on_the_activations),
        TEST(every_step_can_be_seen),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
