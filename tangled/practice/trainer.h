/* The trainer: batches, workers, optimisers, schedules, evaluation.

   Main type: Trainer. Entry points: trainer_new, trainer_run, evaluate. In
   go a theta and data; out comes the theta, trained. */
#ifndef FTX_TRAINER_H
#define FTX_TRAINER_H
#include "practice/training.h"

/* What a step has done. */
typedef struct {
    long long step;         /* counted from 1 over all epochs             */
    int epoch, n;           /* i and n of the loops                       */
    double loss;            /* the sum over the sequences, in nats        */
    long long tokens;       /* how many tokens were predicted             */
    double eta;             /* by schedule                                */
} Progress;

/* Is called after each step. false ends the training. */
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

/* The loss of a data set that is not learnt from: the sum in nats, without
   dropout and smoothing, and the number of predicted tokens. What is random
   in it is the same in every evaluation. */
typedef struct {
    double loss;
    long long tokens;
} Score;
Score evaluate(Trainer *trainer, Loss *loss, const Data *data);

#endif
