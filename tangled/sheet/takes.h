/* What an algorithm takes: its arguments, their spellings and shapes.

   Main types: Layout, Taken. Entry points: taken_by, known_name. In go the
   number of an algorithm and a name; out comes what is known of it. */
#ifndef FTX_TAKES_H
#define FTX_TAKES_H
#include "sheet/sheet.h"

/* How matrices are written. */
typedef struct {
    const char *name, *meaning;
    bool rows;                  /* the vector of a token is a row         */
    bool weights;               /* a weight is transposed                 */
} Layout;
enum { LAYOUTS = 4 };           /* paper, textbook, torch, berkeley       */
extern const Layout layouts[LAYOUTS];

/* W_e as it stands for W_u on a sheet: "W_eᵀ", or "W_e" where the layout
   has written one of them transposed. */
const char *as_W_u(const Layout *layout);

/* What an algorithm takes under a name. The shape is in letters, in the
   paper's layout. */
typedef struct {
    bool tokens, weight;        /* a column for each token; out x in      */
    const char *rows, *cols;    /* rows NULL: a number or a word, or no
                                   such thing; cols NULL: a vector        */
} Taken;
Taken taken_by(int algorithm, const char *name);

/* The name that is spelled so, without _ { } \ and ^, in an algorithm, or
   else in another one; NULL: none is. */
const char *known_name(int algorithm, const char *plain);

/* Whether a number, a list or a word stands under this name, so that an item
   may do without an equals sign; or, if word is true, whether a word may. */
bool is_key(const char *name, bool word);

/* The names that an algorithm takes and its steps, or, for a claim, its
   steps alone, as a sentence in `to`, which is returned. */
enum { NAMES_BYTES = 800 };
const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim);

/* Prints for a help text what an algorithm takes, and its steps; what each
   algorithm starts from, a line each. */
void print_algorithm(FILE *out, int algorithm);
void print_starts(FILE *out);

/* Whether an algorithm takes an argument of this name, or has such a step;
   a claim must be a step. */
bool knows_name(int algorithm, const char *name, bool claim);

/* What a sheet of each algorithm starts from; behind "; or ", from what
   later. */
extern const char *const sheet_starts[16];
#endif
