/* sheet/: an example as it was typed, its run, and the steps of that. */
#ifndef FTX_SHEET_H
#define FTX_SHEET_H
#include "shell/shell.h"

/* One entry of a matrix as it was written. */
typedef struct {
    double value;               /* NaN for "?", an entry nobody claims    */
    int decimals;               /* as typed: 2 for 1.50; EXACT for 1/2    */
    int at;                     /* where it stands, set by the caller     */
} Entry;
enum { EXACT = -1 };

/* read_entry reads the entry at *text, a string, and moves *text behind
   it. It returns NULL; or what is wrong, and then *text is the place. */
const char *read_entry(const char **text, Entry *entry);

/* Where in a model something is, as in enc1.W_q or layer2.X; and what a
   name stands for: a value; grad.W_u, a gradient; or new.W_u, the value
   after a step of training. */
typedef enum { NOWHERE, LAYER, ENC, DEC, ED } Part;
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
} Sheet;
enum { SHEET_BYTES = 1 << 20, SHEET_ITEMS = 1000 };    /* at most        */

/* read_sheet reads the file of that name, "-" for standard input;
   sheet_of reads a text of length bytes, with room for one more, and
   changes it. A sheet lives in the arena. What is wrong ends the
   attempt. */
const Sheet *read_sheet(Arena *arena, const char *name, Fault *f);
const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Fault *f);

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

/* What is drawn in a cell where somebody's own numbers are. */
typedef struct {
    const char *text;           /* the number                             */
    const char *right;          /* what it should be; "": just that       */
    const char *sign, *colour, *tex;    /* how that is shown              */
} CellMark;

/* A value that an algorithm names, in the layout of the sheet. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    Aspect aspect;
    Part part;                  /* of the model in which it arose ...     */
    int layer, head;            /* ... its layer, its head; 0: in none    */
    int turn;                   /* of a loop; 0: in none                  */
    char loop;                  /* n: its turns are sequences; i: tokens  */
    bool inner;                 /* in a model, and not a line of the
                                   sheet's algorithm; or a parameter that
                                   the sheet does not give                */
    int time;                   /* 2 for the second of this description   */
    bool turned;                /* M is the paper's matrix, transposed    */
    Mat M;
    const CellMark *mark;       /* of its entries, row after row; NULL:
                                   they are not judged                    */
    const char *remark;         /* NULL: none                             */
} Step;

typedef struct {
    const Sheet *sheet;
    int algorithm;
    const Layout *layout;
    int decimals;               /* asked for; -1 if none were             */
    bool scaled, rms, tied;     /* as the sheet has them                  */
    bool unplaced;              /* a model without positions              */
    const char *assumed;        /* such as "Z = X, b_q = 0", or ""        */
    const char *verdict;        /* on what is claimed; NULL: none         */
    int n;
    const Step *step;
    Mat result;                 /* what the algorithm returned, in the
                                   paper's layout; of training, how all of
                                   theta has changed, in one column; NULL:
                                   it did not return                      */
} Run;

/* run_sheet runs the algorithm of a sheet and collects its steps. The run
   lives in the arena, what is computed on the tape. A sheet that does not
   hold what its algorithm needs ends the attempt. */
const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                     Fault *f);

/* A variation of a run is shown every matrix that the sheet gives, every
   value when it has been computed, and again when it has become a step.
   It answers with M, or with another matrix of its shape on its tape that
   shall take its place. All are in the paper's layout. run_varied is
   run_sheet with a variation, for a sheet that run_sheet has run. */
typedef struct {
    void *to;
    Mat (*given)(void *to, const Step *place, Mat M);
    Mat (*computed)(void *to, const Step *step, Mat M);
    Mat (*carried)(void *to, const Step *step, Mat M);
    bool exchanged;             /* X and Z                                */
    const Run *run;             /* as far as it has come                  */
    Fault *fault;               /* of the run                             */
} Variation;
const Run *run_varied(const Sheet *sheet, Variation *variation,
                      Arena *arena, Tape *tape, Fault *f);

/* The root of a variance must be larger, or it may be no more than what
   rounding left of it. m is the mean. */
double least_root(double m);

/* The step that a claim is about; a claim about none ends the attempt. The
   step of a run that is the same as one of another run, or NULL; same_place
   says whether two steps are. */
const Step *step_of(const Run *run, const Item *claim, Fault *f);
const Step *same_step(const Run *run, const Step *step);
bool same_place(const Step *a, const Step *b);

/* The name of a step: as a claim has it, such as enc1.A^2; as it is shown,
   such as Ṽ, A^2 or 10.6 layer2.X. json_place is its place, behind
   "index":. */
int step_name(char *to, size_t size, const Step *step);
const char *step_label(char to[100], const Run *run, const Step *step);
void json_place(FILE *out, const Step *step);

/* What a step is, such as "A = softmax(S / √d_attn)"; where placed, with
   its place before it, such as "line 6, h = 2: ". print_step_text prints
   it placed; print_formula a formula, with the transpositions of the layout
   for its apostrophes. */
const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed);
void print_step_text(FILE *out, const Run *run, const Step *step);
void print_formula(FILE *out, const Run *run, const char *formula);

/* Is it made of distributions? How that is said. Is it line 5 of Algorithm
   4 with a mask that is 1 everywhere? */
bool sums_to_1(const Step *step);
const char *sums_text(const Run *run);
bool mask_is_1(const Step *step);

/* Algorithm, layout, and what the layout means, in to; the decimals that
   the numbers of a run are shown with. */
enum { TITLE_BYTES = 100 };
const char *run_title(char to[TITLE_BYTES], const Run *run);
int decimals_shown(const Run *run);
#endif
