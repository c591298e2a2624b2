/* ftx check: a judgement as text and as JSON.

   Entry points: check_text, check_json. In goes a judgement; out come its
   sentences. */
#include "check/check.h"
#include <math.h>
#include <string.h>

static const char *const verdict_words[VERDICTS] = {
    [OPEN] = "open", [RIGHT] = "right", [LAST_DIGIT] = "last digit",
    [CUT] = "cut off", [EARLY] = "rounded early", [FOLLOWS] = "follows",
    [WRONG] = "wrong",
};

/* What explains a claim; a slip that was made in one layer, head or turn only
   says so. */
static const char *reason_text(char to[600], const Layout *layout,
                               const Explanation *why)
{
    static const char *const parts[] = { [LAYER] = "layer",
        [ENC] = "encoder layer", [DEC] = "decoder layer",
        [ED] = "the cross-attention of layer" };
    const Step *only = why->only;
    slip_sentence(to, why->slip, layout);
    if (only == NULL)
        return to;
    append(to, 600, ", in");
    if (only->part != NOWHERE)
        append(to, 600, " %s %d,", parts[only->part], only->layer);
    if (only->head > 0)
        append(to, 600, " head %d,", only->head);
    if (only->turn > 0)
        append(to, 600, " turn %d,", only->turn);
    strcpy(to + strlen(to) - 1, " only");
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

enum { REMARK_BYTES = 200 };

/* Writes which of the typed distributions does not sum to 1, if one does
   not, even if each entry is known to half a unit only. */
static void write_wrong_sum(char *to, const Claim *claim)
{
    const Item *item = claim->item;
    Mat M = claim->step->M;
    bool rows = claim->step->transposed;
    int n = rows ? M->rows : M->cols, high = rows ? M->cols : M->rows;
    for (int t = 0; t < n && *to == '\0'; t++) {
        double sum = 0, off = 1e-9;
        for (int k = 0; k < n * high; k++) {
            const Entry *entry = &item->entry[k];
            if ((rows ? k / high : k % n) != t)
                continue;
            sum += entry->value;
            off += entry->decimals == EXACT ? 1e-5
                 : unit_of(entry->decimals) / 2;
        }
        if (!isfinite(sum) || fabs(sum - 1) <= off)
            continue;
        append(to, REMARK_BYTES, n == 1 ? "the entries sum" : "%s %d sums",
               rows ? "row" : "column", t + 1);
        append(to, REMARK_BYTES, " to %.6g, not to 1", sum);
    }
}

/* Writes how a whole number is meant that is off by less than 1, if one
   is. */
static void write_whole_number(char *to, const Judged *j)
{
    const Item *item = j->claim.item;
    for (int k = 0; k < entries_of(&j->claim) && *to == '\0'; k++) {
        const Entry *entry = &item->entry[k];
        int n = entry->bytes;
        bool whole = n < 10
                  && strspn(entry->typed, "+-0123456789") >= (size_t)n;
        double x = *claimed_entry(j->claim.step->M, k);
        if (!whole || j->verdict[k] <= RIGHT || entry->value == 0
            || fabs(entry->value - x) > 0.5)
            continue;
        if (entry->decimals == EXACT)
            snprintf(to, REMARK_BYTES, "whole numbers are taken as exact; "
                     "type %.*s.0 for one decimal", n, entry->typed);
        else
            snprintf(to, REMARK_BYTES, "%.*s is read as %.*f, since other "
                     "entries have decimals", n, entry->typed,
                     entry->decimals, entry->value);
    }
}

/* Writes what is odd about the typed numbers of a claim, or "", and returns
   it. */
static const char *remark_on(char to[REMARK_BYTES], const Judged *j)
{
    *to = '\0';
    if (j->cut_short)
        snprintf(to, REMARK_BYTES, "the sheet is so large that not every "
                 "slip was tried");
    else if (j->fits && j->begins && j->n == 0 && !j->transposed) {
        if (sums_to_1(j->claim.step))
            write_wrong_sum(to, &j->claim);
        write_whole_number(to, j);
    }
    return to;
}

/* Prints a text on lines of 76 columns that begin at column `left`. A tab is
   two blanks, and the rest of its paragraph stands right of it. No line ends
   at a '~', which is a blank. */
static void print_wrapped(FILE *out, int left, char *text)
{
    enum { PAGE = 76 };
    int indent = left, column = left;
    text += *text == '\n';
    for (char *word = text, *end; *word != '\0'; word = end) {
        size_t n = strcspn(word, " \n\t");
        char after = word[n];
        word[n] = '\0';
        end = word + n + (after != '\0');
        for (char *p = word; (p = strchr(p, '~')) != NULL; )
            *p = ' ';
        int width = text_width(word);
        bool full = column > indent && column + 1 + width > PAGE;
        if (full)
            fprintf(out, "\n%*s", column = indent, "");
        else if (column > indent)
            column += fprintf(out, " ");
        fputs(word, out);
        column += width;
        if (after == '\t')
            indent = column += fprintf(out, "  ");
        if (after == '\n')
            fprintf(out, "\n%*s", indent = column = left, "");
    }
    fputc('\n', out);
}

/* Lists the entries with a verdict, if there are any, in a paragraph. */
static void list_entries(FILE *to, const Judged *j, Verdict verdict,
                         const char *heading)
{
    enum { SHOWN = 12 };
    const Item *item = j->claim.item;
    int listed = 0;
    char right[60], place[40];
    for (int k = 0; k < entries_of(&j->claim) && listed < SHOWN; k++) {
        const Entry *entry = &item->entry[k];
        if (j->verdict[k] != verdict)
            continue;
        entry_place(place, item, k);
        right_number(right, entry, *claimed_entry(j->claim.step->M, k));
        fprintf(to, listed++ == 0 ? "\n%s\t" : "; ", heading);
        fprintf(to, "%s%syours~", place, *place == '\0' ? "" : "~");
        if (entry->bytes <= 30)
            fprintf(to, "%.*s", entry->bytes, entry->typed);
        else
            fprintf(to, "%.6g", entry->value);
        fprintf(to, ",~expected~%s", right);
    }
    if (j->count[verdict] > listed)
        fprintf(to, "; and %d more", j->count[verdict] - listed);
}

static void print_verdict(FILE *to, const Judged *j, const char *from)
{
    const int *count = j->count, all = j->claimed;
    const Item *item = j->claim.item;
    Mat M = j->claim.step->M;
    if (all == 0)
        fputs("nothing is claimed", to);
    else if (!j->fits && j->begins)
        fprintf(to, "WRONG\tit is %d x %d on the sheet, expected %d x %d",
                item->rows, item->cols, M->rows, M->cols);
    else if (count[RIGHT] == all)
        fprintf(to, "right, %d of %d entr%s", all, all,
                all == 1 ? "y" : "ies");
    else if (count[FOLLOWS] == all)
        fprintf(to, "follows from %s", from);
    else if (count[FOLLOWS] + count[RIGHT] == all)
        fprintf(to, "%d of %d entries follow%s from %s; the rest are right",
                count[FOLLOWS], all, count[FOLLOWS] == 1 ? "s" : "", from);
    else {
        list_entries(to, j, WRONG, "WRONG");
        list_entries(to, j, LAST_DIGIT, "last~digit~off");
        list_entries(to, j, CUT, "cut~off");
        list_entries(to, j, EARLY, "rounded~early");
        if (count[FOLLOWS] + count[RIGHT] > 0)
            fputs("\nother entries:", to);
        if (count[FOLLOWS] > 0)
            fprintf(to, " %d follow%s from %s%s", count[FOLLOWS],
                    count[FOLLOWS] == 1 ? "s" : "", from,
                    count[RIGHT] > 0 ? "," : "");
        if (count[RIGHT] > 0)
            fprintf(to, " %d right", count[RIGHT]);
    }
}

/* Says with what all entries match: that digits are cut off, or that what a
   claim comes from is carried on as written; and the slips. */
static void print_reasons(FILE *to, const Layout *layout, const Judged *j,
                          const char *from)
{
    enum { SHOWN = 12 };
    bool cut = j->count[CUT] > 0,
         carried = !j->begins && (j->sources > 0 || !cut);
    int reasons = cut || carried;
    char text[600];
    fprintf(to, j->claimed == 1 ? "\nthe entry matches if "
                                : "\nall %d entries match if ", j->claimed);
    if (cut)
        fputs("digits are cut off, not rounded", to);
    if (carried)
        fprintf(to, "%s%s %s used as written on the sheet",
                cut ? ", and " : "", from, j->sources == 1 ? "is" : "are");
    for (int k = 0; k < j->n; k++)
        if (++reasons <= SHOWN)
            fprintf(to, "%s%s", reasons == 1 ? "" : "\nor if ",
                    reason_text(text, layout, &j->why[k]));
    if (reasons > SHOWN)
        fprintf(to, "\nand %d more", reasons - SHOWN);
    if (reasons > 1)
        fprintf(to, "%sthis sheet cannot tell these apart",
                reasons > SHOWN ? "; " : "\n");
}

/* Says why a claim is not as it should be, and what else is odd about it. */
static void print_cause(FILE *to, const Layout *layout, const Judged *j,
                        const char *from)
{
    bool rounded = !j->begins && j->count[CUT] + j->count[EARLY] > 0;
    char remark[REMARK_BYTES];
    if (rounded && j->within != NOT_WITHIN)
        fprintf(to, "\nwithin the rounding error of %s",
                j->within == WITHIN_GIVEN ? "the given numbers" : from);
    else if (rounded || j->n > 0)
        print_reasons(to, layout, j, from);
    else if (j->transposed)
        fprintf(to, "\nits transpose is right%s",
                j->claim.step->aspect != VALUE ? "" : layout->rows
                ? " (in layouts paper and berkeley, tokens are columns)"
                : " (in layouts textbook and torch, tokens are rows)");
    else if (j->count[WRONG] > 0 && j->fits)
        fprintf(to, "\nno known slip%s%s", j->terms != NULL ? "; " : "",
                j->terms != NULL ? j->terms : "");
    if (*remark_on(remark, j) != '\0')
        fprintf(to, "\nremark: %s", remark);
}

/* Prints how many claims are right, and what is off first, and where: "first
   wrong step: A (Algorithm 4, line 6)". */
static void print_total(FILE *to, const Judgement *judgement, Arena *arena)
{
    const Run *run = judgement->run;
    const Judged *first = first_wrong(judgement);
    int right = 0;
    if (first == NULL) {
        fputs("all right", to);
        return;
    }
    bool rounded = first->count[WRONG] == 0;
    for (int k = 0; k < judgement->n; k++)
        right += judgement->judged[k].count[RIGHT]
              == judgement->judged[k].claimed;
    if (judgement->n > 1)
        fprintf(to, "%d of %d claims right%s", right, judgement->n,
                rounded ? "; " : "\n");
    if (rounded)
        fputs("only rounding differs\n", to);
    if (judgement->other != NULL)
        fprintf(to, "remark: in layout %s all claims are right (%s)\n",
                judgement->other->name, judgement->other->meaning);
    const Step *step = first->claim.step;
    char label[100];
    step_label(label, run, step);
    if (has_model(run->algorithm) && step->aspect == VALUE) /* no line */
        memmove(label, strchr(label, ' ') + 1, strlen(strchr(label, ' ')));
    fprintf(to, "%s: %s (Algorithm %d, line %d): ",
            rounded ? "first digit off" : "first wrong step",
            label, step->algorithm, step->line);
    for (const char *p = step_text(arena, run, step, false); *p != '\0'; p++)
        fputc(*p == ' ' ? '~' : *p, to);
}

/* Prints what is said of claim k, or, behind the last, of them all, on lines
   that begin at column `left`. */
static void print_judged(FILE *out, int left, const Judgement *judgement,
                         int k, Arena *arena)
{
    char from[600];
    const Judged *j = &judgement->judged[k];
    TextStream text;
    FILE *to = open_text_stream(&text);
    if (k == judgement->n)
        print_total(to, judgement, arena);
    else {
        sources_text(from, judgement, j);
        print_verdict(to, j, from);
        print_cause(to, judgement->run->layout, j, from);
    }
    print_wrapped(out, left, close_text_stream(&text, arena));
}

void check_text(FILE *out, const Judgement *judgement)
{
    enum { NARROWEST = 6 };
    char title[TITLE_BYTES], label[120];
    const Run *run = judgement->run;
    Arena *arena = arena_new();
    int width = NARROWEST;
    if (*run->guessed != '\0' || *run->entered != '\0'
        || run->sheet->inferred) {
        run_title(title, run);
        print_wrapped(out, 0, title);
    }
    for (int k = 0; k < judgement->n; k++) {
        claim_label(label, judgement, judgement->judged[k].claim.step);
        int n = 2 + text_width(label);
        width = n > width ? n : width;
    }
    for (int k = 0; k < judgement->n; k++) {
        claim_label(label, judgement, judgement->judged[k].claim.step);
        fprintf(out, "%s%*s", label, width - text_width(label), "");
        print_judged(out, width, judgement, k, arena);
    }
    print_judged(out, 0, judgement, judgement->n, arena);
    arena_free(arena);
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
               : clear_noise(*claimed_entry(j->claim.step->M, k),
                             step_size(j->claim.step)),
               verdict_words[j->verdict[k]]);
}

static void json_claim(FILE *out, const Judgement *judgement,
                       const Judged *j)
{
    const Item *item = j->claim.item;
    const Step *step = j->claim.step;
    char text[600];
    Verdict worst = WRONG;
    while (worst > OPEN && j->count[worst] == 0)
        worst--;
    print_json(out, "{'claim': %s, 'algorithm': %d, 'line': %d, "
               "'name': %s, 'index': ", item->typed, step->algorithm,
               step->line, step->name);
    json_place(out, step);
    print_json(out, ", 'rows': %d, 'cols': %d, 'fits': %b, "
               "'verdict': %s", item->rows, item->cols, j->fits,
               verdict_words[worst]);
    for (int k = 0; k < item->rows * item->cols; k++) {
        print_json(out, k == 0 ? ", 'entries': [" : ", ");
        json_entry(out, j, k);
    }
    print_json(out, "], 'explanations': [");
    for (int k = 0; k < j->n; k++) {
        const Explanation *why = &j->why[k];
        fputs(k == 0 ? "" : ", ", out);
        print_json(out, "{'slips': [%s], 'sentence': %s, 'carried': %b}",
                   why->slip->name,
                   reason_text(text, judgement->run->layout, why),
                   why->n > 0);
    }
    print_json(out, "], 'sources': [");
    for (int k = 0; k < j->sources; k++)
        print_json(out, k == 0 ? "%d" : ", %d", j->source[k] + 1);
    print_json(out, "], 'terms': %s, 'transposed': %b, 'remarks': [",
               j->terms, j->transposed);
    if (*remark_on(text, j) != '\0')
        print_json(out, "%s", text);
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
               first == NULL ? "right" : "wrong");
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

