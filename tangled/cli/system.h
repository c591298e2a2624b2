/* cli/system.h: what ftx asks of its system beyond ISO C, apart from files.
   Main type TextStream; entry point begin_program. Names, arguments and
   output are UTF-8 on every system. */
#ifndef FTX_CLI_SYSTEM_H
#define FTX_CLI_SYSTEM_H
#include "library/arena.h"

/* Prepares the streams and signals: a closed pipe is from now on an error
   like any other. Returns the arguments. */
char **begin_program(int *n, char *argument[]);

/* Calls the handler when the user or the system wants the program to stop,
   but not for a signal that was ignored; SIG_DFL undoes it. */
void set_stop_handler(void (*handler)(int signal));

/* Returns the seconds since some moment. */
double seconds(void);

/* Returns the bytes of memory that the machine has; 0 if nobody knows. */
double physical_memory(void);

/* Does the file lead to a person who sees colours and carriage returns? */
bool is_terminal(FILE *file);

/* Returns a stream for a descriptor that the caller has left open. */
FILE *open_descriptor(int number, const char *mode);

/* A stream whose text can be had. */
typedef struct { FILE *to; char *text; size_t n; } TextStream;

/* Returns a stream to print to. Ends the program if there is no memory. */
FILE *open_text_stream(TextStream *w);

/* Closes it and returns the text, which belongs to the arena; w->n is its
   length. */
char *close_text_stream(TextStream *w, Arena *arena);
#endif
