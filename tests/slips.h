/* What the tests of slips share: judging a text, and what was named. */
#ifndef SLIPS_H
#define SLIPS_H
#include "check.h"
#include "check/check.h"

typedef struct {
    const char *text;
    const Sheet *sheet;
    const Run *run;
    const Judgement *judgement;
} Text;

static inline void read_it(Fault *f, void *data)
{
    Text *t = data;
    size_t n = strlen(t->text);
    char *copy = arena_alloc(arena, n + 1);
    memcpy(copy, t->text, n + 1);
    t->sheet = sheet_of(arena, "text", copy, (int)n, f);
}

static inline void run_it(Fault *f, void *data)
{
    Text *t = data;
    read_it(f, t);
    t->run = run_sheet(t->sheet, arena, tape, f);
}

static inline void judge_it(Fault *f, void *data)
{
    Text *t = data;
    read_it(f, t);
    t->judgement = judge_sheet(t->sheet, arena, tape, f);
}

static inline void must(void (*work)(Fault *f, void *data), Text *t)
{
    Fault f = { .sheet = "text" };
    if (!attempt(&f, work, t))
        fail_at(HERE("the sheet"), "%s\n%s", f.sentence, t->text);
}

static inline bool is_named(const Judgement *judgement, const Slip *slip)
{
    for (int k = 0; k < judgement->n; k++)
        for (int i = 0; i < judgement->judged[k].n; i++)
            for (int s = 0; s < 2; s++)
                if (judgement->judged[k].why[i].slip[s] == slip)
                    return true;
    return false;
}

static inline const Slip *slip_named(const char *name)
{
    for (int k = 0; k < slips_n; k++)
        if (strcmp(slips[k].name, name) == 0)
            return &slips[k];
    fail_at(HERE(name), "there is no slip %s", name);
    return NULL;
}

static inline int count_of(const Judgement *judgement, Verdict verdict)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++)
        n += judgement->judged[k].count[verdict];
    return n;
}

#endif
