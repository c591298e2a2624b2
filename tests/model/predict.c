/* ftx generate, translate, fill and classify: what a trained model says about
   a text, against the library. */
#include "decode.h"
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
        { "show", "\nlayer 2  " }, { "generate", "" },
    };
    for (int k = 0; k < 6; k++) {
        Said s = example_of(k == 4 ? "show --model" : row[k].command);
        if (s.status != 0 || !has_words(s.out, row[k].words))
            fail_at(HERE(row[k].command), "%s%s", s.out, s.err);
        if (k == 5)
            assert_int_equal(characters_of(s.out), 41);
        remove("hello.ftx");
    }
}

/* What came before is printed all the same. */
LAW(a_line_of_standard_input_is_named)
{
    little_model("e");
    for (Rows row = rows_of("files.txt", "a line of standard input");
         next_row(&row); ) {
        type_in(row.field[0]);
        Said s = ftx("fill --model e");
        if (s.status != 2 || times(s.out, "token ") != 1
            || strncmp(s.err, "standard input", 14) != 0
            || !has_words(s.err + 14, row.field[1]))
            fail_at(HERE(row.field[0]), "%s%s", s.out, s.err);
    }
    type_in("");
    assert_refused(ftx("fill --model e"), "standard input is empty.");
}

LAW(a_model_must_be_given_and_of_the_right_kind)
{
    size_t n = 0;
    little_model("d");
    little_model("e");
    char *bytes = bytes_of("d", &n);
    bytes[n / 2] ^= 1;
    write_bytes("x", bytes, n);
    assert_table_refused("no model, or one of another kind");
}

LAW(a_model_that_overflows_is_to_blame)
{
    static const struct { const char *task, *line; } row[] = {
        { "d", "generate 3" }, { "d", "show 3" }, { "e", "fill [gap]" },
        { "class", "classify 3" }, { "ed", "translate ab" },
        { "d", "train d --resume t" },
        { "ed", "train ed --resume p" },    /* the held-out part is judged */
    };
    for (int k = 0; k < 7; k++) {
        Model *m = little_model(row[k].task);
        for (int p = 1; p <= m->theta->n; p++) {
            Mat M = *m->theta->parameter[p].place;
            for (size_t e = 0; e < entries_in(M); e++)
                M->at[e] = (real)(IS_DOUBLE ? 1e300 : 1e30);
        }
        assert_string_equal(saving(m, row[k].task), "");
        Said s = ftx("%s --model %s", row[k].line, row[k].task);
        if (s.status != 2 || !has_words(s.err, "not finite | .\n"))
            fail_at(HERE(row[k].line), "%d, %s%s", s.status, s.out, s.err);
    }
}

/* ------------------------------------------------------------- generate */

/* The token for each number, by the library. */
LAW(a_token_follows_from_its_number)
{
    int id[8];
    const Model *m = little_model("d");
    Said s = ftx("generate --model d --seed 7 --ell_gen 3 '1 sh'");
    Random random = random_new(7);
    memcpy(id, tokens_of(m->tokenizer, "1 sh").id, 5 * sizeof *id);
    for (int k = 0; k < 3; k++) {
        Mat P = dtransformer(quiet, (Tokens){ 5 + k, id }, m->theta);
        Mat p = column_at(P, P->cols), q = exclude_special(p, false);
        int y = id[5 + k] = sample(q, uniform(&random));
        Piece piece = token_piece(m->tokenizer, y);
        assert_that(memcmp(s.out, piece.at, (size_t)piece.n) == 0);
        s.out += piece.n;
    }
    assert_string_equal(s.out, "\n");
}

LAW(a_text_has_as_many_tokens_as_were_asked_for)
{
    little_model("d");
    assert_int_equal(characters_of(ftx("generate --model d").out), 201);
    assert_int_equal(characters_of(ftx("generate --model d --ell_gen 7").out),
                     8);
    assert_string_equal(ftx("generate --model d --ell_gen 0 3").out, "\n");
}

/* With tau = inf all tokens are alike, so special ones come soon; they have
   no characters. */
LAW(special_tokens_only_where_they_are_wanted)
{
    little_model("d");
#define SAMPLED(how) characters_of(ftx("generate --model d --tau inf " \
                                       "--ell_gen 500 " how).out)
    assert_int_equal(SAMPLED(""), 501);
    assert_that(SAMPLED("--stop") < 200);
    const int special = SAMPLED("--special");
    assert_that(300 < special && special < 495);
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

/* Of ell_max, 16 or 13, half leaves; by the library. */
LAW(the_front_slides_out_of_sight)
{
    little_model("d");
    TRAIN(SMALL "--steps 9 --ell_max 13 --L 1 --model odd d t");
    for (int odd = 0; odd < 2; odd++) {
        const Model *m = model_in(odd ? "odd" : "d");
        Random random = random_new(1);
        Tokens x = tokens_of(m->tokenizer, "1 sheep");
        x.length--;
        size_t n;
        Tokens y = inference_14(quiet, arena, x, m->theta, &(Inference){
            .ell_gen = 60, .tau = 2, .random = &random, .no_special = true });
        const char *text = decode_text(m->tokenizer, arena, y, &n);
        Said s = ftx("generate --ell_gen 60 --tau 2 '1 sheep' --model %s",
                     odd ? "odd" : "d");
        assert_that(strncmp(s.out, text, n) == 0 && s.out[n] == '\n');
    }
}

LAW(a_prompt_may_be_empty_and_is_typed_as_it_is)
{
    little_model("d");
    Said s = ftx("generate --model d '3 sheep'");
    assert_string_not_equal(s.out, ftx("generate --model d 'and goats'").out);
    assert_both_say(ftx("generate --model d"), ftx("generate --model d ''"));
}

/* ------------------------------------------------------------ translate */

LAW(lines_are_translated_one_by_one)
{
    Inference how = { .tau = 0, .no_special = true };
    bool ended;
    size_t n;
    const Model *m = little_model("ed");
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
    assert_both_say(s, ftx("translate --model ed ba --tau 1 --top_k 1 --ell_gen 16"));
}

/* A line does not know of those before it, not even of its own length. */
LAW(a_line_is_translated_as_it_is_alone)
{
    static const char *const line[] = { "abcba", "a", "ba", "c", "abc", "b" };
    static const char *const how[] = { "", "--tau 1 --top_k 1" };
    little_model("ed");
    for (int k = 0; k < 2; k++) {
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

LAW(the_model_in_the_page_names_numbers)
{
    assert_says(ftx("translate --model doc/numbers.ftx 4217 3000"),
                "four thousand two hundred seventeen\nthree thousand\n");
}

/* ----------------------------------------------------------------- fill */

LAW(guesses_come_in_the_order_of_their_probabilities)
{
    char *expected;
    size_t n;
    int id[9];
    const Model *m = little_model("e");
    memcpy(id, tokens_of(m->tokenizer, "s sheep").id, sizeof id);
    id[1] = id[5] = mask_token(m->theta->hyper.N_V);
    Mat P = etransformer(quiet, (Tokens){ 9, id }, m->theta);
    FILE *out = open_memstream(&expected, &n);
    for (int t = 2; t <= 6; t += 4) {
        const int *y = rank_tokens(column_at(P, t), 4).id;
        fprintf(out, "  token %d:", t);
        for (int k = 0; k < 4; k++) {
            fputs("  ", out);
            write_token(out, m->tokenizer, y[k]);
            fprintf(out, " %.4f", (double)AT(P, y[k], t));
        }
        fputc('\n', out);
        id[t - 1] = y[0];
    }
    fclose(out);
    Said s = ftx("fill --model e '[gap] sh[gap]ep' --top 4");
    const char *filled = decode_text(m->tokenizer, arena, (Tokens){ 9, id },
                                     &n);
    assert_that(s.status == 0 && strncmp(s.out, filled, n) == 0);
    assert_string_equal(s.out + n + 1, expected);
    free(expected);
}

LAW(gaps_stand_anywhere)
{
    little_model("e");
    Said s = ftx("fill --model e [gap] a[gap][gap] an[gap]");
    assert_int_equal(times(s.out, "  token 2:"), 1);
    assert_int_equal(times(s.out, "  token 3:"), 1);
    assert_int_equal(times(s.out, "  token 4:"), 2);
    type_in("[gap]\na[gap][gap]\nan[gap]");
    assert_both_say(s, ftx("fill --model e"));
    s = ftx("fill --model e an[gap] --top 1000000");
    assert_int_equal(times(s.out, " 0."), model_in("e")->theta->hyper.N_V);
    assert_int_equal(times(s.out, "<mask>"), 1);
}

LAW(words_keep_the_blanks_behind_them)
{
    a_text("t", 30, "");
    TRAIN("e " SMALL "--steps 9 --L 1 --tokens word --model m t");
    Said s = ftx("fill --model m '1 [gap] and 1 [gap]'");
    assert_that(s.status == 0 && strncmp(s.out, "1 ", 2) == 0);
    assert_non_null(strstr(s.out, "and 1 "));
    assert_int_equal(times(s.out, "\n  token "), 2);
    write_text("t", "a rose\nis a rose\n");       /* rose and the end of a line */
    TRAIN("d " SMALL "--steps 1 --tokens word --model n t");
    assert_int_equal(ftx("generate --model n 'a rose\n'").status, 0);
}

LAW(the_probabilities_of_the_classes_sum_to_1)
{
    static const char *const line[] = { "12", "x7", "31" };
    double digit, letter;
    char first[20];
    const Model *m = little_model("class");
    type_in("12\nx7\n31\n");
    Said s = ftx("classify --model class");
    assert_both_say(s, ftx("classify --model class 12 x7 31"));
    for (int k = 0; k < 3; k++, s.out = strchr(s.out, '\n') + 1) {
        assert_that(sscanf(s.out, "%19s digit %lf letter %lf\n", first,
                           &digit, &letter) == 3);
        Mat P = classify(quiet, tokens_of(m->tokenizer, line[k]), m->theta);
        assert_near(digit, AT(P, 1, 1), 5.1e-5);
        assert_near(letter, AT(P, 2, 1), 5.1e-5);
        assert_near(digit + letter, 1, 1.1e-4);
        assert_string_equal(first, digit >= letter ? "digit" : "letter");
    }
    assert_string_equal(s.out, "");
}

LAW(what_a_model_cannot_be_asked_is_refused)
{
    little_model("d");
    little_model("e");
    little_model("ed");
    little_model("class");
    assert_table_refused("what a model cannot be asked");
    assert_int_equal(ftx("generate --model d '1 sheep and 100'").status, 0);
    assert_int_equal(ftx("fill --model e '3 sheep and  [gap]'").status, 0);
    assert_int_equal(ftx("classify --model class 12345678901234").status, 0);
}
