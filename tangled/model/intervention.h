/* Interventions: what --set says of values inside a model.

   Main type: Interventions. Entry points: interventions_read, intervene. In
   come texts, and the values of lines; other values go out. */
#ifndef FTX_INTERVENTION_H
#define FTX_INTERVENTION_H
#include "cli/options.h"
#include "library/parameters.h"
#include "sheet/label.h"

typedef struct Interventions Interventions;

/* Reads what --set says, for a model with texts of ell_z and ell_x tokens,
   into the arena. Fails where a word is wrong or there is no such place. */
Interventions *interventions_read(Arena *arena, const Hyperparameters *hyper,
                                  const Texts *set, int ell_z, int ell_x,
                                  Error *f);

/* Returns what becomes of the value M of a line, such as 8.8, at a place.
   Must be given the values of all lines, in their order. */
Mat intervene(Interventions *all, const Place *at, const char *line, Mat M);

/* Returns a copy of a matrix, in the arena. */
Mat matrix_copy(Arena *arena, Mat M);
#endif
