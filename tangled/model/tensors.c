/* Which tensor of a released model is which matrix of theta.

   Main type: TensorPlace. Entry points: theta_import, theta_write. One
   table is walked in both directions: from tensors to parameters, and
   back. */
#include "model/model.h"
#include <math.h>
#include <string.h>

static const TensorRow gpt2_trunk[] = {
    { "W_e", NULL, "wte", TURNED | VOCABULARY, 0, 0 },
    { "W_p", NULL, "wpe", TURNED, 0, 0 },
    { "gamma_1", "beta_1", "h.#.ln_1", 0, 0, 0 },
    { "W_q", "b_q", "h.#.attn.c_attn", TURNED, 0, 3 },
    { "W_k", "b_k", "h.#.attn.c_attn", TURNED, 1, 3 },
    { "W_v", "b_v", "h.#.attn.c_attn", TURNED, 2, 3 },
    { "W_o", "b_o", "h.#.attn.c_proj", TURNED, 0, 0 },
    { "gamma_2", "beta_2", "h.#.ln_2", 0, 0, 0 },
    { "W_mlp1", "b_mlp1", "h.#.mlp.c_fc", TURNED, 0, 0 },
    { "W_mlp2", "b_mlp2", "h.#.mlp.c_proj", TURNED, 0, 0 },
    { "gamma", "beta", "ln_f", 0, 0, 0 },
    { .tensor = NULL },
};
static const TensorRow gpt2_head[] = {
    { "W_u", NULL, "lm_head", VOCABULARY, 0, 0 },
    { .tensor = NULL },
};

#define LAYER_OF_BERT "encoder.layer.#."
static const TensorRow bert_trunk[] = {
    { "W_e", NULL, "embeddings.word_embeddings", TURNED | VOCABULARY, 0,
      0 },
    { "W_p", NULL, "embeddings.position_embeddings", TURNED, 0, 0 },
    { "W_t", NULL, "embeddings.token_type_embeddings", TURNED, 0, 0 },
    { "gamma_e", "beta_e", "embeddings.LayerNorm", 0, 0, 0 },
    { "W_q", "b_q", LAYER_OF_BERT "attention.self.query", 0, 0, 0 },
    { "W_k", "b_k", LAYER_OF_BERT "attention.self.key", 0, 0, 0 },
    { "W_v", "b_v", LAYER_OF_BERT "attention.self.value", 0, 0, 0 },
    { "W_o", "b_o", LAYER_OF_BERT "attention.output.dense", 0, 0, 0 },
    { "gamma_1", "beta_1", LAYER_OF_BERT "attention.output.LayerNorm", 0, 0,
      0 },
    { "W_mlp1", "b_mlp1", LAYER_OF_BERT "intermediate.dense", 0, 0, 0 },
    { "W_mlp2", "b_mlp2", LAYER_OF_BERT "output.dense", 0, 0, 0 },
    { "gamma_2", "beta_2", LAYER_OF_BERT "output.LayerNorm", 0, 0, 0 },
    { "W_f", "b_f", "pooler.dense", 0, 0, 0 },
    { .tensor = NULL },
};
static const TensorRow masked_head[] = {
    { "W_f", "b_f", "cls.predictions.transform.dense", 0, 0, 0 },
    { "gamma", "beta", "cls.predictions.transform.LayerNorm", 0, 0, 0 },
    { "W_u", "b_u", "cls.predictions.decoder", VOCABULARY | UNTIED, 0, 0 },
    { NULL, "b_u", "cls.predictions", VOCABULARY, 0, 0 },
    { .tensor = NULL },
};
static const TensorRow class_head[] = {
    { "W_c", "b_c", "classifier", 0, 0, 0 },
    { .tensor = NULL },
};
static const TensorRow no_head[] = { { .tensor = NULL } };

const Released released_models[] = {
    { "GPT2LMHeadModel", "gpt2", TRAIN_D, "transformer.", gpt2_trunk,
      gpt2_head, false },
    { "BertForMaskedLM", "bert", TRAIN_E, "bert.", bert_trunk, masked_head,
      false },
    { "BertForSequenceClassification", "bert", TRAIN_CLASS, "bert.",
      bert_trunk, class_head, false },
    { "BertModel", "bert", TRAIN_CLASS, "bert.", bert_trunk, no_head, true },
    { .architecture = NULL },
};

const Released *released_kind_of(Task task)
{
    const Released *kind = released_models;
    while (kind->architecture != NULL
           && (kind->task != task || kind->head == class_head))
        kind++;
    return kind->architecture == NULL ? NULL : kind;
}

void set_released_hyper(const Released *kind, Hyperparameters *h)
{
    bool bert = kind->task != TRAIN_D;
    h->architecture = bert ? E_TRANSFORMER : D_TRANSFORMER;
    h->positions = LEARNED;
    h->d_attn = h->d_mid = h->d_f = h->window = h->N_C = 0;
    h->rms = h->no_attention_biases = h->scaled_embedding = false;
    h->embedding_norm = bert;
    h->unembedding_bias = kind->task == TRAIN_E;
    h->pooler = kind->task == TRAIN_CLASS;
    h->tied = h->tied && !h->pooler;
}

static const TensorRow *row_for(const TensorPlace *place,
                                const TensorRow *row)
{
    const char *symbol = place->parameter->symbol;
    for (; row->tensor != NULL; row++)
        if (((row->W != NULL && strcmp(row->W, symbol) == 0)
             || (row->b != NULL && strcmp(row->b, symbol) == 0))
            && !((row->how & UNTIED) && place->tied))
            return row;
    return NULL;
}

static void write_tensor_name(TensorPlace *place, const Released *kind)
{
    const TensorRow *row = place->row;
    const char *mark = strchr(row->tensor, '#');
    bool bias = row->W == NULL
             || strcmp(row->W, place->parameter->symbol) != 0;
    int n = mark == NULL ? (int)strlen(row->tensor)
                         : (int)(mark - row->tensor);
    snprintf(place->name, sizeof place->name, "%s%.*s",
             place->in_trunk && !kind->bare ? kind->prefix : "", n,
             row->tensor);
    if (mark != NULL)
        append(place->name, sizeof place->name, "%d%s",
               place->parameter->layer - 1, mark + 1);
    append(place->name, sizeof place->name, bias ? ".bias" : ".weight");
}

TensorPlace tensor_place(const Released *kind, const Theta *theta, int k)
{
    const Parameter *p = &theta->parameter[k];
    TensorPlace place = { .parameter = p, .tied = theta->hyper.tied };
    place.row = row_for(&place, kind->head);
    place.in_trunk = place.row == NULL;
    if (place.in_trunk)
        place.row = row_for(&place, kind->trunk);
    REQUIRE(place.row != NULL, "%s has no %s.", kind->architecture,
            p->symbol);
    write_tensor_name(&place, kind);
    size_t rows = (size_t)p->rows, above = 0, part = rows;
    if (p->head > 0) {
        part = (size_t)theta->hyper.H * rows;
        above = (size_t)(p->head - 1) * rows;
    }
    place.first = (size_t)place.row->part * part + above;
    place.rows = (place.row->parts == 0 ? 1 : (size_t)place.row->parts)
               * part;
    bool transposed = place.row->how & TURNED;
    place.dimensions = p->symbol[0] == 'W' ? 2 : 1;
    place.size[0] = (long long)place.rows;
    place.size[1] = p->cols;
    if (transposed && place.dimensions == 2) {
        place.size[0] = p->cols;
        place.size[1] = (long long)place.rows;
    }
    return place;
}

size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                    int i, int j)
{
    bool transposed = place->row->how & TURNED;
    bool vocabulary = place->row->how & VOCABULARY;
    size_t row = place->first + (size_t)i - 1, col = (size_t)j - 1;
    if (vocabulary)
        *(transposed ? &col : &row) =
            (size_t)token_number(tokens, transposed ? j : i);
    return transposed ? col * place->rows + row
                  : row * (size_t)place->parameter->cols + col;
}

static const Tensor *tensor_at(const Released *kind, const Tensors *in,
                               const TensorPlace *place)
{
    char name[120];
    size_t n = strlen(kind->prefix);
    const Tensor *found = tensor_named(in, place->name);
    if (found == NULL && place->in_trunk) {
        snprintf(name, sizeof name, "%s%s", kind->bare ? kind->prefix : "",
                 place->name + (kind->bare ? 0 : n));
        found = tensor_named(in, name);
    }
    if (found != NULL || strstr(place->name, "LayerNorm.") == NULL)
        return found;
    int stem = (int)(strrchr(place->name, '.') - place->name);
    snprintf(name, sizeof name, "%.*s.%s", stem, place->name,
             strcmp(place->name + stem, ".weight") == 0 ? "gamma" : "beta");
    return tensor_named(in, name);
}

static const Tensor *checked_tensor(const Released *kind, const Tensors *in,
                                    const TensorPlace *place, Error *f)
{
    char expected[60];
    const Tensor *t = tensor_at(kind, in, place);
    if (t == NULL)
        fail_with(f, "the tensor %s is missing; it is %s.", place->name,
                  place->parameter->symbol);
    f->sheet = t->file;
    if (t->type == TENSOR_OTHER)
        fail_with(f, "the tensor %s has numbers of type %s; F32, F16, BF16 "
                  "and F64 are read.", t->name, t->type_name);
    bool same = t->dimensions == place->dimensions;
    for (int d = 0; same && d < place->dimensions; d++)
        same = t->size[d] == place->size[d];
    snprintf(expected, sizeof expected, place->dimensions == 1 ? "[%lld]"
             : "[%lld, %lld]", place->size[0], place->size[1]);
    if (!same)
        fail_with(f, "the tensor %s has another shape than config.json "
                  "says; expected %s.", place->name, expected);
    return t;
}

static void read_numbers(const TensorPlace *place, const Tensor *t,
                         const Tokenizer *tokens, Error *f)
{
    Mat M = *place->parameter->place;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            size_t k = tensor_index(place, tokens, i, j);
            double x = tensor_number(t, k);
            f->sheet = t->file;
            if (!isfinite((real)x))
                fail_with(f, "number %zu of the tensor %s is not finite.",
                          k + 1, t->name);
            AT(M, i, j) = (real)x;
        }
}

Theta *theta_import(Arena *arena, const Released *kind,
                    const Hyperparameters *h, const Tensors *in,
                    const Tokenizer *tokens, Purpose purpose, Error *f)
{
    double numbers = 0;
    const char *folder = f->sheet;
    for (int i = 0; i < in->n; i++)
        numbers += (double)in->tensor[i].count;
    if (3.0 * h->L * h->H > numbers)
        fail_with(f, "has fewer numbers than config.json says.");
    Theta *theta = theta_new(arena, h);
    size_t n = (size_t)theta->n + 1;
    TensorPlace *place = arena_alloc(arena, n * sizeof *place);
    const Tensor **t = arena_alloc(arena, n * sizeof *t);
    for (int k = 1; k <= theta->n; k++) {
        f->sheet = folder;
        place[k] = tensor_place(kind, theta, k);
        t[k] = checked_tensor(kind, in, &place[k], f);
    }
    if (purpose == TO_TRAIN)
        theta_allocate(theta, arena);
    else if (purpose == TO_USE)
        theta_wrap(theta, arena, arena_alloc(arena,
                   (size_t)theta_count(theta) * sizeof(real)));
    for (int k = 1; k <= theta->n && purpose > ITS_HEADER; k++)
        read_numbers(&place[k], t[k], tokens, f);
    return theta;
}

typedef struct {
    const Model *model;
    const Released *kind;
    Arena *arena;
    int n;
    Tensor *tensor;             /* tensor[0] ... tensor[n - 1]            */
    double *number;             /* those of one tensor                    */
} TensorList;

/* Adds the tensor of a place, unless it is there already. */
static void list_tensor(TensorList *list, const TensorPlace *place)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->tensor[i].name, place->name) == 0)
            return;
    Tensor *t = &list->tensor[list->n++];
    *t = (Tensor){ .dimensions = place->dimensions,
                   .size = { place->size[0], place->size[1] } };
    t->count = (size_t)place->size[0]
             * (place->dimensions > 1 ? (size_t)place->size[1] : 1);
    t->name = strcpy(arena_alloc(list->arena, sizeof place->name),
                     place->name);
}

static void list_tensors(TensorList *list)
{
    const Theta *theta = list->model->theta;
    size_t n = (size_t)theta->n + 1, most = 1;
    list->tensor = arena_alloc(list->arena, n * sizeof *list->tensor);
    for (int k = 1; k <= theta->n; k++) {
        TensorPlace place = tensor_place(list->kind, theta, k);
        list_tensor(list, &place);
    }
    for (int i = 0; i < list->n; i++)
        most = list->tensor[i].count > most ? list->tensor[i].count : most;
    list->number = arena_alloc(list->arena, most * sizeof *list->number);
}

/* Returns the numbers of a tensor, for tensors_write. */
static const double *numbers_of_tensor(const void *data, int tensor)
{
    const TensorList *list = data;
    const Theta *theta = list->model->theta;
    const Tensor *t = &list->tensor[tensor];
    for (int k = 1; k <= theta->n; k++) {
        TensorPlace place = tensor_place(list->kind, theta, k);
        bool found = strcmp(place.name, t->name) == 0;
        Mat M = *place.parameter->place;
        for (int j = 1; found && j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++)
                list->number[tensor_index(&place, list->model->tokenizer, i,
                                          j)] = AT(M, i, j);
    }
    return list->number;
}

bool theta_write(FILE *file, const void *model)
{
    Arena *arena = arena_new();
    const Model *m = model;
    TensorList list = { .model = m, .kind = released_kind_of(m->task),
                        .arena = arena };
    list_tensors(&list);
    bool written = tensors_write(file, list.n, list.tensor,
                                 numbers_of_tensor, &list);
    arena_free(arena);
    return written;
}
