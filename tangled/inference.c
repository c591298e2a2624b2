/* What Algorithms 14 and 15 [PH22] have in common. */
#include "ftx.h"

void refuse_wrong_inference(const Inference *how)
{
    REQUIRE(how->tau >= 0, "tau = %g; it must be from 0 to infinity.",
            how->tau);
    REQUIRE(how->tau == 0 || how->chance.next != NULL,
            "a token shall be drawn, but there is no chance.");
}

int translation_bound(int ell_gen, const Theta *theta)
{
    int ell_max = theta->hyper.ell_max;
    REQUIRE(theta->hyper.architecture == ED_TRANSFORMER,
            "theta belongs to another architecture.");
    REQUIRE(0 <= ell_gen && ell_gen <= ell_max,
            "ell_gen = %d; it must be in 0 ... ell_max = %d.",
            ell_gen, ell_max);
    return ell_gen == 0 ? ell_max : ell_gen;
}

Mat drawn_from(Mat p, bool eos_ends, const Inference *how)
{
    if (how->no_special)
        p = without_special(p, eos_ends);
    Mat q = tempered(p, how->tau);
    q = top_k_of(q, how->top_k);
    return top_p_of(q, how->top_p);
}

double next_number(const Inference *how)
{
    const Chance *chance = &how->chance;
    return chance->next == NULL ? 0 : chance->next(chance->from);
}

bool heard(const Inference *how, int y)
{
    return how->told == NULL || how->told(how->to, y);
}

Tokens in_sight(Tokens x, const Theta *theta, const Inference *how)
{
    int over = x.length - theta->hyper.ell_max, slide = how->slide;
    if (slide == 0 || over <= 0)
        return x;
    int gone = (over + slide - 1) / slide * slide;
    Tokens rest = { x.length - gone, x.id + gone };
    if (rest.length <= tokens_seen(theta))
        theta_forget(theta);
    return rest;
}
