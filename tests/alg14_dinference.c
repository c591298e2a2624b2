/* Algorithm 14: prompting a decoder; and what practice adds. */
#include "inference.h"

enum { N_V = 11, ELL_MAX = 9, MASK = N_V - 2, BOS = N_V - 1, EOS = N_V };

static const Hyperparameters sizes = {
    .architecture = D_TRANSFORMER, .N_V = N_V, .ell_max = ELL_MAX, .L = 2,
    .H = 2, .d_e = 6, .d_mlp = 10, .d_attn = 3, .d_mid = 5,
    .epsilon = 1e-5 };

static const double u_list[] = { .11, .93, .42, .77, .05, .58, .999, .31,
                                 .66, .24, .88, .49 };

/* A run with the numbers of u_list, watched. */
static Tokens run(Watch *seen, Tokens x, const Theta *theta, Inference how)
{
    NumberList list = { sizeof u_list / sizeof *u_list, u_list, 0 };
    Random listed = random_in(&list);
    if (how.random == NULL)
        how.random = &listed;
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens y = inference_14(quiet, arena, x, theta, &how);
    unobserve(quiet);
    tape_clear(quiet);
    return y;
}

/* Algorithm 14 itself, with the same numbers. */
static Tokens printed(Watch *seen, Tokens x, const Theta *theta, Inference how)
{
    NumberList list = { sizeof u_list / sizeof *u_list, u_list, 0 };
    Random listed = random_in(&list);
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens y = dinference(quiet, x, theta, how.ell_gen, how.tau,
                          how.random == NULL ? &listed : how.random);
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

/* -------------------------------------------------------- as it is printed */

static void four_tokens_from_two_and_the_longest_pass_has_five(void **state)
{
    (void)state;
    Watch seen;
    Tokens y = printed(&seen, TOKENS(BOS, 3), random_theta(sizes),
                   (Inference){ .ell_gen = 4 });
    assert_that(y.length == 4 && seen.rounds == 4 && seen.widest == 5);
}

static void nothing_is_asked_where_nothing_is_wanted(void **state)
{
    (void)state;
    Watch seen;
    Tokens y = printed(&seen, TOKENS(BOS, 3), random_theta(sizes),
                   (Inference){ .ell_gen = 0 });
    assert_that(y.length == 0 && seen.rounds == 0);
}

/* p is Algorithm 10's last column, q its power, y where u falls. */
static void every_token_is_the_one_drawn_by_hand(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Tokens x = TOKENS(BOS, 7, 2);
    Watch seen;
    Tokens y = printed(&seen, x, theta,
                       (Inference){ .ell_gen = 6, .tau = 1.7 });
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

static void a_chain_goes_its_way(void **state)
{
    (void)state;
    const double next[] = { 0, 1, 0, 0,   0, 0, 0, 1,   0, 0, 0, 0,
                            1, 0, 1, 0 };      /* 3 to 4 to 2 to 1 to 4 */
    Watch seen;
    Tokens y = printed(&seen, TOKENS(3), chain(D_TRANSFORMER, 4, 9, next),
                   (Inference){ .ell_gen = 8, .tau = 1 });
    assert_tokens(y, 4, 2, 1, 4, 2, 1, 4, 2);
}

/* 1 with 1/2, 2 with 1/4, 3 and 4 with 1/8, whatever was before. */
static void given_numbers_draw_given_tokens(void **state)
{
    (void)state;
    const double next[] = { 4, 4, 4, 4,   2, 2, 2, 2,   1, 1, 1, 1,
                            1, 1, 1, 1 };
    const Theta *theta = chain(D_TRANSFORMER, 4, 9, next);
    NumberList list = { 4, ROWS(.8, .3, .9, .6), 0 };
    Random listed = random_in(&list);
    Watch seen;
    Inference how = { .ell_gen = 4, .tau = 1, .random = &listed };
    assert_tokens(printed(&seen, TOKENS(2), theta, how), 3, 1, 4, 2);
    list.used = 0;
    how.tau = .5;
    assert_tokens(printed(&seen, TOKENS(2), theta, how), 2, 1, 2, 1);
    assert_near(seen.q[0][0], 8. / 11, TIGHT);
}

static void what_comes_later_does_not_change_what_came(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch seen;
    Tokens x = TOKENS(BOS, 1);
    Tokens y = printed(&seen, x, theta, (Inference){ .ell_gen = 8, .tau = 2 });
    for (int n = 0; n < 8; n++) {
        Tokens z = printed(&seen, x, theta,
                       (Inference){ .ell_gen = n, .tau = 2 });
        assert_same_tokens(z, ((Tokens){ n, y.id }));
    }
}

static void the_prompt_stays_as_it_is(void **state)
{
    (void)state;
    int prompt[] = { BOS, 4, 6, 1, 1, 1, 1 };
    Watch seen;
    Tokens y = printed(&seen, (Tokens){ 3, prompt }, random_theta(sizes),
                   (Inference){ .ell_gen = 4 });
    assert_same_tokens(((Tokens){ 7, prompt }),
                       TOKENS(BOS, 4, 6, 1, 1, 1, 1));
    assert_that(y.length == 4 && (y.id >= prompt + 7 || y.id < prompt));
}

static void the_same_seed_draws_the_same_tokens(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Tokens y[3];
    Watch seen;
    for (int k = 0; k < 3; k++) {
        Random random = random_new(k == 2 ? 8 : 7);
        y[k] = printed(&seen, TOKENS(BOS), theta,
                       (Inference){ .ell_gen = 9, .tau = 3,
                                    .random = &random });
    }
    assert_same_tokens(y[1], y[0]);
    assert_that(memcmp(y[2].id, y[0].id, 9 * sizeof(int)) != 0);
}

static void at_0_the_most_probable_token_comes(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch seen, near;
    Tokens y = printed(&seen, TOKENS(BOS, 5), theta,
                   (Inference){ .ell_gen = 7 });
    for (int i = 1; i <= 7; i++)
        for (int v = 1; v <= N_V; v++)
            assert_that(seen.p[i - 1][v - 1]
                        <= seen.p[i - 1][TOKEN(y, i) - 1]);
    Tokens almost = printed(&near, TOKENS(BOS, 5), theta,
                        (Inference){ .ell_gen = 7, .tau = 1e-6 });
    assert_same_tokens(almost, y);
}

static void each_token_uses_one_number(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        NumberList list = { 9, u_list, 0 };
        Random listed = random_in(&list);
        Watch seen;
        printed(&seen, TOKENS(BOS), random_theta(sizes),
                (Inference){ .ell_gen = 5, .tau = k, .random = &listed });
        assert_that(list.used == 5);
        run(&seen, TOKENS(BOS), random_theta(sizes),
            (Inference){ .ell_gen = 3, .tau = k, .random = &listed });
        assert_that(list.used == 8);
    }
}

/* Practice with every option off: the same bytes. */
static void without_options_practice_is_the_algorithm(void **state)
{
    (void)state;
    static const double taus[] = { 0, .3, 1, 2.5, (double)INFINITY };
    const Theta *theta = random_theta(sizes);
    for (int k = 0; k < 5; k++) {
        Watch of_paper, of_practice;
        Tokens x = TOKENS(BOS, 7, 2);
        Inference how = { .ell_gen = 7, .tau = taus[k] };
        Tokens y = printed(&of_paper, x, theta, how);
        assert_same_tokens(run(&of_practice, x, theta, how), y);
        assert_that(of_paper.rounds == 7 && of_practice.rounds == 7);
        assert_same_probabilities(&of_practice, &of_paper, 0);
    }
}

/* -------------------------------------------------- what it does not cost */

static void a_memory_changes_nothing(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Memory *memory = memory_new(arena, quiet, theta);
    Watch alone, remembering;
    for (int first = 1; first <= 3; first++) {      /* one memory, 3 texts */
        Inference how = { .ell_gen = 7, .tau = 1.3 };
        Tokens x = TOKENS(BOS, first, 4);
        Tokens y = run(&alone, x, theta, how);
        how.memory = memory;
        assert_same_tokens(run(&remembering, x, theta, how), y);
        assert_same_probabilities(&remembering, &alone, TIGHT);
    }
}

/* Each of the two layers and the embedding has X 1 + 2 times, the last
   norm once more: columns for all tokens without, for one with a memory. */
static void with_a_memory_a_token_costs_one_column(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Memory *memory = memory_new(arena, quiet, theta);
    long long before = 0, alone_before = 0;
    for (int n = 1; n <= 8; n++) {
        Watch alone, remembering;
        Inference how = { .ell_gen = n };
        run(&alone, TOKENS(BOS, 2), theta, how);
        how.memory = memory;
        run(&remembering, TOKENS(BOS, 2), theta, how);
        long long more = remembering.computed - before;
        long long alone_more = alone.computed - alone_before;
        assert_that(alone_more == 6 * (n + 1));
        assert_that(more == (n == 1 ? 6 * 2 : 6));
        before = remembering.computed;
        alone_before = alone.computed;
    }
}

static void nothing_is_retained(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    input(quiet, 100, 1);
    size_t before = arena_used(tape_arena(quiet)), peak = 0;
    for (int n = 1; n <= 40; n += 39) {
        inference_14(quiet, arena, TOKENS(BOS, 1, 2, 3, 4, 5, 6, 7, 8), theta,
                     &(Inference){ .ell_gen = n, .slide = 1 });
        assert_that(arena_used(tape_arena(quiet)) == before);
        assert_that(peak == 0 || tape_peak(quiet) == peak);
        peak = tape_peak(quiet);
    }
}

/* ---------------------------------------------------------------- options */

static void as_printed_eos_does_not_stop(void **state)
{
    (void)state;
    const double next[] = { 0, 0, 0, 1,   1, 0, 0, 0,   0, 0, 0, 0,
                            0, 1, 1, 0 };       /* 1 to 2 to 4 to 1 */
    const Theta *theta = chain(D_TRANSFORMER, 4, 9, next);
    Watch seen;
    Inference how = { .ell_gen = 6 };
    assert_tokens(run(&seen, TOKENS(3, 1), theta, how), 2, 4, 1, 2, 4, 1);
    how.stop_at_eos = true;
    assert_tokens(run(&seen, TOKENS(3, 1), theta, how), 2, 4);
    assert_that(seen.rounds == 2);
}

static void special_tokens_are_not_drawn(void **state)
{
    (void)state;
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

static void each_token_is_told_until_it_is_enough(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch seen;
    Listener all = { 0 }, some = { .enough = 3 };
    Inference how = { .ell_gen = 7, .tau = 2, .told = listen, .to = &all };
    Tokens y = run(&seen, TOKENS(BOS), theta, how);
    assert_same_tokens(((Tokens){ all.n, all.y }), y);
    how.to = &some;
    Tokens three = run(&seen, TOKENS(BOS), theta, how);
    assert_same_tokens(three, ((Tokens){ 3, y.id }));
    assert_that(some.n == 3 && seen.rounds == 3);
}

static void options_that_keep_all_change_nothing(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch printed, narrowed;
    Inference how = { .ell_gen = 8, .tau = 1.5 };
    Tokens y = run(&printed, TOKENS(BOS), theta, how);
    how.top_k = N_V;
    how.top_p = 1;
    assert_same_tokens(run(&narrowed, TOKENS(BOS), theta, how), y);
    assert_same_probabilities(&narrowed, &printed, 0);
}

/* The temperature comes before both, and k before p: of q = 8/11, 2/11,
   1/22, 1/22 two are left with 4/5 and 1/5, and 0.8 needs only the first. */
static void options_act_in_their_order(void **state)
{
    (void)state;
    const double next[] = { 4, 4, 4, 4,   2, 2, 2, 2,   1, 1, 1, 1,
                            1, 1, 1, 1 };
    Watch seen;
    Inference how = { .ell_gen = 1, .tau = .5, .top_k = 2 };
    run(&seen, TOKENS(2), chain(D_TRANSFORMER, 4, 9, next), how);
    assert_near(seen.q[0][0], .8, TIGHT);
    assert_near(seen.q[0][1], .2, TIGHT);
    how.top_p = .79;
    run(&seen, TOKENS(2), chain(D_TRANSFORMER, 4, 9, next), how);
    assert_near(seen.q[0][0], 1, TIGHT);
}

/* ---------------------------------------------------------- sliding window */

static void a_window_is_a_fresh_start_on_its_tokens(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Memory *memory = memory_new(arena, quiet, theta);
    for (int slide = 1; slide <= ELL_MAX; slide += 4) {     /* 1, 5, 9 */
        Tokens x = TOKENS(BOS, 1, 2, 3, 4, 5, 6);
        Random random = random_new(3), same = random_new(3);
        Inference how = { .ell_gen = 25, .slide = slide, .tau = 2,
                          .random = &random };
        Watch seen, remembering;
        Tokens y = run(&seen, x, theta, how), all = joined(x, y);
        how.random = &same;
        how.memory = memory;
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

static void a_long_prompt_is_seen_from_its_end(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch seen, cropped;
    Inference how = { .ell_gen = 5, .slide = 1, .tau = 1 };
    Tokens y = run(&seen, TOKENS(BOS, 8, 7, 1, 2, 3, 4, 5, 6, 7, 8, 1),
                   theta, how);
    assert_same_tokens(run(&cropped, TOKENS(1, 2, 3, 4, 5, 6, 7, 8, 1),
                           theta, how), y);
    assert_same_probabilities(&cropped, &seen, 0);
}

static void a_window_that_is_not_needed_changes_nothing(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Watch with, without;
    Inference how = { .ell_gen = ELL_MAX - 1, .tau = 1 };
    Tokens y = run(&without, TOKENS(BOS, 2), theta, how);
    how.slide = 4;
    assert_same_tokens(run(&with, TOKENS(BOS, 2), theta, how), y);
    assert_same_probabilities(&with, &without, 0);
}

/* ------------------------------------------------------- seen and refused */

static void every_step_can_be_seen(void **state)
{
    (void)state;
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

#define REFUSES(call, file, name, sentence) \
    assert_refuses_in(call, file, name, sentence)
#define TRY(x, theta, ...) \
    inference_14(quiet, arena, x, theta, &(Inference){ __VA_ARGS__ }).length

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Hyperparameters both = { .architecture = ED_TRANSFORMER, .N_V = N_V,
        .ell_max = 4, .L_enc = 1, .L_dec = 1, .H = 1, .d_e = 2, .d_mlp = 2 };
    const char *file = "inference.c", *prompt = "refuse_wrong_prompt";
    Tokens one = TOKENS(1);
    REFUSES(TRY(((Tokens){ 0, NULL }), theta, .ell_gen = 0), file, prompt,
            "the prompt is empty.");
    REFUSES(TRY(one, theta, .ell_gen = -1), file, prompt,
            "ell_gen = -1; it must not be negative.");
    REFUSES(TRY(one, theta, .ell_gen = 10), file, prompt,
            "1 tokens and 10 more; ell_max is 9, and the last one is not "
            "fed back.");
    REFUSES(TRY(one, theta, .ell_gen = 1, .slide = -1), file, prompt,
            "slide = -1; it must be in 0 ... ell_max = 9.");
    REFUSES(TRY(one, theta, .ell_gen = 1, .slide = 10), file, prompt,
            "slide = 10; it must be in 0 ... ell_max = 9.");
    REFUSES(TRY(one, theta, .ell_gen = 1, .tau = -1), "inference.c",
            "refuse_wrong_inference",
            "tau = -1; it must be from 0 to infinity.");
    REFUSES(TRY(one, theta, .ell_gen = 1, .tau = 1), "inference.c",
            "refuse_wrong_inference",
            "a token shall be drawn, but there are no random numbers.");
    assert_that(TRY(one, theta, .ell_gen = 9) == 9);
    Random random = random_new(1);
    Tokens nine = TOKENS(1, 2, 3, 4, 5, 6, 7, 8, 9), none = no_tokens;
    REFUSES(dinference(quiet, none, theta, 1, 1, &random).length,
            "equations.c", "embeddings", "a sequence of 0 tokens: the length "
            "must be in [ell_max] = 1 ... 9.");
    REFUSES(dinference(quiet, nine, theta, 2, 1, &random).length,
            "equations.c", "embeddings", "a sequence of 10 tokens: the length "
            "must be in [ell_max] = 1 ... 9.");
    REFUSES(dinference(quiet, one, theta, -1, 1, &random).length,
            "tokens.c", "slice", "[2 : 0] of a sequence of 1.");
    REFUSES(dinference(quiet, one, theta, 1, -1, &random).length,
            "sampling.c", "tempered",
            "tau = -1; it must be from 0 to infinity.");
    REFUSES(TRY(one, random_theta(both), .ell_gen = 1),
            "alg10_dtransformer.c", "dtransformer",
            "theta belongs to another architecture.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(four_tokens_from_two_and_the_longest_pass_has_five),
        TEST(nothing_is_asked_where_nothing_is_wanted),
        TEST(every_token_is_the_one_drawn_by_hand),
        TEST(a_chain_goes_its_way),
        TEST(given_numbers_draw_given_tokens),
        TEST(what_comes_later_does_not_change_what_came),
        TEST(the_prompt_stays_as_it_is),
        TEST(the_same_seed_draws_the_same_tokens),
        TEST(at_0_the_most_probable_token_comes),
        TEST(each_token_uses_one_number),
        TEST(without_options_practice_is_the_algorithm),
        TEST(a_memory_changes_nothing),
        TEST(with_a_memory_a_token_costs_one_column),
        TEST(nothing_is_retained),
        TEST(as_printed_eos_does_not_stop),
        TEST(special_tokens_are_not_drawn),
        TEST(each_token_is_told_until_it_is_enough),
        TEST(options_that_keep_all_change_nothing),
        TEST(options_act_in_their_order),
        TEST(a_window_is_a_fresh_start_on_its_tokens),
        TEST(a_long_prompt_is_seen_from_its_end),
        TEST(a_window_that_is_not_needed_changes_nothing),
        TEST(every_step_can_be_seen),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
