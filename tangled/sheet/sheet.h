/* sheet/: an example as it was typed, its run, and the steps of that. */
#ifndef FTX_SHEET_H
#define FTX_SHEET_H
#include "cli/command.h"

/* One entry of a matrix as it was written. */
typedef struct {
    double value;               /* NaN for "?", an entry nobody claims    */
    int decimals;               /* as typed: 2 for 1.50; EXACT for 1/2    */
    bool single;                /* in a claim: printed in single precision */
    int at;                     /* where it stands; this, and how it was  */
    int bytes;                  /* typed, is set by the reader of sheets  */
    const char *typed;
} Entry;
enum { EXACT = -1 };

/* read_entry reads the entry at *text, a string, and moves *text behind
   it; a comma may be a decimal one. It returns NULL; or what is wrong, and
   then *text is the place. scale_entry multiplies an entry by a number that
   is not 0; after_times is behind a sign of multiplication at p, or p. */
const char *read_entry(const char **text, bool comma, Entry *entry);
void scale_entry(Entry *entry, double by);
const char *after_times(const char *p);

/* Does p begin with this? How long is the first of the words, with blanks
   between them, that p begins with? 0: it begins with none. */
bool begins(const char *p, const char *with);
size_t begin_of(const char *p, const char *words);

/* Walks over words with blanks between them. */
static inline bool ends_word(char c)
{
    return c == ' ' || c == '\0';
}

static inline const char *after_word(const char *p)
{
    while (!ends_word(*p))
        p++;
    return p + (*p == ' ');
}

/* What a name stands for: a value; grad.W_u, a gradient; or new.W_u, the
   value after a step of training. */
typedef enum { VALUE, GRADIENT, NEW } Aspect;

/* An item of a sheet: `mask none`, `X = 1 0 ; 0 1`, `claim A = ...`. */
typedef struct {
    const char *name;           /* as in the C, such as W_q               */
    const char *typed;          /* as it was typed                        */
    Aspect aspect;
    Part part;                  /* ENC in enc2.W_q^3 ...                  */
    int layer, head;            /* ... 2 and 3; 0 where there is none     */
    int turn;                   /* 4 in i4.p, of a loop                   */
    int algorithm, line;        /* 10, 6 in `claim 10.6 X = ...`; or 0    */
    int at;                     /* where it stands                        */
    bool claim;
    const char *word;           /* `none`; NULL where there is a matrix   */
    int rows, cols;             /* of the matrix as it was written ...    */
    const Entry *entry;         /* ... row after row                      */
} Item;

typedef struct {
    const char *name, *text;
    int n;
    const Item *item;
    bool commas;                /* some were read as decimal points       */
    int algorithm;              /* 0: not known                           */
    bool inferred;              /* from the names: no line says it        */
} Sheet;
enum { SHEET_BYTES = 1 << 20, SHEET_ITEMS = 1000 };    /* at most        */

/* read_sheet reads the file of that name, "-" for standard input;
   sheet_of reads a text of length bytes, with room for one more, and
   changes it. A sheet lives in the arena. What is wrong ends the
   attempt. */
const Sheet *read_sheet(Arena *arena, const char *name, Error *f);
const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Error *f);

/* Whether it is one of the words of a list with blanks. */
bool word_in(const char *list, const char *word, size_t length);

/* Adds a name to a list with commas, if there is room enough. */
void add_to_list(char *list, size_t size, const char *name);
#endif
