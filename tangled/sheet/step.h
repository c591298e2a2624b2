/* The table of the steps of an algorithm, and a step of a run. Main types:
   StepRow, Step. */
#ifndef FTX_STEP_H
#define FTX_STEP_H
#include "sheet/arguments.h"
#include "sheet/algorithm.h"

/* What a value is for: the same word in every algorithm, so that what is
   known of scores is known of all scores. NO_ROLE: a parameter. */
typedef enum {
    NO_ROLE, ROLE_EMBEDDING, ROLE_POSITION, ROLE_QUERY, ROLE_KEY,
    ROLE_VALUES, ROLE_SCORES, ROLE_MASKED, ROLE_SCALED, ROLE_WEIGHTS,
    ROLE_MIXED, ROLE_HEAD, ROLE_HEADS, ROLE_PROJECTED, ROLE_MEAN,
    ROLE_VARIANCE, ROLE_NORMALISED, ROLE_LOGITS, ROLE_PROBABILITIES,
    ROLE_EMBEDDED, ROLE_ATTENDED, ROLE_ATTENTION_NORM, ROLE_FED,
    ROLE_MLP_NORM, ROLE_TRANSFORMED, ROLE_LAST_NORM, ROLE_PREDICTED,
    ROLE_LOSS, ROLE_MASKED_TOKENS, ROLE_MASKED_PLACES, ROLE_NEXT,
    ROLE_TEMPERED, ROLE_DRAWN, ROLE_GENERATED, ROLE_POWERS, ROLE_SUM,
    ROLE_ROOT, ROLE_STANDARDISED, ROLE_HIDDEN, ROLE_ACTIVE, ROLE_MLP,
    ROLE_KEPT, ROLE_TABLE, ROLE_PLACED
} Role;

/* All that is known of a value that an algorithm names, in words and in
   letters. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    Role role;
    const char *high, *wide;    /* its dimensions: "ell_z", "ell_x"       */
    const char *columns, *rows; /* what it is, where tokens are these     */
    bool derived;               /* no line names it: it is computed where
                                   it is asked for ...                    */
    const char *formula;        /* ... so; or, of a line, how that follows
                                   from what is derived; or NULL          */
    const char *also;           /* other spellings                        */
    const char *with;           /* derived where one of these is given    */
    const char *reads;          /* "tau": read, but no operand; or NULL   */
    const char *symbol;         /* of the paper; NULL: its name           */
} StepRow;

/* All rows, in the order in which a run meets them; behind the last
   stands one without a name. */
extern const StepRow step_table[];

/* What is known of the step of that name in that line; NULL: nothing. */
const StepRow *row_named(int algorithm, int line, const char *name);

/* A value that an algorithm names, in the layout of the sheet. */
typedef struct {
    int algorithm, line;
    const char *name;           /* as in the C, such as S_scaled          */
    const StepRow *row;         /* what is known of it; NULL: a parameter */
    Role role;
    Aspect aspect;
    Part part;                  /* of the model in which it arose ...     */
    int layer, head;            /* ... its layer, its head; 0: in none    */
    int turn;                   /* of a loop; 0: in none                  */
    char loop;                  /* n: its turns are sequences; i: tokens  */
    bool inner;                 /* in a model, and not a line of the
                                   sheet's algorithm; or a parameter that
                                   the sheet does not give                */
    int time;                   /* 2 for the second of this description   */
    bool transposed;            /* M is the paper's matrix, transposed    */
    struct Given *given;        /* by the sheet; NULL: it is computed     */
    Mat M;
} Step;

/* A set of one role. */
#define ROLE(role)  ((uint64_t)1 << ROLE_##role)

/* Returns whether the role of a step is in a set. */
static inline bool has_role(const Step *step, uint64_t roles)
{
    return (roles >> step->role & 1) != 0;
}
#endif
