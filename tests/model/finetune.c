/* Fine-tuning: ftx train --from goes on with a released model, and its
   losses are those of PyTorch (see oracle/released.py). */
#include "released.h"
#include "released/recorded.h"

#define CURVE (IS_DOUBLE ? 1e-8 : 1e-4)
#define AS_RECORDED \
    "--steps", "20", "--batch", "2", "--shuffle=no", "--schedule", \
    "constant", "--warm_up", "0", "--clip", "0", "--decay", "0.1", \
    "--held-out", "0"

static void assert_curve(const Model *m, const double *recorded)
{
    assert_int_equal(m->state.points, 20);
    for (int k = 0; k < 20; k++)
        assert_near(m->point[k].loss, recorded[k], CURVE);
}

static char *const texts[] = { "1 5 3 10 4 2 11 7", "7 7 1 9",
                               "10 3 6 6 1 8 4", "2 4 8" };

static void gpt2_learns_on_as_with_another_program(void **state)
{
    (void)state;
    static const char *const names[] = { "1", "2", "3", "4" };
    for (int k = 0; k < 4; k++)
        write_text(names[k], texts[k]);
    Said s = SAID(train, "d", "--from", FOLDER("gpt2"), "--model", path("m"),
                  AS_RECORDED, "--eta", "0.01", path("1"), path("2"),
                  path("3"), path("4"));
    assert_says(s, "step 20 of 20, saved");
    const Model *m = model_in(path("m"));
    assert_curve(m, gpt2_curve);
    assert_true(m->theta->hyper.tied && m->theta->hyper.tanh_gelu);
    assert_says(SAID(train, "d", "--resume", "--steps", "21", "--model",
                     path("m"), path("1"), path("2"), path("3"), path("4")),
                "step 21 of 21, saved");
}

static void bert_learns_classes_as_with_another_program(void **state)
{
    (void)state;
    char *lines = write_text("l", "no\t1 3\nyes\t9 3 5\nmaybe\t5 5 1\n"
                             "no\t7 1\n");
    Said s = SAID(train, "class", "--from", FOLDER("bert-class"), "--model",
                  path("m"), AS_RECORDED, "--eta", "0.001", lines);
    assert_says(s, "step 20 of 20, saved");
    const Model *m = model_in(path("m"));
    assert_curve(m, bert_class_curve);
    assert_string_equal(m->class_name[2], "maybe");
}

static void a_classifier_begins_with_a_model_without_classes(void **state)
{
    (void)state;
    static char *const folders[] = { FOLDER("bert"), FOLDER("bert-masked") };
    char *lines = write_text("l", "odd\t1 3\neven\t9 3 5 1\nodd\t5\n"
                             "even\t7 1 8\n");
    for (int k = 0; k < 2; k++) {
        assert_says(SAID(train, "class", "--from", folders[k], "--model",
                         path("m"), "--replace", "--steps", "150",
                         "--held-out", "0", "--dropout", "0", lines),
                    "saved");
        assert_says(SAID(classify_texts, "--model", path("m"), "9 3 5 1"),
                    "even  odd 0.0");
        assert_says(SAID(classify_texts, "--model", path("m"), "5"),
                    "odd  odd 0.9");
    }
}

static void what_it_begins_with_stays_as_it_is(void **state)
{
    (void)state;
    size_t n, m;
    char *text = write_text("1", "1 5 3 10 4 2 11 7 1 5 3 10 4 2 11 7");
    assert_says(SAID(train, "d", "--from", FOLDER("gpt2"), "--model",
                     path("a"), "--steps", "3", "--held-out", "0", text),
                "saved");
    char *before = bytes_of(path("a"), &n);
    assert_says(SAID(train, "d", "--from", path("a"), "--model", path("b"),
                     "--steps", "3", "--held-out", "0", text), "saved");
    char *after = bytes_of(path("a"), &m);
    assert_true(n == m && memcmp(before, after, n) == 0);
    after = bytes_of(path("b"), &m);
    assert_false(n == m && memcmp(before, after, n) == 0);
}

#define assert_train_refused(part, ...) \
    refused_at(HERE(part), SAID(train, __VA_ARGS__), part)
static void refused_at(Where where, Said s, const char *part)
{
    struct stat there;
    if (s.status != 2 || strstr(s.err, part) == NULL)
        fail_at(where, "%d, %s", s.status, s.err);
    if (stat(path("m"), &there) == 0)
        fail_at(where, "something was written");
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    char *text = write_text("1", "1 5 3 10"), *m = path("m");
    assert_train_refused("tests/data/released/gpt2 is a model of another task.\n",
        "e", "--from", FOLDER("gpt2"), "--model", m, text);
    assert_train_refused("tests/data/released/bert is a model of another task.\n",
        "e", "--from", FOLDER("bert"), "--model", m, text);
    assert_train_refused("--d_e cannot be changed in tests/data/released/gpt2",
        "d", "--from", FOLDER("gpt2"), "--d_e", "4", "--model", m, text);
    assert_train_refused("--tokens", "d", "--from", FOLDER("gpt2"),
        "--tokens", "word", "--model", m, text);
    assert_train_refused("it does not go with --as-printed.\n", "d",
        "--from", FOLDER("gpt2"), "--as-printed", "--model", m, text);
    assert_train_refused("it does not go with --resume.\n", "d", "--from",
        FOLDER("gpt2"), "--resume", "--model", m, text);
    assert_train_refused("expected the numbers of tokens, with blanks "
        "between.\n", "d", "--from", FOLDER("gpt2"), "--model", m,
        write_text("1", "to be"));
    assert_train_refused("the model has no class 'maybe so'.\n", "class",
        "--from", FOLDER("bert-class"), "--model", m,
        write_text("1", "no\t1\nmaybe so\t1\n"));
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(gpt2_learns_on_as_with_another_program),
        TEST_FILES(bert_learns_classes_as_with_another_program),
        TEST_FILES(a_classifier_begins_with_a_model_without_classes),
        TEST_FILES(what_it_begins_with_stays_as_it_is),
        TEST_FILES(what_does_not_fit_is_refused),
    };
    return RUN(laws);
}
