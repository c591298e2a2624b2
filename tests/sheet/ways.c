/* Ways of writing a matrix: those of tests/data/ways.txt, and what chance makes of
   them. */
#include "cases.h"
#include "sheets.h"
#include "law.h"

enum { WAY_BYTES = 1000 };

static void add_code(char *to, int c)
{
    if (c < 0x800)
        sprintf(to, "%c%c", 0xC0 | c >> 6, 0x80 | (c & 63));
    else if (c < 0x10000)
        sprintf(to, "%c%c%c", 0xE0 | c >> 12, 0x80 | (c >> 6 & 63),
                0x80 | (c & 63));
    else
        sprintf(to, "%c%c%c%c", 0xF0 | c >> 18, 0x80 | (c >> 12 & 63),
                0x80 | (c >> 6 & 63), 0x80 | (c & 63));
}

/* <U+2009> and <tab> become what they stand for. */
static void add_line(char *to, const char *line)
{
    char *end = to + strlen(to);
    for (const char *p = line; *p != '\0'; ) {
        int n = 0;
        unsigned c;
        assert_that(end + 8 < to + WAY_BYTES);
        if (sscanf(p, "<U+%4x>%n", &c, &n) == 1 && n > 0) {
            add_code(end, (int)c);
            end += strlen(end);
        }
        else if (strncmp(p, "<tab>", 5) == 0)
            *end++ = '\t', n = 5;
        else
            *end++ = *p, n = 1;
        p += n;
    }
    *end = '\0';
}

/* What came out, as ways.txt has it. */
static const char *outcome_text(const Reading *r, char to[WAY_BYTES])
{
    *to = '\0';
    if (r->sheet == NULL) {
        append(to, WAY_BYTES, "refused %s",
               r->error.sentence + strlen("text:"));
        return to;
    }
    const Item *item = &r->sheet->item[0];
    for (int k = 0; k < item->rows * item->cols; k++) {
        const Entry *e = &item->entry[k];
        bool exact = e->decimals == EXACT;
        append(to, WAY_BYTES, "%s", k == 0 ? "" : k % item->cols == 0
                                    ? " ; " : " ");
        if (isnan(e->value) && exact)
            append(to, WAY_BYTES, "?");
        else
            append(to, WAY_BYTES, exact ? "=%.*g" : "%.*f",
                   exact ? 14 : e->decimals, e->value);
    }
    return to;
}

LAW(every_way_comes_out_as_the_table_says)
{
    size_t bytes;
    int failed = 0, ways = 0;
    Case c;
    for (const char *p = bytes_of("tests/data/ways.txt", &bytes);
         (p = next_case(p, &c)) != NULL; ways++) {
        const char *expected = strchr(c.expectations, ':') + 2;
        int n = (int)strcspn(expected, "\n");
        char text[WAY_BYTES] = "", out[WAY_BYTES];
        add_line(text, c.input);
        add_line(text, "decimals 3\n");
        const Reading *r = reading("text", text, read_it);
        bool right = (int)strlen(outcome_text(r, out)) == n
                  && strncmp(out, expected, (size_t)n) == 0
                  && (r->sheet == NULL || r->sheet->n == 2);
        if (!right)
            print_error("%s\n  is      %s\n  but not %.*s\n", c.title, out, n,
                        expected);
        failed += !right;
    }
    assert_that(ways >= 200 && failed == 0);
}

/* Characters that look like one of ASCII, the first and the last of each run,
   in a matrix that is 1 2. */
static const struct { const char *text; int first, last; } alike[] = {
    { "1%s2", 0xA0, 0xA0 },         { "1%s2", 0x2000, 0x2005 },
    { "1%s2", 0x2007, 0x2007 },     { "1%s2", 0x205F, 0x205F },
    { "1%s2", 0x3000, 0x3000 },     { "1 %s 2", 0x2006, 0x200A },
    { "1 %s 2", 0x202F, 0x202F },   { "%s1 2", 0x200C, 0x200F },
    { "%s1 2", 0x202A, 0x202E },    { "%s1 2", 0x2060, 0x2064 },
    { "%s1 2", 0xFEFF, 0xFEFF },    { "-(%s1) 2", 0x2010, 0x2015 },
    { "-(%s1) 2", 0x2212, 0x2212 }, { "-(%s1) 2", 0xFE58, 0xFE58 },
    { "-(%s1) 2", 0xFE63, 0xFE63 }, { "1 2.0%s1", 0x2022, 0x2022 },
    { "1 2.0%s1", 0x2219, 0x2219 }, { "1 2.0%s1", 0x22C5, 0x22C5 },
    { "1 2%s1", 0x2217, 0x2217 },   { "1 2%s1", 0x2715, 0x2715 },
    { "1 2%s1", 0x2044, 0x2044 },   { "1 4%s2", 0x2215, 0x2215 },
    { "1 4%s2", 0xF7, 0xF7 },       { "%s1 2", 0x201C, 0x201D },
    { "%s1 2", 0x23A1, 0x23A6 },    { "1 1+%s", 0xFF11, 0xFF11 },
};

LAW(what_looks_like_a_character_is_read_as_that)
{
    char character[5], text[80] = "X = ";
    for (size_t k = 0; k < sizeof alike / sizeof *alike; k++)
        for (int c = alike[k].first; c <= alike[k].last; c++) {
            const char *at = strstr(alike[k].text, "%s");
            add_code(character, c);
            snprintf(text + 4, sizeof text - 4, "%.*s%s%s",
                     (int)(at - alike[k].text), alike[k].text, character,
                     at + 2);
            const Reading *r = reading("text", text, read_it);
            const Item *item = r->sheet != NULL ? r->sheet->item : NULL;
            if (item == NULL || item->rows != 1 || item->cols != 2
                || item->entry[0].value != 1 || item->entry[1].value != 2)
                fail_at(HERE(alike[k].text), "with U+%04X is not 1 2", c);
        }
}

/* ------------------------------------------------ what chance makes of it */

static int picked(int n)                /* 0 ... n - 1 */
{
    int k = (int)((random_number() + 1) / 2 * n);
    return k < n ? k : n - 1;
}

/* How a matrix is written: its beginning, and what stands before a row,
   between entries, between rows and at the end. */
static const struct {
    const char *begin, *before, *between, *after, *rows, *end;
} styles[] = {
    { "", "", " ", "", " ; ", "\n" },
    { "", "", ", ", "", ";", "\n" },
    { "\n", "", "\t", "", "\n", "\n" },
    { "[", "", " ", "", "\n", "]\n" },
    { "[", "[", ", ", "]", ",\n ", "]\n" },
    { "", "(", ", ", ")", ", ", "\n" },
    { "{", "{", ", ", "}", ", ", "}\n" },
    { "(", "", ", ", "", " ; ", ")\n" },
    { "[[", "[", " ", "]", "\n  ", "]]\n" },
    { "\n", "| ", " | ", " |", "\n", "\n" },
    { "np.array([", "[", ", ", "]", ",\n ", "], dtype=float32)\n" },
    { "tensor([", "[", ",   ", "]", ",\n\n", "], device='cpu',\n g=<A>)\n" },
    { "\\begin{pmatrix*}[r]\n", "", " & ", "", "\\\\[2pt]\n",
      "\n\\end{pmatrix*}\n" },
    { "\\left(\\begin{array}{c|c}", "", "&", "", "\\cr ",
      "\\end{array}\\right)\n" },
    { "\n\n+---+\n", "| ", " | ", " |", "\n+---+\n", "\n+---+\n" },
    { "Parameter containing:\ntensor([", "[", ", ", "]", ",\n", "])\n" },
    { "\n", "⎡", "  ", "⎤", "\n⎢  ⎥\n", "\n" },
};

/* An entry as one types it; what it is, in is. */
static void add_entry(Text *t, Entry *is, bool percent)
{
    static const char *const minus[] = { "-", "−", "–", "‐" };
    char digits[40];
    int kind = picked(20);
    is->decimals = picked(5);
    is->value = NAN;
    if (kind == 0) {
        is->decimals = EXACT;
        add_text(t, "?");
        return;
    }
    snprintf(digits, sizeof digits, "%.*f", is->decimals,
             (kind < 4 ? 1000 : 10) * fabs(random_number()));
    is->value = strtod(digits, NULL);
    if (kind == 1 && !percent)
        is->value = INFINITY, is->decimals = EXACT;
    bool negative = picked(3) == 0;
    add_text(t, "%s%s", negative ? minus[picked(4)] : "",
             is->decimals == EXACT ? "inf" : digits);
    if (is->decimals != EXACT && picked(10) == 0) {
        int power = picked(7) - 3;
        static const char *const forms[] = {
            "e%d", "E%+03d", "*10^%d", "×10^{%d}", " \\cdot 10^{%d}" };
        add_text(t, forms[picked(5)], power);
        is->value *= pow(10, power);
        is->decimals = is->decimals > power ? is->decimals - power : 0;
    }
    if (percent) {
        add_text(t, picked(2) ? "%%" : " \\%%");
        is->value /= 100;
        is->decimals += 2;
    }
    is->value = negative ? -is->value : is->value;
}

static bool same_entries(const Item *item, int rows, int cols, const Entry *is)
{
    bool same = item->rows == rows && item->cols == cols;
    for (int k = 0; same && k < rows * cols; k++) {
        double x = item->entry[k].value, y = is[k].value;
        same = item->entry[k].decimals == is[k].decimals
            && (isnan(x) ? isnan(y) : is_near(x, y, 1e-14));
    }
    return same;
}

LAW(what_is_written_in_any_style_is_read_as_it_is)
{
    const int all = sizeof styles / sizeof *styles;
    int asked = 0;
    for (int turn = 0; turn < amount(20000); turn++) {
        generator = seeded((uint64_t)turn);
        int style = turn % all, rows = 1 + picked(4);
        int cols = (style == 5 ? 2 : 1) + picked(3);
        bool percent = picked(8) == 0;
        Entry is[16];
        Text *t = text_new();
        add_text(t, "claim A = %s", styles[style].begin);
        for (int i = 0; i < rows; i++) {
            add_text(t, "%s%s", i > 0 ? styles[style].rows : "",
                     styles[style].before);
            for (int j = 0; j < cols; j++) {
                add_text(t, "%s", j > 0 ? styles[style].between : "");
                add_entry(t, &is[i * cols + j], percent);
            }
            add_text(t, "%s", styles[style].after);
        }
        add_text(t, "%sdecimals 3\n", styles[style].end);
        const Reading *r = reading("text", t->at, read_it);
        if (r->sheet == NULL && strstr(r->error.sentence, " may ") != NULL) {
            asked++;
            continue;
        }
        if (r->sheet == NULL || r->sheet->n != 2)
            fail_at(HERE("style"), "%d: %s\n%s", turn, t->at,
                    r->error.sentence);
        if (!same_entries(&r->sheet->item[0], rows, cols, is))
            fail_at(HERE("style"), "%d: %s\nis not read as it is", turn, t->at);
        arena_clear(arena);
    }
    assert_that(asked <= amount(20000) / 25 + 20);
}
