/* ftx import and ftx export: from released models, and to them.

   Entry points: import_released, export_model. From a
   folder flows a model file, and from a model a folder that from_pretrained
   reads. */
#include "hub/hub.h"
#include "model/model.h"
#include <errno.h>
#include <string.h>

typedef struct {
    const char *model, *tokens;
    bool replace;
} ImportOptions;

static const Option import_options[] = {
    { "model", TEXT, UNBOUNDED(ImportOptions, model), "FILE",
      "where the model is saved" },
    { "tokens-of", TEXT, UNBOUNDED(ImportOptions, tokens), "MODEL",
      "take the tokens of this model" },
    { "replace", FLAG, UNBOUNDED(ImportOptions, replace), NULL,
      "overwrite FILE" },
    { .name = NULL },
};

static const char import_usage[] =
    "Usage: ftx import FOLDER --model FILE\n"
    "\n"
    "Converts a released model: a folder with config.json and\n"
    "model.safetensors of a GPT2LMHeadModel, BertModel, BertForMaskedLM or\n"
    "BertForSequenceClassification. Nothing is downloaded. The tokens are\n"
    "those of tokenizer.json; without that file, texts are typed as token\n"
    "numbers, such as '464 3290'. If FOLDER is a model file of ftx, its\n"
    "parameters are copied without the state of its training. For example:\n"
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
    ImportOptions o = { .replace = false };
    const Options options[] = {
        { "Options:", import_options, &o },
        { .table = NULL },
    };
    int n = parse_command(f, c, import_usage, options);
    const char *name = n == 1 ? c->argument[0] : "";
    if (n != 1 || o.model == NULL)
        fail_with(f, "expected one folder, and --model %s for the model that "
                  "is made of it; see 'ftx import --help'.",
                  has_suffix(name, ".ftx") ? name : "FILE");
    if (!o.replace)
        refuse_to_replace(f, o.model);
    char numbers[40];
    const Tokenizer *tokens = o.tokens == NULL ? NULL
        : model_load(c->arena, o.tokens, ITS_HEADER, f)->tokenizer;
    FileInfo about;
    f->sheet = name;
    f->text = NULL;
    if (!get_file_info(name, &about))
        fail_with(f, "there is no such folder.");
    Model *m = about.is_file && tokens == NULL
             ? model_load(c->arena, name, TO_USE, f)
             : model_import(c->arena, name, TO_USE, tokens, f);
    m->state.has_m = m->state.has_v = false;
    model_save(m, o.model, f);
    fprintf(c->out, "%s: Algorithm %d, %s numbers to learn, from %s\n",
            o.model, 8 + (int)m->theta->hyper.architecture,
            format_grouped(theta_count(m->theta), numbers), name);
}

/* Returns why transformers has no such model; NULL: it has. */
static const char *export_error(const Model *m)
{
    const Hyperparameters *h = &m->theta->hyper;
    bool d = h->architecture == D_TRANSFORMER;
    const struct { bool has; const char *reason; } row[] = {
        { h->architecture == ED_TRANSFORMER,
          "Algorithm 8 as printed has no model of transformers" },
        { h->positions != LEARNED, "its positions are not learned" },
        { h->d_attn * h->H != h->d_e || h->d_mid * h->H != h->d_e,
          "H d_attn and H d_mid are not d_e" },
        { h->rms || h->no_attention_biases || h->scaled_embedding,
          "rms, no_attention_biases and scaled_embedding are not known "
          "there" },
        { h->window > 0, "its window is not known there" },
        { d && h->embedding_norm, "GPT-2 has no norm of the embedding" },
        { !d && h->d_f != h->d_e, "d_f is not d_e" },
        { !d && (!h->embedding_norm || h->types == 0),
          "BERT has more parameters; train with --embedding_norm and "
          "--types 1" },
        { m->task == TRAIN_E && !h->unembedding_bias,
          "BERT has more parameters; train with --unembedding_bias" },
        { m->task == TRAIN_CLASS && !h->pooler,
          "BERT's classifier has a pooler; train with --pooler" },
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (row[k].has)
            return row[k].reason;
    return NULL;
}

static bool put_tokens(FILE *file, const void *model)
{
    const Model *m = model;
    put_tokenizer(file, m->tokenizer, m->task != TRAIN_D);
    return !ferror(file);
}

static bool put_tokens_config(FILE *file, const void *model)
{
    put_tokenizer_config(file, ((const Model *)model)->tokenizer);
    return !ferror(file);
}

/* The last one is the configuration. Tokens may not be there, and without
   a function to write it a file goes. */
static const struct {
    const char *name;
    FileWriter *put;
    bool tokens;
} exported_files[] = {
    { "model.safetensors", theta_write, false },
    { "tokenizer.json", put_tokens, true },
    { "tokenizer_config.json", put_tokens_config, true },
    { "vocab.json", NULL, true }, { "merges.txt", NULL, true },
    { "vocab.txt", NULL, true }, { "added_tokens.json", NULL, true },
    { "special_tokens_map.json", NULL, true },
    { "config.json", config_write, false },
};
enum { EXPORTED_FILES = sizeof exported_files / sizeof *exported_files };

static void write_folder(const Model *m, Arena *arena, const char *folder,
                         Error *f)
{
    FilePart part[EXPORTED_FILES];
    bool tokens = tokens_error(m->tokenizer) == NULL;
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
    replace_files(EXPORTED_FILES, part, m, f);
}

typedef struct { bool replace; } ExportOptions;

static const Option export_options[] = {
    { "replace", FLAG, UNBOUNDED(ExportOptions, replace), NULL,
      "overwrite the model in FOLDER" },
    { .name = NULL },
};

static const char export_usage[] =
    "Usage: ftx export MODEL FOLDER [options]\n"
    "\n"
    "Writes config.json, model.safetensors and tokenizer.json, which\n"
    "from_pretrained of transformers reads. A model of 'ftx train d'\n"
    "becomes a GPT2LMHeadModel; one of 'ftx train e --embedding_norm\n"
    "--types 1 --unembedding_bias' a BertForMaskedLM; and one of 'ftx\n"
    "train class --embedding_norm --types 1 --pooler' a\n"
    "BertForSequenceClassification. Token v gets the number v - 1, and the\n"
    "special tokens are called <mask>, <bos> and <eos>; an imported model\n"
    "keeps the numbers and names that it came with. To import the folder\n"
    "again, name this model with --tokens-of. For example:\n"
    "\n"
    "  ftx train d --steps 100 --model hello.ftx README.md\n"
    "  ftx export hello.ftx hello\n"
    "  ftx import hello --tokens-of hello.ftx --model back.ftx\n";

void export_model(Error *f, Command *c)
{
    ExportOptions o = { .replace = false };
    const Options options[] = {
        { "Options:", export_options, &o },
        { .table = NULL },
    };
    if (parse_command(f, c, export_usage, options) != 2)
        fail_with(f, "expected a model and a folder; see 'ftx export "
                  "--help'.");
    const char *name = c->argument[0], *folder = c->argument[1];
    Model *m = model_load(c->arena, name, TO_USE, f);
    const char *wrong = export_error(m);
    if (wrong != NULL)
        fail_with(f, "%s cannot be exported: %s.", name, wrong);
    for (int k = 0; k < EXPORTED_FILES && !o.replace; k++)
        refuse_to_replace(f, in_folder(c->arena, folder,
                                     exported_files[k].name));
    write_folder(m, c->arena, folder, f);
    bool numbers = tokenizer_kind(m->tokenizer) == TOKEN_NUMBERS;
    wrong = numbers ? NULL : tokens_error(m->tokenizer);
    fprintf(c->out, "%s: %s%s%s\n", folder, released_kind_of(m)->architecture,
            wrong == NULL ? "" : "; no tokenizer.json: ",
            wrong == NULL ? "" : wrong);
}
