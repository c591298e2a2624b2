/* How fast is the product? GFLOP/s, beside OpenBLAS if that is installed, and
   the share of the limit: what this core does when it multiplies and adds and
   nothing else. All take turns, so that they meet the same noise; printed is
   the median of RUNS runs of each.

       bench_product threads

   Compiled with -DNO_AVX512 it keeps to AVX2, and OpenBLAS does so, too. */
#include "bench.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 11, SHAPES = 13 };
static const int shape[SHAPES][3] = {           /* m, k, n */
    { 16, 16, 8 }, { 16, 64, 64 }, { 64, 16, 64 }, { 768, 768, 1 },
    { 64, 64, 64 }, { 128, 128, 128 }, { 256, 256, 256 },
    { 512, 512, 512 }, { 1024, 1024, 1024 },
    { 768, 768, 64 }, { 3072, 768, 64 }, { 768, 3072, 64 }, { 768, 64, 768 }
};

/* cblas_sgemm or cblas_dgemm; 102 is column-major, 111 is not transposed */
typedef void Gemm(int order, int transpose_A, int transpose_B,
                  int m, int n, int k, real alpha, const real *A, int lda,
                  const real *B, int ldb, real beta, real *C, int ldc);

static Gemm *openblas(const char *threads, const char **core)
{
    void *library = NULL;
    const char *names[] = { "libopenblas.so.0", "libopenblas.so",
                            "libopenblas.dylib" };
    Gemm *gemm = NULL;
    char *(*corename)(void) = NULL;

    setenv("OPENBLAS_NUM_THREADS", threads, 1);
#ifdef NO_AVX512
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
    for (int i = 0; i < 3 && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (library == NULL)
        return NULL;
    *(void **)&gemm = dlsym(library, sizeof(real) == sizeof(float)
                                     ? "cblas_sgemm" : "cblas_dgemm");
    *(void **)&corename = dlsym(library, "openblas_get_corename");
    *core = corename ? corename() : "?";
    return gemm;
}

/* At the beginning of a cache line, as an arena gives it. */
static real *random_matrix(int rows, int cols)
{
    const size_t n = (size_t)rows * (size_t)cols;
    real *M = aligned_alloc(64, (n * sizeof *M + 63) / 64 * 64);
    if (M == NULL)
        exit(1);
    for (size_t i = 0; i < n; i++)
        M[i] = (real)(rand() % 2001 - 1000) / 1000;
    return M;
}

static void measure(Gemm *gemm, int m, int k, int n)
{
    const double gflop = 2e-9 * m * n * k;
    const int times = 1 + (int)(0.5 / gflop);
    real *A = random_matrix(m, k), *B = random_matrix(k, n);
    real *C = random_matrix(m, n);
    const View VA[] = { { A, m, k, 1, m }, { A, m, k, k, 1 } };
    const View VB[] = { { B, k, n, 1, k }, { B, k, n, n, 1 } };
    double ours[3][RUNS], theirs[RUNS], most[RUNS];

    for (int run = 0; run < RUNS; run++) {
        for (int t = 0; t < 3; t++) {   /* A B, A^T B, A B^T */
            const double start = seconds();
            for (int i = 0; i < times; i++)
                product((View){ C, m, n, 1, m }, VA[t == 1], VB[t == 2]);
            ours[t][run] = times * gflop / (seconds() - start);
        }
        const double start = seconds();
        for (int i = 0; i < times && gemm != NULL; i++)
            gemm(102, 111, 111, m, n, k, 1, A, m, B, k, 1, C, m);
        theirs[run] = times * gflop / (seconds() - start);
        most[run] = peak_gflops();
    }
    const double mine = median(RUNS, ours[0]), other = median(RUNS, theirs);
    printf("%5d %5d %5d %8.1f", m, k, n, mine);
    if (gemm != NULL)
        printf(" %9.1f %6.2f", other, mine / other);
    else
        printf(" %9s %6s", "-", "-");
    printf(" %8.1f %8.1f %8.1f %6.2f\n", median(RUNS, ours[1]),
           median(RUNS, ours[2]), median(RUNS, most),
           mine / median(RUNS, most));
    free(A);
    free(B);
    free(C);
}

int main(int argc, char *argv[])
{
    const char *core = "not installed", *threads = argc > 1 ? argv[1] : "1";
    Gemm *gemm = openblas(threads, &core);
    set_threads(atoi(threads));
    printf("%s precision, threads: %s, GFLOP/s; kernel: %s; OpenBLAS: %s\n",
           sizeof(real) == sizeof(float) ? "single" : "double", threads,
           product_kernel(NULL)->name, core);
    printf("    m     k     n      A B  OpenBLAS  ratio    A^T B    A B^T"
           "    limit  share\n");
    for (int i = 0; i < SHAPES; i++)
        measure(gemm, shape[i][0], shape[i][1], shape[i][2]);
    set_threads(1);
    return 0;
}
