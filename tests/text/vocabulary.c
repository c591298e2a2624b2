/* The tokens of released models: what transformers makes of hard texts (see
   oracle/tokenized.py) ftx makes of them, too, and back. */
#include "decode.h"
#include "lessons.h"
#include "released.h"

enum { HARD_TEXTS = 200, NAMES = 3 };
static const char *const names[NAMES] = { "gpt2", "bert-cased",
                                          "bert-uncased" };

static const Tokenizer *tokens_in(const char *name)
{
    char file[60];
    snprintf(file, sizeof file, RELEASED("tokens/%s.ftx"), name);
    return model_in(file)->tokenizer;
}

/* What is written of a text: \xHH is a byte, and x{99} is x 99 times. */
static Piece written(const char *from, size_t n)
{
    char *text = arena_alloc(arena, 100 * n + 1), *to = text;
    for (const char *end = from + n; from < end; ) {
        int bytes = utf8_length(from, (size_t)(end - from)), one = bytes;
        if (*from == '\\') {
            *to = (char)strtol((char[]){ from[2], from[3], '\0' }, NULL, 16);
            bytes = 4, one = 1;
        } else {
            memcpy(to, from, (size_t)one);
        }
        from += bytes;
        long times = 1;
        if (from < end && *from == '{') {
            times = strtol(from + 1, (char **)(uintptr_t)&from, 10);
            from++;
        }
        for (; --times > 0; to += one)
            memcpy(to + one, to, (size_t)one);
        to += one;
    }
    return (Piece){ text, (int)(to - text) };
}

/* A text, and what transformers makes of it with each folder's tokens. */
typedef struct {
    Piece text, back[NAMES];
    int n[NAMES], number[NAMES][600];
} HardText;
typedef struct { int n; HardText *text; } HardTexts;

/* Such as gpt2: 3 7{4} > what it is decoded to, if that is another text. */
static void read_expected(HardText *of, int f, const char *p, const char *end)
{
    int *n = &of->n[f];
    of->back[f] = of->text;
    for (*n = 0; p < end && *p == ' ' && p[1] != '>'; ) {
        char *behind;
        int number = (int)strtol(p, &behind, 10), times = 1;
        if (*behind == '{')
            times = (int)strtol(behind + 1, &behind, 10), behind++;
        for (; times > 0; times--)
            of->number[f][(*n)++] = number;
        assert_true(*n < 600 - 99);
        p = behind;
    }
    if (p < end)
        of->back[f] = written(p + 3, p + 3 < end ? (size_t)(end - p - 3) : 0);
}

static HardTexts hard_texts(void)
{
    HardTexts all = { 0, arena_alloc(arena, HARD_TEXTS * sizeof *all.text) };
    size_t n;
    const char *p = bytes_of("tests/data/released/tokens/texts.txt", &n), *end = p + n;
    bool begins = true;
    for (const char *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        assert_true(stop != NULL && all.n < HARD_TEXTS);
        HardText *of = &all.text[begins ? all.n : all.n - 1];
        if (begins)
            of->text = written(p, (size_t)(stop - p)), all.n++;
        for (int f = 0; !begins && f < NAMES; f++) {
            size_t length = strlen(names[f]);
            if (strncmp(p, names[f], length) == 0 && p[length] == ':')
                read_expected(of, f, p + length + 1, stop);
        }
        begins = stop == p;
    }
    return all;
}

static void agrees(const Tokenizer *t, const HardText *of, int f)
{
    Tokens x = { 0, NULL };
    size_t where, m;
    assert_null(encode_text(t, arena, of->text.at, (size_t)of->text.n, &x,
                            &where));
    bool same = x.length == of->n[f];
    for (int k = 1; same && k <= x.length; k++)
        same = token_number(t, TOKEN(x, k)) == of->number[f][k - 1];
    const char *back = decode_text(t, arena, x, &m);
    if (!same || (int)m != of->back[f].n
        || memcmp(back, of->back[f].at, m) != 0)
        fail_at(HERE(names[f]), "%d tokens, expected %d; %.*s is decoded to "
                "%.*s", x.length, of->n[f], of->text.n, of->text.at, (int)m,
                back);
}

LAW(hard_texts_get_the_tokens_of_transformers)
{
    const HardTexts all = hard_texts();
    assert_true(all.n > 80);
    for (int f = 0; f < NAMES; f++) {
        const Tokenizer *t = tokens_in(names[f]);
        for (int k = 0; k < all.n; k++)
            agrees(t, &all.text[k], f);
    }
}

/* Whatever the bytes are, a vocabulary with all of them gives them back. */
LAW(lone_bytes_come_back)
{
    const Tokenizer *t = tokens_in("gpt2");
    for (int k = 0; k < 2000; k++) {
        char text[40];
        size_t n = (size_t)(k % 40), m, where;
        Tokens x;
        for (size_t i = 0; i < n; i++)
            text[i] = (char)pick(0, 255);
        assert_null(encode_text(t, arena, text, n, &x, &where));
        const char *back = decode_text(t, arena, x, &m);
        assert_int_equal(m, n);
        assert_memory_equal(back, text, n);
    }
}

LAW(what_is_saved_is_the_same)
{
    const HardTexts all = hard_texts();
    for (int f = 0; f < NAMES; f++) {
        const Tokenizer *t = tokens_in(names[f]);
        TextStream text;
        tokenizer_save(open_text_stream(&text), t);
        const char *p = close_text_stream(&text, arena), *at = p;
        const Tokenizer *again = tokenizer_load(arena, &at, p + text.n);
        assert_true(again != NULL && at == p + text.n);
        for (int k = 0; k < all.n; k++)
            agrees(again, &all.text[k], f);
    }
}

/* ------------------------------------------------- as in a model's file */

/* The tokens of the model m, a released one to which this text of a
   tokenizer.json was given. */
static const Tokenizer *cutting_as(const char *model, const char *text)
{
    copy_released(model, NULL, NULL);
    write_text("f/tokenizer.json", text);
    assert_says(script("import f m --replace"), "m: ");
    return model_in("m")->tokenizer;
}

/* The tokenizer cuts the text into these tokens, which are written so. */
#define assert_cut(t, text, expected) cut_at(HERE(text), t, text, expected)
static void cut_at(Where where, const Tokenizer *t, const char *text,
                   const char *expected)
{
    TextStream said;
    size_t at;
    Tokens x = { 0, NULL };
    assert_null(encode_text(t, arena, text, strlen(text), &x, &at));
    FILE *to = open_text_stream(&said);
    for (int k = 1; k <= x.length; k++) {
        fputs(k == 1 ? "" : "|", to);
        write_token(to, t, TOKEN(x, k));
    }
    const char *cut = close_text_stream(&said, arena);
    if (strcmp(cut, expected) != 0)
        fail_at(where, "is cut into %s, but expected %s", cut, expected);
}

/* 5 characters are the longest word there, without a number 100; what is only
   added is looked for as it is typed, or as it is seen, and in no word. */
LAW(a_word_has_an_end_and_an_added_token_is_no_piece)
{
    const char *text = text_of(FOLDER("words.json"));
    char word[102] = "ab";
    assert_cut(cutting_as("bert-masked", text), "abccc abcccc",
               "ab|##c|##c|##c|[UNK]");
    const Tokenizer *t = cutting_as("bert-masked", replaced(text,
                               "\"max_input_chars_per_word\": 5,", ""));
    memset(word + 2, 'c', 99);
    assert_cut(t, word, "[UNK]");
    word[100] = '\0';
    assert_cut(t, word + 98, "[UNK]");
    Tokens x;
    size_t n;
    assert_null(encode_text(t, arena, word, 100, &x, &n));
    assert_int_equal(x.length, 99);
    text = replaced(replaced(text, ", \"cab\": 12", ""), "\"##b\": 8,", "");
    t = cutting_as("bert-masked",
              replaced(text, "[{", "[{\"id\": 12, \"content\": \"cab\", "
                       "\"normalized\": false}, {\"id\": 8, \"content\": "
                       "\"a b\"}, {"));
    assert_cut(t, "CAB cab A\tb", "[UNK]|cab|a␣b");
}

LAW(a_text_of_words_is_seen_as_the_model_sees_it)
{
    const Tokenizer *t = cutting_as("bert-masked", text_of(FOLDER("words.json")));
    const char *text = "The  ABC. \xC3\x80""B [MASK] cabcab";
    Tokens x;
    size_t n;
    assert_cut(t, text, "the|ab|##c|.|ab|[MASK]|[UNK]");
    assert_null(encode_text(t, arena, text, strlen(text), &x, &n));
    assert_string_equal(decode_text(t, arena, x, &n), "the abc. ab [UNK]");
    assert_refused(ftx("fill --model m a\xFF[gap]"),
                   "the text:1:2: this byte is not text in UTF-8.");
    assert_says(ftx("fill --model m '[gap] the ab'"), " the ab\n  token 2:");
    write_text("x", "abc");
    assert_says(ftx("tokenize --model m x"),
                "12\t[CLS]\n3\tab\n4\t##c\n13\t[SEP]\n");
    write_text("f/tokenizer_config.json", "{\"sep_token\": {\"content\": "
               "\"the\"}}");
    assert_says(script("import f m --replace"), "m: ");
    assert_says(ftx("tokenize --model m x"), "\n13\tthe\n");
}

LAW(a_text_of_bytes_ends_where_the_vocabulary_does)
{
    const char *bytes = text_of(FOLDER("bytes.json"));
    const Tokenizer *t = cutting_as("gpt2", bytes);
    const char *text = "abc ab<|endoftext|>g";
    Tokens x;
    size_t n;
    assert_cut(t, text, "abc|␣ab|<|endoftext|>|g");
    assert_null(encode_text(t, arena, text, strlen(text), &x, &n));
    assert_string_equal(decode_text(t, arena, x, &n), "abc abg");
    assert_refused(ftx("generate --model m abz"), "the prompt:1:3: the "
                   "vocabulary has no piece for this byte.");
    t = cutting_as("gpt2", replaced(bytes, "lstrip\": false", "lstrip\": true"));
    assert_cut(t, "ab \xE3\x80\x80<|endoftext|>", "ab|<|endoftext|>");
    write_text("f/tokenizer_config.json", "{\"bos_token\": "
               "\"<|endoftext|>\", \"eos_token\": \"<|endoftext|>\"}");
    assert_says(script("import f m --replace"), "m: ");
    write_text("x", "abc");         /* one special token begins and ends */
    assert_says(ftx("tokenize --model m x"), "7\tabc\n13\t<|endoftext|>\n");
    /* for 13 is no embedding; é is a sign */
    t = cutting_as("gpt2", replaced(replaced(bytes, "\"d\"", "\"Ã©\""),
              "added_tokens\": [", "added_tokens\": [{\"id\": 13, "
              "\"content\": \"[PAD]\", \"special\": true},"
              "{\"id\": 4, \"content\": \"é\"},"));
    assert_cut(t, "abc", "abc");
    assert_refused(script("import f m"), "m: is there already;");
}
