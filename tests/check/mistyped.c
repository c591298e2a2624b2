/* Sheets with a mistake of typing, thousands of them: a line, a word or a
   number is left out, doubled, exchanged or replaced. Some are a matrix only,
   in a way of writing; some claim steps that they lead to, and gradients;
   others begin with steps in place of what leads to them. Each is judged, or
   refused with a sentence: exit status 0, 1 or 2, and never a crash. Where the
   program ends, the sheet is printed. */
#include "cases.h"
#include "command.h"
#include "student.h"
#include "show/show.h"
#include "law.h"
#include <glob.h>

enum { LONGEST = 30000, MOST = 30000 };
typedef struct { const char *from, *to; } Span;

/* The runs of characters that are none of those; NULL: each character. */
static int spans_of(const char *text, const char *not, Span span[])
{
    int n = 0;
    for (const char *p = text; *p != '\0' && n < MOST; ) {
        size_t bytes = not == NULL ? 1 : strcspn(p, not);
        if (bytes > 0)
            span[n++] = (Span){ p, p + bytes };
        p += bytes > 0 ? bytes : 1;
    }
    return n;
}

static Span any_word(Random *random)
{
    static const char *const words[] = {
        "0", "1", "2", "3", "5", "0.5", "0.25", "2.00", "0.3333", "1/3",
        "1e3", "nan", "12%", "𝟿", "１", "½", "−1", "algorithm", "claim",
        "layout", "mask", "scale", "decimals", "X", "Z", "W_q", "W_k", "W_v",
        "W_o", "b_q", "Q", "K", "V", "S", "A", "V_tilde", "Y", "e", "W_e", "W_u",
        "p", "tau", "x", "z", "gamma_1", "W_mlp1", "logits", "loss", "P",
        "torch", "textbook", "causal", "none", "X.shape", "H", "=", ";", "[",
        "]", "#", "ln(2)", "X_scaled", "grad", "head 1", "row 2 of", "V～",
        "(", ")", "{", "}", ",", "|", "&", "\\\\", "\n", "%", "^", "'", "?",
        "inf", "1e999", "12,5", "array(", "[,1]", "\\begin{pmatrix}",
        "\\end{pmatrix}", "\xC3", "\xFF", "\xE2\x80\x8B", "/0" };
    const char *word = words[below(random, sizeof words / sizeof *words)];
    return (Span){ word, word + strlen(word) };
}

static void mistype(char *text, Random *random)
{
    static const char *const not[] = { "\n", " \n", " \n=;[]", NULL };
    static Span span[MOST];
    static char old[LONGEST];
    strcpy(old, text);
    const int n = spans_of(old, not[below(random, 4)], span);
    if (n == 0)
        return;
    Span a = span[below(random, n)], b = span[below(random, n)];
    const int way = below(random, 5);
    if (way == 0)                       /* left out */
        b.to = b.from;
    else if (way == 1)                  /* twice */
        b = a, a.to = a.from;
    else if (way == 4)
        b = any_word(random);
    int length = snprintf(text, LONGEST, "%.*s%.*s%s", (int)(a.from - old),
                          old, (int)(b.to - b.from), b.from, a.to);
    assert_that(length < LONGEST);
}

static void add_step(Text *to, const char *begin, const Step *step,
                     int decimals, Random *random)
{
    write_step(to, begin, below(random, 3) == 0,
               claimed(step, step->M, all_whole(step->M) ? 0 : decimals));
}

/* The sheet without its claims and without some of its items, but with some
   of its steps given and others claimed. An output that is claimed becomes
   the gradient with which the way back begins. */
static const char *with_steps(const char *text, int gives, Random *random)
{
    const Run *run = run_of(text);
    const int share = 2 + below(random, 4);
    Text *to = text_new();
    for (size_t n; *text != '\0'; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        const bool small = n < 16, kept = gives == 0
                     || strncmp(text, "algorithm", 9) == 0
                     || (small ? below(random, 6) > 0
                               : below(random, 4) < share);
        if (strncmp(text, "claim", 5) != 0 && kept)
            add_text(to, "%.*s", (int)n, text);
    }
    add_text(to, "\n");
    for (int k = 0; k < run->n; k++) {
        Step step = run->step[k];
        const int way = below(random, run->n);
        if (step.given || step.M->rows * step.M->cols > 40)
            continue;
        if (step.role == ROLE_MIXED && gives == 0 && step.head == 0) {
            step.name = "output";
            add_step(to, "grad.", &step, 2, random);
        } else if (way < gives && step.aspect == VALUE)
            add_step(to, "", &step, 9, random);
        else if (way < gives + 6)
            add_step(to, "claim ", &step, 1 + below(random, 4), random);
    }
    return to->at;
}

static void cut_line(char *text, int line)
{
    while (--line > 0 && *text != '\0')
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    const char *rest = text + strcspn(text, "\n");
    memmove(text, rest, strlen(rest) + 1);
}

static Said said_of(const char *sheet, int k)
{
    static const char *const shown[] = {
        "--all", "--read", "--svg", "--json", "--md", "--shade"
    };
    assert_non_null(freopen(write_text("sheet", sheet), "r", stdin));
    if (k % 2 == 1)
        return SAID(show, (char *)shown[k / 2 % 6], "-");
    return k % 8 == 0 ? SAID(check, "--json", "-") : SAID(check, "-");
}

static char sheet[LONGEST];

static void print_sheet(void)
{
    if (*sheet != '\0')
        fprintf(stderr, "ended with\n%s\n", sheet);
}

/* Judges the sheet; a line that is refused is taken out, until something
   comes of the rest. */
static void judge_rest(int k)
{
    int line = 2;
    for (int turn = 0; turn < 8 && line > 1; turn++) {
        Said s = said_of(sheet, k);
        assert_in_range(s.status, 0, 2);
        assert_that((s.status == 2) == (*s.err != '\0'));
        if (sscanf(s.err, "-:%d:", &line) != 1)
            return;
        assert_that(strlen(s.err) > 20 && strstr(s.err, ".\n") != NULL);
        cut_line(sheet, line);
    }
}

/* A sheet of tests/data, or a way of writing a matrix. */
static const char *any_sheet(const glob_t *sheets, Random *random)
{
    size_t size;
    Case c = { .input = "" };
    const int which = below(random, (int)sheets->gl_pathc * 4 / 3);
    if (which < (int)sheets->gl_pathc)
        return bytes_of(sheets->gl_pathv[which], &size);
    const char *p = bytes_of("tests/data/ways.txt", &size);
    for (int k = below(random, 200); k >= 0; k--)
        p = next_case(p, &c);
    return c.input;
}

/* FTX_SEED draws other sheets. */
LAW(any_mistyped_sheet_is_judged_or_refused)
{
    glob_t sheets;
    atexit(print_sheet);
    assert_int_equal(glob("tests/data/*/*.sheet", 0, NULL, &sheets), 0);
    assert_that(sheets.gl_pathc > 80);
    for (int k = amount(6000); k > 0; k--) {
        Random random = random_new(seeded((uint64_t)k));
        const char *text = any_sheet(&sheets, &random);
        const int kind = run_of(text) == NULL ? 0 : below(&random, 4);
        if (kind >= 2)
            text = with_steps(text, kind == 2 ? 0 : 1 + below(&random, 3),
                              &random);
        strcpy(sheet, text);
        for (int times = kind == 3 ? 0 : 1 + (below(&random, 3) == 0);
             times > 0; times--)
            mistype(sheet, &random);
        judge_rest(k);
        arena_clear(arena);
    }
    *sheet = '\0';
    globfree(&sheets);
}
