/* Judging the claims of a sheet. */
#include "check/check.h"
#include <float.h>
#include <math.h>
#include <string.h>

static int most_decimals(const Item *claim)
{
    int most = 0;
    for (int k = 0; k < claim->rows * claim->cols; k++)
        if (claim->entry[k].decimals > most)
            most = claim->entry[k].decimals;
    return most;
}

static int decimals_judged(const Entry *entry, int most)
{
    bool digit = entry->decimals == 0 && fabs(entry->value) < 10;
    return entry->decimals == EXACT || most == 0 ? EXACT
         : digit ? most : entry->decimals;
}

/* The claim as it is judged. */
static const Item *with_decimals(Arena *arena, const Item *claim)
{
    int n = claim->rows * claim->cols, most = most_decimals(claim);
    size_t size = (size_t)n * sizeof(Entry);
    Entry *entry = memcpy(arena_alloc(arena, size), claim->entry, size);
    Item *judged = arena_alloc(arena, sizeof *judged);
    for (int k = 0; k < n; k++)
        entry[k].decimals = decimals_judged(&entry[k], most);
    *judged = *claim;
    judged->entry = entry;
    return judged;
}

static bool is_comparable(const Item *claim, const Step *step)
{
    return step != NULL && shape_fits(claim, step->M);
}

static Verdict verdict_in(const Claim *c, int k, const Run *run)
{
    const Step *step = same_step(run, c->step);
    return is_comparable(c->item, step)
         ? verdict_on(&c->item->entry[k],
                      *claimed_entry(c->item, step->M, k)) : WRONG;
}

static bool is_right(const Entry *entry, double x)
{
    return verdict_on(entry, x) == RIGHT;
}

static bool is_right_or_off(const Entry *entry, double x)
{
    return verdict_on(entry, x) <= LAST_DIGIT;
}

/* How many entries of a claim are so in a run? */
static int count_in(const Claim *c, const Run *run,
                    bool (*is)(const Entry *entry, double x))
{
    int n = 0;
    const Step *step = same_step(run, c->step);
    for (int k = 0; is_comparable(c->item, step)
                    && k < c->item->rows * c->item->cols; k++)
        n += is(&c->item->entry[k], *claimed_entry(c->item, step->M, k));
    return n;
}

static int agreeing(const Claim *c, const Run *run)
{
    return count_in(c, run, is_right);
}

static int claimed(const Item *claim)
{
    int n = 0;
    for (int k = 0; k < claim->rows * claim->cols; k++)
        n += !isnan(claim->entry[k].value);
    return n;
}

static bool explains(const Run *run, const Claim *c)
{
    return agreeing(c, run) == claimed(c->item);
}

static bool is_turned(const Claim *c)
{
    const Item *item = c->item;
    Mat M = c->step->M;
    bool right = item->rows == M->cols && item->cols == M->rows;
    for (int k = 0; right && k < item->rows * item->cols; k++) {
        int i = k / item->cols + 1, j = k % item->cols + 1;
        right = verdict_on(&item->entry[k], AT(M, j, i)) <= RIGHT;
    }
    return right;
}

/* The ways in which the numbers of a sheet may have come about. EXACTLY:
   with all digits, and no error. WRITTEN: each claim is carried on as it is
   written. AFTER: with all digits, but after the errors that were found:
   their slips, and as written what has no reason. BOTH: after those slips,
   and as written. TYPED: whatever was wrong by itself as written, and all
   else with all digits. */
enum { EXACTLY, WRITTEN, AFTER, BOTH, TYPED, WAYS };

typedef struct {
    const Sheet *sheet;
    Arena *arena, *scratch;     /* the scratch is cleared after a try     */
    Tape *tape;
    const Run *way[WAYS];       /* without another slip; NULL: not yet    */
    int n;
    Claim *claim;               /* in the order of the steps              */
    Judged *judged;
    const Run **alone;          /* of each claim that went wrong by itself:
                                   what it alone has changed              */
    Explanation *before;        /* the slips that were found; or NULL     */
    int parts, unexplained;     /* of the wrong claims, the wrong entries */
    Claim *part, *no_reason;    /* ... and of those without a reason      */
    int found;                  /* explanations                           */
    Explanation *why;           /* room for MOST_FOUND                    */
    int best;                   /* entries that these make right later    */
    bool open[WAYS];            /* came the numbers about like that?      */
    const Step *from[WAYS];     /* what comes before does not matter      */
    double unit;                /* of the last digit of a claim           */
    double work;                /* done so far                            */
} Judging;

enum { MOST_FOUND = 200 };

static Explanation in_way(const Judging *j, Explanation why, int way)
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

static const Run *run_again(Judging *j, Explanation *why, Arena *arena)
{
    const Run *run = run_explained(j->way[EXACTLY]->bound, why, arena,
                                   j->tape);
    j->work += run->n * (100 + j->n / 4.0);
    for (int k = 0; k < run->n; k++)
        j->work += 4.0 * run->step[k].M->rows * run->step[k].M->cols;
    return run;
}

static bool is_too_much(const Judging *j)
{
    return j->work > MOST_WORK;
}

static void clear(Judging *j)
{
    arena_clear(j->scratch);
    tape_clear(j->tape);
}

static void run_ways(Judging *j, int from, int to)
{
    for (int way = from; way <= to; way++) {
        Explanation why = in_way(j, (Explanation){ .n = 0 }, way);
        if (j->way[way] == NULL || (way != WRITTEN && !is_too_much(j)))
            j->way[way] = run_again(j, &why, j->arena);
    }
}

static bool has_same_numbers(const Step *a, const Step *b)
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

static bool has_same_bytes(Mat A, Mat B)
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
static bool leaves_alone(Judging *j, int w, Explanation why, int way)
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
        && j->claim[w].step->aspect == VALUE && leaves_alone(j, w, why, way);
}

enum { CLOSE = 3 };             /* claims that may cut off what is before */

static void open_ways(Judging *j, int w)
{
    int most = most_decimals(j->claim[w].item);
    j->unit = most > 0 ? unit_of(most) : 0;
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

static bool contradicts(const Judging *j, int w, const Run *run, int way)
{
    bool less = false;
    for (int k = 0; k < w && !less; k++) {
        const Step *is = same_step(run, j->claim[k].step),
                   *was = same_step(j->way[way], j->claim[k].step);
        bool same = is != NULL && was != NULL
                 && has_same_bytes(is->M, was->M);
        less = !same && agreeing(&j->claim[k], run)
                        < agreeing(&j->claim[k], j->way[way]);
    }
    return less;
}

typedef struct {
    bool made;                  /* met its places                         */
    bool fits;                  /* explains the claim                     */
    bool useful;                /* changes it, and no claim before        */
    double by, off;             /* how much it changes, how far it misses */
} SlipTrial;

/* By how much the numbers of a step differ in two runs, at most. */
static double most_apart(const Step *a, const Step *b)
{
    double most = 0;
    if (a == NULL || b == NULL || a->M->rows != b->M->rows
        || a->M->cols != b->M->cols)
        return INFINITY;
    for (int k = 0; k < a->M->rows * a->M->cols; k++)
        if (a->M->at[k] != b->M->at[k])
            most = fmax(most, fabs((double)a->M->at[k] - b->M->at[k]));
    return most;
}

static double largest_number(const Step *step)
{
    double size = 1e-9;
    for (int k = 0; k < step->M->rows * step->M->cols; k++)
        if (isfinite(step->M->at[k]))
            size = fmax(size, fabs((double)step->M->at[k]));
    return size;
}

/* How far a run misses a claim at most; where its numbers are larger than
   the right ones, that counts less. */
static double misses_by(const Claim *c, const Step *step)
{
    double off = 0, larger = largest_number(step) / largest_number(c->step);
    if (!is_comparable(c->item, step))
        return 0;
    for (int k = 0; k < c->item->rows * c->item->cols; k++) {
        double typed = c->item->entry[k].value;
        double x = *claimed_entry(c->item, step->M, k);
        if (isfinite(typed) && isfinite(x))
            off = fmax(off, fabs(typed - x));
    }
    return off / fmax(1, larger);
}

/* Can what misses by so much be right, if another slip that changes the
   numbers by so much comes to it? Beside it, that may do some times as
   much. */
static bool can_be_made_up(const Judging *j, double off, double by)
{
    enum { TIMES = 12 };
    return off <= TIMES * by + j->unit;
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

static SlipTrial try_in(Judging *j, int w, Explanation why, int way)
{
    SlipTrial trial = { .made = false };
    const Claim *c = &j->claim[w];
    why = in_way(j, why, way);
    why.until = c->step;
    const Run *run = run_again(j, &why, j->scratch);
    trial.made = why.made[0] && (why.slip[1] == NULL || why.made[1]);
    const Step *slipped = same_step(run, c->step),
               *right = same_step(j->way[way], c->step);
    if (trial.made && slipped != NULL && right != NULL
        && !has_same_numbers(slipped, right)) {
        trial.useful = !contradicts(j, w, run, way);
        trial.fits = trial.useful && explains(run, c)
                  && !is_one_digit(c, right);
        trial.by = most_apart(slipped, right);
        trial.off = misses_by(c, slipped);
    }
    clear(j);
    return trial;
}

/* Entries of the claims behind number w that are right in one of the
   runs. */
static int right_later(const Judging *j, int w, const Run *const *run)
{
    int n = 0;
    for (int k = w + 1; k < j->n; k++) {
        int most = 0;
        for (int way = 0; way <= BOTH; way++) {
            int here = run[way] == NULL ? 0
                     : agreeing(&j->claim[k], run[way]);
            most = here > most ? here : most;
        }
        n += most;
    }
    return n;
}

static int later(Judging *j, int w, const Explanation *why)
{
    const Run *run[WAYS] = { NULL };
    for (int way = 0; way <= BOTH && w + 1 < j->n; way++) {
        Explanation e = in_way(j, *why, way);
        run[way] = run_again(j, &e, j->scratch);
    }
    int n = right_later(j, w, run);
    clear(j);
    return n;
}

/* A reason must make as many right later as if there were none. */
static void keep_reason(Judging *j, int w, Explanation why, int way)
{
    int agreed = later(j, w, &why);
    if (agreed > j->best) {
        j->found = 0;
        j->best = agreed;
    }
    if (agreed == j->best && j->found < MOST_FOUND)
        j->why[j->found++] = in_way(j, why, way);
}

/* Have the slips a place behind what does not matter? */
static bool can_reach(const Judging *j, int w, const Explanation *why,
                      int way)
{
    bool can = true;
    for (int k = 0; k < 2 && why->slip[k] != NULL; k++)
        can &= has_place(j->way[EXACTLY], why->slip[k], j->from[way],
                         j->claim[w].step, why->only, true);
    return can;
}

static SlipTrial try_one(Judging *j, int w, Explanation why)
{
    SlipTrial all = { .useful = false };
    for (int way = 0; way <= BOTH && !is_too_much(j); way++) {
        if (!j->open[way] || !can_reach(j, w, &why, way))
            continue;
        SlipTrial trial = try_in(j, w, why, way);
        all.useful |= trial.useful;
        all.fits |= trial.fits;
        all.by = fmax(all.by, trial.by);
        all.off = trial.off;
        if (trial.fits)
            keep_reason(j, w, why, way);
        if (!trial.made || trial.fits)
            break;
    }
    return all;
}

/* Is it another thing to make the slip only there? */
static bool is_narrower(const Judging *j, const Slip *slip,
                        const Step *only, bool fits)
{
    bool narrow = only->layer > 0 || only->head > 0 || only->turn > 0;
    const Run *run = j->way[EXACTLY];
    return narrow && has_place(run, slip, run->step, only, only, true)
        && (fits || has_place(run, slip, run->step, only, only, false));
}

static SlipTrial try_slips(Judging *j, int w, const Slip *a, const Slip *b)
{
    Explanation why = { .slip = { a, b } };
    int before = j->found, best = j->best;
    SlipTrial trial = try_one(j, w, why);
    bool fits = j->found != before || j->best != best;
    int found = j->found;
    best = j->best;
    why.only = j->claim[w].step;
    if (is_narrower(j, a, why.only, trial.fits)
        || (b != NULL && is_narrower(j, b, why.only, trial.fits)))
        trial.useful |= try_one(j, w, why).useful;
    if (fits && j->best == best)
        j->found = found;
    return trial;
}

enum {
    MOST_REASONS = 3,           /* for one entry                          */
    MOST_WRONG = 50             /* entries, each with its own reason      */
};

static bool is_seldom_wrong(const Judging *j, int w, int way)
{
    const Claim *c = &j->claim[w];
    int all = claimed(c->item), wrong = all - agreeing(c, j->way[way]);
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
static bool choose_cells(Judging *j, int w, int way, const CellSlip *cell,
                         int cells, int number, Explanation *why)
{
    const Claim *c = &j->claim[w];
    int all = c->item->rows * c->item->cols;
    CellSlip *chosen = arena_alloc(j->arena, (size_t)all * sizeof *chosen);
    bool another = false;
    *why = (Explanation){ .cell = chosen, .only = c->step };
    for (int k = 0; k < all; k++) {
        if (verdict_in(c, k, j->way[way]) <= RIGHT)
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

static void look_for_cells(Judging *j, int w, int way)
{
    const CellSlip *cell;
    Explanation why;
    if (!is_seldom_wrong(j, w, way))
        return;
    int cells = cell_slips(j->way[EXACTLY]->bound,
                           in_way(j, (Explanation){ .n = 0 }, way),
                           &j->claim[w], j->arena, j->tape, &cell);
    for (int k = 0; !is_too_much(j)
                    && choose_cells(j, w, way, cell, cells, k, &why); k++)
        keep_reason(j, w, why, way);
}

static void look_for_pairs(Judging *j, int w, const SlipTrial *trial)
{
    if (j->parts > 1 || claimed(j->claim[w].item)
                        - agreeing(&j->claim[w], j->way[EXACTLY]) < 2)
        return;
    for (int a = 0; a < slips_n; a++)
        for (int b = a + 1; trial[a].useful && b < slips_n; b++)
            if (trial[b].useful && !share_a_place(&slips[a], &slips[b])
                && can_be_made_up(j, trial[a].off, trial[b].by)
                && can_be_made_up(j, trial[b].off, trial[a].by))
                try_slips(j, w, &slips[a], &slips[b]);
}

/* Of a claim that is off by last digits only, no slip but rounding. */
static void look_for_reasons(Judging *j, int w, bool rounding)
{
    SlipTrial *trial = arena_alloc(j->arena,
                                   (size_t)slips_n * sizeof *trial);
    const Run *run = j->way[EXACTLY];
    open_ways(j, w);
    for (int a = 0; a < slips_n; a++) {
        trial[a].useful = false;
        if ((!rounding || is_rounding(&slips[a]))
            && has_place(run, &slips[a], run->step, j->claim[w].step, NULL,
                         true))
            trial[a] = try_slips(j, w, &slips[a], NULL);
    }
    bool others = j->judged[w].fits && !rounding;
    for (int way = 0; others && way <= BOTH && j->found == 0; way++)
        if (j->open[way])
            look_for_cells(j, w, way);
    if (others && j->found == 0)
        look_for_pairs(j, w, trial);
}

static bool is_namesake(const Step *a, const Step *b)
{
    return strcmp(a->name, b->name) == 0 && a->aspect == b->aspect
        && a->part == b->part && a->layer == b->layer
        && a->head == b->head && a->turn == b->turn
        && a->inner == b->inner && a->given == b->given;
}

static const Step *claimed_step(const Run *run, const Item *item, Fault *f)
{
    const Step *last = step_of(run, item, f), *best = last;
    for (const Step *s = last; item->line == 0 && s-- > run->step; ) {
        Claim of_best = { item, best }, of_other = { item, s };
        if (is_namesake(s, last)
            && agreeing(&of_other, run) >= agreeing(&of_best, run))
            best = s;
    }
    return best;
}

static void find_claims(Judging *j, Fault *f)
{
    const Sheet *sheet = j->sheet;
    j->claim = arena_alloc(j->arena,
                           (size_t)(sheet->n + 1) * sizeof *j->claim);
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim)
            continue;
        Claim claim = { with_decimals(j->arena, item), NULL };
        claim.step = claimed_step(j->way[EXACTLY], claim.item, f);
        int to = j->n++;
        for (; to > 0 && j->claim[to - 1].step > claim.step; to--)
            j->claim[to] = j->claim[to - 1];
        j->claim[to] = claim;
    }
}

/* Of the entries that are not right as they are: how many are in a way? */
static int agreeing_only(const Judging *j, const Claim *c, int way)
{
    int n = 0;
    for (int k = 0; k < c->item->rows * c->item->cols; k++)
        n += verdict_in(c, k, j->way[way]) == RIGHT
          && verdict_in(c, k, j->way[EXACTLY]) > RIGHT;
    return n;
}

/* The way that makes most of them right, the first of several; EXACTLY if
   that is less than half of them, for chance does as much. */
static int best_way(const Judging *j, const Claim *c)
{
    int best = EXACTLY, most = 0;
    for (int way = 1; way < WAYS; way++) {
        int n = j->way[way] == NULL ? 0 : agreeing_only(j, c, way);
        if (n > most)
            most = n, best = way;
    }
    int not_right = claimed(c->item) - agreeing(c, j->way[EXACTLY]);
    return 2 * most < not_right ? EXACTLY : best;
}

/* Has what went wrong in claim k, alone, changed the numbers of claim w? */
static bool is_changed_by(const Judging *j, int w, int k)
{
    const Step *right = j->claim[w].step,
               *step = j->alone[k] == NULL ? right
                     : same_step(j->alone[k], right);
    return step != right
        && (step == NULL || !has_same_numbers(step, right));
}

/* Are the numbers of claim w, in a way, the same if only some claims are
   carried on as written? */
static bool is_carried_by(Judging *j, int w, int way, const Claim *some,
                          int n)
{
    Explanation why = in_way(j, (Explanation){ .n = 0 }, way);
    why.claim = some;
    why.n = n;
    return leaves_alone(j, w, why, way);
}

/* The claims that were carried on, the last of those that say the same. */
static int find_carried(Judging *j, int w, int way, int *source)
{
    Claim *some = arena_alloc(j->arena, ((size_t)w + 1) * sizeof *some);
    int n = 0;
    for (int k = 0; k < w && !is_too_much(j); k++) {
        memcpy(some + n, j->claim + k + 1,
               (size_t)(w - k - 1) * sizeof *some);
        if (is_carried_by(j, w, way, some, n + w - k - 1))
            continue;
        some[n] = j->claim[k];
        source[n++] = k;
    }
    return n;
}

/* The claims from which w follows: those that went wrong before and matter;
   or, where none is wrong, those that were carried on rounded. */
static Verdict find_sources(Judging *j, int w, int way)
{
    Judged *judged = &j->judged[w];
    bool written = way == WRITTEN || way == BOTH;
    int *source = arena_alloc(j->arena, ((size_t)w + 1) * sizeof *source);
    judged->source = source;
    judged->sources = 0;
    for (int k = 0; k < w; k++)
        if (j->judged[k].count[WRONG] > 0 && is_changed_by(j, w, k))
            source[judged->sources++] = k;
    if (judged->sources > 0)
        return FOLLOWS;
    if (written)
        judged->sources = find_carried(j, w, way, source);
    for (int k = 0; k < w && !written; k++)
        if (is_changed_by(j, w, k))
            source[judged->sources++] = k;
    return EARLY;
}

static void count_verdicts(Judged *judged)
{
    const Item *item = judged->claim.item;
    memset(judged->count, 0, sizeof judged->count);
    for (int k = 0; k < item->rows * item->cols; k++)
        judged->count[judged->verdict[k]]++;
}

/* What is one verdict becomes another. */
static void turn_verdicts(Judged *judged, Verdict from, Verdict to)
{
    const Item *item = judged->claim.item;
    for (int k = 0; k < item->rows * item->cols; k++)
        if (judged->verdict[k] == from)
            judged->verdict[k] = to;
    count_verdicts(judged);
}

/* What is wrong becomes what it is if a claim as a whole came about in a
   way: it follows from an error, or has that verdict. */
static void become(Judging *j, int w, int way, Verdict least,
                   Verdict verdict)
{
    Verdict v = find_sources(j, w, way);
    for (Verdict from = least; from <= WRONG; from++)
        turn_verdicts(&j->judged[w], from, v == EARLY ? verdict : v);
}

/* Digits may be cut off, and what was rounded and carried on may be off by
   last digits once more. */
static void judge_whole(Judging *j, int w)
{
    const Judged *judged = &j->judged[w];
    for (int way = 0; way < WAYS; way++) {
        const Run *run = j->way[way];
        const Claim *c = &judged->claim;
        int wrong = judged->count[WRONG], off = judged->count[LAST_DIGIT],
            all = c->item->rows * c->item->cols;
        if (run == NULL)
            continue;
        if (wrong + off > 0 && count_in(c, run, is_cut_from) == all)
            become(j, w, way, LAST_DIGIT, CUT);
        else if (wrong > 0 && (way == WRITTEN || way == TYPED)
                 && count_in(c, run, is_right_or_off) == all)
            become(j, w, way, WRONG, EARLY);
    }
}

static void judge_claim(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &j->claim[w];
    int n = c->item->rows * c->item->cols;
    *judged = (Judged){ .claim = *c };
    judged->fits = is_comparable(c->item, c->step);
    judged->verdict = arena_alloc(j->arena, (size_t)n * sizeof(Verdict));
    if (w > 0 && j->way[WRITTEN] == NULL
        && !explains(j->way[EXACTLY], c))
        run_ways(j, WRITTEN, WRITTEN);
    int best = best_way(j, c);
    for (int k = 0; k < n; k++) {
        Verdict v = isnan(c->item->entry[k].value) ? OPEN
                  : verdict_in(c, k, j->way[EXACTLY]);
        bool follows = v > RIGHT && verdict_in(c, k, j->way[best]) == RIGHT;
        judged->verdict[k] = follows ? FOLLOWS : v;
    }
    count_verdicts(judged);
    if (judged->count[FOLLOWS] > 0)
        turn_verdicts(judged, FOLLOWS, find_sources(j, w, best));
    judge_whole(j, w);
    judged->begins = judged->count[WRONG] + judged->count[LAST_DIGIT] > 0;
    judged->turned = judged->begins && is_turned(c);
    j->alone[w] = NULL;
}

/* A claim with none but its entries that went wrong by themselves. */
static Claim wrong_part(const Judging *j, int w)
{
    const Judged *judged = &j->judged[w];
    Claim part = judged->claim;
    int n = part.item->rows * part.item->cols;
    size_t size = (size_t)n * sizeof(Entry);
    Entry *entry = memcpy(arena_alloc(j->arena, size), part.item->entry,
                          size);
    Item *item = arena_alloc(j->arena, sizeof *item);
    for (int k = 0; k < n; k++)
        if (judged->verdict[k] != WRONG && judged->verdict[k] != LAST_DIGIT)
            entry[k].value = NAN;
    *item = *part.item;
    item->entry = entry;
    part.item = item;
    return part;
}

static void explain_by_slips(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    bool rounding = true;
    look_for_reasons(j, w, judged->count[WRONG] == 0);
    for (int k = 0; k < j->found; k++)
        rounding &= j->why[k].slip[0] != NULL && j->why[k].slip[1] == NULL
                 && is_rounding(j->why[k].slip[0]);
    if (j->found > 0 && rounding) {
        turn_verdicts(judged, WRONG, EARLY);
        turn_verdicts(judged, LAST_DIGIT, EARLY);
    }
}

/* What is explained is carried on with its slips. */
static void go_on_with_slips(Judging *j, int w)
{
    Explanation *last = arena_alloc(j->arena, sizeof *last), alone;
    *last = alone = j->judged[w].why[0];
    last->before = j->before;
    j->before = last;
    alone.n = 0;
    alone.before = NULL;
    j->alone[w] = run_again(j, &alone, j->arena);
}

static const char *terms_of_first(const Judging *j, int w)
{
    int k = 0;
    while (j->judged[w].verdict[k] != WRONG)
        k++;
    return terms_text(j->way[EXACTLY], &j->claim[w], k, j->arena, j->tape);
}

/* As long as no reason is found, what is wrong is carried on as it was
   written. What is off by last digits may be that or not. */
static void explain(Judging *j, int w)
{
    Judged *judged = &j->judged[w];
    bool wrong = judged->count[WRONG] > 0;
    Claim part = wrong_part(j, w);
    Explanation alone = { .claim = &part, .n = 1 };
    j->part[j->parts] = j->no_reason[j->unexplained] = part;
    j->parts += wrong;
    j->unexplained += wrong;
    j->alone[w] = run_again(j, &alone, j->arena);
    run_ways(j, WRITTEN, TYPED);
    j->best = right_later(j, w, j->way);
    j->found = 0;
    j->unexplained -= wrong;
    explain_by_slips(j, w);
    size_t size = (size_t)j->found * sizeof *j->why;
    judged->n = j->found;
    judged->why = memcpy(arena_alloc(j->arena, size + 1), j->why, size);
    judged->cut_short = is_too_much(j);
    if (judged->n > 0) {
        go_on_with_slips(j, w);
        run_ways(j, AFTER, BOTH);
    } else {
        j->unexplained += wrong;
        judged->terms = judged->fits && wrong ? terms_of_first(j, w) : NULL;
    }
}

int claimed_entries(const Judged *judged)
{
    return claimed(judged->claim.item);
}

int all_claimed(const Judgement *judgement)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++)
        n += claimed_entries(&judgement->judged[k]);
    return n;
}

bool all_right(const Judgement *judgement)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++)
        n += judgement->judged[k].count[RIGHT];
    return n == all_claimed(judgement);
}

static const Layout *other_layout(const Judgement *judgement)
{
    const Run *run = judgement->run;
    Fault f = { .sheet = run->sheet->name };
    int all = all_claimed(judgement);
    bool here = right_under(run->sheet, run->layout, &f) == all;
    for (int k = 0; k < LAYOUTS && !here; k++)
        if (right_under(run->sheet, &layouts[k], &f) == all)
            return &layouts[k];
    return NULL;
}

const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Fault *f)
{
    Judging *j = arena_alloc(arena, sizeof *j);
    Judgement *judgement = arena_alloc(arena, sizeof *judgement);
    *j = (Judging){ .sheet = sheet, .arena = arena, .tape = tape };
    j->way[EXACTLY] = run_sheet(sheet, arena, tape, f);
    find_claims(j, f);
    size_t n = (size_t)j->n + 1;
    j->judged = arena_alloc(arena, n * sizeof *j->judged);
    j->alone = arena_alloc(arena, n * sizeof *j->alone);
    j->part = arena_alloc(arena, n * sizeof *j->part);
    j->no_reason = arena_alloc(arena, n * sizeof *j->no_reason);
    j->why = arena_alloc(arena, MOST_FOUND * sizeof *j->why);
    j->scratch = arena_new();
    for (int w = 0; w < j->n; w++) {
        judge_claim(j, w);
        if (j->judged[w].begins)
            explain(j, w);
    }
    *judgement = (Judgement){ j->way[EXACTLY], j->n, j->judged, NULL };
    if (j->parts > 0)
        judgement->other = other_layout(judgement);
    arena_free(j->scratch);
    return judgement;
}
