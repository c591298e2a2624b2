/* Exercises: sheets with blanks to fill in, and their keys.

   Main type: Exercise. In goes what is wanted of an exercise; out come a
   sheet and its key. */
#ifndef FTX_EXERCISE_H
#define FTX_EXERCISE_H
#include "course/random_sheet.h"
#include "sheet/label.h"

/* What was typed. */
typedef struct {
    int algorithm, seed, decimals, layout, mask;
    bool exact, key;
} ExerciseOptions;

/* A sheet without claims, and the steps to be claimed. */
typedef struct {
    const ExerciseOptions *options;
    const char *title;          /* of the algorithm                       */
    const char *command;        /* that draws it again                    */
    const char *given;          /* the sheet up to the claims             */
    const Run *run;
    int n, notes;
    const Step **claim;         /* claim[0] ... claim[n - 1]              */
    const char **formula;       /* of each claim                          */
    const char *note[8];        /* what else has to be known              */
} Exercise;
#endif
