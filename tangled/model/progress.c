/* model/progress.c: prints how far something is that takes long.
   Main type ProgressLog; entry point is_progress_due. */
#include "model/progress.h"
#include <math.h>

bool is_progress_due(const ProgressLog *log, double *last)
{
    double now = seconds(), every = log->every;
    if (now - *last < (is_terminal(log->out) ? fmin(0.2, every) : every))
        return false;
    *last = now;
    return true;
}

/* What print_merges needs. */
typedef struct {
    const ProgressLog *log;
    double last;                /* when it was printed, in seconds        */
    int most;
} MergeLog;

static void print_merges(void *to, int merges)
{
    MergeLog *m = to;
    FILE *out = m->log->out;
    if (!is_progress_due(m->log, &m->last))
        return;
    fprintf(out, is_terminal(out) ? "\r\033[Kbyte pairs: %d of %d merged"
                                  : "byte pairs: %d of %d merged\n",
            merges, m->most);
    fflush(out);
}

const Tokenizer *learn_pairs_with_log(Arena *arena, const char *text,
                                      size_t n, int merges,
                                      const ProgressLog *log)
{
    MergeLog m = { log, seconds(), merges };
    const Tokenizer *t = learn_pairs(arena, text, n, merges, print_merges,
                                     &m);
    if (is_terminal(log->out))
        fputs("\r\033[K", log->out);
    return t;
}
