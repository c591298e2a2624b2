/* Keys and values of earlier tokens, kept from call to call. */
#include "law.h"
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

/* Algorithm 10, or 8 with this Z, by a cache, on the quiet tape. */
static Mat asked(KVCache *cache, const Theta *theta, Mat Z, Tokens x)
{
    if (theta->hyper.architecture == D_TRANSFORMER)
        return dtransformer(quiet, kv_cache_unseen(cache, x), theta);
    Mat context = kv_cache_context(cache, Z);
    return decode(quiet, context, kv_cache_unseen(cache, x), theta);
}

/* Calls with 1 ... then more tokens; each result is the last token's column. */
static void assert_pieces(KVCache *cache, const Theta *theta, Mat Z, int n,
                          const int upto[])
{
    for (int k = 0; k < n; k++) {
        Mat P = asked(cache, theta, Z, (Tokens){ upto[k], X_TOKENS.id });
        assert_shape(P, N_V, 1);
        assert_that(columns_equal(P, 1, whole, upto[k], TIGHT));
        assert_that(settings(quiet)->past == 0);
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
    h.H = k == 3 ? 3 : 2;
    if (k == 5)
        h.window = 2, h.sparse = STRIDED;
    return h;
}

/* What Algorithm 8 looks at besides; NULL: Algorithm 10 has none. */
static Mat context_of(const Theta *theta)
{
    return theta->hyper.architecture == D_TRANSFORMER
         ? NULL : encode(quiet, Z_TOKENS, theta);
}

LAW(algorithms_8_and_10_give_the_same_columns_token_by_token)
{
    for (int k = 0; k <= 11; k++) {
        Theta *theta = random_theta(variant(k % 2 == 0 ? D_TRANSFORMER
                                                       : ED_TRANSFORMER, k / 2));
        KVCache *cache = kv_cache_new(arena, quiet, theta);
        compute_whole(theta);
        assert_pieces(cache, theta, context_of(theta), 6, one_by_one);
        kv_cache_clear(cache);
        assert_pieces(cache, theta, context_of(theta), 3, pieces);
    }
}

LAW(the_memory_outlasts_the_tape)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    compute_whole(theta);
    for (int t = 1; t <= 6; t++) {
        Mat P = asked(cache, theta, NULL, (Tokens){ t, X_TOKENS.id });
        assert_that(columns_equal(P, 1, whole, t, TIGHT));
        tape_clear(quiet);
        memset(arena_alloc(tape_arena(quiet), 100000), 255, 100000);
        tape_clear(quiet);
    }
}

/* Once the keys and values of the context are known, Z is not looked at. */
LAW(the_context_is_looked_at_once)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    compute_whole(theta);
    Mat Z = encode(quiet, Z_TOKENS, theta);
    asked(cache, theta, Z, TOKENS(3));
    set_all(Z, 1e9);
    assert_shape(kv_cache_context(cache, Z), 4, 1);
    Mat P = asked(cache, theta, Z, TOKENS(3, 1));
    assert_that(columns_equal(P, 1, whole, 2, TIGHT));
}

LAW(what_is_forgotten_has_no_influence)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    compute_whole(theta);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    asked(cache, theta, encode(quiet, TOKENS(1, 1, 1, 1), theta),
          TOKENS(7, 7, 7, 7));
    Mat Z = encode(quiet, Z_TOKENS, theta);
    assert_that(kv_cache_context(cache, Z) != Z);
    kv_cache_clear(cache);
    assert_that(kv_cache_context(cache, Z) == Z);
    assert_pieces(cache, theta, Z, 6, one_by_one);
}

/* As long is not longer: another text, too. */
LAW(another_text_of_the_same_length_is_begun_anew)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    compute_whole(theta);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    asked(cache, theta, NULL, TOKENS(5, 5, 5));
    Mat P = asked(cache, theta, NULL, TOKENS(3, 1, 7));
    assert_that(columns_equal(P, 1, whole, 3, TIGHT));
}

/* Forgotten is also what was asked and has not come. */
LAW(a_call_that_never_came_is_forgotten)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    compute_whole(theta);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    asked(cache, theta, NULL, TOKENS(3, 1));
    kv_cache_unseen(cache, TOKENS(3, 1, 7));
    assert_that(settings(quiet)->past == 2);
    kv_cache_clear(cache);
    kv_cache_clear(NULL);
    assert_that(settings(quiet)->past == 0);
    dtransformer(quiet, TOKENS(5, 5), theta);
    assert_pieces(cache, theta, NULL, 3, pieces);
}

/* Only the queries of the new token are computed, against all keys. */
LAW(a_new_token_is_one_column)
{
    Seen seen = { 0 };
    Hyperparameters h = small(D_TRANSFORMER);
    h.L = h.H = 1;
    Theta *theta = random_theta(h);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    asked(cache, theta, NULL, TOKENS(3, 1, 7));
    observe(quiet, note, &seen);
    asked(cache, theta, NULL, TOKENS(3, 1, 7, 2));
    assert_shape(value_of(&seen, "Q"), 3, 1);
    assert_shape(value_of(&seen, "K"), 3, 4);
    assert_shape(value_of(&seen, "V"), 2, 4);
    assert_shape(value_of(&seen, "A"), 4, 1);
    assert_shape(value_of(&seen, "X"), 4, 1);
}

LAW(wrong_calls_are_refused)
{
    Theta *encoder = random_theta(small(E_TRANSFORMER));
    assert_refuses(kv_cache_new(arena, quiet, encoder),
                   "Algorithm 9 looks both ways: every column changes.");
    Theta *both = random_theta(small(ED_TRANSFORMER));
    KVCache *of_both = kv_cache_new(arena, quiet, both);
    assert_refuses(asked(of_both, both, input(quiet, 4, 7), TOKENS(1)),
                   "0 columns and 7 more: there is room for 6.");
    Theta *theta = random_theta(small(D_TRANSFORMER));
    KVCache *learning = kv_cache_new(arena, tape, theta);
    Tokens x = kv_cache_unseen(learning, TOKENS(3));
    assert_refuses(dtransformer(tape, x, theta), "a KV cache keeps no gradients");
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    asked(cache, theta, NULL, TOKENS(3, 1, 7));
    assert_refuses(asked(cache, theta, NULL, TOKENS(3, 1, 7, 1, 1, 1, 1)),
                   "a sequence of 7 tokens");
}
