/* A sheet is bound in the layout that is likeliest; then the listing of its
   algorithm is called with what is bound, while the observer looks on.

   Main types: Bound, Run. Entry points: bind_sheet, run_bound. In goes a
   sheet; out come its steps, and what the algorithm returns. */
#include "sheet/names.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* A bound matrix of the run. One that is not bound is refused. */
static Mat argument_matrix(const Job *job, const char *name, int head)
{
    const Given *g = given_at(job, &(Step){ .name = name, .head = head });
    if (g == NULL)
        require_of_head(job, name, head);
    return g->M;
}

/* One function for each signature: each calls a listing with what is bound,
   and returns what that returns. */
static Mat run_embed(Job *job)
{
    Mat W_e = argument_matrix(job, "W_e", 0);
    int v = (int)number_given(job, "v", 1);
    if (v > W_e->cols)
        fail_in_text(job->f, find_item(job, "v")->entry->at, "v is %d; "
                     "W_e has the tokens 1 ... %d.", v, W_e->cols);
    return embed(job->tape, W_e, v);
}

static Mat run_posembed(Job *job)
{
    Mat computed = job->running->W_p,
        W_p = computed != NULL ? computed : argument_matrix(job, "W_p", 0);
    return posembed(job->tape, W_p, given_position(job, W_p->cols));
}

/* The six matrices of head h; 0: of the only one. */
static W_qkv given_head(Job *job, int h)
{
    return (W_qkv){ .W_q = argument_matrix(job, "W_q", h),
                    .b_q = argument_matrix(job, "b_q", h),
                    .W_k = argument_matrix(job, "W_k", h),
                    .b_k = argument_matrix(job, "b_k", h),
                    .W_v = argument_matrix(job, "W_v", h),
                    .b_v = argument_matrix(job, "b_v", h) };
}

static Mat run_attention1(Job *job)
{
    W_qkv w = given_head(job, 0);
    return attention1(argument_matrix(job, "e", 0),
                      argument_matrix(job, "e_t", 0), &w);
}

/* Algorithm 4 with its one head, or Algorithm 5. Without Z, that is X. */
static Mat run_attention(Job *job)
{
    bool many = has_heads(job->run.algorithm);
    const Given *Z = given_at(job, &(Step){ .name = "Z" });
    Mat X = argument_matrix(job, "X", 0), context = Z == NULL ? X : Z->M;
    W_qkv *head = arena_alloc(job->arena,
                              (size_t)(job->run.hyper.H + 1) * sizeof *head);
    Mask mask = mask_of_part(job, NOWHERE);
    for (int h = many; h <= (many ? job->run.hyper.H : 0); h++)
        head[h] = given_head(job, h);
    if (!many)
        return attention(X, context, head, mask);
    W_multi w = { .H = job->run.hyper.H, .head = head,
                  .W_o = argument_matrix(job, "W_o", 0),
                  .b_o = argument_matrix(job, "b_o", 0) };
    return mhattention(X, context, &w, mask);
}

static Mat run_layer_norm(Job *job)
{
    Mat e = argument_matrix(job, "e", 0),
        gamma = argument_matrix(job, "gamma", 0);
    return layer_norm(e, gamma, job->run.hyper.rms ? NULL
                      : argument_matrix(job, "beta", 0));
}

static Mat run_unembed(Job *job)
{
    Mat W = argument_matrix(job, job->run.hyper.tied ? "W_e" : "W_u", 0);
    return unembed(argument_matrix(job, "e", 0), job->run.hyper.tied
                   ? transpose_of(job->arena, W) : W);
}

/* Refuses more than ell_max tokens, of an item or, if NULL, to be drawn. */
static void check_room(const Job *job, const Item *item, int length)
{
    const int most = job->run.hyper.ell_max;
    if (length > most)
        fail_in_text(job->f, (item != NULL ? item : job->start)->at, "%s has "
                     "%d tokens; ell_max is %d.", item != NULL ? item->typed
                     : "the model's input", length, most);
}

/* Where no matrix says how many tokens there are, and where a step stands in
   for them, each is 1. */
static Tokens given_tokens(const Job *job, const char *name, int number)
{
    const Item *item = require_of_head(job, name, number);
    const Argument *list = find_argument(job->run.algorithm, name);
    int length = item != NULL ? item->rows * item->cols
               : size_or_1(job, list->rows);
    int *id = arena_alloc(job->arena, (size_t)length * sizeof *id);
    int N_V = letter_size(&job->size, "N_V");
    check_room(job, item, length);
    for (int t = 0; t < length; t++) {
        double v = item == NULL ? 1 : entry_value(job, list, item, t);
        if (v != floor(v) || v < 1 || (v > N_V && N_V > 0))
            fail_in_text(job->f, item->entry[t].at,
                         "a token is one of 1 ... %d.", job->run.hyper.N_V);
        id[t] = N_V > 0 ? (int)v : 1;
    }
    return (Tokens){ length, id };
}

static Mat run_model(Job *job)
{
    const Theta *theta = job->running;
    const Architecture kind = theta->hyper.architecture;
    Tokens z = kind == ED_TRANSFORMER ? given_tokens(job, "z", 0) : no_tokens,
           x = given_tokens(job, "x", 0);
    return kind == ED_TRANSFORMER ? edtransformer(job->tape, z, x, theta)
         : kind == E_TRANSFORMER ? etransformer(job->tape, x, theta)
                                 : dtransformer(job->tape, x, theta);
}

/* The uniform numbers of the sheet, of which so many are used; with tau = 0
   none need be there. */
static NumberList given_chances(const Job *job, int least)
{
    const Item *item = job->tau > 0 ? require_of_head(job, "u", 0)
                                    : find_item(job, "u");
    int n = item == NULL ? least : item->rows * item->cols;
    double *u = arena_alloc(job->arena, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) {
        u[k] = item == NULL ? 0 : item->entry[k].value;
        if (!(u[k] >= 0 && u[k] < 1))
            fail_in_text(job->f, item->entry[k].at, "a uniform number must "
                         "be at least 0 and below 1.");
    }
    if (n < least)
        fail_in_text(job->f, item->at, "u has %d of the %d numbers that are "
                     "needed.", n, least);
    return (NumberList){ .n = least, .u = u };
}

/* Refuses a vocabulary that has no room for the special tokens. */
static void check_special_token(const Job *job, int least, const char *token)
{
    if (job->run.hyper.N_V < least)
        fail_in_text(job->f, require_of_head(job, "W_e", 0)->at,
                     "N_V must be at least %d: %s is N_V - %d.", least,
                     token, least - 1);
}

/* The sequences of a training: x_1, x_2, ..., or one x. */
static Tokens *given_data(const Job *job, const char *name, int N_data)
{
    Tokens *x = arena_alloc(job->arena, ((size_t)N_data + 1) * sizeof *x);
    for (int n = 1; n <= N_data; n++)
        x[n] = given_tokens(job, name, n);
    return x;
}

/* All entries of theta in one column, less those of before, if not NULL. */
static Mat all_of(const Job *job, const Theta *theta, Mat before)
{
    Mat all = constant(job->arena, (int)theta_count(theta), 1);
    int n = 0;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (int e = 0; e < M->rows * M->cols; e++, n++)
            all->at[n] = M->at[e] - (before == NULL ? 0 : before->at[n]);
    }
    return all;
}

/* The uniform numbers of a whole training, if the sheet has so many; else
   each sequence, in each epoch, begins with the first of the sheet. */
static NumberList chances_of_all(const Job *job, int N_data,
                                 const Tokens x[])
{
    int all = 0, n = 0;
    for (int turn = 0; turn < job->loop.turns; turn++)
        all += x[turn % N_data + 1].length;
    const bool again = most_of(job, "u", false, 0) < all;
    NumberList list = given_chances(job, again ? longest_sequence(job) : all);
    double *u = arena_alloc(job->arena, (size_t)all * sizeof *u);
    for (int turn = 0; turn < job->loop.turns; turn++)
        for (int t = 0; t < x[turn % N_data + 1].length; t++, n++)
            u[n] = list.u[again ? t : n];
    return (NumberList){ .n = all, .u = u };
}

static Mat run_training(Job *job)
{
    Theta *theta = job->running;
    Tape *tape = job->tape;
    int N_data = most_of(job, "x z", true, 1),
        N_epochs = (int)number_given(job, "N_epochs", 1);
    double eta = number_given(job, "eta", 1);
    const Tokens *x = given_data(job, "x", N_data);
    Random random = random_in(&job->loop.chances);
    Mat before = all_of(job, theta, NULL);
    note_assumption(job, "N_epochs", "1");
    job->loop.turns = N_data * N_epochs;
    if (theta->hyper.architecture == ED_TRANSFORMER)
        edtraining(tape, N_data, given_data(job, "z", N_data), x, theta,
                   N_epochs, eta);
    else if (theta->hyper.architecture == D_TRANSFORMER)
        dtraining(tape, N_data, x, theta, N_epochs, eta);
    else {
        job->loop.chances = chances_of_all(job, N_data, x);
        check_special_token(job, 3, "mask_token");
        etraining(tape, N_data, x, theta, N_epochs, eta,
                  number_given(job, "p_mask", 1), &random);
    }
    return all_of(job, theta, before);
}

static Mat run_inference(Job *job)
{
    bool of_pairs = has_pairs(job->run.algorithm);
    int ell_gen = job->loop.ell_gen;
    job->loop.chances = given_chances(job, ell_gen);
    Random random = random_in(&job->loop.chances);
    Tokens start = given_tokens(job, of_pairs ? "z" : "x", 0);
    if (of_pairs)
        check_special_token(job, 2, "bos_token");
    check_room(job, NULL, of_pairs ? ell_gen : start.length + ell_gen - 1);
    job->loop.turn = of_pairs;
    Tokens y = (of_pairs ? edinference : dinference)(
        job->tape, start, job->running, ell_gen, job->tau, &random);
    job->loop.turn = 0;
    Step step = step_seen(&job->now.at, of_pairs ? "15.9" : "14.8",
                          of_pairs ? "x_hat" : "y", 0);
    return add_integers(job, step, y.length, y.id, !job->loop.undrawn);
}

/* Refuses scores that nothing divides, and what is given for nothing; else
   says "from Q, K, V to V_tilde", in a model with the line. */
static void describe_entry(Job *job)
{
    const int a = job->run.algorithm;
    char list[300] = "", line[30] = "";
    const Seen *last = job->now.seen;
    while (last != NULL && (last->M == NULL || last->step.given != NULL))
        last = last->before;
    for (const Given *g = job->given; g->item != NULL; g++) {
        const StepRow *row = g->place.row;
        bool value = g->place.aspect == VALUE, enters = value && row != NULL;
        const char *wrong = !enters || (last != NULL && last->step.role
                                        != ROLE_MASKED) ? NULL
            : row->role != ROLE_SCORES ? "alone is not enough"
            : "alone is not enough: d_attn is missing, or 'scale no', or a "
              "number such as 'scale 8'";
        if (wrong == NULL && g->M != NULL && value && g->user == NULL
            && strncmp(g->item->name + 1, "_mlp", 4) != 0)
            wrong = "is not used, since a later step is given or another "
                    "matrix is missing";
        if (wrong != NULL)
            fail_in_text(job->f, g->item->at, "%s %s; Algorithm %d starts "
                         "from %s.", g->item->typed, wrong, a,
                         algorithm_table[a].starts);
        if (enters)
            add_to_list(list, sizeof list, g->item->typed);
    }
    if (has_model(a))
        snprintf(line, sizeof line, "%d.%d ", last->step.algorithm,
                 last->step.line);
    append(job->run.entered, sizeof job->run.entered, "from %s to %s%s",
           list, line, last->step.row->name);
}

/* Runs a job, says where a late sheet starts and ends, and runs back. */
static void run_algorithm(Error *f, void *data)
{
    static Mat (*const run[])(Job *job) = {
        NULL, run_embed, run_posembed, run_attention1, run_attention,
        run_attention, run_layer_norm, run_unembed, run_model, run_model,
        run_model, run_training, run_training, run_training, run_inference,
        run_inference };
    Job *job = data;
    size_t room = (size_t)job->run.hyper.ell_max;
    job->f = f;
    job->loop.row = arena_alloc(job->arena, room * sizeof *job->loop.row);
    start_given(job);
    Mat M = run[job->run.algorithm](job);
    if (!job->late || job->now.seen->M != NULL)
        job->run.result = copy_into(constant(job->arena, M->rows, M->cols),
                                    M);
    if (job->late && job->variation == NULL)
        describe_entry(job);
    if (job->backwards != NULL)
        collect_gradients(job);
}

/* Reads what is said of the sheet as a whole. */
static void read_settings(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    const Item *scale = find_item(job, "scale");
    int layout = (int)number_given(job, "layout", 0);
    double most = 0;            /* decimals of a claim */
    if (layout > 0)
        job->run.layout = &layouts[layout - 1];
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            most = fmax(most, most_decimals(&sheet->item[k]));
    job->run.decimals = (int)number_given(job, "decimals", most == 0 ? 4
                                          : fmin(most, 15));
    double by = number_given(job, "scale", 2);
    if (scale == NULL || scale->word != NULL)
        by = by == 1;                   /* for "no" */
    job->run.divisor = by == 0 || by >= 1 ? by : 1 / by;
    job->run.hyper.rms = number_given(job, "norm", 1) == 2;
    job->run.hyper.tied = number_given(job, "tied", 1) == 2;
    job->run.hyper.epsilon = number_given(job, "epsilon", 0);
    job->tau = number_given(job, "tau", 1);
    if (infers(job->run.algorithm))
        job->loop.ell_gen = (int)number_given(job, "ell_gen",
                                              most_of(job, "u", false, 1));
}

/* Refuses a sheet without what its algorithm needs. All weights of an
   attention may be left out together. */
static void check_needs(Job *job)
{
    int algorithm = job->run.algorithm;
    job->identity = algorithm_table[algorithm].kind == ATTENTION && !job->late
                 && !is_any_given(job, "W_q W_k W_v W_o")
                 && is_any_given(job, "X e");
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        bool each = is_of_head(job, a),
             list = a->kind == LIST && find_of_head(job, a->name, 1) != NULL,
             tied = job->run.hyper.tied && strcmp(a->name, "W_u") == 0;
        if (takes(algorithm, a) && is_needed(algorithm, a) && !list && !tied
            && !(job->identity && a->kind == WEIGHT))
            for (int h = each; h <= (each ? job->run.hyper.H : 0); h++)
                require_of_head(job, a->name, h);
    }
}

/* Whether no claimed e^x is above 1, and each softmax can have one of 1. */
static bool is_shifted(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    int least = 0, ones = 0;
    for (const Item *c = sheet->item; c < sheet->item + sheet->n; c++) {
        bool one = c->rows == 1 || c->cols == 1;
        if (!c->claim || strcmp(c->name, "exp") != 0)
            continue;
        least += one ? 1 : job->run.layout->rows ? c->rows : c->cols;
        for (int k = 0; k < c->rows * c->cols; k++) {
            if (c->entry[k].value > 1)
                return false;
            ones += c->entry[k].value == 1;
        }
    }
    return least > 0 && ones >= least;
}

typedef struct {
    const Sheet *sheet;
    const Layout *layout;
    Arena *arena;
    int right, misfits;         /* entries; claims of another shape       */
} LayoutTrial;

/* Runs a sheet in one layout, and counts how its claims fit. */
static void run_trial(Error *f, void *data)
{
    LayoutTrial *a = data;
    const Run *run = run_bound(bind_sheet(a->sheet, a->layout, a->arena, f),
                               NULL, a->arena, NULL, f);
    int n;
    const Claim *claim = claims_of(run, a->arena, &n, f);
    for (int k = 0; k < n; k++) {
        a->right += count_right(&claim[k], run);
        a->misfits += !is_comparable(claim[k].item, claim[k].step);
    }
}

int fit_in(const Layout *layout, const Sheet *sheet)
{
    Error quiet = { .sheet = sheet->name };
    LayoutTrial a = { sheet, layout, arena_new(), 0, 0 };
    bool runs = try_work(&quiet, run_trial, &a);
    arena_free(a.arena);
    return !runs ? -SHEET_ITEMS : a.misfits > 0 ? -a.misfits : a.right;
}

/* Takes the layout that fits the claims best, or else the first that fits
   what is given. Returns why. */
static const char *guess_layout(Job *job)
{
    int fit = 0, first = 0, best = INT_MIN;
    job->run.layout = layouts;
    for (const Layout *l = layouts; l < layouts + LAYOUTS; l++) {
        if (!all_fit(job, l, &(Dimensions){ .n = 0 }))
            continue;
        int fits = fit_in(l, job->run.sheet);
        first = fit++ == 0 ? fits : first;
        if (fits > best) {
            job->run.layout = l;
            best = fits;
        }
    }
    return fit == 1 ? " (the only layout that fits)"
         : best > first ? " (chosen because it fits the claims)"
         : " (the first that fits; a line such as 'layout textbook' names "
           "another)";
}

/* Settles the layout, and says what was not named. */
static void choose_layout(Job *job, const Layout *layout)
{
    job->run.named = job->run.layout != NULL;
    const char *why = job->run.named ? "" : layout == NULL ? guess_layout(job)
                    : " (chosen because the claims are explained best in it)";
    job->run.layout = layout != NULL ? layout : job->run.layout;
    job->run.shifted = is_shifted(job);
    append(job->run.guessed, sizeof job->run.guessed, "%s%s", why,
           job->run.shifted ? "; the largest is subtracted before e^x" : "");
}

/* The roles of derived steps that claims ask for, a bit each. Scores that
   hide some are those of the line itself. */
static uint64_t roles_claimed(const Sheet *sheet)
{
    uint64_t roles = 0;
    for (const StepRow *row = step_table; row->name != NULL; row++)
        for (const Item *c = sheet->item; c < sheet->item + sheet->n; c++)
            if (row->derived && c->claim && strcmp(c->name, row->name) == 0
                && (row->role != ROLE_SCALED || !hides(c)))
                roles |= (uint64_t)1 << row->role;
    return roles;
}

/* The conditions that a sheet decides, whatever the step. */
static int conditions_of(const Bound *bound)
{
    const Run *run = &bound->run;
    const int positions = (int)number_given(bound, "positions", 0);
    Architecture model = algorithm_table[run->algorithm].architecture;
    bool pre_norm = has_model(run->algorithm) && model == D_TRANSFORMER,
         training = algorithm_table[run->algorithm].kind == TRAINING;
    return (run->divisor == 0 ? IF_DIVIDED : IF_UNDIVIDED)
         | (run->hyper.rms ? IF_RMS : IF_LAYER_NORM)
         | (pre_norm ? IF_PRE_NORM : 0)
         | (has_pairs(run->algorithm) ? IF_RELU : IF_GELU)
         | (training && model == E_TRANSFORMER ? IF_BLANKS : 0)
         | (positions == 2 ? IF_PAPER : positions == 3 ? IF_VASWANI : 0);
}

const Bound *bind_sheet(const Sheet *sheet, const Layout *layout,
                        Arena *arena, Error *f)
{
    Job *job = arena_alloc(arena, sizeof *job);
    *job = (Job){ .run = { .sheet = sheet, .bound = job, .hyper.H = 1 },
                  .f = f, .arena = arena };
    if (sheet->algorithm == 0)
        fail_with(f, "the sheet names no algorithm, and its matrices do not "
                  "show which it is; begin with a line such as 'algorithm "
                  "4'.");
    job->run.algorithm = sheet->algorithm;
    check_items(job);
    const Item *start = find_item(job, "algorithm");
    job->start = start != NULL ? start : sheet->item;
    read_settings(job);
    check_needs(job);
    choose_layout(job, layout);
    if (!all_fit(job, job->run.layout, &job->size))
        refuse_shape(job);
    job->conditions = conditions_of(job);
    job->on_demand = roles_claimed(sheet);
    if (job->backwards == NULL && find_item(job, "target") != NULL)
        job->backwards = row_named(sheet->algorithm, 1, "loss");
    bind_matrices(job);
    return job;
}

const Run *run_sheet(const Sheet *sheet, Arena *arena, Error *f)
{
    return run_bound(bind_sheet(sheet, NULL, arena, f), NULL, arena, NULL, f);
}

const Run *run_bound(const Bound *bound, Variation *variation, Arena *arena,
                     Tape *tape, Error *f)
{
    size_t bytes = (size_t)(bound->givens + 1) * sizeof *bound->given;
    Error inner = f != NULL ? *f : (Error){ .sheet = bound->run.sheet->name };
    bool trains = algorithm_table[bound->run.algorithm].kind == TRAINING,
         own = trains || bound->backwards != NULL || variation == NULL;
    Job *job = arena_alloc(arena, sizeof *job);
    *job = *bound;
    job->arena = arena;
    job->tape = own ? tape_new(true) : tape;
    job->variation = variation;
    if (variation != NULL)
        variation->job = job;
    job->given = memcpy(arena_alloc(arena, bytes), bound->given, bytes);
    job->run.step = arena_alloc(arena, sizeof *job->run.step);
    tape_allow_nonfinite(job->tape, NULL, NULL);
    prepare_tape(arena, job->tape, job->running);
    observe(job->tape, collect_step, job);
    bool done = try_work(&inner, run_algorithm, job);
    run_as_printed(job->tape);
    own ? tape_free(job->tape) : tape_clear(job->tape);
    if (f != NULL && !done)
        rethrow(f, &inner);
    return &job->run;
}
