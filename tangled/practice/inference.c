/* Algorithms 14 and 15 [PH22] in practice. */
#include "practice/practice.h"
#include <string.h>

/* Returns how many tokens Algorithm 15 may sample: ell_gen; ell_max for 0. */
static int translation_bound(int ell_gen, const Theta *theta)
{
    int ell_max = theta->hyper.ell_max;
    REQUIRE(0 <= ell_gen && ell_gen <= ell_max,
            "ell_gen = %d; it must be in 0 ... ell_max = %d.",
            ell_gen, ell_max);
    return ell_gen == 0 ? ell_max : ell_gen;
}

Mat sampling_distribution(Mat p, bool eos_ends, const Inference *how)
{
    if (how->no_special)
        p = exclude_special(p, eos_ends);
    Mat q = tempered(p, how->tau);
    q = restrict_top_k(q, how->top_k);
    return restrict_top_p(q, how->top_p);
}

static double next_number(const Inference *how)
{
    REQUIRE(how->tau == 0 || how->random != NULL,
            "a token shall be drawn, but there are no random numbers.");
    return how->random == NULL ? 0 : uniform(how->random);
}

static bool report_token(const Inference *how, int y)
{
    return how->on_token == NULL || how->on_token(how->to, y);
}

/* Returns the end of x that the model sees: half of ell_max tokens leave the
   front until the rest is at most ell_max long. */
static Tokens visible_tokens(Tokens x, int ell_max)
{
    int first = 1;
    while (x.length - first >= ell_max)
        first += (ell_max + 1) / 2;
    return slice(x, first, x.length);
}

static Tokens copy_tokens(Arena *arena, Tokens x, int more)
{
    size_t n = (size_t)x.length;
    int *id = arena_alloc(arena, (n + (size_t)more) * sizeof *id);
    return (Tokens){ x.length, memcpy(id, x.id, n * sizeof *id) };
}

static Tokens append_in_place(Tokens x, int y)   /* there is room behind it */
{
    ((int *)x.id)[x.length] = y;
    return (Tokens){ x.length + 1, x.id };
}

Tokens inference_14(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                    const Inference *how)
{
    REQUIRE(x.length >= 1, "the prompt is empty.");
    REQUIRE(how->ell_gen >= 0, "ell_gen = %d; it must not be negative.",
            how->ell_gen);
    int ell = x.length, eos = eos_token(theta->hyper.N_V);
    bool continues = true;
    x = copy_tokens(arena, x, how->ell_gen);
    kv_cache_clear(how->kv_cache);
    size_t start = tape_mark(tape);
    for (int i = 1; i <= how->ell_gen && continues; i++) {
        Tokens seen = visible_tokens(x, theta->hyper.ell_max);
        Tokens new = kv_cache_unseen(how->kv_cache, seen);
        Mat P = see(dtransformer(tape, new, theta), "14.3", "P");
        Mat p = see(column_at(P, P->cols), "14.4", "p");
        Mat q = sampling_distribution(p, how->stop_at_eos, how);
        q = see(q, "14.5", "q");
        int y = sample(q, next_number(how));
        x = append_in_place(x, y);
        continues = report_token(how, y) && !(how->stop_at_eos && y == eos);
        tape_release(tape, start, NULL);
    }
    return slice(x, ell + 1, x.length);
}

Tokens inference_15(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                    const Inference *how, bool *ended)
{
    int N_V = theta->hyper.N_V, bos = bos_token(N_V), y = 0;
    int bound = translation_bound(how->ell_gen, theta);
    bool continues = true;
    Tokens x = copy_tokens(arena, (Tokens){ 1, &bos }, bound);
    kv_cache_clear(how->kv_cache);
    size_t start = tape_mark(tape);
    Mat Z = encode(tape, z, theta);
    size_t turn = tape_mark(tape);
    while (y != eos_token(N_V) && x.length <= bound && continues) {
        Mat known = kv_cache_context(how->kv_cache, Z);
        Tokens new = kv_cache_unseen(how->kv_cache, x);
        Mat P = see(decode(tape, known, new, theta), "15.4", "P");
        Mat p = see(column_at(P, P->cols), "15.5", "p");
        Mat q = see(sampling_distribution(p, true, how), "15.6", "q");
        y = sample(q, next_number(how));
        x = append_in_place(x, y);
        continues = report_token(how, y);
        tape_release(tape, turn, NULL);
    }
    tape_release(tape, start, NULL);
    if (ended != NULL)
        *ended = y == eos_token(N_V);
    return x;
}
