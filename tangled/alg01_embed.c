/* Algorithm 1 [PH22]: token embedding. */
#include "ftx.h"

Mat embed(Tape *tape, Mat W_e, int v)
{
    REQUIRE(1 <= v && v <= W_e->cols,
            "token ID %d is not in [N_V] = 1 ... %d.", v, W_e->cols);
    Mat e = gather(tape, W_e, 1, &v);               SEE(1.1, e);
    return e;                                       // 1.1
}

