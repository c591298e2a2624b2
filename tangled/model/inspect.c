/* ftx show --model: what a model computes, line by line, and what becomes of
   it where a value inside it is another.

   Main types: Inspection, Intervention. Entry point: show_inside. In come a
   model and a text; out come predictions after each layer, or steps. */
#include "model/corpus.h"
#include "library/functions.h"
#include "show/show.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change: what is multiplied, where, and by which factor. */
typedef struct {
    enum { HEAD_VALUE, ATTENTION_VALUE, MLP_VALUE, LAYER_VALUE,
           STATE_VALUE } what;
    Place at;
    int token;                  /* 0: all tokens                          */
    double factor;
} Intervention;

/* A look into a model. 23 fields: what is typed, what is looked at, where
   the observer is, and what it has seen. */
typedef struct {
    const char *file, *line;    /* typed; NULL: it is not                 */
    bool json;
    int turn, layer, head;      /* typed; 0: the last, all, all           */
    Texts set;
    Intervention change[MOST_TEXTS];    /* set.n of them                  */
    Command *command;
    Error *error;
    const Model *model;
    Tokens z, x;                /* of an encoder-decoder both             */
    int turns, y;               /* of z; the token that this turn adds    */
    bool ended;                 /* eos_token is the last of all           */
    Place at;
    Mat before, attended;       /* states: the layer's and the MLP's base */
    Run run;                    /* the steps that are asked for           */
    int t;                      /* predictions are read off at token t:   */
    int n;                      /* from the embedding and each layer,     */
    Mat *state;                 /* state[0] ... state[n - 1]              */
} Inspection;

/* What --set says is error->text; it is read up to `at`. */
typedef struct {
    Error *error;
    const char *at;
} PlaceReader;

static _Noreturn void expected(const PlaceReader *r, const char *what)
{
    fail_in_text(r->error, (int)(r->at - r->error->text), "expected %s.",
                 what);
}

/* Goes behind the word and the blanks before it; false: it is not there. */
static bool skip_word(PlaceReader *r, const char *word)
{
    size_t n = strlen(word);
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, word, n) != 0
        || (isalpha((unsigned char)*word)
            && isalpha((unsigned char)r->at[n])))
        return false;
    r->at += n;
    return true;
}

/* Returns the number that comes next, of a layer, say. */
static int read_number(PlaceReader *r, const char *what, int least, int most)
{
    r->at += strspn(r->at, " ");
    size_t n = strspn(r->at, "0123456789");
    double x = n == 0 ? -1 : strtod(r->at, NULL);
    if (x < least || x > most)
        fail_in_text(r->error, (int)(r->at - r->error->text), "expected the "
                     "number of a %s, from %d to %d.", what, least, most);
    r->at += n;
    return (int)x;
}

/* Reads which value it is, and of which tokens. */
static void read_place(PlaceReader *r, const Inspection *in, Intervention *v)
{
    const Hyperparameters *h = &in->model->theta->hyper;
    bool ed = h->architecture == ED_TRANSFORMER;
    v->at.part = !ed ? LAYER : skip_word(r, "encoder") ? ENC
               : skip_word(r, "decoder") ? DEC : ED;
    if (v->at.part == ED && !skip_word(r, "cross"))
        expected(r, "encoder, decoder or cross, as in 'cross layer 1 head 2 "
                    "= 0'");
    if (!skip_word(r, "layer"))
        expected(r, "'layer' and its number, as in 'layer 1 head 2 = 0'");
    v->at.layer = read_number(r, "layer", v->at.part != ED ? 0 : 1,
                              !ed ? h->L : v->at.part == ENC ? h->L_enc
                                                             : h->L_dec);
    v->what = skip_word(r, "head") ? HEAD_VALUE
            : skip_word(r, "attention") ? ATTENTION_VALUE
            : skip_word(r, "mlp") ? MLP_VALUE : LAYER_VALUE;
    if (v->what == HEAD_VALUE)
        v->at.head = read_number(r, "head", 1, h->H);
    if (skip_word(r, "token")) {
        v->token = read_number(r, "token", 1, v->at.part == ENC
                               ? in->z.length : in->x.length);
        v->what = v->what == LAYER_VALUE ? STATE_VALUE : v->what;
    }
    if (v->at.part == ED && v->what > ATTENTION_VALUE)
        expected(r, "'head' and its number, or 'attention': cross-attention "
                    "has no more");
    if (v->at.layer == 0 && v->what != STATE_VALUE)
        expected(r, "'token' and its number alone: layer 0 is the "
                    "embedding");
}

/* Reads what is done with it, up to the end. */
static void read_factor(PlaceReader *r, Intervention *v)
{
    char *end;
    bool equals = skip_word(r, "=");
    if (!equals && !skip_word(r, "*"))
        expected(r, v->what != LAYER_VALUE ? "'= 0', or '*' and a number"
                    : "'head' and its number, 'attention', 'mlp' or 'token' "
                      "and its number; or '= 0', or '*' and a number");
    r->at += strspn(r->at, " ");
    v->factor = strtod(r->at, &end);
    if (end == r->at || !isfinite((real)v->factor)
        || (equals && v->factor != 0))
        expected(r, equals ? "0; another number is a factor, as in '* 2'"
                           : "a number");
    r->at = end;
    r->at += strspn(r->at, " ");
    if (*r->at != '\0')
        expected(r, "nothing more; another change has a --set of its own");
}

/* Reads each --set. */
static void read_interventions(Inspection *in)
{
    for (int k = 0; k < in->set.n; k++) {
        set_subject(in->error, "--set", in->set.text[k]);
        PlaceReader r = { in->error, in->set.text[k] };
        read_place(&r, in, &in->change[k]);
        read_factor(&r, &in->change[k]);
    }
}

static const char states_of_z[] = " 8.3 8.8 ",
                  states_of_x[] = " 8.12 8.19 9.3 9.8 10.3 10.8 ";

/* Does the change act on the value of this line, at this place? */
static bool is_at_place(const Intervention *v, const Place *at,
                        const char *line)
{
    const char *lines = v->what == HEAD_VALUE ? " 5.2 "
                      : v->what == ATTENTION_VALUE ? " 5.4 "
                      : v->what == MLP_VALUE ? " 8.7 8.18 9.7 10.8 "
                      : v->at.part == ENC ? states_of_z : states_of_x;
    return is_line_in(lines, line) && v->at.layer == at->layer
        && (at->layer == 0 || v->at.part == at->part)
        && (v->what != HEAD_VALUE || v->at.head == at->head);
}

/* Returns M with the value times the factor, where the change acts. */
static Mat multiply_value(const Inspection *in, const Intervention *v, Mat M)
{
    Mat base = v->what == MLP_VALUE ? in->attended
             : v->what == LAYER_VALUE ? in->before : NULL;
    Mat Y = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            bool same = v->factor == 1 || (v->token > 0 && v->token != j);
            real b = base == NULL ? 0 : AT(base, i, j);
            AT(Y, i, j) = same ? AT(M, i, j)
                        : b + (real)v->factor * (AT(M, i, j) - b);
        }
    return Y;
}

/* Returns what becomes of the value of a line, and keeps states. */
static Mat intervene(Inspection *in, const char *line, Mat M)
{
    for (int k = 0; k < in->set.n; k++)
        if (is_at_place(&in->change[k], &in->at, line))
            M = multiply_value(in, &in->change[k], M);
    if (is_line_in(" 8.6 8.17 9.6 10.6 ", line))
        in->attended = M;
    bool of_x = is_line_in(states_of_x, line);
    if (of_x || is_line_in(states_of_z, line)) {
        in->before = constant(in->command->arena, M->rows, M->cols);
        memcpy(in->before->at, M->at, entries(M) * sizeof(real));
    }
    if (of_x)
        in->state[in->n++] = in->before;
    return M;
}

/* Has it a head? A bare BertModel has none. */
static bool has_predictions(const Model *model)
{
    return model->task != TRAIN_CLASS || model->theta->hyper.N_C > 0;
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
    M = intervene(in, line, M);
    Step step = step_seen(&in->at, line, name, 0);
    step.inner = step.algorithm != in->run.algorithm;
    step.turn = in->run.algorithm == 15 ? in->x.length : 0;
    step.loop = 'i';
    bool wanted = in->line == NULL ? in->json
                : strcmp(in->line, line) == 0
                  && (in->layer == 0 || in->layer == step.layer)
                  && (in->head == 0 || in->head == step.head);
    if (wanted)
        append_step(&in->run, in->command->arena, &step, M);
    return M;
}

/* Returns what the last lines make of a state at token t, on the tape, which
   forgets what it had. */
static Mat read_off(const Inspection *in, Mat state)
{
    const Model *model = in->model;
    const Theta *theta = model->theta;
    tape_clear(in->command->tape);
    Mat X = input(in->command->tape, state->rows, 1);
    memcpy(X->at, &AT(state, 1, in->t), entries(X) * sizeof(real));
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
    Command *c = in->command;
    Tokens x = inference_15(c->tape, c->arena, in->z, in->model->theta,
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
          : gaps.length > 0 ? TOKEN(gaps, 1)
          : in->x.length - (in->x.length > 1);  /* eos is the last, if any */
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

/* Prints z, x and what is added: only x where there is no z. */
static void print_both_texts(FILE *out, const Inspection *in)
{
    bool ed = in->run.algorithm == 15;
    for (int of_x = !ed; of_x <= 1; of_x++) {
        Tokens x = of_x ? in->x : in->z;
        fprintf(out, "%-2s", of_x ? "x" : "z");
        for (int k = 1; k <= x.length; k++)
            fprintf(out, "  %d %s", k, label_of(in, TOKEN(x, k)));
        fputc('\n', out);
    }
    if (ed)
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
    int n = P->rows < TOP ? P->rows : TOP;
    const int *y = rank_tokens(P, n).id;
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
static void print_predictions(FILE *out, const Inspection *in)
{
    Task task = in->model->task;
    char name[40] = "embedding";
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

/* Returns the run of the model's algorithm, without steps, and as of a sheet
   without items. */
static Run run_of_model(const Model *model)
{
    static const Sheet no_sheet = { .n = 0 };
    static const int algorithm[] = { 15, 9, 10 };
    const Hyperparameters *h = &model->theta->hyper;
    return (Run){ .sheet = &no_sheet, .decimals = 4,
                  .algorithm = algorithm[h->architecture],
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
    char **option = c->argument + n;
    in->model = model_load(c->arena, in->file, TO_USE, f);
    prepare_tape(c->arena, c->tape, in->model->theta);
    refuse_unused(f, option, "turn", in->model->task == TRAIN_ED,
                  "with a model of 'ftx train ed'");
    refuse_unused(f, option, "layer", in->line != NULL, "with --line");
    refuse_unused(f, option, "head", in->line != NULL, "with --line");
    const Hyperparameters *h = &in->model->theta->hyper;
    in->run = run_of_model(in->model);
    find_tokens(in, c->argument[0]);
    read_interventions(in);
    inspect(in);
    set_subject(f, "ftx show", NULL);
    if (in->line != NULL && in->run.n == 0)
        fail_with(f, "no line '%.100s' is computed there; write it as 4.6. "
                  "The model runs Algorithms 4 to 7 and %s, and has %d "
                  "layers of %d heads.", in->line,
                  in->run.algorithm == 15 ? "8, and lines 15.4 to 15.6"
                  : in->run.algorithm == 9 ? "9" : "10",
                  h->L + h->L_enc + h->L_dec, h->H);
    if (in->json) {
        print_inspection(c->out, in);
        return;
    }
    print_both_texts(c->out, in);
    if (in->line == NULL) {
        print_predictions(c->out, in);
    } else {
        fputc('\n', c->out);
        show_text(c->out, &in->run, true, SHADED);
    }
}
