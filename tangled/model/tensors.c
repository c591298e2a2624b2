/* Which tensor of a released model is which matrix of theta. */
#include "model/model.h"
#include <string.h>

static const TensorRow gpt2_trunk[] = {
    { "1.1", "W_e", "wte.weight", TURNED | VOCABULARY, 0, 1 },
    { "2.1", "W_p", "wpe.weight", TURNED, 0, 1 },
    { "10.5", "gamma_1", "h.#.ln_1.weight", 0, 0, 1 },
    { "10.5", "beta_1", "h.#.ln_1.bias", 0, 0, 1 },
    { "4.1", "W_q", "h.#.attn.c_attn.weight", TURNED, 0, 3 },
    { "4.1", "b_q", "h.#.attn.c_attn.bias", 0, 0, 3 },
    { "4.2", "W_k", "h.#.attn.c_attn.weight", TURNED, 1, 3 },
    { "4.2", "b_k", "h.#.attn.c_attn.bias", 0, 1, 3 },
    { "4.3", "W_v", "h.#.attn.c_attn.weight", TURNED, 2, 3 },
    { "4.3", "b_v", "h.#.attn.c_attn.bias", 0, 2, 3 },
    { "5.4", "W_o", "h.#.attn.c_proj.weight", TURNED, 0, 1 },
    { "5.4", "b_o", "h.#.attn.c_proj.bias", 0, 0, 1 },
    { "10.7", "gamma_2", "h.#.ln_2.weight", 0, 0, 1 },
    { "10.7", "beta_2", "h.#.ln_2.bias", 0, 0, 1 },
    { "10.8", "W_mlp1", "h.#.mlp.c_fc.weight", TURNED, 0, 1 },
    { "10.8", "b_mlp1", "h.#.mlp.c_fc.bias", 0, 0, 1 },
    { "10.8", "W_mlp2", "h.#.mlp.c_proj.weight", TURNED, 0, 1 },
    { "10.8", "b_mlp2", "h.#.mlp.c_proj.bias", 0, 0, 1 },
    { "10.10", "gamma", "ln_f.weight", 0, 0, 1 },
    { "10.10", "beta", "ln_f.bias", 0, 0, 1 },
    { .line = NULL },
};

static const TensorRow gpt2_head[] = {
    { "7.1", "W_u", "lm_head.weight", VOCABULARY, 0, 1 },
    { .line = NULL },
};
#define SELF "encoder.layer.#.attention.self."
#define OUT "encoder.layer.#.attention.output."
#define MLP "encoder.layer.#."

static const TensorRow bert_trunk[] = {
    { "1.1", "W_e", "embeddings.word_embeddings.weight",
      TURNED | VOCABULARY, 0, 1 },
    { "2.1", "W_p", "embeddings.position_embeddings.weight", TURNED, 0, 1 },
    { "9.2", "W_t", "embeddings.token_type_embeddings.weight", TURNED, 0,
      1 },
    { "9.3", "gamma_e", "embeddings.LayerNorm.weight", 0, 0, 1 },
    { "9.3", "beta_e", "embeddings.LayerNorm.bias", 0, 0, 1 },
    { "4.1", "W_q", SELF "query.weight", 0, 0, 1 },
    { "4.1", "b_q", SELF "query.bias", 0, 0, 1 },
    { "4.2", "W_k", SELF "key.weight", 0, 0, 1 },
    { "4.2", "b_k", SELF "key.bias", 0, 0, 1 },
    { "4.3", "W_v", SELF "value.weight", 0, 0, 1 },
    { "4.3", "b_v", SELF "value.bias", 0, 0, 1 },
    { "5.4", "W_o", OUT "dense.weight", 0, 0, 1 },
    { "5.4", "b_o", OUT "dense.bias", 0, 0, 1 },
    { "9.6", "gamma_1", OUT "LayerNorm.weight", 0, 0, 1 },
    { "9.6", "beta_1", OUT "LayerNorm.bias", 0, 0, 1 },
    { "9.7", "W_mlp1", MLP "intermediate.dense.weight", 0, 0, 1 },
    { "9.7", "b_mlp1", MLP "intermediate.dense.bias", 0, 0, 1 },
    { "9.7", "W_mlp2", MLP "output.dense.weight", 0, 0, 1 },
    { "9.7", "b_mlp2", MLP "output.dense.bias", 0, 0, 1 },
    { "9.8", "gamma_2", MLP "output.LayerNorm.weight", 0, 0, 1 },
    { "9.8", "beta_2", MLP "output.LayerNorm.bias", 0, 0, 1 },
    { "9.10", "W_f", "pooler.dense.weight", 0, 0, 1 },
    { "9.10", "b_f", "pooler.dense.bias", 0, 0, 1 },
    { .line = NULL },
};

static const TensorRow masked_head[] = {
    { "9.10", "W_f", "cls.predictions.transform.dense.weight", 0, 0, 1 },
    { "9.10", "b_f", "cls.predictions.transform.dense.bias", 0, 0, 1 },
    { "9.11", "gamma", "cls.predictions.transform.LayerNorm.weight", 0, 0,
      1 },
    { "9.11", "beta", "cls.predictions.transform.LayerNorm.bias", 0, 0, 1 },
    { "7.1", "W_u", "cls.predictions.decoder.weight", VOCABULARY, 0, 1 },
    { "7.1", "b_u", "cls.predictions.decoder.bias", VOCABULARY | UNTIED, 0,
      1 },
    { "7.1", "b_u", "cls.predictions.bias", VOCABULARY, 0, 1 },
    { .line = NULL },
};

static const TensorRow class_head[] = {
    { "(E31)", "W_c", "classifier.weight", 0, 0, 1 },
    { "(E31)", "b_c", "classifier.bias", 0, 0, 1 },
    { .line = NULL },
};

static const TensorRow no_head[] = { { .line = NULL } };

static const char *const gpt2_idle[] = {
    ".attn.bias", ".attn.masked_bias", "lm_head.weight", NULL,
};
static const char *const bert_idle[] = {
    "embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias",
    "cls.predictions.decoder.weight", "cls.predictions.decoder.bias",
    "cls.predictions.bias",
    "cls.seq_relationship.weight", "cls.seq_relationship.bias", NULL,
};

const Released released_models[] = {
    { "GPT2LMHeadModel", "gpt2", TRAIN_D, "transformer.", gpt2_trunk,
      gpt2_head, false, gpt2_idle },
    { "BertForMaskedLM", "bert", TRAIN_E, "bert.", bert_trunk, masked_head,
      false, bert_idle },
    { "BertForSequenceClassification", "bert", TRAIN_CLASS, "bert.",
      bert_trunk, class_head, false, bert_idle },
    { "BertModel", "bert", TRAIN_CLASS, "bert.", bert_trunk, no_head, true,
      bert_idle },
    { .architecture = NULL },
};

static const TensorRow *row_for(const TensorPlace *place,
                                const TensorRow *row)
{
    while (row->line != NULL
           && (strcmp(row->symbol, place->parameter->symbol) != 0
               || ((row->how & UNTIED) && place->tied)))
        row++;
    return row->line == NULL ? NULL : row;
}

static void write_tensor_name(TensorPlace *place, const Released *model)
{
    const char *tensor = place->row->tensor, *mark = strchr(tensor, '#');
    size_t size = sizeof place->name;
    int n = mark == NULL ? (int)strlen(tensor) : (int)(mark - tensor);
    snprintf(place->name, size, "%s%.*s",
             place->in_trunk && !model->bare ? model->prefix : "", n, tensor);
    if (mark != NULL)
        append(place->name, size, "%d%s", place->parameter->layer - 1,
               mark + 1);
}

bool tensor_copy(const Released *model, TensorPlace *place)
{
    const TensorRow *next = row_for(place, place->row + 1);
    if (next != NULL) {
        place->row = next;
        write_tensor_name(place, model);
    }
    return next != NULL;
}

TensorPlace tensor_place(const Released *model, const Theta *theta, int k)
{
    const Parameter *p = &theta->parameter[k];
    TensorPlace place = { .parameter = p, .tied = theta->hyper.tied };
    place.row = row_for(&place, model->head);
    place.in_trunk = place.row == NULL;
    if (place.in_trunk)
        place.row = row_for(&place, model->trunk);
    REQUIRE(place.row != NULL, "%s has no %s.", model->architecture,
            p->symbol);
    write_tensor_name(&place, model);
    int heads = p->head > 0 ? theta->hyper.H : 1;
    size_t part = (size_t)heads * (size_t)p->rows;
    place.rows = (size_t)place.row->parts * part;
    place.first = (size_t)place.row->part * part
                + (p->head > 0 ? (size_t)(p->head - 1) * (size_t)p->rows
                               : 0);
    bool turned = place.row->how & TURNED;
    place.dimensions = p->symbol[0] == 'W' ? 2 : 1;
    place.size[0] = turned ? p->cols : (long long)place.rows;
    place.size[1] = turned ? (long long)place.rows : p->cols;
    return place;
}

size_t tensor_index(const TensorPlace *place, const Tokenizer *tokens,
                    int i, int j)
{
    bool turned = place->row->how & TURNED;
    bool vocabulary = place->row->how & VOCABULARY;
    size_t cols = (size_t)place->parameter->cols;
    size_t token = vocabulary
                 ? (size_t)token_number(tokens, turned ? j : i) : 0;
    size_t row = !turned && vocabulary ? token
               : place->first + (size_t)i - 1;
    size_t col = turned && vocabulary ? token : (size_t)j - 1;
    return turned ? col * place->rows + row : row * cols + col;
}
