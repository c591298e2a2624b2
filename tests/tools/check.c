/* The comparisons of check.h: what passes, and above all what does not. */
#include "law.h"
#include "derivatives.h"

LAW(a_nan_is_near_nothing)
{
    assert_that(!is_near((double)NAN, 1, 1e9));
    assert_that(!is_near(1, (double)NAN, 1e9));
    assert_that(!is_near((double)NAN, (double)NAN, 1e9));
}

LAW(infinity_is_near_itself_only)
{
    const double inf = (double)INFINITY;
    assert_that(is_near(inf, inf, 0));
    assert_that(!is_near(inf, -inf, 1));
    assert_that(!is_near(1, inf, 1));
    assert_that(!is_near(inf, 1, 1));
}

LAW(the_tolerance_is_relative_above_1)
{
    assert_that(is_near(1000.5, 1000, 1e-3));
    assert_that(!is_near(0.5, 0.4, 1e-3));
    assert_that(is_near(0.0005, 0, 1e-3));
    assert_that(!is_near(1e-11, 0, 1e-12));
}

LAW(derivatives_that_differ_do_not_agree)
{
    assert_that(derivatives_agree(1, 1));
    assert_that(!derivatives_agree(1, 1.02));
    assert_that(!derivatives_agree(0.01, -0.01));
    assert_that(!derivatives_agree((double)NAN, 1));
}

LAW(a_refusal_is_compared_by_its_words_and_its_call)
{
    const Refusal refusal = { .where = { "a.c", 7, "mul(A, B)" },
                              .sentence = "it is 2 x 3." }, *said = &refusal;
    const Where here = { "a.c", 9, "mul(A, B)" }, other = { "a.c", 9, "f()" };
    assert_that(is_refusal(here, said, "is 2 x 3"));
    assert_that(!is_refusal(here, said, "is 3 x 2"));
    assert_that(!is_refusal(other, said, "is 2 x 3"));
    assert_that(is_refusal((Where){ "b.c", 9, "f()" }, said, "is 2 x 3"));
    assert_that(!is_refusal(here, &(Refusal){ .where = { "", 0, "" } }, ""));
}

LAW(the_remarks_of_a_sanitizer_are_no_part_of_a_refusal)
{
    char said[] = "==1==WARNING: no memory\na.c:7: f: no.\n==1== bye\n";
    char alone[] = "==1== nothing else", plain[] = "a.c:7: f: no.\nmore";
    without_remarks(said), without_remarks(alone), without_remarks(plain);
    assert_that(strcmp(said, "a.c:7: f: no.\n") == 0);
    assert_that(strcmp(alone, "") == 0);
    assert_that(strcmp(plain, "a.c:7: f: no.\nmore") == 0);
}

LAW(the_random_numbers_are_the_same_everywhere)
{
    assert_near(folded(1), -0.32366679745602056, 0);
    for (uint64_t k = 0; k < 1000; k++)
        assert_that(fabs(folded(k)) <= 1);
}
