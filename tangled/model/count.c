/* model/count.c: ftx count, the number of parameters, part by part.
   Entry point count_numbers. Hyperparameters or a model's name flow in, a
   table flows out. */
#include "model/model.h"
#include <string.h>

/* Parameters that differ only in the number of their layer or head. */
typedef struct {
    char kind[40];              /* layer[l].W.head[h].W_q                 */
    const Parameter *first;
    long long times;
} CountRow;
enum { PARTS = 100 };           /* more than any architecture has         */

static void print_count(FILE *out, const Theta *theta, bool only_total)
{
    CountRow row[PARTS];
    char shape[60], numbers[40];
    int n = 0;
    for (int i = 1; i <= theta->n && !only_total; i++) {
        const Parameter *p = &theta->parameter[i];
        int k = 0;
        REQUIRE(n < PARTS, "%s is one part too many.", p->name);
        parameter_kind(p, row[n].kind);     /* one after the last */
        while (strcmp(row[k].kind, row[n].kind) != 0)
            k++;
        if (k == n) {
            row[n].first = p;
            row[n++].times = 0;
        }
        row[k].times++;
    }
    if (!only_total)
        fprintf(out, "%-26s %8s  %16s %18s\n", "part", "how many", "each",
                "numbers");
    for (int k = 0; k < n; k++) {
        const Parameter *p = row[k].first;
        long long each = (long long)p->rows * p->cols;
        snprintf(shape, sizeof shape, "%d x %d", p->rows, p->cols);
        fprintf(out, "%-26s %8lld  %16s %18s\n", row[k].kind, row[k].times,
                shape, format_grouped(each * row[k].times, numbers));
    }
    fprintf(out, "%-26s %8s  %16s %18s\n", "total", "", "",
            format_grouped(theta_count(theta), numbers));
}

static const Option count_options[] = {
    { "total", FLAG, 0, 0, 0, NULL, "print the last line only" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx count d|e|ed|class [options]\n"
    "       ftx count MODEL [--total]\n"
    "       ftx count NAME [--total]\n"
    "\n"
    "Counts the parameters of an architecture, of a model file or a folder,\n"
    "or of a model that is known by name, beside the published number. For\n"
    "example, GPT-2:\n"
    "\n"
    "  ftx count gpt2\n"
    "  ftx count d --N_V 50257 --ell_max 1024 --L 12 --H 12 --d_e 768"
    " --tied\n"
    "\n"
    "A NAME is gpt2, gpt3, bert-base, transformer-base, ...; with a wrong "
    "one\n"
    "all are printed.\n";

/* Returns the hyperparameters of a model with that name, in a file or known,
   and in *known which one. */
static Hyperparameters find_model(const Command *c, const char *name,
                                  const KnownModel **known, Error *f)
{
    char names[600] = "";
    if (is_name_taken(name))
        return model_load(c->arena, name, ITS_HEADER, f)->theta->hyper;
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
    bool only_total = false;
    const Options options[] = {
        { "Hyperparameters:", hyper_options + 1, &hyper },
        { "Other options:", count_options, &only_total },
        { .table = NULL },
    };
    int n = parse_command(f, c, usage, options);
    if (n != 1)
        fail_with(f, "expected one architecture or model; see 'ftx count "
                  "--help'.");
    const char *name = c->argument[0];
    bool is_model = !task_of(name, &task);
    for (int k = 1; is_model && k < c->n && c->argument[k] != NULL; k++)
        if (strncmp(c->argument[k], "--total", 7) != 0)
            fail_with(f, "%.100s goes with an architecture; %s has sizes of "
                      "its own.", c->argument[k], name);
    if (!is_model && task == TRAIN_CLASS && hyper.N_C == 0)
        fail_with(f, "--N_C is 0; a model of class has at least one.");
    if (is_model)
        hyper = find_model(c, name, &known, f);
    else
        refuse_unused_hyper(f, task, c->n - n, c->argument + n);
    hyper_check(f, &hyper);
    print_count(c->out, theta_new(c->arena, &hyper), only_total);
    if (known != NULL && !only_total)
        fprintf(c->out, "%-26s %8s  %16s %18s\n%s\n", "published", "", "",
                known->published, known->why);
}
