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
    bool seen;                  /* does a step change that is asked for?  */
} Effect;

/* Returns whether a step is asked for. */
static bool is_asked_for(const Claim *claim, int n, const Step *step)
{
    bool asked = n == 0;
    for (int k = 0; k < n; k++)
        asked |= claim[k].step == step;
    return asked;
}

/* Returns whether a step is printed otherwise with a slip, and notes where
   it is first. */
static bool is_printed_otherwise(Effect *e, int decimals)
{
    char is[64], becomes[64];
    Mat R = e->right->M, W = e->wrong->M;
    bool other_shape = R->rows != W->rows || R->cols != W->cols;
    for (e->i = 1; e->i <= W->rows; e->i++)
        for (e->j = 1; e->j <= W->cols; e->j++) {
            if (other_shape)
                return true;
            format_number(is, sizeof is, AT(R, e->i, e->j), decimals);
            format_number(becomes, sizeof becomes, AT(W, e->i, e->j),
                          decimals);
            if (strcmp(is, becomes) != 0)
                return true;
        }
    return false;
}

/* Returns what a slip changes, which makes another run of a run with n
   claims. */
static Effect effect_of(const Run *run, const Slip *slip, const Run *other,
                        const Claim *claim, int n)
{
    Effect effect = { .slip = slip };
    for (const Step *step = run->step; step < run->step + run->n; step++) {
        Effect here = { slip, step, same_step(other, step), 0, 0,
                        effect.seen };
        if (here.wrong != NULL
            && !is_printed_otherwise(&here, run->decimals))
            continue;
        if (effect.right == NULL && here.wrong != NULL)
            effect = here;
        effect.seen |= is_asked_for(claim, n, step);
    }
    return effect;
}

enum { WIDTH = 22 };            /* of a slip's name, at most              */

/* Prints each slip under the step that it changes first. */
static void print_effects(FILE *out, const Run *run, const Effect *effect,
                          int n)
{
    char label[100], place[30], right[64], wrong[64];
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
            format_number(right, sizeof right,
                          AT(e->right->M, e->i, e->j), decimals);
            format_number(wrong, sizeof wrong,
                          AT(e->wrong->M, e->i, e->j), decimals);
            fprintf(out, "  %-*s  %-8s %10s %10s\n", WIDTH - 2,
                    e->slip->name, place, right, wrong);
        }
}

static const char usage[] =
    "Usage: ftx slips [SHEET...]\n"
    "\n"
    "Lists the slips that ftx check knows. With a SHEET, what each would\n"
    "change there first, and which change no number that is asked for.\n"
    "For example:\n"
    "\n"
    "  ftx slips tests/data/worked/alg04-causal.sheet\n";

static void list_effects(Error *f, Command *c, const char *name)
{
    int n = 0, claims;
    const Sheet *sheet = read_sheet(c->arena, name, f);
    const Run *run = run_sheet(sheet, c->arena, f);
    const Claim *claim = claims_of(run, c->arena, &claims, f);
    Effect *effect = arena_alloc(c->arena, (size_t)slips_n * sizeof *effect);
    char unseen[4000] = "";
    for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
        Explanation why = { .slip = slip };
        const Run *slipped = run_explained(run->bound, &why, c->arena,
                                           c->tape);
        if (!why.applied)
            continue;
        effect[n] = effect_of(run, slip, slipped, claim, claims);
        if (!effect[n++].seen)
            append(unseen, sizeof unseen, "%s%s",
                   *unseen == '\0' ? "" : ", ", slip->name);
    }
    if (c->n > 1)
        fprintf(c->out, "%s%s:\n", name == c->argument[0] ? "" : "\n", name);
    print_effects(c->out, run, effect, n);
    if (*unseen != '\0')
        print_list(c->out, "no change seen:", unseen);
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
