/* Algorithm 2 [PH22]: positional embedding. Equation (1). Sinusoids. */
#include "ftx.h"
#include <limits.h>
#include <math.h>

Mat posembed(Tape *tape, Mat W_p, int t)
{
    int ell_max = W_p->cols;
    REQUIRE(1 <= t && t <= ell_max,
            "position %d is not in [ell_max] = 1 ... %d.", t, ell_max);
    Mat e_p = gather(tape, W_p, 1, &t);             SEE(2.1, e_p);
    return e_p;                                     // 2.1
}

Mat embed_sequence(Tape *tape, Mat W_e, Mat W_p, Tokens x, int past,
                   double factor)
{
    int N_V = W_e->cols, n = x.length - past;
    int ell_max = W_p == NULL ? INT_MAX : W_p->cols;
    REQUIRE(1 <= x.length && x.length <= ell_max,
            "a sequence of %d tokens: the length must be in [ell_max] = "
            "1 ... %d.", x.length, ell_max);
    REQUIRE(0 <= past && past < x.length,
            "%d of %d tokens are seen already; one must be new.",
            past, x.length);
    int *position = arena_alloc(tape_arena(tape),
                                (size_t)n * sizeof *position);
    for (int t = past + 1; t <= x.length; t++) {
        REQUIRE(1 <= TOKEN(x, t) && TOKEN(x, t) <= N_V,
                "x[%d] = %d: a token ID is in [N_V] = 1 ... %d.",
                t, TOKEN(x, t), N_V);
        position[t - past - 1] = t;
    }
    Mat e = gather(tape, W_e, n, x.id + past);
    if (factor != 1)
        e = scale(e, factor);
    return W_p == NULL ? e : add(e, gather(tape, W_p, n, position));
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

