/* ftx show: prints every step of an algorithm. */
#include "program.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool is_whole(Mat M)
{
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            double x = AT(M, i, j), near = sizeof(real) == 4 ? 1e-5 : 1e-9;
            if (isfinite(x) && fabs(x - round(x)) > near)
                return false;
        }
    return true;
}

int places_of(Mat M, int decimals)
{
    return is_whole(M) ? 0 : decimals;
}

int shown_number(char *to, size_t size, double x, int places)
{
    if (isinf(x))
        return snprintf(to, size, x < 0 ? "-inf" : "inf");
    bool small = fabs(x) < (places == 0 ? 1e15 : 1e9);
    int n = small ? snprintf(to, size, "%.*f", places, x)
                  : snprintf(to, size, "%.*e", places > 0 ? places : 4,
                             x);
    if (to[0] == '-' && strspn(to + 1, "0.") == strlen(to + 1))
        memmove(to, to + 1, (size_t)n--);
    return n;
}

int number_width(Mat M, int places)
{
    char text[64];
    int width = 0;
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            int n = shown_number(text, sizeof text, AT(M, i, j), places);
            width = n > width ? n : width;
        }
    return width;
}

static void print_matrix(FILE *out, Mat M, int decimals, bool shade)
{
    char text[64];
    int places = places_of(M, decimals), width = number_width(M, places);
    for (int i = 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++) {
            shown_number(text, sizeof text, AT(M, i, j), places);
            fprintf(out, "  %*s", width, text);
        }
        if (shade) {
            fputs("   ", out);
            shade_row(out, M, i);
        }
        fputc('\n', out);
    }
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

int text_width(const char *text)
{
    int n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        n += (*p & 0xC0) != 0x80 && !(*p == 0xCC
                                      || (*p == 0xCD && p[1] < 0xB0));
    return n;
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

static void print_heading(FILE *out, const Run *run, const Step *step)
{
    fprintf(out, "\nAlgorithm %d, ", step->algorithm);
    print_place(out, run, step);
    print_meaning(out, run, step);
    fprintf(out, "   (%d x %d)\n", step->M->rows, step->M->cols);
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
        print_place(memory, run, step);
    print_meaning(memory, run, step);
    fclose(memory);
    const char *copy = memcpy(arena_alloc(arena, n + 1), text, n + 1);
    free(text);
    return copy;
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

static bool same(const Step *a, const Step *b)
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
        && same(step, step - 1);
}

static void print_step(FILE *out, const Run *run, const Step *step,
                       bool shade)
{
    print_heading(out, run, step);
    if (mask_is_1(step)) {
        fputs("  as before: the mask is 1 everywhere\n", out);
        return;
    }
    print_matrix(out, step->M, decimals_shown(run),
                 shade && sums_to_1(step));
    if (sums_to_1(step))
        fprintf(out, "  %s\n", sums_text(run));
}

static void print_remarks(FILE *out, const Run *run, Fault *f)
{
    int claims = 0;
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *claim = &run->sheet->item[k];
        if (!claim->claim)
            continue;
        if (claims++ == 0)
            fputc('\n', out);
        Mat M = step_of(run, claim, f)->M;
        bool turned = claim->rows == M->cols && claim->cols == M->rows
                   && (M->rows == 1 || M->cols == 1);
        if (!turned && (claim->rows != M->rows || claim->cols != M->cols))
            fprintf(out, "remark: the claim %s is %d x %d, and %s is %d x "
                    "%d.\n", claim->typed, claim->rows, claim->cols,
                    claim->typed, M->rows, M->cols);
    }
    if (claims > 0)
        fprintf(out, "remark: ftx check judges the claim%s.\n",
                claims == 1 ? "" : "s");
}

void print_list(FILE *out, const char *heading, const char *list)
{
    enum { WIDTH = 76 };
    int column = fprintf(out, "%s", heading);
    for (const char *p = list; *p != '\0'; ) {
        int n = (int)strcspn(p, ",") + 1;       /* with its comma */
        if (p[n - 1] == '\0')
            n--;
        bool full = column + 1 + n > WIDTH;
        column = fprintf(out, full ? "\n  %.*s" : " %.*s", n, p)
               + (full ? -1 : column);
        p += n;
        p += strspn(p, " ");
    }
    fputc('\n', out);
}

const char *run_title(char to[TITLE_BYTES], const Run *run)
{
    snprintf(to, TITLE_BYTES, "Algorithm %d, layout %s: %s",
             run->algorithm, run->layout->name, run->layout->meaning);
    return to;
}

void show_text(FILE *out, const Run *run, bool all, bool shade, Fault *f)
{
    char title[TITLE_BYTES];
    fprintf(out, "%s\n", run_title(title, run));
    if (*run->assumed != '\0')
        print_list(out, "not on the sheet, so assumed:", run->assumed);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            print_step(out, run, &run->step[k], shade);
    print_remarks(out, run, f);
}

void json_string(FILE *out, const char *text, size_t n)
{
    fputc('"', out);
    for (const char *p = text, *end = text + n; p < end; ) {
        int bytes = utf8_length(p, (size_t)(end - p));
        if (bytes == 0)
            fputs("\\ufffd", out);     /* no character at all */
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if ((unsigned char)*p < ' ')
            fprintf(out, "\\u%04x", (unsigned)*p);
        else
            fprintf(out, "%.*s", bytes, p);
        p += bytes > 0 ? bytes : 1;
    }
    fputc('"', out);
}

void json_number(FILE *out, double x)
{
    if (isnan(x))
        fputs("null", out);
    else if (isinf(x))
        fputs(x < 0 ? "\"-inf\"" : "\"inf\"", out);
    else
        fprintf(out, "%.17g", x == 0 ? 0 : x);
}

static void print_values(FILE *out, Mat M)
{
    for (int i = 1; i <= M->rows; i++) {
        fputs(i == 1 ? "[" : ", [", out);
        for (int j = 1; j <= M->cols; j++) {
            fputs(j == 1 ? "" : ", ", out);
            json_number(out, AT(M, i, j));
        }
        fputc(']', out);
    }
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

void show_json(FILE *out, const Run *run)
{
    fputs("{\"sheet\": ", out);
    json_string(out, run->sheet->name, strlen(run->sheet->name));
    fprintf(out, ", \"algorithm\": %d, \"layout\": \"%s\", "
            "\"decimals\": %d, \"assumed\": ", run->algorithm,
            run->layout->name, decimals_shown(run));
    json_string(out, run->assumed, strlen(run->assumed));
    fputs(", \"steps\": [", out);
    for (int k = 0; k < run->n; k++) {
        const Step *s = &run->step[k];
        fprintf(out, "%s{\"algorithm\": %d, \"line\": %d, "
                "\"name\": \"%s\", \"index\": ", k == 0 ? "" : ", ",
                s->algorithm, s->line, s->name);
        json_place(out, s);
        fprintf(out, ", \"rows\": %d, \"cols\": %d, \"values\": [",
                s->M->rows, s->M->cols);
        print_values(out, s->M);
        fputs("]}", out);
    }
    fputs("]}\n", out);
}

typedef struct {
    bool all, shade, json, svg, flow, tex, md;
} Wish;

static const Option wishes[] = {
    { "all", FLAG, offsetof(Wish, all), 0, 0, NULL,
      "of a model, also the steps inside its layers" },
    { "shade", FLAG, offsetof(Wish, shade), 0, 0, NULL,
      "shades of grey beside the weights, as in a terminal" },
    { "json", FLAG, offsetof(Wish, json), 0, 0, NULL,
      "one object a sheet: its steps with all their digits" },
    { "svg", FLAG, offsetof(Wish, svg), 0, 0, NULL,
      "a picture: heat maps of scores, weights and other steps" },
    { "flow", FLAG, offsetof(Wish, flow), 0, 0, NULL,
      "a picture: how the numbers flow through Algorithm 4 or 5" },
    { "tex", FLAG, offsetof(Wish, tex), 0, 0, NULL,
      "LaTeX to paste; it needs the package amsmath" },
    { "md", FLAG, offsetof(Wish, md), 0, 0, NULL,
      "Markdown to paste" },
    { .name = NULL },
};
typedef struct {
    FILE *out;
    const char *name;
    const Wish *wish;
    Arena *arena;
    Tape *tape;
} Showing;

static void run_and_print(Fault *f, void *data)
{
    const Showing *s = data;
    const Wish *wish = s->wish;
    const Sheet *sheet = read_sheet(s->arena, s->name, f);
    const Run *run = run_sheet(sheet, s->arena, s->tape, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            step_of(run, &sheet->item[k], f);
    if (wish->json)
        show_json(s->out, run);
    else if (wish->svg)
        show_svg(s->out, run, wish->all, s->arena, f);
    else if (wish->flow)
        show_flow(s->out, run, s->arena, f);
    else if (wish->tex)
        show_tex(s->out, run, wish->all, s->arena);
    else if (wish->md)
        show_md(s->out, run, wish->all, s->arena);
    else
        show_text(s->out, run, wish->all, wish->shade, f);
}

static bool show_sheet(FILE *out, FILE *err, const char *name,
                       const Wish *wish)
{
    Showing showing = { out, name, wish, arena_new(), tape_new(false) };
    Fault f = { .sheet = name };
    bool shown = attempt(&f, run_and_print, &showing);
    if (!shown) {
        fflush(out);
        fprintf(err, "%s\n", f.sentence);
    }
    tape_free(showing.tape);
    arena_free(showing.arena);
    return shown;
}

static const char usage[] =
    "Usage: ftx show [options] SHEET...\n"
    "       ftx show --model FILE TEXT      (see ftx show --model --help)\n"
    "\n"
    "Runs the algorithm of each sheet and prints every step.\n"
    "A SHEET is a file; - is standard input. For example:\n"
    "\n"
    "  printf 'algorithm 7\\ne = 1 1\\nWu = 0 0 ; ln(2) ln(3)\\n' |"
    " ftx show -\n"
    "  ftx show --svg tests/worked/alg04.sheet > weights.svg\n"
    "  ftx show --flow tests/worked/alg04.sheet > flow.svg\n"
    "  ftx show --all --tex tests/worked/alg10.sheet > steps.tex\n"
    "  ftx show --md tests/worked/alg05.sheet > steps.md\n";
static bool is_picture(const Wish *wish)
{
    return wish->svg || wish->flow;
}

static void check_wish(const Wish *wish, int sheets, Fault *f)
{
    if (sheets == 0)
        fault(f, 0, "which sheet? See 'ftx show --help'.");
    if (wish->json + wish->svg + wish->flow + wish->tex + wish->md > 1)
        fault(f, 0, "one of --json, --svg, --flow, --tex, --md at a time.");
    if (is_picture(wish) && sheets > 1)
        fault(f, 0, "a picture is of one sheet; there are %d.", sheets);
}

static void show_sheets(Fault *f, void *data)
{
    Command *c = data;
    Wish wish = { 0 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int sheets = obey(f, options, c->n, c->argument);
    check_wish(&wish, sheets, f);
    wish.shade |= isatty(fileno(c->out)) == 1;
    for (int k = 0; k < sheets; k++) {
        if (k > 0 && !wish.json)
            fputc('\n', c->out);
        if (!show_sheet(c->out, c->err, c->argument[k], &wish))
            c->status = 2;
    }
}

static bool names_a_model(int n, char *const argument[])
{
    for (int k = 0; k < n && strcmp(argument[k], "--") != 0; k++)
        if (strncmp(argument[k], "--model", 7) == 0)
            return true;
    return false;
}

int show(FILE *out, FILE *err, int n, char *argument[])
{
    if (names_a_model(n, argument))
        return show_attention(out, err, n, argument);
    return run_command("ftx show", show_sheets, out, err, n, argument);
}

