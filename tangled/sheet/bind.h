/* Binding a sheet: its items, their shapes, and the matrices of the listing.
   Main types: Job, which is a Bound while it runs, and Given. Entry points:
   check_items, all_fit, bind_matrices, start_given. Items flow in; matrices
   in the paper's layout, numbers and words flow out. What is wrong is refused
   with its place in the sheet. */
#ifndef FTX_BIND_H
#define FTX_BIND_H
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"
#include "practice/practice.h"
#include "library/tape.h"
#include <string.h>

typedef struct {
    const char *symbol;
    int size;
    const Item *by;             /* who fixed it; NULL: no item            */
} Dimension;
typedef struct {
    const Item *item;           /* does not fit, because ...              */
    const Argument *argument;
    const Dimension *letter;    /* ... this was fixed before; NULL: it    */
    int is;                     /* is no vector                           */
} Misfit;
typedef struct {
    int H;                      /* the heads, which share the rows of Y   */
    int n;
    Dimension dimension[24];
    Misfit misfit;              /* where the shapes do not fit            */
} Dimensions;

typedef struct {                /* what is given, or stands in for that   */
    const Item *item;           /* of the sheet; NULL: it is assumed      */
    const Argument *shape;      /* its kind, and the letters of its shape */
    Step place;                 /* name, part, layer and head, such as W_q
                                   of layer 2, head 1; or, where it has a
                                   row, a step                            */
    const StepRow *user;        /* the first step computed from it        */
    Mat M;                      /* in the paper's layout; NULL: a number,
                                   a list or a word                       */
    Mat *to;                    /* where theta has it; NULL: in none      */
} Given;

typedef struct {                /* how far a run has come                 */
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    double entries;             /* of all steps so far                    */
    Place at;                   /* the part, layer, head that is running  */
    const struct Seen *seen;    /* the latest                             */
    Mat S;                      /* the scores before they are scaled      */
    Mat end;                    /* the step where gradients begin         */
    const StepRow *last;        /* that is known                          */
    bool rederive;              /* does a line follow from a derived step? */
    const Step *deriving;       /* the step that a formula is for         */
    bool misses;                /* what it is made of is unknown          */
} RunState;

typedef struct {                /* of Algorithms 11 to 15                 */
    int turn, epoch;
    Data data;                  /* the sequences of a training            */
    int N_epochs;
    int *row, in_row;           /* indices seen in a loop ...             */
    const char *row_line;       /* ... and where                          */
    int ell_gen;                /* tokens to be drawn                     */
    NumberList chances;         /* uniform numbers for all that is drawn  */
    Mat kept;                   /* of the latest q; NULL: nothing is      */
} LoopState;

typedef struct Bound {          /* 24 fields: all that a sheet says       */
    Run run;                    /* what comes out                         */
    Error *f;
    Arena *arena;
    Tape *tape;
    Variation *variation;       /* NULL: none                             */
    const Item *start;          /* the item `algorithm`                   */
    Given *given;               /* what each item gives that is no claim,
                                   in their order; behind that what is
                                   assumed, without an item; and behind
                                   the last an empty one, without a shape */
    int givens;
    bool late;                  /* a step is given: not all is known      */
    bool identity;              /* all W are left out                     */
    bool *wanted, derives;      /* which rows are derived; is any?        */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    Mask mask;
    Mat positions;              /* as they were computed; NULL: given     */
    double tau, epsilon;
    int H;                      /* the heads                              */
    Dimensions size;
    char assumed[4000];
    Hyperparameters hyper;      /* of a model                             */
    Theta *running;             /* as it is now; NULL: no model           */
    RunState now;
    LoopState loop;
} Job;

/* ---- item.c: what stands on a sheet */

/* Lists what is given: for each item that is no claim, whether it is an
   argument or a step, and its place. Counts the heads. */
void check_items(Job *job);

/* Makes room for more of what is given, and for the empty one at the end. */
void make_room(Job *job, int more);

/* Returns the argument of that name; NULL: the algorithm has none. */
const Argument *argument_of(const Job *job, const char *name);

/* Returns whether each head of a component has a matrix of this name. */
bool is_per_head(const Job *job, const char *name);

/* Returns the item that gives this name, of a head or of none; or NULL. */
const Item *find_item(const Job *job, const char *name, int head);

/* As find_item; but where there is none, that is refused, unless the sheet
   starts late. */
const Item *require_item(const Job *job, const char *name, int head);

/* Returns whether any of the names, with blanks between them, is given. */
bool is_any_given(const Job *job, const char *names);

/* Notes for the first line of a report what is assumed, such as "b_q = 0". */
void note_assumption(Job *job, const char *name, const char *what);

/* Returns the number that is given under a name, or `instead`. Out of its
   range, or not a number, it is refused. */
double number_given(const Job *job, const char *name, double instead);

/* As number_given, for an integer of least ... most; the refusal has `range`
   behind that. `instead` must be in the range, too. */
int integer_given(const Job *job, const char *name, int instead, int least,
                  int most, const char *range);

/* Returns which of the words, with blanks between them, is given, from 1; 0:
   none is. Another word is refused. */
int word_given(const Job *job, const char *name, const char *words);

/* Returns the letter of this run for a letter of a row: d_out of a head is
   d_mid in a model. */
const char *letter_of(const Job *job, const StepRow *row,
                      const char *letter, Part part);

/* Returns whether an entry stands for -inf, as only masked scores do and masks
   that are added to them. */
bool hides(const Item *item);

/* Refuses an item that may be of any of three attentions. */
_Noreturn void refuse_which_attention(const Job *job, const Item *item);

/* ---- shape.c: which letter has which size */

/* Returns whether a layout transposes an argument of that kind. */
bool is_transposed(Kind kind, const Layout *layout);

/* Returns the size of a letter; 0: not known. */
int letter_size(const Dimensions *d, const char *symbol);

/* Returns the size of a letter of the sheet; 1: not known, or NULL. */
int size_or_1(const Job *job, const char *symbol);

/* Refuses so many entries of all steps together, if they are too many. */
void limit_entries(const Job *job, double entries);

/* Returns whether all shapes fit in a layout, and in *d the sizes of the
   letters, or the first misfit. */
bool all_fit(const Job *job, const Layout *layout, Dimensions *d);

/* Refuses a sheet for the misfit in its layout. */
_Noreturn void refuse_shape(const Job *job, const Misfit *m);

/* Returns whether an argument is what X is where nothing else is given. */
bool is_X_without_it(const Argument *a);

/* Returns whether an item is one number for each entry of a vector. */
bool is_for_each_entry(const Argument *a, const Item *item);

/* Returns the most entries of a given item of these names or, of numbered
   items such as W_q^2 or x_2, the largest number; at least `most`. */
int most_of(const Job *job, const char *names, bool numbered, int most);

/* Returns the length of the longest sequence that a model reads. */
int longest_sequence(const Job *job);

/* Refuses a sheet one of whose steps would have too many entries. */
void limit_sizes(const Job *job);

/* ---- bind.c: what is bound in that shape */

/* Binds all matrices that the listing takes, and theta. What is needed and
   not there is refused. */
void bind_matrices(Job *job);

/* Copies all that is bound to where the run has it, with what a variation
   makes of it. */
void start_given(Job *job);

/* Returns what is given or stands in for an argument at a place: its name,
   part, layer and head; NULL: nothing is. */
Given *given_at(const Bound *bound, const Step *place);

/* Returns entry k of an item as a number; in a mask that is added, 1 for 0
   and 0 for -inf. One that cannot be is refused. */
double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k);

/* Returns t, or, counted from 0, pos; one of 1 ... most. */
int given_position(const Job *job, int most, const char *range);

/* Returns what a variation makes of a matrix. */
Mat vary(const Job *job, Moment moment, const Step *step, Mat M);

/* Copies the entries of a matrix into another of its shape. */
void copy_into(Mat to, Mat from);
#endif
