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

static void judge_transcript(const char *of, int least)
{
    if (!IS_DOUBLE)
        return;
    size_t bytes;
    char name[60];
    snprintf(name, sizeof name, "tests/data/transcripts/%s.txt", of);
    int count = 0;
    const char *text = bytes_of(name, &bytes);
    assert_that(text != NULL);
    FILE *now = tmpfile();
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

LAW(verdicts_read_as_they_should)           { judge_transcript("check", 13); }
LAW(steps_read_as_they_should)              { judge_transcript("show", 7); }
LAW(exercises_read_as_they_should) { judge_transcript("course", 1); }
LAW(models_read_as_they_should)             { judge_transcript("model", 14); }
LAW(help_reads_as_it_should)                { judge_transcript("help", 4); }
