/* course/course.h: the commands of the course. */
#ifndef FTX_COURSE_H
#define FTX_COURSE_H
#include "cli/command.h"

/* `ftx exercise` prints a sheet to fill in. */
CommandMain exercise;

/* `ftx trials` prints what a grader asks of an algorithm; `ftx steps` prints
   the steps of a sheet as numbers, which is the answer. */
CommandMain trials, steps;
#endif
