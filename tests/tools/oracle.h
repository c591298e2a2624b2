/* An oracle: Algorithms 1, 2, 3, 4, 6 and 7 once more, on purpose, in plain
   loops that know nothing of the program; and the slips that are made on the
   way through them. Without a slip it computes what is right. */
#ifndef ORACLE_H
#define ORACLE_H
#include "planted.h"

/* Slips of these algorithms that it does not know. */
static const char *const not_by_hand[] = { "mask-inverted", "axis-norm",
                                           NULL };

static inline Small product_of(Small A, Small B)
{
    Small C = { A.rows, B.cols, { { 0 } } };
    EACH(C, i, j)
        for (int k = 0; k < A.cols; k++)
            C.at[i][j] += A.at[i][k] * B.at[k][j];
    return C;
}

/* W X + b. */
static inline Small projected(const Way *way, const char *W_name,
                              const char *b_name, Small X)
{
    Small W = part(way, W_name), b = part(way, b_name);
    if (makes_of(way, "no-", W_name) && W.rows == W.cols)
        return X;
    if (W.cols != X.rows)
        return (Small){ 0, 0, { { 0 } } };
    Small Y = product_of(W, X);
    EACH(Y, i, j)
        Y.at[i][j] += b.rows > 0 ? b.at[i][0] : 0;
    return Y;
}

/* ---------------------------------------------------------------- softmax */

static inline Small softmax_of(Way *way, Small S)
{
    bool over = makes(way, "axis") || makes(way, "axis-tokens");
    Small A = S = turned_if(over, S);
    double everything = 0;
    EACH(S, i, j)
        everything += A.at[i][j] = power_of(way, S.at[i][j]);
    for (int j = 0; j < S.cols; j++) {
        double total = 0;
        int largest = 0;
        for (int i = 0; i < S.rows; i++) {
            total += A.at[i][j];
            largest = S.at[i][j] > S.at[largest][j] ? i : largest;
        }
        total = makes(way, "no-sum") ? 1
              : makes(way, "one-sum") ? everything : total;
        for (int i = 0; i < S.rows; i++)
            A.at[i][j] = makes(way, "hard-max") ? i == largest
                                                : A.at[i][j] / total;
    }
    return turned_if(over, makes(way, "no-softmax") ? S : A);
}

/* -------------------------------------------------------------- attention */

static inline bool looks(const Way *way, int i, int j)
{
    const Thing *mask = thing_of(way->p, "mask", 0);
    bool turned = makes(way, "mask-transposed");
    int z = turned ? j : i, x = turned ? i : j;
    return !(makes(way, "mask-anyway") && z > x)
        && (mask != NULL ? mask->M.at[z][x] == 1
                         : *way->p->mask == 'n' || z <= x);
}

static inline Small hidden(const Way *way, Small S)
{
    EACH(S, i, j)
        if (!looks(way, i, j))
            S.at[i][j] = makes(way, "mask-zero") ? 0 : -INFINITY;
    for (int j = 0; j < S.cols && makes(way, "mask-strict"); j++) {
        int others = 0;
        for (int i = 0; i < S.rows; i++)
            others += i != j && looks(way, i, j);
        if (others > 0 && j < S.rows && *way->p->mask != 'n')
            S.at[j][j] = -INFINITY;
    }
    return S;
}

/* K is as wide as V, so that it can stand for it. */
static inline Small K_for_V(const Way *way, const char *slip, Small K,
                            Small V)
{
    return makes(way, slip) && K.rows == V.rows ? K : V;
}

/* False, here and below: it cannot be done like that. */
static inline bool attends(Way *way)
{
    bool three = way->p->algorithm == 3, late = makes(way, "mask-late"),
         swaps = makes(way, "exchange");
    Small x = part(way, three ? "e" : "X"),
          z = part(way, three ? "e_t" : "Z");
    z = z.rows == 0 ? x : z;
    Small X = swaps ? z : x, Z = swaps ? x : z;
    if (!has_mask(way) || X.rows != part(way, "W_q").cols
        || (swaps && (three || (*way->p->mask == 'm' && X.cols != Z.cols))))
        return false;
    Small Q = written(way, three ? "q" : "Q", "Q",
                      projected(way, "W_q", "b_q", X)),
          K = written(way, three ? "k_t" : "K", "K",
                      projected(way, "W_k", "b_k", Z)),
          V = K_for_V(way, "K-for-V", K, projected(way, "W_v", "b_v", Z));
    V = written(way, three ? "v_t" : "V", "V", V);
    V = K_for_V(way, "K-times-A", K, V);
    if (Q.rows != K.rows)
        return false;
    Small S = turned_if(makes(way, "S-transposed"), product_of(turned_over(K), Q));
    EACH(S, i, j)
        S.at[i][j] /= way->p->scaled && makes(way, "scale-early")
                    ? sqrt(Q.rows) : 1;
    S = written(way, three ? "scores" : "4.4 S", three ? "S" : "", S);
    int tokens = S.rows;
    if (!three && !late && !makes(way, "no-mask"))
        S = hidden(way, S);
    S = three ? S : written(way, "4.5 S", "S", S);
    EACH(S, i, j)
        S.at[i][j] = scaled(way, S.at[i][j], Q.rows);
    S = written(way, "S_scaled", "S_scaled", S);
    Small A = softmax_of(way, S);
    EACH(A, i, j)
        A.at[i][j] = late && !looks(way, i, j) ? 0 : A.at[i][j];
    A = turned_if(makes(way, "A-transposed"), A);
    if (!all_are(A, is_finite) || A.rows != tokens)
        return false;
    A = written(way, three ? "alpha_t" : "A", "A", A);
    A = turned_if(makes(way, "V-times-A-transposed"), A);
    EACH(A, i, j)
        A.at[i][j] = makes(way, "no-weights") ? 1 : A.at[i][j];
    if (A.rows != V.cols)
        return false;
    written(way, three ? "v_tilde" : "V_tilde", "", product_of(V, A));
    return true;
}

/* ---------------------------------------------- the norm, and the two ends */

static inline bool normalises(Way *way)
{
    Small e = part(way, "e"), gamma = part(way, "gamma"),
          beta = part(way, "beta"), m = { 1, e.cols, { { 0 } } }, v = m;
    double n = e.rows;
    bool centred = way->p->rms ? makes(way, "mean-anyway")
                               : !makes(way, "no-mean");
    if (makes(way, "gamma-beta") && (gamma.rows == 0 || beta.rows == 0))
        return false;
    EACH(e, i, j)
        m.at[0][j] += !centred ? 0
                    : e.at[i][j] / (makes(way, "m-sum") ? 1 : n);
    m = written(way, "m", "m", m);
    EACH(e, i, j) {
        double off = makes(way, "v-without-m") ? 0 : m.at[0][j];
        v.at[0][j] += pow(e.at[i][j] - off, 2)
                    / (makes(way, "n-1") ? n - 1 : makes(way, "v-sum") ? 1 : n);
    }
    EACH(v, i, j) {
        if (v.at[i][j] < 1e-9)
            return false;
        if (makes(way, "v-root"))
            v.at[i][j] = sqrt(v.at[i][j]);
    }
    v = written(way, "v", "v", v);
    EACH(e, i, j) {
        double root = deviation(way, v.at[0][j]);
        if (!(root > 0))
            return false;
        e.at[i][j] -= makes(way, "mean-left-in") ? 0 : m.at[0][j];
        e.at[i][j] = e.at[i][j] / root * (gamma.rows > 0 ? gamma.at[i][0] : 1)
                   + (beta.rows > 0 ? beta.at[i][0] : 0);
    }
    written(way, "e_hat", "", e);
    return true;
}

static inline bool unembeds(Way *way)
{
    bool tied = way->p->tied;
    Small e = part(way, "e"), W_u = turned_if(tied, part(way, tied ? "W_e"
                                                                   : "W_u"));
    W_u = turned_if(tied && makes(way, "W_u-transposed"), W_u);
    if (W_u.cols != e.rows)
        return false;
    Small p = softmax_of(way, written(way, "logits", "logits",
                                      product_of(W_u, e)));
    written(way, "p", "", p);
    return all_are(p, is_finite);
}

static inline bool embeds(Way *way)
{
    bool one = way->p->algorithm == 1;
    const char *name = one ? "W_e" : "W_p", *what = one ? "token" : "position";
    Small W = part(way, name), e = { W.rows, 1, { { 0 } } };
    int t = way->p->t + makes_of(way, what, "-after")
          - makes_of(way, what, "-before");
    if (t < 1 || t > W.cols
        || (makes_of(way, name, "-transposed") && W.rows != W.cols))
        return false;
    EACH(e, i, j)
        e.at[i][j] = W.at[i][t - 1];
    written(way, one ? "e" : "e_p", "", e);
    return true;
}

static inline bool computes_positions(Way *way)
{
    const Problem *p = way->p;
    bool paper = p->paper != makes(way, "exponent"),
         swaps = makes(way, "sine-cosine");
    Small e = { p->d_e, 1, { { 0 } } };
    int half = e.rows / 2;
    double t = p->t - 1 + p->first - makes(way, "position-before")
             + makes(way, "position-after"),
           base = makes(way, "sine-base-10000") ? 10000
                : makes(way, "sine-base-1000") ? 1000
                : makes(way, "sine-base-100") ? 100
                : makes(way, "sine-base-ell") ? p->ell_max : p->base;
    for (int i = 0; i < half; i++) {
        double exponent = (paper ? i + 1 : i) / (double)half
                        / (makes(way, "exponent-half") ? 2 : 1),
               angle = t / pow(base, exponent)
                     * (makes(way, "degrees") ? acos(-1) / 180 : 1);
        int a = 2 * i, b = 2 * i + 1;
        e.at[swaps ? b : a][0] = sin(angle);
        e.at[swaps ? a : b][0] = cos(angle);
    }
    written(way, "e_p", "", e);
    return true;
}

static inline bool goes(Way *way)
{
    int algorithm = way->p->algorithm;
    return (algorithm == 2 && way->p->d_e > 0 ? computes_positions(way)
            : algorithm <= 2 ? embeds(way)
            : algorithm <= 4 ? attends(way)
            : algorithm == 6 ? normalises(way) : unembeds(way))
        && !way->stuck;
}
#endif
