/* A model with everything that its file carries.

   Main type: Model. Entry points: model_load, model_save. */
#ifndef FTX_MODEL_FILE_H
#define FTX_MODEL_FILE_H
#include "model/plan.h"

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

/* Makes the parameters of now the best so far. */
void model_keep_best(Model *model, Arena *arena);

/* Makes the best parameters those of now, where they were kept, unless the
   last step has better ones. */
void model_use_best(Model *model);

/* Returns the held-out loss after the last step; NaN: not known. */
double model_last_held_out(const Model *model);

/* Replaces the file, which is held, unless held is NULL; or leaves the old
   one as it was. An error ends the attempt. */
void model_save(const Model *model, const char *name, FileLock *held,
                Error *f);

/* What a model is loaded for. ITS_SIZES: its hyperparameters, and any
   tokens. ITS_HEADER: all but numbers. TO_USE: the parameters of its best
   evaluation, or else the last ones, without gradients. TO_TRAIN:
   everything, and gradients; only such a model can be saved. */
typedef enum { ITS_SIZES, ITS_HEADER, TO_USE, TO_TRAIN } Purpose;

/* Loads a model. A file that is damaged, cut short, foreign or newer than
   the program is refused before memory is taken for what it claims. */
Model *model_load(Arena *arena, const char *name, Purpose purpose,
                  Error *f);

/* Writes the loss curve of a Model as a table, for replace_file. */
bool curve_tsv(FILE *file, const void *model);
#endif
