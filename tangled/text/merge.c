/* Byte-pair encoding of one word: a list of parts, and a heap of the pairs
   that can be merged. */
#include "text/merge.h"

typedef struct { int token, before, after; } Fragment;      /* -1: none */

struct Merger {
    Arena *arena;
    const Table *pairs;
    const int *byte;
    Fragment *part;             /* of the word                            */
    uint64_t *heap;             /* heap[1] ... heap[waiting]              */
    int waiting, room;          /* room for a word of so many bytes       */
};

Piece pair_key(const Pair *pair)
{
    return (Piece){ (const char *)pair, sizeof *pair };
}

Merger *merger_new(Arena *arena, const Table *pairs, const int byte[256])
{
    Merger *m = arena_alloc(arena, sizeof *m);
    *m = (Merger){ .arena = arena, .pairs = pairs, .byte = byte };
    return m;
}

static void make_room(Merger *m, int n)
{
    if (n <= m->room)
        return;
    size_t room = (size_t)(m->room = 2 * n);
    m->part = arena_alloc(m->arena, room * sizeof *m->part);
    m->heap = arena_alloc(m->arena, (3 * room + 1) * sizeof *m->heap);
}

/* The rank of the pair of part p and the one behind it; 0: no merge. */
static int rank_of_part(const Merger *m, int p)
{
    if (p < 0 || m->part[p].token < 0 || m->part[p].after < 0)
        return 0;
    Pair pair = { m->part[p].token, m->part[m->part[p].after].token };
    return table_find(m->pairs, pair_key(&pair));
}

static void push_part(Merger *m, int p)
{
    int rank = rank_of_part(m, p), i = ++m->waiting;
    uint64_t key = (uint64_t)rank << 32 | (unsigned)p;
    if (rank == 0) {
        m->waiting--;
        return;
    }
    for (; i > 1 && m->heap[i / 2] > key; i /= 2)
        m->heap[i] = m->heap[i / 2];
    m->heap[i] = key;
}

static uint64_t pop_least(Merger *m)
{
    uint64_t top = m->heap[1], last = m->heap[m->waiting--];
    int i = 1;
    for (int next; (next = 2 * i) <= m->waiting; i = next) {
        if (next < m->waiting && m->heap[next + 1] < m->heap[next])
            next++;
        if (last <= m->heap[next])
            break;
        m->heap[i] = m->heap[next];
    }
    m->heap[i] = last;
    return top;
}

static void merge_part(Merger *m, int p, int token)
{
    int gone = m->part[p].after, after = m->part[gone].after;
    m->part[p].token = token;
    m->part[gone].token = -1;
    m->part[p].after = after;
    if (after >= 0)
        m->part[after].before = p;
    push_part(m, m->part[p].before);
    push_part(m, p);
}

int merge_word(Merger *m, Piece word, int token[])
{
    int n = 0;
    make_room(m, word.n);
    m->waiting = 0;
    for (int p = 0; p < word.n; p++) {
        int first = m->byte[(unsigned char)word.at[p]];
        if (first < 0)
            return -1 - p;
        m->part[p] = (Fragment){ first, p - 1, p + 1 < word.n ? p + 1 : -1 };
    }
    for (int p = 0; p < word.n; p++)
        push_part(m, p);
    while (m->waiting > 0) {
        uint64_t top = pop_least(m);
        int p = (int)(top & 0xFFFFFFFF), rank = (int)(top >> 32);
        if (rank_of_part(m, p) == rank)
            merge_part(m, p, m->pairs->entry[rank].first);
    }
    for (int p = 0; p >= 0; p = m->part[p].after)
        token[n++] = m->part[p].token;
    return n;
}
