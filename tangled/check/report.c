/* What was found on a sheet, in words. */
#include "check/report.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PAGE = 76 };

typedef struct {
    FILE *out;
    const Judgement *judgement;
    int width;                  /* of the names at the left               */
    int indent, column;         /* of the paragraph, of the line          */
} Report;

static void put(Report *r, const char *piece)
{
    int n = text_width(piece);
    if (r->column > r->indent && r->column + 1 + n > PAGE) {
        fprintf(r->out, "\n%*s", r->indent, "");
        r->column = r->indent;
    } else if (r->column > r->indent) {
        fputc(' ', r->out);
        r->column++;
    }
    fputs(piece, r->out);
    r->column += n;
}

/* Begins a paragraph, to the right of the names. */
static void paragraph(Report *r)
{
    if (r->column > r->width)
        fprintf(r->out, "\n%*s", r->width, "");
    r->column = r->indent = r->width;
}

static void say(Report *r, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static void say(Report *r, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *word = text, *end; *word != '\0'; word = end) {
        size_t n = strcspn(word, " ");
        end = word + n + (word[n] == ' ');
        word[n] = '\0';
        put(r, word);
    }
}

static void cell_text(char *to, size_t size, const Judged *j, int k)
{
    enum { LONGEST = 30 };
    const Item *item = j->claim.item;
    const Entry *entry = &item->entry[k];
    char here[60], place[40];
    right_number(here, entry, *claimed_entry(item, j->claim.step->M, k));
    const char *blank = *entry_place(place, item, k) == '\0' ? "" : " ";
    if (entry->bytes <= LONGEST)
        snprintf(to, size, "%s%syours %.*s, expected %s", place, blank,
                 entry->bytes, entry->typed, here);
    else
        snprintf(to, size, "%s%syours %.6g, expected %s", place, blank,
                 entry->value, here);
}

enum { CELLS_SHOWN = 12 };

static void say_cells(Report *r, const Judged *j, Verdict verdict,
                      const char *word)
{
    const Item *item = j->claim.item;
    int shown = 0, all = j->count[verdict];
    char text[300];
    if (all == 0)
        return;
    paragraph(r);
    fprintf(r->out, "%s  ", word);
    r->indent += text_width(word) + 2;
    r->column = r->indent;
    for (int k = 0; k < item->rows * item->cols && shown < CELLS_SHOWN; k++)
        if (j->verdict[k] == verdict) {
            cell_text(text, sizeof text, j, k);
            strcat(text, ++shown < all ? ";" : "");
            put(r, text);
        }
    if (all > shown)
        say(r, "and %d more", all - shown);
}

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

/* The steps that a claim follows from: "Q, K and V". */
static const char *sources_text(char to[600], const Judgement *judgement,
                                const Judged *j)
{
    enum { TOLD = 4 };
    char label[120];
    snprintf(to, 600, j->sources > 0 ? "" : "the numbers above");
    for (int k = 0; k < j->sources && k < TOLD; k++)
        append(to, 600, "%s%s", k == 0 ? ""
               : k == j->sources - 1 ? " and " : ", ",
               claim_label(label, judgement,
                           judgement->judged[j->source[k]].claim.step));
    if (j->sources > TOLD)
        append(to, 600, " and others");
    return to;
}

static void say_others(Report *r, const Judged *j)
{
    char from[600];
    int follow = j->count[FOLLOWS], right = j->count[RIGHT];
    if (follow + right == 0)
        return;
    sources_text(from, r->judgement, j);
    paragraph(r);
    if (follow == 0)
        say(r, right == 1 ? "the other entry is right"
                          : "the other %d entries are right", right);
    else if (right == 0 && follow == 1)
        say(r, "the other entry follows from %s", from);
    else if (right == 0)
        say(r, "the other %d entries follow from %s", follow, from);
    else
        say(r, "%d of the others follow%s from %s and %d %s right", follow,
            follow == 1 ? "s" : "", from, right, right == 1 ? "is" : "are");
}

static void say_verdict(Report *r, const Judged *j)
{
    const int *count = j->count;
    const Item *item = j->claim.item;
    Mat M = j->claim.step->M;
    int all = claimed_entries(j);
    char from[600];
    sources_text(from, r->judgement, j);
    if (all == 0)
        say(r, "nothing is claimed");
    else if (!j->fits && j->begins)
        say(r, "WRONG  it is %d x %d on the sheet, expected %d x %d",
            item->rows, item->cols, M->rows, M->cols);
    else if (count[RIGHT] == all)
        say(r, "right, %d of %d entr%s", all, all, all == 1 ? "y" : "ies");
    else if (count[FOLLOWS] == all)
        say(r, "follows from %s", from);
    else if (count[FOLLOWS] + count[RIGHT] == all)
        say(r, "follows from %s, %d of %d entries; %s right", from,
            count[FOLLOWS], all, count[RIGHT] == 1 ? "the other is"
                                                   : "the others are");
    else if (j->fits) {
        say_cells(r, j, WRONG, "WRONG");
        say_cells(r, j, LAST_DIGIT, "last digit off");
        say_cells(r, j, CUT, "cut off");
        say_cells(r, j, EARLY, "rounded early");
        say_others(r, j);
    }
}

static void where_text(char *to, size_t size, const Step *only)
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
    enum { CELLS_TOLD = 3 };
    const size_t size = 600;
    char slip[SLIP_BYTES];
    to[0] = '\0';
    for (int k = 0; k < why->cells && k < CELLS_TOLD; k++) {
        char text[200];
        append(to, size, "%s%s", k > 0 ? ", and " : "",
               cell_sentence(text, sizeof text, &why->cell[k]));
    }
    if (why->cells > CELLS_TOLD)
        append(to, size, ", and so on in %d more",
               why->cells - CELLS_TOLD);
    if (why->cells > 0)
        return to;
    if (why->slip != NULL)
        append(to, size, "%s", slip_sentence(slip, why->slip, layout));
    if (why->only != NULL)
        where_text(to, size, why->only);
    return to;
}

static void say_entries(Report *r, int all)
{
    if (all == 1)
        say(r, "the entry matches");
    else if (all == 2)
        say(r, "both entries match");
    else
        say(r, "all %d entries match", all);
}

static const char *carried_text(char to[600], const Judgement *judgement,
                                const Judged *j)
{
    sources_text(to, judgement, j);
    append(to, 600, " %s carried on as written",
           j->sources == 1 ? "is" : "are");
    return to;
}

/* Two terms with the same factors have one sentence. */
static bool is_said(const Layout *layout, const Judged *j, int k)
{
    char text[600], before[600];
    reason_text(text, layout, &j->why[k]);
    for (int i = 0; i < k; i++)
        if (strcmp(reason_text(before, layout, &j->why[i]), text) == 0)
            return true;
    return false;
}

static void say_explanations(Report *r, const Judged *j)
{
    enum { SHOWN = 12 };
    const Layout *layout = r->judgement->run->layout;
    char text[600];
    int reasons = 0;
    paragraph(r);
    say_entries(r, claimed_entries(j));
    for (int k = 0; k < j->n; k++) {
        if (is_said(layout, j, k) || ++reasons > SHOWN)
            continue;
        if (reasons > 1) {
            paragraph(r);
            say(r, "or");
        }
        say(r, "if %s", reason_text(text, layout, &j->why[k]));
    }
    if (reasons < 2)
        return;
    paragraph(r);
    if (reasons > SHOWN)
        say(r, "and %d more;", reasons - SHOWN);
    say(r, "this sheet cannot tell these apart");
}

static void say_turned(Report *r, const Judged *j)
{
    bool rows = r->judgement->run->layout->rows;
    paragraph(r);
    if (j->claim.step->aspect != VALUE)
        say(r, "its transpose is right");
    else
        say(r, "its transpose is right: tokens as %s, as in layout %s?",
            rows ? "columns" : "rows",
            rows ? "paper or berkeley" : "textbook or torch");
}

static void say_rounded(Report *r, const Judged *j)
{
    char text[600];
    paragraph(r);
    if (j->within != NOT_WITHIN) {
        say(r, "within what the digits of %s allow",
            j->within == WITHIN_GIVEN ? "the given numbers"
            : sources_text(text, r->judgement, j));
        return;
    }
    say_entries(r, claimed_entries(j));
    say(r, "if%s%s", j->count[CUT] > 0 ? " digits are cut off, not rounded"
                                       : "",
        j->count[CUT] > 0 && j->sources > 0 ? ", and" : "");
    if (j->sources > 0 || j->count[CUT] == 0)
        say(r, "%s", carried_text(text, r->judgement, j));
    for (int k = 0; k < j->n; k++) {
        paragraph(r);
        say(r, "or if %s", reason_text(text, r->judgement->run->layout,
                                       &j->why[k]));
    }
}

static void say_why(Report *r, const Judged *j)
{
    Remarks remarks;
    if (j->n > 0)
        say_explanations(r, j);
    else if (j->turned)
        say_turned(r, j);
    else if (j->count[WRONG] > 0 && j->fits) {
        paragraph(r);
        say(r, j->terms == NULL ? "no known slip" : "no known slip;");
        if (j->terms != NULL)
            say(r, "%s", j->terms);
    }
    remarks_on(r->judgement, j, &remarks);
    for (int k = 0; k < remarks.n; k++) {
        paragraph(r);
        say(r, "remark: %s", remarks.text[k]);
    }
}

static const Judged *first_wrong(const Judgement *judgement) /* or NULL */
{
    const Judged *first = NULL;
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        if (j->begins && j->count[WRONG] > 0)
            return j;
        if (first == NULL && j->count[LAST_DIGIT] + j->count[CUT]
                             + j->count[EARLY] > 0)
            first = j;
    }
    return first;
}

static const char *first_words(const Judged *first)
{
    return first->count[WRONG] > 0 ? "first wrong step:"
                                   : "first digit that is off:";
}

void first_sentence(char to[1000], const Judgement *judgement)
{
    const size_t size = 1000;
    const Judged *j = first_wrong(judgement);
    char text[600];
    snprintf(to, size, "all right");
    if (j == NULL)
        return;
    const Step *step = j->claim.step;
    snprintf(to, size, "%s %s (Algorithm %d, line %d)", first_words(j),
             step_label(text, judgement->run, step), step->algorithm,
             step->line);
    if (j->n > 0)
        append(to, size, "; its entries match if %s",
               reason_text(text, judgement->run->layout, j->why));
    if (j->n > 1)
        append(to, size, ", or for another reason");
}

bool is_only_rounded(const Judgement *judgement)
{
    bool only = !all_right(judgement);
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        only &= j->fits && j->count[WRONG] + j->count[FOLLOWS] == 0;
    }
    return only;
}

/* Says how many claims are right, if there are several, and whether only
   rounding differs. */
static void say_total(Report *r)
{
    const Judgement *judgement = r->judgement;
    bool rounded = is_only_rounded(judgement);
    int right = 0;
    for (int k = 0; k < judgement->n; k++)
        right += judgement->judged[k].is_right;
    if (judgement->n > 1 && right < judgement->n)
        say(r, "%d of %d claims right%s", right, judgement->n,
            rounded ? ";" : "");
    if (rounded)
        say(r, "nothing but rounding differs");
    paragraph(r);
}

static void say_first(Report *r)
{
    const Run *run = r->judgement->run;
    const Layout *other = r->judgement->other;
    const Judged *j = first_wrong(r->judgement);
    char name[100];
    if (j == NULL) {
        say(r, "all right");
        return;
    }
    say_total(r);
    if (other != NULL) {
        say(r, "remark: in layout %s all claims are right (%s)",
            other->name, other->meaning);
        paragraph(r);
    }
    const Step *step = j->claim.step;
    bool with_line = run->algorithm >= 8 && step->aspect == VALUE;
    say(r, "%s", first_words(j));
    step_label(name, run, step);
    put(r, with_line ? strchr(name, ' ') + 1 : name);
    say(r, "(Algorithm %d, line %d):", step->algorithm, step->line);
    Arena *arena = arena_new();
    put(r, step_text(arena, run, step, false));
    arena_free(arena);
}

void check_text(FILE *out, const Judgement *judgement)
{
    enum { NARROWEST = 6 };
    Report r = { .out = out, .judgement = judgement };
    const Run *run = judgement->run;
    char name[120], title[TITLE_BYTES];
    if (*run->guessed != '\0' || *run->entered != '\0'
        || run->sheet->inferred) {
        say(&r, "%s", run_title(title, run));
        fputc('\n', out);
    }
    r.width = NARROWEST;
    for (int k = 0; k < judgement->n; k++) {
        const Step *step = judgement->judged[k].claim.step;
        int n = text_width(claim_label(name, judgement, step)) + 2;
        r.width = n > r.width ? n : r.width;
    }
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        claim_label(name, judgement, j->claim.step);
        fprintf(out, "%s%*s", name, r.width - text_width(name), "");
        r.column = r.indent = r.width;
        say_verdict(&r, j);
        if (j->begins)
            say_why(&r, j);
        else if (j->count[CUT] + j->count[EARLY] > 0)
            say_rounded(&r, j);
        fputc('\n', out);
    }
    r.width = r.column = r.indent = 0;
    say_first(&r);
    fputc('\n', out);
}

static const char *const verdict_words[] = {
    [OPEN] = "open", [RIGHT] = "right", [LAST_DIGIT] = "last digit",
    [CUT] = "cut off", [EARLY] = "rounded early", [FOLLOWS] = "follows",
    [WRONG] = "wrong",
};

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
               verdict_words[j->verdict[k]]);
}

static void json_explanation(FILE *out, const Layout *layout,
                             const Explanation *why)
{
    char text[600];
    static const char *const kinds[] = { [LEFT_OUT] = "term-left-out",
        [WRONG_SIGN] = "term-wrong-sign", [CROSSED] = "terms-crossed" };
    fputs("{\"slips\": [", out);
    if (why->slip != NULL)
        print_json(out, "%s", why->slip->name);
    for (int k = 0; k < why->cells; k++)
        print_json(out, k > 0 ? ", %s" : "%s", kinds[why->cell[k].kind]);
    print_json(out, "], 'sentence': %s, 'carried': %b, 'only': ",
               reason_text(text, layout, why), why->n > 0);
    print_json(out, why->only == NULL ? "null}" : "{'index': ");
    if (why->only != NULL) {
        json_place(out, why->only);
        fputs("}}", out);
    }
}

static Verdict worst(const Judged *j)
{
    Verdict v = WRONG;
    while (v > OPEN && j->count[v] == 0)
        v--;
    return v;
}

static void json_claim(FILE *out, const Judgement *judgement,
                       const Judged *j)
{
    const Item *item = j->claim.item;
    const Step *step = j->claim.step;
    Remarks remarks;
    print_json(out, "{'claim': %s, 'algorithm': %d, 'line': %d, "
               "'name': %s, 'index': ", item->typed, step->algorithm,
               step->line, step->name);
    json_place(out, step);
    print_json(out, ", 'rows': %d, 'cols': %d, 'fits': %b, "
               "'verdict': %s", item->rows, item->cols, j->fits,
               verdict_words[worst(j)]);
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
               j->terms, j->turned);
    remarks_on(judgement, j, &remarks);
    for (int k = 0; k < remarks.n; k++)
        print_json(out, k == 0 ? "%s" : ", %s", remarks.text[k]);
    fputs("]}", out);
}

void check_json(FILE *out, const Judgement *judgement)
{
    const Run *run = judgement->run;
    const Judged *first = first_wrong(judgement);
    const Layout *other = judgement->other;
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

