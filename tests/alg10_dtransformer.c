/* Algorithm 10: the decoder-only transformer. */
#include "law.h"
#include "architecture.h"
#include "oracle/algorithms.h"

#define X_TOKENS TOKENS(3, 1, 7, 2, 2, 5)

static Theta *small_theta(void)
{
    return random_theta(small(D_TRANSFORMER));
}

static Mat forward(Tape *on, const Theta *theta)
{
    return dtransformer(on, X_TOKENS, theta);
}

static Mat of_tokens(const Theta *theta, Tokens x)
{
    return dtransformer(tape, x, theta);
}

LAW(a_column_depends_on_its_past_and_not_on_its_future)
{
    assert_causal(of_tokens, small_theta(), X_TOKENS);
}

/* E27: without positions equal tokens cannot be told apart, but the order of
   the past still matters: it is causal, neither invariant nor equivariant. */
LAW(without_positions_the_mask_still_knows_the_order)
{
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

/* E30: X itself is not normalised in lines 5 and 7. */
LAW(each_line_is_the_formula_of_that_line)
{
    Theta *theta = small_theta();
    Own own = lines_of(forward, theta, "10.");
    Mat X = embeddings(tape, X_TOKENS, theta);
    assert_same(seen_on_line(&own, "10.3", 1), X, 0);
    for (int l = 1; l <= 2; l++) {
        const Layer *w = &theta->layer[l];
        Mat Xt = layer_norm(X, w->gamma_1, w->beta_1);
        assert_same(seen_on_line(&own, "10.5", l), Xt, 0);
        X = add(X, mhattention(Xt, Xt, &w->W, unidirectional));
        assert_same(seen_on_line(&own, "10.6", l), X, 0);
        Xt = layer_norm(X, w->gamma_2, w->beta_2);
        assert_same(seen_on_line(&own, "10.7", l), Xt, 0);
        Mat hidden = gelu(affine(w->W_mlp1, Xt, w->b_mlp1));
        X = add(X, affine(w->W_mlp2, hidden, w->b_mlp2));
        assert_same(seen_on_line(&own, "10.8", l), X, 0);
    }
    X = layer_norm(X, theta->gamma, theta->beta);
    assert_same(seen_on_line(&own, "10.10", 1), X, 0);
    assert_same(seen_on_line(&own, "10.11", 1), unembed(X, theta->W_u), 0);
}

static Mat loss_on(Tape *on, const Theta *theta)
{
    return loss_against(forward(on, theta), TOKENS(1, 7, 2, 2, 5, 4));
}

LAW(its_gradients_agree_with_differences)
{
    Theta *theta = small_theta();
    assert_gradients(loss_on, theta);
    assert_b_k_has_no_gradient(theta);
    Hyperparameters h = small(D_TRANSFORMER);       /* every option */
    h.tied = h.tanh_gelu = h.embedding_norm = h.scaled_embedding = true;
    h.epsilon = .01, h.window = 2, h.no_attention_biases = true;
    assert_gradients(loss_on, random_theta(h));
    h.rms = true, h.positions = VASWANI_SINES, h.sparse = STRIDED;
    assert_gradients(loss_on, random_theta(h));
}

/* ... and with the settings of GPT-3 and Gopher; of GPT-2 see model/import.c. */
LAW(another_program_agrees)
{
    const Hyperparameters sizes = recorded_sizes(D_TRANSFORMER);
    Theta *theta = recorded_theta(sizes, &alg10);
    Mat P = dtransformer(tape, TOKENS(ALG10_X), theta);
    assert_recorded(P, 5, 6, alg10.result);
    Hyperparameters h[3] = { sizes, sizes, sizes };
    const double *const expected[] = { alg10_window, alg10_strided,
                                       alg10_gopher };
    h[0].window = h[1].window = 2, h[1].sparse = STRIDED, h[2].rms = true;
    for (int k = 0; k < 3; k++)
        assert_recorded(dtransformer(tape, TOKENS(ALG10_X),
                                     with_numbers_of(h[k], theta)),
                        5, 6, expected[k]);
}

LAW(tied_is_W_u_equal_to_W_e_transposed)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.tied = true;
    Theta *tied = random_theta(h);
    assert_that(tied->W_u->at == tied->W_e->at && tied->n == small_theta()->n - 1);
    assert_shape(tied->W_u, N_V, 4);
}

LAW(rms_has_no_betas_but_an_epsilon)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.rms = true, h.epsilon = .1;
    Theta *theta = random_theta(h);
    Own own = lines_of(forward, theta, "10.");
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
LAW(the_mask_of_each_layer_is_what_it_says)
{
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

LAW(without_gradients_nothing_is_kept)
{
    assert_nothing_is_kept(forward, small(D_TRANSFORMER));
}

LAW(every_line_can_be_seen_in_order)
{
    Seen seen = { 0 };
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = h.H = 1;
    Theta *theta = random_theta(h);
    observe(tape, note, &seen);
    Mat P = dtransformer(tape, X_TOKENS, theta);
    assert_seen(&seen, "10.1 ell=6, 1.1 x=3, 1.1 x=1, 1.1 x=7, 1.1 x=2, "
                "1.1 x=2, 1.1 x=5, 10.3 X, 10.4 l=1, " NORM "10.5 X_tilde, "
                ATTENTION "10.6 X, " NORM "10.7 X_tilde, 10.8 X, " NORM
                "10.10 X, 7.1 logits, 7.1 p, 10.11 P");
    assert_that(value_of(&seen, "P") == P);
    assert_own_lines(forward, small_theta(), "10.",
                     "10.1 ell=6, 10.3 X, "
                     "10.4 l=1, 10.5 X_tilde, 10.6 X, 10.7 X_tilde, 10.8 X, "
                     "10.4 l=2, 10.5 X_tilde, 10.6 X, 10.7 X_tilde, 10.8 X, "
                     "10.10 X, 10.11 P");
}

LAW(dropout_is_on_the_embedding_and_on_what_each_half_layer_adds)
{
    static const Sum sums[] = {
        { "10.3", 1, "10.6", 1 }, { "10.6", 1, "10.8", 1 },
        { "10.8", 1, "10.6", 2 }, { "10.6", 2, "10.8", 2 } };
    assert_dropout(forward, small_theta(), "10.", "10.3", X_TOKENS, 4, sums);
}

LAW(wrong_calls_are_refused)
{
    Theta *theta = small_theta(), *other = random_theta(small(E_TRANSFORMER));
    Tokens seven = TOKENS(1, 2, 3, 4, 5, 6, 7);
    const char *too_long = "7 tokens: the length must be in [ell_max] = 1 ... 6.";
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = NO_POSITIONS;
    assert_refuses(dtransformer(tape, seven, theta), too_long);
    assert_refuses(dtransformer(tape, seven, random_theta(h)), too_long);
    assert_refuses(dtransformer(tape, no_tokens, theta), "0 tokens");
    assert_refuses(dtransformer(tape, TOKENS(1, 8), theta), "x[2] = 8");
    assert_refuses(dtransformer(tape, TOKENS(0), theta), "x[1] = 0");
    assert_refuses(dtransformer(tape, TOKENS(1), other),
                   "theta belongs to another architecture.");
}
