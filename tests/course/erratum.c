/* Tests of tangled/course/erratum.c: the list, and that it has a row for each
   sheet. What the sheets show is judged in sheet/collect.c. */
#include "command.h"
#include "course/course.h"
#include "law.h"

static Said erratum_of(const char *name)
{
    return SAID(erratum, (char *)(uintptr_t)name);
}

LAW(each_erratum_with_a_sheet_is_listed_by_any_name_and_no_other)
{
    const Said all = said_by("ftx erratum", erratum, 0, NULL);
    for (int k = 1; k <= 41; k++) {
        char name[8], sheet[60];
        snprintf(name, sizeof name, "E%d", k);
        snprintf(sheet, sizeof sheet, "tests/data/errata/E%02d.sheet", k);
        FILE *file = fopen(sheet, "rb");
        assert_int_equal(strstr(all.out, sheet) != NULL, file != NULL);
        assert_int_equal(erratum_of(name).status, file != NULL ? 0 : 2);
        if (file != NULL) {
            assert_says(erratum_of(name + 1), sheet);
            fclose(file);
        }
    }
    assert_says(erratum_of("e30"), "E30: Algorithm 10, lines 5 and 7\n");
    assert_refusal(erratum_of("E300"), "ftx erratum: no sheet shows an "
                   "erratum E300; see 'ftx erratum'.");
}
