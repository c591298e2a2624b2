/* Algorithm 6 [PH22]: layer normalisation. RMSnorm. */
#include "ftx.h"

Mat layer_norm(Mat e, Mat gamma, Mat beta, double epsilon)
{
    Mat m = mean(e);                                SEE(6.1, m);
    Mat v = variance(e, m);                         SEE(6.2, v);
    Mat e_hat = add_bias(                           // 6.3
        scale_rows(gamma, standardise(e, m, v, epsilon)), // 6.3
        beta);                                      SEE(6.3, e_hat);
    return e_hat;                                   // 6.3
}

Mat rms_norm(Mat e, Mat gamma, double epsilon)
{
    REQUIRE(e->tape != NULL,
            "e is on no tape; make it an input(tape, rows, cols).");
    Mat m = input(e->tape, 1, e->cols);             SEE(6.1, m);
    Mat v = variance(e, m);                         SEE(6.2, v);
    Mat e_hat = scale_rows(gamma,                   // 6.3
        standardise(e, m, v, epsilon));             SEE(6.3, e_hat);
    return e_hat;                                   // 6.3
}

