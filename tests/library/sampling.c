/* From probabilities to a token: temperature, drawing, leaving out. */
#include "law.h"
#include "inference.h"

/* A column without logits, and one that is a softmax. */
static Mat plain(int n, const double *p)
{
    return given(n, 1, p);
}

static Mat from_logits(int n, const double *logits)
{
    return softmax(given(n, 1, logits));
}

static const double HALVES[] = { .5, .25, .125, .125 };

#define assert_column(q, ...) \
    rows_at(HERE(#q), q, q->rows, 1, (const double[]){ __VA_ARGS__ }, TIGHT)

/* ------------------------------------------------------------ temperature */

LAW(temperature_levels_and_sharpens)
{
    const double at_2[] = { .369398, .261204, .184699, .184699 };
    const double at_4[] = { .307209, .258331, .217230, .217230 };
    Mat p = plain(4, HALVES);
    assert_column(tempered(p, .5), 8. / 11, 2. / 11, 1. / 22, 1. / 22);
    assert_column(tempered(p, 1), .5, .25, .125, .125);
    rows_at(HERE("2"), tempered(p, 2), 4, 1, at_2, SIX);
    rows_at(HERE("4"), tempered(p, 4), 4, 1, at_4, SIX);
}

LAW(the_logits_of_a_softmax_give_the_same)
{
    Mat logits = random_input(7, 1), p = softmax(logits);
    Mat alone = input(tape, 7, 1);
    memcpy(alone->at, p->at, 7 * sizeof(real));
    for (int k = 0; k < 6; k++) {
        double tau = (double[]){ 0, .1, .7, 3, 50, (double)INFINITY }[k];
        assert_same(tempered(p, tau), tempered(alone, tau), TIGHT);
    }
}

LAW(at_0_the_most_probable_token_is_certain)
{
    assert_column(tempered(plain(4, ROWS(.1, .2, .4, .3)), 0), 0, 0, 1, 0);
    assert_column(tempered(from_logits(3, ROWS(-1, -3, -2)), 0), 1, 0, 0);
}

LAW(of_equally_probable_tokens_the_lowest_is_taken)
{
    assert_column(tempered(plain(4, ROWS(.1, .4, .1, .4)), 0), 0, 1, 0, 0);
    assert_column(tempered(from_logits(3, ROWS(7, 7, 7)), 0), 1, 0, 0);
}

LAW(at_infinity_all_tokens_are_alike)
{
    double infinity = (double)INFINITY;
    Mat p = from_logits(4, ROWS(5, -2000, 3, 1));
    assert_that(AT(p, 2, 1) == 0);
    assert_column(tempered(p, infinity), .25, .25, .25, .25);
    assert_column(tempered(plain(4, HALVES), infinity), .25, .25, .25, .25);
}

LAW(what_cannot_occur_never_does)
{
    Mat p = plain(3, ROWS(.75, 0, .25));
    assert_column(tempered(p, (double)INFINITY), .5, 0, .5);
    assert_column(tempered(p, .5), .9, 0, .1);
    assert_that(AT(tempered(p, 100), 2, 1) == 0);
}

LAW(at_1_p_is_q)
{
    Mat p = softmax(random_input(9, 1));
    assert_that(tempered(p, 1) == p);
}

LAW(a_tiny_temperature_does_not_overflow)
{
    double tiny = 5e-324;
    assert_column(tempered(from_logits(3, ROWS(1, 2, 3)), tiny), 0, 0, 1);
    assert_column(tempered(plain(2, ROWS(.5, .5)), tiny), .5, .5);
    assert_column(tempered(from_logits(2, ROWS(1, 2)), 1e-300), 0, 1);
}

LAW(what_underflowed_is_not_lost)
{
    Mat p = from_logits(3, ROWS(0, -2000, -3000));
    assert_that(AT(p, 2, 1) == 0 && AT(p, 3, 1) == 0);
    double a = exp(-2), b = exp(-3);
    assert_column(tempered(p, 1000), 1 / (1 + a + b), a / (1 + a + b),
                  b / (1 + a + b));
}

/* ---------------------------------------------------------------- drawing */

LAW(u_falls_into_one_of_the_pieces)
{
    Mat q = plain(4, HALVES);
    assert_that(sample(q, 0) == 1);
    assert_that(sample(q, nextafter(.5, 0)) == 1);
    assert_that(sample(q, .5) == 2);
    assert_that(sample(q, nextafter(.75, 0)) == 2);
    assert_that(sample(q, .75) == 3);
    assert_that(sample(q, nextafter(.875, 0)) == 3);
    assert_that(sample(q, .875) == 4);
    assert_that(sample(q, nextafter(1, 0)) == 4);
}

LAW(what_has_no_probability_is_never_drawn)
{
    Mat q = plain(5, ROWS(0, .5, 0, .5, 0));
    assert_that(sample(q, 0) == 2);
    assert_that(sample(q, nextafter(.5, 0)) == 2);
    assert_that(sample(q, .5) == 4);
    assert_that(sample(q, nextafter(1, 0)) == 4);
}

LAW(behind_the_sum_the_last_that_can_occur_is_drawn)
{
    Mat q = plain(4, ROWS(.25, .25, .25, 0));
    assert_that(sample(q, .75) == 3);
    assert_that(sample(q, nextafter(1, 0)) == 3);
}

LAW(one_number_and_four_temperatures)
{
    Mat p = plain(4, HALVES);
    assert_that(sample(tempered(p, 0), .8) == 1);
    assert_that(sample(tempered(p, .5), .8) == 2);
    assert_that(sample(tempered(p, 1), .8) == 3);
    assert_that(sample(tempered(p, (double)INFINITY), .8) == 4);
}

/* With 5 degrees of freedom chi^2 is above 20.5 once in a thousand. */
LAW(what_is_drawn_has_the_distribution_q)
{
    enum { DRAWN = 100000 };
    Mat q = tempered(from_logits(6, ROWS(0, 1, -1, 2, .5, -2)), 1.5);
    Random random = random_new(41);
    int count[6] = { 0 };
    double chi_squared = 0;
    for (int k = 0; k < DRAWN; k++)
        count[sample(q, uniform(&random)) - 1]++;
    for (int v = 1; v <= 6; v++) {
        double expected = DRAWN * (double)AT(q, v, 1);
        double apart = count[v - 1] - expected;
        chi_squared += apart * apart / expected;
    }
    assert_that(chi_squared < 20.5);
}

LAW(numbers_come_in_order_from_a_list)
{
    NumberList list = { 3, ROWS(.25, .5, .125), 0 };
    Random random = random_in(&list);
    assert_near(uniform(&random), .25, 0);
    assert_near(uniform(&random), .5, 0);
    assert_near(uniform(&random), .125, 0);
    assert_that(list.used == 3);
}

/* ------------------------------------------------------ columns and ranks */

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
    int y[6];
    ranked(plain(6, ROWS(.1, .3, .1, .3, .05, .15)), 6, y);
    assert_same_tokens(((Tokens){ 6, y }), TOKENS(2, 4, 6, 1, 3, 5));
    ranked(plain(6, ROWS(.1, .3, .1, .3, .05, .15)), 2, y);
    assert_same_tokens(((Tokens){ 2, y }), TOKENS(2, 4));
    ranked(from_logits(3, ROWS(-3000, 0, -2000)), 3, y);
    assert_same_tokens(((Tokens){ 3, y }), TOKENS(2, 3, 1));
}

/* ------------------------------------------------------------ leaving out */

LAW(top_k_keeps_exactly_k)
{
    Mat q = plain(4, HALVES);
    assert_column(top_k_of(q, 1), 1, 0, 0, 0);
    assert_column(top_k_of(q, 2), 2. / 3, 1. / 3, 0, 0);
    assert_column(top_k_of(q, 3), 4. / 7, 2. / 7, 1. / 7, 0);
    assert_column(top_k_of(plain(4, ROWS(.1, .2, .3, .4)), 2),
                  0, 0, 3. / 7, 4. / 7);
}

LAW(top_p_keeps_as_few_as_reach_it)
{
    Mat q = plain(4, HALVES);
    assert_column(top_p_of(q, .01), 1, 0, 0, 0);
    assert_column(top_p_of(q, .5), 1, 0, 0, 0);
    assert_column(top_p_of(q, .51), 2. / 3, 1. / 3, 0, 0);
    assert_column(top_p_of(q, .75), 2. / 3, 1. / 3, 0, 0);
    assert_column(top_p_of(q, .76), 4. / 7, 2. / 7, 1. / 7, 0);
    assert_column(top_p_of(q, .99), .5, .25, .125, .125);
    assert_column(top_p_of(plain(3, ROWS(.2, .3, .5)), .6), 0, .375, .625);
}

LAW(to_keep_all_changes_nothing)
{
    Mat q = softmax(random_input(8, 1));
    assert_that(top_k_of(q, 0) == q && top_k_of(q, 8) == q);
    assert_that(top_k_of(q, 9) == q);
    assert_that(top_p_of(q, 0) == q && top_p_of(q, 1) == q);
}

LAW(special_tokens_are_taken_out)
{
    Mat p = plain(5, ROWS(.2, .1, .3, .3, .1));     /* 3, 4 and 5 */
    assert_column(without_special(p, true), .5, .25, 0, 0, .25);
    assert_column(without_special(p, false), 2. / 3, 1. / 3, 0, 0, 0);
}

/* 3, 4 and 5 are special; 4 is the most probable of all. */
LAW(special_tokens_go_before_anything_is_chosen)
{
    Mat p = plain(5, ROWS(.1, .2, .05, .4, .25));
    Inference how = { .tau = 1, .no_special = true, .top_k = 1 };
    assert_column(drawn_from(p, false, &how), 0, 1, 0, 0, 0);
    assert_column(drawn_from(p, true, &how), 0, 0, 0, 0, 1);
    how = (Inference){ .tau = 1, .no_special = true, .top_p = .6 };
    assert_column(drawn_from(p, false, &how), 0, 1, 0, 0, 0);
    how.top_p = .7;
    assert_column(drawn_from(p, false, &how), 1 / 3., 2 / 3., 0, 0, 0);
    how = (Inference){ .tau = 0, .no_special = true };
    assert_column(drawn_from(p, false, &how), 0, 1, 0, 0, 0);
}

LAW(of_equals_at_the_edge_the_lower_tokens_stay)
{
    Mat q = plain(4, ROWS(.25, .25, .25, .25));
    assert_column(top_k_of(q, 1), 1, 0, 0, 0);
    assert_column(top_k_of(q, 3), 1 / 3., 1 / 3., 1 / 3., 0);
    assert_column(top_p_of(q, .25), 1, 0, 0, 0);
    assert_column(top_p_of(q, .26), .5, .5, 0, 0);
    assert_column(top_p_of(q, .5), .5, .5, 0, 0);
    assert_column(top_k_of(plain(4, ROWS(.125, .25, .25, .375)), 2),
                  0, .4, 0, .6);
}

/* -------------------------------------------------------------- refusals */

LAW(wrong_calls_are_refused)
{
    Mat q = plain(4, HALVES), two = softmax(random_input(4, 2));
    NumberList list = { 1, ROWS(.5), 1 };
    Random used_up = random_in(&list);
    int y[5];
    assert_refuses(tempered(q, -.5), "tau = -0.5");
    assert_refuses(tempered(two, 1), "p is 4 x 2; it must be one column.");
    assert_refuses(sample(two, .5), "q is 4 x 2; it must be one column.");
    assert_refuses(sample(q, 1), "u = 1; it must be in [0, 1).");
    assert_refuses(sample(q, -.25), "u = -0.25; it must be in [0, 1).");
    assert_refuses(sample(plain(2, ROWS(0, 0)), .5),
                   "q has no probability above 0.");
    assert_refuses((int)uniform(&used_up), "all 1 numbers are used.");
    assert_refuses(column_at(two, 0), "t = 0; P has 2 columns.");
    assert_refuses(column_at(two, 3), "t = 3; P has 2 columns.");
    assert_refuses((ranked(q, 0, y), 0), "n = 0; there are 4 tokens.");
    assert_refuses((ranked(q, 5, y), 0), "n = 5; there are 4 tokens.");
    assert_refuses(top_k_of(q, -1), "k = -1; it must not be negative.");
    assert_refuses(top_p_of(q, 1.5), "top_p = 1.5; it must be in [0, 1].");
}

LAW(what_is_no_number_is_refused)
{
    Mat q = plain(4, HALVES);
    char sentence[100];
    double nan = (double)NAN;
    snprintf(sentence, sizeof sentence,
             "tau = %g; it must be from 0 to infinity.", nan);
    assert_refuses(tempered(q, nan), sentence);
    snprintf(sentence, sizeof sentence, "u = %g; it must be in [0, 1).", nan);
    assert_refuses(sample(q, nan), sentence);
    snprintf(sentence, sizeof sentence,
             "top_p = %g; it must be in [0, 1].", nan);
    assert_refuses(top_p_of(q, nan), sentence);
}
