/* Running: the observer that makes steps of what a listing names.

   Entry point: collect_step, the observer. */
#ifndef FTX_COLLECT_H
#define FTX_COLLECT_H
#include "sheet/names.h"

/* The observer of a run: makes a step of each value, and answers with what
   the sheet gives for it or a variation makes of it. M is NULL where a line
   names an index. Of updated parameters it only takes note. */
Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index);

/* Notes that a step was seen which is a row of n integers, and adds it to the
   run; if they are not known it is only noted. Returns the row. */
Mat add_integers(Job *job, Step step, int n, const int *number, bool known);

/* Runs backward from the step where gradients begin, and adds them. */
void collect_gradients(Job *job);
#endif
