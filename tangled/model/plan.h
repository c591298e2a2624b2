/* What is trained and how, as options.

   Main types: Task, Plan. Entry points: hyper_options, plan_options. In go
   what was typed; out come hyperparameters and a plan that are checked. */
#ifndef FTX_PLAN_H
#define FTX_PLAN_H
#include "practice/practice.h"
#include "cli/command.h"

/* What is trained: Algorithms 8, 9, 10; and 9 with a class head. */
typedef enum { TRAIN_ED, TRAIN_E, TRAIN_D, TRAIN_CLASS } Task;

/* Sets the task that a word of `ftx train` names; false: it names none. */
bool task_of(const char *word, Task *task);

/* Returns that word. */
const char *task_name(Task task);

/* The hyperparameters as options, in two tables: what an architecture may
   be given, and what its data decide: architecture, N_V and N_C. */
extern const Option hyper_options[], size_options[];

/* Returns the hyperparameters for a first try; d_mlp 0 stands for 4 d_e. */
Hyperparameters hyper_default(Task task);

/* Fills in d_mlp. What is wrong ends the attempt. */
void hyper_check(Error *f, Hyperparameters *hyper);

/* Refuses an option, among the n that parse_options has left, that the task
   has no use for. */
void refuse_idle_hyper(Error *f, Task task, int n, char *const argument[]);

/* How a model is trained: what `ftx train` was told. */
typedef struct {
    Training how;               /* but for its seed                       */
    int seed, steps;            /* steps 0: all of N_epochs               */
    int patience;               /* epochs; 0: any                         */
    Initialisation initialise;
    double held_out;            /* this part of the data                  */
    TokenKind tokens;
    int merges;
} Plan;
extern const Option plan_options[];

/* Returns the plan for a first try, or the paper as printed. */
Plan plan_default(bool as_printed);

/* What is wrong with a plan ends the attempt. */
void plan_check(Error *f, Task task, Plan *plan);

/* Refuses an option of the plan that the task has no use for. */
void refuse_idle_plan(Error *f, Task task, const Plan *plan, int n,
                      char *const argument[]);
#endif
