/* Arithmetic: the entries of a sheet, such as e^(2*sqrt(2))/(1+e^2), and
   formulas over matrices, such as softmax(S / sqrt(d_attn)). Main types:
   Entry, Scope. Entry points: parse_entry, formula_evaluate. Text flows in,
   a number or a matrix on a tape flows out. */
#ifndef FTX_FORMULA_H
#define FTX_FORMULA_H
#include "sheet/token.h"
#include "ftx.h"

/* One entry of a matrix as it was written. */
typedef struct {
    double value;               /* NaN for "?", an entry nobody claims    */
    int decimals;               /* as typed: 2 for 1.50; EXACT for 1/2    */
    bool single;                /* in a claim: printed in single precision */
    int at;                     /* where it stands; this, and how it was  */
    int bytes;                  /* typed, is set by the reader of sheets  */
    const char *typed;
} Entry;

/* Reads the entry at *text, a string: its value and its decimals, and all
   else is 0. Moves *text behind it. Returns NULL; or what is wrong, and then
   *text is the place. */
const char *parse_entry(const char **text, Entry *entry);

/* What the names in a formula stand for, and the tape of its value. */
typedef struct {
    void *data;
    Mat (*find_value)(void *data, const char *name, int length);
                                /* NULL: unknown                          */
    Tape *tape;
} Scope;

/* Returns the value of a formula, on the tape; or NULL where it has none: a
   name is unknown, shapes do not fit, or an entry is no number; the tape
   lets such entries pass. A formula that is spelled wrong is an error of the
   program and ends it. */
Mat formula_evaluate(const Scope *scope, const char *formula);
#endif
