/* The tokens of released models: what transformers makes of hard texts (see
   oracle/tokenized.py) ftx makes of them, too, and back. */
#include "lessons.h"
#include "released.h"

/* tokenizer.json of a model of 13 tokens: pairs of bytes, and pieces of
   words. */
#define OF_BYTES "tests/data/released/bytes.json"
#define OF_WORDS "tests/data/released/words.json"

enum { HARD_TEXTS = 200, FOLDERS = 3, NUMBERS = 720 };
static const char *const folders[FOLDERS] = {
    FOLDER("tokens/gpt2"), FOLDER("tokens/bert-cased"),
    FOLDER("tokens/bert-uncased"),
};

static const Tokenizer *tokens_in(const char *folder)
{
    const char *said;
    const Tokenizer *t;
    TRY(said, f,
        TokenFiles files = tokens_of_folder(arena, folder, NUMBERS, f);
        t = tokenizer_of_cutter(arena, NUMBERS, files.special, files.cutter);
        assert_refuses(tokenizer_of_cutter(arena, 1, files.special,
                                           files.cutter),
                       "pieces, but N_V = 1."));
    assert_string_equal(said, "");
    return t;
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
    Piece text, back[FOLDERS];
    int n[FOLDERS], number[FOLDERS][600];
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
    const char *p = bytes_of(FOLDER("tokens/texts.txt"), &n), *end = p + n;
    bool begins = true;
    for (const char *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        assert_true(stop != NULL && all.n < HARD_TEXTS);
        HardText *of = &all.text[begins ? all.n : all.n - 1];
        if (begins)
            of->text = written(p, (size_t)(stop - p)), all.n++;
        for (int f = 0; !begins && f < FOLDERS; f++) {
            const char *name = folders[f] + strlen(FOLDER("tokens/"));
            size_t length = strlen(name);
            if (strncmp(p, name, length) == 0 && p[length] == ':')
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
        fail_at(HERE(folders[f]), "%d tokens, expected %d; %.*s is decoded to "
                "%.*s", x.length, of->n[f], of->text.n, of->text.at, (int)m,
                back);
}

LAW(hard_texts_get_the_tokens_of_transformers)
{
    const HardTexts all = hard_texts();
    assert_true(all.n > 80);
    for (int f = 0; f < FOLDERS; f++) {
        const Tokenizer *t = tokens_in(folders[f]);
        for (int k = 0; k < all.n; k++)
            agrees(t, &all.text[k], f);
    }
}

/* Whatever the bytes are, a vocabulary with all of them gives them back. */
LAW(lone_bytes_come_back)
{
    const Tokenizer *t = tokens_in(folders[0]);
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

/* A tokenizer in a model file is the one in the folder. */
LAW(what_is_saved_is_the_same)
{
    const HardTexts all = hard_texts();
    for (int f = 0; f < FOLDERS; f++) {
        const Tokenizer *t = tokens_in(folders[f]), *again = NULL;
        TextStream text;
        tokenizer_save(open_text_stream(&text), t);
        const char *p = close_text_stream(&text, arena), *at = p;
        assert_null(tokenizer_load(arena, &at, p + text.n, &again));
        assert_true(at == p + text.n);
        for (int k = 0; k < all.n; k++)
            agrees(again, &all.text[k], f);
    }
}

/* ------------------------------------------------------------- refusals */

/* Refused by a sentence that begins with these words about this file of the
   folder; and nothing is written. */
static void refused_tokens(const char *file, const char *words)
{
    char whole[400];
    Said s = ftx("import f --model m");
    snprintf(whole, sizeof whole, "f%s%s%s", *file == '\0' ? "" : "/", file,
             words);
    if (strncmp(s.err, whole, strlen(whole)) != 0)
        fail_at(HERE(words), "%s\nbut expected %s", s.err, whole);
    refused_by(HERE(words), s, "");
    assert_int_equal(access("m", F_OK), -1);
}

/* In tokenizer.json the first field of a row is the second; words. */
static void each_is_refused(const char *text, const char *title)
{
    for (Rows row = rows_of("files.txt", title); next_row(&row); ) {
        write_text("f/tokenizer.json", replaced(text, row.field[0],
                                                row.field[1]));
        refused_tokens("tokenizer.json", row.field[2]);
    }
}

LAW(a_damaged_tokenizer_of_bytes_is_refused)
{
    char piece[1100] = "\"";
    const char *text = text_of(OF_BYTES);
    copy_released("gpt2", NULL, NULL);
    each_is_refused(text, "a damaged tokenizer of bytes");
    memset(piece + 1, 'g', 1025);
    strcpy(piece + 1026, "\": 11");
    write_text("f/tokenizer.json", replaced(text, "\"g\": 11", piece));
    refused_tokens("tokenizer.json",
                   ":12:16: this piece has more than 1024 bytes.");
    strcpy(piece + 1025, "\": 11");
    write_text("f/tokenizer.json", replaced(text, "\"g\": 11", piece));
    assert_says(ftx("import f --model m"), "from");
    remove("m");
    text = replaced(text, ", \"<|endoftext|>\": 12", "");
    write_text("f/tokenizer.json",              /* the same, added twice */
               replaced(text, "added_tokens\": [", "added_tokens\": [{\"id\": "
                        "12, \"content\": \"g\"}, {\"id\": 12, \"content\": "
                        "\"g\"}], \"more\": ["));
    refused_tokens("tokenizer.json",
                   ":2:70: this piece is in the vocabulary twice.");
}

LAW(a_damaged_tokenizer_of_words_is_refused)
{
    copy_released("bert-masked", NULL, NULL);
    each_is_refused(text_of(OF_WORDS), "a damaged tokenizer of words");
}

LAW(other_files_of_tokens_are_refused)
{
    copy_released("bert-masked", NULL, NULL);
    write_text("f/vocab.txt", "[UNK]\n");
    refused_tokens("", ": has its tokens in vocab.txt, an older form; in "
                   "Python, transformers.AutoTokenizer.from_pretrained(");
    write_text("f/tokenizer.json", text_of(OF_WORDS));
    write_text("f/tokenizer_config.json", "{\"mask_token\": 1}");
    refused_tokens("tokenizer_config.json",
                   ":1:16: mask_token must be a string.");
    remove("f/tokenizer_config.json");
    write_text("x", "to be, or not to be\n");
    TRAIN("d --steps 1 --tokens bpe --L 1 --H 1 --d_e 4 --ell_max 8 --model t "
          "x");
    assert_says(ftx("export t f --replace"), ": ");
    refused_tokens("tokenizer.json", ":12:20: the pre_tokenizer is a Sequence, "
                   "which ftx does not read; if ftx exported this folder, "
                   "'ftx import --tokens-of MODEL' takes the tokens");
    write_text("f/tokenizer.json", "[]");
    refused_tokens("tokenizer.json", ":1:1: the model of this tokenizer is ");
}

/* 5 characters are the longest word there, without a number 100; what is only
   added is looked for as it is typed, or as it is seen, and in no word. */
LAW(a_word_has_an_end_and_an_added_token_is_no_piece)
{
    const char *text = text_of(OF_WORDS);
    char word[103] = "ab";
    copy_released("bert-masked", NULL, NULL);
    write_text("f/tokenizer.json",
               replaced(text, "\"max_input_chars_per_word\": 5,", ""));
    for (int k = 0; k < 2; k++) {
        memset(word + 2, 'c', 98 + (size_t)k);
        write_text("x", word);
        assert_int_equal(times(ftx("tokenize --model f x").out, "[UNK]"), k);
    }
    text = replaced(replaced(text, ", \"cab\": 12", ""), "\"##b\": 8,", "");
    write_text("f/tokenizer.json",
               replaced(text, "[{", "[{\"id\": 12, \"content\": \"cab\", "
                        "\"normalized\": false}, {\"id\": 8, \"content\": "
                        "\"a b\"}, {"));
    write_text("x", "CAB cab A\tb");
    assert_says(ftx("tokenize --model f x"),
                "2\t[UNK]\n10\tcab\n6\ta␣b\n");
    write_text("f/tokenizer_config.json", "{\"sep_token\": \"the\"}");
    assert_says(ftx("tokenize --model f x"), "\n13\tthe\n");
}

/* Through a folder, and through the file that it was imported to. */
LAW(a_text_goes_through_a_folder_and_a_file)
{
    static const struct { const char *model, *tokens, *text, *said, *back,
                          *wrong, *words; } row[] = {
        { "gpt2", OF_BYTES, "abc ab<|endoftext|>g",
          "7\tabc\n8\t␣ab\n13\t<|endoftext|>\n12\tg\n13\t<|endoftext|>\n",
          "abc abg", "generate --model m abz",
          "the prompt:1:3: the vocabulary has no piece for this byte." },
        { "bert-masked", OF_WORDS, "The  ABC. ÀB [MASK] cabcab",
          "12\t[CLS]\n8\tthe\n3\tab\n4\t##c\n7\t.\n3\tab\n"
          "11\t[MASK]\n2\t[UNK]\n13\t[SEP]\n", "the abc. ab [UNK]",
          "fill --model m a\xFF[gap]",
          "the text:1:2: this byte is not text in UTF-8." },
    };
    size_t n;
    for (int k = 0; k < 2; k++) {
        copy_released(row[k].model, NULL, NULL);
        write_text("f/tokenizer.json", text_of(row[k].tokens));
        write_text("x", row[k].text);
        write_text("y", row[k].said);
        assert_says(ftx("import f --model m --replace"), "from");
        assert_says(ftx("tokenize --model f x"), row[k].said);
        assert_says(ftx("tokenize --model m x"), row[k].said);
        const Tokenizer *t = model_in("m")->tokenizer;
        Tokens back;
        assert_that(encode_text(t, arena, row[k].text, strlen(row[k].text),
                                &back, &n) == NULL);
        assert_string_equal(decode_text(t, arena, back, &n), row[k].back);
        assert_refused(ftx("%s", row[k].wrong), row[k].words);
        if (k == 0)
            assert_both_say(ftx("generate --model m --tau 0 abc"),
                            ftx("generate --model f --tau 0 abc"));
    }
    assert_says(ftx("fill --model m 'the [gap] ab'"), "  token 3:");
    copy_released("gpt2", NULL, NULL);
    remove("f/tokenizer.json");
    assert_says(ftx("import f --model m --replace"), "from");
    write_text("x", "3");
    assert_says(ftx("tokenize --model m x"), "4\t3␣\n");
    write_text("f/tokenizer.json",      /* it takes the blanks before it */
               replaced(text_of(OF_BYTES), "lstrip\": false",
                        "lstrip\": true"));
    write_text("x", "ab \xE3\x80\x80<|endoftext|>");
    assert_says(ftx("tokenize --model f x"), "6\tab\n13\t<|endoftext|>\n");
    write_text("f/tokenizer.json", text_of(OF_BYTES));
    write_text("f/tokenizer_config.json", "{\"bos_token\": "
               "\"<|endoftext|>\", \"eos_token\": \"<|endoftext|>\"}");
    write_text("x", "abc");         /* one special token begins and ends */
    assert_says(ftx("tokenize --model f x"), "7\tabc\n13\t<|endoftext|>\n");
    write_text("f/tokenizer.json",  /* for 13 is no embedding; é is a sign */
               replaced(replaced(text_of(OF_BYTES), "\"d\"", "\"Ã©\""),
                        "added_tokens\": [", "added_tokens\": [{\"id\": 13, "
                        "\"content\": \"[PAD]\", \"special\": true},"
                        "{\"id\": 4, \"content\": \"é\"},"));
    assert_says(ftx("tokenize --model f x"), "7\tabc\n13\t<|endoftext|>\n");
}
