/* The config.json of released models, read and written.

   Main type: ConfigField. Entry points: config_read, config_write. One
   table is walked in both directions: from names to hyperparameters, and
   back. */
#include "hub/hub.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

/* A name of config.json. option: the hyperparameter that it is, in the
   tables of plan.c, with its range. words: how a FLAG is called, no first.
   value: what is read where the file does not say; without it the file must.
   A name without an option has the value as its only one, and is not
   written; or is only written. */
typedef struct {
    const char *gpt2, *bert;    /* NULL: it has none                      */
    const char *option, *value, *words;
    enum { IS_READ, ONLY_WRITTEN, DROPOUT } how;
} ConfigField;

static const ConfigField fields[] = {
    { "vocab_size", "vocab_size", .option = "N_V" },
    { "n_positions", "max_position_embeddings", .option = "ell_max" },
    { "n_embd", "hidden_size", .option = "d_e" },
    { "n_layer", "num_hidden_layers", .option = "L" },
    { "n_head", "num_attention_heads", .option = "H" },
    { "n_inner", NULL, .option = "d_mlp", .value = "0" },
    { NULL, "intermediate_size", .option = "d_mlp" },
    { NULL, "type_vocab_size", .option = "types", .value = "2" },
    { "activation_function", NULL, .option = "tanh_gelu",
      .value = "gelu_new", .words = "gelu gelu_new gelu_pytorch_tanh" },
    { NULL, "hidden_act", .option = "tanh_gelu",
      .value = "gelu", .words = "gelu gelu_new gelu_pytorch_tanh" },
    { "layer_norm_epsilon", NULL, .option = "epsilon", .value = "1e-5" },
    { NULL, "layer_norm_eps", .option = "epsilon", .value = "1e-12" },
    { "tie_word_embeddings", "tie_word_embeddings", .option = "tied",
      .value = "true", .words = "false true" },
    { "scale_attn_weights", NULL, .value = "true" },
    { "scale_attn_by_inverse_layer_idx", NULL, .value = "false" },
    { "add_cross_attention", "add_cross_attention", .value = "false" },
    { NULL, "is_decoder", .value = "false" },
    { NULL, "position_embedding_type", .value = "absolute" },
    { "attn_pdrop", "attention_probs_dropout_prob", .how = ONLY_WRITTEN,
      .value = "0" },
    { NULL, "pad_token_id", .how = ONLY_WRITTEN, .value = "null" },
    { "embd_pdrop", "hidden_dropout_prob", .how = DROPOUT },
    { "resid_pdrop", NULL, .how = DROPOUT },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const special_ids[] = { "mask_token_id", "bos_token_id",
                                           "eos_token_id" };

static const char *name_of_field(const ConfigField *field, Task task)
{
    return task == TRAIN_D ? field->gpt2 : field->bert;
}

/* Returns the hyperparameter that the field is. */
static const Option *option_of_field(const ConfigField *field)
{
    const Option *o = hyper_options;
    while (strcmp(o->name, field->option) != 0)
        o++;
    return o;
}

/* Returns the words of the field as an option, of the number of a word. */
static Option words_of_field(const ConfigField *field)
{
    return (Option){ .kind = CHOICE, .words = field->words };
}

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
    const char *word = field->value;
    char number[40], expected[200];
    int k = 0;
    bool right;
    if (value != NULL && value->kind == JSON_NUMBER) {
        snprintf(number, sizeof number, "%.17g", value->number);
        word = number;
    } else if (value != NULL) {
        word = json_word(r->arena, value);
    }
    if (field->option == NULL) {
        snprintf(expected, sizeof expected, "%s; the algorithm has nothing "
                 "else", field->value);
        right = strcmp(word, field->value) == 0;
    } else if (field->words != NULL) {
        Option words = words_of_field(field);
        option_range(&words, expected, sizeof expected);
        right = option_set(&words, &k, word);
        option_set(option_of_field(field), &r->to.hyper,
                   k > 0 ? "yes" : "no");
    } else {
        option_range(option_of_field(field), expected, sizeof expected);
        right = word != NULL && (value == NULL || word == number)
             && option_set(option_of_field(field), &r->to.hyper, word);
    }
    if (!right)
        config_error(r, value, name, expected);
}

static const Released *released_kind(const ConfigReader *r)
{
    const Json *names = json_member(r->root, "architectures");
    const Json *type = json_member(r->root, "model_type");
    const Json *name = names != NULL && names->kind == JSON_LIST
                    && names->n == 1 ? &names->item[0] : names;
    const Released *found = NULL;
    char known[200] = "";
    for (const Released *k = released_models; k->architecture; k++) {
        if (name == NULL ? json_is(type, k->type)
                         : json_is(name, k->architecture))
            found = k;
        append(known, sizeof known, "%s%s", *known != '\0' ? ", " : "",
               k->architecture);
    }
    if (found == NULL)
        fail_in_text(r->error, (name == NULL ? r->root : name)->at,
                     "the architecture is %.100s; known are %s.",
                     json_word(r->arena, name), known);
    return found;
}

static void read_classes(ConfigReader *r)
{
    static const char *usual[] = { NULL, "LABEL_0", "LABEL_1" };
    const Json *labels = json_member(r->root, "id2label");
    r->to.hyper.N_C = 2;
    r->to.class_name = usual;
    if (labels == NULL)
        return;
    int N_C = labels->kind == JSON_OBJECT ? labels->n : 0;
    const char **name = arena_alloc(r->arena, ((size_t)N_C + 1)
                                              * sizeof *name);
    bool right = 1 <= N_C && N_C <= MOST_CLASSES;
    for (int c = 1; c <= N_C && right; c++) {
        char number[12];
        snprintf(number, sizeof number, "%d", c - 1);
        const Json *label = json_member(labels, number);
        right = label != NULL && label->kind == JSON_STRING && label->n > 0
             && strlen(label->text) == (size_t)label->n
             && strpbrk(label->text, "\t\r\n") == NULL;
        name[c] = right ? label->text : NULL;
    }
    if (!right)
        config_error(r, labels, "id2label", "an object with a name for each "
                     "number from \"0\", 1000 at most");
    r->to.hyper.N_C = N_C;
    r->to.class_name = name;
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
    for (int k = 0; k < FIELDS; k++) {
        const char *theirs = name_of_field(&fields[k], r.to.kind->task);
        if (theirs != NULL && fields[k].how == IS_READ)
            read_field(&r, &fields[k], theirs);
    }
    if (h->N_V < 4 || h->N_V > TOKEN_LIMIT)
        config_error(&r, NULL, "vocab_size", "from 4 to 1048576");
    if (h->d_mlp == 0)
        h->d_mlp = 4 * h->d_e;
    set_released_hyper(r.to.kind, h);
    read_special_ids(&r);
    if (h->pooler && !r.to.kind->bare)
        read_classes(&r);
    const char *wrong = hyperparameters_error(h);
    f->text = NULL;
    if (wrong != NULL)
        fail_with(f, "%s", wrong);
    return r.to;
}

/* Writes the value of a field of the model; h has its hyperparameters as
   transformers has them. */
static void put_field(FILE *file, const ConfigField *field, const Model *m,
                      const Hyperparameters *h)
{
    if (field->how == DROPOUT) {
        print_json(file, "%g", m->plan.how.dropout);
    } else if (field->how == ONLY_WRITTEN) {
        fputs(field->value, file);
    } else if (field->words == NULL) {
        option_print(file, option_of_field(field), h);
    } else {
        Option words = words_of_field(field);
        const char *quote = *field->words == 'g' ? "\"" : "";
        size_t place = option_of_field(field)->place;
        int k = *(const bool *)((const char *)h + place);
        fputs(quote, file);
        option_print(file, &words, &k);
        fputs(quote, file);
    }
}

bool config_write(FILE *file, const void *model)
{
    const Model *m = model;
    const Released *kind = released_kind_of(m->task);
    Hyperparameters h = m->theta->hyper;
    h.tied = h.tied || m->task == TRAIN_CLASS;
    print_json(file, "{\n  'architectures': [%s],\n  'model_type': %s,\n"
               "  'dtype': 'float32'", kind->architecture, kind->type);
    for (int k = 0; k < FIELDS; k++) {
        const char *name = name_of_field(&fields[k], kind->task);
        if (name == NULL || (fields[k].how == IS_READ
                             && fields[k].option == NULL))
            continue;
        print_json(file, ",\n  %s: ", name);
        put_field(file, &fields[k], m, &h);
    }
    for (int k = 0; k < 3; k++) {
        int token = mask_token(h.N_V) + k;
        bool has = is_special(m->tokenizer, token);
        print_json(file, has ? ",\n  %s: %d" : ",\n  %s: null",
                   special_ids[k], token_number(m->tokenizer, token));
    }
    fputs("\n}\n", file);
    return !ferror(file);
}
