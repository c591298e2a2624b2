/* The loss curve: a table beside the model. */
#include "lessons.h"

LAW(the_curve_is_a_table)
{
    size_t n = 0;
    char expected[100];
    a_text("t", 20, "");
    TRAIN("d " SMALL "--epochs 3 --model m t");
    const Model *m = model_in("m");
    const Point *last = &m->point[m->state.points - 1];
    const char *table = bytes_of("m.tsv", &n);
    assert_that(m->state.points > 3 && last->step == m->state.step);
    assert_that(strncmp(table, "step\tloss_nats\theld_out_nats\n1\t", 31) == 0);
    snprintf(expected, sizeof expected, "\n%d\t%.6f\t%.6f\n", last->step,
             last->loss, last->held_out);
    assert_string_equal(table + n - strlen(expected), expected);
    assert_that(last->loss < m->point[0].loss);
    assert_near(m->point[0].loss, log(m->theta->hyper.N_V), 0.1);
}

/* The curve has few points, however long a run is; each is a mean over as
   many steps as its distance from the one before. */
LAW(a_long_run_has_few_points)
{
    a_text("t", 400, "");
    TRAIN("d " SMALL "--ell_max 4 --steps 2000 --batch 1 --held-out 0 "
          "--model m t");
    const Model *m = model_in("m");
    const Point *p = m->point;
    const int n = m->state.points;
    assert_that(n > 400 && n < 1000 && p[0].step == 1);
    for (int k = 1, apart = 1; k < n; k++) {
        const int steps = p[k].step - p[k - 1].step;
        assert_that(steps == apart || steps == 2 * apart
                    || p[k].step == 2000);
        apart = steps;
    }
}
