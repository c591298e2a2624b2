/* From a gradient to the next theta: schedules and methods. */
#include "library/functions.h"
#include "library/threads.h"
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

/* Some numbers of a parameter, and what the update of them needs. */
typedef struct {
    const Trainer *trainer;
    size_t n;
    real *theta, *g, *m, *v;        /* m: NULL for a method without it */
    real factor;                    /* of the gradient */
    real eta, beta_1, epsilon;      /* eta: Adam's over 1 - beta_1^t */
    real keep, share;               /* of the old v, and of g^2 */
    real correct_2;                 /* 1 / (1 - beta_2^t) of Adam; else 1 */
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
    for (size_t k = 0; k < u.n; k++) {
        const real step = m == NULL ? g[k]
                        : u.beta_1 * m[k] + (1 - u.beta_1) * g[k];
        if (m != NULL)
            m[k] = step;
        v[k] = u.keep * v[k] + u.share * g[k] * g[k];
        theta[k] -= u.eta * step / ((real)sqrt(u.correct_2 * v[k])
                                    + u.epsilon);
    }
}

FAST static double gradient_norm(const Theta *theta)
{
    double sum_of_squares = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        const real *g = M->grad;
        for (size_t e = 0; e < entries(M); e += (size_t)M->rows)
            sum_of_squares += (double)inner(M->rows, g + e, g + e);
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

FAST static void prepare_gradient(Update u, real decay, real shrink)
{
    for (size_t k = 0; k < u.n; k++) {
        u.theta[k] *= shrink;
        u.g[k] = u.factor * u.g[k] + decay * u.theta[k];
    }
}

/* Returns what is the same for every parameter. */
static Update update_of(const Trainer *trainer, real factor)
{
    const Training *how = &trainer->how;
    const double t = (double)trainer->updates;
    const bool all = how->method == ADAGRAD, adam = how->method >= ADAM;
    const real keep = all ? 1 : (real)how->beta_2;
    const real correct_1 = adam ? (real)(1 / (1 - pow(how->beta_1, t))) : 1;
    return (Update){
        .trainer = trainer, .factor = factor,
        .eta = (real)trainer->now.eta * correct_1,
        .epsilon = (real)how->epsilon, .beta_1 = (real)how->beta_1,
        .keep = keep, .share = all ? 1 : 1 - keep,
        .correct_2 = adam ? (real)(1 / (1 - pow(how->beta_2, t))) : 1
    };
}

/* Changes parameter k + 1, and clears its gradient. */
static void update_parameter(void *to, int k)
{
    enum { BLOCK = 4096 };      /* entries that are changed at a time */
    Update u = *(const Update *)to;
    const Trainer *trainer = u.trainer;
    const Parameter *p = &trainer->theta->parameter[k + 1];
    const bool apart = trainer->how.method == ADAMW;
    const double decay = p->symbol[0] == 'W' ? trainer->how.decay : 0;
    const size_t n = entries(*p->place);
    for (size_t first = 0; first < n; first += BLOCK) {
        u.n = n - first < BLOCK ? n - first : BLOCK;
        u.theta = (*p->place)->at + first;
        u.g = (*p->place)->grad + first;
        u.m = trainer->m == NULL ? NULL : trainer->m[k + 1]->at + first;
        u.v = trainer->v == NULL ? NULL : trainer->v[k + 1]->at + first;
        if (u.factor != 1 || decay != 0)
            prepare_gradient(u, apart ? 0 : (real)decay, apart
                             ? (real)(1 - trainer->now.eta * decay) : 1);
        (u.v == NULL ? move : move_by_root)(u);
        memset(u.g, 0, u.n * sizeof *u.g);
    }
}

void trainer_update(Trainer *trainer)
{
    const Theta *theta = trainer->theta;
    const Progress *now = &trainer->now;
    const bool counts = now->tokens > 0 && isfinite(now->loss);
    const double factor = counts ? gradient_factor(trainer) : 0;
    trainer->diverged |= !isfinite(factor);
    if (!counts || !isfinite(factor)) {
        theta_clear_gradient(theta);
        return;
    }
    trainer->updates++;
    Update update = update_of(trainer, (real)factor);
    parallel_for(theta->n, update_parameter, &update);
}
