/* Where memory cannot be had, every command says so in one sentence, with
   exit status 2, or can do without. */
#include "lessons.h"
#include "check/check.h"
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
static bool done_with(size_t bytes, const char *name, CommandMain *command,
                      int n, char *argument[])
{
    char said[4000], title[20];
    int status;
    snprintf(title, sizeof title, "ftx %s", name);
    Child child = child_start();
    if (child.pid == 0) {
        FILE *none = fopen("/dev/null", "w");
        get_only(bytes);
        _exit(run_command(title, command, none, stderr, n, argument));
    }
    child_end(child, said, sizeof said, &status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 2
        || (WEXITSTATUS(status) == 2 && !is_a_sentence(said)))
        fail_at(HERE("command"), "ftx %s with %zu bytes: wait status %d, "
                "errors\n%s", name, bytes, status, said);
    return WEXITSTATUS(status) < 2;
}

/* Each line is run with ever more bytes, until it is done: it lacks some. */
static void lacks_memory(const char *name, CommandMain *command,
                         const char *line)
{
    int refused = 0;
    size_t bytes = 0;
    for (bool done = false; !done; bytes += (size_t)pick(1, 1 << 18)) {
        char *word[40], *at = strcpy(arena_alloc(arena, 200), line);
        int n = 0;
        for (; (word[n] = strtok(at, " ")) != NULL; at = NULL)
            n++;
        done = done_with(bytes, name, command, n, word);
        refused += !done;
        if (refused > 1000 || (done && refused == 0))
            fail_at(HERE("command"), "ftx %s %s has never enough, or always",
                    name, line);
    }
}

LAW(every_command_says_that_there_is_no_memory)
{
    static const struct { const char *name; CommandMain *command;
                          const char *line; } row[] = {
        { "count", count_numbers, "d" },
        { "count", count_numbers, "class" },
        { "train", train, "d " SMALL "--threads 3 --steps 3 --replace "
          "--model m t" },
        { "train", train, "e " SMALL "--steps 3 --tokens bpe --replace "
          "--model m t" },
        { "train", train, "ed " SMALL "--steps 3 --replace --model m p" },
        { "train", train, "class " SMALL "--steps 3 --replace --model m l" },
        { "train", train, "d --resume --steps 31 --model d t" },
        { "generate", predict, "--model d 3" },
        { "translate", predict, "--model ed ab" },
        { "fill", predict, "--model e 3[gap]sheep" },
        { "classify", predict, "--model class x1" },
        { "tokenize", tokenize, "t" },
        { "tokenize", tokenize, "--tokens bpe t" },
        { "show", show_inside, "--model d 3" },
        { "show", show_inside, "--model ed --json ab" },
        { "show", show, "tests/data/worked/alg04.sheet" },
        { "check", check, "tests/data/hand/no-scale.sheet" },
        { "steps", steps, "tests/data/worked/alg04.sheet" },
        { "show", show, "--svg tests/data/worked/alg04.sheet" },
        { "show", show, "--md tests/data/worked/alg10.sheet" },
        { "trials", trials, "--algorithm 4" },
        { "exercise", exercise, "--algorithm 4" },
        { "slips", list_slips, "tests/data/worked/alg04.sheet" },
    };
    static const char *const task[] = { "ed", "e", "d", "class" };
    generator = seeded(1);
    if (SANITIZED || bytes_had() == 0)
        return;                 /* a sanitizer takes memory of its own */
    for (int k = 0; k < 4; k++)
        little_model(task[k]);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        lacks_memory(row[k].name, row[k].command, row[k].line);
}
