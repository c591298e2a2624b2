/* Equations (1) and (3) [PH22], and the sinusoids. */
#include "library/operation.h"
#include "library/tape.h"
#include <math.h>

static int *types(Tape *tape, Tokens x, const Hyperparameters *h)
{
    size_t bytes = (size_t)x.length * sizeof(int);
    int *type = arena_alloc(tape_arena(tape), bytes), now = 1;
    for (int t = 1; t <= x.length; t++) {
        type[t - 1] = now;
        if (TOKEN(x, t) == eos_token(h->N_V) && h->types > 1)
            now = 2;
    }
    return type;
}

Mat embeddings(Tape *tape, Tokens x, const Theta *theta)
{
    const Hyperparameters *h = &theta->hyper;
    int N_V = theta->W_e->cols, past = settings(tape)->past;
    REQUIRE(settings(tape)->epsilon == h->epsilon
            && settings(tape)->tanh_gelu == h->tanh_gelu
            && settings(tape)->scaled_embedding == h->scaled_embedding,
            "the tape is not prepared for this theta; see prepare_tape.");
    REQUIRE(1 <= x.length && x.length <= h->ell_max - past,
            "a sequence of %d tokens: the length must be in [ell_max] = "
            "1 ... %d.", x.length + past, h->ell_max);
    for (int t = 1; t <= x.length; t++)
        REQUIRE(1 <= TOKEN(x, t) && TOKEN(x, t) <= N_V,
                "x[%d] = %d: a token ID is in [N_V] = 1 ... %d.",
                t, TOKEN(x, t), N_V);
    see_list(tape, "1.1", "x", x);
    Mat e = gather(tape, theta->W_e, x.length, x.id);
    if (settings(tape)->scaled_embedding)
        e = scale(e, sqrt(h->d_e));
    Tokens t = span(tape, past + 1, past + x.length);
    if (theta->W_p != NULL)
        e = add(e, gather(tape, theta->W_p, x.length, t.id));
    if (theta->W_t != NULL)
        e = add(e, gather(tape, theta->W_t, x.length, types(tape, x, h)));
    return e;
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
        double per_radian = pow(base, 2.0 * pair / d_e);    /* positions */
        for (int t = 1; t <= ell_max; t++) {
            double angle = (t - 1 + first) / per_radian;
            AT(W_p, 2 * i - 1, t) = (real)sin(angle);
            AT(W_p, 2 * i,     t) = (real)cos(angle);
        }
    }
    return W_p;
}

static bool look_everywhere(int t_z, int t_x, const void *data)
{
    (void)t_z, (void)t_x, (void)data;
    return true;
}

const Mask bidirectional  = { look_everywhere, NULL };
const Mask unidirectional = { look_back, NULL };

static bool look_up(int t_z, int t_x, const void *data)
{
    Mat M = data;
    return AT(M, t_z, t_x) != 0;
}

Mask mask_of(Mat M)
{
    return (Mask){ look_up, M };
}
