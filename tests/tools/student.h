/* A student who writes claims into a sheet: what he computes, as he types
   it. He works by hand, by the oracle, or goes by a run of the program. */
#ifndef STUDENT_H
#define STUDENT_H
#include "oracle.h"
#include "slips.h"

/* x as it is typed; ? is not known. */
static inline const char *typed(char to[60], double x, int decimals)
{
    if (isnan(x))
        return strcpy(to, "?");
    if (isinf(x))
        return strcpy(to, "-inf");
    snprintf(to, 60, "%.*f", decimals, x);
    if (strtod(to, NULL) == 0)
        snprintf(to, 60, "%.*f", decimals, 0.0);
    return to;
}

static inline bool is_whole(double x)
{
    return isinf(x) || fabs(x - round(x)) < 1e-12;
}

/* ------------------------------------------------------ a claim on a step */

static inline bool all_whole(Mat M)
{
    bool whole = true;
    for (size_t e = 0; e < entries_in(M); e++)
        whole &= is_whole(M->at[e]);
    return whole;
}

/* M is what he claims of the step, with so many decimals. */
static inline Claim claimed(const Step *step, Mat M, int decimals)
{
    char text[60];
    Item *item = arena_alloc(arena, sizeof *item);
    Entry *entry = arena_alloc(arena, entries_in(M) * sizeof *entry), *e = entry;
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            *e++ = (Entry){
                .value = strtod(typed(text, AT(M, i, j), decimals), NULL),
                .decimals = decimals };
    *item = (Item){ .rows = M->rows, .cols = M->cols, .entry = entry,
                    .claim = true };
    return (Claim){ item, step };
}

/* A line that begins so, with or without the number of its line. */
static inline void write_step(Text *t, const char *begin, bool numbered,
                              Claim claim)
{
    char name[60], text[60];
    const Item *item = claim.item;
    step_name(name, sizeof name, claim.step);
    add_text(t, "%s", begin);
    if (numbered)
        add_text(t, "%d.%d ", claim.step->algorithm, claim.step->line);
    add_text(t, "%s =", name);
    for (int k = 0; k < item->rows * item->cols; k++)
        add_text(t, "%s%s", k % item->cols == 0 && k > 0 ? " ; " : " ",
                 typed(text, item->entry[k].value, item->entry[k].decimals));
    add_text(t, "\n");
}

static inline void write_claim(Text *t, Claim claim)
{
    write_step(t, "claim ", true, claim);
}

/* ------------------------------------------------ by hand, and his errors */

typedef struct {
    Way way;                    /* what he works on, and his slip         */
    int decimals;
    bool carries;               /* the rounded numbers on                 */
    int leaves_out;             /* one in so many claims; 0: none         */
    bool cuts;                  /* digits off, where others round         */
    int claims, error;          /* this claim has an error; 0: none       */
    bool last;                  /* its last digit is off by one           */
    bool spoilt;                /* it was made                            */
    bool alone;                 /* nothing but that claim is shown        */
    bool guesses;               /* whatever comes behind the error        */
    uint64_t random;            /* for what is left out, and the error    */
    Text *text;                 /* the sheet                              */
} Student;

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
    const char *first = number + (*number == '-');
    if (first[0] == '0' && first[1] >= '0' && first[1] <= '9')
        strcpy(number, before);         /* nobody types 01 */
    return strtod(number, NULL) != strtod(before, NULL);
}

static inline bool can_be_typed(double x)
{
    return fabs(x) < 1e7 || x == -INFINITY;
}

static inline bool spoil_end(Student *st, char *number, int decimals)
{
    int up = 2 * draw(st, 2) - 1;
    typed(number, strtod(number, NULL) + up * pow(10, -decimals), decimals);
    return true;
}

/* Types an entry; what he goes on with. */
static inline double type_entry(Student *st, double x, int decimals,
                                bool spoiled)
{
    char text[60];
    double unit = pow(10, decimals), cut = trunc(x * unit * (1 + 1e-12));
    double was = strtod(typed(text, st->cuts && !isinf(x) ? cut / unit : x,
                              decimals), NULL);
    bool can_be = !isinf(x) && (!st->last || decimals > 0);
    st->spoilt |= spoiled && can_be;
    while (spoiled && can_be && !(st->last ? spoil_end(st, text, decimals)
                                           : spoil(st, text)))
        ;
    add_text(st->text, " %s", text);
    double is = strtod(text, NULL);
    return isinf(x) ? x : st->carries ? is : x + (is - was);
}

static inline bool write_down(void *to, const char *name, Small *M)
{
    Student *st = to;
    bool turn = st->way.p->layout->rows, three = st->way.p->algorithm == 3;
    int rows = turn ? M->cols : M->rows, cols = turn ? M->rows : M->cols;
    if (!all_are(*M, can_be_typed))
        return false;
    if (strcmp(name, "S_scaled") == 0 && (three || st->random % 2 == 1))
        return true;
    if (st->leaves_out > 0 && draw(st, st->leaves_out) == 0)
        return true;
    if (st->alone && st->claims + 1 != st->error)
        return ++st->claims > 0;
    int decimals = all_are(*M, is_whole) && !st->guesses ? 0 : st->decimals,
        spoiled = ++st->claims == st->error ? draw(st, rows * cols) : -1;
    double least = INFINITY, most = -INFINITY;
    EACH(*M, a, b)
        least = fmin(least, M->at[a][b]), most = fmax(most, M->at[a][b]);
    add_text(st->text, "claim %s =", name);
    for (int k = 0; k < rows * cols; k++) {
        int i = turn ? k % cols : k / cols, j = turn ? k / cols : k % cols;
        if (k > 0 && k % cols == 0)
            add_text(st->text, " ;");
        if (st->guesses && st->claims > st->error)
            M->at[i][j] = least - 0.05
                        + draw(st, 1000) / 1e3 * (most - least + 0.1);
        M->at[i][j] = type_entry(st, M->at[i][j], decimals, k == spoiled);
    }
    add_text(st->text, "\n");
    return true;
}

/* False: it cannot be done like that. */
static inline bool fills_in_by_hand(Student *st)
{
    st->way.told = write_down;
    st->way.to = st;
    return goes(&st->way);
}

/* ------------------------------------------------ by the program's own run */

/* An entry is another number by more than its last digit. */
static inline void spoil_claim(Claim claim)
{
    Entry *entry = (Entry *)claim.item->entry;
    int k = pick(0, claim.item->rows * claim.item->cols - 1);
    double change = 0.1 + (random_number() + 1) / 2;
    entry[k].decimals = entry[k].decimals < 2 ? 2 : entry[k].decimals;
    entry[k].value += chance(2) ? change : -change;
}

/* Who carries on rounded numbers needs a run for each, and who errs carries
   the error on. */
static inline void fills_in_by_run(Student *st, const Run *right,
                                   bool wanted(const Step *step))
{
    const char *slip = st->way.slip;
    Claim *claims = arena_alloc(arena, (size_t)right->n * sizeof *claims);
    Explanation why = { .slip = *slip == '\0' ? NULL : slip_named(slip),
                        .claim = claims };
    const Run *run = run_explained(right->bound, &why, arena, quiet);
    for (int k = 0; k < right->n; k++) {
        const Step *step = same_step(run, &right->step[k]);
        if (step == NULL || !wanted(step))
            continue;
        bool scaled = strcmp(step->name, "S_scaled") == 0;
        if (draw(st, scaled ? 2 : st->leaves_out + 1) == 1)
            continue;
        Claim claim = claimed(step, step->M, all_whole(step->M) ? 0
                                                     : st->decimals);
        st->spoilt = ++st->claims == st->error;
        if (st->spoilt)
            spoil_claim(claim);
        write_claim(st->text, claim);
        if (st->carries || st->spoilt) {
            claims[why.n++] = claim;
            run = run_explained(right->bound, &why, arena, quiet);
        }
    }
}

/* ------------------------------------------------------ what a sheet shows */

/* But for what rounding early makes of last digits? */
static inline bool is_right(const Item *item, const Step *step, int k)
{
    const Entry *is = &item->entry[k];
    if (!is_comparable(item, step))
        return false;
    const double x = *claimed_entry(step->M, k);
    return verdict_on(is, x) <= LAST_DIGIT
        || (is->decimals > 0
            && fabs(is->value - x) <= 2.5 * pow(10, -is->decimals));
}

/* A weight that is 1 for 0, or 0 for 1. */
static inline bool is_other_digit(const Item *item, const Step *step, int k)
{
    Entry other = item->entry[k];
    bool digit = other.value == 0 || other.value == 1;
    other.value = 1 - other.value;
    return digit && sums_to_1(step) && is_comparable(item, step)
        && verdict_on(&other, *claimed_entry(step->M, k)) == RIGHT;
}

/* Is an entry of the sheet neither right nor owed to rounded numbers? One
   weight that is 1 for 0 shows no slip. */
static inline bool shows_a_slip(const char *text)
{
    Explanation carried = { .n = 0 };
    const Run *right = run_of(text);
    assert_that(right != NULL);
    Error f = { .sheet = "text" };
    carried.claim = claims_of(right, arena, &carried.n, &f);
    const Run *run = run_explained(right->bound, &carried, arena, quiet);
    bool shows = false;
    for (int c = 0; c < carried.n; c++) {
        const Item *item = carried.claim[c].item;
        const Step *step = carried.claim[c].step;
        int wrong = 0, digits = 0;
        for (int k = 0; k < item->rows * item->cols; k++) {
            bool is_wrong = !is_right(item, step, k)
                         && !is_right(item, same_step(run, step), k);
            wrong += is_wrong;
            digits += is_wrong && is_other_digit(item, step, k);
        }
        shows |= wrong > digits || digits > 1;
    }
    return shows;
}
#endif
