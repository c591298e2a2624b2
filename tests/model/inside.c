/* ftx show --model: what a layer would predict, and what becomes of it when
   a value is another (see oracle/inside.py). */
#include "command.h"
#include "oracle/inside.h"

#define VALUE (IS_DOUBLE ? 1e-10 : 1e-5)
#define GPT2  "tests/data/released/gpt2"
#define BERT  "tests/data/released/bert-masked"
#define NUMBERS "doc/numbers.ftx"

enum { LOOKS = sizeof recorded_looks / sizeof *recorded_looks };

/* What is shown of a text, with up to three values set. */
static Said shown(const char *how, const char *model, const char *turn,
                  const char *const set[3], const char *text)
{
    char *argument[16] = { "--model", (char *)model, (char *)how };
    int n = *how == '\0' ? 2 : 3;
    if (turn != NULL)
        argument[n++] = "--turn", argument[n++] = (char *)turn;
    for (int k = 0; k < 3 && set[k] != NULL; k++)
        argument[n++] = "--set", argument[n++] = (char *)set[k];
    argument[n++] = (char *)text;
    return said_by(show_inside, n, argument);
}

#define SET(...) ((const char *const[3]){ __VA_ARGS__ })
#define UNSET SET(NULL)

static const char *behind(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    if (at == NULL)
        fail_at(HERE(key), "it is not in %.300s", json);
    return at + strlen(key);
}

/* The n numbers of a list in brackets; behind it. */
static const char *numbers_at(const char *at, int n, double x[])
{
    char *end;
    at += strspn(at, ", ");
    for (int k = 0; k < n; k++, at = end) {
        assert_that(*at == (k == 0 ? '[' : ','));
        x[k] = strtod(at + 1, &end);
        assert_that(end != at + 1);
    }
    assert_that(*at == ']');
    return at + 1;
}

static int most_probable(int n, const double p[])
{
    int best = 0;
    for (int v = 1; v < n; v++)
        best = p[v] > p[best] ? v : best;
    return best;
}

/* Where outcome v, from 0, stands in the other program. */
static int place_there(const Model *m, int v)
{
    bool by_number = m->task != TRAIN_CLASS && m->task != TRAIN_ED;
    return by_number ? token_number(m->tokenizer, v + 1) : v;
}

static void compare_look(int k)
{
    const char *name = recorded_looks[k].model;
    const char *const *set = recorded_looks[k].set;
    int n = recorded_looks[k].outcomes;
    Model *m = model_in(name);
    Said s = shown("--json", name, recorded_looks[k].turn, set,
                   recorded_looks[k].text);
    const char *at = behind(s.out, "\"lens\": [");
    double p[40];
    for (int l = 0; l < recorded_looks[k].layers; l++) {
        at = numbers_at(at, n, p);
        for (int v = 0; v < n; v++) {
            double e = recorded_looks[k].lens[l * n + place_there(m, v)];
            if (fabs(p[v] - e) > VALUE)
                fail_at(HERE("look"), "%s, %s: after layer %d outcome %d is "
                        "%.12g, but expected %.12g", name,
                        set[0] == NULL ? "nothing set" : set[0], l, v + 1,
                        p[v], e);
        }
    }
    assert_that(*at == ']');
}

static void predictions_are_those_of_another_program(void **state)
{
    (void)state;
    for (int k = 0; k < LOOKS; k++)
        if (recorded_looks[k].set[0] == NULL)
            compare_look(k);
}

static void changed_values_have_the_consequences_they_have_there(void **state)
{
    (void)state;
    for (int k = 0; k < LOOKS; k++)
        if (recorded_looks[k].set[0] != NULL)
            compare_look(k);
}

/* A change that changes nothing is no oracle. */
static void every_recorded_change_matters(void **state)
{
    (void)state;
    int plain = 0;
    for (int k = 0; k < LOOKS; k++) {
        int n = recorded_looks[k].outcomes, layers = recorded_looks[k].layers;
        const double *p = recorded_looks[k].lens + (layers - 1) * n, *q;
        double most = 0;
        if (recorded_looks[k].set[0] == NULL) {
            plain = k;
            continue;
        }
        q = recorded_looks[plain].lens + (layers - 1) * n;
        for (int v = 0; v < n; v++)
            most = fmax(most, fabs(p[v] - q[v]));
        if (most < 1e-6)
            fail_at(HERE("look"), "%s: %s does nothing",
                    recorded_looks[k].model, recorded_looks[k].set[0]);
    }
}

/* ------------------------------------------------------------------ laws */

static const struct {
    const char *model, *text, *other, *turn, *place[12];
} every_kind[] = {
    { GPT2, "3 9 8 0", "5 0 7 12", NULL,
      { "layer 1 head 2", "layer 2 attention", "layer 1 mlp", "layer 2",
        "layer 0 token 1", "layer 1 token 3", "layer 2 head 1 token 2" } },
    { BERT, "3 [gap] 8", "9 10 7", NULL,
      { "layer 1 head 2", "layer 2 attention", "layer 2 mlp", "layer 1",
        "layer 0 token 2", "layer 1 token 5", "layer 2 mlp token 3" } },
    { "tests/data/released/bert-class", "3 9 8", "1 1 7", NULL,
      { "layer 1 head 1", "layer 2 attention token 1", "layer 1 mlp",
        "layer 2 token 1" } },
    { NUMBERS, "37", "12", "3",
      { "encoder layer 1 head 2", "encoder layer 1 mlp", "encoder layer 1",
        "encoder layer 0 token 2", "encoder layer 1 token 2",
        "decoder layer 1 attention", "decoder layer 1 mlp token 3",
        "decoder layer 1 token 3", "decoder layer 0 token 3",
        "cross layer 1 head 3", "cross layer 1 attention token 3" } },
};
enum { KINDS = sizeof every_kind / sizeof *every_kind, PLACES = 12 };

static char *spot(const char *place, const char *what, const char *text)
{
    char *to = arena_alloc(arena, 200);
    snprintf(to, 200, "%s %s%s%s%s", place, what,
             text == NULL ? "" : "\"", text == NULL ? "" : text,
             text == NULL ? "" : "\"");
    return to;
}

/* From the predictions on, which are the last thing but the steps. */
static const char *computed_there(Said s)
{
    const char *steps = behind(s.out, "\"steps\": ");
    assert_int_equal(s.status, 0);
    return steps;
}

static bool is_whole_layer(const char *place)
{
    const char *l = strstr(place, "layer ");
    return strchr(l + 6, ' ') == NULL;
}

static void a_value_that_is_set_to_itself_changes_no_byte(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const char *text = every_kind[k].text, *turn = every_kind[k].turn;
        const char *plain = computed_there(
            shown("--json", every_kind[k].model, turn, UNSET, text));
        for (int i = 0; i < PLACES && every_kind[k].place[i] != NULL; i++) {
            const char *place = every_kind[k].place[i];
            assert_string_equal(plain, computed_there(
                shown("--json", every_kind[k].model, turn,
                      SET(spot(place, "* 1", NULL)), text)));
            if (!is_whole_layer(place))
                assert_string_equal(plain, computed_there(
                    shown("--json", every_kind[k].model, turn,
                          SET(spot(place, "from ", text)), text)));
        }
    }
}

/* The decoder has not looked at z yet. */
static bool is_before_z(const char *place)
{
    return strcmp(place, "decoder layer 1 attention") == 0
        || strncmp(place, "decoder layer 0", 15) == 0;
}

static void a_value_that_is_set_is_another(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const char *text = every_kind[k].text, *turn = every_kind[k].turn;
        const char *model = every_kind[k].model;
        const char *plain = computed_there(shown("--json", model, turn, UNSET,
                                                 text));
        for (int i = 0; i < PLACES && every_kind[k].place[i] != NULL; i++) {
            const char *place = every_kind[k].place[i];
            Said s = shown("--json", model, turn,
                           SET(spot(place, "= 0", NULL)), text);
            if (strcmp(computed_there(s), plain) == 0)
                fail_at(HERE("= 0"), "%s, %s changes nothing", model, place);
            assert_string_equal(computed_there(s), computed_there(
                shown("--json", model, turn, SET(spot(place, "* 0", NULL)),
                      text)));
            if (is_whole_layer(place) || is_before_z(place))
                continue;
            s = shown("--json", model, turn,
                      SET(spot(place, "from ", every_kind[k].other)), text);
            if (strcmp(computed_there(s), plain) == 0)
                fail_at(HERE("from"), "%s, %s changes nothing", model, place);
        }
    }
}

/* "unset" is what "lens" ends with where nothing is set. */
static void what_would_be_without_is_what_is_without(void **state)
{
    (void)state;
    double x[2][3][40];
    for (int k = 0; k < 2; k++) {
        const char *model = k == 0 ? GPT2 : NUMBERS;
        const char *turn = every_kind[k == 0 ? 0 : 3].turn;
        const char *text = every_kind[k == 0 ? 0 : 3].text;
        int n = k == 0 ? 13 : 32, layers = k == 0 ? 3 : 2;
        Said s = shown("--json", model, turn, UNSET, text);
        const char *at = behind(s.out, "\"lens\": [");
        for (int l = 0; l < layers; l++)
            at = numbers_at(at, n, x[0][l]);
        assert_that(strstr(s.out, "\"set\"") == NULL
                    && strstr(s.out, "\"unset\"") == NULL);
        s = shown("--json", model, turn,
                  SET(k == 0 ? "layer 2 mlp = 0" : "decoder layer 1 = 0"),
                  text);
        assert_says(s, k == 0 ? "\"set\": [\"layer 2 mlp = 0\"]"
                              : "\"set\": [\"decoder layer 1 = 0\"]");
        numbers_at(behind(s.out, "\"unset\": "), n, x[1][0]);
        for (int v = 0; v < n; v++)
            assert_near(x[1][0][v], x[0][layers - 1][v], 0);
    }
}

/* The last prediction is the model's, by lines 10.11, 9.12 and 15.5. */
static void the_last_layer_predicts_what_the_model_does(void **state)
{
    (void)state;
    static const struct { int kind, n, layers; const char *line; } all[] = {
        { 0, 13, 3, "\"line\": 11, \"name\": \"P\", " },
        { 1, 13, 3, "\"line\": 12, \"name\": \"P\", " },
        { 3, 32, 2, "\"line\": 5, \"name\": \"p\", " },
    };
    for (int k = 0; k < 3; k++) {
        double lens[40], row[40];
        int n = all[k].n;
        Said s = shown("--json", every_kind[all[k].kind].model,
                       every_kind[all[k].kind].turn, UNSET,
                       every_kind[all[k].kind].text);
        int t = atoi(behind(s.out, "\"token\": "));
        const char *at = behind(s.out, "\"lens\": [");
        for (int l = 0; l < all[k].layers; l++)
            at = numbers_at(at, n, lens);
        at = behind(s.out, all[k].line);
        int cols = atoi(behind(at, "\"cols\": "));
        at = behind(at, "\"values\": [");
        for (int v = 0; v < n; v++) {
            at = numbers_at(at, cols, row);
            assert_near(lens[v], row[cols == 1 ? 0 : t - 1], VALUE);
        }
    }
}

/* Matrix k, from 1, of those that are a line's: rows x cols of it. */
static Mat matrix_shown(Said s, const char *line, int k)
{
    const char *at = s.out;
    while (k-- > 0)
        at = behind(at, line);
    int rows = atoi(behind(at, "\"rows\": "));
    int cols = atoi(behind(at, "\"cols\": "));
    Mat M = constant(arena, rows, cols);
    double row[40];
    at = behind(at, "\"values\": [");
    for (int i = 1; i <= rows; i++) {
        at = numbers_at(at, cols, row);
        for (int j = 1; j <= cols; j++)
            AT(M, i, j) = (real)row[j - 1];
    }
    return M;
}

#define LINE_6   "\"algorithm\": 10, \"line\": 6, \"name\": \"X\", "
#define LINE_8   "\"algorithm\": 10, \"line\": 8, \"name\": \"X\", "
#define LINE_5_4 "\"algorithm\": 5, \"line\": 4, \"name\": \"Vt\", "

/* Without its heads the attention gives b_o to every token; without itself
   nothing, and X stays as it was. */
static void without_heads_only_the_bias_is_left(void **state)
{
    (void)state;
    Model *m = model_in(GPT2);
    Mat b_o = m->theta->layer[2].W.b_o;
    Said heads = shown("--json", GPT2, NULL,
                       SET("layer 2 head 1 = 0", "layer 2 head 2 = 0"),
                       "3 9 8");
    Said none = shown("--json", GPT2, NULL, SET("layer 2 attention = 0"),
                      "3 9 8");
    Mat before = matrix_shown(none, LINE_8, 1);
    Mat X = matrix_shown(heads, LINE_6, 2), Y = matrix_shown(none, LINE_6, 2);
    for (int j = 1; j <= 3; j++)
        for (int i = 1; i <= X->rows; i++) {
            assert_near(AT(matrix_shown(heads, LINE_5_4, 2), i, j),
                        AT(b_o, i, 1), 0);
            assert_near(AT(X, i, j), AT(before, i, j) + AT(b_o, i, 1),
                        VALUE * 10);
            assert_near(AT(Y, i, j), AT(before, i, j), 0);
        }
}

static void without_a_layer_the_state_stays_as_it_was(void **state)
{
    (void)state;
    double p[3][40];
    Said s = shown("--json", GPT2, NULL, SET("layer 2 = 0"), "3 9 8");
    const char *at = behind(s.out, "\"lens\": [");
    for (int l = 0; l < 3; l++)
        at = numbers_at(at, 13, p[l]);
    for (int v = 0; v < 13; v++)
        assert_near(p[2][v], p[1][v], 0);
    Said both = shown("--json", GPT2, NULL,
                      SET("layer 2 mlp = 0", "layer 2 attention = 0"),
                      "3 9 8");
    Mat X = matrix_shown(both, LINE_8, 2), Y = matrix_shown(s, LINE_8, 2);
    for (int j = 1; j <= 3; j++)
        for (int i = 1; i <= X->rows; i++)
            assert_near(AT(X, i, j), AT(Y, i, j), 0);
}

/* All tokens' states after a layer are all that the layers above get. */
static void a_text_whose_states_are_anothers_is_the_other(void **state)
{
    (void)state;
    double p[40], q[40];
    Said s = shown("--json", GPT2, NULL,
                   SET("layer 1 token 1 from '5 0 7'",
                       "layer 1 token 2 from '5 0 7'",
                       "layer 1 token 3 from '5 0 7'"), "3 9 8");
    Said other = shown("--json", GPT2, NULL, UNSET, "5 0 7");
    const char *a = behind(s.out, "\"lens\": [");
    const char *b = behind(other.out, "\"lens\": [");
    for (int l = 0; l < 3; l++) {
        a = numbers_at(a, 13, p);
        b = numbers_at(b, 13, q);
        for (int v = 0; l > 0 && v < 13; v++)
            assert_near(p[v], q[v], 0);
    }
}

/* Of the past nothing changes, whatever is set behind it. */
static void what_is_set_reaches_no_earlier_token(void **state)
{
    (void)state;
    Said plain = shown("--json", GPT2, NULL, UNSET, "3 9 8");
    Said s = shown("--json", GPT2, NULL, SET("layer 1 token 3 * 5"), "3 9 8");
    Mat X = matrix_shown(plain, LINE_8, 2), Y = matrix_shown(s, LINE_8, 2);
    bool moved = false;
    for (int i = 1; i <= X->rows; i++) {
        assert_near(AT(X, i, 1), AT(Y, i, 1), 0);
        assert_near(AT(X, i, 2), AT(Y, i, 2), 0);
        moved |= AT(X, i, 3) != AT(Y, i, 3);
    }
    assert_true(moved);
}

/* Of two changes at one place the second finds what the first has left. */
static void changes_at_one_place_follow_one_another(void **state)
{
    (void)state;
    static const char *const place[] = { "layer 2 head 1", "layer 1 mlp",
                                         "layer 1 token 2" };
    for (int k = 0; k < 3; k++) {
        Said twice = shown("--json", GPT2, NULL,
                           SET(spot(place[k], "* 2", NULL),
                               spot(place[k], "* 2", NULL)), "3 9 8");
        Said once = shown("--json", GPT2, NULL,
                          SET(spot(place[k], "* 4", NULL)), "3 9 8");
        assert_string_equal(computed_there(twice), computed_there(once));
    }
}

/* ----------------------------------------------------------- the example */

/* What the book says of doc/numbers.ftx: in the third turn. */
static char third_letter(const char *text, const char *set)
{
    double p[40];
    Said s = shown("--json", NUMBERS, "3", SET(set), text);
    const char *at = behind(s.out, "\"lens\": [");
    at = numbers_at(numbers_at(at, 32, p), 32, p);
    Model *m = model_in(NUMBERS);
    return *token_piece(m->tokenizer, 1 + most_probable(32, p)).at;
}

static void thirty_becomes_three_where_the_book_says_so(void **state)
{
    (void)state;
    char text[3], place[80];
    for (int n = 30; n < 40; n++) {
        sprintf(text, "%d", n);
        assert_int_equal(third_letter(text, NULL), 'i');
        for (int h = 1; h <= 4; h++) {
            sprintf(place, "encoder layer 1 head %d = 0", h);
            assert_int_equal(third_letter(text, place), h == 2 ? 'r' : 'i');
            sprintf(place, "encoder layer 1 head %d token 2 from '3'", h);
            assert_int_equal(third_letter(text, place), h == 1 ? 'r' : 'i');
        }
        assert_int_equal(third_letter(text, "encoder layer 1 token 2 from "
                                            "'3'"), 'r');
    }
}

static void no_other_head_is_missed(void **state)
{
    (void)state;
    static const char *const part[] = { "decoder", "cross" };
    char place[80];
    for (int k = 0; k < 2; k++)
        for (int h = 1; h <= 4; h++) {
            sprintf(place, "%s layer 1 head %d = 0", part[k], h);
            assert_int_equal(third_letter("37", place), 'i');
        }
}

/* ----------------------------------------------------- lines and pictures */

static void a_line_is_printed_for_the_layer_and_head_asked_for(void **state)
{
    (void)state;
    static char *const line[] = { "4.6", "10.6", "5.4" };
    static const int in_all[] = { 12, 2, 2 }, of_one[] = { 3, 0, 0 };
    for (int k = 0; k < 3; k++) {
        Said s = SAID(show_inside, "--model", GPT2, "--line", line[k],
                      "3 9 8");
        assert_int_equal(times(s.out, "\nAlgorithm "), 1 + in_all[k]);
        s = SAID(show_inside, "--model", GPT2, "--line", line[k], "--layer",
                 "2", "3 9 8");
        assert_int_equal(times(s.out, "\nAlgorithm "), 1 + in_all[k] / 2);
        s = SAID(show_inside, "--model", GPT2, "--line", line[k], "--layer",
                 "2", "--head", "1", "--json", "3 9 8");
        assert_int_equal(times(s.out, "\"label\""), of_one[k]);
    }
    assert_says(SAID(show_inside, "--model", NUMBERS, "--line", "8.16", "37"),
                "(32 x 13)\n");
    assert_says(SAID(show_inside, "--model", NUMBERS, "--line", "15.5", "37"),
                "(32 x 1)\n");
}

/* A row for each layer, equal steps between the squares, and the last one
   is on the page, which ends soon behind it. */
static void assert_page(const char *page, int rows, int columns)
{
    int width, height, n = 0, first[2] = { 0 }, second = 0, below = 0, at[2];
    assert_int_equal(sscanf(strstr(page, "viewBox="), "viewBox=\"0 0 %d %d",
                            &width, &height), 2);
    for (const char *p = page; (p = strstr(p, "<g transform=")) != NULL;
         p++, n++) {
        int i = n / columns, j = n % columns;
        assert_int_equal(sscanf(p, "<g transform=\"translate(%d %d)", &at[0],
                                &at[1]), 2);
        if (n == 0)
            memcpy(first, at, sizeof at), below = at[1];
        if (n == 1)
            second = at[0];
        if (n == columns)
            below = at[1];
        assert_int_equal(at[0], first[0] + j * (second - first[0]));
        assert_int_equal(at[1], first[1] + i * (below - first[1]));
    }
    const int across = second - first[0], down = below - first[1];
    assert_int_equal(n, rows * columns);
    assert_that(first[0] > 0 && across > 20 && down > 20);
    assert_that(at[0] + across <= width && at[1] + down / 2 < height
                && height < at[1] + 2 * down);
}

/* The squares of a small picture: one for each weight that can be seen. */
static void a_page_has_every_head_of_every_layer(void **state)
{
    (void)state;
    char *model = path("m"), *svg = path("a.svg");
    write_text("t", "how many heads are there, and where do they look?");
    Said s = SAID(train, "d", "--L", "3", "--H", "6", "--d_e", "12",
                  "--steps", "1", "--batch", "1", "--model", model,
                  path("t"));
    assert_says(s, "saved\n");
    s = SAID(show_inside, "--model", model, "--svg", svg, "how");
    assert_says(s, "a.svg: the weights of 18 heads\n");
    size_t n = 0;
    const char *page = bytes_of(svg, &n);
    assert_page(page, 3, 6);
    for (int l = 1; l <= 3; l++)
        for (int h = 1; h <= 6; h++) {
            char caption[40];
            snprintf(caption, sizeof caption, ">layer %d, head %d</text>", l,
                     h);
            assert_int_equal(times(page, caption), 1);
        }
    assert_int_equal(times(page, "h1v1h-1z"), 18 * (1 + 2 + 3 + 4));
    assert_int_equal(times(page, "M0 0h1"), 18);
    assert_int_equal(times(page, "M0 3h1"), 0);     /* the mask */
    assert_says(SAID(show_inside, "--model", model, "--svg", svg, "--layer",
                     "2", "how"), "a.svg: the weights of 6 heads\n");
    page = bytes_of(svg, &n);
    assert_int_equal(times(page, "<g transform="), 0);
    assert_int_equal(times(page, ">layer 2, head 6</text>"), 1);
    s = SAID(train, "ed", "--L_enc", "3", "--L_dec", "2", "--H", "4",
             "--d_e", "8", "--steps", "1", "--batch", "1", "--replace",
             "--model", model, pairs("p", 20));
    assert_says(s, "saved\n");
    assert_says(SAID(show_inside, "--model", model, "--svg", svg, "ab"),
                "a.svg: the weights of 28 heads\n");
    page = bytes_of(svg, &n);
    assert_int_equal(times(page, ">encoder 3, head 4</text>"), 1);
    assert_int_equal(times(page, ">decoder 2, head 1</text>"), 1);
    assert_int_equal(times(page, ">cross 2, head 1</text>"), 1);
}

/* -------------------------------------------------------------- refusals */

#define assert_spot(model, spot, text, sentence) \
    assert_refusal(SAID(show_inside, "--model", model, "--set", spot, text), \
                   sentence)

static void a_spot_that_is_none_is_refused(void **state)
{
    (void)state;
    assert_spot(GPT2, "", "3 9", "--set:1:1: expected 'layer' and its number,"
                " as in 'layer 1 head 2 = 0'.");
    assert_spot(GPT2, "encoder layer 1 = 0", "3 9", "--set:1:1: expected "
                "'layer' and its number, as in 'layer 1 head 2 = 0'.");
    assert_spot(GPT2, "layers 1 = 0", "3 9", "--set:1:1: expected 'layer' "
                "and its number, as in 'layer 1 head 2 = 0'.");
    assert_spot(GPT2, "layer 3 = 0", "3 9", "--set:1:7: expected the number "
                "of a layer, from 0 to 2.");
    assert_spot(GPT2, "layer x = 0", "3 9", "--set:1:7: expected the number "
                "of a layer, from 0 to 2.");
    assert_spot(GPT2, "layer 99999999999999999999 = 0", "3 9", "--set:1:7: "
                "expected the number of a layer, from 0 to 2.");
    assert_spot(GPT2, "layer 2 head 3 = 0", "3 9", "--set:1:14: expected the "
                "number of a head, from 1 to 2.");
    assert_spot(GPT2, "layer 2 head 0 = 0", "3 9", "--set:1:14: expected the "
                "number of a head, from 1 to 2.");
    assert_spot(GPT2, "layer 2 nose = 0", "3 9", "--set:1:9: expected 'head' "
                "and its number, 'attention', 'mlp' or 'token' and its "
                "number; or '= 0', or '*' and a number.");
    assert_spot(GPT2, "layer 2 mlp", "3 9", "--set:1:12: expected 'token' "
                "and its number, '= 0', '*' and a number, or 'from' and a "
                "text in quotation marks.");
    assert_spot(GPT2, "layer 2 mlp token 1", "3 9", "--set:1:20: expected "
                "'= 0', '*' and a number, or 'from' and a text in quotation "
                "marks.");
    assert_spot(GPT2, "layer 0 head 1 = 0", "3 9", "--set:1:9: expected "
                "'token' and its number: layer 0 is the embedding.");
    assert_spot(GPT2, "layer 1 = 2", "3 9", "--set:1:11: expected 0; another "
                "number is a factor, as in '* 2'.");
    assert_spot(GPT2, "layer 1 = 0.5", "3 9", "--set:1:11: expected 0; "
                "another number is a factor, as in '* 2'.");
    assert_spot(GPT2, "layer 1 * x", "3 9", "--set:1:10: expected a number.");
    assert_spot(GPT2, "layer 1 * nan", "3 9", "--set:1:10: expected a "
                "number.");
    assert_spot(GPT2, "layer 1 * 1e999", "3 9", "--set:1:10: expected a "
                "number.");
    assert_spot(GPT2, "layer 1 = 0 0", "3 9", "--set:1:13: expected nothing "
                "more; another change has a --set of its own.");
}

static void a_place_that_an_encoder_decoder_has_not_is_refused(void **state)
{
    (void)state;
    assert_spot(NUMBERS, "layer 1 = 0", "37", "--set:1:1: expected encoder, "
                "decoder or cross, as in 'cross layer 1 head 2 = 0'.");
    assert_spot(NUMBERS, "cross layer 0 head 1 = 0", "37", "--set:1:13: "
                "expected the number of a layer, from 1 to 1.");
    assert_spot(NUMBERS, "cross layer 1 mlp = 0", "37", "--set:1:15: "
                "expected 'head' and its number, or 'attention': "
                "cross-attention has no more.");
    assert_spot(NUMBERS, "encoder layer 1 token 5 = 0", "37", "--set:1:1: "
                "there is no token 5; the last one is 4.");
    assert_refusal(SAID(show_inside, "--model", NUMBERS, "--turn", "2",
                        "--set", "cross layer 1 head 1 token 3 = 0", "37"),
                   "--set:1:1: there is no token 3; the last one is 2.");
}

static void another_text_that_does_not_serve_is_refused(void **state)
{
    (void)state;
    assert_spot(GPT2, "layer 1 from '3 9'", "3 9", "--set:1:13: expected a "
                "'token' before 'from': a whole layer cannot come from "
                "another text.");
    assert_spot(GPT2, "layer 1 token 2 from 3", "3 9", "--set:1:22: expected "
                "a text in quotation marks.");
    assert_spot(GPT2, "layer 1 token 2 from ''", "3 9", "--set:1:22: expected"
                " a text in quotation marks.");
    assert_spot(GPT2, "layer 1 token 2 from '3", "3 9", "--set:1:22: expected"
                " a text in quotation marks.");
    assert_spot(GPT2, "layer 1 token 2 from '3'", "3 9", "--set:1:1: the "
                "other text has no token 2; its last one is 1.");
    assert_spot(GPT2, "layer 1 head 1 from '3'", "3 9", "--set:1:1: the other"
                " text has 1 token, not 2; name one, as in 'token 2 from', "
                "or give as many.");
    assert_spot(GPT2, "layer 1 token 2 from '3 x'", "3 9", "the other text:"
                "1:3: expected the numbers of tokens, with blanks between.");
}

static void numbers_that_are_too_large_are_blamed_on_what_is_set(void **state)
{
    (void)state;
    char *most = IS_DOUBLE ? "layer 1 mlp * 1e308" : "layer 1 mlp * 1e38";
    assert_spot(GPT2, most, "3 9", "--set: what follows from it is not "
                "finite.");
}

static void options_that_do_nothing_here_are_refused(void **state)
{
    (void)state;
#define IDLE(sentence, ...) \
    assert_refusal(SAID(show_inside, "--model", GPT2, __VA_ARGS__, "3 9"), \
                   "ftx show: " sentence)
    IDLE("--layer has an effect only with --json, --svg, --attention or "
         "--line.", "--layer", "1");
    IDLE("--head has an effect only with --json, --svg, --attention or "
         "--line.", "--head", "1");
    IDLE("--top has an effect only without --json, --svg, --attention and "
         "--line.", "--top", "2", "--json");
    IDLE("--token has an effect only in text and with --json.", "--token",
         "2", "--attention");
    IDLE("--line has an effect only without --svg and --attention, which draw"
         " line 4.6.", "--line", "4.6", "--attention");
    IDLE("--token is 3; there are 2 tokens.", "--token", "3");
    IDLE("--line must be an algorithm and a line of it, such as 10.6; it is "
         "'10'.", "--line", "10");
    IDLE("line 9.6 has no value in this model; it runs Algorithms 4 to 7 and "
         "10.", "--line", "9.6");
    IDLE("line 10.6 has no value in such a layer or head.", "--line", "10.6",
         "--layer", "3");
    assert_refusal(SAID(show_inside, "--model", "tests/data/released/bert-class",
                        "--token", "2", "3 9"), "ftx show: --token has an "
                   "effect only with a model that predicts tokens.");
}

/* Column t is the prediction of token t. */
static void each_token_has_its_prediction(void **state)
{
    (void)state;
    static char *const token[] = { "1", "2", "3" };
    Said whole = shown("--json", GPT2, NULL, UNSET, "3 9 8");
    Mat P = matrix_shown(whole, "\"line\": 11, \"name\": \"P\", ", 1);
    for (int t = 1; t <= 3; t++) {
        double p[40];
        Said s = SAID(show_inside, "--model", GPT2, "--json", "--token",
                      token[t - 1], "3 9 8");
        const char *at = behind(s.out, "\"lens\": [");
        for (int l = 0; l <= 2; l++)
            at = numbers_at(at, 13, p);
        for (int v = 1; v <= 13; v++)
            assert_near(p[v - 1], AT(P, v, t), VALUE);
    }
    assert_says(SAID(show_inside, "--model", BERT, "3 8 [gap] 9"),
                "at token 4, as lines 9.10 to 9.12 would");
    assert_says(SAID(show_inside, "--model", BERT, "3 8"), "at token 3, ");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(predictions_are_those_of_another_program),
        TEST(changed_values_have_the_consequences_they_have_there),
        TEST(every_recorded_change_matters),
        TEST(a_value_that_is_set_to_itself_changes_no_byte),
        TEST(a_value_that_is_set_is_another),
        TEST(what_would_be_without_is_what_is_without),
        TEST(the_last_layer_predicts_what_the_model_does),
        TEST(without_heads_only_the_bias_is_left),
        TEST(without_a_layer_the_state_stays_as_it_was),
        TEST(a_text_whose_states_are_anothers_is_the_other),
        TEST(what_is_set_reaches_no_earlier_token),
        TEST(changes_at_one_place_follow_one_another),
        TEST(thirty_becomes_three_where_the_book_says_so),
        TEST(no_other_head_is_missed),
        TEST(a_line_is_printed_for_the_layer_and_head_asked_for),
        TEST_FILES(a_page_has_every_head_of_every_layer),
        TEST(a_spot_that_is_none_is_refused),
        TEST(a_place_that_an_encoder_decoder_has_not_is_refused),
        TEST(another_text_that_does_not_serve_is_refused),
        TEST(numbers_that_are_too_large_are_blamed_on_what_is_set),
        TEST(options_that_do_nothing_here_are_refused),
        TEST(each_token_has_its_prediction),
    };
    return RUN(laws);
}
