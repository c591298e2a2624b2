/* What is said of a judgement.

   Entry points: check_text, check_json, marked_run. */
#ifndef FTX_REPORT_H
#define FTX_REPORT_H
#include "check/judge.h"

/* Print a judgement as text and as one JSON object on a line. */
void check_text(FILE *out, const Judgement *judgement);
void check_json(FILE *out, const Judgement *judgement);

/* Writes what went wrong first, and why, in one sentence. */
void first_sentence(char to[1000], const Judgement *judgement);

/* The claims as the steps of a run, with a mark on each cell. */
const Run *marked_run(const Judgement *judgement, Arena *arena);

/* What is odd about the entries of a claim, each in a few words. */
typedef struct {
    int n;
    char text[5][200];
} Remarks;
void remarks_on(const Judgement *judgement, const Judged *judged,
                Remarks *to);
#endif
