/* Running the algorithm of a sheet and collecting its steps. */
#include "sheet/sheet.h"
#include "practice.h"
#include "tape.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
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

typedef enum {
    WORD, NUMBER,
    TOKENS,                     /* a column for each token                */
    ONE_OR_MORE,                /* the same; one row or column: one token */
    WEIGHT,                     /* out x in                               */
    VECTOR,                     /* one row or one column                  */
    MASK,                       /* a word, or a column for each query     */
    LIST                        /* of token IDs, or of numbers            */
} Kind;

typedef struct {
    int algorithms[16];         /* { 4, 5 }: it is for these              */
    const char *name;
    Kind kind;
    const char *rows, *cols;    /* in the paper's layout                  */
    const char *instead;        /* NULL: it is needed; "": nothing        */
} Argument;
#define EACH   1, 2, 3, 4, 5, 6, 7, MODELS
#define MODELS WITH_ED, WITH_E, WITH_D
#define WITH_ED 8, 11, 15
#define WITH_E  9, 12
#define WITH_D  10, 13, 14
#define TAKES_x 8, 9, 10, 11, 12, 13, 14
#define AFFINE(of, out, in, ...) \
    { { __VA_ARGS__ }, "W_" of, WEIGHT, out, in, "0" }, \
    { { __VA_ARGS__ }, "b_" of, VECTOR, out, NULL, "0" }
#define NORM(k, ...) \
    { { __VA_ARGS__ }, "gamma_" k, VECTOR, "d_e", NULL, "1" }, \
    { { __VA_ARGS__ }, "beta_" k, VECTOR, "d_e", NULL, "0" }
static const Argument arguments[] = {
    { { EACH },        "algorithm", NUMBER, NULL, NULL, NULL },
    { { EACH },        "layout",    WORD,   NULL, NULL, "" },
    { { EACH },        "decimals",  NUMBER, NULL, NULL, "" },
    { { 1 },           "v",         NUMBER, NULL, NULL, NULL },
    { { 2 },           "t",         NUMBER, NULL, NULL, "" },
    { { 2 },           "positions", WORD,   NULL, NULL, "" },
    { { 2 },           "d_e",       NUMBER, NULL, NULL, "" },
    { { 2 },           "ell_max",   NUMBER, NULL, NULL, "" },
    { { 2 },           "base",      NUMBER, NULL, NULL, "" },
    { { 2 },           "first",     NUMBER, NULL, NULL, "" },
    { { 2 },           "pos",       NUMBER, NULL, NULL, "" },
    { { 2 },           "e",         VECTOR, "d_e", NULL, "" },
    { { 3, 4, 5 },     "scale",     WORD,   NULL, NULL, "" },
    { { 6 },           "norm",      WORD,   NULL, NULL, "" },
    { { 6 },           "epsilon",   NUMBER, NULL, NULL, "0" },
    { { 7 },           "tied",      WORD,   NULL, NULL, "" },
    { { 1 },           "W_e",       TOKENS, "d_e",    "N_V",     NULL },
    { { 2 },           "W_p",       TOKENS, "d_e",    "ell_max", "" },
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
    { { WITH_E, WITH_D }, "L",       NUMBER, NULL, NULL, "" },
    { { WITH_ED },     "L_enc",   NUMBER, NULL, NULL, "" },
    { { WITH_ED },     "L_dec",   NUMBER, NULL, NULL, "" },
    { { MODELS },      "positions", WORD, NULL, NULL, "" },
    { { MODELS },      "ell_max", NUMBER, NULL, NULL, "" },
    { { MODELS },      "epsilon", NUMBER, NULL, NULL, "0" },
    { { MODELS },      "tied",    WORD,   NULL, NULL, "" },
    { { WITH_ED },     "z",       LIST,   "ell_z",  NULL,      NULL },
    { { TAKES_x },     "x",       LIST,   "ell_x",  NULL,      NULL },
    { { MODELS },      "W_e",     TOKENS, "d_e",    "N_V",     NULL },
    { { MODELS },      "W_p",     TOKENS, "d_e",    "ell_max", "0" },
    AFFINE("q", "d_attn", "d_e", MODELS), AFFINE("k", "d_attn", "d_e", MODELS),
    AFFINE("v", "d_mid", "d_e", MODELS),  AFFINE("o", "d_e", "H d_mid", MODELS),
    NORM("1", MODELS),  NORM("2", MODELS),
    NORM("3", WITH_ED), NORM("4", WITH_ED), NORM("5", WITH_ED),
    AFFINE("mlp1", "d_mlp", "d_e", MODELS),
    AFFINE("mlp2", "d_e", "d_mlp", MODELS),
    AFFINE("mlp3", "d_mlp", "d_e", WITH_ED),
    AFFINE("mlp4", "d_e", "d_mlp", WITH_ED),
    { { WITH_E },      "gamma",   VECTOR, "d_f",    NULL,      "1" },
    { { WITH_E },      "beta",    VECTOR, "d_f",    NULL,      "0" },
    { { WITH_D },      "gamma",   VECTOR, "d_e",    NULL,      "1" },
    { { WITH_D },      "beta",    VECTOR, "d_e",    NULL,      "0" },
    { { WITH_E },      "W_f",     WEIGHT, "d_f",    "d_e",     NULL },
    { { WITH_E },      "b_f",     VECTOR, "d_f",    NULL,      "0" },
    { { WITH_E },      "W_u",     WEIGHT, "N_V",    "d_f",     "" },
    { { WITH_ED, WITH_D }, "W_u",     WEIGHT, "N_V",    "d_e",     "" },
    { { 11, 12, 13 },  "eta",     NUMBER, NULL,     NULL,      NULL },
    { { 12 },          "p_mask",  NUMBER, NULL,     NULL,      NULL },
    { { 12, 14, 15 },  "u",       LIST,   "u",      NULL,      "" },
    { { 14, 15 },      "tau",     NUMBER, NULL,     NULL,      "1" },
    { { 14, 15 },      "ell_gen", NUMBER, NULL,     NULL,      "" },
    { { 7 },           "tau",     NUMBER, NULL,     NULL,      "" },
    { { 7, 14 },       "target",  LIST,   NULL,     NULL,      "" },
    { { 7, 14 },       "top_k",   NUMBER, NULL,     NULL,      "" },
    { { 7, 14 },       "top_p",   NUMBER, NULL,     NULL,      "" },
    { { 6 },           "e",         ONE_OR_MORE, "d_e", "ell",   NULL },
    { { 6 },           "gamma",     VECTOR, "d_e",    NULL,      "1" },
    { { 6 },           "beta",      VECTOR, "d_e",    NULL,      "0" },
    { { 7 },           "e",         ONE_OR_MORE, "d_e", "ell",   NULL },
    { { 7 },           "W_u",       WEIGHT, "N_V",    "d_e",     "" },
    { { 7 },           "W_e",       TOKENS, "d_e",    "N_V",     "" },
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };
typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct { int n; Dimension dimension[24]; } Dimensions;

typedef struct {                /* in the paper's layout                  */
    const char *name;
    int head;
    bool shape;                 /* nothing is given but that              */
    Mat M;
} GivenMatrix;

typedef struct {                /* a step that the sheet gives            */
    const StepRow *row, *also;  /* it is both; NULL: not another          */
    Aspect aspect;              /* GRADIENT: only that is given           */
    Part part;
    int layer, head, turn;
    Argument shape;
    Mat M;                      /* in the paper's layout                  */
} Entered;

typedef struct Seen {           /* a step that the run has come by        */
    Step step;
    bool known;                 /* else it is nothing but a shape         */
    int item;                   /* of the sheet that gives it; -1: none   */
    Mat M;                      /* NULL: a formula tells it               */
    const struct Seen *before;
} Seen;

typedef struct Bound {
    Run run;                    /* what comes out                         */
    Fault *f;
    Arena *arena;
    Tape *tape;                 /* NULL: the sheet is only being bound    */
    const Item *start;          /* the item `algorithm`                   */
    const Argument **argument;  /* what each item is; NULL: a claim, ...  */
    Entered *entered;           /* ... or, where row is not NULL, a step  */
    bool late;                  /* a step is given: not all is known      */
    bool stops;                 /* or a model ends before W_u             */
    bool *used;                 /* each item                              */
    const Seen *seen;           /* the latest                             */
    bool identity;              /* all W are left out                     */
    const Item *turned;         /* the one that is tried transposed       */
    int line;                   /* the first that a late run computes ... */
    const StepRow *last;        /* ... and the last step                  */
    bool *wanted, derives;      /* which rows are derived; is any?        */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    Mat end;                    /* that step                              */
    bool rederive;              /* does a line follow from such a step?   */
    const Step *deriving;       /* the step that a formula is for         */
    Theta *running;             /* the theta of this run                  */
    Mask mask;
    Mat positions;              /* as they were computed; NULL: given     */
    double tau;
    int H, head;                /* the heads; the one that is running     */
    Dimensions size;
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    char assumed[4000];
    double epsilon;
    Variation *variation;       /* NULL: none                             */
    GivenMatrix *given;         /* the matrices that were bound ...       */
    int givens;                 /* ... how many                           */
    Theta *model;               /* theta as the sheet gives it            */
    Mat S;                      /* the scores, before they are scaled     */
    Hyperparameters hyper;      /* of a model                             */
    Part part;                  /* of the model that is running ...       */
    int layer, turn;            /* ... its layer, and the turn of a loop  */
    Theta *theta;                   /* to train                               */
    Training how;
    const double *u;                /* uniform numbers, for each token        */
    int data_n;                     /* how many sequences it has              */
    int *row, in_row;               /* indices seen in a loop                 */
    const char *row_line;           /* ... and where                          */
    int ell_gen;                    /* tokens to be drawn                     */
    const Data *data;               /* to train with ...                      */
    int sequence, drawn;            /* ... its sequence; numbers for that     */
    NumberList *chances;            /* uniform numbers for them               */
    Mat q;                          /* what the next one is drawn from        */
} Job;

static bool binding(const Job *job)
{
    return job->tape == NULL;
}

static bool takes(int algorithm, const Argument *argument)
{
    const int *a = argument->algorithms;
    while (*a != 0 && *a != algorithm)
        a++;
    return *a == algorithm;
}

/* NULL: the algorithm does not take it. */
static const Argument *argument_named(int algorithm, const char *name)
{
    for (const Argument *a = arguments; a < arguments + ARGUMENTS; a++)
        if (*a->name == *name && takes(algorithm, a)
            && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static const Argument *argument_of(const Job *job, const char *name)
{
    return argument_named(job->run.algorithm, name);
}

Taken taken_by(int algorithm, const char *name)
{
    const Argument *a = argument_named(algorithm, name);
    return a == NULL ? (Taken){ .rows = NULL } : (Taken){
        a->kind == TOKENS || a->kind == ONE_OR_MORE, a->kind == WEIGHT,
        a->rows, a->cols };
}

static bool of_head(const char *name)
{
    return word_in("W_q W_k W_v b_q b_k b_v", name, strlen(name));
}

static bool of_layer(const char *name)
{
    return of_head(name)
        || word_in("W_o b_o gamma_1 beta_1 gamma_2 beta_2 gamma_3 beta_3 "
                    "gamma_4 beta_4 gamma_5 beta_5 W_mlp1 b_mlp1 W_mlp2 "
                    "b_mlp2 W_mlp3 b_mlp3 W_mlp4 b_mlp4", name,
                    strlen(name));
}

static bool per_head(const Job *job, const char *name)
{
    return job->run.algorithm == 5 && of_head(name);
}

static const struct { int algorithm; const char *name, *also;
                      } spellings[] =
{
    { 0, "algorithm", "Algorithm alg" }, { 0, "mask", "Mask" },
    { 0, "ell_max", "lmax ℓmax" },       { 0, "ell_gen", "lgen ℓgen" },
    { 0, "epsilon", "varepsilon eps ε ϵ" },
    { 0, "t", "ell ℓ position" },        { 2, "pos", "position" },
    { 0, "W_q", "WQ Wquery wquery" },    { 0, "W_k", "WK Wkey wkey" },
    { 0, "W_v", "WV Wvalue wvalue" },    { 0, "W_o", "WO" },
    { 0, "W_u", "WU" }, { 0, "W_e", "WE" }, { 0, "W_p", "WP" },
    { 0, "W_f", "WF" }, { 0, "b_q", "bQ" }, { 0, "b_k", "bK" },
    { 0, "b_v", "bV" }, { 0, "b_o", "bO" }, { 0, "b_f", "bF" },
    { 0, "gamma", "γ" },       { 0, "beta", "β" },
    { 0, "gamma_1", "γ1" },    { 0, "beta_1", "β1" },
    { 0, "gamma_2", "γ2" },    { 0, "beta_2", "β2" },
    { 0, "gamma_3", "γ3" },    { 0, "beta_3", "β3" },
    { 0, "gamma_4", "γ4" },    { 0, "beta_4", "β4" },
    { 0, "gamma_5", "γ5" },    { 0, "beta_5", "β5" },
    { 0, "e_t", "E" },         { 0, "e_hat", "e^ ê e\xCC\x82 hate" },
    { 0, "Vt", "V~ Ṽ V\xCC\x83 Vtilde tildeV" },
    { 0, "alpha_t", "alpha αt α" },
    { 0, "v_tilde", "v~ ṽ v\xCC\x83 tildev" },
    { 0, "Xt", "X~ X̃ Xtilde tildeX" }, { 0, "xt", "x~ xtilde tildex" },
    { 0, "Tt", "T~ Ttilde tildeT" },    { 0, "x_hat", "x^ hatx" },
    { 0, "eta", "η" }, { 0, "tau", "τ temperature T" },
    { 0, "target", "label" }, { 0, "top_k", "k" },
    { 0, "d_attn", "dk" }, { 0, "scale", "scaling" },
    { 2, "e", "E embedding" }, { 3, "e", "x" }, { 3, "e_t", "X" },
    { 6, "e", "x X h" }, { 7, "e", "x X h" }, { 4, "mask", "M" },
};

static bool is_spelled(int algorithm, const char *name, const char *plain)
{
    const char *p = plain, *q = name;
    for (; *q != '\0'; q++)
        if (*q != '_' && *p++ != *q)
            break;
    if (*q == '\0' && *p == '\0')
        return true;
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        if ((spellings[k].algorithm == 0
             || spellings[k].algorithm == algorithm)
            && *spellings[k].name == *name
            && strcmp(spellings[k].name, name) == 0
            && word_in(spellings[k].also, plain, strlen(plain)))
            return true;
    return false;
}

const char *known_name(int algorithm, const char *plain)
{
    size_t n = strlen(plain);
    for (int any = 0; any < 2; any++) {    /* or one of another algorithm */
        for (const Argument *a = arguments; a < arguments + ARGUMENTS; a++)
            if ((any || takes(algorithm, a))
                && is_spelled(any ? 0 : algorithm, a->name, plain))
                return a->name;
        for (int k = 0; k < step_rows; k++) {
            const StepRow *row = &step_table[k];
            bool here = !any && algorithm >= 1 && algorithm <= 15
                     && comes_by(algorithm, row);
            bool own = row->algorithm == algorithm || algorithm == 5
                    || (algorithm > 10 && row->algorithm >= 8);
            bool also = here && own && row->also != NULL
                && word_in(row->also, plain, n);
            if (also || ((any || here)
                         && is_spelled(any ? 0 : algorithm, row->name,
                                       plain)))
                return row->name;
        }
    }
    return NULL;
}

static int add_to_list(char *to, int n, const char *before,
                       const char *name)
{
    if (n >= NAMES_BYTES - 40)
        return n;
    return n + snprintf(to + n, (size_t)(NAMES_BYTES - n), "%s %s", before,
                        name);
}

/* Is it the first step of its name in a run? */
static bool is_new(int algorithm, const StepRow *row)
{
    for (const StepRow *r = step_table; r < row; r++)
        if (comes_by(algorithm, r) && strcmp(r->name, row->name) == 0
            && (algorithm < 8 || r->algorithm >= 8))
            return false;
    return algorithm < 8 || row->algorithm >= 8;
}

const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim)
{
    int n = 0;
    const char *before = "";
    if (!claim)
        n = snprintf(to, NAMES_BYTES, "Algorithm %d takes", algorithm);
    for (const Argument *a = arguments; a < arguments + ARGUMENTS; a++)
        if (!claim && takes(algorithm, a)) {
            n = add_to_list(to, n, before, a->name);
            before = ",";
        }
    n += snprintf(to + n, (size_t)(NAMES_BYTES - n), "%s",
                  claim ? "the steps are" : "; its steps are");
    before = "";
    for (int k = 0; k < step_rows; k++)
        if (comes_by(algorithm, &step_table[k])
            && is_new(algorithm, &step_table[k])) {
            n = add_to_list(to, n, before, step_table[k].name);
            before = ",";
        }
    return to;
}

void print_algorithms(FILE *out)
{
    char starts[STARTS_BYTES], names[NAMES_BYTES], heading[40];
    fputs("\nWhat a sheet begins with, and the steps that it may claim:\n",
          out);
    for (int a = 1; a <= 15; a++) {
        snprintf(heading, sizeof heading, "\nAlgorithm %d starts from", a);
        print_list(out, heading, starts_text(starts, a));
        print_list(out, "  and", names_text(names, a, true));
    }
}

static bool is_needed(const Argument *a)
{
    return a != NULL && (a->instead == NULL || strcmp(a->name, "W_u") == 0)
        && (a->rows != NULL || a->kind == LIST || strlen(a->name) == 1);
}

static bool in_chain(int algorithm, const StepRow *row)
{
    if (algorithm == 14)
        return row->role == ROLE_LOGITS
            || (row->algorithm == 14 && (row->role == ROLE_NEXT
                                         || row->role == ROLE_TEMPERED));
    return row->algorithm == algorithm
        || (algorithm == 5 && row->algorithm == 4);
}

/* Does a derived step lead to another step of its line? */
static bool leads_on(const StepRow *row)
{
    const StepRow *next = row;
    while (next->derived && next + 1 < step_table + step_rows)
        next++;
    return next != row && next->line == row->line
        && next->algorithm == row->algorithm;
}

static void add_name(Start *start, const char *name, size_t length)
{
    size_t n = strlen(start->names);
    if (!word_in(start->names, name, length))
        snprintf(start->names + n, sizeof start->names - n, "%s%.*s",
                 n > 0 ? " " : "", (int)length, name);
}

/* What the rows behind `cut` take; false: tokens too. */
static bool start_behind(int algorithm, const StepRow *cut, Start *start)
{
    const StepRow *end = step_table + step_rows;
    *start = (Start){ .algorithm = cut->algorithm, .line = cut->line };
    for (const StepRow *row = cut + 1; row < end; row++) {
        if (!in_chain(algorithm, row) || (row->derived && !leads_on(row)))
            continue;
        const char *p = row->from;
        for (size_t n; (n = strcspn(p, " ")) > 0; p += n + (p[n] == ' ')) {
            char name[20];
            snprintf(name, sizeof name, "%.*s", (int)n, p);
            if (algorithm == 14 && strcmp(name, "P") == 0)
                strcpy(name, "logits");
            const StepRow *by = row - 1;
            while (by >= step_table && (!in_chain(algorithm, by)
                                        || strcmp(by->name, name) != 0))
                by--;
            const Argument *a = argument_named(algorithm, name);
            bool root = strcmp(name, "d_attn") == 0
                     && !word_in(start->names, "Q", 1)
                     && !word_in(start->names, "q", 1);
            if (by >= step_table && by <= cut)
                add_name(start, name, strlen(name));
            else if (by < step_table && (is_needed(a) || root))
                add_name(start, name, n);
            if (by < step_table && a != NULL
                && (a->kind == TOKENS || a->kind == ONE_OR_MORE
                    || a->kind == LIST || strcmp(name, "e") == 0))
                return false;
        }
    }
    return true;
}

/* Has the last of the starts a step, and is none before the same? */
static bool is_another(const Start start[], int n)
{
    bool step = false;
    for (int k = 0; k < step_rows; k++)
        step |= word_in(start[n].names, step_table[k].name,
                        strlen(step_table[k].name));
    for (int k = 0; k < n; k++)
        step &= strcmp(start[k].names, start[n].names) != 0;
    return step;
}

int starts_to(int algorithm, Start start[STARTS])
{
    int n = 0;
    Start *first = &start[n++];
    *first = (Start){ algorithm, 0, "" };
    for (const Argument *a = arguments; a < arguments + ARGUMENTS; a++)
        if (takes(algorithm, a) && is_needed(a))
            add_name(first, a->name, strlen(a->name));
    if (*first->names == '\0')
        add_name(first, "W_p t", 5);
    for (int k = 0; k < step_rows && n < STARTS; k++)
        if (in_chain(algorithm, &step_table[k]) && !step_table[k].derived
            && (algorithm != 5 || step_table[k].role != ROLE_MIXED)
            && ((3 <= algorithm && algorithm <= 10) || algorithm == 14)
            && start_behind(algorithm, &step_table[k], &start[n])
            && is_another(start, n))
            n++;
    return n;
}

static int starts_of(int algorithm)
{
    Start start[STARTS];
    return starts_to(algorithm, start);
}

const char *starts_text(char to[STARTS_BYTES], int algorithm)
{
    Start start[STARTS];
    int n = starts_to(algorithm, start);
    char *p = to;
    for (int k = 0; k < n; k++) {
        p += snprintf(p, (size_t)(to + STARTS_BYTES - p), "%s",
                      k > 0 ? "; or " : "");
        for (const char *c = start[k].names; *c != '\0'; c++)
            p += snprintf(p, (size_t)(to + STARTS_BYTES - p), "%s%c",
                          *c == ' ' ? "," : "", *c);
    }
    return to;
}

static const Item *find(const Job *job, const char *name, int head)
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim && strcmp(item->name, name) == 0
            && (item->head == head || (head == 1 && item->head == 0)))
            return item;
    }
    return NULL;
}

/* NULL: what a sheet that is entered late need not have. */
static const Item *need(const Job *job, const char *name, int head)
{
    const Item *item = find(job, name, head);
    char number[20] = "", sets[STARTS_BYTES];
    if (item != NULL || job->late)
        return item;
    if (head > 0)
        snprintf(number, sizeof number, "%c%d",
                 per_head(job, name) ? '^' : '_', head);
    int algorithm = job->run.algorithm;
    bool others = is_needed(argument_of(job, name))
               && starts_of(algorithm) > 1;
    fault(job->f, job->start == NULL ? 0 : job->start->at,
          "Algorithm %d needs %s%s, and the sheet has none%s%s.",
          algorithm, name, number, others ? "; it starts from " : "",
          others ? starts_text(sets, algorithm) : "");
}

static void assume(Job *job, const char *name, int head, const char *what)
{
    if (!binding(job) || job->late)
        return;
    char *end = job->assumed + strlen(job->assumed);
    size_t left = sizeof job->assumed - strlen(job->assumed);
    const char *comma = end == job->assumed ? "" : ", ";
    if (left < 60)              /* enough said */
        snprintf(end, left, "%s", end[-1] == '.' ? "" : ", ...");
    else if (head > 0)
        snprintf(end, left, "%s%s^%d = %s", comma, name, head, what);
    else
        snprintf(end, left, "%s%s = %s", comma, name, what);
}

/* In a run that is entered late: only what it uses, and once. */
static void assume_used(Job *job, const char *name, const char *what)
{
    char told[60];
    snprintf(told, sizeof told, "%s = %s", name, what);
    size_t n = strlen(job->assumed);
    if (strstr(job->assumed, told) == NULL && n + 70 < sizeof job->assumed)
        snprintf(job->assumed + n, sizeof job->assumed - n, "%s%s",
                 n > 0 ? ", " : "", told);
}

static void assume_number(Job *job, const char *name, double x)
{
    char number[40];
    snprintf(number, sizeof number, "%g", x);
    assume(job, name, 0, number);
}

static double job_number(const Job *job, const char *name, double instead)
{
    const Item *item = find(job, name, 0);
    if (item == NULL)
        return instead;
    if (item->word != NULL || item->rows != 1 || item->cols != 1
        || !isfinite(item->entry->value))
        fault(job->f, item->at, "%s must be one number.", item->typed);
    return item->entry->value;
}

static int whole(const Job *job, const char *name, int instead, int most,
                 const char *range)
{
    double x = job_number(job, name, instead);
    const Item *item = find(job, name, 0);
    if (x != floor(x) || x < 1 || x > most)
        fault(job->f, item == NULL ? job->start->at : item->entry->at,
              "%s is %g; it must be one of 1 ... %d%s.",
              item == NULL ? name : item->typed, x, most, range);
    return (int)x;
}

/* Which of the words, separated by blanks, an item is; 0: not given. */
static int choice(const Job *job, const char *name, const char *words)
{
    const Item *item = find(job, name, 0);
    int n = 1;
    if (item == NULL)
        return 0;
    for (const char *p = words; item->word != NULL; n++, p++) {
        size_t length = strcspn(p, " ");
        if (strlen(item->word) == length
            && strncmp(p, item->word, length) == 0)
            return n;
        p += length;
        if (*p == '\0')
            break;
    }
    fault(job->f, item->at, "%s must be one of: %s%s.", item->typed, words,
          strcmp(name, "mask") == 0 ? "; or a matrix of 0 and 1" : "");
}

_Noreturn static void refuse_item(const Job *job, const Item *item)
{
    char list[700] = "";
    for (int k = 0; k < ARGUMENTS; k++)
        if (takes(job->run.algorithm, &arguments[k])) {
            size_t n = strlen(list);
            snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "",
                     arguments[k].name);
        }
    fault(job->f, item->at, "Algorithm %d does not take %s; it takes %s.",
          job->run.algorithm, item->typed, list);
}

/* With a head or a prefix where the algorithm has none. */
static bool misplaced(const Job *job, const Item *item, const Argument *a)
{
    int algorithm = job->run.algorithm;
    bool many = 11 <= algorithm && algorithm <= 13 && a->kind == LIST
             && a->name[0] != 'u';
    if (item->aspect != VALUE || item->turn > 0)
        return true;
    if (algorithm >= 8 && a->rows != NULL && a->kind != LIST)
        return false;           /* check_places will tell */
    return item->part != NOWHERE
        || (item->head > 0 && !many && !per_head(job, item->name));
}

static Part part_of_row(const StepRow *row)
{
    int a = row->algorithm, l = row->line;
    if (a == 9 || a == 10)
        return 5 <= l && l <= 8 ? LAYER : NOWHERE;
    return a != 8 || l < 5 || (8 < l && l < 14) || l > 19 ? NOWHERE
         : l == 16 ? ED : l <= 8 ? ENC : DEC;
}

static bool any_item(const Job *job, bool claim, const char *names)
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim == claim
            && word_in(names, sheet->item[k].name,
                       strlen(sheet->item[k].name)))
            return true;
    return false;
}

static bool any_given(const Job *job, const char *names)
{
    return any_item(job, false, names);
}

static bool any_claimed(const Job *job, const char *names)
{
    return any_item(job, true, names);
}

static bool in_heads(const Job *job, const StepRow *row)
{
    return job->run.algorithm != 4
        && (row->algorithm == 4 || row->role == ROLE_HEAD);
}

/* Is the perceptron of a layer given, but not what stands before it? */
static bool only_fed(const Job *job)
{
    return any_given(job, "W_mlp1 W_mlp2 W_mlp3 W_mlp4")
        && !any_given(job, "x z W_q W_k W_v W_o W_e gamma_1 beta_1 gamma_2 "
                           "beta_2 gamma_3 beta_3 gamma_4 beta_4");
}

/* The row of a step that is given; NULL: there is none. Without a line it
   is the first of that name; or, where only the perceptron is given, what
   that reads. In Algorithm 8 the Z of an encoder may be called X. */
static const StepRow *entry_row(const Job *job, const Item *item)
{
    int algorithm = job->run.algorithm;
    bool encoder = algorithm == 8 && item->line == 0 && only_fed(job)
                && strcmp(item->name, "X") == 0
                && !any_given(job, "Z W_mlp3 W_mlp4");
    const char *name = encoder ? "Z" : item->name;
    const StepRow *found = NULL;
    bool exact = false;
    for (int k = 0; k < step_rows; k++) {
        const StepRow *row = &step_table[k];
        bool of_head = in_heads(job, row);
        if (!can_be_given(algorithm, row)
            || strcmp(row->name, name) != 0
            || (item->line > 0 && (row->line != item->line
                                   || row->algorithm != item->algorithm))
            || (item->head > 0 && !of_head)
            || (item->part != NOWHERE && row->algorithm >= 8
                && part_of_row(row) != item->part)
            || (item->part == NOWHERE && algorithm >= 8 && item->line == 0
                && row->algorithm < 7))
            continue;
        if (found == NULL || (!exact && of_head == (item->head > 0))) {
            found = row;
            exact = of_head == (item->head > 0);
        }
    }
    bool fed = found != NULL && item->line == 0 && !found->derived
            && part_of_row(found + 1) != NOWHERE && only_fed(job);
    while (fed && found[1].role != ROLE_FED && !found[1].derived)
        found++;
    if (fed && strcmp(found->name, name) != 0
        && any_given(job, found->name))
        found--;                /* X, and the Xt that is fed */
    return found;
}

/* The X that is fed in Algorithm 10 is also what is added to, if what comes
   out is claimed. */
static bool is_added_to(const Job *job, const Item *item,
                        const StepRow *fed)
{
    return strcmp(fed->name, item->name) != 0
        && strcmp(fed[-1].name, item->name) == 0
        && any_claimed(job, item->name);
}

/* In a run the letters of a component are those of what calls it. */
static const char *letter_of(const Job *job, const StepRow *row,
                             const char *letter, Part part)
{
    int algorithm = job->run.algorithm;
    bool model = algorithm >= 8;
    if (strcmp(letter, "d_v") == 0)
        return algorithm == 4 ? "d_out" : "d_mid";
    if (model && strcmp(letter, "d_out") == 0)
        return "d_e";
    if (model && strncmp(letter, "ell", 3) == 0 && row->algorithm < 8)
        return part == ENC || (part == ED && strcmp(letter, "ell_z") == 0)
             ? "ell_z" : "ell_x";
    return letter;
}

static bool enter_step(Job *job, int k)
{
    const Item *item = &job->run.sheet->item[k];
    int algorithm = job->run.algorithm;
    const StepRow *row = entry_row(job, item);
    bool back = item->aspect == GRADIENT && algorithm <= 7
             && job->backwards == NULL;
    if (row == NULL || (item->aspect != VALUE && !back) || algorithm < 3
        || (item->turn > 0 && algorithm != 14)
        || (algorithm > 10 && algorithm != 14))
        return false;
    Part part = item->part != NOWHERE ? item->part
              : row->algorithm >= 8 ? part_of_row(row)
              : algorithm >= 8 && row->algorithm < 7 ? LAYER : NOWHERE;
    Entered *e = &job->entered[k];
    *e = (Entered){ .row = row, .aspect = item->aspect, .part = part,
        .also = is_added_to(job, item, row) ? row - 1 : NULL,
        .layer = part == NOWHERE ? 0 : item->layer > 0 ? item->layer : 1,
        .head = !in_heads(job, row) ? 0 : item->head > 0 ? item->head : 1,
        .turn = item->turn > 0 ? item->turn : algorithm == 14 };
    bool vector = strcmp(row->wide, "1") == 0;
    e->shape = (Argument){ .name = row->name, .instead = "",
        .kind = vector ? VECTOR : row->algorithm == 6 || row->algorithm == 7
              ? ONE_OR_MORE : TOKENS,
        .rows = letter_of(job, row, row->high, part),
        .cols = vector ? NULL : letter_of(job, row, row->wide, part) };
    if (e->head > job->H)
        job->H = e->head;
    if (back)
        job->backwards = row;
    else
        job->late = true;
    return true;
}

/* Without W_u a model ends before it, if only such steps are claimed. */
static bool ends_early(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int algorithm = job->run.algorithm;
    bool claimed = false;
    for (int k = 0; k < sheet->n; k++)
        claimed |= sheet->item[k].claim;
    return 8 <= algorithm && algorithm <= 10 && !job->late
        && !job->run.tied && !any_given(job, "W_u")
        && any_given(job, "x z") && any_given(job, "W_e")
        && claimed && !any_claimed(job, "P p logits");
}

static void check_items(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    bool numbered = false, plain = false;
    size_t items = (size_t)sheet->n;
    job->argument = arena_alloc(job->arena, items * sizeof *job->argument);
    job->entered = arena_alloc(job->arena, items * sizeof *job->entered);
    memset(job->entered, 0, items * sizeof *job->entered);
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        job->argument[k] = NULL;
        if (item->claim)
            continue;
        const Argument *a = argument_of(job, item->name);
        if (a != NULL && misplaced(job, item, a))
            a = NULL;
        if (a == NULL && !enter_step(job, k))
            refuse_item(job, item);
        job->argument[k] = a;
        if (per_head(job, item->name)) {
            plain |= item->head == 0;
            numbered |= item->head > 0;
            if (plain && numbered)
                fault(job->f, item->at, "%s: number the matrices of all heads "
                      "or of none.", item->typed);
            if (item->head > job->H)
                job->H = item->head;
        }
    }
    job->stops = ends_early(job);
    job->late |= job->stops;
}

typedef struct {
    const Item *item;           /* does not fit, because ...             */
    const Argument *argument;
    const Dimension *letter;    /* ... this was fixed before; NULL: it   */
    int is;                     /* is no vector                          */
} Misfit;

static bool is_transposed(Kind kind, const Layout *layout)
{
    return kind == WEIGHT ? layout->weights : kind == VECTOR ? false
         : layout->rows;
}

static const Dimension *dimension(const Dimensions *d, const char *symbol)
{
    for (int k = 0; k < d->n; k++)
        if (strcmp(d->dimension[k].symbol, symbol) == 0)
            return &d->dimension[k];
    return NULL;
}

static bool agree(Dimensions *d, const char *symbol, int size,
                  const Item *item, Misfit *misfit)
{
    const Dimension *fixed = dimension(d, symbol);
    if (fixed == NULL) {
        d->dimension[d->n++] = (Dimension){ symbol, size, item };
        return true;
    }
    misfit->letter = fixed;
    misfit->is = size;
    return fixed->size == size;
}

static int letter_size(const Dimensions *d, const char *symbol)
{
    const Dimension *found = dimension(d, symbol);
    return found == NULL ? 0 : found->size;
}

static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d, Misfit *misfit)
{
    int rows = item->rows, cols = item->cols;
    bool line = rows == 1 || cols == 1;
    *misfit = (Misfit){ item, a, NULL, 0 };
    if (a->kind == LIST)
        return line;
    if (a->kind == VECTOR)
        return line && agree(d, a->rows, rows * cols, item, misfit);
    if (is_transposed(a->kind, layout))
        rows = item->cols, cols = item->rows;
    if (a->kind == ONE_OR_MORE && line)
        rows = rows * cols, cols = 1;
    return agree(d, a->rows, rows, item, misfit)
        && agree(d, a->cols, cols, item, misfit);
}

static const Item *as_tried(const Job *job, const Item *item)
{
    if (item != job->turned)
        return item;
    Item *other = arena_alloc(job->arena, sizeof *other);
    *other = *item;
    other->rows = item->cols;
    other->cols = item->rows;
    return other;
}

static bool each_fits(const Job *job, const Argument *a,
                      const Layout *layout, Dimensions *d, Misfit *misfit)
{
    const Sheet *sheet = job->run.sheet;
    bool is_X = a->instead != NULL && strcmp(a->instead, "X") == 0
             && find(job, a->name, 0) == NULL;
    const Argument *same = is_X ? argument_of(job, "X") : a;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (item->word == NULL && job->argument[k] == same
            && !fits(a, as_tried(job, item), layout, d, misfit))
            return false;
    }
    return true;
}

/* What no matrix tells: d_attn as a number, the heads' share of Y, and W
   that are left out. */
static bool settle_sizes(const Job *job, Dimensions *d, Misfit *misfit)
{
    const Item *d_attn = find(job, "d_attn", 0), *X = find(job, "X", 0);
    int d_x = letter_size(d, job->run.algorithm == 3 ? "d_in" : "d_x");
    if (d_attn != NULL && job->run.algorithm <= 5
        && !agree(d, "d_attn", whole(job, "d_attn", 1, 1000000, ""), d_attn,
                  misfit))
        fault(job->f, d_attn->at, "d_attn is %d, but by %s it is %d.",
              misfit->is, misfit->letter->by->typed, misfit->letter->size);
    static const char *const squares[] = { "d_attn", "d_out", "d_mid",
                                           "H d_mid" };
    for (int k = 0; job->identity && k < 4; k++)
        agree(d, squares[k], d_x, X, misfit);
    int mid = letter_size(d, "d_mid"), all = letter_size(d, "H d_mid");
    if (job->run.algorithm < 5)
        return true;
    if (mid == 0) {
        mid = all < job->H ? 1 : all / job->H;
        agree(d, "d_mid", mid, NULL, misfit);
    }
    const Dimension *shared = dimension(d, "H d_mid");
    const Item *by = shared == NULL ? NULL : shared->by;
    const Argument *W_o = argument_of(job, "W_o");
    bool fit = agree(d, "H d_mid", job->H * mid, by, misfit);
    if (!fit)
        *misfit = (Misfit){ by, W_o, shared, job->H * mid };
    return fit;
}

static bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
                    Misfit *misfit)
{
    static const Item one = { .typed = "1" };
    const Sheet *sheet = job->run.sheet;
    d->n = 0;
    agree(d, "1", 1, &one, misfit);
    for (int k = 0; k < ARGUMENTS; k++) {
        const Argument *a = &arguments[k];
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        if (!each_fits(job, a, layout, d, misfit))
            return false;
        if (strcmp(a->name, "W_v") == 0 && letter_size(d, "d_mid") > 0)
            agree(d, "H d_mid", job->H * letter_size(d, "d_mid"),
                  dimension(d, "d_mid")->by, misfit);
    }
    for (int k = 0; k < sheet->n; k++)
        if (job->entered[k].row != NULL
            && !fits(&job->entered[k].shape, &sheet->item[k], layout, d,
                     misfit))
            return false;
    return settle_sizes(job, d, misfit);
}

/* The one weight that is transposed if all shapes are to fit, and under
   which layout; NULL: none is, or several might be. */
static const Item *turned_alone(const Job *job, const Layout **layout)
{
    const Sheet *sheet = job->run.sheet;
    bool named = find(job, "layout", 0) != NULL;
    for (int l = 0; l < LAYOUTS; l++) {
        const Item *found = NULL;
        int n = 0;
        for (int k = 0; k < sheet->n; k++) {
            Dimensions d;
            Misfit misfit;
            Job other = *job;
            other.turned = &sheet->item[k];
            if (job->argument[k] != NULL && job->argument[k]->kind == WEIGHT
                && all_fit(&other, &layouts[l], &d, &misfit)) {
                found = other.turned;
                n++;
            }
        }
        *layout = &layouts[l];
        if (n == 1 && (!named || *layout == job->run.layout))
            return found;
    }
    return NULL;
}

_Noreturn static void refuse_shape(const Job *job, const Misfit *m)
{
    char better[80] = "";
    const Layout *layout = job->run.layout;
    const Item *item = m->item;
    const Argument *a = m->argument;
    for (int k = 0; k < LAYOUTS; k++) {
        Dimensions d;
        Misfit other;
        size_t n = strlen(better);
        if (all_fit(job, &layouts[k], &d, &other))
            snprintf(better + n, sizeof better - n, "%s%s",
                     n > 0 ? " or "
                           : "; all shapes would fit under layout ",
                     layouts[k].name);
    }
    const Layout *under;
    const Item *alone = *better == '\0' ? turned_alone(job, &under) : NULL;
    if (alone != NULL)
        fault(job->f, alone->at, "%s is %d x %d and alone does not fit "
              "layout %s (%s); type its transpose, %d x %d.", alone->typed,
              alone->rows, alone->cols, under->name, under->meaning,
              alone->cols, alone->rows);
    if (m->letter == NULL)
        fault(job->f, item->at, "%s is %d x %d; it must be one row or "
              "one column.", item->typed, item->rows, item->cols);
    bool turn = is_transposed(a->kind, layout);
    fault(job->f, item->at, "%s is %d x %d, %s%s%s%s in layout %s; so %s "
          "would be %d, but by %s it is %d%s.", item->typed, item->rows,
          item->cols, turn ? a->cols : a->rows,
          a->kind == VECTOR ? "" : " x ",
          a->kind == VECTOR ? "" : turn ? a->rows : a->cols,
          a->kind == VECTOR ? " entries" : "", layout->name,
          m->letter->symbol, m->is, m->letter->by->typed, m->letter->size,
          better);
}

static int size_or_1(const Job *job, const char *symbol)
{
    int size = letter_size(&job->size, symbol);
    return size > 0 ? size : 1;
}

static double largest_real(void)
{
    return sizeof(real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
}

enum { STANDS_FOR_INFINITY = -10000 };

/* Zeros and -inf, to be added to the scores? */
static bool is_additive(const Item *mask)
{
    for (int k = 0; k < mask->rows * mask->cols; k++)
        if (mask->entry[k].value <= STANDS_FOR_INFINITY)
            return true;
    return false;
}

static double entry_value(const Job *job, const Argument *a,
                          const Item *item, int k)
{
    const Entry *entry = &item->entry[k];
    bool scores = a->name[0] == 'S' || strcmp(a->name, "scores") == 0;
    if (a->kind == MASK && is_additive(item))
        return entry->value == 0 ? 1
             : entry->value <= STANDS_FOR_INFINITY ? 0 : entry->value;
    if (scores && entry->value == -INFINITY)
        return entry->value;
    if (isnan(entry->value))
        fault(job->f, entry->at, "only a claim may leave an entry open; "
              "%s is given.", item->typed);
    if (!(fabs(entry->value) <= largest_real()))
        fault(job->f, entry->at, "an entry of %s must be finite%s.",
              item->typed, isfinite(entry->value)
              ? "; this is too large for single precision" : "");
    return entry->value;
}

/* item is NULL: with what stands in for it. */
static void fill(const Job *job, Mat M, const Argument *a, const Item *item)
{
    bool turn = is_transposed(a->kind, job->run.layout) && item != NULL
             && item->cols == M->rows && item->rows == M->cols;
    int k = 0;
    for (int i = 1; i <= (turn ? M->cols : M->rows); i++)
        for (int j = 1; j <= (turn ? M->rows : M->cols); j++, k++)
            AT(M, turn ? j : i, turn ? i : j) = (real)(item == NULL
                ? a->instead != NULL && *a->instead == '1'
                : entry_value(job, a, item, k));
}

static Mat varied_given(const Job *job, Step place, Mat M)
{
    Variation *v = job->variation;
    return v == NULL ? M : v->given(v->to, &place, M);
}

static void copy_into(Mat to, Mat from)
{
    if (to != from)
        memcpy(to->at, from->at,
               (size_t)to->rows * (size_t)to->cols * sizeof *to->at);
}

static void bind_matrix(Job *job, const char *name, int head)
{
    const Argument *a = argument_of(job, name);
    const Item *item = find(job, name, head);
    bool identity = job->identity && a->kind == WEIGHT;
    if (item == NULL && (a->instead == NULL || *a->instead == '\0')
        && !identity)
        need(job, name, head);
    Mat M = constant(job->arena, size_or_1(job, a->rows),
                     a->cols == NULL ? 1 : size_or_1(job, a->cols));
    if (item == NULL && !job->late)
        assume(job, name, head, identity ? "I" : a->instead);
    if (item != NULL || (a->instead != NULL && !identity))
        fill(job, M, a, item);
    else
        for (int i = 1; i <= M->rows; i++)  /* or nothing but a shape */
            for (int j = 1; j <= M->cols; j++)
                AT(M, i, j) = i == j;
    bool shape = item == NULL && !identity
              && (job->late || a->instead == NULL || *a->instead == '\0'
                  || *a->instead == 'X');
    job->given[job->givens++] = (GivenMatrix){ name, head, shape, M };
}

/* The matrix of that name, or what stands in for it. */
static Mat given(Job *job, const char *name, int head)
{
    if (binding(job))
        bind_matrix(job, name, head);
    GivenMatrix *g = job->given;
    while (g->head != head || strcmp(g->name, name) != 0)
        g++;
    if (binding(job))
        return g->M;
    Mat M = input(job->tape, g->M->rows, g->M->cols);
    Step place = { .name = name, .head = head };
    copy_into(M, g->M);
    if (!g->shape)
        copy_into(M, varied_given(job, place, M));
    return g->M = M;
}

static Mask given_mask(Job *job)
{
    const Item *item = find(job, "mask", 0);
    if (item == NULL)
        assume(job, "mask", 0, "none");
    if (item == NULL || item->word != NULL) {
        int word = choice(job, "mask",
                          "none causal bidirectional unidirectional");
        return word == 2 || word == 4 ? unidirectional : bidirectional;
    }
    Mat M = given(job, "mask", 0);
    for (int k = 0; k < item->rows * item->cols; k++) {
        double v = entry_value(job, argument_of(job, "mask"), item, k);
        if (v != 0 && v != 1)
            fault(job->f, item->entry[k].at, "an entry of the mask is 1, "
                  "may look, or 0, may not; in a mask that is added, 0 or "
                  "-inf.");
    }
    for (int t_x = 1; t_x <= M->cols; t_x++) {
        bool blind = true;
        for (int t_z = 1; t_z <= M->rows; t_z++)
            blind &= AT(M, t_z, t_x) == 0;
        if (blind)
            fault(job->f, item->at, "the mask lets token %d look at "
                  "nothing: its %s holds no 1.", t_x,
                  job->run.layout->rows ? "row" : "column");
    }
    return mask_of(M);
}

static Architecture architecture(const Job *job)
{
    static const Architecture of[] = {
        ED_TRANSFORMER, E_TRANSFORMER, D_TRANSFORMER,   /* 8 ... 10  */
        ED_TRANSFORMER, E_TRANSFORMER, D_TRANSFORMER,   /* 11 ... 13 */
        D_TRANSFORMER, ED_TRANSFORMER };                /* 14, 15    */
    return of[job->run.algorithm - 8];
}

static Part part_of(const Job *job, const Item *item)
{
    const char *name = item->name, *number = name + strlen(name) - 1;
    if (item->part != NOWHERE || !of_layer(name))
        return item->part;
    if (architecture(job) != ED_TRANSFORMER)
        return LAYER;
    if (of_head(name) || *number == 'o')
        return NOWHERE;
    return *number <= '2' ? ENC : DEC;
}

static int layers_of(const Hyperparameters *h, Part part)
{
    return part == LAYER ? h->L : part == ENC ? h->L_enc : h->L_dec;
}

typedef struct {
    const Argument *argument;   /* such as W_q                            */
    Part part;
    int layer, head;
} Site;

static Site site_of(const Job *job, const Parameter *p)
{
    return (Site){ argument_of(job, p->symbol), p->part, p->layer,
                   p->head };
}

static Step step_at(const Site *site)
{
    return (Step){ .name = site->argument->name, .part = site->part,
                   .layer = site->layer, .head = site->head };
}

/* Is the k-th item of the sheet for this site? */
static bool is_at(const Job *job, int k, const Site *site)
{
    const Item *item = &job->run.sheet->item[k];
    if (job->argument[k] != site->argument)
        return false;
    int L = layers_of(&job->hyper, site->part);
    return (item->layer == site->layer || (item->layer == 0 && L == 1))
        && (item->head == site->head
            || (item->head == 0 && site->head == 1 && job->H == 1))
        && part_of(job, item) == site->part;
}

static const Item *item_at(const Job *job, const Site *site)
{
    const Sheet *sheet = job->run.sheet;
    const Item *found = NULL;
    for (int k = 0; k < sheet->n; k++)
        if (is_at(job, k, site)) {
            if (found != NULL)
                fault(job->f, sheet->item[k].at, "%s is the same as %s; "
                      "give one of them.", sheet->item[k].typed,
                      found->typed);
            found = &sheet->item[k];
        }
    return found;
}

static bool all_finite(Mat M, bool hidden)      /* or hidden */
{
    const size_t n = (size_t)M->rows * (size_t)M->cols;
    bool finite = true;
    for (size_t k = 0; k < n; k++)
        finite &= isfinite(M->at[k]) || (hidden && M->at[k] == -INFINITY);
    return finite;
}

static void check_finite(const Job *job, const Step *step)
{
    Mat M = step->M;
    bool hidden = step->role == ROLE_MASKED || step->role == ROLE_SCALED
               || (step->role == NO_ROLE && step->algorithm == 4
                   && step->line >= 5);     /* by a student's own name */
    if (all_finite(M, hidden))
        return;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (!isfinite(AT(M, i, j))
                && !(hidden && AT(M, i, j) == -INFINITY))
                fault(job->f, job->start->at, "in line %d of Algorithm "
                      "%d entry [%d, %d] of %s becomes too large for the "
                      "computer; the numbers of the sheet must be smaller.",
                      step->line, step->algorithm, i, j, step->name);
}

/* Only a variation can hide everything from a token. */
static void check_sight(const Job *job, const Step *step)
{
    Mat M = step->M;
    int tokens = step->turned ? M->rows : M->cols, blind = 0;
    for (int t = 1; t <= tokens; t++) {
        bool sees = false;
        for (int u = 1; !sees && u <= M->rows * M->cols / tokens; u++)
            sees = isfinite(step->turned ? AT(M, t, u) : AT(M, u, t));
        blind += !sees;
    }
    if (blind > 0)
        fault(job->f, job->start->at, "a token can look at nothing.");
}

static Mat copied_matrix(Job *job, Mat M, bool turn)
{
    Mat copy = constant(job->arena, turn ? M->cols : M->rows,
                        turn ? M->rows : M->cols);
    size_t n = (size_t)M->rows * (size_t)M->cols;
    if (turn)
        for (int j = 1; j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++)
                AT(copy, j, i) = AT(M, i, j);
    else
        memcpy(copy->at, M->at, n * sizeof *M->at);
    return copy;
}

static void check_root(const Job *job, const Step *step)
{
    bool model = job->run.algorithm >= 8;
    char where[30] = "the last";
    if (step->layer > 0)
        snprintf(where, sizeof where, "layer %d", step->layer);
    bool seen = job->run.n > 0 && step[-1].role == ROLE_MEAN;
    Mat v = step[0].M, m = seen ? step[-1].M : NULL;
    for (int t = 1; t <= v->rows * v->cols; t++) {
        int i = v->cols == 1 ? t : 1, j = v->cols == 1 ? 1 : t;
        double least = model && seen ? least_root(AT(m, i, j)) : 0;
        if ((real)sqrt(AT(v, i, j) + job->epsilon) > least)
            continue;
        if (model)
            fault(job->f, job->start->at, "in layer_norm (%s) token %d has "
                  "variance 0, and line 3 of Algorithm 6 would divide by "
                  "0; an epsilon, such as 'epsilon 1e-5', prevents that.",
                  where, t);
        const Item *e = find(job, "e", 0);
        fault(job->f, (e == NULL ? job->start : e)->at,
              "token %d has variance 0, and "
              "line 3 would divide by 0; an epsilon, such as 'epsilon "
              "1e-5', prevents that.", t);
    }
}

static void check_step(const Job *job, const Step *step)
{
    check_finite(job, step);
    if (step->role == ROLE_SCALED)
        check_sight(job, step);
    if (step->algorithm == 6 && step->line == 2)
        check_root(job, step);
}

static int time_of(const Job *job, Step *step)
{
    for (int k = job->run.n; step->head == 0 && k-- > 0; ) {
        const Step *before = &job->step[k];
        step->time = before->time;
        if (same_place(before, step))
            return before->time + 1;
        if (before->layer != step->layer || before->turn != step->turn)
            break;
    }
    return 1;
}

/* What is computed has a row in the table, and its name from there. */
static void know_row(Step *step)
{
    static const StepRow nobodys = { .symbol = "?", .columns = "?",
                                     .from = "" };
    step->row = row_named(step->algorithm, step->line, step->name);
    if (step->row == NULL)              /* a student's own name */
        step->row = &nobodys;
    else
        step->name = step->row->name;
    step->role = step->row->role;
}

static void add_step(Job *job, Step *step)
{
    bool own = step->algorithm == job->run.algorithm;
    step->inner |= job->run.algorithm >= 8 && !own;
    step->turn = job->turn;
    step->loop = job->run.algorithm < 14 ? 'n' : 'i';
    step->time = time_of(job, step);
    if (job->run.n == job->most) {
        size_t old = (size_t)job->most * sizeof *step;
        Step *more = arena_alloc(job->arena, 2 * old);
        job->step = memcpy(more, job->step, old);
        job->most *= 2;
    }
    job->step[job->run.n] = *step;
    job->run.step = job->step;
    check_step(job, &job->step[job->run.n]);
    job->run.n++;
}

static Mat what_if(const Job *job, const Step *step, Mat M)
{
    double by = job->run.divisor;
    bool weights = step->algorithm == 3 && step->role == ROLE_WEIGHTS;
    if ((job->run.scaled && by == 0) || job->S == NULL
        || (step->role != ROLE_SCALED && !weights))
        return M;
    Mat S = by > 0 ? scale(job->S, 1 / by) : job->S;
    return weights ? softmax(S) : S;
}

static void enter_line(Job *job, const char *line, int index)
{
    static const struct { const char *line; Part part; } loops[] = {
        { "8.4", ENC }, { "8.13", DEC }, { "9.4", LAYER },
        { "10.4", LAYER } };
    if (strcmp(line, "5.1") == 0)
        job->head = index;
    for (int k = 0; k < 4; k++)
        if (strcmp(line, loops[k].line) == 0) {
            job->part = loops[k].part;
            job->layer = index;
        }
}

static void leave(Job *job, const char *line)
{
    const Hyperparameters *h = &job->hyper;
    bool last = (strcmp(line, "8.8") == 0 && job->layer == h->L_enc)
             || (strcmp(line, "8.19") == 0 && job->layer == h->L_dec)
             || (strcmp(line, "9.8") == 0 && job->layer == h->L)
             || (strcmp(line, "10.8") == 0 && job->layer == h->L);
    if (strcmp(line, "8.15") == 0 || strcmp(line, "8.16") == 0)
        job->part = line[3] == '5' ? ED : DEC;
    if (last) {
        job->part = NOWHERE;
        job->layer = 0;
    }
}

static bool known_from(Job *job, const Step *step, bool mark);
static void see_step(Job *job, const Step *step, bool known, int item,
                     Mat M);

static void add_row(Job *job, Step step, int n, const int *number)
{
    Mat M = constant(job->arena, 1, n);
    for (int k = 1; k <= n; k++)
        AT(M, 1, k) = (real)number[k - 1];
    step.M = M;
    step.part = NOWHERE;
    step.layer = 0;
    know_row(&step);
    bool known = !job->late || known_from(job, &step, true);
    see_step(job, &step, known, -1, M);
    if (!known)
        return;
    job->last = step.row;
    add_step(job, &step);
}

/* "12.5": line 5 of Algorithm 12. */
static void set_line(Step *step, const char *line)
{
    step->algorithm = atoi(line);
    step->line = atoi(strchr(line, '.') + 1);
}

static void add_noted(Job *job)
{
    Step step = { .name = strcmp(job->row_line, "12.5") == 0 ? "xt"
                                                             : "Tt" };
    set_line(&step, job->row_line);
    add_row(job, step, job->in_row, job->row);
    job->in_row = 0;
}

static void note_index(Job *job, const char *line, int index)
{
    bool noted = strcmp(line, "12.5") == 0 || strcmp(line, "12.7") == 0;
    if (job->in_row > 0 && strcmp(line, job->row_line) != 0
        && strcmp(line, "12.4") != 0)
        add_noted(job);
    if (noted) {
        job->row[job->in_row++] = index;
        job->row_line = line;
    }
    if (strcmp(line, "14.2") == 0
        || (strcmp(line + 2, ".2") == 0 && job->data_n > 1))
        job->turn = index;
    if (strcmp(line, "15.6") == 0)
        job->turn++;            /* Algorithm 15 does not count its turns */
}

static Mat varied(const Job *job, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL ? M : v->computed(v->to, step, M);
}

static Mat carried(const Job *job, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL ? M : v->carried(v->to, step, M);
}

static bool is_update(const char *line)
{
    return strcmp(line, "11.6") == 0 || strcmp(line, "12.10") == 0
        || strcmp(line, "13.6") == 0;
}

static void descend_along(const Job *job, Mat M, Mat gradient)
{
    double eta = job_number(job, "eta", 1);
    struct Matrix old = *M;
    old.at = M->grad;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(M, i, j) += (real)eta
                         * (AT(&old, i, j) - AT(gradient, i, j));
}

static Mat add_aspect(Job *job, Step *step, Aspect aspect, Mat M)
{
    step->aspect = aspect;
    step->turn = job->turn;
    M = varied(job, step, M);
    step->M = copied_matrix(job, M, step->turned);
    add_step(job, step);
    return carried(job, step, M);
}

static void add_parameter(Job *job, const Step *seen, Mat M, int number)
{
    Site site = site_of(job, &job->theta->parameter[number]);
    struct Matrix gradient = *M;
    gradient.at = M->grad;
    Step step = step_at(&site);
    step.algorithm = seen->algorithm;
    step.line = seen->line;
    step.inner = item_at(job, &site) == NULL;
    step.turned = is_transposed(site.argument->kind, job->run.layout);
    if (job->in_row > 0)
        add_noted(job);
    Mat other = add_aspect(job, &step, GRADIENT, &gradient);
    if (other != &gradient)
        descend_along(job, M, other);
    other = add_aspect(job, &step, NEW, M);
    if (other != M)
        memcpy(M->at, other->at,
               (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
}

static int item_entered(const Job *job, const Step *step)   /* -1: none */
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; job->late && k < sheet->n; k++) {
        const Entered *e = &job->entered[k];
        if ((e->row == step->row || e->also == step->row)
            && e->aspect == VALUE && e->part == step->part
            && e->layer == step->layer && e->head == step->head
            && (step->turn == 0 || e->turn == step->turn)
            && step->time <= 1)
            return k;
    }
    return -1;
}

/* What flows through a model into a component: its X, Z or e. */
static bool flows(const Job *job, const Step *step, const char *name)
{
    return job->run.algorithm >= 8 && step->algorithm <= 7
        && step->algorithm != 5 && strlen(name) == 1
        && strchr("XZe", *name) != NULL;
}

/* The latest step that the name stands for in a step; NULL: none. */
static const Seen *source(const Job *job, const Step *step,
                          const char *name)
{
    bool flow = flows(job, step, name);
    bool context = flow && step->part == ED && *name == 'Z';
    for (const Seen *s = job->seen; s != NULL; s = s->before) {
        const StepRow *row = s->step.row;
        if (flow ? row->algorithm >= 8 && !row->derived
                   && (!context || *row->name == 'Z')
                 : strcmp(row->name, name) == 0)
            return s;
    }
    return NULL;
}

static bool use(Job *job, const Item *item)
{
    job->used[item - job->run.sheet->item] = true;
    return true;
}

static const Item *item_for(const Job *job, const Step *step,
                            const Argument *a)
{
    bool model = job->run.algorithm >= 8 && a->rows != NULL
              && a->kind != LIST;
    if (!model)
        return find(job, a->name, step->head);
    bool in_layer = of_layer(a->name);
    Site site = { a, in_layer ? step->part : NOWHERE,
                  in_layer ? step->layer : 0,
                  of_head(a->name) ? step->head : 0 };
    if (site.part == ED && !of_head(a->name) && a->name[2] != 'o')
        site.part = DEC;
    return item_at(job, &site);
}

static bool known_argument(Job *job, const Step *step, const char *name,
                           bool mark)
{
    if (strcmp(name, "W_u") == 0 && job->run.tied)
        name = "W_e";
    const Argument *a = argument_of(job, name);
    if (a == NULL)
        return true;
    const Item *item = item_for(job, step, a);
    if (item != NULL)
        return !mark || use(job, item);
    if (strcmp(name, "d_attn") == 0)
        return !job->run.scaled || job->run.divisor > 0 || job->stops
            || letter_size(&job->size, name) > 0;
    if (a->instead == NULL || *a->instead == '\0'
        || (strncmp(name, "W_mlp", 5) == 0 && !job->stops))
        return job->identity || (*name == 'u' && job->tau == 0);
    if (*a->instead == 'X')
        return known_argument(job, step, "X", mark);
    if (mark)
        assume_used(job, name, a->instead);
    return true;
}

/* A norm is not run where its result is given; nor, behind the last layer,
   where nothing reads it off. */
static bool is_idle(const Job *job, const Step *step, const Seen *from)
{
    Step norm = *step;
    norm.row = from->step.row + 1;
    norm.time = 1;
    return job->run.algorithm >= 8 && step->algorithm == 6
        && from->step.algorithm >= 8
        && (item_entered(job, &norm) >= 0
            || (step->part == NOWHERE && !job->run.tied
                && !any_given(job, "gamma beta W_u")));
}

static bool is_known_here(Job *job, const Step *step, const char *name,
                       bool mark)
{
    const Seen *s = source(job, step, name);
    if (s == NULL)
        return flows(job, step, name)
             ? false : known_argument(job, step, name, mark);
    bool known = s->known && !is_idle(job, step, s);
    for (const Seen *h = s; step->role == ROLE_HEADS && h != NULL
         && h->step.layer == step->layer; h = h->before)
        if (h->step.role == ROLE_HEAD && h->step.part == step->part) {
            known &= h->known;
            if (mark && h->item >= 0)
                job->used[h->item] = true;
        }
    if (mark && s->item >= 0)
        job->used[s->item] = true;
    return known;
}

static bool known_from(Job *job, const Step *step, bool mark)
{
    const char *p = step->row->from;
    bool known = true;
    for (size_t n; (n = strcspn(p, " ")) > 0; p += n + (p[n] == ' ')) {
        char name[20];
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        known &= is_known_here(job, step, name, mark);
    }
    return known;
}

static void see_step(Job *job, const Step *step, bool known, int item,
                     Mat M)
{
    Seen *seen = arena_alloc(job->arena, sizeof *seen);
    *seen = (Seen){ *step, known, item, M, job->seen };
    job->seen = seen;
}

static Mat only_a_shape(Mat M)
{
    Mat shape = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(shape, i, j) = (real)i;
    return shape;
}

static Mat number_constant(Job *job, double x)
{
    Mat M = constant(job->arena, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

static Mat positions_of(Job *job, const Item *x)
{
    int n = x == NULL ? 1 : x->rows * x->cols;
    Mat row = constant(job->arena, 1, n);
    for (int t = 1; t <= n; t++)
        AT(row, 1, t) = (real)t;
    return row;
}

/* What the sheet gives under a name, for a formula; NULL: nothing. */
static Mat given_value(Job *job, const Step *step, const char *name)
{
    const Theta *theta = job->running;
    for (int k = 0; k < job->givens; k++)
        if (strcmp(job->given[k].name, name) == 0
            && (job->given[k].head == 0
                || job->given[k].head == step->head))
            return job->given[k].M;
    for (int k = 1; theta != NULL && k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        bool here = p->part == step->part && p->layer == step->layer
                 && (p->head == 0 || p->head == step->head);
        if ((p->part == NOWHERE || here) && strcmp(p->symbol, name) == 0)
            return *p->place;
    }
    const Item *item = find(job, name, 0);
    if (strcmp(name, "scaling") == 0)
        return number_constant(job, !job->run.scaled ? 1
            : job->run.divisor > 0 ? job->run.divisor
            : sqrt(size_or_1(job, "d_attn")));
    if (strcmp(name, "positions") == 0)
        return positions_of(job, find(job, strcmp(step->row->wide, "ell_z")
                                           == 0 ? "z" : "x", 0));
    if (strcmp(name, "epsilon") == 0)
        return number_constant(job, job->epsilon);
    if (strcmp(name, "tau") == 0)
        return number_constant(job, job->tau);
    if (item == NULL)
        return letter_size(&job->size, name) == 0 ? NULL
             : number_constant(job, letter_size(&job->size, name));
    int n = item->rows * item->cols;
    Mat list = constant(job->arena, 1, n);
    for (int k = 0; k < n && item->word == NULL; k++)
        AT(list, 1, k + 1) = (real)item->entry[k].value;
    return list;
}

static Mat entered_alone(Job *job, const Step *step, int k)
{
    Mat given = job->entered[k].M;
    Mat copy = input(job->tape, given->rows, given->cols);
    copy_into(copy, given);
    return varied_given(job, *step, copy);
}

static Mat entered_matrix(Job *job, const Step *step, int k, Mat M)
{
    Mat given = job->entered[k].M;
    if (given->rows != M->rows || given->cols != M->cols)
        fault(job->f, job->run.sheet->item[k].at, "%s has another shape "
              "than here: %d x %d.", job->run.sheet->item[k].typed,
              job->run.layout->rows ? M->cols : M->rows,
              job->run.layout->rows ? M->rows : M->cols);
    Mat copy = entered_alone(job, step, k);
    const Item *mask = find(job, "mask", 0);
    if (step->role == ROLE_SCALED && mask != NULL && step->algorithm == 4) {
        copy = masked(copy, job->mask);
        use(job, mask);
    }
    return copy;
}

/* Where gradients are wanted, each known step stands behind a node of the
   tape that passes its gradient on, and tells it. */
typedef struct {
    struct Matrix key;          /* by which the node finds this           */
    Job *job;
    Step step;
} Watcher;

static void tell_gradient(Mat Y)
{
    const Watcher *w = (const Watcher *)Y->of[1];
    struct Matrix view = *Y;
    Step step = w->step;
    view.at = Y->grad;
    step.aspect = GRADIENT;
    step.role = NO_ROLE;        /* no slip of the way forth */
    step.given = false;
    Mat G = varied(w->job, &step, &view);
    step.M = copied_matrix(w->job, G, step.turned);
    add_step(w->job, &step);
    G = carried(w->job, &step, G);
    for (int k = 0; Y->of[0]->grad != NULL && k < Y->rows * Y->cols; k++)
        Y->of[0]->grad[k] += G->at[k];
}

static Mat behind_watcher(Job *job, const Step *step, Mat M)
{
    if (job->backwards == NULL)
        return M;
    Watcher *w = arena_alloc(job->arena, sizeof *w);
    *w = (Watcher){ .key = { .rows = 1, .cols = 1 }, .job = job,
                  .step = *step };
    const Mat of[] = { M, &w->key };
    Mat Y = computed_on(HERE("watched"), job->tape, M->rows, M->cols,
                        tell_gradient, 2, of);
    copy_into(Y, M);
    return Y;
}

/* q with only the most probable tokens, each column for itself. */
static Mat kept_tokens(Job *job, const Step *step)
{
    const Seen *s = source(job, step, "q");
    int k = whole(job, "top_k", 1, 1000000, "");
    double p = job_number(job, "top_p", 1);
    if (s == NULL || s->M == NULL || s->M->cols != 1)
        return NULL;
    if (!(p > 0 && p <= 1))
        fault(job->f, find(job, "top_p", 0)->at,
              "top_p must be above 0 and "
              "at most 1.");
    Mat q = find(job, "top_k", 0) == NULL ? s->M : top_k_of(s->M, k);
    return find(job, "top_p", 0) == NULL ? q : top_p_of(q, p);
}

static Mat derived(Job *job, const Step *step, Mat M);

static Mat told_step(Job *job, Step *step, Mat M)
{
    step->M = copied_matrix(job, M, step->turned);
    add_step(job, step);
    Mat Y = behind_watcher(job, step, M), Z = carried(job, step, Y);
    job->rederive |= step->row->derived && Z != Y;
    if (step->row == job->backwards)
        job->end = Z;
    return Z;
}

static Mat came_by(Job *job, Step *step, Mat M)
{
    int k = item_entered(job, step);
    bool known = !job->late || k >= 0 || known_from(job, step, false);
    if (!known) {
        M = only_a_shape(M);
    } else if (k >= 0) {
        step->given = true;
        M = told_step(job, step, entered_matrix(job, step, k, M));
    } else {
        if (job->late)
            known_from(job, step, true);
        if (job->rederive && step->row->formula != NULL)
            M = derived(job, step, M);
        if (job->late && job->line == 0)
            job->line = step->line;
        job->last = step->row;
        M = told_step(job, step, varied(job, step, M));
    }
    job->rederive = false;
    see_step(job, step, known, k, M);
    return M;
}

static Mat value_of_name(void *to, const char *name, int length)
{
    Job *job = to;
    const Step *step = job->deriving;
    char plain[20];
    snprintf(plain, sizeof plain, "%.*s", length, name);
    const Seen *s = source(job, step, plain);
    const StepRow *row = row_named(step->algorithm, step->line, plain);
    if (s != NULL && s->M != NULL)
        return s->M;
    if (row != NULL && row->derived) {
        Step inner = *step;
        inner.row = row;
        return derived(job, &inner, NULL);
    }
    return given_value(job, step, plain);
}

/* What a formula makes of a step; M where none can be made. */
static Mat derived(Job *job, const Step *step, Mat M)
{
    const Step *outer = job->deriving;
    Names names = { job, value_of_name, job->tape };
    job->deriving = step;
    Mat other = step->row->role == ROLE_KEPT ? kept_tokens(job, step)
              : step->row->role == ROLE_TABLE ? job->positions
              : formula_value(&names, step->row->formula);
    job->deriving = outer;
    return other == NULL ? M : other;
}

static void derive(Job *job, const Step *before, const StepRow *row)
{
    Step step = *before;
    step.row = row;
    step.name = row->name;
    step.role = row->role;
    int k = item_entered(job, &step);
    bool known = !job->late || k >= 0 || known_from(job, &step, false);
    bool wanted = job->wanted[row - step_table] || k >= 0;
    if (!known || !wanted) {
        if (job->late)
            see_step(job, &step, known, k, NULL);
        if (job->late && known)
            known_from(job, &step, true);
        return;
    }
    Mat M = k >= 0 ? entered_alone(job, &step, k)
                   : derived(job, &step, NULL);
    if (M == NULL)
        return;
    if (k < 0 && job->late)
        known_from(job, &step, true);
    if (k < 0 && job->late && job->line == 0)
        job->line = step.line;
    if (k < 0)
        job->last = row;
    Mat made = k >= 0 ? M : varied(job, &step, M);
    step.given = k >= 0;
    job->rederive |= made != M || k >= 0;
    made = told_step(job, &step, made);
    see_step(job, &step, true, k, made);
}

static bool in_line(const StepRow *row, const StepRow *other)
{
    return row >= step_table && row < step_table + step_rows
        && row->algorithm == other->algorithm && row->line == other->line;
}

static void derive_before(Job *job, const Step *step)
{
    const StepRow *row = step->row, *first = row;
    while (job->derives && in_line(first - 1, row) && first[-1].derived)
        first--;
    for (; first < row; first++)
        derive(job, step, first);
}

static void derive_after(Job *job, const Step *step)
{
    const StepRow *row = step->row, *last = row;
    while (job->derives && in_line(last + 1, row) && last[1].derived)
        last++;
    if (in_line(last + 1, row))         /* they lead to another step */
        return;
    for (row++; row <= last; row++)
        derive(job, step, row);
}

static const StepRow *user_of(int algorithm, const char *name)
{
    const StepRow *row = step_table;
    while (row < step_table + step_rows
           && !(comes_by(algorithm, row)
                && word_in(row->from, name, strlen(name))))
        row++;
    return row < step_table + step_rows ? row : NULL;
}

static void tell_gradients(Job *job)
{
    for (int k = 0; k < job->givens; k++) {
        const GivenMatrix *g = &job->given[k];
        const Argument *a = argument_of(job, g->name);
        const StepRow *user = user_of(job->run.algorithm, g->name);
        const Item *item = find(job, g->name, g->head);
        if (item == NULL || a->kind == MASK || user == NULL
            || (job->late && !job->used[item - job->run.sheet->item]))
            continue;
        Step step = { .algorithm = user->algorithm, .line = user->line,
                      .name = g->name, .head = g->head,
                      .aspect = GRADIENT,
                      .turned = is_transposed(a->kind, job->run.layout) };
        struct Matrix view = *g->M;
        view.at = g->M->grad;
        add_aspect(job, &step, GRADIENT, &view);
    }
}

static void way_back(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int k = 0;
    while (k < sheet->n && job->entered[k].aspect != GRADIENT)
        k++;
    if (job->end == NULL)
        fault(job->f, job->start->at, "there is no way back from %s: it is "
              "not computed.", job->backwards->name);
    backward(k == sheet->n ? job->end
                           : sum(hadamard(job->end, job->entered[k].M)));
    tell_gradients(job);
}

static Mat collect(void *to, const char *line, const char *name, Mat M,
                   int index)
{
    Job *job = to;
    Step step = { .name = name, .part = job->part, .layer = job->layer };
    bool of_head = strcmp(name, "Y_h") == 0;
    set_line(&step, line);
    if (M == NULL) {
        enter_line(job, line, index);
        note_index(job, line, index);
        return NULL;
    }
    if (is_update(line)) {
        add_parameter(job, &step, M, index);
        return M;
    }
    if (of_head)
        step.name = "Y";
    know_row(&step);
    if (step.algorithm == 4 || of_head)
        step.head = job->head;
    step.turn = job->turn;
    step.turned = job->run.layout->rows;
    step.time = time_of(job, &step);
    derive_before(job, &step);
    M = came_by(job, &step, what_if(job, &step, M));
    leave(job, line);
    if (step.role == ROLE_MASKED || step.role == ROLE_SCORES)
        job->S = M;
    if (step.role == ROLE_TEMPERED)
        job->q = M;
    derive_after(job, &step);
    return M;
}

enum { STEP_ENTRIES = 2000000 };        /* of all steps of a run together */

static void limit(const Job *job, double entries)
{
    if (entries > STEP_ENTRIES)
        fault(job->f, job->start->at, "the steps would have more than "
              "two million entries.");
}

static void returned(Job *job, Mat M)
{
    if (job->late && !job->seen->known)
        return;
    job->run.result = copied_matrix(job, M, false);
}

/* Sets the tape for theta, and looks on. */
static void look_on(Job *job, const Theta *theta)
{
    prepare_tape(job->arena, job->tape, theta);
    observe(job->tape, collect, job);
}

static void run_embed(Job *job)
{
    Mat W_e = given(job, "W_e", 0);
    need(job, "v", 0);
    int v = whole(job, "v", 1, W_e->cols, job->run.layout->rows
                  ? ", a row of W_e for each token"
                  : ", a column of W_e for each token");
    if (!binding(job))
        returned(job, embed(job->tape, W_e, v));
}

/* t, or, counted from 0, pos. */
static int given_position(const Job *job, int most, const char *range)
{
    const Item *pos = find(job, "pos", 0);
    if (pos == NULL)
        return need(job, "t", 0), whole(job, "t", 1, most, range);
    double x = job_number(job, "pos", 0);
    if (find(job, "t", 0) != NULL)
        fault(job->f, pos->at, "t is pos + 1; leave out one of them.");
    if (x != floor(x) || x < 0 || x >= most)
        fault(job->f, pos->at, "pos is %g; it must be one of 0 ... %d.", x,
              most - 1);
    return (int)x + 1;
}

static Mat computed_positions(Job *job, int variant)
{
    enum { MOST = 1000000 };
    bool paper = variant == 1;
    need(job, "d_e", 0);
    int t = given_position(job, MOST, "");
    if (paper && find(job, "base", 0) == NULL)
        need(job, "ell_max", 0);
    int d_e = whole(job, "d_e", 2, MOST, "");
    int ell_max = whole(job, "ell_max", t, MOST, "");
    double base = job_number(job, "base", paper ? ell_max : 10000);
    double first = job_number(job, "first", paper ? 1 : 0);
    if (d_e % 2 != 0)
        fault(job->f, find(job, "d_e", 0)->at, "d_e is odd, but each "
              "pair of entries is a sine and a cosine.");
    if (base <= 0)
        fault(job->f, find(job, "base", 0)->at, "the base must be "
              "positive.");
    limit(job, (double)d_e * ell_max);
    return sinusoids(job->arena, d_e, ell_max,
                     paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI,
                     base, first);
}

static void assume_positions(Job *job, int variant)
{
    if (find(job, "base", 0) == NULL)
        assume(job, "base", 0, variant == 1 ? "ell_max" : "10000");
    if (find(job, "first", 0) == NULL)
        assume(job, "first", 0, variant == 1 ? "1" : "0");
}

static void run_posembed(Job *job)
{
    static const char *const only[] = { "d_e", "ell_max", "base", "first" };
    int variant = choice(job, "positions", "paper vaswani");
    const Item *W_p = find(job, "W_p", 0);
    if (variant != 0 && W_p != NULL)
        fault(job->f, W_p->at, "the positions are computed; leave out "
              "either W_p or 'positions'.");
    for (int k = 0; k < 4 && variant == 0; k++)
        if (find(job, only[k], 0) != NULL)
            fault(job->f, find(job, only[k], 0)->at, "%s goes with "
                  "'positions paper' or 'positions vaswani'.", only[k]);
    Mat W = variant == 0 ? given(job, "W_p", 0)
                         : computed_positions(job, variant);
    if (variant != 0)
        assume_positions(job, variant);
    job->positions = variant == 0 ? NULL : W;
    if (find(job, "e", 0) != NULL)
        given(job, "e", 0);
    int t = given_position(job, W->cols, ", the positions");
    if (!binding(job))
        returned(job, posembed(job->tape, W, t));
}

static W_qkv given_head(Job *job, int h)
{
    W_qkv w;
    w.W_q = given(job, "W_q", h), w.b_q = given(job, "b_q", h);
    w.W_k = given(job, "W_k", h), w.b_k = given(job, "b_k", h);
    w.W_v = given(job, "W_v", h), w.b_v = given(job, "b_v", h);
    return w;
}

static void run_attention1(Job *job)
{
    Mat e = given(job, "e", 0), e_t = given(job, "e_t", 0);
    W_qkv w = given_head(job, 0);
    if (!binding(job))
        returned(job, attention1(e, e_t, &w));
}

static Mat given_context(Job *job, Mat X)
{
    bool nothing = job->late && find(job, "X", 0) == NULL;
    if (find(job, "Z", 0) != NULL || nothing)
        return given(job, "Z", 0);
    assume(job, "Z", 0, "X");
    return X;
}

static void exchange(const Job *job, Mat *X, Mat *Z)
{
    Mat other = *X;
    const Item *mask = find(job, "mask", 0);
    bool any_mask = mask == NULL || mask->word != NULL;
    if (job->variation == NULL || !job->variation->exchanged
        || (*X)->rows != (*Z)->rows
        || (!any_mask && (*X)->cols != (*Z)->cols))
        return;
    *X = *Z;
    *Z = other;
}

static void run_attention(Job *job)
{
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    W_qkv w = given_head(job, 0);
    Mask mask = job->mask = given_mask(job);
    if (!binding(job))
        returned(job, attention(X, Z, &w, mask));
}

static void run_mhattention(Job *job)
{
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    size_t heads = (size_t)job->H + 1;
    W_qkv *head = arena_alloc(job->arena, heads * sizeof *head);
    for (int h = 1; h <= job->H; h++)
        head[h] = given_head(job, h);
    Mat W_o = given(job, "W_o", 0), b_o = given(job, "b_o", 0);
    W_multi w = { job->H, head, W_o, b_o };
    Mask mask = job->mask = given_mask(job);
    if (!binding(job))
        returned(job, mhattention(X, Z, &w, mask));
}

static void run_layer_norm(Job *job)
{
    bool rms = job->run.rms;
    const Item *beta = find(job, "beta", 0), *e_ = need(job, "e", 0);
    Mat e = given(job, "e", 0), gamma = given(job, "gamma", 0);
    job->epsilon = job_number(job, "epsilon", 0);
    if (find(job, "epsilon", 0) == NULL)
        assume(job, "epsilon", 0, "0");
    if (job->epsilon < 0)
        fault(job->f, find(job, "epsilon", 0)->at, "epsilon must not be "
              "negative.");
    if (!binding(job))
        look_on(job, &(Theta){ .hyper = { .epsilon = job->epsilon,
                                          .rms = rms } });
    if (rms && beta != NULL)
        fault(job->f, beta->at, "RMSnorm has no beta.");
    for (int j = 1; j <= e->cols && job->epsilon == 0 && !job->late; j++) {
        bool equal = true;
        for (int i = 1; i <= e->rows; i++)
            equal &= AT(e, i, j) == (rms ? 0 : AT(e, 1, j));
        if (equal)
            fault(job->f, e_->at, "the entries of token %d are all %s, so "
                  "line 3 would divide by 0; an epsilon, such as 'epsilon "
                  "1e-5', prevents that.", j, rms ? "0" : "equal");
    }
    Mat bias = rms ? NULL : given(job, "beta", 0);
    if (!binding(job))
        returned(job, layer_norm(e, gamma, bias));
}

static void run_unembed(Job *job)
{
    bool tied = job->run.tied;
    const Item *other = find(job, tied ? "W_u" : "W_e", 0);
    if (other != NULL && tied)
        fault(job->f, other->at, "with 'tied yes' W_u is %s; leave it out.",
              as_W_u(job->run.layout));
    if (other != NULL)
        fault(job->f, other->at, "W_e is used only with 'tied yes'.");
    Mat e = given(job, "e", 0), W = given(job, tied ? "W_e" : "W_u", 0);
    if (tied)
        assume(job, "W_u", 0, as_W_u(job->run.layout));
    job->tau = job_number(job, "tau", 1);
    W = tied ? transpose_of(job->arena, W) : W;
    if (!binding(job))
        returned(job, unembed(e, W));
}

static int given_layers(Job *job, Part part, const char *name)
{
    enum { MOST = 100 };
    const Sheet *sheet = job->run.sheet;
    int least = 0;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        bool step = job->entered[k].row != NULL;
        Part of = step ? job->entered[k].part : part_of(job, item);
        int l = item->layer > 0 ? item->layer : 1;
        if (!item->claim && l > least
            && (of == part || (of == ED && part == DEC)))
            least = l;
    }
    double L = job_number(job, name, least);
    if (least > MOST)
        fault(job->f, job->start->at, "a model has at most %d layers.",
              MOST);
    if (L != floor(L) || L < least || L > MOST)
        fault(job->f, find(job, name, 0)->at, "%s is %g; it must be one "
              "of %d ... %d.", name, L, least, MOST);
    if (find(job, name, 0) == NULL)
        assume_number(job, name, least);
    return (int)L;
}

static int given_heads(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int H = job->H;
    for (int k = 0; k < sheet->n; k++)
        if (!sheet->item[k].claim && of_head(sheet->item[k].name)
            && sheet->item[k].head > H)
            H = sheet->item[k].head;
    return H;
}

static int longest(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int most = 1;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim && strlen(item->name) == 1
            && strchr("xz", item->name[0]) != NULL
            && item->rows * item->cols > most)
            most = item->rows * item->cols;
    }
    for (int k = 0; k < 2; k++)
        if (letter_size(&job->size, k == 0 ? "ell_x" : "ell_z") > most)
            most = letter_size(&job->size, k == 0 ? "ell_x" : "ell_z");
    if (job->run.algorithm == 14)
        return most + job->ell_gen - 1;
    return most > job->ell_gen ? most : job->ell_gen;
}

static void given_positions(Job *job, Hyperparameters *h)
{
    static const char words[] = "none paper vaswani";
    const Item *W_p = find(job, "W_p", 0), *most = find(job, "ell_max", 0);
    int word = choice(job, "positions", words);
    if (W_p != NULL && (word != 0 || most != NULL))
        fault(job->f, (word != 0 ? find(job, "positions", 0) : most)->at,
              "W_p has the positions; leave out %s.",
              word != 0 ? "'positions'" : "ell_max");
    if (word >= 2)
        need(job, "ell_max", 0);
    if (W_p == NULL && word == 0)
        assume(job, "positions", 0, "none");
    h->positions = W_p != NULL ? LEARNED : word == 2 ? PAPER_SINES
                 : word == 3 ? VASWANI_SINES : NO_POSITIONS;
    job->run.unplaced = h->positions == NO_POSITIONS;
    h->ell_max = W_p != NULL ? letter_size(&job->size, "ell_max")
               : whole(job, "ell_max", longest(job), 1000000, "");
    if (word >= 2)
        limit(job, (double)h->d_e * h->ell_max);
}

static void given_hyperparameters(Job *job)
{
    Hyperparameters *h = &job->hyper;
    *h = (Hyperparameters){
        .architecture = architecture(job), .H = job->H,
        .N_V = size_or_1(job, "N_V"),
        .d_e = size_or_1(job, "d_e"),
        .d_mlp = size_or_1(job, "d_mlp"),
        .d_f = letter_size(&job->size, "d_f"),
        .d_attn = size_or_1(job, "d_attn"),
        .d_mid = size_or_1(job, "d_mid"), .tied = job->run.tied,
        .epsilon = job_number(job, "epsilon", 0) };
    if (h->architecture == ED_TRANSFORMER) {
        h->L_enc = given_layers(job, ENC, "L_enc");
        h->L_dec = given_layers(job, DEC, "L_dec");
    } else
        h->L = given_layers(job, LAYER, "L");
    given_positions(job, h);
    if (find(job, "epsilon", 0) == NULL)
        assume(job, "epsilon", 0, "0");
    job->epsilon = h->epsilon;
    if (h->epsilon < 0)
        fault(job->f, find(job, "epsilon", 0)->at, "epsilon must not be "
              "negative.");
    const char *wrong = hyperparameters_fault(h);
    if (wrong != NULL)
        fault(job->f, job->start->at, "%s", wrong);
}

_Noreturn static void refuse_place(const Job *job, const Theta *theta,
                                   const Item *item)
{
    char list[700] = "";
    Part part = part_of(job, item);
    if (of_layer(item->name) && part == NOWHERE)
        fault(job->f, item->at, "%s: of which attention? Write enc1.%s, "
              "dec1.%s or, of the cross-attention, ed1.%s.", item->typed,
              item->name, item->name, item->name);
    if (of_layer(item->name) && item->layer == 0 && item->head <= job->H
        && part != NOWHERE && layers_of(&job->hyper, part) > 1)
        fault(job->f, item->at, "%s: of which layer? There are %d; a name "
              "such as layer1.X, enc1.X or dec1.X tells.", item->typed,
              layers_of(&job->hyper, part));
    for (int k = 1; k <= theta->n; k++) {
        Site site = site_of(job, &theta->parameter[k]);
        Step step = step_at(&site);
        size_t n = strlen(list), left = sizeof list - n;
        if (left < 60 || site.layer > 1 || site.head > 1)
            continue;
        n += (size_t)snprintf(list + n, left, n > 0 ? ", " : "");
        step_name(list + n, sizeof list - n, &step);
    }
    fault(job->f, item->at, "this model has no %s; it has %s.",
          item->typed, list);
}

static void check_places(const Job *job, const Theta *theta)
{
    const Sheet *sheet = job->run.sheet;
    size_t sites = (size_t)theta->n + 1;
    Site *site = arena_alloc(job->arena, sites * sizeof *site);
    for (int k = 1; k <= theta->n; k++)
        site[k] = site_of(job, &theta->parameter[k]);
    for (int i = 0; i < sheet->n; i++) {
        const Item *item = &sheet->item[i];
        bool found = item->claim || item->word != NULL
                  || job->argument[i] == NULL
                  || job->argument[i]->kind == LIST
                  || job->argument[i]->rows == NULL;
        for (int k = 1; k <= theta->n && !found; k++)
            found = is_at(job, i, &site[k]);
        if (!found)
            refuse_place(job, theta, item);
    }
}

static void check_pair(const Job *job, const Item *given, Part part,
                       int layer)
{
    static const char *const pairs[][2] = { { "W_v", "W_o" },
        { "W_mlp1", "W_mlp2" }, { "W_mlp3", "W_mlp4" } };
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; k < 6; k++) {
        const char *other = pairs[k / 2][1 - k % 2];
        bool found = strcmp(given->name, pairs[k / 2][k % 2]) != 0;
        for (int i = 0; i < sheet->n && !found; i++) {
            const Item *item = &sheet->item[i];
            found = !item->claim && strcmp(item->name, other) == 0
                 && part_of(job, item) == part
                 && (item->layer == 0 ? 1 : item->layer) == layer;
        }
        if (!found)
            fault(job->f, given->at, "%s is given, but not the %s that "
                  "goes with it.", given->typed, other);
    }
}

static void assume_parameter(Job *job, const Site *site)
{
    const Sheet *sheet = job->run.sheet;
    bool others = false;
    char name[60], told[80];
    for (int k = 0; k < sheet->n; k++)
        others |= job->argument[k] == site->argument;
    if (job->late)
        return;
    Step step = step_at(site);
    if (!others)
        step = (Step){ .name = step.name };
    step_name(name, sizeof name, &step);
    snprintf(told, sizeof told, "%s = %s", name, site->argument->instead);
    if (strstr(job->assumed, told) == NULL)
        assume(job, name, 0, site->argument->instead);
}

static void fill_parameter(Job *job, const Parameter *parameter)
{
    Site site = site_of(job, parameter);
    const Item *item = item_at(job, &site);
    if (item == NULL)
        assume_parameter(job, &site);
    else if (!job->late)
        check_pair(job, item, site.part, site.layer);
    fill(job, *parameter->place, site.argument, item);
}

static bool trains(const Job *job)
{
    return 11 <= job->run.algorithm && job->run.algorithm <= 13;
}

static Theta *theta_to_run(Job *job)
{
    const Theta *model = job->model;
    Theta *theta = theta_new(job->arena, &job->hyper);
    theta_allocate(theta, job->arena);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        Step place = { .name = p->symbol, .part = p->part,
                       .layer = p->layer, .head = p->head };
        copy_into(*p->place, *model->parameter[k].place);
        copy_into(*p->place, varied_given(job, place, *p->place));
    }
    if (job->hyper.positions != LEARNED && !job->run.unplaced)
        theta->W_p = varied_given(job, (Step){ .name = "W_p" }, theta->W_p);
    look_on(job, theta);
    return job->running = theta;
}

static int attention_layers(const Hyperparameters *h)     /* of attention */
{
    return h->L + h->L_enc + 2 * h->L_dec;
}

static int given_sequences(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int most = 1;
    for (int k = 0; k < sheet->n; k++)
        if (!sheet->item[k].claim && strlen(sheet->item[k].name) == 1
            && sheet->item[k].head > most)
            most = sheet->item[k].head;
    return most;
}

/* How often the model is run. */
static int given_turns(const Job *job)
{
    return trains(job) ? given_sequences(job)
         : job->ell_gen > 0 ? job->ell_gen : 1;
}

/* The rows know how large their steps are. */
static void limit_steps(const Job *job, int turns)
{
    bool model = job->run.algorithm >= 8;
    int layers = attention_layers(&job->hyper);
    double entries = trains(job) ? 3.0 * (double)theta_count(job->model)
        : 0;
    for (const StepRow *row = step_table; row < step_table + step_rows;
         row++) {
        const char *const letters[] = { row->high, row->wide };
        bool in_layer = model && (row->algorithm < 7
                                  || part_of_row(row) != NOWHERE);
        double n = (in_heads(job, row) ? job->H : 1)
                 * (model && row->algorithm == 6 ? 2 * layers + 1
                    : in_layer ? layers : 1);
        if (row->derived || !comes_by(job->run.algorithm, row))
            continue;
        for (int k = 0; k < 2; k++)
            n *= model && strncmp(letters[k], "ell", 3) == 0 ? longest(job)
               : size_or_1(job, letter_of(job, row, letters[k], NOWHERE));
        entries += n;
    }
    limit(job, turns * entries);
}

static void limit_all_heads(const Job *job)
{
    enum { MOST = 1000 };
    if (attention_layers(&job->hyper) * job->hyper.H > MOST)
        fault(job->f, job->start->at, "a model has at most %d heads in all "
              "of its layers.", MOST);
}

static Theta *given_theta(Job *job)
{
    if (!binding(job))
        return theta_to_run(job);
    const Item *tied = find(job, "W_u", 0);
    given_hyperparameters(job);
    if (job->run.tied && tied != NULL)
        fault(job->f, tied->at, "with 'tied yes' W_u is %s; leave it out.",
              as_W_u(job->run.layout));
    if (job->run.tied)
        assume(job, "W_u", 0, as_W_u(job->run.layout));
    else
        need(job, "W_u", 0);
    limit_all_heads(job);
    Theta *theta = job->model = theta_new(job->arena, &job->hyper);
    job->hyper = theta->hyper;
    limit(job, (double)theta_count(theta));
    limit_steps(job, given_turns(job));
    check_places(job, theta);
    theta_allocate(theta, job->arena);
    for (int k = 1; k <= theta->n; k++)
        fill_parameter(job, &theta->parameter[k]);
    return theta;
}

static Tokens given_tokens(const Job *job, const char *name, int number)
{
    const Hyperparameters *h = &job->hyper;
    const Item *item = need(job, name, number);
    int length = item != NULL ? item->rows * item->cols
               : size_or_1(job, *name == 'z' ? "ell_z" : "ell_x");
    int *id = arena_alloc(job->arena, (size_t)length * sizeof *id);
    if (item == NULL && length > h->ell_max)
        fault(job->f, job->start->at, "there are %d tokens; ell_max is %d.",
              length, h->ell_max);
    for (int t = 0; t < length && item == NULL; t++)
        id[t] = 1;              /* it stands behind what is given */
    if (item == NULL)
        return (Tokens){ length, id };
    if (length > h->ell_max)
        fault(job->f, item->at, "%s has %d tokens; ell_max is %d.",
              item->typed, length, h->ell_max);
    for (int t = 0; t < length; t++) {
        double v =
            entry_value(job, job->argument[item - job->run.sheet->item],
                               item, t);
        if (v != floor(v) || v < 1 || v > h->N_V)
            fault(job->f, item->entry[t].at, "a token is one of 1 ... %d.",
                  h->N_V);
        id[t] = (int)v;
    }
    return (Tokens){ length, id };
}

static void run_model(Job *job)
{
    Theta *theta = given_theta(job);
    Architecture of = architecture(job);
    Tokens z = no_tokens;
    if (of == ED_TRANSFORMER)
        z = given_tokens(job, "z", 0);
    Tokens x = given_tokens(job, "x", 0);
    if (!binding(job))
        returned(job, of == ED_TRANSFORMER
                 ? edtransformer(job->tape, z, x, theta)
                 : of == E_TRANSFORMER ? etransformer(job->tape, x, theta)
                                       : dtransformer(job->tape, x, theta));
}

static Data given_data(Job *job)
{
    bool pairs = architecture(job) == ED_TRANSFORMER;
    int N_data = given_sequences(job);
    size_t room = (size_t)N_data + 1;
    Tokens *x = arena_alloc(job->arena, room * sizeof *x),
           *z = arena_alloc(job->arena, room * sizeof *z);
    for (int n = 1; n <= N_data; n++) {
        x[n] = given_tokens(job, "x", n);
        if (pairs)
            z[n] = given_tokens(job, "z", n);
    }
    job->data_n = N_data;
    return (Data){ .N_data = N_data, .x = x, .z = pairs ? z : NULL };
}

static const double *given_chances(const Job *job, int least,
                                   const char *because)
{
    const Item *item = need(job, "u", 0);
    int n = item == NULL ? least : item->rows * item->cols;
    double *u = arena_alloc(job->arena, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) {
        u[k] = item == NULL ? 0 : item->entry[k].value;
        if (!(u[k] >= 0 && u[k] < 1))
            fault(job->f, item->entry[k].at, "a uniform number is at least "
                  "0 and below 1.");
    }
    if (n < least)
        fault(job->f, item->at, "u has %d number%s; %s.", n,
              n == 1 ? "" : "s", because);
    return u;
}

static Training given_training(Job *job)
{
    Training how = { .N_epochs = 1, .eta = job_number(job, "eta", 1) };
    assume(job, "N_epochs", 0, "1");
    if (!(how.eta > 0))
        fault(job->f, need(job, "eta", 0)->at, "eta must be positive.");
    if (job->run.algorithm != 12)
        return how;
    how.p_mask = job_number(job, "p_mask", 1);
    if (!(how.p_mask > 0 && how.p_mask < 1))
        fault(job->f, need(job, "p_mask", 0)->at, "p_mask must be above 0 "
              "and below 1.");
    job->u = given_chances(job, longest(job), "each token needs one");
    if (job->hyper.N_V < 3)
        fault(job->f, need(job, "W_e", 0)->at, "N_V must be at least 3: "
              "mask_token is N_V - 2.");
    job->row = arena_alloc(job->arena,
                           (size_t)longest(job) * sizeof *job->row);
    return how;
}

/* Each sequence has the numbers of the sheet, from the first on. */
static double number_of_token(void *from)
{
    Job *job = from;
    const Data *on = job->data;
    if (job->drawn == on->x[job->sequence].length
        && job->sequence < on->N_data) {
        job->sequence++;
        job->drawn = 0;
    }
    return job->u[job->drawn++ % longest(job)];
}

static void train_on(Job *job, const Data *on)
{
    Theta *theta = job->theta;
    const Training *how = &job->how;
    Random random = random_from(number_of_token, job);
    job->data = on;
    job->sequence = 1;
    if (job->run.algorithm == 11)
        edtraining(job->tape, on->N_data, on->z, on->x, theta, 1, how->eta);
    else if (job->run.algorithm == 12)
        etraining(job->tape, on->N_data, on->x, theta, 1, how->eta,
                  how->p_mask, &random);
    else
        dtraining(job->tape, on->N_data, on->x, theta, 1, how->eta);
}

static Mat all_of(const Job *job, const Theta *theta)
{
    Mat all = constant(job->arena, (int)theta_count(theta), 1);
    int n = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (int e = 0; e < M->rows * M->cols; e++)
            AT(all, ++n, 1) = M->at[e];
    }
    return all;
}

static void run_training(Job *job)
{
    Theta *theta = given_theta(job);
    Data data = given_data(job);
    job->how = given_training(job);
    if (binding(job))
        return;
    job->theta = theta;
    Mat before = all_of(job, theta);
    train_on(job, &data);
    Mat change = all_of(job, theta);
    for (int i = 1; i <= change->rows; i++)
        AT(change, i, 1) -= AT(before, i, 1);
    returned(job, change);
}

static double given_tau(Job *job)
{
    const Item *item = find(job, "tau", 0);
    if (item == NULL) {
        assume(job, "tau", 0, "1");
        return 1;
    }
    if (item->rows * item->cols != 1 || !(item->entry->value >= 0))
        fault(job->f, item->at, "tau must be one number, 0 or more.");
    return item->entry->value;
}

static double number_that_draws(Mat q, double y, double instead)
{
    if (!(y >= 1 && y <= q->rows))
        return instead;
    double below = 0;
    for (int v = 1; v < (int)y; v++)
        below += AT(q, v, 1);
    double u = below + AT(q, (int)y, 1) / 2;
    bool draws = 0 <= u && u < 1 && sample(q, u) == (int)y
              && sample(q, instead) != (int)y;
    return draws ? u : instead;
}

static double next_chance(void *from)
{
    Job *job = from;
    double u = job->chances->u[job->chances->used++];
    if (job->q == NULL || job->q->cols != 1)
        return u;                       /* q was not shown */
    Step step = { .algorithm = job->run.algorithm, .name = "y",
                  .line = job->run.algorithm == 14 ? 5 : 6,
                  .turn = job->turn, .time = 1,
                  .turned = job->run.layout->rows };
    know_row(&step);
    derive_before(job, &step);
    step.turned = false;
    Mat Y = input(job->tape, 1, 1);
    AT(Y, 1, 1) = (real)sample(job->q, u);
    Y = varied(job, &step, Y);
    int y = (int)AT(Y, 1, 1);
    add_row(job, step, 1, &y);
    step.M = Y;
    Y = carried(job, &step, Y);
    return number_that_draws(job->q, AT(Y, 1, 1), u);
}

static Random given_numbers(Job *job, double tau, NumberList *list)
{
    const Item *u = find(job, "u", 0);
    int n = u == NULL ? 1 : u->rows * u->cols;
    job->ell_gen = whole(job, "ell_gen", n, 10000, "");
    size_t bytes = (size_t)job->ell_gen * sizeof(double);
    *list = (NumberList){ .n = job->ell_gen };
    if (u != NULL || tau > 0)
        list->u = given_chances(job, job->ell_gen, "each token that is "
                                "drawn needs one");
    else
        list->u = memset(arena_alloc(job->arena, bytes), 0, bytes);
    job->chances = list;
    return random_from(next_chance, job);
}

static void check_room(const Job *job, int length)
{
    if (length > job->hyper.ell_max)
        fault(job->f, job->start->at, "the model would read %d tokens; "
              "ell_max is %d.", length, job->hyper.ell_max);
}

static void run_dinference(Job *job)
{
    NumberList list;
    double tau = job->tau = given_tau(job);
    Random random = given_numbers(job, tau, &list);
    Theta *theta = given_theta(job);
    Tokens x = given_tokens(job, "x", 0);
    check_room(job, x.length + job->ell_gen - 1);
    if (binding(job))
        return;
    Tokens y = dinference(job->tape, x, theta, job->ell_gen, tau, &random);
    job->turn = 0;
    add_row(job, (Step){ .algorithm = 14, .line = 8, .name = "y" },
            y.length, y.id);
    returned(job, job->step[job->run.n - 1].M);
}

static void run_edinference(Job *job)
{
    NumberList list;
    double tau = job->tau = given_tau(job);
    Random random = given_numbers(job, tau, &list);
    Theta *theta = given_theta(job);
    Tokens z = given_tokens(job, "z", 0);
    if (theta->hyper.N_V < 2)
        fault(job->f, need(job, "W_e", 0)->at, "N_V must be at least 2: "
              "bos_token is N_V - 1.");
    check_room(job, job->ell_gen);
    if (binding(job))
        return;
    job->turn = 1;
    Tokens x = edinference(job->tape, z, theta, job->ell_gen, tau, &random);
    job->turn = 0;
    add_row(job, (Step){ .algorithm = 15, .line = 9, .name = "x_hat" },
            x.length, x.id);
    returned(job, job->step[job->run.n - 1].M);
}

static void (*const algorithms[])(Job *job) = {
    NULL, run_embed, run_posembed, run_attention1, run_attention,
    run_mhattention, run_layer_norm, run_unembed,
    run_model, run_model, run_model,
    run_training, run_training, run_training,
    run_dinference, run_edinference
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms - 1 };
static int which_algorithm(Job *job)
{
    const Item *start = job->start = find(job, "algorithm", 0);
    if (start == NULL)
        fault(job->f, 0, "the sheet does not say which algorithm; begin "
              "with a line such as 'algorithm 4'.");
    double n = job_number(job, "algorithm", 0);
    if (n != floor(n) || n < 1 || n > ALGORITHMS)
        fault(job->f, start->at, "there is no sheet for Algorithm %g; "
              "the algorithms are 1 ... %d.", n, ALGORITHMS);
    return (int)n;
}

static void read_settings(Job *job)
{
    const Item *decimals = find(job, "decimals", 0);
    int layout = choice(job, "layout", "paper textbook torch berkeley");
    if (job->run.layout == NULL && layout > 0)
        job->run.layout = &layouts[layout - 1];
    double n = job_number(job, "decimals", -1);
    if (decimals != NULL && (n != floor(n) || n < 0 || n > 15))
        fault(job->f, decimals->at, "decimals must be one of 0 ... 15.");
    job->run.decimals = (int)n;
    const Item *scale = find(job, "scale", 0);
    bool number = scale != NULL && scale->word == NULL;
    double by = number ? job_number(job, "scale", 1) : 0;
    if (number && !(by > 0))
        fault(job->f, scale->at, "scale is no, yes, or a number above 0: "
              "what the scores are divided by, or, below 1, multiplied "
              "by.");
    job->run.divisor = by == 0 || by >= 1 ? by : 1 / by;
    job->run.scaled = number || choice(job, "scale", "no yes") != 1;
    job->run.rms = choice(job, "norm", "layer rms") == 2;
    job->run.tied = choice(job, "tied", "no yes") == 2;
}

static void check_needs(Job *job)
{
    int algorithm = job->run.algorithm;
    job->identity = 3 <= algorithm && algorithm <= 5 && !job->late
                 && !any_given(job, "W_q W_k W_v W_o")
                 && any_given(job, "X e");
    for (int k = 0; k < ARGUMENTS; k++) {
        const Argument *a = &arguments[k];
        bool each = per_head(job, a->name);
        bool list = a->kind == LIST && find(job, a->name, 1) != NULL;
        if (takes(job->run.algorithm, a) && a->instead == NULL && !list
            && !(job->identity && a->kind == WEIGHT))
            for (int h = each; h <= (each ? job->H : 0); h++)
                need(job, a->name, h);
    }
}

static size_t given_bytes(const Job *job)
{
    return (size_t)(ARGUMENTS + 6 * job->H) * sizeof *job->given;
}

static void check_chances(const Job *job, const Item *item, Mat p, int j)
{
    double sum = 0;
    bool below = false;
    for (int i = 1; i <= p->rows; i++) {
        sum += AT(p, i, j);
        below |= AT(p, i, j) < 0;
    }
    if (below || !(sum > 0))
        fault(job->f, item->at, "%s holds probabilities: none is below 0, "
              "and not all are 0.", item->typed);
}

static void bind_entered(Job *job)
{
    for (int k = 0; k < job->run.sheet->n; k++) {
        Entered *e = &job->entered[k];
        if (e->row == NULL)
            continue;
        const Argument *a = &e->shape;
        e->M = constant(job->arena, size_or_1(job, a->rows),
                        a->cols == NULL ? 1 : size_or_1(job, a->cols));
        fill(job, e->M, a, &job->run.sheet->item[k]);
        for (int j = 1; e->row->sums && e->aspect == VALUE
             && j <= e->M->cols; j++)
            check_chances(job, &job->run.sheet->item[k], e->M, j);
    }
}

/* Derived are the steps that are claimed, or given. */
static void want_derived(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    job->wanted = arena_alloc(job->arena, (size_t)step_rows);
    for (int r = 0; r < step_rows; r++) {
        const StepRow *row = &step_table[r];
        bool derived = row->derived && comes_by(job->run.algorithm, row);
        for (int o = 0; o < step_rows && derived; o++)
            derived = step_table[o].derived
                   || !comes_by(job->run.algorithm, &step_table[o])
                   || strcmp(step_table[o].name, row->name) != 0;
        job->wanted[r] = false;
        for (int k = 0; k < sheet->n && derived; k++)
            job->wanted[r] |= sheet->item[k].claim
                           && strcmp(sheet->item[k].name, row->name) == 0;
        static const struct { Role role; const char *by; } asked[] = {
            { ROLE_LOSS, "target" }, { ROLE_TEMPERED, "tau" },
            { ROLE_KEPT, "top_k top_p" }, { ROLE_PLACED, "e" } };
        for (int k = 0; k < 4 && derived; k++)
            job->wanted[r] |= row->role == asked[k].role
                           && any_given(job, asked[k].by);
        if (row->role == ROLE_LOSS && job->wanted[r]
            && job->backwards == NULL && job->run.algorithm == 7)
            job->backwards = row;
        job->derives |= job->wanted[r];
    }
    job->derives |= job->late;
}

/* The step that is given in place of what an item would give. */
static const char *instead_of(const Job *job, const Item *item)
{
    const Sheet *sheet = job->run.sheet;
    const char *any = NULL;
    for (int k = 0; k < sheet->n; k++) {
        const StepRow *row = job->entered[k].row;
        if (row == NULL || &sheet->item[k] == item
            || job->entered[k].aspect != VALUE)
            continue;
        if (any == NULL)
            any = sheet->item[k].typed;
        if (word_in(row->from, item->name, strlen(item->name)))
            return sheet->item[k].typed;
    }
    return any;
}

static void check_used(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    char sets[STARTS_BYTES];
    int algorithm = job->run.algorithm;
    const Item *scores = NULL;
    for (int k = 0; k < sheet->n; k++)
        if (job->entered[k].row != NULL
            && job->entered[k].aspect == VALUE && (scores == NULL
            || job->entered[k].row->role == ROLE_SCORES))
            scores = &sheet->item[k];
    const Seen *root = job->seen;
    while (root != NULL && root->step.role != ROLE_SCALED)
        root = root->before;
    if (scores != NULL
        && (job->last == NULL || job->last->role == ROLE_MASKED))
        fault(job->f, scores->at, "%s alone is not enough%s; Algorithm %d "
              "starts from %s.", scores->typed,
              job->last == NULL ? ""
                  : ": d_attn is missing, or 'scale no', "
              "or a number such as 'scale 8'", algorithm,
              starts_text(sets, algorithm));
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        bool matrix = job->entered[k].row != NULL
                   || (job->argument[k] != NULL && item->word == NULL
                       && (job->argument[k]->rows != NULL
                           || job->argument[k]->kind == LIST));
        if (item->claim || !matrix || job->used[k]
            || job->entered[k].aspect != VALUE)
            continue;
        const char *other = instead_of(job, item);
        if (other == NULL)
            fault(job->f, item->at,
                  "nothing is computed from %s; Algorithm "
                  "%d starts from %s.", item->typed, algorithm,
                  starts_text(sets, algorithm));
        fault(job->f, item->at, "%s is given, so %s is not used; leave out "
              "one of them.", other, item->typed);
    }
}

static const StepRow *last_row(int algorithm)
{
    const StepRow *last = NULL;
    for (int k = 0; k < step_rows; k++)
        if (step_table[k].algorithm == algorithm && !step_table[k].derived)
            last = &step_table[k];
    return last;
}

/* "from Q, K, V: line 4", and where it ends; or only that. */
static void tell_entry(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    char *to = arena_alloc(job->arena, 400);
    int n = snprintf(to, 400, "from");
    for (int k = 0; k < sheet->n && n < 300; k++)
        if (job->entered[k].row != NULL && job->entered[k].aspect == VALUE)
            n += snprintf(to + n, (size_t)(400 - n), "%s %s",
                          n > 4 ? "," : "", sheet->item[k].typed);
    n += snprintf(to + n, (size_t)(400 - n), ": line %d", job->line);
    if (job->stops)
        snprintf(to, 400, "to %d.%d %s (there is no W_u)",
                 job->last->algorithm, job->last->line, job->last->name);
    else if (job->last != last_row(job->run.algorithm))
        snprintf(to + n, (size_t)(400 - n), " to %s", job->last->name);
    job->run.entered = to;
}

static void guess_layout(Job *job);

static Job *bind_under(const Sheet *sheet, const Layout *layout,
                       Arena *arena, Fault *f)
{
    Misfit misfit;
    Job *job = arena_alloc(arena, sizeof *job);
    *job = (Job){ .run = { .sheet = sheet, .layout = layout,
                           .entered = "", .guessed = "" },
                  .f = f, .arena = arena, .H = 1 };
    job->run.algorithm = which_algorithm(job);
    read_settings(job);
    check_items(job);
    if (job->run.algorithm >= 8)
        job->H = given_heads(job);
    check_needs(job);
    if (job->run.layout == NULL)
        guess_layout(job);
    if (!all_fit(job, job->run.layout, &job->size, &misfit))
        refuse_shape(job, &misfit);
    job->run.d_attn = job->late ? letter_size(&job->size, "d_attn")
                                : size_or_1(job, "d_attn");
    job->given = arena_alloc(arena, given_bytes(job));
    bind_entered(job);
    want_derived(job);
    if (job->run.algorithm < 8)
        limit_steps(job, 1);
    job->run.assumed = job->assumed;
    algorithms[job->run.algorithm](job);
    return job;
}

const Bound *bind_sheet(const Sheet *sheet, Arena *arena, Fault *f)
{
    return bind_under(sheet, NULL, arena, f);
}

typedef struct {
    const Sheet *sheet;
    const Layout *layout;
    Arena *arena;
    Tape *tape;
    int right;                  /* how many claimed entries               */
} LayoutTrial;

static int right_entries(const Item *claim, Mat M)
{
    bool same = claim->rows == M->rows && claim->cols == M->cols,
         turned = !same && (M->rows == 1 || M->cols == 1);
    int right = 0;
    if (!same && !(turned && claim->rows == M->cols
                   && claim->cols == M->rows))
        return 0;
    for (int k = 0; k < claim->rows * claim->cols; k++) {
        const Entry *entry = &claim->entry[k];
        int i = k / claim->cols + 1, j = k % claim->cols + 1;
        double x = turned ? AT(M, j, i) : AT(M, i, j);
        double unit = entry->decimals == EXACT ? 1e-9
                                               : pow(10, -entry->decimals);
        right += fabs(entry->value - x) <= 0.5001 * unit
              || (x == -INFINITY && entry->value == x);
    }
    return right;
}

static void try_layout(Fault *f, void *data)
{
    LayoutTrial *t = data;
    const Sheet *sheet = t->sheet;
    const Bound *bound = bind_under(sheet, t->layout, t->arena, f);
    const Run *run = run_bound(bound, NULL, t->arena, t->tape, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            t->right += right_entries(&sheet->item[k],
                                      step_of(run, &sheet->item[k], f)->M);
}

int right_under(const Sheet *sheet, const Layout *layout, Fault *f)
{
    Fault quiet = *f;
    LayoutTrial trial = { sheet, layout, arena_new(), tape_new(false), 0 };
    bool done = attempt(&quiet, try_layout, &trial);
    arena_free(trial.arena);
    tape_free(trial.tape);
    return done ? trial.right : -1;
}

static void guess_layout(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    const Layout *taken = NULL;
    int fit = 0, claimed = 0, first = 0, most = 0;
    for (int k = 0; k < sheet->n; k++)
        for (int e = 0; sheet->item[k].claim
             && e < sheet->item[k].rows * sheet->item[k].cols; e++)
            claimed += !isnan(sheet->item[k].entry[e].value);
    for (int k = 0; k < LAYOUTS; k++) {
        Dimensions d;
        Misfit misfit;
        job->run.layout = &layouts[k];
        if (!all_fit(job, &layouts[k], &d, &misfit))
            continue;
        int right = claimed == 0 ? 0 : right_under(sheet, &layouts[k],
                                                   job->f);
        if (fit++ == 0)
            first = right;
        bool clear = right == claimed
                  || (right > 2 * first && 2 * right >= claimed);
        if (taken == NULL || (right > most && clear)) {
            taken = &layouts[k];
            most = right;
        }
    }
    job->run.layout = taken == NULL ? &layouts[0] : taken;
    job->run.guessed = fit == 1 ? " (not named; no other fits)"
        : most > first ? " (not named; most claims are right in it)"
        : " (not named; 'layout textbook' names one)";
}

static void run_algorithm(Fault *f, void *data)
{
    Job *job = data;
    job->f = f;
    algorithms[job->run.algorithm](job);
    if (job->late && job->variation == NULL)
        check_used(job);
    if (job->backwards != NULL)
        way_back(job);
    if (job->late)
        tell_entry(job);
}

Mat matrix_given(const Bound *bound, const Step *place)
{
    for (int k = 0; k < bound->givens; k++)
        if (bound->given[k].head == place->head
            && strcmp(bound->given[k].name, place->name) == 0)
            return bound->given[k].shape ? NULL : bound->given[k].M;
    for (int k = 1; bound->model != NULL && k <= bound->model->n; k++) {
        const Parameter *p = &bound->model->parameter[k];
        if (p->head == place->head && p->layer == place->layer
            && p->part == place->part
            && strcmp(p->symbol, place->name) == 0)
            return *p->place;
    }
    return NULL;
}

const Run *run_bound(const Bound *bound, Variation *variation, Arena *arena,
                     Tape *tape, Fault *f)
{
    Job *job = arena_alloc(arena, sizeof *job);
    *job = *bound;
    job->run.bound = bound;
    job->f = f;
    job->arena = arena;
    job->tape = tape;
    job->variation = variation;
    if (variation != NULL)
        variation->run = &job->run;
    job->most = 100;
    job->step = arena_alloc(arena, (size_t)job->most * sizeof(Step));
    job->run.step = job->step;
    job->run.assumed = job->assumed;
    job->given = memcpy(arena_alloc(arena, given_bytes(job)), bound->given,
                        given_bytes(job));
    job->used = arena_alloc(arena, (size_t)job->run.sheet->n);
    memset(job->used, 0, (size_t)job->run.sheet->n);
    Fault inner = *f;
    job->f = &inner;
    if (variation != NULL)
        variation->fault = &inner;
    bool own = trains(job) || job->backwards != NULL;
    if (own)
        tape_forgive(job->tape = tape_new(true), NULL, NULL);
    as_printed(job->tape);
    observe(job->tape, collect, job);
    bool done = attempt(&inner, run_algorithm, job);
    as_printed(job->tape);
    if (own)
        tape_free(job->tape);
    if (!done)
        fault_again(f, &inner);
    return &job->run;
}

const Run *run_varied(const Sheet *sheet, Variation *variation,
                      Arena *arena, Tape *tape, Fault *f)
{
    const Bound *bound = bind_sheet(sheet, arena, f);
    return run_bound(bound, variation, arena, tape, f);
}

const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape, Fault *f)
{
    return run_varied(sheet, NULL, arena, tape, f);
}

