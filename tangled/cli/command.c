/* What every command begins and ends with. */
#include "cli/command.h"

static void call_run(Error *f, void *command)
{
    Command *c = command;
    c->run(f, c);
}

static void refuse_nonfinite(void *to)
{
    set_subject(to, "the numbers", NULL);
    fail_with(to, "what is computed with them is not finite; they are too "
              "large.");
}

int run_command(const char *name, CommandMain *run, FILE *out, FILE *err,
                int n, char *argument[])
{
    Command c = {
        .run = run, .out = out, .err = err, .n = n, .argument = argument,
        .arena = arena_new(), .tape = tape_new(false),
    };
    Error f = { .sheet = name };
    tape_allow_nonfinite(c.tape, refuse_nonfinite, &f);
    if (!try_work(&f, call_run, &c)) {
        fflush(out);
        if (*f.sentence != '\0') {
            fprintf(err, "%s\n", f.sentence);
            c.status = c.status == 0 ? 2 : c.status;
        }
    }
    if (c.trainer != NULL)
        trainer_free(c.trainer);
    release_lock(&c.lock);
    tape_free(c.tape);
    arena_free(c.arena);
    return c.status;
}

int parse_command(Error *f, Command *c, const char *usage,
                  const Options *options)
{
    if (asks_help(c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        *f->sentence = '\0';
        longjmp(f->out, 1);
    }
    return parse_options(f, options, c->n, c->argument);
}
