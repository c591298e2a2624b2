/* The tokens of released models: what transformers makes of hard texts (see
   oracle/tokenized.py) ftx makes of them, too, and back. */
#include "lessons.h"
#include "released.h"
#include "hub/hub.h"

/* tokenizer.json of a model of 13 tokens: pairs of bytes, and pieces of
   words. */
#define OF_BYTES "tests/data/released/bytes.json"
#define OF_WORDS "tests/data/released/words.json"
#define G16 "gggggggggggggggg"
#define G256 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16
#define LONG "g" G256 G256 G256 G256

enum { HARD_TEXTS = 200, FOLDERS = 4, NUMBERS = 720 };
static const char *const folders[FOLDERS] = {
    FOLDER("tokens/gpt2"), FOLDER("tokens/gpt2-older"),
    FOLDER("tokens/bert-cased"), FOLDER("tokens/bert-older"),
};

typedef struct { const char *folder; const Tokenizer *t; } Reading;

static void read_folder(Error *f, void *data)
{
    Reading *r = data;
    TokenFiles files = tokens_of_folder(arena, r->folder, NUMBERS, f);
    r->t = files.learned != NULL ? files.learned
         : tokenizer_of_cutter(arena, NUMBERS, files.special, files.cutter);
}

static const Tokenizer *tokens_in(const char *folder)
{
    Reading r = { folder, NULL };
    assert_string_equal(error_of(read_folder, &r), "");
    return r.t;
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
            if (f == 0 && strncmp(p, "gpt2:", 5) == 0)      /* the older, too */
                read_expected(of, 1, p + 5, stop);
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

/* In tokenizer.json `old` is `new`. */
typedef struct { const char *old, *new, *words; } Damage;

static void each_is_refused(const char *text, size_t n, const Damage row[])
{
    for (size_t k = 0; k < n; k++) {
        write_text("f/tokenizer.json", replaced(text, row[k].old,
                                                row[k].new));
        refused_tokens("tokenizer.json", row[k].words);
    }
}

LAW(a_damaged_tokenizer_of_bytes_is_refused)
{
#define NOT_FALSE " is true; ftx knows nothing but false there."
#define NUMBER ":12:21: the number of \"g\" must be a whole number from 0 to"
    static const Damage row[] = {
        { "{\n  \"added", "[\n  \"added", ":2:17: expected a comma or ]." },
        { "}\n}\n", "}\n", ":15:1: the text ends here; expected a comma" },
        { "\"BPE\"", "\"Unigram\"", ":9:12: the model is Unigram; known is "
          "BPE of bytes, or WordPiece." },
        { "\"BPE\"", "\"WordLevel\"", ":9:12: the model is WordLevel;" },
        { "\"BPE\"", "7", ":9:12: the model is ?; known is BPE" },
        { "\"model\"", "\"modell\"", ":1:1: this tokenizer has no model." },
        { "normalizer\": null", "normalizer\": {\"type\": \"NFC\"}",
          ":5:17: the normalizer is NFC; known is null." },
        { "pre_tokenizer\": {\"type\": \"ByteLevel\"",
          "pre_tokenizer\": {\"type\": \"Metaspace\"",
          ":6:20: the pre_tokenizer is Metaspace; known is ByteLevel." },
        { "space\": false", "space\": true",
          ":7:25: add_prefix_space" NOT_FALSE },
        { "use_regex\": true", "use_regex\": false",
          ":7:45: use_regex is false; ftx knows nothing but true there." },
        { "use_regex\": true", "use_regex\": 1",
          ":7:45: use_regex must be true or false." },
        { "\"decoder\": {\"type\": \"ByteLevel\"}", "\"decoder\": null",
          ":1:1: the decoder is null; known is ByteLevel." },
        { "dropout\": null", "dropout\": 1",
          ":9:39: dropout must be null;" },
        { "dropout\": null", "end_of_word_suffix\": \"</w>\"",
          ":9:50: end_of_word_suffix must be null;" },
        { "dropout\": null", "byte_fallback\": true",
          ":9:45: byte_fallback" NOT_FALSE },
        { "dropout\": null", "ignore_merges\": true",
          ":9:45: ignore_merges" NOT_FALSE },
        { "\"vocab\": {", "\"vocab\": [], \"v\": {",
          ":10:14: expected a vocab: an object of pieces" },
        { "\"vocab\"", "\"v\"", ":1:1: expected a vocab: an object" },
        { "\"g\": 11", "\"g\": 13", NUMBER },
        { "\"g\": 11", "\"g\": -1", NUMBER },
        { "\"g\": 11", "\"g\": 1e30", NUMBER },
        { "\"g\": 11", "\"g\": 1.5", NUMBER },
        { "\"g\": 11", "\"g\": \"11\"", NUMBER },
        { "\"g\": 11", "\"g\": 10", ":12:16: number 10 has two pieces." },
        { "\"g\": 11", "\"f\": 11",
          ":12:16: this object has the name \"f\" twice." },
        { "\"g\": 11", "\"\\n\\t\": 11, \"\\n\\t\": 3",
          ":12:28: this object has the name \"\\n\\t\" twice." },
        { " \"g\": 11,", "", ": has no piece number 11; the last is 12." },
        { "\"g\": 11", "\"日\": 11",
          ":12:16: this piece has a character that stands for no byte." },
        { "\"g\": 11", "\"\": 11", ":12:16: this piece is empty." },
        { "\"g\": 11", "\"" LONG "\": 11",
          ":12:16: this piece has more than 1024 bytes." },
        { "\"g\": 11", "\"g\xFF" "\": 11",
          ":12:18: the byte 0xFF is no text in UTF-8." },
        { "\"id\": 12", "\"id\": 13", ":2:27: the number of "
          "\"<|endoftext|>\" must be a whole number from 0 to 12;" },
        { "\"id\": 12", "\"id\": 11", ":2:42: number 11 is \"g\" already." },
        { "\"id\": 12", "\"ID\": 12",
          ":2:20: an added token is an object with an id and a content" },
        { "content\": \"<|endoftext|>\"", "content\": 7",
          ":2:20: an added token is an object with an id and a content" },
        { "content\": \"<|endoftext|>\"", "content\": \"<|end|>\"",
          ":2:42: number 12 is \"<|endoftext|>\" already." },
        { "added_tokens\": [", "added_tokens\": {\"a\": [",
          ":16:1: the text ends here; expected a comma or }." },
        { "single_word\": false", "single_word\": true",
          ":3:20: single_word" NOT_FALSE },
        { "lstrip\": false", "lstrip\": 0",
          ":3:37: lstrip must be true or false." },
        { "merges\": [", "merges\": 3, \"m\": [",
          ":13:15: expected merges, a list." },
        { "\"a b\", \"ab c\"", "\"ab c\", \"a z\"",
          ":13:24: the piece \"z\" of this merge is not in the vocabulary." },
        { "\"ab c\"", "\"a c\"", ":13:23: what this merge makes is not in" },
        { "\"ab c\"", "\"a b\"", ":13:23: this pair is merged twice." },
        { "\"a b\"", "\"ab\"", ":13:16: a merge is two pieces with a blank" },
        { "\"a b\"", "\"a  b\"", ":13:16: a merge is two pieces with a" },
        { "\"ab c\"", "7", ":13:23: a merge is two pieces with a blank" },
        { "\"ab\"]", "\"ab\", \"c\"]", ":14:7: a merge is two pieces with" },
        { "\"ab\"]", "7]", ":14:7: a merge is two pieces with a blank" },
    };
    size_t n;
    copy_released("gpt2", NULL, NULL);
    each_is_refused(bytes_of(OF_BYTES, &n), sizeof row / sizeof *row, row);
    write_text("f/tokenizer.json", replaced(bytes_of(OF_BYTES, &n),
               "\"g\": 11", "\"" G256 G256 G256 G256 "\": 11"));
    assert_says(ftx("import f --model m"), "from");     /* 1024 bytes */
}

LAW(a_damaged_tokenizer_of_words_is_refused)
{
#define LENGTH ":10:33: max_input_chars_per_word must be a whole number from 1"
    static const Damage row[] = {
        { "\"BertNormalizer\"", "\"Lowercase\"",
          ":4:17: the normalizer is Lowercase; known is BertNormalizer." },
        { "{\"type\": \"BertNormalizer\",\n    \"strip_accents\": null, "
          "\"lowercase\": true}", "null",
          ":1:1: the normalizer is null; known is BertNormalizer." },
        { "\"BertPreTokenizer\"", "\"Whitespace\"",
          ":6:20: the pre_tokenizer is Whitespace; known is BertPre" },
        { "strip_accents\": null", "strip_accents\": \"no\"",
          ":5:22: strip_accents must be true or false." },
        { "lowercase\": true", "lowercase\": \"yes\"",
          ":5:41: lowercase must be true or false." },
        { "unk_token\": \"[UNK]\"", "unk_token\": \"[unk]\"",
          ": the unk_token \"[unk]\" is not in the vocabulary." },
        { "unk_token\": \"[UNK]\"", "unk_token\": 1",
          ":8:47: unk_token must be a string." },
        { "\"##\",", "\"@@\",",
          ":9:34: continuing_subword_prefix must be \"##\"." },
        { "_word\": 5", "_word\": 0", LENGTH },
        { "_word\": 5", "_word\": 1e9", LENGTH },
        { "_word\": 5", "_word\": \"5\"", LENGTH },
        { "\"id\": 4", "\"id\": 5", ":2:41: number 5 is \"ab\" already." },
        { "\"[SEP]\": 3", "\"[SEP]\": 2", ":11:51: number 2 has two" },
        { "\"[SEP]\": 3,", "", ": has no piece number 3; the last is 12." },
    };
    size_t n;
    copy_released("bert-masked", NULL, NULL);
    each_is_refused(bytes_of(OF_WORDS, &n), sizeof row / sizeof *row, row);
}

LAW(damaged_older_files_are_refused)
{
#define FOUR "[UNK]\n[SEP]\n[CLS]\n[MASK]\n"
#define ADDED(number, what) \
    "{\"added_tokens_decoder\": {\"" number "\": {" what "}}}"
    static const struct { const char *list, *settings, *file, *words; } lists[]
        = {
        { "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n", "{}", "vocab.txt",
          ":7:1: this piece is in the vocabulary twice." },
        { "[PAD]\n[UNK]\n\n[SEP]\n", "{}", "vocab.txt",
          ":3:1: this piece is empty." },
        { "[PAD]\n[CLS]\n[SEP]\n", "{}", "tokenizer_config.json",
          ": the unk_token \"[UNK]\" is not in the vocabulary." },
        { "[PAD]\n[UNK]\na\xFF" "\n", "{}", "vocab.txt",
          ":3:1: this piece is no text in UTF-8." },
        { "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "{}",
          "vocab.txt", ":14:1: this is one piece too many;" },
        { FOUR, "{\"do_lower_case\": 1}", "tokenizer_config.json",
          ":1:19: do_lower_case must be true or false." },
        { FOUR, "{\"mask_token\": 1}", "tokenizer_config.json",
          ":1:16: mask_token must be a string." },
        { FOUR, "{\"unk_token\": \"?\"}", "tokenizer_config.json",
          ": the unk_token \"?\" is not in the vocabulary." },
        { FOUR, ADDED("1", "\"content\": \"x\""), "tokenizer_config.json",
          ":1:44: number 1 is \"[SEP]\" already." },
        { FOUR, ADDED("x", ""), "tokenizer_config.json",
          ":1:27: expected the number of an added token, from 0 to 12." },
        { FOUR, ADDED("6", "\"content\": \"x\""), "tokenizer_config.json",
          ": has no piece number 4; the last is 6." },
        { FOUR, ADDED("9", "\"content\": \"x\""), "tokenizer_config.json",
          ": has no piece number 4; the last is 9." },
        { FOUR, ADDED("6", "\"special\": true"), "tokenizer_config.json",
          ":1:32: an added token is an object with a content, a string." },
        { FOUR, ADDED("6", "\"content\": 6"), "tokenizer_config.json",
          ":1:32: an added token is an object with a content, a string." },
        { FOUR, "{\"tokenize_chinese_chars\": \"x\"",
          "tokenizer_config.json", ":1:31: the text ends here; expected" },
    }, pairs[] = {
        { "{\"a\": 0, \"b\": 1}", "a b\n", "merges.txt",
          ":1:1: what this merge makes is not in the vocabulary." },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\nab\n",
          "merges.txt", ":3:1: a merge is two pieces with a blank" },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\na b\n",
          "merges.txt", ":3:1: this pair is merged twice." },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a c\n", "merges.txt",
          ":1:1: the piece \"c\" of this merge is not in the vocabulary." },
        { "{\"a\": 0, \"b\": 2}", "", "merges.txt", ": is empty." },
        { "[\"a\"]", "", "vocab.json", ":1:1: expected a vocab: an object" },
        { "{\"a\": 0, \"b\": 1} x", "a b\n", "vocab.json",
          ":1:18: expected nothing more." },
        { "{\"a\": 0, \"b\\n\": 1}", "", "merges.txt", ": is empty." },
        { "{}", "", "vocab.json", ":1:1: expected a vocab: an object of" },
    };
    copy_released("bert-masked", NULL, NULL);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        write_text("f/vocab.txt", lists[k].list);
        write_text("f/tokenizer_config.json", lists[k].settings);
        refused_tokens(lists[k].file, lists[k].words);
    }
    remove("f/vocab.txt");
    remove("f/tokenizer_config.json");
    copy_released("gpt2", NULL, NULL);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        write_text("f/vocab.json", pairs[k].list);
        write_text("f/merges.txt", pairs[k].settings);
        refused_tokens(pairs[k].file, pairs[k].words);
    }
    write_text("f/vocab.json", "{\"a\": 0}");
    remove("f/merges.txt");
    refused_tokens("merges.txt", ": cannot be opened: No such file");
}

/* In what ftx has learned each merge makes the next piece. */
LAW(damaged_tokens_of_ftx_are_refused)
{
#define NO_BYTES ": these are not the bytes of the two tokens."
#define NOT_ITS ":26:7: the vocabulary is not that of its merges."
    static const Damage row[] = {
        { "\"be\": 257", "\"be\": 400", ":283:13: the number of \"be\" must "
          "be a whole number from 0 to 267;" },
        { "[\"b\", \"e\"],", "", NOT_ITS },
        { "[\"b\", \"e\"],", "[\"b\", \"e\"], [\"b\", \"e\"],", NOT_ITS },
        { "[\"b\", \"e\"],", "[\"b\", \"a\"],", ":283:7" NO_BYTES },
        { "[\"t\", \"oĠ\"],", "[\"t\", \"o\"],", ":284:7" NO_BYTES },
        { "\"ā\": 1,", "\"ā\": 256,", ":282:7: number 256 has two pieces." },
        { "\"ā\": 1,\n      \"Ă\": 2,", "\"ā\": 2,\n      \"Ă\": 1,",
          ":28:7: the first 256 pieces must be the bytes, in order." },
        { "\"toĠ\"", "\"noĠ\"", ":284:7" NO_BYTES },
    };
    size_t n;
    write_text("x", "to be, or not to be: to bé or not\n"
               "<mask> so be it, to be or not to be\n");
    TRAIN("d --steps 1 --tokens bpe --L 1 --H 1 --d_e 4 --ell_max 8 --model t "
          "x");
    assert_says(ftx("export t f"), "tensors");
    each_is_refused(bytes_of("f/tokenizer.json", &n), 8, row);
    write_text("f/tokenizer.json", "[]");
    refused_tokens("tokenizer.json", ":1:1: a tokenizer is an object; this "
                   "is a list.");
}

/* ------------------------------------------------------------- commands */

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
          "the text:1:2: this byte is no text in UTF-8." },
    };
    size_t n;
    for (int k = 0; k < 2; k++) {
        copy_released(row[k].model, NULL, NULL);
        write_text("f/tokenizer.json", bytes_of(row[k].tokens, &n));
        write_text("x", row[k].text);
        write_text("y", row[k].said);
        assert_says(ftx("import f --model m --replace"), "from");
        assert_says(ftx("tokenize --model f x"), row[k].said);
        assert_says(ftx("tokenize --model m x"), row[k].said);
        assert_said(ftx("tokenize --model f --decode y"), 0, row[k].back, "");
        assert_refused(ftx("%s", row[k].wrong), row[k].words);
        if (k == 0)
            assert_both_say(ftx("generate --model m --tau 0 abc"),
                            ftx("generate --model f --tau 0 abc"));
    }
    assert_says(ftx("fill --model m 'the [gap] ab'"), "  token 3:");
    copy_released("gpt2", NULL, NULL);
    write_text("f/tokenizer.json", bytes_of(OF_BYTES, &n));
    assert_says(ftx("import f --model m --replace --numbers"), "from");
    write_text("x", "3");
    assert_says(ftx("tokenize --model m x"), "4\t3␣\n");
    write_text("f/tokenizer_config.json", "{\"bos_token\": "
               "\"<|endoftext|>\", \"eos_token\": \"<|endoftext|>\"}");
    write_text("x", "abc");         /* one special token begins and ends */
    assert_says(ftx("tokenize --model f x"), "7\tabc\n13\t<|endoftext|>\n");
    write_text("f/tokenizer.json",              /* for 13 is no embedding */
               replaced(bytes_of(OF_BYTES, &n), "added_tokens\": [",
                        "added_tokens\": [{\"id\": 13, \"content\": "
                        "\"[PAD]\", \"special\": true},"));
    write_text("f/tokenizer_config.json", "{\"eos_token\": "
               "\"<|endoftext|>\", \"added_tokens_decoder\": {\"13\": "
               "{\"content\": \"[PAD]\"}}}");
    assert_says(ftx("tokenize --model f x"), "7\tabc\n13\t<|endoftext|>\n");
    write_text("f/tokenizer.json", "{");        /* to count it is not read */
    assert_says(ftx("count f --total"), "1,944");
}

LAW(older_settings_are_obeyed)
{
    static const struct { const char *settings, *tokens; } row[] = {
        { "{}", "3\ta\n5\t##e\n" },
        { "{\"do_lower_case\": true}", "3\ta\n5\t##e\n" },
        { "{\"do_lower_case\": false}", "3\ta\n4\t##é\n" },
        { "{\"do_lower_case\": true, \"strip_accents\": false}",
          "3\ta\n4\t##é\n" },
        { "{\"do_lower_case\": false, \"strip_accents\": true}",
          "3\ta\n5\t##e\n" },
    };
    copy_released("bert-masked", NULL, NULL);
    write_text("y", "aé");
#define LIST(end) "[PAD]" end "[UNK]" end "a" end "##é" end "##e" end \
                  "[MASK]" end "[CLS]" end "[SEP]" end
    for (int k = 0; k < 10; k++) {
        write_text("f/vocab.txt", k < 5 ? LIST("\n") : LIST("\r\n"));
        write_text("f/tokenizer_config.json", row[k % 5].settings);
        assert_says(ftx("tokenize --model f y"), row[k % 5].tokens);
    }
}
