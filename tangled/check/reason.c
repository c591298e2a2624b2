/* Which slips explain a claim?

   Entry point: find_reasons. In go a claim that went wrong and the table of
   slips; out come explanations, in the Judging. */
#include "check/judging.h"
#include <string.h>

/* Whether a claim before claim w has fewer right entries in a run than under
   the premise alone. */
static bool spoils_earlier(const Judging *j, int w, const Run *run, Premise h)
{
    bool spoils = false;
    for (int k = 0; k < w && !spoils; k++)
        spoils = count_right(&j->claim[k], run)
               < count_right(&j->claim[k], j->run[h]);
    return spoils;
}

/* Whether a run with a slip explains claim w, where h is the premise. */
static bool explains(const Judging *j, int w, const Run *run, Premise h)
{
    const Claim *c = &j->claim[w];
    const Step *slipped = same_step(run, c->step),
               *right = same_step(j->run[h], c->step);
    return slipped != NULL && right != NULL
        && !has_same_numbers(slipped, right) && is_right_in(c, run);
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

static bool leads_to_same(const Judging *j, Premise a, Premise b, int until)
{
    const Run *A = j->run[a], *B = j->run[b];
    bool same = A->n > until && B->n > until;
    for (int k = until; same && k >= 0; k--)
        same = has_same_bits(&A->step[k], &B->step[k]);
    return same;
}

/* Finds the open premises: those that lead to other numbers. */
static void open_premises(Judging *j, int w)
{
    int until = (int)(j->claim[w].step - j->run[EXACTLY]->step);
    for (Premise h = EXACTLY; h < PREMISES; h++) {
        j->open[h] = h == EXACTLY ? j->slips == NULL && j->unexplained_n == 0
                                  : w > 0;
        for (Premise other = EXACTLY; other < h && j->open[h]; other++)
            j->open[h] = !j->open[other]
                      || !leads_to_same(j, other, h, until);
    }
}

/* Whether it explains the claim by one of the premises. */
static bool try_reason(Judging *j, int w, Explanation why)
{
    for (Premise h = EXACTLY; h < PREMISES && !is_too_much(j); h++) {
        if (!j->open[h])
            continue;
        Explanation e = under_premise(j, why, h);
        e.until = j->claim[w].step;
        const Run *run = run_by_explanation(j, &e, j->scratch);
        bool fits = e.applied && explains(j, w, run, h)
                 && !spoils_earlier(j, w, run, h);
        clear_trial(j);
        if (fits)
            keep_reason(j, w, why, h);
        if (!e.applied || fits)
            return fits;
    }
    return false;
}

/* Tries a slip everywhere, and then in the place of the claim alone, unless
   that makes no difference. */
static void try_slip(Judging *j, int w, const Slip *slip)
{
    Explanation why = { .slip = slip };
    const Run *run = j->run[EXACTLY];
    const Step *only = j->claim[w].step;
    int before = j->found, best = j->best;
    bool explains_all = try_reason(j, w, why);
    bool is_kept = j->found != before || j->best != best;
    int found = j->found;
    best = j->best;
    why.only = only;
    if ((only->layer > 0 || only->head > 0 || only->turn > 0)
        && can_apply(run, slip, roles_in(run, only, only, true))
        && (explains_all
            || can_apply(run, slip, roles_in(run, NULL, only, false))))
        try_reason(j, w, why);
    if (is_kept && j->best == best)
        j->found = found;
}

static bool is_of_kind(const Slip *slip, int kind)
{
    return kind == ANY_SLIP || is_slight(slip)
        || (kind == SLIGHT_SLIP && is_rounding(slip));
}

void find_reasons(Judging *j, int w, int kind)
{
    const Run *run = j->run[EXACTLY];
    uint64_t roles = roles_in(run, j->claim[w].step, NULL, true);
    open_premises(j, w);
    for (int a = 0; a < slips_n; a++)
        if (is_of_kind(&slips[a], kind) && can_apply(run, &slips[a], roles))
            try_slip(j, w, &slips[a]);
    if (kind != SLIGHT_BUT_NO_ROUNDING && j->found == 0)
        find_rounding(j, w);
}
