/* Reading a sheet: text to items with their names, words and entries. */
#include "sheet/sheet.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const Sheet *read_sheet(Arena *arena, const char *name, Fault *f)
{
    size_t size = SHEET_BYTES + 1;
    char *text = arena_alloc(arena, size + 1);
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : fopen(name, "rb");
    f->sheet = name;
    if (file == NULL)
        fault(f, 0, "cannot be opened: %s.", strerror(errno));
    errno = 0;
    size_t length = fread(text, 1, size, file);
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fault(f, 0, "cannot be read: %s.", strerror(error));
    if (length > SHEET_BYTES)
        fault(f, 0, "is larger than 1 MiB, the most that a sheet may "
              "have.");
    return sheet_of(arena, name, text, (int)length, f);
}

static int character_size(const unsigned char *p, int left) /* 0: none */
{
    bool control = *p < ' ' && (*p < '\t' || *p > '\r');
    if (control || *p == 0x7F)
        return 0;
    return utf8_length((const char *)p, (size_t)left);
}

static void clean_text(char *text, int length, Fault *f)
{
    int to = 0;
    f->text = text;
    for (int n, k = 0; k < length; k += n) {
        const unsigned char *p = (const unsigned char *)text + k;
        if (length >= 2 && p[0] + p[1] == 0xFF + 0xFE && k == 0)
            fault(f, 0, "this is UTF-16; save the sheet as UTF-8.");
        n = character_size(p, length - k);
        if (n == 0)
            fault(f, to, "the byte 0x%02X is no text; a sheet is plain "
                  "text in UTF-8.", *p);
        bool mark = k == 0 && memcmp(p, "\xEF\xBB\xBF", (size_t)n) == 0;
        bool half = *p == '\r' && k + 1 < length && p[1] == '\n';
        if (mark || half)
            continue;
        text[to] = *p == '\r' || *p == '\n' ? '\n' : *p < ' ' ? ' ' : (char)*p;
        memmove(text + to + 1, p + 1, (size_t)n - 1);
        to += n;
    }
    text[to] = '\0';
}

static const struct { const char *name, *spellings; } names[] = {
    { "algorithm", " algorithm Algorithm alg " },
    { "layout",    " layout " },    { "decimals",  " decimals " },
    { "mask",      " mask Mask " }, { "scale",     " scale " },
    { "norm",      " norm " },      { "tied",      " tied " },
    { "positions", " positions " }, { "first",     " first " },
    { "base",      " base " },      { "d_e",       " de " },
    { "ell_max",   " ellmax lmax ℓmax " },
    { "epsilon",   " epsilon varepsilon eps ε ϵ " },
    { "v",         " v " },         { "t",         " t ell ℓ position " },
    { "X",         " X " },         { "Z",         " Z " },
    { "W_q",       " Wq WQ Wquery wquery " },
    { "W_k",       " Wk WK Wkey wkey " },
    { "W_v",       " Wv WV Wvalue wvalue " },
    { "W_o",       " Wo WO " },     { "W_u",       " Wu WU " },
    { "W_e",       " We WE " },     { "W_p",       " Wp WP " },
    { "b_q",       " bq bQ " },     { "b_k",       " bk bK " },
    { "b_v",       " bv bV " },     { "b_o",       " bo bO " },
    { "gamma",     " gamma γ " },   { "beta",      " beta β " },
    { "e",         " e " },         { "e_t",       " et E " },
    { "e_p",       " ep " },
    { "e_hat",     " ehat e^ ê e\xCC\x82 hate " },
    { "Q",         " Q " },         { "K",         " K " },
    { "V",         " V " },         { "S",         " S " },
    { "S_scaled",  " Sscaled " },   { "A",         " A " },
    { "Y",         " Y " },
    { "Vt",        " Vt V~ Ṽ V\xCC\x83 Vtilde tildeV " },
    { "q",         " q " },         { "k_t",       " kt " },
    { "v_t",       " vt " },        { "scores",    " scores " },
    { "alpha_t",   " alphat alpha αt α " },
    { "v_tilde",   " vtilde v~ ṽ v\xCC\x83 tildev " },
    { "m",         " m " },         { "logits",    " logits " },
    { "p",         " p " },
    { "x",         " x " },         { "z",         " z " },
    { "L",         " L " },         { "L_enc",     " Lenc " },
    { "L_dec",     " Ldec " },
    { "gamma_1",   " gamma1 γ1 " }, { "beta_1",    " beta1 β1 " },
    { "gamma_2",   " gamma2 γ2 " }, { "beta_2",    " beta2 β2 " },
    { "gamma_3",   " gamma3 γ3 " }, { "beta_3",    " beta3 β3 " },
    { "gamma_4",   " gamma4 γ4 " }, { "beta_4",    " beta4 β4 " },
    { "gamma_5",   " gamma5 γ5 " }, { "beta_5",    " beta5 β5 " },
    { "W_mlp1",    " Wmlp1 " },     { "b_mlp1",    " bmlp1 " },
    { "W_mlp2",    " Wmlp2 " },     { "b_mlp2",    " bmlp2 " },
    { "W_mlp3",    " Wmlp3 " },     { "b_mlp3",    " bmlp3 " },
    { "W_mlp4",    " Wmlp4 " },     { "b_mlp4",    " bmlp4 " },
    { "W_f",       " Wf WF " },     { "b_f",       " bf bF " },
    { "Xt",        " Xt X~ Xtilde tildeX " },
    { "P",         " P " },         { "loss",      " loss " },
    { "eta",       " eta η " },     { "p_mask",    " pmask " },
    { "u",         " u " },         { "tau",       " tau τ " },
    { "ell_gen",   " ellgen lgen ℓgen " },
    { "xt",        " xt x~ xtilde tildex " },
    { "Tt",        " Tt T~ Ttilde tildeT " },
    { "y",         " y " },         { "x_hat",     " xhat x^ hatx " },
};
static const char keys[] = " algorithm layout decimals mask scale norm "
    "tied positions first base d_e ell_max epsilon v t x z L L_enc L_dec "
    "eta p_mask u tau ell_gen ";

static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; n > 0 && (p = strstr(p, word)) != NULL; p++)
        if (p > list && p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

static int number_in(const char *p, size_t n)   /* SHEET_ITEMS + 1: more */
{
    int number = 0;
    for (size_t k = 0; k < n && number <= SHEET_ITEMS; k++)
        if (isdigit((unsigned char)p[k]))
            number = 10 * number + (p[k] - '0');
    return number <= SHEET_ITEMS ? number : SHEET_ITEMS + 1;
}

static const char *spelled(const char *typed, bool digits)
{
    char plain[32];
    size_t n = 0;
    for (const char *p = typed; *p != '\0' && n < sizeof plain - 1; p++)
        if ((digits || !isdigit((unsigned char)*p))
            && strchr("_{}\\", *p) == NULL && (*p != '^' || p[1] == '\0'))
            plain[n++] = *p;
    plain[n] = '\0';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (listed(names[k].spellings, plain))
            return names[k].name;
    return NULL;
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

static void name_of(const char *typed, Item *item)
{
    const char *p = typed;
    item->name = NULL;
    for (size_t n; p[n = strcspn(p, ".")] == '.'; p += n + 1)
        if (!read_prefix(p, n, item))
            return;
    item->name = spelled(p, true);
    if (item->name == NULL) {
        item->name = spelled(p, false);
        item->head = number_in(p, strlen(p));
    }
}

typedef struct {
    Fault *fault;
    const char *text, *p;       /* the whole; what comes next           */
    Arena *arena;
    Item *item;                 /* the item that is being read          */
    Entry *free;                /* where the next entry goes            */
    int in_row;                 /* the entries in this row so far       */
    int depth, opened;          /* brackets open; the place of the first */
    bool environment, call;     /* in \begin...\end; in array(...)      */
} Reader;

static int at(const Reader *r)
{
    return (int)(r->p - r->text);
}

static bool begins(const char *p, const char *with)
{
    return strncmp(p, with, strlen(with)) == 0;
}

static bool ends_line(const char *p)
{
    return *p == '\n' || *p == '\0' || *p == '#';
}

static size_t latex_blank(const char *p)
{
    static const char *const idle[] = {
        "\\quad", "\\qquad", "\\hline", "\\displaystyle" };
    if (p[1] != '\0' && strchr(",;:! []()", p[1]) != NULL)
        return 2;
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
        if (begins(p, idle[k]))
            return strlen(idle[k]);
    size_t n = begins(p, "\\left") ? 5 : begins(p, "\\right") ? 6 : 0;
    if (n > 0 && p[n] == '\\' && p[n + 1] != '\0')
        return n + 2;
    return n > 0 && p[n] != '\0' && strchr("([{|.)]}", p[n]) ? n + 1 : 0;
}

static size_t blank_bytes(const char *p)  /* how many bytes of nothing */
{
    if (*p == '\0' || *p == '\n')
        return 0;
    if (strchr(" ,&|$", *p) != NULL)
        return 1;
    if (begins(p, "\xC2\xA0"))              /* one that does not break */
        return 2;
    return *p == '\\' ? latex_blank(p) : 0;
}

static void skip_blanks(Reader *r)
{
    for (size_t n; (n = blank_bytes(r->p)) > 0; r->p += n)
        ;
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

static bool starts_item(const char *line)
{
    char word[32];
    Item item = { .name = NULL };
    const char *p = line + strspn(line, " $"), *end = after_name(p);
    if (end == p || end - p >= (int)sizeof word)
        return end != p && after_equals(end) != NULL;
    snprintf(word, sizeof word, "%.*s", (int)(end - p), p);
    name_of(word, &item);
    bool key = strcmp(word, "claim") == 0
            || (item.name != NULL && item.head == 0
                && listed(keys, item.name));
    return after_equals(end) != NULL
        || (key && (blank_bytes(end) > 0 || ends_line(end)));
}

static void end_row(Reader *r)
{
    Item *item = r->item;
    int n = r->in_row, first = n > 0 ? r->free[-n].at : 0;
    if (n == 0)
        return;
    if (item->rows > 0 && n != item->cols)
        fault(r->fault, first, "row %d of %s has %d %s, but the row above "
              "it has %d.", item->rows + 1, item->typed, n,
              n == 1 ? "entry" : "entries", item->cols);
    item->cols = n;
    item->rows++;
    r->in_row = 0;
}

_Noreturn static void wrong_word(const Reader *r, const char *wrong)
{
    int n = (int)strcspn(r->p, " \n,;&|[]#=");
    for (n = n < 40 ? n : 40; ((unsigned char)r->p[n] & 0xC0) == 0x80; n--)
        ;
    if (n == 0)
        fault(r->fault, at(r), "%s.", wrong);
    fault(r->fault, at(r), "at '%.*s': %s.", n, r->p, wrong);
}

static bool separates(const char *p)
{
    return ends_line(p) || strchr(";[]", *p) != NULL || blank_bytes(p) > 0
        || begins(p, "\\\\") || begins(p, "\\end");
}

static void take_entry(Reader *r)
{
    Entry *entry = r->free;
    entry->at = at(r);
    const char *wrong = read_entry(&r->p, entry);
    if (wrong != NULL)
        wrong_word(r, wrong);
    if (!separates(r->p))
        wrong_word(r, "this cannot follow a number; between entries there "
                   "is a blank, within an entry an operator");
    r->free++;
    r->in_row++;
}

static bool take_row_end(Reader *r)
{
    if (*r->p == ';')
        r->p++;
    else if (begins(r->p, "\\\\"))
        r->p += 2;
    else
        return false;
    if (r->environment && *r->p == '[')     /* \\[2pt] */
        r->p += strcspn(r->p, "]\n");
    if (r->environment && *r->p == ']')
        r->p++;
    end_row(r);
    return true;
}

static void close_call(Reader *r)           /* , dtype=float64) */
{
    r->p += strspn(r->p, " \n,.:=<>'\"_0123456789"
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (*r->p != ')')
        wrong_word(r, "expected the ) that closes the array");
    r->p++;
    r->call = false;
}

static bool take_bracket(Reader *r)
{
    if (*r->p != '[' && *r->p != ']')
        return false;
    end_row(r);
    if (*r->p == '[' && r->depth == 2)
        fault(r->fault, at(r), "brackets are three deep; a matrix has rows "
              "and entries, so two are enough.");
    if (*r->p == ']' && r->depth == 0)
        fault(r->fault, at(r), "this ] closes nothing.");
    if (*r->p == '[' && r->depth == 0)
        r->opened = at(r);
    r->depth += *r->p++ == '[' ? 1 : -1;
    if (r->depth == 0 && r->call)
        close_call(r);
    return true;
}

static bool take_environment(Reader *r)
{
    bool begin = begins(r->p, "\\begin{");
    if (!begin && !begins(r->p, "\\end{"))
        return false;
    if (begin == r->environment)
        fault(r->fault, at(r), begin ? "one environment is inside another."
              : "this \\end has no \\begin.");
    if (begin)
        r->opened = at(r);
    const char *name = r->p + strcspn(r->p, "{") + 1;
    size_t n = strcspn(name, "}\n");
    bool array = n == 5 && begins(name, "array");
    if (name[n] != '}' || !(array || (n >= 6
                                      && begins(name + n - 6, "matrix"))))
        wrong_word(r, "expected an environment such as pmatrix");
    r->p = name + n + 1;
    if (begin && array && *r->p == '{')     /* \begin{array}{cc} */
        r->p += strcspn(r->p, "}\n");
    if (begin && array && *r->p == '}')
        r->p++;
    end_row(r);
    r->environment = begin;
    return true;
}

static void open_call(Reader *r)            /* np.array( */
{
    const char *p = r->p;
    while (isalpha((unsigned char)*p) || *p == '.' || *p == '_')
        p++;
    if (*p == '(' && p - r->p >= 5
        && (begins(p - 5, "array") || begins(p - 5, "ensor")
            || begins(p - 5, "atrix"))) {
        r->p = p + 1;
        r->call = true;
    }
}

static bool is_rule(const char *line)
{
    size_t n = strspn(line, " |-:+");
    return ends_line(line + n) && memchr(line, '-', n) != NULL
        && (memchr(line, '|', n) != NULL || memchr(line, '+', n) != NULL);
}

static bool is_head(const char *line)
{
    const char *next = strchr(line, '\n');
    Entry entry;
    if (line[strspn(line, " ")] != '|' || next == NULL
        || !is_rule(next + 1))
        return false;
    for (size_t n; (n = blank_bytes(line)) > 0; line += n)
        ;
    return ends_line(line) || read_entry(&line, &entry) != NULL;
}

static bool is_number(const Item *item)     /* has no second line */
{
    return !item->claim && listed(keys, item->name)
        && strcmp(item->name, "mask") != 0;
}

static bool after_comma(const Reader *r)
{
    const char *p = r->p;
    while (p > r->text && strchr(" ", p[-1]) != NULL)
        p--;
    return p > r->text && p[-1] == ',';
}

static bool goes_on(Reader *r)              /* r->p is the end of a line */
{
    bool inside = r->depth > 0 || r->environment || r->call;
    if (!inside || (r->depth == 1 && !r->environment && !r->call
                    && !after_comma(r)))
        end_row(r);
    r->p += strcspn(r->p, "\n");
    const char *next = r->p + 1;
    if (*r->p == '\0' || starts_item(next)) {
        if (inside)
            fault(r->fault, r->opened, "what is opened here is not closed "
                  "before the %s.", *r->p == '\0' ? "end of the sheet"
                                                  : "next item");
        return false;
    }
    const char *first = next + strspn(next, " ");
    bool ends = *first == '\n' || *first == '\0' || is_number(r->item);
    if (!inside && r->item->rows > 0 && ends)
        return false;
    r->p = next;
    if (!inside && (is_rule(next) || is_head(next)))
        r->p += strcspn(r->p, "\n");
    return true;
}

static void read_matrix(Reader *r)
{
    Item *item = r->item;
    item->entry = r->free;
    r->in_row = r->depth = 0;
    r->environment = r->call = false;
    skip_blanks(r);
    r->opened = at(r);
    open_call(r);
    for (;;) {
        skip_blanks(r);
        if (ends_line(r->p)) {
            if (!goes_on(r))
                break;
        } else if (!take_row_end(r) && !take_bracket(r)
                   && !take_environment(r)) {
            take_entry(r);
        }
    }
    if (item->rows == 0)
        fault(r->fault, item->at, "%s has no entries.", item->typed);
}

static bool takes_word(const char *name)
{
    return listed(" layout mask scale norm tied positions ", name);
}

static bool read_word(Reader *r)
{
    skip_blanks(r);
    const char *end = r->p;
    while (isalnum((unsigned char)*end) || *end == '-')
        end++;
    const char *rest = end + strspn(end, " ");
    if (!takes_word(r->item->name) || !isalpha((unsigned char)*r->p)
        || !ends_line(rest))
        return false;
    r->item->word = copied_text(r->arena, r->p, end);
    r->p = rest + strcspn(rest, "\n");
    return true;
}

static bool has_zero(const char *typed)
{
    for (const char *p = typed; *p != '\0'; p++)
        if (*p == '0' && (p == typed || !isdigit((unsigned char)p[-1])))
            return true;
    return false;
}

static void read_name(Reader *r)
{
    const char *end = after_name(r->p);
    Item *item = r->item;
    item->at = at(r);
    item->typed = copied_text(r->arena, r->p,
                              end - r->p < 30 ? end : r->p + 30);
    if (end - r->p < 30)
        name_of(item->typed, item);
    if (item->name == NULL)
        wrong_word(r, "this is no name that a sheet knows; names are "
                   "written as X, Wq, W_q^1 or bq, and their case counts");
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
            fault(r->fault, item->at, "%s is given twice.", item->typed);
    }
}

static void read_claim(Reader *r)
{
    r->item->claim = true;
    r->p += strlen("claim");
    skip_blanks(r);
    size_t n = strspn(r->p, "0123456789"),
           m = r->p[n] == '.' ? strspn(r->p + n + 1, "0123456789") : 0;
    if (n > 0 && m > 0) {
        r->item->algorithm = number_in(r->p, n);
        r->item->line = number_in(r->p + n + 1, m);
        r->p += n + 1 + m;
        skip_blanks(r);
    }
    if (after_name(r->p) == r->p || !after_equals(after_name(r->p)))
        wrong_word(r, "expected a line such as 'claim A = 1/2 1/2'");
}

static void read_item(Reader *r, const Sheet *sheet)
{
    *r->item = (Item){ .claim = false };
    if (begins(r->p, "claim") && blank_bytes(r->p + strlen("claim")) > 0)
        read_claim(r);
    read_name(r);
    const char *value = after_equals(r->p);
    if (value != NULL)
        r->p = value;
    refuse_twice(r, sheet);
    if (r->item->claim || !read_word(r))
        read_matrix(r);
}

const Sheet *sheet_of(Arena *arena, const char *name, char *text,
                      int length, Fault *f)
{
    f->sheet = name;
    clean_text(text, length, f);
    size_t n = strlen(text) / 2 + 1;
    Item *item = arena_alloc(arena, SHEET_ITEMS * sizeof *item);
    Reader r = { .fault = f, .text = text, .p = text, .arena = arena,
                 .free = arena_alloc(arena, n * sizeof(Entry)) };
    Sheet *sheet = arena_alloc(arena, sizeof *sheet);
    *sheet = (Sheet){ name, text, 0, item };
    for (; r.p += strspn(r.p, " \n$"), *r.p != '\0'; ) {
        if (*r.p == '#') {
            r.p += strcspn(r.p, "\n");
            continue;
        }
        if (!starts_item(r.p))
            wrong_word(&r, "expected a line such as 'X = 1 0 ; 0 1' or "
                       "'mask none'");
        if (sheet->n == SHEET_ITEMS)
            fault(f, at(&r), "a sheet has at most 1000 items.");
        r.item = &item[sheet->n];
        read_item(&r, sheet);
        sheet->n++;
    }
    if (sheet->n == 0)
        fault(f, 0, "the sheet is empty.");
    return sheet;
}

