/* Tokenizers: characters, words, byte pairs. */
#include "library/tokens.h"
#include "text/tokenizer.h"
#include <string.h>

enum { WORD_BYTES = 64 };

static bool is_blank(char c)
{
    return c == ' ' || ('\t' <= c && c <= '\r');
}

static int word_length(const char *p, size_t bytes)
{
    int n = 0, most = bytes < WORD_BYTES ? (int)bytes : WORD_BYTES;
    while (n < most && !is_blank(p[n]))
        n++;
    while (n < most && is_blank(p[n]))
        n++;
    return n;
}

static Piece first_piece(TokenKind kind, const char *p, size_t bytes)
{
    return (Piece){ p, kind == CHARACTERS ? utf8_length(p, bytes)
                                          : word_length(p, bytes) };
}

/* Enters and counts the pieces of a text. Returns NULL; or what is wrong, and
   then *where is the place. */
static const char *read_pieces(Table *list, TokenKind kind, const char *text,
                               size_t n, size_t *where)
{
    for (*where = 0; *where < n; ) {
        Piece piece = first_piece(kind, text + *where, n - *where);
        if (piece.n == 0)
            return "this byte is not text in UTF-8.";
        int number = table_enter(list, piece);
        list->entry[number].count++;
        *where += (size_t)piece.n;
    }
    return NULL;
}

enum { BYTES = 256 };

static Tokenizer *tokenizer_new(Arena *arena, TokenKind kind, int merges)
{
    Tokenizer *t = arena_alloc(arena, sizeof *t);
    *t = (Tokenizer){ .kind = kind, .list = table_new(arena, 64), .N_V = 3 };
    if (kind != BYTE_PAIRS)
        return t;
    t->N_V += BYTES;
    size_t n = BYTES + 1 + (size_t)merges;
    char *byte = arena_alloc(arena, BYTES);
    t->piece = arena_alloc(arena, n * sizeof *t->piece);
    for (int b = 0; b < BYTES; b++) {
        byte[b] = (char)b;
        t->byte[b] = b + 1;
        t->piece[b + 1] = (Piece){ &byte[b], 1 };
    }
    return t;
}

static int add_merge(Tokenizer *t, Pair pair)       /* returns the token */
{
    Piece left = t->piece[pair.left], right = t->piece[pair.right];
    char *both = arena_alloc(t->list.arena, (size_t)(left.n + right.n));
    memcpy(both, left.at, (size_t)left.n);
    memcpy(both + left.n, right.at, (size_t)right.n);
    int rank = table_enter(&t->list, pair_key(&pair)), token = BYTES + rank;
    t->list.entry[rank].first = token;
    t->piece[token] = (Piece){ both, left.n + right.n };
    t->N_V = token + 3;
    return token;
}

Piece token_piece(const Tokenizer *t, int token)
{
    int number = token_number(t, token);
    return is_special(t, token) ? (Piece){ "", 0 }
         : t->cutter != NULL ? cutter_piece(t->cutter, number, true)
         : t->piece != NULL ? t->piece[token] : t->list.entry[token].key;
}

static const char *const kind_names[] = {
    "char ", "word ", "bpe ", "numbers ", "byte-level ", "wordpiece ",
};

static const char open_box[] = "\xE2\x90\xA3";          /* U+2423 */

void write_piece(FILE *out, Piece piece)
{
    for (int k = 0, n; k < piece.n; k += n) {
        const char *p = piece.at + k;
        n = utf8_length(p, (size_t)(piece.n - k));
        bool control = n == 2 && p[0] == '\xC2' && p[1] < '\xA0';
        bool box = n == 3 && memcmp(p, open_box, 3) == 0;
        bool plain = n > 1 ? !control && !box
                           : ' ' < *p && *p < 0x7F && *p != '\\';
        n = plain ? n : 1;
        if (plain)
            fwrite(p, 1, (size_t)n, out);
        else if (*p == ' ')
            fputs(open_box, out);
        else if (*p == '\\' || *p == '\n' || *p == '\t')
            fprintf(out, "\\%c", *p == '\n' ? 'n' : *p == '\t' ? 't' : *p);
        else
            fprintf(out, "\\x%02X", (unsigned char)*p);
    }
}

static Piece spell_number(Arena *arena, int number)
{
    enum { SIZE = 12 };         /* of a number, a blank and a 0 */
    char *text = arena_alloc(arena, SIZE);
    return (Piece){ text, snprintf(text, SIZE, "%d ", number) };
}

static Tokenizer *number_tokens(Arena *arena, TokenKind kind, int N_V,
                                const int special[3])
{
    Tokenizer *t = tokenizer_new(arena, kind, 0);
    size_t n = (size_t)N_V + 1;
    t->N_V = N_V;
    t->number = arena_alloc(arena, n * sizeof *t->number);
    t->token = arena_alloc(arena, n * sizeof *t->token);
    memcpy(t->special, special, sizeof t->special);
    if (kind == TOKEN_NUMBERS)
        t->piece = arena_alloc(arena, n * sizeof *t->piece);
    for (int number = 0, next = 1; number < N_V; number++) {
        int v = 0;
        for (int k = 0; k < 3; k++)
            if (special[k] == number)
                v = mask_token(N_V) + k;
        if (v == 0) {
            while (is_special(t, next))
                next++;
            v = next++;
        }
        t->number[v] = number;
        t->token[number] = v;
        if (t->piece != NULL)
            t->piece[v] = spell_number(arena, number);
    }
    return t;
}

int token_number(const Tokenizer *t, int token)
{
    REQUIRE(1 <= token && token <= t->N_V,
            "token ID %d is not in [N_V] = 1 ... %d.", token, t->N_V);
    return t->kind >= TOKEN_NUMBERS ? t->number[token] : token - 1;
}

bool is_special(const Tokenizer *t, int token)
{
    int k = token - mask_token(t->N_V);
    return k >= 0 && (t->kind < TOKEN_NUMBERS || t->special[k] >= 0);
}

Tokens add_special_tokens(const Tokenizer *t, Arena *arena, Tokens x)
{
    Tokens all = with_bos_eos(arena, x, t->N_V);
    bool bos = is_special(t, bos_token(t->N_V));
    bool eos = is_special(t, eos_token(t->N_V));
    return slice(all, bos ? 1 : 2, x.length + 1 + eos);
}

/* How many pieces, merges and added tokens there are; the settings; and
   then a line for each. */
static void save_vocabulary(FILE *out, const Vocabulary *v)
{
    int added = 0;
    for (int k = 0; k < v->n; k++)
        added += v->how[k] != 0;
    fprintf(out, "pieces %d %d %d settings %d %d %d %d %d %d\n", v->n,
            v->merges, added, v->clean, v->ideographs, v->no_marks,
            v->small, v->longest, v->unknown);
    for (int k = 0; k < v->n; k++) {
        write_piece(out, v->piece[k]);
        fputc('\n', out);
    }
    for (int k = 0; k < v->merges; k++)
        fprintf(out, "%d %d\n", v->merge[k].left, v->merge[k].right);
    for (int k = 0; k < v->n; k++)
        if (v->how[k] != 0)
            fprintf(out, "%d %d\n", k, v->how[k]);
}

static void save_numbers(FILE *out, const Tokenizer *t)
{
    fprintf(out, "tokenizer %s%d\nspecial", kind_names[t->kind], t->N_V);
    for (int k = 0; k < 3; k++)
        if (t->special[k] < 0)
            fputs(" none", out);
        else
            fprintf(out, " %d", t->special[k]);
    fputc('\n', out);
    if (t->cutter != NULL)
        save_vocabulary(out, t->cutter->v);
}

typedef struct {
    Table words;                /* count: how often in the text; first:
                                   where its tokens begin              */
    Table pairs;                /* count: how often in the text         */
    int *token;                 /* of all words; a 0 behind each        */
} Merging;

static void count_pairs(Merging *m, const int *word, long long times)
{
    for (; word[1] != 0; word++) {
        Pair pair = { word[0], word[1] };
        int number = table_enter(&m->pairs, pair_key(&pair));
        m->pairs.entry[number].count += times;
    }
}

static void merge_in_word(Merging *m, int k, Pair pair, int merged)
{
    const TableEntry *entry = &m->words.entry[k];
    int *word = m->token + entry->first, n = 0;
    bool found = false;
    for (; word[n] != 0; n++)
        found |= word[n] == pair.left && word[n + 1] == pair.right;
    if (!found)
        return;
    count_pairs(m, word, -entry->count);
    word[merge_pair(word, n, pair, merged)] = 0;
    count_pairs(m, word, entry->count);
}

static bool goes_before(const Table *pairs, int a, int b)
{
    Pair x = pair_at(pairs, a), y = pair_at(pairs, b);
    return x.left < y.left || (x.left == y.left && x.right < y.right);
}

/* The number of the most frequent pair; 0 if there is none. */
static int most_frequent(const Table *pairs)
{
    int best = 0;
    long long count = 0;
    for (int k = 1; k <= pairs->n; k++) {
        long long here = pairs->entry[k].count;
        if (here > count
            || (here == count && best != 0 && goes_before(pairs, k, best))) {
            best = k;
            count = here;
        }
    }
    return best;
}

static void spell_words(Merging *m)
{
    size_t n = 0;
    for (int k = 1; k <= m->words.n; k++)
        n += (size_t)m->words.entry[k].key.n + 1;
    int *to = m->token = arena_alloc(m->words.arena, n * sizeof *to);
    for (int k = 1; k <= m->words.n; k++) {
        TableEntry *entry = &m->words.entry[k];
        entry->first = (int)(to - m->token);
        for (int i = 0; i < entry->key.n; i++)
            *to++ = (unsigned char)entry->key.at[i] + 1;
        *to++ = 0;
        count_pairs(m, m->token + entry->first, entry->count);
    }
}

static const Tokenizer *learn_pairs(Arena *arena, const char *text,
                                    size_t bytes, int merges)
{
    Arena *aside = arena_new();
    Merging m = { .words = table_new(aside, 1024),
                  .pairs = table_new(aside, 1024) };
    size_t where;
    read_pieces(&m.words, WORDS, text, bytes, &where);
    spell_words(&m);
    if ((size_t)merges > bytes)         /* each makes the text shorter */
        merges = (int)bytes;
    Tokenizer *t = tokenizer_new(arena, BYTE_PAIRS, merges);
    while (t->list.n < merges) {
        int pair = most_frequent(&m.pairs);
        if (pair == 0 || m.pairs.entry[pair].count < 2)
            break;
        const Pair both = pair_at(&m.pairs, pair);
        const int merged = add_merge(t, both);
        for (int k = 1; k <= m.words.n; k++)
            merge_in_word(&m, k, both, merged);
    }
    arena_free(aside);
    return t;
}

const char *tokenizer_train(Arena *arena, TokenKind kind, const char *text,
                            size_t n, int merges, const Tokenizer **t,
                            size_t *where)
{
    if (kind == BYTE_PAIRS) {
        *t = learn_pairs(arena, text, n, merges);
        return NULL;
    }
    Tokenizer *learned = tokenizer_new(arena, kind, 0);
    const char *wrong = read_pieces(&learned->list, kind, text, n, where);
    learned->N_V = learned->list.n + 3;
    *t = learned;
    return wrong;
}

typedef struct { const char *p, *end; } Loading;

static int load_number(Loading *l, int most)        /* -1: there is none */
{
    long long number = 0;
    const char *first = l->p;
    while (l->p < l->end && '0' <= *l->p && *l->p <= '9') {
        number = 10 * number + (*l->p++ - '0');
        if (number > most)
            return -1;
    }
    return l->p == first ? -1 : (int)number;
}

static const char *encode_numbers(const Tokenizer *t, const char *text,
                                  size_t n, int id[], int *length,
                                  size_t *where)
{
    for (Loading l = { text, text + n };;) {
        while (l.p < l.end && is_blank(*l.p))
            l.p++;
        *where = (size_t)(l.p - text);
        if (l.p == l.end)
            return NULL;
        int number = load_number(&l, t->N_V - 1);
        if (number < 0)
            return l.p > text + *where ? "there is no token of this number."
                : "expected the numbers of tokens, with blanks between.";
        id[(*length)++] = t->token[number];
    }
}

static const char *encode_pieces(const Tokenizer *t, const char *text,
                                 size_t n, int id[], int *length,
                                 size_t *where)
{
    for (*where = 0; *where < n; ) {
        Piece piece = first_piece(t->kind, text + *where, n - *where);
        if (piece.n == 0)
            return "this byte is not text in UTF-8.";
        if (t->kind == BYTE_PAIRS)
            *length += merge_word(&t->list, t->byte, piece, id + *length);
        else if ((id[(*length)++] = table_find(&t->list, piece)) == 0)
            return t->kind == WORDS ? "there is no token for this word."
                                    : "there is no token for this character.";
        *where += (size_t)piece.n;
    }
    return NULL;
}

const char *encode_text(const Tokenizer *t, Arena *arena, const char *text,
                        size_t n, Tokens *x, size_t *where)
{
    int *id = arena_alloc(arena, (n + 1) * sizeof *id), length = 0;
    const char *wrong =
        t->cutter != NULL ? cut_text(t->cutter, text, n, id, &length, where)
        : (t->kind == TOKEN_NUMBERS ? encode_numbers : encode_pieces)(
              t, text, n, id, &length, where);
    for (int k = 0; t->cutter != NULL && k < length; k++)
        id[k] = t->token[id[k]];
    *x = (Tokens){ length, id };
    return wrong;
}

void write_token(FILE *out, const Tokenizer *t, int token)
{
    static const char *const names[] = { "<mask>", "<bos>", "<eos>" };
    if (t->cutter != NULL)
        write_piece(out, cutter_piece(t->cutter, t->number[token], false));
    else if (!is_special(t, token))
        write_piece(out, token_piece(t, token));
    else
        fputs(names[token - mask_token(t->N_V)], out);
}

void tokenizer_save(FILE *out, const Tokenizer *t)
{
    if (t->kind >= TOKEN_NUMBERS) {
        save_numbers(out, t);
        return;
    }
    fprintf(out, "tokenizer %s%d\n", kind_names[t->kind], t->list.n);
    for (int k = 1; k <= t->list.n; k++) {
        int token = t->kind == BYTE_PAIRS ? BYTES + k : k;
        if (t->kind == BYTE_PAIRS) {
            Pair pair = pair_at(&t->list, k);
            fprintf(out, "%d %d ", pair.left, pair.right);
        }
        write_piece(out, token_piece(t, token));
        fputc('\n', out);
    }
}

static bool accept(Loading *l, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(l->end - l->p) < n || memcmp(l->p, word, n) != 0)
        return false;
    l->p += n;
    return true;
}

/* Reads what the format says: # is a number up to the next of most[], which
   goes to the next of to[]; any other character is itself. */
static bool load_format(Loading *l, const char *format, int to[],
                        const int most[])
{
    for (; *format != '\0'; format++)
        if (*format == '#' ? (*to++ = load_number(l, *most++)) < 0
                           : !accept(l, (char[]){ *format, '\0' }))
            return false;
    return true;
}

static int load_byte(Loading *l)                    /* -1: there is none */
{
    static const char digits[] = "0123456789ABCDEF";
    if (accept(l, open_box))
        return ' ';
    if (*l->p != '\\')
        return (unsigned char)*l->p++;
    if (accept(l, "\\n"))
        return '\n';
    if (accept(l, "\\t"))
        return '\t';
    if (accept(l, "\\\\"))
        return '\\';
    if (l->end - l->p >= 4 && l->p[1] == 'x') {
        const char *high = memchr(digits, l->p[2], 16);
        const char *low = memchr(digits, l->p[3], 16);
        l->p += 4;
        if (high != NULL && low != NULL)
            return 16 * (int)(high - digits) + (int)(low - digits);
    }
    return -1;
}

/* Reads a piece of 1 to room bytes, up to the end of the line, and returns
   how many they are; 0: there is none. */
static int load_piece(Loading *l, char to[], int room)
{
    int n = 0;
    while (l->p < l->end && *l->p != '\n') {
        int byte = load_byte(l);
        if (byte < 0 || n == room)
            return 0;
        to[n++] = (char)byte;
    }
    return n;
}

static bool load_merge(Loading *l, Tokenizer *t)
{
    char bytes[WORD_BYTES];
    int part[2], most = t->N_V - 3;
    if (!load_format(l, "# # ", part, (int[]){ most, most }))
        return false;
    Pair pair = { part[0], part[1] };
    int n = load_piece(l, bytes, WORD_BYTES);
    if (pair.left < 1 || pair.right < 1
        || t->piece[pair.left].n + t->piece[pair.right].n != n
        || table_find(&t->list, pair_key(&pair)) != 0)
        return false;
    add_merge(t, pair);
    return accept(l, "\n");
}

static bool load_entry(Loading *l, Tokenizer *t)
{
    char bytes[WORD_BYTES];
    Piece piece = { bytes, load_piece(l, bytes, WORD_BYTES) };
    if (piece.n == 0 || table_find(&t->list, piece) != 0
        || first_piece(t->kind, bytes, (size_t)piece.n).n != piece.n)
        return false;
    t->N_V = table_enter(&t->list, piece) + 3;
    return accept(l, "\n");
}

/* Reads the lines of the pieces, the merges and the added tokens. */
static bool load_lists(Loading *l, Arena *arena, Vocabulary *v, int added)
{
    char bytes[PIECE_BYTES];
    size_t n = (size_t)v->n;
    Piece *piece = arena_alloc(arena, n * sizeof *piece);
    Pair *merge = arena_alloc(arena, (size_t)v->merges * sizeof *merge);
    unsigned char *how = memset(arena_alloc(arena, n), 0, n);
    int line[2] = { 0 }, last = v->n - 1;
    for (int k = 0; k < v->n; k++) {
        piece[k].n = load_piece(l, bytes, PIECE_BYTES);
        if (piece[k].n == 0 || !accept(l, "\n"))
            return false;
        char *copy = arena_alloc(arena, (size_t)piece[k].n);
        piece[k].at = memcpy(copy, bytes, (size_t)piece[k].n);
    }
    for (int k = 0; k < v->merges; k++) {
        if (!load_format(l, "# #\n", line, (int[]){ last, last }))
            return false;
        merge[k] = (Pair){ line[0], line[1] };
    }
    for (int k = 0; k < added; k++) {
        if (!load_format(l, "# #", line, (int[]){ last, EVERY_WAY })
            || how[line[0]] != 0 || !accept(l, "\n"))
            return false;
        how[line[0]] = (unsigned char)line[1];
    }
    v->piece = piece;
    v->merge = merge;
    v->how = how;
    return true;
}

static const Cutter *load_vocabulary(Loading *l, Arena *arena,
                                     TokenKind kind, int N_V)
{
    int n[9];                   /* three lists, six settings */
    const int most[9] = { N_V, TEXT_BYTES, N_V, 1, 1, 1, 1, TEXT_BYTES, N_V };
    const char *first = l->p;
    if (!load_format(l, "pieces # # # settings # # # # # #", n, most)
        || n[0] == 0 || n[2] > n[0] || n[8] >= n[0]
        || (long long)n[0] + n[1] + n[2] > (l->end - l->p) / 2
        || !accept(l, "\n"))
        return NULL;
    Vocabulary *v = arena_alloc(arena, sizeof *v);
    *v = (Vocabulary){ .words = kind == WORD_PIECES, .n = n[0],
                       .merges = n[1], .clean = n[3], .ideographs = n[4],
                       .no_marks = n[5], .small = n[6], .longest = n[7],
                       .unknown = n[8] };
    if (!load_lists(l, arena, v, n[2]))
        return NULL;
    const Cutter *cutter = cutter_new(arena, v);
    if (cutter == NULL)
        l->p = first;
    return cutter;
}

static Tokenizer *load_numbers(Loading *l, Arena *arena, TokenKind kind,
                               int N_V)
{
    int special[3] = { -1, -1, -1 };
    if (!accept(l, "special"))
        return NULL;
    for (int k = 0; k < 3; k++) {
        if (accept(l, " none"))
            continue;
        special[k] = accept(l, " ") ? load_number(l, N_V - 1) : -1;
        if (special[k] < 0 || (k > 0 && special[k] == special[0])
            || (k > 1 && special[k] == special[1]))
            return NULL;
    }
    if (!accept(l, "\n"))
        return NULL;
    Tokenizer *t = number_tokens(arena, kind, N_V, special);
    if (kind != TOKEN_NUMBERS)
        t->cutter = load_vocabulary(l, arena, kind, N_V);
    return kind == TOKEN_NUMBERS || t->cutter != NULL ? t : NULL;
}

static Tokenizer *load_lines(Loading *l, Arena *arena)
{
    int kind = CHARACTERS;
    if (!accept(l, "tokenizer "))
        return NULL;
    while (!accept(l, kind_names[kind]))
        if (kind++ == WORD_PIECES)
            return NULL;
    int n = load_number(l, TEXT_BYTES);
    if (kind >= TOKEN_NUMBERS)
        return n < 4 || n > TOKEN_LIMIT || !accept(l, "\n") ? NULL
             : load_numbers(l, arena, (TokenKind)kind, n);
    if (n < 0 || n > (l->end - l->p) / 2 || !accept(l, "\n"))
        return NULL;
    Tokenizer *t = tokenizer_new(arena, (TokenKind)kind, n);
    while (t->list.n < n)
        if (!(kind == BYTE_PAIRS ? load_merge : load_entry)(l, t))
            return NULL;
    return t;
}

const Tokenizer *tokenizer_load(Arena *arena, const char **text,
                                const char *end)
{
    Loading l = { *text, end };
    Tokenizer *t = load_lines(&l, arena);
    while (t == NULL && l.p > *text && l.p[-1] != '\n')
        l.p--;
    *text = l.p;
    return t;
}
