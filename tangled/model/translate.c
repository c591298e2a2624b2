/* ftx translate: Algorithm 15 on lines. */
#include "model/model.h"
#include <math.h>

typedef struct {
    const char *model;
    int ell_gen, beam;
    double alpha;
} TranslateWish;

static const Option wishes[] = {
    { "model", TEXT, UNBOUNDED(TranslateWish, model), "FILE",
      "as saved by ftx train ed" },
    { "ell_gen", WHOLE, offsetof(TranslateWish, ell_gen), 0, 10000000, NULL,
      "at most so many tokens; 0: ell_max" },
    { "beam", WHOLE, offsetof(TranslateWish, beam), 0, 1000, NULL,
      "the width of beam search; 0: draw, as printed" },
    { "alpha", DECIMAL, offsetof(TranslateWish, alpha), 0, 10, NULL,
      "the exponent of the length in beam search" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx translate --model FILE [options] [TEXT...]\n"
    "\n"
    "Translates each TEXT; without one, each line of standard input.\n"
    "For example:\n"
    "\n"
    "  printf '1\\tone\\n2\\ttwo\\n3\\tthree\\n' > pairs.tsv\n"
    "  ftx train ed --steps 300 --held-out 0 --model pairs.ftx pairs.tsv\n"
    "  ftx translate --model pairs.ftx 2\n";

typedef struct {
    Command *command;
    const Model *model;
    Inference how;
    Beam beam;
    Tape *tape;
} Translating;

static Tokens translation(Translating *t, Tokens z, bool *ended)
{
    Arena *arena = t->command->arena;
    if (t->beam.B == 0)
        return inference_15(t->tape, arena, z, t->model->theta, &t->how,
                            ended);
    Hypothesis *best = arena_alloc(arena,
                                   (size_t)t->beam.B * sizeof *best);
    beam_search(t->tape, arena, z, t->model->theta, &t->beam, best);
    *ended = best[0].ended;
    return best[0].x;
}

static void translate_line(void *data, const char *line, size_t bytes,
                           Error *f)
{
    Translating *t = data;
    size_t n;
    bool ended;
    FILE *out = t->command->out;
    Tokens z = typed_tokens(t->command, t->model, line, bytes,
                            t->model->theta->hyper.ell_max, f);
    Tokens x = translation(t, z, &ended);
    const char *text = decode_text(t->model->tokenizer, t->command->arena,
                                   x, &n);
    fwrite(text, 1, n, out);
    fputc('\n', out);
    if (!ended)
        fprintf(t->command->err, "ftx translate: remark: eos_token did not "
                "come; the translation is cut after token %d.\n",
                x.length - 1);
    tape_clear(t->tape);
}

static void run_translation(Command *c, const TranslateWish *wish,
                            Inference how, int n, Error *f)
{
    const Model *model = model_for(c, wish->model, TRAIN_ED, f);
    int ell_max = model->theta->hyper.ell_max;
    if (wish->ell_gen > ell_max)
        fail_with(f, "--ell_gen is %d; it must be at most ell_max, %d.",
                  wish->ell_gen, ell_max);
    how.ell_gen = wish->ell_gen;
    how.no_special = true;
    how.kv_cache = kv_cache_new(c->arena, c->tape, model->theta);
    Translating t = {
        c, model, how,
        { wish->beam, wish->alpha, wish->ell_gen, true }, c->tape,
    };
    each_line(c, n, &t, f, translate_line);
}

static void translate_it(Error *f, void *data)
{
    Command *c = data;
    TranslateWish wish = { 0 };
    Drawing draw = { .tau = 0, .seed = 1 };
    const Options options[] = {
        { "Options:", wishes, &wish },
        { "How a token is drawn:", drawing_options, &draw },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    bool draws = draw.tau > 0;
    const OptionEffect acting[] = {
        { "alpha", wish.beam > 0, "with a --beam above 0" },
        { "tau", wish.beam == 0, "without --beam, which draws nothing" },
        { "seed", draws, "with a --tau above 0" },
        { "top_k", draws, "with a --tau above 0" },
        { "top_p", draws, "with a --tau above 0" },
        { .name = NULL },
    };
    refuse_unused_options(f, acting, c->n - n, c->argument + n);
    run_translation(c, &wish, drawing(&draw), n, f);
}

int translate(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx translate", translate_it, out, err, n,
                       argument);
}
