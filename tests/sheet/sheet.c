/* Reading: exact entries, and every way of writing a matrix. */
#include "sheets.h"
#include "command.h"
#include "law.h"

/* ---------------------------------------------------------------- entries */

typedef struct {
    const char *text;
    double value;
    int decimals;
} Exact;

static const Exact exact[] = {
    { "0", 0, 0 },              { "1.50", 1.5, 2 },
    { "-0.25", -0.25, 2 },      { "+3", 3, 0 },
    { "1.", 1, 0 },             { ".5", 0.5, 1 },
    { "9.0e-04", 9e-4, 5 },     { "12e3", 12000, 0 },
    { "1.25E+1", 12.5, 1 },     { "2e", NAN, EXACT },
    { "1/2", 0.5, EXACT },      { "-1/2", -0.5, EXACT },
    { "2*3-4/8", 5.5, EXACT },  { "8/2/2", 2, EXACT },
    { "1-2-3", -4, EXACT },     { "-2^2", -4, EXACT },
    { "2^3^2", 512, EXACT },    { "2^-1", 0.5, EXACT },
    { "2**3", 8, EXACT },       { "-(-1)", 1, 0 },
    { "(1+2)*3", 9, EXACT },    { "( 1 + 2 )/3", 1, EXACT },
    { "sqrt(2)", 1.4142135623730951, EXACT },
    { "ln(3)", 1.0986122886681098, EXACT },
    { "exp(1)", 2.718281828459045, EXACT },
    { "e^2", 7.38905609893065, EXACT },
    { "sin(pi/6)", 0.5, EXACT }, { "cos(0)", 1, EXACT },
    { "tanh(0)", 0, EXACT },
    { "e^(2*sqrt(2))/(1+e^2)", 2.0167738156757036, EXACT },
    { "-inf", -INFINITY, EXACT }, { "infinity", INFINITY, EXACT },
    { "Inf", INFINITY, EXACT },
    { "+(-3)", -3, 0 },     { "-(+3)", -3, 0 },
    { "3-(+2)", 1, EXACT },
    { "(0.25)", 0.25, 2 }, { "-(0.25)", -0.25, 2 }, { "{1.5}", 1.5, 1 },
    { "2\xC3\x97" "3", 6, EXACT }, { "2.0\xC2\xB7" "3", 6, EXACT },
    { "2.50*10^-1", 0.25, 3 }, { "2.5·10^1", 25, 0 },
    { "2.5×10^(2-3)", 0.25, 2 },
    { "2.5*10^0.5", 7.905694150420949, EXACT }, { "10^-3", 1e-3, EXACT },
    { "2.5*100", 250, EXACT }, { "2.5*1e2", 250, EXACT },
    { "10^2*2.5", 250, EXACT }, { "2.5*10⁻³", 2.5e-3, 4 },
    { "2.5*10**-3", 2.5e-3, 4 }, { "2.5*9^2", 202.5, EXACT },
    { "2.5*10.0^2", 250, EXACT },
    { "8.4%", 0.084, 3 }, { "8.4 %", 0.084, 3 }, { "8.4\\%", 0.084, 3 },
    { "8 \\,\\%", 0.08, 2 }, { "1/2%", 0.005, EXACT }, { "50%", 0.5, 2 },
    { "np.float64(1.50)", 1.5, 2 }, { "float('-inf')", -INFINITY, EXACT },
    { "float(\"1.5\")", 1.5, 1 }, { "np.pi", 3.141592653589793, EXACT },
    { "numpy.sqrt(4)", 2, EXACT }, { "math.e", 2.718281828459045, EXACT },
    { "torch.inf", INFINITY, EXACT }, { "jnp.exp(0)", 1, EXACT },
    { "\\mathbf{1.50}", 1.5, 2 }, { "\\text{1}", 1, 0 },
    { "1.5*^-3", 0.0015, 4 }, { "1{,}50", 1.5, 2 },
    { "2·pi", 6.283185307179586, EXACT }, { "2·sqrt(4)", 4, EXACT },
    { "2·√4", 4, EXACT }, { "2·\\frac12", 1, EXACT },
    { "2·1/2", NAN, EXACT }, { "1e-400", 0, 400 }, { "1e-399", 0, 399 },
    { "1.5e-399", 0, 400 }, { "0.0e400", 0, 0 }, { "1.25e1", 12.5, 1 },
    { "1.5*10^-400", 0, 400 }, { "1.5*10^-398", 0, 399 },
    { "1.5*10^-1e9", 0, 400 }, { "0*10^300", 0, 0 },
    { "True", 1, EXACT }, { "FALSE", 0, EXACT },
    { "\xE2\x88\x9A" "4", 2, EXACT },           /* a root sign */
    { "\xCF\x80", 3.141592653589793, EXACT },
    { "-\xE2\x88\x9E", -INFINITY, EXACT },
    { "\\frac{1}{2}", 0.5, EXACT }, { "\\dfrac{1}{4}", 0.25, EXACT },
    { "\\tfrac12", 0.5, EXACT },  { "-\\frac 3 4", -0.75, EXACT },
    { "\\sqrt{9}", 3, EXACT },    { "\\sqrt 9", 3, EXACT },
    { "\\sqrt9", 3, EXACT },      { "\\ln 2", 0.6931471805599453, EXACT },
    { "\\ln(2)", 0.6931471805599453, EXACT },
    { "\\exp{0}", 1, EXACT },     { "2\\cdot3", 6, EXACT },
    { "2\\times3", 6, EXACT },    { "\\pi", 3.141592653589793, EXACT },
    { "-\\infty", -INFINITY, EXACT }, { "e^{2}", 7.38905609893065, EXACT },
};

LAW(exact_entries_have_their_value_and_decimals)
{
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
        const char *text = exact[k].text;
        Entry entry;
        const char *wrong = read_entry(&text, false, &entry);
        if (isnan(exact[k].value))      /* 2e: the 2 alone is read */
            continue;
        if (wrong != NULL || *text != '\0')
            fail_at(HERE(exact[k].text), "is not read: %s",
                    wrong != NULL ? wrong : text);
        near_at(HERE(exact[k].text), entry.value, exact[k].value, 1e-15);
        if (entry.decimals != exact[k].decimals)
            fail_at(HERE(exact[k].text), "has %d decimals", entry.decimals);
    }
}

/* Every function at a place where no other has its value, also one inside
   another; every operator beside every other. */
static const struct { const char *text; double value; } worth[] = {
    { "sqrt(3)", 1.7320508075688772 },  { "ln(2)", 0.6931471805599453 },
    { "exp(2)", 7.38905609893065 },     { "exp(-1/2)", 0.6065306597126334 },
    { "sin(1)", 0.8414709848078965 },   { "sin(-2)", -0.9092974268256817 },
    { "cos(1)", 0.5403023058681398 },   { "cos(2)", -0.4161468365471424 },
    { "tanh(1)", 0.7615941559557649 },  { "tanh(-2)", -0.9640275800758169 },
    { "tanh(ln(2))", 0.6 },             { "ln(exp(2))", 2 },
    { "exp(ln(3))", 3 },                { "cos(sin(0))", 1 },
    { "sqrt(sqrt(16))", 2 },            { "sqrt(sqrt(sqrt(256)))", 2 },
    { "√16", 4 },                       { "√√16", 2 },
    { "√(√16)", 2 },                    { "√sqrt(16)", 2 },
    { "sqrt(√16)", 2 },                 { "√\\sqrt{16}", 2 },
    { "\\sqrt{\\sqrt{16}}", 2 },        { "\\sqrt\\sqrt{16}", 2 },
    { "\\sqrt{2+7}", 3 },               { "√{2+7}", 3 },
    { "√4+5", 7 },                      { "√4*5", 10 },
    { "√4^3", 8 },                      { "sqrt(4)^3", 8 },
    { "2√9", NAN },                     { "2*√9", 6 },
    { "√+9", 3 },                       { "\\ln 10", 2.302585092994046 },
    { "\\exp 10", 22026.465794806718 }, { "\\tanh{1}", 0.7615941559557649 },
    { "\\sin 1", 0.8414709848078965 },  { "\\cos(1)", 0.5403023058681398 },
    { "\\ln 2*3", 2.0794415416798357 }, { "\\ln 2^2", 1.3862943611198906 },
    { "\\frac{2}{3}^2", 0.4444444444444444 },
    { "\\ln{2}^2", 0.4804530139182014 }, { "\\ln(2)^2", 0.4804530139182014 },
    { "\\frac{1+1}{2+2}", 0.5 },        { "\\frac{1}{-2}", -0.5 },
    { "\\frac{-1}{2}", -0.5 },          { "\\frac{1}{2}^2", 0.25 },
    { "\\frac{\\sqrt2}{\\sqrt8}", 0.5 }, { "\\frac{1}{\\frac{1}{4}}", 4 },
    { "\\frac{1}{2}*\\frac{1}{2}", 0.25 },
    { "1+2*3", 7 },     { "2*3+1", 7 },      { "1-2*3", -5 },
    { "1-2+3", 2 },     { "1-(2+3)", -4 },   { "6/2*3", 9 },
    { "6/(2*3)", 1 },   { "1/2/4*8", 1 },    { "8/2-1", 3 },
    { "2*3^2", 18 },    { "2^2*3", 12 },     { "4/2^2", 1 },
    { "2^(1+1)", 4 },   { "2^1+1", 3 },      { "(-2)^2", 4 },
    { "-1/2^2", -0.25 }, { "2*-3", -6 },     { "2/-4", -0.5 },
    { "2^-2", 0.25 },   { "-2^-2", -0.25 },  { "3-(-2)", 5 },
    { "3+(-2)", 1 },    { "3-(+2)", 1 },
    { "{1+2}*3", 9 },   { "2*{3-1}", 4 },    { "e^{1-1}", 1 },
    { "4**(1/2)", 2 },  { "2**3**0", 2 },    { "(2 ** 3)", 8 },
    { "2e1+1", 21 },    { "1e-1*10", 1 },    { "e*pi", 8.539734222673566 },
    { "e^-1", 0.36787944117144233 },         { "π/2", 1.5707963267948966 },
    { "\\pi^2", 9.869604401089358 },         { "(1 - 2)", -1 },
    { "2×3.0·4\\cdot5\\times6*7", 5040 },
    { "2 * 3", 6 },     { "2 × 3 \\cdot 4", 24 },    { "2\\cdot 3", 6 },
    { "2 \\times3", 6 }, { "e²", 7.38905609893065 },  { "2⁻¹", 0.5 },
    { "2¹⁰", 1024 },    { "(1 + 2 - 4)", -1 },
};

LAW(every_function_and_operator_has_its_own_value)
{
    for (size_t k = 0; k < sizeof worth / sizeof *worth; k++) {
        const char *text = worth[k].text;
        Entry entry;
        const char *wrong = read_entry(&text, false, &entry);
        if (isnan(worth[k].value)) {
            assert_that(*text != '\0');
            continue;
        }
        if (wrong != NULL || *text != '\0')
            fail_at(HERE(worth[k].text), "%s is not read: %s", worth[k].text,
                    wrong != NULL ? wrong : text);
        if (!is_near(entry.value, worth[k].value, 1e-15))
            fail_at(HERE(worth[k].text), "%s is %.17g, but expected %.17g",
                    worth[k].text, entry.value, worth[k].value);
        assert_int_equal(entry.decimals, EXACT);
    }
}

LAW(constants_have_all_digits_of_a_double)
{
    static const char *const pi[] = { "pi", "\\pi", "π" };
    static const char *const e[] = { "e", "e^1" };
    Entry entry;
    for (int k = 0; k < 3; k++) {
        const char *text = pi[k];
        assert_that(read_entry(&text, false, &entry) == NULL);
        assert_near(entry.value, 3.14159265358979323846, 0);
    }
    for (int k = 0; k < 2; k++) {
        const char *text = e[k];
        assert_that(read_entry(&text, false, &entry) == NULL);
        assert_near(entry.value, 2.71828182845904523536, 0);
    }
}

/* n parentheses around a 1; then a sum of n terms, which is not nested. */
LAW(only_what_is_nested_is_deep)
{
    for (int n = 1; n <= 300; n++) {
        size_t deep = (size_t)n;
        char nested[602], sum[601];
        const char *text = nested;
        Entry entry;
        memset(nested, '(', deep);
        nested[n] = '1';
        memset(nested + n + 1, ')', deep);
        nested[2 * n + 1] = '\0';
        assert_that((read_entry(&text, false, &entry) == NULL) == (n < 100));
        for (int k = 0; k < n; k++)
            memcpy(sum + 2 * k, "+1", 3);
        text = sum;
        assert_that(read_entry(&text, false, &entry) == NULL && *text == '\0');
        assert_near(entry.value, n, 0);
    }
}

LAW(a_number_has_400_characters_at_most)
{
    for (int n = 399; n <= 402; n++) {
        char digits[500];
        const char *text = digits;
        Entry entry;
        memset(digits, '0', sizeof digits);
        digits[1] = '.';
        strcpy(digits + n - 1, "7");
        const char *wrong = read_entry(&text, false, &entry);
        assert_that((wrong == NULL) == (n <= 400));
        assert_that(wrong != NULL || entry.decimals == n - 2);
        strcpy(digits + n - 6, "7e+99");
        text = digits;
        if (n == 399)
            assert_that(read_entry(&text, false, &entry) == NULL
                        && is_near(entry.value / 7e-293, 1, 1e-15));
    }
}

LAW(an_entry_ends_where_arithmetic_ends)
{
    static const char *const texts[] = { "1 -2", "1 - 2", "2e", "2pi", "0x1",
        "(1+2) -3", "\\frac123", "\\sqrt16", "sqrt(4)5", "{1} +2",
        "(1) - 2", "2*3 *4", "2 *3", "2* 3", "2 * 3 4", "(1) * 2 -1" };
    static const int ends[] = { 1, 1, 1, 1, 1, 5, 7, 6, 7, 3,
                                3, 3, 1, 1, 5, 7 };
    for (int k = 0; k < 16; k++) {
        const char *p = texts[k];
        Entry entry;
        assert_that(read_entry(&p, false, &entry) == NULL);
        assert_that(p - texts[k] == ends[k]);
    }
}

LAW(an_open_entry_has_no_value)
{
    const char *text = "?";
    Entry entry;
    assert_that(read_entry(&text, false, &entry) == NULL);
    assert_that(isnan(entry.value) && entry.decimals == EXACT);
}

LAW(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "", "x", ".", "-", "1+", "2*x", "1·5", "sqrt (4)", "1+ 2", "2^ 3", "2/ 3", "(1", "1- 2", "−1", "2.5*10-3", "2⁻", "007", "00",
        "- 1", "+ 1", "1*- 2", "foo(1)", "Sqrt[2]", "np.foo", "np.",
        "float(1", "float('1'", "sqrt(3 -2)", "(1", "()", "sqrt", "sqrt(",
        "sqrt2", "log(2)", "nan", "0/0", "1/0", "ln(0)", "ln(-1)", "inf-inf",
        "1e999", "\\foo", "\\frac{1}", "\\frac{1}{", "\\sqrt{", "1^", "e^",
        "{1", "infinite", "9^9^9^9", "\\frac x2", "sqrt(x", "e^x", "sqrt(-1)",
        "\\sqrt{-4}", "√-1", "(-8)^(1/3)", "ln(-2)", "sqrt{4}", "exp 1",
        "tanh1", "0^-1", "\\frac{1}{0}", "tan(1)", "sin", "PI", "E" };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *p = texts[k];
        Entry entry;
        if (read_entry(&p, false, &entry) == NULL)
            fail_at(HERE(texts[k]), "%s is read as %g", texts[k], entry.value);
        assert_that(texts[k] <= p && p <= texts[k] + strlen(texts[k]));
    }
}

/* --------------------------------------------------------------- matrices */

/* The sheet of a text, or NULL, and then the error says why. */
static const Sheet *sheet_in(const char *text, size_t length, Error *f)
{
    Reading r = { .name = "text", .text = text, .bytes = length };
    return try_work(f, read_it, &r) ? r.sheet : NULL;
}

/* Each is the matrix 1 2 ; 3 4. */
static const char *const ways[] = {
    "1 2 ; 3 4", "1, 2 ; 3, 4 ;", "1&2\\\\3&4", "1 2 \\\\ 3 4",
    "1 2\n3 4", "\n1 2\n3 4", "\n\n1 2  # a row\n# between\n\t3 4",
    "1\t2\n3\t4\n\n", "1 2 ;\n3 4",
    "[1 2 ; 3 4]", "[1, 2; 3, 4];", "[1 2\n 3 4]", "[ [ 1 2 ] [ 3 4 ] ]",
    "[[1, 2], [3, 4]]", "[[1, 2],\n [3, 4],\n]", "[[1. 2.]\n [3. 4.]]",
    "[[1,\n  2],\n [3,\n  4]]", "[1, 2],[3, 4]", "\n[1, 2],\n[3, 4]",
    "array([[1., 2.],\n       [3., 4.]])",
    "np.array([[1,2],[3,4]], dtype=np.float32)",
    "array([[1., 2.],\n       [3., 4.]],\n      dtype=float32)",
    "tensor([[1., 2.],\n        [3., 4.]], grad_fn=<MmBackward0>)",
    "torch.tensor([[1, 2], [3, 4]], device='cuda:0')  # c",
    "Matrix([[1, 2], [3, 4]])", "np.matrix([[1, 2], [3, 4]])",
    "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}",
    "\\begin{bmatrix}\n1 & 2 \\\\\n3 & 4 \\\\\n\\end{bmatrix}",
    "$$\\left(\\begin{array}{cc}\n1 & 2 \\\\[2pt]\n3 & 4\n"
        "\\end{array}\\right)$$",
    "\\left[\\begin{matrix}1 & 2\\\\3 & 4\\end{matrix}\\right]",
    "\\left\\{ 1 \\quad 2 \\\\ 3 \\; 4 \\right.",
    "\\[ \\displaystyle 1 & 2 \\\\ 3 & 4 \\]",
    "\\begin{smallmatrix} \\frac22 & \\frac{4}{2} \\\\ \\sqrt 9 & 2^{2} "
        "\\end{smallmatrix}",
    "\n| 1 | 2 |\n| 3 | 4 |", "|1|2|\n|3|4|",
    "\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "\n|   |   |\n|:-:|--:|\n| 1 | 2 |\n| 3 | 4 |",
    "\n+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+",
    "1\xC2\xA0" "2 ; 3 4",
};

static void assert_1234(Where where, const Item *item)
{
    if (item->rows != 2 || item->cols != 2)
        fail_at(where, "%d x %d", item->rows, item->cols);
    for (int k = 0; k < 4; k++)
        near_at(where, item->entry[k].value, k + 1, 1e-15);
}

LAW(every_way_of_writing_a_matrix_is_read)
{
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        char text[400];
        Error f = { .sheet = "text" };
        snprintf(text, sizeof text, "X = %s\nmask none\n", ways[k]);
        const Sheet *sheet = sheet_in(text, strlen(text), &f);
        if (sheet == NULL)
            fail_at(HERE(ways[k]), "%s\n%s", ways[k], f.sentence);
        assert_1234(HERE(ways[k]), &sheet->item[0]);
        assert_that(sheet->n == 2);
        assert_string_equal(sheet->item[1].word, "none");
    }
}

/* A row of another length, in every way of writing and in every row. */
static const struct { const char *text; int row, n, above; } ragged[] = {
    { "1 2 ; 3", 2, 1, 2 },             { "1 ; 2 3", 2, 2, 1 },
    { "1 2 ; 3 4 ; 5", 3, 1, 2 },       { "1 2 ; 3 4 ; 5 6 7", 3, 3, 2 },
    { "1 2 ; 3 ; 4 5", 2, 1, 2 },       { "1, 2;3,", 2, 1, 2 },
    { "1 2\n3", 2, 1, 2 },              { "1\n2 3", 2, 2, 1 },
    { "1 2\n3 4\n5", 3, 1, 2 },         { "1 2 ;\n3 ;\n4 5", 2, 1, 2 },
    { "1 & 2 \\\\ 3", 2, 1, 2 },        { "1 \\\\ 2 & 3", 2, 2, 1 },
    { "1 & 2 \\\\ 3 & 4 \\\\ 5", 3, 1, 2 },
    { "[1 2 ; 3]", 2, 1, 2 },           { "[1 ; 2 3]", 2, 2, 1 },
    { "[1 2 ; 3 4 ; 5]", 3, 1, 2 },     { "[1 2\n 3]", 2, 1, 2 },
    { "[[1, 2], [3]]", 2, 1, 2 },       { "[[1], [2, 3]]", 2, 2, 1 },
    { "[[1, 2], [3, 4], [5]]", 3, 1, 2 }, { "[[1, 2], [3], [4, 5]]", 2, 1, 2 },
    { "[[1, 2],\n [3]]", 2, 1, 2 },     { "[[1 2]\n [3]]", 2, 1, 2 },
    { "[1, 2],[3]", 2, 1, 2 },          { "\n[1],\n[2, 3]", 2, 2, 1 },
    { "array([[1., 2.],\n       [3.]])", 2, 1, 2 },
    { "np.array([[1], [2, 3]])", 2, 2, 1 },
    { "tensor([[1., 2.],\n [3., 4.],\n [5.]])", 3, 1, 2 },
    { "\\begin{pmatrix} 1 & 2 \\\\ 3 \\end{pmatrix}", 2, 1, 2 },
    { "\\begin{pmatrix} 1 \\\\ 2 & 3 \\end{pmatrix}", 2, 2, 1 },
    { "\\begin{bmatrix}\n1 & 2 \\\\\n3 \\\\\n\\end{bmatrix}", 2, 1, 2 },
    { "\\begin{bmatrix}\n1 & 2 \\\\\n3 & 4 \\\\\n5\n\\end{bmatrix}", 3, 1, 2 },
    { "$$\\left(\\begin{array}{cc}\n1 & 2 \\\\[2pt]\n3\n"
      "\\end{array}\\right)$$", 2, 1, 2 },
    { "\n| 1 | 2 |\n| 3 |", 2, 1, 2 },  { "\n| 1 |\n|---|\n| 2 | 3 |", 2, 2, 1 },
    { "\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |", 2, 1, 2 },
};

LAW(rows_of_different_lengths_are_refused)
{
    for (int claim = 0; claim <= 1; claim++)
        for (size_t k = 0; k < sizeof ragged / sizeof *ragged; k++) {
            char text[300], sentence[200];
            Error f = { .sheet = "text" };
            int n = ragged[k].n;
            snprintf(text, sizeof text, "%sX = %s\nmask none\n",
                     claim ? "claim " : "", ragged[k].text);
            if (sheet_in(text, strlen(text), &f) != NULL)
                fail_at(HERE(ragged[k].text), "is read:\n%s", text);
            snprintf(sentence, sizeof sentence, ": row %d of X has %d %s, "
                     "but the row above it has %d.", ragged[k].row, n,
                     n == 1 ? "entry" : "entries", ragged[k].above);
            if (strstr(f.sentence, sentence) == NULL)
                fail_at(HERE(ragged[k].text), "%s\nbut expected\n%s",
                        f.sentence, sentence);
        }
}

LAW(a_comma_or_an_array_carries_a_row_on)
{
    Error f = { .sheet = "text" };
    char text[] = "bq = [1, 2, # and\n 3]\nbk = array([1. 2.\n 3.])\nbv = [1 2\n3 4]";
    const Sheet *sheet = sheet_in(text, strlen(text), &f);
    assert_that(sheet != NULL && sheet->n == 3);
    assert_that(sheet->item[0].rows == 1 && sheet->item[0].cols == 3);
    assert_that(sheet->item[1].rows == 1 && sheet->item[1].cols == 3);
    assert_that(sheet->item[2].rows == 2 && sheet->item[2].cols == 2);
}

LAW(ends_of_lines_and_marks_of_other_systems_are_read)
{
    static const char *const texts[] = {
        "X = 1 2\n3 4\n\nmask none\n", "X = 1 2\r\n3 4\r\n\r\nmask none\r\n",
        "X = 1 2\r3 4\r\rmask none\r", "\xEF\xBB\xBFX = 1 2\n3 4\nmask none",
        "X = 1 2\v\n3 4\f\n\nmask none" };
    for (int k = 0; k < 5; k++) {
        Error f = { .sheet = "text" };
        const Sheet *sheet = sheet_in(texts[k], strlen(texts[k]), &f);
        assert_that(sheet != NULL && sheet->n == 2);
        assert_1234(HERE(texts[k]), &sheet->item[0]);
    }
}

/* ------------------------------------------------------------------ names */

static const struct { const char *typed, *name; int head; } spellings[] = {
    { "W_q", "W_q", 0 },      { "Wq", "W_q", 0 },    { "W_{q}", "W_q", 0 },
    { "W^Q", "W_q", 0 },      { "w_query", "W_q", 0 }, { "W_q^1", "W_q", 1 },
    { "Wq1", "W_q", 1 },      { "Wq_12", "W_q", 12 }, { "W^2_k", "W_k", 2 },
    { "W_v^{3}", "W_v", 3 },  { "b_q", "b_q", 0 },   { "bo", "b_o", 0 },
    { "X", "X", 0 },          { "E", "e_t", 0 },     { "Vt", "Vt", 0 },
    { "V~", "Vt", 0 },        { "\xE1\xB9\xBC", "Vt", 0 },
    { "V\xCC\x83", "Vt", 0 }, { "\\tilde{V}", "Vt", 0 }, { "V", "V", 0 },
    { "v", "v", 0 },          { "v~", "v_tilde", 0 }, { "v_t", "v_t", 0 },
    { "e_hat", "e_hat", 0 },  { "e^", "e_hat", 0 },  { "\\hat{e}", "e_hat", 0 },
    { "\xC3\xAA", "e_hat", 0 }, { "e", "e", 0 },     { "alpha", "alpha_t", 0 },
    { "\\gamma", "gamma", 0 }, { "\xCE\xB2", "beta", 0 },
    { "eps", "epsilon", 0 },  { "Y^2", "Y", 2 },     { "S_scaled", "S_scaled", 0 },
};

LAW(a_name_has_several_spellings)
{
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
        char text[100];
        Error f = { .sheet = "text" };
        snprintf(text, sizeof text, "%s = 1\n", spellings[k].typed);
        const Sheet *sheet = sheet_in(text, strlen(text), &f);
        if (sheet == NULL)
            fail_at(HERE(spellings[k].typed), "%s", f.sentence);
        assert_string_equal(sheet->item[0].name, spellings[k].name);
        assert_string_equal(sheet->item[0].typed, spellings[k].typed);
        assert_int_equal(sheet->item[0].head, spellings[k].head);
    }
}

/* What the word means, from which algorithm on: "0 - 4 mask 5 -". */
static void meaning_of(char *to, size_t size, const char *word)
{
    const char *before = "";
    *to = '\0';
    for (int algorithm = 0; algorithm <= 15; algorithm++) {
        const char *is = known_name(algorithm, word);
        is = is == NULL ? "-" : is;
        if (strcmp(is, before) != 0)
            append(to, size, "%s%d %s", *before == '\0' ? "" : " ", algorithm,
                   is);
        before = is;
    }
}

LAW(every_spelling_of_a_name_is_known)
{
    size_t size;
    char word[40], names[NAMES_BYTES], meaning[200];
    const char *line = bytes_of("tests/data/names.txt", &size);
    int rows = 0, algorithms = 0;
    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *end = line + strcspn(line, "\n"), *p;
        if (strncmp(line, "Algorithm", 9) == 0) {
            names_text(names, ++algorithms, false);
            assert_int_equal(strncmp(names, line, (size_t)(end - line)), 0);
        } else if (*line != '#' && end > line) {
            int n;
            p = strstr(line, " =");
            assert_that(p != NULL && p < end);
            const size_t length = (size_t)(p - line);
            for (p += 2; p < end && sscanf(p, "%39s%n", word, &n) == 1; p += n) {
                meaning_of(meaning, sizeof meaning, word);
                if (strlen(meaning) != length
                    || strncmp(meaning, line, length) != 0)
                    fail_at(HERE(word), "%s is '%s'", word, meaning);
            }
            rows++;
        }
    }
    assert_that(rows > 90 && algorithms == 15);
}

LAW(keys_words_and_claims_are_told_apart)
{
    Error f = { .sheet = "text" };
    char text[] = "algorithm 4\nlayout = torch\nmask 1 0 ; 1 1\nd_e :=2\n"
                  "  claim A = ? 1.50\n$X = 1$\n";
    const Sheet *sheet = sheet_in(text, strlen(text), &f);
    assert_that(sheet != NULL && sheet->n == 6);
    assert_that(sheet->item[0].word == NULL && sheet->item[0].rows == 1);
    assert_string_equal(sheet->item[1].word, "torch");
    assert_that(sheet->item[2].rows == 2 && sheet->item[2].word == NULL);
    assert_that(sheet->item[3].entry[0].value == 2);
    assert_that(sheet->item[4].claim && isnan(sheet->item[4].entry[0].value));
    assert_that(sheet->item[4].entry[1].decimals == 2);
    assert_that(!sheet->item[5].claim && sheet->item[5].at > 0);
}

LAW(what_only_looks_like_an_item_is_none)
{
    Error f = { .sheet = "text" };
    char text[] = "X =\n| pi | 1 |\n# X = 1\n| pi | e |\n"
                  "norm = 1 2\nscale no # word\nmask\n1 0\n0 1\n"
                  "Wq = 1e-500 0.1e-3\nd_e\n3\nclaim m = 1 2";
    const Sheet *sheet = sheet_in(text, strlen(text), &f);
    if (sheet == NULL)
        fail_at(HERE("text"), "%s", f.sentence);
    assert_that(sheet->n == 7 && sheet->item[0].rows == 2);
    assert_that(sheet->item[1].word == NULL && sheet->item[1].cols == 2);
    assert_string_equal(sheet->item[2].word, "no");
    assert_that(sheet->item[3].rows == 2 && sheet->item[5].rows == 1);
    assert_int_equal(sheet->item[4].entry[0].decimals, 400);
    assert_int_equal(sheet->item[4].entry[1].decimals, 4);
}

/* ----------------------------------------------------------------- errors */

static void assert_error(Where where, const char *text, size_t length,
                         const char *sentence)
{
    Error f = { .sheet = "text" };
    if (sheet_in(text, length, &f) != NULL)
        fail_at(where, "is read");
    if (strcmp(f.sentence, sentence) != 0)
        fail_at(where, "%s\nbut expected\n%s", f.sentence, sentence);
}

static char *repeated(const char *start, const char *part, int n)
{
    size_t a = strlen(start), b = strlen(part);
    char *text = arena_alloc(arena, a + b * (size_t)n + 1);
    memcpy(text, start, a + 1);
    for (int k = 0; k < n; k++)
        memcpy(text + a + b * (size_t)k, part, b + 1);
    return text;
}

#define FAULT(text, sentence) \
    assert_error(HERE(#text), text, strlen(text), sentence)

LAW(what_is_no_text_is_refused)
{
    static const char nul[] = "X = 1\0 2\n", utf16[] = "\xFF\xFEX\0";
    FAULT("", "text:1:1: the sheet is empty.");
    FAULT("\n \n\t\n", "text:1:1: the sheet is empty.");
    assert_error(HERE(nul), nul, sizeof nul - 1, "text:1:6: the byte 0x00 is "
                 "no text; a sheet is plain text in UTF-8.");
    assert_error(HERE(utf16), utf16, sizeof utf16 - 1,
                 "text:1:1: this is UTF-16; save the sheet as UTF-8.");
    FAULT("# ab\xE9\n", "text:1:5: the byte 0xE9 is no text; a sheet is plain "
          "text in UTF-8.");
    FAULT("#\xC3\xA9\xC3\xA9\xF0\x9F\x98", "text:1:4: the byte 0xF0 is no "
          "text; a sheet is plain text in UTF-8.");
    FAULT("\x1B[0m", "text:1:1: the byte 0x1B is no text; a sheet is plain "
          "text in UTF-8.");
    FAULT("#\xC3(", "text:1:2: the byte 0xC3 is no text; a sheet is plain "
          "text in UTF-8.");
    FAULT("#\xE9\xE9", "text:1:2: the byte 0xE9 is no text; a sheet is plain "
          "text in UTF-8.");
}

LAW(what_is_wrong_is_quoted_with_its_place)
{
#define NO_NAME "this is no name that a sheet knows; names are written as " \
                "X, Wq, W_q^1 or bq, and their case counts."
#define NO_FUNCTION "a sheet does not know this function; type its value."
#define NO_NUMBER "expected a number, such as 1, -0.5, 1/2 or sqrt(2)."
    FAULT("W_what_a_long_name_this_is_my_dear = 1", "text:1:1: at "
          "'W_what_a_long_name_this_is_my_dear': " NO_NAME);
    FAULT("a_name_of_31_characters_and_one = 1", "text:1:1: at "
          "'a_name_of_31_characters_and_one': " NO_NAME);
    FAULT("X = 1 ééééééééééééééééééééé", "text:1:7: at 'éééééééééééééééééééé"
          "': " NO_NUMBER);
    FAULT("X = 1 xéééééééééééééééééééé", "text:1:7: at 'xééééééééééééééééééé"
          "': " NO_NUMBER);
    FAULT("é X = 1", "text:1:1: at 'é': expected a line such as "
          "'X = 1 0 ; 0 1' or 'mask none'.");
    FAULT("X = [1 2", "text:1:5: what is opened here is not closed before "
          "the end of the sheet.");
    FAULT("X = array(1 2", "text:1:5: what is opened here is not closed "
          "before the end of the sheet.");
    FAULT("X = \\\\begin{array", "text:1:7: at 'begin{array': " NO_NUMBER);
    FAULT("X = \\begin{array", "text:1:5: at '\\begin{array': expected an "
          "environment such as pmatrix.");
    FAULT("X = \\begin{cases}1", "text:1:5: at '\\begin{cases}1': expected "
          "an environment such as pmatrix.");
    FAULT("X = \\begin{array}{cc\n1", "text:1:19: at 'cc': " NO_NUMBER);
    FAULT("X = 1 \\", "text:1:7: at '\\': " NO_NUMBER);
    FAULT("X = 1 \\left", "text:1:7: at '\\left': " NO_NUMBER);
    FAULT("X = 1 \\left\\", "text:1:7: at '\\left\\': " NO_NUMBER);
    FAULT("X = \\frac{1 2}{3}", "text:1:13: at '2}{3}': expected a }.");
    FAULT("X = 1 x\v2", "text:1:7: at 'x': " NO_NUMBER);
    FAULT("X = 1 x\f2", "text:1:7: at 'x': " NO_NUMBER);
    FAULT("X = sqrt(3 -2)", "text:1:12: at '-2)': expected a ).");
    FAULT("X = sqrt(3 +2)", "text:1:12: at '+2)': expected a ).");
    FAULT("X = log(2)", "text:1:5: at 'log(2)': log has several meanings; "
          "write ln(...).");
    FAULT("X = logit(2)", "text:1:5: at 'logit(2)': " NO_FUNCTION);
    FAULT("X = \\log 2", "text:1:5: at '\\log': log has several meanings; "
          "write ln(...).");
    FAULT("X = 1 sqrt2", "text:1:11: at '2': expected a ( after the "
          "function's name.");
    FAULT("X = ..5", "text:1:5: at '..5': " NO_NUMBER);
    FAULT("claim grad2.W_u = 1", "text:1:7: at 'grad2.W_u': " NO_NAME);
    FAULT("X = 1 \\leftx", "text:1:7: at '\\leftx': " NO_NUMBER);
    FAULT("claims = 1", "text:1:1: at 'claims': " NO_NAME);
    FAULT("claim 1 = 1", "text:1:7: at '1': expected a line such as "
          "'claim A = 1/2 1/2'.");
    FAULT("claim 4 5 A = 1", "text:1:7: at '4': expected a line such as "
          "'claim A = 1/2 1/2'.");
    FAULT("layout 4\nlayout 4", "text:2:1: layout is given twice.");
    FAULT("X = 1\n| 1 2", "text:2:3: row 2 of X has 2 entries, but the row "
          "above it has 1.");
    FAULT("bar(1) = 2", "text:1:1: at 'bar(1)': expected a line such as "
          "'X = 1 0 ; 0 1' or 'mask none'.");
    FAULT("X = bar(1)", "text:1:5: at 'bar(1)': " NO_FUNCTION);
    FAULT("X = sparse(1)", "text:1:5: at 'sparse(1)': " NO_FUNCTION);
}

LAW(what_is_given_twice_is_refused)
{
    FAULT("claim A = 1\nclaim A = 1", "text:2:7: A is given twice.");
    FAULT("claim A = 1\nclaim A = 2", "text:2:7: A is given twice.");
    FAULT("claim A = 1\nX = 1\nclaim S = 1\nclaim A = ?",
          "text:4:7: A is given twice.");
    FAULT("X = 1\nclaim A = 1\nclaim X = 2\nX = 1",
          "text:4:1: X is given twice.");
    FAULT("Wq = 1\nX = 1\nW_q = 1", "text:3:1: W_q is given twice.");
    FAULT("claim Vt = 1\nclaim V~ = 1", "text:2:7: V~ is given twice.");
    FAULT("claim S^2 = 1\nclaim S^1 = 1\nclaim S2 = 1",
          "text:3:7: S2 is given twice.");
    FAULT("claim 4.4 S = 1\nclaim 4.5 S = 1\nclaim 4.4 S = 1",
          "text:3:11: S is given twice.");
    FAULT("layer2.Wq = 1\nlayer1.Wq = 1\nlayer2.Wq = 1",
          "text:3:1: layer2.Wq is given twice.");
    FAULT("claim i2.p = 1\nclaim i2.p = 1", "text:2:7: i2.p is given twice.");
    FAULT("claim new.Wu = 1\nclaim new.Wu = 1",
          "text:2:7: new.Wu is given twice.");
}

LAW(what_differs_in_one_thing_is_not_given_twice)
{
    Error f = { .sheet = "text" };
    char text[] = "X = 1\nclaim X = 1\nWq = 1\nWq1 = 1\nWq2 = 1\n"
        "layer1.Wq = 1\nlayer2.Wq = 1\nenc1.Wq = 1\ndec1.Wq = 1\ned1.Wq = 1\n"
        "claim S = 1\nclaim 4.4 S = 1\nclaim 4.5 S = 1\nclaim 5.4 S = 1\n"
        "claim Wu = 1\nclaim grad.Wu = 1\nclaim new.Wu = 1\n"
        "claim i1.p = 1\nclaim i2.p = 1\nclaim p = 1\n";
    const Sheet *sheet = sheet_in(text, strlen(text), &f);
    if (sheet == NULL)
        fail_at(HERE("text"), "%s", f.sentence);
    assert_int_equal(sheet->n, 20);
}

/* What is taken out, a mark or the CR of a line, leaves every character
   behind it whole. */
LAW(a_character_stays_whole_wherever_it_stands)
{
    static const char *const before[] = { "", "\xEF\xBB\xBF", "# é\r\n",
        "\xEF\xBB\xBF# é ẽ 😀\r\n\r\n", "mask none # ∞\r\n" };
    for (int k = 0; k < 5; k++) {
        char text[200];
        Error f = { .sheet = "text" };
        snprintf(text, sizeof text, "%sγ = √4 −1 # é\r\nṼ = 1 2×3\r\n",
                 before[k]);
        const Sheet *sheet = sheet_in(text, strlen(text), &f);
        if (sheet == NULL)
            fail_at(HERE(before[k]), "%s", f.sentence);
        const Item *item = &sheet->item[sheet->n - 2];
        assert_string_equal(item[0].typed, "γ");
        assert_string_equal(item[0].name, "gamma");
        assert_near(item[0].entry[0].value, 2, 0);
        assert_near(item[0].entry[1].value, -1, 0);
        assert_string_equal(item[1].typed, "Ṽ");
        assert_string_equal(item[1].name, "Vt");
        assert_near(item[1].entry[1].value, 6, 0);
    }
    FAULT("X = 1 \xEF\xBB\xBF" "x", "text:1:7: at 'x': " NO_NUMBER);
    FAULT("# \x7F", "text:1:3: the byte 0x7F is no text; a sheet is plain "
          "text in UTF-8.");
    FAULT("# é\r\n# 😀\r\n\r\n\r\nX = 1 √ x", "text:5:9: at 'x': " NO_NUMBER);
    FAULT("\xEF\xBB\xBFX = é", "text:1:5: at 'é': " NO_NUMBER);
}

LAW(what_is_nested_too_deep_is_refused)
{
    static const char *const parts[] = { "-(", "1^", "\\ln", "sqrt(" };
    for (int k = 0; k < 4; k++) {
        Error f = { .sheet = "text" };
        const char *text = repeated("X = ", parts[k], 100000);
        assert_that(sheet_in(text, strlen(text), &f) == NULL);
        assert_that(strstr(f.sentence, "nested more than 100 deep.") != NULL);
    }
    static const char *const brackets[] = { "[", "(", "{", "array![" };
    for (int k = 0; k < 4; k++) {
        Error f = { .sheet = "text" };
        const char *text = repeated("X = ", brackets[k], 100000);
        assert_that(sheet_in(text, strlen(text), &f) == NULL);
        assert_that(strstr(f.sentence, "brackets are more than ten deep."));
    }
}

LAW(what_is_too_long_is_refused)
{
    FAULT(repeated("X = ", "1", 1000000), "text:1:5: at '11111111111111111111"
          "11111111111111111111': a number of more than 400 characters.");
    FAULT(repeated("x", "x", 1000000), "text:1:1: at 'xxxxxxxxxxxxxxxxxxxxxxx"
          "xxxxxxxxxxxxxxxxx': expected a line such as 'X = 1 0 ; 0 1' or "
          "'mask none'.");
    FAULT(repeated("", "a=1\n", 2), "text:1:1: at 'a': this is no name that a "
          "sheet knows; names are written as X, Wq, W_q^1 or bq, and their "
          "case counts.");
    char *many = repeated("", "Wq     = 1\n", 1001);
    for (int k = 0; k < 1001; k++)
        many[11 * k + 2 + snprintf(many + 11 * k + 2, 5, "%d", k % 999 + 1)]
            = ' ';
    many[11 * 999 + 1] = 'k', many[11 * 1000 + 1] = 'k';
    FAULT(many, "text:1001:1: a sheet has at most 1000 items.");
}

LAW(a_line_of_half_a_million_entries_is_read)
{
    Error f = { .sheet = "text" };
    const char *text = repeated("X =", " 1", 520000);
    const Sheet *sheet = sheet_in(text, strlen(text), &f);
    assert_that(sheet != NULL && sheet->item[0].cols == 520000);
}

/* A worked example without its W_u, and perhaps without its claims of P. */
static const char *without_W_u(int algorithm, bool claims_P)
{
    char name[60];
    snprintf(name, sizeof name, "tests/data/worked/alg%02d.sheet", algorithm);
    FILE *file = fopen(name, "r");
    assert_that(file != NULL);
    Text *t = text_new();
    int left_out = 0;
    for (const char *p = all_of(file); *p != '\0'; ) {
        int n = (int)strcspn(p, "\n") + 1;
        bool of_P = strncmp(p, "claim P", 7) == 0
                 || strncmp(p, "claim logits", 12) == 0;
        if (strncmp(p, "Wu", 2) != 0 && (claims_P || !of_P))
            add_text(t, "%.*s", n, p);
        else
            left_out++;
        p += n;
    }
    assert_that(left_out >= (claims_P ? 1 : 2));
    return t->at;
}

LAW(a_model_without_W_u_ends_before_it)
{
    for (int algorithm = 8; algorithm <= 10; algorithm++) {
        const Run *run = run_of(without_W_u(algorithm, false));
        assert_that(run != NULL && run->n > 5);
        for (int k = 0; k < run->n; k++)
            assert_that(run->step[k].role != ROLE_PROBABILITIES
                        && run->step[k].role != ROLE_LOGITS);
        assert_that(run_of(without_W_u(algorithm, true)) == NULL);
    }
}
