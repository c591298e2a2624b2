/* What the tests of training share: a follower, steps against differences, and
   what is seen of them. */
#ifndef LEARN_H
#define LEARN_H
#include "models.h"

/* The paper: plain gradient descent. */
#define PLAIN(epochs, rate) \
    ((Training){ .N_epochs = epochs, .eta = rate })

/* A list of sequences, or of classes: [1], [2], ... */
#define LIST(...) ((Tokens[]){ { 0, NULL }, __VA_ARGS__ })
#define CLASSES(...) ((int[]){ 0, __VA_ARGS__ })

/* Sequence n of data alone. */
static inline Data only(Data data, int n)
{
    return (Data){ 1, data.z == NULL ? NULL : data.z + n - 1,
                   data.x + n - 1, data.c == NULL ? NULL : data.c + n - 1 };
}

/* All numbers of theta behind each other: a copy. */
static inline real *numbers(const Theta *theta)
{
    size_t n = 0, bytes = (size_t)theta_count(theta) * sizeof(real);
    real *all = arena_alloc(arena, bytes);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        memcpy(all + n, M->at, entries_in(M) * sizeof(real));
        n += entries_in(M);
    }
    return all;
}

static inline void restore(const Theta *theta, const real *all)
{
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        memcpy(M->at, all, entries_in(M) * sizeof(real));
        all += entries_in(M);
    }
}

#define assert_same_numbers(theta, all) \
    assert_that(memcmp(numbers(theta), all, \
                (size_t)theta_count(theta) * sizeof(real)) == 0)
#define assert_other_numbers(theta, all) \
    assert_that(memcmp(numbers(theta), all, \
                (size_t)theta_count(theta) * sizeof(real)) != 0)

/* What trains: a trainer with this loss, or Algorithm 11, 12 or 13 itself. */
typedef struct { Loss *loss; int printed; } Algorithm;
static const Algorithm by_loss_11 = { loss_11, 0 }, by_loss_12 = { loss_12, 0 },
    by_loss_13 = { loss_13, 0 }, by_loss_class = { loss_class, 0 },
    by_algorithm_11 = { NULL, 11 }, by_algorithm_12 = { NULL, 12 },
    by_algorithm_13 = { NULL, 13 };

/* By Algorithms 11, 12 and 13 themselves, with the random numbers that a
   trainer would take. The diary is what an observer sees. */
typedef struct {
    Diary diary;
    Training how;
    Progress now;
    Random random;
} Printed;

static inline double number_of_step(void *to)
{
    Printed *printed = to;
    return uniform(&printed->random);
}

static inline Mat keep_line(void *to, const char *line, const char *name,
                            Mat M, int index)
{
    Printed *p = to;
    int algorithm, number, ours = sscanf(line, "%d.%d", &algorithm, &number);
    if (ours < 2 || algorithm < 11)
        return M;
    if (number == 1)
        p->now.epoch = index;
    if (number == 2) {
        p->now = (Progress){ p->now.step + 1, p->now.epoch, index, 0, 0,
                             p->how.eta };
        Random random = random_branch(random_new(p->how.seed),
                                      (uint64_t)p->now.epoch);
        p->random = random_branch(random, (uint64_t)index);
    }
    if (number == 3 && algorithm != 12)
        p->now.tokens = index - 1;
    p->now.tokens += algorithm == 12 && number == 7;
    if (strcmp(name, "loss") == 0)
        p->now.loss = AT(M, 1, 1);
    if (strcmp(name, "W_e") == 0)               /* the first of theta */
        keep(&p->diary, &p->now);
    return M;
}

static inline Diary as_it_is_printed(int algorithm, Theta *theta, Training how,
                                     Data data)
{
    Printed printed = { .how = how };
    Random random = { .next = number_of_step, .from = &printed };
    Tape *on = tape_new(true);
    prepare_tape(arena, on, theta);
    observe(on, keep_line, &printed);
    const Theta *learned
        = algorithm == 11 ? edtraining(on, data.N_data, data.z, data.x, theta,
                                       how.N_epochs, how.eta)
        : algorithm == 12 ? etraining(on, data.N_data, data.x, theta,
                                      how.N_epochs, how.eta, how.p_mask,
                                      &random)
        : dtraining(on, data.N_data, data.x, theta, how.N_epochs, how.eta);
    assert_that(learned == theta);
    tape_free(on);
    return printed.diary;
}

/* Trains theta, and says what the steps were. */
static inline Diary trained(Algorithm by, Theta *theta, Training how, Data data)
{
    return by.printed == 0 ? led(by.loss, theta, how, data)
                           : as_it_is_printed(by.printed, theta, how, data);
}

/* One step; theta - eta gradient is checked against differences of a loss
   that is computed from the probabilities of the forward pass. */
typedef double Reference(const Theta *theta, Data data);
typedef struct { Reference *loss; const Theta *theta; Data data; } Lesson;

static inline double loss_of_lesson(void *with)
{
    const Lesson *lesson = with;
    return lesson->loss(lesson->theta, lesson->data);
}

static inline void step_at(Where where, Algorithm by, Theta *theta,
                           Training how, Data data, Reference *loss)
{
    Lesson lesson = { loss, theta, data };
    real *before = numbers(theta);
    Diary diary = trained(by, theta, how, data);
    real *after = numbers(theta);
    restore(theta, before);
    near_at(where, diary.step[0].loss, loss(theta, data), 10 * TIGHT);
    size_t e = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t at = 0; at < entries_in(M); at++, e++) {
            double slope = difference(loss_of_lesson, &lesson, &M->at[at]);
            double moved = ((double)before[e] - (double)after[e]) / how.eta;
            if (fabs(slope - moved) > (IS_DOUBLE ? 1e-7 : 3e-2)
                                      * fmax(1, fabs(slope)))
                fail_at(where, "%s, number %zu from 0: theta moved by eta "
                        "times %.12g, but the gradient is %.12g",
                        theta->parameter[k].name, at, moved, slope);
        }
    }
}
#define assert_step(algorithm, theta, how, data, loss) \
    step_at(HERE(#algorithm), algorithm, theta, how, data, loss)

/* The steps of one line of an algorithm, such as "13.4 P". */
static inline bool is_step(const Seen *seen, int k, const char *line)
{
    return strcmp(seen->step[k].line, line) == 0;
}

/* Only what an algorithm of training names, such as 13.*, is kept. */
typedef struct {
    const char *algorithm;
    Seen seen;
    bool theta;                 /* the parameters too */
} Lessons;

static inline Mat note_lessons(void *to, const char *line, const char *name,
                               Mat M, int index)
{
    Lessons *lessons = to;
    size_t n = strlen(lessons->algorithm);
    if (M != NULL && M->tape == NULL && !lessons->theta)
        return M;
    if (strncmp(line, lessons->algorithm, n) == 0 && line[n] == '.')
        note(&lessons->seen, line, name, M, index);
    return M;
}

static inline int largest_of(Mat P, int column)
{
    int best = 1;
    for (int i = 2; i <= P->rows; i++)
        if (AT(P, i, column) > AT(P, best, column))
            best = i;
    return best;
}
#endif
