/* What Algorithms 8, 9 and 10 [PH22] have in common. */
#include "ftx.h"
#include <limits.h>
#include <math.h>

Mat normalise(const Theta *theta, Mat X, Mat gamma, Mat beta)
{
    if (theta->hyper.rms)
        return rms_norm(X, gamma, theta->hyper.epsilon);
    return layer_norm(X, gamma, beta, theta->hyper.epsilon);
}

Mat activate(const Theta *theta, Mat M)
{
    return theta->hyper.tanh_gelu ? gelu_tanh(M) : gelu(M);
}

Mat probabilities(Mat X, const Theta *theta)
{
    return theta->W_u != NULL ? unembed(X, theta->W_u)
                              : unembed_tied(X, theta->W_e);
}

int tokens_seen(const Theta *theta)
{
    return theta->past == NULL ? 0 : *theta->past;
}

void now_seen(const Theta *theta, int length)
{
    if (theta->past != NULL)
        *theta->past = length;
}

Mat embed_tokens(Tape *tape, Tokens x, int past, const Theta *theta)
{
    const Hyperparameters *h = &theta->hyper;
    REQUIRE(x.length <= h->ell_max, "a sequence of %d tokens; ell_max is "
            "%d.", x.length, h->ell_max);
    Mat X = embed_sequence(tape, theta->W_e, theta->W_p, x, past,
                           h->scaled_embedding ? sqrt(h->d_e) : 1);
    if (h->embedding_norm)
        X = normalise(theta, X, theta->gamma_e, theta->beta_e);
    return drop(X);
}

typedef struct { int past, window; } Sight;

static bool look_so_far(int t_z, int t_x, const void *data)
{
    const Sight *sight = data;
    int t = t_x + sight->past;
    return t_z <= t && t - t_z < sight->window;
}

Mask causal(Tape *tape, const Theta *theta, int l)
{
    bool sparse = theta->hyper.window > 0 && l % 2 == 0;
    int past = tokens_seen(theta);
    if (past == 0 && !sparse)
        return unidirectional;
    Sight *sight = arena_alloc(tape_arena(tape), sizeof *sight);
    *sight = (Sight){ past, sparse ? theta->hyper.window : INT_MAX };
    return (Mask){ look_so_far, sight };
}
