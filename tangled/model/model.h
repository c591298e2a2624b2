/* model/model.h: models of real texts are trained, saved, used and looked
   into.

   Main type: Interventions. Entry points: the commands, and show_inside,
   which is ftx show --model. Arguments flow in, and what a model says flows
   out. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "model/corpus.h"
#include "model/file.h"
#include "sheet/label.h"

/* The commands, as the table in main.c calls them. */
CommandMain count_numbers, train, tokenize, show_inside;

/* ftx generate, translate, fill or classify, whichever f->sheet names. */
CommandMain predict;

/* What --set changes in a model. */
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
