/* model/tokenize.c: ftx tokenize, the tokens of a text.

   Entry point: tokenize. A text flows in, a line for each token flows out. */
#include "model/corpus.h"

typedef struct { const char *model; bool vocabulary; } TokenizeOptions;
static const Option tokenize_options[] = {
    { "model", TEXT, UNBOUNDED(TokenizeOptions, model), "MODEL",
      "take the tokens of this model" },
    { "vocabulary", FLAG, UNBOUNDED(TokenizeOptions, vocabulary), NULL,
      "print all tokens there are; for bpe, all merges" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx tokenize [OPTION...] FILE\n"
    "\n"
    "Prints the tokens of a text, one on a line: its number, its bytes.\n"
    "The vocabulary is learned from FILE, unless it is a model's. Tokens\n"
    "are numbered from 1, also those of a released model, whose files count\n"
    "from 0. FILE - is standard input. For example:\n"
    "\n"
    "  printf 'My grandma makes the best apple pie.' |"
    " ftx tokenize --tokens word -\n";

/* Prints the tokens of a text between the special ones, and how many there
   are. Fails where there is no token. */
static void print_tokens(const Command *c, const Tokenizer *t,
                         const char *text, size_t n, Error *f)
{
    int N_V = t->N_V;
    Tokens x = encode_ordinary(t, c->arena, text, n, f, 0);
    Tokens all = add_special_tokens(t, c->arena, x);
    for (int k = 1; k <= all.length; k++) {
        fprintf(c->out, "%d\t", TOKEN(all, k));
        write_token(c->out, t, TOKEN(all, k));
        fputc('\n', c->out);
    }
    fprintf(c->out, "# bytes: %zu, tokens: %d (%.3f a byte), with %s<eos>: "
            "%d\n# N_V = %d", n, x.length, x.length / (double)n,
            all.length == x.length + 2 ? "<bos> and " : "", all.length, N_V);
    if (t->kind < TOKEN_NUMBERS)
        fprintf(c->out, ": <mask> = %d, <bos> = %d, <eos> = %d",
                mask_token(N_V), bos_token(N_V), eos_token(N_V));
    fputc('\n', c->out);
}

void tokenize(Error *f, Command *c)
{
    TokenizeOptions o = { .model = NULL };
    Plan plan = plan_default(false);
    const Options options[] = {
        { "Options:", tokenize_options, &o },
        { "Tokens:", token_options, &plan },
        { .table = NULL },
    };
    if (parse_command(f, c, usage, options) != 1)
        fail_with(f, "expected one file; see 'ftx tokenize --help'.");
    size_t n, where;
    const Tokenizer *t;
    if (o.model != NULL)
        t = model_load(c->arena, o.model, TO_USE, f)->tokenizer;
    const char *text = read_text_file(c->arena, c->argument[0], &n, f);
    const char *wrong = o.model != NULL ? NULL
        : tokenizer_train(c->arena, plan.tokens, text, n, plan.merges, &t,
                          &where);
    if (wrong != NULL)
        fail_in_text(f, (int)where, "%s", wrong);
    if (o.vocabulary)
        tokenizer_save(c->out, t);
    else
        print_tokens(c, t, text, n, f);
}
