/* The Formulated Transformer, a note of 2020: its formulas once more, on
   purpose, in plain loops that know nothing of the program. Rows are tokens.
   Where the note has a slip, it is mended; what it would cost is a law, too. */
#include "law.h"
#include "architecture.h"
#include "learn.h"

enum { S = 9, D = 8, D_K = 4, D_FF = 12, LAYERS = 2, HEADS = 2, MOST_TOKENS = 6 };
#define EPSILON 1e-5            /* the note leaves it open */
#define CONTEXT 6, 4, 5, 1, 7
#define PRIMARY 8, 1, 3, 3, 2, 9

/* A matrix with a row for each token; of weights: as many as there are. */
typedef struct { int rows, cols; double at[16][16]; } Rows;

static const Theta *theta;
/* The parameter of that name, turned: the note multiplies from the right. */
static Rows weights(const char *of, int l, const char *rest)
{
    char name[80];
    int n = snprintf(name, sizeof name, of, l);
    snprintf(name + n, sizeof name - (size_t)n, "%s", rest);
    Mat M = mat(theta, name);
    Rows W = { M->cols, M->rows, { { 0 } } };
    for (int i = 0; i < W.rows; i++)
        for (int j = 0; j < W.cols; j++)
            W.at[i][j] = AT(M, j + 1, i + 1);
    return W;
}

static Rows product_of(Rows A, Rows B)
{
    Rows C = { A.rows, B.cols, { { 0 } } };
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < B.cols; j++)
            for (int k = 0; k < A.cols; k++)
                C.at[i][j] += A.at[i][k] * B.at[k][j];
    return C;
}

static Rows transposed(Rows A)
{
    Rows T = { A.cols, A.rows, { { 0 } } };
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < A.cols; j++)
            T.at[j][i] = A.at[i][j];
    return T;
}

static Rows plus(Rows A, Rows B)
{
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < A.cols; j++)
            A.at[i][j] += B.at[i][j];
    return A;
}

/* Softmax, along each row. */
static Rows softmax_of(Rows A)
{
    for (int i = 0; i < A.rows; i++) {
        double sum_of_row = 0;
        for (int j = 0; j < A.cols; j++)
            sum_of_row += exp(A.at[i][j]);
        for (int j = 0; j < A.cols; j++)
            A.at[i][j] = exp(A.at[i][j]) / sum_of_row;
    }
    return A;
}

/* Attention(Q, K, V) = Softmax(Mask(Q K^T) / sqrt(d_k)) V. */
static Rows attend(Rows Q, Rows K, Rows V, bool causal)
{
    Rows scores = product_of(Q, transposed(K));
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++)
            scores.at[i][j] = causal && j > i ? (double)-INFINITY
                                              : scores.at[i][j] / sqrt(D_K);
    return product_of(softmax_of(scores), V);
}

/* MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W_O. */
static Rows multi_head(const char *of, int l, Rows X, Rows Z, bool causal)
{
    static const char *const names[HEADS][3] = {
        { "head[1].W_q", "head[1].W_k", "head[1].W_v" },
        { "head[2].W_q", "head[2].W_k", "head[2].W_v" },
    };
    Rows all = { X.rows, HEADS * D_K, { { 0 } } };
    for (int h = 0; h < HEADS; h++) {
        Rows one = attend(product_of(X, weights(of, l, names[h][0])),
                          product_of(Z, weights(of, l, names[h][1])),
                          product_of(Z, weights(of, l, names[h][2])), causal);
        for (int i = 0; i < one.rows; i++)
            for (int j = 0; j < D_K; j++)
                all.at[i][h * D_K + j] = one.at[i][j];
    }
    return product_of(all, weights(of, l, "W_o"));
}

/* LayerNorm, of each row, with the biased variance. */
static Rows normal_rows(Rows X, Rows gamma, Rows beta)
{
    for (int i = 0; i < X.rows; i++) {
        double m = 0, v = 0;
        for (int j = 0; j < D; j++)
            m += X.at[i][j] / D;
        for (int j = 0; j < D; j++)
            v += (X.at[i][j] - m) * (X.at[i][j] - m) / D;
        for (int j = 0; j < D; j++)
            X.at[i][j] = (X.at[i][j] - m) / sqrt(v + EPSILON)
                       * gamma.at[0][j] + beta.at[0][j];
    }
    return X;
}

static Rows norm_of(const char *of, int l, int k, Rows X)
{
    char gamma[20], beta[20];
    snprintf(gamma, sizeof gamma, "gamma_%d", k);
    snprintf(beta, sizeof beta, "beta_%d", k);
    return normal_rows(X, weights(of, l, gamma), weights(of, l, beta));
}

/* FFN(X) = max(0, X W_1 + b_1) W_2 + b_2. */
static Rows feed_forward(const char *of, int l, int k, Rows X)
{
    char part[4][20];
    for (int p = 0; p < 4; p++)
        snprintf(part[p], sizeof part[p], "%c_mlp%d", p % 2 == 0 ? 'W' : 'b',
                 k + p / 2);
    Rows hidden = product_of(X, weights(of, l, part[0]));
    Rows b_1 = weights(of, l, part[1]), b_2 = weights(of, l, part[3]);
    for (int i = 0; i < X.rows; i++)
        for (int j = 0; j < D_FF; j++)
            hidden.at[i][j] = fmax(0, hidden.at[i][j] + b_1.at[0][j]);
    Rows Y = product_of(hidden, weights(of, l, part[2]));
    for (int i = 0; i < X.rows; i++)
        for (int j = 0; j < D; j++)
            Y.at[i][j] += b_2.at[0][j];
    return Y;
}

/* OneHot(x) W_e + W_p: positions from 1, columns 2 i and 2 i + 1 from 0. */
static Rows embedded(Tokens x)
{
    Rows W_e = weights("W_e", 0, "");               /* s x d */
    Rows X = { x.length, D, { { 0 } } };
    for (int t = 0; t < x.length; t++)
        for (int i = 0; i < D / 2; i++) {
            double angle = (t + 1) / pow(10000, 2.0 * i / D);
            X.at[t][2 * i] = W_e.at[x.id[t] - 1][2 * i] + sin(angle);
            X.at[t][2 * i + 1] = W_e.at[x.id[t] - 1][2 * i + 1] + cos(angle);
        }
    return X;
}

/* Transformer(x, y): m x s. as_noted: the decoder's second residual is its
   input, as the note has it, and not what the first has made of it. */
static Rows formulated(Tokens x, Tokens y, bool as_noted)
{
    Rows X = embedded(x), Y = embedded(y);
    for (int l = 1; l <= LAYERS; l++) {
        X = norm_of("enc[%d].", l, 1,
                    plus(X, multi_head("enc[%d].W.", l, X, X, false)));
        X = norm_of("enc[%d].", l, 2,
                    plus(X, feed_forward("enc[%d].", l, 1, X)));
    }
    for (int l = 1; l <= LAYERS; l++) {
        Rows Y_1 = norm_of("dec[%d].", l, 3, plus(Y,
            multi_head("dec[%d].W_dec.", l, Y, Y, true)));
        Rows Y_2 = norm_of("dec[%d].", l, 4, plus(as_noted ? Y : Y_1,
            multi_head("dec[%d].W_ed.", l, Y_1, X, false)));
        Y = norm_of("dec[%d].", l, 5,
                    plus(Y_2, feed_forward("dec[%d].", l, 3, Y_2)));
    }
    return softmax_of(product_of(Y, transposed(weights("W_e", 0, ""))));
}

static Hyperparameters of_the_note(void)
{
    Hyperparameters h = known_model("formulated")->hyper;
    h.N_V = S, h.ell_max = MOST_TOKENS, h.L_enc = h.L_dec = LAYERS;
    h.H = HEADS, h.d_e = D, h.d_mlp = D_FF, h.epsilon = EPSILON;
    return h;
}

/* Positions begin with 1. */
static void prepare_the_note(void)
{
    Theta *made = random_theta(of_the_note());
    made->W_p = sinusoids(arena, D, MOST_TOKENS, SINUSOIDS_VASWANI, 10000, 1);
    theta = made;
}

LAW(algorithm_8_is_its_forward_pass)
{
    prepare_the_note();
    Mat P = edtransformer(tape, TOKENS(CONTEXT), TOKENS(PRIMARY), theta);
    Rows Y = formulated(TOKENS(CONTEXT), TOKENS(PRIMARY), false);
    assert_shape(P, S, Y.rows);
    for (int j = 0; j < Y.rows; j++)
        for (int v = 0; v < S; v++)
            assert_near(AT(P, v + 1, j + 1), Y.at[j][v], TIGHT);
}

/* loss = sum over j = 2 ... m of -log Y[j - 1, y_j]. */
LAW(line_5_of_algorithm_11_is_its_loss)
{
    prepare_the_note();
    const Training how = { .N_epochs = 1, .eta = .1 };
    const Data data = { 1, LIST(TOKENS(CONTEXT)), LIST(TOKENS(PRIMARY)), NULL };
    Worker worker = { .tape = tape, .theta = theta, .how = &how };
    Tokens y = TOKENS(PRIMARY);
    Rows Y = formulated(TOKENS(CONTEXT), y, false);
    double loss = 0;
    for (int j = 2; j <= y.length; j++)
        loss -= log(Y.at[j - 2][TOKEN(y, j) - 1]);
    assert_near(AT(loss_11(&worker, &data, 1), 1, 1), loss, 10 * TIGHT);
}

/* Its decoder's second residual is a slip: another function. */
LAW(as_noted_it_is_another_function)
{
    prepare_the_note();
    Rows mended = formulated(TOKENS(CONTEXT), TOKENS(PRIMARY), false);
    Rows noted = formulated(TOKENS(CONTEXT), TOKENS(PRIMARY), true);
    double most = 0;
    for (int j = 0; j < mended.rows; j++)
        for (int v = 0; v < S; v++)
            most = fmax(most, fabs(mended.at[j][v] - noted.at[j][v]));
    assert_that(most > .01);
}

/* --------------------------------------------------------------- counting */

/* The sum of the parts whose names begin so and have this in them. */
static long long counted(const Theta *of, const char *begin, const char *has)
{
    long long numbers_there = 0;
    for (int k = 1; k <= of->n; k++) {
        const Parameter *p = &of->parameter[k];
        if (strncmp(p->name, begin, strlen(begin)) == 0
            && strstr(p->name, has) != NULL)
            numbers_there += (long long)p->rows * p->cols;
    }
    return numbers_there;
}

LAW(its_parts_are_those_of_its_table)
{
    Theta *note = theta_new(arena, &known_model("formulated")->hyper);
    assert_that(counted(note, "W_e", "") == 18944000);
    assert_that(counted(note, "enc", ".W.") == 6291456);
    assert_that(counted(note, "enc", "mlp") == 12598272);
    assert_that(counted(note, "enc", "gamma") + counted(note, "enc", "beta")
                == 12288);
    assert_that(counted(note, "dec", ".W_dec.") == 6291456);
    assert_that(counted(note, "dec", ".W_ed.") == 6291456);
    assert_that(counted(note, "dec", "mlp") == 12598272);
    assert_that(counted(note, "dec", "gamma") + counted(note, "dec", "beta")
                == 18432);
    assert_that(theta_count(note) == 63045632);
}
