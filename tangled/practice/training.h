/* The data and the hyperparameters of a training, and its losses.

   Main types: Data, Training, Worker. */
#ifndef FTX_TRAINING_H
#define FTX_TRAINING_H
#include "practice/variants.h"

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
    int threads;            /* 0: 1. At most 8 are used; same result      */
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

/* Returns what is wrong with them that the bounds of the options allow, a
   sentence; or NULL. p_mask may be 0. */
const char *training_error(const Training *how);

/* A place to compute the loss of a sequence. */
typedef struct {
    Tape *tape;
    const Theta *theta;
    const Training *how;
    Random random, drops;   /* of this sequence in this epoch             */
    double loss;            /* of the last sequence on this worker, nats  */
    long long tokens;       /* how many tokens it has predicted           */
    Tokens z, x;            /* of the loss that was recorded              */
    Mat recorded;           /* which a replay computes; NULL: there is none */
} Worker;

/* Returns the loss of sequence n in nats, 1 x 1 on the tape of the worker,
   and adds the number of predicted tokens to worker->tokens. */
typedef Mat Loss(Worker *worker, const Data *data, int n);
Loss loss_11, loss_12, loss_13;     /* 11.3 to 11.5, 12.3 to 12.9, ...    */
Loss loss_class;                    /* data->c[n] in [N_C] is the class    */

#endif
