/* model/encode.c: texts that were typed or read become the tokens of a model.

   Entry points: encode_field, encode_for_model. A text flows in, tokens flow
   out, or a refusal with the place in the text. */
#include "model/corpus.h"
#include <limits.h>
#include <string.h>

const char GAP[] = "[gap]";

/* Refuses a text for what encode_text says about its byte `where`. */
_Noreturn static void fail_to_encode(const Tokenizer *t, const char *wrong,
                                     const char *text, size_t n,
                                     size_t where, Error *f, int at)
{
    const TokenKind kind = tokenizer_kind(t);
    const char *piece = text + where;
    int bytes = utf8_length(piece, n - where);
    char which[100] = "";
    if (bytes > 0 && kind == CHARACTERS)
        snprintf(which, sizeof which, " '%.*s' (U+%04X)", bytes, piece,
                 utf8_code(piece, bytes));
    while (kind == WORDS && where + (size_t)bytes < n
           && (unsigned char)piece[bytes] > ' ')
        bytes++;
    if (bytes > 0 && kind == WORDS)
        snprintf(which, sizeof which, " '%.*s'", bytes, piece);
    if (*which == '\0')
        fail_in_text(f, at + (int)where, "%s", wrong);
    fail_in_text(f, at + (int)where,
                 "%.*s%s; leave it out, or use a model that was trained "
                 "with --tokens bpe, which has tokens for everything.",
                 (int)strcspn(wrong, "."), wrong, which);
}

Tokens encode_ordinary(const Tokenizer *t, Arena *arena, const char *text,
                       size_t n, Error *f, int at)
{
    Tokens x;
    size_t where;
    const char *wrong = encode_text(t, arena, text, n, &x, &where);
    if (wrong != NULL)
        fail_to_encode(t, wrong, text, n, where, f, at);
    return x;
}

Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, bool is_prompt, Error *f, int at)
{
    int N_V = tokenizer_size(t);
    char *copy = arena_alloc(arena, n + 1);
    memcpy(copy, text, n);
    if (tokenizer_kind(t) == WORDS && n > 0 && copy[n - 1] != ' ')
        copy[n++] = ' ';
    Tokens x = encode_ordinary(t, arena, copy, n, f, at);
    int ordinary = x.length;
    x = add_special_tokens(t, arena, x);
    if (is_prompt && is_special(t, eos_token(N_V))
        && (x.length > 1 || is_special(t, bos_token(N_V))))
        x.length--;
    if (x.length > ell_max)
        fail_in_text(f, at, "this has %d tokens%s; ell_max is %d.", x.length,
                     x.length == ordinary ? ""
                     : is_prompt ? " with bos" : " with bos and eos",
                     ell_max);
    return x;
}

/* Returns the tokens of a text in which each GAP is a mask_token. */
static Tokens encode_with_gaps(const Tokenizer *t, Arena *arena,
                               const char *text, size_t n, int ell_max,
                               Error *f, int at)
{
    const int N_V = tokenizer_size(t);
    size_t width = strlen(GAP), begin = 0;
    int *id = arena_alloc(arena, (2 * n + 2) * sizeof *id), length = 0;
    id[length++] = bos_token(N_V);
    for (size_t k = 0; k <= n; k++) {
        bool here = n - k >= width && memcmp(text + k, GAP, width) == 0;
        if (!here && k < n)
            continue;
        if (tokenizer_kind(t) == WORDS && begin < k && text[begin] == ' ')
            begin++;
        if (begin < k) {
            Tokens x = encode_field(t, arena, text + begin, k - begin,
                                    INT_MAX, false, f, at + (int)begin);
            for (int i = 2; i < x.length; i++)
                id[length++] = TOKEN(x, i);
        }
        if (here)
            id[length++] = mask_token(N_V);
        begin = k + width;
        k += here ? width - 1 : 0;
    }
    id[length++] = eos_token(N_V);
    if (length > ell_max)
        fail_in_text(f, at, "this has %d tokens with bos and eos; ell_max is "
                     "%d.", length, ell_max);
    return (Tokens){ length, id };
}

Tokens encode_for_model(const Model *m, Arena *arena, const char *text,
                        size_t n, Error *f)
{
    int ell_max = m->theta->hyper.ell_max, at = (int)(text - f->text);
    return m->task == TRAIN_E
         ? encode_with_gaps(m->tokenizer, arena, text, n, ell_max, f, at)
         : encode_field(m->tokenizer, arena, text, n, ell_max,
                        m->task == TRAIN_D, f, at);
}
