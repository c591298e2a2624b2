/* One grammar of all matrices. Main type: MatrixReader. */
#include "sheet/paste.h"
#include <ctype.h>
#include <string.h>

/* How many brackets are around each entry, if it is no number. */
enum { NOT_KNOWN = -1, COMPLETE = -2 };         /* no entry can follow    */

typedef struct {
    Error *error;
    const char *p, *before;     /* what comes next; where to stop         */
    Item *item;
    Entry *free;                /* where the next entry goes              */
    int level;                  /* brackets around each entry             */

    int entries;                /* of the row so far                      */
    char last;                  /* the separator behind them: , & or |    */
    bool gap;                   /* between two of them                    */
    char between;               /* the entries of the row: , or a blank   */
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

static void refuse_gap(const MatrixReader *r, bool gap)
{
    if (gap)
        reject(r, "an entry is missing before this; type 0, or ? for what a "
               "claim leaves open");
}

/* Ends the row; if it has entries, it must be as long as the one above. */
static void end_row(MatrixReader *r)
{
    Item *item = r->item;
    int n = r->entries;
    refuse_gap(r, n > 0 && (r->gap || r->last == '&'));
    if (n > 0 && item->rows > 0 && n != item->cols)
        fail_in_text(r->error, r->free[-n].at, "row %d of %s has %d %s, but "
                     "the row above it has %d.", item->rows + 1,
                     item->typed, n, n == 1 ? "entry" : "entries",
                     item->cols);
    item->cols = n > 0 ? n : item->cols;
    item->rows += n > 0;
    r->entries = r->last = r->between = 0;
    r->gap = false;
}

static const char one_matrix[] = "an item is one matrix as it is in the end, "
    "with brackets around every row or around none; type another as an item "
    "of its own";

/* Reads an entry in so many brackets, and looks at what is beside it. */
static void parse_cell(MatrixReader *r, int depth)
{
    const char *start = r->p;
    char between = r->last == ',' || r->last == '&' ? ',' : ' ';
    r->level = r->level == NOT_KNOWN ? depth : r->level;
    if (r->level != depth)
        reject(r, one_matrix);
    refuse_gap(r, r->gap);
    if (r->entries > 1 && r->between != between)
        reject(r, "commas and blanks both stand between the entries of this "
               "row; type one of them, and a point for a decimal comma");
    const char *error = parse_entry(&r->p, r->free);
    if (error != NULL)
        reject(r, error);
    r->free->at = (int)(start - r->error->text);
    r->free->typed = start;
    r->free->bytes = (int)(r->p - start);
    r->free++;
    r->entries++;
    r->between = between;
    r->last = 0;
    Token next = read_token(r->p);
    if (!next.blank && strchr(",&|;\n])}", next.kind) == NULL)
        reject(r, "unexpected after a number; separate entries by blanks, "
               "and within an entry write an operator");
}

/* Whether it is a line of a table without entries, such as |---|---|. */
static bool is_rule(const char *line)
{
    size_t n = strspn(line, " |-:+="), dash = strcspn(line, "-=");
    return ends_line(line + n) && dash < n
        && (strcspn(line, "|+") < n || strspn(line + dash, "-=") > 1);
}

/* Whether it is (1+2)*3, and not (1 2); or pi, and no name of a column. */
static bool is_arithmetic(const char *p)
{
    return parse_entry(&p, &(Entry){ .value = 0 }) == NULL;
}

/* Whether it is the head of a table. */
static bool is_head(const char *line)
{
    const char *end = strchr(line, '\n'), *cell = line + strspn(line, " |");
    return isalpha((unsigned char)*cell) && !is_arithmetic(cell)
        && end != NULL && is_rule(end + 1);
}

/* Takes the end of a line; returns false where the matrix ends with it. */
static bool parse_line_end(MatrixReader *r, const Token *t, int depth)
{
    if (depth == 0 || (depth == 1 && r->last != ',' && r->last != '&'))
        end_row(r);
    const char *line = r->p = t->end, *first = line + strspn(line, " ");
    bool empty = *first == '\n' || *first == '\0';
    if (*t->start == '\0' || line >= r->before
        || (empty && depth == 0 && r->item->rows > 0))
        return false;
    if (depth == 0 && (is_rule(line)
                       || (r->item->rows == 0 && is_head(line))))
        r->p += strcspn(line, "\n");
    return true;
}

/* Returns the place of the ) behind dtype=float32 and its kin. */
static const char *skip_arguments(const MatrixReader *r)
{
    int open = 0;
    const char *p = r->p;
    for (; *p != '\0' && strchr(";[]{}#", *p) == NULL
         && (*p != ')' || open > 0); p++)
        open += (*p == '(') - (*p == ')');
    return p;
}

static void parse_rows(MatrixReader *r, const Token *open, int depth);

/* Parses what begins with a bracket, in so many others. */
static void parse_bracket(MatrixReader *r, const Token *t, int depth)
{
    enum { DEEPEST = 10 };
    int rows = r->item->rows;
    if (r->entries > 0 || r->level == COMPLETE)
        reject(r, one_matrix);
    if (depth == DEEPEST)
        reject(r, "brackets are more than ten deep");
    end_row(r);
    r->p = t->end;
    parse_rows(r, t, depth + 1);
    if (depth + 1 < r->level || r->item->rows > rows + 1)
        r->level = COMPLETE;
}

/* Parses what stands behind a bracket, up to where it closes, or all. */
static void parse_rows(MatrixReader *r, const Token *open, int depth)
{
    for (;;) {
        Token t = read_token(r->p);
        r->p = t.start;
        switch (t.kind) {
        case TOKEN_ERROR:
            reject(r, t.word);
        case '\n': case '\0':
            if (parse_line_end(r, &t, depth))
                continue;
            if (depth > 0)
                fail_in_text(r->error, (int)(open->start - r->error->text),
                             "what is opened here is not closed before the "
                             "%s.", *r->before == '\0' ? "end of the sheet"
                                                       : "next item");
            return;
        case ']': case ')': case '}':
            if (depth == 0)
                reject(r, "this closes nothing");
            end_row(r);
            r->p = t.end;
            return;
        case ',': case '&': case '|':
            r->gap |= r->last != 0 || (r->entries == 0 && t.kind != '|');
            r->last = t.kind;
            r->p = t.end;
            continue;
        case ';':
            end_row(r);
            r->p = t.end;
            continue;
        case '(': case '{': case '[':
            if (t.kind == '[' || (t.kind == '{' && open->kind == '{')
                || !is_arithmetic(r->p)) {
                parse_bracket(r, &t, depth);
                continue;
            }
            break;
        case TOKEN_NAME:
            if (open->kind == '(' && read_token(t.end).kind == '=') {
                r->p = skip_arguments(r);
                continue;
            }
        }
        parse_cell(r, depth);
    }
}

const char *parse_matrix(const char *p, const char *before, Item *item,
                         Entry *room, Error *f)
{
    MatrixReader r = { .error = f, .p = p, .before = before, .item = item,
                       .free = room, .level = NOT_KNOWN };
    item->entry = room;
    parse_rows(&r, &(Token){ .kind = '\0' }, 0);
    if (item->rows == 0)
        fail_in_text(f, item->at, "%s has no entries.", item->typed);
    return r.p;
}
