/* Running: the observer that makes steps of what a listing names.

   Entry points: collect_step, the observer; run_listing. */
#ifndef FTX_COLLECT_H
#define FTX_COLLECT_H
#include "sheet/bind.h"

typedef struct Seen {           /* a step that the run has come by        */
    Step step;
    bool known;                 /* else its numbers are NaN               */
    Given *given;               /* by the sheet; NULL: it is computed     */
    Mat M;                      /* NULL: a formula tells it               */
    const struct Seen *before;
} Seen;

/* The observer of a run: makes a step of each value, and answers with what
   the sheet gives for it or a variation makes of it. M is NULL where a line
   names an index. Of updated parameters it only takes note. */
Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index);

/* Each NULL if there is none: the matrix given as `name` for a step's head
   and layer; that, or a size, a setting or a list, as a matrix; the latest
   value of the role in this turn of the loop; the last known X or Z of a
   model, for a context Z only. */
Mat given_beside(const Job *job, const Step *step, const char *name);
Mat value_given(const Job *job, const Step *step, const char *name);
Mat number_constant(const Job *job, double x);
Mat latest_value(const Job *job, Role role);
Mat latest_flow(const Job *job, bool context);

/* A copy of M in the arena of the run, transposed if turn is true. */
Mat copy_matrix(Job *job, Mat M, bool turn);

/* Notes that a step was seen which is a row of n integers, and adds it to the
   run; if they are not known it is only noted. */
void add_integers(Job *job, Step step, int n, const int *number, bool known);

/* Runs backward from the step where gradients begin, and adds them. */
void collect_gradients(Job *job);

/* Calls the listing with what is bound. */
void run_listing(Job *job);
#endif
