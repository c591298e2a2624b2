/* Algorithm 11 [PH22]: training a sequence-to-sequence model. */
#include "ftx.h"

const Theta *edtraining(Tape *tape, int N_data, const Tokens z[],
                        const Tokens x[], Theta *theta, int N_epochs,
                        double eta)
{
    for (int i = 1; i <= N_epochs; i++) {       SEE_INDEX(tape, 11.1, i);
        for (int n = 1; n <= N_data; n++) {     SEE_INDEX(tape, 11.2, n);
            int ell = x[n].length;                SEE_INDEX(tape, 11.3, ell);
            Mat P = edtransformer(tape, z[n], x[n], theta); SEE(11.4, P);
            Tokens next = slice(x[n], 2, ell);              // 11.5
            Tokens t = span(tape, 1, ell - 1);              // 11.5
            Mat log_P = log_prob(P, next, t);               // 11.5
            Mat loss = scale(sum(log_P), -1);               SEE(11.5, loss);
            descend(theta, eta, loss);        SEE_THETA(tape, 11.6, theta);
        }                                           // 11.7
    }                                               // 11.8
    return theta;                                   // 11.9
}
