/* course/: exercises, labs, and the errata of the paper. */
#ifndef FTX_COURSE_H
#define FTX_COURSE_H
#include "sheet/sheet.h"

/* What an exercise should be. A size of 0 is left to the algorithm. */
typedef struct {
    int algorithm, seed, decimals, layout;
    int tokens, context, d_x, d_attn, heads, mask, positions;
    bool biases, exact, key, tex;
    const char *from, *ask;     /* names, between commas; NULL: the usual */
    char starts[100];           /* all that a sheet gives that starts so  */
} Wanted;

/* An exercise: a sheet without claims, and the steps to be claimed. */
typedef struct {
    const Wanted *wanted;
    const char *title;          /* of the algorithm                       */
    const char *command;        /* that draws it again                    */
    const char *given;          /* the sheet up to the claims             */
    const Run *run;
    int n, notes;
    const Step **claim;         /* claim[0] ... claim[n - 1]              */
    const char **formula;       /* of each claim                          */
    const char *note[8];        /* what else has to be known              */
} Exercise;

/* The text of an answer, such as 0.667; or 2/3, if exact is wanted, which
   exact_text finds, if there is such a text of x. Where a step of the
   exercise stands, such as "4.4, h = 2"; and what a claim about it is
   called, such as "S^2". */
void answer_text(const Exercise *e, const Step *step, int i, int j,
                 char *to, size_t size);
bool exact_text(double x, char *to, size_t size);
void step_place(const Exercise *e, const Step *step, char *to, size_t size);
void claim_name(const Exercise *e, const Step *step, char *to, size_t size);

/* A text of words, on lines up to a width, behind a head; below it stands
   `next`, or, if that is NULL, nothing. */
void print_wrapped(FILE *out, int width, const char *head, const char *next,
                   const char *text);

/* worksheet prints the exercise as a LaTeX document, and its key on a page
   of its own. */
void worksheet(FILE *out, const Exercise *e);

/* Of `ftx exercise`; `ftx trials`, which prints what a grader asks of an
   algorithm; `ftx steps`, which prints the steps of a sheet as numbers; and
   `ftx erratum`, which shows the size of an erratum in numbers. */
Entrance exercise, trials, steps, erratum;
#endif
