/* check/: what is claimed on a sheet is judged, and explained by slips.

   Entry points: judge_sheet, check_text, find_effects; and the commands
   `ftx check` and `ftx slips`. In goes a sheet; out comes a judgement. */
#ifndef FTX_CHECK_H
#define FTX_CHECK_H
#include "check/effects.h"
#include "check/report.h"

CommandMain check, list_slips;  /* of `ftx check` and `ftx slips`         */
#endif
