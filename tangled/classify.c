/* Classification with Algorithm 9 [PH22] (E31). */
#include "practice.h"

Mat classify(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->W_c != NULL, "theta has no class head: N_C is 0.");
    Mat X = represent(tape, x, theta);
    Mat first = gather(tape, X, 1, (int[]){ 1 });
    return softmax(affine(theta->W_c, first, theta->b_c));
}

Mat loss_class(Lane *lane, const Data *data, int n)
{
    Mat P = classify(lane->tape, data->x[n], lane->theta);
    Tokens c = { 1, &data->c[n] }, first = span(lane->tape, 1, 1);
    lane->tokens += 1;
    return scale(log_prob(P, c, first), -1);
}
