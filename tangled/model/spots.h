/* Interventions: what --set says of values inside a model.

   Main type: Spots. Entry points: spots_read, observe_spots. */
#ifndef FTX_SPOTS_H
#define FTX_SPOTS_H
#include "model/file.h"

/* Reads what --set says, for a model; a word or a place that the model does
   not have ends the attempt. */
typedef struct Spots Spots;
Spots *spots_read(Arena *arena, const Theta *theta, const Texts *set,
                  Error *f);

/* Ends the attempt where there is no such token, z and x being so long. */
void spots_fit(Spots *spots, int ell_z, int ell_x);

/* Lets run(to, text) run the model, with observe_spots, on each text that a
   value is taken from: this time the values are taken. */
void spots_take(Spots *spots, void (*run)(void *to, const char *text),
                void *to);

/* From now on the spots act on this tape. */
void observe_spots(Tape *tape, Spots *spots);
#endif
