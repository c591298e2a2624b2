/* Running Algorithms 1 to 7: their arguments are bound, then the listing is
   called.

   Entry point: run_component. In goes a job, out come its steps. */
#include "sheet/collect.h"
#include <math.h>
#include <string.h>

void keep_result(Job *job, Mat M)
{
    if (job->late && !job->seen->known)
        return;
    job->run.result = copy_matrix(job, M, false);
}

void check_tied(Job *job)
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

void observe_run(Job *job, const Theta *theta)
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
    if (find_item(job, "base", 0) == NULL)
        note_assumption(job, "base", paper ? "ell_max" : "10000");
    if (find_item(job, "first", 0) == NULL)
        note_assumption(job, "first", paper ? "1" : "0");
    return sinusoids(job->arena, d_e, ell_max,
                     paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI,
                     number_given(job, "base", paper ? ell_max : 10000),
                     number_given(job, "first", paper ? 1 : 0));
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

/* X and Z, which may be the same; or each in the other's place. */
static void bind_X_and_Z(Job *job, Mat *X, Mat *Z)
{
    const Item *mask = find_item(job, "mask", 0);
    bool any_mask = mask == NULL || mask->word != NULL;
    Mat other = *Z = *X = argument_matrix(job, "X", 0);
    if (find_item(job, "Z", 0) != NULL
        || (job->late && find_item(job, "X", 0) == NULL))
        *Z = argument_matrix(job, "Z", 0);
    if (job->variation != NULL && job->variation->exchanged
        && (*X)->rows == (*Z)->rows
        && (any_mask || (*X)->cols == (*Z)->cols)) {
        *X = *Z;
        *Z = other;
    }
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
    job->epsilon = number_given(job, "epsilon", 0);
    if (find_item(job, "epsilon", 0) == NULL)
        note_assumption(job, "epsilon", "0");
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

void bind_component(Job *job)
{
    bool each = job->run.algorithm == 5;
    bind_arguments(job, "W_p e e_t X Z", 0);
    for (int h = each; h <= (each ? job->H : 0); h++)
        bind_arguments(job, "W_q b_q W_k b_k W_v b_v", h);
    bind_arguments(job, "W_o b_o mask gamma beta W_u W_e", 0);
}

void run_component(Job *job)
{
    static Mat (*const components[])(Job *job) = {
        NULL, run_embed, run_posembed, run_attention1, run_attention,
        run_mhattention, run_layer_norm, run_unembed };
    keep_result(job, components[job->run.algorithm](job));
}
