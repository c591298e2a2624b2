/* The loss curve: a table and a picture beside the model. */
#include "lessons.h"

/* The points of the nth line of the picture. */
static int points_drawn(const char *picture, int nth)
{
    int n = 0;
    for (; nth > 0; nth--)
        picture = strstr(picture, "points=\"") + 8;
    for (; *picture != '"'; picture++)
        n += *picture == ',';
    return n;
}

LAW(the_curve_is_a_table_and_a_picture)
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
    const char *picture = bytes_of("m.svg", &n);
    assert_that(strncmp(picture, "<svg ", 5) == 0);
    assert_string_equal(picture + n - 7, "</svg>\n");
    assert_null(strstr(picture, "nan"));
    assert_int_equal(points_drawn(picture, 1), m->state.points);
    assert_int_equal(points_drawn(picture, 2), 3);
}

/* What is held out is not learned, and is guessed with too much confidence. */
LAW(the_highest_point_lies_in_the_picture)
{
    size_t n;
    int bytes;
    double x, y;
    write_text("t", "ab\nab\nab\nab\nab\nba\nba\nba\nba\nba\n");
    TRAIN("d " SMALL "--steps 60 --eta 0.1 --held-out 0.5 --model m t");
    const Model *m = model_in("m");
    assert_that(m->point[m->state.points - 1].held_out
                > 2 * m->point[0].loss);
    const char *p = bytes_of("m.svg", &n);
    while ((p = strstr(p, "points=\"")) != NULL)
        for (p += 8; sscanf(p, " %lf,%lf%n", &x, &y, &bytes) == 2;
             p += bytes)
            assert_that(x > 0 && y > 0);
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
