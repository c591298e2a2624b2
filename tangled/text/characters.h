/* text/characters.h: what Unicode says of a character, as the tokenizers of
   GPT-2 and BERT know it. Main type Characters, a table that is unpacked
   into an arena; entry points character_kind and utf8_length. */
#ifndef CHARACTERS_H
#define CHARACTERS_H
#include "library/arena.h"

enum {
    IS_LETTER = 1, IS_NUMBER = 2, IS_BLANK = 4,     /* to GPT-2           */
    IS_REMOVED = 8,             /* BERT drops it: a control character ... */
    IS_IDEOGRAPH = 16,          /* a word by itself                       */
    IS_PUNCTUATION = 32,
    IS_MARK = 64,               /* an accent and the like ...             */
    IS_ALONE = 128,             /* ... that other marks do not pass       */
    CHARACTERS_IN_UNICODE = 0x110000
};

typedef struct Characters Characters;

/* Returns the unpacked table. */
const Characters *characters_new(Arena *arena);

/* Returns a sum of the bits above; c is no half of a surrogate pair. */
int character_kind(const Characters *u, unsigned c);

/* Takes the character apart and leaves its marks out; returns how many of
   the three there are, 0 for a mark. */
int strip_marks(const Characters *u, unsigned c, unsigned to[3]);

/* Returns whether c is one of the ideographs that Unicode has twice, and that
   strip_marks would have to replace by the other one. */
bool is_compatibility_ideograph(unsigned c);

/* Gives the character in small letters; returns how many. */
int lowercase(const Characters *u, unsigned c, unsigned to[3]);

/* The order in which what stands on a character is put; 0: it is no such
   thing, or one that is left out as a mark. */
int mark_order(const Characters *u, unsigned c);

/* How many of the bytes at p, at least one, are a character in UTF-8:
   1 to 4; or 0, if the first ones are none. */
int utf8_length(const char *p, size_t bytes);

/* Returns the character in n bytes. */
unsigned utf8_code(const char *p, int n);

/* Writes a character in UTF-8, and returns the place behind it. */
char *write_utf8(char *to, unsigned code);

#endif
