/* Algorithm 9 [PH22]: the encoder-only transformer, BERT. */
#include "ftx.h"

Mat etransformer(Tape *tape, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == E_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell = x.length;                             SEE_INDEX(tape, 9.1, ell);
    Mat e = embeddings(tape, x, theta);             // 9.2
    Mat X = e;                                      SEE(9.3, X);
    for (int l = 1; l <= theta->hyper.L; l++) {     SEE_INDEX(tape, 9.4, l);
        const Layer *w = &theta->layer[l];          // 9.4
        X = add(X, mhattention(X, X, &w->W,         // 9.5
                               bidirectional));     SEE(9.5, X);
        X = layer_norm(X, w->gamma_1, w->beta_1);   SEE(9.6, X);
        Mat mlp = gelu(affine(w->W_mlp1, X, w->b_mlp1)); // 9.7
        X = add(X, affine(w->W_mlp2, mlp, w->b_mlp2)); SEE(9.7, X);
        X = layer_norm(X, w->gamma_2, w->beta_2);   SEE(9.8, X);
    }                                               // 9.9
    X = gelu(affine(theta->W_f, X, theta->b_f));    SEE(9.10, X);
    X = layer_norm(X, theta->gamma, theta->beta);   SEE(9.11, X);
    Mat P = unembed(X, theta->W_u);                 SEE(9.12, P);
    return P;                                       // 9.12
}
