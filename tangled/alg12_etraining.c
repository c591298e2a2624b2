/* Algorithm 12 [PH22]: training by masked language modelling. */
#include "ftx.h"

static Tokens mask_some(Lane *lane, Tokens x_n, int N_V)
{
    Tape *tape = lane->tape;
    double p_mask = lane->how->p_mask;
    const double *u = lane->how->u;
    REQUIRE(0 < p_mask && p_mask < 1, "p_mask = %g; it must be in (0, 1).",
            p_mask);
    size_t bytes = (size_t)x_n.length * sizeof(int);
    int *id = arena_alloc(tape_arena(tape), bytes);
    for (int t = 1; t <= x_n.length; t++) {        SEE_INDEX(tape, 12.4, t);
        int xt = TOKEN(x_n, t);
        bool spared = lane->how->spare_special && xt >= mask_token(N_V);
        double u_t = u != NULL ? u[t - 1] : uniform(&lane->random);
        if (u_t < p_mask && !spared)
            xt = mask_token(N_V);                   // 12.5
        SEE_INDEX(tape, 12.5, xt);
        id[t - 1] = xt;
    }                                               // 12.6
    return (Tokens){ x_n.length, id };
}

Mat loss_12(Lane *lane, const Data *data, int n)
{
    Tape *tape = lane->tape;
    Tokens x_n = data->x[n - 1];
    int ell = x_n.length, N_V = lane->theta->hyper.N_V;     // 12.3
    SEE_INDEX(tape, 12.3, ell);
    Tokens xt_n = mask_some(lane, x_n, N_V);                // 12.4
    int *Tt = arena_alloc(tape_arena(tape), (size_t)ell * sizeof *Tt);
    int *hidden = arena_alloc(tape_arena(tape), (size_t)ell * sizeof *hidden);
    int masked = 0;
    for (int t = 1; t <= ell; t++)
        if (TOKEN(xt_n, t) == mask_token(N_V)) {                // 12.7
            SEE_INDEX(tape, 12.7, t);
            Tt[masked] = t;
            hidden[masked++] = TOKEN(x_n, t);
        }
    if (masked == 0)
        return NULL;
    Mat P = etransformer(tape, xt_n, lane->theta);          SEE(12.8, P);
    Mat log_P = log_prob_smoothed(P, masked, hidden, Tt, lane->smoothing);
    Mat loss = scale(sum(log_P), -1);                       SEE(12.9, loss);
    lane->tokens += masked;
    return loss;                                            // 12.9
}

const Theta *etraining(Trainer *trainer, const Data *data)
{
    Tape *tape = trainer->lane[0].tape;
    const Training *how = &trainer->how;
    int N_data = begin_training(trainer, loss_12, data);
    for (int i = 1; i <= how->N_epochs; i++) {     SEE_INDEX(tape, 12.1, i);
        for (int n = first_n(trainer, i); n <= N_data; n += how->batch) {
            SEE_INDEX(tape, 12.2, n);
            find_gradient(trainer, i, n);           // 12.3 12.8 12.9
            descend(trainer);                       // 12.10
            SEE_THETA(tape, 12.10, trainer->theta);
            if (!step_done(trainer))
                return trainer->theta;
        }                                           // 12.11
    }                                               // 12.12
    return trainer->theta;                          // 12.13
}
