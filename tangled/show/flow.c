/* ftx show --flow: the matrices of Algorithm 4 in boxes. */
#include "show/show.h"
#include <string.h>

typedef enum {
    X, Z, Q, K, V, S, MASKED, SCALED, A, VT, HEADS, PROJECTED, BOXES
} Which;

static const struct {
    int algorithm, line;        /* 0: an input                            */
    const char *name;
    int column, row;            /* where the box stands                   */
} boxes[BOXES] = {
    [X] = { 0, 0, "X", 0, 0 },  [Z] = { 0, 0, "Z", 1, 0 },
    [Q] = { 4, 1, "Q", 0, 1 },  [K] = { 4, 2, "K", 1, 1 },
    [V] = { 4, 3, "V", 4, 1 },  [S] = { 4, 4, "S", 0, 2 },
    [MASKED] = { 4, 5, "S", 1, 2 },
    [SCALED] = { 4, 6, "S_scaled", 2, 2 },
    [A] = { 4, 6, "A", 3, 2 },  [VT] = { 4, 6, "Vt", 4, 2 },
    [HEADS] = { 5, 3, "Y", 0, 0 },      [PROJECTED] = { 5, 4, "Vt", 1, 0 },
};
enum { COLUMNS = 5, ROWS = 3 };

static const struct { Which from, to; const char *label; } arrows[] = {
    { X, Q, "" }, { Z, K, "" }, { Q, S, "" }, { V, VT, "" }, { K, S, "" },
    { Z, V, "" }, { S, MASKED, "mask" }, { MASKED, SCALED, "/ √d_attn" },
    { SCALED, A, "softmax" }, { A, VT, "V A" }, { HEADS, PROJECTED, "W_o" },
};
enum { ARROWS = sizeof arrows / sizeof *arrows };

typedef struct {
    const char *title, *place;  /* the two lines above the numbers        */
    Heatmap map;
    int x, y, width, height;    /* width 0: there is no such box          */
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
static Mat input_of(const FlowJob *job, const Item *item)
{
    Mat M = constant(job->arena, item->rows, item->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = (real)item->entry[(i - 1) * M->cols
                                            + (j - 1)].value;
    return M;
}

static const Step *step_on(const Run *run, Which k, int head)
{
    for (const Step *step = run->step; step < run->step + run->n; step++)
        if (step->algorithm == boxes[k].algorithm
            && step->line == boxes[k].line && step->head == head
            && strcmp(step->name, boxes[k].name) == 0)
            return step;
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
    box->map = (Heatmap){ .M = step->M, .signs = !sums_to_1(step) };
    box->title = step->given ? step->name
               : mask_is_1(job->run, step) ? "S, nothing masked"
               : step->role == ROLE_MASKED ? "S, masked"
               : step_text(job->arena, job->run, step, false);
    set_box(job, box, step->name, step->given ? 0 : step->line);
}

static void input_box(const FlowJob *job, Box *box, const char *name)
{
    const Item *item = given_item(job->run, name);
    const Item *X_item = given_item(job->run, "X");
    if (X_item == NULL)         /* the sheet begins later                 */
        return;
    box->map = (Heatmap){ .M = input_of(job, item == NULL ? X_item : item),
                          .signs = true };
    box->title = item == NULL ? "Z = X" : name;
    set_box(job, box, name, 0);
}

enum { ACROSS = 84, DOWN = 40, MARGIN = 28 };   /* room between boxes */

static int in_a_row(int n, const int size[], int gap, int at[])
{
    int end = 0, next = 0;
    for (int k = 0; k < n; k++) {
        at[k] = next;
        end = size[k] > 0 ? next + size[k] : end;
        next = size[k] > 0 ? end + gap : next;
    }
    return end;
}

static void arrange_flow(Flow *flow)
{
    int wide[COLUMNS] = { 0 }, tall[ROWS] = { 0 };
    int left[COLUMNS], top[ROWS];
    for (int k = 0; k < BOXES; k++) {
        int *w = &wide[boxes[k].column], *h = &tall[boxes[k].row];
        *w = larger(*w, flow->box[k].width);
        *h = larger(*h, flow->box[k].height);
    }
    flow->width = in_a_row(COLUMNS, wide, ACROSS, left);
    flow->height = in_a_row(ROWS, tall, DOWN, top);
    for (int k = 0; k < BOXES; k++) {
        int c = boxes[k].column, r = boxes[k].row;
        Box *box = &flow->box[k];
        box->x = left[c] + (wide[c] - box->width) / 2;
        box->y = top[r] + (tall[r] - box->height) / 2;
    }
}

static Flow flow_of(const FlowJob *job, int head, Which first, Which end)
{
    Flow flow = { .width = 0 };
    for (Which k = first; k < end; k++) {
        const Step *step = step_on(job->run, k, head);
        if (boxes[k].line == 0)
            input_box(job, &flow.box[k], boxes[k].name);
        else if (step != NULL)
            step_box(job, &flow.box[k], step);
    }
    arrange_flow(&flow);
    return flow;
}

static void draw_box(FILE *out, const Box *box)
{
    Heatmap map = box->map;
    map.x = box->x + (box->width - heatmap_size(&map).width) / 2;
    map.y = box->y + PAD + 2 * LINE;
    svg_rect(out, box->x, box->y, box->width, box->height);
    fputs("rx=\"6\" fill=\"#f6f6f2\" stroke=\"#888\"/>\n", out);
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

static void join(FILE *out, const Box box[], int k, const char *label)
{
    const Box *from = &box[arrows[k].from], *to = &box[arrows[k].to];
    int columns = boxes[arrows[k].to].column - boxes[arrows[k].from].column;
    int x = from->x + from->width / 2, right = from->x + from->width;
    int y = from->y + from->height / 2, bottom = from->y + from->height;
    int end = to->x + to->width / 2;
    if (*label != '\0') {
        draw_arrow(out, 2, (Corner[]){ { right, y }, { to->x, y } });
        svg_text(out, (right + to->x) / 2 - 3, y - 6,
                 " text-anchor=\"middle\" fill=\"#444\"", label);
    } else if (columns == 0) {
        draw_arrow(out, 2, (Corner[]){ { x, bottom }, { x, to->y } });
    } else if (columns > 0) {
        draw_arrow(out, 3, (Corner[]){ { right, y }, { end, y },
                                       { end, to->y } });
    } else {
        int between = to->y - DOWN / 2, beside = end + to->width / 4;
        draw_arrow(out, 4, (Corner[]){ { x, bottom }, { x, between },
                                       { beside, between },
                                       { beside, to->y } });
    }
}

static void draw_arrows(FILE *out, const Run *run, const Box box[])
{
    for (int k = 0; k < ARROWS; k++)
        if (box[arrows[k].from].width > 0 && box[arrows[k].to].width > 0)
            join(out, box, k,
                 arrows[k].to == SCALED && !run->scaled ? "scale no"
                 : arrows[k].from == A && run->layout->rows ? "A V"
                 : arrows[k].label);
}

static void draw_flow(const FlowJob *job, Flow *flow, int head, int top)
{
    char heading[40];
    snprintf(heading, sizeof heading, "h = %d", head);
    if (head > 0)
        svg_text(job->out, MARGIN, top - 10, " font-weight=\"bold\"",
                 heading);
    for (int k = 0; k < BOXES; k++) {
        flow->box[k].x += MARGIN;
        flow->box[k].y += top;
    }
    draw_arrows(job->out, job->run, flow->box);
    for (int k = 0; k < BOXES; k++)
        if (flow->box[k].width > 0)
            draw_box(job->out, &flow->box[k]);
}

static void draw_flows(const FlowJob *job, int n, Flow flow[])
{
    char title[TITLE_BYTES];
    int top = n > 1 ? 3 * MARGIN : 2 * MARGIN, height = top;
    int width = svg_width(run_title(title, job->run));
    for (int k = 0; k < n; k++) {
        width = larger(width, flow[k].width);
        height += flow[k].height + (k < n - 1 ? 2 * MARGIN : MARGIN);
    }
    svg_begin(job->out, width + 2 * MARGIN, height);
    svg_text(job->out, MARGIN, MARGIN, "", title);
    for (int k = 0; k < n; k++) {
        draw_flow(job, &flow[k], k < n - 1 ? k + 1 : 0, top);
        top += flow[k].height + 2 * MARGIN;
    }
    svg_end(job->out);
}

void show_flow(FILE *out, const Run *run, Arena *arena, Fault *f)
{
    const FlowJob job = { out, run, arena, f };
    int H = 0;
    for (int k = 0; k < run->n; k++)
        H = larger(H, run->step[k].head);
    if (run->algorithm != 4 && run->algorithm != 5)
        fault(f, given_item(run, "algorithm")->at, "the flow of the data "
              "is drawn of Algorithms 4 and 5 only.");
    Flow *flow = arena_alloc(arena, (size_t)(H + 1) * sizeof *flow);
    for (int h = 1; h <= H; h++)
        flow[h - 1] = flow_of(&job, h, X, HEADS);
    flow[H] = H > 0 ? flow_of(&job, 0, HEADS, BOXES)
                    : flow_of(&job, 0, X, HEADS);
    draw_flows(&job, H + 1, flow);
}
