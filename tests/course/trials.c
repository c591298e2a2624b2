/* Tests of what the grader of a lab asks, and of the answers. The grader and
   the student's trees are tested by tests/course/lab.sh. */
#include "command.h"
#include "law.h"

#define TRIALS(...) ftx("trials --algorithm " __VA_ARGS__)

LAW(four_random_sheets_are_asked)
{
    for (int n = 1; n <= 10; n++) {
        Said s = TRIALS("%d", n);
        assert_int_equal(s.status, 0);
        assert_int_equal(times(s.out, "trial random-"), 4);
        assert_int_equal(times(s.out, "\nsheet "), 4);
    }
}

LAW(a_worked_example_is_asked_as_it_stands)
{
    Said s = TRIALS("4 --random 0 tests/data/worked/alg04.sheet");
    assert_says(s, "trial worked-alg04 the worked example\nsheet 15\n# Alg");
    assert_says(s, "33/5 ; 8 4 6\n\nstep 4.1 1 Q 2 3 ");
    assert_says(s, "\nresult 2 3 ");
    s = TRIALS("7 --random 0 %s", write_text("w.sheet", "algorithm 7\n"
               "e = 1\nW_u = 1 ; 1"));            /* no newline */
    assert_says(s, "\ne = 1\nW_u = 1 ; 1\n");
}

LAW(the_same_seed_asks_the_same)
{
    Said a = TRIALS("5 --seed 3 --random 1"),
         b = TRIALS("5 --seed 3 --random 1"),
         c = TRIALS("5 --seed 4 --random 1");
    assert_string_equal(a.out, b.out);
    assert_that(strcmp(a.out, c.out) != 0);
}

LAW(a_slip_stands_with_the_first_step_that_it_changes)
{
    Said s = TRIALS("4 --random 1");
    const char *slip = strstr(s.out, "slip the 1/√d_attn is left out\n");
    assert_that(slip != NULL);
    assert_that(strncmp(strchr(slip, '\n'), "\nstep 4.6 1 S_scaled ", 21) == 0);
}

/* The sheet that stands at *text, which moves behind it, and its result. */
typedef struct {
    const char *sheet;
    size_t bytes;
    int rows, cols;
    double *at;                 /* column after column */
} Answer;

static Answer next_answer(const char **text)
{
    Answer a = { 0 };
    *text = strstr(*text, "\nsheet ") + 7;
    int lines = atoi(*text);
    a.sheet = *text = strchr(*text, '\n') + 1;
    for (int k = 0; k < lines; k++)
        *text = strchr(*text, '\n') + 1;
    --*text;                    /* the next word begins a line */
    a.bytes = (size_t)(*text + 1 - a.sheet);
    Said s = ftx("steps %s", write_bytes("a.sheet", a.sheet, a.bytes));
    assert_int_equal(s.status, 0);
    char *p = strstr(s.out, "result ") + 7;
    a.rows = (int)strtol(p, &p, 10), a.cols = (int)strtol(p, &p, 10);
    a.at = arena_alloc(arena, (size_t)(a.rows * a.cols + 1) * sizeof *a.at);
    for (int k = 0; k < a.rows * a.cols; k++)
        a.at[k] = strtod(p, &p);
    return a;
}

/* What `ftx steps` answers to each sheet is what stands behind it. */
LAW(our_own_versions_give_the_right_results)
{
    for (int n = 1; n <= 15; n++) {
        const char *text = TRIALS("%d --random 1", n).out;
        int sheets = 0;
        while (strstr(text, "\nsheet ") != NULL) {
            Answer a = next_answer(&text);
            char *right = strstr(text, "\nresult ") + 8;
            assert_int_equal(strtol(right, &right, 10), a.rows);
            assert_int_equal(strtol(right, &right, 10), a.cols);
            double most = 0;
            for (int k = 0; k < a.rows * a.cols; k++) {
                assert_near(a.at[k], strtod(right, &right),
                            IS_DOUBLE ? 1e-9 : 1e-2);
                most = fmax(most, fabs(a.at[k]));
            }
            assert_that(most > 1e-3);
            sheets++;
        }
        assert_int_equal(sheets, 1);
    }
}

/* Answers that no algorithm gave, for whoever knows the shape of a result. */
enum { TENTHS, ROW, COLUMN, BOTH, COUNTED, EVEN, ZERO, COPIED, KINDS };

/* Entry [i, j] of such an answer; COPIED is what stands next on the sheet. */
static double answered(int kind, int i, int j, int rows, const char **sheet)
{
    static const double tenths[] = { .1, .4, .2, .3 };
    switch (kind) {
    case TENTHS:  return tenths[(i - 1) % 4];
    case ROW:     return i;
    case COLUMN:  return j;
    case BOTH:    return i + j;
    case COUNTED: return (j - 1) * rows + i;
    case EVEN:    return 1.0 / rows;
    case ZERO:    return 0;
    default:      *sheet += strcspn(*sheet, "-.0123456789");
                  return strtod(*sheet, (char **)sheet);
    }
}

/* The largest difference from a result, "2 1 0.5 4", as a share of it. */
static double miss(int kind, const char *sheet, const char *result)
{
    char *at;
    const int rows = (int)strtol(result, &at, 10),
              cols = (int)strtol(at, &at, 10);
    double most = 0, largest = 0;
    for (int j = 1; j <= cols; j++)
        for (int i = 1; i <= rows; i++) {
            double right = strtod(at, &at);
            most = fmax(most, fabs(right - answered(kind, i, j, rows,
                                                    &sheet)));
            largest = fmax(largest, fabs(right));
        }
    return most / largest;
}

LAW(no_answer_without_an_algorithm_is_near_a_random_result)
{
    for (int n = 1; n <= 15; n++) {
        const char *sheet = TRIALS("%d --seed 77", n).out;
        while ((sheet = strstr(sheet, "\ntrial ")) != NULL) {
            const char *given = strchr(sheet, '='),
                       *result = strstr(sheet, "\nresult ") + 8;
            for (int kind = 0; kind < KINDS; kind++)
                assert_that(miss(kind, given, result) > 1e-5);
            sheet = result;
        }
    }
}

LAW(random_sheets_grow_and_vary)
{
    Said s = TRIALS("4");
    assert_says(s, "mask causal\n");
    assert_says(s, "mask = 1 1 1 1 ;");
    s = TRIALS("6");
    assert_says(s, "epsilon 0.25\n");
    assert_says(TRIALS("7"), "tied yes\n");
    s = TRIALS("2");
    assert_says(s, "positions vaswani\n");
    assert_says(TRIALS("11 --random 1"), "z_3 = ");
    assert_says(TRIALS("5"), "\nW_q^4 = ");
    s = TRIALS("12 --random 2");
    assert_says(s, "\nN_epochs = 3\n");
    assert_says(s, "\np_mask = 0.25\n");
    assert_says(s, "\nu = 0.125 0.375 ");
}

/* Whoever never stops fails on the second sheet and the fourth, of 7 words. */
LAW(every_other_translation_ends_with_eos)
{
    const char *text = TRIALS("15").out;
    for (int k = 2; k <= 4; k += 2) {
        text = strstr(text, k == 2 ? "\ntrial random-2" : "\ntrial random-4");
        const char *result = strstr(text, "\nresult ") + 1,
                   *end = strchr(result, '\n');
        assert_int_equal(strncmp(end - 2, " 7", 2), 0);
    }
}

/* Whoever reads the first word of the translation in place of z, or all. */
LAW(no_translation_translates_itself)
{
    const char *text = IS_DOUBLE ? TRIALS("15").out : "";
    while (strstr(text, "\nsheet ") != NULL) {
        Answer a = next_answer(&text);
        const char *z = strstr(a.sheet, "\nz ="), *rest = strchr(z + 1, '\n');
        const char *words = strstr(text, "\nresult 1 7 ") + 12;
        for (int n = 1; n <= 7; n += 6) {
            char sheet[9000];
            snprintf(sheet, sizeof sheet, "%.*s\nz = %.*s%.*s",
                     (int)(z - a.sheet), a.sheet, 2 * n - 1, words,
                     (int)(a.sheet + a.bytes - rest), rest);
            const char *out = ftx("steps %s", write_text("z", sheet)).out;
            out = strstr(out, "\nresult 1 7 ");
            assert_that(out == NULL || strncmp(out + 12, words, 13) != 0);
        }
    }
}

LAW(a_wish_that_cannot_be_granted_is_refused)
{
    assert_refusal(ftx("trials --seed 1"),
                   "ftx trials: say which algorithm: --algorithm 4.");
    assert_int_equal(TRIALS("16").status, 2);
    assert_int_equal(TRIALS("4 no.sheet").status, 2);
    assert_refusal(TRIALS("5 tests/data/worked/alg05.sheet "
                          "tests/data/worked/alg04.sheet"),
                   "tests/data/worked/alg04.sheet:1:1: this is a sheet of "
                   "Algorithm 4, not of 5.");
    assert_refusal(ftx("steps a b c"), "ftx steps: give one sheet, "
                   "and perhaps the number of an open file.");
}

LAW(help_is_given)
{
    assert_says(ftx("steps --help"), "Usage: ftx steps SHEET [N]\n");
    assert_says(ftx("trials --help"), "  --algorithm N      of the paper\n");
}

LAW(steps_are_words_and_numbers)
{
    assert_string_equal(ftx("steps tests/data/worked/alg01.sheet").out,
                        "step 1.1 1 e 2 1 0 1\nresult 2 1 0 1\nend\n");
    Said s = ftx("steps tests/data/worked/alg15.sheet");
    assert_says(s, "\nstep 15.9 1 x_hat 1 3 2 1 3\nresult 1 3 2 1 3\nend\n");
    s = ftx("steps tests/data/worked/alg10.sheet");
    assert_says(s, "\nstep 6.1 2 layer1.m 1 3 ");
    s = TRIALS("5 --random 1");         /* a lab's slips are told by its own */
    assert_null(strstr(strstr(s.out, "\nslip "), "\nstep 4."));
    FILE *file = tmpfile();
    ftx("steps tests/data/worked/alg01.sheet %d", dup(fileno(file)));
    assert_int_equal(times(all_of(file), "result 2 1 0 1\nend\n"), 1);
}

LAW(a_run_that_ends_early_says_why)
{
    Said s = ftx("steps %s", write_text("a.sheet", "algorithm 6\n"
                                        "e = 1 ; 1\n"));
    assert_int_equal(s.status, 2);
    assert_that(strstr(s.out, "\nfault ") != NULL);
    assert_that(strstr(s.out, "end\n") == NULL);
}

LAW(the_result_of_training_is_the_change_of_theta)
{
    Said s = ftx("steps %s", write_text("a.sheet", "algorithm 13\nx = 1 2\n"
                  "We = 1 0 2 ; 0 1 1\nWu = 1 0 ; 0 1 ; 1 1\n"
                  "epsilon 0.1\neta = 1e-3\n"));
    assert_says(s, "\nresult ");
    char *at = strstr(s.out, "\nresult ") + 8;
    long rows = strtol(at, &at, 10), cols = strtol(at, &at, 10);
    double most = 0;
    for (long k = 0; k < rows; k++)
        most = fmax(most, fabs(strtod(at, &at)));
    assert_that(rows > 10 && cols == 1);
    assert_that(0 < most && most < 1e-2);
}
