/* ftx generate, translate, fill, classify and show --model. */
#include "command.h"

/* What is saved need not outlast the machine. */
int fsync(int file)
{
    (void)file;
    return 0;
}

#define SMALL "--d_e", "8", "--H", "2", "--ell_max", "16", "--batch", "4"

static char *sentences(const char *name)
{
    char *text = arena_alloc(arena, 2000);
    size_t n = 0;
    for (int k = 0; k < 30; k++)
        n += (size_t)sprintf(text + n, "%d sheep and %d goats <in> Ä\n", k,
                             k * k);
    return write_text(name, text);
}

static char *even_and_odd(const char *name)
{
    char *text = arena_alloc(arena, 2000);
    size_t n = 0;
    for (int k = 0; k < 60; k++)
        n += (size_t)sprintf(text + n, "%s\t%d\n",
                             k % 2 == 0 ? "even" : "odd", k);
    return write_text(name, text);
}

static char *a_model(char *task, char *steps, char *data, char *tokens)
{
    char *name = path(task);
    bool ed = strcmp(task, "ed") == 0;
    Said s = SAID(train, task, SMALL, "--steps", steps, "--eta", "0.02",
                  "--warm_up", "5", "--tokens", tokens, "--replace",
                  "--model", name, ed ? "--L_enc=1" : "--L=1",
                  ed ? "--L_dec=2" : "--L=1", data);
    assert_says(s, "saved\n");
    return name;
}

/* Each test has its own. */
static char *d(void) { return a_model("d", "30", sentences("t"), "char"); }
static char *e(void) { return a_model("e", "30", sentences("t"), "char"); }
static char *ed(void) { return a_model("ed", "60", pairs("p", 60), "char"); }
static char *class(void)
{
    return a_model("class", "30", even_and_odd("l"), "char");
}

static void type_in(const char *bytes)
{
    assert_that(freopen(write_text("typed", bytes), "r", stdin) != NULL);
}

static Tokens tokens_in(const Model *m, const char *text)
{
    Tokens x;
    size_t where;
    assert_that(encode_text(m->tokenizer, arena, text, strlen(text), &x,
                            &where) == NULL);
    return with_bos_eos(arena, x, tokenizer_size(m->tokenizer));
}

static int characters(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

#define assert_both_say(a, b) both_say(HERE(#a " and " #b), a, b)
static void both_say(Where where, Said a, Said b)
{
    if (a.status != 0 || b.status != 0 || strcmp(a.out, b.out) != 0
        || strcmp(a.err, b.err) != 0)
        fail_at(where, "\n%s%sbut\n%s%s", a.out, a.err, b.out, b.err);
}

/* --------------------------------------------------------- the examples */

/* Words are parted by blanks; some stand in quotes. */
static int words_of(char *line, char *word[])
{
    int n = 0;
    for (char *p = line; *p != '\0'; ) {
        char end = *p == '\'' ? '\'' : ' ';
        word[n++] = p += end == '\'';
        p += strcspn(p, (char[]){ end, '\0' });
        if (*p != '\0')
            *p++ = '\0';
        p += *p == ' ';
    }
    return n;
}

static Said obeyed(char *line)
{
    static const struct { const char *name; Entrance *command; } all[] = {
        { "train", train }, { "generate", generate }, { "fill", fill_texts },
        { "translate", translate }, { "classify", classify_texts },
        { "show", show_inside },
    };
    char *word[40];
    int n;
    if (strncmp(line, "ftx ", 4) != 0)
        return (Said){ .status = system(line), .out = "", .err = "" };
    n = words_of(line, word);
    for (int k = 0; k < n; k++)
        if (strcmp(word[k], "100") == 0)
            word[k] = "2";              /* steps, since time is short */
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(word[1], all[k].name) == 0)
            return said_by(all[k].command, n - 2, word + 2);
    return (Said){ .status = 2, .out = "", .err = "no such command" };
}

/* Obeys the lines behind "For example:" in a directory where there is
   README.md; the last one's output. */
static Said example_of(Said help)
{
    char here[1000], *line, *rest;
    char copy[300];
    assert_says(help, "For example:\n\n  ");
    snprintf(copy, sizeof copy, "cp README.md %s", directory());
    assert_that(system(copy) == 0 && getcwd(here, sizeof here) != NULL);
    rest = strstr(help.out, "For example:\n\n  ") + 14;
    Said s = { .out = "", .err = "" };
    assert_that(chdir(directory()) == 0);
    while (s.status == 0 && strncmp(rest, "  ", 2) == 0) {
        line = rest + 2;
        rest = strchr(line, '\n') + 1;
        rest[-1] = '\0';
        s = obeyed(line);
    }
    remove("hello.ftx");
    remove("hello.ftx.tsv");
    remove("hello.ftx.svg");
    assert_that(chdir(here) == 0);
    assert_says(s, "\n");
    return s;
}

static void the_examples_of_the_help_work(void **state)
{
    (void)state;
    Said s = example_of(SAID(generate, "--help"));
    assert_int_equal(characters(s.out), 41);
    assert_string_equal(example_of(SAID(translate, "--help")).out, "two\n");
    s = example_of(SAID(fill_texts, "--help"));
    assert_that(strncmp(s.out, "the al", 6) == 0);
    assert_that(strstr(s.out, "orithm\n  token 8:  ") != NULL);
    s = example_of(SAID(classify_texts, "--help"));
    assert_that(strncmp(s.out, "odd  odd 0.", 11) == 0);
    s = example_of(SAID(show_inside, "--model", "--help"));
    assert_int_equal(times(s.out, "\nlayer 2 "), 1);
    assert_int_equal(times(s.out, "\nwithout set "), 1);
}

/* ------------------------------------------------------------- generate */

#define GENERATE(...) SAID(generate, "--model", __VA_ARGS__)

static void memory_changes_no_text(void **state)
{
    (void)state;
    char *m = d();
#define SAME_TEXT(...) \
    assert_both_say(GENERATE(m, __VA_ARGS__), \
                    GENERATE(m, __VA_ARGS__, "--no-memory"))
    SAME_TEXT("1 sh");
    SAME_TEXT("1 sh", "--slide", "1", "--ell_gen", "40", "--seed", "2");
    SAME_TEXT("", "--slide", "16", "--special", "--tau", "2");
    SAME_TEXT("1 sheep", "--tau", "0");
    SAME_TEXT("1 sheep", "--top_k", "4", "--top_p", "0.7", "--show-tokens");
}

/* p, q and the token for each number, by the library. */
static void a_token_follows_from_its_number(void **state)
{
    (void)state;
    char *name = d(), expected[200];
    Model *m = model_in(name);
    Said s = GENERATE(name, "1 sh", "--show-tokens", "--u", "0.1,0.5,0.93");
    Said same = GENERATE(name, "1 sh", "--u", "0.1,0.5,0.93");
    Tokens x = tokens_in(m, "1 sh");
    int *id = arena_alloc(arena, sizeof(int) * 8);
    memcpy(id, x.id, sizeof(int) * 5);
    const char *line = s.out;
    assert_int_equal(times(s.out, "\n"), 3);
    for (int k = 0; k < 3; k++) {
        Mat P = dtransformer(quiet, (Tokens){ 5 + k, id }, m->theta);
        Mat p = column_at(P, P->cols), q = without_special(p, false);
        int y = sample(q, (double[]){ 0.1, 0.5, 0.93 }[k]);
        Piece piece = token_piece(m->tokenizer, y);
        int n = snprintf(expected, sizeof expected, "p %.6f  q %.6f  ",
                         (double)AT(p, y, 1), (double)AT(q, y, 1));
        assert_that(strncmp(line, expected, (size_t)n) == 0);
        assert_that(AT(p, y, 1) < AT(q, y, 1));
        assert_that(memcmp(same.out, piece.at, (size_t)piece.n) == 0);
        same.out += piece.n;
        line = strchr(line, '\n') + 1;
        id[5 + k] = y;
    }
    assert_string_equal(same.out, "\n");
}

static void a_text_has_as_many_tokens_as_were_asked_for(void **state)
{
    (void)state;
    char *m = d();
    assert_int_equal(characters(GENERATE(m).out), 201);
    assert_int_equal(characters(GENERATE(m, "--ell_gen", "7").out), 8);
    assert_string_equal(GENERATE(m, "--ell_gen", "0", "3").out, "\n");
    assert_int_equal(times(GENERATE(m, "--ell_gen", "9",
                                          "--show-tokens").out, "\n"), 9);
}

/* The last tokens are mask_token, bos_token and eos_token. */
static void special_tokens_only_where_they_are_wanted(void **state)
{
    (void)state;
    char *m = d();
#define LAST(...) \
    GENERATE(m, "--tau", "inf", "--show-tokens", "--u", \
             "0.99999,0.99999,0.1", __VA_ARGS__).out
    assert_int_equal(times(LAST("--special"), "<eos>\n"), 2);
    assert_int_equal(times(LAST("--special"), "\n"), 3);
    assert_int_equal(times(LAST("--special", "--stop"), "\n"), 1);
    assert_int_equal(times(LAST("--stop"), "<eos>\n"), 1);
    assert_int_equal(times(LAST("--stop"), "\n"), 1);
    Model *it = model_in(m);
    Piece piece = token_piece(it->tokenizer, it->theta->hyper.N_V - 3);
    char last[20];
    snprintf(last, sizeof last, "  %.*s\n", piece.n, piece.at);
    assert_int_equal(times(LAST("--stop=no"), last), 2);
    assert_int_equal(times(LAST("--stop=no"), "<"), 0);
    Said s = GENERATE(m, "--special", "--show-tokens", "--ell_gen", "5");
    double p, q;
    const char *line = s.out;
    for (int k = 0; k < 5; k++, line = strchr(line, '\n') + 1) {
        assert_that(sscanf(line, "p %lf  q %lf", &p, &q) == 2);
        assert_that(p == q && p > 0);
    }
}

static void tau_0_is_the_most_probable_token(void **state)
{
    (void)state;
    char *m = d();
    Said greedy = GENERATE(m, "2 ", "--tau", "0", "--ell_gen", "30");
    assert_both_say(greedy, GENERATE(m, "2 ", "--top_k", "1", "--seed", "9",
                                     "--ell_gen", "30"));
    assert_both_say(greedy, GENERATE(m, "2 ", "--top_p", "1e-9", "--seed",
                                     "8", "--ell_gen", "30"));
    Said s = GENERATE(m, "2 ", "--ell_gen", "30");
    assert_both_say(s, GENERATE(m, "2 ", "--ell_gen", "30", "--seed", "1"));
    assert_that(strcmp(s.out, GENERATE(m, "2 ", "--ell_gen", "30", "--seed",
                                       "2").out) != 0);
    assert_that(strcmp(s.out, greedy.out) != 0);
    assert_that(strcmp(s.out, GENERATE(m, "2 ", "--ell_gen", "30", "--tau",
                                       "0.5").out) != 0);
}

static size_t peak(Said s)
{
    size_t bytes = 0;
    assert_that(s.status == 0);
    assert_that(sscanf(s.err, "peak: %zu bytes, and the model\n", &bytes)
                == 1);
    return bytes;
}

static void a_long_text_takes_no_more_memory(void **state)
{
    (void)state;
    char *m = d();
    size_t bytes = peak(GENERATE(m, "--peak", "--ell_gen", "30"));
    assert_that(bytes > 0);
    assert_that(bytes == peak(GENERATE(m, "--peak", "--ell_gen", "300")));
    assert_that(*GENERATE(m, "--ell_gen", "3").err == '\0');
}

/* ell_max is 16, and half of it slides where nothing else is said. */
static void the_front_slides_out_of_sight(void **state)
{
    (void)state;
    char *m = d();
    Said s = GENERATE(m, "1 sheep", "--ell_gen", "60");
    assert_both_say(s, GENERATE(m, "1 sheep", "--ell_gen", "60", "--slide",
                                "8"));
    assert_that(strcmp(s.out, GENERATE(m, "1 sheep", "--ell_gen", "60",
                                       "--slide", "5").out) != 0);
    const char *longer = GENERATE(m, "1 sheep", "--ell_gen", "40").out;
    for (int n = 1; n < 20; n++) {
        char length[10];
        snprintf(length, sizeof length, "%d", n);
        Said fewer = GENERATE(m, "1 sheep", "--ell_gen", length);
        const size_t bytes = strcspn(fewer.out, "\n");
        if (fewer.status != 0 || strncmp(fewer.out, longer, bytes) != 0)
            fail_at(HERE(length), "%s%s, not %s", fewer.out, fewer.err,
                    longer);
    }
    Said odd = SAID(train, "d", SMALL, "--steps", "9", "--tokens", "char",
                    "--ell_max", "13", "--L=1", "--model", path("odd"),
                    path("t"));
    assert_says(odd, "saved\n");
    assert_both_say(GENERATE(path("odd"), "1", "--ell_gen", "60", "--tau",
                             "2"),
                    GENERATE(path("odd"), "1", "--ell_gen", "60", "--tau",
                             "2", "--slide", "7"));
    Said cut = GENERATE(m, "10 sheep and 100 goats", "--slide", "10");
    assert_that(cut.status == 0 && characters(cut.out) == 201);
    assert_both_say(cut, GENERATE(m, "11 sheep and 100 goats", "--slide",
                                  "10"));
    assert_that(GENERATE(m, "1 sheep and 100").status == 0);
    assert_refusal(GENERATE(m, "1 sheep and 1000"), "ftx generate: the "
                   "prompt has 17 tokens with bos; ell_max is 16. Give a "
                   "shorter one, or --slide N.");
    assert_refusal(GENERATE(m, "--slide", "17"), "ftx generate: --slide is "
                   "17; it must be at most ell_max, 16.");
}

static void a_prompt_is_typed_or_read(void **state)
{
    (void)state;
    char *m = d();
    Said s = GENERATE(m, "3 sheep");
    type_in("3 sheep\n");
    assert_both_say(s, GENERATE(m, "-"));
    type_in("3 sheep");
    assert_both_say(s, GENERATE(m, "-"));
    type_in("3 sheep\r\n");
    assert_both_say(s, GENERATE(m, "-"));
    assert_that(strcmp(s.out, GENERATE(m, "and goats").out) != 0);
    assert_both_say(GENERATE(m), GENERATE(m, ""));
    type_in("3 sheep\n4 goats\n@");
    assert_refusal(GENERATE(m, "-"), "standard input:3:1: there is no "
                   "token for this character.");
    type_in("");
    assert_refusal(GENERATE(m, "-"), "standard input: is empty.");
}

static void words_keep_the_blanks_behind_them(void **state)
{
    (void)state;
    char *m = a_model("d", "9", sentences("t"), "word");
    assert_that(GENERATE(m, "1 sheep", "--ell_gen", "3").status == 0);
    assert_both_say(GENERATE(m, "1 sheep"), GENERATE(m, "1 sheep "));
    assert_that(GENERATE(m, "--ell_gen", "3").status == 0);
    m = a_model("e", "9", sentences("t"), "word");
    Said s = SAID(fill_texts, "--model", m, "1 [gap] and 1 [gap]");
    assert_that(s.status == 0 && strncmp(s.out, "1 ", 2) == 0);
    assert_that(strstr(s.out, "and 1 ") != NULL);
    assert_int_equal(times(s.out, "\n  token "), 2);
}

/* ------------------------------------------------------------ translate */

#define TRANSLATE(...) SAID(translate, "--model", __VA_ARGS__)

static void lines_are_translated_one_by_one(void **state)
{
    (void)state;
    char *name = ed();
    Model *m = model_in(name);
    Inference how = { .tau = 0, .no_special = true };
    bool ended;
    size_t n;
    Tokens x = inference_15(quiet, arena, tokens_in(m, "ba"), m->theta, &how,
                           &ended);
    const char *text = decode_text(m->tokenizer, arena, x, &n);
    Said s = TRANSLATE(name, "ba");
    assert_that(strncmp(s.out, text, n) == 0 && s.out[n] == '\n');
    assert_int_equal(ended, *s.err == '\0');
    type_in("ba\nca\nab");
    assert_both_say(TRANSLATE(name, "ba", "ca", "ab"), TRANSLATE(name));
    assert_that(strncmp(s.out, TRANSLATE(name, "ba", "ca").out, n + 1) == 0);
    assert_both_say(s, TRANSLATE(name, "ba", "--tau", "1", "--top_k", "1"));
}

static void a_translation_that_does_not_end_is_said_to_be_cut(void **state)
{
    (void)state;
    char *m = ed();
    Said s = TRANSLATE(m, "ba", "ab", "--ell_gen", "1");
    assert_that(s.status == 0 && strlen(s.out) == 4);
    assert_string_equal(s.err,
        "ftx translate: remark: eos_token did not come; the translation is "
        "cut after token 1.\nftx translate: remark: eos_token did not "
        "come; the translation is cut after token 1.\n");
    s = TRANSLATE(m, "ba", "--ell_gen", "1", "--beam", "2");
    assert_int_equal(times(s.err, "did not come"), 1);
    assert_refusal(TRANSLATE(m, "ba", "--ell_gen", "17"), "ftx translate: "
                   "--ell_gen is 17; it must be at most ell_max, 16.");
}

/* Whatever is drawn, two tokens are two characters, unless it ended. */
static void a_translation_has_no_special_tokens(void **state)
{
    (void)state;
    char *m = ed(), seed[12];
    int cut = 0;
    for (int k = 1; k <= 20; k++) {
        snprintf(seed, sizeof seed, "%d", k);
        Said s = TRANSLATE(m, "ba", "--tau", "inf", "--ell_gen", "2",
                           "--seed", seed);
        if (*s.err != '\0')
            assert_int_equal(characters(s.out), 3);
        cut += *s.err != '\0';
    }
    assert_that(cut > 0 && cut < 20);
}

static void a_beam_of_one_is_greedy_and_a_wider_one_the_library_s(
    void **state)
{
    (void)state;
    char *name = ed();
    Model *m = model_in(name);
    size_t n;
    Beam how = { 4, 0.7, 0, true };
    Hypothesis best[4];
    for (int k = 0; k < 3; k++) {
        char *z = (char *[]){ "ba", "cc", "ac" }[k];
        assert_both_say(TRANSLATE(name, z), TRANSLATE(name, z, "--beam",
                                                      "1"));
        beam_search(quiet, arena, tokens_in(m, z), m->theta, &how, best);
        const char *x = decode_text(m->tokenizer, arena, best[0].x, &n);
        Said s = TRANSLATE(name, z, "--beam", "4", "--alpha", "0.7");
        assert_that(strncmp(s.out, x, n) == 0 && s.out[n] == '\n');
    }
}

/* ----------------------------------------------------------------- fill */

#define FILL(...) SAID(fill_texts, "--model", __VA_ARGS__)

static void guesses_come_in_the_order_of_their_probabilities(void **state)
{
    (void)state;
    char *name = e(), *expected;
    size_t n;
    Model *m = model_in(name);
    int y[4], *id = arena_alloc(arena, 9 * sizeof *id);
    Tokens x = tokens_in(m, "s sheep");
    memcpy(id, x.id, 9 * sizeof *id);
    id[1] = id[5] = mask_token(m->theta->hyper.N_V);
    Mat P = etransformer(quiet, (Tokens){ 9, id }, m->theta);
    FILE *out = open_memstream(&expected, &n);
    for (int t = 2; t <= 6; t += 4) {
        ranked(column_at(P, t), 4, y);
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
    Said s = FILL(name, "[gap] sh[gap]ep", "--top", "4");
    const char *filled = decode_text(m->tokenizer, arena, (Tokens){ 9, id },
                                     &n);
    assert_that(s.status == 0 && strncmp(s.out, filled, n) == 0);
    assert_string_equal(s.out + n + 1, expected);
    free(expected);
}

/* Where a and b alternate, it is clear what is missing. */
static void each_gap_gets_its_own_guess(void **state)
{
    (void)state;
    char text[801];
    for (int k = 0; k < 800; k++)
        text[k] = "ab"[k % 2];
    text[800] = '\0';
    char *m = a_model("e", "60", write_text("t", text), "char");
    assert_says(FILL(m, "[gap]ba[gap]a", "--top", "1"), "ababa\n"
                "  token 2:  a 0.");
}

static void gaps_stand_anywhere_and_look_as_one_likes(void **state)
{
    (void)state;
    char *m = e();
    Said s = FILL(m, "[gap]", "a[gap][gap]", "an[gap]");
    assert_int_equal(times(s.out, "  token 2:"), 1);
    assert_int_equal(times(s.out, "  token 3:"), 1);
    assert_int_equal(times(s.out, "  token 4:"), 2);
    assert_both_say(s, FILL(m, "--gap", "_", "_", "a__", "an_"));
    type_in("[gap]\na[gap][gap]\nan[gap]");
    assert_both_say(s, FILL(m));
    int N_V = model_in(m)->theta->hyper.N_V;
    s = FILL(m, "an[gap]", "--top", "1000000");
    assert_int_equal(times(s.out, " 0."), N_V);
    assert_int_equal(times(s.out, "<mask>"), 1);
}

/* ------------------------------------------------------------- classify */

#define CLASSIFY(...) SAID(classify_texts, "--model", __VA_ARGS__)

static void the_probabilities_of_the_classes_sum_to_1(void **state)
{
    (void)state;
    char *name = class(), first[20];
    Model *m = model_in(name);
    type_in("12\n7\n31\n");
    Said s = CLASSIFY(name);
    assert_both_say(s, CLASSIFY(name, "12", "7", "31"));
    const char *line = s.out;
    for (int k = 0; k < 3; k++, line = strchr(line, '\n') + 1) {
        double even, odd;
        assert_that(sscanf(line, "%19s even %lf odd %lf\n", first, &even,
                           &odd) == 3);
        Mat P = classify(quiet, tokens_in(m, (char *[]){ "12", "7", "31" }[k]),
                         m->theta);
        assert_near(even, AT(P, 1, 1), 5.1e-5);
        assert_near(odd, AT(P, 2, 1), 5.1e-5);
        assert_near(even + odd, 1, 1.1e-4);
        assert_string_equal(first, even >= odd ? "even" : "odd");
    }
    assert_string_equal(line, "");
}

/* --------------------------------------------------------- show --model */

#define SHOW(...) SAID(show_inside, "--model", __VA_ARGS__)

/* The weight of key i for query j in the k-th picture, counted from 1, of
   a decoder that sees n tokens. */
static double drawn_weight(const char *svg, int k, int i, int j)
{
    char title[60];
    snprintf(title, sizeof title, "key t_z = %d, query t_x = %d: ", i, j);
    for (; k > 0 && svg != NULL; k--) {
        svg = strstr(svg, title);
        svg += svg == NULL ? 0 : strlen(title);
    }
    assert_that(svg != NULL);
    return atof(svg);
}

static void a_picture_has_the_weights_of_a_head(void **state)
{
    (void)state;
    char *m = d(), *svg = path("a.svg");
    Said s = SHOW(m, "3 <", "--svg", svg);
    size_t n = 0;
    assert_says(s, "a.svg: the weights of 2 heads\n");
    const char *text = bytes_of(svg, &n);
    assert_int_equal(times(text, "fill-opacity"), 2 * 4 * 4);
    for (int k = 1; k <= 2; k++)
        for (int j = 1; j <= 4; j++) {
            double sum = 0;
            for (int i = 1; i <= 4; i++) {
                double w = drawn_weight(text, k, i, j);
                assert_that(i <= j ? w > 0 : w == 0);
                sum += w;
            }
            assert_near(sum, 1, 2.1e-4);
        }
    assert_that(drawn_weight(text, 1, 1, 4) != drawn_weight(text, 2, 1, 4));
    assert_int_equal(times(text, ">&#60;bos&#62;</text>"), 2 * 2);
    assert_int_equal(times(text, ">&#60;eos&#62;</text>"), 0);
    assert_int_equal(times(text, ">&#60;</text>"), 2 * 2);
}

static void a_terminal_gets_the_same_heads(void **state)
{
    (void)state;
    Said s = SHOW(d(), "Ä 3", "--attention");
    assert_says(s, "layer 1, head 1\n        <       \n        b       \n"
                "        o       \n        s       \n        > Ä ␣ 3 \n"
                "  <bos> ██");
    assert_says(s, "\nlayer 1, head 2\n");
    assert_says(s, "\n      Ä   ");
    assert_says(s, "\n\ndown: key t_z; across: query t_x; each column sums "
                "to 1\n");
    s = SHOW(e(), "--attention", "3");
    assert_says(s, "\n  <eos> ");
    s = SHOW(class(), "--attention", "3");
    assert_int_equal(times(s.out, "layer 1, head "), 2);
}

/* A model of layer 1 in the encoder and 1 and 2 in the decoder. */
static void an_encoder_and_a_decoder_have_three_kinds_of_heads(void **state)
{
    (void)state;
    char *m = ed();
    Said s = SHOW(m, "--attention", "ba");
    assert_int_equal(times(s.out, "encoder layer 1, head "), 2);
    for (int k = 1; k <= 2; k++) {
        char title[60];
        snprintf(title, sizeof title, "\ndecoder layer %d, head 2\n", k);
        assert_int_equal(times(s.out, title), 1);
        snprintf(title, sizeof title, "cross-attention layer %d, head 1\n",
                 k);
        assert_int_equal(times(s.out, title), 1);
    }
    assert_int_equal(times(s.out, ", head "), 2 * 5);
    s = SHOW(m, "ba", "--attention", "--layer", "2", "--head", "1");
    assert_int_equal(times(s.out, ", head "), 2);
    assert_says(s, "decoder layer 2, head 1\n");
    assert_says(s, "cross-attention layer 2, head 1\n");
}

/* Keys are the tokens of z, queries those of x: the shapes tell. */
static void cross_attention_looks_from_x_to_z(void **state)
{
    (void)state;
    char *name = ed(), *svg = path("a.svg");
    Model *m = model_in(name);
    Inference how = { .tau = 0, .no_special = true };
    Tokens z = tokens_in(m, "b");
    Tokens x = inference_15(quiet, arena, z, m->theta, &how, NULL);
    size_t n = 0;
    int length = 2, own = 0;
    for (int t = 1; t <= length; t++)
        own += TOKEN(x, t) == TOKEN(z, 2);
    assert_that(x.length > length);
    assert_says(SHOW(name, "b", "--layer", "1", "--turn", "2", "--svg", svg),
                "6 heads");
    const char *text = bytes_of(svg, &n);
    assert_int_equal(times(text, "fill-opacity"),
                     2 * (9 + length * length + 3 * length));
    assert_int_equal(times(text, ">b</text>"), 2 * (2 + 2 * own + own + 1));
}

/* A model that has hardly learned anything but that c follows on c. */
static void a_translation_without_end_is_shown_up_to_ell_max(void **state)
{
    (void)state;
    char *svg = path("a.svg");
    char *name = a_model("ed", "9", write_text("p", "a\tcccccccccccccc\n"
                         "b\tcccccccccccccc\na\tcccccccccccccc\n"),
                         "char");
    assert_int_equal(times(TRANSLATE(name, "a").err, "did not come"), 1);
    size_t n = 0;
    assert_says(SHOW(name, "a", "--layer", "2", "--svg", svg), "4 heads");
    assert_int_equal(times(bytes_of(svg, &n), "fill-opacity"),
                     2 * (16 * 16 + 3 * 16));
}

static void a_picture_replaces_a_file_at_once(void **state)
{
    (void)state;
    char *m = d(), *svg = path("a.svg"), sentence[300];
    size_t n = 0;
    assert_that(SHOW(m, "3", "--svg", svg).status == 0);
    const char *whole = bytes_of(svg, &n);
    assert_that(strstr(whole, "\n<svg ") != NULL);
    assert_refusal(SHOW(m, "3", "--svg", svg, "--head", "3"), "ftx show: "
                   "there is no such layer or head: the model has 1 layer "
                   "and 2 heads in all.");
    assert_string_equal(bytes_of(svg, &n), whole);
    assert_that(SHOW(m, "3", "--svg", svg, "--head", "1").status == 0);
    assert_that(strlen(bytes_of(svg, &n)) < strlen(whole));
    snprintf(sentence, sizeof sentence, "%s: cannot be written: No such "
             "file or directory; what was there is as it was.",
             path("no/a.svg"));
    assert_refusal(SHOW(m, "3", "--svg", path("no/a.svg")), sentence);
    assert_that(mkfifo(path("fifo"), 0600) == 0);
    snprintf(sentence, sizeof sentence, "%s: cannot be written: it is not a "
             "file.", path("fifo"));
    assert_refusal(SHOW(m, "3", "--svg", path("fifo")), sentence);
}

/* A model, a picture by another program, and nothing. */
static void a_picture_replaces_nothing_else(void **state)
{
    (void)state;
    char *m = d(), sentence[300];
    char *other[] = {
        m, write_text("notes", "precious"), write_text("empty", ""),
        write_text("other.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\">"
                   "</svg>\n"),
        write_text("near", "<!-- ftx show: attention --"),
    };
    for (int k = 0; k < 5; k++) {
        size_t n = 0;
        const char *was = bytes_of(other[k], &n);
        snprintf(sentence, sizeof sentence, "ftx show: --svg %s is there "
                 "already, and was not drawn by this command; it is not "
                 "written over.", other[k]);
        assert_refusal(SHOW(m, "3", "--svg", other[k]), sentence);
        size_t now = 0;
        assert_that(memcmp(bytes_of(other[k], &now), was, n) == 0
                    && now == n);
    }
}

/* The text behind a JSON key, up to a quotation mark; a copy. */
static char *behind(const char *json, const char *key)
{
    const char *from = strstr(json, key);
    assert_that(from != NULL);
    from += strlen(key);
    size_t n = strcspn(from, "\"");
    char *copy = arena_alloc(arena, n + 1);
    memcpy(copy, from, n);
    copy[n] = '\0';
    return copy;
}

/* Turn after turn, what is added is what ftx translate writes. */
static void every_turn_of_a_translation_adds_its_token(void **state)
{
    (void)state;
    char *m = ed(), written[200] = "", turn[20], key[120];
    Said whole = TRANSLATE(m, "ba"), last = SHOW(m, "ba", "--json");
    int turns = atoi(behind(last.out, "\"turns\": "));
    assert_that(turns >= 1);
    for (int k = 1; k <= turns; k++) {
        snprintf(turn, sizeof turn, "%d", k);
        Said s = SHOW(m, "ba", "--json", "--turn", turn);
        assert_that(s.status == 0);
        assert_that(atoi(behind(s.out, "\"turn\": ")) == k);
        assert_says(s, "\"z\": [\"<bos>\", \"b\", \"a\", \"<eos>\"]");
        snprintf(key, sizeof key, "\"line\": 6, \"name\": \"q\", \"index\": "
                 "null, \"turn\": %d, ", k);
        assert_int_equal(times(s.out, key), 1);
        snprintf(key, sizeof key, "\"line\": 21, \"name\": \"P\", \"index\": "
                 "null, \"turn\": %d, \"rows\": %d, \"cols\": %d,", k,
                 model_in(m)->theta->hyper.N_V, k);
        assert_int_equal(times(s.out, key), 1);
        char *y = behind(s.out, "\"y\": \"");
        if (strcmp(y, "<eos>") != 0)
            strcat(written, y);
        if (k == turns)
            assert_both_say(s, last);
    }
    strcat(written, "\n");
    assert_string_equal(written, whole.out);
    assert_int_equal(times(last.out, "\"ended\": true"), *whole.err == '\0');
}

/* Its file is of format 1, from before some hyperparameters. */
static void the_model_in_the_page_names_numbers(void **state)
{
    (void)state;
    assert_says(TRANSLATE("doc/numbers.ftx", "4217", "3000"), "four thousand "
                "two hundred seventeen\nthree thousand\n");
}

/* Every digit of the last line, and only what is asked for. */
static void the_steps_are_those_of_the_algorithm(void **state)
{
    (void)state;
    char *name = d();
    Model *m = model_in(name);
    Tokens x = tokens_in(m, "3 <");
    x.length--;                         /* a prompt has no eos */
    Mat P = dtransformer(quiet, x, m->theta);
    Said s = SHOW(name, "3 <", "--json");
    assert_says(s, "\"x\": [\"<bos>\", \"3\", \"␣\", \"<\"], \"vocabul"
                "ary\": [\"");
    const char *at = strstr(s.out, "\"line\": 11, \"name\": \"P\"");
    assert_that(at != NULL);
    at = strstr(at, "\"values\": [[");
    assert_that(at != NULL && atof(at + 12) == AT(P, 1, 1));
    assert_int_equal(times(s.out, "\"name\": \"A\""), 2);
    assert_int_equal(times(s.out, "\"text\": \"A = softmax(S / √d_attn)\""),
                     2);
    s = SHOW(name, "3 <", "--json", "--head", "2");
    assert_int_equal(times(s.out, "\"name\": \"A\""), 1);
    assert_int_equal(times(s.out, "\"index\": 2"),
                     times(s.out, "\"index\": "));
    for (int k = 0; k < 2; k++)
        assert_says(SHOW(k == 0 ? e() : class(), "3", "--json"),
                    "\"algorithm\": 9, ");
}

static void what_cannot_be_shown_is_refused(void **state)
{
    (void)state;
    char sentence[200];
    int turns = atoi(behind(SHOW(ed(), "ba", "--json").out,
                            "\"turns\": "));
    snprintf(sentence, sizeof sentence, "ftx show: --turn is 99; the "
             "translation has %d turn%s.", turns, turns == 1 ? "" : "s");
    assert_refusal(SHOW(ed(), "ba", "--json", "--turn", "99"), sentence);
    assert_refusal(SHOW(d(), "3", "--turn", "1"), "ftx show: --turn has an "
                   "effect only with a model of 'ftx train ed'.");
    assert_refusal(SHOW(d(), "3", "--json", "--svg", path("a.svg")),
                   "ftx show: one of --json, --svg and --attention at a "
                   "time.");
    assert_refusal(SHOW(d(), "3", "--json", "--layer", "2"), "ftx show: "
                   "there is no such layer or head: the model has 1 layer "
                   "and 2 heads in all.");
    assert_refusal(SHOW(ed(), "b?", "--json"), "the text:1:2: there is no "
                   "token for this character.");
}

/* ------------------------------------------------------------- refusals */

static void options_without_effect_are_refused(void **state)
{
    (void)state;
    char sentence[200], *m = d(), *pairs = ed();
#define IDLE(command, model, option, value, only, ...) \
    snprintf(sentence, sizeof sentence, "ftx " command ": --%s has an " \
             "effect only %s.", option, only); \
    assert_refusal(SAID(model == m ? generate : translate, "--model", model, \
                        "--" option, value, __VA_ARGS__), sentence); \
    assert_refusal(SAID(model == m ? generate : translate, "--model", model, \
                        "--" option "=" value, __VA_ARGS__), sentence)
    IDLE("generate", m, "seed", "1", "without --u", "--u", "0.5", "3");
    IDLE("generate", m, "seed", "1", "with a --tau above 0", "--tau=0", "3");
    IDLE("generate", m, "u", ".5", "with a --tau above 0", "--tau=0", "3");
    IDLE("generate", m, "top_k", "2", "with a --tau above 0", "--tau=0",
         "3");
    IDLE("generate", m, "top_p", ".5", "with a --tau above 0", "--tau=0",
         "3");
    IDLE("translate", pairs, "alpha", "1", "with a --beam above 0", "ab");
    IDLE("translate", pairs, "alpha", "1", "with a --beam above 0", "ab",
         "--beam", "0");
    IDLE("translate", pairs, "tau", "1", "without --beam, which draws "
         "nothing", "--beam", "2", "ab");
    IDLE("translate", pairs, "seed", "1", "with a --tau above 0", "ab");
    IDLE("translate", pairs, "top_k", "2", "with a --tau above 0",
         "--beam", "2", "ab");
    IDLE("translate", pairs, "top_p", ".5", "with a --tau above 0", "ab");
    assert_that(GENERATE(m, "--seed", "1", "--top_k", "2", "--top_p", ".9",
                         "3").status == 0);
    assert_that(GENERATE(m, "--u", ".5", "--top_k", "2", "--tau", "2",
                         "--", "3").status == 0);
    assert_that(TRANSLATE(pairs, "--beam", "2", "--alpha", "1", "ab").status
                == 0);
    assert_that(TRANSLATE(pairs, "--tau", "1", "--seed", "1", "--top_k", "2",
                          "--top_p", ".9", "ab").status == 0);
}

static void a_model_must_be_given_and_of_the_right_kind(void **state)
{
    (void)state;
    char *m = d(), sentence[300];
    assert_refusal(SAID(generate, "hello"), "ftx generate: which model? "
                   "Give --model FILE, as saved by 'ftx train d'.");
    assert_refusal(SAID(translate, "hello"), "ftx translate: which model? "
                   "Give --model FILE, as saved by 'ftx train ed'.");
    assert_refusal(SAID(fill_texts, "[gap]"), "ftx fill: which model? "
                   "Give --model FILE, as saved by 'ftx train e'.");
    assert_refusal(SAID(classify_texts, "7"), "ftx classify: which model? "
                   "Give --model FILE, as saved by 'ftx train class'.");
    assert_refusal(SAID(show_inside, "--model"), "ftx show: --model needs a value; "
                   "see 'ftx show --help'.");
#define OTHER(command, name, kind) \
    snprintf(sentence, sizeof sentence, "ftx " name ": %s is a model of " \
             "'ftx train d'; expected one of 'ftx train " kind "'.", m); \
    assert_refusal(SAID(command, "--model", m, "3"), sentence)
    OTHER(translate, "translate", "ed");
    OTHER(fill_texts, "fill", "e");
    OTHER(classify_texts, "classify", "class");
    m = e();
    snprintf(sentence, sizeof sentence, "ftx generate: %s is a model of "
             "'ftx train e'; expected one of 'ftx train d'.", m);
    assert_refusal(GENERATE(m, "3"), sentence);
}

static void a_file_that_is_no_whole_model_is_refused(void **state)
{
    (void)state;
    size_t n = 0;
    char *m = d(), *bytes = bytes_of(m, &n), sentence[300];
#define NO_MODEL(file, says) \
    snprintf(sentence, sizeof sentence, "%s: " says, file); \
    assert_refusal(GENERATE(file, "3"), sentence); \
    assert_refusal(SHOW(file, "3"), sentence)
    NO_MODEL(path("none"), "cannot be opened: No such file or directory.");
    NO_MODEL(sentences("t"), "this is no model of ftx.");
    bytes[n / 2] ^= 1;
    NO_MODEL(write_bytes("x", bytes, n), "the model is damaged: its checksum is "
             "wrong.");
    bytes[n / 2] ^= 1;
    NO_MODEL(write_bytes("x", bytes, n - 1), "the model is damaged: its checksum "
             "is wrong.");
}

/* The model in the file with one number everywhere, large but finite. */
static char *absurd(char *name)
{
    Model *m = model_in(name);
    for (int k = 1; k <= m->theta->n; k++) {
        Mat M = *m->theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++)
            M->at[e] = (real)(IS_DOUBLE ? 1e300 : 1e30);
    }
    assert_string_equal(saving(m, name), "");
    return name;
}

static void a_model_that_overflows_is_to_blame(void **state)
{
    (void)state;
    char *m, sentence[300];
#define TO_BLAME(model, ...) \
    m = absurd(model); \
    snprintf(sentence, sizeof sentence, "%s: what is computed with its " \
             "numbers is not finite; such a model is of no use.", m); \
    assert_refusal(SAID(__VA_ARGS__, "--model", m), sentence)
    TO_BLAME(d(), generate, "3");
    TO_BLAME(d(), show_inside, "3");
    TO_BLAME(e(), fill_texts, "[gap]");
    TO_BLAME(class(), classify_texts, "3");
    TO_BLAME(ed(), translate, "ab");
    TO_BLAME(ed(), translate, "--beam", "2", "ab");
}

/* Nothing is left to train, but the held-out part is judged. */
static void a_finished_model_that_overflows_is_to_blame(void **state)
{
    (void)state;
    char sentence[300], *m = absurd(d());
    snprintf(sentence, sizeof sentence, "%s: what is computed with its "
             "numbers is not finite; such a model is of no use.\n", m);
    Said s = SAID(train, "d", "--resume", "--model", m, path("t"));
    assert_that(s.status == 2);
    assert_string_equal(s.err, sentence);
    m = absurd(ed());
    s = SAID(train, "ed", "--resume", "--model", m, path("p"));
    assert_that(s.status == 2);
}

/* What the last epochs made of it does not count. */
static void the_best_model_is_used(void **state)
{
    (void)state;
    char *m = d();
    Said good = GENERATE(m, "3"), shown = SHOW(m, "3 sheep");
    Model *model = model_in(m);
    model->plan.patience = 1;
    model->state.patience.best = 0;
    model_keep_best(model, arena);
    for (int k = 1; k <= model->theta->n; k++)
        randomise(*model->theta->parameter[k].place);
    assert_string_equal(saving(model, m), "");
    assert_both_say(GENERATE(m, "3"), good);
    assert_both_say(SHOW(m, "3 sheep"), shown);
}

static void texts_that_do_not_fit_are_refused_with_their_place(void **state)
{
    (void)state;
    char *m = d();
    assert_refusal(GENERATE(m, "3 sheep\nÄ@"), "the prompt:2:2: there is no "
                   "token for this character.");
    assert_refusal(GENERATE(m, "3 \xFF"), "the prompt:1:3: this byte is no "
                   "text in UTF-8.");
    assert_refusal(GENERATE(m, "3", "4"), "ftx generate: expected one "
                   "prompt; put it in quotes.");
    assert_refusal(SHOW(m, "3@"), "the text:1:2: there is no token for this "
                   "character.");
    assert_refusal(SHOW(m), "ftx show: expected one text; put it in "
                   "quotes.");
    assert_refusal(SHOW(m, "3 sheep and goats"), "the text:1:1: this has 19 "
                   "tokens with bos and eos; ell_max is 16.");
    m = class();
    assert_refusal(CLASSIFY(m, ""), "the text:1:1: it is empty.");
    assert_refusal(CLASSIFY(m, "123456789012345"), "the text:1:1: this has "
                   "17 tokens with bos and eos; ell_max is 16.");
    m = ed();
    assert_refusal(TRANSLATE(m, "ab?"), "the text:1:3: there is no token "
                   "for this character.");
    m = e();
    assert_refusal(FILL(m, "3 sheep"), "the text:1:1: there is no gap; "
                   "write it as [gap].");
    assert_refusal(FILL(m, "3[gap]@"), "the text:1:7: there is no token for "
                   "this character.");
    assert_refusal(FILL(m, "[gap]", "--gap="), "ftx fill: --gap must not be "
                   "empty.");
    assert_refusal(FILL(m, "3 sheep and 4 [gap]"), "the text:1:1: this has "
                   "17 tokens with bos and eos; ell_max is 16.");
}

/* What came before is printed all the same. */
static void a_line_of_standard_input_is_named(void **state)
{
    (void)state;
    char *m = e();
#define SECOND(lines, says) \
    type_in(lines); \
    s = FILL(m); \
    assert_int_equal(s.status, 2); \
    assert_string_equal(s.err, "standard input:" says "\n"); \
    assert_int_equal(times(s.out, "token "), 1)
    Said s;
    SECOND("a[gap]\nas[gap]@\n", "2:8: there is no token for this "
           "character.");
    SECOND("a[gap]\nas\n", "2:1: there is no gap; write it as [gap].");
    SECOND("a[gap]\n\n", "2:1: this line is empty.");
    SECOND("a[gap]\r\n\r\n", "2:1: this line is empty.");
    SECOND("\xEF\xBB\xBF" "a[gap]\n\n", "2:1: this line is empty.");
    SECOND("a[gap]\n3 sheep and 4 [gap]\n", "2:1: this has 17 tokens with "
           "bos and eos; ell_max is 16.");
    type_in("");
    assert_refusal(FILL(m), "standard input: is empty.");
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    char *m = d();
    assert_refusal(GENERATE(m, "--tau", "-1"), "ftx generate: --tau must be "
                   "a number, at least 0; it is '-1'.");
    assert_refusal(GENERATE(m, "--tau", "nan"), "ftx generate: --tau must "
                   "be a number, at least 0; it is 'nan'.");
    assert_refusal(SAID(translate, "--tau=-0.1"), "ftx translate: --tau "
                   "must be a number, at least 0; it is '-0.1'.");
    assert_refusal(GENERATE(m, "--top_p", "1.5"), "ftx generate: --top_p "
                   "must be a number from 0 to 1; it is '1.5'.");
    assert_refusal(GENERATE(m, "--u", "0.5,0.5", "--ell_gen", "20"), "ftx "
                   "generate: --u has numbers for 2 tokens, --ell_gen asks "
                   "for 20; leave --ell_gen out.");
    assert_refusal(SAID(translate, "--u", "0.5"), "ftx translate: there is "
                   "no option --u; see 'ftx translate --help'.");
    assert_refusal(FILL(m, "--top", "0"), "ftx fill: --top must be a whole "
                   "number from 1 to 10000000; it is '0'.");
#define BAD_U(u) \
    assert_refusal(GENERATE(m, "--u", u), "ftx generate: --u must be " \
                   "numbers in [0, 1) with commas between; it is '" u "'.")
    BAD_U("");
    BAD_U("1");
    BAD_U("0.5,");
    BAD_U("0.5;0.2");
    BAD_U("0.5,-0.1");
    BAD_U("nan");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(the_examples_of_the_help_work),
        TEST_FILES(memory_changes_no_text),
        TEST_FILES(a_token_follows_from_its_number),
        TEST_FILES(a_text_has_as_many_tokens_as_were_asked_for),
        TEST_FILES(special_tokens_only_where_they_are_wanted),
        TEST_FILES(tau_0_is_the_most_probable_token),
        TEST_FILES(a_long_text_takes_no_more_memory),
        TEST_FILES(the_front_slides_out_of_sight),
        TEST_FILES(a_prompt_is_typed_or_read),
        TEST_FILES(words_keep_the_blanks_behind_them),
        TEST_FILES(lines_are_translated_one_by_one),
        TEST_FILES(a_translation_that_does_not_end_is_said_to_be_cut),
        TEST_FILES(a_translation_has_no_special_tokens),
        TEST_FILES(a_beam_of_one_is_greedy_and_a_wider_one_the_library_s),
        TEST_FILES(guesses_come_in_the_order_of_their_probabilities),
        TEST_FILES(each_gap_gets_its_own_guess),
        TEST_FILES(gaps_stand_anywhere_and_look_as_one_likes),
        TEST_FILES(the_probabilities_of_the_classes_sum_to_1),
        TEST_FILES(a_picture_has_the_weights_of_a_head),
        TEST_FILES(a_terminal_gets_the_same_heads),
        TEST_FILES(an_encoder_and_a_decoder_have_three_kinds_of_heads),
        TEST_FILES(cross_attention_looks_from_x_to_z),
        TEST_FILES(every_turn_of_a_translation_adds_its_token),
        TEST_FILES(the_steps_are_those_of_the_algorithm),
        TEST_FILES(the_model_in_the_page_names_numbers),
        TEST_FILES(what_cannot_be_shown_is_refused),
        TEST_FILES(a_translation_without_end_is_shown_up_to_ell_max),
        TEST_FILES(a_picture_replaces_a_file_at_once),
        TEST_FILES(a_picture_replaces_nothing_else),
        TEST_FILES(options_without_effect_are_refused),
        TEST_FILES(a_model_must_be_given_and_of_the_right_kind),
        TEST_FILES(a_file_that_is_no_whole_model_is_refused),
        TEST_FILES(a_model_that_overflows_is_to_blame),
        TEST_FILES(a_finished_model_that_overflows_is_to_blame),
        TEST_FILES(the_best_model_is_used),
        TEST_FILES(texts_that_do_not_fit_are_refused_with_their_place),
        TEST_FILES(a_line_of_standard_input_is_named),
        TEST_FILES(wrong_options_are_refused),
    };
    return RUN(laws);
}
