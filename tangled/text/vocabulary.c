/* The vocabulary of a released model, and how it cuts a text. */
#include "text/vocabulary.h"
#include <string.h>

typedef struct Added {
    int number;
    bool seen;                  /* looked for in the text as it is seen   */
    Piece piece;                /* and it is seen so                      */
} Added;

/* Writes a character as the model sees it, and returns the place behind. */
static char *write_seen(const Cutter *c, char *to, unsigned code)
{
    const Vocabulary *v = c->v;
    unsigned part[3] = { code };
    int is = character_kind(c->u, code), n = 1;
    bool apart = v->ideographs && (is & IS_IDEOGRAPH);
    if (v->clean && (is & IS_REMOVED))
        return to;
    if (v->clean && (is & IS_BLANK))
        part[0] = ' ';
    else if (v->no_marks)
        n = strip_marks(c->u, code, part);
    if (apart)
        *to++ = ' ';
    for (int k = 0; k < n; k++) {
        unsigned small[3] = { part[k] };
        int letters = v->small ? lowercase(c->u, part[k], small) : 1;
        for (int j = 0; j < letters; j++)
            to = write_utf8(to, small[j]);
    }
    if (apart)
        *to++ = ' ';
    return to;
}

/* Returns a text as the model sees it, in the arena. */
static Piece normalise(const Cutter *c, Arena *arena, Piece text)
{
    if (!c->v->words)
        return text;
    char *seen = arena_alloc(arena, 8 * (size_t)text.n + 1), *to = seen;
    for (int at = 0, bytes; at < text.n; at += bytes) {
        bytes = utf8_length(text.at + at, (size_t)(text.n - at));
        to = write_seen(c, to, utf8_code(text.at + at, bytes));
    }
    return (Piece){ seen, (int)(to - seen) };
}

static bool begins_with(Piece piece, const char *text)
{
    size_t n = strlen(text);
    return (size_t)piece.n >= n && memcmp(piece.at, text, n) == 0;
}

static Piece prepend_blank(Arena *arena, Piece piece)
{
    static const char *const close[] = {
        ".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re", NULL,
    };
    if (begins_with(piece, "##"))
        return (Piece){ piece.at + 2, piece.n - 2 };
    for (int k = 0; close[k] != NULL; k++)
        if (begins_with(piece, close[k]))
            return piece;
    char *text = arena_alloc(arena, (size_t)piece.n + 1);
    text[0] = ' ';
    memcpy(text + 1, piece.at, (size_t)piece.n);
    return (Piece){ text, piece.n + 1 };
}

Piece cutter_piece(const Cutter *c, int number, bool shown)
{
    return number >= c->v->n ? (Piece){ "<unused>", 8 }
         : shown ? c->shown[number] : c->v->piece[number];
}

/* Returns whether the piece is one, and new. */
static bool enter_piece(Cutter *c, int k)
{
    Piece piece = c->v->piece[k];
    if (c->v->words)
        for (int i = 0, n; i < piece.n; i += n)
            if ((n = utf8_length(piece.at + i, (size_t)(piece.n - i))) == 0)
                return false;
    if (c->v->how[k] & ALONE)
        return true;
    if (table_find(&c->pieces, piece) != 0)
        return false;
    int number = table_enter(&c->pieces, piece);
    c->pieces.entry[number].first = k;
    c->longest = piece.n > c->longest ? piece.n : c->longest;
    if (piece.n == 1)
        c->byte[(unsigned char)piece.at[0]] = k;
    return true;
}

static bool enter_merge(Cutter *c, int k)
{
    char both[2 * PIECE_BYTES];
    Pair pair = c->v->merge[k];
    Piece left = c->v->piece[pair.left], right = c->v->piece[pair.right];
    memcpy(both, left.at, (size_t)left.n);
    memcpy(both + left.n, right.at, (size_t)right.n);
    int result = table_find(&c->pieces, (Piece){ both, left.n + right.n });
    if (result == 0 || table_find(&c->pairs, pair_key(&pair)) != 0)
        return false;
    int rank = table_enter(&c->pairs, pair_key(&pair));
    c->pairs.entry[rank].first = c->pieces.entry[result].first;
    return true;
}

const Cutter *cutter_new(Arena *arena, const Vocabulary *v)
{
    Cutter *c = arena_alloc(arena, sizeof *c);
    *c = (Cutter){ .v = v, .u = characters_new(arena),
                   .pieces = table_new(arena, 1024),
                   .pairs = table_new(arena, 1024) };
    c->shown = arena_alloc(arena, (size_t)v->n * sizeof *c->shown);
    c->added = arena_alloc(arena, (size_t)v->n * sizeof *c->added);
    memset(c->byte, 0xFF, sizeof c->byte);              /* -1 */
    for (int k = 0; k < v->n; k++) {
        Piece piece = v->piece[k];
        if (!enter_piece(c, k))
            return NULL;
        c->shown[k] = v->words ? prepend_blank(arena, piece) : piece;
        if (v->how[k] & AS_SEEN)
            piece = normalise(c, arena, piece);
        if (v->how[k] & ADDED)
            c->added[c->n_added++] =
                (Added){ k, v->how[k] & AS_SEEN, piece };
    }
    for (int k = 0; k < v->merges; k++)
        if (!enter_merge(c, k))
            return NULL;
    return c;
}

typedef struct {
    const Cutter *c;
    int *number, length;        /* what is given back                     */
    const char *lost;           /* a byte without a piece; or NULL        */
} Cutting;

enum { WORDLIKE = IS_LETTER | IS_NUMBER | IS_BLANK };

/* What the character at p is, of which there are *n bytes. */
static int kind_at(const Cutter *c, const char *p, const char *end, int *n)
{
    *n = utf8_length(p, (size_t)(end - p));
    if (*n == 0) {
        *n = 1;
        return 0;
    }
    return character_kind(c->u, utf8_code(p, *n)) & WORDLIKE;
}

static int short_form(const char *p, const char *end)
{
    static const char *const forms[] = { "'s", "'t", "'re", "'ve", "'m",
                                         "'ll", "'d" };
    for (int k = 0; k < 7; k++)
        if (begins_with((Piece){ p, (int)(end - p) }, forms[k]))
            return (int)strlen(forms[k]);
    return 0;
}

/* The end of a word that begins at p. */
static const char *word_end(const Cutter *c, const char *p, const char *end)
{
    int n, short_bytes = *p == '\'' ? short_form(p, end) : 0;
    if (short_bytes > 0)
        return p + short_bytes;
    const char *q = p + (*p == ' ' && p + 1 < end), *last = p;
    int kind = kind_at(c, q, end, &n), characters = 0;
    if (kind == IS_BLANK)
        q = p;
    for (; q < end && kind_at(c, q, end, &n) == kind; q += n) {
        last = q;
        characters++;
    }
    return kind == IS_BLANK && q < end && characters > 1 ? last : q;
}

static void cut_bytes(Cutting *k, const char *text, size_t n)
{
    const char *end = text + n;
    for (const char *next; text < end && k->lost == NULL; text = next) {
        next = word_end(k->c, text, end);
        int n_new = merge_word(&k->c->pairs, k->c->byte,
                               (Piece){ text, (int)(next - text) },
                               k->number + k->length);
        if (n_new < 0)
            k->lost = text - 1 - n_new;
        else
            k->length += n_new;
    }
}

/* The piece that the n bytes begin with, and its bytes; -1: there is none.
   first: of a word. */
static int longest_piece(const Cutter *c, const char *p, int n, bool first,
                         int *bytes)
{
    char key[2 + PIECE_BYTES] = "##";
    int mark = first ? 0 : 2;
    n = n < c->longest ? n : c->longest;
    memcpy(key + mark, p, (size_t)n);
    for (; n > 0; n--) {
        int found = table_find(&c->pieces, (Piece){ key, mark + n });
        *bytes = n;
        if (found != 0)
            return c->pieces.entry[found].first;
    }
    return -1;
}

static void cut_word(Cutting *k, const char *p, int n, int characters)
{
    int before = k->length, bytes = 0;
    int piece = characters > k->c->v->longest ? -1 : 0;
    for (int at = 0; at < n && piece >= 0; at += bytes) {
        piece = longest_piece(k->c, p + at, n - at, at == 0, &bytes);
        k->number[k->length++] = piece;
    }
    if (piece < 0) {
        k->length = before;
        k->number[k->length++] = k->c->v->unknown;
    }
}

static void cut_words(Cutting *k, const char *text, size_t n)
{
    const char *end = text + n, *word = text;
    int characters = 0;
    for (int bytes; text < end; text += bytes) {
        bytes = utf8_length(text, (size_t)(end - text));
        int is = character_kind(k->c->u, utf8_code(text, bytes));
        if (!(is & (IS_BLANK | IS_PUNCTUATION))) {
            characters++;
            continue;
        }
        cut_word(k, word, (int)(text - word), characters);
        if (is & IS_PUNCTUATION)
            cut_word(k, text, bytes, 1);
        word = text + bytes;
        characters = 0;
    }
    cut_word(k, word, (int)(end - word), characters);
}

/* The added piece at p, or NULL. */
static const Added *find_added(const Cutter *c, bool seen, const char *p,
                               const char *end)
{
    const Added *found = NULL;
    for (const Added *a = c->added; a < c->added + c->n_added; a++)
        if (a->seen == seen && 0 < a->piece.n && a->piece.n <= end - p
            && *a->piece.at == *p
            && memcmp(a->piece.at, p, (size_t)a->piece.n) == 0
            && (found == NULL || a->piece.n > found->piece.n))
            found = a;
    return found;
}

static const char *skip_blanks_back(const Cutter *c, const char *p,
                                    const char *from)
{
    for (const char *q = p; q > from; p = q) {
        int n;
        for (q--; q > from && (*q & 0xC0) == 0x80; q--)
            ;
        if (kind_at(c, q, p, &n) != IS_BLANK || q + n != p)
            break;
    }
    return p;
}

static void cut_normalised(Cutting *k, const char *text, size_t n);

static void cut_at_added(Cutting *k, bool seen, const char *text, size_t n)
{
    const Cutter *c = k->c;
    void (*rest)(Cutting *, const char *, size_t) =
        !seen ? cut_normalised : c->v->words ? cut_words : cut_bytes;
    const char *end = text + n;
    for (const char *p = text; p < end && k->lost == NULL; ) {
        const Added *found = find_added(c, seen, p, end);
        if (found == NULL) {
            p++;
            continue;
        }
        int how = c->v->how[found->number], bytes;
        const char *stop = p + found->piece.n;
        while (how & BLANKS_BEHIND && stop < end
               && kind_at(c, stop, end, &bytes) == IS_BLANK)
            stop += bytes;
        if (how & BLANKS_BEFORE)
            p = skip_blanks_back(c, p, text);
        rest(k, text, (size_t)(p - text));
        k->number[k->length++] = found->number;
        text = p = stop;
    }
    if (k->lost == NULL)
        rest(k, text, (size_t)(end - text));
}

static void cut_normalised(Cutting *k, const char *text, size_t n)
{
    Arena *aside = arena_new();
    Piece seen = normalise(k->c, aside, (Piece){ text, (int)n });
    cut_at_added(k, true, seen.at, (size_t)seen.n);
    arena_free(aside);
}

const char *cut_text(const Cutter *c, const char *text, size_t n,
                     int number[], int *length, size_t *where)
{
    Cutting k = { .c = c, .number = number };
    for (size_t at = 0, bytes; c->v->words && at < n; at += bytes) {
        bytes = (size_t)utf8_length(text + at, n - at);
        *where = at;
        if (bytes == 0)
            return "this byte is not text in UTF-8.";
        if (c->v->no_marks && is_compatibility_ideograph(
                                  utf8_code(text + at, (int)bytes)))
            return "this ideograph is in Unicode a second time; normalise "
                   "the text (NFC), which puts that one.";
    }
    cut_at_added(&k, false, text, n);
    *length = k.lost == NULL ? k.length : 0;
    *where = k.lost == NULL ? n : (size_t)(k.lost - text);
    return k.lost == NULL ? NULL
         : "the vocabulary has no piece for this byte.";
}
