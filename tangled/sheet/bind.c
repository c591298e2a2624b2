/* Binding: each matrix that a listing takes is read off the sheet, or filled
   with what stands in for it.

   Main types: Given, Hyperparameters. Entry point: bind_matrices. Items and
   sizes flow in; matrices in the paper's layout, and theta, flow out. */
#include "sheet/shape.h"
#include <math.h>
#include <string.h>

double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k)
{
    const Entry *entry = &item->entry[k];
    double x = entry->value;
    bool added = a->kind == MASK && hides(item);
    if (added && (x == 0 || is_minus_infinity(x)))
        return x == 0;
    if (added || (a->kind == MASK && x != 0 && x != 1))
        fail_in_text(job->f, entry->at, "an entry of the mask is 1, may "
                     "look, or 0, may not; in a mask that is added, 0 or "
                     "-inf.");
    if (a->name[0] == 'S' && x == -INFINITY)
        return x;
    if (isnan(x))
        fail_in_text(job->f, entry->at,
                     "only a claim may leave an entry open; "
                     "%s is given.", item->typed);
    if (!isfinite((double)(real)x))
        fail_in_text(job->f, entry->at, "an entry of %s must be finite%s.",
                     item->typed, isfinite(x)
                     ? "; this is too large for single precision" : "");
    return x;
}

/* Copies the entries of an item, as they were written, into M. */
static void fill_matrix(Job *job, Mat M, const Argument *a, const Item *item)
{
    bool turn = is_transposed(a->kind, job->run.layout)
             && item->cols == M->rows && item->rows == M->cols,
         one = is_for_each_entry(a, item);
    char text[60];
    for (int k = 0; k < M->rows * M->cols; k++) {
        int width = turn ? M->rows : M->cols, i = k / width, j = k % width;
        AT(M, (turn ? j : i) + 1, (turn ? i : j) + 1)
            = (real)entry_value(job, a, item, one ? 0 : k);
    }
    snprintf(text, sizeof text, "%g in each entry", item->entry->value);
    if (one && M->rows > 1)
        note_assumption(job, item->typed, text);
}

/* Whether a number stands in for each entry of the argument. */
static bool has_value(const Argument *a)
{
    return a->instead != NULL && strspn(a->instead, "01") == 1;
}

/* What stands in for a matrix: I, 0, 1, or, where the sheet starts late, NaN
   for what is not known. */
static void fill_default(const Job *job, Mat M, const Argument *a)
{
    bool identity = job->identity && a->kind == WEIGHT,
         value = has_value(a),
         unknown = job->late && !identity
                && (!value || strncmp(a->name, "W_mlp", 5) == 0);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = unknown ? (real)NAN : identity ? i == j
                        : value && *a->instead == '1';
}

/* Refuses a mask that hides all from a token, and chances that are none. */
static void check_columns(const Job *job, const Given *g)
{
    bool mask = g->shape->kind == MASK;
    for (int j = 1; (mask || sums_to_1(&g->place)) && j <= g->M->cols; j++) {
        double sum = 0, least = 0;
        for (int i = 1; i <= g->M->rows; i++) {
            sum += AT(g->M, i, j);
            least = fmin(least, AT(g->M, i, j));
        }
        if (sum > 0 && least == 0)
            continue;
        if (mask)
            fail_in_text(job->f, g->item->at, "the mask lets token %d look "
                         "at nothing: its %s holds no 1.", j,
                         job->run.layout->rows ? "row" : "column");
        fail_in_text(job->f, g->item->at, "entries of %s are probabilities: "
                     "none may be negative, and not all may be 0.",
                     g->item->typed);
    }
}

Given *given_at(const Bound *bound, const Step *place)
{
    for (Given *g = bound->given; g->shape != NULL; g++)
        if (g->place.layer == place->layer && g->place.head == place->head
            && g->place.part == place->part && g->place.row == NULL
            && strcmp(g->place.name, place->name) == 0)
            return g;
    return NULL;
}

/* Makes a matrix of what is given, or stands in for it. */
static void fill_given(Job *job, Given *g, int rows, int cols)
{
    g->M = constant(job->arena, rows, cols);
    if (g->item == NULL)
        fill_default(job, g->M, g->shape);
    else {
        fill_matrix(job, g->M, g->shape, g->item);
        check_columns(job, g);
    }
}

/* Binds what is given at a place, or stands in for that, as a matrix; `to` is
   where theta has it, or NULL. */
static void bind_matrix(Job *job, const Step *place, int rows, int cols,
                        Mat *to)
{
    Given *g = given_at(job, place);
    if (g == NULL)
        g = &job->given[job->givens++];
    g->shape = argument_of(job, place->name);
    g->place = *place;
    g->to = to;
    fill_given(job, g, rows, cols);
}

/* Binds an argument of a head or of none, unless nothing or something else
   stands for it. */
static void bind_argument(Job *job, const Argument *a, int head)
{
    const Step place = { .name = a->name, .head = head };
    const Given *g = given_at(job, &place);
    bool none = g != NULL ? g->item->word != NULL
              : a->kind == MASK
                || (job->run.rms && strcmp(a->name, "beta") == 0)
                || (is_X_without_it(a) && is_any_given(job, a->instead))
                || !(job->late || has_value(a) || job->identity);
    if (!none)
        bind_matrix(job, &place, size_or_1(job, a->rows),
                    size_or_1(job, a->cols), NULL);
}

/* Binds all matrices of Algorithms 1 to 7. */
static void bind_component(Job *job)
{
    enum { MATRICES = 12 };             /* of an algorithm, but for heads */
    make_room(job, MATRICES + 6 * job->H);
    job->running = arena_alloc(job->arena, sizeof *job->running);
    *job->running = (Theta){ .hyper = job->hyper };
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        bool each = is_per_head(job, a->name),
             matrix = a->rows != NULL && a->kind != LIST;
        for (int h = each; h <= (each ? job->H : 0); h++)
            if (matrix && takes(job->run.algorithm, a))
                bind_argument(job, a, h);
    }
}

int given_position(const Job *job, int most, const char *range)
{
    const Item *pos = find_item(job, "pos", 0);
    if (pos != NULL && find_item(job, "t", 0) != NULL)
        fail_in_text(job->f, pos->at, "t is pos + 1; leave out one of them.");
    if (pos != NULL)
        return integer_given(job, "pos", 0, 0, most - 1, "") + 1;
    require_item(job, "t", 0);
    return integer_given(job, "t", 1, 1, most, range);
}

/* Returns how the positions are given or computed. */
static unsigned positions_given(Job *job)
{
    static const char *const computed[] = { "positions", "ell_max", "d_e",
                                            "base", "first" };
    static const unsigned of[] = { NO_POSITIONS, NO_POSITIONS, PAPER_SINES,
                                   VASWANI_SINES };
    bool learned = find_item(job, "W_p", 0) != NULL;
    for (int k = 0; k < 5 && learned; k++) {
        const Item *item = find_item(job, computed[k], 0);
        if (item != NULL)
            fail_in_text(job->f, item->at, "W_p has the positions; leave out "
                         "%s.", item->typed);
    }
    return learned ? LEARNED
         : of[word_given(job, "positions", "none paper vaswani")];
}

/* As number_given; what stands in for the number is noted, in words. */
static double number_or_note(Job *job, const char *name, double instead,
                             const char *words)
{
    if (find_item(job, name, 0) == NULL)
        note_assumption(job, name, words);
    return number_given(job, name, instead);
}

/* Computes W_p for Algorithm 2, from numbers alone. */
static void compute_positions(Job *job, bool paper)
{
    enum { MOST = 1000000 };
    require_item(job, "d_e", 0);
    int t = given_position(job, MOST, "");
    if (paper && find_item(job, "base", 0) == NULL)
        require_item(job, "ell_max", 0);
    int d_e = integer_given(job, "d_e", 2, 1, MOST, ""),
        ell_max = integer_given(job, "ell_max", t, 1, MOST, "");
    if (d_e % 2 != 0)
        fail_in_text(job->f, find_item(job, "d_e", 0)->at,
                     "d_e is odd, but each "
                     "pair of entries is a sine and a cosine.");
    limit_entries(job, (double)d_e * ell_max);
    double base = number_or_note(job, "base", paper ? ell_max : 10000,
                                 paper ? "ell_max" : "10000"),
           first = number_or_note(job, "first", paper, paper ? "1" : "0");
    job->positions = sinusoids(job->arena, d_e, ell_max, paper
                               ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI,
                               base, first);
}

/* Whether it is in a layer of that part; the decoder has two attentions. */
static bool is_in_part(const Given *g, Part part)
{
    return g->place.part == part || (g->place.part == ED && part == DEC);
}

/* Returns how many layers a part has. If it is one, nobody need say so. */
static int given_layers(Job *job, Part part, const char *name)
{
    enum { MOST = 100 };
    int least = 0;
    char number[20];
    for (const Given *g = job->given; g->item != NULL; g++)
        if (is_in_part(g, part) && g->place.layer >= least)
            least = g->place.layer > 0 ? g->place.layer : 1;
    if (least > MOST)
        fail_in_text(job->f, job->start->at, "a model has at most %d layers.",
                     MOST);
    int L = integer_given(job, name, least, least, MOST, "");
    snprintf(number, sizeof number, "%d", least);
    if (find_item(job, name, 0) == NULL && !job->late)
        note_assumption(job, name, number);
    for (Given *g = job->given; g->item != NULL; g++)
        if (is_in_part(g, part) && L == 1)
            g->place.layer = 1;
    return L;
}

/* Sets how a model places its tokens, and how many it can read. */
static void given_positions(Job *job, Hyperparameters *h)
{
    h->positions = positions_given(job);
    bool learned = h->positions == LEARNED,
         none = h->positions == NO_POSITIONS;
    job->run.unplaced = none;
    if (none && find_item(job, "positions", 0) == NULL && !job->late)
        note_assumption(job, "positions", "none");
    if (!none && !learned)
        require_item(job, "ell_max", 0);
    h->ell_max = integer_given(job, "ell_max", learned
                               ? letter_size(&job->size, "ell_max")
                               : longest_sequence(job), 1, 1000000, "");
    limit_entries(job, none ? 0 : (double)h->d_e * h->ell_max);
}

/* Sets what theta is made from: sizes, layers, heads, positions. */
static void given_hyperparameters(Job *job)
{
    enum { MOST = 1000 };
    Hyperparameters *h = &job->hyper;
    *h = (Hyperparameters){
        .architecture = algorithm_table[job->run.algorithm].architecture,
        .H = job->H,
        .N_V = size_or_1(job, "N_V"),
        .d_e = size_or_1(job, "d_e"),
        .d_mlp = size_or_1(job, "d_mlp"),
        .d_f = letter_size(&job->size, "d_f"),
        .d_attn = size_or_1(job, "d_attn"),
        .d_mid = size_or_1(job, "d_mid"), .tied = job->run.tied,
        .epsilon = job->epsilon };
    if (h->architecture == ED_TRANSFORMER) {
        h->L_enc = given_layers(job, ENC, "L_enc");
        h->L_dec = given_layers(job, DEC, "L_dec");
    } else
        h->L = given_layers(job, LAYER, "L");
    given_positions(job, h);
    const char *wrong = hyperparameters_error(h);
    if (wrong != NULL)
        fail_in_text(job->f, job->start->at, "%s", wrong);
    if ((h->L + h->L_enc + 2 * h->L_dec) * h->H > MOST)
        fail_in_text(job->f, job->start->at, "a model has at most %d heads "
                     "in all of its layers.", MOST);
}

/* Refuses a matrix that no parameter of the model has taken. */
_Noreturn static void refuse_place(const Job *job, const Given *g)
{
    const Item *item = g->item;
    const Given *other = given_at(job, &g->place);
    if (other != g)
        fail_in_text(job->f, item->at, "%s is the same as %s; give one of "
                     "them.", item->typed, other->item->typed);
    if (g->place.part == NOWHERE && owner_of(item->name) != OF_MODEL)
        refuse_which_attention(job, item);
    if (g->place.part != NOWHERE && g->place.layer == 0
        && owner_of(item->name) != OF_MODEL)
        fail_in_text(job->f, item->at, "%s: in which layer? There are "
                     "several; write a name such as layer1.X, enc1.X or "
                     "dec1.X.", item->typed);
    fail_in_text(job->f, item->at, "this model has no %s; ftx check --help "
                 "%d lists what it takes.", item->typed, job->run.algorithm);
}

/* Binds all parameters of theta, each by its place. */
static void bind_model(Job *job)
{
    given_hyperparameters(job);
    Theta *theta = job->running = theta_new(job->arena, &job->hyper);
    job->hyper = theta->hyper;
    limit_entries(job, (double)theta_count(theta));
    theta_allocate(theta, job->arena);
    make_room(job, theta->n);
    for (const Parameter *p = &theta->parameter[1];
         p <= &theta->parameter[theta->n]; p++)
        bind_matrix(job, &(Step){ .name = p->symbol, .part = p->part,
                                  .layer = p->layer, .head = p->head },
                    p->rows, p->cols, p->place);
    for (const Given *g = job->given; g->item != NULL; g++)
        if (g->M == NULL && g->item->word == NULL && g->shape->rows != NULL
            && g->shape->kind != LIST)
            refuse_place(job, g);
    if (job->hyper.positions != LEARNED && !job->run.unplaced)
        job->positions = theta->W_p;
}

/* Makes matrices of the steps that are given. */
static void bind_steps(Job *job)
{
    for (Given *g = job->given; g->item != NULL; g++)
        if (g->place.row != NULL)
            fill_given(job, g, size_or_1(job, g->shape->rows),
                       size_or_1(job, g->shape->cols));
}

/* Refuses W_u beside a tied one, and a missing W_u or a W_e without use. */
static void check_tied(Job *job)
{
    const Item *W_u = find_item(job, "W_u", 0),
               *W_e = find_item(job, "W_e", 0);
    bool tied = job->run.tied;
    if (tied && W_u != NULL)
        fail_in_text(job->f, W_u->at,
                     "with 'tied yes' W_u is %s; leave it out.",
                     as_W_u(job->run.layout));
    if (!tied && W_e != NULL && job->run.algorithm == 7)
        fail_in_text(job->f, W_e->at, "W_e is used only with 'tied yes'.");
    if (tied)
        note_assumption(job, "W_u", as_W_u(job->run.layout));
    else if (argument_of(job, "W_u") != NULL)
        require_item(job, "W_u", 0);
}

void bind_matrices(Job *job)
{
    bind_steps(job);
    check_tied(job);
    if (has_model(job->run.algorithm))
        bind_model(job);
    else
        bind_component(job);
    if (job->run.algorithm == 2) {
        unsigned sines = positions_given(job);
        if (sines == PAPER_SINES || sines == VASWANI_SINES)
            compute_positions(job, sines == PAPER_SINES);
    }
}

/* Whether a sheet that starts late does not give it, so that nobody can have
   mistaken it. */
static bool is_missing(const Job *job, const Given *g)
{
    return job->late && g->item == NULL;
}

Mat matrix_given(const Bound *bound, const Step *place)
{
    const Given *g = given_at(bound, place);
    return g == NULL || is_missing(bound, g) ? NULL : g->M;
}

Mat vary(const Job *job, Moment moment, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL || v->visit == NULL
         ? M : v->visit(v->to, moment, step, M);
}

void copy_into(Mat to, Mat from)
{
    if (to != from)
        memcpy(to->at, from->at,
               (size_t)to->rows * (size_t)to->cols * sizeof *to->at);
}

void start_given(Job *job)
{
    Theta *theta = job->running;
    theta_clear_gradient(theta);
    for (Given *g = job->given; g->shape != NULL; g++) {
        if (g->M == NULL || g->place.row != NULL)
            continue;
        Mat M = g->to != NULL ? *g->to
              : input(job->tape, g->M->rows, g->M->cols);
        copy_into(M, g->M);
        Mat other = is_missing(job, g) ? M
                  : vary(job, IS_GIVEN, &g->place, M);
        if (other->cols != M->cols)         /* X is exchanged with Z */
            M = other;
        else
            copy_into(M, other);
        g->M = M;
    }
    if (job->positions != NULL && theta->n > 0)
        theta->W_p = vary(job, IS_GIVEN, &(Step){ .name = "W_p" },
                          job->positions);
}
