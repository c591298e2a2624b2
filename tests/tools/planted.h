/* A slip that is planted, by its name alone: what it exchanges, leaves out,
   turns over and rounds. It knows nothing of the program's table of slips. */
#ifndef PLANTED_H
#define PLANTED_H
#include "random_sheet.h"

/* A student on his way through a problem. */
typedef struct {
    const Problem *p;
    const char *slip;           /* its name, or ""                        */
    bool stuck;                 /* nobody could go on like that           */
    /* Hears of each value and may change it. False: these are no numbers
       that one would write down. */
    bool (*told)(void *to, const char *name, Small *M);
    void *to;
} Way;

static inline bool makes(const Way *way, const char *slip)
{
    return strcmp(way->slip, slip) == 0;
}

/* The slip has this beginning, and this is what stands behind it. */
static inline bool makes_of(const Way *way, const char *begin,
                            const char *rest)
{
    size_t n = strlen(begin);
    return strncmp(way->slip, begin, n) == 0
        && strcmp(way->slip + n, rest) == 0;
}

static inline Small turned_if(bool turns, Small M)
{
    return turns ? turned_over(M) : M;
}

/* Without rows: it is not given, or left out. */
static inline Small part(const Way *way, const char *name)
{
    static const struct { const char *slip, *a, *b; } exchanged[] = {
        { "W_q-W_k", "W_q", "W_k" }, { "Q-K", "W_q", "W_k" },
        { "Q-K", "b_q", "b_k" },     { "K-V", "W_k", "W_v" },
        { "K-V", "b_k", "b_v" },     { "gamma-beta", "gamma", "beta" } };
    const char *taken = name;
    for (int k = 0; k < 6; k++)
        if (makes(way, exchanged[k].slip))
            taken = strcmp(taken, exchanged[k].a) == 0 ? exchanged[k].b
                  : strcmp(taken, exchanged[k].b) == 0 ? exchanged[k].a
                  : taken;
    const Thing *t = thing_of(way->p, taken, 0);
    bool weight = *name == 'W', bias = *name == 'b';
    if (t == NULL || (bias && makes(way, "no-bias"))
        || (!weight && makes_of(way, "no-", name)))
        return (Small){ 0, 0, { { 0 } } };
    return turned_if(makes_of(way, name, "-transposed")
                     || (weight && makes(way, "W-transposed")), t->M);
}

/* If the slip is such as "S-rounded-2", for what "S": x to 2 decimals. A tie
   may go either way, so he is stuck. */
static inline double rounded(Way *way, const char *what, double x)
{
    size_t n = strlen(what);
    if (strncmp(way->slip, what, n) != 0 || isinf(x)
        || strncmp(way->slip + n, "-rounded-", 9) != 0)
        return x;
    double unit = pow(10, atoi(way->slip + n + 9)), y = round(x * unit) / unit;
    way->stuck |= fabs(fabs(x - y) * unit - 0.5) < 1e-3;
    return y;
}

/* A value that is written down, and then goes on. */
static inline Small written(Way *way, const char *name, const char *what,
                            Small M)
{
    way->stuck |= !way->told(way->to, name, &M);
    EACH(M, i, j)
        M.at[i][j] = rounded(way, what, M.at[i][j]);
    return M;
}

/* Can the mask of this problem be mistaken like that? */
static inline bool has_mask(const Way *way)
{
    Small mask = part(way, "mask");
    bool hides = *way->p->mask == 'c';
    EACH(mask, i, j)
        hides |= mask.at[i][j] == 0;
    return makes(way, "mask-transposed") ? hides && mask.rows == mask.cols
         : makes(way, "mask-anyway") ? !hides && way->p->algorithm != 3
         : hides || !makes(way, "mask-strict");
}

/* --------------------------- what stands for e^x, x / √d_attn and √(v + ε) */

static inline double power_of(Way *way, double x)
{
    return makes(way, "base-2") ? pow(2, x)
         : makes(way, "base-3") ? pow(3, x)
         : makes(way, "base-10") ? pow(10, x)
         : makes(way, "base-1/e") ? exp(-x)
         : makes(way, "e-rounded-1") ? pow(2.7, x)
         : makes(way, "e-rounded-2") ? pow(2.72, x)
         : makes(way, "by-sum") ? (isinf(x) ? 0 : x)
         : rounded(way, "power", exp(x));
}

static inline double scaled(Way *way, double x, int d_attn)
{
    double root = sqrt(d_attn);
    if (!way->p->scaled)
        return makes(way, "scale-anyway") ? x / root : x;
    return makes(way, "no-scale") || makes(way, "scale-early") ? x
         : makes(way, "scale-d") ? x / d_attn
         : makes(way, "scale-d_x") ? x / sqrt(part(way, "W_q").cols)
         : makes(way, "scale-times") ? x * root
         : x * rounded(way, "factor", 1 / rounded(way, "root", root));
}

static inline double deviation(Way *way, double v)
{
    double x = makes(way, "v-root") ? v * v : v, eps = way->p->epsilon;
    return makes(way, "no-root") ? x + eps
         : makes(way, "no-epsilon") ? sqrt(x)
         : makes(way, "epsilon-outside") ? sqrt(x) + eps
         : makes(way, "epsilon-1e-5") ? sqrt(x + 1e-5)
         : makes(way, "epsilon-1e-3") ? sqrt(x + 1e-3)
         : rounded(way, "std", sqrt(x + eps));
}
#endif
