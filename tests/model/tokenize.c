/* ftx tokenize: a text and its tokens. */
#include "lessons.h"

LAW(tokens_are_printed_with_their_counts)
{
    static const struct { const char *how, *text, *out; } row[] = {
        { "--tokens word", "to be or\nnot to be",
          "7\t<bos>\n1\tto␣\n2\tbe␣\n3\tor\\n\n4\tnot␣\n1\tto␣\n5\tbe\n"
          "8\t<eos>\n# bytes: 18, tokens: 6 (0.333 a byte), with <bos> and "
          "<eos>: 8\n# N_V = 8: <mask> = 6, <bos> = 7, <eos> = 8\n" },
        { "", "été", "4\t<bos>\n1\té\n2\tt\n1\té\n5\t<eos>\n"
          "# bytes: 5, tokens: 3 (0.600 a byte), with <bos> and <eos>: 5\n"
          "# N_V = 5: <mask> = 3, <bos> = 4, <eos> = 5\n" },
        { "--tokens bpe --merges 1", "aaa",
          "259\t<bos>\n257\taa\n98\ta\n260\t<eos>\n"
          "# bytes: 3, tokens: 2 (0.667 a byte), with <bos> and <eos>: 4\n"
          "# N_V = 260: <mask> = 258, <bos> = 259, <eos> = 260\n" },
        { "--vocabulary --tokens bpe", "low low lower lowest",
          "tokenizer bpe 4\n109 112 lo\n257 120 low\n258 33 low␣\n"
          "258 102 lowe\n" },
        { "--vocabulary", "aba", "tokenizer char 2\na\nb\n" },
    };
    for (int k = 0; k < 5; k++) {
        write_text("x", row[k].text);
        assert_said(ftx("tokenize %s x", row[k].how), 0, row[k].out, "");
    }
}

LAW(a_thousand_pairs_are_merged_unless_told)
{
    char text[40000] = "";
    for (size_t k = 0; k < sizeof text - 1; k++)
        text[k] = (char)('a' + (mixed(k) >> 40) % 26);
    write_text("x", text);
    assert_says(ftx("tokenize --vocabulary --tokens bpe x"),
                "tokenizer bpe 1000\n");
    assert_said(ftx("tokenize --vocabulary --tokens bpe --merges 0 x"), 0,
                "tokenizer bpe 0\n", "");
}

LAW(a_dash_is_standard_input)
{
    type_in("abba");
    assert_says(ftx("tokenize -"), "# bytes: 4, tokens: 4 ");
    assert_refused(ftx("tokenize -"), "standard input is empty.");
}

/* What is refused: the text of y, the line, and words. */
LAW(tokens_are_those_of_a_model_and_what_has_none_is_refused)
{
    write_text("t", "a b a b ");
    TRAIN("d --tokens word --steps 1 --d_e 2 --H 1 --L 1 --ell_max 8 "
          "--held-out 0 --model m t");
    write_text("x", "b b a ");
    assert_says(ftx("tokenize --model m x"), "4\t<bos>\n2\tb");
    for (Rows row = rows_of("files.txt", "what has no tokens");
         next_row(&row); ) {
        write_text("y", row.field[0]);
        refused_by(HERE(row.field[2]), ftx("tokenize %s", row.field[1]),
                   row.field[2]);
    }
    write_text("y", "a\n\xC3\xA9z\xFF\n");
    assert_int_equal(ftx("tokenize --tokens bpe y").status, 0);
    assert_int_equal(ftx("tokenize --tokens word y").status, 0);
}

LAW(what_is_typed_wrong_is_refused)
{
    write_text("x", "x");
    assert_table_refused("what is typed wrong");
}
