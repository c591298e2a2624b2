/* One sentence for every error: its place, and what is wrong. */
#include "cli/error.h"
#include "text/characters.h"
#include <stdarg.h>
#include <string.h>

bool try_work(Error *f, void (*work)(Error *f, void *data), void *data)
{
    if (setjmp(f->out) != 0)
        return false;
    work(f, data);
    return true;
}

void set_subject(Error *f, const char *name, const char *text)
{
    f->sheet = name;
    f->text = text;
}

static void make_one_line(char *text)
{
    for (char *p = text; *p != '\0'; ) {
        bool control = (unsigned char)*p < ' ' || *p == 0x7F
                    || (*p == '\xC2' && (unsigned char)p[1] < 0xA0);
        int bytes = control ? 0 : utf8_length(p, strlen(p));
        if (bytes == 0)
            *p = *p == '\n' || *p == '\t' ? ' ' : '?';
        p += bytes > 0 ? bytes : 1;
    }
}

/* A file is the subject of a sentence with "is"; others have a place. */
_Noreturn void fail_in_text(Error *f, int at, const char *sentence, ...)
{
    char place[40] = ":", text[sizeof f->sentence];
    int line = 1, column = 1;
    for (int k = 0; f->text != NULL && k < at; k++)
        if (f->text[k] == '\n')
            line++, column = 1;
        else if (((unsigned char)f->text[k] & 0xC0) != 0x80)
            column++;
    if (f->text != NULL)
        snprintf(place, sizeof place, ":%d:%d:", line, column);
    int used = snprintf(text, sizeof text, "%.300s%s ", f->sheet,
                        strncmp(sentence, "is ", 3) == 0 ? "" : place);
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(text + used, sizeof text - (size_t)used, sentence, arguments);
    va_end(arguments);
    make_one_line(text);
    memcpy(f->sentence, text, sizeof text);
    longjmp(f->out, 1);
}

_Noreturn void rethrow(Error *f, const Error *inner)
{
    memcpy(f->sentence, inner->sentence, sizeof f->sentence);
    longjmp(f->out, 1);
}
