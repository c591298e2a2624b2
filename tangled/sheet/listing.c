/* Calling a listing with what is bound, while the observer looks on.

   Main types: Bound, Run. Entry point: run_bound. In goes a bound sheet; out
   come its steps, and what the algorithm returns. */
#include "sheet/collect.h"
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
    bool many = job->run.algorithm == 5;
    const Given *Z = given_at(job, &(Step){ .name = "Z" });
    Mat X = argument_matrix(job, "X", 0), context = Z == NULL ? X : Z->M;
    W_qkv *head = arena_alloc(job->arena,
                              (size_t)(job->hyper.H + 1) * sizeof *head);
    Mask mask = mask_of_part(job, NOWHERE);
    for (int h = many; h <= (many ? job->hyper.H : 0); h++)
        head[h] = given_head(job, h);
    if (!many)
        return attention(X, context, head, mask);
    W_multi w = { .H = job->hyper.H, .head = head,
                  .W_o = argument_matrix(job, "W_o", 0),
                  .b_o = argument_matrix(job, "b_o", 0) };
    return mhattention(X, context, &w, mask);
}

static Mat run_layer_norm(Job *job)
{
    const Item *beta = find_item(job, "beta");
    if (job->run.rms && beta != NULL)
        fail_in_text(job->f, beta->at, "RMSnorm has no beta.");
    return layer_norm(argument_matrix(job, "e", 0),
                      argument_matrix(job, "gamma", 0), job->run.rms ? NULL
                      : argument_matrix(job, "beta", 0));
}

static Mat run_unembed(Job *job)
{
    Mat W = argument_matrix(job, job->run.tied ? "W_e" : "W_u", 0);
    return unembed(argument_matrix(job, "e", 0), job->run.tied
                   ? transpose_of(job->arena, W) : W);
}

/* Refuses more tokens than a model has positions; item is where they are
   given, or NULL for those that it would draw. */
static void check_room(const Job *job, const Item *item, int length)
{
    bool typed = item != NULL;
    if (length > job->hyper.ell_max)
        fail_in_text(job->f, typed ? item->at : job->start->at,
                     "%s %s %d tokens; ell_max is %d.",
                     typed ? item->typed : "the model",
                     typed ? "has" : "would read", length,
                     job->hyper.ell_max);
}

/* Where no matrix says how many tokens there are, and where a step stands in
   for them, each is 1. */
static Tokens given_tokens(const Job *job, const char *name, int number)
{
    const Item *item = require_of_head(job, name, number);
    int length = item != NULL ? item->rows * item->cols
               : size_or_1(job, *name == 'z' ? "ell_z" : "ell_x");
    int *id = arena_alloc(job->arena, (size_t)length * sizeof *id);
    int N_V = letter_size(&job->size, "N_V");
    const Argument *list = find_argument(job->run.algorithm, name);
    check_room(job, item, length);
    for (int t = 0; t < length; t++) {
        double v = item == NULL ? 1 : entry_value(job, list, item, t);
        if (v != floor(v) || v < 1 || (v > N_V && N_V > 0))
            fail_in_text(job->f, item->entry[t].at,
                         "a token is one of 1 ... %d.", job->hyper.N_V);
        id[t] = N_V > 0 ? (int)v : 1;
    }
    return (Tokens){ length, id };
}

static Mat run_model(Job *job)
{
    int algorithm = job->run.algorithm;
    Tokens z = algorithm == 8 ? given_tokens(job, "z", 0) : no_tokens,
           x = given_tokens(job, "x", 0);
    return algorithm == 8 ? edtransformer(job->tape, z, x, job->running)
         : algorithm == 9 ? etransformer(job->tape, x, job->running)
                          : dtransformer(job->tape, x, job->running);
}

/* The uniform numbers of the sheet, of which so many are used; with tau = 0
   none need be there. */
static NumberList given_chances(const Job *job, int least,
                                const char *because)
{
    const Item *item = job->tau > 0 ? require_of_head(job, "u", 0)
                                    : find_item(job, "u");
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
    return (NumberList){ .n = least, .u = u };
}

/* Refuses a vocabulary that has no room for the special tokens. */
static void check_special_token(const Job *job, int least, const char *token)
{
    if (job->hyper.N_V < least)
        fail_in_text(job->f, require_of_head(job, "W_e", 0)->at,
                     "N_V must be at least %d: %s is N_V - %d.", least,
                     token, least - 1);
}

/* Reads the sequences of a training, x_1, x_2, ..., or one x. */
static void given_data(Job *job)
{
    bool pairs = has_pairs(job->run.algorithm);
    int N_data = most_of(job, "x z", true, 1);
    size_t room = (size_t)N_data + 1;
    Tokens *x = arena_alloc(job->arena, room * sizeof *x),
           *z = arena_alloc(job->arena, room * sizeof *z);
    for (int n = 1; n <= N_data; n++) {
        x[n] = given_tokens(job, "x", n);
        if (pairs)
            z[n] = given_tokens(job, "z", n);
    }
    job->loop.data = (Data){ .N_data = N_data, .x = x, .z = z };
    job->loop.N_epochs = (int)number_given(job, "N_epochs", 1);
    if (find_item(job, "N_epochs") == NULL)
        note_assumption(job, "N_epochs", "1");
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
static NumberList chances_of_all(const Job *job)
{
    const Data *on = &job->loop.data;
    const int turns = on->N_data * job->loop.N_epochs;
    int all = 0, n = 0;
    for (int turn = 0; turn < turns; turn++)
        all += on->x[turn % on->N_data + 1].length;
    const bool again = most_of(job, "u", false, 0) < all;
    NumberList list = given_chances(job, again ? longest_sequence(job) : all,
                                    "each token needs one");
    double *u = arena_alloc(job->arena, (size_t)all * sizeof *u);
    for (int turn = 0; turn < turns; turn++)
        for (int t = 0; t < on->x[turn % on->N_data + 1].length; t++, n++)
            u[n] = list.u[again ? t : n];
    return (NumberList){ .n = all, .u = u };
}

static Mat run_training(Job *job)
{
    Theta *theta = job->running;
    Tape *tape = job->tape;
    given_data(job);
    const Data *on = &job->loop.data;
    double eta = number_given(job, "eta", 1);
    int N_epochs = job->loop.N_epochs;
    Random random = random_in(&job->loop.chances);
    Mat before = all_of(job, theta, NULL);
    if (theta->hyper.architecture == ED_TRANSFORMER)
        edtraining(tape, on->N_data, on->z, on->x, theta, N_epochs, eta);
    else if (theta->hyper.architecture == D_TRANSFORMER)
        dtraining(tape, on->N_data, on->x, theta, N_epochs, eta);
    else {
        job->loop.chances = chances_of_all(job);
        check_special_token(job, 3, "mask_token");
        etraining(tape, on->N_data, on->x, theta, N_epochs, eta,
                  number_given(job, "p_mask", 1), &random);
    }
    return all_of(job, theta, before);
}

static Mat run_inference(Job *job)
{
    bool of_pairs = has_pairs(job->run.algorithm);
    int ell_gen = job->loop.ell_gen;
    job->loop.chances = given_chances(job, ell_gen, "each token that is "
                                      "drawn needs one");
    Random random = random_in(&job->loop.chances);
    Tokens start = given_tokens(job, of_pairs ? "z" : "x", 0);
    if (of_pairs)
        check_special_token(job, 2, "bos_token");
    check_room(job, NULL, of_pairs ? ell_gen : start.length + ell_gen - 1);
    job->loop.turn = of_pairs;
    Tokens y = of_pairs
        ? edinference(job->tape, start, job->running, ell_gen, job->tau,
                      &random)
        : dinference(job->tape, start, job->running, ell_gen, job->tau,
                     &random);
    job->loop.turn = 0;
    return add_integers(job, of_pairs
                        ? step_seen(&job->now.at, "15.9", "x_hat")
                        : step_seen(&job->now.at, "14.8", "y"), y.length,
                        y.id, !job->late || job->now.seen->known);
}

/* Refuses scores that nothing divides, and what is given for nothing; else
   says "from Q, K, V to V_tilde", in a model with the line. */
static void describe_entry(Job *job)
{
    enum { BYTES = 400 };
    const int a = job->run.algorithm;
    char list[300] = "", line[30] = "", *to = arena_alloc(job->arena, BYTES);
    const Seen *last = job->now.seen;
    while (last != NULL && !(last->known && last->given == NULL))
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
    snprintf(to, BYTES, "from %s to %s%s", list, line, last->step.row->name);
    job->run.entered = to;
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
    size_t room = (size_t)job->hyper.ell_max;
    job->f = f;
    job->loop.row = arena_alloc(job->arena, room * sizeof *job->loop.row);
    start_given(job);
    Mat M = run[job->run.algorithm](job);
    if (!job->late || job->now.seen->known)
        job->run.result = copy_into(constant(job->arena, M->rows, M->cols),
                                    M);
    if (job->late && job->variation == NULL)
        describe_entry(job);
    if (job->backwards != NULL)
        collect_gradients(job);
}

const Run *run_bound(const Bound *bound, Variation *variation, Arena *arena,
                     Tape *tape, Error *f)
{
    size_t bytes = (size_t)(bound->givens + 1) * sizeof *bound->given;
    Error inner = f != NULL ? *f
                : (Error){ .sheet = bound->run.sheet->name };
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
    if (own)
        tape_free(job->tape);
    if (f != NULL && !done)
        rethrow(f, &inner);
    return &job->run;
}
