/* Tests of tangled/course/erratum.c: the list has a row for each sheet and no
   other. What the sheets show is judged in sheet/collect.c. */
#include "command.h"
#include "law.h"

LAW(each_erratum_with_a_sheet_is_listed_and_no_other)
{
    const Said all = said_by("ftx erratum", erratum, 0, (char *[]){ NULL });
    for (int k = 1; k <= 41; k++) {
        char sheet[60], row[80];
        snprintf(sheet, sizeof sheet, "tests/data/errata/E%02d.sheet", k);
        snprintf(row, sizeof row, "\n  ftx check %s\n", sheet);
        assert_int_equal(strstr(all.out, row) != NULL,
                         access(sheet, R_OK) == 0);
    }
    assert_says(all, "E30: Algorithm 10, lines 5 and 7\n");
}
