/* cli/error.h: how anything that a user typed or that was read is refused:
   with one sentence, and the place in the text.
   Main type Error; entry point try_work. Whatever is called inside it may
   give up with fail_with or fail_in_text; then try_work returns false. */
#ifndef FTX_CLI_ERROR_H
#define FTX_CLI_ERROR_H
#include "library/arena.h"
#include <setjmp.h>

typedef struct {
    const char *sheet;          /* the name of what is read               */
    const char *text;           /* its text; NULL before it is read       */
    char sentence[1000];        /* SHEET:LINE:COLUMN: what is wrong       */
    jmp_buf out;
} Error;

/* Calls work(f, data). Returns false if it gave up; then f->sentence says
   why, on one line of text whatever it quotes. */
bool try_work(Error *f, void (*work)(Error *f, void *data), void *data);

/* From now on errors are about what has that name: about places in its text,
   or, if text is NULL, about the whole. */
void set_subject(Error *f, const char *name, const char *text);

/* Gives up with a formatted sentence about the byte at of f->text. */
_Noreturn void fail_in_text(Error *f, int at, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(3, 4);

/* The same about f->sheet as a whole: fail_with(f, sentence, ...). */
#define fail_with(f, ...) fail_in_text(f, 0, __VA_ARGS__)

/* Gives up with the sentence that ended another try inside this one. */
_Noreturn void rethrow(Error *f, const Error *inner);
#endif
