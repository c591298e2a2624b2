/* A formula in the program's notation as LaTeX. */
#include "show/show.h"
#include <ctype.h>
#include <string.h>

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
