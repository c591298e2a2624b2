/* Running Algorithms 1 to 7. */
#include "sheet/job.h"
#include <math.h>
#include <string.h>

static const double step_entries = 2e6; /* of all steps of a run together */

void limit(const Job *job, double entries)
{
    if (entries > step_entries)
        fault(job->f, job->start->at, "the steps would have more than "
              "two million entries.");
}

void returned(Job *job, Mat M)
{
    if (job->late && !job->seen->known)
        return;
    job->run.result = copied_matrix(job, M, false);
}

/* Sets the tape for theta, and looks on. */
void look_on(Job *job, const Theta *theta)
{
    prepare_tape(job->arena, job->tape, theta);
    observe(job->tape, collect, job);
}

static void run_embed(Job *job)
{
    Mat W_e = given(job, "W_e", 0);
    need(job, "v", 0);
    int v = whole(job, "v", 1, W_e->cols, job->run.layout->rows
                  ? ", a row of W_e for each token"
                  : ", a column of W_e for each token");
    if (!binding(job))
        returned(job, embed(job->tape, W_e, v));
}

/* t, or, counted from 0, pos. */
static int given_position(const Job *job, int most, const char *range)
{
    const Item *pos = find(job, "pos", 0);
    if (pos == NULL)
        return need(job, "t", 0), whole(job, "t", 1, most, range);
    double x = job_number(job, "pos", 0);
    if (find(job, "t", 0) != NULL)
        fault(job->f, pos->at, "t is pos + 1; leave out one of them.");
    if (x != floor(x) || x < 0 || x >= most)
        fault(job->f, pos->at, "pos is %.10g; it must be one of 0 ... %d.",
              x, most - 1);
    return (int)x + 1;
}

static Mat computed_positions(Job *job, int variant)
{
    enum { MOST = 1000000 };
    bool paper = variant == 1;
    need(job, "d_e", 0);
    int t = given_position(job, MOST, "");
    if (paper && find(job, "base", 0) == NULL)
        need(job, "ell_max", 0);
    int d_e = whole(job, "d_e", 2, MOST, "");
    int ell_max = whole(job, "ell_max", t, MOST, "");
    double base = job_number(job, "base", paper ? ell_max : 10000);
    double first = job_number(job, "first", paper ? 1 : 0);
    if (d_e % 2 != 0)
        fault(job->f, find(job, "d_e", 0)->at, "d_e is odd, but each "
              "pair of entries is a sine and a cosine.");
    limit(job, (double)d_e * ell_max);
    return sinusoids(job->arena, d_e, ell_max,
                     paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI,
                     base, first);
}

static void assume_positions(Job *job, int variant)
{
    if (find(job, "base", 0) == NULL)
        assume(job, "base", variant == 1 ? "ell_max" : "10000");
    if (find(job, "first", 0) == NULL)
        assume(job, "first", variant == 1 ? "1" : "0");
}

static void run_posembed(Job *job)
{
    static const char *const only[] = { "d_e", "ell_max", "base", "first" };
    int variant = choice(job, "positions", "paper vaswani");
    const Item *W_p = find(job, "W_p", 0);
    if (variant != 0 && W_p != NULL)
        fault(job->f, W_p->at, "the positions are computed; leave out "
              "either W_p or 'positions'.");
    for (int k = 0; k < 4 && variant == 0; k++)
        if (find(job, only[k], 0) != NULL)
            fault(job->f, find(job, only[k], 0)->at, "%s goes with "
                  "'positions paper' or 'positions vaswani'.", only[k]);
    Mat W = variant == 0 ? given(job, "W_p", 0)
                         : computed_positions(job, variant);
    if (variant != 0)
        assume_positions(job, variant);
    job->positions = variant == 0 ? NULL : W;
    if (find(job, "e", 0) != NULL)
        given(job, "e", 0);
    int t = given_position(job, W->cols, ", the positions");
    if (!binding(job))
        returned(job, posembed(job->tape, W, t));
}

static W_qkv given_head(Job *job, int h)
{
    W_qkv w;
    w.W_q = given(job, "W_q", h), w.b_q = given(job, "b_q", h);
    w.W_k = given(job, "W_k", h), w.b_k = given(job, "b_k", h);
    w.W_v = given(job, "W_v", h), w.b_v = given(job, "b_v", h);
    return w;
}

static void run_attention1(Job *job)
{
    Mat e = given(job, "e", 0), e_t = given(job, "e_t", 0);
    W_qkv w = given_head(job, 0);
    if (!binding(job))
        returned(job, attention1(e, e_t, &w));
}

static Mat given_context(Job *job, Mat X)
{
    bool nothing = job->late && find(job, "X", 0) == NULL;
    if (find(job, "Z", 0) != NULL || nothing)
        return given(job, "Z", 0);
    assume(job, "Z", "X");
    return X;
}

static void exchange(const Job *job, Mat *X, Mat *Z)
{
    Mat other = *X;
    const Item *mask = find(job, "mask", 0);
    bool any_mask = mask == NULL || mask->word != NULL;
    if (job->variation == NULL || !job->variation->exchanged
        || (*X)->rows != (*Z)->rows
        || (!any_mask && (*X)->cols != (*Z)->cols))
        return;
    *X = *Z;
    *Z = other;
}

static void run_attention(Job *job)
{
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    W_qkv w = given_head(job, 0);
    Mask mask = job->mask = given_mask(job);
    if (!binding(job))
        returned(job, attention(X, Z, &w, mask));
}

static void run_mhattention(Job *job)
{
    Mat X = given(job, "X", 0), Z = given_context(job, X);
    exchange(job, &X, &Z);
    size_t heads = (size_t)job->H + 1;
    W_qkv *head = arena_alloc(job->arena, heads * sizeof *head);
    for (int h = 1; h <= job->H; h++)
        head[h] = given_head(job, h);
    Mat W_o = given(job, "W_o", 0), b_o = given(job, "b_o", 0);
    W_multi w = { job->H, head, W_o, b_o };
    Mask mask = job->mask = given_mask(job);
    if (!binding(job))
        returned(job, mhattention(X, Z, &w, mask));
}

static void run_layer_norm(Job *job)
{
    bool rms = job->run.rms;
    const Item *beta = find(job, "beta", 0);
    Mat e = given(job, "e", 0), gamma = given(job, "gamma", 0);
    job->epsilon = job_number(job, "epsilon", 0);
    if (find(job, "epsilon", 0) == NULL)
        assume(job, "epsilon", "0");
    if (!binding(job))
        look_on(job, &(Theta){ .hyper = { .epsilon = job->epsilon,
                                          .rms = rms } });
    if (rms && beta != NULL)
        fault(job->f, beta->at, "RMSnorm has no beta.");
    Mat bias = rms ? NULL : given(job, "beta", 0);
    if (!binding(job))
        returned(job, layer_norm(e, gamma, bias));
}

static void run_unembed(Job *job)
{
    bool tied = job->run.tied;
    const Item *other = find(job, tied ? "W_u" : "W_e", 0);
    if (other != NULL && tied)
        fault(job->f, other->at, "with 'tied yes' W_u is %s; leave it out.",
              as_W_u(job->run.layout));
    if (other != NULL)
        fault(job->f, other->at, "W_e is used only with 'tied yes'.");
    Mat e = given(job, "e", 0), W = given(job, tied ? "W_e" : "W_u", 0);
    if (tied)
        assume(job, "W_u", as_W_u(job->run.layout));
    job->tau = job_number(job, "tau", 1);
    job->run.heat = (job->run.habits & TEMPERED) != 0 ? job->tau : 1;
    if (job->tau == 0)
        fault(job->f, find(job, "tau", 0)->at, "tau must be above 0; 0 is "
              "for Algorithm 14.");
    W = tied ? transpose_of(job->arena, W) : W;
    if (!binding(job))
        returned(job, unembed(e, W));
}

void run_component(Job *job)
{
    static void (*const components[])(Job *job) = {
        NULL, run_embed, run_posembed, run_attention1, run_attention,
        run_mhattention, run_layer_norm, run_unembed };
    components[job->run.algorithm](job);
}

