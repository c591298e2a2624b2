/* Judging the claims of a sheet. */
#include "check/judging.h"
#include <math.h>
#include <string.h>

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
    int not_right = count_entries(c->item) - count_right(c, j->way[EXACTLY]);
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

static bool is_right_or_off(const Entry *entry, double x)
{
    return verdict_on(entry, x) <= LAST_DIGIT;
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

static int token_of(const Claim *c, int k)
{
    Mat M = c->step->M;
    int at = (int)(claimed_entry(c->item, M, k) - M->at);
    return c->step->turned ? at % M->rows : at / M->rows;
}

/* Of a token entries are off, two at least, and all of them are right in a
   way; or, if there is slack, within that, behind an error. */
static void follow_tokens(Judging *j, int w, int way, const double *slack)
{
    Judged *judged = &j->judged[w];
    const Claim *c = &judged->claim;
    int all = c->item->rows * c->item->cols;
    for (int first = 0; first < all; first++) {
        int off = 0, reached = 0;
        for (int k = 0; k < all; k++)
            if (is_off(judged, k) && token_of(c, k) == token_of(c, first)) {
                off++;
                reached += slack != NULL ? is_within(j, w, way, slack, k)
                         : verdict_in(c, k, j->way[way]) == RIGHT;
            }
        if (off < 2 || reached < off)
            continue;
        Verdict v = find_sources(j, w, way);
        if (slack != NULL && v != FOLLOWS)
            return;
        for (int k = 0; k < all; k++)
            if (is_off(judged, k) && token_of(c, k) == token_of(c, first))
                judged->verdict[k] = v;
    }
    count_verdicts(judged);
}

static void judge_tokens(Judging *j, int w)
{
    const Judged *judged = &j->judged[w];
    for (int way = 1; way < WAYS; way++)
        if (judged->fits && judged->count[WRONG] > 0 && j->way[way] != NULL)
            follow_tokens(j, w, way, NULL);
    int way = j->before == NULL ? TYPED : AFTER;
    if (judged->fits && judged->count[WRONG] > 0 && j->unexplained > 0
        && j->way[way] != NULL) {
        const double *slack = slack_of(j, w, way, false);
        if (slack != NULL)
            follow_tokens(j, w, way, slack);
    }
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
    judge_tokens(j, w);
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
    look_for_reasons(j, w, judged->count[WRONG] > 0 ? ANY_SLIP
                                                    : SLIGHT_SLIP);
    for (int k = 0; k < j->found; k++)
        rounding &= j->why[k].slip != NULL && is_rounding(j->why[k].slip);
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

static void keep_reasons(Judging *j, int w)
{
    size_t size = (size_t)j->found * sizeof *j->why;
    j->judged[w].n = j->found;
    j->judged[w].why = memcpy(arena_alloc(j->arena, size + 1), j->why, size);
}

/* An epsilon does as much as cutting digits off. */
static void explain_cut(Judging *j, int w)
{
    run_ways(j, WRITTEN, TYPED);
    j->best = right_later(j, w, j->way);
    j->found = 0;
    look_for_reasons(j, w, SLIGHT_BUT_NO_ROUNDING);
    keep_reasons(j, w);
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
    keep_reasons(j, w);
    judged->cut_short = is_too_much(j);
    if (judged->n > 0) {
        go_on_with_slips(j, w);
        run_ways(j, AFTER, BOTH);
    } else if (judged->within != NOT_WITHIN) {
        Verdict v = judged->within == WITHIN_GIVEN ? EARLY
                  : find_sources(j, w, WRITTEN);
        turn_verdicts(judged, WRONG, v);
        turn_verdicts(judged, LAST_DIGIT, v);
        judged->begins = false;
        j->parts -= wrong;
    } else {
        j->unexplained += wrong;
        judged->terms = judged->fits && wrong ? terms_of_first(j, w) : NULL;
    }
}

int claimed_entries(const Judged *judged)
{
    return count_entries(judged->claim.item);
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
    Convention other = *run->convention;
    for (int k = 0; k < LAYOUTS && other.why == NULL; k++) {
        other.layout = &layouts[k];
        if (right_by(&other, run->sheet, &f) == all_claimed(judgement))
            return other.layout;
    }
    return NULL;
}

static const Judgement *judge_run(const Run *run, Arena *arena, Tape *tape,
                                  Fault *f)
{
    Judging *j = arena_alloc(arena, sizeof *j);
    Judgement *judgement = arena_alloc(arena, sizeof *judgement);
    *j = (Judging){ .arena = arena, .tape = tape, .way = { run } };
    j->claim = claims_of(run, arena, &j->n, f);
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
        else if (j->judged[w].count[CUT] > 0)
            explain_cut(j, w);
    }
    *judgement = (Judgement){ run, j->n, j->judged, NULL };
    if (j->parts > 0)
        judgement->other = other_layout(judgement);
    arena_free(j->scratch);
    return judgement;
}

static int count_explained(const Judgement *judgement)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        n += claimed_entries(j) - (j->n > 0 ? 0 : j->count[WRONG]);
    }
    return n;
}

const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Fault *f)
{
    const Run *run = run_sheet(sheet, arena, tape, f);
    const Judgement *best = judge_run(run, arena, tape, f);
    int most = count_explained(best), all = all_claimed(best);
    for (int k = 1; k < run->conventions && most < all; k++) {
        const Bound *bound = bind_by(&run->convention[k], sheet, arena, f);
        const Judgement *other = judge_run(
            run_bound(bound, NULL, arena, tape, f), arena, tape, f);
        if (count_explained(other) > most) {
            best = other;
            most = count_explained(other);
        }
    }
    return best;
}
