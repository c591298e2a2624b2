/* Binding: which letter has which size, and what stands on a sheet, or in for
   what does not, in that shape. Main types: Dimensions, Given. Entry points:
   all_fit, bind_matrices, start_given. Items flow in, matrices in the paper's
   layout flow out. */
#ifndef FTX_BIND_H
#define FTX_BIND_H
#include "sheet/item.h"

/* Returns whether a layout transposes an argument of that kind. */
bool is_transposed(Kind kind, const Layout *layout);

/* Returns the size of a letter; 0: not known. */
int letter_size(const Dimensions *d, const char *symbol);

/* Returns the size of a letter of the sheet; 1: not known, or NULL. */
int size_or_1(const Job *job, const char *symbol);

/* Refuses so many entries of all steps together, if they are too many. */
void limit_entries(const Job *job, double entries);

/* Returns whether the shapes of all that is given fit in a layout, and in *d
   the sizes that follow (d_e, H ...), or the first misfit. */
bool all_fit(const Job *job, const Layout *layout, Dimensions *d);

/* Refuses a sheet for what did not fit in its layout. */
_Noreturn void refuse_shape(const Job *job);

/* Returns the most entries of a given item of these names or, of numbered
   items such as W_q^2 or x_2, the largest number; at least `most`. */
int most_of(const Job *job, const char *names, bool numbered, int most);

/* Returns the length of the longest sequence that a model reads. */
int longest_sequence(const Job *job);

/* Binds all matrices that the listing takes, and theta. What is needed and
   not there is refused. */
void bind_matrices(Job *job);

/* Copies all that is bound to where the run has it, with what a variation
   makes of it. */
void start_given(Job *job);

/* Returns what is given for the step of that row at a place or, without a
   row, what is given or stands in for the argument of that name; NULL:
   nothing is. */
Given *given_at(const Bound *bound, const Step *place);

/* Returns entry k, from 0, of an item that is argument a; in a mask that is
   added, 1 for 0 and 0 for -inf. What the argument cannot hold is refused. */
double entry_value(const Job *job, const Argument *a, const Item *item,
                   int k);

/* Returns t, or, counted from 0, pos; one of 1 ... most. */
int given_position(const Job *job, int most);

/* Returns the mask of an attention in a part of a model; of Algorithms 4 and
   5, by its word or its matrix. */
Mask mask_of_part(const Job *job, Part part);

/* Returns what a variation makes of a matrix. */
Mat vary(const Job *job, Moment moment, const Step *step, Mat M);

/* Copies the entries of a matrix into one that has as many; returns that. */
Mat copy_into(Mat to, Mat from);
#endif
