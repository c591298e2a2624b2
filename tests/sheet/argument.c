/* The tables of arguments and of steps. */
#include "sheets.h"
#include "law.h"

LAW(a_setting_outside_its_range_is_told_the_range)
{
    static const struct { int algorithm; const char *name, *range; } is[] = {
        { 1, "v", "1 ... 1000000" },    { 2, "t", "1 ... 1000000" },
        { 2, "pos", "0 ... 999999" },   { 2, "d_e", "1 ... 1000000" },
        { 10, "ell_max", "1 ... 1000000" }, { 4, "decimals", "0 ... 15" },
        { 4, "d_attn", "1 ... 1000000" }, { 10, "L", "0 ... 100" },
        { 8, "L_enc", "0 ... 100" },    { 15, "L_dec", "0 ... 100" },
        { 11, "N_epochs", "1 ... 1000" }, { 14, "ell_gen", "1 ... 10000" },
        { 7, "top_k", "1 ... 1000000" },
    };
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

LAW(the_rows_of_the_table_of_steps_go_down_the_paper)
{
    static const int lines[] = { 0, 1, 2, 7, 7, 6, 4, 3, 22, 13, 12, 7, 10, 7,
                                 8, 9 };
    for (const StepRow *row = step_table; row[1].name != NULL; row++) {
        assert_that(row->algorithm < row[1].algorithm
                    || (row->algorithm == row[1].algorithm
                        && row->line <= row[1].line));
        assert_that(1 <= row->line && row->line <= lines[row->algorithm]);
    }
}
