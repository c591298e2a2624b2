/* From tokens back to their text, for the laws that it comes back. */
#ifndef DECODE_H
#define DECODE_H
#include "text/tokenizer.h"
#include <string.h>

/* The pieces of tokens side by side, *n bytes and a 0; of BERT the first has
   no blank before it. */
static inline const char *decode_text(const Tokenizer *t, Arena *to, Tokens x,
                                      size_t *n)
{
    *n = 0;
    for (int k = 1; k <= x.length; k++)
        *n += (size_t)token_piece(t, TOKEN(x, k)).n;
    char *text = arena_alloc(to, *n + 3), *p = text;
    for (int k = 1; k <= x.length; k++) {
        Piece piece = token_piece(t, TOKEN(x, k));
        if (p == text && t->kind == WORD_PIECES && piece.n > 0)
            piece = cutter_piece(t->cutter, t->number[TOKEN(x, k)], false);
        memcpy(p, piece.at, (size_t)piece.n);
        p += piece.n;
    }
    *p = '\0';
    *n = (size_t)(p - text);
    return text;
}
#endif
