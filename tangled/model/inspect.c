/* ftx show --model: what a model computes, line by line.

   Main type: Inspection. Entry point: show_inside. In come a model and a
   text; out come predictions after each layer, steps, or heads. */
#include "model/model.h"
#include "show/show.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *line;
    bool json;
    int turn, layer, head;
    int algorithm, row;         /* of line; 0: it is not typed            */
    Texts set;
} InspectOptions;

typedef struct {                /* one of Algorithm 15                    */
    int all;                    /* there are so many                      */
    int y;                      /* the token that it adds                 */
    bool ended;                 /* eos_token is the last of all           */
} Turn;

typedef struct {                /* what is read off after each layer      */
    int t;                      /* at this token                          */
    int n;                      /* with the embedding                     */
    Mat *state, *P;             /* state[0], P[0] ..., of one column      */
    Mat unset;                  /* the last P, with nothing set; or NULL  */
} Lens;

typedef struct {
    Command *command;
    Arena *arena;
    Error *error;
    const InspectOptions *o;
    const Model *model;
    Interventions *changes;
    bool changed;               /* they act, and steps are recorded       */
    Place at;
    Run run;                    /* the steps that are asked for           */
    Step *step;                 /* run.step ...                           */
    int room;                   /* ... has room for so many               */
    Tokens z, x;                /* of an encoder-decoder both             */
    Turn turn;
    Lens lens;
} Inspection;

static bool has_predictions(const Model *model)
{
    return model->task != TRAIN_CLASS || model->theta->hyper.N_C > 0;
}

static bool is_wanted(const InspectOptions *o, const Step *step)
{
    return o->line == NULL ? o->json
         : o->algorithm == step->algorithm && o->row == step->line
           && (o->layer == 0 || o->layer == step->layer)
           && (o->head == 0 || o->head == step->head);
}

static void keep_step(Inspection *in, Step step, Mat M)
{
    if (in->run.n == in->room) {
        in->room = 2 * in->room + 50;
        Step *more = arena_alloc(in->arena, (size_t)in->room * sizeof step);
        if (in->run.n > 0)
            memcpy(more, in->step, (size_t)in->run.n * sizeof step);
        in->run.step = in->step = more;
    }
    step.M = matrix_copy(in->arena, M);
    in->step[in->run.n++] = step;
}

static Mat inspect_value(Inspection *in, const char *line, const char *name,
                         Mat M)
{
    if (in->changed)
        M = intervene(in->changes, &in->at, line, M);
    if (has_predictions(in->model)
        && is_line_in(" 8.12 8.19 9.3 9.8 10.3 10.8 ", line))
        in->lens.state[in->lens.n++] = matrix_copy(in->arena,
                                           column_at(M, in->lens.t));
    Step step = step_seen(&in->at, line, name);
    step.inner = step.algorithm != in->run.algorithm;
    step.turn = in->run.algorithm == 15 ? in->x.length : 0;
    step.loop = 'i';
    if (in->changed && is_wanted(in->o, &step))
        keep_step(in, step, M);
    return M;
}

static Mat inspect_line(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    Inspection *in = to;
    if (M != NULL)
        M = inspect_value(in, line, name, M);
    pass_line(&in->at, line, M == NULL ? index : 0);
    return M;
}

static Mat read_off(const Model *model, Tape *tape, Mat state)
{
    const Theta *theta = model->theta;
    Mat X = input(tape, state->rows, state->cols);
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

static void read_all_off(Inspection *in)
{
    Tape *tape = in->command->tape;
    prepare_tape(in->arena, tape, in->model->theta);
    for (int k = 0; k < in->lens.n; k++)
        in->lens.P[k] = matrix_copy(in->arena,
                            read_off(in->model, tape, in->lens.state[k]));
    tape_clear(tape);
}

static const Inference as_translated = {
    .tau = 0, .no_special = true
};

/* Finds x-hat of the turn that is asked for, and the token that it adds. */
static void translate_to_turn(Inspection *in)
{
    Tape *tape = in->command->tape;
    prepare_tape(in->arena, tape, in->model->theta);
    tape_discard_layers(in->arena, tape);
    Tokens x = inference_15(tape, in->arena, in->z, in->model->theta,
                            &as_translated, &in->turn.ended);
    int turn = in->o->turn, all = in->turn.all = x.length - 1;
    if (turn > all)
        fail_with(in->error, "--turn is %d; the translation has %d turn%s.",
                  turn, all, all == 1 ? "" : "s");
    turn = turn == 0 ? all : turn;
    in->x = slice(x, 1, turn);
    in->turn.y = TOKEN(x, turn + 1);
    tape_clear(tape);
}

static void run_inspected(const Inspection *in, Tape *tape)
{
    const Theta *theta = in->model->theta;
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
}

static void run_observed(Inspection *in, bool changed)
{
    Tape *tape = in->command->tape;
    prepare_tape(in->arena, tape, in->model->theta);
    observe(tape, inspect_line, in);
    tape_discard_layers(in->arena, tape);
    in->changed = changed;
    in->lens.n = 0;
    in->at = (Place){ NOWHERE, 0, 0 };
    run_inspected(in, tape);
    tape_clear(tape);
    read_all_off(in);
}

static void inspect(Inspection *in)
{
    if (in->o->set.n > 0) {
        run_observed(in, false);
        in->lens.unset = in->lens.n > 0 ? in->lens.P[in->lens.n - 1] : NULL;
    }
    run_observed(in, true);
}

static Tokens tokens_in_text(const Inspection *in, const char *text)
{
    const Model *model = in->model;
    Error *f = in->error;
    int ell_max = model->theta->hyper.ell_max;
    size_t n = strlen(text);
    set_subject(f, "the text", text);
    if (model->task == TRAIN_E)
        return encode_with_gaps(model->tokenizer, in->arena, text, n,
                                ell_max, f, 0);
    return encode_field(model->tokenizer, in->arena, text, n, ell_max,
                        model->task == TRAIN_D, f, 0);
}

/* Returns the token whose prediction is shown: the first gap, or the last. */
static int place_of_prediction(const Inspection *in)
{
    int last = in->x.length, mask = mask_token(in->model->theta->hyper.N_V);
    if (in->model->task == TRAIN_CLASS)
        return 1;
    if (in->model->task != TRAIN_E)
        return last;
    for (int t = 1; t <= last; t++)
        if (TOKEN(in->x, t) == mask)
            return t;
    return last - 1;
}

static void find_tokens(Inspection *in, const char *text)
{
    const Hyperparameters *h = &in->model->theta->hyper;
    Tokens tokens = tokens_in_text(in, text);
    set_subject(in->error, "ftx show", NULL);
    in->x = tokens;
    if (in->run.algorithm == 15) {
        in->z = tokens;
        translate_to_turn(in);
    }
    in->lens.t = place_of_prediction(in);
    size_t most = 1 + (size_t)h->L + (size_t)h->L_dec;
    in->lens.state = arena_alloc(in->arena, most * sizeof(Mat));
    in->lens.P = arena_alloc(in->arena, most * sizeof(Mat));
}

static const char *label_of(const Inspection *in, int token)
{
    TextStream text;
    write_token(open_text_stream(&text), in->model->tokenizer, token);
    return close_text_stream(&text, in->arena);
}

static const char *const *labels_of(const Inspection *in, Tokens x)
{
    const char **label = arena_alloc(in->arena, ((size_t)x.length + 1)
                                                * sizeof *label);
    for (int k = 1; k <= x.length; k++)
        label[k - 1] = label_of(in, TOKEN(x, k));
    return label;
}

static void print_texts(FILE *out, const char *name, int n,
                        const char *const text[])
{
    print_json(out, ", %s: [", name);
    for (int k = 0; k < n; k++)
        print_json(out, k == 0 ? "%s" : ", %s", text[k]);
    fputc(']', out);
}

static void print_column(FILE *out, Mat p)
{
    for (int v = 1; v <= p->rows; v++)
        print_json(out, v == 1 ? "[%g" : ", %g", (double)AT(p, v, 1));
    fputc(']', out);
}

static void print_lens(FILE *out, const Inspection *in)
{
    const Lens *lens = &in->lens;
    if (in->model->task == TRAIN_CLASS)
        print_texts(out, "classes", in->model->theta->hyper.N_C,
                    in->model->class_name + 1);
    else
        print_json(out, ", 'token': %d", lens->t);
    print_json(out, ", 'lens': [");
    for (int k = 0; k < lens->n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        print_column(out, lens->P[k]);
    }
    fputc(']', out);
    if (lens->unset != NULL) {
        print_json(out, ", 'unset': ");
        print_column(out, lens->unset);
    }
}

static void print_inspection(FILE *out, const Inspection *in)
{
    int N_V = in->model->theta->hyper.N_V;
    bool ed = in->run.algorithm == 15;
    Tokens all = span(in->command->tape, 1, N_V);
    print_json(out, "{'model': %s, 'algorithm': %d, 'layout': %s",
               in->o->model, in->run.algorithm, in->run.layout->name);
    if (ed)
        print_texts(out, "z", in->z.length, labels_of(in, in->z));
    print_texts(out, "x", in->x.length, labels_of(in, in->x));
    if (ed)
        print_json(out, ", 'y': %s, 'turn': %d, 'turns': %d, 'ended': %b",
                   label_of(in, in->turn.y), in->x.length, in->turn.all,
                   in->turn.ended);
    if (in->o->line == NULL)
        print_texts(out, "vocabulary", N_V, labels_of(in, all));
    if (in->o->set.n > 0)
        print_texts(out, "set", in->o->set.n, in->o->set.text);
    if (in->o->line == NULL && has_predictions(in->model))
        print_lens(out, in);
    fputs(", ", out);
    json_steps(out, &in->run, in->arena);
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
        fprintf(out, "turn %d of %d adds  %s%s\n", in->x.length,
                in->turn.all, label_of(in, in->turn.y),
                in->lens.unset == NULL ? "" : "  without set");
}

static const char *outcome(const Inspection *in, int y)
{
    return in->model->task == TRAIN_CLASS ? in->model->class_name[y]
                                          : label_of(in, y);
}

/* Prints a row of the table: its name, and the most probable outcomes. */
static void print_ranking(FILE *out, const Inspection *in, const char *name,
                          Mat P)
{
    enum { COLUMNS = 5, TOP = 5 };
    int n = P->rows < TOP ? P->rows : TOP, y[TOP];
    Mat p = input(in->command->tape, P->rows, 1);
    memcpy(p->at, P->at, (size_t)P->rows * sizeof(real));
    rank_tokens(p, n, y);
    fprintf(out, "%-12s", name);
    for (int k = 0; k < n; k++) {
        const char *what = outcome(in, y[k]);
        int wide = text_width(what);
        fprintf(out, "  %s%*s %.3f", what, wide < COLUMNS ? COLUMNS - wide
                : 0, "", (double)AT(P, y[k], 1));
    }
    fputc('\n', out);
    tape_clear(in->command->tape);
}

static void print_text(FILE *out, const Inspection *in)
{
    static const char *const lines[] = {
        [TRAIN_ED] = " 8.21", [TRAIN_E] = "s 9.10 to 9.12",
        [TRAIN_D] = "s 10.10 and 10.11", [TRAIN_CLASS] = "",
    };
    Task task = in->model->task;
    const Lens *lens = &in->lens;
    char name[40] = "embedding";
    print_both_texts(out, in);
    if (!has_predictions(in->model)) {
        fputs("\nNothing is predicted: the model has no head. --line and "
              "--json show what it\ncomputes.\n", out);
        return;
    }
    if (task == TRAIN_CLASS)
        fprintf(out, "\n%-12s  the class, as its head reads it off token "
                "1\n", "after");
    else
        fprintf(out, "\n%-12s  %s token %d, as line%s would read it off\n",
                "after", task == TRAIN_E ? "at" : "behind", lens->t,
                lines[task]);
    for (int k = 0; k < lens->n; k++) {
        if (k > 0)
            snprintf(name, sizeof name, "layer %d", k);
        print_ranking(out, in, name, lens->P[k]);
    }
    if (lens->unset != NULL)
        print_ranking(out, in, "without set", lens->unset);
}

static void print_line_values(FILE *out, Inspection *in)
{
    const Sheet no_sheet = { .n = 0 };
    in->run.sheet = &no_sheet;
    in->run.decimals = 4;
    in->run.assumed = "";
    print_both_texts(out, in);
    fputc('\n', out);
    show_text(out, &in->run, true, true);
}

static const Option inspect_options[] = {
    { "model", TEXT, UNBOUNDED(InspectOptions, model), "MODEL",
      "as saved by ftx train, or a released one" },
    { "set", TEXTS, UNBOUNDED(InspectOptions, set), "CHANGE",
      "change a value; may be typed several times" },
    { "turn", WHOLE, offsetof(InspectOptions, turn), 0, 10000000, NULL,
      "of ed: that turn of Algorithm 15; 0: the last" },
    { "line", TEXT, UNBOUNDED(InspectOptions, line), "A.L",
      "print what line L of Algorithm A computes" },
    { "json", FLAG, UNBOUNDED(InspectOptions, json), NULL,
      "everything, or only that line, with all digits" },
    { "layer", WHOLE, offsetof(InspectOptions, layer), 0, 1000, NULL,
      "of the line, only in this layer; 0: all" },
    { "head", WHOLE, offsetof(InspectOptions, head), 0, 1000, NULL,
      "of the line, only in this head; 0: all" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx show --model MODEL [options] TEXT\n"
    "\n"
    "Looks inside a model that reads the text: what it would predict\n"
    "after each layer, and what any line computes: line 4.6 is where each\n"
    "head looks, a column for each token.\n"
    "For a model of 'ftx train e' write a gap as [gap]. Of one of 'ftx\n"
    "train ed' it is one turn of Algorithm 15. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx show --model hello.ftx 'attention'\n"
    "  ftx show --model hello.ftx --line 4.6 --layer 1 'attention'\n"
    "  ftx show --model hello.ftx --set 'layer 1 mlp = 0' 'attention'\n"
    "\n"
    "A CHANGE is a place and what is done there. Places:\n"
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
    "'layer'; a change acts in the turn that is shown, and not in those\n"
    "before it. What is done there:\n"
    "\n"
    "  = 0                it is 0\n"
    "  * 0.5              it is multiplied\n";

static void check_options(InspectOptions *o, const Model *model, int typed,
                          char *const option[], Error *f)
{
    const OptionEffect effects[] = {
        { "turn", model->task == TRAIN_ED,
          "with a model of 'ftx train ed'" },
        { "layer", o->line != NULL, "with --line" },
        { "head", o->line != NULL, "with --line" },
        { .name = NULL },
    };
    char behind;
    refuse_unused_options(f, effects, typed, option);
    if (o->line != NULL
        && (sscanf(o->line, "%2d.%2d%c", &o->algorithm, &o->row,
                   &behind) != 2
            || o->algorithm < 1 || o->row < 1))
        fail_with(f, "--line must be an algorithm and a line of it, such as "
                  "10.6; it is '%.100s'.", o->line);
}

static Run run_of_model(const Model *model)
{
    static const int algorithm[] = { [ED_TRANSFORMER] = 15,
        [E_TRANSFORMER] = 9, [D_TRANSFORMER] = 10 };
    const Hyperparameters *h = &model->theta->hyper;
    return (Run){ .algorithm = algorithm[h->architecture],
                  .layout = &layouts[0],    /* the paper's                */
                  .scaled = true, .rms = h->rms, .tied = h->tied,
                  .unplaced = h->positions == NO_POSITIONS };
}

static void refuse_no_steps(const Inspection *in)
{
    const Hyperparameters *h = &in->model->theta->hyper;
    fail_with(in->error, "nothing of that is computed: the model runs "
              "Algorithms 4 to 7 and %s, and has %d layers of %d heads.",
              in->run.algorithm == 15 ? "8, and lines 15.4 to 15.6"
              : in->run.algorithm == 9 ? "9" : "10",
              h->L + h->L_enc + h->L_dec, h->H);
}

void show_inside(Error *f, Command *c)
{
    InspectOptions o = { .turn = 0 };
    const Options options[] = { { "Options:", inspect_options, &o },
                                { .table = NULL } };
    int n = parse_command(f, c, usage, options);
    if (n != 1)
        fail_with(f, "expected one text; put it in quotes.");
    Model *model = model_load(c->arena, o.model, TO_USE, f);
    check_options(&o, model, c->n - n, c->argument + n, f);
    Inspection in = { .arena = c->arena, .command = c, .error = f, .o = &o,
                      .model = model, .run = run_of_model(model) };
    find_tokens(&in, c->argument[0]);
    in.changes = interventions_read(c->arena, &model->theta->hyper, &o.set,
                                    in.z.length, in.x.length, f);
    inspect(&in);
    set_subject(f, "ftx show", NULL);
    if (in.run.n == 0 && (o.json || o.line != NULL))
        refuse_no_steps(&in);
    if (o.json)
        print_inspection(c->out, &in);
    else if (o.line != NULL)
        print_line_values(c->out, &in);
    else
        print_text(c->out, &in);
}
