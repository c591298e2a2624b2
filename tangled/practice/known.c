/* The models that are known by name. */
#include "practice/practice.h"

#define SIZE(layers, heads, width) \
    .L = layers, .H = heads, .d_e = width, .d_mlp = 4 * (width)
#define GPT(ell) .architecture = D_TRANSFORMER, .N_V = 50257, \
    .ell_max = ell, .tied = true, .tanh_gelu = true, .epsilon = 1e-5
#define BERT .architecture = E_TRANSFORMER, .N_V = 30522, .ell_max = 512, \
    .tied = true, .embedding_norm = true, .types = 2, \
    .unembedding_bias = true, .epsilon = 1e-12
#define VASWANI(heads, width) .architecture = ED_TRANSFORMER, \
    .N_V = 37000, .ell_max = 512, .L_enc = 6, .L_dec = 6, \
    .positions = VASWANI_SINES, .tied = true, .no_attention_biases = true, \
    SIZE(0, heads, width)
static const char
    counted_less[] = "Its paper counted less. The files that were released "
        "have ours.",
    layers_alike[] = "Rounded, ours is the published number; the sparse "
        "masks have no parameters.",
    two_digits[] = "It has two more parts, for pairs of sentences: a "
        "pooler and a classifier. The published number is rounded.",
    vocabulary[] = "Its paper says 'about 37000' tokens; each has d_e "
        "parameters. The published number is rounded.";
const KnownModel known_models[] = {
    { "gpt2", "117 M", counted_less, { GPT(1024), SIZE(12, 12, 768) } },
    { "gpt2-xl", "1542 M", counted_less,
      { GPT(1024), SIZE(48, 25, 1600) } },
    { "gpt3", "175 G", layers_alike,
      { GPT(2048), SIZE(96, 96, 12288), .window = 256 } },
    { "bert-base", "110 M", two_digits, { BERT, SIZE(12, 12, 768) } },
    { "bert-large", "340 M", two_digits, { BERT, SIZE(24, 16, 1024) } },
    { "transformer-base", "65 M", vocabulary,
      { VASWANI(8, 512), .scaled_embedding = true } },
    { "transformer-big", "213 M", vocabulary,
      { VASWANI(16, 1024), .scaled_embedding = true } },
    { .name = NULL },
};
