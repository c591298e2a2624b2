/* model/count.c: ftx count, the number of parameters, part by part.

   Entry point: count_numbers. Hyperparameters or a model's name flow in, a
   table flows out. */
#include "model/model.h"
#include <string.h>

/* Prints a row for each part that is the first of its kind, and how many
   differ from it at most in the number of their layer or head. */
static void print_parts(FILE *out, const Theta *theta)
{
    char kind[40], shape[60], numbers[40];
    fprintf(out, "%-26s %8s  %16s %18s\n", "part", "how many", "each",
            "numbers");
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        long long times = 0;
        if (p->layer > 1 || p->head > 1)
            continue;
        for (const Parameter *q = &theta->parameter[theta->n]; q >= p; q--)
            times += q->part == p->part && strcmp(q->symbol, p->symbol) == 0;
        parameter_kind(p, kind);
        snprintf(shape, sizeof shape, "%d x %d", p->rows, p->cols);
        fprintf(out, "%-26s %8lld  %16s %18s\n", kind, times, shape,
                format_grouped(times * p->rows * p->cols, numbers));
    }
}

static const char usage[] =
    "Usage: ftx count d|e|ed|class [options]\n"
    "       ftx count MODEL\n"
    "\n"
    "Counts the parameters of an architecture, or of a MODEL: a file, a\n"
    "folder, or a name such as gpt2, gpt3, bert-base or transformer-base,\n"
    "beside the published number; with a wrong one all are printed. For\n"
    "example, GPT-2:\n"
    "\n"
    "  ftx count gpt2\n"
    "  ftx count d --N_V 50257 --ell_max 1024 --L 12 --H 12 --d_e 768"
    " --tied\n";

/* Returns the hyperparameters of a model with that name, in a file or known,
   and in *known which one. Fails where there is none. */
static Hyperparameters find_model(const Command *c, const char *name,
                                  const KnownModel **known, Error *f)
{
    char names[600] = "";
    if (is_name_taken(name))
        return model_load(c->arena, name, TO_USE, f)->theta->hyper;
    *known = find_known_model(name);
    for (int k = 0; known_models[k].name != NULL; k++)
        append(names, sizeof names, "%s%s", k == 0 ? "" : ", ",
               known_models[k].name);
    if (*known == NULL)
        fail_with(f, "there is no model file or folder '%.100s', and no "
                  "model of that name is known; known are %s.", name, names);
    return (*known)->hyper;
}

void count_numbers(Error *f, Command *c)
{
    Task task = TRAIN_D;
    for (int k = 0; k < c->n; k++)
        task_of(c->argument[k], &task);
    Hyperparameters hyper = hyper_default(task);
    const KnownModel *known = NULL;
    char numbers[40];
    const Options options[] = {
        { "Hyperparameters:", hyper_options + 1, &hyper },
        { .table = NULL },
    };
    if (parse_command(f, c, usage, options) != 1)
        fail_with(f, "expected one architecture or model; see 'ftx count "
                  "--help'.");
    const char *name = c->argument[0], *typed = c->argument[1];
    bool is_model = !task_of(name, &task);
    if (is_model && typed != NULL)
        fail_with(f, "%.100s goes with an architecture; %s has sizes of its "
                  "own.", typed, name);
    if (!is_model && task == TRAIN_CLASS && hyper.N_C == 0)
        fail_with(f, "--N_C is 0; a model of class has at least one.");
    if (is_model)
        hyper = find_model(c, name, &known, f);
    else
        refuse_unused_hyper(f, task, c->argument + 1);
    hyper_check(f, &hyper);
    const Theta *theta = theta_new(c->arena, &hyper);
    print_parts(c->out, theta);
    fprintf(c->out, "%-26s %8s  %16s %18s\n", "total", "", "",
            format_grouped(theta_count(theta), numbers));
    if (known != NULL)
        fprintf(c->out, "%-26s %8s  %16s %18s\n%s\n", "published", "", "",
                known->published, known->why);
}
