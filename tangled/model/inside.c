/* ftx show --model: what a model computes, line by line. */
#include "model/model.h"
#include "show/heatmap.h"
#include "show/show.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *svg, *line;
    bool json, attention;
    int turn, layer, head, token, top;
    Texts set;
} InsideWish;

static const Option wishes[] = {
    { "model", TEXT, UNBOUNDED(InsideWish, model), "MODEL",
      "as saved by ftx train, or a released one" },
    { "set", TEXTS, UNBOUNDED(InsideWish, set), "SPOT",
      "change a value; may be typed several times" },
    { "top", WHOLE, offsetof(InsideWish, top), 1, 10000000, NULL,
      "so many of the most probable tokens" },
    { "token", WHOLE, offsetof(InsideWish, token), 0, 10000000, NULL,
      "whose prediction; 0: the last, or the first gap" },
    { "turn", WHOLE, offsetof(InsideWish, turn), 0, 10000000, NULL,
      "of ed: that turn of Algorithm 15; 0: the last" },
    { "attention", FLAG, UNBOUNDED(InsideWish, attention), NULL,
      "draw the weights of the heads here" },
    { "svg", TEXT, UNBOUNDED(InsideWish, svg), "FILE",
      "draw them to this file" },
    { "line", TEXT, UNBOUNDED(InsideWish, line), "A.L",
      "print what line L of Algorithm A computes" },
    { "json", FLAG, UNBOUNDED(InsideWish, json), NULL,
      "everything with all its digits" },
    { "layer", WHOLE, offsetof(InsideWish, layer), 0, 1000, NULL,
      "only this layer; 0: all" },
    { "head", WHOLE, offsetof(InsideWish, head), 0, 1000, NULL,
      "only this head; 0: all" },
    { .name = NULL },
};

typedef struct {
    Arena *arena;
    Command *command;
    Error *error;
    const InsideWish *wish;
    const Model *model;
    Spots *spots;
    Place at;
    Run run;                        /* what was seen                      */
    Step *step;                     /* run.step ...                       */
    int room;                       /* ... has room for so many           */
    int algorithm, line;            /* that are wanted; 0: all            */
    Tokens z, x;                    /* of an encoder-decoder both         */
    int turns, y;                   /* Algorithm 15 has so many; the token
                                       that this one has added            */
    bool ended;
    int t;                          /* whose prediction is read off       */
    int layers;                     /* with the embedding, so far         */
    Mat *state, *P;                 /* behind each: its column t, and what
                                       is read off there                  */
    Mat unset;                      /* P of the last, with nothing set    */
} Watch;

static bool is_wanted(const Watch *w, const Step *step)
{
    const InsideWish *wish = w->wish;
    bool kind = w->algorithm > 0 ? w->algorithm == step->algorithm
                                   && w->line == step->line
              : wish->json || step->role == ROLE_WEIGHTS;
    return kind && (wish->layer == 0 || wish->layer == step->layer)
        && (wish->head == 0 || wish->head == step->head);
}

static Mat kept_in(Arena *arena, Mat M)
{
    Mat copy = constant(arena, M->rows, M->cols);
    memcpy(copy->at, M->at,
           (size_t)M->rows * (size_t)M->cols * sizeof(real));
    return copy;
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
    step.M = kept_in(w->arena, M);
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
    if (is_wanted(w, &step))
        keep_step(w, step, M);
    pass_line(&w->at, line, 0);
    return M;
}

static const char *label_of(const Watch *w, int token)
{
    TextStream text;
    write_token(open_text_stream(&text), w->model->tokenizer, token);
    return close_text_stream(&text, w->arena);
}

static const char *const *labels_of(const Watch *w, Tokens x)
{
    const char **label = arena_alloc(w->arena, (size_t)x.length
                                               * sizeof *label);
    for (int k = 1; k <= x.length; k++)
        label[k - 1] = label_of(w, TOKEN(x, k));
    return label;
}

static bool has_predictions(const Model *model)
{
    return model->task != TRAIN_CLASS || model->theta->hyper.N_C > 0;
}

static Mat watch_states(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    static const char lines[] = " 8.12 8.19 9.3 9.8 10.3 10.8 ";
    Watch *w = to;
    char marked[12];
    (void)name, (void)index;
    snprintf(marked, sizeof marked, " %s ", line);
    if (M != NULL && strstr(lines, marked) != NULL)
        w->state[w->layers++] = kept_in(w->arena, column_at(M, w->t));
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

static void read_all_off(Watch *w, Tape *tape)
{
    prepare_tape(w->arena, tape, w->model->theta);
    for (int k = 0; k < w->layers; k++)
        w->P[k] = kept_in(w->arena, read_off(w->model, tape, w->state[k]));
    tape_clear(tape);
}

static const Inference as_translated = {
    .tau = 0, .no_special = true
};

/* x-hat of the turn that is wanted, and the token that it adds. */
static void translate_to_turn(Watch *w, Tape *tape)
{
    prepare_tape(w->arena, tape, w->model->theta);
    tape_discard_layers(w->arena, tape);
    Tokens x = inference_15(tape, w->arena, w->z, w->model->theta,
                            &as_translated, &w->ended);
    int turn = w->wish->turn;
    w->turns = x.length - 1;
    if (turn > w->turns)
        fail_with(w->error, "--turn is %d; the translation has %d turn%s.",
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
    see(sampling_distribution(p, true, &as_translated), "15.6", "q");
}

static void run_encoder(const Model *model, Tape *tape, Tokens x)
{
    const Theta *theta = model->theta;
    if (model->task == TRAIN_E)
        etransformer(tape, x, theta);
    else if (theta->hyper.N_C > 0)
        classify(tape, x, theta);
    else
        (theta->hyper.pooler ? layers_9 : represent)(tape, x, theta);
}

static void run_under(Watch *w, Spots *spots, Observer *observer)
{
    Tape *tape = w->command->tape;
    prepare_tape(w->arena, tape, w->model->theta);
    if (spots != NULL)
        observe_spots(tape, spots);
    tape_discard_layers(w->arena, tape);
    if (has_predictions(w->model))
        observe(tape, watch_states, w);
    if (observer != NULL)
        observe(tape, observer, w);
    w->layers = 0;
    w->at = (Place){ NOWHERE, 0, 0 };
    switch (w->model->theta->hyper.architecture) {
    case ED_TRANSFORMER: one_turn(w, tape); break;
    case E_TRANSFORMER:  run_encoder(w->model, tape, w->x); break;
    case D_TRANSFORMER:  dtransformer(tape, w->x, w->model->theta); break;
    }
    tape_clear(tape);
}

static Tokens tokens_in_text(const Watch *w, const char *name,
                             const char *text);

/* For spots_take. */
static void run_other_text(void *to, const char *text)
{
    Watch other = *(Watch *)to;
    Tokens x = tokens_in_text(&other, "the other text", text);
    if (other.run.algorithm == 15)
        other.z = x;
    else
        other.x = x;
    other.t = 1;
    run_under(&other, other.spots, NULL);
}

static _Noreturn void blame_spots(void *to)
{
    const Watch *w = to;
    w->error->sheet = "--set";
    w->error->text = NULL;
    fail_with(w->error, "what follows from it is not finite.");
}

static void watch_model(Watch *w)
{
    if (w->wish->set.n > 0) {
        run_under(w, NULL, NULL);
        read_all_off(w, w->command->tape);
        w->unset = w->layers > 0 ? w->P[w->layers - 1] : NULL;
        spots_fit(w->spots, w->z.length, w->x.length);
        spots_take(w->spots, run_other_text, w);
        tape_allow_nonfinite(w->command->tape, blame_spots, w);
    }
    run_under(w, w->spots, watch);
    read_all_off(w, w->command->tape);
}

static Tokens tokens_in_text(const Watch *w, const char *name,
                             const char *text)
{
    const Model *model = w->model;
    Error *f = w->error;
    f->sheet = name;
    f->text = text;
    size_t n = strlen(text);
    if (model->task == TRAIN_E)
        return with_gaps(w->command, model, "[gap]", text, n, f);
    Tokens x = encode_field(model->tokenizer, w->arena, text, n,
                            model->theta->hyper.ell_max, f, 0);
    return model->task == TRAIN_D ? as_prompt(model->tokenizer, x) : x;
}

static int place_of_prediction(const Watch *w)
{
    int last = w->x.length, token = w->wish->token;
    if (token > last)
        fail_with(w->error, "--token is %d; there %s %d token%s.", token,
                  last == 1 ? "is" : "are", last, last == 1 ? "" : "s");
    if (token > 0 || w->model->task == TRAIN_CLASS)
        return token > 0 ? token : 1;
    if (w->model->task != TRAIN_E)
        return last;
    for (int t = 1; t <= last; t++)
        if (TOKEN(w->x, t) == mask_token(w->model->theta->hyper.N_V))
            return t;
    return last > 1 ? last - 1 : last;
}

static int algorithm_inside(const Model *model)
{
    switch (model->theta->hyper.architecture) {
    case ED_TRANSFORMER: return 15;
    case E_TRANSFORMER:  return 9;
    default:             return 10;
    }
}

static void find_tokens(Watch *w, const char *text)
{
    const Hyperparameters *h = &w->model->theta->hyper;
    const char *command = w->error->sheet;
    w->z = w->x = tokens_in_text(w, "the text", text);
    w->error->sheet = command;
    w->error->text = NULL;
    if (w->run.algorithm == 15)
        translate_to_turn(w, w->command->tape);
    w->t = place_of_prediction(w);
    int most = 1 + (h->architecture == ED_TRANSFORMER ? h->L_dec : h->L);
    w->state = arena_alloc(w->arena, (size_t)most * sizeof *w->state);
    w->P = arena_alloc(w->arena, (size_t)most * sizeof *w->P);
}

static void print_labels(FILE *out, const Watch *w, const char *name,
                         Tokens x)
{
    const char *const *label = labels_of(w, x);
    fprintf(out, ", \"%s\": ", name);
    for (int k = 0; k < x.length; k++) {
        fputs(k == 0 ? "[" : ", ", out);
        print_json_string(out, label[k], strlen(label[k]));
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

static void json_texts(FILE *out, const char *name, int n,
                       const char *const text[])
{
    fprintf(out, ", \"%s\": [", name);
    for (int k = 0; k < n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        print_json_string(out, text[k], strlen(text[k]));
    }
    fputc(']', out);
}

static void json_column(FILE *out, Mat p)
{
    for (int v = 1; v <= p->rows; v++) {
        fputs(v == 1 ? "[" : ", ", out);
        print_json_number(out, AT(p, v, 1));
    }
    fputc(']', out);
}

static void json_predictions(FILE *out, const Watch *w)
{
    if (w->model->task == TRAIN_CLASS)
        json_texts(out, "classes", w->model->theta->hyper.N_C,
                   w->model->class_name + 1);
    else
        fprintf(out, ", \"token\": %d", w->t);
    fputs(", \"lens\": [", out);
    for (int k = 0; k < w->layers; k++) {
        fputs(k == 0 ? "" : ", ", out);
        json_column(out, w->P[k]);
    }
    fputc(']', out);
    if (w->unset != NULL) {
        fputs(", \"unset\": ", out);
        json_column(out, w->unset);
    }
}

static void print_inside(FILE *out, const Watch *w)
{
    const char *name = w->wish->model;
    fputs("{\"model\": ", out);
    print_json_string(out, name, strlen(name));
    fprintf(out, ", \"algorithm\": %d, \"layout\": \"%s\"",
            w->run.algorithm, w->run.layout->name);
    if (w->run.algorithm == 15)
        print_labels(out, w, "z", w->z);
    print_labels(out, w, "x", w->x);
    if (w->run.algorithm == 15) {
        const char *y = label_of(w, w->y);
        fputs(", \"y\": ", out);
        print_json_string(out, y, strlen(y));
        fprintf(out, ", \"turn\": %d, \"turns\": %d, \"ended\": %s",
                w->x.length, w->turns, w->ended ? "true" : "false");
    }
    print_labels(out, w, "vocabulary", all_tokens(w));
    if (w->wish->set.n > 0)
        json_texts(out, "set", w->wish->set.n, w->wish->set.text);
    if (has_predictions(w->model))
        json_predictions(out, w);
    fputs(", ", out);
    json_steps(out, &w->run, w->arena);
    fputs("}\n", out);
}

static void print_numbered(FILE *out, const Watch *w, const char *name,
                           Tokens x)
{
    enum { PAGE_COLUMNS = 76, INDENT = 4 };
    const char *const *label = labels_of(w, x);
    int column = fprintf(out, "%-*s", INDENT - 2, name);
    for (int k = 0; k < x.length; k++) {
        char number[20];
        snprintf(number, sizeof number, "%d", k + 1);
        int wide = (int)strlen(number) + 3 + text_width(label[k]);
        if (column + wide > PAGE_COLUMNS && column > INDENT)
            column = fprintf(out, "\n%*s", INDENT - 2, "") - 1;
        fprintf(out, "  %s %s", number, label[k]);
        column += wide;
    }
    fputc('\n', out);
}

static const char *outcome(const Watch *w, int k)
{
    return w->model->task == TRAIN_CLASS ? w->model->class_name[k]
                                         : label_of(w, k);
}

/* The most probable in order; how wide is the widest. */
static int ranking(const Watch *w, Mat P, int n, int y[])
{
    Mat p = input(w->command->tape, P->rows, 1);
    int wide = 0;
    memcpy(p->at, P->at, (size_t)P->rows * sizeof(real));
    rank_tokens(p, n, y);
    for (int k = 0; k < n; k++)
        wide = larger(wide, text_width(outcome(w, y[k])));
    tape_clear(w->command->tape);
    return wide;
}

static void print_prediction(FILE *out, const Watch *w, const char *name,
                             Mat P, int n, int wide)
{
    int *y = arena_alloc(w->arena, (size_t)n * sizeof *y);
    ranking(w, P, n, y);
    fprintf(out, "%-12s", name);
    for (int k = 0; k < n; k++) {
        const char *what = outcome(w, y[k]);
        fprintf(out, "  %s%*s %.3f", what, wide - text_width(what), "",
                (double)AT(P, y[k], 1));
    }
    fputc('\n', out);
}

static void print_last_lines(FILE *out, const Watch *w)
{
    const Model *model = w->model;
    fprintf(out, "\n%-12s  ", "after");
    if (model->task == TRAIN_CLASS)
        fputs("the class, as its head reads it off token 1\n", out);
    else
        fprintf(out, "%s token %d, as line%s would read it off\n",
                model->task == TRAIN_E ? "at" : "behind", w->t,
                model->task == TRAIN_E ? "s 9.10 to 9.12"
                : model->task == TRAIN_D ? "s 10.10 and 10.11" : " 8.21");
}

static void print_predictions(FILE *out, const Watch *w)
{
    int n = w->P[0]->rows < w->wish->top ? w->P[0]->rows : w->wish->top;
    int *y = arena_alloc(w->arena, (size_t)n * sizeof *y);
    int wide = w->unset == NULL ? 0 : ranking(w, w->unset, n, y);
    for (int k = 0; k < w->layers; k++)
        wide = larger(wide, ranking(w, w->P[k], n, y));
    print_last_lines(out, w);
    for (int k = 0; k < w->layers; k++) {
        char name[40];
        snprintf(name, sizeof name, k == 0 ? "embedding" : "layer %d", k);
        print_prediction(out, w, name, w->P[k], n, wide);
    }
    if (w->unset != NULL)
        print_prediction(out, w, "without set", w->unset, n, wide);
}

static void print_all_tokens(FILE *out, const Watch *w)
{
    if (w->run.algorithm == 15)
        print_numbered(out, w, "z", w->z);
    print_numbered(out, w, "x", w->x);
    if (w->run.algorithm == 15)
        fprintf(out, "turn %d of %d adds  %s%s\n", w->x.length, w->turns,
                label_of(w, w->y), w->unset == NULL ? "" : "  without set");
}

static void print_as_text(FILE *out, Watch *w)
{
    print_all_tokens(out, w);
    if (has_predictions(w->model))
        print_predictions(out, w);
    else
        fputs("\nNothing is predicted: the model has no head. --line, "
              "--attention, --svg and\n--json show what it computes.\n",
              out);
}

static void print_wanted_lines(FILE *out, Watch *w)
{
    const Sheet no_sheet = { .n = 0 };
    w->run.sheet = &no_sheet;
    w->run.decimals = 4;
    w->run.assumed = "";
    print_all_tokens(out, w);
    fputc('\n', out);
    show_text(out, &w->run, true, false);
}

enum { LARGE_PICTURES = 16, PAGE_TOKENS = 200 };

static const char *caption_of(const Watch *w, const Step *step, bool small)
{
    static const char *const kinds[] = {
        [ENC] = "encoder", [DEC] = "decoder", [ED] = "cross-attention" };
    const char *kind = step->part == LAYER ? "" : kinds[step->part];
    char *caption = arena_alloc(w->arena, 60);
    snprintf(caption, 60, small ? "%s%s%d.%d" : "%s%slayer %d, head %d",
             small && step->part == ED ? "cross" : kind,
             *kind != '\0' ? " " : "", step->layer, step->head);
    return caption;
}

static void head_as_heatmap(const Watch *w, const Step *step, bool small,
                            Heatmap *h)
{
    Tokens keys = step->part == ENC || step->part == ED ? w->z : w->x;
    Tokens queries = step->part == ENC ? w->z : w->x;
    *h = (Heatmap){ .title = caption_of(w, step, small), .M = step->M,
        .apart = step->head == 1,
        .side = small ? larger(1, 80 / larger(keys.length, queries.length))
                      : 0 };
    if (!small) {
        h->row = labels_of(w, keys);
        h->column = labels_of(w, queries);
    }
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

static void refuse_other_file(const char *name, Error *f)
{
    FileInfo there;
    if (name != NULL && get_file_info(name, &there) && there.is_file
        && !is_marked(name))
        fail_with(f, "--svg %s is there already, and was not drawn by this "
                  "command; it is not written over.", name);
}

typedef struct {
    int n;
    Heatmap *picture;
    bool small;
    const char *tokens;         /* of small ones                          */
} Gallery;

static const char small_ones[] = "layer.head; down: key t_z; across: query "
    "t_x; each column sums to 1; the darker, the more";

static bool draw_all(FILE *file, const void *data)
{
    const Gallery *g = data;
    fputs(mark, file);
    heatmaps_svg(file, g->n, g->picture, g->small ? g->tokens : NULL, NULL,
                 g->small ? small_ones : "down: key t_z; across: query t_x; "
                 "each column sums to 1");
    return !ferror(file);
}

static const char *tokens_as_text(const Watch *w)
{
    TextStream text;
    FILE *out = open_text_stream(&text);
    if (w->run.algorithm == 15) {
        fputs("z:", out);
        for (int k = 1; k <= w->z.length; k++)
            fprintf(out, " %s", label_of(w, TOKEN(w->z, k)));
        fputs("  ", out);
    }
    fputs("x:", out);
    for (int k = 1; k <= w->x.length; k++)
        fprintf(out, " %s", label_of(w, TOKEN(w->x, k)));
    return close_text_stream(&text, w->arena);
}

static Gallery gallery_of(const Watch *w)
{
    Gallery g = { .n = w->run.n };
    int longest = larger(w->z.length, w->x.length);
    g.small = w->wish->svg != NULL && g.n > LARGE_PICTURES;
    if (g.small && longest > PAGE_TOKENS)
        fail_with(w->error, "a page of small pictures has at most %d "
                  "tokens; there are %d. --layer or --head draws fewer.",
                  PAGE_TOKENS, longest);
    g.picture = arena_alloc(w->arena, (size_t)g.n * sizeof(Heatmap));
    g.tokens = tokens_as_text(w);
    for (int k = 0; k < g.n; k++)
        head_as_heatmap(w, &w->run.step[k], g.small, &g.picture[k]);
    return g;
}

static void draw(const Watch *w, FILE *out)
{
    Gallery g = gallery_of(w);
    if (w->wish->svg != NULL) {
        replace_file(w->wish->svg, NULL, w->error, &g, draw_all);
        fprintf(out, "%s: the weights of %d head%s\n", w->wish->svg, g.n,
                g.n == 1 ? "" : "s");
        return;
    }
    for (int k = 0; k < g.n; k++) {
        heatmap_text(out, &g.picture[k]);
        fputc('\n', out);
    }
    fputs("down: key t_z; across: query t_x; each column sums to 1\n", out);
}

static const char usage[] =
    "Usage: ftx show --model MODEL [options] TEXT\n"
    "\n"
    "Looks inside a model that reads the text: what it would predict\n"
    "after each layer, what any line computes, and where each head looks.\n"
    "For a model of 'ftx train e' write a gap as [gap]. Of one of 'ftx\n"
    "train ed' it is one turn of Algorithm 15. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx show --model hello.ftx 'attention'\n"
    "  ftx show --model hello.ftx --attention --layer 1 'attention'\n"
    "  ftx show --model hello.ftx --line 10.6 'attention'\n"
    "  ftx show --model hello.ftx --set 'layer 1 mlp = 0' 'attention'\n"
    "\n"
    "A SPOT is a place and what is done there. Places:\n"
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
    "  * 0.5              it is multiplied\n"
    "  from \"other text\"  it is what it is on this text\n";

static void check_inside_wish(const InsideWish *wish, const Model *model,
                              int typed, char *const option[], Error *f)
{
    bool text = !wish->json && wish->svg == NULL && !wish->attention
             && wish->line == NULL;
    const char *for_text = "without --json, --svg, --attention and --line";
    const char *for_part = "with --json, --svg, --attention or --line";
    const OptionEffect acting[] = {
        { "turn", model->task == TRAIN_ED,
          "with a model of 'ftx train ed'" },
        { "token", model->task != TRAIN_CLASS,
          "with a model that predicts tokens" },
        { "token", text || wish->json, "in text and with --json" },
        { "top", text, for_text },
        { "layer", !text, for_part },
        { "head", !text, for_part },
        { "line", wish->svg == NULL && !wish->attention,
          "without --svg and --attention, which draw line 4.6" },
        { .name = NULL },
    };
    if (wish->json + (wish->svg != NULL) + wish->attention > 1)
        fail_with(f, "one of --json, --svg and --attention at a time.");
    refuse_unused_options(f, acting, typed, option);
}

static void read_line_wanted(Watch *w)
{
    const char *typed = w->wish->line;
    char behind;
    if (typed != NULL
        && (sscanf(typed, "%2d.%2d%c", &w->algorithm, &w->line,
                   &behind) != 2
            || w->algorithm < 1 || w->line < 1))
        fail_with(w->error, "--line must be an algorithm and a line of it, "
                  "such as 10.6; it is '%.100s'.", typed);
}

static Run run_of_model(const Model *model)
{
    const Hyperparameters *h = &model->theta->hyper;
    return (Run){ .algorithm = algorithm_inside(model),
                  .layout = &layouts[0],    /* the paper's                */
                  .scaled = true, .rms = h->rms, .tied = h->tied,
                  .unplaced = h->positions == NO_POSITIONS
                           || h->positions == RELATIVE };
}

static int heads_of(const Hyperparameters *h)
{
    return h->H * (h->L + h->L_enc + 2 * h->L_dec);
}

static void refuse_nothing_seen(const Watch *w)
{
    const InsideWish *wish = w->wish;
    bool ed = w->run.algorithm == 15;
    if (w->run.n > 0)
        return;
    if (wish->line != NULL && wish->layer == 0 && wish->head == 0)
        fail_with(w->error, "line %s has no value in this model; it runs "
                  "Algorithms 4 to 7 and %s.", wish->line,
                  ed ? "8, and lines 15.4 to 15.6" :
                  w->run.algorithm == 9 ? "9" : "10");
    if (wish->line != NULL)
        fail_with(w->error, "line %s has no value in such a layer or head.",
                  wish->line);
    const Hyperparameters *h = &w->model->theta->hyper;
    int layers = h->L + h->L_enc + h->L_dec, heads = heads_of(h);
    fail_with(w->error, "there is no such layer or head: the model has %d "
              "layer%s and %d head%s in all.", layers, layers == 1 ? "" : "s",
              heads, heads == 1 ? "" : "s");
}

static void show_watched(Command *c, Watch *w, const char *text)
{
    const InsideWish *wish = w->wish;
    const char *command = w->error->sheet;
    find_tokens(w, text);
    watch_model(w);
    w->error->sheet = command;
    w->error->text = NULL;
    bool drawn = wish->svg != NULL || wish->attention;
    if (drawn || wish->json || wish->line != NULL)
        refuse_nothing_seen(w);
    if (wish->json)
        print_inside(c->out, w);
    else if (drawn)
        draw(w, c->out);
    else if (wish->line != NULL)
        print_wanted_lines(c->out, w);
    else
        print_as_text(c->out, w);
}

static void show_it(Error *f, void *data)
{
    Command *c = data;
    InsideWish wish = { .top = 5 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    const char *command = f->sheet;
    int n = parse_options(f, options, c->n, c->argument);
    if (n != 1)
        fail_with(f, "expected one text; put it in quotes.");
    refuse_other_file(wish.svg, f);
    Model *model = model_load(c->arena, wish.model, TO_USE, f);
    f->sheet = command;
    f->text = NULL;
    check_inside_wish(&wish, model, c->n - n, c->argument + n, f);
    refuse_overflow(c, wish.model, f);
    Watch w = { .arena = c->arena, .command = c, .error = f, .wish = &wish,
                .model = model, .run = run_of_model(model) };
    read_line_wanted(&w);
    w.spots = spots_read(c->arena, model->theta, &wish.set, f);
    f->sheet = command;
    f->text = NULL;
    show_watched(c, &w, c->argument[0]);
}

int show_inside(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx show", show_it, out, err, n, argument);
}
