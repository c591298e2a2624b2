/* ftx slips: what each slip does to a sheet. */
#include "command.h"

#define SLIPS(...) SAID(slips_known, __VA_ARGS__)

static void every_slip_is_listed_with_its_sentence(void **state)
{
    (void)state;
    Said s = said_by(slips_known, 0, (char *[]){ NULL });
    assert_that(s.status == 0 && *s.err == '\0');
    int lines = 0;
    for (const char *p = s.out; *p != '\0'; p++)
        lines += *p == '\n';
    assert_that(lines == slips_n);
    for (int k = 0; k < slips_n; k++) {
        assert_says(s, slips[k].name);
        assert_says(s, slips[k].what);
        for (int i = 0; i < k; i++)
            assert_that(strcmp(slips[i].name, slips[k].name) != 0
                        && strcmp(slips[i].what, slips[k].what) != 0);
    }
}

/* S = 2 ; 0 for the one query, so the weights are e^(2 / sqrt(4)) : 1. */
#define ONE_QUERY "algorithm 4\nX = 1 ; 0 ; 0 ; 0\n" \
    "Z = 2 0 ; 0 0 ; 0 0 ; 0 0\n" \
    "Wq = 1 0 0 0 ; 0 1 0 0 ; 0 0 1 0 ; 0 0 0 1\n" \
    "Wk = 1 0 0 0 ; 0 1 0 0 ; 0 0 1 0 ; 0 0 0 1\nWv = 1 0 0 0\n"

static void the_first_entry_that_changes_is_shown(void **state)
{
    (void)state;
    Said s = SLIPS(write_text("s", ONE_QUERY));
    assert_says(s, "slip              changes first      right    with it\n"
                "no-scale          S_scaled[1,1]     1.0000     2.0000\n"
                "scale-d           S_scaled[1,1]     1.0000     0.5000\n");
    assert_says(s, "\nbase-2            A[1,1]            0.7311     0.6667\n");
    assert_says(s, "\nhard-max          A[1,1]            0.7311     1.0000\n");
}

static void what_does_nothing_is_not_seen(void **state)
{
    (void)state;
    Said s = SLIPS(write_text("s", ONE_QUERY));
    assert_says(s, "\nnot seen: ");
    const char *unseen = strstr(s.out, "not seen: ");
    assert_that(strstr(unseen, "no-b_q") != NULL);
    assert_that(strstr(unseen, "base-2") == NULL);
    assert_that(strstr(s.out, "\nno-b_q") == NULL);
}

/* With one key all the weight is on it, whatever is done to its score. */
static void only_what_is_claimed_can_tell_slips_apart(void **state)
{
    (void)state;
    static char sheet[] = "algorithm 4\nX = 1 ; 1\nZ = 2 ; 0\n"
        "Wq = 1 0 ; 0 1\nWk = 1 0 ; 0 1\nWv = 1 0 ; 0 1\n";
    Said all = SLIPS(write_text("s", sheet));
    assert_says(all, "\nscale-d           S_scaled[1,1]");
    assert_that(strstr(strstr(all.out, "not seen"), "scale-d,") == NULL);
    char *claims = arena_alloc(arena, sizeof sheet + 20);
    sprintf(claims, "%sclaim A = 1\n", sheet);
    Said one = SLIPS(write_text("s", claims));
    assert_that(strstr(strstr(one.out, "not seen"), "scale-d,") != NULL);
}

static void slips_with_the_same_numbers_are_not_told_apart(void **state)
{
    (void)state;
    Said s = SLIPS(write_text("s", "algorithm 4\nX = 1 0 ; 0 2\n"
                              "Wq = 1 0 ; 0 1\nWk = 1 3 ; 0 1\n"
                              "Wv = 1 0 ; 0 1\nclaim Vt = ? ? ; ? ?\n"
                              "decimals 0\n"));
    assert_says(s, "\nnot told apart: ");
}

static void a_slip_that_cannot_be_made_is_left_out(void **state)
{
    (void)state;
    Said s = SLIPS(write_text("s", ONE_QUERY));     /* A is 2 x 1 */
    assert_that(strstr(s.out, "A-transposed") == NULL);
    assert_that(strstr(s.out, "mask-inverted") == NULL);
}

static void several_sheets_have_their_names(void **state)
{
    (void)state;
    char *a = write_text("s", ONE_QUERY), text[900];
    Said s = SLIPS(a, "tests/worked/alg06.sheet");
    snprintf(text, sizeof text, "%s:\nslip ", a);
    assert_that(strncmp(s.out, text, strlen(text)) == 0);
    assert_says(s, "\n\ntests/worked/alg06.sheet:\nslip ");
    assert_says(s, "n-1 ");
}

static void what_is_no_sheet_is_refused(void **state)
{
    (void)state;
    assert_refusal(SLIPS("no-such"),
                   "no-such: cannot be opened: No such file or directory.");
    assert_refusal(SLIPS("--all"),
        "ftx slips: there is no option --all; see 'ftx slips --help'.");
    Said s = SLIPS("--help");
    assert_says(s, "Usage: ftx slips [SHEET...]\n");
}

static void a_claim_of_no_step_is_refused(void **state)
{
    (void)state;
    char *name = write_text("s", "algorithm 7\ne = 1\nWu = 1\nclaim m = 1\n");
    Said s = SLIPS(name);
    assert_that(s.status == 2 && strstr(s.err, ":4:") != NULL);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(every_slip_is_listed_with_its_sentence),
        TEST(the_first_entry_that_changes_is_shown),
        TEST(what_does_nothing_is_not_seen),
        TEST(only_what_is_claimed_can_tell_slips_apart),
        TEST(slips_with_the_same_numbers_are_not_told_apart),
        TEST(a_slip_that_cannot_be_made_is_left_out),
        TEST(several_sheets_have_their_names),
        TEST(what_is_no_sheet_is_refused),
        TEST(a_claim_of_no_step_is_refused),
    };
    return RUN(laws);
}
