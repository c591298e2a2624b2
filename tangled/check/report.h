/* A judgement in words and in JSON.

   Entry points: check_text, check_json. In goes a judgement. */
#ifndef FTX_REPORT_H
#define FTX_REPORT_H
#include "check/judge.h"

/* Prints a judgement as text. */
void check_text(FILE *out, const Judgement *judgement);

/* Prints a judgement as one JSON object on a line. */
void check_json(FILE *out, const Judgement *judgement);

/* Writes what is odd about the typed numbers of a claim, in a few words
   each, and returns how many remarks there are. */
enum { REMARKS = 3, REMARK_BYTES = 200 };
int find_remarks(const Judged *judged, char to[REMARKS][REMARK_BYTES]);
#endif
