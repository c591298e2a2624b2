/* The program ftx: what its files offer each other. What a user types is
   validated here, before it comes near the library; a fault is one
   sentence with file, line and column. */
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

/* fault_again gives up an attempt with what ended another inside it. */
_Noreturn void fault_again(Fault *f, const Fault *inner);

/* text_of_file reads the file of that name, "-" for standard input, as it
   is. An empty one, or one of more than TEXT_BYTES, ends the attempt. From
   now on the places of faults are places in this text. */
const char *text_of_file(Arena *arena, const char *name, size_t *n,
                         Fault *f);

/* Where the first line of a text of n bytes begins: behind the mark that
   some programs put before UTF-8, the bytes EF BB BF. */
size_t first_line(const char *text, size_t n);

/* An option: typed --d_e 64 or --d_e=64, a FLAG without a value. */
typedef struct {
    const char *name;           /* without the dashes; NULL ends a table  */
    enum { FLAG, WHOLE, DECIMAL, CHOICE, TEXT } kind;
    size_t place;               /* of its value in the struct             */
    double least, most;         /* of a WHOLE or a DECIMAL                */
    const char *words;          /* of a CHOICE; what a TEXT is            */
    const char *meaning;
} Option;

/* A table and the struct that it sets: a FLAG is a bool, a WHOLE and a
   CHOICE an int, a DECIMAL a double, a TEXT a const char *. */
typedef struct {
    const char *heading;        /* in the help                            */
    const Option *table;        /* NULL ends a list                       */
    void *values;
} Options;
/* option_set gives the option a value that was typed; false if it is none
   that the option can have. option_range says in words which it can. */
bool option_set(const Option *option, void *values, const char *typed);
void option_range(const Option *option, char *to, size_t size);
void option_print(FILE *out, const Option *option, const void *values);
bool option_same(const Option *option, const void *a, const void *b);

/* obey sets the options among n arguments, and moves the other arguments
   to the front; it returns how many these are. What is wrong ends the
   attempt. asks_help is true if --help is among the arguments. */
int obey(Fault *f, const Options *options, int n, char *argument[]);

/* What a whole number may be before obey, to know that nobody typed it. */
enum { UNSAID = -1 };
bool asks_help(int n, char *const argument[]);

/* print_options prints the tables for the help, with the values that they
   have now as the defaults. */
void print_options(FILE *out, const Options *options);

/* What a command has to work with. */
typedef struct {
    FILE *out, *err;
    int n;
    char **argument;            /* argument[0] ... argument[n - 1]        */
    Arena *arena;
    Tape *tape;                 /* without gradients                      */
    Trainer *trainer;           /* of ftx train; NULL: none               */
    int status;                 /* the exit status, 0 at first            */
} Command;

/* run_command attempts the work, with a Command as its data, and returns
   the exit status: 2 after a fault, which is printed. name is such as
   "ftx count". */
int run_command(const char *name, void (*work)(Fault *f, void *data),
        FILE *out, FILE *err, int n, char *argument[]);
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

/* Where in a model something is, as in enc1.W_q or layer2.X. */
typedef enum { NOWHERE, LAYER, ENC, DEC, ED } Part;

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
} Sheet;

enum {
    SHEET_BYTES = 1 << 20,      /* the longest sheet                      */
    SHEET_ITEMS = 1000          /* the most items                         */
};

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
enum { LAYOUTS = 4 };
extern const Layout layouts[LAYOUTS];   /* paper, textbook, torch,
                                           berkeley */

/* W_e as it stands for W_u on a sheet: "W_eᵀ", or "W_e" where the layout
   has written one of them transposed. */
const char *as_W_u(const Layout *layout);

/* What is drawn in a cell where somebody's own numbers are. */
typedef struct {
    const char *text;           /* the number                             */
    const char *right;          /* what it should be; "": just that       */
    const char *sign, *colour, *tex;    /* how that is shown              */
} CellMark;

/* A value that an algorithm names, in the layout of the sheet. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
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
    Mat M;
    const CellMark *mark;       /* of its entries, row after row; NULL:
                                   they are not judged                    */
    const char *remark;         /* NULL: none                             */
} Step;

typedef struct {
    const Sheet *sheet;
    int algorithm;
    const Layout *layout;
    int decimals;               /* asked for; -1 if none were             */
    bool scaled, rms, tied;     /* as the sheet has them                  */
    bool unplaced;              /* a model without positions              */
    const char *assumed;        /* such as "Z = X, b_q = 0", or ""        */
    const char *verdict;        /* on what is claimed; NULL: none         */
    int n;
    const Step *step;
    Mat result;                 /* what the algorithm returned, in the
                                   paper's layout; of training, how all of
                                   theta has changed, in one column; NULL:
                                   it did not return                      */
} Run;

/* run_sheet runs the algorithm of a sheet and collects its steps. The run
   lives in the arena, what is computed on the tape. A sheet that does not
   hold what its algorithm needs ends the attempt. */
const Run *run_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                     Fault *f);

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

/* run_varied is run_sheet with a variation, for a sheet that run_sheet has
   run. */
const Run *run_varied(const Sheet *sheet, Variation *variation,
                      Arena *arena, Tape *tape, Fault *f);

/* The step that a claim is about; a claim about none ends the attempt. */
const Step *step_of(const Run *run, const Item *claim, Fault *f);

/* The step of a run that is the same as one of another run; NULL: none.
   same_place says whether two steps are. */
bool same_place(const Step *a, const Step *b);
const Step *same_step(const Run *run, const Step *step);

/* The root of a variance must be larger, or it may be no more than what
   rounding left of it. m is the mean. */
double least_root(double m);

/* The name of a step as a claim has it, such as enc1.A^2. */
int step_name(char *to, size_t size, const Step *step);

/* show is the command `ftx show`. It prints to out, what is wrong to err,
   and returns the exit status: 0, or 2 if a sheet could not be run. */
int show(FILE *out, FILE *err, int n, char *argument[]);

/* show_text and show_json print a run. Of a model, show_text prints only
   the lines of its own algorithm, unless all is wanted. With shade there
   are shades of grey beside the weights. */
void show_text(FILE *out, const Run *run, bool all, bool shade, Fault *f);
void show_json(FILE *out, const Run *run);

/* For JSON: n bytes as a string; a number, NaN as null; the place of a
   step, behind "index":. */
void json_string(FILE *out, const char *text, size_t n);
void json_number(FILE *out, double x);
void json_place(FILE *out, const Step *step);

/* What a step is, such as "A = softmax(S / √d_attn)"; where placed, with
   its place before it, such as "line 6, h = 2: ". print_formula prints a
   formula with the transpositions of the layout for its apostrophes. */
const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed);
void print_formula(FILE *out, const Run *run, const char *formula);

/* Algorithm, layout, and what the layout means; returns to. */
enum { TITLE_BYTES = 100 };
const char *run_title(char to[TITLE_BYTES], const Run *run);

/* Is it made of distributions? How that is said. Is it line 5 of Algorithm
   4 with a mask that is 1 everywhere? */
bool sums_to_1(const Step *step);
const char *sums_text(const Run *run);
bool mask_is_1(const Step *step);

/* How the numbers of a run are shown: with so many decimals; the decimals
   of a matrix, which are 0 where all are whole; a number, and how many
   characters it has; the most that one of a matrix has. */
int decimals_shown(const Run *run);
int places_of(Mat M, int decimals);
int shown_number(char *to, size_t size, double x, int places);
int number_width(Mat M, int places);

/* A matrix as a picture. */
typedef struct {
    const char *title;          /* above it; or NULL                      */
    Mat M;
    const char *const *row;     /* label[0] ... for row 1 ...; or NULL    */
    const char *const *column;
    const char *down, *across;  /* such as "key t_z"; or NULL             */
    const char *below;          /* a remark; or NULL                      */
    bool numbers;               /* in the cells ...                       */
    int decimals;               /* ... with so many of these              */
    bool signs;                 /* its entries are not weights            */
    const CellMark *mark;       /* in the cells; NULL: numbers            */
    bool apart;                 /* it begins a row of pictures            */
    int x, y;                   /* where it is drawn                      */
} Heatmap;

/* heatmap_text draws one with shades of grey for a terminal, without
   numbers; it must have a title and labels. shade_row is one row of it. */
void heatmap_text(FILE *out, const Heatmap *h);
void shade_row(FILE *out, Mat M, int i);

/* heatmaps_svg arranges all n as one SVG file, with a heading, a verdict
   and a last line, which may be NULL. */
void heatmaps_svg(FILE *out, int n, Heatmap h[], const char *heading,
                  const char *verdict, const char *last);

/* What other pictures are made of. A heat map says how large it is. More
   are further attributes. */
typedef struct { int width, height; } Size;
Size heatmap_size(const Heatmap *h);
void heatmap_svg(FILE *out, const Heatmap *h);
void svg_begin(FILE *out, int width, int height);
void svg_text(FILE *out, int x, int y, const char *more, const char *text);
int svg_width(const char *text);
void svg_end(FILE *out);
int larger(int a, int b);

/* show_svg draws the steps of a run as heat maps, on one page. A matrix
   larger than 100 x 100 ends the attempt. */
void show_svg(FILE *out, const Run *run, bool all, Arena *arena, Fault *f);

/* What a sheet gives under that name; NULL: nothing. */
const Item *given_item(const Run *run, const char *name);

/* A matrix larger than most x most ends the attempt. */
void room_for(const Run *run, const char *name, Mat M, int most,
              Fault *f);

/* A key and a query where S and A have them: what the rows are, what the
   columns are; NULL: neither. */
const char *rows_are(const Run *run, const Step *step);
const char *columns_are(const Run *run, const Step *step);

/* show_flow draws the data flow of Algorithm 4, or of each head of
   Algorithm 5. A sheet of another algorithm, or one whose matrices are
   larger than 8 x 8, ends the attempt. */
void show_flow(FILE *out, const Run *run, Arena *arena, Fault *f);

/* show_tex prints a run as LaTeX, show_md as Markdown with LaTeX between
   dollars. formula_tex prints the first bytes of a formula as LaTeX. */
void show_tex(FILE *out, const Run *run, bool all, Arena *arena);
void show_md(FILE *out, const Run *run, bool all, Arena *arena);
void formula_tex(FILE *out, const char *formula, size_t length);

/* A slip changes values, in some places. */
enum { PLACES = 6 };
typedef struct Slipping Slipping;
typedef struct {
    const char *name;           /* such as "no-scale"                     */
    const char *what;           /* the rest of "the entries match if ...",
                                   in the paper's layout                  */
    double number;              /* a base, or how many decimals           */
    struct {
        const char *line;       /* such as "4.6"; "": what the sheet gives;
                                   NULL ends the list                     */
        const char *name;       /* such as "S_scaled"                     */
        Mat (*instead)(Slipping *s, Mat M);     /* may return M: nothing
                                                   to mistake here; NULL:
                                                   it cannot be made      */
        bool unwritten;         /* M is written, the other carried on     */
    } at[PLACES];
    bool exchanged;             /* X and Z                                */
} Slip;
extern const Slip slips[];
extern const int slips_n;

/* What a slip is, in the words of a layout, in to. */
enum { SLIP_BYTES = 200 };
const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout);

/* Is it a slip of rounding too early? */
bool is_rounding(const Slip *slip);

/* A claim of a sheet, and the step that it is about. */
typedef struct {
    const Item *item;
    const Step *step;
} Claim;

/* A slip in one entry of a product such as S = K^T Q, a sum of terms: one
   of them is left out, or has the wrong sign, or two have exchanged a
   factor. */
typedef struct {
    enum { LEFT_OUT, WRONG_SIGN, CROSSED } kind;
    int entry;                  /* of the claim, counted from 0           */
    char in[44];                /* such as "in (1,2) "; a single one: ""  */
    int i, j;                   /* its place in the paper's layout        */
    double left[2], right[2];   /* the factors of the term, or of both    */
    double change;              /* of the sum                             */
} CellSlip;

/* An explanation of how the numbers of a sheet came about. */
typedef struct Explanation Explanation;
struct Explanation {
    const Slip *slip[2];        /* these were made; NULL: none            */
    const CellSlip *cell;       /* or cell[0] ... cell[cells - 1] ...     */
    int cells;                  /* ... in the step `only`                 */
    const Step *only;           /* only in its layer, head and turn; NULL:
                                   wherever they can be made              */
    const Step *until;          /* the run ends behind it; NULL: complete */
    const Claim *claim;         /* carried on as written are claim[0] ... */
    int n;                      /* ... claim[n - 1]                       */
    bool made[2];               /* did a run meet a place of the slip?    */
    Explanation *before;        /* what was made besides; or NULL         */
};

/* run_explained runs a sheet that run_sheet has run. The run ends early
   where the algorithm cannot go on with such numbers. */
const Run *run_explained(const Sheet *sheet, Explanation *why,
                         Arena *arena, Tape *tape);

/* Has a run a place for the slip, up to a step? */
bool has_place(const Run *run, const Slip *slip, const Step *until);

/* The slips that explain single entries of a claim, entry after entry, and
   how many they are. What stands before the claim came about as `why` has
   it. */
int cell_slips(const Sheet *sheet, Explanation why, const Claim *claim,
               Arena *arena, Tape *tape, const CellSlip **cell);

/* Such as "in (2,1) the term 2·3 is left out", in to. */
const char *cell_sentence(char *to, size_t size, const CellSlip *cell);

/* Does a claim have the shape of M? One row and one column are the same.
   claimed_entry is the entry of M, in the sheet's layout, that entry k of
   the claim is about, and counts from 0 as Item does. entry_at is the k of
   entry [i, j] of M. */
bool shape_fits(const Item *claim, Mat M);
real *claimed_entry(const Item *claim, Mat M, int k);
int entry_at(const Item *claim, Mat M, int i, int j);
/* What a claimed entry is. OPEN: nobody claims it. LAST_DIGIT: its last
   digit is off by one. FOLLOWS: wrong, but right after what went wrong
   before. */
typedef enum { OPEN, RIGHT, LAST_DIGIT, FOLLOWS, WRONG } Verdict;
enum { VERDICTS = WRONG + 1 };

/* A claim with the verdict on each of its entries. A claim in which
   something went wrong first has explanations, if there is one. Its
   entries have as many decimals as are judged: EXACT means all. */
typedef struct {
    Claim claim;
    bool fits;                  /* it has the shape of the step           */
    bool turned;                /* wrong, but its transpose is right      */
    bool cut_short;             /* not all slips were tried: too much     */
    Verdict *verdict;           /* of entry[0], entry[1] ...              */
    int count[VERDICTS];        /* how many there are of each             */
    bool begins;                /* went wrong by itself                   */
    int n;                      /* what explains all its entries:         */
    const Explanation *why;     /* why[0] ... why[n - 1]                  */
} Judged;

typedef struct {
    const Run *run;
    int n;
    const Judged *judged;       /* in the order of the steps              */
    const Layout *other;        /* in which all claims would be right; or
                                   NULL                                   */
} Judgement;

/* How many entries of a claim, and of all claims, are claimed. Are all
   that are claimed right? */
int claimed_entries(const Judged *judged);
int all_claimed(const Judgement *judgement);
bool all_right(const Judgement *judgement);

/* judge_sheet runs a sheet and judges its claims. What is wrong with the
   numbers that are given ends the attempt. */
const Judgement *judge_sheet(const Sheet *sheet, Arena *arena, Tape *tape,
                             Fault *f);

/* verdict_on judges one entry, of a claim that is judged, by the number
   that it should be. It never says FOLLOWS. */
Verdict verdict_on(const Entry *entry, double x);

/* Are two numbers the same but for the computer's own rounding? */
bool same_number(double a, double b);
/* check is the command `ftx check`. Exit status: 0 if all is right, 1 if
   something is not, 2 if a sheet cannot be judged. */
int check(FILE *out, FILE *err, int n, char *argument[]);

/* check_text and check_json print a judgement. */
void check_text(FILE *out, const Judgement *judgement);
void check_json(FILE *out, const Judgement *judgement);

/* What is odd about the entries of a claim, each in a few words. */
typedef struct {
    int n;
    char text[5][200];
} Remarks;
void remarks_on(const Judgement *judgement, const Judged *judged,
                Remarks *to);

/* The place of an entry of a claim, such as (1,2), in a vector (2), of a
   single entry "". The entry as it was typed, and how many bytes that is;
   and the number x that it should be. */
const char *entry_place(char to[40], const Item *claim, int k);
const char *typed_entry(const Sheet *sheet, const Entry *entry, int *n);
void right_number(char to[60], const Entry *entry, double x);

/* What went wrong first, and why, in one sentence. */
void first_sentence(char to[1000], const Judgement *judgement);

/* The name of a step as it is shown, such as Ṽ, A^2 or 10.6 layer2.X, in
   to; and how many columns a text takes. */
const char *step_label(char to[100], const Run *run, const Step *step);
int text_width(const char *text);
/* The claims of a judgement as the steps of a run, with marks; and what
   their signs mean. */
const Run *marked_run(const Judgement *judgement, Arena *arena);
extern const char marks_mean[];

/* What a slip does to a sheet. */
typedef struct {
    const Slip *slip;
    const Step *right, *wrong;  /* the first step that it changes, as it
                                   is and as it becomes; NULL: it changes
                                   none                                   */
    int i, j;                   /* the first entry                        */
    uint64_t sum;               /* of all numbers that are asked for      */
} Effect;

/* effects_of finds the effects of the n slips that can be made on the sheet
   of a run. Asked for are the steps that are claimed, or all if none is, to
   so many decimals. *sum is that of the run itself. effect_of finds the
   effect of one slip; false if it cannot be made. sum_of_answers is the sum
   of those numbers of another run that this one is asked for. */
Effect *effects_of(const Run *run, int decimals, Arena *arena, Tape *tape,
                   int *n, uint64_t *sum);
bool effect_of(const Run *run, const Slip *slip, int decimals, Arena *arena,
               Tape *tape, Effect *effect);
uint64_t sum_of_answers(const Run *run, const Run *other, int decimals);

/* Prints a heading and a list with commas on lines that fit a page. */
void print_list(FILE *out, const char *heading, const char *list);

/* slips_known is the command `ftx slips`; like show. */
int slips_known(FILE *out, FILE *err, int n, char *argument[]);
/* The hyperparameters as options, in two tables: what an architecture may
   be given, and what its data decide: architecture, N_V and N_C. */
extern const Option hyper_options[], size_options[];

/* What is trained: Algorithms 8, 9, 10; and 9 with a class head. The
   words are those of `ftx train`. */
typedef enum { TRAIN_ED, TRAIN_E, TRAIN_D, TRAIN_CLASS } Task;
bool task_of(const char *word, Task *task);

/* Hyperparameters for a first try; d_mlp 0 stands for 4 d_e. */
Hyperparameters hyper_default(Task task);

/* What is wrong with them ends the attempt; d_mlp is filled in. */
void hyper_check(Fault *f, Hyperparameters *hyper);

/* count_numbers is the command `ftx count`; like show. */
int count_numbers(FILE *out, FILE *err, int n, char *argument[]);

/* n with commas, such as 124,439,808. */
const char *grouped(long long n, char to[40]);
/* How a model is trained: what `ftx train` was told. */
typedef struct {
    Training how;               /* but for its seed                       */
    int seed, steps;            /* steps 0: all of N_epochs               */
    int patience;               /* epochs; 0: any                         */
    Initialisation initialise;
    double held_out;            /* this part of the data                  */
    TokenKind tokens;
    int merges;
} Plan;
extern const Option plan_options[];

/* How far it is. */
typedef struct {
    int step, updates;
    int interval;               /* steps from point to point              */
    double loss, tokens;        /* since the last point                   */
    Patience patience;
    double bytes;               /* of the data, and their checksum        */
    const char *sum;
    bool has_m, has_v;          /* of the optimiser's matrices            */
    int points;
} State;

/* The mean loss a token, in nats, of the steps up to this one; and of the
   held-out part, or NaN. */
typedef struct {
    int step;
    double loss, held_out;
} Point;

/* A model, with everything that its file carries. */
typedef struct {
    Task task;
    Theta *theta;
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    Plan plan;                  /* how it is trained ...                  */
    State state;                /* ... and how far                        */
    Point *point;               /* point[0] ... of the loss curve         */
    Mat *best;                  /* the parameters of its best evaluation; */
                                /* NULL: not kept                         */
    Mat *m, *v;                 /* as in its trainer                      */
} Model;

/* The parameters of now are the best so far; the best ones are those of
   now, where they were kept. */
void model_keep_best(Model *model, Arena *arena);
void model_use_best(Model *model);

/* model_save replaces the file, or leaves the old one as it was: the new
   one is complete before it takes its name. model_load refuses a file
   that is damaged, cut short, foreign or newer than the program, before
   it takes memory for what the file claims. A fault ends the attempt. */
void model_save(const Model *model, const char *name, Fault *f);
Model *model_load(Arena *arena, const char *name, Fault *f);

/* FNV-1a of n bytes and those before them; NO_CHECKSUM before the first. */
uint64_t checksum(uint64_t so_far, const void *bytes, size_t n);
enum { NO_CHECKSUM = 0 };

/* Replaces a file at once by what write writes; or leaves it as it was,
   and ends the attempt. write returns false where it cannot. */
void replace_file(const char *name, Fault *f, const void *data,
                  bool (*write)(FILE *file, const void *data));

enum { MOST_CLASSES = 1000 };

/* Data to train a model, and data held out. */
typedef struct {
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    int N_C;
    Data train, held_out;
    double bytes;               /* of all files                           */
    const char *sum;            /* their checksum, in hexadecimal         */
} Corpus;

/* Reads the n files. model is what is to be trained further, with its
   tokenizer and classes; or NULL: they are made. What the files should
   not have ends the attempt. */
Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, int n, char *const name[], Fault *f);

/* One side of a pair as a model is given it: its tokens between bos_token
   and eos_token. With words each keeps the blank behind it (E28), so a
   blank is put behind the last one. at is its place in the text, for
   faults: an unknown token, or more than ell_max. */
Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Fault *f, int at);

/* tokenize is the command `ftx tokenize`; like show. */
int tokenize(FILE *out, FILE *err, int n, char *argument[]);

/* A plan for a first try, or the paper as printed. */
Plan plan_default(bool as_printed);

/* What is wrong with a plan for a task ends the attempt. */
void plan_check(Fault *f, Task task, Plan *plan);

/* Do both names stand for one file that is there? */
bool same_file(const char *a, const char *b);

/* train is the command `ftx train`. */
int train(FILE *out, FILE *err, int n, char *argument[]);

/* The loss curve of a Model as a table and as a picture; for
   replace_file. */
bool curve_tsv(FILE *file, const void *model);
bool curve_svg(FILE *file, const void *model);

/* Loads a model for a command; one of another kind ends the attempt. */
Model *model_for(Command *c, const char *name, Task task, Fault *f);

/* A model that gives numbers which are not finite ends the attempt; also
   from now on where they arise on the tape of the command. */
_Noreturn void refuse_model(Fault *f, const char *name);
void refuse_overflow(Command *c, const char *name, Fault *f);

/* The tokens of a text that was typed, between bos_token and eos_token; of
   more than `most` in all, the attempt ends. The text is a part of f->text,
   where faults have their place. */
Tokens typed_tokens(const Command *c, const Model *model, const char *text,
                    size_t n, int most, Fault *f);

/* The lines that a command works on: its n arguments, or those of standard
   input. Calls work with each, a part of f->text. An empty one ends the
   attempt. */
void each_line(Command *c, int n, void *data, Fault *f,
               void (*work)(void *data, const char *line, size_t bytes,
                            Fault *f));

/* How a token is drawn, as options; see the struct Inference. */
typedef struct {
    double tau;
    int seed;
    int top_k;
    double top_p;
    Random random;
} Drawing;
extern const Option drawing_options[];
Inference drawing(Drawing *d);

/* generate is the command `ftx generate`. */
int generate(FILE *out, FILE *err, int n, char *argument[]);

/* translate is the command `ftx translate`. */
int translate(FILE *out, FILE *err, int n, char *argument[]);

/* fill_texts is the command `ftx fill`. */
int fill_texts(FILE *out, FILE *err, int n, char *argument[]);

/* classify_texts is the command `ftx classify`. */
int classify_texts(FILE *out, FILE *err, int n, char *argument[]);

/* show_attention is `ftx show` where it is given a model. */
int show_attention(FILE *out, FILE *err, int n, char *argument[]);

/* What an exercise should be. A size of 0 is left to the algorithm. */
typedef struct {
    int algorithm, seed, decimals, layout;
    int tokens, context, d_x, d_attn, heads, mask, positions;
    bool biases, exact, key, tex;
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
/* The text of an answer, such as 0.667; or 2/3, if exact is wanted. */
void answer_text(const Exercise *e, const Step *step, int i, int j,
                 char *to, size_t size);

/* Where a step of the exercise stands, such as "4.4, h = 2"; and what a
   claim about it is called, such as "S^2". */
void step_place(const Exercise *e, const Step *step, char *to,
                size_t size);
void claim_name(const Exercise *e, const Step *step, char *to, size_t size);

/* worksheet prints the exercise as a LaTeX document, and its key on a page
   of its own. */
void worksheet(FILE *out, const Exercise *e);

/* exercise is the command `ftx exercise`. */
int exercise(FILE *out, FILE *err, int n, char *argument[]);

/* trials is the command `ftx trials`, which prints what a grader asks of an
   algorithm; steps is `ftx steps`, which prints the steps of a sheet as
   numbers. Like show. */
int trials(FILE *out, FILE *err, int n, char *argument[]);
int steps(FILE *out, FILE *err, int n, char *argument[]);
/* erratum is the command `ftx erratum`: the errata of the paper, each with
   numbers that show its size. It prints to out, what is wrong to err, and
   returns the exit status: 0, or 2 if there is no such erratum. */
int erratum(FILE *out, FILE *err, int n, char *argument[]);

#endif
