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

LAW(wrong_options_and_sizes_that_a_task_does_not_have_are_refused)
{
    a_text("t", 20, "");
    a_text("u", 300, "");
    assert_table_refused("sizes that a task does not have");
    assert_table_refused("wrong options of training");
    assert_that(access("m", F_OK) != 0);
}
