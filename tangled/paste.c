/* ftx show --tex and --md: tables to paste. */
#include "program.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct { const char *sign, *tex; } signs[] = {
    { "S, but ",  "S\\text{ with }" },
    { "√d_attn",  "\\sqrt{d_{\\mathrm{attn}}}" },
    { "√(v + ε)", "\\sqrt{v + \\varepsilon}" },
    { "Σ_(t in T̃)", "\\sum_{t \\in \\tilde T}" },
    { "Σ",     "\\sum" },        { "^(1/τ)", "^{1/\\tau}" },
    { "^enc",  "^{\\mathrm{enc}}" }, { "^dec", "^{\\mathrm{dec}}" },
    { "^e/d",  "^{\\mathrm{e/d}}" }, { "ᵀ",    "^\\top" },
    { "²",     "^2" },           { "⊙",      "\\odot" },
    { "∇",     "\\nabla" },      { "←",      "\\leftarrow" },
    { "α",     "\\alpha" },      { "β",      "\\beta" },
    { "beta",  "\\beta" },       { "γ",      "\\gamma" },
    { "gamma", "\\gamma" },      { "ε",      "\\varepsilon" },
    { "η",     "\\eta" },        { "θ",      "\\theta" },
    { "τ",     "\\tau" },        { "ℓ",      "\\ell" },
    { "Ṽ",     "\\tilde V" },    { "ṽ",      "\\tilde v" },
    { "X̃",     "\\tilde X" },    { "x̃",      "\\tilde x" },
    { "T̃",     "\\tilde T" },    { "ê",      "\\hat e" },
    { "x̂",     "\\hat x" },      { "-inf",   "{-\\infty}" },
    { "...",   "\\dots" },       { "|",      "\\mid" },
    { "{",     "\\lbrace" },     { "}",      "\\rbrace" },
    { "log ",  "\\log" },        { "W_qkv^h", "W_{qkv}^h" },
    { "mask_token", "\\text{mask token}" },
    { "layer_norm", "\\operatorname{layer-norm}" },
};

static size_t take_sign(FILE *out, const char *p)
{
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        size_t n = strlen(signs[k].sign);
        if (strncmp(p, signs[k].sign, n) == 0) {
            bool letter = isalpha((unsigned char)p[n]);
            fprintf(out, "%s%s", signs[k].tex, letter ? " " : "");
            return n;
        }
    }
    return 0;
}
static size_t letters(const char *p)
{
    size_t n = 0;
    while (isalpha((unsigned char)p[n]))
        n++;
    return n;
}

static size_t words(const char *p)
{
    size_t n = letters(p);
    size_t more = n;
    while (more > 1) {
        more = p[n] == ' ' ? letters(p + n + 1) : 0;
        n += more > 1 ? 1 + more : 0;
    }
    return n;
}

static size_t take_word(FILE *out, const char *p, bool after_blank)
{
    size_t n = letters(p);
    if (n == 1) {
        fputc(*p, out);
    } else if (p[n] == '(') {
        fprintf(out, "\\operatorname{%.*s}", (int)n, p);
    } else {
        n = words(p);
        fprintf(out, "\\text{%s%.*s%s}", after_blank ? " " : "", (int)n, p,
                p[n] == ' ' ? " " : "");
    }
    return n;
}

static size_t take_index(FILE *out, const char *p)
{
    size_t n = 1;
    while (isalnum((unsigned char)p[n]))
        n++;
    if (n == 2)
        fprintf(out, "%.2s", p);
    else
        fprintf(out, isalpha((unsigned char)p[1]) ? "%c{\\mathrm{%.*s}}"
                : "%c{%.*s}", *p, (int)n - 1, p + 1);
    return n;
}
static void print_tex(FILE *out, const char *formula, size_t length)
{
    const char *p = formula;
    while (p < formula + length) {
        size_t n = take_sign(out, p);
        bool index = *p == '_' || *p == '^';
        if (n == 0 && isalpha((unsigned char)*p))
            n = take_word(out, p, p > formula && p[-1] == ' ');
        else if (n == 0 && index && isalnum((unsigned char)p[1]))
            n = take_index(out, p);
        else if (n == 0)
            fputc(*p, out);
        p += n == 0 ? 1 : n;
    }
}
static void print_step_place(FILE *out, const Run *run, const Step *step,
                             const char *text)
{
    if (step->algorithm == run->algorithm)
        fprintf(out, "Algorithm %d, ", step->algorithm);
    for (const char *p = text; ; p += 2) {
        size_t n = strcspn(p, ",:");
        bool words = letters(p) > 1;
        fputs(words ? "" : "$", out);
        if (words)
            fprintf(out, "%.*s", (int)n, p);
        else
            print_tex(out, p, n);
        fputs(words ? "" : "$", out);
        p += n;
        if (*p == ':')
            break;
        fputs(", ", out);
    }
}

static const char *sums(const Run *run)
{
    return run->layout->rows ? "each row sums to 1"
                             : "each column sums to 1";
}

static void print_entry(FILE *out, double x, int places)
{
    char text[64];
    shown_number(text, sizeof text, x, places);
    fputs(isinf(x) ? "-\\infty" : text, out);
}

static void print_pmatrix(FILE *out, Mat M, int places)
{
    fputs("  \\begin{pmatrix}\n", out);
    for (int i = 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++) {
            fputs(j == 1 ? "    " : " & ", out);
            print_entry(out, AT(M, i, j), places);
        }
        fputs(i < M->rows ? " \\\\\n" : "\n", out);
    }
    fputs("  \\end{pmatrix}\n", out);
}

static void print_tex_step(FILE *out, const Run *run, const Step *step,
                           Arena *arena)
{
    const char *text = step_text(arena, run, step, true);
    const char *formula = strstr(text, ": ") + 2;
    fputc('\n', out);
    print_step_place(out, run, step, text);
    if (mask_is_1(step)) {
        fputs(": as before, the mask is 1 everywhere.\n", out);
        return;
    }
    fprintf(out, "%s%s:\n", sums_to_1(step) ? "; " : "",
            sums_to_1(step) ? sums(run) : "");
    if (step->M->cols > 10)
        fprintf(out, "\\setcounter{MaxMatrixCols}{%d}\n", step->M->cols);
    fputs("\\[\n  ", out);
    print_tex(out, formula, strlen(formula));
    fputs(" =\n", out);
    print_pmatrix(out, step->M, places_of(step->M, decimals_shown(run)));
    fputs("\\]\n", out);
}

void show_tex(FILE *out, const Run *run, bool all, Arena *arena)
{
    fprintf(out, "%% Algorithm %d, layout %s: %s\n", run->algorithm,
            run->layout->name, run->layout->meaning);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            print_tex_step(out, run, &run->step[k], arena);
}

static void print_table(FILE *out, Mat M, int places, const char *columns)
{
    const char *symbol = columns == NULL ? NULL : strchr(columns, ' ') + 1;
    for (int j = 1; j <= M->cols; j++)
        if (symbol == NULL)
            fputs("|   ", out);
        else
            fprintf(out, "| $%s = %d$ ", symbol, j);
    fputs("|\n", out);
    for (int j = 1; j <= M->cols; j++)
        fputs("| --: ", out);
    fputs("|\n", out);
    for (int i = 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++) {
            bool hidden = isinf(AT(M, i, j));
            fputs(hidden ? "| $" : "| ", out);
            print_entry(out, AT(M, i, j), places);
            fputs(hidden ? "$ " : " ", out);
        }
        fputs("|\n", out);
    }
}
static void print_axis(FILE *out, const char *where, const char *name)
{
    if (name != NULL)
        fprintf(out, "; %s: %.*s $%s$", where, (int)strcspn(name, " "), name,
                strchr(name, ' ') + 1);
}

static void print_md_step(FILE *out, const Run *run, const Step *step,
                          Arena *arena)
{
    const char *text = step_text(arena, run, step, true);
    const char *formula = strstr(text, ": ") + 2;
    fputc('\n', out);
    print_step_place(out, run, step, text);
    fputs(": $", out);
    print_tex(out, formula, strlen(formula));
    fputs("$", out);
    if (mask_is_1(step)) {
        fputs("; as before, the mask is 1 everywhere\n", out);
        return;
    }
    if (sums_to_1(step))
        fprintf(out, "; %s", sums(run));
    print_axis(out, "down", rows_are(run, step));
    print_axis(out, "across", columns_are(run, step));
    fputs("\n\n", out);
    print_table(out, step->M, places_of(step->M, decimals_shown(run)),
                columns_are(run, step));
}

void show_md(FILE *out, const Run *run, bool all, Arena *arena)
{
    fprintf(out, "Algorithm %d, layout %s: %s\n", run->algorithm,
            run->layout->name, run->layout->meaning);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            print_md_step(out, run, &run->step[k], arena);
}
