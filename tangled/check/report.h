/* A judgement in words, in JSON, and as steps with marks.

   Entry points: check_text, check_json, marked_run. In goes a judgement. */
#ifndef FTX_REPORT_H
#define FTX_REPORT_H
#include "check/judge.h"

/* Prints a judgement as text. */
void check_text(FILE *out, const Judgement *judgement);

/* Prints a judgement as one JSON object on a line. */
void check_json(FILE *out, const Judgement *judgement);

/* Returns the claims as the steps of a run, with a mark on each entry, for
   the pictures and tables of show/. It lives in the arena. */
const Run *marked_run(const Judgement *judgement, Arena *arena);

/* Writes what is odd about the typed numbers of a claim, in a few words
   each, and returns how many remarks there are. */
enum { REMARKS = 3, REMARK_BYTES = 200 };
int find_remarks(const Judged *judged, char to[REMARKS][REMARK_BYTES]);
#endif
