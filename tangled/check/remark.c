/* Remarks: what is odd about claimed numbers, whatever the right ones. */
#include "check/report.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static double half_unit(const Entry *entry)
{
    return entry->decimals == EXACT ? 1e-5 : unit_of(entry->decimals) / 2;
}

/* What entry k is called; a single one has no place. */
static const char *called(char to[40], const Item *item, int k)
{
    return *entry_place(to, item, k) == '\0' ? "it" : to;
}

static void remark(Remarks *to, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static void remark(Remarks *to, const char *format, ...)
{
    va_list arguments;
    if (to->n == sizeof to->text / sizeof to->text[0])
        return;
    va_start(arguments, format);
    vsnprintf(to->text[to->n++], sizeof to->text[0], format, arguments);
    va_end(arguments);
}

static bool is_alone(const Step *step)
{
    bool matrix = strcmp(step->name, "A") == 0
               || strcmp(step->name, "P") == 0;
    return !matrix && (step->M->rows == 1 || step->M->cols == 1);
}

/* The sum of distribution t as typed; NaN if an entry is open. off is by
   how much it may be missed. */
static double sum_typed(const Judged *j, int t, double *off)
{
    const Step *step = j->claim.step;
    const Item *item = j->claim.item;
    Mat M = step->M;
    bool alone = is_alone(step), rows = step->turned && !alone;
    int n = alone ? M->rows * M->cols : rows ? M->cols : M->rows;
    double sum = 0;
    *off = 1e-9;
    for (int u = 1; u <= n; u++) {
        int k = alone ? u - 1 : rows ? entry_at(item, M, t, u)
                                     : entry_at(item, M, u, t);
        sum += item->entry[k].value;
        *off += half_unit(&item->entry[k]);
    }
    return sum;
}

static void remark_sums(const Judged *j, Remarks *to)
{
    const Step *step = j->claim.step;
    bool alone = is_alone(step);
    int n = alone ? 1 : step->turned ? step->M->rows : step->M->cols;
    int wrong = 0, first = 0;
    double off, sum = 0;
    for (int t = n; t >= 1; t--) {
        double is = sum_typed(j, t, &off);
        if (isfinite(is) && fabs(is - 1) > off)
            wrong++, first = t, sum = is;
    }
    if (wrong > 0 && alone)
        remark(to, "the entries sum to %.6g, not to 1", sum);
    else if (wrong > 0)
        remark(to, "%s %d sums to %.6g, not to 1%s", step->turned ? "row"
               : "column", first, sum, wrong > 1 ? "; others do not, either"
                                                 : "");
}

static void remark_range(const Judged *j, Remarks *to)
{
    const Item *item = j->claim.item;
    char name[40];
    for (int k = 0; k < item->rows * item->cols; k++) {
        double x = item->entry[k].value, half = half_unit(&item->entry[k]);
        if (x < -half || x > 1 + half) {
            remark(to, "%s is %.6g, not between 0 and 1",
                   called(name, item, k), x);
            return;
        }
    }
}

/* The latest step of that role before a step, in its layer, head and turn;
   NULL: there is none. */
static const Step *step_before(const Run *run, const Step *step, Role role)
{
    for (const Step *s = step; s-- > run->step; )
        if (s->role == role && s->part == step->part
            && s->layer == step->layer && s->head == step->head
            && s->turn == step->turn)
            return s;
    return NULL;
}

/* The claim on a step; NULL: there is none. */
static const Item *claim_on(const Judgement *judgement, const Step *step)
{
    for (int k = 0; k < judgement->n; k++)
        if (judgement->judged[k].claim.step == step)
            return judgement->judged[k].claim.item;
    return NULL;
}

typedef struct { double least, most, off; } Range;

/* One row of the paper's V, as it is claimed if it is. */
static Range range_of(const Step *V, const Item *claim, int row)
{
    Mat M = V->M;
    Range range = { INFINITY, -INFINITY, 0 };
    for (int t = 1; t <= (V->turned ? M->rows : M->cols); t++) {
        int i = V->turned ? t : row, j = V->turned ? row : t;
        const Entry *entry = claim == NULL ? NULL
                           : &claim->entry[entry_at(claim, M, i, j)];
        bool claimed = entry != NULL && !isnan(entry->value);
        double x = claimed ? entry->value
                 : clear_noise(AT(M, i, j), step_size(V));
        range.least = fmin(range.least, x);
        range.most = fmax(range.most, x);
        range.off = fmax(range.off, claimed ? half_unit(entry) : 0);
    }
    return range;
}

/* The feature that entry k of the claim is about. */
static int feature_of(const Claim *claim, int k)
{
    const Step *step = claim->step;
    const real *here = claimed_entry(claim->item, step->M, k);
    int number = (int)(here - step->M->at), rows = step->M->rows;
    bool alone = step->algorithm == 3;
    return 1 + (alone ? number : step->turned ? number / rows
                                              : number % rows);
}

static void remark_mixture(const Judgement *judgement, const Judged *j,
                           Remarks *to)
{
    const Item *item = j->claim.item;
    const Step *V = step_before(judgement->run, j->claim.step, ROLE_VALUES);
    const Item *claimed = V == NULL ? NULL : claim_on(judgement, V);
    char name[40];
    if (V == NULL || (claimed != NULL && !shape_fits(claimed, V->M)))
        return;
    for (int k = 0; k < item->rows * item->cols; k++) {
        Range range = range_of(V, claimed, feature_of(&j->claim, k));
        double x = item->entry[k].value,
               off = range.off + half_unit(&item->entry[k]);
        if (x < range.least - off || x > range.most + off) {
            remark(to, "%s is %.6g, but the values that are mixed go from "
                   "%.4g to %.4g", called(name, item, k), x, range.least,
                   range.most);
            return;
        }
    }
}

static void remark_whole(const Judged *j, Remarks *to)
{
    const Item *item = j->claim.item;
    for (int k = 0; k < item->rows * item->cols; k++) {
        const Entry *entry = &item->entry[k];
        const char *typed = entry->typed;
        int n = entry->bytes;
        bool whole = n < 10 && strcspn(typed, "./eE(\\") >= (size_t)n;
        double off = entry->value - *claimed_entry(item,
                                                   j->claim.step->M, k);
        if (!whole || j->verdict[k] <= RIGHT || entry->value == 0
            || fabs(off) > 0.5)
            continue;
        if (entry->decimals == EXACT)
            remark(to, "where all are whole, numbers are exact; %.*s.0 "
                   "has one decimal", n, typed);
        else
            remark(to, "%.*s stands for %.*f beside decimals", n, typed,
                   entry->decimals, entry->value);
        return;
    }
}

void remarks_on(const Judgement *judgement, const Judged *j, Remarks *to)
{
    const Step *step = j->claim.step;
    to->n = 0;
    if (j->cut_short)
        remark(to, "the sheet is so large that not every slip was tried");
    if (!j->fits || !j->begins || j->n > 0 || j->turned)
        return;
    if (step->aspect == VALUE && sums_to_1(step)) {
        remark_range(j, to);
        remark_sums(j, to);
    }
    if (step->role == ROLE_MIXED)
        remark_mixture(judgement, j, to);
    remark_whole(j, to);
}

