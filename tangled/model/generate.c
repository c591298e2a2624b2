/* ftx generate: Algorithm 14 on a prompt. */
#include "model/model.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ELL_GEN = 200 };

typedef struct {
    const char *model, *u;
    int ell_gen, slide;
    bool stop, special, no_memory, show_tokens, peak;
} GenerateWish;

static const Option wishes[] = {
    { "model", TEXT, UNBOUNDED(GenerateWish, model), "FILE",
      "as saved by ftx train d" },
    { "ell_gen", WHOLE, offsetof(GenerateWish, ell_gen), 0, 10000000, NULL,
      "how many tokens" },
    { "u", TEXT, UNBOUNDED(GenerateWish, u), "LIST",
      "the uniform numbers to draw with, commas between" },
    { "stop", FLAG, UNBOUNDED(GenerateWish, stop), NULL,
      "stop at eos_token" },
    { "special", FLAG, UNBOUNDED(GenerateWish, special), NULL,
      "special tokens may be drawn, as printed" },
    { "slide", WHOLE, offsetof(GenerateWish, slide), 0, 10000000, NULL,
      "tokens that leave the front beyond ell_max; 0: a half" },
    { "no-memory", FLAG, UNBOUNDED(GenerateWish, no_memory), NULL,
      "compute all keys and values again for each token" },
    { "show-tokens", FLAG, UNBOUNDED(GenerateWish, show_tokens), NULL,
      "a line for each token, with its p and q" },
    { "peak", FLAG, UNBOUNDED(GenerateWish, peak), NULL,
      "say how much memory the computation took" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx generate --model FILE [options] [PROMPT]\n"
    "\n"
    "Continues a prompt, token by token. - reads it from standard input.\n"
    "Of a text that outgrows ell_max tokens the front is left out. A\n"
    "prompt that is longer is refused, unless --slide is given.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx generate --model hello.ftx --ell_gen 40 'The book'\n";

typedef struct {
    FILE *out;
    const Tokenizer *tokenizer;
    bool show_tokens;
    Mat p, q;
} Listener;

static Mat notice(void *to, const char *line, const char *name, Mat M,
                  int index)
{
    Listener *l = to;
    (void)name, (void)index;
    if (strcmp(line, "14.4") == 0)
        l->p = M;
    if (strcmp(line, "14.5") == 0 && M != NULL)
        l->q = M;
    return M;
}

static bool print_token(void *to, int y)
{
    Listener *l = to;
    Piece piece = token_piece(l->tokenizer, y);
    if (l->show_tokens) {
        fprintf(l->out, "p %.6f  q %.6f  ", (double)AT(l->p, y, 1),
                (double)AT(l->q, y, 1));
        write_token(l->out, l->tokenizer, y);
        fputc('\n', l->out);
    } else {
        fwrite(piece.at, 1, (size_t)piece.n, l->out);
    }
    return fflush(l->out) == 0;
}

static Tokens prompt_of(const Command *c, const Model *model, int n,
                        Error *f)
{
    const char *text = n == 0 ? "" : c->argument[0], *command = f->sheet;
    size_t bytes = strlen(text);
    if (strcmp(text, "-") == 0) {
        text = read_text_file(c->arena, "-", &bytes, f);
        bytes -= text[bytes - 1] == '\n';
        bytes -= bytes > 0 && text[bytes - 1] == '\r';
    } else {
        f->sheet = "the prompt";
        f->text = text;
    }
    Tokens x = typed_tokens(c, model, text, bytes, INT_MAX, f);
    f->sheet = command;
    f->text = NULL;
    x = as_prompt(model->tokenizer, x);
    if (x.length == 0)
        fail_with(f, "the prompt is empty, and the model has no bos_token "
                  "to begin with.");
    return x;
}

static void check_length(const GenerateWish *wish, Tokens x, int ell_max,
                         Error *f)
{
    if (x.length > ell_max && wish->slide == 0)
        fail_with(f, "the prompt has %d tokens with bos; ell_max is %d. "
                  "Give a shorter one, or --slide N.", x.length, ell_max);
    if (wish->slide > ell_max)
        fail_with(f, "--slide is %d; it must be at most ell_max, %d.",
                  wish->slide, ell_max);
}

static NumberList numbers(const Command *c, const char *text, Error *f)
{
    NumberList list = { 0 };
    double *u = arena_alloc(c->arena, (strlen(text) + 1) * sizeof *u);
    for (const char *p = text; ; p++) {
        char *end;
        double x = strtod(p, &end);
        if (end == p || !(x >= 0 && x < 1) || strchr(",", *end) == NULL)
            fail_with(f, "--u must be numbers in [0, 1) with commas "
                      "between; it is '%.100s'.", text);
        u[list.n++] = x;
        p = end;
        if (*p == '\0')
            break;
    }
    list.u = u;
    return list;
}

static int length_wanted(const GenerateWish *wish, const NumberList *list,
                         Error *f)
{
    if (wish->u == NULL)
        return wish->ell_gen == UNSAID ? ELL_GEN : wish->ell_gen;
    if (wish->ell_gen != UNSAID && wish->ell_gen != list->n)
        fail_with(f, "--u has numbers for %d token%s, --ell_gen asks for %d; "
                  "leave --ell_gen out.", list->n, list->n == 1 ? "" : "s",
                  wish->ell_gen);
    return list->n;
}

static void continue_text(Command *c, const GenerateWish *wish,
                          Inference *how, const Model *model, Tokens x)
{
    const Theta *theta = model->theta;
    int ell_max = theta->hyper.ell_max;
    Listener listener = { c->out, model->tokenizer, wish->show_tokens,
                          NULL, NULL };
    Tape *tape = c->tape;
    if (!wish->no_memory)
        how->kv_cache = kv_cache_new(c->arena, tape, theta);
    if (wish->show_tokens)
        observe(tape, notice, &listener);
    how->ell_gen = wish->ell_gen;
    how->stop_at_eos = wish->stop;
    how->no_special = !wish->special
        && is_special(model->tokenizer, mask_token(theta->hyper.N_V));
    how->slide = wish->slide;
    if (how->slide == 0 && how->ell_gen > ell_max - x.length + 1)
        how->slide = (ell_max + 1) / 2;
    how->on_token = print_token;
    how->to = &listener;
    inference_14(tape, c->arena, x, theta, how);
    if (!wish->show_tokens)
        fputc('\n', c->out);
    if (wish->peak)
        fprintf(c->err, "peak: %zu bytes, and the model\n",
                tape_peak(tape));
}

static void refuse_idle_drawing(Error *f, const GenerateWish *wish,
                                double tau, int n, char *const argument[])
{
    const OptionEffect acting[] = {
        { "u", tau > 0, "with a --tau above 0" },
        { "top_k", tau > 0, "with a --tau above 0" },
        { "top_p", tau > 0, "with a --tau above 0" },
        { "seed", tau > 0, "with a --tau above 0" },
        { "seed", wish->u == NULL, "without --u" },
        { .name = NULL },
    };
    refuse_unused_options(f, acting, n, argument);
}

static void generate_it(Error *f, void *data)
{
    Command *c = data;
    GenerateWish wish = { .ell_gen = UNSAID };
    Drawing draw = { .tau = 1, .seed = 1 };
    const Options options[] = {
        { "Options:", wishes, &wish },
        { "How a token is drawn:", drawing_options, &draw },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        wish.ell_gen = ELL_GEN;
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    Inference how = drawing(&draw);
    NumberList list = { 0 };
    Random listed = random_in(&list);
    refuse_idle_drawing(f, &wish, draw.tau, c->n - n, c->argument + n);
    if (n > 1 && wish.model != NULL)
        fail_with(f, "expected one prompt; put it in quotes.");
    if (wish.u != NULL) {
        list = numbers(c, wish.u, f);
        how.random = &listed;
    }
    wish.ell_gen = length_wanted(&wish, &list, f);
    Model *model = model_for(c, wish.model, TRAIN_D, f);
    Tokens x = prompt_of(c, model, n, f);
    check_length(&wish, x, model->theta->hyper.ell_max, f);
    continue_text(c, &wish, &how, model, x);
}

int generate(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx generate", generate_it, out, err, n, argument);
}
