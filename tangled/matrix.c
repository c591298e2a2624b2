/* Matrices: making them, and every operation with its derivative.
   dY stands for d loss / d Y. Loops count from 0 in this file. */
#include "ftx.h"
#include <math.h>
#include <string.h>

static size_t entries(Mat M)
{
    return (size_t)M->rows * (size_t)M->cols;
}

static real *column(const real *at, Mat M, int j)   /* at or grad of M */
{
    return (real *)at + (size_t)M->rows * (size_t)j;
}

Mat parameter_(Where where, Arena *arena, int rows, int cols)
{
    Mat M = matrix_new(where, arena, rows, cols, true);
    memset(M->at, 0, entries(M) * sizeof(real));
    clear_gradient(M);
    return M;
}

Mat constant_(Where where, Arena *arena, int rows, int cols)
{
    Mat M = matrix_new(where, arena, rows, cols, false);
    memset(M->at, 0, entries(M) * sizeof(real));
    return M;
}

Mat input_(Where where, Tape *tape, int rows, int cols)
{
    Mat M = computed_on(where, tape, rows, cols, NULL, 0, NULL);
    memset(M->at, 0, entries(M) * sizeof(real));
    return M;
}
real *entry_(Where where, Mat M, int i, int j)
{
    if (i < 1 || i > M->rows || j < 1 || j > M->cols)
        refuse(where, "there is no entry [%d, %d] in a matrix of %d x %d.",
               i, j, M->rows, M->cols);
    return &column(M->at, M, j - 1)[i - 1];
}

static void same_shape(Where where, Mat A, Mat B)
{
    if (A->rows != B->rows || A->cols != B->cols)
        refuse(where, "the first is %d x %d and the second %d x %d; they "
               "must have one shape.", A->rows, A->cols, B->rows, B->cols);
}

static void is_column(Where where, Mat b, const char *name, Mat M)
{
    if (b->rows != M->rows || b->cols != 1)
        refuse(where, "%s is %d x %d; for a matrix of %d x %d it must be "
               "%d x 1.", name, b->rows, b->cols, M->rows, M->cols,
               M->rows);
}

static void is_row(Where where, Mat m, const char *name, Mat M)
{
    if (m->rows != 1 || m->cols != M->cols)
        refuse(where, "%s is %d x %d; for a matrix of %d x %d it must be "
               "1 x %d.", name, m->rows, m->cols, M->rows, M->cols,
               M->cols);
}

typedef struct {
    const real *at;
    int rows, cols;             /* as stored, before a transposition */
    bool transposed;
} Factor;

static Factor entries_of(Mat M)
{
    return (Factor){ M->at, M->rows, M->cols, false };
}

static Factor gradient_of(Mat M)
{
    return (Factor){ M->grad, M->rows, M->cols, false };
}

static Factor transpose(Factor F)
{
    F.transposed = !F.transposed;
    return F;
}

static void add_product(real *C, Factor A, Factor B)    /* C += A B */
{
    int m = A.transposed ? A.cols : A.rows;
    int k = A.transposed ? A.rows : A.cols;
    int n = B.transposed ? B.rows : B.cols;
    if (C != NULL)
        product(A.transposed, B.transposed, m, n, k,
                A.at, A.rows, B.at, B.rows, C, m);
}
static void mul_backward(Mat Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    add_product(A->grad, gradient_of(Y), transpose(entries_of(B)));
    add_product(B->grad, transpose(entries_of(A)), gradient_of(Y));
}

Mat mul_(Where where, Mat A, Mat B)
{
    if (A->cols != B->rows)
        refuse(where, "the first is %d x %d and the second %d x %d; the "
               "first must have as many columns as the second has rows.",
               A->rows, A->cols, B->rows, B->cols);
    Mat Y = computed(where, A->rows, B->cols, mul_backward, 2,
                     (Mat[]){ A, B });
    memset(Y->at, 0, entries(Y) * sizeof(real));
    add_product(Y->at, entries_of(A), entries_of(B));
    return Y;
}
static void mul_tn_backward(Mat Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    add_product(A->grad, entries_of(B), transpose(gradient_of(Y)));
    add_product(B->grad, entries_of(A), gradient_of(Y));
}

Mat mul_tn_(Where where, Mat A, Mat B)
{
    if (A->rows != B->rows)
        refuse(where, "the first is %d x %d and the second %d x %d; they "
               "must have as many rows, since the first is transposed.",
               A->rows, A->cols, B->rows, B->cols);
    Mat Y = computed(where, A->cols, B->cols, mul_tn_backward, 2,
                     (Mat[]){ A, B });
    memset(Y->at, 0, entries(Y) * sizeof(real));
    add_product(Y->at, transpose(entries_of(A)), entries_of(B));
    return Y;
}
static void mul_nt_backward(Mat Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    add_product(A->grad, gradient_of(Y), entries_of(B));
    add_product(B->grad, transpose(gradient_of(Y)), entries_of(A));
}

Mat mul_nt_(Where where, Mat A, Mat B)
{
    if (A->cols != B->cols)
        refuse(where, "the first is %d x %d and the second %d x %d; they "
               "must have as many columns, since the second is transposed.",
               A->rows, A->cols, B->rows, B->cols);
    Mat Y = computed(where, A->rows, B->rows, mul_nt_backward, 2,
                     (Mat[]){ A, B });
    memset(Y->at, 0, entries(Y) * sizeof(real));
    add_product(Y->at, entries_of(A), transpose(entries_of(B)));
    return Y;
}
static void add_rows_to(real *db, Mat Y)            /* db += dY 1 */
{
    for (int j = 0; db != NULL && j < Y->cols; j++)
        for (int i = 0; i < Y->rows; i++)
            db[i] += column(Y->grad, Y, j)[i];
}

static void affine_backward(Mat Y)
{
    mul_backward(Y);
    add_rows_to(Y->of[2]->grad, Y);
}

Mat affine_(Where where, Mat W, Mat X, Mat b)
{
    if (W->cols != X->rows)
        refuse(where, "W is %d x %d and X is %d x %d; W must have as many "
               "columns as X has rows.",
               W->rows, W->cols, X->rows, X->cols);
    is_column(where, b, "b", W);
    Mat Y = computed(where, W->rows, X->cols, affine_backward, 3,
                     (Mat[]){ W, X, b });
    for (int j = 0; j < Y->cols; j++)
        memcpy(column(Y->at, Y, j), b->at, entries(b) * sizeof(real));
    add_product(Y->at, entries_of(W), entries_of(X));
    return Y;
}

static void add_multiple(real *dM, double c, Mat Y)     /* dM += c dY */
{
    for (size_t k = 0; dM != NULL && k < entries(Y); k++)
        dM[k] += (real)c * Y->grad[k];
}

static void add_backward(Mat Y)
{
    add_multiple(Y->of[0]->grad, 1, Y);
    add_multiple(Y->of[1]->grad, 1, Y);
}

Mat add_(Where where, Mat A, Mat B)
{
    same_shape(where, A, B);
    Mat Y = computed(where, A->rows, A->cols, add_backward, 2,
                     (Mat[]){ A, B });
    for (size_t k = 0; k < entries(Y); k++)
        Y->at[k] = A->at[k] + B->at[k];
    return Y;
}
static void add_bias_backward(Mat Y)
{
    add_multiple(Y->of[0]->grad, 1, Y);
    add_rows_to(Y->of[1]->grad, Y);
}

Mat add_bias_(Where where, Mat M, Mat b)
{
    is_column(where, b, "b", M);
    Mat Y = computed(where, M->rows, M->cols, add_bias_backward, 2,
                     (Mat[]){ M, b });
    for (int j = 0; j < Y->cols; j++)
        for (int i = 0; i < Y->rows; i++)
            column(Y->at, Y, j)[i] = column(M->at, M, j)[i] + b->at[i];
    return Y;
}
static void scale_backward(Mat Y)
{
    add_multiple(Y->of[0]->grad, Y->c, Y);
}

Mat scale_(Where where, Mat M, double c)
{
    struct Matrix *Y = computed(where, M->rows, M->cols, scale_backward, 1,
                                (Mat[]){ M });
    Y->c = c;
    for (size_t k = 0; k < entries(Y); k++)
        Y->at[k] = (real)c * M->at[k];
    return Y;
}
static void scale_rows_backward(Mat Y)
{
    Mat g = Y->of[0], M = Y->of[1];
    for (int j = 0; j < Y->cols; j++) {
        const real *dY = column(Y->grad, Y, j);
        for (int i = 0; M->grad != NULL && i < Y->rows; i++)
            column(M->grad, M, j)[i] += g->at[i] * dY[i];
        for (int i = 0; g->grad != NULL && i < Y->rows; i++)
            g->grad[i] += column(M->at, M, j)[i] * dY[i];
    }
}

Mat scale_rows_(Where where, Mat g, Mat M)
{
    is_column(where, g, "g", M);
    Mat Y = computed(where, M->rows, M->cols, scale_rows_backward, 2,
                     (Mat[]){ g, M });
    for (int j = 0; j < Y->cols; j++)
        for (int i = 0; i < Y->rows; i++)
            column(Y->at, Y, j)[i] = g->at[i] * column(M->at, M, j)[i];
    return Y;
}
static void sum_backward(Mat y)
{
    Mat M = y->of[0];
    for (size_t k = 0; M->grad != NULL && k < entries(M); k++)
        M->grad[k] += y->grad[0];
}

Mat sum_(Where where, Mat M)
{
    Mat y = computed(where, 1, 1, sum_backward, 1, (Mat[]){ M });
    y->at[0] = 0;
    for (size_t k = 0; k < entries(M); k++)
        y->at[0] += M->at[k];
    return y;
}

static real largest_in_column(Where where, Mat M, int j)
{
    const real *a = column(M->at, M, j);
    real largest = a[0];
    for (int i = 1; i < M->rows; i++)
        if (a[i] > largest || isnan(a[i]))
            largest = a[i];
    if (largest == -INFINITY)
        refuse(where, "every entry of column %d is -infinity: this token "
               "may look at nothing.", j + 1);
    if (!isfinite(largest))
        refuse(where, "column %d has an entry that is not a number or "
               "infinite.", j + 1);
    return largest;
}

static void softmax_backward(Mat P)
{
    Mat M = P->of[0];
    for (int j = 0; M->grad != NULL && j < P->cols; j++) {
        const real *p = column(P->at, P, j), *dp = column(P->grad, P, j);
        real inner = 0;
        for (int i = 0; i < P->rows; i++)
            inner += p[i] * dp[i];
        for (int i = 0; i < P->rows; i++)
            column(M->grad, M, j)[i] += p[i] * (dp[i] - inner);
    }
}
Mat softmax_(Where where, Mat M)
{
    Mat P = computed(where, M->rows, M->cols, softmax_backward, 1,
                     (Mat[]){ M });
    for (int j = 0; j < P->cols; j++) {
        const real *a = column(M->at, M, j);
        real *p = column(P->at, P, j);
        real largest = largest_in_column(where, M, j), total = 0;
        for (int i = 0; i < P->rows; i++)
            total += p[i] = (real)exp(a[i] - largest);
        for (int i = 0; i < P->rows; i++)
            p[i] /= total;
    }
    return P;
}
static void mean_backward(Mat m)
{
    Mat M = m->of[0];
    for (int j = 0; M->grad != NULL && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            column(M->grad, M, j)[i] += m->grad[j] / (real)M->rows;
}

Mat mean_(Where where, Mat M)
{
    Mat m = computed(where, 1, M->cols, mean_backward, 1, (Mat[]){ M });
    for (int j = 0; j < M->cols; j++) {
        real total = 0;
        for (int i = 0; i < M->rows; i++)
            total += column(M->at, M, j)[i];
        m->at[j] = total / (real)M->rows;
    }
    return m;
}
static void variance_backward(Mat v)
{
    Mat M = v->of[0], m = v->of[1];
    for (int j = 0; j < M->cols; j++)
        for (int i = 0; i < M->rows; i++) {
            real deviation = column(M->at, M, j)[i] - m->at[j];
            real d = 2 * deviation / (real)M->rows * v->grad[j];
            if (M->grad != NULL)
                column(M->grad, M, j)[i] += d;
            if (m->grad != NULL)
                m->grad[j] -= d;
        }
}

Mat variance_(Where where, Mat M, Mat m)
{
    is_row(where, m, "m", M);
    Mat v = computed(where, 1, M->cols, variance_backward, 2,
                     (Mat[]){ M, m });
    for (int j = 0; j < M->cols; j++) {
        real total = 0;
        for (int i = 0; i < M->rows; i++) {
            real deviation = column(M->at, M, j)[i] - m->at[j];
            total += deviation * deviation;
        }
        v->at[j] = total / (real)M->rows;
    }
    return v;
}
static void standardise_backward(Mat Y)
{
    Mat M = Y->of[0], m = Y->of[1], v = Y->of[2];
    for (int j = 0; j < Y->cols; j++) {
        real sigma = (real)sqrt(v->at[j] + Y->c);
        for (int i = 0; i < Y->rows; i++) {
            real y = column(Y->at, Y, j)[i], dy = column(Y->grad, Y, j)[i];
            if (M->grad != NULL)
                column(M->grad, M, j)[i] += dy / sigma;
            if (m->grad != NULL)
                m->grad[j] -= dy / sigma;
            if (v->grad != NULL)
                v->grad[j] -= y * dy / (2 * sigma * sigma);
        }
    }
}
Mat standardise_(Where where, Mat M, Mat m, Mat v, double epsilon)
{
    is_row(where, m, "m", M);
    is_row(where, v, "v", M);
    if (!(epsilon >= 0) || !isfinite(epsilon))
        refuse(where, "epsilon is %g; it must be 0 or a positive number.",
               epsilon);
    struct Matrix *Y = computed(where, M->rows, M->cols,
                                standardise_backward, 3,
                                (Mat[]){ M, m, v });
    Y->c = epsilon;
    for (int j = 0; j < M->cols; j++) {
        real sigma = (real)sqrt(v->at[j] + epsilon);
        if (!(sigma > 0))
            refuse(where, "in column %d the variance is %g and epsilon %g; "
                   "their sum must be positive.", j + 1,
                   (double)v->at[j], epsilon);
        for (int i = 0; i < M->rows; i++)
            column(Y->at, Y, j)[i] =
                (column(M->at, M, j)[i] - m->at[j]) / sigma;
    }
    return Y;
}
static void masked_backward(Mat Y)
{
    Mat S = Y->of[0];
    for (size_t k = 0; S->grad != NULL && k < entries(Y); k++)
        if (Y->at[k] != -INFINITY)
            S->grad[k] += Y->grad[k];
}

Mat masked_(Where where, Mat S, Mask mask)
{
    Mat Y = computed(where, S->rows, S->cols, masked_backward, 1,
                     (Mat[]){ S });
    for (int j = 0; j < S->cols; j++)
        for (int i = 0; i < S->rows; i++)
            column(Y->at, Y, j)[i] = mask.look(i + 1, j + 1, mask.data)
                                   ? column(S->at, S, j)[i]
                                   : (real)-INFINITY;
    return Y;
}

static void relu_backward(Mat Y)
{
    Mat M = Y->of[0];
    for (size_t k = 0; M->grad != NULL && k < entries(Y); k++)
        if (M->at[k] > 0)
            M->grad[k] += Y->grad[k];
}

Mat relu_(Where where, Mat M)
{
    Mat Y = computed(where, M->rows, M->cols, relu_backward, 1,
                     (Mat[]){ M });
    for (size_t k = 0; k < entries(Y); k++)
        Y->at[k] = M->at[k] < 0 ? 0 : M->at[k];
    return Y;
}
static const double PI = 3.14159265358979323846;

static double Phi(double x) { return 0.5 * (1 + erf(x / sqrt(2))); }
static double phi(double x) { return exp(-x * x / 2) / sqrt(2 * PI); }

static void gelu_backward(Mat Y)
{
    Mat M = Y->of[0];
    for (size_t k = 0; M->grad != NULL && k < entries(Y); k++) {
        double x = M->at[k];
        M->grad[k] += (real)(Phi(x) + x * phi(x)) * Y->grad[k];
    }
}

Mat gelu_(Where where, Mat M)
{
    Mat Y = computed(where, M->rows, M->cols, gelu_backward, 1,
                     (Mat[]){ M });
    for (size_t k = 0; k < entries(Y); k++)
        Y->at[k] = (real)(M->at[k] * Phi(M->at[k]));
    return Y;
}
static const double CUBIC = 0.044715;

static double tanh_of(double x)
{
    return tanh(sqrt(2 / PI) * (x + CUBIC * x * x * x));
}

static void gelu_tanh_backward(Mat Y)
{
    Mat M = Y->of[0];
    for (size_t k = 0; M->grad != NULL && k < entries(Y); k++) {
        double x = M->at[k], T = tanh_of(x);
        double du = sqrt(2 / PI) * (1 + 3 * CUBIC * x * x);
        M->grad[k] += (real)((1 + T) / 2 + x / 2 * (1 - T * T) * du)
                    * Y->grad[k];
    }
}

Mat gelu_tanh_(Where where, Mat M)
{
    Mat Y = computed(where, M->rows, M->cols, gelu_tanh_backward, 1,
                     (Mat[]){ M });
    for (size_t k = 0; k < entries(Y); k++)
        Y->at[k] = (real)(M->at[k] / 2 * (1 + tanh_of(M->at[k])));
    return Y;
}

static const int *kept(Tape *tape, int n, const int index[])
{
    size_t bytes = (size_t)n * sizeof *index;
    return memcpy(arena_alloc(tape_arena(tape), bytes), index, bytes);
}

static void gather_backward(Mat Y)
{
    Mat W = Y->of[0];
    for (int k = 0; W->grad != NULL && k < Y->cols; k++)
        for (int i = 0; i < Y->rows; i++)
            column(W->grad, W, Y->j[k] - 1)[i] += column(Y->grad, Y, k)[i];
}

Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[])
{
    for (int k = 0; k < n; k++)
        if (j[k] < 1 || j[k] > W->cols)
            refuse(where, "there is no column %d in a matrix of %d x %d.",
                   j[k], W->rows, W->cols);
    if (W->tape != NULL && W->tape != tape)
        refuse(where, "the operands are on two different tapes.");
    struct Matrix *Y = computed_on(where, tape, W->rows, n, gather_backward,
                                   1, (Mat[]){ W });
    Y->j = kept(tape, n, j);
    for (int k = 0; k < n; k++)
        memcpy(column(Y->at, Y, k), column(W->at, W, j[k] - 1),
               (size_t)W->rows * sizeof(real));
    return Y;
}
static void stack_backward(Mat Y)
{
    int row = 0;
    for (int k = 0; k < Y->n; row += Y->of[k++]->rows) {
        Mat A = Y->of[k];
        for (int j = 0; A->grad != NULL && j < Y->cols; j++)
            for (int i = 0; i < A->rows; i++)
                column(A->grad, A, j)[i] += column(Y->grad, Y, j)[row + i];
    }
}

Mat stack_(Where where, int n, const Mat parts[])
{
    int rows = 0;
    for (int k = 0; k < n; rows += parts[k++]->rows)
        if (parts[k]->cols != parts[0]->cols)
            refuse(where, "part 1 has %d columns and part %d has %d; all "
                   "parts need as many.", parts[0]->cols, k + 1,
                   parts[k]->cols);
    if (n < 1)
        refuse(where, "there is nothing to stack.");
    Mat Y = computed(where, rows, parts[0]->cols, stack_backward, n, parts);
    int row = 0;
    for (int k = 0; k < n; row += parts[k++]->rows)
        for (int j = 0; j < Y->cols; j++)
            memcpy(column(Y->at, Y, j) + row,
                   column(parts[k]->at, parts[k], j),
                   (size_t)parts[k]->rows * sizeof(real));
    return Y;
}
static void log_prob_backward(Mat y)
{
    Mat M = y->of[0];
    for (int k = 0; M->grad != NULL && k < y->cols; k++) {
        const real *a = column(M->at, M, y->j[k] - 1);
        real *da = column(M->grad, M, y->j[k] - 1);
        int chosen = y->i[k] - 1;
        real log_sum = a[chosen] - y->at[k];
        for (int u = 0; u < M->rows; u++)
            da[u] -= (real)exp(a[u] - log_sum) * y->grad[k];
        da[chosen] += y->grad[k];
    }
}

static real log_sum_exp(Where where, Mat M, int j)
{
    real largest = largest_in_column(where, M, j), total = 0;
    for (int u = 0; u < M->rows; u++)
        total += (real)exp(column(M->at, M, j)[u] - largest);
    return largest + (real)log(total);
}
Mat log_prob_(Where where, Mat M, int n, const int i[], const int j[])
{
    struct Matrix *y = computed(where, 1, n, log_prob_backward, 1,
                                (Mat[]){ M });
    for (int k = 0; k < n; k++) {
        if (!isfinite(*entry_(where, M, i[k], j[k])))
            refuse(where, "entry [%d, %d] is not finite: its token cannot "
                   "occur.", i[k], j[k]);
        y->at[k] = AT(M, i[k], j[k]) - log_sum_exp(where, M, j[k] - 1);
    }
    y->i = kept(y->tape, n, i);
    y->j = kept(y->tape, n, j);
    return y;
}

