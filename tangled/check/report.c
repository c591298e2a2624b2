/* ftx check: a judgement as text, as JSON, and as steps with marks.

   Main type: Page, a text that is being printed. Entry points: check_text,
   check_json, marked_run. In goes a judgement; out come its sentences. */
#include "check/report.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const struct VerdictWords { const char *name, *words, *sign, *colour; }
    verdict_words[VERDICTS] = {
    [OPEN]       = { "open",          "open",           "",  "#ffffff" },
    [RIGHT]      = { "right",         "right",          "✓", "#dff0d8" },
    [LAST_DIGIT] = { "last digit",    "last digit off", "≈", "#fcefb4" },
    [CUT]        = { "cut off",       "cut off",        "≈", "#fcefb4" },
    [EARLY]      = { "rounded early", "rounded early",  "≈", "#fcefb4" },
    [FOLLOWS]    = { "follows",       "follow",         "→", "#d6e4f5" },
    [WRONG]      = { "wrong",         "wrong",          "✗", "#f6c6c0" },
};

static void append_place(char *to, size_t size, const Step *only)
{
    static const char *const parts[] = { [LAYER] = "layer",
        [ENC] = "encoder layer", [DEC] = "decoder layer",
        [ED] = "the cross-attention of layer" };
    const char *in = ", in";
    if (only->part != NOWHERE)
        append(to, size, "%s %s %d", in, parts[only->part], only->layer);
    if (only->part != NOWHERE)
        in = ",";
    if (only->head > 0)
        append(to, size, "%s head %d", in, only->head), in = ",";
    if (only->turn > 0)
        append(to, size, "%s turn %d", in, only->turn);
    append(to, size, " only");
}

static const char *reason_text(char to[600], const Layout *layout,
                               const Explanation *why)
{
    enum { SHOWN = 3, SIZE = 600 };
    char text[200];
    to[0] = '\0';
    for (int k = 0; k < why->cells && k < SHOWN; k++)
        append(to, SIZE, "%s%s", k > 0 ? ", and " : "",
               cell_sentence(text, sizeof text, &why->cell[k]));
    if (why->cells > SHOWN)
        append(to, SIZE, ", and so on in %d more", why->cells - SHOWN);
    if (why->slip != NULL)
        append(to, SIZE, "%s", slip_sentence(text, why->slip, layout));
    if (why->slip != NULL && why->only != NULL)
        append_place(to, SIZE, why->only);
    return to;
}

/* The label of a step; with its line where another claim has the same, as
   the two S of Algorithm 4 have. */
static const char *claim_label(char to[120], const Judgement *judgement,
                               const Step *step)
{
    char label[100], other[100];
    step_label(label, judgement->run, step);
    snprintf(to, 120, "%s", label);
    for (int k = 0; k < judgement->n; k++) {
        const Step *s = judgement->judged[k].claim.step;
        step_label(other, judgement->run, s);
        if (s->line != step->line && strcmp(label, other) == 0)
            snprintf(to, 120, "%d.%d %s", step->algorithm, step->line,
                     label);
    }
    return to;
}

/* The claims that a claim follows from: "Q, K and V". */
static const char *sources_text(char to[600], const Judgement *judgement,
                                const Judged *j)
{
    enum { SHOWN = 4 };
    char label[120];
    snprintf(to, 600, j->sources > 0 ? "" : "the numbers above");
    for (int k = 0; k < j->sources && k < SHOWN; k++)
        append(to, 600, "%s%s", k == 0 ? ""
               : k == j->sources - 1 ? " and " : ", ",
               claim_label(label, judgement,
                           judgement->judged[j->source[k]].claim.step));
    if (j->sources > SHOWN)
        append(to, 600, " and others");
    return to;
}

/* An entry as it was typed, if that is short and, where `plain`, nothing but
   digits; else its value. */
static const char *typed_text(char to[40], const Entry *entry, bool plain)
{
    static const char digits[] = "0123456789+-./?";
    int n = entry->bytes;
    bool as_typed = plain ? n <= 20 && (int)strspn(entry->typed, digits) >= n
                          : n <= 30;
    if (as_typed)
        snprintf(to, 40, "%.*s", n, entry->typed);
    else
        snprintf(to, 40, "%.6g", entry->value);
    return to;
}

static const char *first_words(const Judged *first)
{
    return first->count[WRONG] > 0 ? "first wrong step:"
                                   : "first digit that is off:";
}

enum { PAGE = 76 };

typedef struct {
    FILE *out;
    const Judgement *judgement;
    int width;                  /* of the labels at the left              */
    int indent, column;         /* of the paragraph, of the line          */
} Page;

/* Prints a piece that is not broken, on a new line if it does not fit. */
static void print_piece(Page *p, const char *piece)
{
    int n = text_width(piece);
    if (p->column > p->indent && p->column + 1 + n > PAGE) {
        fprintf(p->out, "\n%*s", p->indent, "");
        p->column = p->indent;
    } else if (p->column > p->indent) {
        fputc(' ', p->out);
        p->column++;
    }
    fputs(piece, p->out);
    p->column += n;
}

static void print_words(Page *p, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static void print_words(Page *p, const char *format, ...)
{
    char text[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *word = text, *end; *word != '\0'; word = end) {
        size_t n = strcspn(word, " ");
        end = word + n + (word[n] == ' ');
        word[n] = '\0';
        print_piece(p, word);
    }
}

/* Begins a paragraph, to the right of the labels, with a heading to the
   right of which it stands; or "". */
static void begin_paragraph(Page *p, const char *heading)
{
    if (p->column > p->width)
        fprintf(p->out, "\n%*s", p->width, "");
    fputs(heading, p->out);
    p->column = p->indent = p->width + text_width(heading);
}

static void print_off_entries(Page *p, const Judged *j, Verdict verdict,
                              const char *heading)
{
    enum { SHOWN = 12 };
    const Item *item = j->claim.item;
    int shown = 0, all = j->count[verdict];
    char text[300], typed[40], right[60], place[40];
    if (all == 0)
        return;
    begin_paragraph(p, heading);
    for (int k = 0; k < item->rows * item->cols && shown < SHOWN; k++) {
        if (j->verdict[k] != verdict)
            continue;
        const char *blank = *entry_place(place, item, k) == '\0' ? "" : " ";
        right_number(right, &item->entry[k],
                     *claimed_entry(item, j->claim.step->M, k));
        snprintf(text, sizeof text, "%s%syours %s, expected %s%s", place,
                 blank, typed_text(typed, &item->entry[k], false), right,
                 ++shown < all ? ";" : "");
        print_piece(p, text);
    }
    if (all > shown)
        print_words(p, "and %d more", all - shown);
}

static void print_judged_verdict(Page *p, const Judged *j)
{
    const int *count = j->count, all = j->claimed;
    const Item *item = j->claim.item;
    Mat M = j->claim.step->M;
    char from[600], heading[40];
    sources_text(from, p->judgement, j);
    if (all == 0)
        print_words(p, "nothing is claimed");
    else if (!j->fits && j->begins)
        print_words(p, "WRONG  it is %d x %d on the sheet, expected %d x %d",
                    item->rows, item->cols, M->rows, M->cols);
    else if (count[RIGHT] == all)
        print_words(p, "right, %d of %d entr%s", all, all,
                    all == 1 ? "y" : "ies");
    else if (count[FOLLOWS] == all)
        print_words(p, "follows from %s", from);
    else if (count[FOLLOWS] + count[RIGHT] == all)
        print_words(p, "follows from %s, %d of %d entries; the rest is "
                    "right", from, count[FOLLOWS], all);
    else {
        print_off_entries(p, j, WRONG, "WRONG  ");
        for (Verdict v = LAST_DIGIT; v <= EARLY; v++) {
            snprintf(heading, sizeof heading, "%s  ", verdict_words[v].words);
            print_off_entries(p, j, v, heading);
        }
        if (count[FOLLOWS] + count[RIGHT] > 0) {
            begin_paragraph(p, "");
            print_words(p, "other entries:");
        }
        if (count[FOLLOWS] > 0)
            print_words(p, "%d follow%s from %s%s", count[FOLLOWS],
                        count[FOLLOWS] == 1 ? "s" : "", from,
                        count[RIGHT] > 0 ? "," : "");
        if (count[RIGHT] > 0)
            print_words(p, "%d right", count[RIGHT]);
    }
}

/* `first` is a reason besides the slips; or "". */
static void print_reasons(Page *p, const Judged *j, const char *first)
{
    enum { SHOWN = 12 };
    int all = j->claimed, reasons = *first != '\0';
    char text[600];
    begin_paragraph(p, "");
    if (all == 1)
        print_words(p, "the entry matches");
    else
        print_words(p, "all %d entries match", all);
    if (*first != '\0')
        print_words(p, "if %s", first);
    for (int k = 0; k < j->n; k++) {
        if (++reasons > SHOWN)
            continue;
        if (reasons > 1) {
            begin_paragraph(p, "");
            print_words(p, "or");
        }
        print_words(p, "if %s", reason_text(text, p->judgement->run->layout,
                                            &j->why[k]));
    }
    if (reasons < 2)
        return;
    begin_paragraph(p, "");
    if (reasons > SHOWN)
        print_words(p, "and %d more;", reasons - SHOWN);
    print_words(p, "this sheet cannot tell these apart");
}

static void print_transposed(Page *p, const Judged *j)
{
    bool rows = p->judgement->run->layout->rows;
    begin_paragraph(p, "");
    print_words(p, "its transpose is right");
    if (j->claim.step->aspect == VALUE)
        print_words(p, rows ? "(in layouts paper and berkeley, tokens are "
                              "columns)"
                            : "(in layouts textbook and torch, tokens are "
                              "rows)");
}

static void print_rounding(Page *p, const Judged *j)
{
    char from[600], text[700] = "";
    bool cut = j->count[CUT] > 0, carried = j->sources > 0 || !cut;
    sources_text(from, p->judgement, j);
    if (j->within != NOT_WITHIN) {
        begin_paragraph(p, "");
        print_words(p, "within the rounding of %s",
                    j->within == WITHIN_GIVEN ? "the given numbers" : from);
        return;
    }
    if (cut)
        append(text, sizeof text, "digits are cut off, not rounded%s",
               carried ? ", and " : "");
    if (carried)
        append(text, sizeof text, "%s %s used as written", from,
               j->sources == 1 ? "is" : "are");
    print_reasons(p, j, text);
}

static void print_judged(Page *p, const Judged *j)
{
    char remark[REMARKS][REMARK_BYTES];
    print_judged_verdict(p, j);
    if (!j->begins && j->count[CUT] + j->count[EARLY] > 0)
        print_rounding(p, j);
    if (!j->begins)
        return;
    if (j->n > 0)
        print_reasons(p, j, "");
    else if (j->transposed)
        print_transposed(p, j);
    else if (j->count[WRONG] > 0 && j->fits) {
        begin_paragraph(p, "");
        print_words(p, "no known slip%s%s", j->terms != NULL ? "; " : "",
                    j->terms != NULL ? j->terms : "");
    }
    int remarks = find_remarks(j, remark);
    for (int k = 0; k < remarks; k++) {
        begin_paragraph(p, "");
        print_words(p, "remark: %s", remark[k]);
    }
}

static void print_first(Page *p)
{
    const Judgement *judgement = p->judgement;
    const Run *run = judgement->run;
    const Judged *j = first_wrong(judgement);
    bool rounded = is_only_rounded(judgement);
    int right = 0;
    char name[100];
    if (j == NULL) {
        print_words(p, "all right");
        return;
    }
    for (int k = 0; k < judgement->n; k++)
        right += judgement->judged[k].count[RIGHT]
              == judgement->judged[k].claimed;
    if (judgement->n > 1 && right < judgement->n)
        print_words(p, "%d of %d claims right%s", right, judgement->n,
                    rounded ? ";" : "");
    if (rounded)
        print_words(p, "nothing but rounding differs");
    begin_paragraph(p, "");
    if (judgement->other != NULL) {
        print_words(p, "remark: in layout %s all claims are right (%s)",
                    judgement->other->name, judgement->other->meaning);
        begin_paragraph(p, "");
    }
    const Step *step = j->claim.step;
    bool with_line = run->algorithm >= 8 && step->aspect == VALUE;
    step_label(name, run, step);
    print_words(p, "%s", first_words(j));
    print_piece(p, with_line ? strchr(name, ' ') + 1 : name);
    print_words(p, "(Algorithm %d, line %d):", step->algorithm, step->line);
    Arena *arena = arena_new();
    print_piece(p, step_text(arena, run, step, false));
    arena_free(arena);
}

void check_text(FILE *out, const Judgement *judgement)
{
    enum { NARROWEST = 6 };
    Page p = { .out = out, .judgement = judgement };
    const Run *run = judgement->run;
    char name[120], title[TITLE_BYTES];
    if (*run->guessed != '\0' || *run->entered != '\0'
        || run->sheet->inferred) {
        print_words(&p, "%s", run_title(title, run));
        fputc('\n', out);
    }
    p.width = NARROWEST;
    for (int k = 0; k < judgement->n; k++) {
        const Step *step = judgement->judged[k].claim.step;
        int n = text_width(claim_label(name, judgement, step)) + 2;
        p.width = n > p.width ? n : p.width;
    }
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        claim_label(name, judgement, j->claim.step);
        fprintf(out, "%s%*s", name, p.width - text_width(name), "");
        p.column = p.indent = p.width;
        print_judged(&p, j);
        fputc('\n', out);
    }
    p.width = p.column = p.indent = 0;
    print_first(&p);
    fputc('\n', out);
}

static void json_entry(FILE *out, const Judged *j, int k)
{
    const Item *item = j->claim.item;
    const Entry *entry = &item->entry[k];
    print_json(out, "{'row': %d, 'col': %d, 'typed': ", k / item->cols + 1,
               k % item->cols + 1);
    print_json_string(out, entry->typed, (size_t)entry->bytes);
    print_json(out, ", 'claimed': %g, 'here': %g, 'verdict': %s}",
               entry->value, !j->fits ? (double)NAN
               : clear_noise(*claimed_entry(item, j->claim.step->M, k),
                             step_size(j->claim.step)),
               verdict_words[j->verdict[k]].name);
}

static void json_explanation(FILE *out, const Layout *layout,
                             const Explanation *why)
{
    char text[600];
    fputs("{\"slips\": [", out);
    if (why->slip != NULL)
        print_json(out, "%s", why->slip->name);
    for (int k = 0; k < why->cells; k++)
        print_json(out, k > 0 ? ", %s" : "%s", why->cell[k].wrong_sign
                   ? "term-wrong-sign" : "term-left-out");
    print_json(out, "], 'sentence': %s, 'carried': %b, 'only': ",
               reason_text(text, layout, why), why->n > 0);
    print_json(out, why->only == NULL ? "null}" : "{'index': ");
    if (why->only != NULL) {
        json_place(out, why->only);
        fputs("}}", out);
    }
}

static void json_claim(FILE *out, const Judgement *judgement,
                       const Judged *j)
{
    const Item *item = j->claim.item;
    const Step *step = j->claim.step;
    char remark[REMARKS][REMARK_BYTES];
    Verdict worst = WRONG;
    while (worst > OPEN && j->count[worst] == 0)
        worst--;
    print_json(out, "{'claim': %s, 'algorithm': %d, 'line': %d, "
               "'name': %s, 'index': ", item->typed, step->algorithm,
               step->line, step->name);
    json_place(out, step);
    print_json(out, ", 'rows': %d, 'cols': %d, 'fits': %b, "
               "'verdict': %s", item->rows, item->cols, j->fits,
               verdict_words[worst].name);
    for (int k = 0; k < item->rows * item->cols; k++) {
        print_json(out, k == 0 ? ", 'entries': [" : ", ");
        json_entry(out, j, k);
    }
    print_json(out, "], 'explanations': [");
    for (int k = 0; k < j->n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        json_explanation(out, judgement->run->layout, &j->why[k]);
    }
    print_json(out, "], 'sources': [");
    for (int k = 0; k < j->sources; k++)
        print_json(out, k == 0 ? "%d" : ", %d", j->source[k] + 1);
    print_json(out, "], 'terms': %s, 'transposed': %b, 'remarks': [",
               j->terms, j->transposed);
    int remarks = find_remarks(j, remark);
    for (int k = 0; k < remarks; k++)
        print_json(out, k == 0 ? "%s" : ", %s", remark[k]);
    fputs("]}", out);
}

void check_json(FILE *out, const Judgement *judgement)
{
    const Run *run = judgement->run;
    const Layout *other = judgement->other;
    const Judged *first = first_wrong(judgement);
    print_json(out, "{'sheet': %s, 'algorithm': %d, 'layout': %s, "
               "'status': %s, 'first_wrong': ", run->sheet->name,
               run->algorithm, run->layout->name,
               all_right(judgement) ? "right" : "wrong");
    print_json(out, first == NULL ? "null" : "%d",
               (int)(first - judgement->judged) + 1);
    print_json(out, ", 'other_layout': %s, 'claims': [",
               other == NULL ? NULL : other->name);
    for (int k = 0; k < judgement->n; k++) {
        fputs(k == 0 ? "" : ", ", out);
        json_claim(out, judgement, &judgement->judged[k]);
    }
    fputs("]}\n", out);
}

static CellMark mark_on(const Judged *j, int k, Arena *arena)
{
    const Item *item = j->claim.item;
    const struct VerdictWords *is = &verdict_words[j->verdict[k]];
    char *typed = arena_alloc(arena, 40), *right = arena_alloc(arena, 60);
    *right = '\0';
    if (j->fits && j->verdict[k] > RIGHT)
        right_number(right, &item->entry[k],
                     *claimed_entry(item, j->claim.step->M, k));
    return (CellMark){ typed_text(typed, &item->entry[k], true), right,
                       is->sign, is->colour };
}

static Step marked_step(const Judged *j, Arena *arena)
{
    enum { SIZE = 120 };
    const Item *item = j->claim.item;
    int n = item->rows * item->cols;
    CellMark *mark = arena_alloc(arena, (size_t)n * sizeof *mark);
    char *remark = arena_alloc(arena, SIZE);
    Step step = *j->claim.step;
    for (int k = 0; k < n; k++)
        mark[k] = mark_on(j, k, arena);
    *remark = '\0';
    for (int v = WRONG; j->fits && v > OPEN; v--)
        if (j->count[v] > 0)
            append(remark, SIZE, "%s%d %s", *remark != '\0' ? ", " : "",
                   j->count[v], verdict_words[v].words);
    if (!j->fits) {
        snprintf(remark, SIZE, "wrong: expected %d x %d", step.M->rows,
                 step.M->cols);
        step.M = constant(arena, item->rows, item->cols);
    }
    step.mark = mark;
    step.remark = remark;
    return step;
}

/* Writes what went wrong first, and why, in one sentence. */
static const char *first_sentence(const Judgement *judgement, Arena *arena)
{
    enum { SIZE = 1000 };
    const Judged *j = first_wrong(judgement);
    char *to = arena_alloc(arena, SIZE), text[600];
    if (j == NULL)
        return "all right";
    const Step *step = j->claim.step;
    snprintf(to, SIZE, "%s %s (Algorithm %d, line %d)", first_words(j),
             step_label(text, judgement->run, step), step->algorithm,
             step->line);
    if (j->n > 0)
        append(to, SIZE, "; its entries match if %s%s",
               reason_text(text, judgement->run->layout, j->why),
               j->n > 1 ? ", or for another reason" : "");
    return to;
}

const Run *marked_run(const Judgement *judgement, Arena *arena)
{
    Run *run = arena_alloc(arena, sizeof *run);
    Step *step = arena_alloc(arena, (size_t)judgement->n * sizeof *step);
    for (int k = 0; k < judgement->n; k++)
        step[k] = marked_step(&judgement->judged[k], arena);
    *run = *judgement->run;
    run->n = judgement->n;
    run->step = step;
    run->verdict = first_sentence(judgement, arena);
    return run;
}

