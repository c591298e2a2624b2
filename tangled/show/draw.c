/* ftx show --svg: the steps of a run as heat maps. */
#include "show/show.h"
#include <string.h>

static bool is_of_scores(const Step *step)
{
    Role role = step->role;
    return role == ROLE_SCORES || role == ROLE_MASKED
        || role == ROLE_POWERS || role == ROLE_WEIGHTS;
}

static bool has_scores(const Run *run)
{
    for (int k = 0; k < run->n; k++)
        if (is_of_scores(&run->step[k]))
            return true;
    return false;
}

static bool is_drawn(const Run *run, const Step *step, bool all)
{
    bool attention = 3 <= step->algorithm && step->algorithm <= 5
                  && step->mark == NULL && has_scores(run);
    return (all || !step->inner) && !mask_is_1(run, step)
        && (!attention || is_of_scores(step) || step->aspect != VALUE);
}

static const char *axis_of(const Step *step, bool queries)
{
    bool attention = step->algorithm == 3 || step->algorithm == 4;
    if (!attention || (!is_of_scores(step) && step->role != ROLE_SCALED))
        return NULL;
    if (step->algorithm == 3)
        return queries ? NULL : "key t";
    return queries ? "query t_x" : "key t_z";
}

const char *rows_are(const Run *run, const Step *step)
{
    return axis_of(step, run->layout->rows);
}

const char *columns_are(const Run *run, const Step *step)
{
    return axis_of(step, !run->layout->rows);
}

static const Item *given_item(const Run *run, const char *name)
{
    for (int k = 0; k < run->sheet->n; k++)
        if (!run->sheet->item[k].claim
            && strcmp(run->sheet->item[k].name, name) == 0)
            return &run->sheet->item[k];
    return NULL;
}

static void require_room(const Run *run, const char *name, Mat M, int most,
                         Error *f)
{
    if (M->rows > most || M->cols > most)
        fail_in_text(f, given_item(run, "algorithm")->at,
                     "the picture has room "
                     "for matrices up to %d x %d; %s is %d x %d.", most, most,
                     name, M->rows, M->cols);
}

static const char *const *number_labels(int n, Arena *arena)
{
    const char **number = arena_alloc(arena, (size_t)n * sizeof *number);
    for (int k = 0; k < n; k++) {
        char *text = arena_alloc(arena, 12);
        snprintf(text, 12, "%d", k + 1);
        number[k] = text;
    }
    return number;
}

static const char *remark_below(const Run *run, const Step *step)
{
    bool last = step == run->step + run->n - 1;
    if (step->remark != NULL)
        return step->remark;
    if (sums_to_1(step))
        return sums_text(run);
    return !last && mask_is_1(run, step + 1) ? "the mask is 1 everywhere"
                                             : NULL;
}

enum { MANY = 32, MOST = 100 };

static Heatmap heatmap_of(const Run *run, const Step *step, Arena *arena)
{
    Mat M = step->M;
    Heatmap h = {
        .title = step_text(arena, run, step, true), .M = M,
        .down = rows_are(run, step), .across = columns_are(run, step),
        .below = remark_below(run, step), .decimals = decimals_shown(run),
        .numbers = M->rows <= MANY && M->cols <= MANY,
        .signs = !sums_to_1(step), .mark = step->mark,
    };
    if (h.down != NULL)
        h.row = number_labels(M->rows, arena);
    if (h.across != NULL)
        h.column = number_labels(M->cols, arena);
    return h;
}

const char marks_legend[] = "✓ right; ≈ last digit off; → follows from what "
    "went wrong before; ✗ wrong, and the right number";

static bool is_same_place(const Step *a, const Step *b)
{
    return a->head == b->head && a->layer == b->layer && a->part == b->part
        && a->turn == b->turn;
}

void show_svg(FILE *out, const Run *run, bool all, Arena *arena, Error *f)
{
    Heatmap *h = arena_alloc(arena, (size_t)run->n * sizeof *h);
    const Step *before = NULL;
    char title[TITLE_BYTES];
    int n = 0;
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        if (!is_drawn(run, step, all))
            continue;
        require_room(run, step->name, step->M, MOST, f);
        h[n] = heatmap_of(run, step, arena);
        h[n++].apart = before != NULL && !is_same_place(before, step);
        before = step;
    }
    heatmaps_svg(out, n, h, run_title(title, run), run->verdict,
                 run->verdict != NULL ? marks_legend
                 : "blue is above 0, brown below; the darker, the farther");
}
