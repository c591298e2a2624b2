/* ftx erratum: lists the errata of the paper and names the sheets that show
   them. Main type: Erratum, a row of the table. Entry point: erratum, the
   command. In: E1 ... E41. Out: text; nothing is computed. */
#include "course/course.h"
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 74 };

typedef struct {
    const char *kind, *where;
    const char *paper, *here;   /* what it prints, what is done here */
    bool has_sheet;             /* tests/data/errata/EN.sheet        */
} Erratum;

static const Erratum errata[] = {       /* E1 is errata[0] */
    { "error", "Algorithm 9, parameters",
      "W_u is N_V x d_e. After line 10 X has d_f rows.",
      "W_u is N_V x d_f.", false },
    { "error", "Algorithm 8, line 13",
      "The loop counts with i, its lines use l.",
      "The loop counts with l.", false },
    { "gap", "Algorithm 6, line 3",
      "There is no epsilon. A token of equal entries gives 0/0.",
      "epsilon is added under the root; 0 is the paper.", true },
    { "notation", "Algorithm 6, line 2",
      "The variance divides by d_e; many libraries divide by d_e - 1.",
      "It divides by d_e.", true },
    { "notation", "Algorithm 6, line 1",
      "m is set bold like a vector.",
      "m is one number for a token; e - m is e - m 1.", false },
    { "gap", "Algorithm 15, line 3",
      "The loop need not end, and W_p has no column l_max + 1.",
      "It also ends at l_max, and says whether eos was reached.", false },
    { "notation", "Algorithm 14, lines 4, 5, 8",
      "l is the length of the prompt only; y is a token and a sequence.",
      "Line 4 takes the last column; there are two variables.", false },
    { "gap", "Algorithms 8 to 10, hyperparameters",
      "d_attn and d_mid are missing.",
      "They are hyperparameters; their default is d_e / H.", false },
    { "notation", "Section 5.2, Algorithms 3 to 5",
      "The width of a value is d_value, d_out or d_mid.",
      "d_mid in a head, d_out after W_o.", false },
    { "error", "Section 5.2, text",
      "\"Token t in V\" predicts \"token q\"; t is an index, q a vector.",
      "t is in [T].", false },
    { "notation", "Algorithm 2",
      "The position is called l, elsewhere a length.",
      "The position is t.", false },
    { "notation", "Algorithm 3",
      "The length of the context is T, elsewhere l_z; it may not be 0.",
      "Both names stay; T >= 1.", false },
    { "notation", "Algorithms 8 to 10",
      "MHAttention is called with one sequence, but has two.",
      "Z is the sequence that stands there.", false },
    { "notation", "Mask",
      "Real in the appendix, 0 or 1 in Algorithms 4 and 5; a "
      "hyperparameter, but as large as the input; t is the key, t' the "
      "query.",
      "A rule that says who may look at whom, the context first.", true },
    { "notation", "Appendix B",
      "One l for x and for z; d_e where Algorithm 9 has d_f.",
      "Two lengths; the widths of the algorithms.", false },
    { "gap", "P in (0, 1)",
      "In floating point P can be 0, and its logarithm -infinity.",
      "P is in [0, 1]; losses are computed from the logits.", true },
    { "gap", "Algorithm 4, line 6",
      "A column that is masked throughout gives 0/0.",
      "It is refused.", false },
    { "notation", "Algorithm 4, lines 5 and 6",
      "The mask comes before the division.",
      "So it does; with -infinity the order does not matter.", false },
    { "gap", "Algorithms 8 to 15",
      "W_p has no column for a position above l_max.",
      "Texts are cut into pieces; a longer sequence is refused.", false },
    { "gap", "V*",
      "The empty sequence is one; Algorithm 14 would read column 0.",
      "A sequence has a token.", false },
    { "gap", "Algorithm 12, line 7",
      "There may be no masked token.",
      "The loss is 0 and theta stays.", false },
    { "gap", "Algorithms 14 and 15, tau",
      "The text uses 0 and infinity; p^(1/tau) is undefined at 0.",
      "softmax(log p / tau); at 0 the most probable token.", true },
    { "none", "eta, tau, p_mask",
      "eta and tau in (0, infinity), p_mask in (0, 1): no erratum.",
      "The same. A conversion of the PDF to text has (0, 1) for all.",
      false },
    { "error", "Section 6, GPT-3",
      "Sparse attention replaces dense attention in line 6.",
      "In every second layer.", false },
    { "gap", "Section 3, chain rule",
      "The probability of the first token is never computed.",
      "x[1] is bos, with probability 1.", false },
    { "error", "Section 5.1, sinusoids",
      "Base l_max, exponents from 2/d_e, positions from 1.",
      "Two variants: the paper's and Vaswani's.", true },
    { "error", "Section 5.1, text",
      "Without positions attention is permutation invariant.",
      "It is equivariant.", false },
    { "ambiguity", "Section 4, words",
      "The example has 7 words; with the full stop there are 8.",
      "7: words are cut behind blanks.", false },
    { "notation", "Equation (5)",
      "GELU is x P[X < x]; GPT-2 used an approximation by tanh.",
      "The exact one; tanh is an option.", true },
    { "notation", "Algorithm 10, lines 5 and 7",
      "X~ is assigned, and easily read as X.",
      "X~ is a variable of its own; X is not normalised.", true },
    { "gap", "Section 3, classification",
      "The task has no algorithm.",
      "A class head on Algorithm 9.", false },
    { "ambiguity", "Algorithms 11 to 13",
      "A step is one sequence, and its loss a sum over tokens.",
      "So it is; means and batches are options.", true },
    { "text", "Section 1",
      "The pseudocode is about 50 lines.",
      "GPT's is; all fifteen algorithms have more.", false },
    { "text", "Section 7, DTraining",
      "\"CPT-x\".",
      "GPT-x.", false },
    { "ambiguity", "Algorithms 14 and 15",
      "Algorithm 14 goes on after eos; mask and bos can be drawn.",
      "As printed; stopping and forbidding are options.", false },
    { "trap", "Algorithm 15, line 2",
      "y <- 0 is no token. Counted from 0 it is one.",
      "Tokens count from 1.", false },
    { "ambiguity", "Section 6, Gopher",
      "RMSnorm is m = beta = 0: before line 2, or after it?",
      "Before it, so that v is the mean square.", true },
    { "text", "Section 6",
      "The algorithms are not in all things the released models.",
      "The differences are hyperparameters.", false },
    { "notation", "everywhere",
      "Letters are used twice.",
      "A second name; see Notation.", false },
    { "text", "Section 6, EDT",
      "A token may use those that precede it; the mask has itself too.",
      "t <= t', the diagonal included.", true },
    { "gap", "Algorithms 12, 14, 15; theta",
      "Neither a source of randomness nor first values are given.",
      "A seeded generator is an argument, and so is theta.", false },
};
enum { ERRATA = sizeof errata / sizeof *errata };

static void list_errata(FILE *out)
{
    for (int k = 1; k <= ERRATA; k++) {
        const Erratum *e = &errata[k - 1];
        fprintf(out, "E%-3d %-9s  %s\n", k, e->kind, e->where);
        print_wrapped(out, WIDTH, "                ", NULL, e->paper);
    }
}

static void print_erratum(FILE *out, int k)
{
    const Erratum *e = &errata[k - 1];
    fprintf(out, "E%d (%s): %s\n", k, e->kind, e->where);
    print_wrapped(out, WIDTH, "The paper: ", NULL, e->paper);
    print_wrapped(out, WIDTH, "Here:      ", NULL, e->here);
    if (e->has_sheet)
        fprintf(out, "Try:       ftx check tests/data/errata/E%02d.sheet\n",
                k);
}

static const char erratum_usage[] =
    "Usage: ftx erratum [E1 ... E41]\n"
    "\n"
    "Prints an erratum of the paper: what it says, what is done here, and\n"
    "the sheet that shows the difference. Without a number it lists them\n"
    "all. For example:\n"
    "\n"
    "  ftx erratum E30\n"
    "\n"
    "  --help      this text\n";

/* Returns the number in E30, e30 or 30; 0 if there is no such erratum. */
static int parse_erratum(const char *name)
{
    const char *digits = name + (name[0] == 'E' || name[0] == 'e');
    size_t n = strspn(digits, "0123456789");
    int k = n < 1 || n > 2 || digits[n] != '\0' ? 0 : atoi(digits);
    return k <= ERRATA ? k : 0;
}

static void print_errata(Error *f, void *data)
{
    static const Option no_option = { .name = NULL };
    static const Options options[] = {
        { "Options:", &no_option, NULL }, { .table = NULL }
    };
    Command *c = data;
    if (asks_help(c->n, c->argument)) {
        fputs(erratum_usage, c->out);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    for (int k = 0; k < n; k++)
        if (parse_erratum(c->argument[k]) == 0)
            fail_with(f, "there is no erratum %.100s; they are E1 to E%d.",
                      c->argument[k], ERRATA);
    if (n == 0)
        list_errata(c->out);
    for (int k = 0; k < n; k++) {
        fputs(k > 0 ? "\n" : "", c->out);
        print_erratum(c->out, parse_erratum(c->argument[k]));
    }
}

int erratum(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx erratum", print_errata, out, err, n, argument);
}
