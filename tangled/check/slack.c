/* How far the rounding of what was typed reaches: each number that was
   rounded is tried half a unit of its last digit larger.

   Main type: Judging. Entry point: find_rounding. In goes a claim; out comes
   whether it is as near as the digits allow. */
#include "check/judging.h"
#include <math.h>
#include <string.h>

/* Adds to the slack of each entry of claim w by how much it is another under
   a premise than it was. */
static void add_changes(Judging *j, int w, Premise h, double *slack)
{
    const Claim *c = &j->claim[w];
    Explanation why = under_premise(j, (Explanation){ .until = c->step }, h);
    const Run *run = run_by_explanation(j, &why, j->scratch);
    const Step *without = same_step(j->run[h], c->step),
               *with = same_step(run, c->step);
    for (int k = 0; k < entries_of(c); k++)
        if (is_comparable(c->item, with) && is_comparable(c->item, without))
            slack[k] += fabs(*claimed_entry(c->item, with->M, k)
                             - *claimed_entry(c->item, without->M, k));
    clear_trial(j);
}

/* Tries the numbers that the sheet gives. Those of two decimals and more,
   and of as many digits, may have been rounded before. */
static void try_given(Judging *j, int w, Premise h, double *slack)
{
    const Run *run = j->run[EXACTLY];
    for (int i = 0; i < run->sheet->n; i++) {
        Mat M = matrix_of_item(run->bound, &run->sheet->item[i]);
        int decimals = most_decimals(&run->sheet->item[i]);
        double unit = unit_of(decimals);
        for (int k = 0; M != NULL && decimals > 1 && k < M->rows * M->cols;
             k++) {
            real x = M->at[k];
            if (x == round(x) || fabs(x) < 10 * unit || is_too_much(j))
                continue;
            M->at[k] += (real)(unit / 2);
            add_changes(j, w, h, slack);
            M->at[k] = x;
        }
    }
}

/* Tries the numbers of the claims before, which are carried on. */
static void try_claims(Judging *j, int w, Premise h, double *slack)
{
    for (int i = 0; i < w; i++) {
        Entry *entry;
        const Claim written = j->claim[i];
        j->claim[i] = copy_claim(j->arena, &written, &entry);
        for (int k = 0; k < entries_of(&written); k++) {
            double x = entry[k].value;
            if (isnan(x) || entry[k].decimals == EXACT || is_too_much(j))
                continue;
            entry[k].value += unit_of(entry[k].decimals) / 2;
            add_changes(j, w, h, slack);
            entry[k].value = x;
        }
        j->claim[i] = written;
    }
}

/* Whether each entry of claim w that is off is as near to the number under
   a premise as the rounding allows of what is given, or of the claims that
   are carried on. */
static bool is_within(Judging *j, int w, Premise h, bool given)
{
    const Claim *c = &j->claim[w];
    const Step *step = same_step(j->run[h], c->step);
    int n = c->item->rows * c->item->cols;
    size_t bytes = (size_t)n * sizeof(double);
    double *slack = memset(arena_alloc(j->arena, bytes), 0, bytes);
    if (c->step->aspect != VALUE || !is_comparable(c->item, step))
        return false;
    (given ? try_given : try_claims)(j, w, h, slack);
    for (int k = 0; k < n; k++) {
        Entry entry = c->item->entry[k];
        double x = *claimed_entry(c->item, step->M, k);
        entry.value = x + fmax(fabs(entry.value - x)
                               - slack[k] * (1 + 1e-6), 0);
        if (is_off(&j->judged[w], k) && verdict_on(&entry, x) != RIGHT)
            return false;
    }
    return true;
}

void find_rounding(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    int off = judged->count[WRONG] + judged->count[LAST_DIGIT];
    bool any_wrong = false;
    for (int k = 0; k < w; k++)
        any_wrong |= went_wrong(&j->judged[k]);
    if (!judged->fits || off < 2
        || 2 * off < count_entries(judged->claim.item))
        return;
    if (w > 0 && j->run[AS_WRITTEN] != NULL
        && is_within(j, w, AS_WRITTEN, false))
        judged->within = WITHIN_CLAIMS;
    else if (!any_wrong && is_within(j, w, EXACTLY, true))
        judged->within = WITHIN_GIVEN;
}
