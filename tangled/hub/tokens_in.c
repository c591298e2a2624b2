/* The tokens of a released model, from its tokenizer.json.

   Main type: TokenReader. Entry point: tokens_of_folder. In comes a folder;
   out come a vocabulary that cuts a text, and the numbers of the special
   tokens. */
#include "hub/hub.h"
#include <math.h>
#include <string.h>

typedef struct {
    Arena *arena;
    Error *error;
    int N_V;
    Vocabulary v;
    Piece *piece;               /* piece[0] ... piece[N_V - 1]            */
    unsigned char *how;
    int *place;                 /* of each in the file; -1: there is none */
    const Json *vocabulary;     /* names, and their numbers               */
    const Json *merges;
} TokenReader;

/* root.part.name must be expected, or also missing if it is optional. */
typedef struct {
    const char *part, *name, *expected;
    bool optional;
} Setting;

static const Setting byte_settings[] = {
    { "normalizer", "type", "null", true },
    { "pre_tokenizer", "type", "ByteLevel", false },
    { "pre_tokenizer", "add_prefix_space", "false", true },
    { "pre_tokenizer", "use_regex", "true", true },
    { "decoder", "type", "ByteLevel", false },
    { "model", "dropout", "null", true },
    { "model", "continuing_subword_prefix", "null", true },
    { "model", "end_of_word_suffix", "null", true },
    { "model", "byte_fallback", "false", true },
    { "model", "ignore_merges", "false", true },
    { .part = NULL },
};
static const Setting word_settings[] = {
    { "normalizer", "type", "BertNormalizer", false },
    { "pre_tokenizer", "type", "BertPreTokenizer", false },
    { "model", "continuing_subword_prefix", "##", true },
    { .part = NULL },
};

/* What a folder may say of its tokens, but ftx does not do, is refused. */
static void check_settings(const TokenReader *r, const Json *root,
                           const Setting *setting)
{
    for (const Setting *s = setting; s->part != NULL; s++) {
        const Json *part = json_member(root, s->part);
        const Json *value = json_member(part, s->name);
        const char *word = json_word(r->arena, value);
        if (strcmp(word, s->expected) != 0
            && !(s->optional && strcmp(word, "null") == 0))
            fail_in_text(r->error, value != NULL ? value->at
                         : part != NULL ? part->at : root->at,
                         "the %s of the %s is %s; ftx knows only %s there.",
                         s->name, s->part, word, s->expected);
    }
}

/* Returns the truth value of that name; `otherwise`: it is not said. */
static bool token_flag(const TokenReader *r, const Json *object,
                       const char *name, bool otherwise)
{
    const Json *member = json_member(object, name);
    if (member == NULL)
        return otherwise;
    if (member->kind != JSON_TRUE && member->kind != JSON_FALSE)
        fail_in_text(r->error, member->at, "%s must be true or false.",
                     name);
    return member->kind == JSON_TRUE;
}

unsigned sign_of_byte(int byte)
{
    bool seen = ('!' <= byte && byte <= '~') || (0xA1 <= byte
                                                 && byte != 0xAD);
    int unseen = byte <= ' ' ? byte : byte <= 0xA0 ? byte - 0x7F + 33 : 67;
    return (unsigned)(seen ? byte : 256 + unseen);
}

/* Returns the bytes that the signs stand for; n is 0 if one stands for
   none. */
static Piece bytes_of_signs(Arena *arena, Piece signs)
{
    char *to = arena_alloc(arena, (size_t)signs.n + 1);
    Piece piece = { to, 0 };
    for (int k = 0, length; k < signs.n; k += length) {
        length = utf8_length(signs.at + k, (size_t)(signs.n - k));
        unsigned sign = utf8_code(signs.at + k, length);
        int byte = 0;
        while (byte < 256 && sign_of_byte(byte) != sign)
            byte++;
        if (byte == 256)
            return (Piece){ to, 0 };
        to[piece.n++] = (char)byte;
    }
    return piece;
}

static bool is_piece(Piece piece, const char *text, int n)
{
    return piece.n == n && memcmp(piece.at, text, (size_t)n) == 0;
}

/* Reads the number of a piece, from 0 to N_V - 1. */
static int piece_number(const TokenReader *r, const Json *number,
                        const Json *text)
{
    double x = json_whole(number, 0, r->N_V - 1);
    if (isnan(x))
        fail_in_text(r->error, number->at,
                     "the number of \"%s\" must be a whole number from 0 to "
                     "%d; vocab_size is %d.",
                     in_a_line(r->arena, text->text, text->n), r->N_V - 1,
                     r->N_V);
    return (int)x;
}

/* Notes the text of piece k, how it is to be treated, and where it stands. */
static void put_piece(TokenReader *r, int k, const Json *text, int how)
{
    if (text->n == 0)
        fail_in_text(r->error, text->at, "this piece is empty.");
    if (text->n > PIECE_BYTES)
        fail_in_text(r->error, text->at,
                     "this piece has more than 1024 bytes.");
    r->piece[k] = (Piece){ text->text, text->n };
    r->how[k] = (unsigned char)how;
    r->place[k] = text->at;
    r->v.n = k >= r->v.n ? k + 1 : r->v.n;
}

static void read_pieces(TokenReader *r, const Json *model)
{
    const Json *list = json_member(model, "vocab");
    if (list == NULL || list->kind != JSON_OBJECT || list->n == 0)
        fail_in_text(r->error, list == NULL ? model->at : list->at,
                     "expected a vocab: an object of pieces, each with its "
                     "number.");
    r->vocabulary = list;
    for (int i = 0; i < list->n; i++) {
        const Json *name = &list->item[2 * i];
        int k = piece_number(r, name + 1, name);
        if (r->place[k] >= 0)
            fail_in_text(r->error, name->at, "number %d has two pieces.", k);
        put_piece(r, k, name, 0);
    }
}

/* Checks that no number is left out, and turns pieces of signs into pieces
   of bytes. */
static void finish_pieces(TokenReader *r)
{
    for (int k = 0; k < r->v.n; k++) {
        if (r->place[k] < 0) {
            r->error->text = NULL;
            fail_with(r->error, "has no piece number %d; the last is %d.", k,
                      r->v.n - 1);
        }
        Piece p = r->piece[k];
        Piece bytes = r->v.words ? p : bytes_of_signs(r->arena, p);
        bool added = r->how[k] & ADDED;
        if (added && !is_piece(bytes, p.at, p.n))
            r->how[k] |= ALONE;
        if (!added && bytes.n == 0)
            fail_in_text(r->error, r->place[k], "this piece has a character "
                         "that stands for no byte.");
        if (!added)
            r->piece[k] = bytes;
    }
}

/* Returns the number of the piece with that text; UNSAID: there is none. */
static int find_piece(const TokenReader *r, const char *text)
{
    for (int k = 0; text != NULL && k < r->v.n; k++)
        if (is_piece(r->piece[k], text, (int)strlen(text)))
            return k;
    return UNSAID;
}

/* Returns the flags of an added token, which is cut before all others. */
static int how_added(const TokenReader *r, const Json *token)
{
    if (token_flag(r, token, "single_word", false))
        fail_in_text(r->error, json_member(token, "single_word")->at,
                     "single_word is true; ftx knows only false there.");
    bool special = token_flag(r, token, "special", false);
    bool seen = token_flag(r, token, "normalized", !special);
    return ADDED | special * HIDDEN | seen * AS_SEEN
         | token_flag(r, token, "lstrip", false) * BLANKS_BEFORE
         | token_flag(r, token, "rstrip", false) * BLANKS_BEHIND;
}

static void read_added(TokenReader *r, const Json *list)
{
    if (list != NULL && list->kind != JSON_LIST)
        fail_in_text(r->error, list->at, "added_tokens must be a list.");
    for (int i = 0; list != NULL && i < list->n; i++) {
        const Json *token = &list->item[i];
        const Json *id = json_member(token, "id");
        const Json *text = json_member(token, "content");
        if (id == NULL || text == NULL || text->kind != JSON_STRING)
            fail_in_text(r->error, token->at, "an added token is an object "
                         "with an id and a content, a string.");
        if (id->kind == JSON_NUMBER && id->number >= r->N_V
            && id->number <= TOKEN_LIMIT
            && json_member(r->vocabulary, text->text) == NULL)
            continue;
        int k = piece_number(r, id, text);
        bool there = r->place[k] >= 0;
        if (there && !is_piece(r->piece[k], text->text, text->n))
            fail_in_text(r->error, text->at, "number %d is \"%s\" already.",
                         k, in_a_line(r->arena, r->piece[k].at,
                                      r->piece[k].n));
        int how = how_added(r, token);
        put_piece(r, k, text, there ? how : how | ALONE);
    }
}

/* Returns the number of a piece that a merge names. */
static int merged_piece(const TokenReader *r, const Json *merge, Piece piece)
{
    char *name = arena_alloc(r->arena, (size_t)piece.n + 1);
    memcpy(name, piece.at, (size_t)piece.n);
    name[piece.n] = '\0';
    const Json *number = json_member(r->vocabulary, name);
    if (number == NULL)
        fail_in_text(r->error, merge->at, "the piece \"%s\" of this merge "
                     "is not in the vocabulary.",
                     in_a_line(r->arena, piece.at, piece.n));
    return (int)number->number;
}

static Pair read_merge(const TokenReader *r, const Json *merge)
{
    Piece left = { "", 0 }, right = { "", 0 };
    const Json *part = merge->item;
    if (merge->kind == JSON_STRING) {
        const char *blank = strchr(merge->text, ' ');
        int n = blank == NULL ? 0 : (int)(blank - merge->text);
        left = (Piece){ merge->text, n };
        right = (Piece){ merge->text + n + 1, merge->n - n - 1 };
    } else if (merge->kind == JSON_LIST && merge->n == 2
               && part[0].kind == JSON_STRING
               && part[1].kind == JSON_STRING) {
        left = (Piece){ part[0].text, part[0].n };
        right = (Piece){ part[1].text, part[1].n };
    }
    if (left.n == 0 || right.n <= 0 || memchr(right.at, ' ',
                                              (size_t)right.n) != NULL)
        fail_in_text(r->error, merge->at, "a merge is two pieces with a "
                     "blank between, or a list of two.");
    return (Pair){ .left = merged_piece(r, merge, left),
                   .right = merged_piece(r, merge, right) };
}

static void read_merges(TokenReader *r, const Json *model)
{
    const Json *list = json_member(model, "merges");
    if (list == NULL || list->kind != JSON_LIST)
        fail_in_text(r->error, list == NULL ? model->at : list->at,
                     "expected merges, a list.");
    Pair *merge = arena_alloc(r->arena, ((size_t)list->n + 1)
                                        * sizeof *merge);
    for (int i = 0; i < list->n; i++)
        merge[i] = read_merge(r, &list->item[i]);
    r->merges = list;
    r->v.merges = list->n;
    r->v.merge = merge;
}

static void read_word_settings(TokenReader *r, const Json *root,
                               const Json *model)
{
    const Json *change = json_member(root, "normalizer");
    const Json *longest = json_member(model, "max_input_chars_per_word");
    double x = longest == NULL ? 100 : json_whole(longest, 1, 1e6);
    if (isnan(x))
        fail_in_text(r->error, longest->at, "max_input_chars_per_word must "
                     "be a whole number from 1 to 1000000.");
    r->v.longest = (int)x;
    r->v.words = true;
    r->v.clean = token_flag(r, change, "clean_text", true);
    r->v.ideographs = token_flag(r, change, "handle_chinese_chars", true);
    r->v.small = token_flag(r, change, "lowercase", true);
    r->v.no_marks = token_flag(r, change, "strip_accents", r->v.small);
}

/* The piece for what is not in the vocabulary. */
static void find_unknown(TokenReader *r, const Json *model)
{
    const Json *unknown = json_member(model, "unk_token");
    const char *name = unknown == NULL ? "[UNK]"
                     : unknown->kind == JSON_STRING ? unknown->text : "";
    r->v.unknown = find_piece(r, name);
    if (r->v.unknown == UNSAID)
        fail_in_text(r->error, (unknown == NULL ? model : unknown)->at,
                     "the unk_token \"%s\" is not in the vocabulary.",
                     name);
}

static const Cutter *read_tokenizer(TokenReader *r, const Json *root)
{
    int at;
    const char *wrong;
    const Json *model = json_member(root, "model");
    const Json *cut = json_member(root, "pre_tokenizer");
    const char *cutter_type = json_word(r->arena, json_member(cut, "type"));
    const char *type = json_word(r->arena, json_member(model, "type"));
    bool words = strcmp(type, "WordPiece") == 0;
    if (strcmp(cutter_type, "Split") == 0
        || strcmp(cutter_type, "Sequence") == 0)
        fail_in_text(r->error, cut->at, "the pre_tokenizer is a %s, which "
                     "ftx does not read; if ftx exported this folder, "
                     "'ftx import --tokens-of MODEL' takes the tokens from "
                     "the model.", cutter_type);
    if (!words && strcmp(type, "BPE") != 0)
        fail_in_text(r->error, model == NULL ? root->at : model->at,
                     "the model of this tokenizer is %s; ftx knows BPE of "
                     "bytes, and WordPiece.", type);
    check_settings(r, root, words ? word_settings : byte_settings);
    if (words)
        read_word_settings(r, root, model);
    read_pieces(r, model);
    read_added(r, json_member(root, "added_tokens"));
    if (!words)
        read_merges(r, model);
    finish_pieces(r);
    if (words)
        find_unknown(r, model);
    r->v.piece = r->piece;
    r->v.how = r->how;
    const Cutter *cutter = cutter_new(r->arena, &r->v, &wrong, &at);
    if (cutter == NULL)         /* at: the piece, or -1 - the merge */
        fail_in_text(r->error, at < 0 ? r->merges->item[-1 - at].at
                               : r->place[at], "%s", wrong);
    return cutter;
}

/* Finds mask, bos and eos: by their settings, or by their usual texts. */
static void find_special(const TokenReader *r, const Json *settings,
                         int special[3])
{
    static const struct { const char *bytes, *words, *usual; } name[] = {
        { "mask_token", "mask_token", "[MASK]" },
        { "bos_token", "cls_token", "[CLS]" },
        { "eos_token", "sep_token", "[SEP]" },
    };
    bool words = r->v.words;
    for (int k = 0; k < 3; k++) {
        const char *usual = words ? name[k].usual
                          : k == 2 ? "<|endoftext|>" : NULL;
        const char *key = words ? name[k].words : name[k].bytes;
        const Json *said = json_member(settings, key);
        if (said != NULL && said->kind == JSON_OBJECT)
            said = json_member(said, "content");
        if (said != NULL && said->kind != JSON_STRING)
            fail_in_text(r->error, said->at, "%s must be a string.", key);
        special[k] = find_piece(r, said == NULL ? usual : said->text);
    }
    if (special[1] == special[2])
        special[1] = UNSAID;
}

static void refuse_older_files(Arena *arena, const char *folder, Error *f)
{
    static const char *const older[] = { "vocab.txt", "vocab.json" };
    set_subject(f, folder, NULL);
    for (int k = 0; k < 2; k++)
        if (is_name_taken(in_folder(arena, folder, older[k])))
            fail_with(f, "has its tokens in %s, an older form; in Python, "
                      "transformers.AutoTokenizer.from_pretrained(FOLDER)"
                      ".save_pretrained(FOLDER) writes tokenizer.json.",
                      older[k]);
}

TokenFiles tokens_of_folder(Arena *arena, const char *folder, int N_V,
                            Error *f)
{
    TokenFiles to = { .special = { UNSAID, UNSAID, UNSAID } };
    const char *json = in_folder(arena, folder, "tokenizer.json");
    const char *set = in_folder(arena, folder, "tokenizer_config.json");
    size_t n = (size_t)N_V;
    TokenReader r = { .arena = arena, .error = f, .N_V = N_V };
    if (!is_name_taken(json)) {
        refuse_older_files(arena, folder, f);
        return to;
    }
    r.piece = arena_alloc(arena, n * sizeof *r.piece);
    r.how = arena_alloc(arena, n);
    r.place = arena_alloc(arena, n * sizeof *r.place);
    for (size_t k = 0; k < n; k++)
        r.place[k] = -1;
    to.cutter = read_tokenizer(&r, json_of_file(arena, json, f));
    find_special(&r, is_name_taken(set) ? json_of_file(arena, set, f) : NULL,
                 to.special);
    set_subject(f, folder, NULL);
    return to;
}
