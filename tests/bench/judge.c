/* How long is a sheet judged? Its name and how often are the arguments; the
   mean in milliseconds of processor time is printed. */
#include "check/check.h"
#include <stdlib.h>
#include <time.h>

typedef struct { const char *name; Arena *arena; Tape *tape; } Work;

static void judge(Error *f, void *data)
{
    const Work *w = data;
    judge_sheet(read_sheet(w->arena, w->name, f), w->arena, w->tape, f);
}

int main(int n, char *argument[])
{
    Work w = { n > 1 ? argument[1] : "-", arena_new(), tape_new(false) };
    int times = n > 2 ? atoi(argument[2]) : 1;
    clock_t start = clock();
    for (int k = 0; k < times; k++) {
        Error f = { .sheet = w.name };
        if (!try_work(&f, judge, &w)) {
            fprintf(stderr, "%s\n", f.sentence);
            return 2;
        }
        arena_clear(w.arena);
        tape_clear(w.tape);
    }
    printf("%-32s %8.1f ms\n", w.name,
           1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / times);
    return 0;
}
