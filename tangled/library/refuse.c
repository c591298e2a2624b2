/* The answer to a wrong call: the end of the program, with a sentence. */
#include "library/threads.h"
#include "ftx.h"
#include <stdarg.h>
#include <stdlib.h>

_Noreturn void refuse(Where where, const char *sentence, ...)
{
    va_list arguments;
    va_start(arguments, sentence);
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: ", where.file, where.line, where.call);
    vfprintf(stderr, sentence, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    lock_exit();
    exit(3);
}
