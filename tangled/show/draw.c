/* ftx show --svg: the steps of a run as heat maps. */
#include "show/heatmap.h"
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
        if (run->step[k].algorithm <= 5 && is_of_scores(&run->step[k]))
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

const char *axes_text(const Run *run)
{
    return !has_scores(run) ? NULL : run->layout->rows
        ? "of S and A, a row is a query t_x, a column is a key t_z"
        : "of S and A, a row is a key t_z, a column is a query t_x";
}

const char *remark_text(const Run *run, const Step *step)
{
    return step->remark != NULL ? step->remark
         : mask_is_1(run, step) ? "the mask is 1 everywhere"
         : sums_to_1(step) ? sums_text(run) : NULL;
}

enum { MANY = 32, MOST = 100 };

static void require_room(const Step *step, Error *f)
{
    const Mat M = step->M;
    if (M->rows > MOST || M->cols > MOST)
        fail_in_text(f, 0, "the picture has room for matrices up to "
                     "%d x %d; %s is %d x %d.", MOST, MOST, step->name,
                     M->rows, M->cols);
}

static Heatmap heatmap_of(const Run *run, const Step *step, Arena *arena)
{
    const Mat M = step->M;
    return (Heatmap){
        .title = step_text(arena, run, step, true), .M = M,
        .below = remark_text(run, step), .decimals = decimals_shown(run),
        .numbers = M->rows <= MANY && M->cols <= MANY,
        .signs = !sums_to_1(step), .mark = step->mark,
    };
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
    const char *axes = axes_text(run);
    char title[TITLE_BYTES], last[300];
    int n = 0;
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        if (!is_drawn(run, step, all))
            continue;
        require_room(step, f);
        h[n] = heatmap_of(run, step, arena);
        h[n++].apart = before != NULL && !is_same_place(before, step);
        before = step;
    }
    snprintf(last, sizeof last, "%s%s%s", axes == NULL ? "" : axes,
             axes == NULL ? "" : "; ", run->verdict != NULL ? marks_legend
             : "blue is above 0, brown below; the darker, the farther");
    heatmaps_svg(out, n, h, run_title(title, run), run->verdict, last);
}
