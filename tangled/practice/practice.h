/* Practice: what is put around the fifteen algorithms. */
#ifndef PRACTICE_H
#define PRACTICE_H
#include "library/operation.h"
#include "library/parameters.h"
#include "library/random.h"
#include "library/refusal.h"
#include "library/sampling.h"
#include "library/tape.h"
#include "library/tokens.h"
#include "practice/relative.h"

/* The tape as printed, and then what theta's hyperparameters ask for beyond
   the paper. What the observers need is in the arena. */
void prepare_tape(Arena *arena, Tape *tape, const Theta *theta);

/* From now on the tape, which wants no gradients, keeps of a layer only its
   X: the rest is let go when the layer is done. */
void tape_discard_layers(Arena *arena, Tape *tape);

/* Lines 1 to 9 of Algorithm 8: z to Z, d_e x length(z); lines 10 to 21: Z
   and x to P; lines 1 to 9 of Algorithm 9: x to X, d_e x length(x); lines
   1 to 11: x to X, d_f x length(x). */
Mat encode(Tape *tape, Tokens z, const Theta *theta);
Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta);
Mat layers_9(Tape *tape, Tokens x, const Theta *theta);
Mat represent(Tape *tape, Tokens x, const Theta *theta);

/* tape_release forgets what the tape has computed since the mark, except
   M, and returns M; M may be NULL. Where gradients are wanted nothing is
   forgotten. tape_peak is the most bytes that the tape has held. */
typedef struct {
    Tape *tape;
    size_t used;
} Mark;
Mark tape_mark(Tape *tape);
Mat tape_release(Mark mark, Mat M);
size_t tape_peak(Tape *tape);

/* Another theta with the same matrices; a matrix of zeros for each
   parameter k, in [1] ... [n]. */
Theta *theta_alias(Arena *arena, const Theta *theta);
Mat *theta_zeros(Arena *arena, const Theta *theta);

/* A model that is known by its name: the number of parameters that was
   published, in words, and why ours is another. known_models ends with one
   that has no name; known_model gives NULL for a name that is not known. */
typedef struct {
    const char *name, *published, *why;
    Hyperparameters hyper;
} KnownModel;
extern const KnownModel known_models[];
const KnownModel *known_model(const char *name);

/* x_1 ... x_N_data are x[1] ... x[N_data]. The same holds for z, the
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
const char *training_error(const Training *how);

/* A place to compute the loss of a sequence. */
typedef struct {
    Tape *tape;
    const Theta *theta;
    const Training *how;
    Random random, drops;   /* of this sequence in this epoch             */
    double loss;            /* of the last sequence on this worker, nats    */
    long long tokens;       /* how many tokens it has predicted           */
    bool stopped;           /* there was none: see Trainer                */
} Worker;

/* The loss of sequence n, 1 x 1 on the tape of the worker, in nats. It is
   added to worker->tokens how many tokens are predicted. */
typedef Mat Loss(Worker *worker, const Data *data, int n);
Loss loss_11, loss_12, loss_13;     /* 11.3 to 11.5, 12.3 to 12.9, ...    */

/* What a step has done. */
typedef struct {
    long long step;         /* counted from 1 over all epochs             */
    int epoch, n;           /* i and n of the loops                       */
    double loss;            /* the sum over the sequences, in nats        */
    long long tokens;       /* how many tokens were predicted             */
    double eta;             /* by schedule                                */
} Progress;

/* Is told of each step. false ends the training. */
typedef bool OnStep(void *to, const Progress *step);

enum { MAX_WORKERS = 8 };

typedef struct {
    Theta *theta;
    Training how;           /* with the defaults filled in                */
    long long step;         /* steps taken; the next is step + 1          */
    long long updates;      /* those that have changed theta              */
    Mat *m, *v;             /* m[1] ... m[theta->n]; NULL: not needed     */
    OnStep *follow;         /* NULL: nobody                               */
    bool (*stop)(void *to); /* asked before each sequence of evaluate: is
                               the result wanted no more? NULL: it is     */
    void *to;               /* for both                                   */
    bool diverged;          /* the loss was not a number; the last step
                               did not change theta                       */
    Worker worker[MAX_WORKERS];         /* as many as threads, as sequences */
    Worker evaluator[MAX_WORKERS];      /* without gradients */
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

/* Trains theta by this loss, from the step on that comes next, and returns
   it: early where the follower says so, or where the loss is not a number.
   No data is refused. */
const Theta *trainer_run(Trainer *trainer, Loss *loss, const Data *data);

/* theta <- theta - eta gradient; or what the method does instead. */
void trainer_update(Trainer *trainer);

/* eta in step s of s_last, by schedule. d_e is for Vaswani's. */
double learning_rate(const Training *how, long long s, long long s_last,
                     int d_e);

/* From now on this tape, which wants gradients, sets each entry of the
   embedding and of what a sub-layer adds to 0 with probability p in [0, 1),
   and divides the others by 1 - p. p = 0 asks for nothing. */
void tape_dropout(Arena *arena, Tape *tape, double p, Random *random);

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
bool update_patience(Patience *patience, double loss, int most);

/* P(c | x), a column of N_C probabilities, of a theta with a class head.
   classify_state is what the head makes of the column of bos: behind line
   9.11; with a pooler, behind 9.9. */
Mat classify(Tape *tape, Tokens x, const Theta *theta);
Mat classify_state(Mat first, const Theta *theta);

/* The loss of it. data->c[n] in [N_C] is the class of x_n. */
Loss loss_class;

typedef struct KVCache KVCache;

/* The hyperparameters of inference in practice; options, off when 0. */
typedef struct {
    int ell_gen;            /* how many tokens; in a translation: at most so
                               many, and 0 stands for ell_max */
    double tau;             /* temperature, 0 to infinity (E22) */
    Random *random;         /* a number for each token (E41); with tau = 0
                               it may be NULL */
    bool (*on_token)(void *to, int y);  /* false: stop */
    void *to;
    bool stop_at_eos;       /* Algorithm 14: eos_token is the last (E35) */
    bool no_special;        /* mask_token and bos_token are never drawn; and
                               eos_token not where it ends nothing (E35) */
    int top_k;              /* only the k most probable tokens */
    double top_p;           /* only the most probable, up to this sum */
    int slide;              /* Algorithm 14: how many tokens leave the
                               front when there are more than ell_max */
    bool encode_once;       /* Algorithm 15: z; with a KV cache, always */
    KVCache *kv_cache;      /* of the tape; NULL: none */
} Inference;

/* Algorithm 14 with these options. y lives in the arena; what the model
   computes for a token is let go after it. */
Tokens inference_14(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                    const Inference *how);

/* Algorithm 15 with these options. *ended, unless ended is NULL, says
   whether the last token is eos_token. x^ lives in the arena. */
Tokens inference_15(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                    const Inference *how, bool *ended);

/* p without the special tokens; the rest has the sum 1 again. eos_token
   stays where eos_ends is set. */
Mat exclude_special(Mat p, bool eos_ends);

/* q with only its k most probable tokens; with only as many of the most
   probable as have a sum of at least top_p in [0, 1]. 0 stands for all. */
Mat restrict_top_k(Mat q, int k);
Mat restrict_top_p(Mat q, double top_p);

/* y[0] ... y[n - 1]: the n most probable tokens of p, N_V x 1, the most
   probable first, and of equal ones the lower number first. */
void rank_tokens(Mat p, int n, int y[]);

/* The q that a token is drawn from; eos_ends: would eos_token end it? */
Mat sampling_distribution(Mat p, bool eos_ends, const Inference *how);

/* How many tokens Algorithm 15 may draw: ell_gen, or ell_max for 0. */
int translation_bound(int ell_gen, const Theta *theta);

/* A KV cache for the keys and the values of up to ell_max tokens, of
   Algorithms 8 and 10, on a tape that wants no gradients. It is in the
   arena, and looks on until the tape is as printed again. */
KVCache *kv_cache_new(Arena *arena, Tape *tape, const Theta *theta);

/* The tokens of x that are not in the cache yet. x begins with those that
   are; where it is not longer than they, it is another text, and the cache
   is emptied before. The next call of decode or Algorithm 10 must be with
   these tokens, and has columns for them only. Without a KV cache: x. */
Tokens kv_cache_unseen(KVCache *cache, Tokens x);

/* Z, for decode; or one column of it, where all keys and values of Z are
   known. Z must stay the same. */
Mat kv_cache_context(const KVCache *cache, Mat Z);

/* Empties the cache, if there is one. */
void kv_cache_clear(KVCache *cache);

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
const Guess *fill_masked(Tape *tape, Arena *arena, Tokens x,
                         const Theta *theta, int n, int *count);

#endif
