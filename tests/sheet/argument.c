/* The tables of arguments and of steps. */
#include "command.h"
#include "sheets.h"
#include "law.h"
#include <glob.h>

LAW(a_setting_outside_its_range_is_told_the_range)
{
    static const struct { int algorithm; const char *name, *range; } is[] = {
        { 1, "v", "1 ... 1000000" },    { 2, "t", "1 ... 1000000" },
        { 2, "pos", "0 ... 999999" },   { 2, "d_e", "1 ... 1000000" },
        { 10, "ell_max", "1 ... 1000000" }, { 4, "decimals", "0 ... 15" },
        { 4, "d_attn", "1 ... 1000000" }, { 10, "L", "0 ... 100" },
        { 8, "L_enc", "0 ... 100" },    { 15, "L_dec", "0 ... 100" },
        { 11, "N_epochs", "1 ... 1000" }, { 14, "ell_gen", "1 ... 10000" },
        { 7, "top_k", "1 ... 1000000" } };
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        char text[60], expected[60];
        snprintf(text, sizeof text, "algorithm %d\n%s -1\n", is[k].algorithm,
                 is[k].name);
        snprintf(expected, sizeof expected, "%s is -1; it must be one of %s.",
                 is[k].name, is[k].range);
        const Reading *r = reading("text", text, run_it);
        if (strstr(r->error.sentence, expected) == NULL)
            fail_at(HERE(text), "%s", r->error.sentence);
    }
}

LAW(the_table_of_steps_has_the_lines_and_names_of_the_listings)
{
    glob_t files;
    Text *listings = text_new();
    assert_int_equal(glob("tangled/alg*.c", 0, NULL, &files), 0);
    for (size_t n, k = 0; k < files.gl_pathc; k++)
        add_text(listings, "%s", bytes_of(files.gl_pathv[k], &n));
    for (const StepRow *row = step_table; row->name != NULL; row++) {
        char shown[40], *name = strcmp(row->name, "Y") == 0 && row->line == 2
                              ? "Y_h" : (char *)row->name;
        bool returned = (row->algorithm == 14 && row->line == 8)
                     || (row->algorithm == 15 && row->line == 9);
        snprintf(shown, sizeof shown, returned ? "%d.%d" : row->derived
                 ? "(%d.%d, " : "%d.%d, %s)", row->algorithm, row->line, name);
        if (strstr(listings->at, shown) == NULL)
            fail_at(HERE(shown), "is in no listing");
    }
    globfree(&files);
}
