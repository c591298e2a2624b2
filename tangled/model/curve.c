/* The loss curve as a table: step, loss and held-out loss, in nats. */
#include "model/model.h"
#include <math.h>

bool curve_tsv(FILE *file, const void *model)
{
    const Model *m = model;
    fprintf(file, "step\tloss_nats\theld_out_nats\n");
    for (int k = 0; k < m->state.points; k++) {
        const Point *p = &m->point[k];
        fprintf(file, "%d\t%.6f\t", p->step, p->loss);
        if (!isnan(p->held_out))
            fprintf(file, "%.6f", p->held_out);
        fputc('\n', file);
    }
    return true;
}
