/* model/model.h: models of real texts are trained, saved, used and looked
   into.

   Entry points: the commands, and show_inside, which is ftx show --model.
   Arguments flow in, and what a model says flows out. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "model/corpus.h"
#include "model/file.h"

/* The commands, as the table in main.c calls them. */
CommandMain count_numbers, train, tokenize, show_inside;

/* ftx generate, translate, fill or classify, whichever f->sheet names. */
CommandMain predict;
#endif
