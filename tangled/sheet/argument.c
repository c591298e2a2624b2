/* The table of what each algorithm takes, with its layouts, spellings and
   shapes.

   Main types: Argument, Layout. Entry points: find_argument, known_name. The
   number of an algorithm and a name flow in, a row of a table flows out. */
#include "sheet/step.h"
#include <ctype.h>
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
#define AFFINE(of, owner, out, in, ...) \
    { { __VA_ARGS__ }, "W_" of, WEIGHT, out, in, "0", owner }, \
    { { __VA_ARGS__ }, "b_" of, VECTOR, out, NULL, "0", owner }
#define NORM(k, owner, d, ...) \
    { { __VA_ARGS__ }, "gamma" k, VECTOR, d, NULL, "1", owner }, \
    { { __VA_ARGS__ }, "beta" k, VECTOR, d, NULL, "0", owner }
const Argument argument_table[] = {
    { { EACH },        "algorithm", WORD,   .instead = "" },
    { { EACH },        "layout",    WORD,   .instead = "" },
    { { EACH },        "decimals",  NUMBER, .instead = "" },
    { { WITH_E, WITH_D }, "L",         NUMBER, .instead = "" },
    { { WITH_ED },     "L_enc",     NUMBER, .instead = "" },
    { { WITH_ED },     "L_dec",     NUMBER, .instead = "" },
    { { 1 },           "v",         NUMBER, .instead = NULL },
    { { 2 },           "t",         NUMBER, .instead = "" },
    { { 2, MODELS },   "positions", WORD,   .instead = "" },
    { { 2 },           "d_e",       NUMBER, .instead = "" },
    { { 2, MODELS },   "ell_max",   NUMBER, .instead = "" },
    { { 2 },           "base",      NUMBER, .instead = "" },
    { { 2 },           "pos",       NUMBER, .instead = "" },
    { { 2 }, "e", VECTOR, "d_e", NULL, .instead = "" },
    { { 3, 4, 5 },     "scale",     WORD,   .instead = "" },
    { { 6 },           "norm",      WORD,   .instead = "" },
    { { 6, MODELS },   "epsilon",   NUMBER, .instead = "0" },
    { { 7, MODELS },   "tied",      WORD,   .instead = "" },
    { { 7, 14, 15 },   "tau",       NUMBER, .instead = "1" },
    { { WITH_ED }, "z", LIST, "ell_z", NULL, .instead = NULL },
    { { TAKES_x }, "x", LIST, "ell_x", NULL, .instead = NULL },
    { { 1, MODELS }, "W_e", TOKENS, "d_e", "N_V", .instead = NULL },
    { { 2, MODELS }, "W_p", TOKENS, "d_e", "ell_max", .instead = "" },
    { { 3 }, "e", VECTOR, "d_in", NULL, .instead = NULL },
    { { 3 }, "e_t", TOKENS, "d_in", "T", .instead = NULL },
    { { 4, 5 }, "X", TOKENS, "d_x", "ell_x", .instead = NULL },
    { { 4, 5 }, "Z", TOKENS, "d_z", "ell_z", .instead = "X" },
    AFFINE("q", OF_HEAD, "d_attn", "d_x", 3, 4, 5, MODELS),
    AFFINE("k", OF_HEAD, "d_attn", "d_z", 3, 4, 5, MODELS),
    AFFINE("v", OF_HEAD, "d_v", "d_z", 3, 4, 5, MODELS),
    AFFINE("o", OF_ATTENTION, "d_out", "H d_mid", 5, MODELS),
    { { 4, 5 }, "mask", MASK, "ell_z", "ell_x", .instead = "none" },
    { { 3, 4, 5 },     "d_attn",    NUMBER, .instead = "" },
    NORM("_1", OF_LAYER, "d_e", MODELS),
    NORM("_2", OF_LAYER, "d_e", MODELS),
    NORM("_3", OF_DECODER, "d_e", WITH_ED),
    NORM("_4", OF_DECODER, "d_e", WITH_ED),
    NORM("_5", OF_DECODER, "d_e", WITH_ED),
    AFFINE("mlp1", OF_LAYER, "d_mlp", "d_e", MODELS),
    AFFINE("mlp2", OF_LAYER, "d_e", "d_mlp", MODELS),
    AFFINE("mlp3", OF_DECODER, "d_mlp", "d_e", WITH_ED),
    AFFINE("mlp4", OF_DECODER, "d_e", "d_mlp", WITH_ED),
    { { 6, 7 }, "e", ONE_OR_MORE, "d_e", "ell", .instead = NULL },
    NORM("", OF_MODEL, "d_f", 6, WITH_E, WITH_D),
    { { WITH_E }, "W_f", WEIGHT, "d_f", "d_e", .instead = NULL },
    { { WITH_E }, "b_f", VECTOR, "d_f", NULL, .instead = "0" },
    { { 7, MODELS }, "W_u", WEIGHT, "N_V", "d_f", .instead = NULL },
    { { 7 }, "W_e", TOKENS, "d_e", "N_V", .instead = "" },
    { { 11, 12, 13 },  "eta",       NUMBER, .instead = NULL },
    { { 11, 12, 13 },  "N_epochs",  NUMBER, .instead = "1" },
    { { 12 },          "p_mask",    NUMBER, .instead = NULL },
    { { 12, 14, 15 }, "u", LIST, "u", NULL, .instead = "" },
    { { 14, 15 },      "ell_gen",   NUMBER, .instead = "" },
    { { 7, 14 },       "target",    LIST,   .instead = "" },
    { { 7, 14 },       "top_k",     NUMBER, .instead = "" },
    { { 7, 14 },       "top_p",     NUMBER, .instead = "" },
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
        return algorithm < 5 ? "d_out" : "d_mid";
    if (input && algorithm == 3)
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
    { 0, "gamma", "γ" },       { 0, "beta", "β" },
    { 0, "gamma_1", "γ1" },    { 0, "beta_1", "β1" },
    { 0, "gamma_2", "γ2" },    { 0, "beta_2", "β2" },
    { 0, "gamma_3", "γ3" },    { 0, "beta_3", "β3" },
    { 0, "gamma_4", "γ4" },    { 0, "beta_4", "β4" },
    { 0, "gamma_5", "γ5" },    { 0, "beta_5", "β5" },
    { 0, "e_t", "E" },         { 0, "e_hat", "e^ ê e\xCC\x82 hate" },
    { 0, "V_tilde", "Vt V~ Ṽ V\xCC\x83 tildeV" },
    { 0, "alpha_t", "alpha αt α" },
    { 0, "v_tilde", "v~ ṽ v\xCC\x83 tildev" },
    { 0, "X_tilde", "Xt X~ X̃ tildeX" },  { 0, "x_tilde", "xt x~ tildex" },
    { 0, "T_tilde", "Tt T~ tildeT" },    { 0, "x_hat", "x^ hatx" },
    { 0, "eta", "η" }, { 0, "tau", "τ temperature T" },
    { 0, "target", "label" }, { 0, "top_k", "k" },
    { 0, "d_attn", "dk" }, { 0, "scale", "scaling" },
};

/* Whether that spelling is the name without its underscores, or as in WQ for
   W_q, or one of the table. */
static bool is_spelling(int algorithm, const char *name, const char *plain)
{
    bool large = strchr("Wb", *name) != NULL && strlen(name) == 3
              && strlen(plain) == 2 && *plain == *name
              && plain[1] == toupper((unsigned char)name[2]),
         also = false;
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        also |= strcmp(spellings[k].name, name) == 0
             && (spellings[k].algorithm == 0
                 || spellings[k].algorithm == algorithm)
             && word_in(spellings[k].also, plain, strlen(plain));
    while (*name != '\0' && (*name == '_' || *plain == *name))
        plain += *name++ != '_';
    return large || also || *name == *plain;
}

bool is_key(const char *name, bool word)
{
    for (const Argument *a = argument_table; a->name != NULL; a++)
        if (strcmp(a->name, name) == 0
            && (a->kind == WORD || a->kind == MASK
                || (!word && (a->kind == NUMBER || a->kind == LIST))))
            return true;
    return false;
}

/* Whether a step of the algorithm has that spelling in the table of steps.
   What it calls is spelled so only in Algorithm 5 and where a model runs. */
static bool is_also(int algorithm, const StepRow *row, const char *plain)
{
    return (row->algorithm == algorithm || has_model(row->algorithm)
            || algorithm == 5)
        && row->also != NULL && word_in(row->also, plain, strlen(plain));
}

const char *known_name(int algorithm, const char *plain)
{
    for (int any = 0; any < 2; any++) {    /* or one of another algorithm */
        int of = any ? 0 : algorithm;
        for (const Argument *a = argument_table; a->name != NULL; a++)
            if ((any || takes(algorithm, a))
                && is_spelling(of, a->name, plain))
                return a->name;
        for (const StepRow *row = step_table; row->name != NULL; row++)
            if ((any || is_or_calls(algorithm, row->algorithm))
                && (is_spelling(of, row->name, plain)
                    || (!any && is_also(algorithm, row, plain))))
                return row->name;
    }
    return NULL;
}

/* Whether it is the first step of its name in a run. */
static bool is_new(int algorithm, const StepRow *row)
{
    for (const StepRow *r = step_table; r < row; r++)
        if (is_or_calls(algorithm, r->algorithm)
            && strcmp(r->name, row->name) == 0
            && has_model(r->algorithm) == has_model(algorithm))
            return false;
    return has_model(row->algorithm) == has_model(algorithm);
}

/* Writes the names of its arguments, or of its steps, and returns them. */
enum { LIST_BYTES = 400 };
static const char *list_names(char to[LIST_BYTES], int algorithm, bool steps)
{
    *to = '\0';
    for (const Argument *a = argument_table; a->name != NULL; a++)
        if (!steps && takes(algorithm, a))
            add_to_list(to, LIST_BYTES, a->name);
    for (const StepRow *row = step_table; row->name != NULL; row++)
        if (steps && is_or_calls(algorithm, row->algorithm)
            && is_new(algorithm, row))
            add_to_list(to, LIST_BYTES, row->name);
    return to;
}

const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim)
{
    char steps[LIST_BYTES], names[LIST_BYTES];
    list_names(steps, algorithm, true);
    list_names(names, algorithm, false);
    if (claim)
        snprintf(to, NAMES_BYTES, "the steps are %s", steps);
    else
        snprintf(to, NAMES_BYTES, "Algorithm %d takes %s; its steps are %s",
                 algorithm, names, steps);
    return to;
}

void print_algorithm(FILE *out, int algorithm)
{
    char names[LIST_BYTES], heading[40];
    snprintf(heading, sizeof heading, "Algorithm %d starts from", algorithm);
    print_list(out, heading, algorithm_table[algorithm].starts);
    print_list(out, "It takes", list_names(names, algorithm, false));
    print_list(out, "Its steps are", list_names(names, algorithm, true));
}

void print_starts(FILE *out)
{
    char heading[40];
    for (int a = 1; a <= 15; a++) {
        snprintf(heading, sizeof heading, "Algorithm %d:", a);
        print_list(out, heading, algorithm_table[a].starts);
    }
}

bool knows_name(int algorithm, const char *name, bool claim)
{
    bool known = !claim && find_argument(algorithm, name) != NULL;
    for (const StepRow *r = step_table; r->name != NULL; r++)
        known |= strcmp(r->name, name) == 0
              && is_or_calls(algorithm, r->algorithm);
    return known;
}
