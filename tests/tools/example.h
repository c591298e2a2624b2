/* A worked sheet is an example and a test: every claim in it is compared
   with the step that the program computes. */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#include "sheets.h"

static inline void compare_claim(Where where, const Item *claim, Mat M)
{
    shape_at(where, M, claim->rows, claim->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            double claimed = claim->entry[(i - 1) * M->cols + j - 1].value;
            if (!isnan(claimed) && !is_near(AT(M, i, j), claimed, TIGHT))
                fail_at(where, "%s[%d, %d] is %.17g, but claimed is %.17g",
                        claim->typed, i, j, AT(M, i, j), claimed);
        }
}

/* The run has so many claims, so that none is passed over in silence. */
static inline void claims_at(Where where, const Reading *r, int claims)
{
    if (r->run == NULL)
        fail_at(where, "%s", r->error.sentence);
    for (int k = 0; k < r->sheet->n; k++) {
        const Item *item = &r->sheet->item[k];
        if (item->claim) {
            compare_claim(where, item, step_for(r->run, item)->M);
            claims--;
        }
    }
    if (claims != 0)
        fail_at(where, "%d claims too few", claims);
}

#define assert_worked(path, claims) \
    claims_at(HERE(path), reading(path, NULL, run_it), claims)
#define assert_claims(text, claims) \
    claims_at(HERE(#text), reading("text", text, run_it), claims)
#endif
