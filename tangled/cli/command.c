/* What every command begins and ends with. */
#include "cli/command.h"

int run_command(const char *name, void (*work)(Error *f, void *data),
        FILE *out, FILE *err, int n, char *argument[])
{
    Command c = {
        .out = out, .err = err, .n = n, .argument = argument,
        .arena = arena_new(), .tape = tape_new(false),
    };
    Error f = { .sheet = name };
    if (!try_work(&f, work, &c)) {
        fflush(out);
        fprintf(err, "%s\n", f.sentence);
        c.status = 2;
    }
    if (c.trainer != NULL)
        trainer_free(c.trainer);
    if (c.lock.file != NULL)
        fclose(c.lock.file);
    tape_free(c.tape);
    arena_free(c.arena);
    return c.status;
}
