/* model/predict.h: what the commands share that use a trained model.
   No type of its own; entry point load_for_task. A model's name flows in, a
   Model with a tape that is ready for it flows out. */
#ifndef FTX_PREDICT_H
#define FTX_PREDICT_H
#include "model/file.h"

/* Returns the model in that file, to be used by a command, and prepares the
   tape of the command. A model of another task is refused. */
Model *load_for_task(Command *c, const char *name, Task task, Error *f);

#endif
