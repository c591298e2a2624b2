/* ftx show --svg: the steps of a run as heat maps.

   Main type: Picture, an SVG that is being drawn. Entry point: show_svg. In
   flows a run; out flows an SVG file. */
#include "show/show.h"
#include <math.h>
#include <string.h>

static bool is_of_scores(const Step *step)
{
    return has_role(step, ROLE(SCORES) | ROLE(MASKED) | ROLE(POWERS)
                          | ROLE(WEIGHTS));
}

static bool has_scores(const Run *run)
{
    for (int k = 0; k < run->n; k++)
        if (run->step[k].algorithm <= 5 && is_of_scores(&run->step[k]))
            return true;
    return false;
}

static bool is_drawn(const Run *run, const Step *step, bool all)
{
    bool attention = 3 <= step->algorithm && step->algorithm <= 5
                  && has_scores(run);
    return (all || !step->inner) && !mask_is_1(run, step)
        && (!attention || is_of_scores(step) || step->aspect != VALUE);
}

const char *axes_text(const Run *run)
{
    return !has_scores(run) ? NULL : run->layout->rows
        ? "of S and A, a row is a query t_x, a column is a key t_z"
        : "of S and A, a row is a key t_z, a column is a query t_x";
}

const char *remark_text(const Run *run, const Step *step)
{
    return mask_is_1(run, step) ? "the mask is 1 everywhere"
         : step->given || !sums_to_1(step) ? NULL
         : run->layout->rows ? "each row sums to 1" : "each column sums to 1";
}

enum { LETTER = 7, LINE = 18, GAP = 28, PAGE = 1400, MANY = 32, MOST = 100 };

static int svg_width(const char *text)
{
    return text == NULL ? 0 : LETTER * text_width(text);
}

static void svg_text(FILE *out, int x, int y, const char *more,
                     const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\"%s>", x, y, more);
    for (const char *p = text; *p != '\0'; p++)
        if (*p == '<' || *p == '>' || *p == '&' || *p == '"')
            fprintf(out, "&#%d;", *p);
        else if ((unsigned char)*p >= ' ')
            fputc(*p, out);
    fputs("</text>\n", out);
}

static void svg_rect(FILE *out, int x, int y, int width, int height)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ",
            x, y, width, height);
}

/* How the cells of a matrix are drawn. */
typedef struct {
    int width, height;
    bool numbers;               /* in the cells ...                       */
    int decimals;               /* ... with so many of these              */
    double largest;             /* of the entries, but for the infinite   */
} Cells;

static Cells cells_of(const Run *run, const Step *step)
{
    Mat M = step->M;
    int decimals = choose_decimals(M, run->decimals);
    bool numbers = M->rows <= MANY && M->cols <= MANY;
    Cells c = { numbers ? LETTER * (column_width(M, decimals) + 2) : 14,
                numbers ? 24 : 14, numbers, decimals, 0 };
    for (int k = 0; k < M->rows * M->cols; k++)
        if (isfinite(M->at[k]))
            c.largest = fmax(c.largest, fabs(M->at[k]));
    return c;
}

/* Draws what is in a cell. How dark it is, from 0 to 1: a weight as it is, or
   as its root where no number says it; else by the share of the largest. */
static void draw_cell(FILE *out, const Step *step, const Cells *c, int i,
                      int j, int x, int y)
{
    char text[64];
    double entry = AT(step->M, i, j),
           dark = sums_to_1(step) ? (c->numbers ? entry : sqrt(entry))
                : isinf(entry) ? 0.4
                : c->largest == 0 ? 0 : 0.6 * fabs(entry) / c->largest;
    fprintf(out, "fill=\"%s\" fill-opacity=\"%.3f\"%s",
            isinf(entry) ? "#888" : entry < 0 ? "#b05a10" : "#1a4a8a", dark,
            c->numbers ? " stroke=\"#bbb\" stroke-width=\".5\"" : "");
    format_number(text, sizeof text, entry, 4);
    fprintf(out, "><title>row %d, column %d: %s</title></rect>\n", i, j,
            text);
    format_number(text, sizeof text, entry, c->decimals);
    if (c->numbers)
        svg_text(out, x, y + 16, dark > 0.73
                 ? " text-anchor=\"middle\" fill=\"white\""
                 : " text-anchor=\"middle\"", text);
}

static void draw_matrix(FILE *out, const Step *step, const Cells *c, int x,
                        int y)
{
    int cols = step->M->cols, rows = step->M->rows;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            int left = x + (j - 1) * c->width, top = y + (i - 1) * c->height;
            svg_rect(out, left, top, c->width, c->height);
            draw_cell(out, step, c, i, j, left + c->width / 2, top);
        }
    svg_rect(out, x, y, cols * c->width, rows * c->height);
    fputs("fill=\"none\" stroke=\"#888\"/>\n", out);
}

typedef struct {
    FILE *out;
    const Run *run;
    Arena *arena;
    int x, y;                   /* where the next picture begins ...      */
    int tall;                   /* ... and how tall those left of it are  */
    int width;                  /* of the page so far                     */
} Picture;

/* Draws a step to the right of those before; or below, where it is `apart`
   or the page is full. */
static void draw_step(Picture *p, const Step *step, bool apart)
{
    Cells c = cells_of(p->run, step);
    const char *title = step_text(p->arena, p->run, step, true);
    const char *remark = remark_text(p->run, step);
    int all = step->M->rows * c.height;
    int width = (int)fmax(fmax(svg_width(title), svg_width(remark)),
                          step->M->cols * c.width);
    if (p->x > GAP && (apart || p->x + width > PAGE)) {
        p->x = GAP;
        p->y += p->tall + GAP;
        p->tall = 0;
    }
    svg_text(p->out, p->x, p->y + 11, " font-weight=\"bold\"", title);
    if (remark != NULL)
        svg_text(p->out, p->x, p->y + LINE + all + 14, " fill=\"#666\"",
                 remark);
    draw_matrix(p->out, step, &c, p->x, p->y + LINE);
    p->width = (int)fmax(p->width, p->x + width - GAP);
    p->tall = (int)fmax(p->tall, LINE + all + (remark == NULL ? 0 : LINE));
    p->x += width + GAP;
}

static bool is_same_place(const Step *a, const Step *b)
{
    return a->head == b->head && a->layer == b->layer && a->part == b->part
        && a->turn == b->turn;
}

void show_svg(FILE *out, const Run *run, bool all, Arena *arena, Error *f)
{
    const char *axes = axes_text(run);
    char title[TITLE_BYTES], last[300];
    const Step *before = NULL;
    TextStream drawing;
    for (const Step *step = run->step; step < run->step + run->n; step++)
        if (is_drawn(run, step, all)
            && (step->M->rows > MOST || step->M->cols > MOST))
            fail_in_text(f, 0, "the picture has room for matrices up to "
                         "%d x %d; %s is %d x %d.", MOST, MOST, step->name,
                         step->M->rows, step->M->cols);
    run_title(title, run);
    snprintf(last, sizeof last, "%s%sblue is above 0, brown below; the "
             "darker, the farther", axes == NULL ? "" : axes,
             axes == NULL ? "" : "; ");
    Picture p = { open_text_stream(&drawing), run, arena, GAP, GAP + LINE, 0,
                  (int)fmax(svg_width(last), svg_width(title)) };
    svg_text(p.out, GAP, GAP, "", title);
    for (const Step *step = run->step; step < run->step + run->n; step++)
        if (is_drawn(run, step, all)) {
            draw_step(&p, step, before != NULL
                                && !is_same_place(before, step));
            before = step;
        }
    p.y += p.tall + GAP;
    svg_text(p.out, GAP, p.y, " fill=\"#666\"", last);
    int width = p.width + 2 * GAP, height = p.y + LINE;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans Mono, monospace\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n", width, height, width, height);
    fputs(close_text_stream(&drawing, arena), out);
    fputs("</svg>\n", out);
}
