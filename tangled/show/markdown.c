/* ftx show --md: the steps of a run as Markdown tables, which can be pasted
   into a text, and back into a sheet. Entry point: show_md. */
#include "show/show.h"
#include <string.h>

/* Prints the matrix of a step as a table under an empty head. */
static void print_table(FILE *out, const Run *run, const Step *step)
{
    char text[64];
    Mat M = step->M;
    int places = choose_decimals(M, run->decimals);
    for (int i = -1; i <= M->rows; i++) {
        for (int j = 1; j <= M->cols; j++)
            if (i <= 0)
                fputs(i < 0 ? "|   " : "| --: ", out);
            else {
                format_number(text, sizeof text, AT(M, i, j), places);
                fprintf(out, "| %s ", text);
            }
        fputs("|\n", out);
    }
}

void show_md(FILE *out, const Run *run, bool all, Arena *arena)
{
    char title[TITLE_BYTES];
    const char *axes = axes_text(run);
    fprintf(out, "%s\n", run_title(title, run));
    if (axes != NULL)
        fprintf(out, "\n%s\n", axes);
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        const char *remark = remark_text(run, step);
        if (step->inner && !all)
            continue;
        const char *text = step_text(arena, run, step, true);
        const char *formula = strstr(text, ": ") + 2;
        fputc('\n', out);
        if (step->algorithm == run->algorithm)
            fprintf(out, "Algorithm %d, ", step->algorithm);
        fprintf(out, "%.*s`%s`%s%s\n", (int)(formula - text), text, formula,
                remark == NULL ? "" : "; ", remark == NULL ? "" : remark);
        if (!mask_is_1(run, step)) {
            fputc('\n', out);
            print_table(out, run, step);
        }
    }
}
