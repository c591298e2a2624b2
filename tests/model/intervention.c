/* ftx show --model --set: what becomes of a model when a value inside it is
   another (see oracle/released.py). */
#include "looks.h"
#include "released/inside.h"

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

/* ------------------------------------------------------------------ laws */

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
