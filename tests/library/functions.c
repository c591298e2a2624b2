/* The functions that loops apply to every entry, and the sums in lanes. */
#include "law.h"
#include "library/functions.h"
#include <fenv.h>

enum { N = 4096 };

/* A unit in the last place of single precision, at the size of x. */
static double unit(double x)
{
    int exponent;
    frexp((double)(float)x, &exponent);
    return fabs(x) < (double)FLT_MIN ? 0x1p-149 : ldexp(1, exponent - 24);
}

/* The k-th of N numbers that reach from 0 to the largest, or their
   negatives; not finite ones are left out. */
static float spread(int k, bool negative)
{
    uint32_t bits = (uint32_t)(0x7f800000u / N * (unsigned)k)
                  + (unsigned)k % 977;
    float x;
    memcpy(&x, &bits, sizeof x);
    return negative ? -x : x;
}

/* Also close together, where the function is not constant: -120 ... 120. */
static float nearby(int k, bool negative)
{
    float x = 120 * (float)k / N;
    return negative ? -x : x;
}

typedef float Single(float x);

static void within(double units, Single *f, double (*expected)(double))
{
    for (int k = 0; k < 4 * N; k++) {
        float x = (k & 2 ? spread : nearby)(k / 4, k & 1);
        double right = expected(x), y = f(x);
        if ((float)right != f(x)
            && !(fabs(y - right) <= units * unit(right)))
            fail_at(HERE("a function"), "of %a (%g) is %.9g, but expected "
                    "%.17g, %g units away", (double)x, (double)x, y, right,
                    fabs(y - right) / unit(right));
    }
}

static float exp_alone(float x) { return exp_single(x, 0); }
static float Phi_alone(float x) { float phi; return Phi_single(x, &phi); }
static float phi_alone(float x)
{
    float phi;
    (void)Phi_single(x, &phi);
    return phi;
}
static double normal_(double x) { return erfc(-x / sqrt(2)) / 2; }
static double density(double x)
{
    return exp(-x * x / 2) / sqrt(2 * 3.14159265358979323846);
}

LAW(the_exponential_is_within_one_unit_the_normal_distribution_within_eight)
{
    within(1, exp_alone, exp);
    within(8, Phi_alone, normal_);
    within(3, phi_alone, density);
}

/* In double precision. The oracle needs a few digits more: x is divided by
   a root, and what that rounds is magnified x squared times. */
LAW(the_double_normal_distribution_is_within_four_units)
{
    for (int k = 0; k <= 4 * N; k++) {
        double x = 40. * k / N - 120, phi;
        double right = (double)(erfcl(-(long double)x / sqrtl(2)) / 2);
        double y = Phi_double(x, &phi), one = nextafter(right, 2) - right;
        if (right < DBL_MIN ? !(0 <= y && y < DBL_MIN)
            : !(fabs(y - right) <= 4 * one)
              || !(fabs(phi - density(x)) <= 8e-14 * density(x)))
            fail_at(HERE("Phi"), "of %a is %.17g, but expected %.17g, %g "
                    "units away; its density is %.17g, not %.17g", x, y,
                    right, fabs(y - right) / one, phi, density(x));
    }
}

LAW(the_ends_of_the_exponential)
{
    const float inf = (float)INFINITY;
    assert_that(exp_single(0, 0) == 1 && exp_single(-0.0f, 0) == 1);
    assert_that(exp_single(-inf, 0) == 0 && exp_single(inf, 0) == inf);
    assert_that(exp_single(-104, 0) == 0 && exp_single(89, 0) == inf);
    assert_that(exp_single(-FLT_MAX, 0) == 0);
    assert_that(exp_single(FLT_MAX, 0) == inf);
    assert_that(exp_single(-103.5f, 0) == 0x1p-149f);
    assert_that(exp_single(88.7f, 0) < inf);
    assert_that(isnan(exp_single((float)NAN, 0)));
    assert_that(exp_of(-(real)INFINITY) == 0 && exp_of(0) == 1);
    assert_that(isnan(exp_of((real)NAN)));
}

/* A product that is too small for a float takes a processor long. */
LAW(a_masked_score_has_no_product_that_is_too_small)
{
    volatile float score = -(float)INFINITY, weight = 1;
    feclearexcept(FE_ALL_EXCEPT);
    weight = exp_single(score, 0);
    assert_that(!fetestexcept(FE_UNDERFLOW) && weight == 0);
}

LAW(the_ends_of_the_normal_distribution)
{
    const real inf = (real)INFINITY;
    real phi;
    assert_that(Phi(-inf, &phi) == 0 && phi == 0);
    assert_that(Phi(inf, &phi) == 1 && phi == 0);
    assert_near(Phi(0, &phi), .5, 0);
    assert_near(phi, .398942280401432678, IS_DOUBLE ? 1e-16 : 1e-7);
    assert_that(isnan(Phi((real)NAN, &phi)) && isnan(phi));
}

/* In double precision the far tail keeps its digits. */
LAW(the_real_functions_are_as_exact_as_a_real)
{
    real phi, x = (real)-8.5;
    double right = 9.4795348222032499e-18;
    assert_near(Phi(x, &phi) / right, 1, IS_DOUBLE ? 1e-14 : 1e-6);
    assert_near(exp_of((real).5), 1.6487212707001282, IS_DOUBLE ? 1e-15 : 2e-7);
}

/* Whole numbers: no sum is rounded, and every length has its own rest. */
LAW(sums_and_largest_for_every_length)
{
    real a[70], b[70];
    for (int k = 0; k < 70; k++) {
        a[k] = (real)((k * 37 + 11) % 41 - 20);
        b[k] = (real)((k * 17 + 5) % 23 - 11);
    }
    double sum = 0, products = 0, deviations = 0, most = a[0];
    for (int n = 1; n <= 70; n++) {
        double x = a[n - 1], y = b[n - 1];
        sum += x, products += x * y, deviations += (x - 3) * (x - 3);
        most = fmax(most, x);
        assert_near(total(n, a), sum, 0);
        assert_near(inner(n, a, b), products, 0);
        assert_near(inner_about(n, a, a, 3), deviations, 0);
        assert_near(largest(n, a), most, 0);
    }
}

LAW(a_sum_passes_on_what_is_not_a_number)
{
    for (int k = 0; k < 37; k++) {
        real a[37] = {0};
        a[k] = (real)NAN;
        assert_that(isnan(total(37, a)) && isnan(inner(37, a, a)));
        a[k] = -(real)INFINITY;
        assert_that(largest(37, a) == 0 && total(37, a) == a[k]);
    }
}

/* The same loop, compiled for the oldest processor and for this one. */
static void plain_loop(int n, const real *x, real *y, real *phi)
{
    for (int k = 0; k < n; k++)
        y[k] = exp_of(x[k]) + Phi(x[k], &phi[k]);
    y[0] = total(n, x) + inner(n, x, phi) + inner_about(n, x, x, 1);
}

FAST static void fast_loop(int n, const real *x, real *y, real *phi)
{
    for (int k = 0; k < n; k++)
        y[k] = exp_of(x[k]) + Phi(x[k], &phi[k]);
    y[0] = total(n, x) + inner(n, x, phi) + inner_about(n, x, x, 1);
}

LAW(every_processor_gives_the_same_bytes)
{
    static real x[N], y[2][N], phi[2][N];
    for (int k = 0; k < N; k++)
        x[k] = (real)nearby(k, k % 3 == 0) / 9;
    plain_loop(N - 5, x, y[0], phi[0]);
    fast_loop(N - 5, x, y[1], phi[1]);
    assert_that(memcmp(y[0], y[1], sizeof y[0]) == 0);
    assert_that(memcmp(phi[0], phi[1], sizeof phi[0]) == 0);
}
