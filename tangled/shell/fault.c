/* A fault gives up an attempt with one sentence. */
#include "shell/shell.h"
#include <stdarg.h>
#include <string.h>

bool attempt(Fault *f, void (*work)(Fault *f, void *data), void *data)
{
    if (setjmp(f->out) != 0)
        return false;
    work(f, data);
    return true;
}

static int place(const Fault *f, int at, char *to, size_t size)
{
    int line = 1, column = 1;
    if (f->text == NULL)
        return snprintf(to, size, "%.300s: ", f->sheet);
    for (int k = 0; k < at; k++)
        if (f->text[k] == '\n')
            line++, column = 1;
        else if (((unsigned char)f->text[k] & 0xC0) != 0x80)
            column++;
    return snprintf(to, size, "%.300s:%d:%d: ", f->sheet, line, column);
}

_Noreturn void fault(Fault *f, int at, const char *sentence, ...)
{
    va_list arguments;
    size_t size = sizeof f->sentence;
    size_t used = (size_t)place(f, at, f->sentence, size);
    va_start(arguments, sentence);
    vsnprintf(f->sentence + used, size - used, sentence, arguments);
    va_end(arguments);
    longjmp(f->out, 1);
}

_Noreturn void fault_again(Fault *f, const Fault *inner)
{
    memcpy(f->sentence, inner->sentence, sizeof f->sentence);
    longjmp(f->out, 1);
}
