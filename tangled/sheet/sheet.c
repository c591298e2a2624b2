/* Reading a sheet: text to items with their names, words and entries. */
#include "sheet/takes.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const Sheet *read_sheet(Arena *arena, const char *name, Error *f)
{
    size_t size = SHEET_BYTES + 1;
    char *text = arena_alloc(arena, size + 1);
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : open_file(name, "rb");
    f->sheet = name;
    if (file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    errno = 0;
    size_t length = fread(text, 1, size, file);
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fail_with(f, "cannot be read: %s.", strerror(error));
    if (length > SHEET_BYTES)
        fail_with(f, "is larger than 1 MiB, the most that a sheet may "
                  "have.");
    return sheet_of(arena, name, text, (int)length, f);
}

#define THIN "\xE2\x80\x89"     /* a thin space */
#define ROW_ENDS "; \\\\* \\\\ \\cr \\tabularnewline"

static const struct { unsigned first, last; const char *as; } plain[] = {
    { 0x00A0, 0x00A0, " " },    { 0x2000, 0x2005, " " },
    { 0x2007, 0x2007, " " },    { 0x205F, 0x205F, " " },
    { 0x3000, 0x3000, " " },    { 0x2006, 0x200A, THIN },
    { 0x202F, 0x202F, THIN },   { 0xFEFF, 0xFEFF, "" },
    { 0x200C, 0x200F, "" },     { 0x202A, 0x202E, "" },
    { 0x2060, 0x2069, "" },
    { 0x2010, 0x2015, "-" },    { 0x2212, 0x2212, "-" },
    { 0xFE58, 0xFE58, "-" },    { 0xFE63, 0xFE63, "-" },
    { 0x2022, 0x2022, "·" },    { 0x2219, 0x2219, "·" },
    { 0x22C5, 0x22C5, "·" },    { 0x2217, 0x2217, "*" },
    { 0x2715, 0x2715, "×" },    { 0x2044, 0x2044, "/" },
    { 0x2215, 0x2215, "/" },    { 0x00F7, 0x00F7, "/" },
    { 0x2018, 0x2019, "'" },    { 0x2032, 0x2032, "'" },
    { 0x201C, 0x201D, "\"" },   { 0x239B, 0x23AE, "|" },
    { 0x2500, 0x2501, "-" },    { 0x2502, 0x2503, "|" },
    { 0x2550, 0x2550, "=" },    { 0x2551, 0x2551, "|" },
    { 0x2504, 0x257F, "+" },
};

static unsigned code_of(const unsigned char *p, int n)
{
    unsigned c = n == 1 ? *p : *p & (0x7Fu >> n);
    for (int k = 1; k < n; k++)
        c = c << 6 | (p[k] & 0x3Fu);
    return c;
}

static int plain_character(char *to, const unsigned char *p, int n)
{
    unsigned c = code_of(p, n);
    if (c < 0x80 || (c >= 0xFF01 && c <= 0xFF5E)        /* full width */
        || (c >= 0x1D7CE && c <= 0x1D7FF)) {            /* bold digits */
        *to = (char)(c < ' ' ? c == '\r' || c == '\n' ? '\n' : ' '
                     : c < 0x80 ? c : c < 0x10000 ? c - 0xFEE0
                     : '0' + (c - 0x1D7CE) % 10);
        return 1;
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (plain[k].first <= c && c <= plain[k].last) {
            n = (int)strlen(plain[k].as);
            p = (const unsigned char *)plain[k].as;
            break;
        }
    memmove(to, p, (size_t)n);
    return n;
}

static int character_size(const unsigned char *p, int left) /* 0: none */
{
    bool control = *p < ' ' && (*p < '\t' || *p > '\r');
    if (control || *p == 0x7F)
        return 0;
    return utf8_length((const char *)p, (size_t)left);
}

static void clean_text(char *text, int length, Error *f)
{
    int to = 0;
    f->text = text;
    for (int n, k = 0; k < length; k += n) {
        const unsigned char *p = (const unsigned char *)text + k;
        if (length >= 2 && p[0] + p[1] == 0xFF + 0xFE && k == 0)
            fail_with(f, "this is UTF-16; save the sheet as UTF-8.");
        n = character_size(p, length - k);
        if (n == 0)
            fail_in_text(f, to,
                         "the byte 0x%02X is no text; a sheet is plain "
                         "text in UTF-8.", *p);
        if (n == 3 && memcmp(p, "\xE2\x80\x8B", 3) == 0)
            fail_in_text(f, to,
                         "this invisible mark comes with a formula that is "
                         "copied from a page; copy its source, or type it.");
        if (n == 2 && memcmp(p, "\xC2\xAD", 2) == 0)
            fail_in_text(f, to,
                         "this is a soft hyphen, which some do not see and "
                         "some take for a minus; type -, or nothing.");
        if (*p != '\r' || k + 1 == length || p[1] != '\n')
            to += plain_character(text + to, p, n);
    }
    text[to] = '\0';
}

static int number_in(const char *p, size_t n)   /* SHEET_ITEMS + 1: more */
{
    int number = 0;
    for (size_t k = 0; k < n && number <= SHEET_ITEMS; k++)
        if (isdigit((unsigned char)p[k]))
            number = 10 * number + (p[k] - '0');
    return number <= SHEET_ITEMS ? number : SHEET_ITEMS + 1;
}

static const char *spelled(const char *typed, bool digits, int algorithm)
{
    char bare[32];
    size_t n = 0;
    for (const char *p = typed; *p != '\0' && n < sizeof bare - 1; p++)
        if ((digits || !isdigit((unsigned char)*p))
            && strchr("_{}\\", *p) == NULL && (*p != '^' || p[1] == '\0'))
            bare[n++] = *p;
    bare[n] = '\0';
    return known_name(algorithm, bare);
}

/* The algorithm that a word names, such as attention; 0: none. */
static int algorithm_named(const char *p, size_t n)
{
    static const struct { const char *words; int algorithm; } named[] = {
        { "embedding", 1 },             { "positions positional", 2 },
        { "attention", 4 },             { "multihead mha MHA", 5 },
        { "layernorm layer_norm norm", 6 },
        { "softmax unembedding logits", 7 },
        { "encoderdecoder", 8 },        { "bert BERT encoder", 9 },
        { "gpt GPT decoder", 10 },
    };
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (word_in(named[k].words, p, n))
            return named[k].algorithm;
    return 0;
}

/* How many letters stand there, with - and _ between them. */
static size_t word_bytes(const char *p)
{
    size_t n = 0;
    while (isalpha((unsigned char)p[n]) || (n > 0 && p[n] == '_'))
        n++;
    return n;
}

/* The number or the name behind `algorithm`, wherever that stands; 0: there
   is none. */
static int algorithm_of(const char *text)
{
    for (const char *p = text; p != NULL; p = strchr(p, '\n')) {
        p += strspn(p, " \n");
        size_t n = strspn(p, "aA") == 0 ? 0 : strspn(p, "aAlgorithm");
        const char *number = p + n + strspn(p + n, " =:");
        if (n < 3 || number == p + n)
            continue;
        if (isdigit((unsigned char)*number))
            return number_in(number, strspn(number, "0123456789"));
        if (word_bytes(number) > 0)
            return algorithm_named(number, word_bytes(number));
    }
    return 0;
}

static const struct {
    const char *word;
    Part part;
    Aspect aspect;
} prefixes[] = {
    { "layer", LAYER,   VALUE },    { "enc",  ENC,     VALUE },
    { "dec",   DEC,     VALUE },    { "ed",   ED,      VALUE },
    { "grad",  NOWHERE, GRADIENT }, { "new",  NOWHERE, NEW },
    { "i",     NOWHERE, VALUE },    { "n",    NOWHERE, VALUE },
};

static bool read_prefix(const char *word, size_t n, Item *item)
{
    size_t k = 0, letters = 0, all = sizeof prefixes / sizeof *prefixes;
    while (letters < n && isalpha((unsigned char)word[letters]))
        letters++;
    while (k < all && (strlen(prefixes[k].word) != letters
                       || strncmp(prefixes[k].word, word, letters) != 0))
        k++;
    bool counts = k < all && prefixes[k].aspect == VALUE;
    size_t digits = counts ? strspn(word + letters, "0123456789") : 0;
    if (k == all || letters + digits != n)
        return false;
    if (prefixes[k].part != NOWHERE) {
        item->part = prefixes[k].part;
        item->layer = number_in(word, n);
    } else if (prefixes[k].aspect != VALUE)
        item->aspect = prefixes[k].aspect;
    else
        item->turn = number_in(word, n);
    return true;
}

static void name_of(const char *typed, Item *item, int algorithm)
{
    const char *p = typed;
    item->name = NULL;
    for (size_t n; p[n = strcspn(p, ".")] == '.'; p += n + 1)
        if (!read_prefix(p, n, item))
            return;
    item->name = spelled(p, true, algorithm);
    if (item->name == NULL) {
        item->name = spelled(p, false, algorithm);
        item->head = number_in(p, strlen(p));
    }
}

enum { DEEPEST = 10 };          /* what is open in a matrix */
#define DIGITS "0123456789"

typedef struct {
    Error *error;
    const char *text, *p;       /* the whole; what comes next             */
    int algorithm;              /* of the sheet; 0: not known             */
    Arena *arena;
    Item *item;                 /* the item that is being read            */
    Entry *free;                /* where the next entry goes              */
    double percent, factor;     /* 0.01 behind its name, or 1; before it  */
    bool comma;                 /* it may stand for a decimal point       */
    int in_row, before;         /* entries so far; rows before a bracket  */
    const char *end;            /* behind the last entry                  */
    int commas, ands, bars;     /* between the entries, since then        */
    char open[DEEPEST];         /* what closes what is open ...           */
    int depth, opened;          /* ... its depth, the first one's place   */
    int level;                  /* the depth of rows; -1: not yet known   */
    bool whole;                 /* no entry can follow                    */
    char row_end;               /* ; or \n: how the last row ended ...    */
    bool in_line, by_line;      /* ... and how rows have ended            */
    int rules, last_rule;       /* how many, below how many rows          */
    bool headed;                /* there is one below the first row       */
    const char *tight;          /* a comma without blanks; NULL: none     */
    bool parted, spaced;        /* by commas, and by blanks, in this row  */
    bool grouped;               /* a number may be one as in 1,234.5      */
    bool thousands, decimals;   /* there is 1,234; and 0,5 or 1,25        */
    bool whole_numbers;         /* an array is of a type of these         */
    int plain;                  /* an entry without %; 0: none            */
    bool some_percent;          /* an entry has one                       */
} Reader;

static int at(const Reader *r)
{
    return (int)(r->p - r->text);
}

static bool ends_line(const char *p)
{
    return *p == '\n' || *p == '\0' || *p == '#';
}

static const char *behind_word(const char *p, const char *words)
{
    size_t n = 0;
    for (; !ends_line(p) && (n = begin_of(p, words)) == 0; p++)
        ;
    return n > 0 ? p + n : NULL;
}

_Noreturn static void wrong_word(const Reader *r, const char *wrong)
{
    int n = (int)strcspn(r->p, " \n,;&|[]#=");
    for (n = n < 40 ? n : 40; ((unsigned char)r->p[n] & 0xC0) == 0x80; n--)
        ;
    if (n == 0)
        fail_in_text(r->error, at(r), "%s.", wrong);
    fail_in_text(r->error, at(r), "at '%.*s': %s.", n, r->p, wrong);
}

static void refuse_what_is_known(const Reader *r)
{
    static const struct { const char *words, *sentence; } known[] = {
        { "... … ⋯ ⋮ ⋱ \\dots \\ldots \\cdots \\vdots \\ddots",
          "dots leave something out here; type every entry" },
        { "' ^T ^{T} ^\\top ^{\\top} ᵀ ⊤ .T",
          "this transposes; type the matrix as it is afterwards" },
        { "dtype: Name: Length:",
          "this comes from a Series, whose first column are labels; leave "
          "both out" },
        { "#DIV/0! #N/A #REF! #VALUE! #NAME? #NUM! #NULL! #ERROR! #INF "
          "#IND #QNAN", "this is an error of a program, and no comment; "
          "type a number" },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (begin_of(r->p, known[k].words) > 0)
            wrong_word(r, known[k].sentence);
}

static size_t blank_bytes(const char *p)  /* how many bytes of nothing */
{
    if (*p == ' ' || isalnum((unsigned char)*p))
        return *p == ' ';
    if (begins(p, "\\ "))
        return 2;
    size_t n = begin_of(p, "\\left \\right \\bigl \\bigr \\Bigl \\Bigr "
                        "\\biggl \\biggr \\big \\Big");
    if (n > 0 && begin_of(p + n, "( ) [ ] { | . \\{ \\} \\| "
                          "\\lbrack \\rbrack") > 0)
        return n + begin_of(p + n, "( ) [ ] { | . \\{ \\} \\| "
                            "\\lbrack \\rbrack");
    return begin_of(p,
                    ", & | $ \" " THIN " \\, \\; \\: \\! \\( \\) \\[ \\] "
                    "\\quad \\qquad \\hfill \\displaystyle \\phantom{-} "
                    "\\hphantom{-} \\pmatrix \\bmatrix");
}

static void skip_blanks(Reader *r)
{
    for (size_t n; (n = blank_bytes(r->p)) > 0; r->p += n) {
        bool thin = begin_of(r->p, THIN " \\,") > 0 && r->p > r->text;
        if (thin && isdigit((unsigned char)r->p[-1])
            && isdigit((unsigned char)r->p[n]))
            fail_in_text(r->error, at(r),
                         "a thin space between two digits may "
                         "part thousands or entries; type nothing, or a "
                         "blank.");
        r->commas += *r->p == ',';
        r->ands += *r->p == '&';
        r->bars += *r->p == '|';
    }
}

static void forget_blanks(Reader *r)
{
    r->commas = r->ands = r->bars = 0;
}

static bool starts_name(const char *p)
{
    unsigned char c = (unsigned char)*p;
    return isalpha(c) || c >= 0x80 || c == '\\';
}

static const char *after_name(const char *p)
{
    unsigned char c = (unsigned char)*p;
    if (!starts_name(p))
        return p;
    while (isalnum(c = (unsigned char)*p) || c >= 0x80
           || (c != '\0' && strchr("_^~{}\\", c) != NULL)
           || (c == '.' && starts_name(p + 1)))
        p++;
    return p;
}

static char *copied_text(Arena *arena, const char *from, const char *to)
{
    size_t n = (size_t)(to - from);
    char *copy = memcpy(arena_alloc(arena, n + 1), from, n);
    copy[n] = '\0';
    return copy;
}

static const char *after_equals(const char *p)      /* NULL: none */
{
    p += strspn(p, " ");
    return *p == '=' ? p + 1 : begins(p, ":=") ? p + 2 : NULL;
}

/* "10.6 ": behind it; or p. */
static const char *after_place(const char *p, Item *item)
{
    size_t n = strspn(p, "0123456789"),
           m = p[n] == '.' ? strspn(p + n + 1, "0123456789") : 0;
    if (n == 0 || m == 0)
        return p;
    item->algorithm = number_in(p, n);
    item->line = number_in(p + n + 1, m);
    p += n + 1 + m;
    return p + strspn(p, " ");
}

static bool starts_item(const char *line, int algorithm)
{
    char word[32];
    Item item = { .name = NULL };
    const char *p = after_place(line + strspn(line, " $"), &item),
               *end = after_name(p);
    if (end == p || after_equals(end) != NULL)
        return end != p;
    if (end - p >= (int)sizeof word
        || (blank_bytes(end) == 0 && !ends_line(end)))
        return false;
    snprintf(word, sizeof word, "%.*s", (int)(end - p), p);
    name_of(word, &item, algorithm);
    return strcmp(word, "claim") == 0
        || (item.name != NULL && item.head == 0
            && is_key(item.name, false));
}

static bool counts_up(const Entry *entry, int n, int stride)
{
    bool up = entry->value == 0 || entry->value == 1;
    for (int k = 0; k < n; k++)
        up &= entry[k * stride].value == entry->value + k
           && entry[k * stride].decimals == 0;
    return up;
}

static void refuse_length(const Reader *r, int n)
{
    const Item *item = r->item;
    bool labels = r->by_line && item->rows == 1 && item->cols > 1
               && n == item->cols + 1
               && counts_up(item->entry, item->cols, 1);
    fail_in_text(r->error, r->free[-n].at,
                 "row %d of %s has %d %s, but the row "
                 "above it has %d%s.", item->rows + 1, item->typed, n,
                 n == 1 ? "entry" : "entries", item->cols, !labels ? "" :
                 "; if these are labels, leave that row out, and the first "
                 "column");
}

static void refuse_gap(Reader *r, bool entry)
{
    bool row = r->in_row > 0, gap = r->bars > 1
        || (entry ? r->commas + r->ands > row : r->ands > 0
            || r->commas > 1);
    if (gap && (row || entry))
        wrong_word(r, "an entry is missing before this; type 0, or ? for "
                   "what a claim leaves open");
    forget_blanks(r);
}

static void end_row(Reader *r)
{
    Item *item = r->item;
    int n = r->in_row;
    refuse_gap(r, false);
    if (n > 0 && item->rows > 0 && n != item->cols)
        refuse_length(r, n);
    if (n > 0)
        item->cols = n, item->rows++;
    r->in_row = 0;
}

static const char *after_groups(const char *p)     /* 1,234.5; NULL: none */
{
    size_t n = strspn(p, DIGITS);
    bool three = n >= 1 && n <= 3 && *p != '0', more = true;
    int marks = -1;
    for (p += n; more; marks++) {
        more = begin_of(p, ". ,") > 0 && isdigit((unsigned char)p[1]);
        if (more && !three)
            return NULL;
        n = more ? strspn(p + 1, DIGITS) : 0;
        p += more ? n + 1 : 0;
        three = n == 3;
    }
    return marks >= 2 ? p : NULL;
}

/* A comma that may part thousands, and one that cannot. */
static void note_thousands(Reader *r, const char *number)
{
    size_t whole = strspn(number, DIGITS);
    bool comma = r->comma && number[whole] == ',',
         three = comma && strspn(number + whole + 1, DIGITS) == 3;
    bool thousands = three && whole >= 1 && whole <= 3 && *number != '0';
    r->thousands |= thousands;
    r->decimals |= comma && !thousands;
}

static void refuse_separator(const Reader *r, bool parts)
{
    if (r->comma && parts)
        wrong_word(r, "the comma before this parts entries, and others are "
                   "decimal commas; type points for those");
}

static void see_comma(Reader *r)        /* r->p is where an entry begins */
{
    bool comma = r->p > r->text && r->p[-1] == ',', row = r->in_row > 0;
    bool nested = r->depth > 1 || (r->depth == 1 && r->open[0] == 'c');
    refuse_separator(r, comma || nested);
    if (row && comma && r->p - 1 == r->end && r->tight == NULL)
        r->tight = r->end;
    r->parted = row && (r->parted || r->commas > 0);
    r->spaced = row && (r->spaced || r->commas == 0);
    if (r->parted && r->spaced)
        wrong_word(r, "commas and blanks both stand between the entries of "
                   "this row; type one of them, and ; between rows");
}

static void refuse_misplaced(Reader *r)
{
    bool first = r->level < 0;
    if (first)
        r->level = r->depth;
    if (r->whole)
        wrong_word(r,
                   "nothing can follow a matrix; type it as it is in the "
                   "end");
    if (r->depth != r->level)
        wrong_word(r, "this stands beside a bracket; a matrix has brackets "
                   "around every row, or around none");
    refuse_gap(r, true);
    r->in_line |= r->in_row == 0 && r->row_end == ';';
    r->by_line |= r->in_row == 0 && r->row_end == '\n';
    if (r->in_line && r->by_line)
        wrong_word(r, "some rows end at a ; and some with their line; type "
                   "one row on each line, with blanks between its entries");
    if (r->in_row > 0 && begin_of(r->p, "e+ e- E+ E-") > 0
        && isdigit((unsigned char)r->p[2]))
        wrong_word(r, "this may belong to the number before it; type "
                   "1.5e-3, or (e-3)");
}

static void refuse_doubt(Reader *r, const char *start, const Entry *entry)
{
    const char *end = r->p;
    bool number = entry->decimals != EXACT && entry->value > 0;
    bool bars = start[-1] == '|' && *end == '|' && entry->value < 0;
    r->p = start;
    if (*start == '(' && end[-1] == ')' && number && !r->comma)
        wrong_word(r, "a number alone in parentheses may be meant as "
                   "negative; type it without them");
    if (bars && strchr(" =\n", start[-2]) != NULL
        && (end[1] == ' ' || ends_line(end + 1)))
        wrong_word(r,
                   "this may be an absolute value, or a cell of a table; "
                   "type it without bars");
    r->p = end;
}

static const char *factor_end(const Reader *r)      /* NULL: none */
{
    const char *end = after_times(r->p), *next = end + strspn(end, " ");
    bool first = r->item->rows == 0 && r->in_row == 1 && r->depth == 0;
    return first && end > r->p && begin_of(next, "\n # [ ( { \\") > 0 ? end
         : NULL;
}

static bool separates(const char *p)
{
    return ends_line(p) || blank_bytes(p) > 0
        || begin_of(p, ROW_ENDS " [ ] ) } > \\end \\begin") > 0;
}

static void scale_and_quote(Reader *r, Entry *entry, const char *start)
{
    enum { ENOUGH = 40 };
    bool percent = r->p[-1] == '%', finite = isfinite(entry->value);
    double by = r->factor * (percent ? 1 : r->percent);
    r->some_percent |= percent;
    if (!percent && finite && entry->value != 0 && r->plain == 0)
        r->plain = entry->at;
    entry->typed = start;
    entry->bytes = (int)(r->p - start);
    if (by == 1 || isnan(entry->value))
        return;
    char *typed = arena_alloc(r->arena, ENOUGH);
    scale_entry(entry, by);
    entry->bytes = snprintf(typed, ENOUGH, "%.10g", entry->value);
    entry->typed = typed;
    if (finite && !isfinite(entry->value))
        fail_in_text(r->error, entry->at,
                     "times the factor before the matrix, "
                     "this has no finite value.");
}

static void take_entry(Reader *r)
{
    Entry *entry = r->free;
    const char *start = r->p;
    see_comma(r);
    refuse_misplaced(r);
    entry->at = at(r);
    const char *wrong = read_entry(&r->p, r->comma, entry);
    if (wrong != NULL)
        wrong_word(r, wrong);
    refuse_doubt(r, start, entry);
    const char *number = start + begin_of(start, "- +");
    const char *groups = after_groups(number);
    note_thousands(r, number);
    if (r->comma && groups != NULL) {
        r->p = groups;
        r->grouped = true;
    }
    scale_and_quote(r, entry, start);
    r->free++;
    r->in_row++;
    r->end = r->p;
    if (!separates(r->p) && factor_end(r) == NULL)
        wrong_word(r, "this cannot follow a number; between entries there "
                   "is a blank, within an entry an operator");
}

static bool take_row_end(Reader *r)
{
    size_t n = begin_of(r->p, ROW_ENDS);
    r->p += n;
    if (n > 1 && *r->p == '[' && behind_word(r->p, "]") != NULL)
        r->p = behind_word(r->p, "]");          /* \\[2pt] */
    if (n > 0) {
        end_row(r);
        r->row_end = ';';
    }
    return n > 0;
}

static void take_factor(Reader *r)
{
    const Entry *entry = --r->free;
    const bool per_cent = entry->typed[entry->bytes - 1] == '%';
    r->factor = entry->value / (per_cent ? 1 : r->percent);
    if (!isfinite(r->factor) || r->factor == 0)
        fail_in_text(r->error, r->free->at,
                     "a factor is a finite number other "
                     "than 0.");
    r->in_row = r->plain = 0;
    r->level = -1;
    forget_blanks(r);
}

static bool take_sign_of_factor(Reader *r)
{
    const char *end = factor_end(r);
    if (end != NULL) {
        take_factor(r);
        r->p = end;
    }
    return end != NULL;
}

static size_t call_bytes(const char *p)
{
    size_t n = begin_of(p, "np. jnp. numpy. torch. tf. sympy. sp.");
    size_t m =
        begin_of(p + n, "array( asarray( Array( DeviceArray( tensor( "
        "as_tensor( Tensor( FloatTensor( constant( mat( matrix( Matrix(");
    return m > 0 ? n + m : 0;
}

static size_t environment_bytes(const Reader *r)    /* \begin{array}{cc} */
{
    size_t begin = begin_of(r->p, "\\begin{ \\end{");
    size_t n = begin_of(r->p + begin, "array} tabular}"), m = n > 0 ? n
        : begin_of(r->p + begin, "matrix} pmatrix} bmatrix} Bmatrix} "
                   "smallmatrix} matrix*} pmatrix*} bmatrix*} Bmatrix*}");
    const char *end = r->p + begin + m, *columns = NULL;
    if (m == 0)
        wrong_word(r, "expected an environment such as pmatrix");
    if (*end == '{' && n > 0 && begins(r->p, "\\begin"))
        columns = behind_word(end, "}");
    else if (*end == '[' && end[-2] == '*')
        columns = behind_word(end, "]");
    return (size_t)((columns != NULL ? columns : end) - r->p);
}

static bool is_arithmetic(const Reader *r)
{
    const char *p = r->p;
    Entry entry;
    bool nested = *p == '{' && r->depth > 0 && r->open[r->depth - 1] == '}';
    return !nested && (read_entry(&p, r->comma, &entry) == NULL
                       || p == r->p);   /* but it has no finite value */
}

static char closing_of(const Reader *r, size_t *n)    /* 0: opens nothing */
{
    const char *p = r->p;
    const char *tf = begins(p, "<tf.") ? behind_word(p, "numpy=") : NULL;
    if ((*n = begin_of(p, "[ array![ vec![")) > 0)
        return ']';
    if ((*n = tf != NULL ? (size_t)(tf - p) : 0) > 0)
        return '>';
    if ((*n = call_bytes(p)) > 0)
        return 'c';
    if (begins(p, "\\begin{")) {
        *n = environment_bytes(r);
        return 'e';
    }
    *n = 1;
    return (*p != '(' && *p != '{') || is_arithmetic(r) ? '\0'
         : *p == '(' ? ')' : '}';
}

static bool take_opening(Reader *r)
{
    size_t n;
    char closes = closing_of(r, &n);
    if (closes == '\0')
        return false;
    if (r->item->rows == 0 && r->in_row == 1 && r->depth == 0)
        take_factor(r);
    if (r->in_row > 0)
        wrong_word(r, "a bracket opens in the middle of a row; an item is "
                   "one matrix, with its rows in brackets or none");
    if (r->whole || (r->level >= 0 && r->depth != r->level - 1))
        wrong_word(r,
                   "a second matrix begins here; type each as an item of "
                   "its own");
    if (r->depth == DEEPEST)
        wrong_word(r, "brackets are more than ten deep");
    refuse_separator(r, r->p[-1] == ',');
    if (r->depth == 0)
        r->opened = at(r);
    r->open[r->depth++] = closes;
    r->before = r->item->rows;
    r->p += n;
    r->row_end = '\0';
    forget_blanks(r);
    return true;
}

static bool take_closing(Reader *r)
{
    bool end = begins(r->p, "\\end{");
    if (!end && begin_of(r->p, ") ] } >") == 0)
        return false;
    if (r->depth == 0)
        fail_in_text(r->error, at(r), end ? "this \\end has no \\begin."
                     : "this %c closes nothing.", *r->p);
    char due = r->open[r->depth - 1];
    if (end ? due != 'e' : *r->p != (due == 'c' ? ')' : due))
        wrong_word(r, "this does not close what was opened last");
    end_row(r);
    r->p += end ? environment_bytes(r) : 1;
    r->whole |= r->depth < r->level || due == 'c' || due == 'e'
             || r->item->rows > r->before + 1;
    r->depth--;
    return true;
}

static bool take_arguments(Reader *r)       /* , dtype=float64 */
{
    const char *p = r->p + strspn(r->p, " ,\n"), *end = p;
    int depth = 0;
    while (isalpha((unsigned char)*end) || *end == '_')
        end++;
    if (r->depth == 0 || r->open[r->depth - 1] != 'c' || end == p
        || *end != '=')
        return false;
    for (; *end != '\0' && strchr(";[]{}#", *end) == NULL; end++)
        if (*end == ')' && depth-- == 0)
            break;
        else
            depth += *end == '(';
    if (*end == ')')
        for (; p < end; p++)
            r->whole_numbers |=
                begin_of(p, "int long short bool ='i ='u") > 0;
    r->p = end;
    if (*end != ')')
        wrong_word(r, "expected the ) that closes the array");
    return true;
}

static bool take_label(Reader *r)           /* [,1] or [1,] or [1] 0.5 */
{
    const char *p = r->p;
    size_t column = begins(p, "[,"), n = strspn(p + 1 + column, DIGITS);
    size_t row = n > 0 && p[1 + n] == ',';
    const char *end = p + 1 + n + column + row, *next = end + 1;
    bool first = begins(p, "[1] ");
    if (*p != '[' || r->depth > 0 || n == 0 || *end != ']'
        || column + row + first != 1)
        return false;
    next += strspn(next, " ");
    if (first && !isdigit((unsigned char)*next)
        && begin_of(next, "+ - .") == 0)
        return false;
    r->p = end + 1;
    return true;
}

static bool take_heading(Reader *r)
{
    bool first = r->item->rows == 0 && r->in_row == 0 && r->depth == 0;
    if (!first || behind_word(r->p, "containing: Vector{ Matrix{ Array{ "
                              "logical single Diagonal") == NULL)
        return false;
    r->p += strcspn(r->p, "\n#");
    return true;
}

static void see_rule(Reader *r)
{
    int rows = r->item->rows;
    r->rules += rows != r->last_rule;
    r->last_rule = rows;
    r->headed |= rows == 1;
}

static bool take_rule(Reader *r)
{
    size_t n = begin_of(r->p, "\\hline \\toprule \\midrule \\bottomrule");
    if (n > 0)
        see_rule(r);
    r->p += n;
    return n > 0;
}

static bool is_rule(const char *line)
{
    size_t n = strspn(line, " |-:+=");
    return ends_line(line + n) && behind_word(line, "- =") != NULL
        && behind_word(line, "| + -- ==") != NULL;
}

/* Does a cell of a table hold a number, in bold type or as code? */
static bool holds_number(const char *cell)
{
    static const char marks[] = " *`_";
    Entry entry;
    cell += strspn(cell, marks);
    return read_entry(&cell, false, &entry) == NULL
        && (ends_line(cell) || strchr(" *`_|", *cell) != NULL);
}

static bool is_head(const char *line)
{
    const char *next = strchr(line, '\n');
    if (behind_word(line, "|") == NULL || next == NULL
        || !is_rule(next + 1))
        return false;
    for (const char *cell = line; cell != NULL;
         cell = behind_word(cell, "|"))
        if (holds_number(cell))
            return false;
    return true;
}

static bool is_number(const Item *item)     /* has no second line */
{
    return !item->claim && is_key(item->name, false)
        && strcmp(item->name, "mask") != 0;
}

static bool after_comma(const Reader *r)
{
    const char *p = r->p;
    while (p > r->text && strchr(" ", p[-1]) != NULL)
        p--;
    return p > r->text && p[-1] == ',';
}

static void end_line(Reader *r)
{
    bool rows = r->depth == 0 || (r->depth == 1 && !after_comma(r)
                                  && strchr("])}", r->open[0]) != NULL);
    if (rows && r->in_row > 0)
        r->row_end = '\n';
    else if (r->row_end == ';')
        r->row_end = '\0';
    if (rows)
        end_row(r);
    r->p += strcspn(r->p, "\n");
}

static bool goes_on(Reader *r)              /* r->p is the end of a line */
{
    bool inside = r->depth > 0;
    end_line(r);
    const char *next = r->p + 1;
    if (*r->p == '\0' || starts_item(next, r->algorithm)) {
        if (inside)
            fail_in_text(r->error, r->opened,
                         "what is opened here is not closed "
                         "before the %s.", *r->p == '\0' ? "end of the sheet"
                                                  : "next item");
        return false;
    }
    const char *first = next + strspn(next, " ");
    bool ends = *first == '\n' || *first == '\0' || is_number(r->item);
    if (!inside && r->item->rows > 0 && ends)
        return false;
    r->p = next;
    bool rule = !inside && is_rule(next);
    if (rule)
        see_rule(r);
    if (rule || (!inside && is_head(next)))
        r->p += strcspn(r->p, "\n");
    return true;
}

static bool has_labels(const Reader *r)
{
    const Item *item = r->item;
    const Entry *entry = item->entry;
    bool labels = r->by_line && r->level == 0 && item->cols > 1
               && (begins(r->text + entry->at + 1, "  ")
                   || entry->typed[entry->bytes - 1] == '.')
               && counts_up(entry, item->rows, item->cols);
    for (int k = 0; labels && k < item->rows * item->cols; k++)
        labels &= k % item->cols == 0 || entry[k].decimals > 0;
    return labels;
}

/* Does the first row number the columns, or name them e and pi? */
static bool has_heading(const Reader *r)
{
    const Item *item = r->item;
    const Entry *entry = item->entry;
    bool numbers = counts_up(entry, item->cols, 1), names = true;
    for (int k = 0; k < item->rows * item->cols; k++)
        if (k >= item->cols)
            numbers &= entry[k].decimals > 0;
        else
            names &= isalpha((unsigned char)*entry[k].typed)
                  && strspn(entry[k].typed, "epi") == (size_t)entry[k].bytes
                  && (k == 0 || entry[k].value != entry->value);
    return r->by_line && r->level == 0 && item->cols > 1 && item->rows > 1
        && (numbers || names);
}

static void refuse_whole(const Reader *r)
{
    const Item *item = r->item;
    int rules = r->rules - (r->last_rule == item->rows);
    if (item->rows == 0)
        fail_in_text(r->error, item->at, "%s has no entries.", item->typed);
    if (r->headed && item->rows > 1 && rules < item->rows)
        fail_in_text(r->error, item->entry->at,
                     "the first row stands above a rule "
                     "and may be a heading; leave out the row, or the rule.");
    if (r->some_percent && r->plain > 0 && r->percent == 1)
        fail_in_text(r->error, r->plain,
                     "this has no %%, but another entry of %s "
                     "has one; type it for all or none.", item->typed);
    if (has_labels(r))
        fail_in_text(r->error, item->entry->at,
                     "the first column counts the rows "
                     "and may be labels; leave it out, or type %.1f for its "
                     "first "
                     "entry.", item->entry->value);
    if (is_number(item) && !r->comma && item->entry->decimals == 3
        && item->entry->value >= 1
        && item->entry->value == round(item->entry->value))
        fail_in_text(r->error, item->entry->at,
                     "this point may part thousands; "
                     "type %.0f or %.0f000.", item->entry->value,
                     item->entry->value);
    if (has_heading(r))
        fail_in_text(r->error, item->entry->at,
                     "the first row may be a heading; "
                     "leave it out, or put the matrix in brackets.");
    for (int k = 0; r->whole_numbers && k < item->rows * item->cols; k++)
        if (item->entry[k].value != round(item->entry[k].value))
            fail_in_text(r->error, item->entry[k].at,
                         "the type of this array cuts "
                         "its decimals off; type what is left.");
}

static void walk(Error *f, void *data)
{
    Reader *r = data;
    r->error = f;
    r->item->rows = r->item->cols = 0;
    r->item->entry = r->free;
    for (bool more = true; more; ) {
        if (take_arguments(r) || take_heading(r))
            continue;
        skip_blanks(r);
        bool digit = isdigit((unsigned char)*r->p);
        if (!digit)
            refuse_what_is_known(r);
        if (ends_line(r->p))
            more = goes_on(r);
        else if (digit || (!take_label(r) && !take_rule(r)
                           && !take_row_end(r) && !take_sign_of_factor(r)
                           && !take_opening(r) && !take_closing(r)))
            take_entry(r);
    }
    refuse_whole(r);
}

static bool reads(Reader *r, const Reader *start, bool comma, Error *inner)
{
    *inner = *start->error;
    *r = *start;
    r->comma = comma;
    bool read = try_work(inner, walk, r);
    r->error = start->error;
    return read;
}

static void read_matrix(Reader *r)
{
    Error as_list, as_decimals;
    const Reader start = { .error = r->error, .text = r->text, .p = r->p,
        .algorithm = r->algorithm,
        .arena = r->arena, .item = r->item, .free = r->free,
        .percent = r->percent, .factor = 1, .level = -1, .last_rule = -1 };
    bool list = reads(r, &start, false, &as_list);
    const Reader first = *r;
    if (first.tight != NULL) {
        bool decimals = reads(r, &start, true, &as_decimals);
        bool thousands = r->grouped || (r->thousands && !r->decimals);
        if (decimals && !list && !thousands)
            return;
        if (decimals && !list)
            fail_in_text(r->error, (int)(first.tight - r->text),
                         "this comma may part thousands or be a decimal "
                         "comma; "
                         "type no comma, or a point.");
        if (decimals)
            fail_in_text(r->error, (int)(first.tight - r->text),
                         "this comma may stand between two entries or for a "
                         "decimal point; type a blank behind it, or a "
                         "point.");
        if (!list && r->p > first.p)
            rethrow(r->error, &as_decimals);
        list = reads(r, &start, false, &as_list);
    }
    if (!list)
        rethrow(r->error, &as_list);
}

static bool read_word(Reader *r)
{
    if (!is_key(r->item->name, true))
        return false;
    skip_blanks(r);
    const char *end = r->p;
    while (isalnum((unsigned char)*end) || *end == '-')
        end++;
    const char *rest = end + strspn(end, " ");
    if (!isalpha((unsigned char)*r->p) || !ends_line(rest))
        return false;
    r->item->word = copied_text(r->arena, r->p, end);
    r->p = rest + strcspn(rest, "\n");
    return true;
}

/* `algorithm attention` is `algorithm 4`. */
static bool read_algorithm(Reader *r)
{
    const char *p = r->p + strspn(r->p, " ");
    size_t n = strcmp(r->item->name, "algorithm") == 0 ? word_bytes(p) : 0;
    if (n == 0)
        return false;
    r->p = p;
    if (algorithm_named(r->p, n) == 0)
        wrong_word(r, "expected 1 ... 15, or a word such as attention, "
                   "multihead, layernorm or softmax");
    *r->free = (Entry){ .value = algorithm_named(r->p, n), .at = at(r),
                        .typed = r->p, .bytes = (int)n };
    r->item->entry = r->free++;
    r->item->rows = r->item->cols = 1;
    r->p += n;
    return true;
}

static bool has_zero(const char *typed)
{
    for (const char *p = typed; *p != '\0'; p++)
        if (*p == '0' && (p == typed || !isdigit((unsigned char)p[-1])))
            return true;
    return false;
}

/* Names that other programs use, and what to type. */
static void refuse_other_name(Reader *r)
{
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
    size_t n = (size_t)(after_name(r->p) - r->p);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (word_in(others[k].names, r->p, n))
            fail_in_text(r->error, at(r), "'%.*s' is not a setting; %s.",
                         (int)n, r->p, others[k].say);
}

_Noreturn static void refuse_spelling(Reader *r)
{
    char wrong[100 + NAMES_BYTES], names[NAMES_BYTES];
    snprintf(wrong, sizeof wrong, "this is no name that a sheet knows; %s",
             r->algorithm < 1 || r->algorithm > 15
             ? "names are written as X, Wq, W_q^1 or bq, and their case "
               "counts" : names_text(names, r->algorithm, r->item->claim));
    wrong_word(r, wrong);
}

static void read_name(Reader *r)
{
    const char *end = after_name(r->p);
    Item *item = r->item;
    item->at = at(r);
    item->typed = copied_text(r->arena, r->p,
                              end - r->p < 30 ? end : r->p + 30);
    if (end - r->p < 30)
        name_of(item->typed, item, r->algorithm);
    if (item->name == NULL)
        refuse_other_name(r);
    if (item->name == NULL)
        refuse_spelling(r);
    if (item->head > SHEET_ITEMS || item->layer > SHEET_ITEMS)
        wrong_word(r, "the number of this head or layer is too large");
    if (has_zero(item->typed))
        wrong_word(r, "heads and layers are counted from 1");
    r->p = end;
}

static void refuse_twice(const Reader *r, const Sheet *sheet)
{
    const Item *item = r->item;
    for (int k = 0; k < sheet->n; k++) {
        const Item *other = &sheet->item[k];
        if (other->claim == item->claim && other->head == item->head
            && other->part == item->part && other->layer == item->layer
            && other->aspect == item->aspect && other->turn == item->turn
            && other->algorithm == item->algorithm
            && other->line == item->line
            && strcmp(other->name, item->name) == 0)
            fail_in_text(r->error, item->at, "%s is given twice.",
                         item->typed);
    }
}

static const char *after_unit(const char *p, double *unit)
{
    const char *word = p + strspn(p, " ([");
    word += begins(word, "in ") ? strlen("in ") : 0;
    size_t n = begin_of(word, "% \\% percent");
    *unit = n > 0 ? 0.01 : 1;
    return n > 0 ? word + n + strspn(word + n, " )]") : p;
}

static void read_claim(Reader *r)
{
    r->item->claim = true;
    r->p += strlen("claim");
    skip_blanks(r);
    r->p = after_place(r->p, r->item);
    const char *end = after_name(r->p);
    if (end == r->p || !after_equals(after_unit(end, &r->percent)))
        wrong_word(r, "expected a line such as 'claim A = 1/2 1/2'");
}

static void read_item(Reader *r, const Sheet *sheet)
{
    *r->item = (Item){ .claim = false };
    r->percent = 1;
    r->comma = false;
    if (begins(r->p, "claim") && blank_bytes(r->p + strlen("claim")) > 0)
        read_claim(r);
    else
        r->p = after_place(r->p, r->item);
    read_name(r);
    if (r->item->claim)
        r->p = after_unit(r->p, &r->percent);
    const char *value = after_equals(r->p);
    if (value != NULL)
        r->p = value;
    refuse_twice(r, sheet);
    if (r->item->claim || (!read_algorithm(r) && !read_word(r)))
        read_matrix(r);
}

static Sheet *read_items(Error *f, Arena *arena, const char *name,
                         char *text, int algorithm)
{
    size_t n = strlen(text) / 2 + 1;
    Item *item = arena_alloc(arena, SHEET_ITEMS * sizeof *item);
    Reader r = { .error = f, .text = text, .p = text, .arena = arena,
                 .algorithm = algorithm,
                 .free = arena_alloc(arena, n * sizeof(Entry)) };
    Sheet *sheet = arena_alloc(arena, sizeof *sheet);
    *sheet = (Sheet){ .name = name, .text = text, .item = item,
                      .algorithm = algorithm };
    for (; r.p += strspn(r.p, " \n$"), *r.p != '\0'; ) {
        if (*r.p == '#') {
            r.p += strcspn(r.p, "\n");
            continue;
        }
        if (!starts_item(r.p, r.algorithm))
            wrong_word(&r, "expected a line such as 'X = 1 0 ; 0 1' or "
                       "'mask none'");
        if (sheet->n == SHEET_ITEMS)
            fail_in_text(f, at(&r), "a sheet has at most 1000 items.");
        r.item = &item[sheet->n];
        read_item(&r, sheet);
        sheet->commas |= r.comma;
        sheet->n++;
    }
    if (sheet->n == 0)
        fail_with(f, "the sheet is empty.");
    return sheet;
}

typedef struct {
    Arena *arena;
    const char *name;
    char *text;
    int algorithm;
    Sheet *sheet;
} AlgorithmGuess;

static void read_as(Error *f, void *data)
{
    AlgorithmGuess *i = data;
    i->sheet = read_items(f, i->arena, i->name, i->text, i->algorithm);
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

/* The sheet, as the first algorithm reads it that knows all of its names;
   NULL: none does. */
static Sheet *infer_algorithm(Error *f, Arena *arena, const char *name,
                              char *text)
{
    static const int candidates[] = { 4, 5, 3, 7, 6, 2, 1 };
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++) {
        AlgorithmGuess i = { arena, name, text, candidates[k], NULL };
        Error inner = *f;
        if (try_work(&inner, read_as, &i) && knows_all_names(i.sheet)) {
            i.sheet->inferred = true;
            return i.sheet;
        }
    }
    return NULL;
}

const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Error *f)
{
    f->sheet = name;
    clean_text(text, length, f);
    int algorithm = algorithm_of(text);
    Sheet *inferred = algorithm != 0 ? NULL
                    : infer_algorithm(f, arena, name, text);
    return inferred != NULL ? inferred
         : read_items(f, arena, name, text, algorithm);
}
