/* Known slips: small variations of the algorithms.

   Main type: Slip. Entry points: the table slips, slip_sentence. In goes
   nothing; out come formulas over what a run computed. */
#include "check/slip.h"
#include "sheet/names.h"
#include <string.h>

#define SOFTMAX     (ROLE(WEIGHTS) | ROLE(PROBABILITIES))
#define NORMS       (ROLE(ATTENTION_NORM) | ROLE(MLP_NORM))
#define ALL_WHEN(condition, values, formula) \
    { .roles = values, .by = formula, .when = condition }
#define WHEN(condition, role, formula) \
    ALL_WHEN(condition, ROLE(role), formula)
#define ON_ALL(values, formula) ALL_WHEN(0, values, formula)
#define ON(role, formula)       ALL_WHEN(0, ROLE(role), formula)
#define GIVEN(names, formula)   { .given = names, .by = formula }
#define LOSS(P)   "-total(pick(read, ln(" P "), 0))"
#define BASE(name, what, k) { name, what, k, \
    { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } }
#define SINE_BASE(k) { "sine-base-" #k, "the base is " #k, k, \
    { ON(POSITION, SINES("place / k^i")) } }
#define TO_DECIMALS(k, to, NAME, WHAT, ...) \
    { NAME "-rounded-" #k, WHAT " rounded to " to, k, { __VA_ARGS__ } }
#define ROUNDED_1_TO_3(...) \
    TO_DECIMALS(1, "1 decimal", __VA_ARGS__), \
    TO_DECIMALS(2, "2 decimals", __VA_ARGS__), \
    TO_DECIMALS(3, "3 decimals", __VA_ARGS__)
#define ROUNDED(...) \
    TO_DECIMALS(0, "integers", __VA_ARGS__), \
    ROUNDED_1_TO_3(__VA_ARGS__), \
    TO_DECIMALS(4, "4 decimals", __VA_ARGS__)
#define CARRIED_ROUNDED(NAME, WHAT, ROLE_) \
    ROUNDED(NAME, WHAT, WHEN(UNWRITTEN, ROLE_, "round(it, k)"))

const Slip slips[] = {
    { "no-scale", "the 1/√d_attn is left out", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked") } },
    { "scale-d", "the scores are divided by d_attn, not by its root", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked / d_attn") } },
    { "scale-d_x", "the scores are divided by √d_x, not by √d_attn", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked / sqrt(d_x)") } },
    { "scale-times", "the scores are multiplied by √d_attn", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked * sqrt(d_attn)") } },
    { "scale-anyway", "the scores are divided by √d_attn", 0,
      { WHEN(IF_UNDIVIDED, SCALED, "masked / sqrt(d_attn)") } },
    { "scale-early", "S is divided by √d_attn already", 0,
      { WHEN(IF_DIVIDED, SCORES, "it / sqrt(d_attn)"),
        WHEN(IF_DIVIDED, SCALED, "masked") } },
    { "axis", "the softmax is taken over the queries, not over the keys", 0,
      { ON(WEIGHTS, "softmax(x')'") } },
    { "axis-tokens",
      "the softmax is taken over the tokens, not over the vocabulary", 0,
      { ON(PROBABILITIES, "softmax(x')'") } },
    { "one-sum", "one sum of all e^x is used for every softmax", 0,
      { ON_ALL(SOFTMAX, "exp(x) / total(exp(x))") } },
    BASE("base-2", "2^x is used instead of e^x", 2),
    BASE("base-3", "3^x is used instead of e^x", 3),
    BASE("base-10", "10^x is used instead of e^x", 10),
    { "base-1/e", "e^(-x) is used instead of e^x", 0,
      { ON_ALL(SOFTMAX, "softmax(-x)"), ON(POWERS, "1 / it") } },
    { "by-sum", "the numbers are divided by their sum, without e^x", 0,
      { ON_ALL(SOFTMAX,
               "pick(finite(x), x, 0) / sum(pick(finite(x), x, 0))") } },
    { "no-sum", "the e^x are not divided by their sum", 0,
      { ON_ALL(SOFTMAX, "exp(x)") } },
    { "no-softmax", "the softmax is left out", 0,
      { ON_ALL(SOFTMAX, "x") } },
    { "hard-max", "the largest number gets all the weight", 0,
      { ON_ALL(SOFTMAX, "largest(it)") } },
    { "A-transposed", "A is transposed", 0, { ON(WEIGHTS, "it'") } },
    { "V-times-A-transposed", "V is multiplied by Aᵀ, not by A", 0,
      { WHEN(UNWRITTEN, WEIGHTS, "it'") } },
    { "no-weights", "the values are added up without the weights", 0,
      { WHEN(UNWRITTEN, WEIGHTS, "it^0") } },
    { "no-mask", "the mask is left out", 0, { ON(MASKED, "scores") } },
    { "mask-inverted", "the mask is inverted", 0,
      { ON(MASKED, "pick(finite(it), -inf, scores)"),
        WHEN(UNWRITTEN, MASKED,
             "pick(finite(it) + relu(1 - sum(finite(it))), scores, "
             "-inf)") } },
    { "mask-transposed", "the mask is transposed", 0,
      { ON(MASKED, "pick(finite(it)', scores, -inf)") } },
    { "mask-strict", "the mask also hides each token from itself", 0,
      { ON(MASKED, "pick(finite(it) - diagonal * pick(hides, 1, 0) "
                   "* (1 - relu(2 - sum(finite(it)))), it, -inf)") } },
    { "mask-zero", "masked scores are 0, not -inf", 0,
      { ON(MASKED, "scores * finite(it)") } },
    { "mask-late", "the mask is applied after the softmax", 0,
      { ON(MASKED, "scores"), ON(WEIGHTS, "it * finite(mask)") } },
    { "mask-anyway", "a causal mask is used", 0,
      { ON(MASKED, "pick(later, -inf, scores)") } },
    { "exchange", "X and Z are exchanged", 0,
      { GIVEN("X", "Z"), GIVEN("Z", "X") } },
    { "W_q-transposed", "W_q is transposed", 0, { GIVEN("W_q", "it'") } },
    { "W_k-transposed", "W_k is transposed", 0, { GIVEN("W_k", "it'") } },
    { "W_v-transposed", "W_v is transposed", 0, { GIVEN("W_v", "it'") } },
    { "W-transposed",
      "W_q, W_k and W_v are transposed, as in another layout", 0,
      { GIVEN("W_q W_k W_v", "it'") } },
    { "no-W_q", "W_q is left out, Q = X", 0,
      { GIVEN("W_q", "I"), GIVEN("b_q", "0 * it") } },
    { "no-W_k", "W_k is left out, K = Z", 0,
      { GIVEN("W_k", "I"), GIVEN("b_k", "0 * it") } },
    { "no-W_v", "W_v is left out, V = Z", 0,
      { GIVEN("W_v", "I"), GIVEN("b_v", "0 * it") } },
    { "W_q-W_k", "W_q and W_k are exchanged", 0,
      { GIVEN("W_q", "W_k"), GIVEN("W_k", "W_q") } },
    { "Q-K", "W_q, b_q and W_k, b_k are exchanged", 0,
      { GIVEN("W_q", "W_k"), GIVEN("W_k", "W_q"), GIVEN("b_q", "b_k"),
        GIVEN("b_k", "b_q") } },
    { "K-V", "W_k, b_k and W_v, b_v are exchanged", 0,
      { GIVEN("W_k", "W_v"), GIVEN("W_v", "W_k"), GIVEN("b_k", "b_v"),
        GIVEN("b_v", "b_k") } },
    { "K-for-V", "W_k and b_k are used instead of W_v and b_v", 0,
      { ON(VALUES, "key") } },
    { "K-times-A", "K is multiplied by A, not V", 0,
      { WHEN(UNWRITTEN, VALUES, "key") } },
    { "S-transposed", "S is transposed", 0, { ON(SCORES, "it'") } },
    { "no-b_q", "b_q is left out", 0, { GIVEN("b_q", "0 * it") } },
    { "no-b_k", "b_k is left out", 0, { GIVEN("b_k", "0 * it") } },
    { "no-b_v", "b_v is left out", 0, { GIVEN("b_v", "0 * it") } },
    { "no-b_o", "b_o is left out", 0, { GIVEN("b_o", "0 * it") } },
    { "no-bias", "all biases are left out", 0,
      { GIVEN("b_q b_k b_v b_o b_mlp1 b_mlp2 b_mlp3 b_mlp4 b_f",
              "0 * it") } },
    { "W_u-transposed", "W_u is transposed", 0,
      { ON(LOGITS, "unembedding' input") } },
    { "W_o-transposed", "W_o is transposed", 0, { GIVEN("W_o", "it'") } },
    { "no-W_o", "W_o and b_o are left out", 0,
      { GIVEN("W_o", "I"), GIVEN("b_o", "0 * it") } },
    { "n-1", "the variance is divided by n - 1, not by n", 0,
      { ON(VARIANCE, "it * rows(input) / (rows(input) - 1)") } },
    { "v-sum", "the variance is not divided by n", 0,
      { ON(VARIANCE, "it * rows(input)") } },
    { "m-sum", "the sum is used instead of the mean", 0,
      { ON(MEAN, "it * rows(input)") } },
    { "v-without-m", "the mean is not subtracted in the variance", 0,
      { ON(VARIANCE, "mean(input^2)") } },
    { "no-root", "the square root is left out", 0,
      { WHEN(UNWRITTEN, VARIANCE, "(it + epsilon)^2 - epsilon") } },
    { "v-root", "the root of the variance is used as the variance", 0,
      { ON(VARIANCE, "sqrt(it)"), WHEN(UNWRITTEN, VARIANCE, "it^2") } },
    { "no-epsilon", "epsilon is left out", 0,
      { WHEN(UNWRITTEN, VARIANCE, "it - epsilon") } },
    { "epsilon-outside", "epsilon is added to the root, not under it", 0,
      { WHEN(UNWRITTEN, VARIANCE, "(sqrt(it) + epsilon)^2 - epsilon") } },
    { "epsilon-1e-5", "epsilon is 1e-5, as in PyTorch", 1e-5,
      { WHEN(UNWRITTEN | SLIGHT, VARIANCE, "it - epsilon + k") } },
    { "epsilon-1e-3", "epsilon is 1e-3, as in Keras", 1e-3,
      { WHEN(UNWRITTEN | SLIGHT, VARIANCE, "it - epsilon + k") } },
    { "no-mean", "the mean is left out, as in RMSnorm", 0,
      { ON(MEAN, "0 * it") } },
    { "mean-left-in", "the mean is not subtracted in line 3", 0,
      { WHEN(IF_LAYER_NORM | UNWRITTEN, MEAN, "0 * it"),
        WHEN(IF_LAYER_NORM, VARIANCE, "it - mean(input)^2") } },
    { "mean-anyway", "the mean is subtracted, which RMSnorm does not do", 0,
      { WHEN(IF_RMS, MEAN, "mean(input)") } },
    { "axis-norm", "each entry is normalised over the tokens", 0,
      { WHEN(IF_LAYER_NORM, STANDARDISED, "(input - mean(input')') "
             "/ sqrt(mean((input' - mean(input'))^2)' + epsilon)") } },
    { "no-gamma", "gamma is left out", 0, { GIVEN("gamma", "it^0") } },
    { "no-beta", "beta is left out", 0, { GIVEN("beta", "0 * it") } },
    { "gamma-beta", "gamma and beta are exchanged", 0,
      { GIVEN("gamma", "beta"), GIVEN("beta", "gamma") } },
    { "token-before", "the token before v is looked up", -1,
      { ON(EMBEDDING, "W_e one_hot(v + k, rows(W_e'))") } },
    { "token-after", "the token after v is looked up", 1,
      { ON(EMBEDDING, "W_e one_hot(v + k, rows(W_e'))") } },
    { "W_e-transposed", "row v of W_e is taken, not column v", 0,
      { ON(EMBEDDING, "W_e' one_hot(v, rows(W_e))") } },
    { "position-before", "each position is one too small", -1,
      { ON(POSITION, "shifted"),
        ON(EMBEDDED, "it - positions + shifted") } },
    { "position-after", "each position is one too large", 1,
      { ON(POSITION, "shifted"),
        ON(EMBEDDED, "it - positions + shifted") } },
    { "W_p-transposed", "row t of W_p is taken, not column t", 0,
      { ON(POSITION, "W_p' one_hot(t, rows(W_p))") } },
    { "sine-cosine", "sine and cosine are exchanged", 0,
      { ON(POSITION, "sin(place / base^i + pi / 2 - phase)") } },
    { "exponent", "i and i - 1 are mixed up in the exponent 2i/d_e", 0,
      { ON(POSITION, SINES("place / base^other_i")) } },
    { "exponent-half", "the exponent is i/d_e, not 2i/d_e", 0.5,
      { ON(POSITION, SINES("place / base^(k * i)")) } },
    { "degrees", "the angles are taken as degrees", 0,
      { ON(POSITION, SINES("pi / 180 * place / base^i")) } },
    SINE_BASE(10000), SINE_BASE(1000), SINE_BASE(100),
    { "sine-base-ell", "the base is ell_max", 0,
      { ON(POSITION, SINES("place / ell_max^i")) } },
    { "no-residual-attn", "X is not added to the output of the attention", 0,
      { ON(ATTENDED, "projected") } },
    { "no-residual-mlp", "X is not added to the output of the MLP", 0,
      { ON(FED, "it - input") } },
    { "no-residual", "no residual X is added", 0,
      { ON(ATTENDED, "projected"), ON(FED, "it - input") } },
    { "normed-attn", "the attention is added to the normalised X", 0,
      { WHEN(IF_PRE_NORM, ATTENDED, "it - input + normed") } },
    { "normed", "the normalised X takes the place of X", 0,
      { ALL_WHEN(IF_PRE_NORM, ROLE(ATTENDED) | ROLE(FED),
                 "it - input + normed") } },
    { "no-norm-attn", "the layer_norm of the attention is left out", 0,
      { ON(ATTENTION_NORM, "input") } },
    { "no-norm-mlp", "the layer_norm of the MLP is left out", 0,
      { ON(MLP_NORM, "input") } },
    { "no-norm-last", "the last layer_norm is left out", 0,
      { ON(LAST_NORM, "input") } },
    { "no-norm", "every layer_norm is left out", 0,
      { ON_ALL(NORMS | ROLE(LAST_NORM), "input") } },
    { "post-norm", "layer_norm comes after each sum, not before", 0,
      { ALL_WHEN(IF_PRE_NORM, NORMS, "input"),
        ALL_WHEN(IF_PRE_NORM, ROLE(ATTENDED) | ROLE(FED), "it_normed") } },
    { "activation", "ReLU and GELU are exchanged", 0,
      { WHEN(IF_RELU, ACTIVE, "gelu(hidden)"),
        WHEN(IF_GELU, ACTIVE, "relu(hidden)"),
        ON(TRANSFORMED, "relu(W_f input + b_f)") } },
    { "tanh-gelu", "the tanh form of GELU is used", 0,
      { WHEN(IF_GELU | SLIGHT, ACTIVE, "gelu_tanh(hidden)"),
        ON(TRANSFORMED, "gelu_tanh(W_f input + b_f)") } },
    { "no-activation", "the MLP has no activation", 0,
      { ON(ACTIVE, "hidden"), ON(TRANSFORMED, "W_f input + b_f") } },
    { "no-b_mlp1", "the first bias of the MLP is left out", 0,
      { GIVEN("b_mlp1 b_mlp3", "0 * it") } },
    { "no-b_mlp2", "the second bias of the MLP is left out", 0,
      { GIVEN("b_mlp2 b_mlp4", "0 * it") } },
    { "no-b_f", "b_f is left out", 0, { GIVEN("b_f", "0 * it") } },
    { "cross-self", "the cross-attention attends to X, not to Z", 0,
      { WHEN(IF_CROSS, KEY, "W_k input + b_k"),
        WHEN(IF_CROSS, VALUES, "W_v input + b_v") } },
    { "no-positions", "the positions are left out", 0,
      { ON(EMBEDDED, "it - positions") } },
    { "scaled-embedding", "W_e is multiplied by √d_e", 0,
      { ON(EMBEDDED, "it + (sqrt(rows(it)) - 1) * (it - positions)") } },
    { "W_e-for-W_u", "W_eᵀ is used instead of W_u", 0,
      { ON(LOGITS, "W_e' input") } },
    { "loss-log2", "the logarithm has base 2", 2,
      { ON(LOSS, "it / ln(k)") } },
    { "loss-log10", "the logarithm has base 10", 10,
      { ON(LOSS, "it / ln(k)") } },
    { "loss-mean", "the mean is taken, not the sum", 0,
      { ON(LOSS, "it / total(read)") } },
    { "loss-sign", "the minus sign is left out", 0, { ON(LOSS, "-it") } },
    { "loss-not-next", "x[t] is used instead of x[t+1]", 0,
      { ON(LOSS, "-total(pick(own * sum(read), ln(P), 0))") } },
    { "loss-P-after", "column t+1 of P is used instead of column t", 0,
      { ON(LOSS, LOSS("P next")) } },
    { "loss-mask_token", "the probability of mask_token is read", 0,
      { WHEN(IF_BLANKS, LOSS,
             "-total(sum(read) * ln(one_hot(rows(P) - 2, rows(P))' P))") } },
    { "loss-largest", "the largest probability of each column is read", 0,
      { ON(LOSS, "-total(sum(read) * ln(sum(largest(P) * P)))") } },
    { "loss-1-P", "1 - P is used instead of P", 0,
      { ON(LOSS, LOSS("1 - P")) } },
    { "loss-no-log", "the logarithm is left out", 0,
      { ON(LOSS, "-total(read * P)") } },
    { "gradient-mean", "the gradient is that of the mean", 0,
      { WHEN(UNWRITTEN, LOSS, "it / total(read)") } },
    { "gradient-sign", "the gradient has the opposite sign", 0,
      { WHEN(UNWRITTEN, LOSS, "-it") } },
    { "no-one-hot", "the one-hot vector is not subtracted from P", 0,
      { WHEN(UNWRITTEN, LOSS, "it + total(read * logits)") } },
    { "uphill", "η times the gradient is added", 0,
      { ON_ALL(NEW_VALUES, "it + 2 * eta * gradient") } },
    { "no-eta", "η is left out", 0,
      { ON_ALL(NEW_VALUES, "it + (eta - 1) * gradient") } },
    { "p-first", "p is the first column of P, not the last", 0,
      { ON(NEXT, "P one_hot(1, rows(P'))") } },
    { "tau-times", "q is p^τ, not p^(1/τ)", 0,
      { ON(TEMPERED, "p^tau / sum(p^tau)") } },
    { "no-tau", "the temperature is left out", 0,
      { ON(TEMPERED, "p") } },
    { "tau-of-p", "q is the softmax of p/τ", 0,
      { ON(TEMPERED, "softmax(p / tau)") } },
    { "tau-no-sum", "p^(1/τ) is not divided by its sum", 0,
      { ON(TEMPERED, "p^(1 / tau)") } },
    { "argmax", "the most probable token is taken, not a sampled one", 0,
      { ON(DRAWN, "sum(index(q) * largest(q))") } },
    CARRIED_ROUNDED("Q", "Q is", QUERY),
    CARRIED_ROUNDED("K", "K is", KEY),
    CARRIED_ROUNDED("V", "V is", VALUES),
    ROUNDED("S", "S is", ON(SCALED, "round(masked, k) / scaling")),
    CARRIED_ROUNDED("S_scaled", "S/√d_attn is", SCALED),
    ROUNDED_1_TO_3("root", "√d_attn is",
        WHEN(IF_DIVIDED, SCALED, "masked / round(sqrt(d_attn), k)")),
    ROUNDED_1_TO_3("factor", "1/√d_attn is",
        WHEN(IF_DIVIDED, SCALED, "masked * round(1 / sqrt(d_attn), k)")),
    ROUNDED("power", "the e^x are", ON_ALL(SOFTMAX,
            "round(exp(x), k) / sum(round(exp(x), k))"),
            WHEN(UNWRITTEN, POWERS, "round(it, k)")),
    BASE("e-rounded-1", "e is rounded to 2.7", 2.7),
    BASE("e-rounded-2", "e is rounded to 2.72", 2.72),
    CARRIED_ROUNDED("A", "A is", WEIGHTS),
    CARRIED_ROUNDED("m", "m is", MEAN),
    CARRIED_ROUNDED("v", "v is", VARIANCE),
    ROUNDED("std", "√(v + ε) is", WHEN(UNWRITTEN, VARIANCE,
            "round(sqrt(it + epsilon), k)^2 - epsilon"),
            WHEN(UNWRITTEN, ROOT, "round(it, k)")),
    CARRIED_ROUNDED("logits", "the logits are", LOGITS),
};
const int slips_n = sizeof slips / sizeof *slips;

bool is_rounding(const Slip *slip)
{
    return strstr(slip->name, "-rounded-") != NULL;
}

bool is_slight(const Slip *slip)
{
    return (slip->at[0].when & SLIGHT) != 0;
}

const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout)
{
    bool rows = layout->rows;
    const char *const words[][2] = {
        { "row", rows ? "column" : "row" },
        { "column", rows ? "row" : "column" },
        { "W_eᵀ", as_W_u(layout) } };
    *to = '\0';
    for (const char *p = slip->what; *p != '\0'; ) {
        int k = 0;
        while (k < COUNT(words) && !begins(p, words[k][0]))
            k++;
        append(to, SLIP_BYTES, "%.*s", k < COUNT(words) ? SLIP_BYTES : 1,
               k < COUNT(words) ? words[k][1] : p);
        p += k < COUNT(words) ? strlen(words[k][0]) : 1;
    }
    return to;
}
