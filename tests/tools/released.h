/* The small released models: their folders, and what the Makefile has made of
   them with doc/released.py; and the script itself. */
#ifndef RELEASED_H
#define RELEASED_H
#include "command.h"
#include "text/tokenizer.h"

#define RELEASED(name) "released/" name
#define FOLDER(name) "tests/data/released/" name

/* Runs doc/released.py with these words (a printf format). */
static inline Said script(const char *format, ...) FORMAT_LIKE_PRINTF(1, 2);
static inline Said script(const char *format, ...)
{
    char line[500] = "python3 doc/released.py ";
    const size_t n = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + n, sizeof line - n, format, arguments);
    va_end(arguments);
    append(line, sizeof line, " > out.said 2> err.said < /dev/null");
    const int status = system(line);
    Said s = { .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1 };
    s.out = text_of("out.said");
    s.err = text_of("err.said");
    assert_that(s.out != NULL && s.err != NULL);
    return s;
}

/* The tokens that have these numbers in the released model. */
static inline Tokens numbered(const Tokenizer *t, int n, const int number[])
{
    int *id = arena_alloc(arena, (size_t)n * sizeof *id);
    for (int k = 0; k < n; k++) {
        id[k] = 1;
        while (token_number(t, id[k]) != number[k])
            id[k]++;
    }
    return (Tokens){ n, id };
}

/* The text with `new` in place of the first `old`. */
static inline const char *replaced(const char *text, const char *old,
                                   const char *new)
{
    const char *at = strstr(text, old);
    if (at == NULL)
        fail_at(HERE(old), "it is not in %.200s", text);
    char *to = arena_alloc(arena, strlen(text) + strlen(new) + 1);
    sprintf(to, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return to;
}

/* The folder f: a copy of a released model; in its config.json `old`, unless
   NULL, is `new`. */
static inline void copy_released(const char *model, const char *old,
                                 const char *new)
{
    char line[200];
    snprintf(line, sizeof line, "rm -rf f && cp -r " FOLDER("%s") " f", model);
    assert_that(system(line) == 0);
    if (old != NULL)
        write_text("f/config.json",
                   replaced(text_of("f/config.json"), old, new));
}
#endif
