/* The tokens of a folder, read and written.

   Main type: TokenFiles. Entry points: tokens_of_folder, put_tokenizer. */
#ifndef FTX_TOKEN_FILES_H
#define FTX_TOKEN_FILES_H
#include "text/tokenizer.h"

/* How a folder's model cuts a text: a vocabulary of pieces, or NULL where
   no file says it. special has the numbers of mask_token, bos_token and
   eos_token as far as the files name them, else UNSAID. */
typedef struct {
    const Cutter *cutter;
    int special[3];
} TokenFiles;

/* Reads tokenizer.json and tokenizer_config.json of a folder, into the
   arena; without the first the cutter is NULL. Fails where a file is not
   understood, or has more than N_V pieces. */
TokenFiles tokens_of_folder(Arena *arena, const char *folder, int N_V,
                            Error *f);

/* Returns why a tokenizer cannot be written for transformers; NULL: it
   can. */
const char *tokens_error(const Tokenizer *t);

/* Writes tokenizer.json of a tokenizer. ends: a text has eos behind it, as
   one to be continued must not. */
void put_tokenizer(FILE *to, const Tokenizer *t, bool ends);

/* Writes its tokenizer_config.json. */
void put_tokenizer_config(FILE *to, const Tokenizer *t);

/* Returns the character that stands for a byte in GPT-2's files. */
unsigned sign_of_byte(int byte);

#endif
