/* model/corpus.h: texts that were typed become tokens, and a file of text
   becomes data to train with.

   Main type: Corpus. Entry points: encode_field, read_corpus. A text or
   the name of a file flows in; token sequences flow out. */
#ifndef FTX_CORPUS_H
#define FTX_CORPUS_H
#include "model/model.h"

/* Returns bos_token, the tokens of the n bytes, and eos_token, as far as the
   tokenizer has these two, as a model of the task takes them. A prompt for
   Algorithm 10 gets no eos_token (E35), unless nothing else is left; for
   Algorithm 9 each GAP is a mask_token. With words each keeps the blank
   behind it (E28), so a blank is put behind the last one. No token at all is
   refused, and so are more than ell_max. The text is a part of f->text. */
Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Task task, Error *f);
extern const char GAP[];

/* Returns the tokens of n bytes, without special ones. Gives up where there
   is none, and quotes the character or the word. */
Tokens encode_ordinary(const Tokenizer *t, Arena *arena, const char *text,
                       size_t n, Error *f, int at);

/* Sets *line to the next line of n bytes of text, without its end, and moves
   *at, at first 0, behind it; false: there is none. The mark of UTF-8 before
   the first is left out. */
bool next_text_line(const char *text, size_t n, size_t *at, Piece *line);

/* Data to train a model, and data held out. */
typedef struct {
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    int N_C;
    Data train, held_out;
    double bytes;               /* of the file                            */
    const char *sum;            /* its checksum, in hexadecimal           */
} Corpus;

/* Returns the corpus of a file, in the arena. It has the tokenizer and
   classes of the model, or makes its own where model is NULL. A sequence has
   at most ell_max tokens. Gives up, with the place, if the file does not
   have what the task needs. */
Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const char *name, Error *f);
#endif
