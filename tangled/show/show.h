/* show/: a run as text, as a picture, as a table to paste. */
#ifndef FTX_SHOW_H
#define FTX_SHOW_H
#include "sheet/label.h"

/* Prints every step of a run as text, with shades of grey beside the
   weights if `shade`. Of a model it prints the lines of its own algorithm
   only, unless `all`; so do the three functions below that take it. */
void show_text(FILE *out, const Run *run, bool all, bool shade);

/* Prints a run as one JSON object on a line, with all digits. An item that
   is claimed must have a step, else this fails. */
void show_json(FILE *out, const Run *run, Arena *arena, Error *f);

/* Prints the steps as heat maps in one SVG file. Fails where a matrix is
   larger than 100 x 100. */
void show_svg(FILE *out, const Run *run, bool all, Arena *arena, Error *f);

/* Prints the steps as LaTeX; it needs the package amsmath. */
void show_tex(FILE *out, const Run *run, bool all, Arena *arena);

/* Prints the steps as Markdown, with LaTeX between dollars. */
void show_md(FILE *out, const Run *run, bool all, Arena *arena);

/* Prints the member "steps" of the JSON object alone. */
void json_steps(FILE *out, const Run *run, Arena *arena);

extern const char marks_legend[];   /* what the signs of marks mean       */
CommandMain show;                   /* of `ftx show`                      */

/* A matrix as a picture. */
typedef struct {
    const char *title;          /* above it; or NULL                      */
    Mat M;
    const char *const *row;     /* label[0] ... for row 1 ...; or NULL    */
    const char *const *column;
    const char *down, *across;  /* such as "key t_z"; or NULL             */
    const char *below;          /* a remark; or NULL                      */
    bool numbers;               /* in the cells ...                       */
    int decimals;               /* ... with so many of these              */
    bool signs;                 /* its entries are not weights            */
    const CellMark *mark;       /* in the cells; NULL: numbers            */
    bool apart;                 /* it begins a row of pictures            */
    int x, y;                   /* where it is drawn                      */
} Heatmap;

/* heatmap_text draws one with shades of grey for a terminal, without
   numbers; it must have a title and labels. shade_row is one row of it.
   heatmaps_svg arranges all n as one SVG file, with a heading, a verdict
   and a last line, which may be NULL. */
void heatmap_text(FILE *out, const Heatmap *h);
void shade_row(FILE *out, Mat M, int i);
void heatmaps_svg(FILE *out, int n, Heatmap h[], const char *heading,
                  const char *verdict, const char *last);

/* As many small ones as there are on one page, without numbers and labels,
   each with its title; one that stands apart begins a row. */
void heatmaps_page(FILE *out, int n, const Heatmap h[], const char *heading,
                   const char *last);

int larger(int a, int b);

/* Each returns what the rows and the columns of S and A are, such as "key
   t_z" and "query t_x"; NULL where they are neither. */
const char *rows_are(const Run *run, const Step *step);
const char *columns_are(const Run *run, const Step *step);

/* The first bytes of a formula as LaTeX. */
void formula_tex(FILE *out, const char *formula, size_t length);
#endif
