/* Threads that share work. */
#ifndef THREADS_H
#define THREADS_H

/* Gives the calling thread threads - 1 helpers; with 1 they end. A helper
   that cannot be started is left out, and so are those beyond 63. Only one
   thread of a program has helpers at a time. */
void set_threads(int threads);

/* Returns how many threads can work for the caller now, the caller included:
   1 within a part. */
int available_threads(void);

/* Calls part(to, 0) ... part(to, n - 1), each once, at the same time where
   there are helpers, and returns when all are done. */
void parallel_for(int n, void (*part)(void *to, int k), void *to);

/* To be called before exit: the first caller goes on, and every later one
   waits until the program has ended. */
void lock_exit(void);
#endif
