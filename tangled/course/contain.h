/* Runs programs that may do anything and can do nothing but compute.

   Main type: Answer. Entry point: run_contained. In go a program and its
   input; out comes what it wrote into a file, or why it did not. Takes
   nothing of ftx: a grader is these files and grade.c alone. */
#ifndef FTX_CONTAIN_H
#define FTX_CONTAIN_H
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    char *text;                 /* to be freed; NULL: it was not started  */
    int status;                 /* 0: it ended well                       */
    double seconds;             /* that it took                           */
    char why[400];              /* it ended as it did, in a sentence; of
                                   interest where it gave no result       */
} Answer;

/* Runs the program of that name as `ftx steps - 3`, with the input, and
   returns what it wrote to its file 3. It has seconds of the processor, half
   a gibibyte and no files; a script may read its installation. */
Answer run_contained(const char *program, const char *input);

/* Becomes a command that may be fed anything, such as a compiler, within
   limits; the current directory must be a lab's, and the last argument is
   NULL. Returns exit status 2 if it cannot be run, else not at all. */
int run_boxed(char *command[]);

/* Returns what this system lacks of the box on Linux, such as "Landlock";
   NULL: nothing. */
const char *missing_containment(void);

/* Makes a ? of each character that is none of ASCII's printable ones. */
void clean_text(char *text);

/* Returns all of a file, from its beginning, to be freed; NULL: the memory
   is full. */
char *text_of_file(FILE *file);
#endif
