/* Slips in single entries of a product.

   Main type: CellSlip. Entry point: find_cell_slips. In go a claim and the
   factors of its product; out come terms that were left out or negated. */
#include "check/slip_run.h"
#include <math.h>

static const struct Product { Role role; const char *left, *right; }
    products[] = {
        { ROLE_QUERY,     "W_q'",    "query_input" },
        { ROLE_KEY,       "W_k'",    "key_input" },
        { ROLE_VALUES,    "W_v'",    "key_input" },
        { ROLE_SCORES,    "key",     "query" },
        { ROLE_MASKED,    "key",     "query" },
        { ROLE_MIXED,     "values'", "weights" },
        { ROLE_PROJECTED, "W_o'",    "heads" },
        { ROLE_ATTENDED,  "W_o'",    "heads" },
        { ROLE_HIDDEN,    "W_mlp1'", "mlp_input" },
        { ROLE_MLP,       "W_mlp2'", "active" },
        { ROLE_FED,       "W_mlp2'", "active" },
        { ROLE_LOGITS,    "W_u'",    "input" },
        { ROLE_LOGITS,    "W_e",     "input" },
    };

bool find_factors(SlipRun *s, const Step *step, Mat M, Mat factors[2])
{
    for (int k = 0; k < COUNT(products); k++) {
        if (products[k].role != step->role)
            continue;
        factors[0] = evaluate_formula(s, products[k].left, M);
        factors[1] = evaluate_formula(s, products[k].right, M);
        if (factors[0] != NULL && factors[1] != NULL
            && factors[0]->rows == factors[1]->rows
            && factors[0]->cols == M->rows && factors[1]->cols == M->cols)
            return true;
    }
    return false;
}

static bool is_telling(const Entry *entry, double change)
{
    double size = fabs(change);
    bool whole = same_number(size, round(size));
    bool exact = entry->decimals == EXACT
              && !same_number(entry->value, round(entry->value));
    double unit = entry->decimals == EXACT ? 1 : unit_of(entry->decimals);
    return whole ? size >= 1.5 : exact || size >= 10 * unit;
}

enum { MOST_CELLS = 300 };

typedef struct {
    const Claim *claim;         /* whose entries slips are sought for     */
    int n;                      /* those that are found                   */
    CellSlip *cell;
} Search;

static bool is_found(const Search *to, const CellSlip *cell)
{
    for (int k = 0; k < to->n; k++) {
        const CellSlip *c = &to->cell[k];
        if (c->entry == cell->entry && c->left == cell->left
            && c->right == cell->right && c->change == cell->change)
            return true;
    }
    return false;
}

/* Finds the terms of entry (i, j), which should be x. */
static void search_entry(Search *to, const Mat factors[2], int i, int j,
                         double x)
{
    const Item *item = to->claim->item;
    const Step *step = to->claim->step;
    CellSlip cell = { .i = i, .j = j };
    cell.entry = step->transposed ? entry_at(item, step->M, j, i)
                              : entry_at(item, step->M, i, j);
    const Entry *entry = &item->entry[cell.entry];
    char place[40];
    if (verdict_on(entry, x) <= RIGHT)
        return;
    if (*entry_place(place, item, cell.entry) != '\0')
        snprintf(cell.in, sizeof cell.in, "in %s ", place);
    for (int k = 1; k <= factors[0]->rows; k++)
        for (int times = 1; times <= 2; times++) {
            double l = AT(factors[0], k, i), r = AT(factors[1], k, j);
            cell.left = step->transposed ? r : l;
            cell.right = step->transposed ? l : r;
            cell.wrong_sign = times == 2;
            cell.change = -times * l * r;
            if (to->n < MOST_CELLS && is_telling(entry, cell.change)
                && verdict_on(entry, x + cell.change) == RIGHT
                && !is_found(to, &cell))
                to->cell[to->n++] = cell;
        }
}

static void search_entries(void *data, SlipRun *s, Mat M)
{
    enum { MOST_TERMS = 100 };
    Search *to = data;
    const Step *step = to->claim->step;
    Mat factors[2];
    if (!shape_fits(to->claim->item, step->M)
        || !find_factors(s, step, M, factors)
        || factors[0]->rows > MOST_TERMS)
        return;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            search_entry(to, factors, i, j, AT(M, i, j));
}

int find_cell_slips(const Bound *bound, Explanation why, const Claim *claim,
                    Arena *arena, Tape *tape, const CellSlip **cell)
{
    Search search = { .claim = claim };
    search.cell = arena_alloc(arena, MOST_CELLS * sizeof *search.cell);
    visit_step(bound, why,
               &(Visit){ claim->step, search_entries, &search },
               arena, tape);
    *cell = search.cell;
    return search.n;
}

const char *cell_sentence(char *to, size_t size, const CellSlip *cell)
{
    double most = fmax(fabs(cell->left), fabs(cell->right));
    double left = clear_noise(cell->left, most),
           right = clear_noise(cell->right, most);
    snprintf(to, size, right < 0 ? "%sthe term %.6g·(%.6g) %s"
                                 : "%sthe term %.6g·%.6g %s", cell->in, left,
             right, cell->wrong_sign ? "has the wrong sign" : "is left out");
    return to;
}
