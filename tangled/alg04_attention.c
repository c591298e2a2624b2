/* Algorithm 4 [PH22]: one head of (masked) self- or cross-attention. */
#include "ftx.h"
#include <math.h>

Mat attention(Mat X, Mat Z, const W_qkv *w, Mask mask)
{
    Mat Q = affine(w->W_q, X, w->b_q);                  SEE(4.1, Q);
    Mat K = affine(w->W_k, Z, w->b_k);                  SEE(4.2, K);
    Mat V = affine(w->W_v, Z, w->b_v);                  SEE(4.3, V);
    Mat S = mul_tn(K, Q);                               SEE(4.4, S);
    S = masked(S, mask);                                SEE(4.5, S);
    double d_attn = Q->rows;                            // 4.6
    Mat S_scaled = scale(S, 1 / sqrt(d_attn));          SEE(4.6, S_scaled);
    Mat A  = softmax(S_scaled);                         SEE(4.6, A);
    Mat V_tilde = mul(V, A);                            SEE(4.6, V_tilde);
    return V_tilde;                                     // 4.6
}
