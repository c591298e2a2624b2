/* The table of the fifteen algorithms. Entry point: algorithm_table. */
#include "sheet/algorithm.h"

const Algorithm algorithm_table[16] = {
    [1] = { .starts = "v, W_e", .words = "embedding" },
    [2] = { .starts = "W_p, t, or positions paper, d_e, ell_max, t",
            .words = "positions positional" },
    [3] = { ATTENTION, .starts = "e, e_t, W_q, W_k, W_v; or q, k_t, v_t; "
            "or scores, d_attn, v_t; or v_t, alpha_t" },
    [4] = { ATTENTION, .starts = "X, W_q, W_k, W_v; or Q, K, V; or S, "
            "d_attn, V; or S_scaled, V; or V, A", .words = "attention",
            .layers = { { LAYER, 1, 6 } }, .in_head = true },
    [5] = { ATTENTION, .starts = "X, W_q, W_k, W_v, W_o; or Q, K, V, W_o; "
            "or S, d_attn, V, W_o; or S_scaled, V, W_o; or V, A, W_o; or "
            "Y, W_o", .words = "multihead mha MHA", .calls = { 4 },
            .layers = { { LAYER, 1, 4 } }, .head_loop = 1 },
    [6] = { TOKENWISE, .words = "layernorm layer_norm norm",
            .starts = "e; or standardised", .layers = { { LAYER, 1, 3 } } },
    [7] = { TOKENWISE, .starts = "e, W_u, or W_e with tied yes; or logits",
            .words = "softmax unembedding logits" },
    [8] = { MODEL, ED_TRANSFORMER, { 5, 6, 7 },
            "z, x, W_e, W_u or tied yes; or 8.6 Z; or 8.17 X",
            "encoderdecoder",
            .layers = { { ED, 16, 16 }, { ENC, 5, 8 }, { DEC, 14, 19 } } },
    [9] = { MODEL, E_TRANSFORMER, { 5, 6, 7 },
            "x, W_e, W_f, W_u or tied yes; or 9.3 X; or 9.6 X",
            "bert BERT encoder", .layers = { { LAYER, 5, 8 } } },
    [10] = { MODEL, D_TRANSFORMER, { 5, 6, 7 },
             "x, W_e, W_u or tied yes; or 10.3 X; or 10.6 X, 10.7 X_tilde",
             "gpt GPT decoder", .layers = { { LAYER, 5, 8 } } },
    [11] = { TRAINING, ED_TRANSFORMER, { 8 }, .starts = "z, x, W_e, W_u" },
    [12] = { TRAINING, E_TRANSFORMER, { 9 }, .starts = "x, W_e, W_f, W_u" },
    [13] = { TRAINING, D_TRANSFORMER, { 10 }, .starts = "x, W_e, W_u" },
    [14] = { INFERENCE, D_TRANSFORMER, { 10 },
             .starts = "x, W_e, W_u; or logits; or p" },
    [15] = { INFERENCE, ED_TRANSFORMER, { 8 }, .starts = "z, W_e, W_u" },
};

bool is_or_calls(int algorithm, int other)
{
    const int *called = algorithm_table[algorithm].calls;
    while (algorithm != other && *called > 0 && !is_or_calls(*called, other))
        called++;
    return algorithm == other || *called > 0;
}

Part part_of_line(int algorithm, int line)
{
    const Algorithm *a = &algorithm_table[algorithm];
    for (int k = 0; k < 3; k++)
        if (a->layers[k].first <= line && line <= a->layers[k].last)
            return a->layers[k].part;
    return NOWHERE;
}
