/* Algorithm 14 [PH22]: prompting a decoder. */
#include "ftx.h"

Tokens dinference(Tape *tape, Tokens x, const Theta *theta_hat,
                  int ell_gen, double tau, Random *random)
{
    int ell = x.length;                         SEE_INDEX(tape, 14.1, ell);
    for (int i = 1; i <= ell_gen; i++) {        SEE_INDEX(tape, 14.2, i);
        Mat P = dtransformer(tape, x, theta_hat);       SEE(14.3, P);
        Mat p = column_at(P, ell + i - 1);              SEE(14.4, p);
        Mat q = tempered(p, tau);                       SEE(14.5, q);
        int y = sample(q, uniform(random));         SEE_INDEX(tape, 14.5, y);
        x = appended(tape, x, y);                       // 14.6
    }                                               // 14.7
    return slice(x, ell + 1, ell + ell_gen);        // 14.8
}
