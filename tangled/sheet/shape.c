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

/* A letter whose size is fixed; NULL: it is not. */
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
    int size = symbol == NULL ? 0 : letter_size(&job->size, symbol);
    return size > 0 ? size : 1;
}

static const double step_entries = 2e6; /* of all steps of a run together */

void limit_entries(const Job *job, double entries)
{
    if (entries > step_entries)
        fail_in_text(job->f, job->start->at, "the steps would have more than "
                     "two million entries.");
}

/* Whether a letter has that size, or has got it now. The heads of Algorithm 5
   share the rows of Y: "H d_mid" is a product, and whichever of it and d_mid
   is mentioned first fixes the other. */
static bool agree(Dimensions *d, const char *symbol, int size,
                  const Item *item)
{
    const Dimension *fixed = dimension(d, symbol);
    if (fixed == NULL) {
        Dimension new = { symbol, size, item };
        if (strcmp(symbol, "H d_mid") == 0) {
            const Dimension *mid = dimension(d, "d_mid");
            if (mid == NULL)
                agree(d, "d_mid", size < d->H ? 1 : size / d->H, item);
            new.by = mid == NULL ? NULL : mid->by;
            new.size = d->H * letter_size(d, "d_mid");
        }
        fixed = &d->dimension[d->n];
        d->dimension[d->n++] = new;
    }
    d->misfit.letter = fixed;
    d->misfit.is = size;
    return fixed->size == size;
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

/* Whether an item has the shape of an argument; its letters are fixed. */
static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d)
{
    bool turn = is_transposed(a->kind, layout),
         line = item->rows == 1 || item->cols == 1,
         vector = a->kind == VECTOR || (a->kind == ONE_OR_MORE && line);
    int n = item->rows * item->cols,
        rows = vector ? n : turn ? item->cols : item->rows;
    d->misfit = (Misfit){ item, a, NULL, 0 };
    if (item->word != NULL || is_for_each_entry(a, item))
        return true;
    if (a->kind == LIST || a->kind == VECTOR)
        return line && (a->kind == LIST || agree(d, a->rows, n, item));
    return agree(d, a->rows, rows, item) && agree(d, a->cols, n / rows, item);
}

/* Settles what no matrix says: d_attn as a number, W that are left out. */
static bool settle_sizes(const Job *job, Dimensions *d)
{
    static const char *const squares[] = { "d_attn", "d_out", "d_mid",
                                           "d_z" };
    bool one = job->run.algorithm == 3;
    const char *name = one ? "e" : "X";
    const Item *d_attn = find_item(job, "d_attn", 0);
    if (d_attn != NULL
        && !agree(d, "d_attn", integer_given(job, "d_attn", 1, 1, 1000000,
                                             ""), d_attn))
        fail_in_text(job->f, d_attn->at, "d_attn is %d, but by %s it is %d.",
                     d->misfit.is, d->misfit.letter->by->typed,
                     d->misfit.letter->size);
    for (int k = 0; job->identity && k < 4; k++) {
        d->misfit.item = find_item(job, name, 0);
        d->misfit.argument = argument_of(job, name);
        if (!agree(d, squares[k], letter_size(d, one ? "d_in" : "d_x"),
                   d->misfit.item))
            return false;
    }
    int mid = letter_size(d, "d_mid");
    return agree(d, "H d_mid", d->H * (mid == 0 ? 1 : mid), NULL);
}

bool all_fit(const Job *job, const Layout *layout, Dimensions *d)
{
    *d = (Dimensions){ .H = job->H };
    agree(d, "1", 1, NULL);
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        const Argument *same = a;
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        if (is_X_without_it(a) && find_item(job, a->name, 0) == NULL)
            same = argument_of(job, a->instead);
        for (const Given *g = job->given; g->item != NULL; g++)
            if (g->shape == same && !fits(a, g->item, layout, d))
                return false;
    }
    for (const Given *g = job->given; g->item != NULL; g++)
        if (g->place.row != NULL && !fits(g->shape, g->item, layout, d))
            return false;
    return settle_sizes(job, d);
}

/* Writes the end of a refusal: under which layouts all shapes would fit. */
static void list_layouts(const Job *job, char *list, size_t size)
{
    Dimensions d;
    *list = '\0';
    for (int k = 0; k < LAYOUTS; k++)
        if (all_fit(job, &layouts[k], &d))
            append(list, size, "%s%s", *list != '\0' ? " or "
                   : "; all shapes would fit under layout ",
                   layouts[k].name);
}

_Noreturn void refuse_shape(const Job *job, const Misfit *m)
{
    char better[80], shape[80], why[300];
    const Layout *layout = job->run.layout;
    const Item *item = m->item;
    const Argument *a = m->argument;
    const Dimension *letter = m->letter;
    bool turn = is_transposed(a->kind, layout);
    list_layouts(job, better, sizeof better);
    if (a->kind == VECTOR)
        snprintf(shape, sizeof shape, "%s entries", a->rows);
    else
        snprintf(shape, sizeof shape, "%s x %s", turn ? a->cols : a->rows,
                 turn ? a->rows : a->cols);
    if (letter == NULL)
        snprintf(why, sizeof why, "; it must be one row or one column");
    else if (*letter->symbol == '1')
        snprintf(why, sizeof why, "; in layout %s it is %s%s", layout->name,
                 shape, better);
    else if (letter->by == NULL)
        snprintf(why, sizeof why, ", %s in layout %s; so %s would be %d, and "
                 "H is %d%s", shape, layout->name, letter->symbol, m->is,
                 job->H, better);
    else
        snprintf(why, sizeof why, ", %s in layout %s; so %s would be %d, but "
                 "by %s it is %d%s", shape, layout->name, letter->symbol,
                 m->is, letter->by->typed, letter->size, better);
    fail_in_text(job->f, item->at, "%s is %d x %d%s.", item->typed,
                 item->rows, item->cols, why);
}

int most_of(const Job *job, const char *names, bool numbered, int most)
{
    for (const Given *g = job->given; g->item != NULL; g++) {
        int n = numbered ? g->item->head : g->item->rows * g->item->cols;
        if (n > most && word_in(names, g->item->name, strlen(g->item->name)))
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
    if (job->run.algorithm == 14)
        return most + job->loop.ell_gen - 1;
    return most > job->loop.ell_gen ? most : job->loop.ell_gen;
}

void limit_sizes(const Job *job)
{
    bool model = has_model(job->run.algorithm);
    for (const StepRow *row = step_table; row->name != NULL; row++) {
        const char *const letters[] = { row->high, row->wide };
        double n = is_or_calls(job->run.algorithm, row->algorithm);
        for (int k = 0; k < 2 && n > 0; k++)
            n *= model && strncmp(letters[k], "ell", 3) == 0
               ? longest_sequence(job)
               : size_or_1(job, letter_of(job, row, letters[k], NOWHERE));
        limit_entries(job, n);
    }
}
