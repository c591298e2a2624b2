/* text/table.h: a hash table that gives pieces of text numbers.
   Main type Table, in an arena; entry points table_new, table_find and
   table_enter. Pieces flow in, the numbers 1, 2, ... flow out. */
#ifndef TABLE_H
#define TABLE_H
#include "library/arena.h"

/* n bytes of a text. */
typedef struct { const char *at; int n; } Piece;

/* A table gives a piece a number, from 1, in the order in which they
   come. Its entry has room for whoever wants to count, or to list; at first
   all is 0 there. */
typedef struct {
    Piece key;
    long long count;
    int first;
} TableEntry;

typedef struct {
    Arena *arena;
    int n, room;                /* entries; so many before it grows     */
    TableEntry *entry;          /* entry[1] ... entry[n]                */
    int *place;                 /* 2 room numbers of entries; 0: empty  */
} Table;

/* Returns an empty table with room for so many pieces, a power of two. */
Table table_new(Arena *arena, int room);

/* Returns the number of a piece, or 0. */
int table_find(const Table *t, Piece key);

/* Returns the number of a piece, which is copied and entered if it is new. */
int table_enter(Table *t, Piece key);

#endif
