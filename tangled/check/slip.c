/* Known slips: small variations of the algorithms. */
#include "check/check.h"
#include "tape.h"
#include <math.h>
#include <string.h>

enum {
    IF_DIVIDED = 1,             /* the scores are, by √d_attn ...         */
    IF_UNDIVIDED = 1 << 1,      /* ... or not                             */
    IF_MASKED = 1 << 2,         /* some score is hidden                   */
    IF_UNMASKED = 1 << 3,
    IF_LAYER_NORM = 1 << 4,
    IF_RMS = 1 << 5,
    IF_SINES = 1 << 6,          /* the positions are computed             */
    IF_GIVEN_W_p = 1 << 7,
    IF_PLACED = 1 << 8,         /* a model has positions                  */
    IF_PRE_NORM = 1 << 9,       /* Algorithm 10 and its kin               */
    IF_POST_NORM = 1 << 10,     /* Algorithms 8 and 9 and theirs          */
    IF_RELU = 1 << 11,          /* Algorithm 8                            */
    IF_GELU = 1 << 12,
    IF_CROSS = 1 << 13,         /* in the cross-attention                 */
    IF_NOT_CROSS = 1 << 14,
    IF_UNTIED = 1 << 15,
    IF_NEXT = 1 << 16,          /* the next token is predicted            */
    IF_BLANKS = 1 << 17,        /* tokens that are masked are             */
    IF_TEMPERED = 1 << 18,      /* tau is not 1, and divides              */
    IF_ONE_QUERY = 1 << 19,     /* Algorithm 3                            */
    IF_UNEMBEDDED = 1 << 20,    /* Algorithm 7                            */
    IF_SEVERAL = 1 << 21,       /* tokens are in the loss                 */
    UNWRITTEN = 1 << 22,        /* it is written, the other carried on    */
    STRAIGHT = 1 << 23,         /* the gradient does not hear of it       */
    EXCHANGED = 1 << 24         /* X and Z are                            */
};

#define ROLE(role)  ((uint64_t)1 << ROLE_##role)
#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */
#define SOFTMAX     (ROLE(WEIGHTS) | ROLE(PROBABILITIES))
#define NORMS       (ROLE(ATTENTION_NORM) | ROLE(MLP_NORM))
#define ALL_WHEN(condition, values, formula) \
    { .roles = values, .by = formula, .when = condition }
#define WHEN(condition, role, formula) \
    ALL_WHEN(condition, ROLE(role), formula)
#define ON_ALL(values, formula) ALL_WHEN(0, values, formula)
#define ON(role, formula)       ALL_WHEN(0, ROLE(role), formula)
#define GIVEN(names, formula)   { .given = names, .by = formula }
#define MLP(f, x) "W_mlp2 " f "(W_mlp1 " x " + b_mlp1) + b_mlp2"
#define NORMED(x) "(gamma * standardise(" x ") + beta)"
#define SINES(angle) "sin(" angle " + phase)"
#define LOSS(P)   "-total(pick(read, ln(" P "), 0))"
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

static Mat not_summed(Slipping *s, Mat M);
static Mat in_order_of_size(Slipping *s, Mat M);
static Mat drawn_from_p(Slipping *s, Mat M);

const Slip slips[] = {
    { "no-scale", "the 1/√d_attn is left out", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked") } },
    { "scale-d", "the scores are divided by d_attn, not by its root", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked / d_attn") } },
    { "scale-d_x", "the scores are divided by √d_x, not by √d_attn", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked / sqrt(d_x)") } },
    { "scale-times", "the scores are multiplied by √d_attn", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked * sqrt(d_attn)") } },
    { "scale-root-root", "the root of d_attn is taken twice", 0,
      { WHEN(IF_DIVIDED, SCALED, "masked / sqrt(sqrt(d_attn))") } },
    { "scale-anyway", "the scores are divided by √d_attn", 0,
      { WHEN(IF_UNDIVIDED, SCALED, "it / sqrt(d_attn)") } },
    { "scale-early", "S is divided by √d_attn already", 0,
      { WHEN(IF_DIVIDED, SCORES, "it / sqrt(d_attn)"),
        WHEN(IF_DIVIDED, SCALED, "masked") } },
    { "axis", "the softmax is taken over the queries, not over the keys", 0,
      { ON(WEIGHTS, "softmax(x')'") } },
    { "axis-tokens",
      "the softmax is taken over the tokens, not over the vocabulary", 0,
      { ON(PROBABILITIES, "softmax(x')'") } },
    { "one-sum", "one sum of all e^x stands for that of each softmax", 0,
      { ON_ALL(SOFTMAX, "exp(x) / total(exp(x))") } },
    { "base-2", "2^x stands for e^x", 2,
      { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } },
    { "base-3", "3^x stands for e^x", 3,
      { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } },
    { "base-10", "10^x stands for e^x", 10,
      { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } },
    { "base-1/e", "e^(-x) stands for e^x", 0,
      { ON_ALL(SOFTMAX, "softmax(-x)"), ON(POWERS, "1 / it") } },
    { "by-sum", "numbers are divided by their sum, without e^x", 0,
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
    { "no-mask", "the mask is left out", 0,
      { WHEN(IF_MASKED, MASKED, "scores") } },
    { "mask-inverted", "the mask is inverted", 0,
      { WHEN(IF_MASKED, MASKED, "pick(finite(it), -inf, scores)"),
        WHEN(IF_MASKED | UNWRITTEN, MASKED,
             "pick(finite(it) + relu(1 - sum(finite(it))), scores, "
             "-inf)") } },
    { "mask-transposed", "the mask is transposed", 0,
      { WHEN(IF_MASKED, MASKED, "pick(finite(it)', scores, -inf)") } },
    { "mask-strict", "no token may look at itself", 0,
      { WHEN(IF_MASKED, MASKED,
             "pick(finite(it) - diagonal * (1 - relu(2 - sum(finite(it)))),"
             " it, -inf)") } },
    { "mask-zero", "masked scores are 0, not -inf", 0,
      { WHEN(IF_MASKED, MASKED, "scores * finite(it)") } },
    { "mask-late", "the mask comes after the softmax", 0,
      { WHEN(IF_MASKED, MASKED, "scores"),
        WHEN(IF_MASKED, WEIGHTS, "it * finite(mask)") } },
    { "mask-anyway", "later tokens are masked, though they need not be", 0,
      { WHEN(IF_UNMASKED, MASKED, "pick(causal, scores, -inf)") } },
    { "exchange", "X and Z are exchanged", 0, { { .when = EXCHANGED } } },
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
    { "K-for-V", "W_k and b_k stand for W_v and b_v", 0,
      { ON(VALUES, "key") } },
    { "K-times-A", "K is multiplied by A, not V", 0,
      { WHEN(UNWRITTEN, VALUES, "key") } },
    { "S-transposed", "S is transposed", 0, { ON(SCORES, "it'") } },
    { "no-b_q", "b_q is left out", 0, { GIVEN("b_q", "0 * it") } },
    { "no-b_k", "b_k is left out", 0, { GIVEN("b_k", "0 * it") } },
    { "no-b_v", "b_v is left out", 0, { GIVEN("b_v", "0 * it") } },
    { "no-b_o", "b_o is left out", 0, { GIVEN("b_o", "0 * it") } },
    { "no-bias", "all biases are left out", 0,
      { GIVEN("b_q b_k b_v b_o", "0 * it") } },
    { "W_u-transposed", "W_u is transposed", 0,
      { GIVEN("W_u", "it'"),
        { .given = "W_e", .by = "it'", .when = IF_UNEMBEDDED } } },
    { "W_o-transposed", "W_o is transposed", 0, { GIVEN("W_o", "it'") } },
    { "no-W_o", "W_o and b_o are left out", 0,
      { GIVEN("W_o", "I"), GIVEN("b_o", "0 * it") } },
    { "heads-order", "the heads stand in the opposite order", 0,
      { ON(HEADS, "backwards it") } },
    { "heads-in-turn", "rows of the heads take turns in Y", 0,
      { ON(HEADS, "in_turn it") } },
    { "first-head", "only the first head is used", 0,
      { ON(HEADS, "first it") } },
    { "first-head-again", "the first head stands for every head", 0,
      { ON(HEADS, "again it") } },
    { "heads-added", "the heads are added, without W_o and b_o", 0,
      { ON(PROJECTED, "added heads") } },
    { "heads-averaged", "the heads are averaged, without W_o and b_o", 0,
      { ON(PROJECTED, "added heads / H") } },
    { "n-1", "the variance is divided by n - 1, not by n", 0,
      { ON(VARIANCE, "it * rows(input) / (rows(input) - 1)") } },
    { "v-sum", "the variance is not divided by n", 0,
      { ON(VARIANCE, "it * rows(input)") } },
    { "m-sum", "the sum stands for the mean", 0,
      { ON(MEAN, "it * rows(input)") } },
    { "v-without-m", "the mean is left out of the variance", 0,
      { ON(VARIANCE, "mean(input^2)") } },
    { "no-root", "the square root is left out", 0,
      { WHEN(UNWRITTEN, VARIANCE, "(it + epsilon)^2 - epsilon") } },
    { "v-root", "the root of the variance stands for the variance", 0,
      { ON(VARIANCE, "sqrt(it)"), WHEN(UNWRITTEN, VARIANCE, "it^2") } },
    { "root-twice", "the square root is taken twice", 0,
      { ON(VARIANCE, "sqrt(it)") } },
    { "no-epsilon", "epsilon is left out", 0,
      { WHEN(UNWRITTEN, VARIANCE, "it - epsilon") } },
    { "epsilon-outside", "epsilon is added to the root, not under it", 0,
      { WHEN(UNWRITTEN, VARIANCE, "(sqrt(it) + epsilon)^2 - epsilon") } },
    { "epsilon-twice", "epsilon is added twice", 0,
      { WHEN(UNWRITTEN, VARIANCE, "it + epsilon") } },
    { "no-mean", "the mean is left out, as in RMSnorm", 0,
      { ON(MEAN, "0 * it") } },
    { "mean-left-in", "the mean is not subtracted in line 3", 0,
      { ON(STANDARDISED, "input / sqrt(variance + epsilon)"),
        ON(NORMALISED,
           "gamma * input / sqrt(variance + epsilon) + beta") } },
    { "mean-anyway", "the mean is subtracted, which RMSnorm does not do", 0,
      { WHEN(IF_RMS, MEAN, "mean(input)") } },
    { "axis-norm", "each entry is normalised over the tokens", 0,
      { WHEN(IF_LAYER_NORM, STANDARDISED, "standardise(input')'"),
        WHEN(IF_LAYER_NORM, NORMALISED,
             "gamma * standardise(input')' + beta") } },
    { "no-gamma", "gamma is left out", 0, { GIVEN("gamma", "it^0") } },
    { "no-beta", "beta is left out", 0, { GIVEN("beta", "0 * it") } },
    { "gamma-beta", "gamma and beta are exchanged", 0,
      { GIVEN("gamma", "beta"), GIVEN("beta", "gamma") } },
    { "token-before", "the token before stands for token v", -1,
      { ON(EMBEDDING, "column(W_e, v + k)") } },
    { "token-after", "the token behind stands for token v", 1,
      { ON(EMBEDDING, "column(W_e, v + k)") } },
    { "W_e-transposed", "row v of W_e is taken, not column v", 0,
      { ON(EMBEDDING, "column(W_e', v)") } },
    { "position-before", "positions are counted from one less", -1,
      { WHEN(IF_GIVEN_W_p, POSITION, "column(W_p, t + k)"),
        WHEN(IF_SINES, POSITION, SINES("(place + k) / base^i")),
        WHEN(IF_PLACED, POSITION, "moved"),
        WHEN(IF_PLACED, EMBEDDED, "it - placed + moved") } },
    { "position-after", "positions are counted from one more", 1,
      { WHEN(IF_GIVEN_W_p, POSITION, "column(W_p, t + k)"),
        WHEN(IF_SINES, POSITION, SINES("(place + k) / base^i")),
        WHEN(IF_PLACED, POSITION, "moved"),
        WHEN(IF_PLACED, EMBEDDED, "it - placed + moved") } },
    { "W_p-transposed", "row t of W_p is taken, not column t", 0,
      { WHEN(IF_GIVEN_W_p, POSITION, "column(W_p', t)") } },
    { "sine-cosine", "sine and cosine are exchanged", 0,
      { WHEN(IF_SINES, POSITION,
             "sin(place / base^i + pi / 2 - phase)") } },
    { "sines-first", "all sines come first, then all cosines", 0,
      { WHEN(IF_SINES, POSITION, "evens_first it") } },
    { "exponent", "i and i - 1 are mixed up in the exponent 2i/d_e", 0,
      { WHEN(IF_SINES, POSITION, SINES("place / base^other_i")) } },
    { "exponent-half", "the exponent is i/d_e, not 2i/d_e", 0.5,
      { WHEN(IF_SINES, POSITION, SINES("place / base^(k * i)")) } },
    { "exponent-minus", "the position is multiplied, not divided", -1,
      { WHEN(IF_SINES, POSITION, SINES("place / base^(k * i)")) } },
    { "degrees", "the angles are taken as degrees", 0,
      { WHEN(IF_SINES, POSITION, SINES("pi / 180 * place / base^i")) } },
    { "sine-base-10000", "the base is 10000", 10000,
      { WHEN(IF_SINES, POSITION, SINES("place / k^i")) } },
    { "sine-base-1000", "the base is 1000", 1000,
      { WHEN(IF_SINES, POSITION, SINES("place / k^i")) } },
    { "sine-base-100", "the base is 100", 100,
      { WHEN(IF_SINES, POSITION, SINES("place / k^i")) } },
    { "sine-base-ell", "the base is ell_max", 0,
      { WHEN(IF_SINES, POSITION, SINES("place / ell_max^i")) } },
    { "no-residual-attn", "X is not added to what the attention gives", 0,
      { ON(ATTENDED, "projected") } },
    { "no-residual-mlp", "X is not added to what the MLP gives", 0,
      { ON(FED, "it - input") } },
    { "no-residual", "X is never added to what comes out of it", 0,
      { ON(ATTENDED, "projected"), ON(FED, "it - input") } },
    { "normed-attn", "the attention is added to the normalised X", 0,
      { WHEN(IF_PRE_NORM, ATTENDED, "it - input + normed") } },
    { "normed-mlp", "the MLP is added to the normalised X", 0,
      { WHEN(IF_PRE_NORM, FED, "it - input + normed") } },
    { "normed", "X itself is normalised", 0,
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
    { "post-norm", "the sums are normalised, not what goes into them", 0,
      { ALL_WHEN(IF_PRE_NORM, NORMS, "input"),
        ALL_WHEN(IF_PRE_NORM, ROLE(ATTENDED) | ROLE(FED), NORMED("it")) } },
    { "pre-norm", "what goes into the sums is normalised, not they", 0,
      { WHEN(IF_POST_NORM, QUERY, "W_q " NORMED("input") " + b_q"),
        WHEN(IF_POST_NORM | IF_NOT_CROSS, KEY,
             "W_k " NORMED("input") " + b_k"),
        WHEN(IF_POST_NORM | IF_NOT_CROSS, VALUES,
             "W_v " NORMED("input") " + b_v"),
        ALL_WHEN(IF_POST_NORM, NORMS, "input"),
        WHEN(IF_POST_NORM | IF_RELU, FED,
             "input + " MLP("relu", NORMED("input"))),
        WHEN(IF_POST_NORM | IF_GELU, FED,
             "input + " MLP("gelu", NORMED("input"))) } },
    { "mlp-not-normed", "the MLP is given X before the layer_norm", 0,
      { WHEN(IF_PRE_NORM, HIDDEN, "W_mlp1 input + b_mlp1"),
        WHEN(IF_PRE_NORM, FED, "input + " MLP("gelu", "input")) } },
    { "activation", "ReLU and GELU are exchanged", 0,
      { WHEN(IF_RELU, ACTIVE, "gelu(hidden)"),
        WHEN(IF_GELU, ACTIVE, "relu(hidden)"),
        WHEN(IF_RELU, FED, "input + " MLP("gelu", "into")),
        WHEN(IF_GELU, FED, "input + " MLP("relu", "into")),
        ON(TRANSFORMED, "relu(W_f input + b_f)") } },
    { "tanh-gelu", "the tanh form stands for GELU", 0,
      { WHEN(IF_GELU, ACTIVE, "gelu_tanh(hidden)"),
        WHEN(IF_GELU, FED, "input + " MLP("gelu_tanh", "into")),
        ON(TRANSFORMED, "gelu_tanh(W_f input + b_f)") } },
    { "no-activation", "the MLP has no activation", 0,
      { ON(ACTIVE, "hidden"), ON(FED, "input + " MLP("", "into")),
        ON(TRANSFORMED, "W_f input + b_f") } },
    { "no-b_mlp1", "the first bias of the MLP is left out", 0,
      { GIVEN("b_mlp1 b_mlp3", "0 * it") } },
    { "no-b_mlp2", "the second bias of the MLP is left out", 0,
      { GIVEN("b_mlp2 b_mlp4", "0 * it") } },
    { "no-b_f", "b_f is left out", 0, { GIVEN("b_f", "0 * it") } },
    { "cross-exchange", "in the cross-attention X and Z are exchanged", 0,
      { WHEN(IF_CROSS, QUERY, "W_q context + b_q"),
        WHEN(IF_CROSS, KEY, "W_k input + b_k"),
        WHEN(IF_CROSS, VALUES, "W_v input + b_v") } },
    { "cross-self", "the cross-attention looks at X, not at Z", 0,
      { WHEN(IF_CROSS, KEY, "W_k input + b_k"),
        WHEN(IF_CROSS, VALUES, "W_v input + b_v") } },
    { "no-positions", "the positions are left out", 0,
      { WHEN(IF_PLACED, EMBEDDED, "it - placed") } },
    { "scaled-embedding", "W_e is multiplied by √d_e", 0,
      { ON(EMBEDDED, "it + (sqrt(rows(it)) - 1) * (it - placed)") } },
    { "W_e-for-W_u", "W_eᵀ stands for W_u", 0,
      { WHEN(IF_UNTIED, LOGITS, "W_e' input") } },
    { "loss-log2", "the logarithm has base 2", 2,
      { ON(LOSS, "it / ln(k)") } },
    { "loss-log10", "the logarithm has base 10", 10,
      { ON(LOSS, "it / ln(k)") } },
    { "loss-mean", "the mean is taken, not the sum", 0,
      { WHEN(IF_SEVERAL, LOSS, "it / total(read)") } },
    { "loss-sign", "the minus sign is left out", 0, { ON(LOSS, "-it") } },
    { "loss-not-next", "x[t] stands for x[t+1]", 0,
      { WHEN(IF_NEXT, LOSS, "-total(pick(own * sum(read), ln(P), 0))") } },
    { "loss-all", "each column is read at its own token, none left out", 0,
      { ON(LOSS, "-total(pick(own, ln(P), 0))") } },
    { "loss-P-after", "column t+1 of P stands for column t", 0,
      { WHEN(IF_NEXT, LOSS, LOSS("P later")) } },
    { "loss-largest", "the largest probability of each column is read", 0,
      { ON(LOSS, "-total(sum(read) * ln(sum(largest(P) * P)))") } },
    { "loss-mask_token", "the probability of mask_token is read", 0,
      { WHEN(IF_BLANKS, LOSS,
             "-total(sum(read) * ln(column(P', rows(P) - 2)'))") } },
    { "loss-1-P", "1 - P stands for P", 0,
      { WHEN(STRAIGHT, LOSS, LOSS("1 - P")) } },
    { "loss-no-log", "the logarithm is left out", 0,
      { WHEN(STRAIGHT, LOSS, "-total(read * P)") } },
    { "gradient-mean", "the gradient is that of the mean", 0,
      { WHEN(IF_SEVERAL | UNWRITTEN, LOSS, "it / total(read)") } },
    { "gradient-sign", "the gradient has the opposite sign", 0,
      { WHEN(UNWRITTEN, LOSS, "-it") } },
    { "no-one-hot", "the one-hot vector is not taken from P", 0,
      { WHEN(UNWRITTEN, LOSS, "it + total(read * logits)") } },
    { "uphill", "η times the gradient is added", 0,
      { ON_ALL(NEW_VALUES, "it + 2 * eta * gradient") } },
    { "no-eta", "η is left out", 0,
      { ON_ALL(NEW_VALUES, "it + (eta - 1) * gradient") } },
    { "eta-twice", "η is multiplied twice", 0,
      { ON_ALL(NEW_VALUES, "it + (eta - eta^2) * gradient") } },
    { "step-mean", "the step is that of the mean", 0,
      { ON_ALL(NEW_VALUES,
               "it + eta * (1 - 1 / total(read)) * gradient") } },
    { "p-first", "p is the first column of P, not the last", 0,
      { ON(NEXT, "column(P, 1)") } },
    { "p-before", "p is the column before the last", 0,
      { ON(NEXT, "column(P, cols(P) - 1)") } },
    { "P-transposed", "p is the last row of P, not the last column", 0,
      { ON(NEXT, "column(P', rows(P))") } },
    { "tau-times", "q is p^τ, not p^(1/τ)", 0,
      { WHEN(IF_TEMPERED, TEMPERED, "p^tau / sum(p^tau)") } },
    { "no-tau", "the temperature is left out", 0,
      { WHEN(IF_TEMPERED, TEMPERED, "p") } },
    { "tau-of-p", "q is the softmax of p/τ", 0,
      { WHEN(IF_TEMPERED, TEMPERED, "softmax(p / tau)") } },
    { "tau-no-sum", "p^(1/τ) is not divided by its sum", 0,
      { WHEN(IF_TEMPERED, TEMPERED, "p^(1 / tau)") } },
    { "argmax", "the most probable token is taken, not one drawn", 0,
      { ON(DRAWN, "sum(number * largest(q))") } },
    { "not-summed", "u is compared with q, not with its running sum", 0,
      { { ROLE(DRAWN), .instead = not_summed } } },
    { "largest-first", "the running sum begins with the largest q", 0,
      { { ROLE(DRAWN), .instead = in_order_of_size } } },
    { "drawn-from-p", "y is drawn from p, not from q", 0,
      { { ROLE(DRAWN), .instead = drawn_from_p, .when = IF_TEMPERED } } },
    CARRIED_ROUNDED("Q", "Q is", QUERY),
    CARRIED_ROUNDED("K", "K is", KEY),
    CARRIED_ROUNDED("V", "V is", VALUES),
    ROUNDED("S", "S is",
            WHEN(IF_ONE_QUERY | UNWRITTEN, SCORES, "round(it, k)"),
            WHEN(UNWRITTEN, MASKED, "round(it, k)")),
    CARRIED_ROUNDED("S_scaled", "S/√d_attn is", SCALED),
    ROUNDED_1_TO_3("root", "√d_attn is",
        WHEN(IF_DIVIDED, SCALED, "masked / round(sqrt(d_attn), k)")),
    ROUNDED_1_TO_3("factor", "1/√d_attn is",
        WHEN(IF_DIVIDED, SCALED, "masked * round(1 / sqrt(d_attn), k)")),
    ROUNDED("power", "the e^x are", ON_ALL(SOFTMAX,
            "round(exp(x), k) / sum(round(exp(x), k))"),
            WHEN(UNWRITTEN, POWERS, "round(it, k)")),
    { "e-rounded-1", "e is rounded to 2.7", 2.7,
      { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } },
    { "e-rounded-2", "e is rounded to 2.72", 2.72,
      { ON_ALL(SOFTMAX, "softmax(x * ln(k))"), ON(POWERS, "it^ln(k)") } },
    CARRIED_ROUNDED("A", "A is", WEIGHTS),
    CARRIED_ROUNDED("m", "m is", MEAN),
    CARRIED_ROUNDED("v", "v is", VARIANCE),
    CARRIED_ROUNDED("logits", "the logits are", LOGITS),
};
const int slips_n = sizeof slips / sizeof *slips;

bool is_rounding(const Slip *slip)
{
    return strstr(slip->name, "-rounded-") != NULL;
}

typedef struct { const char *paper, *here; } Word;

static Word word_at(const char *p, const Layout *layout)
{
    bool rows = layout->rows;
    const Word words[] = { { "row", rows ? "column" : "row" },
                           { "column", rows ? "row" : "column" },
                           { "W_eᵀ", as_W_u(layout) } };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncmp(p, words[k].paper, strlen(words[k].paper)) == 0)
            return words[k];
    return (Word){ NULL, NULL };
}

const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout)
{
    char *end = to;
    for (const char *p = slip->what; *p != '\0'; ) {
        Word word = word_at(p, layout);
        if (word.paper == NULL) {
            *end++ = *p++;
            continue;
        }
        end += sprintf(end, "%s", word.here);
        p += strlen(word.paper);
    }
    *end = '\0';
    return to;
}

enum { ROLES = 64 };            /* at most: a bit each */

typedef struct Kept {           /* a matrix that the sheet gives          */
    Step place;
    Mat M;
    const struct Kept *before;
} Kept;

struct Slipping {
    Explanation *why;
    const Slip *slip;           /* of these, the one being made           */
    const Bound *bound;
    Variation variation;
    Arena *arena;
    Tape *tape;
    const Step *here;           /* where the slip is made ...             */
    Mat it;                     /* ... and what stands there              */
    const Kept *kept;
    Mat latest[ROLES];
    Mat input, context;         /* the latest X or Z of a model, Z        */
    const StepRow *from;        /* the row of input                       */
    Mat mask;                   /* the scores behind it, without a slip   */
    bool hides;                 /* it does one of them                    */
    Mat log_P, gradient;        /* what the loss reads; the latest        */
    int H;                      /* heads so far                           */
    unsigned truths;            /* of the run; 0: not yet asked           */
    const Claim *sought;        /* whose entries slips are sought for ... */
    Mat factors[2];             /* ... the factors of these; or NULL      */
    CellSlip *cell;             /* those found                            */
    int cells;
};

_Noreturn static void cannot_be(Slipping *s)
{
    static const Fault why = { .sentence = "such a slip cannot be made." };
    fault_again(s->variation.fault, &why);
}

static void note(Slipping *s, const Step *step, Mat M)
{
    const char *name = step->name;
    s->latest[step->role] = M;
    if (step->role == ROLE_HEAD)
        s->H = step->head;
    if ((*name != 'X' && *name != 'Z') || name[1] != '\0')
        return;
    s->input = M;
    s->from = step->row;
    if (*name == 'Z')
        s->context = M;
}

/* What the sheet gives under a name; NULL: nothing. */
static const Item *given_as(const Run *run, const char *name)
{
    const Sheet *sheet = run->sheet;
    for (int k = 0; k < sheet->n; k++)
        if (!sheet->item[k].claim
            && strcmp(sheet->item[k].name, name) == 0)
            return &sheet->item[k];
    return NULL;
}

static double number_given(const Run *run, const char *name, double instead)
{
    const Item *item = given_as(run, name), *pos = given_as(run, "pos");
    if (item == NULL && pos != NULL && strcmp(name, "t") == 0)
        return pos->entry->value + 1;
    return item != NULL && item->word == NULL ? item->entry->value
                                              : instead;
}

static bool is_beside(const Step *place, const Step *here, Part part)
{
    return (place->head == 0 || place->head == here->head)
        && (place->part == NOWHERE || (place->part == part
                                       && place->layer == here->layer));
}

static Mat parameter_in(Slipping *s, const char *name, Part part)
{
    for (const Kept *k = s->kept; k != NULL; k = k->before)
        if (strcmp(k->place.name, name) == 0
            && is_beside(&k->place, s->here, part))
            return k->M;
    return NULL;
}

static Mat parameter_named(Slipping *s, const char *name)
{
    Part part = s->here->part;
    Step place = *s->here;
    place.name = name;
    if (s->here->line == 0)
        return matrix_given(s->bound, &place);
    if (part == DEC && strncmp(name + 1, "_mlp", 4) == 0)
        name = *name == 'W' ? (name[5] == '1' ? "W_mlp3" : "W_mlp4")
                            : (name[5] == '1' ? "b_mlp3" : "b_mlp4");
    Mat M = parameter_in(s, name, part);
    return M == NULL && part == ED ? parameter_in(s, name, DEC) : M;
}

static const char *norm_behind(const StepRow *row)
{
    static const char *const behind[][20] = {
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1", [12] = "_3",
          [14] = "_3", "_4", "_4", "_5", "_5", "_3" },  /* Algorithm 8 */
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1" },
        { [3] = "_1", [6] = "_2", [8] = "_1" } };
    const char *number = behind[row->algorithm - 8][row->line];
    return number == NULL ? "" : number;
}

static Mat of_norm(Slipping *s, const char *name)
{
    char full[20];
    const char *number = strchr(s->here->name, '_');
    if (s->here->line > 0)
        number = s->from != NULL && s->here->layer > 0
               ? norm_behind(s->from) : NULL;
    snprintf(full, sizeof full, "%s%s", name, number == NULL ? "" : number);
    return parameter_named(s, full);
}

static Mat zeros_of(Slipping *s, int rows, int cols)
{
    enum { MOST = 10000000 };
    if ((double)rows * cols > MOST)
        cannot_be(s);
    return constant(s->arena, rows, cols);
}

static Mat one_number(Slipping *s, double x)
{
    Mat M = zeros_of(s, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

static Mat diagonal(Slipping *s)
{
    Mat M = zeros_of(s, s->it->rows, s->it->cols);
    for (int i = 1; i <= M->rows && i <= M->cols; i++)
        AT(M, i, i) = 1;
    return M;
}

static Mat identity(Slipping *s)
{
    return s->it->rows == s->it->cols ? diagonal(s) : NULL;
}

static Mat causal(Slipping *s)
{
    Mat M = zeros_of(s, s->it->rows, s->it->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows && i <= j; i++)
            AT(M, i, j) = 1;
    return M;
}

static Mat row_numbers(Slipping *s)
{
    Mat M = zeros_of(s, s->latest[ROLE_TEMPERED]->rows, 1);
    for (int v = 1; v <= M->rows; v++)
        AT(M, v, 1) = (real)v;
    return M;
}

typedef int Order(int i, int H, int d_mid);
static int backwards(int i, int H, int d_mid)
{
    return (H - 1 - i / d_mid) * d_mid + i % d_mid;
}

static int in_turn(int i, int H, int d_mid)
{
    return i % H * d_mid + i / H;
}

static int again(int i, int H, int d_mid) { return (void)H, i % d_mid; }
static int first(int i, int H, int d_mid)
{
    return (void)H, i < d_mid ? i : -1;
}

static int evens_first(int i, int H, int d_mid)
{
    return (void)H, in_turn(i, d_mid / 2, 2);
}

static Mat ordered(Slipping *s, Order from)
{
    int n = s->it->rows, H = s->H > 0 ? s->H : 1;
    Mat M = zeros_of(s, n, n);
    for (int i = 0; i < n; i++)
        if (from(i, H, n / H) >= 0)
            AT(M, i + 1, from(i, H, n / H) + 1) = 1;
    return M;
}

static Mat added(Slipping *s)
{
    Mat Y = s->latest[ROLE_HEADS];
    if (Y == NULL || s->H == 0)
        return NULL;
    int n = Y->rows, d_mid = n / s->H;
    Mat M = zeros_of(s, d_mid, n);
    for (int i = 0; i < n; i++)
        AT(M, i % d_mid + 1, i + 1) = 1;
    return M;
}

typedef struct { Sinusoids variant; double base, place; } Sines;

static bool sines_of(const Run *run, Sines *sines)
{
    const Item *positions = given_as(run, "positions");
    const char *word = positions == NULL ? NULL : positions->word;
    bool paper = word != NULL && strcmp(word, "paper") == 0;
    sines->variant = paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI;
    sines->base = number_given(run, "base", paper
                ? number_given(run, "ell_max", 1) : 10000);
    sines->place = number_given(run, "t", 1) - 1
                 + number_given(run, "first", paper ? 1 : 0);
    return word != NULL && strcmp(word, "none") != 0;
}

static Mat sine_place(Slipping *s)
{
    Sines how;
    sines_of(s->variation.run, &how);
    return one_number(s, how.place);
}

static Mat base(Slipping *s)
{
    Sines how;
    sines_of(s->variation.run, &how);
    return one_number(s, how.base);
}

static Mat sine_exponents(Slipping *s, bool other)
{
    Sines how;
    sines_of(s->variation.run, &how);
    bool from_0 = (how.variant == SINUSOIDS_VASWANI) != other;
    int d_e = s->it->rows;
    Mat M = zeros_of(s, d_e, 1);
    for (int r = 1; r <= d_e; r++)
        AT(M, r, 1) = (real)(2.0 * ((r + 1) / 2 - from_0) / d_e);
    return M;
}

static Mat own_exponents(Slipping *s)   { return sine_exponents(s, false); }
static Mat other_exponents(Slipping *s) { return sine_exponents(s, true); }

static Mat phases(Slipping *s)
{
    Mat M = zeros_of(s, s->it->rows, 1);
    for (int r = 2; r <= M->rows; r += 2)
        AT(M, r, 1) = (real)acos(0);
    return M;
}

static Mat positions_from(Slipping *s, int first)
{
    Mat W_p = parameter_named(s, "W_p");
    int n = s->it->cols;
    int *t = arena_alloc(s->arena, (size_t)n * sizeof *t);
    for (int k = 0; k < n; k++)
        t[k] = first + k;
    return first < 1 || first + n - 1 > W_p->cols ? NULL
         : gather(s->it->tape, W_p, n, t);
}

static Mat placed(Slipping *s)
{
    Mat shown = s->latest[ROLE_POSITION];
    return shown != NULL ? shown
         : s->variation.run->unplaced
             ? zeros_of(s, s->it->rows, s->it->cols)
         : positions_from(s, 1);
}

static Mat moved(Slipping *s)
{
    Sines how;
    if (!sines_of(s->variation.run, &how))
        return positions_from(s, 1 + (int)s->slip->number);
    return sinusoids(s->arena, s->it->rows, s->it->cols, how.variant,
                     how.base, how.place + s->slip->number);
}

static Mat log_probabilities(Mat loss)      /* NULL: there are none */
{
    while (loss != NULL && loss->i == NULL)
        loss = loss->n > 0 ? loss->of[0] : NULL;
    return loss;
}

static Mat read_from(Slipping *s)       /* P */
{
    return s->log_P != NULL ? s->log_P->of[0]
         : s->latest[s->variation.run->algorithm < 8 ? ROLE_PROBABILITIES
                                                     : ROLE_PREDICTED];
}

static Mat where_read(Slipping *s)
{
    Mat log_P = s->log_P, P = read_from(s),
        M = zeros_of(s, P->rows, P->cols);
    const Item *target = given_as(s->variation.run, "target");
    for (int k = 0; log_P != NULL && k < log_P->cols; k++)
        AT(M, log_P->i[k], log_P->j[k]) = 1;
    for (int k = 0; log_P == NULL && target != NULL && k < P->cols; k++)
        AT(M, (int)target->entry[k].value, k + 1) = 1;
    return M;
}

static const Item *sequence(const Slipping *s)
{
    const Sheet *sheet = s->variation.run->sheet;
    int turn = s->here->turn;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim && strcmp(item->name, "x") == 0
            && (item->head == turn || (item->head <= 1 && turn <= 1)))
            return item;
    }
    return NULL;
}

static Mat own_tokens(Slipping *s)
{
    const Item *x = sequence(s);
    Mat P = read_from(s), M = zeros_of(s, P->rows, P->cols);
    if (x == NULL)
        return NULL;
    for (int t = 1; t <= P->cols; t++)
        AT(M, (int)x->entry[t - 1].value, t) = 1;
    return M;
}

static Mat later_column(Slipping *s)
{
    int n = read_from(s)->cols;
    Mat M = zeros_of(s, n, n);
    for (int j = 1; j < n; j++)
        AT(M, j + 1, j) = 1;
    return M;
}

static Mat logits_read(Slipping *s)
{
    return s->log_P != NULL ? s->log_P->of[1] : s->latest[ROLE_LOGITS];
}

static Mat token(Slipping *s, int y)
{
    Mat M = input(s->latest[ROLE_TEMPERED]->tape, 1, 1);
    AT(M, 1, 1) = (real)y;
    return M;
}

static double chance(const Slipping *s)
{
    const Item *u = given_as(s->variation.run, "u");
    return u == NULL ? 0 : u->entry[s->here->turn - 1].value;
}

static Mat not_summed(Slipping *s, Mat M)
{
    Mat q = s->latest[ROLE_TEMPERED];
    for (int v = 1; v <= q->rows; v++)
        if (chance(s) < AT(q, v, 1))
            return token(s, v);
    return M;
}

static Mat in_order_of_size(Slipping *s, Mat M)
{
    Mat q = s->latest[ROLE_TEMPERED];
    int *y = arena_alloc(s->arena, (size_t)q->rows * sizeof *y);
    double total = 0;
    ranked(q, q->rows, y);
    for (int k = 0; k < q->rows; k++) {
        total += AT(q, y[k], 1);
        if (chance(s) < total)
            return token(s, y[k]);
    }
    return M;
}

static Mat drawn_from_p(Slipping *s, Mat M)
{
    return (void)M, token(s, sample(s->latest[ROLE_NEXT], chance(s)));
}

static unsigned one_of(bool is, unsigned yes, unsigned no)
{
    return is ? yes : no;
}

static unsigned truths_of_run(const Run *run)
{
    Sines how;
    int a = run->algorithm;
    double tau = number_given(run, "tau", 1);
    bool pre_norm = a == 10 || a == 13 || a == 14;
    bool by_root = run->scaled && run->divisor == 0;
    return one_of(by_root, IF_DIVIDED, run->scaled ? 0 : IF_UNDIVIDED)
         | one_of(run->rms, IF_RMS, IF_LAYER_NORM)
         | one_of(sines_of(run, &how), IF_SINES, IF_GIVEN_W_p)
         | one_of(a >= 8 && !run->unplaced, IF_PLACED, 0)
         | one_of(pre_norm, IF_PRE_NORM, IF_POST_NORM)
         | one_of(run->tied, 0, IF_UNTIED)
         | one_of(a == 12, IF_BLANKS, IF_NEXT)
         | one_of(a == 3, IF_ONE_QUERY, 0)
         | one_of(a == 7, IF_UNEMBEDDED, 0)
         | one_of(tau > 0 && tau != 1 && isfinite(tau), IF_TEMPERED, 0);
}

static bool any_hidden(Mat M)
{
    bool any = false;
    for (int k = 0; k < M->rows * M->cols; k++)
        any |= M->at[k] == -INFINITY;
    return any;
}

static unsigned truths_here(const Slipping *s)
{
    return one_of(s->hides, IF_MASKED, IF_UNMASKED)
         | one_of(s->here->algorithm == 8, IF_RELU, IF_GELU)
         | one_of(s->here->part == ED, IF_CROSS, IF_NOT_CROSS)
         | one_of(s->log_P != NULL && s->log_P->cols > 1, IF_SEVERAL, 0);
}

enum {
    NO_CONDITION = UNWRITTEN | STRAIGHT,
    ONLY_HERE = IF_MASKED | IF_UNMASKED | IF_RELU | IF_GELU | IF_CROSS
              | IF_NOT_CROSS | IF_SEVERAL | NO_CONDITION
};

static bool holds(Slipping *s, unsigned when)
{
    if (when != 0 && s->truths == 0)
        s->truths = truths_of_run(s->variation.run);
    return (when & ~(NO_CONDITION | s->truths | truths_here(s))) == 0;
}

static Mat made_by(Slipping *s, const char *formula, Mat M);
static Mat itself(Slipping *s)     { return s->it; }
static Mat exponent_x(Slipping *s)
{
    bool weights = s->here->role == ROLE_WEIGHTS;
    return s->it->logits != NULL ? s->it->logits
         : s->latest[weights ? ROLE_SCALED : ROLE_LOGITS];
}

static Mat slip_number(Slipping *s)
{
    return one_number(s, s->slip->number);
}

static Mat d_attn(Slipping *s)
{
    int d = s->variation.run->d_attn;
    return d == 0 ? NULL : one_number(s, d);
}

static Mat d_x(Slipping *s)
{
    Mat W_q = parameter_named(s, "W_q");
    return W_q == NULL ? NULL : one_number(s, W_q->cols);
}

static Mat heads_seen(Slipping *s) { return one_number(s, s->H); }
static Mat mask_seen(Slipping *s)  { return s->mask; }
static Mat behind_mask(Slipping *s)
{
    Role role = s->here->algorithm == 3 ? ROLE_SCORES : ROLE_MASKED;
    return s->latest[role];
}

static Mat stream(Slipping *s)
{
    return s->input != NULL ? s->input : parameter_named(s, "e");
}

static Mat context(Slipping *s) { return s->context; }
static Mat normed(Slipping *s)
{
    return s->latest[s->here->role == ROLE_ATTENDED ? ROLE_ATTENTION_NORM
                                                    : ROLE_MLP_NORM];
}

static Mat into_mlp(Slipping *s)
{
    return s->here->algorithm == 10 ? normed(s) : stream(s);
}

static Mat active(Slipping *s)
{
    return made_by(s, s->here->algorithm == 8 ? "relu(W_mlp1 into + b_mlp1)"
                                              : "gelu(W_mlp1 into + b_mlp1)",
                   s->it);
}

/* In a model: what queries are computed from, and what keys are. */
static Mat looking(Slipping *s)
{
    return s->variation.run->algorithm < 8 ? NULL
         : holds(s, IF_PRE_NORM) ? s->latest[ROLE_ATTENTION_NORM]
         : stream(s);
}

static Mat looked_at(Slipping *s)
{
    return holds(s, IF_CROSS) ? context(s) : looking(s);
}

static Mat next_seen(Slipping *s)
{
    Mat p = s->latest[ROLE_NEXT];
    return p != NULL ? p : s->latest[ROLE_PROBABILITIES];
}

static Mat gradient_seen(Slipping *s) { return s->gradient; }
static Mat gamma_of(Slipping *s)      { return of_norm(s, "gamma"); }
static Mat beta_of(Slipping *s)       { return of_norm(s, "beta"); }

static const struct { const char *name; Mat (*value)(Slipping *s); }
    own_names[] = {
        { "it", itself },            { "x", exponent_x },
        { "k", slip_number },        { "I", identity },
        { "diagonal", diagonal },    { "causal", causal },
        { "masked", behind_mask },   { "mask", mask_seen },
        { "d_attn", d_attn },        { "d_x", d_x },
        { "H", heads_seen },
        { "input", stream },         { "into", into_mlp },
        { "context", context },      { "normed", normed },
        { "looking", looking },      { "looked_at", looked_at },
        { "active", active },
        { "gamma", gamma_of },       { "beta", beta_of },
        { "added", added },          { "number", row_numbers },
        { "place", sine_place },          { "base", base },
        { "i", own_exponents },      { "other_i", other_exponents },
        { "phase", phases },         { "placed", placed },
        { "moved", moved },          { "read", where_read },
        { "own", own_tokens },       { "later", later_column },
        { "logits", logits_read },   { "gradient", gradient_seen },
        { "P", read_from },          { "p", next_seen },
};

static const struct { const char *name; Order *from; } orders[] = {
    { "backwards", backwards }, { "in_turn", in_turn },
    { "first", first }, { "again", again }, { "evens_first", evens_first }
};

static const struct { const char *name; Role role; } by_role[] = {
    { "query", ROLE_QUERY },         { "key", ROLE_KEY },
    { "values", ROLE_VALUES },       { "scores", ROLE_SCORES },
    { "weights", ROLE_WEIGHTS },     { "heads", ROLE_HEADS },
    { "projected", ROLE_PROJECTED }, { "mean", ROLE_MEAN },
    { "variance", ROLE_VARIANCE },   { "q", ROLE_TEMPERED },
    { "hidden", ROLE_HIDDEN },
};

static const struct { const char *name; double instead; } numbers[] = {
    { "tau", 1 }, { "eta", 1 }, { "epsilon", 0 }, { "ell_max", NAN },
    { "v", NAN }, { "t", NAN },
};
#define COUNT(table) ((int)(sizeof table / sizeof *table))
static Mat meant_by(void *to, const char *name, int length)
{
    Slipping *s = to;
    char word[24] = "";
    memcpy(word, name, (size_t)(length < 23 ? length : 23));
    for (int k = 0; k < COUNT(own_names); k++)
        if (strcmp(own_names[k].name, word) == 0)
            return own_names[k].value(s);
    for (int k = 0; k < COUNT(by_role); k++)
        if (strcmp(by_role[k].name, word) == 0)
            return s->latest[by_role[k].role];
    for (int k = 0; k < COUNT(orders); k++)
        if (strcmp(orders[k].name, word) == 0)
            return ordered(s, orders[k].from);
    for (int k = 0; k < COUNT(numbers); k++)
        if (strcmp(numbers[k].name, word) == 0) {
            double x = number_given(s->variation.run, word,
                                    numbers[k].instead);
            return isnan(x) ? NULL : one_number(s, x);
        }
    return parameter_named(s, word);
}

static Mat made_by(Slipping *s, const char *formula, Mat M)
{
    Names names = { s, meant_by, M->tape != NULL ? M->tape : s->tape };
    s->it = M;
    return formula_value(&names, formula);
}

static const struct Product { Role role; const char *left, *right; }
    products[] = {
        { ROLE_QUERY,     "W_q'",    "X" },
        { ROLE_KEY,       "W_k'",    "Z" },
        { ROLE_VALUES,    "W_v'",    "Z" },
        { ROLE_QUERY,     "W_q'",    "e" },
        { ROLE_KEY,       "W_k'",    "e_t" },
        { ROLE_VALUES,    "W_v'",    "e_t" },
        { ROLE_KEY,       "W_k'",    "X" },
        { ROLE_VALUES,    "W_v'",    "X" },
        { ROLE_QUERY,     "W_q'",    "looking" },
        { ROLE_KEY,       "W_k'",    "looked_at" },
        { ROLE_VALUES,    "W_v'",    "looked_at" },
        { ROLE_SCORES,    "key",     "query" },
        { ROLE_MASKED,    "key",     "query" },
        { ROLE_MIXED,     "values'", "weights" },
        { ROLE_PROJECTED, "W_o'",    "heads" },
        { ROLE_ATTENDED,  "W_o'",    "heads" },
        { ROLE_HIDDEN,    "W_mlp1'", "into" },
        { ROLE_MLP,       "W_mlp2'", "active" },
        { ROLE_FED,       "W_mlp2'", "active" },
        { ROLE_LOGITS,    "W_u'",    "input" },
        { ROLE_LOGITS,    "W_e",     "input" },
    };

/* The factors of a value; false: it is no such product. */
static bool factors_of(Slipping *s, const Step *step, Mat M, Mat factors[2])
{
    for (int k = 0; k < COUNT(products); k++) {
        if (products[k].role != step->role)
            continue;
        factors[0] = made_by(s, products[k].left, M);
        factors[1] = made_by(s, products[k].right, M);
        if (factors[0] != NULL && factors[1] != NULL
            && factors[0]->rows == factors[1]->rows
            && factors[0]->cols == M->rows && factors[1]->cols == M->cols)
            return true;
    }
    return false;
}

static bool tells(const Entry *entry, double change)
{
    double size = fabs(change);
    bool whole = same_number(size, round(size));
    bool exact = entry->decimals == EXACT
              && !same_number(entry->value, round(entry->value));
    double unit = entry->decimals == EXACT ? 1 : unit_of(entry->decimals);
    return whole ? size >= 1.5 : exact || size >= 10 * unit;
}

enum { MOST_CELLS = 300 };

static void note_cell(Slipping *s, CellSlip cell, double x)
{
    const Item *claim = s->sought->item;
    const Entry *entry = &claim->entry[cell.entry];
    if (s->cells < MOST_CELLS && tells(entry, cell.change)
        && verdict_on(entry, x + cell.change) == RIGHT)
        s->cell[s->cells++] = cell;
}

static void seek_cell(Slipping *s, const Mat factors[2], CellSlip cell,
                      double x)
{
    Mat L = factors[0], R = factors[1];
    for (int k = 1; k <= L->rows; k++) {
        double l = cell.left[0] = AT(L, k, cell.i),
               r = cell.right[0] = AT(R, k, cell.j);
        cell.kind = LEFT_OUT, cell.change = -l * r;
        note_cell(s, cell, x);
        cell.kind = WRONG_SIGN, cell.change = -2 * l * r;
        note_cell(s, cell, x);
        cell.kind = CROSSED;
        for (int u = k + 1; u <= L->rows; u++) {
            cell.left[1] = AT(L, u, cell.i);
            cell.right[1] = AT(R, u, cell.j);
            cell.change = (cell.left[1] - l) * (r - cell.right[1]);
            note_cell(s, cell, x);
        }
    }
}

static void exchange_factors(CellSlip *cell)
{
    for (int k = 0; k < 2; k++) {
        double left = cell->left[k];
        cell->left[k] = cell->right[k];
        cell->right[k] = left;
    }
}

static CellSlip cell_at(const Item *claim, int k, int i, int j)
{
    CellSlip cell = { .entry = k, .i = i, .j = j };
    char place[40];
    if (*entry_place(place, claim, k) != '\0')
        snprintf(cell.in, sizeof cell.in, "in %s ", place);
    return cell;
}

static void seek_cells(Slipping *s, Mat M)
{
    enum { MOST_TERMS = 100 };
    const Item *item = s->sought->item;
    const Step *step = s->sought->step;
    if (!shape_fits(item, step->M) || !factors_of(s, step, M, s->factors)
        || s->factors[0]->rows > MOST_TERMS)
        return;
    s->cell = arena_alloc(s->arena, MOST_CELLS * sizeof *s->cell);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            int k = step->turned ? entry_at(item, step->M, j, i)
                                 : entry_at(item, step->M, i, j);
            if (verdict_on(&item->entry[k], AT(M, i, j)) > RIGHT)
                seek_cell(s, s->factors, cell_at(item, k, i, j),
                          AT(M, i, j));
        }
    for (int k = 0; k < s->cells && step->turned; k++)
        exchange_factors(&s->cell[k]);
}

static const char *term_of(char to[60], double left, double right)
{
    snprintf(to, 60, right < 0 ? "%.6g·(%.6g)" : "%.6g·%.6g", left, right);
    return to;
}

const char *cell_sentence(char *to, size_t size, const CellSlip *cell)
{
    char is[2][60], was[2][60];
    const double *l = cell->left, *r = cell->right;
    if (cell->kind == CROSSED)
        snprintf(to, size, "%s%s and %s stand for %s and %s", cell->in,
                 term_of(was[0], l[0], r[1]), term_of(was[1], l[1], r[0]),
                 term_of(is[0], l[0], r[0]), term_of(is[1], l[1], r[1]));
    else
        snprintf(to, size, "%sthe term %s %s", cell->in,
                 term_of(is[0], l[0], r[0]),
                 cell->kind == LEFT_OUT ? "is left out"
                                        : "has the wrong sign");
    return to;
}

static bool is_made(const Explanation *why, const Step *here)
{
    const Step *only = why->only;
    return only == NULL || (only->part == here->part
           && only->layer == here->layer && only->turn == here->turn
           && (only->head == here->head || here->head == 0));
}

static Mat set_numbers(Mat M, Mat others)
{
    memcpy(M->at, others->at,
           (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
    return M;
}

static Mat with_numbers(Mat M, Mat others)
{
    return set_numbers(scale(M, 1), others);
}

static bool is_read_by_logarithm(const Slipping *s, const Step *step, Mat M)
{
    return s->variation.run->algorithm >= 11 && M->logits != NULL
        && (step->role == ROLE_PROBABILITIES || step->role == ROLE_NEXT
            || step->role == ROLE_PREDICTED);
}

static double log_sum_of_column(Mat P, int j)
{
    int i = 1;
    for (int u = 2; u <= P->rows; u++)
        i = AT(P, u, j) > AT(P, i, j) ? u : i;
    return AT(P->logits, i, j) - log(AT(P, i, j));
}

/* P, which stands for the softmax M. */
static Mat with_logarithms(Slipping *s, Mat P, Mat M)
{
    Mat logs = zeros_of(s, P->rows, P->cols);
    for (int j = 1; j <= P->cols; j++)
        for (int i = 1; i <= P->rows; i++) {
            bool same = AT(P, i, j) == AT(M, i, j);
            if (!same && !(AT(P, i, j) > 0))
                cannot_be(s);
            AT(logs, i, j) = (real)(same
                ? AT(M->logits, i, j) - log_sum_of_column(M, j)
                : log(AT(P, i, j)));
        }
    struct Matrix *Y = arena_alloc(tape_arena(P->tape), sizeof *Y);
    *Y = (struct Matrix){ .rows = P->rows, .cols = P->cols, .at = P->at,
                          .tape = P->tape };
    Y->logits = with_numbers(M->logits, logs);
    return Y;
}

static bool is_learning(const Slipping *s)
{
    int algorithm = s->variation.run->algorithm;
    return 11 <= algorithm && algorithm <= 13;
}

static bool reaches_a_parameter(Mat Y)
{
    for (int k = 0; Y->back != NULL && k < Y->n; k++)
        if (reaches_a_parameter(Y->of[k]))
            return true;
    return Y->tape == NULL && Y->grad != NULL;
}

static Mat replaced(Slipping *s, const Strike *strike, Mat M)
{
    Mat Y = strike->instead != NULL ? strike->instead(s, M)
                                    : made_by(s, strike->by, M);
    bool fits = Y != NULL && Y->rows == M->rows && Y->cols == M->cols;
    if (fits && is_learning(s) && M->tape != NULL
        && ((strike->when & STRAIGHT) != 0 || !reaches_a_parameter(Y)))
        return with_numbers(M, Y);
    if (!fits && (s->variation.run->algorithm < 8 || s->here->line == 0))
        cannot_be(s);
    return fits ? Y : M;
}

/* Is this one of the names? "gamma" is gamma_2, too. */
static bool is_among(const char *names, const char *name)
{
    for (const char *p = names; *p != '\0'; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (strncmp(name, p, n) == 0
            && (name[n] == '\0' || (name[n] == '_' && name[n + 1] <= '9')))
            return true;
        p += n;
    }
    return false;
}

static uint64_t roles_of(const Step *step)
{
    return step->aspect == GRADIENT ? 0
         : step->aspect == NEW ? NEW_VALUES : (uint64_t)1 << step->role;
}

static bool is_struck(Slipping *s, const Strike *strike,
                      uint64_t roles, bool unwritten)
{
    bool meant = s->here->line > 0 ? (strike->roles & roles) != 0
               : strike->given != NULL
                 && is_among(strike->given, s->here->name);
    return meant && ((strike->when & UNWRITTEN) != 0) == unwritten
        && holds(s, strike->when);
}

static Mat slipped_by(Slipping *s, Explanation *why, uint64_t roles,
                      bool unwritten, Mat M)
{
    Mat Y = why->before == NULL ? M
          : slipped_by(s, why->before, roles, unwritten, M);
    for (int k = 0; k < 2 && why->slip[k] != NULL; k++) {
        Mat before = Y;
        s->slip = why->slip[k];
        for (int i = 0; i < STRIKES; i++)
            if (is_struck(s, &s->slip->at[i], roles, unwritten)
                && is_made(why, s->here))
                Y = replaced(s, &s->slip->at[i], Y);
        why->made[k] |= Y != before;
    }
    return Y;
}

static Mat slipped(Slipping *s, uint64_t roles, bool unwritten, Mat M)
{
    Mat Y = slipped_by(s, s->why, roles, unwritten, M);
    if (Y != M && is_read_by_logarithm(s, s->here, M) && Y->logits == NULL)
        return with_logarithms(s, Y, M);
    return Y;
}

static bool is_of_one_query(const Step *step)
{
    return step->algorithm == 3 && step->role == ROLE_WEIGHTS
        && step->aspect == VALUE;
}

static bool is_given(const Run *run, const char *names)
{
    char name[24];
    bool is = run->algorithm >= 8;
    for (const char *p = names; *p != '\0'; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        Step place = { .name = name },
        of_head = { .name = name, .head = 1 };
        is |= matrix_given(run->bound, &place) != NULL
           || matrix_given(run->bound, &of_head) != NULL;
        p += n;
    }
    return is;
}

static bool exchanges(const Slip *slip)
{
    return (slip->at[0].when & EXCHANGED) != 0;
}

bool has_place(const Run *run, const Slip *slip, const Step *from,
               const Step *until, const Step *only, bool inside)
{
    const Explanation there = { .only = only };
    uint64_t roles = 0;
    unsigned true_ones = truths_of_run(run) | ONLY_HERE;
    for (const Step *s = from; s <= until; s++)
        if (is_made(&there, s) == inside)
            roles |= roles_of(s)
                   | (is_of_one_query(s) ? ROLE(SCALED) : 0);
    for (int i = 0; i < STRIKES; i++) {
        const Strike *strike = &slip->at[i];
        if ((strike->when & ~true_ones) == 0
            && ((strike->roles & roles) != 0
                || (strike->given != NULL && is_given(run, strike->given))))
            return true;
    }
    return exchanges(slip) && is_given(run, "X");
}

bool share_a_place(const Slip *a, const Slip *b)
{
    for (int i = 0; i < STRIKES; i++)
        for (int k = 0; k < STRIKES; k++) {
            const Strike *s = &a->at[i], *t = &b->at[k];
            bool both_given = s->given != NULL && t->given != NULL
                           && is_among(s->given, t->given);
            if (((s->roles & t->roles) != 0 || both_given)
                && ((s->when ^ t->when) & UNWRITTEN) == 0)
                return true;
        }
    return is_rounding(a) && is_rounding(b);
}

static Mat with_cells(Slipping *s, const Step *step, Mat M)
{
    if (s->sought != NULL && same_place(step, s->sought->step))
        seek_cells(s, M);
    for (const Explanation *e = s->why; e != NULL; e = e->before) {
        if (e->cells == 0 || !same_place(step, e->only))
            continue;
        Mat change = zeros_of(s, M->rows, M->cols);
        for (int k = 0; k < e->cells; k++)
            if (e->cell[k].i <= M->rows && e->cell[k].j <= M->cols)
                AT(change, e->cell[k].i, e->cell[k].j)
                    = (real)e->cell[k].change;
        M = add(M, change);
    }
    return M;
}

static Mat weights_3(Slipping *s, Mat A)
{
    if (A->logits == NULL)      /* the scaled scores were told before */
        return A;
    Mat S = slipped(s, ROLE(SCALED), false, A->logits);
    S = s->latest[ROLE_SCALED] = slipped(s, ROLE(SCALED), true, S);
    Mat other = S == A->logits ? A : made_by(s, "softmax(it)", S);
    if (other == NULL)
        cannot_be(s);
    return other;
}

/* As long as values are shaken, the last of them before it is written. */
static Mat shaken(Slipping *s, Mat M)
{
    if (s->variation.run->n >= s->why->shaken)
        return M;
    Mat Y = zeros_of(s, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = (real)(1.001 * AT(M, i, j) + 0.001);
    return with_numbers(M, Y);
}

static Mat compute(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    bool is_value = step->aspect == VALUE;
    s->here = step;
    if (is_of_one_query(step))
        M = weights_3(s, M);
    if (is_value && step->role == ROLE_MASKED)
        s->mask = M, s->hides = any_hidden(M);
    if (is_value && step->role == ROLE_LOSS)
        s->log_P = log_probabilities(M);
    if (!step->given)           /* that is nobody's slip */
        M = slipped(s, roles_of(step), false, M);
    M = with_cells(s, step, M);
    if (is_value)
        note(s, step, M = shaken(s, M));
    return M;
}

static Mat give_slipped(void *to, const Step *place, Mat M)
{
    Slipping *s = to;
    if (place->line > 0) {      /* a step that the sheet gives */
        note(s, place, M);
        return M;
    }
    Kept *kept = arena_alloc(s->arena, sizeof *kept);
    *kept = (Kept){ *place, M, s->kept };
    s->kept = kept;             /* it will be overwritten */
    s->here = place;
    return slipped(s, 0, false, M);
}

static double epsilon_of(Mat M)
{
    return M->tape == NULL ? 0 : settings(M->tape)->epsilon;
}

static const Claim *claim_carried(const Slipping *s, const Step *step)
{
    const Explanation *g = s->why;
    for (int k = 0; k < g->n; k++)
        if (same_place(g->claim[k].step, step))
            return &g->claim[k];
    return NULL;
}

static bool is_score(const Step *step)
{
    return step->role == ROLE_SCORES || step->role == ROLE_MASKED
        || step->role == ROLE_SCALED;
}

static bool can_go_on(const Step *step, Mat M, real x)
{
    bool probability = step->role == ROLE_PROBABILITIES
                    || step->role == ROLE_PREDICTED
                    || step->role == ROLE_NEXT
                    || step->role == ROLE_TEMPERED;
    return (isfinite(x) || (x == -INFINITY && is_score(step)))
        && (step->role != ROLE_VARIANCE || x + epsilon_of(M) > 0)
        && (!probability || x > 0);
}

static bool is_fine(const Step *step, Mat M, int j)
{
    int finite = 0, hidden = 0;
    for (int i = 1; i <= M->rows; i++) {
        double x = AT(M, i, j);
        finite += isfinite(x) != 0;
        hidden += x == -INFINITY;
        if (step->role == ROLE_VARIANCE
            && !((real)sqrt(x + epsilon_of(M)) > 0))
            return false;
    }
    return (is_score(step) ? finite > 0 && finite + hidden == M->rows
                           : finite == M->rows);
}

/* What is written, in the paper's layout. */
static Mat written_down(Slipping *s, const Step *step, const Item *claim,
                        Mat M)
{
    Mat Y = zeros_of(s, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            int k = step->turned ? entry_at(claim, step->M, j, i)
                                 : entry_at(claim, step->M, i, j);
            real x = (real)claim->entry[k].value;
            AT(Y, i, j) = can_go_on(step, M, x) ? x : AT(M, i, j);
        }
    return Y;
}

/* It goes on with what is typed for M. The gradient of a softmax is found
   from its own numbers, so they become these. */
static Mat going_on(Slipping *s, const Step *step, Mat typed, Mat M)
{
    if (step->aspect != VALUE)
        return typed;
    if (is_read_by_logarithm(s, step, M))
        return with_logarithms(s, with_numbers(M, typed), M);
    return M->logits == NULL ? with_numbers(M, typed)
                             : set_numbers(M, typed);
}

static Mat carry(void *to, const Step *step, Mat M)
{
    Slipping *s = to;
    const Claim *claim = claim_carried(s, step);
    Mat Y = M;
    s->here = step;
    if (s->why->until != NULL && same_place(step, s->why->until))
        cannot_be(s);
    if (claim != NULL && shape_fits(claim->item, step->M))
        Y = going_on(s, step, written_down(s, step, claim->item, M), M);
    Y = slipped(s, roles_of(step), true, Y);
    if (step->aspect == VALUE)
        Y = shaken(s, Y);
    for (int j = 1; Y != M && j <= Y->cols; j++)
        if (!is_fine(step, Y, j))
            cannot_be(s);
    if (step->aspect == VALUE)
        note(s, step, Y);
    if (step->aspect == GRADIENT)
        s->gradient = Y;
    return Y;
}

static void run_it(Fault *f, void *data)
{
    Slipping *s = data;
    run_bound(s->bound, &s->variation, s->arena, s->tape, f);
}

static Slipping *run_for(const Claim *sought, const Bound *bound,
                         Explanation *why, Arena *arena, Tape *tape)
{
    Slipping *s = arena_alloc(arena, sizeof *s);
    Fault f = { .text = NULL };
    *s = (Slipping){ .why = why, .bound = bound, .arena = arena,
        .tape = tape, .sought = sought,
        .variation = { s, give_slipped, compute, carry, .run = NULL } };
    for (Explanation *e = why; e != NULL; e = e->before)
        for (int k = 0; k < 2; k++)
            if (e->slip[k] != NULL && exchanges(e->slip[k]))
                s->variation.exchanged = e->made[k] = true;
    attempt(&f, run_it, s);
    return s;
}

const Run *run_explained(const Bound *bound, Explanation *why, Arena *arena,
                         Tape *tape)
{
    return run_for(NULL, bound, why, arena, tape)->variation.run;
}

int cell_slips(const Bound *bound, Explanation why, const Claim *claim,
               Arena *arena, Tape *tape, const CellSlip **cell)
{
    why.until = claim->step;
    const Slipping *s = run_for(claim, bound, &why, arena, tape);
    *cell = s->cell;
    return s->cells;
}

bool find_factors(const Bound *bound, const Claim *claim, Arena *arena,
                  Tape *tape, Mat factors[2])
{
    Explanation why = { .until = claim->step };
    const Slipping *s = run_for(claim, bound, &why, arena, tape);
    factors[0] = s->factors[0], factors[1] = s->factors[1];
    return factors[0] != NULL && factors[1] != NULL
        && factors[0]->rows == factors[1]->rows;
}

