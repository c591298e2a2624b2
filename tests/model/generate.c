/* ftx generate: a text that goes on as the model says. */
#include "lessons.h"

LAW(memory_changes_no_text)
{
    static const char *const line[] = {
        "'1 sh'", "'1 sh' --slide 1 --ell_gen 40 --seed 2",
        "'' --slide 16 --special --tau 2", "'1 sheep' --tau 0",
        "'1 sheep' --top_k 4 --top_p 0.7 --show-tokens",
    };
    little_model("d");
    for (int k = 0; k < 5; k++)
        assert_both_say(ftx("generate --model d %s", line[k]),
                        ftx("generate --model d %s --no-memory", line[k]));
}

/* p, q and the token for each number, by the library. */
LAW(a_token_follows_from_its_number)
{
    static const double u[] = { 0.1, 0.5, 0.93 };
    char expected[200];
    int id[8];
    little_model("d");
    const Model *m = model_in("d");
    Said s = ftx("generate --model d --u 0.1,0.5,0.93 '1 sh' --show-tokens");
    Said same = ftx("generate --model d --u 0.1,0.5,0.93 '1 sh'");
    memcpy(id, tokens_of(m->tokenizer, "1 sh").id, 5 * sizeof *id);
    assert_int_equal(times(s.out, "\n"), 3);
    for (int k = 0; k < 3; k++) {
        Mat P = dtransformer(quiet, (Tokens){ 5 + k, id }, m->theta);
        Mat p = column_at(P, P->cols), q = exclude_special(p, false);
        int y = id[5 + k] = sample(q, u[k]);
        Piece piece = token_piece(m->tokenizer, y);
        snprintf(expected, sizeof expected, "p %.6f  q %.6f  ",
                 (double)AT(p, y, 1), (double)AT(q, y, 1));
        assert_that(strncmp(s.out, expected, strlen(expected)) == 0);
        assert_that(AT(p, y, 1) < AT(q, y, 1));
        assert_that(memcmp(same.out, piece.at, (size_t)piece.n) == 0);
        same.out += piece.n;
        s.out = strchr(s.out, '\n') + 1;
    }
    assert_string_equal(same.out, "\n");
}

LAW(a_text_has_as_many_tokens_as_were_asked_for)
{
    little_model("d");
    assert_int_equal(characters_of(ftx("generate --model d").out), 201);
    assert_int_equal(characters_of(ftx("generate --model d --ell_gen 7").out),
                     8);
    assert_string_equal(ftx("generate --model d --ell_gen 0 3").out, "\n");
    assert_int_equal(times(ftx("generate --model d --ell_gen 9 --show-tokens")
                           .out, "\n"), 9);
}

/* The last tokens are mask_token, bos_token and eos_token. */
LAW(special_tokens_only_where_they_are_wanted)
{
    static const struct { const char *how; int lines, eos, last; } row[] = {
        { "--special", 3, 2, 0 }, { "--special --stop", 1, 1, 0 },
        { "--stop", 1, 1, 0 }, { "--stop=no", 3, 0, 2 },
    };
    char last[20];
    little_model("d");
    const Model *m = model_in("d");
    Piece piece = token_piece(m->tokenizer, m->theta->hyper.N_V - 3);
    snprintf(last, sizeof last, "  %.*s\n", piece.n, piece.at);
    for (int k = 0; k < 4; k++) {
        const char *said = ftx("generate --model d --tau inf --show-tokens "
                               "--u 0.99999,0.99999,0.1 %s", row[k].how).out;
        assert_int_equal(times(said, "\n"), row[k].lines);
        assert_int_equal(times(said, "<eos>\n"), row[k].eos);
        assert_int_equal(times(said, last), row[k].last);
    }
    double p, q;
    const char *line = ftx("generate --model d --special --show-tokens "
                           "--ell_gen 5").out;
    for (int k = 0; k < 5; k++, line = strchr(line, '\n') + 1) {
        assert_that(sscanf(line, "p %lf  q %lf", &p, &q) == 2);
        assert_that(p == q && p > 0);
    }
}

LAW(tau_0_is_the_most_probable_token)
{
    little_model("d");
#define THIRTY(how) ftx("generate --model d --ell_gen 30 '2 ' " how)
    Said greedy = THIRTY("--tau 0"), s = THIRTY("");
    assert_both_say(greedy, THIRTY("--top_k 1 --seed 9"));
    assert_both_say(greedy, THIRTY("--top_p 1e-9 --seed 8"));
    assert_both_say(s, THIRTY("--seed 1"));
    assert_string_not_equal(s.out, THIRTY("--seed 2").out);
    assert_string_not_equal(s.out, THIRTY("--tau 0.5").out);
    assert_string_not_equal(s.out, greedy.out);
}

static size_t peak(Said s)
{
    size_t bytes = 0;
    assert_that(s.status == 0);
    assert_that(sscanf(s.err, "peak: %zu bytes, and the model\n", &bytes)
                == 1);
    return bytes;
}

LAW(a_long_text_takes_no_more_memory)
{
    little_model("d");
    size_t bytes = peak(ftx("generate --model d --peak --ell_gen 30"));
    assert_that(bytes > 0);
    assert_that(bytes == peak(ftx("generate --model d --peak --ell_gen 300")));
    assert_string_equal(ftx("generate --model d --ell_gen 3").err, "");
}

/* Half of ell_max, 16 or 13, slides where nothing else is said. */
LAW(the_front_slides_out_of_sight)
{
    little_model("d");
    TRAIN(SMALL "--steps 9 --ell_max 13 --L 1 --model odd d t");
#define SIXTY(how) ftx("generate --ell_gen 60 --tau 2 '1 sheep' --model " how)
    assert_both_say(SIXTY("d"), SIXTY("d --slide 8"));
    assert_both_say(SIXTY("odd"), SIXTY("odd --slide 7"));
    assert_string_not_equal(SIXTY("d").out, SIXTY("d --slide 5").out);
    const char *longer = ftx("generate --model d --ell_gen 40 '1 sheep'").out;
    for (int n = 1; n < 20; n++) {
        Said fewer = ftx("generate --model d --ell_gen %d '1 sheep'", n);
        if (fewer.status != 0 || strncmp(fewer.out, longer,
                                         strcspn(fewer.out, "\n")) != 0)
            fail_at(HERE("ell_gen"), "%s%s, not %s", fewer.out, fewer.err,
                    longer);
    }
    Said cut = ftx("generate --model d '10 sheep and 100 goats' --slide 10");
    assert_int_equal(characters_of(cut.out), 201);
    assert_both_say(cut, ftx("generate --model d '11 sheep and 100 goats' "
                             "--slide 10"));
    assert_int_equal(ftx("generate --model d '1 sheep and 100'").status, 0);
}

LAW(a_prompt_is_typed_or_read)
{
    static const char *const same[] = { "3 sheep\n", "3 sheep",
                                        "3 sheep\r\n" };
    little_model("d");
    Said s = ftx("generate --model d '3 sheep'");
    for (int k = 0; k < 3; k++) {
        type_in(same[k]);
        assert_both_say(s, ftx("generate --model d -"));
    }
    assert_string_not_equal(s.out, ftx("generate --model d 'and goats'").out);
    assert_both_say(ftx("generate --model d"), ftx("generate --model d ''"));
    type_in("3 sheep\n4 goats\n@");
    assert_refused(ftx("generate --model d -"), "standard input:3:1: | no "
                   "token for this character ");
    type_in("");
    assert_refused(ftx("generate --model d -"), "standard input: is empty.");
}

LAW(words_keep_the_blanks_behind_them)
{
    a_text("t", 30, "");
    TRAIN("d " SMALL "--steps 9 --L 1 --tokens word --model m t");
    assert_both_say(ftx("generate --model m '1 sheep'"),
                    ftx("generate --model m '1 sheep '"));
    assert_int_equal(ftx("generate --model m --ell_gen 3").status, 0);
}

LAW(what_cannot_be_generated_is_refused)
{
    static const Refused row[] = {
        { "generate --model d '1 sheep and 1000'",
          "prompt has 17 tokens with bos; ell_max is 16. | --slide N." },
        { "generate --model d --slide 17", "--slide is 17; | at most | 16." },
        { "generate --model d '3 sheep\n\xC3\x84@'",
          "the prompt:2:2: | no token for this character '" },
        { "generate --model d '3 \xFF'", "the prompt:1:3: | UTF-8." },
        { "generate --model d 3 4", "expected one prompt; | quotes." },
        { "generate --model d --tau -1",
          "ftx generate: --tau | a number, at least 0; | '-1'." },
        { "generate --model d --tau nan", "--tau | at least 0; | 'nan'." },
        { "generate --model d --top_p 1.5", "--top_p | from 0 to 1; | '1.5'." },
        { "generate --model d --u 0.5,0.5 --ell_gen 20",
          "--u has numbers for 2 tokens, --ell_gen asks for 20;" },
        { "generate --model d --u ''", "--u must be numbers in [0, 1) | ''." },
        { "generate --model d --u 1", "--u must be | '1'." },
        { "generate --model d --u 0.5,", "--u must be | '0.5,'." },
        { "generate --model d --u 0.5;0.2", "--u must be | '0.5;0.2'." },
        { "generate --model d --u 0.5,-0.1", "--u must be | '0.5,-0.1'." },
        { "generate --model d --u nan", "--u must be | 'nan'." },
        { "generate --model d --seed 1 --u 0.5 3",
          "--seed has an effect only without --u." },
        { "generate --model d --seed=1 --tau=0 3",
          "--seed has an effect only with a --tau above 0." },
        { "generate --model d --u .5 --tau=0 3", "--u | only with a --tau" },
        { "generate --model d --top_k 2 --tau=0 3", "--top_k | only with" },
        { "generate --model d --top_p=.5 --tau=0 3", "--top_p | only with" },
    };
    little_model("d");
    assert_all_refused(row);
    assert_int_equal(ftx("generate --model d --seed 1 --top_k 2 --top_p .9 3")
                     .status, 0);
    assert_int_equal(ftx("generate --model d --u .5 --top_k 2 --tau 2 -- 3")
                     .status, 0);
}
