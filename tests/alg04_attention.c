/* Algorithm 4: single-head attention. Equation (3): the masks. */
#include "law.h"
#include "derivatives.h"
#include "models.h"

enum { D_X = 3, D_Z = 4, D_ATTN = 2, D_OUT = 3, ELL_X = 4, ELL_Z = 5 };

static const int order[] = { 3, 1, 4, 2 };      /* of four tokens */

LAW(each_column_is_algorithm_3)
{
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_X, ELL_Z);
    Mat Vt = attention(X, Z, &w, bidirectional);
    assert_shape(Vt, D_OUT, ELL_X);
    for (int t = 1; t <= ELL_X; t++)
        assert_same(column_of(Vt, t), attention1(column_of(X, t), Z, &w), TIGHT);
}

LAW(the_columns_of_A_sum_to_1)
{
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
LAW(a_masked_key_is_as_good_as_an_absent_one)
{
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

LAW(a_mask_written_out_is_the_mask)
{
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

LAW(the_past_ignores_the_future_under_the_causal_mask)
{
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

/* E27: the paper says invariant. */
LAW(permuted_tokens_permute_the_result)
{
    W_qkv w = random_head(D_X, D_X, D_ATTN, D_OUT);
    Mat X = random_input(D_X, 4), P = columns_of(X, 4, order);
    assert_same(attention(P, P, &w, bidirectional),
                columns_of(attention(X, X, &w, bidirectional), 4, order), TIGHT);
}

/* E16: exponentials of such scores are infinite. */
LAW(scores_of_ten_thousand_do_no_harm)
{
    W_qkv w = random_head(1, 1, 1, 1);
    set_all(w.W_q, 1), set_all(w.W_k, 1), set_all(w.W_v, 1);
    set_all(w.b_q, 0), set_all(w.b_k, 0), set_all(w.b_v, 0);
    Mat X = given(1, 2, ROWS(100, -100)), Z = given(1, 3, ROWS(-100, 0, 100));
    assert_rows(attention(X, Z, &w, bidirectional), 1, 2, 0, 100, -100);
}

static Mat masked_self(const Mat of[])
{
    W_qkv w = head_in(of + 1);
    return attention(of[0], of[0], &w, unidirectional);
}

static Mat cross(const Mat of[])
{
    W_qkv w = head_in(of + 2);
    return attention(of[0], of[1], &w, bidirectional);
}

LAW(its_derivatives_agree_with_differences)
{
    Mat of[8] = { random_parameter(D_X, ELL_X), random_parameter(D_Z, ELL_Z) };
    put_head(of + 2, random_head(D_X, D_Z, D_ATTN, D_OUT));
    assert_derivatives(cross, 8, of, 1 | 2);
}

/* X is queries, keys and values: three contributions. */
LAW(self_attention_collects_all_of_its_derivative)
{
    Mat of[7] = { random_parameter(D_X, ELL_X) };
    put_head(of + 1, random_head(D_X, D_X, D_ATTN, D_OUT));
    assert_derivatives(masked_self, 7, of, 1);
}

LAW(every_step_can_be_seen)
{
    Seen seen = { 0 };
    observe(tape, note, &seen);
    W_qkv w = random_head(D_X, D_Z, D_ATTN, D_OUT);
    Mat Vt = attention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z), &w,
                       unidirectional);
    assert_seen(&seen, "4.1 Q, 4.2 K, 4.3 V, 4.4 S, 4.5 S, 4.6 S_scaled, 4.6 A, "
                "4.6 V_tilde");
    assert_shape(value_of(&seen, "Q"), D_ATTN, ELL_X);
    assert_shape(value_of(&seen, "K"), D_ATTN, ELL_Z);
    assert_shape(value_of(&seen, "V"), D_OUT, ELL_Z);
    assert_shape(value_of(&seen, "S"), ELL_Z, ELL_X);
    assert_that(AT(seen.step[3].M, 2, 1) != -INFINITY);     /* line 4 */
    assert_that(AT(seen.step[4].M, 2, 1) == -INFINITY);     /* line 5 */
    assert_that(value_of(&seen, "V_tilde") == Vt);
}

LAW(shapes_that_do_not_fit_are_refused)
{
    Mat X = random_input(3, 2), Z = random_input(4, 5);
    W_qkv w = random_head(3, 4, 2, 3), other = w;
    const Mask all = bidirectional;
    assert_refuses(attention(Z, Z, &w, all), "W is 2 x 3 and X is 4 x 5");
    assert_refuses(attention(X, X, &w, all), "W is 2 x 4 and X is 3 x 2");
    other.W_v = random_parameter(3, 3);
    assert_refuses(attention(X, Z, &other, all), "W is 3 x 3 and X is 4 x 5");
    other = w, other.b_q = random_parameter(3, 1);
    assert_refuses(attention(X, Z, &other, all), "b is 3 x 1");
    other = w, other.b_k = random_parameter(2, 5);
    assert_refuses(attention(X, Z, &other, all), "b is 2 x 5");
    other = w, other.b_v = random_parameter(1, 1);
    assert_refuses(attention(X, Z, &other, all), "b is 1 x 1");
    other = random_head(3, 4, 5, 3), other.W_q = w.W_q, other.b_q = w.b_q;
    assert_refuses(attention(X, Z, &other, all),
                   "the first is 5 x 5 and the second 2 x 2");
}

LAW(masks_and_tapes_that_do_not_fit_are_refused)
{
    W_qkv w = random_head(3, 3, 2, 3);
    Mat X = random_input(3, 3), Z = input(quiet, 3, 3);
    Mat low = given(2, 3, ROWS(1, 1, 1,
                               1, 1, 1)), blind = given(3, 3, ROWS(1, 0, 1,
                                                                   1, 0, 1,
                                                                   1, 0, 1));
    assert_refuses(attention(X, X, &w, mask_of(blind)),
                   "every entry of column 2 is -infinity");
    assert_refuses(attention(X, X, &w, mask_of(low)),
                   "there is no entry [3, 1] in a matrix of 2 x 3.");
    assert_refuses(attention(X, Z, &w, bidirectional),
                   "the operands are on two different tapes.");
}
