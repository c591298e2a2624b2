/* What is refused, and by which words: the sheets and commands of
   tests/data/refusals. */
#include "program.h"
#include "cases.h"

static void judge_sheet_case(const Case *c)
{
    expect_refusal(c, SAID(check, write_text("a.sheet", c->input)));
}

/* Each line begins with "$ ". */
static void judge_command_case(const Case *c)
{
    char *all = arena_alloc(arena, strlen(c->input) + 1), *to = all;
    for (const char *from = c->input; *from != '\0'; from++) {
        const bool begins = from == c->input || from[-1] == '\n';
        if (begins && strncmp(from, "$ ", 2) == 0)
            from += 2;
        *to++ = *from;
    }
    *to = '\0';
    expect_refusal(c, shell(all));
}

LAW(each_sheet_is_refused_by_the_expected_words)
{
    judge_cases("tests/data/refusals/sheets.txt", 100, judge_sheet_case);
}

LAW(each_command_is_refused_by_the_expected_words)
{
    shell("ftx train d --model d.ftx --L 1 --H 2 --d_e 8 --ell_max 24 "
          "--steps 2 LICENSE");
    judge_cases("tests/data/refusals/commands.txt", 30, judge_command_case);
}
