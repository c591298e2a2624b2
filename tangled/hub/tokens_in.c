/* The tokens of a released model, from its files. */
#include "hub/hub.h"
#include <math.h>
#include <string.h>

typedef struct { const char *file, *text; int at; } Origin;

typedef struct {
    Arena *arena;
    Error *error;
    const char *folder;
    int N_V;
    Vocabulary v;
    Piece *piece;               /* piece[0] ... piece[N_V - 1]            */
    unsigned char *how;
    Origin *spot;               /* where each stands                      */
    Pair *merge;
    Origin *merge_spot;
    int room;                   /* for merges                             */
    const Json *vocabulary;     /* GPT-2's: names, and their numbers      */
    const char *marked[3];      /* mask_token, bos_token, eos_token       */
} TokenReader;

_Noreturn static void spot_error(const TokenReader *r, Origin spot,
                                 const char *sentence)
{
    r->error->sheet = spot.file;
    r->error->text = spot.text;
    fail_in_text(r->error, spot.at, "%s", sentence);
}

static Origin spot_of(const TokenReader *r, int at)
{
    return (Origin){ r->error->sheet, r->error->text, at };
}

_Noreturn static void json_error(const TokenReader *r, const Json *at,
                                 const char *name, const char *expected)
{
    fail_in_text(r->error, at->at, "%s must be %s.", name, expected);
}

static const Json *token_member(const Json *object, const char *name)
{
    const Json *member = json_member(object, name);
    return member != NULL && member->kind == JSON_NULL ? NULL : member;
}

static bool token_flag(const TokenReader *r, const Json *object,
                       const char *name, bool otherwise)
{
    const Json *member = token_member(object, name);
    if (member == NULL)
        return otherwise;
    if (member->kind != JSON_TRUE && member->kind != JSON_FALSE)
        json_error(r, member, name, "true or false");
    return member->kind == JSON_TRUE;
}

/* What ftx cannot do otherwise. */
static void demand_setting(const TokenReader *r, const Json *object,
                           const char *name, bool wanted)
{
    if (token_flag(r, object, name, wanted) != wanted)
        fail_in_text(r->error, token_member(object, name)->at,
                     "%s is %s; ftx knows nothing but %s there.", name,
                     wanted ? "false" : "true", wanted ? "true" : "false");
}

static int piece_number(const TokenReader *r, const Json *number,
                        const char *whose, int n)
{
    double x = number->kind == JSON_NUMBER ? number->number : -1;
    if (!(0 <= x && x < r->N_V) || x != floor(x))
        fail_in_text(r->error, number->at,
                     "the number of \"%s\" must be a whole "
                     "number from 0 to %d; vocab_size is %d.",
                     in_a_line(r->arena, whose, n), r->N_V - 1, r->N_V);
    return (int)x;
}

unsigned sign_of_byte(int byte)
{
    bool seen = ('!' <= byte && byte <= '~') || (0xA1 <= byte
                                                 && byte != 0xAD);
    int unseen = byte <= ' ' ? byte : byte <= 0xA0 ? byte - 0x7F + 33 : 67;
    return (unsigned)(seen ? byte : 256 + unseen);
}

static int byte_of_sign(unsigned sign)          /* -1: it is none */
{
    for (int byte = 0; byte < 256; byte++)
        if (sign_of_byte(byte) == sign)
            return byte;
    return -1;
}

/* The bytes that the signs stand for; n 0: one stands for none. */
static Piece bytes_of_signs(Arena *arena, const char *p, int n)
{
    char *to = arena_alloc(arena, (size_t)n + 1);
    Piece piece = { to, 0 };
    for (int k = 0, length; k < n; k += length) {
        length = utf8_length(p + k, (size_t)(n - k));
        int byte = byte_of_sign(utf8_code(p + k, length));
        if (byte < 0)
            return (Piece){ to, 0 };
        to[piece.n++] = (char)byte;
    }
    return piece;
}

static void put_piece(TokenReader *r, int k, Piece piece, int how,
                      Origin spot)
{
    if (piece.n == 0)
        spot_error(r, spot, "this piece is empty.");
    if (piece.n > PIECE_BYTES)
        spot_error(r, spot, "this piece has more than 1024 bytes.");
    r->piece[k] = piece;
    r->how[k] = (unsigned char)how;
    r->spot[k] = spot;
    r->v.n = k >= r->v.n ? k + 1 : r->v.n;
}

static void read_pieces(TokenReader *r, const Json *list)
{
    if (list == NULL || list->kind != JSON_OBJECT || list->n == 0)
        fail_in_text(r->error, list == NULL ? 0 : list->at,
                     "expected a vocab: an "
                     "object of pieces, each with its number.");
    r->vocabulary = list;
    for (int i = 0; i < list->n; i++) {
        const Json *name = &list->item[2 * i];
        int k = piece_number(r, name + 1, name->text, name->n);
        if (r->spot[k].file != NULL)
            fail_in_text(r->error, name->at, "number %d has two pieces.", k);
        put_piece(r, k, (Piece){ name->text, name->n }, 0,
                  spot_of(r, name->at));
    }
}

/* No number is left out; and pieces of signs become pieces of bytes. */
static void finish_pieces(TokenReader *r)
{
    for (int k = 0; k < r->v.n; k++) {
        if (r->spot[k].file == NULL) {
            r->error->text = NULL;
            fail_with(r->error, "has no piece number %d; the last is %d.", k,
                      r->v.n - 1);
        }
        Piece p = r->piece[k];
        Piece bytes = r->v.words || (r->how[k] & ALONE) ? p
                    : bytes_of_signs(r->arena, p.at, p.n);
        bool own = bytes.n == p.n
                && memcmp(bytes.at, p.at, (size_t)p.n) == 0;
        if (r->how[k] & ADDED)
            r->how[k] |= own ? 0 : ALONE;
        else if (bytes.n == 0)
            spot_error(r, r->spot[k], "this piece has a character that "
                       "stands for no byte.");
        else
            r->piece[k] = bytes;
    }
}

static int how_added(const TokenReader *r, const Json *token)
{
    demand_setting(r, token, "single_word", false);
    bool special = token_flag(r, token, "special", false);
    bool seen = token_flag(r, token, "normalized", !special);
    return ADDED | (special ? HIDDEN : 0) | (seen ? AS_SEEN : 0)
         | (token_flag(r, token, "lstrip", false) ? BLANKS_BEFORE : 0)
         | (token_flag(r, token, "rstrip", false) ? BLANKS_BEHIND : 0);
}

/* True of an added token for which the model has no embedding. */
static bool is_beyond(const TokenReader *r, const Json *text, double number)
{
    return number >= r->N_V && number <= (double)TOKEN_LIMIT
        && (r->vocabulary == NULL
            || json_member(r->vocabulary, text->text) == NULL);
}

/* A piece that may be in the vocabulary, and then with the same number. */
static void add_token(TokenReader *r, int k, const char *text, int n,
                      int how, Origin spot)
{
    bool there = r->spot[k].file != NULL;
    if (there && (r->piece[k].n != n
                  || memcmp(r->piece[k].at, text, (size_t)n) != 0)) {
        r->error->sheet = spot.file;
        r->error->text = spot.text;
        fail_in_text(r->error, spot.at, "number %d is \"%s\" already.", k,
                     in_a_line(r->arena, r->piece[k].at, r->piece[k].n));
    }
    put_piece(r, k, (Piece){ text, n }, how | (there ? 0 : ALONE), spot);
}

static void read_added(TokenReader *r, const Json *list)
{
    if (list != NULL && list->kind != JSON_LIST)
        json_error(r, list, "added_tokens", "a list");
    for (int i = 0; list != NULL && i < list->n; i++) {
        const Json *token = &list->item[i];
        const Json *id = token_member(token, "id");
        const Json *text = token_member(token, "content");
        if (id == NULL || text == NULL || text->kind != JSON_STRING)
            fail_in_text(r->error, token->at,
                         "an added token is an object with "
                         "an id and a content, a string.");
        if (id->kind == JSON_NUMBER && is_beyond(r, text, id->number))
            continue;
        int k = piece_number(r, id, text->text, text->n);
        add_token(r, k, text->text, text->n, how_added(r, token),
                  spot_of(r, text->at));
    }
}

/* The same in tokenizer_config.json: an object, by number. */
static void read_added_by_number(TokenReader *r, const Json *object)
{
    for (int i = 0; object->kind == JSON_OBJECT && i < object->n; i++) {
        const Json *name = &object->item[2 * i], *token = name + 1;
        const Json *text = token_member(token, "content");
        int k = 0;
        for (int j = 0; j < name->n && k <= TOKEN_LIMIT; j++)
            k = '0' <= name->text[j] && name->text[j] <= '9'
              ? 10 * k + (name->text[j] - '0') : TOKEN_LIMIT + 1;
        if (k > TOKEN_LIMIT || name->n == 0)
            fail_in_text(r->error, name->at,
                         "expected the number of an added "
                         "token, from 0 to %d.", r->N_V - 1);
        if (text == NULL || text->kind != JSON_STRING)
            fail_in_text(r->error, token->at,
                         "an added token is an object with "
                         "a content, a string.");
        if (k >= r->N_V && is_beyond(r, text, k))
            continue;
        add_token(r, k, text->text, text->n, how_added(r, token),
                  spot_of(r, text->at));
    }
}

static int known_piece(const TokenReader *r, const char *p, int n,
                       Origin spot)
{
    char *name = arena_alloc(r->arena, (size_t)n + 1);
    memcpy(name, p, (size_t)n);
    name[n] = '\0';
    const Json *number = json_member(r->vocabulary, name);
    if (number != NULL)
        return (int)number->number;
    r->error->sheet = spot.file;
    r->error->text = spot.text;
    fail_in_text(r->error, spot.at,
                 "the piece \"%s\" of this merge is not in the "
                 "vocabulary.", in_a_line(r->arena, p, n));
}

static void put_merge(TokenReader *r, Piece left, Piece right, Origin spot)
{
    int k = r->v.merges++;
    if (k == r->room) {
        size_t n = (size_t)(r->room = 2 * r->room + 1024);
        Pair *merge = arena_alloc(r->arena, n * sizeof *merge);
        Origin *spots = arena_alloc(r->arena, n * sizeof *spots);
        if (k > 0) {
            memcpy(merge, r->merge, (size_t)k * sizeof *merge);
            memcpy(spots, r->merge_spot, (size_t)k * sizeof *spots);
        }
        r->merge = merge;
        r->merge_spot = spots;
    }
    r->merge_spot[k] = spot;
    r->merge[k].left = known_piece(r, left.at, left.n, spot);
    r->merge[k].right = known_piece(r, right.at, right.n, spot);
}

/* "a b" */
static void split_merge(TokenReader *r, const char *p, int n, Origin spot)
{
    const char *blank = memchr(p, ' ', (size_t)n);
    int left = blank == NULL ? 0 : (int)(blank - p), right = n - left - 1;
    if (left == 0 || right <= 0
        || memchr(blank + 1, ' ', (size_t)right) != NULL)
        spot_error(r, spot, "a merge is two pieces with a blank between.");
    put_merge(r, (Piece){ p, left }, (Piece){ blank + 1, right }, spot);
}

static void read_merges(TokenReader *r, const Json *list)
{
    if (list == NULL || list->kind != JSON_LIST)
        fail_in_text(r->error, list == NULL ? 0 : list->at,
                     "expected merges, a "
                     "list.");
    for (int i = 0; i < list->n; i++) {
        const Json *m = &list->item[i], *part = m->item;
        Origin spot = spot_of(r, m->at);
        if (m->kind == JSON_STRING)
            split_merge(r, m->text, m->n, spot);
        else if (m->kind == JSON_LIST && m->n == 2
                 && part[0].kind == JSON_STRING
                 && part[1].kind == JSON_STRING)
            put_merge(r, (Piece){ part[0].text, part[0].n },
                      (Piece){ part[1].text, part[1].n }, spot);
        else
            spot_error(r, spot, "a merge is two pieces with a blank "
                       "between, or a list of two.");
    }
}

/* A Sequence of ByteLevel and two Splits; or one Split. */
static bool is_split(const Json *part, const char *pattern)
{
    const Json *regex = part == NULL ? NULL
                      : json_member(part, "pattern");
    return regex != NULL && json_is(json_member(part, "type"), "Split")
        && json_is(json_member(regex, "Regex"), pattern)
        && json_is(json_member(part, "behavior"), "Isolated");
}

static bool cuts_as_ftx(const Json *cut, bool *characters)
{
    const Json *list = cut == NULL ? NULL
                     : json_member(cut, "pretokenizers");
    *characters = cut != NULL && is_split(cut, SPLIT_CHARACTERS);
    return *characters
        || (list != NULL && list->kind == JSON_LIST && list->n == 3
            && json_is(json_member(&list->item[0], "type"), "ByteLevel")
            && is_split(&list->item[1], SPLIT_WORDS)
            && is_split(&list->item[2], SPLIT_LONG));
}

static const Tokenizer *learned_tokenizer(TokenReader *r, TokenKind kind)
{
    TextStream text;
    bool pairs = kind == BYTE_PAIRS;
    int n = r->v.n - 3, first = pairs ? 256 : 0;
    for (int b = 0; pairs && b < 256; b++)
        if (b >= n || r->piece[b].n != 1
            || (unsigned char)r->piece[b].at[0] != b)
            spot_error(r, r->spot[b], "the first 256 pieces must be the "
                       "bytes, in order.");
    if (n < first || (pairs && r->v.merges != n - first))
        spot_error(r, r->spot[0],
                   "the vocabulary is not that of its merges.");
    FILE *to = open_text_stream(&text);
    fprintf(to, "tokenizer %s %d\n", token_kind_name(kind), n - first);
    for (int k = first; k < n; k++) {
        if (pairs)
            fprintf(to, "%d %d ", r->merge[k - first].left + 1,
                    r->merge[k - first].right + 1);
        write_piece(to, r->piece[k]);
        fputc('\n', to);
    }
    const char *p = close_text_stream(&text, r->arena), *at = p;
    const Tokenizer *t = NULL;
    const char *wrong = tokenizer_load(r->arena, &at, p + text.n, &t);
    if (wrong == NULL)
        return t;
    int line = -1;                          /* behind the heading */
    for (const char *q = p; q < at; q++)
        line += *q == '\n';
    spot_error(r, r->spot[first + line], wrong);
}

static TokenReader *token_reader(Arena *arena, const char *folder, int N_V,
                                 Error *f)
{
    size_t n = (size_t)N_V;
    TokenReader *r = arena_alloc(arena, sizeof *r);
    *r = (TokenReader){ .arena = arena, .error = f, .folder = folder,
                        .N_V = N_V };
    r->piece = arena_alloc(arena, n * sizeof *r->piece);
    r->how = memset(arena_alloc(arena, n), 0, n);
    r->spot = arena_alloc(arena, n * sizeof *r->spot);
    memset(r->spot, 0, n * sizeof *r->spot);
    return r;
}

/* The member's type; "null" where there is none. */
static const char *type_of(const Json *root, const char *name)
{
    const Json *part = token_member(root, name);
    const Json *type = part == NULL ? NULL : json_member(part, "type");
    return part == NULL ? "null"
         : type == NULL || type->kind != JSON_STRING ? "?" : type->text;
}

_Noreturn static void unknown_type(const TokenReader *r, const Json *root,
                                   const char *name, const char *known)
{
    const Json *part = token_member(root, name);
    const char *type = type_of(root, name);
    fail_in_text(r->error, part == NULL ? root->at : part->at,
                 "the %s is %s; known is %s.", name,
                 in_a_line(r->arena, type, (int)strlen(type)), known);
}

static void demand_type(const TokenReader *r, const Json *root,
                        const char *name, const char *known)
{
    if (strcmp(type_of(root, name), known) != 0)
        unknown_type(r, root, name, known);
}

static void demand_nothing(const TokenReader *r, const Json *model,
                           const char *name)
{
    const Json *member = token_member(model, name);
    bool none = member == NULL
             || (member->kind == JSON_STRING && member->n == 0)
             || (member->kind == JSON_NUMBER && member->number == 0);
    if (!none)
        fail_in_text(r->error, member->at, "%s must be null; ftx has no such "
                     "thing.", name);
}

static void read_bert_text(TokenReader *r, const Json *root)
{
    const Json *change = token_member(root, "normalizer");
    demand_type(r, root, "normalizer", "BertNormalizer");
    demand_type(r, root, "pre_tokenizer", "BertPreTokenizer");
    r->v.clean = token_flag(r, change, "clean_text", true);
    r->v.ideographs = token_flag(r, change, "handle_chinese_chars", true);
    r->v.small = token_flag(r, change, "lowercase", true);
    r->v.no_marks = token_flag(r, change, "strip_accents", r->v.small);
}

static int unknown_piece(const TokenReader *r, const char *name)
{
    for (int k = 0; k < r->v.n; k++)
        if (strlen(name) == (size_t)r->piece[k].n
            && memcmp(name, r->piece[k].at, (size_t)r->piece[k].n) == 0)
            return k;
    r->error->text = NULL;
    fail_with(r->error, "the unk_token \"%s\" is not in the vocabulary.",
              in_a_line(r->arena, name, (int)strlen(name)));
}

static void read_word_pieces(TokenReader *r, const Json *root,
                             const Json *model)
{
    const Json *unknown = token_member(model, "unk_token");
    const Json *prefix = token_member(model, "continuing_subword_prefix");
    const Json *longest = token_member(model, "max_input_chars_per_word");
    read_bert_text(r, root);
    if (prefix != NULL && !json_is(prefix, "##"))
        json_error(r, prefix, "continuing_subword_prefix", "\"##\"");
    if (unknown != NULL && unknown->kind != JSON_STRING)
        json_error(r, unknown, "unk_token", "a string");
    double x = longest == NULL ? 100
             : longest->kind == JSON_NUMBER ? longest->number : 0;
    if (!(1 <= x && x <= 1e6) || x != floor(x))
        json_error(r, longest, "max_input_chars_per_word",
                   "a whole number from 1 to 1000000");
    r->v.longest = (int)x;
    r->v.words = true;
    read_pieces(r, json_member(model, "vocab"));
    read_added(r, token_member(root, "added_tokens"));
    r->v.unknown = unknown_piece(r, unknown == NULL ? "[UNK]"
                                                    : unknown->text);
}

static void read_byte_pairs(TokenReader *r, const Json *root,
                            const Json *model)
{
    const Json *cut = token_member(root, "pre_tokenizer");
    static const char *const none[] = {
        "dropout", "continuing_subword_prefix", "end_of_word_suffix", NULL,
    };
    for (int k = 0; none[k] != NULL; k++)
        demand_nothing(r, model, none[k]);
    demand_setting(r, model, "byte_fallback", false);
    demand_setting(r, model, "ignore_merges", false);
    demand_type(r, root, "normalizer", "null");
    bool characters;
    if (!cuts_as_ftx(cut, &characters)) {
        demand_type(r, root, "pre_tokenizer", "ByteLevel");
        demand_setting(r, cut, "add_prefix_space", false);
        demand_setting(r, cut, "use_regex", true);
    }
    demand_type(r, root, "decoder", "ByteLevel");
    read_pieces(r, json_member(model, "vocab"));
    read_added(r, token_member(root, "added_tokens"));
    read_merges(r, json_member(model, "merges"));
}

/* Its tokens, if ftx learned it; NULL: it is one of a released model. */
static const Tokenizer *read_tokenizer_json(TokenReader *r,
                                            const Json *root)
{
    const Json *model = token_member(root, "model");
    const Json *cut = token_member(root, "pre_tokenizer");
    const char *type = type_of(root, "model");
    bool characters, own = cuts_as_ftx(cut, &characters);
    bool pairs = strcmp(type, "BPE") == 0;
    if (model == NULL)
        fail_in_text(r->error, root->at, "this tokenizer has no model.");
    if (strcmp(type, "WordLevel") == 0 && own) {
        r->v.words = characters;        /* not of signs for bytes */
        read_pieces(r, json_member(model, "vocab"));
        read_added(r, token_member(root, "added_tokens"));
    } else if (pairs) {
        read_byte_pairs(r, root, model);
    } else if (strcmp(type, "WordPiece") == 0) {
        read_word_pieces(r, root, model);
        own = false;
    } else {
        unknown_type(r, root, "model", "BPE of bytes, or WordPiece");
    }
    finish_pieces(r);
    return !own ? NULL
         : learned_tokenizer(r, pairs ? BYTE_PAIRS
                                : characters ? CHARACTERS : WORDS);
}

/* A line of a text, from *at on, without its end; false: there is none. */
static bool next_line(const char *text, size_t n, size_t *at, Piece *line)
{
    if (*at >= n)
        return false;
    const char *p = text + *at, *end = memchr(p, '\n', n - *at);
    size_t length = end == NULL ? n - *at : (size_t)(end - p);
    *at += length + 1;
    length -= length > 0 && p[length - 1] == '\r';
    *line = (Piece){ p, (int)length };
    return true;
}

static void read_merges_file(TokenReader *r, const char *file)
{
    size_t n, at = 0;
    const char *text = read_text_file(r->arena, file, &n, r->error);
    for (Piece line; next_line(text, n, &at, &line); ) {
        bool version = line.at == text && line.n >= 8
                    && memcmp(line.at, "#version", 8) == 0;
        if (!version && line.n > 0)
            split_merge(r, line.at, line.n,
                        spot_of(r, (int)(line.at - text)));
    }
}

static void read_vocab_text(TokenReader *r, const char *file)
{
    size_t n, at = 0;
    const char *text = read_text_file(r->arena, file, &n, r->error);
    r->v.words = true;
    for (Piece line; next_line(text, n, &at, &line); ) {
        Origin spot = spot_of(r, (int)(line.at - text));
        if (r->v.n == r->N_V)
            fail_in_text(r->error, spot.at, "this is one piece too many; "
                         "vocab_size is %d.", r->N_V);
        put_piece(r, r->v.n, line, 0, spot);
    }
}

/* The name of a special token in tokenizer_config.json: a string, or an
   object with a content. */
static const char *special_name(const TokenReader *r, const Json *settings,
                                const char *name, const char *otherwise)
{
    const Json *said = settings == NULL ? NULL
                     : token_member(settings, name);
    if (said != NULL && said->kind == JSON_OBJECT)
        said = token_member(said, "content");
    if (said == NULL)
        return otherwise;
    if (said->kind != JSON_STRING)
        json_error(r, said, name, "a string");
    return said->text;
}

static void mark_named(TokenReader *r, const char *name)
{
    for (int k = 0; name != NULL && k < r->v.n; k++)
        if (strlen(name) == (size_t)r->piece[k].n
            && memcmp(name, r->piece[k].at, (size_t)r->piece[k].n) == 0
            && r->how[k] == 0)
            r->how[k] = ADDED | HIDDEN;
}

static void use_settings(TokenReader *r, const Json *settings)
{
    static const Json nothing = { .kind = JSON_OBJECT };
    const Json *s = settings == NULL ? &nothing : settings;
    const Json *added = token_member(s, "added_tokens_decoder");
    const char *unknown = special_name(r, settings, "unk_token",
                                       r->v.words ? "[UNK]"
                                                  : "<|endoftext|>");
    if (!r->v.words)
        demand_setting(r, s, "add_prefix_space", false);
    r->v.clean = r->v.words;
    r->v.longest = 100;
    r->v.small = token_flag(r, s, "do_lower_case", true);
    r->v.no_marks = token_flag(r, s, "strip_accents", r->v.small);
    r->v.ideographs = token_flag(r, s, "tokenize_chinese_chars", true);
    if (added != NULL)
        read_added_by_number(r, added);
    mark_named(r, unknown);
    mark_named(r, special_name(r, settings, "pad_token",
                              r->v.words ? "[PAD]" : NULL));
    for (int k = 0; k < 3; k++)
        mark_named(r, r->marked[k]);
    finish_pieces(r);
    if (r->v.words)
        r->v.unknown = unknown_piece(r, unknown);
}

static void name_special(TokenReader *r, const Json *settings, bool words)
{
    static const char *const own[2][3] = {
        { NULL, NULL, "<|endoftext|>" }, { "[MASK]", "[CLS]", "[SEP]" },
    };
    static const char *const name[2][3] = {
        { "mask_token", "bos_token", "eos_token" },
        { "mask_token", "cls_token", "sep_token" },
    };
    for (int k = 0; k < 3; k++)
        r->marked[k] = special_name(r, settings, name[words][k],
                                    own[words][k]);
}

static const Cutter *made_cutter(TokenReader *r)
{
    int at;
    const char *wrong;
    r->v.piece = r->piece;
    r->v.how = r->how;
    r->v.merge = r->merge;
    const Cutter *cutter = cutter_new(r->arena, &r->v, &wrong, &at);
    if (cutter == NULL)
        spot_error(r, at < 0 ? r->merge_spot[-1 - at] : r->spot[at], wrong);
    return cutter;
}

static void find_special(const TokenReader *r, int special[3])
{
    for (int k = 0; k < 3; k++) {
        const char *name = r->marked[k];
        for (int j = 0; name != NULL && j < r->v.n; j++)
            if (strlen(name) == (size_t)r->piece[j].n
                && memcmp(name, r->piece[j].at, strlen(name)) == 0)
                special[k] = j;
    }
    if (special[1] == special[2])
        special[1] = UNSAID;
}

TokenFiles tokens_of_folder(Arena *arena, const char *folder, int N_V,
                            Error *f)
{
    TokenFiles to = { .special = { UNSAID, UNSAID, UNSAID } };
    const char *json = in_folder(arena, folder, "tokenizer.json");
    const char *older = in_folder(arena, folder, "vocab.json");
    const char *merges = in_folder(arena, folder, "merges.txt");
    const char *list = in_folder(arena, folder, "vocab.txt");
    const char *set = in_folder(arena, folder, "tokenizer_config.json");
    bool one = is_name_taken(json);
    bool two = is_name_taken(older) || is_name_taken(merges);
    if (!one && !two && !is_name_taken(list))
        return to;
    TokenReader *r = token_reader(arena, folder, N_V, f);
    const Json *settings = is_name_taken(set) ? json_of_file(arena, set, f)
                                         : NULL;
    const char *set_text = f->text;
    const Json *root = one ? json_of_file(arena, json, f)
                     : two ? json_of_file(arena, older, f) : NULL;
    if (one) {
        if (root->kind != JSON_OBJECT)
            fail_in_text(f, root->at, "a tokenizer is an object; this is %s.",
                         json_kind(root));
        to.learned = read_tokenizer_json(r, root);
    } else if (two) {
        read_pieces(r, root);
        read_merges_file(r, merges);
    } else {
        read_vocab_text(r, list);
    }
    f->sheet = settings != NULL ? set : one ? json : two ? older : list;
    f->text = settings != NULL ? set_text : NULL;
    name_special(r, settings, r->v.words);
    if (!one)
        use_settings(r, settings);
    f->sheet = folder;
    f->text = NULL;
    if (to.learned != NULL)
        return to;
    to.cutter = made_cutter(r);
    find_special(r, to.special);
    f->sheet = folder;
    f->text = NULL;
    return to;
}
