/* Runs of a sheet under a premise, and claims beside them.

   Main types: Premise, Explanation. Entry point: run_by_explanation. In go
   a bound sheet and what is supposed of it; out comes a run. */
#include "check/judging.h"
#include <math.h>
#include <string.h>

Verdict verdict_in(const Claim *c, int k, const Run *run)
{
    const Step *step = same_step(run, c->step);
    return is_comparable(c->item, step)
         ? verdict_on(&c->item->entry[k],
                      *claimed_entry(c->item, step->M, k)) : WRONG;
}

bool is_right_in(const Claim *c, const Run *run)
{
    return count_right(c, run) == count_entries(c->item);
}

int entries_of(const Claim *claim)
{
    return claim->item->rows * claim->item->cols;
}

Claim copy_claim(Arena *arena, const Claim *claim, Entry **entry)
{
    Item *item = arena_alloc(arena, sizeof *item);
    size_t size = (size_t)entries_of(claim) * sizeof **entry;
    *item = *claim->item;
    item->entry = *entry = memcpy(arena_alloc(arena, size), item->entry,
                                  size);
    return (Claim){ item, claim->step };
}

bool has_same_bits(const Step *a, const Step *b)
{
    Mat A = a->M, B = b->M;
    return A->rows == B->rows && A->cols == B->cols
        && memcmp(A->at, B->at, (size_t)A->rows * (size_t)A->cols
                                * sizeof *A->at) == 0;
}

bool has_same_numbers(const Step *a, const Step *b)
{
    bool same = a->M->rows == b->M->rows && a->M->cols == b->M->cols;
    for (int k = 0; same && k < a->M->rows * a->M->cols; k++)
        same = same_number(a->M->at[k], b->M->at[k]);
    return same;
}

Explanation under_premise(const Judging *j, Explanation why, Premise h)
{
    why.claim = h == AS_WRITTEN ? j->claim : j->unexplained;
    why.n = h == AS_WRITTEN ? j->n : h == EXACTLY ? 0 : j->unexplained_n;
    why.before = h == EXACTLY ? NULL : j->slips;
    return why;
}
#ifndef MOST_WORK
#define MOST_WORK 1e8           /* entries, about, to judge a sheet       */
#endif

const Run *run_by_explanation(Judging *j, Explanation *why, Arena *arena)
{
    const Run *run = run_explained(j->run[EXACTLY]->bound, why, arena,
                                   j->tape);
    j->work += run->n * (100 + j->n / 4.0);
    for (int k = 0; k < run->n; k++)
        j->work += 4.0 * run->step[k].M->rows * run->step[k].M->cols;
    return run;
}

bool is_too_much(const Judging *j)
{
    return j->work > MOST_WORK;
}

bool went_wrong(const Judged *judged)
{
    return judged->begins && judged->count[WRONG] > 0;
}

bool is_off(const Judged *judged, int k)
{
    return judged->verdict[k] == WRONG || judged->verdict[k] == LAST_DIGIT;
}

void clear_trial(Judging *j)
{
    arena_clear(j->scratch);
    tape_clear(j->tape);
}
