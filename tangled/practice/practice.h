/* Practice: what is put around the fifteen algorithms. */
#ifndef FTX_PRACTICE_H
#define FTX_PRACTICE_H
#include "practice/inference.h"
#include "practice/trainer.h"
#include "practice/variants.h"
#endif
