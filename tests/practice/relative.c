/* Relative positions: Gopher's heads, on Algorithm 10. */
#include "law.h"
#include "architecture.h"
#include "oracle/algorithms.h"

#define X_TOKENS TOKENS(3, 1, 7, 2, 2, 5)

static Hyperparameters of_Gopher(void)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = RELATIVE, h.rms = true;
    return h;
}

/* ---------------------------------------------------------- an operation */

/* Queries are the last tokens: one may stand before the first of them. */
LAW(scores_of_distances_are_arranged_by_token)
{
    Mat D = given(3, 3, ROWS(1, 2, 3,
                             4, 5, 6,
                             7, 8, 9));
    assert_rows(by_token(D), 3, 3, 0,
                1, 5, 9,
                0, 2, 6,
                0, 0, 3);
    assert_rows(by_token(columns_of(D, 2, (int[]){ 1, 2 })), 3, 2, 0,
                4, 8,
                1, 5,
                0, 2);
}

static Mat arranged(const Mat of[])
{
    return by_token(of[0]);
}

LAW(its_derivative_agrees_with_differences)
{
    for (int cols = 1; cols <= 4; cols++) {
        Mat D = random_input(4, cols);
        assert_derivatives(arranged, 1, &D, 1);
    }
}

LAW(more_queries_than_tokens_are_refused)
{
    assert_refuses(by_token(random_input(2, 3)), "2 distances for 3 queries");
}

/* ------------------------------------------------------------ the formula */

/* W column + b, in plain loops; b may be NULL. */
static void project(Mat W, Mat b, Mat X, int t, double y[])
{
    for (int i = 1; i <= W->rows; i++) {
        y[i] = b == NULL ? 0 : AT(b, i, 1);
        for (int k = 1; k <= W->cols; k++)
            y[i] += (double)AT(W, i, k) * AT(X, k, t);
    }
}

/* (q + u) k + (q + v) W_r r_(t_x - t_z). */
static double score(const Theta *theta, int l, int h, Mat Xt, int t_z, int t_x)
{
    const W_qkv *w = &theta->layer[l].W.head[h];
    Mat W_r = theta->layer[l].W_r[h];
    double q[4], k[4], S = 0;
    project(w->W_q, w->b_q, Xt, t_x, q);
    project(w->W_k, w->b_k, Xt, t_z, k);
    for (int i = 1; i <= 3; i++) {
        double there = 0;
        for (int j = 1; j <= 4; j++) {
            double angle = (t_x - t_z) / pow(10000, (j - 1) / 2 * 2 / 4.);
            there += AT(W_r, i, j) * (j % 2 == 1 ? sin(angle) : cos(angle));
        }
        S += (q[i] + AT(theta->u[h], i, 1)) * k[i]
           + (q[i] + AT(theta->v[h], i, 1)) * there;
    }
    return S;
}

LAW(the_scores_are_the_formula)
{
    Own norms = { "10.", { 0 } }, scores = { "4.4", { 0 } };
    Theta *theta = random_theta(of_Gopher());
    observe(tape, note_own, &norms);
    observe(tape, note_own, &scores);
    dtransformer(tape, X_TOKENS, theta);
    for (int l = 1; l <= 2; l++)
        for (int h = 1; h <= 2; h++) {
            Mat Xt = seen_on_line(&norms, "10.5", l);
            Mat S = seen_on_line(&scores, "4.4", 2 * (l - 1) + h);
            assert_shape(S, 6, 6);
            for (int t_x = 1; t_x <= 6; t_x++)
                for (int t_z = 1; t_z <= t_x; t_z++)
                    assert_near(AT(S, t_z, t_x),
                                score(theta, l, h, Xt, t_z, t_x), TIGHT);
        }
}

/* In the first layer, where a column knows its own token only. */
static Mat first_scores(const Theta *theta, Tokens x)
{
    Own scores = { "4.4", { 0 } };
    observe(tape, note_own, &scores);
    dtransformer(tape, x, theta);
    unobserve(tape);
    return seen_on_line(&scores, "4.4", 2);
}

static double largest_change(Hyperparameters hyper)
{
    Theta *theta = random_theta(hyper);
    Mat S = first_scores(theta, TOKENS(3, 1, 7, 2));
    Mat later = first_scores(theta, TOKENS(5, 5, 3, 1, 7, 2));
    double most = 0;
    for (int t_x = 1; t_x <= 4; t_x++)
        for (int t_z = 1; t_z <= t_x; t_z++)
            most = fmax(most, fabs(AT(S, t_z, t_x)
                                   - AT(later, t_z + 2, t_x + 2)));
    return most;
}

LAW(where_a_text_begins_does_not_matter)
{
    Hyperparameters h = of_Gopher();
    assert_that(largest_change(h) < TIGHT);
    h.positions = LEARNED;
    assert_that(largest_change(h) > .01);
}

/* ----------------------------------------------------------------- oracle */

LAW(another_program_agrees)
{
    Hyperparameters h = recorded_sizes(D_TRANSFORMER);
    h.L = 1, h.ell_max = 7, h.d_attn = 3, h.d_mid = 2;
    h.positions = RELATIVE, h.rms = true;
    Theta *theta = recorded_theta(h, &relative);
    Mat P = dtransformer(tape, TOKENS(RELATIVE_X), theta);
    assert_recorded(P, 5, 7, relative.result);
}

/* -------------------------------------------------------------- gradients */

static Mat loss_on(Tape *on, const Theta *theta)
{
    return loss_against(dtransformer(on, X_TOKENS, theta),
                        TOKENS(1, 7, 2, 2, 5, 4));
}

static Mat loss_of_one_token(Tape *on, const Theta *theta)
{
    return loss_against(dtransformer(on, TOKENS(3), theta), TOKENS(1));
}

LAW(its_gradients_agree_with_differences)
{
    Hyperparameters h = of_Gopher();
    assert_gradients(loss_on, random_theta(h));
    h.window = 2, h.tied = h.no_attention_biases = true, h.epsilon = .1;
    assert_gradients(loss_on, random_theta(h));
    assert_gradients(loss_of_one_token, random_theta(h));
}
