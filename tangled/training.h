/* Training in practice: batches, threads, optimisers, schedules. */
#ifndef TRAINING_H
#define TRAINING_H
#include "practice.h"

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
const char *training_fault(const Training *how);

/* A place to compute the loss of a sequence. */
typedef struct {
    Tape *tape;
    const Theta *theta;
    const Training *how;
    Random random, drops;   /* of this sequence in this epoch             */
    double loss;            /* the sum of the losses on this lane, nats   */
    long long tokens;       /* how many tokens these have predicted       */
} Lane;

/* The loss of sequence n, 1 x 1 on the tape of the lane, in nats. It is
   added to lane->tokens how many tokens are predicted. */
typedef Mat Loss(Lane *lane, const Data *data, int n);
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

/* Trains theta by this loss, from the step on that comes next, and returns
   it: early where the follower says so, or where the loss is not a number.
   No data is refused. */
const Theta *trainer_run(Trainer *trainer, Loss *loss, const Data *data);

/* theta <- theta - eta gradient; or what the method does instead. */
void trainer_update(Trainer *trainer);

/* eta in step s of s_last, by schedule. d_e is for Vaswani's. */
double learning_rate(const Training *how, long long s, long long s_last,
                     int d_e);

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

/* The loss of it. data->c[n] in [N_C] is the class of x_n. */
Loss loss_class;
#endif
