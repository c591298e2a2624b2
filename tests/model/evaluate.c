/* How good a model is: counted anew here. */
#include "lessons.h"
#include "model/evaluate.h"

/* Each chunk of eight by the library; its first token is given. */
LAW(a_loss_stands_beside_what_needs_no_model)
{
    char text[4000] = "";
    double nats, bits, perplexity, unigram, loss = 0, total = 0;
    int often[400] = { 0 }, tokens = 0;
    for (int k = 0; k < 60; k++)
        sprintf(text + strlen(text), "%d sheep née in Å, ", k * k);
    write_text("t", text);
    Said s = TRAIN("d " SMALL "--L 1 --ell_max 8 --held-out 0.25 --steps 5 "
                   "--model m t");
    const char *said = strstr(s.out, "held out: ");
    assert_that(said != NULL && sscanf(said, "held out: %lf nats, %lf bits "
                "a token, perplexity %lf\nwithout a model, by how often each "
                "token occurs: %lf bits a token\n", &nats, &bits,
                &perplexity, &unigram) == 4);
    const Model *m = model_in("m");
    const int N_V = m->theta->hyper.N_V;
    Tokens x = tokens_of(m->tokenizer, text);
    const int last = (int)(x.length * 0.25), first = x.length - last;
    for (int t = 1; t <= first; t++, total++)
        often[TOKEN(x, t)]++;
    double model = 0;
    for (int t = first + 1; t <= x.length; t += 8) {
        Tokens chunk = slice(x, t, t + 7 < x.length ? t + 7 : x.length);
        Mat P = dtransformer(quiet, chunk, m->theta);
        for (int k = 2; k <= chunk.length; k++, tokens++) {
            loss -= log2((often[TOKEN(chunk, k)] + 1) / (total + N_V));
            model -= log(AT(P, TOKEN(chunk, k), k - 1));
        }
    }
    assert_near(bits, nats / log(2), 1e-4);
    assert_near(perplexity, exp(nats), 1e-3);
    assert_near(unigram, loss / tokens, 1e-4);
    assert_near(nats, model / tokens, IS_DOUBLE ? 6e-5 : 1e-4);
}

/* Learned by heart: a becomes bb. Of what is held out, the first is only a
   beginning of that, the second goes on, two others have one wrong token. Of
   classes "yes" is usual on the lines to learn from, but not on the others. */
LAW(what_is_held_out_is_judged_line_by_line)
{
    char text[1000] = "";
    for (int k = 0; k < 45; k++)
        strcat(text, "a\tbb\n");
    write_text("p", strcat(text, "a\tb\na\tbbb\na\tbb\na\tcb\na\tbc\n"));
    assert_says(TRAIN("ed " SMALL "--L_enc 1 --L_dec 1 --batch 9 --steps 60 "
                      "--eta 0.02 --model m p"),
                "held out, translated exactly: 1 of 5, 20.00 %\n");
    write_text("c", "no\ta\nyes\tb\nno\ta\nyes\tb\nyes\tb\nyes\tb\nno\ta\n"
               "no\ta\nno\ta\nyes\tb\n");
    assert_says(TRAIN("class " SMALL "--L 1 --steps 2 --held-out 0.4 "
                      "--model m c --replace"),
                "without a model, always 'yes': 1 of 4, 25.00 %\n");
}

/* A model is evaluated on a file of its own, with every token; what it was
   trained with has the loss of its own data. */
LAW(a_model_is_evaluated_on_any_text)
{
    char words[100];
    double nats, all;
    size_t n, n_after;
    little_model("d");
    little_model("ed");
    little_model("class");
    const char *before = bytes_of("d", &n);
    write_text("u", "7 sheep");
    const Model *m = model_in("d");
    Tokens x = tokens_of(m->tokenizer, "7 sheep");
    Mat P = dtransformer(quiet, x, m->theta);
    nats = 0;
    for (int t = 1; t < x.length; t++)
        nats -= log(AT(P, TOKEN(x, t + 1), t));
    snprintf(words, sizeof words, "u: %.4f nats, ", nats / (x.length - 1));
    Said s = ftx("train d --evaluate --model d u");
    assert_says(s, words);
    assert_null(strstr(s.out, "without a model"));
    assert_that(memcmp(before, bytes_of("d", &n_after), n) == 0
                && n == n_after);
    assert_both_say(s, ftx("train d --evaluate --model d u --threads 3"));
    assert_says(ftx("train ed --evaluate --model ed p"),
                "p, translated exactly: ");
    assert_says(ftx("train class --evaluate --model class l"),
                "l, right: ");
    assert_that(sscanf(ftx("train d --evaluate --model d t u").out,
                       "all files: %lf", &all) == 1 && all > 0);
    assert_refused(ftx("train e --evaluate --model d t"),
                   "d is a model of 'ftx train d'; | 'ftx train e'.");
    assert_refused(ftx("train d --evaluate --model d --resume t"),
                   "--evaluate trains none;");
}

/* Nothing is held out, or nothing to predict. */
LAW(what_can_be_said_of_little_is_said)
{
    static const struct { const char *how, *said; } row[] = {
        { "d --held-out 0", "\nnothing was held out\n" },
        { "d --held-out 0.05", "\nheld out: no token to predict\n" },
        { "e --p_mask 0.3 --held-out 0.05",
          "\nheld out: no token to predict\n" },
    };
    write_text("t", "low lower lowest low\n");
    for (int k = 0; k < 3; k++)
        assert_says(TRAIN("%s " SMALL "--steps 9 --replace --model m t",
                          row[k].how), row[k].said);
}
