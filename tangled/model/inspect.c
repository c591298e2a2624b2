/* ftx show --model: what a model computes, line by line.

   Main type: Inspection. Entry point: show_inside. In come a model and a
   text; out come predictions after each layer, steps, or heads. */
#include "model/model.h"
#include "show/show.h"
#include <string.h>

/* A look into a model. 25 fields: what is typed, what is looked at, where
   the observer is, and what it has seen. */
typedef struct {
    const char *file, *line;    /* typed; NULL: it is not                 */
    bool json;
    int turn, layer, head;      /* typed; 0: the last, all, all           */
    Texts set;
    int algorithm, row;         /* of `line`                              */
    Command *command;
    Error *error;
    const Model *model;
    Interventions *changes;
    Tokens z, x;                /* of an encoder-decoder both             */
    int turns, y;               /* of z; the token that this turn adds    */
    bool ended;                 /* eos_token is the last of all           */
    Place at;
    Run run;                    /* the steps that are asked for           */
    int t;                      /* predictions are read off at token t:   */
    int n;                      /* from the embedding and each layer,     */
    Mat *state;                 /* state[0] ... state[n - 1], each a column */
} Inspection;

/* Has it a head? A bare BertModel has none. */
static bool has_predictions(const Model *model)
{
    return model->task != TRAIN_CLASS || model->theta->hyper.N_C > 0;
}

/* Is it a step that the user asks for? */
static bool is_wanted(const Inspection *in, const Step *step)
{
    return in->line == NULL ? in->json
         : in->algorithm == step->algorithm && in->row == step->line
           && (in->layer == 0 || in->layer == step->layer)
           && (in->head == 0 || in->head == step->head);
}

/* Watches a value of a line; returns what it becomes. */
static Mat inspect_line(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    Inspection *in = to;
    if (M == NULL) {
        step_seen(&in->at, line, name, index);
        return NULL;
    }
    M = intervene(in->changes, &in->at, line, M);
    if (has_predictions(in->model)
        && is_line_in(" 8.12 8.19 9.3 9.8 10.3 10.8 ", line))
        in->state[in->n++] = matrix_copy(in->command->arena,
                                         column_at(M, in->t));
    Step step = step_seen(&in->at, line, name, 0);
    step.inner = step.algorithm != in->run.algorithm;
    step.turn = in->run.algorithm == 15 ? in->x.length : 0;
    step.loop = 'i';
    if (is_wanted(in, &step))
        append_step(&in->run, in->command->arena, &step, M);
    return M;
}

/* Returns what the last lines make of a state, a column, on the tape, which
   forgets what it had. */
static Mat read_off(const Inspection *in, Mat state)
{
    const Model *model = in->model;
    const Theta *theta = model->theta;
    tape_clear(in->command->tape);
    Mat X = input(in->command->tape, state->rows, state->cols);
    memcpy(X->at, state->at, (size_t)state->rows * sizeof(real));
    Architecture kind = theta->hyper.architecture;
    bool transformed = kind == E_TRANSFORMER && !theta->hyper.pooler;
    if (transformed) {
        X = affine(theta->W_f, X, theta->b_f);
        X = gelu(X);
    }
    if (transformed || kind == D_TRANSFORMER)
        X = layer_norm(X, theta->gamma, theta->beta);
    return model->task == TRAIN_CLASS ? classify_state(X, theta)
                                      : unembed(X, theta->W_u);
}

static const Inference as_translated = {
    .tau = 0, .no_special = true
};

/* Finds x-hat of the turn that is asked for, and the token that it adds. */
static void translate_to_turn(Inspection *in)
{
    Arena *arena = in->command->arena;
    Tape *tape = in->command->tape;
    prepare_tape(arena, tape, in->model->theta);
    tape_discard_layers(arena, tape);
    Tokens x = inference_15(tape, arena, in->z, in->model->theta,
                            &as_translated, &in->ended);
    in->turns = x.length - 1;
    if (in->turn > in->turns)
        fail_with(in->error, "--turn is %d; the translation has %d turn%s.",
                  in->turn, in->turns, in->turns == 1 ? "" : "s");
    in->x = slice(x, 1, in->turn == 0 ? in->turns : in->turn);
    in->y = TOKEN(x, in->x.length + 1);
}

/* Runs what is looked at: a turn of Algorithm 15, or Algorithm 9 or 10, as
   far as the model goes. Leaves the tape without an observer. */
static void inspect(Inspection *in)
{
    const Theta *theta = in->model->theta;
    Arena *arena = in->command->arena;
    Tape *tape = in->command->tape;
    prepare_tape(arena, tape, theta);
    observe(tape, inspect_line, in);
    tape_discard_layers(arena, tape);
    if (in->run.algorithm == 10) {
        dtransformer(tape, in->x, theta);
    } else if (in->run.algorithm == 15) {
        Mat P = see(edtransformer(tape, in->z, in->x, theta), "15.4", "P");
        Mat p = see(column_at(P, in->x.length), "15.5", "p");
        see(sampling_distribution(p, true, &as_translated), "15.6", "q");
    } else if (in->model->task == TRAIN_E) {
        etransformer(tape, in->x, theta);
    } else if (theta->hyper.N_C > 0) {
        classify(tape, in->x, theta);
    } else {
        (theta->hyper.pooler ? layers_9 : represent)(tape, in->x, theta);
    }
    tape_clear(tape);
    prepare_tape(arena, tape, theta);
}

/* Makes tokens of the text, and room for what will be predicted: of the first
   gap, or of the last token. */
static void find_tokens(Inspection *in, const char *text)
{
    const Hyperparameters *h = &in->model->theta->hyper;
    size_t most = 1 + (size_t)h->L + (size_t)h->L_dec;
    Task task = in->model->task;
    set_subject(in->error, "the text", text);
    in->x = in->z = encode_field(in->model->tokenizer, in->command->arena,
                                 text, strlen(text), h->ell_max, task,
                                 in->error);
    set_subject(in->error, "ftx show", NULL);
    if (in->run.algorithm == 15)
        translate_to_turn(in);
    Tokens gaps = places(in->command->tape, in->x, mask_token(h->N_V));
    in->t = task == TRAIN_CLASS ? 1 : task != TRAIN_E ? in->x.length
          : gaps.length > 0 ? TOKEN(gaps, 1) : in->x.length - 1;
    in->state = arena_alloc(in->command->arena, most * sizeof(Mat));
}

/* Returns a token so that it can be read, in the arena. */
static const char *label_of(const Inspection *in, int token)
{
    TextStream text;
    write_token(open_text_stream(&text), in->model->tokenizer, token);
    return close_text_stream(&text, in->command->arena);
}

/* Prints a member of the object: a list of n texts, or of tokens. */
static void print_texts(FILE *out, const char *name, int n,
                        const char *const text[])
{
    print_json(out, ", %s: [", name);
    for (int k = 0; k < n; k++)
        print_json(out, k == 0 ? "%s" : ", %s", text[k]);
    fputc(']', out);
}

static void print_tokens_of(FILE *out, const Inspection *in,
                            const char *name, Tokens x)
{
    print_json(out, ", %s: [", name);
    for (int k = 1; k <= x.length; k++)
        print_json(out, k == 1 ? "%s" : ", %s", label_of(in, TOKEN(x, k)));
    fputc(']', out);
}

/* Prints the predictions after each layer, all of each. */
static void print_lens(FILE *out, const Inspection *in)
{
    if (in->model->task == TRAIN_CLASS)
        print_texts(out, "classes", in->model->theta->hyper.N_C,
                    in->model->class_name + 1);
    else
        print_json(out, ", 'token': %d", in->t);
    print_json(out, ", 'lens': [");
    for (int k = 0; k < in->n; k++) {
        Mat P = read_off(in, in->state[k]);
        fputs(k == 0 ? "[" : ", [", out);
        for (int v = 1; v <= P->rows; v++)
            print_json(out, v == 1 ? "%g" : ", %g", (double)AT(P, v, 1));
        fputc(']', out);
    }
    fputc(']', out);
}

static void print_inspection(FILE *out, const Inspection *in)
{
    bool ed = in->run.algorithm == 15;
    print_json(out, "{'model': %s, 'algorithm': %d, 'layout': %s",
               in->file, in->run.algorithm, in->run.layout->name);
    if (ed)
        print_tokens_of(out, in, "z", in->z);
    print_tokens_of(out, in, "x", in->x);
    if (ed)
        print_json(out, ", 'y': %s, 'turn': %d, 'turns': %d, 'ended': %b",
                   label_of(in, in->y), in->x.length, in->turns, in->ended);
    if (in->line == NULL)
        print_tokens_of(out, in, "vocabulary", span(in->command->tape, 1,
                        in->model->theta->hyper.N_V));
    if (in->set.n > 0)
        print_texts(out, "set", in->set.n, in->set.text);
    if (in->line == NULL && has_predictions(in->model))
        print_lens(out, in);
    fputs(", ", out);
    json_steps(out, &in->run, in->command->arena);
    fputs("}\n", out);
}

static void print_numbered(FILE *out, const Inspection *in, const char *name,
                           Tokens x)
{
    fprintf(out, "%-2s", name);
    for (int k = 1; k <= x.length; k++)
        fprintf(out, "  %d %s", k, label_of(in, TOKEN(x, k)));
    fputc('\n', out);
}

static void print_both_texts(FILE *out, const Inspection *in)
{
    if (in->run.algorithm == 15)
        print_numbered(out, in, "z", in->z);
    print_numbered(out, in, "x", in->x);
    if (in->run.algorithm == 15)
        fprintf(out, "turn %d of %d adds  %s%s\n", in->x.length, in->turns,
                label_of(in, in->y),
                in->set.n == 0 ? "" : "  without what is set");
}

/* Prints a row of the table: its name, and the most probable outcomes. */
static void print_ranking(FILE *out, const Inspection *in, const char *name,
                          Mat state)
{
    enum { COLUMNS = 5, TOP = 5 };
    Mat P = read_off(in, state);
    int n = P->rows < TOP ? P->rows : TOP, y[TOP];
    rank_tokens(P, n, y);
    fprintf(out, "%-12s", name);
    for (int k = 0; k < n; k++) {
        const char *what = in->model->task == TRAIN_CLASS
                         ? in->model->class_name[y[k]] : label_of(in, y[k]);
        int wide = text_width(what);
        fprintf(out, "  %s%*s %.3f", what, wide < COLUMNS ? COLUMNS - wide
                : 0, "", (double)AT(P, y[k], 1));
    }
    fputc('\n', out);
}

/* Prints what would be predicted after each layer. */
static void print_text(FILE *out, const Inspection *in)
{
    Task task = in->model->task;
    char name[40] = "embedding";
    print_both_texts(out, in);
    if (!has_predictions(in->model)) {
        fputs("\nNothing is predicted: the model has no head. --line and "
              "--json show what it\ncomputes.\n", out);
        return;
    }
    fprintf(out, "\n%-12s  %s, read off %s token %d\n", "after",
            task == TRAIN_CLASS ? "the class" : "the most probable tokens",
            task == TRAIN_E || task == TRAIN_CLASS ? "at" : "behind", in->t);
    for (int k = 0; k < in->n; k++) {
        if (k > 0)
            snprintf(name, sizeof name, "layer %d", k);
        print_ranking(out, in, name, in->state[k]);
    }
}

/* Prints the values of --line, as the steps of a sheet without items. */
static void print_line_values(FILE *out, Inspection *in)
{
    const Sheet no_sheet = { .n = 0 };
    in->run.sheet = &no_sheet;
    in->run.decimals = 4;
    print_both_texts(out, in);
    fputc('\n', out);
    show_text(out, &in->run, true, true);
}

#define PLACE(member) offsetof(Inspection, member)
static const Option inspect_options[] = {
    { "model", TEXT, PLACE(file), NO_BOUNDS, "MODEL",
      "as saved by ftx train" },
    { "set", TEXTS, PLACE(set), NO_BOUNDS, "CHANGE",
      "change a value; may be typed several times" },
    { "turn", WHOLE, PLACE(turn), 0, 10000000, NULL,
      "of ed: that turn of Algorithm 15; 0: the last" },
    { "line", TEXT, PLACE(line), NO_BOUNDS, "A.L",
      "print what line L of Algorithm A computes" },
    { "json", FLAG, PLACE(json), NO_BOUNDS, NULL,
      "everything, or only that line, with all digits" },
    { "layer", WHOLE, PLACE(layer), 0, 1000, NULL,
      "of the line, only in this layer; 0: all" },
    { "head", WHOLE, PLACE(head), 0, 1000, NULL,
      "of the line, only in this head; 0: all" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx show --model MODEL [options] TEXT\n"
    "\n"
    "Looks inside a model that reads the text: what it would predict after\n"
    "each layer, and what any line computes: line 4.6 is where each head\n"
    "looks, a column for each token. For a model of 'ftx train e' write a\n"
    "gap as [gap]. Of one of 'ftx train ed' it is one turn of Algorithm 15.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx show --model hello.ftx 'attention'\n"
    "  ftx show --model hello.ftx --line 4.6 --layer 1 'attention'\n"
    "  ftx show --model hello.ftx --set 'layer 1 mlp = 0' 'attention'\n"
    "\n"
    "A CHANGE is a place and '= 0', or '* 0.5', a factor. Places:\n"
    "\n"
    "  layer 3 head 2     what the head gives, line 5.2\n"
    "  layer 3 attention  what all its heads give, line 5.4\n"
    "  layer 3 mlp        what the MLP adds\n"
    "  layer 3            what the whole layer adds\n"
    "  layer 3 token 5    the state of token 5 after the layer; 'layer 0'\n"
    "                     is the embedding\n"
    "\n"
    "Behind head 2, attention and mlp, 'token 5' is that token alone. Of\n"
    "a model of 'ftx train ed' say encoder, decoder or cross before\n"
    "'layer'; a change acts in the turn that is shown, not before it.\n";

/* Refuses what would do nothing, and a line that is none. */
static void check_options(Inspection *in, char *const option[])
{
    Error *f = in->error;
    char behind;
    refuse_unused(f, option, "turn", in->model->task == TRAIN_ED,
                  "with a model of 'ftx train ed'");
    refuse_unused(f, option, "layer", in->line != NULL, "with --line");
    refuse_unused(f, option, "head", in->line != NULL, "with --line");
    if (in->line != NULL
        && (sscanf(in->line, "%2d.%2d%c", &in->algorithm, &in->row,
                   &behind) != 2
            || in->algorithm < 1 || in->row < 1))
        fail_with(f, "--line must be an algorithm and a line of it, "
                  "such as 10.6; it is '%.100s'.", in->line);
}

/* Returns the run of the model's algorithm, without steps. */
static Run run_of_model(const Model *model)
{
    static const int algorithm[] = { [ED_TRANSFORMER] = 15,
        [E_TRANSFORMER] = 9, [D_TRANSFORMER] = 10 };
    const Hyperparameters *h = &model->theta->hyper;
    return (Run){ .algorithm = algorithm[h->architecture],
                  .layout = &layouts[0],    /* the paper's                */
                  .hyper = *h };
}

void show_inside(Error *f, Command *c)
{
    Inspection *in = arena_alloc(c->arena, sizeof *in);
    *in = (Inspection){ .command = c, .error = f };
    const Options options[] = { { "Options:", inspect_options, in },
                                { .table = NULL } };
    int n = parse_command(f, c, usage, options);
    if (n != 1)
        fail_with(f, "expected one text; put it in quotes.");
    in->model = model_load(c->arena, in->file, TO_USE, f);
    check_options(in, c->argument + n);
    const Hyperparameters *h = &in->model->theta->hyper;
    in->run = run_of_model(in->model);
    find_tokens(in, c->argument[0]);
    in->changes = interventions_read(c->arena, h, &in->set, in->z.length,
                                     in->x.length, f);
    inspect(in);
    set_subject(f, "ftx show", NULL);
    if (in->run.n == 0 && (in->json || in->line != NULL))
        fail_with(f, "nothing of that is computed: the model runs Algorithms "
                  "4 to 7 and %s, and has %d layers of %d heads.",
                  in->run.algorithm == 15 ? "8, and lines 15.4 to 15.6"
                  : in->run.algorithm == 9 ? "9" : "10",
                  h->L + h->L_enc + h->L_dec, h->H);
    if (in->json)
        print_inspection(c->out, in);
    else if (in->line != NULL)
        print_line_values(c->out, in);
    else
        print_text(c->out, in);
}
