/* Algorithm 11 [PH22]: training a sequence-to-sequence model. */
#include "ftx.h"

Mat loss_11(Lane *lane, const Data *data, int n)
{
    Tape *tape = lane->tape;
    Tokens z_n = data->z[n - 1], x_n = data->x[n - 1];
    int ell = x_n.length;                           // 11.3
    SEE_INDEX(tape, 11.3, ell);
    if (ell == 1)
        return NULL;
    Mat P = edtransformer(tape, z_n, x_n, lane->theta); SEE(11.4, P);
    const int *next = x_n.id + 1, *t = up_to(tape, ell - 1);
    Mat log_P = log_prob_smoothed(P, ell - 1, next, t, lane->smoothing);
    Mat loss = scale(sum(log_P), -1);               SEE(11.5, loss);
    lane->tokens += ell - 1;
    return loss;                                    // 11.5
}

const Theta *edtraining(Trainer *trainer, const Data *data)
{
    Tape *tape = trainer->lane[0].tape;
    const Training *how = &trainer->how;
    int N_data = begin_training(trainer, loss_11, data);
    for (int i = 1; i <= how->N_epochs; i++) {     SEE_INDEX(tape, 11.1, i);
        for (int n = first_n(trainer, i); n <= N_data; n += how->batch) {
            SEE_INDEX(tape, 11.2, n);
            find_gradient(trainer, i, n);           // 11.3 11.4 11.5
            descend(trainer);                       // 11.6
            SEE_THETA(tape, 11.6, trainer->theta);
            if (!step_done(trainer))
                return trainer->theta;
        }                                           // 11.7
    }                                               // 11.8
    return trainer->theta;                          // 11.9
}
