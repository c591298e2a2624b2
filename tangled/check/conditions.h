/* When a slip can be made.

   Entry points: conditions_of_run, condition_holds. In go the bits of an
   edit; out comes whether the run, and the place, are as they want it. */
#ifndef FTX_CONDITIONS_H
#define FTX_CONDITIONS_H
#include "check/explanation.h"

enum {
    IF_DIVIDED = 1,             /* the scores are, by √d_attn ...         */
    IF_UNDIVIDED = 1 << 1,      /* ... or not                             */
    IF_MASKED = 1 << 2,         /* some score is hidden                   */
    IF_UNMASKED = 1 << 3,
    IF_LAYER_NORM = 1 << 4,
    IF_RMS = 1 << 5,
    IF_SINES = 1 << 6,          /* the positions are computed             */
    IF_GIVEN_W_p = 1 << 7,
    IF_PLACED = 1 << 8,         /* a model has positions                  */
    IF_PRE_NORM = 1 << 9,       /* Algorithm 10 and its kin               */
    IF_POST_NORM = 1 << 10,     /* Algorithms 8 and 9 and theirs          */
    IF_RELU = 1 << 11,          /* Algorithm 8                            */
    IF_GELU = 1 << 12,
    IF_CROSS = 1 << 13,         /* in the cross-attention                 */
    IF_NOT_CROSS = 1 << 14,
    IF_UNTIED = 1 << 15,
    IF_NEXT = 1 << 16,          /* the next token is predicted            */
    IF_BLANKS = 1 << 17,        /* tokens that are masked are             */
    IF_TEMPERED = 1 << 18,      /* tau is not 1 ...                       */
    IF_DIVIDING = 1 << 25,      /* ... and neither 0 nor infinite         */
    IF_ONE_QUERY = 1 << 19,     /* Algorithm 3                            */
    IF_UNEMBEDDED = 1 << 20,    /* Algorithm 7                            */
    IF_SEVERAL = 1 << 21,       /* tokens are in the loss                 */
    UNWRITTEN = 1 << 22,        /* it is written, the other carried on    */
    STRAIGHT = 1 << 23,         /* the gradient does not hear of it       */
    EXCHANGED = 1 << 24,        /* X and Z are                            */
    SLIGHT = 1 << 26            /* programs do it, and it may change no
                                   more than last digits                  */
};

#define COUNT(table) ((int)(sizeof table / sizeof *table))
#define ROLE(role)  ((uint64_t)1 << ROLE_##role)
#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */

enum {
    NO_CONDITION = UNWRITTEN | STRAIGHT | SLIGHT,
    ONLY_HERE = IF_MASKED | IF_UNMASKED | IF_RELU | IF_GELU | IF_CROSS
              | IF_NOT_CROSS | IF_SEVERAL | NO_CONDITION
};

/* The conditions that hold in all of a run. */
unsigned conditions_of_run(const Run *run);
#endif
