/* Remarks: what is odd about claimed numbers, whatever the right ones are.

   Entry point: find_remarks. In goes a judged claim; out come sentences. */
#include "check/report.h"
#include <math.h>
#include <string.h>

/* The sum of distribution t as typed; NaN if an entry is open. *off is by how
   much rounding may have changed it. */
static double sum_typed(const Claim *claim, int t, double *off)
{
    const Item *item = claim->item;
    Mat M = claim->step->M;
    bool rows = claim->step->transposed;
    double sum = 0;
    *off = 1e-9;
    for (int u = 1; u <= (rows ? M->cols : M->rows); u++) {
        int k = rows ? entry_at(item, M, t, u) : entry_at(item, M, u, t);
        const Entry *entry = &item->entry[k];
        sum += entry->value;
        *off += entry->decimals == EXACT ? 1e-5
              : unit_of(entry->decimals) / 2;
    }
    return sum;
}

/* Writes which sums are not 1; false: none is. */
static bool has_wrong_sum(const Claim *claim, char to[REMARK_BYTES])
{
    const Step *step = claim->step;
    Mat M = step->M;
    int n = step->transposed ? M->rows : M->cols, wrong = 0;
    for (int t = n; t >= 1; t--) {
        double off, sum = sum_typed(claim, t, &off);
        if (!isfinite(sum) || fabs(sum - 1) <= off)
            continue;
        if (n == 1)
            snprintf(to, REMARK_BYTES, "the entries sum to %.6g, not to 1",
                     sum);
        else
            snprintf(to, REMARK_BYTES, "%s %d sums to %.6g, not to 1%s",
                     step->transposed ? "row" : "column", t, sum,
                     wrong > 0 ? "; others do not, either" : "");
        wrong++;
    }
    return wrong > 0;
}

/* Writes how a whole number is meant that is off by less than 1; false: none
   is. */
static bool has_whole_number(const Judged *j, char to[REMARK_BYTES])
{
    const Item *item = j->claim.item;
    for (int k = 0; k < item->rows * item->cols; k++) {
        const Entry *entry = &item->entry[k];
        int n = entry->bytes;
        bool whole = n < 10 && strcspn(entry->typed, "./eE(\\") >= (size_t)n;
        double x = *claimed_entry(item, j->claim.step->M, k);
        if (!whole || j->verdict[k] <= RIGHT || entry->value == 0
            || fabs(entry->value - x) > 0.5)
            continue;
        if (entry->decimals == EXACT)
            snprintf(to, REMARK_BYTES, "whole numbers are taken as exact; "
                     "type %.*s.0 for one decimal", n, entry->typed);
        else
            snprintf(to, REMARK_BYTES, "%.*s is read as %.*f, since other "
                     "entries have decimals", n, entry->typed,
                     entry->decimals, entry->value);
        return true;
    }
    return false;
}

int find_remarks(const Judged *j, char to[REMARKS][REMARK_BYTES])
{
    const Step *step = j->claim.step;
    int n = 0;
    if (j->cut_short)
        snprintf(to[n++], REMARK_BYTES, "the sheet is so large that not "
                 "every slip was tried");
    if (!j->fits || !j->begins || j->n > 0 || j->transposed)
        return n;
    if (step->aspect == VALUE && sums_to_1(step))
        n += has_wrong_sum(&j->claim, to[n]);
    n += has_whole_number(j, to[n]);
    return n;
}
