/* Algorithm 9: the encoder-only transformer. */
#include "law.h"
#include "architecture.h"
#include "oracle/algorithms.h"

#define X_TOKENS TOKENS(3, 1, 7, 2, 5)
enum { D_F = 6 };

static Theta *small_theta(void)
{
    return random_theta(small(E_TRANSFORMER));
}

static Mat forward(Tape *on, const Theta *theta)
{
    return etransformer(on, X_TOKENS, theta);
}

LAW(every_column_depends_on_every_token)
{
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = etransformer(tape, x, theta);
    for (int s = 1; s <= x.length; s++) {
        Mat other = etransformer(tape, changed(x, s), theta);
        for (int t = 1; t <= x.length; t++)
            assert_that(!columns_equal(P, t, other, t, 1e-5));
    }
}

/* E1: after line 10 a token has d_f numbers, and W_u has that width. */
LAW(the_unembedding_is_as_wide_as_d_f)
{
    Theta *theta = small_theta();
    assert_shape(theta->W_f, D_F, 4);
    assert_shape(theta->gamma, D_F, 1);
    assert_shape(theta->W_u, N_V, D_F);
    assert_shape(represent(tape, X_TOKENS, theta), D_F, 5);
    Hyperparameters h = small(E_TRANSFORMER);
    h.d_f = 0;
    assert_shape(random_theta(h)->W_u, N_V, 4);
}

LAW(each_line_is_the_formula_of_that_line)
{
    Theta *theta = small_theta();
    Own own = lines_of(forward, theta, "9.");
    Mat X = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "9.3", 1), X, 0);
    for (int l = 1; l <= 2; l++) {
        const Layer *w = &theta->layer[l];
        X = add(X, mhattention(X, X, &w->W, bidirectional));
        assert_same(seen_on_line(&own, "9.5", l), X, 0);
        X = layer_norm(X, w->gamma_1, w->beta_1);
        assert_same(seen_on_line(&own, "9.6", l), X, 0);
        Mat hidden = gelu(affine(w->W_mlp1, X, w->b_mlp1));
        X = add(X, affine(w->W_mlp2, hidden, w->b_mlp2));
        assert_same(seen_on_line(&own, "9.7", l), X, 0);
        X = layer_norm(X, w->gamma_2, w->beta_2);
        assert_same(seen_on_line(&own, "9.8", l), X, 0);
    }
    X = gelu(affine(theta->W_f, X, theta->b_f));
    assert_same(seen_on_line(&own, "9.10", 1), X, 0);
    X = layer_norm(X, theta->gamma, theta->beta);
    assert_same(seen_on_line(&own, "9.11", 1), X, 0);
    assert_same(seen_on_line(&own, "9.12", 1), unembed(X, theta->W_u), 0);
}

static Mat loss_on(Tape *on, const Theta *theta)
{
    return loss_against(forward(on, theta), TOKENS(1, 7, 2, 2, 5));
}

LAW(its_gradients_agree_with_differences)
{
    Theta *theta = small_theta();
    assert_gradients(loss_on, theta);
    assert_b_k_has_no_gradient(theta);
    Hyperparameters h = small(E_TRANSFORMER);       /* every option */
    h.tied = h.tanh_gelu = h.embedding_norm = h.scaled_embedding = true;
    h.unembedding_bias = true, h.types = 2, h.epsilon = .01, h.d_f = 0;
    assert_gradients(loss_on, random_theta(h));
}

LAW(another_program_agrees)
{
    Theta *theta = recorded_theta(recorded_sizes(E_TRANSFORMER), &alg09);
    Mat P = etransformer(tape, TOKENS(ALG09_X), theta);
    assert_recorded(P, 5, 5, alg09.result);
}

LAW(every_line_can_be_seen_in_order)
{
    Seen seen = { 0 };
    Hyperparameters h = small(E_TRANSFORMER);
    h.L = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &seen);
    Mat P = forward(tape, theta);
    assert_seen(&seen, "9.1 ell=5, 1.1 x=3, 1.1 x=1, 1.1 x=7, 1.1 x=2, "
                "1.1 x=5, 9.3 X, 9.4 l=1, " ATTENTION "9.5 X, "
                NORM "9.6 X, 9.7 X, " NORM "9.8 X, 9.10 X, " NORM
                "9.11 X, 7.1 logits, 7.1 p, 9.12 P");
    assert_that(value_of(&seen, "P") == P);
    assert_own_lines(forward, small_theta(), "9.",
                     "9.1 ell=5, 9.3 X, "
                     "9.4 l=1, 9.5 X, 9.6 X, 9.7 X, 9.8 X, "
                     "9.4 l=2, 9.5 X, 9.6 X, 9.7 X, 9.8 X, "
                     "9.10 X, 9.11 X, 9.12 P");
}

LAW(dropout_is_on_the_embedding_and_on_what_each_half_layer_adds)
{
    static const Sum sums[] = {
        { "9.3", 1, "9.5", 1 }, { "9.6", 1, "9.7", 1 },
        { "9.8", 1, "9.5", 2 }, { "9.6", 2, "9.7", 2 } };
    assert_dropout(forward, small_theta(), "9.", "9.3", X_TOKENS, 4, sums);
}

LAW(wrong_calls_are_refused)
{
    Theta *theta = small_theta(), *other = random_theta(small(D_TRANSFORMER));
    const char *another = "theta belongs to another architecture.";
    assert_refuses(etransformer(tape, TOKENS(1, 2, 3, 4, 5, 6, 7), theta),
                   "7 tokens: the length must be in [ell_max] = 1 ... 6.");
    assert_refuses(etransformer(tape, no_tokens, theta), "0 tokens");
    assert_refuses(etransformer(tape, TOKENS(1, 2, -3), theta), "x[3] = -3");
    assert_refuses(etransformer(tape, TOKENS(1), other), another);
    assert_refuses(represent(tape, TOKENS(1), other), another);
}
