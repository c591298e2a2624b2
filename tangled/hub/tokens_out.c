/* The tokens of a model, as tokenizer.json for transformers.

   Main type: TokenWriter. Entry points: put_tokenizer,
   put_tokenizer_config. In comes a tokenizer; out flows JSON. */
#include "hub/hub.h"
#include <string.h>

#define SPLIT(pattern) \
    "{'type': 'Split', 'pattern': {'Regex': '" pattern "'}, " \
    "'behavior': 'Isolated', 'invert': false}"
#define BYTES(use_regex) \
    "{'type': 'ByteLevel', 'add_prefix_space': false, " \
    "'trim_offsets': true, 'use_regex': " use_regex "}"
#define WORDS_OF_FTX \
    "{'type': 'Sequence', 'pretokenizers': [" BYTES("false") ",\n    " \
    SPLIT("[^\u0120\u0109-\u010d]+[\u0120\u0109-\u010d]*|" \
          "[\u0120\u0109-\u010d]+") ",\n    " SPLIT(".{1,64}") "]}"
#define LIST "'WordLevel', 'unk_token': '<mask>'"
#define PAIRS \
    "'BPE', 'dropout': null, 'unk_token': null, " \
    "'continuing_subword_prefix': null,\n    'end_of_word_suffix': null, " \
    "'fuse_unk': false, 'byte_fallback': false, 'ignore_merges': false"

/* For print_json. */
static const struct { const char *cut, *decoder, *model; } forms[] = {
    [CHARACTERS] = { SPLIT("[\\\\s\\\\S]"), "{'type': 'Fuse'}", LIST },
    [WORDS]      = { WORDS_OF_FTX, BYTES("true"), LIST },
    [BYTE_PAIRS] = { WORDS_OF_FTX, BYTES("true"), PAIRS },
    [BYTE_LEVEL] = { BYTES("true"), BYTES("true"), PAIRS },
    [WORD_PIECES] = {
        "{'type': 'BertPreTokenizer'}",
        "{'type': 'WordPiece', 'prefix': '##', 'cleanup': true}",
        "'WordPiece', 'continuing_subword_prefix': '##'" },
};

typedef struct {
    FILE *to;
    const Tokenizer *t;
    const Vocabulary *v;        /* NULL: ftx has learned it               */
    int n;                      /* pieces, without the special ones       */
    Piece special[3];           /* mask, bos and eos                      */
    int number[3];              /* theirs in the file                     */
    bool has[3];
} TokenWriter;

/* Finds out what is to be written of a tokenizer, and under which numbers. */
static TokenWriter token_writer(FILE *to, const Tokenizer *t)
{
    static const char *const names[] = { "<mask>", "<bos>", "<eos>" };
    const Cutter *cutter = t->cutter;
    int N_V = t->N_V;
    TokenWriter w = { .to = to, .t = t, .n = N_V - 3 };
    if (cutter != NULL) {
        w.v = cutter->v;
        w.n = w.v->n;
    }
    for (int k = 0; k < 3; k++) {
        int token = mask_token(N_V) + k;
        w.has[k] = is_special(t, token);
        w.number[k] = token_number(t, token);
        w.special[k] = cutter == NULL || !w.has[k]
                     ? (Piece){ names[k], (int)strlen(names[k]) }
                     : cutter_piece(cutter, w.number[k], false);
    }
    return w;
}

static Piece piece_at(const TokenWriter *w, int k)      /* from 0 */
{
    return w->v == NULL ? token_piece(w->t, k + 1) : w->v->piece[k];
}

static void put_literal(const TokenWriter *w, Piece text)
{
    print_json_string(w->to, text.at, (size_t)text.n);
}

/* In GPT-2's vocabulary each byte is written as its sign. */
static void put_in_signs(const TokenWriter *w, Piece piece)
{
    char text[4 * PIECE_BYTES], *end = text;
    for (int k = 0; k < piece.n && k < PIECE_BYTES; k++)
        end = write_utf8(end, sign_of_byte((unsigned char)piece.at[k]));
    bool signs = w->t->kind != CHARACTERS && w->t->kind != WORD_PIECES;
    put_literal(w, signs ? (Piece){ text, (int)(end - text) } : piece);
}

static bool is_list(const TokenWriter *w)
{
    return w->t->kind == CHARACTERS || w->t->kind == WORDS;
}

static void put_vocabulary(const TokenWriter *w)
{
    const char *comma = "";
    fputs(",\n    \"vocab\": {", w->to);
    for (int k = 0; k < w->n; k++) {
        if (w->v != NULL && (w->v->how[k] & ALONE))
            continue;
        fprintf(w->to, "%s\n      ", comma);
        put_in_signs(w, piece_at(w, k));
        fprintf(w->to, ": %d", k);
        comma = ",";
    }
    if (is_list(w))
        fprintf(w->to, ",\n      \"<mask>\": %d", w->n);
    fputs("}", w->to);
}

static void put_merges(const TokenWriter *w)
{
    int n = w->v == NULL ? w->n - 256 : w->v->merges;
    int first = w->v == NULL;           /* ftx counts from 1 */
    fputs(",\n    \"merges\": [", w->to);
    for (int k = 0; k < n; k++) {
        Pair pair = w->v == NULL ? pair_at(&w->t->list, k + 1)
                                 : w->v->merge[k];
        fputs(k == 0 ? "\n      [" : ",\n      [", w->to);
        put_in_signs(w, piece_at(w, pair.left - first));
        fputs(", ", w->to);
        put_in_signs(w, piece_at(w, pair.right - first));
        fputc(']', w->to);
    }
    fputs("]", w->to);
}

const char *tokens_error(const Tokenizer *t)
{
    TokenWriter w = token_writer(NULL, t);
    if (t->kind == TOKEN_NUMBERS)
        return "its tokens are numbers";
    if (w.v != NULL)
        return NULL;
    Arena *arena = arena_new();
    Table all = table_new(arena, 1024);
    for (int k = 0; k < 3; k++)
        table_enter(&all, w.special[k]);
    for (int k = 0; k < w.n; k++)
        table_enter(&all, piece_at(&w, k));
    arena_free(arena);
    return all.n == w.n + 3 ? NULL : "two of its tokens are the same text";
}

static void put_added(const TokenWriter *w)
{
    const char *comma = "";
    fputs("  \"added_tokens\": [", w->to);
    for (int k = 0; k < (w->v == NULL ? 3 : w->n); k++) {
        int how = w->v == NULL ? ADDED | HIDDEN : w->v->how[k];
        if (!(how & ADDED))
            continue;
        fprintf(w->to, "%s\n    {\"content\": ", comma);
        put_literal(w, w->v == NULL ? w->special[k] : w->v->piece[k]);
        print_json(w->to, ", 'id': %d, 'single_word': false, 'lstrip': %b, "
                   "'rstrip': %b,\n     'normalized': %b, 'special': %b}",
                   w->v == NULL ? w->number[k] : k,
                   how & BLANKS_BEFORE, how & BLANKS_BEHIND, how & AS_SEEN,
                   how & HIDDEN);
        comma = ",";
    }
    fputs("],\n", w->to);
}

static void put_special(const TokenWriter *w, const char *format, int k)
{
    print_json(w->to, format);
    put_literal(w, w->special[k]);
}

/* Writes what transformers puts around a text: bos, and eos if it ends. */
static void put_ends(const TokenWriter *w, bool ends)
{
    print_json(w->to, "  'post_processor': ");
    if (!w->has[1] || !w->has[2]) {
        print_json(w->to, "null");
    } else if (ends) {
        put_special(w, "{'type': 'BertProcessing', 'sep': [", 2);
        fprintf(w->to, ", %d", w->number[2]);
        put_special(w, "], 'cls': [", 1);
        fprintf(w->to, ", %d]}", w->number[1]);
    } else {
        put_special(w, "{'type': 'TemplateProcessing',\n    'single': "
                    "[{'SpecialToken': {'id': ", 1);
        put_special(w, ", 'type_id': 0}}, {'Sequence': {'id': 'A', "
                    "'type_id': 0}}],\n    'pair': [{'Sequence': {'id': "
                    "'A', 'type_id': 0}}, {'Sequence': {'id': 'B', "
                    "'type_id': 1}}],\n    'special_tokens': {", 1);
        put_special(w, ": {'id': ", 1);
        put_special(w, ", 'tokens': [", 1);
        print_json(w->to, "], 'ids': [%d]}}}", w->number[1]);
    }
    fputs(",\n", w->to);
}

void put_tokenizer(FILE *to, const Tokenizer *t, bool ends)
{
    TokenWriter writer = token_writer(to, t), *w = &writer;
    const Vocabulary *v = w->v;
    print_json(to, "{\n  'version': '1.0',\n  'truncation': null,\n"
               "  'padding': null,\n");
    put_added(w);
    if (w->t->kind == WORD_PIECES)
        print_json(to, "  'normalizer': {'type': 'BertNormalizer', "
                   "'clean_text': %b,\n    'handle_chinese_chars': %b, "
                   "'strip_accents': %b, 'lowercase': %b},\n", v->clean,
                   v->ideographs, v->no_marks, v->small);
    print_json(to, "  'pre_tokenizer': ");
    print_json(to, forms[w->t->kind].cut);
    fputs(",\n", to);
    put_ends(w, ends);
    print_json(to, "  'decoder': ");
    print_json(to, forms[w->t->kind].decoder);
    print_json(to, ",\n  'model': {'type': ");
    print_json(to, forms[w->t->kind].model);
    if (w->t->kind == WORD_PIECES) {
        print_json(to, ", 'max_input_chars_per_word': %d, 'unk_token': ",
                   v->longest);
        put_literal(w, v->piece[v->unknown]);
    }
    put_vocabulary(w);
    if (w->t->kind == BYTE_PAIRS || w->t->kind == BYTE_LEVEL)
        put_merges(w);
    fputs("}\n}\n", to);
}

void put_tokenizer_config(FILE *to, const Tokenizer *t)
{
    static const char *const names[2][3] = {
        { "mask_token", "bos_token", "eos_token" },
        { "mask_token", "cls_token", "sep_token" },
    };
    TokenWriter writer = token_writer(to, t), *w = &writer;
    bool bert = w->t->kind == WORD_PIECES;
    print_json(to, "{\n  'tokenizer_class': 'PreTrainedTokenizerFast',\n"
               "  'clean_up_tokenization_spaces': false");
    for (int k = 0; k < 3; k++)
        if (w->has[k]) {
            print_json(to, ",\n  %s: ", names[bert][k]);
            put_literal(w, w->special[k]);
        }
    if (bert || is_list(w)) {
        print_json(to, ",\n  'unk_token': ");
        put_literal(w, bert ? w->v->piece[w->v->unknown] : w->special[0]);
    }
    fputs("\n}\n", to);
}
