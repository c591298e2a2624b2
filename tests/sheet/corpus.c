/* Every sheet that there is, and the texts of data/corpus go through the
   reader: those that once were a bug have a name; the others are the fewest
   that reach what fuzzing ever reached, beside all sheets and cases
   (libFuzzer's -merge). FTX_CASE='crash-*' takes others. */
#include "law.h"
#include "fuzz/sheet.c"
#include <glob.h>

static void use_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        fail_at(HERE("fopen"), "%s", name);
    char *bytes = arena_alloc(arena, SHEET_BYTES + 1);
    size_t n = fread(bytes, 1, SHEET_BYTES + 1, file);
    fclose(file);
    assert_that(n <= SHEET_BYTES);
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
    arena_clear(arena);
}

/* There are at least so many; share: only an amount of them is taken. */
static void use_files(const char *pattern, int least, bool share)
{
    const char *only = getenv("FTX_CASE");
    glob_t all;
    assert_that(glob(only == NULL ? pattern : only, 0, NULL, &all) == 0);
    const int n = (int)all.gl_pathc;
    const int used = share && amount(n) < n ? amount(n) : n;
    if (n < least && only == NULL)
        fail_at(HERE(pattern), "there are only %d", n);
    for (int k = 0; k < used; k++)
        use_file(all.gl_pathv[used < n ? one_of(k, n) : k]);
    globfree(&all);
}

LAW(every_sheet_is_shown_or_refused)
{
    use_files("tests/data/worked/*.*", 16, false);
    use_files("tests/data/worked/published/*", 2, false);
    use_files("tests/data/hand/*", 3, false);
}

LAW(what_fuzzing_found_is_shown_or_refused)
{
    use_files("tests/data/corpus/*", 1, true);
}
