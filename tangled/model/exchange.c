/* ftx import and ftx export: from released models, and to them. */
#include "hub/hub.h"
#include "model/model.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *model;
    int special[3];
    bool replace;
} ImportWish;

static const Option import_wishes[] = {
    { "model", TEXT, offsetof(ImportWish, model), 0, 0, "FILE",
      "where the model is saved" },
    { "mask", WHOLE, offsetof(ImportWish, special[0]), 0, MOST_TOKENS, NULL,
      "the number of mask_token, where no vocab.txt says it" },
    { "bos", WHOLE, offsetof(ImportWish, special[1]), 0, MOST_TOKENS, NULL,
      "of bos_token" },
    { "eos", WHOLE, offsetof(ImportWish, special[2]), 0, MOST_TOKENS, NULL,
      "of eos_token" },
    { "replace", FLAG, offsetof(ImportWish, replace), 0, 0, NULL,
      "write over FILE" },
    { .name = NULL },
};

static const char import_usage[] =
    "Usage: ftx import FOLDER --model FILE\n"
    "       ftx import TENSORS.safetensors --model FILE\n"
    "\n"
    "Makes a model file of a released model: of the folder with its\n"
    "config.json and model.safetensors, or its shards. Known are\n"
    "GPT2LMHeadModel, BertModel, BertForMaskedLM and\n"
    "BertForSequenceClassification. Nothing is ever fetched. A text is the\n"
    "numbers of its tokens, such as '464 3290'. For example:\n"
    "\n"
    "  ftx import gpt2 --model gpt2.ftx\n"
    "  ftx generate --model gpt2.ftx --tau 0 '464 3290'\n";

static void refuse_being_there(Fault *f, const char *name)
{
    struct stat there;
    if (lstat(name, &there) == 0)
        fault(f, 0, "%s is there already; --replace writes over it.", name);
}

static void import_it(Fault *f, void *data)
{
    Command *c = data;
    ImportWish wish = { .special = { UNSAID, UNSAID, UNSAID } };
    const Options options[] = {
        { "Options:", import_wishes, &wish },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(import_usage, c->out);
        print_options(c->out, options);
        return;
    }
    if (obey(f, options, c->n, c->argument) != 1)
        fault(f, 0, "expected one folder; see 'ftx import --help'.");
    if (wish.model == NULL)
        fault(f, 0, "where is the model to be saved? Give --model FILE.");
    if (!wish.replace)
        refuse_being_there(f, wish.model);
    const char *name = c->argument[0];
    char numbers[40];
    Model *m = model_import(c->arena, name, wish.special, f);
    model_save(m, wish.model, NULL, f);
    fprintf(c->out, "%s: Algorithm %d, %s numbers to learn, from %s\n",
            wish.model, 8 + (int)m->theta->hyper.architecture,
            grouped(theta_count(m->theta), numbers), name);
}

int import_released(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx import", import_it, out, err, n, argument);
}
