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
    IS_MARK = 64,               /* an accent and the like                 */
    CHARACTERS_IN_UNICODE = 0x110000
};

typedef struct Characters Characters;

/* Unpacks what Unicode says of each character, in the arena. */
const Characters *characters_new(Arena *arena);

/* Returns a sum of the bits above; c is no half of a surrogate pair. */
int character_kind(const Characters *u, unsigned c);

/* Writes the parts of a character that are no marks to to[]: an E for an E
   with an acute accent. Returns how many these are, 0 to 3. */
int strip_marks(const Characters *u, unsigned c, unsigned to[3]);

/* Returns whether c is one of the ideographs that Unicode has twice, and that
   strip_marks would have to replace by the other one. */
bool is_compatibility_ideograph(unsigned c);

/* Writes the character in small letters to to[]; returns how many there are,
   1 or 2. */
int lowercase(const Characters *u, unsigned c, unsigned to[3]);

/* Returns how many of the bytes at p, of which there is at least one, are the
   first character in UTF-8: 1 to 4; or 0 if they are not UTF-8. */
int utf8_length(const char *p, size_t bytes);

/* Returns the character that the n bytes at p encode in UTF-8. */
unsigned utf8_code(const char *p, int n);

/* Writes a character in UTF-8, and returns the place behind it. */
char *write_utf8(char *to, unsigned code);

#endif
