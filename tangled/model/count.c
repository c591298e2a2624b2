/* ftx count: how many numbers there are to learn, part by part. */
#include "model/model.h"
#include <string.h>

typedef struct {
    char kind[40];              /* layer[l].W.head[h].W_q                 */
    const Parameter *first;
    long long times;
} Row;
enum { PARTS = 100 };           /* more than any architecture has         */

static int collect_rows(const Theta *theta, Row row[])
{
    int n = 0;
    for (int i = 1; i <= theta->n; i++) {
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
    return n;
}

static void print_part(FILE *out, const Row *row)
{
    char shape[60], numbers[40];
    const Parameter *p = row->first;
    long long each = (long long)p->rows * p->cols;
    snprintf(shape, sizeof shape, "%d x %d", p->rows, p->cols);
    fprintf(out, "%-26s %8lld  %16s %18s\n", row->kind, row->times, shape,
            format_grouped(each * row->times, numbers));
}

static void print_count(FILE *out, const Theta *theta, bool total)
{
    Row row[PARTS];
    char numbers[40];
    int n = total ? 0 : collect_rows(theta, row);
    if (!total)
        fprintf(out, "%-26s %8s  %16s %18s\n", "part", "how many",
                "each", "numbers");
    for (int k = 0; k < n; k++)
        print_part(out, &row[k]);
    fprintf(out, "%-26s %8s  %16s %18s\n", "total", "", "",
            format_grouped(theta_count(theta), numbers));
}

static void print_published(FILE *out, const KnownModel *known)
{
    fprintf(out, "%-26s %8s  %16s %18s\n%s\n", "published", "", "",
            known->published, known->why);
}

typedef struct {
    Hyperparameters hyper;
    bool total;
} Count;

static const Option count_options[] = {
    { "total", FLAG, UNBOUNDED(Count, total), NULL,
      "print the last line only" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx count d|e|ed|class [options]\n"
    "       ftx count MODEL [--total]\n"
    "       ftx count NAME [--total]\n"
    "\n"
    "Counts the numbers to learn of an architecture, of a model file or a\n"
    "folder, or of a model that is known by name, beside the published\n"
    "number. For example, GPT-2:\n"
    "\n"
    "  ftx count gpt2\n"
    "  ftx count d --N_V 50257 --ell_max 1024 --L 12 --H 12 --d_e 768"
    " --tied\n"
    "\n"
    "Known are:";

static void print_usage(FILE *out)
{
    fputs(usage, out);
    for (int k = 0; known_models[k].name != NULL; k++)
        fprintf(out, "%s%s", k % 5 == 0 ? "\n  " : " ",
                known_models[k].name);
    fputc('\n', out);
}

/* The first option that is about sizes, as typed; or NULL. */
static const char *sizing_option(int n, char *const option[])
{
    for (int k = 0; k < n && option[k] != NULL; k++)
        if (strncmp(option[k], "--total", 7) != 0)
            return option[k];
    return NULL;
}

_Noreturn static void unknown_name(Error *f, const char *name)
{
    char known[600] = "";
    for (int k = 0; known_models[k].name != NULL; k++)
        append(known, sizeof known, "%s%s", k == 0 ? "" : ", ",
               known_models[k].name);
    fail_with(f, "there is no model file or folder '%.100s', and no model "
              "of that name is known; known are %s.", name, known);
}

static void count_it(Error *f, void *data)
{
    const Command *command = data;
    Count c = { hyper_default(TRAIN_D), false };
    const Options options[] = {
        { "Hyperparameters:", hyper_options, &c.hyper },
        { "Sizes:", size_options + 1, &c.hyper },
        { "Other options:", count_options, &c },
        { .table = NULL },
    };
    Task task = TRAIN_D;
    for (int k = 0; k < command->n; k++)
        if (task_of(command->argument[k], &task))
            c.hyper = hyper_default(task);
    if (asks_help(command->n, command->argument)) {
        print_usage(command->out);
        print_options(command->out, options);
        return;
    }
    int n = parse_options(f, options, command->n, command->argument);
    int typed = command->n - n;
    char *const *option = command->argument + n;
    if (n != 1)
        fail_with(f, "expected one architecture or model; see 'ftx count "
                  "--help'.");
    Arena *arena = command->arena;
    const char *name = command->argument[0];
    bool model = !task_of(name, &task);
    if (!model && task == TRAIN_CLASS && c.hyper.N_C == 0)
        fail_with(f, "--N_C is 0; a model of class has at least one.");
    hyper_check(f, &c.hyper);
    const char *sizes = sizing_option(typed, option);
    if (!model)
        refuse_idle_hyper(f, task, typed, option);
    if (model && sizes != NULL)
        fail_with(f, "%.100s goes with an architecture; %s has sizes of its "
                  "own.", sizes, name);
    const KnownModel *known
        = model && !is_name_taken(name) ? find_known_model(name) : NULL;
    if (known != NULL)
        c.hyper = known->hyper;
    else if (model && !is_name_taken(name))
        unknown_name(f, name);
    else if (model)
        c.hyper = model_load(arena, name, ITS_SIZES, f)->theta->hyper;
    print_count(command->out, theta_new(arena, &c.hyper), c.total);
    if (known != NULL && !c.total)
        print_published(command->out, known);
}

int count_numbers(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx count", count_it, out, err, n, argument);
}
