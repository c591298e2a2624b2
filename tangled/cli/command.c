/* A command is an attempt. */
#include "cli/cli.h"

int run_command(const char *name, void (*work)(Fault *f, void *data),
        FILE *out, FILE *err, int n, char *argument[])
{
    Command c = {
        .out = out, .err = err, .n = n, .argument = argument,
        .arena = arena_new(), .tape = tape_new(false),
    };
    Fault f = { .sheet = name };
    if (!attempt(&f, work, &c)) {
        fflush(out);
        fprintf(err, "%s\n", f.sentence);
        c.status = 2;
    }
    if (c.trainer != NULL)
        trainer_free(c.trainer);
    if (c.held.file != NULL)
        fclose(c.held.file);
    tape_free(c.tape);
    arena_free(c.arena);
    return c.status;
}
