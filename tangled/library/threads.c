/* Threads that share work. */
#include "library/threads.h"
#ifdef ONE_THREAD
void set_threads(int threads)
{
    (void)threads;
}

int available_threads(void)
{
    return 1;
}

void parallel_for(int n, void (*part)(void *to, int k), void *to)
{
    for (int k = 0; k < n; k++)
        part(to, k);
}

void lock_exit(void)
{
}
#else
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
    LOOKS = 20000,              /* for work, before a helper lies down */
    STACK = 1 << 21            /* bytes; a product packs some there   */
};

static struct {
    int wanted, started;        /* helpers                             */
    pthread_t helper[MOST];
    pthread_mutex_t lock;
    pthread_cond_t work;
    atomic_int sleeping;
    atomic_bool home;           /* they shall go                       */
    _Atomic uint64_t ticket;
    atomic_int done;            /* parts                               */
    void (*part)(void *to, int k);
    void *to;
} crew = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .work = PTHREAD_COND_INITIALIZER };

static _Thread_local bool leads;

static bool work_is_left(void)
{
    const uint64_t ticket = atomic_load(&crew.ticket);
    return (uint32_t)ticket < ticket >> 32;
}

static void take_parts(void)
{
    while (work_is_left()) {
        const uint64_t ticket = atomic_fetch_add(&crew.ticket, 1);
        if ((uint32_t)ticket >= ticket >> 32)
            return;
        crew.part(crew.to, (int)(uint32_t)ticket);
        atomic_fetch_add(&crew.done, 1);
    }
}

static void lie_down(void)
{
    pthread_mutex_lock(&crew.lock);
    atomic_fetch_add(&crew.sleeping, 1);
    while (!work_is_left() && !atomic_load(&crew.home))
        pthread_cond_wait(&crew.work, &crew.lock);
    atomic_fetch_sub(&crew.sleeping, 1);
    pthread_mutex_unlock(&crew.lock);
}

static void *wait_and_help(void *unused)
{
    (void)unused;
    for (int looks = 0; !atomic_load(&crew.home); looks++) {
        if (work_is_left()) {
            take_parts();
            looks = 0;
        } else if (looks == LOOKS)
            lie_down(), looks = 0;
        PAUSE;
    }
    return NULL;
}

static void wake(void)
{
    pthread_mutex_lock(&crew.lock);
    pthread_cond_broadcast(&crew.work);
    pthread_mutex_unlock(&crew.lock);
}

void parallel_for(int n, void (*part)(void *to, int k), void *to)
{
    if (!leads || crew.started == 0 || n < 2) {
        for (int k = 0; k < n; k++)
            part(to, k);
        return;
    }
    leads = false;              /* what a part shares it does itself */
    crew.part = part;
    crew.to = to;
    atomic_store(&crew.done, 0);
    atomic_store(&crew.ticket, (uint64_t)n << 32);
    if (atomic_load(&crew.sleeping) > 0)
        wake();
    take_parts();
    while (atomic_load(&crew.done) < n)
        PAUSE;
    leads = true;
}

static bool start(pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    int error = pthread_attr_setstacksize(&attributes, STACK);
    if (error == 0)
        error = pthread_create(thread, &attributes, wait_and_help,
                               NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

void set_threads(int threads)
{
    const int helpers = threads > MOST ? MOST - 1 : threads - 1;
    leads = helpers > 0;
    if (helpers == crew.wanted)
        return;
    atomic_store(&crew.home, true);
    wake();
    while (crew.started > 0)
        pthread_join(crew.helper[--crew.started], NULL);
    atomic_store(&crew.home, false);
    crew.wanted = helpers;
    while (crew.started < helpers && start(&crew.helper[crew.started]))
        crew.started++;
}

int available_threads(void)
{
    return leads ? crew.started + 1 : 1;
}

void lock_exit(void)
{
    static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&ending);
}
#endif
