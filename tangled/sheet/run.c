/* Running the algorithm of a sheet and collecting its steps. */
#include "sheet/sheet.h"
#include <float.h>
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
static const Argument arguments[] = {
    { { EACH },        "algorithm", NUMBER, NULL, NULL, NULL },
    { { EACH },        "layout",    WORD,   NULL, NULL, "" },
    { { EACH },        "decimals",  NUMBER, NULL, NULL, "" },
    { { 1 },           "v",         NUMBER, NULL, NULL, NULL },
    { { 2 },           "t",         NUMBER, NULL, NULL, NULL },
    { { 2 },           "positions", WORD,   NULL, NULL, "" },
    { { 2 },           "d_e",       NUMBER, NULL, NULL, "" },
    { { 2 },           "ell_max",   NUMBER, NULL, NULL, "" },
    { { 2 },           "base",      NUMBER, NULL, NULL, "" },
    { { 2 },           "first",     NUMBER, NULL, NULL, "" },
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
    { { MODELS },      "W_q",     WEIGHT, "d_attn", "d_e",     "0" },
    { { MODELS },      "W_k",     WEIGHT, "d_attn", "d_e",     "0" },
    { { MODELS },      "W_v",     WEIGHT, "d_mid",  "d_e",     "0" },
    { { MODELS },      "b_q",     VECTOR, "d_attn", NULL,      "0" },
    { { MODELS },      "b_k",     VECTOR, "d_attn", NULL,      "0" },
    { { MODELS },      "b_v",     VECTOR, "d_mid",  NULL,      "0" },
    { { MODELS },      "W_o",     WEIGHT, "d_e",    "H d_mid", "0" },
    { { MODELS },      "b_o",     VECTOR, "d_e",    NULL,      "0" },
    { { MODELS },      "gamma_1", VECTOR, "d_e",    NULL,      "1" },
    { { MODELS },      "beta_1",  VECTOR, "d_e",    NULL,      "0" },
    { { MODELS },      "gamma_2", VECTOR, "d_e",    NULL,      "1" },
    { { MODELS },      "beta_2",  VECTOR, "d_e",    NULL,      "0" },
    { { MODELS },      "W_mlp1",  WEIGHT, "d_mlp",  "d_e",     "0" },
    { { MODELS },      "b_mlp1",  VECTOR, "d_mlp",  NULL,      "0" },
    { { MODELS },      "W_mlp2",  WEIGHT, "d_e",    "d_mlp",   "0" },
    { { MODELS },      "b_mlp2",  VECTOR, "d_e",    NULL,      "0" },
    { { WITH_ED },     "gamma_3", VECTOR, "d_e",    NULL,      "1" },
    { { WITH_ED },     "beta_3",  VECTOR, "d_e",    NULL,      "0" },
    { { WITH_ED },     "gamma_4", VECTOR, "d_e",    NULL,      "1" },
    { { WITH_ED },     "beta_4",  VECTOR, "d_e",    NULL,      "0" },
    { { WITH_ED },     "gamma_5", VECTOR, "d_e",    NULL,      "1" },
    { { WITH_ED },     "beta_5",  VECTOR, "d_e",    NULL,      "0" },
    { { WITH_ED },     "W_mlp3",  WEIGHT, "d_mlp",  "d_e",     "0" },
    { { WITH_ED },     "b_mlp3",  VECTOR, "d_mlp",  NULL,      "0" },
    { { WITH_ED },     "W_mlp4",  WEIGHT, "d_e",    "d_mlp",   "0" },
    { { WITH_ED },     "b_mlp4",  VECTOR, "d_e",    NULL,      "0" },
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
    { { 6 },           "e",         ONE_OR_MORE, "d_e", "ell",   NULL },
    { { 6 },           "gamma",     VECTOR, "d_e",    NULL,      "1" },
    { { 6 },           "beta",      VECTOR, "d_e",    NULL,      "0" },
    { { 7 },           "e",         ONE_OR_MORE, "d_e", "ell",   NULL },
    { { 7 },           "W_u",       WEIGHT, "N_V",    "d_e",     "" },
    { { 7 },           "W_e",       TOKENS, "d_e",    "N_V",     "" },
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };
typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct { int n; Dimension dimension[16]; } Dimensions;

typedef struct {
    Run run;                    /* what comes out                         */
    Fault *f;
    Arena *arena;
    Tape *tape;
    const Item *start;          /* the item `algorithm`                   */
    const Argument **argument;  /* what each item is; NULL: a claim       */
    int H, head;                /* the heads; the one that is running     */
    Dimensions size;
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    char assumed[4000];
    double epsilon;
    Variation *variation;       /* NULL: none                             */
    Mat S;                      /* the scores, before they are scaled     */
    Hyperparameters hyper;      /* of a model                             */
    Part part;                  /* of the model that is running ...       */
    int layer, turn;            /* ... its layer, and the turn of a loop  */
    Theta *theta;                   /* to train                               */
    Training how;
    const double *u;                /* uniform numbers, for each token        */
    const Data *data;               /* to train with                          */
    int data_n;                     /* how many sequences it has              */
    int *row, in_row;               /* indices seen in a loop                 */
    const char *row_line;           /* ... and where                          */
    int ell_gen;                    /* tokens to be drawn                     */
    NumberList *chances;            /* uniform numbers for them               */
    Mat q;                          /* what the next one is drawn from        */
} Job;
static bool takes(int algorithm, const Argument *argument)
{
    const int *a = argument->algorithms;
    while (*a != 0 && *a != algorithm)
        a++;
    return *a == algorithm;
}

/* NULL: the algorithm does not take it. */
static const Argument *argument_of(const Job *job, const char *name)
{
    for (const Argument *a = arguments; a < arguments + ARGUMENTS; a++)
        if (*a->name == *name && takes(job->run.algorithm, a)
            && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static bool per_head(const Job *job, const char *name)
{
    return job->run.algorithm == 5 && strlen(name) == 3
        && strchr("Wb", name[0]) != NULL && strchr("qkv", name[2]) != NULL;
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

static const Item *need(const Job *job, const char *name, int head)
{
    const Item *item = find(job, name, head);
    char number[20] = "";
    if (head > 0)
        snprintf(number, sizeof number, "%c%d",
                 per_head(job, name) ? '^' : '_', head);
    if (item == NULL)
        fault(job->f, job->start == NULL ? 0 : job->start->at,
              "Algorithm %d needs %s%s, and the sheet has none.",
              job->run.algorithm, name, number);
    return item;
}

static void assume(Job *job, const char *name, int head, const char *what)
{
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

static void check_items(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    bool numbered = false, plain = false;
    size_t items = (size_t)sheet->n;
    job->argument = arena_alloc(job->arena, items * sizeof *job->argument);
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        job->argument[k] = NULL;
        if (item->claim)
            continue;
        const Argument *a = job->argument[k] = argument_of(job, item->name);
        if (a == NULL || misplaced(job, item, a))
            refuse_item(job, item);
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

static int size_of(const Dimensions *d, const char *symbol)
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
            && !fits(a, item, layout, d, misfit))
            return false;
    }
    return true;
}

static bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
                    Misfit *misfit)
{
    d->n = 0;
    for (int k = 0; k < ARGUMENTS; k++) {
        const Argument *a = &arguments[k];
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        if (!each_fits(job, a, layout, d, misfit))
            return false;
        if (strcmp(a->name, "W_v") == 0 && size_of(d, "d_mid") > 0)
            agree(d, "H d_mid", job->H * size_of(d, "d_mid"),
                  dimension(d, "d_mid")->by, misfit);
    }
    return true;
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

static double largest_real(void)
{
    return sizeof(real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
}

static double entry_value(const Job *job, const Item *item, int k)
{
    const Entry *entry = &item->entry[k];
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
                ? *a->instead - '0' : entry_value(job, item, k));
}

static void vary(const Job *job, Mat M, Step place)
{
    if (job->variation == NULL)
        return;
    Mat other = job->variation->given(job->variation->to, &place, M);
    memmove(M->at, other->at,
            (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
}

/* The matrix of that name, or what stands in for it. */
static Mat given(Job *job, const char *name, int head)
{
    const Argument *a = argument_of(job, name);
    const Item *item = find(job, name, head);
    if (item == NULL && (a->instead == NULL || *a->instead == '\0'))
        need(job, name, head);
    Mat M = input(job->tape, size_of(&job->size, a->rows),
                  a->cols == NULL ? 1 : size_of(&job->size, a->cols));
    if (item == NULL)
        assume(job, name, head, a->instead);
    fill(job, M, a, item);
    vary(job, M, (Step){ .name = name, .head = head });
    return M;
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
    for (int k = 0; k < item->rows * item->cols; k++)
        if (item->entry[k].value != 0 && item->entry[k].value != 1)
            fault(job->f, item->entry[k].at, "an entry of the mask is 1, "
                  "may look, or 0, may not.");
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

static bool of_head(const char *name)       /* W_q ... b_v */
{
    return strlen(name) == 3 && strchr("Wb", name[0]) != NULL
        && strchr("qkv", name[2]) != NULL;
}

static bool of_layer(const char *name)
{
    return of_head(name) || strcmp(name + 1, "_o") == 0
        || strncmp(name, "gamma_", 6) == 0 || strncmp(name, "beta_", 5) == 0
        || strncmp(name + 1, "_mlp", 4) == 0;
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

static Site site_of(const Job *job, const char *path)
{
    const char *dot = strrchr(path, '.');
    const char *name = dot == NULL ? path : dot + 1;
    const char *layer = strchr(path, '['), *head = strstr(path, "head[");
    Site site = { .argument = argument_of(job, name) };
    if (layer != NULL)
        site.layer = atoi(layer + strlen("["));
    if (head != NULL)
        site.head = atoi(head + strlen("head["));
    if (layer != NULL)
        site.part = path[0] == 'l' ? LAYER : path[0] == 'e' ? ENC
                  : strstr(path, ".W_ed.") != NULL ? ED : DEC;
    return site;
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

static bool all_finite(Mat M)
{
    const size_t n = (size_t)M->rows * (size_t)M->cols;
    bool finite = true;
    for (size_t k = 0; k < n; k++)
        finite &= isfinite(M->at[k]) != 0;
    return finite;
}

static void check_finite(const Job *job, const Step *step)
{
    Mat M = step->M;
    if (all_finite(M))
        return;
    bool hidden = step->algorithm == 4
               && (step->line == 5 || strcmp(step->name, "S_scaled") == 0);
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
        for (int u = 1; u <= (step->turned ? M->cols : M->rows); u++)
            sees |= isfinite(step->turned ? AT(M, t, u) : AT(M, u, t));
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

double least_root(double m)
{
    return (sizeof(real) == sizeof(float) ? 1e-6 : 1e-14) * fabs(m);
}

static void check_root(const Job *job, const Step *step)
{
    bool model = job->run.algorithm >= 8;
    char where[30] = "the last";
    if (step->layer > 0)
        snprintf(where, sizeof where, "layer %d", step->layer);
    Mat v = step[0].M, m = step[-1].M;
    for (int t = 1; t <= v->rows * v->cols; t++) {
        int i = v->cols == 1 ? t : 1, j = v->cols == 1 ? 1 : t;
        double least = model ? least_root(AT(m, i, j)) : 0;
        if ((real)sqrt(AT(v, i, j) + job->epsilon) > least)
            continue;
        if (model)
            fault(job->f, job->start->at, "in layer_norm (%s) token %d has "
                  "variance 0, and line 3 of Algorithm 6 would divide by "
                  "0; an epsilon, such as 'epsilon 1e-5', prevents that.",
                  where, t);
        fault(job->f, need(job, "e", 0)->at, "token %d has variance 0, and "
              "line 3 would divide by 0; an epsilon, such as 'epsilon "
              "1e-5', prevents that.", t);
    }
}

static void check_step(const Job *job, const Step *step)
{
    check_finite(job, step);
    if (strcmp(step->name, "S_scaled") == 0)
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

static Mat what_if(const Job *job, const char *name, Mat M)
{
    if (!job->run.scaled && strcmp(name, "S_scaled") == 0)
        return job->S;
    if (!job->run.scaled && strcmp(name, "alpha_t") == 0)
        return softmax(job->S);
    return M;
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

static void add_row(Job *job, Step step, int n, const int *number)
{
    Mat M = constant(job->arena, 1, n);
    for (int k = 1; k <= n; k++)
        AT(M, 1, k) = (real)number[k - 1];
    step.M = M;
    step.part = NOWHERE;
    step.layer = 0;
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

static void add_parameter(Job *job, const Step *seen, Mat M)
{
    Site site = site_of(job, seen->name);
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
        add_parameter(job, &step, M);
        return M;
    }
    if (of_head)
        step.name = "Y";
    if (step.algorithm == 4 || of_head)
        step.head = job->head;
    step.turn = job->turn;
    step.turned = job->run.layout->rows;
    step.time = time_of(job, &step);
    M = varied(job, &step, what_if(job, name, M));
    step.M = copied_matrix(job, M, step.turned);
    add_step(job, &step);
    leave(job, line);
    M = carried(job, &step, M);
    if (strcmp(name, "S") == 0 || strcmp(name, "scores") == 0)
        job->S = M;
    if (strcmp(name, "q") == 0)
        job->q = M;
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
    returned(job, embed(job->tape, W_e, v));
}

static Mat computed_positions(Job *job, int variant)
{
    enum { MOST = 1000000 };
    bool paper = variant == 1;
    need(job, "d_e", 0);
    need(job, "t", 0);
    int t = whole(job, "t", 1, MOST, "");
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
    need(job, "t", 0);
    int t = whole(job, "t", 1, W->cols, ", the positions");
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

static void limit_heads(const Job *job)
{
    const Dimensions *d = &job->size;
    bool one = job->run.algorithm == 3;
    double attn = size_of(d, "d_attn"),
           ell_x = one ? 1 : size_of(d, "ell_x"),
           ell_z = size_of(d, one ? "T" : "ell_z"),
           mid = size_of(d, "d_mid") + size_of(d, "d_out");
    limit(job, job->H * (ell_x * (attn + 4 * ell_z + 2 * mid)
                         + ell_z * (attn + mid)));
}

static void run_attention1(Job *job)
{
    limit_heads(job);
    Mat e = given(job, "e", 0), e_t = given(job, "e_t", 0);
    W_qkv w = given_head(job, 0);
    returned(job, attention1(e, e_t, &w));
}

static Mat given_context(Job *job, Mat X)
{
    if (find(job, "Z", 0) != NULL)
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
    limit_heads(job);
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    W_qkv w = given_head(job, 0);
    returned(job, attention(X, Z, &w, given_mask(job)));
}

static void run_mhattention(Job *job)
{
    limit_heads(job);
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    size_t heads = (size_t)job->H + 1;
    W_qkv *head = arena_alloc(job->arena, heads * sizeof *head);
    for (int h = 1; h <= job->H; h++)
        head[h] = given_head(job, h);
    Mat W_o = given(job, "W_o", 0), b_o = given(job, "b_o", 0);
    W_multi w = { job->H, head, W_o, b_o };
    returned(job, mhattention(X, Z, &w, given_mask(job)));
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
    look_on(job, &(Theta){ .hyper = { .epsilon = job->epsilon,
                                      .rms = rms } });
    if (rms && beta != NULL)
        fault(job->f, beta->at, "RMSnorm has no beta.");
    for (int j = 1; j <= e->cols && job->epsilon == 0; j++) {
        bool equal = true;
        for (int i = 1; i <= e->rows; i++)
            equal &= AT(e, i, j) == (rms ? 0 : AT(e, 1, j));
        if (equal)
            fault(job->f, e_->at, "the entries of token %d are all %s, so "
                  "line 3 would divide by 0; an epsilon, such as 'epsilon "
                  "1e-5', prevents that.", j, rms ? "0" : "equal");
    }
    returned(job, layer_norm(e, gamma,
                             rms ? NULL : given(job, "beta", 0)));
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
    limit(job, 2.0 * size_of(&job->size, "N_V")
                   * size_of(&job->size, "ell"));
    Mat e = given(job, "e", 0), W = given(job, tied ? "W_e" : "W_u", 0);
    if (tied)
        assume(job, "W_u", 0, as_W_u(job->run.layout));
    returned(job, unembed(e, tied ? transpose_of(job->arena, W) : W));
}

static int given_layers(Job *job, Part part, const char *name)
{
    enum { MOST = 100 };
    const Sheet *sheet = job->run.sheet;
    int least = 0;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        Part of = part_of(job, item);
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
    int H = 1;
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
    h->ell_max = W_p != NULL ? size_of(&job->size, "ell_max")
               : whole(job, "ell_max", longest(job), 1000000, "");
    if (word >= 2)
        limit(job, (double)h->d_e * h->ell_max);
}

static int size_or_1(const Job *job, const char *symbol)
{
    int size = size_of(&job->size, symbol);
    return size > 0 ? size : 1;
}

static void given_hyperparameters(Job *job)
{
    Hyperparameters *h = &job->hyper;
    *h = (Hyperparameters){
        .architecture = architecture(job), .H = job->H,
        .N_V = size_of(&job->size, "N_V"),
        .d_e = size_of(&job->size, "d_e"),
        .d_mlp = size_or_1(job, "d_mlp"), .d_f = size_of(&job->size, "d_f"),
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
        Site site = site_of(job, theta->parameter[k].name);
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
        site[k] = site_of(job, theta->parameter[k].name);
    for (int i = 0; i < sheet->n; i++) {
        const Item *item = &sheet->item[i];
        bool found = item->claim || item->word != NULL
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
    Site site = site_of(job, parameter->name);
    const Item *item = item_at(job, &site);
    if (item == NULL)
        assume_parameter(job, &site);
    else if (job->variation == NULL)
        check_pair(job, item, site.part, site.layer);
    fill(job, *parameter->place, site.argument, item);
    vary(job, *parameter->place, step_at(&site));
}

static int attention_layers(const Hyperparameters *h)     /* of attention */
{
    return h->L + h->L_enc + 2 * h->L_dec;
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
    Theta *theta = theta_new(job->arena, &job->hyper);
    job->hyper = theta->hyper;
    limit(job, (double)theta_count(theta));
    if (job->variation == NULL)     /* else that was done before */
        check_places(job, theta);
    theta_allocate(theta, job->arena);
    for (int k = 1; k <= theta->n; k++)
        fill_parameter(job, &theta->parameter[k]);
    if (job->hyper.positions != LEARNED && !job->run.unplaced)
        vary(job, theta->W_p, (Step){ .name = "W_p" });
    look_on(job, theta);
    return theta;
}

static Tokens given_tokens(const Job *job, const char *name, int number)
{
    const Hyperparameters *h = &job->hyper;
    const Item *item = need(job, name, number);
    int length = item->rows * item->cols;
    int *id = arena_alloc(job->arena, (size_t)length * sizeof *id);
    if (length > h->ell_max)
        fault(job->f, item->at, "%s has %d tokens; ell_max is %d.",
              item->typed, length, h->ell_max);
    for (int t = 0; t < length; t++) {
        double v = entry_value(job, item, t);
        if (v != floor(v) || v < 1 || v > h->N_V)
            fault(job->f, item->entry[t].at, "a token is one of 1 ... %d.",
                  h->N_V);
        id[t] = (int)v;
    }
    return (Tokens){ length, id };
}

static void limit_model(const Job *job, const Theta *theta, int runs)
{
    const Hyperparameters *h = &job->hyper;
    bool trains = 11 <= job->run.algorithm && job->run.algorithm <= 13;
    double ell = longest(job),
           heads = h->H * (4 * ell + 3.0 * h->d_attn + 3.0 * h->d_mid),
           layer = heads + 30.0 * h->d_e + 2.0 * h->d_mlp,
           ends = 3.0 * h->N_V + 4.0 * (h->d_e + h->d_f),
           new_theta = trains ? 2.0 * (double)theta_count(theta) : 0;
    limit(job,
          runs * (ell * (attention_layers(h) * layer + ends) + new_theta));
}

static void run_edtransformer(Job *job)
{
    Theta *theta = given_theta(job);
    Tokens z = given_tokens(job, "z", 0), x = given_tokens(job, "x", 0);
    limit_model(job, theta, 1);
    returned(job, edtransformer(job->tape, z, x, theta));
}

static void run_etransformer(Job *job)
{
    Theta *theta = given_theta(job);
    Tokens x = given_tokens(job, "x", 0);
    limit_model(job, theta, 1);
    returned(job, etransformer(job->tape, x, theta));
}

static void run_dtransformer(Job *job)
{
    Theta *theta = given_theta(job);
    Tokens x = given_tokens(job, "x", 0);
    limit_model(job, theta, 1);
    returned(job, dtransformer(job->tape, x, theta));
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

static Data given_data(Job *job, const Theta *theta)
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
    limit_model(job, theta, N_data);
    return (Data){ .N_data = N_data, .x = x, .z = pairs ? z : NULL };
}

static const double *given_chances(const Job *job, int least,
                                   const char *because)
{
    const Item *item = need(job, "u", 0);
    int n = item->rows * item->cols;
    double *u = arena_alloc(job->arena, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) {
        u[k] = item->entry[k].value;
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
    const Job *job = from;
    return job->u[job->in_row];
}

static void train_on(Fault *f, void *data)
{
    Job *job = data;
    const Data *on = job->data;
    const Training *how = &job->how;
    Theta *theta = job->theta;
    Random random = random_from(number_of_token, job);
    job->f = f;
    if (job->variation != NULL)
        job->variation->fault = f;
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
    Data data = given_data(job, theta);
    Tape *tape = job->tape;
    job->how = given_training(job);
    job->theta = theta;
    job->data = &data;
    job->tape = tape_new(true);
    tape_forgive(job->tape, NULL, NULL);
    look_on(job, theta);
    Fault *outer = job->f, inner = *outer;
    Mat before = all_of(job, theta);
    bool done = attempt(&inner, train_on, job);
    tape_free(job->tape);
    job->tape = tape;
    job->f = outer;
    if (!done)
        fault_again(outer, &inner);
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
    bool draws = 0 <= u && u < 1 && sample(q, u) == (int)y;
    return draws ? u : instead;
}

static double next_chance(void *from)
{
    Job *job = from;
    double u = job->chances->u[job->chances->used++];
    Step step = { .algorithm = job->run.algorithm, .name = "y",
                  .line = job->run.algorithm == 14 ? 5 : 6,
                  .turn = job->turn, .time = 1 };
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
    double tau = given_tau(job);
    Random random = given_numbers(job, tau, &list);
    Theta *theta = given_theta(job);
    Tokens x = given_tokens(job, "x", 0);
    check_room(job, x.length + job->ell_gen - 1);
    limit_model(job, theta, job->ell_gen);
    Tokens y = dinference(job->tape, x, theta, job->ell_gen, tau, &random);
    job->turn = 0;
    add_row(job, (Step){ .algorithm = 14, .line = 8, .name = "y" },
            y.length, y.id);
    returned(job, job->step[job->run.n - 1].M);
}

static void run_edinference(Job *job)
{
    NumberList list;
    double tau = given_tau(job);
    Random random = given_numbers(job, tau, &list);
    Theta *theta = given_theta(job);
    Tokens z = given_tokens(job, "z", 0);
    if (theta->hyper.N_V < 2)
        fault(job->f, need(job, "W_e", 0)->at, "N_V must be at least 2: "
              "bos_token is N_V - 1.");
    check_room(job, job->ell_gen);
    limit_model(job, theta, job->ell_gen);
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
    run_edtransformer, run_etransformer, run_dtransformer,
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
    job->run.layout = &layouts[layout == 0 ? 0 : layout - 1];
    double n = job_number(job, "decimals", -1);
    if (decimals != NULL && (n != floor(n) || n < 0 || n > 15))
        fault(job->f, decimals->at, "decimals must be one of 0 ... 15.");
    job->run.decimals = (int)n;
    job->run.scaled = choice(job, "scale", "no yes") != 1;
    job->run.rms = choice(job, "norm", "layer rms") == 2;
    job->run.tied = choice(job, "tied", "no yes") == 2;
}

static void check_needs(const Job *job)
{
    for (int k = 0; k < ARGUMENTS; k++) {
        const Argument *a = &arguments[k];
        bool each = per_head(job, a->name);
        bool list = a->kind == LIST && find(job, a->name, 1) != NULL;
        if (takes(job->run.algorithm, a) && a->instead == NULL && !list)
            for (int h = each; h <= (each ? job->H : 0); h++)
                need(job, a->name, h);
    }
}

const Run *run_varied(const Sheet *sheet, Variation *variation,
                      Arena *arena, Tape *tape, Fault *f)
{
    Misfit misfit;
    Job *job = arena_alloc(arena, sizeof *job);
    *job = (Job){ .run = { .sheet = sheet }, .f = f, .arena = arena,
                  .tape = tape, .H = 1, .variation = variation };
    if (variation != NULL) {
        variation->run = &job->run;
        variation->fault = f;
    }
    job->run.algorithm = which_algorithm(job);
    read_settings(job);
    check_items(job);
    if (job->run.algorithm >= 8)
        job->H = given_heads(job);
    if (variation == NULL)          /* else that was done before */
        check_needs(job);
    if (!all_fit(job, job->run.layout, &job->size, &misfit))
        refuse_shape(job, &misfit);
    job->most = 100;
    job->step = arena_alloc(arena, (size_t)job->most * sizeof(Step));
    job->run.step = job->step;
    job->run.assumed = job->assumed;
    as_printed(tape);
    observe(tape, collect, job);
    algorithms[job->run.algorithm](job);
    as_printed(tape);
    return &job->run;
}

const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape, Fault *f)
{
    return run_varied(sheet, NULL, arena, tape, f);
}

