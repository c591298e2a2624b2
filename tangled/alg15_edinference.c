/* Algorithm 15 [PH22]: translating with an encoder and a decoder. */
#include "ftx.h"

Tokens edinference(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                   const Inference *how, bool *ended)
{
    refuse_wrong_inference(how);
    int bound = translation_bound(how->ell_gen, theta);
    int *id = arena_alloc(arena, ((size_t)bound + 1) * sizeof *id);
    int eos = eos_token(theta->hyper.N_V);
    theta_forget(theta);
    Mat Z = how->encode_once ? encode(tape, z, theta) : NULL;
    Mark start = tape_mark(tape);
    Tokens x = { 1, id };
    id[0] = bos_token(theta->hyper.N_V);            // 15.1
    int y = 0;                                      // 15.2
    while (y != eos && x.length <= bound) {         // 15.3
        Mat P = Z == NULL ? edtransformer(tape, z, x, theta) // 15.4
                          : decode(tape, Z, x, theta);  SEE(15.4, P);
        Mat p = column_at(P, P->cols);                  SEE(15.5, p);
        Mat q = drawn_from(p, true, how);               SEE(15.6, q);
        y = sample(q, next_number(how));                // 15.6
        SEE_INDEX(tape, 15.6, y);
        id[x.length++] = y;                             // 15.7
        let_go(start, NULL);                        // 15.8
        if (!heard(how, y))
            break;
    }
    if (ended != NULL)
        *ended = y == eos;
    return x;                                       // 15.9
}
