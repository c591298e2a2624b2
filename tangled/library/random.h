/* Random numbers: a seeded generator (SplitMix64), or a list of numbers.
   A Random is a small record that is copied and passed; uniform, which is
   declared in ftx.h, takes the next number from it. */
#ifndef RANDOM_H
#define RANDOM_H
#include "ftx.h"

/* A generator; or, for uniform, another source. */
struct Random {
    uint64_t state;
    double (*next)(void *from);                     /* NULL: the state    */
    void *from;
};

/* Returns the generator of a seed. */
Random random_new(uint64_t seed);

/* n numbers in [0, 1), of which some are used. */
typedef struct { int n; const double *u; int used; } NumberList;

/* Returns a source that gives the numbers of a list in order. To use more
   than there are is refused. */
Random random_in(NumberList *list);

/* Returns the n-th generator that is branched off from parent. */
Random random_branch(Random parent, uint64_t n);

/* Returns 64 random bits. */
uint64_t random_bits(Random *random);

/* Returns a normal number, of mean 0 and variance 1. */
double normal(Random *random);

/* Returns an integer in 0 ... n - 1. */
int below(Random *random, int n);

#endif
