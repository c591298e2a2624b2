/* What is told while it takes long. */
#include "model/model.h"
#include <math.h>

bool is_time_to_tell(const Telling *telling, double *told)
{
    double now = seconds(), every = telling->every;
    if (now - *told < (is_terminal(telling->to) ? fmin(0.2, every) : every))
        return false;
    *told = now;
    return true;
}

typedef struct {
    const Telling *telling;
    double told;                /* when                                   */
    int most;
} Merges;

static void tell_merges(void *to, int merges)
{
    Merges *m = to;
    FILE *out = m->telling->to;
    if (!is_time_to_tell(m->telling, &m->told))
        return;
    fprintf(out, is_terminal(out) ? "\r\033[Kbyte pairs: %d of %d merged"
                                  : "byte pairs: %d of %d merged\n",
            merges, m->most);
    fflush(out);
}

const Tokenizer *learn_and_tell(Arena *arena, const char *text, size_t n,
                                int merges, const Telling *telling)
{
    Merges m = { telling, seconds(), merges };
    const Tokenizer *t = learn_pairs(arena, text, n, merges, tell_merges,
                                     &m);
    if (is_terminal(telling->to))
        fputs("\r\033[K", telling->to);
    return t;
}
