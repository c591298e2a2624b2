/* The table of arguments, which binding reads.

   Main type: Argument. Entry points: find_argument, arguments. */
#ifndef FTX_ARGUMENTS_H
#define FTX_ARGUMENTS_H
#include "sheet/step.h"

typedef enum {
    WORD, NUMBER,
    TOKENS,                     /* a column for each token                */
    ONE_OR_MORE,                /* the same; one row or column: one token */
    WEIGHT,                     /* out x in                               */
    VECTOR,                     /* one row or one column                  */
    MASK,                       /* a word, or a column for each query     */
    LIST                        /* of token IDs, or of numbers            */
} Kind;

typedef struct {
    int algorithms[16];         /* { 4, 5 }: it is for these              */
    const char *name;
    Kind kind;
    const char *rows, *cols;    /* in the paper's layout                  */
    const char *instead;        /* NULL: it is needed; "": nothing        */
} Argument;

extern const Argument arguments[];
extern const int argument_rows;

/* Whether an algorithm takes an argument. */
bool takes(int algorithm, const Argument *argument);

/* The argument of that name; NULL: the algorithm does not take it. */
const Argument *find_argument(int algorithm, const char *name);

/* Returns what a model has an argument of this name for. */
typedef enum {
    OF_MODEL,                   /* once                                   */
    OF_HEAD,                    /* for each head of each attention        */
    OF_ATTENTION,
    OF_LAYER,                   /* of the encoder, or of the only part    */
    OF_DECODER                  /* for each layer of the decoder          */
} Owner;
Owner owner_of(const char *name);

/* Writes the names of all arguments of an algorithm. */
void list_arguments(char *list, size_t size, int algorithm);
#endif
