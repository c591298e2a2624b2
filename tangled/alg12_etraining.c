/* Algorithm 12 [PH22]: training by masked language modelling. */
#include "ftx.h"

const Theta *etraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta,
                       double p_mask, Random *random)
{
    REQUIRE(0 < p_mask && p_mask < 1, "p_mask = %g; it must be in (0, 1).",
            p_mask);
    for (int i = 1; i <= N_epochs; i++) {       SEE_INDEX(tape, 12.1, i);
        for (int n = 1; n <= N_data; n++) {     SEE_INDEX(tape, 12.2, n);
            int ell = x[n].length;                SEE_INDEX(tape, 12.3, ell);
            int mask = mask_token(theta->hyper.N_V);        // 12.4
            Tokens x_tilde_n = no_tokens;                   // 12.4
            for (int t = 1; t <= ell; t++) {      SEE_INDEX(tape, 12.4, t);
                bool hides = uniform(random) < p_mask;      // 12.5
                int x_tilde = hides ? mask : TOKEN(x[n], t); // 12.5
                                            SEE_INDEX(tape, 12.5, x_tilde);
                x_tilde_n = appended(tape, x_tilde_n, x_tilde); // 12.5
            }                                               // 12.6
            Tokens T_tilde = places(tape, x_tilde_n, mask); // 12.7
                                            SEE_LIST(tape, 12.7, T_tilde);
            Mat P = etransformer(tape, x_tilde_n, theta);   SEE(12.8, P);
            Tokens hidden = chosen(tape, x[n], T_tilde);    // 12.9
            Mat log_P = log_prob(P, hidden, T_tilde);       // 12.9
            Mat loss = scale(sum(log_P), -1);               SEE(12.9, loss);
            descend(theta, eta, loss);        SEE_THETA(tape, 12.10, theta);
        }                                           // 12.11
    }                                               // 12.12
    return theta;                                   // 12.13
}
