/* Reading a sheet: the text is cleaned, cut into items, and each item has a
   name and a word or a matrix. Main types: Sheet, Item. Entry points:
   read_sheet, parse_sheet. A file or a text flows in, items flow out. */
#include "sheet/algorithm.h"
#include "sheet/paste.h"
#include "sheet/arguments.h"
#include <ctype.h>
#include <string.h>

const Sheet *read_sheet(Arena *arena, const char *name, Error *f)
{
    size_t n;
    const char *text = read_text_file(arena, name, &n, f);
    if (n > SHEET_BYTES)
        fail_with(f, "is larger than 1 MiB, the most that a sheet may "
                "have.");
    char *copy = memcpy(arena_alloc(arena, n + 1), text, n);
    return parse_sheet(arena, name, copy, (int)n, f);
}

/* Characters that look like one of ASCII. */
static const struct { unsigned first, last; char as; } plain[] = {
    { '\t', '\t', ' ' },        { '\v', '\f', ' ' },
    { '\r', '\r', '\n' },       { 0x00A0, 0x00A0, ' ' },
    { 0x2000, 0x200A, ' ' },    { 0x202F, 0x202F, ' ' },
    { 0x205F, 0x205F, ' ' },    { 0x3000, 0x3000, ' ' },
    { 0x00AD, 0x00AD, '\0' },   { 0x200B, 0x200F, '\0' },
    { 0x202A, 0x202E, '\0' },   { 0x2060, 0x2069, '\0' },
    { 0xFEFF, 0xFEFF, '\0' },   { 0x2010, 0x2015, '-' },
    { 0x2212, 0x2212, '-' },    { 0xFE58, 0xFE58, '-' },
    { 0xFE63, 0xFE63, '-' },    { 0x2022, 0x2022, '*' },
    { 0x2219, 0x2219, '*' },    { 0x22C5, 0x22C5, '*' },
    { 0x2217, 0x2217, '*' },    { 0x2715, 0x2715, '*' },
    { 0x2044, 0x2044, '/' },    { 0x2215, 0x2215, '/' },
    { 0x00F7, 0x00F7, '/' },    { 0x2018, 0x2019, '\'' },
    { 0x2032, 0x2032, '\'' },   { 0x201C, 0x201D, '"' },
    { 0x239B, 0x23AE, '|' },
};

/* Writes the character of n bytes at p; returns how many it has then. */
static int write_plain(char *to, const unsigned char *p, int n)
{
    unsigned c = n == 1 ? *p : *p & (0x7Fu >> n);
    for (int k = 1; k < n; k++)
        c = c << 6 | (p[k] & 0x3Fu);
    bool wide = 0xFF01 <= c && c <= 0xFF5E;     /* as is typed in Chinese */
    *to = (char)(wide ? c - 0xFEE0 : *p);
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (plain[k].first <= c && c <= plain[k].last)
            return (*to = plain[k].as) != '\0';
    memmove(to + 1, p + 1, (size_t)n - 1);
    return wide ? 1 : n;
}

/* Makes plain ASCII of what looks like it, in place. */
static void clean_text(char *text, int length, Error *f)
{
    int to = 0;
    f->text = text;
    for (int n, k = 0; k < length; k += n) {
        const unsigned char *p = (const unsigned char *)text + k;
        bool control = (*p < ' ' && (*p < '\t' || *p > '\r')) || *p == 0x7F;
        if (k == 0 && length >= 2 && p[0] + p[1] == 0xFF + 0xFE)
            fail_with(f, "this is UTF-16; save the sheet as UTF-8.");
        n = control ? 0 : utf8_length((const char *)p, (size_t)(length - k));
        if (n == 0)
            fail_in_text(f, to, "the byte 0x%02X is not text; a sheet is "
                         "plain text in UTF-8.", *p);
        if (*p != '\r' || k + 1 == length || p[1] != '\n')
            to += write_plain(text + to, p, n);
    }
    text[to] = '\0';
}

enum { LONGEST_NAME = 30 };

static bool starts_name(const char *p)
{
    unsigned char c = (unsigned char)*p;
    return isalpha(c) || c >= 0x80 || c == '\\';
}

/* The end of the name at p; p where none begins. */
static const char *find_name_end(const char *p)
{
    if (!starts_name(p))
        return p;
    for (unsigned char c; c = (unsigned char)*p, isalnum(c) || c >= 0x80
         || (c != '\0' && strchr("_^~{}\\", c) != NULL)
         || (c == '.' && starts_name(p + 1)); )
        p++;
    return p;
}

/* A number of 1 to 1000 among letters; 0: there is none; -1: another one. */
static int parse_count(const char *p, size_t n)
{
    int number = 0, digits = 0;
    for (size_t k = 0; k < n && number <= SHEET_ITEMS; k++)
        if (isdigit((unsigned char)p[k])) {
            number = 10 * number + (p[k] - '0');
            digits++;
        }
    return digits > 0 && (number == 0 || number > SHEET_ITEMS) ? -1 : number;
}

/* The name in the C of what is spelled so, with or without its digits. */
static const char *find_spelled(const char *p, const char *end, bool digits,
                                int algorithm)
{
    char bare[LONGEST_NAME + 1];
    size_t n = 0;
    for (; p < end && n < LONGEST_NAME; p++)
        if ((digits || !isdigit((unsigned char)*p))
            && strchr("_{}\\", *p) == NULL && (*p != '^' || p + 1 == end))
            bare[n++] = *p;
    bare[n] = '\0';
    return known_name(algorithm, bare);
}

static const struct {
    const char *words;
    Part part;
    Aspect aspect;
} prefixes[] = {
    { "layer", LAYER,   VALUE },    { "enc",  ENC,     VALUE },
    { "dec",   DEC,     VALUE },    { "ed",   ED,      VALUE },
    { "grad",  NOWHERE, GRADIENT }, { "new",  NOWHERE, NEW },
    { "i n",   NOWHERE, VALUE },
};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* Takes the prefix apart that ends at the point; false: it is none. */
static bool parse_prefix(const char *p, const char *point, Item *item)
{
    size_t n = (size_t)(point - p), letters = strcspn(p, ".0123456789"),
           digits = strspn(p + letters, "0123456789"), k = 0;
    int number = parse_count(p + letters, digits);
    while (k < PREFIXES && !word_in(prefixes[k].words, p, letters))
        k++;
    if (k == PREFIXES || letters + digits != n
        || (digits > 0 && prefixes[k].aspect != VALUE))
        return false;
    if (prefixes[k].part != NOWHERE) {
        item->part = prefixes[k].part;
        item->layer = number;
    } else if (prefixes[k].aspect != VALUE)
        item->aspect = prefixes[k].aspect;
    else
        item->turn = number;
    return true;
}

/* Takes a name apart. Its name in the C is NULL if nobody knows it. */
static void split_name(const char *p, const char *end, Item *item,
                       int algorithm)
{
    item->name = NULL;
    if (end - p >= LONGEST_NAME)
        return;
    for (const char *point;
         (point = memchr(p, '.', (size_t)(end - p))) != NULL; p = point + 1)
        if (!parse_prefix(p, point, item))
            return;
    item->name = find_spelled(p, end, true, algorithm);
    if (item->name == NULL) {
        item->name = find_spelled(p, end, false, algorithm);
        item->head = parse_count(p, (size_t)(end - p));
    }
}

/* The algorithm that a word names, such as attention; 0: none. */
static int find_algorithm_named(const char *p, const char *end)
{
    for (int a = 1; a <= 15; a++)
        if (algorithm_table[a].words != NULL
            && word_in(algorithm_table[a].words, p, (size_t)(end - p)))
            return a;
    return 0;
}

/* What a line such as `algorithm 4` names, wherever it stands; 0: there is
   no such line. */
static int find_algorithm(const char *text, Error *f)
{
    for (const char *p = text; p != NULL; p = strchr(p, '\n')) {
        p += strspn(p, " \n");
        size_t n = match_word(p, "algorithm Algorithm alg");
        if (n == 0)
            continue;
        p += n + strspn(p + n, " =:");
        size_t digits = strspn(p, "0123456789");
        const char *end = digits > 0 ? p + digits : find_name_end(p);
        int algorithm = digits > 0 ? parse_count(p, digits)
                                   : find_algorithm_named(p, end);
        if (algorithm < 1 || algorithm > 15
            || !ends_line(end + strspn(end, " ")))
            refuse_word(f, p, "there is no such algorithm; type one of 1 ... "
                        "15, or a word such as attention, multihead, "
                        "layernorm or softmax");
        return algorithm;
    }
    return 0;
}

/* How an item begins, such as `claim 10.6 X =`. */
typedef struct {
    Item item;                  /* what is known of it by then; its name
                                   is NULL if nobody knows it             */
    const char *start, *end;    /* from where to where the name stands    */
    const char *value;          /* behind the =; NULL: there is none      */
    bool is_one;                /* it is an item indeed                   */
} Head;

static Head parse_head(const char *p, int algorithm)
{
    p += strspn(p, " $");
    Head h = { .item.claim = begins(p, "claim ") };
    Item *item = &h.item;
    p += item->claim ? strlen("claim ") : 0;
    p += strspn(p, " ");
    size_t n = strspn(p, "0123456789"),
           m = p[n] == '.' ? strspn(p + n + 1, "0123456789") : 0;
    if (n > 0 && m > 0) {
        item->algorithm = parse_count(p, n);
        item->line = parse_count(p + n + 1, m);
        p += n + 1 + m;
        p += strspn(p, " ");
    }
    h.start = p;
    h.end = find_name_end(p);
    p = h.end + strspn(h.end, " ");
    h.value = *p == '=' ? p + 1 : begins(p, ":=") ? p + 2 : NULL;
    if (h.end > h.start)
        split_name(h.start, h.end, item, algorithm);
    bool alone = ends_line(h.end) || strchr(" ,|$[", *h.end) != NULL,
         key = item->name != NULL && item->head == 0
            && is_key(item->name, false),
         argument = match_word(h.start, "dtype device grad_fn "
                               "requires_grad") > 0;
    h.is_one = item->claim
            || (h.end > h.start && (h.value != NULL ? !argument
                                                    : key && alone));
    return h;
}

typedef struct {
    Error *error;
    Arena *arena;
    const char *p;              /* what comes next                        */
    Entry *free;                /* where the next matrix goes             */
    Sheet *sheet;               /* as far as it has been read             */
} ItemReader;

/* Names that other programs use, and what to say of them. */
static const struct { const char *names, *say; } others[] = {
    { "layers n_layers num_layers n_layer depth",
      "the number of layers is L" },
    { "heads n_heads num_heads n_head nhead",
      "the heads are counted by their matrices, such as W_q^2" },
    { "d_model dim hidden_size embed_dim",
      "d_e is known from the matrices" },
    { "d_k head_dim d_head", "the size of a query is d_attn" },
    { "lr learning_rate", "the learning rate is eta" },
    { "vocab vocab_size n_vocab", "N_V is known from W_e" },
    { "temp", "the temperature is tau" },
    { "labels targets", "the token whose loss is claimed is target" },
    { "seq_len context_length block_size",
      "the longest sequence is ell_max" },
};

/* Refuses a name of another program, or of an algorithm. */
static void refuse_other_name(const ItemReader *r)
{
    const char *end = find_name_end(r->p);
    int n = (int)(end - r->p), at = (int)(r->p - r->error->text);
    if (find_algorithm_named(r->p, end) > 0)
        fail_in_text(r->error, at, "'%.*s' is an algorithm; write 'algorithm "
                     "%.*s'.", n, r->p, n, r->p);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (word_in(others[k].names, r->p, (size_t)n))
            fail_in_text(r->error, at, "'%.*s' is not a setting; %s.", n,
                         r->p, others[k].say);
}

/* Refuses a name that nobody knows. */
_Noreturn static void refuse_item_name(const ItemReader *r, bool claim)
{
    char sentence[100 + NAMES_BYTES], names[NAMES_BYTES];
    int algorithm = r->sheet->algorithm;        /* 0: not known */
    if (!claim)
        refuse_other_name(r);
    snprintf(sentence, sizeof sentence, "unknown name; %s", algorithm > 0
             ? names_text(names, algorithm, claim)
             : "names are case-sensitive, such as X, Wq, W_q^1 or bq");
    refuse_word(r->error, r->p, sentence);
}

/* Refuses an item whose head is that of one before it. */
static void refuse_twice(const Sheet *sheet, const Item *item, Error *f)
{
    for (const Item *other = sheet->item; other < item; other++)
        if (other->claim == item->claim && other->head == item->head
            && other->part == item->part && other->layer == item->layer
            && other->aspect == item->aspect && other->turn == item->turn
            && other->algorithm == item->algorithm
            && other->line == item->line
            && strcmp(other->name, item->name) == 0)
            fail_in_text(f, item->at, "%s is given twice.", item->typed);
}

static char *copy_text(Arena *arena, const char *from, const char *to)
{
    size_t n = (size_t)(to - from);
    char *text = memcpy(arena_alloc(arena, n + 1), from, n);
    text[n] = '\0';
    return text;
}

/* Whether a word stands there, and nothing else in its line. */
static bool parse_setting(ItemReader *r, Item *item)
{
    const char *p = r->p + strspn(r->p, " "), *end = find_name_end(p),
               *rest = end + strspn(end, " ");
    if (!is_key(item->name, true) || !isalpha((unsigned char)*p)
        || !ends_line(rest))
        return false;
    item->word = copy_text(r->arena, p, end);
    r->p = rest + strcspn(rest, "\n");
    return true;
}

/* Reads the item that begins with that head. */
static void read_item(ItemReader *r, const Head *h, Item *item)
{
    int algorithm = r->sheet->algorithm;
    *item = h->item;
    item->at = (int)(h->start - r->sheet->text);
    item->typed = copy_text(r->arena, h->start, h->end);
    r->p = h->start;
    if (item->claim && (h->end == h->start || h->value == NULL))
        refuse_word(r->error, r->p, "expected a line such as 'claim A = 1/2 "
                    "1/2'");
    if (item->name == NULL)
        refuse_item_name(r, item->claim);
    if (item->head < 0 || item->layer < 0 || item->turn < 0)
        refuse_word(r->error, r->p, "heads and layers are counted from 1 to "
                    "1000");
    refuse_twice(r->sheet, item, r->error);
    r->p = h->value != NULL ? h->value : h->end;
    if (!item->claim && parse_setting(r, item))
        return;
    bool one_line = !item->claim && is_key(item->name, false)
                 && strcmp(item->name, "mask") != 0;
    const char *next = r->p + strcspn(r->p, "\n");
    while (*next != '\0' && !one_line
           && !parse_head(next + 1, algorithm).is_one)
        next += 1 + strcspn(next + 1, "\n");
    r->p = parse_matrix(r->p, next, item, r->free, r->error);
    r->free += item->rows * item->cols;
}

/* Every entry but the last is followed by at least one character that is
   not part of it. */
static void read_items(Error *f, void *data)
{
    ItemReader *r = data;
    Sheet *sheet = r->sheet;
    size_t n = strlen(sheet->text) / 2 + 1;
    Item *item = arena_alloc(r->arena, SHEET_ITEMS * sizeof *item);
    r->error = f;
    r->p = sheet->text;
    r->free = arena_alloc(r->arena, n * sizeof(Entry));
    sheet->item = item;
    while (r->p += strspn(r->p, " \n$"), *r->p != '\0') {
        if (*r->p == '#') {
            r->p += strcspn(r->p, "\n");
            continue;
        }
        Head h = parse_head(r->p, sheet->algorithm);
        if (!h.is_one) {
            refuse_other_name(r);
            refuse_word(f, r->p, "expected a line such as 'X = 1 0 ; 0 1' "
                        "or 'mask none'");
        }
        if (sheet->n == SHEET_ITEMS)
            fail_in_text(f, (int)(r->p - sheet->text), "a sheet has at most "
                         "1000 items.");
        read_item(r, &h, &item[sheet->n]);
        sheet->n++;
    }
    if (sheet->n == 0)
        fail_with(f, "the sheet is empty.");
}

/* Whether every name is one of the algorithm, and something is given; one
   item alone tells nothing. */
static bool knows_all_names(const Sheet *sheet)
{
    bool known = true, given = false;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        known &= knows_name(sheet->algorithm, item->name, item->claim);
        given |= !item->claim && item->word == NULL;
    }
    return known && given && sheet->n > 1;
}

const Sheet *parse_sheet(Arena *arena, const char *name, char *text,
                         int length, Error *f)
{
    static const int candidates[] = { 4, 5, 3, 7, 6, 2, 1 };
    Sheet *sheet = arena_alloc(arena, sizeof *sheet), tried;
    f->sheet = name;
    clean_text(text, length, f);
    *sheet = (Sheet){ .name = name, .text = text,
                      .algorithm = find_algorithm(text, f) };
    for (int k = 0; k < 7 && sheet->algorithm == 0; k++) {
        Error inner = *f;
        tried = (Sheet){ .name = name, .text = text, .inferred = true,
                         .algorithm = candidates[k] };
        ItemReader r = { .arena = arena, .sheet = &tried };
        if (try_work(&inner, read_items, &r) && knows_all_names(&tried)) {
            *sheet = tried;
            return sheet;
        }
    }
    read_items(f, &(ItemReader){ .arena = arena, .sheet = sheet });
    return sheet;
}
