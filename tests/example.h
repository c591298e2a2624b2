/* A worked sheet is an example and a test: every claim in it is compared
   with the step that the program computes. */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#include "check.h"
#include "sheet/sheet.h"

typedef struct {
    const char *path;
    int claims;                 /* so that none is passed over in silence */
    Where where;
} Worked;

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

static inline void compare_claims(Fault *fault, void *data)
{
    const Worked *worked = data;
    const Sheet *sheet = read_sheet(arena, worked->path, fault);
    const Run *run = run_sheet(sheet, arena, tape, fault);
    int claims = 0;
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim) {
            const Step *step = step_of(run, &sheet->item[k], fault);
            compare_claim(worked->where, &sheet->item[k], step->M);
            claims++;
        }
    if (claims != worked->claims)
        fail_at(worked->where, "%d claims, but expected %d", claims,
                worked->claims);
}

#define assert_worked(path, claims) worked_at(HERE(path), path, claims)
static inline void worked_at(Where where, const char *path, int claims)
{
    Fault fault = { .sheet = path };
    Worked worked = { path, claims, where };
    if (!attempt(&fault, compare_claims, &worked))
        fail_at(where, "%s", fault.sentence);
}
#endif
