/* ftx: the command. */
#include "check/check.h"
#include "course/course.h"
#include "model/model.h"
#include "show/show.h"
#include <errno.h>
#include <string.h>

/* Shows a sheet or, with --model, the inside of a model. */
static void show_either(Error *f, Command *c)
{
    (has_option("model", c->argument) ? show_inside : show)(f, c);
}

static const struct {
    const char *name;
    CommandMain *run;
    const char *help;
} commands[] = {
    { "show", show_either, "print every step of the algorithm on a sheet" },
    { "check", check, "check a computation by hand" },
    { "slips", list_slips, "list the slips that ftx check knows" },
    { "steps", steps, "print the steps of a sheet as bare numbers" },
    { "trials", trials, "print the trials of a lab for its grader" },
    { "count", count_numbers, "count a model's parameters" },
    { "train", train, "train a model on texts, pairs or labelled texts" },
    { "generate", predict, "continue a prompt with a trained model" },
    { "translate", predict, "translate with a trained model" },
    { "fill", predict, "fill masked tokens of a text" },
    { "classify", predict, "find the class of a text" },
    { "tokenize", tokenize, "print the tokens of a text" },
    { "exercise", exercise, "generate an exercise, and its key" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char version[] = "ftx 1.0";

static int help(void)
{
    printf("%s: Formal Algorithms for Transformers as a program.\n\n"
           "Usage: ftx COMMAND ...\n\n", version);
    for (int k = 0; k < COMMANDS; k++)
        printf("  %-9s %s\n", commands[k].name, commands[k].help);
    printf("\n'ftx COMMAND --help' describes it. 'ftx --version' names the "
           "version.\n\nExit status: 0; 1 if ftx check finds something "
           "wrong; 2 after invalid\ninput, with one sentence that says what; "
           "3 after an internal error; 128 and the\nsignal's number where "
           "ftx train was stopped by one, and saved.\n");
    return 0;
}

static void refuse_name(Error *f, Command *c)
{
    if (c->n == 0)
        fail_with(f, "no command given; see 'ftx --help'.");
    fail_with(f, "there is no command %s; see 'ftx --help'.",
              c->argument[0]);
}

static int choose(int argc, char *argv[])
{
    const char *name = argc < 2 ? "" : argv[1];
    char title[20];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help();
    if (strcmp(name, "--version") == 0) {
        printf("%s, %s precision\n", version,
               sizeof(real) == sizeof(float) ? "single" : "double");
        return 0;
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0) {
            snprintf(title, sizeof title, "ftx %s", name);
            return run_command(title, commands[k].run, stdout, stderr,
                               argc - 2, argv + 2);
        }
    return run_command("ftx", refuse_name, stdout, stderr, argc - 1,
                       argv + 1);
}

static int output_written(int status)
{
    fflush(stdout);
    if (!ferror(stdout))
        return status;
    fprintf(stderr, "ftx: the output could not be written: %s.\n",
            strerror(errno));
    return 2;
}

int main(int argc, char *argv[])
{
    notice_closed_pipes();
    return output_written(choose(argc, argv));
}
