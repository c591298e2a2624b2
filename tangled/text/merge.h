/* text/merge.h: joins the bytes of a word to longer tokens, pair by pair, as
   byte-pair encoding does. No type of its own but a pair of tokens; entry
   point merge_word. A word flows in, the numbers of its tokens flow out. */
#ifndef FTX_TEXT_MERGE_H
#define FTX_TEXT_MERGE_H
#include "text/table.h"

typedef struct { int left, right; } Pair;

/* Returns the bytes of *pair as the key of a table; they are not copied. */
Piece pair_key(const Pair *pair);

/* Returns the pair that is entry k of a table of pairs. */
Pair pair_at(const Table *pairs, int k);

/* Merges a pair to one token wherever it stands among n tokens, from the
   left, and returns how many are left. */
int merge_pair(int token[], int n, Pair pair, int merged);

/* Writes the tokens of a word, at most word.n, and returns how many; or
   -1 - k if its k-th byte, from 0, has no token. Entry k of the pairs is what
   is merged k-th; its first is the token that results. byte[b] is the token
   of byte b, or -1. */
int merge_word(const Table *pairs, const int byte[256], Piece word,
               int token[]);
#endif
