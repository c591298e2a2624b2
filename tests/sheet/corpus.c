/* Every sheet that there is, and the texts of data/corpus go through the
   reader: those that once were a bug have a name; the others are the fewest
   that reach what fuzzing ever reached (libFuzzer's -set_cover_merge beside
   all sheets). build/double/tests/sheet/corpus FILE... takes others. */
#include "check.h"
#include "fuzz/sheet.c"
#include <dirent.h>
#include <sys/stat.h>

static const char *name_now;

static void tell_name(void)
{
    if (name_now != NULL)
        fprintf(stderr, "with %s\n", name_now);
}

static void use_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        fail_at(HERE("fopen"), "%s", name);
    char *bytes = arena_alloc(arena, SHEET_BYTES + 1);
    size_t n = fread(bytes, 1, SHEET_BYTES + 1, file);
    fclose(file);
    assert_that(n <= SHEET_BYTES);
    name_now = name;
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
    name_now = NULL;
    arena_clear(arena);
}

static int not_hidden(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* `of` of its n files. */
static void use_directory(const char *directory, int least,
                          int of(int n))
{
    char name[300];
    struct stat s;
    struct dirent **file;
    int n = scandir(directory, &file, not_hidden, alphasort), used = of(n);
    if (n < least)
        fail_at(HERE("files"), "%s has only %d", directory, n);
    for (int k = 0; k < used; k++) {
        int i = used < n ? one_of(k, n) : k;
        snprintf(name, sizeof name, "%s/%.200s", directory, file[i]->d_name);
        if (stat(name, &s) == 0 && S_ISREG(s.st_mode))
            use_file(name);
    }
    for (int k = 0; k < n; k++)
        free(file[k]);
    free(file);
}

static int all(int n)
{
    return n;
}

static int some(int n)
{
    return amount(n) < n ? amount(n) : n;
}

static void every_sheet_is_shown_or_refused(void **state)
{
    (void)state;
    use_directory("tests/data/worked", 17, all);
    use_directory("tests/data/worked/published", 2, all);
    use_directory("tests/data/hand", 3, all);
}

static void what_fuzzing_found_is_shown_or_refused(void **state)
{
    (void)state;
    use_directory("tests/data/corpus", 1, some);
}

int main(int n, char *argument[])
{
    const struct CMUnitTest laws[] = {
        TEST(every_sheet_is_shown_or_refused),
        TEST(what_fuzzing_found_is_shown_or_refused),
    };
    atexit(tell_name);
    if (n == 1)
        return cmocka_run_group_tests(laws, NULL, NULL);
    set_up(NULL);
    for (int k = 1; k < n; k++)
        use_file(argument[k]);
    return tear_down(NULL);
}
