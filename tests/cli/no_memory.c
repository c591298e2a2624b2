/* Where memory cannot be had, every command says so in one sentence, with
   exit status 2, or can do without. */
#include "lessons.h"
#include "check/check.h"
#include "course/course.h"
#include "show/show.h"
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The bytes that this process has; 0: not known here. */
static size_t bytes_had(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static bool is_a_sentence(const char *said)
{
    size_t n = strlen(said);
    return n > 2 && said[n - 1] == '\n' && said[n - 2] == '.'
        && strchr(said, '\n') == said + n - 1;
}

/* From now on this process gets only so many bytes more. What it has and
   does not use yet, it uses; but for some stack. */
static void get_only(size_t bytes)
{
    volatile char stack[1 << 20];       /* a product packs half of it full */
    struct rlimit most;
    stack[0] = stack[sizeof stack / 2] = 0;
    getrlimit(RLIMIT_AS, &most);
    most.rlim_cur = bytes_had();
    if (most.rlim_cur == 0 || setrlimit(RLIMIT_AS, &most) != 0)
        _exit(77);
    for (size_t n = 1 << 20; n > 8; n /= 2)
        while (malloc(n) != NULL)
            ;
    most.rlim_cur += bytes;
    setrlimit(RLIMIT_AS, &most);
}

/* With so many bytes more. Did it end as it should, with status 0 or 1? */
static bool done_with(size_t bytes, const char *name, Entrance *command,
                      int n, char *argument[])
{
    char said[4000];
    int status;
    Child child = child_start();
    if (child.pid == 0) {
        FILE *none = fopen("/dev/null", "w");
        get_only(bytes);
        _exit(command(none, stderr, n, argument));
    }
    child_end(child, said, sizeof said, &status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 2
        || (WEXITSTATUS(status) == 2 && !is_a_sentence(said)))
        fail_at(HERE("command"), "ftx %s with %zu bytes: wait status %d, "
                "errors\n%s", name, bytes, status, said);
    return WEXITSTATUS(status) < 2;
}

static void lacks_memory(const char *name, Entrance *command, int n,
                         char *argument[])
{
    int refused = 0;
    size_t bytes = 0;
    char **again = arena_alloc(arena, (size_t)n * sizeof *again + 1);
    memcpy(again, argument, (size_t)n * sizeof *again);
    while (!done_with(bytes, name, command, n, again)) {
        if (++refused > 1000)
            fail_at(HERE("command"), "ftx %s never has enough", name);
        bytes += (size_t)pick(1, 1 << 18);
        memcpy(again, argument, (size_t)n * sizeof *again);
    }
    if (refused == 0)
        fail_at(HERE("command"), "ftx %s always has enough", name);
}

#define LACKS(command, ...) \
    lacks_memory(#command, command, \
                 (int)(sizeof (char *[]){ __VA_ARGS__ } / sizeof (char *)), \
                 (char *[]){ __VA_ARGS__ })

static void every_command_says_that_there_is_no_memory(void **state)
{
    (void)state;
    generator = seeded(1);
    if (SANITIZED || bytes_had() == 0)
        return;                 /* a sanitizer takes memory of its own */
    char *text = a_text("t", 40, ""), *two = pairs("p", 40);
    char *label = labelled("l", 40), *d = path("d"), *e = path("e");
    char *ed = path("ed"), *class = path("class");
    TRAIN("d", SMALL, "--steps", "2", "--model", d, text);
    TRAIN("e", SMALL, "--steps", "2", "--model", e, text);
    TRAIN("ed", SMALL, "--steps", "2", "--model", ed, two);
    TRAIN("class", SMALL, "--steps", "2", "--model", class, label);
    LACKS(count_numbers, "d");
    LACKS(count_numbers, d);
    LACKS(train, "d", SMALL, "--threads", "3", "--steps", "3", "--replace",
          "--model", path("m"), text);
    LACKS(train, "e", SMALL, "--steps", "3", "--tokens", "bpe", "--replace",
          "--patience", "2", "--model", path("m"), text);
    LACKS(train, "ed", SMALL, "--steps", "3", "--replace", "--model",
          path("m"), two);
    LACKS(train, "class", SMALL, "--steps", "3", "--replace", "--model",
          path("m"), label);
    LACKS(train, "d", "--resume", "--steps", "3", "--model", d, text);
    LACKS(generate, "--model", d, "3 sheep");
    LACKS(translate, "--model", ed, "ab");
    LACKS(translate, "--model", ed, "--beam", "4", "ab");
    LACKS(fill_texts, "--model", e, "3[gap]sheep");
    LACKS(classify_texts, "--model", class, "x1");
    LACKS(tokenize, text);
    LACKS(tokenize, "--tokens", "bpe", text);
    LACKS(show_inside, "--model", d, "3 sheep");
    LACKS(show_inside, "--model", ed, "--json", "ab");
    LACKS(show, "tests/data/worked/alg04.sheet");
    LACKS(check, "tests/data/hand/no-scale.sheet");
    LACKS(steps, "tests/data/worked/alg04.sheet");
    LACKS(show, "--svg", "tests/data/worked/alg04.sheet");
    LACKS(show, "--tex", "tests/data/worked/alg10.sheet");
    LACKS(trials, "--algorithm", "4");
    LACKS(exercise, "--algorithm", "4");
    LACKS(slips_known, "tests/data/worked/alg04.sheet");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(every_command_says_that_there_is_no_memory),
    };
    return RUN(laws);
}
