/* What does the tape cost? Steps in a second of Algorithm 13 at d_e 16, one
   sequence a step, plain SGD, by ftx and by a loop that is written by hand for
   this one model: forward, back and update, with sizes that the compiler knows
   and no tape, no operations and no memory to be asked for. The two take turns
   and must agree on the loss. Its products are tiles in registers, as an
   expert would write them; three plain loops run at a third of their speed.
   Of the scores it computes only those that the mask leaves, 36 of 64.
   Printed are medians of the processor's time.

       bench_hand seconds */
#include "functions.h"
#include "practice.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EIGHT = 8, D = 16, H = 2, A = D / H, M = 64, ELL = 8, N = 100,
       SEQUENCES = 16, RUNS = 11, CHECKED = 17 };
static const real epsilon = (real)1e-5;

/* A matrix has a column in each row of C. */
typedef struct {
    real W_e[N][D], W_p[ELL][D];
    struct { real W_q[D][A], b_q[A], W_k[D][A], b_k[A],
                  W_v[D][A], b_v[A]; } head[H];
    real W_o[D][D], b_o[D];
    real gamma_1[D], beta_1[D], gamma_2[D], beta_2[D];
    real W_mlp1[D][M], b_mlp1[M], W_mlp2[M][D], b_mlp2[D];
    real gamma[D], beta[D], W_u[D][N];
} Model;

/* What the way back needs of layer_norm, and of a head. */
typedef struct { real Y[ELL][D], sigma[ELL], X[ELL][D]; } Norm;
typedef struct { real Q[ELL][A], K[ELL][A], V[ELL][A], P[ELL][ELL]; } Head;

/* to += a x, for each column c of to, x[k * x_step + c * x_next]: the sums of
   eight rows and four columns at a time stay in registers. */
WITHIN void add_product_of(int rows, int columns, int n, const real *a,
                           const real *x, int x_step, int x_next, real *to)
{
    for (int c = 0; c < columns; c += 4, x += 4 * x_next, to += 4 * rows) {
        int i = 0;
        for (; i + EIGHT <= rows; i += EIGHT) {
            real s0[EIGHT] = {0}, s1[EIGHT] = {0}, s2[EIGHT] = {0},
                 s3[EIGHT] = {0};
            for (int k = 0; k < n; k++) {
                const real *b = x + k * x_step;
                ONE_VECTOR for (int l = 0; l < EIGHT; l++) {
                    s0[l] += a[k * rows + i + l] * b[0];
                    s1[l] += a[k * rows + i + l] * b[x_next];
                    s2[l] += a[k * rows + i + l] * b[2 * x_next];
                    s3[l] += a[k * rows + i + l] * b[3 * x_next];
                }
            }
            ONE_VECTOR for (int l = 0; l < EIGHT; l++) {
                to[i + l] += s0[l];
                to[rows + i + l] += s1[l];
                to[2 * rows + i + l] += s2[l];
                to[3 * rows + i + l] += s3[l];
            }
        }
        for (; i < rows; i++)
            for (int k = 0; k < n; k++)
                for (int q = 0; q < 4; q++)
                    to[q * rows + i] += a[k * rows + i]
                                      * x[k * x_step + q * x_next];
    }
}

/* y = W x + b, for every column */
WITHIN void affine_of(int rows, int cols, const real *W, const real *b,
                      const real *x, real *y)
{
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < rows; i++)
            y[t * rows + i] = b == NULL ? 0 : b[i];
    add_product_of(rows, ELL, cols, W, x, 1, cols, y);
}

/* dW += dy x^T, db += dy 1, dx += W^T dy */
WITHIN void affine_back(int rows, int cols, const real *W, const real *x,
                        const real *dy, real *dW, real *db, real *dx,
                        real *turned)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            turned[i * cols + j] = W[j * rows + i];
    add_product_of(rows, cols, ELL, dy, x, cols, 1, dW);
    add_product_of(cols, ELL, rows, turned, dy, 1, rows, dx);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < rows && db != NULL; i++)
            db[i] += dy[t * rows + i];
}

WITHIN void norm_of(Norm *n, real X[ELL][D], const real *gamma,
                    const real *beta)
{
    for (int t = 0; t < ELL; t++) {
        const real m = total(D, X[t]) / D;
        n->sigma[t] = (real)sqrt(squares(D, X[t], m) / D + epsilon);
        for (int i = 0; i < D; i++) {
            n->Y[t][i] = (X[t][i] - m) / n->sigma[t];
            n->X[t][i] = n->Y[t][i] * gamma[i] + beta[i];
        }
    }
}

WITHIN void norm_back(const Norm *n, const real *gamma, real dY[ELL][D],
                      real *dgamma, real *dbeta, real dX[ELL][D])
{
    for (int t = 0; t < ELL; t++) {
        real dy[D];
        for (int i = 0; i < D; i++) {
            dgamma[i] += n->Y[t][i] * dY[t][i];
            dbeta[i] += dY[t][i];
            dy[i] = dY[t][i] * gamma[i];
        }
        const real mean = total(D, dy) / D;
        const real along = inner(D, dy, n->Y[t]) / D;
        for (int i = 0; i < D; i++)
            dX[t][i] += (dy[i] - mean - n->Y[t][i] * along) / n->sigma[t];
    }
}

WITHIN real softmax_of(int n, const real *a, real *p)
{
    const real most = largest(n, a);
    for (int i = 0; i < n; i++)
        p[i] = exp_of(a[i] - most);
    const real sum = total(n, p);
    for (int i = 0; i < n; i++)
        p[i] /= sum;
    return most + (real)log(sum);
}

WITHIN void head_of(Head *h, real Y[ELL][D], int row)
{
    const real scale_of = (real)(1 / sqrt(A));
    for (int t = 0; t < ELL; t++) {
        real s[ELL];
        for (int z = 0; z <= t; z++)
            s[z] = scale_of * inner(A, h->K[z], h->Q[t]);
        softmax_of(t + 1, s, h->P[t]);
        for (int i = 0; i < A; i++)
            Y[t][row + i] = 0;
        for (int z = 0; z <= t; z++)
            for (int i = 0; i < A; i++)
                Y[t][row + i] += h->P[t][z] * h->V[z][i];
    }
}

WITHIN void head_back(const Head *h, real dY[ELL][D], int row, Head *d)
{
    const real scale_of = (real)(1 / sqrt(A));
    for (int t = 0; t < ELL; t++) {
        const real *dy = dY[t] + row;
        real dp[ELL];
        for (int z = 0; z <= t; z++) {
            dp[z] = inner(A, h->V[z], dy);
            for (int i = 0; i < A; i++)
                d->V[z][i] += h->P[t][z] * dy[i];
        }
        const real p_dp = inner(t + 1, h->P[t], dp);
        for (int z = 0; z <= t; z++) {
            const real ds = h->P[t][z] * (dp[z] - p_dp) * scale_of;
            for (int i = 0; i < A; i++) {
                d->Q[t][i] += ds * h->K[z][i];
                d->K[z][i] += ds * h->Q[t][i];
            }
        }
    }
}

/* A step: theta -= eta times the gradient of the loss, which is returned. */
FAST static double step_by_hand(Model *w, Model *d, const int *x, real eta)
{
    static real X[ELL][D], Z[ELL][D], Y[ELL][D], U[ELL][M], G[ELL][M],
                slope[ELL][M], logits[ELL][N], p[ELL][N], turned[D * N],
                dX[ELL][D], dY[ELL][D], dZ[ELL][D], dU[ELL][M];
    static Norm n_1, n_2, n;
    static Head head[H], d_head[H];
    double loss = 0;

    memset(d, 0, sizeof *d);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < D; i++)
            X[t][i] = w->W_e[x[t] - 1][i] + w->W_p[t][i];
    norm_of(&n_1, X, w->gamma_1, w->beta_1);
    for (int h = 0; h < H; h++) {
        affine_of(A, D, *w->head[h].W_q, w->head[h].b_q, *n_1.X,
                  *head[h].Q);
        affine_of(A, D, *w->head[h].W_k, w->head[h].b_k, *n_1.X,
                  *head[h].K);
        affine_of(A, D, *w->head[h].W_v, w->head[h].b_v, *n_1.X,
                  *head[h].V);
        head_of(&head[h], Y, h * A);
    }
    affine_of(D, D, *w->W_o, w->b_o, *Y, *Z);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < D; i++)
            X[t][i] += Z[t][i];
    norm_of(&n_2, X, w->gamma_2, w->beta_2);
    affine_of(M, D, *w->W_mlp1, w->b_mlp1, *n_2.X, *U);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < M; i++) {
            real phi, P = Phi(U[t][i], &phi);
            G[t][i] = U[t][i] * P;
            slope[t][i] = P + U[t][i] * phi;
        }
    affine_of(D, M, *w->W_mlp2, w->b_mlp2, *G, *Z);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < D; i++)
            X[t][i] += Z[t][i];
    norm_of(&n, X, w->gamma, w->beta);
    affine_of(N, D, *w->W_u, NULL, *n.X, *logits);

    for (int t = 0; t < ELL; t++) {
        const real all = softmax_of(N, logits[t], p[t]);
        if (t + 1 < ELL) {
            loss += (double)(all - logits[t][x[t + 1] - 1]);
            p[t][x[t + 1] - 1] -= 1;
        } else
            memset(p[t], 0, sizeof p[t]);
    }

    memset(dY, 0, sizeof dY);
    memset(dX, 0, sizeof dX);
    affine_back(N, D, *w->W_u, *n.X, *p, *d->W_u, NULL, *dY, turned);
    norm_back(&n, w->gamma, dY, d->gamma, d->beta, dX);
    memset(dU, 0, sizeof dU);
    affine_back(D, M, *w->W_mlp2, *G, *dX, *d->W_mlp2, d->b_mlp2, *dU,
                turned);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < M; i++)
            dU[t][i] *= slope[t][i];
    memset(dY, 0, sizeof dY);
    affine_back(M, D, *w->W_mlp1, *n_2.X, *dU, *d->W_mlp1, d->b_mlp1, *dY,
                turned);
    norm_back(&n_2, w->gamma_2, dY, d->gamma_2, d->beta_2, dX);
    memset(dY, 0, sizeof dY);
    memset(dZ, 0, sizeof dZ);
    memset(d_head, 0, sizeof d_head);
    affine_back(D, D, *w->W_o, *Y, *dX, *d->W_o, d->b_o, *dY, turned);
    for (int h = 0; h < H; h++) {
        head_back(&head[h], dY, h * A, &d_head[h]);
        affine_back(A, D, *w->head[h].W_q, *n_1.X, *d_head[h].Q,
                    *d->head[h].W_q, d->head[h].b_q, *dZ, turned);
        affine_back(A, D, *w->head[h].W_k, *n_1.X, *d_head[h].K,
                    *d->head[h].W_k, d->head[h].b_k, *dZ, turned);
        affine_back(A, D, *w->head[h].W_v, *n_1.X, *d_head[h].V,
                    *d->head[h].W_v, d->head[h].b_v, *dZ, turned);
    }
    norm_back(&n_1, w->gamma_1, dZ, d->gamma_1, d->beta_1, dX);
    for (int t = 0; t < ELL; t++)
        for (int i = 0; i < D; i++) {
            d->W_e[x[t] - 1][i] += dX[t][i];
            d->W_p[t][i] += dX[t][i];
        }

    real *theta = (real *)w;
    const real *gradient = (const real *)d;
    for (size_t k = 0; k < sizeof *w / sizeof *theta; k++)
        theta[k] -= eta * gradient[k];
    return loss;
}

static void copied(void *to, size_t bytes, Mat from)
{
    if (entries(from) * sizeof(real) != bytes) {
        fprintf(stderr, "bench_hand: the models are not of one shape.\n");
        exit(1);
    }
    memcpy(to, from->at, bytes);
}
#define COPIED(name) copied(to->name, sizeof to->name, from->name)

static Model copy_of(const Theta *theta)
{
    Model w;
    { Model *to = &w; const Theta *from = theta;
      COPIED(W_e); COPIED(W_p); COPIED(gamma); COPIED(beta); COPIED(W_u); }
    { Model *to = &w; const Layer *from = &theta->layer[1];
      COPIED(gamma_1); COPIED(beta_1); COPIED(gamma_2); COPIED(beta_2);
      COPIED(W_mlp1); COPIED(b_mlp1); COPIED(W_mlp2); COPIED(b_mlp2);
      copied(w.W_o, sizeof w.W_o, from->W.W_o);
      copied(w.b_o, sizeof w.b_o, from->W.b_o); }
    for (int h = 0; h < H; h++) {
        const W_qkv *from = &theta->layer[1].W.head[h + 1];
        copied(w.head[h].W_q, sizeof w.head[h].W_q, from->W_q);
        copied(w.head[h].b_q, sizeof w.head[h].b_q, from->b_q);
        copied(w.head[h].W_k, sizeof w.head[h].W_k, from->W_k);
        copied(w.head[h].b_k, sizeof w.head[h].b_k, from->b_k);
        copied(w.head[h].W_v, sizeof w.head[h].W_v, from->W_v);
        copied(w.head[h].b_v, sizeof w.head[h].b_v, from->b_v);
    }
    return w;
}

typedef struct {
    double seconds, start, rate, loss;
    long long first, last;      /* steps; last: 0 for no end */
} Turn;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Has the turn ended with this step? */
static bool goes_on(Turn *turn, long long step, double loss)
{
    turn->loss = loss;
    if (turn->last > 0)
        return step < turn->last;
    const double passed = now() - turn->start;
    turn->rate = (double)(step - turn->first) / passed;
    return passed < turn->seconds;
}

static bool follow(void *to, const Progress *step)
{
    return goes_on(to, step->step, step->loss);
}

static void turn_of_ftx(Trainer *trainer, const Data *data, Turn *turn)
{
    trainer->follow = follow;
    trainer->to = turn;
    turn->first = trainer->step;
    turn->start = now();
    trainer_run(trainer, loss_13, data);
}

static void turn_by_hand(Model *w, const Tokens *x, real eta, Turn *turn)
{
    static Model gradient;
    long long step = turn->first = 0;
    double loss;
    turn->start = now();
    do {
        loss = step_by_hand(w, &gradient, x[1 + step % SEQUENCES].id, eta);
        step++;
    } while (goes_on(turn, step, loss));
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char *argv[])
{
    const Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .d_e = D, .L = 1, .H = H,
        .d_mlp = M, .ell_max = ELL, .N_V = N, .epsilon = 1e-5
    };
    const Training how = { .N_epochs = 1000000000, .eta = 1e-2 };
    Arena *arena = arena_new();
    Random random = random_new(1);
    Theta *theta = theta_new(arena, &hyper);
    theta_allocate(theta, arena);
    theta_initialise(theta, XAVIER, &random);
    Tokens x[SEQUENCES + 1];
    for (int n = 1; n <= SEQUENCES; n++) {
        int *id = arena_alloc(arena, ELL * sizeof *id);
        for (int t = 0; t < ELL; t++)
            id[t] = 1 + below(&random, N);
        x[n] = (Tokens){ ELL, id };
    }
    const Data data = { .N_data = SEQUENCES, .x = x };
    Model w = copy_of(theta);
    Trainer *trainer = trainer_new(arena, theta, &how);
    Turn ours = { .last = CHECKED }, hand = ours;
    turn_of_ftx(trainer, &data, &ours);
    turn_by_hand(&w, x, (real)how.eta, &hand);
    if (!(fabs(ours.loss - hand.loss) < 1e-3 * hand.loss)) {
        fprintf(stderr, "bench_hand: the losses are %g and %g.\n", ours.loss,
                hand.loss);
        return 1;
    }
    double rate[2][RUNS], ratio[RUNS];
    for (int run = 0; run < RUNS; run++) {
        ours = hand = (Turn){ .seconds = argc > 1 ? atof(argv[1]) : 0.2 };
        turn_of_ftx(trainer, &data, &ours);
        turn_by_hand(&w, x, (real)how.eta, &hand);
        rate[0][run] = ours.rate;
        rate[1][run] = hand.rate;
        ratio[run] = ours.rate / hand.rate;
    }
    for (int k = 0; k < 2; k++)
        qsort(rate[k], RUNS, sizeof **rate, ascending);
    qsort(ratio, RUNS, sizeof *ratio, ascending);
    printf("    ftx %.0f, by hand %.0f; ftx runs at %.2f of its speed "
           "(%.2f to %.2f)\n", rate[0][RUNS / 2], rate[1][RUNS / 2],
           ratio[RUNS / 2], ratio[0], ratio[RUNS - 1]);
    trainer_free(trainer);
    arena_free(arena);
    return 0;
}
