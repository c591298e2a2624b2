/* The steps of a run: their names, their formulas, their places. */
#include "sheet/sheet.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *line, *name;    /* such as "4.1" and "Q"                  */
    const char *symbol;         /* in the paper's notation                */
    const char *columns, *rows; /* what it is, where tokens are these     */
} Formula;

static const Formula formulas[] = {
    { "1.1", "e",   "e",   "W_e[:, v]", "W_e[v, :]" },
    { "2.1", "e_p", "e_p", "W_p[:, t]", "W_p[t, :]" },
    { "3.1", "q",   "q",   "W_q' e + b_q",   "e W_q' + b_q" },
    { "3.2", "k_t", "k_t", "W_k' e_t + b_k", "e_t W_k' + b_k" },
    { "3.3", "v_t", "v_t", "W_v' e_t + b_v", "e_t W_v' + b_v" },
    { "3.4", "scores",  "scores", "qᵀ k_t", "q k_tᵀ" },
    { "3.4", "alpha_t", "α_t", "softmax(scores / √d_attn)", NULL },
    { "3.5", "v_tilde", "ṽ",   "Σ_t α_t v_t", NULL },
    { "4.1", "Q", "Q", "W_q' X + b_q 1ᵀ", "X W_q' + 1 b_qᵀ" },
    { "4.2", "K", "K", "W_k' Z + b_k 1ᵀ", "Z W_k' + 1 b_kᵀ" },
    { "4.3", "V", "V", "W_v' Z + b_v 1ᵀ", "Z W_v' + 1 b_vᵀ" },
    { "4.4", "S", "S", "Kᵀ Q", "Q Kᵀ" },
    { "4.5", "S", "S", "S, but -inf where the mask is 0", NULL },
    { "4.6", "S_scaled", "S / √d_attn", NULL, NULL },
    { "4.6", "A",  "A", "softmax(S / √d_attn)", NULL },
    { "4.6", "Vt", "Ṽ", "V A", "A V" },
    { "5.2", "Y",  "Y^h", "Attention(X, Z | W_qkv^h, Mask)", NULL },
    { "5.3", "Y",  "Y", "[Y^1; ...; Y^H]", "[Y^1, ..., Y^H]" },
    { "5.4", "Vt", "Ṽ", "W_o' Y + b_o 1ᵀ", "Y W_o' + 1 b_oᵀ" },
    { "6.1", "m",  "m", "Σ_i e[i] / d_e", NULL },
    { "6.2", "v",  "v", "Σ_i (e[i] - m)² / d_e", NULL },
    { "6.3", "e_hat",  "ê", "(e - m) / √(v + ε) ⊙ γ + β", NULL },
    { "7.1", "logits", "logits", "W_u' e", "e W_u'" },
    { "7.1", "p", "p", "softmax(logits)", NULL },
    { "8.3", "Z", "Z", "W_e[:, z] + W_p[:, 1:ℓ_z]",
                       "W_e[z, :] + W_p[1:ℓ_z, :]" },
    { "8.5", "Z", "Z", "Z + MHAttention(Z | W^enc, Mask = 1)", NULL },
    { "8.6", "Z", "Z", "layer_norm(Z | γ^1, β^1)", NULL },
    { "8.7", "Z", "Z",
      "Z + W_mlp2' ReLU(W_mlp1' Z + b_mlp1 1ᵀ) + b_mlp2 1ᵀ",
      "Z + ReLU(Z W_mlp1' + 1 b_mlp1ᵀ) W_mlp2' + 1 b_mlp2ᵀ" },
    { "8.8", "Z", "Z", "layer_norm(Z | γ^2, β^2)", NULL },
    { "8.12", "X", "X", "W_e[:, x] + W_p[:, 1:ℓ_x]",
                        "W_e[x, :] + W_p[1:ℓ_x, :]" },
    { "8.14", "X", "X", "X + MHAttention(X | W^dec, Mask causal)", NULL },
    { "8.15", "X", "X", "layer_norm(X | γ^3, β^3)", NULL },
    { "8.16", "X", "X", "X + MHAttention(X, Z | W^e/d, Mask = 1)", NULL },
    { "8.17", "X", "X", "layer_norm(X | γ^4, β^4)", NULL },
    { "8.18", "X", "X",
      "X + W_mlp4' ReLU(W_mlp3' X + b_mlp3 1ᵀ) + b_mlp4 1ᵀ",
      "X + ReLU(X W_mlp3' + 1 b_mlp3ᵀ) W_mlp4' + 1 b_mlp4ᵀ" },
    { "8.19", "X", "X", "layer_norm(X | γ^5, β^5)", NULL },
    { "8.21", "P", "P", "softmax(W_u' X)", "softmax(X W_u')" },
    { "9.3", "X", "X",
      "W_e[:, x] + W_p[:, 1:ℓ]", "W_e[x, :] + W_p[1:ℓ, :]" },
    { "9.5", "X", "X", "X + MHAttention(X | W, Mask = 1)", NULL },
    { "9.6", "X", "X", "layer_norm(X | γ^1, β^1)", NULL },
    { "9.7", "X", "X",
      "X + W_mlp2' GELU(W_mlp1' X + b_mlp1 1ᵀ) + b_mlp2 1ᵀ",
      "X + GELU(X W_mlp1' + 1 b_mlp1ᵀ) W_mlp2' + 1 b_mlp2ᵀ" },
    { "9.8", "X", "X", "layer_norm(X | γ^2, β^2)", NULL },
    { "9.10", "X", "X", "GELU(W_f' X + b_f 1ᵀ)", "GELU(X W_f' + 1 b_fᵀ)" },
    { "9.11", "X", "X", "layer_norm(X | γ, β)", NULL },
    { "9.12", "P", "P", "softmax(W_u' X)", "softmax(X W_u')" },
    { "10.3", "X", "X",
      "W_e[:, x] + W_p[:, 1:ℓ]", "W_e[x, :] + W_p[1:ℓ, :]" },
    { "10.5", "Xt", "X̃", "layer_norm(X | γ^1, β^1)", NULL },
    { "10.6", "X", "X", "X + MHAttention(X̃ | W, Mask causal)", NULL },
    { "10.7", "Xt", "X̃", "layer_norm(X | γ^2, β^2)", NULL },
    { "10.8", "X", "X",
      "X + W_mlp2' GELU(W_mlp1' X̃ + b_mlp1 1ᵀ) + b_mlp2 1ᵀ",
      "X + GELU(X̃ W_mlp1' + 1 b_mlp1ᵀ) W_mlp2' + 1 b_mlp2ᵀ" },
    { "10.10", "X", "X", "layer_norm(X | γ, β)", NULL },
    { "10.11", "P", "P", "softmax(W_u' X)", "softmax(X W_u')" },
    { "11.4", "P", "P", "EDTransformer(z, x | θ)", NULL },
    { "11.5", "loss", "loss", "-Σ_t log P[x[t+1], t]",
                              "-Σ_t log P[t, x[t+1]]" },
    { "12.5", "xt", "x̃", "mask_token where u < p_mask, else x", NULL },
    { "12.7", "Tt", "T̃", "{t : x̃[t] = mask_token}", NULL },
    { "12.8", "P", "P", "ETransformer(x̃ | θ)", NULL },
    { "12.9", "loss", "loss", "-Σ_(t in T̃) log P[x[t], t]",
                              "-Σ_(t in T̃) log P[t, x[t]]" },
    { "13.4", "P", "P", "DTransformer(x | θ)", NULL },
    { "13.5", "loss", "loss", "-Σ_t log P[x[t+1], t]",
                              "-Σ_t log P[t, x[t+1]]" },
    { "14.3", "P", "P", "DTransformer(x | θ)", NULL },
    { "14.4", "p", "p", "P[:, ℓ + i - 1]", "P[ℓ + i - 1, :]" },
    { "14.5", "q", "q", "p^(1/τ) / Σ p^(1/τ)", NULL },
    { "14.5", "y", "y", "the first y with u < q[1] + ... + q[y]", NULL },
    { "14.8", "y", "y", "x[ℓ+1 : ℓ+ℓ_gen]", NULL },
    { "15.4", "P", "P", "EDTransformer(z, x̂ | θ)", NULL },
    { "15.5", "p", "p", "P[:, length(x̂)]", "P[length(x̂), :]" },
    { "15.6", "q", "q", "p^(1/τ) / Σ p^(1/τ)", NULL },
    { "15.6", "y", "y", "the first y with u < q[1] + ... + q[y]", NULL },
    { "15.9", "x_hat", "x̂", "the tokens so far", NULL },
};
static const Formula *formula_of(const Step *step)
{
    size_t k = 0, n = sizeof formulas / sizeof *formulas;
    char line[30];
    snprintf(line, sizeof line, "%d.%d", step->algorithm, step->line);
    while (k < n && (strcmp(formulas[k].line, line) != 0
                     || strcmp(formulas[k].name, step->name) != 0))
        k++;
    REQUIRE(k < n, "there is no formula for %s.", step->name);
    return &formulas[k];
}

int step_name(char *to, size_t size, const Step *step)
{
    static const char *const parts[] = { "", "layer", "enc", "dec", "ed" };
    static const char *const aspects[] = { "", "grad.", "new." };
    char turn[20] = "", layer[30] = "", head[20] = "";
    if (step->turn > 0)
        snprintf(turn, sizeof turn, "%c%d.", step->loop, step->turn);
    if (step->part != NOWHERE)
        snprintf(layer, sizeof layer, "%s%d.", parts[step->part],
                 step->layer);
    if (step->head > 0)
        snprintf(head, sizeof head, "^%d", step->head);
    return snprintf(to, size, "%s%s%s%s%s", turn, aspects[step->aspect],
                    layer, step->name, head);
}

const char *step_label(char to[100], const Run *run, const Step *step)
{
    char line[30] = "", place[60];
    Step bare = *step;
    bare.name = "";
    step_name(place, sizeof place, &bare);
    int before = (int)strcspn(place, "^");
    bool named = step->aspect != VALUE
              || strcmp(step->name, "S_scaled") == 0;
    const char *name = named ? step->name : formula_of(step)->symbol;
    if (run->algorithm >= 8 && step->aspect == VALUE)
        snprintf(line, sizeof line, "%d.%d ", step->algorithm, step->line);
    snprintf(to, 100, "%s%.*s%.*s%s", line, before, place,
             (int)strcspn(name, "^"), name, place + before);
    return to;
}

void json_place(FILE *out, const Step *step)
{
    static const char *const parts[] = { [LAYER] = "layer", [ENC] = "enc",
                                         [DEC] = "dec", [ED] = "ed" };
    fprintf(out, step->head == 0 ? "null" : "%d", step->head);
    if (step->aspect != VALUE)
        fprintf(out, ", \"of\": \"%s\"", step->aspect == NEW ? "new"
                                                             : "grad");
    if (step->turn > 0)
        fprintf(out, ", \"turn\": %d", step->turn);
    if (step->part != NOWHERE)
        fprintf(out, ", \"part\": \"%s\", \"layer\": %d",
                parts[step->part], step->layer);
}

static const char *formula_text(const Run *run, const Step *step)
{
    const Formula *f = formula_of(step);
    if (run->rms && step->line == 1)
        return "0";
    if (run->rms && step->line == 3)
        return "e / √(v + ε) ⊙ γ";
    if (run->tied && strcmp(step->name, "logits") == 0)
        return run->layout->rows ? "e W_eᵀ" : "W_eᵀ e";
    if (run->tied && strcmp(f->columns, "softmax(W_u' X)") == 0)
        return run->layout->rows ? "softmax(X W_eᵀ)" : "softmax(W_eᵀ X)";
    return run->layout->rows && f->rows != NULL ? f->rows : f->columns;
}

void print_formula(FILE *out, const Run *run, const char *formula)
{
    static const char scale[] = " / √d_attn";
    bool primed = run->layout->rows != run->layout->weights;
    const char *positions = strstr(formula, " + W_p[");
    for (const char *p = formula; *p != '\0'; p++)
        if (run->unplaced && p == positions)
            break;
        else if (!run->scaled && strncmp(p, scale, strlen(scale)) == 0)
            p += strlen(scale) - 1;
        else if (*p != '\'')
            fputc(*p, out);
        else if (primed)
            fputs("ᵀ", out);
}

static void print_meaning(FILE *out, const Run *run, const Step *step)
{
    const char *text = step->aspect == VALUE ? formula_text(run, step)
                                             : NULL;
    Step bare = *step;
    char name[60];
    bare.aspect = VALUE;
    bare.turn = 0;
    step_name(name, sizeof name, &bare);
    if (step->aspect == GRADIENT)
        fprintf(out, "∇%s", name);
    else if (step->aspect == NEW)
        fprintf(out, "%s ← %s - η ∇%s", name, name, name);
    else
        print_formula(out, run, formula_of(step)->symbol);
    if (text != NULL) {
        fputs(" = ", out);
        print_formula(out, run, text);
    }
}

static void print_place(FILE *out, const Run *run, const Step *step)
{
    static const char *const parts[] = { [ENC] = "W^enc", [DEC] = "W^dec",
                                         [ED] = "W^e/d" };
    fprintf(out, "line %d", step->line);
    if (run->algorithm != step->algorithm && step->part > LAYER)
        fprintf(out, ", %s", parts[step->part]);
    if (step->turn > 0)
        fprintf(out, ", %c = %d", step->loop, step->turn);
    if (step->layer > 0 && step->aspect == VALUE)
        fprintf(out, ", l = %d", step->layer);
    if (step->head > 0 && step->aspect == VALUE)
        fprintf(out, ", h = %d", step->head);
    fputs(": ", out);
}

void print_step_text(FILE *out, const Run *run, const Step *step)
{
    print_place(out, run, step);
    print_meaning(out, run, step);
}

const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed)
{
    char *text;
    size_t n;
    FILE *memory = open_memstream(&text, &n);
    REQUIRE(memory != NULL, "out of memory.");
    if (placed && step->algorithm != run->algorithm)
        fprintf(memory, "Algorithm %d, ", step->algorithm);
    if (placed)
        print_step_text(memory, run, step);
    else
        print_meaning(memory, run, step);
    fclose(memory);
    const char *copy = memcpy(arena_alloc(arena, n + 1), text, n + 1);
    free(text);
    return copy;
}

int decimals_shown(const Run *run)
{
    int most = 0;
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *item = &run->sheet->item[k];
        for (int i = 0; item->claim && i < item->rows * item->cols; i++)
            if (item->entry[i].decimals > most)
                most = item->entry[i].decimals;
    }
    return run->decimals >= 0 ? run->decimals
         : most == 0 ? 4 : most > 15 ? 15 : most;
}

const char *run_title(char to[TITLE_BYTES], const Run *run)
{
    snprintf(to, TITLE_BYTES, "Algorithm %d, layout %s: %s",
             run->algorithm, run->layout->name, run->layout->meaning);
    return to;
}

bool sums_to_1(const Step *step)
{
    if (step->algorithm == 3 && strcmp(step->name, "q") == 0)
        return false;           /* a query */
    return strcmp(step->name, "A") == 0 || strcmp(step->name, "p") == 0
        || strcmp(step->name, "P") == 0 || strcmp(step->name, "q") == 0
        || strcmp(step->name, "alpha_t") == 0;
}

const char *sums_text(const Run *run)
{
    return run->layout->rows ? "each row sums to 1"
                             : "each column sums to 1";
}

static bool same_matrix(const Step *a, const Step *b)
{
    bool equal = strcmp(a->name, b->name) == 0 && a->head == b->head
              && a->algorithm == b->algorithm;
    for (int j = 1; equal && j <= a->M->cols; j++)
        for (int i = 1; i <= a->M->rows; i++)
            equal &= AT(a->M, i, j) == AT(b->M, i, j);
    return equal;
}

bool mask_is_1(const Step *step)
{
    return step->mark == NULL && step->algorithm == 4 && step->line == 5
        && same_matrix(step, step - 1);
}

static bool alike(const Step *a, const Step *b)
{
    return a->algorithm == b->algorithm && a->line == b->line
        && a->aspect == b->aspect && a->part == b->part
        && a->layer == b->layer && a->head == b->head
        && a->turn == b->turn && strcmp(a->name, b->name) == 0;
}

bool same_place(const Step *a, const Step *b)
{
    return a->time == b->time && alike(a, b);
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

static bool rivals(const Step *a, const Step *b)
{
    return a->line == b->line && a->algorithm == b->algorithm
        && (a->part != b->part || a->layer != b->layer
            || a->head != b->head || a->turn != b->turn);
}

_Noreturn static void refuse_claim(const Run *run, const Item *claim,
                                   bool doubt, Fault *f)
{
    char list[600] = "", name[60];
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        size_t n = strlen(list), left = sizeof list - n;
        bool again = k > 0 && step->head == step[-1].head
                  && strcmp(step->name, step[-1].name) == 0;
        if (left < 60 || step->inner || step->head > 1 || step->layer > 1
            || step->turn > 1 || (again && run->algorithm < 8))
            continue;
        step_name(name, sizeof name, step);
        snprintf(list + n, left, n > 0 ? ", " : "");
        n = strlen(list);
        if (run->algorithm < 8)
            snprintf(list + n, left, "%s", name);
        else
            snprintf(list + n, left, "%d.%d %s", step->algorithm,
                     step->line, name);
    }
    if (list[0] == '\0')
        fault(f, claim->at, "Algorithm %d has shown no step yet, so none "
              "is %s; a SEE in its C shows one.", run->algorithm,
              claim->typed);
    fault(f, claim->at, "%s step of Algorithm %d is %s; the steps are "
          "%s.", doubt ? "more than one" : "no", run->algorithm,
          claim->typed, list);
}

const Step *step_of(const Run *run, const Item *claim, Fault *f)
{
    const Step *found = NULL;
    bool doubt = false;
    for (int k = 0; k < run->n; k++)
        if (is_about(claim, &run->step[k]))
            found = &run->step[k];
    for (int k = 0; k < run->n && found != NULL; k++)
        doubt |= is_about(claim, &run->step[k])
              && rivals(found, &run->step[k]);
    if (found == NULL || doubt)
        refuse_claim(run, claim, doubt, f);
    return found;
}
