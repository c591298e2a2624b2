/* Algorithm 5 [PH22]: multi-head attention. */
#include "ftx.h"

Mat mhattention(Mat X, Mat Z, const W_multi *w, Mask mask)
{
    REQUIRE(w->H >= 1, "H = %d: there must be a head.", w->H);
    REQUIRE(X->tape != NULL,
            "X is on no tape; make it an input(tape, rows, cols).");
    Mat *head = arena_alloc(tape_arena(X->tape),
                            (size_t)w->H * sizeof *head);
    for (int h = 1; h <= w->H; h++) {
        SEE_INDEX(X->tape, 5.1, h);
        Mat Y_h = attention(X, Z, &w->head[h], mask);   SEE(5.2, Y_h);
        head[h - 1] = Y_h;
    }
    Mat Y  = stack(w->H, head);                         SEE(5.3, Y);
    Mat Vt = affine(w->W_o, Y, w->b_o);                 SEE(5.4, Vt);
    return Vt;                                          // 5.4
}
