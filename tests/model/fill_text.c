/* ftx fill: guesses for the gaps of a text. */
#include "lessons.h"

LAW(guesses_come_in_the_order_of_their_probabilities)
{
    char *expected;
    size_t n;
    int y[4], id[9];
    little_model("e");
    const Model *m = model_in("e");
    memcpy(id, tokens_of(m->tokenizer, "s sheep").id, sizeof id);
    id[1] = id[5] = mask_token(m->theta->hyper.N_V);
    Mat P = etransformer(quiet, (Tokens){ 9, id }, m->theta);
    FILE *out = open_memstream(&expected, &n);
    for (int t = 2; t <= 6; t += 4) {
        rank_tokens(column_at(P, t), 4, y);
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

/* Where a and b alternate, it is clear what is missing. */
LAW(each_gap_gets_its_own_guess)
{
    char text[801] = "";
    for (int k = 0; k < 800; k++)
        text[k] = "ab"[k % 2];
    write_text("t", text);
    TRAIN("e " SMALL "--steps 60 --L 1 --eta 0.02 --warm_up 5 --model m t");
    assert_says(ftx("fill --model m --top 1 [gap]ba[gap]a"),
                "ababa\n  token 2:  a 0.");
}

LAW(gaps_stand_anywhere_and_look_as_one_likes)
{
    little_model("e");
    Said s = ftx("fill --model e [gap] a[gap][gap] an[gap]");
    assert_int_equal(times(s.out, "  token 2:"), 1);
    assert_int_equal(times(s.out, "  token 3:"), 1);
    assert_int_equal(times(s.out, "  token 4:"), 2);
    assert_both_say(s, ftx("fill --model e --gap _ _ a__ an_"));
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
}

LAW(what_cannot_be_filled_is_refused)
{
    static const Refused row[] = {
        { "fill --model e '3 sheep'", "the text:1:1: | no gap; | [gap]." },
        { "fill --model e 3[gap]@", "the text:1:7: there is no token" },
        { "fill --model e [gap] --gap=", "ftx fill: --gap | empty." },
        { "fill --model e '3 sheep and 4 [gap]'",
          "the text:1:1: this has 17 tokens | ell_max is 16." },
        { "fill --model e --top 0", "--top | from 1 to 10000000; | '0'." },
    };
    little_model("e");
    assert_all_refused(row);
    assert_int_equal(ftx("fill --model e '3 sheep and  [gap]'").status, 0);
}
