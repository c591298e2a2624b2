/* Files of tensors are read to the letter of their format; what is written
   is read again. types.safetensors was written by safetensors itself, see
   oracle/tensors.py. */
#include "command.h"
#include "hub/hub.h"

typedef struct { const char *name; bool folder; Tensors in; } TensorFile;

static void read_it(Fault *f, void *data)
{
    TensorFile *t = data;
    t->in = t->folder ? tensors_of_folder(arena, t->name, f)
                      : tensors_of_file(arena, t->name, f);
}

static const char *reading(const char *name, bool folder, Tensors *in)
{
    Fault *f = arena_alloc(arena, sizeof *f);
    *f = (Fault){ .sheet = "test" };
    TensorFile t = { name, folder, { 0, NULL } };
    bool done = attempt(f, read_it, &t);
    *in = t.in;
    return done ? "" : f->sentence;
}

static const Tensor *found(const Tensors *in, const char *name,
                           TensorType type, size_t count)
{
    const Tensor *t = tensor_named(in, name);
    assert_that(t != NULL && t->type == type && t->count == count);
    return t;
}

static void what_safetensors_wrote_is_read(void **state)
{
    (void)state;
    static const double six[] = { 1, -2.5, 0, 65504, 0x1p-14, -0.375 };
    static const double three[] = { 1, -2.5, 0x1p100 };
    Tensors in;
    assert_string_equal(reading("tests/data/released/types.safetensors", false,
                                &in), "");
    assert_int_equal(in.n, 7);
    const Tensor *single = found(&in, "single", TENSOR_F32, 6);
    const Tensor *half = found(&in, "half", TENSOR_F16, 6);
    const Tensor *brain = found(&in, "brain", TENSOR_BF16, 3);
    for (size_t k = 0; k < 6; k++) {
        assert_near(tensor_number(single, k), six[k], 0);
        assert_near(tensor_number(half, k), six[k], 0);
    }
    for (size_t k = 0; k < 3; k++)
        assert_near(tensor_number(brain, k), three[k], 0);
    assert_near(tensor_number(found(&in, "double", TENSOR_F64, 1), 0),
                1.0 / 3, 0);
    assert_near(tensor_number(found(&in, "one", TENSOR_F32, 1), 0), 3, 0);
    assert_int_equal(single->dimensions, 2);
    assert_int_equal(single->size[0], 2);
    assert_int_equal(single->size[1], 3);
    assert_int_equal(tensor_named(&in, "one")->dimensions, 0);
    assert_string_equal(found(&in, "whole", TENSOR_OTHER, 2)->type_name,
                        "I64");
    found(&in, "none", TENSOR_F32, 0);
    assert_null(tensor_named(&in, "two"));
}

/* -------------------------------------------------------- files by hand */

/* A file with this header and so many bytes behind it. */
static char *file_with(const char *name, const char *header, size_t bytes)
{
    size_t n = strlen(header);
    char *all = arena_alloc(arena, 8 + n + bytes);
    memset(all, 0, 8 + n + bytes);
    for (int k = 0; k < 8; k++)
        all[k] = (char)(n >> 8 * k & 0xFF);
    memcpy(all + 8, header, n);
    return write_bytes(name, all, 8 + n + bytes);
}

#define A(from, to) "\"a\":{\"dtype\":\"F32\",\"shape\":[2],"\
                    "\"data_offsets\":[" #from "," #to "]}"
#define B(from, to) "\"b\":{\"dtype\":\"F16\",\"shape\":[1,3],"\
                    "\"data_offsets\":[" #from "," #to "]}"

#define assert_refused(header, bytes, sentence) \
    refused_at(HERE(header), header, bytes, sentence)
static void refused_at(Where where, const char *header, size_t bytes,
                       const char *sentence)
{
    Tensors in;
    char *name = file_with("t", header, bytes);
    const char *said = reading(name, false, &in);
    size_t n = strlen(name);
    if (strncmp(said, name, n) != 0 || strcmp(said + n, sentence) != 0)
        fail_at(where, "'%s', but expected '%s'", said, sentence);
}

static void tensors_fill_the_file_one_behind_the_other(void **state)
{
    (void)state;
    Tensors in;
    assert_string_equal(reading(file_with("t", "{" B(8, 14) "," A(0, 8)
                                          "}  ", 14), false, &in), "");
    assert_int_equal(in.n, 2);
    assert_string_equal(in.tensor[0].name, "a");
    static const char *const empty[] = { "[0]", "[3,0]", "[0,2]" };
    for (int k = 0; k < 6; k++) {       /* one of no bytes is in nobody's way */
        char header[300], none[100];
        snprintf(none, sizeof none, "\"n\":{\"dtype\":\"F32\",\"shape\":%s,"
                 "\"data_offsets\":[%d,%d]}", empty[k % 3], k % 2 * 8,
                 k % 2 * 8);
        snprintf(header, sizeof header, "{%s,%s}", A(0, 8), none);
        assert_string_equal(reading(file_with("t", header, 8), false, &in),
                            "");
        assert_int_equal(in.n, 2);
    }
    assert_refused("{" A(0, 8) "," B(6, 12) "}", 12, ": the tensors a and b "
                   "overlap.");
    assert_refused("{" A(0, 8) "," B(9, 15) "}", 15, ": before the tensor b "
                   "there are 1 bytes of no tensor.");
    assert_refused("{" A(0, 8) "," B(8, 14) "}", 16, ": behind the last "
                   "tensor there are 2 bytes of no tensor.");
    assert_refused("{" A(2, 10) "}", 10, ": before the tensor a there are 2 "
                   "bytes of no tensor.");
    assert_refused("{}", 1, ": behind the last tensor there are 1 bytes of "
                   "no tensor.");
}

static void numbers_may_begin_anywhere(void **state)
{
    (void)state;
    Tensors in;
    char *name = file_with("t", "{\"c\":{\"dtype\":\"U8\",\"shape\":[1],"
                           "\"data_offsets\":[0,1]}," A(1, 9) "}", 9);
    FILE *file = fopen(name, "r+b");
    assert_non_null(file);
    fseek(file, -2, SEEK_END);
    fwrite("\x80\x3F", 1, 2, file);
    fclose(file);
    assert_string_equal(reading(name, false, &in), "");
    assert_near(tensor_number(tensor_named(&in, "a"), 1), 1, 0);
}

static void a_file_that_is_cut_is_refused(void **state)
{
    (void)state;
    size_t n;
    Tensors in;
    char *bytes = bytes_of("tests/data/released/types.safetensors", &n);
    assert_non_null(bytes);
    for (size_t k = 0; k < n; k++) {
        const char *name = write_bytes("t", bytes, k);
        assert_true(strlen(reading(name, false, &in)) > strlen(name) + 10);
    }
    assert_string_equal(reading(write_bytes("t", bytes, 7), false, &in)
                        + strlen(path("t")), ": is cut short: not even the "
                        "length of a header is there.");
    assert_string_equal(reading(write_bytes("t", bytes, 100), false, &in)
                        + strlen(path("t")), ": is cut short: its header "
                        "has 456 bytes, and 92 are there.");
}

static void a_header_that_is_not_one_is_refused(void **state)
{
    (void)state;
    assert_refused("", 0, ":1:1: a header begins with {.");
    assert_refused(" {}", 0, ":1:1: a header begins with {.");
    assert_refused("{\"a\":1}", 0, ":1:6: a tensor has dtype, shape and "
                   "data_offsets; this is a number.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, ":1:6: a "
                   "tensor has dtype, shape and data_offsets; this is an "
                   "object with others.");
    assert_refused("{\"a\":{\"dtype\":\"F31\",\"shape\":[],"
                   "\"data_offsets\":[0,4]}}", 4, ":1:15: this is no type "
                   "of numbers that is known; F32, F16, BF16 and F64 are.");
    assert_refused("{\"a\":{\"typed\":\"F32\",\"shape\":[],"
                   "\"data_offsets\":[0,4]}}", 4, ":1:6: this tensor has no "
                   "dtype.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":2,"
                   "\"data_offsets\":[0,4]}}", 4, ":1:29: the shape of a "
                   "tensor is a list of whole numbers.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],"
                   "\"data_offsets\":[0,4]}}", 4, ":1:30: expected a whole "
                   "number from 0 to 1000000000000.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[0.5],"
                   "\"data_offsets\":[0,4]}}", 4, ":1:30: expected a whole "
                   "number from 0 to 1000000000000.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],"
                   "\"data_offsets\":[0,4]}}", 4, ":1:29: the shape of a "
                   "tensor has at most 8 numbers.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[0,5]}}", 4, ":1:51: expected a whole "
                   "number from 0 to 4.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[4,0]}}", 4, ":1:48: data_offsets are "
                   "where the numbers begin and where they end.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[4]}}", 4, ":1:48: data_offsets are "
                   "where the numbers begin and where they end.");
    assert_refused("{" A(0, 4) "}", 4, ":1:48: 4 bytes are not what a "
                   "tensor of 2 numbers of type F32 has.");
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1000000000000,"
                   "1000000000000],\"data_offsets\":[0,0]}}", 0, ":1:74: 0 "
                   "bytes are not what a tensor of "
                   "999999999999999983222784 numbers of type F32 has.");
    assert_refused("{" A(0, 8) "," A(0, 8) "}", 8, ":1:55: this object has "
                   "the name \"a\" twice.");
    assert_refused("{\"a\\u0000b\":1}", 0, ":1:2: a name must not have a "
                   "byte 0.");
}

static void a_header_that_is_too_long_is_refused(void **state)
{
    (void)state;
    Tensors in;
    char *name = write_bytes("t", "\0\0\0\0\1\0\0\0{}", 10);
    assert_string_equal(reading(name, false, &in) + strlen(name), ": is no "
                        "file of tensors: its header would have 4294967296 "
                        "bytes.");
}

/* --------------------------------------------------------------- shards */

static const char *folder(void)
{
    mkdir(path("m"), 0777);
    return path("m");
}

static const char *sentence_of_index(const char *text, Tensors *in)
{
    const char *name = folder();
    write_text("m/model.safetensors.index.json", text);
    const char *said = reading(name, true, in);
    return *said == '\0' ? said : said + strlen(name);
}

#define INDEX(map) "{\"metadata\":{},\"weight_map\":{" map "}}"

static void shards_are_one_model(void **state)
{
    (void)state;
    Tensors in;
    folder();
    file_with("m/1", "{" A(0, 8) "}", 8);
    file_with("m/2", "{" B(0, 6) "}", 6);
    assert_string_equal(sentence_of_index(INDEX("\"b\":\"2\",\"a\":\"1\""),
                                          &in), "");
    assert_int_equal(in.n, 2);
    found(&in, "a", TENSOR_F32, 2);
    found(&in, "b", TENSOR_F16, 3);
    assert_string_equal(sentence_of_index(INDEX("\"b\":\"2\",\"c\":\"1\""),
        &in), "/1: the tensor a is in it, but the index does not say so.");
    assert_string_equal(sentence_of_index(INDEX("\"b\":\"2\",\"a\":\"1\","
        "\"c\":\"1\""), &in), "/model.safetensors.index.json: the tensor c "
        "is not in 1, where it should be.");
    assert_string_equal(sentence_of_index(INDEX("\"b\":\"2\",\"a\":\"3\""),
        &in), "/3: cannot be opened: No such file or directory.");
    assert_string_equal(sentence_of_index("{}", &in),
        "/model.safetensors.index.json:1:1: this index has no weight_map.");
    assert_string_equal(sentence_of_index("{\"weight_map\":3}", &in),
        "/model.safetensors.index.json:1:1: this index has no weight_map.");
}

static void no_shard_is_outside_the_folder(void **state)
{
    (void)state;
    static const char *const names[] = {
        "\"../t\"", "\"/etc/passwd\"", "\"x/../../t\"", "\"..\"", "\"\"",
        "\".hidden\"", "\"x\\\\t\"", "\"x\\u0000\"", "3", "[]",
    };
    Tensors in;
    file_with("t", "{" A(0, 8) "}", 8);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char text[200];
        snprintf(text, sizeof text, INDEX("\"a\":%s"), names[k]);
        assert_string_equal(sentence_of_index(text, &in),
            "/model.safetensors.index.json:1:34: a shard is a file in the "
            "same folder; this names none.");
    }
}

static void a_folder_without_tensors_is_refused(void **state)
{
    (void)state;
    Tensors in;
    const char *name = folder();
    remove(path("m/model.safetensors.index.json"));
    assert_string_equal(reading(name, true, &in) + strlen(name),
        ": has no model.safetensors, and no model.safetensors.index.json.");
    write_text("m/pytorch_model.bin", "PK");
    assert_non_null(strstr(reading(name, true, &in), ": has its numbers in "
        "pytorch_model.bin, which only Python reads; this, in the folder, "
        "writes model.safetensors: python3 -c '"));
    remove(path("m/pytorch_model.bin"));
    assert_string_equal(reading(name, false, &in) + strlen(name),
                        ": this is no file.");
    assert_string_equal(reading(path("none"), false, &in)
        + strlen(path("none")), ": cannot be opened: No such file or "
        "directory.");
}

/* -------------------------------------------------------------- writing */

static const double *numbers;

static double number_in(const void *data, int i, size_t k)
{
    return numbers[k + (i > 0 ? ((const Tensor *)data)[0].count : 0)];
}

static const Tensor *written(TensorType type, size_t n)
{
    Tensor two[2] = {
        { .name = "x\"y", .dimensions = 1, .size = { 1 }, .count = 1 },
        { .name = "b", .dimensions = 2, .size = { 1, (long long)n - 1 },
          .count = n - 1 },
    };
    Tensors in;
    FILE *file = fopen(path("t"), "wb");
    assert_that(file != NULL && tensors_write(file, type, 2, two, number_in,
                                              two));
    fclose(file);
    assert_string_equal(reading(path("t"), false, &in), "");
    assert_near(tensor_number(found(&in, "x\"y", type, 1), 0), numbers[0],
                0);
    return found(&in, "b", type, n - 1);
}

static void every_half_number_comes_back(void **state)
{
    (void)state;
    enum { N = 1 << 16 };
    double *all = arena_alloc(arena, N * sizeof *all);
    unsigned char *bytes = arena_alloc(arena, 2 * N);
    for (TensorType type = TENSOR_F16; type <= TENSOR_BF16; type++) {
        Tensor t = { .type = type, .count = N, .bytes = bytes };
        size_t n = 1;
        all[0] = 0;
        for (size_t k = 0; k < N; k++) {
            bytes[2 * k] = (unsigned char)k;
            bytes[2 * k + 1] = (unsigned char)(k >> 8);
            double x = tensor_number(&t, k);
            if (!isnan(x) && k > 0)
                all[n++] = x;
        }
        assert_true(n > 63000);
        numbers = all;
        const Tensor *again = written(type, n);
        for (size_t k = 0; k < n - 1; k++)
            if (tensor_number(again, k) != all[k + 1]
                || signbit(tensor_number(again, k)) != signbit(all[k + 1]))
                fail_at(HERE("a half number"), "%g became %g", all[k + 1],
                        tensor_number(again, k));
    }
}

static void what_is_cut_is_rounded_to_even(void **state)
{
    (void)state;
    static const double x[] = {
        0, 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1.1p-11, 2 - 0x1p-12, 65519,
        65520, 0x1p-25, 0x3p-25, -0x1.8p-24, 0x1p-14 - 0x1p-26 },
        half[] = { 1, 1 + 0x1p-9, 1 + 0x1p-10, 2, 65504, INFINITY, 0,
                   0x1p-23, -0x1p-23, 0x1p-14 };
    static const double y[] = { 0, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1.1p-8 },
        brain[] = { 1, 1 + 0x1p-6, 1 + 0x1p-7 };
    numbers = x;
    const Tensor *t = written(TENSOR_F16, 11);
    for (size_t k = 0; k < 10; k++)
        assert_near(tensor_number(t, k), half[k], 0);
    numbers = y;
    t = written(TENSOR_BF16, 4);
    for (size_t k = 0; k < 3; k++)
        assert_near(tensor_number(t, k), brain[k], 0);
}

static void what_is_written_begins_at_a_multiple_of_8(void **state)
{
    (void)state;
    static const double x[] = { 1, 1.0 / 3, -2 };
    size_t n;
    numbers = x;
    const Tensor *t = written(TENSOR_F64, 3);
    assert_near(tensor_number(t, 0), 1.0 / 3, 0);
    t = written(TENSOR_F32, 3);
    assert_near(tensor_number(t, 0), (float)(1.0 / 3), 0);
    const char *bytes = bytes_of(path("t"), &n);
    assert_int_equal(bytes[0] % 8, 0);
    assert_int_equal(n - 8 - 12, (unsigned char)bytes[0] + 256 * bytes[1]);
    numbers = memset(arena_alloc(arena, 200000 * sizeof *numbers), 0,
                     200000 * sizeof *numbers);
    for (size_t count = 2; count < 200000; count *= 3) {
        written(TENSOR_F16, count);
        bytes = bytes_of(path("t"), &n);
        const size_t header = n - 8 - 2 * count;
        assert_int_equal((unsigned char)bytes[0]
                         + 256 * (unsigned char)bytes[1], header);
        assert_int_equal(header % 8, 0);
        assert_non_null(memchr(bytes + header, '}', 8));
    }
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(what_safetensors_wrote_is_read),
        TEST_FILES(tensors_fill_the_file_one_behind_the_other),
        TEST_FILES(numbers_may_begin_anywhere),
        TEST_FILES(a_file_that_is_cut_is_refused),
        TEST_FILES(a_header_that_is_not_one_is_refused),
        TEST_FILES(a_header_that_is_too_long_is_refused),
        TEST_FILES(shards_are_one_model),
        TEST_FILES(no_shard_is_outside_the_folder),
        TEST_FILES(a_folder_without_tensors_is_refused),
        TEST_FILES(every_half_number_comes_back),
        TEST_FILES(what_is_cut_is_rounded_to_even),
        TEST_FILES(what_is_written_begins_at_a_multiple_of_8),
    };
    return RUN(laws);
}
