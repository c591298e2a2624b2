/* Texts as data to train with.

   Main type: Corpus. Entry point: read_corpus. In go files; out come token
   sequences, a part of them held out. */
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

/* Where progress is printed, every so many seconds: as lines, or on a
   terminal in one row, and there at least five times a second. */
typedef struct {
    FILE *to;
    double every;
} Telling;

/* Whether it is time to print progress; *told is when that was done last,
   and is set. */
bool is_time_to_tell(const Telling *telling, double *told);

/* Learns byte pairs from n bytes, and prints how far it is. */
const Tokenizer *learn_and_tell(Arena *arena, const char *text, size_t n,
                                int merges, const Telling *telling);

/* Reads the n files. model is what is to be trained further, with its
   tokenizer and classes; or NULL: they are made, and that is printed. What
   the files should not have ends the attempt. */
Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const Telling *telling, int n,
                   char *const name[], Error *f);
#endif
