/* Algorithm 14: prompting a decoder; and what practice adds. */
#include "law.h"
#include "inference.h"

enum { N_V = 11, ELL_MAX = 9, MASK = N_V - 2, BOS = N_V - 1, EOS = N_V };

static const Hyperparameters sizes = {
    .architecture = D_TRANSFORMER, .N_V = N_V, .ell_max = ELL_MAX, .L = 2,
    .H = 2, .d_e = 6, .d_mlp = 10, .d_attn = 3, .d_mid = 5,
    .epsilon = 1e-5 };

/* A run with the numbers of u_list, watched: by practice, ... */
static Tokens run(Watch *seen, Tokens x, const Theta *theta, Inference how)
{
    Random listed = listed_numbers();
    if (how.random == NULL)
        how.random = &listed;
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens y = inference_14(quiet, arena, x, theta, &how);
    unobserve(quiet);
    tape_clear(quiet);
    return y;
}

/* ... and by Algorithm 14 itself. */
static Tokens printed(Watch *seen, Tokens x, const Theta *theta, int ell_gen,
                      double tau)
{
    Random listed = listed_numbers();
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens y = dinference(quiet, x, theta, ell_gen, tau, &listed);
    unobserve(quiet);
    return y;
}

/* The column of Algorithm 10 for the last token of x. */
static void last_column(double p[], Tokens x, const Theta *theta)
{
    Mat P = dtransformer(quiet, x, theta);
    for (int v = 1; v <= N_V; v++)
        p[v - 1] = AT(P, v, P->cols);
    tape_clear(quiet);
}

static Tokens joined(Tokens x, Tokens y)
{
    int *id = arena_alloc(arena, sizeof *id * (size_t)(x.length + y.length));
    memcpy(id, x.id, sizeof *id * (size_t)x.length);
    memcpy(id + x.length, y.id, sizeof *id * (size_t)y.length);
    return (Tokens){ x.length + y.length, id };
}

/* ------------------------------------------------------- as it is printed */

/* p is Algorithm 10's last column, q its power, y where u falls. */
LAW(every_token_is_the_one_drawn_by_hand)
{
    const Theta *theta = random_theta(sizes);
    Tokens x = TOKENS(BOS, 7, 2);
    Watch seen;
    Tokens y = printed(&seen, x, theta, 6, 1.7);
    assert_that(y.length == 6 && seen.rounds == 6 && seen.widest == 8);
    for (int i = 1; i <= 6; i++) {
        double p[N_V], q[N_V], total = 0;
        last_column(p, joined(x, (Tokens){ i - 1, y.id }), theta);
        for (int v = 0; v < N_V; v++)
            total += q[v] = pow(p[v], 1 / 1.7);
        for (int v = 0; v < N_V; v++) {
            assert_near(seen.p[i - 1][v], p[v], TIGHT);
            assert_near(seen.q[i - 1][v], q[v] /= total, TIGHT);
        }
        assert_that(TOKEN(y, i) == by_hand(q, N_V, u_list[i - 1]));
    }
}

LAW(each_token_uses_one_number)
{
    for (int k = 0; k < 2; k++) {
        NumberList list = { 9, u_list, 0 };
        Random listed = random_in(&list);
        Theta *theta = random_theta(sizes);
        dinference(quiet, TOKENS(BOS), theta, 5, k, &listed);
        assert_that(list.used == 5);
        Watch seen;
        run(&seen, TOKENS(BOS), theta,
            (Inference){ .ell_gen = 3, .tau = k, .random = &listed });
        assert_that(list.used == 8);
    }
}

/* Practice with every option off: the same bytes. */
LAW(without_options_practice_is_the_algorithm)
{
    static const double taus[] = { 0, .3, 1, 2.5, (double)INFINITY };
    const Theta *theta = random_theta(sizes);
    for (int k = 0; k < 5; k++) {
        Watch of_paper, of_practice;
        Tokens x = TOKENS(BOS, 7, 2);
        Inference how = { .ell_gen = 7, .tau = taus[k] };
        Tokens y = printed(&of_paper, x, theta, 7, taus[k]);
        assert_same_tokens(run(&of_practice, x, theta, how), y);
        assert_that(of_paper.rounds == 7 && of_practice.rounds == 7);
        assert_same_probabilities(&of_practice, &of_paper, 0);
    }
}

/* -------------------------------------------------- what it does not cost */

LAW(a_memory_changes_nothing)
{
    const Theta *theta = random_theta(sizes);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    Watch alone, remembering;
    for (int first = 1; first <= 3; first++) {      /* one memory, 3 texts */
        Inference how = { .ell_gen = 7, .tau = 1.3 };
        Tokens x = TOKENS(BOS, first, 4);
        Tokens y = run(&alone, x, theta, how);
        how.kv_cache = cache;
        assert_same_tokens(run(&remembering, x, theta, how), y);
        assert_same_probabilities(&remembering, &alone, TIGHT);
    }
}

/* X is named by the embedding, twice in each of the two layers, and by the last
   norm. With a memory the last three are of one token in a prompt, too. */
LAW(with_a_memory_a_token_costs_one_column)
{
    const Theta *theta = random_theta(sizes);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    long long before = 0, alone_before = 0;
    for (int n = 1; n <= 8; n++) {
        Watch alone, remembering;
        Inference how = { .ell_gen = n };
        run(&alone, TOKENS(BOS, 2), theta, how);
        how.kv_cache = cache;
        run(&remembering, TOKENS(BOS, 2), theta, how);
        long long more = remembering.computed - before;
        long long alone_more = alone.computed - alone_before;
        assert_that(alone_more == 6 * (n + 1));
        assert_that(more == (n == 1 ? 3 * 2 + 3 : 6));
        before = remembering.computed;
        alone_before = alone.computed;
    }
}

LAW(nothing_is_retained)
{
    const Theta *theta = random_theta(sizes);
    input(quiet, 100, 1);
    size_t before = arena_used(tape_arena(quiet));
    for (int n = 1; n <= 40; n += 39) {
        inference_14(quiet, arena, TOKENS(BOS, 1, 2, 3, 4, 5, 6, 7, 8), theta,
                     &(Inference){ .ell_gen = n, .slide = 1 });
        assert_that(arena_used(tape_arena(quiet)) == before);
    }
}

/* ---------------------------------------------------------------- options */

LAW(special_tokens_are_not_drawn)
{
    const double next[] = { 1, 1, 1, 1, 1,   1, 1, 1, 1, 1,
        8, 8, 8, 8, 8,   8, 8, 8, 8, 8,   8, 8, 8, 8, 8 };
    const Theta *theta = chain(D_TRANSFORMER, 5, 40, next);
    for (int stop = 0; stop < 2; stop++) {
        Random random = random_new(6);
        Watch seen;
        Tokens y = run(&seen, TOKENS(1), theta, (Inference){
            .ell_gen = 30, .tau = (double)INFINITY, .no_special = true,
            .stop_at_eos = stop, .random = &random });
        double share = stop ? 1. / 3 : .5;
        for (int v = 1; v <= 5; v++)
            assert_near(seen.q[0][v - 1],
                        v <= 2 || (stop && v == 5) ? share : 0, TIGHT);
        assert_that(stop ? y.id[y.length - 1] == 5 : y.length == 30);
        for (int i = 1; i <= y.length - stop; i++)
            assert_that(TOKEN(y, i) <= 2);
    }
}

LAW(each_token_is_told_until_it_is_enough)
{
    const Theta *theta = random_theta(sizes);
    Watch seen;
    Listener all = { 0 }, some = { .enough = 3 };
    Inference how = { .ell_gen = 7, .tau = 2, .on_token = listen, .to = &all };
    Tokens y = run(&seen, TOKENS(BOS), theta, how);
    assert_same_tokens(((Tokens){ all.n, all.y }), y);
    how.to = &some;
    Tokens three = run(&seen, TOKENS(BOS), theta, how);
    assert_same_tokens(three, ((Tokens){ 3, y.id }));
    assert_that(some.n == 3 && seen.rounds == 3);
}

/* --------------------------------------------------------- sliding window */

/* Also where the prompt alone is longer than the window. */
LAW(a_window_is_a_fresh_start_on_its_tokens)
{
    const Theta *theta = random_theta(sizes);
    KVCache *cache = kv_cache_new(arena, quiet, theta);
    const Tokens prompts[] = { TOKENS(BOS, 1, 2, 3, 4, 5, 6),
                               TOKENS(BOS, 8, 7, 1, 2, 3, 4, 5, 6, 7, 8, 1) };
    for (int k = 0; k < 6; k++) {
        int slide = 1 + k % 3 * 4;                          /* 1, 5, 9 */
        Tokens x = prompts[k / 3];
        Random random = random_new(3), same = random_new(3);
        Inference how = { .ell_gen = 25, .slide = slide, .tau = 2,
                          .random = &random };
        Watch seen, remembering;
        Tokens y = run(&seen, x, theta, how), all = joined(x, y);
        how.random = &same;
        how.kv_cache = cache;
        assert_same_tokens(run(&remembering, x, theta, how), y);
        assert_same_probabilities(&remembering, &seen, TIGHT);
        assert_that(seen.widest == ELL_MAX);
        int front = 0;
        for (int i = 1; i <= 25; i++) {
            int end = x.length + i - 1;
            while (end - front > ELL_MAX)
                front += slide;
            double p[N_V];
            last_column(p, (Tokens){ end - front, all.id + front }, theta);
            for (int v = 0; v < N_V; v++)
                assert_near(seen.p[i - 1][v], p[v], TIGHT);
        }
    }
}

/* ------------------------------------------------------- seen and refused */

LAW(every_step_can_be_seen)
{
    const double next[] = { 0, 0, 0, 1,   1, 0, 0, 0,   0, 0, 0, 0,
                            0, 1, 1, 0 };
    Own own = { "14.", { 0 } };
    Random random = random_new(1);
    const Theta *theta = chain(D_TRANSFORMER, 4, 9, next);
    observe(quiet, note_own, &own);
    dinference(quiet, TOKENS(3, 1), theta, 2, 0, &random);
    unobserve(quiet);
    assert_seen(&own.seen, "14.1 ell=2, 14.2 i=1, 14.3 P, 14.4 p, 14.5 q, "
                "14.5 y=2, 14.2 i=2, 14.3 P, 14.4 p, 14.5 q, 14.5 y=4");
    assert_shape(own.seen.step[2].M, 4, 2);
    assert_shape(own.seen.step[7].M, 4, 3);
    assert_shape(own.seen.step[8].M, 4, 1);
}

#define TRY(x, theta, ...) \
    inference_14(quiet, arena, x, theta, &(Inference){ __VA_ARGS__ }).length

LAW(wrong_calls_are_refused)
{
    const Theta *theta = random_theta(sizes);
    Hyperparameters both = { .architecture = ED_TRANSFORMER, .N_V = N_V,
        .ell_max = 4, .L_enc = 1, .L_dec = 1, .H = 1, .d_e = 2, .d_mlp = 2 };
    Tokens one = TOKENS(1), nine = TOKENS(1, 2, 3, 4, 5, 6, 7, 8, 9);
    assert_refuses(TRY(no_tokens, theta, .ell_gen = 0), "the prompt is empty.");
    assert_refuses(TRY(one, theta, .ell_gen = -1), "ell_gen = -1");
    assert_refuses(TRY(one, theta, .ell_gen = 10),
                   "1 tokens and 10 more; ell_max is 9");
    assert_refuses(TRY(one, theta, .ell_gen = 1, .slide = -1),
                   "slide = -1; it must be in 0 ... ell_max = 9.");
    assert_refuses(TRY(one, theta, .ell_gen = 1, .slide = 10), "slide = 10");
    assert_refuses(TRY(one, theta, .ell_gen = 1, .tau = -1),
                   "tau = -1; it must be from 0 to infinity.");
    assert_refuses(TRY(one, theta, .ell_gen = 1, .tau = 1),
                   "there are no random numbers.");
    assert_that(TRY(one, theta, .ell_gen = 9) == 9);
    Random random = random_new(1);
    assert_refuses(dinference(quiet, no_tokens, theta, 1, 1, &random).length,
                   "a sequence of 0 tokens");
    assert_refuses(dinference(quiet, nine, theta, 2, 1, &random).length,
                   "a sequence of 10 tokens");
    assert_refuses(dinference(quiet, one, theta, -1, 1, &random).length,
                   "[2 : 0] of a sequence of 1.");
    assert_refuses(dinference(quiet, one, theta, 1, -1, &random).length,
                   "tau = -1");
    assert_refuses(TRY(one, random_theta(both), .ell_gen = 1),
                   "theta belongs to another architecture.");
}
