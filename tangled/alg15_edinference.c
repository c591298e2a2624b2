/* Algorithm 15 [PH22]: translating with an encoder and a decoder. */
#include "ftx.h"

Tokens edinference(Tape *tape, Tokens z, const Theta *theta, int ell_gen,
                   double tau, Random *random)
{
    int N_V = theta->hyper.N_V;                     // 15.1
    Tokens x = appended(tape, no_tokens, bos_token(N_V)); // 15.1
    int y = 0;                                      // 15.2
    while (y != eos_token(N_V)                      // 15.3
           && x.length <= ell_gen) {                // 15.3
        Mat P = edtransformer(tape, z, x, theta);       SEE(15.4, P);
        Mat p = column_at(P, x.length);                 SEE(15.5, p);
        Mat q = tempered(p, tau);                       SEE(15.6, q);
        y = sample(q, uniform(random));             SEE_INDEX(tape, 15.6, y);
        x = appended(tape, x, y);                       // 15.7
    }                                               // 15.8
    return x;                                       // 15.9
}
