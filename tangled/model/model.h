/* model/: models of real texts are trained, saved, and used. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "practice/practice.h"
#include "cli/command.h"

/* What is trained: Algorithms 8, 9, 10; and 9 with a class head. The
   words are those of `ftx train`. */
typedef enum { TRAIN_ED, TRAIN_E, TRAIN_D, TRAIN_CLASS } Task;
bool task_of(const char *word, Task *task);
const char *task_name(Task task);

/* The hyperparameters as options, in two tables: what an architecture may
   be given, and what its data decide: architecture, N_V and N_C. The
   default is for a first try; d_mlp 0 stands for 4 d_e. What is wrong with
   them ends the attempt; d_mlp is filled in. So does an option, among the n
   that parse_options has left, that the task has no use for. */
extern const Option hyper_options[], size_options[];
Hyperparameters hyper_default(Task task);
void hyper_check(Error *f, Hyperparameters *hyper);
void refuse_idle_hyper(Error *f, Task task, int n, char *const argument[]);

/* How a model is trained: what `ftx train` was told. The default is for a
   first try, or the paper as printed. What is wrong ends the attempt. */
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
Plan plan_default(bool as_printed);
void plan_check(Error *f, Task task, Plan *plan);
void refuse_idle_plan(Error *f, Task task, const Plan *plan, int n,
                      char *const argument[]);

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
enum { MOST_CLASSES = 1000 };

/* The parameters of now are the best so far; the best ones are those of
   now, where they were kept, unless the last step has better ones. The
   held-out loss after the last step; NaN: not known. */
void model_keep_best(Model *model, Arena *arena);
void model_use_best(Model *model);
double model_last_held_out(const Model *model);

/* model_save replaces the file, which is held, unless held is NULL; or
   leaves the old one as it was. model_load refuses a file that is damaged,
   cut short, foreign or newer than the program, before it takes memory for
   what the file claims. It is loaded for a purpose: ITS_SIZES gives its
   hyperparameters, and any tokens; ITS_HEADER gives all
   but numbers. TO_USE gives the parameters of its best evaluation, or else
   the last ones: those in the file, where they are such as the program
   has, without gradients. TO_TRAIN gives everything, and gradients; only
   such a model can be saved. model_for loads one to use it, for a command,
   and refuses one of another kind. An error ends the attempt. */
typedef enum { ITS_SIZES, ITS_HEADER, TO_USE, TO_TRAIN } Purpose;
void model_save(const Model *model, const char *name, FileLock *held,
                Error *f);
Model *model_load(Arena *arena, const char *name, Purpose purpose,
                  Error *f);
Model *model_for(Command *c, const char *name, Task task, Error *f);

/* Writes the loss curve of a Model as a table, for replace_file. */
bool curve_tsv(FILE *file, const void *model);

/* Data to train a model, and data held out. */
typedef struct {
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    int N_C;
    Data train, held_out;
    double bytes;               /* of all files                           */
    const char *sum;            /* their checksum, in hexadecimal         */
} Corpus;

/* Where progress is told, every so many seconds: as lines, or on a terminal
   in one row, and there at least five times a second. */
typedef struct {
    FILE *to;
    double every;
} Telling;
bool is_time_to_tell(const Telling *telling, double *told);

/* Learns byte pairs from n bytes, and tells how far it is. */
const Tokenizer *learn_and_tell(Arena *arena, const char *text, size_t n,
                                int merges, const Telling *telling);

/* Reads the n files. model is what is to be trained further, with its
   tokenizer and classes; or NULL: they are made, which is told. What the
   files should not have ends the attempt. */
Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const Telling *telling, int n,
                   char *const name[], Error *f);

/* One side of a pair as a model is given it: its tokens between bos_token
   and eos_token. With words each keeps the blank behind it (E28), so a
   blank is put behind the last one. at is its place in the text, for
   errors: an unknown token, or more than ell_max. typed_tokens are those of
   a text that was typed, a part of f->text; more than `most` in all end the
   attempt. */
Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Error *f, int at);

/* Ends the attempt with what encode_text says to the text, at its byte where,
   which is byte at + where of f->text. A character or a word that has no
   token is quoted. */
_Noreturn void refuse_piece(const Tokenizer *t, const char *wrong,
                            const char *text, size_t n, size_t where,
                            Error *f, int at);
Tokens typed_tokens(const Command *c, const Model *model, const char *text,
                    size_t n, int most, Error *f);

/* A line, a part of f->text, with mask_token wherever this gap stands. */
Tokens with_gaps(const Command *c, const Model *model, const char *gap,
                 const char *line, size_t bytes, Error *f);

/* A prompt has no eos_token at its end (E35), unless that is all it has. */
Tokens as_prompt(const Tokenizer *t, Tokens x);

/* A model that gives numbers which are not finite ends the attempt; also
   from now on where they arise on the tape of the command. */
_Noreturn void refuse_model(Error *f, const char *name);
void refuse_overflow(Command *c, const char *name, Error *f);

/* The lines that a command works on: its n arguments, or those of standard
   input. Calls work with each, a part of f->text. An empty one ends the
   attempt. */
void each_line(Command *c, int n, void *data, Error *f,
               void (*work)(void *data, const char *line, size_t bytes,
                            Error *f));

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

/* A row of the table: the parameters with this symbol stand in that tensor,
   # being the number of the layer, from 0. */
typedef struct {
    const char *line, *symbol, *tensor;
    enum { TURNED = 1,          /* the tensor is the matrix transposed    */
           VOCABULARY = 2,      /* one of its sides are the tokens        */
           UNTIED = 4 }         /* only where W_u is not W_e transposed   */
    how;
    int part, parts;            /* which one, of so many on top of each
                                   other                                  */
} TensorRow;

/* A kind of released model, as its config.json calls it. */
typedef struct {
    const char *architecture, *type;
    Task task;
    const char *prefix;         /* of the tensors of the trunk ...        */
    const TensorRow *trunk, *head;      /* ... but not of the head        */
    bool bare;                  /* it writes no prefix                    */
    const char *const *idle;    /* endings of tensors that have no use    */
} Released;
extern const Released released_models[];    /* up to one without a name   */

/* Where parameter k of theta stands: in which tensor, of what shape, and
   which of its rows, as the paper turns it. tensor_index is the place of
   its entry [i, j] in the tensor, from 0. tensor_copy turns a place into
   that of the next row with the same symbol, a tensor that has the same
   numbers; false: there is none. */
typedef struct {
    char name[100];
    const TensorRow *row;
    const Parameter *parameter;
    bool tied;                  /* W_u                                    */
    bool in_trunk;
    int dimensions;
    long long size[2];
    size_t rows, first;
} TensorPlace;
TensorPlace tensor_place(const Released *model, const Theta *theta, int k);
bool tensor_copy(const Released *model, TensorPlace *place);
size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                    int i, int j);

/* The model in a folder of a released one, or in a file of tensors that
   stands beside its config.json. Its tokens are as its files say, unless
   hint, which may be NULL, knows better: the tokens; or that they are
   numbers; or the numbers of mask_token, bos_token and eos_token, else
   UNSAID. What is wrong ends the attempt. is_released: is there a folder
   with a config.json, or a file of tensors? */
typedef struct {
    const Tokenizer *tokens;
    bool numbers;
    int special[3];
} TokenHint;
bool is_released(const char *name);
Model *model_import(Arena *arena, const char *name, Purpose purpose,
                    const TokenHint *hint, Error *f);

/* What --set says, read off for a model; a word or a place that the model
   has not ends the attempt. spots_fit does so where there is no such token,
   z and x being so long. spots_take lets run(to, text) run the model, with
   observe_spots, on each text that a value is taken from: this time the
   values are taken. From then on observe_spots lets them act. */
typedef struct Spots Spots;
Spots *spots_read(Arena *arena, const Theta *theta, const Texts *set,
                  Error *f);
void spots_fit(Spots *spots, int ell_z, int ell_x);
void spots_take(Spots *spots, void (*run)(void *to, const char *text),
                void *to);
void observe_spots(Tape *tape, Spots *spots);

/* Of `ftx count`, `ftx train` ...; show_inside of `ftx show --model`. */
CommandMain count_numbers, train, generate, translate, fill_texts,
         classify_texts, tokenize, show_inside, import_released,
         export_model;
#endif
