/* Algorithm 15: translating with an encoder and a decoder. */
#include "law.h"
#include "inference.h"

enum { N_V = 11, ELL_MAX = 9, MASK = N_V - 2, BOS = N_V - 1, EOS = N_V };

static const Hyperparameters sizes = {
    .architecture = ED_TRANSFORMER, .N_V = N_V, .ell_max = ELL_MAX,
    .L_enc = 2, .L_dec = 2, .H = 2, .d_e = 6, .d_mlp = 10, .d_attn = 3,
    .d_mid = 5, .epsilon = 1e-5 };

/* A random model that does not say eos too early: X lies around beta. */
static Theta *talkative(void)
{
    Theta *theta = random_theta(sizes);
    for (int i = 1; i <= sizes.d_e; i++)
        AT(theta->W_u, EOS, i) = -AT(theta->dec[2].beta_5, i, 1);
    return theta;
}

static Tokens run(Watch *seen, Tokens z, const Theta *theta, Inference how,
                  bool *ended)
{
    Random listed = listed_numbers();
    if (how.random == NULL)
        how.random = &listed;
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens x = inference_15(quiet, arena, z, theta, &how, ended);
    unobserve(quiet);
    tape_clear(quiet);
    return x;
}

/* Algorithm 15 itself, with the same numbers; 0: no bound but ell_max. */
static Tokens printed(Watch *seen, Tokens z, const Theta *theta, int bound,
                      double tau)
{
    Random listed = listed_numbers();
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens x = edinference(quiet, z, theta,
                           bound == 0 ? theta->hyper.ell_max : bound, tau,
                           &listed);
    unobserve(quiet);
    return x;
}

/* bos to 1 to 2 to 1 to 2 ..., or to eos where that is given. */
static Theta *alternating(bool ends)
{
    const double without[] = { 0, 1, 0, 1, 0,   1, 0, 0, 0, 0,
        0, 0, 0, 0, 0,   0, 0, 0, 0, 0,   0, 0, 1, 0, 1 };
    const double with[] = { 0, 0, 0, 1, 0,   1, 0, 0, 0, 0,
        0, 0, 0, 0, 0,   0, 0, 0, 0, 0,   0, 1, 1, 0, 1 };
    return chain(ED_TRANSFORMER, 5, 6, ends ? with : without);
}

/* ------------------------------------------------------- as it is printed */

LAW(every_token_is_the_one_drawn_by_hand)
{
    const Theta *theta = talkative();
    int context[] = { 4, 7, 2 };
    Tokens z = { 3, context };
    Watch seen;
    Tokens x = printed(&seen, z, theta, 0, 1.7);
    assert_same_tokens(z, TOKENS(4, 7, 2));
    assert_that(TOKEN(x, 1) == BOS && x.length >= 4);
    assert_that(seen.rounds == x.length - 1);
    for (int i = 1; i <= seen.rounds; i++) {
        double q[N_V], total = 0;
        Mat P = edtransformer(quiet, z, (Tokens){ i, x.id }, theta);
        for (int v = 1; v <= N_V; v++)
            total += q[v - 1] = pow(AT(P, v, i), 1 / 1.7);
        for (int v = 1; v <= N_V; v++) {
            assert_near(seen.p[i - 1][v - 1], AT(P, v, i), TIGHT);
            assert_near(seen.q[i - 1][v - 1], q[v - 1] /= total, TIGHT);
        }
        assert_that(TOKEN(x, i + 1) == by_hand(q, N_V, u_list[i - 1]));
    }
}

/* Practice with every option off: the same bytes. */
LAW(without_options_practice_is_the_algorithm)
{
    static const double taus[] = { 0, .3, 1, 2.5, (double)INFINITY };
    const Theta *theta = talkative();
    for (int k = 0; k < 10; k++) {
        Watch of_paper, of_practice;
        bool ended;
        Tokens z = TOKENS(4, 7, 2);
        Inference how = { .tau = taus[k / 2], .ell_gen = k % 2 * 4 };
        Tokens x = printed(&of_paper, z, theta, how.ell_gen, how.tau);
        assert_same_tokens(run(&of_practice, z, theta, how, &ended), x);
        assert_that(ended == (TOKEN(x, x.length) == EOS));
        assert_that(of_paper.rounds == x.length - 1);
        assert_same_probabilities(&of_practice, &of_paper, 0);
    }
}

/* -------------------------------------------------- what it does not cost */

LAW(a_kv_cache_changes_nothing)
{
    const Theta *theta = talkative();
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    for (int first = 1; first <= 3; first++) {      /* one memory, 3 texts */
        Tokens z = TOKENS(first, 7, 5, 2);
        Watch alone, other;
        Inference how = { .tau = 1.3 };
        Tokens x = run(&alone, z, theta, how, NULL);
        how.kv_cache = cache;
        assert_same_tokens(run(&other, z, theta, how, NULL), x);
        assert_same_probabilities(&other, &alone, TIGHT);
    }
}

/* Of n rounds, how often is z encoded, and how many columns are decoded? */
LAW(with_both_a_token_costs_one_column)
{
    const Theta *theta = alternating(false);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    for (int n = 1; n <= 6; n++) {
        Watch alone, both;
        Inference how = { .ell_gen = n };
        run(&alone, TOKENS(1, 2), theta, how, NULL);
        how.kv_cache = cache;
        run(&both, TOKENS(1, 2), theta, how, NULL);
        assert_that(alone.encoded == 1 && alone.computed == n * (n + 1) / 2);
        assert_that(both.encoded == 1 && both.computed == n);
    }
}

LAW(nothing_is_retained)
{
    const Theta *theta = alternating(false);
    input(quiet, 100, 1);
    size_t before = arena_used(tape_arena(quiet));
    inference_15(quiet, arena, TOKENS(1, 2), theta, &(Inference){ 0 }, NULL);
    assert_that(arena_used(tape_arena(quiet)) == before);
}

/* ---------------------------------------------------------------- options */

LAW(special_tokens_are_not_drawn)
{
    const double next[] = { 1, 1, 1, 1, 1,   1, 1, 1, 1, 1,
        8, 8, 8, 8, 8,   8, 8, 8, 8, 8,   1, 1, 1, 1, 1 };
    Watch seen;
    Tokens x = run(&seen, TOKENS(2), chain(ED_TRANSFORMER, 5, 9, next),
                   (Inference){ .tau = 1, .no_special = true }, NULL);
    for (int v = 1; v <= 5; v++)
        assert_near(seen.q[0][v - 1], v == 3 || v == 4 ? 0 : 1. / 3, TIGHT);
    for (int i = 2; i <= x.length; i++)
        assert_that(TOKEN(x, i) != 3 && TOKEN(x, i) != 4);
}

LAW(each_token_is_told_until_it_is_enough)
{
    Watch seen;
    Listener all = { 0 }, some = { .enough = 2 };
    Inference how = { .on_token = listen, .to = &all };
    Tokens x = run(&seen, TOKENS(2), alternating(true), how, NULL);
    assert_same_tokens(((Tokens){ all.n, all.y }),
                       ((Tokens){ x.length - 1, x.id + 1 }));
    how.to = &some;
    bool ended = true;
    assert_tokens(run(&seen, TOKENS(2), alternating(true), how, &ended),
                  4, 1, 2);
    assert_that(!ended && some.n == 2);
}

/* ------------------------------------------------------- seen and refused */

LAW(every_step_can_be_seen)
{
    Own own = { "15.", { 0 } };
    Random random = random_new(1);
    const Theta *theta = alternating(true);
    observe(quiet, note_own, &own);
    edinference(quiet, TOKENS(3, 1), theta, 2, 0, &random);
    unobserve(quiet);
    assert_seen(&own.seen, "15.4 P, 15.5 p, 15.6 q, 15.6 y=1, "
                "15.4 P, 15.5 p, 15.6 q, 15.6 y=2");
    assert_shape(own.seen.step[4].M, 5, 2);
    assert_shape(own.seen.step[5].M, 5, 1);
}

#define TRY(z, theta, ...) \
    inference_15(quiet, arena, z, theta, &(Inference){ __VA_ARGS__ }, \
                 NULL).length

LAW(wrong_calls_are_refused)
{
    const Theta *theta = random_theta(sizes);
    Hyperparameters decoder = sizes;
    decoder.architecture = D_TRANSFORMER;
    const char *another = "theta belongs to another architecture.";
    Tokens one = TOKENS(1), ten = TOKENS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    assert_refuses(TRY(one, theta, .ell_gen = -1),
                   "ell_gen = -1; it must be in 0 ... ell_max = 9.");
    assert_refuses(TRY(one, theta, .ell_gen = 10), "ell_gen = 10");
    assert_refuses(TRY(one, theta, .tau = -1), "tau = -1");
    assert_refuses(TRY(ten, theta, .tau = 0), "a sequence of 10 tokens");
    assert_refuses(TRY(one, random_theta(decoder), .tau = 0), another);
    Random random = random_new(1);
    assert_refuses(edinference(quiet, ten, theta, 9, 1, &random).length,
                   "a sequence of 10 tokens");
    assert_refuses(edinference(quiet, one, theta, 9, -1, &random).length,
                   "tau = -1; it must be from 0 to infinity.");
}
