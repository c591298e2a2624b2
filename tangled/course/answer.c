/* An answer of an exercise: its name, its place, its text. */
#include "course/course.h"
#include <math.h>
#include <string.h>

void claim_name(const Exercise *e, const Step *step, char *to, size_t size)
{
    bool model = e->run->algorithm >= 8 && step->aspect == VALUE;
    bool masked = e->wanted->mask != 0 && strcmp(step->name, "S") == 0;
    Step named = *step;
    if (model && (step->algorithm >= 8 || step->part == LAYER))
        named.part = NOWHERE;
    if (model)
        named.head = 0;
    int n = !model && !masked ? 0       /* 4.4 or 4.5? */
          : snprintf(to, size, "%d.%d ", step->algorithm, step->line);
    step_name(to + n, size - (size_t)n, &named);
}

void step_place(const Exercise *e, const Step *step, char *to, size_t size)
{
    static const char *const parts[] = {
        [ENC] = ", W^enc", [DEC] = ", W^dec", [ED] = ", W^e/d" };
    bool model = e->run->algorithm >= 8;
    snprintf(to, size, "%d.%d%s", step->algorithm, step->line,
             step->algorithm < 8 && step->part > LAYER
             ? parts[step->part] : "");
    if (step->turn > 0)
        append(to, size, ", i = %d", step->turn);
    if (step->head > 0 && !model)
        append(to, size, ", h = %d", step->head);
}

static bool is_fraction(double x, int most, int *p, int *q)
{
    double near = sizeof(real) == sizeof(float) ? 1e-5 : 1e-9;
    if (!(fabs(x) < 1000))
        return false;
    for (*q = 1; *q <= most; ++*q) {
        *p = (int)round(x * *q);
        if (fabs(x - (double)*p / *q) < near)
            return true;
    }
    return false;
}

static void put_multiple(char *to, size_t size, int p, const char *root,
                         int q)
{
    char below[20] = "";
    if (q > 1)
        snprintf(below, sizeof below, "/%d", q);
    if (*root == '\0')
        snprintf(to, size, "%d%s", p, below);
    else if (p == 1 || p == -1)
        snprintf(to, size, "%s%s%s", p < 0 ? "-" : "", root, below);
    else
        snprintf(to, size, "%d*%s%s", p, root, below);
}

bool exact_text(double x, char *to, size_t size)
{
    static const struct { const char *text; double square; } roots[] = {
        { "", 1 }, { "sqrt(2)", 2 }, { "sqrt(3)", 3 }, { "sqrt(5)", 5 },
        { "sqrt(6)", 6 } };
    enum { ROOTS = sizeof roots / sizeof *roots };
    int p, q;
    for (int k = 0; k < ROOTS; k++)
        if (is_fraction(x / sqrt(roots[k].square), k == 0 ? 40 : 6, &p,
                        &q)) {
            put_multiple(to, size, p, roots[k].text, q);
            return true;
        }
    for (int k = 0; k < ROOTS; k++)
        if (is_fraction(exp(fabs(x) / sqrt(roots[k].square)), 20, &p, &q)) {
            char argument[40];
            put_multiple(argument, sizeof argument, p, "", q);
            snprintf(to, size, "%s%s%sln(%s)", x < 0 ? "-" : "",
                     roots[k].text, k == 0 ? "" : "*", argument);
            return true;
        }
    return false;
}

void answer_text(const Exercise *e, const Step *step, int i, int j,
                 char *to, size_t size)
{
    double x = AT(step->M, i, j);
    if (!e->wanted->exact || !exact_text(x, to, size))
        format_number(to, size, x, choose_decimals(step->M,
                                                   e->wanted->decimals));
}
