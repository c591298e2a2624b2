/* The product of two matrices, by every kernel that this machine has. */
#include "law.h"
#include "library/product.h"
#include "library/threads.h"

enum { KERNELS = 3, PAD = 3 };
static const char *const names[KERNELS] = { "plain", "avx2", "avx512" };

/* Around the sizes of tiles, strips and blocks, and off them. */
static const int all_m[] = { 1, 3, 8, 17, 33, 66, 130 };
static const int all_n[] = { 1, 5, 7, 25, 60, 255, 257 };
static const int all_k[] = { 1, 9, 128, 131, 300 };
#define MANY(list) (int)(sizeof list / sizeof *list)

static size_t size_of(View V)
{
    return (size_t)((V.rows - 1) * V.row + (V.cols - 1) * V.column + 1);
}

/* A matrix stored column by column: what lies between the columns, if
   anything, is NaN, and not one number stands behind the last. */
static View random_view(int rows, int cols, bool integers)
{
    const int ld = rows == 1 ? 1 : rows + PAD * (cols & 1);
    View V = { NULL, rows, cols, 1, ld };
    V.at = malloc(size_of(V) * sizeof *V.at);
    assert_that(V.at != NULL);
    for (size_t e = 0; e < size_of(V); e++) {
        double x = random_number();
        V.at[e] = (int)(e % (size_t)ld) >= rows ? (real)NAN
                : (real)(integers ? floor(7 * fabs(x)) - 3 : x);
    }
    return V;
}

static View copy_of(View V)
{
    const real *at = V.at;
    V.at = malloc(size_of(V) * sizeof *at);
    assert_that(V.at != NULL);
    memcpy(V.at, at, size_of(V) * sizeof *at);
    return V;
}

/* One product: C += A B, and beside it the three obvious loops. */
typedef struct {
    int m, n, k, transposes;
    View A, B, C;
} Multiplication;

static Multiplication random_product(int m, int n, int k, int transposes,
                                     bool integers)
{
    const bool a = transposes & 1, b = transposes & 2;
    return (Multiplication){ m, n, k, transposes,
        a ? transpose(random_view(k, m, integers)) : random_view(m, k, integers),
        b ? transpose(random_view(n, k, integers)) : random_view(k, n, integers),
        random_view(m, n, integers) };
}

static void forget(Multiplication *p)
{
    free(p->A.at), free(p->B.at), free(p->C.at);
}

static real *entry_of(View V, int i, int j)
{
    return &V.at[i * V.row + j * V.column];
}

static View obvious(const Multiplication *p)
{
    View C = copy_of(p->C);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double total = *entry_of(C, i, j);
            for (int l = 0; l < p->k; l++)
                total += (double)*entry_of(p->A, i, l)
                       * (double)*entry_of(p->B, l, j);
            *entry_of(C, i, j) = (real)total;
        }
    return C;
}

/* kernel NULL: by the one that product chooses. */
static View by(const Kernel *kernel, const Multiplication *p)
{
    View C = copy_of(p->C);
    if (kernel == NULL)
        product(C, p->A, p->B);
    else
        product_by(kernel, C, p->A, p->B);
    return C;
}

/* NaN where NaN is expected, between the columns and where 0 met infinity. */
static void are_equal(const Multiplication *p, const char *by_whom, View C,
                      View expected)
{
    for (size_t e = 0; e < size_of(C); e++)
        if (!is_near(C.at[e], expected.at[e], 0)
            && !(isnan(C.at[e]) && isnan(expected.at[e])))
            fail_at(HERE(by_whom), "%d x %d x %d, transposed %d: entry %zu "
                    "is %.17g, but expected %.17g", p->m, p->n, p->k,
                    p->transposes, e, (double)C.at[e],
                    (double)expected.at[e]);
}

static void agrees_with_the_loops(Multiplication *p)
{
    View expected = obvious(p), C = by(NULL, p);
    are_equal(p, "product", C, expected);
    free(C.at);
    for (int k = 0; k < KERNELS; k++) {
        const Kernel *kernel = product_kernel(names[k]);
        if (kernel == NULL)
            continue;
        C = by(kernel, p);
        are_equal(p, names[k], C, expected);
        free(C.at);
    }
    free(expected.at);
    forget(p);
}

/* Whole numbers are not rounded, so every digit must agree. */
static void multiplied_exactly(int m, int n, int k)
{
    for (int transposes = 0; transposes < 4; transposes++) {
        Multiplication p = random_product(m, n, k, transposes, true);
        agrees_with_the_loops(&p);
    }
}

LAW(whole_numbers_are_multiplied_exactly)
{
    const int ms = MANY(all_m), ns = MANY(all_n), ks = MANY(all_k);
    for (int i = 0; i < amount(ms * ns * ks); i++) {
        const int k = one_of(i, ms * ns * ks);
        multiplied_exactly(all_m[k % ms], all_n[k / ms % ns],
                           all_k[k / ms / ns]);
    }
}

/* Each size from 1 on, so that no tile's edge is left out. */
LAW(every_small_shape_is_multiplied_exactly)
{
    for (int m = 1; m <= 19; m++)
        for (int n = 1; n <= 13; n++)
            multiplied_exactly(m, n, 1 + (m + n) % 6);
}

/* Farther than a page: what is read is packed, or fetched ahead. */
LAW(columns_that_lie_far_apart_are_multiplied_exactly)
{
    static const int shapes[][3] = { { 577, 61, 35 }, { 577, 61, 131 },
                                     { 1030, 25, 70 }, { 530, 300, 150 },
                                     { 2100, 17, 131 } };
    for (int s = 0; s < MANY(shapes); s++)
        multiplied_exactly(shapes[s][0], shapes[s][1], shapes[s][2]);
}

/* An infinity reaches its own row or column and no other entry. */
LAW(infinities_stay_in_their_row_or_column)
{
    for (int m = 5; m <= 37; m += 4)
        for (int transposes = 0; transposes < 4; transposes++) {
            Multiplication p = random_product(m, 7, 9, transposes, true);
            *entry_of(p.A, m - 1, 4) = (real)INFINITY;
            *entry_of(p.B, 2, 3) = (real)-INFINITY;
            *entry_of(p.C, 0, 0) = (real)INFINITY;
            agrees_with_the_loops(&p);
        }
}

LAW(a_column_does_not_depend_on_its_neighbours)
{
    for (int k = -1; k < KERNELS; k++)
        for (int transposes = 0; transposes < 4; transposes++) {
            const Kernel *kernel = k < 0 ? NULL : product_kernel(names[k]);
            Multiplication p = random_product(75, 29, 333, transposes, false);
            View all = by(kernel, &p);
            for (int j = 0; j < p.n; j += 2) {      /* two columns each */
                Multiplication part = p;
                part.n = part.C.cols = part.B.cols = j + 2 <= p.n ? 2 : 1;
                part.B.at = entry_of(p.B, 0, j);
                part.C.at = entry_of(p.C, 0, j);
                View C = by(kernel, &part);
                assert_that(memcmp(C.at, all.at + j * all.column,
                                   (size_t)p.m * sizeof(real)) == 0);
                free(C.at);
            }
            free(all.at);
            forget(&p);
        }
}

/* Whatever lies between the columns. */
static void assert_same_columns(View C, View D)
{
    for (int j = 0; j < C.cols; j++)
        assert_that(memcmp(C.at + j * C.column, D.at + j * D.column,
                           (size_t)C.rows * sizeof(real)) == 0);
}

/* Large enough to be shared, by rows and by columns; and one column. */
LAW(threads_do_not_change_a_byte)
{
    static const int shape[][3] = { { 131, 70, 300 }, { 70, 131, 300 },
                                    { 257, 1, 301 }, { 1, 300, 2000 },
                                    { 60, 65, 200 }, { 64, 1, 768 } };
    for (int i = 0; i < MANY(shape); i++)
        for (int transposes = 0; transposes < 4; transposes++) {
            Multiplication p = random_product(shape[i][0], shape[i][1],
                                              shape[i][2], transposes, false);
            View one = by(NULL, &p);
            for (int threads = 2; threads <= 4; threads++) {
                set_threads(threads);
                View many = by(NULL, &p);
                assert_same_columns(one, many);
                free(many.at);
            }
            set_threads(1);
            free(one.at);
            forget(&p);
        }
}

LAW(the_vectors_length_does_not_change_a_byte)
{
    const Kernel *avx2 = product_kernel("avx2");
    const Kernel *avx512 = product_kernel("avx512");
    if (avx2 == NULL || avx512 == NULL)
        skip();
    for (int t = 0; t < 8; t++) {
        int n = t < 4 ? 29 : 1, transposes = t % 4;
        Multiplication p = random_product(75, n, 333, transposes, false);
        View one = by(avx2, &p), other = by(avx512, &p);
        assert_same_columns(one, other);
        free(one.at), free(other.at);
        forget(&p);
    }
}

/* Every length around the 64 bytes of lanes, by product itself. */
LAW(one_column_is_multiplied_exactly)
{
    for (int k = 1; k <= 35; k++)
        multiplied_exactly(1 + k * 7 % 23, 1, k);
    static const int tall[] = { 4095, 4096, 4097, 8193 };   /* rows at a time */
    for (int i = 0; i < MANY(tall); i++)
        for (int k = 1; k <= 300; k += 299)
            multiplied_exactly(tall[i], 1, k);
}

LAW(a_kernel_is_found_by_its_name)
{
    assert_that(product_kernel(NULL) != NULL);
    assert_that(strcmp(product_kernel("plain")->name, "plain") == 0);
    assert_that(product_kernel("abacus") == NULL);
}
