/* Which slips explain a claim? */
#include "check/judging.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct {
    const Judging *j;
    int w;                      /* the claim that it may explain          */
    Premise h;
    bool made;                  /* met its places                         */
    bool fits;                  /* explains the claim                     */
} SlipTrial;

/* Whether a claim before that one has fewer right entries at this step than
   without the slip. */
static bool refutes(void *to, const Step *step)
{
    const SlipTrial *trial = to;
    const Run *without = trial->j->run[trial->h],
               with = { .n = 1, .step = step };
    for (int k = 0; k < trial->w; k++) {
        const Claim *c = &trial->j->claim[k];
        const Step *was = same_place(c->step, step)
                        ? same_step(without, step) : NULL;
        if (was != NULL && !has_same_bits(was, step)
            && count_right(c, &with) < count_right(c, without))
            return true;
    }
    return false;
}

/* One weight that is 1 for 0, or 0 for 1: a mistyped digit does that, too,
   and it proves no slip. */
static bool is_one_digit(const Claim *c, const Step *right)
{
    int wrong = 0, digits = 0;
    if (!sums_to_1(right) || !shape_fits(c->item, right->M))
        return false;
    for (int k = 0; k < c->item->rows * c->item->cols; k++) {
        Entry typed = c->item->entry[k], other = typed;
        double x = *claimed_entry(c->item, right->M, k);
        other.value = 1 - typed.value;
        wrong += verdict_on(&typed, x) > RIGHT;
        digits += (typed.value == 0 || typed.value == 1)
               && verdict_on(&other, x) == RIGHT;
    }
    return wrong == 1 && digits == 1;
}

/* Returns whether one rule for ties explains the claim of a weight where the
   e^x are rounded: away from 0, towards 0, to the even digit, or as a
   computer prints them. (Where terms are added, a computer has no rule.) */
static bool ties_agree(const Run *run, const Claim *c)
{
    const Step *step = same_step(run, c->step);
    bool away = true, towards = true, even = true, printed = true;
    for (int k = 0; k < c->item->rows * c->item->cols; k++) {
        const Entry *entry = &c->item->entry[k];
        double x = *claimed_entry(c->item, step->M, k), typed = entry->value,
               unit = unit_of(entry->decimals), half = unit / 2;
        char text[60];
        if (entry->decimals == EXACT
            || !(fabs(fabs(typed - x) - half) < unit / 1e4))
            continue;
        double tie = round(x / half) / round(1 / half);
        snprintf(text, sizeof text, "%.*f", entry->decimals, tie);
        away &= fabs(typed) > fabs(x);
        towards &= fabs(typed) < fabs(x);
        even &= fmod(round(fabs(typed) / unit), 2) == 0;
        printed &= fabs(strtod(text, NULL) - typed) < half;
    }
    return away || towards || even || printed;
}

static SlipTrial try_under(Judging *j, int w, Explanation why, Premise h)
{
    SlipTrial trial = { j, w, h, false, false };
    const Claim *c = &j->claim[w];
    why = under_premise(j, why, h);
    why.until = c->step;
    why.refutes = refutes;
    why.to = &trial;
    const Run *run = run_by_explanation(j, &why, j->scratch);
    trial.made = why.made;
    const Step *slipped = same_step(run, c->step),
               *right = same_step(j->run[h], c->step);
    if (trial.made && slipped != NULL && right != NULL
        && !has_same_numbers(slipped, right)) {
        trial.fits = is_right_in(c, run)
                  && (!sums_to_1(c->step) || !is_rounding(why.slip)
                      || ties_agree(run, c))
                  && !is_one_digit(c, right);
    }
    clear_trial(j);
    return trial;
}

int count_right_later(const Judging *j, int w, const Run *const *run)
{
    int n = 0;
    for (int k = w + 1; k < j->n; k++) {
        int most = 0;
        for (Premise h = EXACTLY; h < PREMISES; h++) {
            int here = run[h] == NULL ? 0 : count_right(&j->claim[k], run[h]);
            most = here > most ? here : most;
        }
        n += most;
    }
    return n;
}

/* Keeps a reason if it makes as many later entries right as any other. */
static void keep_reason(Judging *j, int w, Explanation why, Premise at)
{
    const Run *run[PREMISES] = { NULL };
    for (Premise h = EXACTLY; h < PREMISES && w + 1 < j->n; h++) {
        Explanation e = under_premise(j, why, h);
        run[h] = run_by_explanation(j, &e, j->scratch);
    }
    int right = count_right_later(j, w, run);
    clear_trial(j);
    if (right > j->best) {
        j->found = 0;
        j->best = right;
    }
    if (right == j->best && j->found < MOST_FOUND)
        j->why[j->found++] = under_premise(j, why, at);
}

/* Finds the premises by which the numbers before claim w may have come
   about, each but for those that lead to the same bits, and the steps that
   matter by it: behind a claim that is carried on as written none does. */
static void open_premises(Judging *j, int w)
{
    const Run *exact = j->run[EXACTLY];
    size_t n = (size_t)exact->n;
    int until = (int)(j->claim[w].step - exact->step);
    bool *carried = memset(arena_alloc(j->arena, n), 0, n);
    for (int k = 0; k < w; k++)
        carried[j->claim[k].step - exact->step] = true;
    for (Premise h = EXACTLY; h < PREMISES; h++) {
        j->open[h] = h == EXACTLY ? j->slips == NULL && j->unexplained_n == 0
                                  : w > 0;
        for (Premise other = EXACTLY; other < h && j->open[h]; other++) {
            const Run *a = j->run[other], *b = j->run[h];
            bool same = j->open[other] && a->n > until && b->n > until;
            for (int k = until; same && k >= 0; k--)
                same = has_same_bits(&a->step[k], &b->step[k]);
            j->open[h] = !same;
        }
        j->reach[h] = arena_alloc(j->arena, n);
        find_origins(exact, j->claim[w].step,
                     h == AS_WRITTEN ? carried : NULL, j->reach[h]);
    }
}

/* Whether it explains the claim by one of the premises. */
static bool try_reason(Judging *j, int w, Explanation why)
{
    for (Premise h = EXACTLY; h < PREMISES && !is_too_much(j); h++) {
        if (!j->open[h]
            || (why.slip != NULL && !can_apply(j->run[EXACTLY], why.slip,
                                               j->reach[h], why.only, true)))
            continue;
        SlipTrial trial = try_under(j, w, why, h);
        if (trial.fits)
            keep_reason(j, w, why, h);
        if (!trial.made || trial.fits)
            return trial.fits;
    }
    return false;
}

/* Whether it is another thing to make the slip only there. */
static bool is_narrower(const Judging *j, const Slip *slip,
                        const Step *only, bool fits)
{
    bool narrow = only->layer > 0 || only->head > 0 || only->turn > 0;
    const Run *run = j->run[EXACTLY];
    const bool *reach = j->reach[EXACTLY];
    return narrow && can_apply(run, slip, reach, only, true)
        && (fits || can_apply(run, slip, NULL, only, false));
}

/* Tries the slip wherever it can be made; then only in the layer, the head
   and the turn of the claim. */
static void try_slip(Judging *j, int w, const Slip *slip)
{
    Explanation why = { .slip = slip };
    int before = j->found, best = j->best;
    bool explains_all = try_reason(j, w, why);
    bool fits = j->found != before || j->best != best;
    int found = j->found;
    best = j->best;
    why.only = j->claim[w].step;
    if (is_narrower(j, slip, why.only, explains_all))
        try_reason(j, w, why);
    if (fits && j->best == best)
        j->found = found;
}

enum {
    MOST_REASONS = 3,           /* for one entry                          */
    MOST_WRONG = 50             /* entries, each with its own reason      */
};

static bool is_seldom_wrong(const Judging *j, int w, Premise h)
{
    const Claim *c = &j->claim[w];
    int all = count_entries(c->item);
    int wrong = all - count_right(c, j->run[h]);
    return wrong == 1 || (wrong <= MOST_WRONG && 2 * wrong < all);
}

/* The cell slip of that number, from 0, about an entry; or NULL. */
static const CellSlip *cell_of(const CellSlip *cell, int cells, int entry,
                               int number)
{
    for (int k = 0; k < cells; k++)
        if (cell[k].entry == entry && number-- == 0)
            return &cell[k];
    return NULL;
}

/* One reason for each wrong entry, the one of that number if it has so
   many; false: an entry has none, or too many, or none has so many. */
static bool choose_cells(Judging *j, int w, Premise h, const CellSlip *cell,
                         int cells, int number, Explanation *why)
{
    const Claim *c = &j->claim[w];
    int all = c->item->rows * c->item->cols;
    CellSlip *chosen = arena_alloc(j->arena, (size_t)all * sizeof *chosen);
    bool another = false;
    *why = (Explanation){ .cell = chosen, .only = c->step };
    for (int k = 0; k < all; k++) {
        if (verdict_in(c, k, j->run[h]) <= RIGHT)
            continue;
        const CellSlip *it = cell_of(cell, cells, k, number);
        another |= it != NULL;
        it = it != NULL ? it : cell_of(cell, cells, k, 0);
        if (it == NULL || cell_of(cell, cells, k, MOST_REASONS) != NULL)
            return false;
        chosen[why->cells++] = *it;
    }
    return another;
}

static void look_for_cells(Judging *j, int w, Premise h)
{
    const CellSlip *cell;
    Explanation why;
    if (!is_seldom_wrong(j, w, h))
        return;
    int cells = find_cell_slips(j->run[EXACTLY]->bound,
                                under_premise(j, (Explanation){ .n = 0 }, h),
                                &j->claim[w], j->arena, j->tape, &cell);
    for (int k = 0; !is_too_much(j)
                    && choose_cells(j, w, h, cell, cells, k, &why); k++)
        keep_reason(j, w, why, h);
}

static bool is_of_kind(const Slip *slip, int kind)
{
    return kind == ANY_SLIP || is_slight(slip)
        || (kind == SLIGHT_SLIP && is_rounding(slip));
}

void find_reasons(Judging *j, int w, int kind)
{
    open_premises(j, w);
    for (int a = 0; a < slips_n; a++)
        if (is_of_kind(&slips[a], kind)
            && can_apply(j->run[EXACTLY], &slips[a], j->reach[EXACTLY], NULL,
                         true))
            try_slip(j, w, &slips[a]);
    bool others = j->judged[w].fits && kind == ANY_SLIP;
    for (Premise h = EXACTLY; others && h < PREMISES && j->found == 0;
         h++)
        if (j->open[h])
            look_for_cells(j, w, h);
    if (kind != SLIGHT_BUT_NO_ROUNDING && j->found == 0)
        find_rounding(j, w);
}
