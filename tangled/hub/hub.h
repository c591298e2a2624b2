/* hub/: files as the hub of released models distributes them: JSON, and
   tensors. What is not to the letter of the format is refused. */
#ifndef FTX_HUB_H
#define FTX_HUB_H
#include "cli/command.h"
#include "text/tokenizer.h"

/* A value of JSON. at is its place in the text, for errors. */
typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING,
               JSON_LIST, JSON_OBJECT } JsonKind;
typedef struct Json Json;
struct Json {
    JsonKind kind;
    int at;
    int n;                      /* bytes of a string; values of a list;
                                   members of an object                   */
    const char *text;           /* of a string, in UTF-8; a 0 follows it  */
    double number;
    const Json *item;           /* the values; of an object each member's
                                   name, a string, and then its value     */
    const Json **sorted;        /* the names, in order                    */
};

/* Reads a text of n bytes, which is f->text. What is no JSON ends the
   attempt, and so does more than JSON_BYTES, or a list in more than
   JSON_DEPTH others. json_of_file reads a file, and from now on errors have
   places in it. */
enum { JSON_BYTES = 1 << 25, JSON_DEPTH = 100 };
const Json *json_read(Arena *arena, const char *text, size_t n, Error *f);
const Json *json_of_file(Arena *arena, const char *name, Error *f);

/* The member of that name; NULL where there is none, or it is no object. Is
   it a string with this text? */
const Json *json_member(const Json *object, const char *name);
bool json_is(const Json *value, const char *text);

/* What a member is, in the words of an error: "a string" ... And a text as a
   part of a sentence: in one line, and not long. */
const char *json_kind(const Json *value);
const char *in_a_line(Arena *arena, const char *text, int n);


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
    const unsigned char *bytes;
    const char *file;           /* where it stands                        */
} Tensor;

/* tensor[0] ... tensor[n - 1], in the order of their names. */
typedef struct {
    int n;
    const Tensor *tensor;
} Tensors;

/* tensors_of_folder reads model.safetensors in a folder, or the shards that
   its index names; tensors_of_file one file. The numbers stay where they
   are, in the file, which is mapped. What is not to the letter ends the
   attempt. */
Tensors tensors_of_file(Arena *arena, const char *name, Error *f);
Tensors tensors_of_folder(Arena *arena, const char *folder, Error *f);
const Tensor *tensor_named(const Tensors *in, const char *name);

/* Number k of a tensor, from 0; not of one of type OTHER. */
double tensor_number(const Tensor *tensor, size_t k);

/* "F32", ...; the name of a file in a folder. */
const char *tensor_type_name(TensorType type);
const char *in_folder(Arena *arena, const char *folder, const char *name);

/* Writes n tensors of one type; number gives number k of tensor i. false
   where it could not be written. In F16 what is too large is infinite. */
bool tensors_write(FILE *file, TensorType type, int n, const Tensor *tensor,
                   double (*number)(const void *data, int i, size_t k),
                   const void *data);


/* How a folder's model cuts a text: a vocabulary of pieces; or a tokenizer
   that ftx learned and exported; or neither is there. special has the
   numbers of mask_token, bos_token and eos_token, as far as the files name
   them, else UNSAID. N_V: there are no more pieces. What is wrong ends the
   attempt. */
typedef struct {
    const Cutter *cutter;
    const Tokenizer *learned;
    int special[3];
} TokenFiles;
TokenFiles tokens_of_folder(Arena *arena, const char *folder, int N_V,
                            Error *f);

/* How the tokenizers of ftx cut a text, as regular expressions: at each
   character; a word; and 64 bytes of a long one. */
#define SPLIT_CHARACTERS "[\\s\\S]"
#define SPLIT_WORDS "[^\u0120\u0109-\u010d]+[\u0120\u0109-\u010d]*|" \
                    "[\u0120\u0109-\u010d]+"
#define SPLIT_LONG ".{1,64}"

/* Writes tokenizer.json of a tokenizer, and its tokenizer_config.json, for
   transformers; ends: a text has eos behind it, as one to be continued must
   not. tokens_error: why it cannot be written; NULL: it can. */
const char *tokens_error(const Tokenizer *t);
void put_tokenizer(FILE *to, const Tokenizer *t, bool ends);
void put_tokenizer_config(FILE *to, const Tokenizer *t);

/* The sign that stands for a byte in GPT-2's files, a character. */
unsigned sign_of_byte(int byte);

#endif
