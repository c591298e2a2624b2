/* model/evaluate.h: how good a model is on data that it has not seen, beside
   what can be had without a model.
   Main type Evaluation; entry point print_evaluation. */
#ifndef FTX_EVALUATE_H
#define FTX_EVALUATE_H
#include "model/corpus.h"

/* A model and data. */
typedef struct {
    Command *command;
    Trainer *trainer;           /* of the model's theta                   */
    const Model *model;
    const Data *data;           /* what the model is evaluated on         */
    const Data *train;          /* what it learned from; NULL: not known  */
    const char *name;           /* what is printed first                  */
} Evaluation;

/* The loss of each task, in the order of Task. */
extern Loss *const loss_of_task[];

/* Returns the mean loss a token, or a text with a class, in nats; NaN if no
   token was predicted. */
double mean_loss(Trainer *trainer, Task task, const Data *data);

/* Prints the loss, and for texts the perplexity, for pairs how many are
   translated exactly, for labels how many are right. Returns false if the
   loss is not finite. */
bool print_evaluation(const Evaluation *e);
#endif
