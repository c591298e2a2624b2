/* Threads that share work. */
#include "library/threads.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define PAUSE __builtin_ia32_pause()            /* the other may run */
#else
#define PAUSE (void)0
#endif

enum {
    MOST = 64,                  /* threads                             */
    SPINS = 20000,              /* before a helper waits to be woken   */
    STACK = 1 << 21            /* bytes; a product packs some there   */
};

static struct {
    int wanted, started;        /* helpers                             */
    pthread_t helper[MOST];
    pthread_mutex_t lock;
    pthread_cond_t work;
    atomic_bool quits;          /* helpers shall end                   */
    _Atomic uint64_t ticket;
    atomic_int done;            /* parts                               */
    void (*part)(void *to, int k);
    void *to;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .work = PTHREAD_COND_INITIALIZER };

static _Thread_local bool can_share;

static bool has_work(void)
{
    const uint64_t ticket = atomic_load(&pool.ticket);
    return (uint32_t)ticket < ticket >> 32;
}

static void run_parts(void)
{
    while (has_work()) {
        const uint64_t ticket = atomic_fetch_add(&pool.ticket, 1);
        if ((uint32_t)ticket >= ticket >> 32)
            return;
        pool.part(pool.to, (int)(uint32_t)ticket);
        atomic_fetch_add(&pool.done, 1);
    }
}

static void wait_for_work(void)
{
    pthread_mutex_lock(&pool.lock);
    while (!has_work() && !atomic_load(&pool.quits))
        pthread_cond_wait(&pool.work, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void *run_helper(void *unused)
{
    (void)unused;
    for (int spins = 0; !atomic_load(&pool.quits); spins++) {
        if (has_work()) {
            run_parts();
            spins = 0;
        } else if (spins == SPINS)
            wait_for_work(), spins = 0;
        PAUSE;
    }
    return NULL;
}

static void wake_helpers(void)
{
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

void parallel_for(int n, void (*part)(void *to, int k), void *to)
{
    if (!can_share || pool.started == 0 || n < 2) {
        for (int k = 0; k < n; k++)
            part(to, k);
        return;
    }
    can_share = false;              /* what a part shares it does itself */
    pool.part = part;
    pool.to = to;
    atomic_store(&pool.done, 0);
    atomic_store(&pool.ticket, (uint64_t)n << 32);
    wake_helpers();
    run_parts();
    while (atomic_load(&pool.done) < n)
        PAUSE;
    can_share = true;
}

static bool start_helper(pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    int error = pthread_attr_setstacksize(&attributes, STACK);
    if (error == 0)
        error = pthread_create(thread, &attributes, run_helper, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

void set_threads(int threads)
{
    const int helpers = threads > MOST ? MOST - 1 : threads - 1;
    can_share = helpers > 0;
    if (helpers == pool.wanted)
        return;
    atomic_store(&pool.quits, true);
    wake_helpers();
    while (pool.started > 0)
        pthread_join(pool.helper[--pool.started], NULL);
    atomic_store(&pool.quits, false);
    pool.wanted = helpers;
    while (pool.started < helpers && start_helper(&pool.helper[pool.started]))
        pool.started++;
}

int available_threads(void)
{
    return can_share ? pool.started + 1 : 1;
}

void lock_exit(void)
{
    static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&ending);
}
