/* Shapes and matrices: each letter has one size, a layout fits or does not,
   and what a sheet gives becomes a matrix in the paper's layout.

   Main types: Dimensions, GivenMatrix. Entry points: all_fit, bind_matrix,
   argument_matrix. Items flow in, matrices flow out. */
#include "sheet/shape.h"
#include <math.h>
#include <string.h>

bool is_transposed(Kind kind, const Layout *layout)
{
    return kind == WEIGHT ? layout->weights
                          : kind != VECTOR && layout->rows;
}

static const Dimension *dimension(const Dimensions *d, const char *symbol)
{
    for (int k = 0; k < d->n; k++)
        if (strcmp(d->dimension[k].symbol, symbol) == 0)
            return &d->dimension[k];
    return NULL;
}

int letter_size(const Dimensions *d, const char *symbol)
{
    const Dimension *found = dimension(d, symbol);
    return found == NULL ? 0 : found->size;
}

int size_or_1(const Job *job, const char *symbol)
{
    int size = letter_size(&job->size, symbol);
    return size > 0 ? size : 1;
}

static const double step_entries = 2e6; /* of all steps of a run together */

void limit_entries(const Job *job, double entries)
{
    if (entries > step_entries)
        fail_in_text(job->f, job->start->at, "the steps would have more than "
                     "two million entries.");
}

static bool agree(Dimensions *d, const char *symbol, int size,
                  const Item *item, Misfit *misfit)
{
    const Dimension *fixed = dimension(d, symbol);
    if (fixed == NULL)
        d->dimension[d->n++] = (Dimension){ symbol, size, item };
    misfit->letter = fixed;
    misfit->is = size;
    return fixed == NULL || fixed->size == size;
}

static bool is_for_each_entry(const Argument *a, const Item *item)
{
    return a->kind == VECTOR && a->instead != NULL && *a->instead != '\0'
        && item->rows * item->cols == 1;
}

static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d, Misfit *misfit)
{
    bool turn = is_transposed(a->kind, layout),
         line = item->rows == 1 || item->cols == 1,
         vector = a->kind == VECTOR || (a->kind == ONE_OR_MORE && line);
    int n = item->rows * item->cols,
        rows = vector ? n : turn ? item->cols : item->rows;
    *misfit = (Misfit){ item, a, NULL, 0 };
    if (is_for_each_entry(a, item))
        return true;
    if (a->kind == LIST || a->kind == VECTOR)
        return line && (a->kind == LIST
                        || agree(d, a->rows, n, item, misfit));
    return agree(d, a->rows, rows, item, misfit)
        && agree(d, a->cols, n / rows, item, misfit);
}

static const Argument *shape_of(const Job *job, int k)
{
    return job->entered[k].row != NULL ? &job->entered[k].shape
         : job->run.sheet->item[k].word != NULL ? NULL : job->argument[k];
}

/* What no matrix says: d_attn as a number, W that are left out, and the
   product H d_mid. */
static bool settle_sizes(const Job *job, Dimensions *d, Misfit *misfit)
{
    static const char *const squares[] = { "d_attn", "d_out", "d_mid",
                                           "H d_mid", "d_z" };
    const Item *d_attn = find_item(job, "d_attn", 0),
               *X = find_item(job, "X", 0);
    int d_x = letter_size(d, job->run.algorithm == 3 ? "d_in" : "d_x");
    if (d_attn != NULL
        && !agree(d, "d_attn", integer_given(job, "d_attn", 1, 1000000, ""),
                  d_attn, misfit))
        fail_in_text(job->f, d_attn->at, "d_attn is %d, but by %s it is %d.",
                     misfit->is, misfit->letter->by->typed,
                     misfit->letter->size);
    for (int k = 0; job->identity && k < 5; k++)
        if (!agree(d, squares[k], d_x, X, misfit) && k == 4) {
            misfit->item = X;               /* W_k is I */
            misfit->argument = argument_of(job, "X");
            return false;
        }
    const Dimension *all = dimension(d, "H d_mid");
    if (dimension(d, "d_mid") == NULL)
        agree(d, "d_mid", all == NULL || all->size < job->H ? 1
              : all->size / job->H, NULL, misfit);
    const Dimension *mid = dimension(d, "d_mid");
    int most = job->H * mid->size;
    if (job->run.algorithm < 5 || agree(d, "H d_mid", most, NULL, misfit))
        return true;
    d->dimension[d->n] = (Dimension){ "H d_mid", most, mid->by };
    *misfit = (Misfit){ all->by, shape_of(job, (int)(all->by
                        - job->run.sheet->item)), &d->dimension[d->n],
                        all->size };
    return false;
}

bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
             Misfit *misfit)
{
    const Sheet *sheet = job->run.sheet;
    d->n = 0;
    agree(d, "1", 1, NULL, misfit);
    for (int r = 0; r < argument_rows; r++) {
        const Argument *a = &argument_table[r], *same = a;
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        if (a->instead != NULL && *a->instead == 'X'
            && find_item(job, a->name, 0) == NULL)
            same = argument_of(job, a->instead);
        for (int k = 0; k < sheet->n; k++)
            if (shape_of(job, k) == same
                && !fits(a, &sheet->item[k], layout, d, misfit))
                return false;
    }
    for (int k = 0; k < sheet->n; k++)
        if (job->entered[k].row != NULL
            && !fits(shape_of(job, k), &sheet->item[k], layout, d, misfit))
            return false;
    return settle_sizes(job, d, misfit);
}

static void list_layouts(const Job *job, char *list, size_t size)
{
    *list = '\0';
    for (int k = 0; k < LAYOUTS; k++)
        if (all_fit(job, &layouts[k], &(Dimensions){ .n = 0 },
                    &(Misfit){ .is = 0 }))
            append(list, size, "%s%s", *list != '\0' ? " or "
                   : "; all shapes would fit under layout ",
                   layouts[k].name);
}

_Noreturn void refuse_shape(const Job *job, const Misfit *m)
{
    char better[80], shape[80], but[80];
    const Layout *layout = job->run.layout;
    const Item *item = m->item;
    const Argument *a = m->argument;
    const Dimension *letter = m->letter;
    bool turn = is_transposed(a->kind, layout);
    list_layouts(job, better, sizeof better);
    if (letter == NULL)
        fail_in_text(job->f, item->at, "%s is %d x %d; it must be one row or "
                     "one column.", item->typed, item->rows, item->cols);
    if (a->kind == VECTOR)
        snprintf(shape, sizeof shape, "%s entries", a->rows);
    else
        snprintf(shape, sizeof shape, "%s x %s", turn ? a->cols : a->rows,
                 turn ? a->rows : a->cols);
    if (*letter->symbol == '1')
        fail_in_text(job->f, item->at,
                     "%s is %d x %d; in layout %s it is %s%s.",
                     item->typed, item->rows, item->cols, layout->name, shape,
                     better);
    if (letter->by == NULL)
        snprintf(but, sizeof but, "and H is %d", job->H);
    else
        snprintf(but, sizeof but, "but by %s it is %d", letter->by->typed,
                 letter->size);
    fail_in_text(job->f, item->at,
                 "%s is %d x %d, %s in layout %s; so %s would "
                 "be %d, %s%s.", item->typed, item->rows, item->cols, shape,
                 layout->name, letter->symbol, m->is, but, better);
}

static const double stands_for_infinity = -1e4, neither_0_nor_1 = 2;

/* Whether it is of zeros and -inf, to be added to the scores. */
static bool is_additive(const Item *mask)
{
    for (int k = 0; k < mask->rows * mask->cols; k++)
        if (mask->entry[k].value <= stands_for_infinity)
            return true;
    return false;
}

double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k)
{
    const Entry *entry = &item->entry[k];
    if (a->kind == MASK && is_additive(item))
        return entry->value == 0 ? 1
             : entry->value <= stands_for_infinity ? 0 : neither_0_nor_1;
    if (a->name[0] == 'S' && entry->value == -INFINITY)
        return entry->value;
    if (isnan(entry->value))
        fail_in_text(job->f, entry->at,
                     "only a claim may leave an entry open; "
                     "%s is given.", item->typed);
    if (!isfinite((double)(real)entry->value))
        fail_in_text(job->f, entry->at, "an entry of %s must be finite%s.",
                     item->typed, isfinite(entry->value)
                     ? "; this is too large for single precision" : "");
    return entry->value;
}

void fill_matrix(Job *job, Mat M, const Argument *a, const Item *item)
{
    bool turn = is_transposed(a->kind, job->run.layout)
             && item->cols == M->rows && item->rows == M->cols,
         one = is_for_each_entry(a, item);
    char text[60];
    for (int k = 0; k < M->rows * M->cols; k++) {
        int width = turn ? M->rows : M->cols, i = k / width, j = k % width;
        AT(M, (turn ? j : i) + 1, (turn ? i : j) + 1)
            = (real)entry_value(job, a, item, one ? 0 : k);
    }
    snprintf(text, sizeof text, "%g in each entry", item->entry->value);
    if (one && M->rows > 1)
        note_used_assumption(job, item->typed, text);
}

Mat vary(const Job *job, Moment moment, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL || v->visit == NULL
         ? M : v->visit(v->to, moment, step, M);
}

void copy_into(Mat to, Mat from)
{
    if (to != from)
        memcpy(to->at, from->at,
               (size_t)to->rows * (size_t)to->cols * sizeof *to->at);
}

static bool has_value(const Argument *a)
{
    return a->instead != NULL && strspn(a->instead, "01") == 1;
}

/* Of all layers and heads at once, where the sheet has none. */
static void assume_matrix(Job *job, const Step *place, const char *what)
{
    Step any = { .name = place->name };
    char name[60];
    for (int k = 0; k < job->run.sheet->n; k++)
        if (job->argument[k] == argument_of(job, place->name))
            any = *place;
    step_name(name, sizeof name, &any);
    note_assumption(job, name, what);
}

/* What stands in for a matrix: I, 0, 1, or, where the sheet starts late, NaN
   for what is not known. */
static void bind_default(Job *job, const Step *place, Mat M)
{
    const Argument *a = argument_of(job, place->name);
    bool identity = job->identity && a->kind == WEIGHT,
         value = has_value(a),
         unknown = job->late && !identity
                && (!value || strncmp(a->name, "W_mlp", 5) == 0);
    assume_matrix(job, place, identity ? "I" : a->instead);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = unknown ? (real)NAN : identity ? i == j
                        : value && *a->instead == '1';
}

void bind_matrix(Job *job, const Step *place, Mat M)
{
    const Argument *a = argument_of(job, place->name);
    const Item *item = item_at(job, place);
    bool identity = job->identity && a->kind == WEIGHT;
    if (item == NULL && !has_value(a) && !identity)
        require_item(job, place->name, place->head);
    if (item != NULL)
        fill_matrix(job, M, a, item);
    else
        bind_default(job, place, M);
    bool shape = item == NULL && !identity && job->run.algorithm < 8
              && (job->late || !has_value(a));
    job->given[job->givens++] = (GivenMatrix){ *place, shape, M };
}

void bind_argument(Job *job, const char *name, int head)
{
    const Argument *a = argument_of(job, name);
    const Item *item = find_item(job, name, head);
    bool bare = a == NULL || (item == NULL && job->run.rms
                              && strcmp(name, "beta") == 0)
             || (item != NULL && item->word != NULL);
    bool other = !bare && item == NULL && (a->kind == MASK
                 || (a->instead != NULL && *a->instead == 'X'
                     && find_item(job, a->instead, 0) != NULL));
    if (other)
        note_assumption(job, name, a->instead);
    if (bare || other || (item == NULL && !job->late && !has_value(a)
                          && !job->identity))
        return;
    Mat M = constant(job->arena, size_or_1(job, a->rows),
                     a->cols == NULL ? 1 : size_or_1(job, a->cols));
    bind_matrix(job, &(Step){ .name = name, .head = head }, M);
}

static GivenMatrix *given_at(const Job *job, const Step *place)
{
    for (GivenMatrix *g = job->given; g < job->given + job->givens; g++)
        if (g->place.head == place->head && g->place.layer == place->layer
            && g->place.part == place->part
            && strcmp(g->place.name, place->name) == 0)
            return g;
    return NULL;
}

Mat matrix_given(const Bound *bound, const Step *place)
{
    const GivenMatrix *g = given_at(bound, place);
    return g == NULL || g->shape ? NULL : g->M;
}

Mat matrix_of_item(const Bound *bound, int k)
{
    const Item *item = &bound->run.sheet->item[k];
    if (bound->entered[k].row != NULL)
        return bound->entered[k].M;
    for (int i = 0; i < bound->givens && !item->claim; i++)
        if (item_at(bound, &bound->given[i].place) == item)
            return bound->given[i].M;
    return NULL;
}

Mat argument_matrix(Job *job, const char *name, int head)
{
    const Step place = { .name = name, .head = head };
    GivenMatrix *g = given_at(job, &place);
    if (g == NULL)
        require_item(job, name, head);
    Mat M = input(job->tape, g->M->rows, g->M->cols);
    copy_into(M, g->M);
    Mat other = g->shape ? M : vary(job, IS_GIVEN, &place, M);
    if (other->cols != M->cols)         /* X is exchanged with Z */
        return g->M = other;
    copy_into(M, other);
    return g->M = M;
}

Mask argument_mask(Job *job)
{
    const Item *item = find_item(job, "mask", 0);
    if (item == NULL || item->word != NULL)
        return word_given(job, "mask",
                          "none causal bidirectional unidirectional") % 2
               == 0 && item != NULL ? unidirectional : bidirectional;
    Mat M = argument_matrix(job, "mask", 0);
    for (int t_x = 1; t_x <= M->cols; t_x++) {
        double sees = 0;
        for (int t_z = 1; t_z <= M->rows; t_z++) {
            double v = (double)AT(M, t_z, t_x);
            int k = job->run.layout->rows ? (t_x - 1) * M->rows + t_z - 1
                                          : (t_z - 1) * M->cols + t_x - 1;
            if (v != 0 && v != 1)
                fail_in_text(job->f, item->entry[k].at, "an entry of the "
                             "mask is 1, may look, or 0, may not; in a mask "
                             "that is added, 0 or -inf.");
            sees += v;
        }
        if (sees == 0)
            fail_in_text(job->f, item->at, "the mask lets token %d look at "
                         "nothing: its %s holds no 1.", t_x,
                         job->run.layout->rows ? "row" : "column");
    }
    return mask_of(M);
}

Architecture architecture(const Job *job)
{
    static const Architecture of[] = {
        ED_TRANSFORMER, E_TRANSFORMER, D_TRANSFORMER,   /* 8 ... 10  */
        ED_TRANSFORMER, E_TRANSFORMER, D_TRANSFORMER,   /* 11 ... 13 */
        D_TRANSFORMER, ED_TRANSFORMER };                /* 14, 15    */
    return of[job->run.algorithm - 8];
}

Part part_of_item(const Job *job, const Item *item)
{
    static const Part of[] = { [OF_LAYER] = ENC, [OF_DECODER] = DEC };
    Owner owner = owner_of(item->name);
    return item->part != NOWHERE || owner == OF_MODEL ? item->part
         : architecture(job) == ED_TRANSFORMER ? of[owner] : LAYER;
}

int layers_of(const Hyperparameters *h, Part part)
{
    return part == LAYER ? h->L : part == ENC ? h->L_enc : h->L_dec;
}

Step place_of(const Parameter *p)
{
    return (Step){ .name = p->symbol, .part = p->part, .layer = p->layer,
                   .head = p->head };
}

bool is_at(const Job *job, int k, const Step *place)
{
    const Item *item = &job->run.sheet->item[k];
    if (job->argument[k] == NULL || strcmp(item->name, place->name) != 0)
        return false;
    int L = layers_of(&job->hyper, place->part);
    return (item->layer == place->layer || (item->layer == 0 && L == 1))
        && (item->head == place->head
            || (item->head == 0 && place->head == 1 && job->H == 1))
        && part_of_item(job, item) == place->part;
}

const Item *item_at(const Job *job, const Step *place)
{
    const Sheet *sheet = job->run.sheet;
    const Item *found = NULL;
    if (job->run.algorithm < 8)
        return find_item(job, place->name, place->head);
    for (int k = 0; k < sheet->n; k++)
        if (is_at(job, k, place)) {
            if (found != NULL)
                fail_in_text(job->f, sheet->item[k].at,
                             "%s is the same as %s; "
                             "give one of them.", sheet->item[k].typed,
                             found->typed);
            found = &sheet->item[k];
        }
    return found;
}
