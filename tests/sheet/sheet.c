/* Sheets: items with their names, words and matrices, and what is refused. */
#include "sheets.h"
#include "command.h"
#include "law.h"

/* --------------------------------------------------------------- matrices */

/* The sheet of a text, or NULL, and then the error says why. */
static const Sheet *sheet_in(const char *text, size_t length, Error *f)
{
    Reading r = { .name = "text", .text = text, .bytes = length };
    return try_work(f, read_it, &r) ? r.sheet : NULL;
}

/* The sheet of a text in which nothing is wrong. */
static const Sheet *good_sheet(const char *text)
{
    const Reading *r = reading("text", text, read_it);
    if (r->sheet == NULL)
        fail_at(HERE(text), "%s", r->error.sentence);
    return r->sheet;
}

static void assert_1234(Where where, const Item *item)
{
    if (item->rows != 2 || item->cols != 2)
        fail_at(where, "%d x %d", item->rows, item->cols);
    for (int k = 0; k < 4; k++)
        near_at(where, item->entry[k].value, k + 1, 1e-15);
}

/* A row of another length, in every way of writing and in every row. */
static const struct { const char *text; int row, n, above; } ragged[] = {
    { "1 2 ; 3", 2, 1, 2 },             { "1 ; 2 3", 2, 2, 1 },
    { "1 2 ; 3 4 ; 5 6 7", 3, 3, 2 },   { "1, 2;3,", 2, 1, 2 },
    { "1 2\n3 4\n5", 3, 1, 2 },         { "1 2 ;\n3 ;\n4 5", 2, 1, 2 },
    { "1 & 2 \\\\ 3 & 4 \\\\ 5", 3, 1, 2 }, { "[1 2\n 3]", 2, 1, 2 },
    { "[[1, 2], [3], [4, 5]]", 2, 1, 2 }, { "[[1 2]\n [3]]", 2, 1, 2 },
    { "\n[1],\n[2, 3]", 2, 2, 1 },
    { "tensor([[1., 2.],\n [3., 4.],\n [5.]])", 3, 1, 2 },
    { "\\begin{bmatrix}\n1 & 2 \\\\\n3 \\\\\n\\end{bmatrix}", 2, 1, 2 },
    { "\n| 1 |\n|---|\n| 2 | 3 |", 2, 2, 1 },
    { "\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |", 2, 1, 2 },
};

LAW(rows_of_different_lengths_are_refused)
{
    for (int claim = 0; claim <= 1; claim++)
        for (size_t k = 0; k < sizeof ragged / sizeof *ragged; k++) {
            char text[300], sentence[200];
            Error f = { .sheet = "text" };
            int n = ragged[k].n;
            snprintf(text, sizeof text, "%sX = %s\nmask none\n",
                     claim ? "claim " : "", ragged[k].text);
            if (sheet_in(text, strlen(text), &f) != NULL)
                fail_at(HERE(ragged[k].text), "is read:\n%s", text);
            snprintf(sentence, sizeof sentence, ": row %d of X has %d %s, "
                     "but the row above it has %d.", ragged[k].row, n,
                     n == 1 ? "entry" : "entries", ragged[k].above);
            if (strstr(f.sentence, sentence) == NULL)
                fail_at(HERE(ragged[k].text), "%s\nbut expected\n%s",
                        f.sentence, sentence);
        }
}

LAW(a_comma_or_an_array_carries_a_row_on)
{
    const char *text = "bq = [1, 2, # and\n 3]\nbk = array([1. 2.\n 3.])\nbv = [1 2\n3 4]";
    const Sheet *sheet = good_sheet(text);
    assert_that(sheet->n == 3);
    assert_that(sheet->item[0].rows == 1 && sheet->item[0].cols == 3);
    assert_that(sheet->item[1].rows == 1 && sheet->item[1].cols == 3);
    assert_that(sheet->item[2].rows == 2 && sheet->item[2].cols == 2);
}

LAW(ends_of_lines_and_marks_of_other_systems_are_read)
{
    static const char *const texts[] = {
        "X = 1 2\n3 4\n\nmask none\n", "X = 1 2\r\n3 4\r\n\r\nmask none\r\n",
        "X = 1 2\r3 4\r\rmask none\r", "\xEF\xBB\xBFX = 1 2\n3 4\nmask none",
        "X = 1 2\v\n3 4\f\n\nmask none" };
    for (int k = 0; k < 5; k++) {
        const Sheet *sheet = good_sheet(texts[k]);
        assert_that(sheet->n == 2);
        assert_1234(HERE(texts[k]), &sheet->item[0]);
    }
}

/* ------------------------------------------------------------------ names */

/* What the word means, from which algorithm on: "0 - 4 mask 5 -". */
static void meaning_of(char *to, size_t size, const char *word)
{
    const char *before = "";
    *to = '\0';
    for (int algorithm = 0; algorithm <= 15; algorithm++) {
        const char *is = known_name(algorithm, word, true);
        is = is == NULL ? "-" : is;
        if (strcmp(is, before) != 0)
            append(to, size, "%s%d %s", *before == '\0' ? "" : " ", algorithm,
                   is);
        before = is;
    }
}

LAW(every_spelling_of_a_name_is_known)
{
    size_t size;
    char word[40], names[NAMES_BYTES], meaning[200];
    const char *line = bytes_of("tests/data/names.txt", &size);
    int rows = 0, algorithms = 0;
    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *end = line + strcspn(line, "\n"), *p;
        if (strncmp(line, "Algorithm", 9) == 0) {
            names_text(names, ++algorithms, false);
            assert_int_equal(strncmp(names, line, (size_t)(end - line)), 0);
        } else if (*line != '#' && end > line) {
            int n;
            p = strstr(line, " =");
            assert_that(p != NULL && p < end);
            const size_t length = (size_t)(p - line);
            for (p += 2; p < end && sscanf(p, "%39s%n", word, &n) == 1; p += n) {
                meaning_of(meaning, sizeof meaning, word);
                if (strlen(meaning) != length
                    || strncmp(meaning, line, length) != 0)
                    fail_at(HERE(word), "%s is '%s'", word, meaning);
            }
            rows++;
        }
    }
    assert_that(rows > 90 && algorithms == 15);
}

LAW(keys_words_and_claims_are_told_apart)
{
    const char *text = "algorithm 4\nlayout = torch\nmask 1 0 ; 1 1\nd_e :=2\n"
                  "  claim A = ? 1.50\n$X = 1$\n";
    const Sheet *sheet = good_sheet(text);
    assert_that(sheet->n == 6);
    assert_that(sheet->item[0].word == NULL && sheet->item[0].rows == 1);
    assert_string_equal(sheet->item[1].word, "torch");
    assert_that(sheet->item[2].rows == 2 && sheet->item[2].word == NULL);
    assert_that(sheet->item[3].entry[0].value == 2);
    assert_that(sheet->item[4].claim && isnan(sheet->item[4].entry[0].value));
    assert_that(sheet->item[4].entry[1].decimals == 2);
    assert_that(!sheet->item[5].claim && sheet->item[5].at > 0);
}

LAW(a_word_names_an_algorithm_too)
{
    static const struct { const char *words; int algorithm; } row[] = {
        { "embedding", 1 }, { "positional", 2 }, { "attention", 4 },
        { "mha", 5 }, { "layer_norm", 6 }, { "softmax", 7 },
        { "encoderdecoder", 8 }, { "bert", 9 }, { "GPT", 10 }, { "12", 12 },
    };
    char text[40];
    for (int k = 0; k < 10; k++) {
        sprintf(text, "algorithm %s\nd_e = 1\n", row[k].words);
        const Sheet *sheet = good_sheet(text);
        assert_that(sheet->algorithm == row[k].algorithm);
    }
}

LAW(what_only_looks_like_an_item_is_none)
{
    const char *text = "X =\n| pi | 1 |\n# X = 1\n| pi | e |\n"
                  "norm = 1 2\nscale no # word\nmask\n1 0\n0 1\n"
                  "Wq = 1e-500 0.1e-3\nd_e 3\nclaim m = 1 2";
    const Sheet *sheet = good_sheet(text);
    assert_that(sheet->n == 7 && sheet->item[0].rows == 2);
    assert_that(sheet->item[1].word == NULL && sheet->item[1].cols == 2);
    assert_string_equal(sheet->item[2].word, "no");
    assert_that(sheet->item[3].rows == 2 && sheet->item[5].rows == 1);
    assert_int_equal(sheet->item[4].entry[0].decimals, 400);
    assert_int_equal(sheet->item[4].entry[1].decimals, 4);
}

/* ----------------------------------------------------------------- errors */

static void assert_error(Where where, const char *text, size_t length,
                         const char *sentence)
{
    Error f = { .sheet = "text" };
    if (sheet_in(text, length, &f) != NULL)
        fail_at(where, "is read");
    if (strcmp(f.sentence, sentence) != 0)
        fail_at(where, "%s\nbut expected\n%s", f.sentence, sentence);
}

static char *repeated(const char *start, const char *part, int n)
{
    size_t a = strlen(start), b = strlen(part);
    char *text = arena_alloc(arena, a + b * (size_t)n + 1);
    memcpy(text, start, a + 1);
    for (int k = 0; k < n; k++)
        memcpy(text + a + b * (size_t)k, part, b + 1);
    return text;
}

#define FAULT(text, sentence) \
    assert_error(HERE(#text), text, strlen(text), sentence)

LAW(what_is_no_text_is_refused)
{
    static const char nul[] = "X = 1\0 2\n", utf16[] = "\xFF\xFEX\0";
    FAULT("\n \n\t\n", "text:1:1: the sheet is empty.");
    assert_error(HERE(nul), nul, sizeof nul - 1, "text:1:6: the byte 0x00 is "
                 "not text; a sheet is plain text in UTF-8.");
    assert_error(HERE(utf16), utf16, sizeof utf16 - 1,
                 "text:1:1: the byte 0xFF is not text; a sheet is plain "
                 "text in UTF-8.");
    FAULT("# ab\xE9\n", "text:1:5: the byte 0xE9 is not text; a sheet is plain "
          "text in UTF-8.");
    FAULT("#\xC3\xA9\xC3\xA9\xF0\x9F\x98", "text:1:4: the byte 0xF0 is not "
          "text; a sheet is plain text in UTF-8.");
    FAULT("#\xC2\xA0\xE2\x88\x92\xFF", "text:1:4: the byte 0xFF is not text; "
          "a sheet is plain text in UTF-8.");     /* behind shorter ones */
    FAULT("\x1B[0m", "text:1:1: the byte 0x1B is not text; a sheet is plain "
          "text in UTF-8.");
    FAULT("#\xC3(", "text:1:2: the byte 0xC3 is not text; a sheet is plain "
          "text in UTF-8.");
}

LAW(what_is_wrong_is_quoted_with_its_place)
{
#define NO_NAME "unknown name; names are case-sensitive, " \
                "such as X, Wq, W_q^1 or bq."
#define NO_NUMBER "expected a number, such as 1, -0.5, 1/2 or sqrt(2)."
    FAULT("a_name_of_31_characters_and_one = 1", "text:1:1: at "
          "'a_name_of_31_characters_and_one': " NO_NAME);
    FAULT("X = 1 xéééééééééééééééééééé", "text:1:7: at 'xééééééééééééééééééé"
          "': " NO_NUMBER);
    FAULT("é X = 1", "text:1:1: at 'é': expected a line such as "
          "'X = 1 0 ; 0 1', 'mask none' or 'algorithm attention'.");
    FAULT("X = [1 2", "text:1:5: what is opened here is not closed before "
          "the end of the sheet.");
    FAULT("X = 1 \\", "text:1:7: at '\\': " NO_NUMBER);
    FAULT("X = \\frac{1 2}{3}", "text:1:13: at '2}{3}': expected a }.");
    FAULT("claim grad2.W_u = 1", "text:1:7: at 'grad2.W_u': " NO_NAME);
    FAULT("X = 1 \\leftx", "text:1:7: at '\\leftx': " NO_NUMBER);
    FAULT("claims = 1", "text:1:1: at 'claims': " NO_NAME);
    FAULT("layout 4\nlayout 4", "text:2:1: layout is given twice.");
    FAULT("X =\nWq = 1", "text:1:1: X has no entries.");
    FAULT("X = 1\n| 1 2", "text:2:3: row 2 of X has 2 entries, but the row "
          "above it has 1.");
}

LAW(what_is_given_twice_is_refused)
{
    FAULT("X = 1\nclaim A = 1\nclaim X = 2\nX = 1",
          "text:4:1: X is given twice.");
    FAULT("claim V_tilde = 1\nclaim V~ = 1", "text:2:7: V~ is given twice.");
    FAULT("claim S^2 = 1\nclaim S^1 = 1\nclaim S2 = 1",
          "text:3:7: S2 is given twice.");
    FAULT("claim 4.4 S = 1\nclaim 4.5 S = 1\nclaim 4.4 S = 1",
          "text:3:11: S is given twice.");
    FAULT("layer2.Wq = 1\nlayer1.Wq = 1\nlayer2.Wq = 1",
          "text:3:1: layer2.Wq is given twice.");
    FAULT("claim i2.p = 1\nclaim i2.p = 1", "text:2:7: i2.p is given twice.");
    FAULT("claim new.Wu = 1\nclaim new.Wu = 1",
          "text:2:7: new.Wu is given twice.");
}

LAW(what_differs_in_one_thing_is_not_given_twice)
{
    const char *text = "X = 1\nclaim X = 1\nWq = 1\nWq1 = 1\nWq2 = 1\n"
        "layer1.Wq = 1\nlayer2.Wq = 1\nenc1.Wq = 1\ndec1.Wq = 1\ned1.Wq = 1\n"
        "claim S = 1\nclaim 4.4 S = 1\nclaim 4.5 S = 1\nclaim 5.4 S = 1\n"
        "claim Wu = 1\nclaim grad.Wu = 1\nclaim new.Wu = 1\n"
        "claim i1.p = 1\nclaim i2.p = 1\nclaim p = 1\n";
    const Sheet *sheet = good_sheet(text);
    assert_int_equal(sheet->n, 20);
}

/* What is taken out, a mark or the CR of a line, leaves every character
   behind it whole. */
LAW(a_character_stays_whole_wherever_it_stands)
{
    static const char *const before[] = { "", "\xEF\xBB\xBF", "# é\r\n",
        "\xEF\xBB\xBF# é ẽ 😀\r\n\r\n", "mask none # ∞\r\n" };
    for (int k = 0; k < 5; k++) {
        char text[200];
        snprintf(text, sizeof text, "%sγ = √4 −1 # é\r\nṼ = 1 2×3\r\n",
                 before[k]);
        const Sheet *sheet = good_sheet(text);
        const Item *item = &sheet->item[sheet->n - 2];
        assert_string_equal(item[0].typed, "γ");
        assert_string_equal(item[0].name, "gamma");
        assert_near(item[0].entry[0].value, 2, 0);
        assert_near(item[0].entry[1].value, -1, 0);
        assert_string_equal(item[1].typed, "Ṽ");
        assert_string_equal(item[1].name, "V_tilde");
        assert_near(item[1].entry[1].value, 6, 0);
    }
    FAULT("X = 1 \xEF\xBB\xBF" "x", "text:1:7: at 'x': " NO_NUMBER);
    FAULT("# \x7F", "text:1:3: the byte 0x7F is not text; a sheet is plain "
          "text in UTF-8.");
    FAULT("# é\r\n# 😀\r\n\r\n\r\nX = 1 √ x", "text:5:9: at 'x': " NO_NUMBER);
    FAULT("\xEF\xBB\xBFX = é", "text:1:5: at 'é': " NO_NUMBER);
}

LAW(what_is_nested_too_deep_is_refused)
{
    static const char *const parts[] = { "-(", "1^", "\\ln", "sqrt(",
                                         "[", "(", "{", "array(" };
    for (int k = 0; k < 8; k++) {
        Error f = { .sheet = "text" };
        const char *text = repeated("X = ", parts[k], 100000);
        assert_that(sheet_in(text, strlen(text), &f) == NULL);
        assert_that(strstr(f.sentence, k < 4 ? "nested more than 100 deep."
                           : "brackets are more than ten deep.") != NULL);
    }
}

LAW(what_is_too_long_is_refused)
{
    FAULT(repeated("X = ", "1", 1000000), "text:1:5: at '11111111111111111111"
          "11111111111111111111': this has no finite value.");
    FAULT(repeated("x", "x", 1000000), "text:1:1: at 'xxxxxxxxxxxxxxxxxxxxxxx"
          "xxxxxxxxxxxxxxxxx': expected a line such as 'X = 1 0 ; 0 1', "
          "'mask none' or 'algorithm attention'.");
    FAULT(repeated("", "a=1\n", 2), "text:1:1: at 'a': " NO_NAME);
    char *many = repeated("", "Wq     = 1\n", 1001);
    for (int k = 0; k < 1001; k++)
        many[11 * k + 2 + snprintf(many + 11 * k + 2, 5, "%d", k % 999 + 1)]
            = ' ';
    many[11 * 999 + 1] = 'k', many[11 * 1000 + 1] = 'k';
    FAULT(many, "text:1001:1: a sheet has at most 1000 items.");
}

LAW(a_line_of_half_a_million_entries_is_read)
{
    const char *text = repeated("X =", " 1", 520000);
    const Sheet *sheet = good_sheet(text);
    assert_that(sheet->item[0].cols == 520000);
}
