/* Whatever the bytes of a released model's tokenizer.json are, they are
   read, or refused with one sentence; and what was read cuts any text.
   (make fuzz WHAT=pieces) */
#include "fuzz.h"
#include "hub/hub.h"
#include <sys/stat.h>

enum { PIECES = 800 };

typedef struct {
    Arena *arena;
    char folder[60];
    TokenFiles in;
} Read;

static void read_it(Error *f, void *data)
{
    Read *r = data;
    r->in = tokens_of_folder(r->arena, r->folder, PIECES, f);
}

static void write_part(const Read *r, const char *name, const char *text,
                       size_t n)
{
    file_of_bytes(in_folder(r->arena, r->folder, name), text, n);
}

static const char *const parts[] = { "tokenizer.json",
                                     "tokenizer_config.json" };

static void write_folder(const Read *r, const char *text, size_t n)
{
    static const char settings[] = "{\"mask_token\": \"[MASK]\"}";
    write_part(r, parts[0], text, n);
    write_part(r, parts[1], settings, sizeof settings - 1);
}

static void remove_folder(const Read *r)
{
    for (int k = 0; k < 2; k++)
        remove(in_folder(r->arena, r->folder, parts[k]));
    rmdir(r->folder);
}

/* What is cut is in the vocabulary, and can be shown. */
static void cuts(const Read *r, const char *text, size_t n)
{
    static const int none[] = { -1, -1, -1 };
    const Tokenizer *t = r->in.cutter == NULL ? NULL
        : tokenizer_of_cutter(r->arena, PIECES, none, r->in.cutter);
    Tokens x;
    size_t where = 0, m;
    if (t == NULL)
        return;
    const char *error = encode_text(t, r->arena, text, n, &x, &where);
    demand(error == NULL || where < n, "the place is outside", "");
    if (error != NULL)
        return;
    for (int k = 1; k <= x.length; k++)
        demand(1 <= TOKEN(x, k) && TOKEN(x, k) <= t->N_V,
               "a token is none", "");
    decode_text(t, r->arena, x, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char hard[] = "Ab\u00e9 [MASK] abc<|e|> 12's\n\xff";
    Read r = { .arena = arena_new() };
    Error f = { .sheet = "test" };
    snprintf(r.folder, sizeof r.folder, "build/fuzz/pieces.%d",
             (int)getpid());
    mkdir(r.folder, 0777);
    char *text = exact_copy(bytes, n);
    write_folder(&r, text, n);
    if (try_work(&f, read_it, &r)) {
        cuts(&r, text, n);
        cuts(&r, hard, sizeof hard - 1);
    } else {
        is_sentence(f.sentence);
    }
    free(text);
    remove_folder(&r);
    arena_free(r.arena);
    return 0;
}
