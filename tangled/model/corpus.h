/* model/corpus.h: files of text become data to train with.
   Main type Corpus; entry point read_corpus. Names of files flow in; token
   sequences flow out, the last part of them held out. */
#ifndef FTX_CORPUS_H
#define FTX_CORPUS_H
#include "model/file.h"

/* Data to train a model, and data held out. */
typedef struct {
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    int N_C;
    Data train, held_out;
    double bytes;               /* of all files                           */
    const char *sum;            /* their checksum, in hexadecimal         */
} Corpus;

/* Returns the corpus of the n files, in the arena. It has the tokenizer and
   classes of the model, or makes its own where model is NULL. A sequence has
   at most ell_max tokens. Gives up, with the place, if the files do not have
   what the task needs. */
Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, int n, char *const name[], Error *f);
#endif
