/* ftx: Formal Algorithms for Transformers [PH22] as a program.

   A matrix is d x l: one column per token. Indices start at 1.
   A comment or a SEE with two numbers, such as 4.5, marks the C that
   carries out line 5 of Algorithm 4. The book is ftx.pdf or ftx.html. */
#ifndef FTX_H
#define FTX_H
#include <stdbool.h>
#include <stddef.h>

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
    real *grad;             /* d loss / d entry; NULL where not wanted */
    struct Tape *tape;          /* the tape it is on; NULL: on none */
    Mat previous;               /* what was computed before it on the tape */
    void (*back)(Mat Y);        /* adds to the operands' grad; NULL: an input */
    const Mat *of;              /* the operands */
    int n;                      /* how many operands there are */
    const int *i, *j;           /* row and column indices, counted from 1 */
    double c;                   /* the scalar operand */

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

/* backward(loss) adds d loss / d entry to the grad of every matrix on the
   tape of loss, a 1 x 1 matrix, and to the grad of every parameter used.
   The gradients of parameters accumulate: clear_gradient sets one to 0. */
#define backward(loss) backward_(HERE("backward(" #loss ")"), loss)
void backward_(Where where, Mat loss);
void clear_gradient(Mat M);

/* Products. W X; A^T B; A B^T; W X + b 1^T, where b is one column. */
#define mul(A, B)    mul_(HERE("mul(" #A ", " #B ")"), A, B)
#define mul_tn(A, B) mul_tn_(HERE("mul_tn(" #A ", " #B ")"), A, B)
#define mul_nt(A, B) mul_nt_(HERE("mul_nt(" #A ", " #B ")"), A, B)
#define affine(W, X, b) \
    affine_(HERE("affine(" #W ", " #X ", " #b ")"), W, X, b)
Mat mul_(Where where, Mat A, Mat B);            /* a x n, n x b to a x b */
Mat mul_tn_(Where where, Mat A, Mat B);         /* n x a, n x b to a x b */
Mat mul_nt_(Where where, Mat A, Mat B);         /* a x n, b x n to a x b */
Mat affine_(Where where, Mat W, Mat X, Mat b);

/* Sums and multiples. A + B; M + b 1^T; c M; diag(g) M; the sum of all. */
#define add(A, B)         add_(HERE("add(" #A ", " #B ")"), A, B)
#define add_bias(M, b)    add_bias_(HERE("add_bias(" #M ", " #b ")"), M, b)
#define scale(M, c)       scale_(HERE("scale(" #M ", " #c ")"), M, c)
#define scale_rows(g, M) \
    scale_rows_(HERE("scale_rows(" #g ", " #M ")"), g, M)
#define sum(M)            sum_(HERE("sum(" #M ")"), M)
Mat add_(Where where, Mat A, Mat B);            /* both of one shape */
Mat add_bias_(Where where, Mat M, Mat b);       /* b is M->rows x 1 */
Mat scale_(Where where, Mat M, double c);
Mat scale_rows_(Where where, Mat g, Mat M);     /* g is M->rows x 1 */
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
   log_prob: a row of n numbers, the logarithm of softmax(M)[i[k], j[k]],
   computed without the softmax (E16). */
#define gather(tape, W, n, j) \
    gather_(HERE("gather(" #tape ", " #W ", " #n ", " #j ")"), \
            tape, W, n, j)
#define stack(n, parts) \
    stack_(HERE("stack(" #n ", " #parts ")"), n, parts)
#define log_prob(M, n, i, j) \
    log_prob_(HERE("log_prob(" #M ", " #n ", " #i ", " #j ")"), M, n, i, j)
Mat gather_(Where where, Tape *tape, Mat W, int n, const int j[]);
Mat stack_(Where where, int n, const Mat parts[]);
Mat log_prob_(Where where, Mat M, int n, const int i[], const int j[]);

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

/* Algorithm 1: e <- the embedding of token v.
   v in [N_V]; W_e is d_e x N_V; e is d_e x 1. Another v is refused. */
Mat embed(Tape *tape, Mat W_e, int v);

/* Algorithm 2: e_p <- the embedding of position t.
   t in [ell_max]; W_p is d_e x ell_max; e_p is d_e x 1.
   Another t is refused. (E11: the paper calls the position l.) */
Mat posembed(Tape *tape, Mat W_p, int t);

/* Equation (1) for t = 1 ... ell: column t is W_e[:, x[t]] + W_p[:, t].
   x holds ell token IDs, each in [N_V]; ell in [ell_max]. d_e x ell. */
Mat embed_sequence(Tape *tape, Mat W_e, Mat W_p, int ell, const int x[]);

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
    const W_qkv *head;      /* head[1] ... head[H]; head[0] is not used   */
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

/* product adds op(A) op(B) to C: m x n += (m x k)(k x n). op transposes
   where the flag is set. Entries lie column by column; lda, ldb and ldc are
   the distances between the columns of A, B and C, as they are stored.
   C overlaps neither A nor B.
   The bytes of a column of C depend on A and on its own column of op(B) and
   of C, not on n or its neighbours: threads may share out the columns. */
void product(bool transpose_A, bool transpose_B, int m, int n, int k,
             const real *A, int lda, const real *B, int ldb,
             real *C, int ldc);
/* A kernel is the innermost part of product for one instruction set.
   product_kernel gives "avx512", "avx2" or "plain"; with NULL, the fastest.
   It returns NULL if the processor, or the program, does not have it.
   product_by is product with a kernel of the caller's choice. */
struct Strip;
typedef struct Kernel {
    const char *name;
    int lanes;                              /* reals in a vector */
    void (*strip)(const struct Strip *strip);
    void (*pack)(const struct Strip *strip, real *to, int height);
} Kernel;
const Kernel *product_kernel(const char *name);
void product_by(const Kernel *kernel,
                bool transpose_A, bool transpose_B, int m, int n, int k,
                const real *A, int lda, const real *B, int ldb,
                real *C, int ldc);
#endif
