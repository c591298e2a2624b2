/* ftx: Formal Algorithms for Transformers [PH22] as a program.

   A matrix is d x l: one column per token. Indices start at 1.
   A comment or a SEE with two numbers, such as 4.5, marks the C that
   carries out line 5 of Algorithm 4. The book is ftx.pdf or ftx.html. */
#ifndef FTX_H
#define FTX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

/* A relative difference that may be rounding alone: then sums are equal. */
#define ROUNDING (sizeof(real) == sizeof(float) ? 5e-7 : 1e-15)

#ifdef __GNUC__
#define FORMAT_LIKE_PRINTF(sentence, first) \
    __attribute__((format(printf, sentence, first)))
#else
#define FORMAT_LIKE_PRINTF(sentence, first)
#endif
/* Where a call stands, and how it is written. */
typedef struct {
    const char *file;
    int line;
    const char *call;
} Where;
#define HERE(call) ((Where){__FILE__, __LINE__, call})

/* f_(where, ...), called as f(text). */
#define CALL(f, text, ...) f##_(HERE(#f "(" text ")"), __VA_ARGS__)

/* refuse prints FILE:LINE: CALL: and the sentence to standard error, and
   ends the program with exit status 3. */
_Noreturn void refuse(Where where, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(2, 3);
#define REQUIRE(condition, ...) \
    do { if (!(condition)) refuse(HERE(__func__), __VA_ARGS__); } while (0)

/* A mask answers: may the primary token t_x look at the context token t_z?
   data is handed to look untouched. E14: context first, primary second. */
typedef struct {
    bool (*look)(int t_z, int t_x, const void *data);
    const void *data;
} Mask;

/* A matrix of real numbers, rows x cols, stored column after column. It has
   20 fields: what it is, and how it came about. */
typedef const struct Matrix *Mat;

struct Matrix {
    int rows, cols;
    real *at;               /* the entries */
    real *grad;             /* d loss / d entry; NULL where not kept */
    bool transposed;        /* they lie row after row: see transpose_of */
    struct Tape *tape;      /* the tape it is on; NULL: on none */
    struct Matrix *previous, *next;     /* on the tape, as computed */
    const struct Operation *operation;  /* NULL: an input; see tape.h */
    const Mat *of;              /* the operands */
    int n;                      /* how many operands there are */
    Where where;                /* the call that it is the result of */
    double c;                   /* the scalar operand */
    union {                     /* what its operation keeps beside it */
        struct { const int *i, *j; };   /* rows and columns, from 1 */
        real *slope;            /* of a gelu: its derivative */
        Mask mask;              /* of masked */
    };
    Mat logits;                 /* of a softmax: what it was taken of */
    real *grad_place;           /* of grad, also while that is NULL */
    struct Matrix *spare;       /* another whose place may be used */
};

/* AT(M, i, j) is M[i, j], the entry in row i in [rows], column j in [cols].
   It can be assigned to. An index outside the matrix is refused. */
#define AT(...) (*entry_(HERE("AT(" #__VA_ARGS__ ")"), __VA_ARGS__))
real *entry_(Where where, Mat M, int i, int j);

/* An arena gives memory, and a tape holds computed matrices, in order; see
   library/arena.h and library/tape.h. */
typedef struct Arena Arena;
typedef struct Tape Tape;

/* Each of the calls below is written without the underscore: mul(A, B) is
   mul_(where, A, B), and a refusal says where it stands and what it is. */
#define parameter(...) CALL(parameter, #__VA_ARGS__, __VA_ARGS__)
#define constant(...)  CALL(constant, #__VA_ARGS__, __VA_ARGS__)
#define input(...)     CALL(input, #__VA_ARGS__, __VA_ARGS__)

/* Returns a rows x cols matrix of zeros with a gradient, on no tape. */
Mat parameter_(Where where, Arena *arena, int rows, int cols);

/* Returns a rows x cols matrix of zeros without a gradient, on no tape. */
Mat constant_(Where where, Arena *arena, int rows, int cols);

/* Returns a rows x cols matrix of zeros on the tape, to be filled in. It has
   a gradient if the tape wants them. */
Mat input_(Where where, Tape *tape, int rows, int cols);

/* A list of numbers: of the token IDs of a sequence, of positions. */
typedef struct {
    int length;
    const int *id;          /* id[0] ... id[length - 1]; see TOKEN */
} Tokens;

extern const Mask bidirectional;    /* Mask == 1                        */
extern const Mask unidirectional;   /* Mask[t_z, t_x] = [[t_z <= t_x]]  */

/* Returns the mask that is written down in M, whose entries are 1 or 0. */
Mask mask_of(Mat M);

#define mul(...)         CALL(mul, #__VA_ARGS__, __VA_ARGS__)
#define mul_tn(...)      CALL(mul_tn, #__VA_ARGS__, __VA_ARGS__)
#define affine(...)      CALL(affine, #__VA_ARGS__, __VA_ARGS__)
#define add(...)         CALL(add, #__VA_ARGS__, __VA_ARGS__)
#define add_bias(...)    CALL(add_bias, #__VA_ARGS__, __VA_ARGS__)
#define scale(...)       CALL(scale, #__VA_ARGS__, __VA_ARGS__)
#define scale_rows(...)  CALL(scale_rows, #__VA_ARGS__, __VA_ARGS__)
#define sum(...)         CALL(sum, #__VA_ARGS__, __VA_ARGS__)
#define softmax(...)     CALL(softmax, #__VA_ARGS__, __VA_ARGS__)
#define mean(...)        CALL(mean, #__VA_ARGS__, __VA_ARGS__)
#define variance(...)    CALL(variance, #__VA_ARGS__, __VA_ARGS__)
#define standardise(...) CALL(standardise, #__VA_ARGS__, __VA_ARGS__, NULL)
#define relu(...)        CALL(relu, #__VA_ARGS__, __VA_ARGS__)
#define gelu(...)        CALL(gelu, #__VA_ARGS__, __VA_ARGS__)
#define gather(...)      CALL(gather, #__VA_ARGS__, __VA_ARGS__)
#define stack(...)       CALL(stack, #__VA_ARGS__, __VA_ARGS__)
#define log_prob(...)    CALL(log_prob, #__VA_ARGS__, __VA_ARGS__)
#define masked(...)      CALL(masked, #__VA_ARGS__, __VA_ARGS__)

/* Returns A B; p x q and q x r give p x r. */
Mat mul_(Where where, Mat A, Mat B);

/* Returns A^T B; q x p and q x r give p x r. */
Mat mul_tn_(Where where, Mat A, Mat B);

/* Returns W X + b 1^T. A NULL b is 0, here and below. */
Mat affine_(Where where, Mat W, Mat X, Mat b);

/* Returns A + B, of one shape. */
Mat add_(Where where, Mat A, Mat B);

/* Returns M + b 1^T; b is M->rows x 1. */
Mat add_bias_(Where where, Mat M, Mat b);

/* Returns c M. */
Mat scale_(Where where, Mat M, double c);

/* Returns diag(g) M; g is M->rows x 1. */
Mat scale_rows_(Where where, Mat g, Mat M);

/* Returns the sum of all entries, 1 x 1. */
Mat sum_(Where where, Mat M);

/* Returns exp M[i,j] / sum_u exp M[u,j], equation (2). The largest entry of
   each column must be finite (E17). */
Mat softmax_(Where where, Mat M);

/* Returns a row, m[j] = sum_i M[i,j] / rows. */
Mat mean_(Where where, Mat M);

/* Returns a row, v[j] = sum_i (M[i,j] - m[j])^2 / rows (E4). */
Mat variance_(Where where, Mat M, Mat m);

/* Returns (M[i,j] - m[j]) / sqrt(v[j] + epsilon); a root of 0 is refused.
   With NULL epsilon is that of the run; the paper has 0 (E3). */
Mat standardise_(Where where, Mat M, Mat m, Mat v, const double *epsilon);

/* Returns max(0, M[i,j]). */
Mat relu_(Where where, Mat M);

/* Returns x Phi(x) of each entry x, equation (5); where the run is set so,
   its tanh form. */
Mat gelu_(Where where, Mat M);

/* Returns the columns j[0] ... j[n - 1] of W, side by side. */
Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[]);

/* Returns [parts[1]; ...; parts[n]], n matrices of equal width on top of
   each other. */
Mat stack_(Where where, int n, const Mat parts[]);

/* Returns a row, log P[i, j] for each i and its j, where P is a softmax.
   It is computed from what the softmax was taken of, and finite also where
   P has underflowed to 0 (E16). Two empty lists give a row of no entries,
   whose sum is 0. Where the run smooths labels, see Settings, an entry is
   (1 - smoothing) log P[i, j] + smoothing times the mean of log P[:, j]. */
Mat log_prob_(Where where, Mat P, Tokens i, Tokens j);

/* Returns S with -infinity wherever the mask forbids to look. */
Mat masked_(Where where, Mat S, Mask mask);

/* Returns room for matrices [1] ... [n], on the tape of M; n >= 1. */
Mat *matrices(Mat M, int n);

/* A generator of random numbers; see library/random.h. */
typedef struct Random Random;

/* Returns the next number, in [0, 1). */
double uniform(Random *random);

/* SEE(line, M) shows M to the observers of its tape, each in turn, and puts
   what they answer in its place; see library/observe.h. */
#define SEE(line, M)             (M = see(M, #line, #M))
#define SEE_INDEX(tape, line, i) see_index(tape, #line, #i, i)
#define SEE_LIST(tape, line, T)  see_list(tape, #line, #T, T)

/* Returns what the observers put in the place of M. */
Mat see(Mat M, const char *line, const char *name);

/* Shows the index of a loop to the observers. */
void see_index(Tape *tape, const char *line, const char *name, int index);

/* Shows a list to the observers, one index after the other. */
void see_list(Tape *tape, const char *line, const char *name, Tokens list);

/* TOKEN(x, t) is x[t], t in [length]. Another t is refused. */
#define TOKEN(...) token_(HERE("TOKEN(" #__VA_ARGS__ ")"), __VA_ARGS__)
int token_(Where where, Tokens x, int t);

extern const Tokens no_tokens;      /* [] */

/* Returns [x, y]. */
Tokens appended(Tape *tape, Tokens x, int y);

/* Returns x[first : last], a view. */
Tokens slice(Tokens x, int first, int last);

/* Returns [first, ... last]. */
Tokens span(Tape *tape, int first, int last);

/* Returns {t : x[t] = v}, in order. */
Tokens places(Tape *tape, Tokens x, int v);

/* Returns x[t] for t in T. */
Tokens chosen(Tape *tape, Tokens x, Tokens T);

/* The special tokens are the last three of the vocabulary (Section 4). */
static inline int mask_token(int N_V) { return N_V - 2; }
static inline int bos_token(int N_V)  { return N_V - 1; }
static inline int eos_token(int N_V)  { return N_V; }

/* Algorithm 1: e <- the embedding of token v.
   v in [N_V]; W_e is d_e x N_V; e is d_e x 1. Another v is refused. */
Mat embed(Tape *tape, Mat W_e, int v);

/* Algorithm 2: e_p <- the embedding of position t.
   t in [ell_max]; W_p is d_e x ell_max; e_p is d_e x 1.
   Another t is refused. (E11: the paper calls the position l.) */
Mat posembed(Tape *tape, Mat W_p, int t);

/* W_qkv, the parameters of one attention head. b_q, b_k, b_v: a column. */
typedef struct {
    Mat W_q, b_q;           /* d_attn x d_x, d_attn x 1 */
    Mat W_k, b_k;           /* d_attn x d_z, d_attn x 1 */
    Mat W_v, b_v;           /* d_out  x d_z, d_out  x 1 */
} W_qkv;

/* Algorithm 3: v_tilde <- the average of the values of the context tokens
   e_1 ... e_T, the columns of e_t, weighted by their match with token e.
   e is d_in x 1, e_t is d_in x T, T >= 1; v_tilde is d_out x 1. On the
   tape of e and e_t. Other shapes are refused. */
Mat attention1(Mat e, Mat e_t, const W_qkv *w);

/* Algorithm 4: V_tilde <- Attention(X, Z | W_qkv, Mask), one head.
   X is d_x x ell_x, Z is d_z x ell_z, ell_z >= 1; V_tilde is
   d_out x ell_x. Other shapes are refused. Each column of the mask must
   allow one t_z (E17). Z = X is self-attention. On the tape of X and Z. */
Mat attention(Mat X, Mat Z, const W_qkv *w, Mask mask);

/* W, the parameters of one multi-head layer, equation (4). */
typedef struct {
    int H;                  /* the number of heads                        */
    W_qkv *head;            /* head[1] ... head[H]; head[0] is not used   */
    Mat W_o, b_o;           /* d_out x H d_mid, d_out x 1                 */
} W_multi;

/* Algorithm 5: V_tilde <- MHAttention(X, Z | W, Mask).
   Shapes as in Algorithm 4, with d_mid rows from each head; V_tilde is
   d_out x ell_x. H >= 1. Pass Z = X for self-attention (E13). */
Mat mhattention(Mat X, Mat Z, const W_multi *w, Mask mask);

/* Algorithm 6: e_hat <- layer_norm(e | gamma, beta), a column at a time.
   e is d_e x l; gamma and beta are d_e x 1, and a NULL beta is 0. The
   setting epsilon is added to the variance under the root; the paper has 0
   (E3). A column of equal entries with epsilon = 0 is refused. */
Mat layer_norm(Mat e, Mat gamma, Mat beta);

/* Algorithm 7: p <- the probabilities of all tokens, for each column of e.
   e is d_e x l, W_u is N_V x d_e; p is N_V x l, its columns sum to 1. */
Mat unembed(Mat e, Mat W_u);

typedef enum { ED_TRANSFORMER, E_TRANSFORMER, D_TRANSFORMER } Architecture;
/* The hyperparameters of Algorithms 8, 9 and 10. */
typedef struct {
    Architecture architecture;
    int N_V, ell_max;       /* vocabulary size, maximum length            */
    int L;                  /* layers of Algorithms 9 and 10              */
    int L_enc, L_dec;       /* layers of Algorithm 8                      */
    int H, d_e, d_mlp;
    int d_attn, d_mid;      /* of a head; 0: d_e / H (E8)                 */
    int d_f;                /* of Algorithm 9; 0: d_e                     */
    int N_C;                /* classes (volume 2); 0: none (E31)          */
    double epsilon;             /* under the root of layer_norm (E3)        */
    enum { LEARNED, PAPER_SINES, VASWANI_SINES,
           NO_POSITIONS } positions;
    bool tied;                  /* W_u = W_e^T, not stored twice            */
    bool tanh_gelu;             /* GPT-2's approximation of GELU (E29)      */
    bool rms;                   /* RMSnorm for layer_norm: Gopher (E37)     */
    bool no_attention_biases;   /* no b_q, b_k, b_v, b_o: Vaswani           */
    bool scaled_embedding;      /* W_e[:, v] times the root of d_e: Vaswani */
    bool embedding_norm;        /* a layer_norm before the layers: BERT     */
    int window;                 /* in every second layer a token sees no more
                                   tokens than this; 0: all (E24)           */
    enum { BANDED, STRIDED } sparse;            /* ... or also each token that
                                   many windows before it: GPT-3            */
    int types;                  /* of tokens, a vector each; 0: none: BERT  */
    bool unembedding_bias;      /* b_u, added to the logits: BERT           */
    bool pooler;                /* tanh for GELU in line 9.10, and no line
                                   9.11 or 9.12: BERT's classifier          */
} Hyperparameters;

/* A layer of Algorithm 9 or 10, or of the encoder of Algorithm 8. */
typedef struct {
    W_multi W;
    Mat gamma_1, beta_1, gamma_2, beta_2;           /* d_e x 1            */
    Mat W_mlp1, b_mlp1;             /* d_mlp x d_e, d_mlp x 1             */
    Mat W_mlp2, b_mlp2;             /* d_e x d_mlp, d_e x 1               */
} Layer;

/* A layer of the decoder of Algorithm 8. */
typedef struct {
    W_multi W_dec, W_ed;            /* self-attention, cross-attention    */
    Mat gamma_3, beta_3, gamma_4, beta_4, gamma_5, beta_5;
    Mat W_mlp3, b_mlp3;             /* d_mlp x d_e, d_mlp x 1             */
    Mat W_mlp4, b_mlp4;             /* d_e x d_mlp, d_e x 1               */
} DecoderLayer;

/* theta, the parameters of one architecture. */
typedef struct Theta {
    Hyperparameters hyper;          /* with the defaults filled in        */
    Mat W_e, W_p;                   /* d_e x N_V, d_e x ell_max           */
    Mat W_t;                        /* d_e x hyper.types                  */
    Mat gamma_e, beta_e;            /* of hyper.embedding_norm            */
    Layer *enc;                     /* enc[1] ... enc[L_enc]              */
    DecoderLayer *dec;              /* dec[1] ... dec[L_dec]              */
    Layer *layer;                   /* layer[1] ... layer[L]              */
    Mat W_f, b_f;                   /* d_f x d_e, d_f x 1                 */
    Mat gamma, beta;                /* d_f x 1, or d_e x 1                */
    Mat W_u, b_u;                   /* N_V x d_f, or d_e; tied: W_e^T;
                                       N_V x 1                            */
    Mat W_c, b_c;                   /* N_C x d_f, N_C x 1                 */
    int n;                          /* how many parameters there are      */
    struct Parameter *parameter;    /* parameter[1] ... parameter[n]; see
                                       library/parameters.h               */
} Theta;

/* Equation (1): the columns e_t = W_e[:, x[t]] + W_p[:, t] for t in [ell].
   x has 1 to ell_max tokens (E19, E20), each in [N_V]. A theta without W_p
   has no positions. One with W_t adds a column of it: the second for the
   tokens behind the first eos_token, if there are two, else the first. */
Mat embeddings(Tape *tape, Tokens x, const Theta *theta);

/* A fixed W_p, d_e x ell_max, without a gradient; d_e even.
   paper:   exponent 2i/d_e; as printed with base ell_max, first 1.
   vaswani: exponent 2(i-1)/d_e; as published with base 10000, first 0.
   first is the number of the first position. (Section 5 of the paper,
   E26.) An odd d_e or a base that is not positive is refused. */
typedef enum { SINUSOIDS_PAPER, SINUSOIDS_VASWANI } Sinusoids;
Mat sinusoids(Arena *arena, int d_e, int ell_max,
              Sinusoids variant, double base, double first);

/* Algorithm 8: P <- EDTransformer(z, x | theta).
   z and x: 1 to ell_max tokens each. P is N_V x length(x); column t holds
   the probabilities of x[t+1], given x[1:t] and z. */
Mat edtransformer(Tape *tape, Tokens z, Tokens x, const Theta *theta);

/* Algorithm 9: P <- ETransformer(x | theta).
   x: 1 to ell_max tokens. P is N_V x length(x); column t holds the
   probabilities of token t. */
Mat etransformer(Tape *tape, Tokens x, const Theta *theta);

/* Algorithm 10: P <- DTransformer(x | theta).
   x: 1 to ell_max tokens. P is N_V x length(x); column t holds the
   probabilities of x[t+1], given x[1:t]. */
Mat dtransformer(Tape *tape, Tokens x, const Theta *theta);

/* theta <- theta - eta times the gradient of loss, which is left beside the
   numbers. Then the tape is cleared: all on it was computed with the old
   theta. */
void descend(Theta *theta, double eta, Mat loss);

/* Algorithm 11: theta_hat <- EDTraining(z_1:N_data, x_1:N_data, theta).
   z[1] ... z[N_data] and x[1] ... x[N_data] have 1 to ell_max tokens each.
   theta is changed, and returned. The tape wants gradients; it is cleared
   after each step. */
const Theta *edtraining(Tape *tape, int N_data, const Tokens z[],
                        const Tokens x[], Theta *theta, int N_epochs,
                        double eta);

/* Algorithm 12: theta_hat <- ETraining(x_1:N_data, theta). As Algorithm
   11. p_mask is in (0, 1), another is refused. random gives a number for each
   token (E41). */
const Theta *etraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta,
                       double p_mask, Random *random);

/* Algorithm 13: theta_hat <- DTraining(x_1:N_data, theta), as 11. */
const Theta *dtraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta);

/* Returns column t of P, N_V x 1, a view. Of a softmax, it knows its logits
   too. */
Mat column_at(Mat P, int t);

/* Returns q, proportional to p^(1/tau). p and q are N_V x 1. tau = 0: the
   most probable token alone, the lowest of several; tau = infinity: all
   alike that can occur (E22). A negative tau and a NaN are refused. */
Mat tempered(Mat p, double tau);

/* Returns a token sampled from q, N_V x 1, by a uniform number u in [0, 1):
   the smallest y with u < q[1] + ... + q[y], where u equals a sum from which
   it differs by ROUNDING at most. Another u is refused. */
int sample(Mat q, double u);

/* Algorithm 14: y <- DInference(x, theta_hat).
   x has ell >= 1 tokens and y ell_gen; ell + ell_gen - 1 <= ell_max (E19).
   tau is from 0 to infinity (E22). random gives a number for each token
   (E41). y stands on the tape; x stays as it is. */
Tokens dinference(Tape *tape, Tokens x, const Theta *theta_hat,
                  int ell_gen, double tau, Random *random);

/* Algorithm 15: x_hat <- EDInference(z, theta_hat).
   z: 1 to ell_max tokens. x_hat begins with bos_token and has at most
   ell_gen tokens more, ell_gen <= ell_max (E6); the last is eos_token,
   unless it was cut off. tau and random as in Algorithm 14. On the tape. */
Tokens edinference(Tape *tape, Tokens z, const Theta *theta_hat,
                   int ell_gen, double tau, Random *random);

/* theta has new numbers: the observers are shown each parameter, under its
   name and its number in the list. */
#define SEE_THETA(tape, line, theta) see_theta(tape, #line, theta)
void see_theta(Tape *tape, const char *line, const Theta *theta);

#endif
