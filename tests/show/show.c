/* ftx show and the command around it: what is printed, what is refused. */
#include "command.h"
#include "show/show.h"
#include "sheets.h"
#include <fcntl.h>
#include <sys/resource.h>

#include "program.h"

/* ------------------------------------------------- running the command */

/* The command in a process of its own; to is where it writes, or NULL. */
static Said said(const char *input, const char *to, int argc, char *argv[])
{
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    int status, end = to != NULL ? open(to, O_WRONLY) : fileno(out);
    assert_that(in != NULL && out != NULL && err != NULL && end >= 0);
    fputs(input, in);
    rewind(in);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(in), STDIN_FILENO);
        dup2(end, STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        exit(ftx(argc, argv));
    }
    waitpid(pid, &status, 0);
    fclose(in);
    if (to != NULL)
        close(end);
    return (Said){ .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                   .out = all_of(out), .err = all_of(err) };
}

#define FTX(input, ...) \
    said(input, NULL, (int)(sizeof (char *[]){ "ftx", __VA_ARGS__ } \
                            / sizeof (char *)), \
         (char *[]){ "ftx", __VA_ARGS__, NULL })

/* ------------------------------------------------------- what is printed */

static void the_worked_sheets_are_shown(void **state)
{
    (void)state;
    assert_said(FTX("", "show", "tests/data/worked/alg01.sheet"), 0,
        "Algorithm 1, layout paper: columns are tokens, W x\n\n"
        "Algorithm 1, line 1: e = W_e[:, v]   (2 x 1)\n  0\n  1\n\n"
        "remark: ftx check judges the claim.\n", "");
    assert_said(FTX("", "show", "tests/data/worked/alg06-rms.sheet"), 0,
        "Algorithm 6, layout paper: columns are tokens, W x\n"
        "not on the sheet, so assumed: gamma = 1, epsilon = 0\n\n"
        "Algorithm 6, line 1: m = 0   (1 x 1)\n  0\n\n"
        "Algorithm 6, line 2: v = Σ_i (e[i] - m)² / d_e   (1 x 1)\n  25\n\n"
        "Algorithm 6, line 3: ê = e / √(v + ε) ⊙ γ   (4 x 1)\n"
        "  0.2000\n  1.4000\n  1.4000\n  0.2000\n\n"
        "remark: ftx check judges the claims.\n", "");
}

/* gamma = 1 and bq = 3 are vectors; a weight of one number is none. */
static void one_number_stands_for_each_entry_of_a_vector(void **state)
{
    (void)state;
    Said s = FTX("algorithm 6\ne = 1 ; 2 ; 3\ngamma = 2\nbeta = 1/2\n",
                 "show", "-");
    assert_that(strstr(s.out, "so assumed: gamma = 2 in each entry, epsilon "
                       "= 0,\n  beta = 0.5 in each entry\n") != NULL);
    s = FTX("algorithm 4\nX = 1 0 ; 0 1\nWq = 1 0 ; 0 1\nWk = 1 0 ; 0 1\n"
            "Wv = 1 0 ; 0 1\nbq = 3\n", "show", "-");
    assert_that(strstr(s.out, "1ᵀ   (2 x 2)\n  4  3\n  3  4\n") != NULL);
    s = FTX("algorithm 4\nX = 1 0 ; 0 1\nWq = 1\nWk = 1 0 ; 0 1\n"
            "Wv = 1 0 ; 0 1\n", "show", "-");
    assert_int_equal(s.status, 2);
}

static const char causal_sheet[] =
    "algorithm 4\nlayout textbook\nmask causal\ndecimals 2\nX = 1 0 ; 0 1\n"
    "Wq = 0 ; 1\nWk = 0 ; ln(3)\nWv = 4 ; 8\nclaim A = 1 0\n";

static void every_step_is_shown_in_the_layout_of_the_sheet(void **state)
{
    (void)state;
    assert_said(FTX(causal_sheet, "show", "-"), 0,
        "Algorithm 4, layout textbook: rows are tokens, x W\n"
        "not on the sheet, so assumed: Z = X, b_q = 0, b_k = 0, b_v = 0\n\n"
        "Algorithm 4, line 1: Q = X W_q + 1 b_qᵀ   (2 x 1)\n  0\n  1\n\n"
        "Algorithm 4, line 2: K = Z W_k + 1 b_kᵀ   (2 x 1)\n  0.00\n  1.10\n\n"
        "Algorithm 4, line 3: V = Z W_v + 1 b_vᵀ   (2 x 1)\n  4\n  8\n\n"
        "Algorithm 4, line 4: S = Q Kᵀ   (2 x 2)\n"
        "  0.00  0.00\n  0.00  1.10\n\n"
        "Algorithm 4, line 5: S = S, but -inf where the mask is 0   (2 x 2)\n"
        "  0.00  -inf\n  0.00  1.10\n\n"
        "Algorithm 4, line 6: S / √d_attn   (2 x 2)\n"
        "  0.00  -inf\n  0.00  1.10\n\n"
        "Algorithm 4, line 6: A = softmax(S / √d_attn)   (2 x 2)\n"
        "  1.00  0.00\n  0.25  0.75\n  each row sums to 1\n\n"
        "Algorithm 4, line 6: Ṽ = A V   (2 x 1)\n  4\n  7\n\n"
        "remark: the claim A is 1 x 2, and A is 2 x 2.\n"
        "remark: ftx check judges the claim.\n", "");
}

static void json_has_every_digit_and_no_infinity(void **state)
{
    (void)state;
    assert_said(FTX("", "show", "--json", "tests/data/worked/alg01.sheet"), 0,
        "{\"sheet\": \"tests/data/worked/alg01.sheet\", \"algorithm\": 1, "
        "\"layout\": \"paper\", \"decimals\": 4, \"assumed\": \"\", "
        "\"steps\": [{\"algorithm\": 1, \"line\": 1, \"name\": \"e\", "
        "\"index\": null, \"rows\": 2, \"cols\": 1, "
        "\"values\": [[0], [1]], \"inner\": false, \"label\": \"e\", "
        "\"text\": \"e = W_e[:, v]\"}], \"items\": [{\"claim\": false, "
        "\"name\": \"algorithm\", \"entries\": [[\"1\"]]}, "
        "{\"claim\": false, \"name\": \"layout\", \"word\": \"paper\", "
        "\"entries\": []}, {\"claim\": false, \"name\": \"v\", "
        "\"entries\": [[\"2\"]]}, {\"claim\": false, \"name\": \"We\", "
        "\"entries\": [[\"1\", \"0\", \"2\"], [\"0\", \"1\", \"2\"]]}, "
        "{\"claim\": true, \"name\": \"e\", \"step\": 0, "
        "\"entries\": [[\"0\"], [\"1\"]]}]}\n", "");
    Said s = FTX(causal_sheet, "show", "--json", "-");
    assert_that(s.status == 0);
    assert_that(strstr(s.out, "\"name\": \"S_scaled\"") != NULL);
    assert_that(strstr(s.out, "[0, \"-inf\"]") != NULL);
    assert_that(!IS_DOUBLE || strstr(s.out, "1.0986122886681098") != NULL);
    s = FTX("", "show", "--json", "tests/data/worked/alg05.sheet");
    assert_that(strstr(s.out, "\"line\": 2, \"name\": \"Y\", \"index\": 2")
                != NULL);
}

static void numbers_are_printed_as_the_sheet_asks(void **state)
{
    (void)state;
    Said s = FTX("algorithm 7\ne = 1 1\nWu = 1e10 0 ; 1 1/4\n"
                 "claim p = 0.5 0.125\n", "show", "-");
    assert_that(strstr(s.out, "  1.000e+10\n      1.250\n") != NULL);
    s = FTX("algorithm 7\ne = 1 1\nWu = 1e10 0 ; 1e20 0\n", "show", "-");
    assert_that(strstr(s.out, "  10000000000\n   1.0000e+20\n") != NULL);
    s = FTX("algorithm 7\ndecimals 0\ne = 1 1\nWu = 0 -1/4 ; 0 1/4\n", "show",
            "-");
    assert_that(strstr(s.out, "logits = W_u e   (2 x 1)\n  0\n  0\n") != NULL);
    s = FTX("algorithm 7\ntied yes\ne = 1 1\nWe = 0 -1/4 ; 0 1/4\n", "show",
            "-");
    assert_that(strstr(s.out, "W_u = W_eᵀ\n") != NULL);
    assert_that(strstr(s.out, "logits = W_eᵀ e   (2 x 1)\n  0\n  0\n") != NULL);
    s = FTX("algorithm 7\nlayout torch\ntied yes\ne = 1 1\nWe = 0 1\n",
            "show", "-");
    assert_that(strstr(s.out, "W_u = W_e\n") != NULL);
    assert_that(strstr(s.out, "logits = e W_eᵀ   (1 x 1)\n  1\n") != NULL);
    s = FTX("algorithm 7\nlayout textbook\ntied yes\ne = 1 1\nWe = 0 1\n",
            "show", "-");
    assert_that(strstr(s.out, "W_u = W_eᵀ\n") != NULL);
    assert_that(strstr(s.out, "logits = e W_eᵀ   (1 x 1)\n  1\n") != NULL);
    s = FTX("algorithm 10\nlayout torch\ntied yes\nL = 0\nx = 1\n"
            "We = 0 1 ; 1 0\n", "show", "-");
    assert_that(strstr(s.out, "W_u = W_e,") != NULL);
    assert_that(strstr(s.out, "P = softmax(X W_eᵀ)") != NULL);
    s = FTX("algorithm 3\nlayout torch\nscale no\ne = 1 1\ne_t = 1 1\n"
            "Wq = 1 0 ; 0 1\nWk = 1 0 ; 0 1\nWv = 1 1\n", "show", "-");
    assert_that(strstr(s.out, "q = e W_qᵀ + b_q   (1 x 2)\n") != NULL);
    assert_that(strstr(s.out, "α_t = softmax(scores)   (1 x 1)\n") != NULL);
}

static void every_head_is_shown(void **state)
{
    (void)state;
    Said s = FTX("", "show", "tests/data/worked/alg05.sheet");
    assert_that(strstr(s.out, "Algorithm 4, line 1, h = 2: Q = W_q X + b_q 1ᵀ"
                       "   (1 x 2)\n  0  1\n") != NULL);
    assert_that(strstr(s.out, "Algorithm 5, line 2, h = 2: Y^h = Attention(X, "
                       "Z | W_qkv^h, Mask)   (1 x 2)\n  3  4\n") != NULL);
    assert_that(strstr(s.out, "as before: the mask is 1 everywhere") != NULL);
}

/* -------------------------------------------------------- what comes out */

static void the_four_layouts_agree(void **state)
{
    (void)state;
    const Run *paper = run_of_file("tests/data/hand/layout-paper.sheet");
    const Run *others[] = { run_of_file("tests/data/hand/layout-textbook.sheet"),
                            run_of_file("tests/data/hand/layout-torch.sheet"),
                            run_of_file("tests/data/hand/layout-berkeley.sheet") };
    for (int r = 0; r < 3; r++) {
        assert_int_equal(others[r]->n, paper->n);
        for (int k = 0; k < paper->n; k++) {
            Mat A = paper->step[k].M, B = others[r]->step[k].M;
            bool rows = others[r]->layout->rows;
            assert_shape(B, rows ? A->cols : A->rows, rows ? A->rows : A->cols);
            for (int i = 1; i <= A->rows; i++)
                for (int j = 1; j <= A->cols; j++)
                    assert_that(AT(A, i, j) == (rows ? AT(B, j, i)
                                                     : AT(B, i, j)));
        }
    }
}

/* A claim of a sheet holds to half a unit of its last decimal. */
static void assert_claims_hold(const char *path)
{
    const Run *run = run_of_file(path);
    for (int k = 0; k < run->sheet->n; k++) {
        const Item *item = &run->sheet->item[k];
        if (!item->claim)
            continue;
        Mat M = step_for(run, item)->M;
        assert_shape(M, item->rows, item->cols);
        for (int i = 0; i < item->rows * item->cols; i++) {
            double half = 0.5 * pow(10, -item->entry[i].decimals) + 1e-6;
            double here = AT(M, i / item->cols + 1, i % item->cols + 1);
            if (fabs(here - item->entry[i].value) > half)
                fail_at(HERE(path), "%s: %s: %g, but claimed is %g", path,
                        item->typed, here, item->entry[i].value);
        }
    }
}

static void published_examples_come_out(void **state)
{
    (void)state;
    assert_claims_hold("tests/data/worked/published/masked-4x4.sheet");
    assert_claims_hold("tests/data/worked/published/"
                       "illustrated-self-attention.sheet");
}

static void the_scale_can_be_left_out_in_every_attention(void **state)
{
    (void)state;
    char four[] = "algorithm 4\nscale no\nX = 1 2 ; 2 0\nWq = 1 0 ; 0 1\n"
                  "Wk = 1 0 ; 0 1\nWv = 1 2\n";
    char three[] = "algorithm 3\nscale no\ne = 1 2\ne_t = 1 2 ; 2 0\n"
                   "Wq = 1 0 ; 0 1\nWk = 1 0 ; 0 1\nWv = 1 2\n";
    const char *weight = "0.952574";            /* 1 / (1 + e^-3) */
    Said s = FTX(four, "show", "--json", "-");
    assert_that(strstr(s.out, weight) != NULL);
    s = FTX(three, "show", "--json", "-");
    assert_that(strstr(s.out, weight) != NULL);
    s = FTX(three + 0, "show", "-");
    assert_that(strstr(s.out, "softmax(scores)") != NULL);
}

static void strings_are_escaped_in_json(void **state)
{
    (void)state;
    Run run = *run_of_file("tests/data/worked/alg01.sheet");
    Sheet sheet = *run.sheet;
    FILE *out = tmpfile();
    Arena *own = arena_new();
    Fault f = { .sheet = sheet.name };
    sheet.name = "a \"b\"\\\x01\n";
    run.sheet = &sheet;
    show_json(out, &run, own, &f);
    arena_free(own);
    assert_that(strstr(all_of(out), "{\"sheet\": \"a \\\"b\\\"\\\\\\u0001"
                                    "\\u000a\", ") != NULL);
}

static void numbers_of_json_are_no_others(void **state)
{
    (void)state;
    static const double numbers[] = { 0.1, -0.0, 0, 1e300, -2.5e-7, 3,
                                      INFINITY, -INFINITY, NAN };
    FILE *out = tmpfile();
    for (int k = 0; k < 9; k++) {
        json_number(out, numbers[k]);
        fputc(' ', out);
    }
    assert_string_equal(all_of(out), "0.10000000000000001 0 0 "
        "1.0000000000000001e+300 -2.4999999999999999e-07 3 \"inf\" "
        "\"-inf\" null ");
}

static void what_a_sheet_says_is_told_without_running_it(void **state)
{
    (void)state;
    assert_string_equal(SAID(show, "--read", write_text("r.sheet",
        "algorithm 4\nlayout torch\nX = 1 ; 2.50\nclaim A = [50% ?]\n")).out,
        "{\"items\": [{\"claim\": false, \"name\": \"algorithm\", "
        "\"entries\": [[\"4\"]]}, {\"claim\": false, \"name\": \"layout\", "
        "\"word\": \"torch\", \"entries\": []}, {\"claim\": false, "
        "\"name\": \"X\", \"entries\": [[\"1\"], [\"2.50\"]]}, "
        "{\"claim\": true, \"name\": \"A\", "
        "\"entries\": [[\"50%\", \"?\"]]}]}\n");
}

/* A row may be claimed as a column, a matrix not as its transpose. */
static void a_turned_matrix_is_another(void **state)
{
    (void)state;
    static const char text[] = "algorithm 4\nX = 1 2 0\nWq = 1 ; 2\n"
                               "Wk = 1 ; 1\nWv = 1\n";
    char sheet[300];
    snprintf(sheet, sizeof sheet, "%sclaim Q = 1 2 ; 2 4 ; 0 0\n", text);
    assert_says(FTX(sheet, "show", "-"), "remark: the claim Q is 3 x 2, and "
                "Q is 2 x 3.\n");
    snprintf(sheet, sizeof sheet, "%sclaim V = 1 ; 2 ; 0\n", text);
    assert_that(strstr(FTX(sheet, "show", "-").out, "claim V is") == NULL);
}

static void a_single_head_needs_no_number(void **state)
{
    (void)state;
    Said s = FTX("algorithm 5\nX = 1 2\nWq = 1\nWk = 1\nWv = 1\nWo = 1\n"
                 "claim A = 1/2 1/2 ; 1/2 1/2\nclaim A^1 = 1 1\n"
                 "claim Y = 1 2\nclaim Y^1 = 1 2\n", "show", "-");
    assert_that(s.status == 0);
    assert_that(strstr(s.out, "the claim A^1 is 1 x 2, and A^1 is 2 x 2.")
                != NULL);
}

static void many_heads_are_run(void **state)
{
    (void)state;
    enum { H = 300 };
    char *text = arena_alloc(arena, 100 * H), *p = text;
    p += sprintf(p, "algorithm 5\nX = 1 2\nWo =");
    for (int h = 0; h < H; h++)
        p += sprintf(p, " 1");
    for (int h = 1; h <= H; h++)
        p += sprintf(p, "\nWq%d = 1\nWk%d = 1\nWv%d = 1", h, h, h);
    Said plain = FTX(text, "show", "--json", "-");
    assert_that(strstr(plain.out, "b_q = 0, b_k = 0, b_v = 0, b_o = 0, "
                                  "mask = none\"") != NULL);
    sprintf(p, "\nbq1 = 1\nbk1 = 1");
    Said s = FTX(text, "show", "--json", "-");
    assert_that(s.status == 0 && strstr(s.out, "\"index\": 300") != NULL);
    assert_that(strstr(s.out, "b_v = 0, b_q^2 = 0, b_k^2 = 0") != NULL);
    assert_that(strstr(s.out, " = 0, ...\", \"steps\"") != NULL);
}

static void positions_have_the_defaults_of_their_authors(void **state)
{
    (void)state;
    Said s = FTX("algorithm 2\npositions vaswani\nd_e 4\nt 2\ndecimals 6\n",
                 "show", "-");
    assert_that(strstr(s.out, "assumed: base = 10000, first = 0") != NULL);
    assert_that(strstr(s.out, "  0.841471\n  0.540302\n  0.010000\n"
                              "  0.999950\n") != NULL);
    s = FTX("algorithm 2\npositions paper\nd_e 4\nell_max 100\nt 2\n"
            "decimals 6\n", "show", "-");
    assert_that(strstr(s.out, "assumed: base = ell_max, first = 1") != NULL);
    assert_that(strstr(s.out, "  0.198669\n  0.980067\n  0.019999\n"
                              "  0.999800\n") != NULL);
    s = FTX("algorithm 2\npositions paper\nd_e 2\nt 1\nbase 1\nfirst 0\n",
            "show", "-");
    assert_that(s.status == 0 && strstr(s.out, "assumed") == NULL);
    s = FTX("algorithm 2\nt 2\nlayout textbook\nWp = 1 2 ; 3 4\n", "show", "-");
    assert_that(strstr(s.out, "e_p = W_p[t, :]   (1 x 2)\n  3  4\n") != NULL);
}

static void each_of_several_tokens_is_normalised(void **state)
{
    (void)state;
    Said s = FTX("algorithm 6\nlayout torch\nepsilon 0\ne = 1 3 ; 4 8\n",
                 "show", "-");
    assert_that(strstr(s.out, "(2 x 2)\n  -1   1\n  -1   1\n") != NULL);
    s = FTX("algorithm 6\nnorm layer\nepsilon 1\ne = 1 1\n", "show", "-");
    assert_that(s.status == 0 && strstr(s.out, "(2 x 1)\n  0\n  0\n") != NULL);
}

/* --------------------------------------------------------- what is refused */

static void what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    assert_said(FTX("", "show", "tests"), 2, "",
                "tests: cannot be read: Is a directory.\n");
    assert_said(FTX("", "show", "tests/none.sheet"), 2, "",
        "tests/none.sheet: cannot be opened: No such file or directory.\n");
    assert_said(FTX("", "show", "/dev/zero"), 2, "", "/dev/zero: is larger "
                "than 1 MiB, the most that a sheet may have.\n");
    assert_said(FTX("", "show", "-"), 2, "",
                "-:1:1: the sheet is empty.\n");
}

static void what_would_grow_without_limit_is_refused(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "algorithm 4\nWq = 1\nWk = 1\nWv = 1\nX =",
        "algorithm 7\nWu = 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1\ne = 1 1 ;",
        "algorithm 3\ne = 1\nWq = 1\nWk = 1\nWv = 1\ne_t =" };
    for (int k = 0; k < 3; k++) {
        size_t n = strlen(starts[k]);
        char *text = arena_alloc(arena, n + 1000000 + 1);
        memcpy(text, starts[k], n);
        for (size_t i = 0; i < (k == 2 ? 300000 : 500000); i++)
            memcpy(text + n + 2 * i, " 1", 3);
        Said s = FTX(text, "show", "-");
        assert_that(s.status == (k == 2 ? 0 : 2));
        assert_that(k != 0 || strcmp(s.err, "-:1:1: the steps would have more "
                                     "than two million entries.\n") == 0);
    }
    assert_said(FTX("algorithm 2\npositions vaswani\nd_e 1000000\nt 11\n",
                    "show", "-"), 2, "", "-:1:1: the steps would have more "
                "than two million entries.\n");
}

#define REFUSED_SHEET(text, sentence) \
    assert_said(FTX(text, "show", "-"), 2, "", "-:" sentence "\n")

static void numbers_and_words_are_checked(void **state)
{
    (void)state;
    REFUSED_SHEET("algorithm 4 5\n", "1:1: algorithm must be one number.");
    REFUSED_SHEET("algorithm 4 ; 5\n", "1:1: algorithm must be one number.");
    REFUSED_SHEET("algorithm inf\n", "1:1: algorithm must be one number.");
    REFUSED_SHEET("algorithm 0\n", "1:1: there is no sheet for Algorithm 0; "
                  "the algorithms are 1 ... 15.");
    REFUSED_SHEET("algorithm 1\nv 0\nWe = 1\n", "2:3: v is 0; it must be one "
                  "of 1 ... 1, a column of W_e for each token.");
    REFUSED_SHEET("algorithm 1\nlayout torch\nv 2\nWe = 1\n", "3:3: v is 2; "
                  "it must be one of 1 ... 1, a row of W_e for each token.");
    REFUSED_SHEET("algorithm 6\ndecimals -1\ne = 1 2\n",
                  "2:1: decimals must be one of 0 ... 15.");
    REFUSED_SHEET("algorithm 6\ndecimals 1/2\ne = 1 2\n",
                  "2:1: decimals must be one of 0 ... 15.");
    REFUSED_SHEET("algorithm 6\nnorm 1 2\ne = 1 2\n",
                  "2:1: norm must be one of: layer rms.");
    REFUSED_SHEET("algorithm 6\nlayout torch\ne = 1 2 ; 3 4\ngamma = 1 2 3\n",
                  "4:1: gamma is 1 x 3, d_e entries in layout torch; so d_e "
                  "would be 3, but by e it is 2.");
    REFUSED_SHEET("algorithm 4\nlayout torch\nX = 1 ; 2\nWq = 1\nWk = 1\n"
                  "Wv = 1\nmask = 1 1 ; 0 0\n", "7:1: the mask lets token 2 "
                  "look at nothing: its row holds no 1.");
    REFUSED_SHEET("algorithm 5\nX = 1\nWq1 = 1\nWk1 = 1\nWq2 = 1\n"
                  "claim e_hat = 1\n", "1:1: Algorithm 5 needs W_k^2, and the "
                  "sheet has none; it starts from X, W_q, W_k, W_v, W_o; or "
                  "Q, K, V, W_o; or S, d_attn, V, W_o; or S_scaled, V, W_o; "
                  "or V, A, W_o; or Y, W_o.");
    REFUSED_SHEET("algorithm 7\ne = 1 1\nWu = 1 2\nclaim m = 1\n", "4:7: no "
                  "step of Algorithm 7 is m; the steps are logits, p.");
}

static void a_claim_must_name_its_head_if_there_are_two(void **state)
{
    (void)state;
    static const char two[] = "algorithm 5\nX = 1\nWq1 = 1\nWk1 = 1\n"
        "Wv1 = 1\nWq2 = 1\nWk2 = 1\nWv2 = 1\nWo = 1 1\nclaim A = 1\n";
    REFUSED_SHEET(two, "10:7: more than one step of Algorithm 5 is A; the "
                  "steps are Q^1, K^1, V^1, S^1, S_scaled^1, A^1, Vt^1, Y^1, "
                  "Y, Vt.");
}

static void masks_have_two_names_each(void **state)
{
    (void)state;
    static const char *const words[] = { "none", "bidirectional", "causal",
                                         "unidirectional" };
    Said s[4];
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text, "algorithm 4\nmask %s\nX = 1 2\nWq = 1\n"
                 "Wk = 1\nWv = 1\nbq = 1\nbk = 1\nbv = 1\n", words[k]);
        s[k] = FTX(text, "show", "-");
        assert_that(s[k].status == 0);
    }
    assert_string_equal(s[0].out, s[1].out);
    assert_string_equal(s[2].out, s[3].out);
    assert_that(strcmp(s[0].out, s[2].out) != 0);
}

static void a_number_too_large_for_single_precision_is_refused(void **state)
{
    (void)state;
    Said s = FTX("algorithm 1\nv 1\nWe = 1e100\n", "show", "-");
    assert_that(s.status == (IS_DOUBLE ? 0 : 2));
    assert_that(IS_DOUBLE || strcmp(s.err, "-:3:6: an entry of We must be "
                "finite; this is too large for single precision.\n") == 0);
}

static void several_sheets_are_shown_though_one_is_bad(void **state)
{
    (void)state;
    Said s = FTX("", "show", "tests/data/worked/alg01.sheet", "none",
                 "tests/data/worked/alg01.sheet");
    assert_that(s.status == 2);
    assert_string_equal(s.err,
        "none: cannot be opened: No such file or directory.\n");
    char *first = strstr(s.out, "Algorithm 1, layout");
    assert_that(first != NULL && strstr(first + 1, "Algorithm 1, layout"));
}

/* ------------------------------------------------------------ the command */

static void help_and_version_are_given(void **state)
{
    (void)state;
    Said s = FTX("", "--help");
    assert_that(s.status == 0 && strstr(s.out, "Usage: ftx COMMAND") != NULL);
    assert_that(strstr(s.out, "128 and the signal's number") != NULL);
    assert_that(FTX("", "-h").status == 0);
    s = FTX("", "show", "--help");
    assert_that(s.status == 0 && strstr(s.out, "Usage: ftx show") != NULL);
    s = FTX("", "--version");
    assert_said(s, 0, IS_DOUBLE ? "ftx 0.1, double precision\n"
                                : "ftx 0.1, single precision\n", "");
}

/* The example of the help is a shell command: here is its sheet. */
static void the_example_of_the_help_works(void **state)
{
    (void)state;
    Said help_ = FTX("", "show", "--help");
    assert_that(strstr(help_.out, "printf 'algorithm 7\\ne = 1 1\\nWu = 0 0 ; "
                       "ln(2) ln(3)\\n' | ftx show -\n") != NULL);
    Said s = FTX("algorithm 7\ne = 1 1\nWu = 0 0 ; ln(2) ln(3)\n", "show", "-");
    assert_that(s.status == 0);
    assert_that(strstr(s.out, "  0.1429\n  0.8571\n") != NULL);
}

static void wrong_commands_and_options_are_refused(void **state)
{
    (void)state;
    assert_said(said("", NULL, 1, (char *[]){ "ftx", NULL }), 2, "",
                "ftx: what is to be done? See 'ftx --help'.\n");
    assert_said(FTX("", "shwo"), 2, "",
                "ftx: there is no command shwo; see 'ftx --help'.\n");
    assert_said(FTX("", "show"), 2, "",
                "ftx show: which sheet? See 'ftx show --help'.\n");
    assert_said(FTX("", "show", "--jsn", "x"), 2, "", "ftx show: there is no "
                "option --jsn; see 'ftx show --help'.\n");
    assert_said(FTX("", "show", "--", "--json"), 2, "",
                "--json: cannot be opened: No such file or directory.\n");
}

static void output_that_cannot_be_written_is_noticed(void **state)
{
    (void)state;
    char *argv[] = { "ftx", "show", "tests/data/worked/alg04.sheet", NULL };
    if (access("/dev/full", W_OK) != 0)
        skip();
    Said s = said("", "/dev/full", 3, argv);
    assert_that(s.status == 2);
    assert_string_equal(s.err, "ftx: the output could not be written: No "
                        "space left on device.\n");
}

/* What a command says where no file may have more than 200 bytes. */
static Said limited(char *command)
{
    struct rlimit was, little = { 200, 200 };
    char name[] = "/tmp/ftx.XXXXXX";
    char *argv[] = { "ftx", command, "tests/data/worked/alg04.sheet", NULL };
    int end = mkstemp(name);
    assert_that(end >= 0 && getrlimit(RLIMIT_FSIZE, &was) == 0);
    little.rlim_max = was.rlim_max;
    setrlimit(RLIMIT_FSIZE, &little);
    Said s = said("", name, 3, argv);
    setrlimit(RLIMIT_FSIZE, &was);
    close(end);
    remove(name);
    return s;
}

/* But the grader wants a signal from a student's program. */
static void a_file_that_grows_too_large_is_noticed(void **state)
{
    (void)state;
    Said s = limited("show");
    assert_that(s.status == 2);
    assert_string_equal(s.err, "ftx: the output could not be written: File "
                        "too large.\n");
    assert_that(limited("steps").status == -1);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(the_worked_sheets_are_shown),
        TEST(one_number_stands_for_each_entry_of_a_vector),
        TEST(every_step_is_shown_in_the_layout_of_the_sheet),
        TEST(json_has_every_digit_and_no_infinity),
        TEST(numbers_are_printed_as_the_sheet_asks),
        TEST(every_head_is_shown),
        TEST(strings_are_escaped_in_json),
        TEST(numbers_of_json_are_no_others),
        TEST(what_a_sheet_says_is_told_without_running_it),
        TEST(a_turned_matrix_is_another),
        TEST(a_single_head_needs_no_number),
        TEST(many_heads_are_run),
        TEST(the_four_layouts_agree),
        TEST(published_examples_come_out),
        TEST(the_scale_can_be_left_out_in_every_attention),
        TEST(positions_have_the_defaults_of_their_authors),
        TEST(each_of_several_tokens_is_normalised),
        TEST(what_cannot_be_read_is_refused),
        TEST(what_would_grow_without_limit_is_refused),
        TEST(numbers_and_words_are_checked),
        TEST(a_claim_must_name_its_head_if_there_are_two),
        TEST(masks_have_two_names_each),
        TEST(a_number_too_large_for_single_precision_is_refused),
        TEST(several_sheets_are_shown_though_one_is_bad),
        TEST(help_and_version_are_given),
        TEST(the_example_of_the_help_works),
        TEST(wrong_commands_and_options_are_refused),
        TEST(output_that_cannot_be_written_is_noticed),
        TEST(a_file_that_grows_too_large_is_noticed),
    };
    return RUN(laws);
}
