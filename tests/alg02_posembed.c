/* Algorithm 2: positional embedding. Equation (1). The sinusoids. */
#include "law.h"
#include "derivatives.h"
#include "models.h"

LAW(a_position_is_embedded_by_its_column)
{
    Mat W_p = random_parameter(3, 4);
    for (int t = 1; t <= 4; t++)
        assert_same(posembed(tape, W_p, t), column_of(W_p, t), 0);
}

static Mat third_position(const Mat of[])
{
    return posembed(tape, of[0], 3);
}

LAW(its_derivative_agrees_with_differences)
{
    Mat of[] = { random_parameter(3, 4) };
    assert_derivatives(third_position, 1, of, 0);
}

LAW(the_step_can_be_seen)
{
    Seen seen = { 0 };
    observe(tape, note, &seen);
    Mat e_p = posembed(tape, random_parameter(2, 3), 1);
    assert_seen(&seen, "2.1 e_p");
    assert_that(value_of(&seen, "e_p") == e_p);
}

LAW(a_position_that_has_no_embedding_is_refused)
{
    Mat W_p = random_parameter(2, 3);
    assert_refuses(posembed(tape, W_p, 0),
                   "position 0 is not in [ell_max] = 1 ... 3.");
    assert_refuses(posembed(tape, W_p, 4), "position 4 is not in");
}

/* ----------------------------------------------------------- equation (1) */

#define X_TOKENS TOKENS(4, 2, 4, 1)     /* token 4 stands in two places */

/* Equation (1) by the parameters that it needs. */
static Mat embedded(Mat W_e, Mat W_p, Tokens x)
{
    Theta theta = { .hyper = { .d_e = W_e->rows, .ell_max = W_p == NULL
                               ? x.length : W_p->cols,
                               .scaled_embedding
                               = settings(tape)->scaled_embedding },
                    .W_e = W_e, .W_p = W_p };
    return embeddings(tape, x, &theta);
}

LAW(equation_1_is_algorithm_1_plus_algorithm_2)
{
    Mat W_e = random_parameter(3, 5), W_p = random_parameter(3, 6);
    Mat X = embedded(W_e, W_p, X_TOKENS);
    assert_shape(X, 3, 4);
    for (int t = 1; t <= 4; t++)
        assert_same(column_of(X, t), add(embed(tape, W_e, TOKEN(X_TOKENS, t)),
                                         posembed(tape, W_p, t)), 0);
}

LAW(what_was_seen_before_is_left_out)
{
    Mat W_e = random_parameter(3, 5), W_p = random_parameter(3, 6);
    Mat all = embedded(W_e, W_p, X_TOKENS);
    settings(tape)->past = 3;
    assert_same(embedded(W_e, W_p, TOKENS(1)), column_of(all, 4), 0);
}

/* The factor is the root of d_e, whether or not that is a whole number. */
LAW(a_factor_multiplies_the_token_and_not_the_position)
{
    for (int d_e = 4; d_e <= 7; d_e++) {
        Mat W_e = random_parameter(d_e, 5), W_p = random_parameter(d_e, 6);
        Mat e = embedded(W_e, NULL, X_TOKENS);
        Mat plain = embedded(W_e, W_p, X_TOKENS);
        settings(tape)->scaled_embedding = true;
        assert_same(embedded(W_e, W_p, X_TOKENS),
                    add(plain, scale(e, sqrt(d_e) - 1)), TIGHT);
        settings(tape)->scaled_embedding = false;
    }
}

/* BERT's segments: the first ends with eos, which is token 7; whatever comes
   behind it is of the second, also behind another eos. Types are not scaled. */
LAW(what_is_behind_the_first_eos_is_of_type_2)
{
    const int type[] = { 1, 1, 2, 2, 2 };
    for (int k = 0; k < 6; k++) {
        const int types = 1 + k % 3;
        settings(tape)->scaled_embedding = k >= 3;
        Theta theta = { .hyper = { .d_e = 3, .ell_max = 6, .N_V = 7,
                                   .types = types,
                                   .scaled_embedding = k >= 3 },
                        .W_e = random_parameter(3, 7),
                        .W_p = random_parameter(3, 6),
                        .W_t = random_parameter(3, types) };
        Tokens x = TOKENS(2, 7, 1, 7, 4);
        Mat X = embeddings(tape, x, &theta);
        for (int t = 1; t <= 5; t++)
            assert_same(column_of(X, t),
                        add(column_of(embedded(theta.W_e, theta.W_p, x), t),
                            column_of(theta.W_t, types == 1 ? 1 : type[t - 1])),
                        TIGHT);
    }
}

static Mat whole_sequence(const Mat of[])
{
    return embedded(of[0], of[1], X_TOKENS);
}

LAW(the_derivative_of_equation_1_agrees_with_differences)
{
    Mat of[] = { random_parameter(3, 5), random_parameter(3, 6) };
    assert_derivatives(whole_sequence, 2, of, 0);
}

LAW(a_sequence_outside_equation_1_is_refused)
{
    Mat W_e = random_parameter(2, 3), W_p = random_parameter(2, 4);
    Theta norm = { .hyper = { .ell_max = 4, .epsilon = .5 }, .W_e = W_e };
    assert_refuses(embedded(W_e, W_p, no_tokens),
                   "0 tokens: the length must be in [ell_max] = 1 ... 4.");
    assert_refuses(embedded(W_e, W_p, TOKENS(1, 1, 1, 1, 1)),
                   "5 tokens: the length must be in [ell_max] = 1 ... 4.");
    assert_refuses(embedded(W_e, W_p, X_TOKENS),
                   "x[1] = 4: a token ID is in [N_V] = 1 ... 3.");
    assert_refuses(embedded(W_e, W_p, TOKENS(1, 0)), "x[2] = 0");
    assert_refuses(embedded(W_e, random_parameter(3, 4), TOKENS(1)),
                   "the first is 2 x 1 and the second 3 x 1");
    assert_refuses(embeddings(tape, TOKENS(1), &norm),
                   "the tape is not prepared for this theta");
    settings(tape)->past = 4;
    assert_refuses(embedded(W_e, W_p, TOKENS(1)), "a sequence of 5 tokens");
}

/* -------------------------------------------------------------- sinusoids */

/* By their formulas: pair i of the paper is sin and cos of
   t / base^(2 i / d_e), of Vaswani et al. of t / base^(2 (i - 1) / d_e); E26. */
LAW(every_table_has_its_values)
{
    static const struct { Sinusoids form; double base, first; } tables[] = {
        { SINUSOIDS_PAPER, 100, 1 }, { SINUSOIDS_PAPER, 50, 0 },
        { SINUSOIDS_PAPER, 9, 2 }, { SINUSOIDS_VASWANI, 10000, 0 },
        { SINUSOIDS_VASWANI, 100, 1 }, { SINUSOIDS_VASWANI, 20, 5 },
    };
    for (int k = 0; k < 6; k++)
        for (int d_e = 2; d_e <= 8; d_e += 2) {
            Mat W_p = sinusoids(arena, d_e, 5, tables[k].form, tables[k].base,
                                tables[k].first);
            assert_shape(W_p, d_e, 5);
            for (int i = 1; i <= d_e / 2; i++)
                for (int t = 1; t <= 5; t++) {
                    int pair = tables[k].form == SINUSOIDS_PAPER ? i : i - 1;
                    double angle = (t - 1 + tables[k].first)
                                 / pow(tables[k].base, 2. * pair / d_e);
                    assert_near(AT(W_p, 2 * i - 1, t), sin(angle), TIGHT);
                    assert_near(AT(W_p, 2 * i, t), cos(angle), TIGHT);
                }
        }
}

LAW(a_table_that_cannot_be_is_refused)
{
    static const struct { int d_e; double base, first; const char *words; }
    wrong[] = {
        { 3, 100, 1, "d_e = 3 is odd" },
        { 4, 0, 1, "base 0, first position 1: the base must be positive" },
        { 4, (double)INFINITY, 1, "base inf, first position 1" },
        { 4, 5, (double)INFINITY, "base 5, first position inf" },
    };
    for (int k = 0; k < 4; k++)
        assert_refuses(sinusoids(arena, wrong[k].d_e, 4, SINUSOIDS_PAPER,
                                 wrong[k].base, wrong[k].first),
                       wrong[k].words);
    assert_refuses(sinusoids(arena, 4, 0, SINUSOIDS_PAPER, 100, 1),
                   "a matrix of 4 x 0");
}
