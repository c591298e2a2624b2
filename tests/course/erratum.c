/* The command `ftx erratum`: every erratum with the numbers that show it. */
#include "check.h"
#include "course/course.h"

enum { ERRATA = 41, LONGEST = 20000, NUMBERS = 8 };

static char out[LONGEST], err[LONGEST];

static void read_back(FILE *file, char *to)
{
    rewind(file);
    to[fread(to, 1, LONGEST - 1, file)] = '\0';
    fclose(file);
}

static int run(int n, char *argument[])
{
    FILE *to_out = tmpfile(), *to_err = tmpfile();
    int status = erratum(to_out, to_err, n, argument);
    read_back(to_out, out);
    read_back(to_err, err);
    return status;
}

/* ftx erratum --numbers NAME; the last one is kept. */
static const char *numbers_of(const char *name)
{
    static char text[LONGEST], last[20];
    char option[] = "--numbers", copy[20];
    if (strcmp(name, last) == 0)
        return text;
    snprintf(copy, sizeof copy, "%s", name);
    assert_that(run(2, (char *[]){ option, copy }) == 0);
    assert_that(err[0] == '\0');
    strcpy(last, name);
    return strcpy(text, out);
}

/* The k-th number behind a label, without its commas. */
static double number_behind(Where where, const char *name, const char *label,
                            int k)
{
    const char *at = strstr(numbers_of(name), label);
    if (at == NULL)
        fail_at(where, "%s has no line with %s", name, label);
    char line[200], *rest = line;
    int n = 0;
    for (at += strlen(label); *at != '\n' && *at != '\0'; at++)
        if (*at != ',' && n < (int)sizeof line - 1)
            line[n++] = *at;
    line[n] = '\0';
    double x = NAN;
    for (int i = 1; i <= k; i++) {
        char *start = rest;
        x = strtod(start, &rest);
        if (rest == start)
            fail_at(where, "%s: no number %d behind %s", name, i, label);
    }
    return x;
}

#define NUMBER(name, label, k) number_behind(HERE(label), name, label, k)

/* The numbers of a line, to the last of the six decimals. */
#define assert_numbers(name, label, ...) \
    numbers_at(HERE(label), name, label, ROWS(__VA_ARGS__), \
               (int)(sizeof ROWS(__VA_ARGS__) / sizeof(double)))
static void numbers_at(Where where, const char *name, const char *label,
                       const double *expected, int n)
{
    for (int k = 1; k <= n; k++)
        near_at(where, number_behind(where, name, label, k),
                expected[k - 1], IS_DOUBLE ? 1.01e-6 : 1e-5);
}

#define assert_prints(name, text) \
    assert_that(strstr(numbers_of(name), text) != NULL)

/* ftx erratum EK, which is run once. */
static const char *told(int k)
{
    static char text[ERRATA + 1][LONGEST];
    char name[20];
    snprintf(name, sizeof name, "E%d", k);
    if (*text[k] == '\0') {
        assert_that(run(1, (char *[]){ name }) == 0);
        strcpy(text[k], out);
    }
    return text[k];
}

static void every_erratum_is_told(void **state)
{
    (void)state;
    for (int k = 1; k <= ERRATA; k++) {
        char head[20];
        snprintf(head, sizeof head, "E%d (", k);
        assert_that(strncmp(told(k), head, strlen(head)) == 0);
        assert_that(strstr(told(k), "The paper: ") != NULL);
        assert_that(strstr(told(k), "Here:      ") != NULL);
        assert_that(strstr(told(k), "nan") == NULL);
    }
}

static void no_line_is_wider_than_the_page(void **state)
{
    (void)state;
    for (int k = 1; k <= ERRATA; k++) {
        for (const char *line = told(k); *line != '\0'; line += strcspn(line, "\n") + 1)
            assert_that(strcspn(line, "\n") <= 74);
    }
}

static void without_a_number_all_are_listed(void **state)
{
    (void)state;
    assert_that(run(0, NULL) == 0);
    assert_that(strncmp(out, "E1 ", 3) == 0);
    assert_that(strstr(out, "\nE41 ") != NULL);
    assert_that(strstr(out, "\nE42 ") == NULL);
}

static void an_erratum_has_several_spellings(void **state)
{
    (void)state;
    char once[LONGEST], E33[] = "E33", e33[] = "e33", plain[] = "33";
    assert_that(run(1, (char *[]){ E33 }) == 0);
    snprintf(once, sizeof once, "%s", out);
    assert_that(run(1, (char *[]){ e33 }) == 0 && strcmp(out, once) == 0);
    assert_that(run(1, (char *[]){ plain }) == 0 && strcmp(out, once) == 0);
}

static void what_is_not_there_is_answered_with_a_sentence(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "E42", "E0", "0", "E", "", "E1x", "E001", "E-1", "EE1", "42"
    };
    for (int k = 0; k < (int)(sizeof wrong / sizeof *wrong); k++) {
        char name[20], sentence[100];
        snprintf(name, sizeof name, "%s", wrong[k]);
        snprintf(sentence, sizeof sentence, "ftx erratum: there is no "
                 "erratum %s; they are E1 to E41.\n", name);
        assert_that(run(1, (char *[]){ name }) == 2);
        assert_that(strcmp(err, sentence) == 0 && out[0] == '\0');
    }
    char option[] = "--nubmers", last[] = "E33", first[] = "E99";
    assert_that(run(1, (char *[]){ option }) == 2);
    assert_that(strcmp(err, "ftx erratum: there is no option --nubmers; see "
                            "'ftx erratum --help'.\n") == 0);
    char numbers[] = "--numbers";
    assert_that(run(1, (char *[]){ numbers }) == 2 && out[0] == '\0');
    assert_that(strcmp(err, "ftx erratum: --numbers of which erratum? They "
                            "are E1 to E41, and ports.\n") == 0);
    assert_that(run(2, (char *[]){ first, last }) == 2 && out[0] == '\0');
    assert_that(run(2, (char *[]){ last, first }) == 2 && out[0] == '\0');
}

static void an_option_may_stand_behind_a_name(void **state)
{
    (void)state;
    static char before[LONGEST];
    char option[] = "--numbers", name[] = "E33";
    strcpy(before, numbers_of(name));
    assert_that(run(2, (char *[]){ name, option }) == 0);
    assert_that(strcmp(out, before) == 0);
}

static void help_has_an_example(void **state)
{
    (void)state;
    char help[] = "--help";
    assert_that(run(1, (char *[]){ help }) == 0);
    assert_that(strstr(out, "  ftx erratum E30\n") != NULL);
}

#define THIRD (1.0 / 3)

/* The mistake costs more than `least` nats. */
#define assert_costs(name, right, wrong, least) \
    assert_that(NUMBER(name, wrong, 1) > NUMBER(name, right, 1) + least)

static void the_sizes_of_things(void **state)
{
    (void)state;
    assert_numbers("E1", "gives P of", 11, 7);
    assert_prints("E1", " refused:\n");
    assert_prints("E1", "mul(W_u, e): the first is 11 x 6 and the second 4 x");
    assert_numbers("E5", "columns of m for one token", 1, 1);
    assert_numbers("E5", "m for (1, 2, 3, 4)", 2.5);
    assert_numbers("E5", "e - m", -1.5, -0.5, 0.5, 1.5);
    assert_numbers("E8", "d_e / H = 3: parameters", 854);
    assert_numbers("E8", "d_mid = 4: parameters", 1018);
    assert_numbers("E8", "still sum to", 1);
    assert_prints("E8", "H must divide d_e, unless");
    assert_numbers("E9", "d_mid", 4);
    assert_numbers("E9", "H d_mid", 8);
    assert_numbers("E9", "d_out", 6);
    assert_numbers("E10", "N_V", 11);
    assert_numbers("E10", "alpha_t, T", 3);
    assert_numbers("E10", "their sum", 1);
    assert_that(!IS_DOUBLE || strstr(numbers_of("E10"), " 1\n") != NULL);
    assert_numbers("E15", "d_e x l_x", 6, 7);
    assert_numbers("E15", "d_e x l_z", 6, 5);
    assert_numbers("E15", "N_V x l_x", 11, 7);
}

static void the_norm_of_1_2_3_4(void **state)
{
    (void)state;
    assert_numbers("E3", "(1, 2, 3, 4), 0  ",
                   -1.341640786, -0.447213595, 0.447213595, 1.341640786);
    assert_numbers("E3", "(1, 2, 3, 4), 1e-5",
                   -1.341635420, -0.447211807, 0.447211807, 1.341635420);
    assert_numbers("E3", "(4, 4, 4, 4), 1e-5", 0, 0, 0, 0);
    assert_prints("E3", "in column 1 the variance is 0\n    and epsilon 0");
    assert_numbers("E4", "divided by d_e  ",
                   -1.341640786, -0.447213595, 0.447213595, 1.341640786);
    assert_numbers("E4", "divided by d_e - 1  ",
                   -1.161895004, -0.387298335, 0.387298335, 1.161895004);
    assert_numbers("E37", "before line 2",
                   0.365148372, 0.730296743, 1.095445115, 1.460593487);
    assert_numbers("E37", "after line 2",
                   0.894427191, 1.788854382, 2.683281573, 3.577708764);
}

static void a_mistake_costs_a_trained_model_what_it_has_learned(void **state)
{
    (void)state;
    assert_that(NUMBER("E30", "trained decoder", 1) < 1);
    assert_that(NUMBER("E30", "trained with X itself normalised", 1) < 1);
    assert_that(NUMBER("ports", "trained translator", 1) < 1);
    assert_costs("E2", "translator", "L_dec = 3 layers", 10);
    assert_costs("E4", "decoder", "parameters, divided by d_e - 1", 0.01);
    assert_costs("E11", "decoder", "the length", 10);
    assert_costs("E13", "Z = X~", "Z = X  ", 10);
    assert_costs("E14", "decoder", "transposed", 10);
    assert_costs("E30", "decoder", "same parameters, X itself normalised", 10);
    assert_costs("E30", "decoder", "as printed", 10);
}

static void what_the_ports_do_costs_more_than_nothing(void **state)
{
    (void)state;
    assert_costs("ports", "decoder", "without their weights", 10);
    assert_costs("ports", "decoder", "lines 5 and 7 (E30)", 10);
    assert_costs("ports", "decoder", "over all tokens", 2);
    assert_costs("ports", "decoder", "d_e - 1 (E4)", 0.01);
    assert_costs("ports", "translator", "line 14", 10);
    double all = NUMBER("ports", "lines 5 and 7 (E30)", 1);
    assert_near(all, NUMBER("E30", "same parameters, X itself normalised", 1), 1e-6);
}

static void who_sees_whom(void **state)
{
    (void)state;
    assert_prints("E12", IS_DOUBLE ? "below 1e-12" : "below 1e-5");
    assert_prints("E12", "a matrix of 6 x 0; it needs");
    assert_numbers("E14", "the last of 7 tokens", 1);
    assert_numbers("E14", "columns with the mask transposed", 7);
    assert_numbers("E24", "of 7 depends on, dense", 6);
    assert_numbers("E24", "two sparse layers, as printed", 2);
    assert_numbers("E24", "a dense and a sparse layer", 6);
    assert_numbers("E40", "seen by tokens 1 to 4", 1, 2, 3, 4);
    assert_numbers("E40", "without itself", 0, 1, 2, 3);
    assert_prints("E40", "every entry of column 1 is");
}

static void masks_that_are_not_minus_infinity(void **state)
{
    (void)state;
    assert_numbers("E17", "no mask", THIRD / 2, THIRD, 0.5);
    assert_numbers("E17", "in the place of S", THIRD, THIRD, THIRD);
    if (IS_DOUBLE)
        assert_numbers("E17", "-1e9 added", THIRD / 2, THIRD, 0.5);
    else
        assert_numbers("E17", "-1e9 added", THIRD, THIRD, THIRD);
    assert_numbers("E17", "-1e30 added", THIRD, THIRD, THIRD);
    assert_prints("E17", "this token may look at nothing");
    assert_numbers("E18", "-infinity", THIRD, 2 * THIRD, 0);
    assert_numbers("E18", "-1e9, then the scaling", THIRD, 2 * THIRD, 0);
    double leak = NUMBER("E18", "-20, then the scaling", 3);
    assert_near(leak, exp(-10), 1e-6);
    assert_that(NUMBER("E18", "the scaling, then -20", 3) > 0);
    assert_that(NUMBER("E18", "the scaling, then -20", 3) < 1e-8);
}

static void cases_that_the_paper_leaves_open(void **state)
{
    (void)state;
    assert_numbers("E6", "trained, l_max = 8: tokens of x^", 5);
    assert_numbers("E6", "untrained, l_max = 9: tokens of x^", 10);
    assert_prints("E6", "yes\n");
    assert_prints("E6", "no\n");
    assert_prints("E6", "a sequence of 10 tokens: the length");
    assert_numbers("E16", "0 and 800", 0, 1);
    assert_prints("E16", "-inf\n");
    assert_numbers("E16", "from the logits", -800);
    assert_numbers("E16", "vocabulary of one token", 1);
    assert_numbers("E19", "l_max, chunks", 20, 9, 3);
    assert_numbers("E19", "in one piece, in chunks", 19, 17);
    assert_numbers("E20", "of one token", 0);
    assert_numbers("E20", "a step on it", 0);
    assert_prints("E20", "a sequence of 0 tokens");
    assert_numbers("E21", "(1 - 0.15)^7", 320.577088);
    assert_that(fabs(NUMBER("E21", "without mask", 1) - 320.6) < 3 * 14.8);
    assert_numbers("E21", "on such a sequence", 0);
    assert_numbers("E21", "mean loss", 0);
}

static void temperature(void **state)
{
    (void)state;
    assert_numbers("E22", "tau = 0  ", 1, 0, 0, 0);
    assert_numbers("E22", "tau = 0.5", 0.727273, 0.181818, 0.045455, 0.045455);
    assert_numbers("E22", "tau = 1", 0.5, 0.25, 0.125, 0.125);
    assert_numbers("E22", "tau = 2", 0.369398, 0.261204, 0.184699, 0.184699);
    assert_numbers("E22", "tau = inf", 0.25, 0.25, 0.25, 0.25);
    assert_numbers("E22", "tau = 0.0005  ", 1, 0, 0, 0);
    assert_numbers("E22", "to divide by", 0);
    assert_near(NUMBER("E23", "tau = 0.5, 1", 2), 1.75, 1e-6);
    assert_near(NUMBER("E23", "infinity", 2), 2, 1e-6);
    assert_that(NUMBER("E23", "infinity", 1) > 1.75);
    assert_that(NUMBER("E23", "tau = 0.5, 1", 1) < 1.75);
}

static void positions(void **state)
{
    (void)state;
    assert_prints("E26", IS_DOUBLE ? "below 1e-12" : "below 1e-5");
    assert_numbers("E26", "l_max 100", 0.099833, 0.995004, 0.01, 0.999950);
    assert_numbers("E26", "paper, second column",
                   0.198669, 0.980067, 0.019999, 0.999800);
    assert_numbers("E26", "Vaswani, d_e 4", 0, 1, 0, 1);
    assert_numbers("E26", "Vaswani, second column",
                   0.841471, 0.540302, 0.010000, 0.999950);
    assert_prints("E27", IS_DOUBLE ? "below 1e-12" : "below 1e-5");
    assert_that(NUMBER("E27", "reversed tokens  ", 1) > 0.01);
    assert_that(NUMBER("E27", "causal mask", 1) > 0.01);
}

static void what_the_paper_says(void **state)
{
    (void)state;
    assert_prints("E7", " dma makes\n");
    assert_prints("E7", " ddddddddd\n");
    assert_numbers("E25", "factors computed", 7, 6);
    assert_numbers("E25", "would add", log(11));
    assert_numbers("E28", "characters", 36);
    assert_numbers("E28", "behind blanks", 7);
    assert_numbers("E28", "full stop", 8);
    assert_numbers("E29", "at 1 and 3", 0.841344746, 2.995950306);
    assert_numbers("E29", "by tanh", 0.841191991, 2.996362608);
    assert_that(NUMBER("E29", "trained decoder", 1) > 1e-7);
    assert_numbers("E31", "N_C (d_f + 1)", 21);
    assert_numbers("E33", "fifteen algorithms", 113);
    assert_numbers("E33", "13, 14", 41);
    assert_numbers("E36", "counted from 1", 9, 10, 11);
    assert_numbers("E36", "counted from 0", 8, 9, 10);
    assert_prints("E36", "token ID 0 is not in [N_V]");
}

static void steps_draws_and_first_values(void **state)
{
    (void)state;
    const char *sum = "length of a step, 3 and 9 tokens", *mean = "mean loss";
    assert_that(NUMBER("E32", sum, 2) > 2 * NUMBER("E32", sum, 1));
    assert_near(NUMBER("E32", mean, 1), NUMBER("E32", sum, 1) / 2, 1e-6);
    assert_near(NUMBER("E32", mean, 2), NUMBER("E32", sum, 2) / 8, 1e-6);
    assert_numbers("E35", "after eos, as printed", 11);
    assert_numbers("E35", "after the full stop", 1);
    assert_that(NUMBER("E35", ", trained", 1) < 0.02);
    assert_that(NUMBER("E35", "untrained", 1) > 0.02);
    assert_numbers("E41", "(l - 1) ln N_V", 37 * log(22));
    assert_numbers("E41", "0.1, 0.6, 0.9", 1, 2, 4);
    assert_near(NUMBER("E41", "normal, seeds 1 and 2", 2), 37 * log(22), 0.02);
    assert_near(NUMBER("E41", "gpt2, seeds 1 and 2", 2), 37 * log(22), 0.02);
}

static void the_released_models_have_their_sizes(void **state)
{
    (void)state;
    static const struct { const char *name; double count; } model[] = {
        { "gpt2 ", 124439808 }, { "gpt2-xl", 1557611200 },
        { "gpt3", 174604259328 }, { "transformer-base", 63045632 },
        { "gopher ", 279711629312 },
    };
    for (int k = 0; k < 5; k++)
        assert_near(NUMBER("E38", model[k].name, 7), model[k].count, 0);
    assert_near(NUMBER("E38", "W_u of its own", 1), 163037184, 0);
    assert_near(NUMBER("E38", "output bias", 1), 109482240, 0);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(every_erratum_is_told),
        TEST(no_line_is_wider_than_the_page),
        TEST(without_a_number_all_are_listed),
        TEST(an_erratum_has_several_spellings),
        TEST(what_is_not_there_is_answered_with_a_sentence),
        TEST(an_option_may_stand_behind_a_name),
        TEST(help_has_an_example),
        TEST(the_sizes_of_things),
        TEST(the_norm_of_1_2_3_4),
        TEST(a_mistake_costs_a_trained_model_what_it_has_learned),
        TEST(what_the_ports_do_costs_more_than_nothing),
        TEST(who_sees_whom),
        TEST(masks_that_are_not_minus_infinity),
        TEST(cases_that_the_paper_leaves_open),
        TEST(temperature),
        TEST(positions),
        TEST(what_the_paper_says),
        TEST(steps_draws_and_first_values),
        TEST(the_released_models_have_their_sizes),
    };
    return RUN(laws);
}
