/* What the tests of Algorithms 8, 9 and 10 share: recorded parameters, and
   differences, watching and dropout of a whole architecture. */
#ifndef ARCHITECTURE_H
#define ARCHITECTURE_H
#include "derivatives.h"
#include "models.h"

enum { N_V = 7, ELL_MAX = 6 };         /* of small models */

static inline bool columns_equal(Mat A, int i, Mat B, int j, double tolerance)
{
    for (int v = 1; v <= A->rows; v++)
        if (!is_near(AT(A, v, i), AT(B, v, j), tolerance))
            return false;
    return true;
}

/* x with another token in place t. */
static inline Tokens changed(Tokens x, int t)
{
    int *id = arena_alloc(arena, (size_t)x.length * sizeof *id);
    memcpy(id, x.id, (size_t)x.length * sizeof *id);
    id[t - 1] = id[t - 1] % N_V + 1;
    return (Tokens){ x.length, id };
}

/* P by the tokens; column t depends on x[1 ... t] and on nothing behind it,
   changed or absent. */
typedef Mat OfTokens(const Theta *theta, Tokens x);
static inline void assert_causal(OfTokens *f, const Theta *theta, Tokens x)
{
    Mat P = f(theta, x);
    for (int s = 1; s <= x.length; s++) {
        Mat other = f(theta, changed(x, s));
        Mat prefix = f(theta, (Tokens){ s, x.id });
        for (int t = 1; t <= x.length; t++) {
            assert_that(columns_equal(P, t, other, t, 0) == (t < s));
            assert_that(t > s || columns_equal(P, t, prefix, t, 0));
        }
    }
}

/* -sum_t log P[target[t], t] over all columns. */
static inline Mat loss_against(Mat P, Tokens target)
{
    return scale(sum(log_prob(P, target, span(P->tape, 1, P->cols))), -1);
}

/* An architecture, on the tokens of its test; or its loss. */
typedef Mat Forward(Tape *on, const Theta *theta);

/* ------------------------------------------------------------- recorded */

/* The sizes in oracle/algorithms.py. */
static inline Hyperparameters recorded_sizes(Architecture architecture)
{
    return (Hyperparameters){
        .architecture = architecture, .N_V = 5, .ell_max = 6, .H = 2,
        .L = architecture == D_TRANSFORMER ? 2 : 1, .L_enc = 1, .L_dec = 1,
        .d_e = 4, .d_mlp = 3, .d_f = architecture == E_TRANSFORMER ? 3 : 0,
    };
}

/* The recorded parameters, in theta's order. */
static inline Theta *recorded_theta(Hyperparameters hyper,
                                    const Record *record)
{
    Theta *theta = theta_new(arena, &hyper);
    const double *at = record->of;
    theta_allocate(theta, arena, NULL);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        fill(M, at);
        at += entries_in(M);
    }
    return ready(theta);
}

/* A theta with other options, and of these parameters those that it has. */
static inline Theta *with_numbers_of(Hyperparameters hyper, const Theta *from)
{
    Theta *to = random_theta(hyper);
    for (int k = 1; k <= to->n; k++)
        for (int j = 1; j <= from->n; j++)
            if (strcmp(to->parameter[k].name, from->parameter[j].name) == 0)
                memcpy((*to->parameter[k].place)->at,
                       (*from->parameter[j].place)->at,
                       entries_in(*to->parameter[k].place) * sizeof(real));
    return ready(to);
}

/* -------------------------------------------------------- differentiating */

typedef struct { Forward *forward; const Theta *theta; } Pass;

static inline double loss_with(void *with)
{
    const Pass *pass = with;
    double loss = pass->forward(quiet, pass->theta)->at[0];
    tape_clear(quiet);
    return loss;
}

/* The gradient of every number of theta agrees with its difference, and the
   loss without gradients is the loss with them, to the last bit. */
#define assert_gradients(f, theta) gradients_at(HERE(#f), f, theta)
static inline void gradients_at(Where where, Forward *f, const Theta *theta)
{
    theta_clear_gradient(theta);
    Mat loss = f(tape, theta);
    backward(loss);
    Pass pass = { f, theta };
    near_at(where, loss_with(&pass), loss->at[0], 0);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++) {
            double b = difference(loss_with, &pass, &M->at[e]);
            if (!derivatives_agree(M->grad[e], b))
                fail_at(where, "%s, entry %zu (from 0): derivative %.17g, "
                        "difference %.17g", theta->parameter[k].name, e,
                        M->grad[e], b);
        }
    }
    tape_clear(tape);
}

/* Softmax does not feel a number added to all scores of a column. */
static inline void assert_b_k_has_no_gradient(const Theta *theta)
{
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        double most = 0;
        for (size_t e = 0; e < entries_in(*p->place); e++)
            most = fmax(most, fabs((*p->place)->grad[e]));
        if (name_ends(p, ".b_k") != (most < (IS_DOUBLE ? 1e-14 : 1e-6)))
            fail_at(HERE(p->name), "its largest derivative is %g", most);
    }
}

/* --------------------------------------------------------------- watching */

/* What it names itself in a run: the lines that begin so. */
static inline Own lines_of(Forward *f, const Theta *theta, const char *begin)
{
    Own own = { begin, { 0 } };
    observe(tape, note_own, &own);
    f(tape, theta);
    unobserve(tape);
    return own;
}

/* The n-th value at that line. */
static inline Mat seen_on_line(const Own *own, const char *line, int n)
{
    for (int k = 0; k < own->seen.n; k++)
        if (strcmp(own->seen.step[k].line, line) == 0 && --n == 0)
            return own->seen.step[k].M;
    fail_at(HERE(line), "was not observed so often");
    return NULL;
}

/* Its own lines are these, with gradients and without. */
static inline void assert_own_lines(Forward *f, const Theta *theta,
                                    const char *own, const char *lines)
{
    Own with = lines_of(f, theta, own), without = { own, { 0 } };
    assert_seen(&with.seen, lines);
    observe(quiet, note_own, &without);
    f(quiet, theta);
    unobserve(quiet);
    assert_seen(&without.seen, lines);
}

#define ATTENTION "5.1 h=1, 4.1 Q, 4.2 K, 4.3 V, 4.4 S, 4.5 S, " \
                  "4.6 S_scaled, 4.6 A, 4.6 V_tilde, 5.2 Y_h, 5.3 Y, 5.4 V_tilde, "
#define NORM      "6.1 m, 6.2 v, 6.3 e_hat, "

/* ------------------------------------------------------ without gradients */

static inline size_t bytes_after(Forward *f, Hyperparameters hyper,
                                 bool gradients)
{
    Tape *fresh = tape_new(gradients);
    Theta *theta = random_theta(hyper);
    prepare_tape(arena, fresh, theta);
    tape_discard_layers(arena, fresh);
    f(fresh, theta);
    size_t used = arena_used(tape_arena(fresh));
    tape_free(fresh);
    return used;
}

/* Without gradients the bytes are the same, and the memory does not grow with
   the number of layers; with them it does. */
static inline void assert_nothing_is_kept(Forward *f, Hyperparameters h)
{
    Hyperparameters more = h;
    Theta *theta = random_theta(h);
    for (int thrifty = 0; thrifty <= 1; thrifty++) {
        if (thrifty)
            tape_discard_layers(arena, quiet);
        Mat P = f(tape, theta), Q = f(quiet, theta);
        assert_that(Q->grad == NULL && Q->tape == quiet);
        assert_same(P, Q, 0);
    }
    more.L = more.L_enc = more.L_dec = 9;
    assert_that(bytes_after(f, h, false) == bytes_after(f, more, false));
    assert_that(bytes_after(f, h, true) < bytes_after(f, more, true) / 3);
}

/* ---------------------------------------------------------------- dropout */

/* Where dropout is: the embedding, and in each layer what is added. from
   and to are lines, such as "10.3" and "10.6", n-th and m-th time. */
typedef struct { const char *from; int n; const char *to; int m; } Sum;

/* Of one half: an embedding's entry is 0, or twice what it would be; of a sum
   some entries are those of its first term, the others are not. */
static inline void assert_dropped(Mat X, Mat without)
{
    size_t zeros = 0, n = entries_in(X);
    for (size_t e = 0; e < n; e++) {
        zeros += X->at[e] == 0;
        assert_that(X->at[e] == 0 || X->at[e] == 2 * without->at[e]);
    }
    assert_that(n / 5 < zeros && zeros < n - n / 5);
}

/* With dropout: on the embedding of x, which is that line, and on n sums. */
static inline Own assert_dropout(Forward *f, const Theta *theta,
                                 const char *begin, const char *line, Tokens x,
                                 int n, const Sum sums[])
{
    static Random random;
    random = random_new(1);
    tape_dropout(arena, tape, .5, &random);
    Own own = lines_of(f, theta, begin);
    assert_dropped(seen_on_line(&own, line, 1), embeddings(tape, x, theta));
    for (int k = 0; k < n; k++) {
        Mat X = seen_on_line(&own, sums[k].from, sums[k].n);
        Mat Y = seen_on_line(&own, sums[k].to, sums[k].m);
        size_t same = 0;
        for (size_t e = 0; e < entries_in(X); e++) {
            same += X->at[e] == Y->at[e];
            assert_that(Y->at[e] != 0 || X->at[e] == 0);
        }
        assert_that(0 < same && same < entries_in(X));
    }
    return own;
}
#endif
