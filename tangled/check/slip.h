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
    unsigned when;              /* only where these conditions hold       */
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

/* Whether a slip is to round too early. */
bool is_rounding(const Slip *slip);

/* Whether a slip is something that programs do, such as an epsilon of their
   own, and may change no more than last digits. */
bool is_slight(const Slip *slip);
#endif
