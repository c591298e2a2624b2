/* Shapes: which letter has which size, and the matrices that have them.

   Main types: Dimensions, Misfit. Entry points: all_fit, bind_matrix,
   matrix_to_run. */
#ifndef FTX_SHAPE_H
#define FTX_SHAPE_H
#include "sheet/bind.h"

/* Whether a layout transposes an argument of that kind. */
bool is_transposed(Kind kind, const Layout *layout);

/* The size of a letter; 0: not known; or 1 instead of that. */
int letter_size(const Dimensions *d, const char *symbol);
int size_or_1(const Job *job, const char *symbol);

/* Whether an item is one number that stands for each entry of a vector. */
bool is_for_each_entry(const Argument *a, const Item *item);

/* Refuses so many entries of all steps together, if they are too many. */
void limit_entries(const Job *job, double entries);

/* Whether all shapes fit in a layout; the letters' sizes, or what does not
   fit. */
bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
             Misfit *misfit);
_Noreturn void refuse_shape(const Job *job, const Misfit *m);

/* The value of entry k of an item. One that cannot be is refused. */
double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k);

/* Fills M, in the paper's layout, from an item. */
void fill_matrix(Job *job, Mat M, const Argument *a, const Item *item);

/* Fills M with what is given at a place, and keeps it for the runs. */
void bind_matrix(Job *job, const Step *place, Mat M);

/* Binds the matrix of a component's argument, of a head or of none, unless
   nothing or something else stands for it. */
void bind_argument(Job *job, const char *name, int head);

/* A copy of a bound matrix on the tape, with what a variation makes of it.
   One that is not bound is refused. */
Mat argument_matrix(Job *job, const char *name, int head);

/* The mask that is given, or that of a word. */
Mask argument_mask(Job *job);

/* What a variation makes of a given matrix. */
Mat vary_given(const Job *job, const Step *place, Mat M);

/* Copies the entries of a matrix into another of its shape. */
void copy_into(Mat to, Mat from);

/* The model of the algorithm; how many layers a part of it has. */
Architecture architecture(const Job *job);
int layers_of(const Hyperparameters *h, Part part);

/* The part of the model that an item is about; the place of a parameter;
   the item that is about a place, or NULL; whether the k-th item is. */
Part part_of_item(const Job *job, const Item *item);
Step place_of(const Parameter *p);
const Item *item_at(const Job *job, const Step *place);
bool is_at(const Job *job, int k, const Step *place);
#endif
