/* show/heatmap.h: matrices as pictures, in a terminal and as SVG.
   Main type Heatmap; entry point heatmaps_svg. A matrix with a title flows
   in, characters or a file flow out. */
#ifndef FTX_SHOW_HEATMAP_H
#define FTX_SHOW_HEATMAP_H
#include "sheet/label.h"

typedef struct {
    const char *title;          /* above it                               */
    Mat M;
    const char *const *row;     /* label[0] ... for row 1 ...; or NULL    */
    const char *const *column;
    const char *below;          /* a remark; or NULL                      */
    bool numbers;               /* in the cells ...                       */
    int decimals;               /* ... with so many of these              */
    bool signs;                 /* its entries are not weights            */
    const CellMark *mark;       /* in the cells; NULL: numbers            */
    bool apart;                 /* it begins a row of pictures            */
} Heatmap;

/* Prints one with shades of grey for a terminal, without numbers; it must
   have labels. */
void heatmap_text(FILE *out, const Heatmap *h);

/* Prints the shades of row i of M. */
void shade_row(FILE *out, Mat M, int i);

/* Prints all n as one SVG file, with a heading, a verdict and a last line,
   which may be NULL. */
void heatmaps_svg(FILE *out, int n, const Heatmap h[], const char *heading,
                  const char *verdict, const char *last);

int larger(int a, int b);
#endif
