/* model/corpus.c: texts that were typed become tokens of a model, and a file
   of text becomes data to train with.

   Main type: Corpus. Entry points: encode_for_model, read_corpus. A text or
   the name of a file flows in; token sequences flow out, or a refusal with
   the place in the text. */
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
        if (begin < k) {
            begin += tokenizer_kind(t) == WORDS && text[begin] == ' ';
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

/* A corpus that is being read. */
typedef struct {
    Arena *arena;
    Error *error;
    const Plan *plan;
    const Model *model;         /* whose tokens and classes; or NULL      */
    int ell_max;
    const char *text;
    size_t n;                   /* its bytes                              */
    Corpus c;
} CorpusReader;
/* Learns tokens from n bytes that are taken from the text. */
static const Tokenizer *learn_tokens(const CorpusReader *r, const char *from,
                                     size_t n)
{
    const Tokenizer *t;
    size_t where;
    const char *wrong = tokenizer_train(r->arena, r->plan->tokens, from, n,
                                        r->plan->merges, &t, &where);
    if (wrong != NULL) {        /* at which place of the file?            */
        tokenizer_train(r->arena, r->plan->tokens, r->text, r->n, 0, &t,
                        &where);
        fail_in_text(r->error, (int)where, "%.*s; --tokens bpe takes any "
                     "bytes.", (int)strcspn(wrong, "."), wrong);
    }
    return t;
}

/* Makes chunks of a text: those of its last part are held out. */
static void convert_text(CorpusReader *r)
{
    Corpus *c = &r->c;
    size_t learned = r->n;
    if (r->plan->tokens == BYTE_PAIRS)
        learned -= (size_t)((double)r->n * r->plan->held_out);
    if (c->tokenizer == NULL)
        c->tokenizer = learn_tokens(r, r->text, learned);
    Tokens x = encode_ordinary(c->tokenizer, r->arena, r->text, r->n,
                               r->error, 0);
    if (x.length < 2)
        fail_with(r->error, "the text has only %d token; a model learns "
                  "what follows on what, and needs two.", x.length);
    x = add_special_tokens(c->tokenizer, r->arena, x);
    int last = (int)(x.length * r->plan->held_out), first = x.length - last;
    c->train.x = chunks(r->arena, (Tokens){ first, x.id }, r->ell_max,
                        &c->train.N_data);
    c->held_out.x = chunks(r->arena, (Tokens){ last, x.id + first },
                           r->ell_max, &c->held_out.N_data);
}

/* A line: what stands before its tab, and behind it. */
typedef struct { Piece left, right; } CorpusLine;

/* Returns the n bytes at `from` as a line. */
static CorpusLine split_line(const CorpusReader *r, const char *from,
                             size_t n)
{
    int at = (int)(from - r->text);
    n -= n > 0 && from[n - 1] == '\r';
    const char *tab = memchr(from, '\t', n);
    if (tab == NULL)
        fail_in_text(r->error, at, "this line has no tab; expected two parts "
                     "with a tab between.");
    Piece left = { from, (int)(tab - from) };
    Piece right = { tab + 1, (int)n - left.n - 1 };
    const char *second = memchr(right.at, '\t', (size_t)right.n);
    if (second != NULL)
        fail_in_text(r->error, (int)(second - r->text),
                     "this line has a second tab; expected two parts with a "
                     "tab between.");
    if (left.n == 0 || right.n == 0)
        fail_in_text(r->error, at, "one side of the tab is empty.");
    return (CorpusLine){ left, right };
}

/* Returns the lines of the text, and how many there are. */
static const CorpusLine *read_lines(const CorpusReader *r, int *lines)
{
    const char *p = r->text + skip_byte_order_mark(r->text, r->n);
    const char *stop = r->text + r->n;
    size_t most = 1;
    for (const char *q = p; q < stop; q++)
        most += *q == '\n';
    CorpusLine *line = arena_alloc(r->arena, most * sizeof *line);
    for (*lines = 0; p < stop; ++*lines) {
        const char *end = memchr(p, '\n', (size_t)(stop - p));
        end = end == NULL ? stop : end;
        line[*lines] = split_line(r, p, (size_t)(end - p));
        p = end + 1;
    }
    if (*lines < 2)
        fail_with(r->error, "there is only one line; two are the least.");
    return line;
}

/* Puts a side of a line behind what is learned from; a word ends with a
   blank. */
static void put_side(FILE *to, Piece side, bool needs_blank)
{
    fwrite(side.at, 1, (size_t)side.n, to);
    if (needs_blank && side.at[side.n - 1] != ' ')
        fputc(' ', to);
}

/* Learns tokens from n lines, of which the left side is a label or text. */
static const Tokenizer *learn_from_lines(const CorpusReader *r,
                                         const CorpusLine *line, int n,
                                         bool has_labels)
{
    TextStream all;
    FILE *to = open_text_stream(&all);
    bool needs_blank = r->plan->tokens != CHARACTERS;
    for (int k = 0; k < n; k++) {
        if (!has_labels)
            put_side(to, line[k].left, needs_blank);
        put_side(to, line[k].right, needs_blank);
    }
    const char *text = close_text_stream(&all, r->arena);
    return learn_tokens(r, text, all.n);
}

/* Returns the class with that label, which is a new one if it may be. */
static int find_class(CorpusReader *r, Piece label, bool may_be_new)
{
    Corpus *c = &r->c;
    size_t n = (size_t)label.n;
    int at = (int)(label.at - r->text);
    char *name = memset(arena_alloc(r->arena, n + 1), 0, n + 1);
    memcpy(name, label.at, n);
    if (strlen(name) < n)
        fail_in_text(r->error, at,
                     "a label is a text; this one has a byte 0.");
    for (int k = 1; k <= c->N_C; k++)
        if (strcmp(c->class_name[k], name) == 0)
            return k;
    if (!may_be_new)
        fail_in_text(r->error, at, "the model has no class '%s'.", name);
    if (c->N_C == MOST_CLASSES)
        fail_in_text(r->error, at, "this label is one more than the %d that "
                     "there may be.", MOST_CLASSES);
    c->class_name[++c->N_C] = name;
    return c->N_C;
}

/* Returns the classes of n lines, in [1] to [n]. */
static const int *find_classes(CorpusReader *r, const CorpusLine *line, int n)
{
    Corpus *c = &r->c;
    int *class = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *class);
    bool known = r->model != NULL && r->model->theta->hyper.N_C > 0;
    c->N_C = known ? r->model->theta->hyper.N_C : 0;
    c->class_name = known ? r->model->class_name
        : arena_alloc(r->arena, (MOST_CLASSES + 1) * sizeof *c->class_name);
    for (int k = 0; k < n; k++)
        class[k + 1] = find_class(r, line[k].left, !known);
    if (c->N_C < 2)
        fail_with(r->error, "all lines have the label '%s'; there is "
                  "nothing to tell apart.", c->class_name[1]);
    return class;
}

static Tokens encode_side(const CorpusReader *r, Piece side)
{
    return encode_field(r->c.tokenizer, r->arena, side.at, (size_t)side.n,
                        r->ell_max, false, r->error,
                        (int)(side.at - r->text));
}

/* Makes data of pairs or of labelled texts: the last lines are held out. */
static void convert_lines(CorpusReader *r, bool has_labels)
{
    Corpus *c = &r->c;
    int n;
    const CorpusLine *line = read_lines(r, &n);
    int last = (int)(n * r->plan->held_out), first = n - last;
    int learned = r->plan->tokens == BYTE_PAIRS ? first : n;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_lines(r, line, learned, has_labels);
    Tokens *x = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *x);
    Tokens *z = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *z);
    const int *class = has_labels ? find_classes(r, line, n) : NULL;
    for (int k = 0; k < n; k++) {
        if (!has_labels)
            z[k + 1] = encode_side(r, line[k].left);
        x[k + 1] = encode_side(r, line[k].right);
    }
    c->train = (Data){ first, has_labels ? NULL : z, x, class };
    c->held_out = (Data){ last, has_labels ? NULL : z + first, x + first,
                          has_labels ? class + first : NULL };
}

Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const char *name, Error *f)
{
    bool has_lines = task == TRAIN_ED || task == TRAIN_CLASS;
    CorpusReader *r = arena_alloc(arena, sizeof *r);
    *r = (CorpusReader){ arena, f, plan, model, ell_max, .text = NULL };
    char *hex = arena_alloc(arena, 17);
    if (!has_lines && ell_max < 2)
        fail_with(f, "--ell_max must be at least 2 to learn what follows on "
                  "what.");
    r->text = read_text_file(arena, name, &r->n, f);
    snprintf(hex, 17, "%016llx",
             (unsigned long long)checksum(NO_CHECKSUM, r->text, r->n));
    r->c.sum = hex;
    r->c.bytes = (double)r->n;
    if (model != NULL)
        r->c.tokenizer = model->tokenizer;
    if (has_lines)
        convert_lines(r, task == TRAIN_CLASS);
    else
        convert_text(r);
    return r->c;
}
