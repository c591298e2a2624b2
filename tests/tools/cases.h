/* Cases in a data file, each with its reason, input and expectation:

       --- what it shows
       algorithm 1
       ...
       # expect: words | that stand there | in this order
       # not: words that stand nowhere

   Blanks and ends of lines count as one blank in what is compared. Several
   lines of either kind may follow each other. FTX_CASE='its title' in the
   environment judges one case alone. */
#ifndef CASES_H
#define CASES_H
#include "command.h"

typedef struct {
    const char *title, *input, *expectations;
} Case;

static inline const char *copy_text(const char *from, size_t n)
{
    char *to = arena_alloc(arena, n + 1);
    memcpy(to, from, n);
    to[n] = '\0';
    return to;
}

/* Reads one case. Returns the text behind it; NULL at the end of the file. */
static inline const char *next_case(const char *text, Case *c)
{
    const char *begin = strstr(text, "\n--- ");
    if (begin == NULL)
        return NULL;
    begin += 5;
    const char *input = strchr(begin, '\n') + 1;
    const char *end = strstr(input, "# expect: ");
    const char *next = strstr(begin, "\n--- ");
    if (end == NULL || (next != NULL && next < end))
        fail_at(HERE("next_case"), "%.60s: nothing is expected", begin);
    c->title = copy_text(begin, strcspn(begin, "\n"));
    c->input = copy_text(input, (size_t)(end - input));
    c->expectations = next == NULL ? end
                                   : copy_text(end, (size_t)(next - end));
    return next == NULL ? end + strlen(end) : next;
}

/* Returns the text with one blank in the place of several, and of ends of
   lines. */
static inline const char *squeeze(const char *text)
{
    char *to = arena_alloc(arena, strlen(text) + 1), *end = to;
    for (; *text != '\0'; text++) {
        const bool blank = *text == ' ' || *text == '\n';
        if (!blank)
            *end++ = *text;
        else if (end > to && end[-1] != ' ')
            *end++ = ' ';
    }
    *end = '\0';
    return to;
}

/* Fails unless the text is as each line of the expectations says. */
static inline void expect_text(const Case *c, const char *text)
{
    static const char expect[] = "# expect: ", no[] = "# not: ";
    const char *said = squeeze(text);
    for (const char *p = c->expectations; *p != '\0'; ) {
        const size_t n = strcspn(p, "\n");
        const char *line = squeeze(copy_text(p, n));
        if ((strncmp(line, expect, strlen(expect)) == 0
             && !has_words(said, line + strlen(expect)))
            || (strncmp(line, no, strlen(no)) == 0
                && strstr(said, line + strlen(no)) != NULL))
            fail_at(HERE("case"), "%s:\n%s\nis not so in\n%s", c->title, line,
                    text);
        p += n + (p[n] == '\n');
    }
}

/* Judges the cases of a file, of which there are at least so many. */
static inline void judge_cases(const char *name, int least,
                               void judge(const Case *c))
{
    const char *only = getenv("FTX_CASE");
    int cases = 0;
    size_t bytes;
    Case c;
    for (const char *p = bytes_of(name, &bytes);
         (p = next_case(p, &c)) != NULL; cases++)
        if (only == NULL || strcmp(only, c.title) == 0)
            judge(&c);
    assert_that(cases >= least);
}

/* Expects the words on standard error, status 2, and no output. */
static inline void expect_refusal(const Case *c, Said s)
{
    if (s.status != 2 || *s.out != '\0')
        fail_at(HERE("refusal"), "%s: exit status %d, output\n%serrors\n%s\n"
                "but expected 2 and no output", c->title, s.status, s.out,
                s.err);
    expect_text(c, s.err);
}

/* Expects the words in the output, and a status of 0 or 1. */
static inline void expect_answer(const Case *c, Said s)
{
    if (s.status < 0 || s.status > 1 || *s.err != '\0')
        fail_at(HERE("answer"), "%s: exit status %d, errors\n%s", c->title,
                s.status, s.err);
    expect_text(c, s.out);
}
#endif
