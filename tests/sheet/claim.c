/* What a claim is compared with, and how its entries are named. */
#include "sheets.h"
#include "law.h"

LAW(an_entry_has_a_row_and_a_column_or_one_number_or_none)
{
    static const struct { int rows, cols, k; const char *place; } entries[] = {
        { 1, 1, 0, "" },        { 1, 3, 1, "(2)" },     { 3, 1, 2, "(3)" },
        { 2, 3, 1, "(1,2)" },   { 2, 3, 5, "(2,3)" },   { 3, 2, 4, "(3,1)" } };
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        const Item claim = { .rows = entries[k].rows, .cols = entries[k].cols };
        char place[40];
        assert_string_equal(entry_place(place, &claim, entries[k].k),
                            entries[k].place);
    }
}

LAW(as_many_decimals_are_shown_as_any_claim_has)
{
#define OF_PRINT "algorithm 7\nlogits = ln(3) 0\n"
    assert_int_equal(run_of("claim p = 0.75 0.25\n" OF_PRINT)->decimals, 2);
    assert_int_equal(run_of(OF_PRINT "claim p = 0.8 0.250\n")->decimals, 3);
    assert_int_equal(run_of(OF_PRINT "claim p = 3/4 1/4\n")->decimals, 4);
    assert_int_equal(run_of(OF_PRINT "decimals 1\n"
                            "claim p = 0.75 0.25\n")->decimals, 1);
}

LAW(what_may_be_tiny_has_no_size)
{
    const Run *run = run_of("algorithm 6\nlayout paper\ne = 3e-9 ; 1e-9\n"
                            "claim root = 9\n");
    for (const Step *s = run->step; s < run->step + run->n; s++)
        assert_that((step_size(s) == 0) == (s->line == 2
                                            || strcmp(s->name, "root") == 0));
    run = run_of("algorithm 7\nlogits = 7 -8\ntarget = 1\nclaim exp = 9 9\n"
                 "claim sum = 9\nclaim loss = 9\n");
    for (const Step *s = run->step; s < run->step + run->n; s++)
        if (!s->given && s->aspect == VALUE)
            assert_that(step_size(s) == 0);
}

LAW(a_list_ends_before_its_room_does)
{
    char list[100] = "";
    for (int k = 0; k < 8; k++)
        add_to_list(list, sizeof list, (const char *[]){
            "a = 1", "b = 1", "a = 1", "a", "b = 1", "c = twenty-five letters..",
            "c = twenty-four letters.", "d = 1" }[k]);
    assert_string_equal(list, "a = 1, b = 1, a, c = twenty-four letters.");
}
