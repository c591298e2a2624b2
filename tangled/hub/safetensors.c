/* Files of tensors. */
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

const char *tensor_type_name(TensorType type)
{
    return tensor_types[type].name;
}

static uint64_t little_endian(const unsigned char *from, int n)
{
    uint64_t bits = 0;
    for (int k = n - 1; k >= 0; k--)
        bits = bits << 8 | from[k];
    return bits;
}

static double half_number(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023), x;
    if (exponent == 31)
        x = fraction > 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        x = ldexp(fraction, -24);
    else
        x = ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -x : x;
}

static double single_number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double tensor_number(const Tensor *t, size_t k)
{
    int size = tensor_types[t->type].bytes;
    uint64_t bits = little_endian(t->bytes + k * (size_t)size, size);
    double x;
    memcpy(&x, &bits, sizeof x);
    switch (t->type) {
    case TENSOR_F32:  return single_number((uint32_t)bits);
    case TENSOR_F16:  return half_number(bits);
    case TENSOR_BF16: return single_number((uint32_t)bits << 16);
    case TENSOR_F64:  return x;
    case TENSOR_OTHER: break;
    }
    REQUIRE(false, "%s has numbers of another type.", t->name);
    return 0;
}

typedef struct {
    Arena *arena;
    Error *error;
    const char *name;           /* of the file                            */
    const unsigned char *data;  /* behind the header                      */
    double bytes;               /* of it                                  */
} TensorReader;

static const Json *needed(const TensorReader *r, const Json *tensor,
                          const char *what)
{
    const Json *member = json_member(tensor, what);
    if (member == NULL)
        fail_in_text(r->error, tensor->at, "this tensor has no %s.", what);
    return member;
}

/* A list of whole numbers, at most so many, up to most; how many. */
static int whole_numbers(const TensorReader *r, const Json *list,
                         const char *what, int room, double most,
                         long long to[])
{
    if (list->kind != JSON_LIST)
        fail_in_text(r->error, list->at,
                     "the %s of a tensor is a list of whole numbers.", what);
    if (list->n > room)
        fail_in_text(r->error, list->at, "the %s of a tensor has at most %d "
                     "numbers.", what, room);
    for (int k = 0; k < list->n; k++) {
        const Json *x = &list->item[k];
        if (x->kind != JSON_NUMBER || !(0 <= x->number && x->number <= most)
            || x->number != floor(x->number))
            fail_in_text(r->error, x->at, "expected a whole number from 0 to "
                         "%.0f.", most);
        to[k] = (long long)x->number;
    }
    return list->n;
}

static int tensor_type_of(const TensorReader *r, const Json *tensor)
{
    const Json *type = needed(r, tensor, "dtype");
    for (int k = 0; k < TENSOR_TYPES; k++)
        if (json_is(type, tensor_types[k].name))
            return k;
    fail_in_text(r->error, type->at,
                 "this is no type of numbers that is known; "
                 "F32, F16, BF16 and F64 are.");
}

static Tensor read_tensor(const TensorReader *r, const Json *name)
{
    const Json *about = name + 1;
    if (about->kind != JSON_OBJECT || about->n != 3)
        fail_in_text(r->error, about->at, "a tensor has dtype, shape and "
                     "data_offsets; this is %s.", about->kind == JSON_OBJECT
                     ? "an object with others" : json_kind(about));
    int k = tensor_type_of(r, about);
    const Json *shape = needed(r, about, "shape");
    const Json *offsets = needed(r, about, "data_offsets");
    Tensor t = { .name = name->text, .type = tensor_types[k].type,
                 .type_name = tensor_types[k].name, .file = r->name };
    long long place[2] = { 0, 0 };
    t.dimensions = whole_numbers(r, shape, "shape", TENSOR_DIMENSIONS,
                                 1e12, t.size);
    if (whole_numbers(r, offsets, "data_offsets", 2, r->bytes, place) != 2
        || place[1] < place[0])
        fail_in_text(r->error, offsets->at,
                     "data_offsets are where the numbers "
                     "begin and where they end.");
    double count = 1;
    for (int d = 0; d < t.dimensions; d++)
        count *= (double)t.size[d];
    if (count * tensor_types[k].bytes != (double)(place[1] - place[0]))
        fail_in_text(r->error, offsets->at,
                     "%lld bytes are not what a tensor of "
                     "%.0f numbers of type %s has.", place[1] - place[0],
                     count,
                     t.type_name);
    t.count = (size_t)count;
    t.bytes = r->data + place[0];
    return t;
}

static int by_place(const void *a, const void *b)
{
    const Tensor *s = a, *t = b;
    if (s->bytes != t->bytes)
        return s->bytes < t->bytes ? -1 : 1;
    return s->count < t->count ? -1 : s->count > t->count;
}

static int by_tensor_name(const void *a, const void *b)
{
    return strcmp(((const Tensor *)a)->name, ((const Tensor *)b)->name);
}

static size_t bytes_in(const Tensor *t)
{
    for (int k = 0; k < TENSOR_TYPES; k++)
        if (strcmp(tensor_types[k].name, t->type_name) == 0)
            return t->count * (size_t)tensor_types[k].bytes;
    return 0;
}

/* That they fill the data, one behind the other. */
static void tensors_adjoin(const TensorReader *r, int n, const Tensor t[])
{
    const unsigned char *end = r->data;
    for (int k = 0; k < n; k++) {
        if (t[k].bytes < end)
            fail_with(r->error, "the tensors %.150s and %.150s overlap.",
                      t[k - 1].name, t[k].name);
        if (t[k].bytes > end)
            fail_with(r->error, "before the tensor %.150s there are %zu "
                      "bytes of no tensor.", t[k].name,
                      (size_t)(t[k].bytes - end));
        end = t[k].bytes + bytes_in(&t[k]);
    }
    if ((double)(end - r->data) != r->bytes)
        fail_with(r->error, "behind the last tensor there are %.0f bytes of "
                  "no tensor.", r->bytes - (double)(end - r->data));
}

static Tensors read_header(const TensorReader *r, const Json *header)
{
    Tensors all = { 0, NULL };
    if (header->kind != JSON_OBJECT)
        fail_in_text(r->error, header->at,
                     "a header is an object; this is %s.",
                     json_kind(header));
    Tensor *t = arena_alloc(r->arena, ((size_t)header->n + 1) * sizeof *t);
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
    tensors_adjoin(r, all.n, t);
    qsort(t, (size_t)all.n, sizeof *t, by_tensor_name);
    all.tensor = t;
    return all;
}

static Tensors tensors_in(TensorReader *r, const unsigned char *bytes,
                          size_t n)
{
    Error *f = r->error;
    f->sheet = r->name;
    f->text = NULL;
    if (n < 8)
        fail_with(f, "is cut short: not even the length of a header is "
                  "there.");
    uint64_t length = little_endian(bytes, 8);
    if (length > JSON_BYTES)
        fail_with(f, "is no file of tensors: its header would have %llu "
                  "bytes.", (unsigned long long)length);
    if (length > n - 8)
        fail_with(f, "is cut short: its header has %llu bytes, and %zu are "
                  "there.", (unsigned long long)length, n - 8);
    r->data = bytes + 8 + length;
    r->bytes = (double)(n - 8 - (size_t)length);
    f->text = (const char *)bytes + 8;
    if (length == 0 || *f->text != '{')
        fail_with(f, "a header begins with {.");
    return read_header(r, json_read(r->arena, f->text, (size_t)length, f));
}

Tensors tensors_of_file(Arena *arena, const char *name, Error *f)
{
    size_t n;
    const void *bytes = read_file(arena, name, &n, f);
    TensorReader r = { .arena = arena, .error = f, .name = name };
    return tensors_in(&r, bytes, n);
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

static bool is_plain_name(const Json *name)
{
    return name->kind == JSON_STRING && name->n > 0 && name->text[0] != '.'
        && strpbrk(name->text, "/\\") == NULL
        && strlen(name->text) == (size_t)name->n;
}

/* The shards that have been read, and the tensors in them. */
typedef struct {
    int shards, n;
    const char **shard;
    Tensor *tensor;             /* room for as many as the index has      */
    int room;
} Shards;

static void read_shard(Arena *arena, const char *folder, const char *name,
                       Shards *all, const Json *map, Error *f)
{
    for (int k = 0; k < all->shards; k++)
        if (strcmp(all->shard[k], name) == 0)
            return;
    all->shard[all->shards++] = name;
    Tensors in = tensors_of_file(arena, in_folder(arena, folder, name), f);
    for (int k = 0; k < in.n; k++) {
        if (!json_is(json_member(map, in.tensor[k].name), name))
            fail_with(f, "the tensor %.150s is in it, but the index does "
                      "not say so.", in.tensor[k].name);
        all->tensor[all->n++] = in.tensor[k];
    }
}

static Tensors tensors_of_index(Arena *arena, const char *folder,
                                const char *index, Error *f)
{
    const Json *root = json_of_file(arena, index, f);
    const Json *map = json_member(root, "weight_map");
    if (map == NULL || map->kind != JSON_OBJECT)
        fail_in_text(f, root->at, "this index has no weight_map.");
    size_t n = (size_t)map->n;
    Shards all = { .shards = 0 };
    all.shard = arena_alloc(arena, n * sizeof *all.shard + 1);
    all.tensor = arena_alloc(arena, n * sizeof *all.tensor + 1);
    for (size_t k = 0; k < n; k++)
        if (!is_plain_name(&map->item[2 * k + 1]))
            fail_in_text(f, map->item[2 * k + 1].at,
                         "a shard is a file in the "
                         "same folder; this names none.");
    for (size_t k = 0; k < n; k++)
        read_shard(arena, folder, map->item[2 * k + 1].text, &all, map, f);
    qsort(all.tensor, (size_t)all.n, sizeof *all.tensor, by_tensor_name);
    Tensors found = { all.n, all.tensor };
    f->sheet = index;
    f->text = NULL;
    for (size_t k = 0; k < n; k++)
        if (tensor_named(&found, map->item[2 * k].text) == NULL)
            fail_with(f, "the tensor %.150s is not in %.150s, where it "
                      "should be.", map->item[2 * k].text,
                      map->item[2 * k + 1].text);
    return found;
}

static const char by_python[] =
    "python3 -c 'import glob, torch, safetensors.torch as s; s.save_file({k: "
    "v.clone().contiguous() for f in glob.glob(\"pytorch_model*.bin\") for "
    "k, v in torch.load(f, weights_only=True).items()}, "
    "\"model.safetensors\")'";

Tensors tensors_of_folder(Arena *arena, const char *folder, Error *f)
{
    FileInfo about;
    const char *one = in_folder(arena, folder, "model.safetensors");
    const char *index = in_folder(arena, folder,
                                  "model.safetensors.index.json");
    if (get_file_info(one, &about))
        return tensors_of_file(arena, one, f);
    if (get_file_info(index, &about))
        return tensors_of_index(arena, folder, index, f);
    f->sheet = folder;
    f->text = NULL;
    if (is_name_taken(in_folder(arena, folder, "pytorch_model.bin"))
        || is_name_taken(in_folder(arena, folder,
                                   "pytorch_model.bin.index.json")))
        fail_with(f, "has its numbers in pytorch_model.bin, which only "
                     "Python "
                  "reads; this, in the folder, writes model.safetensors: %s",
                  by_python);
    fail_with(f, "has no model.safetensors, and no "
              "model.safetensors.index.json.");
}

static uint64_t without_bits(uint64_t bits, int gone)
{
    uint64_t odd = bits >> gone & 1, half = (uint64_t)1 << (gone - 1);
    return (bits + half - 1 + odd) >> gone;
}

static uint32_t single_bits(double x)
{
    float y = (float)x;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

static uint64_t half_bits(double x)
{
    uint64_t sign = signbit(x) ? 0x8000 : 0, bits;
    x = fabs(x);
    if (isnan(x))
        return 0x7E00;
    if (x < ldexp(1, -14))
        return sign | (uint64_t)nearbyint(ldexp(x, 24));
    if (x >= 65520)
        return sign | 0x7C00;
    memcpy(&bits, &x, sizeof bits);
    return sign | (without_bits(bits, 42) - ((uint64_t)(1023 - 15) << 10));
}

static uint64_t bits_of_number(double x, TensorType type)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return type == TENSOR_F64 ? bits
         : type == TENSOR_F16 ? half_bits(x)
         : type == TENSOR_BF16 ? without_bits(single_bits(x), 16)
         : single_bits(x);
}

static void put_little_endian(FILE *file, uint64_t bits, int n)
{
    for (int k = 0; k < n; k++)
        fputc((int)(bits >> 8 * k & 0xFF), file);
}

static void put_header_of(FILE *to, TensorType type, int n,
                          const Tensor tensor[])
{
    unsigned long long at = 0, size = (unsigned)tensor_types[type].bytes;
    fputs("{\"__metadata__\":{\"format\":\"pt\"}", to);
    for (int i = 0; i < n; i++) {
        const Tensor *t = &tensor[i];
        unsigned long long end = at + t->count * size;
        fputs(",", to);
        print_json_string(to, t->name, strlen(t->name));
        fprintf(to, ":{\"dtype\":\"%s\",\"shape\":[",
                tensor_type_name(type));
        for (int d = 0; d < t->dimensions; d++)
            fprintf(to, "%s%lld", d > 0 ? "," : "", t->size[d]);
        fprintf(to, "],\"data_offsets\":[%llu,%llu]}", at, end);
        at = end;
    }
    fputc('}', to);
    for (long k = ftell(to); k % 8 != 0; k++)
        fputc(' ', to);
}

bool tensors_write(FILE *file, TensorType type, int n, const Tensor *tensor,
                   double (*number)(const void *data, int i, size_t k),
                   const void *data)
{
    TextStream header;
    Arena *arena = arena_new();
    put_header_of(open_text_stream(&header), type, n, tensor);
    const char *text = close_text_stream(&header, arena);
    put_little_endian(file, header.n, 8);
    fwrite(text, 1, header.n, file);
    arena_free(arena);
    int size = tensor_types[type].bytes;
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < tensor[i].count; k++) {
            double x = number(data, i, k);
            put_little_endian(file, bits_of_number(x, type), size);
        }
    return !ferror(file);
}
