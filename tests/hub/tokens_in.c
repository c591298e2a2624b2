/* The tokens of released models: what transformers makes of hard texts (see
   oracle/tokenized.py) ftx makes of them, too, and back. */
#include "command.h"
#include "hub/hub.h"
#include <unistd.h>

#define G16 "gggggggggggggggg"
#define G256 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16 G16
#define LONG "g" G256 G256 G256 G256
#define FOLDER(name) "tests/data/released/tokens/" name
enum { HARD_TEXTS = 200, FOLDERS = 4, NUMBERS = 720 };
static const char *const folders[FOLDERS] = {
    FOLDER("gpt2"), FOLDER("gpt2-older"), FOLDER("bert-cased"),
    FOLDER("bert-older"),
};

typedef struct { const char *folder; const Tokenizer *t; } Reading;

static void read_folder(Fault *f, void *data)
{
    Reading *r = data;
    TokenFiles files = tokens_of_folder(arena, r->folder, NUMBERS, f);
    r->t = files.learned != NULL ? files.learned
         : tokenizer_of_cutter(arena, NUMBERS, files.special, files.cutter);
}

static const Tokenizer *tokens_in(const char *folder)
{
    Reading r = { folder, NULL };
    Fault f = { .sheet = folder };
    if (!attempt(&f, read_folder, &r))
        fail_msg("%s: %s", f.sheet, f.sentence);
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
    const char *p = bytes_of(FOLDER("texts.txt"), &n), *end = p + n;
    bool begins = true;
    for (const char *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        assert_true(stop != NULL && all.n < HARD_TEXTS);
        HardText *of = &all.text[begins ? all.n : all.n - 1];
        if (begins)
            of->text = written(p, (size_t)(stop - p)), all.n++;
        for (int f = 0; !begins && f < FOLDERS; f++) {
            const char *name = folders[f] + strlen(FOLDER(""));
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

static void hard_texts_get_the_tokens_of_transformers(void **state)
{
    (void)state;
    HardTexts all = hard_texts();
    assert_true(all.n > 80);
    for (int f = 0; f < FOLDERS; f++) {
        const Tokenizer *t = tokens_in(folders[f]);
        for (int k = 0; k < all.n; k++)
            agrees(t, &all.text[k], f);
    }
}

/* --------------------------------------------------- a small model's tokens */

static const char pairs_of_bytes[] =
    "{\n"
    "  \"added_tokens\": [{\"id\": 12, \"content\": \"<|endoftext|>\",\n"
    "    \"single_word\": false, \"lstrip\": false, \"rstrip\": false,\n"
    "    \"normalized\": false, \"special\": true}],\n"
    "  \"normalizer\": null,\n"
    "  \"pre_tokenizer\": {\"type\": \"ByteLevel\",\n"
    "    \"add_prefix_space\": false, \"use_regex\": true},\n"
    "  \"decoder\": {\"type\": \"ByteLevel\"},\n"
    "  \"model\": {\"type\": \"BPE\", \"dropout\": null,\n"
    "    \"vocab\": {\"a\": 0, \"b\": 1, \"c\": 2, \"\u0120\": 3,\n"
    "      \"\u00e9\": 4,"
    "      \"ab\": 5, \"abc\": 6, \"\u0120ab\": 7, \"d\": 8, \"e\": 9,\n"
    "      \"f\": 10, \"g\": 11, \"<|endoftext|>\": 12},\n"
    "    \"merges\": [\"a b\", \"ab c\",\n"
    "      [\"\u0120\", \"ab\"]]}\n"
    "}\n";

static const char word_pieces[] =
    "{\n"
    "  \"added_tokens\": [{\"id\": 4, \"content\": \"[MASK]\",\n"
    "    \"lstrip\": true, \"normalized\": false, \"special\": true}],\n"
    "  \"normalizer\": {\"type\": \"BertNormalizer\",\n"
    "    \"strip_accents\": null, \"lowercase\": true},\n"
    "  \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},\n"
    "  \"decoder\": {\"type\": \"WordPiece\"},\n"
    "  \"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\",\n"
    "    \"continuing_subword_prefix\": \"##\",\n"
    "    \"max_input_chars_per_word\": 5,\n"
    "    \"vocab\": {\"[PAD]\": 0, \"[UNK]\": 1, \"[CLS]\": 2, \"[SEP]\": 3,\n"
    "      \"[MASK]\": 4, \"ab\": 5, \"##c\": 6, \"a\": 7, \"##b\": 8,\n"
    "      \".\": 9, \"the\": 10, \"##\u00e9\": 11, \"cab\": 12}}\n"
    "}\n";

static const char *replaced(const char *text, const char *old,
                            const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *to = arena_alloc(arena, strlen(text) + strlen(new) + 1);
    sprintf(to, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return to;
}

/* A copy of a model of 13 tokens, as yet without their files. */
static char *model_folder(const char *model)
{
    static const char *const parts[] = { "config.json",
                                         "model.safetensors" };
    mkdir(path("f"), 0777);
    for (int k = 0; k < 2; k++) {
        size_t n;
        char from[100], to[100];
        snprintf(from, sizeof from, "tests/data/released/%s/%s", model,
                 parts[k]);
        snprintf(to, sizeof to, "f/%s", parts[k]);
        char *bytes = bytes_of(from, &n);
        assert_non_null(bytes);
        write_bytes(to, bytes, n);
    }
    return path("f");
}

/* Refused by every command, with a sentence about this file of the folder;
   and nothing is written. */
static void refused_tokens(const char *file, const char *sentence)
{
    char *folder = path("f");
    Said s = SAID(import_released, folder, "--model", path("m"));
    char whole[2000];
    snprintf(whole, sizeof whole, "%s%s%s%s\n", folder,
             *file == '\0' ? "" : "/", file, sentence);
    if (s.status != 2 || strcmp(s.err, whole) != 0)
        fail_at(HERE(sentence), "%d: %s\nbut expected %s", s.status, s.err,
                whole);
    assert_int_equal(access(path("m"), F_OK), -1);
}

typedef struct { const char *old, *new, *sentence; } Damage;

static void a_damaged_tokenizer_of_bytes_is_refused(void **state)
{
    (void)state;
    model_folder("gpt2");
    static const Damage damages[] = {
        { "{\n  \"added", "[\n  \"added", ":2:17: expected a comma or ]." },
        { "}\n}\n", "}\n",
          ":15:1: the text ends here; expected a comma or }." },
        { "\"BPE\"", "\"Unigram\"",
          ":9:12: the model is Unigram; known is BPE of bytes, or "
          "WordPiece." },
        { "\"BPE\"", "\"WordLevel\"",
          ":9:12: the model is WordLevel; known is BPE of bytes, or "
          "WordPiece." },
        { "\"BPE\"", "7",
          ":9:12: the model is ?; known is BPE of bytes, or WordPiece." },
        { "\"model\"", "\"modell\"", ":1:1: this tokenizer has no model." },
        { "\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}",
          ":5:17: the normalizer is NFC; known is null." },
        { "\"pre_tokenizer\": {\"type\": \"ByteLevel\"",
          "\"pre_tokenizer\": {\"type\": \"Metaspace\"",
          ":6:20: the pre_tokenizer is Metaspace; known is ByteLevel." },
        { "\"add_prefix_space\": false", "\"add_prefix_space\": true",
          ":7:25: add_prefix_space is true; ftx knows nothing but false "
          "there." },
        { "\"use_regex\": true", "\"use_regex\": false",
          ":7:45: use_regex is false; ftx knows nothing but true there." },
        { "\"use_regex\": true", "\"use_regex\": 1",
          ":7:45: use_regex must be true or false." },
        { "\"decoder\": {\"type\": \"ByteLevel\"}", "\"decoder\": null",
          ":1:1: the decoder is null; known is ByteLevel." },
        { "\"dropout\": null", "\"dropout\": 0.1",
          ":9:39: dropout must be null; ftx has no such thing." },
        { "\"dropout\": null", "\"end_of_word_suffix\": \"</w>\"",
          ":9:50: end_of_word_suffix must be null; ftx has no such thing." },
        { "\"dropout\": null", "\"byte_fallback\": true",
          ":9:45: byte_fallback is true; ftx knows nothing but false "
          "there." },
        { "\"dropout\": null", "\"ignore_merges\": true",
          ":9:45: ignore_merges is true; ftx knows nothing but false "
          "there." },
        { "\"vocab\": {", "\"vocab\": [], \"v\": {",
          ":10:14: expected a vocab: an object of pieces, each with its "
          "number." },
        { "\"vocab\"", "\"v\"",
          ":1:1: expected a vocab: an object of pieces, each with its "
          "number." },
        { "\"g\": 11", "\"g\": 13",
          ":12:21: the number of \"g\" must be a whole number from 0 to "
          "12; vocab_size is 13." },
        { "\"g\": 11", "\"g\": -1",
          ":12:21: the number of \"g\" must be a whole number from 0 to "
          "12; vocab_size is 13." },
        { "\"g\": 11", "\"g\": 1e30",
          ":12:21: the number of \"g\" must be a whole number from 0 to "
          "12; vocab_size is 13." },
        { "\"g\": 11", "\"g\": 1.5",
          ":12:21: the number of \"g\" must be a whole number from 0 to "
          "12; vocab_size is 13." },
        { "\"g\": 11", "\"g\": \"11\"",
          ":12:21: the number of \"g\" must be a whole number from 0 to "
          "12; vocab_size is 13." },
        { "\"g\": 11", "\"g\": 10", ":12:16: number 10 has two pieces." },
        { "\"g\": 11", "\"f\": 11",
          ":12:16: this object has the name \"f\" twice." },
        { "\"g\": 11", "\"\\n\\t\": 11, \"\\n\\t\": 3",
          ":12:28: this object has the name \"\\n\\t\" twice." },
        { "      \"f\": 10, \"g\": 11,", "      \"f\": 10,",
          ": has no piece number 11; the last is 12." },
        { "\"g\": 11", "\"日\": 11",
          ":12:16: this piece has a character that stands for no byte." },
        { "\"g\": 11", "\"\": 11", ":12:16: this piece is empty." },
        { "\"g\": 11", "\"" LONG "\": 11",
          ":12:16: this piece has more than 1024 bytes." },
        { "\"g\": 11", "\"g\xFF" "\": 11",
          ":12:18: the byte 0xFF is no text in UTF-8." },
        { "\"id\": 12", "\"id\": 13",
          ":2:27: the number of \"<|endoftext|>\" must be a whole number "
          "from 0 to 12; vocab_size is 13." },
        { "\"id\": 12", "\"id\": 11",
          ":2:42: number 11 is \"g\" already." },
        { "\"id\": 12", "\"ID\": 12",
          ":2:20: an added token is an object with an id and a content, a"
          " string." },
        { "\"content\": \"<|endoftext|>\"", "\"content\": 7",
          ":2:20: an added token is an object with an id and a content, a"
          " string." },
        { "\"content\": \"<|endoftext|>\"", "\"content\": \"<|end|>\"",
          ":2:42: number 12 is \"<|endoftext|>\" already." },
        { "\"added_tokens\": [", "\"added_tokens\": {\"a\": [",
          ":16:1: the text ends here; expected a comma or }." },
        { "\"single_word\": false", "\"single_word\": true",
          ":3:20: single_word is true; ftx knows nothing but false there." },
        { "\"lstrip\": false", "\"lstrip\": 0",
          ":3:37: lstrip must be true or false." },
        { "\"merges\": [", "\"merges\": 3, \"m\": [",
          ":13:15: expected merges, a list." },
        { "\"a b\", \"ab c\"", "\"ab c\", \"a z\"",
          ":13:24: the piece \"z\" of this merge is not in the "
          "vocabulary." },
        { "\"a b\", \"ab c\"", "\"a b\", \"a c\"",
          ":13:23: what this merge makes is not in the vocabulary." },
        { "\"a b\", \"ab c\"", "\"a b\", \"a b\"",
          ":13:23: this pair is merged twice." },
        { "\"a b\", \"ab c\"", "\"ab\"",
          ":13:16: a merge is two pieces with a blank between." },
        { "\"a b\", \"ab c\"", "\"a  b\"",
          ":13:16: a merge is two pieces with a blank between." },
        { "\"a b\", \"ab c\"", "\"a b\", 7",
          ":13:23: a merge is two pieces with a blank between, or a list "
          "of two." },
        { "[\"\u0120\", \"ab\"]", "[\"\u0120\", \"ab\", \"c\"]",
          ":14:7: a merge is two pieces with a blank between, or a list "
          "of two." },
        { "[\"\u0120\", \"ab\"]", "[\"\u0120\", 7]",
          ":14:7: a merge is two pieces with a blank between, or a list "
          "of two." },
    };
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        write_text("f/tokenizer.json", replaced(pairs_of_bytes,
                                                damages[k].old,
                                                damages[k].new));
        refused_tokens("tokenizer.json", damages[k].sentence);
    }
}

static void a_damaged_tokenizer_of_words_is_refused(void **state)
{
    (void)state;
    model_folder("bert-masked");
    static const Damage damages[] = {
        { "\"BertNormalizer\"", "\"Lowercase\"",
          ":4:17: the normalizer is Lowercase; known is BertNormalizer." },
        { "{\"type\": \"BertNormalizer\",\n    \"strip_accents\": null, "
          "\"lowercase\": true}", "null",
          ":1:1: the normalizer is null; known is BertNormalizer." },
        { "\"BertPreTokenizer\"", "\"Whitespace\"",
          ":6:20: the pre_tokenizer is Whitespace; known is "
          "BertPreTokenizer." },
        { "\"strip_accents\": null", "\"strip_accents\": \"no\"",
          ":5:22: strip_accents must be true or false." },
        { "\"lowercase\": true", "\"lowercase\": \"yes\"",
          ":5:41: lowercase must be true or false." },
        { "\"unk_token\": \"[UNK]\"", "\"unk_token\": \"[unk]\"",
          ": the unk_token \"[unk]\" is not in the vocabulary." },
        { "\"unk_token\": \"[UNK]\"", "\"unk_token\": 1",
          ":8:47: unk_token must be a string." },
        { "\"##\",", "\"@@\",",
          ":9:34: continuing_subword_prefix must be \"##\"." },
        { "_word\": 5", "_word\": 0",
          ":10:33: max_input_chars_per_word must be a whole number from 1"
          " to 1000000." },
        { "_word\": 5", "_word\": 1e9",
          ":10:33: max_input_chars_per_word must be a whole number from 1"
          " to 1000000." },
        { "_word\": 5", "_word\": \"5\"",
          ":10:33: max_input_chars_per_word must be a whole number from 1"
          " to 1000000." },
        { "\"id\": 4", "\"id\": 5", ":2:41: number 5 is \"ab\" already." },
        { "\"[SEP]\": 3", "\"[SEP]\": 2",
          ":11:51: number 2 has two pieces." },
        { "\"[SEP]\": 3,", "", ": has no piece number 3; the last is 12." },
    };
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        write_text("f/tokenizer.json", replaced(word_pieces,
                                                damages[k].old,
                                                damages[k].new));
        refused_tokens("tokenizer.json", damages[k].sentence);
    }
}

static void damaged_older_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *settings, *file, *sentence;
    } lists[] = {
        { "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n", "{}", "vocab.txt",
          ":7:1: this piece is in the vocabulary twice." },
        { "[PAD]\n[UNK]\n\n[SEP]\n", "{}", "vocab.txt",
          ":3:1: this piece is empty." },
        { "[PAD]\n[CLS]\n[SEP]\n", "{}", "tokenizer_config.json",
          ": the unk_token \"[UNK]\" is not in the vocabulary." },
        { "[PAD]\n[UNK]\na\xFF" "\n", "{}", "vocab.txt",
          ":3:1: this piece is no text in UTF-8." },
        { "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "{}",
          "vocab.txt",
          ":14:1: this is one piece too many; vocab_size is 13." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n", "{\"do_lower_case\": 1}",
          "tokenizer_config.json",
          ":1:19: do_lower_case must be true or false." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n", "{\"mask_token\": 1}",
          "tokenizer_config.json", ":1:16: mask_token must be a string." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n", "{\"unk_token\": \"?\"}",
          "tokenizer_config.json",
          ": the unk_token \"?\" is not in the vocabulary." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"1\": {\"content\": \"x\"}}}",
          "tokenizer_config.json",
          ":1:44: number 1 is \"[SEP]\" already." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"x\": {}}}",
          "tokenizer_config.json",
          ":1:27: expected the number of an added token, from 0 to 12." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"6\": {\"content\": \"x\"}}}",
          "tokenizer_config.json",
          ": has no piece number 4; the last is 6." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"9\": {\"content\": \"x\"}}}",
          "tokenizer_config.json",
          ": has no piece number 4; the last is 9." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"6\": {\"special\": true}}}",
          "tokenizer_config.json",
          ":1:32: an added token is an object with a content, a string." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"added_tokens_decoder\": {\"6\": {\"content\": 6}}}",
          "tokenizer_config.json",
          ":1:32: an added token is an object with a content, a string." },
        { "[UNK]\n[SEP]\n[CLS]\n[MASK]\n",
          "{\"tokenize_chinese_chars\": \"x\"", "tokenizer_config.json",
          ":1:31: the text ends here; expected a comma or }." },
    };
    model_folder("bert-masked");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        write_text("f/vocab.txt", lists[k].list);
        write_text("f/tokenizer_config.json", lists[k].settings);
        refused_tokens(lists[k].file, lists[k].sentence);
    }
    remove(path("f/vocab.txt"));
    remove(path("f/tokenizer_config.json"));
    model_folder("gpt2");
    static const struct {
        const char *list, *merges, *file, *sentence;
    } pairs[] = {
        { "{\"a\": 0, \"b\": 1}", "a b\n", "merges.txt",
          ":1:1: what this merge makes is not in the vocabulary." },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\nab\n",
          "merges.txt",
          ":3:1: a merge is two pieces with a blank between." },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\na b\n",
          "merges.txt", ":3:1: this pair is merged twice." },
        { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a c\n", "merges.txt",
          ":1:1: the piece \"c\" of this merge is not in the vocabulary." },
        { "{\"a\": 0, \"b\": 2}", "", "merges.txt", ": is empty." },
        { "[\"a\"]", "", "vocab.json",
          ":1:1: expected a vocab: an object of pieces, each with its "
          "number." },
        { "{\"a\": 0, \"b\": 1} x", "a b\n", "vocab.json",
          ":1:18: expected nothing more." },
        { "{\"a\": 0, \"b\\n\": 1}", "", "merges.txt", ": is empty." },
        { "{}", "", "vocab.json",
          ":1:1: expected a vocab: an object of pieces, each with its "
          "number." },
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        write_text("f/vocab.json", pairs[k].list);
        write_text("f/merges.txt", pairs[k].merges);
        refused_tokens(pairs[k].file, pairs[k].sentence);
    }
    write_text("f/vocab.json", "{\"a\": 0}");
    remove(path("f/merges.txt"));
    refused_tokens("merges.txt", ": cannot be opened: No such file or "
                   "directory.");
}

/* ------------------------------------------------------------- commands */

static void a_text_goes_through_a_folder_and_a_file(void **state)
{
    (void)state;
    char *folder = model_folder("gpt2"), *text = path("x");
    write_text("f/tokenizer.json", pairs_of_bytes);
    write_text("x", "abc ab<|endoftext|>g");
    const char *tokens = "7\tabc\n8\t␣ab\n13\t<|endoftext|>\n12\tg\n"
                         "13\t<|endoftext|>\n";
    assert_says(SAID(tokenize, "--model", folder, text), tokens);
    assert_says(SAID(import_released, folder, "--model", path("m")), "from");
    assert_says(SAID(tokenize, "--model", path("m"), text), tokens);
    assert_refusal(SAID(generate, "--model", path("m"), "abz"),
                   "the prompt:1:3: the vocabulary has no piece for this "
                   "byte.");
    Said s = SAID(generate, "--model", path("m"), "--tau", "0", "abc");
    assert_int_equal(s.status, 0);
    assert_said(SAID(generate, "--model", folder, "--tau", "0", "abc"), 0,
                s.out, s.err);
    write_text("y", tokens);
    assert_said(SAID(tokenize, "--model", folder, "--decode", path("y")), 0,
                "abc abg", "");
    assert_says(SAID(import_released, folder, "--model", path("m"),
                     "--replace", "--numbers"), "from");
    assert_says(SAID(tokenize, "--model", path("m"), write_text("x", "3")),
                "4\t3␣\n");
}

/* What the model has no embedding for can stand in no text. */
static void an_added_token_beyond_the_vocabulary_is_none(void **state)
{
    (void)state;
    char *folder = model_folder("gpt2");
    write_text("f/tokenizer.json",
               replaced(pairs_of_bytes, "\"added_tokens\": [",
                        "\"added_tokens\": [{\"id\": 13, \"content\": "
                        "\"[PAD]\", \"special\": true},"));
    write_text("f/tokenizer_config.json", "{\"eos_token\": "
               "\"<|endoftext|>\", \"added_tokens_decoder\": {\"13\": "
               "{\"content\": \"[PAD]\"}}}");
    assert_says(SAID(tokenize, "--model", folder, write_text("x", "abc")),
                "7\tabc\n13\t<|endoftext|>\n");
}

/* GPT-2's one special token begins a text and ends it. */
static void one_token_may_begin_and_end_a_text(void **state)
{
    (void)state;
    char *folder = model_folder("gpt2");
    write_text("f/tokenizer.json", pairs_of_bytes);
    write_text("f/tokenizer_config.json", "{\"bos_token\": "
               "\"<|endoftext|>\", \"eos_token\": \"<|endoftext|>\"}");
    assert_says(SAID(tokenize, "--model", folder, write_text("x", "abc")),
                "7\tabc\n13\t<|endoftext|>\n");
    remove(path("f/tokenizer_config.json"));
}

static void words_go_through_a_folder_and_a_file(void **state)
{
    (void)state;
    char *folder = model_folder("bert-masked"), *text = path("x");
    write_text("f/tokenizer.json", word_pieces);
    write_text("x", "The  ABC. ÀB [MASK] cabcab");
    const char *tokens = "12\t[CLS]\n8\tthe\n3\tab\n4\t##c\n7\t.\n3\tab\n"
                         "11\t[MASK]\n2\t[UNK]\n13\t[SEP]\n";
    assert_says(SAID(tokenize, "--model", folder, text), tokens);
    assert_says(SAID(import_released, folder, "--model", path("m")), "from");
    assert_says(SAID(tokenize, "--model", path("m"), text), tokens);
    write_text("y", tokens);
    assert_said(SAID(tokenize, "--model", folder, "--decode", path("y")), 0,
                "the abc. ab [UNK]", "");
    assert_says(SAID(fill_texts, "--model", path("m"), "the [gap] ab"),
                "  token 3:");
    assert_refusal(SAID(fill_texts, "--model", path("m"), "a\xFF[gap]"),
                   "the text:1:2: this byte is no text in UTF-8.");
}

/* To count a model its tokens are not needed. */
static void a_folder_is_counted_whatever_its_tokens_are(void **state)
{
    (void)state;
    char *folder = model_folder("gpt2");
    write_text("f/tokenizer.json", "{");
    assert_says(SAID(count_numbers, folder, "--total"), "1,944");
}

/* Whatever the bytes are, a vocabulary with all of them gives them back. */
static void lone_bytes_come_back(void **state)
{
    (void)state;
    const Tokenizer *t = tokens_in(FOLDER("gpt2"));
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
static void what_is_saved_is_the_same(void **state)
{
    (void)state;
    HardTexts all = hard_texts();
    for (int f = 0; f < FOLDERS; f++) {
        const Tokenizer *t = tokens_in(folders[f]), *again = NULL;
        Written text;
        tokenizer_save(begin_text(&text), t);
        const char *p = end_text(&text, arena), *at = p;
        assert_null(tokenizer_load(arena, &at, p + text.n, &again));
        assert_true(at == p + text.n);
        for (int k = 0; k < all.n; k++)
            agrees(again, &all.text[k], f);
    }
}

/* A model of little learning, and its texts in the file x. */
static char *trained(char *tokens)
{
    char *data = write_text("x", "to be, or not to be: to bé or not\n"
                            "<mask> so be it, to be or not to be\n");
    char *model = path("t.ftx");
    Said s = SAID(train, "d", "--steps", "1", "--tokens", tokens, "--L",
                  "1", "--H", "1", "--d_e", "4", "--ell_max", "8",
                  "--model", model, "--replace", data);
    if (s.status != 0)
        fail_msg("%s", s.err);
    return model;
}

/* What went out as tokenizer.json comes in as what it was. */
static void tokens_come_back_from_an_export(void **state)
{
    (void)state;
    static char *const kinds[] = { "char", "word", "bpe" };
    for (int k = 0; k < 3; k++) {
        char *model = trained(kinds[k]), *out = path("out"),
             *back = path("b"), *data = path("x");
        Said s;
        assert_says(SAID(export_model, model, out, "--replace"), "tensors");
        assert_says(SAID(import_released, out, "--model", back,
                         "--replace"), "from");
        s = SAID(tokenize, "--model", model, data);
        assert_said(SAID(tokenize, "--model", back, data), 0, s.out, "");
        remove(model);
    }
    model_folder("bert-masked");
    write_text("f/tokenizer.json", word_pieces);
    assert_says(SAID(export_model, path("f"), path("g")), "tensors");
    const char *words = "The  ABC. ÀB [MASK] cabcab";
    write_text("y", words);
    Said s = SAID(tokenize, "--model", path("f"), path("y"));
    assert_said(SAID(tokenize, "--model", path("g"), path("y")), 0, s.out,
                "");
    model_folder("gpt2");
    write_text("f/tokenizer.json", pairs_of_bytes);
    assert_says(SAID(export_model, path("f"), path("h")), "tensors");
    write_text("y", "abc ab<|endoftext|>g");
    s = SAID(tokenize, "--model", path("f"), path("y"));
    assert_said(SAID(tokenize, "--model", path("h"), path("y")), 0, s.out,
                "");
}

static const char *tokens_by(char *folder)
{
    Said s = SAID(tokenize, "--model", folder, path("y"));
    if (s.status != 0)
        fail_at(HERE(folder), "%s", s.err);
    return s.out;
}

/* Every way to treat letters goes out as it came in, and is another. */
static void every_normalizer_goes_out_as_it_came_in(void **state)
{
    (void)state;
    static const char *const flags[] = { "true", "false", "null" };
    const char *old = "\"strip_accents\": null, \"lowercase\": true";
    const char *said[12];
    char own[200], *folder = model_folder("bert-masked");
    write_text("y", "a\u00e9 AB ab A\u00c9 \u4e00ab a\x01""b .");
    for (int k = 0; k < 12; k++) {
        snprintf(own, sizeof own, "\"clean_text\": true, "
                 "\"handle_chinese_chars\": %s, \"strip_accents\": %s, "
                 "\"lowercase\": %s", flags[k / 6], flags[k / 2 % 3],
                 flags[k % 2]);
        write_text("f/tokenizer.json", replaced(word_pieces, old, own));
        said[k] = tokens_by(folder);
        assert_says(SAID(export_model, folder, path("out"), "--replace"),
                    "tensors");
        assert_string_equal(tokens_by(path("out")), said[k]);
        for (int i = 0; i < k; i++)     /* null: as lowercase is */
            if (k / 6 == i / 6 && k / 2 % 3 != 2 && i / 2 % 3 != 2)
                assert_string_not_equal(said[k], said[i]);
    }
    assert_string_equal(said[4], said[0]);
    assert_string_equal(said[5], said[3]);
}

static void older_settings_are_obeyed(void **state)
{
    (void)state;
    static const struct { const char *settings, *tokens; } of[] = {
        { "{}", "3\ta\n5\t##e\n" },
        { "{\"do_lower_case\": true}", "3\ta\n5\t##e\n" },
        { "{\"do_lower_case\": false}", "3\ta\n4\t##\u00e9\n" },
        { "{\"do_lower_case\": true, \"strip_accents\": false}",
          "3\ta\n4\t##\u00e9\n" },
        { "{\"do_lower_case\": false, \"strip_accents\": true}",
          "3\ta\n5\t##e\n" },
    };
    char *folder = model_folder("bert-masked");
    write_text("y", "a\u00e9");
    write_text("f/vocab.txt", "[PAD]\n[UNK]\na\n##\u00e9\n##e\n[MASK]\n[CLS]\n"
               "[SEP]\n");
    for (int k = 0; k < 5; k++) {
        write_text("f/tokenizer_config.json", of[k].settings);
        const char *tokens = tokens_by(folder);
        if (strstr(tokens, of[k].tokens) == NULL)
            fail_at(HERE(of[k].settings), "%s", tokens);
    }
    remove(path("f/vocab.txt"));
    remove(path("f/tokenizer_config.json"));
}

/* A special token's text, learned from a text that is full of it. */
static void a_text_of_two_tokens_does_not_go_out(void **state)
{
    (void)state;
    char text[400] = "", *model = path("t.ftx");
    for (int k = 0; k < 20; k++)
        strcat(text, "<mask><mask> <eos>\n");
    Said s = SAID(train, "d", "--steps", "1", "--tokens", "bpe", "--L", "1",
                  "--H", "1", "--d_e", "4", "--ell_max", "8", "--model",
                  model, write_text("x", text));
    assert_int_equal(s.status, 0);
    assert_says(SAID(export_model, model, path("out")), "; no tokenizer.json: "
                "two of its tokens are the same text\n");
    assert_int_equal(access(path("out/tokenizer.json"), F_OK), -1);
}

static void a_piece_has_at_most_1024_bytes(void **state)
{
    (void)state;
    char piece[1100] = "\"", name[1100];
    memset(piece + 1, 'g', 1024);
    strcpy(piece + 1025, "\": 11");
    model_folder("gpt2");
    write_text("f/tokenizer.json", replaced(pairs_of_bytes, "\"g\": 11",
                                            piece));
    assert_says(SAID(import_released, path("f"), "--model", path("m")),
                "from");
    remove(path("m"));
    snprintf(name, sizeof name, "\"g%s", piece + 1);
    write_text("f/tokenizer.json", replaced(pairs_of_bytes, "\"g\": 11",
                                            name));
    Said s = SAID(import_released, path("f"), "--model", path("m"));
    assert_that(s.status == 2 && strstr(s.err, ": this piece has more than "
                                               "1024 bytes.\n") != NULL);
}

/* In what ftx has learned each merge makes the next piece. */
static void damaged_tokens_of_ftx_are_refused(void **state)
{
    (void)state;
    static const Damage damages[] = {
        { "\"be\": 257", "\"be\": 400",
          ":283:13: the number of \"be\" must be a whole number from 0 to "
          "267; vocab_size is 268." },
        { "[\"b\", \"e\"],", "",
          ":26:7: the vocabulary is not that of its merges." },
        { "[\"b\", \"e\"],", "[\"b\", \"e\"], [\"b\", \"e\"],",
          ":26:7: the vocabulary is not that of its merges." },
        { "[\"b\", \"e\"],", "[\"b\", \"a\"],",
          ":283:7: these are not the bytes of the two tokens." },
        { "[\"t\", \"oĠ\"],", "[\"t\", \"o\"],",
          ":284:7: these are not the bytes of the two tokens." },
        { "\"ā\": 1,", "\"ā\": 256,",
          ":282:7: number 256 has two pieces." },
        { "\"ā\": 1,\n      \"Ă\": 2,", "\"ā\": 2,\n      \"Ă\": 1,",
          ":28:7: the first 256 pieces must be the bytes, in order." },
        { "\"toĠ\"", "\"noĠ\"",
          ":284:7: these are not the bytes of the two tokens." },
    };
    assert_says(SAID(export_model, trained("bpe"), path("f")), "tensors");
    size_t n;
    const char *right = bytes_of(path("f/tokenizer.json"), &n);
    for (int k = 0; k < 8; k++) {
        write_text("f/tokenizer.json", replaced(right, damages[k].old,
                                                damages[k].new));
        refused_tokens("tokenizer.json", damages[k].sentence);
    }
    write_text("f/tokenizer.json", "[]");
    refused_tokens("tokenizer.json", ":1:1: a tokenizer is an object; this "
                   "is a list.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(hard_texts_get_the_tokens_of_transformers),
        TEST_FILES(a_damaged_tokenizer_of_bytes_is_refused),
        TEST_FILES(a_damaged_tokenizer_of_words_is_refused),
        TEST_FILES(damaged_older_files_are_refused),
        TEST_FILES(a_text_goes_through_a_folder_and_a_file),
        TEST_FILES(an_added_token_beyond_the_vocabulary_is_none),
        TEST_FILES(one_token_may_begin_and_end_a_text),
        TEST_FILES(words_go_through_a_folder_and_a_file),
        TEST_FILES(a_folder_is_counted_whatever_its_tokens_are),
        TEST_FILES(lone_bytes_come_back),
        TEST_FILES(what_is_saved_is_the_same),
        TEST_FILES(tokens_come_back_from_an_export),
        TEST_FILES(every_normalizer_goes_out_as_it_came_in),
        TEST_FILES(older_settings_are_obeyed),
        TEST_FILES(a_text_of_two_tokens_does_not_go_out),
        TEST_FILES(a_piece_has_at_most_1024_bytes),
        TEST_FILES(damaged_tokens_of_ftx_are_refused),
    };
    return RUN(laws);
}
