/* Files: one is read, locked, replaced at once or not at all; checksums. */
#include "lessons.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <time.h>

/* A save is killed amidst: before its nth file is on the disk. */
static int files_to_come = INT_MAX;

int fsync(int file)
{
    if (--files_to_come == 0)
        raise(SIGKILL);
    return 0;
}

/* ------------------------------------------------------------- replacing */

static void writes(FILE *file, const void *data)
{
    fputs(data, file);
}

/* The error, or "". */
static const char *saved(const char *name, const char *text)
{
    const char *said;
    TRY(said, f, replace_file(name, f, text, writes));
    return said;
}

#define assert_text_in(name, text) \
    assert_string_equal(bytes_of(name, &(size_t){ 0 }), text)

LAW(what_is_not_complete_replaces_nothing)
{
    struct rlimit was, little = { 10, 10 };
    const char *said;
    write_text("m", "whole");
    getrlimit(RLIMIT_FSIZE, &was);
    little.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    said = saved("m", "more than ten bytes");
    setrlimit(RLIMIT_FSIZE, &was);
    assert_true(has_words(said, "m: cannot be written: File too large; what "
                          "was there is as it was."));
    assert_text_in("m", "whole");
    assert_int_equal(files_there(), 1);
    assert_string_equal(saved("m", "new"), "");
    assert_text_in("m", "new");
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    assert_that(stat(name, &about) == 0);
    return about.st_mode & 07777;
}

LAW(a_file_keeps_its_permissions)
{
    mode_t mask = umask(027);
    const char *said = saved("m", "one");
    assert_that(umask(mask) == 027);
    assert_string_equal(said, "");
    assert_that(mode_of("m") == 0640 && chmod("m", 0604) == 0);
    assert_string_equal(saved("m", "two"), "");
    assert_that(mode_of("m") == 0604);
}

LAW(only_files_that_may_be_written_are_replaced)
{
    static const struct { const char *name, *words; } row[] = {
        { "folder", "folder: cannot be written: it is not a regular file." },
        { "fifo", "fifo: cannot be written: it is not a regular file." },
        { "no/m", "no/m: cannot be written: No such file or directory" },
        { "fixed", "fixed: cannot be written: it is read-only." },
    };
    assert_that(mkdir("folder", 0777) == 0 && mkfifo("fifo", 0600) == 0);
    write_text("fixed", "precious");
    assert_that(chmod("fixed", 0444) == 0);
    for (int k = 0; k < 4; k++)
        assert_true(has_words(saved(row[k].name, "new"), row[k].words));
    assert_text_in("fixed", "precious");
    char *long_name = memset(arena_alloc(arena, 5001), 'x', 5000);
    long_name[5000] = '\0';
    assert_true(has_words(saved(long_name, "new"), "too long"));
}

LAW(a_link_is_replaced_and_not_what_it_leads_to)
{
    write_text("other", "precious");
    assert_that(symlink("other", "m") == 0);
    assert_string_equal(saved("m", "new"), "");
    assert_text_in("m", "new");
    assert_text_in("other", "precious");
}

/* A save in another process, which is killed before it is complete. */
static int killed_save(const char *name)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        files_to_come = 1;
        _exit(*saved(name, "apart") == '\0' ? 0 : 2);
    }
    return status_of(pid);
}

LAW(leftovers_of_a_killed_save_are_removed_by_the_next)
{
    static const char *const other[] = {
        "m.backup", "m.saving.abcdef", "n.saving", "m.tsv.saving", "m.new",
    };
    write_text("m", "whole");
    assert_int_equal(killed_save("m"), 1000 + SIGKILL);
    assert_int_equal(files_there(), 2);
    assert_text_in("m", "whole");
    for (int k = 0; k < 5; k++)
        write_text(other[k], "precious");
    assert_string_equal(saved("m", "new"), "");
    for (int k = 0; k < 5; k++)
        assert_text_in(other[k], "precious");
    assert_int_equal(files_there(), 5 + 1);
}

/* ------------------------------------------------------------- one lock */

static const char *locked(const char *name, FileLock *lock)
{
    const char *said;
    TRY(said, f, acquire_lock(lock, name, f));
    return said;
}

static int locked_apart(const char *name, bool is_killed)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        const char *error = locked(name, &(FileLock){ .file = NULL });
        if (is_killed)
            raise(SIGKILL);
        _exit(has_words(error, "another program is writing it") ? 2
              : *error == '\0' ? 0 : 1);
    }
    return status_of(pid);
}

/* Without a lock nothing is left behind. */
LAW(a_file_is_locked_by_one_program)
{
    FileLock own = { .file = NULL };
    assert_int_equal(locked_apart("m", true), 1000 + SIGKILL);
    assert_string_equal(locked("m", &own), "");
    assert_int_equal(locked_apart("m", false), 2);
    assert_string_equal(saved("m", "new"), "");
    assert_int_equal(locked_apart("m", false), 2);
    release_lock(&own);
    assert_int_equal(locked_apart("m", false), 0);
    assert_int_equal(files_there(), 2);         /* m, what _exit left */
    assert_that(remove("m.lock") == 0);
}

/* -------------------------------------------------------------- reading */

static const char *bytes_read;
static size_t n_read;

static const char *reading(const char *name)
{
    const char *said;
    TRY(said, f, bytes_read = read_file(arena, name, SIZE_MAX, &n_read, f));
    return said;
}

LAW(the_bytes_are_those_of_the_file)
{
    assert_string_equal(reading(write_text("a", "some bytes")), "");
    assert_int_equal(n_read, 10);
    assert_memory_equal(bytes_read, "some bytes", 11);      /* and a 0 */
    assert_string_equal(reading(write_text("b", "")), "");
    assert_int_equal(n_read, 0);
}

/* How long it is, nobody says. */
LAW(standard_input_is_read_to_its_end)
{
    enum { MANY = 200000 };
    char *text = memset(arena_alloc(arena, MANY + 1), 'a', MANY);
    text[MANY] = '\0';
    assert_non_null(freopen(write_text("x", text), "r", stdin));
    assert_string_equal(reading("-"), "");
    assert_int_equal(n_read, MANY);
    assert_memory_equal(bytes_read, text, MANY + 1);
}

LAW(what_is_no_file_is_not_read)
{
    static const char *const row[][2] = {
        { "none", "none: cannot be opened: No such file or directory." },
        { "tests", "tests: cannot be read: Is a directory." },
    };
    for (int k = 0; k < 2; k++)
        assert_string_equal(reading(row[k][0]), row[k][1]);
}

LAW(a_second_has_parts)
{
    double before = seconds();
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    assert_that(seconds() - before > 0.0019);
}

/* ------------------------------------------------------------- checksums */

/* Values recorded from the authors' reference: "", "a", "foobar"; and, of
   words in lanes, of a program in another language. */
LAW(checksums_are_those_of_other_programs)
{
    unsigned char bytes[256];
    for (int k = 0; k < 256; k++)
        bytes[k] = (unsigned char)k;
    assert_that(checksum(NO_CHECKSUM, "", 0) == 0xcbf29ce484222325u);
    assert_that(checksum(NO_CHECKSUM, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_that(checksum(checksum(NO_CHECKSUM, "foo", 3), "bar", 3)
                == 0x85944171f73967e8u);
    assert_that(block_checksum("", 0) == 0xb9b23f3a46fd0825u);
    assert_that(block_checksum("a", 1) == 0x396e03354000dfb2u);
    assert_that(block_checksum(bytes, 256) == 0xbfbfa5ce400c0218u);
}

/* Also that of the same bit at two places: a lane must not cancel it. */
LAW(a_changed_bit_changes_the_checksum_of_a_block)
{
    unsigned char bytes[200] = { 7 };
    uint64_t was = block_checksum(bytes, sizeof bytes);
    for (size_t k = 0; k < 8 * sizeof bytes; k++) {
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
        assert_that(block_checksum(bytes, sizeof bytes) != was);
        for (size_t j = k + 8; j < 8 * sizeof bytes; j += 8) {
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
            assert_that(block_checksum(bytes, sizeof bytes) != was);
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
        }
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
    }
}
