/* ftx tokenize: what is printed, what is refused. */
#include "command.h"

#define TOKENIZE(...) SAID(tokenize, __VA_ARGS__)

/* Files with these bytes, by turns; they are there for the next call. */
static char *file_of(const char *text, size_t n)
{
    static int turn;
    turn = 1 - turn;
    return write_bytes(turn == 0 ? "even" : "odd", text, n);
}

static char *file_with(const char *text)
{
    return file_of(text, strlen(text));
}

/* -------------------------------------------------------- what is printed */

static void tokens_are_printed_with_their_counts(void **state)
{
    (void)state;
    assert_said(TOKENIZE("--tokens", "word", file_with("to be or\nnot to be")),
        0, "7\t<bos>\n1\tto\xE2\x90\xA3\n2\tbe\xE2\x90\xA3\n3\tor\\n\n"
        "4\tnot\xE2\x90\xA3\n1\tto\xE2\x90\xA3\n5\tbe\n8\t<eos>\n"
        "# bytes: 18, tokens: 6 (0.333 a byte), with <bos> and <eos>: 8\n"
        "# words: 5, <mask> = 6, <bos> = 7, <eos> = N_V = 8\n", "");
    assert_said(TOKENIZE(file_with("\xC3\xA9t\xC3\xA9")),
        0, "4\t<bos>\n1\t\xC3\xA9\n2\tt\n1\t\xC3\xA9\n5\t<eos>\n"
        "# bytes: 5, tokens: 3 (0.600 a byte), with <bos> and <eos>: 5\n"
        "# characters: 2, <mask> = 3, <bos> = 4, <eos> = N_V = 5\n", "");
    assert_said(TOKENIZE("--tokens", "bpe", "--merges", "1",
                         file_with("aaa")),
        0, "259\t<bos>\n257\taa\n98\ta\n260\t<eos>\n"
        "# bytes: 3, tokens: 2 (0.667 a byte), with <bos> and <eos>: 4\n"
        "# bytes: 256, merges: 1, <mask> = 258, <bos> = 259, "
        "<eos> = N_V = 260\n", "");
}

static void the_vocabulary_is_what_is_saved(void **state)
{
    (void)state;
    assert_said(TOKENIZE("--vocabulary", "--tokens", "bpe",
                         file_with("low low lower lowest")),
        0, "tokenizer bpe 4\n109 112 lo\n257 120 low\n"
        "258 33 low\xE2\x90\xA3\n258 102 lowe\n", "");
    assert_said(TOKENIZE("--vocabulary", file_with("aba")),
        0, "tokenizer char 2\na\nb\n", "");
}

static void a_thousand_pairs_are_merged_unless_told(void **state)
{
    (void)state;
    char text[40000];
    for (size_t k = 0; k < sizeof text - 1; k++)
        text[k] = (char)('a' + (mixed(k) >> 40) % 26);
    text[sizeof text - 1] = '\0';
    char *name = file_with(text);
    const char *thousand = "tokenizer bpe 1000\n";
    Said s = TOKENIZE("--vocabulary", "--tokens", "bpe", name);
    assert_that(strncmp(s.out, thousand, strlen(thousand)) == 0);
    s = TOKENIZE("--vocabulary", "--tokens", "bpe", "--merges", "0", name);
    assert_said(s, 0, "tokenizer bpe 0\n", "");
}

static void tokens_are_learned_from_another_text(void **state)
{
    (void)state;
    char *text = file_with("cab");
    Said s = TOKENIZE("--train-on", file_with("abc"), text);
    assert_that(s.status == 0);
    assert_that(strncmp(s.out, "5\t<bos>\n3\tc\n1\ta\n2\tb\n", 19) == 0);
}

static void decoding_gives_the_file_back(void **state)
{
    (void)state;
    char *kinds[] = { "bpe", "char", "word" };
    char text[1024];
    for (int kind = 0; kind < 3; kind++) {
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = (char)(kind == 0 ? k + k / 256 : mixed(k) % 100);
        char *name = file_of(text, sizeof text);
        Said s = TOKENIZE("--tokens", kinds[kind], name);
        assert_that(s.status == 0);
        s = TOKENIZE("--decode", "--train-on", name, "--tokens", kinds[kind],
                     file_of(s.out, s.bytes));
        assert_that(s.status == 0 && s.bytes == sizeof text);
        assert_memory_equal(s.out, text, sizeof text);
    }
}

static void a_model_has_tokens_of_its_own(void **state)
{
    (void)state;
    char *name = path("model"), *text = file_with("a b a b ");
    Said trained = SAID(train, "d", "--tokens", "word", "--steps", "1",
                        "--d_e", "2", "--H", "1", "--L", "1", "--ell_max",
                        "8", "--held-out", "0", "--replace", "--model", name,
                        text);
    assert_int_equal(trained.status, 0);
    Said s = TOKENIZE("--model", name, file_with("b b a "));
    assert_that(s.status == 0);
    assert_that(strncmp(s.out, "4\t<bos>\n2\tb", 11) == 0);
    s = TOKENIZE("--decode", "--model", name, file_with("2 2 1"));
    assert_said(s, 0, "b b a ", "");
}

static void numbers_to_decode_may_stand_in_a_line(void **state)
{
    (void)state;
    char *text = file_with("ab\n");
    assert_said(TOKENIZE("--decode", "--train-on", text,
                         file_with("5 1 2  2# 9\r\n\n1\t9\n3 6")),
                0, "abba\n", "");
}

static void help_has_an_example_that_works(void **state)
{
    (void)state;
    Said s = TOKENIZE("--tokens", "what", "--help");
    assert_that(s.status == 0 && s.err[0] == '\0');
    assert_non_null(strstr(s.out, "printf 'My grandma makes the best apple "
                           "pie.' | ftx tokenize --tokens word -\n"));
    s = TOKENIZE("--tokens", "word",
                 file_with("My grandma makes the best apple pie."));
    assert_non_null(strstr(s.out, "\n# bytes: 36, tokens: 7 (0.194 a byte)"));
}

/* A text that does not fit into the first buffer. */
static void a_text_may_be_long(void **state)
{
    (void)state;
    size_t n = 200000;
    char *text = arena_alloc(arena, n);
    for (size_t k = 0; k < n; k++)
        text[k] = (char)('a' + k % 7);
    Said s = TOKENIZE(file_of(text, n));
    assert_non_null(strstr(s.out, "# bytes: 200000, tokens: 200000 (1.000 a"));
    assert_non_null(strstr(s.out, "# characters: 7, "));
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    assert_non_null(freopen(file_with("abba"), "rb", stdin));
    Said s = TOKENIZE("-");
    assert_non_null(strstr(s.out, "# bytes: 4, tokens: 4 "));
    assert_said(TOKENIZE("-"), 2, "", "standard input: is empty.\n");
}

/* -------------------------------------------------------- what is refused */

#define assert_wrong(s, sentence) assert_said(s, 2, "", sentence "\n")

static void a_wrong_option_is_told(void **state)
{
    (void)state;
    assert_wrong(TOKENIZE("--word", "x"), "ftx tokenize: there is no option "
                 "--word; see 'ftx tokenize --help'.");
    assert_wrong(TOKENIZE("--tokens", "words", "x"), "ftx tokenize: --tokens "
                 "must be one of char word bpe; it is 'words'.");
    assert_wrong(TOKENIZE("--merges", "9", file_with("x")), "ftx tokenize: "
                 "--merges has an effect only with --tokens bpe.");
    assert_wrong(TOKENIZE("--tokens", "word", "--merges=9", file_with("x")),
                 "ftx tokenize: --merges has an effect only with --tokens "
                 "bpe.");
    assert_wrong(TOKENIZE("--merges=-1", "x"), "ftx tokenize: --merges must "
                 "be a whole number from 0 to 1000000; it is '-1'.");
    assert_wrong(TOKENIZE("--merges", "1000001", "x"), "ftx tokenize: "
                 "--merges must be a whole number from 0 to 1000000; it is "
                 "'1000001'.");
}

static void options_that_do_not_go_together(void **state)
{
    (void)state;
    assert_wrong(said_by(tokenize, 0, NULL), "ftx tokenize: expected one file; see "
                 "'ftx tokenize --help'.");
    assert_wrong(TOKENIZE("x", "y"), "ftx tokenize: expected one file; see "
                 "'ftx tokenize --help'.");
    assert_wrong(TOKENIZE("--model", "x", "--train-on", "y", "z"),
                 "ftx tokenize: --train-on and --model exclude each other.");
    assert_wrong(TOKENIZE("--model", "x", "--tokens", "char", "z"),
                 "ftx tokenize: --model brings its own tokens; leave "
                 "--tokens and --merges out.");
    assert_wrong(TOKENIZE("--merges", "1000", "--model", "x", "z"),
                 "ftx tokenize: --model brings its own tokens; leave "
                 "--tokens and --merges out.");
    assert_wrong(TOKENIZE("--decode", "x"),
                 "ftx tokenize: --decode needs --train-on or --model, to "
                 "know the tokens.");
    assert_wrong(TOKENIZE("--vocabulary", "x", "--train-on", "y"),
                 "ftx tokenize: --vocabulary is about FILE alone; leave "
                 "--train-on and --model out.");
}

static void a_file_that_is_none_is_told(void **state)
{
    (void)state;
    assert_wrong(TOKENIZE("no/such/file"),
                 "no/such/file: cannot be opened: No such file or "
                 "directory.");
    assert_wrong(TOKENIZE("tests"),
                 "tests: cannot be read: Is a directory.");
    char *name = file_with("");
    char sentence[100];
    snprintf(sentence, sizeof sentence, "%s: is empty.\n", name);
    assert_said(TOKENIZE(name), 2, "", sentence);
}

#define assert_wrong_at(s, name, place) \
    wrong_at(HERE(#s), s, name, place)
static void wrong_at(Where where, Said s, const char *name,
                     const char *place)
{
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s:%s\n", name, place);
    said_at(where, s, 2, "", sentence);
}

static void what_has_no_token_is_told_with_line_and_column(void **state)
{
    (void)state;
    char *text = file_with("aa\n\xC3\xA9 z\n"), *other = file_with("a \n");
    assert_wrong_at(TOKENIZE("--train-on", other, text), text,
                    "2:1: there is no token for this character.");
    char *word = file_with("a b\nc d e");
    other = file_with("a b\ne d\tc");
    assert_wrong_at(TOKENIZE("--tokens", "word", "--train-on", other, word),
                    word, "2:1: there is no token for this word.");
}

static void a_text_that_is_not_utf8_has_no_characters(void **state)
{
    (void)state;
    char *text = file_with("a\n\xC3\xA9z\xFF\n");
    assert_wrong_at(TOKENIZE(text), text,
                    "2:3: this byte is no text in UTF-8.");
    assert_that(TOKENIZE("--tokens", "bpe", text).status == 0);
    assert_that(TOKENIZE("--tokens", "word", text).status == 0);
    char *other = file_with("to be");
    assert_wrong_at(TOKENIZE("--tokens", "word", "--train-on", other, text),
                    text, "1:1: there is no token for this word.");
}

static void numbers_that_are_no_tokens_are_told(void **state)
{
    (void)state;
    static const struct { const char *numbers, *place; } cases[] = {
        { "1 2\n 6", "2:2" }, { "0", "1:1" }, { "1 x", "1:3" },
        { "1x", "1:2" }, { "-1", "1:1" },
        { "99999999999999999999999999", "1:1" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = file_with("ab"), *numbers = file_with(cases[k].numbers);
        char place[100];
        snprintf(place, sizeof place, "%s: expected the number of a token, "
                 "1 to 5.", cases[k].place);
        assert_wrong_at(TOKENIZE("--decode", "--train-on", text, numbers),
                        numbers, place);
    }
    char *text = file_with("ab"), *numbers = file_of("1\0" "2", 3);
    assert_wrong_at(TOKENIZE("--decode", "--train-on", text, numbers),
                    numbers, "1:2: expected the number of a token, 1 to 5.");
}

#undef TEST

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(tokens_are_printed_with_their_counts),
        TEST_FILES(the_vocabulary_is_what_is_saved),
        TEST_FILES(a_thousand_pairs_are_merged_unless_told),
        TEST_FILES(tokens_are_learned_from_another_text),
        TEST_FILES(decoding_gives_the_file_back),
        TEST_FILES(a_model_has_tokens_of_its_own),
        TEST_FILES(numbers_to_decode_may_stand_in_a_line),
        TEST_FILES(help_has_an_example_that_works),
        TEST_FILES(a_text_may_be_long),
        TEST_FILES(a_dash_is_standard_input),
        TEST_FILES(a_wrong_option_is_told),
        TEST_FILES(options_that_do_not_go_together),
        TEST_FILES(a_file_that_is_none_is_told),
        TEST_FILES(what_has_no_token_is_told_with_line_and_column),
        TEST_FILES(a_text_that_is_not_utf8_has_no_characters),
        TEST_FILES(numbers_that_are_no_tokens_are_told),
    };
    return RUN(laws);
}
