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

/* A matrix of real numbers, rows x cols, stored column after column. */
typedef const struct Matrix *Mat;

struct Matrix {
    int rows, cols;
    real *at;               /* the entries */
    real *grad;             /* d loss / d entry; NULL where not kept */
    bool transposed;        /* they lie row after row: see transpose_of */
    struct Tape *tape;      /* the tape it is on; NULL: on none */
    struct Matrix *previous;    /* what was computed before it on the tape */
    const struct Operation *operation;  /* NULL: an input; see tape.h */
    const Mat *of;              /* the operands */
    int n;                      /* how many operands there are */
    Where where;                /* the call that it is the result of */
    double c;                   /* the scalar operand */
    union {                     /* what its operation keeps beside it */
        struct { int *i, *j; }; /* row and column indices, counted from 1 */
        real *slope;            /* of a gelu: its derivative */
        Mask mask;              /* of masked */
    };
    Mat logits;                 /* of a softmax: what it was taken of */
    real *deferred_grad;        /* see tape_defer_gradients */
};

/* AT(M, i, j) is M[i, j], the entry in row i in [rows], column j in [cols].
   It can be assigned to. An index outside the matrix is refused. */
#define AT(...) (*entry_(HERE("AT(" #__VA_ARGS__ ")"), __VA_ARGS__))
real *entry_(Where where, Mat M, int i, int j);

/* An arena gives memory in order and takes it back all at once.
   What arena_alloc returns is not initialised; it is aligned for any type.
   arena_clear keeps the memory for the next use: the second time round
   nothing is asked of the system. A full memory is refused. */
typedef struct Arena Arena;
Arena *arena_new(void);
void *arena_alloc(Arena *arena, size_t bytes);
size_t arena_used(const Arena *arena);  /* bytes given since the clear */
void arena_clear(Arena *arena);
void arena_free(Arena *arena);

/* A tape holds computed matrices in the order of their computation. Where
   gradients are wanted, backward can walk it from its end to its start. */
typedef struct Tape Tape;
Tape *tape_new(bool gradients);
Arena *tape_arena(Tape *tape);
void tape_clear(Tape *tape);                /* forgets every matrix on it */
void tape_free(Tape *tape);

/* A rows x cols matrix of zeros, to be filled in. A parameter has a
   gradient and is on no tape; a constant is one without a gradient; an
   input is on the tape, and has a gradient if the tape wants them. */
#define parameter(...) CALL(parameter, #__VA_ARGS__, __VA_ARGS__)
#define constant(...)  CALL(constant, #__VA_ARGS__, __VA_ARGS__)
#define input(...)     CALL(input, #__VA_ARGS__, __VA_ARGS__)
Mat parameter_(Where where, Arena *arena, int rows, int cols);
Mat constant_(Where where, Arena *arena, int rows, int cols);
Mat input_(Where where, Tape *tape, int rows, int cols);

/* backward(loss) puts d loss / d entry into the grad of every input on the
   tape of loss, a 1 x 1 matrix, and adds it to that of every parameter
   used: clear_gradient sets one to 0. Other gradients are not kept. */
#define backward(...) CALL(backward, #__VA_ARGS__, __VA_ARGS__)
void backward_(Where where, Mat loss);
void clear_gradient(Mat M);

/* A list of numbers: of the token IDs of a sequence, of positions. */
typedef struct {
    int length;
    const int *id;          /* id[0] ... id[length - 1]; see TOKEN */
} Tokens;

/* The masks of the paper, and one that is written down. */
extern const Mask bidirectional;    /* Mask == 1                        */
extern const Mask unidirectional;   /* Mask[t_z, t_x] = [[t_z <= t_x]]  */
Mask mask_of(Mat M);                /* M[t_z, t_x] is 1 or 0            */
bool look_back(int t_z, int t_x, const void *data); /* unidirectional's */

/* Products: A B; A^T B; W X + b 1^T. Here and below a NULL b is 0. */
#define mul(...)         CALL(mul, #__VA_ARGS__, __VA_ARGS__)
#define mul_tn(...)      CALL(mul_tn, #__VA_ARGS__, __VA_ARGS__)
#define affine(...)      CALL(affine, #__VA_ARGS__, __VA_ARGS__)
Mat mul_(Where where, Mat A, Mat B);            /* a x n, n x b to a x b */
Mat mul_tn_(Where where, Mat A, Mat B);         /* n x a, n x b to a x b */
Mat affine_(Where where, Mat W, Mat X, Mat b);

/* Sums and multiples: A + B; M + b 1^T; c M; diag(g) M; A and B entry by
   entry multiplied; the sum of all entries. */
#define add(...)         CALL(add, #__VA_ARGS__, __VA_ARGS__)
#define add_bias(...)    CALL(add_bias, #__VA_ARGS__, __VA_ARGS__)
#define scale(...)       CALL(scale, #__VA_ARGS__, __VA_ARGS__)
#define scale_rows(...)  CALL(scale_rows, #__VA_ARGS__, __VA_ARGS__)
#define hadamard(...)    CALL(hadamard, #__VA_ARGS__, __VA_ARGS__)
#define sum(...)         CALL(sum, #__VA_ARGS__, __VA_ARGS__)
Mat add_(Where where, Mat A, Mat B);            /* both of one shape */
Mat add_bias_(Where where, Mat M, Mat b);       /* b is M->rows x 1 */
Mat scale_(Where where, Mat M, double c);
Mat scale_rows_(Where where, Mat g, Mat M);     /* g is M->rows x 1 */
Mat hadamard_(Where where, Mat A, Mat B);       /* both of one shape */
Mat sum_(Where where, Mat M);                   /* 1 x 1 */

/* Down the columns. softmax: exp M[i,j] / sum_u exp M[u,j], equation (2);
   every column needs a largest entry that is finite (E17).
   mean: a row, m[j] = sum_i M[i,j] / rows.
   variance: a row, v[j] = sum_i (M[i,j] - m[j])^2 / rows (E4).
   standardise: (M[i,j] - m[j]) / sqrt(v[j] + epsilon), refused where the
   root is 0. epsilon is a setting of the run; the paper has 0 (E3). */
#define softmax(...)     CALL(softmax, #__VA_ARGS__, __VA_ARGS__)
#define mean(...)        CALL(mean, #__VA_ARGS__, __VA_ARGS__)
#define variance(...)    CALL(variance, #__VA_ARGS__, __VA_ARGS__)
#define standardise(...) CALL(standardise, #__VA_ARGS__, __VA_ARGS__, NULL)
Mat softmax_(Where where, Mat M);
Mat mean_(Where where, Mat M);
Mat variance_(Where where, Mat M, Mat m);
Mat standardise_(Where where, Mat M, Mat m, Mat v,
                 const double *epsilon);    /* NULL: that of the run */

/* Entry by entry. max(0, x); x Phi(x), equation (5), or its tanh form where
   the run is set so; the tanh form, which GPT-2 used:
   x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (E29). */
#define relu(...)        CALL(relu, #__VA_ARGS__, __VA_ARGS__)
#define gelu(...)        CALL(gelu, #__VA_ARGS__, __VA_ARGS__)
#define gelu_tanh(...)   CALL(gelu_tanh, #__VA_ARGS__, __VA_ARGS__)
Mat relu_(Where where, Mat M);
Mat gelu_(Where where, Mat M);
Mat gelu_tanh_(Where where, Mat M);

/* gather: the columns j[0], ... j[n-1] of W, side by side, on the tape.
   stack: parts[1] ... parts[n], n matrices of equal width, on top of each
   other, [A; B; ...].
   log_prob: a row, the logarithms of P[i, j] for each i and its j, where P
   is a softmax. They are computed from what it was taken of, and finite
   also where P has underflowed to 0 (E16). i and j are equally long; two
   empty lists give a row of no entries, whose sum is 0.
   Where the run smooths labels, see Settings, every row has a share:
   (1 - smoothing) log P[i, j] + smoothing times the mean of log P[:, j].
   masked: S with -infinity wherever the mask forbids to look. */
#define gather(...)      CALL(gather, #__VA_ARGS__, __VA_ARGS__)
#define stack(...)       CALL(stack, #__VA_ARGS__, __VA_ARGS__)
#define log_prob(...)    CALL(log_prob, #__VA_ARGS__, __VA_ARGS__)
#define masked(...)      CALL(masked, #__VA_ARGS__, __VA_ARGS__)
Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[]);
Mat stack_(Where where, int n, const Mat parts[]);
Mat log_prob_(Where where, Mat P, Tokens i, Tokens j);
Mat masked_(Where where, Mat S, Mask mask);

/* M transposed, for products: a view of the same numbers, not a copy. What
   is learned about it is learned about M. Other operations refuse it. */
Mat transpose_of(Arena *arena, Mat M);
Mat *matrices(Mat M, int n);    /* room for [1] ... [n], on M's tape      */

/* An observer is told each value that an algorithm names: the line, such
   as "4.1"; the name, such as "Q"; and the matrix. It returns the matrix,
   or another on the same tape that shall take its place. For the index of
   a loop it is told NULL and the index, and its answer is not used.
   observe adds one behind those that look on already; each is told what
   the one before it has answered. unobserve takes the last away. */
typedef Mat Observer(void *to, const char *line, const char *name,
                     Mat M, int index);
void observe(Tape *tape, Observer *observer, void *to);
void unobserve(Tape *tape);

#define SEE(line, M)             (M = see(M, #line, #M))
#define SEE_INDEX(tape, line, i) see_index(tape, #line, #i, i)
#define SEE_LIST(tape, line, T)  see_list(tape, #line, #T, T)
Mat see(Mat M, const char *line, const char *name);
void see_index(Tape *tape, const char *line, const char *name, int index);
void see_list(Tape *tape, const char *line, const char *name, Tokens list);

/* What a run does differently. Where all is 0 it is the paper. */
typedef struct {
    double epsilon;         /* under the root of line 6.3 (E3)           */
    bool tanh_gelu;         /* GPT-2's approximation of GELU (E29)       */
    bool scaled_embedding;  /* W_e[:, v] times the root of d_e: Vaswani  */
    double smoothing;       /* of labels, in log_prob                    */
    int past;               /* tokens that stand before the first column,
                               see The KV cache              */
} Settings;
Settings *settings(Tape *tape);

/* From now on the tape runs the algorithms as printed: nobody looks on,
   and all settings are 0. */
void as_printed(Tape *tape);

/* TOKEN(x, t) is x[t], t in [length]. Another t is refused. */
#define TOKEN(...) token_(HERE("TOKEN(" #__VA_ARGS__ ")"), __VA_ARGS__)
int token_(Where where, Tokens x, int t);

extern const Tokens no_tokens;                      /* []               */
Tokens appended(Tape *tape, Tokens x, int y);       /* [x, y]           */
Tokens slice(Tokens x, int first, int last);        /* x[first : last]  */
Tokens span(Tape *tape, int first, int last);       /* first, ... last  */
Tokens places(Tape *tape, Tokens x, int v);         /* {t : x[t] = v}   */
Tokens chosen(Tape *tape, Tokens x, Tokens T);      /* x[t] for t in T  */

/* The special tokens are the last three of the vocabulary (Section 4). */
static inline int mask_token(int N_V) { return N_V - 2; }
static inline int bos_token(int N_V)  { return N_V - 1; }
static inline int eos_token(int N_V)  { return N_V; }

/* x between bos_token and eos_token. */
Tokens with_bos_eos(Arena *arena, Tokens x, int N_V);

/* x cut into n chunks, chunk[1] ... chunk[n]: side by side they are x, and
   each has ell_max tokens but the last, which has what is left (E19).
   ell_max >= 1. An empty x has no chunk. The IDs are not copied. */
const Tokens *chunks(Arena *arena, Tokens x, int ell_max, int *n);

/* Algorithm 1: e <- the embedding of token v.
   v in [N_V]; W_e is d_e x N_V; e is d_e x 1. Another v is refused. */
Mat embed(Tape *tape, Mat W_e, int v);

/* Algorithm 2: e_p <- the embedding of position t.
   t in [ell_max]; W_p is d_e x ell_max; e_p is d_e x 1.
   Another t is refused. (E11: the paper calls the position l.) */
Mat posembed(Tape *tape, Mat W_p, int t);

/* A fixed W_p, d_e x ell_max, without a gradient; d_e even.
   paper:   exponent 2i/d_e; as printed with base ell_max, first 1.
   vaswani: exponent 2(i-1)/d_e; as published with base 10000, first 0.
   first is the number of the first position. (Section 5.1 of the paper,
   E26.) An odd d_e or a base that is not positive is refused. */
typedef enum { SINUSOIDS_PAPER, SINUSOIDS_VASWANI } Sinusoids;
Mat sinusoids(Arena *arena, int d_e, int ell_max,
              Sinusoids variant, double base, double first);

/* W_qkv, the parameters of one attention head. b_q, b_k, b_v: a column. */
typedef struct {
    Mat W_q, b_q;           /* d_attn x d_x, d_attn x 1 */
    Mat W_k, b_k;           /* d_attn x d_z, d_attn x 1 */
    Mat W_v, b_v;           /* d_out  x d_z, d_out  x 1 */
} W_qkv;

/* Algorithm 3: v~ <- the average of the values of the context tokens
   e_1 ... e_T, the columns of e_t, weighted by their match with token e.
   e is d_in x 1, e_t is d_in x T, T >= 1; v~ is d_out x 1. On the tape
   of e and e_t. Other shapes are refused. */
Mat attention1(Mat e, Mat e_t, const W_qkv *w);

/* Algorithm 4: V~ <- Attention(X, Z | W_qkv, Mask), one head.
   X is d_x x ell_x, Z is d_z x ell_z, ell_z >= 1; V~ is d_out x ell_x.
   Every column of the mask must allow one t_z (E17). Pass Z = X for
   self-attention. On the tape of X and Z. Other shapes are refused. */
Mat attention(Mat X, Mat Z, const W_qkv *w, Mask mask);

/* W, the parameters of one multi-head layer, equation (4). */
typedef struct {
    int H;                  /* the number of heads                        */
    W_qkv *head;            /* head[1] ... head[H]; head[0] is not used   */
    Mat W_o, b_o;           /* d_out x H d_mid, d_out x 1                 */
} W_multi;

/* Algorithm 5: V~ <- MHAttention(X, Z | W, Mask).
   Shapes as in Algorithm 4, with d_mid rows from each head; V~ is
   d_out x ell_x. H >= 1. Pass Z = X for self-attention (E13). */
Mat mhattention(Mat X, Mat Z, const W_multi *w, Mask mask);

/* Algorithm 6: e^ <- layer_norm(e | gamma, beta), for each column of e.
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
    int N_C;                /* classes, told in volume 2; 0: none (E31)   */
    double epsilon;             /* under the root of layer_norm (E3)          */
    enum { LEARNED, PAPER_SINES, VASWANI_SINES, NO_POSITIONS,
           RELATIVE } positions;                /* relative: Gopher           */
    bool tied;                  /* W_u = W_e^T, not stored twice              */
    bool tanh_gelu;             /* GPT-2's approximation of GELU (E29)        */
    bool rms;                   /* RMSnorm for layer_norm: Gopher (E37)       */
    bool no_attention_biases;   /* no b_q, b_k, b_v, b_o: Vaswani             */
    bool scaled_embedding;      /* W_e[:, v] times the root of d_e: Vaswani   */
    bool embedding_norm;        /* a layer_norm before the layers: BERT       */
    int window;                 /* in every second layer a token sees no more
                                   tokens than this; 0: all (E24)             */
    enum { BANDED, STRIDED } sparse;            /* ... or also each token that
                                   many windows before it: GPT-3              */
    int types;                  /* of tokens, a vector each; 0: none: BERT    */
    bool unembedding_bias;      /* b_u, added to the logits: BERT             */
    bool pooler;                /* tanh for GELU in line 9.10, and no line
                                   9.11 or 9.12: BERT's classifier            */
} Hyperparameters;

/* A layer of Algorithm 9 or 10, or of the encoder of Algorithm 8. */
typedef struct {
    W_multi W;
    Mat gamma_1, beta_1, gamma_2, beta_2;           /* d_e x 1            */
    Mat W_mlp1, b_mlp1;             /* d_mlp x d_e, d_mlp x 1             */
    Mat W_mlp2, b_mlp2;             /* d_e x d_mlp, d_e x 1               */
    Mat *W_r;                       /* of relative positions: W_r[1] ...
                                       W_r[H], d_attn x d_e               */
} Layer;

/* A layer of the decoder of Algorithm 8. */
typedef struct {
    W_multi W_dec, W_ed;            /* self-attention, cross-attention    */
    Mat gamma_3, beta_3, gamma_4, beta_4, gamma_5, beta_5;
    Mat W_mlp3, b_mlp3;             /* d_mlp x d_e, d_mlp x 1             */
    Mat W_mlp4, b_mlp4;             /* d_e x d_mlp, d_e x 1               */
} DecoderLayer;

/* Where in a model something is: in no layer, in one of Algorithms 9 and
   10, of the encoder, of the decoder, or in its cross-attention. */
typedef enum { NOWHERE, LAYER, ENC, DEC, ED } Part;

/* A parameter of theta: its name, its shape, and where theta has it. */
typedef struct {
    char name[40];                  /* such as layer[2].W.head[1].W_q     */
    const char *symbol;             /* W_q                                */
    Part part;                      /* LAYER ...                          */
    int layer, head;                /* ... 2, 1; 0: in none               */
    int rows, cols;
    Mat *place;
} Parameter;

/* Its name without numbers: layer[l].W.head[h].W_q. */
void parameter_kind(const Parameter *p, char kind[40]);

/* theta, the parameters of one architecture. */
typedef struct Theta {
    Hyperparameters hyper;          /* with the defaults filled in        */
    Mat W_e, W_p;                   /* d_e x N_V, d_e x ell_max           */
    Mat W_t;                        /* d_e x hyper.types                  */
    Mat gamma_e, beta_e;            /* of hyper.embedding_norm            */
    Mat *u, *v;                     /* of relative positions: u[1] ...
                                       u[H], v[1] ... v[H], d_attn x 1    */
    Mat R;                          /* d_e x ell_max: its columns are the
                                       distances 0, 1, ..., fixed         */
    Layer *enc;                     /* enc[1] ... enc[L_enc]              */
    DecoderLayer *dec;              /* dec[1] ... dec[L_dec]              */
    Layer *layer;                   /* layer[1] ... layer[L]              */
    Mat W_f, b_f;                   /* d_f x d_e, d_f x 1                 */
    Mat gamma, beta;                /* d_f x 1, or d_e x 1                */
    Mat W_u, b_u;                   /* N_V x d_f, or d_e; tied: W_e^T;
                                       N_V x 1                            */
    Mat W_c, b_c;                   /* N_C x d_f, N_C x 1                 */
    int n;                          /* how many parameters there are      */
    Parameter *parameter;           /* parameter[1] ... parameter[n]      */
} Theta;

/* Equation (1): the columns e_t = W_e[:, x[t]] + W_p[:, t] for t in [ell].
   x has 1 to ell_max tokens (E19, E20), each in [N_V]. A theta without W_p
   has no positions. One with W_t adds a column of it: the second for the
   tokens behind the first eos_token, if there are two, else the first. */
Mat embeddings(Tape *tape, Tokens x, const Theta *theta);

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

/* theta has new numbers. Observers are told each parameter, under its name
   and its number in the list; then the tape is cleared, for all on it was
   computed with the old ones. */
#define SEE_THETA(tape, line, theta) see_theta(tape, #line, theta)
void see_theta(Tape *tape, const char *line, const Theta *theta);

/* A generator of random numbers; or, for uniform, where else they come
   from, such as a list. */
typedef struct {
    uint64_t state;
    double (*next)(void *from);                     /* NULL: the state    */
    void *from;
} Random;
typedef struct { int n; const double *u; int used; } NumberList;
Random random_new(uint64_t seed);
Random random_from(double (*next)(void *from), void *from);
Random random_in(NumberList *list);     /* in order; refused when used up */
Random random_branch(Random parent, uint64_t n);    /* the n-th of parent */
uint64_t random_bits(Random *random);               /* 64 of them         */
double uniform(Random *random);                     /* in [0, 1)          */
double normal(Random *random);                      /* mean 0, variance 1 */
int below(Random *random, int n);                   /* in 0 ... n - 1     */

/* What is wrong with hyperparameters: a sentence; or NULL. theta_new gives
   theta with all its handles, but no numbers: every Mat is NULL; faulty
   hyperparameters are refused. theta_allocate gives every parameter its
   numbers, all 0, and a gradient; theta_wrap those that lie there, one
   parameter behind the other, and none. Fixed positions get their
   values. */
const char *hyperparameters_error(const Hyperparameters *hyper);
Theta *theta_new(Arena *arena, const Hyperparameters *hyper);
void theta_allocate(Theta *theta, Arena *arena);
void theta_wrap(Theta *theta, Arena *arena, real *numbers);

/* How many numbers there are to learn; all gradients are set to 0. */
long long theta_count(const Theta *theta);
void theta_clear_gradient(const Theta *theta);

/* theta <- theta - eta times the gradient of loss, which is left beside the
   numbers. */
void descend(Theta *theta, double eta, Mat loss);

/* Sets every parameter to its first value: gammas 1, betas, biases, u and
   v 0, weights at random by one of three schemes. */
typedef enum { XAVIER, NORMAL_002, GPT2 } Initialisation;
void theta_initialise(Theta *theta, Initialisation scheme, Random *random);

/* Algorithm 11: theta^ <- EDTraining(z_1:N_data, x_1:N_data, theta).
   z[1] ... z[N_data] and x[1] ... x[N_data] have 1 to ell_max tokens each.
   theta is changed, and returned. The tape wants gradients; it is cleared
   after each step. */
const Theta *edtraining(Tape *tape, int N_data, const Tokens z[],
                        const Tokens x[], Theta *theta, int N_epochs,
                        double eta);

/* Algorithm 12: theta^ <- ETraining(x_1:N_data, theta). As Algorithm 11.
   p_mask is in (0, 1), another is refused. random gives a number for each
   token (E41). */
const Theta *etraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta,
                       double p_mask, Random *random);

/* Algorithm 13: theta^ <- DTraining(x_1:N_data, theta). As Algorithm 11. */
const Theta *dtraining(Tape *tape, int N_data, const Tokens x[],
                       Theta *theta, int N_epochs, double eta);

/* Column t of P, N_V x 1. Of a softmax, it knows its logits too. */
Mat column_at(Mat P, int t);

/* log p[v], but for a constant that is the same for all v. */
double log_of(Mat p, int v);

/* q, proportional to p^(1/tau). p and q are N_V x 1. tau = 0: the most
   probable token alone, the lowest of several; tau = infinity: all alike
   that can occur (E22). A negative tau and a NaN are refused. */
Mat tempered(Mat p, double tau);

/* A token drawn from q, N_V x 1, by a uniform number u in [0, 1): the
   smallest y with u < q[1] + ... + q[y]. Another u is refused. */
int sample(Mat q, double u);

/* Algorithm 14: y <- DInference(x, theta^).
   x has ell >= 1 tokens and y ell_gen; ell + ell_gen - 1 <= ell_max (E19).
   tau is from 0 to infinity (E22). random gives a number for each token
   (E41). y stands on the tape; x stays as it is. */
Tokens dinference(Tape *tape, Tokens x, const Theta *theta, int ell_gen,
                  double tau, Random *random);

/* Algorithm 15: x^ <- EDInference(z, theta^).
   z: 1 to ell_max tokens. x^ begins with bos_token and has at most ell_gen
   tokens more, ell_gen <= ell_max (E6); the last is eos_token, unless it
   was cut off. tau and random as in Algorithm 14. On the tape. */
Tokens edinference(Tape *tape, Tokens z, const Theta *theta, int ell_gen,
                   double tau, Random *random);

/* The scores of all distances, D[n + 1, t_x] for distance n, arranged by
   token. D is ell_z x ell_x, ell_x <= ell_z, on a tape; its columns are the
   last ell_x of ell_z tokens. Where the token t_z is later than the query
   the result is 0. Another shape is refused. */
#define by_token(...)    CALL(by_token, #__VA_ARGS__, __VA_ARGS__)
Mat by_token_(Where where, Mat D);

/* From now on the heads of Algorithm 10 have relative positions on this
   tape, those of theta, which has W_r, u, v and R. What the observer needs
   is in the arena. (Dai et al. 2019, Section 3.3.) */
void observe_distances(Arena *arena, Tape *tape, const Theta *theta);

#endif
