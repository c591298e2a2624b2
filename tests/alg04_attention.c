/* Algorithm 4: single-head attention. Equation (3): the masks. */
#include "derivatives.h"
#include "example.h"
#include "models.h"
#include "oracle/components.h"

enum { D_X = 3, D_Z = 4, D_ATTN = 2, D_OUT = 3, ELL_X = 4, ELL_Z = 5 };

static const int order[] = { 3, 1, 4, 2 };      /* of four tokens */

static void the_worked_sheets_come_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg04.sheet", 5);
    assert_worked("tests/data/worked/alg04-causal.sheet", 2);
    assert_worked("tests/data/worked/layout-paper.sheet", 6);
    assert_worked("tests/data/worked/layout-textbook.sheet", 6);
    assert_worked("tests/data/worked/layout-torch.sheet", 6);
    assert_worked("tests/data/worked/layout-berkeley.sheet", 6);
}

static void each_column_is_algorithm_3(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_X, ELL_Z);
    Mat Vt = attention(X, Z, &w, bidirectional);
    assert_shape(Vt, D_OUT, ELL_X);
    for (int t = 1; t <= ELL_X; t++)
        assert_same(column_of(Vt, t), attention1(column_of(X, t), Z, &w), TIGHT);
}

static void the_columns_of_A_sum_to_1(void **state)
{
    (void)state;
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    const Mask masks[] = { bidirectional, unidirectional };
    for (int k = 0; k < 2; k++) {
        attention(X, Z, &w, masks[k]);
        Mat A = value_of(&seen, "A");
        assert_shape(A, ELL_Z, ELL_X);
        assert_columns_sum_to_1(A);
        for (int t_x = 1; t_x <= ELL_X; t_x++)
            for (int t_z = 1; t_z <= ELL_Z; t_z++)
                assert_that(k == 0 || t_z <= t_x ? AT(A, t_z, t_x) > 0
                                                 : AT(A, t_z, t_x) == 0);
    }
}

/* The keys 2 and 5 of five are masked, or are not there. */
static void a_masked_key_is_as_good_as_an_absent_one(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 2), Z = random_input(D_Z, 5);
    Mat mask = given(5, 2, ROWS(1, 1,
                                0, 0,
                                1, 1,
                                1, 1,
                                0, 0));
    Mat with = attention(X, Z, &w, mask_of(mask));
    Mat without = attention(X, columns_of(Z, 3, (int[]){ 1, 3, 4 }), &w,
                            bidirectional);
    assert_same(with, without, TIGHT);
    backward(sum(with));
    for (int i = 0; i < D_Z; i++)
        assert_that(Z->grad[D_Z * 1 + i] == 0 && Z->grad[D_Z * 4 + i] == 0);
}

static void a_mask_written_out_is_the_mask(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 3);
    Mat ones = given(3, 3, ROWS(1, 1, 1, 1, 1, 1, 1, 1, 1));
    Mat upper = given(3, 3, ROWS(1, 1, 1,
                                 0, 1, 1,
                                 0, 0, 1));
    assert_same(attention(X, X, &w, mask_of(ones)),
                attention(X, X, &w, bidirectional), 0);
    assert_same(attention(X, X, &w, mask_of(upper)),
                attention(X, X, &w, unidirectional), 0);
}

/* Where only one context token may be seen, its value is the answer. */
static void a_token_that_sees_one_other_takes_its_value(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 3), Z = random_input(D_Z, 3);
    Mat one_each = given(3, 3, ROWS(0, 0, 1,
                                    1, 0, 0,
                                    0, 1, 0));
    Mat V = affine(w.W_v, Z, w.b_v);
    assert_same(attention(X, Z, &w, mask_of(one_each)),
                columns_of(V, 3, (int[]){ 2, 3, 1 }), TIGHT);
}

static void the_past_ignores_the_future_under_the_causal_mask(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 4);
    Mat Vt = attention(X, X, &w, unidirectional);
    for (int t = 1; t <= 4; t++) {
        const int first[] = { 1, 2, 3, 4 };
        Mat start = columns_of(X, t, first);
        assert_same(columns_of(Vt, t, first),
                    attention(start, start, &w, unidirectional), TIGHT);
    }
}

static void without_a_mask_the_future_matters(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 4), Y = columns_of(X, 4, (int[]){ 1, 2, 3, 3 });
    Mat before = attention(X, X, &w, bidirectional);
    Mat after = attention(Y, Y, &w, bidirectional);
    assert_that(!is_near(AT(before, 1, 1), AT(after, 1, 1), 1e-3));
}

/* E27: the paper says invariant. */
static void permuted_tokens_permute_the_result(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 4), P = columns_of(X, 4, order);
    assert_same(attention(P, P, &w, bidirectional),
                columns_of(attention(X, X, &w, bidirectional), 4, order), TIGHT);
}

static void a_permuted_context_changes_nothing(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 2), Z = random_input(D_Z, 4);
    assert_same(attention(X, columns_of(Z, 4, order), &w, bidirectional),
                attention(X, Z, &w, bidirectional), TIGHT);
}

static void the_derivative_by_b_k_is_0(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    const Mask masks[] = { bidirectional, unidirectional };
    for (int k = 0; k < 2; k++) {
        Mat G = random_input(D_OUT, ELL_X);
        backward(against(attention(X, Z, &w, masks[k]), G));
        for (int i = 0; i < D_ATTN; i++) {
            assert_near(w.b_k->grad[i], 0, TIGHT);
            assert_that(fabs(w.b_q->grad[i]) > 1e-6);
        }
    }
}

/* E16: exponentials of such scores are infinite. */
static void scores_of_ten_thousand_do_no_harm(void **state)
{
    (void)state;
    W_qkv w = random_head(1, 1, 1, 1);
    AT(w.W_q, 1, 1) = AT(w.W_k, 1, 1) = AT(w.W_v, 1, 1) = 1;
    AT(w.b_q, 1, 1) = AT(w.b_k, 1, 1) = AT(w.b_v, 1, 1) = 0;
    Mat X = given(1, 2, ROWS(100, -100)), Z = given(1, 3, ROWS(-100, 0, 100));
    assert_rows(attention(X, Z, &w, bidirectional), 1, 2, 0, 100, -100);
}

static Mat slide_scores(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    (void)name, (void)index;
    return strcmp(line, "4.4") == 0 ? to : M;
}

/* The table of the lecture slides, recomputed (spec 4.2): unscaled scores,
   transposed because here a column is a query. 99 is what may not be seen. */
static void the_slides_masked_table_is_reproduced(void **state)
{
    (void)state;
    Mat S = given(4, 4, ROWS(1.76, -.84,  .93,   .55,
                               99, -.19, 2.21, 10.96,
                               99,   99, 2.35,  3.33,
                               99,   99,   99,  -4.8));
    W_qkv w = random_head(4, 4, 1, 4);
    w.W_v = identity(4), w.b_v = constant(arena, 4, 1);
    Mat X = input(tape, 4, 4);
    for (int i = 1; i <= 4; i++)
        AT(X, i, i) = 1;                    /* so that the result is A */
    observe(tape, slide_scores, (struct Matrix *)S);
    assert_rows(attention(X, X, &w, unidirectional), 4, 4, SIX,
                1, .342990, .114498, .000030,
                0, .657010, .411809, .999484,
                0, 0,       .473693, .000485,
                0, 0,       0,       .000000);
}

/* Exercise 4.1: no token looks at itself. */
static void the_exercise_about_others_only_comes_out(void **state)
{
    (void)state;
    Mat S = given(3, 3, ROWS(0, log(3), log(3),
                             log(2), log(2), log(4),
                             log(3), 0, log(3)));
    Mat others = given(3, 3, ROWS(0, 1, 1, 1, 0, 1, 1, 1, 0));
    assert_rows(softmax(masked(S, mask_of(others))), 3, 3, TIGHT,
                0, 3. / 4, 3. / 7,
                2. / 5, 0, 4. / 7,
                3. / 5, 1. / 4, 0);
}

/* Exercise 4.2: are the weights of S those of the softmax along its rows? */
static bool rows_will_do(Mat S)
{
    W_qkv w = random_head(3, 3, 2, 3);                  /* d_attn = 2 */
    w.W_v = identity(3), w.b_v = constant(arena, 3, 1);
    Mat X = input(tape, 3, 3);
    for (int i = 1; i <= 3; i++)
        AT(X, i, i) = 1;                    /* so that the result is A */
    observe(tape, slide_scores, (struct Matrix *)S);
    Mat A = attention(X, X, &w, bidirectional);
    unobserve(tape);
    for (int i = 1; i <= 3; i++) {
        double row = 0;
        for (int j = 1; j <= 3; j++)
            row += exp(AT(S, i, j) / sqrt(2));
        for (int j = 1; j <= 3; j++)
            if (!is_near(AT(A, i, j), exp(AT(S, i, j) / sqrt(2)) / row, 1e-4))
                return false;
    }
    return true;
}

/* Rows and columns of E sum to 6; those of its powers do not. */
static void rows_and_columns_of_the_scaled_exponentials_must_sum_alike(void **state)
{
    (void)state;
    const double E[3][3] = { { 1, 2, 3 }, { 3, 2, 1 }, { 2, 2, 2 } };
    Mat scaled = input(tape, 3, 3), unscaled = input(tape, 3, 3);
    for (int i = 1; i <= 3; i++)
        for (int j = 1; j <= 3; j++) {
            AT(unscaled, i, j) = (real)log(E[i - 1][j - 1]);
            AT(scaled, i, j) = (real)(sqrt(2) * log(E[i - 1][j - 1]));
        }
    assert_that(rows_will_do(scaled));
    assert_that(!rows_will_do(unscaled));
    assert_that(rows_will_do(input(tape, 3, 3)));       /* equal scores */
}

static Mat masked_self(const Mat of[])
{
    W_qkv w = { of[1], of[2], of[3], of[4], of[5], of[6] };
    return attention(of[0], of[0], &w, unidirectional);
}

static Mat cross(const Mat of[])
{
    W_qkv w = { of[2], of[3], of[4], of[5], of[6], of[7] };
    return attention(of[0], of[1], &w, bidirectional);
}

static void its_derivatives_agree_with_differences(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat of[] = { random_parameter(D_X, ELL_X), random_parameter(D_Z, ELL_Z),
                 w.W_q, w.b_q, w.W_k, w.b_k, w.W_v, w.b_v };
    assert_derivatives(cross, 8, of, 1 | 2);
    assert_gradients_apart(cross, 8, of, 1 | 2);
}

/* X is queries, keys and values: three contributions. */
static void self_attention_collects_all_of_its_derivative(void **state)
{
    (void)state;
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat of[] = { random_parameter(D_X, ELL_X),
                 w.W_q, w.b_q, w.W_k, w.b_k, w.W_v, w.b_v };
    assert_derivatives(masked_self, 7, of, 1);
    assert_gradients_apart(masked_self, 7, of, 1);
}

static void another_program_agrees(void **state)
{
    (void)state;
    W_qkv w = {
        learned(2, 4, alg04_W_q), learned(2, 1, alg04_b_q),
        learned(2, 3, alg04_W_k), learned(2, 1, alg04_b_k),
        learned(5, 3, alg04_W_v), learned(5, 1, alg04_b_v),
    };
    Mat X = given(4, 4, alg04_X), Z = given(3, 6, alg04_Z);
    Mat mask = given(6, 4, alg04_mask);
    Mat Vt = attention(X, Z, &w, mask_of(mask));
    assert_recorded(Vt, 5, 4, alg04_Vt);
    backward(against(Vt, given(5, 4, alg04_G)));
    assert_gradient(X, RECORDED, alg04_d_X);
    assert_gradient(Z, RECORDED, alg04_d_Z);
    assert_gradient(w.W_q, RECORDED, alg04_d_W_q);
    assert_gradient(w.b_q, RECORDED, alg04_d_b_q);
    assert_gradient(w.W_k, RECORDED, alg04_d_W_k);
    assert_gradient(w.b_k, RECORDED, alg04_d_b_k);
    assert_gradient(w.W_v, RECORDED, alg04_d_W_v);
    assert_gradient(w.b_v, RECORDED, alg04_d_b_v);
}

static void another_program_agrees_under_the_causal_mask(void **state)
{
    (void)state;
    W_qkv w = {
        learned(3, 4, alg04_causal_W_q), learned(3, 1, alg04_causal_b_q),
        learned(3, 4, alg04_causal_W_k), learned(3, 1, alg04_causal_b_k),
        learned(4, 4, alg04_causal_W_v), learned(4, 1, alg04_causal_b_v),
    };
    Mat X = given(4, 5, alg04_causal_X);
    Mat Vt = attention(X, X, &w, unidirectional);
    assert_recorded(Vt, 4, 5, alg04_causal_Vt);
    backward(against(Vt, given(4, 5, alg04_causal_G)));
    assert_gradient(X, RECORDED, alg04_causal_d_X);
    assert_gradient(w.W_q, RECORDED, alg04_causal_d_W_q);
    assert_gradient(w.b_q, RECORDED, alg04_causal_d_b_q);
    assert_gradient(w.W_k, RECORDED, alg04_causal_d_W_k);
    assert_gradient(w.b_k, RECORDED, alg04_causal_d_b_k);
    assert_gradient(w.W_v, RECORDED, alg04_causal_d_W_v);
    assert_gradient(w.b_v, RECORDED, alg04_causal_d_b_v);
}

static void every_step_can_be_seen(void **state)
{
    (void)state;
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat Vt = attention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z), &w,
                       unidirectional);
    assert_seen(&seen, "4.1 Q, 4.2 K, 4.3 V, 4.4 S, 4.5 S, 4.6 S_scaled, 4.6 A, "
                "4.6 Vt");
    assert_shape(value_of(&seen, "Q"), D_ATTN, ELL_X);
    assert_shape(value_of(&seen, "K"), D_ATTN, ELL_Z);
    assert_shape(value_of(&seen, "V"), D_OUT, ELL_Z);
    assert_shape(value_of(&seen, "S"), ELL_Z, ELL_X);
    assert_that(AT(seen.step[3].M, 2, 1) != -INFINITY);     /* line 4 */
    assert_that(AT(seen.step[4].M, 2, 1) == -INFINITY);     /* line 5 */
    assert_that(value_of(&seen, "Vt") == Vt);
}

/* ---------------------------------------------------------------- refusals */

#define REFUSES(call, inner_call, sentence) \
    assert_refuses_in(call, "alg04_attention.c", inner_call, sentence)

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Mat X = random_input(3, 2), Z = random_input(4, 5);
    W_qkv w = random_head(3, 4, 2, 3), other = w;
    const Mask all = bidirectional;
    REFUSES(attention(Z, Z, &w, all), "affine(w->W_q, X, w->b_q)",
            "W is 2 x 3 and X is 4 x 5; W must have as many columns as X has "
            "rows.");
    REFUSES(attention(X, X, &w, all), "affine(w->W_k, Z, w->b_k)",
            "W is 2 x 4 and X is 3 x 2; W must have as many columns as X has "
            "rows.");
    other.W_v = random_parameter(3, 3);
    REFUSES(attention(X, Z, &other, all), "affine(w->W_v, Z, w->b_v)",
            "W is 3 x 3 and X is 4 x 5; W must have as many columns as X has "
            "rows.");
    other = w, other.b_q = random_parameter(3, 1);
    REFUSES(attention(X, Z, &other, all), "affine(w->W_q, X, w->b_q)",
            "b is 3 x 1; for a matrix of 2 x 3 it must be 2 x 1.");
    other = w, other.b_k = random_parameter(2, 5);
    REFUSES(attention(X, Z, &other, all), "affine(w->W_k, Z, w->b_k)",
            "b is 2 x 5; for a matrix of 2 x 4 it must be 2 x 1.");
    other = w, other.b_v = random_parameter(1, 1);
    REFUSES(attention(X, Z, &other, all), "affine(w->W_v, Z, w->b_v)",
            "b is 1 x 1; for a matrix of 3 x 4 it must be 3 x 1.");
    other = random_head(3, 4, 5, 3), other.W_q = w.W_q, other.b_q = w.b_q;
    REFUSES(attention(X, Z, &other, all), "mul_tn(K, Q)",
            "the first is 5 x 5 and the second 2 x 2; they must have as many "
            "rows, since the first is transposed.");
}

static void a_token_that_may_look_at_nothing_is_refused(void **state)
{
    (void)state;
    W_qkv w = random_head(3, 3, 2, 3);
    Mat X = random_input(3, 2), mask = given(2, 2, ROWS(1, 0,
                                                        1, 0));
    REFUSES(attention(X, X, &w, mask_of(mask)), "softmax(S_scaled)",
            "every entry of column 2 is -infinity: this token may look at "
            "nothing.");
}

static void a_mask_that_is_too_small_is_refused(void **state)
{
    (void)state;
    W_qkv w = random_head(3, 3, 2, 3);
    Mat X = random_input(3, 3), mask = given(2, 3, ROWS(1, 1, 1, 1, 1, 1));
    assert_refuses_in(attention(X, X, &w, mask_of(mask)), "equations.c",
                      "AT(M, t_z, t_x)",
            "there is no entry [3, 1] in a matrix of 2 x 3.");
}

static void sequences_on_two_tapes_are_refused(void **state)
{
    (void)state;
    W_qkv w = random_head(3, 3, 2, 3);
    Mat X = random_input(3, 3), Z = input(quiet, 3, 3);
    REFUSES(attention(X, Z, &w, bidirectional), "mul_tn(K, Q)",
            "the operands are on two different tapes.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheets_come_out),
        TEST(each_column_is_algorithm_3),
        TEST(the_columns_of_A_sum_to_1),
        TEST(a_masked_key_is_as_good_as_an_absent_one),
        TEST(a_mask_written_out_is_the_mask),
        TEST(a_token_that_sees_one_other_takes_its_value),
        TEST(the_past_ignores_the_future_under_the_causal_mask),
        TEST(without_a_mask_the_future_matters),
        TEST(permuted_tokens_permute_the_result),
        TEST(a_permuted_context_changes_nothing),
        TEST(the_derivative_by_b_k_is_0),
        TEST(scores_of_ten_thousand_do_no_harm),
        TEST(the_slides_masked_table_is_reproduced),
        TEST(the_exercise_about_others_only_comes_out),
        TEST(rows_and_columns_of_the_scaled_exponentials_must_sum_alike),
        TEST(its_derivatives_agree_with_differences),
        TEST(self_attention_collects_all_of_its_derivative),
        TEST(another_program_agrees),
        TEST(another_program_agrees_under_the_causal_mask),
        TEST(every_step_can_be_seen),
        TEST(shapes_that_do_not_fit_are_refused),
        TEST(a_token_that_may_look_at_nothing_is_refused),
        TEST(a_mask_that_is_too_small_is_refused),
        TEST(sequences_on_two_tapes_are_refused),
    };
    return RUN(laws);
}
