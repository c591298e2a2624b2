/* check/: what is claimed on a sheet is judged, and explained by slips.

   Main type: Judgement. Entry points: judge_sheet, check_text; check and
   list_slips are commands. */
#ifndef FTX_CHECK_H
#define FTX_CHECK_H
#include "check/judge.h"

CommandMain check, list_slips;  /* of `ftx check` and `ftx slips`         */

/* Prints a judgement as text. */
void check_text(FILE *out, const Judgement *judgement);

/* Prints a judgement as one JSON object on a line. */
void check_json(FILE *out, const Judgement *judgement);

#endif
