/* Sheets: writing the text of one, and reading, running and judging it. */
#ifndef SHEETS_H
#define SHEETS_H
#include "check.h"
#include "check/check.h"

/* A text that grows. */
typedef struct { size_t n; char at[80000]; } Text;

static inline Text *text_new(void)
{
    Text *t = arena_alloc(arena, sizeof *t);
    t->n = 0;
    *t->at = '\0';
    return t;
}

static inline void add_text(Text *t, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static inline void add_text(Text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format,
                              arguments);
    va_end(arguments);
    assert_that(t->n < sizeof t->at - 1);
}

/* What becomes of a sheet: a file where its text is NULL. */
typedef struct {
    const char *name, *text;
    size_t bytes;               /* of the text; 0: all                    */
    const Sheet *sheet;
    const Run *run;
    const Judgement *judgement;
    Error error;                /* what is wrong with it                  */
} Reading;

static inline void read_it(Error *f, void *data)
{
    Reading *r = data;
    if (r->text == NULL) {
        r->sheet = read_sheet(arena, r->name, f);
        return;
    }
    size_t n = r->bytes > 0 ? r->bytes : strlen(r->text);
    char *copy = memcpy(arena_alloc(arena, n + 1), r->text, n + 1);
    r->sheet = parse_sheet(arena, r->name, copy, (int)n, f);
}

static inline void run_it(Error *f, void *data)
{
    Reading *r = data;
    read_it(f, r);
    r->run = run_sheet(r->sheet, arena, f);
}

static inline void judge_it(Error *f, void *data)
{
    Reading *r = data;
    read_it(f, r);
    r->judgement = judge_sheet(r->sheet, arena, quiet, f);
}

/* work is one of these three. */
static inline Reading *reading(const char *name, const char *text,
                               void (*work)(Error *f, void *data))
{
    Reading *r = arena_alloc(arena, sizeof *r);
    *r = (Reading){ .name = name, .text = text, .error = { .sheet = name } };
    try_work(&r->error, work, r);
    return r;
}

/* Forgets what came of the sheets before. */
static inline void tidy(void)
{
    arena_clear(arena);
    tape_clear(quiet);
}

/* NULL: it is refused. */
static inline const Run *run_of(const char *text)
{
    return reading("text", text, run_it)->run;
}

static inline const Run *run_of_file(const char *name)
{
    const Reading *r = reading(name, NULL, run_it);
    if (r->run == NULL)
        fail_at(HERE(name), "%s", r->error.sentence);
    return r->run;
}

/* The step that the claim is about. */
static inline const Step *step_for(const Run *run, const Item *claim)
{
    Error f = { .sheet = run->sheet->name };
    if (setjmp(f.out) != 0)
        fail_at(HERE("step_of"), "%s", f.sentence);
    return step_of(run, claim, &f);
}

static inline const Judgement *judged(const char *text)
{
    const Reading *r = reading("text", text, judge_it);
    if (r->judgement == NULL)
        fail_at(HERE("judge_sheet"), "%s\n%s", r->error.sentence, text);
    return r->judgement;
}
#endif
