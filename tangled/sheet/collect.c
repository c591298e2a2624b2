/* The observer of a run: it makes a step of each value of the listing, with
   what the sheet gives for it, what is derived beside it, and what a
   variation makes of it.

   Main types: Seen, Step. Entry point: collect_step. */
#include "sheet/names.h"
#include "library/functions.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Refuses an entry of M, the value of a step in the paper's layout, that is
   not finite, but for a hidden score; and a token whose scores are all
   hidden, which only a mask, or a variation, can do. */
static void check_entries(const Job *job, const Step *step, Mat M)
{
    bool hides = step->role == ROLE_MASKED || step->role == ROLE_SCALED
              || (step->role == NO_ROLE && step->line >= 5 /* a student's */
                  && algorithm_table[step->algorithm].in_head);
    const real *x = M->at;
    const bool all_finite = isfinite(total(M->rows * M->cols, x));
    for (int j = 1; j <= M->cols && !all_finite; j++) {
        bool sees = step->role != ROLE_SCALED;
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
        if (!sees) {
            const Item *mask = find_item(job, "mask");
            fail_in_text(job->f, (mask == NULL ? job->start : mask)->at,
                         "the mask lets token %d look at nothing.", j);
        }
    }
}

/* The root of a variance M must be larger than what rounding the mean m may
   leave of it. */
static void check_root(const Job *job, const Step *step, Mat M)
{
    const int n = job->run.n;
    const bool single = sizeof(real) == sizeof(float),
               seen = n > 0 && job->run.step[n - 1].role == ROLE_MEAN;
    char name[60];
    for (int t = 0; t < M->cols; t++) {
        double v = M->at[t], m = seen ? job->run.step[n - 1].M->at[t] : 0,
               least = fmax((single ? 1e-6 : 1e-14) * fabs(m),
                            sqrt(single ? FLT_MIN : DBL_MIN));
        if ((real)sqrt(v + job->run.hyper.epsilon) <= least) {
            step_name(name, sizeof name, step);
            fail_in_text(job->f, job->start->at, "%s: token %d has variance "
                         "%g, and line 3 of Algorithm 6 divides by its "
                         "root; an epsilon, such as 'epsilon 1e-5', "
                         "prevents a division by 0.", name, t + 1,
                         v < 0 ? v : 0.0);
        }
    }
}

/* Which of its description a step is: 2, the second norm of a layer. */
static int time_of(const Job *job, const Step *step)
{
    const Step *first = job->run.step, *before = first + job->run.n;
    while (step->head == 0 && before > first
           && (--before)->turn == step->turn)
        if (before->row == step->row && are_namesakes(before, step))
            return before->time + 1;
    return 1;
}

/* Adds a step that is M. */
static void add_step(Job *job, Step *step, Mat M)
{
    step->inner |= has_model(job->run.algorithm)
                && step->algorithm != job->run.algorithm;
    step->turn = job->loop.turn;
    step->loop = infers(job->run.algorithm) ? 'i' : 'n';
    if (step->time == 0)
        step->time = time_of(job, step);
    check_entries(job, step, M);
    if (step->role == ROLE_VARIANCE)
        check_root(job, step, M);
    append_step(&job->run, job->arena, step, M);
    limit_entries(job, job->now.entries += (double)M->rows * M->cols);
}

/* M, or what it is where the sheet wants another divisor of the scores. */
static Mat as_set(const Job *job, const Step *step, Mat M)
{
    if (job->now.S == NULL || !has_role(step, ROLE(SCALED) | ROLE(WEIGHTS)))
        return M;
    double divisor = scaling(job);
    if (job->run.divisor == 0 && !isnan(divisor))
        return M;
    Mat S = scale(job->now.S, 1 / divisor);
    return step->role == ROLE_WEIGHTS ? softmax(S) : S;
}

Step step_seen(Place *at, const char *line, const char *name, int index)
{
    static const StepRow nobodys = { .name = "", .symbol = "?",
                                     .columns = "?" };
    char *end;
    const int a = (int)strtol(line, &end, 10),
              l = *end == '.' ? atoi(end + 1) : 0;
    const Algorithm *of = &algorithm_table[1 <= a && a <= 15 ? a : 0];
    const bool of_head = strcmp(name, "Y_h") == 0;
    name = of_head ? "Y" : name;
    const StepRow *row = index > 0 ? NULL : row_named(a, l, name);
    row = row != NULL ? row : &nobodys;         /* a student's own name */
    Step step = { .algorithm = a, .line = l, .name = name, .row = row,
                  .role = row->role, .part = at->part, .layer = at->layer,
                  .head = of->in_head || of_head ? at->head : 0 };
    if (l > 0 && l == of->head_loop)
        at->head = index;
    if (of->kind == MODEL) {
        at->part = part_of_line(a, l + 1);
        at->layer = at->part == NOWHERE ? 0 : index > 0 ? index : at->layer;
    }
    return step;
}

/* Notes that a step was seen which is M, or NULL: unknown; returns M. */
static Mat see_step(Job *job, const Step *step, Mat M)
{
    Seen *seen = arena_alloc(job->arena, sizeof *seen);
    *seen = (Seen){ *step, M, job->now.seen };
    job->now.seen = seen;
    return M;
}

Mat add_integers(Job *job, Step step, int n, const int *number, bool known)
{
    Mat M = integers_constant(job, n, number);
    if (known)
        add_step(job, &step, M);
    see_step(job, &step, known ? M : NULL);
    return M;
}

/* Notes the index of a loop, or a token; adds what Algorithm 12 has shown one
   by one, and forgets embedded tokens, where another line is shown. */
static void note_index(Job *job, const char *line, int index)
{
    const char *noted = job->loop.row_line;
    if (job->loop.in_row > 0 && strcmp(line, noted) != 0
        && strcmp(line, "12.4") != 0) {
        if (strcmp(noted, "1.1") != 0)
            add_integers(job, step_seen(&job->now.at, noted, noted[3] == '5'
                                        ? "x_tilde" : "T_tilde", 0),
                         job->loop.in_row, job->loop.row, true);
        job->loop.in_row = 0;
    }
    if (word_in("1.1 12.5 12.7", line, strlen(line))
        && job->loop.in_row < job->run.hyper.ell_max) {
        job->loop.row[job->loop.in_row++] = index;
        job->loop.row_line = line;
    }
    if (strcmp(line, "15.6") == 0       /* whose loop has no index */
        || (strcmp(line + 2, ".2") == 0 && job->loop.turns != 1))
        job->loop.turn++;
}

/* Adds the new value of M, or its gradient, as a step of that place, and
   returns what is carried on. */
static Mat add_aspect(Job *job, Step *step, Aspect aspect, Mat M)
{
    struct Matrix *it = arena_alloc(job->arena, sizeof *it);
    *it = *M;
    it->at = aspect == GRADIENT ? M->grad : M->at;
    step->aspect = aspect;
    step->turn = job->loop.turn;
    M = vary(job, IS_COMPUTED, step, it);
    add_step(job, step, M);
    return vary(job, IS_CARRIED, step, M);
}

/* The step of what is given, in a line. */
static Step step_at(const Job *job, const Given *g, int algorithm, int line)
{
    Step step = g->place;
    step.algorithm = algorithm;
    step.line = line;
    step.inner = g->item == NULL;
    step.transposed = is_transposed(g->shape->kind, job->run.layout);
    return step;
}

static void add_parameter(Job *job, const Step *seen, Mat M, int number)
{
    const double eta = number_given(job, "eta", 1);
    const Given *g = job->given;
    while (g->to != job->running->parameter[number].place)
        g++;
    Step step = step_at(job, g, seen->algorithm, seen->line);
    Mat along = add_aspect(job, &step, GRADIENT, M);
    for (int k = 0; k < M->rows * M->cols; k++)
        M->at[k] += (real)eta * (M->grad[k] - along->at[k]);
    copy_into(M, add_aspect(job, &step, NEW, M));
}

/* A norm is not run where its result is given; nor, behind the last layer,
   where nothing reads it off. */
static bool is_idle(const Job *job, const Step *step)
{
    const Seen *from = latest_flow(job, false);
    if (from == NULL || !has_role(step, ROLE(MEAN) | ROLE(VARIANCE)))
        return false;
    Step norm = *step;
    norm.row = from->step.row + 1;
    norm.time = 1;
    return given_at(job, &norm) != NULL
        || (step->part == NOWHERE && !job->run.hyper.tied
            && !is_any_given(job, "gamma beta W_u"));
}

/* Notes that the line of a row reads an argument of that name, of which g is
   bound or NULL: where the sheet has none, what stands in for it, of all
   layers and heads at once. */
static void note_argument(Job *job, const char *argument, Given *g,
                          const StepRow *row)
{
    const Argument *a = find_argument(job->run.algorithm, argument);
    const Step bare = { .name = argument };
    char name[60];
    if (g != NULL && g->user == NULL)
        g->user = row;
    step_name(name, sizeof name, g != NULL && is_any_given(job, argument)
                                 ? &g->place : &bare);
    if (a != NULL && (g == NULL || g->item == NULL))
        note_assumption(job, name, job->identity && a->kind == WEIGHT
                                   ? "I" : a->instead);
}

/* Notes of what M is computed, back to the steps before: a step or a matrix
   that is given is used by the line of the row. */
static void note_operands(Job *job, const StepRow *row, Mat M)
{
    for (const Seen *s = job->now.seen; s != NULL; s = s->before)
        if (s->M == M) {
            if (s->step.given != NULL)
                s->step.given->user = row;
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

/* Scores that are given behind the mask are masked nevertheless. */
static Mat entered_matrix(Job *job, const Step *step, const Given *g, Mat M)
{
    if (M != NULL && (g->M->rows != M->rows || g->M->cols != M->cols))
        fail_in_text(job->f, g->item->at,
                     "%s has another shape than here: %d x %d.",
                     g->item->typed, step->transposed ? M->cols : M->rows,
                     step->transposed ? M->rows : M->cols);
    Mat copy = copy_into(input(job->tape, g->M->rows, g->M->cols), g->M);
    if (!has_role(step, ROLE(MASKED) | ROLE(SCALED)))
        return copy;
    Given *mask = find_beside(job, step, "mask");
    if (mask != NULL)
        mask->user = step->row;
    return masked(copy, mask_of_part(job, step->part));
}

/* Where gradients are wanted, each known step stands behind a node of the
   tape, which has the numbers of M, passes its gradient on and tells it. */
typedef struct {
    Job *job;
    Step step;
} Watcher;

/* A loss that is read from the logits goes past p. */
static void pass_gradient(Mat Y)
{
    const Watcher *w = Y->mask.data;
    int n = Y->rows * Y->cols;
    bool passed = w->step.role == ROLE_PROBABILITIES;
    for (int k = 0; k < n; k++)
        passed &= Y->grad[k] == 0;
    if (passed)
        return;
    Step step = w->step;
    step.role = NO_ROLE;        /* of the way forth */
    step.given = NULL;
    Mat G = add_aspect(w->job, &step, GRADIENT, Y);
    for (int k = 0; Y->of[0]->grad != NULL && k < n; k++)
        Y->of[0]->grad[k] += G->at[k];
}

static const Operation watch = { "watched", NULL, pass_gradient, OWN_PLACE };

static Mat behind_watcher(Job *job, const Step *step, Mat M)
{
    if (job->backwards == NULL)
        return M;
    Watcher *w = arena_alloc(job->arena, sizeof *w);
    *w = (Watcher){ job, *step };
    struct Matrix *Y = node_new(HERE("watched"), job->tape, M->rows,
                               M->cols, &watch, 1, &M);
    Y->mask.data = w;
    Y->logits = M->logits;
    Y->at = M->at;
    return Y;
}

/* Its formula, though all is known, makes nothing. */
_Noreturn static void refuse_formula(const Job *job, const StepRow *row)
{
    const Item *top = find_item(job, "top_k");
    if (row->role == ROLE_LOSS)
        fail_in_text(job->f, find_item(job, "target")->at, "each token needs "
                     "one target, in 1 ... %d (PyTorch's target 0 is 1 "
                     "here), with a p above 0.",
                     letter_size(&job->size, "N_V"));
    if (row->role == ROLE_KEPT)
        fail_in_text(job->f, (top ? top : find_item(job, "top_p"))->at,
                     "top_k and top_p keep tokens for one column of logits, "
                     "and here are several.");
    fail_in_text(job->f, job->start->at, "%s becomes too large for the "
                 "computer; the numbers of the sheet must be smaller.",
                 row->name);
}

/* Weights that follow from the e^x, as they were carried on in a variation,
   have the derivative of a softmax by its own numbers. */
static bool keeps_softmax(const Job *job, const Step *step, Mat M)
{
    const Seen *powers = latest_seen(job, step, ROLE(POWERS));
    return job->variation != NULL && M != NULL && M->logits != NULL
        && powers != NULL && powers->step.given == NULL;
}

/* Whether the derived step of a row is asked for: by a claim, by a slip, or
   by what goes with it. Where no tau is given, q may still be claimed. */
static bool is_wanted(const Job *job, const StepRow *row)
{
    bool own = row->algorithm == job->run.algorithm || row->role == ROLE_LOSS,
         claimed = (job->on_demand >> row->role & 1) != 0;
    return row->with == NULL ? claimed
         : own && (is_any_given(job, row->with)
                   || (row->role == ROLE_TEMPERED && claimed));
}

/* What becomes of a step: it is given, or what the line computed, M, or, if
   that is NULL, what its formula makes; NULL: it is not asked for. */
static Mat resolve_step(Job *job, Step *step, Mat M)
{
    const StepRow *row = step->row;
    Given *given = job->late ? given_at(job, step) : NULL;
    Lookup at = { .job = job, .here = step };
    bool derives = M == NULL || (job->now.rederive && row->formula != NULL);
    if (M == NULL && given == NULL && !is_wanted(job, row))
        return NULL;
    job->now.misses = false;
    Mat value = given != NULL ? entered_matrix(job, step, given, M)
              : derives ? evaluate_formula(&at, row->formula, NULL) : M;
    if (value == NULL && M == NULL && !job->now.misses)
        refuse_formula(job, row);
    value = value == NULL ? M : value;
    if (value == NULL || (job->late && is_unknown(value))
        || (given == NULL && (is_idle(job, step)
                              || (step->role == ROLE_EMBEDDED
                                  && lacks_tokens(job, step))))) {
        see_step(job, step, NULL);
        return M == NULL ? NULL : scale(M, NAN);
    }
    if (derives && given == NULL && keeps_softmax(job, step, M))
        value = copy_into(M, value);
    step->given = given;
    if (given == NULL)
        note_sources(job, step, value);
    Mat other = given != NULL ? value : vary(job, IS_COMPUTED, step, value);
    add_step(job, step, other);
    Mat watched = behind_watcher(job, step, other),
        carried = vary(job, IS_CARRIED, step, watched);
    if (M != NULL)
        job->now.rederive &= row->formula == NULL;
    else
        job->now.rederive |= given != NULL || other != value
                          || carried != watched;
    return see_step(job, step, carried);
}

/* Whether the mask of this attention hides any of the latest scores. */
static bool is_any_masked(const Job *job, const Step *step)
{
    Mat S = masked(job->now.S, mask_of_part(job, step->part));
    return total(S->rows * S->cols, S->at) == -INFINITY;
}

static bool is_of_line(const StepRow *row, const Step *step)
{
    return row->line == step->line && row->algorithm == step->algorithm;
}

/* Derives what stands beside a step in its line: before it, or behind it if
   no later step of the line follows from that. */
static void derive_beside(Job *job, const Step *step, bool behind)
{
    const StepRow *r = step->row + behind, *end = r;
    if (step->row->algorithm == 0)      /* a student's own name */
        return;
    while (behind && end->derived && is_of_line(end, step))
        end++;
    while (!behind && r > step_table && r[-1].derived
           && is_of_line(r - 1, step))
        r--;
    for (; r < end && !(behind && is_of_line(end, step)); r++) {
        Step other = *step;
        other.row = r;
        other.name = r->name;
        other.role = r->role;
        if (!behind || r->role != ROLE_SCALED || is_any_masked(job, step))
            resolve_step(job, &other, NULL);
    }
}

void collect_gradients(Job *job)
{
    const Seen *end = job->now.seen;
    while (end != NULL && !(end->M != NULL
                            && end->step.row == job->backwards))
        end = end->before;
    if (end == NULL)
        fail_in_text(job->f, job->start->at, "there is no way back from %s: "
                     "it is not computed.", job->backwards->name);
    const Given *by = job->given;
    while (by->item != NULL && by->place.aspect != GRADIENT)
        by++;
    backward(by->item == NULL ? end->M : sum(hadamard(end->M, by->M)));
    for (const Given *g = job->given; g->item != NULL; g++) {
        if (g->user == NULL || g->place.row != NULL || g->shape->kind == MASK)
            continue;
        Step step = step_at(job, g, g->user->algorithm, g->user->line);
        add_aspect(job, &step, GRADIENT, g->M);
    }
}

/* The q from which the listing draws the next token. From a q that is not
   known, or 0, none can be drawn. */
static Mat draw_next_token(Job *job, const char *line, Mat q)
{
    const NumberList *list = &job->loop.chances;
    Step step = step_seen(&job->now.at, line, "y", 0);
    if (q->cols != 1 || list->used == list->n)      /* a student's */
        return q;
    double u = list->u[list->used];
    step.turn = job->loop.turn;
    step.time = 1;
    derive_beside(job, &step, false);
    const Seen *kept = latest_seen(job, &step, ROLE(KEPT));
    Mat from = kept != NULL && kept->M != NULL ? kept->M : q;
    bool known = total(from->rows, from->at) > 0,
         drawn = known && (job->tau == 0 || find_item(job, "u") != NULL);
    Mat Y = input(job->tape, 1, 1), other = input(job->tape, q->rows, 1);
    int y = known ? sample(from, u) : 1;
    AT(Y, 1, 1) = (real)y;
    if (drawn) {
        note_sources(job, &step, from);
        Y = resolve_step(job, &step, Y);
    } else
        see_step(job, &step, NULL);
    job->loop.undrawn |= !drawn;
    job->now.rederive = false;              /* the next turn computes anew */
    if (1 <= AT(Y, 1, 1) && AT(Y, 1, 1) <= q->rows)
        y = (int)AT(Y, 1, 1);
    if (known && total(q->rows, q->at) > 0 && y == sample(q, u))
        return q;
    AT(other, y, 1) = 1;
    return other;
}

Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index)
{
    Job *job = to;
    Step step = step_seen(&job->now.at, line, name, index);
    if (M == NULL) {
        note_index(job, line, index);
        return NULL;
    }
    if (index > 0) {                        /* of a parameter of theta */
        add_parameter(job, &step, M, index);
        return M;
    }
    step.turn = job->loop.turn;
    step.transposed = job->run.layout->rows;
    step.time = time_of(job, &step);
    derive_beside(job, &step, false);
    const Seen *p = step.role == ROLE_TEMPERED
                  ? latest_seen(job, &step, ROLE(NEXT)) : NULL;
    if (p != NULL && p->M == NULL)              /* tau = 0 asks for no p, */
        M = scale(M, NAN);
    if (p != NULL && p->step.given != NULL)     /* but has it read        */
        p->step.given->user = step.row;
    M = resolve_step(job, &step, as_set(job, &step, M));
    if (has_role(&step, ROLE(SCORES) | ROLE(MASKED) | ROLE(SCALED)))
        job->now.S = step.role == ROLE_SCALED ? NULL : M;
    derive_beside(job, &step, true);
    return step.role == ROLE_TEMPERED ? draw_next_token(job, line, M) : M;
}
