/* Algorithm 2 [PH22]: positional embedding. */
#include "ftx.h"

Mat posembed(Tape *tape, Mat W_p, int t)
{
    REQUIRE(1 <= t && t <= W_p->cols,
            "position %d is not in [ell_max] = 1 ... %d.", t, W_p->cols);
    Mat e_p = gather(tape, W_p, 1, &t);             SEE(2.1, e_p);
    return e_p;                                     // 2.1
}

