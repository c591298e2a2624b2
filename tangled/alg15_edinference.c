/* Algorithm 15 [PH22]: translating with an encoder and a decoder. */
#include "ftx.h"

Tokens edinference(Tape *tape, Tokens z, const Theta *theta_hat,
                   int ell_gen, double tau, Random *random)
{
    int N_V = theta_hat->hyper.N_V;                 // 15.1
    Tokens x_hat = appended(tape, no_tokens, bos_token(N_V)); // 15.1
    int y = 0;                                      // 15.2
    while (y != eos_token(N_V)                      // 15.3
           && x_hat.length <= ell_gen) {            // 15.3
        Mat P = edtransformer(tape, z, x_hat, theta_hat); SEE(15.4, P);
        Mat p = column_at(P, x_hat.length);             SEE(15.5, p);
        Mat q = tempered(p, tau);                       SEE(15.6, q);
        y = sample(q, uniform(random));             SEE_INDEX(tape, 15.6, y);
        x_hat = appended(tape, x_hat, y);               // 15.7
    }                                               // 15.8
    return x_hat;                                   // 15.9
}
