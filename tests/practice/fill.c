/* Filling in what masks cover. */
#include "law.h"
#include "inference.h"

enum { N_V = 9, MASK = N_V - 2 };

static const Hyperparameters sizes = {
    .architecture = E_TRANSFORMER, .N_V = N_V, .ell_max = 8, .L = 2, .H = 2,
    .d_e = 6, .d_mlp = 10, .d_f = 4, .epsilon = 1e-5 };

/* What stands where decides: the positions are loud. */
LAW(every_mask_gets_the_best_of_its_column)
{
    const Theta *theta = random_theta(sizes);
    for (int t = 1; t <= sizes.ell_max; t++)
        for (int i = 1; i <= sizes.d_e; i++)
            AT(theta->W_p, i, t) *= 50;
    Tokens x = TOKENS(MASK, 1, 3, MASK, MASK, 9, 2, MASK);  /* ell_max of them */
    int count, place[] = { 1, 4, 5, 8 };
    const Guess *guess = fill_masked(quiet, arena, x, theta, N_V, &count);
    assert_that(count == 4);
    Mat P = etransformer(quiet, x, theta);
    for (int k = 0; k < count; k++) {
        double total = 0;
        bool named[N_V + 1] = { false };
        assert_that(guess[k].t == place[k]);
        for (int r = 0; r < N_V; r++) {
            assert_near(guess[k].p[r], AT(P, guess[k].y[r], place[k]), 0);
            assert_that(r == 0 || guess[k].p[r] <= guess[k].p[r - 1]);
            assert_that(!named[guess[k].y[r]]);
            named[guess[k].y[r]] = true;
            total += guess[k].p[r];
        }
        assert_near(total, 1, TIGHT);
    }
}

LAW(without_a_mask_there_is_nothing_to_guess)
{
    int count = 7;
    fill_masked(quiet, arena, TOKENS(8, 1, 2, 9), random_theta(sizes), 3, &count);
    assert_that(count == 0);
}

LAW(nothing_is_retained)
{
    int count;
    input(quiet, 10, 1);
    size_t before = arena_used(tape_arena(quiet));
    fill_masked(quiet, arena, TOKENS(8, MASK), random_theta(sizes), 3, &count);
    assert_that(arena_used(tape_arena(quiet)) == before);
}

LAW(wrong_calls_are_refused)
{
    const Theta *theta = random_theta(sizes);
    int count;
    assert_refuses(fill_masked(quiet, arena, TOKENS(1), theta, 0, &count),
                   "n = 0; there are 9 tokens.");
    assert_refuses(fill_masked(quiet, arena, TOKENS(1), theta, 10, &count),
                   "n = 10; there are 9 tokens.");
}
