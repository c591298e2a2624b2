/* From a gradient to the next theta: schedules and methods. */
#include "library/functions.h"
#include "practice/practice.h"

static const double PI = 3.14159265358979323846;

double learning_rate(const Training *how, long long s, long long s_last,
                     int d_e)
{
    double w = how->warm_up, step = (double)s, last = (double)s_last;
    if (how->schedule == VASWANI)
        return how->eta / sqrt(d_e)
             * fmin(1 / sqrt(step), step / (w * sqrt(w)));
    if (step < w)
        return how->eta * step / w;
    if (how->schedule == CONSTANT || last <= w)
        return how->eta;
    double share = (1 + cos(PI * (step - w) / (last - w))) / 2;
    return how->eta_last + (how->eta - how->eta_last) * share;
}

/* The numbers of one parameter, and what the update of it needs. */
typedef struct {
    size_t n;
    real *theta, *g, *m, *v;
    real eta, beta_1, epsilon;
    real keep, share;               /* of the old v, and of g^2 */
    real correct_1, correct_2;      /* 1 / (1 - beta^t) */
} Update;

FAST static void sgd(Update u)
{
    real *restrict theta = u.theta;
    const real *restrict g = u.g;
    for (size_t k = 0; k < u.n; k++)
        theta[k] -= u.eta * g[k];
}

FAST static void momentum(Update u)
{
    real *restrict theta = u.theta, *restrict m = u.m;
    const real *restrict g = u.g;
    for (size_t k = 0; k < u.n; k++) {
        m[k] = u.beta_1 * m[k] + g[k];
        theta[k] -= u.eta * m[k];
    }
}

WITHIN real root(real x)
{
    return sizeof x == sizeof(float) ? (real)sqrtf((float)x)
                                     : (real)sqrt(x);
}

/* RMSprop, which forgets old squares, and AdaGrad, which does not. */
FAST static void divide_by_root(Update u)
{
    real *restrict theta = u.theta, *restrict v = u.v;
    const real *restrict g = u.g;
    for (size_t k = 0; k < u.n; k++) {
        v[k] = u.keep * v[k] + u.share * g[k] * g[k];
        theta[k] -= u.eta * g[k] / (root(v[k]) + u.epsilon);
    }
}

FAST static void adam(Update u)
{
    real *restrict theta = u.theta, *restrict m = u.m, *restrict v = u.v;
    const real *restrict g = u.g;
    real eta = u.eta * u.correct_1;
    for (size_t k = 0; k < u.n; k++) {
        m[k] = u.beta_1 * m[k] + (1 - u.beta_1) * g[k];
        v[k] = u.keep * v[k] + u.share * g[k] * g[k];
        theta[k] -= eta * m[k] / (root(u.correct_2 * v[k]) + u.epsilon);
    }
}

FAST static double gradient_norm(const Theta *theta)
{
    double sum_of_squares = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries(M); e += (size_t)M->rows)
            sum_of_squares += (double)squares(M->rows, M->grad + e, 0);
    }
    return sqrt(sum_of_squares);
}

/* What the gradient is multiplied by; NaN for an infinite gradient. */
static double gradient_factor(const Trainer *trainer)
{
    const Training *how = &trainer->how;
    double factor = how->mean ? 1 / (double)trainer->now.tokens : 1;
    if (how->clip == 0)
        return factor;
    double norm = factor * gradient_norm(trainer->theta);
    if (!isfinite(norm))
        return NAN;
    return norm > how->clip ? factor * how->clip / norm : factor;
}

FAST static void prepare_gradient(const Training *how, const Parameter *p,
                                  double factor, double eta)
{
    Mat M = *p->place;
    bool decays = how->decay > 0 && p->symbol[0] == 'W';
    if (factor != 1)
        for (size_t e = 0; e < entries(M); e++)
            M->grad[e] *= (real)factor;
    if (decays && how->method == ADAMW)
        for (size_t e = 0; e < entries(M); e++)
            M->at[e] *= (real)(1 - eta * how->decay);
    else if (decays)
        for (size_t e = 0; e < entries(M); e++)
            M->grad[e] += (real)how->decay * M->at[e];
}

static Update update_of(const Trainer *trainer, int k)
{
    const Training *how = &trainer->how;
    const double t = (double)trainer->updates;
    const bool all = how->method == ADAGRAD;
    const real keep = all ? 1 : (real)how->beta_2;
    Mat M = *trainer->theta->parameter[k].place;
    return (Update){
        .n = entries(M), .theta = M->at, .g = M->grad,
        .m = trainer->m == NULL ? NULL : trainer->m[k]->at,
        .v = trainer->v == NULL ? NULL : trainer->v[k]->at,
        .eta = (real)trainer->now.eta, .epsilon = (real)how->epsilon,
        .beta_1 = (real)how->beta_1,
        .keep = keep, .share = all ? 1 : 1 - keep,
        .correct_1 = (real)(1 / (1 - pow(how->beta_1, t))),
        .correct_2 = (real)(1 / (1 - pow(how->beta_2, t)))
    };
}

void trainer_update(Trainer *trainer)
{
    static void (*const method[])(Update u) = {
        sgd, momentum, divide_by_root, divide_by_root, adam, adam
    };
    const Training *how = &trainer->how;
    const Theta *theta = trainer->theta;
    const Progress *now = &trainer->now;
    if (now->tokens == 0 || !isfinite(now->loss))
        return;
    double factor = gradient_factor(trainer);
    if (!isfinite(factor)) {
        trainer->diverged = true;
        return;
    }
    trainer->updates++;
    for (int k = 1; k <= theta->n; k++) {
        prepare_gradient(how, &theta->parameter[k], factor, now->eta);
        method[how->method](update_of(trainer, k));
    }
}
