/* Claims beside a run, and the ways in which numbers came about. */
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

bool explains(const Run *run, const Claim *c)
{
    return count_right(c, run) == count_entries(c->item);
}

Explanation in_way(const Judging *j, Explanation why, int way)
{
    bool written = way == WRITTEN || way == BOTH;
    why.claim = written ? j->claim : way == TYPED ? j->part : j->no_reason;
    why.n = written ? j->n : way == TYPED ? j->parts
          : way == AFTER ? j->unexplained : 0;
    why.before = way == AFTER || way == BOTH ? j->before : NULL;
    why.until = NULL;
    return why;
}
#ifndef MOST_WORK
#define MOST_WORK 1e8           /* entries, about, to judge a sheet       */
#endif

const Run *run_again(Judging *j, Explanation *why, Arena *arena)
{
    const Run *run = run_explained(j->way[EXACTLY]->bound, why, arena,
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

void clear(Judging *j)
{
    arena_clear(j->scratch);
    tape_clear(j->tape);
}

void run_ways(Judging *j, int from, int to)
{
    for (int way = from; way <= to; way++) {
        Explanation why = in_way(j, (Explanation){ .n = 0 }, way);
        if (j->way[way] == NULL || (way != WRITTEN && !is_too_much(j)))
            j->way[way] = run_again(j, &why, j->arena);
    }
}

bool has_same_numbers(const Step *a, const Step *b)
{
    if (a->M->rows != b->M->rows || a->M->cols != b->M->cols)
        return false;
    for (int k = 0; k < a->M->rows * a->M->cols; k++) {
        int i = k % a->M->rows + 1, j = k / a->M->rows + 1;
        if (!same_number(AT(a->M, i, j), AT(b->M, i, j)))
            return false;
    }
    return true;
}

bool has_same_bytes(Mat A, Mat B)
{
    return A->rows == B->rows && A->cols == B->cols
        && memcmp(A->at, B->at, (size_t)A->rows * (size_t)A->cols
                                * sizeof *A->at) == 0;
}

/* Do two ways lead to the very same numbers, as far as that step? */
static bool lead_to_the_same(const Run *a, const Run *b, int until)
{
    bool same = a->n > until && b->n > until;
    for (int k = until; same && k >= 0; k--)
        same = has_same_bytes(a->step[k].M, b->step[k].M);
    return same;
}

/* Can the numbers behind claim w have come about in this way, and in no way
   before it? */
static bool can_have_led(const Judging *j, int w, int way)
{
    bool can = way == EXACTLY ? j->unexplained == 0 : w > 0;
    int until = (int)(j->claim[w].step - j->way[EXACTLY]->step);
    for (int k = 0; can && k < way; k++)
        can = !j->open[k] || !lead_to_the_same(j->way[k], j->way[way],
                                               until);
    return can;
}

/* Are the numbers of claim w the same as in a way? */
bool leaves_alone(Judging *j, int w, Explanation why, int way)
{
    why.until = j->claim[w].step;
    const Run *run = run_again(j, &why, j->scratch);
    const Step *is = same_step(run, why.until),
               *was = same_step(j->way[way], why.until);
    bool same = is != NULL && was != NULL && has_same_numbers(is, was);
    clear(j);
    return same;
}

/* Where numbers are carried on as written, it may not matter for claim w
   what came about before claim k. */
static bool is_cut_off_by(Judging *j, int w, int k, int way)
{
    const Run *right = j->way[EXACTLY];
    Explanation why = in_way(j, (Explanation){ .n = 0 }, way);
    why.shaken = (int)(j->claim[k].step - right->step) + 1;
    return why.n > 0 && right->algorithm <= 10
        && j->claim[w].step->aspect == VALUE
        && leaves_alone(j, w, why, way);
}

enum { CLOSE = 3 };             /* claims that may cut off what is before */

void open_ways(Judging *j, int w)
{
    for (int way = 0; way <= BOTH; way++) {
        j->open[way] = can_have_led(j, w, way);
        j->from[way] = j->way[EXACTLY]->step;
        for (int k = w; k-- > 0 && w - k <= CLOSE && j->open[way]; )
            if (is_cut_off_by(j, w, k, way)) {
                j->from[way] = j->claim[k].step;
                break;
            }
    }
}
