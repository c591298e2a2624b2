/* ftx count, and the options that it shares with the other commands. */
#include "command.h"

#define COUNT(...) SAID(count_numbers, __VA_ARGS__)
#define assert_total(said, number) assert_says(said, " " number "\n")

/* ------------------------------------------------------------- counting */

static void published_models_have_their_numbers(void **state)
{
    (void)state;
    assert_total(COUNT("d", "--N_V", "50257", "--ell_max", "1024", "--L",
                       "12", "--H", "12", "--d_e", "768", "--tied",
                       "--total"), "124,439,808");
    assert_total(COUNT("d", "--N_V", "50257", "--ell_max", "2048", "--L",
                       "96", "--H", "96", "--d_e", "12288", "--tied",
                       "--total"), "174,604,259,328");
    assert_total(COUNT("ed", "--N_V=37000", "--L_enc=6", "--L_dec=6", "--H=8",
                       "--d_e=512", "--tied", "--no_attention_biases",
                       "--positions=none", "--total"), "63,045,632");
}

static void the_parts_add_up(void **state)
{
    (void)state;
    static const char *const tasks[] = { "ed", "e", "d", "class" };
    for (int k = 0; k < 4; k++) {
        Said s = COUNT((char *)tasks[k], "--N_V", "100");
        long long sum = 0, total = 0;
        char *line = strchr(s.out, '\n') + 1;
        for (; *line != '\0'; line = strchr(line, '\n') + 1) {
            char digits[40] = "", *end = strchr(line, '\n');
            int n = 0;
            for (char *p = end - 18; p < end; p++)
                if (*p != ',' && *p != ' ')
                    digits[n++] = *p;
            if (strncmp(line, "total", 5) == 0)
                total = atoll(digits);
            else
                sum += atoll(digits);
        }
        assert_that(sum > 0 && sum == total);
    }
}

static void equal_parts_stand_on_one_line(void **state)
{
    (void)state;
    Said s = COUNT("d", "--L", "3", "--H", "2", "--d_e", "4");
    assert_says(s, "layer[l].W.head[h].W_q            6             2 x 4"
                   "                 48\n");
    assert_says(s, "layer[l].W_mlp1                   3            16 x 4"
                   "                192\n");
}

/* -------------------------------------------------------------- options */

static void wrong_options_are_refused(void **state)
{
    (void)state;
    assert_refusal(COUNT("d", "--L_dec", "2"), "ftx count: --L_dec has an "
                   "effect only with ed.");
    assert_refusal(COUNT("ed", "--total", "--L", "2"), "ftx count: --L has "
                   "an effect only with d, e and class.");
    assert_refusal(COUNT("d", "--dx", "3"), "ftx count: there is no option "
                   "--dx; see 'ftx count --help'.");
    assert_refusal(COUNT("d", "--d_", "3"), "ftx count: there is no option "
                   "--d_; see 'ftx count --help'.");
    assert_refusal(COUNT("d", "-L", "3"), "ftx count: there is no option "
                   "-L; see 'ftx count --help'.");
    assert_refusal(COUNT("d", "--L"), "ftx count: --L needs a value; see "
                   "'ftx count --help'.");
    assert_refusal(COUNT("d", "--L", "two"), "ftx count: --L must be a whole "
                   "number from 0 to 1000; it is 'two'.");
    assert_refusal(COUNT("d", "--L", "1001"), "ftx count: --L must be a "
                   "whole number from 0 to 1000; it is '1001'.");
    assert_refusal(COUNT("d", "--L=-1"), "ftx count: --L must be a whole "
                   "number from 0 to 1000; it is '-1'.");
    assert_refusal(COUNT("d", "--L", "1.5"), "ftx count: --L must be a whole "
                   "number from 0 to 1000; it is '1.5'.");
    assert_refusal(COUNT("d", "--L", ""), "ftx count: --L must be a whole "
                   "number from 0 to 1000; it is ''.");
    assert_refusal(COUNT("d", "--L", "3x"), "ftx count: --L must be a whole "
                   "number from 0 to 1000; it is '3x'.");
    assert_refusal(COUNT("d", "--epsilon", "nan"), "ftx count: --epsilon "
                   "must be a number from 0 to 1; it is 'nan'.");
    assert_refusal(COUNT("d", "--positions", "some"), "ftx count: "
                   "--positions must be one of learned paper_sines "
                   "vaswani_sines none relative; it is 'some'.");
    assert_refusal(COUNT("d", "--tied=perhaps"), "ftx count: --tied must be "
                   "yes or no; it is 'perhaps'.");
}

static void wrong_architectures_are_refused(void **state)
{
    (void)state;
    assert_refusal(COUNT("d", "e"), "ftx count: expected one architecture or "
                   "model; see 'ftx count --help'.");
    assert_refusal(COUNT("--L", "3"), "ftx count: expected one architecture "
                   "or model; see 'ftx count --help'.");
    assert_refusal(COUNT("d", "--H", "7"), "ftx count: H must divide d_e, "
                   "unless d_attn and d_mid are given.");
    assert_refusal(COUNT("d", "--N_C", "7"), "ftx count: only Algorithm 9 "
                   "has a class head.");
    assert_refusal(COUNT("none"), "none: cannot be opened: No such file or "
                   "directory.");
    assert_refusal(COUNT("none", "--total", "--d_e=8"), "ftx count: --d_e=8 "
                   "goes with an architecture; none has sizes of its own.");
    assert_refusal(COUNT("--total", "--", "--none"), "--none: cannot be "
                   "opened: No such file or directory.");
    assert_refusal(COUNT("-", "--total"), "-: cannot be opened: No such "
                   "file or directory.");
    assert_refusal(COUNT("--total", "--", "none"), "none: cannot be opened: "
                   "No such file or directory.");
    assert_refusal(COUNT("class", "--N_C", "0"), "ftx count: --N_C is 0; a "
                   "model of class has at least one.");
    assert_refusal(COUNT("d", "--", "--help"), "ftx count: expected one "
                   "architecture or model; see 'ftx count --help'.");
}

static void an_option_may_be_typed_in_several_ways(void **state)
{
    (void)state;
    Said s = COUNT("d", "--N_V", "1000", "--tied");
    assert_string_equal(COUNT("--N_V=1e3", "--tied=yes", "d").out, s.out);
    assert_string_equal(COUNT("--tied", "--N_V=7", "--N_V=1000", "--", "d").out,
                        s.out);
    Said t = COUNT("d", "--N_V", "1000");
    assert_that(strcmp(s.out, t.out) != 0);
    assert_string_equal(COUNT("d", "--N_V", "1000", "--tied",
                              "--tied=no").out, t.out);
}

static void help_is_printed_from_the_tables(void **state)
{
    (void)state;
    Said s = COUNT("--help");
    assert_says(s, "  --d_e N            width of an embedding (64)\n");
    assert_says(s, "learned paper_sines vaswani_sines none relative (learned)\n");
    assert_says(s, "ftx count d --N_V 50257 --ell_max 1024 --L 12 --H 12 "
                "--d_e 768 --tied\n");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(published_models_have_their_numbers),
        TEST(the_parts_add_up),
        TEST(equal_parts_stand_on_one_line),
        TEST(wrong_options_are_refused),
        TEST(wrong_architectures_are_refused),
        TEST(an_option_may_be_typed_in_several_ways),
        TEST(help_is_printed_from_the_tables),
    };
    return RUN(laws);
}
