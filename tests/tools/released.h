/* The small models in tests/data/released. */
#ifndef RELEASED_H
#define RELEASED_H
#include "command.h"

#define FOLDER(name) "tests/data/released/" name

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

#define NUMBERED(t, ...) \
    numbered(t, (int)(sizeof (int[]){ __VA_ARGS__ } / sizeof(int)), \
             (int[]){ __VA_ARGS__ })
#endif
