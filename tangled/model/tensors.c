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

static const TensorRow *row_for(const Parameter *p, const TensorRow *row,
                                bool tied)
{
    for (; row->tensor != NULL; row++)
        if (((row->W != NULL && strcmp(row->W, p->symbol) == 0)
             || (row->b != NULL && strcmp(row->b, p->symbol) == 0))
            && !((row->how & UNTIED) && tied))
            return row;
    return NULL;
}

static char *tensor_name(Arena *arena, const TensorRow *row,
                         const Parameter *p, const char *prefix)
{
    enum { SIZE = 100 };
    char *name = arena_alloc(arena, SIZE);
    int n = (int)strcspn(row->tensor, "#");
    bool bias = row->W == NULL || strcmp(row->W, p->symbol) != 0;
    snprintf(name, SIZE, "%s%.*s", prefix, n, row->tensor);
    if (row->tensor[n] == '#')
        append(name, SIZE, "%d%s", p->layer - 1, row->tensor + n + 1);
    append(name, SIZE, bias ? ".bias" : ".weight");
    return name;
}

static TensorPlace tensor_place(Arena *arena, const Released *kind,
                                const Theta *theta, const Parameter *p)
{
    bool tied = theta->hyper.tied;
    const TensorRow *row = row_for(p, kind->head, tied);
    const char *prefix = row != NULL || kind->bare ? "" : kind->prefix;
    if (row == NULL)
        row = row_for(p, kind->trunk, tied);
    REQUIRE(row != NULL, "%s has no %s.", kind->architecture, p->symbol);
    size_t rows = (size_t)p->rows, above = 0, part = rows;
    if (p->head > 0) {
        part = (size_t)theta->hyper.H * rows;
        above = (size_t)(p->head - 1) * rows;
    }
    rows = (row->parts == 0 ? 1 : (size_t)row->parts) * part;
    bool transposed = (row->how & TURNED) && p->symbol[0] == 'W';
    long long size[2] = { (long long)rows, p->cols };
    return (TensorPlace){
        .row = row, .parameter = p, .rows = rows,
        .first = (size_t)row->part * part + above,
        .tensor = { .name = tensor_name(arena, row, p, prefix),
                    .dimensions = p->symbol[0] == 'W' ? 2 : 1,
                    .size = { size[transposed], size[!transposed] },
                    .count = rows * (size_t)p->cols },
    };
}

TensorPlace *tensor_places(Arena *arena, const Released *kind,
                           const Theta *theta)
{
    TensorPlace *place = arena_alloc(arena, ((size_t)theta->n + 1)
                                            * sizeof *place);
    for (int k = 1; k <= theta->n; k++)
        place[k] = tensor_place(arena, kind, theta, &theta->parameter[k]);
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
                               const char *name)
{
    char other[120];
    size_t n = strlen(kind->prefix);
    bool begins = strncmp(name, kind->prefix, n) == 0;
    const Tensor *found = tensor_named(in, name);
    if (found == NULL) {
        snprintf(other, sizeof other, "%s%s", begins ? "" : kind->prefix,
                 name + (begins ? n : 0));
        found = tensor_named(in, other);
    }
    if (found != NULL || strstr(name, "LayerNorm.") == NULL)
        return found;
    int stem = (int)(strrchr(name, '.') - name);
    snprintf(other, sizeof other, "%.*s.%s", stem, name,
             strcmp(name + stem, ".weight") == 0 ? "gamma" : "beta");
    return tensor_named(in, other);
}

static const Tensor *checked_tensor(const Released *kind, const Tensors *in,
                                    const TensorPlace *place, Error *f)
{
    char expected[60];
    const Tensor *wanted = &place->tensor;
    const Tensor *t = tensor_at(kind, in, wanted->name);
    if (t == NULL)
        fail_with(f, "the tensor %s is missing; it is %s.", wanted->name,
                  place->parameter->symbol);
    f->sheet = t->file;
    if (t->type == TENSOR_OTHER)
        fail_with(f, "the tensor %s has numbers of type %s; F32, F16, BF16 "
                  "and F64 are read.", t->name, t->type_name);
    bool same = t->dimensions == wanted->dimensions;
    for (int d = 0; same && d < wanted->dimensions; d++)
        same = t->size[d] == wanted->size[d];
    snprintf(expected, sizeof expected, wanted->dimensions == 1 ? "[%lld]"
             : "[%lld, %lld]", wanted->size[0], wanted->size[1]);
    if (!same)
        fail_with(f, "the tensor %s has another shape than config.json "
                  "says; expected %s.", wanted->name, expected);
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
    const TensorPlace *place = tensor_places(arena, kind, theta);
    const Tensor **t = arena_alloc(arena, n * sizeof *t);
    for (int k = 1; k <= theta->n; k++) {
        f->sheet = folder;
        t[k] = checked_tensor(kind, in, &place[k], f);
    }
    if (purpose == TO_TRAIN)
        theta_allocate(theta, arena);
    else
        theta_wrap(theta, arena, arena_alloc(arena,
                   (size_t)theta_count(theta) * sizeof(real)));
    for (int k = 1; k <= theta->n; k++)
        read_numbers(&place[k], t[k], tokens, f);
    return theta;
}

typedef struct {
    const Model *model;
    const TensorPlace *place;   /* of each parameter                      */
    int n;
    Tensor *tensor;             /* tensor[0] ... tensor[n - 1]            */
    double *number;             /* those of one tensor                    */
} TensorList;

static void list_tensors(TensorList *list, Arena *arena)
{
    int parameters = list->model->theta->n;
    size_t most = 1;
    list->tensor = arena_alloc(arena, (size_t)parameters
                                      * sizeof *list->tensor);
    for (int k = 1; k <= parameters; k++) {
        const Tensor *t = &list->place[k].tensor;
        int i = 0;
        while (i < list->n && strcmp(list->tensor[i].name, t->name) != 0)
            i++;
        if (i == list->n)
            list->tensor[list->n++] = *t;
        most = t->count > most ? t->count : most;
    }
    list->number = arena_alloc(arena, most * sizeof *list->number);
}

/* Returns the numbers of a tensor, for tensors_write. */
static const double *numbers_of_tensor(const void *data, int tensor)
{
    const TensorList *list = data;
    for (int k = 1; k <= list->model->theta->n; k++) {
        const TensorPlace *place = &list->place[k];
        Mat M = *place->parameter->place;
        if (strcmp(place->tensor.name, list->tensor[tensor].name) != 0)
            continue;
        for (int j = 1; j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++)
                list->number[tensor_index(place, list->model->tokenizer, i,
                                          j)] = AT(M, i, j);
    }
    return list->number;
}

bool theta_write(FILE *file, const void *model)
{
    Arena *arena = arena_new();
    const Model *m = model;
    TensorList list = { .model = m, .place = tensor_places(arena,
                        released_kind_of(m->task), m->theta) };
    list_tensors(&list, arena);
    bool written = tensors_write(file, list.n, list.tensor,
                                 numbers_of_tensor, &list);
    arena_free(arena);
    return written;
}
