/* Where examples start: a sheet for each of the starting points, as people
   type them, and what is refused there. */
#include "check/check.h"
#include "cases.h"
#include "show/show.h"
#include "sheets.h"
#include "law.h"
#include <glob.h>

/* ------------------------------------------------- what the sheets expect */

/* What the lines "# expect: ..." of a sheet say stands in the report; the exit
   status is that of a report that begins so. */
static void judged_as_expected(char *path)
{
    size_t bytes;
    const char *text = bytes_of(path, &bytes);
    Said s = SAID(check, path);
    expect_text(&(Case){ path, NULL, text }, s.out);
    assert_int_equal(s.status, strstr(text, "# expect: all right") == NULL);
}

static void each_sheet_of(const char *folder, int least, void one(char *path))
{
    glob_t all;
    char pattern[100];
    snprintf(pattern, sizeof pattern, "tests/data/%s/*.sheet", folder);
    assert_that(glob(pattern, 0, NULL, &all) == 0);
    assert_that((int)all.gl_pathc >= least);
    for (size_t k = 0; k < all.gl_pathc; k++)
        one(all.gl_pathv[k]);
    globfree(&all);
}

LAW(every_erratum_is_judged)
{
    each_sheet_of("errata", 11, judged_as_expected);
}

LAW(every_start_is_judged)
{
    each_sheet_of("starts", 55, judged_as_expected);
}

static void shown_in_all_ways(char *path)
{
    char *const ways[] = { "--all", "--svg", "--md", "--json" };
    for (int k = 0; k < 4; k++)
        assert_int_equal(SAID(show, ways[k], path).status, 0);
    assert_that(SAID(check, "--json", path).status <= 1);
    assert_int_equal(SAID(list_slips, path).status, 0);
}

LAW(every_start_is_shown_in_all_ways)
{
    each_sheet_of("starts", 55, shown_in_all_ways);
}

/* --------------------------------------------------------- what is said */

#define assert_shown(text, part) shown_at(HERE(#part), text, part)
static void shown_at(Where where, const char *text, const char *part)
{
    Said s = SAID(show, write_text("start", text));
    if (s.status != 0 || strstr(s.out, part) == NULL)
        fail_at(where, "status %d: %s%s", s.status, s.out, s.err);
}

#define QKV "layout textbook\nQ = 1 0 ; 0 1\nK = 1 1 ; 0 1\n"

LAW(the_first_line_says_from_where)
{
    assert_shown("algorithm 4\n" QKV, "from Q, K to A, layout");
    assert_shown("algorithm 7\nlayout paper\nlogits = 1 2\n",
                 "Algorithm 7 from logits to p, layout paper");
    assert_shown("algorithm 14\nlogits = 1 2\nu 0.5\ntop_k 1\n",
                 "y = the first y with u < kept[1] + ... + kept[y]");
    assert_shown("layout textbook\nlogits = 1 2\ntau 2\ntarget 1\n",
                 "loss = -Σ_t log q[t, target[t]]");
    assert_shown("layout paper\nlogits = 1 ; 2\ntau 2\ntarget 1\n",
                 "loss = -Σ_t log q[target[t], t]");
    assert_shown("algorithm 4\nlayout paper\nX = 1 0 ; 0 1\n",
                 "so assumed: W_q = I, b_q = 0, Z = X, W_k = I,");
}

/* What is said of the others is in data/transcripts/check.txt. */
LAW(a_layout_that_alone_fits_is_said_to)
{
    assert_shown("algorithm 4\nX = 1 2 3 ; 4 5 6\nWq = 1 0 ; 0 1 ; 1 1\n"
                 "Wk = 1 0 ; 0 1 ; 1 1\nWv = 1 ; 0 ; 2\n", "layout textbook: "
                 "rows are tokens, x W (the only layout that fits)");
}

/* A student's own listing may name a line that no algorithm has. */
LAW(a_line_of_no_algorithm_is_no_place_in_a_model)
{
    static const char *const lines[] = { "99.1", "-7.2", "16.3", "0.1", "x" };
    for (int k = 0; k < 5; k++) {
        Place at = { .part = ENC, .layer = 2, .head = 3 };
        assert_that(step_seen(&at, lines[k], "X", 0).role == NO_ROLE);
        assert_that(at.part == ENC && at.layer == 2 && at.head == 3);
    }
}
