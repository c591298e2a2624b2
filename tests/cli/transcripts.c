/* What people see: the commands in tests/data/transcripts, each with what it
   prints, to the letter.

       $ ftx check tests/data/hand/no-scale.sheet
       what it prints
       ! what it prints as errors
       ? its exit status, unless 0

   FTX_WRITE=yes build/double/tests/cli/transcripts writes the files anew: read
   the difference, it is what a user will see. Nothing with all its digits
   stands here: the last ones are a compiler's. */
#include "program.h"

/* Prints the text, each line behind the mark. */
static void print_marked(FILE *to, const char *mark, const char *text)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        fprintf(to, "%s%.*s\n", mark, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* The next line that begins with "$ ", or the end. */
static const char *next_command(const char *text)
{
    while (*text != '\0' && strncmp(text, "$ ", 2) != 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static void judge_transcript(const char *name, int least)
{
    if (!IS_DOUBLE)
        return;
    size_t bytes;
    int count = 0;
    const char *text = bytes_of(name, &bytes);
    assert_that(text != NULL);
    FILE *now = tmpfile();
    link_program();
    for (const char *p = next_command(text); *p != '\0'; count++) {
        char line[1000];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        const Said s = shell(line + 2);
        fprintf(now, "%s\n", line);
        print_marked(now, "", s.out);
        print_marked(now, "! ", s.err);
        if (s.status != 0)
            fprintf(now, "? %d\n", s.status);
        p = next_command(p + 1);
    }
    assert_that(count >= least);
    assert_is_recorded(name, all_of(now));
}

#define TRANSCRIPT(law, name, least) \
    static void law(void **state) \
    { \
        judge_transcript("tests/data/transcripts/" name ".txt", least); \
    }

TRANSCRIPT(verdicts_read_as_they_should, "check", 13)
TRANSCRIPT(steps_read_as_they_should, "show", 7)
TRANSCRIPT(exercises_and_errata_read_as_they_should, "course", 3)
TRANSCRIPT(models_read_as_they_should, "model", 14)
TRANSCRIPT(help_reads_as_it_should, "help", 4)

int main(int argc, char *argv[])
{
    RUN_AS_FTX(argc, argv);
    const struct CMUnitTest laws[] = {
        TEST_FILES(verdicts_read_as_they_should),
        TEST_FILES(steps_read_as_they_should),
        TEST_FILES(exercises_and_errata_read_as_they_should),
        TEST_FILES(models_read_as_they_should),
        TEST_FILES(help_reads_as_it_should),
    };
    return RUN(laws);
}
