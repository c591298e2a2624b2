/* cli/command.h: what every command works with. What a user types is
   validated here before it comes near the library.
   Main type Command; entry point run_command. Arguments and streams flow in,
   an exit status flows out: 0; 1 if ftx check finds something wrong; 2 after
   an error, which is printed. */
#ifndef FTX_CLI_COMMAND_H
#define FTX_CLI_COMMAND_H
#include "cli/error.h"
#include "cli/file.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/system.h"
#include "practice/practice.h"
#include "text/tokenizer.h"

typedef struct Command Command;

/* What a command does; a row of the table in main.c names it. */
typedef void CommandMain(Error *f, Command *c);

struct Command {
    CommandMain *run;
    FILE *out, *err;
    int n;
    char **argument;            /* argument[0] ... argument[n] = NULL     */
    Arena *arena;
    Tape *tape;                 /* without gradients                      */
    Trainer *trainer;           /* of ftx train; NULL: none               */
    FileLock lock;              /* the model that is written              */
    int status;                 /* the exit status; 0: 2 after an error   */
};

/* Calls run(f, Command) and frees what the Command has. Prints the error if
   there is one. Returns the status; 2 instead of 0 after an error. The name,
   such as "ftx count", is f->sheet at first; behind n arguments is NULL. */
int run_command(const char *name, CommandMain *run, FILE *out, FILE *err,
                int n, char *argument[]);

/* Parses the options of a command, and returns how many arguments are none,
   as parse_options does. If help is asked for, prints the usage and the
   options and leaves the command by f->out, without an error. */
int parse_command(Error *f, Command *c, const char *usage,
                  const Options *options);
#endif
