/* Binding: what stands on a sheet, and what stands in for what does not.

   Entry points: check_items, all_fit, bind_matrix. What is wrong ends the
   attempt with the place in the sheet. */
#ifndef FTX_BIND_H
#define FTX_BIND_H
#include "sheet/job.h"

/* The argument of that name; NULL: the algorithm does not take it. */
const Argument *argument_of(const Job *job, const char *name);

/* The item that gives this name, of a head or of none; NULL: none does. */
const Item *find_item(const Job *job, const char *name, int head);

/* The same; where there is none it is refused, unless the sheet starts
   late: then it is NULL. */
const Item *require_item(const Job *job, const char *name, int head);

/* Whether any of the names, with blanks between them, is given. */
bool is_any_given(const Job *job, const char *names);

/* Notes for the first line of a report what is assumed, such as "b_q = 0".
   In a run that starts late, note_assumption notes nothing:
   note_used_assumption is called for what is used. */
void note_assumption(Job *job, const char *name, const char *what);
void note_used_assumption(Job *job, const char *name, const char *what);

/* The number that is given under a name, or `instead`. Out of its range, or
   not a number, it is refused. */
double number_given(const Job *job, const char *name, double instead);

/* The same for an integer of 1 ... most; range is said behind that. */
int integer_given(const Job *job, const char *name, int instead, int most,
                  const char *range);

/* Which of the words, with blanks between them, is given, from 1; 0: none
   is. Another word is refused. */
int word_given(const Job *job, const char *name, const char *words);

/* The part of a model that a line belongs to. */
Part part_of_line(int algorithm, int line);

/* The letter of this run for a letter of a row: d_out of a head is d_mid in
   a model. */
const char *letter_of(const Job *job, const StepRow *row,
                      const char *letter, Part part);

/* Refuses an item that may be of any of three attentions. */
_Noreturn void refuse_which_attention(const Job *job, const Item *item);

/* Finds out for each item whether it is an argument or a step. */
void check_items(Job *job);

/* Whether each head of the algorithm has its own matrix of this name. */
bool is_per_head(const Job *job, const char *name);
#endif
