/* The tokens of a model, for transformers. */
#include "hub/hub.h"
#include <string.h>

static const char *const special_names[] = { "<mask>", "<bos>", "<eos>" };

static int pieces_of(const Tokenizer *t)        /* without special ones */
{
    return tokenizer_size(t) - 3;
}

static bool is_list(const Tokenizer *t)         /* of all that it knows */
{
    TokenKind kind = tokenizer_kind(t);
    return kind == CHARACTERS || kind == WORDS;
}

static bool in_signs(const Tokenizer *t)
{
    TokenKind kind = tokenizer_kind(t);
    return kind != CHARACTERS && kind != WORD_PIECES;
}

static void put_quoted(FILE *to, Piece piece, bool signs)
{
    TextStream text;
    Arena *arena = arena_new();
    char sign[4];
    FILE *file = open_text_stream(&text);
    for (int k = 0; signs && k < piece.n; k++) {
        unsigned char byte = (unsigned char)piece.at[k];
        char *end = put_utf8(sign, sign_of_byte(byte));
        fwrite(sign, 1, (size_t)(end - sign), file);
    }
    if (!signs)
        fwrite(piece.at, 1, (size_t)piece.n, file);
    const char *whole = close_text_stream(&text, arena);
    print_json_string(to, whole, text.n);
    arena_free(arena);
}

const char *tokens_error(const Tokenizer *t)
{
    TokenKind kind = tokenizer_kind(t);
    if (kind == TOKEN_NUMBERS)
        return "its tokens are numbers";
    if (kind > TOKEN_NUMBERS)
        return NULL;
    Arena *arena = arena_new();
    Table all = table_new(arena, 1024);
    const char *wrong = NULL;
    for (int k = 0; k < 3; k++)
        table_enter(&all, (Piece){ special_names[k],
                                   (int)strlen(special_names[k]) });
    for (int v = 1; v <= pieces_of(t) && wrong == NULL; v++)
        if (table_enter(&all, token_piece(t, v)) != v + 3)
            wrong = "two of its tokens are the same text";
    arena_free(arena);
    return wrong;
}

static void put_vocabulary(FILE *to, const Tokenizer *t)
{
    const Cutter *cutter = tokenizer_cutter(t);
    const Vocabulary *v = cutter == NULL ? NULL : cutter_vocabulary(cutter);
    int n = v == NULL ? pieces_of(t) : v->n;
    const char *comma = "";
    fputs("\"vocab\": {", to);
    for (int k = 0; k < n; k++) {
        if (v != NULL && (v->how[k] & ALONE))
            continue;
        fprintf(to, "%s\n      ", comma);
        put_quoted(to, v == NULL ? token_piece(t, k + 1) : v->piece[k],
                   in_signs(t));
        fprintf(to, ": %d", k);
        comma = ",";
    }
    if (is_list(t))
        fprintf(to, ",\n      \"%s\": %d", special_names[0], n);
    fputs("}", to);
}

static void put_merges(FILE *to, const Tokenizer *t)
{
    const Cutter *cutter = tokenizer_cutter(t);
    const Vocabulary *v = cutter == NULL ? NULL : cutter_vocabulary(cutter);
    int n = v == NULL ? pieces_of(t) - 256 : v->merges;
    fputs(",\n    \"merges\": [", to);
    for (int k = 0; k < n; k++) {
        Pair pair = v == NULL ? tokenizer_merge(t, k + 1) : v->merge[k];
        fputs(k == 0 ? "\n      [" : ",\n      [", to);
        put_quoted(to, v == NULL ? token_piece(t, pair.left + 1)
                                 : v->piece[pair.left], true);
        fputs(", ", to);
        put_quoted(to, v == NULL ? token_piece(t, pair.right + 1)
                                 : v->piece[pair.right], true);
        fputc(']', to);
    }
    fputs("]", to);
}

static const char *yes_no(bool is)
{
    return is ? "true" : "false";
}

static void put_split(FILE *to, const char *pattern)
{
    fputs("{\"type\": \"Split\", \"pattern\": {\"Regex\": ", to);
    print_json_string(to, pattern, strlen(pattern));
    fputs("}, \"behavior\": \"Isolated\", \"invert\": false}", to);
}

static void put_byte_level(FILE *to, bool gpt2)
{
    fprintf(to, "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
            "\"trim_offsets\": true, \"use_regex\": %s}", yes_no(gpt2));
}

static void put_cut(FILE *to, const Tokenizer *t)
{
    TokenKind kind = tokenizer_kind(t);
    fputs("  \"pre_tokenizer\": ", to);
    if (kind == WORD_PIECES)
        fputs("{\"type\": \"BertPreTokenizer\"}", to);
    else if (kind == BYTE_LEVEL)
        put_byte_level(to, true);
    else if (kind == CHARACTERS)
        put_split(to, SPLIT_CHARACTERS);
    if (kind != WORDS && kind != BYTE_PAIRS) {
        fputs(",\n", to);
        return;
    }
    fputs("{\"type\": \"Sequence\", \"pretokenizers\": [\n    ", to);
    put_byte_level(to, false);
    fputs(",\n    ", to);
    put_split(to, SPLIT_WORDS);
    fputs(",\n    ", to);
    put_split(to, SPLIT_LONG);
    fputs("]},\n", to);
}

static void put_normalizer(FILE *to, const Vocabulary *v)
{
    if (v == NULL || !v->words) {
        fputs("  \"normalizer\": null,\n", to);
        return;
    }
    fprintf(to, "  \"normalizer\": {\"type\": \"BertNormalizer\", "
            "\"clean_text\": %s,\n    \"handle_chinese_chars\": %s, "
            "\"strip_accents\": %s, \"lowercase\": %s},\n",
            yes_no(v->clean), yes_no(v->ideographs), yes_no(v->no_marks),
            yes_no(v->small));
}

static void put_cutting(FILE *to, const Tokenizer *t, const Vocabulary *v)
{
    TokenKind kind = tokenizer_kind(t);
    bool pairs = kind == BYTE_PAIRS || kind == BYTE_LEVEL;
    fprintf(to, "  \"model\": {\"type\": \"%s\", ",
            pairs ? "BPE" : kind == WORD_PIECES ? "WordPiece"
                                                : "WordLevel");
    if (kind == WORD_PIECES) {
        fputs("\"unk_token\": ", to);
        put_quoted(to, v->piece[v->unknown], false);
        fprintf(to, ", \"continuing_subword_prefix\": \"##\", "
                "\"max_input_chars_per_word\": %d,\n    ", v->longest);
    } else if (pairs) {
        fputs("\"dropout\": null, \"unk_token\": null,\n    "
              "\"continuing_subword_prefix\": null, "
              "\"end_of_word_suffix\": null, \"fuse_unk\": false,\n    "
              "\"byte_fallback\": false, \"ignore_merges\": false,\n    ",
              to);
    } else {
        fprintf(to, "\"unk_token\": \"%s\",\n    ", special_names[0]);
    }
    put_vocabulary(to, t);
    if (pairs)
        put_merges(to, t);
    fputs("}\n", to);
}

static void put_added(FILE *to, const char *comma, int number, Piece piece,
                      int how)
{
    fprintf(to, "%s\n    {\"id\": %d, \"content\": ", comma, number);
    put_quoted(to, piece, false);
    fprintf(to, ", \"single_word\": false, \"lstrip\": %s, "
            "\"rstrip\": %s,\n     \"normalized\": %s, \"special\": %s}",
            yes_no(how & BLANKS_BEFORE), yes_no(how & BLANKS_BEHIND),
            yes_no(how & AS_SEEN), yes_no(how & HIDDEN));
}

static void put_all_added(FILE *to, const Tokenizer *t, const Vocabulary *v)
{
    const char *comma = "";
    fputs("  \"added_tokens\": [", to);
    for (int k = 0; v != NULL && k < v->n; k++)
        if (v->how[k] & ADDED) {
            put_added(to, comma, k, v->piece[k], v->how[k]);
            comma = ",";
        }
    for (int k = 0; v == NULL && k < 3; k++) {
        put_added(to, comma, pieces_of(t) + k,
                  (Piece){ special_names[k], 5 + (k == 0) },
                  ADDED | HIDDEN);
        comma = ",";
    }
    fputs("],\n", to);
}

/* What a special token is called; k: 0 mask, 1 bos, 2 eos. */
static void put_special_name(FILE *to, const Tokenizer *t, int k)
{
    int token = mask_token(tokenizer_size(t)) + k;
    const Cutter *c = tokenizer_cutter(t);
    if (c == NULL)
        print_json_string(to, special_names[k], strlen(special_names[k]));
    else
        put_quoted(to, own_piece(c, token_number(t, token)), false);
}

static void put_in_template(FILE *to, const Tokenizer *t, int k, int type)
{
    fputs("{\"SpecialToken\": {\"id\": ", to);
    put_special_name(to, t, k);
    fprintf(to, ", \"type_id\": %d}}", type);
}

/* A text stands between bos and eos, or only behind bos, and so does the
   first of a pair. */
static void put_template(FILE *to, const Tokenizer *t, bool ends)
{
    static const char *const key[] = { "single", "pair" };
    fputs("  \"post_processor\": {\"type\": \"TemplateProcessing\"", to);
    for (int pair = 0; pair < 2; pair++) {
        fprintf(to, ",\n    \"%s\": [", key[pair]);
        put_in_template(to, t, 1, 0);
        fputs(", {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}", to);
        for (int type = 0; type <= pair; type++) {
            if (type == 1)
                fputs(", {\"Sequence\": {\"id\": \"B\", \"type_id\": 1}}",
                      to);
            if (type < pair || ends) {
                fputs(", ", to);
                put_in_template(to, t, 2, type);
            }
        }
        fputc(']', to);
    }
    fputs(",\n    \"special_tokens\": {", to);
    for (int k = 1; k < 3; k++) {
        int token = mask_token(tokenizer_size(t)) + k;
        fputs(k == 1 ? "" : ", ", to);
        put_special_name(to, t, k);
        fputs(": {\"id\": ", to);
        put_special_name(to, t, k);
        fprintf(to, ", \"ids\": [%d], \"tokens\": [",
                token_number(t, token));
        put_special_name(to, t, k);
        fputs("]}", to);
    }
    fputs("}},\n", to);
}

void put_tokenizer(FILE *to, const Tokenizer *t, bool ends)
{
    TokenKind kind = tokenizer_kind(t);
    const Cutter *c = tokenizer_cutter(t);
    const Vocabulary *v = c == NULL ? NULL : cutter_vocabulary(c);
    int N_V = tokenizer_size(t);
    fputs("{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n"
          "  \"padding\": null,\n", to);
    put_all_added(to, t, v);
    put_normalizer(to, v);
    put_cut(to, t);
    if (is_special(t, bos_token(N_V)) && is_special(t, eos_token(N_V)))
        put_template(to, t, ends);
    else
        fputs("  \"post_processor\": null,\n", to);
    fprintf(to, "  \"decoder\": %s,\n",
            kind == WORD_PIECES ? "{\"type\": \"WordPiece\", \"prefix\": "
                                  "\"##\", \"cleanup\": true}"
            : kind == CHARACTERS ? "{\"type\": \"Fuse\"}"
            : "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
              "\"trim_offsets\": true, \"use_regex\": true}");
    put_cutting(to, t, v);
    fputs("}\n", to);
}

void put_tokenizer_config(FILE *to, const Tokenizer *t)
{
    static const char *const names[2][3] = {
        { "mask_token", "bos_token", "eos_token" },
        { "mask_token", "cls_token", "sep_token" },
    };
    bool bert = tokenizer_kind(t) == WORD_PIECES;
    const Cutter *c = tokenizer_cutter(t);
    fputs("{\n", to);
    for (int k = 0; k < 3; k++)
        if (is_special(t, mask_token(tokenizer_size(t)) + k)) {
            fprintf(to, "  \"%s\": ", names[bert][k]);
            put_special_name(to, t, k);
            fputs(",\n", to);
        }
    if (bert || is_list(t)) {
        fputs("  \"unk_token\": ", to);
        if (bert)
            put_quoted(to, own_piece(c, cutter_vocabulary(c)->unknown),
                       false);
        else
            put_special_name(to, t, 0);
        fputs(",\n", to);
    }
    fputs("  \"clean_up_tokenization_spaces\": false,\n"
          "  \"tokenizer_class\": \"PreTrainedTokenizerFast\"\n}\n", to);
}
