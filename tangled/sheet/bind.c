/* Binding: each letter of a shape gets a size, and each matrix that a listing
   takes is read off the sheet, or filled with what stands in for it.

   Main types: Dimensions, Given. Entry points: all_fit, bind_matrices,
   start_given. Items flow in; matrices in the paper's layout, and theta, flow
   out. */
#include "sheet/bind.h"
#include <limits.h>
#include <math.h>
#include <string.h>

bool is_transposed(Kind kind, const Layout *layout)
{
    return kind == WEIGHT ? layout->weights
                          : kind != VECTOR && layout->rows;
}

/* Where a letter is; d->n: its size is not fixed. The heads of Algorithm 5
   share the rows of Y, so that "H d_mid" is a product, and fixes d_mid. */
static int index_of(const Dimensions *d, const char **letter)
{
    int k = 0;
    *letter = **letter == 'H' ? "d_mid" : own_letter(d->algorithm, *letter);
    while (k < d->n && strcmp(d->dimension[k].symbol, *letter) != 0)
        k++;
    return k;
}

int letter_size(const Dimensions *d, const char *symbol)
{
    int heads = *symbol == 'H' ? d->H : 1;
    return heads * d->dimension[index_of(d, &symbol)].size;
}

int size_or_1(const Job *job, const char *symbol)
{
    int size = symbol == NULL ? 1 : letter_size(&job->size, symbol);
    return size > 0 ? size : 1;
}

void limit_entries(const Job *job, double entries)
{
    if (entries > 2e6)
        fail_in_text(job->f, job->start->at, "the steps would have more than "
                     "two million entries.");
}

/* Whether a letter has that size, or has got it now. */
static bool agree(Dimensions *d, const char *symbol, int size,
                  const Item *item)
{
    int heads = *symbol == 'H' ? d->H : 1;
    d->symbol = own_letter(d->algorithm, symbol);
    int k = index_of(d, &symbol);
    if (k == d->n)
        d->dimension[d->n++] = (Dimension){ symbol, size / heads, item };
    d->by = d->dimension[k].by;
    d->is = size;
    return heads * d->dimension[k].size == size;
}

/* Whether a number stands in for each entry of the argument. */
static bool has_value(const Argument *a)
{
    return a->instead != NULL && strspn(a->instead, "01") == 1;
}

/* Whether an item has the shape of an argument; its letters are fixed. */
static bool fits(const Argument *a, const Item *item, const Layout *layout,
                 Dimensions *d)
{
    bool turn = is_transposed(a->kind, layout),
         line = item->rows == 1 || item->cols == 1,
         vector = a->kind == VECTOR || (a->kind == ONE_OR_MORE && line);
    int n = item->rows * item->cols,
        rows = vector ? n : turn ? item->cols : item->rows;
    d->item = item;
    d->argument = a;
    d->symbol = NULL;
    if (item->word != NULL || (a->kind == VECTOR && n == 1 && has_value(a)))
        return true;
    if (a->kind == LIST || (a->kind == VECTOR && !line))
        return line;
    return agree(d, a->rows, rows, item)
        && (a->kind == VECTOR || agree(d, a->cols, n / rows, item));
}

/* Settles what no matrix says: d_attn as a number, W that are left out. */
static bool settle_sizes(const Job *job, Dimensions *d)
{
    static const char *const squares[] = { "d_attn", "d_v", "d_out", "d_z" };
    const char *name = find_argument(job->run.algorithm, "X") ? "X" : "e";
    const Item *d_attn = find_item(job, "d_attn");
    if (d_attn != NULL
        && !agree(d, "d_attn", (int)number_given(job, "d_attn", 1), d_attn))
        fail_in_text(job->f, d_attn->at, "d_attn is %d, but by %s it is %d.",
                     d->is, d->by->typed, letter_size(d, "d_attn"));
    d->item = find_item(job, name);
    d->argument = find_argument(job->run.algorithm, name);
    for (int k = 0; job->identity && k < 4; k++)
        if (!agree(d, squares[k], letter_size(d, "d_x"), d->item))
            return false;
    return letter_size(d, "d_mid") > 0 || agree(d, "d_mid", 1, NULL);
}

bool all_fit(const Job *job, const Layout *layout, Dimensions *d)
{
    *d = (Dimensions){ .algorithm = job->run.algorithm,
                       .H = job->run.hyper.H };
    agree(d, "1", 1, NULL);
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        bool given = a->instead == NULL || find_item(job, a->name) != NULL;
        const Argument *other = given ? NULL
                              : find_argument(d->algorithm, a->instead);
        if (!takes(job->run.algorithm, a) || a->rows == NULL)
            continue;
        for (const Given *g = job->given; g->item != NULL; g++)
            if ((g->shape == a || g->shape == other)
                && !fits(a, g->item, layout, d))
                return false;
    }
    for (const Given *g = job->given; g->item != NULL; g++)
        if (g->place.row != NULL && !fits(g->shape, g->item, layout, d))
            return false;
    return settle_sizes(job, d);
}

_Noreturn void refuse_shape(const Job *job)
{
    char better[80] = "", shape[80], why[300];
    const Layout *layout = job->run.layout;
    const Dimensions *d = &job->size;
    const Argument *a = d->argument;
    bool vector = a->cols == NULL, turn = is_transposed(a->kind, layout);
    const char *rows = own_letter(d->algorithm, a->rows),
               *cols = vector ? "1" : own_letter(d->algorithm, a->cols);
    for (const Layout *l = layouts; l < layouts + LAYOUTS; l++)
        if (all_fit(job, l, &(Dimensions){ .n = 0 }))
            append(better, sizeof better, "%s%s", *better != '\0' ? " or "
                   : "; all shapes would fit under layout ", l->name);
    snprintf(shape, sizeof shape, vector ? "%s entries" : "%s x %s",
             turn ? cols : rows, turn ? rows : cols);
    if (d->symbol == NULL)
        snprintf(why, sizeof why, "; it must be one row or one column");
    else if (d->by == NULL || d->by == d->item)
        snprintf(why, sizeof why, "; in layout %s it is %s%s", layout->name,
                 shape, better);
    else
        snprintf(why, sizeof why, ", %s in layout %s; so %s would be %d, but "
                 "by %s it is %d%s", shape, layout->name, d->symbol, d->is,
                 d->by->typed, letter_size(d, d->symbol), better);
    fail_in_text(job->f, d->item->at, "%s is %d x %d%s.", d->item->typed,
                 d->item->rows, d->item->cols, why);
}

int most_of(const Job *job, const char *names, bool numbered, int most)
{
    for (const Given *g = job->given; g->item != NULL; g++) {
        int n = numbered ? g->item->head : g->item->rows * g->item->cols;
        if (n > most && word_in(names, g->item->name, strlen(g->item->name)))
            most = n;
    }
    return most;
}

int longest_sequence(const Job *job)
{
    double given = fmax(most_of(job, "x z", false, 1),
                        fmax(letter_size(&job->size, "ell_x"),
                             letter_size(&job->size, "ell_z")));
    return (int)(infers(job->run.algorithm) && !has_pairs(job->run.algorithm)
                 ? given + job->loop.ell_gen - 1
                 : fmax(given, job->loop.ell_gen));
}

/* Refuses a sheet one of whose steps would have too many entries. */
static void limit_sizes(const Job *job)
{
    double most = has_model(job->run.algorithm) ? longest_sequence(job) : 1;
    limit_entries(job, most * most);
    for (int k = 0; k < job->size.n; k++) {
        limit_entries(job, most * job->size.dimension[k].size);
        most = fmax(most, job->size.dimension[k].size);
    }
}

double entry_value(const Job *job, const Argument *a, const Item *item, int k)
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
        fail_in_text(job->f, entry->at, "only a claim may leave an entry "
                     "open; %s is given.", item->typed);
    if (!isfinite((double)(real)x))
        fail_in_text(job->f, entry->at, "an entry of %s must be finite%s.",
                     item->typed, isfinite(x)
                     ? "; this is too large for single precision" : "");
    return x;
}

/* What stands in for a matrix: I, 0, 1, or, where the sheet starts late, NaN
   for what is not known. */
static void fill_default(const Job *job, Mat M, const Argument *a)
{
    bool identity = job->identity && a->kind == WEIGHT,
         value = has_value(a) && !is_needed(job->run.algorithm, a),
         unknown = job->late
                && (!value || strncmp(a->name, "W_mlp", 5) == 0);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = unknown ? (real)NAN : identity ? i == j
                        : value && *a->instead == '1';
}

/* Makes a matrix of the entries of an item, as they were written, or of what
   stands in for them. */
static void fill_given(Job *job, Given *g)
{
    const Argument *a = g->shape;
    const Item *item = g->item;
    Mat M = g->M = constant(job->arena, size_or_1(job, a->rows),
                            size_or_1(job, a->cols));
    if (item == NULL) {
        fill_default(job, M, a);
        return;
    }
    bool turn = is_transposed(a->kind, job->run.layout)
             && item->cols == M->rows,
         one = item->rows * item->cols == 1;
    char note[80];
    for (int k = 0; k < M->rows * M->cols; k++) {
        int width = turn ? M->rows : M->cols, i = k / width, j = k % width;
        AT(M, (turn ? j : i) + 1, (turn ? i : j) + 1)
            = (real)entry_value(job, a, item, one ? 0 : k);
    }
    snprintf(note, sizeof note, "%s = %g in each entry", item->typed,
             item->entry->value);
    if (one && M->rows > 1)
        add_to_list(job->run.assumed, sizeof job->run.assumed, note);
}

Given *given_at(const Bound *bound, const Step *place)
{
    for (Given *g = bound->given; g->shape != NULL; g++)
        if (g->place.row == place->row && g->place.aspect == VALUE
            && g->place.layer == place->layer && g->place.head == place->head
            && g->place.part == place->part && place->time <= 1
            && (place->turn == 0 || g->place.turn == place->turn)
            && (place->row != NULL
                || strcmp(g->place.name, place->name) == 0))
            return g;
    return NULL;
}

/* Refuses a given distribution with a negative entry, or none above 0. */
static void check_chances(const Job *job, const Given *g)
{
    for (int j = 1; sums_to_1(&g->place) && j <= g->M->cols; j++) {
        double sum = 0, least = 0;
        for (int i = 1; i <= g->M->rows; i++) {
            sum += AT(g->M, i, j);
            least = fmin(least, AT(g->M, i, j));
        }
        if (sum <= 0 || least < 0)
            fail_in_text(job->f, g->item->at, "entries of %s are "
                         "probabilities: none may be negative, and not all "
                         "may be 0.", g->item->typed);
    }
}

/* Binds what is given at a place, or stands in for that, as a matrix; `to` is
   where theta has it, or NULL. */
static void bind_matrix(Job *job, const Step *place, Mat *to)
{
    Given *g = given_at(job, place);
    if (g == NULL)
        g = &job->given[job->givens++];
    g->shape = find_argument(job->run.algorithm, place->name);
    g->place = *place;
    g->to = to;
    fill_given(job, g);
}

/* Whether an argument is no matrix of this sheet, where g is given for it or
   NULL: a word or another argument stands for it, or it is left out. */
static bool is_without(const Job *job, const Argument *a, const Given *g)
{
    const Hyperparameters *h = &job->run.hyper;
    bool unused = (find_argument(job->run.algorithm, "tied") != NULL
                   && strcmp(a->name, h->tied ? "W_u" : "W_e") == 0)
               || (h->rms && strcmp(a->name, "beta") == 0);
    if (g != NULL)
        return g->item->word != NULL || unused;
    return unused || a->kind == MASK
        || (a->instead != NULL && find_item(job, a->instead) != NULL)
        || !(job->late || has_value(a));
}

/* Binds all matrices of Algorithms 1 to 7. */
static void bind_component(Job *job)
{
    enum { MATRICES = 12 };             /* of an algorithm, but for heads */
    make_room(job, MATRICES + 6 * job->run.hyper.H);
    job->running = arena_alloc(job->arena, sizeof *job->running);
    *job->running = (Theta){ .hyper = job->run.hyper };
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        bool each = is_of_head(job, a);
        for (int h = each; h <= (each ? job->run.hyper.H : 0); h++) {
            const Step place = { .name = a->name, .head = h };
            if (a->kind >= TOKENS && takes(job->run.algorithm, a)
                && !is_without(job, a, given_at(job, &place)))
                bind_matrix(job, &place, NULL);
        }
    }
}

int given_position(const Job *job, int most)
{
    const Item *pos = find_item(job, "pos"),
               *t = pos != NULL ? pos : require_of_head(job, "t", 0);
    int position = (int)t->entry->value + (pos != NULL);
    if (pos != NULL && find_item(job, "t") != NULL)
        fail_in_text(job->f, pos->at, "t is pos + 1; leave out one of them.");
    if (position > most)
        fail_in_text(job->f, t->entry->at, "there are only %d positions.",
                     most);
    return position;
}

/* Sets how positions are given or computed, and how many there are; `ell` if
   nothing says so. */
static void given_positions(Job *job, int ell)
{
    Hyperparameters *h = &job->run.hyper;
    static const unsigned of[] = { NO_POSITIONS, NO_POSITIONS, PAPER_SINES,
                                   VASWANI_SINES };
    const Item *W_p = find_item(job, "W_p");
    if (W_p != NULL && is_any_given(job, "positions ell_max d_e base"))
        fail_in_text(job->f, W_p->at, "%s has the positions; leave out "
                     "positions, ell_max, d_e and base.", W_p->typed);
    h->positions = W_p != NULL ? LEARNED
                 : of[(int)number_given(job, "positions", 0)];
    if (h->positions == PAPER_SINES && find_item(job, "base") == NULL)
        require_of_head(job, "ell_max", 0);
    h->ell_max = (int)number_given(job, "ell_max", W_p == NULL ? ell
                                   : letter_size(&job->size, "ell_max"));
}

/* Computes W_p for Algorithm 2, from numbers alone. */
static void compute_positions(Job *job)
{
    Hyperparameters *h = &job->run.hyper;
    given_positions(job, given_position(job, INT_MAX));
    bool paper = h->positions == PAPER_SINES;
    if (!paper && h->positions != VASWANI_SINES)
        return;
    const Item *d_e = require_of_head(job, "d_e", 0);
    h->d_e = (int)number_given(job, "d_e", 2);
    if (h->d_e % 2 != 0)
        fail_in_text(job->f, d_e->at, "d_e is odd, but each pair of entries "
                     "is a sine and a cosine.");
    limit_entries(job, (double)h->d_e * h->ell_max);
    note_assumption(job, "base", paper ? "ell_max" : "10000");
    note_assumption(job, "the first position", paper ? "1" : "0");
    double base = number_given(job, "base", paper ? h->ell_max : 10000);
    job->running->W_p = sinusoids(job->arena, h->d_e, h->ell_max, paper
                                  ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI,
                                  base, paper);
}

/* Returns how many layers a part has. If it is one, nobody need say so. The
   decoder has two attentions. */
static int given_layers(Job *job, Part part, const char *name)
{
    int least = 0;
    char number[20];
    for (const Given *g = job->given; g->item != NULL; g++)
        if ((g->place.part == ED ? DEC : g->place.part) == part)
            least = (int)fmax(least, fmax(g->place.layer, 1));
    int L = (int)number_given(job, name, least);
    snprintf(number, sizeof number, "%d", least);
    if (!job->late)
        note_assumption(job, name, number);
    for (Given *g = job->given; g->item != NULL && L == 1; g++)
        if ((g->place.part == ED ? DEC : g->place.part) == part
            && g->place.layer == 0)
            g->place.layer = 1;
    return L;
}

/* Sets what theta is made from: sizes, layers, heads, positions. */
static void given_hyperparameters(Job *job)
{
    Hyperparameters *h = &job->run.hyper;
    h->architecture = algorithm_table[job->run.algorithm].architecture;
    h->N_V = size_or_1(job, "N_V");
    h->d_e = size_or_1(job, "d_e");
    h->d_mlp = size_or_1(job, "d_mlp");
    h->d_f = size_or_1(job, "d_f");
    h->d_attn = size_or_1(job, "d_attn");
    h->d_mid = size_or_1(job, "d_mid");
    if (h->architecture == ED_TRANSFORMER) {
        h->L_enc = given_layers(job, ENC, "L_enc");
        h->L_dec = given_layers(job, DEC, "L_dec");
    } else
        h->L = given_layers(job, LAYER, "L");
    given_positions(job, longest_sequence(job));
    if (h->positions != NO_POSITIONS)
        limit_entries(job, (double)h->d_e * h->ell_max);
    else if (!job->late)
        note_assumption(job, "positions", "none");
    const char *wrong = hyperparameters_error(h);
    int attentions = h->L + h->L_enc + 2 * h->L_dec;
    if (wrong == NULL && attentions * (h->H > 10 ? h->H : 10) > 1000)
        wrong = "a model has at most 100 attentions, and 1000 heads in all "
                "of them.";
    if (wrong != NULL)
        fail_in_text(job->f, job->start->at, "%s", wrong);
}

/* Binds all parameters of theta, each by its place. */
static void bind_model(Job *job)
{
    given_hyperparameters(job);
    Theta *theta = job->running = theta_new(job->arena, &job->run.hyper);
    job->run.hyper = theta->hyper;
    limit_entries(job, (double)theta_count(theta));
    theta_allocate(theta, job->arena, NULL);
    make_room(job, theta->n);
    for (const Parameter *p = &theta->parameter[1];
         p <= &theta->parameter[theta->n]; p++)
        bind_matrix(job, &(Step){ .name = p->symbol, .part = p->part,
                                  .layer = p->layer, .head = p->head },
                    p->place);
}

void bind_matrices(Job *job)
{
    limit_sizes(job);
    for (Given *g = job->given; g->item != NULL; g++)
        if (g->place.row != NULL) {
            fill_given(job, g);
            check_chances(job, g);
        }
    if (job->run.hyper.tied)
        note_assumption(job, "W_u", as_W_u(job->run.layout));
    if (has_model(job->run.algorithm))
        bind_model(job);
    else
        bind_component(job);
    for (const Given *g = job->given; g->item != NULL; g++) {
        const char *name = g->item->name;
        if (g->M == NULL && g->shape->kind >= TOKENS && g->item->word == NULL)
            fail_in_text(job->f, g->item->at, "this sheet needs no %s, or it "
                         "is not clear where; a name such as %s^2, "
                         "layer1.%s, enc1.%s, dec1.%s or, for the "
                         "cross-attention, ed1.%s says where.",
                         g->item->typed, name, name, name, name, name);
    }
    if (find_argument(job->run.algorithm, "t") != NULL)
        compute_positions(job);
}

Mat matrix_given(const Bound *bound, const Step *place)
{
    const Given *g = given_at(bound, place);
    return g == NULL || (bound->late && g->item == NULL) ? NULL : g->M;
}

Mat vary(const Job *job, Moment moment, const Step *step, Mat M)
{
    Variation *v = job->variation;
    return v == NULL || v->visit == NULL
         ? M : v->visit(v->to, moment, step, M);
}

Mask mask_of_part(const Job *job, Part part)
{
    int word = (int)number_given(job, "mask", 1);
    const Given *mask = given_at(job, &(Step){ .name = "mask" });
    bool causal = word == 2 || word == 4 || part == DEC
        || (part == LAYER && job->run.hyper.architecture == D_TRANSFORMER);
    return mask != NULL && mask->M != NULL ? mask_of(mask->M)
         : causal ? unidirectional : bidirectional;
}

Mat copy_into(Mat to, Mat from)
{
    REQUIRE(to->rows * to->cols == from->rows * from->cols,
            "%d x %d into %d x %d.", from->rows, from->cols, to->rows,
            to->cols);
    memmove(to->at, from->at,
            (size_t)to->rows * (size_t)to->cols * sizeof *to->at);
    return to;
}

void start_given(Job *job)
{
    for (Given *g = job->given; g->shape != NULL; g++) {
        if (g->M == NULL || g->place.row != NULL)
            continue;
        Mat M = copy_into(g->to != NULL ? *g->to : input(
                              job->tape, g->M->rows, g->M->cols), g->M),
            other = g->item == NULL ? M : vary(job, IS_GIVEN, &g->place, M);
        g->M = other->cols == M->cols ? copy_into(M, other)
             : other;                       /* X is exchanged with Z */
    }
}
