/* Is the verdict honest? Students round, cut digits off, mistype; what is
   said of them must be true, and chance may seldom look like a reason. */
#include "student.h"
#include "law.h"

enum { SHEETS = 1000 };

/* A student of that seed, who goes on with what he wrote down or with all
   digits. */
static Student student(const Problem *p, int seed)
{
    return (Student){ .way = { .p = p, .slip = "" },
                      .decimals = 2 + seed / 2 % (IS_DOUBLE ? 3 : 2),
                      .carries = seed % 2 == 0, .alone = seed / 4 % 3 == 0,
                      .random = seeded((uint64_t)seed * 1000003) };
}

/* His sheet, judged; NULL: nothing came of it. */
static const Judgement *judged_of(Student *st)
{
    st->text = given_text(st->way.p);
    bool done = run_of(st->text->at) != NULL && fills_in_by_hand(st)
             && st->claims > 0 && st->spoilt == (st->error > 0);
    return done ? judged(st->text->at) : NULL;
}

/* In half of them numbers are small, and no weight is near 0 or 1. */
static const Problem *problem(int seed)
{
    static const int algorithms[] = { 3, 4, 4, 4, 6, 7, 7 };
    Problem *p = random_problem(algorithms[seed % 7], 1);
    for (Thing *t = p->thing; seed / 7 % 2 == 0 && t < p->thing + p->n; t++)
        EACH(t->M, i, j)
            t->M.at[i][j] *= strcmp(t->name, "mask") == 0 ? 1 : 0.25;
    return p;
}

/* What is said of sheets: how many, in how many of them a slip, or a term, is
   named as a reason, how many have entries of a kind, and how many claims have
   an error that begins there, or are rounded early for no step. */
typedef struct {
    int sheets, slips, terms, wrong, follow, early, off;
    int begin, without_source;
} Tally;

static void count_reasons(Tally *t, const Judgement *j, const char *sheet)
{
    int named = 0, terms = 0;
    for (int k = 0; k < j->n; k++) {
        const Judged *claim = &j->judged[k];
        t->begin += claim->begins;
        t->without_source += claim->count[EARLY] > 0 && claim->sources == 0;
        terms += claim->terms != NULL
              && strstr(claim->terms, "it is yours") != NULL;
        for (int i = 0; i < claim->n; i++)
            named += !is_rounding(claim->why[i].slip);
    }
    t->sheets++;
    t->slips += named > 0;
    t->terms += terms > 0;
    t->wrong += count_of(j, WRONG) > 0;
    t->follow += count_of(j, FOLLOWS) > 0;
    t->early += count_of(j, EARLY) > 0;
    t->off += count_of(j, LAST_DIGIT) > 0;
    if (named > 0)
        printf("# %s\n", sheet);
}

/* So many sheets of students with this habit. */
static Tally tallied(int law, int full, void habit(Student *st))
{
    Tally t = { 0 };
    generator = seeded((uint64_t)law);
    for (int seed = 0; t.sheets < amount(full); seed++, tidy()) {
        Student st = student(problem(seed), seed);
        habit(&st);
        const Judgement *j = judged_of(&st);
        if (j != NULL)
            count_reasons(&t, j, st.text->at);
    }
    return t;
}

static void errs(Student *st)    { st->error = pick(1, 6); }
static void slips_up(Student *st) { st->error = pick(1, 6), st->last = true; }
static void cuts_off(Student *st) { st->cuts = true; }
static void carries(Student *st) { st->carries = true; }

LAW(a_last_digit_has_no_other_reason_than_rounding)
{
    const Tally t = tallied(1, SHEETS, slips_up);
    assert_seldom(t.slips + t.terms, t.sheets, 10);
}

LAW(a_random_error_is_no_slip)
{
    const Tally t = tallied(2, 2 * SHEETS, errs);
    assert_seldom(t.slips, t.sheets, 2);
    assert_seldom(t.terms, t.sheets, 100);
}

LAW(who_cuts_digits_off_is_told_so)
{
    const Tally t = tallied(3, SHEETS, cuts_off);
    assert_seldom(t.wrong + t.follow, t.sheets, 0);
    assert_seldom(t.begin, t.sheets, 0);
}

LAW(rounded_numbers_that_are_carried_on_are_rounded_early)
{
    const Tally t = tallied(4, SHEETS, carries);
    assert_that(t.early > 0);
    assert_seldom(t.wrong + t.follow + t.off, t.sheets, 0);
    assert_seldom(t.without_source, t.sheets, 0);
}

/* Behind an error, numbers have nothing to do with it. */
LAW(numbers_of_chance_seldom_follow)
{
    generator = seeded(5);
    int entries = 0, follow = 0;
    for (int seed = 0; entries < amount(20 * SHEETS); seed++, tidy()) {
        Student st = student(problem(seed), seed);
        st.decimals = 2;
        st.alone = false;
        st.error = pick(1, 4);
        st.guesses = true;
        const Judgement *j = judged_of(&st);
        if (j == NULL)
            continue;
        entries += count_of(j, FOLLOWS) + count_of(j, WRONG);
        follow += count_of(j, FOLLOWS);
    }
    assert_seldom(follow, entries, 10);
}

/* One error, and all that follows is said to follow from it. */
LAW(what_follows_points_at_its_step)
{
    generator = seeded(6);
    int follow = 0, elsewhere = 0;
    for (int seed = 0; follow < amount(SHEETS); seed++, tidy()) {
        Student st = student(problem(seed), seed);
        st.alone = false;
        st.error = pick(1, 4);
        const Judgement *j = judged_of(&st);
        int first = -1;
        for (int k = 0; j != NULL && k < j->n; k++) {
            const Judged *claim = &j->judged[k];
            if (claim->count[WRONG] > 0 && first < 0)
                first = k;
            if (claim->count[FOLLOWS] == 0)
                continue;
            follow++;
            elsewhere += claim->sources != 1 || claim->source[0] != first;
        }
    }
    assert_seldom(elsewhere, follow, 2);
}

/* A random Algorithm 4, begun at Q, K and V, with a gradient of its result. */
static const Run *run_of_a_way_back(Text *t)
{
    int d_attn = pick(2, 3), d_out = pick(2, 3), ell_z = pick(2, 4),
        ell_x = pick(2, 3);
    const struct { const char *name; int rows, cols; } given[] = {
        { "Q", d_attn, ell_x }, { "K", d_attn, ell_z }, { "V", d_out, ell_z },
        { "grad.V_tilde", d_out, ell_x } };
    add_text(t, "algorithm 4\nlayout paper\n");
    for (int k = 0; k < 4; k++) {
        add_text(t, "%s =", given[k].name);
        for (int i = 0; i < given[k].rows; i++)
            for (int j = 0; j < given[k].cols; j++)
                add_text(t, "%s%g", j == 0 && i > 0 ? " ; " : " ",
                         pick(-15, 15) / 10.0);
        add_text(t, "\n");
    }
    return run_of(t->at);
}

/* One error in a value or in a gradient of it: what is wrong later, on the
   way forth or back, follows from it. */
LAW(what_follows_on_the_way_back_points_at_its_step)
{
    generator = seeded(7);
    int follow = 0, elsewhere = 0, gradients = 0;
    for (int seed = 0; seed < amount(SHEETS); seed++, tidy()) {
        Text *t = text_new();
        const Run *right = run_of_a_way_back(t);
        assert_that(right != NULL && right->n > 6);
        const Step *step = &right->step[pick(0, right->n - 1)];
        if (step->given || step->role == ROLE_MASKED)
            continue;
        Claim error = claimed(step, step->M, IS_DOUBLE ? 6 : 3);
        int all = error.item->rows * error.item->cols, spoilt = -1;
        Entry *entry = (Entry *)&error.item->entry[pick(0, all - 1)];
        entry->value += pick(1, 9) / 8.0;
        Explanation why = { .claim = &error, .n = 1 };
        const Run *run = run_explained(right->bound, &why, arena, quiet);
        for (int k = 0; k < right->n; k++) {
            const Step *s = &right->step[k], *is = same_step(run, s);
            bool shown = s == step || (is != NULL && !s->given
                                       && s->role != ROLE_MASKED);
            if (shown)
                write_claim(t, s == step ? error
                            : claimed(s, is->M, IS_DOUBLE ? 6 : 3));
        }
        const Judgement *j = judged(t->at);
        for (int k = 0; k < j->n; k++) {
            const Judged *claim = &j->judged[k];
            if (same_place(claim->claim.step, step))
                spoilt = k;
            bool wrong = claim->count[WRONG] + claim->count[FOLLOWS] > 0;
            if (k == spoilt || !wrong)
                continue;
            follow++;
            gradients += claim->claim.step->aspect == GRADIENT;
            elsewhere += claim->count[WRONG] > 0 || claim->sources != 1
                      || claim->source[0] != spoilt;
        }
    }
    print_message("%d follow on the way back\n", gradients);
    assert_that(gradients > 0);
    assert_seldom(elsewhere, follow, 2);
}
