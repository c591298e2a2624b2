/* Interventions: what --set says of values inside a model.

   Main type: Interventions. Entry points: interventions_read,
   observe_interventions. In come texts; out comes an observer. */
#ifndef FTX_INTERVENTION_H
#define FTX_INTERVENTION_H
#include "model/file.h"

typedef struct Interventions Interventions;

/* Reads what --set says, for a model, into the arena. Fails where a word is
   wrong or the model has no such place. */
Interventions *interventions_read(Arena *arena, const Theta *theta,
                                  const Texts *set, Error *f);

/* Sets how long z and x are. Fails where an intervention is at a token that
   they do not have. */
void interventions_check(Interventions *all, int ell_z, int ell_x);

/* Calls run(to, text) for each text that a value is taken from. It must run
   the model with observe_interventions, which takes the value and changes
   nothing. */
void interventions_capture(Interventions *all,
                           void (*run)(void *to, const char *text),
                           void *to);

/* Is the line, such as 8.8, one of the lines, a blank around each? */
bool is_line_in(const char *lines, const char *line);

/* From now on the interventions act on this tape. */
void observe_interventions(Tape *tape, Interventions *all);
#endif
