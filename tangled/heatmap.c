/* Pictures of attention weights. */
#include "program.h"
#include <math.h>
#include <string.h>

static int columns(const char *label)       /* of a terminal */
{
    int n = 0;
    for (const char *p = label; *p != '\0'; p++)
        n += ((unsigned char)*p & 0xC0) != 0x80;
    return n;
}

static int widest(int n, const char *const label[])
{
    int width = 1;
    for (int k = 0; k < n; k++)
        if (columns(label[k]) > width)
            width = columns(label[k]);
    return width;
}

static const char *shade(double weight)
{
    static const char *const shades[] = { "  ", "░░", "▒▒", "▓▓", "██" };
    int k = (int)(sqrt(weight) * 5);
    return shades[k < 0 ? 0 : k > 4 ? 4 : k];
}

static const char *character(const char *label, int k)  /* the k-th */
{
    const char *p = label;
    for (; *p != '\0' && k > 0; k--)
        do
            p++;
        while (((unsigned char)*p & 0xC0) == 0x80);
    return p;
}

static int bytes_of(const char *p)          /* of the character at p */
{
    int n = *p != '\0';
    while (n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80)
        n++;
    return n;
}
static void queries_downwards(FILE *out, const Weights *w, int indent)
{
    int height = widest(w->A->cols, w->query);
    for (int line = 0; line < height; line++) {
        fprintf(out, "%*s", indent, "");
        for (int j = 0; j < w->A->cols; j++) {
            int above = height - columns(w->query[j]);
            const char *p = line < above ? "" :
                character(w->query[j], line - above);
            fprintf(out, "%.*s%s", bytes_of(p), p, *p == '\0' ? "  " : " ");
        }
        fputc('\n', out);
    }
}

void weights_text(FILE *out, const Weights *w)
{
    int width = widest(w->A->rows, w->key);
    fprintf(out, "%s\n", w->title);
    queries_downwards(out, w, width + 3);
    for (int i = 1; i <= w->A->rows; i++) {
        const char *key = w->key[i - 1];
        fprintf(out, "  %*s%s ", width - columns(key), "", key);
        for (int j = 1; j <= w->A->cols; j++)
            fputs(shade(AT(w->A, i, j)), out);
        fputc('\n', out);
    }
}

enum { SQUARE = 14, GAP = 28, LETTER = 8, IN_A_ROW = 4 };

typedef struct { int x, y, left, top; } Corner;

static void escaped(FILE *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (*p == '<' || *p == '>' || *p == '&' || *p == '"')
            fprintf(out, "&#%d;", *p);
        else if ((unsigned char)*p >= ' ')
            fputc(*p, out);
}

static void write_at(FILE *out, int x, int y, const char *more,
                     const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\"%s>", x, y, more);
    escaped(out, text);
    fputs("</text>\n", out);
}

static void draw_square(FILE *out, const Weights *w, int i, int j, int x,
                        int y)
{
    double weight = AT(w->A, i, j);
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"#1a4a8a\" fill-opacity=\"%.3f\"><title>t_z = %d, "
            "t_x = %d: %.4f</title></rect>\n", x, y, SQUARE, SQUARE,
            sqrt(weight), i, j, weight);
}
static void draw_weights(FILE *out, const Weights *w, Corner at)
{
    int x = at.x + at.left, y = at.y + at.top;
    char turn[80];
    write_at(out, x, at.y - 6, " font-weight=\"bold\"", w->title);
    for (int j = 1; j <= w->A->cols; j++) {
        int middle = x + (j - 1) * SQUARE + SQUARE / 2 + 4;
        snprintf(turn, sizeof turn, " transform=\"rotate(-90 %d %d)\"",
                 middle, y - 3);
        write_at(out, middle, y - 3, turn, w->query[j - 1]);
    }
    for (int i = 1; i <= w->A->rows; i++) {
        write_at(out, x - 4, y + i * SQUARE - 3, " text-anchor=\"end\"",
                 w->key[i - 1]);
        for (int j = 1; j <= w->A->cols; j++)
            draw_square(out, w, i, j, x + (j - 1) * SQUARE,
                        y + (i - 1) * SQUARE);
    }
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"none\" stroke=\"#888\"/>\n", x, y,
            w->A->cols * SQUARE, w->A->rows * SQUARE);
}
static int most(int a, int b) { return a > b ? a : b; }

void weights_svg(FILE *out, int n, const Weights w[])
{
    int left = 0, top = 0, across = 14 * LETTER, down = 0;
    for (int k = 0; k < n; k++) {
        left = most(left, 8 + LETTER * widest(w[k].A->rows, w[k].key));
        top = most(top, 8 + LETTER * widest(w[k].A->cols, w[k].query));
        across = most(across, w[k].A->cols * SQUARE);
        down = most(down, w[k].A->rows * SQUARE);
    }
    int width = left + across + GAP, height = top + down + 2 * GAP;
    int row = n < IN_A_ROW ? n : IN_A_ROW;
    int bottom = GAP + (n + IN_A_ROW - 1) / IN_A_ROW * height;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"DejaVu Sans Mono, monospace\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n", most(GAP + row * width, 480),
            bottom + GAP);
    for (int k = 0; k < n; k++)
        draw_weights(out, &w[k], (Corner){ GAP + k % IN_A_ROW * width,
                     GAP + k / IN_A_ROW * height, left, top });
    write_at(out, GAP, bottom, " fill=\"#666\"",
             "down: key t_z; across: query t_x; each column sums to 1");
    fputs("</svg>\n", out);
}
