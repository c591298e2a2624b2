/* One sentence for every error: its place, and what is wrong. */
#include "cli/error.h"
#include "text/characters.h"
#include <stdarg.h>
#include <string.h>

bool try_work(Error *f, void (*work)(Error *f, void *data), void *data)
{
    f->is_temporary = false;
    if (setjmp(f->out) != 0)
        return false;
    work(f, data);
    return true;
}

static int place(const Error *f, int at, char *to, size_t size)
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

/* How many bytes at p are a character that can be shown; 0: none. */
static int shown_bytes(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    bool control = u[0] < ' ' || u[0] == 0x7F
                || (u[0] == 0xC2 && n > 1 && u[1] < 0xA0);
    return control ? 0 : utf8_length(p, n);
}

/* As much of the text as there is room for, on one line. */
static void put_line(char *to, size_t size, const char *text)
{
    char one[5];
    int bytes;
    size_t n = strlen(text);
    for (; n > 0; text += bytes, n -= (size_t)bytes) {
        bytes = shown_bytes(text, n);
        if (bytes > 0)
            snprintf(one, sizeof one, "%.*s", bytes, text);
        else if (*text == '\n' || *text == '\t')
            snprintf(one, sizeof one, "\\%c", *text == '\n' ? 'n' : 't');
        else
            snprintf(one, sizeof one, "\\x%02X",
                     (unsigned char)*text);
        bytes += bytes == 0;
        size_t length = strlen(one);
        if (length >= size)
            break;
        memcpy(to, one, length);
        to += length;
        size -= length;
    }
    *to = '\0';
}

static void put_sentence(Error *f, int at, const char *sentence,
                    va_list arguments)
{
    char said[sizeof f->sentence];
    size_t used = (size_t)place(f, at, said, sizeof said);
    vsnprintf(said + used, sizeof said - used, sentence, arguments);
    put_line(f->sentence, sizeof f->sentence, said);
}

_Noreturn void fail_in_text(Error *f, int at, const char *sentence, ...)
{
    va_list arguments;
    va_start(arguments, sentence);
    put_sentence(f, at, sentence, arguments);
    va_end(arguments);
    longjmp(f->out, 1);
}

_Noreturn void fail_with(Error *f, const char *sentence, ...)
{
    va_list arguments;
    va_start(arguments, sentence);
    put_sentence(f, 0, sentence, arguments);
    va_end(arguments);
    longjmp(f->out, 1);
}

_Noreturn void rethrow(Error *f, const Error *inner)
{
    memcpy(f->sentence, inner->sentence, sizeof f->sentence);
    longjmp(f->out, 1);
}
