/* ftx import and ftx export: from released models, and to them.

   Entry points: import_released, export_model. From a folder flows a model
   file, and from a model a folder that from_pretrained reads. */
#include "hub/hub.h"
#include "model/model.h"
#include <errno.h>
#include <string.h>

/* What is typed; ftx export has the last option alone. */
typedef struct {
    const char *model, *tokens;
    bool replace;
} ExchangeOptions;
enum { EXPORT_OPTION = 2 };

static const Option exchange_options[] = {
    { "model", TEXT, UNBOUNDED(ExchangeOptions, model), "FILE",
      "where the model is saved" },
    { "tokens-of", TEXT, UNBOUNDED(ExchangeOptions, tokens), "MODEL",
      "take the tokens of this model" },
    { "replace", FLAG, UNBOUNDED(ExchangeOptions, replace), NULL,
      "overwrite what is there" },
    { .name = NULL },
};

static const char import_usage[] =
    "Usage: ftx import FOLDER --model FILE\n"
    "\n"
    "Converts a released model: a folder with config.json and\n"
    "model.safetensors of a GPT2LMHeadModel, BertModel or BertForMaskedLM.\n"
    "Without a tokenizer.json texts are typed as token numbers, such as\n"
    "'464 3290'. Of a model file of ftx the parameters are copied, without\n"
    "the state of training. For example:\n"
    "\n"
    "  ftx import gpt2 --model gpt2.ftx\n"
    "  ftx generate --model gpt2.ftx --tau 0 'The dog'\n";

static void refuse_to_replace(Error *f, const char *name)
{
    if (is_name_taken(name))
        fail_with(f, "%s is there already; --replace writes over it.", name);
}

void import_released(Error *f, Command *c)
{
    ExchangeOptions o = { .replace = false };
    const Options options[] = { { "Options:", exchange_options, &o },
                                { .table = NULL } };
    int n = parse_command(f, c, import_usage, options);
    const char *name = c->argument[0];
    if (n != 1 || o.model == NULL)
        fail_with(f, "expected one folder, and --model FILE for the model "
                  "that is made of it; see 'ftx import --help'.");
    if (!o.replace)
        refuse_to_replace(f, o.model);
    char numbers[40];
    FileInfo about = { .is_file = false };
    const Tokenizer *tokens = o.tokens == NULL ? NULL
        : model_load(c->arena, o.tokens, TO_USE, f)->tokenizer;
    get_file_info(name, &about);
    Model *m = about.is_file && tokens == NULL
             ? model_load(c->arena, name, TO_USE, f)
             : model_import(c->arena, name, TO_USE, tokens, f);
    m->state = (State){ .sum = "imported" };
    acquire_lock(&c->lock, o.model, f);
    model_save(m, o.model, f);
    fprintf(c->out, "%s: Algorithm %d, %s numbers to learn, from %s\n",
            o.model, 8 + (int)m->theta->hyper.architecture,
            format_grouped(theta_count(m->theta), numbers), name);
}

/* Refuses a model that transformers has not. */
static void check_exportable(const Model *m, const char *name, Arena *arena,
                             Error *f)
{
    const Released *kind = released_kind_of(m->task);
    if (kind == NULL)
        fail_with(f, "%s cannot be exported: Algorithm 8 as printed has no "
                  "model of transformers.", name);
    const Hyperparameters *has = &m->theta->hyper;
    Hyperparameters needs = *has;
    set_released_hyper(kind, &needs);
    needs.types += kind->task != TRAIN_D && needs.types == 0;
    needs = theta_new(arena, &needs)->hyper;
    for (const Option *o = hyper_options; o->name != NULL; o++)
        if (!option_equals(o, has, &needs))
            fail_with(f, "%s cannot be exported: its %s is not that of a "
                      "%s; 'head %s' shows it.", name, o->name,
                      kind->architecture, name);
}

/* Two writers for replace_file. */
static void put_tokens(FILE *file, const void *model)
{
    const Model *m = model;
    put_tokenizer(file, m->tokenizer, m->task != TRAIN_D);
}

static void put_tokens_config(FILE *file, const void *model)
{
    put_tokenizer_config(file, ((const Model *)model)->tokenizer);
}

/* Writes the files of a folder, the configuration last. */
static void write_folder(const Model *m, Arena *arena, const char *folder,
                         Error *f)
{
    bool has_tokens = tokens_error(m->tokenizer) == NULL;
    const struct { const char *name; FileWriter *put; } file[] = {
        { "model.safetensors", theta_write },
        { "tokenizer.json", has_tokens ? put_tokens : NULL },
        { "tokenizer_config.json", has_tokens ? put_tokens_config : NULL },
        { "config.json", config_write },
    };
    int error = make_folder(folder);
    f->sheet = folder;
    if (error != 0 && error != EEXIST)
        fail_with(f, "cannot be made: %s.", strerror(error));
    remove_file(in_folder(arena, folder, "config.json"));
    for (int k = 0; k < 4; k++)
        if (file[k].put == NULL)
            remove_file(in_folder(arena, folder, file[k].name));
        else
            replace_file(in_folder(arena, folder, file[k].name), f, m,
                         file[k].put);
}

static const char export_usage[] =
    "Usage: ftx export MODEL FOLDER [options]\n"
    "\n"
    "Writes config.json, model.safetensors and tokenizer.json, which\n"
    "from_pretrained of transformers reads. A model of 'ftx train d'\n"
    "becomes a GPT2LMHeadModel, and one of 'ftx train e --embedding_norm\n"
    "--types 1 --unembedding_bias' a BertForMaskedLM. The special tokens\n"
    "are called <mask>, <bos> and <eos>; an imported model keeps the\n"
    "numbers and names that it came with. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx export hello.ftx hello\n"
    "  ftx import hello --tokens-of hello.ftx --model back.ftx\n";

void export_model(Error *f, Command *c)
{
    ExchangeOptions o = { .replace = false };
    const Options options[] = {
        { "Options:", exchange_options + EXPORT_OPTION, &o },
        { .table = NULL },
    };
    if (parse_command(f, c, export_usage, options) != 2)
        fail_with(f, "expected a model and a folder; see 'ftx export "
                  "--help'.");
    const char *name = c->argument[0], *folder = c->argument[1];
    Model *m = model_load(c->arena, name, TO_USE, f);
    check_exportable(m, name, c->arena, f);
    if (!o.replace)
        refuse_to_replace(f, in_folder(c->arena, folder, "config.json"));
    write_folder(m, c->arena, folder, f);
    const char *wrong = tokens_error(m->tokenizer);
    fprintf(c->out, "%s: %s%s%s\n", folder,
            released_kind_of(m->task)->architecture,
            wrong == NULL ? "" : "; no tokenizer.json: ",
            wrong == NULL ? "" : wrong);
}
