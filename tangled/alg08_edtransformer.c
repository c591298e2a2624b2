/* Algorithm 8 [PH22]: the encoder-decoder transformer. */
#include "ftx.h"

Mat edtransformer(Tape *tape, Tokens z, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == ED_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell_z = z.length;                         SEE_INDEX(tape, 8.1, ell_z);
    Mat e_z = embeddings(tape, z, theta);           // 8.2
    Mat Z = e_z;                                    SEE(8.3, Z);
    for (int l = 1; l <= theta->hyper.L_enc; l++) { SEE_INDEX(tape, 8.4, l);
        const Layer *w = &theta->enc[l];            // 8.4
        Z = add(Z, mhattention(Z, Z, &w->W,         // 8.5
                               bidirectional));     SEE(8.5, Z);
        Z = layer_norm(Z, w->gamma_1, w->beta_1);   SEE(8.6, Z);
        Mat mlp = relu(affine(w->W_mlp1, Z, w->b_mlp1)); // 8.7
        Z = add(Z, affine(w->W_mlp2, mlp, w->b_mlp2)); SEE(8.7, Z);
        Z = layer_norm(Z, w->gamma_2, w->beta_2);   SEE(8.8, Z);
    }                                               // 8.9
    int ell_x = x.length;                        SEE_INDEX(tape, 8.10, ell_x);
    Mat e_x = embeddings(tape, x, theta);           // 8.11
    Mat X = e_x;                                    SEE(8.12, X);
    for (int l = 1; l <= theta->hyper.L_dec; l++) { SEE_INDEX(tape, 8.13, l);
        const DecoderLayer *w = &theta->dec[l];     // 8.13
        X = add(X, mhattention(X, X, &w->W_dec,     // 8.14
                               unidirectional));    SEE(8.14, X);
        X = layer_norm(X, w->gamma_3, w->beta_3);   SEE(8.15, X);
        X = add(X, mhattention(X, Z, &w->W_ed,      // 8.16
                               bidirectional));     SEE(8.16, X);
        X = layer_norm(X, w->gamma_4, w->beta_4);   SEE(8.17, X);
        Mat mlp = relu(affine(w->W_mlp3, X, w->b_mlp3)); // 8.18
        X = add(X, affine(w->W_mlp4, mlp, w->b_mlp4)); SEE(8.18, X);
        X = layer_norm(X, w->gamma_5, w->beta_5);   SEE(8.19, X);
    }                                               // 8.20
    Mat P = unembed(X, theta->W_u);                 SEE(8.21, P);
    return P;                                       // 8.21
}
