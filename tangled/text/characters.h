/* What Unicode says of a character, as the tokenizers of GPT-2 and BERT
   know it. */
#ifndef CHARACTERS_H
#define CHARACTERS_H
#include "ftx.h"

enum {
    IS_LETTER = 1, IS_NUMBER = 2, IS_BLANK = 4,     /* to GPT-2           */
    IS_REMOVED = 8,             /* BERT drops it: a control character ... */
    IS_IDEOGRAPH = 16,          /* a word by itself                       */
    IS_PUNCTUATION = 32,
    IS_MARK = 64,               /* an accent and the like ...             */
    IS_ALONE = 128,             /* ... that other marks do not pass       */
    CHARACTERS_IN_UNICODE = 0x110000
};

/* What a character c is: a sum of these. A half of a surrogate pair is
   none, and is never asked for. */
typedef struct Characters Characters;
const Characters *characters_new(Arena *arena);
int what_is(const Characters *u, unsigned c);

/* The character taken apart, without its marks; or in small letters. Either
   gives up to three characters; and returns how many: 0 for a mark. */
int without_marks(const Characters *u, unsigned c, unsigned to[3]);
int in_small_letters(const Characters *u, unsigned c, unsigned to[3]);

/* The order in which what stands on a character is put; 0: it is no such
   thing, or one that is left out as a mark. */
int mark_order(const Characters *u, unsigned c);

/* How many of the bytes at p, at least one, are a character in UTF-8:
   1 to 4; or 0, if the first ones are none. */
int utf8_length(const char *p, size_t bytes);

/* The character in n bytes; and writes one, returning the place behind. */
unsigned utf8_code(const char *p, int n);
char *put_utf8(char *to, unsigned code);

#endif
