/* Sheets with a mistake of typing, thousands of them: a line, a word or a
   character is left out, doubled, exchanged or replaced. Half of them claim
   some of the steps that they lead to, and gradients. Others are by students
   who make slips, who begin with steps of their own in place of what leads to
   them, or who use a notation of their own. Each is judged or refused: exit
   status 0, 1 or 2, and never a crash.
   FTX_VARIANT='tests/data/worked/alg04.sheet 7 31' prints the six of a seed. */
#include "command.h"
#include "digest.h"
#include "student.h"
#include "show/show.h"
#include <ctype.h>
#include <glob.h>
#include <inttypes.h>

enum { TYPED = 10, ERRING = 8, LATE = 6, OTHERWISE = 6,
       KINDS = TYPED + ERRING + LATE + OTHERWISE, VARIANTS = 6,
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

/* ------------------------------------------------- students who err */

/* One of ten that the sheet has a place for; NULL: none of them. */
static const Slip *any_slip(const Run *right, Random *random)
{
    const Step *last = &right->step[right->n - 1];
    for (int k = 0; k < 10; k++) {
        const Slip *slip = &slips[below(random, slips_n)];
        if (has_place(right, slip, right->step, last, NULL, true))
            return slip;
    }
    return NULL;
}

static double misread(const Entry *entry, int e, int n, Random *random)
{
    const double x = entry[e].value, unit = pow(10, -entry[e].decimals);
    switch (below(random, 6)) {
    case 0:  return x + unit;
    case 1:  return -x;
    case 2:  return 10 * x;
    case 3:  return entry[(e + 1) % n].value;
    case 4:  return x - 10 * unit;
    default: return NAN;                    /* it is left open */
    }
}

/* The sheet with another line first, such as one of its matrices. */
static Text *in_another_order(const char *text, Random *random)
{
    static Span span[MOST];
    const int n = spans_of(text, in_line, span);
    const Span first = span[below(random, n)];
    Text *to = text_new();
    add_text(to, "%.*s\n", (int)(first.to - first.from), first.from);
    add_text(to, "%.*s%s", (int)(first.from - text), text, first.to);
    return without_claims(to->at);
}

/* Some of his steps, as he hands them in: he makes up to two slips, here or
   everywhere, misreads an entry, turns a matrix, or goes on with what he
   has written. */
static const char *erring(const char *text, Random *random)
{
    Text *to = in_another_order(text, random);
    const Run *right = run_of(to->at), *run = NULL;
    if (right == NULL) {
        to = without_claims(text);
        right = run_of(to->at);
    }
    if (right == NULL)          /* without its claims nothing is wanted */
        return text;
    Claim *claims = arena_alloc(arena, (size_t)right->n * sizeof *claims);
    Explanation why = { .claim = claims };
    for (int k = below(random, 3); k > 0; k--)      /* none, one or two */
        why.slip[why.slip[0] != NULL] = any_slip(right, random);
    if (below(random, 4) == 0)
        why.only = &right->step[below(random, right->n)];
    const bool carries = below(random, 2) == 0;
    const int decimals = 1 + below(random, 4), share = 1 + below(random, 4);
    int errors = below(random, 3);
    for (int k = 0; k < right->n; k++) {
        if (run == NULL || carries)
            run = run_explained(right->bound, &why, arena, quiet);
        if (k >= run->n)
            break;
        const Step *step = &run->step[k];
        const int n = step->M->rows * step->M->cols;
        if (step->given || n > 40 || below(random, right->n) * share > 12)
            continue;
        Claim claim = claimed(step, below(random, 20) == 0
                                  ? transpose_of(arena, step->M) : step->M,
                              all_whole(step->M) ? 0 : decimals);
        Entry *entry = (Entry *)claim.item->entry;
        const int e = below(random, n);
        if (errors > 0 && below(random, 4) == 0 && errors-- > 0)
            entry[e].value = misread(entry, e, n, random);
        write_claim(to, claim);
        if (carries)
            claims[why.n++] = claim;
    }
    return to->at;
}

/* --------------------------------------- what begins with somebody's steps */

/* The sheet in pieces, an item each: what is refused can be taken out. */
typedef struct { int n; const char *at[200]; } Pieces;

static void add_piece(Pieces *to, Text *t)
{
    assert_that(to->n < 200);
    to->at[to->n++] = t->at;
}

static const char *line_of(const Sheet *sheet, int k)
{
    const char *p = sheet->text + (k < sheet->n ? sheet->item[k].at
                                                : (int)strlen(sheet->text));
    while (p > sheet->text && p[-1] != '\n')
        p--;
    return k < sheet->n ? p : sheet->text + strlen(sheet->text);
}

static void add_item(Pieces *to, const Sheet *sheet, int k)
{
    const char *from = line_of(sheet, k), *end = line_of(sheet, k + 1);
    Text *t = text_new();
    add_text(t, "%.*s%s", (int)(end - from), from,
             end > from && end[-1] == '\n' ? "" : "\n");
    add_piece(to, t);
}

/* A step is said as in a claim, or by its name alone. */
static void add_step(Pieces *to, const char *begin, const Step *step,
                     int decimals, Random *random)
{
    char name[100], place[200] = "";
    Text *t = text_new();
    step_name(name, sizeof name, step);
    if (below(random, 3) == 0)
        snprintf(place, sizeof place, "%d.%d ", step->algorithm, step->line);
    strcat(place, name);
    add_line(t, begin, place, step->M, all_whole(step->M) ? 0 : decimals);
    add_piece(to, t);
}

/* Some of the steps are given, much of what they are computed from is left
   out, and others are claimed. */
static Pieces beginning_later(const char *text, Random *random)
{
    const Run *run = run_of(text);
    const Sheet *sheet = run->sheet;
    Pieces to = { 0, { NULL } };
    const int share = 2 + below(random, 4), gives = 1 + below(random, 3);
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        const bool small = item->word != NULL || item->rows * item->cols == 1;
        if (!item->claim && (strcmp(item->name, "algorithm") == 0
                             || (small ? below(random, 6) > 0
                                       : below(random, 4) < share)))
            add_item(&to, sheet, k);
    }
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        const int way = below(random, run->n);
        if (step->given || step->aspect != VALUE
            || step->M->rows * step->M->cols > 40)
            continue;
        if (way < gives)
            add_step(&to, "", step, 9, random);
        else if (way < gives + 6)
            add_step(&to, "claim ", step, 1 + below(random, 4), random);
    }
    return to;
}

/* The text, and which of the pieces has this line; -1: none. */
static int piece_of_line(const Pieces *all, int line, char *text)
{
    int found = -1;
    *text = '\0';
    for (int k = 0; k < all->n; k++) {
        for (const char *p = all->at[k]; *p != '\0'; p++)
            if (*p == '\n' && --line == 0)
                found = k;
        strcat(text, all->at[k]);
    }
    return found;
}

/* --------------------------------------------- what is written otherwise */

/* A matrix in one of many notations; now and then with a row or a column too
   little, or with some entries of another kind. */
static void add_matrix(Text *to, Mat M, int decimals, int flaws,
                       Random *random)
{
    static const struct {
        const char *begin, *cell, *row, *end;
        double times;
    } ways[] = {
        { "", " ", " ; ", "", 1 }, { "[", " ", " ; ", "]", 1 },
        { "[[", ", ", "], [", "]]", 1 }, { "(", ", ", "; ", ")", 1 },
        { "\\begin{pmatrix} ", " & ", " \\\\ ", " \\end{pmatrix}", 1 },
        { "array([[", ", ", "],\n       [", "]])", 1 },
        { "tensor([[", ", ", "],\n [", "]], grad_fn=<MmBackward0>)", 1 },
        { "\n  ", " ", "\n  ", "", 1 }, { "\n| ", " | ", " |\n| ", " |", 1 },
        { "\n  ", "\t", "\n  ", "", 1 }, { "{{", ",", "},{", "}}", 1 },
        { "2 * [", " ", " ; ", "]", 0.5 }, { "1/2 [", ", ", " ; ", "]", 2 },
        { "", "% ", "% ; ", "%", 100 }
    };
    const int way = below(random, sizeof ways / sizeof *ways);
    const int flaw = below(random, flaws);
    const int rows = M->rows - (flaw == 4), cols = M->cols - (flaw == 5);
    add_text(to, "%s", ways[way].begin);
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            const double x = (double)AT(M, i, j) * ways[way].times;
            add_text(to, "%s", i > 1 && j == 1 ? ways[way].row
                               : j > 1 ? ways[way].cell : "");
            if (isnan(x) || (flaw == 3 && below(random, 3) == 0))
                add_text(to, "?");
            else if (flaw == 0 && below(random, 4) == 0)
                add_text(to, "%s", x < 0 ? "−1/2" : "½");
            else if (flaw == 1 && x != 0)
                add_text(to, "%.*fe-1", decimals, 10 * x);
            else if (flaw == 2)
                add_text(to, "%.*f/4", decimals, 4 * x);
            else
                add_text(to, "%.*f", decimals, x);
        }
    add_text(to, "%s\n", ways[way].end);
}

static Mat matrix_of(const Item *item)
{
    Mat M = constant(arena, item->rows, item->cols);
    for (int k = 0; k < item->rows * item->cols; k++)
        AT(M, k / item->cols + 1, k % item->cols + 1) =
            (real)item->entry[k].value;
    return M;
}

static int decimals_of(const Item *item)
{
    int most = 0;
    for (int k = 0; k < item->rows * item->cols; k++)
        most = item->entry[k].decimals == EXACT ? 9
             : item->entry[k].decimals > most ? item->entry[k].decimals
                                              : most;
    return most;
}

/* One of the words in a list; separated by commas or blanks. */
static const char *any_word(const char *list, Random *random)
{
    Text *to = text_new();
    const char *any = list, *p = list;
    for (int k = 1; *p != '\0'; k++) {
        if (below(random, k) == 0)
            any = p;
        p += strcspn(p, ", ");
        p += strspn(p, ", ");
    }
    add_text(to, "%.*s", (int)strcspn(any, ", "), any);
    return to->at;
}

/* A name, and what is turned with it, or not. */
static void add_value(Pieces *to, const char *name, Mat M, int decimals,
                      int flaws, Random *random)
{
    const int turned = below(random, 2 * flaws);
    static const char *const behind[] = { "^T", ".T", "'", "ᵀ" };
    Text *t = text_new();
    add_text(t, "%s%s = ", name,
             turned < 2 ? behind[below(random, 4)] : "");
    add_matrix(t, turned < 3 ? transpose_of(arena, M) : M, decimals,
               flaws, random);
    add_piece(to, t);
}

/* What no line of the sheet says: another argument, or a word. */
static void add_more(Pieces *to, const Run *run, Random *random)
{
    static const char *const words[] = {
        "yes", "no", "none", "causal", "1", "2", "3", "paper", "textbook",
        "torch", "berkeley", "vaswani", "learned", "rms", "layer",
        "0.5", "0", "4", "gelu", "relu", "post", "pre", "1.5"
    };
    char names[NAMES_BYTES];
    Text *t = text_new();
    const char *name = any_word(names_text(names, run->algorithm, false),
                                random);
    const Step *step = &run->step[below(random, run->n)];
    if (below(random, 3) > 0) {
        add_text(t, "%s %s\n", name,
                 words[below(random, sizeof words / sizeof *words)]);
        add_piece(to, t);
    } else if (step->M->rows * step->M->cols < 40)
        add_value(to, name, step->M, 2, 20, random);
}

static real *any_entry(Mat M, Random *random)
{
    const int i = 1 + below(random, M->rows);
    return &AT(M, i, 1 + below(random, M->cols));
}

/* A claim of a step under any of its names: right, or with a product too
   little in an entry, or with a sign turned round. */
static void add_claim(Pieces *to, const Run *run, const Step *step,
                      Random *random)
{
    char name[100], label[300] = "claim ";
    Mat M = constant(arena, step->M->rows, step->M->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = AT(step->M, i, j);
    real *x = any_entry(M, random);
    const Step *a = &run->step[below(random, run->n)], *b = a;
    const int way = below(random, 6);
    if (step->row != NULL && step->row->from != NULL)
        for (int k = 0; k < run->n; k++) {
            const Step *s = &run->step[k];
            const char *found = strstr(step->row->from, s->name);
            if (found == step->row->from && s->layer == step->layer
                && s->head == step->head)
                a = s;
            else if (found != NULL)
                b = s;
        }
    const real factor = *any_entry(a->M, random);
    if (way < 2)
        *x -= factor * *any_entry(b->M, random);
    else if (way == 2)
        *x = -*x;
    step_name(name, sizeof name, step);
    if (below(random, 6) == 0)
        snprintf(label + 6, sizeof label - 6, "%d.%d ", step->algorithm,
                 step->line);
    const char *bare = strstr(name, step->name);
    if (step->row != NULL && step->row->also != NULL && bare != NULL
        && below(random, 2) == 0)
        snprintf(label + strlen(label), sizeof label - strlen(label),
                 "%.*s%s%s", (int)(bare - name), name,
                 any_word(step->row->also, random),
                 bare + strlen(step->name));
    else
        strcat(label, name);
    add_value(to, label, M, all_whole(step->M) ? 0 : 1 + below(random, 4),
              20, random);
}

/* The sheet as somebody else might write it, who also sets what it does not
   say, and claims some of its steps. */
static Pieces written_otherwise(const char *text, Random *random)
{
    const Run *run = run_of(text);
    const Sheet *sheet = run->sheet;
    Pieces to = { 0, { NULL } };
    const int claims = 1 + 20 * below(random, 2);   /* all of them, or few */
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        const bool is_algorithm = strcmp(item->name, "algorithm") == 0;
        if (!is_algorithm && below(random, item->claim ? claims : 30) == 0)
            continue;
        if (is_algorithm || item->word != NULL || item->aspect != VALUE
            || below(random, 3) > 0)
            add_item(&to, sheet, k);
        else {
            char name[100];
            snprintf(name, sizeof name, "%s%s", item->claim ? "claim " : "",
                     item->typed);
            add_value(&to, name, matrix_of(item), decimals_of(item),
                      item->claim ? 20 : 60, random);
        }
        if (below(random, sheet->n) == 0)
            add_more(&to, run, random);
    }
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        if (!step->given && claims == 1 && below(random, run->n) < 7
            && step->M->rows * step->M->cols < 40)
            add_claim(&to, run, step, random);
    }
    return to;
}

/* ---------------------------------------------- what is said, and digests */

static Said said_of(const char *sheet, int k)
{
    static const char *const shown[] = {
        "--all", "--read", "--svg", "--flow", "--tex", "--md", "--shade"
    }, *const judged[] = { "--md", "--svg", "--tex" };
    char *how = (char *)(k % 2 == 0 ? judged[k / 2 % 3] : shown[k / 2 % 7]);
    assert_non_null(freopen(write_text("sheet", sheet), "r", stdin));
    if (k % 2 == 1)
        return SAID(show, how, "-");
    return k % 8 == 0 ? SAID(check, how, "-") : SAID(check, "-");
}

static Said said_of_student(const char *sheet, int k)
{
    assert_non_null(freopen(write_text("sheet", sheet), "r", stdin));
    return k % 3 == 0 ? SAID(check, "--json", "-") : SAID(check, "-");
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

/* What is refused is taken out, until something comes of the rest. */
static void judge_rest(Pieces all, int k, bool prints)
{
    static char sheet[LONGEST];
    for (int turn = 0, line = 0; turn < 12 && line >= 0; turn++) {
        piece_of_line(&all, 0, sheet);
        Said s = said_of(sheet, k);
        assert_judged(sheet, s, prints);
        if (sscanf(s.err, "-:%d:", &line) != 1)
            break;
        const int out = piece_of_line(&all, line, sheet);
        if (out <= 0)
            break;
        memmove(&all.at[out], &all.at[out + 1],
                (size_t)(--all.n - out) * sizeof *all.at);
    }
}

static void variant(const char *text, Random random, int k, bool prints)
{
    static char sheet[LONGEST];
    if (k >= (TYPED + ERRING + LATE) * VARIANTS) {
        judge_rest(written_otherwise(text, &random), k, prints);
    } else if (k >= (TYPED + ERRING) * VARIANTS) {
        judge_rest(beginning_later(text, &random), k, prints);
    } else if (k >= TYPED * VARIANTS) {
        snprintf(sheet, sizeof sheet, "%s", erring(text, &random));
        assert_judged(sheet, said_of_student(sheet, k), prints);
    } else {
        mistype_once_or_twice(sheet, k % 4 < 2 ? text
                                               : claiming(text, &random),
                              &random);
        assert_judged(sheet, said_of(sheet, k), prints);
    }
}

/* Six variants of a sheet, a kind a column. */
static void variants(uint64_t seed, const char *name, int column, bool prints)
{
    const Random random = random_new(digest(seed, name));
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
static void any_mistyped_sheet_is_judged_or_refused(void **state)
{
    (void)state;
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
    assert_that(sheets.gl_pathc > 120);
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

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(any_mistyped_sheet_is_judged_or_refused),
    };
    return RUN(laws);
}
