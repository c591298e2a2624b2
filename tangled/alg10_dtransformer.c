/* Algorithm 10 [PH22]: the decoder-only transformer, GPT. */
#include "ftx.h"

Mat dtransformer(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == D_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell = x.length, past = tokens_seen(theta);  // 10.1
    SEE_INDEX(tape, 10.1, ell);
    Mat e_t = embed_tokens(tape, x, past, theta);   // 10.2
    Mat X = e_t;                                    SEE(10.3, X);
    Mark mark = tape_mark(tape);
    for (int l = 1; l <= theta->hyper.L; l++) {
        SEE_INDEX(tape, 10.4, l);
        const Layer *w = &theta->layer[l];
        Mask mask = causal(tape, theta, l);
        Mat Xt = normalise(theta, X, w->gamma_1, w->beta_1); SEE(10.5, Xt);
        Mat Y = mhattention(Xt, Xt, &w->W, mask);           // 10.6
        X = add(X, drop(Y));                                SEE(10.6, X);
        Xt = normalise(theta, X, w->gamma_2, w->beta_2);    SEE(10.7, Xt);
        Y = activate(theta, affine(w->W_mlp1, Xt, w->b_mlp1)); // 10.8
        Y = affine(w->W_mlp2, Y, w->b_mlp2);                // 10.8
        X = add(X, drop(Y));                                SEE(10.8, X);
        X = let_go(mark, X);                        // 10.9
    }
    X = normalise(theta, X, theta->gamma, theta->beta); SEE(10.10, X);
    Mat P = probabilities(X, theta);                SEE(10.11, P);
    now_seen(theta, ell);
    return P;                                       // 10.11
}
