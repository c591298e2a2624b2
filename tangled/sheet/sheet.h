/* sheet/: an example as it was typed, its run, and the steps of that. */
#ifndef FTX_SHEET_H
#define FTX_SHEET_H
#include "cli/cli.h"

/* One entry of a matrix as it was written. */
typedef struct {
    double value;               /* NaN for "?", an entry nobody claims    */
    int decimals;               /* as typed: 2 for 1.50; EXACT for 1/2    */
    bool single;                /* in a claim: printed in single precision */
    int at;                     /* where it stands; this, and how it was  */
    int bytes;                  /* typed, is set by the reader of sheets  */
    const char *typed;
} Entry;
enum { EXACT = -1 };

/* read_entry reads the entry at *text, a string, and moves *text behind
   it; a comma may be a decimal one. It returns NULL; or what is wrong, and
   then *text is the place. scale_entry multiplies an entry by a number that
   is not 0; after_times is behind a sign of multiplication at p, or p. */
const char *read_entry(const char **text, bool comma, Entry *entry);
void scale_entry(Entry *entry, double by);
const char *after_times(const char *p);

/* Does p begin with this? How long is the first of the words, with blanks
   between them, that p begins with? 0: it begins with none. */
bool begins(const char *p, const char *with);
size_t begin_of(const char *p, const char *words);

/* Walks over words with blanks between them. */
static inline bool ends_word(char c)
{
    return c == ' ' || c == '\0';
}

static inline const char *after_word(const char *p)
{
    while (!ends_word(*p))
        p++;
    return p + (*p == ' ');
}

/* A formula over matrices, such as "softmax(S / sqrt(d_attn))": its names
   are looked up by value(to, name, length), which answers NULL where there
   is none, and with a constant of one entry where it is a number. What is
   computed is on the tape. formula_value is NULL where it cannot be made:
   a name is unknown, shapes do not fit, or no number comes out. */
typedef struct {
    void *to;
    Mat (*value)(void *to, const char *name, int length);
    Tape *tape;
} Names;
Mat formula_value(const Names *names, const char *formula);

/* What a name stands for: a value; grad.W_u, a gradient; or new.W_u, the
   value after a step of training. */
typedef enum { VALUE, GRADIENT, NEW } Aspect;

/* An item of a sheet: `mask none`, `X = 1 0 ; 0 1`, `claim A = ...`. */
typedef struct {
    const char *name;           /* as in the C, such as W_q               */
    const char *typed;          /* as it was typed                        */
    Aspect aspect;
    Part part;                  /* ENC in enc2.W_q^3 ...                  */
    int layer, head;            /* ... 2 and 3; 0 where there is none     */
    int turn;                   /* 4 in i4.p, of a loop                   */
    int algorithm, line;        /* 10, 6 in `claim 10.6 X = ...`; or 0    */
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
    bool commas;                /* some were read as decimal points       */
} Sheet;
enum { SHEET_BYTES = 1 << 20, SHEET_ITEMS = 1000 };    /* at most        */

/* read_sheet reads the file of that name, "-" for standard input;
   sheet_of reads a text of length bytes, with room for one more, and
   changes it. A sheet lives in the arena. What is wrong ends the
   attempt. */
const Sheet *read_sheet(Arena *arena, const char *name, Fault *f);
const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Fault *f);

/* How matrices are written. */
typedef struct {
    const char *name, *meaning;
    bool rows;                  /* the vector of a token is a row         */
    bool weights;               /* a weight is transposed                 */
} Layout;
enum { LAYOUTS = 4 };           /* paper, textbook, torch, berkeley       */
extern const Layout layouts[LAYOUTS];

/* W_e as it stands for W_u on a sheet: "W_eᵀ", or "W_e" where the layout
   has written one of them transposed. */
const char *as_W_u(const Layout *layout);

/* What is drawn in a cell where somebody's own numbers are. */
typedef struct {
    const char *text;           /* the number                             */
    const char *right;          /* what it should be; "": just that       */
    const char *sign, *colour, *tex;    /* how that is shown              */
} CellMark;

/* What a value is for: the same word in every algorithm, so that what is
   known of scores is known of all scores. NO_ROLE: a parameter. */
typedef enum {
    NO_ROLE, ROLE_EMBEDDING, ROLE_POSITION, ROLE_QUERY, ROLE_KEY,
    ROLE_VALUES, ROLE_SCORES, ROLE_MASKED, ROLE_SCALED, ROLE_WEIGHTS,
    ROLE_MIXED, ROLE_HEAD, ROLE_HEADS, ROLE_PROJECTED, ROLE_MEAN,
    ROLE_VARIANCE, ROLE_NORMALISED, ROLE_LOGITS, ROLE_PROBABILITIES,
    ROLE_EMBEDDED, ROLE_ATTENDED, ROLE_ATTENTION_NORM, ROLE_FED,
    ROLE_MLP_NORM, ROLE_TRANSFORMED, ROLE_LAST_NORM, ROLE_PREDICTED,
    ROLE_LOSS, ROLE_MASKED_TOKENS, ROLE_MASKED_PLACES, ROLE_NEXT,
    ROLE_TEMPERED, ROLE_DRAWN, ROLE_GENERATED, ROLE_POWERS, ROLE_SUM,
    ROLE_ROOT, ROLE_STANDARDISED, ROLE_HIDDEN, ROLE_ACTIVE, ROLE_MLP,
    ROLE_KEPT, ROLE_TABLE, ROLE_PLACED
} Role;

/* All that is known of a value that an algorithm names, in words and in
   letters. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    Role role;
    const char *high, *wide;    /* its dimensions: "ell_z", "ell_x"       */
    const char *from;           /* what it is computed from: "S d_attn"   */
    const char *symbol;         /* in the paper's notation                */
    const char *columns, *rows; /* what it is, where tokens are these     */
    bool sums;                  /* its columns, in the paper's layout, are
                                   distributions                          */
    bool derived;               /* no line names it: it is computed where
                                   it is asked for ...                    */
    const char *formula;        /* ... so; or, of a line, how that follows
                                   from what is derived; or NULL          */
    const char *also;           /* other spellings                        */
} StepRow;

/* A step that another was computed from; the others. */
typedef struct StepInput {
    int step;                   /* run.step[step]                         */
    const struct StepInput *next;
} StepInput;

/* A value that an algorithm names, in the layout of the sheet. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    const StepRow *row;         /* what is known of it; NULL: a parameter */
    Role role;
    Aspect aspect;
    Part part;                  /* of the model in which it arose ...     */
    int layer, head;            /* ... its layer, its head; 0: in none    */
    int turn;                   /* of a loop; 0: in none                  */
    char loop;                  /* n: its turns are sequences; i: tokens  */
    bool inner;                 /* in a model, and not a line of the
                                   sheet's algorithm; or a parameter that
                                   the sheet does not give                */
    int time;                   /* 2 for the second of this description   */
    bool turned;                /* M is the paper's matrix, transposed    */
    bool given;                 /* by the sheet, not computed             */
    Mat M;
    const StepInput *from;      /* what it was computed from; NULL in a run
                                   with a variation                       */
    const CellMark *mark;       /* of its entries, row after row; NULL:
                                   they are not judged                    */
    const char *remark;         /* NULL: none                             */
} Step;

/* How a sheet is meant in what it leaves open: its layout, and habits that
   books and programs have, a bit each. SCALED_FIRST: S_scaled is taken
   before the mask. SHIFTED: the largest of a softmax is subtracted before
   e^x. TEMPERED: p is softmax(logits / tau). READS_p: the loss is read from
   p, though there is a q. */
enum { SCALED_FIRST = 1, SHIFTED = 2, TEMPERED = 4, READS_p = 8,
       HABITS = 16 };
typedef struct {
    const Layout *layout;
    unsigned habits;
    const char *why;            /* this layout; NULL: the sheet names it  */
} Convention;

typedef struct Bound Bound;
typedef struct {
    const Sheet *sheet;
    const Bound *bound;         /* what it is a run of                    */
    int algorithm;
    const Layout *layout;
    int decimals;               /* asked for; -1 if none were             */
    bool scaled, rms, tied;     /* as the sheet has them                  */
    bool unplaced;              /* a model without positions              */
    const char *assumed;        /* such as "Z = X, b_q = 0", or ""        */
    const char *entered;        /* such as "from Q, K, V: line 4", or ""  */
    unsigned habits;            /* of these conventions                   */
    const char *guessed;        /* what the sheet leaves open, in words   */
    int conventions;            /* that it may be meant by, the likeliest */
    const Convention *convention;       /* first: it is run by that       */
    double divisor;             /* of the scores; 0: √d_attn, if scaled   */
    double heat;                /* of the logits before p: 1, or tau      */
    int d_attn, d_x;            /* 0: nothing on the sheet tells it       */
    const char *verdict;        /* on what is claimed; NULL: none         */
    int n;
    const Step *step;
    Mat result;                 /* what the algorithm returned, in the
                                   paper's layout; of training, how all of
                                   theta has changed, in one column; NULL:
                                   it did not return                      */
} Run;

/* A variation of a run is shown every matrix that the sheet gives, every
   value when it has been computed, and again when it has become a step.
   It answers with M, or with another matrix of its shape on its tape that
   shall take its place. All are in the paper's layout. */
typedef struct {
    void *to;
    Mat (*given)(void *to, const Step *place, Mat M);
    Mat (*computed)(void *to, const Step *step, Mat M);
    Mat (*carried)(void *to, const Step *step, Mat M);
    bool exchanged;             /* X and Z                                */
    const Run *run;             /* as far as it has come                  */
    Fault *fault;               /* of the run                             */
} Variation;

/* What an algorithm takes under a name: a column for each token, a weight
   or neither; its dimensions in the paper's layout in letters, cols NULL:
   a vector; rows NULL: a number or a word, or it takes no such thing. */
typedef struct {
    bool tokens, weight;
    const char *rows, *cols;
} Taken;
Taken taken_by(int algorithm, const char *name);

/* bind_sheet reads off a sheet all that its algorithm takes, and lives in
   the arena. A sheet that does not hold what its algorithm needs ends the
   attempt. run_bound runs it, as often as wanted, and collects the steps;
   variation is NULL or as below. The run lives in its arena, what is
   computed on the tape. run_sheet does both, once. bind_sheet takes the
   convention that is likeliest, bind_by that one. */
const Bound *bind_sheet(const Sheet *sheet, Arena *arena, Fault *f);
const Bound *bind_by(const Convention *convention, const Sheet *sheet,
                     Arena *arena, Fault *f);
const Run *run_bound(const Bound *bound, Variation *variation, Arena *arena,
                     Tape *tape, Fault *f);
const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                     Fault *f);

/* What a sheet of each algorithm starts from; behind "; or ", from what
   later. */
extern const char *const sheet_starts[16];

/* The name that is spelled so, without _ { } \ and ^, in an algorithm, or
   else in another one; NULL: none is. The names that an algorithm takes and
   its steps, or, for a claim, its steps alone. */
enum { NAMES_BYTES = 800 };
const char *known_name(int algorithm, const char *plain);

/* Does a number, a list or a word stand under this name, so that an item
   may do without an equals sign; or, if word is true, may a word? */
bool is_key(const char *name, bool word);
const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim);

/* For a help text: what each algorithm starts from, and its steps. */
void print_algorithms(FILE *out);

/* Adds a name to a list with commas, if there is room enough. */
void add_to_list(char *list, size_t size, const char *name);

/* Is it one of the words of a list with blanks? */
bool word_in(const char *list, const char *word, size_t length);

/* The matrix that is given at a place: its name, part, layer and head;
   NULL: none is. */
Mat matrix_given(const Bound *bound, const Step *place);
const Run *run_varied(const Sheet *sheet, Variation *variation,
                      Arena *arena, Tape *tape, Fault *f);

/* The root of a variance must be larger, or it may be no more than what
   rounding left of it, or of its digits. m is the mean. */
double least_root(double m);

/* All rows, in the order in which a run comes by them; does a run of an
   algorithm come by a row; and may the sheet give it? What is known of the
   step of that name in that line; NULL: nothing. */
extern const StepRow step_table[];
extern const int step_rows;
bool comes_by(int algorithm, const StepRow *row);
bool can_be_given(int algorithm, const StepRow *row);
const StepRow *row_named(int algorithm, int line, const char *name);

/* A claim of a sheet, as it is judged, and the step of a run that it is
   about. Its entries have as many decimals as are judged: EXACT means all. */
typedef struct {
    const Item *item;
    const Step *step;
} Claim;

/* The claims of the sheet of a run, in the order of their steps, and in *n
   how many they are. A claim without a line is about the first of its
   namesakes with which it agrees most; a claim about no step ends the
   attempt. */
Claim *claims_of(const Run *run, Arena *arena, int *n, Fault *f);

/* Does a claim have the shape of M? One row and one column are the same.
   claimed_entry is the entry of M, in the sheet's layout, that entry k of
   the claim is about, and counts from 0 as Item does. entry_at is the k of
   entry [i, j] of M. */
bool shape_fits(const Item *claim, Mat M);
real *claimed_entry(const Item *claim, Mat M, int k);
int entry_at(const Item *claim, Mat M, int i, int j);

/* The place of an entry of a claim, such as (1,2), in a vector (2), of a
   single entry ""; and the number x that it should be. */
const char *entry_place(char to[40], const Item *claim, int k);
void right_number(char to[60], const Entry *entry, double x);

/* What a claimed entry is. OPEN: nobody claims it. LAST_DIGIT: its last
   digit is off by one. CUT: its digits are cut off, not rounded. EARLY:
   right had nothing been rounded that was carried on. FOLLOWS: wrong, but
   right after what went wrong before. verdict_on judges one entry, of a
   claim that is judged, by the number that it should be: it is right, off
   by its last digit, or wrong. is_cut_from: is it what is left of that
   number when digits are cut off? same_number: are two numbers the same but
   for the computer's own rounding? */
typedef enum { OPEN, RIGHT, LAST_DIGIT, CUT, EARLY, FOLLOWS,
               WRONG } Verdict;
enum { VERDICTS = WRONG + 1 };
Verdict verdict_on(const Entry *entry, double x);
bool is_cut_from(const Entry *entry, double x);
double unit_of(int decimals);   /* of the last of them                    */
bool same_number(double a, double b);

/* Has a step the shape of the claim? NULL has none. So many entries are
   claimed; are right in a run; are, beside the same step of a run, as `is`
   has it. The most decimals of an entry. */
bool is_comparable(const Item *claim, const Step *step);
int count_entries(const Item *claim);
int count_right(const Claim *claim, const Run *run);
int count_in(const Claim *claim, const Run *run,
             bool (*is)(const Entry *entry, double x));
int most_decimals(const Item *claim);

/* How many claimed entries are right by a convention; -1: its layout does
   not fit. */
int right_by(const Convention *convention, const Sheet *sheet, Fault *f);

/* Where in a model an observer is: pass_line is told of each line, behind
   its value; index is that of a loop, or 0. A value that is seen there,
   without its matrix. */
typedef struct {
    Part part;
    int layer, head;
} Place;
void pass_line(Place *at, const char *line, int index);
Step step_seen(const Place *at, const char *line, const char *name);

/* The step that a claim is about; a claim about none ends the attempt. The
   step of a run that is the same as one of another run, or NULL; same_place
   says whether two steps are. */
const Step *step_of(const Run *run, const Item *claim, Fault *f);

/* Marks the steps that a step of the run was computed from, through any
   number of others: origin[k] for run->step[k], and the step itself. What
   a step with stop[k] was computed from is not marked for its sake; stop
   NULL: every step passes. A gradient comes from the step before it, and what
   stands in a turn of a loop from all turns before. */
void find_origins(const Run *run, const Step *step, const bool *stop,
                  bool *origin);
const Step *same_step(const Run *run, const Step *step);
bool same_place(const Step *a, const Step *b);

/* The name of a step: as a claim has it, such as enc1.A^2; as it is shown,
   such as Ṽ, A^2 or 10.6 layer2.X. json_place is its place, behind
   "index":. */
int step_name(char *to, size_t size, const Step *step);
const char *step_label(char to[100], const Run *run, const Step *step);
void json_place(FILE *out, const Step *step);

/* What a step is, such as "A = softmax(S / √d_attn)"; where placed, with
   its place before it, such as "line 6, h = 2: ". print_step_text prints
   it placed; print_formula a formula, with the transpositions of the layout
   for its apostrophes. */
const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed);
void print_step_text(FILE *out, const Run *run, const Step *step);
void print_formula(FILE *out, const Run *run, const char *formula);

/* The size of the numbers of which a step is a sum, for without_noise; 0
   where a tiny number may be no noise: e^x, a probability, what is given. */
double step_size(const Step *step);

/* Is it made of distributions? How that is said. Is it line 5 of Algorithm
   4 with a mask that is 1 everywhere? */
bool sums_to_1(const Step *step);
const char *sums_text(const Run *run);
bool mask_is_1(const Run *run, const Step *step);

/* Algorithm, layout, and what the layout means, in to; the decimals that
   the numbers of a run are shown with. */
enum { TITLE_BYTES = 600 };
const char *run_title(char to[TITLE_BYTES], const Run *run);
int decimals_shown(const Run *run);
#endif
