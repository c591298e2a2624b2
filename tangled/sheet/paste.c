/* Matrices as people type and programs print them. One grammar reads the
   tokens: entries make rows, and rows end at a bracket, a semicolon or a
   line. What could be meant in two ways is refused. Main type:
   MatrixReader. Entry point: parse_matrix. */
#include "sheet/paste.h"
#include "sheet/takes.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 10 };          /* brackets in brackets */

/* A row, as far as it has been read. */
typedef struct {
    int entries;
    int commas, bars;           /* since the last entry; & is a comma     */
    char last;                  /* of , & and | the last since then; or 0 */
    bool by_commas, by_blanks;  /* what has stood between entries         */
} OpenRow;

typedef struct {
    char open[DEEPEST];         /* the kinds of what is open ...          */
    int depth;                  /* ... how many they are ...              */
    const char *first;          /* ... and where the first opened         */
    int level;                  /* the depth of entries; -1: not known    */
    int rows_before;            /* the last bracket opened                */
    bool whole;                 /* no entry can follow                    */
} Brackets;

typedef struct {
    int count, last;            /* of rules; the rows above the last one  */
    bool below_first;           /* there is one below the first row       */
} Rules;

typedef struct {
    Error *error;
    const char *p, *before;     /* what comes next; where to stop         */
    Item *item;
    Entry *free;                /* where the next entry goes              */
    OpenRow row;
    Brackets brackets;
    Rules rules;
    char row_end;               /* ; or \n: how the last row ended ...    */
    bool by_semicolons, by_lines;   /* ... and how rows have ended        */
    const char *tight;          /* a comma that may be a decimal one      */
    bool parted;                /* but commas part entries elsewhere      */
} MatrixReader;

bool ends_line(const char *p)
{
    return *p == '\n' || *p == '\0' || *p == '#';
}

_Noreturn void refuse_word(Error *f, const char *place,
                           const char *sentence)
{
    int at = (int)(place - f->text);
    int n = (int)strcspn(place, " \n,;&|[]#=");
    for (n = n < 40 ? n : 40; ((unsigned char)place[n] & 0xC0) == 0x80; n--)
        ;
    if (n == 0)
        fail_in_text(f, at, "%s.", sentence);
    fail_in_text(f, at, "at '%.*s': %s.", n, place, sentence);
}

static int offset_of(const MatrixReader *r, const char *p)
{
    return (int)(p - r->error->text);
}

static void refuse_gap(const MatrixReader *r)
{
    refuse_word(r->error, r->p, "an entry is missing before this; type 0, "
                "or ? for what a claim leaves open");
}

static void end_row(MatrixReader *r)
{
    Item *item = r->item;
    int n = r->row.entries;
    if (n > 0 && (r->row.last == '&' || r->row.commas > 1
                  || r->row.bars > 1))
        refuse_gap(r);
    if (n > 0 && item->rows > 0 && n != item->cols)
        fail_in_text(r->error, r->free[-n].at, "row %d of %s has %d %s, but "
                     "the row above it has %d.", item->rows + 1,
                     item->typed, n, n == 1 ? "entry" : "entries",
                     item->cols);
    if (n > 0) {
        item->cols = n;
        item->rows++;
    }
    r->row = (OpenRow){ .entries = 0 };
}

static void take_separator(MatrixReader *r, const Token *t)
{
    *(t->kind == '|' ? &r->row.bars : &r->row.commas) += 1;
    r->row.last = t->kind;
    r->p = t->end;
}

static void take_semicolon(MatrixReader *r, const Token *t)
{
    end_row(r);
    r->row_end = ';';
    r->p = t->end;
    if (*t->start == '\\' && *r->p == '[') {        /* \\[2pt] */
        const char *close = strpbrk(r->p, "]\n");
        r->p = close != NULL && *close == ']' ? close + 1 : r->p;
    }
}

/* 1,5 and 12,345.6 and 1.234,5 may be one number; 1.5,2 and 1,-2 are two. */
static bool may_be_one_number(const Entry *left, const char *right)
{
    const char *digits = left->typed + strspn(left->typed, "+-");
    bool whole = strspn(digits, "0123456789")
              == (size_t)(left->typed + left->bytes - digits);
    double size = fabs(left->value);
    bool grouped = left->decimals == 3 && size >= 1 && size < 1000;
    size_t n = strspn(right, "0123456789");
    bool chained = left->typed[-1] == ',';
    return (whole && n == 3)
        || ((whole || grouped) && n > 0 && right[n] != '.' && !chained);
}

static void note_commas(MatrixReader *r, const char *start)
{
    const Brackets *b = &r->brackets;
    const Entry *left = r->row.entries > 0 ? &r->free[-1] : NULL;
    OpenRow *row = &r->row;
    bool tight = left != NULL && start[-1] == ','
              && left->typed + left->bytes == start - 1;
    bool one = tight && may_be_one_number(left, start);
    r->tight = one && r->tight == NULL ? start - 1 : r->tight;
    r->parted |= (tight && !one) || b->depth > 1
              || (b->depth == 1 && b->open[0] == TOKEN_CALL);
    row->by_commas |= row->entries > 0 && row->commas > 0;
    row->by_blanks |= row->entries > 0 && row->commas == 0;
    if (row->by_commas && row->by_blanks)
        refuse_word(r->error, start, "commas and blanks both stand between "
                    "the entries of this row; type one of them, and a point "
                    "for a decimal comma");
}

static void refuse_misplaced(MatrixReader *r)
{
    Brackets *b = &r->brackets;
    const OpenRow *row = &r->row;
    if (b->level < 0)
        b->level = b->depth;
    if (b->whole)
        refuse_word(r->error, r->p, "nothing can follow a matrix; type it "
                    "as it is in the end");
    if (b->depth != b->level)
        refuse_word(r->error, r->p, "this stands beside a bracket; a matrix "
                    "has brackets around every row, or around none");
    if (row->bars > 1 || row->commas > (row->entries > 0))
        refuse_gap(r);
    r->by_semicolons |= row->entries == 0 && r->row_end == ';';
    r->by_lines |= row->entries == 0 && r->row_end == '\n';
    if (r->by_semicolons && r->by_lines)
        refuse_word(r->error, r->p, "some rows end at a ; and some with "
                    "their line; type one row on each line, with blanks "
                    "between its entries");
}

/* What looks like a number, and may be meant as another one. */
static void refuse_doubt(MatrixReader *r, const char *start,
                         const Entry *entry)
{
    const char *end = r->p;
    bool number = entry->decimals != EXACT && entry->value > 0;
    bool bars = start[-1] == '|' && *end == '|' && entry->value < 0;
    if (r->row.entries > 0 && match_word(start, "e+ e- E+ E-") > 0
        && isdigit((unsigned char)start[2]))
        refuse_word(r->error, start, "this may belong to the number before "
                    "it; type 1.5e-3, or (e-3)");
    if (*start == '(' && end[-1] == ')' && number)
        refuse_word(r->error, start, "a number alone in parentheses may be "
                    "meant as negative; type it without them");
    if (bars && strchr(" =\n", start[-2]) != NULL
        && (end[1] == ' ' || ends_line(end + 1)))
        refuse_word(r->error, start, "this may be an absolute value, or a "
                    "cell of a table; type it without bars");
}

static void take_entry(MatrixReader *r, const Token *t)
{
    Entry *entry = r->free;
    r->p = t->start;
    refuse_misplaced(r);
    note_commas(r, t->start);
    entry->at = offset_of(r, t->start);
    entry->typed = t->start;
    const char *error = parse_entry(&r->p, entry);
    if (error != NULL)
        refuse_word(r->error, r->p, error);
    refuse_doubt(r, t->start, entry);
    entry->bytes = (int)(r->p - t->start);
    r->free++;
    r->row = (OpenRow){ .entries = r->row.entries + 1,
                        .by_commas = r->row.by_commas,
                        .by_blanks = r->row.by_blanks };
    Token next = read_token(r->p);
    if (!next.blank && next.kind != TOKEN_END && next.kind != TOKEN_RULE
        && (next.kind == '\0' || strchr(",&|;\n])}", next.kind) == NULL)
        && *next.start != '\0')
        refuse_word(r->error, r->p, "this cannot follow a number; between "
                    "entries there is a blank, within an entry an operator");
}

/* Is it (1+2)*3, and not (1 2)? A brace in a brace opens a row. */
static bool is_arithmetic(const MatrixReader *r, const Token *t)
{
    const Brackets *b = &r->brackets;
    const char *p = t->start;
    Entry entry;
    bool nested = t->kind == '{' && b->depth > 0
               && b->open[b->depth - 1] == '{';
    return !nested && parse_entry(&p, &entry) == NULL;
}

static void open_bracket(MatrixReader *r, const Token *t)
{
    Brackets *b = &r->brackets;
    r->p = t->start;
    if (r->row.entries > 0)
        refuse_word(r->error, r->p, "a bracket opens in the middle of a "
                    "row; an item is one matrix, with its rows in brackets "
                    "or none, and no factor");
    if (b->whole || (b->level >= 0 && b->depth != b->level - 1))
        refuse_word(r->error, r->p, "a second matrix begins here; type each "
                    "as an item of its own");
    if (b->depth == DEEPEST)
        refuse_word(r->error, r->p, "brackets are more than ten deep");
    if (b->depth == 0)
        b->first = r->p;
    r->parted |= r->row.commas > 0;
    b->open[b->depth++] = t->kind;
    b->rows_before = r->item->rows;
    r->row = (OpenRow){ .entries = 0 };
    r->row_end = '\0';
    r->p = t->end;
}

static void close_bracket(MatrixReader *r, const Token *t)
{
    static const struct { char open, close; } pairs[] = {
        { '[', ']' }, { '(', ')' }, { '{', '}' }, { TOKEN_CALL, ')' },
        { TOKEN_BEGIN, TOKEN_END } };
    Brackets *b = &r->brackets;
    int k = 0;
    r->p = t->start;
    if (b->depth == 0)
        refuse_word(r->error, r->p, "this closes nothing");
    while (pairs[k].open != b->open[b->depth - 1])
        k++;
    if (pairs[k].close != t->kind)
        refuse_word(r->error, r->p, "this does not close what was opened "
                    "last");
    end_row(r);
    b->whole |= b->depth < b->level || pairs[k].open == TOKEN_CALL
             || pairs[k].open == TOKEN_BEGIN
             || r->item->rows > b->rows_before + 1;
    b->depth--;
    r->p = t->end;
}

/* A type of whole numbers cuts decimals off. */
static void take_arguments(MatrixReader *r, const Token *t)
{
    const char *p = t->start;
    int depth = 0;
    bool whole = false;
    for (; *p != '\0' && strchr(";[]{}#", *p) == NULL; p++) {
        if (*p == ')' && depth-- == 0)
            break;
        depth += *p == '(';
        whole |= begins(p, "int") || begins(p, "='i") || begins(p, "long")
              || begins(p, "bool");
    }
    if (*p != ')')
        refuse_word(r->error, p, "expected the ) that closes the array");
    for (const Entry *e = r->item->entry; whole && e < r->free; e++)
        if (e->value != round(e->value))
            fail_in_text(r->error, e->at, "the type of this array cuts its "
                         "decimals off; type what is left.");
    r->p = p;
}

static void note_rule(MatrixReader *r)
{
    Rules *rules = &r->rules;
    rules->count += r->item->rows != rules->last;
    rules->last = r->item->rows;
    rules->below_first |= r->item->rows == 1;
}

static bool is_rule(const char *line)
{
    size_t n = strspn(line, " |-:+=");
    bool dash = false, long_enough = false;
    for (size_t k = 0; k < n; k++) {
        bool here = line[k] == '-' || line[k] == '=';
        dash |= here;
        long_enough |= line[k] == '|' || line[k] == '+'
                    || (here && line[k + 1] == line[k]);
    }
    return ends_line(line + n) && dash && long_enough;
}

/* Is it a number, in bold type or as code? */
static bool holds_number(const char *cell)
{
    Entry entry;
    cell += strspn(cell, " *`_");
    return parse_entry(&cell, &entry) == NULL
        && (ends_line(cell) || strchr(" *`_|", *cell) != NULL);
}

/* The head of a Markdown table stands above a rule, and has no numbers. */
static bool is_head(const char *line)
{
    const char *end = line + strcspn(line, "\n");
    bool bars = false, numbers = holds_number(line);
    for (const char *p = line; p < end; p++)
        if (*p == '|') {
            bars = true;
            numbers |= holds_number(p + 1);
        }
    return *end == '\n' && bars && !numbers && is_rule(end + 1);
}

/* Returns false where the matrix ends with this line. */
static bool take_line_end(MatrixReader *r, const Token *t)
{
    const Brackets *b = &r->brackets;
    bool plain = b->depth == 1 && strchr("[({", b->open[0]) != NULL;
    if (b->depth == 0 || (plain && r->row.last != ',')) {
        r->row_end = r->row.entries > 0 ? '\n'
                   : r->row_end == ';' ? '\0' : r->row_end;
        r->p = t->start;
        end_row(r);
    }
    const char *line = t->end, *first = line + strspn(line, " ");
    bool inside = b->depth > 0, blank = *first == '\n' || *first == '\0';
    r->p = line;
    if (*t->start == '\0' || line >= r->before
        || (blank && !inside && r->item->rows > 0))
        return false;
    bool rule = !inside && is_rule(line);
    if (rule)
        note_rule(r);
    if (rule || (!inside && r->item->rows == 0 && is_head(line)))
        r->p += strcspn(line, "\n");
    return true;
}

/* Whether n entries, each `stride` from the one before, count up from 0 or
   1. */
static bool counts_up(const Entry *entry, int n, int stride)
{
    bool up = entry->value == 0 || entry->value == 1;
    for (int k = 0; k < n; k++)
        up &= entry[k * stride].value == entry->value + k
           && entry[k * stride].decimals == 0;
    return up;
}

/* A first column or a first row that counts beside decimals may be labels,
   and what has three decimals in a setting may be thousands. */
static void refuse_labels(const MatrixReader *r)
{
    const Item *item = r->item;
    const Entry *first = item->entry;
    bool bare = r->by_lines && r->brackets.level == 0 && item->cols > 1,
         column = bare && strncmp(first->typed + first->bytes, "  ", 2) == 0
               && counts_up(first, item->rows, item->cols),
         row = bare && item->rows > 1 && counts_up(first, item->cols, 1);
    for (int k = 0; k < item->rows * item->cols; k++) {
        column &= k % item->cols == 0 || first[k].decimals > 0;
        row &= k < item->cols || first[k].decimals > 0;
    }
    if (column)
        fail_in_text(r->error, first->at, "the first column counts the rows "
                     "and may be labels; leave it out, or type %.1f for its "
                     "first entry.", first->value);
    if (row)
        fail_in_text(r->error, first->at, "the first row counts the columns "
                     "and may be a heading; leave it out, or put the matrix "
                     "in brackets.");
    if (!item->claim && is_key(item->name, false) && first->decimals == 3
        && first->value >= 1 && first->value == round(first->value))
        fail_in_text(r->error, first->at, "this point may part thousands; "
                     "type %.0f or %.0f000.", first->value, first->value);
}

static void refuse_whole(const MatrixReader *r)
{
    const Item *item = r->item;
    const Entry *plain = NULL;
    bool percent = false;
    int rules = r->rules.count - (r->rules.last == item->rows);
    if (r->brackets.depth > 0)
        fail_in_text(r->error, offset_of(r, r->brackets.first), "what is "
                     "opened here is not closed before the %s.",
                     *r->before == '\0' ? "end of the sheet" : "next item");
    if (item->rows == 0)
        fail_in_text(r->error, item->at, "%s has no entries.", item->typed);
    if (r->tight != NULL && !r->parted)
        fail_in_text(r->error, offset_of(r, r->tight), "this comma may stand "
                     "between two entries or for a decimal point; type a "
                     "blank behind it, or a point.");
    if (r->rules.below_first && item->rows > 1 && rules < item->rows)
        fail_in_text(r->error, item->entry->at, "the first row stands above "
                     "a rule and may be a heading; leave out the row, or "
                     "the rule.");
    for (const Entry *e = item->entry; e < r->free; e++) {
        bool has = e->typed[e->bytes - 1] == '%';
        percent |= has;
        if (!has && isfinite(e->value) && e->value != 0 && plain == NULL)
            plain = e;
    }
    if (percent && plain != NULL)
        fail_in_text(r->error, plain->at, "this has no %%, but another entry "
                     "of %s has one; type it for all or none.",
                     item->typed);
    refuse_labels(r);
}

static void take_token(MatrixReader *r, const Token *t)
{
    const Brackets *b = &r->brackets;
    bool called = b->depth > 0 && b->open[b->depth - 1] == TOKEN_CALL;
    switch (t->kind) {
    case TOKEN_ERROR:
        refuse_word(r->error, t->start, t->word);
    case ',': case '&': case '|':
        take_separator(r, t);
        break;
    case ';':
        take_semicolon(r, t);
        break;
    case TOKEN_RULE:
        note_rule(r);
        r->p = t->end;
        break;
    case ']': case ')': case '}': case TOKEN_END:
        close_bracket(r, t);
        break;
    case '[': case TOKEN_CALL: case TOKEN_BEGIN:
        open_bracket(r, t);
        break;
    case '(': case '{':
        (is_arithmetic(r, t) ? take_entry : open_bracket)(r, t);
        break;
    default:
        (called && t->kind == TOKEN_NAME && read_token(t->end).kind == '='
         ? take_arguments : take_entry)(r, t);
    }
}

const char *parse_matrix(const char *p, const char *before, Item *item,
                         Entry *room, Error *f)
{
    MatrixReader r = { .error = f, .p = p, .before = before, .item = item,
                       .free = room, .brackets = { .level = -1 },
                       .rules = { .last = -1 } };
    item->rows = item->cols = 0;
    item->entry = room;
    for (bool more = true; more; ) {
        Token t = read_token(r.p);
        if (t.kind == '\n' || *t.start == '\0')
            more = take_line_end(&r, &t);
        else
            take_token(&r, &t);
    }
    refuse_whole(&r);
    return r.p;
}
