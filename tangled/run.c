/* Running the algorithm of a sheet and collecting its steps. */
#include "program.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const Layout layouts[] = {
    { "paper",    "columns are tokens, W x",  false, false },
    { "textbook", "rows are tokens, x W",     true,  true  },
    { "torch",    "rows are tokens, x Wᵀ",    true,  false },
    { "berkeley", "columns are tokens, Wᵀ x", false, true  },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

typedef enum {
    WORD, NUMBER,
    TOKENS,                     /* a column for each token                */
    ONE_OR_MORE,                /* the same; one row or column: one token */
    WEIGHT,                     /* out x in                               */
    VECTOR,                     /* one row or one column                  */
    MASK                        /* a word, or a column for each query     */
} Kind;

typedef struct {
    const char *algorithms;     /* "45": for Algorithms 4 and 5           */
    const char *name;
    Kind kind;
    const char *rows, *cols;    /* in the paper's layout                  */
    const char *instead;        /* NULL: it is needed; "": nothing        */
} Argument;
static const Argument arguments[] = {
    { "1234567", "algorithm", NUMBER, NULL, NULL, NULL },
    { "1234567", "layout",    WORD,   NULL, NULL, "" },
    { "1234567", "decimals",  NUMBER, NULL, NULL, "" },
    { "1",   "v",         NUMBER, NULL, NULL, NULL },
    { "2",   "t",         NUMBER, NULL, NULL, NULL },
    { "2",   "positions", WORD,   NULL, NULL, "" },
    { "2",   "d_e",       NUMBER, NULL, NULL, "" },
    { "2",   "ell_max",   NUMBER, NULL, NULL, "" },
    { "2",   "base",      NUMBER, NULL, NULL, "" },
    { "2",   "first",     NUMBER, NULL, NULL, "" },
    { "345", "scale",     WORD,   NULL, NULL, "" },
    { "6",   "norm",      WORD,   NULL, NULL, "" },
    { "6",   "epsilon",   NUMBER, NULL, NULL, "0" },
    { "7",   "tied",      WORD,   NULL, NULL, "" },
    { "1",   "W_e",   TOKENS, "d_e",    "N_V",     NULL },
    { "2",   "W_p",   TOKENS, "d_e",    "ell_max", "" },
    { "3",   "e",     VECTOR, "d_in",   NULL,      NULL },
    { "3",   "e_t",   TOKENS, "d_in",   "T",       NULL },
    { "3",   "W_q",   WEIGHT, "d_attn", "d_in",    NULL },
    { "3",   "W_k",   WEIGHT, "d_attn", "d_in",    NULL },
    { "3",   "W_v",   WEIGHT, "d_out",  "d_in",    NULL },
    { "45",  "X",     TOKENS, "d_x",    "ell_x",   NULL },
    { "45",  "Z",     TOKENS, "d_z",    "ell_z",   "X" },
    { "45",  "W_q",   WEIGHT, "d_attn", "d_x",     NULL },
    { "45",  "W_k",   WEIGHT, "d_attn", "d_z",     NULL },
    { "4",   "W_v",   WEIGHT, "d_out",  "d_z",     NULL },
    { "5",   "W_v",   WEIGHT, "d_mid",  "d_z",     NULL },
    { "345", "b_q",   VECTOR, "d_attn", NULL,      "0" },
    { "345", "b_k",   VECTOR, "d_attn", NULL,      "0" },
    { "34",  "b_v",   VECTOR, "d_out",  NULL,      "0" },
    { "5",   "b_v",   VECTOR, "d_mid",  NULL,      "0" },
    { "5",   "W_o",   WEIGHT, "d_out",  "H d_mid", NULL },
    { "5",   "b_o",   VECTOR, "d_out",  NULL,      "0" },
    { "45",  "mask",  MASK,   "ell_z",  "ell_x",   "none" },
    { "6",   "e",     ONE_OR_MORE, "d_e", "ell",   NULL },
    { "6",   "gamma", VECTOR, "d_e",    NULL,      "1" },
    { "6",   "beta",  VECTOR, "d_e",    NULL,      "0" },
    { "7",   "e",     ONE_OR_MORE, "d_e", "ell",   NULL },
    { "7",   "W_u",   WEIGHT, "N_V",    "d_e",     "" },
    { "7",   "W_e",   TOKENS, "d_e",    "N_V",     "" },
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };
typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct { int n; Dimension dimension[12]; } Dimensions;

typedef struct {
    Run run;                    /* what comes out                         */
    Fault *f;
    Arena *arena;
    Tape *tape;
    const Item *start;          /* the item `algorithm`                   */
    int H, head;                /* the heads; the one that is running     */
    Dimensions size;
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    char assumed[4000];
    double epsilon;
    Mat S;                      /* the scores, before they are scaled     */
} Job;

static bool takes(int algorithm, const Argument *argument)
{
    return strchr(argument->algorithms, '0' + algorithm) != NULL;
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
    char of_head[20] = "";
    if (head > 0)
        snprintf(of_head, sizeof of_head, "^%d", head);
    if (item == NULL)
        fault(job->f, job->start == NULL ? 0 : job->start->at,
              "Algorithm %d needs %s%s, and the sheet has none.",
              job->run.algorithm, name, of_head);
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
static double number_of(const Job *job, const char *name, double instead)
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
    double x = number_of(job, name, instead);
    if (x != floor(x) || x < 1 || x > most)
        fault(job->f, find(job, name, 0)->entry->at,
              "%s is %g; it must be one of 1 ... %d%s.",
              find(job, name, 0)->typed, x, most, range);
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
    char list[300] = "";
    for (int k = 0; k < ARGUMENTS; k++)
        if (takes(job->run.algorithm, &arguments[k])) {
            size_t n = strlen(list);
            snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "",
                     arguments[k].name);
        }
    fault(job->f, item->at, "Algorithm %d does not take %s; it takes %s.",
          job->run.algorithm, item->typed, list);
}

static void check_items(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    bool numbered = false, plain = false;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        bool taken = false;
        for (int i = 0; i < ARGUMENTS && !item->claim; i++)
            taken |= takes(job->run.algorithm, &arguments[i])
                  && strcmp(arguments[i].name, item->name) == 0;
        if (item->claim)
            continue;
        if (!taken || (item->head > 0 && !per_head(job, item->name)))
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

static bool turned(Kind kind, const Layout *layout)
{
    return kind == WEIGHT ? layout->weights : kind == VECTOR ? false
         : layout->rows;
}

static bool agree(Dimensions *d, const char *symbol, int size,
                  const Item *item, Misfit *misfit)
{
    for (int k = 0; k < d->n; k++)
        if (strcmp(d->dimension[k].symbol, symbol) == 0) {
            misfit->letter = &d->dimension[k];
            misfit->is = size;
            return d->dimension[k].size == size;
        }
    d->dimension[d->n++] = (Dimension){ symbol, size, item };
    return true;
}

static int size_of(const Dimensions *d, const char *symbol)
{
    for (int k = 0; k < d->n; k++)
        if (strcmp(d->dimension[k].symbol, symbol) == 0)
            return d->dimension[k].size;
    return 0;
}
static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d, Misfit *misfit)
{
    int rows = item->rows, cols = item->cols;
    bool line = rows == 1 || cols == 1;
    *misfit = (Misfit){ item, a, NULL, 0 };
    if (a->kind == VECTOR)
        return line && agree(d, a->rows, rows * cols, item, misfit);
    if (turned(a->kind, layout))
        rows = item->cols, cols = item->rows;
    if (a->kind == ONE_OR_MORE && line)
        rows = rows * cols, cols = 1;
    return agree(d, a->rows, rows, item, misfit)
        && agree(d, a->cols, cols, item, misfit);
}
static bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
                    Misfit *misfit)
{
    d->n = 0;
    for (int k = 0; k < ARGUMENTS; k++) {
        const Argument *a = &arguments[k];
        bool each = per_head(job, a->name);
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        for (int h = each; h <= (each ? job->H : 0); h++) {
            const Item *item = find(job, a->name, h);
            if (item == NULL && a->instead != NULL
                && strcmp(a->instead, "X") == 0)
                item = find(job, "X", 0);
            if (item != NULL && item->word == NULL
                && !fits(a, item, layout, d, misfit))
                return false;
        }
        if (strcmp(a->name, "W_v") == 0 && size_of(d, "d_mid") > 0)
            agree(d, "H d_mid", job->H * size_of(d, "d_mid"),
                  find(job, "W_v", 1), misfit);
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
    if (a->kind == VECTOR && m->letter == NULL)
        fault(job->f, item->at, "%s is %d x %d; it must be one row or "
              "one column.", item->typed, item->rows, item->cols);
    bool turn = turned(a->kind, layout);
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
static const Argument *argument_of(const Job *job, const char *name)
{
    const Argument *a = arguments;
    while (!takes(job->run.algorithm, a) || strcmp(a->name, name) != 0)
        a++;
    return a;
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
    bool turn = turned(a->kind, job->run.layout) && item != NULL
             && item->cols == M->rows && item->rows == M->cols;
    int k = 0;
    if (item == NULL)
        assume(job, name, head, a->instead);
    for (int i = 1; i <= (turn ? M->cols : M->rows); i++)
        for (int j = 1; j <= (turn ? M->rows : M->cols); j++, k++)
            AT(M, turn ? j : i, turn ? i : j) = (real)(item == NULL
                ? *a->instead - '0' : entry_value(job, item, k));
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

static void check_finite(const Job *job, const Step *step)
{
    Mat M = step->M;
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

static Mat in_layout(Job *job, Mat M)
{
    bool turn = job->run.layout->rows;
    Mat copy = constant(job->arena, turn ? M->cols : M->rows,
                        turn ? M->rows : M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(copy, turn ? j : i, turn ? i : j) = AT(M, i, j);
    return copy;
}
static void check_root(const Job *job, Mat v)
{
    for (int j = 1; j <= v->cols; j++)
        if (!((real)sqrt(AT(v, 1, j) + job->epsilon) > 0))
            fault(job->f, need(job, "e", 0)->at, "token %d has variance "
                  "0, and line 3 would divide by 0; an epsilon, such as "
                  "'epsilon 1e-5', prevents that.", j);
}
static Mat what_if(Job *job, const char *name, Mat M)
{
    if (strcmp(name, "S") == 0 || strcmp(name, "scores") == 0)
        job->S = M;
    if (!job->run.scaled && strcmp(name, "S_scaled") == 0)
        return job->S;
    if (!job->run.scaled && strcmp(name, "alpha_t") == 0)
        return softmax(job->S);
    return M;
}
static Mat collect(void *to, const char *line, const char *name, Mat M,
                   int index)
{
    Job *job = to;
    Step step = { .algorithm = line[0] - '0', .line = line[2] - '0',
                  .name = name };
    if (M == NULL) {
        job->head = index;
        return NULL;
    }
    if (step.algorithm != job->run.algorithm)
        step.head = job->head;
    if (strcmp(name, "Y_h") == 0) {
        step.name = "Y";
        step.head = job->head;
    }
    M = what_if(job, name, M);
    step.M = in_layout(job, M);
    check_finite(job, &step);
    if (strcmp(line, "6.2") == 0)
        check_root(job, M);
    REQUIRE(job->run.n < job->most, "there are too many steps.");
    job->step[job->run.n++] = step;
    return M;
}

enum { STEP_ENTRIES = 10000000 };       /* of all steps of a run together */

static void limit(const Job *job, double entries)
{
    if (entries > STEP_ENTRIES)
        fault(job->f, job->start->at, "the steps would have more than "
              "ten million entries.");
}

static void run_embed(Job *job)
{
    Mat W_e = given(job, "W_e", 0);
    need(job, "v", 0);
    embed(job->tape, W_e, whole(job, "v", 1, W_e->cols,
                                job->run.layout->rows
                                ? ", a row of W_e for each token"
                                : ", a column of W_e for each token"));
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
    double base = number_of(job, "base", paper ? ell_max : 10000);
    double first = number_of(job, "first", paper ? 1 : 0);
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
    posembed(job->tape, W, whole(job, "t", 1, W->cols, ", the positions"));
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
    attention1(e, e_t, &w);
}

static Mat given_context(Job *job, Mat X)
{
    if (find(job, "Z", 0) != NULL)
        return given(job, "Z", 0);
    assume(job, "Z", 0, "X");
    return X;
}

static void run_attention(Job *job)
{
    limit_heads(job);
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    W_qkv w = given_head(job, 0);
    attention(X, Z, &w, given_mask(job));
}

static void run_mhattention(Job *job)
{
    limit_heads(job);
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    size_t heads = (size_t)job->H + 1;
    W_qkv *head = arena_alloc(job->arena, heads * sizeof *head);
    for (int h = 1; h <= job->H; h++)
        head[h] = given_head(job, h);
    Mat W_o = given(job, "W_o", 0), b_o = given(job, "b_o", 0);
    W_multi w = { job->H, head, W_o, b_o };
    mhattention(X, Z, &w, given_mask(job));
}
static void run_layer_norm(Job *job)
{
    bool rms = job->run.rms;
    const Item *beta = find(job, "beta", 0), *e_ = need(job, "e", 0);
    Mat e = given(job, "e", 0), gamma = given(job, "gamma", 0);
    job->epsilon = number_of(job, "epsilon", 0);
    if (find(job, "epsilon", 0) == NULL)
        assume(job, "epsilon", 0, "0");
    if (job->epsilon < 0)
        fault(job->f, find(job, "epsilon", 0)->at, "epsilon must not be "
              "negative.");
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
    if (rms)
        rms_norm(e, gamma, job->epsilon);
    else
        layer_norm(e, gamma, given(job, "beta", 0), job->epsilon);
}
static void run_unembed(Job *job)
{
    bool tied = job->run.tied;
    const Item *other = find(job, tied ? "W_u" : "W_e", 0);
    if (other != NULL)
        fault(job->f, other->at, tied ? "with 'tied yes' W_u is the "
              "transpose of W_e; leave it out." : "W_e is used only with "
              "'tied yes'.");
    limit(job, 2.0 * size_of(&job->size, "N_V")
                   * size_of(&job->size, "ell"));
    Mat e = given(job, "e", 0), W = given(job, tied ? "W_e" : "W_u", 0);
    if (tied)
        assume(job, "W_u", 0, "W_eᵀ");
    if (tied)
        unembed_tied(e, W);
    else
        unembed(e, W);
}

static void (*const algorithms[])(Job *job) = {
    NULL, run_embed, run_posembed, run_attention1, run_attention,
    run_mhattention, run_layer_norm, run_unembed
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms - 1 };

static int which_algorithm(Job *job)
{
    const Item *start = job->start = find(job, "algorithm", 0);
    if (start == NULL)
        fault(job->f, 0, "the sheet does not say which algorithm; begin "
              "with a line such as 'algorithm 4'.");
    double n = number_of(job, "algorithm", 0);
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
    double n = number_of(job, "decimals", -1);
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
        if (takes(job->run.algorithm, a) && a->instead == NULL)
            for (int h = each; h <= (each ? job->H : 0); h++)
                need(job, a->name, h);
    }
}

const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape, Fault *f)
{
    Misfit misfit;
    Job *job = arena_alloc(arena, sizeof *job);
    *job = (Job){ .run = { .sheet = sheet }, .f = f, .arena = arena,
                  .tape = tape, .H = 1 };
    job->run.algorithm = which_algorithm(job);
    read_settings(job);
    check_items(job);
    check_needs(job);
    if (!all_fit(job, job->run.layout, &job->size, &misfit))
        refuse_shape(job, &misfit);
    job->most = 9 * job->H + 8;         /* a head has nine steps */
    job->step = arena_alloc(arena, (size_t)job->most * sizeof(Step));
    observe(tape, collect, job);
    algorithms[job->run.algorithm](job);
    observe(tape, NULL, NULL);
    job->run.step = job->step;
    job->run.assumed = job->assumed;
    return &job->run;
}
const Step *step_of(const Run *run, const Item *claim, Fault *f)
{
    char list[300] = "";
    const Step *found = NULL;
    bool only_head = true;
    for (int k = 0; k < run->n; k++)
        only_head &= run->step[k].head <= 1;
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        size_t n = strlen(list);
        if (strcmp(step->name, claim->name) == 0
            && (step->head == claim->head || (only_head && claim->head == 0
                                              && step->head == 1)))
            found = step;
        if (n < sizeof list - 40 && step->head <= 1
            && (k == 0 || step->head != step[-1].head
                || strcmp(step->name, step[-1].name) != 0))
            snprintf(list + n, sizeof list - n, "%s%s%s", n > 0 ? ", " : "",
                     step->name, step->head == 1 ? "^1" : "");
    }
    if (found == NULL)
        fault(f, claim->at, "no step of Algorithm %d is %s; the steps are "
              "%s.", run->algorithm, claim->typed, list);
    return found;
}

