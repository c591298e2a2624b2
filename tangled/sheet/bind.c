/* Binding: each matrix that a listing takes is read off the sheet, or filled
   with what stands in for it.

   Main types: Given, Hyperparameters. Entry point: bind_matrices. Items and
   sizes flow in; matrices in the paper's layout, and theta, flow out. */
#include "sheet/shape.h"
#include <math.h>
#include <string.h>

static const double stands_for_infinity = -1e4, neither_0_nor_1 = 2;

/* Whether it is of zeros and -inf, to be added to the scores. */
static bool is_additive(const Item *mask)
{
    for (int k = 0; k < mask->rows * mask->cols; k++)
        if (mask->entry[k].value <= stands_for_infinity)
            return true;
    return false;
}

double entry_value(const Job *job, const Argument *a,
                   const Item *item, int k)
{
    const Entry *entry = &item->entry[k];
    if (a->kind == MASK && is_additive(item))
        return entry->value == 0 ? 1
             : entry->value <= stands_for_infinity ? 0 : neither_0_nor_1;
    if (a->name[0] == 'S' && entry->value == -INFINITY)
        return entry->value;
    if (isnan(entry->value))
        fail_in_text(job->f, entry->at,
                     "only a claim may leave an entry open; "
                     "%s is given.", item->typed);
    if (!isfinite((double)(real)entry->value))
        fail_in_text(job->f, entry->at, "an entry of %s must be finite%s.",
                     item->typed, isfinite(entry->value)
                     ? "; this is too large for single precision" : "");
    return entry->value;
}

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

static Part part_of_item(const Job *job, const Item *item)
{
    static const Part of[] = { [OF_LAYER] = ENC, [OF_DECODER] = DEC };
    Owner owner = owner_of(item->name);
    return item->part != NOWHERE || owner == OF_MODEL ? item->part
         : has_pairs(job->run.algorithm) ? of[owner] : LAYER;
}

static int layers_of(const Hyperparameters *h, Part part)
{
    return part == LAYER ? h->L : part == ENC ? h->L_enc : h->L_dec;
}

static bool is_at(const Job *job, const Given *g, const Step *place)
{
    const Item *item = g->item;
    if (g->shape == NULL || g->place.row != NULL
        || strcmp(item->name, place->name) != 0)
        return false;
    int L = layers_of(&job->hyper, place->part);
    return (item->layer == place->layer || (item->layer == 0 && L == 1))
        && (item->head == place->head
            || (item->head == 0 && place->head == 1 && job->H == 1))
        && part_of_item(job, item) == place->part;
}

static const Item *item_at(const Job *job, const Step *place)
{
    const Item *found = NULL;
    if (!has_model(job->run.algorithm))
        return find_item(job, place->name, place->head);
    for (int k = 0; k < job->run.sheet->n; k++)
        if (is_at(job, &job->given[k], place)) {
            if (found != NULL)
                fail_in_text(job->f, job->given[k].item->at,
                             "%s is the same as %s; give one of them.",
                             job->given[k].item->typed, found->typed);
            found = job->given[k].item;
        }
    return found;
}

/* Binds what is given at a place, or stands in for that, as a matrix; `to` is
   where theta has it, or NULL. What is needed and not there is refused. */
static void bind_matrix(Job *job, const Step *place, int rows, int cols,
                        Mat *to)
{
    const Argument *a = argument_of(job, place->name);
    const Item *item = item_at(job, place);
    bool identity = job->identity && a->kind == WEIGHT;
    if (item == NULL && !has_value(a) && !identity)
        require_item(job, place->name, place->head);
    Given *g = &job->given[item != NULL ? item - job->run.sheet->item
                                        : job->givens++];
    *g = (Given){ .item = item, .shape = a, .place = *place, .to = to,
                  .M = constant(job->arena, rows, cols) };
    if (item != NULL)
        fill_matrix(job, g->M, a, item);
    else
        fill_default(job, g->M, a);
}

/* Binds an argument of a head or of none, unless nothing or something else
   stands for it. */
static void bind_argument(Job *job, const Argument *a, int head)
{
    const Item *item = find_item(job, a->name, head);
    bool none = item != NULL ? item->word != NULL
              : a->kind == MASK
                || (job->run.rms && strcmp(a->name, "beta") == 0)
                || (is_X_without_it(a) && is_any_given(job, a->instead))
                || !(job->late || has_value(a) || job->identity);
    if (!none)
        bind_matrix(job, &(Step){ .name = a->name, .head = head },
                    size_or_1(job, a->rows),
                    a->cols == NULL ? 1 : size_or_1(job, a->cols), NULL);
}

static void bind_component(Job *job)
{
    make_room(job, argument_rows + 6 * job->H);
    job->running = arena_alloc(job->arena, sizeof *job->running);
    *job->running = (Theta){ .hyper = job->hyper };
    for (const Argument *a = argument_table;
         a < argument_table + argument_rows; a++) {
        bool each = is_per_head(job, a->name);
        if (takes(job->run.algorithm, a) && a->rows != NULL
            && a->kind != LIST)
            for (int h = each; h <= (each ? job->H : 0); h++)
                bind_argument(job, a, h);
    }
}

int given_position(const Job *job, int most, const char *range)
{
    const Item *pos = find_item(job, "pos", 0);
    if (pos == NULL)
        return require_item(job, "t", 0),
               integer_given(job, "t", 1, most, range);
    double x = number_given(job, "pos", 0);
    if (find_item(job, "t", 0) != NULL)
        fail_in_text(job->f, pos->at, "t is pos + 1; leave out one of them.");
    if (x != floor(x) || x < 0 || x >= most)
        fail_in_text(job->f, pos->at,
                     "pos is %.10g; it must be one of 0 ... %d.",
                     x, most - 1);
    return (int)x + 1;
}

static double number_or_note(Job *job, const char *name, double instead,
                             const char *words)
{
    if (find_item(job, name, 0) == NULL)
        note_assumption(job, name, words);
    return number_given(job, name, instead);
}

static Mat computed_positions(Job *job, bool paper)
{
    enum { MOST = 1000000 };
    require_item(job, "d_e", 0);
    int t = given_position(job, MOST, "");
    if (paper && find_item(job, "base", 0) == NULL)
        require_item(job, "ell_max", 0);
    int d_e = integer_given(job, "d_e", 2, MOST, "");
    int ell_max = integer_given(job, "ell_max", t, MOST, "");
    if (d_e % 2 != 0)
        fail_in_text(job->f, find_item(job, "d_e", 0)->at,
                     "d_e is odd, but each "
                     "pair of entries is a sine and a cosine.");
    limit_entries(job, (double)d_e * ell_max);
    double base = number_or_note(job, "base", paper ? ell_max : 10000,
                                 paper ? "ell_max" : "10000"),
           first = number_or_note(job, "first", paper ? 1 : 0,
                                  paper ? "1" : "0");
    return sinusoids(job->arena, d_e, ell_max, paper ? SINUSOIDS_PAPER
                                               : SINUSOIDS_VASWANI,
                     base, first);
}

static void bind_positions(Job *job)
{
    static const char *const only[] = { "d_e", "ell_max", "base", "first" };
    int variant = word_given(job, "positions", "paper vaswani");
    const Item *W_p = find_item(job, "W_p", 0);
    if (variant != 0 && W_p != NULL)
        fail_in_text(job->f, W_p->at, "the positions are computed; leave out "
                     "either W_p or 'positions'.");
    for (int k = 0; k < 4 && variant == 0; k++)
        if (find_item(job, only[k], 0) != NULL)
            fail_in_text(job->f, find_item(job, only[k], 0)->at,
                         "%s goes with "
                         "'positions paper' or 'positions vaswani'.",
                         only[k]);
    if (variant != 0)
        job->positions = computed_positions(job, variant == 1);
}

static int given_layers(Job *job, Part part, const char *name)
{
    enum { MOST = 100 };
    const Item *given = find_item(job, name, 0);
    int least = 0;
    char number[20];
    for (const Given *g = job->given; g < job->given + job->run.sheet->n;
         g++) {
        Part of = g->place.row != NULL ? g->place.part
                                       : part_of_item(job, g->item);
        int l = g->item->layer > 0 ? g->item->layer : 1;
        if (!g->item->claim && l > least
            && (of == part || (of == ED && part == DEC)))
            least = l;
    }
    double L = number_given(job, name, least);
    if (least > MOST)
        fail_in_text(job->f, job->start->at, "a model has at most %d layers.",
                     MOST);
    if (L != floor(L) || L < least || L > MOST)
        fail_in_text(job->f, given->at, "%s is %g; it must be one of "
                     "%d ... %d.", name, L, least, MOST);
    snprintf(number, sizeof number, "%d", least);
    if (given == NULL && !job->late)
        note_assumption(job, name, number);
    return (int)L;
}

static void given_positions(Job *job, Hyperparameters *h)
{
    const Item *W_p = find_item(job, "W_p", 0),
               *most = find_item(job, "ell_max", 0);
    int word = word_given(job, "positions", "none paper vaswani");
    if (W_p != NULL && (word != 0 || most != NULL))
        fail_in_text(job->f, (word != 0 ? find_item(job, "positions", 0)
                              : most)->at,
                     "W_p has the positions; leave out %s.",
                     word != 0 ? "'positions'" : "ell_max");
    if (word >= 2)
        require_item(job, "ell_max", 0);
    if (W_p == NULL && word == 0 && !job->late)
        note_assumption(job, "positions", "none");
    h->positions = W_p != NULL ? LEARNED : word == 2 ? PAPER_SINES
                 : word == 3 ? VASWANI_SINES : NO_POSITIONS;
    job->run.unplaced = h->positions == NO_POSITIONS;
    h->ell_max = W_p != NULL ? letter_size(&job->size, "ell_max")
               : integer_given(job, "ell_max", longest_sequence(job), 1000000,
                               "");
    if (word >= 2)
        limit_entries(job, (double)h->d_e * h->ell_max);
}

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

_Noreturn static void refuse_place(const Job *job, const Item *item)
{
    Part part = part_of_item(job, item);
    bool in_layer = owner_of(item->name) != OF_MODEL;
    int L = part == NOWHERE ? 0 : layers_of(&job->hyper, part);
    if (in_layer && part == NOWHERE)
        refuse_which_attention(job, item);
    if (in_layer && item->layer == 0 && item->head <= job->H && L > 1)
        fail_in_text(job->f, item->at,
                     "%s: in which layer? There are %d; write a name such "
                     "as layer1.X, enc1.X or dec1.X.", item->typed, L);
    fail_in_text(job->f, item->at, "this model has no %s; ftx check --help "
                 "%d lists what it takes.", item->typed, job->run.algorithm);
}

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
    for (const Given *g = job->given; g < job->given + job->run.sheet->n; g++)
        if (g->shape != NULL && g->place.row == NULL && g->M == NULL
            && g->item->word == NULL && g->shape->kind != LIST
            && g->shape->rows != NULL)
            refuse_place(job, g->item);
    if (job->hyper.positions != LEARNED && !job->run.unplaced)
        job->positions = theta->W_p;
}

static void check_chances(const Job *job, const Item *item, Mat p, int j)
{
    double sum = 0;
    bool below = false;
    for (int i = 1; i <= p->rows; i++) {
        sum += AT(p, i, j);
        below |= AT(p, i, j) < 0;
    }
    if (below || !(sum > 0))
        fail_in_text(job->f, item->at,
                     "entries of %s are probabilities: none may be "
                     "negative, and not all may be 0.", item->typed);
}

static void bind_steps(Job *job)
{
    for (Given *g = job->given; g < job->given + job->run.sheet->n; g++) {
        if (g->place.row == NULL)
            continue;
        const Argument *a = g->shape;
        g->M = constant(job->arena, size_or_1(job, a->rows),
                        a->cols == NULL ? 1 : size_or_1(job, a->cols));
        fill_matrix(job, g->M, a, g->item);
        for (int j = 1; sums_to_1(&g->place) && j <= g->M->cols; j++)
            check_chances(job, g->item, g->M, j);
    }
}

static void check_tied(Job *job)
{
    const Item *W_u = find_item(job, "W_u", 0),
               *W_e = find_item(job, "W_e", 0);
    bool tied = job->run.tied;
    if (tied && W_u != NULL)
        fail_in_text(job->f, W_u->at,
                     "with 'tied yes' W_u is %s; leave it out.",
                     as_W_u(job->run.layout));
    if (!tied && W_e != NULL && !has_model(job->run.algorithm)
        && argument_of(job, "W_u") != NULL)
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
    if (argument_of(job, "base") != NULL)
        bind_positions(job);
}

const Given *given_at(const Bound *bound, const Step *place)
{
    for (const Given *g = bound->given; g < bound->given + bound->givens; g++)
        if (g->M != NULL && g->place.row == NULL
            && g->place.head == place->head && g->place.layer == place->layer
            && g->place.part == place->part
            && strcmp(g->place.name, place->name) == 0)
            return g;
    return NULL;
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

Mat matrix_of_item(const Bound *bound, int k)
{
    return bound->given[k].M;
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
    for (Given *g = job->given; g < job->given + job->givens; g++) {
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
