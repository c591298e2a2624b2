/* Algorithm 7: unembedding. */
#include "law.h"
#include "derivatives.h"
#include "models.h"

enum { D_E = 3, N_V = 5, ELL = 3 };

static Mat unembed_tied(Mat e, Mat W_e)
{
    return unembed(e, transpose_of(arena, W_e));
}

LAW(the_probabilities_of_each_token_sum_to_1)
{
    Mat p = unembed(random_input(D_E, ELL), random_parameter(N_V, D_E));
    assert_shape(p, N_V, ELL);
    assert_columns_sum_to_1(p);
    for (int v = 1; v <= N_V; v++)
        for (int t = 1; t <= ELL; t++)
            assert_that(AT(p, v, t) > 0);
}

LAW(each_token_is_unembedded_by_itself)
{
    Mat e = random_input(D_E, ELL), W_u = random_parameter(N_V, D_E);
    Mat p = unembed(e, W_u);
    for (int t = 1; t <= ELL; t++)
        assert_same(column_of(p, t), unembed(column_of(e, t), W_u), TIGHT);
}

/* One row, added to every row of W_u, adds one number to all logits. */
LAW(a_number_added_to_all_logits_changes_nothing)
{
    Mat W_u = random_parameter(N_V, D_E), moved = parameter(arena, N_V, D_E);
    Mat row = random_parameter(1, D_E), e = random_input(D_E, ELL);
    for (int i = 1; i <= N_V; i++)
        for (int j = 1; j <= D_E; j++)
            AT(moved, i, j) = AT(W_u, i, j) + AT(row, 1, j);
    assert_same(unembed(e, moved), unembed(e, W_u), TIGHT);
}

LAW(the_tied_form_is_the_untied_one_with_W_e_transposed)
{
    Mat W_e = random_parameter(D_E, N_V), W_u = parameter(arena, N_V, D_E);
    Mat e = random_input(D_E, ELL);
    for (int v = 1; v <= N_V; v++)
        for (int i = 1; i <= D_E; i++)
            AT(W_u, v, i) = AT(W_e, i, v);
    assert_same(unembed_tied(e, W_e), unembed(e, W_u), TIGHT);
}

static Mat by_unembed(const Mat of[])      { return unembed(of[0], of[1]); }
static Mat by_unembed_tied(const Mat of[]) { return unembed_tied(of[0], of[1]); }

LAW(the_derivatives_agree_with_differences)
{
    Mat of[] = { random_parameter(D_E, ELL), random_parameter(N_V, D_E) };
    Mat tied[] = { of[0], random_parameter(D_E, N_V) };
    assert_derivatives(by_unembed, 2, of, 1);
    assert_derivatives(by_unembed_tied, 2, tied, 1);
}

LAW(every_step_can_be_seen)
{
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

LAW(wrong_calls_are_refused)
{
    Mat e = random_input(3, 2), W = random_parameter(4, 5);
    Mat infinite = learned(1, 3, ROWS((double)INFINITY, 0, 0));
    AT(e, 1, 1) = 1;
    assert_refuses(unembed(e, W), "the first is 4 x 5 and the second 3 x 2");
    assert_refuses(unembed_tied(e, W),
                   "the first is 5 x 4 and the second 3 x 2");
    assert_refuses(unembed(e, infinite),
                   "column 1 has an entry that is not a number or infinite.");
}
