/* Heat maps, in the terminal and as SVG. */
#include "show/heatmap.h"
#include <math.h>
#include <string.h>

static int larger_of(int a, int b)
{
    return a > b ? a : b;
}

void shade_row(FILE *out, Mat M, int i)
{
    static const char *const shades[] = { "  ", "░░", "▒▒", "▓▓", "██" };
    for (int j = 1; j <= M->cols; j++) {
        int k = (int)(sqrt(AT(M, i, j)) * 5);
        fputs(shades[k < 0 ? 0 : k > 4 ? 4 : k], out);
    }
}

enum { LETTER = 7, LINE = 18, GAP = 28, PAGE = 1400 };

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

typedef struct {
    int cell, tall;             /* the width and the height of a cell     */
    int width, height;          /* of all, with the title                 */
    double largest;             /* of the entries, but for the infinite   */
} Frame;

static double largest_of(Mat M)
{
    double largest = 0;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (isfinite(AT(M, i, j)))
                largest = fmax(largest, fabs(AT(M, i, j)));
    return largest;
}

static int mark_width(const Heatmap *h)
{
    int width = 0;
    for (int k = 0; k < h->M->rows * h->M->cols; k++)
        width = larger_of(width, larger_of(text_width(h->mark[k].text),
                                     2 + text_width(h->mark[k].right)));
    return width;
}

static Frame frame_of(const Heatmap *h)
{
    int places = choose_decimals(h->M, h->decimals);
    Frame f = { .cell = 14, .largest = largest_of(h->M) };
    f.tall = f.cell;
    if (h->mark != NULL) {
        f.cell = LETTER * (mark_width(h) + 2);
        f.tall = 38;
    } else if (h->numbers) {
        f.cell = LETTER * (column_width(h->M, places) + 2);
        f.tall = 24;
    }
    f.width = larger_of(svg_width(h->title),
                     larger_of(h->M->cols * f.cell, svg_width(h->below)));
    f.height = LINE + h->M->rows * f.tall + (h->below == NULL ? 0 : LINE);
    return f;
}

static double darkness(const Heatmap *h, const Frame *f, double x)
{
    if (!h->signs)
        return h->numbers ? x : sqrt(x);
    if (isinf(x))
        return 0.4;
    return f->largest == 0 ? 0 : 0.6 * fabs(x) / f->largest;
}

static const char grid[] = " stroke=\"#bbb\" stroke-width=\".5\"";

static void draw_cell(FILE *out, const Heatmap *h, const Frame *f, int i,
                      int j, int x, int y)
{
    char text[64];
    double entry = AT(h->M, i, j), dark = darkness(h, f, entry);
    svg_rect(out, x, y, f->cell, f->tall);
    fprintf(out, "fill=\"%s\" fill-opacity=\"%.3f\"%s",
            isinf(entry) ? "#888" : entry < 0 ? "#b05a10" : "#1a4a8a", dark,
            h->numbers ? grid : "");
    format_number(text, sizeof text, entry, 4);
    fprintf(out, "><title>row %d, column %d: %s</title></rect>\n", i, j,
            text);
    if (!h->numbers)
        return;
    format_number(text, sizeof text, entry,
                  choose_decimals(h->M, h->decimals));
    svg_text(out, x + f->cell / 2, y + 16, dark > 0.73
             ? " text-anchor=\"middle\" fill=\"white\""
             : " text-anchor=\"middle\"", text);
}

static void draw_mark(FILE *out, const CellMark *mark, const Frame *f, int x,
                      int y)
{
    char below[100];
    snprintf(below, sizeof below, "%s%s%s", mark->sign,
             *mark->right == '\0' ? "" : " ", mark->right);
    svg_rect(out, x, y, f->cell, f->tall);
    fprintf(out, "fill=\"%s\"%s/>\n", mark->colour, grid);
    svg_text(out, x + f->cell / 2, y + 16, " text-anchor=\"middle\"",
             mark->text);
    svg_text(out, x + f->cell / 2, y + 31,
             " text-anchor=\"middle\" fill=\"#444\"", below);
}

static void draw_heatmap(FILE *out, const Heatmap *h, const Frame *f, int x,
                         int y)
{
    const int cols = h->M->cols, rows = h->M->rows;
    svg_text(out, x, y + 11, " font-weight=\"bold\"", h->title);
    y += LINE;
    if (h->below != NULL)
        svg_text(out, x, y + rows * f->tall + 14, " fill=\"#666\"",
                 h->below);
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            int left = x + (j - 1) * f->cell, top = y + (i - 1) * f->tall;
            if (h->mark != NULL)
                draw_mark(out, &h->mark[(i - 1) * cols + (j - 1)], f, left,
                          top);
            else
                draw_cell(out, h, f, i, j, left, top);
        }
    svg_rect(out, x, y, cols * f->cell, rows * f->tall);
    fputs("fill=\"none\" stroke=\"#888\"/>\n", out);
}

/* Prints a text on lines that fit the page; how many. */
static int draw_lines(FILE *out, int y, const char *text)
{
    const size_t most = PAGE / LETTER;
    char line[PAGE];
    int lines = 0;
    while (text != NULL && *text != '\0') {
        size_t n = strlen(text);
        if (n > most)
            for (n = most; n > 0 && text[n] != ' '; n--)
                ;
        n = n > 0 ? n : strlen(text);
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (out != NULL)
            svg_text(out, GAP, y + lines * LINE, "", line);
        lines++;
        text += n + (text[n] == ' ');
    }
    return lines;
}

typedef struct { int width, height; } Size;

static Size draw_page(FILE *out, int n, const Heatmap h[],
                      const char *heading, const char *verdict,
                      const char *last)
{
    int y = GAP, x = GAP, tall = 0;
    int text = larger_of(svg_width(heading), svg_width(verdict));
    Size size = { larger_of(svg_width(last), text < PAGE ? text : PAGE), 0 };
    y += LINE * draw_lines(out, y, heading);
    y += LINE * draw_lines(out, y, verdict);
    for (int k = 0; k < n; k++) {
        Frame f = frame_of(&h[k]);
        if (x > GAP && (h[k].apart || x + f.width > PAGE)) {
            x = GAP;
            y += tall + GAP;
            tall = 0;
        }
        if (out != NULL)
            draw_heatmap(out, &h[k], &f, x, y);
        size.width = larger_of(size.width, x + f.width - GAP);
        tall = larger_of(tall, f.height);
        x += f.width + GAP;
    }
    y += tall + GAP;
    if (out != NULL && last != NULL)
        svg_text(out, GAP, y, " fill=\"#666\"", last);
    return (Size){ size.width + 2 * GAP, y + (last == NULL ? 0 : LINE) };
}

void heatmaps_svg(FILE *out, int n, const Heatmap h[], const char *heading,
                  const char *verdict, const char *last)
{
    Size size = draw_page(NULL, n, h, heading, verdict, last);
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans Mono, monospace\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n", size.width, size.height, size.width,
            size.height);
    draw_page(out, n, h, heading, verdict, last);
    fputs("</svg>\n", out);
}
