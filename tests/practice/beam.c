/* Beam search, against greedy decoding and against trying everything. */
#include "law.h"
#include "inference.h"

enum { N_V = 6, ELL_MAX = 5, BOS = N_V - 1, EOS = N_V };

static const Hyperparameters sizes = {
    .architecture = ED_TRANSFORMER, .N_V = N_V, .ell_max = ELL_MAX,
    .L_enc = 1, .L_dec = 2, .H = 2, .d_e = 4, .d_mlp = 6,
    .epsilon = 1e-5 };

static const int z_list[] = { 2, 1, 3 };
static const Tokens z = { 3, z_list };

static int search(Hypothesis best[], const Theta *theta, Beam how)
{
    int n = beam_search(quiet, arena, z, theta, &how, best);
    tape_clear(quiet);
    return n;
}

/* The logarithm of the probability of x[2], x[3], ... given z. */
static double log_probability(Tokens x, const Theta *theta)
{
    double total = 0;
    Mat P = edtransformer(quiet, z, (Tokens){ x.length - 1, x.id }, theta);
    for (int t = 1; t < x.length; t++)
        total += log((double)AT(P, TOKEN(x, t + 1), t));
    tape_clear(quiet);
    return total;
}

static double score(Tokens x, double log_p, double alpha)
{
    return log_p / pow(x.length - 1, alpha);
}

/* The best of all translations of at most n tokens; shorter ones end. */
static double best_of_all(const Theta *theta, int id[], int length, int n,
                          double alpha)
{
    Tokens x = { length, id };
    if (length > 1 && (id[length - 1] == EOS || length == n + 1))
        return score(x, log_probability(x, theta), alpha);
    double best = -(double)INFINITY;
    for (int y = 1; y <= N_V; y++) {
        id[length] = y;
        best = fmax(best, best_of_all(theta, id, length + 1, n, alpha));
    }
    return best;
}

/* ------------------------------------------------------------------- laws */

LAW(a_beam_of_one_is_greedy)
{
    Hypothesis best[1];
    for (int k = 0; k < 20; k++) {
        const Theta *theta = random_theta(sizes);
        bool ended;
        Tokens x = inference_15(quiet, arena, z, theta, &(Inference){ 0 },
                                &ended);
        assert_that(search(best, theta, (Beam){ .B = 1 }) == 1);
        assert_same_tokens(best[0].x, x);
        assert_that(best[0].ended == ended);
    }
}

LAW(a_beam_wide_enough_finds_the_best_of_all)
{
    Hypothesis best[200], one[1];
    int greedy_fails = 0;
    for (int k = 0; k < 12; k++) {
        const Theta *theta = random_theta(sizes);
        int id[ELL_MAX + 1] = { BOS };
        double alpha = k % 3 * .5;
        double expected = best_of_all(theta, id, 1, 3, alpha);
        Beam how = { .B = 200, .alpha = alpha, .ell_gen = 3 };
        search(best, theta, how);
        assert_near(score(best[0].x, best[0].log_p, alpha), expected, TIGHT);
        how.B = 1;
        search(one, theta, how);
        greedy_fails += score(one[0].x, one[0].log_p, alpha)
                        < expected - 1e-3;
    }
    assert_that(greedy_fails > 0);
}

LAW(the_best_comes_first_and_none_twice)
{
    Hypothesis best[9];
    for (int k = 0; k < 6; k++) {
        double alpha = k % 2;
        int n = search(best, random_theta(sizes),
                       (Beam){ .B = 9, .alpha = alpha });
        for (int a = 1; a < n; a++) {
            assert_that(score(best[a].x, best[a].log_p, alpha)
                     <= score(best[a - 1].x, best[a - 1].log_p, alpha));
            for (int b = 0; b < a; b++)
                assert_that(best[a].x.length != best[b].x.length
                    || memcmp(best[a].x.id, best[b].x.id,
                              sizeof(int) * (size_t)best[a].x.length) != 0);
        }
    }
}

/* bos to eos with 1/3; or to 1, from there to 4, with 1/2 each, and then to
   eos for sure: 1/4 for three tokens. */
LAW(the_exponent_of_the_length_decides)
{
    const double next[] = {
        0, 0, 0, 0, .5, 0,
        .5, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 1. / 6, 0,
        .5, .5, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
        0, .5, 1, 1, 1. / 3, 1,
    };
    const Theta *theta = chain(ED_TRANSFORMER, N_V, ELL_MAX, next);
    Hypothesis best[20];
    search(best, theta, (Beam){ .B = 20 });
    assert_tokens(best[0].x, BOS, EOS);
    assert_near(best[0].log_p, log(1. / 3), TIGHT);
    search(best, theta, (Beam){ .B = 20, .alpha = 1 });
    assert_tokens(best[0].x, BOS, 1, 4, EOS);
    assert_near(best[0].log_p, log(.25), TIGHT);
}

/* bos to eos with 1/2 is the best beginning at first; bos, 1, 4, eos with 2/5
   has the better mean of three tokens. */
LAW(the_search_goes_on_behind_a_best_that_has_ended)
{
    const double next[] = {
        0, 0, 0, 0, .4, 0,
        0, 0, 0, 0, .1, 0,
        0, 0, 0, 0, 0, 0,
        1, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
        0, 1, 1, 1, .5, 1,
    };
    Hypothesis best[2];
    search(best, chain(ED_TRANSFORMER, N_V, ELL_MAX, next),
           (Beam){ .B = 2, .alpha = 1 });
    assert_tokens(best[0].x, BOS, 1, 4, EOS);
    assert_near(best[0].log_p, log(.4), TIGHT);
    assert_tokens(best[1].x, BOS, EOS);
    assert_near(best[1].log_p, log(.5), TIGHT);
}

/* bos to eos with 2/5 or 7/20, or to 1, from where four tokens are alike; two
   tokens at most. ln(2/5) is above ln(3/20) / 2, ln(7/20) below ln(13/80) / 2:
   what has ended and what is open are each divided by their own length. */
LAW(what_has_ended_and_what_is_open_have_each_their_length)
{
    for (int k = 0; k < 2; k++) {
        const double end = k == 0 ? .4 : .35, open = (1 - end) / 4;
        const double next[] = {
            .25, 0, 0, 0, 1 - end, 0,   .25, 0, 0, 0, 0, 0,   .25, 0, 0, 0, 0, 0,
            .25, 0, 0, 0, 0, 0,         0, 0, 0, 0, 0, 0,     0, 1, 1, 1, end, 1,
        };
        Hypothesis best[2];
        search(best, chain(ED_TRANSFORMER, N_V, ELL_MAX, next),
               (Beam){ .B = 2, .alpha = 1, .ell_gen = 2 });
        assert_that(best[0].ended == (k == 0) && !best[1].ended);
        assert_near(best[0].log_p, log(k == 0 ? end : open), TIGHT);
        assert_near(best[1].log_p, log(open), TIGHT);
    }
}

LAW(of_equal_scores_the_lower_token_comes_first)
{
    const double next[] = {
        1, 1, 1, 1, 1, 1,   1, 1, 1, 1, 1, 1,   1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1,   1, 1, 1, 1, 1, 1,   1, 1, 1, 1, 1, 1,
    };
    const Theta *theta = chain(ED_TRANSFORMER, N_V, ELL_MAX, next);
    Hypothesis best[4];
    assert_that(search(best, theta, (Beam){ .B = 4, .ell_gen = 2 }) == 4);
    assert_tokens(best[0].x, BOS, 1, 1);
    assert_tokens(best[1].x, BOS, 1, 2);
    assert_tokens(best[2].x, BOS, 1, 3);
    assert_tokens(best[3].x, BOS, 1, 4);
}

LAW(special_tokens_do_not_occur)
{
    Hypothesis best[30];
    int n = search(best, random_theta(sizes),
                   (Beam){ .B = 30, .no_special = true, .ell_gen = 2 });
    assert_that(n == 3 * 4 + 1);            /* 1 to 3 and then any; or eos */
    double total = 0;
    for (int k = 0; k < n; k++) {
        total += exp(best[k].log_p);
        for (int t = 2; t <= best[k].x.length; t++)
            assert_that(TOKEN(best[k].x, t) <= 3
                     || TOKEN(best[k].x, t) == EOS);
    }
    assert_near(total, 1, TIGHT);
}

LAW(a_memory_does_no_harm)
{
    Hypothesis alone[5], with[5];
    const Theta *theta = random_theta(sizes);
    search(alone, theta, (Beam){ .B = 5 });
    kv_cache_new(arena, quiet, theta);
    search(with, theta, (Beam){ .B = 5 });
    for (int k = 0; k < 5; k++) {
        assert_same_tokens(with[k].x, alone[k].x);
        assert_near(with[k].log_p, alone[k].log_p, TIGHT);
    }
}

LAW(wrong_calls_are_refused)
{
    const Theta *theta = random_theta(sizes);
    Hypothesis best[1];
    assert_refuses(search(best, theta, (Beam){ .B = 0 }), "B = 0; it");
    assert_refuses(search(best, theta, (Beam){ .B = 1, .ell_gen = 6 }),
                   "ell_gen = 6; it must be in 0 ... ell_max = 5.");
}
