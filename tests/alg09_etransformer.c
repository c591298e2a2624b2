/* Algorithm 9: the encoder-only transformer. */
#include "architecture.h"
#include "oracle/architectures.h"

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

static void each_column_is_a_distribution(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_distribution(etransformer(tape, X_TOKENS, theta), 5);
    assert_distribution(etransformer(tape, TOKENS(4), theta), 1);
}

static void every_column_depends_on_every_token(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = etransformer(tape, x, theta);
    for (int s = 1; s <= x.length; s++) {
        Mat other = etransformer(tape, changed(x, s), theta);
        for (int t = 1; t <= x.length; t++)
            assert_that(!columns_equal(P, t, other, t, 1e-5));
    }
}

static const int order[] = { 4, 1, 5, 3, 2 };

static Tokens permuted(Tokens x)
{
    int *id = arena_alloc(arena, (size_t)x.length * sizeof *id);
    for (int t = 1; t <= x.length; t++)
        id[t - 1] = TOKEN(x, order[t - 1]);
    return (Tokens){ x.length, id };
}

/* E27: equivariant, not invariant. */
static void without_positions_permuted_tokens_permute_the_columns(void **state)
{
    (void)state;
    Hyperparameters h = small(E_TRANSFORMER);
    Tokens x = X_TOKENS;
    h.positions = NO_POSITIONS;
    Theta *theta = random_theta(h);
    Mat P = etransformer(tape, x, theta);
    assert_same(etransformer(tape, permuted(x), theta),
                columns_of(P, x.length, order), TIGHT);
    assert_that(!columns_equal(P, 1, P, 4, 1e-3));
}

static void with_positions_they_do_not(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = columns_of(etransformer(tape, x, theta), x.length, order);
    Mat other = etransformer(tape, permuted(x), theta);
    for (int t = 1; t <= x.length; t++)
        assert_that((order[t - 1] == t)
                    || !columns_equal(other, t, P, t, 1e-3));
}

/* E1: after line 10 a token has d_f numbers, and W_u has that width. */
static void the_unembedding_is_as_wide_as_d_f(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_shape(theta->W_f, D_F, 4);
    assert_shape(theta->gamma, D_F, 1);
    assert_shape(theta->W_u, N_V, D_F);
    assert_shape(represent(tape, X_TOKENS, theta), D_F, 5);
    Hyperparameters h = small(E_TRANSFORMER);
    h.d_f = 0;
    assert_shape(random_theta(h)->W_u, N_V, 4);
}

static void represent_is_all_but_the_last_line(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_same(etransformer(tape, X_TOKENS, theta),
                unembed(represent(tape, X_TOKENS, theta), theta->W_u), 0);
}

static void each_line_is_the_formula_of_that_line(void **state)
{
    (void)state;
    Own own = { "9.", { 0 } };
    Theta *theta = small_theta();
    observe(tape, note_own, &own);
    etransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    Mat X = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "9.3", 1), X, 0);
    for (int l = 1; l <= 2; l++) {
        const Layer *w = &theta->layer[l];
        X = add(X, mhattention(X, X, &w->W, bidirectional));
        assert_same(seen_on_line(&own, "9.5", l), X, 0);
        X = layer_norm(X, w->gamma_1, w->beta_1);
        assert_same(seen_on_line(&own, "9.6", l), X, 0);
        Mat hidden = gelu(add_bias(mul(w->W_mlp1, X), w->b_mlp1));
        X = add(X, add_bias(mul(w->W_mlp2, hidden), w->b_mlp2));
        assert_same(seen_on_line(&own, "9.7", l), X, TIGHT);
        X = seen_on_line(&own, "9.7", l);
        X = layer_norm(X, w->gamma_2, w->beta_2);
        assert_same(seen_on_line(&own, "9.8", l), X, 0);
    }
    X = gelu(add_bias(mul(theta->W_f, X), theta->b_f));
    assert_same(seen_on_line(&own, "9.10", 1), X, TIGHT);
    X = layer_norm(X, theta->gamma, theta->beta);
    assert_same(seen_on_line(&own, "9.11", 1), X, TIGHT);
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
    Hyperparameters h = small(E_TRANSFORMER);
    h.tied = h.tanh_gelu = h.embedding_norm = h.scaled_embedding = true;
    h.epsilon = .01, h.d_f = 0;
    assert_gradients(loss_on, random_theta(h));
}

/* ------------------------------------------------------------------- oracle */

enum { RECORDS = sizeof alg09_theta / sizeof *alg09_theta };
#define RECORDED_X TOKENS(ALG09_X)

static void another_program_agrees(void **state)
{
    (void)state;
    Theta *theta = recorded_theta(recorded_sizes(E_TRANSFORMER), RECORDS,
                                  alg09_theta);
    Mat P = etransformer(tape, RECORDED_X, theta);
    assert_recorded(P, R_N_V, 5, alg09_P);
    backward(loss_against(P, TOKENS(ALG09_TARGET)));
    assert_recorded_gradients(theta, alg09_theta);
}

/* gamma_e and beta_e are those of the last norm of the last layer. */
static void another_program_agrees_on_BERT(void **state)
{
    (void)state;
    Hyperparameters h = recorded_sizes(E_TRANSFORMER);
    Recorded with_norm[RECORDS + 2];
    memcpy(with_norm, alg09_theta, sizeof alg09_theta);
    with_norm[RECORDS].name = "gamma_e", with_norm[RECORDS + 1].name = "beta_e";
    for (int r = 0; r < RECORDS; r++) {
        if (strcmp(with_norm[r].name, "layer[2].gamma_2") == 0)
            with_norm[RECORDS].at = with_norm[r].at;
        if (strcmp(with_norm[r].name, "layer[2].beta_2") == 0)
            with_norm[RECORDS + 1].at = with_norm[r].at;
    }
    h.embedding_norm = h.tanh_gelu = true, h.epsilon = 1e-2;
    Theta *theta = recorded_theta(h, RECORDS + 2, with_norm);
    assert_recorded(etransformer(tape, RECORDED_X, theta), R_N_V, 5,
                    alg09_bert_P);
}

/* ------------------------------------------------------------------ options */

static void tied_is_W_u_equal_to_W_e_transposed(void **state)
{
    (void)state;
    Hyperparameters h = small(E_TRANSFORMER);
    h.d_f = 4;
    Theta *untied = random_theta(h);
    h.tied = true;
    Theta *tied = random_theta(h);
    copy_numbers(untied, tied);
    for (int v = 1; v <= N_V; v++)
        for (int i = 1; i <= 4; i++)
            AT(untied->W_u, v, i) = AT(tied->W_e, i, v);
    assert_that(tied->W_u->at == tied->W_e->at && tied->n == untied->n - 1);
    assert_same(etransformer(tape, X_TOKENS, tied),
                etransformer(tape, X_TOKENS, untied), TIGHT);
}

static void tanh_gelu_is_in_line_10_too(void **state)
{
    (void)state;
    Own own = { "9.", { 0 } };
    Hyperparameters h = small(E_TRANSFORMER);
    h.tanh_gelu = true;
    Theta *theta = random_theta(h);
    observe(tape, note_own, &own);
    etransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    Mat X = seen_on_line(&own, "9.8", 2);
    assert_same(seen_on_line(&own, "9.10", 1),
                gelu_tanh(affine(theta->W_f, X, theta->b_f)), 0);
}

/* ----------------------------------------------- without gradients; watching */

static void without_gradients_the_bytes_are_the_same(void **state)
{
    (void)state;
    assert_same_without_gradients(forward, small_theta());
}

static void without_gradients_the_peak_does_not_grow_with_L(void **state)
{
    (void)state;
    Hyperparameters few = small(E_TRANSFORMER), more = few;
    more.L = 9;
    assert_that(peak_of(forward, few, false)
                == peak_of(forward, more, false));
    assert_that(peak_of(forward, few, true)
                < peak_of(forward, more, true) / 3);
}

static void every_line_can_be_seen_in_order(void **state)
{
    (void)state;
    Seen seen = { 0 };
    Hyperparameters h = small(E_TRANSFORMER);
    h.L = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &seen);
    Mat P = etransformer(tape, X_TOKENS, theta);
    assert_seen(&seen, "9.1 ell=5, 9.3 X, 9.4 l=1, " ATTENTION "9.5 X, "
                NORM "9.6 X, 9.7 X, " NORM "9.8 X, 9.10 X, " NORM
                "9.11 X, 7.1 logits, 7.1 p, 9.12 P");
    assert_that(value_of(&seen, "P") == P);
}

static void every_layer_can_be_seen(void **state)
{
    (void)state;
    assert_own_lines(forward, small_theta(), "9.",
                     "9.1 ell=5, 9.3 X, "
                     "9.4 l=1, 9.5 X, 9.6 X, 9.7 X, 9.8 X, "
                     "9.4 l=2, 9.5 X, 9.6 X, 9.7 X, 9.8 X, "
                     "9.10 X, 9.11 X, 9.12 P");
}

static void what_is_seen_is_what_is_used(void **state)
{
    (void)state;
    static const char *const lines[] = { "9.3", "9.5", "9.6", "9.7", "9.8",
                                         "9.10", "9.11" };
    for (int k = 0; k < 7; k++)
        assert_used(forward, small_theta(), lines[k], 1);
}

static void dropout_is_on_the_embedding_and_on_what_each_half_layer_adds(
    void **state)
{
    (void)state;
    Own own = { "9.", { 0 } };
    Random random = random_new(1);
    Theta *theta = small_theta();
    tape_dropout(arena, tape, .5, &random);
    observe(tape, note_own, &own);
    etransformer(tape, X_TOKENS, theta);
    Mat e = embeddings(tape, X_TOKENS, theta);
    assert_dropped_or_doubled(seen_on_line(&own, "9.3", 1), e);
    for (int l = 1; l <= 2; l++) {
        assert_some_dropped(seen_on_line(&own, l == 1 ? "9.3" : "9.8", 1),
                            seen_on_line(&own, "9.5", l));
        assert_some_dropped(seen_on_line(&own, "9.6", l),
                            seen_on_line(&own, "9.7", l));
    }
}

/* ---------------------------------------------------------------- refusals */

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_refuses_in(etransformer(tape, TOKENS(1, 2, 3, 4, 5, 6, 7), theta),
                      "equations.c", "embeddings",
                      "a sequence of 7 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.");
    assert_refuses_in(etransformer(tape, (Tokens){ 0, NULL }, theta),
                      "equations.c", "embeddings",
                      "a sequence of 0 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.");
    assert_refuses_in(etransformer(tape, TOKENS(1, 2, -3), theta),
                      "equations.c", "embeddings",
                      "x[3] = -3: a token ID is in [N_V] = 1 ... 7.");
    assert_refuses_in(etransformer(tape, TOKENS(1),
                                   random_theta(small(D_TRANSFORMER))),
                      "alg09_etransformer.c", "etransformer",
                      "theta belongs to another architecture.");
    assert_refuses_in(represent(tape, TOKENS(1),
                                random_theta(small(D_TRANSFORMER))),
                      "parts.c", "represent",
                      "theta belongs to another architecture.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(each_column_is_a_distribution),
        TEST(every_column_depends_on_every_token),
        TEST(without_positions_permuted_tokens_permute_the_columns),
        TEST(with_positions_they_do_not),
        TEST(the_unembedding_is_as_wide_as_d_f),
        TEST(represent_is_all_but_the_last_line),
        TEST(each_line_is_the_formula_of_that_line),
        TEST(its_gradients_agree_with_differences),
        TEST(its_gradients_agree_with_differences_under_every_option),
        TEST(another_program_agrees),
        TEST(another_program_agrees_on_BERT),
        TEST(tied_is_W_u_equal_to_W_e_transposed),
        TEST(tanh_gelu_is_in_line_10_too),
        TEST(without_gradients_the_bytes_are_the_same),
        TEST(without_gradients_the_peak_does_not_grow_with_L),
        TEST(every_line_can_be_seen_in_order),
        TEST(every_layer_can_be_seen),
        TEST(what_is_seen_is_what_is_used),
        TEST(dropout_is_on_the_embedding_and_on_what_each_half_layer_adds),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
