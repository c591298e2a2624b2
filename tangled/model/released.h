/* Released models: which tensor holds which parameter, what their
   configuration says, and the folder that has both.

   Main type: Released. Entry points: model_import, theta_write,
   config_write. A folder flows in and a Model out, or the other way round. */
#ifndef FTX_RELEASED_H
#define FTX_RELEASED_H
#include "hub/safetensors.h"
#include "model/file.h"

typedef struct TensorRow TensorRow;

/* A kind of released model, as its config.json calls it. */
typedef struct {
    const char *architecture, *type;
    Task task;
    const char *prefix;         /* of the tensors of the trunk ...        */
    const TensorRow *trunk;     /* ... but not of the head; NULL: it has  */
    const TensorRow *head;      /* none, and writes no prefix             */
} Released;
extern const Released released_models[];    /* up to one without a name   */

/* Returns the kind as which models of a task are exported, or NULL. */
const Released *released_kind_of(Task task);

/* Sets the hyperparameters that are the same in all models of that kind. */
void set_released_hyper(const Released *kind, Hyperparameters *hyper);

/* Returns theta of hyper with the numbers of the tensors, in the arena.
   Fails where the tensors are not those of such a model. */
Theta *theta_import(Arena *arena, const Released *kind,
                    const Hyperparameters *hyper, const Tensors *in,
                    const Tokenizer *tokens, Purpose purpose, Error *f);

/* Writes the parameters of a Model as tensors. */
FileWriter theta_write;

/* Writes the config.json of a Model. */
FileWriter config_write;

/* Returns the model in a folder of a released one, in the arena. Its tokens
   are these; NULL: as the folder says. Fails where it is no such model. */
Model *model_import(Arena *arena, const char *folder, Purpose purpose,
                    const Tokenizer *tokens, Error *f);
#endif
