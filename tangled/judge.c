/* Judging the claims of a sheet. */
#include "program.h"
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

enum { STANDS_FOR_INFINITY = -10000 };

static bool is_single(void) { return sizeof(real) == sizeof(float); }

bool same_number(double a, double b)
{
    double size = fmax(1, fmax(fabs(a), fabs(b)));
    double error = (is_single() ? 1e-5 : 1e-10) * size;
    return isfinite(size) ? fabs(a - b) <= error : a == b;
}

Verdict verdict_on(const Entry *entry, double x)
{
    double typed = entry->value;
    double bits = is_single() ? 8.0 * FLT_EPSILON : 100 * DBL_EPSILON;
    if (isnan(typed))
        return OPEN;
    if (x == -INFINITY)
        return typed <= STANDS_FOR_INFINITY ? RIGHT : WRONG;
    if (entry->decimals == EXACT)
        return same_number(typed, x) ? RIGHT : WRONG;
    double unit = pow(10, -entry->decimals);
    double off = fabs(typed - x) - bits * fmax(1, fabs(x));
    return off <= unit / 2 ? RIGHT : off <= 1.5 * unit ? LAST_DIGIT : WRONG;
}

static bool has_claims(const Item *claim, const Step *step)
{
    return step != NULL && shape_fits(claim, step->M);
}

static Verdict verdict_in(const Claim *c, int k, const Run *run)
{
    const Step *step = same_step(run, c->step);
    return has_claims(c->item, step)
         ? verdict_on(&c->item->entry[k],
                      *claimed_entry(c->item, step->M, k)) : WRONG;
}

/* How many entries of a claim are right in a run. */
static int agreeing(const Claim *c, const Run *run)
{
    int n = 0;
    const Step *step = same_step(run, c->step);
    for (int k = 0; has_claims(c->item, step)
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
    bool right = item->rows == M->cols && item->cols == M->rows
              && M->rows > 1 && M->cols > 1;
    for (int k = 0; right && k < item->rows * item->cols; k++) {
        int i = k / item->cols + 1, j = k % item->cols + 1;
        right = verdict_on(&item->entry[k], AT(M, j, i)) <= RIGHT;
    }
    return right;
}

typedef struct {
    const Sheet *sheet;
    Arena *arena, *scratch;     /* the scratch is cleared after a try     */
    Tape *tape;
    const Run *run;             /* without a slip                         */
    int n;
    Claim *claim;               /* in the order of the steps              */
    Judged *judged;
    int found, most;            /* explanations, and room for so many     */
    Explanation *why;
    int best;                   /* entries that these make right later    */
} Judging;

enum { MOST_FOUND = 200 };

/* Entries of the claims behind number w that a run makes right. */
static int later(const Judging *j, int w, const Run *full,
                 const Run *carried)
{
    int n = 0;
    for (int k = w + 1; k < j->n; k++) {
        int a = agreeing(&j->claim[k], full),
            b = agreeing(&j->claim[k], carried);
        n += a > b ? a : b;
    }
    return n;
}

static void keep(Judging *j, int agreed, const Explanation *why)
{
    if (agreed > j->best) {
        j->found = 0;
        j->best = agreed;
    }
    if (agreed == j->best && j->found < MOST_FOUND)
        j->why[j->found++] = *why;
}

static bool try_one(Judging *j, int w, Explanation why)    /* made? */
{
    const Run *full = run_explained(j->sheet, &why, j->scratch, j->tape);
    Explanation carrying = why;
    carrying.claim = j->claim;
    carrying.n = j->n;
    const Run *carried = run_explained(j->sheet, &carrying, j->scratch,
                                       j->tape);
    bool by_full = explains(full, &j->claim[w]);
    if (by_full || explains(carried, &j->claim[w]))
        keep(j, later(j, w, full, carried), by_full ? &why : &carrying);
    arena_clear(j->scratch);
    tape_clear(j->tape);
    return why.made[0] && (why.slip[1] == NULL || why.made[1]);
}
static bool can_be_narrower(const Step *step)
{
    return step->layer > 0 || step->head > 0 || step->turn > 0;
}

static bool try_slips(Judging *j, int w, const Slip *a, const Slip *b)
{
    Explanation why = { .slip = { a, b } };
    int before = j->found;
    bool made = try_one(j, w, why);
    why.only = j->claim[w].step;
    if (made && j->found == before && can_be_narrower(why.only))
        try_one(j, w, why);
    return made;
}

static void look_for_slips(Judging *j, int w)
{
    bool *made = arena_alloc(j->arena, (size_t)slips_n * sizeof *made);
    j->found = 0;
    j->best = -1;
    for (int a = 0; a < slips_n; a++)
        made[a] = try_slips(j, w, &slips[a], NULL);
    if (j->found > 0)
        return;
    for (int a = 0; a < slips_n; a++)
        for (int b = a + 1; made[a] && b < slips_n; b++)
            if (made[b])
                try_slips(j, w, &slips[a], &slips[b]);
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
        claim.step = claimed_step(j->run, claim.item, f);
        int to = j->n++;
        for (; to > 0 && j->claim[to - 1].step > claim.step; to--)
            j->claim[to] = j->claim[to - 1];
        j->claim[to] = claim;
    }
}
typedef struct {
    int n;
    const Run *run[2 * MOST_FOUND];
} Known;

static void judge_claim(const Judging *j, int w, const Known *known)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &j->claim[w];
    int n = c->item->rows * c->item->cols;
    *judged = (Judged){ .claim = *c };
    judged->fits = has_claims(c->item, c->step);
    judged->verdict = arena_alloc(j->arena, (size_t)n * sizeof(Verdict));
    for (int k = 0; k < n; k++) {
        Verdict v = isnan(c->item->entry[k].value) ? OPEN
                  : verdict_in(c, k, j->run);
        for (int i = 0; i < known->n && v > RIGHT; i++)
            if (verdict_in(c, k, known->run[i]) == RIGHT)
                v = FOLLOWS;
        judged->verdict[k] = v;
        judged->count[v]++;
    }
    judged->begins = judged->count[WRONG] + judged->count[LAST_DIGIT] > 0;
    judged->turned = judged->begins && is_turned(c);
}

static void know(const Judging *j, Known *known, Explanation why)
{
    if (known->n == 2 * MOST_FOUND)
        return;
    known->run[known->n++] = run_explained(j->sheet, &why, j->arena,
                                           j->tape);
}

static void explain(Judging *j, int w, Known *known)
{
    Judged *judged = &j->judged[w];
    if (known->n == 0)
        know(j, known, (Explanation){ .claim = j->claim, .n = j->n });
    if (!judged->fits)
        return;
    Explanation *why = NULL;
    if (explains(known->run[0], &j->claim[w])) {
        why = arena_alloc(j->arena, sizeof *why);
        *why = (Explanation){ .claim = j->claim, .n = j->n };
        judged->n = 1;
    } else {
        look_for_slips(j, w);
        size_t size = (size_t)j->found * sizeof *why;
        judged->n = j->found;
        why = memcpy(arena_alloc(j->arena, size + 1), j->why, size);
    }
    judged->why = why;
    for (int k = 0; k < judged->n; k++) {
        know(j, known, (Explanation){ .slip = { why[k].slip[0],
             why[k].slip[1] }, .only = why[k].only });
        know(j, known, (Explanation){ .slip = { why[k].slip[0],
             why[k].slip[1] }, .only = why[k].only, .claim = j->claim,
             .n = j->n });
    }
}

static const Sheet *under_layout(Arena *arena, const Sheet *sheet,
                                 const Layout *layout)
{
    Sheet *other = arena_alloc(arena, sizeof *other);
    size_t size = (size_t)(sheet->n + 1) * sizeof(Item);
    Item *item = arena_alloc(arena, size);
    *other = (Sheet){ sheet->name, sheet->text, 0, item };
    item[other->n++] = (Item){ .name = "layout", .typed = "layout",
                               .word = layout->name };
    for (int k = 0; k < sheet->n; k++)
        if (strcmp(sheet->item[k].name, "layout") != 0)
            item[other->n++] = sheet->item[k];
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
        observe(j->tape, NULL, NULL);
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
    j->run = run_sheet(sheet, arena, tape, f);
    find_claims(j, f);
    j->judged = arena_alloc(arena, (size_t)(j->n + 1) * sizeof *j->judged);
    j->why = arena_alloc(arena, MOST_FOUND * sizeof *j->why);
    j->scratch = arena_new();
    bool right = true;
    for (int w = 0; w < j->n; w++) {
        judge_claim(j, w, known);
        right &= !j->judged[w].begins;
        if (j->judged[w].begins)
            explain(j, w, known);
    }
    *judgement = (Judgement){ j->run, j->n, j->judged,
                              right ? NULL : other_layout(j) };
    arena_free(j->scratch);
    return judgement;
}

