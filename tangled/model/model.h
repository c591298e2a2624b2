/* model/: models of real texts are trained, saved, and used.

   The commands of the folder, and what the headers below offer. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "model/corpus.h"
#include "model/import.h"
#include "model/intervention.h"
#include "model/use.h"

/* Of `ftx count`, `ftx train` ...; show_inside of `ftx show --model`. */
CommandMain count_numbers, train, generate, translate, fill_texts,
         classify_texts, tokenize, show_inside, import_released,
         export_model;
#endif
