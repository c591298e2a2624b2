/* Heat maps, in the terminal and as SVG. */
#include "show/show.h"
#include <math.h>
#include <string.h>

int larger(int a, int b)
{
    return a > b ? a : b;
}

static int widest_label(int n, const char *const label[])
{
    int width = 1;
    for (int k = 0; k < n; k++)
        width = larger(width, text_width(label[k]));
    return width;
}

static const char *shade(double weight)
{
    static const char *const shades[] = { "  ", "░░", "▒▒", "▓▓", "██" };
    int k = (int)(sqrt(weight) * 5);
    return shades[k < 0 ? 0 : k > 4 ? 4 : k];
}

void shade_row(FILE *out, Mat M, int i)
{
    for (int j = 1; j <= M->cols; j++)
        fputs(shade(AT(M, i, j)), out);
}

static int count_character_bytes(const char *p)  /* of the character at p */
{
    int n = *p != '\0';
    while (n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80)
        n++;
    return n;
}

static void print_column_labels(FILE *out, const Heatmap *h, int indent)
{
    int height = widest_label(h->M->cols, h->column);
    for (int line = 0; line < height; line++) {
        fprintf(out, "%*s", indent, "");
        for (int j = 0; j < h->M->cols; j++) {
            int above = height - text_width(h->column[j]);
            const char *p = line < above ? "" : h->column[j];
            for (int k = above; k < line; k++)
                p += count_character_bytes(p);
            fprintf(out, "%.*s%s", count_character_bytes(p), p,
                    *p == '\0' ? "  " : " ");
        }
        fputc('\n', out);
    }
}

void heatmap_text(FILE *out, const Heatmap *h)
{
    int width = widest_label(h->M->rows, h->row);
    fprintf(out, "%s\n", h->title);
    print_column_labels(out, h, width + 3);
    for (int i = 1; i <= h->M->rows; i++) {
        const char *row = h->row[i - 1];
        fprintf(out, "  %*s%s ", width - text_width(row), "", row);
        shade_row(out, h->M, i);
        fputc('\n', out);
    }
}

enum { LETTER = 7, LINE = 18 };     /* the room of a letter, of a line */

static int svg_width(const char *text)
{
    return text == NULL ? 0 : LETTER * text_width(text);
}

static void print_escaped(FILE *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (*p == '<' || *p == '>' || *p == '&' || *p == '"')
            fprintf(out, "&#%d;", *p);
        else if ((unsigned char)*p >= ' ')
            fputc(*p, out);
}

static void svg_text(FILE *out, int x, int y, const char *more,
                     const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\"%s>", x, y, more);
    print_escaped(out, text);
    fputs("</text>\n", out);
}

static void svg_begin(FILE *out, int width, int height)
{
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans Mono, monospace\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n", width, height, width, height);
}

static void svg_rect(FILE *out, int x, int y, int width, int height)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ",
            x, y, width, height);
}

static void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

static void svg_turned_text(FILE *out, int x, int y, const char *more,
                            const char *text)
{
    char turn[160];
    snprintf(turn, sizeof turn, " transform=\"rotate(-90 %d %d)\"%s", x, y,
             more);
    svg_text(out, x, y, turn, text);
}

typedef struct {
    int cell, tall;             /* the width and the height of a cell     */
    int left, top;              /* room for labels                        */
    bool turned;
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
        width = larger(width, larger(text_width(h->mark[k].text),
                                     2 + text_width(h->mark[k].right)));
    return width;
}

static Frame frame_of(const Heatmap *h)
{
    int places = choose_decimals(h->M, h->decimals), above = 0;
    Frame f = { .cell = 14, .tall = 14, .largest = largest_of(h->M) };
    if (h->mark != NULL) {
        f.cell = LETTER * (mark_width(h) + 2);
        f.tall = 38;
    } else if (h->numbers) {
        f.cell = LETTER * (column_width(h->M, places) + 2);
        f.tall = 24;
    }
    if (h->row != NULL)
        f.left = 8 + LETTER * widest_label(h->M->rows, h->row);
    if (h->column != NULL)
        above = LETTER * widest_label(h->M->cols, h->column);
    f.turned = above > f.cell;
    f.left += h->down == NULL ? 0 : LINE;
    f.top = (f.turned ? 8 + above : above > 0 ? LINE : 0)
          + (h->title == NULL ? 0 : LINE) + (h->across == NULL ? 0 : LINE);
    return f;
}

typedef struct { int width, height; } Size;

static Size heatmap_size(const Heatmap *h)
{
    Frame f = frame_of(h);
    int inside = larger(h->M->cols * f.cell,
                        larger(svg_width(h->across), svg_width(h->below)));
    int beside = h->down == NULL ? 0 : LINE + svg_width(h->down);
    int height = larger(h->M->rows * f.tall, beside - f.top);
    return (Size){ larger(f.left + inside, svg_width(h->title)),
                   f.top + height + (h->below == NULL ? 0 : LINE) };
}

static double darkness(const Heatmap *h, const Frame *f, double x)
{
    if (!h->signs)
        return h->numbers ? x : sqrt(x);
    if (isinf(x))
        return 0.4;
    return f->largest == 0 ? 0 : 0.6 * fabs(x) / f->largest;
}

static void write_number(FILE *out, const Heatmap *h, double x, int middle,
                         int y, bool white)
{
    char text[64];
    format_number(text, sizeof text, x, choose_decimals(h->M, h->decimals));
    svg_text(out, middle, y, white
             ? " text-anchor=\"middle\" fill=\"white\""
             : " text-anchor=\"middle\"", text);
}

static const char grid[] = " stroke=\"#bbb\" stroke-width=\".5\"";

static void draw_cell(FILE *out, const Heatmap *h, const Frame *f, int i,
                      int j)
{
    char text[64];
    double x = AT(h->M, i, j), dark = darkness(h, f, x);
    int left = h->x + f->left + (j - 1) * f->cell;
    int top = h->y + f->top + (i - 1) * f->tall;
    svg_rect(out, left, top, f->cell, f->tall);
    fprintf(out, "fill=\"%s\" fill-opacity=\"%.3f\"%s>",
            isinf(x) ? "#888" : x < 0 ? "#b05a10" : "#1a4a8a", dark,
            h->numbers ? grid : "");
    format_number(text, sizeof text, x, 4);
    fprintf(out, "<title>%s = %d, %s = %d: %s</title></rect>\n",
            h->down == NULL ? "row" : h->down, i,
            h->across == NULL ? "column" : h->across, j, text);
    if (h->numbers)
        write_number(out, h, x, left + f->cell / 2, top + 16, dark > 0.73);
}

static void draw_mark(FILE *out, const Heatmap *h, const Frame *f, int i,
                      int j)
{
    const CellMark *mark = &h->mark[(i - 1) * h->M->cols + (j - 1)];
    int left = h->x + f->left + (j - 1) * f->cell;
    int top = h->y + f->top + (i - 1) * f->tall;
    char below[100];
    snprintf(below, sizeof below, "%s%s%s", mark->sign,
             *mark->right == '\0' ? "" : " ", mark->right);
    svg_rect(out, left, top, f->cell, f->tall);
    fprintf(out, "fill=\"%s\"%s/>\n", mark->colour, grid);
    svg_text(out, left + f->cell / 2, top + 16, " text-anchor=\"middle\"",
             mark->text);
    svg_text(out, left + f->cell / 2, top + 31,
             " text-anchor=\"middle\" fill=\"#444\"", below);
}

static void draw_labels(FILE *out, const Heatmap *h, const Frame *f)
{
    int x = h->x + f->left, y = h->y + f->top;
    for (int j = 0; h->column != NULL && j < h->M->cols; j++) {
        int middle = x + j * f->cell + f->cell / 2;
        if (f->turned)
            svg_turned_text(out, middle + 4, y - 5, "", h->column[j]);
        else
            svg_text(out, middle, y - 5, " text-anchor=\"middle\"",
                     h->column[j]);
    }
    for (int i = 0; h->row != NULL && i < h->M->rows; i++)
        svg_text(out, x - 5, y + i * f->tall + f->tall / 2 + 4,
                 " text-anchor=\"end\"", h->row[i]);
}

static void draw_names(FILE *out, const Heatmap *h, const Frame *f)
{
    int x = h->x + f->left, y = h->y + f->top;
    int bottom = y + h->M->rows * f->tall;
    if (h->title != NULL)
        svg_text(out, h->x, h->y + 11, " font-weight=\"bold\"", h->title);
    if (h->across != NULL)
        svg_text(out, x, h->y + 11 + (h->title == NULL ? 0 : LINE),
                 " fill=\"#666\"", h->across);
    if (h->down != NULL)
        svg_turned_text(out, h->x + 10, y + svg_width(h->down),
                        " fill=\"#666\"", h->down);
    if (h->below != NULL)
        svg_text(out, x, bottom + 14, " fill=\"#666\"", h->below);
}

static void heatmap_svg(FILE *out, const Heatmap *h)
{
    Frame f = frame_of(h);
    draw_names(out, h, &f);
    draw_labels(out, h, &f);
    for (int i = 1; i <= h->M->rows; i++)
        for (int j = 1; j <= h->M->cols; j++)
            if (h->mark != NULL)
                draw_mark(out, h, &f, i, j);
            else
                draw_cell(out, h, &f, i, j);
    svg_rect(out, h->x + f.left, h->y + f.top, h->M->cols * f.cell,
             h->M->rows * f.tall);
    fputs("fill=\"none\" stroke=\"#888\"/>\n", out);
}

enum { PAGE = 1160, GAP = 28 };

static Size arrange_heatmaps(int n, Heatmap h[], int top)
{
    int x = GAP, y = top, tall = 0, right = 0;
    for (int k = 0; k < n; k++) {
        Size size = heatmap_size(&h[k]);
        if (x > GAP && (h[k].apart || x + size.width > PAGE)) {
            x = GAP;
            y += tall + GAP;
            tall = 0;
        }
        h[k].x = x;
        h[k].y = y;
        x += size.width + GAP;
        tall = larger(tall, size.height);
        right = larger(right, x);
    }
    return (Size){ right, y + tall + GAP };
}

static size_t count_line_bytes(const char *text)
{
    size_t most_bytes = PAGE / LETTER, n = most_bytes;
    if (strlen(text) <= most_bytes)
        return strlen(text);
    while (n > 0 && text[n] != ' ')
        n--;
    return n > 0 ? n : strlen(text);
}

/* Under the heading; how many lines. out may be NULL, text too. */
static int write_lines(FILE *out, const char *text)
{
    char line[1000];
    int lines = 0;
    while (text != NULL && *text != '\0') {
        size_t n = count_line_bytes(text);
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        lines++;
        if (out != NULL)
            svg_text(out, GAP, GAP + lines * LINE, "", line);
        text += n + (text[n] == ' ');
    }
    return lines;
}

void heatmaps_svg(FILE *out, int n, Heatmap h[], const char *heading,
                  const char *verdict, const char *last)
{
    int lines = write_lines(NULL, verdict), said = svg_width(verdict);
    Size size = arrange_heatmaps(n, h, (heading == NULL ? GAP : 2 * GAP)
                                       + lines * LINE);
    int text = larger(svg_width(heading), svg_width(last));
    text = larger(text, said < PAGE ? said : PAGE);
    svg_begin(out, larger(size.width, 2 * GAP + text),
              size.height + (last == NULL ? 0 : GAP));
    if (heading != NULL)
        svg_text(out, GAP, GAP, "", heading);
    write_lines(out, verdict);
    for (int k = 0; k < n; k++)
        heatmap_svg(out, &h[k]);
    if (last != NULL)
        svg_text(out, GAP, size.height + 8, " fill=\"#666\"", last);
    svg_end(out);
}

static const int shades = 16;
enum { SMALL = 84, SMALL_GAP = 10, TITLE = 12 };

static int shade_of(double weight)
{
    return (int)(shades * sqrt(weight) + 0.5);
}

static void draw_shade(FILE *out, Mat M, int shade)
{
    bool begun = false;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (shade_of(AT(M, i, j)) == shade) {
                if (!begun)
                    fprintf(out, "<path fill-opacity=\"%.2f\" d=\"",
                            (double)shade / shades);
                fprintf(out, "M%d %dh1v1h-1z", j - 1, i - 1);
                begun = true;
            }
    fputs(begun ? "\"/>\n" : "", out);
}

static void draw_small(FILE *out, const Heatmap *h, int x, int y, int side)
{
    double cell = (double)side / larger(h->M->rows, h->M->cols);
    svg_text(out, x, y - 4, " font-size=\"8\"", h->title);
    fprintf(out, "<g transform=\"translate(%d %d) scale(%.4f)\" "
            "fill=\"#1a4a8a\" shape-rendering=\"crispEdges\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#f4f4f4\"/>\n", x, y,
            cell, h->M->cols, h->M->rows);
    for (int shade = 1; shade <= shades; shade++)
        draw_shade(out, h->M, shade);
    fputs("</g>\n", out);
}

static int longest_row(int n, const Heatmap h[])
{
    int most = 0, here = 0;
    for (int k = 0; k < n; k++)
        most = larger(most, here = h[k].apart ? 1 : here + 1);
    return most;
}

static int rows_on_page(int n, const Heatmap h[])
{
    int rows = n > 0;
    for (int k = 1; k < n; k++)
        rows += h[k].apart;
    return rows;
}

void heatmaps_page(FILE *out, int n, const Heatmap h[], const char *heading,
                   const char *last)
{
    int across = longest_row(n, h), lines = write_lines(NULL, heading);
    int side = larger(SMALL, PAGE / (2 * across));
    int down = side + TITLE + SMALL_GAP, top = (lines + 2) * LINE;
    int width = larger(GAP + across * (side + SMALL_GAP),
                       2 * GAP + svg_width(last));
    if (lines > 1)
        width = larger(width, PAGE + GAP);
    width = larger(width, lines == 1 ? 2 * GAP + svg_width(heading) : 0);
    svg_begin(out, width, top + rows_on_page(n, h) * down + GAP);
    write_lines(out, heading);
    int x = GAP, y = top + GAP - down;
    for (int k = 0; k < n; k++) {
        x = k == 0 || h[k].apart ? GAP : x + side + SMALL_GAP;
        y += k == 0 || h[k].apart ? down : 0;
        draw_small(out, &h[k], x, y, side);
    }
    svg_text(out, GAP, y + side + LINE, " fill=\"#666\"", last);
    svg_end(out);
}
