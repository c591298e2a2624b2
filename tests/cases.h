/* Cases in a file, each under a title with a digest of what is said of it:

       --- the title | 0123abcd
       its text, up to the next title

   A number with more than ten digits counts as one with six: the last ones are
   a compiler's. - is a digest that is another's nevertheless.
   FTX_PART=3/40 judges one of forty parts of them;
   FTX_CASE='the title' and the test's program print what is said;
   FTX_WRITE=yes writes the digests anew: only after FTX_CASE, with the program
   of before and that of now, has shown that the difference is meant.
   FTX_WRITE=- writes - where something else is said. */
#ifndef CASES_H
#define CASES_H
#include "command.h"
#include "digest.h"

typedef struct {
    char title[80], was[10];
    const char *text;
    size_t bytes;
} Case;

/* The next case from p on, and what stands behind it; NULL at the end. */
static inline const char *next_case(const char *p, Case *c)
{
    char line[200];
    const size_t n = strcspn(p, "\n");
    if (*p == '\0')
        return NULL;
    assert_that(strncmp(p, "--- ", 4) == 0 && n < sizeof line);
    snprintf(line, sizeof line, "%.*s", (int)n, p);
    *c->was = '\0';
    assert_that(sscanf(line, "--- %79[^|]| %9s", c->title, c->was) >= 1);
    for (size_t k = strlen(c->title); c->title[k - 1] == ' '; k--)
        c->title[k - 1] = '\0';
    c->text = p += n + 1;
    while (*p != '\0' && strncmp(p, "--- ", 4) != 0)
        p += strcspn(p, "\n") + 1;
    c->bytes = (size_t)(p - c->text);
    return p;
}

static inline uint64_t digest_without_last_digits(const char *text)
{
    uint64_t sum = DIGEST;
    for (char part[40]; *text != '\0'; ) {
        const size_t n = strspn(text, "0123456789.");
        char *end = (char *)(uintptr_t)text + 1;
        const double x = n > 10 ? strtod(text, &end) : 0;
        if (n > 10)
            snprintf(part, sizeof part, "%.6g", x < 1e-9 ? 0 : x * (1 + 1e-9));
        else
            snprintf(part, sizeof part, "%c", *text);
        sum = digest(sum, part);
        text = end;
    }
    return sum;
}

/* A seventh of the cases is judged, all of them against planted bugs, in make
   soak, with FTX_VARIANTS=all, or where they are written. */
static inline bool is_judged(const Case *c)
{
    const uint64_t sum = digest(DIGEST, c->title);
    return is_in_part(sum)
        && (getenv("FTX_VARIANTS") != NULL || getenv("FTX_WRITE") != NULL
            || short_digest(sum) % 100 < (unsigned)amount(150));
}

/* said prints what is said of a case. */
static inline void judge_cases(const char *recorded, int least,
                               void (*said)(FILE *to, const Case *c))
{
    const char *writes = getenv("FTX_WRITE"), *told = getenv("FTX_CASE");
    size_t bytes;
    const char *all = bytes_of(recorded, &bytes);
    FILE *now = tmpfile();
    int cases = 0;
    Case c;
    assert_that(all != NULL && now != NULL);
    for (const char *p = all; (p = next_case(p, &c)) != NULL; cases++) {
        char is[10];
        assert_that(*c.was != '\0' || writes != NULL || told != NULL);
        strcpy(is, c.was);
        if (told != NULL ? strcmp(told, c.title) == 0
                         : strcmp(c.was, "-") != 0 && is_judged(&c)) {
            FILE *to = tmpfile();
            assert_that(to != NULL);
            said(to, &c);
            const char *text = all_of(to);
            snprintf(is, sizeof is, "%08x",
                     short_digest(digest_without_last_digits(text)));
            if (told != NULL)
                fputs(text, stdout);
        }
        const bool differs = told == NULL && strcmp(is, c.was) != 0;
        if (differs && writes == NULL)
            fail_at(HERE("cases"), "FTX_CASE='%s': something else is said of "
                    "it than %s", c.title, recorded);
        fprintf(now, "--- %s | %s\n%.*s", c.title,
                differs && *writes == '-' ? "-" : is, (int)c.bytes, c.text);
    }
    assert_that(cases >= least);
    if (writes != NULL && told == NULL)
        assert_is_recorded(recorded, all_of(now));
}
#endif
