/* The commands that stand in tests/transcripts/, each with what it prints,
   to the letter:

       $ ftx check tests/hand/no-scale.sheet > FILES/judged
       what it prints
       ! what it prints as errors
       ? its exit status, unless 0

   $ cat FILE prints a file. FILES is a directory that is gone when the law
   has ended, < and > are a shell's. Nothing with all its digits stands here:
   the last ones are a compiler's. FTX_WRITE=yes build/double/test_transcripts
   writes them anew: read the difference, it is what a user will see.

   After that each command is typed five times with a mistake, in a copy of
   what there is: a word is left out, doubled or another one.
   tests/transcripts/NAME.mistyped has a digest of what is said of each; - is
   one that takes long. FTX_MISTYPED='course 7' prints what is said of the
   seventh. */
int ftx(int argc, char *argv[]);
#define main ftx
#include "main.c"
#undef main
#include "command.h"
#include "digest.h"
#include <sys/resource.h>

enum { MOST_WORDS = 40, LONGEST = 1000 };

typedef struct {
    int n;
    char *word[MOST_WORDS + 1];
    const char *in, *out;       /* files; NULL: none */
} Line;

static char *placed(char *word, bool in_a_copy)
{
    return !in_a_copy && strncmp(word, "FILES/", 6) == 0 ? path(word + 6) : word;
}

/* Words are parted by blanks; '...' is one. */
static Line line_of(char *text, bool in_a_copy)
{
    Line l = { .n = 0 };
    while (*(text += strspn(text, " ")) != '\0') {
        bool quoted = *text == '\'';
        char *word = text + quoted;
        text = word + strcspn(word, quoted ? "'" : " ");
        assert_that(l.n < MOST_WORDS && (!quoted || *text == '\''));
        if (*text != '\0')
            *text++ = '\0';
        l.word[l.n++] = placed(word, in_a_copy);
    }
    l.word[l.n] = NULL;
    for (; l.n > 2 && strchr("<>", *l.word[l.n - 2]) != NULL; l.n -= 2) {
        *(*l.word[l.n - 2] == '<' ? &l.in : &l.out) = l.word[l.n - 1];
        l.word[l.n - 2] = NULL;
    }
    return l;
}

/* In another process, as a shell would; cat FILE, too. */
static Said program(Line l, const char *room)
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
        if (room != NULL
            && (setrlimit(RLIMIT_CPU, &(struct rlimit){ 2, 2 }) != 0
                || chdir(room) != 0))
            _exit(98);
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
            print_said(now, program(line_of(line, false), NULL));
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

static void write_over(const char *file, const char *text)
{
    FILE *to = fopen(file, "w");
    assert_that(to != NULL && fputs(text, to) >= 0 && fclose(to) == 0);
}

/* -------------------------------------------------- commands with mistakes */

enum { MISTAKES = 5, MOST_TYPED = 4000 };

static bool is_command(const char *line)
{
    return strncmp(line, "$ ftx ", 6) == 0;
}

/* The words of all commands of a transcript. */
typedef struct { int n; char *word[MOST_TYPED]; } Words;

static Words words_of(const char *text)
{
    Words all = { .n = 0 };
    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text != '\0') {
        size_t n = strcspn(text, "\n");
        if (!is_command(text))
            continue;
        char *copy = arena_alloc(arena, n + 1);
        snprintf(copy, n + 1, "%.*s", (int)n, text);
        Line l = line_of(copy + 6, true);
        for (int k = 0; k < l.n && all.n < MOST_TYPED; k++)
            all.word[all.n++] = l.word[k];
    }
    return all;
}

static void mistype(Line *l, const Words *words, Random *random)
{
    static const char *const numbers[] = { "0", "1", "2", "3", "5", "0.5",
                                           "-1", "x", "" };
    if (l->n < 2)
        return;
    const int way = below(random, 6), at = 1 + below(random, l->n - 1);
    char **word = &l->word[at], *other = words->word[below(random, words->n)];
    if (way == 0 || (way == 1 && l->n < MOST_WORDS))
        memmove(way == 0 ? word : word + 1, way == 0 ? word + 1 : word,
                (size_t)(l->n + 1 - at - (way == 0)) * sizeof *word);
    l->n += way == 0 ? -1 : way == 1;
    if (way == 1 || way == 2)
        *word = other;
    else if (way == 3)
        *word = l->word[1 + below(random, l->n - 1)];
    else if (way == 4)
        *word = (char *)numbers[below(random, (int)(sizeof numbers
                                                    / sizeof *numbers))];
    else if (way == 5 && strlen(*word) > 1)
        *word += 1;
}

/* What is said of a command with mistakes; "-" if it takes too long. */
static void digest_of(char to[10], const char *line, size_t n,
                      const Words *words, Random random, bool tells)
{
    uint64_t sum = DIGEST;
    char room[300];
    snprintf(room, sizeof room, "%s/room", directory());
    for (int k = 0; k < MISTAKES; k++) {
        char copy[LONGEST];
        snprintf(copy, sizeof copy, "%.*s", (int)n, line);
        Line l = line_of(copy, true);
        l.in = l.out = NULL;
        mistype(&l, words, &random);
        const double start = seconds();
        Said s = program(l, room);
        const bool late = seconds() - start > 0.1;
        for (int w = 0; tells && w < l.n; w++)
            printf("%s%c", l.word[w], w + 1 < l.n ? ' ' : '\n');
        FILE *all = tmpfile();
        assert_that(all != NULL);
        print_said(all, s);
        const char *said = all_of(all);
        if (tells)
            fputs(said, stdout);
        if (late && getenv("FTX_WRITE") != NULL) {
            strcpy(to, "-");
            return;
        }
        sum = digest(sum, said);
    }
    snprintf(to, 10, "%08x", short_digest(sum));
}

static void copy_all(void)
{
    char command[1000];
    const char *d = directory();
    snprintf(command, sizeof command, "mkdir -p %s/room/doc %s/room/FILES && "
             "cp -r tests LICENSE %s/room && cp doc/numbers.ftx %s/room/doc && "
             "find %s -maxdepth 1 -type f -exec cp {} %s/room/FILES ';'",
             d, d, d, d, d, d);
    assert_that(system(command) == 0);
}

static void mistype_all(const char *name, const char *text)
{
    char file[100], was[10], is[10];
    size_t size, n;
    snprintf(file, sizeof file, "tests/transcripts/%s.mistyped", name);
    const char *line = bytes_of(file, &size), *asked = getenv("FTX_MISTYPED");
    const bool writes = getenv("FTX_WRITE") != NULL;
    const Words words = words_of(text);
    const Random random = random_new(digest(DIGEST, name));
    const bool mine = asked != NULL && strncmp(asked, name, strlen(name)) == 0;
    const int wanted = mine ? atoi(asked + strlen(name)) : 0;
    FILE *now = tmpfile();
    assert_that(now != NULL && line != NULL);
    copy_all();
    for (int k = 1; *text != '\0'; text += n + (text[n] != '\0')) {
        n = strcspn(text, "\n");
        if (!is_command(text))
            continue;
        strcpy(was, "");
        sscanf(line, "%9[-0-9a-f]", was);
        strcpy(is, was);
        if (strcmp(was, "-") != 0 && (asked == NULL || k == wanted))
            digest_of(is, text + 2, n - 2, &words,
                      random_branch(random, (uint64_t)k), k == wanted);
        fprintf(now, "%-8s %.*s\n", is, (int)n - 2, text + 2);
        if (!writes && asked == NULL && strcmp(was, is) != 0)
            fail_at(HERE(name), "FTX_MISTYPED='%s %d': something else is said"
                    " than %s has", name, k, file);
        line += strcspn(line, "\n");
        line += *line != '\0';
        k++;
    }
    if (writes)
        write_over(file, all_of(now));
}

static void transcript(const char *name)
{
    char file[100];
    size_t n;
    snprintf(file, sizeof file, "tests/transcripts/%s.txt", name);
    const char *told = bytes_of(file, &n), *now;
    assert_that(told != NULL && strncmp(told, "# ", 2) == 0);
    now = transcript_of(told);
    if (!IS_DOUBLE) {
        first_difference(file, statuses(told), statuses(now));
        return;
    }
    if (getenv("FTX_WRITE") == NULL)
        first_difference(file, told, now);
    else
        write_over(file, now);
    mistype_all(name, told);
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
