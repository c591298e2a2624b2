/* cli/options.h: the options of a command, as tables. One table sets the
   fields of a struct from the command line or a file, and prints the help.
   Main type Option; entry point parse_options. */
#ifndef FTX_CLI_OPTIONS_H
#define FTX_CLI_OPTIONS_H
#include "cli/error.h"
#include <stddef.h>

/* An option: typed --d_e 64 or --d_e=64, a FLAG without a value. */
typedef struct {
    const char *name;           /* without the dashes; NULL ends a table  */
    enum { FLAG, WHOLE, DECIMAL, CHOICE, TEXT, TEXTS } kind;
    size_t place;               /* of its value in the struct             */
    double least, most;         /* of a WHOLE or a DECIMAL                */
    const char *words;          /* of a CHOICE; what a TEXT is            */
    const char *meaning;
} Option;
#define NO_BOUNDS 0, 0
#define UNBOUNDED(of, field) offsetof(of, field), NO_BOUNDS

/* What an option of the kind TEXTS collects: it may be typed often. */
enum { MOST_TEXTS = 50 };
typedef struct { int n; const char *text[MOST_TEXTS]; } Texts;

/* A table and the struct that it sets: a FLAG is a bool, a WHOLE and a
   CHOICE an int, a DECIMAL a double, a TEXT a const char *; TEXTS are Texts
   and stand in no file. */
typedef struct {
    const char *heading;        /* in the help                            */
    const Option *table;        /* NULL ends a list                       */
    void *values;
} Options;

/* Sets the options among n arguments and NULL, moves the others to the front
   and returns how many these are. Behind them stand the options that were
   typed, and then NULL. Gives up if one is unknown or its value invalid. */
int parse_options(Error *f, const Options *options, int n, char *argument[]);

/* Is the option of that name among the arguments, with whatever value? NULL
   is behind the last. */
bool has_option(const char *name, char *const argument[]);

/* Gives up if the option was typed and has no effect; only says when it has
   one, such as "with --line". */
void refuse_unused(Error *f, char *const argument[], const char *name,
                   bool acts, const char *only);

/* Is --help or -h among the arguments? */
bool asks_help(char *const argument[]);

/* Prints the tables as help, with the values as the defaults. */
void print_options(FILE *out, const Options *options);

/* Sets the option to the typed value; false if it cannot have that. */
bool option_set(const Option *option, void *values, const char *typed);

/* Prints the value of the option, which is not of the kind TEXTS. */
void option_print(FILE *out, const Option *option, const void *values);

/* Returns the value of the option, which is no text, as a number. */
double option_number(const Option *option, const void *values);
#endif
