/* Sequences as they are made for training. */
#ifndef TOKENS_H
#define TOKENS_H
#include "ftx.h"

/* Returns x between bos_token and eos_token. */
Tokens with_bos_eos(Arena *arena, Tokens x, int N_V);

/* Cuts x into *n chunks of ell_max >= 1 tokens, the last of what is left
   (E19). Returns them: chunk[1] ... chunk[*n], views of x. */
const Tokens *chunks(Arena *arena, Tokens x, int ell_max, int *n);

#endif
