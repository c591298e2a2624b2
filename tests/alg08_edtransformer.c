/* Algorithm 8: the encoder-decoder transformer. */
#include "architecture.h"
#include "oracle/architectures.h"

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

static void each_column_is_a_distribution(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_distribution(edtransformer(tape, Z_TOKENS, X_TOKENS, theta), 5);
    assert_distribution(edtransformer(tape, X_TOKENS, Z_TOKENS, theta), 4);
    assert_distribution(edtransformer(tape, TOKENS(4), TOKENS(4), theta), 1);
}

static void a_column_depends_on_its_past_and_not_on_its_future(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = edtransformer(tape, Z_TOKENS, x, theta);
    for (int s = 1; s <= x.length; s++) {
        Mat other = edtransformer(tape, Z_TOKENS, changed(x, s), theta);
        for (int t = 1; t <= x.length; t++)
            assert_that(columns_equal(P, t, other, t, 0) == (t < s));
    }
}

static void more_tokens_do_not_change_the_earlier_columns(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = edtransformer(tape, Z_TOKENS, x, theta);
    for (int n = 1; n < x.length; n++) {
        Mat prefix = edtransformer(tape, Z_TOKENS, (Tokens){ n, x.id }, theta);
        for (int t = 1; t <= n; t++)
            assert_that(columns_equal(P, t, prefix, t, 0));
    }
}

static void every_column_depends_on_every_token_of_the_context(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens z = Z_TOKENS;
    Mat P = edtransformer(tape, z, X_TOKENS, theta);
    for (int s = 1; s <= z.length; s++) {
        Mat other = edtransformer(tape, changed(z, s), X_TOKENS, theta);
        for (int t = 1; t <= P->cols; t++)
            assert_that(!columns_equal(P, t, other, t, 1e-6));
    }
}

/* E27: the encoder is equivariant, and cross-attention does not mind. */
static void without_positions_the_order_of_the_context_does_not_matter(
    void **state)
{
    (void)state;
    Hyperparameters h = small(ED_TRANSFORMER);
    h.positions = NO_POSITIONS;
    Theta *theta = random_theta(h);
    assert_same(edtransformer(tape, TOKENS(6, 2, 4, 1), X_TOKENS, theta),
                edtransformer(tape, TOKENS(4, 1, 2, 6), X_TOKENS, theta),
                TIGHT);
    theta = small_theta();
    Mat P = edtransformer(tape, TOKENS(6, 2, 4, 1), X_TOKENS, theta);
    Mat other = edtransformer(tape, TOKENS(4, 1, 2, 6), X_TOKENS, theta);
    assert_that(!columns_equal(P, 1, other, 1, 1e-4));
}

static void it_is_decode_after_encode(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Mat Z = encode(tape, Z_TOKENS, theta);
    assert_shape(Z, 4, 4);
    assert_same(edtransformer(tape, Z_TOKENS, X_TOKENS, theta),
                decode(tape, Z, X_TOKENS, theta), 0);
}

/* E38: one W_e and one W_p for both. */
static void both_sequences_are_embedded_alike(void **state)
{
    (void)state;
    Own own = { "8.", { 0 } };
    Theta *theta = small_theta();
    observe(tape, note_own, &own);
    edtransformer(tape, X_TOKENS, X_TOKENS, theta);
    unobserve(tape);
    Mat e = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "8.3", 1), e, 0);
    assert_same(seen_on_line(&own, "8.12", 1), e, 0);
}

/* E2: the loop of line 13 counts the same l that lines 14 to 19 use. */
static void every_layer_has_parameters_of_its_own(void **state)
{
    (void)state;
    Hyperparameters h = small(ED_TRANSFORMER);
    h.L_enc = 3;                            /* more than L_dec */
    Theta *theta = random_theta(h);
    Mat P = edtransformer(tape, Z_TOKENS, X_TOKENS, theta);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        if (name_ends(p, ".b_k"))
            continue;                       /* softmax does not feel it */
        Mat M = *p->place, kept = constant(arena, p->rows, p->cols);
        memcpy(kept->at, M->at, entries_in(M) * sizeof(real));
        randomise(M);
        Mat other = edtransformer(tape, Z_TOKENS, X_TOKENS, theta);
        memcpy(M->at, kept->at, entries_in(M) * sizeof(real));
        if (memcmp(P->at, other->at, entries_in(P) * sizeof(real)) == 0)
            fail_at(HERE(p->name), "does not matter");
    }
}

static void each_line_of_the_encoder_is_its_formula(void **state)
{
    (void)state;
    Own own = { "8.", { 0 } };
    Theta *theta = small_theta();
    observe(tape, note_own, &own);
    encode(tape, Z_TOKENS, theta);
    unobserve(tape);
    Mat Z = embeddings(tape, Z_TOKENS, theta);
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

static void each_line_of_the_decoder_is_its_formula(void **state)
{
    (void)state;
    Own own = { "8.", { 0 } };
    Theta *theta = small_theta();
    Mat Z = encode(tape, Z_TOKENS, theta);
    observe(tape, note_own, &own);
    decode(tape, Z, X_TOKENS, theta);
    unobserve(tape);
    Mat X = embeddings(tape, X_TOKENS, theta);
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

/* ---------------------------------------------------------------- gradients */

static Mat loss_on(Tape *on, const Theta *theta)
{
    return loss_against(forward(on, theta), TOKENS(1, 7, 2, 2, 5));
}

static void its_gradients_agree_with_differences(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_gradients(loss_on, theta);
    assert_b_k_has_no_gradient(theta);
}

static void its_gradients_agree_with_differences_under_every_option(void **state)
{
    (void)state;
    Hyperparameters h = small(ED_TRANSFORMER);
    h.tied = h.embedding_norm = h.scaled_embedding = true;
    h.no_attention_biases = h.rms = true;
    h.epsilon = .01, h.window = 2, h.positions = VASWANI_SINES;
    assert_gradients(loss_on, random_theta(h));
}

/* ------------------------------------------------------------------- oracle */

enum { RECORDS = sizeof alg08_theta / sizeof *alg08_theta };
#define RECORDED_Z TOKENS(ALG08_Z)
#define RECORDED_X TOKENS(ALG08_X)

static void another_program_agrees(void **state)
{
    (void)state;
    Theta *theta = recorded_theta(recorded_sizes(ED_TRANSFORMER), RECORDS,
                                  alg08_theta);
    Mat P = edtransformer(tape, RECORDED_Z, RECORDED_X, theta);
    assert_recorded(P, R_N_V, 5, alg08_P);
    backward(loss_against(P, TOKENS(ALG08_TARGET)));
    assert_recorded_gradients(theta, alg08_theta);
}

static void another_program_agrees_on_Vaswani(void **state)
{
    (void)state;
    Hyperparameters h = recorded_sizes(ED_TRANSFORMER);
    h.tied = h.scaled_embedding = h.no_attention_biases = true;
    h.positions = VASWANI_SINES;
    Theta *theta = recorded_theta(h, RECORDS, alg08_theta);
    assert_recorded(edtransformer(tape, RECORDED_Z, RECORDED_X, theta),
                    R_N_V, 5, alg08_vaswani_P);
}

/* ----------------------------------------------- without gradients; watching */

static void without_gradients_the_bytes_are_the_same(void **state)
{
    (void)state;
    assert_same_without_gradients(forward, small_theta());
}

static void without_gradients_the_peak_does_not_grow_with_the_layers(
    void **state)
{
    (void)state;
    Hyperparameters few = small(ED_TRANSFORMER), more_enc = few,
                    more_dec = few, more = few;
    more_enc.L_enc = more_dec.L_dec = more.L_enc = more.L_dec = 9;
    size_t peak = peak_of(forward, few, false);
    assert_that(peak == peak_of(forward, more_enc, false));
    assert_that(peak == peak_of(forward, more_dec, false));
    assert_that(peak_of(forward, few, true)
                < peak_of(forward, more, true) / 3);
}

static void every_line_can_be_seen_in_order(void **state)
{
    (void)state;
    Seen first = { 0 }, second = { 0 };
    Hyperparameters h = small(ED_TRANSFORMER);
    h.L_enc = h.L_dec = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &first);
    Mat Z = encode(tape, Z_TOKENS, theta);
    assert_seen(&first, "8.1 ell_z=4, 8.3 Z, 8.4 l=1, " ATTENTION "8.5 Z, "
                NORM "8.6 Z, 8.7 Z, 6.1 m, 6.2 v, 6.3 e_hat, 8.8 Z");
    unobserve(tape);
    observe(tape, note, &second);
    Mat P = decode(tape, Z, X_TOKENS, theta);
    assert_seen(&second, "8.10 ell_x=5, 8.12 X, 8.13 l=1, "
                ATTENTION "8.14 X, " NORM "8.15 X, "
                ATTENTION "8.16 X, " NORM "8.17 X, 8.18 X, " NORM "8.19 X, "
                "7.1 logits, 7.1 p, 8.21 P");
    assert_that(value_of(&second, "P") == P);
}

static void every_layer_can_be_seen(void **state)
{
    (void)state;
    assert_own_lines(forward, small_theta(), "8.",
                     "8.1 ell_z=4, 8.3 Z, "
                     "8.4 l=1, 8.5 Z, 8.6 Z, 8.7 Z, 8.8 Z, "
                     "8.4 l=2, 8.5 Z, 8.6 Z, 8.7 Z, 8.8 Z, "
                     "8.10 ell_x=5, 8.12 X, "
                     "8.13 l=1, 8.14 X, 8.15 X, 8.16 X, 8.17 X, 8.18 X, 8.19 X, "
                     "8.13 l=2, 8.14 X, 8.15 X, 8.16 X, 8.17 X, 8.18 X, 8.19 X, "
                     "8.21 P");
}

static void what_is_seen_is_what_is_used(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "8.3", "8.5", "8.6", "8.7", "8.8",
        "8.12", "8.14", "8.15", "8.16", "8.17", "8.18", "8.19",
    };
    /* in the last layer, so that a later norm cannot hide it */
    for (int k = 0; k < 12; k++)
        assert_used(forward, small_theta(), lines[k],
                    k == 0 || k == 5 ? 1 : 2);
}

static void dropout_is_on_the_embeddings_and_on_what_each_part_adds(void **state)
{
    (void)state;
    static const char *const sums[][2] = { { "8.3", "8.5" }, { "8.6", "8.7" },
        { "8.12", "8.14" }, { "8.15", "8.16" }, { "8.17", "8.18" } };
    Own own = { "8.", { 0 } };
    Random random = random_new(1);
    Theta *theta = small_theta();
    tape_dropout(arena, tape, .5, &random);
    observe(tape, note_own, &own);
    edtransformer(tape, Z_TOKENS, X_TOKENS, theta);
    Mat e = embeddings(tape, Z_TOKENS, theta);
    assert_dropped_or_doubled(seen_on_line(&own, "8.3", 1), e);
    e = embeddings(tape, X_TOKENS, theta);
    assert_dropped_or_doubled(seen_on_line(&own, "8.12", 1), e);
    for (int k = 0; k < 5; k++)
        assert_some_dropped(seen_on_line(&own, sums[k][0], 1),
                            seen_on_line(&own, sums[k][1], 1));
}

/* ---------------------------------------------------------------- refusals */

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Theta *theta = small_theta(), *other = random_theta(small(D_TRANSFORMER));
    Tokens long_one = TOKENS(1, 2, 3, 4, 5, 6, 7), none = { 0, NULL };
    const char *too_long = "a sequence of 7 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.";
    const char *too_short = "a sequence of 0 tokens: the length must be in "
                            "[ell_max] = 1 ... 6.";
    assert_refuses_in(edtransformer(tape, long_one, X_TOKENS, theta),
                      "equations.c", "embeddings", too_long);
    assert_refuses_in(edtransformer(tape, Z_TOKENS, long_one, theta),
                      "equations.c", "embeddings", too_long);
    assert_refuses_in(edtransformer(tape, none, X_TOKENS, theta),
                      "equations.c", "embeddings", too_short);
    assert_refuses_in(edtransformer(tape, Z_TOKENS, none, theta),
                      "equations.c", "embeddings", too_short);
    assert_refuses_in(edtransformer(tape, Z_TOKENS, TOKENS(1, 9), theta),
                      "equations.c", "embeddings",
                      "x[2] = 9: a token ID is in [N_V] = 1 ... 7.");
    assert_refuses_in(edtransformer(tape, Z_TOKENS, X_TOKENS, other),
                      "alg08_edtransformer.c", "edtransformer",
                      "theta belongs to another architecture.");
    assert_refuses_in(encode(tape, Z_TOKENS, other), "parts.c", "encode",
                      "theta belongs to another architecture.");
    assert_refuses_in(decode(tape, random_input(4, 4), X_TOKENS, other),
                      "parts.c", "decode",
                      "theta belongs to another architecture.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(each_column_is_a_distribution),
        TEST(a_column_depends_on_its_past_and_not_on_its_future),
        TEST(more_tokens_do_not_change_the_earlier_columns),
        TEST(every_column_depends_on_every_token_of_the_context),
        TEST(without_positions_the_order_of_the_context_does_not_matter),
        TEST(it_is_decode_after_encode),
        TEST(both_sequences_are_embedded_alike),
        TEST(every_layer_has_parameters_of_its_own),
        TEST(each_line_of_the_encoder_is_its_formula),
        TEST(each_line_of_the_decoder_is_its_formula),
        TEST(its_gradients_agree_with_differences),
        TEST(its_gradients_agree_with_differences_under_every_option),
        TEST(another_program_agrees),
        TEST(another_program_agrees_on_Vaswani),
        TEST(without_gradients_the_bytes_are_the_same),
        TEST(without_gradients_the_peak_does_not_grow_with_the_layers),
        TEST(every_line_can_be_seen_in_order),
        TEST(every_layer_can_be_seen),
        TEST(what_is_seen_is_what_is_used),
        TEST(dropout_is_on_the_embeddings_and_on_what_each_part_adds),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
