/* What is learned from and what is held out; and texts as tokens of a model, with
   the place of what has none. */
#include "lessons.h"
#include "models.h"

enum { ELL_MAX = 8 };

static Corpus corpus_of(Task task, TokenKind tokens, double held_out,
                        const char *name)
{
    const char *said;
    Corpus corpus;
    Plan plan = plan_default(false);
    plan.tokens = tokens;
    plan.merges = 20;
    plan.held_out = held_out;
    TRY(said, f, corpus = read_corpus(arena, task, &plan, ELL_MAX, NULL, name,
                                      f));
    assert_string_equal(said, "");
    return corpus;
}

/* The next chunks of data are these n tokens, each once. */
static int assert_chunks(const Data *data, int chunk, const int *id, int n)
{
    while (n > 0) {
        assert_that(chunk < data->N_data);
        Tokens x = data->x[++chunk];
        assert_that(x.length == (n < ELL_MAX ? n : ELL_MAX));
        assert_memory_equal(x.id, id, (size_t)x.length * sizeof *id);
        id += x.length;
        n -= x.length;
    }
    return chunk;
}

/* No token is in both, none in neither, and the end of each text is held
   out, not its beginning; of a last block, however short, too. */
LAW(every_token_of_a_text_is_learned_from_or_held_out)
{
    static const char *const text =
        "the text, which is the longest of them all, is not short: 0123456789";
    write_text("a", text);
    for (int tenths = 0; tenths <= 9; tenths++)
        for (int kind = 0; kind < 2; kind++) {
            const double share = tenths / 10.0;
            Corpus c = corpus_of(TRAIN_D, kind == 0 ? CHARACTERS : BYTE_PAIRS,
                                 share, "a");
            Tokens x = tokens_of(c.tokenizer, text);
            int last = (int)(x.length * share), first = x.length - last;
            int train = assert_chunks(&c.train, 0, x.id, first);
            int held_out = assert_chunks(&c.held_out, 0, x.id + first, last);
            assert_that(train == c.train.N_data);
            assert_that(held_out == c.held_out.N_data);
        }
}

/* Line k is k in the alphabet; its class, "x" or "xx". */
LAW(every_line_is_learned_from_or_held_out)
{
    write_text("p", "a\tA\nb\tB\nc\tC\nd\tD\ne\tE\nf\tF\ng\tG\n");
    write_text("c", "xx\tA\nx\tB\nxx\tC\nx\tD\nx\tE\nxx\tF\nxx\tG\n");
    for (int tenths = 0; tenths <= 9; tenths++) {
        const int last = (int)(7 * tenths / 10.0), first = 7 - last;
        Corpus p = corpus_of(TRAIN_ED, CHARACTERS, tenths / 10.0, "p"),
               c = corpus_of(TRAIN_CLASS, CHARACTERS, tenths / 10.0, "c");
        assert_that(p.train.N_data == first && p.held_out.N_data == last);
        assert_that(c.train.N_data == first && c.held_out.N_data == last);
        assert_int_equal(c.N_C, 2);
        for (int n = 0; n < 7; n++) {
            char left[] = { (char)('a' + n), '\0' },
                 right[] = { (char)('A' + n), '\0' };
            const Data *of_p = n < first ? &p.train : &p.held_out,
                       *of_c = n < first ? &c.train : &c.held_out;
            const int k = n < first ? n + 1 : n - first + 1;
            assert_same_tokens(of_p->z[k], tokens_of(p.tokenizer, left));
            assert_same_tokens(of_p->x[k], tokens_of(p.tokenizer, right));
            assert_same_tokens(of_c->x[k], tokens_of(c.tokenizer, right));
            assert_string_equal(c.class_name[of_c->c[k]],
                                strchr("ACFG", *right) ? "xx" : "x");
        }
    }
}

/* Of 40 bytes 28 are learned from, of ten lines seven. What is held out is
   zqzq... in a and l, mnmn... in b, c and m; all but c begin alike. How many
   tokens a word has says whether its letters were merged. */
LAW(merges_are_those_of_what_is_learned_from)
{
#define SEVEN "low\tlow\nlow\tlow\nlow\tlow\nlow\tlow\nhi\thi\nhi\thi\nhi\thi\n"
    static const struct { Task task; const char *files, *word; bool merged;
                          const char *alike; } row[] = {
        { TRAIN_D, "a", "zq", false, "b" }, { TRAIN_D, "a", "low", true, "b" },
        { TRAIN_D, "c", "low", false, "c" },
        { TRAIN_D, "c", "high", true, "c" },
        { TRAIN_ED, "l", "zq", false, "m" },
        { TRAIN_ED, "l", "low", true, "m" },
        { TRAIN_ED, "l", "hi", true, "m" },
        { TRAIN_CLASS, "l", "zq", false, "m" },
        { TRAIN_CLASS, "l", "low", true, "m" },
    };
    write_text("a", "lower lowest low lower lowe zqzqzqzqzqzq");
    write_text("b", "lower lowest low lower lowe mnmnmnmnmnmn");
    write_text("c", "high higher highest high hi mnmnmnmnmnmn");
    write_text("l", SEVEN "zq\tzq\nzq\tzq\nzq\tzq\n");
    write_text("m", SEVEN "mn\tmn\nmn\tmn\nmn\tmn\n");
    for (int k = 0; k < 9; k++) {
        Corpus c = corpus_of(row[k].task, BYTE_PAIRS, 0.3, row[k].files);
        const int letters = (int)strlen(row[k].word),
                  tokens = tokens_of(c.tokenizer, row[k].word).length - 2;
        assert_same_tokenizer(c.tokenizer, corpus_of(row[k].task, BYTE_PAIRS,
                              0.3, row[k].alike).tokenizer);
        if ((tokens < letters) != row[k].merged)
            fail_at(HERE(row[k].files), "%s: %d tokens", row[k].word, tokens);
    }
}

/* A character or a word of the held-out part would else have no number; the
   mark of UTF-8 and the ends of lines of DOS are none of a line, as they are
   of a text. */
LAW(characters_and_words_are_those_of_everything)
{
    static const struct { Task task; TokenKind kind; const char *text;
                          int n; } row[] = {
        { TRAIN_D, CHARACTERS, "a a a a a a a a a b", 3 },
        { TRAIN_D, WORDS, "a a a a a a a a a b", 2 },
        { TRAIN_ED, CHARACTERS, "a\tc\na\td\na\tc\na\tc\nb\te\n", 5 },
        { TRAIN_ED, WORDS, "a\tc\na\td\na\tc\na\tc\nb\te\n", 5 },
        { TRAIN_CLASS, CHARACTERS, "a\tc\na\td\na\tc\na\tc\nb\te\n", 3 },
        { TRAIN_CLASS, WORDS, "a\tc\na\td\na\tc\na\tc\nb\te\n", 3 },
        { TRAIN_CLASS, CHARACTERS, "\xEF\xBB\xBF" "o\t1\r\ne\t2\r\no\t3", 3 },
        { TRAIN_ED, CHARACTERS, "\xEF\xBB\xBF" "1\t1\n2\t2\n", 2 },
        { TRAIN_D, CHARACTERS, "\xEF\xBB\xBF" "1\n2\n", 4 },
        { TRAIN_ED, WORDS, "one two\t1 2\r\nten ten\t3 4\r\n", 7 },
        { TRAIN_ED, BYTE_PAIRS, "a\tb\nc\td\ne\tf\nefef\tefe\n", 256 },
    };
    for (int k = 0; k < 11; k++) {
        write_text("a", row[k].text);
        Corpus c = corpus_of(row[k].task, row[k].kind, 0.3, "a");
        if (c.tokenizer->N_V != row[k].n + 3)
            fail_at(HERE(row[k].text), "%d", c.tokenizer->N_V - 3);
    }
}

/* Of words, a side may end with a blank already. */
LAW(a_blank_at_the_end_of_a_side_is_its_own)
{
    write_text("a", "one \tun \ntwo\tdeux\none\tun\n");
    Corpus c = corpus_of(TRAIN_ED, WORDS, 0, "a");
    assert_int_equal(c.tokenizer->N_V, 4 + 3);
    assert_same_tokens(c.train.z[1], c.train.z[3]);
}

/* How it is trained, the text of t, and words. */
LAW(data_that_cannot_be_learned_are_refused)
{
    char *many = arena_alloc(arena, 20000), *end = many;
    for (Rows row = rows_of("files.txt", "data that cannot be learned");
         next_row(&row); ) {
        write_text("t", row.field[1]);
        refused_by(HERE(row.field[2]), ftx("train %s --model m t",
                                           row.field[0]), row.field[2]);
        assert_that(access("m", F_OK) != 0);
    }
    assert_refused(ftx("train d --model m none"),
                   "none: cannot be opened: No such file");
    for (int k = 0; k <= 1000; k++)
        end += sprintf(end, "%d\tx\n", k);
    write_text("t", many);
    assert_refused(ftx("train class --model m t"),
                   "t:1001:1: the label | is new; 1000 are all");
    write_bytes("t", "a\tb\nc\0d\te\n", 10);
    assert_refused(ftx("train class --model m t"),
                   "t:2:1: a label is a text; this one has a byte 0.");
    write_text("t", "ab\ncd\xFFg");
    TRAIN("d " SMALL "--steps 1 --tokens bpe --model m t");
}

/* Words 1 to 4 are "one ", "two ", "three " and "four ". */
LAW(a_field_is_encoded_as_it_was_learned)
{
    static const struct { const char *text; Task task; int n, id[6];
                          const char *error; } row[] = {
        { "three two", TRAIN_ED, 4, { 6, 3, 2, 7 }, "" },
        { "three two ", TRAIN_D, 3, { 6, 3, 2 }, "" },
        { "", TRAIN_D, 1, { 6 }, "" },
        { "one two one two one", TRAIN_D, 6, { 6, 1, 2, 1, 2, 1 }, "" },
        { "[gap] two [gap]", TRAIN_E, 5, { 6, 5, 2, 5, 7 }, "" },
        { "[gap][gap] one", TRAIN_E, 5, { 6, 5, 5, 1, 7 }, "" },
        { "one [gap] six", TRAIN_E, 0, { 0 }, "test:1:11: there is no "
          "token for this word 'six'; leave it out," },
        { "one six", TRAIN_ED, 0, { 0 }, "test:1:5: there is no token" },
        { "one one one one one", TRAIN_ED, 0, { 0 }, "test:1:1: this has "
          "7 tokens, special ones included; ell_max is 6." },
        { "one one one one one one", TRAIN_D, 0, { 0 }, "test:1:1: this "
          "has 7 tokens, special ones included; ell_max is 6." },
        { "[gap][gap][gap][gap][gap]", TRAIN_E, 0, { 0 }, "test:1:1: this "
          "has 7 tokens, special ones included; ell_max is 6." },
    };
    static const char text[] = "one two three four ";
    const Tokenizer *t;
    size_t where;
    assert_that(tokenizer_train(arena, WORDS, text, strlen(text), 0, &t,
                                &where) == NULL);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const char *error, *typed = row[k].text;
        const size_t n = strlen(typed);
        Tokens x;
        TRY(error, f, f->text = typed;
            x = encode_field(t, arena, typed, n, 6, row[k].task, f));
        if (strncmp(error, row[k].error, strlen(row[k].error)) != 0
            || (*error != '\0') != (*row[k].error != '\0'))
            fail_at(HERE(row[k].text), "'%s'", error);
        if (*error == '\0')
            assert_same_tokens(x, ((Tokens){ row[k].n, row[k].id }));
    }
    static const char lines[] = "tokenizer numbers 4\nspecial none none none\n";
    const char *error, *from = lines;
    t = tokenizer_load(arena, &from, lines + strlen(lines));
    TRY(error, f, f->text = ""; encode_field(t, arena, f->text, 0, 6, TRAIN_D, f));
    assert_string_equal(error, "test:1:1: this has no token, and the model has "
                        "no bos_token to begin with.");
}
