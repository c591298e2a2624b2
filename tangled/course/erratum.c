/* ftx erratum: names the sheets that show errata of the paper. Main type:
   Erratum, a row of the table. Entry point: erratum, the command. In:
   nothing. Out: text; nothing is computed. */
#include "course/course.h"

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

static const char erratum_usage[] =
    "Usage: ftx erratum\n"
    "\n"
    "Lists the errata of the paper that a sheet shows. Volume 1 lists all.\n";

void erratum(Error *f, Command *c)
{
    const Options none[] = { { .table = NULL } };
    if (parse_command(f, c, erratum_usage, none) > 0)
        fail_with(f, "no argument is expected.");
    for (int k = 0; k < ERRATA; k++)
        fprintf(c->out, "E%d: %s\n  %s\n  ftx check "
                "tests/data/errata/E%02d.sheet\n", errata[k].number,
                errata[k].where, errata[k].what, errata[k].number);
}
