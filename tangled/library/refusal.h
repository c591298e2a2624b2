/* A refusal that does not end the program. After
       Refusal refusal;
       catch_refusal(&refusal);
       if (setjmp(refusal.out) == 0)
   the first call that this thread has refused is noted and jumps there. */
#ifndef REFUSAL_H
#define REFUSAL_H
#include "ftx.h"
#include <setjmp.h>

/* Where to go, and what was refused. */
typedef struct {
    jmp_buf out;
    Where where;
    char sentence[400];
} Refusal;

/* Catches the next refusal of this thread, and no other: the one after it
   ends the program, unless it is caught again. NULL catches none. A part of
   what is shared is not left so. */
void catch_refusal(Refusal *refusal);

#endif
