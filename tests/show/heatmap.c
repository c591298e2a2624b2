/* Pictures of weights. */
#include "check.h"
#include "show/heatmap.h"
#include "law.h"

static const char *printed(void (*f)(FILE *out, Mat A), Mat A)
{
    FILE *out = tmpfile();
    f(out, A);
    return all_of(out);
}

static Mat causal_thirds(void)
{
    return given(3, 3, ROWS(1, 0.5, 0.3,
                            0, 0.5, 0.65,
                            0, 0, 0.05));
}

static void as_svg(FILE *out, Mat A)
{
    Heatmap w[] = { { .title = "A^1 < 1", .M = A },
                    { .title = "A^2 < 1", .M = A } };
    heatmaps_svg(out, 2, w, NULL, NULL, "each column sums to 1");
}

static void shaded(FILE *out, Mat A)
{
    for (int i = 1; i <= A->rows; i++)
        shade_row(out, A, i);
}

LAW(a_terminal_has_five_shades)
{
    assert_string_equal(printed(shaded, causal_thirds()),
                        "██▓▓▒▒" "  ▓▓██" "    ░░");
}

LAW(an_svg_has_a_square_for_every_weight)
{
    const char *svg = printed(as_svg, causal_thirds());
    assert_int_equal(times(svg, "fill-opacity="), 2 * 9);
    assert_int_equal(times(svg, "fill-opacity=\"0.806\""), 2);
    assert_int_equal(times(svg, "row 2, column 3: 0.6500"), 2);
    assert_int_equal(times(svg, "each column sums to 1"), 1);
    assert_int_equal(times(svg, "<svg "), times(svg, "</svg>"));
}

/* Where the square of key i and query j stands in the first picture. */
static void corner(const char *svg, int i, int j, int *x, int *y)
{
    char title[60];
    snprintf(title, sizeof title, "row %d, column %d: ", i, j);
    const char *at = strstr(svg, title);
    assert_that(at != NULL);
    while (strncmp(at, "<rect ", 6) != 0)
        at--;
    assert_that(sscanf(at, "<rect x=\"%d\" y=\"%d\"", x, y) == 2);
}

LAW(keys_go_down_and_queries_across)
{
    const char *svg = printed(as_svg, given(2, 3, ROWS(1, 0.5, 0.3,
                                                       0, 0.5, 0.7)));
    int x, y, x_2, y_3;
    corner(svg, 1, 1, &x, &y);
    corner(svg, 2, 3, &x_2, &y_3);
    assert_int_equal(x_2 - x, 2 * 14);
    assert_int_equal(y_3 - y, 14);
    assert_int_equal(times(svg, "width=\"42\" height=\"28\""), 2);
}

/* Otherwise the file could not be read again. */
LAW(a_title_is_no_markup)
{
    const char *svg = printed(as_svg, causal_thirds());
    assert_int_equal(times(svg, " < "), 0);
    assert_int_equal(times(svg, ">A^1 &#60; 1</text>"), 1);
}
