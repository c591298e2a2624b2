/* Algorithm 8: the encoder-decoder transformer. */
#include "law.h"
#include "architecture.h"
#include "oracle/algorithms.h"

#define Z_TOKENS TOKENS(6, 2, 4, 1)
#define X_TOKENS TOKENS(3, 1, 7, 2, 5)

static Theta *small_theta(void)
{
    return random_theta(small(ED_TRANSFORMER));
}

static Mat forward(Tape *on, const Theta *theta)
{
    return edtransformer(on, Z_TOKENS, X_TOKENS, theta);
}

static Mat of_tokens(const Theta *theta, Tokens x)
{
    return edtransformer(tape, Z_TOKENS, x, theta);
}

LAW(a_column_depends_on_its_past_and_not_on_its_future)
{
    assert_causal(of_tokens, small_theta(), X_TOKENS);
}

LAW(every_column_depends_on_every_token_of_the_context)
{
    Theta *theta = small_theta();
    Tokens z = Z_TOKENS;
    Mat P = edtransformer(tape, z, X_TOKENS, theta);
    for (int s = 1; s <= z.length; s++) {
        Mat other = edtransformer(tape, changed(z, s), X_TOKENS, theta);
        for (int t = 1; t <= P->cols; t++)
            assert_that(!columns_equal(P, t, other, t, 1e-6));
    }
}

LAW(each_line_of_the_encoder_is_its_formula)
{
    Theta *theta = small_theta();
    Own own = lines_of(forward, theta, "8.");
    Mat Z = embeddings(tape, Z_TOKENS, theta);
    assert_same(seen_on_line(&own, "8.3", 1), Z, 0);
    for (int l = 1; l <= 2; l++) {
        const Layer *w = &theta->enc[l];
        Z = add(Z, mhattention(Z, Z, &w->W, bidirectional));
        assert_same(seen_on_line(&own, "8.5", l), Z, 0);
        Z = layer_norm(Z, w->gamma_1, w->beta_1);
        assert_same(seen_on_line(&own, "8.6", l), Z, 0);
        Mat hidden = relu(affine(w->W_mlp1, Z, w->b_mlp1));
        Z = add(Z, affine(w->W_mlp2, hidden, w->b_mlp2));
        assert_same(seen_on_line(&own, "8.7", l), Z, 0);
        Z = layer_norm(Z, w->gamma_2, w->beta_2);
        assert_same(seen_on_line(&own, "8.8", l), Z, 0);
    }
}

/* E2: the loop of line 13 counts the same l that lines 14 to 19 use. E38: one
   W_e and one W_p for both sequences. */
LAW(each_line_of_the_decoder_is_its_formula)
{
    Hyperparameters h = small(ED_TRANSFORMER);
    h.L_enc = 3;                                    /* more than L_dec */
    Theta *theta = random_theta(h);
    Own own = lines_of(forward, theta, "8.");
    Mat Z = seen_on_line(&own, "8.8", 3), X = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "8.12", 1), X, 0);
    for (int l = 1; l <= 2; l++) {
        const DecoderLayer *w = &theta->dec[l];
        X = add(X, mhattention(X, X, &w->W_dec, unidirectional));
        assert_same(seen_on_line(&own, "8.14", l), X, 0);
        X = layer_norm(X, w->gamma_3, w->beta_3);
        assert_same(seen_on_line(&own, "8.15", l), X, 0);
        X = add(X, mhattention(X, Z, &w->W_ed, bidirectional));
        assert_same(seen_on_line(&own, "8.16", l), X, 0);
        X = layer_norm(X, w->gamma_4, w->beta_4);
        assert_same(seen_on_line(&own, "8.17", l), X, 0);
        Mat hidden = relu(affine(w->W_mlp3, X, w->b_mlp3));
        X = add(X, affine(w->W_mlp4, hidden, w->b_mlp4));
        assert_same(seen_on_line(&own, "8.18", l), X, 0);
        X = layer_norm(X, w->gamma_5, w->beta_5);
        assert_same(seen_on_line(&own, "8.19", l), X, 0);
    }
    assert_same(seen_on_line(&own, "8.21", 1), unembed(X, theta->W_u), 0);
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
    Hyperparameters h = small(ED_TRANSFORMER);      /* every option */
    generator = 1;                  /* no ReLU is near its kink */
    h.tied = h.embedding_norm = h.scaled_embedding = true;
    h.no_attention_biases = h.rms = true;
    h.epsilon = .01, h.window = 2, h.positions = VASWANI_SINES;
    assert_gradients(loss_on, random_theta(h));
}

LAW(another_program_agrees)
{
    Theta *theta = recorded_theta(recorded_sizes(ED_TRANSFORMER), &alg08);
    Mat P = edtransformer(tape, TOKENS(ALG08_Z), TOKENS(ALG08_X), theta);
    assert_recorded(P, 5, 5, alg08.result);
    Hyperparameters h = recorded_sizes(ED_TRANSFORMER);
    h.tied = h.scaled_embedding = h.no_attention_biases = true;
    h.positions = VASWANI_SINES;
    P = edtransformer(tape, TOKENS(ALG08_Z), TOKENS(ALG08_X),
                      with_numbers_of(h, theta));
    assert_recorded(P, 5, 5, alg08_vaswani);
}

LAW(every_line_can_be_seen_in_order)
{
    Seen seen = { 0 };
    Hyperparameters h = small(ED_TRANSFORMER);
    h.L_enc = h.L_dec = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &seen);
    Mat P = forward(tape, theta);
    assert_seen(&seen, "8.1 ell_z=4, 1.1 x=6, 1.1 x=2, 1.1 x=4, 1.1 x=1, "
                "8.3 Z, 8.4 l=1, "
                ATTENTION "8.5 Z, " NORM "8.6 Z, 8.7 Z, " NORM "8.8 Z, "
                "8.10 ell_x=5, 1.1 x=3, 1.1 x=1, 1.1 x=7, 1.1 x=2, 1.1 x=5, "
                "8.12 X, 8.13 l=1, "
                ATTENTION "8.14 X, " NORM "8.15 X, "
                ATTENTION "8.16 X, " NORM "8.17 X, 8.18 X, " NORM "8.19 X, "
                "7.1 logits, 7.1 p, 8.21 P");
    assert_that(value_of(&seen, "P") == P);
    assert_own_lines(forward, small_theta(), "8.",
                     "8.1 ell_z=4, 8.3 Z, "
                     "8.4 l=1, 8.5 Z, 8.6 Z, 8.7 Z, 8.8 Z, "
                     "8.4 l=2, 8.5 Z, 8.6 Z, 8.7 Z, 8.8 Z, "
                     "8.10 ell_x=5, 8.12 X, "
                     "8.13 l=1, 8.14 X, 8.15 X, 8.16 X, 8.17 X, 8.18 X, 8.19 X, "
                     "8.13 l=2, 8.14 X, 8.15 X, 8.16 X, 8.17 X, 8.18 X, 8.19 X, "
                     "8.21 P");
}

LAW(dropout_is_on_the_embeddings_and_on_what_each_part_adds)
{
    static const Sum sums[] = {
        { "8.3", 1, "8.5", 1 }, { "8.6", 1, "8.7", 1 }, { "8.12", 1, "8.14", 1 },
        { "8.15", 1, "8.16", 1 }, { "8.17", 1, "8.18", 1 } };
    Theta *theta = small_theta();
    Own own = assert_dropout(forward, theta, "8.", "8.3", Z_TOKENS, 5, sums);
    assert_dropped(seen_on_line(&own, "8.12", 1),
                   embeddings(tape, X_TOKENS, theta));
}

LAW(wrong_calls_are_refused)
{
    Theta *theta = small_theta(), *other = random_theta(small(D_TRANSFORMER));
    Tokens seven = TOKENS(1, 2, 3, 4, 5, 6, 7), one = TOKENS(1);
    const char *too_long = "a sequence of 7 tokens: the length must be in "
        "[ell_max] = 1 ... 6.", *too_short = "a sequence of 0 tokens",
        *another = "theta belongs to another architecture.";
    assert_refuses(edtransformer(tape, seven, one, theta), too_long);
    assert_refuses(edtransformer(tape, one, seven, theta), too_long);
    assert_refuses(edtransformer(tape, no_tokens, one, theta), too_short);
    assert_refuses(edtransformer(tape, one, no_tokens, theta), too_short);
    assert_refuses(edtransformer(tape, one, TOKENS(1, 9), theta), "x[2] = 9");
    assert_refuses(edtransformer(tape, one, one, other), another);
    assert_refuses(encode(tape, one, other), another);
    assert_refuses(decode(tape, random_input(4, 4), one, other), another);
}
