/* ftx exercise: sheets to fill in, their keys, and pages to print. */
#include "command.h"
#include "sheets.h"
#include "law.h"
#include <math.h>

#define DRAWN(...) ftx("exercise " __VA_ARGS__)

static char *const layout_names[] = { "paper", "textbook", "torch",
                                      "berkeley" };

/* ---------------------------------------------------- what a sheet says */

static const Run *run_drawn(Said s)
{
    const Run *run = s.status == 0 ? run_of(s.out) : NULL;
    if (run == NULL)
        fail_at(HERE("ftx exercise"), "%s\n%s", s.err, s.out);
    for (int k = 0; k < run->sheet->n; k++)
        if (run->sheet->item[k].claim)
            step_for(run, &run->sheet->item[k]);
    return run;
}

static const Item *item_of(const Run *run, const char *name, bool claim)
{
    for (int k = 0; k < run->sheet->n; k++)
        if (strcmp(run->sheet->item[k].name, name) == 0
            && run->sheet->item[k].claim == claim)
            return &run->sheet->item[k];
    fail_at(HERE("item_of"), "there is no %s", name);
    return NULL;
}

/* Every claim has the shape of its step. Returns how many entries. */
static int entries_claimed(const Run *run)
{
    int entries = 0;
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *claim = &run->sheet->item[k];
        if (!claim->claim)
            continue;
        assert_shape(step_for(run, claim)->M, claim->rows, claim->cols);
        entries += claim->rows * claim->cols;
    }
    return entries;
}

static void assert_blank(const Run *run)
{
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *item = &run->sheet->item[k];
        for (int i = 0; item->claim && i < item->rows * item->cols; i++)
            assert_that(isnan(item->entry[i].value));
    }
}

/* Every claim is what the program computes, to the digits written. */
static void assert_right(const Run *run, int decimals)
{
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *item = &run->sheet->item[k];
        for (int i = 0; item->claim && i < item->rows * item->cols; i++) {
            const Entry *entry = &item->entry[i];
            Mat M = step_for(run, item)->M;
            double x = AT(M, i / item->cols + 1, i % item->cols + 1);
            bool rounded = entry->decimals == decimals;
            assert_near(entry->value, x, rounded
                        ? 0.501 * pow(10, -decimals) / fmax(1, fabs(x))
                        : IS_DOUBLE ? 1e-9 : 1e-4);
        }
    }
}

/* A small amount: each algorithm in one of the layouts. */
LAW(every_algorithm_has_a_sheet_in_every_layout)
{
    for (int a = 1; a <= 15; a++)
        for (int k = 0; k < 4; k++) {
            if (amount(100) < 10 && k != a % 4)
                continue;
            const Run *blank = run_drawn(DRAWN("--algorithm %d --seed 2 "
                                               "--layout %s", a,
                                               layout_names[k]));
            const Run *full = run_drawn(DRAWN("--algorithm %d --seed 2 "
                                              "--layout %s --key", a,
                                              layout_names[k]));
            assert_that(full->algorithm == a);
            assert_that(strcmp(full->layout->name, layout_names[k]) == 0);
            assert_blank(blank);
            assert_right(full, 3);
            assert_that(entries_claimed(blank) > 1);
            assert_that(entries_claimed(blank) == entries_claimed(full));
        }
}

LAW(a_key_is_judged_all_right)
{
    for (int a = 1; a <= 15; a++) {
        Said key = DRAWN("--algorithm %d --seed 2 --key", a);
        Said judged = SAID(check, write_text("key.sheet", key.out));
        assert_says(judged, "\nall right\n");
    }
}

/* ---------------------------------------------------------------- seeds */

LAW(the_seed_decides)
{
    for (int a = 1; a <= 15; a++) {
        Said s = DRAWN("--algorithm %d --seed 2 --key", a);
        Said same = DRAWN("--algorithm %d --seed 2 --key", a);
        Said other = DRAWN("--algorithm %d --seed 4 --key", a);
        assert_string_equal(s.out, same.out);
        assert_string_not_equal(s.out, other.out);
    }
}

LAW(a_seed_gives_the_same_bytes_everywhere)
{
    Said s = DRAWN("--algorithm 1 --seed 7 --layout torch");
    assert_says(s, "\nv = 1\nW_e = 2 -1 1 ; -1 2 2 ; 0 1 -1 ; 2 2 1\n");
    assert_says(DRAWN("--algorithm 10 --seed 1"), "\nx = 1 2 1\n");
}

LAW(another_layout_is_the_same_exercise)
{
    const Run *paper = run_drawn(DRAWN("--algorithm 5"));
    for (int k = 1; k < 4; k++) {
        const Run *other = run_drawn(DRAWN("--algorithm 5 --layout %s",
                                           layout_names[k]));
        Mat A = step_for(paper, item_of(paper, "V_tilde", true))->M,
            B = step_for(other, item_of(other, "V_tilde", true))->M;
        assert_same(k < 3 ? transpose_of(arena, B) : B, A, TIGHT);
    }
}

/* -------------------------------------------------------------- numbers */

LAW(weights_are_neither_tiny_nor_all_alike)
{
    for (int seed = 1; seed <= 20; seed++) {
        const Run *run = run_drawn(DRAWN("--algorithm 4 --seed %d", seed));
        Mat A = step_for(run, item_of(run, "A", true))->M;
        double least = 1, most = 0;
        for (int i = 1; i <= 3; i++)
            for (int j = 1; j <= 3; j++) {
                least = fmin(least, AT(A, i, j));
                most = fmax(most, AT(A, i, j));
            }
        assert_that(least >= 0.01 && most - least > 0.01);
    }
}

LAW(no_token_is_zero_and_none_comes_twice)
{
    for (int seed = 1; seed <= 30; seed++) {
        const Run *run = run_drawn(DRAWN("--seed %d", seed));
        const Entry *x = item_of(run, "X", false)->entry;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++) {
                bool same = true, zero = true;
                for (int k = 0; k < 9; k += 3) {
                    same &= x[k + i].value == x[k + j].value;
                    zero &= x[k + i].value == 0;
                }
                assert_that(!zero && (i == j || !same));
            }
    }
}

LAW(a_token_is_drawn_without_doubt)
{
    double most = 0;
    for (int seed = 1; seed <= 20; seed++) {
        const Run *run = run_drawn(DRAWN("--algorithm 14 --seed %d", seed));
        const Item *u = item_of(run, "u", false);
        for (int k = 0; k < u->cols; k++)
            assert_that(0 <= u->entry[k].value && u->entry[k].value < 1);
        most = fmax(most, u->entry[0].value);
        for (int k = 0; k < run->n; k++) {
            const Step *q = &run->step[k];
            double sum = 0;
            for (int y = 1; strcmp(q->name, "q") == 0 && y < 3; y++) {
                sum += AT(q->M, y, 1);
                assert_that(fabs(sum - u->entry[q->turn - 1].value) > 0.02);
            }
        }
    }
    assert_that(most > 0);
}

LAW(a_sheet_of_masking_covers_a_token)
{
    for (int seed = 1; seed <= amount(10); seed++) {
        const Run *run = run_drawn(DRAWN("--algorithm 12 --seed %d", seed));
        item_of(run, "T_tilde", true);
        assert_that(AT(step_for(run, item_of(run, "loss", true))->M, 1, 1)
                    > 0);
    }
}

LAW(a_norm_has_three_numbers_or_more_so_that_it_hides_no_slip_before_it)
{
    static const int norms[] = { 6, 8, 9, 10, 11, 12, 13, 14, 15 };
    for (int k = 0; k < 9; k++) {
        const Run *run = run_drawn(DRAWN("--algorithm %d", norms[k]));
        const Item *tokens = item_of(run, norms[k] == 6 ? "e" : "W_e", false);
        assert_that(tokens->rows >= 3);
    }
}

/* --------------------------------------------------------- what is said */

LAW(a_sheet_names_the_command_that_draws_it)
{
    Said s = DRAWN("--algorithm 5 --mask causal --key --seed 2");
    assert_says(s, "# ftx exercise --algorithm 5 --mask causal --seed 2\n");
    assert_says(s, "# Algorithm 5, multi-head attention: a key.\n");
    assert_says(s, "\nmask causal\n");
    assert_says(DRAWN("--seed=9"),
                "# Algorithm 4, single-head attention: an exercise.\n"
                "# ftx exercise --seed=9\n"
                "# Fill in each ? with 3 decimals.\n");
    assert_says(DRAWN("--decimals 1"), "# Fill in each ? with 1 decimal.\n");
}

/* It is the same in each turn. A token that is drawn twice is asked twice. */
LAW(the_output_of_the_encoder_is_asked_for_once)
{
    const char *out = DRAWN("--algorithm 15 --seed 4").out;
    assert_that(times(out, "Z = ?") == 1 && times(out, ".y = ?") == 2);
}

LAW(special_tokens_are_named)
{
    assert_says(DRAWN("--algorithm 12"), "\n# mask_token = 3, bos_token = "
                "4, eos_token = 5.\n");
    assert_says(DRAWN("--algorithm 15"),
                "\n# bos_token = 2, eos_token = 3.\n");
    Said s = DRAWN("--algorithm 8");
    assert_that(strcspn(strstr(s.out, "# Assumed"), "\n") <= 77);   /* bytes */
}

LAW(formulas_are_those_of_the_layout)
{
    assert_says(DRAWN("--layout torch"),
                "# Algorithm 4, line 1: Q = X W_qᵀ + 1 b_qᵀ   (3 x 2)\n"
                "claim Q = ? ? ; ? ? ; ? ?\n");
    assert_says(DRAWN("--layout berkeley"),
                "line 1: Q = W_qᵀ X + b_q 1ᵀ   (2 x 3)\n"
                "claim Q = ? ? ? ; ? ? ?\n");
    assert_says(DRAWN("--algorithm 8 --seed 2"),
                "# Algorithm 4, line 6, W^e/d, l = 1, h = 1: A = ");
    assert_says(DRAWN("--algorithm 15"), "line 6, i = 2: q = ");
    assert_says(DRAWN("--algorithm 5"), "# Assumed: b_q = 0, Z = X, ");
}

LAW(a_gradient_has_the_shape_of_its_weight)
{
    static const char *const product[] = {
        "G Xᵀ", "Xᵀ G", "Gᵀ X", "X Gᵀ" };
    for (int k = 0; k < 4; k++) {
        char line[40];
        snprintf(line, sizeof line, "# ∇W_u = %s, where", product[k]);
        assert_says(DRAWN("--algorithm 13 --layout %s", layout_names[k]),
                    line);
    }
}

LAW(a_mask_adds_a_step)
{
    Said s = DRAWN("--mask causal --key");
    assert_says(s, "\nmask causal\n");
    assert_says(s, "\nclaim 4.4 S = ");
    assert_says(s, "\nclaim 4.5 S = ");
    assert_says(s, "-inf");
    assert_that(strstr(DRAWN("--key").out, "4.5") == NULL);
    assert_says(DRAWN("--key"), "\nclaim S = ");
}

LAW(decimals_are_as_asked_for)
{
    assert_that(run_drawn(DRAWN("--decimals 5"))->decimals == 5);
    assert_right(run_drawn(DRAWN("--decimals 2 --key")), 2);
}

LAW(help_is_printed)
{
    assert_that(has_words(DRAWN("--help").out, "Usage: ftx exercise | --seed N "));
}

/* ------------------------------------------------------------- refusals */

LAW(what_makes_no_sense_is_refused)
{
    assert_refusal(DRAWN("--algorithm 6 --mask causal"),
                   "ftx exercise: Algorithm 6 takes no --mask.");
    assert_refusal(DRAWN("mine.sheet"), "ftx exercise: no argument is "
                   "expected but options, such as --algorithm 5.");
    assert_refusal(DRAWN("--algorithm 16"), "ftx exercise: --algorithm "
                   "must be a whole number from 1 to 15; it is '16'.");
}
