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
#define AFFINE(of, out, in, ...) \
    { { __VA_ARGS__ }, "W_" of, WEIGHT, out, in, "0" }, \
    { { __VA_ARGS__ }, "b_" of, VECTOR, out, NULL, "0" }
#define NORM(k, d, ...) \
    { { __VA_ARGS__ }, "gamma" k, VECTOR, d, NULL, "1" }, \
    { { __VA_ARGS__ }, "beta" k, VECTOR, d, NULL, "0" }
const Argument argument_table[] = {
    { { EACH },        "algorithm", WORD,   NULL, NULL, "" },
    { { EACH },        "layout",    WORD,   NULL, NULL, "" },
    { { EACH },        "decimals",  NUMBER, NULL, NULL, "" },
    { { WITH_E, WITH_D }, "L",      NUMBER, NULL, NULL, "" },
    { { WITH_ED },     "L_enc",     NUMBER, NULL, NULL, "" },
    { { WITH_ED },     "L_dec",     NUMBER, NULL, NULL, "" },
    { { 1 },           "v",         NUMBER, NULL, NULL, NULL },
    { { 2 },           "t",         NUMBER, NULL, NULL, "" },
    { { 2, MODELS },   "positions", WORD,   NULL, NULL, "" },
    { { 2 },           "d_e",       NUMBER, NULL, NULL, "" },
    { { 2, MODELS },   "ell_max",   NUMBER, NULL, NULL, "" },
    { { 2 },           "base",      NUMBER, NULL, NULL, "" },
    { { 2 },           "first",     NUMBER, NULL, NULL, "" },
    { { 2 },           "pos",       NUMBER, NULL, NULL, "" },
    { { 2 },           "e",         VECTOR, "d_e", NULL, "" },
    { { 3, 4, 5 },     "scale",     WORD,   NULL, NULL, "" },
    { { 6 },           "norm",      WORD,   NULL, NULL, "" },
    { { 6, MODELS },   "epsilon",   NUMBER, NULL, NULL, "0" },
    { { 7, MODELS },   "tied",      WORD,   NULL, NULL, "" },
    { { 7 },           "tau",       NUMBER, NULL, NULL, "" },
    { { WITH_ED },     "z",         LIST,   "ell_z", NULL, NULL },
    { { TAKES_x },     "x",         LIST,   "ell_x", NULL, NULL },
    { { 1, MODELS },   "W_e",       TOKENS, "d_e",    "N_V",     NULL },
    { { 2, MODELS },   "W_p",       TOKENS, "d_e",    "ell_max", "" },
    { { 3 },           "e",         VECTOR, "d_in",   NULL,      NULL },
    { { 3 },           "e_t",       TOKENS, "d_in",   "T",       NULL },
    { { 3 },           "W_q",       WEIGHT, "d_attn", "d_in",    NULL },
    { { 3 },           "W_k",       WEIGHT, "d_attn", "d_in",    NULL },
    { { 3 },           "W_v",       WEIGHT, "d_out",  "d_in",    NULL },
    { { 4, 5 },        "X",         TOKENS, "d_x",    "ell_x",   NULL },
    { { 4, 5 },        "Z",         TOKENS, "d_z",    "ell_z",   "X" },
    { { 4, 5 },        "W_q",       WEIGHT, "d_attn", "d_x",     NULL },
    { { 4, 5 },        "W_k",       WEIGHT, "d_attn", "d_z",     NULL },
    { { 4 },           "W_v",       WEIGHT, "d_out",  "d_z",     NULL },
    { { 5 },           "W_v",       WEIGHT, "d_mid",  "d_z",     NULL },
    { { 3, 4, 5 },     "b_q",       VECTOR, "d_attn", NULL,      "0" },
    { { 3, 4, 5 },     "b_k",       VECTOR, "d_attn", NULL,      "0" },
    { { 3, 4 },        "b_v",       VECTOR, "d_out",  NULL,      "0" },
    { { 5 },           "b_v",       VECTOR, "d_mid",  NULL,      "0" },
    { { 5 },           "W_o",       WEIGHT, "d_out",  "H d_mid", NULL },
    { { 5 },           "b_o",       VECTOR, "d_out",  NULL,      "0" },
    { { 4, 5 },        "mask",      MASK,   "ell_z",  "ell_x",   "none" },
    { { 3, 4, 5 },     "d_attn",    NUMBER, NULL,     NULL,      "" },
    AFFINE("q", "d_attn", "d_e", MODELS),
    AFFINE("k", "d_attn", "d_e", MODELS),
    AFFINE("v", "d_mid", "d_e", MODELS),
    AFFINE("o", "d_e", "H d_mid", MODELS),
    NORM("_1", "d_e", MODELS),  NORM("_2", "d_e", MODELS),
    NORM("_3", "d_e", WITH_ED), NORM("_4", "d_e", WITH_ED),
    NORM("_5", "d_e", WITH_ED),
    AFFINE("mlp1", "d_mlp", "d_e", MODELS),
    AFFINE("mlp2", "d_e", "d_mlp", MODELS),
    AFFINE("mlp3", "d_mlp", "d_e", WITH_ED),
    AFFINE("mlp4", "d_e", "d_mlp", WITH_ED),
    { { 6, 7 },        "e",         ONE_OR_MORE, "d_e", "ell",   NULL },
    NORM("", "d_f", WITH_E),    NORM("", "d_e", 6, WITH_D),
    { { WITH_E },      "W_f",       WEIGHT, "d_f",    "d_e",     NULL },
    { { WITH_E },      "b_f",       VECTOR, "d_f",    NULL,      "0" },
    { { WITH_E },      "W_u",       WEIGHT, "N_V",    "d_f",     "" },
    { { 7, WITH_ED, WITH_D }, "W_u", WEIGHT, "N_V",   "d_e",     "" },
    { { 7 },           "W_e",       TOKENS, "d_e",    "N_V",     "" },
    { { 11, 12, 13 },  "eta",       NUMBER, NULL,     NULL,      NULL },
    { { 11, 12, 13 },  "N_epochs",  NUMBER, NULL,     NULL,      "1" },
    { { 12 },          "p_mask",    NUMBER, NULL,     NULL,      NULL },
    { { 12, 14, 15 },  "u",         LIST,   "u",      NULL,      "" },
    { { 14, 15 },      "tau",       NUMBER, NULL,     NULL,      "1" },
    { { 14, 15 },      "ell_gen",   NUMBER, NULL,     NULL,      "" },
    { { 7, 14 },       "target",    LIST,   NULL,     NULL,      "" },
    { { 7, 14 },       "top_k",     NUMBER, NULL,     NULL,      "" },
    { { 7, 14 },       "top_p",     NUMBER, NULL,     NULL,      "" },
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

Owner owner_of(const char *name)
{
    size_t n = strlen(name);
    bool numbered = isdigit((unsigned char)name[n - 1]) != 0;
    return word_in("W_q W_k W_v b_q b_k b_v", name, n) ? OF_HEAD
         : word_in("W_o b_o", name, n) ? OF_ATTENTION
         : !numbered ? OF_MODEL : name[n - 1] <= '2' ? OF_LAYER : OF_DECODER;
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
    { 0, "eta", "η lr" }, { 0, "tau", "τ temperature temp T" },
    { 0, "target", "label labels" }, { 0, "top_k", "k" },
    { 0, "d_attn", "dk" }, { 0, "scale", "scaling" },
};

/* The name that the table first has for a spelling; or the spelling. */
static const char *name_of_spelling(int algorithm, const char *plain)
{
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        if ((spellings[k].algorithm == 0
             || spellings[k].algorithm == algorithm)
            && word_in(spellings[k].also, plain, strlen(plain)))
            return spellings[k].name;
    return plain;
}

/* Whether it is that name without its underscores; or as in WQ for W_q. */
static bool is_same_name(const char *name, const char *plain)
{
    bool large = strchr("Wb", *name) != NULL && strlen(name) == 3
              && strlen(plain) == 2 && *plain == *name;
    if (large && plain[1] == toupper((unsigned char)name[2]))
        return true;
    for (; *name != '\0'; name++)
        if (*name != '_' && *plain++ != *name)
            return false;
    return *plain == '\0';
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
    return (row->algorithm == algorithm || algorithm == 5
            || (algorithm > 10 && has_model(row->algorithm)))
        && row->also != NULL && word_in(row->also, plain, strlen(plain));
}

const char *known_name(int algorithm, const char *plain)
{
    for (int any = 0; any < 2; any++) {    /* or one of another algorithm */
        const char *is = name_of_spelling(any ? 0 : algorithm, plain);
        for (const Argument *a = argument_table; a->name != NULL; a++)
            if ((any || takes(algorithm, a))
                && (strcmp(a->name, is) == 0
                    || is_same_name(a->name, plain)))
                return a->name;
        for (const StepRow *row = step_table; row->name != NULL; row++)
            if ((any || is_or_calls(algorithm, row->algorithm))
                && (strcmp(row->name, is) == 0
                    || is_same_name(row->name, plain)
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

const char *list_names(char to[LIST_BYTES], int algorithm, bool steps)
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
