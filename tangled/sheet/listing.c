/* Binding what a listing takes, and calling it, while the observer looks on.

   Main type: Job. Entry points: bind_listing, run_listing. In goes a job,
   out come its steps. */
#include "sheet/collect.h"
#include <math.h>
#include <string.h>

static void keep_result(Job *job, Mat M)
{
    if (job->late && !job->now.seen->known)
        return;
    job->run.result = copy_matrix(job, M, false);
}

/* The number of that name; where there is none, `instead`, which is noted
   in words. */
static double assume_number(Job *job, const char *name, double instead,
                        const char *words)
{
    if (find_item(job, name, 0) == NULL)
        note_assumption(job, name, words);
    return number_given(job, name, instead);
}

static void check_tied(Job *job)
{
    const Item *W_u = find_item(job, "W_u", 0);
    if (!job->run.tied)
        return;
    if (W_u != NULL)
        fail_in_text(job->f, W_u->at,
                     "with 'tied yes' W_u is %s; leave it out.",
                     as_W_u(job->run.layout));
    note_assumption(job, "W_u", as_W_u(job->run.layout));
}

static void observe_run(Job *job, const Theta *theta)
{
    prepare_tape(job->arena, job->tape, theta);
    observe(job->tape, collect_step, job);
}

static Mat run_embed(Job *job)
{
    Mat W_e = argument_matrix(job, "W_e", 0);
    require_item(job, "v", 0);
    int v = integer_given(job, "v", 1, W_e->cols, job->run.layout->rows
                          ? ", a row of W_e for each token"
                          : ", a column of W_e for each token");
    return embed(job->tape, W_e, v);
}

/* t, or, counted from 0, pos. */
static int given_position(const Job *job, int most, const char *range)
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
    double base = assume_number(job, "base", paper ? ell_max : 10000,
                                paper ? "ell_max" : "10000"),
           first = assume_number(job, "first", paper ? 1 : 0,
                                 paper ? "1" : "0");
    return sinusoids(job->arena, d_e, ell_max, paper ? SINUSOIDS_PAPER
                                               : SINUSOIDS_VASWANI,
                     base, first);
}

static Mat run_posembed(Job *job)
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
    Mat W = variant != 0 ? job->positions : argument_matrix(job, "W_p", 0);
    if (find_item(job, "e", 0) != NULL)
        argument_matrix(job, "e", 0);
    int t = given_position(job, W->cols, ", the positions");
    return posembed(job->tape, W, t);
}

static W_qkv given_head(Job *job, int h)
{
    W_qkv w;
    const struct { const char *name; Mat *place; } parts[] = {
        { "W_q", &w.W_q }, { "b_q", &w.b_q }, { "W_k", &w.W_k },
        { "b_k", &w.b_k }, { "W_v", &w.W_v }, { "b_v", &w.b_v } };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        *parts[k].place = argument_matrix(job, parts[k].name, h);
    return w;
}

static Mat run_attention1(Job *job)
{
    Mat e = argument_matrix(job, "e", 0),
        e_t = argument_matrix(job, "e_t", 0);
    W_qkv w = given_head(job, 0);
    return attention1(e, e_t, &w);
}

/* X and Z, which may be the same. */
static void bind_X_and_Z(Job *job, Mat *X, Mat *Z)
{
    *Z = *X = argument_matrix(job, "X", 0);
    if (find_item(job, "Z", 0) != NULL
        || (job->late && find_item(job, "X", 0) == NULL))
        *Z = argument_matrix(job, "Z", 0);
}

static Mat run_attention(Job *job)
{
    Mat X, Z;
    bind_X_and_Z(job, &X, &Z);
    W_qkv w = given_head(job, 0);
    job->mask = argument_mask(job);
    return attention(X, Z, &w, job->mask);
}

static Mat run_mhattention(Job *job)
{
    Mat X, Z;
    bind_X_and_Z(job, &X, &Z);
    size_t heads = (size_t)job->H + 1;
    W_qkv *head = arena_alloc(job->arena, heads * sizeof *head);
    for (int h = 1; h <= job->H; h++)
        head[h] = given_head(job, h);
    W_multi w = { .H = job->H, .head = head };
    w.W_o = argument_matrix(job, "W_o", 0);
    w.b_o = argument_matrix(job, "b_o", 0);
    job->mask = argument_mask(job);
    return mhattention(X, Z, &w, job->mask);
}

static Mat run_layer_norm(Job *job)
{
    bool rms = job->run.rms;
    const Item *beta = find_item(job, "beta", 0);
    Mat e = argument_matrix(job, "e", 0),
        gamma = argument_matrix(job, "gamma", 0);
    job->epsilon = assume_number(job, "epsilon", 0, "0");
    Theta theta = { .hyper = { .epsilon = job->epsilon, .rms = rms } };
    observe_run(job, &theta);
    if (rms && beta != NULL)
        fail_in_text(job->f, beta->at, "RMSnorm has no beta.");
    Mat bias = rms ? NULL : argument_matrix(job, "beta", 0);
    return layer_norm(e, gamma, bias);
}

static Mat run_unembed(Job *job)
{
    bool tied = job->run.tied;
    const Item *W_e = find_item(job, "W_e", 0);
    if (W_e != NULL && !tied)
        fail_in_text(job->f, W_e->at, "W_e is used only with 'tied yes'.");
    check_tied(job);
    Mat e = argument_matrix(job, "e", 0),
        W = argument_matrix(job, tied ? "W_e" : "W_u", 0);
    job->tau = number_given(job, "tau", 1);
    if (job->tau == 0)
        fail_in_text(job->f, find_item(job, "tau", 0)->at,
                     "tau must be above 0; 0 is "
                     "for Algorithm 14.");
    W = tied ? transpose_of(job->arena, W) : W;
    return unembed(e, W);
}

static void bind_arguments(Job *job, const char *names, int head)
{
    char name[20];
    for (; *names != '\0'; names = after_word(names)) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        if (argument_of(job, name) != NULL)
            bind_argument(job, argument_of(job, name)->name, head);
    }
}

static void bind_component(Job *job)
{
    bool each = job->run.algorithm == 5;
    bind_arguments(job, "W_p e e_t X Z", 0);
    for (int h = each; h <= (each ? job->H : 0); h++)
        bind_arguments(job, "W_q b_q W_k b_k W_v b_v", h);
    bind_arguments(job, "W_o b_o mask gamma beta W_u W_e", 0);
}

static int given_layers(Job *job, Part part, const char *name)
{
    enum { MOST = 100 };
    const Sheet *sheet = job->run.sheet;
    const Item *given = find_item(job, name, 0);
    int least = 0;
    char number[20];
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        Part of = job->entered[k].row != NULL ? job->entered[k].part
                                              : part_of_item(job, item);
        int l = item->layer > 0 ? item->layer : 1;
        if (!item->claim && l > least
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
    if (given == NULL)
        note_assumption(job, name, number);
    return (int)L;
}

/* The largest head, or the most entries, of an item of these names; at least
   that. */
static int most_of(const Job *job, const char *names, bool heads, int most)
{
    const Sheet *sheet = job->run.sheet;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        int n = heads ? item->head : item->rows * item->cols;
        if (!item->claim && n > most
            && word_in(names, item->name, strlen(item->name)))
            most = n;
    }
    return most;
}

int given_heads(const Job *job)
{
    return most_of(job, "W_q W_k W_v b_q b_k b_v", true, job->H);
}

static int longest_sequence(const Job *job)
{
    int ell_x = letter_size(&job->size, "ell_x"),
        ell_z = letter_size(&job->size, "ell_z"),
        most = most_of(job, "x z", false, 1);
    most = ell_x > most ? ell_x : most;
    most = ell_z > most ? ell_z : most;
    if (job->run.algorithm == 14)
        return most + job->loop.ell_gen - 1;
    return most > job->loop.ell_gen ? most : job->loop.ell_gen;
}

/* The rows know how large their steps are. */
void limit_sizes(const Job *job)
{
    bool model = job->run.algorithm >= 8;
    for (const StepRow *row = step_table; row < step_table + step_rows;
         row++) {
        const char *const letters[] = { row->high, row->wide };
        double n = comes_by(job->run.algorithm, row);
        for (int k = 0; k < 2 && n > 0; k++)
            n *= model && strncmp(letters[k], "ell", 3) == 0
               ? longest_sequence(job)
               : size_or_1(job, letter_of(job, row, letters[k], NOWHERE));
        limit_entries(job, n);
    }
}

static void given_positions(Job *job, Hyperparameters *h)
{
    static const char words[] = "none paper vaswani";
    const Item *W_p = find_item(job, "W_p", 0),
               *most = find_item(job, "ell_max", 0);
    int word = word_given(job, "positions", words);
    if (W_p != NULL && (word != 0 || most != NULL))
        fail_in_text(job->f, (word != 0 ? find_item(job, "positions", 0)
                              : most)->at,
                     "W_p has the positions; leave out %s.",
                     word != 0 ? "'positions'" : "ell_max");
    if (word >= 2)
        require_item(job, "ell_max", 0);
    if (W_p == NULL && word == 0)
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
    Hyperparameters *h = &job->hyper;
    *h = (Hyperparameters){
        .architecture = architecture(job), .H = job->H,
        .N_V = size_or_1(job, "N_V"),
        .d_e = size_or_1(job, "d_e"),
        .d_mlp = size_or_1(job, "d_mlp"),
        .d_f = letter_size(&job->size, "d_f"),
        .d_attn = size_or_1(job, "d_attn"),
        .d_mid = size_or_1(job, "d_mid"), .tied = job->run.tied };
    if (h->architecture == ED_TRANSFORMER) {
        h->L_enc = given_layers(job, ENC, "L_enc");
        h->L_dec = given_layers(job, DEC, "L_dec");
    } else
        h->L = given_layers(job, LAYER, "L");
    given_positions(job, h);
    job->epsilon = h->epsilon = assume_number(job, "epsilon", 0, "0");
    const char *wrong = hyperparameters_error(h);
    if (wrong != NULL)
        fail_in_text(job->f, job->start->at, "%s", wrong);
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

static void check_places(const Job *job, const Theta *theta)
{
    const Sheet *sheet = job->run.sheet;
    for (int i = 0; i < sheet->n; i++) {
        const Item *item = &sheet->item[i];
        bool found = item->claim || item->word != NULL
                  || job->argument[i] == NULL
                  || job->argument[i]->kind == LIST
                  || job->argument[i]->rows == NULL;
        for (int k = 1; k <= theta->n && !found; k++) {
            Step place = place_of(&theta->parameter[k]);
            found = is_at(job, i, &place);
        }
        if (!found)
            refuse_place(job, item);
    }
}

bool is_training(const Job *job)
{
    return 11 <= job->run.algorithm && job->run.algorithm <= 13;
}

static Theta *theta_to_run(Job *job)
{
    Theta *theta = job->running;
    theta_clear_gradient(theta);
    for (int k = 1; k <= theta->n; k++) {
        GivenMatrix *g = &job->given[k - 1];
        Mat M = *theta->parameter[k].place;
        copy_into(M, g->M);
        if (!job->late || !isnan(M->at[0]))
            copy_into(M, vary(job, IS_GIVEN, &g->place, M));
        g->M = M;
    }
    if (job->hyper.positions != LEARNED && !job->run.unplaced)
        theta->W_p = vary(job, IS_GIVEN, &(Step){ .name = "W_p" },
                                job->model->W_p);
    observe_run(job, theta);
    return theta;
}

static int given_sequences(const Job *job)
{
    return most_of(job, "x z", true, 1);
}

static void limit_heads(const Job *job)
{
    enum { MOST = 1000 };
    const Hyperparameters *h = &job->hyper;
    if ((h->L + h->L_enc + 2 * h->L_dec) * h->H > MOST)
        fail_in_text(job->f, job->start->at, "a model has at most %d heads "
                     "in all of its layers.", MOST);
}

static void bind_model(Job *job)
{
    const Item *u = find_item(job, "u", 0);
    if (argument_of(job, "ell_gen") != NULL)
        job->loop.ell_gen = integer_given(job, "ell_gen", u == NULL ? 1
                                     : u->rows * u->cols, 10000, "");
    given_hyperparameters(job);
    check_tied(job);
    if (!job->run.tied)
        require_item(job, "W_u", 0);
    limit_heads(job);
    Theta *theta = job->model = theta_new(job->arena, &job->hyper);
    job->hyper = theta->hyper;
    limit_entries(job, (double)theta_count(theta));
    check_places(job, theta);
    theta_allocate(theta, job->arena);
    job->given = arena_alloc(job->arena,
                             (size_t)theta->n * sizeof *job->given);
    for (int k = 1; k <= theta->n; k++) {
        const Step place = place_of(&theta->parameter[k]);
        bind_matrix(job, &place, *theta->parameter[k].place);
    }
    job->running = theta_new(job->arena, &job->hyper);
    theta_allocate(job->running, job->arena);
}

static void check_room(const Job *job, const Item *item, int length)
{
    if (length > job->hyper.ell_max && item != NULL)
        fail_in_text(job->f, item->at, "%s has %d tokens; ell_max is %d.",
                     item->typed, length, job->hyper.ell_max);
    if (length > job->hyper.ell_max)
        fail_in_text(job->f, job->start->at, "the model would read %d "
                     "tokens; ell_max is %d.", length, job->hyper.ell_max);
}

/* Where no matrix says how many tokens there are, and where a step stands in
   for them, each is 1. */
static Tokens given_tokens(const Job *job, const char *name, int number)
{
    const Item *item = require_item(job, name, number);
    int length = item != NULL ? item->rows * item->cols
               : size_or_1(job, *name == 'z' ? "ell_z" : "ell_x");
    int *id = arena_alloc(job->arena, (size_t)length * sizeof *id);
    int N_V = letter_size(&job->size, "N_V");
    check_room(job, item, length);
    for (int t = 0; t < length; t++) {
        double v = item == NULL ? 1
                 : entry_value(job, argument_of(job, name), item, t);
        if (v != floor(v) || v < 1 || (v > N_V && N_V > 0))
            fail_in_text(job->f, item->entry[t].at,
                         "a token is one of 1 ... %d.", job->hyper.N_V);
        id[t] = N_V > 0 ? (int)v : 1;
    }
    return (Tokens){ length, id };
}

static void run_model(Job *job)
{
    Theta *theta = theta_to_run(job);
    Architecture of = architecture(job);
    Tokens z = no_tokens;
    if (of == ED_TRANSFORMER)
        z = given_tokens(job, "z", 0);
    Tokens x = given_tokens(job, "x", 0);
    keep_result(job, of == ED_TRANSFORMER
                ? edtransformer(job->tape, z, x, theta)
                : of == E_TRANSFORMER ? etransformer(job->tape, x, theta)
                                      : dtransformer(job->tape, x, theta));
}

static Data given_data(Job *job)
{
    bool pairs = architecture(job) == ED_TRANSFORMER;
    int N_data = given_sequences(job);
    size_t room = (size_t)N_data + 1;
    Tokens *x = arena_alloc(job->arena, room * sizeof *x),
           *z = arena_alloc(job->arena, room * sizeof *z);
    for (int n = 1; n <= N_data; n++) {
        x[n] = given_tokens(job, "x", n);
        if (pairs)
            z[n] = given_tokens(job, "z", n);
    }
    job->loop.data_n = N_data;
    return (Data){ .N_data = N_data, .x = x, .z = pairs ? z : NULL };
}

static const double *given_chances(const Job *job, int least,
                                   const char *because)
{
    const Item *item = require_item(job, "u", 0);
    int n = item == NULL ? least : item->rows * item->cols;
    double *u = arena_alloc(job->arena, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) {
        u[k] = item == NULL ? 0 : item->entry[k].value;
        if (!(u[k] >= 0 && u[k] < 1))
            fail_in_text(job->f, item->entry[k].at,
                         "a uniform number must be at "
                         "least 0 and below 1.");
    }
    if (n < least)
        fail_in_text(job->f, item->at, "u has %d number%s; %s.", n,
                     n == 1 ? "" : "s", because);
    return u;
}

static void check_special_token(const Job *job, int least, const char *token)
{
    if (job->hyper.N_V < least)
        fail_in_text(job->f, require_item(job, "W_e", 0)->at,
                     "N_V must be at least %d: %s is N_V - %d.", least,
                     token, least - 1);
}

static Training given_training(Job *job)
{
    Training how = { .N_epochs = integer_given(job, "N_epochs", 1, 1000, ""),
                     .eta = number_given(job, "eta", 1) };
    if (find_item(job, "N_epochs", 0) == NULL)
        note_assumption(job, "N_epochs", "1");
    if (job->run.algorithm != 12)
        return how;
    int most = longest_sequence(job);
    how.p_mask = number_given(job, "p_mask", 1);
    job->loop.u = given_chances(job, most, "each token needs one");
    check_special_token(job, 3, "mask_token");
    size_t bytes = (size_t)most * sizeof *job->loop.row;
    job->loop.row = arena_alloc(job->arena, bytes);
    return how;
}

/* Each sequence has the numbers of the sheet, from the first on. */
static double number_of_token(void *from)
{
    Job *job = from;
    const Data *on = job->loop.data;
    if (job->loop.drawn == on->x[job->loop.sequence].length) {
        job->loop.sequence = job->loop.sequence % on->N_data + 1;
        job->loop.drawn = 0;
    }
    return job->loop.u[job->loop.drawn++];
}

static void train_on(Job *job, const Data *on)
{
    Theta *theta = job->loop.theta;
    const Training *how = &job->loop.how;
    Random random = random_from(number_of_token, job);
    job->loop.data = on;
    job->loop.sequence = 1;
    if (job->run.algorithm == 11)
        edtraining(job->tape, on->N_data, on->z, on->x, theta,
                   how->N_epochs, how->eta);
    else if (job->run.algorithm == 12)
        etraining(job->tape, on->N_data, on->x, theta, how->N_epochs,
                  how->eta, how->p_mask, &random);
    else
        dtraining(job->tape, on->N_data, on->x, theta, how->N_epochs,
                  how->eta);
}

static Mat all_of(const Job *job, const Theta *theta)
{
    Mat all = constant(job->arena, (int)theta_count(theta), 1);
    int n = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (int e = 0; e < M->rows * M->cols; e++)
            AT(all, ++n, 1) = M->at[e];
    }
    return all;
}

static void run_training(Job *job)
{
    Theta *theta = theta_to_run(job);
    Data data = given_data(job);
    job->loop.how = given_training(job);
    job->loop.theta = theta;
    Mat before = all_of(job, theta);
    train_on(job, &data);
    Mat change = all_of(job, theta);
    for (int i = 1; i <= change->rows; i++)
        AT(change, i, 1) -= AT(before, i, 1);
    keep_result(job, change);
}

static Random given_numbers(Job *job, NumberList *list)
{
    job->tau = assume_number(job, "tau", 1, "1");
    size_t bytes = (size_t)job->loop.ell_gen * sizeof(double);
    *list = (NumberList){ .n = job->loop.ell_gen };
    if (find_item(job, "u", 0) != NULL || job->tau > 0)
        list->u = given_chances(job, job->loop.ell_gen, "each token that is "
                                "drawn needs one");
    else
        list->u = memset(arena_alloc(job->arena, bytes), 0, bytes);
    job->loop.chances = list;
    return random_in(list);
}

static void run_inference(Job *job)
{
    NumberList list;
    Random random = given_numbers(job, &list);
    Theta *theta = theta_to_run(job);
    bool of_pairs = architecture(job) == ED_TRANSFORMER;
    Tokens start = given_tokens(job, of_pairs ? "z" : "x", 0);
    if (of_pairs)
        check_special_token(job, 2, "bos_token");
    check_room(job, NULL, of_pairs ? job->loop.ell_gen
                                   : start.length + job->loop.ell_gen - 1);
    job->loop.turn = of_pairs;
    Tokens y = of_pairs
        ? edinference(job->tape, start, theta, job->loop.ell_gen, job->tau,
                      &random)
        : dinference(job->tape, start, theta, job->loop.ell_gen, job->tau,
                     &random);
    job->loop.turn = 0;
    add_integers(job, of_pairs
                 ? (Step){ .algorithm = 15, .line = 9, .name = "x_hat" }
                 : (Step){ .algorithm = 14, .line = 8, .name = "y" },
                 y.length, y.id, !job->late || job->now.seen->known);
    keep_result(job, job->now.step[job->run.n - 1].M);
}

void bind_listing(Job *job)
{
    if (job->run.algorithm < 8)
        bind_component(job);
    else
        bind_model(job);
}

void run_listing(Job *job)
{
    static Mat (*const components[])(Job *job) = {
        NULL, run_embed, run_posembed, run_attention1, run_attention,
        run_mhattention, run_layer_norm, run_unembed };
    int algorithm = job->run.algorithm;
    if (algorithm < 8)
        keep_result(job, components[algorithm](job));
    else if (algorithm <= 10)
        run_model(job);
    else if (algorithm <= 13)
        run_training(job);
    else
        run_inference(job);
}
