/* Matrices as people type and programs print them. One grammar reads the
   tokens: entries make rows, and rows end at a bracket, a semicolon or a
   line. What could be meant in two ways is refused. Main type:
   MatrixReader. Entry point: parse_matrix. */
#include "sheet/paste.h"
#include <ctype.h>
#include <string.h>

enum { DEEPEST = 10 };          /* brackets in brackets */

typedef struct {                /* since a row began */
    int entries;
    int separators;             /* since the last entry ...               */
    char last;                  /* ... and the last one: , & or |; or 0   */
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
    Error *error;
    const char *p, *before;     /* what comes next; where to stop         */
    Item *item;
    Entry *free;                /* where the next entry goes              */
    OpenRow row;
    Brackets brackets;
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

_Noreturn static void reject(const MatrixReader *r, const char *sentence)
{
    refuse_word(r->error, r->p, sentence);
}

_Noreturn static void reject_gap(const MatrixReader *r)
{
    reject(r, "an entry is missing before this; type 0, or ? for what a "
           "claim leaves open");
}

static void end_row(MatrixReader *r)
{
    Item *item = r->item;
    int n = r->row.entries;
    if (n > 0 && (r->row.last == '&' || r->row.separators > 1))
        reject_gap(r);
    if (n > 0 && item->rows > 0 && n != item->cols)
        fail_in_text(r->error, r->free[-n].at, "row %d of %s has %d %s, but "
                     "the row above it has %d.", item->rows + 1,
                     item->typed, n, n == 1 ? "entry" : "entries",
                     item->cols);
    item->cols = n > 0 ? n : item->cols;
    item->rows += n > 0;
    r->row = (OpenRow){ .entries = 0 };
}

/* 1,5 2,5 are two numbers or four. */
static void note_separator(MatrixReader *r)
{
    OpenRow *row = &r->row;
    bool comma = row->last == ',' || row->last == '&';
    row->by_commas |= row->entries > 0 && comma;
    row->by_blanks |= row->entries > 0 && !comma;
    if (row->by_commas && row->by_blanks)
        reject(r, "commas and blanks both stand between the entries of this "
               "row; type one of them, and a point for a decimal comma");
}

static void check_place(MatrixReader *r)
{
    Brackets *b = &r->brackets;
    const OpenRow *row = &r->row;
    if (b->level < 0)
        b->level = b->depth;
    if (b->whole)
        reject(r, "nothing can follow a matrix; type it as it is in the "
               "end");
    if (b->depth != b->level)
        reject(r, "this stands beside a bracket; a matrix has brackets "
               "around every row, or around none");
    if (row->separators > 1
        || (row->entries == 0 && row->separators > 0 && row->last != '|'))
        reject_gap(r);
}

static void parse_cell(MatrixReader *r)
{
    Entry *entry = r->free;
    const char *start = r->p;
    check_place(r);
    note_separator(r);
    const char *error = parse_entry(&r->p, entry);
    if (error != NULL)
        reject(r, error);
    entry->at = (int)(start - r->error->text);
    entry->typed = start;
    entry->bytes = (int)(r->p - start);
    r->free++;
    r->row = (OpenRow){ r->row.entries + 1, .by_commas = r->row.by_commas,
                        .by_blanks = r->row.by_blanks };
    Token next = read_token(r->p);
    bool ends = next.blank || *next.start == '\0'
             || next.kind == TOKEN_END || next.kind == TOKEN_RULE
             || (next.kind != '\0' && strchr(",&|;\n])}", next.kind));
    if (!ends)
        reject(r, "unexpected after a number; separate entries by blanks, "
               "and within an entry write an operator");
}

/* Whether it is (1+2)*3, and not (1 2). A brace in a brace opens a row. */
static bool is_arithmetic(const MatrixReader *r, const char *p)
{
    const Brackets *b = &r->brackets;
    bool nested = *p == '{' && b->depth > 0 && b->open[b->depth - 1] == '{';
    return !nested && parse_entry(&p, &(Entry){ .value = 0 }) == NULL;
}

static void open_bracket(MatrixReader *r, const Token *t)
{
    Brackets *b = &r->brackets;
    if (r->row.entries > 0)
        reject(r, "a bracket opens in the middle of a row; an item is one "
               "matrix, with its rows in brackets or none, and no factor");
    if (b->whole || (b->level >= 0 && b->depth != b->level - 1))
        reject(r, "a second matrix begins here; type each as an item of its "
               "own");
    if (b->depth == DEEPEST)
        reject(r, "brackets are more than ten deep");
    if (b->depth == 0)
        b->first = r->p;
    b->open[b->depth++] = t->kind;
    b->rows_before = r->item->rows;
    r->row = (OpenRow){ .entries = 0 };
    r->p = t->end;
}

static char closing(char open)
{
    static const char pairs[] = { '[', ']', '{', '}', '(', ')',
        TOKEN_BEGIN, TOKEN_END, TOKEN_CALL, ')', '\0' };
    return strchr(pairs, open)[1];
}

static void close_bracket(MatrixReader *r, const Token *t)
{
    Brackets *b = &r->brackets;
    char open = b->depth > 0 ? b->open[b->depth - 1] : '\0';
    if (b->depth == 0)
        reject(r, "this closes nothing");
    if (closing(open) != t->kind)
        reject(r, "this does not close what was opened last");
    end_row(r);
    b->whole |= b->depth < b->level || open == TOKEN_CALL
             || open == TOKEN_BEGIN || r->item->rows > b->rows_before + 1;
    b->depth--;
    r->p = t->end;
}

static void skip_arguments(MatrixReader *r)
{
    int depth = 0;
    const char *p = r->p;
    for (; *p != '\0' && strchr(";[]{}#", *p) == NULL
         && (*p != ')' || depth > 0); p++)
        depth += (*p == '(') - (*p == ')');
    if (*p != ')')
        refuse_word(r->error, p, "expected the ) that closes the array");
    r->p = p;
}

static bool is_rule(const char *line)
{
    size_t n = strspn(line, " |-:+="), dash = strcspn(line, "-=");
    return ends_line(line + n) && dash < n
        && (strcspn(line, "|+") < n || strspn(line + dash, "-=") > 1);
}

/* Whether it is the head of a Markdown table, which has no numbers. */
static bool is_head(const char *line)
{
    const char *end = strchr(line, '\n');
    const char *cell = line + strspn(line, " |*`_");
    return end != NULL && memchr(line, '|', (size_t)(end - line)) != NULL
        && is_rule(end + 1) && strspn(cell, "+-.0123456789") == 0
        && parse_entry(&cell, &(Entry){ .value = 0 }) != NULL;
}

/* Returns false where the matrix ends with this line. */
static bool parse_line_end(MatrixReader *r, const Token *t)
{
    const Brackets *b = &r->brackets;
    bool plain = b->depth == 1 && strchr("[({", b->open[0]) != NULL;
    bool inside = b->depth > 0;
    if (!inside || (plain && r->row.last != ',')) {
        r->p = t->start;
        end_row(r);
    }
    const char *line = t->end, *first = line + strspn(line, " ");
    r->p = line;
    if (*t->start == '\0' || line >= r->before
        || (ends_line(first) && *first != '#' && !inside
            && r->item->rows > 0))
        return false;
    if (!inside && (is_rule(line)
                    || (r->item->rows == 0 && is_head(line))))
        r->p += strcspn(line, "\n");
    return true;
}

static void check_whole(const MatrixReader *r)
{
    const Item *item = r->item;
    const char *end = *r->before == '\0' ? "end of the sheet" : "next item";
    if (r->brackets.depth > 0)
        fail_in_text(r->error, (int)(r->brackets.first - r->error->text),
                     "what is opened here is not closed before the %s.",
                     end);
    if (item->rows == 0)
        fail_in_text(r->error, item->at, "%s has no entries.", item->typed);
}

static void parse_token(MatrixReader *r, const Token *t)
{
    const Brackets *b = &r->brackets;
    bool called = b->depth > 0 && b->open[b->depth - 1] == TOKEN_CALL;
    r->p = t->start;
    switch (t->kind) {
    case TOKEN_ERROR:
        reject(r, t->word);
    case ',': case '&': case '|':
        r->row.separators++;
        r->row.last = t->kind;
        r->p = t->end;
        break;
    case ';':
        end_row(r);
        r->p = t->end;
        break;
    case TOKEN_RULE:
        r->p = t->end;
        break;
    case ']': case ')': case '}': case TOKEN_END:
        close_bracket(r, t);
        break;
    case '[': case TOKEN_CALL: case TOKEN_BEGIN:
        open_bracket(r, t);
        break;
    case '(': case '{':
        if (!is_arithmetic(r, r->p)) {
            open_bracket(r, t);
            break;
        }
        parse_cell(r);
        break;
    default:
        if (called && t->kind == TOKEN_NAME
            && read_token(t->end).kind == '=')
            skip_arguments(r);
        else
            parse_cell(r);
    }
}

const char *parse_matrix(const char *p, const char *before, Item *item,
                         Entry *room, Error *f)
{
    MatrixReader r = { .error = f, .p = p, .before = before, .item = item,
                       .free = room, .brackets = { .level = -1 } };
    item->rows = item->cols = 0;
    item->entry = room;
    for (bool more = true; more; ) {
        Token t = read_token(r.p);
        if (t.kind == '\n' || *t.start == '\0')
            more = parse_line_end(&r, &t);
        else
            parse_token(&r, &t);
    }
    check_whole(&r);
    return r.p;
}
