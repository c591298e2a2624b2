/* What the tests of inference share: models whose probabilities are given,
   and an observer that writes down what is drawn. */
#ifndef INFERENCE_H
#define INFERENCE_H
#include "models.h"

/* A model in which the next token depends on the last one alone. Row v of
   next, column u: the probability of v after u, times any number that is
   the same for all v. Without layers, X is W_e[:, x]; the norm of
   Algorithm 10 is undone by gamma. For 0 stands a logit of -5000, since
   -infinity times 0 is no number. */
static inline double logit(double p)
{
    return p > 0 ? log(p) : -5000;
}

static inline Theta *chain(Architecture architecture, int N_V, int ell_max,
                           const double *next)
{
    Theta *theta = theta_new(arena, &(Hyperparameters){
        .architecture = architecture, .N_V = N_V, .ell_max = ell_max,
        .H = 1, .d_e = N_V, .d_mlp = 1, .rms = true,
        .positions = NO_POSITIONS });
    theta_allocate(theta, arena, NULL);
    for (int u = 1; u <= N_V; u++) {
        AT(theta->W_e, u, u) = 1;
        if (theta->gamma != NULL)
            AT(theta->gamma, u, 1) = (real)(1 / sqrt(N_V));
        for (int v = 1; v <= N_V; v++)
            AT(theta->W_u, v, u) = (real)logit(next[(v - 1) * N_V + u - 1]);
    }
    return ready(theta);
}

/* What Algorithms 14 and 15 were seen to do. */
enum { LONGEST = 64, LARGEST = 16 };
typedef struct {
    int rounds;                     /* forward passes */
    int encoded;                    /* how often z was */
    int widest;                     /* columns of P, the most */
    long long computed;             /* columns of X in all layers together */
    double p[LONGEST][LARGEST];     /* line 4 or 5 of each round */
    double q[LONGEST][LARGEST];
} Watch;

static inline Mat watch(void *to, const char *line, const char *name,
                        Mat M, int index)
{
    Watch *seen = to;
    (void)index;
    bool ours = strncmp(line, "14", 2) == 0 || strncmp(line, "15", 2) == 0;
    seen->encoded += strcmp(line, "8.3") == 0 && strcmp(name, "Z") == 0;
    if (M != NULL && strcmp(name, "X") == 0)
        seen->computed += M->cols;
    if (M == NULL || !ours)
        return M;
    assert_that(seen->rounds <= LONGEST && M->rows <= LARGEST);
    if (strcmp(name, "P") == 0) {
        seen->rounds++;
        seen->widest = M->cols > seen->widest ? M->cols : seen->widest;
        return M;
    }
    double *to_list = strcmp(name, "p") == 0 ? seen->p[seen->rounds - 1]
                                             : seen->q[seen->rounds - 1];
    for (int v = 1; v <= M->rows; v++)
        to_list[v - 1] = AT(M, v, 1);
    return M;
}

/* Two runs had the same probabilities in every round. */
static inline void same_probabilities(Where where, const Watch *a,
                                      const Watch *b, double tolerance)
{
    if (a->rounds != b->rounds)
        fail_at(where, "%d rounds and %d", a->rounds, b->rounds);
    for (int i = 0; i < a->rounds; i++)
        for (int v = 0; v < LARGEST; v++) {
            near_at(where, a->p[i][v], b->p[i][v], tolerance);
            near_at(where, a->q[i][v], b->q[i][v], tolerance);
        }
}
#define assert_same_probabilities(a, b, tolerance) \
    same_probabilities(HERE(#a " and " #b), a, b, tolerance)

/* Drawn by hand: how far u reaches into the probabilities. */
static inline int by_hand(const double *q, int n, double u)
{
    int v = 0;
    for (double total = q[0]; v < n - 1 && u >= total; total += q[v])
        v++;
    return v + 1;
}

/* Random numbers from a list, which begins anew. */
static const double u_list[] = { .11, .93, .42, .77, .05, .58, .999, .31,
                                 .66, .24, .88, .49 };

static inline Random listed_numbers(void)
{
    static NumberList list;
    list = (NumberList){ sizeof u_list / sizeof *u_list, u_list, 0 };
    return random_in(&list);
}

/* Someone who listens, and may have heard enough. */
typedef struct { int n, enough, y[LONGEST]; } Listener;
static inline bool listen(void *to, int y)
{
    Listener *listener = to;
    assert_that(listener->n < LONGEST);
    listener->y[listener->n++] = y;
    return listener->n != listener->enough;
}
#endif
