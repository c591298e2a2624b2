/* Random numbers: SplitMix64 [Steele, Lea and Flood 2014]. */
#include "library/random.h"
#include <math.h>

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

Random random_new(uint64_t seed)
{
    return (Random){ .state = mixed(seed) };
}

static double next_of_list(void *from)
{
    NumberList *list = from;
    REQUIRE(list->used < list->n, "all %d numbers are used.", list->n);
    return list->u[list->used++];
}

Random random_in(NumberList *list)
{
    return (Random){ .next = next_of_list, .from = list };
}

Random random_branch(Random parent, uint64_t n)
{
    return (Random){ .state = mixed(random_bits(&parent) + n) };
}

uint64_t random_bits(Random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return mixed(random->state);
}

double uniform(Random *random)
{
    if (random->next != NULL)
        return random->next(random->from);
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double normal(Random *random)
{
    double length = sqrt(-2 * log(1 - uniform(random)));
    return length * cos(6.283185307179586477 * uniform(random));
}

int below(Random *random, int n)
{
    REQUIRE(n >= 1, "n = %d: there is no number below it.", n);
    uint64_t range = (uint64_t)n, excess = (UINT64_MAX - range + 1) % range;
    uint64_t bits;
    do
        bits = random_bits(random);
    while (bits < excess);
    return (int)(bits % range);
}
