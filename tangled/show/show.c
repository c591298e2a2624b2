/* ftx show: prints every step of an algorithm, as text or as JSON. Entry
   point: show, the command. A sheet flows in, its run flows out. */
#include "show/show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints the shades of row i of M, two characters for each weight. */
static void print_shades(FILE *out, Mat M, int i)
{
    static const char *const shades[] = { "  ", "░░", "▒▒", "▓▓", "██" };
    for (int j = 1; j <= M->cols; j++) {
        int k = (int)(sqrt(AT(M, i, j)) * 5);
        fputs(shades[k < 0 ? 0 : k > 4 ? 4 : k], out);
    }
}

/* Prints a matrix, a row on a line, its columns one width; and behind each
   row its shades. */
static void print_matrix(FILE *out, Mat M, int decimals, bool shade)
{
    char text[64];
    int places = choose_decimals(M, decimals), width = column_width(M,
                                                                    places);
    for (int i = 1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++) {
            format_number(text, sizeof text, AT(M, i, j), places);
            fprintf(out, "  %*s", width, text);
        }
        if (shade) {
            fputs("   ", out);
            print_shades(out, M, i);
        }
        fputc('\n', out);
    }
}

/* Prints the algorithm, the line, the formula and the shape of a step. */
static void print_heading(FILE *out, const Run *run, const Step *step)
{
    fprintf(out, "\nAlgorithm %d, ", step->algorithm);
    print_step_text(out, run, step);
    fprintf(out, "   (%d x %d)\n", step->M->rows, step->M->cols);
}

/* Prints a step: its heading, its matrix, and what sums to 1. */
static void print_step(FILE *out, const Run *run, const Step *step,
                       bool shade)
{
    print_heading(out, run, step);
    if (mask_is_1(run, step)) {
        fputs("  as before: the mask is 1 everywhere\n", out);
        return;
    }
    print_matrix(out, step->M, run->decimals,
                 shade && sums_to_1(step));
    const char *sums = sums_text(run, step);
    if (sums != NULL)
        fprintf(out, "  %s\n", sums);
}

/* Returns how many items of a sheet are claims. */
static int count_claims(const Sheet *sheet)
{
    int claims = 0;
    for (int k = 0; k < sheet->n; k++)
        claims += sheet->item[k].claim;
    return claims;
}

void show_text(FILE *out, const Run *run, bool all, bool shade)
{
    char title[TITLE_BYTES];
    fprintf(out, "%s\n", run_title(title, run));
    if (*run->assumed != '\0')
        print_list(out, "not on the sheet, so assumed:", run->assumed);
    for (int k = 0; k < run->n; k++)
        if (all || !run->step[k].inner)
            print_step(out, run, &run->step[k], shade);
    int claims = count_claims(run->sheet);
    if (claims > 0)
        fprintf(out, "\nremark: ftx check judges the claim%s.\n",
                claims == 1 ? "" : "s");
}

/* Prints the rows of a step's matrix as JSON arrays with commas between. */
static void print_values(FILE *out, const Step *step)
{
    Mat M = step->M;
    double size = step_size(step);
    for (int i = 1; i <= M->rows; i++) {
        fputs(i == 1 ? "[" : ", [", out);
        for (int j = 1; j <= M->cols; j++) {
            fputs(j == 1 ? "" : ", ", out);
            print_json_number(out, clear_noise(AT(M, i, j), size));
        }
        fputc(']', out);
    }
}

/* Prints an item: a claim with its line, where that was typed, and where
   there is a run with the number of its step. */
static void json_item(FILE *out, const Item *item, const Run *run,
                      Error *f)
{
    char line[24];
    print_json(out, "{'claim': %b, 'name': %s", item->claim, item->typed);
    if (item->line > 0) {
        snprintf(line, sizeof line, "%d.%d", item->algorithm, item->line);
        print_json(out, ", 'line': %s", line);
    }
    if (item->word != NULL)
        print_json(out, ", 'word': %s", item->word);
    if (item->claim && run != NULL)
        print_json(out, ", 'step': %d",
                   (int)(step_of(run, item, f) - run->step));
    fputs(", \"entries\": [", out);
    for (int k = 0; item->word == NULL && k < item->rows * item->cols;
         k++) {
        fputs(k % item->cols > 0 ? ", " : k == 0 ? "[" : "], [", out);
        const Entry *entry = &item->entry[k];
        if (isnan(entry->value))
            fputs("\"?\"", out);
        else
            print_json_string(out, entry->typed, (size_t)entry->bytes);
    }
    fputs(item->word == NULL ? "]]}" : "]}", out);
}

/* Prints a step as an object: its place, its values, its label and text. */
static void json_step(FILE *out, const Run *run, const Step *s,
                      Arena *arena)
{
    char label[100];
    print_json(out, "{'algorithm': %d, 'line': %d, 'name': %s, 'index': ",
               s->algorithm, s->line, s->name);
    json_place(out, s);
    print_json(out, s->given ? ", 'given': true" : "");
    print_json(out, ", 'rows': %d, 'cols': %d, 'values': [", s->M->rows,
               s->M->cols);
    print_values(out, s);
    print_json(out, "], 'inner': %b, 'label': %s, 'text': %s}", s->inner,
               step_label(label, run, s), step_text(arena, run, s, false));
}

void json_steps(FILE *out, const Run *run, Arena *arena)
{
    fputs("\"steps\": [", out);
    for (int k = 0; k < run->n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        json_step(out, run, &run->step[k], arena);
    }
    fputc(']', out);
}

/* Prints the member "items". Without a run no claim has the number of its
   step. */
static void json_items(FILE *out, const Sheet *sheet, const Run *run,
                       Error *f)
{
    fputs("\"items\": [", out);
    for (int k = 0; k < sheet->n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        json_item(out, &sheet->item[k], run, f);
    }
    fputc(']', out);
}

void show_json(FILE *out, const Run *run, Arena *arena, Error *f)
{
    print_json(out, "{'sheet': %s, 'algorithm': %d, 'layout': %s, "
               "'decimals': %d, 'assumed': %s", run->sheet->name,
               run->algorithm, run->layout->name, run->decimals,
               run->assumed);
    if (*run->entered != '\0')
        print_json(out, ", 'entered': %s", run->entered);
    fputs(", ", out);
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
    FILE *out;
    const char *name;
    const ShowOptions *wish;
    Arena *arena;
} Showing;

static void run_and_print(Error *f, void *data)
{
    const Showing *s = data;
    const ShowOptions *wish = s->wish;
    const Sheet *sheet = read_sheet(s->arena, s->name, f);
    if (wish->read) {
        fputc('{', s->out);
        json_items(s->out, sheet, NULL, f);
        fputs("}\n", s->out);
        return;
    }
    const Run *run = run_sheet(sheet, s->arena, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            step_of(run, &sheet->item[k], f);
    bool outside = false;               /* of the layers there is something */
    for (int k = 0; k < run->n; k++)
        outside |= !run->step[k].inner;
    const bool all = wish->all || !outside;
    if (wish->json)
        show_json(s->out, run, s->arena, f);
    else if (wish->svg)
        show_svg(s->out, run, all, s->arena, f);
    else if (wish->md)
        show_md(s->out, run, all, s->arena);
    else
        show_text(s->out, run, all, wish->shade);
}

static bool show_sheet(FILE *out, FILE *err, const char *name,
                       const ShowOptions *wish)
{
    Showing showing = { out, name, wish, arena_new() };
    Error f = { .sheet = name };
    bool shown = try_work(&f, run_and_print, &showing);
    if (!shown) {
        fflush(out);
        fprintf(err, "%s\n", f.sentence);
    }
    arena_free(showing.arena);
    return shown;
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
static void check_show_wish(const ShowOptions *wish, int sheets, Error *f)
{
    if (sheets == 0)
        fail_with(f, "no sheet given; see 'ftx show --help'.");
    if (wish->json + wish->read + wish->svg + wish->md > 1)
        fail_with(f,
                  "one of --json, --read, --svg, --md at a time.");
    if (wish->svg && sheets > 1)
        fail_with(f, "a picture is of one sheet; there are %d.", sheets);
}

void show(Error *f, Command *c)
{
    ShowOptions wish = { 0 };
    const Options options[] = { { "Options:", wishes, &wish },
                                { .table = NULL } };
    int sheets = parse_command(f, c, usage, options);
    check_show_wish(&wish, sheets, f);
    for (int k = 0; k < sheets; k++) {
        if (k > 0 && !wish.json && !wish.read)
            fputc('\n', c->out);
        if (!show_sheet(c->out, c->err, c->argument[k], &wish))
            c->status = 2;
    }
}

