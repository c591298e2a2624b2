/* Algorithm 9 [PH22]: the encoder-only transformer, BERT. */
#include "ftx.h"

Mat represent(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == E_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell = x.length;                             // 9.1
    SEE_INDEX(tape, 9.1, ell);
    Mat e_t = embed_tokens(tape, x, 0, theta);      // 9.2
    Mat X = e_t;                                    SEE(9.3, X);
    Mark mark = tape_mark(tape);
    for (int l = 1; l <= theta->hyper.L; l++) {
        SEE_INDEX(tape, 9.4, l);
        const Layer *w = &theta->layer[l];
        Mat Y = mhattention(X, X, &w->W, bidirectional);    // 9.5
        X = add(X, drop(Y));                                SEE(9.5, X);
        X = normalise(theta, X, w->gamma_1, w->beta_1);     SEE(9.6, X);
        Y = activate(theta, affine(w->W_mlp1, X, w->b_mlp1)); // 9.7
        Y = affine(w->W_mlp2, Y, w->b_mlp2);                // 9.7
        X = add(X, drop(Y));                                SEE(9.7, X);
        X = normalise(theta, X, w->gamma_2, w->beta_2);     SEE(9.8, X);
        X = let_go(mark, X);                        // 9.9
    }
    X = affine(theta->W_f, X, theta->b_f);              // 9.10
    X = activate(theta, X);                             SEE(9.10, X);
    X = normalise(theta, X, theta->gamma, theta->beta); SEE(9.11, X);
    return X;
}

Mat etransformer(Tape *tape, Tokens x, const Theta *theta)
{
    Mat P = probabilities(represent(tape, x, theta), theta);
                                                    SEE(9.12, P);
    return P;                                       // 9.12
}
