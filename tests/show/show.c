/* ftx show and the command around it: what is printed, what is refused. */
#include "cases.h"
#include "show/show.h"
#include "random_sheet.h"
#include "law.h"

/* ftx show of a sheet's text. */
#define SHOWN(text, ...) \
    SAID(show, __VA_ARGS__ write_text("a.sheet", text))

/* ------------------------------------------------------- what is printed */

/* ftx show, with the options of a first line "$ ...". */
static void show_case(const Case *c)
{
    char *argument[8], options[100] = "";
    int n = 0;
    const char *sheet = c->input;
    if (*sheet == '$') {
        snprintf(options, sizeof options, "%.*s",
                 (int)strcspn(sheet + 2, "\n"), sheet + 2);
        sheet += strcspn(sheet, "\n") + 1;
    }
    for (char *word = strtok(options, " "); word != NULL;
         word = strtok(NULL, " "))
        argument[n++] = word;
    argument[n++] = write_text("a.sheet", sheet);
    argument[n] = NULL;
    expect_answer(c, said_by("ftx show", show, n, argument));
}

LAW(each_sheet_is_shown_as_expected)
{
    judge_cases("tests/data/answers/show.txt", 40, show_case);
}

/* -------------------------------------------------------- what comes out */

/* Problems of Algorithms 1 to 7 that chance writes, each in every layout. */
LAW(the_four_layouts_agree)
{
    int runs = 0;
    for (int n = 0; n < amount(700); n++) {
        Problem *p = random_problem(1 + n % 7, 2);
        const Run *run[LAYOUTS];
        for (int r = 0; r < LAYOUTS; r++) {
            p->layout = &layouts[r];
            run[r] = run_of(given_text(p)->at);
            assert_that((run[r] == NULL) == (run[0] == NULL));
        }
        runs += run[0] != NULL;
        for (int r = 1; run[0] != NULL && r < LAYOUTS; r++) {
            assert_int_equal(run[r]->n, run[0]->n);
            for (int k = 0; k < run[0]->n; k++) {
                Mat M = run[r]->step[k].M;
                assert_same(layouts[r].rows ? transpose_of(arena, M) : M,
                            run[0]->step[k].M, 0);
            }
        }
        tidy();
    }
    assert_that(2 * runs > amount(700));
}

LAW(published_examples_come_out)
{
    assert_says(SAID(check, "tests/data/worked/published/masked-4x4.sheet"),
                "all right");
    assert_says(SAID(check, "tests/data/worked/published/"
                     "illustrated-self-attention.sheet"), "all right");
}

LAW(strings_are_escaped_in_json)
{
    Run run = *run_of_file("tests/data/worked/alg01.sheet");
    Sheet sheet = *run.sheet;
    FILE *out = tmpfile();
    Arena *own = arena_new();
    Error f = { .sheet = sheet.name };
    sheet.name = "a \"b\"\\\x01\n";
    run.sheet = &sheet;
    show_json(out, &run, own, &f);
    arena_free(own);
    assert_that(strstr(all_of(out), "{\"sheet\": \"a \\\"b\\\"\\\\\\u0001"
                                    "\\u000a\", ") != NULL);
}

LAW(numbers_of_json_are_no_others)
{
    static const double numbers[] = { 0.1, -0.0, 0, 1e300, -2.5e-7, 3,
                                      INFINITY, -INFINITY, NAN };
    FILE *out = tmpfile();
    for (int k = 0; k < 9; k++) {
        print_json_number(out, numbers[k]);
        fputc(' ', out);
    }
    assert_string_equal(all_of(out), "0.10000000000000001 0 0 "
        "1.0000000000000001e+300 -2.4999999999999999e-07 3 \"inf\" "
        "\"-inf\" null ");
}

LAW(many_heads_are_run)
{
    enum { H = 300 };
    char *text = arena_alloc(arena, 100 * H), *p = text;
    p += sprintf(p, "algorithm 5\nX = 1 2\nWo =");
    for (int h = 0; h < H; h++)
        p += sprintf(p, " 1");
    for (int h = 1; h <= H; h++)
        p += sprintf(p, "\nWq%d = 1\nWk%d = 1\nWv%d = 1", h, h, h);
    Said plain = SHOWN(text, "--json",);
    assert_that(strstr(plain.out, "b_k = 0, b_v = 0, mask = none, "
                                  "b_o = 0\"") != NULL);
    sprintf(p, "\nbq1 = 1\nbk1 = 1");
    Said s = SHOWN(text, "--json",);
    assert_that(s.status == 0 && strstr(s.out, "\"index\": 300") != NULL);
    assert_that(strstr(s.out, "mask = none, b_q^2 = 0, b_k^2 = 0") != NULL);
}

LAW(what_stands_outside_the_layers_names_none)
{
    Said eight = SAID(show, "tests/data/worked/alg08.sheet");
    Said eleven = SAID(show, "tests/data/worked/alg11.sheet");
    assert_that(has_words(eight.out, "line 3: Z | line 12: X | line 21: P"));
    assert_that(has_words(eleven.out, "Algorithm 11, line 4: P"));
}

/* --------------------------------------------------------- what is refused */

LAW(where_the_largest_is_subtracted_the_formula_says_so)
{
    Said s = SAID(show, "--all", "tests/data/hand/exp-shifted.sheet");
    assert_says(s, "exp = e^(S / √d_attn) / e^max ");
    assert_says(s, "sum = Σ e^(S / √d_attn) / e^max ");
}

LAW(what_is_derived_of_an_rms_norm_has_its_own_formula)
{
    Said s = SAID(show, "--md", write_text("a", "algorithm 6\nnorm rms\n"
        "e = 1 ; 7\nclaim root = 5\nclaim standardised = 0.2 ; 1.4\n"));
    assert_that(has_words(s.out, "assumed: epsilon = 0, gamma = 1 | `m = 0` | "
        "`root = √(v + ε)` | 5 | `standardised = (e - m) / √(v + ε)` | "
        "`ê = e / √(v + ε) ⊙ γ`"));
}

LAW(what_cannot_be_read_is_refused)
{
    assert_refused(SAID(show, "tests"), "tests: cannot be read: Is a dir");
    assert_refused(SAID(show, "tests/none.sheet"),
                   "tests/none.sheet: cannot be opened: No such file");
    assert_refused(SHOWN("",), "a.sheet is empty.");
    assert_refused(SHOWN("claim Q = 1\nalgorithm 6\ne = 1 ; 2\n",),
                   "a.sheet:1:7: Algorithm 6 has no step Q");
    assert_refused(SAID(show, "--", "--json"), "--json: cannot be opened");
    assert_refused(said_by("ftx show", show, 0, (char *[]){ NULL }), "ftx show: no sheet given; see");
}

LAW(what_would_grow_without_limit_is_refused)
{
    static const char *const starts[] = {
        "algorithm 4\nWq = 1\nWk = 1\nWv = 1\nX =",
        "algorithm 7\nWu = 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1\ne = 1 1 ;",
        "algorithm 3\ne = 1\nWq = 1\nWk = 1\nWv = 1\ne_t =" };
    for (int k = 0; k < 3; k++) {
        size_t n = strlen(starts[k]);
        char *text = arena_alloc(arena, n + 1000000 + 1);
        memcpy(text, starts[k], n);
        for (size_t i = 0; i < (k == 2 ? 300000 : 500000); i++)
            memcpy(text + n + 2 * i, " 1", 3);
        Said s = SHOWN(text,);
        assert_that(s.status == (k == 2 ? 0 : 2));
        assert_that(k != 0 || has_words(s.err, "a.sheet:1:1: the steps would "
                                        "have more than two million entries."));
    }
    assert_refused(SHOWN("algorithm 2\npositions vaswani\nd_e 1000000\nt 11\n",),
                   "a.sheet:1:1: the steps would have more than two million");
}

LAW(masks_have_two_names_each)
{
    static const char *const words[] = { "none", "bidirectional", "causal",
                                         "unidirectional" };
    Said s[4];
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text, "algorithm 4\nmask %s\nX = 1 2\nWq = 1\n"
                 "Wk = 1\nWv = 1\nbq = 1\nbk = 1\nbv = 1\n", words[k]);
        s[k] = SHOWN(text,);
        assert_that(s[k].status == 0);
    }
    assert_string_equal(s[0].out, s[1].out);
    assert_string_equal(s[2].out, s[3].out);
    assert_that(strcmp(s[0].out, s[2].out) != 0);
}

LAW(a_number_too_large_for_single_precision_is_refused)
{
    Said s = SHOWN("algorithm 1\nv 1\nWe = 1e100\n",);
    if (IS_DOUBLE)
        assert_int_equal(s.status, 0);
    else
        assert_refused(s, "a.sheet:3:6: an entry of We must be finite; this is "
                       "too large for single precision.");
}

LAW(several_sheets_are_shown_though_one_is_bad)
{
    Said s = SAID(show, "tests/data/worked/alg01.sheet", "none",
                  "tests/data/worked/alg01.sheet");
    assert_that(s.status == 2);
    assert_string_equal(s.err,
        "none: cannot be opened: No such file or directory.\n");
    char *first = strstr(s.out, "Algorithm 1, layout");
    assert_that(first == s.out);        /* a line between two sheets */
    assert_that(strstr(first + 1, "\n\n\nAlgorithm 1, layout") != NULL);
}

/* ------------------------------------------------------------ the command */

/* The example of the help is a shell command: here is its sheet. */
LAW(the_example_of_the_help_works)
{
    Said help_ = SAID(show, "--help");
    assert_that(strstr(help_.out, "printf 'algorithm 7\\ne = 1 1\\nWu = 0 0 ; "
                       "ln(2) ln(3)\\n' | ftx show -\n") != NULL);
    Said s = SHOWN("algorithm 7\ne = 1 1\nWu = 0 0 ; ln(2) ln(3)\n",);
    assert_that(s.status == 0 && strstr(s.out, "  0.1429\n  0.8571\n") != NULL);
}
