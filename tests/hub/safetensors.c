/* Files of tensors are read to the letter of their format; what is written
   is read again. types.safetensors was written by safetensors itself, see
   oracle/released.py. */
#include "lessons.h"
#include "released.h"

static const Tensor *found(const Tensors *in, const char *name,
                           TensorType type, size_t count)
{
    const Tensor *t = tensor_named(in, name);
    assert_that(t != NULL && t->type == type && t->count == count);
    return t;
}

LAW(what_safetensors_wrote_is_read)
{
    static const double six[] = { 1, -2.5, 0, 65504, 0x1p-14, -0.375 };
    static const double three[] = { 1, -2.5, 0x1p100 };
    Tensors in;
    assert_string_equal(reading("tests/data/released/types.safetensors", false,
                                &in), "");
    assert_int_equal(in.n, 7);
    const Tensor *single = found(&in, "single", TENSOR_F32, 6);
    for (size_t k = 0; k < 6; k++) {
        assert_near(tensor_number(single, k), six[k], 0);
        assert_near(tensor_number(found(&in, "half", TENSOR_F16, 6), k),
                    six[k], 0);
    }
    for (size_t k = 0; k < 3; k++)
        assert_near(tensor_number(found(&in, "brain", TENSOR_BF16, 3), k),
                    three[k], 0);
    assert_near(tensor_number(found(&in, "double", TENSOR_F64, 1), 0),
                1.0 / 3, 0);
    assert_near(tensor_number(found(&in, "one", TENSOR_F32, 1), 0), 3, 0);
    assert_that(single->dimensions == 2 && single->size[0] == 2
                && single->size[1] == 3);
    assert_int_equal(tensor_named(&in, "one")->dimensions, 0);
    assert_string_equal(found(&in, "whole", TENSOR_OTHER, 2)->type_name,
                        "I64");
    found(&in, "none", TENSOR_F32, 0);
    assert_null(tensor_named(&in, "two"));
}

/* -------------------------------------------------------- files by hand */

/* A file with this header and so many bytes behind it. */
static const char *file_with(const char *name, const char *header,
                             size_t bytes)
{
    const size_t n = strlen(header);
    char *all = memset(arena_alloc(arena, 8 + n + bytes), 0, 8 + n + bytes);
    for (int k = 0; k < 8; k++)
        all[k] = (char)(n >> 8 * k & 0xFF);
    memcpy(all + 8, header, n);
    return write_bytes(name, all, 8 + n + bytes);
}

#define A(from, to) "\"a\":{\"dtype\":\"F32\",\"shape\":[2],"\
                    "\"data_offsets\":[" #from "," #to "]}"

LAW(tensors_fill_the_file_one_behind_the_other)
{
    static const char *const empty[] = { "[0]", "[3,0]", "[0,2]" };
    Tensors in;
    char header[300];
    file_with("t", "{\"b\":{\"dtype\":\"F16\",\"shape\":[1,3],"
              "\"data_offsets\":[8,14]}," A(0, 8) "}  ", 14);
    assert_string_equal(reading("t", false, &in), "");
    assert_int_equal(in.n, 2);
    assert_string_equal(in.tensor[0].name, "a");
    for (int k = 0; k < 6; k++) {       /* one of no bytes is in nobody's way */
        snprintf(header, sizeof header, "{%s,\"n\":{\"dtype\":\"F32\","
                 "\"shape\":%s,\"data_offsets\":[%d,%d]}}", A(0, 8),
                 empty[k % 3], k % 2 * 8, k % 2 * 8);
        assert_string_equal(reading(file_with("t", header, 8), false, &in),
                            "");
        assert_int_equal(in.n, 2);
    }
    file_with("t", "{" A(0, 8) "}", 8);
    assert_string_equal(reading("t", false, &in), "");
    assert_that(tensor_named(&in, "a") == &in.tensor[0]);
    assert_null(tensor_named(&(Tensors){ .n = 0 }, "a"));
}

LAW(numbers_may_begin_anywhere)
{
    Tensors in;
    file_with("t", "{\"c\":{\"dtype\":\"U8\",\"shape\":[1],"
              "\"data_offsets\":[0,1]}," A(1, 9) "}", 9);
    FILE *file = fopen("t", "r+b");
    assert_non_null(file);
    fseek(file, -2, SEEK_END);
    fwrite("\x80\x3F", 1, 2, file);
    fclose(file);
    assert_string_equal(reading("t", false, &in), "");
    assert_near(tensor_number(tensor_named(&in, "a"), 1), 1, 0);
}

LAW(a_file_that_is_cut_is_refused)
{
    size_t n;
    Tensors in;
    const char *bytes = bytes_of("tests/data/released/types.safetensors", &n);
    for (size_t k = 0; k < n; k++) {
        write_bytes("t", bytes, k);
        const char *said = reading("t", false, &in);
        if (!has_words(said, k < 8 + 456
                       ? "bytes are there, and not even its header is whole."
                       : "t is cut short: the tensor"))
            fail_at(HERE("t"), "cut at %zu: %s", k, said);
    }
}

/* A header, how many bytes stand behind it, and words. */
LAW(what_is_no_file_of_tensors_is_refused)
{
    Tensors in;
    for (Rows row = rows_of("files.txt", "no file of tensors");
         next_row(&row); ) {
        file_with("t", row.field[0], (size_t)atoi(row.field[1]));
        const char *said = reading("t", false, &in);
        if (!has_words(said, row.field[2]))
            fail_at(HERE(row.field[0]), "%s", said);
    }
    write_bytes("t", "\0\0\0\0\1\0\0\0{}", 10);
    assert_true(has_words(reading("t", false, &in), "t is not a file of "
                          "tensors:"
                          " its header would have 4294967296 bytes."));
}

static void assert_unread(const char *name, bool folder, const char *words)
{
    Tensors in;
    if (!has_words(reading(name, folder, &in), words))
        fail_at(HERE(name), "is not refused: %s", words);
}

LAW(a_folder_has_one_file_of_tensors)
{
    mkdir("m", 0777);
    assert_unread("m", true, "m: has no model.safetensors.");
    write_text("m/pytorch_model.bin", "PK");
    assert_unread("m", true, "m: has its numbers in pytorch_model.bin, which "
                  "only Python reads; | save_pretrained(FOLDER, "
                  "safe_serialization");
    write_text("m/model.safetensors.index.json", "{}");
    assert_unread("m", true, "m: has its numbers in several files; | "
                  "max_shard_size");
    write_text("m/model.safetensors", "version https://git-lfs.github.com/\n");
    assert_unread("m", true, "m/model.safetensors is a pointer of git-lfs and "
                  "not the file itself,");
    assert_unread("m", false, "m: cannot be read: Is a directory.");
    assert_unread("n", false, "n: cannot be opened");
}

/* -------------------------------------------------------------- writing */

static const double *numbers;

static const double *numbers_in(const void *data, int i)
{
    return numbers + (i > 0 ? ((const Tensor *)data)[0].count : 0);
}

static Tensors written(size_t n)
{
    Tensor two[2] = {
        { .name = "x\"y", .dimensions = 1, .size = { 1 }, .count = 1 },
        { .name = "b", .dimensions = 2, .size = { 1, (long long)n - 1 },
          .count = n - 1 },
    };
    Tensors in;
    FILE *file = fopen("t", "wb");
    assert_that(file != NULL && tensors_write(file, 2, two, numbers_in, two));
    fclose(file);
    assert_string_equal(reading("t", false, &in), "");
    return in;
}

LAW(what_is_written_is_read_again)
{
    static const double x[] = { 1, 1.0 / 3, -2 };
    numbers = x;
    const Tensors in = written(3);
    assert_near(tensor_number(found(&in, "x\"y", TENSOR_F32, 1), 0), 1, 0);
    const Tensor *b = found(&in, "b", TENSOR_F32, 2);
    assert_near(tensor_number(b, 0), 0x1.555556p-2, 0);
    assert_near(tensor_number(b, 1), -2, 0);
}

/* The bits of a half number are 1, 5 and 10; those of BF16 1, 8 and 7. */
LAW(every_half_number_is_what_its_bits_say)
{
    for (unsigned bits = 0; bits < 1 << 16; bits++)
        for (int brain = 0; brain < 2; brain++) {
            const unsigned char bytes[] = { (unsigned char)(bits & 255),
                                            (unsigned char)(bits >> 8) };
            int digits = brain ? 7 : 10, least = brain ? -126 : -14;
            int exponent = (int)(bits & 0x7FFF) >> digits;
            double fraction = ldexp((double)(bits & ((1u << digits) - 1)),
                                    -digits);
            const Tensor t = { .type = brain ? TENSOR_BF16 : TENSOR_F16,
                               .count = 1, .bytes = bytes };
            double x = exponent == 0 ? ldexp(fraction, least)
                     : ldexp(1 + fraction, exponent + least - 1);
            if (exponent == (brain ? 255 : 31))
                x = fraction > 0 ? (double)NAN : (double)INFINITY;
            double y = tensor_number(&t, 0);
            assert_that(isnan(x) ? isnan(y)
                        : fabs(y) == x && !signbit(y) == !(bits >> 15));
        }
}

LAW(what_is_written_begins_at_a_multiple_of_8)
{
    size_t n;
    numbers = memset(arena_alloc(arena, 200000 * sizeof *numbers), 0,
                     200000 * sizeof *numbers);
    for (size_t count = 2; count < 200000; count *= 3) {
        written(count);
        const char *bytes = bytes_of("t", &n);
        const size_t header = n - 8 - 4 * count;
        assert_int_equal((unsigned char)bytes[0]
                         + 256 * (unsigned char)bytes[1], header);
        assert_int_equal(header % 8, 0);
        assert_non_null(memchr(bytes + header, '}', 8));
    }
}
