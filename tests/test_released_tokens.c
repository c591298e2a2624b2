/* The tokens of released models: what transformers makes of hard texts (see
   oracle/tokenized.py) ftx makes of them, too, and back. */
#include "command.h"
#include "hub/hub.h"

#define FOLDER(name) "tests/released/tokens/" name
enum { LINES = 2000, FOLDERS = 4, NUMBERS = 720 };
static const char *const folders[FOLDERS] = {
    FOLDER("gpt2"), FOLDER("gpt2-older"), FOLDER("bert-cased"),
    FOLDER("bert-older"),
};

typedef struct { const char *folder; const Tokenizer *t; } Reading;

static void read_folder(Fault *f, void *data)
{
    Reading *r = data;
    TokenFiles files = tokens_of_folder(arena, r->folder, NUMBERS, f);
    r->t = files.learned != NULL ? files.learned
         : tokenizer_of_cutter(arena, NUMBERS, files.special, files.cutter);
}

static const Tokenizer *tokens_in(const char *folder)
{
    Reading r = { folder, NULL };
    Fault f = { .sheet = folder };
    if (!attempt(&f, read_folder, &r))
        fail_msg("%s: %s", f.sheet, f.sentence);
    return r.t;
}

static uint32_t summed(uint32_t sum, const char *bytes, size_t n)
{
    for (size_t k = 0; k < n; k++)
        sum = (sum ^ (unsigned char)bytes[k]) * 0x01000193u;
    return sum;
}

static const uint32_t NOTHING = 0x811c9dc5u;

static uint32_t sum_of_numbers(const Tokenizer *t, Tokens x)
{
    uint32_t sum = NOTHING;
    for (int k = 1; k <= x.length; k++) {
        int number = token_number(t, TOKEN(x, k));
        char bytes[4] = { (char)number, (char)(number >> 8), 0, 0 };
        sum = summed(sum, bytes, 4);
    }
    return sum;
}

typedef struct { int n; uint32_t numbers, text; } Sums;

static Sums sums_of(const Tokenizer *t, const char *text, size_t n)
{
    Tokens x = { 0, NULL };
    size_t where, m;
    const char *wrong = encode_text(t, arena, text, n, &x, &where);
    if (wrong != NULL)
        fail_msg("%s", wrong);
    const char *back = decode_text(t, arena, x, &m);
    return (Sums){ x.length, sum_of_numbers(t, x), summed(NOTHING, back,
                                                          m) };
}

typedef struct { int n; const char *text[LINES]; int bytes[LINES]; } Lines;

static const Lines *hard_texts(void)
{
    Lines *all = arena_alloc(arena, sizeof *all);
    size_t n;
    const char *p = bytes_of(FOLDER("texts.txt"), &n), *end = p + n;
    for (all->n = 0; p < end; all->n++) {
        const char *stop = memchr(p, 0x1E, (size_t)(end - p));
        assert_true(all->n < LINES && stop != NULL);
        all->text[all->n] = p;
        all->bytes[all->n] = (int)(stop - p);
        p = stop + 2;
    }
    return all;
}

static void hard_texts_get_the_tokens_of_transformers(void **state)
{
    (void)state;
    const Lines *all = hard_texts();
    size_t n;
    char *p = bytes_of(FOLDER("sums.txt"), &n);
    const Tokenizer *t[FOLDERS];
    for (int f = 0; f < FOLDERS; f++)
        t[f] = tokens_in(folders[f]);
    assert_int_equal(all->n, LINES);
    int wrong = 0;
    for (int k = 0; k < LINES; k++)
        for (int f = 0; f < FOLDERS; f++) {
            Sums own = sums_of(t[f], all->text[k], (size_t)all->bytes[k]);
            int length = (int)strtol(p, &p, 10);
            uint32_t numbers = (uint32_t)strtoul(p, &p, 16);
            uint32_t text = (uint32_t)strtoul(p, &p, 16);
            if (own.n == length && own.numbers == numbers
                && own.text == text)
                continue;
            wrong++;
            if (wrong < 20)
                fprintf(stderr, "%s, text %d: %d tokens, expected %d; "
                        "numbers %s, decoded %s: %.*s\n", folders[f], k,
                        own.n, length, own.numbers == numbers ? "right"
                        : "WRONG", own.text == text ? "right" : "WRONG",
                        all->bytes[k], all->text[k]);
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(hard_texts_get_the_tokens_of_transformers),
    };
    return RUN(laws);
}
