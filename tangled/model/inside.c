/* ftx show --model: what a trained model computes, line by line. */
#include "model/model.h"
#include "show/show.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *svg;
    bool json;
    int turn, layer, head;
} InsideWish;

static const Option wishes[] = {
    { "model", TEXT, offsetof(InsideWish, model), 0, 0, "FILE",
      "as saved by ftx train" },
    { "svg", TEXT, offsetof(InsideWish, svg), 0, 0, "FILE",
      "draw to this file, and not here" },
    { "json", FLAG, offsetof(InsideWish, json), 0, 0, NULL,
      "every step with all its digits" },
    { "turn", WHOLE, offsetof(InsideWish, turn), 0, 10000000, NULL,
      "of ed: that turn of Algorithm 15; 0: the last" },
    { "layer", WHOLE, offsetof(InsideWish, layer), 0, 1000, NULL,
      "only this layer; 0: all" },
    { "head", WHOLE, offsetof(InsideWish, head), 0, 1000, NULL,
      "only this head; 0: all" },
    { .name = NULL },
};

typedef struct {
    Arena *arena;
    Fault *fault;
    const InsideWish *wish;
    const Model *model;
    Place at;
    Run run;                        /* what was seen                      */
    Step *step;                     /* run.step ...                       */
    int room;                       /* ... has room for so many           */
    Tokens z, x;                    /* of an encoder-decoder both         */
    int turns, y;                   /* Algorithm 15 has so many; the token
                                       that this one has added            */
    bool ended;
} Watch;

static bool is_wanted(const InsideWish *wish, const Step *step)
{
    return (wish->json || step->role == ROLE_WEIGHTS)
        && (wish->layer == 0 || wish->layer == step->layer)
        && (wish->head == 0 || wish->head == step->head);
}

static void keep_step(Watch *w, Step step, Mat M)
{
    if (w->run.n == w->room) {
        w->room = 2 * w->room + 50;
        Step *more = arena_alloc(w->arena, (size_t)w->room * sizeof step);
        if (w->run.n > 0)
            memcpy(more, w->step, (size_t)w->run.n * sizeof step);
        w->run.step = w->step = more;
    }
    step.M = constant(w->arena, M->rows, M->cols);
    memcpy(step.M->at, M->at,
           (size_t)M->rows * (size_t)M->cols * sizeof(real));
    w->step[w->run.n++] = step;
}

static Mat watch(void *to, const char *line, const char *name, Mat M,
                 int index)
{
    Watch *w = to;
    if (M == NULL) {
        pass_line(&w->at, line, index);
        return NULL;
    }
    Step step = step_seen(&w->at, line, name);
    step.inner = step.algorithm != w->run.algorithm;
    step.turn = w->x.length;
    step.loop = 'i';
    if (w->run.algorithm != 15)
        step.turn = 0;
    if (is_wanted(w->wish, &step))
        keep_step(w, step, M);
    pass_line(&w->at, line, 0);
    return M;
}

static const char *label_of(const Watch *w, int token)
{
    Written text;
    write_token(begin_text(&text), w->model->tokenizer, token);
    return end_text(&text, w->arena);
}

static const char *const *labels_of(const Watch *w, Tokens x)
{
    const char **label = arena_alloc(w->arena, (size_t)x.length
                                               * sizeof *label);
    for (int k = 1; k <= x.length; k++)
        label[k - 1] = label_of(w, TOKEN(x, k));
    return label;
}

static const Inference as_translated = {
    .tau = 0, .no_special = true, .encode_once = true
};

/* x-hat of the turn that is wanted, and the token that it adds. */
static void translate_to_turn(Watch *w, Tape *tape)
{
    Tokens x = inference_15(tape, w->arena, w->z, w->model->theta,
                            &as_translated, &w->ended);
    int turn = w->wish->turn;
    w->turns = x.length - 1;
    if (turn > w->turns)
        fault(w->fault, 0, "--turn is %d; the translation has %d turn%s.",
              turn, w->turns, w->turns == 1 ? "" : "s");
    turn = turn == 0 ? w->turns : turn;
    w->x = slice(x, 1, turn);
    w->y = TOKEN(x, turn + 1);
    tape_clear(tape);
}

static void one_turn(Watch *w, Tape *tape)
{
    const Theta *theta = w->model->theta;
    Mat P = see(edtransformer(tape, w->z, w->x, theta), "15.4", "P");
    Mat p = see(column_at(P, w->x.length), "15.5", "p");
    see(drawn_from(p, true, &as_translated), "15.6", "q");
}

static void watch_model(Watch *w, Tape *tape, Tokens x)
{
    const Theta *theta = w->model->theta;
    w->z = w->x = x;
    prepare_tape(w->arena, tape, theta);
    tape_thrifty(w->arena, tape);
    if (w->run.algorithm == 15)
        translate_to_turn(w, tape);
    observe(tape, watch, w);
    switch (theta->hyper.architecture) {
    case ED_TRANSFORMER: one_turn(w, tape); break;
    case E_TRANSFORMER:
        (theta->hyper.pooler ? layers_9 : represent)(tape, w->x, theta);
        break;
    case D_TRANSFORMER:  dtransformer(tape, w->x, theta); break;
    }
    unobserve(tape);
}

static Tokens tokens_to_show(const Command *c, const Model *model, Fault *f)
{
    const char *text = c->argument[0];
    int ell_max = model->theta->hyper.ell_max;
    f->sheet = "the text";
    f->text = text;
    Tokens x = encode_field(model->tokenizer, c->arena, text, strlen(text),
                            ell_max, f, 0);
    return model->task == TRAIN_D ? as_prompt(model->tokenizer, x) : x;
}

static int algorithm_inside(const Model *model)
{
    switch (model->theta->hyper.architecture) {
    case ED_TRANSFORMER: return 15;
    case E_TRANSFORMER:  return 9;
    default:             return 10;
    }
}

static void print_labels(FILE *out, const Watch *w, const char *name,
                         Tokens x)
{
    const char *const *label = labels_of(w, x);
    fprintf(out, ", \"%s\": ", name);
    for (int k = 0; k < x.length; k++) {
        fputs(k == 0 ? "[" : ", ", out);
        json_string(out, label[k], strlen(label[k]));
    }
    fputc(']', out);
}

static Tokens all_tokens(const Watch *w)
{
    int N_V = w->model->theta->hyper.N_V;
    int *id = arena_alloc(w->arena, (size_t)N_V * sizeof *id);
    for (int v = 1; v <= N_V; v++)
        id[v - 1] = v;
    return (Tokens){ N_V, id };
}

static void print_inside(FILE *out, const Watch *w)
{
    const char *name = w->wish->model;
    fputs("{\"model\": ", out);
    json_string(out, name, strlen(name));
    fprintf(out, ", \"algorithm\": %d, \"layout\": \"%s\"",
            w->run.algorithm, w->run.layout->name);
    if (w->run.algorithm == 15)
        print_labels(out, w, "z", w->z);
    print_labels(out, w, "x", w->x);
    if (w->run.algorithm == 15) {
        const char *y = label_of(w, w->y);
        fputs(", \"y\": ", out);
        json_string(out, y, strlen(y));
        fprintf(out, ", \"turn\": %d, \"turns\": %d, \"ended\": %s",
                w->x.length, w->turns, w->ended ? "true" : "false");
    }
    print_labels(out, w, "vocabulary", all_tokens(w));
    fputs(", ", out);
    json_steps(out, &w->run, w->arena);
    fputs("}\n", out);
}

static void head_as_heatmap(const Watch *w, const Step *step, Heatmap *h)
{
    static const char *const kinds[] = {
        [ENC] = "encoder ", [DEC] = "decoder ", [ED] = "cross-attention " };
    const char *kind = step->part > LAYER ? kinds[step->part] : "";
    char *title = arena_alloc(w->arena, 60);
    Tokens keys = step->part == ENC || step->part == ED ? w->z : w->x;
    Tokens queries = step->part == ENC ? w->z : w->x;
    snprintf(title, 60, "%slayer %d, head %d", kind, step->layer,
             step->head);
    *h = (Heatmap){ .title = title, .M = step->M,
        .row = labels_of(w, keys), .column = labels_of(w, queries),
        .down = "key t_z", .across = "query t_x",
        .apart = step->head == 1 };
}

static const char mark[] = "<!-- ftx show: attention -->\n";

static bool is_marked(const char *name)
{
    char begin[sizeof mark] = "";
    FILE *file = open_file(name, "rb");
    size_t n = file == NULL ? 0 : fread(begin, 1, sizeof mark - 1, file);
    if (file != NULL)
        fclose(file);
    return n == sizeof mark - 1 && strcmp(begin, mark) == 0;
}

static void refuse_other_file(const char *name, Fault *f)
{
    About there;
    if (name != NULL && about_name(name, &there) && there.is_file
        && !is_marked(name))
        fault(f, 0, "--svg %s is there already, and was not drawn by this "
              "command; it is not written over.", name);
}

typedef struct {
    int n;
    Heatmap *picture;
} Gallery;

static bool draw_all(FILE *file, const void *data)
{
    const Gallery *g = data;
    fputs(mark, file);
    heatmaps_svg(file, g->n, g->picture, NULL, NULL,
                 "each column sums to 1");
    return !ferror(file);
}

static void draw(const Watch *w, FILE *out, Fault *f)
{
    Gallery g = { w->run.n, arena_alloc(w->arena, (size_t)w->run.n
                                                  * sizeof(Heatmap)) };
    for (int k = 0; k < g.n; k++)
        head_as_heatmap(w, &w->run.step[k], &g.picture[k]);
    if (w->wish->svg != NULL) {
        replace_file(w->wish->svg, NULL, f, &g, draw_all);
        fprintf(out, "%s: the weights of %d heads\n", w->wish->svg, g.n);
        return;
    }
    for (int k = 0; k < g.n; k++) {
        heatmap_text(out, &g.picture[k]);
        fputc('\n', out);
    }
    fputs("down: key t_z; across: query t_x; each column sums to 1\n", out);
}

static int heads_of(const Hyperparameters *h)
{
    return h->H * (h->L + h->L_enc + 2 * h->L_dec);
}

static const char usage[] =
    "Usage: ftx show --model FILE [options] TEXT\n"
    "\n"
    "Draws the attention weights of a trained model on a text, a picture\n"
    "a head; or prints all that it computes. Of a model of ed it is one\n"
    "turn of Algorithm 15. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx show --model hello.ftx --json 'attention'\n"
    "  ftx show --model hello.ftx --layer 1 'attention'\n";

static void check_inside_wish(const InsideWish *wish, const Model *model,
                              int typed, char *const option[], Fault *f)
{
    const Acting acting[] = {
        { "turn", model->task == TRAIN_ED,
          "with a model of 'ftx train ed'" },
        { .name = NULL },
    };
    if (wish->json && wish->svg != NULL)
        fault(f, 0, "one of --json and --svg at a time.");
    refuse_idle(f, acting, typed, option);
}

static Run run_of_model(const Model *model)
{
    const Hyperparameters *h = &model->theta->hyper;
    return (Run){ .algorithm = algorithm_inside(model),
                  .layout = &layouts[0],    /* the paper's                */
                  .scaled = true, .rms = h->rms, .tied = h->tied,
                  .unplaced = h->positions == NO_POSITIONS };
}

static void show_it(Fault *f, void *data)
{
    Command *c = data;
    InsideWish wish = { 0 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    const char *command = f->sheet;
    int n = obey(f, options, c->n, c->argument);
    if (n != 1)
        fault(f, 0, "expected one text; put it in quotes.");
    refuse_other_file(wish.svg, f);
    Model *model = model_load(c->arena, wish.model, TO_USE, f);
    f->sheet = command;
    f->text = NULL;
    check_inside_wish(&wish, model, c->n - n, c->argument + n, f);
    refuse_overflow(c, wish.model, f);
    Watch w = { .arena = c->arena, .fault = f, .wish = &wish,
                .model = model, .run = run_of_model(model) };
    Tokens x = tokens_to_show(c, model, f);
    f->sheet = command;
    f->text = NULL;
    watch_model(&w, c->tape, x);
    if (w.run.n == 0)
        fault(f, 0, "there is no such layer or head: the model has %d "
              "heads in all.", heads_of(&model->theta->hyper));
    if (wish.json)
        print_inside(c->out, &w);
    else
        draw(&w, c->out, f);
}

int show_inside(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx show", show_it, out, err, n, argument);
}
