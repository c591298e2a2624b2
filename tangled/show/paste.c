/* ftx show --tex and --md: tables to paste. */
#include "show/show.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

typedef enum { LATEX, MARKDOWN } Form;

static const struct { const char *sign, *tex; } signs[] = {
    { "S, but ",  "S\\text{ with }" },
    { "√d_attn",  "\\sqrt{d_{\\mathrm{attn}}}" },
    { "√(v + ε)", "\\sqrt{v + \\varepsilon}" },
    { "√d_x",     "\\sqrt{d_x}" },
    { "√v",    "\\sqrt v" },
    { "√",     "\\surd" },       { "·",      "\\cdot" },
    { "Σ_(t in T̃)", "\\sum_{t \\in \\tilde T}" },
    { "Σ",     "\\sum" },        { "^(1/τ)", "^{1/\\tau}" },
    { "^enc",  "^{\\mathrm{enc}}" }, { "^dec", "^{\\mathrm{dec}}" },
    { "^e/d",  "^{\\mathrm{e/d}}" }, { "ᵀ",    "^\\top" },
    { "²",     "^2" },           { "⊙",      "\\odot" },
    { "∇",     "\\nabla" },      { "←",      "\\leftarrow" },
    { "α",     "\\alpha" },      { "β",      "\\beta" },
    { "beta",  "\\beta" },       { "γ",      "\\gamma" },
    { "gamma", "\\gamma" },      { "ε",      "\\varepsilon" },
    { "η",     "\\eta" },        { "eta",    "\\eta" },
    { "tau",   "\\tau" },        { "ell",    "\\ell" },
    { "θ",     "\\theta" },
    { "τ",     "\\tau" },        { "ℓ",      "\\ell" },
    { "Ṽ",     "\\tilde V" },    { "ṽ",      "\\tilde v" },
    { "X̃",     "\\tilde X" },    { "x̃",      "\\tilde x" },
    { "T̃",     "\\tilde T" },    { "ê",      "\\hat e" },
    { "x̂",     "\\hat x" },      { "-inf",   "{-\\infty}" },
    { "...",   "\\dots" },       { "|",      "\\mid" },
    { "{",     "\\lbrace" },     { "}",      "\\rbrace" },
    { "bos_token", "\\text{bos token}" },
    { "eos_token", "\\text{eos token}" },
    { "*",     "\\," },
    { "sqrt(2)", "\\sqrt 2" },    { "sqrt(3)", "\\sqrt 3" },
    { "sqrt(4)", "\\sqrt 4" },    { "sqrt(5)", "\\sqrt 5" },
    { "sqrt(6)", "\\sqrt 6" },    { "pi",     "\\pi" },
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

static size_t letters_length(const char *p)
{
    size_t n = 0;
    while (isalpha((unsigned char)p[n]))
        n++;
    return n;
}

static size_t count_word_bytes(const char *p)
{
    size_t n = letters_length(p);
    size_t more = n;
    while (more > 1) {
        more = p[n] == ' ' ? letters_length(p + n + 1) : 0;
        n += more > 1 ? 1 + more : 0;
    }
    return n;
}

static size_t take_word(FILE *out, const char *p, bool after_blank)
{
    size_t n = letters_length(p);
    if (n == 1) {
        fputc(*p, out);
    } else if (p[n] == '(') {
        fprintf(out, "\\operatorname{%.*s}", (int)n, p);
    } else {
        n = count_word_bytes(p);
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

void formula_tex(FILE *out, const char *formula, size_t length)
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
        bool words = letters_length(p) > 1;
        fputs(words ? "" : "$", out);
        if (words)
            fprintf(out, "%.*s", (int)n, p);
        else
            formula_tex(out, p, n);
        fputs(words ? "" : "$", out);
        p += n;
        if (*p == ':')
            break;
        fputs(", ", out);
    }
}

static bool is_formula(const char *word, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strchr("_^", word[k]) != NULL || (unsigned char)word[k] >= 0x80)
            return true;
    return false;
}

static void print_verdict(FILE *out, const char *verdict)
{
    fputc('\n', out);
    for (const char *p = verdict; *p != '\0'; ) {
        size_t n = strcspn(p, " ,;");
        bool formula = is_formula(p, n);
        fputs(formula ? "$" : "", out);
        if (formula)
            formula_tex(out, p, n);
        else
            fprintf(out, "%.*s", (int)n, p);
        fputs(formula ? "$" : "", out);
        p += n;
        if (*p != '\0')
            fputc(*p++, out);
    }
    fprintf(out, ".\n%s\n", marks_legend);
}

static void print_mark(FILE *out, const CellMark *mark)
{
    const char *const part[] = { mark->text, mark->sign, mark->right };
    for (int k = 0; k < 3; k++) {
        bool hidden = strcmp(part[k], "-inf") == 0;
        if (*part[k] != '\0')
            fprintf(out, " %s", hidden ? "$-\\infty$" : part[k]);
    }
}

static void print_entry(FILE *out, double x, int places, Form form)
{
    char text[64];
    format_number(text, sizeof text, x, places);
    fprintf(out, form == LATEX ? "%s" : isinf(x) ? " $%s$" : " %s",
            isinf(x) ? "-\\infty" : text);
}

/* Prints the entries of a step, in Markdown with their marks if it is
   judged. */
static void print_entries(FILE *out, const Run *run, const Step *step,
                          Form form)
{
    static const char *const first[] = { "    ", "|" };
    static const char *const next[] = { " & ", " |" };
    static const char *const end[] = { " \\\\\n", " |\n" };
    Mat M = step->M;
    const CellMark *mark = step->mark;
    int places = choose_decimals(M, decimals_shown(run));
    for (int i = 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++) {
            fputs(j == 1 ? first[form] : next[form], out);
            if (mark == NULL)
                print_entry(out, AT(M, i, j), places, form);
            else
                print_mark(out, mark++);
        }
        fputs(form == LATEX && i == M->rows ? "\n" : end[form], out);
    }
}

static void print_display(FILE *out, const Run *run, const Step *step,
                          const char *formula, size_t n)
{
    fputs(":\n", out);
    if (step->M->cols > 10)
        fprintf(out, "\\setcounter{MaxMatrixCols}{%d}\n", step->M->cols);
    fputs("\\[\n  ", out);
    formula_tex(out, formula, n);
    fputs(" =\n  \\begin{pmatrix}\n", out);
    print_entries(out, run, step, LATEX);
    fputs("  \\end{pmatrix}\n\\]\n", out);
}

static void print_axis(FILE *out, const char *where, const char *name)
{
    if (name != NULL)
        fprintf(out, "; %s: %.*s $%s$", where, (int)strcspn(name, " "),
                name, strchr(name, ' ') + 1);
}

static void print_table(FILE *out, const Run *run, const Step *step)
{
    const char *columns = columns_are(run, step);
    print_axis(out, "down", rows_are(run, step));
    print_axis(out, "across", columns);
    fputs("\n\n", out);
    for (int j = 1; j <= step->M->cols; j++)
        if (columns == NULL)
            fputs("|   ", out);
        else
            fprintf(out, "| $%s = %d$ ", strchr(columns, ' ') + 1, j);
    fputs("|\n", out);
    for (int j = 1; j <= step->M->cols; j++)
        fputs("| --: ", out);
    fputs("|\n", out);
    print_entries(out, run, step, MARKDOWN);
}

static void paste_step(FILE *out, const Run *run, const Step *step,
                       Arena *arena, Form form)
{
    const char *text = step_text(arena, run, step, true);
    const char *formula = strstr(text, ": ") + 2;
    size_t n = strcspn(formula, step->given ? " " : "");
    fputc('\n', out);
    print_step_place(out, run, step, text);
    if (form == MARKDOWN) {
        fputs(": $", out);
        formula_tex(out, formula, n);
        fputs("$", out);
    }
    if (mask_is_1(run, step)) {
        fputs(form == LATEX ? ": as before, the mask is 1 everywhere.\n"
              : "; as before, the mask is 1 everywhere\n", out);
        return;
    }
    fputs(step->given ? "; as given" : "", out);
    if (step->remark != NULL)
        fprintf(out, "; %s", step->remark);
    else if (sums_to_1(step))
        fprintf(out, "; %s", sums_text(run));
    if (form == LATEX)
        print_display(out, run, step, formula, n);
    else
        print_table(out, run, step);
}

static void paste_steps(FILE *out, const Run *run, bool all, Arena *arena,
                        Form form)
{
    char title[TITLE_BYTES];
    fprintf(out, form == LATEX ? "%% %s\n" : "%s\n",
            run_title(title, run));
    if (run->verdict != NULL)
        print_verdict(out, run->verdict);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            paste_step(out, run, &run->step[k], arena, form);
}

void show_tex(FILE *out, const Run *run, bool all, Arena *arena)
{
    paste_steps(out, run, all, arena, LATEX);
}

void show_md(FILE *out, const Run *run, bool all, Arena *arena)
{
    paste_steps(out, run, all, arena, MARKDOWN);
}
