/* Numbers for pieces of text: a hash table. */
#include "text/table.h"
#include <string.h>

Table table_new(Arena *arena, int room)
{
    size_t n = (size_t)room;
    Table t = { arena, 0, room, NULL, NULL };
    t.entry = arena_alloc(arena, (n + 1) * sizeof *t.entry);
    t.place = arena_alloc(arena, 2 * n * sizeof *t.place);
    memset(t.place, 0, 2 * n * sizeof *t.place);
    return t;
}

static bool same(Piece a, Piece b)
{
    return a.n == b.n && memcmp(a.at, b.at, (size_t)a.n) == 0;
}

static int *place_of(const Table *t, Piece key)
{
    uint64_t hash = 0xcbf29ce484222325u;                /* FNV-1a */
    for (int k = 0; k < key.n; k++)
        hash = (hash ^ (unsigned char)key.at[k]) * 0x100000001b3u;
    size_t last = 2 * (size_t)t->room - 1;
    size_t k = (size_t)(hash ^ hash >> 32) & last;
    while (t->place[k] != 0 && !same(t->entry[t->place[k]].key, key))
        k = (k + 1) & last;
    return &t->place[k];
}

int table_find(const Table *t, Piece key)
{
    return *place_of(t, key);
}

static void grow(Table *t)
{
    Table larger = table_new(t->arena, 2 * t->room);
    for (int k = 1; k <= t->n; k++) {
        larger.entry[k] = t->entry[k];
        *place_of(&larger, t->entry[k].key) = k;
    }
    larger.n = t->n;
    *t = larger;
}

int table_enter(Table *t, Piece key)
{
    int number = table_find(t, key);
    if (number != 0)
        return number;
    if (t->n == t->room)
        grow(t);
    char *copy = arena_alloc(t->arena, (size_t)key.n);
    memcpy(copy, key.at, (size_t)key.n);
    t->entry[++t->n] = (TableEntry){ .key = { copy, key.n } };
    return *place_of(t, key) = t->n;
}
