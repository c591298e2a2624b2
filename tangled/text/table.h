/* Numbers for pieces of text. */
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

/* A table with room for so many at first, a power of two. The number of a
   piece, or 0; and one that a new piece is given, which is copied. */
Table table_new(Arena *arena, int room);
int table_number(const Table *t, Piece key);
int table_enter(Table *t, Piece key);

#endif
