/* The loss curve: a table, and a picture as SVG. */
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

static const int LEFT = 60, TOP = 20, WIDTH = 560, HEIGHT = 300;

typedef struct {
    FILE *file;
    double steps, bits;         /* at the ends of the axes                */
} Picture;

static double x_of(const Picture *p, double step)
{
    return LEFT + WIDTH * step / p->steps;
}

static double y_of(const Picture *p, double nats)
{
    return TOP + HEIGHT * (1 - nats / log(2) / p->bits);
}

static double mark_distance(double most)
{
    double power = pow(10, floor(log10(most / 6)));
    double times = most / 6 / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static Picture picture_of(FILE *file, const Model *m)
{
    Picture p = { file, 1, 1 };
    for (int k = 0; k < m->state.points; k++) {
        double nats = fmax(m->point[k].loss, m->point[k].held_out);
        p.bits = fmin(fmax(p.bits, 1.02 * nats / log(2)), 1e300);
        p.steps = fmax(p.steps, m->point[k].step);
    }
    return p;
}

static void draw_marks(const Picture *p)
{
    double across = mark_distance(p->steps), up = mark_distance(p->bits);
    for (double x = 0; x <= p->steps; x += across)
        fprintf(p->file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">"
                "%.10g</text>\n", x_of(p, x), TOP + HEIGHT + 20, x);
    for (double y = 0; y <= p->bits; y += up) {
        double at = y_of(p, y * log(2));
        fprintf(p->file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                "y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT, at,
                LEFT + WIDTH, at);
        fprintf(p->file, "<text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.10g</text>\n", LEFT - 8, at + 4, y);
    }
}

static void draw_line(const Picture *p, const Model *m, bool held_out,
                      const char *colour)
{
    fprintf(p->file, "<polyline fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"1.5\" points=\"", colour);
    for (int k = 0; k < m->state.points; k++) {
        double y = held_out ? m->point[k].held_out : m->point[k].loss;
        if (!isnan(y))
            fprintf(p->file, "%.1f,%.1f ", x_of(p, m->point[k].step),
                    y_of(p, y));
    }
    fprintf(p->file, "\"/>\n");
}

static void draw_name(const Picture *p, int line, const char *name,
                      const char *colour)
{
    fprintf(p->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" "
            "fill=\"%s\">%s</text>\n", LEFT + WIDTH - 8, TOP + 18 * line,
            colour, name);
}

bool curve_svg(FILE *file, const void *model)
{
    Picture p = picture_of(file, model);
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"13\" fill=\"#333\">\n", LEFT + WIDTH + 20,
            TOP + HEIGHT + 50);
    fprintf(file, "<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#fff\"/>\n");
    draw_marks(&p);
    draw_line(&p, model, false, "#1f5fa8");
    draw_line(&p, model, true, "#b3261e");
    draw_name(&p, 1, "trained with", "#1f5fa8");
    draw_name(&p, 2, "held out", "#b3261e");
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">step"
            "</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 42);
    fprintf(file, "<text x=\"8\" y=\"14\">bits a token</text>\n</svg>\n");
    return true;
}
