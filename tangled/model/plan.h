/* model/plan.h: what is trained and how, as options of a command and lines of
   a model file.
   Main types Task and Plan; entry points hyper_options and plan_options. What
   was typed flows in; hyperparameters and a plan flow out, checked. */
#ifndef FTX_PLAN_H
#define FTX_PLAN_H
#include "cli/command.h"
#include "practice/practice.h"

/* What is trained: Algorithms 8, 9, 10; and 9 with a class head. */
typedef enum { TRAIN_ED, TRAIN_E, TRAIN_D, TRAIN_CLASS } Task;

/* Sets the task that a word of `ftx train` names; false if it names none. */
bool task_of(const char *word, Task *task);

/* Returns that word. */
const char *task_name(Task task);

/* Options that set Hyperparameters. The first OF_DATA are what data decide:
   architecture, N_V and N_C. */
extern const Option hyper_options[];
enum { OF_DATA = 3 };

/* Returns the hyperparameters for a first try; d_mlp 0 stands for 4 d_e. */
Hyperparameters hyper_default(Task task);

/* Fills in d_mlp. Gives up if something is wrong. */
void hyper_check(Error *f, Hyperparameters *hyper);

/* Gives up if one of the options that parse_options left is a hyperparameter
   that models of the task do not have. */
void refuse_unused_hyper(Error *f, Task task, char *const option[]);

/* How a model is trained. */
typedef struct {
    Training how;               /* but for its seed                       */
    int seed, steps;            /* steps 0: all of N_epochs               */
    Initialisation initialise;
    double held_out;            /* this part of the data                  */
    TokenKind tokens;
    int merges;
} Plan;

/* Options that set a Plan, and the last of them, which are about tokens. */
extern const Option plan_options[], *const token_options;

/* Returns the plan for a first try, or the paper as printed. */
Plan plan_default(bool as_printed);

/* Copies the seed to where the trainer reads it. Gives up if something is
   wrong. */
void plan_check(Error *f, Task task, Plan *plan);
#endif
