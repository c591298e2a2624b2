/* Numbers as people read them. */
#include "law.h"
#include "cli/print.h"

LAW(what_is_rounded_to_0_has_no_sign)
{
    char text[64];
    assert_int_equal(format_number(text, sizeof text, -0.001, 2), 4);
    assert_string_equal(text, "0.00");
}

LAW(decimals_are_shown_if_an_entry_has_some)
{
    Mat M = input(tape, 1, 1);
    AT(M, 1, 1) = (real)1.000002;       /* as whole as it can be in float */
    assert_int_equal(choose_decimals(M, 6), IS_DOUBLE ? 6 : 0);
    AT(M, 1, 1) = 1;
    assert_int_equal(choose_decimals(M, 6), 0);
}

LAW(a_letter_and_its_mark_are_one_wide)
{
    assert_int_equal(text_width("V\xCC\x83"), 1);
    assert_int_equal(text_width("V\xCD\xA0"), 1);
    assert_int_equal(text_width("V\xCD\xB0"), 2);       /* a letter again */
}

LAW(a_list_is_broken_behind_76_columns)
{
    FILE *out = tmpfile();
    char heading[71] = "", expected[90];
    memset(heading, '-', 70);
    print_list(out, heading, "1234,5");
    snprintf(expected, sizeof expected, "%s 1234,\n  5\n", heading);
    assert_string_equal(all_of(out), expected);
}
