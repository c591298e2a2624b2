/* What the files share that bind a sheet and run it. */
#ifndef FTX_JOB_H
#define FTX_JOB_H
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"
#include "practice/practice.h"
#include "library/tape.h"
#include <string.h>

typedef enum {
    WORD, NUMBER,
    TOKENS,                     /* a column for each token                */
    ONE_OR_MORE,                /* the same; one row or column: one token */
    WEIGHT,                     /* out x in                               */
    VECTOR,                     /* one row or one column                  */
    MASK,                       /* a word, or a column for each query     */
    LIST                        /* of token IDs, or of numbers            */
} Kind;

typedef struct {
    int algorithms[16];         /* { 4, 5 }: it is for these              */
    const char *name;
    Kind kind;
    const char *rows, *cols;    /* in the paper's layout                  */
    const char *instead;        /* NULL: it is needed; "": nothing        */
} Argument;

typedef struct { const char *symbol; int size; const Item *by; } Dimension;
typedef struct { int n; Dimension dimension[24]; } Dimensions;

typedef struct {                /* what the algorithm takes               */
    Step place;                 /* W_q of layer 2, head 1                 */
    bool shape;                 /* nothing is given but that              */
    Mat M;                      /* in the paper's layout                  */
} GivenMatrix;

typedef struct {                /* a step that the sheet gives            */
    const StepRow *row, *also;  /* it is both; NULL: not another          */
    Aspect aspect;              /* GRADIENT: only that is given           */
    Part part;
    int layer, head, turn;
    Argument shape;
    Mat M;                      /* in the paper's layout                  */
} Entered;

typedef struct Seen {           /* a step that the run has come by        */
    Step step;
    bool known;                 /* else it is nothing but a shape         */
    int item;                   /* of the sheet that gives it; -1: none   */
    Mat M;                      /* NULL: a formula tells it               */
    int index;                  /* of run.step; -1: it is none            */
    const struct Seen *before;
} Seen;

typedef struct Bound {
    Run run;                    /* what comes out                         */
    Fault *f;
    Arena *arena;
    Tape *tape;                 /* NULL: the sheet is only being bound    */
    const Item *start;          /* the item `algorithm`                   */
    const Argument **argument;  /* what each item is; NULL: a claim, ...  */
    Entered *entered;           /* ... or, where row is not NULL, a step  */
    bool late;                  /* a step is given: not all is known      */
    bool stops;                 /* or a model ends before W_u             */
    bool *used;                 /* each item                              */
    const Seen *seen;           /* the latest                             */
    bool identity;              /* all W are left out                     */
    const Item *turned;         /* the one that is tried transposed       */
    const StepRow *first, *last;        /* that a late run computes       */
    bool *wanted, derives;      /* which rows are derived; is any?        */
    const StepRow *backwards;   /* from where; NULL: no gradients         */
    Mat end;                    /* that step                              */
    bool rederive;              /* does a line follow from such a step?   */
    const Step *deriving;       /* the step that a formula is for         */
    Mask mask;
    Mat positions;              /* as they were computed; NULL: given     */
    double tau;
    int H;                      /* the heads                              */
    Dimensions size;
    Step *step;                 /* run.step while it grows                */
    int most;                   /* room for so many                       */
    char assumed[4000];
    double epsilon;
    Variation *variation;       /* NULL: none                             */
    GivenMatrix *given;         /* the matrices that were bound ...       */
    int givens;                 /* ... how many                           */
    Theta *model, *running;     /* theta as it is given; as it runs       */
    Mat S, scores;              /* before they are scaled; masked         */
    Hyperparameters hyper;      /* of a model                             */
    Place at;                   /* the part, layer, head that is running  */
    int turn;                   /* of a loop                              */
    Theta *theta;                   /* to train                               */
    Training how;
    const double *u;                /* uniform numbers, for each token        */
    int data_n, epoch;              /* how many sequences it has; which epoch */
    int *row, in_row;               /* indices seen in a loop                 */
    const char *row_line;           /* ... and where                          */
    int ell_gen;                    /* tokens to be drawn                     */
    const Data *data;               /* to train with ...                      */
    int sequence, drawn;            /* ... its sequence; numbers for that     */
    NumberList *chances;            /* uniform numbers for them               */
    Mat q, kept;                    /* the next one is drawn from kept, or,   */
                                    /* where that is NULL, from q             */
} Job;

extern const Argument arguments[];
extern const int argument_rows;

typedef struct {
    const Item *item;           /* does not fit, because ...             */
    const Argument *argument;
    const Dimension *letter;    /* ... this was fixed before; NULL: it   */
    int is;                     /* is no vector                          */
} Misfit;

/* argument.c: what an algorithm takes. */
bool binding(const Job *job);
bool takes(int algorithm, const Argument *argument);
const Argument *argument_of(const Job *job, const char *name);
bool of_head(const char *name);
bool of_layer(const char *name);
bool per_head(const Job *job, const char *name);
void list_arguments(char *list, size_t size, int algorithm);

/* item.c: what stands on the sheet. */
const Item *find(const Job *job, const char *name, int head);
const Item *need(const Job *job, const char *name, int head);
void assume(Job *job, const char *name, const char *what);
void assume_used(Job *job, const char *name, const char *what);
void assume_number(Job *job, const char *name, double x);
double job_number(const Job *job, const char *name, double instead);
int whole(const Job *job, const char *name, int instead, int most,
          const char *range);
int choice(const Job *job, const char *name, const char *words);
Part part_of_line(int algorithm, int line);
Part part_of_row(const StepRow *row);
bool any_given(const Job *job, const char *names);
bool in_heads(const Job *job, const StepRow *row);
const char *letter_of(const Job *job, const StepRow *row,
                      const char *letter, Part part);
_Noreturn void ask_attention(const Job *job, const Item *item);
void check_items(Job *job);

/* shape.c: which letter has which size. */
bool is_transposed(Kind kind, const Layout *layout);
int letter_size(const Dimensions *d, const char *symbol);
bool is_for_each_entry(const Argument *a, const Item *item);
bool all_fit(const Job *job, const Layout *layout, Dimensions *d,
             Misfit *misfit);
_Noreturn void refuse_shape(const Job *job, const Misfit *m);

/* given.c: the matrices that are given, in the paper's layout. */
int size_or_1(const Job *job, const char *symbol);
double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k);
void fill(Job *job, Mat M, const Argument *a, const Item *item);
Mat varied_given(const Job *job, const Step *place, Mat M);
void bind_matrix(Job *job, const Step *place, Mat M);
void copy_into(Mat to, Mat from);
Mat given(Job *job, const char *name, int head);
Mask given_mask(Job *job);
Architecture architecture(const Job *job);
Part part_of(const Job *job, const Item *item);
int layers_of(const Hyperparameters *h, Part part);
Step place_of(const Parameter *p);
bool is_at(const Job *job, int k, const Step *place);
const Item *item_at(const Job *job, const Step *place);

/* collect.c: the steps of the run. */
Mat copied_matrix(Job *job, Mat M, bool turn);
void know_row(Step *step);
void add_row(Job *job, Step step, int n, const int *number);
Mat varied(const Job *job, const Step *step, Mat M);
Mat carried(const Job *job, const Step *step, Mat M);
Mat collect(void *to, const char *line, const char *name, Mat M,
            int index);
void derive_before(Job *job, const Step *step);
void way_back(Job *job);

/* component.c: Algorithms 1 to 7. */
void limit(const Job *job, double entries);
void returned(Job *job, Mat M);
void look_on(Job *job, const Theta *theta);
void run_component(Job *job);

/* transformer.c: Algorithms 8 to 15. */
int given_heads(const Job *job);
bool trains(const Job *job);
void limit_steps(const Job *job, int turns);
void run_transformer(Job *job);
#endif
