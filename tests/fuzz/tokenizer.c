/* Whatever its bytes are, a table of tokens is read, or refused with one
   sentence and its place; and of any text a tokenizer is learned that gives
   it back. (make fuzz WHAT=tokenizer) */
#include "decode.h"
#include "fuzz.h"

enum { MERGES = 40 };

/* To be freed. */
static char *table_of(const Tokenizer *t, size_t *n)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, n);
    demand(to != NULL, "there is no memory", "");
    tokenizer_save(to, t);
    fclose(to);
    return text;
}

static const Tokenizer *read_table(Arena *arena, const char *text, size_t n)
{
    const char *at = text;
    const Tokenizer *t = tokenizer_load(arena, &at, text + n);
    demand(text <= at && at <= text + n, "the place is outside", "");
    return t;
}

/* Saved and read again it is the same. */
static void is_kept(Arena *arena, const Tokenizer *t)
{
    size_t n, m;
    char *text = table_of(t, &n), *copy = exact_copy(text, n);
    const Tokenizer *again = read_table(arena, copy, n);
    demand(again != NULL, "what was saved is refused", text);
    char *saved = table_of(again, &m);
    demand(n == m && memcmp(text, saved, n) == 0, "it has changed", text);
    free(text);
    free(copy);
    free(saved);
}

/* The text, if all of it is known, comes back. */
static void undoes(Arena *arena, const Tokenizer *t, const char *text,
                   size_t n, bool learned)
{
    Tokens x;
    size_t where = 0, m;
    const char *error = encode_text(t, arena, text, n, &x, &where);
    demand(error == NULL || (!learned && where < n), "it cannot be encoded",
           error == NULL ? "" : error);
    for (int k = 1; error == NULL && k <= x.length; k++)
        demand(1 <= TOKEN(x, k) && TOKEN(x, k) <= t->N_V,
               "a token is none", "");
    if (error != NULL)
        return;
    const char *back = decode_text(t, arena, x, &m);
    if (t->kind >= TOKEN_NUMBERS)
        return;     /* blanks of numbers, and what BERT drops, are gone */
    demand(n == m && memcmp(text, back, n) == 0, "another text comes back",
           back);
}

static void learn_from(Arena *arena, const char *text, size_t n)
{
    for (int kind = CHARACTERS; kind <= BYTE_PAIRS; kind++) {
        const Tokenizer *t;
        size_t where = 0;
        const char *error = tokenizer_train(arena, (TokenKind)kind, text, n,
                                            MERGES, &t, &where);
        if (error != NULL) {
            demand(kind == CHARACTERS && where < n, "it cannot be learned",
                   error);
            continue;
        }
        undoes(arena, t, text, n, true);
        is_kept(arena, t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char hard[] = "Ab\u00e9 [MASK] abc<|e|> 12's\n\xff";
    Arena *arena = arena_new();
    char *text = exact_copy(bytes, n);
    const Tokenizer *t = read_table(arena, text, n);
    if (t != NULL) {
        is_kept(arena, t);
        undoes(arena, t, text, n, false);
        undoes(arena, t, hard, sizeof hard - 1, false);
    }
    learn_from(arena, text, n);
    free(text);
    arena_free(arena);
    return 0;
}
