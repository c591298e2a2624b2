/* model/model.h: models of real texts are trained, saved and used.
   No type of its own; entry points are the commands, and show_inside, which
   is ftx show --model. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "model/corpus.h"
#include "model/intervention.h"
#include "model/released.h"

/* The commands, as the table in main.c calls them. */
CommandMain count_numbers, train, tokenize, show_inside, import_released,
            export_model;

/* ftx generate, translate, fill or classify, whichever f->sheet names. */
CommandMain predict;

/* Returns the model in that file, to be used by a command, and prepares the
   tape of the command. A model of another task is refused. */
Model *load_for_task(Command *c, const char *name, Task task, Error *f);
#endif
