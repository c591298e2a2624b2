/* What an algorithm takes: its arguments, their spellings and shapes.
   Main types: Layout, Argument. Entry points: find_argument, known_name. An
   algorithm's number and a name flow in, what is known of it flows out. */
#ifndef FTX_ARGUMENTS_H
#define FTX_ARGUMENTS_H
#include "sheet/sheet.h"

/* How matrices are written. */
typedef struct {
    const char *name, *meaning;
    bool rows;                  /* the vector of a token is a row         */
    bool weights;               /* a weight is transposed                 */
} Layout;
enum { LAYOUTS = 4 };           /* paper, textbook, torch, berkeley       */
extern const Layout layouts[LAYOUTS];

/* Returns how W_u is written if it is tied to W_e: "W_eᵀ"; "W_e" in layouts
   that turn the vectors of tokens or the weights, but not both. */
const char *as_W_u(const Layout *layout);

typedef enum {
    WORD, NUMBER, INTEGER,
    LIST,                       /* of token IDs, or of numbers            */
    TOKENS,                     /* the first matrix: a column for each    */
    ONE_OR_MORE,                /* the same; one row or column: one token */
    WEIGHT,                     /* out x in                               */
    VECTOR,                     /* one row or one column                  */
    MASK                        /* a word, or a column for each query     */
} Kind;

/* What a parameter of a model belongs to. */
typedef enum {
    OF_MODEL, OF_HEAD, OF_ATTENTION,
    OF_LAYER,                   /* of the encoder, or of the only part    */
    OF_DECODER
} Owner;

typedef struct {
    int algorithms[16];         /* { 4, 5 }: it is for these              */
    const char *name;
    Kind kind;
    const char *instead;        /* NULL: it is needed; "": nothing        */
    const char *rows, *cols;    /* in the paper's layout                  */
    Owner owner;
    const char *words;          /* that it may be ...                     */
    double least, most;         /* ... or a number of this range          */
} Argument;

/* All arguments; behind the last stands one without a name. The order counts:
   names are listed in it, and the first matrix that mentions a letter fixes
   its size. */
extern const Argument argument_table[];

/* Returns whether an algorithm takes an argument. */
bool takes(int algorithm, const Argument *argument);

/* Returns the argument of that name; NULL: the algorithm has none. */
const Argument *find_argument(int algorithm, const char *name);

/* Returns whether a sheet must give it, as all weights of a component. */
bool is_needed(int algorithm, const Argument *argument);

/* Returns the letter that an algorithm has for one of the tables: d_x, the
   width of an input, is d_e in a model, and d_in in Algorithm 3. */
const char *own_letter(int algorithm, const char *letter);

/* Returns the name that is spelled so, without _ { } \ and ^, in an
   algorithm or, with others, else in another one; NULL: none is. */
const char *known_name(int algorithm, const char *plain, bool others);

/* Returns the argument of that name if it is a number, a list, a word or a
   mask, so that an item may do without an equals sign; NULL: it is none. */
const Argument *find_key(const char *name);

/* Adds a name to a list with commas, once, if there is room enough. */
void add_to_list(char *list, size_t size, const char *name);

/* Writes the names that an algorithm takes and its steps, or, for a claim,
   its steps alone, as a sentence, and returns it. */
enum { NAMES_BYTES = 900 };
const char *names_text(char to[NAMES_BYTES], int algorithm, bool claim);

/* Prints for a help text what an algorithm takes, and its steps. */
void print_algorithm(FILE *out, int algorithm);

/* Prints what each algorithm starts from, a line each. */
void print_starts(FILE *out);
#endif
