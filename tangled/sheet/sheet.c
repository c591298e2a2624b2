/* Reading a sheet: its text is cleaned, cut into items, and those named. */
#include "sheet/step.h"
#include <ctype.h>
#include <string.h>

const Sheet *read_sheet(Arena *arena, const char *name, Error *f)
{
    size_t n;
    char *text = read_text_file(arena, name, &n, f);
    if (n > SHEET_BYTES)
        fail_with(f, "is larger than 1 MiB, the most that a sheet may "
                "have.");
    return parse_sheet(arena, name, text, (int)n, f);
}

/* Characters that look like one of ASCII, or like nothing. */
static const struct { const char *alike; char as; } plain[] = {
    { "\t\v\f\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
      "\u2009\u200A\u202F\u205F\u3000", ' ' },
    { "\u00AD\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E"
      "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\uFEFF", '\0' },
    { "‐‑‒–—―−\uFE58\uFE63", '-' }, { "•∙⋅∗✕", '*' }, { "⁄∕÷", '/' },
    { "‘’′", '\'' }, { "“”", '"' }, { "⎡⎢⎣⎤⎥⎦", '|' }, { "\r", '\n' },
};

/* Writes the character of n bytes at p; returns how many it has then. */
static int write_plain(char *to, const char *p, int n)
{
    char one[5] = "";
    memcpy(one, p, (size_t)n);
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if ((n > 1 || *p < ' ') && strstr(plain[k].alike, one) != NULL)
            return (*to = plain[k].as) != '\0';
    bool wide = begins(one, "\xEF\xBC");        /* U+FF01 for ! and so on */
    n = wide ? 1 : n;
    *one = wide ? (char)((unsigned char)one[2] - 0x60) : *one;
    memcpy(to, one, (size_t)n);
    return n;
}

/* Makes plain ASCII of what looks like it, in place. */
static void clean_text(char *text, int length, Error *f)
{
    int to = 0;
    f->text = text;
    for (int n, k = 0; k < length; k += n) {
        const char *p = text + k;
        unsigned char c = (unsigned char)*p;
        n = iscntrl(c) && !isspace(c) ? 0
          : utf8_length(p, (size_t)(length - k));
        if (n == 0)
            fail_in_text(f, to, "the byte 0x%02X is not text; a sheet is "
                         "plain text in UTF-8.", c);
        if (c != '\r' || k + 1 == length || p[1] != '\n')
            to += write_plain(text + to, p, n);
    }
    text[to] = '\0';
}

#define MARKS  "_{}\\"
enum { LONGEST_NAME = 30 };

/* The end of the name at p; p where none begins. */
static const char *find_name_end(const char *p)
{
    unsigned char c = (unsigned char)*p;
    bool begins_name = isalpha(c) || c >= 0x80 || c == '\\';
    return begins_name ? p + strcspn(p, " \n=:#,;|[]()$") : p;
}

/* A number of 1 to 1000 among letters; 0: there is none; -1: another one. */
static int parse_count(const char *p, const char *end)
{
    int number = 0, digits = 0;
    for (; p < end && number <= SHEET_ITEMS; p++)
        if (isdigit((unsigned char)*p)) {
            number = 10 * number + (*p - '0');
            digits++;
        }
    return digits > 0 && (number == 0 || number > SHEET_ITEMS) ? -1 : number;
}

/* The name in the C of what is spelled so, without those marks; or NULL. A ^
   counts only at the end. */
static const char *find_spelled(const char *p, const char *end,
                                const char *marks, int algorithm,
                                bool others)
{
    char bare[LONGEST_NAME + 1];
    size_t n = 0;
    for (; p < end && n < LONGEST_NAME; p++)
        if (strchr(marks, *p) == NULL && (*p != '^' || p + 1 == end))
            bare[n++] = *p;
    bare[n] = '\0';
    return p < end ? NULL : known_name(algorithm, bare, others);
}

/* Takes apart the prefix before the point; false: none, or a second one. */
static bool parse_prefix(const char *p, const char *point, Item *item)
{
    size_t letters = strcspn(p, "." DIGITS);
    int number = parse_count(p, point),         /* in the order of Part ... */
        part = word_in("layer enc dec ed", p, letters),
        aspect = word_in("grad new", p, letters);   /* ... and of Aspect */
    if (part > 0 && item->part == NOWHERE) {
        item->part = (Part)part;
        item->layer = number;
    } else if (aspect > 0 && item->aspect == VALUE && number == 0)
        item->aspect = (Aspect)aspect;
    else if (word_in("i n", p, letters) && item->turn == 0)
        item->turn = number;
    else
        return false;
    return true;
}

/* Takes the name apart that was typed. That in the C is NULL if the algorithm
   knows none, nor, with others, another one. */
static void split_name(Item *item, int algorithm, bool others)
{
    const char *p = item->typed, *end = p + strlen(p);
    item->name = NULL;
    item->head = 0;
    for (const char *point; (point = strchr(p, '.')) != NULL; p = point + 1)
        if (!parse_prefix(p, point, item))
            return;
    item->name = find_spelled(p, end, MARKS, algorithm, others);
    if (item->name == NULL) {
        item->name = find_spelled(p, end, MARKS DIGITS, algorithm, others);
        item->head = parse_count(p, end);
    }
}

/* How an item begins, such as `claim 10.6 X =`. */
typedef struct {
    Item item;                  /* what is known of it by then            */
    const char *start, *end;    /* from where to where the name stands    */
    const Argument *key;        /* what a key stands for; or NULL         */
    const char *value;          /* behind the =; NULL: there is none      */
} Head;

/* Returns whether an item begins at p. No key is spelled otherwise in another
   algorithm than in Algorithm 4. */
static bool parse_head(const char *p, Head *h)
{
    p += strspn(p, " $");
    *h = (Head){ .item.claim = begins(p, "claim ") };
    Item *item = &h->item;
    p += item->claim ? strlen("claim ") : 0;
    p += strspn(p, " ");
    const char *point = p + strspn(p, DIGITS), *end;
    if (point > p && *point == '.' && isdigit((unsigned char)point[1])) {
        end = point + 1 + strspn(point + 1, DIGITS);
        item->algorithm = parse_count(p, point);
        item->line = parse_count(point, end);
        p = end + strspn(end, " ");
    }
    h->start = p;
    h->end = find_name_end(p);
    p = h->end + strspn(h->end, " ");
    h->value = *p == '=' ? p + 1 : begins(p, ":=") ? p + 2 : NULL;
    const char *name = find_spelled(h->start, h->end, MARKS, 4, true);
    h->key = name == NULL || item->claim ? NULL : find_key(name);
    bool argument = match_word(h->start, "dtype device grad_fn "
                               "requires_grad");
    return item->claim || h->key != NULL
        || (h->end > h->start && h->value != NULL && !argument);
}

/* How many brackets are around each entry, if it is no number. */
enum { NOT_KNOWN = -1, COMPLETE = -2 };         /* no entry can follow    */

typedef struct {
    Error *error;
    Arena *arena;
    Sheet *sheet;               /* as far as it has been read             */
    const char *p;              /* what comes next                        */
    Item *item;                 /* the latest                             */
    Entry *free;                /* where the next entry goes              */
    bool one_line;              /* its matrix ends with its line          */
    int level;                  /* brackets around each entry             */

    int entries;                /* of the row so far                      */
    char last;                  /* the separator behind them: , & or |    */
    bool gap;                   /* between two of them                    */
    char between;               /* the entries of the row: , or a blank   */
} SheetReader;

/* Whether a line ends here, or nothing follows but a comment. */
static bool ends_line(const char *p)
{
    return *p == '\n' || *p == '\0' || *p == '#';
}

/* Refuses the word at that place of f->text. */
_Noreturn static void refuse_word(Error *f, const char *place,
                                  const char *sentence)
{
    int at = (int)(place - f->text),
        n = (int)strcspn(place, " \n,;&|[]#=");
    for (n = n < 40 ? n : 40; ((unsigned char)place[n] & 0xC0) == 0x80; n--)
        ;
    if (n == 0)
        fail_in_text(f, at, "%s.", sentence);
    fail_in_text(f, at, "at '%.*s': %s.", n, place, sentence);
}

_Noreturn static void reject(const SheetReader *r, const char *sentence)
{
    refuse_word(r->error, r->p, sentence);
}

static void refuse_gap(const SheetReader *r, bool gap)
{
    if (gap)
        reject(r, "an entry is missing before this; type 0, or ? for what a "
               "claim leaves open");
}

/* Ends the row; if it has entries, it must be as long as the one above. */
static void end_row(SheetReader *r)
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
static void parse_cell(SheetReader *r, int depth)
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
static bool parse_line_end(SheetReader *r, const Token *t, int depth)
{
    if (depth == 0 || (depth == 1 && r->last != ',' && r->last != '&'))
        end_row(r);
    const char *line = r->p = t->end, *first = line + strspn(line, " ");
    bool empty = *first == '\n' || *first == '\0';
    if (*t->start == '\0' || r->one_line || parse_head(line, &(Head){ 0 })
        || (empty && depth == 0 && r->item->rows > 0))
        return false;
    if (depth == 0 && (is_rule(line)
                       || (r->item->rows == 0 && is_head(line))))
        r->p += strcspn(line, "\n");
    return true;
}

static void parse_rows(SheetReader *r, const Token *open, int depth);

/* Parses what begins with a bracket, in so many others. */
static void parse_bracket(SheetReader *r, const Token *t, int depth)
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
static void parse_rows(SheetReader *r, const Token *open, int depth)
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
                             "%s.", *t.start == '\0' ? "end of the sheet"
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
                r->p += strcspn(r->p, ";[]{}#)");       /* dtype=float32 */
                continue;
            }
        }
        parse_cell(r, depth);
    }
}

static char *copy_text(Arena *arena, const char *from, const char *to)
{
    size_t n = (size_t)(to - from);
    char *text = memcpy(arena_alloc(arena, n + 1), from, n);
    text[n] = '\0';
    return text;
}

/* The algorithm that the item names, such as 4 or attention. */
static int find_algorithm(const Item *item, const char *place, Error *f)
{
    for (int a = 1; a <= 15; a++) {
        const char *words = algorithm_table[a].words;
        if (item->word == NULL
            ? item->rows * item->cols == 1 && item->entry->value == a
            : word_in(words, item->word, strlen(item->word)))
            return a;
    }
    refuse_word(f, place, "there is no such algorithm; type one of 1 ... "
                "15, or a word such as attention, multihead, layernorm or "
                "softmax");
}

/* Reads the item that begins with that head. */
static void read_item(SheetReader *r, const Head *h)
{
    const char *p = h->value != NULL ? h->value : h->end;
    p += strspn(p, " ");
    const char *end = find_name_end(p), *rest = end + strspn(end, " ");
    bool words = h->key != NULL
              && (h->key->kind == WORD || h->key->kind == MASK);
    *r->item = h->item;
    r->item->at = (int)(h->start - r->sheet->text);
    r->item->typed = copy_text(r->arena, h->start, h->end);
    if (h->item.claim && (h->end == h->start || h->value == NULL))
        refuse_word(r->error, h->start, "expected a line such as 'claim A = "
                    "1/2 1/2'");
    if (words && isalpha((unsigned char)*p) && ends_line(rest)) {
        r->item->word = copy_text(r->arena, p, end);
        r->p = p + strcspn(p, "\n");
    } else {
        r->item->entry = r->free;
        r->level = NOT_KNOWN;
        r->one_line = h->key != NULL && h->key->kind != MASK;
        r->p = p;
        parse_rows(r, &(Token){ .kind = '\0' }, 0);
        if (r->item->rows == 0)
            fail_in_text(r->error, r->item->at, "%s has no entries.",
                         r->item->typed);
    }
    if (h->key == argument_table)       /* its first row: the algorithm */
        r->sheet->algorithm = find_algorithm(r->item, p, r->error);
}

static void read_items(SheetReader *r)
{
    Head h;
    Sheet *sheet = r->sheet;
    while (r->p += strspn(r->p, " \n$"), *r->p != '\0') {
        if (*r->p == '#') {
            r->p += strcspn(r->p, "\n");
            continue;
        }
        if (!parse_head(r->p, &h))
            refuse_word(r->error, r->p, "expected a line such as 'X = 1 0 ; "
                        "0 1', 'mask none' or 'algorithm attention'");
        if (sheet->n == SHEET_ITEMS)
            fail_in_text(r->error, (int)(r->p - sheet->text), "a sheet has "
                         "at most 1000 items.");
        r->item = &sheet->item[sheet->n++];
        read_item(r, &h);
    }
    if (sheet->n == 0)
        fail_with(r->error, "the sheet is empty.");
}

/* Returns the first algorithm that knows every name, if something is given;
   one item alone tells nothing. 0: there is none. */
static int infer_algorithm(const Sheet *sheet)
{
    static const int candidates[] = { 4, 5, 3, 7, 6, 2, 1 };
    for (int c = 0; c < 7 && sheet->n > 1; c++) {
        bool known = true, given = false;
        for (int k = 0; known && k < sheet->n; k++) {
            Item item = sheet->item[k];
            split_name(&item, candidates[c], false);
            known = item.name != NULL;
            given |= !item.claim && item.word == NULL;
        }
        if (known && given)
            return candidates[c];
    }
    return 0;
}

/* Whether the head of an item is that of another. */
static bool is_same_head(const Item *item, const Item *other)
{
    return other->claim == item->claim && other->head == item->head
        && other->part == item->part && other->layer == item->layer
        && other->aspect == item->aspect && other->turn == item->turn
        && other->algorithm == item->algorithm && other->line == item->line
        && strcmp(other->name, item->name) == 0;
}

/* Looks up the names of all items. */
static void name_items(const Sheet *sheet, Error *f)
{
    int algorithm = sheet->algorithm;           /* 0: not known */
    char unknown[20 + NAMES_BYTES] = "unknown name; names are "
        "case-sensitive, such as X, Wq, W_q^1 or bq";
    for (Item *item = sheet->item; item < sheet->item + sheet->n; item++) {
        const char *place = sheet->text + item->at;
        split_name(item, algorithm, true);
        if (item->name == NULL && algorithm > 0)
            names_text(strchr(unknown, ';') + 2, algorithm, item->claim);
        if (item->name == NULL)
            refuse_word(f, place, unknown);
        if (item->head < 0 || item->layer < 0 || item->turn < 0)
            refuse_word(f, place, "heads and layers are counted from "
                        "1 to 1000");
        for (const Item *other = sheet->item; other < item; other++)
            if (is_same_head(item, other))
                fail_in_text(f, item->at, "%s is given twice.",
                             item->typed);
    }
}

const Sheet *parse_sheet(Arena *arena, const char *name, char *text,
                         int length, Error *f)
{
    Sheet *sheet = arena_alloc(arena, sizeof *sheet);
    f->sheet = name;
    clean_text(text, length, f);
    *sheet = (Sheet){ .name = name, .text = text,
        .item = arena_alloc(arena, SHEET_ITEMS * sizeof(Item)) };
    /* Every entry but the last is followed by a character that is not part
       of it. */
    size_t most = strlen(text) / 2 + 1;
    read_items(&(SheetReader){ .error = f, .arena = arena, .sheet = sheet,
        .p = text, .free = arena_alloc(arena, most * sizeof(Entry)) });
    if (sheet->algorithm == 0) {
        sheet->algorithm = infer_algorithm(sheet);
        sheet->inferred = sheet->algorithm > 0;
    }
    name_items(sheet, f);
    return sheet;
}
