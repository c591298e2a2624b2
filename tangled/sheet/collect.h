/* Running: the observer that makes steps of what a listing names.

   Entry points: collect_step, the observer; run_component, run_transformer,
   which run Algorithms 1 to 7 and 8 to 15. */
#ifndef FTX_COLLECT_H
#define FTX_COLLECT_H
#include "sheet/shape.h"

/* The observer of a run: makes a step of each value, and answers with what
   the sheet gives for it or a variation makes of it. */
Mat collect_step(void *to, const char *line, const char *name, Mat M,
                 int index);

/* Returns the matrix given under that name for a step's head and layer; the
   latest value of a role in this turn; the latest X or Z of a model, or, for
   a context, Z. NULL: there is none. */
Mat given_beside(const Job *job, const Step *step, const char *name);
Mat latest_value(const Job *job, Role role);
const Seen *latest_flow(const Job *job, bool context);

/* A copy of M in the arena of the run, transposed if turn is true. */
Mat copy_matrix(Job *job, Mat M, bool turn);

/* Adds a step that is a row of n integers, if they are known. */
void add_integers(Job *job, Step step, int n, const int *number, bool known);

/* Runs backward from the step where gradients begin, and adds them. */
void collect_gradients(Job *job);

/* Refuses a sheet one of whose steps would have too many entries. */
void limit_sizes(const Job *job);

/* Keeps what the algorithm returned, unless it is not known. */
void keep_result(Job *job, Mat M);

/* Sets the tape for theta, and lets the run observe it. */
void observe_run(Job *job, const Theta *theta);

/* How many heads the sheet has; the length of its longest sequence of
   tokens; whether the algorithm is a training. */
int given_heads(const Job *job);
int longest_sequence(const Job *job);
bool is_training(const Job *job);

/* With 'tied yes' refuses W_u, and notes that it is W_e. */
void check_tied(Job *job);

/* Binds what Algorithms 1 to 7, or 8 to 15, take from the sheet. */
void bind_component(Job *job);
void bind_transformer(Job *job);

/* Runs Algorithms 1 to 7, or 8 to 15, on what is bound. */
void run_component(Job *job);
void run_transformer(Job *job);
#endif
