/* Matrices: making them, and every operation with its derivative.
   dY stands for d loss / d Y. Loops count from 0 in this file. */
#include "library/functions.h"
#include "library/operation.h"
#include "library/product.h"
#include "library/tape.h"
#include <float.h>
#include <math.h>
#include <string.h>

static size_t gradient_size(Mat M)      /* 0: it keeps no gradient */
{
    return M->grad == NULL ? 0 : entries(M);
}

/* Entry k of dM so far: none where dM takes the place of dY. */
#define SO_FAR(M, Y, k) ((M)->grad == (Y)->grad ? 0 : (M)->grad[k])

/* Returns column j of the entries at, or of the gradient, of M. */
static real *column(real *at, Mat M, int j)
{
    return at + (size_t)M->rows * (size_t)j;
}

static void zero_entries(Mat M)
{
    memset(M->at, 0, entries(M) * sizeof(real));
}

static void require_column(Where where, int rows, int cols)
{
    if (cols < 1)
        refuse(where, "a matrix of %d x %d; it needs a row and a column.",
               rows, cols);
}

static Mat clear_matrix(Where where, Mat M)
{
    require_column(where, M->rows, M->cols);
    zero_entries(M);
    clear_gradient(M);
    return M;
}

Mat parameter_(Where where, Arena *arena, int rows, int cols)
{
    return clear_matrix(where, matrix_new(where, arena, rows, cols, true));
}

Mat constant_(Where where, Arena *arena, int rows, int cols)
{
    return clear_matrix(where, matrix_new(where, arena, rows, cols, false));
}

Mat input_(Where where, Tape *tape, int rows, int cols)
{
    return clear_matrix(where, node_new(where, tape, rows, cols, NULL, 0,
                                        NULL));
}

/* A new node that has the shape of its first operand. */
static struct Matrix *node_like(Where where, const Operation *operation,
                                int n, const Mat of[])
{
    return node_new(where, NULL, of[0]->rows, of[0]->cols, operation, n, of);
}

Mat *matrices(Mat M, int n)
{
    REQUIRE(M->tape != NULL, "the first matrix is on no tape; make it an "
            "input(tape, rows, cols).");
    REQUIRE(n >= 1, "a list of %d; there must be one.", n);
    return arena_alloc(tape_arena(M->tape), ((size_t)n + 1) * sizeof(Mat));
}

/* The entries at, or the gradient, of M as they lie in memory. */
static View view(Mat M, real *at)
{
    return M->transposed ? (View){ at, M->rows, M->cols, M->cols, 1 }
                         : (View){ at, M->rows, M->cols, 1, M->rows };
}

real *entry_(Where where, Mat M, int i, int j)
{
    if (i < 1 || i > M->rows || j < 1 || j > M->cols)
        refuse(where, "there is no entry [%d, %d] in a matrix of %d x %d.",
               i, j, M->rows, M->cols);
    const View V = view(M, M->at);
    return &V.at[(i - 1) * V.row + (j - 1) * V.column];
}

static void require_same_shape(Where where, Mat A, Mat B)
{
    if (A->rows != B->rows || A->cols != B->cols)
        refuse(where, "the first is %d x %d and the second %d x %d; they "
               "must have one shape.", A->rows, A->cols, B->rows, B->cols);
}

static void require_shape(Where where, Mat v, const char *name, int rows,
                          int cols, Mat M)
{
    if (v->rows != rows || v->cols != cols)
        refuse(where, "%s is %d x %d; for a matrix of %d x %d it must be "
               "%d x %d.", name, v->rows, v->cols, M->rows, M->cols, rows,
               cols);
}

/* dB += dY, where B is as high as Y, and has its columns or one for all. */
FAST static void add_gradient_of(Mat Y, Mat B)
{
    const size_t n = gradient_size(B), all = n == 0 ? 0 : entries(Y);
    for (size_t first = 0; first < all; first += n)
        for (size_t k = 0; k < n; k++)
            B->grad[k] += Y->grad[first + k];
}

/* The first factor of a product Y, or its gradient. */
static View first_factor(Mat Y, real *at)
{
    View A = view(Y->of[0], at);
    return Y->c != 0 ? transpose(A) : A;
}

static void affine_backward(Mat Y)      /* of[2] is b; a product has none */
{
    Mat A = Y->of[0], B = Y->of[1];
    const View dY = view(Y, Y->grad);
    if (A->grad != NULL)
        product(first_factor(Y, A->grad), dY, transpose(view(B, B->at)));
    if (B->grad != NULL)
        product(view(B, B->grad), transpose(first_factor(Y, A->at)), dY);
    if (Y->n == 3)
        add_gradient_of(Y, Y->of[2]);
}

static void affine_forward(struct Matrix *Y)
{
    if (Y->n == 2)
        zero_entries(Y);
    for (int j = 0; Y->n == 3 && j < Y->cols; j++)
        memcpy(column(Y->at, Y, j), Y->of[2]->at,
               (size_t)Y->rows * sizeof(real));
    product(view(Y, Y->at), first_factor(Y, Y->of[0]->at),
            view(Y->of[1], Y->of[1]->at));
}

OPERATION(affine, OWN_PLACE);

Mat mul_(Where where, Mat A, Mat B)
{
    if (A->cols != B->rows)
        refuse(where, "the first is %d x %d and the second %d x %d; the "
               "first must have as many columns as the second has rows.",
               A->rows, A->cols, B->rows, B->cols);
    return affine_(where, A, B, NULL);
}

Mat transpose_of(Arena *arena, Mat M)
{
    struct Matrix *T = arena_alloc(arena, sizeof *T);
    *T = (struct Matrix){ .rows = M->cols, .cols = M->rows, .at = M->at,
                          .grad = M->grad, .transposed = !M->transposed,
                          .tape = M->tape };
    return T;
}

Mat mul_tn_(Where where, Mat A, Mat B)
{
    if (A->rows != B->rows)
        refuse(where, "the first is %d x %d and the second %d x %d; they "
               "must have as many rows, since the first is transposed.",
               A->rows, A->cols, B->rows, B->cols);
    struct Matrix *Y = node_new(where, NULL, A->cols, B->cols,
                                &affine_operation, 2, (Mat[]){ A, B });
    Y->c = 1;                   /* A is transposed */
    return node_compute(Y);
}

Mat affine_(Where where, Mat W, Mat X, Mat b)
{
    if (W->cols != X->rows)
        refuse(where, "W is %d x %d and X is %d x %d; W must have as many "
               "columns as X has rows.",
               W->rows, W->cols, X->rows, X->cols);
    if (b != NULL)
        require_shape(where, b, "b", W->rows, 1, W);
    const int n = b == NULL ? 2 : 3;
    const Mat of[] = { W, X, b };
    return node_compute(node_new(where, tape_of(where, n, of), W->rows,
                                 X->cols, &affine_operation, n, of));
}

static void add_backward(Mat Y)
{
    add_gradient_of(Y, Y->of[0]);
    add_gradient_of(Y, Y->of[1]);
}

FAST static void add_forward(struct Matrix *Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    const size_t n = entries(B), all = entries(Y);
    for (size_t first = 0; first < all; first += n)
        for (size_t k = 0; k < n; k++)
            Y->at[first + k] = A->at[first + k] + B->at[k];
}

OPERATION(add, OWN_PLACE);

Mat add_(Where where, Mat A, Mat B)
{
    require_same_shape(where, A, B);
    return node_compute(node_like(where, &add_operation, 2, (Mat[]){ A, B }));
}

Mat add_bias_(Where where, Mat M, Mat b)
{
    if (b == NULL)
        return M;
    require_shape(where, b, "b", M->rows, 1, M);
    return node_compute(node_like(where, &add_operation, 2, (Mat[]){ M, b }));
}

FAST static void scale_backward(Mat Y)
{
    Mat M = Y->of[0];
    EACH_ENTRY(k, gradient_size(M))
        M->grad[k] = SO_FAR(M, Y, k) + (real)Y->c * Y->grad[k];
}

FAST static void scale_forward(struct Matrix *Y)
{
    Mat M = Y->of[0];
    EACH_ENTRY(k, entries(Y))
        Y->at[k] = (real)Y->c * M->at[k];
}

OPERATION(scale, ALL_IN_PLACE);

Mat scale_(Where where, Mat M, double c)
{
    struct Matrix *Y = node_like(where, &scale_operation, 1, &M);
    Y->c = c;
    return node_compute(Y);
}

FAST static void hadamard_backward(Mat Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    const size_t n = entries(B), all = entries(Y);
    for (size_t first = 0; first < all; first += n) {
        const real *dY = Y->grad + first;
        for (size_t k = 0; A->grad != NULL && k < n; k++)
            A->grad[first + k] += dY[k] * B->at[k];
        for (size_t k = 0; B->grad != NULL && k < n; k++)
            B->grad[k] += dY[k] * A->at[first + k];
    }
}

FAST static void hadamard_forward(struct Matrix *Y)
{
    Mat A = Y->of[0], B = Y->of[1];
    const size_t n = entries(B), all = entries(Y);
    for (size_t first = 0; first < all; first += n)
        for (size_t k = 0; k < n; k++)
            Y->at[first + k] = A->at[first + k] * B->at[k];
}

OPERATION(hadamard, OWN_PLACE);

Mat hadamard_(Where where, Mat A, Mat B)
{
    require_same_shape(where, A, B);
    return node_compute(node_like(where, &hadamard_operation, 2,
                                  (Mat[]){ A, B }));
}

Mat scale_rows_(Where where, Mat g, Mat M)
{
    require_shape(where, g, "g", M->rows, 1, M);
    return node_compute(node_like(where, &hadamard_operation, 2,
                                  (Mat[]){ M, g }));
}

static void sum_backward(Mat y)
{
    Mat M = y->of[0];
    for (size_t k = 0, n = gradient_size(M); k < n; k++)
        M->grad[k] += y->grad[0];
}

static void sum_forward(struct Matrix *y)
{
    Mat M = y->of[0];
    y->at[0] = 0;
    for (size_t k = 0; k < entries(M); k++)
        y->at[0] += M->at[k];
}

OPERATION(sum, OWN_PLACE);

Mat sum_(Where where, Mat M)
{
    return node_compute(node_new(where, NULL, 1, 1, &sum_operation, 1, &M));
}

static void refuse_column(Mat P, Mat M, int j)
{
    const real *a = column(M->at, M, j);
    int masked = 0;
    if (is_nonfinite_allowed(P->tape))
        return;
    while (masked < M->rows && a[masked] == -INFINITY)
        masked++;
    if (masked == M->rows)
        refuse(P->where, "every entry of column %d is -infinity: this token "
               "may look at nothing.", j + 1);
    refuse(P->where, "column %d has an entry that is not a number or "
           "infinite.", j + 1);
}

FAST static void softmax_backward(Mat P)
{
    Mat M = P->of[0];
    for (int j = 0; M->grad != NULL && j < P->cols; j++) {
        const real *p = column(P->at, P, j), *dp = column(P->grad, P, j);
        real *da = column(M->grad, M, j), p_dp = inner(P->rows, p, dp);
        EACH_ENTRY(i, P->rows)
            da[i] = (da == dp ? 0 : da[i]) + p[i] * (dp[i] - p_dp);
    }
}

FAST static void softmax_forward(struct Matrix *P)
{
    Mat M = P->of[0];
    for (int j = 0; j < P->cols; j++) {
        const real *a = column(M->at, M, j), most = largest(M->rows, a);
        real *p = column(P->at, P, j);
        for (int i = 0; i < P->rows; i++)
            p[i] = exp_of(a[i] - most);
        const real sum = total(P->rows, p);
        if (!isfinite(sum))
            refuse_column(P, M, j);
        for (int i = 0; i < P->rows; i++)
            p[i] /= sum;
    }
}

OPERATION(softmax, GRADIENT_IN_PLACE);

Mat softmax_(Where where, Mat M)
{
    struct Matrix *P = node_like(where, &softmax_operation, 1, &M);
    P->logits = M;
    return node_compute(P);
}

FAST static void mean_backward(Mat m)
{
    Mat M = m->of[0];
    for (int j = 0; M->grad != NULL && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            column(M->grad, M, j)[i] += m->grad[j] / (real)M->rows;
}

FAST static void mean_forward(struct Matrix *m)
{
    Mat M = m->of[0];
    for (int j = 0; j < M->cols; j++)
        m->at[j] = total(M->rows, column(M->at, M, j)) / (real)M->rows;
}

OPERATION(mean, OWN_PLACE);

Mat mean_(Where where, Mat M)
{
    return node_compute(node_new(where, NULL, 1, M->cols, &mean_operation,
                                 1, &M));
}

FAST static void variance_backward(Mat v)
{
    Mat M = v->of[0], m = v->of[1];
    const real d = (real)M->rows;
    for (int j = 0; j < M->cols; j++) {
        const real *a = column(M->at, M, j), dv = 2 * v->grad[j] / d;
        for (int i = 0; M->grad != NULL && i < M->rows; i++)
            column(M->grad, M, j)[i] += (a[i] - m->at[j]) * dv;
        if (m->grad != NULL)
            m->grad[j] -= (total(M->rows, a) - d * m->at[j]) * dv;
    }
}

FAST static void variance_forward(struct Matrix *v)
{
    Mat M = v->of[0], m = v->of[1];
    for (int j = 0; j < M->cols; j++) {
        const real *a = column(M->at, M, j);
        v->at[j] = inner_about(M->rows, a, a, m->at[j]) / (real)M->rows;
    }
}

OPERATION(variance, OWN_PLACE);

Mat variance_(Where where, Mat M, Mat m)
{
    require_shape(where, m, "m", 1, M->cols, M);
    return node_compute(node_new(where, NULL, 1, M->cols,
                                 &variance_operation, 2, (Mat[]){ M, m }));
}

FAST static void standardise_backward(Mat Y)
{
    Mat M = Y->of[0], m = Y->of[1], v = Y->of[2];
    for (int j = 0; j < Y->cols; j++) {
        const real *y = column(Y->at, Y, j), *dy = column(Y->grad, Y, j);
        const real sigma = (real)sqrt(v->at[j] + Y->c);
        for (int i = 0; M->grad != NULL && i < Y->rows; i++)
            column(M->grad, M, j)[i] += dy[i] / sigma;
        if (m->grad != NULL)
            m->grad[j] -= total(Y->rows, dy) / sigma;
        if (v->grad != NULL)
            v->grad[j] -= inner(Y->rows, y, dy) / (2 * sigma * sigma);
    }
}

FAST static void standardise_forward(struct Matrix *Y)
{
    Mat M = Y->of[0], m = Y->of[1], v = Y->of[2];
    const double epsilon = Y->c;
    const double least = sizeof(real) == sizeof(float) ? FLT_MIN : DBL_MIN;
    for (int j = 0; j < M->cols; j++) {
        real sigma = (real)sqrt(v->at[j] + epsilon);
        if (!(v->at[j] + epsilon >= least) && !is_nonfinite_allowed(Y->tape))
            refuse(Y->where, "in column %d the variance is %g and epsilon "
                   "%g; their sum must be positive, and not subnormal.",
                   j + 1, (double)v->at[j], epsilon);
        for (int i = 0; i < M->rows; i++)
            column(Y->at, Y, j)[i] =
                (column(M->at, M, j)[i] - m->at[j]) / sigma;
    }
}

OPERATION(standardise, OWN_PLACE);

Mat standardise_(Where where, Mat M, Mat m, Mat v, const double *given)
{
    require_shape(where, m, "m", 1, M->cols, M);
    require_shape(where, v, "v", 1, M->cols, M);
    struct Matrix *Y = node_like(where, &standardise_operation, 3,
                                 (Mat[]){ M, m, v });
    Y->c = given != NULL ? *given : settings(Y->tape)->epsilon;
    if (!(Y->c >= 0) || !isfinite(Y->c))
        refuse(where, "epsilon is %g; it must be 0 or a positive number.",
               Y->c);
    return node_compute(Y);
}

FAST static void masked_backward(Mat Y)
{
    Mat S = Y->of[0];
    EACH_ENTRY(k, gradient_size(S)) {
        const real dy = Y->grad[k];
        S->grad[k] = SO_FAR(S, Y, k) + (Y->at[k] == -(real)INFINITY ? 0 : dy);
    }
}

bool look_back(int t_z, int t_x, const void *data)
{
    (void)data;
    return t_z <= t_x;
}

FAST static void masked_forward(struct Matrix *Y)
{
    Mat S = Y->of[0];
    const Mask mask = Y->mask;
    const bool back = mask.look == look_back;
    const int past = (int)Y->c, causal = back ? S->rows : 0;
    const real hidden = -(real)INFINITY;
    for (int j = 0; j < S->cols; j++) {
        const real *s = column(S->at, S, j);
        real *y = column(Y->at, Y, j);
        IN_ANY_ORDER for (int i = 0; i < causal; i++)
            y[i] = look_back(i, past + j, NULL) ? s[i] : hidden;
        for (int i = 0; !back && i < S->rows; i++)
            y[i] = mask.look(i + 1, j + 1, mask.data) ? s[i] : hidden;
    }
}

OPERATION(masked, ALL_IN_PLACE);

Mat masked_(Where where, Mat S, Mask mask)
{
    struct Matrix *Y = node_like(where, &masked_operation, 1, &S);
    Y->mask = mask;
    Y->c = mask.look == look_back ? settings(Y->tape)->past : 0;
    return node_compute(Y);
}

FAST static void relu_backward(Mat Y)
{
    Mat M = Y->of[0];
    EACH_ENTRY(k, gradient_size(M)) {
        const real dy = Y->grad[k];
        M->grad[k] = SO_FAR(M, Y, k) + (Y->at[k] > 0 ? dy : 0);
    }
}

FAST static void relu_forward(struct Matrix *Y)
{
    Mat M = Y->of[0];
    EACH_ENTRY(k, entries(Y))
        Y->at[k] = M->at[k] < 0 ? 0 : M->at[k];
}

OPERATION(relu, ALL_IN_PLACE);

Mat relu_(Where where, Mat M)
{
    return node_compute(node_like(where, &relu_operation, 1, &M));
}

FAST static void gelu_backward(Mat Y)
{
    Mat M = Y->of[0];
    EACH_ENTRY(k, gradient_size(M))
        M->grad[k] = SO_FAR(M, Y, k) + Y->slope[k] * Y->grad[k];
}

FAST static void gelu_entries(size_t n, const real *x, real *y, real *slope)
{
    EACH_ENTRY(k, n) {
        real z = x[k], phi, P = Phi(z, &phi);
        y[k] = z * P;
        slope[k] = P + z * phi;
    }
}

static const real ROOT = (real)0.79788456080286535588; /* of 2 / pi */
static const real CUBIC = (real)0.044715;

enum { FAR = sizeof(real) == sizeof(float) ? 9 : 20 };

FAST static void tanh_entries(size_t n, const real *x, real *y, real *slope)
{
    EACH_ENTRY(k, n) {
        real z = -at_least(-at_least(x[k], -FAR), -FAR);
        real is_far = x[k] < -FAR;
        real square = z * z, u = ROOT * z * (1 + CUBIC * square);
        real e = exp_of(-2 * u), s = (1 - is_far) / (1 + e);
        real du = ROOT * (1 + 3 * CUBIC * square);
        y[k] = x[k] * s;
        slope[k] = s + 2 * z * s * (e * s) * du;        /* e s = 1 - s */
    }
}

static void gelu_forward(struct Matrix *Y)
{
    (Y->c == 0 ? gelu_entries : tanh_entries)
        (entries(Y), Y->of[0]->at, Y->at, Y->slope);
}

OPERATION(gelu, ALL_IN_PLACE);

static Mat gelu_by(Where where, Mat M, bool by_tanh)
{
    struct Matrix *Y = node_like(where, &gelu_operation, 1, &M);
    Y->slope = arena_alloc(tape_arena(Y->tape), entries(M) * sizeof(real));
    Y->c = by_tanh;
    return node_compute(Y);
}

Mat gelu_(Where where, Mat M)
{
    return gelu_by(where, M, M->tape != NULL && settings(M->tape)->tanh_gelu);
}

Mat gelu_tanh_(Where where, Mat M)
{
    return gelu_by(where, M, true);
}

static const int *indices_on(Tape *tape, int n, const int index[])
{
    if (n == 0 || arena_holds(tape_arena(tape), index))
        return index;
    size_t bytes = (size_t)n * sizeof *index;
    return memcpy(arena_alloc(tape_arena(tape), bytes), index, bytes);
}

FAST static void gather_backward(Mat Y)
{
    Mat W = Y->of[0];
    for (int k = 0; W->grad != NULL && k < Y->cols; k++)
        for (int i = 0; i < Y->rows; i++)
            column(W->grad, W, Y->j[k] - 1)[i] += column(Y->grad, Y, k)[i];
}

FAST static void gather_forward(struct Matrix *Y)
{
    Mat W = Y->of[0];
    for (int k = 0; k < Y->cols; k++) {
        if (Y->j[k] < 1 || Y->j[k] > W->cols)
            refuse(Y->where, "there is no column %d in a matrix of %d x %d.",
                   Y->j[k], W->rows, W->cols);
        memcpy(column(Y->at, Y, k), column(W->at, W, Y->j[k] - 1),
               (size_t)W->rows * sizeof(real));
    }
}

OPERATION(gather, OWN_PLACE);

Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[])
{
    if (W->tape != NULL && W->tape != tape)
        refuse(where, "the operands are on two different tapes.");
    require_column(where, W->rows, n);
    struct Matrix *Y = node_new(where, tape, W->rows, n, &gather_operation,
                                1, &W);
    Y->j = indices_on(tape, n, j);
    return node_compute(Y);
}

FAST static void stack_backward(Mat Y)
{
    int row = 0;
    for (int k = 0; k < Y->n; row += Y->of[k++]->rows) {
        Mat A = Y->of[k];
        for (int j = 0; A->grad != NULL && j < Y->cols; j++)
            for (int i = 0; i < A->rows; i++)
                column(A->grad, A, j)[i] += column(Y->grad, Y, j)[row + i];
    }
}

static void stack_forward(struct Matrix *Y)
{
    int row = 0;
    for (int k = 0; k < Y->n; row += Y->of[k++]->rows) {
        Mat A = Y->of[k];
        for (int j = 0; j < Y->cols; j++)
            memcpy(column(Y->at, Y, j) + row, column(A->at, A, j),
                   (size_t)A->rows * sizeof(real));
    }
}

OPERATION(stack, OWN_PLACE);

Mat stack_(Where where, int n, const Mat parts[])
{
    int rows = 0;
    for (int k = 1; k <= n; rows += parts[k++]->rows)
        if (parts[k]->cols != parts[1]->cols)
            refuse(where, "part 1 has %d columns and part %d has %d; all "
                   "parts need as many.", parts[1]->cols, k,
                   parts[k]->cols);
    if (n < 1)
        refuse(where, "there is nothing to stack.");
    return node_compute(node_new(where, NULL, rows, parts[1]->cols,
                                 &stack_operation, n, parts + 1));
}

FAST static void log_prob_backward(Mat y)
{
    Mat P = y->of[0], M = y->of[1];
    for (int k = 0; M->grad != NULL && k < y->cols; k++) {
        const real *p = column(P->at, P, y->j[k] - 1);
        real *da = column(M->grad, M, y->j[k] - 1), dy = y->grad[k];
        real share = (real)(y->c / P->rows);
        for (int u = 0; u < M->rows; u++)
            da[u] += (share - p[u]) * dy;
        da[y->i[k] - 1] += (real)(1 - y->c) * dy;
    }
}

FAST static real log_sum_exp(Mat P, Mat M, int j)
{
    const real *a = column(M->at, M, j), *p = column(P->at, P, j);
    return largest(P->rows, a) - (real)log(largest(P->rows, p));
}

static real smoothed(Mat M, int i, int j, double smoothing)
{
    const real *a = column(M->at, M, j);
    real total = 0;
    for (int u = 0; smoothing > 0 && u < M->rows; u++)
        total += a[u];
    return (real)(1 - smoothing) * a[i]
         + (real)(smoothing / M->rows) * total;
}

static void log_prob_forward(struct Matrix *y)
{
    Mat P = y->of[0], M = y->of[1];
    for (int k = 0; k < y->cols; k++) {
        (void)*entry_(y->where, P, y->i[k], y->j[k]);
        y->at[k] = smoothed(M, y->i[k] - 1, y->j[k] - 1, y->c)
                 - log_sum_exp(P, M, y->j[k] - 1);
        if (!isfinite(y->at[k]) && !is_nonfinite_allowed(y->tape))
            refuse(y->where, "entry [%d, %d] is not finite: its token "
                   "cannot occur.", y->i[k], y->j[k]);
    }
}

OPERATION(log_prob, OWN_PLACE);

Mat log_prob_(Where where, Mat P, Tokens i, Tokens j)
{
    if (P->logits == NULL)
        refuse(where, "the first is not a softmax.");
    if (i.length != j.length)
        refuse(where, "%d rows and %d columns; the lists must be equally "
               "long.", i.length, j.length);
    struct Matrix *y = node_new(where, NULL, 1, i.length,
                                &log_prob_operation, 2,
                                (Mat[]){ P, P->logits });
    y->c = settings(y->tape)->smoothing;
    y->i = indices_on(y->tape, i.length, i.id);
    y->j = indices_on(y->tape, j.length, j.id);
    return node_compute(y);
}
