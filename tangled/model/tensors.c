/* Which tensor of a released model is which matrix of theta.

   Main type: TensorPlace. Entry points: theta_import, theta_write. One
   table is walked in both directions: from tensors to parameters, and
   back. */
#include "model/model.h"
#include <math.h>
#include <string.h>

/* A row of the table: the parameters W and b stand in a tensor of that name
   with .weight and .bias; # is the number of the layer, from 0. */
struct TensorRow {
    const char *tensor, *W, *b;
    enum { AS_IT_IS = 0,
           TURNED = 1,          /* the tensor is the matrix transposed    */
           VOCABULARY = 2,      /* one of its sides are the tokens        */
           UNTIED = 4 }         /* only where W_u is not W_e transposed   */
    how;
    int part;                   /* 1, 2, 3: so many-th of three on top of
                                   each other; 0: it is alone             */
};

static const TensorRow gpt2_trunk[] = {
    { "wte", "W_e", NULL, TURNED | VOCABULARY, 0 },
    { "wpe", "W_p", NULL, TURNED, 0 },
    { "h.#.ln_1", "gamma_1", "beta_1", AS_IT_IS, 0 },
    { "h.#.attn.c_attn", "W_q", "b_q", TURNED, 1 },
    { "h.#.attn.c_attn", "W_k", "b_k", TURNED, 2 },
    { "h.#.attn.c_attn", "W_v", "b_v", TURNED, 3 },
    { "h.#.attn.c_proj", "W_o", "b_o", TURNED, 0 },
    { "h.#.ln_2", "gamma_2", "beta_2", AS_IT_IS, 0 },
    { "h.#.mlp.c_fc", "W_mlp1", "b_mlp1", TURNED, 0 },
    { "h.#.mlp.c_proj", "W_mlp2", "b_mlp2", TURNED, 0 },
    { "ln_f", "gamma", "beta", AS_IT_IS, 0 },
    { .tensor = NULL },
}, gpt2_head[] = {
    { "lm_head", "W_u", NULL, VOCABULARY, 0 },
    { .tensor = NULL },
};

#define LAYER_ "encoder.layer.#."
static const TensorRow bert_trunk[] = {
    { "embeddings.word_embeddings", "W_e", NULL, TURNED | VOCABULARY, 0 },
    { "embeddings.position_embeddings", "W_p", NULL, TURNED, 0 },
    { "embeddings.token_type_embeddings", "W_t", NULL, TURNED, 0 },
    { "embeddings.LayerNorm", "gamma_e", "beta_e", AS_IT_IS, 0 },
    { LAYER_ "attention.self.query", "W_q", "b_q", AS_IT_IS, 0 },
    { LAYER_ "attention.self.key", "W_k", "b_k", AS_IT_IS, 0 },
    { LAYER_ "attention.self.value", "W_v", "b_v", AS_IT_IS, 0 },
    { LAYER_ "attention.output.dense", "W_o", "b_o", AS_IT_IS, 0 },
    { LAYER_ "attention.output.LayerNorm", "gamma_1", "beta_1", 0, 0 },
    { LAYER_ "intermediate.dense", "W_mlp1", "b_mlp1", AS_IT_IS, 0 },
    { LAYER_ "output.dense", "W_mlp2", "b_mlp2", AS_IT_IS, 0 },
    { LAYER_ "output.LayerNorm", "gamma_2", "beta_2", AS_IT_IS, 0 },
    { "pooler.dense", "W_f", "b_f", AS_IT_IS, 0 },
    { .tensor = NULL },
}, masked_head[] = {
    { "cls.predictions.transform.dense", "W_f", "b_f", AS_IT_IS, 0 },
    { "cls.predictions.transform.LayerNorm", "gamma", "beta", 0, 0 },
    { "cls.predictions.decoder", "W_u", "b_u", VOCABULARY | UNTIED, 0 },
    { "cls.predictions", NULL, "b_u", VOCABULARY, 0 },
    { .tensor = NULL },
};

const Released released_models[] = {
    { "GPT2LMHeadModel", "gpt2", TRAIN_D, "transformer.", gpt2_trunk,
      gpt2_head },
    { "BertForMaskedLM", "bert", TRAIN_E, "bert.", bert_trunk, masked_head },
    { "BertModel", "bert", TRAIN_CLASS, "bert.", bert_trunk, NULL },
    { .architecture = NULL },
};

const Released *released_kind_of(Task task)
{
    for (const Released *k = released_models; k->architecture != NULL; k++)
        if (k->task == task)
            return k;
    return NULL;
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

/* Where a parameter stands: in which tensor, and which of its rows, as the
   paper turns it. */
typedef struct {
    Tensor tensor;              /* its name and shape                     */
    const TensorRow *row;
    const Parameter *parameter;
    size_t rows, first;
} TensorPlace;

static bool is_symbol(const char *name, const Parameter *p)
{
    return name != NULL && strcmp(name, p->symbol) == 0;
}

/* Returns the first row of the parameter; NULL: it has none. */
static const TensorRow *row_for(const Parameter *p, const TensorRow *row,
                                bool tied)
{
    for (; row != NULL && row->tensor != NULL; row++)
        if ((is_symbol(row->W, p) || is_symbol(row->b, p))
            && !((row->how & UNTIED) && tied))
            return row;
    return NULL;
}

/* Returns the name of the parameter's tensor, with the number of its layer
   for #. */
static char *tensor_name(Arena *arena, const TensorRow *row,
                         const Parameter *p, const char *prefix)
{
    enum { SIZE = 100 };
    char *name = arena_alloc(arena, SIZE);
    int n = (int)strcspn(row->tensor, "#");
    snprintf(name, SIZE, "%s%.*s", prefix, n, row->tensor);
    if (row->tensor[n] == '#')
        append(name, SIZE, "%d%s", p->layer - 1, row->tensor + n + 1);
    append(name, SIZE, is_symbol(row->W, p) ? ".weight" : ".bias");
    return name;
}

/* Returns the place of parameter k. */
static TensorPlace tensor_place(Arena *arena, const Released *kind,
                                const Theta *theta, int k)
{
    const Parameter *p = &theta->parameter[k];
    bool tied = theta->hyper.tied;
    const TensorRow *row = row_for(p, kind->head, tied);
    const char *prefix = row != NULL || !kind->head ? "" : kind->prefix;
    if (row == NULL)
        row = row_for(p, kind->trunk, tied);
    REQUIRE(row != NULL, "%s has no %s.", kind->architecture, p->symbol);
    size_t heads = p->head > 0 ? (size_t)theta->hyper.H : 1;
    size_t part = heads * (size_t)p->rows, rows = part;
    size_t first = p->head > 0 ? (size_t)((p->head - 1) * p->rows) : 0;
    if (row->part > 0) {
        rows = 3 * part;
        first += (size_t)(row->part - 1) * part;
    }
    bool matrix = p->symbol[0] == 'W';
    bool transposed = matrix && row->how & TURNED;
    long long size[2] = { (long long)rows, p->cols };
    return (TensorPlace){
        .row = row, .parameter = p, .rows = rows, .first = first,
        .tensor = { .name = tensor_name(arena, row, p, prefix),
                    .dimensions = matrix ? 2 : 1,
                    .size = { size[transposed], size[!transposed] },
                    .count = rows * (size_t)p->cols },
    };
}

/* Returns the index of entry [i, j] in the tensor, from 0. */
static size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                           int i, int j)
{
    bool transposed = place->row->how & TURNED;
    size_t row = place->first + (size_t)i - 1, col = (size_t)j - 1;
    if (place->row->how & VOCABULARY)
        *(transposed ? &col : &row) =
            (size_t)token_number(tokens, transposed ? j : i);
    return transposed ? col * place->rows + row
                  : row * (size_t)place->parameter->cols + col;
}

/* Returns the tensor of that name, or of an older one; or NULL. */
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
    const bool gain = strstr(name, "LayerNorm.weight") != NULL;
    if (found != NULL || (!gain && strstr(name, "LayerNorm.bias") == NULL))
        return found;
    int stem = (int)(strrchr(name, '.') - name);
    snprintf(other, sizeof other, "%.*s.%s", stem, name,
             gain ? "gamma" : "beta");
    return tensor_at(kind, in, other);
}

/* Returns the tensor of a place, which has the shape that it must have. */
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

/* Copies the numbers of a tensor to the parameter; each must be finite. */
static void read_numbers(const TensorPlace *place, const Tensor *t,
                         const Tokenizer *tokens, Error *f)
{
    Mat M = *place->parameter->place;
    f->sheet = t->file;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            size_t k = tensor_index(place, tokens, i, j);
            double x = tensor_number(t, k);
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
    for (int reads = 0; reads < 2; reads++) {
        if (reads && purpose == TO_TRAIN)
            theta_allocate(theta, arena);
        else if (reads)
            theta_wrap(theta, arena, arena_alloc(arena,
                       (size_t)theta_count(theta) * sizeof(real)));
        for (int k = 1; k <= theta->n; k++) {
            TensorPlace place = tensor_place(arena, kind, theta, k);
            f->sheet = folder;
            const Tensor *t = checked_tensor(kind, in, &place, f);
            if (reads)
                read_numbers(&place, t, tokens, f);
        }
    }
    return theta;
}

/* Puts the numbers of a parameter into its tensor, which is among the n at t,
   or new behind them. Returns how many tensors there are. */
static int put_parameter(Tensor *t, int n, Arena *arena,
                         const TensorPlace *place, const Tokenizer *tokens)
{
    Mat M = *place->parameter->place;
    int k = 0;
    while (k < n && strcmp(t[k].name, place->tensor.name) != 0)
        k++;
    if (k == n) {
        t[n++] = place->tensor;
        t[k].number = arena_alloc(arena, t[k].count * sizeof(double));
    }
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            t[k].number[tensor_index(place, tokens, i, j)] = AT(M, i, j);
    return n;
}

void theta_write(FILE *file, const void *model)
{
    Arena *arena = arena_new();
    const Model *m = model;
    Tensor *tensor = arena_alloc(arena, (size_t)m->theta->n * sizeof *tensor);
    int n = 0;
    for (int k = 1; k <= m->theta->n; k++) {
        TensorPlace place = tensor_place(arena, released_kind_of(m->task),
                                         m->theta, k);
        n = put_parameter(tensor, n, arena, &place, m->tokenizer);
    }
    tensors_write(file, n, tensor);
    arena_free(arena);
}
