/* Algorithm 14 [PH22]: prompting a decoder. */
#include "ftx.h"
#include <string.h>

static void refuse_wrong_prompt(Tokens x, const Theta *theta,
                                const Inference *how)
{
    int ell_max = theta->hyper.ell_max;
    REQUIRE(x.length >= 1, "the prompt is empty.");
    REQUIRE(how->ell_gen >= 0, "ell_gen = %d; it must not be negative.",
            how->ell_gen);
    REQUIRE(0 <= how->slide && how->slide <= ell_max,
            "slide = %d; it must be in 0 ... ell_max = %d.",
            how->slide, ell_max);
    REQUIRE(how->slide > 0 || how->ell_gen <= ell_max - x.length + 1,
            "%d tokens and %d more; ell_max is %d, and the last one is not "
            "fed back.", x.length, how->ell_gen, ell_max);
}

Tokens dinference(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                  const Inference *how)
{
    refuse_wrong_inference(how);
    refuse_wrong_prompt(x, theta, how);
    int ell = x.length, eos = eos_token(theta->hyper.N_V); // 14.1
    SEE_INDEX(tape, 14.1, ell);
    size_t size = (size_t)ell + (size_t)how->ell_gen;
    int *id = arena_alloc(arena, size * sizeof *id);
    x.id = memcpy(id, x.id, (size_t)ell * sizeof *id);
    theta_forget(theta);
    Mark start = tape_mark(tape);
    for (int i = 1; i <= how->ell_gen; i++) {       // 14.2
        SEE_INDEX(tape, 14.2, i);
        Tokens seen = in_sight(x, theta, how);
        Mat P = dtransformer(tape, seen, theta);        SEE(14.3, P);
        Mat p = column_at(P, P->cols);                  SEE(14.4, p);
        Mat q = drawn_from(p, how->stop_at_eos, how);   SEE(14.5, q);
        int y = sample(q, next_number(how));            // 14.5
        SEE_INDEX(tape, 14.5, y);
        id[x.length++] = y;                             // 14.6
        let_go(start, NULL);                        // 14.7
        if (!heard(how, y) || (how->stop_at_eos && y == eos))
            break;
    }
    return (Tokens){ x.length - ell, id + ell };    // 14.8
}
