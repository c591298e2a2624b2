/* Formulas over matrices, such as "softmax(S / sqrt(d_attn))".

   Main type: Names. Entry point: formula_value. In go a formula and what its
   names stand for; out comes a matrix on the tape. */
#ifndef FTX_FORMULA_H
#define FTX_FORMULA_H
#include "library/tape.h"

/* What the names in a formula stand for. value is NULL where a name is
   unknown, and a constant of one entry where it is a number. */
typedef struct {
    void *to;
    Mat (*value)(void *to, const char *name, int length);
    Tape *tape;
} Names;

/* The value of a formula, on the tape; NULL where it cannot be made: a name
   is unknown, shapes do not fit, or no number comes out. */
Mat formula_value(const Names *names, const char *formula);
#endif
