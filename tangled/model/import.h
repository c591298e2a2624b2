/* Folders of released models, and their configurations.

   Main type: Config. Entry points: model_import, config_write. */
#ifndef FTX_IMPORT_H
#define FTX_IMPORT_H
#include "model/released.h"

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
