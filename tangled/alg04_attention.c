/* Algorithm 4 [PH22]: one head of (masked) self- or cross-attention.
   Equation (3): the masks. */
#include "ftx.h"
#include <math.h>

static bool look_everywhere(int t_z, int t_x, const void *data)
{
    (void)t_z, (void)t_x, (void)data;
    return true;
}

const Mask bidirectional  = { look_everywhere, NULL };
const Mask unidirectional = { look_back, NULL };

static bool look_up(int t_z, int t_x, const void *data)
{
    Mat M = data;
    return AT(M, t_z, t_x) != 0;
}

Mask mask_of(Mat M)
{
    return (Mask){ look_up, M };
}

Mat attention(Mat X, Mat Z, const W_qkv *w, Mask mask)
{
    Mat Q = affine(w->W_q, X, w->b_q);                  SEE(4.1, Q);
    Mat K = WITH_PAST(w->K_past, affine(w->W_k, Z, w->b_k)); SEE(4.2, K);
    Mat V = WITH_PAST(w->V_past, affine(w->W_v, Z, w->b_v)); SEE(4.3, V);
    Mat S = mul_tn(K, Q);                               SEE(4.4, S);
    S = masked(S, mask);                                SEE(4.5, S);
    double d_attn = Q->rows;
    Mat S_scaled = scale(S, 1 / sqrt(d_attn));          SEE(4.6, S_scaled);
    Mat A  = softmax(S_scaled);                         SEE(4.6, A);
    Mat Vt = mul(V, A);                                 SEE(4.6, Vt);
    return Vt;                                          // 4.6
}
