/* ftx tokenize: prints the tokens of a text, or the text of tokens. */
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct {
    int kind, merges;           /* a TokenKind; or UNSAID */
    const char *train_on, *model;
    bool vocabulary, decode;
} TokenizeWish;

static const Option wishes[] = {
    { "tokens", CHOICE, UNBOUNDED(TokenizeWish, kind), "char word bpe",
      "what a token is" },
    { "merges", WHOLE, offsetof(TokenizeWish, merges), 0, 1000000, NULL,
      "of bpe: how many at most" },
    { "train-on", TEXT, UNBOUNDED(TokenizeWish, train_on), "TEXT",
      "learn the tokens from this file, not from FILE" },
    { "model", TEXT, UNBOUNDED(TokenizeWish, model), "MODEL",
      "take the tokens of this model" },
    { "vocabulary", FLAG, UNBOUNDED(TokenizeWish, vocabulary), NULL,
      "print all tokens there are; for bpe, all merges" },
    { "decode", FLAG, UNBOUNDED(TokenizeWish, decode), NULL,
      "FILE has numbers of tokens: print their text" },
    { .name = NULL },
};
static const char usage[] =
    "Usage: ftx tokenize [OPTION...] FILE\n"
    "\n"
    "Prints the tokens of a text, each on a line: its number, its bytes.\n"
    "They are learned from FILE itself, unless told otherwise.\n"
    "FILE - is standard input. For example:\n"
    "\n"
    "  printf 'My grandma makes the best apple pie.' |"
    " ftx tokenize --tokens word -\n";

static const char *file_of(Error *f, const Command *c,
                           const TokenizeWish *wish, int files)
{
    bool elsewhere = wish->train_on != NULL || wish->model != NULL;
    if (files != 1)
        fail_with(f, "expected one file; see 'ftx tokenize --help'.");
    if (wish->train_on != NULL && wish->model != NULL)
        fail_with(f, "--train-on and --model exclude each other.");
    if (wish->model != NULL && (wish->kind != UNSAID
                                || wish->merges != UNSAID))
        fail_with(f, "--model brings its own tokens; leave --tokens and "
                  "--merges out.");
    if (wish->decode && !elsewhere)
        fail_with(f, "--decode needs --train-on or --model, to know the "
                  "tokens.");
    if (wish->vocabulary && elsewhere)
        fail_with(f, "--vocabulary is about FILE alone; leave --train-on "
                  "and --model out.");
    return c->argument[0];
}

static void use_defaults(TokenizeWish *wish)
{
    if (wish->kind == UNSAID)
        wish->kind = CHARACTERS;
    if (wish->merges == UNSAID)
        wish->merges = 1000;
}

static const Tokenizer *learned(const TokenizeWish *wish, const Command *c,
                                const char *text, size_t n, Error *f)
{
    const Tokenizer *t;
    size_t where;
    Arena *arena = c->arena;
    Telling telling = { c->err, is_terminal(c->err) ? 0.2 : HUGE_VAL };
    if (wish->kind == BYTE_PAIRS)
        return learn_and_tell(arena, text, n, wish->merges, &telling);
    const char *wrong = tokenizer_train(arena, (TokenKind)wish->kind,
                                        text, n, wish->merges, &t, &where);
    if (wrong != NULL)
        fail_in_text(f, (int)where, "%s", wrong);
    return t;
}

static void print_tokens(FILE *out, const Tokenizer *t, Tokens x)
{
    for (int k = 1; k <= x.length; k++) {
        fprintf(out, "%d\t", TOKEN(x, k));
        write_token(out, t, TOKEN(x, k));
        fputc('\n', out);
    }
}

static void print_counts(FILE *out, const Tokenizer *t, size_t n,
                         int length, int whole)
{
    int N_V = tokenizer_size(t);
    fprintf(out, "# bytes: %zu, tokens: %d (%.3f a byte), "
            "with %s<eos>: %d\n", n, length, length / (double)n,
            whole == length + 2 ? "<bos> and " : "", whole);
    if (tokenizer_kind(t) >= TOKEN_NUMBERS) {
        fprintf(out, "# %s: %d\n", tokenizer_kind(t) == TOKEN_NUMBERS
                                   ? "numbers" : "pieces", N_V);
        return;
    }
    if (tokenizer_kind(t) == BYTE_PAIRS)
        fprintf(out, "# bytes: 256, merges: %d", N_V - 3 - 256);
    else
        fprintf(out, "# %s: %d", tokenizer_kind(t) == WORDS
                                 ? "words" : "characters", N_V - 3);
    fprintf(out, ", <mask> = %d, <bos> = %d, <eos> = N_V = %d\n",
            mask_token(N_V), bos_token(N_V), eos_token(N_V));
}

static void encode_and_print(const Command *c, const Tokenizer *t,
                             const char *text, size_t n, Error *f)
{
    Tokens x;
    size_t where;
    const char *wrong = encode_text(t, c->arena, text, n, &x, &where);
    if (wrong != NULL)
        refuse_piece(t, wrong, text, n, where, f, 0);
    Tokens whole = with_special(t, c->arena, x);
    print_tokens(c->out, t, whole);
    print_counts(c->out, t, n, x.length, whole.length);
}

static Tokens read_tokens(Arena *arena, const char *text, size_t n, int N_V,
                          Error *f)
{
    int *id = arena_alloc(arena, (n + 1) * sizeof *id), length = 0;
    for (size_t k = 0; k < n; ) {
        if (text[k] == '#' || text[k] == '\t') {
            while (k < n && text[k] != '\n')
                k++;
        } else if (text[k] == ' ' || text[k] == '\r' || text[k] == '\n') {
            k++;
        } else {
            size_t start = k;
            long long token = 0;
            for (; k < n && '0' <= text[k] && text[k] <= '9'; k++)
                token = token > N_V ? token : 10 * token + (text[k] - '0');
            if (token < 1 || token > N_V)
                fail_in_text(f, (int)start,
                             "expected the number of a token, 1 to "
                             "%d.", N_V);
            id[length++] = (int)token;
        }
    }
    return (Tokens){ length, id };
}

static void carry_out(const Command *c, const TokenizeWish *wish,
                      const char *file, Error *f)
{
    size_t n;
    const Tokenizer *t = NULL;
    const char *text;
    if (wish->model != NULL)
        t = model_load(c->arena, wish->model, ITS_HEADER, f)->tokenizer;
    if (wish->train_on != NULL) {
        text = read_text_file(c->arena, wish->train_on, &n, f);
        t = learned(wish, c, text, n, f);
    }
    text = read_text_file(c->arena, file, &n, f);
    if (t == NULL)
        t = learned(wish, c, text, n, f);
    if (wish->vocabulary) {
        tokenizer_save(c->out, t);
    } else if (wish->decode) {
        Tokens x = read_tokens(c->arena, text, n, tokenizer_size(t), f);
        text = decode_text(t, c->arena, x, &n);
        fwrite(text, 1, n, c->out);
    } else {
        encode_and_print(c, t, text, n, f);
    }
}

static void tokenize_it(Error *f, void *data)
{
    const Command *c = data;
    TokenizeWish wish = { .kind = UNSAID, .merges = UNSAID };
    const Options options[] = {
        { "Options:", wishes, &wish },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        use_defaults(&wish);
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int files = parse_options(f, options, c->n, c->argument);
    const char *file = file_of(f, c, &wish, files);
    use_defaults(&wish);
    const OptionEffect acting[] = {
        { "merges", wish.kind == BYTE_PAIRS, "with --tokens bpe" },
        { .name = NULL },
    };
    refuse_unused_options(f, acting, c->n - files, c->argument + files);
    carry_out(c, &wish, file, f);
}

int tokenize(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx tokenize", tokenize_it, out, err, n, argument);
}
