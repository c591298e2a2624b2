/* What the tests of commands share: running one, judging what it prints, and
   files to give it. */
#ifndef COMMAND_H
#define COMMAND_H
#include "check.h"
#include "rows.h"
#include "course/course.h"
#include "model/corpus.h"
#include <dirent.h>
#include <sys/stat.h>

typedef struct {
    int status;
    const char *out, *err;      /* on the arena */
    size_t bytes;               /* of out */
} Said;

static inline Said said_by(const char *name, CommandMain *command, int n,
                           char *argument[])
{
    FILE *out = tmpfile(), *err = tmpfile();
    Said s;
    assert_that(out != NULL && err != NULL);
    s.status = run_command(name, command, out, err, n, argument);
    s.bytes = (size_t)ftell(out);
    s.out = all_of(out);
    s.err = all_of(err);
    return s;
}

/* Runs a line such as "train d --model m 'a text'" (a printf format): words
   are separated by blanks, and quotes keep blanks together. */
static inline Said ftx(const char *format, ...) FORMAT_LIKE_PRINTF(1, 2);
static inline Said ftx(const char *format, ...)
{
    static const struct { const char *name; CommandMain *command; } all[] = {
        { "train", train }, { "generate", predict }, { "fill", predict },
        { "translate", predict }, { "classify", predict },
        { "show", show_inside }, { "count", count_numbers },
        { "tokenize", tokenize }, { "exercise", exercise },
        { "trials", trials }, { "steps", steps }, { NULL, NULL },
    };
    char title[40], *word[120], *at = arena_alloc(arena, 4000);
    int n = 0, k = 0;
    va_list arguments;
    va_start(arguments, format);
    assert_that(vsnprintf(at, 4000, format, arguments) < 4000);
    va_end(arguments);
    for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
        const char end = *at == '\'' || *at == '"' ? *at : ' ';
        assert_that(n < 119);
        word[n++] = at += end != ' ';
        at += strcspn(at, (char[]){ end, '\0' });
        if (*at != '\0')
            *at++ = '\0';
    }
    word[n] = NULL;
    while (all[k].name != NULL && strcmp(all[k].name, word[0]) != 0)
        k++;
    assert_that(all[k].name != NULL);
    snprintf(title, sizeof title, "ftx %s", word[0]);
    return said_by(title, all[k].command, n - 1, word + 1);
}

#define SAID(command, ...) SAID_BY(#command, command, __VA_ARGS__)
#define SAID_BY(name, command, ...) \
    said_by("ftx " name, command, \
            (int)(sizeof (char *[]){ __VA_ARGS__ } / sizeof (char *)), \
            (char *[]){ __VA_ARGS__, NULL })

/* Just this, on both streams. */
#define assert_said(s, code, on_out, on_err) \
    said_at(HERE(#s), s, code, on_out, on_err)
static inline void said_at(Where where, Said s, int status, const char *out,
                           const char *err)
{
    if (s.status != status || strcmp(s.out, out) != 0
        || strcmp(s.err, err) != 0)
        fail_at(where, "exit status %d, output\n%s\nerrors\n%s\nbut expected "
                "%d,\n%s\n%s", s.status, s.out, s.err, status, out, err);
}

/* Refused with exit status 2 and this sentence, and nothing printed. */
#define assert_refusal(said, sentence) \
    refusal_at(HERE(#said), said, sentence)
static inline void refusal_at(Where where, Said s, const char *sentence)
{
    size_t n = strlen(s.err);
    if (s.status != 2 || *s.out != '\0' || n != strlen(sentence) + 1
        || strncmp(s.err, sentence, n - 1) != 0 || s.err[n - 1] != '\n')
        fail_at(where, "exit status %d, output\n%s\nerrors\n%s\nbut expected "
                "2 and\n%s", s.status, s.out, s.err, sentence);
}

/* Whether the words, separated by " | ", stand in the text in this order. */
static inline bool has_words(const char *text, const char *words)
{
    while (text != NULL && *words != '\0') {
        const char *end = strstr(words, " | ");
        const size_t n = end == NULL ? strlen(words) : (size_t)(end - words);
        while (*text != '\0' && strncmp(text, words, n) != 0)
            text++;
        text = *text == '\0' ? NULL : text + n;
        words += n + (end == NULL ? 0 : 3);
    }
    return text != NULL;
}

/* Refused with exit status 2, nothing printed, and one sentence that has
   these words. */
#define assert_refused(said, words) refused_by(HERE(#said), said, words)
static inline void refused_by(Where where, Said s, const char *words)
{
    const char *end = strchr(s.err, '\n');
    if (s.status != 2 || *s.out != '\0' || end == NULL || end[1] != '\0'
        || !has_words(s.err, words))
        fail_at(where, "exit status %d, output\n%s\nerrors\n%s\nbut expected "
                "2 and\n%s", s.status, s.out, s.err, words);
}

/* Each line of that table of lines.txt is refused by a sentence that has its
   words, and begins with the first of them or with the command's name. */
static inline void assert_table_refused(const char *title)
{
    char begin[40];
    for (Rows rows = rows_of("lines.txt", title); next_row(&rows); ) {
        const char *line = rows.field[0], *words = rows.field[1];
        const char *end = strstr(words, " | ");
        Said s = ftx("%s", line);
        refused_by(HERE(line), s, words);
        snprintf(begin, sizeof begin, "ftx %.*s: ",
                 (int)strcspn(line, " "), line);
        if (strncmp(s.err, begin, strlen(begin)) != 0
            && strncmp(s.err, words, end == NULL ? strlen(words)
                       : (size_t)(end - words)) != 0)
            fail_at(HERE(line), "'%s' begins otherwise", s.err);
    }
}

#define assert_says(said, part) says_at(HERE(#said), said, part)
static inline void says_at(Where where, Said s, const char *part)
{
    if (s.status != 0 || *s.err != '\0' || strstr(s.out, part) == NULL)
        fail_at(where, "exit status %d, output\n%s\nerrors\n%s\nbut expected "
                "0 and\n%s", s.status, s.out, s.err, part);
}

/* Does the work, which may give up by the Error f; said becomes the sentence
   of its error, or "". */
#define TRY(said, f, ...) \
    do { \
        Error *f = arena_alloc(arena, sizeof *f); \
        *f = (Error){ .sheet = "test" }; \
        said = f->sentence; \
        if (setjmp(f->out) == 0) { \
            __VA_ARGS__; \
            *f->sentence = '\0'; \
        } \
    } while (0)

static inline const char *saving(const Model *m, const char *name)
{
    const char *said;
    TRY(said, f, model_save(m, name, f));
    return said;
}

static inline const char *loading_to(Purpose purpose, const char *name,
                                     Model **m)
{
    const char *said;
    TRY(said, f, *m = model_load(arena, name, purpose, f));
    return said;
}

static inline const char *loading(const char *name, Model **m)
{
    return loading_to(TO_TRAIN, name, m);
}

static inline Model *model_in(const char *name)
{
    Model *m;
    assert_string_equal(loading(name, &m), "");
    prepare_tape(arena, quiet, m->theta);
    return m;
}

/* Files stand in a directory of this process, which tear_down_files removes.
   tests/tools/run says where, and removes it too, however the test has ended.
   A law of lessons.h has it as its working directory, where `tests`, `doc`, ...
   are links to those of the project. */
static const char *project;     /* NULL: the working directory */

static inline const char *directory(void)
{
    static char name[200];      /* also in a process that was forked off */
    const char *given = getenv("FTX_FILES");
    if (project != NULL)
        return ".";
    if (*name == '\0')
        snprintf(name, sizeof name, "%s/files.%d",
                 given == NULL ? "build" : given, (int)getpid());
    mkdir("build", 0777);
    mkdir(name, 0777);
    return name;
}

static inline char *path(const char *name)
{
    size_t size = strlen(directory()) + strlen(name) + 2;
    char *to = arena_alloc(arena, size);
    snprintf(to, size, "%s/%s", directory(), name);
    return to;
}

static inline char *write_bytes(const char *name, const void *bytes, size_t n)
{
    char *to = path(name);
    remove(to);                 /* to empty a file may wait for the disk */
    FILE *file = fopen(to, "wb");
    assert_that(file != NULL && fwrite(bytes, 1, n, file) == n);
    fclose(file);
    return to;
}

static inline char *write_text(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

/* The bytes of a file; NULL if there is none. */
static inline char *bytes_of(const char *name, size_t *n)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    return (char *)all_of(file);
}

static inline char *text_of(const char *name)
{
    size_t n;
    return bytes_of(name, &n);
}

/* So many pairs: two letters, and the same in the other order. */
static inline char *pairs(const char *name, int lines)
{
    char *text = arena_alloc(arena, (size_t)lines * 6 + 1);
    size_t n = 0;
    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, "%c%c\t%c%c\n", 'a' + k % 5,
                             'a' + k % 3, 'a' + k % 3, 'a' + k % 5);
    return write_text(name, text);
}

/* Whether both are there and hold the same bytes. */
static inline bool same_bytes(const char *a, const char *b)
{
    size_t n = 0, m = 0;
    const char *x = bytes_of(a, &n), *y = bytes_of(b, &m);
    return x != NULL && y != NULL && n == m && memcmp(x, y, n) == 0;
}

#define assert_same_file(a, b) same_file_at(HERE(#a " and " #b), a, b)
static inline void same_file_at(Where where, const char *a, const char *b)
{
    if (!same_bytes(a, b))
        fail_at(where, "%s and %s are not the same", a, b);
}

static const char *const linked[] = { "tests", "doc", "LICENSE", "README.md",
                                      "released" };

static inline int set_up_inside(void **state)
{
    static char top[4000];
    char target[4100];
    if (getcwd(top, sizeof top) == NULL || chdir(directory()) != 0)
        return -1;
    project = top;
    for (int k = 0; k < 5; k++) {
        snprintf(target, sizeof target, "%s/%s%s", top,
                 k == 4 ? "build/" : "", linked[k]);
        if (symlink(target, linked[k]) != 0)
            return -1;
    }
    return set_up(state);
}

static inline int tear_down_files(void **state)
{
    char command[220];
    if (project != NULL && chdir(project) != 0)
        return -1;
    project = NULL;
    snprintf(command, sizeof command, "rm -rf %s", directory());
    if (system(command) != 0)
        print_error("%s is left\n", directory());
    return tear_down(state);
}

/* How many files there are in the directory of the test; no links to those of
   the project. */
static inline int files_there(void)
{
    int n = 0;
    DIR *all = opendir(directory());
    assert_that(all != NULL);
    for (struct dirent *d = readdir(all); d != NULL; d = readdir(all))
        n += d->d_name[0] != '.';
    closedir(all);
    return n - (project == NULL ? 0 : 5);
}

#endif
