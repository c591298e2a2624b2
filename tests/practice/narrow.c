/* Weights in 16 bits: rounded once, and then as exact as any. */
#include "law.h"
#include "models.h"
#include "product.h"
#include "tape.h"
#include "threads.h"

static Mat random_matrix(int rows, int cols)
{
    Mat M = constant(arena, rows, cols);
    randomise(M);
    return M;
}

/* The numbers that the halved M stands for. */
static Mat rounded(Mat M)
{
    Mat R = constant(arena, M->rows, M->cols);
    for (int k = 0; k < M->rows * M->cols; k++)
        R->at[k] = whole_of(half_of(M->at[k]));
    return R;
}

static Mat on_tape(Mat M)
{
    Mat X = input(quiet, M->rows, M->cols);
    memcpy(X->at, M->at, (size_t)(M->rows * M->cols) * sizeof(real));
    return X;
}

LAW(a_number_is_rounded_once_to_the_nearest)
{
    static const struct { double x; uint16_t half; } known[] = {
        { 0, 0x0000 }, { 1, 0x3F80 }, { -2, 0xC000 }, { 0.1, 0x3DCD },
        { 1 + 1.0 / 256, 0x3F80 },          /* the middle: to even */
        { 1 + 3.0 / 256, 0x3F82 }, { -1 - 3.0 / 256, 0xBF82 },
        { 1 + 1.01 / 256, 0x3F81 }, { 1 + 2.99 / 256, 0x3F81 },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_int_equal(half_of((real)known[k].x), known[k].half);
    if (!IS_DOUBLE)
        return;
    double little = 1e-12;                  /* is lost in single precision */
    assert_int_equal(half_of((real)(1 + 1.0 / 256 + little)), 0x3F81);
    assert_int_equal(half_of((real)(1 + 3.0 / 256 - little)), 0x3F81);
    assert_int_equal(half_of((real)(-1 - 1.0 / 256 - little)), 0xBF81);
    assert_int_equal(half_of((real)(-1 - 3.0 / 256 + little)), 0xBF81);
}

static void same_bytes(Mat Y, Mat Z)
{
    assert_shape(Y, Z->rows, Z->cols);
    assert_memory_equal(Y->at, Z->at,
                        (size_t)(Y->rows * Y->cols) * sizeof(real));
}

LAW(a_product_is_that_of_the_rounded_numbers)
{
    static const int sizes[] = { 1, 3, 15, 16, 17, 63, 64, 65, 130, 300, 4100 };
    for (int threads = 1; threads <= 2; threads++)
        for (int a = 0; a < 11; a++)
            for (int b = 0; b < 10; b++)
                for (int n = 1; n <= 3; n += 2) {
                    have_threads(threads);
                    Mat W = random_matrix(sizes[a], sizes[b]);
                    Mat T = transpose_of(arena, W), R = rounded(W);
                    Mat H = halved(arena, W);
                    Mat X = on_tape(random_matrix(W->cols, n));
                    Mat Z = on_tape(random_matrix(W->rows, n));
                    Mat c = random_matrix(W->rows, 1);
                    same_bytes(affine(H, X, c), affine(R, X, c));
                    same_bytes(mul(H, X), mul(R, X));
                    Mat turned = mul(transpose_of(arena, R), Z);
                    same_bytes(mul(transpose_of(arena, H), Z), turned);
                    same_bytes(mul(halved(arena, T), Z), turned);
                    tape_clear(quiet);
                    arena_clear(arena);
                }
    have_threads(1);
}

LAW(every_kind_of_vectors_gives_the_product)
{
    const Kernel *kernel = product_kernel("plain");
    enum { M = 37, K = 300 };
    Mat W = random_matrix(M, K), H = halved(arena, W), R = rounded(W);
    Mat x = random_matrix(K, 1), y = constant(arena, M, 1);
    Mat z = constant(arena, M, 1);
    product_of_halves(false, M, K, H->half, M, x->at, y->at);
    product_by(kernel, false, false, M, 1, K, R->at, M, x->at, K, z->at, M);
    assert_same(y, z, TIGHT);
}

LAW(columns_are_gathered_from_it)
{
    Mat W = random_matrix(7, 5), H = halved(arena, W), R = rounded(W);
    const int j[] = { 5, 1, 1, 3 };
    same_bytes(gather(quiet, H, 4, j), gather(quiet, R, 4, j));
}

LAW(other_operations_refuse_it)
{
    Mat H = halved(arena, random_matrix(3, 3));
    Mat X = input(quiet, 3, 3);
    assert_refuses(add(X, H), "a halved matrix can only be multiplied.");
    assert_refuses(AT(H, 1, 1), "this matrix is kept in 16 bits.");
    assert_refuses(halved(arena, parameter(arena, 2, 2)),
                   "a matrix that is learned, or computed, is not halved.");
}
