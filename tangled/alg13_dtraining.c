/* Algorithm 13 [PH22]: training next-token prediction. */
#include "ftx.h"

Mat loss_13(Lane *lane, const Data *data, int n)
{
    Tape *tape = lane->tape;
    Tokens x_n = data->x[n - 1];
    int ell = x_n.length;                           // 13.3
    SEE_INDEX(tape, 13.3, ell);
    if (ell == 1)
        return NULL;
    Mat P = dtransformer(tape, x_n, lane->theta);   SEE(13.4, P);
    const int *next = x_n.id + 1, *t = up_to(tape, ell - 1);
    Mat log_P = log_prob_smoothed(P, ell - 1, next, t, lane->smoothing);
    Mat loss = scale(sum(log_P), -1);               SEE(13.5, loss);
    lane->tokens += ell - 1;
    return loss;                                    // 13.5
}

const Theta *dtraining(Trainer *trainer, const Data *data)
{
    Tape *tape = trainer->lane[0].tape;
    const Training *how = &trainer->how;
    int N_data = begin_training(trainer, loss_13, data);
    for (int i = 1; i <= how->N_epochs; i++) {     SEE_INDEX(tape, 13.1, i);
        for (int n = first_n(trainer, i); n <= N_data; n += how->batch) {
            SEE_INDEX(tape, 13.2, n);
            find_gradient(trainer, i, n);           // 13.3 13.4 13.5
            descend(trainer);                       // 13.6
            SEE_THETA(tape, 13.6, trainer->theta);
            if (!step_done(trainer))
                return trainer->theta;
        }                                           // 13.7
    }                                               // 13.8
    return trainer->theta;                          // 13.9
}
