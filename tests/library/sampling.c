/* From probabilities to a token: temperature, drawing, leaving out. */
#include "law.h"
#include "inference.h"

/* Columns of up to six entries; a column ends where n says. */
typedef struct { int n; double at[6]; } Column;
#define COLUMN(...) { sizeof(ROWS(__VA_ARGS__)) / sizeof(double), { __VA_ARGS__ } }

static Mat plain(Column p)
{
    return given(p.n, 1, p.at);
}

#define HALVES COLUMN(.5, .25, .125, .125)
static const Column halves = HALVES;

#define INF ((double)INFINITY)

/* q = p^(1/tau) / sum; at 0 the most probable token, of equals the lowest; at
   infinity all that can occur alike, by logits all. */
LAW(temperature_levels_and_sharpens)
{
    static const struct { bool logits; Column p; double tau; Column q; }
    cases[] = {
        { false, HALVES, .5, COLUMN(8. / 11, 2. / 11, 1. / 22, 1. / 22) },
        { false, HALVES, 1, HALVES },
        { false, HALVES, 2, COLUMN(.369398, .261204, .184699, .184699) },
        { false, HALVES, 4, COLUMN(.307209, .258331, .217230, .217230) },
        { false, HALVES, INF, COLUMN(.25, .25, .25, .25) },
        { false, COLUMN(.1, .2, .4, .3), 0, COLUMN(0, 0, 1, 0) },
        { false, COLUMN(.1, .4, .1, .4), 0, COLUMN(0, 1, 0, 0) },
        { false, COLUMN(.5, .5), 5e-324, COLUMN(.5, .5) },
        { false, COLUMN(.75, 0, .25), INF, COLUMN(.5, 0, .5) },
        { false, COLUMN(.75, 0, .25), .5, COLUMN(.9, 0, .1) },
        { false, COLUMN(.5, 0, .5), 100, COLUMN(.5, 0, .5) },
        { true, COLUMN(-1, -3, -2), 0, COLUMN(1, 0, 0) },
        { true, COLUMN(7, 7, 7), 0, COLUMN(1, 0, 0) },
        { true, COLUMN(5, -2000, 3, 1), INF, COLUMN(.25, .25, .25, .25) },
        { true, COLUMN(1, 2, 3), 5e-324, COLUMN(0, 0, 1) },
        { true, COLUMN(1, 2), 1e-300, COLUMN(0, 1) },
        { true, COLUMN(0, -2000, -3000), 1000, /* what underflowed comes back */
          COLUMN(.843794734, .114195199, .042010067) },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Mat p = plain(cases[k].p);
        Mat q = tempered(cases[k].logits ? softmax(p) : p, cases[k].tau);
        rows_at(HERE("tempered"), q, cases[k].q.n, 1, cases[k].q.at, SIX);
    }
}

/* Also where u is behind the sum. */
LAW(u_falls_into_one_of_the_pieces_that_can_occur)
{
    const double below_1 = nextafter(1, 0), less = 1 - 2 * ROUNDING;
    const struct { Column q; double u; int y; } cases[] = {
        { HALVES, 0, 1 }, { HALVES, .5 * less, 1 }, { HALVES, .5, 2 },
        { HALVES, .75 * less, 2 }, { HALVES, .75, 3 },
        { HALVES, .875 * less, 3 }, { HALVES, .875, 4 },
        { HALVES, below_1, 4 },
        { COLUMN(0, .5, 0, .5, 0), 0, 2 },
        { COLUMN(0, .5, 0, .5, 0), .5 * less, 2 },
        { COLUMN(0, .5, 0, .5, 0), .5, 4 },
        { COLUMN(0, .5, 0, .5, 0), below_1, 4 },
        { COLUMN(.25, .25, .25, 0), .75, 3 },
        { COLUMN(.25, .25, .25, 0), below_1, 3 }, { COLUMN(.1, .2, .7), .3, 3 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(sample(plain(cases[k].q), cases[k].u), cases[k].y);
}

LAW(a_column_knows_its_logits)
{
    Mat logits = random_input(4, 3), P = softmax(logits);
    for (int t = 1; t <= 3; t++) {
        assert_same(column_at(P, t), column_of(P, t), 0);
        assert_same(column_at(P, t)->logits, column_of(logits, t), 0);
    }
    assert_that(column_at(logits, 2)->logits == NULL);
}

LAW(ranks_go_down_and_equals_up)
{
    Mat p = given(6, 1, ROWS(.1, .3, .1, .3, .05, .15));
    Mat sharp = softmax(given(3, 1, ROWS(-3000, 0, -2000)));
    assert_same_tokens(rank_tokens(p, 6), TOKENS(2, 4, 6, 1, 3, 5));
    assert_same_tokens(rank_tokens(p, 2), TOKENS(2, 4));
    assert_same_tokens(rank_tokens(sharp, 3), TOKENS(2, 3, 1));
}

/* Of equals at the edge the lower tokens stay. */
LAW(top_k_keeps_exactly_k_and_top_p_as_few_as_reach_it)
{
    static const struct { Column q; int k; double p; Column left; } cases[] = {
        { HALVES, 1, 0, COLUMN(1, 0, 0, 0) },
        { HALVES, 2, 0, COLUMN(2. / 3, 1. / 3, 0, 0) },
        { HALVES, 3, 0, COLUMN(4. / 7, 2. / 7, 1. / 7, 0) },
        { COLUMN(.1, .2, .3, .4), 2, 0, COLUMN(0, 0, 3. / 7, 4. / 7) },
        { COLUMN(.25, .25, .25, .25), 1, 0, COLUMN(1, 0, 0, 0) },
        { COLUMN(.25, .25, .25, .25), 3, 0, COLUMN(1 / 3., 1 / 3., 1 / 3., 0) },
        { COLUMN(.125, .25, .25, .375), 2, 0, COLUMN(0, .4, 0, .6) },
        { HALVES, 0, .01, COLUMN(1, 0, 0, 0) },
        { HALVES, 0, .5, COLUMN(1, 0, 0, 0) },
        { HALVES, 0, .51, COLUMN(2. / 3, 1. / 3, 0, 0) },
        { HALVES, 0, .75, COLUMN(2. / 3, 1. / 3, 0, 0) },
        { HALVES, 0, .76, COLUMN(4. / 7, 2. / 7, 1. / 7, 0) },
        { HALVES, 0, .99, HALVES },
        { COLUMN(.2, .3, .5), 0, .6, COLUMN(0, .375, .625) },
        { COLUMN(.25, .25, .25, .25), 0, .25, COLUMN(1, 0, 0, 0) },
        { COLUMN(.25, .25, .25, .25), 0, .26, COLUMN(.5, .5, 0, 0) },
        { COLUMN(.7, .1, .2), 0, .9, COLUMN(7 / 9., 0, 2 / 9.) }, /* rounded */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Mat q = plain(cases[k].q);
        Mat left = cases[k].k > 0 ? restrict_top_k(q, cases[k].k)
                                  : restrict_top_p(q, cases[k].p);
        rows_at(HERE("left"), left, cases[k].left.n, 1, cases[k].left.at, TIGHT);
    }
}

LAW(to_keep_all_changes_nothing)
{
    Mat q = softmax(random_input(8, 1));
    assert_that(restrict_top_k(q, 0) == q && restrict_top_k(q, 8) == q);
    assert_that(restrict_top_k(q, 9) == q);
    assert_that(restrict_top_p(q, 0) == q && restrict_top_p(q, 1) == q);
}

/* 3, 4 and 5 are special, and 4 is the most probable of all. */
LAW(special_tokens_go_before_anything_is_chosen)
{
    static const struct { bool eos; Inference how; Column q; } cases[] = {
        { false, { .tau = 1 }, COLUMN(1 / 3., 2 / 3., 0, 0, 0) },
        { true, { .tau = 1 }, COLUMN(2 / 11., 4 / 11., 0, 0, 5 / 11.) },
        { false, { .tau = 1, .top_k = 1 }, COLUMN(0, 1, 0, 0, 0) },
        { true, { .tau = 1, .top_k = 1 }, COLUMN(0, 0, 0, 0, 1) },
        { false, { .tau = 1, .top_p = .6 }, COLUMN(0, 1, 0, 0, 0) },
        { false, { .tau = 1, .top_p = .7 }, COLUMN(1 / 3., 2 / 3., 0, 0, 0) },
        { false, { .tau = 0 }, COLUMN(0, 1, 0, 0, 0) },
    };
    Mat p = given(5, 1, ROWS(.1, .2, .05, .4, .25));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Inference how = cases[k].how;
        how.no_special = true;
        rows_at(HERE("q"), sampling_distribution(p, cases[k].eos, &how), 5, 1,
                cases[k].q.at, TIGHT);
    }
}

LAW(wrong_calls_are_refused)
{
    Mat q = plain(halves), two = softmax(random_input(4, 2));
    double nan_ = (double)NAN;
    assert_refuses(tempered(q, -.5), "tau = -0.5; it must be from 0 to infinity.");
    assert_refuses(tempered(q, nan_), "it must be from 0 to infinity.");
    assert_refuses(tempered(two, 1), "p is 4 x 2; it must be one column.");
    assert_refuses(sample(two, .5), "q is 4 x 2; it must be one column.");
    assert_refuses(sample(q, 1), "u = 1; it must be in [0, 1).");
    assert_refuses(sample(q, -.25), "u = -0.25; it must be in [0, 1).");
    assert_refuses(sample(q, nan_), "it must be in [0, 1).");
    assert_refuses(sample(input(tape, 2, 1), .5),
                   "q has no probability above 0.");
    assert_refuses(column_at(two, 0), "t = 0; P has 2 columns.");
    assert_refuses(column_at(two, 3), "t = 3; P has 2 columns.");
    assert_refuses(rank_tokens(q, 0).id, "n = 0; there are 4 tokens.");
    assert_refuses(rank_tokens(q, 5).id, "n = 5; there are 4 tokens.");
    assert_refuses(restrict_top_k(q, -1), "k = -1; it must not be negative.");
    assert_refuses(restrict_top_p(q, 1.5), "top_p = 1.5; it must be in [0, 1].");
    assert_refuses(restrict_top_p(q, nan_), "it must be in [0, 1].");
}
