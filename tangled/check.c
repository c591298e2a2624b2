/* ftx check: what was computed by hand, judged. */
#include "program.h"
#include <math.h>
#include <string.h>

enum { CELLS_SHOWN = 6 };

static void print_typed(FILE *out, const Sheet *sheet, const Entry *entry)
{
    const char *typed = sheet->text + entry->at;
    fprintf(out, "%.*s", (int)strcspn(typed, " \t\n,;&|[]#"), typed);
}

static void print_cell(FILE *out, const Sheet *sheet, const Judged *j, int k)
{
    const Item *item = j->claim.item;
    double here = *claimed_entry(item, j->claim.step->M, k);
    int decimals = item->entry[k].decimals;
    fprintf(out, "(%d,%d) you ", k / item->cols + 1, k % item->cols + 1);
    print_typed(out, sheet, &item->entry[k]);
    if (decimals == EXACT || isinf(here))
        fprintf(out, ", here %.6g", here == 0 ? 0 : here);
    else
        fprintf(out, ", here %.*f", decimals + 1, here);
}

static void print_cells(FILE *out, const Sheet *sheet, const Judged *j,
                        Verdict verdict)
{
    const Item *item = j->claim.item;
    int shown = 0, all = j->count[verdict];
    for (int k = 0; k < item->rows * item->cols; k++) {
        if (j->verdict[k] != verdict || shown == CELLS_SHOWN)
            continue;
        fputs(shown++ == 0 ? "  " : "; ", out);
        print_cell(out, sheet, j, k);
    }
    if (all > shown)
        fprintf(out, "; and %d more", all - shown);
    fputc('\n', out);
}

static void print_verdict(FILE *out, const Sheet *sheet, const Judged *j)
{
    const int *count = j->count;
    int all = count[RIGHT] + count[LAST_DIGIT] + count[FOLLOWS]
            + count[WRONG];
    if (!j->fits)
        fprintf(out, "WRONG  it is %d x %d here, and %d x %d on the "
                "sheet\n", j->claim.step->M->rows, j->claim.step->M->cols,
                j->claim.item->rows, j->claim.item->cols);
    else if (count[WRONG] > 0) {
        fputs("WRONG", out);
        print_cells(out, sheet, j, WRONG);
    } else if (count[LAST_DIGIT] > 0) {
        fputs("last digit off", out);
        print_cells(out, sheet, j, LAST_DIGIT);
    } else if (count[FOLLOWS] > 0)
        fprintf(out, "follows from that, %d of %d entries%s\n",
                count[FOLLOWS], all,
                count[RIGHT] > 0 ? "; the others are right" : "");
    else
        fprintf(out, "right, %d of %d entr%s\n", count[RIGHT], all,
                all == 1 ? "y" : "ies");
}

static void print_reason(FILE *out, const Explanation *why)
{
    for (int k = 0; k < 2 && why->slip[k] != NULL; k++)
        fprintf(out, "%s%s", k > 0 ? ", and " : "", why->slip[k]->what);
    if (why->slip[0] == NULL)
        fputs("the rounded numbers above are carried on", out);
    if (why->only != NULL && why->only->layer > 0)
        fprintf(out, ", in layer %d only", why->only->layer);
    if (why->only != NULL && why->only->head > 0)
        fprintf(out, ", in head %d only", why->only->head);
}

static void print_why(FILE *out, const Judged *j, int indent)
{
    int all = j->count[RIGHT] + j->count[LAST_DIGIT] + j->count[FOLLOWS]
            + j->count[WRONG];
    if (j->n == 0)
        fprintf(out, "%*sno known slip\n", indent, "");
    for (int k = 0; k < j->n; k++) {
        fprintf(out, "%*s", indent, "");
        if (k > 0)
            fputs("or if ", out);
        else if (all == 1)
            fputs("the entry matches if ", out);
        else
            fprintf(out, "all %d entries match if ", all);
        print_reason(out, &j->why[k]);
        fputc('\n', out);
    }
    if (j->n > 1)
        fprintf(out, "%*sthis sheet cannot tell these apart\n", indent, "");
}

enum { LABEL = 6 };             /* columns, at least */

static int label(FILE *out, const Run *run, const Judged *j, int width)
{
    char text[200] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    step_label(to, run, j->claim.step);
    fclose(to);
    int columns = text_width(text);
    if (out != NULL)
        fprintf(out, "%s%*s", text, width > columns ? width - columns : 1,
                "");
    return columns;
}

static void print_first(FILE *out, const Judgement *judgement)
{
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        if (!j->begins)
            continue;
        fputs(j->count[WRONG] > 0 ? "first wrong step: "
                                  : "first digit that is off: ", out);
        step_label(out, judgement->run, j->claim.step);
        fprintf(out, " (Algorithm %d, line %d)\n",
                j->claim.step->algorithm, j->claim.step->line);
        return;
    }
    fputs(judgement->n == 0 ? "nothing is claimed\n" : "all right\n", out);
}

static void report(FILE *out, const Judgement *judgement)
{
    const Sheet *sheet = judgement->run->sheet;
    int width = LABEL;
    for (int k = 0; k < judgement->n; k++) {
        int n = label(NULL, judgement->run, &judgement->judged[k], 0) + 2;
        width = n > width ? n : width;
    }
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        label(out, judgement->run, j, width);
        print_verdict(out, sheet, j);
        if (j->begins)
            print_why(out, j, width);
    }
    print_first(out, judgement);
}

typedef struct {
    FILE *out;
    const char *name;
    Arena *arena;
    Tape *tape;
    bool right;
} Checking;

static void judge_and_report(Fault *f, void *data)
{
    Checking *c = data;
    const Sheet *sheet = read_sheet(c->arena, c->name, f);
    const Judgement *judgement = judge_sheet(sheet, c->arena, c->tape, f);
    c->right = true;
    for (int k = 0; k < judgement->n; k++) {
        const int *count = judgement->judged[k].count;
        c->right &= count[WRONG] + count[LAST_DIGIT] + count[FOLLOWS] == 0;
    }
    report(c->out, judgement);
}

static int check_sheet(FILE *out, FILE *err, const char *name)
{
    Checking c = { out, name, arena_new(), tape_new(false), false };
    Fault f = { .sheet = name };
    bool judged = attempt(&f, judge_and_report, &c);
    if (!judged) {
        fflush(out);
        fprintf(err, "%s\n", f.sentence);
    }
    tape_free(c.tape);
    arena_free(c.arena);
    return !judged ? 2 : c.right ? 0 : 1;
}

int check(FILE *out, FILE *err, int n, char *argument[])
{
    int worst = 0;
    for (int k = 0; k < n; k++) {
        if (n > 1)
            fprintf(out, "%s%s:\n", k > 0 ? "\n" : "", argument[k]);
        int status = check_sheet(out, err, argument[k]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

