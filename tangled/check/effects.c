/* ftx slips: what each slip does to a sheet.

   Main type: Effect. Entry point: list_slips. In go a sheet and the table
   of slips; out comes the first number that each slip changes. */
#include "check/check.h"
#include <math.h>
#include <string.h>

/* How x is printed, which is never -0. */
static const char *print_number(char to[400], double x, int decimals)
{
    bool naught = fabs(x) <= unit_of(decimals) / 2;
    snprintf(to, 400, "%.*f", decimals, naught ? 0 : x);
    return to;
}

static uint64_t with_step(uint64_t sum, const Step *step, int decimals)
{
    char text[400];
    if (step == NULL)
        return checksum(sum, "none", 4);
    Mat M = step->M;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            print_number(text, AT(M, i, j), decimals);
            sum = checksum(sum, text, strlen(text) + 1);
        }
    return sum;
}

uint64_t sum_of_answers(const Run *run, const Run *other, int decimals)
{
    const Sheet *sheet = run->sheet;
    uint64_t sum = NO_CHECKSUM;
    bool any = false;
    Error f = { .sheet = sheet->name };
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim)
            continue;
        any = true;
        sum = with_step(sum, same_step(other, step_of(run, item, &f)),
                        decimals);
    }
    for (int k = 0; k < run->n && !any; k++)
        sum = with_step(sum, same_step(other, &run->step[k]), decimals);
    return sum;
}

/* Finds the first entry in which the step of an effect changes. */
static bool find_change(Effect *e, int decimals)
{
    char right[400], wrong[400];
    Mat M = e->right->M, other = e->wrong->M;
    e->i = e->j = 1;
    if (M->rows != other->rows || M->cols != other->cols)
        return true;
    for (e->i = 1; e->i <= M->rows; e->i++)
        for (e->j = 1; e->j <= M->cols; e->j++)
            if (strcmp(print_number(right, AT(M, e->i, e->j), decimals),
                       print_number(wrong, AT(other, e->i, e->j), decimals))
                != 0)
                return true;
    return false;
}

bool effect_of(const Run *run, const Slip *slip, int decimals, Arena *arena,
               Tape *tape, Effect *effect)
{
    Explanation why = { .slip = slip };
    if (run->n == 0 || !can_apply(run, slip, NULL, NULL, true))
        return false;
    const Run *slipped = run_explained(run->bound, &why, arena, tape);
    *effect = (Effect){ .slip = slip,
                        .sum = sum_of_answers(run, slipped, decimals) };
    for (int k = 0; k < run->n; k++) {
        effect->right = &run->step[k];
        effect->wrong = same_step(slipped, effect->right);
        if (effect->wrong != NULL && find_change(effect, decimals))
            return why.applied;
    }
    effect->right = effect->wrong = NULL;
    return why.applied;
}

Effect *effects_of(const Run *run, int decimals, Arena *arena, Tape *tape,
                   int *n, uint64_t *sum)
{
    Effect *effect = arena_alloc(arena, (size_t)slips_n * sizeof *effect);
    *n = 0;
    *sum = sum_of_answers(run, run, decimals);
    for (int k = 0; k < slips_n; k++)
        *n += effect_of(run, &slips[k], decimals, arena, tape, &effect[*n]);
    return effect;
}

enum { WIDTH = 22 };            /* of a slip's name, at most              */

static void print_effect(FILE *out, const Effect *e, int decimals)
{
    char place[30], right[400], wrong[400];
    snprintf(place, sizeof place, "[%d,%d]", e->i, e->j);
    fprintf(out, "  %-*s  %-8s %10s %10s\n", WIDTH - 2, e->slip->name, place,
            print_number(right, AT(e->right->M, e->i, e->j), decimals),
            print_number(wrong, AT(e->wrong->M, e->i, e->j), decimals));
}

/* Each slip stands under the step that it changes first. */
static void print_effects(FILE *out, const Run *run, const Effect *effect,
                          int n)
{
    char label[100];
    fprintf(out, "%-*s  %-8s %10s %10s\n", WIDTH, "slip", "changes", "right",
            "with it");
    for (int i = 0; i < run->n; i++) {
        const Step *step = &run->step[i];
        bool any = false;
        for (int k = 0; k < n; k++) {
            if (effect[k].right != step)
                continue;
            if (!any)
                fprintf(out, "%s (line %d)\n",
                        step_label(label, run, step), step->line);
            any = true;
            print_effect(out, &effect[k], decimals_shown(run));
        }
    }
}

/* Prints the slips that have one sum, group by group, and those that have
   the sum of the right numbers. */
static void print_groups(FILE *out, const Effect *effect, int n,
                         uint64_t right)
{
    for (int k = 0; k <= n; k++) {      /* last the right numbers */
        char list[4000] = "";
        uint64_t sum = k < n ? effect[k].sum : right;
        int found = 0, is_new = k == n || sum != right;
        for (int i = 0; i < n; i++) {
            is_new &= i >= k || k == n || effect[i].sum != sum;
            if (effect[i].sum == sum)
                append(list, sizeof list, "%s%s", found++ > 0 ? ", " : "",
                       effect[i].slip->name);
        }
        if (is_new && found > (k < n))
            print_list(out, k < n ? "not told apart:" : "no change seen:",
                       list);
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
    int n;
    uint64_t sum;
    const Sheet *sheet = read_sheet(c->arena, name, f);
    const Run *run = run_sheet(sheet, c->arena, c->tape, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            step_of(run, &sheet->item[k], f);
    Effect *effect = effects_of(run, decimals_shown(run), c->arena, c->tape,
                                &n, &sum);
    if (c->n > 1)
        fprintf(c->out, "%s%s:\n", name == c->argument[0] ? "" : "\n", name);
    print_effects(c->out, run, effect, n);
    print_groups(c->out, effect, n, sum);
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
