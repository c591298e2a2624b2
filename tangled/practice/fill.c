/* What did the masks cover? */
#include "practice/practice.h"

static Guess rank_guesses(Arena *arena, Mat P, int t, int n)
{
    int *y = arena_alloc(arena, (size_t)n * sizeof *y);
    double *p = arena_alloc(arena, (size_t)n * sizeof *p);
    rank_tokens(column_at(P, t), n, y);
    for (int k = 0; k < n; k++)
        p[k] = AT(P, y[k], t);
    return (Guess){ t, y, p };
}

const Guess *fill_masked(Tape *tape, Arena *arena, Tokens x,
                         const Theta *theta, int n, int *count)
{
    REQUIRE(1 <= n && n <= theta->hyper.N_V, "n = %d; there are %d tokens.",
            n, theta->hyper.N_V);
    Mark start = tape_mark(tape);
    Mat P = etransformer(tape, x, theta);
    Guess *guess = arena_alloc(arena, (size_t)x.length * sizeof *guess);
    *count = 0;
    for (int t = 1; t <= x.length; t++)
        if (TOKEN(x, t) == mask_token(theta->hyper.N_V))
            guess[(*count)++] = rank_guesses(arena, P, t, n);
    tape_release(start, NULL);
    return guess;
}
