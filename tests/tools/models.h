/* Models for tests: tokens, and small parameters with random numbers. */
#ifndef MODELS_H
#define MODELS_H
#include "check.h"

#define IDS(...) (const int[]){ __VA_ARGS__ }
#define TOKENS(...) \
    ((Tokens){ sizeof(IDS(__VA_ARGS__)) / sizeof(int), IDS(__VA_ARGS__) })

/* The tokens are these, no more and no less. */
#define assert_tokens(x, ...) tokens_at(HERE(#x), x, TOKENS(__VA_ARGS__))
#define assert_same_tokens(x, y) tokens_at(HERE(#x " and " #y), x, y)
static inline void tokens_at(Where where, Tokens x, Tokens expected)
{
    if (x.length != expected.length)
        fail_at(where, "%d tokens, but expected %d", x.length,
                expected.length);
    for (int t = 1; t <= x.length; t++)
        if (TOKEN(x, t) != TOKEN(expected, t))
            fail_at(where, "token %d is %d, but expected %d", t,
                    TOKEN(x, t), TOKEN(expected, t));
}

/* They have the same pieces. */
static inline void assert_same_tokenizer(const Tokenizer *a,
                                         const Tokenizer *b)
{
    assert_int_equal(a->N_V, b->N_V);
    for (int v = 1; v <= a->N_V; v++) {
        Piece p = token_piece(a, v), q = token_piece(b, v);
        assert_that(p.n == q.n && memcmp(p.at, q.at, (size_t)p.n) == 0);
    }
}

/* ------------------------------------------------------------- parameters */

/* Two layers, and no two widths alike. */
static inline Hyperparameters small(Architecture architecture)
{
    return (Hyperparameters){
        .architecture = architecture, .N_V = 7, .ell_max = 6,
        .L = 2, .L_enc = 2, .L_dec = 2, .H = 2, .d_e = 4, .d_mlp = 5,
        .d_attn = 3, .d_mid = 2, .d_f = 6,
    };
}

/* Both tapes are from now on for this theta, and nobody looks on. */
static inline Theta *ready(Theta *theta)
{
    prepare_tape(arena, tape, theta);
    prepare_tape(arena, quiet, theta);
    return theta;
}

/* The numbers of each parameter at random: gammas about 1. The tapes are
   ready for it. */
static inline Theta *random_theta(Hyperparameters hyper)
{
    Theta *theta = theta_new(arena, &hyper);
    theta_allocate(theta, arena, NULL);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = randomise(*theta->parameter[k].place);
        if (strstr(theta->parameter[k].name, "gamma") != NULL)
            for (size_t e = 0; e < entries_in(M); e++)
                M->at[e] = 1 + M->at[e] / 2;
    }
    return ready(theta);
}

/* The parameter of that name. */
static inline const Parameter *named(const Theta *theta, const char *name)
{
    for (int k = 1; k <= theta->n; k++)
        if (strcmp(theta->parameter[k].name, name) == 0)
            return &theta->parameter[k];
    fail_at(HERE(name), "theta has no such parameter");
    return NULL;
}

static inline bool name_ends(const Parameter *p, const char *end)
{
    return ends_with(p->name, strlen(p->name), end);
}

static inline void set_all(Mat M, double value)
{
    for (size_t e = 0; e < entries_in(M); e++)
        M->at[e] = (real)value;
}

static inline W_qkv random_head(int d_x, int d_z, int d_attn, int d_out)
{
    return (W_qkv){
        .W_q = random_parameter(d_attn, d_x), .b_q = random_parameter(d_attn, 1),
        .W_k = random_parameter(d_attn, d_z), .b_k = random_parameter(d_attn, 1),
        .W_v = random_parameter(d_out, d_z),  .b_v = random_parameter(d_out, 1),
    };
}

/* The six parameters of a head as operands, and back. */
static inline void put_head(Mat of[], W_qkv w)
{
    const Mat six[] = { w.W_q, w.b_q, w.W_k, w.b_k, w.W_v, w.b_v };
    memcpy(of, six, sizeof six);
}

static inline W_qkv head_in(const Mat of[])
{
    return (W_qkv){ of[0], of[1], of[2], of[3], of[4], of[5] };
}

/* ---------------------------------------------------------------- training */

/* Keeps what it is told; ends the training after `most` steps, if not 0. */
typedef struct {
    int n, most;
    Progress step[500];
} Diary;

static inline bool keep(void *to, const Progress *progress)
{
    Diary *diary = to;
    assert_that(diary->n < 500);
    diary->step[diary->n++] = *progress;
    return diary->most == 0 || diary->n < diary->most;
}

/* A trainer of theta that tells the diary of its steps. */
static inline Trainer *followed(Theta *theta, Training how, Diary *diary)
{
    Trainer *trainer = trainer_new(arena, theta, &how);
    trainer->on_step = keep;
    trainer->to = diary;
    return trainer;
}

/* By a trainer. */
static inline Diary led(Loss *loss, Theta *theta, Training how, Data data)
{
    Diary diary = { 0 };
    Trainer *trainer = followed(theta, how, &diary);
    assert_that(trainer_run(trainer, loss, &data) == theta);
    trainer_free(trainer);
    return diary;
}

/* Of the next tokens: -sum_t log P[x[t+1], t]. */
static inline double next_token_loss(Mat P, Tokens x)
{
    double loss = 0;
    for (int t = 1; t < x.length; t++)
        loss -= log(AT(P, TOKEN(x, t + 1), t));
    return loss;
}
#endif
