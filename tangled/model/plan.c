/* model/plan.c: what is trained and how, as tables of options.
   Main types Task and Plan; entry points hyper_options and plan_options. */
#include "model/plan.h"
#include <float.h>
#include <string.h>

#define OF(member) offsetof(Hyperparameters, member)

const Option hyper_options[] = {
    { "architecture", CHOICE, OF(architecture), NO_BOUNDS, "ed e d",
      "Algorithm 8, 9 or 10" },
    { "N_V", WHOLE, OF(N_V), 1, 1e7, NULL, "size of the vocabulary" },
    { "N_C", WHOLE, OF(N_C), 0, 1e6, NULL, "classes, of class" },
    { "ell_max", WHOLE, OF(ell_max), 1, 1e7, NULL, "tokens, at most" },
    { "L", WHOLE, OF(L), 0, 1000, NULL, "layers, of d and e" },
    { "L_enc", WHOLE, OF(L_enc), 0, 1000, NULL, "encoder layers, of ed" },
    { "L_dec", WHOLE, OF(L_dec), 0, 1000, NULL, "decoder layers, of ed" },
    { "H", WHOLE, OF(H), 1, 1000, NULL, "heads" },
    { "d_e", WHOLE, OF(d_e), 1, 1e5, NULL, "width of an embedding" },
    { "d_mlp", WHOLE, OF(d_mlp), 0, 1e6, NULL, "... in the MLP; 0: 4 d_e" },
    { "d_attn", WHOLE, OF(d_attn), 0, 1e5, NULL, "... of keys; 0: d_e/H" },
    { "d_mid", WHOLE, OF(d_mid), 0, 1e5, NULL, "... of values; 0: d_e/H" },
    { "d_f", WHOLE, OF(d_f), 0, 1e5, NULL, "... before W_u, of e; 0: d_e" },
    { "epsilon", DECIMAL, OF(epsilon), 0, 1, NULL,
      "added under the root in layer_norm; the paper: 0" },
    { "positions", CHOICE, OF(positions), NO_BOUNDS,
      "learned paper_sines vaswani_sines none",
      "the positional embedding" },
    { "tied", FLAG, OF(tied), NO_BOUNDS, NULL, "W_u = W_e^T" },
    { "tanh_gelu", FLAG, OF(tanh_gelu), NO_BOUNDS, NULL, "GELU as in GPT-2" },
    { "rms", FLAG, OF(rms), NO_BOUNDS, NULL,
      "RMSnorm in place of layer_norm" },
    { "no_attention_biases", FLAG, OF(no_attention_biases), NO_BOUNDS, NULL,
      "without b_q, b_k, b_v, b_o" },
    { "scaled_embedding", FLAG, OF(scaled_embedding), NO_BOUNDS, NULL,
      "multiply embeddings by the root of d_e" },
    { "embedding_norm", FLAG, OF(embedding_norm), NO_BOUNDS, NULL,
      "a layer_norm before the first layer" },
    { "window", WHOLE, OF(window), 0, 1e6, NULL,
      "tokens that every second layer attends to; 0: all" },
    { "sparse", CHOICE, OF(sparse), NO_BOUNDS, "banded strided",
      "strided: and every window-th token before" },
    { "types", WHOLE, OF(types), 0, 1000, NULL,
      "token types with a vector each, of e and class" },
    { "unembedding_bias", FLAG, OF(unembedding_bias), NO_BOUNDS, NULL,
      "b_u, added to the logits, of e" },
    { "pooler", FLAG, OF(pooler), NO_BOUNDS, NULL,
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
    bool class = task == TRAIN_CLASS;
    return (Hyperparameters){
        .architecture = class ? E_TRANSFORMER : (Architecture)task,
        .N_C = class ? 2 : 0, .N_V = 259, .ell_max = 64, .L = 2,
        .L_enc = 2, .L_dec = 2, .H = 4, .d_e = 64, .epsilon = 1e-5,
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

void refuse_unused_hyper(Error *f, Task task, char *const option[])
{
    bool ed = task == TRAIN_ED, e = task == TRAIN_E;
    bool class = task == TRAIN_CLASS;
    refuse_unused(f, option, "L", !ed, "with d, e and class");
    refuse_unused(f, option, "L_enc", ed, "with ed");
    refuse_unused(f, option, "L_dec", ed, "with ed");
    refuse_unused(f, option, "d_f", e || class, "with e and class");
    refuse_unused(f, option, "unembedding_bias", e, "with e");
    refuse_unused(f, option, "pooler", class, "with class");
}
#define PLAN(member) offsetof(Plan, member)
#define HOW(member) offsetof(Plan, how.member)

const Option plan_options[] = {
    { "epochs", WHOLE, HOW(N_epochs), 1, 1e9, NULL, "passes over the data" },
    { "steps", WHOLE, PLAN(steps), 0, 1e9, NULL,
      "stop after this many steps; 0: after the epochs" },
    { "eta", DECIMAL, HOW(eta), 1e-300, 1e300, NULL, "the learning rate" },
    { "optimiser", CHOICE, HOW(method), NO_BOUNDS,
      "sgd momentum rmsprop adagrad adam adamw", "the method" },
    { "batch", WHOLE, HOW(batch), 1, 1e5, NULL, "sequences in a step" },
    { "mean", FLAG, HOW(mean), NO_BOUNDS, NULL,
      "the mean loss of a batch; --mean=no: the sum" },
    { "shuffle", FLAG, HOW(shuffle), NO_BOUNDS, NULL,
      "a new order each epoch" },
    { "schedule", CHOICE, HOW(schedule), NO_BOUNDS, "constant cosine vaswani",
      "of the learning rate" },
    { "warm_up", WHOLE, HOW(warm_up), 0, 1e9, NULL, "steps of rising eta" },
    { "eta_last", DECIMAL, HOW(eta_last), 0, 1e300, NULL,
      "the rate at the end of the cosine" },
    { "clip", DECIMAL, HOW(clip), 0, 1e300, NULL,
      "clip gradients to this length; 0: do not" },
    { "decay", DECIMAL, HOW(decay), 0, 1e300, NULL, "of weights" },
    { "beta_1", DECIMAL, HOW(beta_1), 0, 1, NULL,
      "of the optimiser; 0: the usual value" },
    { "beta_2", DECIMAL, HOW(beta_2), 0, 1, NULL, "likewise" },
    { "tiny", DECIMAL, HOW(epsilon), 0, 1, NULL, "its epsilon; 0: usual" },
    { "dropout", DECIMAL, HOW(dropout), 0, 1, NULL,
      "the probability that an entry is dropped" },
    { "smoothing", DECIMAL, HOW(smoothing), 0, 1, NULL, "of labels" },
    { "p_mask", DECIMAL, HOW(p_mask), 0, 1, NULL,
      "the share of masked tokens, of e" },
    { "spare_special", FLAG, HOW(spare_special), NO_BOUNDS, NULL,
      "never mask special tokens, of e" },
    { "seed", WHOLE, PLAN(seed), 0, 2147483647, NULL, "of what is random" },
    { "initialise", CHOICE, PLAN(initialise), NO_BOUNDS, "xavier normal gpt2",
      "the initial values" },
    { "held-out", DECIMAL, PLAN(held_out), 0, 0.9, NULL,
      "hold out this last part of the data" },
    { "tokens", CHOICE, PLAN(tokens), NO_BOUNDS, "char word bpe",
      "what a token is" },
    { "merges", WHOLE, PLAN(merges), 0, 1e6, NULL,
      "of --tokens bpe: how many at most" },
    { .name = NULL },
}, *const token_options = plan_options + sizeof plan_options
                                       / sizeof *plan_options - 3;

Plan plan_default(bool as_printed)
{
    Training printed = { .N_epochs = 10, .p_mask = 0.15, .eta = 0.01,
                         .batch = 1 };
    Training today = {
        .N_epochs = 10, .p_mask = 0.15, .eta = 0.003, .batch = 16,
        .mean = true, .shuffle = true, .spare_special = true,
        .method = ADAMW, .schedule = COSINE, .warm_up = 50, .clip = 1,
        .decay = 0.01,
    };
    return (Plan){
        .how = as_printed ? printed : today, .seed = 1,
        .initialise = NORMAL_002, .held_out = 0.1,
        .tokens = CHARACTERS, .merges = 1000,
    };
}

void plan_check(Error *f, Task task, Plan *plan)
{
    plan->how.seed = (uint64_t)plan->seed;
    const char *wrong = task == TRAIN_E && plan->how.p_mask == 0
                      ? "p_mask must be in (0, 1)."
                      : training_error(&plan->how);
    if (wrong != NULL)
        fail_with(f, "--%s", wrong);
}
