/* Beam search: more than one beginning of a translation at a time. */
#include "practice/practice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beginning number k of the beam and a token behind it; 0: none. */
typedef struct { int k, y, place; double log_p, score; } Candidate;

static double score_of(double log_p, int n, double alpha)
{
    return log_p / pow(n, alpha);
}

/* Puts candidates behind the first c; how many there are then. */
static int extend_hypothesis(Mat p, const Hypothesis *h, int k,
                             const Beam *how, Candidate candidate[], int c)
{
    int n = p->rows - (how->no_special ? 2 : 0);
    n = how->B < n ? how->B : n;
    int *y = arena_alloc(tape_arena(p->tape), (size_t)n * sizeof *y);
    int *one = arena_alloc(tape_arena(p->tape), (size_t)n * sizeof *one);
    for (int m = 0; m < n; m++)
        one[m] = 1;
    rank_tokens(p, n, y);
    Mat log_p = log_prob(p, ((Tokens){ n, y }), ((Tokens){ n, one }));
    for (int m = 0; m < n; m++, c++) {
        double sum = h->log_p + AT(log_p, 1, m + 1);
        double score = score_of(sum, h->x.length, how->alpha);
        candidate[c] = (Candidate){ k, y[m], c, sum, score };
    }
    return c;
}

static int compare_scores(const void *a, const void *b)
{
    const Candidate *c = a, *d = b;
    if (c->score != d->score)
        return c->score > d->score ? -1 : 1;
    return c->place - d->place;
}

/* What a candidate stands for. */
static Hypothesis apply_candidate(Arena *arena, const Hypothesis *h,
                                  const Candidate *c, int eos)
{
    if (c->y == 0)
        return *h;
    int n = h->x.length;
    int *id = arena_alloc(arena, ((size_t)n + 1) * sizeof *id);
    memcpy(id, h->x.id, (size_t)n * sizeof *id);
    id[n] = c->y;
    return (Hypothesis){ { n + 1, id }, c->log_p, c->y == eos };
}

/* All candidates behind the n beginnings of the beam; how many. */
static int collect_candidates(Tape *tape, Mat Z, const Theta *theta,
                              const Beam *how, const Hypothesis beam[], int n,
                              Candidate candidate[])
{
    int c = 0;
    for (int k = 0; k < n; k++) {
        const Hypothesis *h = &beam[k];
        if (h->ended) {
            double score = score_of(h->log_p, h->x.length - 1, how->alpha);
            candidate[c] = (Candidate){ k, 0, c, h->log_p, score };
            c++;
            continue;
        }
        Mat P = decode(tape, Z, h->x, theta), p = column_at(P, P->cols);
        if (how->no_special)
            p = exclude_special(p, true);
        c = extend_hypothesis(p, h, k, how, candidate, c);
    }
    return c;
}

/* Every beginning is continued, and the best stay; how many. */
static int advance_beam(Tape *tape, Arena *arena, Mat Z, const Theta *theta,
                        const Beam *how, Hypothesis beam[], int n)
{
    Arena *scratch = tape_arena(tape);
    size_t bytes = (size_t)n * sizeof *beam;
    size_t most = (size_t)n * (size_t)how->B;
    Hypothesis *old = memcpy(arena_alloc(scratch, bytes), beam, bytes);
    Candidate *candidate = arena_alloc(scratch, most * sizeof *candidate);
    int c = collect_candidates(tape, Z, theta, how, old, n, candidate);
    qsort(candidate, (size_t)c, sizeof *candidate, compare_scores);
    n = c < how->B ? c : how->B;
    for (int k = 0; k < n; k++)
        beam[k] = apply_candidate(arena, &old[candidate[k].k], &candidate[k],
                              eos_token(theta->hyper.N_V));
    return n;
}

int beam_search(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                const Beam *how, Hypothesis best[])
{
    REQUIRE(how->B >= 1, "B = %d; it must be at least 1.", how->B);
    int bound = translation_bound(how->ell_gen, theta), n = 1;
    int *bos = arena_alloc(arena, sizeof *bos);
    *bos = bos_token(theta->hyper.N_V);
    best[0] = (Hypothesis){ { 1, bos }, 0, false };
    Mat Z = encode(tape, z, theta);
    Mark start = tape_mark(tape);
    for (int i = 1; i <= bound; i++) {
        n = advance_beam(tape, arena, Z, theta, how, best, n);
        tape_release(start, NULL);
    }
    return n;
}
