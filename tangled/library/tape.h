/* What only operations and practice ask of a tape. */
#ifndef TAPE_H
#define TAPE_H
#include "ftx.h"
#include <setjmp.h>

/* A refusal that does not end the program. After
       Refusal refusal;
       catch_refusal(&refusal);
       if (setjmp(refusal.out) == 0)
   the first call that this thread has refused is noted and jumps there. It
   is the only one: the next one ends the program, if it is not caught
   again. With NULL so does the first. A part of what is shared is not left
   so. */
typedef struct {
    jmp_buf out;
    Where where;
    char sentence[400];
} Refusal;
void catch_refusal(Refusal *refusal);

/* The arena forgets what it has given since arena_used was used. The most
   bytes that it has ever held. */
void arena_back(Arena *arena, size_t used);
size_t arena_peak(const Arena *arena);
/* Memory from elsewhere, such as a file that is mapped, lives as long as
   what the arena gives: leave(bytes, n) is called when it is cleared or
   freed. */
void arena_keep(Arena *arena, void *bytes, size_t n,
                void (*leave)(void *bytes, size_t n));

/* Are gradients wanted on this tape? */
bool wants_gradients(const Tape *tape);

/* A new rows x cols matrix, entries not yet set, that was
   computed from n operands; it goes onto the tape of the first operand
   that is on one. Operands on no tape at all are refused. */
struct Matrix *computed(Where where, int rows, int cols,
                        void (*backward)(Mat Y), int n, const Mat of[]);
/* The tape of them, and the same where the tape is known. */
Tape *tape_of(Where where, int n, const Mat of[]);
struct Matrix *computed_on(Where where, Tape *tape, int rows, int cols,
                           void (*backward)(Mat Y), int n, const Mat of[]);
/* From now on, if it owes, backward leaves the gradients of matrices on no
   tape alone. settle adds to that of M what the tape owes it. Several
   threads may settle at once, for different M; those that are operands of
   one operation (W and b of affine) are settled together with the first of
   them. */
void tape_owes(Tape *tape, bool owes);
void settle(Tape *tape, Mat M);
/* A matrix with entries that are not yet set, on no tape; cols may be 0. */
struct Matrix *matrix_new(Where where, Arena *arena, int rows, int cols,
                          bool gradient);

/* From now on what is not a number, or infinite, is not refused on this
   tape. alarm(ringing) is called, unless it is NULL, and where it returns
   the value is let through: whoever reads a result must look. forgiven is
   what an operation asks when it has such a value. */
void tape_forgive(Tape *tape, void (*alarm)(void *ringing), void *ringing);
bool forgiven(const Tape *tape);

#endif
