/* model/corpus.h: a file of text becomes data to train with.
   Main type Corpus; entry point read_corpus. The name of a file flows in;
   token sequences flow out, the last part of them held out. */
#ifndef FTX_CORPUS_H
#define FTX_CORPUS_H
#include "model/file.h"

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
