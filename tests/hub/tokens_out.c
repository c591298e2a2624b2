/* What goes out as tokenizer.json comes in as what it was. */
#include "lessons.h"
#include "released.h"
#include "hub/hub.h"

static const char *tokens_by(const char *model)
{
    Said s = ftx("tokenize --model %s y", model);
    if (s.status != 0)
        fail_at(HERE(model), "%s", s.err);
    return s.out;
}

LAW(tokens_come_back_from_an_export)
{
    static const char *const kinds[] = { "char", "word", "bpe" };
    static const struct { const char *model, *tokens, *text; } row[] = {
        { "bert-masked", "words.json", "The  ABC. ÀB [MASK] cabcab" },
        { "gpt2", "bytes.json", "abc <|endoftext|> ab" },
    };
    char name[100];
    write_text("y", "to be, or not to be: to bé or not\n"
               "<mask> so be it, to be or not to be\n");
    for (int k = 0; k < 3; k++) {
        TRAIN("d --steps 1 --tokens %s --L 1 --H 1 --d_e 4 --ell_max 8 "
              "--replace --model m y", kinds[k]);
        assert_says(ftx("export m out --replace"), ": ");
        assert_says(ftx("import out --model n --tokens-of m --replace"),
                    "from");
        assert_string_equal(tokens_by("n"), tokens_by("m"));
        const char *file = text_of("out/tokenizer.json");
        assert_int_equal(times(file, "\"<bos>\": {\"id\": \"<bos>\", "
                               "\"tokens\": [\"<bos>\"], \"ids\": ["), 1);
        assert_int_equal(times(file, "\"model\": {\"type\": \"WordLevel\""),
                         k < 2);
        assert_int_equal(times(file, "\"<mask>\": "), k < 2);
        assert_int_equal(times(file, "\n      \"\": "), 0);
        file = text_of("out/tokenizer_config.json");
        assert_int_equal(times(file, "\"mask_token\": \"<mask>\""), 1);
        assert_int_equal(times(file, "\"unk_token\": \"<mask>\""), k < 2);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, FOLDER("%s"), row[k].tokens);
        copy_released(row[k].model, NULL, NULL);
        write_text("f/tokenizer.json", text_of(name));
        write_text("y", row[k].text);
        for (int moved = 0; moved <= k; moved++) {
            if (moved) {            /* the special token is the first one */
                const char *text = text_of("f/tokenizer.json");
                text = replaced(text, "\"id\": 12", "\"id\": 0");
                text = replaced(text, "\"a\": 0", "\"a\": 12");
                write_text("f/tokenizer.json", replaced(text, "|>\": 12",
                                                        "|>\": 0"));
            }
            assert_says(ftx("export f out --replace"), ": ");
            assert_string_equal(tokens_by("out"), tokens_by("f"));
            const char *out = text_of("out/tokenizer.json");
            assert_int_equal(times(out, "\"[MASK]\": "),
                             times(text_of("f/tokenizer.json"), "\"[MASK]\": "));
            assert_that(times(out, "\"special\": true") > 0);
            assert_int_equal(times(out, "\"normalized\": false"),
                             times(out, "\"special\": true"));
            assert_int_equal(times(out, "\"post_processor\": null"), k > moved);
            const char *set = text_of("out/tokenizer_config.json");
            assert_int_equal(times(set, "mask_token"), 1 - k);
            assert_int_equal(times(out, "], \"cls\": [\"[CLS]\", "), !k);
        }
    }
    write_text("f/tokenizer.json", replaced(text_of(name), "l\": true",
                                            "l\": false"));
    assert_says(ftx("export f out --replace"), ": ");
    assert_int_equal(times(text_of("out/tokenizer.json"),
                           "\"special\": true"), 0);
}

/* Every way to treat letters goes out as it came in, and is another. */
LAW(every_normalizer_goes_out_as_it_came_in)
{
    static const char *const flags[] = { "true", "false", "null" };
    const char *said[12];
    char own[200];
    copy_released("bert-masked", NULL, NULL);
    write_text("y", "aé AB ab AÉ 一ab a\x01" "b .");
    for (int k = 0; k < 12; k++) {
        snprintf(own, sizeof own, "\"clean_text\": true, "
                 "\"handle_chinese_chars\": %s, \"strip_accents\": %s, "
                 "\"lowercase\": %s", flags[k / 6], flags[k / 2 % 3],
                 flags[k % 2]);
        write_text("f/tokenizer.json",
                   replaced(text_of(FOLDER("words.json")),
                            "\"strip_accents\": null, \"lowercase\": true",
                            own));
        said[k] = tokens_by("f");
        assert_says(ftx("export f out --replace"), ": ");
        assert_string_equal(tokens_by("out"), said[k]);
        for (int i = 0; i < k; i++)     /* null: as lowercase is */
            if (k / 6 == i / 6 && k / 2 % 3 != 2 && i / 2 % 3 != 2)
                assert_string_not_equal(said[k], said[i]);
    }
    assert_string_equal(said[4], said[0]);
    assert_string_equal(said[5], said[3]);
}

/* A special token's text, learned from a text that is full of it. */
LAW(a_text_of_two_tokens_does_not_go_out)
{
    char text[400] = "";
    for (int k = 0; k < 20; k++)
        strcat(text, "<mask><mask> <eos>\n");
    write_text("x", text);
    TRAIN("d --steps 1 --tokens bpe --L 1 --H 1 --d_e 4 --ell_max 8 "
          "--model m x");
    assert_says(ftx("export m out"), "; no tokenizer.json: two of its tokens "
                "are the same text\n");
    assert_int_equal(access("out/tokenizer.json", F_OK), -1);
}
