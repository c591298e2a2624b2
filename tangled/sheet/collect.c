/* The observer of a run: it makes a step of each value of the listing, with
   what the sheet gives for it, what is derived beside it, and what a
   variation makes of it.

   Main types: Seen, Step. Entry point: collect_step. */
#include "sheet/collect.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the sheet does not give is NaN, and so is what follows from it. */
static bool is_unknown(Mat M)
{
    for (int k = 0; k < M->rows * M->cols; k++)
        if (isnan(M->at[k]))
            return true;
    return false;
}

/* Refuses an entry of M, the value of a step in the paper's layout, that is
   not finite, but for a hidden score; and a token whose scores are all
   hidden: only a variation can do that. */
static void check_entries(const Job *job, const Step *step, Mat M)
{
    bool hides = step->role == ROLE_MASKED || step->role == ROLE_SCALED
              || (step->role == NO_ROLE && step->algorithm == 4
                  && step->line >= 5);      /* by a student's own name */
    const Item *mask = find_item(job, "mask", 0);
    const real *x = M->at;
    real differences = 0;               /* x - x is NaN if x is infinite */
    for (int k = 0; k < M->rows * M->cols; k++)
        differences += x[k] - x[k];
    for (int j = 1; j <= M->cols && differences != 0; j++) {
        bool sees = false;
        for (int i = 1; i <= M->rows; i++, x++)
            if (isfinite(*x))
                sees = true;
            else if (!hides || *x != -INFINITY)
                fail_in_text(job->f, job->start->at,
                             "in line %d of Algorithm %d entry [%d, %d] of "
                             "%s becomes too large for the computer; the "
                             "numbers of the sheet must be smaller.",
                             step->line, step->algorithm,
                             step->transposed ? j : i,
                             step->transposed ? i : j, step->name);
        if (step->role == ROLE_SCALED && !sees)
            fail_in_text(job->f, (mask == NULL ? job->start : mask)->at,
                         "the mask lets token %d look at nothing.", j);
    }
}

Mat copy_matrix(Job *job, Mat M, bool turn)
{
    Mat copy = constant(job->arena, turn ? M->cols : M->rows,
                        turn ? M->rows : M->cols);
    const real *x = M->at;
    for (int j = 0; j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            copy->at[turn ? i * M->cols + j : j * M->rows + i] = *x++;
    return copy;
}

/* The root of a variance must be larger than what rounding the mean m may
   leave of it. */
static void check_root(const Job *job, const Step *step)
{
    const bool single = sizeof(real) == sizeof(float),
               seen = job->run.n > 0 && step[-1].role == ROLE_MEAN;
    for (int t = 0; t < step->M->rows * step->M->cols; t++) {
        double v = step->M->at[t], m = seen ? step[-1].M->at[t] : 0,
               least = fmax((single ? 1e-6 : 1e-14) * fabs(m),
                            sqrt(single ? FLT_MIN : DBL_MIN));
        if ((real)sqrt(v + job->epsilon) > least)
            continue;
        char name[60];
        step_name(name, sizeof name, step);
        fail_in_text(job->f, job->start->at,
                     "%s: token %d has variance %g, and line 3 of Algorithm "
                     "6 divides by its root; an epsilon, such as 'epsilon "
                     "1e-5', prevents a division by 0.", name, t + 1,
                     v < 0 ? v : 0.0);
    }
}

static int time_of(const Job *job, Step *step)
{
    for (int k = job->run.n; step->head == 0 && k-- > 0; ) {
        const Step *before = &job->now.step[k];
        step->time = before->time;
        if (same_place(before, step))
            return before->time + 1;
        if (before->layer != step->layer || before->turn != step->turn)
            break;
    }
    return 1;
}

/* What is computed has a row in the table, and its name from there. */
static void set_row(Step *step)
{
    static const StepRow nobodys = { .name = "", .symbol = "?",
                                     .columns = "?" };
    step->row = row_named(step->algorithm, step->line, step->name);
    if (step->row == NULL)              /* a student's own name */
        step->row = &nobodys;
    else
        step->name = step->row->name;
    step->role = step->row->role;
}

/* Adds a step that is M. */
static void add_step(Job *job, Step *step, Mat M)
{
    bool own = step->algorithm == job->run.algorithm;
    step->inner |= has_model(job->run.algorithm) && !own;
    step->turn = job->loop.turn;
    step->loop = infers(job->run.algorithm) ? 'i' : 'n';
    step->time = time_of(job, step);
    check_entries(job, step, M);
    step->M = copy_matrix(job, M, step->transposed);
    if (job->run.n == job->now.most) {
        size_t old = (size_t)job->now.most * sizeof *step;
        Step *more = arena_alloc(job->arena, 2 * old);
        job->now.step = memcpy(more, job->now.step, old);
        job->now.most *= 2;
    }
    job->now.step[job->run.n] = *step;
    job->run.step = job->now.step;
    if (step->role == ROLE_VARIANCE)
        check_root(job, &job->now.step[job->run.n]);
    job->run.n++;
    if (step->aspect == VALUE && !step->given)
        job->now.last = step->row;
    job->now.entries += (double)step->M->rows * step->M->cols;
    limit_entries(job, job->now.entries);
}

/* What the scores are divided by; NaN: nothing tells it. In a model without
   W_q there are no scores but 0. */
static double scaling(const Job *job)
{
    return !job->run.scaled ? 1 : job->run.divisor > 0 ? job->run.divisor
         : job->late && argument_of(job, "d_attn") != NULL
           && letter_size(&job->size, "d_attn") == 0
             ? NAN : sqrt(size_or_1(job, "d_attn"));
}

/* M, or what it is where the sheet wants another divisor of the scores. */
static Mat as_set(const Job *job, const Step *step, Mat M)
{
    bool weights = step->algorithm == 3 && step->role == ROLE_WEIGHTS;
    if (job->now.S == NULL || (step->role != ROLE_SCALED && !weights))
        return M;
    double divisor = scaling(job);
    if (job->run.scaled && job->run.divisor == 0 && !isnan(divisor))
        return M;
    Mat S = scale(job->now.S, 1 / divisor);
    return weights ? softmax(S) : S;
}

void pass_line(Place *at, const char *line, int index)
{
    int a = atoi(line), next = atoi(strchr(line, '.') + 1) + 1;
    if (a == 5 && next == 2)
        at->head = index;
    if (algorithm_table[a].kind != MODEL)
        return;
    at->part = part_of_line(a, next);
    at->layer = at->part == NOWHERE ? 0 : index > 0 ? index : at->layer;
}

Step step_seen(const Place *at, const char *line, const char *name)
{
    bool of_head = strcmp(name, "Y_h") == 0;
    Step step = { .name = of_head ? "Y" : name, .part = at->part,
                  .layer = at->layer };
    step.algorithm = atoi(line);
    step.line = atoi(strchr(line, '.') + 1);
    set_row(&step);
    if (step.algorithm == 4 || of_head)
        step.head = at->head;
    return step;
}

static void see_step(Job *job, const Step *step, bool known,
                     Given *given, Mat M)
{
    Seen *seen = arena_alloc(job->arena, sizeof *seen);
    *seen = (Seen){ *step, known, given, M, job->now.seen };
    job->now.seen = seen;
}

void add_integers(Job *job, Step step, int n, const int *number, bool known)
{
    Mat M = constant(job->arena, 1, n);
    for (int k = 1; k <= n; k++)
        AT(M, 1, k) = (real)number[k - 1];
    step.part = NOWHERE;
    step.layer = 0;
    set_row(&step);
    if (known)
        add_step(job, &step, M);
    see_step(job, &step, known, NULL, M);
}

/* Adds the tokens or places that Algorithm 12 has shown one by one. */
static void add_noted(Job *job)
{
    bool tokens = strcmp(job->loop.row_line, "12.5") == 0;
    Step step = { .name = tokens ? "x_tilde" : "T_tilde", .algorithm = 12,
                  .line = tokens ? 5 : 7 };
    add_integers(job, step, job->loop.in_row, job->loop.row,
                 is_any_given(job, "x") && is_any_given(job, "u")
                 && is_any_given(job, "p_mask"));
    job->loop.in_row = 0;
}

static void note_index(Job *job, const char *line, int index)
{
    bool noted = strcmp(line, "12.5") == 0 || strcmp(line, "12.7") == 0;
    if (job->loop.in_row > 0 && strcmp(line, job->loop.row_line) != 0
        && strcmp(line, "12.4") != 0)
        add_noted(job);
    if (noted) {
        job->loop.row[job->loop.in_row++] = index;
        job->loop.row_line = line;
    }
    if (word_in("11.1 12.1 13.1", line, strlen(line)))
        job->loop.epoch = index;
    if (strcmp(line, "14.2") == 0)
        job->loop.turn = index;
    else if (strcmp(line + 2, ".2") == 0
             && job->loop.data.N_data * job->loop.N_epochs > 1)
        job->loop.turn = (job->loop.epoch - 1) * job->loop.data.N_data
                       + index;
    if (strcmp(line, "15.6") == 0)
        job->loop.turn++;       /* Algorithm 15 does not count its turns */
}

static void descend_along(const Job *job, Mat M, Mat gradient)
{
    double eta = number_given(job, "eta", 1);
    struct Matrix old = *M;
    old.at = M->grad;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(M, i, j) += (real)eta
                         * (AT(&old, i, j) - AT(gradient, i, j));
}

static Mat add_aspect(Job *job, Step *step, Aspect aspect, Mat M)
{
    step->aspect = aspect;
    step->turn = job->loop.turn;
    M = vary(job, IS_COMPUTED, step, M);
    add_step(job, step, M);
    return vary(job, IS_CARRIED, step, M);
}

static void add_parameter(Job *job, const Step *seen, Mat M, int number)
{
    struct Matrix gradient = *M;
    gradient.at = M->grad;
    const Given *g = job->given;
    while (g->to != job->running->parameter[number].place)
        g++;
    Step step = g->place;
    step.algorithm = seen->algorithm;
    step.line = seen->line;
    step.inner = g->item == NULL;
    step.transposed = is_transposed(g->shape->kind, job->run.layout);
    if (job->loop.in_row > 0)
        add_noted(job);
    Mat other = add_aspect(job, &step, GRADIENT, &gradient);
    if (other != &gradient)
        descend_along(job, M, other);
    copy_into(M, add_aspect(job, &step, NEW, M));
}

/* What the sheet gives for a step; NULL: nothing. */
static Given *step_given(const Job *job, const Step *step)
{
    for (Given *g = job->given; job->late && g->item != NULL; g++)
        if (g->place.row != NULL
            && g->place.row == step->row
            && g->place.aspect == VALUE && g->place.part == step->part
            && g->place.layer == step->layer && g->place.head == step->head
            && (step->turn == 0 || g->place.turn == step->turn)
            && step->time <= 1)
            return g;
    return NULL;
}

/* What flows through a model into a component: its X, Z or e. */
static bool flows(const Job *job, const Step *step, const char *name)
{
    return has_model(job->run.algorithm) && !has_model(step->algorithm)
        && step->algorithm != 5 && strlen(name) == 1
        && strchr("XZe", *name) != NULL;
}

/* The latest step that the name stands for in a step; NULL: none. */
static const Seen *find_source(const Job *job, const Step *step,
                          const char *name)
{
    bool flow = flows(job, step, name);
    bool context = flow && step->part == ED && *name == 'Z';
    for (const Seen *s = job->now.seen; s != NULL; s = s->before) {
        const StepRow *row = s->step.row;
        if (flow ? has_model(row->algorithm) && !row->derived
                   && (!context || *row->name == 'Z')
                 : strcmp(row->name, name) == 0
                   && (row->algorithm != 4 || step->algorithm != 4
                       || (s->step.head == step->head
                           && s->step.layer == step->layer
                           && s->step.part == step->part)))
            return s;
    }
    return NULL;
}

/* A norm is not run where its result is given; nor, behind the last layer,
   where nothing reads it off. */
static bool is_idle(const Job *job, const Step *step)
{
    const Seen *from = find_source(job, step, "e");
    bool begins = step->role == ROLE_MEAN || step->role == ROLE_VARIANCE;
    if (!has_model(job->run.algorithm) || !begins || from == NULL
        || !has_model(from->step.algorithm))
        return false;
    Step norm = *step;
    norm.row = from->step.row + 1;
    norm.time = 1;
    return step_given(job, &norm) != NULL
        || (step->part == NOWHERE && !job->run.tied
            && !is_any_given(job, "gamma beta W_u"));
}

Mat number_constant(const Job *job, double x)
{
    Mat M = constant(job->arena, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

static Given *find_beside(const Job *job, const Step *step, const char *name)
{
    for (Given *g = job->given; g < job->given + job->givens; g++)
        if (g->M != NULL && g->place.row == NULL
            && strcmp(g->place.name, name) == 0
            && (g->place.head == 0 || g->place.head == step->head)
            && (g->place.part == NOWHERE
                || (g->place.part == step->part
                    && g->place.layer == step->layer)))
            return g;
    return NULL;
}

Mat given_beside(const Job *job, const Step *step, const char *name)
{
    const Given *g = find_beside(job, step, name);
    return g == NULL ? NULL : g->M;
}

/* Notes that the line of a row reads an argument of that name, of which g is
   bound or NULL: where the sheet has none, what stands in for it, of all
   layers and heads at once. */
static void note_argument(Job *job, const char *argument, Given *g,
                          const StepRow *row)
{
    const Argument *a = argument_of(job, argument);
    bool is_given = g != NULL ? g->item != NULL
                              : find_item(job, argument, 0) != NULL;
    Step place = { .name = argument };
    char name[60];
    if (g != NULL && g->user == NULL)
        g->user = row;
    if (g != NULL && is_any_given(job, argument))
        place = g->place;
    step_name(name, sizeof name, &place);
    if (a != NULL && !is_given && (a->instead != NULL || job->identity))
        note_assumption(job, name, job->identity && a->kind == WEIGHT
                                   ? "I" : a->instead);
}

/* Notes of what M is computed, back to the steps before: a step or a matrix
   that is given is used by the line of the row. */
static void note_operands(Job *job, const StepRow *row, Mat M)
{
    for (const Seen *s = job->now.seen; s != NULL; s = s->before)
        if (s->M == M) {
            if (s->given != NULL)
                s->given->user = row;
            return;
        }
    for (Given *g = job->given; g < job->given + job->givens; g++)
        if (g->M != NULL && g->M->at == M->at) {
            note_argument(job, g->place.name, g, row);
            return;
        }
    for (int k = 0; k < 2 * M->n; k++)      /* the computed ones first */
        if ((M->of[k % M->n]->n == 0) == (k >= M->n))
            note_operands(job, row, M->of[k % M->n]);
}

/* Notes all that a step reads, of which M is computed. */
static void note_sources(Job *job, const Step *step, Mat M)
{
    const char *name = step->row->reads;
    if (job->variation != NULL && job->backwards == NULL)
        return;
    if (name != NULL)
        note_argument(job, name, find_beside(job, step, name), step->row);
    note_operands(job, step->row, M);
}

Mat latest_value(const Job *job, Role role)
{
    const Seen *s = job->now.seen;
    while (s != NULL && s->step.turn == job->loop.turn
           && (s->step.role != role || !s->known || s->M == NULL))
        s = s->before;
    return s != NULL && s->step.turn == job->loop.turn ? s->M : NULL;
}

Mat latest_flow(const Job *job, bool context)
{
    const Seen *s = job->now.seen;
    while (s != NULL && (!s->known || s->M == NULL
                         || !has_model(s->step.algorithm)
                         || (strcmp(s->step.name, "Z") != 0
                             && (context || strcmp(s->step.name, "X") != 0))))
        s = s->before;
    return s == NULL ? NULL : s->M;
}

Mat value_given(const Job *job, const Step *step, const char *name)
{
    Mat beside = given_beside(job, step, name);
    if (beside != NULL)
        return beside;
    const struct { const char *name; double x; } numbers[] = {
        { "epsilon", job->epsilon }, { "tau", job->tau },
        { "top_k", number_given(job, "top_k", 0) },
        { "top_p", number_given(job, "top_p", 0) },
        { "scaling", scaling(job) }, { "beta", 0 },
        { "shift", job->run.shifted } };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (strcmp(name, numbers[k].name) == 0)
            return number_constant(job, numbers[k].x);
    if (strcmp(name, "sinusoids") == 0)
        return job->positions;
    bool counts = strcmp(name, "positions") == 0;
    if (counts)                 /* those of the tokens of the sequence */
        name = strcmp(step->row->wide, "ell_z") == 0 ? "z" : "x";
    const Item *item = find_item(job, name, 0);
    if (item == NULL && counts)
        return number_constant(job, 1);
    if (item == NULL)
        return letter_size(&job->size, name) == 0 ? NULL
             : number_constant(job, letter_size(&job->size, name));
    int n = item->rows * item->cols;
    const Seen *p = find_source(job, step, "p");
    if (strcmp(name, "target") == 0 && p != NULL && p->M->cols != n)
        return NULL;            /* each token has one target */
    Mat list = constant(job->arena, 1, n);
    for (int k = 0; k < n && item->word == NULL; k++)
        AT(list, 1, k + 1) = counts ? (real)(k + 1)
                                    : (real)item->entry[k].value;
    return list;
}

static Mat entered_matrix(Job *job, const Step *step, const Given *g,
                          Mat M)
{
    const Item *item = g->item;
    Mat given = g->M;
    Mat copy = input(job->tape, given->rows, given->cols);
    if (M != NULL && (given->rows != M->rows || given->cols != M->cols))
        fail_in_text(job->f, item->at,
                     "%s has another shape than here: %d x %d.",
                     item->typed, job->run.layout->rows ? M->cols : M->rows,
                     job->run.layout->rows ? M->rows : M->cols);
    copy_into(copy, given);
    copy = vary(job, IS_GIVEN, step, copy);
    bool hides = step->role == ROLE_SCALED && step->algorithm == 4
              && find_item(job, "mask", 0) != NULL;
    return hides ? masked(copy, job->mask) : copy;
}

/* Where gradients are wanted, each known step stands behind a node of the
   tape that passes its gradient on, and tells it. */
typedef struct {
    struct Matrix key;          /* by which the node finds this           */
    Job *job;
    Step step;
} Watcher;

/* A loss that is read from the logits goes past p. */
static void pass_gradient(Mat Y)
{
    const Watcher *w = (const Watcher *)Y->of[1];
    int n = Y->rows * Y->cols;
    bool passed = w->step.role == ROLE_PROBABILITIES;
    for (int k = 0; k < n; k++)
        passed &= Y->grad[k] == 0;
    if (passed)
        return;
    struct Matrix view = *Y;
    Step step = w->step;
    view.at = Y->grad;
    step.role = NO_ROLE;        /* no slip of the way forth */
    step.given = false;
    Mat G = add_aspect(w->job, &step, GRADIENT, &view);
    for (int k = 0; Y->of[0]->grad != NULL && k < n; k++)
        Y->of[0]->grad[k] += G->at[k];
}

static const Operation watching = { "watched", NULL, pass_gradient };

static Mat behind_watcher(Job *job, const Step *step, Mat M)
{
    if (job->backwards == NULL)
        return M;
    Watcher *w = arena_alloc(job->arena, sizeof *w);
    *w = (Watcher){ .key = { .rows = 1, .cols = 1 }, .job = job,
                  .step = *step };
    const Mat of[] = { M, &w->key };
    struct Matrix *Y = node_on(HERE("watched"), job->tape, M->rows,
                               M->cols, &watching, 2, of);
    copy_into(Y, M);
    if (M->logits != NULL) {    /* its numbers are those of M */
        Y->logits = M->logits;
        Y->at = M->at;
    }
    return Y;
}

static Mat derived(Job *job, const Step *step, Mat M);

static Mat record_step(Job *job, Step *step, Mat M)
{
    add_step(job, step, M);
    Mat Y = behind_watcher(job, step, M), Z = vary(job, IS_CARRIED, step, Y);
    job->now.rederive |= step->row->derived && Z != Y;
    if (step->row == job->backwards)
        job->now.end = Z;
    return Z;
}

/* Its formula, though all is known, makes nothing. */
_Noreturn static void refuse_formula(const Job *job, const StepRow *row)
{
    const Item *target = find_item(job, "target", 0),
               *top = find_item(job, "top_k", 0);
    top = top == NULL ? find_item(job, "top_p", 0) : top;
    if (row->role == ROLE_LOSS)
        fail_in_text(job->f, target->at, "each token needs one target, in 1 "
                     "... %d (PyTorch's target 0 is 1 here), with a p above "
                     "0.", letter_size(&job->size, "N_V"));
    fail_in_text(job->f, row->role == ROLE_KEPT ? top->at : job->start->at,
                 row->role == ROLE_KEPT
                 ? "top_k and top_p keep tokens for one column of logits, "
                   "and here are several."
                 : "%s becomes too large for the computer; the numbers of "
                   "the sheet must be smaller.", row->name);
}

/* Weights that follow from the e^x, as they were carried on in a variation,
   have the derivative of a softmax by its own numbers. */
static bool keeps_softmax(const Job *job, const Step *step, Mat M)
{
    const Seen *powers = find_source(job, step, "exp");
    return job->variation != NULL && M != NULL && M->logits != NULL
        && powers != NULL && powers->known && powers->given == NULL;
}

/* What becomes of a step: it is given, or what the line computed, M, or, if
   that is NULL, what its formula makes; NULL: it is not asked for. */
static Mat resolve_step(Job *job, Step *step, Mat M)
{
    const StepRow *row = step->row;
    Given *given = step_given(job, step);
    bool derives = M == NULL || (job->now.rederive && row->formula != NULL);
    if (M == NULL && given == NULL && !job->wanted[row - step_table])
        return NULL;
    Mat value = given != NULL ? entered_matrix(job, step, given, M)
              : derives ? derived(job, step, M) : M;
    bool known = value != NULL
              && !(job->late && (is_unknown(value)
                                 || (given == NULL && is_idle(job, step))));
    if (value == NULL && !job->now.misses)
        refuse_formula(job, row);
    if (!known) {
        value = M == NULL ? NULL : scale(M, NAN);
        see_step(job, step, false, given, value);
        return value;
    }
    if (derives && given == NULL && value != M
        && keeps_softmax(job, step, M)) {
        copy_into(M, value);
        value = M;
    }
    step->given = given != NULL;
    if (given == NULL)
        note_sources(job, step, value);
    Mat other = given != NULL ? value : vary(job, IS_COMPUTED, step, value);
    if (M != NULL)
        job->now.rederive &= row->formula == NULL;
    else
        job->now.rederive |= other != value || given != NULL;
    other = record_step(job, step, other);
    see_step(job, step, true, given, other);
    return other;
}

static Mat value_of_name(void *to, const char *name, int length)
{
    Job *job = to;
    const Step *step = job->now.deriving;
    char plain[20];
    snprintf(plain, sizeof plain, "%.*s", length, name);
    const Seen *s = find_source(job, step, plain);
    if (strcmp(plain, "read") == 0) {   /* by the loss */
        s = find_source(job, step, "q");
        s = s != NULL && s->M != NULL ? s : find_source(job, step, "p");
    }
    const StepRow *row = row_named(step->algorithm, step->line, plain);
    if (s != NULL && s->M != NULL) {
        job->now.misses |= job->late && is_unknown(s->M);
        return s->M;
    }
    if (row != NULL && row->derived) {
        Step inner = *step;
        inner.row = row;
        return derived(job, &inner, NULL);
    }
    Mat M = value_given(job, step, plain);
    bool missing = M == NULL ? find_item(job, plain, 0) == NULL
                             : is_unknown(M);
    job->now.misses |= job->late && missing;
    return M;
}

/* What a formula makes of a step; M where none can be made. */
static Mat derived(Job *job, const Step *step, Mat M)
{
    const Step *outer = job->now.deriving;
    Scope scope = { job, value_of_name, job->tape };
    job->now.deriving = step;
    job->now.misses &= outer != NULL;
    Mat other = formula_evaluate(&scope, step->row->formula);
    job->now.deriving = outer;
    return other == NULL ? M : other;
}

/* Whether the mask of this attention hides any of the scores S. */
static bool is_any_masked(const Job *job, const Step *step, Mat S)
{
    int a = job->run.algorithm;
    bool causal = step->part == DEC || (step->part == LAYER
                  && algorithm_table[a].architecture == D_TRANSFORMER);
    Mask mask = !has_model(a) ? job->mask
              : causal ? unidirectional : bidirectional;
    for (int k = 0; k < S->rows * S->cols; k++)
        if (!mask.look(k % S->rows + 1, k / S->rows + 1, mask.data))
            return true;
    return false;
}

static void derive(Job *job, const Step *before, const StepRow *row)
{
    if (row->role == ROLE_SCALED && row->algorithm == 4
        && !is_any_masked(job, before, job->now.S))
        return;
    Step step = *before;
    step.row = row;
    step.name = row->name;
    step.role = row->role;
    Mat M = resolve_step(job, &step, NULL);
    if (step.role == ROLE_KEPT)
        job->loop.kept = M;
}

static bool in_line(const StepRow *row, const StepRow *other)
{
    return row >= step_table && row < step_table + step_rows
        && row->algorithm == other->algorithm && row->line == other->line;
}

/* Derives what stands in the line of a step before it, or behind it, unless
   that leads to another step. */
static void derive_beside(Job *job, const Step *step, bool behind)
{
    const StepRow *row = step->row, *first = row, *last = row;
    while (in_line(first - 1, row) && first[-1].derived)
        first--;
    while (in_line(last + 1, row) && last[1].derived)
        last++;
    if (!job->derives || (behind && in_line(last + 1, row)))
        return;
    for (const StepRow *r = behind ? row + 1 : first;
         r <= last && (behind || r < row); r++)
        derive(job, step, r);
}

static void collect_parameter_gradients(Job *job)
{
    for (const Given *g = job->given; g < job->given + job->givens; g++) {
        if (g->item == NULL || g->user == NULL || g->place.row != NULL
            || g->shape->kind == MASK)
            continue;
        Step step = { .algorithm = g->user->algorithm,
                      .line = g->user->line, .name = g->place.name,
                      .head = g->place.head, .aspect = GRADIENT,
                      .transposed = is_transposed(g->shape->kind,
                                                  job->run.layout) };
        struct Matrix view = *g->M;
        view.at = g->M->grad;
        add_aspect(job, &step, GRADIENT, &view);
    }
}

void collect_gradients(Job *job)
{
    const Given *g = job->given;
    while (g->item != NULL && g->place.aspect != GRADIENT)
        g++;
    if (job->now.end == NULL)
        fail_in_text(job->f, job->start->at,
                     "there is no way back from %s: it is "
                     "not computed.", job->backwards->name);
    backward(g->item == NULL ? job->now.end
             : sum(hadamard(job->now.end, g->M)));
    collect_parameter_gradients(job);
}

/* Returns whether a token can be drawn from q: it is known, and not all 0. */
static bool can_draw(Mat q)
{
    for (int i = 1; i <= q->rows; i++)
        if (AT(q, i, 1) > 0)
            return true;
    return false;
}

static Mat draw_next_token(Job *job, Mat q)
{
    const NumberList *list = &job->loop.chances;
    Step step = { .algorithm = job->run.algorithm, .name = "y",
                  .line = job->run.algorithm == 14 ? 5 : 6,
                  .turn = job->loop.turn, .time = 1,
                  .transposed = job->run.layout->rows };
    if (q->cols != 1 || list->used == list->n)
        return q;
    double u = list->u[list->used];
    set_row(&step);
    derive_beside(job, &step, false);
    Mat from = job->loop.kept == NULL ? q : job->loop.kept;
    bool known = can_draw(from),
         drawn = known && (job->tau == 0 || !job->late
                           || find_item(job, "u", 0) != NULL);
    if (drawn)
        note_sources(job, &step, from);
    job->now.rederive = false;              /* the next turn computes anew */
    Mat Y = input(job->tape, 1, 1), other = input(job->tape, q->rows, 1);
    AT(Y, 1, 1) = known ? (real)sample(from, u) : 1;
    Y = vary(job, IS_COMPUTED, &step, Y);
    int y = (int)AT(Y, 1, 1);
    add_integers(job, step, 1, &y, drawn);
    step.M = Y;
    y = (int)AT(vary(job, IS_CARRIED, &step, Y), 1, 1);
    bool same = known && can_draw(q) && y == sample(q, u);
    if (y < 1 || y > q->rows || same)
        return q;
    AT(other, y, 1) = 1;
    return other;
}

Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index)
{
    Job *job = to;
    if (M == NULL) {
        pass_line(&job->now.at, line, index);
        note_index(job, line, index);
        return NULL;
    }
    Step step = step_seen(&job->now.at, line, name);
    if (step.role == NO_ROLE
        && word_in("11.6 12.10 13.6", line, strlen(line))) {
        add_parameter(job, &step, M, index);
        return M;
    }
    step.turn = job->loop.turn;
    step.transposed = job->run.layout->rows;
    step.time = time_of(job, &step);
    derive_beside(job, &step, false);
    const Seen *p = step.role == ROLE_TEMPERED
                  ? find_source(job, &step, "p") : NULL;
    if (job->late && p != NULL && !p->known)    /* tau = 0 asks for no p, */
        M = scale(M, NAN);
    if (p != NULL && p->given != NULL)          /* but has it read        */
        p->given->user = step.row;
    M = resolve_step(job, &step, as_set(job, &step, M));
    pass_line(&job->now.at, line, 0);
    if (step.role == ROLE_MASKED || step.role == ROLE_SCORES)
        job->now.S = M;
    derive_beside(job, &step, true);
    return step.role == ROLE_TEMPERED && infers(job->run.algorithm)
         ? draw_next_token(job, M) : M;
}
