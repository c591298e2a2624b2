/* ftx show --svg, --md and --shade. */
#include "command.h"
#include "show/show.h"
#include "sheets.h"
#include "law.h"
#include <glob.h>

static const char looks_back[] =
    "algorithm 4\nlayout textbook\nmask causal\ndecimals 2\nX = 1 0 ; 0 1\n"
    "Wq = 0 ; 1\nWk = 0 ; ln(3)\nWv = 4 ; 8\n";
static const char two_logits[] = "algorithm 7\ne = 1 -1\nWu = 0 0 ; ln(2) ln(3)\n"
    "layout paper\ndecimals 3\n";

/* ----------------------------------------------------------- heat maps */

LAW(a_model_is_drawn_without_and_with_its_inside)
{
    Said s = SAID(show, "--svg", "tests/data/worked/alg10.sheet");
    assert_says(s, ">line 5, l = 1: X̃ = layer_norm(X | γ^1, β^1)<");
    assert_int_equal(times(s.out, "font-weight"), 7);
    assert_int_equal(times(s.out, "softmax(S"), 0);
    s = SAID(show, "--all", "--svg", "tests/data/worked/alg10.sheet");
    assert_says(s, ">Algorithm 4, line 6, l = 1, h = 1: A = softmax(S / ");
    assert_says(s, ">line 5, l = 1: X̃ = layer_norm(X | γ^1, β^1)<");
    assert_int_equal(times(s.out, ": Q = "), 0);
}

LAW(a_very_large_matrix_is_not_drawn)
{
    char text[900] = "algorithm 7\ne = 1\nWu = ", sentence[200];
    for (int k = 0; k < 100; k++)
        strcat(text, "1 ; ");
    assert_says(SAID(show, "--svg", write_text("a", text)), "<svg");
    char *name = write_text("b", strcat(text, "1"));
    snprintf(sentence, sizeof sentence, "%s:1:1: the picture has room for "
             "matrices up to 100 x 100; logits is 101 x 1.", name);
    assert_refusal(SAID(show, "--svg", name), sentence);
}

LAW(a_large_matrix_is_drawn_without_numbers)
{
    char text[900] = "algorithm 7\ne = 1\nWu = ";
    for (int k = 0; k < 33; k++)
        strcat(text, "0.5 ; ");
    Said s = SAID(show, "--svg", write_text("a", text));
    assert_int_equal(times(s.out, "<title>"), 2 * 33);
    assert_int_equal(times(s.out, ">blue is above 0"), 1);
    assert_int_equal(times(s.out, "=\"14\" height=\"14\" fill"), 2 * 33);
    assert_int_equal(times(s.out, "fill-opacity=\"0.174\"><title>"), 33);
    assert_int_equal(times(s.out, " text-anchor=\"middle\">"), 0);
    strcpy(strstr(text, "Wu"), "Wu =");
    for (int k = 0; k < 33; k++)
        strcat(text, " 0.5");
    s = SAID(show, "--svg", write_text("c", strcat(text,
             "\nlayout textbook")));
    assert_int_equal(times(s.out, " text-anchor=\"middle\">"), 0);
    strcpy(strstr(text, "\nlayout") - 4, "\nlayout textbook");
    s = SAID(show, "--svg", write_text("d", text));
    assert_int_equal(times(s.out, " text-anchor=\"middle\">0.5000<"), 32);
    strcpy(strstr(text, "Wu"), "Wu = ");
    for (int k = 0; k < 33; k++)
        strcat(text, "0.5 ; ");
    text[strlen(text) - 6] = '\0';
    s = SAID(show, "--svg", write_text("b", text));
    assert_int_equal(times(s.out, " text-anchor=\"middle\">0.5000<"), 32);
}

LAW(a_terminal_has_five_shades)
{
    Said s = SAID(show, "--shade", write_text("a", "algorithm 7\n"
        "layout paper\ndecimals 2\n"
        "logits = 0 ln(5) ln(20) ln(40) ln(70)\n"));
    assert_says(s, "0.01     \n  0.04     \n  0.15   ░░\n"
                   "  0.29   ▒▒\n  0.51   ▓▓\n");
    assert_says(SAID(show, "--shade", write_text("b", "algorithm 7\n"
        "layout paper\nlogits = 0\n")), "   ██\n");
}

LAW(rows_go_down_and_columns_across)
{
    Said s = SAID(show, "--svg", "tests/data/worked/alg04-causal.sheet");
    int x[4], y[4];
    static const char *const cells[] = { "row 1, column 1: ",
        "row 1, column 2: ", "row 2, column 1: ", "fill=\"none\"" };
    for (int k = 0; k < 4; k++) {
        const char *at = strstr(s.out, cells[k]);
        assert_that(at != NULL);
        while (strncmp(at, "<rect ", 6) != 0)
            at--;
        assert_that(sscanf(at, "<rect x=\"%d\" y=\"%d\"", &x[k], &y[k])
                    == 2);
    }
    assert_that(x[1] > x[0] && y[1] == y[0] && x[2] == x[0] && y[2] > y[0]);
    assert_that(x[3] == x[0] && y[3] == y[0]);      /* the frame */
    assert_says(s, "fill-opacity=\"1.000\"");
    assert_int_equal(times(s.out, "opacity=\"0.600\""), 3);   /* not of -inf */
}

/* The attribute of that name in the tag at p; 0: it has none. */
static int attribute(const char *p, const char *name)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = strstr(p, wanted);
    return at == NULL || at > strchr(p, '>') ? 0
         : atoi(at + strlen(wanted));
}

/* Everything is inside the picture, which ends soon behind it, and every tag
   is closed. */
static void assert_sound(const char *svg)
{
    int width = attribute(svg, "width"), height = attribute(svg, "height"), last = 0;
    for (const char *p = svg; (p = strstr(p, "<rect x=")) != NULL; p++) {
        assert_that(attribute(p, "x") + attribute(p, "width") <= width);
        int end = attribute(p, "y") + attribute(p, "height");
        assert_that(end <= height);
        last = end > last ? end : last;
    }
    assert_that(height - last < 70);
    for (const char *p = svg; (p = strstr(p, "<text ")) != NULL; p++) {
        const char *text = strchr(p, '>') + 1;
        char inside[300] = "";
        strncat(inside, text, (size_t)(strstr(text, "</") - text));
        bool from_left = strstr(p, "anchor") == NULL
                      || strstr(p, "anchor") > text;
        bool level = strstr(p, "rotate") == NULL || strstr(p, "rotate") > text;
        assert_that(!from_left || !level
                    || attribute(p, "x") + 6.7 * text_width(inside) <= width);
        assert_that(attribute(p, "y") < height);
    }
    assert_int_equal(times(svg, "<text "), times(svg, "</text>"));
    assert_int_equal(times(svg, "<svg "), 1);
    assert_int_equal(times(svg, "</svg>\n"), 1);
}

LAW(every_worked_sheet_makes_a_sound_picture)
{
    glob_t worked;
    assert_that(glob("tests/data/worked/alg*.sheet", 0, NULL, &worked) == 0
                && worked.gl_pathc >= 17);
    for (size_t k = 0; k < 2 * worked.gl_pathc; k++) {
        Said s = SAID(show, "--svg", k % 2 ? "--all" : "--",
                      worked.gl_pathv[k / 2]);
        assert_that(s.status == 0 && attribute(s.out, "width") < 1460);
        assert_sound(s.out);
    }
    globfree(&worked);
    Said s = SAID(show, "--svg", "tests/data/worked/alg01.sheet");
    assert_int_equal(attribute(s.out, "height"),    /* two rows, no remark */
                     28 + 18 + 18 + 2 * 24 + 28 + 18);
}

/* The pictures of one head stand beside each other, those of the next
   head below. */
LAW(each_head_has_its_row)
{
    Said s = SAID(show, "--svg", "tests/data/worked/alg05.sheet");
    int y[4], n = 0;
    for (const char *p = s.out; (p = strstr(p, " font-weight")) != NULL; p++) {
        const char *tag = p;
        while (strncmp(tag, "<text", 5) != 0)
            tag--;
        assert_that(n < 4);
        y[n++] = attribute(tag, "y");
    }
    assert_int_equal(n, 4);
    assert_that(y[0] == y[1] && y[1] < y[2] && y[2] == y[3]);
}

/* -------------------------------------------------------- tables to paste */

LAW(a_model_is_printed_without_and_with_its_inside)
{
    Said s = SAID(show, "--md", "tests/data/worked/alg10.sheet");
    assert_int_equal(times(s.out, "\n| --: "), 7);
    s = SAID(show, "--all", "--md", "tests/data/worked/alg10.sheet");
    assert_says(s, "Algorithm 4, line 6, l = 1, h = 1: `A = ");
}

/* The part of a text between two others, as a claim on a sheet. */
static const char *as_claim(const char *text, const char *from, const char *to)
{
    char sheet[2000];
    const char *start = strstr(text, from);
    assert_that(start != NULL);
    const char *end = strstr(start, to);
    snprintf(sheet, sizeof sheet, "%sclaim 4.5 S = \n%.*s\n", looks_back,
             (int)(end - start), start);
    return write_text("claim", sheet);
}

static void assert_claims_scores(const char *name)
{
    const Reading *r = reading(name, NULL, read_it);
    if (r->sheet == NULL)
        fail_at(HERE(name), "%s", r->error.sentence);
    const Item *claim = &r->sheet->item[r->sheet->n - 1];
    assert_that(claim->rows == 2 && claim->cols == 2);
    assert_that(claim->entry[0].value == 0 && claim->entry[2].value == 0);
    assert_that(claim->entry[1].value == -INFINITY);
    assert_that(claim->entry[3].value == 1.1 && claim->entry[3].decimals == 2);
}

LAW(a_table_can_be_pasted_into_a_sheet)
{
    char *sheet = write_text("a", looks_back);
    Said s = SAID(show, "--md", sheet);
    const char *line_5 = strstr(s.out, "line 5");
    assert_claims_scores(as_claim(line_5, "|   |", "\n\n"));
}

/* -------------------------------------------------------------- odd text */

/* Q, V and S have entries that are 0 but for rounding. */
LAW(what_is_0_but_for_rounding_is_0)
{
    char *const forms[] = { "--svg", "--md", "--json" };
    char *sheet = write_text("a", "algorithm 4\nlayout textbook\n"
        "X = 0.1 0.2 -0.3 ; -100.1 -200.2 300.3\nWq = 1 1 ; 1 0 ; 1 2\n"
        "Wk = 1 1 ; 1 0 ; 1 1\nWv = 1 1 ; 1 0 ; 1 2\n"
        "claim Q = 1 2 ; 3 4\nclaim S = 1 2 ; 3 4\n");
    for (int k = 0; k < 4; k++) {
        const char *out = (k < 3 ? SAID(show, forms[k], sheet)
                                 : SAID(check, "--json", sheet)).out;
        if (strstr(out, "e-1") != NULL || strstr(out, "-0.0000") != NULL)
            fail_at(HERE(forms[k % 3]), "what is 0 is not: %s", out);
    }
}

/* Otherwise the file could not be read again. */
LAW(a_text_is_no_markup)
{
    Error f = { .text = NULL };
    Run run = *run_sheet(read_sheet(arena, write_text("a", two_logits), &f),
                         arena, &f);
    strcpy(run.guessed, " A <&>\" 1");
    FILE *out = tmpfile();
    show_svg(out, &run, false, arena, &f);
    assert_int_equal(times(all_of(out), " A &#60;&#38;&#62;&#34; 1</text>"), 1);
}

/* ------------------------------------------------------------ the options */

LAW(options_that_do_not_go_together_are_refused)
{
    char *sheet = write_text("a", two_logits);
    assert_refusal(SAID(show, "--svg", "--md", sheet), "ftx show: one of "
                   "--json, --read, --svg, --md at a time.");
    assert_refusal(SAID(show, "--md", "--json", sheet), "ftx show: one of "
                   "--json, --read, --svg, --md at a time.");
    assert_refusal(SAID(show, "--svg", sheet, sheet),
                   "ftx show: a picture is of one sheet; there are 2.");
    assert_int_equal(times(SAID(show, "--md", sheet, sheet).out,
                           "Algorithm 7, layout"), 2);
}
