/* ftx train: what it learns, how it goes on, what it keeps. Of signals at any
   time, and of two at once, kept.c has more. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include "models.h"
#include <limits.h>

/* What a signal might hit: the writing of a file. After so many of them
   there is one in each. */
static int calm = INT_MAX, sent = SIGINT;

int fsync(int file)
{
    if (calm > 0)
        calm--;
    else
        raise(sent);
    return 0;
}

/* ------------------------------------------------------- what it learns */

LAW(texts_are_learned)
{
    double nats;
    a_text("t", 40, "");
    Said s = TRAIN("d " SMALL "--steps 150 --model d t");
    assert_that(sscanf(strstr(s.out, "held out: "), "held out: %lf nats, ",
                       &nats) == 1);
    assert_that(nats < log(model_in("d")->theta->hyper.N_V) - 1);
    assert_says(TRAIN("e " SMALL "--steps 20 --model e t"),
                "bits a masked token, ");
}

LAW(pairs_are_learned_by_heart)
{
    pairs("p", 150);
    TRAIN("ed " SMALL "--d_e 16 --steps 500 --model m p");
    assert_said(ftx("translate --model m ab ec bb ac"), 0,
                "ba\nce\nbb\nca\n", "");
}

LAW(labels_are_learned)
{
    labelled("l", 100);
    TRAIN("class " SMALL "--steps 100 --eta 0.02 --model m l");
    assert_says(ftx("classify --model m 99 x98"), "digit  digit ");
    assert_says(ftx("classify --model m x98"), "letter  digit ");
    assert_string_equal(model_in("m")->class_name[1], "digit");
    assert_string_equal(model_in("m")->class_name[2], "letter");
}

/* The same by the library: every sequence between bos and eos, in order. */
LAW(as_printed_it_is_the_algorithm_of_the_paper)
{
    static const struct { const char *more; Training how; } row[] = {
        { "", { .eta = 0.01 } }, { "--smoothing 0.1",
                                   { .eta = 0.01, .smoothing = 0.1 } },
        { "--dropout 0.2", { .eta = 0.01, .dropout = 0.2 } },
        { "--eta 0.02 --batch 3 --seed 5",
          { .eta = 0.02, .batch = 3, .seed = 5 } },
    };
    const char *text = text_of(a_text("t", 9, ""));
    for (int k = 0; k < 4; k++) {
        Training how = row[k].how;
        Data data = { .N_data = 0 };
        how.N_epochs = 2;
        how.seed = how.seed == 0 ? 1 : how.seed;
        TRAIN("d --as-printed --d_e 8 --L 1 --H 2 --epochs 2 --held-out 0 "
              "--replace --model m t %s", row[k].more);
        const Model *m = model_in("m");
        Hyperparameters h = { .architecture = D_TRANSFORMER, .L = 1, .H = 2,
                              .d_e = 8, .d_mlp = 32, .ell_max = 64,
                              .N_V = m->tokenizer->N_V };
        data.x = chunks(arena, tokens_of(m->tokenizer, text), 64,
                        &data.N_data);
        Theta *theta = theta_new(arena, &h);
        theta_allocate(theta, arena, NULL);
        Random random = random_new(how.seed);
        theta_initialise(theta, NORMAL_002, &random);
        led(loss_13, theta, how, data);
        assert_same_theta(theta, m->theta);
    }
}

/* The same text, but for its last part, and for how much is held out. */
LAW(nothing_is_learned_from_what_is_held_out)
{
    a_text("t", 30, "0123456789 0123456789 0123456789\n");
    a_text("u", 30, "9876543210 9876543210 9876543210\n");
    TRAIN("d " SMALL "--epochs 2 --held-out 0.05 --model a t");
    TRAIN("d " SMALL "--epochs 2 --held-out 0.05 --model b u");
    TRAIN("d " SMALL "--epochs 2 --held-out 0 --model c u");
    const Theta *a = model_in("a")->theta;
    assert_same_theta(a, model_in("b")->theta);
    assert_that(AT(a->W_e, 1, 1) != AT(model_in("c")->theta->W_e, 1, 1));
}

/* -------------------------------------------------------- the same bytes */

/* The same command, stopped by a signal in the save after its first step and
   resumed, with any number of threads. */
LAW(an_interrupted_run_leaves_the_same_files)
{
    static const char *const how[] = {
        "--optimiser adamw", "--optimiser momentum",
        "--optimiser rmsprop --tokens bpe --merges 20",
        "--optimiser sgd --dropout 0.2 --smoothing 0.1 --seed 7",
        "--rms --positions vaswani_sines --dropout 0.2 --seed 7",
        "--window 4 --sparse strided", "--as-printed --smoothing 0.1",
    };
    char rest[40];
    const int steps = amount(400);
    signal(sent, SIG_DFL);
    snprintf(rest, sizeof rest, "this run: steps: %d;", steps - 1);
    a_text("t", 20, "");
    for (int k = 0; k < 7; k++) {
        remove("a");
        remove("b");
        TRAIN("d " SMALL "--steps %d %s --model a t", steps, how[k]);
        calm = 1;
        ftx("train d " SMALL "--steps %d %s --model b t --save 0 --threads 3",
            steps, how[k]);
        calm = INT_MAX;
        assert_int_equal(step_in("b"), 1);
        assert_says(TRAIN("d --model b --resume t --threads 2"), rest);
        assert_same_file("a", "b");
    }
}

/* A file is written before the first step and at the end. The first signal
   ends the run. */
LAW(a_save_is_completed_in_spite_of_signals)
{
    static const int number[] = { SIGINT, SIGTERM, SIGHUP },
                     saves[][2] = { { 0, 0 }, { 1, 2 } };
    char words[100];
    a_text("t", 20, "");
    for (int k = 0; k < 6; k++) {
        signal(sent = number[k / 2], SIG_DFL);
        calm = saves[k % 2][0];
        Said s = ftx("train d " SMALL "--steps 2 --held-out 0.3 --replace "
                     "--model m t");
        calm = INT_MAX;
        snprintf(words, sizeof words, "stopped by signal %d after step %d; m "
                 "is saved, --resume goes on.\n", sent, saves[k % 2][1]);
        assert_int_equal(s.status, 128 + sent);
        assert_true(has_words(s.err, words));
        assert_int_equal(step_in("m"), saves[k % 2][1]);
    }
    signal(SIGHUP, SIG_IGN);
    calm = 0;
    Said s = ftx("train d " SMALL "--steps 2 --replace --model m t");
    calm = INT_MAX;
    signal(SIGHUP, SIG_DFL);
    assert_says(s, "step 2 of 2, saved\n");
}

/* The loss is not finite; or it is, and that of the next step would not be,
   with something held out or without. */
LAW(a_step_that_spoils_the_model_is_not_saved)
{
    static const char *const how[] = {
        "--steps 50 --eta 1e12", "--steps 1 --warm_up 0 --held-out 0",
        "--steps 1 --warm_up 0 --held-out 0.3",
    };
    a_text("t", 20, "");
    for (int k = 0; k < 3; k++) {
        Said s = ftx("train d " SMALL "--optimiser sgd --clip 0 --schedule "
                     "constant --save %d --eta %s %s --replace --model m t",
                     k == 0 ? 60 : 0, IS_DOUBLE ? "1e200" : "1e30", how[k]);
        assert_int_equal(s.status, 2);
        assert_true(has_words(s.err, "after step | the loss is not a finite "
                              "number any more; | m is kept as it was after "
                              "step 0.\n"));
        assert_int_equal(model_in("m")->state.step, 0);
    }
    Said s = ftx("train d " SMALL "--steps 5 --d_e 1 --H 1 --epsilon 0 "
                 "--model n t");
    assert_non_null(strstr(s.err, "an --epsilon above 0 or a smaller"));
}

LAW(nothing_is_overwritten_by_mistake)
{
    a_text("t", 20, "");
    write_text("own", "precious");
    write_text("m", "precious");
    assert_that(mkfifo("fifo", 0600) == 0);
    assert_table_refused("what would be written over");
    assert_string_equal(text_of("own"), "precious");
    assert_string_equal(text_of("m"), "precious");
}

/* ------------------------------------------------------------ going on */

LAW(only_the_same_training_goes_on)
{
    size_t n = 0;
    char *other = bytes_of(a_text("t", 20, ""), &n);
    other[0] = '1';                     /* it was 0: of the same size */
    write_bytes("u", other, n);
    a_text("v", 19, "0");
    TRAIN("d " SMALL "--steps 2 --model m t");
    for (int k = 0; k < 2; k++) {       /* of AdamW's m and v one is there */
        TRAIN("d " SMALL "--steps 2 --optimiser %s t", k == 0 ? "rmsprop"
              : "momentum --model s");
        const char *name = k == 0 ? "model.ftx" : "s";
        Model *s = model_in(name);
        s->plan.how.method = ADAMW;
        assert_string_equal(saving(s, name), "");
    }
    assert_table_refused("another training");
    assert_int_equal(step_in("m"), 2);
    assert_says(TRAIN("d --steps 5 --seed 1 --resume --model m t"),
                "step 5 of 5, saved\n");
}

/* An epoch has 4 steps. Each run goes on with a copy. */
LAW(a_training_may_become_longer)
{
    static const struct { const char *first, *more; int last; } row[] = {
        { "--steps 6", "", 6 }, { "--steps 6", "--epochs 2", 8 },
        { "--steps 6", "--epochs 3", 12 }, { "--steps 6", "--steps 0", 8 },
        { "--steps 6", "--steps 0 --epochs 2", 8 }, { "--epochs 2", "", 8 },
        { "--epochs 2", "--steps 0", 8 }, { "--epochs 2", "--steps 9", 9 },
    };
    char said[40];
    a_text("t", 12, "");
    for (int k = 0; k < 8; k++) {
        TRAIN("d " SMALL "%s --held-out 0 --replace --model m t",
              row[k].first);
        snprintf(said, sizeof said, "step %d of %d, saved\n", row[k].last,
                 row[k].last);
        assert_says(TRAIN("d --resume --model m %s t", row[k].more), said);
    }
    assert_refused(ftx("train d --resume --steps 8 --model m t"),
                   "no fewer than the 9 that m has; | would have 8.");
    assert_refused(ftx("train d --resume --epochs 1 --model m t"), "no fewer");
    assert_int_equal(step_in("m"), 9);
}

/* At first so many steps, then more and more. An epoch has 3 of them. With
   few masked tokens, some steps change nothing. */
LAW(a_run_that_is_lengthened_equals_one_that_was_long)
{
#define LENGTHENED SMALL "--eta 0.05 --warm_up 0 --schedule constant " \
                   "--held-out 0.3 --replace t "
    static const struct { const char *task; int n, steps[5]; } row[] = {
        { "d ", 3, { 3, 6, 21 } }, { "d ", 4, { 1, 2, 5, 9 } },
        { "d ", 4, { 6, 6, 8, 13 } },
        { "d ", 5, { 399, 401, 405, 1001, 1003 } },
        { "e --p_mask 0.02 ", 3, { 9, 14, 21 } },
    };
    a_text("t", 12, "");
    for (int k = 0; k < 5; k++) {
        const char *task = row[k].task;
        const int n = row[k].n, *steps = row[k].steps;
        TRAIN("%s" LENGTHENED "--steps %d --model b", task, steps[0]);
        for (int i = 1; i < n; i++)
            TRAIN("%.1s --steps %d --resume --model b t", task, steps[i]);
        TRAIN("%s" LENGTHENED "--steps %d --model a", task, steps[n - 1]);
        assert_same_file("a", "b");
    }
}

/* Each line of progress is the mean since the line before; each epoch has the
   loss of the held-out part, and the last of them is printed at the end. */
LAW(the_lines_of_progress_are_the_loss_curve)
{
    double bits, first, last = 0, held_out = 0, said = 0;
    int lines = 0, epochs = 0;
    a_text("t", 400, "");
    Said s = TRAIN("d " SMALL "--epochs 3 --every 0 --model m t");
    assert_says(s, " left\n");
    for (const char *p = s.out; p != NULL; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (sscanf(p, "step %*d of %*d: %lf bits,", &bits) == 1) {
            first = lines++ == 0 ? bits : first;
            last = bits;
        }
        epochs += sscanf(p, "step %*d, epoch %*d: %lf bits held",
                         &held_out) == 1;
        sscanf(p, "held out: %*f nats, %lf bits a token", &said);
    }
    const Model *m = model_in("m");
    assert_that(lines == m->state.step && epochs == 3 && last < first);
    assert_near(first, log2(m->theta->hyper.N_V), 0.1);
    assert_near(held_out, said, 1e-4);
    s = TRAIN("d " SMALL "--steps 9 --every 1000 --model n t");
    assert_null(strstr(s.out, " left\n"));
}

/* ----------------------------------------------------- how good it is */

/* Each chunk of eight by the library; its first token is given. */
LAW(the_loss_of_what_is_held_out_is_that_of_the_library)
{
    char text[4000] = "";
    double nats, bits, perplexity, loss = 0;
    int tokens = 0;
    for (int k = 0; k < 60; k++)
        sprintf(text + strlen(text), "%d sheep n\xC3\xA9" "e in \xC3\x85, ",
                k * k);
    write_text("t", text);
    Said s = TRAIN("d " SMALL "--L 1 --ell_max 8 --held-out 0.25 --steps 5 "
                   "--model m t");
    const char *said = strstr(s.out, "held out: ");
    assert_that(said != NULL && sscanf(said, "held out: %lf nats, %lf bits "
                "a token, perplexity %lf\n", &nats, &bits, &perplexity) == 3);
    const Model *m = model_in("m");
    Tokens x = tokens_of(m->tokenizer, text);
    const int first = x.length - (int)(x.length * 0.25);
    for (int t = first + 1; t <= x.length; t += 8) {
        Tokens chunk = slice(x, t, t + 7 < x.length ? t + 7 : x.length);
        Mat P = dtransformer(quiet, chunk, m->theta);
        loss += next_token_loss(P, chunk);
        tokens += chunk.length - 1;
    }
    assert_near(bits, nats / log(2), 1e-4);
    assert_near(perplexity, exp(nats), 1e-3);
    assert_near(nats, loss / tokens, IS_DOUBLE ? 6e-5 : 1e-4);
}

/* Nothing is held out, or nothing to predict. */
LAW(what_can_be_said_of_little_is_said)
{
    static const char *const how[] = { "d --held-out 0",
        "d --held-out 0.05", "e --p_mask 0.3 --held-out 0.05" };
    write_text("t", "low lower lowest low\n");
    for (int k = 0; k < 3; k++) {
        Said s = TRAIN("%s " SMALL "--steps 9 --replace --model m t", how[k]);
        assert_says(s, "\nheld out: nothing to predict\n");
        assert_null(strstr(s.out, "nan"));
    }
}
