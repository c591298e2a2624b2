/* Shapes: each letter has one size, and a layout fits or does not.

   Main type: Dimensions. Entry points: all_fit, refuse_shape, limit_sizes.
   Items flow in, sizes flow out. */
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

bool is_X_without_it(const Argument *a)
{
    return a->instead != NULL && *a->instead == 'X';
}

bool is_for_each_entry(const Argument *a, const Item *item)
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
    return job->given[k].item->word != NULL ? NULL : job->given[k].shape;
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
    if (!algorithm_table[job->run.algorithm].heads
        || agree(d, "H d_mid", most, NULL, misfit))
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
        if (is_X_without_it(a) && find_item(job, a->name, 0) == NULL)
            same = argument_of(job, a->instead);
        for (int k = 0; k < sheet->n; k++)
            if (shape_of(job, k) == same
                && !fits(a, &sheet->item[k], layout, d, misfit))
                return false;
    }
    for (int k = 0; k < sheet->n; k++)
        if (job->given[k].place.row != NULL
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

int most_of(const Job *job, const char *names, bool numbered, int most)
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        int n = numbered ? item->head : item->rows * item->cols;
        if (!item->claim && n > most
            && word_in(names, item->name, strlen(item->name)))
            most = n;
    }
    return most;
}

int longest_sequence(const Job *job)
{
    int ell_x = letter_size(&job->size, "ell_x"),
        ell_z = letter_size(&job->size, "ell_z"),
        most = most_of(job, "x z", false, 1);
    most = ell_x > most ? ell_x : most;
    most = ell_z > most ? ell_z : most;
    if (infers(job->run.algorithm) && !has_pairs(job->run.algorithm))
        return most + job->loop.ell_gen - 1;
    return most > job->loop.ell_gen ? most : job->loop.ell_gen;
}

void limit_sizes(const Job *job)
{
    bool model = has_model(job->run.algorithm);
    for (const StepRow *row = step_table; row < step_table + step_rows;
         row++) {
        const char *const letters[] = { row->high, row->wide };
        double n = comes_by(job->run.algorithm, row->algorithm);
        for (int k = 0; k < 2 && n > 0; k++)
            n *= model && strncmp(letters[k], "ell", 3) == 0
               ? longest_sequence(job)
               : size_or_1(job, letter_of(job, row, letters[k], NOWHERE));
        limit_entries(job, n);
    }
}
