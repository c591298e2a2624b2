/* Matrices as people type and programs print them. One grammar reads the
   tokens: entries make rows, and rows end at a bracket, a semicolon or a
   line. What could be meant in two ways is refused. Main type:
   MatrixReader. Entry point: parse_matrix. Text flows in, the entries of an
   item flow out. */
#include "sheet/paste.h"
#include <ctype.h>
#include <string.h>

enum { DEEPEST = 10 };          /* brackets in brackets                   */

typedef struct {
    Error *error;
    const char *p, *before;     /* what comes next; where to stop         */
    Item *item;
    Entry *free;                /* where the next entry goes              */

    int entries;                /* of the row so far                      */
    int separators;             /* behind the last of them ...            */
    char last;                  /* ... and the last one: , & or |; or 0   */
    char between;               /* the entries of the row: , or a blank   */

    char open[DEEPEST];         /* the kinds of the brackets ...          */
    int depth;                  /* ... that are open                      */
    const char *first;          /* where the first of them is             */
    int level;                  /* the depth of entries; -1: not known    */
    int rows_before;            /* the last bracket opened                */
    bool whole;                 /* no entry can follow                    */
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

static void start_row(MatrixReader *r)
{
    r->entries = r->separators = 0;
    r->last = r->between = 0;
}

/* Ends the row, if it has entries; it must be as long as the one above. */
static void end_row(MatrixReader *r)
{
    Item *item = r->item;
    int n = r->entries;
    if (n > 0 && (r->last == '&' || r->separators > 1))
        reject_gap(r);
    if (n > 0 && item->rows > 0 && n != item->cols)
        fail_in_text(r->error, r->free[-n].at, "row %d of %s has %d %s, but "
                     "the row above it has %d.", item->rows + 1,
                     item->typed, n, n == 1 ? "entry" : "entries",
                     item->cols);
    item->cols = n > 0 ? n : item->cols;
    item->rows += n > 0;
    start_row(r);
}

/* Refuses an entry where none can stand. */
static void check_place(MatrixReader *r)
{
    bool comma = r->last == ',' || r->last == '&';
    int most = r->entries > 0 || !comma;    /* a bar may begin a row */
    if (r->level < 0)
        r->level = r->depth;
    if (r->whole)
        reject(r, "nothing can follow a matrix; type it as it is in the "
               "end");
    if (r->depth != r->level)
        reject(r, "this stands beside a bracket; a matrix has brackets "
               "around every row, or around none");
    if (r->separators > most)
        reject_gap(r);
    if (r->entries > 1 && r->between != (comma ? ',' : ' '))
        reject(r, "commas and blanks both stand between the entries of this "
               "row; type one of them, and a point for a decimal comma");
    r->between = comma ? ',' : ' ';
}

/* Reads an entry into the item, and looks at what follows it. */
static void parse_cell(MatrixReader *r)
{
    const char *start = r->p;
    check_place(r);
    const char *error = parse_entry(&r->p, r->free);
    if (error != NULL)
        reject(r, error);
    r->free->at = (int)(start - r->error->text);
    r->free->typed = start;
    r->free->bytes = (int)(r->p - start);
    r->free++;
    r->entries++;
    r->separators = 0;
    r->last = 0;
    Token next = read_token(r->p);
    bool ends = next.blank || next.kind == TOKEN_END
             || strchr(",&|;\n])}", next.kind) != NULL;
    if (!ends)
        reject(r, "unexpected after a number; separate entries by blanks, "
               "and within an entry write an operator");
}

/* The kind of the innermost bracket that is open; or 0. */
static char innermost(const MatrixReader *r)
{
    return r->depth > 0 ? r->open[r->depth - 1] : '\0';
}

/* Whether it is (1+2)*3, and not (1 2). A brace in a brace opens a row. */
static bool is_arithmetic(const MatrixReader *r, const char *p)
{
    return (*p != '{' || innermost(r) != '{')
        && parse_entry(&p, &(Entry){ .value = 0 }) == NULL;
}

static void open_bracket(MatrixReader *r, const Token *t)
{
    if (r->entries > 0)
        reject(r, "a bracket opens in the middle of a row; an item is one "
               "matrix, with its rows in brackets or none, and no factor");
    if (r->whole || (r->level >= 0 && r->depth != r->level - 1))
        reject(r, "a second matrix begins here; type each as an item of its "
               "own");
    if (r->depth == DEEPEST)
        reject(r, "brackets are more than ten deep");
    if (r->depth == 0)
        r->first = r->p;
    r->open[r->depth++] = t->kind;
    r->rows_before = r->item->rows;
    start_row(r);
}

static void close_bracket(MatrixReader *r, const Token *t)
{
    static const char pairs[] = { '[', ']', '{', '}', '(', ')',
        TOKEN_BEGIN, TOKEN_END, '\0' };
    char open = innermost(r);
    if (open == '\0')
        reject(r, "this closes nothing");
    if (strchr(pairs, open)[1] != t->kind)
        reject(r, "this does not close what was opened last");
    end_row(r);
    r->whole |= r->depth < r->level || open == TOKEN_BEGIN
             || r->item->rows > r->rows_before + 1;
    r->depth--;
}

/* Passes over dtype=float32 and its kin, up to the ) of the call. */
static const char *skip_arguments(const MatrixReader *r)
{
    int depth = 0;
    const char *p = r->p;
    for (; *p != '\0' && strchr(";[]{}#", *p) == NULL
         && (*p != ')' || depth > 0); p++)
        depth += (*p == '(') - (*p == ')');
    if (*p != ')')
        refuse_word(r->error, p, "expected the ) that closes the array");
    return p;
}

/* Whether it is a line of a table without entries, such as |---|---|. */
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
    bool inside = r->depth > 0;
    bool plain = r->depth == 1 && r->open[0] != TOKEN_BEGIN;
    if (!inside || (plain && r->last != ','))
        end_row(r);
    const char *line = r->p = t->end, *first = line + strspn(line, " ");
    bool empty = ends_line(first) && *first != '#';
    if (*t->start == '\0' || line >= r->before
        || (empty && !inside && r->item->rows > 0))
        return false;
    if (!inside && (is_rule(line)
                    || (r->item->rows == 0 && is_head(line))))
        r->p += strcspn(line, "\n");
    return true;
}

/* Parses what begins with that token, and returns the place behind it. */
static const char *parse_token(MatrixReader *r, const Token *t)
{
    switch (t->kind) {
    case TOKEN_ERROR:
        reject(r, t->word);
    case ',': case '&': case '|':
        r->separators++;
        r->last = t->kind;
        return t->end;
    case ';':
        end_row(r);
        return t->end;
    case ']': case ')': case '}': case TOKEN_END:
        close_bracket(r, t);
        return t->end;
    case '(': case '{':
        if (is_arithmetic(r, r->p))
            break;
        /* fall through */
    case '[': case TOKEN_BEGIN:
        open_bracket(r, t);
        return t->end;
    case TOKEN_NAME:
        if (innermost(r) == '(' && read_token(t->end).kind == '=')
            return skip_arguments(r);
    }
    parse_cell(r);
    return r->p;
}

static void check_whole(const MatrixReader *r)
{
    const Item *item = r->item;
    if (r->depth > 0)
        fail_in_text(r->error, (int)(r->first - r->error->text),
                     "what is opened here is not closed before the %s.",
                     *r->before == '\0' ? "end of the sheet" : "next item");
    if (item->rows == 0)
        fail_in_text(r->error, item->at, "%s has no entries.", item->typed);
}

const char *parse_matrix(const char *p, const char *before, Item *item,
                         Entry *room, Error *f)
{
    MatrixReader r = { .error = f, .p = p, .before = before, .item = item,
                       .free = room, .level = -1 };
    item->rows = item->cols = 0;
    item->entry = room;
    for (bool more = true; more; ) {
        Token t = read_token(r.p);
        r.p = t.start;
        if (t.kind == '\n' || *t.start == '\0')
            more = parse_line_end(&r, &t);
        else
            r.p = parse_token(&r, &t);
    }
    check_whole(&r);
    return r.p;
}
