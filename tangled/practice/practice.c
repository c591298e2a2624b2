/* What a run does that the paper does not: observers that answer. */
#include "library/functions.h"
#include "practice/practice.h"
#include <string.h>

bool is_line_in(const char *lines, const char *line)
{
    const size_t n = strlen(line);
    for (const char *at = lines; (at = strstr(at, line)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static const char embedding[] = " 8.3 8.12 9.3 10.3 ";
static const char addition[] = " 8.5 8.7 8.14 8.16 8.18 9.5 9.7 10.6 10.8 ";
static const char end_of_layer[] = " 8.8 8.19 9.8 10.8 ";

/* What a tape does beyond the paper, for one theta. */
typedef struct {
    const Theta *theta;
    int past, l;                /* of the attention that a window bounds */
} Variants;

static bool is_in_window(int t_z, int t_x, const void *data)
{
    const Variants *v = data;
    const Hyperparameters *h = &v->theta->hyper;
    const int distance = t_x + v->past - t_z;
    return distance < h->window
        || (h->sparse == STRIDED && distance % h->window == 0);
}

/* Of the attention of decoders to themselves, in every second layer. */
static Mat mask_window(Variants *v, const char *line, Mat M, int index)
{
    if (is_line_in(" 8.13 10.4 ", line))
        v->l = index;
    if (is_line_in(" 8.4 8.15 10.6 ", line))
        v->l = 0;               /* an encoder, or another attention */
    if (strcmp(line, "4.5") != 0 || v->l == 0 || v->l % 2 != 0)
        return M;
    v->past = settings(M->tape)->past;
    return masked(M, ((Mask){ is_in_window, v }));
}

static Mat apply_variants(void *to, const char *line, const char *name,
                          Mat M, int index)
{
    Variants *v = to;
    const Theta *theta = v->theta;
    const Hyperparameters *h = &theta->hyper;
    if (h->rms && strcmp(line, "6.1") == 0)
        return input(M->tape, 1, M->cols);
    if (h->embedding_norm && M != NULL && is_line_in(embedding, line))
        return layer_norm(M, theta->gamma_e, theta->beta_e);
    if (h->unembedding_bias && strcmp(name, "logits") == 0)
        return add_bias(M, theta->b_u);
    return h->window > 0 ? mask_window(v, line, M, index) : M;
}

void prepare_tape(Arena *arena, Tape *tape, const Theta *theta)
{
    const Hyperparameters *h = &theta->hyper;
    Variants *v = arena_alloc(arena, sizeof *v);
    *v = (Variants){ .theta = theta };
    run_as_printed(tape);
    settings(tape)->epsilon = h->epsilon;
    settings(tape)->tanh_gelu = h->tanh_gelu;
    settings(tape)->scaled_embedding = h->scaled_embedding;
    if (h->rms || h->embedding_norm || h->unembedding_bias || h->window > 0)
        observe(tape, apply_variants, v);
}

size_t tape_mark(Tape *tape)
{
    return arena_used(tape_arena(tape));
}

Mat tape_release(Tape *tape, size_t mark, Mat M)
{
    if (wants_gradients(tape))
        return M;
    const struct Matrix kept = M == NULL ? (struct Matrix){ 0 } : *M;
    arena_rewind(tape_arena(tape), mark);
    if (M == NULL)
        return NULL;
    struct Matrix *Y = matrix_new(HERE("tape_release"), tape_arena(tape),
                                  kept.rows, kept.cols, false);
    memmove(Y->at, kept.at, entries(Y) * sizeof(real));
    Y->tape = tape;
    return Y;
}

static Mat release_layer(void *to, const char *line, const char *name, Mat M,
                         int index)
{
    size_t *mark = to;
    (void)name, (void)index;
    if (is_line_in(embedding, line))
        *mark = tape_mark(M->tape);
    if (is_line_in(end_of_layer, line))
        return tape_release(M->tape, *mark, M);
    return M;
}

void tape_discard_layers(Arena *arena, Tape *tape)
{
    observe(tape, release_layer, arena_alloc(arena, sizeof(size_t)));
}

Mat *theta_zeros(Arena *arena, const Theta *theta)
{
    Mat *zeros = arena_alloc(arena, ((size_t)theta->n + 1) * sizeof *zeros);
    for (int k = 1; k <= theta->n; k++)
        zeros[k] = constant(arena, theta->parameter[k].rows,
                            theta->parameter[k].cols);
    return zeros;
}

typedef struct { double p; Random *random; } Dropout;

static Mat zero_at_random(const Dropout *drop, Mat M)
{
    Mat kept = constant(tape_arena(M->tape), M->rows, M->cols);
    for (size_t k = 0; k < entries(M); k++)
        kept->at[k] = uniform(drop->random) < drop->p
                    ? 0 : (real)(1 / (1 - drop->p));
    return hadamard(M, kept);
}

static Mat drop_entries(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    (void)name, (void)index;
    if (is_line_in(embedding, line))
        return zero_at_random(to, M);
    if (!is_line_in(addition, line))
        return M;
    REQUIRE(M->n == 2, "%s is not a sum on a tape that wants gradients.",
            line);
    return add(M->of[0], zero_at_random(to, M->of[1]));
}

void tape_dropout(Arena *arena, Tape *tape, double p, Random *random)
{
    REQUIRE(0 <= p && p < 1, "p = %g; it must be in [0, 1).", p);
    Dropout *drop = arena_alloc(arena, sizeof *drop);
    *drop = (Dropout){ p, random };
    if (p > 0)
        observe(tape, drop_entries, drop);
}
