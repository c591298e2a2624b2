/* ftx classify: the probabilities of the classes of texts. */
#include "model/model.h"

typedef struct {
    Command *command;
    const char *name;               /* of the model                       */
    const Model *model;
    Tape *tape;
} Classifying;

static const Option wishes[] = {
    { "model", TEXT, UNBOUNDED(Classifying, name), "FILE",
      "as saved by ftx train class" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx classify --model FILE [TEXT...]\n"
    "\n"
    "Prints the most probable class of each TEXT, or of each line of\n"
    "standard input, and the probabilities of all. For example:\n"
    "\n"
    "  printf 'odd\\t1\\neven\\t2\\nodd\\t3\\neven\\t4\\n' > parity.tsv\n"
    "  ftx train class --steps 50 --held-out 0 --model p.ftx parity.tsv\n"
    "  ftx classify --model p.ftx 3\n";

static void classify_line(void *data, const char *line, size_t bytes,
                          Error *f)
{
    Classifying *t = data;
    FILE *out = t->command->out;
    const Hyperparameters *h = &t->model->theta->hyper;
    Tokens x = typed_tokens(t->command, t->model, line, bytes, h->ell_max,
                            f);
    Mat P = classify(t->tape, x, t->model->theta);
    int best;
    rank_tokens(P, 1, &best);
    fprintf(out, "%s", t->model->class_name[best]);
    for (int c = 1; c <= h->N_C; c++)
        fprintf(out, "  %s %.4f", t->model->class_name[c],
                (double)AT(P, c, 1));
    fputc('\n', out);
    tape_clear(t->tape);
}

static void classify_it(Error *f, void *data)
{
    Classifying t = { .command = data };
    Command *c = t.command;
    const Options options[] = { { "Options:", wishes, &t },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    t.model = model_for(c, t.name, TRAIN_CLASS, f);
    if (t.model->theta->hyper.N_C == 0)
        fail_with(f, "%s has no classes yet; 'ftx train class --from' gives "
                  "it some.", t.name);
    t.tape = c->tape;
    each_line(c, n, &t, f, classify_line);
}

int classify_texts(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx classify", classify_it, out, err, n, argument);
}
