/* Where examples start: a sheet for each of the starting points, as people
   type them, and what is refused there. */
#include "check/check.h"
#include "command.h"
#include "show/show.h"
#include "sheets.h"
#include "law.h"
#include <dirent.h>

/* ------------------------------------------------- what the sheets expect */

/* Each line "# expect: ..." stands in the report; the exit status is that of
   a report that begins so. */
static void judged_as_expected(const char *path)
{
    static const char mark[] = "# expect: ";
    char line[1000];
    FILE *file = fopen(path, "rb");
    assert_that(file != NULL);
    Said s = SAID(check, (char *)(uintptr_t)path);
    bool right = false;
    while (fgets(line, sizeof line, file) != NULL
           && strncmp(line, mark, strlen(mark)) == 0) {
        line[strcspn(line, "\n")] = '\0';
        right |= strcmp(line + strlen(mark), "all right") == 0;
        if (strstr(s.out, line + strlen(mark)) == NULL)
            fail_at(HERE(path), "the report has no \"%s\":\n%s%s",
                    line + strlen(mark), s.out, s.err);
    }
    fclose(file);
    assert_int_equal(s.status, right ? 0 : 1);
}

static int each_of(const char *folder, void (*one)(const char *path))
{
    DIR *directory = opendir(folder);
    int sheets = 0;
    assert_that(directory != NULL);
    for (struct dirent *d; (d = readdir(directory)) != NULL; ) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        if (strstr(d->d_name, ".sheet") == NULL)
            continue;
        one(path);
        sheets++;
    }
    closedir(directory);
    return sheets;
}

static int each_start(void (*one)(const char *path))
{
    return each_of("tests/data/starts", one);
}

LAW(every_erratum_is_judged)
{
    assert_that(each_of("tests/data/errata", judged_as_expected) >= 11);
}

LAW(every_start_is_judged)
{
    assert_that(each_start(judged_as_expected) >= 55);
}

static void shown_in_all_ways(const char *path)
{
    static const char *const ways[] = { "--all", "--svg", "--md", "--json" };
    for (int k = 0; k < 4; k++)
        assert_int_equal(SAID(show, (char *)(uintptr_t)ways[k],
                              (char *)(uintptr_t)path).status, 0);
    assert_that(SAID(check, "--json", (char *)(uintptr_t)path).status <= 1);
    assert_int_equal(SAID(list_slips, (char *)(uintptr_t)path).status, 0);
}

LAW(every_start_is_shown_in_all_ways)
{
    assert_that(each_start(shown_in_all_ways) >= 55);
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
    assert_shown("algorithm 4\n" QKV "V = 2 0 ; 0 2\n",
                 "Algorithm 4 from Q, K, V to V_tilde, layout textbook");
    assert_shown("algorithm 4\n" QKV, "from Q, K to A, layout");
    assert_shown("algorithm 7\nlayout paper\nlogits = 1 2\n",
                 "Algorithm 7 from logits to p, layout paper");
    assert_shown("algorithm 4\nlayout paper\nX = 1 0 ; 0 1\n",
                 "so assumed: W_q = I, b_q = 0, Z = X, W_k = I,");
}

LAW(a_layout_is_guessed_and_said)
{
    const char *W = "Wq = 1 0 ; 0 1 ; 1 1\nWk = 1 0 ; 0 1 ; 1 1\n"
                    "Wv = 1 ; 0 ; 2\n";
    char text[500];
    snprintf(text, sizeof text, "algorithm 4\nX = 1 2 3 ; 4 5 6\n%s", W);
    assert_shown(text, "layout textbook: rows are tokens, x W (the only "
                       "layout that fits)");
    assert_shown("algorithm 4\nX = 1 2 ; 3 4\nWq = 1 1 ; 0 1\nWk = 1 0 ; 0 1"
                 "\nWv = 1 0 ; 0 1\nclaim Q = 1 3 ; 3 7\n",
                 "layout textbook: rows are tokens, x W (chosen because most "
                 "claims are right in it)");
    assert_shown("algorithm 4\nX = 1 2 ; 3 4\n", "layout paper: columns are "
                 "tokens, W x (the first that fits; a line such as "
                 "'layout textbook' names another)");
}

/* --------------------------------------------------------- what is refused */

#define REFUSED_START(text, part) refused_at(HERE(#part), text, part)
static void refused_at(Where where, const char *text, const char *part)
{
    Said s = SAID(show, write_text("start", text));
    if (s.status != 2 || *s.out != '\0' || strstr(s.err, part) == NULL)
        fail_at(where, "status %d: %s%s", s.status, s.out, s.err);
}

LAW(what_is_given_twice_is_refused)
{
    REFUSED_START("algorithm 4\n" QKV "V = 2 0 ; 0 2\nWq = 1 0 ; 0 1\n",
                  ":6:1: Wq is not used, since a later step is "
                  "given");
    REFUSED_START("algorithm 4\n" QKV "S = 1 0 ; 0 1\nV = 1 ; 1\nd_attn 2\n",
                  ":3:1: Q is not used, since");
    REFUSED_START("algorithm 2\npositions vaswani\nd_e 2\npos 1\nt 2\n",
                  ":4:1: t is pos + 1; leave out one of them.");
}

LAW(too_little_is_refused_with_what_would_do)
{
    REFUSED_START("algorithm 4\nlayout paper\nS = 1 0 ; 0 1\nV = 1 1\n",
                  ":3:1: S alone is not enough: d_attn is missing, or 'scale "
                  "no', or a number such as 'scale 8'; Algorithm 4 starts "
                  "from X, W_q, W_k, W_v; or Q, K, V; or S, d_attn, V; or "
                  "S_scaled, V; or V, A.");
    REFUSED_START("algorithm 4\nlayout paper\nV = 1 1\n",
                  ":3:1: V alone is not enough; Algorithm 4 starts from");
    REFUSED_START("algorithm 3\nWq = 1\n", "Algorithm 3 needs e, and the "
                  "sheet has none; it starts from e, e_t, W_q, W_k, W_v; or "
                  "q, k_t, v_t; or scores, d_attn, v_t; or v_t, alpha_t.");
}

LAW(what_is_meant_otherwise_is_refused)
{
    REFUSED_START("algorithm 4\nlayout paper\nX = 1 2\nscale 0\n",
                  ":4:1: scale is no, yes, or a number above 0");
    REFUSED_START("algorithm 4\n" QKV "d_attn 3\n", ":5:1: d_attn is 3, but "
                  "by Q it is 2.");
    REFUSED_START("algorithm 4\n" QKV "mask = 0 -inf ; 2 0\n", ":5:17: an "
                  "entry of the mask is 1, may look, or 0, may not; in a "
                  "mask that is added, 0 or -inf.");
    REFUSED_START("algorithm 4\nQuery = 1\n", "unknown name; "
                  "Algorithm 4 takes algorithm, layout");
    REFUSED_START("algorithm 4\n" QKV "claim softmax = 1 0 ; 0 1\n", "unknown "
                  "name; the steps are Q, K, V, S, "
                  "S_scaled, exp, sum, A, V_tilde.");
    REFUSED_START("algorithm 10\nlayout paper\nhidden = 1 2\ngrad.hidden = 1"
                  " 1\n", "does not take grad.hidden");
    REFUSED_START("algorithm 4\n" QKV "grad.V_tilde = 1 0 ; 0 1\n", ":1:1: there "
                  "is no way back from V_tilde: it is not computed.");
    REFUSED_START("algorithm 7\nlayout paper\nlogits = 1 2 3 ; 0 0 2\n"
                  "target = 3 1\n", ":4:1: each token needs one "
                  "target, in 1 ... 2 (PyTorch's target 0 is 1 here), with "
                  "a p above 0.");
    REFUSED_START("algorithm 7\nlayout textbook\nlogits = 1 2 3 ; 0 0 2\n"
                  "target = 1\n", ":4:1: each token needs one "
                  "target, in 1 ... 3 (PyTorch's target 0 is 1 here), with "
                  "a p above 0.");
    REFUSED_START("algorithm 7\nlayout textbook\nlogits = 1 2 3 ; 0 0 2\n"
                  "top_k = 2\n", ":4:1: top_k and top_p keep tokens for one "
                  "column of logits, and here are several.");
    REFUSED_START("algorithm 14\nlogits = 1 2 3\ntarget = 4\n", ":3:1: "
                  "each token needs one target, in 1 ... 3 (PyTorch's target 0 "
                  "is 1 here), with a p above 0.");
}
