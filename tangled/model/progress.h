/* model/progress.h: how far something is that takes long: on a terminal in
   one row that is written over and over, elsewhere in a few lines.
   Main type ProgressLog; entry point is_progress_due. */
#ifndef FTX_PROGRESS_H
#define FTX_PROGRESS_H
#include "cli/command.h"

/* Where progress is printed, and how many seconds apart; on a terminal at
   most 0.2. */
typedef struct {
    FILE *out;
    double every;
} ProgressLog;

/* Is it time to print? *last is the time when that was done, in seconds, and
   is set. */
bool is_progress_due(const ProgressLog *log, double *last);

/* Returns a tokenizer of byte pairs learned from n bytes, and prints how far
   it is. */
const Tokenizer *learn_pairs_with_log(Arena *arena, const char *text,
                                      size_t n, int merges,
                                      const ProgressLog *log);
#endif
