/* The config.json of released models, read and written.

   Main type: ConfigField. Entry points: config_read, config_write. One
   table is walked in both directions: from names to hyperparameters, and
   back. */
#include "hub/hub.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SIZE must be there, PRESET has a value where it is not; MUST_BE says the
   only value that it may have, and is not written; ONLY_WRITTEN and DROPOUT
   are not read. */
typedef struct {
    const char *gpt2, *bert;    /* its names; NULL: it has none           */
    enum { SIZE, PRESET, EPSILON, GELU_FORM, TIED, MUST_BE, ONLY_WRITTEN,
           DROPOUT } kind;
    size_t place;               /* in Hyperparameters                     */
    double least, most;
    int preset;
    const char *value;
} ConfigField;

#define TO(member) offsetof(Hyperparameters, member)
static const ConfigField fields[] = {
    { "vocab_size", "vocab_size", SIZE, TO(N_V), 4, TOKEN_LIMIT, 0, NULL },
    { "n_positions", "max_position_embeddings", SIZE, TO(ell_max), 1, 1e7,
      0, NULL },
    { "n_embd", "hidden_size", SIZE, TO(d_e), 1, 1e5, 0, NULL },
    { "n_layer", "num_hidden_layers", SIZE, TO(L), 0, 1000, 0, NULL },
    { "n_head", "num_attention_heads", SIZE, TO(H), 1, 1000, 0, NULL },
    { "n_inner", NULL, PRESET, TO(d_mlp), 1, 1e6, 0, NULL },
    { NULL, "intermediate_size", SIZE, TO(d_mlp), 1, 1e6, 0, NULL },
    { NULL, "type_vocab_size", PRESET, TO(types), 1, 1000, 2, NULL },
    { "activation_function", "hidden_act", .kind = GELU_FORM },
    { "layer_norm_epsilon", "layer_norm_eps", .kind = EPSILON },
    { "tie_word_embeddings", "tie_word_embeddings", .kind = TIED },
    { "scale_attn_weights", NULL, .kind = MUST_BE, .value = "true" },
    { "scale_attn_by_inverse_layer_idx", NULL, .kind = MUST_BE,
      .value = "false" },
    { "add_cross_attention", "add_cross_attention", .kind = MUST_BE,
      .value = "false" },
    { NULL, "is_decoder", .kind = MUST_BE, .value = "false" },
    { NULL, "position_embedding_type", .kind = MUST_BE,
      .value = "absolute" },
    { "attn_pdrop", "attention_probs_dropout_prob", .kind = ONLY_WRITTEN,
      .value = "0" },
    { NULL, "pad_token_id", .kind = ONLY_WRITTEN, .value = "null" },
    { "embd_pdrop", "hidden_dropout_prob", .kind = DROPOUT },
    { "resid_pdrop", NULL, .kind = DROPOUT },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const special_ids[] = { "mask_token_id", "bos_token_id",
                                           "eos_token_id" };

typedef struct {
    Arena *arena;
    Error *error;
    const Json *root;
    Config to;
} ConfigReader;

_Noreturn static void config_error(const ConfigReader *r, const Json *at,
                                   const char *name, const char *expected)
{
    fail_in_text(r->error, (at == NULL ? r->root : at)->at, "%s must be %s.",
                 name, expected);
}

static void read_field(ConfigReader *r, const ConfigField *field,
                       const char *name)
{
    const Json *value = json_member(r->root, name);
    Hyperparameters *h = &r->to.hyper;
    double x = value != NULL && value->kind == JSON_NUMBER ? value->number
                                                           : -1;
    char expected[100] = "true or false";
    bool right = true, none = value == NULL;
    switch (field->kind) {
    case SIZE:
    case PRESET:
        snprintf(expected, sizeof expected, "a whole number from %.0f to "
                 "%.0f", field->least, field->most);
        right = none ? field->kind == PRESET
              : !isnan(json_whole(value, field->least, field->most));
        *(int *)((char *)h + field->place) = none ? field->preset
                                           : right ? (int)x : 0;
        break;
    case EPSILON:
        strcpy(expected, "a number from 0 to 1");
        right = none || (0 <= x && x < 1);
        h->epsilon = none ? h->epsilon : x;
        break;
    case GELU_FORM:
        strcpy(expected, "\"gelu\", or \"gelu_new\" or "
               "\"gelu_pytorch_tanh\", which are the tanh form");
        h->tanh_gelu = none ? h->tanh_gelu : !json_is(value, "gelu");
        right = none || !h->tanh_gelu || json_is(value, "gelu_new")
             || json_is(value, "gelu_pytorch_tanh");
        break;
    case TIED:
        h->tied = none || value->kind == JSON_TRUE;
        right = h->tied || value->kind == JSON_FALSE;
        break;
    case MUST_BE:
        snprintf(expected, sizeof expected, "%s; the algorithm has nothing "
                 "else", field->value);
        right = none
             || strcmp(json_word(r->arena, value), field->value) == 0;
        break;
    case ONLY_WRITTEN:
    case DROPOUT:
        break;
    }
    if (!right)
        config_error(r, value, name, expected);
}

static const Released *released_kind(const ConfigReader *r)
{
    const Json *names = json_member(r->root, "architectures");
    const Json *type = json_member(r->root, "model_type");
    const Json *name = names != NULL && names->kind == JSON_LIST
                    && names->n == 1 ? &names->item[0] : NULL;
    const Released *found = NULL;
    char known[200] = "";
    for (const Released *k = released_models; k->architecture; k++) {
        if (name != NULL ? json_is(name, k->architecture)
                         : names == NULL && json_is(type, k->type))
            found = k;
        append(known, sizeof known, "%s%s", *known != '\0' ? ", " : "",
               k->architecture);
    }
    if (found == NULL && name != NULL && name->kind == JSON_STRING)
        fail_in_text(r->error, name->at, "the architecture %.100s is not "
                     "known; known are %s.", name->text, known);
    if (found == NULL)
        fail_in_text(r->error, (names == NULL ? r->root : names)->at,
                     "architectures must be a list of one name; known are "
                     "%s.", known);
    return found;
}

static void read_classes(ConfigReader *r)
{
    static const char expected[] =
        "an object with a name for each number from \"0\", 1000 at most";
    const Json *labels = json_member(r->root, "id2label");
    int N_C = labels == NULL ? 2 : labels->n;
    if (labels != NULL && (labels->kind != JSON_OBJECT || N_C < 1
                           || N_C > MOST_CLASSES))
        config_error(r, labels, "id2label", expected);
    r->to.hyper.N_C = N_C;
    r->to.class_name = arena_alloc(r->arena, ((size_t)N_C + 1)
                                             * sizeof *r->to.class_name);
    for (int c = 1; c <= N_C; c++) {
        char *name = arena_alloc(r->arena, 40);
        snprintf(name, 40, "LABEL_%d", c - 1);
        r->to.class_name[c] = name;
        if (labels == NULL)
            continue;
        const Json *label = json_member(labels, name + strlen("LABEL_"));
        if (label == NULL || label->kind != JSON_STRING || label->n == 0
            || strlen(label->text) != (size_t)label->n
            || strpbrk(label->text, "\t\r\n") != NULL)
            config_error(r, labels, "id2label", expected);
        r->to.class_name[c] = label->text;
    }
}

static void read_special_ids(ConfigReader *r)
{
    for (int k = 0; k < 3; k++) {
        double id = json_whole(json_member(r->root, special_ids[k]), 0,
                               r->to.hyper.N_V - 1);
        r->to.special[k] = isnan(id) ? UNSAID : (int)id;
    }
}

Config config_read(Arena *arena, const char *folder, Error *f)
{
    const char *name = in_folder(arena, folder, "config.json");
    ConfigReader r = { .arena = arena, .error = f,
                       .root = json_of_file(arena, name, f) };
    Hyperparameters *h = &r.to.hyper;
    if (r.root->kind != JSON_OBJECT)
        fail_in_text(f, r.root->at, "a configuration is an object; this is "
                     "%s.", json_kind(r.root));
    r.to.kind = released_kind(&r);
    Task task = r.to.kind->task;
    bool gpt2 = task == TRAIN_D;
    h->architecture = gpt2 ? D_TRANSFORMER : E_TRANSFORMER;
    h->tanh_gelu = gpt2;
    h->epsilon = gpt2 ? 1e-5 : 1e-12;
    for (int k = 0; k < FIELDS; k++) {
        const char *theirs = gpt2 ? fields[k].gpt2 : fields[k].bert;
        if (theirs != NULL)
            read_field(&r, &fields[k], theirs);
    }
    if (gpt2 && h->d_mlp == 0)
        h->d_mlp = 4 * h->d_e;
    h->embedding_norm = !gpt2;
    h->unembedding_bias = task == TRAIN_E;
    h->pooler = task == TRAIN_CLASS;
    h->tied = h->tied && !h->pooler;
    read_special_ids(&r);
    if (h->pooler && !r.to.kind->bare)
        read_classes(&r);
    const char *wrong = hyperparameters_error(h);
    f->text = NULL;
    if (wrong != NULL)
        fail_with(f, "%s", wrong);
    return r.to;
}

/* Writes a number with as many digits as bring it back. */
static void put_decimal(FILE *file, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) != x)
        snprintf(text, sizeof text, "%.17g", x);
    fputs(text, file);
}

static void put_field(FILE *file, const ConfigField *field, const Model *m)
{
    const Hyperparameters *h = &m->theta->hyper;
    int size = *(const int *)((const char *)h + field->place);
    bool tied = h->tied || m->task == TRAIN_CLASS;
    switch (field->kind) {
    case SIZE:
    case PRESET:    fprintf(file, "%d", size < field->least
                            ? (int)field->least : size); break;
    case EPSILON:   put_decimal(file, h->epsilon); break;
    case GELU_FORM: fputs(h->tanh_gelu ? "\"gelu_new\"" : "\"gelu\"", file);
                    break;
    case TIED:      fputs(tied ? "true" : "false", file); break;
    case DROPOUT:   put_decimal(file, m->plan.how.dropout); break;
    case MUST_BE:   break;
    case ONLY_WRITTEN: fputs(field->value, file); break;
    }
}

static void put_labels(FILE *file, const Model *m)
{
    int N_C = m->theta->hyper.N_C;
    for (int c = 1; c <= N_C; c++)
        print_json(file, c == 1 ? ",\n  'id2label': {'%d': %s"
                                : ", '%d': %s", c - 1, m->class_name[c]);
    for (int c = 1; c <= N_C; c++)
        print_json(file, c == 1 ? "},\n  'label2id': {%s: %d" : ", %s: %d",
                   m->class_name[c], c - 1);
    fputc('}', file);
}

bool config_write(FILE *file, const Model *m, const Released *kind,
                  TensorType type)
{
    const Hyperparameters *h = &m->theta->hyper;
    print_json(file, "{\n  'architectures': [%s],\n  'model_type': %s,\n"
               "  'dtype': %s", kind->architecture, kind->type,
               type == TENSOR_F64 ? "float64" : "float32");
    for (int k = 0; k < FIELDS; k++) {
        const char *name = kind->task == TRAIN_D ? fields[k].gpt2
                                                 : fields[k].bert;
        if (name == NULL || fields[k].kind == MUST_BE)
            continue;
        print_json(file, ",\n  %s: ", name);
        put_field(file, &fields[k], m);
    }
    for (int k = 0; k < 3; k++) {
        int token = mask_token(h->N_V) + k;
        bool has = is_special(m->tokenizer, token);
        print_json(file, has ? ",\n  %s: %d" : ",\n  %s: null",
                   special_ids[k], token_number(m->tokenizer, token));
    }
    if (h->N_C > 0)
        put_labels(file, m);
    fputs("\n}\n", file);
    return !ferror(file);
}
