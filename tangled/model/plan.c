/* model/plan.c: what is trained and how, as tables of options.
   Main types Task and Plan; entry points hyper_options and plan_options. */
#include "model/plan.h"
#include <float.h>
#include <string.h>

#define IN_HYPER(member) offsetof(Hyperparameters, member)

const Option hyper_options[] = {
    { "architecture", CHOICE, IN_HYPER(architecture), 0, 0, "ed e d",
      "Algorithm 8, 9 or 10" },
    { "N_V", WHOLE, IN_HYPER(N_V), 1, 1e7, NULL, "size of the vocabulary" },
    { "N_C", WHOLE, IN_HYPER(N_C), 0, 1e6, NULL, "classes, of class" },
    { "ell_max", WHOLE, IN_HYPER(ell_max), 1, 1e7, NULL,
      "the longest sequence, in tokens" },
    { "L", WHOLE, IN_HYPER(L), 0, 1000, NULL, "layers, of d and e" },
    { "L_enc", WHOLE, IN_HYPER(L_enc), 0, 1000, NULL,
      "layers of the encoder, of ed" },
    { "L_dec", WHOLE, IN_HYPER(L_dec), 0, 1000, NULL,
      "layers of the decoder, of ed" },
    { "H", WHOLE, IN_HYPER(H), 1, 1000, NULL, "heads" },
    { "d_e", WHOLE, IN_HYPER(d_e), 1, 1e5, NULL, "width of an embedding" },
    { "d_mlp", WHOLE, IN_HYPER(d_mlp), 0, 1e6, NULL,
      "width inside the MLP; 0: 4 d_e" },
    { "d_attn", WHOLE, IN_HYPER(d_attn), 0, 1e5, NULL,
      "width of queries and keys; 0: d_e/H" },
    { "d_mid", WHOLE, IN_HYPER(d_mid), 0, 1e5, NULL,
      "width of values; 0: d_e/H" },
    { "d_f", WHOLE, IN_HYPER(d_f), 0, 1e5, NULL,
      "width before W_u, of e; 0: d_e" },
    { "epsilon", DECIMAL, IN_HYPER(epsilon), 0, 1, NULL,
      "added under the root in layer_norm; the paper: 0" },
    { "positions", CHOICE, IN_HYPER(positions), 0, 0,
      "learned paper_sines vaswani_sines none",
      "the positional embedding" },
    { "tied", FLAG, IN_HYPER(tied), 0, 0, NULL, "W_u = W_e^T" },
    { "tanh_gelu", FLAG, IN_HYPER(tanh_gelu), 0, 0, NULL,
      "GPT-2's approximation of GELU" },
    { "rms", FLAG, IN_HYPER(rms), 0, 0, NULL,
      "RMSnorm in place of layer_norm" },
    { "no_attention_biases", FLAG, IN_HYPER(no_attention_biases), 0, 0, NULL,
      "without b_q, b_k, b_v, b_o" },
    { "scaled_embedding", FLAG, IN_HYPER(scaled_embedding), 0, 0, NULL,
      "multiply embeddings by the root of d_e" },
    { "embedding_norm", FLAG, IN_HYPER(embedding_norm), 0, 0, NULL,
      "a layer_norm before the first layer" },
    { "window", WHOLE, IN_HYPER(window), 0, 1e6, NULL,
      "tokens that every second layer attends to; 0: all" },
    { "sparse", CHOICE, IN_HYPER(sparse), 0, 0, "banded strided",
      "strided: and every window-th token before" },
    { "types", WHOLE, IN_HYPER(types), 0, 1000, NULL,
      "token types with a vector each, of e and class" },
    { "unembedding_bias", FLAG, IN_HYPER(unembedding_bias), 0, 0, NULL,
      "b_u, added to the logits, of e" },
    { "pooler", FLAG, IN_HYPER(pooler), 0, 0, NULL,
      "line 9.10 with tanh, and no 9.11: of class" },
    { .name = NULL },
};

const char *task_name(Task task)
{
    static const char *const words[] = { "ed", "e", "d", "class" };
    return words[task];
}

bool task_of(const char *word, Task *task)
{
    for (int k = TRAIN_ED; k <= TRAIN_CLASS; k++)
        if (strcmp(word, task_name((Task)k)) == 0) {
            *task = (Task)k;
            return true;
        }
    return false;
}

Hyperparameters hyper_default(Task task)
{
    Architecture architecture = task == TRAIN_ED ? ED_TRANSFORMER
                              : task == TRAIN_D ? D_TRANSFORMER
                              : E_TRANSFORMER;
    return (Hyperparameters){
        .architecture = architecture, .N_C = task == TRAIN_CLASS ? 2 : 0,
        .N_V = 259, .ell_max = 64, .L = 2, .L_enc = 2, .L_dec = 2,
        .H = 4, .d_e = 64, .epsilon = 1e-5,
    };
}

void hyper_check(Error *f, Hyperparameters *hyper)
{
    if (hyper->d_mlp == 0)
        hyper->d_mlp = 4 * hyper->d_e;
    const char *wrong = hyperparameters_error(hyper);
    if (wrong != NULL)
        fail_with(f, "%s", wrong);
}

void refuse_unused_hyper(Error *f, Task task, int n, char *const option[])
{
    const OptionEffect effects[] = {
        { "L", task != TRAIN_ED, "with d, e and class" },
        { "L_enc", task == TRAIN_ED, "with ed" },
        { "L_dec", task == TRAIN_ED, "with ed" },
        { "d_f", task == TRAIN_E || task == TRAIN_CLASS,
          "with e and class" },
        { "unembedding_bias", task == TRAIN_E, "with e" },
        { "pooler", task == TRAIN_CLASS, "with class" },
        { .name = NULL },
    };
    refuse_unused_options(f, effects, n, option);
}
#define IN_PLAN(member) offsetof(Plan, member)
const Option plan_options[] = {
    { "epochs", WHOLE, IN_PLAN(how.N_epochs), 1, 1e9, NULL,
      "N_epochs, passes through the data" },
    { "steps", WHOLE, IN_PLAN(steps), 0, 1e9, NULL,
      "stop after this many steps; 0: after the epochs" },
    { "eta", DECIMAL, IN_PLAN(how.eta), 1e-300, 1e300, NULL,
      "the learning rate" },
    { "optimiser", CHOICE, IN_PLAN(how.method), 0, 0,
      "sgd momentum rmsprop adagrad adam adamw", "the method" },
    { "batch", WHOLE, IN_PLAN(how.batch), 1, 1e5, NULL,
      "sequences in a step" },
    { "mean", FLAG, IN_PLAN(how.mean), 0, 0, NULL,
      "the mean loss of a batch; --mean=no: the sum" },
    { "shuffle", FLAG, IN_PLAN(how.shuffle), 0, 0, NULL,
      "a new order in every epoch" },
    { "schedule", CHOICE, IN_PLAN(how.schedule), 0, 0,
      "constant cosine vaswani", "of the learning rate" },
    { "warm_up", WHOLE, IN_PLAN(how.warm_up), 0, 1e9, NULL,
      "steps in which the rate rises" },
    { "eta_last", DECIMAL, IN_PLAN(how.eta_last), 0, 1e300, NULL,
      "the rate at the end of the cosine" },
    { "clip", DECIMAL, IN_PLAN(how.clip), 0, 1e300, NULL,
      "clip gradients to this length; 0: do not" },
    { "decay", DECIMAL, IN_PLAN(how.decay), 0, 1e300, NULL, "of weights" },
    { "beta_1", DECIMAL, IN_PLAN(how.beta_1), 0, 1, NULL,
      "of the optimiser; 0: the usual value" },
    { "beta_2", DECIMAL, IN_PLAN(how.beta_2), 0, 1, NULL, "likewise" },
    { "tiny", DECIMAL, IN_PLAN(how.epsilon), 0, 1, NULL,
      "its epsilon; 0: the usual value" },
    { "dropout", DECIMAL, IN_PLAN(how.dropout), 0, 1, NULL,
      "the probability that an entry is dropped" },
    { "smoothing", DECIMAL, IN_PLAN(how.smoothing), 0, 1, NULL, "of labels" },
    { "p_mask", DECIMAL, IN_PLAN(how.p_mask), 0, 1, NULL,
      "the share of masked tokens, of e" },
    { "spare_special", FLAG, IN_PLAN(how.spare_special), 0, 0, NULL,
      "never mask special tokens, of e" },
    { "seed", WHOLE, IN_PLAN(seed), 0, 2147483647, NULL,
      "of the random numbers" },
    { "initialise", CHOICE, IN_PLAN(initialise), 0, 0, "xavier normal gpt2",
      "the initial values" },
    { "held-out", DECIMAL, IN_PLAN(held_out), 0, 0.9, NULL,
      "hold out this last part of the data" },
    { "tokens", CHOICE, IN_PLAN(tokens), 0, 0, "char word bpe",
      "the kind of tokens" },
    { "merges", WHOLE, IN_PLAN(merges), 0, 1e6, NULL, "of --tokens bpe" },
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
    if (wrong != NULL)
        fail_with(f, "--%s", wrong);
}
