/* What sampling needs of a distribution. */
#ifndef SAMPLING_H
#define SAMPLING_H
#include "ftx.h"

/* Returns log p[v], but for a constant that is the same for all v. */
double log_of(Mat p, int v);

#endif
