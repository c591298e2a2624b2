/* Small models, and data for them. Each law has a directory of its own. */
#ifndef LESSONS_H
#define LESSONS_H
#include "command.h"
#define LAW_SET_UP set_up_inside
#include "law.h"

/* Of any model that a test trains. */
#define SMALL "--d_e 8 --H 2 --ell_max 16 --batch 4 "

/* Some lines of a text that is not quite regular. */
static inline char *a_text(const char *name, int lines, const char *last)
{
    char *text = arena_alloc(arena, (size_t)lines * 40 + 100);
    size_t n = 0;
    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, "%d sheep and %d goats\n", k, k * k);
    sprintf(text + n, "%s", last);
    return write_text(name, text);
}

static inline char *labelled(const char *name, int lines)
{
    char *text = arena_alloc(arena, (size_t)lines * 40 + 1);
    size_t n = 0;
    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, k % 3 == 0 ? "digit\t%d\n"
                                                  : "letter\tx%d\n", k);
    return write_text(name, text);
}

/* A line that trains, which must succeed. */
#define TRAIN(...) trained_at(HERE("ftx train"), ftx("train " __VA_ARGS__))
static inline Said trained_at(Where where, Said s)
{
    if (s.status != 0 || *s.err != '\0')
        fail_at(where, "exit status %d\n%s%s", s.status, s.out, s.err);
    return s;
}

static inline int step_in(const char *name)
{
    char *bytes = text_of(name);
    char *at = bytes == NULL ? NULL : strstr(bytes, "\nstep ");
    return at == NULL ? 0 : atoi(at + 6);
}

/* The model of a task that has learned a little, in the file d, e, ed or
   class. It is trained once; each test has a copy, and its data in t, p
   or l. */
static inline Model *little_model(const char *task)
{
    static struct { size_t n; char *bytes; } saved[4];
    static const char *const lines[] = {
        "train ed " SMALL "--steps 60 --L_enc 1 --L_dec 2 p",
        "train e " SMALL "--steps 30 --L 1 t",
        "train d " SMALL "--steps 30 --L 1 t",
        "train class " SMALL "--steps 30 --L 1 l",
    };
    Task k;
    assert_that(task_of(task, &k));
    if (k == TRAIN_ED)
        pairs("p", 60);
    else if (k == TRAIN_CLASS)
        labelled("l", 60);
    else
        a_text("t", 30, "<in> \xC3\x84\n");
    if (saved[k].bytes == NULL) {
        ftx("%s --eta 0.02 --warm_up 5 --model %s", lines[k], task);
        const char *bytes = bytes_of(task, &saved[k].n);
        saved[k].bytes = malloc(saved[k].n);
        memcpy(saved[k].bytes, bytes, saved[k].n);
        remove(task);
    }
    return model_in(write_bytes(task, saved[k].bytes, saved[k].n));
}

/* The tokens of a text between bos_token and eos_token. */
static inline Tokens tokens_of(const Tokenizer *t, const char *text)
{
    Tokens x;
    size_t where;
    assert_that(encode_text(t, arena, text, strlen(text), &x, &where) == NULL);
    return with_bos_eos(arena, x, t->N_V);
}

#define assert_both_say(a, b) both_say(HERE(#a " and " #b), a, b)
static inline void both_say(Where where, Said a, Said b)
{
    if (a.status != 0 || b.status != 0 || strcmp(a.out, b.out) != 0
        || strcmp(a.err, b.err) != 0)
        fail_at(where, "\n%s%sbut\n%s%s", a.out, a.err, b.out, b.err);
}

#define assert_same_theta(a, b) assert_near_theta(a, b, 0)
#define assert_near_theta(a, b, tolerance) \
    near_theta_at(HERE(#a " and " #b), a, b, tolerance)
static inline void near_theta_at(Where where, const Theta *a, const Theta *b,
                                 double tolerance)
{
    if (a->n != b->n)
        fail_at(where, "%d parameters and %d", a->n, b->n);
    for (int k = 1; k <= a->n; k++)
        same_at(where, *a->parameter[k].place, *b->parameter[k].place,
                tolerance);
}

static inline int characters_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static inline void type_in(const char *bytes)
{
    assert_that(freopen(write_text("typed", bytes), "r", stdin) != NULL);
}
#endif
