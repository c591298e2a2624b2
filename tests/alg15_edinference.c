/* Algorithm 15: translating with an encoder and a decoder. */
#include "inference.h"

enum { N_V = 11, ELL_MAX = 9, MASK = N_V - 2, BOS = N_V - 1, EOS = N_V };

static const Hyperparameters sizes = {
    .architecture = ED_TRANSFORMER, .N_V = N_V, .ell_max = ELL_MAX,
    .L_enc = 2, .L_dec = 2, .H = 2, .d_e = 6, .d_mlp = 10, .d_attn = 3,
    .d_mid = 5, .epsilon = 1e-5 };

static const double u_list[] = { .11, .93, .42, .77, .05, .58, .999, .31,
                                 .66 };

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
    NumberList list = { sizeof u_list / sizeof *u_list, u_list, 0 };
    Random listed = random_in(&list);
    if (how.random == NULL)
        how.random = &listed;
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens x = inference_15(quiet, arena, z, theta, &how, ended);
    unobserve(quiet);
    tape_clear(quiet);
    return x;
}

/* Algorithm 15 itself, with the same numbers. */
static Tokens printed(Watch *seen, Tokens z, const Theta *theta, Inference how,
                      bool *ended)
{
    NumberList list = { sizeof u_list / sizeof *u_list, u_list, 0 };
    Random listed = random_in(&list);
    int bound = how.ell_gen == 0 ? theta->hyper.ell_max : how.ell_gen;
    *seen = (Watch){ 0 };
    observe(quiet, watch, seen);
    Tokens x = edinference(quiet, z, theta, bound, how.tau, &listed);
    unobserve(quiet);
    if (ended != NULL)
        *ended = TOKEN(x, x.length) == eos_token(theta->hyper.N_V);
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

/* -------------------------------------------------------- as it is printed */

static void every_token_is_the_one_drawn_by_hand(void **state)
{
    (void)state;
    const Theta *theta = talkative();
    Tokens z = TOKENS(4, 7, 2);
    Watch seen;
    bool ended;
    Tokens x = printed(&seen, z, theta, (Inference){ .tau = 1.7 }, &ended);
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

static void it_begins_with_bos_and_ends_with_eos(void **state)
{
    (void)state;
    Watch seen;
    bool ended = false;
    Tokens x = printed(&seen, TOKENS(2), alternating(true),
                   (Inference){ .tau = 1 }, &ended);
    assert_tokens(x, 4, 1, 2, 5);
    assert_that(ended && seen.rounds == 3 && seen.widest == 3);
}

/* ell_max is 6: the longest pass has 6 tokens, and one more is drawn. */
static void what_never_ends_is_stopped_and_said_to_be(void **state)
{
    (void)state;
    Watch seen;
    bool ended = true;
    Tokens x = printed(&seen, TOKENS(2), alternating(false),
                   (Inference){ .tau = 1 }, &ended);
    assert_tokens(x, 4, 1, 2, 1, 2, 1, 2);
    assert_that(!ended && seen.rounds == 6 && seen.widest == 6);
}

static void a_smaller_bound_can_be_set(void **state)
{
    (void)state;
    Watch seen;
    bool ended = true;
    Inference how = { .ell_gen = 2 };
    assert_tokens(printed(&seen, TOKENS(2), alternating(true), how, &ended),
                  4, 1, 2);
    assert_that(!ended && seen.rounds == 2);
    how.ell_gen = 3;
    assert_tokens(printed(&seen, TOKENS(2), alternating(true), how, &ended),
                  4, 1, 2, 5);
    assert_that(ended && seen.rounds == 3);
}

static void an_end_at_the_bound_is_an_end(void **state)
{
    (void)state;
    const double next[] = { 0, 0, 0, 0, 0,   0, 0, 0, 0, 0,
        0, 0, 0, 0, 0,   0, 0, 0, 0, 0,   1, 1, 1, 1, 1 };
    Watch seen;
    bool ended = false;
    Tokens x = printed(&seen, TOKENS(2), chain(ED_TRANSFORMER, 5, 1, next),
                   (Inference){ .tau = 1 }, &ended);
    assert_tokens(x, 4, 5);
    assert_that(ended);
    printed(&seen, TOKENS(2), alternating(true), (Inference){ 0 }, NULL);
}

static void another_context_leads_elsewhere(void **state)
{
    (void)state;
    const Theta *theta = talkative();
    Watch a, b;
    printed(&a, TOKENS(4, 7, 2), theta, (Inference){ .tau = 1 }, NULL);
    printed(&b, TOKENS(4, 6, 2), theta, (Inference){ .tau = 1 }, NULL);
    double apart = 0;
    for (int v = 0; v < N_V; v++)
        apart += fabs(a.p[0][v] - b.p[0][v]);
    assert_that(apart > 1e-3);
}

static void at_0_the_most_probable_token_comes(void **state)
{
    (void)state;
    Watch seen;
    Tokens x = printed(&seen, TOKENS(4, 7, 2), talkative(), (Inference){ 0 },
                   NULL);
    for (int i = 1; i <= seen.rounds; i++)
        for (int v = 0; v < N_V; v++)
            assert_that(seen.p[i - 1][v]
                        <= seen.p[i - 1][TOKEN(x, i + 1) - 1]);
}

/* Practice with every option off: the same bytes. */
static void without_options_practice_is_the_algorithm(void **state)
{
    (void)state;
    static const double taus[] = { 0, .3, 1, 2.5, (double)INFINITY };
    const Theta *theta = talkative();
    for (int k = 0; k < 10; k++) {
        Watch of_paper, of_practice;
        bool ends, ended;
        Tokens z = TOKENS(4, 7, 2);
        Inference how = { .tau = taus[k / 2], .ell_gen = k % 2 * 4 };
        Tokens x = printed(&of_paper, z, theta, how, &ends);
        assert_same_tokens(run(&of_practice, z, theta, how, &ended), x);
        assert_that(ends == ended && of_paper.rounds == x.length - 1);
        assert_same_probabilities(&of_practice, &of_paper, 0);
    }
}

/* -------------------------------------------------- what it does not cost */

static void to_encode_once_or_to_remember_changes_nothing(void **state)
{
    (void)state;
    const Theta *theta = talkative();
    Memory *memory = memory_new(arena, quiet, theta);
    for (int first = 1; first <= 3; first++) {      /* one memory, 3 texts */
        Tokens z = TOKENS(first, 7, 5, 2);
        Watch alone, other;
        Inference how = { .tau = 1.3 };
        Tokens x = run(&alone, z, theta, how, NULL);
        how.encode_once = true;
        assert_same_tokens(run(&other, z, theta, how, NULL), x);
        assert_same_probabilities(&other, &alone, 0);
        how.memory = memory;
        assert_same_tokens(run(&other, z, theta, how, NULL), x);
        assert_same_probabilities(&other, &alone, TIGHT);
        how.encode_once = false;
        assert_same_tokens(run(&other, z, theta, how, NULL), x);
        assert_same_probabilities(&other, &alone, TIGHT);
    }
}

typedef struct { int encoder, decoder; } Work;

static Mat count(void *to, const char *line, const char *name, Mat M,
                 int index)
{
    Work *work = to;
    (void)index;
    work->encoder += strcmp(line, "8.3") == 0 && strcmp(name, "Z") == 0;
    work->decoder += strcmp(line, "8.12") == 0 && M != NULL ? M->cols : 0;
    return M;
}

/* Of n rounds, how often is z encoded, and how many columns are decoded? */
static Work work_of(const Theta *theta, bool encode_once, Memory *memory,
                    int n)
{
    Work work = { 0 };
    observe(quiet, count, &work);
    inference_15(quiet, arena, TOKENS(1, 2), theta,
                 &(Inference){ .ell_gen = n, .encode_once = encode_once,
                               .memory = memory }, NULL);
    unobserve(quiet);
    tape_clear(quiet);
    return work;
}

static void with_both_a_token_costs_one_column(void **state)
{
    (void)state;
    const Theta *theta = alternating(false);
    Memory *memory = memory_new(arena, quiet, theta);
    for (int n = 1; n <= 6; n++) {
        Work all = work_of(theta, false, NULL, n);
        Work once = work_of(theta, true, NULL, n);
        Work both = work_of(theta, true, memory, n);
        assert_that(all.encoder == n && once.encoder == 1);
        assert_that(all.decoder == n * (n + 1) / 2);
        assert_that(both.encoder == 1 && both.decoder == n);
    }
}

static void nothing_is_retained(void **state)
{
    (void)state;
    const Theta *theta = alternating(false);
    input(quiet, 100, 1);
    size_t before = arena_used(tape_arena(quiet));
    inference_15(quiet, arena, TOKENS(1, 2), theta, &(Inference){ 0 }, NULL);
    assert_that(arena_used(tape_arena(quiet)) == before);
    assert_that(tape_peak(quiet) > before);
}

/* ---------------------------------------------------------------- options */

static void special_tokens_are_not_drawn(void **state)
{
    (void)state;
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

static void each_token_is_told_until_it_is_enough(void **state)
{
    (void)state;
    Watch seen;
    Listener all = { 0 }, some = { .enough = 2 };
    Inference how = { .told = listen, .to = &all };
    Tokens x = run(&seen, TOKENS(2), alternating(true), how, NULL);
    assert_same_tokens(((Tokens){ all.n, all.y }),
                       ((Tokens){ x.length - 1, x.id + 1 }));
    how.to = &some;
    bool ended = true;
    assert_tokens(run(&seen, TOKENS(2), alternating(true), how, &ended),
                  4, 1, 2);
    assert_that(!ended && some.n == 2);
}

static void the_context_stays_as_it_is(void **state)
{
    (void)state;
    int context[] = { 4, 7, 2 };
    Watch seen;
    run(&seen, (Tokens){ 3, context }, talkative(), (Inference){ 0 }, NULL);
    assert_same_tokens(((Tokens){ 3, context }), TOKENS(4, 7, 2));
}

/* ------------------------------------------------------- seen and refused */

static void every_step_can_be_seen(void **state)
{
    (void)state;
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

#define REFUSES(call, file, name, sentence) \
    assert_refuses_in(call, file, name, sentence)
#define TRY(z, theta, ...) \
    inference_15(quiet, arena, z, theta, &(Inference){ __VA_ARGS__ }, \
                 NULL).length

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const Theta *theta = random_theta(sizes);
    Hyperparameters decoder = sizes;
    decoder.architecture = D_TRANSFORMER;
    Tokens one = TOKENS(1), ten = TOKENS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    REFUSES(TRY(one, theta, .ell_gen = -1), "inference.c",
            "translation_bound", "ell_gen = -1; it must be in 0 ... ell_max "
            "= 9.");
    REFUSES(TRY(one, theta, .ell_gen = 10), "inference.c",
            "translation_bound", "ell_gen = 10; it must be in 0 ... ell_max "
            "= 9.");
    REFUSES(TRY(one, theta, .tau = -1), "inference.c",
            "refuse_wrong_inference",
            "tau = -1; it must be from 0 to infinity.");
    REFUSES(TRY(ten, theta, .tau = 0), "equations.c", "embeddings",
            "a sequence of 10 tokens: the length must be in [ell_max] = "
            "1 ... 9.");
    Random random = random_new(1);
    REFUSES(edinference(quiet, ten, theta, 9, 1, &random).length,
            "equations.c", "embeddings", "a sequence of 10 tokens: the length "
            "must be in [ell_max] = 1 ... 9.");
    REFUSES(edinference(quiet, one, theta, 9, -1, &random).length,
            "sampling.c", "tempered",
            "tau = -1; it must be from 0 to infinity.");
    REFUSES(TRY(one, random_theta(decoder), .tau = 0),
            "inference.c", "translation_bound",
            "theta belongs to another architecture.");
    REFUSES(TRY(one, random_theta(decoder), .encode_once = true),
            "inference.c", "translation_bound",
            "theta belongs to another architecture.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(every_token_is_the_one_drawn_by_hand),
        TEST(it_begins_with_bos_and_ends_with_eos),
        TEST(what_never_ends_is_stopped_and_said_to_be),
        TEST(a_smaller_bound_can_be_set),
        TEST(an_end_at_the_bound_is_an_end),
        TEST(another_context_leads_elsewhere),
        TEST(at_0_the_most_probable_token_comes),
        TEST(without_options_practice_is_the_algorithm),
        TEST(to_encode_once_or_to_remember_changes_nothing),
        TEST(with_both_a_token_costs_one_column),
        TEST(nothing_is_retained),
        TEST(special_tokens_are_not_drawn),
        TEST(each_token_is_told_until_it_is_enough),
        TEST(the_context_stays_as_it_is),
        TEST(every_step_can_be_seen),
        TEST(wrong_calls_are_refused),
    };
    return RUN(laws);
}
