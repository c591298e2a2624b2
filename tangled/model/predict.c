/* model/predict.c: ftx generate, translate, fill and classify, which run a
   trained model on texts.

   Main type: Predictor, a command at work. Entry point: predict. Options
   and lines of text flow in; what the model says flows out, line by line. */
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct Predictor Predictor;

/* What a command does with a text: the n bytes at `line`, in the text that
   errors have places in. Prints, or gives up. */
typedef void RunOnLine(Predictor *s, const char *line, size_t n);

/* A command at work. Options set all from `file` to `show_tokens`. */
struct Predictor {
    Command *command;
    Error *error;
    const Model *model;
    const char *file;           /* the model's                            */
    Inference how;
    Beam beam;
    int top, seed;
    bool special, show_tokens;
    Random random;
    Mat p, q;                   /* of the token that is drawn             */
};
enum { MOST_BEAMS = 1000, MOST_TOKENS = 10000000 };
Model *load_for_task(Command *c, const char *name, Task task, Error *f)
{
    const char *first = c->n > 0 ? c->argument[0] : "";
    if (name == NULL)
        fail_with(f, "which model? Give --model %s, as saved by 'ftx train "
                  "%s'.", has_suffix(first, ".ftx") || is_name_taken(first)
                  ? first : "FILE", task_name(task));
    Model *model = model_load(c->arena, name, TO_USE, f);
    if (model->task != task)
        fail_with(f, "%s is a model of 'ftx train %s'; expected one of 'ftx "
                  "train %s'.", name, task_name(model->task),
                  task_name(task));
    prepare_tape(c->arena, c->tape, model->theta);
    tape_discard_layers(c->arena, c->tape);
    return model;
}

/* Keeps p and q of the token that is drawn next. */
static Mat observe_p_and_q(void *to, const char *line, const char *name,
                           Mat M, int index)
{
    Predictor *s = to;
    (void)name, (void)index;
    if (strcmp(line, "14.4") == 0)
        s->p = M;
    if (strcmp(line, "14.5") == 0 && M != NULL)
        s->q = M;
    return M;
}

/* Prints token y; false if nobody reads any more. */
static bool print_token(void *to, int y)
{
    const Predictor *s = to;
    FILE *out = s->command->out;
    Piece piece = token_piece(s->model->tokenizer, y);
    if (s->show_tokens) {
        fprintf(out, "p %.6f  q %.6f  ", (double)AT(s->p, y, 1),
                (double)AT(s->q, y, 1));
        write_token(out, s->model->tokenizer, y);
        fputc('\n', out);
    } else {
        fwrite(piece.at, 1, (size_t)piece.n, out);
    }
    return fflush(out) == 0;
}

static void generate_from(Predictor *s, const char *prompt, size_t n)
{
    const Theta *theta = s->model->theta;
    Command *c = s->command;
    int ell_max = theta->hyper.ell_max, mask = mask_token(theta->hyper.N_V);
    Tokens x = encode_for_model(s->model, c->arena, prompt, n, s->error);
    if (x.length == 0)
        fail_with(s->error, "the prompt is empty, and the model has no "
                  "bos_token to begin with.");
    if (s->show_tokens)
        observe(c->tape, observe_p_and_q, s);
    s->how.no_special = !s->special && is_special(s->model->tokenizer, mask);
    if (s->how.ell_gen > ell_max - x.length + 1)
        s->how.slide = (ell_max + 1) / 2;
    s->how.on_token = print_token;
    s->how.to = s;
    inference_14(c->tape, c->arena, x, theta, &s->how);
    if (!s->show_tokens)
        fputc('\n', c->out);
}

static void translate_line(Predictor *s, const char *line, size_t n)
{
    const Theta *theta = s->model->theta;
    Command *c = s->command;
    Hypothesis best[MOST_BEAMS];
    Tokens z = encode_for_model(s->model, c->arena, line, n, s->error);
    if (s->beam.B > 0)
        beam_search(c->tape, c->arena, z, theta, &s->beam, best);
    else
        best->x = inference_15(c->tape, c->arena, z, theta, &s->how,
                               &best->ended);
    const char *text = decode_text(s->model->tokenizer, c->arena, best->x,
                                   &n);
    fwrite(text, 1, n, c->out);
    fputc('\n', c->out);
    if (!best->ended)
        fprintf(c->err, "ftx translate: remark: eos_token did not come; the "
                "translation is cut after token %d.\n", best->x.length - 1);
}

static void fill_line(Predictor *s, const char *line, size_t bytes)
{
    const Theta *theta = s->model->theta;
    const Tokenizer *t = s->model->tokenizer;
    FILE *out = s->command->out;
    Arena *arena = s->command->arena;
    int n, gap = 0, N_V = theta->hyper.N_V;
    int top = s->top < N_V ? s->top : N_V;
    Tokens x = encode_for_model(s->model, arena, line, bytes, s->error);
    const Guess *guess = fill_masked(s->command->tape, arena, x, theta, top,
                                     &n);
    if (n == 0)
        fail_in_text(s->error, (int)(line - s->error->text),
                     "there is no gap; write it as %s.", GAP);
    for (int k = 1; k <= x.length; k++) {
        int y = TOKEN(x, k);
        Piece piece = token_piece(t, y == mask_token(N_V)
                                     ? guess[gap++].y[0] : y);
        fwrite(piece.at, 1, (size_t)piece.n, out);
    }
    fputc('\n', out);
    for (gap = 0; gap < n; gap++) {
        fprintf(out, "  token %d:", guess[gap].t);
        for (int k = 0; k < top; k++) {
            fputs("  ", out);
            write_token(out, t, guess[gap].y[k]);
            fprintf(out, " %.4f", guess[gap].p[k]);
        }
        fputc('\n', out);
    }
}

static void classify_line(Predictor *s, const char *line, size_t bytes)
{
    FILE *out = s->command->out;
    int best;
    Tokens x = encode_for_model(s->model, s->command->arena, line, bytes,
                                s->error);
    if (s->model->theta->hyper.N_C == 0)
        fail_with(s->error, "%s has no classes; 'ftx train class --from' "
                  "makes a classifier of it.", s->file);
    Mat P = classify(s->command->tape, x, s->model->theta);
    rank_tokens(P, 1, &best);
    fprintf(out, "%s", s->model->class_name[best]);
    for (int c = 1; c <= P->rows; c++)
        fprintf(out, "  %s %.4f", s->model->class_name[c],
                (double)AT(P, c, 1));
    fputc('\n', out);
}
#define PLACE(member) offsetof(Predictor, member)
static const Option model_options[] = {
    { "model", TEXT, PLACE(file), 0, 0, "FILE", "as saved by ftx train" },
    { .name = NULL },
}, generate_options[] = {
    { "ell_gen", WHOLE, PLACE(how.ell_gen), 0, MOST_TOKENS, NULL,
      "number of tokens" },
    { "stop", FLAG, PLACE(how.stop_at_eos), 0, 0, NULL,
      "stop at eos_token" },
    { "special", FLAG, PLACE(special), 0, 0, NULL,
      "allow special tokens, as the paper does" },
    { "show-tokens", FLAG, PLACE(show_tokens), 0, 0, NULL,
      "print each token on a line, with its p and q" },
    { .name = NULL },
}, translate_options[] = {
    { "ell_gen", WHOLE, PLACE(how.ell_gen), 0, MOST_TOKENS, NULL,
      "the most tokens; 0: ell_max" },
    { "beam", WHOLE, PLACE(beam.B), 0, MOST_BEAMS, NULL,
      "width of beam search; 0: sample, as the paper does" },
    { "alpha", DECIMAL, PLACE(beam.alpha), 0, 10, NULL,
      "exponent of the length in beam search" },
    { .name = NULL },
}, fill_options[] = {
    { "top", WHOLE, PLACE(top), 1, MOST_TOKENS, NULL,
      "guesses for each gap" },
    { .name = NULL },
}, sampling_options[] = {
    { "tau", DECIMAL, PLACE(how.tau), 0, HUGE_VAL, NULL,
      "temperature; 0: the most probable token, inf: any" },
    { "seed", WHOLE, PLACE(seed), 0, 2147483647, NULL,
      "of the random numbers" },
    { "top_k", WHOLE, PLACE(how.top_k), 0, MOST_TOKENS, NULL,
      "sample from the k most probable tokens; 0: all" },
    { "top_p", DECIMAL, PLACE(how.top_p), 0, 1, NULL,
      "... from the most probable up to this sum; 0: all" },
    { .name = NULL },
};
/* What the model of a task is asked, a row each. */
static const struct {
    const char *name;
    RunOnLine *run;
    const Option *options;
    const char *usage;
} commands[] = {
    [TRAIN_D] = {
        "ftx generate", generate_from, generate_options,
        "Usage: ftx generate --model FILE [options] [PROMPT]\n"
        "\n"
        "Continues a prompt, token by token. Of a text longer than ell_max\n"
        "tokens the model sees the second half and what follows.\n"
        "For example:\n"
        "\n"
        "  ftx train d --steps 100 --model hello.ftx README.md\n"
        "  ftx generate --model hello.ftx --ell_gen 40 'The book'\n"
    },
    [TRAIN_ED] = {
        "ftx translate", translate_line, translate_options,
        "Usage: ftx translate --model FILE [options] [TEXT...]\n"
        "\n"
        "Translates each TEXT, or else each line of standard input.\n"
        "For example:\n"
        "\n"
        "  printf '1\\tone\\n2\\ttwo\\n3\\tthree\\n' > pairs.tsv\n"
        "  ftx train ed --steps 300 --held-out 0 --model ed.ftx pairs.tsv\n"
        "  ftx translate --model ed.ftx 2\n"
    },
    [TRAIN_E] = {
        "ftx fill", fill_line, fill_options,
        "Usage: ftx fill --model FILE [options] [TEXT...]\n"
        "\n"
        "Predicts the token of each gap in each TEXT, or else in each line\n"
        "of standard input. Write [gap] once for each token, which is one\n"
        "letter, or what --tokens word or bpe made it in training.\n"
        "For example:\n"
        "\n"
        "  ftx train e --steps 100 --model gaps.ftx README.md\n"
        "  ftx fill --model gaps.ftx 'the al[gap]orithm'\n"
    },
    [TRAIN_CLASS] = {
        "ftx classify", classify_line, NULL,
        "Usage: ftx classify --model FILE [TEXT...]\n"
        "\n"
        "Prints the most probable class of each TEXT, or else of each line\n"
        "of standard input, and the probabilities of all classes.\n"
        "For example:\n"
        "\n"
        "  printf 'odd\\t1\\neven\\t2\\nodd\\t3\\neven\\t4\\n' > parity.tsv\n"
        "  ftx train class --steps 50 --held-out 0 --model p.ftx parity.tsv\n"
        "  ftx classify --model p.ftx 3\n"
    },
};
/* Runs the model on a line of f->text, which is not empty. */
static void run_on_line(Predictor *s, RunOnLine *run, const char *line,
                        size_t n)
{
    if (n == 0)
        fail_in_text(s->error, (int)(line - s->error->text),
                     "this line is empty.");
    run(s, line, n);
    tape_clear(s->command->tape);
}

/* Runs the model on each line of standard input. */
static void run_on_input(Predictor *s, RunOnLine *run)
{
    size_t n, length;
    const char *text = read_text_file(s->command->arena, "-", &n, s->error);
    for (size_t at = skip_byte_order_mark(text, n); at < n;
         at += length + 1) {
        const char *line = text + at, *end = memchr(line, '\n', n - at);
        length = end == NULL ? n - at : (size_t)(end - line);
        run_on_line(s, run, line,
                    length - (length > 0 && line[length - 1] == '\r'));
    }
}

void predict(Error *f, Command *c)
{
    Task task = TRAIN_ED;
    while (strcmp(commands[task].name, f->sheet) != 0)
        task++;
    RunOnLine *run = commands[task].run;
    bool writes = task == TRAIN_D || task == TRAIN_ED;
    Predictor *s = arena_alloc(c->arena, sizeof *s);
    *s = (Predictor){ .command = c, .error = f, .top = 3, .seed = 1 };
    if (task == TRAIN_D)
        s->how = (Inference){ .ell_gen = 200, .tau = 1 };
    const Options options[] = {
        { "Model:", model_options, s },
        { "Options:", commands[task].options, s },
        { "Sampling:", writes ? sampling_options : NULL, s },
        { .table = NULL },
    };
    int n = c->n = parse_command(f, c, commands[task].usage, options);
    s->model = load_for_task(c, s->file, task, f);
    const Theta *theta = s->model->theta;
    s->random = random_new((uint64_t)s->seed);
    s->how.random = &s->random;
    s->how.no_special = s->beam.no_special = true;
    s->beam.ell_gen = s->how.ell_gen;
    if (writes)
        s->how.kv_cache = kv_cache_new(c->arena, c->tape, theta);
    if (task == TRAIN_ED && s->how.ell_gen > theta->hyper.ell_max)
        fail_with(f, "--ell_gen is %d; it must be at most ell_max, %d.",
                  s->how.ell_gen, theta->hyper.ell_max);
    if (task == TRAIN_D && n > 1)
        fail_with(f, "expected one prompt; put it in quotes.");
    if (task == TRAIN_D) {
        set_subject(f, "the prompt", n == 0 ? "" : c->argument[0]);
        run(s, f->text, strlen(f->text));
    } else if (n == 0) {
        run_on_input(s, run);
    }
    for (int k = 0; k < n && task != TRAIN_D; k++) {
        set_subject(f, "the text", c->argument[k]);
        run_on_line(s, run, f->text, strlen(f->text));
    }
}
