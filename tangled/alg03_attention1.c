/* Algorithm 3 [PH22]: basic single-query attention. */
#include "ftx.h"
#include <math.h>

Mat attention1(Mat e, Mat e_t, const W_qkv *w)
{
    REQUIRE(e->cols == 1, "e is %d x %d; it must be one token, one column.",
            e->rows, e->cols);
    Mat q   = affine(w->W_q, e,   w->b_q);              SEE(3.1, q);
    Mat k_t = affine(w->W_k, e_t, w->b_k);              SEE(3.2, k_t);
    Mat v_t = affine(w->W_v, e_t, w->b_v);              SEE(3.3, v_t);
    double d_attn = q->rows;                            // 3.4
    Mat scores  = mul_tn(k_t, q);                       SEE(3.4, scores);
    Mat alpha_t = softmax(scale(scores, 1 / sqrt(d_attn))); // 3.4
                                                        SEE(3.4, alpha_t);
    Mat v_tilde = mul(v_t, alpha_t);                    SEE(3.5, v_tilde);
    return v_tilde;                                     // 3.5
}
