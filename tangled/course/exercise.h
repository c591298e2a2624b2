/* Exercises: sheets with blanks to fill in, and their keys.

   Main type: Exercise. In goes what is wanted of an exercise; out come a
   sheet, a key or a page of LaTeX. exercise.c draws it, worksheet.c sets
   the page. */
#ifndef FTX_EXERCISE_H
#define FTX_EXERCISE_H
#include "course/random_sheet.h"
#include "sheet/label.h"

/* What was typed. */
typedef struct {
    int algorithm, seed, decimals, layout, mask;
    bool exact, key, tex;
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

/* Writes entry (i, j) of a step: exact, such as 2/3, or with the decimals of
   the exercise. */
void answer_text(const Exercise *e, const Step *step, int i, int j,
                 char *to, size_t size);

/* Writes where a step stands, such as "4.4, h = 2". */
void step_place(const Exercise *e, const Step *step, char *to, size_t size);

/* Prints the exercise as a LaTeX document, with its key on a page of its
   own. */
void print_worksheet(FILE *out, const Exercise *e);
#endif
