/* ftx slips: what each slip does to a sheet. */
#include "check/check.h"
#include <math.h>
#include <string.h>

typedef struct { char text[400]; } Printed;

static Printed printed(double x, int decimals)
{
    Printed p;
    bool naught = fabs(x) <= unit_of(decimals) / 2;    /* never -0 */
    snprintf(p.text, sizeof p.text, "%.*f", decimals, naught ? 0 : x);
    return p;
}

static uint64_t with_step(uint64_t sum, const Step *step, int decimals)
{
    if (step == NULL)
        return checksum(sum, "none", 4);
    Mat M = step->M;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            Printed p = printed(AT(M, i, j), decimals);
            sum = checksum(sum, p.text, strlen(p.text) + 1);
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

static bool differ(Effect *e, Mat M, int decimals)
{
    e->i = e->j = 1;
    if (M->rows != e->wrong->M->rows || M->cols != e->wrong->M->cols)
        return true;
    for (e->i = 1; e->i <= M->rows; e->i++)
        for (e->j = 1; e->j <= M->cols; e->j++)
            if (strcmp(printed(AT(M, e->i, e->j), decimals).text,
                       printed(AT(e->wrong->M, e->i, e->j), decimals).text)
                != 0)
                return true;
    return false;
}

static Effect effect_in(const Run *run, const Run *slipped, int decimals)
{
    Effect e = { .sum = sum_of_answers(run, slipped, decimals) };
    for (int k = 0; k < run->n; k++) {
        e.right = &run->step[k];
        e.wrong = same_step(slipped, e.right);
        if (e.wrong != NULL && differ(&e, e.right->M, decimals))
            return e;
    }
    e.right = e.wrong = NULL;
    return e;
}

bool effect_of(const Run *run, const Slip *slip, int decimals, Arena *arena,
               Tape *tape, Effect *effect)
{
    Explanation why = { .slip = slip };
    if (run->n == 0
        || !can_apply(run, slip, NULL, NULL, true))
        return false;
    const Run *slipped = run_explained(run->bound, &why, arena, tape);
    if (!why.made)
        return false;
    *effect = effect_in(run, slipped, decimals);
    effect->slip = slip;
    return true;
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

static int longest_name(void)
{
    int width = 0;
    for (int k = 0; k < slips_n; k++)
        if ((int)strlen(slips[k].name) > width)
            width = (int)strlen(slips[k].name);
    return width;
}

/* How many slips are one but for the last digit of their names. */
static int as_rounding(int k)
{
    size_t stem = strlen(slips[k].name) - 1;
    int n = 1;
    while (is_rounding(&slips[k]) && k + n < slips_n
           && strlen(slips[k + n].name) == stem + 1
           && strncmp(slips[k + n].name, slips[k].name, stem) == 0)
        n++;
    return n;
}

static void list_slips(FILE *out)
{
    for (int n, k = 0; k < slips_n; k += n) {
        const Slip *slip = &slips[k];
        int width = longest_name(), stem = (int)strlen(slip->name) - 1;
        n = as_rounding(k);
        if (n == 1) {
            fprintf(out, "%-*s  %s\n", width, slip->name, slip->what);
            continue;
        }
        int words = (int)(strstr(slip->what, " to ") - slip->what);
        fprintf(out, "%.*sN%*s  %.*s to N decimals, N = %c ... %c\n", stem,
                slip->name, width - stem - 1, "", words, slip->what,
                slip->name[stem], slip[n - 1].name[stem]);
    }
}

static void print_effect(FILE *out, const Run *run, const Effect *e)
{
    char place[30];
    int decimals = decimals_shown(run);
    snprintf(place, sizeof place, "[%d,%d]", e->i, e->j);
    fprintf(out, "  %-*s  %-8s %10s %10s\n", longest_name(), e->slip->name,
            place, printed(AT(e->right->M, e->i, e->j), decimals).text,
            printed(AT(e->wrong->M, e->i, e->j), decimals).text);
}

/* Each slip stands under the step that it changes first. */
static void print_effects(FILE *out, const Run *run, const Effect *effect,
                          int n)
{
    char label[100];
    fprintf(out, "%-*s  %-8s %10s %10s\n", longest_name() + 2,
            "slip", "changes", "right", "with it");
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
            print_effect(out, run, &effect[k]);
        }
    }
}

/* The names of the slips with this sum; how many they are. */
static int with_sum(char *list, size_t size, const Effect *effect, int n,
                    uint64_t sum)
{
    int found = 0;
    *list = '\0';
    for (int k = 0; k < n; k++)
        if (effect[k].sum == sum)
            append(list, size, "%s%s", found++ > 0 ? ", " : "",
                   effect[k].slip->name);
    return found;
}

static bool is_first(const Effect *effect, int k)
{
    for (int i = 0; i < k; i++)
        if (effect[i].sum == effect[k].sum)
            return false;
    return true;
}

static void print_groups(FILE *out, const Effect *effect, int n,
                         uint64_t sum)
{
    char list[4000];
    for (int k = 0; k < n; k++)
        if (effect[k].sum != sum && is_first(effect, k)
            && with_sum(list, sizeof list, effect, n, effect[k].sum) > 1)
            print_list(out, "not told apart:", list);
    if (with_sum(list, sizeof list, effect, n, sum) > 0)
        print_list(out, "not seen:", list);
}

static const char usage[] =
    "Usage: ftx slips [--once] [SHEET...]\n"
    "\n"
    "Lists the slips that ftx check knows. With a SHEET, what each would\n"
    "change there first, and which of them its numbers cannot tell apart.\n"
    "For example:\n"
    "\n"
    "  ftx slips tests/data/worked/alg04-causal.sheet\n"
    "\n"
    "  --once   a slip that was seen on a sheet is not shown on the next\n";

typedef struct {
    bool once;
    bool *seen;                 /* of each slip                           */
    int sheets;                 /* shown                                  */
} Listing;

static const Option listing_options[] = {
    { "once", FLAG, UNBOUNDED(Listing, once), NULL, "" },
    { .name = NULL }
};

/* Effects that can be seen, and were not seen before; how many. */
static int new_ones(Listing *l, Effect *effect, int n)
{
    int kept = 0;
    for (int k = 0; k < n; k++) {
        bool *seen = &l->seen[effect[k].slip - slips];
        if (*seen || effect[k].right == NULL)
            continue;
        *seen = true;
        effect[kept++] = effect[k];
    }
    return kept;
}

static void list_effects(Error *f, Command *c, Listing *l, const char *name)
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
    if (l->once && (n = new_ones(l, effect, n)) == 0)
        return;
    if (c->n > 1)
        fprintf(c->out, "%s%s:\n", l->sheets++ > 0 ? "\n" : "", name);
    print_effects(c->out, run, effect, n);
    if (!l->once)
        print_groups(c->out, effect, n, sum);
}

static void list_them(Error *f, void *data)
{
    Command *c = data;
    Listing l = { .once = false };
    const Options options[] = { { "Options:", listing_options, &l },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    size_t size = (size_t)slips_n * sizeof *l.seen;
    l.seen = memset(arena_alloc(c->arena, size), 0, size);
    if (n == 0)
        list_slips(c->out);
    c->n = n;
    for (int k = 0; k < n; k++)
        list_effects(f, c, &l, c->argument[k]);
}

int slips_known(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx slips", list_them, out, err, n, argument);
}

