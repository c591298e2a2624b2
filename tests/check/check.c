/* ftx check: the report to the letter, the remarks, JSON, several sheets. */
#include "cases.h"
#include "slips.h"
#include "law.h"
#include "show/show.h"
#include <sys/resource.h>

/* In layout paper, if it names none. */
static const char *with_layout(const char *text)
{
    size_t first = strcspn(text, "\n"), size = strlen(text) + 20;
    char *with = arena_alloc(arena, size);
    snprintf(with, size, "%.*s%s%s", (int)first, text,
             strstr(text, "layout") == NULL ? "\nlayout paper" : "",
             text + first);
    return with;
}

static const char *sheet(const char *text)
{
    return write_text("a.sheet", with_layout(text));
}

/* A text with one blank for any number of blanks and ends of lines, and
   without the line of the total. */
static const char *plain_report(const char *text)
{
    char *plain = arena_alloc(arena, strlen(text) + 1), *to = plain;
    for (const char *p = text; *p != '\0'; ) {
        size_t n = strcspn(p, "\n");
        const char *total = strstr(p, " claims right");
        bool is_total = total != NULL && total < p + n;
        for (size_t k = 0; k < n && !is_total; k++)
            if (p[k] != ' ' || (to > plain && to[-1] != ' '))
                *to++ = p[k];
        p += n + (p[n] == '\n');
        if (to > plain && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return plain;
}

/* The report on a sheet, and its exit status. */
#define assert_report(text, status, report) \
    report_at(HERE(#report), text, status, report)
static void report_at(Where where, const char *text, int status,
                      const char *report)
{
    Said s = SAID(check, (char *)sheet(text));
    if (s.status != status || *s.err != '\0'
        || strcmp(plain_report(s.out), plain_report(report)) != 0)
        fail_at(where, "exit status %d, output\n%s\nerrors\n%s\nbut expected "
                "%d and\n%s", s.status, s.out, s.err, status, report);
}

/* One line of the report is this. */
#define assert_line(text, line) line_at(HERE(line), text, line)
static void line_at(Where where, const char *text, const char *line)
{
    Said s = SAID(check, (char *)sheet(text));
    if (*plain_report(line) == '\0'
        || strstr(plain_report(s.out), plain_report(line)) == NULL)
        fail_at(where, "is not in\n%s%s", s.out, s.err);
}

#define assert_no(text, part) no_at(HERE(part), text, part)
static void no_at(Where where, const char *text, const char *part)
{
    Said s = SAID(check, (char *)sheet(text));
    if (strstr(s.out, part) != NULL || s.status == 2)
        fail_at(where, "is in\n%s%s", s.out, s.err);
}

#define FOUR "algorithm 4\nX = 1 0 2 ; 0 1 1\nWq = 1 0 ; 0 1\n" \
    "Wk = 1 1 ; 0 1\nWv = 2 0 ; 0 1\nbq = 0 1\n"
#define LOGITS(right) "algorithm 7\ne = 1\nWu = " right "\nclaim logits = "

/* ----------------------------------------------------------- the report */

LAW(the_sample_in_the_readme_is_what_is_printed)
{
    size_t n;
    char *name = "tests/data/hand/readme.sheet", *readme = bytes_of("README.md",
                                                               &n);
    Said s = SAID(check, name);
    assert_int_equal(s.status, 1);
    const char *parts[] = { bytes_of(name, &n), s.out };
    for (int k = 0; k < 2; k++) {
        char *indented = arena_alloc(arena, 2 * strlen(parts[k]) + 200);
        char *to = indented;
        for (const char *p = parts[k]; *p != '\0'; p++) {
            if (p == parts[k] || p[-1] == '\n')
                to += sprintf(to, "    ");
            *to++ = *p;
        }
        *to = '\0';
        assert_that(strstr(readme, indented) != NULL);
    }
}

LAW(the_claims_that_are_right_are_counted)
{
    static const struct { const char *text, *total; } sheets[] = {
        { LOGITS("2 ; 3") "2 4\nclaim p = 0.269 0.731\n",
          "\n1 of 2 claims right\nfirst wrong step" },
        { LOGITS("1/3 ; 2") "0.34 2.00\nclaim p = 0.16 0.84\n",
          "\n1 of 2 claims right; only rounding differs\n" },
        { LOGITS("1/3 ; 2") "0.34 2.00\n",
          "\nonly rounding differs\n" },
    };
    for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
        Said s = SAID(check, (char *)sheet(sheets[k].text));
        if (strstr(s.out, sheets[k].total) == NULL)
            fail_at(HERE(sheets[k].total), "is not in\n%s", s.out);
    }
    assert_no(LOGITS("2 ; 3") "2 4\n", "claims right");
    assert_no(LOGITS("1/3 ; 2") "0.44 2.00\nclaim p = 0.16 0.84\n",
              "nothing but rounding");
}

LAW(rounding_is_forgiven_where_that_is_asked_for)
{
    char *rounded = (char *)sheet(LOGITS("1/3 ; 2") "0.34 2.00\n");
    assert_int_equal(SAID(check, rounded).status, 1);
    assert_int_equal(SAID(check, "--lenient", rounded).status, 0);
    char *wrong = (char *)sheet(LOGITS("1/3 ; 2") "0.44 2.00\n");
    assert_int_equal(SAID(check, "--lenient", wrong).status, 1);
    char *follows = (char *)sheet(LOGITS("0 ; 0") "1 0\nclaim p = 0.73 0.27\n");
    assert_int_equal(SAID(check, "--lenient", follows).status, 1);
}

LAW(the_algorithm_is_known_from_the_names)
{
    static const struct { const char *text; int algorithm; } sheets[] = {
        { "Q = 1\nK = 1\nV = 1\nclaim A = 1\n", 4 },
        { "X = 1\nWq = 1\nWk = 1\nWv = 1\nWo = 2\nclaim V_tilde = 2\n", 5 },
        { "q = 1\nk_t = 1\nv_t = 1\nclaim alpha_t = 1\n", 3 },
        { "x = 1 3\nclaim mean = 2\n", 6 },
        { "e = 1\nWu = 0 ; 0\nclaim p = 0.5 0.5\n", 7 },
        { "logits = 0 0\nclaim p = 0.5 0.5\n", 7 },
    };
    for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
        char first[60];
        Said s = SAID(check, write_text("a.sheet", sheets[k].text));
        snprintf(first, sizeof first, "Algorithm %d (inferred from the names)",
                 sheets[k].algorithm);
        if (s.status != 0 || strncmp(s.out, first, strlen(first)) != 0)
            fail_at(HERE(first), "%s%s", s.out, s.err);
    }
    Said s = SAID(check, write_text("a.sheet", "x = 1\nWu = 1\nclaim A = 1\n"));
    assert_int_equal(s.status, 2);
}

LAW(what_is_right_is_said_in_one_line)
{
    assert_report(LOGITS("2 ; 1/3") "2 0.33\n", 0,
                  "logits  right, 2 of 2 entries\nall right\n");
    assert_report(LOGITS("2") "2\n", 0,
                  "logits  right, 1 of 1 entry\nall right\n");
    assert_report(LOGITS("2 ; 3") "2 ?\n", 0,
                  "logits  right, 1 of 1 entry\nall right\n");
    assert_report(LOGITS("2 ; 3") "? ?\nclaim p = 0.269 0.731\n", 0,
                  "logits  nothing is claimed\n"
                  "p       right, 2 of 2 entries\nall right\n");
}

LAW(a_wrong_entry_stands_beside_the_others)
{
    assert_report(LOGITS("2 ; 1/3") "2 0.77\n", 1,
        "logits  WRONG  (2) yours 0.77, expected 0.333\n"
        "        other entries: 1 right\n"
        "        no known slip; (2) is 0.3333·1 = 0.333333\n"
        "first wrong step: logits (Algorithm 7, line 1): logits = W_u e\n");
    assert_report(LOGITS("2") "70\nclaim p = 1\n", 1,
        "logits  WRONG  yours 70, expected 2\n"
        "        no known slip; it is 2·1 = 2\n"
        "p       right, 1 of 1 entry\n"
        "first wrong step: logits (Algorithm 7, line 1): logits = W_u e\n");
    assert_line(LOGITS("1/3 ; 2 ; 7.7") "0.34 2.00 7.79\n",
        "logits  WRONG  (3) yours 7.79, expected 7.700\n"
        "        last digit off  (1) yours 0.34, expected 0.333\n"
        "        other entries: 1 right\n"
        "        no known slip; (3) is 7.7·1 = 7.7");
    assert_line(LOGITS("1/3 ; 2 ; 7.7 ; 3") "9.34 2.00 7.70 3.00\n",
        "        other entries: 3 right");
}

LAW(a_digit_that_is_off_is_no_wrong_step)
{
    assert_report(LOGITS("1/3 ; 2") "0.34 2.00\n", 1,
        "logits  last digit off  (1) yours 0.34, expected 0.333\n"
        "        other entries: 1 right\n"
        "only rounding differs\n"
        "first digit off: logits (Algorithm 7, line 1): logits = W_u e\n");
    assert_line(LOGITS("1/3 ; 2") "0.34 2.00\nclaim p = 0.7 0.3\n",
                "first wrong step: p (Algorithm 7, line 1): p = softmax(logits)");
}

LAW(long_lists_are_cut)
{
    assert_line(LOGITS("0;0;0;0;0;0;0;0;0;0;0;0;0;0")
        "91 92 93 94 95 96 97 98 99 910 911 912 913 914\n",
        "               (10) yours 910, expected 0; (11) yours 911, expected 0;\n"
        "               (12) yours 912, expected 0; and 2 more");
    Said s = SAID(check, (char *)sheet(LOGITS("0") "0.0000000000000000000000"
                                       "000000000000000000000000000007\n"));
    assert_that(strstr(s.out, "0000000000000000000") == NULL);
#define INNER "algorithm 7\ne = 1 2 3 4 5 6 7 8"
    assert_line(INNER "\nW_u = 1 1 1 1 1 1 1 1\nclaim logits = 9\n",
                " + 1·7 + 1·8 =\n        36");
    assert_line(INNER " 9\nW_u = 1 1 1 1 1 1 1 1 1\nclaim logits = 9\n",
                " + 1·7 + 1·8 +\n        1 more = 45");
}

LAW(steps_that_go_wrong_by_themselves_are_explained_each)
{
    assert_report(FOUR "claim Q = 9 0 2 ; 1 2 2\n"
        "claim V = 2 0 4 ; 0 1 7\nclaim S = 9 0 2 ; 10 2 4 ; 28 2 8\n", 1,
        "Q     WRONG  (1,1) yours 9, expected 1\n"
        "      other entries: 5 right\n"
        "      no known slip; (1,1) is 1·1 + 0·0 = 1\n"
        "V     WRONG  (2,3) yours 7, expected 1\n"
        "      other entries: 5 right\n"
        "      no known slip; (2,3) is 0·2 + 1·1 = 1\n"
        "S     3 of 9 entries follow from Q; the rest are right\n"
        "first wrong step: Q (Algorithm 4, line 1): Q = W_q X + b_q 1ᵀ\n");
}

LAW(numbers_that_were_rounded_early_are_carried_on)
{
    assert_report("algorithm 4\nX = 1 2\nWq = 1/3\nWk = 1\nWv = 3\n"
        "claim Q = 0.33 0.67\nclaim S = 0.33 0.67 ; 0.66 1.34\n"
        "claim A = 0.4182 0.3385 ; 0.5818 0.6615\n", 1,
        "Q     right, 2 of 2 entries\n"
        "S     rounded early  (2,1) yours 0.66, expected 0.667; (2,2) yours 1.34, "
        "expected 1.333\n"
        "      other entries: 2 right\n"
        "      all 4 entries match if Q is used as written on the sheet\n"
        "A     rounded early  (1,1) yours 0.4182, expected 0.41743;\n"
        "                     (1,2) yours 0.3385, expected 0.33924;\n"
        "                     (2,1) yours 0.5818, expected 0.58257;\n"
        "                     (2,2) yours 0.6615, expected 0.66076\n"
        "      all 4 entries match if S is used as written on the sheet\n"
        "first digit off: S (Algorithm 4, line 4): S = Kᵀ Q\n");
}

LAW(in_a_wrong_step_some_entries_may_follow)
{
    assert_report("algorithm 7\ne = 1 0\nWu = ln(2) 5 ; 0 7 ; 0 7\n"
        "claim logits = ln(6) 0 0\nclaim p = 3/4 1/8 1/2\n", 1,
        "logits  WRONG  (1) yours ln(6), expected 0.6931\n"
        "        other entries: 2 right\n"
        "        no known slip; (1) is 0.6931·1 + 5·0 = 0.693147\n"
        "p       WRONG  (3) yours 1/2, expected 1/4\n"
        "        other entries: 2 follow from logits\n"
        "        no known slip; (3) is e^0 / (e^0.6931 + e^0 + e^0) = 1 / 4 = "
        "0.25\n"
        "        remark: the entries sum to 1.375, not to 1\n"
        "first wrong step: logits (Algorithm 7, line 1): logits = W_u e\n");
    assert_line("algorithm 7\ne = 1 0\nWu = ln(2) 5 ; 0 7 ; 0 7\n"
        "claim logits = ln(6) 0 0\nclaim p = 3/4 1/4 1/2\n",
        "        other entries: 1 follows from logits, 1 right");
    assert_line("algorithm 6\ne = 1 2 4\nclaim m = 2.5\n"
        "claim v = 1.5833\nclaim e_hat = ? -0.3974 7\n",
        "ê     WRONG  (3) yours 7, expected 1.33631\n"
        "      other entries: 1 follows from m");
}

#define MASKED "algorithm 4\nmask causal\nX = 1 2\nWq = 1\nWk = 1\nWv = 1\n"

LAW(both_S_are_told_apart_by_their_lines)
{
    assert_report(MASKED "claim 4.4 S = 1 2 ; 2 4\nclaim 4.5 S = 1 2 ; -inf 5\n"
        "claim A = 1 0.1 ; 0 0.9\n", 1,
        "4.4 S  right, 4 of 4 entries\n"
        "4.5 S  WRONG  (2,2) yours 5, expected 4\n"
        "       other entries: 3 right\n"
        "       no known slip; (2,2) is 2·2 = 4\n"
        "A      right, 4 of 4 entries\n"
        "first wrong step: S (Algorithm 4, line 5):\n"
        "S = S, but -inf where the mask is 0\n");
    assert_line(MASKED "claim 4.4 S = 1 2 ; 2 4\n",
                "S     right, 4 of 4 entries");
    assert_line("algorithm 5\nX = 1\nWq^1 = 1\nWk^1 = 1\nWv^1 = 1\n"
                "Wq^2 = 1\nWk^2 = 1\nWv^2 = 1\nWo = 1 1\nclaim 4.4 S^1 = 1\n"
                "claim 4.5 S^1 = 1\nclaim 4.5 S^2 = 1\n",
                "4.4 S^1  right, 1 of 1 entry\n"
                "4.5 S^1  right, 1 of 1 entry\n"
                "S^2      right, 1 of 1 entry");
}

LAW(a_slip_is_said_in_the_words_of_the_layout)
{
    assert_report("algorithm 1\nlayout textbook\nv = 2\n"
        "We = 1 2 3 ; 4 5 6 ; 7 8 9\nclaim e = 2 5 8\n", 1,
        "e     WRONG  (1) yours 2, expected 4; (3) yours 8, expected 6\n"
        "      other entries: 1 right\n"
        "      all 3 entries match if column v of W_e is taken, not row v\n"
        "remark: in layout paper all claims are right (columns are tokens, W "
        "x)\n"
        "first wrong step: e (Algorithm 1, line 1): e = W_e[v, :]\n");
    Said json = SAID(check, "--json", (char *)sheet("algorithm 1\n"
        "layout torch\nv = 2\nWe = 1 2 ; 4 5\nclaim e = 2 5\n"));
    assert_that(strstr(json.out, "\"sentence\": \"column v of W_e is taken, "
                       "not row v\"") != NULL);
}

LAW(a_step_of_a_model_has_its_place)
{
    assert_line("algorithm 10\nx = 1 2\nWe = 1 0 ; 0 1\nWu = 1 0 ; 0 1\n"
                "epsilon 1\nL = 2\nclaim 10.6 layer2.X = 9 0 ; 0 1\n",
                "10.6 layer2.X  WRONG  (1,1) yours 9, expected 1\n"
                "               other entries: 3 right\n"
                "               no known slip; (1,1) is 0·0 + 1 = 1\n"
                "first wrong step: layer2.X (Algorithm 10, line 6):\n"
                "X = X + MHAttention(X̃ | W, Mask causal)");
    assert_line("algorithm 10\nx = 1 2\nWe = 1 0 ; 0 1\nWu = 1 0 ; 0 1\n"
                "epsilon 1\nL = 1\nclaim 5.2 layer1.Y^1 = 9 0 ; 0 1\n",
                "first wrong step: layer1.Y^1 (Algorithm 5, line 2):\n"
                "Y^h = Attention(X, Z | W_qkv^h, Mask)");
}

LAW(a_turn_has_the_letter_of_its_loop)
{
    assert_line("algorithm 14\nx = 1\nWe = 1 0 ; 0 1\nWu = 1 0 ; 0 1\n"
                "epsilon 1\nu = 0.1 0.1\nclaim 10.11 i2.P = 9 ? ; ? ?\n",
                "first wrong step: i2.P (Algorithm 10, line 11): P = "
                "softmax(W_u X)");
}

/* -------------------------------------------------------- what is "here" */

#define HERE_IS(right, claimed, here) \
    assert_line(LOGITS(right "; 77") claimed " ?\n", \
                "logits  WRONG  (1) yours " claimed ", expected " here)
#define CUT_IS(right, claimed, here) \
    assert_line(LOGITS(right "; 77") claimed " ?\n", \
                "logits  cut off  (1) yours " claimed ", expected " here)

LAW(the_right_number_has_one_decimal_more)
{
    HERE_IS("2/3", "0.9", "0.67");
    HERE_IS("2/3", "0.91", "0.667");
    HERE_IS("0.5", "0.91", "0.500");
    HERE_IS("-2/3", "0.91", "-0.667");
    HERE_IS("2", "0.91", "2");
    HERE_IS("1/3000", "0.91", "0.000");
    HERE_IS("2/3000", "9.0e-04", "0.000667");
    HERE_IS("1234.5678", "0.9", "1234.57");
    HERE_IS("2/3", "15e-1", "0.67");
}

LAW(a_near_miss_has_as_many_as_it_takes)
{
    if (!IS_DOUBLE)
        return;
    CUT_IS("0.1250001", "0.12", "0.1250001");
    CUT_IS("-0.12500001", "-0.12", "-0.12500001");
    HERE_IS("2.0000001", "2", "2.0000001");
    HERE_IS("2/3", "0.666666667000", "0.6666666666667");
    HERE_IS("1e14/3", "33333333333330", "33333333333333.3");
    HERE_IS("1e18/3", "33333333333330", "3.33333333333333e+17");
}

LAW(no_digit_is_shown_that_is_not_true)
{
    if (IS_DOUBLE) {
        HERE_IS("2/3", "0.700000000000000000000", "0.666667");
        HERE_IS("2/3", "0.66666666666620", "0.666666666666667");
        HERE_IS("2/3", "0.6666670000000000000", "0.6666667");
        HERE_IS("2e12/3", "0.70", "666666666666.667");
        HERE_IS("2e15/3", "0.70", "666666666666667");
        HERE_IS("2e16/3", "0.70", "6.66666666666667e+15");
        HERE_IS("2e-9/3", "0.700000000000000000000", "0.000000");
    } else {
        HERE_IS("2/3", "0.700000000000000000000", "0.666667");
        HERE_IS("2e9/3", "0.7", "6.66667e+08");
    }
}

LAW(exact_numbers_are_shown_as_such)
{
    HERE_IS("2/3", "1/3", "2/3");
    HERE_IS("-2/7", "1/3", "-2/7");
    HERE_IS("4/2", "1/3", "2");
    HERE_IS("-1e-18", "1/3", "0");
    HERE_IS("-1e-18", "0.25", "0");
    HERE_IS("sqrt(2)", "1/3", "1.4142");
    HERE_IS("sqrt(2)", "1", "1.4142");
    if (IS_DOUBLE)
        HERE_IS("40/97", "1/3", "40/97");
}

LAW(an_entry_is_shown_as_it_was_typed)
{
    HERE_IS("2/3", "\\frac{1}{3}", "2/3");
    HERE_IS("2/3", "e^(2 * sqrt(2))", "2/3");
    assert_line(LOGITS("2") "(1 +\t2)\n", "logits  WRONG  yours (1 + 2), expected 2");
    HERE_IS("2/3", "-.5", "0.67");
    HERE_IS("2/3", "+1.50", "0.667");
    assert_line(LOGITS("2") "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\n",
                "logits  WRONG  yours 17, expected 2");
}

/* ------------------------------------------------- sheets and answers */

static void check_case(const Case *c)
{
    expect_answer(c, SAID(check, write_text("a.sheet", c->input)));
}

LAW(each_sheet_is_answered_as_expected)
{
    judge_cases("tests/data/answers/check.txt", 1, check_case);
}

/* --------------------------------------------------------- explanations */

/* A judgement with other explanations than were found. */
static Said explained(int n, Explanation why[], const char *text,
                      void print(FILE *out, const Judgement *judgement))
{
    FILE *out = tmpfile();
    char *copy = strcpy(arena_alloc(arena, strlen(text) + 2), text);
    Error f = { .sheet = "sheet" };
    const Sheet *read = parse_sheet(arena, "sheet", copy, (int)strlen(copy),
                                 &f);
    Judgement judgement = *judge_sheet(read, arena, quiet, &f);
    Judged judged = judgement.judged[0];
    judged.n = n;
    judged.why = why;
    judgement.judged = &judged;
    judgement.n = 1;
    print(out, &judgement);
    return (Said){ .out = all_of(out), .err = "" };
}

LAW(where_a_slip_was_made_is_said)
{
    const char *text = LOGITS("2 ; 3") "2 30\n";
    Step head = { .part = ED, .layer = 2, .head = 3 }, turn = { .turn = 4 },
         layer = { .part = LAYER, .layer = 1 };
    Explanation why[] = { { .slip = slip_named("no-scale"), .only = &head },
                          { .slip = slip_named("no-scale"), .only = &turn },
                          { .slip = slip_named("no-scale"), .only = &layer } };
    Said s = explained(3, why, text, check_text);
    assert_says(s,
        "        all 2 entries match if the 1/√d_attn is left out, in the\n"
        "        cross-attention of layer 2, head 3 only\n"
        "        or if the 1/√d_attn is left out, in turn 4 only\n"
        "        or if the 1/√d_attn is left out, in layer 1 only\n"
        "        this sheet cannot tell these apart\n");
    s = explained(1, why, FOUR "claim A = 9 ? ? ; ? ? ? ; ? ? ?\n",
                  check_text);
    assert_says(s, "      the entry matches if the 1/√d_attn is left out, in "
        "the cross-attention\n      of layer 2, head 3 only\n");
    s = explained(3, why, text, check_json);
    assert_says(s, "left out, in turn 4 only\", \"carried\": false}, "
        "{\"slips\": [");
}

/* ------------------------------------------------------- shape and layout */

LAW(another_shape_is_said)
{
    assert_report(FOUR "claim Q = 1 0 2\n", 1,
        "Q     WRONG  it is 1 x 3 on the sheet, expected 2 x 3\n"
        "first wrong step: Q (Algorithm 4, line 1): Q = W_q X + b_q 1ᵀ\n");
    assert_report(FOUR "claim Q = 1 1 ; 0 2 ; 2 2\n", 1,
        "Q     WRONG  it is 3 x 2 on the sheet, expected 2 x 3\n"
        "      its transpose is right (in layouts textbook and torch, tokens "
        "are\n"
        "      rows)\n"
        "first wrong step: Q (Algorithm 4, line 1): Q = W_q X + b_q 1ᵀ\n");
}

LAW(another_shape_may_come_of_a_slip)
{
    assert_report("algorithm 4\nX = 1 0 2 ; 0 1 1\nZ = 1 1 ; 2 0.5\n"
        "Wq = 1 0 ; 1 1\nWk = 1 1 ; 0 1\nWv = 2 0 ; 0 1\n"
        "claim Q = 1 1 ; 3 1.5\nclaim S = 1 1 ; 4 2.5 ; 6 4.5\n", 1,
        "Q     WRONG  it is 2 x 2 on the sheet, expected 2 x 3\n"
        "      all 4 entries match if X and Z are exchanged\n"
        "S     follows from Q\n"
        "first wrong step: Q (Algorithm 4, line 1): Q = W_q X + b_q 1ᵀ\n");
}

LAW(another_layout_is_said)
{
    const char *given = "X = 1 2 ; 0 1\nWq = 1 2 ; 0 1\nWk = 1 0 ; 3 1\n"
                        "Wv = 1 1 ; 0 2\nclaim Q = 1 4 ; 0 1\n"
                        "claim V = 1 5 ; 0 2\n";
    char text[400];
    snprintf(text, sizeof text, "algorithm 4\n%s", given);
    assert_line(text, "remark: in layout textbook all claims are right (rows "
                "are tokens, x W)\nfirst wrong step: V (Algorithm 4, line 3): V = W_v Z + b_v "
                "1ᵀ");
    snprintf(text, sizeof text, "algorithm 4\nlayout textbook\n%s", given);
    assert_no(text, "remark");
    assert_line("algorithm 4\nlayout textbook\nX = 1 2 ; 0 1\n"
                "Wq = 1 2 ; 1 1\nWk = 1 0 ; 3 1\nWv = 1 1 ; 0 2\n"
                "claim V = 1 0 ; 5 2\n",
                "      its transpose is right (in layouts paper and "
                "berkeley, tokens are\n      columns)");
}

/* S and the diagonal of A are the same in both. */
LAW(the_layout_in_which_all_is_right_is_taken)
{
    assert_says(SAID(check, write_text("a.sheet",
        "algorithm 4\nX = 1 0 ; 0 1\nWq = 1 2 ; 2 3\nWk = 1 0 ; 0 1\n"
        "Wv = 1 0 ; 0 1\nclaim S = 1 2 ; 2 3\n"
        "claim A = 0.330 0.670 ; 0.330 0.670\n")), "all right\n");
    Said s = SAID(check, write_text("a.sheet",      /* all claims count */
        "algorithm 4\nX = 1 2 ; 3 1\nWq = 1 1 ; 0 2\nWk = 1 0 ; 1 1\n"
        "Wv = 2 1 ; 1 1\nclaim Q = 1 5 ; 3 5\nclaim V = 5 ? ; ? ?\n"));
    assert_that(strstr(s.out, "Algorithm 4, layout textbook: ") == s.out);
}

/* --------------------------------------------------------------- remarks */

#define CAUSAL "algorithm 4\nmask causal\nX = 1 0 2 ; 0 1 1\n" \
    "Wq = 1 0 ; 0 1\nWk = 1 1 ; 0 1\nWv = 2 0 ; 0 1\n"

LAW(what_does_not_sum_to_1_is_remarked)
{
    static const char rows[] = "algorithm 4\nlayout textbook\nX = 1 0 ; 2 1\n"
                               "Wq = 1 0 ; 0 1\nWk = 1 1 ; 0 1\nWv = 2 0 ; 0 1\n";
    static const struct { const char *given, *claim, *remark; } sheets[] = {
        { CAUSAL, "A = 1 0.9 0.1 ; 0 0.3 0.1 ; 0 0 0.8", "column 2 sums to 1.2, not to 1" },
        { rows, "A = 0.52 0.50 ; 0.5 0.5", "row 1 sums to 1.02, not to 1" },
        { rows, "Z = 1 0 ; 2 1 ; 0 1\nclaim A = 0.52 0.30 0.20 ; 0.5 0.25 0.25",
          "row 1 sums to 1.02, not to 1" },
        { LOGITS("2 ; 3") "2 3\n", "p = 0.30 0.80", "the entries sum to 1.1, not to 1" },
        { LOGITS("2 ; 3") "2 3\n", "p = 0.10 ; 0.80", "the entries sum to 0.9, not to 1" },
    };
    for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
        char text[400], remark[100];
        snprintf(text, sizeof text, "%s%s%s\n", sheets[k].given,
                 *sheets[k].claim == 'Z' ? "" : "claim ", sheets[k].claim);
        snprintf(remark, sizeof remark, "      remark: %s", sheets[k].remark);
        line_at(HERE(sheets[k].claim), text, remark);
    }
    assert_no(CAUSAL "claim A = 1 -inf 0.1 ; 0 0.3 0.1 ; 0 0 0.8\n", "sum");
    assert_no(CAUSAL "claim A = 1 0.9 0.1 ; 0 ? 0.1 ; 0 0 0.8\n", "remark");
    assert_no(CAUSAL "claim A = 1 0.9 0.33 ; 0 0.1 0.33 ; 0 0 0.33\n", "remark");
}

LAW(whole_numbers_among_others_are_remarked)
{
    assert_line(LOGITS("2.3 ; 3") "2 3\n",
                "        remark: whole numbers are taken as exact; "
                "type 2.0 for one decimal");
    assert_line(LOGITS("2.3 ; 3.25") "2 3.25\n",
                "        remark: 2 is read as 2.00, since other entries have decimals");
    Said s = SAID(check, "--json",
                  write_text("s", LOGITS("0 ; ln(2)") "0 ln(2)\n"
                             "claim p = 0.9 ; 1\n"));
    assert_that(strstr(s.out, "\"remarks\": [\"the entries sum to 1.9, not "
                              "to 1\"]") != NULL);    /* the most telling */
    assert_no(LOGITS("2.6 ; 3") "2 3\n", "remark");
    assert_no(LOGITS("0.3 ; 3.25") "0 3.25\n", "remark");
}

LAW(where_a_slip_explains_there_is_no_remark)
{
    const char *axis = FOUR
        "claim A = 0.284 0.140 0.576 ; 0.164 0.164 0.673 ; "
        "0.055 0.013 0.932\n";
    Said s = SAID(check, (char *)sheet(axis));
    assert_that(strstr(s.out, "the softmax is taken over the queries")
                != NULL);
    assert_no(axis, "remark");
    s = SAID(check, "--json", (char *)sheet(axis));
    assert_that(strstr(s.out, "\"remarks\": []}]}") != NULL);
}

/* ------------------------------------------------------------------ JSON */

LAW(on_a_large_sheet_not_every_slip_is_tried)
{
    char *text = arena_alloc(arena, 3000), *end = text;
    end += sprintf(end, "algorithm 4\nWq = 1\nWk = 1\nWv = 1\nX =");
    for (int t = 0; t < 400; t++)
        end += sprintf(end, " 1");
    end += sprintf(end, "\nclaim V~ =");
    for (int t = 0; t < 400; t++)
        end += sprintf(end, " 2");
    assert_line(text, "      remark: the sheet is so large that not every slip "
                "was tried");
    assert_no(FOUR "claim S = 7 7 7 ; 7 7 7 ; 7 7 7\n", "so large");
}

/* The mean over all tokens, and heads that are joined in another order, are
   slips; neither needs the square of a large number. */
LAW(a_slip_takes_no_more_memory_than_the_sheet)
{
    enum { MANY = 20000 };
    char *text = arena_alloc(arena, 10 * MANY + 300), *end = text;
    end += sprintf(end, "algorithm 6\nepsilon 1\ne =");
    for (int k = 0; k < 2 * MANY; k++)
        end += sprintf(end, k == MANY ? ";1" : " %d", k % 2);
    end += sprintf(end, "\nclaim m =");
    for (int k = 0; k < MANY; k++)
        end += sprintf(end, " 9");
    assert_no(text, "right");
    end = text + sprintf(text, "algorithm 5\nX = 1\nWq = 1\nWk = 1\nWo =");
    for (int k = 0; k < MANY; k++)
        end += sprintf(end, " 0");
    end += sprintf(end, "\nlayout paper\nclaim V~ = 7\nWv = 1");
    for (int k = 1; k < MANY; k++)
        end += sprintf(end, ";1");
    assert_no(text, "right");
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_that(used.ru_maxrss < 1000000);      /* KB */
}

LAW(json_has_every_entry)
{
    Said s = SAID(check, "--json", write_text("a\"b.sheet",
        LOGITS("2 ; 1/4 ; 5") "2 1.30 ?\nclaim p = 1/2\n"));
    assert_int_equal(s.status, 1);
    assert_that(has_words(s.out, "/a\\\"b.sheet\", \"algorithm\": 7, \"layout\": "
        "\"paper\", \"status\": \"wrong\", \"first_wrong\": 1, | "
        "\"typed\": \"2\", \"claimed\": 2, \"here\": 2, \"verdict\": \"right\"} | "
        "{\"row\": 1, \"col\": 2, \"typed\": \"1.30\", \"claimed\": 1.3, | "
        "\"typed\": \"?\", \"claimed\": null, \"here\": 5, \"verdict\": \"open\"} | "
        "\"name\": \"p\", \"index\": null, \"rows\": 1, \"cols\": 1, \"fits\": "
        "false, \"verdict\": \"wrong\", \"entries\": [{\"row\": 1, \"col\": 1, "
        "\"typed\": \"1/2\", \"claimed\": 0.5, \"here\": null, | }]}"));
}

/* The keys of JSON in the order in which each comes first, a blank after
   each. */
static const char *keys_of(const char *json)
{
    char *keys = arena_alloc(arena, 2000), *end = keys;
    *end++ = ' ';
    *end = '\0';
    for (const char *p = json; (p = strchr(p, '"')) != NULL; p++) {
        size_t n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");
        char key[80];
        if (strncmp(p + 1 + n, "\": ", 3) != 0 || n > 70)
            continue;
        snprintf(key, sizeof key, " %.*s ", (int)n, p + 1);
        if (strstr(keys, key) == NULL)
            end += sprintf(end, "%s", key + 1);
    }
    return keys + 1;
}

/* The page reads them. */
LAW(the_keys_of_json_stay)
{
    char *slip = "tests/data/hand/no-scale.sheet",
         *model = "tests/data/worked/alg10.sheet";
    assert_string_equal(keys_of(SAID(check, "--json", slip).out),
        "sheet algorithm layout status first_wrong other_layout claims "
        "claim line name index rows cols fits verdict entries row col typed "
        "claimed here explanations sources terms transposed remarks slips "
        "sentence carried ");
    assert_string_equal(keys_of(SAID(show, "--json", model).out),
        "sheet algorithm layout decimals assumed steps line name index rows "
        "cols values inner label text part layer items claim entries word "
        "step ");
    assert_string_equal(keys_of(SAID(show, "--read", slip).out),
                        "items claim name entries word ");
}

LAW(json_has_the_explanations)
{
    Said s = SAID(check, "--json", "tests/data/hand/no-scale.sheet");
    assert_that(has_words(s.out, "\"status\": \"wrong\", \"first_wrong\": 2, | "
        "\"explanations\": [{\"slips\": [\"no-scale\"], \"sentence\": \"the "
        "1/√d_attn is left out\", \"carried\": false}], "
        "\"sources\": [], \"terms\": null, \"transposed\": false | "
        "\"verdict\": \"follows\"} | \"sources\": [2]"));
    s = SAID(check, "--json", (char *)sheet(FOUR
        "claim S = 1 0 2 ; 2 2 4 ; 1 2 8\n"));
    assert_that(has_words(s.out, "\"explanations\": [], \"sources\": [], "
                          "\"terms\": \"(3,1) is "));
    s = SAID(check, "--json", (char *)sheet(CAUSAL
        "claim 4.5 S = 1 ? ? ; 7 ? ? ; ? ? ?\n"));
    assert_that(has_words(s.out, "\"claimed\": 7, \"here\": \"-inf\""));
}

LAW(json_says_what_is_no_sheet)
{
    Said s = SAID(check, "--json", "tests/data/worked/alg01.sheet",
                  "no such\xff sheet");
    assert_int_equal(s.status, 2);
    assert_that(has_words(s.out, "\"status\": \"right\", \"first_wrong\": null | "
        "{\"sheet\": \"no such\\ufffd sheet\", \"status\": \"error\", "
        "\"error\": \"no such? sheet: cannot be opened: "));
    assert_that(strstr(s.err, "sheet: cannot be opened: ") != NULL);
}

/* ------------------------------------------------------------ the command */

LAW(several_sheets_have_a_total)
{
    char *right = write_text("right", with_layout(LOGITS("2") "2\n")),
         *wrong = write_text("wrong", with_layout(LOGITS("2") "30\n")),
         *none = write_text("none", "algorithm 7\nclaim p = 1\n");
    char expected[1000];
    Said s = SAID(check, right, wrong, none, right);
    snprintf(expected, sizeof expected, "%s: | all right | %s: | WRONG | "
             "%s: cannot be judged | %s: | all right | "
             "4 sheets: 2 right, 1 wrong, 1 cannot be judged", right, wrong,
             none, right);
    assert_that(has_words(s.out, expected));
    assert_int_equal(s.status, 2);
    assert_that(strncmp(s.err, none, strlen(none)) == 0);
    assert_says(SAID(check, right, right), "\n2 sheets: 2 right, 0 wrong, 0 cannot");
}

LAW(a_sheet_without_claims_is_told)
{
    Said s = SAID(check, (char *)sheet(LOGITS("1") "?\n"));
    assert_int_equal(s.status, 2);
    assert_that(has_words(s.err, "/a.sheet: nothing is claimed; add a line such "
                          "as 'claim p = ...' with the numbers that you"));
    s = SAID(check, (char *)sheet("algorithm 14\ni1.layer1.V_tilde^1 = 1 1\n"));
    assert_that(has_words(s.err, "such as 'claim i1.layer1.V_tilde = ...'"));
}

LAW(options_are_obeyed_or_refused)
{
    assert_refusal(SAID(check, "--json"),
                   "ftx check: no sheet given; see 'ftx check --help'.");
    assert_says(SAID(check, "--help", "1"), "Algorithm 1 starts from v, W_e\n"
                "Algorithm 1 takes algorithm, layout, decimals, v, W_e; its "
                "steps are e\n");
    assert_refusal(SAID(check, "--", "--json"),
                   "--json: cannot be opened: No such file or directory.");
}
