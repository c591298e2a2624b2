/* Classification with Algorithm 9 [PH22] (E31). */
#include "practice/practice.h"
#include <math.h>

static void tanh_backward(Mat Y)    /* of a computed X: it has a gradient */
{
    for (int i = 0; i < Y->rows * Y->cols; i++)
        Y->of[0]->grad[i] += Y->grad[i] * (1 - Y->at[i] * Y->at[i]);
}

static void tanh_forward(struct Matrix *Y)
{
    for (int i = 0; i < Y->rows * Y->cols; i++)
        Y->at[i] = (real)tanh(Y->of[0]->at[i]);
}

OPERATION(tanh, OWN_PLACE);

static Mat tanh_of(Mat X)
{
    return node_compute(node_new(HERE("tanh(X)"), NULL, X->rows, X->cols,
                                 &tanh_operation, 1, &X));
}

Mat classify_state(Mat first, const Theta *theta)
{
    if (theta->hyper.pooler)
        first = tanh_of(affine(theta->W_f, first, theta->b_f));
    return softmax(affine(theta->W_c, first, theta->b_c));
}

Mat classify(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->W_c != NULL, "theta has no class head: N_C is 0.");
    Mat X = theta->hyper.pooler ? layers_9(tape, x, theta)
                                : represent(tape, x, theta);
    return classify_state(gather(tape, X, 1, (int[]){ 1 }), theta);
}

Mat loss_class(Worker *worker, const Data *data, int n)
{
    Mat P = classify(worker->tape, data->x[n], worker->theta);
    Tokens c = { 1, &data->c[n] }, first = span(worker->tape, 1, 1);
    worker->tokens += 1;
    return scale(log_prob(P, c, first), -1);
}
