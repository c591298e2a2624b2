/* Algorithm 10: the decoder-only transformer. */
#include "architecture.h"
#include "oracle/architectures.h"

#define X_TOKENS TOKENS(3, 1, 7, 2, 2, 5)

static Theta *small_theta(void)
{
    return random_theta(small(D_TRANSFORMER));
}

static Mat forward(Tape *on, const Theta *theta)
{
    return dtransformer(on, X_TOKENS, theta);
}

static void each_column_is_a_distribution(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    assert_distribution(dtransformer(tape, X_TOKENS, theta), 6);
    assert_distribution(dtransformer(tape, TOKENS(4), theta), 1);
}

static void a_column_depends_on_its_past_and_on_nothing_else(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = dtransformer(tape, x, theta);
    for (int s = 1; s <= x.length; s++) {
        Mat other = dtransformer(tape, changed(x, s), theta);
        for (int t = 1; t <= x.length; t++)
            assert_that(columns_equal(P, t, other, t, 0) == (t < s));
    }
}

static void more_tokens_do_not_change_the_earlier_columns(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Tokens x = X_TOKENS;
    Mat P = dtransformer(tape, x, theta);
    for (int n = 1; n < x.length; n++) {
        Mat prefix = dtransformer(tape, (Tokens){ n, x.id }, theta);
        for (int t = 1; t <= n; t++)
            assert_that(columns_equal(P, t, prefix, t, 0));
    }
}

static void the_same_token_means_something_else_in_another_place(void **state)
{
    (void)state;
    Mat P = dtransformer(tape, TOKENS(2, 2, 2), small_theta());
    assert_that(!columns_equal(P, 1, P, 2, 1e-3));
    assert_that(!columns_equal(P, 2, P, 3, 1e-3));
}

/* E27: without positions equal tokens cannot be told apart, but the order of
   the past still matters: it is causal, neither invariant nor equivariant. */
static void without_positions_the_mask_still_knows_the_order(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = NO_POSITIONS;
    Theta *theta = random_theta(h);
    Mat P = dtransformer(tape, TOKENS(2, 2, 2), theta);
    assert_that(columns_equal(P, 1, P, 2, TIGHT));
    assert_that(columns_equal(P, 1, P, 3, TIGHT));
    Mat A = dtransformer(tape, TOKENS(1, 2, 3), theta);
    Mat B = dtransformer(tape, TOKENS(2, 1, 3), theta);
    assert_that(!columns_equal(A, 3, B, 3, 1e-3));
    assert_that(!columns_equal(A, 1, B, 2, 1e-3));
}

/* E30. Layers that add nothing leave X as it was embedded: only the last
   norm is between it and W_u. A residual that is normalised on the way shows
   in the gammas and betas of the layers, which are not 1 and 0. */
static void the_residual_is_not_normalised(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    silence(theta, ".W_o"), silence(theta, ".b_o");
    silence(theta, ".W_mlp2"), silence(theta, ".b_mlp2");
    Mat X = embeddings(tape, X_TOKENS, theta);
    assert_same(dtransformer(tape, X_TOKENS, theta),
                unembed(layer_norm(X, theta->gamma, theta->beta),
                        theta->W_u), 0);
}

/* ... and what a layer adds is added to X itself. */
static void a_layer_adds_to_the_residual(void **state)
{
    (void)state;
    Own own = { "10.", { 0 } };
    Theta *theta = small_theta();
    observe(tape, note_own, &own);
    dtransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    for (int l = 1; l <= 2; l++) {
        const Layer *w = &theta->layer[l];
        Mat X = l == 1 ? seen_on_line(&own, "10.3", 1)
                       : seen_on_line(&own, "10.8", l - 1);
        Mat Xt = layer_norm(X, w->gamma_1, w->beta_1);
        assert_same(seen_on_line(&own, "10.5", l), Xt, 0);
        X = add(X, mhattention(Xt, Xt, &w->W, unidirectional));
        assert_same(seen_on_line(&own, "10.6", l), X, 0);
        Xt = layer_norm(X, w->gamma_2, w->beta_2);
        assert_same(seen_on_line(&own, "10.7", l), Xt, 0);
        Mat hidden = gelu(add_bias(mul(w->W_mlp1, Xt), w->b_mlp1));
        X = add(X, add_bias(mul(w->W_mlp2, hidden), w->b_mlp2));
        assert_same(seen_on_line(&own, "10.8", l), X, TIGHT);
    }
}

static void no_layer_at_all_is_a_norm_and_an_unembedding(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = 0;
    Theta *theta = random_theta(h);
    Mat X = embeddings(tape, X_TOKENS, theta);
    assert_same(dtransformer(tape, X_TOKENS, theta),
                unembed(layer_norm(X, theta->gamma, theta->beta),
                        theta->W_u), 0);
}

/* ---------------------------------------------------------------- gradients */

static Mat loss_on(Tape *on, const Theta *theta)
{
    return loss_against(forward(on, theta), TOKENS(1, 7, 2, 2, 5, 4));
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
    Hyperparameters h = small(D_TRANSFORMER);
    h.tied = h.tanh_gelu = h.embedding_norm = h.scaled_embedding = true;
    h.epsilon = .01, h.window = 2, h.no_attention_biases = true;
    assert_gradients(loss_on, random_theta(h));
    h.rms = true, h.positions = VASWANI_SINES, h.sparse = STRIDED;
    assert_gradients(loss_on, random_theta(h));
}

static void a_token_that_does_not_occur_has_no_gradient(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    backward(loss_against(dtransformer(tape, TOKENS(3, 1), theta),
                          TOKENS(1, 2)));
    for (int i = 0; i < 4; i++)
        for (int v = 1; v <= N_V; v++)
            assert_that((theta->W_e->grad[(v - 1) * 4 + i] != 0)
                        == (v == 3 || v == 1));
}

/* ------------------------------------------------------------------- oracle */

enum { RECORDS = sizeof alg10_theta / sizeof *alg10_theta };
#define RECORDED_X TOKENS(ALG10_X)

static void another_program_agrees(void **state)
{
    (void)state;
    Theta *theta = recorded_theta(recorded_sizes(D_TRANSFORMER), RECORDS,
                                  alg10_theta);
    Mat P = dtransformer(tape, RECORDED_X, theta);
    assert_recorded(P, R_N_V, 6, alg10_P);
    backward(loss_against(P, TOKENS(ALG10_TARGET)));
    assert_recorded_gradients(theta, alg10_theta);
}

static void another_program_agrees_on_sparse_attention(void **state)
{
    (void)state;
    Hyperparameters h = recorded_sizes(D_TRANSFORMER);
    h.window = 2;
    Theta *theta = recorded_theta(h, RECORDS, alg10_theta);
    assert_recorded(dtransformer(tape, RECORDED_X, theta), R_N_V, 6,
                    alg10_window_P);
    h.sparse = STRIDED;
    theta = recorded_theta(h, RECORDS, alg10_theta);
    assert_recorded(dtransformer(tape, RECORDED_X, theta), R_N_V, 6,
                    alg10_strided_P);
}

static void another_program_agrees_on_GPT_2(void **state)
{
    (void)state;
    Hyperparameters h = recorded_sizes(D_TRANSFORMER);
    h.tied = h.tanh_gelu = true;
    Theta *theta = recorded_theta(h, RECORDS, alg10_theta);
    assert_recorded(dtransformer(tape, RECORDED_X, theta), R_N_V, 6,
                    alg10_gpt2_P);
}

static void another_program_agrees_on_Gopher(void **state)
{
    (void)state;
    Hyperparameters h = recorded_sizes(D_TRANSFORMER);
    h.rms = true;
    Theta *theta = recorded_theta(h, RECORDS, alg10_theta);
    assert_recorded(dtransformer(tape, RECORDED_X, theta), R_N_V, 6,
                    alg10_gopher_P);
}

/* ------------------------------------------------------------------ options */

/* P with the option, and P of theta without it but with the same numbers. */
static Theta *with_numbers_of(Hyperparameters hyper, const Theta *other)
{
    Theta *theta = random_theta(hyper);
    copy_numbers(theta, other);
    return theta;
}

static void tied_is_W_u_equal_to_W_e_transposed(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.tied = true;
    Theta *tied = random_theta(h), *untied = small_theta();
    copy_numbers(untied, tied);
    for (int v = 1; v <= N_V; v++)
        for (int i = 1; i <= 4; i++)
            AT(untied->W_u, v, i) = AT(tied->W_e, i, v);
    assert_that(tied->W_u->at == tied->W_e->at);
    assert_same(dtransformer(tape, X_TOKENS, tied),
                dtransformer(tape, X_TOKENS, untied), TIGHT);
}

static void no_attention_biases_is_biases_of_0(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.no_attention_biases = true;
    Theta *with = small_theta(), *without = with_numbers_of(h, with);
    const char *biases[] = { ".b_q", ".b_k", ".b_v", ".b_o" };
    assert_that(with->n == without->n + 2 * (2 * 3 + 1));
    for (int k = 0; k < 4; k++)
        silence(with, biases[k]);
    assert_same(dtransformer(tape, X_TOKENS, without),
                dtransformer(tape, X_TOKENS, with), 0);
}

static void scaled_is_W_e_times_the_root_of_d_e(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.scaled_embedding = true;
    Theta *plain = small_theta(), *scaled = with_numbers_of(h, plain);
    for (size_t e = 0; e < entries_in(plain->W_e); e++)
        plain->W_e->at[e] *= 2;                     /* d_e is 4 */
    Mat P = dtransformer(tape, X_TOKENS, scaled);
    assert_same(P, dtransformer(tape, X_TOKENS, ready(plain)), TIGHT);
}

static void sines_are_a_W_p_that_is_not_learned(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    Theta *learnt = small_theta();
    for (int vaswani = 0; vaswani <= 1; vaswani++) {
        h.positions = vaswani ? VASWANI_SINES : PAPER_SINES;
        Theta *fixed = with_numbers_of(h, learnt);
        Mat W_p = vaswani
            ? sinusoids(arena, 4, ELL_MAX, SINUSOIDS_VASWANI, 10000, 0)
            : sinusoids(arena, 4, ELL_MAX, SINUSOIDS_PAPER, ELL_MAX, 1);
        memcpy(learnt->W_p->at, W_p->at, entries_in(W_p) * sizeof(real));
        assert_that(fixed->W_p->grad == NULL && fixed->n == learnt->n - 1);
        assert_same(dtransformer(tape, X_TOKENS, fixed),
                    dtransformer(tape, X_TOKENS, learnt), 0);
    }
}

static void embedding_norm_is_a_norm_before_the_first_layer(void **state)
{
    (void)state;
    Own own = { "10.", { 0 } };
    Hyperparameters h = small(D_TRANSFORMER);
    h.embedding_norm = true, h.epsilon = .1;
    Theta *theta = random_theta(h);
    observe(tape, note_own, &own);
    dtransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    Mat e = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "10.3", 1),
                layer_norm(e, theta->gamma_e, theta->beta_e), 0);
}

static void epsilon_is_that_of_every_norm(void **state)
{
    (void)state;
    Own own = { "10.", { 0 } };
    Hyperparameters h = small(D_TRANSFORMER);
    h.epsilon = .1;
    Theta *theta = random_theta(h);
    observe(tape, note_own, &own);
    dtransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    const Layer *w = &theta->layer[2];
    assert_same(seen_on_line(&own, "10.7", 2),
                layer_norm(seen_on_line(&own, "10.6", 2), w->gamma_2,
                           w->beta_2), 0);
    assert_same(seen_on_line(&own, "10.10", 1),
                layer_norm(seen_on_line(&own, "10.8", 2), theta->gamma,
                           theta->beta), 0);
}

static void rms_has_no_betas_but_an_epsilon(void **state)
{
    (void)state;
    Own own = { "10.", { 0 } };
    Hyperparameters h = small(D_TRANSFORMER);
    h.rms = true, h.epsilon = .1;
    Theta *theta = random_theta(h);
    observe(tape, note_own, &own);
    dtransformer(tape, X_TOKENS, theta);
    unobserve(tape);
    assert_same(seen_on_line(&own, "10.5", 2),
                layer_norm(seen_on_line(&own, "10.8", 1),
                           theta->layer[2].gamma_1, NULL), 0);
    assert_that(theta->n == small_theta()->n - 5);
    for (int k = 1; k <= theta->n; k++)
        assert_that(strstr(theta->parameter[k].name, "beta") == NULL);
}

/* All As, the matrices of weights, in their order. */
typedef struct {
    int n;
    Mat A[8];
} Weights;

static Mat note_A(void *to, const char *line, const char *name, Mat M, int index)
{
    Weights *weights = to;
    (void)line, (void)index;
    if (strcmp(name, "A") == 0)
        weights->A[weights->n++] = M;
    return M;
}

/* Child et al.: who is seen, by counting. A window back are the tokens t_x,
   t_x - 1, ...; a stride back are t_x, t_x - w, t_x - 2 w, ... */
static bool is_seen(int t_z, int t_x, int window, bool strided)
{
    bool seen = false;
    for (int n = 0, t = t_x; n < window; n++, t--)
        seen |= t == t_z;
    for (int t = t_x; strided && t >= 1; t -= window)
        seen |= t == t_z;
    return seen;
}

/* E24: every second layer. */
static void the_mask_of_each_layer_is_what_it_says(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = 4;
    for (h.window = 1; h.window <= 6; h.window++)
        for (int strided = 0; strided <= 1; strided++) {
            Weights weights = { 0 };
            h.sparse = strided ? STRIDED : BANDED;
            Theta *theta = random_theta(h);
            observe(tape, note_A, &weights);
            dtransformer(tape, X_TOKENS, theta);
            assert_that(weights.n == 4 * 2);
            for (int k = 0; k < 8; k++)
                for (int t_x = 1; t_x <= 6; t_x++)
                    for (int t_z = 1; t_z <= 6; t_z++) {
                        bool sees = k / 2 % 2 == 0 ? t_z <= t_x
                                  : is_seen(t_z, t_x, h.window, strided);
                        assert_that((AT(weights.A[k], t_z, t_x) > 0)
                                    == sees);
                    }
        }
}

/* The scores of one head, in a place of their own, where their gradient is
   kept. */
typedef struct { int n; Mat S; } Scores;

static Mat put_aside(void *to, const char *line, const char *name, Mat M,
                     int index)
{
    Scores *scores = to;
    (void)name, (void)index;
    if (strcmp(line, "4.4") != 0 || --scores->n != 0)
        return M;
    scores->S = input(tape, M->rows, M->cols);
    memcpy(scores->S->at, M->at, entries_in(M) * sizeof(real));
    return scores->S;
}

static void what_is_masked_has_no_gradient(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.window = 3, h.sparse = STRIDED;
    Theta *theta = random_theta(h);
    for (int n = 1; n <= 4; n++) {              /* two layers, two heads */
        Scores scores = { n, NULL };
        ready(theta);
        observe(tape, put_aside, &scores);
        backward(loss_on(tape, theta));
        for (int t_x = 2; t_x <= 6; t_x++)      /* 1 sees 1 alone */
            for (int t_z = 1; t_z <= 6; t_z++) {
                bool sees = n <= 2 ? t_z <= t_x : is_seen(t_z, t_x, 3, true);
                double slope = scores.S->grad[6 * (t_x - 1) + t_z - 1];
                assert_that((slope != 0) == sees);
            }
    }
}

static void a_window_over_everything_hides_nothing(void **state)
{
    (void)state;
    Hyperparameters h = small(D_TRANSFORMER);
    h.window = 6;
    Theta *dense = small_theta(), *sparse = with_numbers_of(h, dense);
    Mat P = dtransformer(tape, X_TOKENS, sparse);
    assert_same(P, dtransformer(tape, X_TOKENS, ready(dense)), 0);
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
    Hyperparameters few = small(D_TRANSFORMER), more = few;
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
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &seen);
    Mat P = dtransformer(tape, X_TOKENS, theta);
    assert_seen(&seen, "10.1 ell=6, 10.3 X, 10.4 l=1, " NORM "10.5 Xt, "
                ATTENTION "10.6 X, " NORM "10.7 Xt, 10.8 X, " NORM
                "10.10 X, 7.1 logits, 7.1 p, 10.11 P");
    assert_that(value_of(&seen, "P") == P);
}

static void every_layer_can_be_seen(void **state)
{
    (void)state;
    assert_own_lines(forward, small_theta(), "10.",
                     "10.1 ell=6, 10.3 X, "
                     "10.4 l=1, 10.5 Xt, 10.6 X, 10.7 Xt, 10.8 X, "
                     "10.4 l=2, 10.5 Xt, 10.6 X, 10.7 Xt, 10.8 X, "
                     "10.10 X, 10.11 P");
}

static void what_is_seen_is_what_is_used(void **state)
{
    (void)state;
    static const char *const lines[] = { "10.3", "10.5", "10.6", "10.7",
                                         "10.8", "10.10" };
    for (int k = 0; k < 6; k++)
        assert_used(forward, small_theta(), lines[k], 1);
}

static void dropout_is_on_the_embedding_and_on_what_each_half_layer_adds(
    void **state)
{
    (void)state;
    Own own = { "10.", { 0 } };
    Random random = random_new(1);
    Theta *theta = small_theta();
    tape_dropout(arena, tape, .5, &random);
    observe(tape, note_own, &own);
    dtransformer(tape, X_TOKENS, theta);
    Mat e = embeddings(tape, X_TOKENS, theta);
    assert_dropped_or_doubled(seen_on_line(&own, "10.3", 1), e);
    for (int l = 1; l <= 2; l++) {
        assert_some_dropped(seen_on_line(&own, l == 1 ? "10.3" : "10.8", 1),
                            seen_on_line(&own, "10.6", l));
        assert_some_dropped(seen_on_line(&own, "10.6", l),
                            seen_on_line(&own, "10.8", l));
    }
}

/* ---------------------------------------------------------------- refusals */

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Theta *theta = small_theta();
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = NO_POSITIONS;
    assert_refuses_in(dtransformer(tape, TOKENS(1, 2, 3, 4, 5, 6, 7), theta),
                      "equations.c", "embeddings",
                      "a sequence of 7 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.");
    assert_refuses_in(dtransformer(tape, TOKENS(1, 2, 3, 4, 5, 6, 7),
                                   random_theta(h)),
                      "equations.c", "embeddings",
                      "a sequence of 7 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.");
    assert_refuses_in(dtransformer(tape, (Tokens){ 0, NULL }, theta),
                      "equations.c", "embeddings",
                      "a sequence of 0 tokens: the length must be in "
                      "[ell_max] = 1 ... 6.");
    assert_refuses_in(dtransformer(tape, TOKENS(1, 8), theta),
                      "equations.c", "embeddings",
                      "x[2] = 8: a token ID is in [N_V] = 1 ... 7.");
    assert_refuses_in(dtransformer(tape, TOKENS(0), theta),
                      "equations.c", "embeddings",
                      "x[1] = 0: a token ID is in [N_V] = 1 ... 7.");
    assert_refuses_in(dtransformer(tape, TOKENS(1),
                                   random_theta(small(E_TRANSFORMER))),
                      "alg10_dtransformer.c", "dtransformer",
                      "theta belongs to another architecture.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(each_column_is_a_distribution),
        TEST(a_column_depends_on_its_past_and_on_nothing_else),
        TEST(more_tokens_do_not_change_the_earlier_columns),
        TEST(the_same_token_means_something_else_in_another_place),
        TEST(without_positions_the_mask_still_knows_the_order),
        TEST(the_residual_is_not_normalised),
        TEST(a_layer_adds_to_the_residual),
        TEST(no_layer_at_all_is_a_norm_and_an_unembedding),
        TEST(its_gradients_agree_with_differences),
        TEST(its_gradients_agree_with_differences_under_every_option),
        TEST(a_token_that_does_not_occur_has_no_gradient),
        TEST(another_program_agrees),
        TEST(another_program_agrees_on_sparse_attention),
        TEST(another_program_agrees_on_GPT_2),
        TEST(another_program_agrees_on_Gopher),
        TEST(tied_is_W_u_equal_to_W_e_transposed),
        TEST(no_attention_biases_is_biases_of_0),
        TEST(scaled_is_W_e_times_the_root_of_d_e),
        TEST(sines_are_a_W_p_that_is_not_learned),
        TEST(embedding_norm_is_a_norm_before_the_first_layer),
        TEST(epsilon_is_that_of_every_norm),
        TEST(rms_has_no_betas_but_an_epsilon),
        TEST(the_mask_of_each_layer_is_what_it_says),
        TEST(what_is_masked_has_no_gradient),
        TEST(a_window_over_everything_hides_nothing),
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
