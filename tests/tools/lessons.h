/* What the tests of ftx train share: small models, and data for them. */
#ifndef LESSONS_H
#define LESSONS_H
#include "command.h"

#define SMALL "--d_e", "8", "--H", "2", "--ell_max", "16", "--batch", "4"
#define TRAIN(...) SAID(train, __VA_ARGS__)

/* Some lines of a text that is not quite regular. */
static inline char *a_text(const char *name, int lines, const char *last)
{
    char *text = arena_alloc(arena, (size_t)lines * 40 + 100);
    size_t n = 0;
    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, "%d sheep and %d goats\n", k, k * k);
    sprintf(text + n, "%s", last);
    return write_text(name, text);
}

static inline char *labelled(const char *name, int lines)
{
    char *text = arena_alloc(arena, (size_t)lines * 40 + 1);
    size_t n = 0;
    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, k % 3 == 0 ? "digit\t%d\n"
                                                  : "letter\tx%d\n", k);
    return write_text(name, text);
}

static inline int step_in(const char *name)
{
    size_t n;
    char *bytes = bytes_of(name, &n);
    char *at = bytes == NULL ? NULL : strstr(bytes, "\nstep ");
    return at == NULL ? 0 : atoi(at + 6);
}

static inline void remove_model(const char *name)
{
    static const char *const ends[] = { "", ".tsv", ".svg" };
    char file[100];
    for (int e = 0; e < 3; e++) {
        snprintf(file, sizeof file, "%s%s", name, ends[e]);
        remove(path(file));
    }
}
#endif
