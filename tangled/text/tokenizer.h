/* text/tokenizer.h: from a text to tokens, and back. Main type Tokenizer, in
   an arena; entry points tokenizer_train, encode_text and token_piece. */
#ifndef TOKENIZER_H
#define TOKENIZER_H
#include "text/characters.h"
#include "text/vocabulary.h"

/* Tokens are numbered from 1; the three special ones are the last. */
typedef enum { CHARACTERS, WORDS, BYTE_PAIRS, TOKEN_NUMBERS, BYTE_LEVEL,
               WORD_PIECES } TokenKind;
/* A tokenizer. Of a released model it has a cutter; or none is known, and a
   text is the numbers of its tokens, such as "464 3290". mask_token,
   bos_token and eos_token are the last ones; special has their numbers, -1
   for what the model has not. The others keep their order. */
enum { TOKEN_LIMIT = 1 << 20 };
typedef struct {
    TokenKind kind;
    Table list;                 /* of the pieces; or of the merges      */
    Piece *piece;               /* of byte pairs, numbers: piece[1] ... */
    int byte[256];              /* of byte pairs: the token of each     */
    int N_V;                    /* with the special tokens              */
    int special[3];             /* of a released model: their numbers   */
    int *number, *token;        /* ... of any token; of a number        */
    const Cutter *cutter;       /* NULL: it has none                    */
} Tokenizer;

/* Learns a tokenizer from the n bytes of a text. merges, for BYTE_PAIRS
   only: at most so many pairs are merged. Returns NULL; or what is wrong,
   a sentence, and then *where is its place in the text, 0 ... n - 1.
   A text has at most TEXT_BYTES. */
enum { TEXT_BYTES = 1 << 28 };
const char *tokenizer_train(Arena *arena, TokenKind kind, const char *text,
                            size_t n, int merges, const Tokenizer **t,
                            size_t *where);

/* Encodes a text as tokens x, without special ones. Returns NULL; or what is
   wrong, and then *where is the byte that begins no known token. */
const char *encode_text(const Tokenizer *t, Arena *arena, const char *text,
                        size_t n, Tokens *x, size_t *where);

/* Returns the bytes that a token stands for; none for a special one. */
Piece token_piece(const Tokenizer *t, int token);           /* in [N_V] */

/* Returns the number, from 0, of a token in a released model's files. */
int token_number(const Tokenizer *t, int token);            /* in [N_V] */

/* Returns whether it is mask_token, bos_token or eos_token of the model. */
bool is_special(const Tokenizer *t, int token);

/* Returns x between bos_token and eos_token, as far as there are such. */
Tokens add_special_tokens(const Tokenizer *t, Arena *arena, Tokens x);

/* Writes a piece so that it can be read: a blank as an open box, an end of
   line as \n, a byte that is not text as \xFF. */
void write_piece(FILE *out, Piece piece);

/* Writes a token as write_piece does; a special one is <mask>, <bos> or
   <eos>, or what a released model calls it. */
void write_token(FILE *out, const Tokenizer *t, int token);

/* Writes a tokenizer, a line and then a line for each token. Whether all
   was written is for the caller to ask. */
void tokenizer_save(FILE *out, const Tokenizer *t);

/* Returns the tokenizer that tokenizer_save wrote, from *text on, and moves
   *text behind it. end is the end of what may be read. Returns NULL if the
   bytes are no saved tokenizer: then *text is the line that is wrong. */
const Tokenizer *tokenizer_load(Arena *arena, const char **text,
                                const char *end);

#endif
