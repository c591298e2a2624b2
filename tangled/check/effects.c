/* ftx slips: what each slip does to a sheet.

   Main type: Effect. Entry point: list_slips. In go a sheet and the table
   of slips; out comes the first number that each slip changes. */
#include "check/check.h"
#include <math.h>
#include <string.h>

typedef struct {
    const Slip *slip;
    const Step *right, *wrong;  /* the first step that it changes, as it
                                   is and as it becomes; NULL: it changes
                                   none                                   */
    int i, j;                   /* the first entry                        */
    uint64_t sum;               /* of all numbers that are asked for      */
} Effect;

/* Writes how x is printed, which is never -0, and returns it. */
static const char *print_number(char to[400], double x, int decimals)
{
    bool naught = fabs(x) <= unit_of(decimals) / 2;
    snprintf(to, 400, "%.*f", decimals, naught ? 0 : x);
    return to;
}

/* Returns which steps are asked for: those that are claimed, or, if none is,
   all. */
static const bool *steps_asked_for(const Run *run, Arena *arena, Error *f)
{
    bool *asked = arena_alloc(arena, (size_t)run->n + 1), any = false;
    memset(asked, 0, (size_t)run->n + 1);
    for (int k = 0; k < run->sheet->n; k++)
        if (run->sheet->item[k].claim) {
            asked[step_of(run, &run->sheet->item[k], f) - run->step] = true;
            any = true;
        }
    return any ? asked : memset(asked, true, (size_t)run->n + 1);
}

/* Compares a step as it is with what it becomes: adds its numbers to the sum
   if they are asked for, and notes the first one that is another. */
static void compare_step(Effect *e, const Step *right, const Step *wrong,
                         int decimals, bool asked)
{
    char is[400], becomes[400];
    Mat R = right->M, W = wrong->M;
    bool other_shape = R->rows != W->rows || R->cols != W->cols;
    for (int i = 1; i <= W->rows; i++)
        for (int j = 1; j <= W->cols; j++) {
            print_number(becomes, AT(W, i, j), decimals);
            if (asked)
                e->sum = checksum(e->sum, becomes, strlen(becomes) + 1);
            if (e->right != NULL
                || (!other_shape
                    && strcmp(print_number(is, AT(R, i, j), decimals),
                              becomes) == 0))
                continue;
            e->right = right;
            e->wrong = wrong;
            e->i = i;
            e->j = j;
        }
}

/* Returns what a slip changes, which makes another run of a run. */
static Effect effect_of(const Run *run, const Slip *slip, const Run *other,
                        const bool *asked)
{
    Effect effect = { .slip = slip, .sum = NO_CHECKSUM };
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k], *wrong = same_step(other, step);
        if (wrong != NULL)
            compare_step(&effect, step, wrong, run->decimals, asked[k]);
        else if (asked[k])
            effect.sum = checksum(effect.sum, "none", 4);
    }
    return effect;
}

enum { WIDTH = 22 };            /* of a slip's name, at most              */

/* Prints each slip under the step that it changes first. */
static void print_effects(FILE *out, const Run *run, const Effect *effect,
                          int n)
{
    char label[100], place[30], right[400], wrong[400];
    int decimals = run->decimals;
    const Step *heading = NULL;
    fprintf(out, "%-*s  %-8s %10s %10s\n", WIDTH, "slip", "changes", "right",
            "with it");
    for (const Step *step = run->step; step < run->step + run->n; step++)
        for (int k = 0; k < n; k++) {
            const Effect *e = &effect[k];
            if (e->right != step)
                continue;
            if (heading != step)
                fprintf(out, "%s (line %d)\n",
                        step_label(label, run, step), step->line);
            heading = step;
            snprintf(place, sizeof place, "[%d,%d]", e->i, e->j);
            print_number(right, AT(e->right->M, e->i, e->j), decimals);
            print_number(wrong, AT(e->wrong->M, e->i, e->j), decimals);
            fprintf(out, "  %-*s  %-8s %10s %10s\n", WIDTH - 2,
                    e->slip->name, place, right, wrong);
        }
}

/* Prints the slips that have one sum, group by group, and those that have
   the sum of the right numbers, which is that of effect[n]. */
static void print_groups(FILE *out, const Effect *effect, int n)
{
    for (int k = 0; k <= n; k++) {
        char list[4000] = "";
        int found = 0, first = k;
        for (int i = n - 1; i >= 0; i--)
            if (effect[i].sum == effect[k].sum)
                first = i;
        for (int i = first; i < n; i++)
            if (effect[i].sum == effect[k].sum)
                append(list, sizeof list, "%s%s", found++ > 0 ? ", " : "",
                       effect[i].slip->name);
        if (k == n && found > 0)
            print_list(out, "no change seen:", list);
        else if (k < n && k == first && found > 1
                 && effect[k].sum != effect[n].sum)
            print_list(out, "not told apart:", list);
    }
}

static const char usage[] =
    "Usage: ftx slips [SHEET...]\n"
    "\n"
    "Lists the slips that ftx check knows. With a SHEET, what each would\n"
    "change there first, and which of them its numbers cannot tell apart.\n"
    "For example:\n"
    "\n"
    "  ftx slips tests/data/worked/alg04-causal.sheet\n";

static void list_effects(Error *f, Command *c, const char *name)
{
    int n = 0;
    const Sheet *sheet = read_sheet(c->arena, name, f);
    const Run *run = run_sheet(sheet, c->arena, f);
    const bool *asked = steps_asked_for(run, c->arena, f);
    Effect *effect = arena_alloc(c->arena,
                                 ((size_t)slips_n + 1) * sizeof *effect);
    for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
        Explanation why = { .slip = slip };
        const Run *slipped = run_explained(run->bound, &why, c->arena,
                                           c->tape);
        if (why.applied)
            effect[n++] = effect_of(run, slip, slipped, asked);
    }
    effect[n] = effect_of(run, NULL, run, asked);
    if (c->n > 1)
        fprintf(c->out, "%s%s:\n", name == c->argument[0] ? "" : "\n", name);
    print_effects(c->out, run, effect, n);
    print_groups(c->out, effect, n);
}

void list_slips(Error *f, Command *c)
{
    const Options none[] = { { .table = NULL } };
    c->n = parse_command(f, c, usage, none);
    for (int k = 0; k < slips_n && c->n == 0; k++)
        fprintf(c->out, "%-*s%s\n", WIDTH, slips[k].name, slips[k].what);
    for (int k = 0; k < c->n; k++)
        list_effects(f, c, c->argument[k]);
}
