/* What is refused, and by which words: the sheets and commands of
   tests/data/refusals. FTX_REFUSAL='its title' judges one alone. */
#include "program.h"

typedef struct {
    const char *title, *input, *expected;
} Case;

static char *copy(const char *from, size_t n)
{
    char *to = arena_alloc(arena, n + 1);
    memcpy(to, from, n);
    to[n] = '\0';
    return to;
}

/* Reads "--- title", the input, and "# expect: ...". Returns the text behind
   it; NULL at the end of the file. */
static const char *next_case(const char *text, Case *c)
{
    static const char expect[] = "\n# expect: ";
    const char *begin = strstr(text, "\n--- ");
    if (begin == NULL)
        return NULL;
    begin += 5;
    const char *input = strchr(begin, '\n');
    const char *end = strstr(input, expect);
    assert_that(end != NULL);
    c->title = copy(begin, (size_t)(input - begin));
    c->input = copy(input + (end > input), (size_t)(end - input));
    end += strlen(expect);
    c->expected = copy(end, strcspn(end, "\n"));
    return end;
}

/* Whether the words, parted by " | ", stand in the sentence in this order. */
static bool has_words(const char *sentence, const char *words)
{
    while (sentence != NULL && *words != '\0') {
        const char *end = strstr(words, " | ");
        const size_t n = end == NULL ? strlen(words) : (size_t)(end - words);
        const char *word = copy(words, n);
        sentence = strstr(sentence, word);
        sentence = sentence == NULL ? NULL : sentence + n;
        words += n + (end == NULL ? 0 : 3);
    }
    return sentence != NULL;
}

static void judge_cases(const char *name, int least, Said run(const char *))
{
    const char *only = getenv("FTX_REFUSAL");
    int cases = 0;
    Case c;
    link_program();
    shell("ftx train d --model d.ftx --L 1 --H 2 --d_e 8 --ell_max 24 "
          "--steps 2 LICENSE");
    for (const char *p = bytes_of(name, &(size_t){ 0 });
         (p = next_case(p, &c)) != NULL; cases++) {
        if (only != NULL && strcmp(only, c.title) != 0)
            continue;
        const Said s = run(c.input);
        if (s.status != 2 || *s.out != '\0' || !has_words(s.err, c.expected))
            fail_at(HERE("refusal"), "%s: exit status %d, output\n%serrors\n"
                    "%s\nbut expected 2, no output, and\n%s", c.title,
                    s.status, s.out, s.err, c.expected);
    }
    assert_that(cases >= least);
}

static Said check_sheet(const char *sheet)
{
    write_text("a.sheet", sheet);
    return shell("ftx check - < a.sheet");
}

/* Each line begins with "$ ". */
static Said run_commands(const char *lines)
{
    char *all = copy(lines, strlen(lines)), *to = all;
    for (const char *from = lines; *from != '\0'; from++) {
        const bool begins = from == lines || from[-1] == '\n';
        if (begins && strncmp(from, "$ ", 2) == 0)
            from += 2;
        *to++ = *from;
    }
    *to = '\0';
    return shell(all);
}

static void each_sheet_is_refused_by_the_expected_words(void **state)
{
    (void)state;
    judge_cases("tests/data/refusals/sheets.txt", 100, check_sheet);
}

static void each_command_is_refused_by_the_expected_words(void **state)
{
    (void)state;
    judge_cases("tests/data/refusals/commands.txt", 35, run_commands);
}

int main(int argc, char *argv[])
{
    RUN_AS_FTX(argc, argv);
    const struct CMUnitTest laws[] = {
        TEST_FILES(each_sheet_is_refused_by_the_expected_words),
        TEST_FILES(each_command_is_refused_by_the_expected_words),
    };
    return RUN(laws);
}
