/* ftx show --model: the attention of a trained model, as pictures. */
#include "model/model.h"
#include "show/show.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *model, *svg;
    int layer, head;
} MapWish;

static const Option wishes[] = {
    { "model", TEXT, offsetof(MapWish, model), 0, 0, "FILE",
      "as saved by ftx train" },
    { "svg", TEXT, offsetof(MapWish, svg), 0, 0, "FILE",
      "draw to this file, and not here" },
    { "layer", WHOLE, offsetof(MapWish, layer), 0, 1000, NULL,
      "only this layer; 0: all" },
    { "head", WHOLE, offsetof(MapWish, head), 0, 1000, NULL,
      "only this head; 0: all" },
    { .name = NULL },
};

typedef struct {
    Arena *arena;
    Fault *fault;
    const MapWish *wish;
    const char *kind;               /* "", "encoder ", ...                */
    const char *const *own, *const *other;  /* labels of x; of z          */
    int layer, head;
    Heatmap *picture;
    int n, room;
} Watch;

static void begin_layer(Watch *w, const char *line, int l)
{
    w->layer = l;
    w->kind = strcmp(line, "8.4") == 0 ? "encoder "
            : strcmp(line, "8.13") == 0 ? "decoder " : "";
}

static void keep_weights(Watch *w, Mat A)
{
    bool encodes = strcmp(w->kind, "encoder ") == 0;
    bool crosses = strcmp(w->kind, "cross-attention ") == 0;
    if ((w->wish->layer > 0 && w->wish->layer != w->layer)
        || (w->wish->head > 0 && w->wish->head != w->head))
        return;
    Mat copy = constant(w->arena, A->rows, A->cols);
    memcpy(copy->at, A->at,
           (size_t)A->rows * (size_t)A->cols * sizeof(real));
    char *title = arena_alloc(w->arena, 60);
    snprintf(title, 60, "%slayer %d, head %d", w->kind, w->layer, w->head);
    REQUIRE(w->n < w->room, "more than %d heads.", w->room);
    w->picture[w->n++] = (Heatmap){ .title = title, .M = copy,
        .row = encodes || crosses ? w->other : w->own,
        .column = encodes ? w->other : w->own,
        .down = "key t_z", .across = "query t_x", .apart = w->head == 1 };
}

static Mat watch(void *to, const char *line, const char *name, Mat M,
                 int index)
{
    static const char *const layers[] = { "8.4", "8.13", "9.4", "10.4" };
    Watch *w = to;
    for (int k = 0; k < 4; k++)
        if (strcmp(line, layers[k]) == 0)
            begin_layer(w, line, index);
    if (strcmp(line, "8.15") == 0)
        w->kind = "cross-attention ";
    if (strcmp(line, "5.1") == 0)
        w->head = index;
    if (strcmp(line, "4.6") == 0 && strcmp(name, "A") == 0)
        keep_weights(w, M);
    return M;
}

static const char *label_of(const Watch *w, const Tokenizer *t, int token)
{
    char *text = NULL;
    size_t n;
    FILE *memory = open_memstream(&text, &n);
    if (memory != NULL)
        write_token(memory, t, token);
    if (memory == NULL || fclose(memory) != 0)
        fault(w->fault, 0, "there is no memory for the labels.");
    char *label = arena_alloc(w->arena, n + 1);
    memcpy(label, text, n + 1);
    free(text);
    return label;
}

static const char *const *labels_of(const Watch *w, const Tokenizer *t,
                                    Tokens x)
{
    const char **label = arena_alloc(w->arena, (size_t)x.length
                                               * sizeof *label);
    for (int k = 1; k <= x.length; k++)
        label[k - 1] = label_of(w, t, TOKEN(x, k));
    return label;
}

static Tokens translate_map(Arena *arena, Tape *tape, const Model *model,
                            Tokens z)
{
    Inference how = { .tau = 0, .no_special = true };
    Tokens x = inference_15(tape, arena, z, model->theta, &how, NULL);
    int most = model->theta->hyper.ell_max;
    return x.length > most ? slice(x, 1, most) : x;
}

static void watch_model(Watch *w, Tape *tape, const Model *model, Tokens x)
{
    const Theta *theta = model->theta;
    Tokens z = x;
    prepare_tape(w->arena, tape, theta);
    tape_thrifty(w->arena, tape);
    if (model->task == TRAIN_ED)
        x = translate_map(w->arena, tape, model, z);
    w->own = labels_of(w, model->tokenizer, x);
    w->other = labels_of(w, model->tokenizer, z);
    tape_clear(tape);
    observe(tape, watch, w);
    switch (theta->hyper.architecture) {
    case ED_TRANSFORMER: edtransformer(tape, z, x, theta); break;
    case E_TRANSFORMER:  represent(tape, x, theta); break;
    case D_TRANSFORMER:  dtransformer(tape, x, theta); break;
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
    if (model->task == TRAIN_D)             /* a prompt has no eos (E35) */
        x.length--;
    return x;
}

static const char mark[] = "<!-- ftx show: attention -->\n";

static bool is_marked(const char *name)
{
    char begin[sizeof mark] = "";
    FILE *file = fopen(name, "rb");
    size_t n = file == NULL ? 0 : fread(begin, 1, sizeof mark - 1, file);
    if (file != NULL)
        fclose(file);
    return n == sizeof mark - 1 && strcmp(begin, mark) == 0;
}

static void refuse_other_file(const char *name, Fault *f)
{
    struct stat there;
    if (name != NULL && stat(name, &there) == 0 && S_ISREG(there.st_mode)
        && !is_marked(name))
        fault(f, 0, "--svg %s is there already, and was not drawn by this "
              "command; it is not written over.", name);
}

static bool draw_all(FILE *file, const void *data)
{
    const Watch *w = data;
    fputs(mark, file);
    heatmaps_svg(file, w->n, w->picture, NULL, NULL,
                 "each column sums to 1");
    return !ferror(file);
}

static void draw(Watch *w, FILE *out, Fault *f)
{
    if (w->n == 0)
        fault(f, 0, "there is no such layer or head: the model has %d "
              "heads in all.", w->room);
    if (w->wish->svg != NULL) {
        replace_file(w->wish->svg, NULL, f, w, draw_all);
        fprintf(out, "%s: the weights of %d heads\n", w->wish->svg, w->n);
        return;
    }
    for (int k = 0; k < w->n; k++) {
        heatmap_text(out, &w->picture[k]);
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
    "a head. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx show --model hello.ftx --layer 1 'attention'\n";

static void show_it(Fault *f, void *data)
{
    Command *c = data;
    MapWish wish = { 0 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    const char *command = f->sheet;
    if (obey(f, options, c->n, c->argument) != 1)
        fault(f, 0, "expected one text; put it in quotes.");
    refuse_other_file(wish.svg, f);
    Model *model = model_load(c->arena, wish.model, f);
    refuse_overflow(c, wish.model, f);
    model_use_best(model);
    Watch w = { .arena = c->arena, .fault = f, .wish = &wish, .kind = "",
                .room = heads_of(&model->theta->hyper) };
    w.picture = arena_alloc(c->arena, (size_t)w.room * sizeof(Heatmap) + 1);
    watch_model(&w, c->tape, model, tokens_to_show(c, model, f));
    f->sheet = command;
    f->text = NULL;
    draw(&w, c->out, f);
}

int show_attention(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx show", show_it, out, err, n, argument);
}
