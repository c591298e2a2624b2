/* ftx: the command. */
#include "check/check.h"
#include "course/course.h"
#include "model/model.h"
#include "show/show.h"
#include <errno.h>
#include <string.h>

static bool names_a_model(int n, char *const argument[])
{
    for (int k = 0; k < n && strcmp(argument[k], "--") != 0; k++)
        if (strncmp(argument[k], "--model", 7) == 0)
            return true;
    return false;
}

/* Of a sheet, or of a trained model. */
static int show_either(FILE *out, FILE *err, int n, char *argument[])
{
    CommandMain *entrance = names_a_model(n, argument) ? show_inside : show;
    return entrance(out, err, n, argument);
}

static const struct {
    const char *name;
    CommandMain *run;
    const char *help;
} commands[] = {
    { "show", show_either, "print every step of the algorithm on a sheet" },
    { "check", check, "judge what was computed by hand" },
    { "slips", slips_known, "list the slips that ftx check knows" },
    { "steps", steps, "print the steps of a sheet as bare numbers" },
    { "trials", trials, "print what the grader of a lab asks" },
    { "count", count_numbers, "count what a model has to learn" },
    { "train", train, "train a model on texts, pairs or labelled texts" },
    { "generate", generate, "continue a prompt with a trained model" },
    { "translate", translate, "translate with a trained model" },
    { "fill", fill_texts, "guess what stands in the gaps of a text" },
    { "classify", classify_texts, "find the class of a text" },
    { "tokenize", tokenize, "print the tokens of a text" },
    { "import", import_released, "take a released model: GPT-2, BERT" },
    { "export", export_model, "write a model as a released one" },
    { "exercise", exercise, "draw an exercise, and its key" },
    { "erratum", erratum, "errata of the paper" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char version[] = "ftx 0.1";

static int help(void)
{
    printf("%s: Formal Algorithms for Transformers as a program.\n\n"
           "Usage: ftx COMMAND ...\n\n", version);
    for (int k = 0; k < COMMANDS; k++)
        printf("  %-9s %s\n", commands[k].name, commands[k].help);
    printf("\n'ftx COMMAND --help' tells more. 'ftx --version' names the "
           "version.\n\nExit status: 0; 1 if ftx check finds something "
           "wrong; 2 if something that was\ntyped is no good, with one "
           "sentence that says what; 3 if the program is wrong;\n128 and "
           "the signal's number where ftx train was stopped by one, and "
           "saved.\n");
    print_starts(stdout);
    return 0;
}

static void refuse_name(Error *f, void *data)
{
    const Command *c = data;
    if (c->n < 1)
        fail_with(f, "no command given; see 'ftx --help'.");
    NameGuess guess = { .typed = c->argument[0] };
    for (int k = 0; k < COMMANDS; k++)
        consider_name(&guess, commands[k].name);
    char hint[HINT_BYTES];
    fail_with(f, "there is no command %s; %s 'ftx --help'.", guess.typed,
              format_hint(hint, &guess, ""));
}

static int choose(int argc, char *argv[])
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help();
    if (strcmp(name, "--version") == 0) {
        printf("%s, %s precision\n", version,
               sizeof(real) == sizeof(float) ? "single" : "double");
        return 0;
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0)
            return commands[k].run(stdout, stderr, argc - 2, argv + 2);
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
    argv = begin_program(&argc, argv);
    return output_written(choose(argc, argv));
}
