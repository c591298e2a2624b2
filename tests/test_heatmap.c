/* The pictures of attention weights. */
#include "check.h"
#include "digest.h"
#include "show/show.h"

static const char *const LABEL[] = { "<bos>", "the", "·cat" };

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

static void in_the_terminal(FILE *out, Mat A)
{
    heatmap_text(out, &(Heatmap){ .title = "layer 1, head 1", .M = A,
                           .row = LABEL, .column = LABEL,
                           .down = "key t_z", .across = "query t_x" });
}

static void as_svg(FILE *out, Mat A)
{
    Heatmap w[] = { { .title = "layer 1, head 1", .M = A,
                           .row = LABEL, .column = LABEL,
                           .down = "key t_z", .across = "query t_x" },
                    { .title = "layer 1, head 2", .M = A,
                           .row = LABEL, .column = LABEL,
                           .down = "key t_z", .across = "query t_x" } };
    heatmaps_svg(out, 2, w, NULL, NULL, "each column sums to 1");
}

/* Five shades; a row is a key, a column a query, labels stand right. */
static void a_terminal_gets_shades(void **state)
{
    (void)state;
    assert_string_equal(printed(in_the_terminal, causal_thirds()),
        "layer 1, head 1\n"
        "        <     \n"
        "        b   · \n"
        "        o t c \n"
        "        s h a \n"
        "        > e t \n"
        "  <bos> ██▓▓▒▒\n"
        "    the   ▓▓██\n"
        "   ·cat     ░░\n");
}

static void an_svg_has_a_square_for_every_weight(void **state)
{
    (void)state;
    const char *svg = printed(as_svg, causal_thirds());
    assert_int_equal(times(svg, "fill-opacity="), 2 * 9);
    assert_int_equal(times(svg, "fill-opacity=\"0.806\""), 2);
    assert_int_equal(times(svg, "key t_z = 2, query t_x = 3: 0.6500"), 2);
    assert_int_equal(times(svg, "each column sums to 1"), 1);
    assert_int_equal(times(svg, "<svg "), times(svg, "</svg>"));
}

/* Where the square of key i and query j stands in the first picture. */
static void corner(const char *svg, int i, int j, int *x, int *y)
{
    char title[60];
    snprintf(title, sizeof title, "t_z = %d, query t_x = %d: ", i, j);
    const char *at = strstr(svg, title);
    assert_that(at != NULL);
    while (strncmp(at, "<rect ", 6) != 0)
        at--;
    assert_that(sscanf(at, "<rect x=\"%d\" y=\"%d\"", x, y) == 2);
}

static void keys_go_down_and_queries_across(void **state)
{
    (void)state;
    const char *svg = printed(as_svg, given(2, 3, ROWS(1, 0.5, 0.3,
                                                       0, 0.5, 0.7)));
    int x, y, x_2, y_3;
    corner(svg, 1, 1, &x, &y);
    corner(svg, 2, 3, &x_2, &y_3);
    assert_int_equal(x_2 - x, 2 * 14);
    assert_int_equal(y_3 - y, 14);
    assert_int_equal(times(svg, ">the</text>"), 2 * 2);
    assert_int_equal(times(svg, ">·cat</text>"), 2);
    assert_int_equal(times(svg, "width=\"42\" height=\"28\""), 2);
}

/* Otherwise the file could not be read again. */
static void a_label_is_no_markup(void **state)
{
    (void)state;
    const char *svg = printed(as_svg, causal_thirds());
    assert_int_equal(times(svg, "<bos>"), 0);
    assert_int_equal(times(svg, "&#60;bos&#62;"), 4);
}

/* ------------------------------------------------ pictures of all kinds */

/* One of the first n, or in a third of the cases NULL. */
static const char *any_of(Random *random, const char *const text[], int n)
{
    return below(random, 3) == 0 ? NULL : text[below(random, n)];
}

static const char *const *labels(Random *random, int n)
{
    static const char *const word[] = { "a", "the", "<s>", "attention", "·" };
    const char **label = arena_alloc(arena, (size_t)n * sizeof *label);
    for (int k = 0; k < n; k++)
        label[k] = word[below(random, 5)];
    return below(random, 2) == 0 ? NULL : label;
}

static const CellMark *marks(Random *random, int n)
{
    CellMark *mark = arena_alloc(arena, (size_t)n * sizeof *mark);
    for (int k = 0; k < n; k++)
        mark[k] = below(random, 2) == 0
                ? (CellMark){ "0.5", "", "✓", "#dfd", "" }
                : (CellMark){ "0.125", "0.0625", "✗", "#fdd", "" };
    return below(random, 4) == 0 ? mark : NULL;
}

static Heatmap any_picture(Random *random, bool small)
{
    static const char *const titles[] = { "A", "4.6 A = softmax(S / √d_attn)",
        "layer 1, head 12" }, *const names[] = { "key", "a long name of rows",
        "query t_x" }, *const remarks[] = { "each row sums to 1", "a remark "
        "that is much wider than the small matrix above it" };
    const int rows = 1 + below(random, 4), cols = 1 + below(random, 4);
    const bool signs = !small && below(random, 2) == 0;
    Mat M = constant(arena, rows, cols);
    for (int k = 0; k < rows * cols; k++)
        M->at[k] = (real)(below(random, 17) - (signs ? 8 : 0)) / 16;
    if (signs && below(random, 3) == 0)
        M->at[below(random, rows * cols)] = -(real)INFINITY;
    if (signs && below(random, 6) == 0)
        for (int k = 0; k < rows * cols; k++)
            M->at[k] = 0;
    Heatmap h = { .M = M, .signs = signs };
    h.title = small ? titles[below(random, 3)] : any_of(random, titles, 3);
    h.row = labels(random, rows);
    h.column = labels(random, cols);
    h.down = any_of(random, names, 3);
    h.across = any_of(random, names, 3);
    h.below = any_of(random, remarks, 2);
    h.numbers = below(random, 2) == 0;
    h.decimals = 1 + below(random, 4);
    h.mark = marks(random, rows * cols);
    h.apart = below(random, 4) == 0;
    return h;
}

/* All at once, or small ones on a page. */
static const char *any_page(Random *random)
{
    static const char *const headings[] = { "Algorithm 4", "a heading that is "
        "wider than most of what stands below it, but no more than a line",
        "a heading, or a verdict, that is so long that it does not fit a line "
        "and is broken into two or three, at a blank, so that none of its "
        "words is broken and no line is wider than the page; for that it has "
        "to go on for a while, and with a few words more it does" },
        *const lasts[] = { "each column sums to 1", "the last line below all "
        "of the pictures, which is wider than all of them if they are few" };
    const bool small = below(random, 2) == 0;
    const int n = 1 + below(random, 9);
    const char *heading = any_of(random, headings, small ? 3 : 2);
    const char *verdict = any_of(random, headings, 3);
    const char *last = small ? lasts[below(random, 2)]
                             : any_of(random, lasts, 2);
    Heatmap h[9];
    FILE *out = tmpfile();
    for (int k = 0; k < n; k++)
        h[k] = any_picture(random, small);
    if (small)
        heatmaps_page(out, n, h, heading, last);
    else
        heatmaps_svg(out, n, h, heading, verdict, last);
    return all_of(out);
}

/* tests/pictures.txt has digests of a thousand. FTX_PICTURE=7 prints one;
   FTX_WRITE=yes build/double/test_heatmap writes them anew: only after
   looking at some. */
static void pictures_stay_as_they_are(void **state)
{
    (void)state;
    const Random random = random_new(1986);
    const char *told = getenv("FTX_PICTURE");
    uint64_t sum = DIGEST;
    FILE *to = tmpfile();
    for (int k = 0; k < 1000; k++) {
        Random own = random_branch(random, (uint64_t)k);
        const char *page = any_page(&own);
        sum = digest(sum, page);
        if (told != NULL && atoi(told) == k)
            fputs(page, stdout);
        if (k % 50 == 49)
            fprintf(to, "%3d to %3d: %08x\n", k - 49, k, short_digest(sum));
        if (k % 50 == 49)
            sum = DIGEST;
        arena_clear(arena);
    }
    assert_is_recorded("tests/pictures.txt", all_of(to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_terminal_gets_shades),
        TEST(an_svg_has_a_square_for_every_weight),
        TEST(keys_go_down_and_queries_across),
        TEST(a_label_is_no_markup),
        TEST(pictures_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
