/* Reading a sheet: its text is cleaned, cut into items, and those named. */
#include "sheet/paste.h"
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
                                const char *marks, int algorithm)
{
    char bare[LONGEST_NAME + 1];
    size_t n = 0;
    for (; p < end && n < LONGEST_NAME; p++)
        if (strchr(marks, *p) == NULL && (*p != '^' || p + 1 == end))
            bare[n++] = *p;
    bare[n] = '\0';
    return p < end ? NULL : known_name(algorithm, bare);
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
   knows none. */
static void split_name(Item *item, int algorithm)
{
    const char *p = item->typed, *end = p + strlen(p);
    item->name = NULL;
    item->head = 0;
    for (const char *point; (point = strchr(p, '.')) != NULL; p = point + 1)
        if (!parse_prefix(p, point, item))
            return;
    item->name = find_spelled(p, end, MARKS, algorithm);
    if (item->name == NULL) {
        item->name = find_spelled(p, end, MARKS DIGITS, algorithm);
        item->head = parse_count(p, end);
    }
}

/* How an item begins, such as `claim 10.6 X =`. */
typedef struct {
    Item item;                  /* what is known of it by then            */
    const char *start, *end;    /* from where to where the name stands    */
    const char *key;            /* it, as in the C; or NULL: no key       */
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
    h->key = find_spelled(h->start, h->end, MARKS, 4);
    if (h->key != NULL && (item->claim || !is_key(h->key, false)))
        h->key = NULL;
    bool argument = match_word(h->start, "dtype device grad_fn "
                               "requires_grad");
    return item->claim || h->key != NULL
        || (h->end > h->start && h->value != NULL && !argument);
}

typedef struct {
    Error *error;
    Arena *arena;
    const char *p;              /* what comes next                        */
    Entry *free;                /* where the next matrix goes             */
    Item *item;                 /* all of them                            */
    Sheet *sheet;               /* as far as it has been read             */
} ItemReader;

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
static void read_item(ItemReader *r, const Head *h, Item *item)
{
    *item = h->item;
    item->at = (int)(h->start - r->sheet->text);
    item->typed = copy_text(r->arena, h->start, h->end);
    if (item->claim && (h->end == h->start || h->value == NULL))
        refuse_word(r->error, h->start, "expected a line such as 'claim A = "
                    "1/2 1/2'");
    const char *p = h->value != NULL ? h->value : h->end;
    p += strspn(p, " ");
    const char *end = find_name_end(p), *rest = end + strspn(end, " "),
               *next = p + strcspn(p, "\n");
    if (h->key != NULL && is_key(h->key, true)
        && isalpha((unsigned char)*p) && ends_line(rest)) {
        item->word = copy_text(r->arena, p, end);
        r->p = next;
    } else {
        bool one_line = h->key != NULL && strcmp(h->key, "mask") != 0;
        Head other;
        while (*next != '\0' && !one_line && !parse_head(next + 1, &other))
            next += 1 + strcspn(next + 1, "\n");
        r->p = parse_matrix(p, next, item, r->free, r->error);
        r->free += item->rows * item->cols;
    }
    if (h->key != NULL && strcmp(h->key, "algorithm") == 0)
        r->sheet->algorithm = find_algorithm(item, p, r->error);
}

static void read_items(ItemReader *r)
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
        read_item(r, &h, &r->item[sheet->n++]);
    }
    if (sheet->n == 0)
        fail_with(r->error, "the sheet is empty.");
}

/* Whether an algorithm takes an argument of this name, or has such a step; a
   claim must be a step. */
static bool knows_name(int algorithm, const char *name, bool claim)
{
    bool known = !claim && find_argument(algorithm, name) != NULL;
    for (const StepRow *r = step_table; r->name != NULL; r++)
        known |= strcmp(r->name, name) == 0
              && is_or_calls(algorithm, r->algorithm);
    return known;
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
            split_name(&item, candidates[c]);
            known = item.name != NULL
                 && knows_name(candidates[c], item.name, item.claim);
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
static void name_items(const ItemReader *r)
{
    int algorithm = r->sheet->algorithm;        /* 0: not known */
    char unknown[20 + NAMES_BYTES] = "unknown name; ",
         *names = unknown + strlen(unknown);
    for (Item *item = r->item; item < r->item + r->sheet->n; item++) {
        const char *place = r->sheet->text + item->at;
        split_name(item, algorithm);
        if (item->name == NULL && algorithm == 0)
            refuse_word(r->error, place, "unknown name; names are "
                        "case-sensitive, such as X, Wq, W_q^1 or bq");
        if (item->name == NULL) {
            names_text(names, algorithm, item->claim);
            refuse_word(r->error, place, unknown);
        }
        if (item->head < 0 || item->layer < 0 || item->turn < 0)
            refuse_word(r->error, place, "heads and layers are counted from "
                        "1 to 1000");
        for (const Item *other = r->item; other < item; other++)
            if (is_same_head(item, other))
                fail_in_text(r->error, item->at, "%s is given twice.",
                             item->typed);
    }
}

const Sheet *parse_sheet(Arena *arena, const char *name, char *text,
                         int length, Error *f)
{
    Sheet *sheet = arena_alloc(arena, sizeof *sheet);
    Item *item = arena_alloc(arena, SHEET_ITEMS * sizeof *item);
    f->sheet = name;
    clean_text(text, length, f);
    *sheet = (Sheet){ .name = name, .text = text, .item = item };
    /* Every entry but the last is followed by a character that is not part
       of it. */
    size_t most = strlen(text) / 2 + 1;
    ItemReader r = { .error = f, .arena = arena, .p = text, .item = item,
        .free = arena_alloc(arena, most * sizeof(Entry)), .sheet = sheet };
    read_items(&r);
    if (sheet->algorithm == 0) {
        sheet->algorithm = infer_algorithm(sheet);
        sheet->inferred = sheet->algorithm > 0;
    }
    name_items(&r);
    return sheet;
}
