/* Judging claims: rounding, ties, exact entries, the order of the steps,
   transposed claims, other layouts. */
#include "sheets.h"
#include "law.h"

/* A letter an entry: ? open, R right, L last digit, C cut off, E rounded
   early, F follows, W wrong. */
static const char *letters(const Judged *j)
{
    int n = j->claim.item->rows * j->claim.item->cols;
    char *word = arena_alloc(arena, (size_t)n + 1);
    for (int k = 0; k < n; k++)
        word[k] = "?RLCEFW"[j->verdict[k]];
    word[n] = '\0';
    return word;
}

/* Algorithm 7 with one feature: the logits are W_u. */
#define assert_verdicts(right, claimed, expected) \
    verdicts_at(HERE(claimed), right, claimed, expected)
static void verdicts_at(Where where, const char *right, const char *claimed,
                        const char *expected)
{
    char text[4000];
    snprintf(text, sizeof text, "algorithm 7\ne = 1\nWu = [%s]\n"
             "claim logits = [%s]\n", right, claimed);
    const char *is = letters(&judged(text)->judged[0]);
    if (strcmp(is, expected) != 0)
        fail_at(where, "is %s, but expected %s", is, expected);
}

#define assert_on(typed, x, expected) on_at(HERE(typed), typed, x, expected)
static void on_at(Where where, const char *typed, double x, Verdict expected)
{
    Entry entry;
    const char *text = typed;
    assert_that(parse_entry(&text, &entry) == NULL && *text == '\0');
    Verdict is = verdict_on(&entry, x);
    if (is != expected)
        fail_at(where, "%s against %.17g is %d, but expected %d", typed, x,
                (int)is, (int)expected);
}

/* ------------------------------------------------- what went wrong first */

/* So many kinds of verdicts as bits; the highest: it began there. */
static Judged with_counts(Judged j, int bits)
{
    static const Verdict kinds[] = { LAST_DIGIT, CUT, EARLY, WRONG };
    memset(j.count, 0, sizeof j.count);
    for (int k = 0; k < 4; k++)
        j.count[kinds[k]] = bits >> k & 1;
    j.begins = (bits >> 4 & 1) != 0;
    j.n = 0;
    return j;
}

static bool is_first_wrong(int bits) { return (bits & 8) != 0; }
static bool is_off(int bits)         { return (bits & 7) != 0; }

/* Before all others an error that begins, then the first digit that is
   off. */
LAW(what_went_wrong_first_is_told)
{
    const Judgement *real_one = judged("algorithm 7\ne = 1\nWu = [1 ; 2]\n"
        "claim logits = 1 ; 2\nclaim p = 0.27 ; 0.73\n");
    assert_int_equal(real_one->n, 2);
    for (int bits = 0; bits < 1 << 10; bits++) {
        const int of[] = { bits & 31, bits >> 5 };
        const Judged j[] = { with_counts(real_one->judged[0], of[0]),
                             with_counts(real_one->judged[1], of[1]) };
        const Judgement two = { .run = real_one->run, .n = 2, .judged = j };
        int first = is_first_wrong(of[0]) ? 0 : is_first_wrong(of[1]) ? 1
                  : is_off(of[0]) ? 0 : is_off(of[1]) ? 1 : -1;
        assert_ptr_equal(first_wrong(&two), first < 0 ? NULL : &j[first]);
    }
}

/* ------------------------------------------------------------- rounding */

/* k units of the last of d decimals, as a student types it. */
static const char *units(int k, int d)
{
    static char text[60];
    int one = (int)round(pow(10, d));
    snprintf(text, sizeof text, "%s%d.%0*d", k < 0 ? "-" : "",
             abs(k) / one, d, abs(k) % one);
    return text;
}

LAW(what_is_rounded_is_right_one_off_is_the_last_digit)
{
    generator = seeded(1);
    for (int d = 1; d <= (IS_DOUBLE ? 7 : 4); d++)
        for (int n = 0; n < 2000; n++) {
            double one = round(pow(10, d)), x = 9 * random_number();
            int k = (int)round(x * one);
            bool up = x * one > k;
            if (fabs(fabs(x * one - k) - 0.5) < 0.1)    /* a tie */
                continue;
            assert_on(units(k, d), x, RIGHT);
            assert_on(units(up ? k + 1 : k - 1, d), x, LAST_DIGIT);
            assert_on(units(k + 2, d), x, WRONG);
            assert_on(units(k - 2, d), x, WRONG);
        }
}

LAW(a_tie_may_go_either_way)
{
    for (int d = 1; d <= (IS_DOUBLE ? 7 : 4); d++)
        for (int k = -1500; k < 1500; k++) {
            double x = (real)((k + 0.5) / round(pow(10, d)));
            assert_on(units(k, d), x, RIGHT);
            assert_on(units(k + 1, d), x, RIGHT);
            assert_on(units(k - 1, d), x, LAST_DIGIT);
            assert_on(units(k + 2, d), x, LAST_DIGIT);
            assert_on(units(k - 2, d), x, WRONG);
            assert_on(units(k + 3, d), x, WRONG);
        }
    assert_on("0.12", 0.125, RIGHT);
    assert_on("0.13", 0.125, RIGHT);
    assert_on("2.67", 2.675, RIGHT);    /* 2.67499999999999982 */
    assert_on("2.68", 2.675, RIGHT);
    assert_on("-2.68", -2.675, RIGHT);
    assert_on("2.66", 2.675, LAST_DIGIT);
}

LAW(the_digits_count_as_typed)
{
    assert_verdicts("1.5 ; 2.6", "1.54 ; 2.63", "WW");  /* nobody rounds to 1.5 */
    assert_on("1.50", 1.5049, RIGHT);
    assert_on("1.50", 1.506, LAST_DIGIT);
    assert_on("1.5", 1.506, RIGHT);
    assert_on("9.0e-04", 0.000904, RIGHT);
    assert_on("9.0e-04", 0.00092, WRONG);
    assert_on("9e-4", 0.00092, RIGHT);
    assert_on("1.5e2", 150.4, RIGHT);
    assert_on("1e3", 1000.4, RIGHT);
    assert_on("1e3", 1000.6, LAST_DIGIT);
    assert_on("1e3", 1002, WRONG);
    assert_on("-0.50", -0.5049, RIGHT);
    assert_on("-0.50", 0.5, WRONG);
    assert_on("-0.00", -3e-18, RIGHT);
    assert_on("0.00", -0.0051, LAST_DIGIT);
}

/* A 9 stands for 9.00, but a 10 that was rounded is written just so. */
LAW(a_digit_beside_decimals_has_them_and_10_is_no_digit)
{
    assert_verdicts("0.25 ; 9.4", "0.25 ; 9", "RW");
    assert_verdicts("0.25 ; 10.4", "0.25 ; 10", "RR");
}

LAW(no_unit_is_0_or_infinite)
{
    assert_on("1e300", 1e300, RIGHT);
    assert_on("1e300", 1.1e300, WRONG);
    assert_on("1.5e-300", 1.5e-300, RIGHT);
    assert_on("1.5e-300", 1, WRONG);
    assert_on("0.333333333333333333333333333333333333", (real)(1 / 3.0),
              RIGHT);
    assert_on("0.333333333333333333333333333333333333", 0.33334, WRONG);
}

LAW(twelve_digits_are_judged_or_five_in_single_precision)
{
    assert_on("0.33333", (real)(1 / 3.0), RIGHT);
    assert_on("0.33334", (real)(1 / 3.0), LAST_DIGIT);
    assert_on("0.33335", (real)(1 / 3.0), WRONG);
    assert_on("148.41", (real)exp(5), RIGHT);
    assert_on("148.42", (real)exp(5), LAST_DIGIT);
    assert_on("148.43", (real)exp(5), WRONG);
    if (!IS_DOUBLE)
        return;
    assert_verdicts("1/3", "0.33333336", "W");      /* and no float */
    assert_on("0.333333333333", 1 / 3.0, RIGHT);
    assert_on("0.333333333334", 1 / 3.0, LAST_DIGIT);
    assert_on("0.333333333335", 1 / 3.0, WRONG);
    assert_on("2.71828182846", exp(1), RIGHT);
    assert_on("2.71828182845", exp(1), LAST_DIGIT);
    assert_on("22026.4657949", exp(10), LAST_DIGIT);
    assert_on("22026.4657950", exp(10), WRONG);
}

LAW(fractions_and_roots_are_exact)
{
    const double third = (real)(1 / 3.0);
    assert_on("1/3", third, RIGHT);
    assert_on("1/3", third + 1e-3, WRONG);
    assert_on("\\frac{1}{3}", third, RIGHT);
    assert_on("e^2/(1+e^2)", (real)(exp(2) / (1 + exp(2))), RIGHT);
    assert_on("sqrt(2)", 1.414, WRONG);
    if (IS_DOUBLE)
        assert_on("1/3", 1 / 3.0 + 1e-9, WRONG);
    assert_that(same_number(1e20, 1e20 * (1 + 1e-14)));
    assert_that(!same_number((double)INFINITY, 1));
    assert_that(!same_number(1e20, 2e20));
}

LAW(infinity_is_what_programs_write_for_it)
{
    const double hidden = (double)-INFINITY;
    assert_on("-inf", hidden, RIGHT);
    assert_on("-1e9", hidden, RIGHT);
    assert_on("-10000", hidden, RIGHT);
    assert_on("-9999", hidden, WRONG);
    assert_on("inf", hidden, WRONG);
    assert_on("0", hidden, WRONG);
    assert_on("-inf", -1e9, WRONG);
    assert_on("-inf", 0, WRONG);
}

LAW(whole_numbers_are_exact_unless_there_are_decimals)
{
    assert_verdicts("2;3;120", "2;3;120", "RRR");
    assert_verdicts("2.3;3;120", "2;3;120", "WRR");
    assert_verdicts("2.0000001;3;120", "2;3;120", IS_DOUBLE ? "WRR" : "RRR");
    assert_verdicts("2;3;1/3", "2;3;1/3", "RRR");
    assert_verdicts("2.4;3;1/3", "2;3;1/3", "WRR");
    assert_verdicts("0.004;0.333", "0;0.33", "RR");
    assert_verdicts("0.4;0.333", "0;0.33", "WR");
    assert_verdicts("0.006;0.333", "0;0.33", "CR");
    assert_verdicts("0.006;0.336", "0;0.34", "LR");
    assert_verdicts("2.004;0.333", "2;0.33", "RR");
    assert_verdicts("2.04;0.333", "2;0.33", "WR");
    assert_verdicts("-1.04;0.333", "-1;0.3", "RR");
    assert_verdicts("119.6;35.2", "120;35.2", "RR");
    assert_verdicts("118.6;35.2", "120;35.2", "LR");
    assert_verdicts("12.4;35.2", "12;35.2", "RR");
}

LAW(what_nobody_claims_is_open)
{
    assert_verdicts("2;3;4", "?;3;5", "?RW");
    const Judgement *j = judged("algorithm 7\ne = 1\nWu = 2;3\n"
                                "claim logits = ? ?\n");
    assert_that(!j->judged[0].begins && j->judged[0].count[OPEN] == 2);
}

/* The letters of all claims, and the slips that explain them, unless that is
   NULL: of a claim, with | between them. "-" is a term. */
static void told_at(Where where, const Judgement *j, const char *expected,
                    const char *reasons)
{
    char word[200] = "", found[1000] = "";
    for (int k = 0; k < j->n; k++) {
        const Judged *claim = &j->judged[k];
        sprintf(word + strlen(word), "%s%s", k > 0 ? " " : "",
                letters(claim));
        for (int i = 0; i < claim->n; i++) {
            const Slip *slip = claim->why[i].slip;
            append(found, sizeof found, "%s%s",
                   i > 0 ? "|" : *found ? " " : "",
                   slip == NULL ? "-" : slip->name);
        }
    }
    if (strcmp(word, expected) != 0
        || (reasons != NULL && strcmp(found, reasons) != 0))
        fail_at(where, "is \"%s\", \"%s\"; expected \"%s\"", word, found,
                expected);
}

#define assert_story(text, letters, reasons) \
    told_at(HERE(#text), judged(text), letters, reasons)

/* ------------------------------------------------- steps and their order */

#define FOUR "algorithm 4\nX = 1 0 2 ; 0 1 1\nWq = 1 0 ; 0 1\n" \
    "Wk = 1 1 ; 0 1\nWv = 2 0 ; 0 1\nbq = 0 1\n"

LAW(claims_are_judged_in_the_order_of_the_steps)
{
    const Judgement *j = judged(FOUR
        "claim V_tilde = 3.459 2.000 3.923 ; 0.958 0.937 0.998\n"
        "claim A = 0.042 0.063 0.002 ; 0.114 0.468 0.018 ; "
        "0.844 0.468 0.980\n"
        "claim S = 1 0 2 ; 2 2 4 ; 4 2 8\n");
    told_at(HERE("order"), j, "RRRRRRRRR WWWWWWWWW FRFFFF", "no-scale");
    assert_string_equal(j->judged[0].claim.step->name, "S");
    assert_that(j->judged[1].begins && !j->judged[2].begins && j->other == NULL);
}

/* After S = 2 for 1, with that number or with any other digits. */
LAW(what_is_carried_on_follows)
{
#define LOGITS_OF(claim) "algorithm 7\ne = 1 0\nWu = ln(2) 5 ; 0 7\n" \
    "claim logits = " claim "\n"
    assert_story(LOGITS_OF("ln(3) 0") "claim p = 3/4 1/4\n", "WR FF", NULL);
    assert_story(LOGITS_OF("ln(3) 0") "claim p = 1/4 3/4\n", "WR WW", NULL);
    assert_story(LOGITS_OF("1.10 0") "claim p = 0.750 0.250\n", "WR FF", NULL);
    assert_story(LOGITS_OF("1.10 0") "claim p = 0.751 0.250\n", "WR FF", NULL);
    assert_story(LOGITS_OF("1.10 0") "claim p = 0.752 0.250\n", "WR WF", NULL);
    assert_that(judged(LOGITS_OF("ln(3) 0") "claim p = 1/4 3/4\n")->judged[1].begins);
}

/* The logits written down would make p 5/8 1/8 1/8 1/8. */
LAW(one_entry_of_many_follows_by_chance)
{
#define FOUR_LOGITS "algorithm 7\ne = 1\nWu = 0 ; 0 ; 0 ; 0\n" \
    "claim logits = ln(5) 0 0 0\n"
    assert_story(FOUR_LOGITS "claim p = 5/8 1/3 1/6 1/5\n", "WRRR WWWW", NULL);
    assert_story(FOUR_LOGITS "claim p = 5/8 1/8 1/6 1/5\n", "WRRR FFWW", NULL);
}

/* The weights are those of the transposed scores; but these are given. */
LAW(what_is_given_is_not_mistaken)
{
#define UNSCALED "algorithm 4\nlayout paper\nscale no\nV = 1 0\n" \
    "claim A = 0.269 0.881 ; 0.731 0.119\n"
    assert_story(UNSCALED "S = 1 2 ; 5 3\n", "WWWW", "");
    assert_story(UNSCALED "Q = 1 0 ; 0 1\nK = 1 5 ; 2 3\n", "WWWW",
                 "S-transposed");
}

/* The gradient of the scores is found from the weights, as written. */
LAW(wrong_weights_are_heard_on_the_way_back)
{
    const Judgement *j = judged("algorithm 4\nlayout textbook\n"
        "Q = 1 0 ; 0 1\nK = 1 1 ; 0 1\nV = 1 2 ; 3 4\n"
        "grad.output = 1 0 ; 0 1\n"
        "claim A = 0.600 0.400 ; 0.500 0.500\n"
        "claim grad.S_scaled = -0.480 0.480 ; -0.500 0.500\n"
        "claim grad.Q = -0.339 0.000 ; -0.354 0.000\n");
    told_at(HERE("way back"), j, "WWRR FFRR FRRR", NULL);
    assert_int_equal(j->judged[2].source[0], 0);
}

/* The values are 1.04 and 3.04, written down as 1.0 and 3.0. The scores are
   wrong for no known reason, and make both weights 1/2. */
LAW(behind_an_error_all_digits_may_be_kept)
{
#define SCORES_17 "algorithm 3\ne = 1\ne_t = 1 3\nWq = 1\nWk = 2\nWv = 1\n" \
    "bv = 0.04\nclaim v_t = 1.0 3.0\nclaim scores = 17 17\nclaim v_tilde = "
    assert_story(SCORES_17 "2.04\n", "RR WW F", "");
    assert_story(SCORES_17 "2.00\n", "RR WW F", "");
    assert_story(SCORES_17 "2.02\n", "RR WW W", NULL);
}

LAW(a_claim_is_about_the_namesake_that_it_fits)
{
    const char *given = "algorithm 4\nmask causal\nX = 1 2\nWq = 1\nWk = 1\n"
                        "Wv = 1\n";
    static const struct { const char *claim; int line; } claims[] = {
        { "S = 1 2 ; 2 4", 4 },     { "S = 1 2 ; -inf 4", 5 },
        { "4.4 S = 1 2 ; -inf 4", 4 }, { "S = 9 9 ; 9 9", 4 },
        { "4.5 S = 1 2 ; 2 4", 5 },
    };
    for (int k = 0; k < 5; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%sclaim %s\n", given, claims[k].claim);
        const Judged *j = &judged(text)->judged[0];
        assert_int_equal(j->claim.step->line, claims[k].line);
    }
}

LAW(a_claim_is_about_a_line_of_the_sheets_algorithm)
{
    const Reading *r = reading("tests/data/worked/alg15.sheet", NULL, judge_it);
    const Step *step = r->judgement->judged[0].claim.step;
    assert_that(strcmp(step->name, "p") == 0 && step->algorithm == 15);
}

/* ------------------------------------------------------ shape and layout */

LAW(another_shape_is_wrong_and_tried_transposed)
{
    static const struct { const char *text; bool fits, begins, transposed; }
    claims[] = {
        { FOUR "claim V_tilde = 2.9 1.0 ; 2.000 0.892 ; 3.705 0.987\n", 0, 1, 0 },
        { FOUR "claim Q = 1 2\n", 0, 1, 0 },
        { FOUR "claim Q = 1 1 ; 0 2 ; 2 2\n", 0, 1, 1 },
        { FOUR "claim Q = 1 1 ; ? 2 ; 2 2\n", 0, 1, 1 },
        { FOUR "claim Q = 1 1 ; 0 2 ; 2 9\n", 0, 1, 0 },
        { FOUR "claim Q = 1 1 0 ; 2 2 2\n", 1, 1, 0 },
        { FOUR "claim S = 1 2 4 ; 0 2 2 ; 2 4 8\n", 1, 1, 1 },
        { FOUR "claim S = 1 2 4 ; 0 2 2 ; 2 4 9\n", 1, 1, 0 },
        { "algorithm 7\ne = 1\nWu = 2 ; 3\nclaim logits = 2 3\n", 1, 0, 0 },
    };
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
        const Judged *j = &judged(claims[k].text)->judged[0];
        if (j->fits != claims[k].fits || j->begins != claims[k].begins
            || j->transposed != claims[k].transposed)
            fail_at(HERE(claims[k].text), "fits %d, begins %d, transposed %d",
                    j->fits, j->begins, j->transposed);
        assert_that(j->fits || j->count[RIGHT] == 0);
    }
}

#define ROW "algorithm 4\nX = 1 0 2\nWq = 1\nWk = 2\nWv = 3\nmask causal\n"
#define TORCH "algorithm 4\nlayout torch\nX = 1 0 ; 0 1 ; 2 1\n" \
    "Wq = 1 2 ; 0 1\nWk = 1 1 ; 0 1\nWv = 2 0\n"

/* Every step of Algorithm 4, claimed as it is and turned. */
LAW(a_turned_matrix_is_never_right)
{
    static const char *const given[] = { FOUR, ROW, TORCH };
    for (int g = 0; g < 3; g++) {
        const Run *run = judged(given[g])->run;
        for (int s = 0; s < run->n; s++)
            for (int turned = 0; turned <= 1; turned++) {
                const Step *step = &run->step[s];
                Mat M = step->M;
                int rows = turned ? M->cols : M->rows;
                int cols = turned ? M->rows : M->cols, same = 0;
                char text[2000];
                snprintf(text, sizeof text, "%sclaim 4.%d %s =", given[g],
                         step->line, step->name);
                for (int i = 1; i <= rows; i++)
                    for (int j = 1; j <= cols; j++) {
                        double a = turned ? AT(M, j, i) : AT(M, i, j);
                        sprintf(text + strlen(text), " %.17g%s", a,
                                j == cols ? " ;" : "");
                        same += rows == M->rows && cols == M->cols
                             && a == (double)AT(M, i, j);
                    }
                const Judgement *judgement = judged(strcat(text, "\n"));
                const Judged *j = &judgement->judged[0];
                bool vector = rows == 1 || cols == 1,
                     right = first_wrong(judgement) == NULL;
                assert_that(j->fits == (!turned || rows == cols || vector));
                assert_that(right == (vector || same == rows * cols));
                assert_int_equal(j->count[RIGHT], vector ? rows * cols : same);
                assert_that(j->transposed == !right);
            }
    }
}

/* What stands in tests/data/hand, each sheet with a comment on what is right,
   and what its first line says of what it leaves open. */
LAW(sheets_are_judged_as_they_were_meant)
{
    static const struct { const char *name, *said, *letters, *reasons; }
        sheets[] = {
        { "layout-shape", "chosen because it fits the claims", "WWWWWWWWW", "no-scale" },
        { "layout-slip", "explained best", "WWWW", "no-scale" },
        { "mask-after-scale", "",
          "RRRRRRRRR WWWWWWWWW", "mask-transposed" },
        { "exp-shifted", "the largest is subtracted", "RRRR RR RRRR", "" },
        { "tempered-loss", "", "RRR R RRR", "" },
        { "tempered-p", "", "RRR R", "" },
        { "gradient-of-written-p", "", "RRR RRR EEE", "" },
        { "rms-root-rounded", "", "R EEE", "" },
        { "norm-root-rounded", "", "EEE", "std-rounded-1" },
        { "norm-of-torch", "", "RCRC", "epsilon-1e-5" },
        { "gelu-tanh-3", "", "RRRRL", "tanh-gelu" },
        { "gelu-tanh-4", "", "WLRLW", "tanh-gelu" },
        { "single-precision", "", "RRR", "" },
        { "within-weights", "", "WWRR FFFRRR", "" },
        { "rounded-input", "", "EEEE", "" },
    };
    for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
        char path[100];
        snprintf(path, sizeof path, "tests/data/hand/%s.sheet",
                 sheets[k].name);
        const Reading *r = reading(path, NULL, judge_it);
        if (r->judgement == NULL)
            fail_at(HERE(path), "%s", r->error.sentence);
        told_at(HERE(sheets[k].name), r->judgement, sheets[k].letters,
                sheets[k].reasons);
        assert_that(strstr(r->judgement->run->guessed, sheets[k].said));
    }
}

/* Whether its column sums to 1 or not. */
LAW(a_probability_is_carried_on_as_written)
{
#define THIRDS "algorithm 13\nx = 1 2\neta = 1\nL = 0\nepsilon = 3\n" \
    "We = 1 1 1 ; -1 -1 -1\ngamma = 1 1\nbeta = 0 0\nWu = 0 0 ; 0 0 ; 0 0\n"
    assert_story(THIRDS "claim P = 0.33 0.33 ; 0.33 0.33 ; 0.33 0.33\n"
                 "claim loss = 1.11\n", "RRRRRR E", "");
    assert_story(THIRDS "claim P = ? 0.25 ; 0.5 ? ; ? ?\nclaim loss = 0.693\n",
                 "?WW??? F", "");
}

/* What is off by its last digit alone is carried on with the other claims;
   behind it the scores are not divided by the root. */
LAW(what_has_no_reason_is_carried_on_as_written)
{
    assert_story(
        "algorithm 4\nX = 0\nZ = 1 2\nWq = 1\nWk = 1\nWv = 2\n"
        "claim V = 2 8\nclaim V_tilde = 6\n",
        "RW W", "");
    assert_story(
        "algorithm 3\ne = 1 ; 1\ne_t = 1 1/2 ; 1 1\nWq = 1/3 0 ; 0 2\n"
        "Wk = 30 0 ; 0 1\nWv = 1 0\nclaim q = 0.34 ; 2.01\n"
        "claim alpha_t = 0.99394 ; 0.00606\n", "LL WW", "no-scale");
}

/* The others have all their digits. */
LAW(a_wrong_entry_may_be_carried_on_alone)
{
    assert_story(
        "algorithm 3\ne = 1 ; 1\ne_t = 1 ; 1\nWq = 1/3 0 ; 0 1\n"
        "Wk = 30 0 ; 0 1\nWv = 1 0\nclaim q = 0.33 ; 2.00\n"
        "claim scores = 12.00\n",
        "RW F", "");
}

/* A mean of 1.5 would make the variance 1.055, but not what follows. */
LAW(what_explains_less_later_is_no_reason)
{
    assert_story(
        "algorithm 6\ne = -0.787 -2 -3 -0.4\nclaim m = -1.547\n"
        "claim v = 1.055\nclaim e_hat = 0.740 -0.441 -1.415 1.116\n",
        "R W FFFF", "");
}

LAW(a_second_slip_may_follow_at_full_precision)
{
    assert_story(
        "algorithm 6\ne = 1 2 4\nbeta = 1 1 1\nclaim v = 2.3\n"
        "claim e_hat = -0.87 -0.22 1.09\n",
        "W WWW", "n-1 no-beta");
#define ONE_WIDE "algorithm 4\nX = 0 1\nWq = 1 ; 1\nWk = 1 ; 2\nWv = 9\n" \
    "bq = 1 1\nclaim Q = 0 1 ; 0 1\nclaim A = 0.5 0.05 ; 0.5 0.95\n"
    assert_story(ONE_WIDE "claim S = 0 0 ; 0 3\nclaim V_tilde = 4.50 8.57\n",
                 "WWWW RRFF FWFW FF", "no-b_q|no-bias no-scale|scale-d_x");
    assert_story(
        "algorithm 4\nX = 2/3 1/3 ; 1/3 -2/3\n"
        "Z = 1/3 2/3 ; 1/3 -1/3\nWq = 1 2 ; 0 1\nWk = 1 0 ; 1 1\n"
        "Wv = 3 1 ; 0 2\nclaim Q = 1.00 0.00 ; 0.33 -0.33\n"
        "claim K = 0.67 0.33 ; 1.00 -0.33\n"
        "claim A = 0.685201 0.390682 ; 0.314799 0.609318\n",
        "WWRW FFFF WWWW", "exchange no-scale");
    assert_story(ONE_WIDE "claim V_tilde = 0.43 8.57\n", "WWWW FWFW WF",
                 "no-b_q|no-bias no-scale|scale-d_x V-times-A-transposed");
}

/* Q is used as written; K, which is not claimed, has the slip. */
LAW(a_known_slip_is_made_elsewhere_too)
{
    assert_story(
        "algorithm 4\nX = 2/3 1/3 ; 1/3 -2/3\nWq = 1 2 ; 0 1\n"
        "Wk = 1 0 ; 1 3\nWv = 3 1 ; 0 2\n"
        "claim Q = 0.7 0.3 ; 1.7 -1.7\n"
        "claim A = 0.9656 0.2689 ; 0.0344 0.7311\n",
        "WWWW WWWW", "W_q-W_k|Q-K no-scale");
}

LAW(a_token_that_there_is_not_is_not_carried_on)
{
    assert_story("algorithm 14\nx = 1\nWe = 1 0 ; 0 1\nWu = 0 0 ; 0 0\ntau 0\n"
                 "epsilon 1\nell_gen 2\nclaim 14.5 i1.y = 9\nclaim y = 1 1\n",
                 "W RR", "");
}

/* Powers are shifted in all rows or in none. */
LAW(wrong_powers_are_carried_on_and_back)
{
    assert_story("layout textbook\nscale no\nV = 1 ; 1\n"
                 "S = 0 ln(0.3) ; 0 ln(0.4) ; ln(1/2) ln(0.2)\n"
                 "claim exp = 1 0.3 ; 1 0.4 ; 0.5 0.2\n", "RRRRRR", "");
    assert_story("layout paper\nscale no\nS = 0 0 ; ln(2) 0\nV = 1 2\n"
                 "grad.V_tilde = 1 1\nclaim exp = 1 1 ; 3 1\n"
                 "claim A = 1/4 1/2 ; 3/4 1/2\n"
                 "claim grad.S = -3/16 -1/4 ; 3/16 1/4\n",
                 "RRWR FRFR FRFR", "");
}

LAW(infinity_is_carried_on)
{
#define CROSSED "algorithm 4\nmask causal\nX = 1 0 ; 0 1\nWq = 1 2 ; 0 1\n" \
    "Wk = 1 0 ; 3 1\nWv = 3 0 ; 0 3\nclaim 4.5 S = "
    assert_story(CROSSED "1 5 ; -9 1\nclaim S_scaled = 0.707 3.536 ; "
                 "-6.364 0.707\nclaim A = 0.999 0.944 ; 0.001 0.056\n",
                 "RRWR RRFR FRFR", "");
    assert_story(CROSSED "1 -inf ; -inf 1\nclaim A = 1 0 ; 0 1\n",
                 "RWRR RFRF", "");
    assert_story(CROSSED "1 -inf ; -inf -inf\nclaim A = 1 0 ; 0 1\n",
                 "RWRW RWRW", "");
}

/* In layer 2 alone; on the way back; through an open entry; before an X of
   another shape; in the encoder. */
LAW(a_slip_is_found_behind_an_x_that_is_wrong)
{
#define TWO "x = 1 2\nepsilon 3\nWe = 2 0 ; 0 2\nWu = 1 0 ; 0 0\n"
#define ONE_LAYER TWO "layer1.Wq = 1 0\nlayer1.Wk = 1 0\n"
#define WRONG_X "claim 10.8 layer1.X = 4 6 ; 2 8\n"
#define LAYER_2 "layer2.Wq = 1 0\nlayer2.Wk = 1 0\nclaim 4.6 layer2.A = "
    assert_story("algorithm 10\nL 2\n" ONE_LAYER WRONG_X
        LAYER_2 "0.622 0.378 ; 0.378 0.622\nclaim 4.6 layer1.A = 1 0.378 ; "
        "0 0.622\n", "RRRR WWWW WRWR", "no-mask");
    assert_story("algorithm 10\nL 2\n" ONE_LAYER "layer1.Wv = 4 0\n"
        "layer1.Wo = 1 ; 0\n" LAYER_2 "0.7335 0.3139 ; 0.2665 0.6861\n",
        "WRWR", "no-mask");
    assert_story("algorithm 10\n" ONE_LAYER "claim 10.8 X = 1 2 3 ; 4 5 6\nclaim "
        "P = 0.653 0.347 ; 0.347 0.653\n", "WWWWWW WWWW", "scaled-embedding");
    assert_story("algorithm 13\neta 1\n" ONE_LAYER WRONG_X "Wv = 1 0\n"
        "Wo = 0 ; 0\nclaim grad.Wo = 0.01429237 ; -0.01429237\n",
        "WWWW WW", "no-mask|mask-transposed");
    assert_story("algorithm 10\n" ONE_LAYER "Wv = 1 0\nWo = 1 ; 0\n"
        "claim Q = 1 1/2\nclaim 10.6 X = 7 ? ; 8 9\nclaim 10.7 X_tilde = "
        "-0.277350 -0.908643 ; 0.277350 0.908643\n",
        "WW W?WW FWFW", "no-norm-attn");
    assert_story("algorithm 8\nL_enc 1\nz = 1 2\n" TWO "ed1.Wk = 1 0\n"
        "claim 8.14 dec1.X = 4 9 ; 9 4\nclaim ed1.K = 0.5 -0.5\n",
        "WWWW WW", "no-norm-attn|no-norm-mlp");
}

/* 3^x for e^x would make it so, and so would many another slip. */
LAW(a_last_digit_is_no_slip)
{
    assert_story("algorithm 7\ne = 1\nWu = 0.5 ; 0\nclaim p = 0.63 0.37\n",
                 "LL", "");
    assert_story("algorithm 7\ne = 1\nWu = 0.5 ; 0\n"
                 "claim p = 0.634 0.366\n", "WW", "base-3");
}

LAW(another_layout_is_found)
{
    const char *given = "X = 1 2 ; 0 1\nWq = 1 2 ; 0 1\nWk = 1 0 ; 3 1\n"
                        "Wv = 1 1 ; 0 2\n";
    static const char *const Q[] = { "1 4 ; 0 1", "1 4 ; 0 1", "5 2 ; 2 1",
                                     "1 2 ; 2 5" };
    char text[1000];
    const Judgement *j;
    for (int k = 0; k < LAYOUTS; k++) {
        snprintf(text, sizeof text, "algorithm 4\nlayout %s\n%sclaim Q = "
                 "%s\n", layouts[k].name, given, Q[k]);
        j = judged(text);
        assert_that(!j->judged[0].begins && j->other == NULL);
        snprintf(text, sizeof text, "algorithm 4\n%s%sclaim Q = %s\n",
                 k == 0 ? "layout torch\n" : "layout paper\n", given, Q[k]);
        j = judged(text);
        if (k == 1)             /* right in both */
            assert_that(j->other == NULL);
        else
            assert_string_equal(j->other->name, layouts[k].name);
        strcat(text, "claim V = 9 9 ; 9 9\n");
        assert_that(judged(text)->other == NULL);
    }
}
