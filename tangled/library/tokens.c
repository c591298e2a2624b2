/* Sequences of tokens. */
#include "library/arena.h"
#include "library/tape.h"
#include "library/tokens.h"
#include <string.h>

int token_(Where where, Tokens x, int t)
{
    if (t < 1 || t > x.length)
        refuse(where, "there is no token %d in a sequence of %d.",
               t, x.length);
    return x.id[t - 1];
}

const Tokens no_tokens = { 0, NULL };

static int *room_on(Tape *tape, int n)
{
    return arena_alloc(tape_arena(tape), (size_t)n * sizeof(int));
}

Tokens appended(Tape *tape, Tokens x, int y)
{
    int *id = room_on(tape, x.length + 1);
    if (x.length > 0)
        memcpy(id, x.id, (size_t)x.length * sizeof *id);
    id[x.length] = y;
    return (Tokens){ x.length + 1, id };
}

Tokens slice(Tokens x, int first, int last)
{
    REQUIRE(1 <= first && first <= last + 1 && last <= x.length,
            "[%d : %d] of a sequence of %d.", first, last, x.length);
    if (first > last)
        return no_tokens;
    return (Tokens){ last - first + 1, x.id + (first - 1) };
}

Tokens span(Tape *tape, int first, int last)
{
    REQUIRE(first <= last + 1, "from %d to %d.", first, last);
    int n = last - first + 1, *id = room_on(tape, n);
    for (int k = 0; k < n; k++)
        id[k] = first + k;
    return (Tokens){ n, id };
}

Tokens places(Tape *tape, Tokens x, int v)
{
    int *id = room_on(tape, x.length), n = 0;
    for (int t = 1; t <= x.length; t++)
        if (TOKEN(x, t) == v)
            id[n++] = t;
    return (Tokens){ n, id };
}

Tokens chosen(Tape *tape, Tokens x, Tokens T)
{
    int *id = room_on(tape, T.length);
    for (int k = 1; k <= T.length; k++)
        id[k - 1] = TOKEN(x, TOKEN(T, k));
    return (Tokens){ T.length, id };
}

Tokens with_bos_eos(Arena *arena, Tokens x, int N_V)
{
    size_t n = (size_t)x.length;
    int *id = arena_alloc(arena, (n + 2) * sizeof *id);
    id[0] = bos_token(N_V);
    if (n > 0)
        memcpy(id + 1, x.id, n * sizeof *id);
    id[n + 1] = eos_token(N_V);
    return (Tokens){ x.length + 2, id };
}

const Tokens *chunks(Arena *arena, Tokens x, int ell_max, int *n)
{
    REQUIRE(ell_max >= 1, "ell_max is %d; a chunk has a token.", ell_max);
    *n = x.length / ell_max + (x.length % ell_max > 0);
    Tokens *chunk = arena_alloc(arena, ((size_t)*n + 1) * sizeof *chunk);
    for (int k = 1; k <= *n; k++) {
        int before = (k - 1) * ell_max, left = x.length - before;
        chunk[k] = (Tokens){ left < ell_max ? left : ell_max,
                             x.id + before };
    }
    return chunk;
}
