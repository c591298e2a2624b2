/* ftx check --svg and --md: claims as steps with marks. */
#include "check/report.h"
#include <math.h>
#include <string.h>

static const struct { const char *sign, *colour; } signs[] = {
    [OPEN]       = { "",  "#ffffff" },
    [RIGHT]      = { "✓", "#dff0d8" },
    [LAST_DIGIT] = { "≈", "#fcefb4" },
    [CUT]        = { "≈", "#fcefb4" },
    [EARLY]      = { "≈", "#fcefb4" },
    [FOLLOWS]    = { "→", "#d6e4f5" },
    [WRONG]      = { "✗", "#f6c6c0" },
};

static const char *typed_text(const Entry *entry, Arena *arena)
{
    enum { LONGEST = 20 };
    char *text = arena_alloc(arena, 40);
    int n = entry->bytes;
    bool plain = n <= LONGEST
              && (int)strspn(entry->typed, "0123456789+-./?") >= n;
    if (plain)
        snprintf(text, 40, "%.*s", n, entry->typed);
    else
        snprintf(text, 40, "%.6g", entry->value);
    return text;
}

static CellMark mark_on(const Judged *j, int k, Arena *arena)
{
    const Item *item = j->claim.item;
    Verdict verdict = j->verdict[k];
    char *right = arena_alloc(arena, 60);
    *right = '\0';
    if (j->fits && verdict > RIGHT)
        right_number(right, &item->entry[k],
                     *claimed_entry(item, j->claim.step->M, k));
    return (CellMark){ typed_text(&item->entry[k], arena), right,
                   signs[verdict].sign, signs[verdict].colour };
}

static const char *verdicts_text(const Judged *j, Arena *arena)
{
    static const char *const words[] = {
        [RIGHT] = "right", [LAST_DIGIT] = "last digit off",
        [CUT] = "cut off", [EARLY] = "rounded early", [FOLLOWS] = "follow",
        [WRONG] = "wrong" };
    Mat M = j->claim.step->M;
    char *text = arena_alloc(arena, 120);
    *text = '\0';
    if (!j->fits)
        snprintf(text, 120, "wrong: it is %d x %d here", M->rows, M->cols);
    for (int v = WRONG; j->fits && v > OPEN; v--)
        if (j->count[v] > 0)
            append(text, 120, "%s%d %s", *text != '\0' ? ", " : "",
                   j->count[v], words[v]);
    return text;
}

static Step marked_step(const Judged *j, Arena *arena)
{
    const Item *item = j->claim.item;
    int n = item->rows * item->cols;
    CellMark *mark = arena_alloc(arena, (size_t)n * sizeof *mark);
    for (int k = 0; k < n; k++)
        mark[k] = mark_on(j, k, arena);
    Step step = *j->claim.step;
    if (!j->fits)
        step.M = constant(arena, item->rows, item->cols);
    step.mark = mark;
    step.remark = verdicts_text(j, arena);
    return step;
}

const Run *marked_run(const Judgement *judgement, Arena *arena)
{
    Run *run = arena_alloc(arena, sizeof *run);
    size_t n = (size_t)judgement->n;
    Step *step = arena_alloc(arena, n * sizeof *step);
    char *verdict = arena_alloc(arena, 1000);
    for (int k = 0; k < judgement->n; k++)
        step[k] = marked_step(&judgement->judged[k], arena);
    first_sentence(verdict, judgement);
    *run = *judgement->run;
    run->n = judgement->n;
    run->step = step;
    run->verdict = verdict;
    return run;
}
