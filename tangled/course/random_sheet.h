/* Sheets with random numbers, for exercises and for the trials of a lab.

   Main type: RandomSheet. Entry points: add_random_items fills a sheet by a
   list of names, random_sheet_text prints it. In go an algorithm, sizes and
   a generator; out comes the text of a sheet. */
#ifndef FTX_RANDOM_SHEET_H
#define FTX_RANDOM_SHEET_H
#include "sheet/claim.h"

/* The sizes of a sheet, in the paper's letters. H is 0 where matrices are of
   no head; u: how many uniform numbers there are. */
typedef struct {
    int d_e, d_z, d_attn, d_mid, d_out, d_f, d_mlp, ell_x, ell_z, ell_max,
        N_V, H, u;
} Sizes;

enum { MOST_ENTRIES = 80, MOST_ITEMS = 100 };

/* IDs and counts; real numbers; a column a token; a weight, out x in. */
typedef enum { COUNTS, NUMBERS, TOKEN_COLUMNS, OUT_BY_IN } ItemKind;

/* What a sheet gives under a name: row after row, in the paper's layout. */
typedef struct {
    char name[32];
    ItemKind kind;
    int rows, cols;
    double at[MOST_ENTRIES];
} RandomItem;

typedef struct {
    int algorithm;
    bool quarters;              /* from -2 to 2; else small whole numbers */
    const Layout *layout;
    char settings[120];         /* lines of the sheet that give no item   */
    Sizes size;
    Random *random;
    int n;
    RandomItem item[MOST_ITEMS];
} RandomSheet;

/* Adds an item and returns it, all 0 if it is COUNTS. Else its numbers are
   random and no poor example: no row and no column is 0 throughout, and no
   token comes twice if that can be. */
RandomItem *add_item(RandomSheet *s, const char *name, ItemKind kind,
                     int rows, int cols);

/* Adds n token IDs, each from 1 to N_V, and returns them. */
RandomItem *add_random_ids(RandomSheet *s, const char *name, int n);

/* Adds the items of a list such as "eta=1 x enc1.W_q W_u"; what a head has
   for head 1, 2, ... H. A matrix has the shape that the algorithm takes. */
void add_random_items(RandomSheet *s, const char *names);

/* Returns the item of that name; NULL: there is none. */
RandomItem *find_random_item(RandomSheet *s, const char *name);

/* Returns the text of the sheet, in its layout. */
const char *random_sheet_text(Arena *arena, const RandomSheet *s);

/* Returns the run of a sheet; NULL: it is refused. */
const Run *try_sheet_text(Arena *arena, const char *text);
#endif
