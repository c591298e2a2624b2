/* Algorithms 14 and 15 [PH22] in practice. */
#include "practice/practice.h"
#include <string.h>

Mat sampling_distribution(Mat p, bool eos_ends, const Inference *how)
{
    if (how->no_special)
        p = exclude_special(p, eos_ends);
    Mat q = tempered(p, how->tau);
    q = restrict_top_k(q, how->top_k);
    return restrict_top_p(q, how->top_p);
}

/* Samples a token from the last column of P, p at the first line and q at the
   second, and appends it to x, where there is room for it. Returns whether
   the text goes on. */
static bool sample_next(Mat P, const char *line_p, const char *line_q,
                        bool eos_ends, const Inference *how, Tokens *x)
{
    Mat p = see(column_at(P, P->cols), line_p, "p");
    Mat q = see(sampling_distribution(p, eos_ends, how), line_q, "q");
    REQUIRE(how->tau == 0 || how->random != NULL,
            "a token shall be drawn, but there are no random numbers.");
    int y = sample(q, how->random == NULL ? 0 : uniform(how->random));
    ((int *)x->id)[x->length++] = y;
    return (how->on_token == NULL || how->on_token(how->to, y))
        && !(eos_ends && y == eos_token(P->rows));
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

Tokens inference_14(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                    const Inference *how)
{
    REQUIRE(x.length >= 1, "the prompt is empty.");
    REQUIRE(how->ell_gen >= 0, "ell_gen = %d; it must not be negative.",
            how->ell_gen);
    const int ell = x.length;
    bool continues = true;
    x = copy_tokens(arena, x, how->ell_gen);
    kv_cache_clear(how->kv_cache);
    size_t start = tape_mark(tape);
    for (int i = 1; i <= how->ell_gen && continues; i++) {
        Tokens seen = visible_tokens(x, theta->hyper.ell_max);
        Tokens new = kv_cache_unseen(how->kv_cache, seen);
        Mat P = see(dtransformer(tape, new, theta), "14.3", "P");
        continues = sample_next(P, "14.4", "14.5", how->stop_at_eos, how,
                                &x);
        tape_release(tape, start, NULL);
    }
    return slice(x, ell + 1, x.length);
}

Tokens inference_15(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                    const Inference *how, bool *ended)
{
    int N_V = theta->hyper.N_V, ell_max = theta->hyper.ell_max;
    int bos = bos_token(N_V);
    REQUIRE(0 <= how->ell_gen && how->ell_gen <= ell_max,
            "ell_gen = %d; it must be in 0 ... ell_max = %d.",
            how->ell_gen, ell_max);
    int bound = how->ell_gen == 0 ? ell_max : how->ell_gen;
    bool continues = true;
    Tokens x = copy_tokens(arena, (Tokens){ 1, &bos }, bound);
    kv_cache_clear(how->kv_cache);
    size_t start = tape_mark(tape);
    Mat Z = encode(tape, z, theta);
    size_t turn = tape_mark(tape);
    while (x.length <= bound && continues) {
        Mat known = kv_cache_context(how->kv_cache, Z);
        Tokens new = kv_cache_unseen(how->kv_cache, x);
        Mat P = see(decode(tape, known, new, theta), "15.4", "P");
        continues = sample_next(P, "15.5", "15.6", true, how, &x);
        tape_release(tape, turn, NULL);
    }
    tape_release(tape, start, NULL);
    if (ended != NULL)
        *ended = TOKEN(x, x.length) == eos_token(N_V);
    return x;
}
