/* ftx import and ftx export: from released models, and to them. */
#include "hub/hub.h"
#include "model/model.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *tokens;
    int special[3];
    bool numbers, replace;
} ImportWish;

static const Option import_wishes[] = {
    { "model", TEXT, UNBOUNDED(ImportWish, model), "FILE",
      "where the model is saved" },
    { "tokens-of", TEXT, UNBOUNDED(ImportWish, tokens), "MODEL",
      "the model that was exported: take its tokens" },
    { "numbers", FLAG, UNBOUNDED(ImportWish, numbers), NULL,
      "a text is the numbers of its tokens" },
    { "mask", WHOLE, offsetof(ImportWish, special[0]), 0, TOKEN_LIMIT, NULL,
      "the number of mask_token, where no file says it" },
    { "bos", WHOLE, offsetof(ImportWish, special[1]), 0, TOKEN_LIMIT, NULL,
      "of bos_token" },
    { "eos", WHOLE, offsetof(ImportWish, special[2]), 0, TOKEN_LIMIT, NULL,
      "of eos_token" },
    { "replace", FLAG, UNBOUNDED(ImportWish, replace), NULL,
      "write over FILE" },
    { .name = NULL },
};

static const char import_usage[] =
    "Usage: ftx import FOLDER --model FILE\n"
    "       ftx import TENSORS.safetensors --model FILE\n"
    "\n"
    "Makes a model file of a released model: of the folder with its\n"
    "config.json and model.safetensors, or its shards. Known are\n"
    "GPT2LMHeadModel, BertModel, BertForMaskedLM and\n"
    "BertForSequenceClassification. Nothing is ever fetched. Its tokens\n"
    "are those of tokenizer.json; without such a file a text is the\n"
    "numbers of its tokens, such as '464 3290'. For example:\n"
    "\n"
    "  ftx import gpt2 --model gpt2.ftx\n"
    "  ftx generate --model gpt2.ftx --tau 0 'The dog'\n";

static void refuse_being_there(Error *f, const char *name)
{
    if (is_name_taken(name))
        fail_with(f, "%s is there already; --replace writes over it.", name);
}

static void import_it(Error *f, void *data)
{
    Command *c = data;
    ImportWish wish = { .special = { UNSAID, UNSAID, UNSAID } };
    const Options options[] = {
        { "Options:", import_wishes, &wish },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(import_usage, c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    if (n != 1 || wish.model == NULL)
        fail_with(f, "expected one folder, and --model %s for the model that "
                  "is made of it; see 'ftx import --help'.",
                  n == 1 && has_suffix(c->argument[0],
                                       ".ftx") ? c->argument[0]
                                                            : "FILE");
    if (!wish.replace)
        refuse_being_there(f, wish.model);
    const char *name = c->argument[0];
    char numbers[40];
    TokenHint hint = { .numbers = wish.numbers };
    memcpy(hint.special, wish.special, sizeof hint.special);
    if (wish.tokens != NULL)
        hint.tokens = model_load(c->arena, wish.tokens, ITS_HEADER,
                                 f)->tokenizer;
    Model *m = model_import(c->arena, name, TO_USE, &hint, f);
    model_save(m, wish.model, NULL, f);
    fprintf(c->out, "%s: Algorithm %d, %s numbers to learn, from %s\n",
            wish.model, 8 + (int)m->theta->hyper.architecture,
            format_grouped(theta_count(m->theta), numbers), name);
}

int import_released(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx import", import_it, out, err, n, argument);
}

/* Why transformers has no such model; NULL: it has. */
static const char *export_error(const Model *m)
{
    const Hyperparameters *h = &m->theta->hyper;
    if (h->architecture == ED_TRANSFORMER)
        return "Algorithm 8 as printed has no model of transformers";
    if (h->positions == RELATIVE)
        return "its positions are relative, which GPT-2's are not";
    if (h->positions != LEARNED)
        return "its positions are not learned";
    if (h->d_attn * h->H != h->d_e || h->d_mid * h->H != h->d_e)
        return "H d_attn and H d_mid are not d_e";
    if (h->rms || h->no_attention_biases || h->scaled_embedding)
        return "rms, no_attention_biases and scaled_embedding are not "
               "known there";
    if (h->window > 0)
        return "its window is not known there";
    if (h->architecture == D_TRANSFORMER)
        return h->embedding_norm ? "GPT-2 has no norm of the embedding"
                                 : NULL;
    if (h->d_f != h->d_e)
        return "d_f is not d_e";
    if (!h->embedding_norm)
        return "BERT has a norm of the embedding; train with "
               "--embedding_norm";
    if (m->task == TRAIN_CLASS && !h->pooler)
        return "BERT's classifier has a pooler; train with --pooler";
    return NULL;
}

static const Released *kind_of(const Model *m)
{
    const char *name = m->task == TRAIN_D ? "GPT2LMHeadModel"
                     : m->task == TRAIN_E ? "BertForMaskedLM"
                     : m->theta->hyper.N_C > 0
                     ? "BertForSequenceClassification" : "BertModel";
    const Released *kind = released_models;
    while (strcmp(kind->architecture, name) != 0)
        kind++;
    return kind;
}

typedef struct {
    const Model *model;
    const Released *kind;
    TensorType type;
    int n, places;
    Tensor *tensor;             /* tensor[0] ... tensor[n - 1]            */
    TensorPlace *place;         /* of the parameters, place[0] ...        */
    int *in;                    /* ... and the number of their tensor     */
    double *number;             /* those of one tensor ...                */
    int *now;                   /* ... of this one; -1: of none           */
} Exporting;

/* The number of the tensor of this name, which may be new. */
static int tensor_for(Exporting *e, const TensorPlace *place)
{
    int i = 0;
    while (i < e->n && strcmp(e->tensor[i].name, place->name) != 0)
        i++;
    if (i < e->n)
        return i;
    Tensor *t = &e->tensor[e->n++];
    *t = (Tensor){ .name = place->name, .dimensions = place->dimensions,
                   .count = (size_t)place->size[0] };
    for (int d = 0; d < t->dimensions; d++)
        t->size[d] = place->size[d];
    if (t->dimensions == 2)
        t->count *= (size_t)t->size[1];
    return i;
}

/* A tensor of zeros, for what the model has not. */
static void add_zeros(Exporting *e, const char *name, int rows, int cols)
{
    e->tensor[e->n++] = (Tensor){
        .name = name, .dimensions = cols > 0 ? 2 : 1,
        .size = { rows, cols },
        .count = (size_t)rows * (cols > 0 ? (size_t)cols : 1),
    };
}

static void list_tensors(Exporting *e, Arena *arena)
{
    const Theta *theta = e->model->theta;
    const Hyperparameters *h = &theta->hyper;
    size_t n = 2 * (size_t)theta->n, most = 1;
    e->tensor = arena_alloc(arena, (n + 3) * sizeof *e->tensor);
    e->place = arena_alloc(arena, n * sizeof *e->place);
    e->in = arena_alloc(arena, n * sizeof *e->in);
    for (int k = 1; k <= theta->n; k++) {
        TensorPlace place = tensor_place(e->kind, theta, k);
        do {
            TensorPlace *to = &e->place[e->places];
            *to = place;
            e->in[e->places++] = tensor_for(e, to);
        } while (tensor_copy(e->kind, &place));
    }
    bool bert = h->architecture == E_TRANSFORMER;
    if (bert && h->types == 0)
        add_zeros(e, e->kind->bare
                  ? "embeddings.token_type_embeddings.weight"
                  : "bert.embeddings.token_type_embeddings.weight", 1,
                  h->d_e);
    bool masked = e->model->task == TRAIN_E;
    if (masked && !h->unembedding_bias)
        add_zeros(e, "cls.predictions.bias", h->N_V, 0);
    if (masked && !h->unembedding_bias && !h->tied)
        add_zeros(e, "cls.predictions.decoder.bias", h->N_V, 0);
    for (int i = 0; i < e->n; i++)
        most = e->tensor[i].count > most ? e->tensor[i].count : most;
    e->number = arena_alloc(arena, most * sizeof *e->number);
    e->now = memset(arena_alloc(arena, sizeof *e->now), 0xFF,
                    sizeof *e->now);
}

static void put_together(const Exporting *e, int tensor)
{
    memset(e->number, 0, e->tensor[tensor].count * sizeof *e->number);
    for (int p = 0; p < e->places; p++) {
        Mat M = *e->place[p].parameter->place;
        for (int j = 1; e->in[p] == tensor && j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++)
                e->number[tensor_index(&e->place[p], e->model->tokenizer,
                                       i, j)] = AT(M, i, j);
    }
    *e->now = tensor;
}

static double exported_number(const void *data, int i, size_t k)
{
    const Exporting *e = data;
    if (*e->now != i)
        put_together(e, i);
    return e->number[k];
}

static bool put_tensors(FILE *file, const void *data)
{
    const Exporting *e = data;
    return tensors_write(file, e->type, e->n, e->tensor, exported_number,
                         e);
}

static void put_id(FILE *file, const Tokenizer *t, const char *name,
                   int token)
{
    if (is_special(t, token))
        fprintf(file, "  \"%s\": %d,\n", name, token_number(t, token));
    else
        fprintf(file, "  \"%s\": null,\n", name);
}

/* With as many digits as bring it back. */
static void put_decimal(FILE *file, const char *name, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) != x)
        snprintf(text, sizeof text, "%.17g", x);
    fprintf(file, "  \"%s\": %s,\n", name, text);
}

static void put_labels(FILE *file, const Model *m)
{
    int N_C = m->theta->hyper.N_C;
    fputs("  \"id2label\": {", file);
    for (int c = 1; c <= N_C; c++) {
        fprintf(file, "%s\"%d\": ", c > 1 ? ", " : "", c - 1);
        print_json_string(file, m->class_name[c], strlen(m->class_name[c]));
    }
    fputs("},\n  \"label2id\": {", file);
    for (int c = 1; c <= N_C; c++) {
        fputs(c > 1 ? ", " : "", file);
        print_json_string(file, m->class_name[c], strlen(m->class_name[c]));
        fprintf(file, ": %d", c - 1);
    }
    fputs("},\n", file);
}

static void put_gpt2(FILE *file, const Hyperparameters *h, double dropout)
{
    fprintf(file, "  \"n_positions\": %d,\n  \"n_embd\": %d,\n"
            "  \"n_layer\": %d,\n  \"n_head\": %d,\n  \"n_inner\": %d,\n"
            "  \"activation_function\": \"%s\",\n  \"attn_pdrop\": 0,\n",
            h->ell_max, h->d_e, h->L, h->H, h->d_mlp,
            h->tanh_gelu ? "gelu_new" : "gelu");
    put_decimal(file, "layer_norm_epsilon", h->epsilon);
    put_decimal(file, "embd_pdrop", dropout);
    put_decimal(file, "resid_pdrop", dropout);
}

static void put_bert(FILE *file, const Hyperparameters *h, double dropout)
{
    fprintf(file, "  \"max_position_embeddings\": %d,\n"
            "  \"hidden_size\": %d,\n  \"num_hidden_layers\": %d,\n"
            "  \"num_attention_heads\": %d,\n"
            "  \"intermediate_size\": %d,\n  \"type_vocab_size\": %d,\n"
            "  \"hidden_act\": \"%s\",\n"
            "  \"attention_probs_dropout_prob\": 0,\n"
            "  \"pad_token_id\": null,\n",
            h->ell_max, h->d_e, h->L, h->H, h->d_mlp,
            h->types > 0 ? h->types : 1,
            h->tanh_gelu ? "gelu_new" : "gelu");
    put_decimal(file, "layer_norm_eps", h->epsilon);
    put_decimal(file, "hidden_dropout_prob", dropout);
}

static bool put_config(FILE *file, const void *data)
{
    const Exporting *e = data;
    const Model *m = e->model;
    const Hyperparameters *h = &m->theta->hyper;
    static const char *const dtype[] = { "float32", "float16", "bfloat16",
                                         "float64" };
    fprintf(file, "{\n  \"architectures\": [\"%s\"],\n"
            "  \"model_type\": \"%s\",\n  \"vocab_size\": %d,\n",
            e->kind->architecture, e->kind->type, h->N_V);
    bool gpt2 = h->architecture == D_TRANSFORMER;
    (gpt2 ? put_gpt2 : put_bert)(file, h, m->plan.how.dropout);
    put_id(file, m->tokenizer, "mask_token_id", mask_token(h->N_V));
    put_id(file, m->tokenizer, "bos_token_id", bos_token(h->N_V));
    put_id(file, m->tokenizer, "eos_token_id", eos_token(h->N_V));
    if (h->N_C > 0)
        put_labels(file, m);
    bool tied = h->tied || m->task == TRAIN_CLASS;
    fprintf(file, "  \"tie_word_embeddings\": %s,\n"
            "  \"dtype\": \"%s\"\n}\n", tied ? "true" : "false",
            dtype[e->type]);
    return !ferror(file);
}

typedef struct {
    int type;                   /* a TensorType                           */
    bool replace;
} ExportWish;

static const Option export_wishes[] = {
    { "type", CHOICE, UNBOUNDED(ExportWish, type), "F32 F16 BF16 F64",
      "of the numbers" },
    { "replace", FLAG, UNBOUNDED(ExportWish, replace), NULL,
      "write over the model in FOLDER" },
    { .name = NULL },
};

static const char export_usage[] =
    "Usage: ftx export MODEL FOLDER [options]\n"
    "\n"
    "Writes config.json, model.safetensors and tokenizer.json, which\n"
    "from_pretrained of transformers reads: of a model of 'ftx train d'\n"
    "a GPT2LMHeadModel; of one of 'ftx train e' with --embedding_norm a\n"
    "BertForMaskedLM; of one of 'ftx train class' with --embedding_norm\n"
    "and --pooler a BertForSequenceClassification. Token v has the\n"
    "number v - 1 there, and the special tokens are called <mask>, <bos>\n"
    "and <eos>, and found in a text, too; but an imported model gets back\n"
    "the numbers and names that it came with. To import it again name this\n"
    "model with --tokens-of.\n"
    "For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx export hello.ftx hello\n";

static bool put_tokens(FILE *file, const void *data)
{
    const Model *m = ((const Exporting *)data)->model;
    put_tokenizer(file, m->tokenizer, m->task != TRAIN_D);
    return !ferror(file);
}

static bool put_tokens_config(FILE *file, const void *data)
{
    put_tokenizer_config(file,
                         ((const Exporting *)data)->model->tokenizer);
    return !ferror(file);
}

/* The last one is the configuration. Tokens may not be there, and without
   a function to write it a file goes. */
static const struct {
    const char *name;
    bool (*put)(FILE *file, const void *data);
    bool tokens;
} exported_files[] = {
    { "model.safetensors", put_tensors, false },
    { "tokenizer.json", put_tokens, true },
    { "tokenizer_config.json", put_tokens_config, true },
    { "vocab.json", NULL, true }, { "merges.txt", NULL, true },
    { "vocab.txt", NULL, true }, { "added_tokens.json", NULL, true },
    { "special_tokens_map.json", NULL, true },
    { "config.json", put_config, false },
};
enum { EXPORTED_FILES = 9 };

static void write_folder(const Exporting *e, Arena *arena,
                         const char *folder, Error *f)
{
    FilePart part[EXPORTED_FILES];
    bool tokens = tokens_error(e->model->tokenizer) == NULL;
    int error = make_folder(folder);
    f->sheet = folder;
    if (error != 0 && error != EEXIST)
        fail_with(f, "cannot be made: %s.", strerror(error));
    for (int k = 0; k < EXPORTED_FILES; k++)
        part[k] = (FilePart){
            in_folder(arena, folder, exported_files[k].name),
            exported_files[k].tokens && !tokens ? NULL
                                                : exported_files[k].put,
        };
    replace_files(EXPORTED_FILES, part, e, f);
}

static void export_it(Error *f, void *data)
{
    Command *c = data;
    ExportWish wish = { .replace = false };
    const Options options[] = {
        { "Options:", export_wishes, &wish },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(export_usage, c->out);
        print_options(c->out, options);
        return;
    }
    const char *command = f->sheet;
    if (parse_options(f, options, c->n, c->argument) != 2)
        fail_with(f, "expected a model and a folder; see 'ftx export "
                  "--help'.");
    const char *name = c->argument[0], *folder = c->argument[1];
    Exporting e = { .model = model_load(c->arena, name, TO_USE, f),
                    .type = (TensorType)wish.type };
    f->sheet = command;
    f->text = NULL;
    const char *wrong = export_error(e.model);
    if (wrong != NULL)
        fail_with(f, "%s cannot be exported: %s.", name, wrong);
    for (int k = 0; k < EXPORTED_FILES && !wish.replace; k++)
        refuse_being_there(f, in_folder(c->arena, folder,
                                        exported_files[k].name));
    e.kind = kind_of(e.model);
    list_tensors(&e, c->arena);
    write_folder(&e, c->arena, folder, f);
    bool numbers = tokenizer_kind(e.model->tokenizer) == TOKEN_NUMBERS;
    wrong = numbers ? NULL : tokens_error(e.model->tokenizer);
    fprintf(c->out, "%s: %s, %d tensors of type %s%s%s\n", folder,
            e.kind->architecture, e.n, tensor_type_name(e.type),
            wrong == NULL ? "" : "; no tokenizer.json: ",
            wrong == NULL ? "" : wrong);
}

int export_model(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx export", export_it, out, err, n, argument);
}
