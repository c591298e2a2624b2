/* Collecting the steps of a run, with those that are given or derived. */
#include "sheet/job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool all_finite(Mat M, bool hidden)      /* or hidden */
{
    const size_t n = (size_t)M->rows * (size_t)M->cols;
    bool finite = true;
    for (size_t k = 0; k < n; k++)
        finite &= isfinite(M->at[k]) || (hidden && M->at[k] == -INFINITY);
    return finite;
}

static void check_finite(const Job *job, const Step *step)
{
    Mat M = step->M;
    bool hidden = step->role == ROLE_MASKED || step->role == ROLE_SCALED
               || (step->role == NO_ROLE && step->algorithm == 4
                   && step->line >= 5);     /* by a student's own name */
    if (all_finite(M, hidden))
        return;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (!isfinite(AT(M, i, j))
                && !(hidden && AT(M, i, j) == -INFINITY))
                fault(job->f, job->start->at, "in line %d of Algorithm "
                      "%d entry [%d, %d] of %s becomes too large for the "
                      "computer; the numbers of the sheet must be smaller.",
                      step->line, step->algorithm, i, j, step->name);
}

/* Only a variation can hide everything from a token. */
static void check_sight(const Job *job, const Step *step)
{
    Mat M = step->M;
    int tokens = step->turned ? M->rows : M->cols, blind = 0;
    for (int t = 1; t <= tokens; t++) {
        bool sees = false;
        for (int u = 1; !sees && u <= M->rows * M->cols / tokens; u++)
            sees = isfinite(step->turned ? AT(M, t, u) : AT(M, u, t));
        blind += !sees;
    }
    if (blind > 0)
        fault(job->f, job->start->at, "a token can look at nothing.");
}

Mat copied_matrix(Job *job, Mat M, bool turn)
{
    Mat copy = constant(job->arena, turn ? M->cols : M->rows,
                        turn ? M->rows : M->cols);
    size_t n = (size_t)M->rows * (size_t)M->cols;
    if (turn)
        for (int j = 1; j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++)
                AT(copy, j, i) = AT(M, i, j);
    else
        memcpy(copy->at, M->at, n * sizeof *M->at);
    return copy;
}

static void check_root(const Job *job, const Step *step)
{
    bool model = job->run.algorithm >= 8;
    char where[30] = "the last";
    if (step->layer > 0)
        snprintf(where, sizeof where, "layer %d", step->layer);
    bool seen = job->run.n > 0 && step[-1].role == ROLE_MEAN;
    Mat v = step[0].M, m = seen ? step[-1].M : NULL;
    for (int t = 1; t <= v->rows * v->cols; t++) {
        int i = v->cols == 1 ? t : 1, j = v->cols == 1 ? 1 : t;
        double least = model && seen ? least_root(AT(m, i, j)) : 0;
        if ((real)sqrt(AT(v, i, j) + job->epsilon) > least)
            continue;
        if (model)
            fault(job->f, job->start->at, "in layer_norm (%s) token %d has "
                  "variance 0, and line 3 of Algorithm 6 would divide by "
                  "0; an epsilon, such as 'epsilon 1e-5', prevents that.",
                  where, t);
        const Item *e = find(job, "e", 0);
        fault(job->f, (e == NULL ? job->start : e)->at,
              "token %d has variance 0, and "
              "line 3 would divide by 0; an epsilon, such as 'epsilon "
              "1e-5', prevents that.", t);
    }
}

static void check_step(const Job *job, const Step *step)
{
    check_finite(job, step);
    if (step->role == ROLE_SCALED)
        check_sight(job, step);
    if (step->algorithm == 6 && step->line == 2)
        check_root(job, step);
}

static int time_of(const Job *job, Step *step)
{
    for (int k = job->run.n; step->head == 0 && k-- > 0; ) {
        const Step *before = &job->step[k];
        step->time = before->time;
        if (same_place(before, step))
            return before->time + 1;
        if (before->layer != step->layer || before->turn != step->turn)
            break;
    }
    return 1;
}

/* What is computed has a row in the table, and its name from there. */
void know_row(Step *step)
{
    static const StepRow nobodys = { .symbol = "?", .columns = "?",
                                     .from = "" };
    step->row = row_named(step->algorithm, step->line, step->name);
    if (step->row == NULL)              /* a student's own name */
        step->row = &nobodys;
    else
        step->name = step->row->name;
    step->role = step->row->role;
}

static void add_step(Job *job, Step *step)
{
    bool own = step->algorithm == job->run.algorithm;
    step->inner |= job->run.algorithm >= 8 && !own;
    step->turn = job->turn;
    step->loop = job->run.algorithm < 14 ? 'n' : 'i';
    step->time = time_of(job, step);
    if (job->run.n == job->most) {
        size_t old = (size_t)job->most * sizeof *step;
        Step *more = arena_alloc(job->arena, 2 * old);
        job->step = memcpy(more, job->step, old);
        job->most *= 2;
    }
    job->step[job->run.n] = *step;
    job->run.step = job->step;
    check_step(job, &job->step[job->run.n]);
    job->run.n++;
}

static Mat what_if(const Job *job, const Step *step, Mat M)
{
    double by = job->run.divisor;
    bool weights = step->algorithm == 3 && step->role == ROLE_WEIGHTS;
    if ((job->run.scaled && by == 0) || job->S == NULL
        || (step->role != ROLE_SCALED && !weights))
        return M;
    Mat S = by > 0 ? scale(job->S, 1 / by) : job->S;
    return weights ? softmax(S) : S;
}

void enter_line(Place *at, const char *line, int index)
{
    static const struct { const char *line; Part part; } loops[] = {
        { "8.4", ENC }, { "8.13", DEC }, { "9.4", LAYER },
        { "10.4", LAYER } };
    if (strcmp(line, "5.1") == 0)
        at->head = index;
    for (int k = 0; k < 4; k++)
        if (strcmp(line, loops[k].line) == 0) {
            at->part = loops[k].part;
            at->layer = index;
        }
}

void leave_line(Place *at, const char *line, const Hyperparameters *h)
{
    bool last = (strcmp(line, "8.8") == 0 && at->layer == h->L_enc)
             || (strcmp(line, "8.19") == 0 && at->layer == h->L_dec)
             || (strcmp(line, "9.8") == 0 && at->layer == h->L)
             || (strcmp(line, "10.8") == 0 && at->layer == h->L);
    if (strcmp(line, "8.15") == 0 || strcmp(line, "8.16") == 0)
        at->part = line[3] == '5' ? ED : DEC;
    if (last) {
        at->part = NOWHERE;
        at->layer = 0;
    }
}

/* "12.5": line 5 of Algorithm 12. */
static void set_line(Step *step, const char *line)
{
    step->algorithm = atoi(line);
    step->line = atoi(strchr(line, '.') + 1);
}

Step step_seen(const Place *at, const char *line, const char *name)
{
    bool of_head = strcmp(name, "Y_h") == 0;
    Step step = { .name = of_head ? "Y" : name, .part = at->part,
                  .layer = at->layer };
    set_line(&step, line);
    know_row(&step);
    if (step.algorithm == 4 || of_head)
        step.head = at->head;
    return step;
}

static bool known_from(Job *job, const Step *step, bool mark);
static void see_step(Job *job, const Step *step, bool known, int item,
                     Mat M);

void add_row(Job *job, Step step, int n, const int *number)
{
    Mat M = constant(job->arena, 1, n);
    for (int k = 1; k <= n; k++)
        AT(M, 1, k) = (real)number[k - 1];
    step.M = M;
    step.part = NOWHERE;
    step.layer = 0;
    know_row(&step);
    bool known = !job->late || known_from(job, &step, true);
    see_step(job, &step, known, -1, M);
    if (!known)
        return;
    job->last = step.row;
    add_step(job, &step);
}

static void add_noted(Job *job)
{
    Step step = { .name = strcmp(job->row_line, "12.5") == 0 ? "xt"
                                                             : "Tt" };
    set_line(&step, job->row_line);
    add_row(job, step, job->in_row, job->row);
    job->in_row = 0;
}

static void note_index(Job *job, const char *line, int index)
{
    bool noted = strcmp(line, "12.5") == 0 || strcmp(line, "12.7") == 0;
    if (job->in_row > 0 && strcmp(line, job->row_line) != 0
        && strcmp(line, "12.4") != 0)
        add_noted(job);
    if (noted) {
        job->row[job->in_row++] = index;
        job->row_line = line;
    }
    if (strcmp(line, "14.2") == 0
        || (strcmp(line + 2, ".2") == 0 && job->data_n > 1))
        job->turn = index;
    if (strcmp(line, "15.6") == 0)
        job->turn++;            /* Algorithm 15 does not count its turns */
}

Mat varied(const Job *job, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL ? M : v->computed(v->to, step, M);
}

Mat carried(const Job *job, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL ? M : v->carried(v->to, step, M);
}

static bool is_update(const char *line)
{
    return strcmp(line, "11.6") == 0 || strcmp(line, "12.10") == 0
        || strcmp(line, "13.6") == 0;
}

static void descend_along(const Job *job, Mat M, Mat gradient)
{
    double eta = job_number(job, "eta", 1);
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
    step->turn = job->turn;
    M = varied(job, step, M);
    step->M = copied_matrix(job, M, step->turned);
    add_step(job, step);
    return carried(job, step, M);
}

static void add_parameter(Job *job, const Step *seen, Mat M, int number)
{
    Site site = site_of(job, &job->theta->parameter[number]);
    struct Matrix gradient = *M;
    gradient.at = M->grad;
    Step step = step_at(&site);
    step.algorithm = seen->algorithm;
    step.line = seen->line;
    step.inner = item_at(job, &site) == NULL;
    step.turned = is_transposed(site.argument->kind, job->run.layout);
    if (job->in_row > 0)
        add_noted(job);
    Mat other = add_aspect(job, &step, GRADIENT, &gradient);
    if (other != &gradient)
        descend_along(job, M, other);
    other = add_aspect(job, &step, NEW, M);
    if (other != M)
        memcpy(M->at, other->at,
               (size_t)M->rows * (size_t)M->cols * sizeof *M->at);
}

static int item_entered(const Job *job, const Step *step)   /* -1: none */
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; job->late && k < sheet->n; k++) {
        const Entered *e = &job->entered[k];
        if ((e->row == step->row || e->also == step->row)
            && e->aspect == VALUE && e->part == step->part
            && e->layer == step->layer && e->head == step->head
            && (step->turn == 0 || e->turn == step->turn)
            && step->time <= 1)
            return k;
    }
    return -1;
}

/* What flows through a model into a component: its X, Z or e. */
static bool flows(const Job *job, const Step *step, const char *name)
{
    return job->run.algorithm >= 8 && step->algorithm <= 7
        && step->algorithm != 5 && strlen(name) == 1
        && strchr("XZe", *name) != NULL;
}

/* The latest step that the name stands for in a step; NULL: none. */
static const Seen *source(const Job *job, const Step *step,
                          const char *name)
{
    bool flow = flows(job, step, name);
    bool context = flow && step->part == ED && *name == 'Z';
    for (const Seen *s = job->seen; s != NULL; s = s->before) {
        const StepRow *row = s->step.row;
        if (flow ? row->algorithm >= 8 && !row->derived
                   && (!context || *row->name == 'Z')
                 : strcmp(row->name, name) == 0)
            return s;
    }
    return NULL;
}

static bool use(Job *job, const Item *item)
{
    job->used[item - job->run.sheet->item] = true;
    return true;
}

static const Item *item_for(const Job *job, const Step *step,
                            const Argument *a)
{
    bool model = job->run.algorithm >= 8 && a->rows != NULL
              && a->kind != LIST;
    if (!model)
        return find(job, a->name, step->head);
    bool in_layer = of_layer(a->name);
    Site site = { a, in_layer ? step->part : NOWHERE,
                  in_layer ? step->layer : 0,
                  of_head(a->name) ? step->head : 0 };
    if (site.part == ED && !of_head(a->name) && a->name[2] != 'o')
        site.part = DEC;
    return item_at(job, &site);
}

static bool known_argument(Job *job, const Step *step, const char *name,
                           bool mark)
{
    if (strcmp(name, "W_u") == 0 && job->run.tied)
        name = "W_e";
    const Argument *a = argument_of(job, name);
    if (a == NULL)
        return true;
    const Item *item = item_for(job, step, a);
    if (item != NULL)
        return !mark || use(job, item);
    if (strcmp(name, "d_attn") == 0)
        return !job->run.scaled || job->run.divisor > 0 || job->stops
            || letter_size(&job->size, name) > 0;
    if (a->instead == NULL || *a->instead == '\0'
        || (strncmp(name, "W_mlp", 5) == 0 && !job->stops))
        return job->identity || (*name == 'u' && job->tau == 0);
    if (*a->instead == 'X')
        return known_argument(job, step, "X", mark);
    if (mark)
        assume_used(job, name, a->instead);
    return true;
}

/* A norm is not run where its result is given; nor, behind the last layer,
   where nothing reads it off. */
static bool is_idle(const Job *job, const Step *step, const Seen *from)
{
    Step norm = *step;
    norm.row = from->step.row + 1;
    norm.time = 1;
    return job->run.algorithm >= 8 && step->algorithm == 6
        && from->step.algorithm >= 8
        && (item_entered(job, &norm) >= 0
            || (step->part == NOWHERE && !job->run.tied
                && !any_given(job, "gamma beta W_u")));
}

static bool is_known_here(Job *job, const Step *step, const char *name,
                       bool mark)
{
    const Seen *s = source(job, step, name);
    if (s == NULL)
        return flows(job, step, name)
             ? false : known_argument(job, step, name, mark);
    bool known = s->known && !is_idle(job, step, s);
    for (const Seen *h = s; step->role == ROLE_HEADS && h != NULL
         && h->step.layer == step->layer; h = h->before)
        if (h->step.role == ROLE_HEAD && h->step.part == step->part) {
            known &= h->known;
            if (mark && h->item >= 0)
                job->used[h->item] = true;
        }
    if (mark && s->item >= 0)
        job->used[s->item] = true;
    return known;
}

static bool known_from(Job *job, const Step *step, bool mark)
{
    const char *p = step->row->from;
    bool known = true;
    for (size_t n; (n = strcspn(p, " ")) > 0; p += n + (p[n] == ' ')) {
        char name[20];
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        known &= is_known_here(job, step, name, mark);
    }
    return known;
}

static void see_step(Job *job, const Step *step, bool known, int item,
                     Mat M)
{
    Seen *seen = arena_alloc(job->arena, sizeof *seen);
    *seen = (Seen){ *step, known, item, M, job->seen };
    job->seen = seen;
}

static Mat only_a_shape(Mat M)
{
    Mat shape = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(shape, i, j) = (real)i;
    return shape;
}

static Mat number_constant(Job *job, double x)
{
    Mat M = constant(job->arena, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

static Mat positions_of(Job *job, const Item *x)
{
    int n = x == NULL ? 1 : x->rows * x->cols;
    Mat row = constant(job->arena, 1, n);
    for (int t = 1; t <= n; t++)
        AT(row, 1, t) = (real)t;
    return row;
}

/* What the sheet gives under a name, for a formula; NULL: nothing. */
static Mat given_value(Job *job, const Step *step, const char *name)
{
    const Theta *theta = job->running;
    for (int k = 0; k < job->givens; k++)
        if (strcmp(job->given[k].name, name) == 0
            && (job->given[k].head == 0
                || job->given[k].head == step->head))
            return job->given[k].M;
    for (int k = 1; theta != NULL && k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        bool here = p->part == step->part && p->layer == step->layer
                 && (p->head == 0 || p->head == step->head);
        if ((p->part == NOWHERE || here) && strcmp(p->symbol, name) == 0)
            return *p->place;
    }
    const Item *item = find(job, name, 0);
    if (strcmp(name, "scaling") == 0)
        return number_constant(job, !job->run.scaled ? 1
            : job->run.divisor > 0 ? job->run.divisor
            : sqrt(size_or_1(job, "d_attn")));
    if (strcmp(name, "positions") == 0)
        return positions_of(job, find(job, strcmp(step->row->wide, "ell_z")
                                           == 0 ? "z" : "x", 0));
    if (strcmp(name, "epsilon") == 0)
        return number_constant(job, job->epsilon);
    if (strcmp(name, "tau") == 0)
        return number_constant(job, job->tau);
    if (item == NULL)
        return letter_size(&job->size, name) == 0 ? NULL
             : number_constant(job, letter_size(&job->size, name));
    int n = item->rows * item->cols;
    Mat list = constant(job->arena, 1, n);
    for (int k = 0; k < n && item->word == NULL; k++)
        AT(list, 1, k + 1) = (real)item->entry[k].value;
    return list;
}

static Mat entered_alone(Job *job, const Step *step, int k)
{
    Mat given = job->entered[k].M;
    Mat copy = input(job->tape, given->rows, given->cols);
    copy_into(copy, given);
    return varied_given(job, *step, copy);
}

static Mat entered_matrix(Job *job, const Step *step, int k, Mat M)
{
    Mat given = job->entered[k].M;
    if (given->rows != M->rows || given->cols != M->cols)
        fault(job->f, job->run.sheet->item[k].at, "%s has another shape "
              "than here: %d x %d.", job->run.sheet->item[k].typed,
              job->run.layout->rows ? M->cols : M->rows,
              job->run.layout->rows ? M->rows : M->cols);
    Mat copy = entered_alone(job, step, k);
    const Item *mask = find(job, "mask", 0);
    if (step->role == ROLE_SCALED && mask != NULL && step->algorithm == 4) {
        copy = masked(copy, job->mask);
        use(job, mask);
    }
    return copy;
}

/* Where gradients are wanted, each known step stands behind a node of the
   tape that passes its gradient on, and tells it. */
typedef struct {
    struct Matrix key;          /* by which the node finds this           */
    Job *job;
    Step step;
} Watcher;

static void tell_gradient(Mat Y)
{
    const Watcher *w = (const Watcher *)Y->of[1];
    struct Matrix view = *Y;
    Step step = w->step;
    view.at = Y->grad;
    step.aspect = GRADIENT;
    step.role = NO_ROLE;        /* no slip of the way forth */
    step.given = false;
    Mat G = varied(w->job, &step, &view);
    step.M = copied_matrix(w->job, G, step.turned);
    add_step(w->job, &step);
    G = carried(w->job, &step, G);
    for (int k = 0; Y->of[0]->grad != NULL && k < Y->rows * Y->cols; k++)
        Y->of[0]->grad[k] += G->at[k];
}

static Mat behind_watcher(Job *job, const Step *step, Mat M)
{
    if (job->backwards == NULL)
        return M;
    Watcher *w = arena_alloc(job->arena, sizeof *w);
    *w = (Watcher){ .key = { .rows = 1, .cols = 1 }, .job = job,
                  .step = *step };
    const Mat of[] = { M, &w->key };
    struct Matrix *Y = computed_on(HERE("watched"), job->tape, M->rows,
                                   M->cols, tell_gradient, 2, of);
    copy_into(Y, M);
    if (M->logits != NULL) {    /* its numbers are those of M */
        Y->logits = M->logits;
        Y->at = M->at;
    }
    return Y;
}

/* q with only the most probable tokens, each column for itself. */
static Mat kept_tokens(Job *job, const Step *step)
{
    const Seen *s = source(job, step, "q");
    int k = whole(job, "top_k", 1, 1000000, "");
    double p = job_number(job, "top_p", 1);
    if (s == NULL || s->M == NULL || s->M->cols != 1)
        return NULL;
    if (!(p > 0 && p <= 1))
        fault(job->f, find(job, "top_p", 0)->at,
              "top_p must be above 0 and "
              "at most 1.");
    Mat q = find(job, "top_k", 0) == NULL ? s->M : top_k_of(s->M, k);
    return find(job, "top_p", 0) == NULL ? q : top_p_of(q, p);
}

static Mat derived(Job *job, const Step *step, Mat M);

static Mat told_step(Job *job, Step *step, Mat M)
{
    step->M = copied_matrix(job, M, step->turned);
    add_step(job, step);
    Mat Y = behind_watcher(job, step, M), Z = carried(job, step, Y);
    job->rederive |= step->row->derived && Z != Y;
    if (step->row == job->backwards)
        job->end = Z;
    return Z;
}

static Mat came_by(Job *job, Step *step, Mat M)
{
    int k = item_entered(job, step);
    bool known = !job->late || k >= 0 || known_from(job, step, false);
    if (!known) {
        M = only_a_shape(M);
    } else if (k >= 0) {
        step->given = true;
        M = told_step(job, step, entered_matrix(job, step, k, M));
    } else {
        if (job->late)
            known_from(job, step, true);
        if (job->rederive && step->row->formula != NULL)
            M = derived(job, step, M);
        if (job->late && job->line == 0)
            job->line = step->line;
        job->last = step->row;
        M = told_step(job, step, varied(job, step, M));
    }
    job->rederive = false;
    see_step(job, step, known, k, M);
    return M;
}

static Mat value_of_name(void *to, const char *name, int length)
{
    Job *job = to;
    const Step *step = job->deriving;
    char plain[20];
    snprintf(plain, sizeof plain, "%.*s", length, name);
    const Seen *s = source(job, step, plain);
    const StepRow *row = row_named(step->algorithm, step->line, plain);
    if (s != NULL && s->M != NULL)
        return s->M;
    if (row != NULL && row->derived) {
        Step inner = *step;
        inner.row = row;
        return derived(job, &inner, NULL);
    }
    return given_value(job, step, plain);
}

/* What a formula makes of a step; M where none can be made. */
static Mat derived(Job *job, const Step *step, Mat M)
{
    const Step *outer = job->deriving;
    Names names = { job, value_of_name, job->tape };
    job->deriving = step;
    Mat other = step->row->role == ROLE_KEPT ? kept_tokens(job, step)
              : step->row->role == ROLE_TABLE ? job->positions
              : formula_value(&names, step->row->formula);
    job->deriving = outer;
    return other == NULL ? M : other;
}

static void derive(Job *job, const Step *before, const StepRow *row)
{
    Step step = *before;
    step.row = row;
    step.name = row->name;
    step.role = row->role;
    int k = item_entered(job, &step);
    bool known = !job->late || k >= 0 || known_from(job, &step, false);
    bool wanted = job->wanted[row - step_table] || k >= 0;
    if (!known || !wanted) {
        if (job->late)
            see_step(job, &step, known, k, NULL);
        if (job->late && known)
            known_from(job, &step, true);
        return;
    }
    Mat M = k >= 0 ? entered_alone(job, &step, k)
                   : derived(job, &step, NULL);
    if (M == NULL)
        return;
    if (k < 0 && job->late)
        known_from(job, &step, true);
    if (k < 0 && job->late && job->line == 0)
        job->line = step.line;
    if (k < 0)
        job->last = row;
    Mat made = k >= 0 ? M : varied(job, &step, M);
    step.given = k >= 0;
    job->rederive |= made != M || k >= 0;
    made = told_step(job, &step, made);
    if (step.role == ROLE_KEPT)
        job->kept = made;
    see_step(job, &step, true, k, made);
}

static bool in_line(const StepRow *row, const StepRow *other)
{
    return row >= step_table && row < step_table + step_rows
        && row->algorithm == other->algorithm && row->line == other->line;
}

void derive_before(Job *job, const Step *step)
{
    const StepRow *row = step->row, *first = row;
    while (job->derives && in_line(first - 1, row) && first[-1].derived)
        first--;
    for (; first < row; first++)
        derive(job, step, first);
}

static void derive_after(Job *job, const Step *step)
{
    const StepRow *row = step->row, *last = row;
    while (job->derives && in_line(last + 1, row) && last[1].derived)
        last++;
    if (in_line(last + 1, row))         /* they lead to another step */
        return;
    for (row++; row <= last; row++)
        derive(job, step, row);
}

static const StepRow *user_of(int algorithm, const char *name)
{
    const StepRow *row = step_table;
    while (row < step_table + step_rows
           && !(comes_by(algorithm, row)
                && word_in(row->from, name, strlen(name))))
        row++;
    return row < step_table + step_rows ? row : NULL;
}

static void tell_gradients(Job *job)
{
    for (int k = 0; k < job->givens; k++) {
        const GivenMatrix *g = &job->given[k];
        const Argument *a = argument_of(job, g->name);
        const StepRow *user = user_of(job->run.algorithm, g->name);
        const Item *item = find(job, g->name, g->head);
        if (item == NULL || a->kind == MASK || user == NULL
            || (job->late && !job->used[item - job->run.sheet->item]))
            continue;
        Step step = { .algorithm = user->algorithm, .line = user->line,
                      .name = g->name, .head = g->head,
                      .aspect = GRADIENT,
                      .turned = is_transposed(a->kind, job->run.layout) };
        struct Matrix view = *g->M;
        view.at = g->M->grad;
        add_aspect(job, &step, GRADIENT, &view);
    }
}

void way_back(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int k = 0;
    while (k < sheet->n && job->entered[k].aspect != GRADIENT)
        k++;
    if (job->end == NULL)
        fault(job->f, job->start->at, "there is no way back from %s: it is "
              "not computed.", job->backwards->name);
    backward(k == sheet->n ? job->end
                           : sum(hadamard(job->end, job->entered[k].M)));
    tell_gradients(job);
}

Mat collect(void *to, const char *line, const char *name, Mat M,
            int index)
{
    Job *job = to;
    if (M == NULL) {
        enter_line(&job->at, line, index);
        note_index(job, line, index);
        return NULL;
    }
    Step step = step_seen(&job->at, line, name);
    if (is_update(line)) {
        add_parameter(job, &step, M, index);
        return M;
    }
    step.turn = job->turn;
    step.turned = job->run.layout->rows;
    step.time = time_of(job, &step);
    derive_before(job, &step);
    M = came_by(job, &step, what_if(job, &step, M));
    leave_line(&job->at, line, &job->hyper);
    if (step.role == ROLE_MASKED || step.role == ROLE_SCORES)
        job->S = M;
    if (step.role == ROLE_TEMPERED)
        job->q = M;
    derive_after(job, &step);
    return M;
}

