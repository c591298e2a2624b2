/* Files of tensors, in the format of safetensors.

   Main types: Tensor, Tensors. Entry points: tensors_of_folder,
   tensors_write. In comes a file; out come names, shapes and
   places of numbers. */
#include "hub/hub.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; TensorType type; int bytes; }
tensor_types[] = {
    { "F32", TENSOR_F32, 4 }, { "F16", TENSOR_F16, 2 },
    { "BF16", TENSOR_BF16, 2 }, { "F64", TENSOR_F64, 8 },
    { "BOOL", TENSOR_OTHER, 1 }, { "U8", TENSOR_OTHER, 1 },
    { "I8", TENSOR_OTHER, 1 }, { "U16", TENSOR_OTHER, 2 },
    { "I16", TENSOR_OTHER, 2 }, { "U32", TENSOR_OTHER, 4 },
    { "I32", TENSOR_OTHER, 4 }, { "U64", TENSOR_OTHER, 8 },
    { "I64", TENSOR_OTHER, 8 },
};
enum { TENSOR_TYPES = sizeof tensor_types / sizeof *tensor_types };

/* Returns the n bytes as one number; the first byte has its lowest bits. */
static uint64_t little_endian(const unsigned char *from, int n)
{
    uint64_t bits = 0;
    for (int k = n - 1; k >= 0; k--)
        bits = bits << 8 | from[k];
    return bits;
}

static double single_number(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

/* The exponent of half a number begins 112 lower than that of a float. */
static double half_number(uint64_t bits)
{
    double x = single_number((bits & 0x7FFF) << 13) * 0x1p112;
    if ((bits & 0x7C00) == 0x7C00)
        x = bits & 0x3FF ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -x : x;
}

double tensor_number(const Tensor *t, size_t k)
{
    int size = tensor_types[t->type].bytes;
    uint64_t bits = little_endian(t->bytes + k * (size_t)size, size);
    double x;
    memcpy(&x, &bits, sizeof x);
    return t->type == TENSOR_F64 ? x
         : t->type == TENSOR_F16 ? half_number(bits)
         : single_number(t->type == TENSOR_BF16 ? bits << 16 : bits);
}

typedef struct {
    Arena *arena;
    Error *error;
    const char *name;           /* of the file                            */
    const unsigned char *data;  /* behind the header                      */
    double bytes;               /* of it                                  */
} TensorReader;

/* Reads a list of at most room whole numbers; returns how many there are. */
static int whole_numbers(const TensorReader *r, const Json *tensor,
                         const char *what, int room, long long to[])
{
    const double most = 1e12;
    const Json *list = json_member(tensor, what);
    if (list == NULL || list->kind != JSON_LIST || list->n > room)
        fail_in_text(r->error, (list == NULL ? tensor : list)->at,
                     "the %s of a tensor is a list of at most %d whole "
                     "numbers.", what, room);
    for (int k = 0; k < list->n; k++) {
        double x = json_whole(&list->item[k], 0, most);
        if (isnan(x))
            fail_in_text(r->error, list->item[k].at, "expected a whole "
                         "number from 0 to %.0f.", most);
        to[k] = (long long)x;
    }
    return list->n;
}

/* Reads what the header says of a tensor, the value behind its name; type,
   shape and place must agree. */
static Tensor read_tensor(const TensorReader *r, const Json *name)
{
    const Json *about = name + 1, *type = json_member(about, "dtype");
    int k = 0;
    while (k < TENSOR_TYPES && !json_is(type, tensor_types[k].name))
        k++;
    if (k == TENSOR_TYPES)
        fail_in_text(r->error, (type == NULL ? about : type)->at,
                     "a tensor has a dtype, such as F32, F16, BF16 or F64.");
    Tensor t = { .name = name->text, .type = tensor_types[k].type,
                 .type_name = tensor_types[k].name, .file = r->name };
    long long place[2] = { 0, 0 };
    double count = 1;
    t.dimensions = whole_numbers(r, about, "shape", TENSOR_DIMENSIONS,
                                 t.size);
    for (int d = 0; d < t.dimensions; d++)
        count *= (double)t.size[d];
    if (whole_numbers(r, about, "data_offsets", 2, place) != 2
        || count * tensor_types[k].bytes != (double)(place[1] - place[0]))
        fail_in_text(r->error, json_member(about, "data_offsets")->at,
                     "data_offsets must be %.0f bytes apart, for %.0f "
                     "numbers of type %s.", count * tensor_types[k].bytes,
                     count, t.type_name);
    if ((double)place[1] > r->bytes) {
        r->error->text = NULL;
        fail_with(r->error, "is cut short: the tensor %.150s ends at byte "
                  "%lld of the numbers, and %.0f are there.", t.name,
                  place[1], r->bytes);
    }
    t.count = (size_t)count;
    t.bytes = r->data + place[0];
    t.end = r->data + place[1];
    return t;
}

/* For qsort: in the order of the file; one of no bytes is first. */
static int by_place(const void *a, const void *b)
{
    const Tensor *s = a, *t = b;
    return s->bytes != t->bytes ? (s->bytes < t->bytes ? -1 : 1)
         : s->end < t->end ? -1 : s->end > t->end;
}

static int by_tensor_name(const void *a, const void *b)
{
    return strcmp(((const Tensor *)a)->name, ((const Tensor *)b)->name);
}

/* Reads all tensors. They must lie one behind the other to the end, so no
   byte of the file is left without a meaning. */
static Tensors read_header(const TensorReader *r, const Json *header)
{
    Tensors all = { 0, NULL };
    Tensor *t = arena_alloc(r->arena, ((size_t)header->n + 1) * sizeof *t);
    const unsigned char *end = r->data;
    for (int k = 0; k < header->n; k++) {
        const Json *name = &header->item[2 * k];
        if (strlen(name->text) != (size_t)name->n)
            fail_in_text(r->error, name->at,
                         "a name must not have a byte 0.");
        if (!json_is(name, "__metadata__"))
            t[all.n++] = read_tensor(r, name);
    }
    qsort(t, (size_t)all.n, sizeof *t, by_place);
    r->error->text = NULL;
    for (int k = 0; k < all.n; end = t[k++].end)
        if (t[k].bytes != end)
            fail_with(r->error, "the tensors do not lie one behind the "
                      "other: %.150s begins at byte %td of the numbers, not "
                      "at %td.", t[k].name, t[k].bytes - r->data,
                      end - r->data);
    if ((double)(end - r->data) != r->bytes)
        fail_with(r->error, "behind the last tensor there are %.0f bytes of "
                  "no tensor.", r->bytes - (double)(end - r->data));
    qsort(t, (size_t)all.n, sizeof *t, by_tensor_name);
    all.tensor = t;
    return all;
}

Tensors tensors_of_file(Arena *arena, const char *name, Error *f)
{
    static const char pointer[] = "version https://git-lfs";
    size_t n;
    const void *whole = read_file(arena, name, SIZE_MAX, &n, f);
    const unsigned char *bytes = whole;
    TensorReader r = { .arena = arena, .error = f, .name = name };
    uint64_t length = n < 8 ? 0 : little_endian(bytes, 8);
    set_subject(f, name, NULL);
    if (strncmp(whole, pointer, strlen(pointer)) == 0)
        fail_with(f, "is a pointer of git-lfs and not the file itself, "
                  "which 'git lfs pull' fetches.");
    if (length > JSON_BYTES)
        fail_with(f, "is not a file of tensors: its header would have %llu "
                  "bytes.", (unsigned long long)length);
    if (n < 8 || length > n - 8)
        fail_with(f, "is cut short: %zu bytes are there, and not even its "
                  "header is whole.", n);
    r.data = bytes + 8 + length;
    r.bytes = (double)(n - 8 - (size_t)length);
    f->text = (const char *)bytes + 8;
    if (length == 0 || *f->text != '{')
        fail_with(f, "a header begins with {.");
    return read_header(&r, json_read(arena, f->text, (size_t)length, f));
}

const Tensor *tensor_named(const Tensors *in, const char *name)
{
    Tensor key = { .name = name };
    return in->n == 0 ? NULL
         : bsearch(&key, in->tensor, (size_t)in->n, sizeof key,
                   by_tensor_name);
}

const char *in_folder(Arena *arena, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *to = arena_alloc(arena, size);
    snprintf(to, size, "%s/%s", folder, name);
    return to;
}

Tensors tensors_of_folder(Arena *arena, const char *folder, Error *f)
{
    static const struct { const char *name, *sentence; } other[] = {
        { "model.safetensors.index.json",
          "has its numbers in several files; in Python, the model's "
          "save_pretrained(FOLDER, max_shard_size=\"99GB\") writes one." },
        { "pytorch_model.bin",
          "has its numbers in pytorch_model.bin, which only Python reads; "
          "there, the model's save_pretrained(FOLDER, "
          "safe_serialization=True) writes model.safetensors." },
    };
    const char *name = in_folder(arena, folder, "model.safetensors");
    set_subject(f, folder, NULL);
    for (int k = 0; k < 2 && !is_name_taken(name); k++)
        if (is_name_taken(in_folder(arena, folder, other[k].name)))
            fail_with(f, "%s", other[k].sentence);
    if (!is_name_taken(name))
        fail_with(f, "has no model.safetensors.");
    return tensors_of_file(arena, name, f);
}

static void put_little_endian(FILE *file, uint64_t bits, int n)
{
    for (int k = 0; k < n; k++)
        fputc((int)(bits >> 8 * k & 0xFF), file);
}

static void put_number(FILE *file, double x)
{
    float y = (float)x;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    put_little_endian(file, bits, 4);
}

/* Writes the header; blanks behind it make its length a multiple of 8. */
static void put_header_of(FILE *to, int n, const Tensor tensor[])
{
    unsigned long long at = 0;
    fputs("{\"__metadata__\":{\"format\":\"pt\"}", to);
    for (int i = 0; i < n; i++) {
        const Tensor *t = &tensor[i];
        unsigned long long end = at + t->count * 4;
        print_json(to, ",%s:{'dtype':'F32','shape':[", t->name);
        for (int d = 0; d < t->dimensions; d++)
            fprintf(to, "%s%lld", d > 0 ? "," : "", t->size[d]);
        fprintf(to, "],\"data_offsets\":[%llu,%llu]}", at, end);
        at = end;
    }
    fputc('}', to);
    for (long k = ftell(to); k % 8 != 0; k++)
        fputc(' ', to);
}

void tensors_write(FILE *file, int n, const Tensor tensor[])
{
    TextStream header;
    Arena *arena = arena_new();
    put_header_of(open_text_stream(&header), n, tensor);
    const char *text = close_text_stream(&header, arena);
    put_little_endian(file, header.n, 8);
    fwrite(text, 1, header.n, file);
    arena_free(arena);
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < tensor[i].count; k++)
            put_number(file, tensor[i].number[k]);
}
