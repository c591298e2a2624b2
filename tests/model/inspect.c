/* ftx show --model: what a model would predict after each layer, its lines,
   and what becomes of it when a value inside it is another (see
   oracle/released.py). */
#include "looks.h"
#include "released/inside.h"

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
    assert_says(ftx("show --model class 3"), "the class, read off at token 1\n");
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
                   "the text:1:1: this has 17 tokens, | ell_max is 16.");
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

/* ------------------------------------------------- what --set does */

enum { LOOKS = sizeof recorded_looks / sizeof *recorded_looks };

/* Where outcome v, from 0, stands in the other program. */
static int place_there(const Model *m, int v)
{
    bool by_number = m->task != TRAIN_CLASS && m->task != TRAIN_ED;
    return by_number ? token_number(m->tokenizer, v + 1) : v;
}

LAW(predictions_are_those_of_another_program)
{
    for (int k = 0; k < LOOKS; k++) {
        char line[400];
        append(memset(line, 0, sizeof line), sizeof line,
               "show --json --model %s '%s'", recorded_looks[k].model,
               recorded_looks[k].text);
        if (recorded_looks[k].turn != NULL)
            append(line, sizeof line, " --turn %s", recorded_looks[k].turn);
        for (int i = 0; i < 3 && recorded_looks[k].set[i] != NULL; i++)
            append(line, sizeof line, " --set %c%s%c",
                   strchr(recorded_looks[k].set[i], '\'') ? '"' : '\'',
                   recorded_looks[k].set[i],
                   strchr(recorded_looks[k].set[i], '\'') ? '"' : '\'');
        const int n = recorded_looks[k].outcomes;
        const Model *m = model_in(recorded_looks[k].model);
        Mat p = lens_of(ftx("%s", line), n, recorded_looks[k].layers);
        for (int l = 0; l < p->cols; l++)
            for (int v = 0; v < n; v++) {
                double e = recorded_looks[k].lens[l * n + place_there(m, v)];
                if (fabs(AT(p, v + 1, l + 1) - e) > VALUE)
                    fail_at(HERE("look"), "%s: after layer %d outcome %d is "
                            "%.12g, but expected %.12g", line, l, v + 1,
                            (double)AT(p, v + 1, l + 1), e);
            }
    }
}

static const struct {
    const char *model, *text, *place[12];
} every_kind[] = {
    { GPT2, "3 9 8 0",
      { "layer 1 head 2", "layer 2 attention", "layer 1 mlp", "layer 2",
        "layer 0 token 1", "layer 1 token 3", "layer 2 head 1 token 2" } },
    { BERT, "3 [gap] 8",
      { "layer 1 head 2", "layer 2 attention", "layer 2 mlp", "layer 1",
        "layer 0 token 2", "layer 1 token 5", "layer 2 mlp token 3" } },
    { NUMBERS " --turn 3", "37",
      { "encoder layer 1 head 2", "encoder layer 1 mlp", "encoder layer 1",
        "encoder layer 0 token 2", "encoder layer 1 token 2",
        "decoder layer 1 attention", "decoder layer 1 mlp token 3",
        "decoder layer 1 token 3", "decoder layer 0 token 3",
        "cross layer 1 head 3", "cross layer 1 attention token 3" } },
};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

/* All that is computed, with a place set so; NULL: with nothing set. */
static const char *steps_with(int kind, const char *place, const char *what)
{
    Said s = place == NULL
        ? ftx("show --json --model %s '%s'", every_kind[kind].model,
              every_kind[kind].text)
        : ftx("show --json --model %s '%s' --set '%s %s'",
              every_kind[kind].model, every_kind[kind].text, place, what);
    assert_int_equal(s.status, 0);
    return behind(s.out, "\"steps\": ");
}

/* Times one it changes no byte; set to 0 it does. */
LAW(only_another_value_changes_anything)
{
    for (int k = 0; k < KINDS; k++) {
        const char *plain = steps_with(k, NULL, NULL), *place;
        for (int i = 0; i < 12 && (place = every_kind[k].place[i]) != NULL;
             i++) {
            const char *none = steps_with(k, place, "= 0");
            assert_string_equal(plain, steps_with(k, place, "* 1"));
            assert_string_equal(none, steps_with(k, place, "* 0"));
            if (strcmp(none, plain) == 0)
                fail_at(HERE("= 0"), "%s changes nothing", place);
        }
    }
}

LAW(what_is_set_is_said)
{
    assert_null(strstr(ftx("show --json --model " GPT2 " '3 9 8 0'").out,
                       "\"set\""));
    assert_says(ftx("show --json --model " GPT2 " '3 9 8 0' --set 'layer 2 "
                    "mlp = 0'"), "\"set\": [\"layer 2 mlp = 0\"], \"tok");
}

#define LINE_6   "\"algorithm\": 10, \"line\": 6, \"name\": \"X\", "
#define LINE_8   "\"algorithm\": 10, \"line\": 8, \"name\": \"X\", "
#define LINE_5_4 "\"algorithm\": 5, \"line\": 4, \"name\": \"V_tilde\", "
#define SET(...) ftx("show --json --model " GPT2 " '3 9 8' " __VA_ARGS__)

/* Without its heads the attention gives b_o to every token; without itself
   nothing, and X stays as it was. */
LAW(without_heads_only_the_bias_is_left)
{
    Mat b_o = model_in(GPT2)->theta->layer[2].W.b_o;
    Said heads = SET("--set 'layer 2 head 1 = 0' --set 'layer 2 head 2 = 0'");
    Said none = SET("--set 'layer 2 attention = 0'");
    Mat before = matrix_shown(none, LINE_8, 1);
    Mat X = matrix_shown(heads, LINE_6, 2), Y = matrix_shown(none, LINE_6, 2);
    Mat Vt = matrix_shown(heads, LINE_5_4, 2);
    assert_same(Y, before, 0);
    for (int j = 1; j <= 3; j++)
        for (int i = 1; i <= X->rows; i++) {
            assert_near(AT(Vt, i, j), AT(b_o, i, 1), 0);
            assert_near(AT(X, i, j), AT(before, i, j) + AT(b_o, i, 1),
                        VALUE * 10);
        }
}

LAW(without_a_layer_the_state_stays_as_it_was)
{
    Said s = SET("--set 'layer 2 = 0'");
    Said both = SET("--set 'layer 2 mlp = 0' --set 'layer 2 attention = 0'");
    Mat p = lens_of(s, 13, 3);
    assert_same(column_of(p, 3), column_of(p, 2), 0);
    assert_same(matrix_shown(both, LINE_8, 2), matrix_shown(s, LINE_8, 2), 0);
    s = ftx("show --json --model " NUMBERS " --set 'encoder layer 1 mlp = 0' 37");
    assert_same(matrix_shown(s, "\"line\": 7, \"name\": \"Z\", ", 1),
                matrix_shown(s, "\"line\": 6, \"name\": \"Z\", ", 1), 0);
}

/* Of the past nothing changes, whatever is set behind it. */
LAW(what_is_set_reaches_no_earlier_token)
{
    Mat X = matrix_shown(SET(), LINE_8, 2);
    Mat Y = matrix_shown(SET("--set 'layer 1 token 3 * 5'"), LINE_8, 2);
    assert_same(column_of(X, 1), column_of(Y, 1), 0);
    assert_same(column_of(X, 2), column_of(Y, 2), 0);
    assert_that(AT(X, 1, 3) != AT(Y, 1, 3));
}

/* Of two changes at one place the second finds what the first has left. */
LAW(changes_at_one_place_follow_one_another)
{
    static const char *const place[] = { "layer 2 head 1", "layer 1 mlp",
                                         "layer 1 token 2" };
    for (int k = 0; k < 3; k++)
        assert_same(lens_of(SET("--set '%s * 2' --set '%s * 2'", place[k],
                                place[k]), 13, 3),
                    lens_of(SET("--set '%s * 4'", place[k]), 13, 3), VALUE);
}

/* What the book says of doc/numbers.ftx: in the third turn. */
static void assert_third_letter(char letter, int text, const char *set)
{
    const Model *m = model_in(NUMBERS);
    Mat p = lens_of(ftx("show --json --turn 3 --model " NUMBERS " %d %s%s%s",
                        text, *set == '\0' ? "" : "--set \"", set,
                        *set == '\0' ? "" : "\""), 32, 2);
    int best = TOKEN(rank_tokens(column_of(p, 2), 1), 1);
    if (*token_piece(m->tokenizer, best).at != letter)
        fail_at(HERE(set), "of %d: %c", text,
                *token_piece(m->tokenizer, best).at);
}

LAW(thirty_becomes_three_where_the_book_says_so)
{
    static const char *const part[] = { "decoder", "cross" };
    char place[80];
    for (int n = 30; n < 40; n++) {
        assert_third_letter('i', n, "");
        for (int h = 1; h <= 4; h++) {
            sprintf(place, "encoder layer 1 head %d = 0", h);
            assert_third_letter(h == 2 ? 'r' : 'i', n, place);
        }
    }
    for (int k = 0; k < 2; k++)
        for (int h = 1; h <= 4; h++) {
            sprintf(place, "%s layer 1 head %d = 0", part[k], h);
            assert_third_letter('i', 37, place);
        }
}

LAW(a_change_that_is_none_is_refused)
{
    assert_table_refused("what cannot be set");
    assert_refused(SET("--set 'layer 1 mlp * %s'", IS_DOUBLE ? "1e308"
                                                           : "1e38"),
                   "what is computed with them is not finite");
}
