/* Algorithm 10 [PH22]: the decoder-only transformer, GPT. */
#include "ftx.h"

Mat dtransformer(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == D_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell = x.length;                         SEE_INDEX(tape, 10.1, ell);
    Mat e = embeddings(tape, x, theta);         // 10.2
    Mat X = e;                                  SEE(10.3, X);
    for (int l = 1; l <= theta->hyper.L; l++) { SEE_INDEX(tape, 10.4, l);
        const Layer *w = &theta->layer[l];      // 10.4
        Mat X_tilde = layer_norm(X, w->gamma_1, w->beta_1); // 10.5
                                                       SEE(10.5, X_tilde);
        X = add(X, mhattention(X_tilde, X_tilde, &w->W,     // 10.6
                               unidirectional));       SEE(10.6, X);
        X_tilde = layer_norm(X, w->gamma_2, w->beta_2); SEE(10.7, X_tilde);
        Mat mlp = gelu(affine(w->W_mlp1, X_tilde, w->b_mlp1)); // 10.8
        X = add(X, affine(w->W_mlp2, mlp, w->b_mlp2)); SEE(10.8, X);
    }                                           // 10.9
    X = layer_norm(X, theta->gamma, theta->beta); SEE(10.10, X);
    Mat P = unembed(X, theta->W_u);               SEE(10.11, P);
    return P;                                     // 10.11
}
