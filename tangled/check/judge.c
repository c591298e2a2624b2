/* Judging the claims of a sheet, one after the other, in the order of its
   steps.

   Main type: Judging. Entry point: judge_sheet. In go the claims of a run;
   out comes a Judgement: the verdict on each entry, and what explains the
   claims that went wrong by themselves. */
#include "check/judging.h"
#include <math.h>
#include <string.h>

static bool went_wrong(const Judged *judged)
{
    return judged->count[WRONG] > 0;
}

static bool went_off(const Judged *judged)
{
    return judged->begins;
}

/* Finds the claims before claim w that are so, and change it; or, of wrong
   ones, those with a slip. Returns how many. */
static int keep_sources(Judging *j, int w, bool (*is)(const Judged *judged))
{
    Judged *judged = &j->judged[w];
    int *source = arena_alloc(j->arena, ((size_t)w + 1) * sizeof *source);
    judged->source = source;
    judged->sources = 0;
    for (int k = 0; k < w; k++)
        if (is(&j->judged[k]) && is_changed_by(j, w, k, is == is_rounded))
            source[judged->sources++] = k;
    for (int k = 0; k < w && judged->sources == 0 && is != is_rounded; k++)
        if (is(&j->judged[k]) && j->judged[k].n > 0)
            source[judged->sources++] = k;
    return judged->sources;
}

/* Finds the claims from which claim w follows: those that went wrong; or,
   where none did, those that were carried on rounded. */
static Verdict find_sources(Judging *j, int w, Premise h)
{
    if (keep_sources(j, w, went_wrong) > 0)
        return FOLLOWS;
    keep_sources(j, w, h == AS_WRITTEN ? is_rounded : went_off);
    return EARLY;
}

/* Changes the verdicts of one kind; none where both are the same. Counts
   them anew. */
static void change_verdicts(Judged *judged, Verdict from, Verdict to)
{
    memset(judged->count, 0, sizeof judged->count);
    for (int k = 0; k < entries_of(&judged->claim); k++) {
        if (judged->verdict[k] == from)
            judged->verdict[k] = to;
        judged->count[judged->verdict[k]]++;
    }
}

/* A claim as a whole may have its digits cut off, or be off by last digits
   once more, where what was carried on was rounded or wrong. */
static void judge_whole(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &judged->claim;
    for (Premise h = EXACTLY; h < PREMISES; h++) {
        int wrong = judged->count[WRONG], off = judged->count[LAST_DIGIT];
        if (j->run[h] == NULL)
            continue;
        bool cut = wrong + off > 0
                && count_in(c, j->run[h], is_cut_from) == entries_of(c),
             rounded = wrong > 0 && h != EXACTLY
                    && is_at_worst(c, j->run[h], LAST_DIGIT);
        if (!cut && !rounded)
            continue;
        Verdict v = find_sources(j, w, h);
        v = v == FOLLOWS ? FOLLOWS : cut ? CUT : EARLY;
        change_verdicts(judged, WRONG, v);
        if (cut)
            change_verdicts(judged, LAST_DIGIT, v);
    }
}

/* Returns the verdict on entry k of a claim by a step; NULL is no step. */
static Verdict verdict_by(const Claim *c, int k, const Step *step)
{
    return is_comparable(c->item, step)
         ? verdict_on(&c->item->entry[k],
                      *claimed_entry(step->M, k)) : WRONG;
}

/* Gives the entries that are off and right under a premise another verdict,
   if they are at least half of those that are off. */
static void judge_entries(Judging *j, int w, Premise h)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &judged->claim;
    const Step *step = same_step(j->run[h], c->step);
    int off = judged->count[WRONG] + judged->count[LAST_DIGIT], agree = 0;
    for (int k = 0; k < entries_of(c); k++)
        agree += is_off(judged, k) && verdict_by(c, k, step) == RIGHT;
    if (agree == 0 || 2 * agree < off)
        return;
    Verdict v = find_sources(j, w, h);
    for (int k = 0; k < entries_of(c); k++)
        if (is_off(judged, k) && verdict_by(c, k, step) == RIGHT)
            judged->verdict[k] = v;
    change_verdicts(judged, v, v);
}

/* Returns whether all claimed entries are right in the transpose. */
static bool is_transpose_right(const Claim *c)
{
    const Item *item = c->item;
    Mat M = c->step->M;
    bool right = item->rows == M->cols && item->cols == M->rows;
    for (int k = 0; right && k < item->rows * item->cols; k++)
        right = verdict_on(&item->entry[k], AT(M, k % item->cols + 1,
                                               k / item->cols + 1)) <= RIGHT;
    return right;
}

/* Decides the verdict on each entry of claim w, without a search. */
static void judge_claim(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &j->claim[w];
    int n = entries_of(c);
    *judged = (Judged){ .claim = *c };
    judged->fits = is_comparable(c->item, c->step);
    judged->verdict = arena_alloc(j->arena, (size_t)n * sizeof(Verdict));
    if (w > 0 && j->run[AS_WRITTEN] == NULL
        && !is_at_worst(c, j->run[EXACTLY], RIGHT))
        run_premise(j, AS_WRITTEN);
    for (int k = 0; k < n; k++)
        judged->verdict[k] = isnan(c->item->entry[k].value) ? OPEN
                           : verdict_by(c, k, c->step);
    change_verdicts(judged, RIGHT, RIGHT);
    for (Premise h = AS_WRITTEN; h < PREMISES; h++)
        if (j->run[h] != NULL)
            judge_entries(j, w, h);
    judge_whole(j, w);
    judged->begins = judged->count[WRONG] + judged->count[LAST_DIGIT] > 0;
    judged->claimed = n - judged->count[OPEN];
    judged->transposed = judged->begins && is_transpose_right(c);
}

/* Gives the entries of a claim that are off another verdict. */
static void accept_as(Judged *judged, Verdict verdict)
{
    change_verdicts(judged, WRONG, verdict);
    change_verdicts(judged, LAST_DIGIT, verdict);
}

/* Explains a claim. What is explained is carried on with its slip, what is
   not, as it was written. What is off by no more than its digits allow is
   rounded early, or it follows from an error. */
static void explain(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    bool roundings = true;
    int first = 0;
    find_reasons(j, w);
    if (!judged->begins)
        return;
    for (int k = 0; k < judged->n; k++)
        roundings &= is_rounding(judged->why[k].slip);
    if (judged->n > 0) {
        if (roundings)
            accept_as(judged, EARLY);
        j->slips = judged->why;
        run_premise(j, AFTER_ERRORS);
        run_premise(j, AS_WRITTEN);
    } else if (judged->within != NOT_WITHIN) {
        accept_as(judged, judged->within == WITHIN_GIVEN ? EARLY
                          : find_sources(j, w, AS_WRITTEN));
        judged->begins = false;
    } else if (went_wrong(judged)) {
        j->unexplained_n++;
        while (judged->verdict[first] != WRONG)
            first++;
        if (judged->fits)
            judged->terms = terms_text(j->run[EXACTLY], &j->claim[w], first,
                                       j->arena, j->tape);
    }
}

const Judged *first_wrong(const Judgement *judgement)
{
    const Judged *first = NULL;
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        if (went_wrong(j))
            return j;
        if (first == NULL && j->count[LAST_DIGIT] + j->count[CUT]
                             + j->count[EARLY] > 0)
            first = j;
    }
    return first;
}

/* Judges the claims on the sheet of a run, one after the other. */
static const Judgement *judge_run(const Run *run, Arena *arena, Tape *tape,
                                  Error *f)
{
    Judging *j = arena_alloc(arena, sizeof *j);
    Judgement *judgement = arena_alloc(arena, sizeof *judgement);
    *j = (Judging){ .arena = arena, .tape = tape, .run = { run } };
    j->claim = claims_of(run, arena, &j->n, f);
    size_t n = (size_t)j->n + 1;
    j->judged = arena_alloc(arena, n * sizeof *j->judged);
    j->unexplained = arena_alloc(arena, n * sizeof *j->unexplained);
    j->scratch = arena_new();
    *judgement = (Judgement){ .run = run, .n = j->n, .judged = j->judged };
    for (int w = 0; w < j->n; w++) {
        const Judged *judged = &j->judged[w];
        judge_claim(j, w);
        if (judged->begins || judged->count[CUT] > 0)   /* by an epsilon? */
            explain(j, w);
        judgement->claimed += judged->claimed;
        if (judged->n > 0 || judged->count[WRONG] == 0)
            judgement->explained += judged->claimed;
    }
    const Judged *first = first_wrong(judgement);
    bool wrong = first != NULL && went_wrong(first);
    for (int k = 0; k < LAYOUTS && run->named && wrong
                    && judgement->other == NULL; k++)
        if (fit_in(&layouts[k], run->sheet) == judgement->claimed)
            judgement->other = &layouts[k];
    arena_free(j->scratch);
    return judgement;
}

typedef struct {
    const Sheet *sheet;
    const Layout *layout;       /* NULL: the likeliest                    */
    Arena *arena;
    Tape *tape;
    const Judgement *judgement;
} JudgeTask;

static void judge_in_layout(Error *f, void *data)
{
    JudgeTask *t = data;
    const Bound *bound = bind_sheet(t->sheet, t->layout, t->arena, f);
    t->judgement = judge_run(run_bound(bound, NULL, t->arena, t->tape, f),
                             t->arena, t->tape, f);
}

const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Error *f)
{
    JudgeTask task = { sheet, NULL, arena, tape, NULL };
    judge_in_layout(f, &task);
    const Judgement *best = task.judgement;
    const Layout *taken = best->run->layout;
    for (int k = 0; k < LAYOUTS && !best->run->named
                    && best->explained < best->claimed; k++) {
        Error quiet = { .sheet = sheet->name };
        task.layout = &layouts[k];
        if (task.layout != taken && try_work(&quiet, judge_in_layout, &task)
            && task.judgement->explained > best->explained)
            best = task.judgement;
    }
    return best;
}
