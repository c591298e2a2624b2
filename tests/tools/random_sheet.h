/* Sheets of Algorithms 1 to 7 that chance writes: the problem as numbers, for
   the oracle and its slips, and the text of its sheet. */
#ifndef RANDOM_SHEET_H
#define RANDOM_SHEET_H
#include "sheets.h"

enum { WIDEST = 9 };           /* H d_mid */
typedef struct { int rows, cols; double at[WIDEST][WIDEST]; } Small;

#define EACH(M, i, j) \
    for (int i = 0; i < (M).rows; i++) for (int j = 0; j < (M).cols; j++)

static inline Small turned_over(Small M)
{
    Small T = { M.cols, M.rows, { { 0 } } };
    EACH(M, i, j)
        T.at[j][i] = M.at[i][j];
    return T;
}

static inline bool is_finite(double x)
{
    return isfinite(x);
}

static inline bool all_are(Small M, bool (*is)(double x))
{
    bool all = M.rows > 0;
    EACH(M, i, j)
        all &= is(M.at[i][j]);
    return all;
}

/* What a sheet gives: of tokens, a weight, a vector; head 0: of none. */
typedef struct {
    const char *name;
    enum { TOKENS_OF, WEIGHT_OF, VECTOR_OF } kind;
    int head;
    Small M;
} Thing;

typedef struct {
    int algorithm;
    const Layout *layout;
    const char *mask;           /* "none", "causal", "matrix"             */
    bool scaled, rms, tied;
    double epsilon;
    int decimals;               /* of what is given                       */
    int t, d_e, ell_max;        /* of an embedding; d_e: computed         */
    double base, first;
    bool paper;
    char words[200];            /* lines of the sheet that are no matrix  */
    int n;
    Thing thing[30];
} Problem;

/* ------------------------------------------------------- random problems */

/* Small integers or, at times, numbers with so many decimals. */
static inline Small random_small(int rows, int cols, int decimals)
{
    Small M = { rows, cols, { { 0 } } };
    int unit = decimals > 1 || chance(3) ? (int)pow(10, decimals) : 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            M.at[i][j] = unit == 1 ? pick(-2, 3)
                       : pick(-3 * unit / 2, 2 * unit) / (double)unit;
    return M;
}

static inline const Thing *thing_of(const Problem *p, const char *name, int head)
{
    for (int k = 0; k < p->n; k++)
        if (strcmp(p->thing[k].name, name) == 0 && p->thing[k].head == head)
            return &p->thing[k];
    return NULL;
}

static inline Thing *give_thing(Problem *p, const char *name, int kind,
                                int head, int rows, int cols)
{
    Thing *t = &p->thing[p->n++];
    t->name = name;
    t->kind = kind == WEIGHT_OF ? WEIGHT_OF
            : kind == VECTOR_OF ? VECTOR_OF : TOKENS_OF;
    t->head = head;
    t->M = random_small(rows, cols, p->decimals);
    return t;
}

static inline void add_word(Problem *p, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static inline void add_word(Problem *p, const char *format, ...)
{
    size_t n = strlen(p->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->words + n, sizeof p->words - n, format, arguments);
    va_end(arguments);
}

static inline void random_mask(Problem *p, int ell_z, int ell_x)
{
    static const char *const kinds[] = { "none", "causal", "matrix" };
    p->mask = kinds[ell_x == ell_z ? pick(0, 2) : 2 * pick(0, 1)];
    if (*p->mask != 'm') {
        add_word(p, "mask %s\n", p->mask);
        return;
    }
    Small *M = &give_thing(p, "mask", TOKENS_OF, 0, ell_z, ell_x)->M;
    for (int j = 0; j < ell_x; j++) {
        for (int i = 0; i < ell_z; i++)
            M->at[i][j] = pick(0, 1);
        M->at[pick(0, ell_z - 1)][j] = 1;
    }
}

static inline void random_weights(Problem *p, int head, int d_x, int d_z,
                               int d_attn, int d_out)
{
    give_thing(p, "W_q", WEIGHT_OF, head, d_attn, d_x);
    give_thing(p, "W_k", WEIGHT_OF, head, d_attn, d_z);
    give_thing(p, "W_v", WEIGHT_OF, head, d_out, d_z);
    if (chance(2))
        give_thing(p, "b_q", VECTOR_OF, head, d_attn, 1);
    if (chance(2))
        give_thing(p, "b_k", VECTOR_OF, head, d_attn, 1);
    if (chance(2))
        give_thing(p, "b_v", VECTOR_OF, head, d_out, 1);
}

static inline void random_attention(Problem *p)
{
    bool square = chance(2), five = p->algorithm == 5;
    int H = five ? pick(2, 3) : 1, d_x = pick(2, 3),
        d_z = square || chance(2) ? d_x : pick(1, 3),
        d_attn = square ? d_x : pick(1, 4),
        d_mid = square ? d_x : pick(1, five ? 2 : 3),
        ell_x = chance(3) ? d_x : pick(2, 4),
        ell_z = chance(2) ? ell_x : pick(2, 4);
    bool cross = chance(2);
    if (p->algorithm == 3) {
        give_thing(p, "e", VECTOR_OF, 0, d_x, 1);
        give_thing(p, "e_t", TOKENS_OF, 0, d_x, ell_z);
        random_weights(p, 0, d_x, d_x, d_attn, d_mid);
    } else {
        give_thing(p, "X", TOKENS_OF, 0, d_x, ell_x);
        if (cross)
            give_thing(p, "Z", TOKENS_OF, 0, d_z, ell_z);
        d_z = cross ? d_z : d_x;
        for (int h = 1; h <= H; h++)
            random_weights(p, five ? h : 0, d_x, d_z, d_attn, d_mid);
        random_mask(p, cross ? ell_z : ell_x, ell_x);
    }
    if (five) {
        int d_out = chance(2) && H * d_mid < WIDEST ? H * d_mid
                  : chance(2) ? d_mid : pick(1, 3);
        give_thing(p, "W_o", WEIGHT_OF, 0, d_out, H * d_mid);
        if (chance(2))
            give_thing(p, "b_o", VECTOR_OF, 0, d_out, 1);
    }
    p->scaled = !chance(8);
    add_word(p, p->scaled ? "scale yes\n" : "scale no\n");
}

static inline void random_norm(Problem *p)
{
    static const double epsilons[] = { 0, 0.001, 0.01, 0.1, 1 };
    int d_e = pick(2, 4);
    p->rms = chance(4);
    p->epsilon = epsilons[pick(0, 4)];
    add_word(p, "epsilon %g\n%s", p->epsilon, p->rms ? "norm rms\n" : "");
    give_thing(p, "e", TOKENS_OF, 0, d_e, chance(2) ? d_e : pick(1, 4));
    if (chance(2))
        give_thing(p, "gamma", VECTOR_OF, 0, d_e, 1);
    if (!p->rms && chance(2))
        give_thing(p, "beta", VECTOR_OF, 0, d_e, 1);
}

static inline void random_unembedding(Problem *p)
{
    int d_e = pick(2, 4), N_V = chance(2) ? d_e : pick(2, 5);
    p->tied = chance(4);
    give_thing(p, "e", TOKENS_OF, 0, d_e, pick(1, 3));
    if (p->tied) {
        add_word(p, "tied yes\n");
        give_thing(p, "W_e", TOKENS_OF, 0, d_e, N_V);
    } else
        give_thing(p, "W_u", WEIGHT_OF, 0, N_V, d_e);
}

static inline void random_embedding(Problem *p)
{
    int d_e = 2 * pick(1, 3), n = chance(2) ? d_e : pick(3, 6),
        t = p->t = pick(1, n);
    if (p->algorithm == 1 || chance(3)) {
        give_thing(p, p->algorithm == 1 ? "W_e" : "W_p", TOKENS_OF, 0, d_e, n);
        add_word(p, "%s = %d\n", p->algorithm == 1 ? "v" : "t", t);
        return;
    }
    p->d_e = d_e, p->ell_max = n + 2, p->paper = chance(2);
    p->base = p->paper ? p->ell_max : 10000, p->first = p->paper;
    add_word(p, "positions %s\nt = %d\nd_e = %d\nell_max = %d\n",
             p->paper ? "paper" : "vaswani", t, d_e, p->ell_max);
    if (chance(2))
        add_word(p, "base = %g\n", p->base = chance(2) ? 100 : 10000);
    if (chance(3))
        add_word(p, "first = %g\n", p->first = pick(0, 1));
}

static inline Problem *random_problem(int algorithm, int decimals)
{
    Problem *p = arena_alloc(arena, sizeof *p);
    *p = (Problem){ .algorithm = algorithm, .decimals = decimals, .scaled = true,
                    .mask = "none", .layout = &layouts[pick(0, 3)] };
    if (algorithm <= 2)
        random_embedding(p);
    else if (algorithm <= 5)
        random_attention(p);
    else if (algorithm == 6)
        random_norm(p);
    else
        random_unembedding(p);
    return p;
}

/* -------------------------------------------------------------- a sheet */

static inline Text *given_text(const Problem *p)
{
    Text *t = text_new();
    add_text(t, "algorithm %d\nlayout %s\n%s", p->algorithm, p->layout->name,
             p->words);
    for (const Thing *x = p->thing; x < p->thing + p->n; x++) {
        bool turn = x->kind == WEIGHT_OF ? p->layout->weights
                  : x->kind == VECTOR_OF ? true : p->layout->rows;
        int rows = turn ? x->M.cols : x->M.rows,
            cols = turn ? x->M.rows : x->M.cols;
        add_text(t, "%s", x->name);
        if (x->head > 0)
            add_text(t, "^%d", x->head);
        add_text(t, " =");
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                add_text(t, "%s%g", j == 0 && i > 0 ? " ; " : " ",
                         turn ? x->M.at[j][i] : x->M.at[i][j]);
        add_text(t, "\n");
    }
    return t;
}
#endif
