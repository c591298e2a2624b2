/* Shapes: each letter has one size, and a layout fits or does not.

   Main types: Dimensions, Misfit. Entry point: all_fit. */
#include "sheet/shape.h"
#include <string.h>

bool is_transposed(Kind kind, const Layout *layout)
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

int letter_size(const Dimensions *d, const char *symbol)
{
    const Dimension *found = dimension(d, symbol);
    return found == NULL ? 0 : found->size;
}

/* `gamma = 1` stands for a vector of ones, and so does any one number where
   a vector may be left out. */
bool is_for_each_entry(const Argument *a, const Item *item)
{
    return a->kind == VECTOR && a->instead != NULL && *a->instead != '\0'
        && item->rows * item->cols == 1;
}

static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d, Misfit *misfit)
{
    int rows = item->rows, cols = item->cols;
    bool line = rows == 1 || cols == 1;
    *misfit = (Misfit){ item, a, NULL, 0 };
    if (a->kind == LIST)
        return line;
    if (is_for_each_entry(a, item))
        return true;
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
             && find_item(job, a->name, 0) == NULL;
    const Argument *same = is_X ? argument_of(job, "X") : a;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (item->word == NULL && job->argument[k] == same
            && !fits(a, as_tried(job, item), layout, d, misfit))
            return false;
    }
    return true;
}

/* H d_mid is told by W_o, or by all heads together, and by each head. */
static void blame_shared(const Job *job, const Dimensions *d,
                         Misfit *misfit)
{
    const Dimension *shared = misfit->letter, *mid = dimension(d, "d_mid");
    Dimension *by_heads = arena_alloc(job->arena, sizeof *by_heads);
    *by_heads = (Dimension){ shared->symbol, misfit->is, mid->by };
    *misfit = (Misfit){ shared->by, argument_of(job, "W_o"), by_heads,
                        shared->size };
    for (int k = 0; k < job->run.sheet->n; k++)
        if (shared->by == &job->run.sheet->item[k]
            && job->entered[k].row != NULL)
            misfit->argument = &job->entered[k].shape;
}

/* What no matrix tells: d_attn as a number, the heads' share of Y, and W
   that are left out. */
static bool settle_sizes(const Job *job, Dimensions *d, Misfit *misfit)
{
    const Item *d_attn = find_item(job, "d_attn", 0),
               *X = find_item(job, "X", 0);
    int d_x = letter_size(d, job->run.algorithm == 3 ? "d_in" : "d_x");
    if (d_attn != NULL && job->run.algorithm <= 5
        && !agree(d, "d_attn", integer_given(job, "d_attn", 1, 1000000, ""),
                  d_attn,
                  misfit))
        fail_in_text(job->f, d_attn->at, "d_attn is %d, but by %s it is %d.",
                     misfit->is, misfit->letter->by->typed,
                     misfit->letter->size);
    static const char *const squares[] = { "d_attn", "d_out", "d_mid",
                                           "H d_mid" };
    for (int k = 0; job->identity && k < 4; k++)
        agree(d, squares[k], d_x, X, misfit);
    if (job->identity && !agree(d, "d_z", d_x, X, misfit)) {
        misfit->item = X;       /* W_k is I */
        misfit->argument = argument_of(job, "X");
        return false;
    }
    int mid = letter_size(d, "d_mid"), all = letter_size(d, "H d_mid");
    if (job->run.algorithm < 5)
        return true;
    if (mid == 0) {
        mid = all < job->H ? 1 : all / job->H;
        agree(d, "d_mid", mid, NULL, misfit);
    }
    bool fit = agree(d, "H d_mid", job->H * mid, NULL, misfit);
    if (!fit)
        blame_shared(job, d, misfit);
    return fit;
}

bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
             Misfit *misfit)
{
    const Sheet *sheet = job->run.sheet;
    d->n = 0;
    agree(d, "1", 1, NULL, misfit);
    for (int k = 0; k < argument_rows; k++) {
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
    bool named = find_item(job, "layout", 0) != NULL;
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

_Noreturn void refuse_shape(const Job *job, const Misfit *m)
{
    char better[80] = "";
    const Layout *layout = job->run.layout;
    const Item *item = m->item;
    const Argument *a = m->argument;
    for (int k = 0; k < LAYOUTS; k++) {
        Dimensions d;
        Misfit other;
        if (all_fit(job, &layouts[k], &d, &other))
            append(better, sizeof better, "%s%s", *better != '\0' ? " or "
                   : "; all shapes would fit under layout ",
                   layouts[k].name);
    }
    const Layout *under;
    const Item *alone = *better == '\0' ? turned_alone(job, &under) : NULL;
    if (alone != NULL)
        fail_in_text(job->f, alone->at,
                     "%s is %d x %d and alone does not fit "
                     "layout %s (%s); type its transpose, %d x %d.",
                     alone->typed,
                     alone->rows, alone->cols, under->name, under->meaning,
                     alone->cols, alone->rows);
    if (m->letter == NULL)
        fail_in_text(job->f, item->at, "%s is %d x %d; it must be one row or "
                     "one column.", item->typed, item->rows, item->cols);
    bool turn = is_transposed(a->kind, layout);
    const Dimension *letter = m->letter;
    bool one = strcmp(letter->symbol, "1") == 0;
    char shape[80], but[80];
    if (a->kind == VECTOR)
        snprintf(shape, sizeof shape, "%s %s", a->rows,
                 one ? "entry" : "entries");
    else
        snprintf(shape, sizeof shape, "%s x %s", turn ? a->cols : a->rows,
                 turn ? a->rows : a->cols);
    if (one)
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

