/* theta: the list of its parameters, their memory and initial values.
   A Theta is made by theta_new from hyperparameters, gets numbers by
   theta_allocate, and initial values by theta_initialise.
   Whoever walks through all parameters walks through theta->parameter. */
#ifndef PARAMETERS_H
#define PARAMETERS_H
#include "ftx.h"

/* Where in a model something is: in no layer, in one of Algorithms 9 and
   10, of the encoder, of the decoder, or in its cross-attention. */
typedef enum { NOWHERE, LAYER, ENC, DEC, ED } Part;

/* A parameter of theta: its name, its shape, and where theta has it. */
typedef struct Parameter {
    char name[40];                  /* such as layer[2].W.head[1].W_q     */
    const char *symbol;             /* W_q                                */
    Part part;                      /* LAYER ...                          */
    int layer, head;                /* ... 2, 1; 0: in none               */
    int rows, cols;
    Mat *place;
} Parameter;

/* Writes its name without numbers: layer[l].W.head[h].W_q. */
void parameter_kind(const Parameter *p, char kind[40]);

/* Returns what is wrong with hyperparameters, a sentence; or NULL. */
const char *hyperparameters_error(const Hyperparameters *hyper);

/* Returns theta with its list of parameters but without numbers: every Mat
   is NULL. Wrong hyperparameters are refused. */
Theta *theta_new(Arena *arena, const Hyperparameters *hyper);

/* Gives every parameter its numbers, one parameter behind the other, and no
   gradient; or with NULL zeros and a gradient, in the arena. Positions that
   are not learned get their values. */
void theta_allocate(Theta *theta, Arena *arena, real *numbers);

/* Returns how many numbers there are to learn. */
long long theta_count(const Theta *theta);

/* Sets all gradients to 0. */
void theta_clear_gradient(const Theta *theta);

/* Schemes of initial values. */
typedef enum { XAVIER, NORMAL_002, GPT2 } Initialisation;

/* Sets every parameter to its initial value: gammas 1, betas, biases, u and
   v 0, weights at random by the scheme. */
void theta_initialise(Theta *theta, Initialisation scheme, Random *random);

#endif
