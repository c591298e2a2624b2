/* What ftx check and ftx show say of a sheet, in all their ways, stays as it
   is. tests/cases.txt has sheets, each under a title with a digest of what is
   said of it; a title that is a file's name stands for that file. - is a
   digest that another compiler or processor rounds otherwise.
   FTX_CASE='the title' build/double/test_cases prints what is said;
   FTX_WRITE=yes writes the digests anew: only after FTX_CASE, with the program
   of before and that of now, has shown that the difference is meant. */
#include "check/check.h"
#include "command.h"
#include "digest.h"
#include "show/show.h"

static const char recorded[] = "tests/cases.txt", mark[] = "--- ";

typedef struct {
    char title[80], was[10];
    const char *text;
    size_t bytes;
} Case;

/* The next case from p on; behind it, or NULL at the end. */
static const char *next_case(const char *p, Case *c)
{
    char line[200];
    size_t n = strcspn(p, "\n");
    if (*p == '\0')
        return NULL;
    assert_that(strncmp(p, mark, 4) == 0 && n < sizeof line);
    snprintf(line, sizeof line, "%.*s", (int)n, p);
    *c->was = '\0';
    assert_that(sscanf(line, "--- %79[^|]| %9s", c->title, c->was) >= 1);
    for (size_t k = strlen(c->title); k > 0 && c->title[k - 1] == ' '; k--)
        c->title[k - 1] = '\0';
    c->text = p += n + 1;
    while (*p != '\0' && strncmp(p, mark, 4) != 0)
        p += strcspn(p, "\n") + 1;
    c->bytes = (size_t)(p - c->text);
    return p;
}

static uint64_t said_in_all_ways(const Case *c, bool tells)
{
    static const struct { Entrance *command; char *way; } ways[] = {
        { check, NULL }, { check, "--json" }, { show, "--all" },
        { show, "--read" }, { show, "--flow" }, { show, "--svg" },
        { check, "--tex" }, { show, "--md" }, { show, "--tex" },
        { show, "--shade" },
    };
    const bool is_file = strncmp(c->title, "tests/", 6) == 0;
    char *name = arena_alloc(arena, 200);
    uint64_t sum = DIGEST;
    snprintf(name, 200, "%s", is_file ? c->title : "-");
    write_bytes("case", c->text, c->bytes);
    for (int k = 0; k < (digest(0, c->title) % 3 == 0 ? 10 : 6); k++) {
        assert_that(freopen(path("case"), "r", stdin) != NULL);
        Said s = ways[k].way == NULL ? SAID(ways[k].command, name)
               : SAID(ways[k].command, ways[k].way, name);
        if (tells)
            printf("=> %s: %d\n%s%s", ways[k].way, s.status, s.out, s.err);
        sum = digest(digest(sum + (uint64_t)s.status, s.out), s.err);
    }
    return sum;
}

static void what_is_said_of_a_sheet_stays(void **state)
{
    (void)state;
    size_t bytes;
    const char *writes = getenv("FTX_WRITE"), *told = getenv("FTX_CASE");
    const char *all = bytes_of(recorded, &bytes);
    FILE *now = tmpfile();
    Case c;
    int cases = 0;
    assert_that(all != NULL && now != NULL);
    for (const char *p = all; IS_DOUBLE && (p = next_case(p, &c)) != NULL; ) {
        const bool tells = told != NULL && strcmp(told, c.title) == 0;
        char is[10] = "-";
        if (told != NULL ? tells : strcmp(c.was, "-") != 0)
            snprintf(is, sizeof is, "%08x",
                     short_digest(said_in_all_ways(&c, tells)));
        const bool differs = told == NULL && strcmp(is, c.was) != 0;
        if (differs && writes == NULL)
            fail_at(HERE("cases"), "FTX_CASE='%s': something else is said of "
                    "it than %s", c.title, recorded);
        fprintf(now, "%s%s | %s\n%.*s", mark, c.title,
                differs && *writes == '-' ? "-" : is, (int)c.bytes, c.text);
        cases++;
    }
    assert_that(cases > 200 || !IS_DOUBLE);
    if (writes != NULL && told == NULL && IS_DOUBLE)
        assert_is_recorded(recorded, all_of(now));
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(what_is_said_of_a_sheet_stays),
    };
    return RUN(laws);
}
