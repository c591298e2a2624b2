/* Algorithm 6 [PH22]: layer normalisation. */
#include "ftx.h"

Mat layer_norm(Mat e, Mat gamma, Mat beta)
{
    Mat m = mean(e);                                SEE(6.1, m);
    Mat v = variance(e, m);                         SEE(6.2, v);
    Mat e_hat = standardise(e, m, v);               // 6.3
    e_hat = add_bias(scale_rows(gamma, e_hat), beta); SEE(6.3, e_hat);
    return e_hat;                                   // 6.3
}

