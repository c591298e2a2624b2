/* model/model.h: a model with everything that its file carries, and the
   commands that train it, use it and look into it.

   Main type: Model. Entry points: model_load, model_save, the commands. A
   name flows in and a Model out, or the other way round. */
#ifndef FTX_MODEL_H
#define FTX_MODEL_H
#include "model/plan.h"

/* The commands, as the table in main.c calls them; show_inside is ftx show
   --model, and predict ftx generate, translate, fill or classify, whichever
   f->sheet names. */
CommandMain count_numbers, train, tokenize, show_inside, predict;

/* How far a training is. */
typedef struct {
    int step, updates;
    double bytes;               /* of the data, and their checksum        */
    const char *sum;
    bool has_m, has_v;          /* of the optimiser's matrices            */
    int interval, points;       /* of older files: a loss curve, of which */
    double loss, tokens;        /* these are a part                       */
} State;

/* A model, with everything that its file carries. */
typedef struct {
    Task task;
    Theta *theta;
    const Tokenizer *tokenizer;
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
    Plan plan;                  /* how it is trained ...                  */
    State state;                /* ... and how far                        */
    Mat *m, *v;                 /* as in its trainer                      */
} Model;
enum { MOST_CLASSES = 1000 };

/* Replaces the file. Fails, and leaves the old one as it was, where that
   cannot be done, or a number of it is not finite. */
void model_save(const Model *model, const char *name, Error *f);

/* What a model is loaded for. TO_USE: the parameters, without gradients.
   TO_TRAIN: everything, and gradients; only such a model can be trained. */
typedef enum { TO_USE, TO_TRAIN } Purpose;

/* Returns the model in a file; it is in the arena. Gives up if the file is
   damaged, cut short, foreign or newer than the program, before memory is
   taken for what it claims. f->sheet stays as it was. */
Model *model_load(Arena *arena, const char *name, Purpose purpose,
                  Error *f);

/* Refuses the model with that name if it is one of another task. */
void check_task(const Model *m, const char *name, Task task, Error *f);
#endif
