/* ftx check: what was computed by hand, judged. */
#include "check/check.h"
#include "show/show.h"
#include <stdlib.h>
#include <string.h>

typedef struct { bool json, svg, md, lenient; } CheckOptions;

static const Option wishes[] = {
    { "json", FLAG, UNBOUNDED(CheckOptions, json), NULL,
      "one object a sheet, on one line" },
    { "svg", FLAG, UNBOUNDED(CheckOptions, svg), NULL,
      "a picture: the claims, each entry with its verdict" },
    { "md", FLAG, UNBOUNDED(CheckOptions, md), NULL,
      "the same as Markdown to paste" },
    { "lenient", FLAG, UNBOUNDED(CheckOptions, lenient), NULL,
      "exit with 0 if nothing but rounding differs" },
    { .name = NULL },
};

static const char usage[] =
    "Usage: ftx check [options] SHEET...\n"
    "\n"
    "Judges what a sheet claims: which entries are right to the digits\n"
    "typed, where it first goes wrong, and which slip explains that.\n"
    "A SHEET is a file; - is standard input. For example:\n"
    "\n"
    "  printf 'e = 1\\nWu = 0 ; ln(3)\\nclaim p = 0.25 0.75\\n' | ftx check -"
    "\n"
    "  ftx check --svg tests/data/worked/alg04.sheet > judged.svg\n"
    "\n"
    "Exit status: 0 if all is right, 1 if something is not, 2 if a sheet\n"
    "cannot be judged.\n";
static const char settings_text[] =
    "\nSettings, each on a line of its own:\n"
    "  algorithm 4         or a word: attention, multihead, layernorm,\n"
    "                      softmax; without it the names tell it\n"
    "  layout textbook     paper, textbook, torch or berkeley: are tokens\n"
    "                      rows, are weights transposed\n"
    "  mask causal         none, causal, or a matrix of 0 and 1\n"
    "  scale no            or yes, or a number that divides the scores\n"
    "  d_attn 64           where no matrix tells it\n"
    "  positions vaswani   none, paper or vaswani\n"
    "  norm rms            layer or rms\n"
    "  epsilon 1e-5        under the root of a norm\n"
    "  tied yes            W_u is the transpose of W_e\n"
    "  tau 0.7             the temperature\n"
    "  target 2            the token whose loss is claimed, from 1\n"
    "  top_k 3, top_p 0.9  the tokens that are kept\n"
    "  decimals 3          for what is shown\n"
    "\nWhat a sheet starts from:\n";

static const char json_schema[] =
    "Each object of --json:\n"
    "  {\"sheet\", \"algorithm\", \"layout\", \"other_layout\",\n"
    "   \"status\": right|wrong|error,\n"
    "   \"first_wrong\": number of a claim|null, \"claims\": [\n"
    "    {\"claim\", \"algorithm\", \"line\", \"name\", \"index\",\n"
    "     \"rows\", \"cols\", \"fits\", \"verdict\", \"transposed\",\n"
    "     \"entries\": [{\"row\", \"col\", \"typed\", \"claimed\",\n"
    "       \"here\", \"verdict\": open|right|last digit|cut off|\n"
    "         rounded early|follows|wrong}],\n"
    "     \"explanations\": [{\"slips\", \"sentence\", \"carried\",\n"
    "       \"only\"}], \"sources\": [number of a claim], \"terms\",\n"
    "     \"remarks\"}]}\n"
    "or {\"sheet\", \"status\", \"error\"}\n";
typedef struct {
    FILE *out;
    const char *name;
    const CheckOptions *wish;
    bool heading;
    Arena *arena;
    Tape *tape;
    const Judgement *judgement;
} Checking;

static void judge(Error *f, void *data)
{
    Checking *c = data;
    const Sheet *sheet = read_sheet(c->arena, c->name, f);
    c->judgement = judge_sheet(sheet, c->arena, c->tape, f);
    const Run *run = c->judgement->run;
    const Step *end = &run->step[run->n - 1], *last = end;
    if (all_claimed(c->judgement) > 0)
        return;
    while (last->inner && last > run->step)
        last--;
    char name[60];
    step_name(name, sizeof name, last->inner ? end : last);
    f->text = NULL;
    fail_with(f, "nothing is claimed; a line 'claim %s = ...' says what "
              "was computed.", name);
}

static void judge_and_print(Error *f, void *data)
{
    Checking *c = data;
    judge(f, c);
    if (c->heading)
        fprintf(c->out, "%s:\n", c->name);
    if (c->wish->json)
        check_json(c->out, c->judgement);
    else if (c->wish->svg)
        show_svg(c->out, marked_run(c->judgement, c->arena), true,
                 c->arena, f);
    else if (c->wish->md)
        show_md(c->out, marked_run(c->judgement, c->arena), true, c->arena);
    else
        check_text(c->out, c->judgement);
}

static int check_sheet(const Command *c, const char *name,
                       const CheckOptions *wish, bool heading)
{
    Checking checking = { c->out, name, wish, heading, arena_new(),
                          tape_new(false), NULL };
    Error f = { .sheet = name };
    int status = 2;
    if (try_work(&f, judge_and_print, &checking)) {
        const Judgement *judgement = checking.judgement;
        bool accepted = all_right(judgement)
                     || (wish->lenient && is_only_rounded(judgement));
        status = accepted ? 0 : 1;
    } else {
        if (wish->json)
            print_json(c->out, "{'sheet': %s, 'status': 'error', "
                       "'error': %s}\n", name, f.sentence);
        else if (heading)
            fprintf(c->out, "%s: cannot be judged\n", name);
        fflush(c->out);
        fprintf(c->err, "%s\n", f.sentence);
    }
    tape_free(checking.tape);
    arena_free(checking.arena);
    return status;
}

static void print_total(FILE *out, int n, const int count[3])
{
    static const char *const words[] = { "right", "wrong",
                                         "cannot be judged" };
    const char *before = ": ";
    fprintf(out, "\n%d sheets", n);
    for (int k = 0; k < 3; k++)
        if (count[k] > 0) {
            fprintf(out, "%s%d %s", before, count[k], words[k]);
            before = ", ";
        }
    fputc('\n', out);
}

static void check_wish(const CheckOptions *wish, int sheets, Error *f)
{
    if (sheets == 0)
        fail_with(f, "which sheet? See 'ftx check --help'.");
    if (wish->json + wish->svg + wish->md > 1)
        fail_with(f, "one of --json, --svg, --md at a time.");
    if (wish->svg && sheets > 1)
        fail_with(f, "a picture is of one sheet; there are %d.", sheets);
}

/* Prints the help; behind --help may stand the number of an algorithm, or
   json. */
static void print_check_help(Error *f, const Command *c,
                             const Options *options)
{
    const char *last = c->argument[c->n - 1];
    int algorithm = atoi(last);
    if (strcmp(last, "json") == 0)
        fputs(json_schema, c->out);
    else if (algorithm >= 1 && algorithm <= 15)
        print_algorithm(c->out, algorithm);
    else if (*last != '-')
        fail_with(f, "--help %s: expected one of 1 ... 15, or json.", last);
    else {
        fputs(usage, c->out);
        print_options(c->out, options);
        fputs(settings_text, c->out);
        print_starts(c->out);
        fputs("\nftx check --help 4 lists what Algorithm 4 takes, and "
              "--help json the\nobjects of --json.\n", c->out);
    }
}

static void check_sheets(Error *f, void *data)
{
    Command *c = data;
    CheckOptions wish = { false };
    const Options options[] = { { "Options", wishes, &wish },
                                { .table = NULL } };
    int count[3] = { 0 };
    if (asks_help(c->n, c->argument)) {
        print_check_help(f, c, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    check_wish(&wish, n, f);
    bool plain = !wish.json && !wish.md;
    for (int k = 0; k < n; k++) {
        if (k > 0 && !wish.json)
            fputc('\n', c->out);
        int status = check_sheet(c, c->argument[k], &wish, n > 1 && plain);
        count[status]++;
        c->status = status > c->status ? status : c->status;
    }
    if (n > 1 && plain)
        print_total(c->out, n, count);
}

int check(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx check", check_sheets, out, err, n, argument);
}
