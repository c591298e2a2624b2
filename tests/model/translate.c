/* ftx translate: lines, by Algorithm 15 or by beams. */
#include "lessons.h"

LAW(lines_are_translated_one_by_one)
{
    Inference how = { .tau = 0, .no_special = true };
    bool ended;
    size_t n;
    little_model("ed");
    const Model *m = model_in("ed");
    Tokens x = inference_15(quiet, arena, tokens_of(m->tokenizer, "ba"),
                            m->theta, &how, &ended);
    const char *text = decode_text(m->tokenizer, arena, x, &n);
    Said s = ftx("translate --model ed ba");
    assert_that(strncmp(s.out, text, n) == 0 && s.out[n] == '\n');
    assert_int_equal(ended, *s.err == '\0');
    type_in("ba\nca\nab");
    assert_both_say(ftx("translate --model ed ba ca ab"),
                    ftx("translate --model ed"));
    assert_that(strncmp(s.out, ftx("translate --model ed ba ca").out, n + 1)
                == 0);
    assert_both_say(s, ftx("translate --model ed ba --tau 1 --top_k 1"));
}

/* A line does not know of those before it, not even of its own length. */
LAW(a_line_is_translated_as_it_is_alone)
{
    static const char *const line[] = { "abcba", "a", "ba", "c", "abc", "b" };
    static const char *const how[] = { "", "--beam 3",
                                       "--tau 1 --top_k 1" };
    little_model("ed");
    for (int k = 0; k < 3; k++) {
        Said all = ftx("translate --model ed %s abcba a ba c abc b", how[k]);
        for (int n = 0; n < 6; n++) {
            Said one = ftx("translate --model ed %s %s", how[k], line[n]);
            const size_t bytes = strlen(one.out);
            if (one.status != 0 || strncmp(all.out, one.out, bytes) != 0)
                fail_at(HERE(line[n]), "%s alone, but behind others\n%s",
                        one.out, all.out);
            all.out += bytes;
        }
        assert_string_equal(all.out, "");
    }
}

LAW(a_translation_that_does_not_end_is_said_to_be_cut)
{
    little_model("ed");
    Said s = ftx("translate --model ed ba ab --ell_gen 1");
    assert_that(s.status == 0 && strlen(s.out) == 4);
    assert_int_equal(times(s.err, "eos_token did not come; the translation is "
                           "cut after token 1.\n"), 2);
    s = ftx("translate --model ed ba --ell_gen 1 --beam 2");
    assert_int_equal(times(s.err, "did not come"), 1);
}

/* Whatever is drawn, two tokens are two characters, unless it ended. */
LAW(a_translation_has_no_special_tokens)
{
    int cut = 0;
    little_model("ed");
    for (int k = 1; k <= 20; k++) {
        Said s = ftx("translate --model ed ba --tau inf --ell_gen 2 --seed %d",
                     k);
        if (*s.err != '\0')
            assert_int_equal(characters_of(s.out), 3);
        cut += *s.err != '\0';
    }
    assert_that(cut > 0 && cut < 20);
}

/* Half of the lines learned are short, half are long, and --alpha decides. */
LAW(beams_are_those_of_the_library)
{
    static const double alpha[] = { 0, 0.7, 5 };
    Hypothesis best[4];
    Said s[3];
    size_t n;
    char text[1000] = "";
    for (int k = 0; k < 20; k++)
        strcat(text, "a\tb\na\tcdcdcdcd\n");
    write_text("p", text);
    TRAIN("ed " SMALL "--steps 60 --eta 0.02 --warm_up 5 --model m p");
    const Model *m = model_in("m");
    for (int k = 0; k < 3; k++) {
        Beam how = { 4, alpha[k], 0, true };
        beam_search(quiet, arena, tokens_of(m->tokenizer, "a"), m->theta,
                    &how, best);
        const char *x = decode_text(m->tokenizer, arena, best[0].x, &n);
        s[k] = ftx("translate --model m --beam 4 --alpha %g a", alpha[k]);
        assert_that(strncmp(s[k].out, x, n) == 0 && s[k].out[n] == '\n');
    }
    assert_that(strlen(s[0].out) < strlen(s[2].out));
    assert_both_say(ftx("translate --model m a"),
                    ftx("translate --model m --beam 1 a"));
}

/* Its file is of format 1, from before some hyperparameters. */
LAW(the_model_in_the_page_names_numbers)
{
    assert_says(ftx("translate --model doc/numbers.ftx 4217 3000"),
                "four thousand two hundred seventeen\nthree thousand\n");
}

LAW(what_cannot_be_translated_is_refused)
{
    static const Refused row[] = {
        { "translate --model ed ba --ell_gen 17",
          "--ell_gen is 17; | at most ell_max, 16." },
        { "translate --model ed ab?", "the text:1:3: | no token" },
        { "translate --tau=-0.1", "ftx translate: --tau | at least 0" },
        { "translate --u 0.5", "no option --u; | --help'." },
        { "translate --model ed --alpha 1 ab",
          "--alpha has an effect only with a --beam above 0." },
        { "translate --model ed --alpha=1 --beam 0 ab", "--alpha | --beam" },
        { "translate --model ed --tau 1 --beam 2 ab",
          "--tau has an effect only without --beam" },
        { "translate --model ed --seed 1 ab", "--seed | a --tau above 0." },
        { "translate --model ed --top_k 2 --beam 2 ab", "--top_k | --tau" },
        { "translate --model ed --top_p=.5 ab", "--top_p | --tau above 0." },
    };
    little_model("ed");
    assert_all_refused(row);
    assert_int_equal(ftx("translate --model ed --beam 2 --alpha 1 ab").status,
                     0);
    assert_int_equal(ftx("translate --model ed --tau 1 --seed 1 --top_k 2 "
                         "--top_p .9 ab").status, 0);
}
