/* The options of ftx train: what each does, where it acts, what it may be. */
#include "lessons.h"

/* A model trained with an option is another than without it, and than with
   any other of the same value. */
LAW(every_option_does_what_no_other_does)
{
    static const char *const option[] = {
        "--seed=1", "--optimiser=sgd", "--optimiser=adam", "--batch=3",
        "--mean=no", "--shuffle=no", "--spare_special=no", "--eta=0.25",
        "--schedule=constant", "--schedule=vaswani", "--warm_up=3",
        "--eta_last=0.25", "--clip=0.25", "--decay=0.25", "--beta_1=0.25",
        "--beta_2=0.25", "--tiny=0.25", "--dropout=0.25",
        "--smoothing=0.25", "--p_mask=0.25", "--seed=3",
        "--initialise=xavier", "--initialise=gpt2", "--held-out=0.25",
        "--tokens=word", "--tokens=bpe", "--d_mlp=3", "--d_attn=3",
        "--d_mid=3", "--d_f=3", "--rms", "--tied", "--epsilon=0.25",
        "--embedding_norm", "--types=1", "--types=2", "--types=3",
        "--scaled_embedding", "--unembedding_bias", "--tanh_gelu",
        "--positions=none", "--no_attention_biases",
    };
    enum { OPTIONS = sizeof option / sizeof *option };
    const char *file[OPTIONS];
    size_t n[OPTIONS];
    a_text("t", 12, "");
    for (int k = 0; k < OPTIONS; k++) {
        TRAIN("e --d_e 4 --H 2 --L 1 --ell_max 8 --steps 7 --warm_up 2 "
              "--eta 0.5 --replace --model m %s t", option[k]);
        file[k] = bytes_of("m", &n[k]);
        for (int i = 0; i < k; i++)
            if (n[i] == n[k] && memcmp(file[i], file[k], n[k]) == 0)
                fail_at(HERE(option[k]), "the same as %s", option[i]);
    }
}

LAW(sizes_that_a_task_does_not_have_are_refused)
{
    static const Refused row[] = {
        { "train ed --L 3 p", "--L has an effect only with d, e and class." },
        { "train d --L_enc 3 t", "--L_enc has an effect only with ed." },
        { "train class --L_dec 3 l", "--L_dec has an effect only with ed." },
        { "train d --d_f=3 t", "--d_f | with e and class." },
        { "train class --unembedding_bias t", "--unembedding_bias | with e." },
        { "train e --pooler t", "--pooler | with class." },
    };
    a_text("t", 12, "");
    assert_all_refused(row);
}

LAW(wrong_options_are_refused)
{
    static const Refused row[] = {
        { "train t", "expected d, e, ed or class first;" },
        { "train --eta 0.1", "expected d, e, ed or class first;" },
        { "train d", "ftx train: expected one file, not 0;" },
        { "train ed t t", "expected one file, not 2;" },
        { "train d --eta -1 t", "--eta | from 1e-300 to 1e+300; it is '-1'." },
        { "train d --seed 3000000000 t", "--seed | from 0 to 2147483647;" },
        { "train e --p_mask 0 t", "--p_mask must be in (0, 1)." },
        { "train d --dropout 1 t", "--dropout must be in [0, 1)." },
        { "train d --eta_last 1 t", "--eta_last must be in [0, eta]." },
        { "train d --H 5 --model m t", "H must divide d_e, unless d_attn" },
        { "train d --ell_max 1 t", "--ell_max must be at least 2" },
        { "train d --ell_max 2 --batch 1 --held-out 0 --epochs 1000000 "
          "--model m u", "000000 steps are too many; 2000000000 may be." },
        { "train d --d_e 90000 --d_mlp 1000000 --L 1000 --H 1 --model m t",
          "numbers to learn; ftx trains at most 1000000000." },
    };
    a_text("t", 20, "");
    a_text("u", 300, "");
    assert_all_refused(row);
    assert_that(access("m", F_OK) != 0);
}
