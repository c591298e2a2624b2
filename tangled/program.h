/* The program ftx: reading a sheet, running its algorithm, showing the
   steps. What a user types is validated here, before it comes near the
   library; a fault is one sentence with file, line and column. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include "ftx.h"
#include <setjmp.h>
#include <stdio.h>

/* A fault of a sheet: what is wrong, in one sentence, and where. */
typedef struct {
    const char *sheet;          /* its name                               */
    const char *text;           /* its text; NULL before it is read       */
    char sentence[1000];        /* SHEET:LINE:COLUMN: what is wrong       */
    jmp_buf out;
} Fault;

/* attempt calls work(f, data) and returns true; or false, if fault was
   called in it. Then f->sentence says why. */
bool attempt(Fault *f, void (*work)(Fault *f, void *data), void *data);

/* fault gives up the attempt. at is the place in the text, in bytes. */
_Noreturn void fault(Fault *f, int at, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(3, 4);

/* One entry of a matrix as it was written. */
typedef struct {
    double value;               /* NaN for "?", an entry nobody claims    */
    int decimals;               /* as typed: 2 for 1.50; EXACT for 1/2    */
    int at;                     /* where it stands, set by the caller     */
} Entry;
enum { EXACT = -1 };

/* read_entry reads the entry at *text, a string, and moves *text behind
   it. It returns NULL; or what is wrong, and then *text is the place. */
const char *read_entry(const char **text, Entry *entry);

/* An item of a sheet: `mask none`, `X = 1 0 ; 0 1`, `claim A = ...`. */
typedef struct {
    const char *name;           /* as in the C, such as W_q               */
    const char *typed;          /* as it was typed                        */
    int head;                   /* 2 in W_q^2; 0 where there is none      */
    int at;                     /* where it stands                        */
    bool claim;
    const char *word;           /* `none`; NULL where there is a matrix   */
    int rows, cols;             /* of the matrix as it was written ...    */
    const Entry *entry;         /* ... row after row                      */
} Item;

typedef struct {
    const char *name, *text;
    int n;
    const Item *item;
} Sheet;

enum {
    SHEET_BYTES = 1 << 20,      /* the longest sheet                      */
    SHEET_ITEMS = 1000          /* the most items                         */
};

/* read_sheet reads the file of that name, "-" for standard input;
   sheet_of reads a text of length bytes, which it changes. A sheet lives
   in the arena. What is wrong ends the attempt. */
const Sheet *read_sheet(Arena *arena, const char *name, Fault *f);
const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Fault *f);

/* How matrices are written. */
typedef struct {
    const char *name, *meaning;
    bool rows;                  /* the vector of a token is a row         */
    bool weights;               /* a weight is transposed                 */
} Layout;

/* A value that an algorithm names, in the layout of the sheet. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    int head;                   /* in which it arose; 0: in none          */
    Mat M;
} Step;

typedef struct {
    const Sheet *sheet;
    int algorithm;
    const Layout *layout;
    int decimals;               /* asked for; -1 if none were             */
    bool scaled, rms, tied;     /* as the sheet has them                  */
    const char *assumed;        /* such as "Z = X, b_q = 0", or ""        */
    int n;
    const Step *step;
} Run;

/* run_sheet runs the algorithm of a sheet and collects its steps. The run
   lives in the arena, what is computed on the tape. A sheet that does not
   hold what its algorithm needs ends the attempt. */
const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                     Fault *f);

/* The step that a claim is about; a claim about none ends the attempt. */
const Step *step_of(const Run *run, const Item *claim, Fault *f);

/* show is the command `ftx show`. It prints to out, what is wrong to err,
   and returns the exit status: 0, or 2 if a sheet could not be run. */
int show(FILE *out, FILE *err, int n, char *argument[]);

/* show_text and show_json print a run. */
void show_text(FILE *out, const Run *run, Fault *f);
void show_json(FILE *out, const Run *run);

#endif
