/* The token files of a folder, read and written.

   Main type: TokenFiles. Entry points: tokens_of_folder, put_tokenizer. */
#ifndef FTX_TOKEN_FILES_H
#define FTX_TOKEN_FILES_H
#include "text/tokenizer.h"

/* How a folder's model cuts a text: a vocabulary of pieces; or a tokenizer
   that ftx learned and exported; or neither is there. special has the
   numbers of mask_token, bos_token and eos_token, as far as the files name
   them, else UNSAID. N_V: there are no more pieces. What is wrong ends the
   attempt. */
typedef struct {
    const Cutter *cutter;
    const Tokenizer *learned;
    int special[3];
} TokenFiles;
TokenFiles tokens_of_folder(Arena *arena, const char *folder, int N_V,
                            Error *f);

/* How the tokenizers of ftx cut a text, as regular expressions: at each
   character; a word; and 64 bytes of a long one. */
#define SPLIT_CHARACTERS "[\\s\\S]"
#define SPLIT_WORDS "[^\u0120\u0109-\u010d]+[\u0120\u0109-\u010d]*|" \
                    "[\u0120\u0109-\u010d]+"
#define SPLIT_LONG ".{1,64}"

/* Returns why a tokenizer cannot be written for transformers; NULL: it
   can. */
const char *tokens_error(const Tokenizer *t);

/* Writes tokenizer.json of a tokenizer. ends: a text has eos behind it, as
   one to be continued must not. */
void put_tokenizer(FILE *to, const Tokenizer *t, bool ends);

/* Writes its tokenizer_config.json. */
void put_tokenizer_config(FILE *to, const Tokenizer *t);

/* The sign that stands for a byte in GPT-2's files, a character. */
unsigned sign_of_byte(int byte);

#endif
