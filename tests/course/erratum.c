/* Tests of tangled/course/erratum.c: the list, one erratum, and that each
   names its sheet. What the sheets show is judged in sheet/collect.c. */
#include "command.h"
#include "course/course.h"
#include "law.h"

enum { ERRATA = 41 };

static Said erratum_of(const char *name)
{
    return SAID(erratum, (char *)(uintptr_t)name);
}

LAW(the_list_has_each_erratum_once_and_in_order)
{
    Said s = said_by(erratum, 0, NULL);
    const char *at = s.out;
    assert_int_equal(s.status, 0);
    for (int k = 1; k <= ERRATA; k++) {
        char line[20];
        snprintf(line, sizeof line, "%sE%-3d ", k > 1 ? "\n" : "", k);
        at = strstr(at, line);
        assert_that(at != NULL);
        assert_that(strstr(at + 1, line) == NULL);
    }
    assert_that(strstr(s.out, "\nE42") == NULL);
}

LAW(an_erratum_has_its_sentences_by_any_name)
{
    static const char *const names[] = { "E30", "e30", "30" };
    for (int k = 0; k < 3; k++) {
        assert_says(erratum_of(names[k]), "E30 (notation): Algorithm 10");
        assert_says(erratum_of(names[k]), "\nThe paper: X~ is assigned");
        assert_says(erratum_of(names[k]), "\nHere:      X~ is a variable");
    }
}

LAW(an_erratum_names_its_sheet_if_there_is_one)
{
    for (int k = 1; k <= ERRATA; k++) {
        char name[8], sheet[60];
        snprintf(name, sizeof name, "E%d", k);
        snprintf(sheet, sizeof sheet, "tests/data/errata/E%02d.sheet", k);
        FILE *file = fopen(sheet, "rb");
        bool named = strstr(erratum_of(name).out, sheet) != NULL;
        assert_int_equal(named, file != NULL);
        if (file != NULL)
            fclose(file);
    }
}
