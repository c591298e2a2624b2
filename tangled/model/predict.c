/* model/predict.c: ftx generate, translate, fill and classify, which run a
   trained model on texts.

   Main type: Predictor, a command at work. Entry point: predict. Options
   and lines of text flow in; what the model says flows out, line by line. */
#include "model/corpus.h"
#include <math.h>
#include <string.h>

/* A command at work. Options set all from `file` to `special`. */
typedef struct {
    Command *command;
    Error *error;
    const Model *model;
    const char *file;           /* the model's                            */
    Inference how;
    int top, seed;
    bool special;
    int at;                     /* where the line begins, for errors      */
} Predictor;
enum { MOST_TOKENS = 10000000 };
/* Loads the model, which must be one of the task, and prepares the tape. */
static void load_for_task(Predictor *s, Task task)
{
    Command *c = s->command;
    if (s->file == NULL)
        fail_with(s->error, "which model? Give --model %s, as saved by 'ftx "
                  "train %s'.", c->n > 0 && is_name_taken(c->argument[0])
                  ? c->argument[0] : "FILE", task_name(task));
    s->model = model_load(c->arena, s->file, TO_USE, s->error);
    check_task(s->model, s->file, task, s->error);
    prepare_tape(c->arena, c->tape, s->model->theta);
    tape_discard_layers(c->arena, c->tape);
}

/* Prints token y; false if nobody reads any more. */
static bool print_token(void *to, int y)
{
    const Predictor *s = to;
    FILE *out = s->command->out;
    Piece piece = token_piece(s->model->tokenizer, y);
    fwrite(piece.at, 1, (size_t)piece.n, out);
    return fflush(out) == 0;
}

static void generate(Predictor *s, Tokens x)
{
    const Theta *theta = s->model->theta;
    Command *c = s->command;
    int mask = mask_token(theta->hyper.N_V);
    s->how.no_special = !s->special && is_special(s->model->tokenizer, mask);
    inference_14(c->tape, c->arena, x, theta, &s->how);
    fputc('\n', c->out);
}

static void translate(Predictor *s, Tokens z)
{
    const Theta *theta = s->model->theta;
    Command *c = s->command;
    bool ended;
    Tokens x = inference_15(c->tape, c->arena, z, theta, &s->how, &ended);
    fputc('\n', c->out);
    if (!ended && !ferror(c->out))
        fprintf(c->err, "ftx translate: remark: eos_token did not come; the "
                "translation is cut after token %d.\n", x.length - 1);
}

static void fill(Predictor *s, Tokens x)
{
    const Theta *theta = s->model->theta;
    FILE *out = s->command->out;
    int N_V = theta->hyper.N_V, mask = mask_token(N_V);
    int top = s->top < N_V ? s->top : N_V;
    Mat P = etransformer(s->command->tape, x, theta);
    Tokens gaps = places(s->command->tape, x, mask);
    if (gaps.length == 0)
        fail_in_text(s->error, s->at, "there is no gap; write it as %s.",
                     GAP);
    for (int k = 1; k <= x.length; k++)
        print_token(s, TOKEN(x, k) != mask ? TOKEN(x, k)
                       : TOKEN(rank_tokens(column_at(P, k), 1), 1));
    fputc('\n', out);
    for (int gap = 1; gap <= gaps.length; gap++) {
        int k = TOKEN(gaps, gap);
        Tokens y = rank_tokens(column_at(P, k), top);
        fprintf(out, "  token %d:", k);
        for (int n = 1; n <= top; n++) {
            fputs("  ", out);
            write_token(out, s->model->tokenizer, TOKEN(y, n));
            fprintf(out, " %.4f", (double)AT(P, TOKEN(y, n), k));
        }
        fputc('\n', out);
    }
}

static void tell_class(Predictor *s, Tokens x)
{
    FILE *out = s->command->out;
    if (s->model->theta->hyper.N_C == 0)
        fail_with(s->error, "%s has no classes; 'ftx train class --from' "
                  "makes a classifier of it.", s->file);
    Mat P = classify(s->command->tape, x, s->model->theta);
    fprintf(out, "%s", s->model->class_name[TOKEN(rank_tokens(P, 1), 1)]);
    for (int c = 1; c <= P->rows; c++)
        fprintf(out, "  %s %.4f", s->model->class_name[c],
                (double)AT(P, c, 1));
    fputc('\n', out);
}
#define PLACE(member) offsetof(Predictor, member)
static const Option model_options[] = {
    { "model", TEXT, PLACE(file), NO_BOUNDS, "FILE",
      "as saved by ftx train" },
    { .name = NULL },
}, generate_options[] = {
    { "ell_gen", WHOLE, PLACE(how.ell_gen), 0, MOST_TOKENS, NULL,
      "number of tokens" },
    { "stop", FLAG, PLACE(how.stop_at_eos), NO_BOUNDS, NULL,
      "stop at eos_token" },
    { "special", FLAG, PLACE(special), NO_BOUNDS, NULL,
      "allow special tokens, as the paper does" },
    { .name = NULL },
}, translate_options[] = {
    { "ell_gen", WHOLE, PLACE(how.ell_gen), 0, MOST_TOKENS, NULL,
      "the most tokens; 0: ell_max" },
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
    void (*run)(Predictor *s, Tokens x);    /* prints, or gives up        */
    const Option *options;
    const char *usage;
} commands[] = {
    [TRAIN_D] = {
        "ftx generate", generate, generate_options,
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
        "ftx translate", translate, translate_options,
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
        "ftx fill", fill, fill_options,
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
        "ftx classify", tell_class, NULL,
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
/* Runs the model on a line of f->text. Only a prompt may be empty. */
static void run_on_line(Predictor *s, Piece line)
{
    const Model *m = s->model;
    s->at = (int)(line.at - s->error->text);
    if (line.n == 0 && m->task != TRAIN_D)
        fail_in_text(s->error, s->at, "this line is empty.");
    Tokens x = encode_field(m->tokenizer, s->command->arena, line.at,
                            (size_t)line.n, m->theta->hyper.ell_max, m->task,
                            s->error);
    commands[m->task].run(s, x);
    tape_clear(s->command->tape);
}

void predict(Error *f, Command *c)
{
    Task task = TRAIN_ED;
    while (strcmp(commands[task].name, f->sheet) != 0)
        task++;
    bool generates = task == TRAIN_D, writes = generates || task == TRAIN_ED;
    Predictor *s = arena_alloc(c->arena, sizeof *s);
    *s = (Predictor){ .command = c, .error = f, .top = 3, .seed = 1,
                      .how = { .ell_gen = generates ? 200 : 0,
                               .tau = generates, .no_special = true,
                               .on_token = print_token, .to = s } };
    const Options options[] = {
        { "Model:", model_options, s },
        { "Options:", commands[task].options, s },
        { "Sampling:", writes ? sampling_options : NULL, s },
        { .table = NULL },
    };
    int n = c->n = parse_command(f, c, commands[task].usage, options);
    load_for_task(s, task);
    const Theta *theta = s->model->theta;
    Random random = random_new((uint64_t)s->seed);
    s->how.random = &random;
    if (writes)
        s->how.kv_cache = kv_cache_new(c->arena, c->tape, theta);
    if (task == TRAIN_ED && s->how.ell_gen > theta->hyper.ell_max)
        fail_with(f, "--ell_gen is %d; it must be at most ell_max, %d.",
                  s->how.ell_gen, theta->hyper.ell_max);
    if (generates && n > 1)
        fail_with(f, "expected one prompt; put it in quotes.");
    size_t bytes = 0, at = 0;
    Piece line;
    if (n == 0 && !generates)
        read_text_file(c->arena, "-", &bytes, f);
    while (next_text_line(f->text, bytes, &at, &line))
        run_on_line(s, line);
    for (int k = 0; k < n || (k == 0 && generates); k++) {
        set_subject(f, generates ? "the prompt" : "the text",
                    k < n ? c->argument[k] : "");
        run_on_line(s, (Piece){ f->text, (int)strlen(f->text) });
    }
}
