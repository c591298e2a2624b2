/* Sheets that chance writes, and a student who fills them in: plain loops
   that know nothing of the program, with the commonest slips built in. */
#ifndef STUDENT_H
#define STUDENT_H
#include "check.h"
#include "sheet/sheet.h"

enum { WIDEST = 9 };           /* H d_mid */
typedef struct { int rows, cols; double at[WIDEST][WIDEST]; } Small;

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

static inline int pick(int least, int most)
{
    double x = (folded(generator += 0x9E3779B97F4A7C15u) + 1) / 2;
    return least + (int)(x * (most - least + 1));
}
static inline bool chance(int one_in) { return pick(1, one_in) == 1; }

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

static inline Thing *thing_of(Problem *p, const char *name, int head)
{
    for (int k = 0; k < p->n; k++)
        if (strcmp(p->thing[k].name, name) == 0 && p->thing[k].head == head)
            return &p->thing[k];
    return NULL;
}

static inline void give_thing(Problem *p, const char *name, int kind,
                              int head, int rows, int cols)
{
    Thing *t = &p->thing[p->n++];
    t->name = name;
    t->kind = kind == WEIGHT_OF ? WEIGHT_OF
            : kind == VECTOR_OF ? VECTOR_OF : TOKENS_OF;
    t->head = head;
    t->M = random_small(rows, cols, p->decimals);
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
    give_thing(p, "mask", TOKENS_OF, 0, ell_z, ell_x);
    Small *M = &thing_of(p, "mask", 0)->M;
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
        give_thing(p, p->algorithm == 1 ? "W_e" : "W_p", TOKENS_OF, 0, d_e,
                   n);
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

typedef struct { size_t n; char at[20000]; } Text;

static inline void add_text(Text *t, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static inline void add_text(Text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format,
                              arguments);
    va_end(arguments);
    assert_that(t->n < sizeof t->at - 1);
}

static inline Text *given_text(const Problem *p)
{
    Text *t = arena_alloc(arena, sizeof *t);
    t->n = 0;
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

/* x as it is typed; whole: without decimals. */
static inline const char *typed(char to[60], double x, int decimals,
                                bool whole)
{
    if (isinf(x))
        return strcpy(to, "-inf");
    snprintf(to, 60, "%.*f", whole ? 0 : decimals, x);
    if (strtod(to, NULL) == 0)
        snprintf(to, 60, "%.*f", whole ? 0 : decimals, 0.0);
    return to;
}

/* ------------------------------------------------------------- a student */

typedef struct {
    const Problem *p;
    const char *slip;           /* its name, or ""                        */
    int decimals;
    bool carries;               /* the rounded numbers on                 */
    int leaves_out;             /* one in so many claims; 0: none         */
    int claims, error;          /* this claim has an error; 0: none       */
    uint64_t random;            /* for what is left out, and the error    */
    Text *text;                 /* the sheet                              */
    bool stuck;                 /* there was no number to write           */
} Student;

static inline bool makes(const Student *st, const char *slip)
{
    return strcmp(st->slip, slip) == 0;
}

static inline int draw(Student *st, int n)
{
    return (int)((folded(st->random += 77777) + 1) / 2 * n);
}

/* Another digit, another sign, or two digits that change places; false if
   nothing came of it. */
static inline bool spoil(Student *st, char *number)
{
    char before[60], *at[60];
    int n = 0;
    strcpy(before, number);
    for (char *c = number; *c != '\0'; c++)
        if (*c >= '0' && *c <= '9')
            at[n++] = c;
    bool fraction = strchr(number, '.') != NULL;
    int kind = draw(st, 3), k = draw(st, fraction ? n - 1 : n);
    if (kind == 0 && *number != 'i' && *at[k] != '9')
        ++*at[k];
    else if (kind == 1 && *number == '-')
        memmove(number, number + 1, strlen(number));
    else if (kind == 1)
        snprintf(number, 60, "-%.50s", before);
    else if (kind == 2 && k + 1 < n) {
        char c = *at[k];
        *at[k] = *at[k + 1];
        *at[k + 1] = c;
    }
    return strtod(number, NULL) != strtod(before, NULL);
}

static inline bool every(const Small *M, bool (*is)(double x))
{
    bool all = M->rows > 0;
    for (int i = 0; i < M->rows; i++)
        for (int j = 0; j < M->cols; j++)
            all &= is(M->at[i][j]);
    return all;
}
static inline bool is_finite(double x) { return isfinite(x); }
static inline bool is_number(double x)
{
    return fabs(x) < 1e7 || x == -INFINITY;     /* one would write down */
}

static inline void claim(Student *st, const char *name, Small *M)
{
    bool turn = st->p->layout->rows, whole = true;
    int rows = turn ? M->cols : M->rows, cols = turn ? M->rows : M->cols;
    char text[60];
    if (!every(M, is_number)) {
        st->stuck = true;
        return;
    }
    if (st->leaves_out > 0 && draw(st, st->leaves_out) == 0)
        return;
    for (int i = 0; i < M->rows; i++)
        for (int j = 0; j < M->cols; j++)
            whole &= isinf(M->at[i][j])
                  || fabs(M->at[i][j] - round(M->at[i][j])) < 1e-12;
    int spoiled = ++st->claims == st->error ? draw(st, rows * cols) : -1;
    add_text(st->text, "claim %s =", name);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double *x = &M->at[turn ? j : i][turn ? i : j];
            typed(text, *x, st->decimals, whole);
            double was = strtod(text, NULL);
            if (i * cols + j == spoiled && !isinf(*x)) {
                while (!spoil(st, text))
                    ;
                *x += strtod(text, NULL) - was;
            }
            if (st->carries && !isinf(*x))
                *x = strtod(text, NULL);
            add_text(st->text, "%s%s", j == 0 && i > 0 ? " ; " : " ", text);
        }
    add_text(st->text, "\n");
}

/* ------------------------------------------------- how the student counts */

static inline Small part(const Student *st, const char *name)
{
    Problem *p = (Problem *)st->p;
    const Thing *t = thing_of(p, name, 0);
    return t == NULL ? (Small){ 0, 0, { { 0 } } } : t->M;
}

static inline Small turned_over(Small M)
{
    Small T = { M.cols, M.rows, { { 0 } } };
    for (int i = 0; i < M.rows; i++)
        for (int j = 0; j < M.cols; j++)
            T.at[j][i] = M.at[i][j];
    return T;
}

static inline Small times(Small A, Small B)
{
    Small C = { A.rows, B.cols, { { 0 } } };
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < B.cols; j++)
            for (int k = 0; k < A.cols; k++)
                C.at[i][j] += A.at[i][k] * B.at[k][j];
    return C;
}

static inline double to_decimals(double x, int decimals)
{
    return isinf(x) ? x : round(x * pow(10, decimals)) / pow(10, decimals);
}

/* Of "S-rounded-2" for what "S" it is 2, else -1. */
static inline int rounds(const Student *st, const char *what)
{
    size_t n = strlen(what);
    return strncmp(st->slip, what, n) == 0
        && strncmp(st->slip + n, "-rounded-", 9) == 0
         ? atoi(st->slip + n + 9) : -1;
}

/* A tie may go either way, so he is stuck. */
static inline void round_all(Student *st, const char *what, Small *M)
{
    int decimals = rounds(st, what);
    for (int i = 0; i < M->rows && decimals >= 0; i++)
        for (int j = 0; j < M->cols; j++) {
            double x = M->at[i][j], y = to_decimals(x, decimals);
            st->stuck |= fabs(fabs(x - y) * pow(10, decimals) - 0.5) < 1e-3;
            M->at[i][j] = y;
        }
}

/* W X + b; which is 'q', 'k' or 'v'. */
static inline Small projected(const Student *st, char which, Small X)
{
    char W_name[] = "W_?", b_name[] = "b_?", other[40];
    bool W_of_other = makes(st, "W_q-W_k"), both = makes(st, "Q-K");
    W_name[2] = b_name[2] = which;
    if ((W_of_other || both) && which != 'v')
        W_name[2] = which == 'q' ? 'k' : 'q';
    if (both)
        b_name[2] = W_name[2];
    if (makes(st, "K-V") && which != 'q')
        W_name[2] = b_name[2] = which == 'k' ? 'v' : 'k';
    Small W = part(st, W_name), b = part(st, b_name);
    snprintf(other, sizeof other, "W_%c-transposed", which);
    if (makes(st, other) || makes(st, "W-transposed"))
        W = turned_over(W);
    snprintf(other, sizeof other, "no-b_%c", which);
    bool biased = b.rows > 0 && !makes(st, other) && !makes(st, "no-bias");
    snprintf(other, sizeof other, "no-W_%c", which);
    if (makes(st, other) && W.rows == W.cols)
        return X;
    if (W.cols != X.rows)
        return (Small){ 0, 0, { { 0 } } };
    Small Y = times(W, X);
    for (int i = 0; i < Y.rows && biased; i++)
        for (int j = 0; j < Y.cols; j++)
            Y.at[i][j] += b.at[i][0];
    return Y;
}

static inline bool looks(const Student *st, int i, int j)
{
    Small mask = part(st, "mask");
    if (makes(st, "mask-anyway") && i > j)
        return false;
    if (makes(st, "mask-transposed")) {
        int k = i;
        i = j, j = k;
    }
    bool may = *st->p->mask == 'n' ? true
             : *st->p->mask == 'c' ? i <= j : mask.at[i][j] == 1;
    return makes(st, "mask-inverted") ? !may : may;
}

/* Can the mask be mistaken like that? */
static inline bool has_mask(const Student *st)
{
    Small mask = part(st, "mask");
    bool hides = *st->p->mask == 'c' && st->p->algorithm != 3;
    for (int i = 0; i < mask.rows; i++)
        for (int j = 0; j < mask.cols; j++)
            hides |= mask.at[i][j] == 0;
    if (makes(st, "mask-transposed"))
        return hides && mask.rows == mask.cols;
    if (makes(st, "mask-anyway"))
        return !hides && st->p->algorithm != 3;
    return hides || !makes(st, "mask-strict");
}

static inline void hide(const Student *st, Small *S)
{
    for (int i = 0; i < S->rows; i++)
        for (int j = 0; j < S->cols; j++)
            if (!looks(st, i, j))
                S->at[i][j] = makes(st, "mask-zero") ? 0 : -INFINITY;
    for (int j = 0; j < S->cols && makes(st, "mask-strict"); j++) {
        int others = 0;
        for (int i = 0; i < S->rows; i++)
            others += i != j && looks(st, i, j);
        if (others > 0 && j < S->rows && *st->p->mask != 'n')
            S->at[j][j] = -INFINITY;
    }
}

static inline double divisor(const Student *st, int d_attn)
{
    double root = sqrt(d_attn);
    if (!st->p->scaled)
        return makes(st, "scale-anyway") ? root : 1;
    return makes(st, "no-scale") ? 1
         : makes(st, "scale-d") ? d_attn
         : makes(st, "scale-d_x") ? sqrt(part(st, "W_q").cols)
         : makes(st, "scale-times") ? 1 / root
         : makes(st, "scale-root-root") ? sqrt(root)
         : rounds(st, "root") >= 0 ? to_decimals(root, rounds(st, "root"))
         : rounds(st, "factor") >= 0
                ? 1 / to_decimals(1 / root, rounds(st, "factor")) : root;
}

static inline double power_of(const Student *st, double x)
{
    return makes(st, "base-2") ? pow(2, x) : makes(st, "base-10") ? pow(10, x)
         : makes(st, "base-3") ? pow(3, x)
         : makes(st, "base-1/e") ? exp(-x)
         : makes(st, "e-rounded-1") ? pow(2.7, x)
         : makes(st, "e-rounded-2") ? pow(2.72, x)
         : makes(st, "by-sum") ? (isinf(x) ? 0 : x)
         : rounds(st, "power") >= 0
                ? to_decimals(exp(x), rounds(st, "power")) : exp(x);
}

static inline Small down_the_columns(const Student *st, Small S)
{
    Small A = S;
    double everything = 0;
    for (int i = 0; i < S.rows; i++)
        for (int j = 0; j < S.cols; j++)
            everything += power_of(st, S.at[i][j]);
    if (makes(st, "no-softmax"))
        return S;
    for (int j = 0; j < S.cols; j++) {
        double total = 0, best = -INFINITY;
        int largest = 0;
        for (int i = 0; i < S.rows; i++) {
            total += A.at[i][j] = power_of(st, S.at[i][j]);
            if (S.at[i][j] > best)
                best = S.at[i][j], largest = i;
        }
        for (int i = 0; i < S.rows; i++)
            A.at[i][j] = makes(st, "hard-max") ? i == largest
                       : makes(st, "no-sum") ? A.at[i][j]
                       : makes(st, "one-sum") ? A.at[i][j] / everything
                       : A.at[i][j] / total;
    }
    return A;
}

static inline Small weights_of(const Student *st, Small S)
{
    bool over = makes(st, "axis") || makes(st, "axis-tokens");
    return over ? turned_over(down_the_columns(st, turned_over(S)))
                : down_the_columns(st, S);
}

static inline bool attends(Student *st)     /* false: it cannot be done */
{
    bool three = st->p->algorithm == 3;
    Small X = part(st, three ? "e" : "X"), Z = part(st, three ? "e_t" : "Z"),
          W_q = part(st, "W_q");
    if (Z.rows == 0)
        Z = X;
    if (!has_mask(st))
        return false;
    if (makes(st, "exchange")) {
        Small other = X;
        X = Z, Z = other;
        if (three || (*st->p->mask == 'm' && X.cols != Z.cols))
            return false;
    }
    Small Q = projected(st, 'q', X);
    claim(st, three ? "q" : "Q", &Q);
    Small K = projected(st, 'k', Z);
    claim(st, three ? "k_t" : "K", &K);
    Small V = projected(st, 'v', Z);
    if (makes(st, "K-for-V") && K.rows == V.rows)
        V = K;
    claim(st, three ? "v_t" : "V", &V);
    round_all(st, "Q", &Q);
    round_all(st, "K", &K);
    round_all(st, "V", &V);
    if (makes(st, "K-times-A") && K.rows == V.rows)
        V = K;
    if (Q.rows != K.rows || X.rows != W_q.cols)
        return false;
    Small S = times(turned_over(K), Q), bare;
    if (makes(st, "S-transposed"))
        S = turned_over(S);
    claim(st, three ? "scores" : "4.4 S", &S);
    bare = S;
    if (!makes(st, "no-mask") && !makes(st, "mask-late"))
        hide(st, &S);
    if (!three)
        claim(st, "4.5 S", &S);
    double by = divisor(st, Q.rows);
    round_all(st, "S", &S);
    for (int i = 0; i < S.rows; i++)
        for (int j = 0; j < S.cols; j++)
            S.at[i][j] /= by;
    if (!three && st->random % 2 == 0)
        claim(st, "S_scaled", &S);
    round_all(st, "S_scaled", &S);
    Small A = weights_of(st, S);
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < A.cols; j++)
            if (makes(st, "mask-late") && !looks(st, i, j))
                A.at[i][j] = 0;
    if (makes(st, "A-transposed"))
        A = turned_over(A);
    if (!every(&A, is_finite) || A.rows != bare.rows)
        return false;
    claim(st, three ? "alpha_t" : "A", &A);
    round_all(st, "A", &A);
    if (makes(st, "V-times-A-transposed"))
        A = turned_over(A);
    for (int i = 0; i < A.rows && makes(st, "no-weights"); i++)
        for (int j = 0; j < A.cols; j++)
            A.at[i][j] = 1;
    if (A.rows != V.cols)
        return false;
    Small Vt = times(V, A);
    claim(st, three ? "v_tilde" : "Vt", &Vt);
    return true;
}

static inline bool normalises(Student *st)
{
    Small e = part(st, "e"), gamma = part(st, "gamma"),
          beta = part(st, "beta"), other = gamma, m = { 1, e.cols, { { 0 } } }, v = m,
          e_hat = e;
    double n = e.rows, eps = st->p->epsilon;
    if (makes(st, "gamma-beta")) {
        if (gamma.rows == 0 || beta.rows == 0)
            return false;
        gamma = beta, beta = other;
    }
    bool centred = !st->p->rms && !makes(st, "no-mean");
    for (int j = 0; j < e.cols && (centred || makes(st, "mean-anyway")); j++)
        for (int i = 0; i < e.rows; i++)
            m.at[0][j] += e.at[i][j] / (makes(st, "m-sum") ? 1 : n);
    claim(st, "m", &m);
    round_all(st, "m", &m);
    for (int j = 0; j < e.cols; j++) {
        for (int i = 0; i < e.rows; i++)
            v.at[0][j] += pow(e.at[i][j] - (makes(st, "v-without-m") ? 0
                                            : m.at[0][j]), 2)
                        / (makes(st, "n-1") ? n - 1
                           : makes(st, "v-sum") ? 1 : n);
        if (v.at[0][j] < 1e-9)
            return false;
        if (makes(st, "v-root") || makes(st, "root-twice"))
            v.at[0][j] = sqrt(v.at[0][j]);
    }
    claim(st, "v", &v);
    round_all(st, "v", &v);
    for (int j = 0; j < e.cols; j++) {
        double x = makes(st, "v-root") ? pow(v.at[0][j], 2) : v.at[0][j];
        double root = makes(st, "no-root") ? x + eps
                    : makes(st, "no-epsilon") ? sqrt(x)
                    : makes(st, "epsilon-outside") ? sqrt(x) + eps
                    : makes(st, "epsilon-twice") ? sqrt(x + 2 * eps)
                    : sqrt(x + eps);
        if (!(root > 0))
            return false;
        for (int i = 0; i < e.rows; i++) {
            double y = (e.at[i][j] - (makes(st, "mean-left-in") ? 0
                                      : m.at[0][j])) / root;
            bool scales = gamma.rows > 0 && !makes(st, "no-gamma"),
                 shifts = beta.rows > 0 && !makes(st, "no-beta");
            e_hat.at[i][j] = y * (scales ? gamma.at[i][0] : 1)
                           + (shifts ? beta.at[i][0] : 0);
        }
    }
    claim(st, "e_hat", &e_hat);
    return true;
}

static inline bool unembeds(Student *st)
{
    Small e = part(st, "e"),
          W_u = st->p->tied ? turned_over(part(st, "W_e"))
                            : part(st, "W_u");
    if (makes(st, "W_u-transposed"))
        W_u = turned_over(W_u);
    if (W_u.cols != e.rows)
        return false;
    Small logits = times(W_u, e);
    claim(st, "logits", &logits);
    round_all(st, "logits", &logits);
    Small p = weights_of(st, logits);
    claim(st, "p", &p);
    return every(&p, is_finite);
}

static inline bool embeds(Student *st)
{
    const Problem *p = st->p;
    bool one = p->algorithm == 1;
    Small W = part(st, one ? "W_e" : "W_p");
    int before = makes(st, one ? "token-before" : "position-before"),
        after = makes(st, one ? "token-after" : "position-after");
    bool row = makes(st, one ? "W_e-transposed" : "W_p-transposed");
    int t = p->t - before + after, n = W.rows;
    if (W.rows == 0)
        return false;
    Small e = { n, 1, { { 0 } } };
    if (t < 1 || t > W.cols || (row && n != W.cols))
        return false;
    for (int i = 0; i < n; i++)
        e.at[i][0] = row ? W.at[t - 1][i] : W.at[i][t - 1];
    claim(st, one ? "e" : "e_p", &e);
    return true;
}

static inline bool computes_positions(Student *st)
{
    const Problem *p = st->p;
    Small e = { p->d_e, 1, { { 0 } } };
    double t = p->t - 1 + p->first - makes(st, "position-before")
             + makes(st, "position-after"), base = p->base;
    bool paper = p->paper != makes(st, "exponent"),
         swaps = makes(st, "sine-cosine");
    base = makes(st, "sine-base-10000") ? 10000
         : makes(st, "sine-base-1000") ? 1000
         : makes(st, "sine-base-100") ? 100
         : makes(st, "sine-base-ell") ? p->ell_max : base;
    for (int i = 1; i <= p->d_e / 2; i++) {
        double exponent = (paper ? 2.0 * i : 2.0 * (i - 1)) / p->d_e
                        / (makes(st, "exponent-half") ? 2 : 1);
        double angle = makes(st, "exponent-minus") ? t * pow(base, exponent)
                                                   : t / pow(base, exponent);
        if (makes(st, "degrees"))
            angle *= acos(-1) / 180;
        int a = 2 * i - 2, b = 2 * i - 1;
        if (makes(st, "sines-first"))
            a = i - 1, b = p->d_e / 2 + i - 1;
        e.at[swaps ? b : a][0] = sin(angle);
        e.at[swaps ? a : b][0] = cos(angle);
    }
    claim(st, "e_p", &e);
    return true;
}

/* Fills in the sheet by himself; false if it cannot be done like that. */
static inline bool fills_in(Student *st)
{
    int algorithm = st->p->algorithm;
    bool computed = algorithm == 2 && st->p->d_e > 0;
    return (computed ? computes_positions(st)
            : algorithm <= 2 ? embeds(st)
            : algorithm <= 4 ? attends(st)
            : algorithm == 6 ? normalises(st) : unembeds(st)) && !st->stuck;
}

/* The slips of Algorithms 1, 2, 3, 4, 6 and 7 that he does not know. */
static const char *const only_by_run[] = { "mask-inverted", "axis-norm",
                                           NULL };
#endif
