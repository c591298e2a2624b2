/* Released models: which tensor holds which parameter, and folders of them.

   Main types: TensorRow, TensorPlace. Entry points: model_import,
   tensor_place. */
#ifndef FTX_RELEASED_H
#define FTX_RELEASED_H
#include "model/file.h"

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

/* Where a parameter stands: in which tensor, of what shape, and which of its
   rows, as the paper turns it. */
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

/* Returns the place of parameter k of theta. */
TensorPlace tensor_place(const Released *model, const Theta *theta, int k);

/* Turns a place into that of the next row with the same symbol, a tensor
   that has the same numbers; false: there is none. */
bool tensor_copy(const Released *model, TensorPlace *place);

/* Returns the index of entry [i, j] in the tensor, from 0. */
size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                    int i, int j);

/* What is known of the tokens of a folder: the tokens; or that they are
   numbers; or the numbers of mask_token, bos_token and eos_token, else
   UNSAID. */
typedef struct {
    const Tokenizer *tokens;
    bool numbers;
    int special[3];
} TokenHint;

/* Whether there is a folder with a config.json, or a file of tensors. */
bool is_released(const char *name);

/* Returns the model in a folder of a released one, or in a file of tensors
   beside its config.json. Its tokens are as its files say, unless hint,
   which may be NULL, knows better. What is wrong ends the attempt. */
Model *model_import(Arena *arena, const char *name, Purpose purpose,
                    const TokenHint *hint, Error *f);
#endif
