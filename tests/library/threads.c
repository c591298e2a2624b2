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
        set_threads(threads);
        assert_that(available_threads() == threads);
        for (int n = 0; n <= PARTS; n += n < 9 ? 1 : 331) {
            for (int k = 0; k < PARTS; k++)
                atomic_store(&done[k], 0);
            parallel_for(n, once_more, &here);
            for (int k = 0; k < PARTS; k++)
                assert_that(atomic_load(&done[k]) == (k < n));
        }
    }
    set_threads(5);            /* who comes late finds no part */
    for (int round = 0; round < 20000; round++) {
        for (int k = 0; k < 9; k++)
            atomic_store(&done[k], 0);
        parallel_for(3, once_more, &here);
        for (int k = 0; k < 9; k++)
            assert_that(atomic_load(&done[k]) == (k < 3));
    }
    set_threads(1);
}

static void count(void *to, int k)
{
    (void)to, (void)k;
    atomic_fetch_add(&inner_times, 1);
}

static void outer(void *to, int k)
{
    (void)to, (void)k;
    if (available_threads() != 1)
        atomic_fetch_add(&here, 1);
    parallel_for(7, count, NULL);
}

LAW(a_part_shares_with_nobody)
{
    set_threads(3);
    for (int round = 0; round < 200; round++)
        parallel_for(11, outer, NULL);
    assert_that(atomic_load(&here) == 0);
    assert_that(atomic_load(&inner_times) == 200 * 11 * 7);
    set_threads(1);
}

/* Two parts that wait for each other are never done by one thread. */
static void meet(void *to, int k)
{
    (void)to, (void)k;
    time_t end = time(NULL) + 20;
    atomic_fetch_add(&inner_times, 1);
    while (atomic_load(&inner_times) < 2 && time(NULL) < end)
        ;
    if (atomic_load(&inner_times) < 2)
        atomic_fetch_add(&here, 1);
}

/* Longer than a helper looks out for work. */
LAW(helpers_that_lie_down_get_up)
{
    const struct timespec pause = { 0, 30000000 };
    set_threads(2);
    for (int round = 0; round < 5; round++) {
        atomic_store(&inner_times, 0);
        nanosleep(&pause, NULL);
        parallel_for(2, meet, NULL);
        assert_that(atomic_load(&here) == 0);
    }
    set_threads(1);
    assert_that(available_threads() == 1);
}
