/* library/arena.h: memory that is given in order and taken back at once.
   Main type Arena; entry points arena_new and arena_alloc. Bytes flow out.
   An Arena asks the system for large blocks and keeps them for the next
   use: the second time nothing is asked for. */
#ifndef ARENA_H
#define ARENA_H
#include "ftx.h"

/* Returns an empty arena. */
Arena *arena_new(void);

/* Returns memory that is aligned for any type, its bytes not set, not even to
   0. Where there is none left, the program ends with a sentence. */
void *arena_alloc(Arena *arena, size_t bytes);

/* Returns how many bytes were given since the arena was cleared. */
size_t arena_used(const Arena *arena);

/* Returns whether the place is in memory that was given. */
bool arena_holds(const Arena *arena, const void *place);

/* Takes back what was given since arena_used returned used. */
void arena_rewind(Arena *arena, size_t used);

/* Takes back all, and keeps the memory for the next use. */
void arena_clear(Arena *arena);

/* Takes back all, and gives the memory back to the system. */
void arena_free(Arena *arena);

/* Returns memory of so many bytes; where it is NULL, the program ends with a
   sentence. */
void *or_refuse(void *memory, size_t bytes);

#endif
