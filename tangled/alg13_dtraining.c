/* Algorithm 13 [PH22]: training next-token prediction. */
#include "ftx.h"

const Theta *dtraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta)
{
    for (int i = 1; i <= N_epochs; i++) {       SEE_INDEX(tape, 13.1, i);
        for (int n = 1; n <= N_data; n++) {     SEE_INDEX(tape, 13.2, n);
            int ell = x[n].length;                SEE_INDEX(tape, 13.3, ell);
            Mat P = dtransformer(tape, x[n], theta);        SEE(13.4, P);
            Tokens next = slice(x[n], 2, ell);              // 13.5
            Tokens t = span(tape, 1, ell - 1);              // 13.5
            Mat log_P = log_prob(P, next, t);               // 13.5
            Mat loss = scale(sum(log_P), -1);               SEE(13.5, loss);
            descend(theta, eta, loss);        SEE_THETA(tape, 13.6, theta);
        }                                           // 13.7
    }                                               // 13.8
    return theta;                                   // 13.9
}
