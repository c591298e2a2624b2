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

/* What is published, as a formula: the embeddings, then per layer attention
   with as many numbers as 4 d_e^2, the MLP, biases, norms. */
static long long decoder(long long N, long long ell, long long L, long long d)
{
    return N * d + ell * d + L * (12 * d * d + 13 * d) + 2 * d;
}

/* No W_p and no betas; W_r in each layer, u and v once. */
static long long with_distances(long long N, long long L, long long d)
{
    return N * d + 2 * d + L * (13 * d * d + 11 * d) + d;
}

/* W_f with its bias, a norm of d_f = d_e, two types, b_u, a first norm. */
static long long bert(long long N, long long L, long long d)
{
    return N * d + 512 * d + 2 * d + 2 * d + L * (12 * d * d + 13 * d)
         + d * d + d + 2 * d + N;
}

/* Six layers each: attention without biases, two of them in the decoder. */
static long long vaswani(long long d)
{
    return 37000 * d + 6 * (12 * d * d + 5 * d + 4 * d)
         + 6 * (16 * d * d + 5 * d + 6 * d);
}

static void known_models_have_their_numbers(void **state)
{
    (void)state;
    const struct { const char *name; long long total; } known[] = {
        { "gpt2", decoder(50257, 1024, 12, 768) },
        { "gpt2-medium", decoder(50257, 1024, 24, 1024) },
        { "gpt2-large", decoder(50257, 1024, 36, 1280) },
        { "gpt2-xl", decoder(50257, 1024, 48, 1600) },
        { "gpt3-small", decoder(50257, 2048, 12, 768) },
        { "gpt3", decoder(50257, 2048, 96, 12288) },
        { "gopher-417m", with_distances(32000, 12, 1536) },
        { "gopher-7b", with_distances(32000, 32, 4096) },
        { "gopher", with_distances(32000, 80, 16384) },
        { "bert-base", bert(30522, 12, 768) },
        { "bert-large", bert(30522, 24, 1024) },
        { "transformer-base", vaswani(512) },
        { "transformer-big", vaswani(1024) },
        { "formulated", 63045632 },
        { "gato-79m", decoder(33024, 1024, 8, 768) },
        { "gato-364m", decoder(33024, 1024, 12, 1536) },
        { "gato", decoder(33024, 1024, 24, 2048) },
    };
    size_t n = 0;
    char number[40];
    for (; known_models[n].name != NULL; n++) {
        assert_string_equal(known_models[n].name, known[n].name);
        Said s = COUNT((char *)known[n].name, "--total");
        assert_says(s, grouped(known[n].total, number));
        assert_that(strstr(s.out, "published") == NULL);
    }
    assert_that(n == sizeof known / sizeof *known);
    assert_that(bert(30522, 12, 768) == 109514298);
    assert_that(decoder(50257, 1024, 24, 1024) == 354823168);
}

static void beside_ours_stands_what_was_published(void **state)
{
    (void)state;
    Said s = COUNT("gopher");
    assert_says(s, "layer[l].W_r[h]               10240       128 x 16384"
                   "     21,474,836,480\n");
    assert_says(s, "   279,711,629,312\npublished");
    assert_says(s, "             280 G\nRounded, ours is the published "
                   "number.\n");
    assert_says(COUNT("formulated"), "        63,045,632\npublished");
    assert_says(COUNT("formulated"), "        63,045,632\nTo the digit.\n");
}

/* All of Gopher's sizes come out, and none without W_r. */
static void what_is_rounded_is_the_published_number(void **state)
{
    (void)state;
    static const struct { const char *name; double published, unit; } known[]
        = { { "gopher-417m", 417, 1e6 }, { "gopher-7b", 7.1, 1e9 },
            { "gopher", 280, 1e9 }, { "gpt3", 175, 1e9 },
            { "gpt3-small", 125, 1e6 } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        Hyperparameters h = known_model(known[k].name)->hyper;
        double half = known[k].published < 10 ? .05 : .5;
        double ours = (double)theta_count(theta_new(arena, &h));
        assert_that(fabs(ours / known[k].unit - known[k].published) < half);
        if (h.positions != RELATIVE)
            continue;
        h.positions = NO_POSITIONS;
        ours = (double)theta_count(theta_new(arena, &h));
        assert_that(fabs(ours / known[k].unit - known[k].published) > half);
    }
}

static void what_is_there_comes_before_what_is_known(void **state)
{
    (void)state;
    char here[1000];
    assert_that(getcwd(here, sizeof here) != NULL);
    assert_total(COUNT("tests/data/released/gpt2", "--total"), "1,944");
    assert_that(chdir("tests/data/released") == 0);
    Said s = COUNT("gpt2", "--total");
    assert_that(chdir(here) == 0);
    assert_total(s, "1,944");
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

#define UNKNOWN(name) "ftx count: there is no model file or folder '" name \
    "', and no model of that name is known; known are gpt2, gpt2-medium, " \
    "gpt2-large, gpt2-xl, gpt3-small, gpt3, gopher-417m, gopher-7b, gopher, " \
    "bert-base, bert-large, transformer-base, transformer-big, formulated, " \
    "gato-79m, gato-364m, gato."

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
    assert_refusal(COUNT("none"), UNKNOWN("none"));
    assert_refusal(COUNT("none", "--total", "--d_e=8"), "ftx count: --d_e=8 "
                   "goes with an architecture; none has sizes of its own.");
    assert_refusal(COUNT("gpt2", "--d_e=8"), "ftx count: --d_e=8 goes with "
                   "an architecture; gpt2 has sizes of its own.");
    assert_refusal(COUNT("--total", "--", "--none"), UNKNOWN("--none"));
    assert_refusal(COUNT("-", "--total"), UNKNOWN("-"));
    assert_refusal(COUNT("--total", "--", "none"), UNKNOWN("none"));
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
        TEST(known_models_have_their_numbers),
        TEST(beside_ours_stands_what_was_published),
        TEST(what_is_rounded_is_the_published_number),
        TEST(what_is_there_comes_before_what_is_known),
        TEST(the_parts_add_up),
        TEST(equal_parts_stand_on_one_line),
        TEST(wrong_options_are_refused),
        TEST(wrong_architectures_are_refused),
        TEST(an_option_may_be_typed_in_several_ways),
        TEST(help_is_printed_from_the_tables),
    };
    return RUN(laws);
}
