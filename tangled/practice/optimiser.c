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
    real *theta, *g, *m, *v;        /* m: NULL for a method without it */
    real eta, beta_1, epsilon;
    real keep, share;               /* of the old v, and of g^2 */
    real correct_1, correct_2;      /* 1 / (1 - beta^t) of Adam; else 1 */
} Update;

FAST static void move(Update u)
{
    real *restrict theta = u.theta, *restrict m = u.m;
    const real *restrict g = u.g;
    for (size_t k = 0; k < u.n; k++) {
        const real step = m == NULL ? g[k] : u.beta_1 * m[k] + g[k];
        if (m != NULL)
            m[k] = step;
        theta[k] -= u.eta * step;
    }
}

FAST static void move_by_root(Update u)
{
    real *restrict theta = u.theta, *restrict m = u.m, *restrict v = u.v;
    const real *restrict g = u.g;
    const real eta = u.eta * u.correct_1;
    for (size_t k = 0; k < u.n; k++) {
        const real step = m == NULL ? g[k]
                        : u.beta_1 * m[k] + (1 - u.beta_1) * g[k];
        if (m != NULL)
            m[k] = step;
        v[k] = u.keep * v[k] + u.share * g[k] * g[k];
        theta[k] -= eta * step / ((real)sqrt(u.correct_2 * v[k])
                                  + u.epsilon);
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

/* Returns what is the same for every parameter. */
static Update update_of(const Trainer *trainer)
{
    const Training *how = &trainer->how;
    const double t = (double)trainer->updates;
    const bool all = how->method == ADAGRAD, adam = how->method >= ADAM;
    const real keep = all ? 1 : (real)how->beta_2;
    return (Update){
        .eta = (real)trainer->now.eta, .epsilon = (real)how->epsilon,
        .beta_1 = (real)how->beta_1,
        .keep = keep, .share = all ? 1 : 1 - keep,
        .correct_1 = adam ? (real)(1 / (1 - pow(how->beta_1, t))) : 1,
        .correct_2 = adam ? (real)(1 / (1 - pow(how->beta_2, t))) : 1
    };
}

void trainer_update(Trainer *trainer)
{
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
    Update u = update_of(trainer);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        prepare_gradient(how, &theta->parameter[k], factor, now->eta);
        u.n = entries(M), u.theta = M->at, u.g = M->grad;
        u.m = trainer->m == NULL ? NULL : trainer->m[k]->at;
        u.v = trainer->v == NULL ? NULL : trainer->v[k]->at;
        (how->method <= MOMENTUM ? move : move_by_root)(u);
    }
}
