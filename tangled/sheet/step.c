/* The steps of a run: their names, their formulas, their places. */
#include "sheet/label.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE(a, l) .algorithm = a, .line = l
#define EMBEDDED_ROWS(a, l, X, x, ell, all) \
    { LINE(a, l), "embedding", ROLE_EMBEDDING, "d_e", ell, \
      "W_e[:, " x "]", "W_e[" x ", :]", .derived = true, \
      .formula = "W_e one_hot(tokens, N_V)" }, \
    { LINE(a, l), "position", ROLE_POSITION, "d_e", ell, \
      "W_p[:, 1:" all "]", "W_p[1:" all ", :]", .derived = true, \
      .formula = "W_p one_hot(index(tokens'), ell_max)" }, \
    { LINE(a, l), X, ROLE_EMBEDDED, "d_e", ell, \
      "W_e[:, " x "] + W_p[:, 1:" all "]", \
      "W_e[" x ", :] + W_p[1:" all ", :]", \
      .formula = "embedding + position" }
#define NORM_ROW(a, l, X, sign, of, ell, role, in_words) \
    { LINE(a, l), X, role, "d_e", ell, \
      "layer_norm(" of " | " in_words ")", .symbol = sign }
#define FED_ROWS(a, l, X, sign, ell, in, out, f, F) \
    { LINE(a, l), "hidden", ROLE_HIDDEN, "d_mlp", ell, \
      "W_" in "' " sign " + b_" in " 1ᵀ", sign " W_" in "' + 1 b_" in "ᵀ", \
      .derived = true, .formula = "W_mlp1 mlp_input + b_mlp1", \
      .also = "h" }, \
    { LINE(a, l), "active", ROLE_ACTIVE, "d_mlp", ell, F "(hidden)", \
      .derived = true, .formula = f "(hidden)", .also = f " " F }, \
    { LINE(a, l), "mlp", ROLE_MLP, "d_e", ell, \
      "W_" out "' active + b_" out " 1ᵀ", \
      "active W_" out "' + 1 b_" out "ᵀ", .derived = true, \
      .formula = "W_mlp2 active + b_mlp2", .also = "ffn FFN MLP" }, \
    { LINE(a, l), X, ROLE_FED, "d_e", ell, \
      X " + W_" out "' " F "(W_" in "' " sign " + b_" in " 1ᵀ) + b_" out \
      " 1ᵀ", X " + " F "(" sign " W_" in "' + 1 b_" in "ᵀ) W_" out \
      "' + 1 b_" out "ᵀ", .formula = "input + mlp" }
#define POWER_ROWS(a, l, sign, high, wide) \
    { LINE(a, l), "exp", ROLE_POWERS, high, wide, "e^" sign, \
      .derived = true, \
      .formula = "exp(x - shift * sum(pick(largest(x), x, 0)))" }, \
    { LINE(a, l), "sum", ROLE_SUM, "1", wide, "Σ e^" sign, \
      .derived = true, .formula = "sum(exp)" }
#define KEPT_ROW(a, l, wide) \
    { LINE(a, l), "kept", ROLE_KEPT, "N_V", wide, \
      "q of the tokens that are kept, divided by its sum", \
      .derived = true, .formula = "keep(q, top_k, top_p)", \
      .also = "nucleus", .with = "top_k top_p" }
#define P_ROW(a, l, ...) \
    { LINE(a, l), "P", ROLE_PREDICTED, "N_V", "ell_x", __VA_ARGS__ }
const StepRow step_table[] = {
    { LINE(1, 1), "e", ROLE_EMBEDDING, "d_e", "1", "W_e[:, v]", "W_e[v, :]" },
    { LINE(2, 1), "e_p", ROLE_POSITION, "d_e", "1",
      "W_p[:, t]", "W_p[t, :]", .also = "PE pe" },
    { LINE(2, 1), "W_p", ROLE_TABLE, "d_e", "ell_max",
      "all positions", .derived = true, .formula = "W_p" },
    { LINE(2, 1), "X", ROLE_PLACED, "d_e", "1", "e + e_p", .derived = true,
      .formula = "e + position", .also = "x sum input", .with = "e" },
    { LINE(3, 1), "q", ROLE_QUERY, "d_attn", "1",
      "W_q' e + b_q", "e W_q' + b_q" },
    { LINE(3, 2), "k_t", ROLE_KEY, "d_attn", "T",
      "W_k' e_t + b_k", "e_t W_k' + b_k" },
    { LINE(3, 3), "v_t", ROLE_VALUES, "d_out", "T",
      "W_v' e_t + b_v", "e_t W_v' + b_v" },
    { LINE(3, 4), "scores", ROLE_SCORES, "T", "1",
      "qᵀ k_t", "q k_tᵀ", .also = "S s" },
    { LINE(3, 4), "S_scaled", ROLE_SCALED, "T", "1",
      .derived = true, .formula = "scores / scaling",
      .also = "scaled scaledscores", .symbol = "scores / √d_attn" },
    POWER_ROWS(3, 4, "(scores / √d_attn)", "T", "1"),
    { LINE(3, 4), "alpha_t", ROLE_WEIGHTS, "T", "1",
      "softmax(scores / √d_attn)", .formula = "exp / sum",
      .also = "weights A attn", .symbol = "α_t" },
    { LINE(3, 5), "v_tilde", ROLE_MIXED, "d_out", "1",
      "Σ_t α_t v_t", .also = "output out O context", .symbol = "ṽ" },
    { LINE(4, 1), "Q", ROLE_QUERY, "d_attn", "ell_x",
      "W_q' X + b_q 1ᵀ", "X W_q' + 1 b_qᵀ" },
    { LINE(4, 2), "K", ROLE_KEY, "d_attn", "ell_z",
      "W_k' Z + b_k 1ᵀ", "Z W_k' + 1 b_kᵀ", .reads = "Z" },
    { LINE(4, 3), "V", ROLE_VALUES, "d_v", "ell_z",
      "W_v' Z + b_v 1ᵀ", "Z W_v' + 1 b_vᵀ" },
    { LINE(4, 4), "S", ROLE_SCORES, "ell_z", "ell_x",
      "Kᵀ Q", "Q Kᵀ", .also = "scores score" },
    { LINE(4, 4), "S_scaled", ROLE_SCALED, "ell_z", "ell_x",
      "before the mask", .derived = true, .formula = "scores / scaling",
      .symbol = "S / √d_attn" },
    { LINE(4, 5), "S", ROLE_MASKED, "ell_z", "ell_x",
      "S, but -inf where the mask is 0", .reads = "mask" },
    { LINE(4, 6), "S_scaled", ROLE_SCALED, "ell_z", "ell_x",
      .formula = "pick(finite(masked), scaled, -inf)",
      .also = "scaled scaledscores", .symbol = "S / √d_attn" },
    POWER_ROWS(4, 6, "(S / √d_attn)", "ell_z", "ell_x"),
    { LINE(4, 6), "A", ROLE_WEIGHTS, "ell_z", "ell_x", "softmax(S / √d_attn)",
      .formula = "exp / sum", .also = "weights attn attention alpha" },
    { LINE(4, 6), "V_tilde", ROLE_MIXED, "d_v", "ell_x",
      "V A", "A V", .also = "output out O context", .symbol = "Ṽ" },
    { LINE(5, 2), "Y", ROLE_HEAD, "d_mid", "ell_x",
      "Attention(X, Z | W_qkv^h, Mask)", .symbol = "Y^h" },
    { LINE(5, 3), "Y", ROLE_HEADS, "H d_mid", "ell_x",
      "[Y^1; ...; Y^H]", "[Y^1, ..., Y^H]" },
    { LINE(5, 4), "V_tilde", ROLE_PROJECTED, "d_out", "ell_x",
      "W_o' Y + b_o 1ᵀ", "Y W_o' + 1 b_oᵀ", .also = "output out O",
      .symbol = "Ṽ" },
    { LINE(6, 1), "m", ROLE_MEAN, "1", "ell",
      "Σ_i e[i] / d_e", .also = "mean mu μ" },
    { LINE(6, 2), "v", ROLE_VARIANCE, "1", "ell",
      "Σ_i (e[i] - m)² / d_e", .also = "var variance sigma2 σ2 σ²" },
    { LINE(6, 3), "root", ROLE_ROOT, "1", "ell", "√(v + ε)", .derived = true,
      .formula = "sqrt(variance + epsilon)", .also = "std stddev sigma σ" },
    { LINE(6, 3), "standardised", ROLE_STANDARDISED, "d_e", "ell",
      "(e - m) / √(v + ε)", .derived = true,
      .formula = "(input - mean) / root",
      .also = "normalised normalized xhat x̂" },
    { LINE(6, 3), "e_hat", ROLE_NORMALISED, "d_e", "ell",
      "(e - m) / √(v + ε) ⊙ γ + β", .formula = "standardised * gamma + beta",
      .also = "output out y", .reads = "epsilon", .symbol = "ê" },
    { LINE(7, 1), "logits", ROLE_LOGITS, "N_V", "ell",
      "W_u' e", "e W_u'", .also = "logit z" },
    POWER_ROWS(7, 1, "logits", "N_V", "ell"),
    { LINE(7, 1), "p", ROLE_PROBABILITIES, "N_V", "ell",
      "softmax(logits)", .formula = "exp / sum",
      .also = "probs prob probabilities softmax output" },
    { LINE(7, 1), "q", ROLE_TEMPERED, "N_V", "ell",
      "softmax(logits / τ)", .derived = true,
      .formula = "softmax(logits / tau)", .with = "tau", .reads = "tau" },
    KEPT_ROW(7, 1, "ell"),
    { LINE(7, 1), "loss", ROLE_LOSS, "1", "1",
      "-Σ_t log p[target[t], t]", "-Σ_t log p[t, target[t]]",
      .derived = true, .formula = "total(-logs(target, P))",
      .with = "target", .also = "crossentropy CE L nll" },
    EMBEDDED_ROWS(8, 3, "Z", "z", "ell_z", "ℓ_z"),
    { LINE(8, 5), "Z", ROLE_ATTENDED, "d_e", "ell_z",
      "Z + MHAttention(Z | W^enc, Mask = 1)" },
    NORM_ROW(8, 6, "Z", "Z", "Z", "ell_z", ROLE_ATTENTION_NORM, "γ^1, β^1"),
    FED_ROWS(8, 7, "Z", "Z", "ell_z", "mlp1", "mlp2", "relu", "ReLU"),
    NORM_ROW(8, 8, "Z", "Z", "Z", "ell_z", ROLE_MLP_NORM, "γ^2, β^2"),
    EMBEDDED_ROWS(8, 12, "X", "x", "ell_x", "ℓ_x"),
    { LINE(8, 14), "X", ROLE_ATTENDED, "d_e", "ell_x",
      "X + MHAttention(X | W^dec, Mask causal)" },
    NORM_ROW(8, 15, "X", "X", "X", "ell_x", ROLE_ATTENTION_NORM, "γ^3, β^3"),
    { LINE(8, 16), "X", ROLE_ATTENDED, "d_e", "ell_x",
      "X + MHAttention(X, Z | W^e/d, Mask = 1)" },
    NORM_ROW(8, 17, "X", "X", "X", "ell_x", ROLE_ATTENTION_NORM, "γ^4, β^4"),
    FED_ROWS(8, 18, "X", "X", "ell_x", "mlp3", "mlp4", "relu", "ReLU"),
    NORM_ROW(8, 19, "X", "X", "X", "ell_x", ROLE_MLP_NORM, "γ^5, β^5"),
    P_ROW(8, 21, "softmax(W_u' X)", "softmax(X W_u')"),
    EMBEDDED_ROWS(9, 3, "X", "x", "ell_x", "ℓ"),
    { LINE(9, 5), "X", ROLE_ATTENDED, "d_e", "ell_x",
      "X + MHAttention(X | W, Mask = 1)" },
    NORM_ROW(9, 6, "X", "X", "X", "ell_x", ROLE_ATTENTION_NORM, "γ^1, β^1"),
    FED_ROWS(9, 7, "X", "X", "ell_x", "mlp1", "mlp2", "gelu", "GELU"),
    NORM_ROW(9, 8, "X", "X", "X", "ell_x", ROLE_MLP_NORM, "γ^2, β^2"),
    { LINE(9, 10), "hidden", ROLE_HIDDEN, "d_f", "ell_x",
      "W_f' X + b_f 1ᵀ", "X W_f' + 1 b_fᵀ", .derived = true,
      .formula = "W_f input + b_f", .also = "h" },
    { LINE(9, 10), "X", ROLE_TRANSFORMED, "d_f", "ell_x",
      "GELU(W_f' X + b_f 1ᵀ)", "GELU(X W_f' + 1 b_fᵀ)",
      .formula = "gelu(hidden)" },
    { LINE(9, 11), "X", ROLE_LAST_NORM, "d_f", "ell_x",
      "layer_norm(X | γ, β)" },
    P_ROW(9, 12, "softmax(W_u' X)", "softmax(X W_u')"),
    EMBEDDED_ROWS(10, 3, "X", "x", "ell_x", "ℓ"),
    NORM_ROW(10, 5, "X_tilde", "X̃", "X", "ell_x", ROLE_ATTENTION_NORM,
             "γ^1, β^1"),
    { LINE(10, 6), "X", ROLE_ATTENDED, "d_e", "ell_x",
      "X + MHAttention(X̃ | W, Mask causal)" },
    NORM_ROW(10, 7, "X_tilde", "X̃", "X", "ell_x", ROLE_MLP_NORM, "γ^2, β^2"),
    FED_ROWS(10, 8, "X", "X̃", "ell_x", "mlp1", "mlp2", "gelu", "GELU"),
    NORM_ROW(10, 10, "X", "X", "X", "ell_x", ROLE_LAST_NORM, "γ, β"),
    P_ROW(10, 11, "softmax(W_u' X)", "softmax(X W_u')"),
    P_ROW(11, 4, "EDTransformer(z, x | θ)"),
    { LINE(11, 5), "loss", ROLE_LOSS, "1", "1",
      "-Σ_t log P[x[t+1], t]", "-Σ_t log P[t, x[t+1]]" },
    { LINE(12, 5), "x_tilde", ROLE_MASKED_TOKENS, "1", "ell_x",
      "mask_token where u < p_mask, else x", .symbol = "x̃" },
    { LINE(12, 7), "T_tilde", ROLE_MASKED_PLACES, "1", "n",
      "{t : x̃[t] = mask_token}", .symbol = "T̃" },
    P_ROW(12, 8, "ETransformer(x̃ | θ)"),
    { LINE(12, 9), "loss", ROLE_LOSS, "1", "1",
      "-Σ_(t in T̃) log P[x[t], t]", "-Σ_(t in T̃) log P[t, x[t]]" },
    P_ROW(13, 4, "DTransformer(x | θ)"),
    { LINE(13, 5), "loss", ROLE_LOSS, "1", "1",
      "-Σ_t log P[x[t+1], t]", "-Σ_t log P[t, x[t+1]]" },
    P_ROW(14, 3, "DTransformer(x | θ)"),
    { LINE(14, 4), "p", ROLE_NEXT, "N_V", "1",
      "P[:, ℓ + i - 1]", "P[ℓ + i - 1, :]" },
    { LINE(14, 5), "q", ROLE_TEMPERED, "N_V", "1",
      "p^(1/τ) / Σ p^(1/τ)", .reads = "tau" },
    KEPT_ROW(14, 5, "1"),
    { LINE(14, 5), "y", ROLE_DRAWN, "1", "1",
      "the first y with u < q[1] + ... + q[y]" },
    { LINE(14, 8), "y", ROLE_GENERATED, "1", "ell_gen", "x[ℓ+1 : ℓ+ℓ_gen]" },
    P_ROW(15, 4, "EDTransformer(z, x̂ | θ)"),
    { LINE(15, 5), "p", ROLE_NEXT, "N_V", "1",
      "P[:, length(x̂)]", "P[length(x̂), :]" },
    { LINE(15, 6), "q", ROLE_TEMPERED, "N_V", "1",
      "p^(1/τ) / Σ p^(1/τ)", .reads = "tau" },
    { LINE(15, 6), "y", ROLE_DRAWN, "1", "1",
      "the first y with u < q[1] + ... + q[y]" },
    { LINE(15, 9), "x_hat", ROLE_GENERATED, "1", "ell_gen",
      "the tokens so far", .symbol = "x̂" },
    { .name = NULL }
};
const StepRow *row_named(int algorithm, int line, const char *name)
{
    for (const StepRow *r = step_table; r->name != NULL; r++)
        if (r->line == line && r->algorithm == algorithm
            && strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static const char *const parts[] = { "", "layer", "enc", "dec", "ed" };

void step_name(char *to, size_t size, const Step *step)
{
    static const char *const aspects[] = { "", "grad.", "new." };
    *to = '\0';
    if (step->turn > 0)
        append(to, size, "%c%d.", step->loop, step->turn);
    append(to, size, "%s", aspects[step->aspect]);
    if (step->part != NOWHERE)
        append(to, size, "%s%d.", parts[step->part], step->layer);
    append(to, size, "%s", step->name);
    if (step->head > 0)
        append(to, size, "^%d", step->head);
}

/* How a step is written in the paper. */
static const char *symbol_of(const Step *step)
{
    return step->row->symbol != NULL ? step->row->symbol : step->row->name;
}

const char *step_label(char to[100], const Run *run, const Step *step)
{
    Step shown = *step;
    int n = 0;
    if (step->aspect == VALUE && !has_role(step, ROLE(SCALED) | ROLE(HEAD)))
        shown.name = symbol_of(step);
    if (has_model(run->algorithm) && step->aspect == VALUE)
        n = snprintf(to, 100, "%d.%d ", step->algorithm, step->line);
    step_name(to + n, 100 - (size_t)n, &shown);
    return to;
}

void json_place(FILE *out, const Step *step)
{
    fprintf(out, step->head == 0 ? "null" : "%d", step->head);
    if (step->aspect != VALUE)
        print_json(out, ", 'of': %s", step->aspect == NEW ? "new" : "grad");
    if (step->turn > 0)
        print_json(out, ", 'turn': %d", step->turn);
    if (step->part != NOWHERE)
        print_json(out, ", 'part': %s, 'layer': %d", parts[step->part],
                   step->layer);
}

static const char *formula_text(const Run *run, const Step *step)
{
    const StepRow *row = step->row;
    for (const Step *q = run->step; q < step && step->role == ROLE_LOSS; q++)
        if (q->role == ROLE_TEMPERED)
            return run->layout->rows ? "-Σ_t log q[t, target[t]]"
                                     : "-Σ_t log q[target[t], t]";
    if (run->hyper.rms && has_role(step, ROLE(MEAN) | ROLE(NORMALISED)))
        return step->role == ROLE_MEAN ? "0" : "e / √(v + ε) ⊙ γ";
    if (step->role == ROLE_DRAWN && step > run->step
        && step[-1].role == ROLE_KEPT)
        return "the first y with u < kept[1] + ... + kept[y]";
    return run->layout->rows && row->rows != NULL ? row->rows : row->columns;
}

static void print_formula(FILE *out, const Run *run, const char *formula)
{
    static const char scale[] = " / √d_attn", tied[] = "W_u'";
    bool primed = run->layout->rows != run->layout->weights;
    for (const char *p = formula; *p != '\0'; p++)
        if (run->hyper.positions == NO_POSITIONS && begins(p, " + W_p["))
            break;
        else if (run->divisor > 0 && begins(p, scale)) {
            p += strlen(scale) - 1;
            if (run->divisor != 1)
                fprintf(out, " / %g", run->divisor);
        } else if (run->hyper.tied && begins(p, tied)) {
            fputs("W_eᵀ", out);
            p += strlen(tied) - 1;
        } else if (*p != '\'')
            fputc(*p, out);
        else if (primed)
            fputs("ᵀ", out);
}

static void print_meaning(FILE *out, const Run *run, const Step *step)
{
    Step bare = *step;
    char name[60];
    bare.aspect = VALUE;
    bare.turn = 0;
    step_name(name, sizeof name, &bare);
    if (step->aspect == NEW)
        fprintf(out, "%s ← %s - η ", name, name);
    if (step->aspect != VALUE) {
        fprintf(out, "∇%s", name);
        return;
    }
    const char *text = step->given ? "as given" : formula_text(run, step);
    print_formula(out, run, symbol_of(step));
    if (text != NULL) {
        fputs(" = ", out);
        print_formula(out, run, text);
    }
    if (run->shifted && has_role(step, ROLE(POWERS) | ROLE(SUM)))
        fputs(" / e^max", out);
}

void print_step_text(FILE *out, const Run *run, const Step *step,
                     const char *quote)
{
    static const char *const in[] = { [ENC] = "W^enc", [DEC] = "W^dec",
                                      [ED] = "W^e/d" };
    fprintf(out, "line %d", step->line);
    if (run->algorithm != step->algorithm && step->part > LAYER)
        fprintf(out, ", %s", in[step->part]);
    if (step->turn > 0)
        fprintf(out, ", %c = %d", step->loop, step->turn);
    if (step->layer > 0 && step->aspect == VALUE)
        fprintf(out, ", l = %d", step->layer);
    if (step->head > 0 && step->aspect == VALUE)
        fprintf(out, ", h = %d", step->head);
    fprintf(out, ": %s", quote);
    print_meaning(out, run, step);
    fputs(quote, out);
}

const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed)
{
    TextStream text;
    FILE *to = open_text_stream(&text);
    if (placed && step->algorithm != run->algorithm)
        fprintf(to, "Algorithm %d, ", step->algorithm);
    if (placed)
        print_step_text(to, run, step, "");
    else
        print_meaning(to, run, step);
    return close_text_stream(&text, arena);
}

const char *run_title(char to[TITLE_BYTES], const Run *run)
{
    snprintf(to, TITLE_BYTES, "Algorithm %d%s%s%s, layout %s: %s%s",
             run->algorithm,
             run->sheet->inferred ? " (inferred from the names)" : "",
             *run->entered != '\0' ? " " : "", run->entered,
             run->layout->name, run->layout->meaning, run->guessed);
    return to;
}

double step_size(const Step *step)
{
    double largest = 1;
    if (step->given || sums_to_1(step)
        || has_role(step, ROLE(POWERS) | ROLE(SUM) | ROLE(VARIANCE)
                          | ROLE(ROOT) | ROLE(LOSS)))
        return 0;
    for (int k = 0; k < step->M->rows * step->M->cols; k++)
        if (isfinite(step->M->at[k]))
            largest = fmax(largest, fabs(step->M->at[k]));
    return largest;
}

bool sums_to_1(const Step *step)
{
    return step->aspect == VALUE
        && has_role(step, ROLE(WEIGHTS) | ROLE(PROBABILITIES)
                          | ROLE(PREDICTED) | ROLE(NEXT) | ROLE(TEMPERED)
                          | ROLE(KEPT));
}

bool mask_is_1(const Run *run, const Step *step)
{
    const Step *before = step - 1;
    size_t n = (size_t)step->M->rows * (size_t)step->M->cols;
    return step > run->step && step->role == ROLE_MASKED
        && before->role == ROLE_SCORES
        && memcmp(step->M->at, before->M->at, n * sizeof(real)) == 0;
}

void append_step(Run *run, Arena *arena, Step *step, Mat M)
{
    bool turn = step->transposed;
    int n = run->n++, rows = M->rows, cols = M->cols;
    step->M = constant(arena, turn ? cols : rows, turn ? rows : cols);
    real *to = step->M->at;
    memcpy(to, M->at, (size_t)(rows * cols) * sizeof *to);
    for (int i = 0; turn && i < rows; i++)
        for (int j = 0; j < cols; j++)
            *to++ = M->at[j * rows + i];
    if ((n & (n - 1)) == 0) {           /* room for twice as many */
        size_t used = (size_t)n * sizeof *step;
        Step *more = arena_alloc(arena, 2 * used + sizeof *step);
        run->step = n == 0 ? more : memcpy(more, run->step, used);
    }
    run->step[n] = *step;
}

bool are_namesakes(const Step *a, const Step *b)
{
    return a->aspect == b->aspect && a->part == b->part
        && a->layer == b->layer && a->head == b->head && a->turn == b->turn
        && strcmp(a->name, b->name) == 0;
}

bool same_place(const Step *a, const Step *b)
{
    return a->row == b->row && a->time == b->time && are_namesakes(a, b);
}

const Step *same_step(const Run *run, const Step *step)
{
    for (const Step *s = run->step; s < run->step + run->n; s++)
        if (same_place(s, step))
            return s;
    return NULL;
}

static bool is_about(const Item *claim, const Step *step)
{
    return claim->aspect == step->aspect
        && (claim->line == 0 || (claim->line == step->line
                                 && claim->algorithm == step->algorithm))
        && (claim->part == NOWHERE || claim->part == step->part)
        && (claim->layer == 0 || claim->layer == step->layer)
        && (claim->head == 0 || claim->head == step->head)
        && (claim->turn == 0 || claim->turn == step->turn)
        && strcmp(claim->name, step->name) == 0;
}

const Step *step_of(const Run *run, const Item *claim, Error *f)
{
    const Step *found = NULL, *rival = NULL;
    char name[60];
    for (int k = run->n - 1; k >= 0; k--) {
        const Step *s = &run->step[k];
        if (is_about(claim, s) && found == NULL)
            found = s;
        else if (is_about(claim, s) && s->line == found->line
                 && s->algorithm == found->algorithm
                 && !are_namesakes(s, found))
            rival = s;
    }
    if (found == NULL)
        fail_in_text(f, claim->at, run->n == 0
                     ? "Algorithm %d has shown no step yet, so none is %s; "
                       "a SEE in its C shows one."
                     : "Algorithm %d has no step %s here; without this "
                       "claim 'ftx show' lists its steps.", run->algorithm,
                     claim->typed);
    if (rival == NULL)
        return found;
    step_name(name, sizeof name, rival);
    fail_in_text(f, claim->at, "Algorithm %d has more than one step %s; name "
                 "one, such as %s.", run->algorithm, claim->typed, name);
}
