/* A file that is mapped: its bytes are memory, and only this program's. */
#include "command.h"

typedef struct {
    const char *name;
    char *bytes;
    size_t n;
} Mapping;

static void map_it(Fault *f, void *data)
{
    Mapping *m = data;
    m->bytes = map_file(arena, m->name, &m->n, f);
}

/* "" or the fault. */
static const char *mapping(Mapping *m, const char *name)
{
    Fault *f = arena_alloc(arena, sizeof *f);
    *f = (Fault){ .sheet = "test" };
    *m = (Mapping){ .name = name };
    return attempt(f, map_it, m) ? "" : f->sentence;
}

static Mapping mapped_text(const char *name, const char *text)
{
    Mapping m;
    assert_string_equal(mapping(&m, write_text(name, text)), "");
    return m;
}

static void the_bytes_are_those_of_the_file(void **state)
{
    (void)state;
    Mapping m = mapped_text("a", "some bytes");
    assert_int_equal(m.n, 10);
    assert_memory_equal(m.bytes, "some bytes", 10);
    assert_int_equal((uintptr_t)m.bytes % 64, 0);
}

static void an_empty_file_has_none(void **state)
{
    (void)state;
    assert_int_equal(mapped_text("a", "").n, 0);
}

static void what_is_changed_is_not_the_file(void **state)
{
    (void)state;
    Mapping m = mapped_text("a", "some bytes"), other;
    memcpy(m.bytes, "many", 4);
    assert_string_equal(mapping(&other, m.name), "");
    assert_memory_equal(other.bytes, "some bytes", 10);
    assert_memory_equal(m.bytes, "many bytes", 10);
    size_t n = 0;
    assert_memory_equal(bytes_of(m.name, &n), "some bytes", 10);
}

/* As ftx train does when it saves. */
static void a_file_that_is_replaced_is_still_the_old_one(void **state)
{
    (void)state;
    Mapping m = mapped_text("a", "some bytes");
    assert_that(rename(write_text("b", "other"), m.name) == 0);
    assert_memory_equal(m.bytes, "some bytes", 10);
    assert_that(remove(m.name) == 0);
    assert_memory_equal(m.bytes, "some bytes", 10);
}

static void a_file_that_is_cut_ends_the_program_with_a_sentence(void **state)
{
    (void)state;
    Mapping m = mapped_text("a", "some bytes");
    Child child = child_start();
    if (child.pid == 0)
        _exit(truncate(m.name, 0) == 0 && m.bytes[3] != 0 ? 0 : 1);
    char said[200];
    int status;
    child_end(child, said, sizeof said, &status);
    assert_that(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    assert_string_equal(said, "ftx: a file was cut short, or could not be "
                        "read, while it was used.\n");
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    Mapping m;
    char expected[300];
#define NO_FILE(name, says) \
    snprintf(expected, sizeof expected, "%s: " says, name); \
    assert_string_equal(mapping(&m, name), expected)
    NO_FILE(path("none"), "cannot be opened: No such file or directory.");
    NO_FILE(directory(), "this is no file.");
    assert_that(mkfifo(path("fifo"), 0600) == 0);
    NO_FILE(path("fifo"), "this is no file.");
}

static int left;

static void leave(void *bytes, size_t n)
{
    assert_that(bytes == &left && n == sizeof left);
    left++;
}

static void an_arena_takes_its_guests_with_it(void **state)
{
    (void)state;
    Arena *inn = arena_new();
    left = 0;
    arena_keep(inn, &left, sizeof left, leave);
    arena_keep(inn, &left, sizeof left, leave);
    arena_alloc(inn, 100);
    arena_clear(inn);
    assert_int_equal(left, 2);
    arena_keep(inn, &left, sizeof left, leave);
    assert_int_equal(left, 2);
    arena_free(inn);
    assert_int_equal(left, 3);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(the_bytes_are_those_of_the_file),
        TEST_FILES(an_empty_file_has_none),
        TEST_FILES(what_is_changed_is_not_the_file),
        TEST_FILES(a_file_that_is_replaced_is_still_the_old_one),
        TEST_FILES(a_file_that_is_cut_ends_the_program_with_a_sentence),
        TEST_FILES(what_is_no_file_is_refused),
        TEST_FILES(an_arena_takes_its_guests_with_it),
    };
    return RUN(laws);
}
