/* Slips: finding one by its name, and what a judgement says of them. */
#ifndef SLIPS_H
#define SLIPS_H
#include "sheets.h"

static inline const Slip *slip_named(const char *name)
{
    for (int k = 0; k < slips_n; k++)
        if (strcmp(slips[k].name, name) == 0)
            return &slips[k];
    fail_at(HERE(name), "there is no slip %s", name);
    return NULL;
}

static inline bool is_named(const Judgement *judgement, const Slip *slip)
{
    for (int k = 0; k < judgement->n; k++)
        for (int i = 0; i < judgement->judged[k].n; i++)
            if (judgement->judged[k].why[i].slip == slip)
                return true;
    return false;
}

/* slip NULL: any. */
static inline int times_named(const Judgement *judgement, const Slip *slip)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++)
        for (int i = 0; i < judgement->judged[k].n; i++) {
            const Explanation *why = &judgement->judged[k].why[i];
            n += why->slip != NULL && (slip == NULL || why->slip == slip);
        }
    return n;
}

static inline int count_of(const Judgement *judgement, Verdict verdict)
{
    int n = 0;
    for (int k = 0; k < judgement->n; k++)
        n += judgement->judged[k].count[verdict];
    return n;
}

/* At most so many in a thousand, and one by chance where few were tried. */
#define assert_seldom(n, of, thousandths) \
    seldom_at(HERE(#n), n, of, thousandths)
static inline void seldom_at(Where where, int n, int of, int thousandths)
{
    print_message("%s: %d of %d\n", where.call, n, of);
    if (of == 0 || 1000 * n > thousandths * of + 999)
        fail_at(where, "%d of %d", n, of);
}
#endif
