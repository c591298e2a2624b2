/* Runs of a sheet under a premise, and the search for what explains a claim.

   Main types: Premise, Explanation. Entry points: run_premise, find_reasons.
   In go a claim that went wrong and the table of slips; out come
   explanations, in the Judging. */
#include "check/judging.h"
#include "sheet/job.h"
#include <math.h>
#include <string.h>

#ifndef MOST_WORK
#define MOST_WORK 1e8           /* entries, about; no reader waits longer */
#endif

enum { MOST_FOUND = 200 };

/* Returns why, its claim, n and before set to those of premise h: which
   claims before are carried on, and which slips were made in them. */
static Explanation under_premise(const Judging *j, Explanation why,
                                 Premise h)
{
    why.claim = h == AS_WRITTEN ? j->claim : j->unexplained;
    why.n = h == AS_WRITTEN ? j->n : h == EXACTLY ? 0 : j->unexplained_n;
    why.before = h == EXACTLY ? NULL : j->slips;
    return why;
}

/* Runs the sheet by an explanation and counts the work. The run lives in the
   arena. */
static const Run *run_by_explanation(Judging *j, Explanation *why,
                                     Arena *arena)
{
    const Run *run = run_explained(j->run[EXACTLY]->bound, why, arena,
                                   j->tape);
    j->work += run->n * (100 + j->n / 4.0);
    for (int k = 0; k < run->n; k++)
        j->work += 4.0 * run->step[k].M->rows * run->step[k].M->cols;
    return run;
}

void run_premise(Judging *j, Premise h)
{
    Explanation why = under_premise(j, (Explanation){ .n = 0 }, h);
    if (j->run[h] == NULL || h == AS_WRITTEN || j->work <= MOST_WORK)
        j->run[h] = run_by_explanation(j, &why, j->arena);
}

int entries_of(const Claim *claim)
{
    return claim->item->rows * claim->item->cols;
}

bool is_off(const Judged *judged, int k)
{
    return judged->verdict[k] == WRONG || judged->verdict[k] == LAST_DIGIT;
}

bool is_rounded(const Judged *judged)
{
    const Claim *c = &judged->claim;
    for (int k = 0; judged->fits && k < entries_of(c); k++) {
        double typed = c->item->entry[k].value,
               x = *claimed_entry(c->step->M, k);
        if (!isnan(typed) && !same_number(typed, x))
            return true;
    }
    return false;
}

bool is_at_worst(const Claim *c, const Run *run, Verdict worst)
{
    const Step *step = same_step(run, c->step);
    bool fits = is_comparable(c->item, step);
    for (int k = 0; fits && k < entries_of(c); k++)
        fits = verdict_on(&c->item->entry[k],
                          *claimed_entry(step->M, k)) <= worst;
    return fits;
}

bool has_same_numbers(const Step *a, const Step *b)
{
    bool same = a != NULL && b != NULL && a->M->rows == b->M->rows
             && a->M->cols == b->M->cols;
    for (int k = 0; same && k < a->M->rows * a->M->cols; k++)
        same = same_number(a->M->at[k], b->M->at[k]);
    return same;
}

/* Returns whether a run with a slip changes the step of claim w and makes
   all of it right. */
static bool makes_right(const Judging *j, int w, const Run *run, Premise h)
{
    const Claim *c = &j->claim[w];
    const Step *without = same_step(j->run[h], c->step);
    return without != NULL && is_at_worst(c, run, RIGHT)
        && !has_same_numbers(same_step(run, c->step), without);
}

/* Returns whether no claim before claim w is less right in a run than it is
   under the premise alone. */
static bool keeps_right(const Judging *j, int w, const Run *run, Premise h)
{
    bool fits = true;
    for (int k = 0; k < w && fits; k++)
        fits = count_right(&j->claim[k], run)
               >= count_right(&j->claim[k], j->run[h]);
    return fits;
}

/* Counts the entries of the claims behind claim w that are right in one of
   the runs, run[EXACTLY] ...; a run may be NULL. */
static int count_right_later(const Judging *j, int w, const Run *const *run)
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
    Judged *judged = &j->judged[w];
    const Run *run[PREMISES] = { NULL };
    for (Premise h = EXACTLY; h < PREMISES && w + 1 < j->n; h++) {
        Explanation e = under_premise(j, why, h);
        run[h] = run_by_explanation(j, &e, j->scratch);
    }
    int right = count_right_later(j, w, run);
    arena_clear(j->scratch);
    if (right > j->best) {
        judged->n = 0;
        j->best = right;
    }
    if (right == j->best && judged->n < MOST_FOUND)
        judged->why[judged->n++] = under_premise(j, why, at);
}

/* Returns whether all of a claim is carried on as written by any premise but
   EXACTLY: no entry is open, most are off, and nothing explains them. */
static bool is_carried_whole(const Judged *judged)
{
    int off = judged->count[WRONG] + judged->count[LAST_DIGIT];
    return judged->fits && judged->count[WRONG] > 0 && judged->n == 0
        && judged->count[OPEN] == 0 && 2 * off > judged->claimed;
}

/* Returns whether the numbers before claim w may have come about so: with
   all digits, or after what went wrong; or as written, if that is another
   number somewhere. */
static bool is_open(const Judging *j, int w, Premise h)
{
    bool clean = j->slips == NULL && j->unexplained_n == 0, rounded = false;
    for (int k = 0; h == AS_WRITTEN && k < w && !rounded; k++)
        rounded = is_rounded(&j->judged[k])
               && !is_carried_whole(&j->judged[k]);
    return h == AS_WRITTEN ? rounded : (h == EXACTLY) == clean;
}

/* Keeps an explanation if by one of the premises it makes the claim right,
   and no claim before it wrong. Returns whether it makes the claim right. */
static bool try_reason(Judging *j, int w, Explanation why)
{
    bool right = false;
    for (Premise h = EXACTLY; h < PREMISES && j->work <= MOST_WORK; h++) {
        if (!is_open(j, w, h))
            continue;
        Explanation e = under_premise(j, why, h);
        e.until = j->claim[w].step;
        const Run *run = run_by_explanation(j, &e, j->scratch);
        bool here = e.applied && makes_right(j, w, run, h),
             fits = here && keeps_right(j, w, run, h);
        arena_clear(j->scratch);
        right |= here;
        if (fits)
            keep_reason(j, w, why, h);
        if (!e.applied || fits)
            break;
    }
    return right;
}

/* Tries a slip everywhere, then in the place of the claim alone; if nothing
   elsewhere to edit matters, only if it makes the claim right. */
static void try_slip(Judging *j, int w, const Slip *slip, bool elsewhere)
{
    Explanation why = { .slip = slip };
    const int *found = &j->judged[w].n;
    int before = *found, best = j->best;
    bool right = try_reason(j, w, why),
         is_kept = *found != before || j->best != best;
    before = *found;
    best = j->best;
    const Step *only = why.only = j->claim[w].step;
    if ((only->layer > 0 || only->head > 0 || only->turn > 0)
        && (right || elsewhere))
        try_reason(j, w, why);
    if (is_kept && j->best == best)
        j->judged[w].n = before;
}

/* Returns a claim with entries of its own, which are *entry and may be
   changed. It lives in the arena. */
static Claim copy_claim(Arena *arena, const Claim *claim, Entry **entry)
{
    Item *item = arena_alloc(arena, sizeof *item);
    size_t size = (size_t)entries_of(claim) * sizeof **entry;
    *item = *claim->item;
    item->entry = *entry = memcpy(arena_alloc(arena, size), item->entry,
                                  size);
    return (Claim){ item, claim->step };
}

bool is_changed_by(Judging *j, int w, int k, bool all)
{
    const Step *step = j->claim[w].step;
    Claim *carried = arena_alloc(j->scratch,
                                 ((size_t)w + 1) * sizeof *carried);
    Explanation why = { .claim = carried, .until = step };
    Entry *entry;
    for (int i = 0; i < w; i++)
        if (i != k && (all || is_at_worst(&j->claim[i], j->run[EXACTLY],
                                          RIGHT)))
            carried[why.n++] = j->claim[i];
    carried[why.n] = copy_claim(j->scratch, &j->claim[k], &entry);
    why.n += all;
    const Run *without = run_by_explanation(j, &why, j->scratch);
    why.n += !all;
    for (int i = 0; all && i < entries_of(&j->claim[k]); i++)
        entry[i].value += 0.01 * (i + 1);
    const Run *with = run_by_explanation(j, &why, j->scratch);
    bool same = has_same_numbers(same_step(without, step),
                                 same_step(with, step));
    arena_clear(j->scratch);
    return !same;
}

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
            slack[k] += fabs(*claimed_entry(with->M, k)
                             - *claimed_entry(without->M, k));
    arena_clear(j->scratch);
}

/* Tries the numbers that the sheet gives. Those of two decimals and more,
   and of as many digits, may have been rounded before. */
static void try_given(Judging *j, int w, double *slack)
{
    for (const Given *g = j->run[EXACTLY]->bound->given; g->item != NULL;
         g++) {
        Mat M = g->M;
        int decimals = most_decimals(g->item),
            n = M == NULL || decimals < 2 ? 0 : M->rows * M->cols;
        for (int k = 0; k < n && j->work <= MOST_WORK; k++) {
            real x = M->at[k];
            if (x == round(x) || fabs(x) < 10 * unit_of(decimals))
                continue;
            M->at[k] += (real)(unit_of(decimals) / 2);
            add_changes(j, w, EXACTLY, slack);
            M->at[k] = x;
        }
    }
}

/* Tries the numbers of the claims before, which are carried on. */
static void try_claims(Judging *j, int w, double *slack)
{
    for (int i = 0; i < w; i++) {
        Entry *entry;
        const Claim written = j->claim[i];
        if (!is_changed_by(j, w, i, true))
            continue;
        j->claim[i] = copy_claim(j->arena, &written, &entry);
        const int n = entries_of(&written);
        for (int k = 0; k < n && j->work <= MOST_WORK; k++) {
            double x = entry[k].value;
            if (isnan(x) || entry[k].decimals == EXACT)
                continue;
            entry[k].value += unit_of(entry[k].decimals) / 2;
            add_changes(j, w, AS_WRITTEN, slack);
            entry[k].value = x;
        }
        j->claim[i] = written;
    }
}

/* Returns whether each entry of claim w that is off is as near to the number
   under a premise as the slack allows, which is found by one of these. */
static bool is_within(Judging *j, int w, Premise h,
                      void (*find)(Judging *j, int w, double *slack))
{
    const Claim *c = &j->claim[w];
    const Step *step = same_step(j->run[h], c->step);
    int n = entries_of(c);
    size_t bytes = (size_t)n * sizeof(double);
    double *slack = memset(arena_alloc(j->arena, bytes), 0, bytes);
    if (c->step->aspect != VALUE || !is_comparable(c->item, step))
        return false;
    find(j, w, slack);
    for (int k = 0; k < n; k++) {
        Entry entry = c->item->entry[k];
        double x = *claimed_entry(step->M, k);
        entry.value = x + fmax(fabs(entry.value - x)
                               - slack[k] * (1 + 1e-6), 0);
        if (is_off(&j->judged[w], k) && verdict_on(&entry, x) != RIGHT)
            return false;
    }
    return true;
}

/* Sets `within` of claim w, if all of it that is off is within the slack of
   what is carried on as written, or of what is given. */
static void find_rounding(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    int off = judged->count[WRONG] + judged->count[LAST_DIGIT];
    bool any_wrong = false;
    for (int k = 0; k < w; k++)
        any_wrong |= j->judged[k].count[WRONG] > 0;
    if (!judged->fits || off < 2 || 2 * off < judged->claimed)
        return;
    if (w > 0 && j->run[AS_WRITTEN] != NULL
        && is_within(j, w, AS_WRITTEN, try_claims))
        judged->within = WITHIN_CLAIMS;
    else if (!any_wrong && is_within(j, w, EXACTLY, try_given))
        judged->within = WITHIN_GIVEN;
}

/* Returns what is carried on of a claim that is unexplained: none but its
   entries that went wrong by themselves, or all of it. */
static Claim carried_entries(const Judging *j, int w)
{
    Entry *entry;
    Claim wrong = copy_claim(j->arena, &j->claim[w], &entry);
    for (int k = 0; k < entries_of(&wrong); k++)
        if (!is_off(&j->judged[w], k) && !is_carried_whole(&j->judged[w]))
            entry[k].value = NAN;
    return wrong;
}

/* Returns the first step whose value can matter for the next claim. Behind
   a layer of Algorithm 9 or 10 all follows from its X; if that is claimed,
   wrong and unexplained in every entry, it is carried on by any premise. In
   a training the gradient goes back behind it. */
static const Step *first_that_matters(const Judging *j, int w)
{
    const Run *run = j->run[EXACTLY];
    const Step *from = run->step;
    bool trains = algorithm_table[run->algorithm].kind == TRAINING;
    for (int k = 0; k < w && !trains; k++) {
        const Step *step = j->claim[k].step;
        if (is_carried_whole(&j->judged[k]) && step->part == LAYER
            && has_role(step, ROLE(ATTENDED) | ROLE(FED)))
            from = step;
    }
    return from;
}

void find_reasons(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    const Run *run = j->run[EXACTLY];
    const Step *from = first_that_matters(j, w), *until = j->claim[w].step;
    const uint64_t here = roles_up_to(from, until, false),
                   elsewhere = roles_up_to(from, until, true);
    const int before = j->unexplained_n;
    judged->why = arena_alloc(j->arena, MOST_FOUND * sizeof *judged->why);
    if (judged->count[WRONG] > 0)
        j->unexplained[j->unexplained_n++] = carried_entries(j, w);
    run_premise(j, AFTER_ERRORS);
    run_premise(j, AS_WRITTEN);
    j->best = count_right_later(j, w, j->run);
    j->unexplained_n = before;
    for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
        bool is_of_kind = judged->count[WRONG] > 0 || is_slight(slip)
                       || (judged->begins && is_rounding(slip));
        if (is_of_kind && can_apply(run->bound, slip, here | elsewhere))
            try_slip(j, w, slip, elsewhere != 0
                                 && can_apply(run->bound, slip, here)
                                 && can_apply(run->bound, slip, elsewhere));
    }
    if (judged->begins && judged->n == 0)
        find_rounding(j, w);
    judged->cut_short = j->work > MOST_WORK;
}
