/* The hyperparameters as options. */
#include "model/model.h"
#include <string.h>

#define PLACE(member) offsetof(Hyperparameters, member)

const Option hyper_options[] = {
    { "ell_max", WHOLE, PLACE(ell_max), 1, 1e7, NULL, "the most tokens" },
    { "L", WHOLE, PLACE(L), 0, 1000, NULL, "layers, of d and e" },
    { "L_enc", WHOLE, PLACE(L_enc), 0, 1000, NULL,
      "layers of the encoder, of ed" },
    { "L_dec", WHOLE, PLACE(L_dec), 0, 1000, NULL,
      "layers of the decoder, of ed" },
    { "H", WHOLE, PLACE(H), 1, 1000, NULL, "heads" },
    { "d_e", WHOLE, PLACE(d_e), 1, 1e5, NULL, "width of an embedding" },
    { "d_mlp", WHOLE, PLACE(d_mlp), 0, 1e6, NULL,
      "width inside the MLP; 0: 4 d_e" },
    { "d_attn", WHOLE, PLACE(d_attn), 0, 1e5, NULL,
      "width of queries and keys; 0: d_e/H" },
    { "d_mid", WHOLE, PLACE(d_mid), 0, 1e5, NULL,
      "width of values; 0: d_e/H" },
    { "d_f", WHOLE, PLACE(d_f), 0, 1e5, NULL,
      "width before W_u, of e; 0: d_e" },
    { "epsilon", DECIMAL, PLACE(epsilon), 0, 1, NULL,
      "under the root of layer_norm; the paper: 0" },
    { "positions", CHOICE, PLACE(positions), 0, 0,
      "learned paper_sines vaswani_sines none relative", "W_p" },
    { "tied", FLAG, PLACE(tied), 0, 0, NULL, "W_u = W_e^T" },
    { "tanh_gelu", FLAG, PLACE(tanh_gelu), 0, 0, NULL,
      "GPT-2's approximation of GELU" },
    { "rms", FLAG, PLACE(rms), 0, 0, NULL, "RMSnorm for layer_norm" },
    { "no_attention_biases", FLAG, PLACE(no_attention_biases), 0, 0, NULL,
      "without b_q, b_k, b_v, b_o" },
    { "scaled_embedding", FLAG, PLACE(scaled_embedding), 0, 0, NULL,
      "embeddings times the root of d_e" },
    { "embedding_norm", FLAG, PLACE(embedding_norm), 0, 0, NULL,
      "a layer_norm before the first layer" },
    { "window", WHOLE, PLACE(window), 0, 1e6, NULL,
      "every second layer sees no more tokens; 0: all" },
    { "sparse", CHOICE, PLACE(sparse), 0, 0, "banded strided",
      "strided: also every window-th token before" },
    { "types", WHOLE, PLACE(types), 0, 1000, NULL,
      "of tokens, a vector each, of e and class" },
    { "unembedding_bias", FLAG, PLACE(unembedding_bias), 0, 0, NULL,
      "b_u, added to the logits, of e" },
    { "pooler", FLAG, PLACE(pooler), 0, 0, NULL,
      "tanh for GELU in line 9.10, no 9.11: of class" },
    { .name = NULL },
};

const Option size_options[] = {
    { "architecture", CHOICE, PLACE(architecture), 0, 0, "ed e d",
      "Algorithm 8, 9 or 10" },
    { "N_V", WHOLE, PLACE(N_V), 1, 1e7, NULL, "size of the vocabulary" },
    { "N_C", WHOLE, PLACE(N_C), 0, 1e6, NULL, "classes, of class" },
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

void refuse_idle_hyper(Error *f, Task task, int n, char *const argument[])
{
    const OptionEffect acting[] = {
        { "L", task != TRAIN_ED, "with d, e and class" },
        { "L_enc", task == TRAIN_ED, "with ed" },
        { "L_dec", task == TRAIN_ED, "with ed" },
        { "d_f", task == TRAIN_E || task == TRAIN_CLASS,
          "with e and class" },
        { "unembedding_bias", task == TRAIN_E, "with e" },
        { "pooler", task == TRAIN_CLASS, "with class" },
        { .name = NULL },
    };
    refuse_unused_options(f, acting, n, argument);
}
