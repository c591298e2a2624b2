/* Algorithm 5 [PH22]: multi-head attention. */
#include "ftx.h"

Mat mhattention(Mat X, Mat Z, const W_multi *w, Mask mask)
{
    Mat *Y_heads = matrices(X, w->H);                   // 5.1
    for (int h = 1; h <= w->H; h++) {                   // 5.1
        SEE_INDEX(X->tape, 5.1, h);
        Mat Y_h = attention(X, Z, &w->head[h], mask);   SEE(5.2, Y_h);
        Y_heads[h] = Y_h;                               // 5.2
    }
    Mat Y  = stack(w->H, Y_heads);                      SEE(5.3, Y);
    Mat V_tilde = affine(w->W_o, Y, w->b_o);            SEE(5.4, V_tilde);
    return V_tilde;                                     // 5.4
}
