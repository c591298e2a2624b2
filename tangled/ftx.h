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

/* refuse prints FILE:LINE: CALL: and the sentence to standard error, and
   ends the program with exit status 3. */
_Noreturn void refuse(Where where, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(2, 3);
#define REQUIRE(condition, ...) \
    do { if (!(condition)) refuse(HERE(__func__), __VA_ARGS__); } while (0)


/* A matrix of real numbers, rows x cols, stored column after column. */
typedef const struct Matrix *Mat;

struct Matrix {
    int rows, cols;
    real *at;               /* the entries */
    real *grad;             /* d loss / d entry; NULL where not kept */
    struct Tape *tape;          /* the tape it is on; NULL: on none */
    struct Matrix *previous;    /* what was computed before it on the tape */
    void (*back)(Mat Y);        /* adds to the operands' grad; NULL: an input */
    const Mat *of;              /* the operands */
    int n;                      /* how many operands there are */
    const int *i, *j;           /* row and column indices, counted from 1 */
    double c;                   /* the scalar operand */
    real *slope;                /* of a gelu: its derivative */
    Mat logits;                 /* of a softmax: what it was taken of */

};

/* AT(M, i, j) is M[i, j], the entry in row i in [rows], column j in [cols].
   It can be assigned to. An index outside the matrix is refused. */
#define AT(M, i, j) (*entry_(HERE("AT(" #M ", " #i ", " #j ")"), M, i, j))
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
#define parameter(arena, rows, cols) \
    parameter_(HERE("parameter(" #arena ", " #rows ", " #cols ")"), \
               arena, rows, cols)
#define constant(arena, rows, cols) \
    constant_(HERE("constant(" #arena ", " #rows ", " #cols ")"), \
              arena, rows, cols)
#define input(tape, rows, cols) \
    input_(HERE("input(" #tape ", " #rows ", " #cols ")"), tape, rows, cols)
Mat parameter_(Where where, Arena *arena, int rows, int cols);
Mat constant_(Where where, Arena *arena, int rows, int cols);
Mat input_(Where where, Tape *tape, int rows, int cols);

/* backward(loss) puts d loss / d entry into the grad of every input on the
   tape of loss, a 1 x 1 matrix, and adds it to that of every parameter
   used: clear_gradient sets one to 0. Other gradients are not kept. */
#define backward(loss) backward_(HERE("backward(" #loss ")"), loss)
void backward_(Where where, Mat loss);
void clear_gradient(Mat M);

/* Products. W X; A^T B; W X + b 1^T, where b is one column, or NULL for
   none. */
#define mul(A, B)    mul_(HERE("mul(" #A ", " #B ")"), A, B)
#define mul_tn(A, B) mul_tn_(HERE("mul_tn(" #A ", " #B ")"), A, B)
#define affine(W, X, b) \
    affine_(HERE("affine(" #W ", " #X ", " #b ")"), W, X, b)
Mat mul_(Where where, Mat A, Mat B);            /* a x n, n x b to a x b */
Mat mul_tn_(Where where, Mat A, Mat B);         /* n x a, n x b to a x b */
Mat affine_(Where where, Mat W, Mat X, Mat b);

/* Sums and multiples. A + B; M + b 1^T; c M; diag(g) M; A and B entry by
   entry multiplied; the sum of all entries. */
#define add(A, B)         add_(HERE("add(" #A ", " #B ")"), A, B)
#define add_bias(M, b)    add_bias_(HERE("add_bias(" #M ", " #b ")"), M, b)
#define scale(M, c)       scale_(HERE("scale(" #M ", " #c ")"), M, c)
#define scale_rows(g, M) \
    scale_rows_(HERE("scale_rows(" #g ", " #M ")"), g, M)
#define hadamard(A, B) \
    hadamard_(HERE("hadamard(" #A ", " #B ")"), A, B)
#define sum(M)            sum_(HERE("sum(" #M ")"), M)
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
   root is 0 (E3). */
#define softmax(M)     softmax_(HERE("softmax(" #M ")"), M)
#define mean(M)        mean_(HERE("mean(" #M ")"), M)
#define variance(M, m) variance_(HERE("variance(" #M ", " #m ")"), M, m)
#define standardise(M, m, v, epsilon) \
    standardise_( \
        HERE("standardise(" #M ", " #m ", " #v ", " #epsilon ")"), \
        M, m, v, epsilon)
Mat softmax_(Where where, Mat M);
Mat mean_(Where where, Mat M);
Mat variance_(Where where, Mat M, Mat m);
Mat standardise_(Where where, Mat M, Mat m, Mat v, double epsilon);

/* Entry by entry. max(0, x); x Phi(x), equation (5); its tanh form, which
   GPT-2 used: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (E29). */
#define relu(M)      relu_(HERE("relu(" #M ")"), M)
#define gelu(M)      gelu_(HERE("gelu(" #M ")"), M)
#define gelu_tanh(M) gelu_tanh_(HERE("gelu_tanh(" #M ")"), M)
Mat relu_(Where where, Mat M);
Mat gelu_(Where where, Mat M);
Mat gelu_tanh_(Where where, Mat M);

/* gather: the columns j[0], ... j[n-1] of W, side by side, on the tape.
   stack: n matrices of equal width on top of each other, [A; B; ...].
   log_prob: a row of n numbers, the logarithms of P[i[k], j[k]], where P
   is a softmax. They are computed from what it was taken of, and finite
   also where P has underflowed to 0 (E16).
   log_prob_smoothed: the same, but of every row a share: (1 - smoothing)
   log P[i[k], j[k]] + smoothing times the mean of log P[:, j[k]]. */
#define gather(tape, W, n, j) \
    gather_(HERE("gather(" #tape ", " #W ", " #n ", " #j ")"), \
            tape, W, n, j)
#define stack(n, parts) \
    stack_(HERE("stack(" #n ", " #parts ")"), n, parts)
#define log_prob(P, n, i, j) \
    log_prob_(HERE("log_prob(" #P ", " #n ", " #i ", " #j ")"), \
              P, n, i, j, 0)
#define log_prob_smoothed(P, n, i, j, smoothing) \
    log_prob_(HERE("log_prob_smoothed(" #P ", " #n ", " #i ", " #j ", " \
                   #smoothing ")"), P, n, i, j, smoothing)
Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[]);
Mat stack_(Where where, int n, const Mat parts[]);
Mat log_prob_(Where where, Mat P, int n, const int i[], const int j[],
              double smoothing);

/* A mask answers: may the primary token t_x look at the context token t_z?
   data is handed to look untouched. E14: context first, primary second. */
typedef struct {
    bool (*look)(int t_z, int t_x, const void *data);
    const void *data;
} Mask;

extern const Mask bidirectional;    /* Mask == 1                        */
extern const Mask unidirectional;   /* Mask[t_z, t_x] = [[t_z <= t_x]]  */
Mask mask_of(Mat M);                /* M[t_z, t_x] is 1 or 0            */

/* S with -infinity wherever the mask forbids to look. */
#define masked(S, mask) masked_(HERE("masked(" #S ", " #mask ")"), S, mask)
Mat masked_(Where where, Mat S, Mask mask);

/* An observer is told each value that an algorithm names: the line, such
   as "4.1"; the name, such as "Q"; and the matrix. It returns the matrix,
   or another of the same shape on the same tape that shall take its place.
   For the index of a loop it is told NULL and the index, and its answer
   is not used. */
typedef Mat Observer(void *to, const char *line, const char *name,
                     Mat M, int index);
void observe(Tape *tape, Observer *observer, void *to);

#define SEE(line, M)             (M = see(M, #line, #M))
#define SEE_INDEX(tape, line, i) see_index(tape, #line, #i, i)
Mat see(Mat M, const char *line, const char *name);
void see_index(Tape *tape, const char *line, const char *name, int index);

/* let_go forgets what the tape has computed since the mark, except M, and
   returns M; M may be NULL. Where gradients are wanted, or an observer
   looks on, nothing is forgotten. tape_peak is the most bytes that the tape
   has held. */
typedef struct {
    Tape *tape;
    struct Block *block;
    size_t used;
} Mark;
Mark tape_mark(Tape *tape);
Mat let_go(Mark mark, Mat M);
size_t tape_peak(const Tape *tape);

/* M; or, on a tape with dropout, M with entries set to 0 at random. */
#define drop(M) drop_(HERE("drop(" #M ")"), M)
Mat drop_(Where where, Mat M);

/* A sequence of token IDs, x[1] ... x[length]. */
typedef struct {
    int length;
    const int *id;          /* id[0] ... id[length - 1] */
} Tokens;

/* TOKEN(x, t) is x[t], t in [length]. Another t is refused. */
#define TOKEN(x, t) token_(HERE("TOKEN(" #x ", " #t ")"), x, t)
int token_(Where where, Tokens x, int t);

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

/* A tokenizer; it lives in an arena. Its tokens are numbered from 1, and
   the three special ones follow behind them: N_V counts both. */
typedef enum { CHARACTERS, WORDS, BYTE_PAIRS } TokenKind;
typedef struct Tokenizer Tokenizer;
TokenKind tokenizer_kind(const Tokenizer *t);
int tokenizer_size(const Tokenizer *t);                     /* N_V */

/* "char", "word" or "bpe"; and the kind of that name, if there is one. */
const char *token_kind_name(TokenKind kind);
bool token_kind_named(const char *name, TokenKind *kind);

/* Learns a tokenizer from the n bytes of a text. merges, for BYTE_PAIRS
   only: at most so many pairs are merged. Returns NULL; or what is wrong,
   a sentence, and then *where is its place in the text, 0 ... n - 1.
   A text has at most TEXT_BYTES. */
enum { TEXT_BYTES = 1 << 28 };
const char *tokenizer_train(Arena *arena, TokenKind kind, const char *text,
                            size_t n, int merges, const Tokenizer **t,
                            size_t *where);

/* A text to its tokens x, without special ones. Returns NULL; or what is
   wrong, and then *where is the byte that begins no known token. */
const char *encode_text(const Tokenizer *t, Arena *arena, const char *text,
                        size_t n, Tokens *x, size_t *where);

/* Tokens to their text of *n bytes; a 0 follows it. Special tokens give
   nothing. A token outside [N_V] is refused. */
const char *decode_text(const Tokenizer *t, Arena *arena, Tokens x,
                        size_t *n);

/* The n bytes that a token stands for; none for a special one. */
typedef struct { const char *at; int n; } Piece;
Piece token_piece(const Tokenizer *t, int token);           /* in [N_V] */

/* How many of the bytes at p, at least one, are a character in UTF-8:
   1 to 4; or 0, if the first ones are none. */
int utf8_length(const char *p, size_t bytes);

/* Writes a token so that it can be read: a blank as an open box, an end of
   line as \n, a byte that is no text as \xFF; <mask>, <bos> or <eos>. */
void write_token(FILE *out, const Tokenizer *t, int token);

/* Writes a tokenizer, a line and then a line for each token. Whether all
   was written is for the caller to ask. */
void tokenizer_save(FILE *out, const Tokenizer *t);

/* Reads what tokenizer_save wrote, from *text on, and moves *text behind
   it. end is the end of what may be read. Returns NULL; or what is wrong
   with the bytes, a sentence, and then *text is the place. */
const char *tokenizer_load(Arena *arena, const char **text,
                           const char *end, const Tokenizer **t);

/* Algorithm 1: e <- the embedding of token v.
   v in [N_V]; W_e is d_e x N_V; e is d_e x 1. Another v is refused. */
Mat embed(Tape *tape, Mat W_e, int v);

/* Algorithm 2: e_p <- the embedding of position t.
   t in [ell_max]; W_p is d_e x ell_max; e_p is d_e x 1.
   Another t is refused. (E11: the paper calls the position l.) */
Mat posembed(Tape *tape, Mat W_p, int t);

/* Equation (1) for t = past + 1 ... length of x, a column for each t:
   factor W_e[:, x[t]] + W_p[:, t]. The paper has past = 0 and factor = 1.
   A NULL W_p stands for no positions. Each x[t] is in [N_V]; the length is
   in [ell_max] and above past. d_e x (length - past). */
Mat embed_sequence(Tape *tape, Mat W_e, Mat W_p, Tokens x, int past,
                   double factor);

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
    struct Past *K_past, *V_past;   /* see Inference; NULL: none */
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

static inline bool look_back(int t_z, int t_x, const void *data)
{
    (void)data;
    return t_z <= t_x;
}

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
   e is d_e x l; gamma and beta are d_e x 1. epsilon >= 0 is added to the
   variance under the root; the paper has 0 (E3). A column of equal
   entries with epsilon = 0 is refused. */
Mat layer_norm(Mat e, Mat gamma, Mat beta, double epsilon);

/* RMSnorm: Algorithm 6 with m = beta = 0 (Section 6 of the paper, E37). */
Mat rms_norm(Mat e, Mat gamma, double epsilon);

/* Algorithm 7: p <- the probabilities of all tokens, for each column of e.
   e is d_e x l, W_u is N_V x d_e; p is N_V x l, its columns sum to 1. */
Mat unembed(Mat e, Mat W_u);

/* The same with W_u = W_e^T, which is not stored a second time.
   W_e is d_e x N_V. */
Mat unembed_tied(Mat e, Mat W_e);

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
    int N_C;                /* classes, see Classification; 0: none (E31) */
    double epsilon;             /* under the root of layer_norm (E3)          */
    enum { LEARNED, PAPER_SINES, VASWANI_SINES, NO_POSITIONS } positions;
    bool tied;                  /* W_u = W_e^T, not stored twice              */
    bool tanh_gelu;             /* GPT-2's approximation of GELU (E29)        */
    bool rms;                   /* RMSnorm for layer_norm: Gopher (E37)       */
    bool no_attention_biases;   /* no b_q, b_k, b_v, b_o: Vaswani             */
    bool scaled_embedding;      /* W_e[:, v] times the root of d_e: Vaswani   */
    bool embedding_norm;        /* a layer_norm before the layers: BERT       */
    int window;                 /* in every second layer a token sees no more
                                   tokens than this; 0: all (E24)             */
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

/* A parameter of theta: its name, its shape, and where theta has it. */
typedef struct {
    char name[40];
    int rows, cols;
    Mat *place;
} Parameter;

/* theta, the parameters of one architecture. */
typedef struct Theta {
    Hyperparameters hyper;          /* with the defaults filled in        */
    Mat W_e, W_p;                   /* d_e x N_V, d_e x ell_max           */
    Mat gamma_e, beta_e;            /* of hyper.embedding_norm            */
    Layer *enc;                     /* enc[1] ... enc[L_enc]              */
    DecoderLayer *dec;              /* dec[1] ... dec[L_dec]              */
    Layer *layer;                   /* layer[1] ... layer[L]              */
    Mat W_f, b_f;                   /* d_f x d_e, d_f x 1                 */
    Mat gamma, beta;                /* d_f x 1, or d_e x 1                */
    Mat W_u;                        /* N_V x d_f, or d_e; NULL: W_e^T     */
    Mat W_c, b_c;                   /* N_C x d_f, N_C x 1                 */
    int n;                          /* how many parameters there are      */
    Parameter *parameter;           /* parameter[1] ... parameter[n]      */
    int *past;                      /* tokens seen before; NULL: none     */
} Theta;

/* layer_norm with the epsilon of theta; or rms_norm, where it says so. */
Mat normalise(const Theta *theta, Mat X, Mat gamma, Mat beta);

/* GELU; or its tanh form, where theta says so. */
Mat activate(const Theta *theta, Mat M);

/* How many of the first tokens theta has seen before, see Inference: 0
   for the paper. now_seen notes it for the next call. */
int tokens_seen(const Theta *theta);
void now_seen(const Theta *theta, int length);

/* Equation (1) for the tokens past + 1 ... of x. More than ell_max tokens
   are refused (E19), and a sequence without a new one (E20). */
Mat embed_tokens(Tape *tape, Tokens x, int past, const Theta *theta);

/* softmax(W_u X); with W_u = W_e^T where theta has no W_u of its own. */
Mat probabilities(Mat X, const Theta *theta);

/* The mask of layer l of a decoder: equation (3), unidirectional. */
Mask causal(Tape *tape, const Theta *theta, int l);

/* Algorithm 8: P <- EDTransformer(z, x | theta).
   z and x: 1 to ell_max tokens each. P is N_V x length(x); column t holds
   the probabilities of x[t+1], given x[1:t] and z. */
Mat edtransformer(Tape *tape, Tokens z, Tokens x, const Theta *theta);

/* Lines 1 to 9 of Algorithm 8: z to Z, d_e x length(z). */
Mat encode(Tape *tape, Tokens z, const Theta *theta);

/* Lines 10 to 21 of Algorithm 8: Z and x to P. */
Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta);

/* Algorithm 9: P <- ETransformer(x | theta).
   x: 1 to ell_max tokens. P is N_V x length(x); column t holds the
   probabilities of token t. */
Mat etransformer(Tape *tape, Tokens x, const Theta *theta);

/* Lines 1 to 11 of Algorithm 9: x to X, d_f x length(x). */
Mat represent(Tape *tape, Tokens x, const Theta *theta);

/* Algorithm 10: P <- DTransformer(x | theta).
   x: 1 to ell_max tokens. P is N_V x length(x); column t holds the
   probabilities of x[t+1], given x[1:t]. */
Mat dtransformer(Tape *tape, Tokens x, const Theta *theta);

/* For the operations: a new rows x cols matrix, entries not yet set, that
   was computed from n operands; it goes onto the tape of the first operand
   that is on one. Operands on no tape at all are refused. */
struct Matrix *computed(Where where, int rows, int cols,
                        void (*backward)(Mat Y), int n, const Mat of[]);
/* The same where the tape is known. */
struct Matrix *computed_on(Where where, Tape *tape, int rows, int cols,
                           void (*backward)(Mat Y), int n, const Mat of[]);
/* A matrix with entries that are not yet set, on no tape. */
struct Matrix *matrix_new(Where where, Arena *arena, int rows, int cols,
                          bool gradient);

/* A generator of random numbers. */
typedef struct Random { uint64_t state; } Random;
Random random_new(uint64_t seed);
Random random_branch(Random parent, uint64_t n);    /* the n-th of parent */
uint64_t random_bits(Random *random);               /* 64 of them         */
double uniform(Random *random);                     /* in [0, 1)          */
double normal(Random *random);                      /* mean 0, variance 1 */
int below(Random *random, int n);                   /* in 0 ... n - 1     */

/* What is wrong with hyperparameters: a sentence; or NULL. */
const char *hyperparameters_fault(const Hyperparameters *hyper);

/* theta with all its handles, but no numbers: every Mat is NULL. Faulty
   hyperparameters are refused. */
Theta *theta_new(Arena *arena, const Hyperparameters *hyper);

/* Gives every parameter of theta its numbers, all 0, and a gradient; and
   fixed positions their values. */
void theta_allocate(Theta *theta, Arena *arena);

/* Another theta with the same matrices; and one with the same numbers but
   gradients of its own. */
Theta *theta_alias(Arena *arena, const Theta *theta);
Theta *theta_view(Arena *arena, const Theta *theta);

/* A matrix of zeros for each parameter k: [1] ... [n]. */
Mat *theta_zeros(Arena *arena, const Theta *theta);

/* How many numbers there are to learn. */
long long theta_count(const Theta *theta);

/* Sets all gradients to 0. */
void theta_clear_gradient(const Theta *theta);

/* Sets every parameter to its first value: gammas 1, betas and biases 0,
   weights at random by one of three schemes. */
typedef enum { XAVIER, NORMAL_002, GPT2 } Initialisation;
void theta_initialise(Theta *theta, Initialisation scheme, Random *random);

/* x_1 ... x_N_data are x[0] ... x[N_data - 1]. The same holds for z, the
   context sequences of Algorithm 11, and c, the classes. What an algorithm
   does not use is NULL. */
typedef struct {
    int N_data;
    const Tokens *z, *x;
    const int *c;
} Data;

typedef enum { SGD, MOMENTUM, RMSPROP, ADAGRAD, ADAM, ADAMW } Method;
typedef enum { CONSTANT, COSINE, VASWANI } Schedule;

/* The hyperparameters of training. */
typedef struct {
    int N_epochs;
    double eta;             /* the learning rate                          */
    double p_mask;          /* of Algorithm 12                            */
    const double *u;        /* its uniform numbers, u[t - 1] for token t of
                               each sequence; NULL: by the seed           */
    uint64_t seed;          /* of everything that is random               */
    bool spare_special;     /* Algorithm 12 does not mask special tokens  */
    bool shuffle;           /* another order in every epoch               */
    int batch;              /* sequences a step; 0: 1                     */
    bool mean;              /* the loss of a step, a predicted token      */
    int threads;            /* 0: 1. The result does not depend on it     */
    Method method;          /* SGD, ... see Optimisers                    */
    double beta_1, beta_2;  /* 0: the usual ones, see Optimisers          */
    double epsilon;         /* beside a root; 0: 1e-8                     */
    Schedule schedule;      /* CONSTANT, ...                              */
    int warm_up;            /* steps in which eta rises                   */
    double eta_last;        /* where the cosine ends                      */
    double clip;            /* the longest gradient; 0: any               */
    double decay;           /* of weights                                 */
    double dropout;         /* the probability of a zero                  */
    double smoothing;       /* of labels                                  */
} Training;

/* What is wrong with them: a sentence; or NULL. */
const char *training_fault(const Training *how);

/* A place to compute the loss of a sequence. */
typedef struct {
    Tape *tape;
    const Theta *theta;
    const Training *how;
    double smoothing;       /* of labels                                  */
    Random random, drops;   /* of this sequence in this epoch             */
    double loss;            /* the sum of the losses on this lane, nats   */
    long long tokens;       /* how many tokens these have predicted       */
} Lane;

/* The loss of sequence n, 1 x 1 on the tape of the lane, in nats. It is
   added to lane->tokens how many tokens are predicted. NULL: none. */
typedef Mat Loss(Lane *lane, const Data *data, int n);

/* What a step has done. */
typedef struct {
    long long step;         /* counted from 1 over all epochs             */
    int epoch, n;           /* i and n of the loops                       */
    double loss;            /* the sum over the sequences, in nats        */
    long long tokens;       /* how many tokens were predicted             */
    double eta;             /* by schedule                                */
} Progress;

/* Is told of each step. false ends the training. */
typedef bool Follow(void *to, const Progress *step);

enum { N_LANES = 8 };

typedef struct {
    Theta *theta;
    Training how;           /* with the defaults filled in                */
    long long step;         /* steps taken; the next is step + 1          */
    long long updates;      /* those that have changed theta              */
    Mat *m, *v;             /* m[1] ... m[theta->n]; NULL: not needed     */
    Follow *follow;         /* NULL: nobody                               */
    bool (*stop)(void *to); /* asked before each sequence of evaluate: is
                               the result wanted no more? NULL: it is     */
    void *to;               /* for both                                   */
    bool diverged;          /* the loss was not a number; the last step
                               did not change theta                       */
    Lane lane[N_LANES];     /* lane[0] has theta itself                   */
    Lane judge[N_LANES];    /* for evaluation: without gradients          */
    Arena *arena;
    Loss *loss;             /* of the algorithm that runs                 */
    const Data *data;
    int *order, ordered;    /* of the data in epoch `ordered`             */
    Progress now;
} Trainer;

/* A trainer of theta. What it needs is in the arena, except the tapes,
   which trainer_free frees. Faulty hyperparameters are refused. */
Trainer *trainer_new(Arena *arena, Theta *theta, const Training *how);
void trainer_free(Trainer *trainer);

/* Prepares for the algorithm that has this loss; says how many sequences
   there are. No data is refused. */
int begin_training(Trainer *trainer, Loss *loss, const Data *data);

/* Where an epoch begins: 1; later, if the trainer has taken some of its
   steps before. */
int first_n(const Trainer *trainer, int epoch);

/* The gradient of the loss of sequence n; with batches, of n and those
   after it. */
void find_gradient(Trainer *trainer, int epoch, int n);

/* theta <- theta - eta gradient; or what the method does instead. */
void descend(Trainer *trainer);

/* The step is done: counts it and tells the follower. */
bool step_done(Trainer *trainer);

/* Tells the observer of the tape all of theta. */
#define SEE_THETA(tape, line, theta) see_theta(tape, #line, theta)
void see_theta(Tape *tape, const char *line, const Theta *theta);

/* 1, 2, ... n, on the tape. */
const int *up_to(Tape *tape, int n);

/* Algorithm 11: theta^ <- EDTraining(z_1 ... , x_1 ... , theta), with the
   theta and the hyperparameters of the trainer. Each z_n and x_n has 1 to
   ell_max tokens. Returns early where the follower says so, or where the
   loss is not a number. loss_11 is lines 3 to 5. */
const Theta *edtraining(Trainer *trainer, const Data *data);
Loss loss_11;

/* Algorithm 12: theta^ <- ETraining(x_1 ... , theta). As Algorithm 11.
   p_mask is in (0, 1), another is refused. loss_12 is lines 3 to 9. */
const Theta *etraining(Trainer *trainer, const Data *data);
Loss loss_12;

/* Algorithm 13: theta^ <- DTraining(x_1 ... , theta). As Algorithm 11.
   loss_13 is lines 3 to 5. */
const Theta *dtraining(Trainer *trainer, const Data *data);
Loss loss_13;

/* From now on what is not a number, or infinite, is not refused on this
   tape. alarm(ringing) is called, unless it is NULL, and where it returns
   the value is let through: whoever reads a result must look. forgiven is
   what an operation asks when it has such a value. */
void tape_forgive(Tape *tape, void (*alarm)(void *ringing), void *ringing);
bool forgiven(const Tape *tape);

/* eta in step s of s_last, by schedule. d_e is for Vaswani's. */
double learning_rate(const Training *how, long long s, long long s_last,
                     int d_e);

/* From now on drop(M) on this tape sets each entry to 0 with probability
   p in [0, 1), and divides the others by 1 - p. p = 0: drop(M) is M. */
void tape_dropout(Tape *tape, double p, Random *random);

/* The loss of a data set that is not learnt from: the sum in nats, without
   dropout and smoothing, and the number of predicted tokens. What is random
   in it is the same in every evaluation. */
typedef struct {
    double loss;
    long long tokens;
} Score;
Score evaluate(Trainer *trainer, Loss *loss, const Data *data);

/* Early stopping. Begins as { 0 }; is told the loss of each evaluation;
   false where the last `most` of them were no better than the best. */
typedef struct {
    double best;
    int evaluations, waited;
} Patience;
bool patient(Patience *patience, double loss, int most);

/* P(c | x), a column of N_C probabilities, of a theta with a class head. */
Mat classify(Tape *tape, Tokens x, const Theta *theta);

/* Trains it. data->c[n - 1] in [N_C] is the class of x_n. */
const Theta *classtraining(Trainer *trainer, const Data *data);
Loss loss_class;

/* Column t of P, N_V x 1. Of a softmax, it knows its logits too. */
Mat column_at(Mat P, int t);

/* q, proportional to p^(1/tau). p and q are N_V x 1. tau = 0: the most
   probable token alone, the lowest of several; tau = infinity: all alike
   that can occur (E22). A negative tau and a NaN are refused. */
Mat tempered(Mat p, double tau);

/* A token drawn from q, N_V x 1, by a uniform number u in [0, 1): the
   smallest y with u < q[1] + ... + q[y]. Another u is refused. */
int sample(Mat q, double u);

/* Where uniform numbers come from: from a generator, or from a list, in
   order. A list that is used up is refused. */
typedef struct {
    double (*next)(void *from);
    void *from;
} Chance;
typedef struct { int n; const double *u; int used; } NumberList;
Chance chance_of(Random *random);
Chance chance_in(NumberList *list);

/* The hyperparameters of Algorithms 14 and 15; and options, off when 0. */
typedef struct {
    int ell_gen;            /* how many tokens; Algorithm 15: at most so
                               many, and 0 stands for ell_max */
    double tau;             /* temperature, 0 to infinity (E22) */
    Chance chance;          /* one number for each token (E41) */
    bool (*told)(void *to, int y);  /* hears each token; false: stop */
    void *to;
    bool stop_at_eos;       /* Algorithm 14: eos_token is the last (E35) */
    bool no_special;        /* mask_token and bos_token are never drawn; and
                               eos_token not where it ends nothing (E35) */
    int top_k;              /* only the k most probable tokens */
    double top_p;           /* only the most probable, up to this sum */
    int slide;              /* Algorithm 14: how many tokens leave the
                               front when there are more than ell_max */
    bool encode_once;       /* Algorithm 15: z */
} Inference;

/* Algorithm 14: y <- DInference(x, theta^).
   x has ell >= 1 tokens; y has ell_gen, fewer if it was stopped. Without
   slide, ell + ell_gen - 1 <= ell_max. y lives in the arena; x stays as it
   is. What the model computes for a token is let go after it. */
Tokens dinference(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                  const Inference *how);

/* Algorithm 15: x^ <- EDInference(z, theta^).
   z: 1 to ell_max tokens. x^ begins with bos_token and has at most ell_gen
   tokens more (0: ell_max), which is at most ell_max (E6). *ended, unless
   ended is NULL, says whether the last one is eos_token. x^ lives in the
   arena. What the model computes for a token is let go after it. */
Tokens edinference(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                   const Inference *how, bool *ended);

/* p without the special tokens; the rest has the sum 1 again. eos_token
   stays where eos_ends is set. */
Mat without_special(Mat p, bool eos_ends);

/* q with only its k most probable tokens; with only as many of the most
   probable as have a sum of at least top_p in [0, 1]. 0 stands for all. */
Mat top_k_of(Mat q, int k);
Mat top_p_of(Mat q, double top_p);

/* y[0] ... y[n - 1]: the n most probable tokens of p, N_V x 1, the most
   probable first, and of equal ones the lower number first. */
void ranked(Mat p, int n, int y[]);

/* The steps that Algorithms 14 and 15 share. Options that mean nothing are
   refused. */
void refuse_wrong_inference(const Inference *how);

/* The q that a token is drawn from; eos_ends: would eos_token end it? */
Mat drawn_from(Mat p, bool eos_ends, const Inference *how);

/* The next number of the chance; 0 where there is none. */
double next_number(const Inference *how);

/* Tells y to whoever listens. Shall it go on? */
bool heard(const Inference *how, int y);

/* x; or, with slide, its end: as many times slide tokens are left out as
   make the rest at most ell_max long. A memory forgets what has moved. */
Tokens in_sight(Tokens x, const Theta *theta, const Inference *how);

/* How many tokens Algorithm 15 may draw: ell_gen, or ell_max for 0. */
int translation_bound(int ell_gen, const Theta *theta);

/* theta with a memory: the same numbers, and a place for the keys and the
   values of up to ell_max tokens. An algorithm that is given it computes
   only the tokens that are new since the last call, and its result has
   columns for these only; the earlier tokens must not have changed.
   For Algorithm 8 it is decode that remembers, and Z must stay the same.
   theta_forget empties the memory, if theta has one. */
Theta *theta_remembering(Arena *arena, const Theta *theta);
void theta_forget(const Theta *theta);

/* The columns that are kept of an earlier call, and behind them those of
   M, which are kept too. Where everything is known, M is not computed. */
#define WITH_PAST(past, M) \
    ((past) == NULL ? (M) \
                    : with_past(past, past_is_whole(past) ? NULL : (M)))
bool past_is_whole(const struct Past *past);
Mat with_past(struct Past *past, Mat M);

/* A translation; the logarithm of its probability; whether it has ended. */
typedef struct { Tokens x; double log_p; bool ended; } Hypothesis;

/* The hyperparameters of beam search. */
typedef struct {
    int B;                  /* the width, at least 1 */
    double alpha;           /* the exponent of the length; 0: none */
    int ell_gen;            /* at most so many tokens; 0: ell_max */
    bool no_special;        /* mask_token and bos_token never occur */
} Beam;

/* The translations of z that beam search finds, the best first: n <= B of
   them, which is returned, in best[0] ... best[n - 1]; best has room for B.
   Of equal scores the one with the better beginning comes first, and of
   one beginning the lower token. A B below 1 is refused. */
int beam_search(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                const Beam *how, Hypothesis best[]);

/* A place of x where mask_token stands, and its n most probable tokens:
   y[0] ... y[n - 1] with their probabilities p[0] ... p[n - 1]. */
typedef struct {
    int t;
    const int *y;
    const double *p;
} Guess;

/* The guesses of Algorithm 9 for each mask_token in x, from the first to
   the last; *count of them, in the arena. n is in [N_V]. */
const Guess *fill_in(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                     int n, int *count);

#endif
