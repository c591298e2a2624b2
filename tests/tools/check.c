/* The comparisons of check.h: what passes, and above all what does not. */
#include "derivatives.h"

static void a_nan_is_near_nothing(void **state)
{
    (void)state;
    assert_that(!is_near((double)NAN, 1, 1e9));
    assert_that(!is_near(1, (double)NAN, 1e9));
    assert_that(!is_near((double)NAN, (double)NAN, 1e9));
}

static void infinity_is_near_itself_only(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    assert_that(is_near(inf, inf, 0));
    assert_that(!is_near(inf, -inf, 1));
    assert_that(!is_near(1, inf, 1));
    assert_that(!is_near(inf, 1, 1));
}

static void the_tolerance_is_relative_above_1(void **state)
{
    (void)state;
    assert_that(is_near(1000.5, 1000, 1e-3));
    assert_that(!is_near(0.5, 0.4, 1e-3));
    assert_that(is_near(0.0005, 0, 1e-3));
    assert_that(!is_near(1e-11, 0, 1e-12));
}

static void derivatives_that_differ_do_not_agree(void **state)
{
    (void)state;
    assert_that(derivatives_agree(1, 1));
    assert_that(!derivatives_agree(1, 1.02));
    assert_that(!derivatives_agree(0.01, -0.01));
    assert_that(!derivatives_agree((double)NAN, 1));
}

static void a_refusal_is_compared_as_a_whole(void **state)
{
    (void)state;
    const Refusal refusal = { .where = { "dir/a.c", 7, "mul(A, B)" },
                              .sentence = "no." }, *said = &refusal;
    assert_that(is_refusal(said, "a.c", 7, "mul(A, B)", "no."));
    assert_that(is_refusal(said, "a.c", 0, "mul(A, B)", "no."));
    assert_that(!is_refusal(said, "b.c", 7, "mul(A, B)", "no."));
    assert_that(!is_refusal(said, "a.c", 6, "mul(A, B)", "no."));
    assert_that(!is_refusal(said, "a.c", 70, "mul(A, B)", "no."));
    assert_that(!is_refusal(said, "a.c", 7, "mul(A, C)", "no."));
    assert_that(!is_refusal(said, "a.c", 7, "mul(A, B)", "no"));
    assert_that(!is_refusal(said, "a.c", 7, "mul(A, B)", "oh no."));
    assert_that(!is_refusal(&(Refusal){ .where = { "", 0, "" } }, "a.c", 7,
                            "mul(A, B)", "no."));
}

static void the_remarks_of_a_sanitizer_are_no_part_of_a_refusal(void **state)
{
    (void)state;
    char said[] = "==1==WARNING: no memory\na.c:7: f: no.\n==1== bye\n";
    char alone[] = "==1== nothing else", plain[] = "a.c:7: f: no.\nmore";
    without_remarks(said), without_remarks(alone), without_remarks(plain);
    assert_that(strcmp(said, "a.c:7: f: no.\n") == 0);
    assert_that(strcmp(alone, "") == 0);
    assert_that(strcmp(plain, "a.c:7: f: no.\nmore") == 0);
}

static void the_random_numbers_are_the_same_everywhere(void **state)
{
    (void)state;
    assert_near(folded(1), -0.32366679745602056, 0);
    for (uint64_t k = 0; k < 1000; k++)
        assert_that(fabs(folded(k)) <= 1);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(a_nan_is_near_nothing),
        TEST(infinity_is_near_itself_only),
        TEST(the_tolerance_is_relative_above_1),
        TEST(derivatives_that_differ_do_not_agree),
        TEST(a_refusal_is_compared_as_a_whole),
        TEST(the_remarks_of_a_sanitizer_are_no_part_of_a_refusal),
        TEST(the_random_numbers_are_the_same_everywhere),
    };
    return RUN(laws);
}
