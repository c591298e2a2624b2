/* ftx show: prints every step of an algorithm, as text, as Markdown or as
   JSON. Entry point: show, the command. A sheet flows in, its run flows
   out. */
#include "show/show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints the shades of row i of M, two characters for each weight. */
static void print_shades(FILE *out, Mat M, int i)
{
    static const char *const shades[] = { "  ", "░░", "▒▒", "▓▓", "██" };
    fputs("   ", out);
    for (int j = 1; j <= M->cols; j++) {
        int k = (int)(sqrt(AT(M, i, j)) * 5);
        fputs(shades[k < 0 ? 0 : k > 4 ? 4 : k], out);
    }
}

/* Prints the matrix of a step, a row on a line: its columns have one width,
   and weights may have shades behind them; or, in Markdown, as a table under
   an empty head. */
static void print_matrix(FILE *out, const Step *step, int decimals,
                         ShowForm form)
{
    char text[64];
    Mat M = step->M;
    bool table = form == MARKDOWN;
    int places = choose_decimals(M, decimals),
        width = table ? 0 : column_width(M, places);
    for (int i = table ? -1 : 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++)
            if (i <= 0)
                fputs(i < 0 ? "|   " : "| --: ", out);
            else {
                format_number(text, sizeof text, AT(M, i, j), places);
                fprintf(out, table ? "| %*s " : "  %*s", width, text);
            }
        fputs(table ? "|" : "", out);
        if (form == SHADED && sums_to_1(step))
            print_shades(out, M, i);
        fputc('\n', out);
    }
}

/* Prints a step: its algorithm, line and formula; its matrix; and what is
   remarked about it. */
static void print_step(FILE *out, const Run *run, const Step *step,
                       ShowForm form)
{
    const char *remark = remark_text(run, step);
    bool as_before = mask_is_1(run, step);
    fprintf(out, "\nAlgorithm %d, ", step->algorithm);
    print_step_text(out, run, step, form == MARKDOWN ? "`" : "");
    if (form != MARKDOWN)
        fprintf(out, "   (%d x %d)\n", step->M->rows, step->M->cols);
    else
        fprintf(out, "%s%s\n%s", remark == NULL ? "" : "; ",
                remark == NULL ? "" : remark, as_before ? "" : "\n");
    if (!as_before)
        print_matrix(out, step, run->decimals, form);
    if (form != MARKDOWN && remark != NULL)
        fprintf(out, "  %s%s\n", as_before ? "as before: " : "", remark);
}

void show_text(FILE *out, const Run *run, bool all, ShowForm form)
{
    char title[TITLE_BYTES];
    const char *gap = form == MARKDOWN ? "\n" : "", *axes = axes_text(run);
    int claims = 0;
    fprintf(out, "%s\n", run_title(title, run));
    if (*run->assumed != '\0') {
        fputs(gap, out);
        print_list(out, "not on the sheet, so assumed:", run->assumed);
    }
    if (form == MARKDOWN && axes != NULL)
        fprintf(out, "\n%s\n", axes);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            print_step(out, run, &run->step[k], form);
    for (int k = 0; k < run->sheet->n; k++)
        claims += run->sheet->item[k].claim;
    if (form != MARKDOWN && claims > 0)
        fprintf(out, "\nremark: ftx check judges the claim%s.\n",
                claims == 1 ? "" : "s");
}

/* Prints the rows of a step's matrix as JSON arrays. */
static void print_values(FILE *out, const Step *step)
{
    Mat M = step->M;
    double size = step_size(step);
    for (int k = 0; k < M->rows * M->cols; k++) {
        fputs(k % M->cols > 0 ? ", " : k == 0 ? "[[" : "], [", out);
        print_json_number(out, clear_noise(*claimed_entry(M, k), size));
    }
    fputs("]]", out);
}

void json_steps(FILE *out, const Run *run, Arena *arena)
{
    char label[100];
    fputs("\"steps\": [", out);
    for (const Step *s = run->step; s < run->step + run->n; s++) {
        fputs(s == run->step ? "" : ", ", out);
        print_json(out, "{'algorithm': %d, 'line': %d, 'name': %s, 'index': ",
                   s->algorithm, s->line, s->name);
        json_place(out, s);
        print_json(out, s->given ? ", 'given': true" : "");
        print_json(out, ", 'rows': %d, 'cols': %d, 'values': ", s->M->rows,
                   s->M->cols);
        print_values(out, s);
        print_json(out, ", 'inner': %b, 'label': %s, 'text': %s}",
                   s->inner, step_label(label, run, s),
                   step_text(arena, run, s, false));
    }
    fputc(']', out);
}

/* Prints the member "items": of a claim also its line, where that was typed,
   and where there is a run the number of its step. */
static void json_items(FILE *out, const Sheet *sheet, const Run *run,
                       Error *f)
{
    fputs("\"items\": [", out);
    for (const Item *i = sheet->item; i < sheet->item + sheet->n; i++) {
        const int n = i->rows * i->cols;        /* 0 of a word */
        fputs(i == sheet->item ? "" : ", ", out);
        print_json(out, "{'claim': %b, 'name': %s", i->claim, i->typed);
        if (i->line > 0)
            fprintf(out, ", \"line\": \"%d.%d\"", i->algorithm, i->line);
        if (i->word != NULL)
            print_json(out, ", 'word': %s", i->word);
        if (i->claim && run != NULL)
            print_json(out, ", 'step': %d",
                       (int)(step_of(run, i, f) - run->step));
        fputs(", \"entries\": [", out);
        for (int k = 0; k < n; k++) {
            const Entry *entry = &i->entry[k];
            fputs(k % i->cols > 0 ? ", " : k == 0 ? "[" : "], [", out);
            if (isnan(entry->value))
                fputs("\"?\"", out);
            else
                print_json_string(out, entry->typed, (size_t)entry->bytes);
        }
        fputs(n > 0 ? "]]}" : "]}", out);
    }
    fputc(']', out);
}

void show_json(FILE *out, const Run *run, Arena *arena, Error *f)
{
    print_json(out, "{'sheet': %s, 'algorithm': %d, 'layout': %s, "
               "'decimals': %d, 'assumed': %s, ", run->sheet->name,
               run->algorithm, run->layout->name, run->decimals,
               run->assumed);
    if (*run->entered != '\0')
        print_json(out, "'entered': %s, ", run->entered);
    json_steps(out, run, arena);
    fputs(", ", out);
    json_items(out, run->sheet, run, f);
    fputs("}\n", out);
}

typedef struct {
    bool all, shade, json, read, svg, md;
} ShowOptions;

#define WISH(name, meaning) \
    { #name, FLAG, UNBOUNDED(ShowOptions, name), NULL, meaning }
static const Option wishes[] = {
    WISH(all, "of a model, also the steps inside its layers"),
    WISH(shade, "shades of grey beside the weights"),
    WISH(json, "one object a sheet: its steps with all their digits"),
    WISH(read, "one object a sheet: what it says, as it was read"),
    WISH(svg, "a picture: heat maps of scores, weights and other steps"),
    WISH(md, "Markdown to paste"),
    { .name = NULL },
};
typedef struct {
    Command *command;
    const char *name;
    const ShowOptions *wish;
} Showing;

static void run_and_print(Error *f, void *data)
{
    const Showing *s = data;
    FILE *out = s->command->out;
    Arena *arena = s->command->arena;
    const ShowOptions *wish = s->wish;
    const Sheet *sheet = read_sheet(arena, s->name, f);
    if (wish->read) {
        fputc('{', out);
        json_items(out, sheet, NULL, f);
        fputs("}\n", out);
        return;
    }
    const Run *run = run_sheet(sheet, arena, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            step_of(run, &sheet->item[k], f);
    bool outside = false;               /* of the layers there is something */
    for (int k = 0; k < run->n; k++)
        outside |= !run->step[k].inner;
    const bool all = wish->all || !outside;
    if (wish->json)
        show_json(out, run, arena, f);
    else if (wish->svg)
        show_svg(out, run, all, arena, f);
    else
        show_text(out, run, all, wish->md ? MARKDOWN
                  : wish->shade ? SHADED : PLAIN);
}

static void show_sheet(Command *c, const char *name, const ShowOptions *wish)
{
    Showing showing = { c, name, wish };
    Error f = { .sheet = name };
    if (!try_work(&f, run_and_print, &showing)) {
        fflush(c->out);
        fprintf(c->err, "%s\n", f.sentence);
        c->status = 2;
    }
    arena_clear(c->arena);
}

static const char usage[] =
    "Usage: ftx show [options] SHEET...\n"
    "       ftx show --model FILE TEXT      (see ftx show --model --help)\n"
    "\n"
    "Runs the algorithm of each sheet and prints every step.\n"
    "A SHEET is a file; - is standard input. For example:\n"
    "\n"
    "  printf 'algorithm 7\\ne = 1 1\\nWu = 0 0 ; ln(2) ln(3)\\n' |"
    " ftx show -\n"
    "  ftx show --svg tests/data/worked/alg04.sheet > weights.svg\n"
    "  ftx show --md tests/data/worked/alg05.sheet > steps.md\n";
void show(Error *f, Command *c)
{
    ShowOptions wish = { 0 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    int sheets = parse_command(f, c, usage, options);
    if (sheets == 0)
        fail_with(f, "no sheet given; see 'ftx show --help'.");
    if (wish.json + wish.read + wish.svg + wish.md > 1)
        fail_with(f, "one of --json, --read, --svg, --md at a time.");
    if (wish.svg && sheets > 1)
        fail_with(f, "a picture is of one sheet; there are %d.", sheets);
    for (int k = 0; k < sheets; k++) {
        if (k > 0 && !wish.json && !wish.read)
            fputc('\n', c->out);
        show_sheet(c, c->argument[k], &wish);
    }
}

