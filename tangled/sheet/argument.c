/* The table of what each algorithm takes, and how that is spelled. */
#include "sheet/step.h"
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

const Layout layouts[LAYOUTS] = {
    { "paper",    "columns are tokens, W x",  false, false },
    { "textbook", "rows are tokens, x W",     true,  true  },
    { "torch",    "rows are tokens, x Wᵀ",    true,  false },
    { "berkeley", "columns are tokens, Wᵀ x", false, true  },
};

const char *as_W_u(const Layout *layout)
{
    return layout->rows == layout->weights ? "W_eᵀ" : "W_e";
}

#define EACH   1, 2, 3, 4, 5, 6, 7, MODELS
#define MODELS WITH_ED, WITH_E, WITH_D
#define WITH_ED 8, 11, 15
#define WITH_E  9, 12
#define WITH_D  10, 13, 14
#define TAKES_x 8, 9, 10, 11, 12, 13, 14
#define POSITIVE .least = DBL_MIN, .most = DBL_MAX
#define AFFINE(of, owner, out, in, ...) \
    { { __VA_ARGS__ }, "W_" of, WEIGHT, "0", out, in, owner, NULL, 0, 0 }, \
    { { __VA_ARGS__ }, "b_" of, VECTOR, "0", out, NULL, owner, NULL, 0, 0 }
#define NORM(k, owner, d, ...) \
    { { __VA_ARGS__ }, "gamma" k, VECTOR, "1", d, NULL, owner, NULL, 0, 0 }, \
    { { __VA_ARGS__ }, "beta" k, VECTOR, "0", d, NULL, owner, NULL, 0, 0 }
const Argument argument_table[] = {
    { { EACH }, "algorithm", WORD, "", .words = NULL },
    { { EACH }, "layout", WORD, "",
      .words = "paper textbook torch berkeley" },
    { { EACH }, "decimals", INTEGER, "", .least = 0, .most = 15 },
    { { WITH_E, WITH_D }, "L", INTEGER, "", .least = 0, .most = 100 },
    { { WITH_ED }, "L_enc", INTEGER, "", .least = 0, .most = 100 },
    { { WITH_ED }, "L_dec", INTEGER, "", .least = 0, .most = 100 },
    { { 1 }, "v", INTEGER, NULL, .least = 1, .most = 1e6 },
    { { 2 }, "t", INTEGER, "", .least = 1, .most = 1e6 },
    { { 2, MODELS }, "positions", WORD, "", .words = "none paper vaswani" },
    { { 2 }, "d_e", INTEGER, "", .least = 1, .most = 1e6 },
    { { 2, MODELS }, "ell_max", INTEGER, "", .least = 1, .most = 1e6 },
    { { 2 }, "base", NUMBER, "", POSITIVE },
    { { 2 }, "pos", INTEGER, "", .least = 0, .most = 1e6 - 1 },
    { { 2 }, "e", VECTOR, "", .rows = "d_e" },
    { { 3, 4, 5 }, "scale", WORD, "", .words = "no yes", POSITIVE },
    { { 6 }, "norm", WORD, "", .words = "layer rms" },
    { { 6, MODELS }, "epsilon", NUMBER, "0", .least = 0, .most = DBL_MAX },
    { { 7, MODELS }, "tied", WORD, "", .words = "no yes" },
    { { 7 }, "tau", NUMBER, "1", .least = DBL_MIN, .most = INFINITY },
    { { WITH_ED }, "z", LIST, NULL, .rows = "ell_z" },
    { { TAKES_x }, "x", LIST, NULL, .rows = "ell_x" },
    { { 1, MODELS }, "W_e", TOKENS, NULL, .rows = "d_e", .cols = "N_V" },
    { { 2, MODELS }, "W_p", TOKENS, "", .rows = "d_e", .cols = "ell_max" },
    { { 3 }, "e", VECTOR, NULL, .rows = "d_in" },
    { { 3 }, "e_t", TOKENS, NULL, .rows = "d_in", .cols = "T" },
    { { 4, 5 }, "X", TOKENS, NULL, .rows = "d_x", .cols = "ell_x" },
    { { 4, 5 }, "Z", TOKENS, "X", .rows = "d_z", .cols = "ell_z" },
    AFFINE("q", OF_HEAD, "d_attn", "d_x", 3, 4, 5, MODELS),
    AFFINE("k", OF_HEAD, "d_attn", "d_z", 3, 4, 5, MODELS),
    AFFINE("v", OF_HEAD, "d_v", "d_z", 3, 4, 5, MODELS),
    AFFINE("o", OF_ATTENTION, "d_out", "H d_mid", 5, MODELS),
    { { 4, 5 }, "mask", MASK, "none", .rows = "ell_z", .cols = "ell_x",
      .words = "none causal bidirectional unidirectional" },
    { { 3, 4, 5, MODELS }, "d_attn", INTEGER, "", .least = 1, .most = 1e6 },
    NORM("_1", OF_LAYER, "d_e", MODELS),
    NORM("_2", OF_LAYER, "d_e", MODELS),
    NORM("_3", OF_DECODER, "d_e", WITH_ED),
    NORM("_4", OF_DECODER, "d_e", WITH_ED),
    NORM("_5", OF_DECODER, "d_e", WITH_ED),
    AFFINE("mlp1", OF_LAYER, "d_mlp", "d_e", MODELS),
    AFFINE("mlp2", OF_LAYER, "d_e", "d_mlp", MODELS),
    AFFINE("mlp3", OF_DECODER, "d_mlp", "d_e", WITH_ED),
    AFFINE("mlp4", OF_DECODER, "d_e", "d_mlp", WITH_ED),
    { { 6, 7 }, "e", ONE_OR_MORE, NULL, .rows = "d_e", .cols = "ell" },
    NORM("", OF_MODEL, "d_f", 6, WITH_E, WITH_D),
    { { WITH_E }, "W_f", WEIGHT, NULL, .rows = "d_f", .cols = "d_e" },
    { { WITH_E }, "b_f", VECTOR, "0", .rows = "d_f" },
    { { 7, MODELS }, "W_u", WEIGHT, NULL, .rows = "N_V", .cols = "d_f" },
    { { 7 }, "W_e", TOKENS, "", .rows = "d_e", .cols = "N_V" },
    { { 11, 12, 13 }, "eta", NUMBER, NULL, POSITIVE },
    { { 11, 12, 13 }, "N_epochs", INTEGER, "1", .least = 1, .most = 1000 },
    { { 12 }, "p_mask", NUMBER, NULL, .least = DBL_MIN,
      .most = 1 - DBL_EPSILON },
    { { 12, 14, 15 }, "u", LIST, "", .rows = "u" },
    { { 14, 15 }, "tau", NUMBER, "1", .least = 0, .most = INFINITY },
    { { 14, 15 }, "ell_gen", INTEGER, "", .least = 1, .most = 10000 },
    { { 7, 14 }, "target", LIST, "", .rows = NULL },
    { { 7, 14 }, "top_k", INTEGER, "", .least = 1, .most = 1e6 },
    { { 7, 14 }, "top_p", NUMBER, "", .least = DBL_MIN, .most = 1 },
    { .name = NULL }
};
bool takes(int algorithm, const Argument *argument)
{
    const int *a = argument->algorithms;
    while (*a != 0 && *a != algorithm)
        a++;
    return *a == algorithm;
}

const Argument *find_argument(int algorithm, const char *name)
{
    for (const Argument *a = argument_table; a->name != NULL; a++)
        if (strcmp(a->name, name) == 0 && takes(algorithm, a))
            return a;
    return NULL;
}

bool is_needed(int algorithm, const Argument *a)
{
    return a->instead == NULL
        || (a->kind == WEIGHT && !has_model(algorithm));
}

const char *own_letter(int algorithm, const char *letter)
{
    bool encoder = algorithm_table[algorithm].architecture == E_TRANSFORMER,
         input = word_in("d_x d_z", letter, strlen(letter));
    if (strcmp(letter, "d_v") == 0)
        return has_heads(algorithm) ? "d_mid" : "d_out";
    if (input && find_argument(algorithm, "e_t") != NULL)
        return "d_in";
    return (has_model(algorithm) && (input || strcmp(letter, "d_out") == 0))
        || (!encoder && strcmp(letter, "d_f") == 0) ? "d_e" : letter;
}

static const struct { int algorithm; const char *name, *also;
                      } spellings[] =
{
    { 2, "e", "E embedding" }, { 3, "e", "x" }, { 3, "e_t", "X" },
    { 6, "e", "x X h" }, { 7, "e", "x X h" }, { 4, "mask", "M" },
    { 0, "algorithm", "Algorithm alg" }, { 0, "mask", "Mask" },
    { 0, "ell_max", "lmax ℓmax" },       { 0, "ell_gen", "lgen ℓgen" },
    { 0, "epsilon", "varepsilon eps ε ϵ" }, { 0, "t", "ell ℓ position" },
    { 0, "W_q", "Wquery wquery" },       { 0, "W_k", "Wkey wkey" },
    { 0, "W_v", "Wvalue wvalue" },
    { 0, "gamma", "γ" }, { 0, "gamma_1", "γ1" }, { 0, "gamma_2", "γ2" },
    { 0, "gamma_3", "γ3" }, { 0, "gamma_4", "γ4" }, { 0, "gamma_5", "γ5" },
    { 0, "beta", "β" }, { 0, "beta_1", "β1" }, { 0, "beta_2", "β2" },
    { 0, "beta_3", "β3" }, { 0, "beta_4", "β4" }, { 0, "beta_5", "β5" },
    { 0, "e_t", "E" },         { 0, "e_hat", "e^ ê e\xCC\x82 hate" },
    { 0, "V_tilde", "Vt V~ Ṽ V\xCC\x83 tildeV" },
    { 0, "alpha_t", "alpha αt α" },
    { 0, "v_tilde", "v~ ṽ v\xCC\x83 tildev" },
    { 0, "X_tilde", "Xt X~ X̃ tildeX" },  { 0, "x_tilde", "xt x~ tildex" },
    { 0, "T_tilde", "Tt T~ tildeT" },    { 0, "x_hat", "x^ hatx" },
    { 0, "eta", "η lr" }, { 0, "tau", "τ temperature temp T" },
    { 0, "target", "label labels" }, { 0, "top_k", "k" },
    { 0, "d_attn", "dk" }, { 0, "scale", "scaling" },
};

/* Whether that spelling is in the table, or the name without its underscores;
   WQ is W_q, too. */
static bool is_spelling(int algorithm, const char *name, const char *plain)
{
    bool weight = strlen(name) == 3 && strchr("Wb", *name) != NULL;
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        if (*spellings[k].name == *name     /* most names end here */
            && strcmp(spellings[k].name, name) == 0
            && (spellings[k].algorithm == 0
                || spellings[k].algorithm == algorithm)
            && word_in(spellings[k].also, plain, strlen(plain)))
            return true;
    while (*name != '\0'
           && (*name == '_' || *plain == *name
               || (weight && *plain == toupper((unsigned char)*name))))
        plain += *name++ != '_';
    return *name == *plain;
}

const Argument *find_key(const char *name)
{
    for (const Argument *a = argument_table; a->name != NULL; a++)
        if ((a->kind <= LIST || a->kind == MASK)
            && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

const char *known_name(int algorithm, const char *plain, bool others)
{
    for (int any = 0; any <= others; any++) {
        for (const Argument *a = argument_table; a->name != NULL; a++)
            if ((any || takes(algorithm, a))
                && is_spelling(algorithm, a->name, plain))
                return a->name;
        for (const StepRow *row = step_table; row->name != NULL; row++) {
            bool own = has_model(row->algorithm) == has_model(algorithm),
                 also = own && !any
                     && word_in(row->also, plain, strlen(plain));
            if ((any || is_or_calls(algorithm, row->algorithm))
                && (also || is_spelling(algorithm, row->name, plain)))
                return row->name;
        }
    }
    return NULL;
}

void add_to_list(char *list, size_t size, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; (p = strstr(p, name)) != NULL; p++)
        if ((p == list || p[-1] == ' ') && (p[n] == ',' || p[n] == '\0'))
            return;
    if (strlen(list) + n + 60 < size)       /* else enough is said */
        append(list, size, "%s%s", *list != '\0' ? ", " : "", name);
}

const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim)
{
    char names[400] = "", steps[400] = "";
    for (const Argument *a = argument_table; a->name != NULL; a++)
        if (takes(algorithm, a))
            add_to_list(names, sizeof names, a->name);
    for (const StepRow *row = step_table; row->name != NULL; row++)
        if (is_or_calls(algorithm, row->algorithm)
            && has_model(row->algorithm) == has_model(algorithm))
            add_to_list(steps, sizeof steps, row->name);
    if (algorithm_table[algorithm].kind == TRAINING)
        add_to_list(steps, sizeof steps, "grad.W_u, new.W_u and so on");
    if (claim)
        snprintf(to, NAMES_BYTES, "the steps are %s", steps);
    else
        snprintf(to, NAMES_BYTES, "Algorithm %d takes %s; its steps are %s",
                 algorithm, names, steps);
    return to;
}

void print_algorithm(FILE *out, int algorithm)
{
    char names[NAMES_BYTES], heading[40];
    snprintf(heading, sizeof heading, "Algorithm %d starts from", algorithm);
    print_list(out, heading, algorithm_table[algorithm].starts);
    names_text(names, algorithm, false);
    print_list(out, "Algorithm", names + strlen("Algorithm "));
}

void print_starts(FILE *out)
{
    char heading[40];
    for (int a = 1; a <= 15; a++) {
        snprintf(heading, sizeof heading, "Algorithm %d:", a);
        print_list(out, heading, algorithm_table[a].starts);
    }
}
