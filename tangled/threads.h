/* Threads that share work. */
#ifndef THREADS_H
#define THREADS_H

/* From now on the calling thread has threads - 1 helpers; with 1 they go
   home. They come when there is work; one that cannot be started is not
   missed. Only one thread of a program has helpers at a time. */
void have_threads(int threads);

/* How many can work for the caller now, the caller included: 1 within a
   part. */
int threads_here(void);

/* part(to, 0) ... part(to, n - 1): each once, at the same time where there
   are helpers. It returns when all are done. */
void share(int n, void (*part)(void *to, int k), void *to);
#endif
