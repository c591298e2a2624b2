/* show/show.h: a run as text, as JSON, as a picture, as tables to paste.
   No type of its own; entry point show, which is the command. A Run flows in,
   a stream of text flows out. */
#ifndef FTX_SHOW_H
#define FTX_SHOW_H
#include "sheet/claim.h"
#include "sheet/label.h"

/* Prints every step of a run as text, as text with shades of grey beside the
   weights, or as Markdown, with formulas as code. Of a model it prints the
   lines of its own algorithm only, unless `all`; so does show_svg. */
typedef enum { PLAIN, SHADED, MARKDOWN } ShowForm;
void show_text(FILE *out, const Run *run, bool all, ShowForm form);

/* Prints a run as one JSON object on a line, with all digits. An item that
   is claimed must have a step, else this fails. */
void show_json(FILE *out, const Run *run, Arena *arena, Error *f);

/* Prints the steps as heat maps in one SVG file. Fails where a matrix is
   larger than 100 x 100. */
void show_svg(FILE *out, const Run *run, bool all, Arena *arena, Error *f);

/* Prints the member "steps" of the JSON object alone. */
void json_steps(FILE *out, const Run *run, Arena *arena);

CommandMain show;                   /* ftx show                           */

/* Returns what the rows and columns of S and A are, as a sentence; NULL if
   the run has none. */
const char *axes_text(const Run *run);

/* Returns what is remarked about a step, such as "each row sums to 1"; or
   NULL. */
const char *remark_text(const Run *run, const Step *step);
#endif
