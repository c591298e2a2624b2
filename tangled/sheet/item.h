/* Items: what is given on a sheet, by its name. Main types: Job, Item. Entry
   points: check_items, find_item, number_given. Items flow in; arguments,
   given steps, numbers and words flow out. What is wrong is refused with its
   place in the sheet. */
#ifndef FTX_ITEM_H
#define FTX_ITEM_H
#include "sheet/job.h"

/* Lists what is given: for each item that is no claim, whether it is an
   argument or a step, and its place. Counts the heads. */
void check_items(Job *job);

/* Makes room for more of what is given, and for the empty one at the end. */
void make_room(Job *job, int more);

/* Returns whether each head has an argument of its own. */
bool is_of_head(const Job *job, const Argument *a);

/* Returns the item that gives this name, of no head; or NULL. */
const Item *find_item(const Job *job, const char *name);

/* As find_item, but of a head or in a list: from 1; the first may have no
   number. */
const Item *find_of_head(const Job *job, const char *name, int head);

/* As find_of_head; but where there is none, that is refused, unless the sheet
   starts late. */
const Item *require_of_head(const Job *job, const char *name, int head);

/* Returns whether any of the names, with blanks between them, is given. */
bool is_any_given(const Job *job, const char *names);

/* Notes "name = what", such as "b_q = 0", for the first line of a report, as
   assumed, once; unless the sheet gives the name. */
void note_assumption(Job *job, const char *name, const char *what);

/* Returns the number that is given under a name, or which of its words, from
   1; `instead`: nothing is. */
double number_given(const Job *job, const char *name, double instead);

/* Returns whether any entry of the item is -inf, as it may be only in masked
   scores and in a mask that is added to scores. */
bool hides(const Item *item);
#endif
