/* Slips are planted: a student makes one, and ftx check must name it. A
   faultless student is right everywhere, and one random error is no slip. */
#include "student.h"
#include "check/check.h"
#include "law.h"

static void print_named(const Judgement *j, const char *text)
{
    printf("# named:");
    for (int k = 0; k < j->n; k++)
        for (int i = 0; i < j->judged[k].n; i++)
            if (j->judged[k].why[i].slip != NULL)
                printf(" %s in %s,", j->judged[k].why[i].slip->name,
                       j->judged[k].claim.step->name);
    printf("\n%s\n", text);
}

/* ---------------------------------------------------------- the planting */

static bool is_by_hand(const char *slip, int algorithm)
{
    bool by_hand = algorithm != 5;
    for (const char *const *name = not_by_hand; *name != NULL; name++)
        by_hand &= strcmp(*name, slip) != 0;
    return by_hand;
}

static bool is_any(const Step *step)
{
    return step != NULL;
}

/* slip NULL: faultless. */
static const char *filled_in(const Problem *p, const Slip *slip, bool hand,
                             int seed)
{
    int least = slip != NULL && is_rounding(slip) ? (int)slip->number + 1
                                                  : 2;
    Student st = { .way = { .p = p, .slip = slip == NULL ? "" : slip->name },
                   .decimals = (least < 2 ? 2 : least)
                             + seed % (IS_DOUBLE ? 3 : 2),
                   .carries = seed % 2 == 1, .leaves_out = seed % 3 * 3,
                   .random = seeded((uint64_t)seed * 1000003),
                   .text = given_text(p) };
    const Run *right = run_of(st.text->at);
    if (right == NULL || (hand && !fills_in_by_hand(&st)))
        return NULL;
    if (!hand)
        fills_in_by_run(&st, right, is_any);
    return st.text->at;
}

enum { MOST_SLIPS = 250 };

/* Whether slip k changes a number on a sheet of Algorithm a. */
static bool is_for[MOST_SLIPS][8];

static bool same_shape(Mat A, Mat B)
{
    return A->rows == B->rows && A->cols == B->cols;
}

static bool changes(const Run *run, const Slip *slip)
{
    const double least = IS_DOUBLE ? 1e-6 : 1e-4;
    Explanation why = { .slip = slip };
    const Run *other = run_explained(run->bound, &why, arena, quiet);
    for (const Step *s = run->step; s < run->step + run->n; s++) {
        const Step *is = same_step(other, s);
        if (is != NULL && !same_shape(is->M, s->M))
            return true;
        for (int k = 0; is != NULL && k < s->M->rows * s->M->cols; k++)
            if (!(fabs(s->M->at[k] - is->M->at[k]) <= least)
                && s->M->at[k] != is->M->at[k])
                return true;
    }
    return false;
}

static void find_algorithms(void)
{
    assert_that(slips_n <= MOST_SLIPS);
    for (int n = 0; n < 7 * 60; n++) {
        int a = 1 + n % 7;
        const Problem *p = random_problem(a, 1 + n / 7 % 3);
        const Run *run = run_of(given_text(p)->at);
        for (int k = 0; k < slips_n && run != NULL; k++)
            is_for[k][a] |= !is_for[k][a] && changes(run, &slips[k]);
        tidy();
    }
}

typedef struct { int sheets, named, alone, tried; } Count;
enum { SHEETS = 50, ATTEMPTS = 3000 };      /* of a slip */

static void plant(const Slip *slip, const int *algorithms, int n, Count *c)
{
    for (int seed = 0; c->sheets < amount(SHEETS)
         && seed < ATTEMPTS; seed++) {
        const Problem *p = random_problem(algorithms[pick(0, n - 1)],
                                is_rounding(slip) ? 1 + seed / 2 % 3 : 1);
        bool hand = is_by_hand(slip->name, p->algorithm);
        const char *right = filled_in(p, NULL, hand, seed),
                   *text = right == NULL ? NULL
                         : filled_in(p, slip, hand, seed);
        c->tried++;
        if (right != NULL && text != NULL && strcmp(right, text) != 0
            && shows_a_slip(text)) {
            const Judgement *j = judged(text);
            bool named = times_named(j, slip) > 0;
            c->sheets++;
            c->named += named;
            c->alone += named && times_named(j, NULL) == 1;
            if (!named && c->named == c->sheets - 1)
                printf("# %s is not named:\n%s\n", slip->name, text);
        }
        tidy();
    }
}

static void add_count(Count *to, const Count *c)
{
    to->sheets += c->sheets;
    to->named += c->named;
    to->alone += c->alone;
    to->tried += c->tried;
}

/* Single precision has not the digits for a rounding to 3 decimals. */
static bool is_too_fine(const Slip *slip)
{
    return !IS_DOUBLE && is_rounding(slip) && slip->number > 2;
}

LAW(a_slip_that_is_made_is_named)
{
    Count all = { 0, 0, 0, 0 }, fine = { 0, 0, 0, 0 };
    int planted = 0;
    generator = seeded(1);
    find_algorithms();
    for (int k = 0; k < slips_n; k++) {
        Count c = { 0, 0, 0, 0 };
        int algorithms[7], n = 0;
        for (int a = 1; a <= 7; a++)
            if (is_for[k][a])
                algorithms[n++] = a;
        if (n == 0)
            continue;
        plant(&slips[k], algorithms, n, &c);
        if (c.named < c.sheets || c.sheets < amount(SHEETS))
            print_message("%s is named in %d of %d sheets\n", slips[k].name,
                          c.named, c.sheets);
        planted++;
        add_count(is_too_fine(&slips[k]) ? &fine : &all, &c);
    }
    print_message("%d slips in %d sheets: named in %d, alone in %d; in single "
                  "precision %d too fine, named in %d\n", planted, all.sheets,
                  all.named, all.alone, fine.sheets, fine.named);
    if (IS_DOUBLE)
        assert_int_equal(all.named, all.sheets);
    assert_seldom(all.sheets - all.named, all.sheets, 10);
    assert_that(2 * fine.named >= fine.sheets);
    assert_int_equal(all.sheets + fine.sheets, planted * amount(SHEETS));
}

/* Every other student carries rounded numbers on. */
LAW(a_faultless_student_is_right_and_has_made_no_slip)
{
    generator = seeded(1);
    int sheets = 0, entries = 0, right = 0, named = 0, unexplained = 0;
    for (int seed = 0; sheets < amount(14 * SHEETS); seed++) {
        const Problem *p = random_problem(1 + seed / 2 % 7, 1);
        const char *text = filled_in(p, NULL, is_by_hand("", p->algorithm),
                                     seed);
        const Judgement *j = text == NULL ? NULL : judged(text);
        for (int k = 0; j != NULL && k < j->n; k++) {
            int all = entries_of(&j->judged[k].claim);
            bool carries = seed % 2 == 1;
            entries += carries ? 0 : all;
            right += carries ? 0 : j->judged[k].count[RIGHT];
            unexplained += j->judged[k].begins && j->judged[k].n == 0;
        }
        sheets += j != NULL;
        named += j != NULL && times_named(j, NULL) > 0;
        if (j != NULL && times_named(j, NULL) > 0)
            print_named(j, text);
        tidy();
    }
    print_message("%d faultless sheets: %d of %d entries are right\n",
                  sheets, right, entries);
    assert_int_equal(right, entries);
    assert_int_equal(named, 0);
    assert_int_equal(unexplained, 0);
}

/* ------------------------------------------------------- single entries */

/* What makes the first wrong entry of the first claim, or "". */
static const char *guess_of(const char *sheet)
{
    static const char before[] = "; it is yours if ";
    const char *terms = judged(sheet)->judged[0].terms,
               *guess = terms == NULL ? NULL : strstr(terms, before);
    return guess == NULL ? "" : guess + strlen(before);
}

static const char *said_of(const char *layout, const char *logits)
{
    char sheet[400];
    snprintf(sheet, sizeof sheet, "algorithm 7\nlayout %s\ne = 2 3\n"
             "Wu = 5 7 ; 1 1 ; 4 -1\nclaim logits = %s\n", layout, logits);
    return guess_of(sheet);
}

/* The logits are 31, 5 and 5. */
LAW(a_slip_in_one_entry_is_told_by_its_numbers)
{
    assert_string_equal(said_of("torch", "10 5 5"),
                        "3·7 is left out");
    assert_string_equal(said_of("paper", "10 ; 5 ; 5"),
                        "7·3 is left out");
    assert_string_equal(said_of("torch", "31 5 8"),
                        "3·(-1) is left out");
    assert_string_equal(said_of("torch", "11 5 5"),
                        "2·5 has the wrong sign");
    assert_string_equal(said_of("torch", "29 5 5"), "");
    assert_string_equal(said_of("torch", "32 5 5"), "");
    assert_string_equal(said_of("torch", "52 5 5"), "");
    assert_string_equal(said_of("torch", "31 4 5"), "");
    assert_string_equal(said_of("torch", "31 2 5"),
                        "3·1 is left out");
    assert_string_equal(said_of("torch", "10 2 8"), "3·7 is left out");
}

/* The first logit is a·b + c·d, typed as `is`. */
static const char *said_of_sum(const char *e, const char *W_u, const char *is)
{
    char sheet[400];
    snprintf(sheet, sizeof sheet, "algorithm 7\nlayout torch\ne = %s\n"
             "Wu = %s ; 1 1 ; 4 -1\nclaim logits = %s ? ?\n", e, W_u, is);
    return guess_of(sheet);
}

LAW(an_entry_with_several_reasons_has_none)
{
    assert_string_equal(guess_of("algorithm 7\nlayout torch\ne = 2 3 6\n"
        "Wu = 6 4 2 ; 0 0 1\nclaim logits = 25 ?\n"), "");
}

/* A change is told if chance can hardly have made it: of ten units of the
   last digit, or of more than 1 where numbers are whole. */
LAW(a_term_is_told_if_it_changes_enough)
{
    static const struct { const char *e, *W_u, *is, *said; } cases[] = {
        { "2 5", "5 7", "29", "" },
        { "2 5", "5 7", "39", "" },
        { "0.4 3", "0.25 7", "21.00",
         "0.4·0.25 is left out" },
        { "0.36 3", "0.25 7", "21.00", "" },
        { "0.42 3", "0.25 7", "21.00",
          "0.42·0.25 is left out" },
        { "0.4 3", "0.25 7", "20.90",
          "0.4·0.25 has the wrong sign" },
        { "2 5", "1 7", "35", "2·1 is left out" },
        { "1 5", "1 7", "35", "" },
        { "1 5", "1.5 7", "35", "" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *is = said_of_sum(cases[k].e, cases[k].W_u, cases[k].is);
        if (strcmp(is, cases[k].said) != 0)
            fail_at(HERE(cases[k].is), "(%s) (%s): '%s'", cases[k].e,
                    cases[k].W_u, is);
    }
}

/* A base, or a number of decimals, stands in the words, too. */
LAW(the_number_of_a_slip_is_that_of_its_words)
{
    int with_number = 0;
    for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
        bool is = false;
        if (slip->number < 2)       /* 1 decimal, one token on */
            continue;
        for (const char *in = slip->what; *in != '\0'; in++)
            is |= strtod(in, NULL) == slip->number;
        if (!is)
            fail_at(HERE(slip->name), "%g, but %s", slip->number, slip->what);
        with_number++;
    }
    assert_int_equal(with_number, 47);
}

/* At 0 and at infinity, too, it can be left out; p^(1/0) is no number. */
LAW(a_temperature_that_divides_by_nothing_can_be_left_out)
{
    static const char *const extremes[] = { "0", "inf" },
        *const claims[] = { "0 0 0", "0.2 0.3 0.5", "0.4 0.4 0.2",
                            "0.04 0.09 0.25" };
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 4; c++) {
            Text *t = text_new();
            add_text(t, "algorithm 14\np = 0.2 0.3 0.5\ntau = %s\nu = 0.9\n"
                     "claim q = %s\nclaim y = 1\n", extremes[k], claims[c]);
            const Judgement *j = judged(t->at);
            assert_int_equal(is_named(j, slip_named("no-tau")), c == 1);
            assert_int_equal(j->judged[0].n, c == 1);
        }
}
