/* model/count.c: ftx count, the number of parameters, part by part.

   Entry point: count_numbers. Hyperparameters or a model's name flow in, a
   table flows out. */
#include "model/model.h"
#include <string.h>

static const char row[] = "%-26s %8s  %16s %18s\n";

/* Prints a row for the first parameter of each kind: how many others differ
   from it at most in the number of their layer or head. */
static void print_parts(FILE *out, const Theta *theta)
{
    const Hyperparameters *h = &theta->hyper;
    const int layers[] = { [NOWHERE] = 1, [LAYER] = h->L, [ENC] = h->L_enc,
                           [DEC] = h->L_dec, [ED] = h->L_dec };
    char kind[40], many[20], shape[60], numbers[40];
    fprintf(out, row, "part", "how many", "each", "numbers");
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        if (p->layer > 1 || p->head > 1)
            continue;
        int times = layers[p->part] * (p->head > 0 ? h->H : 1);
        parameter_kind(p, kind);
        snprintf(many, sizeof many, "%d", times);
        snprintf(shape, sizeof shape, "%d x %d", p->rows, p->cols);
        fprintf(out, row, kind, many, shape,
                format_grouped((long long)times * p->rows * p->cols,
                               numbers));
    }
    fprintf(out, row, "total", "", "",
            format_grouped(theta_count(theta), numbers));
}

static const char usage[] =
    "Usage: ftx count d|e|ed|class [options]\n"
    "       ftx count MODEL\n"
    "\n"
    "Counts the parameters of an architecture, or of a MODEL: a file, or a\n"
    "name such as gpt2, gpt3, bert-base or transformer-base, beside the\n"
    "published number; with a wrong one all are printed. For example,\n"
    "GPT-2:\n"
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
    for (const KnownModel *k = known_models; k->name != NULL; k++) {
        if (strcmp(k->name, name) == 0)
            *known = k;
        append(names, sizeof names, "%s%s", k == known_models ? "" : ", ",
               k->name);
    }
    if (*known == NULL)
        fail_with(f, "there is no model file '%.100s', and no model of "
                  "that name is known; known are %s.", name, names);
    return (*known)->hyper;
}

void count_numbers(Error *f, Command *c)
{
    Task task = TRAIN_D;
    for (int k = 0; k < c->n; k++)
        task_of(c->argument[k], &task);
    Hyperparameters hyper = hyper_default(task);
    const KnownModel *known = NULL;
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
    print_parts(c->out, theta_new(c->arena, &hyper));
    if (known != NULL) {
        fprintf(c->out, row, "published", "", "", known->published);
        fprintf(c->out, "%s\n", known->why);
    }
}
