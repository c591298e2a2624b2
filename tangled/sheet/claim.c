/* Claims: which step each is about, where its entries stand, how they were
   typed, and whether they are right.

   Main types: Claim, Verdict. Entry points: claims_of, verdict_on. A run and
   the items of its sheet flow in; verdicts and numbers to show flow out. */
#include "sheet/claim.h"
#include "sheet/label.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_comparable(const Item *claim, const Step *step)
{
    if (step == NULL)
        return false;
    int rows = step->M->rows, cols = step->M->cols;
    return (claim->rows == rows && claim->cols == cols)
        || (claim->rows == cols && claim->cols == rows
            && (rows == 1 || cols == 1));
}

real *claimed_entry(Mat M, int k)
{
    return &AT(M, k / M->cols + 1, k % M->cols + 1);
}

const char *entry_place(char to[40], const Item *claim, int k)
{
    bool rows = claim->rows > 1, cols = claim->cols > 1;
    *to = '\0';
    if (rows && cols)
        snprintf(to, 40, "(%d,%d)", k / claim->cols + 1, k % claim->cols + 1);
    else if (rows || cols)
        snprintf(to, 40, "(%d)", k + 1);
    return to;
}

bool is_minus_infinity(double typed)
{
    return typed <= -1e4;
}

enum { SINGLE = sizeof(real) == sizeof(float),
       TRUE_DIGITS = SINGLE ? FLT_DIG : DBL_DIG };

/* By how much the computer may round a number. */
static double last_bits(bool single, double x)
{
    return (SINGLE || single ? 8.0 * FLT_EPSILON : 100 * DBL_EPSILON)
         * fmax(1, fabs(x));
}

bool same_number(double a, double b)
{
    double size = fmax(1, fmax(fabs(a), fabs(b))),
           error = fmax(fmin((SINGLE ? 1e-5 : 1e-10) * size, 0.1),
                        last_bits(false, size));
    return isfinite(size) ? fabs(a - b) <= error : a == b;
}

double unit_of(int decimals)
{
    return pow(10, -decimals);
}

Verdict verdict_on(const Entry *entry, double x)
{
    double typed = entry->value;
    if (isnan(typed))
        return OPEN;
    if (x == -INFINITY)
        return is_minus_infinity(typed) ? RIGHT : WRONG;
    if (entry->decimals == EXACT)
        return same_number(typed, x) ? RIGHT : WRONG;
    double unit = unit_of(entry->decimals);
    double off = fabs(typed - x) - last_bits(entry->single, x);
    return off <= unit / 2 ? RIGHT : off <= 1.5 * unit ? LAST_DIGIT : WRONG;
}

static bool is_right(const Entry *entry, double x)
{
    return verdict_on(entry, x) == RIGHT;
}

int count_in(const Claim *claim, const Run *run,
             bool (*is)(const Entry *entry, double x))
{
    int n = 0;
    const Step *step = same_step(run, claim->step);
    const Item *item = claim->item;
    for (int k = 0; is_comparable(item, step) && k < item->rows * item->cols;
         k++)
        n += is(&item->entry[k], *claimed_entry(step->M, k));
    return n;
}

int count_right(const Claim *claim, const Run *run)
{
    return count_in(claim, run, is_right);
}

bool is_cut_from(const Entry *entry, double x)
{
    double typed = entry->value, more = fabs(x) - fabs(typed);
    if (!isfinite(x) || !isfinite(typed) || entry->decimals == EXACT)
        return verdict_on(entry, x) <= RIGHT;
    double unit = unit_of(entry->decimals),
           off = fmax(unit / 1000, last_bits(false, x));
    return typed * x >= 0 && more >= -off && more < unit + off;
}

/* x, which is not 0, with so many decimals, or fewer. */
static void decimal_text(char to[60], double x, int decimals)
{
    int first = (int)floor(log10(fabs(x))), most = TRUE_DIGITS - 1 - first;
    decimals = decimals < most ? decimals : most;
    bool naught = fabs(x) < 0.5 * unit_of(decimals),
         power = decimals < 0 || (first < -5 && !naught);
    snprintf(to, 60, power ? "%.*e" : "%.*f",
             power ? first + decimals : decimals, naught ? 0 : x);
}

/* Writes x as a whole number, or as a fraction whose denominator is small;
   false: it is neither. */
static bool fraction_text(char to[60], double x, int most)
{
    for (int q = 1; q <= most; q++)
        if (same_number(x * q, round(x * q)) && fabs(x * q) < 1e6) {
            snprintf(to, 60, "%.0f", round(x * q) + 0.0);
            if (q > 1)
                append(to, 60, "/%d", q);
            return true;
        }
    return false;
}

void right_number(char to[60], const Entry *entry, double x)
{
    bool exact = entry->decimals == EXACT;
    int decimals = exact ? 4 : entry->decimals < TRUE_DIGITS
                 ? entry->decimals + 1 : 6;     /* beside 1e-300 */
    if (isinf(x))
        snprintf(to, 60, "-inf");
    else if (!fraction_text(to, x, !exact ? 1 : SINGLE ? 9 : 99))
        do
            decimal_text(to, x, decimals);
        while (decimals++ < TRUE_DIGITS
               && verdict_on(entry, strtod(to, NULL))
                  != verdict_on(entry, x));
}

int most_decimals(const Item *claim)
{
    int most = 0;
    for (int k = 0; k < claim->rows * claim->cols; k++)
        most = (int)fmax(most, claim->entry[k].decimals);
    return most;
}

/* Whether a program printed this in single precision: each is such a number
   but for its last digit, and one has all their digits. */
static bool is_printed_single(const Item *claim)
{
    bool many = false;
    for (int k = 0; k < claim->rows * claim->cols; k++) {
        const Entry *entry = &claim->entry[k];
        double x = entry->value,
               one = entry->decimals == EXACT ? 0 : pow(10, entry->decimals);
        if (fabs((double)(float)x - x) * one > 0.5)
            return false;
        many |= fabs(x) * one >= 1e7;
    }
    return many;
}

/* The claim as it is judged: a 1 beside a 0.25 has two decimals, and whole
   numbers alone are exact. */
static const Item *with_decimals(Arena *arena, const Item *claim)
{
    int n = claim->rows * claim->cols, most = most_decimals(claim);
    size_t size = (size_t)n * sizeof(Entry);
    Entry *entry = memcpy(arena_alloc(arena, size), claim->entry, size);
    Item *judged = arena_alloc(arena, sizeof *judged);
    bool single = is_printed_single(claim);
    for (int k = 0; k < n; k++) {
        bool digit = entry[k].decimals == 0 && fabs(entry[k].value) < 10;
        if (most == 0 || digit)
            entry[k].decimals = most == 0 ? EXACT : most;
        entry[k].single = single;
    }
    *judged = *claim;
    judged->entry = entry;
    return judged;
}

/* Whether a claim about a step may mean another: one of the same name; or,
   for a p, what the paper calls q. */
static bool may_mean(const Step *a, const Step *b)
{
    return (are_namesakes(a, b) && a->inner == b->inner
            && a->given == b->given)
        || (a->role == ROLE_PROBABILITIES && b->role == ROLE_TEMPERED);
}

/* The step that a claim is about: of those that it may mean, the first with
   which it agrees most. */
static const Step *claimed_step(const Run *run, const Item *item, Error *f)
{
    const Step *last = step_of(run, item, f), *best = last;
    for (const Step *s = run->step + run->n;
         item->line == 0 && s-- > run->step; ) {
        int least = s->row != NULL && s->row->derived;
        if (may_mean(last, s)
            && count_right(&(Claim){ item, s }, run)
               >= count_right(&(Claim){ item, best }, run) + least)
            best = s;
    }
    return best;
}

Claim *claims_of(const Run *run, Arena *arena, int *n, Error *f)
{
    const Sheet *sheet = run->sheet;
    Claim *claims = arena_alloc(arena,
                                (size_t)(sheet->n + 1) * sizeof *claims);
    *n = 0;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim)
            continue;
        Claim claim = { with_decimals(arena, item), NULL };
        claim.step = claimed_step(run, claim.item, f);
        int to = (*n)++;
        for (; to > 0 && claims[to - 1].step > claim.step; to--)
            claims[to] = claims[to - 1];
        claims[to] = claim;
    }
    return claims;
}
