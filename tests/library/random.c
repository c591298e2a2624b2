/* Random numbers. */
#include "law.h"

enum { DRAWS = 100000 };

/* From the state 0, as others print them for SplitMix64. */
LAW(the_bits_are_those_of_SplitMix64)
{
    Random random = { 0 };
    assert_that(random_bits(&random) == 0xE220A8397B1DCDAFu);
    assert_that(random_bits(&random) == 0x6E789E6AA1B965F4u);
    assert_that(random_bits(&random) == 0x06C45D188009454Fu);
    assert_that(random_bits(&random) == 0xF88BB8A8724C81ECu);
}

LAW(a_seed_gives_the_same_numbers_in_every_run)
{
    Random random = random_new(1);
    assert_that(random_bits(&random) == 0xBFEF8030DDC2D772u);
    assert_that(random_bits(&random) == 0x5F552CE482F2AA47u);
    random = random_new(2022);
    assert_near(uniform(&random), 0.09791665844433395, 0);
    assert_near(normal(&random), -0.7258733309616511, 1e-15);
    assert_that(below(&random, 1000) == 727);
    Random branch = random_branch(random_new(1), 2);
    assert_that(random_bits(&branch) == 0xCDF8D9CA69BB3E65u);
}

/* They are drawn by whatever asks for a number, and not drawn twice. */
LAW(a_list_gives_its_numbers_in_order)
{
    static const double u[] = { .25, .75, .5 };
    NumberList list = { .n = 3, .u = u };
    Random random = random_in(&list);
    for (int k = 0; k < 3; k++) {
        assert_near(uniform(&random), u[k], 0);
        assert_int_equal(list.used, k + 1);
    }
    assert_refuses(uniform(&random), "all 3 numbers are used.");
}

LAW(uniform_is_53_bits_over_2_to_the_53)
{
    Random a = random_new(3), b = a;
    for (int k = 0; k < 1000; k++) {
        uint64_t bits = random_bits(&b);
        double u = uniform(&a);
        assert_near(u, (double)(bits >> 11) / 9007199254740992.0, 0);
        assert_that(0 <= u && u < 1);
    }
}

/* The next bits are all 0. */
#define BEFORE_0 ((Random){ .state = (uint64_t)0 - 0x9E3779B97F4A7C15u })

LAW(uniform_can_be_0)
{
    Random random = BEFORE_0;
    assert_near(uniform(&random), 0, 0);
    random = BEFORE_0;
    assert_near(normal(&random), 0, 0);             /* not infinite */
}

/* 2^64 is 1 more than a multiple of 3 and of 5: the bits 0 are drawn again.
   It is a multiple of 4. */
LAW(below_draws_again_where_it_would_be_biased)
{
    Random random = BEFORE_0, once = { 0 };
    uint64_t second = random_bits(&once);
    assert_that(below(&random, 3) == (int)(second % 3));
    assert_that(random.state == once.state);
    random = BEFORE_0;
    assert_that(below(&random, 5) == (int)(second % 5));
    random = BEFORE_0;
    assert_that(below(&random, 4) == 0 && random.state == 0);
}

LAW(below_1_there_is_only_0)
{
    Random random = random_new(6);
    for (int k = 0; k < 10; k++)
        assert_that(below(&random, 1) == 0);
    assert_refuses(below(&random, 0), "n = 0: there is no number below it.");
}

LAW(branches_differ_from_each_other_and_from_the_trunk)
{
    Random trunk = random_new(9), before = trunk;
    uint64_t first[1001];
    for (uint64_t n = 0; n < 1000; n++) {
        Random branch = random_branch(trunk, n), again = random_branch(trunk, n);
        first[n] = random_bits(&branch);
        assert_that(first[n] == random_bits(&again));
    }
    assert_that(trunk.state == before.state);
    first[1000] = random_bits(&trunk);
    for (int a = 0; a <= 1000; a++)
        for (int b = 0; b < a; b++)
            assert_that(first[a] != first[b]);
}

/* The second branch of the first is not the first of the second. */
LAW(branches_of_branches_differ)
{
    Random trunk = random_new(10);
    Random a = random_branch(random_branch(trunk, 1), 2);
    Random b = random_branch(random_branch(trunk, 2), 1);
    Random c = random_branch(trunk, 3);
    assert_that(a.state != b.state && a.state != c.state && b.state != c.state);
}
