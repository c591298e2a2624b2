/* Algorithm 5: multi-head attention. */
#include "derivatives.h"
#include "example.h"
#include "models.h"
#include "oracle/components.h"

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

static void the_worked_sheet_comes_out(void **state)
{
    (void)state;
    assert_worked("tests/data/worked/alg05.sheet", 4);
}

static void one_head_that_is_not_mixed_is_algorithm_4(void **state)
{
    (void)state;
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

static void the_result_is_b_o_and_a_contribution_of_each_head(void **state)
{
    (void)state;
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    Mat total = add_bias(input(tape, D_OUT, ELL_X), w.b_o);
    for (int h = 1; h <= H; h++)
        total = add(total, mul(part_of_W_o(&w, h),
                               attention(X, Z, &head[h], unidirectional)));
    assert_same(mhattention(X, Z, &w, unidirectional), total, TIGHT);
}

static void heads_swapped_with_their_columns_change_nothing(void **state)
{
    (void)state;
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head), other = w;
    W_qkv swapped[] = { { 0 }, head[3], head[2], head[1] };
    const int columns[] = { 5, 6, 3, 4, 1, 2 };
    other.head = swapped, other.W_o = columns_of(w.W_o, 6, columns);
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    assert_same(mhattention(X, Z, &other, bidirectional),
                mhattention(X, Z, &w, bidirectional), TIGHT);
}

static void permuted_tokens_permute_the_result(void **state)
{
    (void)state;
    const int order[] = { 3, 1, 4, 2 };
    W_qkv head[] = { { 0 }, random_head(D_X, D_X, D_ATTN, D_MID),
                     random_head(D_X, D_X, D_ATTN, D_MID) };
    W_multi w = { 2, head, random_parameter(D_OUT, 4), random_parameter(D_OUT, 1) };
    Mat X = random_input(D_X, 4), P = columns_of(X, 4, order);
    assert_same(mhattention(P, P, &w, bidirectional),
                columns_of(mhattention(X, X, &w, bidirectional), 4, order), TIGHT);
}

/* Operands: X, Z, W_o, b_o, and six of each of two heads. */
static Mat from_operands(const Mat of[])
{
    W_qkv head[3] = { { 0 } };
    for (int h = 1; h <= 2; h++) {
        const Mat *p = of + 6 * h - 2;
        head[h] = (W_qkv){ p[0], p[1], p[2], p[3], p[4], p[5] };
    }
    W_multi w = { 2, head, of[2], of[3] };
    return mhattention(of[0], of[1], &w, unidirectional);
}

static void its_derivatives_agree_with_differences(void **state)
{
    (void)state;
    Mat of[16] = { random_parameter(D_X, ELL_X), random_parameter(D_Z, ELL_Z),
                   random_parameter(D_OUT, 2 * D_MID), random_parameter(D_OUT, 1) };
    for (int h = 1; h <= 2; h++) {
        W_qkv w = random_head(D_X, D_Z, D_ATTN, D_MID);
        const Mat six[] = { w.W_q, w.b_q, w.W_k, w.b_k, w.W_v, w.b_v };
        memcpy(of + 6 * h - 2, six, sizeof six);
    }
    assert_derivatives(from_operands, 16, of, 1 | 2);
    assert_gradients_apart(from_operands, 16, of, 1 | 2);
}

/* The other program keeps the heads' rows in one matrix of 6 rows, and all
   biases in one of 18: those of the queries, the keys, the values. */
static void another_program_agrees(void **state)
{
    (void)state;
    W_qkv head[H + 1] = { { 0 } };
    for (int h = 1; h <= H; h++) {
        int two = 2 * (h - 1);
        head[h] = (W_qkv){
            learned(2, 6, alg05_W_q + two * 6), learned(2, 1, alg05_b + two),
            learned(2, 4, alg05_W_k + two * 4), learned(2, 1, alg05_b + 6 + two),
            learned(2, 4, alg05_W_v + two * 4), learned(2, 1, alg05_b + 12 + two),
        };
    }
    W_multi w = { H, head, learned(6, 6, alg05_W_o), learned(6, 1, alg05_b_o) };
    Mat X = given(6, 4, alg05_X), Z = given(4, 5, alg05_Z);
    Mat mask = given(5, 4, alg05_mask);
    Mat Vt = mhattention(X, Z, &w, mask_of(mask));
    assert_recorded(Vt, 6, 4, alg05_Vt);
    backward(against(Vt, given(6, 4, alg05_G)));
    assert_gradient(X, RECORDED, alg05_d_X);
    assert_gradient(Z, RECORDED, alg05_d_Z);
    assert_gradient(w.W_o, RECORDED, alg05_d_W_o);
    assert_gradient(w.b_o, RECORDED, alg05_d_b_o);
    for (int h = 1; h <= H; h++) {
        int two = 2 * (h - 1);
        assert_gradient(head[h].W_q, RECORDED, alg05_d_W_q + two * 6);
        assert_gradient(head[h].W_k, RECORDED, alg05_d_W_k + two * 4);
        assert_gradient(head[h].W_v, RECORDED, alg05_d_W_v + two * 4);
        assert_gradient(head[h].b_q, RECORDED, alg05_d_b + two);
        assert_gradient(head[h].b_k, RECORDED, alg05_d_b + 6 + two);
        assert_gradient(head[h].b_v, RECORDED, alg05_d_b + 12 + two);
    }
}

#define HEAD "4.1 Q, 4.2 K, 4.3 V, 4.4 S, 4.5 S, 4.6 S_scaled, 4.6 A, 4.6 Vt"

static void every_step_of_every_head_can_be_seen(void **state)
{
    (void)state;
    Seen seen = { 0 };
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    observe(tape, note, &seen);
    Mat Vt = mhattention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z), &w,
                         bidirectional);
    assert_seen(&seen, "5.1 h=1, " HEAD ", 5.2 Y_h, "
                       "5.1 h=2, " HEAD ", 5.2 Y_h, "
                       "5.1 h=3, " HEAD ", 5.2 Y_h, 5.3 Y, 5.4 Vt");
    assert_that(value_of(&seen, "Vt") == Vt);
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
static void the_heads_that_are_seen_are_the_heads_that_are_mixed(void **state)
{
    (void)state;
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head);
    Mat nothing = input(tape, D_MID, ELL_X);
    observe(tape, nothing_to_see, (struct Matrix *)nothing);
    assert_same(mhattention(random_input(D_X, ELL_X), random_input(D_Z, ELL_Z),
                            &w, bidirectional),
                add_bias(input(tape, D_OUT, ELL_X), w.b_o), 0);
}

#define REFUSES(call, inner_call, sentence) \
    assert_refuses_in(call, "alg05_mhattention.c", inner_call, sentence)

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    W_qkv head[H + 1] = { { 0 } };
    W_multi w = random_heads(head), other = w;
    Mat X = random_input(D_X, ELL_X), Z = random_input(D_Z, ELL_Z);
    const Mask all = bidirectional;
    other.H = 0;
    assert_refuses_in(mhattention(X, Z, &other, all), "matrix.c", "matrices",
                      "a list of 0; there must be one.");
    other = w, other.W_o = random_parameter(3, 4);
    REFUSES(mhattention(X, Z, &other, all), "affine(w->W_o, Y, w->b_o)",
            "W is 3 x 4 and X is 6 x 4; W must have as many columns as X has "
            "rows.");
    other = w, other.b_o = random_parameter(2, 1);
    REFUSES(mhattention(X, Z, &other, all), "affine(w->W_o, Y, w->b_o)",
            "b is 2 x 1; for a matrix of 3 x 6 it must be 3 x 1.");
    assert_refuses_in(mhattention(random_parameter(D_X, ELL_X), Z, &w, all),
                      "matrix.c", "matrices", "the first matrix is on no tape; "
                      "make it an input(tape, rows, cols).");
    head[2].b_v = random_parameter(1, 1);
    assert_refuses_in(mhattention(X, Z, &w, all), "alg04_attention.c",
                      "affine(w->W_v, Z, w->b_v)",
                      "b is 1 x 1; for a matrix of 2 x 4 it must be 2 x 1.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheet_comes_out),
        TEST(one_head_that_is_not_mixed_is_algorithm_4),
        TEST(the_result_is_b_o_and_a_contribution_of_each_head),
        TEST(heads_swapped_with_their_columns_change_nothing),
        TEST(permuted_tokens_permute_the_result),
        TEST(its_derivatives_agree_with_differences),
        TEST(another_program_agrees),
        TEST(every_step_of_every_head_can_be_seen),
        TEST(the_heads_that_are_seen_are_the_heads_that_are_mixed),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
