/* ftx erratum: names the sheets that show errata of the paper. Main type:
   Erratum, a row of the table. Entry point: erratum, the command. In: E3,
   E4, ... or nothing. Out: text; nothing is computed. */
#include "course/course.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int number;                 /* 3 of E3: tests/data/errata/E03.sheet */
    const char *where, *what;   /* what the paper prints, and the trouble */
} Erratum;

static const Erratum errata[] = {
    { 3, "Algorithm 6, line 3",
      "Without epsilon a token of equal entries gives 0/0." },
    { 4, "Algorithm 6, line 2",
      "The variance divides by d_e; many libraries divide by d_e - 1." },
    { 14, "Mask", "t is the key, t' the query; it is easily transposed." },
    { 16, "P in (0, 1)",
      "In floating point P can be 0, and its logarithm -infinity." },
    { 22, "Algorithms 14 and 15, tau", "p^(1/tau) is undefined at 0." },
    { 26, "Section 5, sinusoids",
      "Base l_max, exponents from 2/d_e, positions from 1." },
    { 29, "Equation (5)", "GELU is exact; GPT-2 approximates it by tanh." },
    { 30, "Algorithm 10, lines 5 and 7",
      "X~ is assigned, and easily read as X." },
    { 32, "Algorithms 11 to 13", "The loss is a sum over tokens, no mean." },
    { 37, "Section 6, Gopher",
      "RMSnorm is m = beta = 0: before line 2, or after it?" },
    { 40, "Section 6, EDT",
      "A token may use those that precede it; the mask has itself too." },
};
enum { ERRATA = sizeof errata / sizeof *errata };

static void print_erratum(FILE *out, const Erratum *e)
{
    fprintf(out, "E%d: %s\n  %s\n  ftx check tests/data/errata/E%02d.sheet\n",
            e->number, e->where, e->what, e->number);
}

static const char erratum_usage[] =
    "Usage: ftx erratum [E3 ... E40]\n"
    "\n"
    "Prints an erratum of the paper and the sheet that shows it. Without a\n"
    "number it prints all that have a sheet; volume 1 has the full list.\n"
    "For example:\n"
    "\n"
    "  ftx erratum E30\n";

/* Returns the erratum E30, e30 or 30; NULL if it has no sheet. */
static const Erratum *find_erratum(const char *name)
{
    const char *digits = name + (name[0] == 'E' || name[0] == 'e');
    size_t n = strspn(digits, "0123456789");
    for (int k = 0; k < ERRATA; k++)
        if (n <= 2 && digits[n] == '\0' && atoi(digits) == errata[k].number)
            return &errata[k];
    return NULL;
}

void erratum(Error *f, Command *c)
{
    const Options none[] = { { .table = NULL } };
    int n = parse_command(f, c, erratum_usage, none);
    for (int k = 0; k < n; k++)
        if (find_erratum(c->argument[k]) == NULL)
            fail_with(f, "no sheet shows an erratum %.100s; see "
                      "'ftx erratum'.", c->argument[k]);
    for (int k = 0; k < (n == 0 ? ERRATA : n); k++)
        print_erratum(c->out, n == 0 ? &errata[k]
                                     : find_erratum(c->argument[k]));
}
