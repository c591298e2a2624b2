/* Algorithm 2 [PH22]: positional embedding. Equation (1). Sinusoids. */
#include "ftx.h"
#include <math.h>

Mat posembed(Tape *tape, Mat W_p, int t)
{
    int ell_max = W_p->cols;
    REQUIRE(1 <= t && t <= ell_max,
            "position %d is not in [ell_max] = 1 ... %d.", t, ell_max);
    Mat e_p = gather(tape, W_p, 1, &t);             SEE(2.1, e_p);
    return e_p;                                     // 2.1
}

Mat embed_sequence(Tape *tape, Mat W_e, Mat W_p, int ell, const int x[])
{
    int N_V = W_e->cols, ell_max = W_p->cols;
    REQUIRE(1 <= ell && ell <= ell_max,
            "a sequence of %d tokens: the length must be in [ell_max] = "
            "1 ... %d.", ell, ell_max);
    int *position = arena_alloc(tape_arena(tape),
                                (size_t)ell * sizeof *position);
    for (int t = 1; t <= ell; t++) {
        REQUIRE(1 <= x[t - 1] && x[t - 1] <= N_V,
                "x[%d] = %d: a token ID is in [N_V] = 1 ... %d.",
                t, x[t - 1], N_V);
        position[t - 1] = t;
    }
    return add(gather(tape, W_e, ell, x), gather(tape, W_p, ell, position));
}

Mat sinusoids(Arena *arena, int d_e, int ell_max,
              Sinusoids variant, double base, double first)
{
    REQUIRE(d_e % 2 == 0,
            "d_e = %d is odd: each pair of rows is a sine and a cosine.",
            d_e);
    REQUIRE(base > 0 && isfinite(base) && isfinite(first),
            "base %g, first position %g: the base must be positive and "
            "both finite.", base, first);
    Mat W_p = constant(arena, d_e, ell_max);
    for (int i = 1; i <= d_e / 2; i++) {
        int pair = variant == SINUSOIDS_PAPER ? i : i - 1;
        double wavelength = pow(base, 2.0 * pair / d_e);
        for (int t = 1; t <= ell_max; t++) {
            double angle = (t - 1 + first) / wavelength;
            AT(W_p, 2 * i - 1, t) = (real)sin(angle);
            AT(W_p, 2 * i,     t) = (real)cos(angle);
        }
    }
    return W_p;
}

