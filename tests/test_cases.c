/* What ftx check and ftx show say of a sheet, in all their ways, stays as it
   is: of the sheets in tests/cases.txt, and of those in files that it names.
   Only in double precision, since the digits count. */
#include "cases.h"
#include "check/check.h"
#include "show/show.h"

static void said_in_all_ways(FILE *to, const Case *c)
{
    static const struct { Entrance *command; char *way; } ways[] = {
        { check, "" }, { check, "--json" }, { show, "--all" },
        { show, "--read" }, { show, "--flow" }, { show, "--svg" },
        { check, "--tex" }, { show, "--md" }, { show, "--tex" },
        { show, "--shade" }, { show, "--json" },
    };
    const bool is_file = strncmp(c->title, "tests/", 6) == 0;
    const int n = digest(0, c->title) % 3 == 0 ? 11 : 6;
    char *name = is_file ? (char *)(uintptr_t)c->title : "-";
    write_bytes("case", c->text, c->bytes);
    for (int k = 0; k < n; k++) {
        assert_that(freopen(path("case"), "r", stdin) != NULL);
        Said s = *ways[k].way == '\0' ? SAID(ways[k].command, name)
                                      : SAID(ways[k].command, ways[k].way,
                                             name);
        fprintf(to, "=> %s: %d\n%s%s", ways[k].way, s.status, s.out, s.err);
    }
}

static void what_is_said_of_a_sheet_stays(void **state)
{
    (void)state;
    if (IS_DOUBLE)
        judge_cases("tests/cases.txt", 1600, said_in_all_ways);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(what_is_said_of_a_sheet_stays),
    };
    return RUN(laws);
}
