/* A released model becomes a model, and its configuration goes out again.

   Main type: Config. Entry points: model_import, config_write. In comes a
   folder, out comes a Model, and the other way round its config.json. One
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

/* Returns the name of a field in models of a task; NULL: they have none. */
static const char *name_of_field(const ConfigField *field, Task task)
{
    return task == TRAIN_D ? field->gpt2 : field->bert;
}

/* Returns the hyperparameter that the field is, as an option. */
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

/* A config.json, and what it has said so far. */
typedef struct {
    Arena *arena;
    Error *error;
    const Json *root;
    const Released *kind;
    Hyperparameters hyper;
    int special[3];             /* mask_token, bos_token, eos_token       */
} Config;

/* Sets the hyperparameter that the field is, or checks its only value. */
static void read_field(Config *c, const ConfigField *field, const char *name)
{
    const Json *value = json_member(c->root, name);
    const char *word = field->value;
    char number[40], expected[200];
    int k = 0;
    bool right;
    if (value != NULL && value->kind == JSON_NUMBER) {
        snprintf(number, sizeof number, "%.17g", value->number);
        word = number;
    } else if (value != NULL) {
        word = json_word(c->arena, value);
    }
    if (field->option == NULL) {
        snprintf(expected, sizeof expected, "%s; the algorithm has nothing "
                 "else", field->value);
        right = strcmp(word, field->value) == 0;
    } else if (field->words != NULL) {
        Option words = words_of_field(field);
        option_range(&words, expected, sizeof expected);
        right = option_set(&words, &k, word);
        option_set(option_of_field(field), &c->hyper, k > 0 ? "yes" : "no");
    } else {
        option_range(option_of_field(field), expected, sizeof expected);
        right = word != NULL && (value == NULL || word == number)
             && option_set(option_of_field(field), &c->hyper, word);
    }
    if (!right)
        fail_in_text(c->error, (value == NULL ? c->root : value)->at,
                     "%s must be %s.", name, expected);
}

/* Returns the kind of model that it is. */
static const Released *released_kind(const Config *c)
{
    const Json *names = json_member(c->root, "architectures");
    const Json *type = json_member(c->root, "model_type");
    const Json *name = names != NULL && names->kind == JSON_LIST
                    && names->n == 1 ? &names->item[0] : names;
    const Released *found = NULL;
    for (const Released *k = released_models; k->architecture; k++)
        if (name == NULL ? json_is(type, k->type)
                         : json_is(name, k->architecture))
            found = k;
    if (found == NULL)
        fail_in_text(c->error, (name == NULL ? c->root : name)->at,
                     "the architecture is %.100s; 'ftx import --help' names "
                     "those that are known.", json_word(c->arena, name));
    return found;
}

/* Returns what the config.json of a folder says. Fails where ftx has no such
   model. */
static Config config_read(Arena *arena, const char *folder, Error *f)
{
    const char *name = in_folder(arena, folder, "config.json");
    Config c = { .arena = arena, .error = f,
                 .root = json_of_file(arena, name, f) };
    Hyperparameters *h = &c.hyper;
    c.kind = released_kind(&c);
    for (int k = 0; k < FIELDS; k++) {
        const char *theirs = name_of_field(&fields[k], c.kind->task);
        if (theirs != NULL && fields[k].how == IS_READ)
            read_field(&c, &fields[k], theirs);
    }
    if (h->N_V < 4 || h->N_V > TOKEN_LIMIT)
        fail_in_text(f, c.root->at, "vocab_size must be from 4 to 1048576.");
    set_released_hyper(c.kind, h);
    for (int k = 0; k < 3; k++) {
        double id = json_whole(json_member(c.root, special_ids[k]), 0,
                               h->N_V - 1);
        c.special[k] = isnan(id) ? UNSAID : (int)id;
    }
    f->text = NULL;
    hyper_check(f, h);
    return c;
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

void config_write(FILE *file, const void *model)
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
}

/* Returns the tokenizer of a folder, with its special tokens. */
static const Tokenizer *tokens_for(Arena *arena, const char *folder,
                                   const Config *config, Error *f)
{
    static const char *const name[] = { "mask", "bos", "eos" };
    TokenFiles files = tokens_of_folder(arena, folder, config->hyper.N_V, f);
    int N_V = config->hyper.N_V, *id = files.special;
    for (int k = 2; k >= 0; k--)
        if (id[k] == UNSAID
            && (k != 1 || config->special[1] != id[2]))  /* eos is both */
            id[k] = config->special[k];
    for (int k = 0; k < 3; k++) {
        int other = (k + 1) % 3;
        if (id[k] == UNSAID && config->kind->task != TRAIN_D)
            fail_with(f, "no file says which token is %s_token; "
                      "config.json can have its number, %s_token_id.",
                      name[k], name[k]);
        if (id[k] >= 0 && id[k] == id[other])
            fail_with(f, "%s_token and %s_token are both %d.", name[k],
                      name[other], id[k]);
    }
    return files.cutter == NULL
         ? tokenizer_of_numbers(arena, N_V, id)
         : tokenizer_of_cutter(arena, N_V, id, files.cutter);
}

Model *model_import(Arena *arena, const char *folder, Purpose purpose,
                    const Tokenizer *tokens, Error *f)
{
    Config config = config_read(arena, folder, f);
    int N_V = config.hyper.N_V;
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .task = config.kind->task, .plan = plan_default(false),
                  .tokenizer = tokens,
                  .state.sum = "imported" };
    f->sheet = folder;
    if (tokens == NULL)
        m->tokenizer = tokens_for(arena, folder, &config, f);
    if (m->tokenizer->N_V != N_V)
        fail_with(f, "vocab_size is %d; the other model has %d tokens.", N_V,
                  m->tokenizer->N_V);
    Tensors in = tensors_of_folder(arena, folder, f);
    set_subject(f, folder, NULL);
    m->theta = theta_import(arena, config.kind, &config.hyper, &in,
                            m->tokenizer, purpose, f);
    return m;
}
