/* model/tokenize.c: ftx tokenize, the tokens of a text.
   Entry point tokenize. A text flows in, a line for each token flows out. */
#include "model/model.h"

typedef struct {
    int kind, merges;           /* a TokenKind                            */
    const char *train_on, *model;
    bool vocabulary;
} TokenizeOptions;

#define PLACE(member) offsetof(TokenizeOptions, member)
static const Option tokenize_options[] = {
    { "tokens", CHOICE, PLACE(kind), 0, 0, "char word bpe",
      "what a token is" },
    { "merges", WHOLE, PLACE(merges), 0, 1000000, NULL,
      "of bpe: how many at most" },
    { "train-on", TEXT, PLACE(train_on), 0, 0, "TEXT",
      "learn the tokens from this file, not from FILE" },
    { "model", TEXT, PLACE(model), 0, 0, "MODEL",
      "take the tokens of this model" },
    { "vocabulary", FLAG, PLACE(vocabulary), 0, 0, NULL,
      "print all tokens there are; for bpe, all merges" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx tokenize [OPTION...] FILE\n"
    "\n"
    "Prints the tokens of a text, one on a line: its number, its bytes.\n"
    "The vocabulary is learned from FILE itself, unless an option names\n"
    "another. Tokens are numbered from 1, also those of a released model,\n"
    "whose files count from 0. FILE - is standard input. For example:\n"
    "\n"
    "  printf 'My grandma makes the best apple pie.' |"
    " ftx tokenize --tokens word -\n";
static const Tokenizer *learn_tokenizer(const TokenizeOptions *o,
                                        const Command *c, const char *text,
                                        size_t n, Error *f)
{
    const Tokenizer *t;
    size_t where;
    const char *wrong = tokenizer_train(c->arena, (TokenKind)o->kind, text,
                                        n, o->merges, &t, &where);
    if (wrong != NULL)
        fail_in_text(f, (int)where, "%s", wrong);
    return t;
}

static void print_counts(FILE *out, const Tokenizer *t, size_t n,
                         int length, int whole)
{
    int N_V = tokenizer_size(t);
    fprintf(out, "# bytes: %zu, tokens: %d (%.3f a byte), "
            "with %s<eos>: %d\n# N_V = %d", n, length, length / (double)n,
            whole == length + 2 ? "<bos> and " : "", whole, N_V);
    if (tokenizer_kind(t) < TOKEN_NUMBERS)
        fprintf(out, ": <mask> = %d, <bos> = %d, <eos> = %d",
                mask_token(N_V), bos_token(N_V), eos_token(N_V));
    fputc('\n', out);
}

static void print_tokens(const Command *c, const Tokenizer *t,
                         const char *text, size_t n, Error *f)
{
    Tokens x;
    size_t where;
    const char *wrong = encode_text(t, c->arena, text, n, &x, &where);
    if (wrong != NULL)
        fail_to_encode(t, wrong, text, n, where, f, 0);
    Tokens whole = add_special_tokens(t, c->arena, x);
    for (int k = 1; k <= whole.length; k++) {
        fprintf(c->out, "%d\t", TOKEN(whole, k));
        write_token(c->out, t, TOKEN(whole, k));
        fputc('\n', c->out);
    }
    print_counts(c->out, t, n, x.length, whole.length);
}

void tokenize(Error *f, Command *c)
{
    TokenizeOptions o = { .kind = CHARACTERS, .merges = 1000 };
    const Options options[] = {
        { "Options:", tokenize_options, &o },
        { .table = NULL },
    };
    int files = parse_command(f, c, usage, options);
    if (files != 1)
        fail_with(f, "expected one file; see 'ftx tokenize --help'.");
    if (o.train_on != NULL && o.model != NULL)
        fail_with(f, "--train-on and --model exclude each other.");
    size_t n;
    const Tokenizer *t = NULL;
    if (o.model != NULL)
        t = model_load(c->arena, o.model, ITS_HEADER, f)->tokenizer;
    if (o.train_on != NULL) {
        const char *other = read_text_file(c->arena, o.train_on, &n, f);
        t = learn_tokenizer(&o, c, other, n, f);
    }
    const char *text = read_text_file(c->arena, c->argument[0], &n, f);
    if (t == NULL)
        t = learn_tokenizer(&o, c, text, n, f);
    if (o.vocabulary)
        tokenizer_save(c->out, t);
    else
        print_tokens(c, t, text, n, f);
}
