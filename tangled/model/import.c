/* Released models become models. */
#include "hub/hub.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct {
    Arena *arena;
    Error *error;
    const char *folder, *tensors;       /* NULL: those of the folder      */
    const char *config_name, *config_text;
    const Json *config;
    const Released *kind;
    Hyperparameters hyper;
} Importing;

_Noreturn static void config_error(Importing *r, const Json *at,
                                   const char *name, const char *expected)
{
    r->error->sheet = r->config_name;
    r->error->text = r->config_text;
    fail_in_text(r->error, at->at, "%s must be %s.", name, expected);
}

/* The member of that name that is not null; NULL: there is none. */
static const Json *config_member(const Importing *r, const char *name)
{
    const Json *member = json_member(r->config, name);
    return member != NULL && member->kind == JSON_NULL ? NULL : member;
}

/* otherwise is what it is when nothing is said; -1: it must be there. */
typedef struct {
    const char *name;
    size_t place;
    double least, most;
    int otherwise;
} ConfigNumber;

#define TO(member) offsetof(Hyperparameters, member)
static const ConfigNumber gpt2_numbers[] = {
    { "vocab_size", TO(N_V), 4, TOKEN_LIMIT, -1 },
    { "n_positions", TO(ell_max), 1, 1e7, -1 },
    { "n_embd", TO(d_e), 1, 1e5, -1 },
    { "n_layer", TO(L), 0, 1000, -1 },
    { "n_head", TO(H), 1, 1000, -1 },
    { "n_inner", TO(d_mlp), 1, 1e6, 0 },
    { .name = NULL },
};
static const ConfigNumber bert_numbers[] = {
    { "vocab_size", TO(N_V), 4, TOKEN_LIMIT, -1 },
    { "max_position_embeddings", TO(ell_max), 1, 1e7, -1 },
    { "hidden_size", TO(d_e), 1, 1e5, -1 },
    { "num_hidden_layers", TO(L), 0, 1000, -1 },
    { "num_attention_heads", TO(H), 1, 1000, -1 },
    { "intermediate_size", TO(d_mlp), 1, 1e6, -1 },
    { "type_vocab_size", TO(types), 1, 1000, 2 },
    { .name = NULL },
};

static void read_config_numbers(Importing *r, const ConfigNumber *number)
{
    for (const ConfigNumber *n = number; n->name != NULL; n++) {
        const Json *member = config_member(r, n->name);
        char range[100];
        int *to = (int *)((char *)&r->hyper + n->place);
        snprintf(range, sizeof range, "a whole number from %.0f to %.0f",
                 n->least, n->most);
        *to = n->otherwise;
        if (member == NULL && n->otherwise < 0)
            config_error(r, r->config, n->name, range);
        if (member == NULL)
            continue;
        double x = member->number;
        if (member->kind != JSON_NUMBER || !(n->least <= x && x <= n->most)
            || x != floor(x))
            config_error(r, member, n->name, range);
        *to = (int)x;
    }
}

static bool config_flag(Importing *r, const char *name, bool otherwise)
{
    const Json *member = config_member(r, name);
    if (member == NULL)
        return otherwise;
    if (member->kind != JSON_TRUE && member->kind != JSON_FALSE)
        config_error(r, member, name, "true or false");
    return member->kind == JSON_TRUE;
}

static void demand_flag(Importing *r, const char *name, bool wanted)
{
    if (config_flag(r, name, wanted) != wanted)
        config_error(r, config_member(r, name), name,
                     wanted ? "true; the algorithm has nothing else"
                            : "false; the algorithm has no such thing");
}

static void read_activation(Importing *r, const char *name)
{
    const Json *member = config_member(r, name);
    r->hyper.tanh_gelu = member == NULL
                       ? r->kind->task == TRAIN_D
                       : json_is(member, "gelu_new")
                      || json_is(member, "gelu_pytorch_tanh");
    if (member != NULL && !r->hyper.tanh_gelu && !json_is(member, "gelu"))
        config_error(r, member, name, "\"gelu\", or \"gelu_new\" or "
                     "\"gelu_pytorch_tanh\", which are the tanh form");
}

static void read_epsilon(Importing *r, const char *name, double otherwise)
{
    const Json *member = config_member(r, name);
    r->hyper.epsilon = member == NULL ? otherwise : member->number;
    if (member != NULL && (member->kind != JSON_NUMBER
                           || !(0 <= member->number && member->number < 1)))
        config_error(r, member, name, "a number from 0 to 1");
}

static void read_gpt2(Importing *r)
{
    read_config_numbers(r, gpt2_numbers);
    read_activation(r, "activation_function");
    read_epsilon(r, "layer_norm_epsilon", 1e-5);
    demand_flag(r, "scale_attn_weights", true);
    demand_flag(r, "scale_attn_by_inverse_layer_idx", false);
    demand_flag(r, "add_cross_attention", false);
    r->hyper.architecture = D_TRANSFORMER;
    r->hyper.tied = config_flag(r, "tie_word_embeddings", true);
    if (r->hyper.d_mlp == 0)
        r->hyper.d_mlp = 4 * r->hyper.d_e;
}

static void read_bert(Importing *r)
{
    const Json *positions = config_member(r, "position_embedding_type");
    read_config_numbers(r, bert_numbers);
    read_activation(r, "hidden_act");
    read_epsilon(r, "layer_norm_eps", 1e-12);
    demand_flag(r, "is_decoder", false);
    demand_flag(r, "add_cross_attention", false);
    if (positions != NULL && !json_is(positions, "absolute"))
        config_error(r, positions, "position_embedding_type",
                     "\"absolute\"; the algorithm has nothing else");
    bool masked = r->kind->task == TRAIN_E;
    r->hyper.architecture = E_TRANSFORMER;
    r->hyper.embedding_norm = true;
    r->hyper.tied = masked && config_flag(r, "tie_word_embeddings", true);
    r->hyper.unembedding_bias = masked;
    r->hyper.pooler = !masked;
}

static const Released *released_kind(Importing *r)
{
    const Json *names = config_member(r, "architectures");
    const Json *name = names != NULL && names->kind == JSON_LIST
                    && names->n == 1 ? &names->item[0] : NULL;
    char known[200] = "";
    for (const Released *k = released_models; k->architecture; k++) {
        if (name != NULL && json_is(name, k->architecture))
            return k;
        append(known, sizeof known, "%s%s", *known != '\0' ? ", " : "",
               k->architecture);
    }
    r->error->sheet = r->config_name;
    r->error->text = r->config_text;
    if (name == NULL || name->kind != JSON_STRING)
        fail_in_text(r->error, names == NULL ? r->config->at : names->at,
                     "architectures must be a list of one name; known are "
                     "%s.",
                     known);
    fail_in_text(r->error, name->at,
                 "the architecture %.100s is not known; known "
                 "are %s.", name->text, known);
}

static void read_config(Importing *r)
{
    r->config_name = in_folder(r->arena, r->folder, "config.json");
    r->config = json_of_file(r->arena, r->config_name, r->error);
    r->config_text = r->error->text;
    if (r->config->kind != JSON_OBJECT)
        fail_in_text(r->error, r->config->at,
                     "a configuration is an object; this "
                     "is %s.", json_kind(r->config));
    r->kind = released_kind(r);
    (strcmp(r->kind->type, "gpt2") == 0 ? read_gpt2 : read_bert)(r);
    const char *wrong = hyperparameters_error(&r->hyper);
    r->error->sheet = r->config_name;
    r->error->text = NULL;
    if (wrong != NULL)
        fail_with(r->error, "%s", wrong);
}

static void special_of_config(Importing *r, int special[3])
{
    static const char *const name[] = { "mask_token_id", "bos_token_id",
                                        "eos_token_id" };
    int said[3] = { UNSAID, UNSAID, UNSAID };
    for (int k = 0; k < 3; k++) {
        const Json *id = config_member(r, name[k]);
        double x = id == NULL || id->kind != JSON_NUMBER ? -1 : id->number;
        if (x >= 0 && x < r->hyper.N_V && x == floor(x))
            said[k] = (int)x;
    }
    for (int k = 2; k >= 0; k--)
        if (special[k] == UNSAID
            && (k != 1 || said[1] != special[2]))   /* eos is both */
            special[k] = said[k];
}

static const Tokenizer *tokens_for(Importing *r, const TokenHint *hint)
{
    TokenFiles files = { .special = { UNSAID, UNSAID, UNSAID } };
    static const char *const name[] = { "mask", "bos", "eos" };
    int special[3] = { UNSAID, UNSAID, UNSAID }, N_V = r->hyper.N_V;
    bool gpt2 = r->kind->task == TRAIN_D;
    for (int k = 0; k < 3; k++)
        special[k] = hint->special[k];
    if (!hint->numbers)
        files = tokens_of_folder(r->arena, r->folder, N_V, r->error);
    for (int k = 0; k < 3; k++)
        if (special[k] == UNSAID)
            special[k] = files.special[k];
    special_of_config(r, special);
    r->error->sheet = r->folder;
    r->error->text = NULL;
    for (int k = 0; k < 3; k++) {
        if (special[k] == UNSAID && !gpt2)
            fail_with(r->error, "nothing says which token is %s_token; ftx "
                      "import has --%s for its number.", name[k], name[k]);
        if (special[k] >= N_V)
            fail_with(r->error, "--%s is %d; the tokens are numbered from 0 "
                      "to %d.", name[k], special[k], N_V - 1);
        for (int j = 0; j < k; j++)
            if (special[k] >= 0 && special[k] == special[j])
                fail_with(r->error, "%s_token and %s_token are both %d.",
                          name[j], name[k], special[k]);
    }
    return files.cutter == NULL
         ? tokenizer_of_numbers(r->arena, N_V, special)
         : tokenizer_of_cutter(r->arena, N_V, special, files.cutter);
}

static const Tensor *tensor_at(const Importing *r, const Tensors *in,
                               const TensorPlace *place)
{
    char name[120];
    const Tensor *found = tensor_named(in, place->name);
    const char *prefix = r->kind->prefix, *plain = place->name;
    if (place->in_trunk && !r->kind->bare)
        plain += strlen(prefix);
    if (found == NULL && place->in_trunk)
        found = tensor_named(in, plain);
    if (found == NULL && place->in_trunk) {
        snprintf(name, sizeof name, "%s%s", prefix, plain);
        found = tensor_named(in, name);
    }
    if (found != NULL || strstr(place->name, "LayerNorm.") == NULL)
        return found;
    bool gamma = strstr(place->name, ".weight") != NULL;
    int stem = (int)(strrchr(place->name, '.') - place->name);
    snprintf(name, sizeof name, "%.*s.%s", stem, place->name,
             gamma ? "gamma" : "beta");
    return tensor_named(in, name);
}

static const Tensor *checked_tensor(const Importing *r, const Tensors *in,
                                    const TensorPlace *place)
{
    const Tensor *t = tensor_at(r, in, place);
    Error *f = r->error;
    for (TensorPlace other = *place; t == NULL
         && tensor_copy(r->kind, &other); )
        t = tensor_at(r, in, &other);
    if (t == NULL)
        fail_with(f, "the tensor %s is missing: %s of line %s.",
                  place->name, place->row->symbol, place->row->line);
    f->sheet = t->file;
    if (t->type == TENSOR_OTHER)
        fail_with(f, "the tensor %s has numbers of type %s; F32, F16, BF16 "
                  "and F64 are read.", t->name, t->type_name);
    bool same = t->dimensions == place->dimensions;
    for (int d = 0; same && d < place->dimensions; d++)
        same = t->size[d] == place->size[d];
    if (!same && place->dimensions == 1)
        fail_with(f, "the tensor %s has another shape than config.json "
                  "says; expected [%lld].", t->name, place->size[0]);
    if (!same)
        fail_with(f, "the tensor %s has another shape than config.json "
                  "says; expected [%lld, %lld].", t->name, place->size[0],
                  place->size[1]);
    f->sheet = r->folder;
    return t;
}

static void take_numbers(const Importing *r, const TensorPlace *place,
                           const Tensor *t, const Tokenizer *tokens)
{
    Mat M = *place->parameter->place;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            size_t k = tensor_index(place, tokens, i, j);
            double x = tensor_number(t, k);
            if (!isfinite((real)x)) {
                r->error->sheet = t->file;
                fail_with(r->error, "number %zu of the tensor %s is not "
                          "finite.", k + 1, t->name);
            }
            AT(M, i, j) = (real)x;
        }
}

static void refuse_unknown(const Importing *r, const Tensors *in,
                           const bool used[])
{
    for (int i = 0; i < in->n; i++) {
        const char *const *idle = r->kind->idle;
        while (*idle != NULL && !has_suffix(in->tensor[i].name, *idle))
            idle++;
        if (used[i] || *idle != NULL)
            continue;
        r->error->sheet = in->tensor[i].file;
        fail_with(r->error, "the tensor %.150s is no part of %s.",
                  in->tensor[i].name, r->kind->architecture);
    }
}

static Theta *read_theta(const Importing *r, const Tokenizer *tokens,
                         Purpose purpose)
{
    Arena *arena = r->arena;
    Error *f = r->error;
    const Hyperparameters *h = &r->hyper;
    Tensors in = r->tensors == NULL
               ? tensors_of_folder(arena, r->folder, f)
               : tensors_of_file(arena, r->tensors, f);
    double numbers = 0;
    for (int i = 0; i < in.n; i++)
        numbers += (double)in.tensor[i].count;
    f->sheet = r->folder;
    f->text = NULL;
    if (3.0 * h->L * h->H > numbers
        || (double)h->d_e * h->N_V > numbers
        || (double)h->d_e * h->ell_max > numbers)
        fail_with(f, "has fewer numbers than config.json says.");
    Theta *theta = theta_new(arena, h);
    size_t n = (size_t)theta->n + 1;
    TensorPlace *place = arena_alloc(arena, n * sizeof *place);
    const Tensor **t = arena_alloc(arena, n * sizeof *t);
    bool *used = arena_alloc(arena, (size_t)in.n + 1);
    memset(used, 0, (size_t)in.n + 1);
    for (int k = 1; k <= theta->n; k++) {
        place[k] = tensor_place(r->kind, theta, k);
        t[k] = checked_tensor(r, &in, &place[k]);
        used[t[k] - in.tensor] = true;
    }
    refuse_unknown(r, &in, used);
    size_t bytes = (size_t)theta_count(theta) * sizeof(real);
    if (purpose == TO_TRAIN)
        theta_allocate(theta, arena);
    else if (purpose == TO_USE)
        theta_wrap(theta, arena, arena_alloc(arena, bytes));
    for (int k = 1; k <= theta->n && purpose > ITS_HEADER; k++)
        take_numbers(r, &place[k], t[k], tokens);
    return theta;
}

static const char *class_label(Importing *r, const Json *labels, int c)
{
    char key[20];
    snprintf(key, sizeof key, "%d", c - 1);
    const Json *label = labels == NULL ? NULL : json_member(labels, key);
    char *name = arena_alloc(r->arena, 40);
    snprintf(name, 40, "LABEL_%d", c - 1);
    if (labels == NULL)
        return name;
    if (label == NULL || label->kind != JSON_STRING || label->n == 0
        || strlen(label->text) != (size_t)label->n
        || strpbrk(label->text, "\t\r\n") != NULL)
        config_error(r, labels, "id2label", "an object with a name for "
                     "each number from \"0\"");
    return label->text;
}

static void read_classes(Importing *r, Model *m)
{
    bool has = strcmp(r->kind->architecture,
                      "BertForSequenceClassification") == 0;
    const Json *labels = config_member(r, "id2label");
    int N_C = !has ? 0 : labels == NULL ? 2 : labels->n;
    if (N_C > MOST_CLASSES || (has && N_C < 1))
        config_error(r, labels, "id2label", "an object with 1 to 1000 "
                     "names");
    size_t n = (size_t)N_C + 1;
    r->hyper.N_C = N_C;
    m->class_name = arena_alloc(r->arena, n * sizeof *m->class_name);
    for (int c = 1; c <= N_C; c++)
        m->class_name[c] = class_label(r, labels, c);
}

static void name_folder(Importing *r, const char *name)
{
    FileInfo about;
    r->folder = r->error->sheet = name;
    r->error->text = NULL;
    if (!get_file_info(name, &about))
        fail_with(r->error, "there is no such folder or file.");
    if (!about.is_file)
        return;
    if (!has_suffix(name, ".safetensors"))
        fail_with(r->error, "expected a folder with a config.json, or a "
                  ".safetensors file in one.");
    const char *slash = strrchr(name, '/');
    size_t n = slash == NULL ? 1 : (size_t)(slash - name) + (slash == name);
    char *folder = arena_alloc(r->arena, n + 1);
    memcpy(folder, slash == NULL ? "." : name, n);
    folder[n] = '\0';
    r->folder = folder;
    r->tensors = name;
}

bool is_released(const char *name)
{
    char config[PATH_BYTES];
    int n = snprintf(config, sizeof config, "%s/config.json", name);
    return has_suffix(name, ".safetensors")
        || (n < (int)sizeof config
            && is_name_taken(config));
}

static const Tokenizer *any_tokens(Importing *r)
{
    return tokenizer_of_numbers(r->arena, r->hyper.N_V,
                                (int[]){ -1, -1, -1 });
}

Model *model_import(Arena *arena, const char *name, Purpose purpose,
                    const TokenHint *hint, Error *f)
{
    static const TokenHint none = { .special = { UNSAID, UNSAID, UNSAID } };
    Importing *r = arena_alloc(arena, sizeof *r);
    Model *m = arena_alloc(arena, sizeof *m);
    *r = (Importing){ .arena = arena, .error = f };
    name_folder(r, name);
    read_config(r);
    *m = (Model){ .task = r->kind->task, .plan = plan_default(false) };
    read_classes(r, m);
    hint = hint == NULL ? &none : hint;
    m->tokenizer = purpose == ITS_SIZES ? any_tokens(r)
                 : hint->tokens != NULL ? hint->tokens
                 : tokens_for(r, hint);
    if (tokenizer_size(m->tokenizer) != r->hyper.N_V)
        fail_with(f, "vocab_size is %d; the other model has %d tokens.",
                  r->hyper.N_V, tokenizer_size(m->tokenizer));
    m->theta = read_theta(r, m->tokenizer, purpose);
    m->state = (State){ .interval = 1, .sum = "imported" };
    return m;
}
