/* Watching a run, and what it does differently from the paper.
   An Observer is shown each value that an algorithm names and may answer
   with another; Settings are numbers that are not passed through the
   algorithms. Both belong to a tape. */
#ifndef OBSERVE_H
#define OBSERVE_H
#include "ftx.h"

/* Is called with each value that an algorithm names: the line, such as
   "4.1"; the name, such as "Q"; and the matrix. Returns the matrix, or
   another on the same tape that takes its place. For the index of a loop M
   is NULL, and what is returned is not used. to is what observe was given. */
typedef Mat Observer(void *to, const char *line, const char *name,
                     Mat M, int index);

/* Adds an observer behind those of the tape; each is shown what the one
   before it has returned. There are at most 8. */
void observe(Tape *tape, Observer *observer, void *to);

/* Takes the last observer away. */
void unobserve(Tape *tape);

/* What a run does differently. Where all is 0 it is the paper. */
typedef struct {
    double epsilon;         /* under the root of line 6.3 (E3)           */
    bool tanh_gelu;         /* GPT-2's approximation of GELU (E29)       */
    bool scaled_embedding;  /* W_e[:, v] times the root of d_e: Vaswani  */
    double smoothing;       /* of labels, in log_prob                    */
    bool in_place;          /* nobody looks back at scores and sums that
                               are masked, scaled or activated           */
    bool defers;            /* gradients of parameters: reduce_gradient  */
    int past;               /* tokens that stand before the first column,
                               in a KV cache                             */
} Settings;

/* Returns the settings of the tape, which can be changed. */
Settings *settings(Tape *tape);

/* Runs the algorithms as printed from now on: without observers, and with
   all settings 0. */
void run_as_printed(Tape *tape);

#endif
