/* Algorithm 8 [PH22]: the encoder-decoder transformer. */
#include "ftx.h"

Mat encode(Tape *tape, Tokens z, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == ED_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell_z = z.length;                           // 8.1
    SEE_INDEX(tape, 8.1, ell_z);
    Mat e_t = embed_tokens(tape, z, 0, theta);      // 8.2
    Mat Z = e_t;                                    SEE(8.3, Z);
    Mark mark = tape_mark(tape);
    for (int l = 1; l <= theta->hyper.L_enc; l++) {
        SEE_INDEX(tape, 8.4, l);
        const Layer *w = &theta->enc[l];
        Mat Y = mhattention(Z, Z, &w->W, bidirectional);    // 8.5
        Z = add(Z, drop(Y));                                SEE(8.5, Z);
        Z = normalise(theta, Z, w->gamma_1, w->beta_1);     SEE(8.6, Z);
        Y = relu(affine(w->W_mlp1, Z, w->b_mlp1));          // 8.7
        Y = affine(w->W_mlp2, Y, w->b_mlp2);                // 8.7
        Z = add(Z, drop(Y));                                SEE(8.7, Z);
        Z = normalise(theta, Z, w->gamma_2, w->beta_2);     SEE(8.8, Z);
        Z = let_go(mark, Z);                        // 8.9
    }
    return Z;
}

Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == ED_TRANSFORMER,
            "theta belongs to another architecture.");
    int ell_x = x.length, past = tokens_seen(theta);    // 8.10
    SEE_INDEX(tape, 8.10, ell_x);
    Mat e_t = embed_tokens(tape, x, past, theta);       // 8.11
    Mat X = e_t;                                        SEE(8.12, X);
    Mark mark = tape_mark(tape);
    for (int l = 1; l <= theta->hyper.L_dec; l++) {
        SEE_INDEX(tape, 8.13, l);
        const DecoderLayer *w = &theta->dec[l];
        Mask mask = causal(tape, theta, l);
        Mat Y = mhattention(X, X, &w->W_dec, mask);             // 8.14
        X = add(X, drop(Y));                                    SEE(8.14, X);
        X = normalise(theta, X, w->gamma_3, w->beta_3);         SEE(8.15, X);
        Y = mhattention(X, Z, &w->W_ed, bidirectional);         // 8.16
        X = add(X, drop(Y));                                    SEE(8.16, X);
        X = normalise(theta, X, w->gamma_4, w->beta_4);         SEE(8.17, X);
        Y = relu(affine(w->W_mlp3, X, w->b_mlp3));              // 8.18
        Y = affine(w->W_mlp4, Y, w->b_mlp4);                    // 8.18
        X = add(X, drop(Y));                                    SEE(8.18, X);
        X = normalise(theta, X, w->gamma_5, w->beta_5);         SEE(8.19, X);
        X = let_go(mark, X);                            // 8.20
    }
    Mat P = probabilities(X, theta);                    SEE(8.21, P);
    now_seen(theta, ell_x);
    return P;                                           // 8.21
}

Mat edtransformer(Tape *tape, Tokens z, Tokens x, const Theta *theta)
{
    return decode(tape, encode(tape, z, theta), x, theta);
}
