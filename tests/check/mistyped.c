/* Sheets with a mistake of typing, thousands of them: a line, a word or a
   character is left out, doubled, exchanged or replaced. Half of them claim
   some of the steps that they lead to, and gradients. Others begin with steps
   in place of what leads to them. Each is judged or refused: exit status 0, 1
   or 2, and never a crash.
   FTX_VARIANT='tests/data/worked/alg04.sheet 7 31' prints the six of a seed. */
#include "command.h"
#include "student.h"
#include "show/show.h"
#include "law.h"
#include <ctype.h>
#include <glob.h>
#include <inttypes.h>

enum { TYPED = 10, LATE = 6, KINDS = TYPED + LATE, VARIANTS = 6,
       LONGEST = 30000, MOST = 30000 };

typedef struct { const char *from, *to; } Span;

static bool in_number(char c)
{
    return isdigit((unsigned char)c) || c == '.';
}

static bool in_word(char c)
{
    return c != ' ' && c != '\n';
}

static bool in_line(char c)
{
    return c != '\n';
}

/* The runs of such characters; single characters without a question. */
static int spans_of(const char *text, bool (*in)(char), Span span[])
{
    int n = 0;
    for (const char *p = text, *end; *p != '\0' && n < MOST; p = end) {
        end = p + 1;
        if (in != NULL && !in(*p))
            continue;
        while (in != NULL && *end != '\0' && in(*end))
            end++;
        span[n++] = (Span){ p, end };
    }
    return n;
}

/* The text with something else in the place of one or two spans. */
static void replace(char *to, const char *text, Span a, Span with, Span b,
                    Span and)
{
    int n = snprintf(to, LONGEST, "%.*s%.*s%.*s%.*s%s",
                     (int)(a.from - text), text,
                     (int)(with.to - with.from), with.from,
                     (int)(b.from - a.to), a.to,
                     (int)(and.to - and.from), and.from, b.to);
    assert_that(n < LONGEST);
}

static Span word_of(const char *const words[], int n, Random *random)
{
    const char *word = words[below(random, n)];
    return (Span){ word, word + strlen(word) };
}

static Span other_word(bool number, Random *random)
{
    static const char *const numbers[] = {
        "0", "1", "2", "3", "4", "5", "0.5", "0.25", "1.5", "2.00", "0.3333",
        "1/3", "7.25", "1e3", "nan", "12%", "𝟿", "１", "½", "−1"
    }, *const names[] = {
        "algorithm", "claim", "layout", "mask", "scale", "decimals", "X",
        "Z", "W_q", "W_k", "W_v", "W_o", "b_q", "Q", "K", "V", "S", "A",
        "Vt", "Y", "e", "W_e", "W_u", "p", "tau", "x", "z", "gamma_1",
        "W_mlp1", "logits", "loss", "P", "torch", "textbook", "causal",
        "none", "X.shape", "H", "2", "=", ";", "[", "]", "#", "ln(2)",
        "X_scaled", "grad", "head 1", "row 2 of", "V～"
    };
    return number ? word_of(numbers, sizeof numbers / sizeof *numbers, random)
                  : word_of(names, sizeof names / sizeof *names, random);
}

static void mistype(char *to, const char *text, Random *random)
{
    static bool (*const ins[])(char) = { in_line, in_word, in_number, NULL };
    static Span span[MOST];
    const bool number = below(random, 2) == 0;
    bool (*in)(char) = number ? in_number : ins[below(random, 4)];
    const int n = spans_of(text, in, span), way = below(random, 5) + number;
    if (n == 0) {
        strcpy(to, text);
        return;
    }
    Span a = span[below(random, n)], b = span[below(random, n)];
    const Span end = { text + strlen(text), text + strlen(text) };
    const Span nothing = { a.from, a.from }, behind = { a.to, a.to };
    if (way == 0)
        replace(to, text, a, nothing, end, end);
    else if (way == 1)
        replace(to, text, behind, a, end, end);
    else if (way == 2 && a.to <= b.from)
        replace(to, text, a, b, b, a);
    else if (way < 4)
        replace(to, text, a, b, end, end);
    else
        replace(to, text, a, other_word(in == in_number, random), end, end);
}

static void add_line(Text *to, const char *begin, const char *name, Mat M,
                     int decimals)
{
    add_text(to, "%s%s =", begin, name);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            add_text(to, "%s %.*f", i > 1 && j == 1 ? " ;" : "", decimals,
                     (double)AT(M, i, j));
    add_text(to, "\n");
}

static Text *without_claims(const char *text)
{
    Text *to = text_new();
    for (size_t n; *text != '\0'; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        if (strncmp(text, "claim", 5) != 0)
            add_text(to, "%.*s", (int)n, text);
    }
    if (to->n > 0 && to->at[to->n - 1] != '\n')
        add_text(to, "\n");
    return to;
}

/* The sheet with other claims: some of its steps. Its output, where it has
   one, becomes the gradient with which the way back begins. */
static const char *claiming(const char *text, Random *random)
{
    static const char *const outputs[] = { "v_tilde", "Vt", "e_hat" };
    const Run *run = run_of(text);
    Text *to = without_claims(text);
    char name[100];
    if (run == NULL)
        return text;
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        for (int o = 0; o < 3; o++)
            if (strcmp(step->name, outputs[o]) == 0 && step->aspect == VALUE
                && step->head == 0 && run->algorithm < 7)
                add_line(to, "", "grad.output", step->M, 2);
    }
    run = run_of(to->at);
    for (int k = 0; run != NULL && k < run->n; k++) {
        const Step *step = &run->step[k];
        step_name(name, sizeof name, step);
        if (!step->given && below(random, run->n) < 8
            && step->M->rows * step->M->cols < 40)
            add_line(to, "claim ", name, step->M, 2);
    }
    return to->at;
}

/* --------------------------------------- what begins with somebody's steps */

/* Some of the steps are given, much of what they are computed from is left
   out, and others are claimed: as in a claim, or by the name alone. */
static Text *beginning_later(const char *text, Random *random)
{
    const Run *run = run_of(text);
    const int share = 2 + below(random, 4), gives = 1 + below(random, 3);
    Text *to = text_new();
    for (size_t n; *text != '\0'; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        bool small = n < 16;
        if (strncmp(text, "claim", 5) != 0
            && (strncmp(text, "algorithm", 9) == 0
                || (small ? below(random, 6) > 0
                          : below(random, 4) < share)))
            add_text(to, "%.*s", (int)n, text);
    }
    add_text(to, "\n");
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        char name[100], place[30] = "";
        const int way = below(random, run->n),
                  decimals = way < gives ? 9 : 1 + below(random, 4);
        if (step->given || step->aspect != VALUE || way >= gives + 6
            || step->M->rows * step->M->cols > 40)
            continue;
        if (below(random, 3) == 0)
            snprintf(place, sizeof place, "%d.%d ", step->algorithm,
                     step->line);
        step_name(name, sizeof name, step);
        add_text(to, "%s%s", way < gives ? "" : "claim ", place);
        add_line(to, "", name, step->M,
                 all_whole(step->M) ? 0 : decimals);
    }
    return to;
}

static void cut_line(char *text, int line)
{
    while (--line > 0 && *text != '\0')
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    const char *rest = text + strcspn(text, "\n");
    memmove(text, rest, strlen(rest) + 1);
}

/* ------------------------------------------------------------- the law */

static Said said_of(const char *sheet, int k)
{
    static const char *const shown[] = {
        "--all", "--read", "--svg", "--json", "--md", "--shade"
    }, *const judged[] = { "--md", "--svg" };
    char *how = (char *)(k % 2 == 0 ? judged[k / 2 % 2] : shown[k / 2 % 6]);
    assert_non_null(freopen(write_text("sheet", sheet), "r", stdin));
    if (k % 2 == 1)
        return SAID(show, how, "-");
    return k % 8 == 0 ? SAID(check, how, "-") : SAID(check, "-");
}

static void mistype_once_or_twice(char *to, const char *text, Random *random)
{
    char once[LONGEST];
    mistype(to, text, random);
    if (below(random, 3) == 0) {
        strcpy(once, to);
        mistype(to, once, random);
    }
}

static void assert_judged(const char *sheet, Said s, bool prints)
{
    if (prints)
        printf("%s\n=> %d\n%s%s", sheet, s.status, s.out, s.err);
    assert_in_range(s.status, 0, 2);
    assert_that((s.status == 2) == (*s.err != '\0'));
}

/* Lines that are refused are taken out, until something comes of the rest. */
static void judge_rest(char *sheet, int k, bool prints)
{
    for (int turn = 0, line = 0; turn < 12; turn++) {
        Said s = said_of(sheet, k);
        assert_judged(sheet, s, prints);
        if (sscanf(s.err, "-:%d:", &line) != 1 || line <= 1)
            break;
        cut_line(sheet, line);
    }
}

static void variant(const char *text, Random random, int k, bool prints)
{
    static char sheet[LONGEST];
    if (k >= TYPED * VARIANTS) {
        judge_rest(beginning_later(text, &random)->at, k, prints);
        return;
    }
    mistype_once_or_twice(sheet, k % 4 < 2 ? text : claiming(text, &random),
                          &random);
    assert_judged(sheet, said_of(sheet, k), prints);
}

/* Returns a seed for the variants of that file: FNV-1a. */
static uint64_t seed_of(uint64_t seed, const char *name)
{
    for (; *name != '\0'; name++)
        seed = (seed ^ (unsigned char)*name) * 1099511628211u;
    return seed;
}

/* Six variants of a sheet, a kind a column. */
static void variants(uint64_t seed, const char *name, int column, bool prints)
{
    const Random random = random_new(seed_of(seed, name));
    const char *text = bytes_of(name, &(size_t){ 0 });
    Arena *lasting = arena;
    arena = arena_new();
    for (int k = column * VARIANTS; k < (column + 1) * VARIANTS; k++)
        variant(text, random_branch(random, (uint64_t)k), k, prints);
    arena_free(arena);
    arena = lasting;
}

static int kinds_of(const char *text)
{
    return run_of(text) == NULL ? TYPED : KINDS;
}

static char current[200];

static void print_current(void)
{
    if (*current != '\0')
        fprintf(stderr, "FTX_VARIANT='%s' ended\n", current);
}

/* FTX_SEED draws other sheets. */
LAW(any_mistyped_sheet_is_judged_or_refused)
{
    char name[100];
    int column;
    uint64_t seed;
    size_t size;
    glob_t sheets;
    Random random = random_new(seeded(1));
    const char *printed = getenv("FTX_VARIANT");
    if (printed != NULL
        && sscanf(printed, "%99s%d%" SCNu64, name, &column, &seed) == 3) {
        variants(seed, name, column, true);
        return;
    }
    atexit(print_current);
    assert_int_equal(glob("tests/data/*/*.sheet", 0, NULL, &sheets), 0);
    assert_that(sheets.gl_pathc > 80);
    for (int k = amount(1000); k > 0; k--) {
        const int which = below(&random, (int)sheets.gl_pathc);
        const char *sheet = sheets.gl_pathv[which];
        column = below(&random, kinds_of(bytes_of(sheet, &size)));
        seed = seeded((uint64_t)k);
        snprintf(current, sizeof current, "%s %d %" PRIu64, sheet, column,
                 seed);
        variants(seed, sheet, column, false);
    }
    *current = '\0';
    globfree(&sheets);
}
