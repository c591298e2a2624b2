/* ftx show --flow: the matrices of Algorithm 4 in boxes. */
#include "show/show.h"
#include <string.h>

typedef enum { X, Z, Q, K, V, S, MASKED, SCALED, A, VT, BOXES } Which;

static const struct {
    int line;                   /* of Algorithm 4; 0: an input            */
    const char *name;
    int column, row;            /* where the box stands                   */
} boxes[BOXES] = {
    [X] = { 0, "X", 0, 0 },     [Z] = { 0, "Z", 1, 0 },
    [Q] = { 1, "Q", 0, 1 },     [K] = { 2, "K", 1, 1 },
    [V] = { 3, "V", 4, 1 },     [S] = { 4, "S", 0, 2 },
    [MASKED] = { 5, "S", 1, 2 },         [SCALED] = { 6, "S_scaled", 2, 2 },
    [A] = { 6, "A", 3, 2 },     [VT] = { 6, "Vt", 4, 2 },
};
enum { COLUMNS = 5, ROWS = 3 };

typedef struct {
    const char *title, *place;  /* the two lines above the numbers        */
    Heatmap map;
    int x, y, width, height;
} Box;

typedef struct {
    Box box[BOXES];
    int width, height;
} Flow;

typedef struct {
    FILE *out;
    const Run *run;
    Arena *arena;
    Fault *f;
} FlowJob;
static Mat input_of(const FlowJob *job, const char *name)
{
    const Item *item = given_item(job->run, name);
    if (item == NULL)
        item = given_item(job->run, "X");
    Mat M = constant(job->arena, item->rows, item->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = (real)item->entry[(i - 1) * M->cols
                                            + (j - 1)].value;
    return M;
}

static const Step *step_on(const Run *run, int algorithm, int line,
                           const char *name, int head)
{
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        if (step->algorithm == algorithm && step->line == line
            && step->head == head && strcmp(step->name, name) == 0)
            return step;
    }
    return NULL;
}

enum { PAD = 10, LINE = 16, MOST = 8 };

static void set_box(const FlowJob *job, Box *box, const char *name,
                    int line)
{
    char *place = arena_alloc(job->arena, 60);
    Mat M = box->map.M;
    room_for(job->run, name, M, MOST, job->f);
    if (line > 0)
        snprintf(place, 60, "line %d, %d x %d", line, M->rows, M->cols);
    else
        snprintf(place, 60, "from the sheet, %d x %d", M->rows, M->cols);
    box->place = place;
    box->map.numbers = true;
    box->map.decimals = decimals_shown(job->run);
    Size size = heatmap_size(&box->map);
    int text = larger(svg_width(box->title), svg_width(place));
    box->width = 2 * PAD + larger(size.width, text);
    box->height = 2 * PAD + 2 * LINE + size.height;
}

static void step_box(const FlowJob *job, Box *box, const Step *step)
{
    bool masked = step->algorithm == 4 && step->line == 5;
    box->map = (Heatmap){ .M = step->M, .signs = !sums_to_1(step) };
    box->title = mask_is_1(step) ? "S, nothing masked"
               : masked ? "S, masked"
               : step_text(job->arena, job->run, step, false);
    set_box(job, box, step->name, step->line);
}

static void input_box(const FlowJob *job, Box *box, const char *name)
{
    bool same = given_item(job->run, name) == NULL;
    box->map = (Heatmap){ .M = input_of(job, name), .signs = true };
    box->title = same ? "Z = X" : name;
    set_box(job, box, name, 0);
}

enum { ACROSS = 84, DOWN = 40, MARGIN = 28 };   /* room between boxes */

static void arrange_flow(Flow *flow)
{
    int wide[COLUMNS] = { 0 }, tall[ROWS] = { 0 };
    for (int k = 0; k < BOXES; k++) {
        int *w = &wide[boxes[k].column], *h = &tall[boxes[k].row];
        *w = larger(*w, flow->box[k].width);
        *h = larger(*h, flow->box[k].height);
    }
    int left[COLUMNS] = { 0 }, top[ROWS] = { 0 };
    for (int c = 1; c < COLUMNS; c++)
        left[c] = left[c - 1] + wide[c - 1] + ACROSS;
    for (int r = 1; r < ROWS; r++)
        top[r] = top[r - 1] + tall[r - 1] + DOWN;
    for (int k = 0; k < BOXES; k++) {
        int c = boxes[k].column, r = boxes[k].row;
        Box *box = &flow->box[k];
        box->x = left[c] + (wide[c] - box->width) / 2;
        box->y = top[r] + (tall[r] - box->height) / 2;
    }
    flow->width = left[COLUMNS - 1] + wide[COLUMNS - 1];
    flow->height = top[ROWS - 1] + tall[ROWS - 1];
}

static Flow flow_of(const FlowJob *job, int head)
{
    Flow flow;
    for (int k = 0; k < BOXES; k++) {
        int line = boxes[k].line;
        const char *name = boxes[k].name;
        if (line == 0)
            input_box(job, &flow.box[k], name);
        else
            step_box(job, &flow.box[k],
                     step_on(job->run, 4, line, name, head));
    }
    arrange_flow(&flow);
    return flow;
}

static void draw_box(FILE *out, const Box *box)
{
    Heatmap map = box->map;
    map.x = box->x + (box->width - heatmap_size(&map).width) / 2;
    map.y = box->y + PAD + 2 * LINE;
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "rx=\"6\" fill=\"#f6f6f2\" stroke=\"#888\"/>\n", box->x, box->y,
            box->width, box->height);
    svg_text(out, box->x + PAD, box->y + PAD + 9, " font-weight=\"bold\"",
             box->title);
    svg_text(out, box->x + PAD, box->y + PAD + 9 + LINE - 2,
             " fill=\"#666\"", box->place);
    heatmap_svg(out, &map);
}

typedef struct { int x, y; } Corner;

static void draw_arrow(FILE *out, int n, const Corner at[])
{
    Corner end = at[n - 1];
    bool down = end.x == at[n - 2].x;
    int back_x = down ? 0 : 8, back_y = down ? 8 : 0;
    int side_x = down ? 4 : 0, side_y = down ? 0 : 4;
    fputs("<path fill=\"none\" stroke=\"#444\" d=\"M", out);
    for (int k = 0; k < n; k++)
        fprintf(out, " %d %d", at[k].x, at[k].y);
    fputs("\"/>\n<path fill=\"#444\" d=\"M", out);
    fprintf(out, " %d %d %d %d %d %d Z\"/>\n", end.x, end.y,
            end.x - back_x - side_x, end.y - back_y - side_y,
            end.x - back_x + side_x, end.y - back_y + side_y);
}

static int middle(const Box *box) { return box->x + box->width / 2; }
static int bottom(const Box *box) { return box->y + box->height; }

static void arrow_down(FILE *out, const Box *from, const Box *to)
{
    draw_arrow(out, 2, (Corner[]){ { middle(from), bottom(from) },
                                   { middle(from), to->y } });
}

static void arrow_right(FILE *out, const Box *from, const Box *to,
                        const char *label)
{
    int y = from->y + from->height / 2, x = from->x + from->width;
    draw_arrow(out, 2, (Corner[]){ { x, y }, { to->x, y } });
    svg_text(out, (x + to->x) / 2 - 3, y - 6,
             " text-anchor=\"middle\" fill=\"#444\"", label);
}

static void draw_arrows(FILE *out, const Run *run, const Box box[])
{
    const Box *s = &box[S], *k = &box[K], *z = &box[Z], *v = &box[V];
    int between = s->y - DOWN / 2, beside = middle(s) + s->width / 4;
    arrow_down(out, &box[X], &box[Q]);
    arrow_down(out, z, k);
    arrow_down(out, &box[Q], s);
    arrow_down(out, v, &box[VT]);
    draw_arrow(out, 4, (Corner[]){ { middle(k), bottom(k) },
                                   { middle(k), between },
                                   { beside, between }, { beside, s->y } });
    draw_arrow(out, 3,
               (Corner[]){ { z->x + z->width, z->y + z->height / 2 },
                           { middle(v), z->y + z->height / 2 },
                           { middle(v), v->y } });
    arrow_right(out, s, &box[MASKED], "mask");
    arrow_right(out, &box[MASKED], &box[SCALED],
                run->scaled ? "/ √d_attn" : "scale no");
    arrow_right(out, &box[SCALED], &box[A], "softmax");
    arrow_right(out, &box[A], &box[VT], run->layout->rows ? "A V" : "V A");
}

static void move(Box *box, int n, int top)
{
    for (int k = 0; k < n; k++) {
        box[k].x += MARGIN;
        box[k].y += top;
    }
}

static void draw_flow(const FlowJob *job, Flow *flow, int head, int top)
{
    char heading[40];
    snprintf(heading, sizeof heading, "h = %d", head);
    if (head > 0)
        svg_text(job->out, MARGIN, top - 10, " font-weight=\"bold\"",
                 heading);
    move(flow->box, BOXES, top);
    draw_arrows(job->out, job->run, flow->box);
    for (int k = 0; k < BOXES; k++)
        draw_box(job->out, &flow->box[k]);
}

static Flow end_of(const FlowJob *job)
{
    Flow end = { .height = 0 };
    Box *Y = &end.box[0], *Vt = &end.box[1];
    step_box(job, Y, step_on(job->run, 5, 3, "Y", 0));
    step_box(job, Vt, step_on(job->run, 5, 4, "Vt", 0));
    end.height = larger(Y->height, Vt->height);
    Vt->x = Y->width + ACROSS;
    Y->y = (end.height - Y->height) / 2;
    Vt->y = (end.height - Vt->height) / 2;
    end.width = Vt->x + Vt->width;
    return end;
}

static void draw_end(const FlowJob *job, Flow *end, int top)
{
    move(end->box, 2, top);
    arrow_right(job->out, &end->box[0], &end->box[1], "W_o");
    draw_box(job->out, &end->box[0]);
    draw_box(job->out, &end->box[1]);
}

static int flow_heads(const Run *run)
{
    int H = 0;
    for (int k = 0; k < run->n; k++)
        H = larger(H, run->step[k].head);
    return H;
}

static void draw_flows(const FlowJob *job, int n, Flow flow[], bool heads)
{
    char title[TITLE_BYTES];
    int top = heads ? 3 * MARGIN : 2 * MARGIN, height = top;
    int width = svg_width(run_title(title, job->run));
    for (int k = 0; k < n; k++) {
        width = larger(width, flow[k].width);
        height += flow[k].height + (k < n - 1 ? 2 * MARGIN : MARGIN);
    }
    svg_begin(job->out, width + 2 * MARGIN, height);
    svg_text(job->out, MARGIN, MARGIN, "", title);
    for (int k = 0; k < n; k++) {
        if (heads && k == n - 1)
            draw_end(job, &flow[k], top);
        else
            draw_flow(job, &flow[k], heads ? k + 1 : 0, top);
        top += flow[k].height + 2 * MARGIN;
    }
    svg_end(job->out);
}

void show_flow(FILE *out, const Run *run, Arena *arena, Fault *f)
{
    const FlowJob job = { out, run, arena, f };
    int H = flow_heads(run), n = H + 1;
    if (run->algorithm != 4 && run->algorithm != 5)
        fault(f, given_item(run, "algorithm")->at, "the flow of the data "
              "is drawn of Algorithms 4 and 5 only.");
    Flow *flow = arena_alloc(arena, (size_t)n * sizeof *flow);
    for (int h = 1; h <= H; h++)
        flow[h - 1] = flow_of(&job, h);
    flow[H] = H > 0 ? end_of(&job) : flow_of(&job, 0);
    draw_flows(&job, n, flow, H > 0);
}
