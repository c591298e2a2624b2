/* Threads that share work. */
#ifndef THREADS_H
#define THREADS_H

/* Where a compiler has no atomic numbers, a program has one thread, which
   does everything itself. -DONE_THREAD says so, too. */
#if defined(__STDC_NO_ATOMICS__) && !defined(ONE_THREAD)
#define ONE_THREAD
#endif
#ifdef ONE_THREAD
#define PER_THREAD
#define SHARED_ATOMIC volatile
#else
#define PER_THREAD _Thread_local
#define SHARED_ATOMIC _Atomic
#endif

/* From now on the calling thread has threads - 1 helpers; with 1 they go
   home. They come when there is work; one that cannot be started is not
   missed. Only one thread of a program has helpers at a time. */
void set_threads(int threads);

/* How many can work for the caller now, the caller included: 1 within a
   part. */
int available_threads(void);

/* part(to, 0) ... part(to, n - 1): each once, at the same time where there
   are helpers. It returns when all are done. */
void parallel_for(int n, void (*part)(void *to, int k), void *to);

/* The calling thread is about to end the program. Another one that is, too,
   waits here for the end. */
void lock_exit(void);
#endif
