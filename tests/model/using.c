/* What every command that uses a model does: it takes the best parameters,
   reads lines, and refuses what is no model of its kind. */
#include "lessons.h"

/* Runs the lines behind "For example:" of the help; the last one's output.
   What trains for 100 steps trains for 2. */
static Said example_of(const char *command)
{
    Said s = ftx("%s --help", command);
    assert_says(s, "For example:\n\n  ");
    char *line = strstr(s.out, "For example:\n\n  ") + 14, *end;
    for (; strncmp(line, "  ", 2) == 0 && s.status == 0; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        char *steps = strstr(line, "--steps 100 ");
        if (steps != NULL)
            memcpy(steps, "--steps   2 ", 12);
        if (strncmp(line, "  ftx ", 6) == 0)
            s = ftx("%s", line + 6);
        else
            assert_that(system(line) == 0);
    }
    return s;
}

LAW(the_examples_of_the_help_work)
{
    static const struct { const char *command, *words; } row[] = {
        { "train", "step 2 of 2, saved" }, { "fill", "the al | orithm\n" },
        { "translate", "two\n" }, { "classify", "odd  odd 0." },
        { "show", "\nlayer 2  | \nwithout set " }, { "generate", "" },
    };
    for (int k = 0; k < 6; k++) {
        Said s = example_of(k == 4 ? "show --model" : row[k].command);
        if (s.status != 0 || !has_words(s.out, row[k].words))
            fail_at(HERE(row[k].command), "%s%s", s.out, s.err);
        if (k == 5)
            assert_int_equal(characters_of(s.out), 41);
        remove_model("hello.ftx");
    }
}

/* What the last epochs made of it does not count. */
LAW(the_best_model_is_used)
{
    little_model("d");
    Said good = ftx("generate --model d 3"), shown = ftx("show --model d 3");
    Model *model = model_in("d");
    model->plan.patience = 1;
    model->state.patience.best = 0;
    model_keep_best(model, arena);
    for (int k = 1; k <= model->theta->n; k++)
        randomise(*model->theta->parameter[k].place);
    assert_string_equal(saving(model, "d"), "");
    assert_both_say(ftx("generate --model d 3"), good);
    assert_both_say(ftx("show --model d 3"), shown);
}

/* What came before is printed all the same. */
LAW(a_line_of_standard_input_is_named)
{
    static const struct { const char *lines, *words; } row[] = {
        { "a[gap]\nas[gap]@\n", ":2:8: there is no token" },
        { "a[gap]\nas\n", ":2:1: there is no gap" },
        { "a[gap]\n\n", ":2:1: this line is empty." },
        { "a[gap]\r\n\r\n", ":2:1: this line is empty." },
        { "\xEF\xBB\xBF" "a[gap]\n\n", ":2:1: this line is empty." },
        { "a[gap]\n3 sheep and 4 [gap]\n", ":2:1: this has 17 tokens" },
    };
    little_model("e");
    for (int k = 0; k < 6; k++) {
        type_in(row[k].lines);
        Said s = ftx("fill --model e");
        if (s.status != 2 || times(s.out, "token ") != 1
            || strncmp(s.err, "standard input", 14) != 0
            || !has_words(s.err + 14, row[k].words))
            fail_at(HERE(row[k].lines), "%s%s", s.out, s.err);
    }
    type_in("");
    assert_refused(ftx("fill --model e"), "standard input: is empty.");
}

LAW(a_model_must_be_given_and_of_the_right_kind)
{
    static const Refused row[] = {
        { "generate hello", "ftx generate: which model? | 'ftx train d'." },
        { "translate hello", "ftx translate: which model? | 'ftx train ed'." },
        { "fill [gap]", "ftx fill: which model? | 'ftx train e'." },
        { "classify 7", "ftx classify: which model? | 'ftx train class'." },
        { "show --model", "ftx show: --model needs a value" },
        { "translate --model d 3", "d is a model of 'ftx train d'; | ed'." },
        { "fill --model d 3", "d is a model of 'ftx train d'; | train e'." },
        { "classify --model d 3", "a model of 'ftx train d'; | class'." },
        { "generate --model e 3", "e is a model of 'ftx train e'; | d'." },
        { "generate --model none 3", "none: cannot be opened: No such file" },
        { "show --model none 3", "none: cannot be opened: No such file" },
        { "generate --model t 3", "t: this is no model of ftx." },
        { "show --model t 3", "t: this is no model of ftx." },
        { "generate --model x 3", "x: the model is damaged" },
        { "show --model x 3", "x: the model is damaged" },
    };
    size_t n = 0;
    little_model("d");
    little_model("e");
    char *bytes = bytes_of("d", &n);
    bytes[n / 2] ^= 1;
    write_bytes("x", bytes, n);
    assert_all_refused(row);
}

LAW(a_model_that_overflows_is_to_blame)
{
    static const struct { const char *task, *line; } row[] = {
        { "d", "generate 3" }, { "d", "show 3" }, { "e", "fill [gap]" },
        { "class", "classify 3" }, { "ed", "translate ab" },
        { "ed", "translate --beam 2 ab" }, { "d", "train d --resume t" },
        { "ed", "train ed --resume p" },    /* the held-out part is judged */
    };
    for (int k = 0; k < 8; k++) {
        little_model(row[k].task);
        Model *m = model_in(row[k].task);
        for (int p = 1; p <= m->theta->n; p++) {
            Mat M = *m->theta->parameter[p].place;
            for (size_t e = 0; e < entries_in(M); e++)
                M->at[e] = (real)(IS_DOUBLE ? 1e300 : 1e30);
        }
        assert_string_equal(saving(m, row[k].task), "");
        Said s = ftx("%s --model %s", row[k].line, row[k].task);
        if (s.status != 2 || strncmp(s.err, row[k].task, 1) != 0
            || !has_words(s.err, ": what is computed | not finite; | .\n"))
            fail_at(HERE(row[k].line), "%d, %s%s", s.status, s.out, s.err);
    }
}
