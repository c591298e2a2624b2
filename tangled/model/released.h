/* Released models: which tensor holds which parameter, what their
   configuration says, and the folder that has both.

   Main types: Released, TensorPlace, Config. Entry points: model_import,
   theta_write, config_write. */
#ifndef FTX_RELEASED_H
#define FTX_RELEASED_H
#include "hub/safetensors.h"
#include "model/file.h"

/* A row of the table: the parameters W and b stand in a tensor of that name
   with .weight and .bias; # is the number of the layer, from 0. */
typedef struct {
    const char *W, *b, *tensor;
    enum { TURNED = 1,          /* the tensor is the matrix transposed    */
           VOCABULARY = 2,      /* one of its sides are the tokens        */
           UNTIED = 4 }         /* only where W_u is not W_e transposed   */
    how;
    int part, parts;            /* which one, of so many on top of each
                                   other; 0: it is alone                  */
} TensorRow;

/* A kind of released model, as its config.json calls it. */
typedef struct {
    const char *architecture, *type;
    Task task;
    const char *prefix;         /* of the tensors of the trunk ...        */
    const TensorRow *trunk, *head;      /* ... but not of the head        */
    bool bare;                  /* it writes no prefix                    */
} Released;
extern const Released released_models[];    /* up to one without a name   */

/* Returns the kind as which models of a task are exported, or NULL. Models
   with classes are not. */
const Released *released_kind_of(Task task);

/* Sets the hyperparameters that are the same in all models of that kind. */
void set_released_hyper(const Released *kind, Hyperparameters *hyper);

/* Where a parameter stands: in which tensor, and which of its rows, as the
   paper turns it. */
typedef struct {
    Tensor tensor;              /* its name and shape                     */
    const TensorRow *row;
    const Parameter *parameter;
    size_t rows, first;
} TensorPlace;

/* Returns the places of theta's parameters, [1] to [theta->n]. */
TensorPlace *tensor_places(Arena *arena, const Released *kind,
                           const Theta *theta);

/* Returns the index of entry [i, j] in the tensor, from 0. */
size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                    int i, int j);

/* Returns theta of hyper with the numbers of the tensors, in the arena.
   Fails where the tensors are not those of such a model. */
Theta *theta_import(Arena *arena, const Released *kind,
                    const Hyperparameters *hyper, const Tensors *in,
                    const Tokenizer *tokens, Purpose purpose, Error *f);

/* Writes the parameters of a Model as tensors. */
FileWriter theta_write;

/* What a config.json says. special has the numbers of mask_token, bos_token
   and eos_token, else UNSAID. */
typedef struct {
    const Released *kind;
    Hyperparameters hyper;
    int special[3];
    const char **class_name;    /* class_name[1] ... class_name[N_C]      */
} Config;

/* Reads the config.json of a folder. Fails where ftx has no such model. */
Config config_read(Arena *arena, const char *folder, Error *f);

/* Writes the config.json of a Model. */
FileWriter config_write;

/* Returns whether there is a folder of that name with a config.json. */
bool is_released(const char *name);

/* Returns the model in a folder of a released one, in the arena. Its tokens
   are these; NULL: as the folder says. Fails where it is no such model. */
Model *model_import(Arena *arena, const char *folder, Purpose purpose,
                    const Tokenizer *tokens, Error *f);
#endif
