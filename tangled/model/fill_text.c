/* ftx fill: Algorithm 9 on texts with gaps. */
#include "model/model.h"
#include <limits.h>
#include <string.h>

typedef struct {
    const char *model, *gap;
    int top;
} FillWish;

static const Option wishes[] = {
    { "model", TEXT, UNBOUNDED(FillWish, model), "FILE",
      "as saved by ftx train e" },
    { "gap", TEXT, UNBOUNDED(FillWish, gap), "TEXT",
      "what a gap is written as" },
    { "top", WHOLE, offsetof(FillWish, top), 1, 10000000, NULL,
      "how many guesses for a gap" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx fill --model FILE [options] [TEXT...]\n"
    "\n"
    "Guesses the tokens of the gaps in each TEXT, or in each line of\n"
    "standard input. A gap is one token, and that is one letter unless\n"
    "the model was trained with --tokens word or bpe; for two write two\n"
    "gaps.\n"
    "For example:\n"
    "\n"
    "  ftx train e --steps 100 --model gaps.ftx README.md\n"
    "  ftx fill --model gaps.ftx 'the al[gap]orithm'\n";

typedef struct {
    Command *command;
    const Model *model;
    FillWish wish;
    Tape *tape;
} Filling;

/* Puts the tokens of a piece at id; how many they are. */
static int add_tokens(const Command *c, const Model *model,
                      const char *piece, size_t n, int id[], Error *f)
{
    if (tokenizer_kind(model->tokenizer) == WORDS && n > 0 && *piece == ' ')
        piece++, n--;
    if (n == 0)
        return 0;
    Tokens x = typed_tokens(c, model, piece, n, INT_MAX, f);
    int ordinary = x.length - 2;        /* without bos and eos */
    memcpy(id, x.id + 1, (size_t)ordinary * sizeof *id);
    return ordinary;
}

Tokens with_gaps(const Command *c, const Model *model, const char *gap,
                 const char *line, size_t bytes, Error *f)
{
    const Hyperparameters *h = &model->theta->hyper;
    size_t at = 0, width = strlen(gap), most = 2 * bytes + 2;
    int *id = arena_alloc(c->arena, most * sizeof *id), n = 0;
    id[n++] = bos_token(h->N_V);
    for (size_t k = 0; k <= bytes; k++) {
        bool here = bytes - k >= width && memcmp(line + k, gap, width) == 0;
        if (!here && k < bytes)
            continue;
        n += add_tokens(c, model, line + at, k - at, id + n, f);
        if (here)
            id[n++] = mask_token(h->N_V);
        at = k + width;
        k += here ? width - 1 : 0;
    }
    id[n++] = eos_token(h->N_V);
    if (n > h->ell_max)
        fail_in_text(f, (int)(line - f->text),
                     "this has %d tokens with bos and "
                     "eos; ell_max is %d.", n, h->ell_max);
    return (Tokens){ n, id };
}

static void print_filled(const Filling *t, Tokens x, const Guess *guess)
{
    FILE *out = t->command->out;
    for (int k = 1; k <= x.length; k++) {
        int token = TOKEN(x, k);
        if (token == mask_token(t->model->theta->hyper.N_V))
            token = (guess++)->y[0];
        Piece piece = token_piece(t->model->tokenizer, token);
        fwrite(piece.at, 1, (size_t)piece.n, out);
    }
    fputc('\n', out);
}

static void print_guess(const Filling *t, const Guess *guess)
{
    FILE *out = t->command->out;
    fprintf(out, "  token %d:", guess->t);
    for (int k = 0; k < t->wish.top; k++) {
        fputs("  ", out);
        write_token(out, t->model->tokenizer, guess->y[k]);
        fprintf(out, " %.4f", guess->p[k]);
    }
    fputc('\n', out);
}

static void fill_line(void *data, const char *line, size_t bytes, Error *f)
{
    Filling *t = data;
    int n;
    Tokens x = with_gaps(t->command, t->model, t->wish.gap, line, bytes, f);
    const Guess *guess = fill_masked(t->tape, t->command->arena, x,
                                 t->model->theta, t->wish.top, &n);
    if (n == 0)
        fail_in_text(f, (int)(line - f->text),
                     "there is no gap; write it as %s.",
                     t->wish.gap);
    print_filled(t, x, guess);
    for (int k = 0; k < n; k++)
        print_guess(t, &guess[k]);
    tape_clear(t->tape);
}

static void fill_it(Error *f, void *data)
{
    Filling t = { .command = data, .wish = { .gap = "[gap]", .top = 3 } };
    Command *c = t.command;
    const Options options[] = { { "Options:", wishes, &t.wish },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    if (t.wish.gap[0] == '\0')
        fail_with(f, "--gap must not be empty.");
    t.model = model_for(c, t.wish.model, TRAIN_E, f);
    int N_V = t.model->theta->hyper.N_V;
    t.wish.top = t.wish.top < N_V ? t.wish.top : N_V;
    t.tape = c->tape;
    each_line(c, n, &t, f, fill_line);
}

int fill_texts(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx fill", fill_it, out, err, n, argument);
}
