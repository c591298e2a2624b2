/* Keys and values of earlier tokens, kept from call to call. */
#include "architecture.h"

#define Z_TOKENS TOKENS(6, 2, 4)
#define X_TOKENS TOKENS(3, 1, 7, 2, 2, 5)

static Mat whole;               /* P of all tokens at once, by itself */

static void compute_whole(const Theta *theta)
{
    whole = theta->hyper.architecture == D_TRANSFORMER
          ? dtransformer(tape, X_TOKENS, theta)
          : edtransformer(tape, Z_TOKENS, X_TOKENS, theta);
}

/* Calls with 1 ... then more tokens; each result has the new columns only. */
static void assert_pieces(const Theta *with, Mat Z, int n, const int upto[])
{
    for (int k = 0, past = 0; k < n; past = upto[k++]) {
        Tokens x = { upto[k], X_TOKENS.id };
        Mat P = with->hyper.architecture == D_TRANSFORMER
              ? dtransformer(quiet, x, with) : decode(quiet, Z, x, with);
        assert_shape(P, N_V, upto[k] - past);
        for (int t = past + 1; t <= upto[k]; t++)
            assert_that(columns_equal(P, t - past, whole, t, TIGHT));
        assert_that(tokens_seen(with) == upto[k]);
    }
}

static const int one_by_one[] = { 1, 2, 3, 4, 5, 6 };
static const int pieces[] = { 3, 4, 6 };

static Hyperparameters variant(Architecture architecture, int k)
{
    Hyperparameters h = small(architecture);
    h.window = k == 1 ? 2 : 0;
    h.positions = k == 2 ? VASWANI_SINES : k == 3 ? NO_POSITIONS : LEARNED;
    h.rms = h.tied = h.scaled_embedding = h.embedding_norm = k == 4;
    h.no_attention_biases = k == 4;
    return h;
}

static void algorithm_10_gives_the_same_columns_token_by_token(void **state)
{
    (void)state;
    for (int k = 0; k <= 4; k++) {
        Theta *theta = random_theta(variant(D_TRANSFORMER, k));
        Theta *with = theta_remembering(arena, theta);
        compute_whole(theta);
        assert_pieces(with, NULL, 6, one_by_one);
        theta_forget(with);
        assert_pieces(with, NULL, 3, pieces);
    }
}

static void algorithm_8_gives_the_same_columns_token_by_token(void **state)
{
    (void)state;
    for (int k = 0; k <= 4; k++) {
        Theta *theta = random_theta(variant(ED_TRANSFORMER, k));
        Theta *with = theta_remembering(arena, theta);
        compute_whole(theta);
        Mat Z = encode(quiet, Z_TOKENS, with);
        assert_pieces(with, Z, 6, one_by_one);
        theta_forget(with);
        Z = encode(quiet, Z_TOKENS, with);
        assert_pieces(with, Z, 3, pieces);
    }
}

static void the_memory_outlasts_the_tape(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Theta *with = theta_remembering(arena, theta);
    compute_whole(theta);
    for (int t = 1; t <= 6; t++) {
        Mat P = dtransformer(quiet, (Tokens){ t, X_TOKENS.id }, with);
        assert_that(columns_equal(P, 1, whole, t, TIGHT));
        tape_clear(quiet);
        memset(arena_alloc(tape_arena(quiet), 100000), 255, 100000);
        tape_clear(quiet);
    }
}

/* Once the keys and values of the context are known, Z is not looked at. */
static void the_context_is_looked_at_once(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    Theta *with = theta_remembering(arena, theta);
    compute_whole(theta);
    Mat Z = encode(quiet, Z_TOKENS, with);
    decode(quiet, Z, TOKENS(3), with);
    set_all(Z, 1e9);
    Mat P = decode(quiet, Z, TOKENS(3, 1), with);
    assert_that(columns_equal(P, 1, whole, 2, TIGHT));
}

static void what_is_forgotten_has_no_influence(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    Theta *with = theta_remembering(arena, theta);
    decode(quiet, encode(quiet, TOKENS(1, 1, 1, 1), with),
           TOKENS(7, 7, 7, 7), with);
    assert_that(tokens_seen(with) == 4);
    theta_forget(with);
    assert_that(tokens_seen(with) == 0);
    compute_whole(theta);
    assert_pieces(with, encode(quiet, Z_TOKENS, with), 6, one_by_one);
}

static void two_memories_of_one_theta_are_apart(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Theta *a = theta_remembering(arena, theta);
    Theta *b = theta_remembering(arena, theta);
    compute_whole(theta);
    dtransformer(quiet, TOKENS(5, 5, 5), b);
    assert_pieces(a, NULL, 6, one_by_one);
    assert_that(tokens_seen(b) == 3 && tokens_seen(theta) == 0);
    assert_same(dtransformer(tape, X_TOKENS, theta), whole, 0);
}

static void the_numbers_are_shared(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Theta *with = theta_remembering(arena, theta);
    for (int k = 1; k <= theta->n; k++)
        assert_that(*theta->parameter[k].place == *with->parameter[k].place);
}

/* Only the queries of the new token are computed, against all keys. */
static void a_new_token_is_one_column(void **state)
{
    (void)state;
    Seen seen = { 0 };
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = h.H = 1;
    Theta *with = theta_remembering(arena, random_theta(h));
    dtransformer(quiet, TOKENS(3, 1, 7), with);
    observe(quiet, note, &seen);
    dtransformer(quiet, TOKENS(3, 1, 7, 2), with);
    assert_shape(value_of(&seen, "Q"), 3, 1);
    assert_shape(value_of(&seen, "K"), 3, 4);
    assert_shape(value_of(&seen, "V"), 2, 4);
    assert_shape(value_of(&seen, "A"), 4, 1);
    assert_shape(value_of(&seen, "X"), 4, 1);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Theta *with = theta_remembering(arena, theta);
    Theta *both = random_theta(small(ED_TRANSFORMER));
    assert_refuses_in(theta_remembering(arena,
                                        random_theta(small(E_TRANSFORMER))),
                      "memory.c", "theta_remembering",
                      "Algorithm 9 looks both ways: every column changes.");
    assert_refuses_in(dtransformer(tape, TOKENS(3), with), "memory.c",
                      "with_past", "a memory keeps no gradients; the tape "
                      "must not want any.");
    dtransformer(quiet, TOKENS(3, 1, 7), with);
    assert_refuses_in(dtransformer(quiet, TOKENS(3, 1, 7), with),
                      "alg02_posembed.c", "embed_sequence",
                      "3 of 3 tokens are seen already; one must be new.");
    assert_refuses_in(dtransformer(quiet, TOKENS(3, 1), with),
                      "alg02_posembed.c", "embed_sequence",
                      "3 of 2 tokens are seen already; one must be new.");
    assert_refuses_in(dtransformer(quiet, TOKENS(3, 1, 7, 1, 1, 1, 1), with),
                      "architecture.c", "embed_tokens",
                      "a sequence of 7 tokens; ell_max is 6.");
    assert_refuses_in(decode(quiet, input(quiet, 4, 7), TOKENS(1),
                             theta_remembering(arena, both)),
                      "memory.c", "with_past",
                      "0 columns and 7 more: there is room for 6.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(algorithm_10_gives_the_same_columns_token_by_token),
        TEST(algorithm_8_gives_the_same_columns_token_by_token),
        TEST(the_memory_outlasts_the_tape),
        TEST(the_context_is_looked_at_once),
        TEST(what_is_forgotten_has_no_influence),
        TEST(two_memories_of_one_theta_are_apart),
        TEST(the_numbers_are_shared),
        TEST(a_new_token_is_one_column),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
