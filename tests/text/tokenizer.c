/* Tokens: sequences, and the three tokenizers. */
#include "decode.h"
#include "law.h"
#include "models.h"
#include "rows.h"

/* ------------------------------------------------------------- sequences */

LAW(tokens_are_counted_from_1)
{
    Tokens x = TOKENS(7, 8, 9);
    assert_int_equal(TOKEN(x, 1), 7);
    assert_int_equal(TOKEN(x, 3), 9);
    assert_refuses(TOKEN(x, 0), "there is no token 0 in a sequence of 3.");
    assert_refuses(TOKEN(x, 4), "there is no token 4 in a sequence of 3.");
}

LAW(parts_of_a_sequence_are_counted_from_1_too)
{
    Tokens x = TOKENS(7, 8, 9, 8);
    assert_same_tokens(slice(x, 2, 3), TOKENS(8, 9));
    assert_same_tokens(slice(x, 1, 4), x);
    assert_that(slice(x, 1, 0).length == 0 && slice(x, 5, 4).length == 0);
    assert_same_tokens(span(tape, 3, 5), TOKENS(3, 4, 5));
    assert_that(span(tape, 3, 2).length == 0);
    assert_same_tokens(places(tape, x, 8), TOKENS(2, 4));
    assert_same_tokens(chosen(tape, x, TOKENS(4, 1, 1)), TOKENS(8, 7, 7));
    assert_same_tokens(appended(tape, x, 5), TOKENS(7, 8, 9, 8, 5));
    assert_same_tokens(appended(tape, no_tokens, 5), TOKENS(5));
    assert_refuses(slice(x, 0, 2).length, "[0 : 2] of a sequence of 4.");
    assert_refuses(slice(x, 3, 5).length, "[3 : 5] of a sequence of 4.");
    assert_refuses(slice(x, 3, 1).length, "[3 : 1] of a sequence of 4.");
    assert_refuses(span(tape, 3, 1).length, "from 3 to 1.");
    assert_refuses(chosen(tape, x, TOKENS(1, 5)).length, "no token 5");
    assert_refuses(chosen(tape, x, TOKENS(0)).length, "no token 0");
}

LAW(the_special_tokens_are_the_last_three)
{
    assert_int_equal(mask_token(10), 8);
    assert_int_equal(bos_token(10), 9);
    assert_int_equal(eos_token(10), 10);
    assert_tokens(with_bos_eos(arena, TOKENS(3, 1), 10), 9, 3, 1, 10);
    assert_tokens(with_bos_eos(arena, (Tokens){ 0, NULL }, 10), 9, 10);
}

LAW(chunks_side_by_side_are_the_sequence)
{
    int id[23], n;
    for (int k = 0; k < 23; k++)
        id[k] = 100 + k;
    for (int length = 0; length <= 23; length++)
        for (int ell_max = 1; ell_max <= 25; ell_max++) {
            Tokens x = { length, id };
            const Tokens *chunk = chunks(arena, x, ell_max, &n);
            int covered = 0;
            for (int k = 1; k <= n; k++) {
                assert_that(chunk[k].id == id + covered);
                assert_that(k == n || chunk[k].length == ell_max);
                assert_that(1 <= chunk[k].length
                            && chunk[k].length <= ell_max);
                covered += chunk[k].length;
            }
            assert_int_equal(covered, length);
        }
    assert_refuses(chunks(arena, TOKENS(1), 0, &n), "ell_max is 0");
}

/* ----------------------------------------------------------- tokenizers */

static const Tokenizer *learn(TokenKind kind, const char *text, size_t n,
                              int merges)
{
    const Tokenizer *t = NULL;
    size_t where;
    const char *wrong = tokenizer_train(arena, kind, text, n, merges, &t,
                                        &where);
    if (wrong != NULL)
        fail_at(HERE("tokenizer_train"), "byte %zu: %s", where, wrong);
    return t;
}

static Tokens encoded(const Tokenizer *t, const char *text, size_t n)
{
    Tokens x = { 0, NULL };
    size_t where;
    const char *wrong = encode_text(t, arena, text, n, &x, &where);
    if (wrong != NULL)
        fail_at(HERE("encode_text"), "byte %zu: %s", where, wrong);
    return x;
}

#define LEARN(kind, text, merges) learn(kind, text, strlen(text), merges)
#define ENCODED(t, text)          encoded(t, text, strlen(text))

#define assert_piece(t, token, text) \
    do { \
        Piece piece_ = token_piece(t, token); \
        if (piece_.n != (int)strlen(text) \
            || memcmp(piece_.at, text, strlen(text)) != 0) \
            fail_at(HERE(#token), "is '%.*s', but expected '%s'", \
                    piece_.n, piece_.at, text); \
    } while (0)

/* Encoding uses ordinary tokens; decoding gives the same bytes. */
#define assert_round(t, text, n) round_at(HERE(#text), t, text, n)
static void round_at(Where where, const Tokenizer *t, const char *text,
                     size_t n)
{
    Tokens x = encoded(t, text, n);
    size_t bytes;
    for (int k = 1; k <= x.length; k++)
        if (TOKEN(x, k) < 1 || TOKEN(x, k) > t->N_V - 3)
            fail_at(where, "token %d is %d", k, TOKEN(x, k));
    const char *back = decode_text(t, arena, x, &bytes);
    if (bytes != n || memcmp(back, text, n) != 0 || back[n] != '\0')
        fail_at(where, "%zu bytes came back as %zu", n, bytes);
}

/* n bytes of the first `letters` of an alphabet. */
static char *random_text(size_t n, const char *alphabet, int letters)
{
    char *text = arena_alloc(arena, n + 1);
    for (size_t k = 0; k < n; k++)
        text[k] = alphabet == NULL ? (char)pick(0, letters - 1)
                                   : alphabet[pick(0, letters - 1)];
    text[n] = '\0';
    return text;
}

static const char grandma[] = "My grandma makes the best apple pie.";

LAW(the_papers_sentence_has_36_characters_and_7_words)
{
    const Tokenizer *t = LEARN(CHARACTERS, grandma, 0);
    assert_int_equal(ENCODED(t, grandma).length, 36);
    assert_int_equal(t->N_V, 19 + 3);
    t = LEARN(WORDS, grandma, 0);
    assert_tokens(ENCODED(t, grandma), 1, 2, 3, 4, 5, 6, 7);
    assert_int_equal(t->N_V, 7 + 3);
    assert_piece(t, 1, "My ");
    assert_piece(t, 7, "pie.");
}

LAW(pieces_are_numbered_as_they_first_occur)
{
    const Tokenizer *t = LEARN(CHARACTERS, "abracadabra", 0);
    assert_tokens(ENCODED(t, "abracadabra"), 1, 2, 3, 1, 4, 1, 5, 1, 2, 3, 1);
    t = LEARN(WORDS, "  to be\n\nor\tnot to be", 0);
    assert_tokens(ENCODED(t, "  to be\n\nor\tnot to be"), 1, 2, 3, 4, 5, 2, 6);
    assert_tokens(ENCODED(t, "to be\n\nto be"), 2, 3, 2, 6);
}

LAW(every_blank_ends_a_word_and_nothing_else_does)
{
    for (int c = 1; c < 0x80; c++) {
        char text[] = { 'a', (char)c, 'b', '\0' };
        bool blank = strchr(" \t\n\v\f\r", c) != NULL;
        assert_int_equal(LEARN(WORDS, text, 0)->N_V,
                         (blank ? 2 : 1) + 3);
    }
}

/* Two-, three- and four-byte characters are one token each. */
LAW(a_character_may_have_four_bytes)
{
    const char *text = "a\xC3\xA9\xE2\x84\x93\xF0\x9F\x90\x88";
    const Tokenizer *t = LEARN(CHARACTERS, text, 0);
    assert_tokens(ENCODED(t, text), 1, 2, 3, 4);
    assert_round(t, text, strlen(text));
}

LAW(only_utf8_is_utf8)
{
    static const struct { const char *bytes; int length; } cases[] = {
        { "a", 1 }, { "\x7F", 1 }, { "\x80", 0 }, { "\xBF", 0 },
        { "\xC1\x81", 0 }, { "\xC2\x80", 2 }, { "\xC2", 0 }, { "\xC2z", 0 },
        { "\xDF\xBF", 2 }, { "\xE0\x9F\xBF", 0 }, { "\xE0\xA0\x80", 3 },
        { "\xE2\x84", 0 }, { "\xE2\x84z", 0 }, { "\xED\x9F\xBF", 3 },
        { "\xED\xA0\x80", 0 }, { "\xEF\xBF\xBF", 3 },
        { "\xF0\x8F\xBF\xBF", 0 }, { "\xF0\x90\x80\x80", 4 },
        { "\xF0\x9F\x90", 0 }, { "\xF4\x8F\xBF\xBF", 4 },
        { "\xF4\x90\x80\x80", 0 }, { "\xF5\x80\x80\x80", 0 },
        { "\xFF", 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t n = strlen(cases[k].bytes);
        char *exactly = malloc(n);          /* nothing behind is read */
        memcpy(exactly, cases[k].bytes, n);
        assert_int_equal(utf8_length(exactly, n), cases[k].length);
        free(exactly);
    }
    assert_int_equal(utf8_length("", 1), 1);
}

LAW(decoding_undoes_encoding_for_all_bytes)
{
    char all[512];
    for (int k = 0; k < 512; k++)
        all[k] = (char)k;
    const char *learned_from = random_text(3000, "ab c\n", 5);
    const Tokenizer *t = learn(BYTE_PAIRS, learned_from, 3000, 200);
    assert_that(t->N_V > 256 + 100 + 3);
    assert_round(t, all, 512);
    for (size_t n = 0; n < 400; n++) {
        assert_round(t, random_text(n, NULL, 256), n);
        assert_round(t, random_text(n, "ab c\n", 5), n);
        assert_round(t, random_text(n, "ab", 2), n);
    }
}

LAW(special_tokens_give_no_text)
{
    const Tokenizer *t = LEARN(WORDS, grandma, 0);
    Tokens x = with_bos_eos(arena, TOKENS(6, 8, 7), t->N_V);
    size_t n;
    assert_string_equal(decode_text(t, arena, x, &n), "apple pie.");
    assert_int_equal(n, 10);
    assert_refuses(decode_text(t, arena, TOKENS(11), &n),
                   "token ID 11 is not in [N_V] = 1 ... 10.");
    assert_refuses(token_piece(t, 0).n, "token ID 0 is not");
}

#define assert_no_token(t, text, byte, sentence) \
    no_token_at(HERE(#text), t, text, byte, sentence)
static void no_token_at(Where where, const Tokenizer *t, const char *text,
                        size_t byte, const char *sentence)
{
    Tokens x;
    size_t at;
    const char *wrong = encode_text(t, arena, text, strlen(text), &x, &at);
    if (wrong == NULL || strcmp(wrong, sentence) != 0 || at != byte)
        fail_at(where, "byte %zu: %s", at, wrong == NULL ? "(none)" : wrong);
}

LAW(what_was_never_seen_is_refused_with_its_place)
{
    const Tokenizer *t = LEARN(CHARACTERS, "abc", 0), *none = NULL;
    size_t where = 0;
    assert_no_token(t, "cabx", 3, "there is no token for this character.");
    assert_no_token(t, "ab\xC3\xA9", 2,
                    "there is no token for this character.");
    assert_no_token(t, "a\xFFx", 1, "this byte is not text in UTF-8.");
    t = LEARN(WORDS, grandma, 0);
    assert_no_token(t, "My pie", 3, "there is no token for this word.");
    assert_no_token(t, "My  pie.", 0, "there is no token for this word.");
    const char *wrong = tokenizer_train(arena, CHARACTERS, "ab\xE2\x84", 4, 0,
                                        &none, &where);
    assert_string_equal(wrong, "this byte is not text in UTF-8.");
    assert_int_equal(where, 2);
}

LAW(an_empty_text_has_no_tokens)
{
    for (int kind = CHARACTERS; kind <= BYTE_PAIRS; kind++) {
        const Tokenizer *t = learn((TokenKind)kind, "", 0, 9);
        assert_int_equal(t->N_V, kind == BYTE_PAIRS ? 259 : 3);
        assert_round(t, "", 0);
    }
}

/* ------------------------------------------------------------ byte pairs */

LAW(merges_by_hand)
{
    const Tokenizer *t = LEARN(BYTE_PAIRS, "low low lower lowest", 1000);
    assert_int_equal(t->N_V, 256 + 4 + 3);
    assert_piece(t, 'a' + 1, "a");
    assert_piece(t, 257, "lo");
    assert_piece(t, 258, "low");
    assert_piece(t, 259, "low ");
    assert_piece(t, 260, "lowe");
    assert_tokens(ENCODED(t, "slow low lowly"),
                  's' + 1, 259, 259, 258, 'l' + 1, 'y' + 1);
    t = LEARN(BYTE_PAIRS, "low low lower lowest", 2);
    assert_int_equal(t->N_V, 256 + 2 + 3);
}

/* Seven pairs a a; four times 257; three pairs 257 257; twice 258. */
LAW(neighbours_that_overlap)
{
    const Tokenizer *t = LEARN(BYTE_PAIRS, "aaaaaaaa", 1000);
    assert_int_equal(t->N_V, 256 + 2 + 3);
    assert_piece(t, 258, "aaaa");
    assert_tokens(ENCODED(t, "aaaaaaa"), 258, 257, 'a' + 1);
}

/* Equal counts: the lower left token, then the lower right one. */
LAW(a_tie_goes_to_the_lowest_numbers)
{
    static const char *const first[][2] = {
        { "zb bz zb bz ac ab ac ab", "b " },        /* 3; the others 1 or 2 */
        { "zb,bz,zb,bz,", ",b" }, { "zb zc zb zc ", "b " },
        { "zc yzb zc yzb", "c " }, { "xz xy xz xy", "xy" },
    };
    for (int k = 0; k < 5; k++)
        assert_piece(LEARN(BYTE_PAIRS, first[k][0], 1), 257, first[k][1]);
}

static char *saved(const Tokenizer *t, size_t *n)
{
    FILE *file = tmpfile();
    assert_that(file != NULL);
    tokenizer_save(file, t);
    *n = (size_t)ftell(file);
    return (char *)all_of(file);
}

/* The method as it is described, without words or tables of hashes: for each
   merge all pairs are counted again. s: a token a place, 0 between words. */
enum { MERGES = 300, MOST_TOKENS = 257 + MERGES };
typedef struct { int n, left[MERGES], right[MERGES]; } Pairs;

static size_t merged_in(int *s, size_t n, int left, int right, int token)
{
    size_t to = 0;
    for (size_t k = 0; k < n; k++)
        if (k + 1 < n && s[k] == left && s[k + 1] == right) {
            s[to++] = token;
            k++;
        } else {
            s[to++] = s[k];
        }
    return to;
}

static size_t counted_anew(const char *text, int *s, Pairs *learned)
{
    static int count[MOST_TOKENS][MOST_TOKENS];
    size_t n = 0;
    for (; *text != '\0'; text++) {
        s[n++] = (unsigned char)*text + 1;
        if (*text == ' ' && text[1] != ' ')
            s[n++] = 0;
    }
    for (learned->n = 0; learned->n < MERGES; learned->n++) {
        int token = 257 + learned->n, left = 0, right = 0, most = 1;
        memset(count, 0, sizeof count);
        for (size_t k = 0; k + 1 < n; k++)
            if (s[k] != 0 && s[k + 1] != 0)
                count[s[k]][s[k + 1]]++;
        for (int a = 1; a < token; a++)
            for (int b = 1; b < token; b++)
                if (count[a][b] > most)
                    most = count[a][b], left = a, right = b;
        if (left == 0)
            break;
        learned->left[learned->n] = left;
        learned->right[learned->n] = right;
        n = merged_in(s, n, left, right, token);
    }
    return n;
}

/* A few letters and long words; and some hundred, with thousands of pairs. */
LAW(merging_is_what_it_is_described_to_be)
{
    char many[91] = "                    ";
    int *s = arena_alloc(arena, 20000 * sizeof *s);
    for (int k = 20; k < 90; k++)
        many[k] = (char)(k < 40 ? 'a' + k % 9 : k + 30);
    generator = seeded(2);
    for (int trial = 0; trial < 7; trial++) {
        Pairs p;
        size_t bytes = 0;
        int to = 0;
        char *text = trial < 4 ? random_text(120, "abab c ", trial < 2 ? 5 : 7)
                               : random_text(6000, many, 90);
        size_t n = counted_anew(text, s, &p);
        const Tokenizer *t = learn(BYTE_PAIRS, text, strlen(text), MERGES);
        const char *line = strchr(saved(t, &bytes), '\n');
        assert_int_equal(t->N_V, 256 + p.n + 3);
        for (int k = 0; k < p.n; k++, line = strchr(line + 1, '\n')) {
            int left, right;
            assert_that(sscanf(line + 1, "%d %d ", &left, &right) == 2);
            assert_that(left == p.left[k] && right == p.right[k]);
        }
        for (size_t k = 0; k < n; k++)      /* words side by side */
            if (s[k] != 0)
                s[to++] = s[k];
        tokens_at(HERE(text), encoded(t, text, strlen(text)),
                  (Tokens){ to, s });
        round_at(HERE(text), t, text, strlen(text));
    }
}

/* ------------------------------------------------------- save and load */

LAW(what_is_saved_can_be_read)
{
    size_t n;
    assert_string_equal(saved(LEARN(CHARACTERS, "a \n\t\\\x01\x7F", 0), &n),
        "tokenizer char 7\na\n\xE2\x90\xA3\n\\n\n\\t\n\\\\\n\\x01\n\\x7F\n");
    assert_string_equal(            /* e, the last control, no control, a box */
        saved(LEARN(CHARACTERS, "\xC3\xA9\xC2\x9F\xC2\xA0\xE2\x90\xA3", 0), &n),
        "tokenizer char 4\n\xC3\xA9\n\\xC2\\x9F\n\xC2\xA0\n\\xE2\\x90\\xA3\n");
    assert_string_equal(saved(LEARN(WORDS, "to be\xFF  or", 0), &n),
        "tokenizer word 3\nto\xE2\x90\xA3\n"
        "be\\xFF\xE2\x90\xA3\xE2\x90\xA3\nor\n");
    assert_string_equal(saved(LEARN(BYTE_PAIRS, "low low lower lowest", 9),
                              &n),
        "tokenizer bpe 4\n109 112 lo\n257 120 low\n"
        "258 33 low\xE2\x90\xA3\n258 102 lowe\n");
}

static const Tokenizer *tokenizer_in(const char *text, size_t n)
{
    const char *p = text;
    const Tokenizer *t = tokenizer_load(arena, &p, text + n);
    if (t == NULL || p != text + n)
        fail_at(HERE("tokenizer_load"), "byte %td", p - text);
    return t;
}

LAW(loading_undoes_saving)
{
    const char *anything = random_text(4000, NULL, 256);
    const char *text = random_text(4000, "abc \n\\\t\x01n", 9);
    for (int kind = CHARACTERS; kind <= BYTE_PAIRS; kind++) {
        size_t n, again;
        const char *from = kind == CHARACTERS ? text : anything;
        const Tokenizer *t = learn((TokenKind)kind, from, 4000, 300);
        char *first = saved(t, &n);
        const Tokenizer *u = tokenizer_in(first, n);
        char *second = saved(u, &again);
        assert_int_equal(n, again);
        assert_memory_equal(first, second, n);
        assert_int_equal(u->kind, kind);
        assert_same_tokenizer(t, u);
        tokens_at(HERE("loaded"), encoded(u, from, 4000),
                  encoded(t, from, 4000));
    }
}

LAW(a_tokenizer_may_stand_in_a_larger_file)
{
    const char *text = "tokenizer char 2\na\nb\nweights\n", *p = text;
    assert_non_null(tokenizer_load(arena, &p, text + strlen(text)));
    assert_string_equal(p, "weights\n");
    p = text = "tokenizer word 1\n\\xFF\n";     /* up to the first F */
    assert_null(tokenizer_load(arena, &p, text + strlen(text) - 2));
    p = text = "tokenizer word 0\n";
    assert_int_equal(tokenizer_load(arena, &p, text + strlen(text))->N_V, 3);
    p = text = "tokenizer wordpiece 4\nspecial none none none\n"
               "pieces 2 0 0 settings 0 0 0 0 9 0\na\nb\n";
    assert_non_null(tokenizer_load(arena, &p, text + strlen(text)));
}

/* A list, and at which byte the line begins that is damaged. */
LAW(damage_is_told_with_its_line)
{
    for (Rows row = rows_of("files.txt", "a damaged list of tokens");
         next_row(&row); ) {
        const char *list = row.field[0];
        size_t n = strlen(list);
        char *exactly = malloc(n + (n == 0));   /* nothing behind is read */
        const char *p = memcpy(exactly, list, n);
        const Tokenizer *t = tokenizer_load(arena, &p, exactly + n);
        if (t != NULL || p - exactly != atoi(row.field[1]))
            fail_at(HERE(list), "%s: byte %td", list, p - exactly);
        free(exactly);
    }
    const char *text = "tokenizer word 1\nabcdefghijklmnopabcdefghijklmnop"
                       "abcdefghijklmnopabcdefghijklmnop\n";
    assert_int_equal(token_piece(tokenizer_in(text, strlen(text)), 1).n, 64);
    static const char *const taken[] = {
        "tokenizer numbers 4\nspecial 3 0 2\n",
        "tokenizer numbers 1048576\nspecial none none none\n",
        "tokenizer numbers 5\nspecial none 4 0\n",
        "tokenizer bpe 3\n109 112 lo\n257 257 lolo\n258 109 lolol\n",
    };
    for (int k = 0; k < 4; k++) {
        size_t n = strlen(taken[k]);
        const Tokenizer *t = tokenizer_in(taken[k], n);
        assert_string_equal(saved(t, &n), taken[k]);
    }
    text = "tokenizer numbers 5\nspecial none 4 none\n";  /* bos amidst */
    assert_int_equal(token_number(tokenizer_in(text, strlen(text)), 5), 3);
    text = "tokenizer bpe 1\n1 1 \\x00\\x00\n";     /* the first token twice */
    assert_int_equal(token_piece(tokenizer_in(text, strlen(text)), 257).n, 2);
}

/* Cut off anywhere, or with a few bytes changed: an error, or a tokenizer
   that can be used; and nothing beyond the end is read. */
LAW(no_damage_does_harm)
{
    generator = seeded(1);
    const char *text = random_text(600, "abcd \n\xFF", 7);
    for (int kind = WORDS; kind <= BYTE_PAIRS; kind++) {
        size_t n;
        const Tokenizer *t = learn((TokenKind)kind, text, 600, 60);
        char *whole = saved(t, &n);
        for (size_t cut = 0; cut < n; cut++) {
            char *part = malloc(cut + 1);
            const char *p = memcpy(part, whole, cut);
            assert_null(tokenizer_load(arena, &p, part + cut));
            assert_that(part <= p && p <= part + cut);
            free(part);
        }
        for (int trial = 0; trial < amount(20000); trial++) {
            char *damaged = malloc(n);
            const char *p = memcpy(damaged, whole, n);
            for (int k = 0; k <= pick(0, 2); k++)
                damaged[pick(0, (int)n - 1)] =
                    trial % 2 == 0 ? (char)pick(0, 255)
                                   : whole[pick(0, (int)n - 1)];
            Arena *aside = arena_new();
            t = tokenizer_load(aside, &p, damaged + n);
            if (t != NULL && kind == BYTE_PAIRS)
                assert_round(t, text, 600);
            assert_that(damaged <= p && p <= damaged + n);
            arena_free(aside);
            free(damaged);
        }
    }
}

/* U+F900 is U+8C48, too. */
LAW(an_ideograph_that_unicode_has_twice_is_refused)
{
    static const Piece piece[] = { { "?", 1 }, { "a", 1 } };
    static const unsigned char how[2];
    const Vocabulary v = { .words = true, .n = 2, .piece = piece, .how = how,
                           .no_marks = true, .longest = 9 };
    size_t where;
    int number[20], n;
    const Cutter *c = cutter_new(arena, &v);
    assert_null(cut_text(c, "a\xE8\xB1\x88", 4, number, &n, &where));
    const char *twice = cut_text(c, "a\xEF\xA4\x80", 4, number, &n, &where);
    assert_that(strstr(twice, "in Unicode a second time") && where == 1);
}
