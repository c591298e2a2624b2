/* The commands that stand in tests/transcripts/, each with what it prints,
   to the letter:

       $ ftx check tests/hand/no-scale.sheet > FILES/judged
       what it prints
       ! what it prints as errors
       ? its exit status, unless 0

   $ cat FILE prints a file. FILES is a directory that is gone when the law
   has ended, < and > are a shell's. Nothing with all its digits stands here:
   the last ones are a compiler's. FTX_WRITE=yes build/double/test_transcripts
   writes them anew: read the difference, it is what a user will see. */
int ftx(int argc, char *argv[]);
#define main ftx
#include "main.c"
#undef main
#include "command.h"

enum { MOST_WORDS = 40, LONGEST = 1000 };

typedef struct {
    int n;
    char *word[MOST_WORDS + 1];
    const char *in, *out;       /* files; NULL: none */
} Line;

static char *placed(char *word)
{
    return strncmp(word, "FILES/", 6) == 0 ? path(word + 6) : word;
}

/* Words are parted by blanks; '...' is one. */
static Line line_of(char *text)
{
    Line l = { .n = 0 };
    while (*(text += strspn(text, " ")) != '\0') {
        bool quoted = *text == '\'';
        char *word = text + quoted;
        text = word + strcspn(word, quoted ? "'" : " ");
        assert_that(l.n < MOST_WORDS && (!quoted || *text == '\''));
        if (*text != '\0')
            *text++ = '\0';
        l.word[l.n++] = placed(word);
    }
    l.word[l.n] = NULL;
    for (; l.n > 2 && strchr("<>", *l.word[l.n - 2]) != NULL; l.n -= 2) {
        *(*l.word[l.n - 2] == '<' ? &l.in : &l.out) = l.word[l.n - 1];
        l.word[l.n - 2] = NULL;
    }
    return l;
}

/* In another process, as a shell would; cat FILE, too. */
static Said program(Line l)
{
    if (strcmp(l.word[0], "cat") == 0)
        return (Said){ 0, bytes_of(l.word[1], &(size_t){ 0 }), "", 0 };
    const char *out = l.out != NULL ? l.out : path("out"), *err = path("err");
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (freopen(l.in != NULL ? l.in : "/dev/null", "r", stdin) == NULL
            || freopen(out, "w", stdout) == NULL
            || freopen(err, "w", stderr) == NULL)
            _exit(99);
        exit(ftx(l.n, l.word));
    }
    waitpid(pid, &status, 0);
    return (Said){ WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                   l.out != NULL ? "" : bytes_of(out, &(size_t){ 0 }),
                   bytes_of(err, &(size_t){ 0 }), 0 };
}

/* The directory of this process is called FILES. */
static const char *named(const char *text)
{
    FILE *to = tmpfile();
    assert_that(to != NULL);
    for (const char *at; (at = strstr(text, directory())) != NULL; ) {
        fprintf(to, "%.*sFILES", (int)(at - text), text);
        text = at + strlen(directory());
    }
    fputs(text, to);
    return all_of(to);
}

static void print_said(FILE *to, Said s)
{
    assert_that(s.out != NULL);
    fputs(named(s.out), to);
    if (*s.out != '\0' && s.out[strlen(s.out) - 1] != '\n')
        fputs("\n(no end of line)\n", to);
    for (const char *at = named(s.err); *at != '\0'; ) {
        int n = (int)strcspn(at, "\n");
        /* A sanitizer's or valgrind's remark is not the program's. */
        if (strncmp(at, "==", 2) != 0)
            fprintf(to, "! %.*s\n", n, at);
        at += n + (at[n] == '\n');
    }
    if (s.status != 0)
        fprintf(to, "? %d\n", s.status);
}

static bool is_typed(const char *line)
{
    return strncmp(line, "$ ftx ", 6) == 0 || strncmp(line, "$ cat ", 6) == 0;
}

/* All of it, as the program says it now. */
static const char *transcript_of(const char *text)
{
    FILE *now = tmpfile();
    assert_that(now != NULL);
    for (bool title = true; *text != '\0'; title = false) {
        char line[LONGEST];
        size_t n = strcspn(text, "\n");
        if (title || is_typed(text))
            fprintf(now, "%.*s\n", (int)n, text);
        if (is_typed(text)) {
            assert_that(n < LONGEST);
            snprintf(line, n - 1, "%s", text + 2);
            print_said(now, program(line_of(line)));
        }
        text += n + (text[n] != '\0');
    }
    return all_of(now);
}

/* Single precision has other last digits: what is left is how each command
   ends. */
static const char *statuses(const char *text)
{
    FILE *to = tmpfile();
    assert_that(to != NULL);
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        if (is_typed(text) || (n == 3 && strncmp(text, "? ", 2) == 0))
            fprintf(to, "%.*s\n", (int)n, text);
        text += n + (text[n] != '\0');
    }
    return all_of(to);
}

/* Where two texts part: the command, and a line of each. */
static void first_difference(const char *name, const char *told,
                             const char *now)
{
    const char *command = told;
    int line = 1;
    for (; *told != '\0' || *now != '\0'; line++) {
        size_t n = strcspn(told, "\n"), m = strcspn(now, "\n");
        if (is_typed(told))
            command = told;
        if (n != m || strncmp(told, now, n) != 0)
            fail_msg("%s:%d\n%.*s\nis to print\n%.*s\nbut prints\n%.*s", name,
                     line, (int)strcspn(command, "\n"), command, (int)n, told,
                     (int)m, now);
        told += n + (told[n] != '\0');
        now += m + (now[m] != '\0');
    }
}

static void transcript(const char *name)
{
    char file[100];
    size_t n;
    snprintf(file, sizeof file, "tests/transcripts/%s.txt", name);
    const char *told = bytes_of(file, &n), *now;
    assert_that(told != NULL && strncmp(told, "# ", 2) == 0);
    now = transcript_of(told);
    if (!IS_DOUBLE)
        first_difference(file, statuses(told), statuses(now));
    else if (getenv("FTX_WRITE") == NULL)
        first_difference(file, told, now);
    if (!IS_DOUBLE || getenv("FTX_WRITE") == NULL)
        return;
    FILE *to = fopen(file, "w");
    assert_that(to != NULL && fputs(now, to) >= 0 && fclose(to) == 0);
}

#define TRANSCRIPT(name) \
    static void name##_says_what_it_said(void **state) \
    { \
        (void)state; \
        transcript(#name); \
    }
TRANSCRIPT(show)
TRANSCRIPT(check)
TRANSCRIPT(slips)
TRANSCRIPT(course)
TRANSCRIPT(model)

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(show_says_what_it_said),
        TEST_FILES(check_says_what_it_said),
        TEST_FILES(slips_says_what_it_said),
        TEST_FILES(course_says_what_it_said),
        TEST_FILES(model_says_what_it_said),
    };
    return RUN(laws);
}
