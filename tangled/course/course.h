/* course/: exercises, labs, and the errata of the paper. */
#ifndef FTX_COURSE_H
#define FTX_COURSE_H
#include "sheet/claim.h"
#include "sheet/label.h"

/* The sizes of a sheet that is drawn, in the paper's letters. That of a
   letter; of NULL: 1. */
typedef struct {
    int d_e, d_z, d_attn, d_mid, d_out, d_f, d_mlp, ell_x, ell_z, ell_max,
        N_V, H, u;
} Sizes;
int size_by_letter(const Sizes *size, const char *letter);

/* each_given hands over the names of a list such as "X Z |W_q W_k|W_o", in
   this order; those between bars for head 1, then head 2, ... The others
   have head 0. */
typedef void Give(void *to, const char *name, int head);
void each_given(const char *list, int heads, Give *give, void *to);

/* Is n in a list such as " 4 5 "? */
bool among(const char *list, int n);

/* The run of a sheet that was printed. */
const Run *run_of_text(Arena *arena, Tape *tape, const char *name,
                       const char *text, Error *f);

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

/* The number of an algorithm that was typed without its option; or "4". */
const char *typed_algorithm(const char *argument);

/* worksheet prints the exercise as a LaTeX document, and its key on a page
   of its own. */
void worksheet(FILE *out, const Exercise *e);

/* Of `ftx exercise`; `ftx trials`, which prints what a grader asks of an
   algorithm; `ftx steps`, which prints the steps of a sheet as numbers; and
   `ftx erratum`, which names the sheets that show the paper's errata. */
CommandMain exercise, trials, steps, erratum;
#endif
