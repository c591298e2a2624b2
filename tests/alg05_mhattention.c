/* Algorithm 5: multi-head attention. */
#include "law.h"
#include "derivatives.h"
#include "models.h"
#include "oracle/algorithms.h"

enum { D_X = 3, D_Z = 4, D_ATTN = 2, D_MID = 2, D_OUT = 3, ELL_X = 4, ELL_Z = 5 };
enum { H = 3 };

/* Heads 1 ... H; head[0] is nobody's, and stays empty. */
static W_multi random_heads(W_qkv head[])
{
    for (int h = 1; h <= H; h++)
        head[h] = random_head(D_X, D_Z, D_ATTN, D_MID);
    return (W_multi){ H, head, random_parameter(D_OUT, H * D_MID),
                      random_parameter(D_OUT, 1) };
}

LAW(one_head_that_is_not_mixed_is_algorithm_4)
{
    W_qkv head[] = { { 0 }, random_head(D_X, D_Z, D_ATTN, D_MID) };
    W_multi w = { 1, head, identity(D_MID), constant(arena, D_MID, 1) };
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    const Mask masks[] = { bidirectional, unidirectional };
    for (int k = 0; k < 2; k++)
        assert_same(mhattention(X, Z, &w, masks[k]),
                    attention(X, Z, &head[1], masks[k]), 0);
}

/* The columns of W_o that meet head h. */
static Mat part_of_W_o(const W_multi *w, int h)
{
    int j[D_MID];
    for (int k = 0; k < D_MID; k++)
        j[k] = (h - 1) * D_MID + k + 1;
    return columns_of(w->W_o, D_MID, j);
}

LAW(the_result_is_b_o_and_a_contribution_of_each_head)
{
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    Mat total = add_bias(input(tape, D_OUT, ELL_X), w.b_o);
    for (int h = 1; h <= H; h++)
        total = add(total, mul(part_of_W_o(&w, h),
                               attention(X, Z, &head[h], unidirectional)));
    assert_same(mhattention(X, Z, &w, unidirectional), total, TIGHT);
}

static Mat recorded_mask;

/* Operands: X, Z, W_o, b_o, and six of each of two heads. */
static Mat from_operands(const Mat of[])
{
    W_qkv head[] = { { 0 }, head_in(of + 4), head_in(of + 10) };
    W_multi w = { 2, head, of[2], of[3] };
    Mask mask = recorded_mask == NULL ? unidirectional : mask_of(recorded_mask);
    return mhattention(of[0], of[1], &w, mask);
}

static void two_heads(Mat of[], int d_x, int d_z, int ell_x, int ell_z)
{
    of[0] = random_parameter(d_x, ell_x), of[1] = random_parameter(d_z, ell_z);
    of[2] = random_parameter(d_x, 2 * D_MID), of[3] = random_parameter(d_x, 1);
    for (int h = 1; h <= 2; h++)
        put_head(of + 6 * h - 2, random_head(d_x, d_z, D_ATTN, D_MID));
}

LAW(its_derivatives_agree_with_differences)
{
    Mat of[16];
    recorded_mask = NULL;
    two_heads(of, D_X, D_Z, ELL_X, ELL_Z);
    assert_derivatives(from_operands, 16, of, 1 | 2);
}

LAW(another_program_agrees)
{
    Mat of[16];
    recorded_mask = given(4, 3, alg05_mask);
    two_heads(of, 4, 3, 3, 4);
    assert_recorded_formula(from_operands, 16, of, 1 | 2, alg05);
}

#define HEAD "4.1 Q, 4.2 K, 4.3 V, 4.4 S, 4.5 S, 4.6 S_scaled, 4.6 A, 4.6 V_tilde"

LAW(every_step_of_every_head_can_be_seen)
{
    Seen seen = { 0 };
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    observe(tape, note, &seen);
    Mat Vt = mhattention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z), &w,
                         bidirectional);
    assert_seen(&seen, "5.1 h=1, " HEAD ", 5.2 Y_h, "
                       "5.1 h=2, " HEAD ", 5.2 Y_h, "
                       "5.1 h=3, " HEAD ", 5.2 Y_h, 5.3 Y, 5.4 V_tilde");
    assert_that(value_of(&seen, "V_tilde") == Vt);
    assert_shape(value_of(&seen, "Y_h"), D_MID, ELL_X);
    assert_shape(value_of(&seen, "Y"), H * D_MID, ELL_X);
}

static Mat nothing_to_see(void *to, const char *line, const char *name, Mat M,
                          int index)
{
    (void)line, (void)index;
    return strcmp(name, "Y_h") == 0 ? to : M;
}

/* An observer that silences the heads leaves b_o. */
LAW(the_heads_that_are_seen_are_the_heads_that_are_mixed)
{
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    Mat nothing = input(tape, D_MID, ELL_X);
    observe(tape, nothing_to_see, (struct Matrix *)nothing);
    assert_same(mhattention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z),
                            &w, bidirectional),
                add_bias(input(tape, D_OUT, ELL_X), w.b_o), 0);
}

LAW(wrong_calls_are_refused)
{
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head), other = w;
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    const Mask all = bidirectional;
    other.H = 0;
    assert_refuses(mhattention(X, Z, &other, all), "a list of 0");
    other = w, other.W_o = random_parameter(3, 4);
    assert_refuses(mhattention(X, Z, &other, all),
                   "W is 3 x 4 and X is 6 x 4");
    other = w, other.b_o = random_parameter(2, 1);
    assert_refuses(mhattention(X, Z, &other, all), "b is 2 x 1");
    assert_refuses(mhattention(random_parameter(D_X, ELL_X), Z, &w, all),
                   "the first matrix is on no tape");
    head[2].b_v = random_parameter(1, 1);
    assert_refuses(mhattention(X, Z, &w, all), "b is 1 x 1");
}
