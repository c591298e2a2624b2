/* Threads that share work: each part once, whatever the number. */
#include "law.h"
#include "library/threads.h"
#include <stdatomic.h>
#include <time.h>

enum { PARTS = 1000 };
static atomic_int done[PARTS], inner_times, here;

static void once_more(void *to, int k)
{
    assert_that(to == &here);
    atomic_fetch_add(&done[k], 1);
}

LAW(each_part_is_done_once)
{
    for (int threads = 1; threads <= 5; threads++) {
        have_threads(threads);
        assert_that(1 <= threads_here() && threads_here() <= threads);
        for (int n = 0; n <= PARTS; n += n < 9 ? 1 : 331) {
            for (int k = 0; k < PARTS; k++)
                atomic_store(&done[k], 0);
            share(n, once_more, &here);
            for (int k = 0; k < PARTS; k++)
                assert_that(atomic_load(&done[k]) == (k < n));
        }
    }
    have_threads(5);            /* who comes late finds no part */
    for (int round = 0; round < 20000; round++) {
        for (int k = 0; k < 9; k++)
            atomic_store(&done[k], 0);
        share(3, once_more, &here);
        for (int k = 0; k < 9; k++)
            assert_that(atomic_load(&done[k]) == (k < 3));
    }
    have_threads(1);
}

static void count(void *to, int k)
{
    (void)to, (void)k;
    atomic_fetch_add(&inner_times, 1);
}

static void outer(void *to, int k)
{
    (void)to, (void)k;
    if (threads_here() != 1)
        atomic_fetch_add(&here, 1);
    share(7, count, NULL);
}

LAW(a_part_shares_with_nobody)
{
    have_threads(3);
    for (int round = 0; round < 200; round++)
        share(11, outer, NULL);
    assert_that(atomic_load(&here) == 0);
    assert_that(atomic_load(&inner_times) == 200 * 11 * 7);
    have_threads(1);
}

/* Longer than a helper looks out for work. */
LAW(helpers_that_lie_down_get_up)
{
    const struct timespec pause = { 0, 30000000 };
    have_threads(2);
    for (int round = 0; round < 5; round++) {
        atomic_store(&inner_times, 0);
        nanosleep(&pause, NULL);
        share(50, count, NULL);
        assert_that(atomic_load(&inner_times) == 50);
    }
    have_threads(1);
    assert_that(threads_here() == 1);
}

LAW(any_number_may_be_asked_for)
{
    have_threads(1000000);
    assert_that(threads_here() >= 1);
    atomic_store(&inner_times, 0);
    share(200, count, NULL);
    assert_that(atomic_load(&inner_times) == 200);
    have_threads(1);
}
