/* show/heatmap.h: matrices as pictures.
   Main type Heatmap; entry point heatmaps_svg. A matrix with a title flows
   in, an SVG file flows out. */
#ifndef FTX_SHOW_HEATMAP_H
#define FTX_SHOW_HEATMAP_H
#include "sheet/label.h"

typedef struct {
    const char *title;          /* above it                               */
    Mat M;
    const char *below;          /* a remark; or NULL                      */
    bool numbers;               /* in the cells ...                       */
    int decimals;               /* ... with so many of these              */
    bool signs;                 /* its entries are not weights            */
    const CellMark *mark;       /* in the cells; NULL: numbers            */
    bool apart;                 /* it begins a row of pictures            */
} Heatmap;

/* Prints the shades of row i of M. */
void shade_row(FILE *out, Mat M, int i);

/* Prints all n as one SVG file, with a heading, a verdict and a last line,
   which may be NULL. */
void heatmaps_svg(FILE *out, int n, const Heatmap h[], const char *heading,
                  const char *verdict, const char *last);
#endif
