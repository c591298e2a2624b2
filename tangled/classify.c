/* Classification with Algorithm 9 [PH22] (E31). */
#include "ftx.h"

Mat classify(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->W_c != NULL, "theta has no class head: N_C is 0.");
    Mat X = represent(tape, x, theta);
    Mat first = gather(tape, X, 1, (int[]){ 1 });
    return softmax(affine(theta->W_c, first, theta->b_c));
}

Mat loss_class(Lane *lane, const Data *data, int n)
{
    Mat P = classify(lane->tape, data->x[n - 1], lane->theta);
    const int c = data->c[n - 1], column = 1;
    Mat log_P = log_prob_smoothed(P, 1, &c, &column, lane->smoothing);
    lane->tokens += 1;
    return scale(log_P, -1);
}

const Theta *classtraining(Trainer *trainer, const Data *data)
{
    const Training *how = &trainer->how;
    int N_data = begin_training(trainer, loss_class, data);
    for (int i = 1; i <= how->N_epochs; i++)
        for (int n = first_n(trainer, i); n <= N_data; n += how->batch) {
            find_gradient(trainer, i, n);
            descend(trainer);
            if (!step_done(trainer))
                return trainer->theta;
        }
    return trainer->theta;
}
