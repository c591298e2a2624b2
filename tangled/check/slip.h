/* Known slips: a table of small variations of the algorithms.

   Main type: Slip. Entry point: the table slips. */
#ifndef FTX_SLIP_H
#define FTX_SLIP_H
#include "sheet/claim.h"
#include "sheet/formula.h"
#include "sheet/label.h"

/* A slip edits values: those of some roles, a bit each, or those that the
   sheet gives under some names; and a formula says what stands for them. */
typedef struct SlipRun SlipRun;
typedef struct {
    uint64_t roles;
    const char *by;             /* such as "softmax(x * ln(k))"           */
    int when;                   /* only where these conditions hold, see
                                   below                                  */
    const char *given;          /* such as "W_q W_k"; or NULL             */
} Edit;
enum { EDITS = 6 };
typedef struct {
    const char *name;           /* such as "no-scale"                     */
    const char *what;           /* the rest of "the entries match if ...",
                                   in the paper's layout                  */
    double number;              /* a base, or how many decimals           */
    Edit at[EDITS];
} Slip;
extern const Slip slips[];
extern const int slips_n;

/* Writes what a slip is, in the words of a layout, and returns it. */
enum { SLIP_BYTES = 200 };
const char *slip_sentence(char to[SLIP_BYTES], const Slip *slip,
                          const Layout *layout);

/* Returns whether a slip is to round too early. */
bool is_rounding(const Slip *slip);

/* Returns whether a slip is something that programs do, such as an epsilon of
   their own, and may change no more than last digits. */
bool is_slight(const Slip *slip);

enum {
    IF_DIVIDED = 1,             /* scores are divided by √d_attn          */
    IF_UNDIVIDED = 1 << 1,      /* scores are not divided                 */
    IF_LAYER_NORM = 1 << 2,
    IF_RMS = 1 << 3,
    IF_PRE_NORM = 1 << 4,       /* Algorithm 10 and its kin               */
    IF_POST_NORM = 1 << 5,      /* Algorithms 8 and 9 and theirs          */
    IF_RELU = 1 << 6,           /* Algorithm 8 and its kin                */
    IF_GELU = 1 << 7,
    IF_BLANKS = 1 << 8,         /* masked tokens are predicted            */
    IF_PAPER = 1 << 9,          /* positions are computed so ...          */
    IF_VASWANI = 1 << 10,       /* ... or so                              */
    IF_CROSS = 1 << 11,         /* here is the cross-attention            */
    UNWRITTEN = 1 << 12,        /* no condition: a claim has the value
                                   before the edit, later lines use that
                                   behind it                              */
    SLIGHT = 1 << 13            /* no condition: see is_slight            */
};

#define SINES(angle) "sin(" angle " + phase)"
#define COUNT(table) ((int)(sizeof table / sizeof *table))
#define ROLE(role)  ((uint64_t)1 << ROLE_##role)
#define NEW_VALUES  ((uint64_t)1 << NO_ROLE)  /* parameters, after a step */
#endif
