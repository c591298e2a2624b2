/* Slips in single entries of a product. */
#include "check/slip_run.h"
#include <math.h>

static const struct Product { Role role; const char *left, *right; }
    products[] = {
        { ROLE_QUERY,     "W_q'",    "X" },
        { ROLE_KEY,       "W_k'",    "Z" },
        { ROLE_VALUES,    "W_v'",    "Z" },
        { ROLE_QUERY,     "W_q'",    "e" },
        { ROLE_KEY,       "W_k'",    "e_t" },
        { ROLE_VALUES,    "W_v'",    "e_t" },
        { ROLE_KEY,       "W_k'",    "X" },
        { ROLE_VALUES,    "W_v'",    "X" },
        { ROLE_QUERY,     "W_q'",    "looking" },
        { ROLE_KEY,       "W_k'",    "looked_at" },
        { ROLE_VALUES,    "W_v'",    "looked_at" },
        { ROLE_SCORES,    "key",     "query" },
        { ROLE_MASKED,    "key",     "query" },
        { ROLE_MIXED,     "values'", "weights" },
        { ROLE_PROJECTED, "W_o'",    "heads" },
        { ROLE_ATTENDED,  "W_o'",    "heads" },
        { ROLE_HIDDEN,    "W_mlp1'", "into" },
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

static void note_cell(Search *to, CellSlip cell, double x)
{
    const Entry *entry = &to->claim->item->entry[cell.entry];
    if (to->n < MOST_CELLS && is_telling(entry, cell.change)
        && verdict_on(entry, x + cell.change) == RIGHT)
        to->cell[to->n++] = cell;
}

static void seek_cell(Search *to, const Mat factors[2], CellSlip cell,
                      double x)
{
    Mat L = factors[0], R = factors[1];
    for (int k = 1; k <= L->rows; k++) {
        double l = cell.left[0] = AT(L, k, cell.i),
               r = cell.right[0] = AT(R, k, cell.j);
        cell.kind = LEFT_OUT, cell.change = -l * r;
        note_cell(to, cell, x);
        cell.kind = WRONG_SIGN, cell.change = -2 * l * r;
        note_cell(to, cell, x);
        cell.kind = CROSSED;
        for (int u = k + 1; u <= L->rows; u++) {
            cell.left[1] = AT(L, u, cell.i);
            cell.right[1] = AT(R, u, cell.j);
            cell.change = (cell.left[1] - l) * (r - cell.right[1]);
            note_cell(to, cell, x);
        }
    }
}

static void exchange_factors(CellSlip *cell)
{
    for (int k = 0; k < 2; k++) {
        double left = cell->left[k];
        cell->left[k] = cell->right[k];
        cell->right[k] = left;
    }
}

static CellSlip cell_at(const Item *claim, int k, int i, int j)
{
    CellSlip cell = { .entry = k, .i = i, .j = j };
    char place[40];
    if (*entry_place(place, claim, k) != '\0')
        snprintf(cell.in, sizeof cell.in, "in %s ", place);
    return cell;
}

static void seek_cells(void *data, SlipRun *s, Mat M)
{
    enum { MOST_TERMS = 100 };
    Search *to = data;
    const Item *item = to->claim->item;
    const Step *step = to->claim->step;
    Mat factors[2];
    if (!shape_fits(item, step->M) || !find_factors(s, step, M, factors)
        || factors[0]->rows > MOST_TERMS)
        return;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            int k = step->turned ? entry_at(item, step->M, j, i)
                                 : entry_at(item, step->M, i, j);
            if (verdict_on(&item->entry[k], AT(M, i, j)) > RIGHT)
                seek_cell(to, factors, cell_at(item, k, i, j), AT(M, i, j));
        }
    for (int k = 0; k < to->n && step->turned; k++)
        exchange_factors(&to->cell[k]);
}

int find_cell_slips(const Bound *bound, Explanation why, const Claim *claim,
                    Arena *arena, Tape *tape, const CellSlip **cell)
{
    Search search = { .claim = claim };
    search.cell = arena_alloc(arena, MOST_CELLS * sizeof *search.cell);
    visit_step(bound, why,
               &(Visit){ claim->step, seek_cells, &search, false },
               arena, tape);
    *cell = search.cell;
    return search.n;
}

static const char *term_of(char to[60], double left, double right)
{
    double size = fmax(fabs(left), fabs(right));
    left = clear_noise(left, size);
    right = clear_noise(right, size);
    snprintf(to, 60, right < 0 ? "%.6g·(%.6g)" : "%.6g·%.6g", left, right);
    return to;
}

const char *cell_sentence(char *to, size_t size, const CellSlip *cell)
{
    char is[2][60], was[2][60];
    const double *l = cell->left, *r = cell->right;
    if (cell->kind == CROSSED)
        snprintf(to, size, "%s%s and %s stand for %s and %s", cell->in,
                 term_of(was[0], l[0], r[1]), term_of(was[1], l[1], r[0]),
                 term_of(is[0], l[0], r[0]), term_of(is[1], l[1], r[1]));
    else
        snprintf(to, size, "%sthe term %s %s", cell->in,
                 term_of(is[0], l[0], r[0]),
                 cell->kind == LEFT_OUT ? "is left out"
                                        : "has the wrong sign");
    return to;
}
