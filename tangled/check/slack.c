/* How far the rounding of what was typed reaches: each entry by the gradient
   with respect to what was rounded.

   Main type: Reach. Entry point: find_rounding. */
#include "check/judging.h"
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

typedef struct {
    Judging *j;
    int w;                      /* the claim                              */
    Premise h;
    bool given, all;            /* what is rounded; must all be within?   */
    double *slack;
} Reach;

static void find_reach(void *to, SlipRun *s, Mat M)
{
    const Reach *r = to;
    const Claim *c = &r->j->claim[r->w];
    Mat shown = c->step->M;
    bool *beyond = arena_alloc(s->arena, (size_t)M->cols + 1);
    memset(beyond, 0, (size_t)M->cols + 1);
    for (int k = 0; k < c->item->rows * c->item->cols; k++) {
        if (!is_off(&r->j->judged[r->w], k) || is_too_much(r->j))
            continue;
        int at = (int)(claimed_entry(c->item, shown, k) - shown->at),
            row = at % shown->rows + 1, column = at / shown->rows + 1,
            i = c->step->turned ? column : row,
            j = c->step->turned ? row : column;
        if (beyond[j])
            continue;
        r->slack[k] = rounding_reach(s, M, i, j, r->given);
        r->j->work += 4.0 * M->rows * M->cols;
        beyond[j] = !is_within(r->j, r->w, r->h, r->slack, k);
        if (beyond[j] && r->all)
            return;
    }
}

const double *find_slack(Judging *j, int w, Premise h, bool given, bool all)
{
    const Claim *c = &j->claim[w];
    size_t bytes = (size_t)c->item->rows * (size_t)c->item->cols
                 * sizeof(double);
    Reach reach = { j, w, h, given, all,
                    memset(arena_alloc(j->arena, bytes), 0, bytes) };
    if (c->step->aspect == VALUE && is_comparable(c->item, c->step))
        visit_step(j->run[EXACTLY]->bound,
                   under_premise(j, (Explanation){ .n = 0 }, h),
                   &(Visit){ c->step, find_reach, &reach, true }, j->scratch,
                   j->tape);
    clear_trial(j);
    return reach.slack;
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
    const double *slack = find_slack(j, w, h, given, true);
    bool all = true;
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
