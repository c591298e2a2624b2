/* How a model is trained, as options. */
#include "model/model.h"
#include <float.h>

#define PLACE(member) offsetof(Plan, member)

const Option plan_options[] = {
    { "epochs", WHOLE, PLACE(how.N_epochs), 1, 1e9, NULL,
      "N_epochs, times through the data" },
    { "steps", WHOLE, PLACE(steps), 0, 1e9, NULL,
      "stop after so many, whatever the epochs; 0: do not" },
    { "eta", DECIMAL, PLACE(how.eta), 1e-300, 1e300, NULL,
      "the learning rate" },
    { "optimiser", CHOICE, PLACE(how.method), 0, 0,
      "sgd momentum rmsprop adagrad adam adamw", "the method" },
    { "batch", WHOLE, PLACE(how.batch), 1, 1e5, NULL,
      "sequences a step" },
    { "mean", FLAG, PLACE(how.mean), 0, 0, NULL,
      "the mean loss of a batch; --mean=no sums" },
    { "shuffle", FLAG, PLACE(how.shuffle), 0, 0, NULL,
      "another order in every epoch" },
    { "schedule", CHOICE, PLACE(how.schedule), 0, 0,
      "constant cosine vaswani", "of the learning rate" },
    { "warm_up", WHOLE, PLACE(how.warm_up), 0, 1e9, NULL,
      "steps in which it rises" },
    { "eta_last", DECIMAL, PLACE(how.eta_last), 0, 1e300, NULL,
      "where the cosine ends, with the last epoch" },
    { "clip", DECIMAL, PLACE(how.clip), 0, 1e300, NULL,
      "the longest gradient; 0: any" },
    { "decay", DECIMAL, PLACE(how.decay), 0, 1e300, NULL, "of weights" },
    { "beta_1", DECIMAL, PLACE(how.beta_1), 0, 1, NULL,
      "of the optimiser; 0: the usual one" },
    { "beta_2", DECIMAL, PLACE(how.beta_2), 0, 1, NULL, "the same" },
    { "tiny", DECIMAL, PLACE(how.epsilon), 0, 1, NULL,
      "what it adds to a root; 0: the usual one" },
    { "dropout", DECIMAL, PLACE(how.dropout), 0, 1, NULL,
      "the probability of a zero" },
    { "smoothing", DECIMAL, PLACE(how.smoothing), 0, 1, NULL, "of labels" },
    { "p_mask", DECIMAL, PLACE(how.p_mask), 0, 1, NULL,
      "of Algorithm 12, for e" },
    { "spare_special", FLAG, PLACE(how.spare_special), 0, 0, NULL,
      "Algorithm 12 does not mask special tokens" },
    { "patience", WHOLE, PLACE(patience), 0, 1e6, NULL,
      "stop after so many epochs in vain, use the best; 0: no" },
    { "seed", WHOLE, PLACE(seed), 0, 2147483647, NULL, "of what is random" },
    { "initialise", CHOICE, PLACE(initialise), 0, 0, "xavier normal gpt2",
      "the first values" },
    { "held-out", DECIMAL, PLACE(held_out), 0, 0.9, NULL,
      "this part of the data, its last" },
    { "tokens", CHOICE, PLACE(tokens), 0, 0, "char word bpe", "what they are" },
    { "merges", WHOLE, PLACE(merges), 0, 1e6, NULL, "of --tokens bpe" },
    { .name = NULL },
};

Plan plan_default(bool as_printed)
{
    Plan plan = {
        .how = { .N_epochs = 10, .p_mask = 0.15, .eta = 0.01 },
        .seed = 1, .initialise = NORMAL_002, .held_out = 0.1,
        .tokens = CHARACTERS, .merges = 1000,
    };
    Training *how = &plan.how;
    how->batch = 1;
    if (!as_printed) {
        how->method = ADAMW;
        how->eta = 0.003;
        how->batch = 16;
        how->mean = how->shuffle = how->spare_special = true;
        how->schedule = COSINE;
        how->warm_up = 50;
        how->clip = 1;
        how->decay = 0.01;
    }
    return plan;
}

void plan_check(Error *f, Task task, Plan *plan)
{
    plan->how.seed = (uint64_t)plan->seed;
    const char *wrong = training_error(&plan->how);
    if (task == TRAIN_E && plan->how.p_mask == 0)
        wrong = "p_mask must be in (0, 1).";
    if (plan->patience > 0 && plan->held_out == 0)
        wrong = "patience is about what is held out, and --held-out is 0.";
    if (wrong != NULL)
        fail_with(f, "--%s", wrong);
}

void refuse_idle_plan(Error *f, Task task, const Plan *plan, int n,
                      char *const argument[])
{
    Method method = plan->how.method;
    bool adam = method == ADAM || method == ADAMW;
    const OptionEffect acting[] = {
        { "epochs", plan->steps == 0, "without --steps" },
        { "p_mask", task == TRAIN_E, "with e" },
        { "spare_special", task == TRAIN_E, "with e" },
        { "merges", plan->tokens == BYTE_PAIRS, "with --tokens bpe" },
        { "eta_last", plan->how.schedule == COSINE,
          "with --schedule cosine" },
        { "beta_1", adam || method == MOMENTUM,
          "with --optimiser momentum, adam and adamw" },
        { "beta_2", adam || method == RMSPROP,
          "with --optimiser rmsprop, adam and adamw" },
        { "tiny", method != SGD && method != MOMENTUM,
          "with --optimiser rmsprop, adagrad, adam and adamw" },
        { .name = NULL },
    };
    refuse_unused_options(f, acting, n, argument);
}
