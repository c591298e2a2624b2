/* Memory, the tape, and the way back along it. */
#define _DEFAULT_SOURCE         /* madvise */
#include "library/functions.h"
#include "library/operation.h"
#include "library/parameters.h"
#include "library/tape.h"
#include "library/threads.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef ARENA_BLOCK
#define ARENA_BLOCK ((size_t)1 << 20)   /* bytes in a block, at least */
#endif
enum { ALIGNMENT = 64,                  /* bytes: a cache line */
       LARGE_PAGE = 1 << 21 };

typedef struct Block Block;
struct Block {
    Block *next;
    size_t size, used;
    unsigned char *bytes;
};

struct Arena {
    Block *first, *current;
};

void *or_refuse(void *memory, size_t bytes)
{
    if (memory != NULL)
        return memory;
    fflush(stdout);
    lock_exit();
    fprintf(stderr, "ftx: there is no memory for %zu bytes.\n", bytes);
    exit(2);
}

Arena *arena_new(void)
{
    return or_refuse(calloc(1, sizeof(Arena)), sizeof(Arena));
}

static Block *block_new(size_t size)
{
    size = size < ARENA_BLOCK ? ARENA_BLOCK : size;
    const size_t unit = size < 2 * LARGE_PAGE ? ALIGNMENT : LARGE_PAGE;
    const size_t bytes = (ALIGNMENT + size + unit - 1) / unit * unit;
    Block *block = or_refuse(aligned_alloc(unit, bytes), size);
#ifdef MADV_HUGEPAGE
    if (unit == LARGE_PAGE)
        madvise(block, bytes, MADV_HUGEPAGE);
#endif
    *block = (Block){ NULL, size, 0, (unsigned char *)block + ALIGNMENT };
    return block;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    REQUIRE(bytes <= SIZE_MAX / 2, "%zu bytes are too many.", bytes);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Block **place = &arena->current;
    while (*place != NULL && (*place)->size - (*place)->used < bytes) {
        place = &(*place)->next;
        if (*place != NULL)
            (*place)->used = 0;
    }
    if (*place == NULL)
        *place = block_new(bytes);
    Block *block = arena->current = *place;
    if (arena->first == NULL)
        arena->first = block;
    block->used += bytes;
    return block->bytes + block->used - bytes;
}

size_t arena_used(const Arena *arena)
{
    size_t bytes = 0;
    for (const Block *b = arena->first; b != NULL;
         b = b == arena->current ? NULL : b->next)
        bytes += b->used;
    return bytes;
}

bool arena_holds(const Arena *arena, const void *place)
{
    const Block *b = arena->first;
    while (b != NULL && (uintptr_t)place - (uintptr_t)b->bytes >= b->used)
        b = b == arena->current ? NULL : b->next;
    return b != NULL;
}

void arena_rewind(Arena *arena, size_t used)
{
    Block *block = arena->first;
    for (; block != NULL && used > block->used; block = block->next)
        used -= block->used;
    arena->current = block;
    if (block != NULL)
        block->used = used;
}

void arena_clear(Arena *arena)
{
    arena_rewind(arena, 0);
}

void arena_free(Arena *arena)
{
    for (Block *b = arena->first, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    free(arena);
}

enum { OBSERVERS = 8 };         /* at once, the most */

struct Tape {
    Arena *arena;
    bool gradients;             /* derivatives are wanted */
    bool has_walked, replays;   /* backward was called; places are known */
    struct Matrix *first, *last;
    struct { Observer *call; void *to; } observer[OBSERVERS];
    int observers;              /* how many there are */
    Settings settings;
    struct Matrix *spare;       /* its gradient is no longer needed */
    bool allows_nonfinite;      /* NaN and infinity are let through */
    void (*on_nonfinite)(void *to);     /* called first; or NULL */
    void *on_nonfinite_to;
};

Tape *tape_new(bool gradients)
{
    Tape *tape = or_refuse(malloc(sizeof *tape), sizeof *tape);
    *tape = (Tape){ .arena = arena_new(), .gradients = gradients };
    return tape;
}

Arena *tape_arena(Tape *tape)
{
    return tape->arena;
}

bool wants_gradients(const Tape *tape)
{
    return tape->gradients;
}

void tape_clear(Tape *tape)
{
    tape->first = tape->last = tape->spare = NULL;
    tape->has_walked = tape->replays = false;
    arena_clear(tape->arena);
}

void tape_free(Tape *tape)
{
    arena_free(tape->arena);
    free(tape);
}

struct Matrix *matrix_new(Where where, Arena *arena, int rows, int cols,
                          bool gradient)
{
    if (rows < 1 || cols < 0)
        refuse(where, "a matrix of %d x %d; it needs a row and a column.",
               rows, cols);
    if ((double)rows * cols > (double)(SIZE_MAX / 2 / sizeof(real)))
        refuse(where, "a matrix of %d x %d is too large.", rows, cols);
    struct Matrix *M = arena_alloc(arena, sizeof *M);
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(real);
    *M = (struct Matrix){ .rows = rows, .cols = cols };
    M->at = arena_alloc(arena, bytes);
    M->grad = gradient ? arena_alloc(arena, bytes) : NULL;
    return M;
}

static Mat deferred_copy(Tape *tape, Mat M)     /* without its gradient */
{
    if (M->tape != NULL || M->grad == NULL)
        return M;
    struct Matrix *copy = arena_alloc(tape->arena, sizeof *copy);
    *copy = *M;
    copy->grad_place = M->grad;
    return copy;
}

struct Matrix *node_new(Where where, Tape *tape, int rows, int cols,
                        const Operation *operation, int n, const Mat of[])
{
    for (int k = 0; tape == NULL && k < n; k++)
        if (of[k]->transposed)
            refuse(where, "a transposed matrix can only be multiplied.");
    tape = tape != NULL ? tape : tape_of(where, n, of);
    const bool over = tape->settings.in_place && operation != NULL
        && operation->in_place == ALL_IN_PLACE && of[0]->operation != NULL;
    struct Matrix *Y = matrix_new(where, tape->arena, rows, over ? 0 : cols,
                                  operation == NULL && tape->gradients);
    Y->cols = cols;
    Y->at = over ? of[0]->at : Y->at;
    Y->tape = tape;
    Y->where = where;
    Y->operation = operation;
    Y->of = of;                 /* until node_compute */
    Y->n = n;
    if (tape->gradients) {
        size_t bytes = (size_t)n * sizeof *of;
        Y->previous = tape->last;
        *(tape->last == NULL ? &tape->first : &tape->last->next) = Y;
        Mat *operand = arena_alloc(tape->arena, bytes);
        for (int k = 0; k < n; k++)
            operand[k] = tape->settings.defers ? deferred_copy(tape, of[k])
                                               : of[k];
        Y->of = operand;
        tape->last = Y;
    }
    return Y;
}

Mat node_compute(struct Matrix *Y)
{
    Y->operation->forward(Y);
    if (!Y->tape->gradients) {
        Y->operation = NULL;
        Y->of = NULL;
        Y->n = 0;
    }
    return Y;
}

Tape *tape_of(Where where, int n, const Mat of[])
{
    Tape *tape = NULL;
    for (int k = 0; k < n; k++) {
        if (tape != NULL && of[k]->tape != NULL && of[k]->tape != tape)
            refuse(where, "the operands are on two different tapes.");
        if (of[k]->tape != NULL)
            tape = of[k]->tape;
    }
    if (tape == NULL)
        refuse(where, "no operand is on a tape; give one of them as an "
               "input(tape, rows, cols).");
    return tape;
}

void observe(Tape *tape, Observer *observer, void *to)
{
    REQUIRE(tape->observers < OBSERVERS, "at most %d observers.", OBSERVERS);
    tape->observer[tape->observers].call = observer;
    tape->observer[tape->observers++].to = to;
}

void unobserve(Tape *tape)
{
    REQUIRE(tape->observers > 0, "there is no observer.");
    tape->observers--;
}

static Mat call_observers(Tape *tape, const char *line, const char *name,
                          Mat M, int index)
{
    for (int k = 0; k < tape->observers; k++) {
        Mat answer = tape->observer[k].call(tape->observer[k].to, line,
                                            name, M, index);
        M = M == NULL ? NULL : answer;
    }
    return M;
}

Mat see(Mat M, const char *line, const char *name)
{
    return call_observers(M->tape, line, name, M, 0);
}

void see_index(Tape *tape, const char *line, const char *name, int index)
{
    call_observers(tape, line, name, NULL, index);
}

void see_list(Tape *tape, const char *line, const char *name, Tokens list)
{
    for (int k = 1; k <= list.length; k++)
        see_index(tape, line, name, list.id[k - 1]);
}

Settings *settings(Tape *tape)
{
    return &tape->settings;
}

void run_as_printed(Tape *tape)
{
    tape->observers = 0;
    tape->settings = (Settings){ .epsilon = 0 };
}

void see_theta(Tape *tape, const char *line, const Theta *theta)
{
    for (int k = 1; k <= theta->n; k++)
        call_observers(tape, line, theta->parameter[k].name,
                       *theta->parameter[k].place, k);
}

void tape_allow_nonfinite(Tape *tape, void (*on_nonfinite)(void *to),
                          void *to)
{
    tape->allows_nonfinite = true;
    tape->on_nonfinite = on_nonfinite;
    tape->on_nonfinite_to = to;
}

bool is_nonfinite_allowed(const Tape *tape)
{
    if (tape->on_nonfinite != NULL)
        tape->on_nonfinite(tape->on_nonfinite_to);
    return tape->allows_nonfinite;
}

static real *find_place(Mat M)
{
    struct Matrix **spare = &M->tape->spare;
    while (*spare != NULL && entries(*spare) != entries(M))
        spare = &(*spare)->spare;
    if (*spare == NULL)
        return arena_alloc(M->tape->arena, entries(M) * sizeof(real));
    real *place = (*spare)->grad_place;
    *spare = (*spare)->spare;
    return place;
}

/* Gives M a gradient, on the way back from Y or, for the loss, from NULL. */
static void begin_gradient(Mat M, Mat Y)
{
    const bool over = Y != NULL && Y->operation->in_place != OWN_PLACE;
    struct Matrix *own = (struct Matrix *)M;    /* the tape's, not const */
    if (M->tape == NULL && M->grad_place != NULL)
        own->grad = NULL;                       /* deferred */
    if (M->operation == NULL || M->grad != NULL)
        return;
    if (!M->tape->replays)
        own->grad_place = over ? Y->grad : find_place(M);
    own->grad = M->grad_place;
    if (!over)
        clear_gradient(M);
}

/* The first operand of Y whose gradient is deferred; NULL: there is none. */
static Mat first_deferred(Mat Y)
{
    for (int k = 0; k < Y->n; k++)
        if (Y->of[k]->tape == NULL && Y->of[k]->grad_place != NULL)
            return Y->of[k];
    return NULL;
}

static void go_back(struct Matrix *Y)
{
    for (int k = 0; k < Y->n; k++)
        begin_gradient(Y->of[k], Y);
    Y->operation->back(Y);
    if (!Y->tape->replays && first_deferred(Y) == NULL
        && Y->of[0]->grad != Y->grad) {
        Y->spare = Y->tape->spare;
        Y->tape->spare = Y;
    }
    Y->grad = NULL;
}

void backward_(Where where, Mat loss)
{
    if (loss->rows != 1 || loss->cols != 1)
        refuse(where, "the loss is %d x %d; it must be 1 x 1.",
               loss->rows, loss->cols);
    if (loss->tape == NULL || !loss->tape->gradients)
        refuse(where, "the loss is not on a tape that wants gradients.");
    for (Mat Y = loss->tape->last; Y != NULL; Y = Y->previous)
        clear_gradient(Y);
    loss->tape->has_walked = true;
    begin_gradient(loss, NULL);
    loss->grad[0] = 1;
    for (struct Matrix *Y = loss->tape->last; Y != NULL; Y = Y->previous)
        if (Y->operation != NULL && Y->grad != NULL)
            go_back(Y);
}

void tape_replay(Tape *tape)
{
    REQUIRE(tape->has_walked, "backward was not called before.");
    tape->replays = true;
    for (struct Matrix *Y = tape->first; Y != NULL; Y = Y->next)
        if (Y->operation != NULL)
            Y->operation->forward(Y);
}

static void add_deferred(const struct Matrix *Y)
{
    struct Matrix copy = *Y;
    copy.grad = Y->grad_place;
    for (int k = 0; k < Y->n; k++)
        if (Y->of[k]->tape == NULL && Y->of[k]->grad_place != NULL)
            ((struct Matrix *)Y->of[k])->grad = Y->of[k]->grad_place;
    Y->operation->back(&copy);
}

void reduce_gradient(Tape *tape, Mat M)
{
    for (struct Matrix *Y = tape->last; Y != NULL; Y = Y->previous) {
        Mat first = Y->grad_place == NULL ? NULL : first_deferred(Y);
        if (first != NULL && first->grad_place == M->grad)
            add_deferred(Y);
    }
}

void clear_gradient(Mat M)
{
    if (M->grad != NULL)
        memset(M->grad, 0, entries(M) * sizeof(real));
}

