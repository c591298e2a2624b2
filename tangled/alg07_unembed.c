/* Algorithm 7 [PH22]: unembedding. */
#include "ftx.h"

Mat unembed(Mat e, Mat W_u)
{
    Mat logits = mul(W_u, e);                       SEE(7.1, logits);
    Mat p = softmax(logits);                        SEE(7.1, p);
    return p;                                       // 7.1
}

