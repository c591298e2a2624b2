/* What a step is called, and which step a name is about. Main types: Step,
   Place. Entry points: step_of finds the step of a claim; step_label and
   step_text say what a step is. Steps flow in, text flows out. */
#ifndef FTX_LABEL_H
#define FTX_LABEL_H
#include "sheet/run.h"

/* Where in a model an observer is. */
typedef struct {
    Part part;
    int layer, head;
} Place;

/* Returns the step of a value that is seen at a place, without its matrix,
   and moves the place on behind that line; index is that of a loop, or 0. */
Step step_seen(Place *at, const char *line, const char *name, int index);

/* Returns the step that a claim is about; a claim about none is refused. */
const Step *step_of(const Run *run, const Item *claim, Error *f);

/* Adds a step that is M to a run, with a copy of M in the arena. */
void append_step(Run *run, Arena *arena, Step *step, Mat M);

/* Returns the step of a run that is the same as one of another run; NULL:
   there is none. */
const Step *same_step(const Run *run, const Step *step);

/* Returns whether two steps have the same name, at the same place of the
   model and in the same turn. */
bool are_namesakes(const Step *a, const Step *b);

/* Returns whether two steps are the same, each of its run. */
bool same_place(const Step *a, const Step *b);

/* Writes the name of a step as a claim has it, such as enc1.A^2. */
void step_name(char *to, size_t size, const Step *step);

/* Writes the name of a step as it is shown, such as Ṽ, A^2 or
   10.6 layer2.X, and returns it. */
const char *step_label(char to[100], const Run *run, const Step *step);

/* Prints the place of a step, behind "index": in JSON. */
void json_place(FILE *out, const Step *step);

/* Returns what a step is, such as "A = softmax(S / √d_attn)"; where placed,
   with its place before it, such as "line 6, h = 2: ". It belongs to the
   arena. */
const char *step_text(Arena *arena, const Run *run, const Step *step,
                      bool placed);

/* Prints the text of a step, placed, with its formula between quotes. */
void print_step_text(FILE *out, const Run *run, const Step *step,
                     const char *quote);

/* Returns the size of the numbers of which a step is a sum, for clear_noise;
   0 where a tiny number may be no noise: e^x, a probability, a given step. */
double step_size(const Step *step);

/* Returns whether a step is made of distributions. */
bool sums_to_1(const Step *step);

/* Returns whether it is line 5 of Algorithm 4, and its mask is 1
   everywhere. */
bool mask_is_1(const Run *run, const Step *step);

/* Writes algorithm, layout, and what the layout means, and returns it. */
enum { TITLE_BYTES = 800 };
const char *run_title(char to[TITLE_BYTES], const Run *run);
#endif
