/* Keys and values of earlier tokens, kept from call to call. */
#include "ftx.h"
#include <string.h>

struct Past {
    struct Matrix known;        /* the columns so far; with room for more */
    int room;                   /* for so many columns                    */
    bool whole;                 /* of a context: once known, all is known */
};

bool past_is_whole(const struct Past *past)
{
    return past->whole && past->known.cols > 0;
}

Mat with_past(struct Past *past, Mat M)
{
    struct Matrix *known = &past->known;
    if (M == NULL)
        return known;
    REQUIRE(M->back == NULL, "a memory keeps no gradients; the tape must "
            "not want any.");
    REQUIRE(known->cols + M->cols <= past->room,
            "%d columns and %d more: there is room for %d.",
            known->cols, M->cols, past->room);
    size_t rows = (size_t)known->rows;
    memcpy(known->at + rows * (size_t)known->cols, M->at,
           rows * (size_t)M->cols * sizeof(real));
    known->cols += M->cols;
    known->tape = M->tape;
    return known;
}

static struct Past *past_new(Arena *arena, int rows, int room, bool whole)
{
    struct Past *past = arena_alloc(arena, sizeof *past);
    size_t bytes = (size_t)rows * (size_t)room * sizeof(real);
    *past = (struct Past){ .known = { .rows = rows }, room, whole };
    past->known.at = arena_alloc(arena, bytes);
    return past;
}

static void remember(Arena *arena, const Theta *theta, W_multi *W,
                     bool whole)
{
    const Hyperparameters *h = &theta->hyper;
    for (int k = 1; k <= W->H; k++) {
        W_qkv *w = &W->head[k];
        w->K_past = past_new(arena, h->d_attn, h->ell_max, whole);
        w->V_past = past_new(arena, h->d_mid, h->ell_max, whole);
    }
}

Theta *theta_remembering(Arena *arena, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture != E_TRANSFORMER,
            "Algorithm 9 looks both ways: every column changes.");
    Theta *with = theta_alias(arena, theta);
    for (int l = 1; l <= theta->hyper.L; l++)
        remember(arena, theta, &with->layer[l].W, false);
    for (int l = 1; l <= theta->hyper.L_dec; l++) {
        remember(arena, theta, &with->dec[l].W_dec, false);
        remember(arena, theta, &with->dec[l].W_ed, true);
    }
    with->past = arena_alloc(arena, sizeof *with->past);
    *with->past = 0;
    return with;
}

static void forget(const W_multi *W)
{
    for (int k = 1; k <= W->H; k++) {
        W->head[k].K_past->known.cols = 0;
        W->head[k].V_past->known.cols = 0;
    }
}

void theta_forget(const Theta *theta)
{
    if (theta->past == NULL)
        return;
    for (int l = 1; l <= theta->hyper.L; l++)
        forget(&theta->layer[l].W);
    for (int l = 1; l <= theta->hyper.L_dec; l++) {
        forget(&theta->dec[l].W_dec);
        forget(&theta->dec[l].W_ed);
    }
    *theta->past = 0;
}
