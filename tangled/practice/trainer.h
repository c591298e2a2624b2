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

enum { MAX_WORKERS = 8 };

typedef struct {
    Theta *theta;
    Training how;           /* with the defaults filled in                */
    long long step;         /* steps taken; the next is step + 1          */
    long long updates;      /* those that have changed theta              */
    Mat *m, *v;             /* m[1] ... m[theta->n]; NULL: not needed     */
    bool (*on_step)(void *to, const Progress *step);    /* false: stop    */
    void *to;               /* given to on_step, which may be NULL        */
    bool diverged;          /* the loss was not a number; the last step
                               did not change theta                       */
    Worker worker[2 * MAX_WORKERS];     /* as many as threads, as sequences;
                               the second half works without gradients    */
    Arena *arena;
    Progress now;
} Trainer;

/* Returns a trainer of theta, in the arena, except its tapes. Wrong
   hyperparameters are refused. */
Trainer *trainer_new(Arena *arena, Theta *theta, const Training *how);

/* Frees the tapes of the trainer. */
void trainer_free(Trainer *trainer);

/* Trains theta with this loss from the trainer's next step on, and returns
   it. It calls on_step after each step, and stops early where that returns
   false or where the loss is not a number. An empty data set is refused. */
const Theta *trainer_run(Trainer *trainer, Loss *loss, const Data *data);

/* Updates theta from its gradient by the trainer's method, and sets that to
   0. theta stays if the step predicted no token, if its loss is not finite,
   or with clip > 0 its gradient, which sets diverged. */
void trainer_update(Trainer *trainer);

/* Returns eta in step s of s_last by the schedule. d_e is for Vaswani's. */
double learning_rate(const Training *how, long long s, long long s_last,
                     int d_e);

/* The sum of the loss of a data set in nats, and how many tokens it is of. */
typedef struct {
    double loss;
    long long tokens;
} Score;

/* Returns the score of a data set, without training on it, without dropout
   and smoothing. What is random is the same in every evaluation. */
Score evaluate(Trainer *trainer, Loss *loss, const Data *data);

#endif
