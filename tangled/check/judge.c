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

/* How many entries of a claim are right in a run. */
static int agreeing(const Claim *c, const Run *run)
{
    int n = 0;
    const Step *step = same_step(run, c->step);
    for (int k = 0; is_comparable(c->item, step)
                    && k < c->item->rows * c->item->cols; k++)
        n += verdict_on(&c->item->entry[k],
                        *claimed_entry(c->item, step->M, k)) == RIGHT;
    return n;
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

enum { FULL, CARRIED, FULL_AFTER, CARRIED_AFTER, MODES };

typedef struct {
    const Sheet *sheet;
    Arena *arena, *scratch;     /* the scratch is cleared after a try     */
    Tape *tape;
    const Run *right[MODES];    /* without another slip; NULL: not yet    */
    Explanation *before;        /* the slips that were found; or NULL     */
    int n;
    Claim *claim;               /* in the order of the steps              */
    Judged *judged;
    int found;                  /* explanations                           */
    Explanation *why;           /* room for MOST_FOUND                    */
    int best;                   /* entries that these make right later    */
    double work;                /* done so far                            */
    Claim *unexplained;         /* with none but the entries that went    */
    int n_unexplained;          /* ... wrong by themselves                */
} Judging;

enum { MOST_FOUND = 200 };

static Explanation in_mode(const Judging *j, Explanation why, int mode)
{
    bool carried = mode == CARRIED || mode == CARRIED_AFTER;
    bool after = mode == FULL_AFTER || mode == CARRIED_AFTER;
    why.claim = carried ? j->claim : j->unexplained;
    why.n = carried ? j->n : after ? j->n_unexplained : 0;
    why.before = after ? j->before : NULL;
    why.until = NULL;
    return why;
}

/* Can the numbers behind claim w have come about in this way? */
static bool is_open(const Judging *j, int w, int mode)
{
    return mode == FULL ? j->n_unexplained == 0
                        : w > 0 && j->right[mode] != NULL;
}
#ifndef MOST_WORK
#define MOST_WORK 1e8           /* entries, about, to judge a sheet       */
#endif

static const Run *run_again(Judging *j, Explanation *why, Arena *arena)
{
    const Run *run = run_explained(j->sheet, why, arena, j->tape);
    j->work += run->n * (100 + j->n / 4.0);
    for (int k = 0; k < run->n; k++)
        j->work += 4.0 * run->step[k].M->rows * run->step[k].M->cols;
    return run;
}

static bool is_too_much(const Judging *j)
{
    return j->work > MOST_WORK;
}

static bool contradicts(const Judging *j, int w, const Run *run, int mode)
{
    for (int k = 0; k < w; k++)
        if (agreeing(&j->claim[k], run)
            < agreeing(&j->claim[k], j->right[mode]))
            return true;
    return false;
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

typedef struct {
    bool made;                  /* met its places                         */
    bool fits;                  /* explains the claim                     */
    bool useful;                /* changes it, and no claim before        */
} SlipTrial;

static SlipTrial try_in(Judging *j, int w, Explanation why, int mode)
{
    SlipTrial trial = { false, false, false };
    const Claim *c = &j->claim[w];
    why = in_mode(j, why, mode);
    why.until = c->step;
    const Run *run = run_again(j, &why, j->scratch);
    trial.made = why.made[0] && (why.slip[1] == NULL || why.made[1]);
    const Step *slipped = same_step(run, c->step),
               *right = same_step(j->right[mode], c->step);
    if (trial.made && slipped != NULL && right != NULL
        && !has_same_numbers(slipped, right)) {
        trial.useful = !contradicts(j, w, run, mode);
        trial.fits = trial.useful && explains(run, c);
    }
    arena_clear(j->scratch);
    tape_clear(j->tape);
    return trial;
}

/* Entries of the claims behind number w that an explanation makes right. */
static int later(Judging *j, int w, const Explanation *why)
{
    int n = 0;
    const Run *run[MODES] = { NULL };
    for (int mode = 0; mode < MODES; mode++) {
        Explanation e = in_mode(j, *why, mode);
        if (j->right[mode] != NULL)
            run[mode] = run_again(j, &e, j->scratch);
    }
    for (int k = w + 1; k < j->n; k++) {
        int most = 0;
        for (int mode = 0; mode < MODES; mode++) {
            int here = run[mode] == NULL ? 0
                     : agreeing(&j->claim[k], run[mode]);
            most = here > most ? here : most;
        }
        n += most;
    }
    arena_clear(j->scratch);
    tape_clear(j->tape);
    return n;
}

static void keep_reason(Judging *j, int w, Explanation why, int mode)
{
    int agreed = w + 1 < j->n ? later(j, w, &why) : 0;
    if (agreed > j->best) {
        j->found = 0;
        j->best = agreed;
    }
    if (agreed == j->best && j->found < MOST_FOUND)
        j->why[j->found++] = in_mode(j, why, mode);
}

static bool try_one(Judging *j, int w, Explanation why)    /* useful? */
{
    bool useful = false;
    for (int mode = 0; mode < MODES && !is_too_much(j); mode++) {
        if (!is_open(j, w, mode))
            continue;
        SlipTrial trial = try_in(j, w, why, mode);
        if (!trial.made)
            break;
        useful |= trial.useful;
        if (trial.fits) {
            keep_reason(j, w, why, mode);
            break;
        }
    }
    return useful;
}

static bool can_be_narrower(const Step *step)
{
    return step->layer > 0 || step->head > 0 || step->turn > 0;
}

static bool try_slips(Judging *j, int w, const Slip *a, const Slip *b)
{
    Explanation why = { .slip = { a, b } };
    int before = j->found, best = j->best;
    bool useful = try_one(j, w, why);
    bool fits = j->found != before || j->best != best;
    int found = j->found;
    best = j->best;
    why.only = j->claim[w].step;
    if (can_be_narrower(why.only))
        useful |= try_one(j, w, why);
    if (fits && j->best == best)
        j->found = found;
    return useful;
}

enum {
    MOST_REASONS = 3,           /* for one entry                          */
    MOST_WRONG = 50             /* entries, each with its own reason      */
};

static bool is_seldom_wrong(const Judging *j, int w, int mode)
{
    const Claim *c = &j->claim[w];
    int all = claimed(c->item), wrong = all - agreeing(c, j->right[mode]);
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
static bool choose_cells(Judging *j, int w, int mode, const CellSlip *cell,
                         int cells, int number, Explanation *why)
{
    const Claim *c = &j->claim[w];
    int all = c->item->rows * c->item->cols;
    CellSlip *chosen = arena_alloc(j->arena, (size_t)all * sizeof *chosen);
    bool another = false;
    *why = (Explanation){ .cell = chosen, .only = c->step };
    for (int k = 0; k < all; k++) {
        if (verdict_in(c, k, j->right[mode]) <= RIGHT)
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

static void look_for_cells(Judging *j, int w, int mode)
{
    const CellSlip *cell;
    Explanation why;
    if (!is_seldom_wrong(j, w, mode))
        return;
    int cells = cell_slips(j->sheet, in_mode(j, (Explanation){ .n = 0 },
                                             mode),
                           &j->claim[w], j->arena, j->tape, &cell);
    for (int k = 0; !is_too_much(j)
                    && choose_cells(j, w, mode, cell, cells, k, &why); k++)
        keep_reason(j, w, why, mode);
}

static bool share_a_place(const Slip *a, const Slip *b)
{
    for (int i = 0; i < PLACES && a->at[i].line != NULL; i++)
        for (int k = 0; k < PLACES && b->at[k].line != NULL; k++)
            if (strcmp(a->at[i].line, b->at[k].line) == 0
                && strcmp(a->at[i].name, b->at[k].name) == 0
                && a->at[i].unwritten == b->at[k].unwritten)
                return true;
    return is_rounding(a) && is_rounding(b);
}

static void look_for_pairs(Judging *j, int w, const bool *useful)
{
    for (int k = 0; k < w; k++)
        if (j->judged[k].begins)
            return;
    if (claimed(j->claim[w].item)
        - agreeing(&j->claim[w], j->right[FULL]) < 2)
        return;
    for (int a = 0; a < slips_n; a++)
        for (int b = a + 1; useful[a] && b < slips_n; b++)
            if (useful[b] && !share_a_place(&slips[a], &slips[b]))
                try_slips(j, w, &slips[a], &slips[b]);
}

static void look_for_reasons(Judging *j, int w)
{
    bool *useful = arena_alloc(j->arena, (size_t)slips_n * sizeof *useful);
    j->found = 0;
    j->best = -1;
    for (int a = 0; a < slips_n; a++)
        useful[a] = has_place(j->right[FULL], &slips[a], j->claim[w].step)
                 && try_slips(j, w, &slips[a], NULL);
    bool fits = j->judged[w].fits;
    for (int mode = 0; fits && mode < MODES && j->found == 0; mode++)
        if (is_open(j, w, mode))
            look_for_cells(j, w, mode);
    if (fits && j->found == 0)
        look_for_pairs(j, w, useful);
}

static bool is_namesake(const Step *a, const Step *b)
{
    return strcmp(a->name, b->name) == 0 && a->aspect == b->aspect
        && a->part == b->part && a->layer == b->layer
        && a->head == b->head && a->turn == b->turn
        && a->inner == b->inner;
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
        claim.step = claimed_step(j->right[FULL], claim.item, f);
        int to = j->n++;
        for (; to > 0 && j->claim[to - 1].step > claim.step; to--)
            j->claim[to] = j->claim[to - 1];
        j->claim[to] = claim;
    }
}

typedef struct {
    int n;
    const Run *run[MODES * MOST_FOUND];
} Known;

static void judge_claim(const Judging *j, int w, const Known *known)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &j->claim[w];
    int n = c->item->rows * c->item->cols;
    *judged = (Judged){ .claim = *c };
    judged->fits = is_comparable(c->item, c->step);
    judged->verdict = arena_alloc(j->arena, (size_t)n * sizeof(Verdict));
    for (int k = 0; k < n; k++) {
        Verdict v = isnan(c->item->entry[k].value) ? OPEN
                  : verdict_in(c, k, j->right[FULL]);
        for (int i = 0; i < known->n && v > RIGHT; i++)
            if (verdict_in(c, k, known->run[i]) == RIGHT)
                v = FOLLOWS;
        judged->verdict[k] = v;
        judged->count[v]++;
    }
    judged->begins = judged->count[WRONG] + judged->count[LAST_DIGIT] > 0;
    judged->turned = judged->begins && is_turned(c);
}

static const Run *know(Judging *j, Known *known, Explanation why)
{
    if (known->n == MODES * MOST_FOUND || (known->n > 0 && is_too_much(j)))
        return NULL;
    return known->run[known->n++] = run_again(j, &why, j->arena);
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

static Explanation wrong_parts(const Judging *j, int w)
{
    Explanation why = { .n = 0 };
    Claim *wrong = arena_alloc(j->arena, (size_t)(w + 1) * sizeof *wrong);
    for (int k = 0; k <= w; k++)
        if (j->judged[k].begins)
            wrong[why.n++] = wrong_part(j, k);
    why.claim = wrong;
    return why;
}

static void go_on_after(Judging *j, int w, Known *known)
{
    const Judged *judged = &j->judged[w];
    const Explanation none = { .n = 0 };
    if (judged->n == 0) {
        j->unexplained[j->n_unexplained++] = wrong_part(j, w);
    } else if (judged->why->slip[0] != NULL || judged->why->cells > 0) {
        Explanation *last = arena_alloc(j->arena, sizeof *last);
        *last = judged->why[0];
        last->before = j->before;
        j->before = last;
    }
    for (int mode = FULL_AFTER; mode < MODES; mode++) {
        const Run *run = know(j, known, in_mode(j, none, mode));
        j->right[mode] = run != NULL ? run : j->right[mode];
    }
}

static void explain(Judging *j, int w, Known *known)
{
    Judged *judged = &j->judged[w];
    if (known->n == 0) {
        know(j, known, in_mode(j, (Explanation){ .n = 0 }, CARRIED));
        j->right[CARRIED] = known->run[0];
    }
    Explanation *why = NULL;
    if (explains(known->run[0], &j->claim[w])) {
        why = arena_alloc(j->arena, sizeof *why);
        *why = in_mode(j, (Explanation){ .n = 0 }, CARRIED);
        judged->n = 1;
    } else {
        know(j, known, wrong_parts(j, w));
        look_for_reasons(j, w);
        size_t size = (size_t)j->found * sizeof *why;
        judged->n = j->found;
        why = memcpy(arena_alloc(j->arena, size + 1), j->why, size);
    }
    judged->why = why;
    for (int k = 0; k < judged->n; k++)
        for (int mode = 0; mode < MODES; mode++)
            if (j->right[mode] != NULL)
                know(j, known, in_mode(j, why[k], mode));
    go_on_after(j, w, known);
    judged->cut_short = is_too_much(j);
}

static const Sheet *under_layout(Arena *arena, const Sheet *sheet,
                                 const Layout *layout)
{
    Sheet *other = arena_alloc(arena, sizeof *other);
    size_t size = (size_t)sheet->n * sizeof(Item);
    Item *item = arena_alloc(arena, size + sizeof(Item));
    item[0] = (Item){ .name = "layout", .typed = "layout",
                      .word = layout->name };       /* the first counts */
    memcpy(item + 1, sheet->item, size);
    *other = (Sheet){ sheet->name, sheet->text, sheet->n + 1, item };
    return other;
}

typedef struct {
    const Judging *j;
    const Layout *layout;
    bool right;                 /* all claims are                         */
} Attempt;

static void try_layout(Fault *f, void *data)
{
    Attempt *a = data;
    const Judging *j = a->j;
    const Run *run = run_sheet(under_layout(j->scratch, j->sheet,
                                            a->layout),
                               j->scratch, j->tape, f);
    a->right = true;
    for (int k = 0; k < j->n; k++)
        a->right &= explains(run, &j->claim[k]);
}

static const Layout *other_layout(const Judging *j)
{
    const Layout *found = NULL;
    for (int k = LAYOUTS - 1; k >= 0; k--) {
        Attempt a = { j, &layouts[k], false };
        Fault f = { .sheet = j->sheet->name };
        if (attempt(&f, try_layout, &a) && a.right)
            found = &layouts[k];
        arena_clear(j->scratch);
        tape_clear(j->tape);
    }
    return found;
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

const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Fault *f)
{
    Judging *j = arena_alloc(arena, sizeof *j);
    Known *known = arena_alloc(arena, sizeof *known);
    Judgement *judgement = arena_alloc(arena, sizeof *judgement);
    *j = (Judging){ .sheet = sheet, .arena = arena, .tape = tape };
    known->n = 0;
    j->right[FULL] = run_sheet(sheet, arena, tape, f);
    find_claims(j, f);
    j->judged = arena_alloc(arena, (size_t)(j->n + 1) * sizeof *j->judged);
    j->why = arena_alloc(arena, MOST_FOUND * sizeof *j->why);
    j->unexplained = arena_alloc(arena, (size_t)(j->n + 1) * sizeof(Claim));
    j->scratch = arena_new();
    bool right = true;
    for (int w = 0; w < j->n; w++) {
        judge_claim(j, w, known);
        right &= !j->judged[w].begins;
        if (j->judged[w].begins)
            explain(j, w, known);
    }
    *judgement = (Judgement){ j->right[FULL], j->n, j->judged,
                              right ? NULL : other_layout(j) };
    arena_free(j->scratch);
    return judgement;
}

