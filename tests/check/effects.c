/* ftx slips: what each slip does to a sheet. */
#include "command.h"
#include "check/check.h"
#include "law.h"
#include "sheets.h"
#include <glob.h>

#define SLIPS(...) SAID_BY("slips", list_slips, __VA_ARGS__)

static bool is_known_before(int k)
{
    for (int i = 0; i < k; i++)
        if (strcmp(slips[i].name, slips[k].name) == 0
            || strcmp(slips[i].what, slips[k].what) == 0)
            return true;
    return false;
}

LAW(every_slip_is_listed_with_its_sentence)
{
    Said s = said_by("ftx slips", list_slips, 0, (char *[]){ NULL });
    for (int k = 0; k < slips_n; k++) {
        assert_that(!is_known_before(k));
        assert_says(s, slips[k].name);
        assert_says(s, slips[k].what);
    }
}

static Mat unknown(void *to, const char *name, int length)
{
    (void)to, (void)name, (void)length;
    return NULL;
}

/* What is not well formed would be refused. */
LAW(every_formula_is_well_formed)
{
    Scope scope = { NULL, unknown, quiet };
    for (int k = 0; k < slips_n; k++)
        for (int i = 0; i < EDITS; i++)
            if (slips[k].at[i].by != NULL)
                formula_evaluate(&scope, slips[k].at[i].by);
}

LAW(every_slip_is_seen_on_some_sheet)
{
    glob_t found;
    assert_that(glob("tests/data/hand/slips-*.sheet", 0, NULL, &found) == 0);
    Said s = said_by("ftx slips", list_slips, (int)found.gl_pathc,
                     found.gl_pathv);
    globfree(&found);
    assert_int_equal(s.status, 0);
    for (int k = 0; k < slips_n; k++) {
        char line[60];
        snprintf(line, sizeof line, "\n  %s ", slips[k].name);
        if (strstr(s.out, line) == NULL)
            fail_at(HERE("slips"), "%s is seen nowhere.", slips[k].name);
    }
}

/* S = 2 ; 0 for the one query, so the weights are e^(2 / sqrt(4)) : 1. */
#define ONE_QUERY "algorithm 4\nX = 1 ; 0 ; 0 ; 0\n" \
    "Z = 2 0 ; 0 0 ; 0 0 ; 0 0\n" \
    "Wq = 1 0 0 0 ; 0 1 0 0 ; 0 0 1 0 ; 0 0 0 1\n" \
    "Wk = 1 0 0 0 ; 0 1 0 0 ; 0 0 1 0 ; 0 0 0 1\nWv = 1 0 0 0\n"

LAW(the_first_entry_that_changes_is_shown)
{
    Said s = SLIPS(write_text("s", ONE_QUERY));
    assert_says(s, "\nS_scaled (line 6)\n"
                "  no-scale              [1,1]        1.0000     2.0000\n"
                "  scale-d               [1,1]        1.0000     0.5000\n");
    assert_says(s, "\nA (line 6)\n");
    assert_says(s, "\n  base-2                [1,1]        0.7311     "
                "0.6667\n");
    assert_says(s, "\n  hard-max              [1,1]        0.7311     "
                "1.0000\n");
}

LAW(what_does_nothing_is_not_seen)
{
    Said s = SLIPS(write_text("s", ONE_QUERY "bq = 0\n"));
    assert_says(s, "\nno change seen: ");
    const char *unseen = strstr(s.out, "no change seen: ");
    assert_that(strstr(unseen, "no-b_q") != NULL);
    assert_that(strstr(unseen, "base-2") == NULL);
    assert_that(strstr(s.out, "\n  no-b_q  ") == NULL);
}

/* With one key all the weight is on it, whatever is done to its score. */
LAW(a_change_is_seen_in_what_is_claimed_only)
{
    static char sheet[] = "algorithm 4\nX = 1 ; 1\nZ = 2 ; 0\n"
        "Wq = 1 0 ; 0 1\nWk = 1 0 ; 0 1\nWv = 1 0 ; 0 1\n";
    Said all = SLIPS(write_text("s", sheet));
    assert_says(all, "\n  scale-d               [1,1]");
    assert_that(strstr(strstr(all.out, "no change seen"), "scale-d,") == NULL);
    char *claims = arena_alloc(arena, sizeof sheet + 20);
    sprintf(claims, "%sclaim A = 1\n", sheet);
    Said one = SLIPS(write_text("s", claims));
    assert_that(strstr(strstr(one.out, "no change seen"), "scale-d,") != NULL);
}

/* 2^x for e^x moves 1.46 to 1.33: seen with one decimal, not with none. */
LAW(only_the_digits_of_the_sheet_count)
{
    Said one = SLIPS(write_text("s", ONE_QUERY "decimals 1\n")),
         none = SLIPS(write_text("s", ONE_QUERY "decimals 0\n"));
    assert_says(one, "\n  base-2                [1,1]           "
                "1.5        1.3\n");
    assert_that(strstr(strstr(one.out, "no change seen"), "base-2") == NULL);
    assert_that(strstr(none.out, "\n  base-2 ") == NULL);
    assert_that(strstr(strstr(none.out, "no change seen"), "base-2") != NULL);
}

LAW(a_step_is_the_same_as_itself)
{
    const Run *run = run_of_file("tests/data/worked/alg10.sheet");
    for (int k = 0; k < run->n; k++)
        assert_that(same_step(run, &run->step[k]) == &run->step[k]);
}

LAW(minus_nothing_is_nothing)
{
    Said s = SLIPS(write_text("s", "algorithm 4\nX = 1e-9 ; 0\n"
                              "Wq = 0 1 ; -1 0\nWk = 1 0 ; 0 1\n"
                              "Wv = 1 0 ; 0 1\n"));
    assert_that(strstr(strstr(s.out, "no change seen"), "W_q-transposed") != NULL);
}

LAW(a_slip_that_cannot_be_made_is_left_out)
{
    Said s = SLIPS(write_text("s", ONE_QUERY));     /* A is 2 x 1 */
    assert_that(strstr(s.out, "n-1") == NULL && strstr(s.out, "no-b_q") == NULL);
    assert_that(strstr(s.out, "A-transposed") == NULL);
    s = SLIPS("tests/data/worked/alg04.sheet");      /* W_k, W_v are 2 x 3 */
    assert_that(strstr(s.out, "W_k-transposed") == NULL);
}

LAW(several_sheets_have_their_names)
{
    char *a = write_text("s", ONE_QUERY), text[900];
    Said s = SLIPS(a, "tests/data/worked/alg06.sheet");
    snprintf(text, sizeof text, "%s:\nslip ", a);
    assert_that(strncmp(s.out, text, strlen(text)) == 0);
    assert_says(s, "\n\ntests/data/worked/alg06.sheet:\nslip ");
    assert_says(s, "n-1 ");
}

LAW(what_is_no_sheet_is_refused)
{
    assert_refusal(SLIPS("no-such"),
                   "no-such: cannot be opened: No such file or directory.");
    assert_refusal(SLIPS("--all"),
        "ftx slips: there is no option --all; see 'ftx slips --help'.");
    Said s = SLIPS("--help");
    assert_says(s, "Usage: ftx slips [SHEET...]\n");
}

LAW(a_claim_of_no_step_is_refused)
{
    char *name = write_text("s", "algorithm 7\ne = 1\nWu = 1\nclaim m = 1\n");
    Said s = SLIPS(name);
    assert_that(s.status == 2 && strstr(s.err, ":4:") != NULL);
    s = SLIPS(write_text("s", "algorithm 1\nv = 1\nW_e = 1 2 ; 3 4\n"
                         "claim e = 1 ; 3\nclaim Q = 1\n"));
    assert_that(s.status == 2 && strstr(s.err, ":5:7: ") != NULL);
}

/* Neither the scores that are given nor the weights that they make needless
   can be mistaken; what is carried on from them can. */
LAW(what_is_given_is_nobodys_slip)
{
    Said s = SLIPS("tests/data/starts/scores-6-mask-forgotten.sheet");
    assert_int_equal(s.status, 0);
    assert_that(strstr(s.out, "S-transposed") == NULL);
    assert_that(strstr(s.out, "W_q") == NULL && strstr(s.out, "no-b")
                == NULL);
    assert_that(strstr(s.out, "axis ") != NULL);
}
