/* check/: what is claimed on a sheet is judged, and explained by slips.

   Main types: Judgement, Effect. Entry points: judge_sheet, check_text,
   effects_of; check and list_slips are commands. */
#ifndef FTX_CHECK_H
#define FTX_CHECK_H
#include "check/judge.h"

CommandMain check, list_slips;  /* of `ftx check` and `ftx slips`         */

/* Prints a judgement as text. */
void check_text(FILE *out, const Judgement *judgement);

/* Prints a judgement as one JSON object on a line. */
void check_json(FILE *out, const Judgement *judgement);

/* What a slip does to a sheet. */
typedef struct {
    const Slip *slip;
    const Step *right, *wrong;  /* the first step that it changes, as it
                                   is and as it becomes; NULL: it changes
                                   none                                   */
    int i, j;                   /* the first entry                        */
    uint64_t sum;               /* of all numbers that are asked for      */
} Effect;

/* Finds the effects of the n slips that can be made on the sheet of a run.
   Asked for are the steps that are claimed, or all if none is, to so many
   decimals. *sum is that of the run itself. */
Effect *effects_of(const Run *run, int decimals, Arena *arena, Tape *tape,
                   int *n, uint64_t *sum);

/* Finds the effect of one slip; false if it cannot be made. */
bool effect_of(const Run *run, const Slip *slip, int decimals, Arena *arena,
               Tape *tape, Effect *effect);

/* The sum of those numbers of another run that this one is asked for. */
uint64_t sum_of_answers(const Run *run, const Run *other, int decimals);
#endif
