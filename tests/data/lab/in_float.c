/* What follows the #include of a right program: each value that is seen is
   rounded to a float; and a GELU of one's own. */
#include <math.h>
static inline Mat in_float(Mat M)
{
    for (int k = 0; k < M->rows * M->cols; k++)
        M->at[k] = (real)(float)M->at[k];
    return M;
}
static inline Mat by_erf(Mat M)
{
    for (int k = 0; k < M->rows * M->cols; k++)
        M->at[k] *= (1 + (real)erf((double)M->at[k] / sqrt(2.0))) / 2;
    return M;
}
#undef SEE
#define SEE(line, M) (M = see(in_float(M), #line, #M))
