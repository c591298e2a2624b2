/* ftx check: what was computed by hand, judged.

   Main type: CheckOptions. Entry point: check. In go sheets; out come
   reports, and an exit status. */
#include "check/check.h"
#include <stdlib.h>
#include <string.h>

typedef struct { bool json, lenient; } CheckOptions;

static const Option check_options[] = {
    { "json", FLAG, UNBOUNDED(CheckOptions, json), NULL,
      "one object a sheet, on one line" },
    { "lenient", FLAG, UNBOUNDED(CheckOptions, lenient), NULL,
      "exit with 0 if only rounding differs" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx check [options] SHEET...\n"
    "\n"
    "Checks what a sheet claims: which entries are right to the digits\n"
    "typed, which step is the first wrong one, and which slip explains it.\n"
    "A SHEET is a file; - is standard input. For example:\n"
    "\n"
    "  printf 'e = 1\\nWu = 0 ; ln(3)\\nclaim p = 0.25 0.75\\n' | ftx check -"
    "\n"
    "  ftx check tests/data/hand/no-scale.sheet\n"
    "\n"
    "Exit status: 0 if all is right, 1 if something is not, 2 if a sheet\n"
    "cannot be judged.\n";

static const char settings_text[] =
    "\nSettings, each on a line of its own:\n"
    "  algorithm 4         or a word: attention, multihead, layernorm,\n"
    "                      softmax; if missing, inferred from the names\n"
    "  layout textbook     paper, textbook, torch or berkeley: whether\n"
    "                      tokens are rows, and weights transposed\n"
    "  mask causal         none, causal, or a matrix: 1 is seen, 0 hidden\n"
    "  scale no            or yes, or what the scores are divided by; a\n"
    "                      number below 1 is what they are multiplied by\n"
    "  d_attn 64           if it does not follow from a matrix\n"
    "  positions vaswani   none, paper or vaswani\n"
    "  norm rms            layer or rms\n"
    "  epsilon 1e-5        under the root of a norm\n"
    "  tied yes            W_u is the transpose of W_e\n"
    "  tau 0.7             the temperature\n"
    "  target 2            the token whose loss is claimed, from 1\n"
    "  top_k 3, top_p 0.9  which tokens are kept\n"
    "  decimals 3          of the numbers shown\n"
    "\nWhat a sheet starts from:\n";

/* Prints the help, or what one algorithm takes if its number stands behind
   --help. */
static void print_check_help(Error *f, const Command *c,
                             const Options *options)
{
    const char *last = c->argument[c->n - 1];
    char *end;
    long algorithm = strtol(last, &end, 10);
    if (algorithm >= 1 && algorithm <= 15 && *end == '\0')
        print_algorithm(c->out, (int)algorithm);
    else if (*last != '-')
        fail_with(f, "--help %s: expected an algorithm from 1 to 15.", last);
    else {
        fputs(usage, c->out);
        print_options(c->out, options);
        fputs(settings_text, c->out);
        print_starts(c->out);
        fputs("\nftx check --help 4 lists what Algorithm 4 takes.\n", c->out);
    }
}

typedef struct {
    const Command *command;
    const char *name;           /* of the sheet                           */
    const CheckOptions *options;
    Arena *arena;
    Tape *tape;
    bool heading;
    int status;
} Checking;

static void judge_and_print(Error *f, void *data)
{
    Checking *c = data;
    FILE *out = c->command->out;
    const Sheet *sheet = read_sheet(c->arena, c->name, f);
    const Judgement *judgement = judge_sheet(sheet, c->arena, c->tape, f);
    const Run *run = judgement->run;
    char name[60];
    if (judgement->claimed == 0) {
        step_name(name, sizeof name, &run->step[run->n - 1]);
        f->text = NULL;
        fail_with(f, "nothing is claimed; add a line such as 'claim %s = ...'"
                  " with the numbers that you computed.", name);
    }
    if (c->heading)
        fprintf(out, "%s:\n", c->name);
    if (c->options->json)
        check_json(out, judgement);
    else
        check_text(out, judgement);
    const Judged *first = first_wrong(judgement);
    bool accepted = first == NULL
                 || (c->options->lenient && first->count[WRONG] == 0);
    c->status = accepted ? 0 : 1;
}

/* Judges one sheet and returns its exit status. */
static int check_sheet(const Command *command, const char *name,
                       const CheckOptions *options, bool heading)
{
    Checking c = { command, name, options, arena_new(), tape_new(false),
                   heading, 2 };
    Error f = { .sheet = name };
    if (!try_work(&f, judge_and_print, &c)) {
        if (options->json)
            print_json(command->out, "{'sheet': %s, 'status': 'error', "
                       "'error': %s}\n", name, f.sentence);
        else if (heading)
            fprintf(command->out, "%s: cannot be judged\n", name);
        fflush(command->out);
        fprintf(command->err, "%s\n", f.sentence);
    }
    tape_free(c.tape);
    arena_free(c.arena);
    return c.status;
}

void check(Error *f, Command *c)
{
    CheckOptions wanted = { false };
    const Options options[] = { { "Options:", check_options, &wanted },
                                { .table = NULL } };
    int count[3] = { 0 };
    if (asks_help(c->argument)) {
        print_check_help(f, c, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    if (n == 0)
        fail_with(f, "no sheet given; see 'ftx check --help'.");
    bool several = n > 1 && !wanted.json;
    for (int k = 0; k < n; k++) {
        if (k > 0 && !wanted.json)
            fputc('\n', c->out);
        int status = check_sheet(c, c->argument[k], &wanted, several);
        count[status]++;
        c->status = status > c->status ? status : c->status;
    }
    if (several)
        fprintf(c->out, "\n%d sheets: %d right, %d wrong, %d cannot be "
                "judged\n", n, count[0], count[1], count[2]);
}
