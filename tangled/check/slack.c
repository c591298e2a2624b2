/* How far the rounding of what was typed reaches. */
#include "check/judging.h"
#include <math.h>
#include <string.h>

const double *find_slack(Judging *j, int w, Premise h, bool given)
{
    enum { MOST_NUMBERS = 300 };
    const Claim *c = &j->claim[w];
    size_t n = (size_t)c->item->rows * (size_t)c->item->cols;
    double *slack = arena_alloc(j->arena, n * sizeof *slack),
           *here = arena_alloc(j->arena, n * sizeof *here);
    Explanation why = under_premise(j, (Explanation){ .n = 0 }, h);
    bool done = true;
    memset(slack, 0, n * sizeof *slack);
    why.until = c->step;
    why.of_given = given;
    for (int k = 0; done && k <= why.numbers; k++) {
        why.nudged = k;
        const Run *run = run_by_explanation(j, &why, j->scratch);
        const Step *step = same_step(run, c->step);
        done = is_comparable(c->item, step) && !is_too_much(j)
            && why.numbers <= MOST_NUMBERS;
        for (size_t e = 0; done && e < n; e++) {
            double x = *claimed_entry(c->item, step->M, (int)e);
            here[e] = k == 0 ? x : here[e];
            slack[e] += x == here[e] ? 0 : fabs(x - here[e]);
        }
        clear_trial(j);
    }
    return done ? slack : NULL;
}

bool is_within(const Judging *j, int w, Premise h, const double *slack,
               int k)
{
    const Claim *c = &j->claim[w];
    const Step *step = same_step(j->run[h], c->step);
    Entry entry = c->item->entry[k];
    if (!is_comparable(c->item, step))
        return false;
    double x = *claimed_entry(c->item, step->M, k),
           off = fmax(fabs(entry.value - x) - slack[k] * (1 + 1e-6), 0);
    entry.value = x + off;
    return verdict_on(&entry, x) == RIGHT;
}

static bool reaches_all(Judging *j, int w, Premise h, bool given)
{
    const Judged *judged = &j->judged[w];
    const Item *item = judged->claim.item;
    const double *slack = find_slack(j, w, h, given);
    bool all = slack != NULL;
    for (int k = 0; all && k < item->rows * item->cols; k++)
        all = !is_off(judged, k) || is_within(j, w, h, slack, k);
    return all;
}

void find_rounding(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    int off = judged->count[WRONG] + judged->count[LAST_DIGIT];
    if (!judged->fits || off < 2
        || 2 * off < count_entries(judged->claim.item))
        return;
    if (w > 0 && j->run[AS_WRITTEN] != NULL
        && reaches_all(j, w, AS_WRITTEN, false))
        judged->within = WITHIN_CLAIMS;
    else if (!j->any_wrong && reaches_all(j, w, EXACTLY, true))
        judged->within = WITHIN_GIVEN;
}
