/* Parts of Algorithms 8, 9 and 11 to 13 [PH22] that practice calls by
   themselves. Their lines are those of the algorithms. */
#include "practice/practice.h"

Mat encode(Tape *tape, Tokens z, const Theta *theta)
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
    return Z;
}

Mat decode(Tape *tape, Mat Z, Tokens x, const Theta *theta)
{
    REQUIRE(theta->hyper.architecture == ED_TRANSFORMER,
            "theta belongs to another architecture.");
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
    return P;
}

Mat layers_9(Tape *tape, Tokens x, const Theta *theta)
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
    return X;
}

Mat represent(Tape *tape, Tokens x, const Theta *theta)
{
    Mat X = layers_9(tape, x, theta);
    X = gelu(affine(theta->W_f, X, theta->b_f));    SEE(9.10, X);
    X = layer_norm(X, theta->gamma, theta->beta);   SEE(9.11, X);
    return X;
}

Mat loss_11(Worker *worker, const Data *data, int n)
{
    Tape *tape = worker->tape;
    const Theta *theta = worker->theta;
    const Tokens *z = data->z, *x = data->x;
    int ell = x[n].length;                SEE_INDEX(tape, 11.3, ell);
    Mat P = edtransformer(tape, z[n], x[n], theta); SEE(11.4, P);
    Tokens next = slice(x[n], 2, ell);              // 11.5
    Tokens t = span(tape, 1, ell - 1);              // 11.5
    Mat log_P = log_prob(P, next, t);               // 11.5
    Mat loss = scale(sum(log_P), -1);               SEE(11.5, loss);
    worker->tokens += next.length;
    return loss;
}

Mat loss_13(Worker *worker, const Data *data, int n)
{
    Tape *tape = worker->tape;
    const Theta *theta = worker->theta;
    const Tokens *x = data->x;
    int ell = x[n].length;                SEE_INDEX(tape, 13.3, ell);
    Mat P = dtransformer(tape, x[n], theta);        SEE(13.4, P);
    Tokens next = slice(x[n], 2, ell);              // 13.5
    Tokens t = span(tape, 1, ell - 1);              // 13.5
    Mat log_P = log_prob(P, next, t);               // 13.5
    Mat loss = scale(sum(log_P), -1);               SEE(13.5, loss);
    worker->tokens += next.length;
    return loss;
}

typedef struct { Worker *worker; Tokens x; int t; } Spared;

static double draw_unless_special(void *from)
{
    Spared *s = from;
    int special = mask_token(s->worker->theta->hyper.N_V);
    double u = uniform(&s->worker->random);
    return TOKEN(s->x, ++s->t) >= special ? 1 : u;
}

Mat loss_12(Worker *worker, const Data *data, int n)
{
    Tape *tape = worker->tape;
    const Theta *theta = worker->theta;
    const Tokens *x = data->x;
    double p_mask = worker->how->p_mask;
    Spared spared = { worker, x[n], 0 };
    Random sparing = { .next = draw_unless_special, .from = &spared };
    Random *random = worker->how->spare_special ? &sparing : &worker->random;
    int ell = x[n].length;                SEE_INDEX(tape, 12.3, ell);
    int mask = mask_token(theta->hyper.N_V);        // 12.4
    Tokens x_tilde_n = no_tokens;                   // 12.4
    for (int t = 1; t <= ell; t++) {      SEE_INDEX(tape, 12.4, t);
        bool hides = uniform(random) < p_mask;      // 12.5
        int x_tilde = hides ? mask : TOKEN(x[n], t); // 12.5
                                    SEE_INDEX(tape, 12.5, x_tilde);
        x_tilde_n = appended(tape, x_tilde_n, x_tilde); // 12.5
    }                                               // 12.6
    Tokens T_tilde = places(tape, x_tilde_n, mask); // 12.7
                                    SEE_LIST(tape, 12.7, T_tilde);
    Mat P = etransformer(tape, x_tilde_n, theta);   SEE(12.8, P);
    Tokens hidden = chosen(tape, x[n], T_tilde);    // 12.9
    Mat log_P = log_prob(P, hidden, T_tilde);       // 12.9
    Mat loss = scale(sum(log_P), -1);               SEE(12.9, loss);
    worker->tokens += T_tilde.length;
    return loss;
}
