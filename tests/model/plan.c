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

LAW(as_printed_may_be_typed_in_several_ways)
{
    a_text("t", 9, "");
    TRAIN("d " SMALL "--as-printed --steps 2 --model a t");
    TRAIN("d " SMALL "--as-printed=yes --steps 2 --model b t");
    assert_same_file("a", "b");
    TRAIN("d " SMALL "--steps 2 --replace --model a t");
    TRAIN("d " SMALL "--as-printed --as-printed=no --steps 2 --replace "
          "--model b t");
    assert_same_file("a", "b");
}

/* Each acts where the last column says, and is refused elsewhere. */
LAW(options_without_effect_are_refused)
{
    static const struct { const char *option, *with, *only, *acts; } row[] = {
        { "--L=1", "ed p", "d, e and class.", "d t" },
        { "--L_enc=1", "d t", "ed.", "ed p" },
        { "--L_dec=1", "e t", "ed.", "ed p" },
        { "--L_dec=2", "class l --resume", "ed.", "ed p" },
        { "--d_f=8", "d t", "e and class.", "class l" },
        { "--p_mask=0.2", "d t", "e.", "e t" },
        { "--spare_special", "d t", "e.", "e t" },
        { "--epochs=2", "d t --steps=3", "without --steps.",
          "d t --steps=0" },
        { "--merges=3", "d t --tokens=char", "--tokens bpe.",
          "d t --tokens=bpe" },
        { "--merges=3", "d t --tokens=word", "--tokens bpe.",
          "d t --tokens=bpe" },
        { "--eta_last=1e-4", "d t --schedule=constant", "--schedule cosine.",
          "d t --schedule=cosine" },
        { "--eta_last=1e-4", "d t --as-printed", "--schedule cosine.",
          "d t --schedule=cosine" },
        { "--beta_1=0.8", "d t --optimiser=rmsprop",
          "momentum, adam and adamw.", "d t --optimiser=momentum" },
        { "--beta_1=0.8", "d t --optimiser=adagrad",
          "momentum, adam and adamw.", "d t --optimiser=adam" },
        { "--beta_2=0.8", "d t --optimiser=momentum",
          "rmsprop, adam and adamw.", "d t --optimiser=rmsprop" },
        { "--beta_2=0.8", "d t --optimiser=sgd", "rmsprop, adam and adamw.",
          "d t --optimiser=adamw" },
        { "--tiny=1e-3", "d t --optimiser=sgd", "rmsprop, adagrad, adam and "
          "adamw.", "d t --optimiser=adagrad" },
        { "--tiny=1e-3", "d t --optimiser=momentum", "rmsprop, adagrad, ",
          "d t --optimiser=rmsprop" },
    };
    char words[100];
    little_model("class");
    a_text("t", 12, "");
    pairs("p", 20);
    for (int k = 0; k < 18; k++) {
        snprintf(words, sizeof words, "%.*s has an effect only | %s",
                 (int)strcspn(row[k].option, "="), row[k].option,
                 row[k].only);
        refused_by(HERE(row[k].with), ftx("train --model %s %s %s",
                   k == 3 ? "class" : "m", row[k].with, row[k].option), words);
        assert_that(access("m", F_OK) != 0);
        TRAIN(SMALL "--minutes 1e-9 --replace --model n %s %s", row[k].acts,
              row[k].option);
    }
}

LAW(wrong_options_are_refused)
{
    static const Refused row[] = {
        { "train t", "expected d, e, ed or class first;" },
        { "train --eta 0.1", "expected d, e, ed or class first;" },
        { "train d", "ftx train: which file? See 'ftx train --help'." },
        { "train ed t t", "one file with two parts on each line, not 2" },
        { "train d --eta -1 t", "--eta | from 1e-300 to 1e+300; it is '-1'." },
        { "train d --seed 3000000000 t", "--seed | from 0 to 2147483647;" },
        { "train e --p_mask 0 t", "--p_mask must be in (0, 1)." },
        { "train d --dropout 1 t", "--dropout must be in [0, 1)." },
        { "train d --patience 2 --held-out 0 t", "--patience is about what" },
        { "train d --eta_last 1 t", "--eta_last must be in [0, eta]." },
        { "train d --H 5 --model m t", "H must divide d_e, unless d_attn" },
        { "train d --ell_max 1 t", "--ell_max must be at least 2" },
        { "train d --ell_max 2 --batch 1 --held-out 0 --epochs 1000000 "
          "--model m u", "000000 steps are too many; 2000000000 may be." },
        { "train d --d_e 90000 --d_mlp 1000000 --L 1000 --H 1 --model m t",
          "training this model takes | MB of memory;" },
        { "train d --L 1 --H 1 --d_e 8 --d_mlp 1000000 --ell_max 4000 "
          "--model m long", "training this model takes " },
        { "train d " SMALL "--ell_max 400000 --model m long",
          "training this model takes " },
    };
    char *many[103] = { "d" };
    a_text("t", 20, "");
    a_text("u", 300, "");
    a_text("long", 30000, "");
    assert_all_refused(row);
    for (int k = 1; k < 102; k++)
        many[k] = "t";
    assert_refused(said_by(train, 102, many), "101 files are too many; 100");
    assert_that(access("m", F_OK) != 0);
    many[101] = "--steps=1";
    many[102] = "--L=1";
    assert_says(said_by(train, 103, many), "step 1 of 1, saved");
}
