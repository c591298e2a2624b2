/* ftx show --model: what a model would predict after each layer, and its
   lines. What --set does is in intervention.c. */
#include "looks.h"

/* The last prediction is the model's, by lines 10.11, 9.12 and 15.5. */
LAW(the_last_layer_predicts_what_the_model_does)
{
    static const struct { const char *model; int n, layers, t;
                          const char *line; } row[] = {
        { GPT2 " '3 9 8 0'", 13, 3, 4, "\"line\": 11, \"name\": \"P\", " },
        { BERT " '3 [gap] 8'", 13, 3, 3, "\"line\": 12, \"name\": \"P\", " },
        { NUMBERS " --turn 3 37", 32, 2, 3,
          "\"line\": 5, \"name\": \"p\", " },
    };
    for (int k = 0; k < 3; k++) {
        Said s = ftx("show --json --model %s", row[k].model);
        Mat p = lens_of(s, row[k].n, row[k].layers);
        Mat P = matrix_shown(s, row[k].line, 1);
        assert_int_equal(atoi(behind(s.out, "\"token\": ")), row[k].t);
        assert_same(column_of(p, row[k].layers),
                    P->cols == 1 ? P : column_of(P, row[k].t), VALUE);
    }
    assert_says(ftx("show --model " BERT " '3 8 [gap] 9'"),
                "read off at token 4\n");
    assert_says(ftx("show --model " BERT " '3 [gap] 8 [gap]'"),
                "read off at token 3\n");
    assert_says(ftx("show --model " BERT " '3 8'"), "read off at token 3\n");
}

LAW(the_most_probable_outcome_stands_first)
{
    Said s = ftx("show --model " GPT2 " '3 9 8 0'");
    double last = 0;
    int outcomes = 0;
    for (const char *at = s.out; (at = strstr(at, " 0.")) != NULL; at++) {
        outcomes++;
        assert_that(outcomes % 5 == 1 || atof(at) <= last);
        last = atof(at);
    }
    assert_int_equal(outcomes, 3 * 5);
}

/* Every digit of the last line, and only what is asked for. */
LAW(the_steps_are_those_of_the_algorithm)
{
    const Model *m = little_model("d");
    Tokens x = tokens_of(m->tokenizer, "3 <");
    x.length--;                         /* a prompt has no eos */
    Said s = ftx("show --json --model d '3 <'");
    assert_same(matrix_shown(s, "\"line\": 11, \"name\": \"P\"", 1),
                dtransformer(quiet, x, m->theta), 0);
    assert_says(s, "\"x\": [\"<bos>\", \"3\", \"␣\", \"<\"], \"vocabul"
                "ary\": [\"");
    assert_int_equal(times(s.out, "\"name\": \"A\""), 2);
    assert_int_equal(times(s.out, "\"text\": \"A = softmax(S / √d_attn)\""),
                     2);
    little_model("e");
    little_model("class");
    assert_says(ftx("show --json --model e 3"), "\"algorithm\": 9, ");
    assert_says(ftx("show --json --model class 3"), "\"algorithm\": 9, ");
}

LAW(every_step_of_a_released_model_is_shown)
{
    static const char *const folder[] = { "gpt2", "gpt2-other", "bert",
                                          "bert-masked" };
    for (int k = 0; k < 4; k++) {
        Said s = ftx("show --json --model released/%s.ftx '3 9 8'",
                     folder[k]);
        assert_said(s, 0, s.out, "");
        assert_string_equal(s.out + s.bytes - 3, "]}\n");
        assert_int_equal(times(s.out, k < 2 ? "\"algorithm\": 10, \"line\""
                                            : "\"algorithm\": 9, \"line\""),
                         times(s.out, "\"inner\": false"));
    }
}

/* Turn after turn, what is added is what ftx translate writes. */
LAW(every_turn_of_a_translation_adds_its_token)
{
    char written[200] = "", key[120], y[20];
    const int N_V = little_model("ed")->theta->hyper.N_V;
    Said whole = ftx("translate --model ed ba");
    Said last = ftx("show --json --model ed ba");
    int turns = atoi(behind(last.out, "\"turns\": "));
    assert_that(turns >= 1);
    for (int k = 1; k <= turns; k++) {
        Said s = ftx("show --json --model ed ba --turn %d", k);
        assert_int_equal(atoi(behind(s.out, "\"turn\": ")), k);
        assert_says(s, "\"z\": [\"<bos>\", \"b\", \"a\", \"<eos>\"]");
        snprintf(key, sizeof key, "\"line\": 6, \"name\": \"q\", \"index\": "
                 "null, \"turn\": %d, ", k);
        assert_int_equal(times(s.out, key), 1);
        snprintf(key, sizeof key, "\"line\": 21, \"name\": \"P\", \"index\": "
                 "null, \"turn\": %d, \"rows\": %d, \"cols\": %d,", k, N_V, k);
        assert_int_equal(times(s.out, key), 1);
        sscanf(behind(s.out, "\"y\": \""), "%19[^\"]", y);
        if (strcmp(y, "<eos>") != 0)
            strcat(written, y);
        if (k == turns)
            assert_both_say(s, last);
    }
    assert_string_equal(strcat(written, "\n"), whole.out);
    assert_int_equal(times(last.out, "\"ended\": true"), *whole.err == '\0');
}

LAW(a_line_is_printed_for_the_layer_and_head_asked_for)
{
    static const struct { const char *line; int in_all; } row[] = {
        { "4.6", 12 }, { "10.6", 2 }, { "5.4", 2 },
    };
    for (int k = 0; k < 3; k++) {
        Said s = ftx("show --model " GPT2 " '3 9 8' --line %s", row[k].line);
        assert_int_equal(times(s.out, "\nAlgorithm "), 1 + row[k].in_all);
        s = ftx("show --model " GPT2 " '3 9 8' --line %s --layer 2",
                row[k].line);
        assert_int_equal(times(s.out, "\nAlgorithm "), 1 + row[k].in_all / 2);
    }
    assert_says(ftx("show --model " NUMBERS " --line 8.16 37"), "(32 x 13)\n");
    assert_says(ftx("show --model " NUMBERS " --line 15.5 37"), "(32 x 1)\n");
}

/* A model of layer 1 in the encoder and 1 and 2 in the decoder: keys are the
   tokens of z, queries those of x, and beside weights there are shades. */
LAW(cross_attention_looks_from_x_to_z)
{
    static const int rows[] = { 3, 2, 3 }, cols[] = { 3, 2, 2 };
    little_model("ed");
    Said s = ftx("show --model ed b --json --turn 2");
    for (int k = 0; k < 3; k++) {
        Mat A = matrix_shown(s, "\"name\": \"A\"", 2 * k + 1);
        assert_that(A->rows == rows[k] && A->cols == cols[k]);
    }
    s = ftx("show --model ed b --json --turn 2 --line 4.6 --layer 2");
    assert_int_equal(times(s.out, "\"name\": \"A\""), 2 * 2);
    assert_int_equal(times(s.out, "\"name\": \"S\""), 0);
    assert_int_equal(times(s.out, "vocabulary") + times(s.out, "lens"), 0);
    s = ftx("show --model ed b --line 4.6 --turn 2");
    assert_int_equal(times(s.out, ": A = "), 2 * 5);
    assert_says(s, "  1.0000");
    assert_says(s, "  ██");
}

/* The longest text that it generates from; eos does not count. */
LAW(a_text_of_ell_max_tokens_is_shown)
{
    int ell_max = little_model("d")->theta->hyper.ell_max;
    char text[100] = "";
    while ((int)strlen(text) < ell_max - 1)
        strcat(text, "3");
    assert_int_equal(ftx("show --model d %s", text).status, 0);
    assert_refused(ftx("show --model d %s3", text),
                   "the text:1:1: this has 17 tokens with bos; ell_max is 16.");
}

LAW(a_model_without_a_head_predicts_nothing)
{
    Said s = ftx("show --model released/bert.ftx '9 3 5'");
    assert_says(s, "\nNothing is predicted: the model has no head.");
    assert_true(strchr(s.out, '%') == NULL);
}

LAW(what_cannot_be_shown_is_refused)
{
    little_model("d");
    little_model("ed");
    assert_table_refused("what cannot be shown");
}
