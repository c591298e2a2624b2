/* Files of tensors, read and written.

   Main types: Tensor, Tensors. Entry points: tensors_of_folder,
   tensors_write. */
#ifndef FTX_SAFETENSORS_H
#define FTX_SAFETENSORS_H
#include "cli/command.h"

/* A tensor in a file: its numbers are stored row after row. */
typedef enum { TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_F64,
               TENSOR_OTHER } TensorType;
enum { TENSOR_DIMENSIONS = 8 };
typedef struct {
    const char *name;
    TensorType type;            /* OTHER: whole numbers and the like      */
    const char *type_name;      /* such as "F32"                          */
    int dimensions;
    long long size[TENSOR_DIMENSIONS];
    size_t count;               /* of its numbers                         */
    const unsigned char *bytes, *end;
    const char *file;           /* where it stands                        */
    double *number;             /* of one to be written: its numbers      */
} Tensor;

/* tensor[0] ... tensor[n - 1], in the order of their names. */
typedef struct {
    int n;
    const Tensor *tensor;
} Tensors;

/* Reads one file. The numbers stay where they are, in the bytes of the
   file. Fails where the file does not keep to the format. */
Tensors tensors_of_file(Arena *arena, const char *name, Error *f);

/* Reads model.safetensors in a folder. */
Tensors tensors_of_folder(Arena *arena, const char *folder, Error *f);

/* Returns the tensor of that name; NULL: there is none. */
const Tensor *tensor_named(const Tensors *in, const char *name);

/* Returns number k of a tensor, from 0; not of one of type OTHER. */
double tensor_number(const Tensor *tensor, size_t k);

/* Returns the name of a file in a folder. */
const char *in_folder(Arena *arena, const char *folder, const char *name);

/* Writes n tensors as F32. Whether all was written is for the caller to
   ask. */
void tensors_write(FILE *file, int n, const Tensor tensor[]);

#endif
