/* practice/relative.h: relative positions, as an observer of the heads of
   Algorithm 10. Entry point observe_relative_positions: the parameters W_r,
   u, v and R flow in, a tape whose scores have the distances comes out. */
#ifndef FTX_RELATIVE_H
#define FTX_RELATIVE_H
#include "ftx.h"

/* Returns the scores of all distances, D[n + 1, t_x] for distance n,
   arranged by token. D is ell_z x ell_x, ell_x <= ell_z, on a tape; its
   columns are the last ell_x of ell_z tokens. Where the token t_z is later
   than the query the result is 0. Another shape is refused. */
#define by_token(...)    CALL(by_token, #__VA_ARGS__, __VA_ARGS__)
Mat by_token_(Where where, Mat D);

/* Gives the heads of Algorithm 10 on this tape the relative positions of
   theta, which has W_r, u, v and R. What the observer needs is in the
   arena. (Dai et al. 2019, Section 3.3.) */
void observe_relative_positions(Arena *arena, Tape *tape, const Theta *theta);

#endif
