/* An example as it was typed: a sheet is a list of items, an item a name with
   a word or a matrix. Main types: Sheet, Item. Entry points: read_sheet,
   parse_sheet. A file or a text flows in, items flow out. */
#ifndef FTX_SHEET_H
#define FTX_SHEET_H
#include "sheet/formula.h"
#include "cli/command.h"

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
    Item *item;
    int algorithm;              /* 0: not known                           */
    bool inferred;              /* from the names: no line says it        */
} Sheet;
enum { SHEET_BYTES = 1 << 20, SHEET_ITEMS = 1000 };    /* at most        */

/* Reads the file of that name, "-" for standard input, into a sheet in the
   arena. What is wrong is refused. */
const Sheet *read_sheet(Arena *arena, const char *name, Error *f);

/* As read_sheet, from a text of length bytes with room for one byte more,
   which the sheet changes and points into. */
const Sheet *parse_sheet(Arena *arena, const char *name, char *text,
                         int length, Error *f);
#endif
