/* Shapes: which letter has which size, and the matrices that have them.
   Main types: Dimensions, GivenMatrix. Entry points: all_fit, bind_matrix,
   argument_matrix. Items flow in, matrices in the paper's layout flow out. */
#ifndef FTX_SHAPE_H
#define FTX_SHAPE_H
#include "sheet/bind.h"

typedef struct {
    const Item *item;           /* does not fit, because ...              */
    const Argument *argument;
    const Dimension *letter;    /* ... this was fixed before; NULL: it    */
    int is;                     /* is no vector                           */
} Misfit;

/* Returns whether a layout transposes an argument of that kind. */
bool is_transposed(Kind kind, const Layout *layout);

/* Returns the size of a letter; 0: not known. */
int letter_size(const Dimensions *d, const char *symbol);

/* Returns the size of a letter of the sheet; 1: not known. */
int size_or_1(const Job *job, const char *symbol);

/* Refuses so many entries of all steps together, if they are too many. */
void limit_entries(const Job *job, double entries);

/* Returns whether all shapes fit in a layout, and the sizes of the letters;
   or what does not fit. */
bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
             Misfit *misfit);

/* Refuses a sheet for that misfit. */
_Noreturn void refuse_shape(const Job *job, const Misfit *m);

/* Returns entry k of an item as a number. One that cannot be is refused. */
double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k);

/* Fills M, in the paper's layout, from an item. */
void fill_matrix(Job *job, Mat M, const Argument *a, const Item *item);

/* Fills M with what is given at a place, or stands in for that, and keeps it
   for the runs. */
void bind_matrix(Job *job, const Step *place, Mat M);

/* Binds the matrix of a component's argument, of a head or of none, unless
   nothing or something else stands for it. */
void bind_argument(Job *job, const char *name, int head);

/* Returns a copy of a bound matrix on the tape, with what a variation makes
   of it. One that is not bound is refused. */
Mat argument_matrix(Job *job, const char *name, int head);

/* Returns the mask that is given, or that of a word. */
Mask argument_mask(Job *job);

/* Returns what a variation makes of a matrix. */
Mat vary(const Job *job, Moment moment, const Step *step, Mat M);

/* Copies the entries of a matrix into another of its shape. */
void copy_into(Mat to, Mat from);

/* Returns which model the algorithm runs. */
Architecture architecture(const Job *job);

/* Returns how many layers a part of a model has. */
int layers_of(const Hyperparameters *h, Part part);

/* Returns the part of the model that an item is about. */
Part part_of_item(const Job *job, const Item *item);

/* Returns the place of a parameter, a step without a matrix. */
Step place_of(const Parameter *p);

/* Returns whether the k-th item is about a place. */
bool is_at(const Job *job, int k, const Step *place);

/* Returns the item that is about a place; NULL: none is. */
const Item *item_at(const Job *job, const Step *place);
#endif
