/* model/predict.c: ftx generate, translate, fill and classify, which run a
   trained model on texts.
   Main type Predictor; entry point predict. The options
   and lines of text flow in; what the model says flows out, line by line. */
#include "model/model.h"
#include <math.h>
#include <string.h>

/* The options of the four commands. */
typedef struct {
    const char *model;
    int ell_gen, beam, top, seed, top_k;
    double alpha, tau, top_p;
    bool stop, special, show_tokens;
} PredictOptions;

/* A command at work. */
typedef struct Predictor Predictor;
struct Predictor {
    Command *command;
    Error *error;
    const Model *model;
    PredictOptions options;
    Inference how;
    Random random;
    Mat p, q;                   /* of the token that is drawn             */
    Mat first;                  /* the mean state of the first text       */
    void (*run)(Predictor *s, const char *line, size_t n);
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

static Tokens encode_line(const Predictor *s, const char *line, size_t n,
                          bool is_prompt)
{
    return encode_field(s->model->tokenizer, s->command->arena, line, n,
                        s->model->theta->hyper.ell_max, is_prompt, s->error,
                        (int)(line - s->error->text));
}

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

static bool print_token(void *to, int y)
{
    const Predictor *s = to;
    FILE *out = s->command->out;
    Piece piece = token_piece(s->model->tokenizer, y);
    if (s->options.show_tokens) {
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
    Tape *tape = s->command->tape;
    int ell_max = theta->hyper.ell_max, mask = mask_token(theta->hyper.N_V);
    Tokens x = encode_line(s, prompt, n, true);
    if (x.length == 0)
        fail_with(s->error, "the prompt is empty, and the model has no "
                  "bos_token to begin with.");
    if (s->options.show_tokens)
        observe(tape, observe_p_and_q, s);
    s->how.stop_at_eos = s->options.stop;
    s->how.no_special = !s->options.special
                     && is_special(s->model->tokenizer, mask);
    if (s->how.ell_gen > ell_max - x.length + 1)
        s->how.slide = (ell_max + 1) / 2;
    s->how.on_token = print_token;
    s->how.to = s;
    inference_14(tape, s->command->arena, x, theta, &s->how);
    if (!s->options.show_tokens)
        fputc('\n', s->command->out);
}

static void translate_line(Predictor *s, const char *line, size_t bytes)
{
    const Theta *theta = s->model->theta;
    Command *c = s->command;
    Hypothesis best[MOST_BEAMS];
    bool ended;
    size_t n;
    Tokens x, z = encode_line(s, line, bytes, false);
    if (s->options.beam > 0) {
        Beam how = { s->options.beam, s->options.alpha, s->how.ell_gen,
                     true };
        beam_search(c->tape, c->arena, z, theta, &how, best);
        x = best[0].x;
        ended = best[0].ended;
    } else {
        x = inference_15(c->tape, c->arena, z, theta, &s->how, &ended);
    }
    const char *text = decode_text(s->model->tokenizer, c->arena, x, &n);
    fwrite(text, 1, n, c->out);
    fputc('\n', c->out);
    if (!ended)
        fprintf(c->err, "ftx translate: remark: eos_token did not come; the "
                "translation is cut after token %d.\n", x.length - 1);
}

static void fill_line(Predictor *s, const char *line, size_t bytes)
{
    const Theta *theta = s->model->theta;
    const Tokenizer *t = s->model->tokenizer;
    FILE *out = s->command->out;
    Arena *arena = s->command->arena;
    int n, gap = 0, N_V = theta->hyper.N_V;
    int top = s->options.top < N_V ? s->options.top : N_V;
    int at = (int)(line - s->error->text);
    Tokens x = encode_with_gaps(t, arena, line, bytes, theta->hyper.ell_max,
                                s->error, at);
    const Guess *guess = fill_masked(s->command->tape, arena, x, theta, top,
                                     &n);
    if (n == 0)
        fail_in_text(s->error, at, "there is no gap; write it as %s.", GAP);
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
    Tokens x = encode_line(s, line, bytes, false);
    Mat P = classify(s->command->tape, x, s->model->theta);
    rank_tokens(P, 1, &best);
    fprintf(out, "%s", s->model->class_name[best]);
    for (int c = 1; c <= P->rows; c++)
        fprintf(out, "  %s %.4f", s->model->class_name[c],
                (double)AT(P, c, 1));
    fputc('\n', out);
}

/* Returns the sum of the products of the entries of two columns. */
static double dot(Mat a, Mat b)
{
    double sum = 0;
    for (int i = 1; i <= a->rows; i++)
        sum += (double)AT(a, i, 1) * (double)AT(b, i, 1);
    return sum;
}

/* Without classes: prints how near the text is to the first one, by the
   cosine of the means of their tokens' last states. */
static void compare_line(Predictor *s, const char *line, size_t bytes)
{
    Command *c = s->command;
    Tokens x = encode_line(s, line, bytes, false);
    Mat X = layers_9(c->tape, x, s->model->theta);
    Mat mean = constant(c->arena, X->rows, 1);
    for (int j = 1; j <= X->cols; j++)
        for (int i = 1; i <= X->rows; i++)
            AT(mean, i, 1) += AT(X, i, j) / (real)X->cols;
    if (s->first == NULL)
        s->first = mean;
    double cosine = dot(mean, s->first)
                  / sqrt(dot(mean, mean) * dot(s->first, s->first));
    fprintf(c->out, "%.4f  %.*s\n", cosine, (int)bytes, line);
}
#define PLACE(member) offsetof(PredictOptions, member)
static const Option model_options[] = {
    { "model", TEXT, PLACE(model), 0, 0, "FILE", "as saved by ftx train" },
    { .name = NULL },
}, generate_options[] = {
    { "ell_gen", WHOLE, PLACE(ell_gen), 0, MOST_TOKENS, NULL,
      "number of tokens" },
    { "stop", FLAG, PLACE(stop), 0, 0, NULL, "stop at eos_token" },
    { "special", FLAG, PLACE(special), 0, 0, NULL,
      "allow special tokens, as the paper does" },
    { "show-tokens", FLAG, PLACE(show_tokens), 0, 0, NULL,
      "print each token on a line, with its p and q" },
    { .name = NULL },
}, translate_options[] = {
    { "ell_gen", WHOLE, PLACE(ell_gen), 0, MOST_TOKENS, NULL,
      "the most tokens; 0: ell_max" },
    { "beam", WHOLE, PLACE(beam), 0, MOST_BEAMS, NULL,
      "width of beam search; 0: sample, as the paper does" },
    { "alpha", DECIMAL, PLACE(alpha), 0, 10, NULL,
      "exponent of the length in beam search" },
    { .name = NULL },
}, fill_options[] = {
    { "top", WHOLE, PLACE(top), 1, MOST_TOKENS, NULL,
      "guesses for each gap" },
    { .name = NULL },
}, sampling_options[] = {
    { "tau", DECIMAL, PLACE(tau), 0, HUGE_VAL, NULL,
      "temperature; 0: the most probable token, inf: any" },
    { "seed", WHOLE, PLACE(seed), 0, 2147483647, NULL,
      "of the random numbers" },
    { "top_k", WHOLE, PLACE(top_k), 0, MOST_TOKENS, NULL,
      "sample from the k most probable tokens; 0: all" },
    { "top_p", DECIMAL, PLACE(top_p), 0, 1, NULL,
      "... from the most probable up to this sum; 0: all" },
    { .name = NULL },
};
/* What the model of a task is asked, a row each. */
static const struct {
    const char *name, *usage;
    const Option *options;
    bool samples;
    void (*run)(Predictor *s, const char *line, size_t n);
    PredictOptions defaults;
} commands[] = {
    [TRAIN_D] = {
        "ftx generate",
        "Usage: ftx generate --model FILE [options] [PROMPT]\n"
        "\n"
        "Continues a prompt, token by token. PROMPT - is standard input. Of\n"
        "a text longer than ell_max tokens the model sees the second half\n"
        "and what follows. For example:\n"
        "\n"
        "  ftx train d --steps 100 --model hello.ftx README.md\n"
        "  ftx generate --model hello.ftx --ell_gen 40 'The book'\n",
        generate_options, true, generate_from,
        { .ell_gen = 200, .tau = 1, .seed = 1 }
    },
    [TRAIN_ED] = {
        "ftx translate",
        "Usage: ftx translate --model FILE [options] [TEXT...]\n"
        "\n"
        "Translates each TEXT, or else each line of standard input.\n"
        "For example:\n"
        "\n"
        "  printf '1\\tone\\n2\\ttwo\\n3\\tthree\\n' > pairs.tsv\n"
        "  ftx train ed --steps 300 --held-out 0 --model pairs.ftx "
        "pairs.tsv\n"
        "  ftx translate --model pairs.ftx 2\n",
        translate_options, true, translate_line, { .tau = 0, .seed = 1 }
    },
    [TRAIN_E] = {
        "ftx fill",
        "Usage: ftx fill --model FILE [options] [TEXT...]\n"
        "\n"
        "Predicts the token of each gap in each TEXT, or else in each line\n"
        "of standard input. Write [gap] once for each token, which is one\n"
        "letter, or what --tokens word or bpe made it in training.\n"
        "For example:\n"
        "\n"
        "  ftx train e --steps 100 --model gaps.ftx README.md\n"
        "  ftx fill --model gaps.ftx 'the al[gap]orithm'\n",
        fill_options, false, fill_line, { .top = 3 }
    },
    [TRAIN_CLASS] = {
        "ftx classify",
        "Usage: ftx classify --model FILE [TEXT...]\n"
        "\n"
        "Prints the most probable class of each TEXT, or else of each line\n"
        "of standard input, and the probabilities of all classes. With a\n"
        "model without classes, such as an imported BertModel, prints the\n"
        "cosine similarity of each text to the first. For example:\n"
        "\n"
        "  printf 'odd\\t1\\neven\\t2\\nodd\\t3\\neven\\t4\\n' > parity.tsv\n"
        "  ftx train class --steps 50 --held-out 0 --model p.ftx parity.tsv\n"
        "  ftx classify --model p.ftx 3\n",
        NULL, false, classify_line, { .top = 0 }
    },
};
static void run_on_prompt(Predictor *s, Error *f)
{
    Command *c = s->command;
    const char *prompt = c->n == 0 ? "" : c->argument[0];
    size_t n = strlen(prompt);
    if (strcmp(prompt, "-") == 0) {
        prompt = read_text_file(c->arena, "-", &n, f);
        n -= prompt[n - 1] == '\n';
        n -= n > 0 && prompt[n - 1] == '\r';
    } else {
        set_subject(f, "the prompt", prompt);
    }
    generate_from(s, prompt, n);
}

/* Runs the model on each of n arguments, or on each line of standard input.
   An empty one is refused. */
static void run_on_lines(Predictor *s, int n, Error *f)
{
    Command *c = s->command;
    size_t bytes, length;
    for (int k = 0; k < n; k++) {
        set_subject(f, "the text", c->argument[k]);
        if (*f->text == '\0')
            fail_with(f, "it is empty.");
        s->run(s, f->text, strlen(f->text));
        tape_clear(c->tape);
    }
    if (n > 0)
        return;
    const char *text = read_text_file(c->arena, "-", &bytes, f);
    size_t at = skip_byte_order_mark(text, bytes);
    for (; at < bytes; at += length + 1) {
        const char *end = memchr(text + at, '\n', bytes - at);
        length = end == NULL ? bytes - at : (size_t)(end - text) - at;
        bool cr = length > 0 && text[at + length - 1] == '\r';
        if (length == cr)
            fail_in_text(f, (int)at, "this line is empty.");
        s->run(s, text + at, length - cr);
        tape_clear(c->tape);
    }
}

void predict(Error *f, Command *c)
{
    Task task = TRAIN_ED;
    while (strcmp(commands[task].name, f->sheet) != 0)
        task++;
    Predictor *s = arena_alloc(c->arena, sizeof *s);
    *s = (Predictor){ c, f, .options = commands[task].defaults };
    PredictOptions *o = &s->options;
    const Options options[] = {
        { "Model:", model_options, o },
        { "Options:", commands[task].options, o },
        { "Sampling:", commands[task].samples ? sampling_options : NULL, o },
        { .table = NULL },
    };
    int n = parse_command(f, c, commands[task].usage, options);
    s->model = load_for_task(c, o->model, task, f);
    const Theta *theta = s->model->theta;
    s->random = random_new((uint64_t)o->seed);
    s->how = (Inference){
        .ell_gen = o->ell_gen, .tau = o->tau, .top_k = o->top_k,
        .top_p = o->top_p, .random = &s->random, .no_special = true,
    };
    if (task == TRAIN_D || task == TRAIN_ED)
        s->how.kv_cache = kv_cache_new(c->arena, c->tape, theta);
    if (task == TRAIN_ED && o->ell_gen > theta->hyper.ell_max)
        fail_with(f, "--ell_gen is %d; it must be at most ell_max, %d.",
                  o->ell_gen, theta->hyper.ell_max);
    s->run = task == TRAIN_CLASS && theta->hyper.N_C == 0
           ? compare_line : commands[task].run;
    if (task == TRAIN_D && n > 1)
        fail_with(f, "expected one prompt; put it in quotes.");
    c->n = n;
    if (task == TRAIN_D)
        run_on_prompt(s, f);
    else
        run_on_lines(s, n, f);
}
