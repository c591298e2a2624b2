/* text/merge.h: joins the bytes of a word to longer tokens, pair by pair, as
   byte-pair encoding does. Main type Merger; entry point merge_word. A word
   flows in, the numbers of its tokens flow out. */
#ifndef FTX_TEXT_MERGE_H
#define FTX_TEXT_MERGE_H
#include "text/table.h"

typedef struct { int left, right; } Pair;

/* Returns the pair as a key of a table. */
Piece pair_key(const Pair *pair);

typedef struct Merger Merger;

/* Returns what merges words, in an arena. Entry k of the pairs is what is
   merged k-th; its first is the token that results. byte[b] is the token of
   byte b, or -1. */
Merger *merger_new(Arena *arena, const Table *pairs, const int byte[256]);

/* Writes the tokens of a word, at most word.n, and returns how many; or
   -1 - k if its k-th byte, from 0, has no token. */
int merge_word(Merger *m, Piece word, int token[]);
#endif
